/* test_store_faults.c: disks that fill, and files that are cut or altered, at points all over them.
 *
 * A full disk is played by a limit on the size of files: lengths all over every output are tried. What is
 * left behind must be nothing, and HDF5 must go on working in the same process. Cut and altered files must
 * give a message, or their content. */
#include "store_fixture.h"

#include "kifumill/manifest.h"
#include "kifumill/outfile.h"
#include "kifumill/store_verify.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* HDF5 1.10 loses memory of its own over object headers with a wrong check sum. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
  return "leak:libhdf5";
}

static rlim_t limit_before;

static void limit_files(rlim_t n_bytes) {
  struct rlimit limit;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
  limit.rlim_cur = n_bytes;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* One kind of file: how to write a small one, giving up at the first error. */
typedef km_status write_some(const char *path, km_err *err);

static km_status write_some_games(const char *path, int n, int n_threads, km_err *err) {
  km_games_writer *writer;
  km_arena arena;
  test_random r = {5};
  km_status status = km_games_writer_open(&writer, path, &test_origin, 0, err);
  if (status)
    return status;
  km_arena_init(&arena);
  for (int i = 0; i < n && !status; i++) {
    km_game game;
    km_arena_reset(&arena);
    random_game(&game, &arena, &r);
    km_game_keys keys = random_keys(&r);
    status = km_games_writer_add(writer, &game, &keys, NULL, err);
  }
  km_arena_clear(&arena);
  if (status) {
    km_games_writer_abandon(writer);
    return status;
  }
  return km_games_writer_finish(writer, n_threads, NULL, err);
}

static km_status write_games(const char *path, km_err *err) {
  return write_some_games(path, 30, 1, err);
}
/* So many that two threads write. */
static km_status write_many_games(const char *path, km_err *err) {
  return write_some_games(path, 4200, 2, err);
}

static km_status append_noise(km_shard_writer *writer, const km_shard_spec *spec, km_err *err) {
  km_block *block = km_block_new(&spec->table);
  test_random r = {9};
  km_status status = KM_OK;
  for (size_t i = 0; i < 4 && !status; i++) {
    km_block_reset(block, i * 100);
    status = km_block_extend(block, 100, err);
    unsigned char *planes = km_block_rows(block, 0);
    for (size_t k = 0; k < 3300 && !status; k++)
      planes[k] = (unsigned char)test_next(&r);
    if (!status)
      status = km_block_pack(block, err);
    if (!status)
      status = km_shard_writer_append(writer, block, err);
  }
  km_block_free(block);
  return status;
}

static km_status write_shard(const char *path, km_err *err) {
  km_shard_spec spec;
  km_shard_writer *writer;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  spec.force = 0;
  km_status status = km_shard_writer_open(&writer, path, &spec, &(km_shard_id){"val", 0, 400}, err);
  if (status)
    return status;
  status = append_noise(writer, &spec, err);
  if (status) {
    km_shard_writer_abandon(writer);
    return status;
  }
  return km_shard_writer_finish(writer, NULL, err);
}

static km_status write_manifest(const char *path, km_err *err) {
  km_shard_entry files[3] = {
      {.name = "a.h5", .split = "train", .n_rows = 5}, {.name = "b.h5", .n_rows = 6}, {.name = "c.h5"}};
  km_manifest_count counts[] = {{"rows", 11}};
  km_manifest manifest = {
      .origin = test_origin, .counts = counts, .n_counts = 1, .files = files, .n_files = 3};
  return km_manifest_write(path, &manifest, 0, err);
}

/* Tries limits from nothing to the whole length. */
static void fill_disk(write_some *write, const char *name, size_t step) {
  char path[512];
  scratch_path(path, name);
  assert_ok(write(path, &test_err));
  size_t n_bytes;
  free(read_file(path, &n_bytes));
  assert_int_equal(unlink(path), 0);
  int n_before = folder_entries(scratch());
  for (size_t limit = 0; limit < n_bytes; limit += step) {
    limit_files(limit);
    km_err err = {0};
    km_status status = write(path, &err);
    limit_files(limit_before);
    if (status != KM_ERR_IO || err.sys_errno != EFBIG || !strstr(err.msg, name) || strchr(err.msg, '\n'))
      fail_msg("limit %zu: status %d, errno %d: %s", limit, status, err.sys_errno, err.msg);
    assert_int_equal(folder_entries(scratch()), n_before);
  }
  assert_ok(write(path, &test_err));
  size_t n_again;
  free(read_file(path, &n_again));
  assert_int_equal(n_again, n_bytes);
  assert_int_equal(unlink(path), 0);
}

static void full_disk_games(void **state) {
  (void)state;
  fill_disk(write_games, "full.games.h5", 1501);
}
static void full_disk_many_games(void **state) {
  (void)state;
  fill_disk(write_many_games, "full.many.h5", 500009);
}
static void full_disk_shard(void **state) {
  (void)state;
  fill_disk(write_shard, "full.shard.h5", 389);
}
static void full_disk_manifest(void **state) {
  (void)state;
  fill_disk(write_manifest, "full.manifest.json", 7);
}

/* What a reader finds in a file: a digest of all content, or an error. */
typedef km_status read_content(const char *path, km_hash128 *content, km_err *err);

static km_status read_games(const char *path, km_hash128 *content, km_err *err) {
  km_games *games;
  km_arena arena;
  km_status status = km_games_open(&games, path, err);
  if (status)
    return status;
  km_arena_init(&arena);
  km_digest *digest = km_digest_new();
  for (uint64_t i = 0; i < km_games_count(games) && !status; i++) {
    km_game game;
    km_game_keys keys;
    km_arena_reset(&arena);
    status = km_games_game(games, i, &arena, &game, err);
    km_games_keys(games, i, &keys);
    if (status)
      break;
    km_digest_add(digest, &keys, sizeof keys);
    km_digest_add(digest, &game.flags, sizeof game.flags);
    km_digest_add(digest, &game.komi, sizeof game.komi);
    km_digest_add(digest, &game.winner, sizeof game.winner);
    km_digest_add(digest, game.moves, game.n_moves * sizeof *game.moves);
    for (int k = 0; k < KM_TEXT_COUNT; k++)
      km_digest_add(digest, game.text[k].bytes, game.text[k].n_bytes);
  }
  *content = km_digest_value(digest);
  km_digest_free(digest);
  km_arena_clear(&arena);
  km_games_close(games);
  return status;
}

static km_status read_hbs(const char *path, km_hash128 *content, km_err *err) {
  km_hbs_store *hbs;
  km_status status = km_hbs_store_open(&hbs, path, err);
  if (status)
    return status;
  uint32_t n_limbs = km_hbs_store_schema(hbs)->shape.n_limbs;
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  km_digest *digest = km_digest_new();
  for (uint64_t i = 0; i < km_hbs_store_n_games(hbs) && !status; i++) {
    km_hbs_store_series series;
    status = km_hbs_store_game(cursor, &(km_hbs_store_what){i, 0, 1}, &series, err);
    if (!status && series.n)
      km_digest_add(digest, series.s, series.n * n_limbs * sizeof *series.s);
  }
  *content = km_digest_value(digest);
  km_digest_free(digest);
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  return status;
}

static km_status read_table(km_h5 *file, const km_table_schema *schema, km_hash128 *content, km_err *err) {
  km_table_reader *reader;
  km_status status = km_table_reader_open(&reader, file, schema, err);
  if (status)
    return status;
  km_table_cursor *cursor = km_table_cursor_new(reader);
  km_digest *digest = km_digest_new();
  for (size_t k = 0; k < schema->n_columns && !status; k++) {
    size_t n = (size_t)km_table_reader_n_rows(reader), row = km_column_row_bytes(&schema->columns[k]);
    void *rows = malloc(n * row + 1);
    status = km_table_read(cursor, k, 0, n, rows, err);
    if (!status)
      km_digest_add(digest, rows, n * row);
    free(rows);
  }
  *content = km_digest_value(digest);
  km_digest_free(digest);
  km_table_cursor_free(cursor);
  km_table_reader_close(reader);
  return status;
}

static km_status read_shard(const char *path, km_hash128 *content, km_err *err) {
  km_shard_spec spec;
  km_h5 *file;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  km_status status = km_h5_open(&file, path, KM_SHARD_FORMAT, err);
  if (status)
    return status;
  status = read_table(file, &spec.table, content, err);
  km_h5_close(file);
  return status;
}

static void count_problem(void *ctx, const char *path, const char *problem) {
  (void)path;
  if (!problem[0] || strchr(problem, '\n'))
    fail_msg("a problem without text, or of several lines: %s", problem);
  ++*(int *)ctx;
}

/* Whether verification finds fault with the file. */
static int faulty(const char *path) {
  km_verify_sum sum;
  km_err err;
  int n = 0;
  km_status status = km_verify_path(path, count_problem, &n, &sum, &err);
  assert_int_equal(n, status ? n : (int)sum.n_problems);
  return status != KM_OK || n > 0;
}

/* Reads a damaged file: an error with a message, or nothing lost. Whatever the reader takes as good,
 * verification may too, and what verification takes as good the reader reads. */
static void check_damaged(read_content *read, const char *path, km_hash128 good, size_t at) {
  km_hash128 content;
  km_err err = {0};
  km_status status = read(path, &content, &err);
  int bad = faulty(path);
  if (status && (!err.msg[0] || strchr(err.msg, '\n')))
    fail_msg("byte %zu: status %d without a proper message", at, status);
  if (!bad && (status || !km_hash128_equal(content, good)))
    fail_msg("byte %zu: damaged content passes verification", at);
}

/* Cuts and alters a file at every step-th byte; the environment's KM_TEST_STEP takes the place of step. */
static void damage(read_content *read, const char *path, size_t step) {
  size_t n_bytes;
  km_hash128 good;
  assert_ok(read(path, &good, &test_err));
  assert_false(faulty(path));
  unsigned char *bytes = read_file(path, &n_bytes);
  const char *given = getenv("KM_TEST_STEP");
  if (given && atoi(given) > 0)
    step = (size_t)atoi(given);
  char damaged[512];
  scratch_path(damaged, "damaged.h5");
  test_random r = {step};
  for (size_t at = test_below(&r, step); at < n_bytes; at += step) {
    unsigned char kept = bytes[at];
    bytes[at] ^= (unsigned char)(1u << test_below(&r, 8));
    write_file(damaged, bytes, n_bytes);
    check_damaged(read, damaged, good, at);
    bytes[at] = kept;
  }
  for (size_t length = test_below(&r, step); length < n_bytes; length += step) {
    write_file(damaged, bytes, length);
    assert_true(faulty(damaged));
    check_damaged(read, damaged, good, length);
  }
  unlink(damaged);
  free(bytes);
}

static void damaged_games(void **state) {
  (void)state;
  char path[512];
  make_games(scratch_path(path, "damage.games.h5"), 11, 3);
  damage(read_games, path, 401);
}

static void damaged_hbs(void **state) {
  (void)state;
  char path[512];
  km_hbs_shape shape = {
      .n_limbs = 2, .n_layers = 1, .n_colours = 1, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};
  make_hbs(scratch_path(path, "damage.hbs.h5"), 12, 2, &shape, 1);
  damage(read_hbs, path, 97);
}

static void damaged_shard(void **state) {
  (void)state;
  char path[512];
  make_shard(scratch_path(path, "damage.zstd.h5"), 13, 200, (km_codec){KM_CODEC_ZSTD, 1}, 64);
  damage(read_shard, path, 97);
  make_shard(scratch_path(path, "damage.gzip.h5"), 13, 200, (km_codec){KM_CODEC_GZIP, 6}, 64);
  damage(read_shard, path, 211);
  make_shard(scratch_path(path, "damage.none.h5"), 13, 200, (km_codec){KM_CODEC_NONE, 0}, 64);
  damage(read_shard, path, 211);
}

/* A manifest is text: every cut, every altered byte gives an error or a manifest. */
static void damaged_manifest(void **state) {
  (void)state;
  char path[512];
  km_manifest *manifest;
  size_t n_bytes;
  assert_ok(write_manifest(scratch_path(path, "damage.json"), &test_err));
  unsigned char *bytes = read_file(path, &n_bytes);
  test_random r = {14};
  for (size_t at = 0; at < n_bytes; at++) {
    unsigned char kept = bytes[at];
    bytes[at] = (unsigned char)test_next(&r);
    write_file(path, bytes, n_bytes);
    if (km_manifest_read(&manifest, path, &test_err) == KM_OK)
      km_manifest_free(manifest);
    else
      assert_true(test_err.msg[0] && !strchr(test_err.msg, '\n'));
    bytes[at] = kept;
    write_file(path, bytes, at);
    if (at + 2 < n_bytes)
      assert_int_equal(km_manifest_read(&manifest, path, &test_err), KM_ERR_FORMAT);
  }
  free(bytes);
}

static int set_up(void **state) {
  (void)state;
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  if (getrlimit(RLIMIT_FSIZE, &limit))
    return -1;
  limit_before = limit.rlim_cur;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(full_disk_manifest), cmocka_unit_test(full_disk_shard),
      cmocka_unit_test(full_disk_games),    cmocka_unit_test(full_disk_many_games),
      cmocka_unit_test(damaged_games),      cmocka_unit_test(damaged_hbs),
      cmocka_unit_test(damaged_shard),      cmocka_unit_test(damaged_manifest),
  };
  int failed = cmocka_run_group_tests_name("store faults", tests, set_up, NULL);
  scratch_remove();
  return failed;
}
