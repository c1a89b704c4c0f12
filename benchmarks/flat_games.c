/* flat_games.c: see flat_games.h. */
#include "flat_games.h"

#include "bench.h"
#include "kifumill/archive_reader.h"
#include "kifumill/board.h"
#include "kifumill/hash.h"
#include "kifumill/sgf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 19, SEED = 19, MOVES_MIN = 140, MOVES_SPAN = 160 };

/* ---- the list -------------------------------------------------------------------------------------------------- */

static km_game *add_game(flat_games *games) {
  if (games->n_games == games->n_room) {
    games->n_room = games->n_room ? 2 * games->n_room : 1024;
    games->games = bench_need(realloc(games->games, games->n_room * sizeof *games->games));
  }
  return &games->games[games->n_games++];
}

static void add_text(flat_games *games, const char *text, size_t n) {
  if (n > games->text_room - games->n_text) {
    games->text_room = 2 * games->text_room + n + (1 << 20);
    games->text = bench_need(realloc(games->text, games->text_room));
  }
  memcpy(games->text + games->n_text, text, n);
  games->n_text += n;
}

static void *copy_of(flat_games *games, const void *from, size_t n_bytes) {
  void *to = bench_need(km_arena_alloc(&games->arena, n_bytes));
  if (n_bytes)
    memcpy(to, from, n_bytes);
  return to;
}

/* A copy without texts, win-rates and the marks of SGF. */
static void keep_game(flat_games *games, const km_game *from) {
  km_game *game = add_game(games);
  *game = *from;
  memset(game->text, 0, sizeof game->text);
  game->evals = NULL;
  game->n_evals = 0;
  game->moves = copy_of(games, from->moves, from->n_moves * sizeof *from->moves);
  game->setup = copy_of(games, from->setup, from->n_setup * sizeof *from->setup);
  games->n_moves += from->n_moves;
}

/* ---- from archives --------------------------------------------------------------------------------------------- */

static void read_entry(flat_games *games, const km_entry *entry, size_t limit, km_arena *arena) {
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err;
  km_arena_reset(arena);
  if (km_sgf_open(&reader, entry->bytes, entry->n_bytes, NULL, arena, &err) != KM_OK)
    bench_die(err.msg);
  while (games->n_games < limit && km_sgf_next(reader, &record, &err) == KM_OK) {
    if (record.refused || record.game.rows != SIDE || record.game.cols != SIDE)
      continue;
    keep_game(games, &record.game);
    add_text(games, (const char *)entry->bytes + record.begin, (size_t)(record.end - record.begin));
    add_text(games, "\n", 1);
  }
}

static void read_archive(flat_games *games, const char *path, size_t limit) {
  km_inputs *inputs;
  km_archive_reader *reader;
  km_entry entry;
  km_arena arena;
  km_err err;
  if (km_inputs_open(&inputs, &path, 1, NULL, &err) != KM_OK)
    bench_die(err.msg);
  km_arena_init(&arena);
  for (size_t i = 0; i < km_inputs_count(inputs) && games->n_games < limit; i++) {
    if (km_archive_open(&reader, inputs, i, &err) != KM_OK)
      bench_die(err.msg);
    while (games->n_games < limit && km_archive_next(reader, &entry, &err) == KM_OK)
      if (entry.bytes)
        read_entry(games, &entry, limit, &arena);
    km_archive_close(reader);
  }
  km_arena_clear(&arena);
  km_inputs_free(inputs);
}

/* ---- made up --------------------------------------------------------------------------------------------------- */

/* A stream of random numbers. */
typedef struct dice {
  uint64_t number, n_drawn;
} dice;
static unsigned draw(dice *d, unsigned n) {
  return (unsigned)km_random_below(km_random(SEED, d->number, d->n_drawn++, KM_PURPOSE_SAMPLE), n);
}

/* Whether all neighbours of an empty point are stones of colour, or border. */
static int is_eye(const km_board *board, uint8_t colour, unsigned point) {
  const uint16_t *at = board->cell + km_board_site(board, point);
  const int step[4] = {-1, 1, -(int)board->stride, board->stride};
  for (int i = 0; i < 4; i++)
    if (at[step[i]] < KM_CELL_BORDER || (at[step[i]] & KM_CELL_KIND) == km_cell_kind(km_opponent(colour)))
      return 0;
  return 1;
}

/* A point near one of the last two moves, or any. */
static unsigned guess_point(dice *d, const km_move *moves, uint32_t n) {
  if (n >= 2 && draw(d, 4)) {
    unsigned last = moves[n - 1 - draw(d, 2)].point;
    int row = (int)(last / SIDE) + (int)draw(d, 7) - 3, col = (int)(last % SIDE) + (int)draw(d, 7) - 3;
    if (row >= 0 && row < SIDE && col >= 0 && col < SIDE)
      return (unsigned)(row * SIDE + col);
  }
  return draw(d, SIDE * SIDE);
}

static void play_moves(km_game *game, dice *d) {
  km_board board;
  km_board_init(&board, SIDE, SIDE);
  for (uint32_t t = 0; t < game->n_moves; t++) {
    uint8_t colour = t % 2 ? KM_WHITE : KM_BLACK;
    unsigned point, tries = 0;
    do
      point = tries++ < 1000 ? guess_point(d, game->moves, t) : SIDE * SIDE;
    while (point < SIDE * SIDE && (km_board_stone(&board, point) || is_eye(&board, colour, point) ||
                                   km_board_classify(&board, colour, (uint16_t)point) != KM_PLAY_LEGAL));
    km_board_play(&board, colour, (uint16_t)point);
    game->moves[t] = (km_move){(uint16_t)point, colour, 0};
  }
}

/* "NAME KEY[Chen 17]RANK[5p]": one call a number, since the order of a call's arguments is the compiler's. */
static size_t write_player(dice *d, const char *name_key, const char *rank_key, char *text, size_t room) {
  static const char *const names[] = {"Akiyama", "Berger", "Chen", "Dubois", "Eriksson", "Fujita", "Garcia", "Huang"};
  const char *name = names[draw(d, 8)];
  unsigned number = draw(d, 40), rank = 1 + draw(d, 9);
  return (size_t)snprintf(text, room, "%s[%s %u]%s[%up]", name_key, name, number, rank_key, rank);
}

static size_t write_header(const km_game *game, dice *d, char *text) {
  static const char *const events[] = {"Meijin", "Honinbo", "Rated game", "League", "Open"};
  const size_t room = FLAT_GAME_TEXT_MAX;
  const char *event = events[draw(d, 5)];
  unsigned edition = draw(d, 60), round = 1 + draw(d, 9);
  size_t n = (size_t)snprintf(text, room, "(;GM[1]FF[4]SZ[19]CA[UTF-8]EV[%s %u]RO[%u]\n", event, edition, round);
  n += write_player(d, "PB", "BR", text + n, room - n);
  n += write_player(d, "PW", "WR", text + n, room - n);
  unsigned year = 1950 + draw(d, 75), month = 1 + draw(d, 12), day = 1 + draw(d, 28);
  n += (size_t)snprintf(text + n, room - n, "\nDT[%u-%02u-%02u]KM[6.5]RE[%c+", year, month, day, game->winner > 0 ? 'B' : 'W');
  n += (size_t)snprintf(text + n, room - n, isnan(game->margin) ? "R]\n" : "%.1f]\n", (double)game->margin);
  return n;
}

static size_t write_sgf(const km_game *game, dice *d, char *text) {
  size_t n = write_header(game, d, text);
  for (uint32_t t = 0; t < game->n_moves; t++) {
    unsigned point = game->moves[t].point;
    const char move[] = {';', game->moves[t].colour == KM_BLACK ? 'B' : 'W', '[', (char)('a' + point % SIDE),
                         (char)('a' + point / SIDE), ']'};
    memcpy(text + n, move, sizeof move);
    n += sizeof move;
    if (point == SIDE * SIDE) { /* a pass: "B[]" */
      text[n - 3] = ']';
      n -= 2;
    }
    if (t % 10 == 9)
      text[n++] = '\n';
  }
  memcpy(text + n, ")\n", 2);
  return n + 2;
}

void flat_game_make(km_game *game, uint64_t number, char *text, size_t *n_text) {
  dice d = {number, 0};
  km_move *moves = game->moves;
  uint32_t n_moves = MOVES_MIN + draw(&d, MOVES_SPAN);
  *game = (km_game){.moves = moves, .n_moves = n_moves, .rows = SIDE, .cols = SIDE, .komi = 6.5f, .margin = NAN};
  game->final_to_play = n_moves % 2 ? KM_WHITE : KM_BLACK;
  game->winner = draw(&d, 2) ? KM_WINNER_BLACK : KM_WINNER_WHITE;
  game->ending = draw(&d, 3) ? KM_ENDING_RESIGN : KM_ENDING_SCORE;
  if (game->ending == KM_ENDING_SCORE)
    game->margin = (float)draw(&d, 20) + 0.5f;
  play_moves(game, &d);
  if (text)
    *n_text = write_sgf(game, &d, text);
}

static void make_games(flat_games *games, size_t n) {
  static char text[FLAT_GAME_TEXT_MAX];
  km_move moves[FLAT_GAME_MOVES_MAX];
  for (size_t g = 0; g < n; g++) {
    km_game game = {.moves = moves};
    size_t n_text;
    flat_game_make(&game, g, text, &n_text);
    keep_game(games, &game);
    add_text(games, text, n_text);
  }
}

void flat_games_load(flat_games *games, const char *path, size_t limit) {
  *games = (flat_games){0};
  km_arena_init(&games->arena);
  if (path)
    read_archive(games, path, limit);
  else
    make_games(games, limit);
  if (games->n_games == 0)
    bench_die("no games of 19x19");
  const char *name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  snprintf(games->label, sizeof games->label, "%s: %zu games of 19x19, %llu moves, %.1f MB of SGF", name ? name : "made up",
           games->n_games, (unsigned long long)games->n_moves, 1e-6 * (double)games->n_text);
}

void flat_games_clear(flat_games *games) {
  free(games->games);
  free(games->text);
  km_arena_clear(&games->arena);
}
