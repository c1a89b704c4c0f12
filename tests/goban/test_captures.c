/* test_captures.c: what moves take, against the board, in random games of any size that fill and empty
 * the board; and games that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/captures.h"
#include "kifumill/hash.h"
#include "kifumill/replay.h"

enum { SEED = 5, MOVES = 900 };

static int compare_points(const km_captures *captures, const km_board *board) {
  if (captures->n_captured != board->n_captured)
    return 0;
  uint64_t there = 0, here = 0; /* sums of hashes: sets, whatever their order */
  for (unsigned i = 0; i < board->n_captured; i++) {
    there += km_mix64(board->captured[i]);
    here += km_mix64(captures->captured[i]);
  }
  return there == here;
}

/* Random set-up of the root, mostly such as games have. */
static uint32_t make_setup(km_setup *setup, unsigned n_points, uint64_t random) {
  uint32_t n = (uint32_t)(random % 4 ? 0 : random / 4 % 10);
  for (uint32_t i = 0; i < n; i++)
    setup[i] =
        (km_setup){0, (uint16_t)(km_mix64(random + i) % n_points), (uint8_t)(1 + km_mix64(random ^ i) % 2)};
  return n;
}

/* Whether the set-up is one that is not refused: no point twice, every chain with a liberty. */
static int is_plain(const km_game *game, const km_board *board) {
  for (uint32_t i = 0; i < game->n_setup; i++) {
    for (uint32_t k = 0; k < i; k++)
      if (game->setup[k].point == game->setup[i].point)
        return 0;
    unsigned cell = board->cell[km_board_site(board, game->setup[i].point)];
    if ((board->chain[cell & KM_CELL_HEAD].liberties & 0xffff) == 0)
      return 0;
  }
  return 1;
}

static unsigned n_ko;

/* Plays random points until one is refused, and sees that it is out of the ordinary. Points that are taken
 * are mostly left out, or games would be short. */
static unsigned play_game(unsigned rows, unsigned cols, uint64_t seed) {
  static km_captures captures;
  static km_board board;
  static km_setup setup[10];
  km_game game = {.rows = (uint8_t)rows, .cols = (uint8_t)cols, .setup = setup};
  game.n_setup = make_setup(setup, rows * cols, km_mix64(seed));
  km_board_init(&board, rows, cols);
  km_board_setup_all(&board, setup, game.n_setup);
  assert_int_equal(km_captures_init(&captures, &game), is_plain(&game, &board));
  if (!is_plain(&game, &board))
    return 0;
  unsigned n_taken = 0;
  km_hash128 hash = km_captures_setup_hash(&game);
  assert_true(km_hash128_equal(hash, board.hash));
  for (uint64_t t = 0; t < MOVES; t++) {
    uint64_t random = km_mix64(seed * MOVES + t);
    km_move move = {(uint16_t)(random % (rows * cols + 1)), (uint8_t)(1 + (random >> 40) % 2), 0};
    km_play_class class = km_board_classify(&board, move.colour, move.point);
    if ((class == KM_PLAY_OCCUPIED || class == KM_PLAY_SUICIDE) && (seed % 3 || (random >> 50) % 16))
      continue;
    int is_good = class == KM_PLAY_LEGAL || class == KM_PLAY_PASS || class == KM_PLAY_KO;
    assert_int_equal(km_captures_play(&captures, move), is_good);
    if (!is_good)
      break;
    km_board_play(&board, move.colour, move.point);
    assert_true(compare_points(&captures, &board));
    if (class == KM_PLAY_PASS)
      continue;
    hash = km_hash128_xor(hash, km_captures_hash(&captures, move));
    assert_true(km_hash128_equal(hash, board.hash));
    assert_int_equal(km_captures_starts_ko(&captures, move), board.ko != KM_POINT_OFFBOARD);
    n_ko += board.ko != KM_POINT_OFFBOARD;
    n_taken += board.n_captured;
  }
  return n_taken;
}

static void takes_what_the_board_takes(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  unsigned n_taken = 0;
  for (unsigned size = 1; size <= 21; size++)
    for (uint64_t i = 0; i < 12; i++) {
      n_taken += play_game(size, size, SEED + 1000 * size + i);
      n_taken += play_game(1 + size % 7, size, SEED + 500 * size + i);
    }
  for (uint64_t i = 0; i < 3; i++)
    n_taken += play_game(KM_BOARD_MAX, KM_BOARD_MAX, SEED + i);
  assert_true(n_taken > 5000);
  assert_true(n_ko > 100);
}

static void refuses_what_is_unusual(void **state) {
  (void)state;
  static km_captures captures;
  static const km_setup later = {1, 3, KM_BLACK}, empty = {0, 3, KM_EMPTY}, beyond = {0, 81, KM_BLACK};
  static const km_setup *const rows[] = {&later, &empty, &beyond};
  for (size_t i = 0; i < 3; i++) {
    km_setup setup = *rows[i];
    assert_false(
        km_captures_init(&captures, &(km_game){.rows = 9, .cols = 9, .n_setup = 1, .setup = &setup}));
  }
  assert_true(km_captures_init(&captures, &(km_game){.rows = 9, .cols = 9}));
  assert_true(km_captures_play(&captures, (km_move){81, KM_BLACK, 0})); /* a pass */
  assert_false(km_captures_play(&captures, (km_move){KM_POINT_OFFBOARD, KM_BLACK, 0}));
  assert_false(km_captures_play(&captures, (km_move){KM_POINT_BAD, KM_BLACK, 0}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_what_the_board_takes),
      cmocka_unit_test(refuses_what_is_unusual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
