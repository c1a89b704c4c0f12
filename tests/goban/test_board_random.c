/* test_board_random.c: random play, overwriting and set-up on boards of many sizes against the slow board: after every
 * change the stones, every chain's stones and liberties, ko, captures, prisoners and hash agree, and km_board_check
 * is content. Moves taken back leave the board as it was, byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/board.h"
#include "slow_board.h"

enum { SEED = 20240607 };

typedef struct random_source {
  uint64_t state;
} random_source;

static unsigned draw(random_source *random, unsigned below) {
  random->state += 0x9e3779b97f4a7c15u;
  return (unsigned)km_random_below(km_mix64(random->state), below);
}

static int compare_points(const void *a, const void *b) { return *(const uint16_t *)a - *(const uint16_t *)b; }

/* Turns sites into points in ascending order. */
static void sort_sites(const km_board *board, uint16_t *sites, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    sites[i] = km_board_point(board, sites[i]);
  qsort(sites, n, sizeof sites[0], compare_points);
}

static void assert_same_chain(const km_board *board, const slow_board *slow, unsigned point) {
  static slow_chain want;
  static uint16_t sites[KM_POINT_MAX];
  slow_chain_at(slow, point, &want);
  unsigned chain = km_board_chain(board, point);
  assert_int_equal(km_board_chain_size(board, point), want.n_stones);
  assert_int_equal(km_board_liberties(board, point), want.n_liberties);
  assert_int_equal(km_chain_stones(board, chain, sites), want.n_stones);
  sort_sites(board, sites, want.n_stones);
  assert_memory_equal(sites, want.stones, want.n_stones * sizeof sites[0]);
  assert_int_equal(km_chain_liberty_sites(board, chain, sites, KM_POINT_MAX), want.n_liberties);
  sort_sites(board, sites, want.n_liberties);
  assert_memory_equal(sites, want.liberties, want.n_liberties * sizeof sites[0]);
  if (want.n_liberties == 1)
    assert_int_equal(km_board_point(board, km_chain_last_liberty(board, chain)), want.liberties[0]);
  if (want.n_liberties > 1)
    assert_int_equal(km_chain_liberty_sites(board, chain, sites, 1), 1);
  for (unsigned i = 0; i < want.n_stones; i++)
    assert_int_equal(km_board_chain(board, want.stones[i]), chain);
}

/* chains: how many points to look at in depth (all if it is no less than the points). */
static void assert_same(km_board *board, const slow_board *slow, random_source *random, unsigned chains) {
  unsigned n = slow->rows * slow->cols;
  const char *wrong = km_board_check(board);
  if (wrong)
    fail_msg("km_board_check: %s", wrong);
  for (unsigned p = 0; p < n; p++) {
    assert_int_equal(km_board_stone(board, p), slow->stone[p]);
    for (int c = 0; c < 2; c++)
      assert_int_equal(board->stones[c][p / 8] >> (7 - p % 8) & 1, slow->stone[p] == c + 1);
  }
  for (unsigned i = 0; i < chains && i < n; i++) {
    unsigned p = chains >= n ? i : draw(random, n);
    if (slow->stone[p])
      assert_same_chain(board, slow, p);
  }
  uint8_t colour;
  uint16_t ko = km_board_ko(board, &colour);
  assert_int_equal(ko, slow->ko < 0 ? KM_POINT_OFFBOARD : slow->ko);
  assert_int_equal(colour, slow->ko < 0 ? KM_EMPTY : slow->ko_colour);
  assert_int_equal(board->prisoners[KM_BLACK], slow->prisoners[KM_BLACK]);
  assert_int_equal(board->prisoners[KM_WHITE], slow->prisoners[KM_WHITE]);
  assert_int_equal(board->n_captured, slow->n_captured);
  qsort(board->captured, board->n_captured, sizeof board->captured[0], compare_points);
  assert_memory_equal(board->captured, slow->captured, slow->n_captured * sizeof slow->captured[0]);
}

/* The board without its captured list, in memory that was 0 before. */
static void snapshot(km_board *copy, const km_board *board) {
  memset(copy, 0, sizeof *copy);
  km_board_copy(copy, board);
  copy->n_captured = 0;
  memset(copy->captured, 0, sizeof copy->captured);
}

/* Plays up to depth random moves, suicides and passes among them, and takes them back. */
static void assert_undo(const km_board *board, random_source *random, unsigned depth) {
  static km_board work, before, after;
  km_undo undo[64];
  unsigned n_played = 0;
  km_board_copy(&work, board);
  snapshot(&before, &work);
  for (unsigned i = 0; i < depth; i++) {
    uint8_t colour = (uint8_t)(1 + draw(random, 2));
    uint16_t point = (uint16_t)draw(random, work.n_points + 1u);
    if (km_board_classify(&work, colour, point) != KM_PLAY_OCCUPIED)
      km_board_play_undo(&work, colour, point, &undo[n_played++]);
  }
  assert_null(km_board_check(&work));
  while (n_played > 0)
    km_board_undo(&work, &undo[--n_played]);
  snapshot(&after, &work);
  assert_memory_equal(&before, &after, sizeof before);
}

/* A hash made anew: the stones put on an empty board one by one in another order. */
static km_hash128 hash_of(const slow_board *slow) {
  static km_board fresh;
  km_board_init(&fresh, slow->rows, slow->cols);
  for (unsigned p = slow->rows * slow->cols; p-- > 0;)
    if (slow->stone[p])
      km_board_setup(&fresh, slow->stone[p], (uint16_t)p);
  return fresh.hash;
}

/* One random change of both boards. */
static void change(km_board *board, slow_board *slow, random_source *random) {
  unsigned n = slow->rows * slow->cols, what = draw(random, 100);
  uint8_t colour = (uint8_t)(1 + draw(random, 2));
  uint16_t point = (uint16_t)draw(random, n);
  if (what < 3) {
    colour = (uint8_t)draw(random, 3);
    km_board_setup(board, colour, point);
    slow_setup(slow, colour, point);
  } else if (what < 6) {
    if (draw(random, 2))
      point = (uint16_t)n;
    km_board_play(board, colour, point); /* whatever it is */
    slow_play(slow, colour, point);
  } else {
    km_play_class want = slow_classify(slow, colour, point);
    assert_int_equal(km_board_classify(board, colour, point), want);
    km_hash128 after = want == KM_PLAY_OCCUPIED ? board->hash : km_board_hash_after(board, colour, point);
    assert_int_equal(km_board_try(board, colour, point), want);
    if (want == KM_PLAY_SUICIDE)
      km_board_play(board, colour, point);
    if (want == KM_PLAY_LEGAL || want == KM_PLAY_SUICIDE) {
      slow_play(slow, colour, point);
      assert_true(km_hash128_equal(board->hash, after));
    }
  }
}

static void random_play(unsigned rows, unsigned cols, unsigned n_changes, unsigned every) {
  static km_board board;
  static slow_board slow;
  random_source random = {km_mix64(SEED ^ ((uint64_t)rows << 32) ^ cols)};
  km_board_init(&board, rows, cols);
  slow_init(&slow, rows, cols);
  for (unsigned i = 0; i < n_changes; i++) {
    change(&board, &slow, &random);
    if (i % every)
      continue;
    assert_same(&board, &slow, &random, rows * cols <= 100 ? rows * cols : 10);
    assert_true(km_hash128_equal(board.hash, hash_of(&slow)));
    assert_undo(&board, &random, 1 + draw(&random, 40));
  }
}

static void small_boards_agree_after_every_change(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  for (unsigned rows = 1; rows <= 7; rows++)
    for (unsigned cols = 1; cols <= 7; cols++)
      random_play(rows, cols, 300, 1);
}

static void large_boards_agree(void **state) {
  (void)state;
  static const struct {
    unsigned rows, cols, n_changes, every;
  } sizes[] = {{9, 9, 1500, 2},   {13, 13, 1500, 5}, {19, 19, 2500, 10}, {20, 20, 1500, 20}, {52, 52, 9000, 450},
               {1, 52, 1000, 10}, {52, 1, 1000, 10}, {13, 9, 1000, 5},   {9, 13, 1000, 5},   {52, 19, 3000, 200}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    random_play(sizes[i].rows, sizes[i].cols, sizes[i].n_changes, sizes[i].every);
}

/* Set-up in one go is set-up one by one; points off the board are left out. */
static void setup_in_one_go(void **state) {
  (void)state;
  static km_board once, singly;
  random_source random = {SEED};
  for (unsigned round = 0; round < 200; round++) {
    unsigned rows = 1 + draw(&random, 12), cols = 1 + draw(&random, 12), n = rows * cols;
    km_setup setup[200];
    km_board_init(&once, rows, cols);
    km_board_init(&singly, rows, cols);
    for (unsigned i = 0; i < 200; i++) {
      /* The first half only puts stones, the second removes some; now and then one lies off the board. */
      uint8_t colour = (uint8_t)(i < 100 ? 1 + draw(&random, 2) : draw(&random, 3));
      setup[i] = (km_setup){0, (uint16_t)draw(&random, n), colour};
      if (i % 50 == 7)
        setup[i].point = i % 100 == 7 ? KM_POINT_OFFBOARD : (uint16_t)n;
      else
        km_board_setup(&singly, colour, setup[i].point);
    }
    km_board_setup_all(&once, setup, 200);
    assert_null(km_board_check(&once));
    assert_true(km_hash128_equal(once.hash, singly.hash));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_boards_agree_after_every_change),
      cmocka_unit_test(large_boards_agree),
      cmocka_unit_test(setup_in_one_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
