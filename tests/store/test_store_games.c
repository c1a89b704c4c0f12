/* test_store_games.c: games.h5 gives back what was put in, whatever was dropped, and the same bytes every
 * time. */
#include "store_fixture.h"

#include <stdio.h>
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
    assert_true(km_hash128_equal(keys.hash, stored.hash) &&
                km_hash128_equal(keys.split_key, stored.split_key));
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

/* Writes those of n games that keep says, in one of two ways: never adding the others, or dropping them
 * later. */
static void write_kept(const char *path, int n, const char *keep, int by_dropping) {
  km_games_writer *writer;
  km_arena arena;
  test_random r = {99};
  uint64_t index, n_kept = 0;
  int expected = 0;
  km_arena_init(&arena);
  assert_ok(km_games_writer_open(&writer, path, &test_origin, 1, &test_err));
  for (int i = 0; i < n; i++) {
    km_game game;
    km_arena_reset(&arena);
    random_game(&game, &arena, &r);
    km_game_keys keys = random_keys(&r);
    expected += keep[i] == 'k';
    if (keep[i] != 'k' && !by_dropping)
      continue;
    assert_ok(km_games_writer_add(writer, &game, &keys, &index, &test_err));
    if (by_dropping)
      assert_int_equal(index, i);
  }
  for (int i = n - 1; i >= 0 && by_dropping; i--)
    if (keep[i] != 'k') {
      assert_ok(km_games_writer_drop(writer, (uint64_t)i, &test_err));
      assert_ok(km_games_writer_drop(writer, (uint64_t)i, &test_err)); /* twice is once */
    }
  if (by_dropping)
    assert_int_equal(km_games_writer_drop(writer, (uint64_t)n, &test_err), KM_ERR_STATE);
  assert_ok(km_games_writer_finish(writer, 1, &n_kept, &test_err));
  assert_int_equal(n_kept, expected);
  km_arena_clear(&arena);
}

/* So many games that rows and lists are written side by side. */
static void write_many(const char *path, int n_threads) {
  enum { N = 5000 };
  km_games_writer *writer;
  km_arena arena;
  test_random r = {11};
  km_arena_init(&arena);
  assert_ok(km_games_writer_open(&writer, path, &test_origin, 1, &test_err));
  for (uint64_t i = 0; i < N; i++) {
    km_game game;
    km_arena_reset(&arena);
    random_game(&game, &arena, &r);
    km_game_keys keys = random_keys(&r);
    assert_ok(km_games_writer_add(writer, &game, &keys, NULL, &test_err));
    if (i % 7 == 3)
      assert_ok(km_games_writer_drop(writer, i / 2, &test_err));
  }
  assert_ok(km_games_writer_finish(writer, n_threads, NULL, &test_err));
  km_arena_clear(&arena);
}

static void threads_write_the_same(void **state) {
  (void)state;
  char a[512], b[512];
  write_many(scratch_path(a, "one.h5"), 1);
  write_many(scratch_path(b, "two.h5"), 2);
  assert_same_file(a, b);
}

static void dropped_games_leave_no_trace(void **state) {
  (void)state;
  static const char *const patterns[] = {"kkkkkkkkkk", "kddkkdkkkd", "dddddddddk", "dddddddddd",
                                         "dkdkdkdkdk"};
  char a[512], b[512];
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
    write_kept(scratch_path(a, "kept.h5"), 10, patterns[i], 0);
    write_kept(scratch_path(b, "dropped.h5"), 10, patterns[i], 1);
    assert_same_file(a, b);
  }
  km_games *games;
  write_kept(a, 10, patterns[3], 1);
  assert_ok(km_games_open(&games, a, &test_err)); /* no game at all */
  assert_int_equal(km_games_count(games), 0);
  assert_int_equal(km_games_n_moves_total(games), 0);
  km_games_release(games, 0, 10);
  km_games_close(games);
}

static void same_games_same_bytes(void **state) {
  (void)state;
  char a[512], b[512];
  km_games *first, *second;
  make_games(scratch_path(a, "same.a.h5"), 4, 200);
  make_games(scratch_path(b, "same.b.h5"), 4, 200);
  assert_same_file(a, b);
  assert_ok(km_games_open(&first, a, &test_err));
  make_games(b, 5, 200);
  assert_ok(km_games_open(&second, b, &test_err));
  assert_false(km_hash128_equal(km_games_digest(first), km_games_digest(second)));
  km_games_close(first);
  km_games_close(second);
}

/* What was added can be read back before it is finished, whether it is still in memory or not; and then
 * without its moves. */
static void games_are_read_back(void **state) {
  (void)state;
  enum { N = 900 };
  char path[512];
  km_games_writer *writer;
  km_games *games;
  km_arena made, read;
  test_random r = {41}, again = {41};
  km_arena_init(&made);
  km_arena_init(&read);
  assert_ok(km_games_writer_open(&writer, scratch_path(path, "back.h5"), &test_origin, 1, &test_err));
  for (int i = 0; i < N; i++) {
    km_game a, b;
    km_arena_reset(&made);
    random_game(&a, &made, &r);
    km_game_keys keys = random_keys(&r);
    assert_ok(km_games_writer_add(writer, &a, &keys, NULL, &test_err));
    if (i % 7)
      continue;
    km_arena_reset(&read);
    assert_ok(km_games_writer_read(writer, (uint64_t)i, &read, &b, &test_err));
    assert_true(a.rows == b.rows && a.cols == b.cols && a.n_moves == b.n_moves && a.n_setup == b.n_setup);
    assert_memory_equal(a.moves, b.moves, a.n_moves * sizeof *a.moves);
    assert_int_equal(a.text[KM_TEXT_ENTRY].n_bytes, b.text[KM_TEXT_ENTRY].n_bytes);
    assert_int_equal(a.flags, b.flags);
  }
  km_game none;
  assert_int_equal(km_games_writer_read(writer, N, &read, &none, &test_err), KM_ERR_STATE);
  assert_ok(km_games_writer_finish(writer, 1, NULL, &test_err));
  assert_ok(km_games_open(&games, path, &test_err));
  for (uint64_t i = 0; i < N; i++) {
    km_game a, b;
    km_arena_reset(&made);
    random_game(&a, &made, &again);
    random_keys(&again);
    assert_ok(km_games_info(games, i, &b, &test_err));
    assert_true(b.moves == NULL && b.setup == NULL && b.evals == NULL);
    b.moves = a.moves;
    b.setup = a.setup;
    b.evals = a.evals;
    assert_same_game(&a, &b);
  }
  assert_int_equal(km_games_info(games, N, &none, &test_err), KM_ERR_USAGE);
  km_games_close(games);
  km_arena_clear(&made);
  km_arena_clear(&read);
}

static void add_plain(km_games_writer *writer, const char *black, const char *entry) {
  km_move moves[2] = {{0, KM_BLACK, 0}, {81, KM_WHITE, 0}};
  km_game game = {.rows = 9,
                  .cols = 9,
                  .final_to_play = KM_BLACK,
                  .n_moves = 2,
                  .moves = moves,
                  .komi = NAN,
                  .margin = NAN,
                  .flags = 1};
  game.text[KM_TEXT_BLACK] = (km_text){black, (uint32_t)strlen(black)};
  game.text[KM_TEXT_ENTRY] = (km_text){entry, (uint32_t)strlen(entry)};
  assert_ok(km_games_writer_add(writer, &game, &(km_game_keys){0}, NULL, &test_err));
}

/* 40,000 games of which every name is new, or one of a few: the heap holds each once, beyond the size of the
 * first table. */
static void equal_texts_are_stored_once(void **state) {
  (void)state;
  enum { N = 40000 };
  char path[512], name[32], entry[32];
  km_games_writer *writer;
  km_games *games;
  assert_ok(km_games_writer_open(&writer, scratch_path(path, "texts.h5"), &test_origin, 1, &test_err));
  for (int i = 0; i < N; i++) {
    snprintf(name, sizeof name, "%05d", i % 2 ? i : i % 50);
    snprintf(entry, sizeof entry, "%d.sgf", i / 3);
    add_plain(writer, name, entry);
  }
  km_games_writer_set_flags(writer, 7, 6);
  km_games_writer_set_flags(writer, N, 6); /* no such game: nothing */
  assert_ok(km_games_writer_finish(writer, 1, NULL, &test_err));
  assert_ok(km_games_open(&games, path, &test_err));
  const char *third = km_games_text(games, 2, KM_TEXT_BLACK).bytes;
  for (uint64_t i = 0; i < N; i++) {
    km_text text = km_games_text(games, i, KM_TEXT_BLACK);
    snprintf(name, sizeof name, "%05d", (int)(i % 2 ? i : i % 50));
    assert_int_equal(text.n_bytes, 5);
    assert_memory_equal(text.bytes, name, 5);
    if (i % 50 == 2)
      assert_ptr_equal(text.bytes, third);
    text = km_games_text(games, i, KM_TEXT_ENTRY);
    snprintf(entry, sizeof entry, "%d.sgf", (int)i / 3);
    assert_int_equal(text.n_bytes, strlen(entry));
    assert_memory_equal(text.bytes, entry, text.n_bytes);
    assert_null(km_games_text(games, i, KM_TEXT_EVENT).bytes);
  }
  km_arena arena;
  km_game game;
  km_arena_init(&arena);
  assert_ok(km_games_game(games, 7, &arena, &game, &test_err));
  assert_int_equal(game.flags, 7);
  km_arena_clear(&arena);
  km_games_close(games);
}

static void impossible_games_are_refused(void **state) {
  (void)state;
  char path[512];
  km_games_writer *writer;
  km_move moves[1] = {{81, KM_BLACK, 0}};
  km_setup setup[2] = {{1, 5, KM_BLACK}, {0, 6, KM_BLACK}};
  km_eval eval = {.ply = 2};
  km_game good = {.rows = 9,
                  .cols = 9,
                  .final_to_play = KM_WHITE,
                  .n_moves = 1,
                  .moves = moves,
                  .setup = setup,
                  .evals = &eval};
  km_game bad[9] = {good, good, good, good, good, good, good, good, good};
  bad[0].rows = 0;
  bad[1].cols = 53;
  bad[2].ending = 8;
  bad[3].rules = 9;
  bad[4].final_to_play = 0;
  bad[5].rows = 8;    /* 81 is beyond the pass */
  bad[6].n_setup = 2; /* falling plies */
  bad[7].n_evals = 1; /* behind the end */
  bad[8].moves = (km_move[]){{3, KM_EMPTY, 0}};
  assert_ok(km_games_writer_open(&writer, scratch_path(path, "impossible.h5"), &test_origin, 1, &test_err));
  for (int i = 0; i < 9; i++)
    assert_int_equal(km_games_writer_add(writer, &bad[i], &(km_game_keys){0}, NULL, &test_err), KM_ERR_STATE);
  assert_ok(km_games_writer_add(writer, &good, &(km_game_keys){0}, NULL, &test_err));
  assert_int_equal(km_games_writer_count(writer), 1);
  km_games_writer_abandon(writer);
  assert_false(file_exists(path));
}

static void says_what_it_cannot_open(void **state) {
  (void)state;
  char path[512], shard[512];
  km_games *games;
  assert_int_equal(km_games_open(&games, "/nonexistent.h5", &test_err), KM_ERR_IO);
  assert_string_equal(test_err.msg, "cannot open /nonexistent.h5: No such file or directory");
  assert_int_equal(km_games_open(&games, scratch(), &test_err), KM_ERR_FORMAT);
  write_file(scratch_path(path, "text.h5"), "no HDF5", 7);
  assert_int_equal(km_games_open(&games, path, &test_err), KM_ERR_FORMAT);
  assert_non_null(strstr(test_err.msg, "text.h5 is not a readable HDF5 file"));
  make_shard(scratch_path(shard, "shard.h5"), 1, 10, (km_codec){KM_CODEC_NONE, 0}, 10);
  assert_int_equal(km_games_open(&games, shard, &test_err), KM_ERR_FORMAT);
  assert_non_null(
      strstr(test_err.msg, "shard.h5 is a file of \"kifumill shard\", not of \"kifumill games\""));
}

/* A config larger than HDF5's 64 KiB for a compact attribute, and a command line with anything in it. */
static void origin_is_kept_whole(void **state) {
  (void)state;
  char path[512], *config = malloc(100001), *text = NULL;
  km_h5 *file;
  uint64_t seed = 0;
  memset(config, 'c', 100000);
  config[100000] = 0;
  km_store_origin origin = {
      .command = "kifu-ingest 'ü \"x\"\n'", .config = config, .seed = UINT64_MAX, .input_digest = NULL};
  assert_ok(km_h5_create(&file, scratch_path(path, "origin.h5"), "kifumill test", &origin, 0, &test_err));
  assert_ok(km_h5_put_f64(file, "/", "ratio", 0.1, &test_err));
  assert_ok(km_h5_finish(file, &test_err));
  assert_int_equal(km_h5_create(&file, path, "kifumill test", &origin, 0, &test_err), KM_ERR_STATE);
  assert_ok(km_h5_open(&file, path, "kifumill test", &test_err));
  assert_ok(km_h5_get_text(file, "/", "config", &text, &test_err));
  assert_string_equal(text, config);
  free(text);
  assert_ok(km_h5_get_text(file, "/", "command", &text, &test_err));
  assert_string_equal(text, origin.command);
  free(text);
  assert_ok(km_h5_get_text(file, "/", "input_digest", &text, &test_err));
  assert_string_equal(text, "");
  free(text);
  assert_ok(km_h5_get_u64(file, "/", "seed", &seed, &test_err));
  assert_true(seed == UINT64_MAX);
  double ratio = 0;
  assert_ok(km_h5_get_f64(file, "/", "ratio", &ratio, &test_err));
  assert_true(ratio == 0.1);
  assert_int_equal(km_h5_get_text(file, "/", "seed", &text, &test_err), KM_ERR_FORMAT);
  assert_int_equal(km_h5_get_u64(file, "/", "nothing", &seed, &test_err), KM_ERR_FORMAT);
  assert_false(km_h5_exists(file, "/a/b/c"));
  km_h5_close(file);
  free(config);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(writes_and_reads),
      cmocka_unit_test(threads_write_the_same),
      cmocka_unit_test(dropped_games_leave_no_trace),
      cmocka_unit_test(same_games_same_bytes),
      cmocka_unit_test(equal_texts_are_stored_once),
      cmocka_unit_test(impossible_games_are_refused),
      cmocka_unit_test(says_what_it_cannot_open),
      cmocka_unit_test(origin_is_kept_whole),
      cmocka_unit_test(games_are_read_back),
  };
  int failed = cmocka_run_group_tests_name("games store", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
