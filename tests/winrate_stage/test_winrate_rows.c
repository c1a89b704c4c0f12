/* test_winrate_rows.c: every column of a position against its definition, from a board of plain arrays, flood fill and HBS from
 * scratch; effects against the formulas. */
#include "winrate_games.h"

#include "winrate_effects.h"
#include "winrate_position.h"

#include "slow_board.h"
#include "slow_features.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 220 };
static const uint64_t seed = 77;

/* S of both colours at each ply, for the window. */
static km_hbs_value history[MOVES_MAX + 1][2];

static double signed_log2_of(km_hbs_value a, km_hbs_value b) {
  km_hbs_value d = {{0}};
  unsigned __int128 carry = 1;
  int negative = 0;
  for (int i = KM_HBS_LIMBS_MAX - 1; i >= 0 && a.limb[i] == b.limb[i]; i--)
    ;
  for (int i = KM_HBS_LIMBS_MAX - 1; i >= 0; i--)
    if (a.limb[i] != b.limb[i]) {
      negative = a.limb[i] < b.limb[i];
      break;
    }
  km_hbs_value *high = negative ? &b : &a, *low = negative ? &a : &b;
  for (int i = 0; i < KM_HBS_LIMBS_MAX; i++) {
    carry += (unsigned __int128)high->limb[i] + ~low->limb[i];
    d.limb[i] = (uint64_t)carry;
    carry >>= 64;
  }
  return (negative ? -1 : 1) * km_hbs_log2(d.limb, KM_HBS_LIMBS_MAX);
}

static void near(const float *values, size_t column, double expected, uint32_t ply) {
  if (!(fabs(values[column] - expected) <= 2e-6 * fmax(1, fabs(expected))))
    fail_msg("column %zu at ply %u: %.9g instead of %.9g", column, ply, (double)values[column], expected);
}

static void check_local(const slow_board *board, const float *values, uint32_t ply) {
  static slow_chain chain;
  static uint8_t eye[KM_POINT_MAX];
  for (unsigned c = 0; c < 2; c++) {
    uint8_t colour = (uint8_t)(KM_BLACK + c);
    double stones = 0, chains = 0, liberties = 0, atari_chains = 0, atari_stones = 0, eyes = 0;
    slow_true_eyes(board, colour, eye);
    for (unsigned p = 0; p < board->rows * board->cols; p++) {
      eyes += eye[p];
      if (board->stone[p] != colour)
        continue;
      stones++;
      slow_chain_at(board, p, &chain);
      if (chain.stones[0] != p)
        continue;
      chains++;
      liberties += chain.n_liberties;
      atari_chains += chain.n_liberties == 1;
      atari_stones += chain.n_liberties == 1 ? chain.n_stones : 0;
    }
    near(values, KM_WR_STONES_BLACK + c, stones, ply);
    near(values, KM_WR_CHAINS_BLACK + c, chains, ply);
    near(values, KM_WR_LIBERTIES_BLACK + c, liberties, ply);
    near(values, KM_WR_ATARI_CHAINS_BLACK + c, atari_chains, ply);
    near(values, KM_WR_ATARI_STONES_BLACK + c, atari_stones, ply);
    near(values, KM_WR_EYES_BLACK + c, eyes, ply);
    near(values, KM_WR_LOST_BLACK + c, board->prisoners[colour], ply);
  }
}

static void check_hbs(const km_wr_geometry *g, const slow_board *board, const float *values, uint32_t ply) {
  static km_hbs_value layers[KM_HBS_RINGS_MAX + 1];
  uint32_t before = ply > g->window ? ply - g->window : 0;
  for (unsigned c = 0; c < 2; c++) {
    assert_int_equal(km_hbs_of_board(&history[ply][c], layers, board->stone, g->board, g->colour[c].variant, NULL), KM_OK);
    double log2_now = km_hbs_log2(history[ply][c].limb, KM_HBS_LIMBS_MAX);
    near(values, KM_WR_LOG2_BLACK + c, log2_now, ply);
    near(values, KM_WR_DELTA_BLACK + c, log2_now - km_hbs_log2(history[before][c].limb, KM_HBS_LIMBS_MAX), ply);
    near(values, KM_WR_DELTA_S_BLACK + c, signed_log2_of(history[ply][c], history[before][c]), ply);
    for (unsigned k = 0; k < g->n_layers; k++)
      near(values, KM_WR_LAYERS + c * g->n_layers + k, km_hbs_log2(layers[k].limb, KM_HBS_LIMBS_MAX), ply);
  }
  near(values, KM_WR_DIFFERENCE, signed_log2_of(history[ply][0], history[ply][1]), ply);
}

/* A random legal game, with handicap stones; all of its positions. */
static void check_game(unsigned n, const char *variant, unsigned window, uint32_t n_moves) {
  static km_move moves[MOVES_MAX];
  static slow_board board;
  km_setup setup[2] = {{0, (uint16_t)(n + 1), KM_BLACK}, {0, (uint16_t)(2 * n + 1), KM_BLACK}};
  km_wr_geometry g;
  float values[KM_WR_COLUMNS_MAX];
  km_err err = {0};
  if (km_wr_geometry_init(&g, n, variant, window, &err) != KM_OK)
    fail_msg("%s", err.msg);
  km_wr_walk *walk = km_wr_walk_new(&g);
  slow_init(&board, n, n);
  slow_setup(&board, KM_BLACK, setup[0].point);
  slow_setup(&board, KM_BLACK, setup[1].point);
  slow_board start = board;
  for (uint32_t t = 0, tries = 0; t < n_moves; tries++) {
    uint8_t colour = t % 2 ? KM_BLACK : KM_WHITE;
    uint16_t point = (uint16_t)km_random_below(km_random(seed, n, tries, KM_PURPOSE_SAMPLE), n * n + (t > 5));
    km_play_class class = point == n * n ? KM_PLAY_PASS : slow_classify(&board, colour, point);
    if (class > KM_PLAY_PASS)
      continue;
    moves[t++] = (km_move){point, colour, 0};
    slow_play(&board, colour, point);
  }
  km_game game = {.rows = (uint8_t)n, .cols = (uint8_t)n, .handicap = 2, .komi = (float)NAN, .n_moves = n_moves,
                  .moves = moves, .n_setup = 2, .setup = setup, .final_to_play = KM_BLACK};
  board = start;
  km_wr_walk_start(walk, &game);
  for (uint32_t ply = 0;; ply++) {
    assert_int_equal(walk->replay.ply, ply);
    km_wr_walk_row(walk, values);
    near(values, KM_WR_PLY, ply / 100.0, ply);
    near(values, KM_WR_HANDICAP, 2, ply);
    assert_true(values[KM_WR_KOMI] == 0 && values[KM_WR_KOMI_UNKNOWN] == 1 && isnan(values[KM_WR_OPINION]));
    check_local(&board, values, ply);
    check_hbs(&g, &board, values, ply);
    if (km_wr_walk_step(walk) != KM_OK)
      break;
    slow_play(&board, moves[ply].colour, moves[ply].point);
  }
  assert_int_equal(walk->replay.ply, n_moves);
  km_wr_walk_free(walk);
}

static void columns(void **state) {
  (void)state;
  check_game(19, "default", 10, 150);
  check_game(9, "fixed-asc-edge", 1, 220);
  check_game(7, "canon-centre15", 1000, 90);
  check_game(40, "default", 7, 40); /* values of four limbs */
}

static void colours_are_refused(void **state) {
  (void)state;
  km_wr_geometry g;
  km_err err = {0};
  assert_int_equal(km_wr_geometry_init(&g, 19, "white", 10, &err), KM_ERR_USAGE);
  assert_non_null(strstr(err.msg, "leave out the colour"));
  assert_int_equal(km_wr_geometry_init(&g, 19, "sideways", 10, &err), KM_ERR_USAGE);
}

static void effects(void **state) {
  static const double won[] = {50, 53, 57}, lost[] = {49, 49.5, 52, 48};
  static km_wr_effects e;
  (void)state;
  km_position *row = calloc(1, sizeof *row + KM_WR_COLUMNS_MAX * sizeof(float));
  row->ply = 20;
  km_wr_effect found;
  for (size_t i = 0; i < 7; i++) {
    row->won = i < 3;
    row->value[KM_WR_LOG2_BLACK] = (float)(i < 3 ? won[i] : lost[i - 3]);
    km_wr_effects_add(&e, row);
    if (i == 3)
      assert_false(km_wr_effects_at(&e, 0, 20, &found)); /* one game lost */
  }
  row->ply = KM_WR_EFFECT_PLIES; /* left out */
  km_wr_effects_add(&e, row);
  free(row);
  assert_true(km_wr_effects_at(&e, 0, 20, &found));
  double mean_won = 160.0 / 3, mean_lost = 198.5 / 4, square_won = 0, square_lost = 0;
  for (size_t i = 0; i < 7; i++) {
    if (i < 3)
      square_won += (won[i] - mean_won) * (won[i] - mean_won);
    else
      square_lost += (lost[i - 3] - mean_lost) * (lost[i - 3] - mean_lost);
  }
  assert_true(fabs(found.difference - (mean_won - mean_lost)) < 1e-12);
  assert_true(fabs(found.se - sqrt(square_won / 2 / 3 + square_lost / 3 / 4)) < 1e-12);
  assert_true(fabs(found.d - (mean_won - mean_lost) / sqrt((square_won + square_lost) / 5)) < 1e-12);
  assert_false(km_wr_effects_at(&e, 0, 21, &found));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns), cmocka_unit_test(colours_are_refused),
                                     cmocka_unit_test(effects)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
