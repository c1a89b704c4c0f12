/* games_writer.c: games go to two spools as they come, rows with their texts and lists (moves, set-up,
 * evals); finish reads each of them once and writes its columns side by side, the lists in a thread of their
 * own.
 *
 * What is only known later (which games are dropped, further flags) is kept in memory: position in the spool
 * of rows, flags and a mark, 13 bytes a game. Strings get their numbers at the end, from the kept games only,
 * so that dropped games leave no trace. */
#include "games_columns.h"
#include "spool.h"
#include "text_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TEXT = 0xffffffff };

/* A game in the spool of rows: this, then its texts. */
typedef struct record {
  km_games_row row;  /* text: lengths, NO_TEXT for none */
  uint64_t lists_at; /* its place in the other spool */
  uint64_t n_text_bytes;
} record;

/* And in the spool of lists: this, then evals, set-up and moves as stored, in falling order of alignment. */
typedef struct lists {
  uint32_t n[KM_LIST_COUNT];
} lists;

typedef struct room {
  unsigned char *bytes;
  size_t capacity;
} room;

struct km_games_writer {
  km_h5 *file;
  km_spool *rows, *lists;
  km_store_origin origin;
  uint64_t *positions; /* of records in the spool of rows */
  uint32_t *flags;
  uint8_t *dropped;
  uint64_t n_games, capacity, n_kept;
  uint64_t n_items[KM_LIST_COUNT]; /* of kept games */
  room row_room, list_room;
};

km_status km_games_writer_open(km_games_writer **writer, const char *path, const km_store_origin *origin,
                               int force, km_err *err) {
  *writer = NULL;
  km_games_writer *w = calloc(1, sizeof *w);
  if (!w)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_h5_create(&w->file, path, KM_GAMES_FORMAT, NULL, force, err);
  if (!status)
    status = km_spool_open(&w->rows, path, err);
  if (!status)
    status = km_spool_open(&w->lists, path, err);
  if (status) {
    km_games_writer_abandon(w);
    return status;
  }
  w->origin = *origin;
  *writer = w;
  return KM_OK;
}

void km_games_writer_set_origin(km_games_writer *writer, const km_store_origin *origin) {
  writer->origin = *origin;
}
uint64_t km_games_writer_count(const km_games_writer *writer) {
  return writer->n_games;
}

void km_games_writer_abandon(km_games_writer *writer) {
  if (!writer)
    return;
  km_h5_close(writer->file);
  km_spool_close(writer->rows);
  km_spool_close(writer->lists);
  free(writer->positions);
  free(writer->flags);
  free(writer->dropped);
  free(writer->row_room.bytes);
  free(writer->list_room.bytes);
  free(writer);
}

static km_status reserve_games(km_games_writer *w, km_err *err) {
  if (w->n_games < w->capacity)
    return KM_OK;
  uint64_t capacity = w->capacity + w->capacity / 2 + 1024;
  uint64_t *positions = realloc(w->positions, capacity * sizeof *positions);
  if (positions)
    w->positions = positions;
  uint32_t *flags = realloc(w->flags, capacity * sizeof *flags);
  if (flags)
    w->flags = flags;
  uint8_t *dropped = realloc(w->dropped, capacity);
  if (dropped)
    w->dropped = dropped;
  if (!positions || !flags || !dropped)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  w->capacity = capacity;
  return KM_OK;
}

static km_status reserve(room *r, size_t n_bytes, km_err *err) {
  if (n_bytes <= r->capacity)
    return KM_OK;
  unsigned char *bytes = realloc(r->bytes, n_bytes + n_bytes / 2);
  if (!bytes)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  r->bytes = bytes;
  r->capacity = n_bytes + n_bytes / 2;
  return KM_OK;
}

static size_t list_bytes(const lists *l) {
  return (size_t)l->n[KM_LIST_MOVES] * sizeof(uint16_t) + (size_t)l->n[KM_LIST_SETUP] * sizeof(km_setup) +
         (size_t)l->n[KM_LIST_EVALS] * sizeof(km_eval);
}

/* A move as one word: point, colour and flags from the low end up. */
typedef uint32_t __attribute__((may_alias)) move_word;
_Static_assert(sizeof(km_move) == sizeof(move_word) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "moves are words with the point in the low half");
_Static_assert(KM_BLACK == 1 && KM_WHITE == 2 && KM_MOVE_FORCED == 1, "what the words are taken apart by");

/* Moves as they are stored, several at a time. Returns whether all points and colours are in bounds. */
static inline __attribute__((always_inline)) int
pack_moves(uint16_t *restrict to, const move_word *restrict moves, uint32_t n, uint32_t n_points) {
  uint32_t odd = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t m = moves[i];
    odd |= ((m & 0xffff) > n_points) | ((m >> 16 & 0xff) - KM_BLACK > KM_WHITE - KM_BLACK);
    to[i] = (uint16_t)((m & 0xffff) | (m >> 2 & KM_STORED_WHITE) | (m >> 10 & KM_STORED_FORCED));
  }
  return odd == 0;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static int pack_moves_avx2(uint16_t *to, const move_word *moves, uint32_t n,
                                                           uint32_t n_points) {
  return pack_moves(to, moves, n, n_points);
}
#endif

static int store_moves(uint16_t *to, const km_game *game) {
  const move_word *moves = (const move_word *)game->moves;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return pack_moves_avx2(to, moves, game->n_moves, km_game_pass(game));
#endif
  return pack_moves(to, moves, game->n_moves, km_game_pass(game));
}
_Static_assert((uint32_t)KM_WHITE << 16 >> 2 == KM_STORED_WHITE &&
                   (uint32_t)KM_MOVE_FORCED << 24 >> 10 == KM_STORED_FORCED,
               "the bits that pack_moves shifts");

/* What a reader would refuse is the caller's mistake. */
static const char *wrong_with(const km_game *game) {
  unsigned n_points = km_game_pass(game);
  if (game->rows < 1 || game->rows > KM_BOARD_MAX || game->cols < 1 || game->cols > KM_BOARD_MAX)
    return "its board";
  if (game->ending > KM_ENDING_UNFINISHED || game->rules > KM_RULES_OTHER)
    return "its ending or rules";
  if (game->final_to_play != KM_BLACK && game->final_to_play != KM_WHITE)
    return "who is to play";
  for (uint32_t i = 0; i < game->n_setup; i++) {
    const km_setup *s = &game->setup[i];
    if (s->point >= n_points || s->colour > KM_WHITE || s->ply > game->n_moves || (i && s->ply < s[-1].ply))
      return "set-up";
  }
  for (uint32_t i = 0; i < game->n_evals; i++)
    if (game->evals[i].ply > game->n_moves || game->evals[i].source > KM_EVAL_LIZZIE)
      return "a win-rate";
  return NULL;
}

static void fill_record(record *r, const km_game *game, const km_game_keys *keys) {
  memset(r, 0, sizeof *r);
  r->row = (km_games_row){
      .hash = {keys->hash.low, keys->hash.high},
      .split_key = {keys->split_key.low, keys->split_key.high},
      .n_moves = game->n_moves,
      .flags = game->flags,
      .komi = game->komi,
      .margin = game->margin,
      .year = game->date.year,
      .rows = game->rows,
      .cols = game->cols,
      .handicap = game->handicap,
      .ending = game->ending,
      .rules = game->rules,
      .final_to_play = game->final_to_play,
      .month = game->date.month,
      .day = game->date.day,
      .date_precision = game->date.precision,
      .black_rank_kind = (uint8_t)game->black_rank.kind,
      .white_rank_kind = (uint8_t)game->white_rank.kind,
      .winner = game->winner,
      .black_rank = game->black_rank.number,
      .white_rank = game->white_rank.number,
  };
  for (int k = 0; k < KM_TEXT_COUNT; k++) {
    r->row.text[k] = game->text[k].bytes ? game->text[k].n_bytes : NO_TEXT;
    r->n_text_bytes += game->text[k].bytes ? game->text[k].n_bytes : 0;
  }
}

/* The lists of a game, headed by their lengths. Returns whether the moves are sound. */
static int fill_lists(unsigned char *to, const lists *l, const km_game *game) {
  memcpy(to, l, sizeof *l);
  to += sizeof *l;
  if (game->n_evals)
    memcpy(to, game->evals, game->n_evals * sizeof(km_eval));
  to += game->n_evals * sizeof(km_eval);
  if (game->n_setup)
    memcpy(to, game->setup, game->n_setup * sizeof(km_setup));
  to += game->n_setup * sizeof(km_setup);
  return store_moves((uint16_t *)(void *)to, game);
}

static km_status append_row(km_games_writer *w, const record *r, const km_game *game, km_err *err) {
  km_status status = km_spool_append(w->rows, r, sizeof *r, err);
  for (int k = 0; k < KM_TEXT_COUNT && !status; k++)
    if (game->text[k].bytes && game->text[k].n_bytes)
      status = km_spool_append(w->rows, game->text[k].bytes, game->text[k].n_bytes, err);
  return status;
}

static km_status refuse_game(const char *wrong, km_err *err) {
  return km_err_set(err, KM_ERR_STATE, 0, "a game that cannot be stored: %s is out of bounds", wrong);
}

static void count_items(km_games_writer *w, const lists *l, int sign) {
  for (int k = 0; k < KM_LIST_COUNT; k++)
    w->n_items[k] += sign > 0 ? l->n[k] : (uint64_t)0 - l->n[k];
}

km_status km_games_writer_add(km_games_writer *writer, const km_game *game, const km_game_keys *keys,
                              uint64_t *index, km_err *err) {
  const char *wrong = wrong_with(game);
  if (wrong)
    return refuse_game(wrong, err);
  record r;
  const lists l = {{game->n_moves, game->n_setup, game->n_evals}};
  const size_t n_list_bytes = sizeof l + list_bytes(&l);
  fill_record(&r, game, keys);
  r.lists_at = km_spool_bytes(writer->lists);
  km_status status = reserve_games(writer, err);
  if (!status)
    status = reserve(&writer->list_room, n_list_bytes, err);
  if (status)
    return status;
  if (!fill_lists(writer->list_room.bytes, &l, game))
    return refuse_game("a move", err);
  writer->positions[writer->n_games] = km_spool_bytes(writer->rows);
  writer->flags[writer->n_games] = game->flags;
  writer->dropped[writer->n_games] = 0;
  status = km_spool_append(writer->lists, writer->list_room.bytes, n_list_bytes, err);
  if (!status)
    status = append_row(writer, &r, game, err);
  if (status)
    return status;
  count_items(writer, &l, 1);
  if (index)
    *index = writer->n_games;
  writer->n_games++;
  writer->n_kept++;
  return KM_OK;
}

/* The row of a game, and the lengths of its lists. */
static km_status read_record(km_games_writer *w, uint64_t index, record *r, lists *l, km_err *err) {
  km_status status = km_spool_read_at(w->rows, w->positions[index], r, sizeof *r, err);
  return status ? status : km_spool_read_at(w->lists, r->lists_at, l, sizeof *l, err);
}

km_status km_games_writer_drop(km_games_writer *writer, uint64_t index, km_err *err) {
  if (index >= writer->n_games)
    return km_err_set(err, KM_ERR_STATE, 0, "no game number %llu to be dropped", (unsigned long long)index);
  if (writer->dropped[index])
    return KM_OK;
  record r;
  lists l;
  km_status status = read_record(writer, index, &r, &l, err);
  if (status)
    return status;
  count_items(writer, &l, -1);
  writer->dropped[index] = 1;
  writer->n_kept--;
  return KM_OK;
}

void km_games_writer_set_flags(km_games_writer *writer, uint64_t index, uint32_t bits) {
  if (index < writer->n_games)
    writer->flags[index] |= bits;
}

static void unpack_texts(const record *r, const char *at, km_game *game) {
  for (int k = 0; k < KM_TEXT_COUNT; k++)
    if (r->row.text[k] != NO_TEXT) {
      game->text[k] = (km_text){at, r->row.text[k]};
      at += r->row.text[k];
    }
}

/* In the order of fill_lists. */
static void unpack_lists(unsigned char *at, km_game *game) {
  game->evals = (km_eval *)(void *)at;
  at += game->n_evals * sizeof(km_eval);
  game->setup = (km_setup *)(void *)at;
  at += game->n_setup * sizeof(km_setup);
  const uint16_t *stored = (const uint16_t *)(const void *)at;
  for (uint32_t i = 0; i < game->n_moves; i++)
    game->moves[i] = (km_move){.point = stored[i] & (uint16_t) ~(KM_STORED_FORCED | KM_STORED_WHITE),
                               .colour = stored[i] & KM_STORED_WHITE ? KM_WHITE : KM_BLACK,
                               .flags = stored[i] & KM_STORED_FORCED ? KM_MOVE_FORCED : 0};
}

km_status km_games_writer_read(km_games_writer *writer, uint64_t index, km_arena *arena, km_game *game,
                               km_err *err) {
  record r;
  lists l;
  if (index >= writer->n_games)
    return km_err_set(err, KM_ERR_STATE, 0, "no game number %llu to be read", (unsigned long long)index);
  km_status status = read_record(writer, index, &r, &l, err);
  if (status)
    return status;
  unsigned char *list = km_arena_alloc(arena, list_bytes(&l));
  char *texts = km_arena_alloc(arena, (size_t)r.n_text_bytes);
  km_move *moves = km_arena_alloc(arena, l.n[KM_LIST_MOVES] * sizeof *moves);
  if (!list || !texts || !moves)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a game of %u moves", l.n[KM_LIST_MOVES]);
  status = km_spool_read_at(writer->lists, r.lists_at + sizeof l, list, list_bytes(&l), err);
  if (!status)
    status = km_spool_read_at(writer->rows, writer->positions[index] + sizeof r, texts,
                              (size_t)r.n_text_bytes, err);
  if (status)
    return status;
  *game = (km_game){.rows = r.row.rows,
                    .cols = r.row.cols,
                    .n_moves = l.n[KM_LIST_MOVES],
                    .n_setup = l.n[KM_LIST_SETUP],
                    .n_evals = l.n[KM_LIST_EVALS],
                    .moves = moves,
                    .flags = writer->flags[index]};
  unpack_texts(&r, texts, game);
  unpack_lists(list, game);
  return KM_OK;
}

enum { ROWS_BLOCK = 128 };

/* A text that was numbered: neighbours share many. */
typedef struct last_text {
  uint32_t number; /* 0: none */
  uint32_t n_bytes;
  char *bytes;
  size_t capacity;
} last_text;

/* All columns that are written side by side. */
typedef struct columns {
  km_h5_writer *fields[KM_GAMES_N_FIELDS], *offsets[KM_LIST_COUNT], *items[KM_LIST_COUNT][KM_LIST_ITEMS_MAX];
  uint64_t totals[KM_LIST_COUNT];
  km_text_table *texts;
  last_text last[KM_TEXT_COUNT];
  size_t n_rows; /* in the block: rows are turned into columns a block at a time */
  km_games_row rows[ROWS_BLOCK];
} columns;

static km_status open_columns(columns *c, km_games_writer *w, km_err *err) {
  km_status status = km_h5_group(w->file, "/games", KM_GAMES_DOC, err);
  for (int i = 0; i < KM_GAMES_N_FIELDS && !status; i++)
    status = km_h5_writer_open(&c->fields[i], w->file, &km_games_fields[i].column, w->n_kept, err);
  for (int k = 0; k < KM_LIST_COUNT && !status; k++) {
    const km_games_list *list = &km_games_lists[k];
    status = km_h5_group(w->file, list->group, list->doc, err);
    if (!status)
      status = km_h5_writer_open(&c->offsets[k], w->file, &list->offset, w->n_kept + 1, err);
    for (size_t i = 0; i < list->n_items && !status; i++)
      status = km_h5_writer_open(&c->items[k][i], w->file, &list->items[i], w->n_items[k], err);
    if (!status)
      status = km_h5_writer_append(c->offsets[k], &c->totals[k], 1, err);
  }
  if (!status)
    status = km_text_table_new(&c->texts, km_h5_path(w->file), err);
  return status;
}

static void abandon_columns(columns *c) {
  for (int i = 0; i < KM_GAMES_N_FIELDS; i++)
    km_h5_writer_abandon(c->fields[i]);
  for (int k = 0; k < KM_LIST_COUNT; k++) {
    km_h5_writer_abandon(c->offsets[k]);
    for (int i = 0; i < KM_LIST_ITEMS_MAX; i++)
      km_h5_writer_abandon(c->items[k][i]);
  }
  km_text_table_free(c->texts);
  for (int k = 0; k < KM_TEXT_COUNT; k++)
    free(c->last[k].bytes);
}

static km_status finish_column(km_h5_writer **writer, km_status status, km_err *err) {
  if (*writer && !status) {
    status = km_h5_writer_finish(*writer, err);
    *writer = NULL;
  }
  return status;
}

static km_status finish_columns(columns *c, km_err *err) {
  km_status status = KM_OK;
  for (int i = 0; i < KM_GAMES_N_FIELDS; i++)
    status = finish_column(&c->fields[i], status, err);
  for (int k = 0; k < KM_LIST_COUNT; k++) {
    status = finish_column(&c->offsets[k], status, err);
    for (int i = 0; i < KM_LIST_ITEMS_MAX; i++)
      status = finish_column(&c->items[k][i], status, err);
  }
  return status;
}

/* The number of a text. Entries' names come once, or several times in a row: only the last one is remembered.
 */
static km_status number_text(columns *c, int field, const char *bytes, uint32_t n_bytes, uint32_t *number,
                             km_err *err) {
  last_text *last = &c->last[field];
  if (last->number && n_bytes == last->n_bytes && memcmp(bytes, last->bytes, n_bytes) == 0) {
    *number = last->number;
    return KM_OK;
  }
  km_status status = km_text_table_number(c->texts, bytes, n_bytes, field != KM_TEXT_ENTRY, number, err);
  if (status)
    return status;
  if (n_bytes + 1 > last->capacity) {
    char *larger = realloc(last->bytes, 2 * (size_t)n_bytes + 32);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    last->bytes = larger;
    last->capacity = 2 * (size_t)n_bytes + 32;
  }
  memcpy(last->bytes, bytes, n_bytes);
  last->n_bytes = n_bytes;
  last->number = *number;
  return KM_OK;
}

/* Replaces the lengths in the row by numbers of strings. */
static km_status number_texts(columns *c, km_games_row *row, const char *bytes, km_err *err) {
  km_status status = KM_OK;
  for (int k = 0; k < KM_TEXT_COUNT && !status; k++) {
    uint32_t n = row->text[k];
    row->text[k] = 0;
    if (n == NO_TEXT)
      continue;
    status = number_text(c, k, bytes, n, &row->text[k], err);
    bytes += n;
  }
  return status;
}

/* One field of the rows, side by side: n values of n_bytes (1, 2, 4, 8 or 16). */
static void gather(unsigned char *to, const unsigned char *field, size_t n, size_t n_bytes) {
  const size_t step = sizeof(km_games_row);
  switch (n_bytes) {
  case 1:
    for (size_t i = 0; i < n; i++)
      to[i] = field[i * step];
    return;
  case 4:
    for (size_t i = 0; i < n; i++)
      memcpy(to + 4 * i, field + i * step, 4);
    return;
  default:
    for (size_t i = 0; i < n; i++)
      memcpy(to + n_bytes * i, field + i * step, n_bytes);
  }
}

/* Writes the rows of the block. */
static km_status flush_rows(columns *c, km_err *err) {
  unsigned char values[ROWS_BLOCK * 2 * sizeof(uint64_t)];
  km_status status = KM_OK;
  for (int i = 0; i < KM_GAMES_N_FIELDS && !status; i++) {
    const km_games_field *field = &km_games_fields[i];
    gather(values, (const unsigned char *)c->rows + field->at, c->n_rows,
           km_column_row_bytes(&field->column));
    status = km_h5_writer_append(c->fields[i], values, c->n_rows, err);
  }
  c->n_rows = 0;
  return status;
}

static km_status write_setup(columns *c, const unsigned char *from, uint32_t n, km_err *err) {
  km_status status = KM_OK;
  for (uint32_t i = 0; i < n && !status; i++) {
    km_setup s;
    memcpy(&s, from + i * sizeof s, sizeof s);
    const void *values[] = {&s.ply, &s.point, &s.colour};
    for (int k = 0; k < 3 && !status; k++)
      status = km_h5_writer_append(c->items[KM_LIST_SETUP][k], values[k], 1, err);
  }
  return status;
}

static km_status write_evals(columns *c, const unsigned char *from, uint32_t n, km_err *err) {
  km_status status = KM_OK;
  for (uint32_t i = 0; i < n && !status; i++) {
    km_eval e;
    memcpy(&e, from + i * sizeof e, sizeof e);
    const void *values[] = {&e.ply, &e.black_win, &e.black_score, &e.visits, &e.source};
    for (int k = 0; k < 5 && !status; k++)
      status = km_h5_writer_append(c->items[KM_LIST_EVALS][k], values[k], 1, err);
  }
  return status;
}

/* The rows of the kept games, and where in the lists theirs begin. */
static km_status write_rows(columns *c, km_games_writer *w, km_err *err) {
  km_status status = km_spool_rewind(w->rows, err);
  for (uint64_t i = 0; i < w->n_games && !status; i++) {
    record r;
    status = km_spool_take(w->rows, &r, sizeof r, err);
    if (!status)
      status = reserve(&w->row_room, (size_t)r.n_text_bytes, err);
    if (!status)
      status = km_spool_take(w->rows, w->row_room.bytes, (size_t)r.n_text_bytes, err);
    if (status || w->dropped[i])
      continue;
    r.row.flags = w->flags[i];
    status = number_texts(c, &r.row, (const char *)w->row_room.bytes, err);
    c->rows[c->n_rows++] = r.row;
    if (c->n_rows == ROWS_BLOCK && !status)
      status = flush_rows(c, err);
  }
  return status ? status : flush_rows(c, err);
}

static km_status write_list(columns *c, const lists *l, const unsigned char *bytes, km_err *err) {
  const unsigned char *setup = bytes + l->n[KM_LIST_EVALS] * sizeof(km_eval);
  const unsigned char *moves = setup + l->n[KM_LIST_SETUP] * sizeof(km_setup);
  km_status status = KM_OK;
  for (int k = 0; k < KM_LIST_COUNT && !status; k++) {
    c->totals[k] += l->n[k];
    status = km_h5_writer_append(c->offsets[k], &c->totals[k], 1, err);
  }
  if (!status)
    status = km_h5_writer_append(c->items[KM_LIST_MOVES][0], moves, l->n[KM_LIST_MOVES], err);
  if (!status)
    status = write_setup(c, setup, l->n[KM_LIST_SETUP], err);
  return status ? status : write_evals(c, bytes, l->n[KM_LIST_EVALS], err);
}

/* The lists of the kept games. */
static km_status write_lists(columns *c, km_games_writer *w, km_err *err) {
  km_status status = km_spool_rewind(w->lists, err);
  for (uint64_t i = 0; i < w->n_games && !status; i++) {
    lists l;
    status = km_spool_take(w->lists, &l, sizeof l, err);
    if (!status)
      status = reserve(&w->list_room, list_bytes(&l), err);
    if (!status)
      status = km_spool_take(w->lists, w->list_room.bytes, list_bytes(&l), err);
    if (!status && !w->dropped[i])
      status = write_list(c, &l, w->list_room.bytes, err);
  }
  return status;
}

/* write_lists in a thread. */
typedef struct list_task {
  columns *columns;
  km_games_writer *writer;
  km_status status;
  km_err err;
} list_task;

static void *run_lists(void *argument) {
  list_task *task = argument;
  task->status = write_lists(task->columns, task->writer, &task->err);
  return NULL;
}

/* Rows and lists, side by side when there are threads for it and enough to do. */
static km_status write_records(columns *c, km_games_writer *w, int n_threads, km_err *err) {
  enum { APART_FROM = 1 << 12 };
  list_task task = {.columns = c, .writer = w};
  pthread_t thread;
  int is_apart =
      n_threads > 1 && w->n_games >= APART_FROM && pthread_create(&thread, NULL, run_lists, &task) == 0;
  km_status status = write_rows(c, w, err);
  if (is_apart)
    pthread_join(thread, NULL);
  else if (!status)
    run_lists(&task);
  if (!status && task.status) {
    status = task.status;
    if (err)
      *err = task.err;
  }
  return status;
}

static km_status write_heap(km_text_table *texts, km_h5 *file, km_err *err) {
  char block[4096];
  km_h5_writer *writer;
  km_status status = km_h5_writer_open(&writer, file, &km_games_text_heap, km_text_table_n_bytes(texts), err);
  for (uint64_t rest = km_text_table_n_bytes(texts); rest && !status;) {
    size_t n = rest < sizeof block ? (size_t)rest : sizeof block;
    status = km_text_table_take_bytes(texts, block, n, err);
    if (!status)
      status = km_h5_writer_append(writer, block, n, err);
    rest -= n;
  }
  status = finish_column(&writer, status, err);
  km_h5_writer_abandon(writer);
  return status;
}

static km_status write_texts(km_text_table *texts, km_h5 *file, km_err *err) {
  uint64_t n = km_text_table_n_strings(texts), start = km_text_table_n_bytes(texts);
  km_h5_writer *writer = NULL;
  km_status status = km_h5_group(file, "/text", KM_TEXT_DOC, err);
  if (!status)
    status = km_text_table_rewind(texts, err);
  if (!status)
    status = km_h5_writer_open(&writer, file, &km_games_text_offset, n + 1, err);
  for (uint64_t i = 0; i < n && !status; i++) {
    status = km_text_table_take_start(texts, &start, err);
    if (!status)
      status = km_h5_writer_append(writer, &start, 1, err);
  }
  start = km_text_table_n_bytes(texts);
  if (!status)
    status = km_h5_writer_append(writer, &start, 1, err);
  status = finish_column(&writer, status, err);
  km_h5_writer_abandon(writer);
  return status ? status : write_heap(texts, file, err);
}

km_status km_games_writer_finish(km_games_writer *writer, int n_threads, uint64_t *n_kept, km_err *err) {
  columns c = {0};
  km_status status = km_h5_put_origin(writer->file, &writer->origin, err);
  if (!status)
    status = open_columns(&c, writer, err);
  if (!status)
    status = write_records(&c, writer, n_threads, err);
  if (!status)
    status = finish_columns(&c, err);
  if (!status)
    status = write_texts(c.texts, writer->file, err);
  abandon_columns(&c);
  if (!status) {
    km_h5 *file = writer->file;
    writer->file = NULL;
    status = km_h5_finish(file, err);
    if (n_kept)
      *n_kept = writer->n_kept;
  }
  km_games_writer_abandon(writer);
  return status;
}
