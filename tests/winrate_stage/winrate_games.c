/* winrate_games.c: see winrate_games.h. */
#include "winrate_games.h"

#include "kifumill/board.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t draw(const winrate_kind *kind, size_t game, uint64_t what) {
  return km_random(kind->seed, game, what, KM_PURPOSE_SAMPLE);
}

int winrate_winner(const winrate_kind *kind, size_t i) {
  if (i % 10 == 9)
    return KM_WINNER_DRAW;
  if (i % 13 == 12)
    return KM_WINNER_UNKNOWN;
  return draw(kind, i, 0) & 1 ? KM_WINNER_BLACK : KM_WINNER_WHITE;
}

static size_t player_of(const winrate_kind *kind, size_t i, int colour) {
  return km_random_below(draw(kind, i, 2 + (uint64_t)colour), kind->n_players);
}

/* Whether Black's stones of this game are put on the edge. */
static int goes_for_edge(const winrate_kind *kind, size_t i) {
  double share = winrate_winner(kind, i) == KM_WINNER_BLACK ? kind->edge_won : kind->edge_lost;
  if (kind->by_player)
    share = (double)player_of(kind, i, 0) / (double)(kind->n_players - 1);
  return km_random_unit(draw(kind, i, 1)) < share;
}

/* A legal move on the first line, or off it. */
static uint16_t draw_point(const winrate_kind *kind, const km_board *board, size_t i, uint64_t *draws, uint8_t colour, int edge) {
  for (;;) {
    uint16_t point = (uint16_t)km_random_below(draw(kind, i, 100 + (*draws)++), 81);
    unsigned row = point / 9, col = point % 9;
    int on_edge = row == 0 || row == 8 || col == 0 || col == 8;
    if (on_edge == edge && km_board_classify(board, colour, point) == KM_PLAY_LEGAL)
      return point;
    edge ^= *draws % 400 == 0; /* no such point is left */
  }
}

static void make_moves(const winrate_kind *kind, size_t i, km_move *moves) {
  static km_board board;
  uint64_t draws = 0;
  int edge = goes_for_edge(kind, i);
  km_board_init(&board, 9, 9);
  for (unsigned t = 0; t < WINRATE_MOVES; t++) {
    uint8_t colour = t % 2 ? KM_WHITE : KM_BLACK;
    int wants_edge = colour == KM_BLACK && edge && t % 4 == 0;
    moves[t] = (km_move){draw_point(kind, &board, i, &draws, colour, wants_edge), colour, 0};
    km_board_play(&board, colour, moves[t].point);
  }
}

static uint32_t make_evals(int winner, km_eval *evals) {
  uint32_t n = 0;
  for (uint32_t ply = 3; ply < WINRATE_MOVES; ply += 3) {
    int says_black = (winner == KM_WINNER_BLACK) == (ply % 4 != 0);
    evals[n++] = (km_eval){ply, says_black ? 0.9f : 0.1f, (float)NAN, 0, KM_EVAL_SBKV};
  }
  return n;
}

static void add_game(km_games_writer *writer, const winrate_kind *kind, size_t i) {
  km_move moves[WINRATE_MOVES];
  km_eval evals[WINRATE_MOVES];
  char entry[32];
  km_err err = {0};
  make_moves(kind, i, moves);
  km_game game = {.rows = 9, .cols = 9, .final_to_play = KM_BLACK, .winner = (int8_t)winrate_winner(kind, i),
                  .komi = i % 3 ? 6.5f : (float)NAN, .margin = (float)NAN, .n_moves = WINRATE_MOVES, .moves = moves,
                  .evals = evals};
  if (kind->with_evals)
    game.n_evals = make_evals(game.winner, evals);
  snprintf(entry, sizeof entry, "%zu.sgf", i);
  game.text[KM_TEXT_SOURCE] = (km_text){"made.zip", 8};
  game.text[KM_TEXT_ENTRY] = (km_text){entry, (uint32_t)strlen(entry)};
  for (int colour = 0; colour < 2 && kind->players; colour++) {
    const char *name = kind->players[player_of(kind, i, colour)];
    game.text[colour ? KM_TEXT_WHITE : KM_TEXT_BLACK] = (km_text){name, (uint32_t)strlen(name)};
  }
  km_game_keys keys = {{km_mix64(i), km_mix64(i + 1000000)}, {km_mix64(i), km_mix64(i + 1000000)}};
  if (km_games_writer_add(writer, &game, &keys, NULL, &err) != KM_OK)
    fail_msg("%s", err.msg);
}

const char *winrate_games(const char *name, const winrate_kind *kind) {
  static const km_store_origin origin = {"test", "", 1, "00"};
  km_games_writer *writer;
  km_err err = {0};
  const char *path = scratch(name);
  if (km_games_writer_open(&writer, path, &origin, 1, &err) != KM_OK)
    fail_msg("%s", err.msg);
  for (size_t i = 0; i < kind->n; i++)
    add_game(writer, kind, i);
  assert_int_equal(km_games_writer_finish(writer, 1, NULL, &err), KM_OK);
  return path;
}

km_winrate_options *winrate_options(const char *output, const char *games, const char *hbs) {
  km_winrate_options *o = stage_options(&km_winrate_stage, output, games, hbs);
  o->board = 9;
  o->replicates = 50;
  o->bucket = 10;
  o->min_games = 10000;
  o->permutations = 99;
  o->run.threads = 1;
  return o;
}

void run_winrate(const km_winrate_options *options) { run_stage(&km_winrate_stage, (void *)(uintptr_t)options); }

static int has_text(const json_t *object, const char *key, const char *text) {
  const char *found = json_string_value(json_object_get(object, key));
  return found && strcmp(found, text) == 0;
}

const json_t *winrate_result(const json_t *results, const char *model, const char *by, const char *bucket) {
  size_t i;
  const json_t *r;
  json_array_foreach(results, i, r) {
    if (has_text(r, "model", model) && has_text(r, "by", by) && (!bucket || has_text(r, "bucket", bucket)))
      return r;
  }
  fail_msg("no result of model %s by %s", model, by);
  return NULL;
}

double json_double(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  assert_non_null(value);
  return json_is_null(value) ? (double)NAN : json_number_value(value);
}

double winrate_figure(const json_t *result, const char *metric, const char *field) {
  return json_double(json_object_get(json_object_get(result, "metrics"), metric), field);
}

const json_t *winrate_minus(const json_t *result, const char *model) {
  size_t i;
  const json_t *m;
  json_array_foreach(json_object_get(result, "minus"), i, m) {
    if (has_text(m, "model", model))
      return m;
  }
  fail_msg("no difference to model %s", model);
  return NULL;
}
