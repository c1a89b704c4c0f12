/* test_store_memory.c: every allocation of ours fails in turn, in writing, reading and verifying every kind
 * of file: the result is KM_ERR_NOMEM and nothing left behind (no leak either, under the address sanitizer).
 * HDF5's own allocations are not among them. */
#include "store_fixture.h"

#include "kifumill/outfile.h"
#include "kifumill/store_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Allocation number `fails` from now fails; -1: none. Others go to the C library (LINKER:--wrap). */
static long fails = -1;
static int may_allocate(void) {
  if (fails < 0)
    return 1;
  return fails-- != 0;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
void *__wrap_malloc(size_t n) {
  return may_allocate() ? __real_malloc(n) : NULL;
}
void *__wrap_calloc(size_t n, size_t size) {
  return may_allocate() ? __real_calloc(n, size) : NULL;
}
void *__wrap_realloc(void *p, size_t n) {
  return may_allocate() ? __real_realloc(p, n) : NULL;
}
char *__wrap_strdup(const char *text) {
  return may_allocate() ? __real_strdup(text) : NULL;
}

static char games_path[512], hbs_path[512], shard_path[512], manifest_path[512], out_path[512];
static const km_hbs_shape shape = {
    .n_limbs = 2, .n_layers = 2, .n_colours = 1, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};
static km_game game;
static km_arena game_arena;

static km_status write_games(km_err *err) {
  km_games_writer *writer;
  km_status status = km_games_writer_open(&writer, out_path, &test_origin, 0, err);
  if (status)
    return status;
  for (int i = 0; i < 5 && !status; i++)
    status = km_games_writer_add(writer, &game, &(km_game_keys){0}, NULL, err);
  if (!status)
    status = km_games_writer_drop(writer, 2, err);
  if (status) {
    km_games_writer_abandon(writer);
    return status;
  }
  return km_games_writer_finish(writer, 1, NULL, err);
}

static km_status read_games(km_err *err) {
  km_games *games;
  km_arena arena;
  km_game read;
  km_status status = km_games_open(&games, games_path, err);
  if (status)
    return status;
  km_arena_init(&arena);
  status = km_games_game(games, 1, &arena, &read, err);
  km_arena_clear(&arena);
  km_games_close(games);
  return status;
}

static km_status fill_table(km_block *block, uint64_t n, km_err *err) {
  if (!block)
    return KM_ERR_NOMEM;
  km_block_reset(block, 0);
  km_status status = km_block_extend(block, n, err);
  return status ? status : km_block_pack(block, err);
}

static km_status write_hbs(km_err *err) {
  km_hbs_schema schema;
  km_hbs_writer *writer;
  const uint64_t offsets[3] = {0, 100, 9000};
  km_status status = km_hbs_schema_init(&schema, &shape, err);
  if (!status)
    status = km_hbs_writer_open(&writer, out_path, &schema, &test_origin, 0, err);
  if (status)
    return status;
  km_block *block = km_block_new(&schema.table);
  status = km_hbs_writer_offsets(writer, offsets, 2, err);
  if (!status)
    status = fill_table(block, 9000, err);
  if (!status)
    status = km_hbs_writer_append(writer, block, err);
  km_block_free(block);
  if (status) {
    km_hbs_writer_abandon(writer);
    return status;
  }
  return km_hbs_writer_finish(writer, err);
}

static km_status read_hbs(km_err *err) {
  km_hbs_store *hbs;
  km_hbs_store_series series;
  km_status status = km_hbs_store_open(&hbs, hbs_path, err);
  if (status)
    return status;
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  status = cursor ? km_hbs_store_game(cursor, &(km_hbs_store_what){1, 0, 1}, &series, err) : KM_ERR_NOMEM;
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  return status;
}

static km_status write_shard(km_err *err) {
  km_shard_spec spec;
  km_shard_writer *writer;
  km_shard_entry entry;
  test_shard_spec(&spec, (km_codec){KM_CODEC_GZIP, 6});
  spec.force = 0;
  km_status status = km_shard_writer_open(&writer, out_path, &spec, &(km_shard_id){"test", 1, 300}, err);
  if (status)
    return status;
  km_block *block = km_block_new(&spec.table);
  status = fill_table(block, 300, err);
  if (!status)
    status = km_shard_writer_append(writer, block, err);
  km_block_free(block);
  if (status) {
    km_shard_writer_abandon(writer);
    return status;
  }
  return km_shard_writer_finish(writer, &entry, err);
}

static km_status write_manifest(km_err *err) {
  km_shard_entry files[2] = {{.name = "a.h5"}, {.name = "b.h5"}};
  km_manifest_count counts[1] = {{"rows", 0}};
  km_manifest manifest = {
      .origin = test_origin, .counts = counts, .n_counts = 1, .files = files, .n_files = 2};
  return km_manifest_write(out_path, &manifest, 0, err);
}

static km_status read_manifest(km_err *err) {
  km_manifest *manifest;
  km_status status = km_manifest_read(&manifest, manifest_path, err);
  if (!status)
    km_manifest_free(manifest);
  return status;
}

static km_status verify(const char *path, km_err *err) {
  km_verify_sum sum;
  km_status status = km_verify_path(path, NULL, NULL, &sum, err);
  assert_int_equal(sum.n_problems, 0); /* want of memory is no fault of the file */
  return status;
}
static km_status verify_games(km_err *err) {
  return verify(games_path, err);
}
static km_status verify_hbs(km_err *err) {
  return verify(hbs_path, err);
}
static km_status verify_shard(km_err *err) {
  return verify(shard_path, err);
}

static km_status put_text(km_err *err) {
  km_outfile *out;
  static char large[100000];
  memset(large, 'x', sizeof large - 1);
  km_status status = km_outfile_open(&out, out_path, 0, err);
  if (status)
    return status;
  status = km_outfile_printf(out, err, "%s", large);
  if (status) {
    km_outfile_abandon(out);
    return status;
  }
  return km_outfile_finish(out, err);
}

/* Runs an operation with allocation 0, 1, 2, … failing, until none is left to fail. An output counts as there
 * once it is renamed: what fails later (syncing its folder, its digest) does not take it away. */
static void fail_each(km_status (*run)(km_err *err)) {
  for (long n = 0;; n++) {
    km_err err = {0};
    unlink(out_path);
    int n_before = folder_entries(scratch());
    fails = n;
    km_status status = run(&err);
    int all_done = fails >= 0;
    fails = -1;
    if (all_done) {
      assert_ok_at(status, &err, __FILE__, __LINE__);
      assert_true(n > 0);
      break;
    }
    if (status != KM_ERR_NOMEM)
      fail_msg("allocation %ld: status %d: %s", n, status, err.msg);
    unlink(out_path);
    assert_int_equal(folder_entries(scratch()), n_before);
  }
  unlink(out_path);
}

static void writing(void **state) {
  (void)state;
  fail_each(put_text);
  fail_each(write_games);
  fail_each(write_hbs);
  fail_each(write_shard);
  fail_each(write_manifest);
}

static void reading(void **state) {
  (void)state;
  fail_each(read_games);
  fail_each(read_hbs);
  fail_each(read_manifest);
  fail_each(verify_games);
  fail_each(verify_hbs);
  fail_each(verify_shard);
}

static int set_up(void **state) {
  (void)state;
  test_random r = {3};
  make_games(scratch_path(games_path, "games.h5"), 1, 5);
  make_hbs(scratch_path(hbs_path, "hbs.h5"), 2, 3, &shape, 1);
  make_shard(scratch_path(shard_path, "shard.h5"), 3, 100, (km_codec){KM_CODEC_ZSTD, 1}, 64);
  scratch_path(out_path, "manifest.json");
  assert_ok(write_manifest(&test_err));
  assert_int_equal(rename(out_path, scratch_path(manifest_path, "read.json")), 0);
  scratch_path(out_path, "out");
  km_arena_init(&game_arena);
  random_game(&game, &game_arena, &r);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(writing), cmocka_unit_test(reading)};
  int failed = cmocka_run_group_tests_name("store memory", tests, set_up, NULL);
  km_arena_clear(&game_arena);
  scratch_remove();
  return failed;
}
