/* games_reader.c: games.h5 mapped into memory.
 *
 * HDF5 only tells where the columns lie; they are read from the mapped file, by any number of threads. At
 * opening everything is checked that would let a later read go out of bounds: types, shapes, lengths, that
 * columns lie within the file, and that offsets never fall. What only makes a game wrong (a point outside its
 * board) is checked when the game is taken. */
#include "games_columns.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct km_games {
  char *path;
  unsigned char *map;
  size_t map_bytes;
  uint64_t n_games, n_strings, heap_bytes;
  uint64_t totals[KM_LIST_COUNT];
  const unsigned char *fields[KM_GAMES_N_FIELDS];
  const uint64_t *offsets[KM_LIST_COUNT];
  const unsigned char *items[KM_LIST_COUNT][KM_LIST_ITEMS_MAX];
  const uint64_t *text_offset;
  const char *heap;
  km_hash128 digest;
};

void km_games_close(km_games *games) {
  if (!games)
    return;
  if (games->map)
    munmap(games->map, games->map_bytes);
  free(games->path);
  free(games);
}

uint64_t km_games_count(const km_games *games) {
  return games->n_games;
}
uint64_t km_games_n_moves_total(const km_games *games) {
  return games->totals[KM_LIST_MOVES];
}
const char *km_games_path(const km_games *games) {
  return games->path;
}
km_hash128 km_games_digest(const km_games *games) {
  return games->digest;
}

/* Opening: the file, the reader being made, and a digest of the columns' digests. */
typedef struct opening {
  km_h5 *file;
  km_games *games;
  km_digest *digest;
} opening;

/* Finds a column, checks its length (n_rows UINT64_MAX: any, given back), and points into the map. */
static km_status take_column(opening *o, const km_column *column, uint64_t *n_rows, const unsigned char **at,
                             km_err *err) {
  km_h5_info info;
  char *hex = NULL;
  km_status status = km_h5_expect(o->file, column, &info, err);
  if (!status)
    status = km_h5_get_text(o->file, column->name, KM_DIGEST_ATTRIBUTE, &hex, err);
  if (status)
    return status;
  km_digest_add(o->digest, hex, strlen(hex));
  free(hex);
  if (*n_rows != UINT64_MAX && info.n_rows != *n_rows)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s has %llu rows instead of %llu", o->games->path,
                      column->name, (unsigned long long)info.n_rows, (unsigned long long)*n_rows);
  *n_rows = info.n_rows;
  if (info.n_rows == 0) {
    *at = o->games->map;
    return KM_OK;
  }
  if (info.offset == UINT64_MAX || info.offset % km_type_bytes(column->type))
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s is not stored as one aligned piece", o->games->path,
                      column->name);
  *at = o->games->map + info.offset;
  return KM_OK;
}

/* An array of n+1 offsets starts at 0, never falls, and ends at total. */
static km_status check_offsets(const km_games *games, const char *name, const uint64_t *offsets, uint64_t n,
                               uint64_t total, km_err *err) {
  int falls = offsets[0] != 0;
  for (uint64_t i = 0; i < n; i++)
    falls |= offsets[i + 1] < offsets[i];
  if (falls || offsets[n] != total)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s does not rise from 0 to %llu", games->path, name,
                      (unsigned long long)total);
  return KM_OK;
}

static km_status take_list(opening *o, int k, km_err *err) {
  const km_games_list *list = &km_games_lists[k];
  km_games *games = o->games;
  uint64_t n_offsets = games->n_games + 1, n_items = UINT64_MAX;
  const unsigned char *at = NULL;
  km_status status = take_column(o, &list->offset, &n_offsets, &at, err);
  games->offsets[k] = (const uint64_t *)(const void *)at;
  for (size_t i = 0; i < list->n_items && !status; i++)
    status = take_column(o, &list->items[i], &n_items, &games->items[k][i], err);
  games->totals[k] = n_items;
  return status ? status
                : check_offsets(games, list->offset.name, games->offsets[k], games->n_games, n_items, err);
}

static km_status take_texts(opening *o, km_err *err) {
  km_games *games = o->games;
  uint64_t n_offsets = UINT64_MAX, n_heap = UINT64_MAX;
  const unsigned char *at = NULL, *heap = NULL;
  km_status status = take_column(o, &km_games_text_offset, &n_offsets, &at, err);
  if (!status)
    status = take_column(o, &km_games_text_heap, &n_heap, &heap, err);
  if (status)
    return status;
  if (n_offsets < 2)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: /text/offset is too short", games->path);
  games->text_offset = (const uint64_t *)(const void *)at;
  games->heap = (const char *)heap;
  games->heap_bytes = n_heap;
  games->n_strings = n_offsets - 1;
  return check_offsets(games, km_games_text_offset.name, games->text_offset, games->n_strings, n_heap, err);
}

static km_status take_all(opening *o, km_err *err) {
  km_games *games = o->games;
  char *input = NULL;
  km_status status = km_h5_get_text(o->file, "/", "input_digest", &input, err);
  if (status)
    return status;
  km_digest_add(o->digest, input, strlen(input));
  free(input);
  games->n_games = UINT64_MAX;
  for (int i = 0; i < KM_GAMES_N_FIELDS && !status; i++)
    status = take_column(o, &km_games_fields[i].column, &games->n_games, &games->fields[i], err);
  for (int k = 0; k < KM_LIST_COUNT && !status; k++)
    status = take_list(o, k, err);
  if (!status)
    status = take_texts(o, err);
  games->digest = km_digest_value(o->digest);
  return status;
}

static km_status map_file(opening *o, km_err *err) {
  km_games *games = o->games;
  games->map_bytes = (size_t)km_h5_file_bytes(o->file);
  void *map = mmap(NULL, games->map_bytes, PROT_READ, MAP_SHARED, km_h5_fd(o->file), 0);
  if (map == MAP_FAILED)
    return km_err_set(err, KM_ERR_IO, 0, "cannot map %s into memory", games->path);
  games->map = map;
  return KM_OK;
}

/* Gives back pages of a column that end in bytes [from, to): the one begun is given back with what follows. The system
 * maps neighbours of a page that is touched, also those given back before: so those go again. What is touched again is
 * read again. */
static void release(const void *column, uint64_t from, uint64_t to) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), around = 32 * page;
  uintptr_t start = (uintptr_t)column, first = start + from, last = (start + to) & ~(page - 1);
  first = (first - start > around ? first - around : start) & ~(page - 1);
  if (last > first)
    madvise((void *)first, last - first, MADV_DONTNEED);
}

/* What was read to be checked. */
static void release_checked(const km_games *games) {
  for (int k = 0; k < KM_LIST_COUNT; k++)
    release(games->offsets[k], 0, games->n_games * sizeof(uint64_t));
  release(games->text_offset, 0, games->n_strings * sizeof(uint64_t));
}

km_status km_games_open(km_games **games, const char *path, km_err *err) {
  *games = NULL;
  opening o = {.games = calloc(1, sizeof *o.games), .digest = km_digest_new()};
  km_status status = KM_OK;
  if (!o.games || !o.digest || !(o.games->path = strdup(path)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (!status)
    status = km_h5_open(&o.file, path, KM_GAMES_FORMAT, err);
  if (!status)
    status = map_file(&o, err);
  if (!status)
    status = take_all(&o, err);
  km_h5_close(o.file);
  km_digest_free(o.digest);
  if (status) {
    km_games_close(o.games);
    return status;
  }
  release_checked(o.games);
  *games = o.games;
  return KM_OK;
}

/* Gathers the columns of game i. */
static void take_row(const km_games *games, uint64_t i, km_games_row *row) {
  for (int k = 0; k < KM_GAMES_N_FIELDS; k++) {
    const km_games_field *field = &km_games_fields[k];
    size_t n = km_column_row_bytes(&field->column);
    memcpy((char *)row + field->at, games->fields[k] + i * n, n);
  }
}

static km_text text_of(const km_games *games, uint32_t number) {
  if (number == 0 || number >= games->n_strings)
    return (km_text){NULL, 0};
  uint64_t start = games->text_offset[number], n = games->text_offset[number + 1] - start;
  return n > UINT32_MAX ? (km_text){NULL, 0} : (km_text){games->heap + start, (uint32_t)n};
}

km_text km_games_text(const km_games *games, uint64_t i, km_text_field field) {
  uint32_t number;
  memcpy(&number, games->fields[KM_GAMES_N_FIXED + field] + i * sizeof number, sizeof number);
  return text_of(games, number);
}

/* Unpacks moves; gives the largest point. */
static unsigned unpack_moves(km_move *to, const uint16_t *from, size_t n) {
  unsigned most = 0;
  for (size_t i = 0; i < n; i++) {
    unsigned v = from[i], point = v & KM_STORED_POINT;
    to[i] = (km_move){.point = (uint16_t)point,
                      .colour = (uint8_t)(KM_BLACK + (v >> 15)),
                      .flags = (uint8_t)((v >> 14) & 1)};
    most = point > most ? point : most;
  }
  return most;
}

static int unpack_setup(const km_games *games, uint64_t first, km_game *game) {
  const unsigned char *const *columns = games->items[KM_LIST_SETUP];
  const uint32_t *ply = (const uint32_t *)(const void *)columns[0] + first;
  const uint16_t *point = (const uint16_t *)(const void *)columns[1] + first;
  const uint8_t *colour = columns[2] + first;
  int bad = 0;
  for (uint32_t i = 0; i < game->n_setup; i++) {
    game->setup[i] = (km_setup){.ply = ply[i], .point = point[i], .colour = colour[i]};
    bad |= point[i] >= km_game_pass(game) || colour[i] > KM_WHITE || ply[i] > game->n_moves ||
           (i && ply[i] < ply[i - 1]);
  }
  return bad;
}

static int unpack_evals(const km_games *games, uint64_t first, km_game *game) {
  const unsigned char *const *columns = games->items[KM_LIST_EVALS];
  const uint32_t *ply = (const uint32_t *)(const void *)columns[0] + first;
  const float *win = (const float *)(const void *)columns[1] + first,
              *score = (const float *)(const void *)columns[2] + first;
  const uint32_t *visits = (const uint32_t *)(const void *)columns[3] + first;
  const uint8_t *source = columns[4] + first;
  int bad = 0;
  for (uint32_t i = 0; i < game->n_evals; i++) {
    game->evals[i] = (km_eval){ply[i], win[i], score[i], visits[i], source[i]};
    bad |= ply[i] > game->n_moves || source[i] > KM_EVAL_LIZZIE;
  }
  return bad;
}

/* The fields of fixed width; 0, or what is wrong. */
static const char *fill_game(const km_games_row *row, km_game *game) {
  *game = (km_game){
      .rows = row->rows,
      .cols = row->cols,
      .handicap = row->handicap,
      .ending = row->ending,
      .rules = row->rules,
      .final_to_play = row->final_to_play,
      .winner = row->winner,
      .margin = row->margin,
      .komi = row->komi,
      .black_rank = {row->black_rank, (char)row->black_rank_kind},
      .white_rank = {row->white_rank, (char)row->white_rank_kind},
      .date = {row->year, row->month, row->day, row->date_precision},
      .flags = row->flags,
      .n_moves = row->n_moves,
  };
  if (row->rows < 1 || row->rows > KM_BOARD_MAX || row->cols < 1 || row->cols > KM_BOARD_MAX)
    return "board size";
  if (row->ending > KM_ENDING_UNFINISHED || row->rules > KM_RULES_OTHER || row->date_precision > 3)
    return "ending, rules or date";
  if (row->final_to_play != KM_BLACK && row->final_to_play != KM_WHITE)
    return "final_to_play";
  return NULL;
}

/* Numbers of items of game i, bounded so that what is made of them can be allocated. */
static int take_counts(const km_games *games, uint64_t i, uint64_t first[KM_LIST_COUNT],
                       uint32_t n[KM_LIST_COUNT]) {
  for (int k = 0; k < KM_LIST_COUNT; k++) {
    first[k] = games->offsets[k][i];
    uint64_t count = games->offsets[k][i + 1] - first[k];
    if (count > UINT32_MAX)
      return -1;
    n[k] = (uint32_t)count;
  }
  return 0;
}

km_status km_games_info(const km_games *games, uint64_t i, km_game *game, km_err *err) {
  if (i >= games->n_games)
    return km_err_set(err, KM_ERR_USAGE, 0, "%s: there is no game %llu", games->path, (unsigned long long)i);
  km_games_row row;
  uint64_t first[KM_LIST_COUNT];
  uint32_t n[KM_LIST_COUNT] = {0};
  take_row(games, i, &row);
  const char *wrong = take_counts(games, i, first, n) ? "lengths" : fill_game(&row, game);
  if (wrong)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: game %llu has wrong %s", games->path, (unsigned long long)i,
                      wrong);
  if (n[KM_LIST_MOVES] != row.n_moves)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: game %llu has %u moves, n_moves says %u", games->path,
                      (unsigned long long)i, n[KM_LIST_MOVES], row.n_moves);
  game->n_setup = n[KM_LIST_SETUP];
  game->n_evals = n[KM_LIST_EVALS];
  for (int k = 0; k < KM_TEXT_COUNT; k++)
    game->text[k] = text_of(games, row.text[k]);
  return KM_OK;
}

km_status km_games_game(const km_games *games, uint64_t i, km_arena *arena, km_game *game, km_err *err) {
  uint64_t first[KM_LIST_COUNT];
  uint32_t n[KM_LIST_COUNT];
  km_status status = km_games_info(games, i, game, err);
  if (status)
    return status;
  take_counts(games, i, first, n);
  const char *wrong = NULL;
  game->moves = km_arena_alloc(arena, (size_t)game->n_moves * sizeof *game->moves);
  game->setup = km_arena_alloc(arena, (size_t)game->n_setup * sizeof *game->setup);
  game->evals = km_arena_alloc(arena, (size_t)game->n_evals * sizeof *game->evals);
  if (!game->moves || !game->setup || !game->evals)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  const uint16_t *moves =
      (const uint16_t *)(const void *)games->items[KM_LIST_MOVES][0] + first[KM_LIST_MOVES];
  if (unpack_moves(game->moves, moves, game->n_moves) > km_game_pass(game))
    wrong = "moves";
  else if (unpack_setup(games, first[KM_LIST_SETUP], game))
    wrong = "set-up";
  else if (unpack_evals(games, first[KM_LIST_EVALS], game))
    wrong = "win-rates";
  return wrong ? km_err_set(err, KM_ERR_FORMAT, 0, "%s: game %llu has wrong %s", games->path,
                            (unsigned long long)i, wrong)
               : KM_OK;
}

void km_games_keys(const km_games *games, uint64_t i, km_game_keys *keys) {
  km_games_row row;
  take_row(games, i, &row);
  keys->hash = (km_hash128){row.hash[0], row.hash[1]};
  keys->split_key = (km_hash128){row.split_key[0], row.split_key[1]};
}

uint32_t km_games_n_moves(const km_games *games, uint64_t i) {
  return (uint32_t)(games->offsets[KM_LIST_MOVES][i + 1] - games->offsets[KM_LIST_MOVES][i]);
}

const uint16_t *km_games_moves(const km_games *games, uint64_t i) {
  return (const uint16_t *)(const void *)games->items[KM_LIST_MOVES][0] + games->offsets[KM_LIST_MOVES][i];
}

void km_games_size(const km_games *games, uint64_t i, uint8_t *rows, uint8_t *cols) {
  *rows = games->fields[0][i]; /* the first two fields of the table */
  *cols = games->fields[1][i];
}

const uint64_t *km_games_move_offsets(const km_games *games) {
  return games->offsets[KM_LIST_MOVES];
}

void km_games_release(const km_games *games, uint64_t first, uint64_t n) {
  if (first >= games->n_games || n == 0)
    return;
  if (n > games->n_games - first)
    n = games->n_games - first;
  const uint64_t *offsets = games->offsets[KM_LIST_MOVES];
  release(games->items[KM_LIST_MOVES][0], offsets[first] * sizeof(uint16_t), offsets[first + n] * sizeof(uint16_t));
  for (int k = 0; k < KM_GAMES_N_FIELDS; k++) {
    size_t row = km_column_row_bytes(&km_games_fields[k].column);
    release(games->fields[k], first * row, (first + n) * row);
  }
  for (int k = 0; k < KM_LIST_COUNT; k++)
    release(games->offsets[k], first * sizeof(uint64_t), (first + n) * sizeof(uint64_t));
  /* texts are shared, and lie in the order in which they first came */
  release(games->text_offset, 0, games->n_strings * sizeof(uint64_t));
  release(games->heap, 0, games->heap_bytes);
}
