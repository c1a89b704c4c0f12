/* test_store_games.c: games.h5 gives back what was put in, whatever was dropped, and the same bytes every time. */
#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

static void writes_and_reads(void **state) {
  (void)state;
  enum { N = 700 };
  const uint64_t seed = 20240501;
  print_message("seed %llu\n", (unsigned long long)seed);
  char path[512];
  make_games(scratch_path(path, "games.h5"), seed, N);
  km_games *games;
  assert_ok(km_games_open(&games, path, &test_err));
  assert_int_equal(km_games_count(games), N);
  test_random r = {seed};
  km_arena made, read;
  km_arena_init(&made);
  km_arena_init(&read);
  uint64_t n_moves = 0;
  for (int i = 0; i < N; i++) {
    km_game a, b;
    km_arena_reset(&made);
    km_arena_reset(&read);
    random_game(&a, &made, &r);
    km_game_keys keys = random_keys(&r), stored;
    assert_ok(km_games_game(games, (uint64_t)i, &read, &b, &test_err));
    assert_same_game(&a, &b);
    km_games_keys(games, (uint64_t)i, &stored);
    assert_true(km_hash128_equal(keys.hash, stored.hash) && km_hash128_equal(keys.split_key, stored.split_key));
    assert_int_equal(km_games_n_moves(games, (uint64_t)i), a.n_moves);
    assert_int_equal(km_games_move_offsets(games)[i], n_moves);
    n_moves += a.n_moves;
    uint8_t rows, cols;
    km_games_size(games, (uint64_t)i, &rows, &cols);
    assert_true(rows == a.rows && cols == a.cols);
    assert_int_equal(km_games_text(games, (uint64_t)i, KM_TEXT_EVENT).n_bytes, a.text[KM_TEXT_EVENT].n_bytes);
    if (i % 100 == 99)
      km_games_release(games, (uint64_t)i - 99, 100);
  }
  assert_int_equal(km_games_n_moves_total(games), n_moves);
  km_game none;
  assert_int_equal(km_games_game(games, N, &read, &none, &test_err), KM_ERR_USAGE);
  km_arena_clear(&made);
  km_arena_clear(&read);
  km_games_close(games);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_and_reads),
  };
  int failed = cmocka_run_group_tests_name("games store", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
