/* test_superko.c: the table against a list of all positions, over long random play on small boards, where nearly every
 * position comes back; and its bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/replay.h"

enum { SEED = 77, MOVES = 600 };

typedef struct history {
  size_t n;
  uint8_t stones[MOVES][16];
  uint8_t mover[MOVES];
} history;

static void record(history *past, const km_board *board, uint8_t mover) {
  for (unsigned p = 0; p < board->n_points; p++)
    past->stones[past->n][p] = km_board_stone(board, p);
  past->mover[past->n++] = mover;
}

/* KM_REPEATS_… by comparing stones. */
static unsigned repeats(const history *past, const km_board *board, uint8_t to_play) {
  unsigned found = 0;
  for (size_t i = 0; i < past->n; i++) {
    unsigned p = 0;
    while (p < board->n_points && past->stones[i][p] == km_board_stone(board, p))
      p++;
    if (p == board->n_points)
      found |= past->mover[i] == to_play ? KM_REPEATS_POSITION | KM_REPEATS_SITUATION : KM_REPEATS_POSITION;
  }
  return found;
}

static void long_play_agrees_with_a_list(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  static history past;
  static km_board board;
  km_arena arena;
  km_arena_init(&arena);
  unsigned n_found[4] = {0};
  for (uint64_t round = 0; round < 40; round++) {
    unsigned rows = 1 + round % 4, cols = 2 + round / 4 % 3;
    km_superko superko;
    km_arena_reset(&arena);
    assert_int_equal(km_superko_init(&superko, &arena, MOVES), KM_OK);
    km_board_init(&board, rows, cols);
    past.n = 0;
    for (uint64_t t = 0; t < MOVES; t++) {
      uint64_t bits = km_random(SEED, round, t, KM_PURPOSE_SAMPLE);
      uint8_t colour = (uint8_t)(1 + (bits >> 20 & 1));
      uint16_t point = (uint16_t)km_random_below(bits, board.n_points);
      if (km_board_classify(&board, colour, point) == KM_PLAY_OCCUPIED)
        continue;
      km_superko_add(&superko, board.hash, colour);
      record(&past, &board, colour);
      km_board_play(&board, colour, point);
      for (uint8_t to_play = KM_BLACK; to_play <= KM_WHITE; to_play++) {
        unsigned want = repeats(&past, &board, to_play);
        assert_int_equal(km_superko_find(&superko, board.hash, to_play), want);
        n_found[want]++;
      }
    }
  }
  assert_true(n_found[0] > 100 && n_found[KM_REPEATS_POSITION] > 100 && n_found[3] > 100);
  km_arena_clear(&arena);
}

/* As many different positions as promised fit, and all are found again. */
static void a_full_table(void **state) {
  (void)state;
  km_arena arena;
  km_arena_init(&arena);
  for (size_t n = 0; n < 200; n++) {
    km_superko superko;
    assert_int_equal(km_superko_init(&superko, &arena, n), KM_OK);
    for (uint64_t i = 0; i < n; i++)
      km_superko_add(&superko, (km_hash128){km_mix64(2 * i), 0}, KM_BLACK); /* all to one slot */
    for (uint64_t i = 0; i < n; i++)
      assert_int_equal(km_superko_find(&superko, (km_hash128){km_mix64(2 * i), 0}, KM_WHITE), KM_REPEATS_POSITION);
    assert_int_equal(km_superko_find(&superko, (km_hash128){km_mix64(1), 0}, KM_WHITE), 0);
  }
  km_superko superko;
  assert_int_equal(km_superko_init(&superko, &arena, (size_t)1 << 33), KM_ERR_LIMIT);
  km_arena_clear(&arena);
}

/* Two passes bring a position and its player back, and are exempt. */
static void passes_are_exempt(void **state) {
  (void)state;
  static km_replay replay;
  km_move moves[] = {{12, 1, 0}, {25, 2, 0}, {25, 1, 0}, {25, 2, 0}, {25, 1, 0}, {0, 2, 0}};
  km_game game = {.rows = 5, .cols = 5, .n_moves = 6, .moves = moves};
  km_arena arena;
  km_superko superko;
  km_arena_init(&arena);
  assert_int_equal(km_superko_init(&superko, &arena, 6), KM_OK);
  km_replay_init(&replay, &game, &(km_replay_options){.ko_rule = KM_KO_SITUATIONAL, .superko = &superko});
  while (km_replay_step(&replay) == KM_OK)
    assert_int_equal(replay.repeats, 0);
  assert_int_equal(replay.ply, 6);
  km_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_play_agrees_with_a_list),
      cmocka_unit_test(a_full_table),
      cmocka_unit_test(passes_are_exempt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
