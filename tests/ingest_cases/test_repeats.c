/* test_repeats.c: repetitions by chains of equal stone counts against comparing every pair of positions, in random play
 * on boards so small that positions come again and again; and what happens when a chain is too long. */
#include "repeats.h"

#include "kifumill/board.h"
#include "kifumill/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOVES = 400, GAMES = 300 };

/* 1 when an earlier position is the same. */
static unsigned seen_before(const km_hash128 *hashes, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (km_hash128_equal(hashes[i], hashes[n]))
      return 1;
  return 0;
}

/* Returns how many positions came again. */
static unsigned play_game(km_repeats *repeats, uint64_t seed, unsigned side) {
  km_hash128 hashes[MOVES + 1];
  km_board board;
  unsigned n = 0, n_seen = 0;
  uint32_t n_placed = 0;
  assert_int_equal(km_repeats_begin(repeats, side * side, MOVES, NULL), KM_OK);
  km_board_init(&board, side, side);
  hashes[n++] = board.hash;
  assert_int_equal(km_repeats_visit(repeats, 0, board.hash), KM_REPEATS_NEW);
  for (unsigned k = 0; k < MOVES; k++) {
    uint16_t point = (uint16_t)(km_random(seed, k, 0, KM_PURPOSE_SHUFFLE) % (side * side));
    uint8_t colour = (uint8_t)(1 + k % 2);
    if (km_board_try(&board, colour, point) != KM_PLAY_LEGAL)
      continue;
    hashes[n] = board.hash;
    unsigned expected = seen_before(hashes, n++);
    n_seen += expected;
    uint32_t n_stones = ++n_placed - board.prisoners[KM_BLACK] - board.prisoners[KM_WHITE];
    km_repeats_answer answer = km_repeats_visit(repeats, n_stones, board.hash);
    if (answer != KM_REPEATS_UNKNOWN)
      assert_int_equal(answer, expected);
    else
      assert_true(side > 2); /* chains of 2x2 are short */
  }
  return n_seen;
}

static void test_like_comparing_all_pairs(void **state) {
  (void)state;
  static km_repeats repeats;
  unsigned n_seen[6] = {0};
  for (uint64_t seed = 0; seed < GAMES; seed++)
    n_seen[2 + seed % 4] += play_game(&repeats, seed, 2 + seed % 4);
  for (unsigned side = 2; side <= 4; side++)
    assert_true(n_seen[side] > 10);
  km_repeats_clear(&repeats);
}

static void test_a_long_chain_is_given_up(void **state) {
  (void)state;
  static km_repeats repeats;
  assert_int_equal(km_repeats_begin(&repeats, 361, 2000, NULL), KM_OK);
  for (uint64_t i = 0; i < 2000; i++) {
    km_repeats_answer answer = km_repeats_visit(&repeats, 7, (km_hash128){i, ~i});
    assert_int_equal(answer, i < KM_REPEATS_CHAIN ? KM_REPEATS_NEW : KM_REPEATS_UNKNOWN);
  }
  assert_int_equal(km_repeats_visit(&repeats, 7, (km_hash128){0, ~(uint64_t)0}), KM_REPEATS_SEEN);
  km_repeats_clear(&repeats);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_like_comparing_all_pairs),
      cmocka_unit_test(test_a_long_chain_is_given_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
