/* test_store_tables.c: hbs.h5 and shards: the bytes depend on the rows, not on how they came in blocks; the
 * last partial chunk is kept; readers give back every row; threads may read together. */
#include "store_fixture.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void blocks_do_not_show(void **state) {
  (void)state;
  static const size_t block_rows[] = {1, 7, 63, 64, 65, 128, 200, 1000};
  char first[512], other[512];
  for (size_t n_rows = 0; n_rows <= 330; n_rows += n_rows < 63 ? 63 : n_rows < 66 ? 1 : 66) {
    make_shard(scratch_path(first, "blocks.0.h5"), 5, n_rows, (km_codec){KM_CODEC_ZSTD, 1}, 64);
    for (size_t i = 0; i < sizeof block_rows / sizeof block_rows[0]; i++) {
      make_shard(scratch_path(other, "blocks.1.h5"), 5, n_rows, (km_codec){KM_CODEC_ZSTD, 1}, block_rows[i]);
      assert_same_file(first, other);
    }
  }
  km_hbs_shape shape = {
      .n_limbs = 2, .n_layers = 3, .n_colours = 2, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};
  make_hbs(scratch_path(first, "blocks.0.h5"), 5, 100, &shape, 1);
  make_hbs(scratch_path(other, "blocks.1.h5"), 5, 100, &shape, 37);
  assert_same_file(first, other);
  make_hbs(other, 5, 100, &shape, 100);
  assert_same_file(first, other);
}

/* D07: five rows after sixteen are a dataset of five. */
static void last_chunk_is_exact(void **state) {
  (void)state;
  char path[512];
  km_h5 *file;
  km_h5_info info;
  for (size_t n = 0; n < 200; n += 61) {
    km_shard_entry entry = make_shard(scratch_path(path, "exact.h5"), 6, n, (km_codec){KM_CODEC_GZIP, 6}, 64);
    assert_int_equal(entry.n_rows, n);
    assert_string_equal(entry.name, "exact.h5");
    assert_string_equal(entry.split, "train");
    assert_int_equal(entry.index, 3);
    assert_ok(km_h5_open(&file, path, KM_SHARD_FORMAT, &test_err));
    assert_ok(km_h5_find(file, "/planes", &info, &test_err));
    assert_int_equal(info.n_rows, n);
    assert_int_equal(info.inner_rank, 2);
    assert_int_equal(info.inner[0] * info.inner[1], 33);
    assert_int_equal(info.chunk_rows, 64);
    km_h5_close(file);
  }
}

/* Rows through our cursor and through HDF5's filters are the same, for every codec. */
static void codecs_agree(void **state) {
  (void)state;
  enum { N = 333 };
  static const km_codec codecs[] = {
      {KM_CODEC_NONE, 0}, {KM_CODEC_GZIP, 1}, {KM_CODEC_GZIP, 12}, {KM_CODEC_ZSTD, 1}, {KM_CODEC_ZSTD, 19}};
  unsigned char first[N * 33], ours[N * 33], theirs[N * 33];
  float score[N], score_theirs[N];
  char path[512];
  for (size_t c = 0; c < sizeof codecs / sizeof codecs[0]; c++) {
    make_shard(scratch_path(path, "codec.h5"), 8, N, codecs[c], 100);
    km_shard_spec spec;
    km_h5 *file;
    km_table_reader *reader;
    test_shard_spec(&spec, codecs[c]);
    assert_ok(km_h5_open(&file, path, KM_SHARD_FORMAT, &test_err));
    assert_ok(km_table_reader_open(&reader, file, &spec.table, &test_err));
    assert_int_equal(km_table_reader_n_rows(reader), N);
    km_table_cursor *cursor = km_table_cursor_new(reader);
    assert_ok(km_table_read(cursor, 0, 0, N, ours, &test_err));
    assert_ok(km_table_read(cursor, 2, 0, N, score, &test_err));
    km_column planes = spec.table.columns[0], scores = spec.table.columns[2];
    planes.name = "/planes";
    scores.name = "/score";
    assert_ok(km_h5_read(file, &planes, 0, N, theirs, &test_err));
    assert_ok(km_h5_read(file, &scores, 0, N, score_theirs, &test_err));
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_memory_equal(score, score_theirs, sizeof score);
    for (int i = 0; i < N; i++)
      assert_true(score[i] == (float)i / 2);
    if (c == 0)
      memcpy(first, ours, sizeof first);
    assert_memory_equal(first, ours, sizeof first);
    test_random r = {77};
    for (int i = 0; i < 200; i++) {
      uint64_t at = test_below(&r, N + 1), n = test_below(&r, N + 1 - at);
      assert_ok(km_table_read(cursor, 0, at, n, theirs, &test_err));
      assert_memory_equal(theirs, ours + at * 33, n * 33);
    }
    assert_int_equal(km_table_read(cursor, 0, N, 1, theirs, &test_err), KM_ERR_FORMAT);
    assert_int_equal(km_table_read(cursor, 0, 5, UINT64_MAX, theirs, &test_err), KM_ERR_FORMAT);
    km_table_cursor_free(cursor);
    km_table_reader_close(reader);
    km_h5_close(file);
  }
}

static void series_come_back(void **state) {
  (void)state;
  enum { N = 60 };
  char path[512];
  km_hbs_shape shape = {
      .n_limbs = 2, .n_layers = 4, .n_colours = 2, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};
  make_hbs(scratch_path(path, "series.h5"), 31, N, &shape, 9);
  km_hbs_store *hbs;
  assert_ok(km_hbs_store_open(&hbs, path, &test_err));
  assert_int_equal(km_hbs_store_n_games(hbs), N);
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  const uint64_t *offsets = km_hbs_store_offsets(hbs);
  for (uint64_t i = 0; i < N; i++)
    for (unsigned c = 0; c < 2; c++) {
      km_hbs_store_series series;
      assert_ok(km_hbs_store_game(cursor, &(km_hbs_store_what){i, c, 1}, &series, &test_err));
      assert_int_equal(series.n, offsets[i + 1] - offsets[i]);
      for (uint64_t t = 0; t < series.n; t++) {
        uint64_t p = offsets[i] + t;
        assert_true(series.log2[t] == (double)p / 3);
        assert_int_equal(series.layers[t * 8], p);
        for (uint64_t k = 0; k < 2; k++)
          assert_int_equal(series.s[2 * t + k], km_mix64(31 + c) ^ (km_mix64(31 + (2 * p + k) / 7) & 0xff00));
      }
    }
  km_hbs_store_series series;
  assert_int_equal(km_hbs_store_game(cursor, &(km_hbs_store_what){N, 0, 0}, &series, &test_err),
                   KM_ERR_USAGE);
  assert_int_equal(km_hbs_store_game(cursor, &(km_hbs_store_what){0, 2, 0}, &series, &test_err),
                   KM_ERR_USAGE);
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
}

static void mistakes_are_refused(void **state) {
  (void)state;
  char path[512];
  km_shard_spec spec;
  km_shard_writer *writer;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  assert_ok(km_shard_writer_open(&writer, scratch_path(path, "mistake.h5"), &spec,
                                 &(km_shard_id){"test", 0, 500}, &test_err));
  km_block *block = km_block_new(&spec.table);
  km_block_reset(block, 5);
  assert_ok(km_block_extend(block, 100, &test_err));
  assert_ok(km_block_pack(block, &test_err));
  assert_int_equal(km_shard_writer_append(writer, block, &test_err), KM_ERR_STATE); /* not at row 0 */
  km_block_reset(block, 0);
  assert_ok(km_block_extend(block, 100, &test_err));
  assert_int_equal(km_shard_writer_append(writer, block, &test_err), KM_ERR_STATE); /* not packed */
  assert_ok(km_block_pack(block, &test_err));
  assert_ok(km_shard_writer_append(writer, block, &test_err));
  km_shard_writer_abandon(writer);
  km_block_free(block);
  assert_false(file_exists(path));
  km_table_schema large = spec.table;
  large.chunk_rows = 40000;
  assert_int_equal(km_table_check(&large, &test_err), KM_ERR_USAGE);
  large.chunk_rows = 0;
  assert_int_equal(km_table_check(&large, &test_err), KM_ERR_USAGE);
}

typedef struct shared {
  const km_table_reader *reader;
  const unsigned char *expected;
  int failed;
} shared;

static void *read_in_thread(void *data) {
  shared *s = data;
  unsigned char rows[700 * 33];
  km_err err;
  km_table_cursor *cursor = km_table_cursor_new(s->reader);
  test_random r = {(uint64_t)(uintptr_t)&cursor};
  for (int i = 0; i < 100 && cursor && !s->failed; i++) {
    uint64_t at = test_below(&r, 700), n = test_below(&r, 701 - at);
    if (km_table_read(cursor, 0, at, n, rows, &err) || memcmp(rows, s->expected + at * 33, n * 33))
      s->failed = 1;
  }
  km_table_cursor_free(cursor);
  return NULL;
}

/* D13: sixteen threads read one file, while others are opened and written. */
static void threads_read_together(void **state) {
  (void)state;
  enum { N_THREADS = 16, N = 700 };
  static unsigned char expected[N * 33];
  char path[512], other[512];
  make_shard(scratch_path(path, "threads.h5"), 9, N, (km_codec){KM_CODEC_ZSTD, 1}, 64);
  km_shard_spec spec;
  km_h5 *file;
  km_table_reader *reader;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  assert_ok(km_h5_open(&file, path, KM_SHARD_FORMAT, &test_err));
  assert_ok(km_table_reader_open(&reader, file, &spec.table, &test_err));
  km_table_cursor *cursor = km_table_cursor_new(reader);
  assert_ok(km_table_read(cursor, 0, 0, N, expected, &test_err));
  km_table_cursor_free(cursor);
  pthread_t threads[N_THREADS];
  shared s[N_THREADS];
  for (int i = 0; i < N_THREADS; i++) {
    s[i] = (shared){reader, expected, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, read_in_thread, &s[i]), 0);
  }
  for (int i = 0; i < 3; i++)
    make_shard(scratch_path(other, "threads.other.h5"), 10, N, (km_codec){KM_CODEC_ZSTD, 1}, 50);
  for (int i = 0; i < N_THREADS; i++) {
    pthread_join(threads[i], NULL);
    assert_false(s[i].failed);
  }
  km_table_reader_close(reader);
  km_h5_close(file);
}

static const km_column two_widths[] = {
    {.name = "wide", .type = KM_U8, .inner_rank = 1, .inner = {100}, .doc = "100 bytes"},
    {.name = "narrow", .type = KM_U32, .doc = "4 bytes"},
};

/* A shard of two columns with chunks of 8 and 32 rows, in blocks that are packed every `piece` rows. */
static void make_two_widths(const char *path, size_t n_rows, size_t block_rows, size_t piece) {
  km_shard_spec spec;
  km_shard_writer *writer;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  spec.table.columns = two_widths;
  spec.table.n_columns = 2;
  spec.table.chunk_rows = 8;
  spec.table.narrow_times = 4;
  assert_ok(km_shard_writer_open(&writer, path, &spec, &(km_shard_id){"train", 0, n_rows}, &test_err));
  km_block *block = km_block_new(&spec.table);
  for (size_t first = 0; first < n_rows; first += block_rows) {
    size_t end = first + block_rows < n_rows ? first + block_rows : n_rows;
    km_block_reset(block, first);
    for (size_t at = first; at < end; at += piece) {
      size_t n = end - at < piece ? end - at : piece;
      assert_ok(km_block_add(block, n, &test_err));
      for (size_t i = 0; i < n; i++) {
        memset((char *)km_block_last(block, 0, n) + 100 * i, (int)(at + i), 100);
        ((uint32_t *)km_block_last(block, 1, n))[i] = (uint32_t)(at + i);
      }
      assert_ok(km_block_pack(block, &test_err));
    }
    assert_int_equal(km_block_n_rows(block), end - first);
    assert_ok(km_shard_writer_append(writer, block, &test_err));
  }
  km_block_free(block);
  assert_ok(km_shard_writer_finish(writer, NULL, &test_err));
}

static void narrow_columns_have_long_chunks(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{32, 8},  {5, 5},   {8, 3},   {40, 40},
                                    {100, 8}, {100, 7}, {33, 16}, {300, 300}};
  char first[512], other[512];
  km_h5 *file;
  km_h5_info info;
  for (size_t n_rows = 0; n_rows <= 200; n_rows += n_rows < 30 ? 5 : 17) {
    make_two_widths(scratch_path(first, "widths.0.h5"), n_rows, 1, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
      make_two_widths(scratch_path(other, "widths.1.h5"), n_rows, sizes[i][0], sizes[i][1]);
      assert_same_file(first, other);
    }
    uint32_t row;
    uint8_t wide[100];
    km_table_schema schema = {.group = "", .columns = two_widths, .n_columns = 2};
    km_table_reader *reader;
    assert_ok(km_h5_open(&file, first, KM_SHARD_FORMAT, &test_err));
    assert_ok(km_h5_find(file, "/narrow", &info, &test_err));
    assert_int_equal(info.chunk_rows, 32);
    assert_int_equal(info.n_rows, n_rows);
    assert_ok(km_table_reader_open(&reader, file, &schema, &test_err));
    km_table_cursor *cursor = km_table_cursor_new(reader);
    for (uint32_t i = 0; i < n_rows; i++) {
      assert_ok(km_table_read(cursor, 1, i, 1, &row, &test_err));
      assert_ok(km_table_read(cursor, 0, i, 1, wide, &test_err));
      assert_int_equal(row, i);
      assert_int_equal(wide[0], i);
      assert_int_equal(wide[99], i);
    }
    assert_ok(km_table_verify(reader, &test_err));
    km_table_cursor_free(cursor);
    km_table_reader_close(reader);
    km_h5_close(file);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(narrow_columns_have_long_chunks),
      cmocka_unit_test(blocks_do_not_show),
      cmocka_unit_test(last_chunk_is_exact),
      cmocka_unit_test(codecs_agree),
      cmocka_unit_test(series_come_back),
      cmocka_unit_test(mistakes_are_refused),
      cmocka_unit_test(threads_read_together),
  };
  int failed = cmocka_run_group_tests_name("store tables", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
