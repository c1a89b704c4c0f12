/* test_store_readers.c: other readers than ours: h5py and h5dump read every kind of file, zstd through our
 * plugin, gzip without anything; without the plugin they say so. Skipped where they are not installed. */
#include "store_fixture.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef KM_PLUGIN_DIR
#error "KM_PLUGIN_DIR is the folder of the plugin in the build tree"
#endif

enum { N_GAMES = 40, N_ROWS = 333, SKIPPED = 77 };
static const km_codec zstd = {KM_CODEC_ZSTD, 1}, gzip = {KM_CODEC_GZIP, 6}, none = {KM_CODEC_NONE, 0};
static const km_hbs_shape shape = {.n_limbs = 2, .n_colours = 1, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};

static int make_all(void **state) {
  (void)state;
  char path[512];
  km_shard_spec spec;
  km_shard_entry entry;
  make_games(scratch_path(path, "games.h5"), 21, N_GAMES);
  make_hbs(scratch_path(path, "hbs.h5"), 22, 50, &shape, 10);
  make_shard(scratch_path(path, "gzip.h5"), 23, N_ROWS, gzip, 64);
  make_shard(scratch_path(path, "none.h5"), 23, N_ROWS, none, 64);
  entry = make_shard(scratch_path(path, "zstd.h5"), 23, N_ROWS, zstd, 64);
  test_shard_spec(&spec, zstd);
  assert_ok(km_shard_virtual(scratch_path(path, "virtual.h5"), &spec, &entry, 1, NULL, &test_err));
  return 0;
}

/* Runs a command and takes its output, at most capacity - 1 bytes; gives its exit code. */
static int run(const char *command, char *output, size_t capacity) {
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  size_t n = fread(output, 1, capacity - 1, pipe);
  output[n] = 0;
  int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The environment of a reader; a sanitizer's settings are not for it. */
static int run_reader(const char *plugin_path, const char *what, char *output, size_t capacity) {
  char command[2048];
  snprintf(command, sizeof command, "HDF5_PLUGIN_PATH='%s' %s 2>&1", plugin_path, what);
  return run(command, output, capacity);
}

static int run_h5py(const char *plugin_path, const char *mode, char *output, size_t capacity) {
  char what[1024];
  snprintf(what, sizeof what, "/usr/bin/python3 tests/store/read_stores.py '%s' %s", scratch(), mode);
  int code = run_reader(plugin_path, what, output, capacity);
  if (code == SKIPPED || code == 127) {
    print_message("h5py is not installed\n");
    skip();
  }
  return code;
}

static long long number(json_t *root, const char *part, const char *key) {
  json_t *value = json_object_get(json_object_get(root, part), key);
  assert_true(json_is_number(value));
  return (long long)json_number_value(value);
}

static void check_games(json_t *root) {
  test_random r = {21};
  km_arena arena;
  long long n_moves = 0, points = 0, white = 0;
  double komi = 0;
  json_t *names = json_object_get(json_object_get(root, "games"), "black");
  km_arena_init(&arena);
  assert_int_equal(json_array_size(names), N_GAMES);
  for (size_t i = 0; i < N_GAMES; i++) {
    km_game game;
    km_arena_reset(&arena);
    random_game(&game, &arena, &r);
    random_keys(&r);
    n_moves += game.n_moves;
    for (uint32_t t = 0; t < game.n_moves; t++) {
      points += game.moves[t].point;
      white += game.moves[t].colour == KM_WHITE;
    }
    komi += isnan(game.komi) ? 0 : (double)game.komi;
    const char *name = json_string_value(json_array_get(names, i));
    assert_int_equal(name == NULL, game.text[KM_TEXT_BLACK].bytes == NULL);
    if (name) {
      assert_int_equal(strlen(name), game.text[KM_TEXT_BLACK].n_bytes);
      assert_memory_equal(name, game.text[KM_TEXT_BLACK].bytes, game.text[KM_TEXT_BLACK].n_bytes);
    }
  }
  km_arena_clear(&arena);
  assert_int_equal(number(root, "games", "n"), N_GAMES);
  assert_int_equal(number(root, "games", "moves"), n_moves);
  assert_int_equal(number(root, "games", "points"), points);
  assert_int_equal(number(root, "games", "white"), white);
  assert_int_equal(number(root, "games", "komi"), (long long)komi);
}

static void h5py_reads_everything(void **state) {
  (void)state;
  static char output[1 << 18];
  int code = run_h5py(KM_PLUGIN_DIR, "all", output, sizeof output);
  if (code)
    fail_msg("exit %d: %s", code, output);
  json_t *root = json_loads(output, 0, NULL);
  assert_non_null(root);
  check_games(root);
  static const char *const shards[] = {"zstd", "gzip", "none", "virtual"};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(number(root, shards[i], "n"), N_ROWS);
    assert_int_equal(number(root, shards[i], "score"), N_ROWS * (N_ROWS - 1) / 4);
    assert_int_equal(number(root, shards[i], "bits"), number(root, "none", "bits"));
    assert_int_equal(number(root, shards[i], "policy"), number(root, "none", "policy"));
  }
  assert_true(number(root, "none", "bits") > 1000);
  json_decref(root);
}

static void h5py_says_that_the_filter_is_missing(void **state) {
  (void)state;
  char output[4096], empty[512];
  mkdtemp(strcpy(empty, "/tmp/kifumill-empty-XXXXXX"));
  int code = run_h5py(empty, "no-plugin", output, sizeof output);
  rmdir(empty);
  if (code || !output[0])
    fail_msg("exit %d: %s", code, output);
}

static void h5dump_reads_zstd(void **state) {
  (void)state;
  static char with_zstd[1 << 16], with_none[1 << 16];
  char what[1024];
  if (run("command -v h5dump", with_zstd, sizeof with_zstd)) {
    print_message("h5dump is not installed\n");
    skip();
  }
  snprintf(what, sizeof what, "h5dump -y -w 0 -d /policy '%s/zstd.h5' | grep -v '^HDF5'", scratch());
  assert_int_equal(run_reader(KM_PLUGIN_DIR, what, with_zstd, sizeof with_zstd), 0);
  snprintf(what, sizeof what, "h5dump -y -w 0 -d /policy '%s/none.h5' | grep -v '^HDF5'", scratch());
  assert_int_equal(run_reader(KM_PLUGIN_DIR, what, with_none, sizeof with_none), 0);
  assert_string_equal(with_zstd, with_none);
  assert_true(strlen(with_none) > 1000);
}

/* What another program compresses with the filter, we read: h5repack writes through the plugin. */
static void reads_what_the_plugin_writes(void **state) {
  (void)state;
  char output[4096], what[1600], path[512];
  if (run("command -v h5repack", output, sizeof output)) {
    print_message("h5repack is not installed\n");
    skip();
  }
  snprintf(what, sizeof what,
           "h5repack --low=2 --high=2 -f /policy:SHUF -f /policy:UD=32015,0,1,5 '%s' '%s/repacked.h5'",
           scratch_path(path, "none.h5"), scratch());
  if (run_reader(KM_PLUGIN_DIR, what, output, sizeof output))
    fail_msg("%s", output);
  km_h5 *file;
  km_h5_info info;
  int16_t ours[N_ROWS], theirs[N_ROWS];
  km_column policy = {.name = "/policy", .type = KM_I16};
  assert_ok(km_h5_open(&file, path, NULL, &test_err));
  assert_ok(km_h5_read(file, &policy, 0, N_ROWS, ours, &test_err));
  km_h5_close(file);
  assert_ok(km_h5_open(&file, scratch_path(path, "repacked.h5"), NULL, &test_err));
  assert_ok(km_h5_find(file, "/policy", &info, &test_err));
  assert_int_equal(info.codec.kind, KM_CODEC_ZSTD);
  assert_int_equal(info.codec.level, 5);
  assert_ok(km_h5_read(file, &policy, 0, N_ROWS, theirs, &test_err));
  km_h5_close(file);
  assert_memory_equal(ours, theirs, sizeof ours);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(h5py_reads_everything),
      cmocka_unit_test(h5py_says_that_the_filter_is_missing),
      cmocka_unit_test(h5dump_reads_zstd),
      cmocka_unit_test(reads_what_the_plugin_writes),
  };
  int failed = cmocka_run_group_tests_name("other readers", tests, make_all, NULL);
  scratch_remove();
  return failed;
}
