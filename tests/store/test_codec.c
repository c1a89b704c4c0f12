/* test_codec.c: every codec, level and element size gives back what it was given, and refuses everything
 * else. */
#include "plane_matches.h"
#include "row_matches.h"
#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

static void parses_names(void **state) {
  (void)state;
  static const struct {
    const char *text, *printed;
  } good[] = {{"none", "none"},       {"gzip", "gzip:6"}, {"gzip:1", "gzip:1"},
              {"gzip:12", "gzip:12"}, {"zstd", "zstd:1"}, {"zstd:22", "zstd:22"}};
  static const char *const bad[] = {"",        "lz4",     "zstd:",   "zstd:0",
                                    "zstd:23", "zstd:-1", "zstd:1x", "zstd: 1",
                                    "gzip:13", "none:1",  "zstdx",   "gzip:99999999999999999999",
                                    "ZSTD"};
  km_codec codec;
  char text[16];
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    assert_ok(km_codec_parse(&codec, good[i].text, &test_err));
    km_codec_print(codec, text);
    assert_string_equal(text, good[i].printed);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(km_codec_parse(&codec, bad[i], &test_err), KM_ERR_USAGE);
}

static void shuffles_like_hdf5(void **state) {
  (void)state;
  unsigned char in[24], out[24], back[24], expected[24];
  for (int i = 0; i < 24; i++)
    in[i] = (unsigned char)(i * 7);
  for (size_t width = 1; width <= 12; width++) {
    size_t n = 24 / width;
    for (size_t b = 0; b < width; b++)
      for (size_t i = 0; i < n; i++)
        expected[b * n + i] = in[i * width + b];
    km_shuffle(out, in, n, width);
    assert_memory_equal(out, expected, n * width);
    km_unshuffle(back, out, n, width);
    assert_memory_equal(back, in, n * width);
  }
}

static void fill(unsigned char *bytes, size_t n, int kind, test_random *r) {
  for (size_t i = 0; i < n; i++)
    bytes[i] = kind == 0   ? 0
               : kind == 1 ? (unsigned char)test_next(r)
                           : (unsigned char)(test_below(r, 20) ? i / 64 : test_next(r));
}

static void round_trips(void **state) {
  (void)state;
  static const char *const names[] = {"none", "gzip:1", "gzip:6", "gzip:12", "zstd:1", "zstd:3", "zstd:19"};
  static const size_t sizes[] = {8, 64, 4096, 65536, 200192};
  static const size_t widths[] = {1, 2, 4, 8};
  test_random r = {3};
  unsigned char *raw = malloc(200192), *back = malloc(200192);
  for (size_t c = 0; c < sizeof names / sizeof names[0]; c++) {
    km_codec codec;
    assert_ok(km_codec_parse(&codec, names[c], &test_err));
    km_codec_ctx *ctx = km_codec_ctx_new(codec);
    unsigned char *packed = malloc(km_codec_bound(codec, 200192));
    assert_non_null(ctx);
    for (size_t s = 0; s < 5; s++)
      for (size_t w = 0; w < 4; w++)
        for (int kind = 0; kind < 3; kind++) {
          size_t n = sizes[s], n_packed = 0;
          fill(raw, n, kind, &r);
          assert_ok(km_codec_pack(ctx, packed, &n_packed, raw, n, widths[w], &test_err));
          assert_true(n_packed <= km_codec_bound(codec, n));
          memset(back, 0xaa, n);
          assert_ok(km_codec_unpack(ctx, back, n, packed, n_packed, widths[w], &test_err));
          assert_memory_equal(back, raw, n);
          assert_int_equal(km_codec_unpack(ctx, back, n - 8, packed, n_packed, widths[w], &test_err),
                           KM_ERR_FORMAT);
          assert_int_equal(km_codec_unpack(ctx, back, n, packed, n_packed - 1, widths[w], &test_err),
                           KM_ERR_FORMAT);
        }
    free(packed);
    km_codec_ctx_free(ctx);
  }
  free(raw);
  free(back);
}

/* A context that has packed other things gives the same bytes as a fresh one. */
static void bytes_depend_on_input_only(void **state) {
  (void)state;
  test_random r = {4};
  unsigned char raw[8192], other[8192];
  fill(raw, sizeof raw, 2, &r);
  fill(other, sizeof other, 1, &r);
  for (int kind = KM_CODEC_NONE; kind <= KM_CODEC_ZSTD; kind++) {
    km_codec codec = {(uint8_t)kind, kind ? 3 : 0};
    size_t bound = km_codec_bound(codec, sizeof raw), n_a, n_b;
    unsigned char *a = malloc(bound), *b = malloc(bound);
    km_codec_ctx *fresh = km_codec_ctx_new(codec), *used = km_codec_ctx_new(codec);
    for (int i = 0; i < 5; i++)
      assert_ok(km_codec_pack(used, b, &n_b, other, sizeof other - 8u * (unsigned)i, 8, &test_err));
    assert_ok(km_codec_pack(fresh, a, &n_a, raw, sizeof raw, 8, &test_err));
    assert_ok(km_codec_pack(used, b, &n_b, raw, sizeof raw, 8, &test_err));
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a);
    km_codec_ctx_free(fresh);
    km_codec_ctx_free(used);
    free(a);
    free(b);
  }
}

/* Rows that repeat themselves after `period` bytes, but for a byte here and there, in their own ways. */
static void fill_planes(unsigned char *raw, size_t n_bytes, size_t row_bytes, size_t period, test_random *r) {
  for (size_t i = 0; i < n_bytes; i++) {
    uint64_t kind = test_below(r, 40), at = i % row_bytes;
    if (at >= period && kind)
      raw[i] = raw[i - period];
    else
      raw[i] = kind < 30 ? 0 : kind < 35 ? 0xff : (unsigned char)test_next(r);
  }
  if (test_below(r, 3) == 0) /* the padding of a last chunk */
    memset(raw + n_bytes / 2, 0, n_bytes - n_bytes / 2);
  if (test_below(r, 6) == 0) /* no planes at all */
    for (size_t i = n_bytes / 3; i < n_bytes; i++)
      raw[i] = (unsigned char)test_next(r);
}

/* What a context is told of the bytes. */
typedef struct expected {
  km_content content;
  size_t row_bytes, period;
} expected;

/* Packed bytes come back, and are those of a new context: nothing is left over from the chunk before. */
static void assert_comes_back(km_codec_ctx *ctx, km_codec codec, expected what, const unsigned char *raw,
                              size_t n_bytes) {
  size_t n_packed, n_again, room = km_codec_bound(codec, n_bytes);
  unsigned char *back = malloc(n_bytes), *packed = malloc(room), *again = malloc(room);
  km_codec_expect(ctx, what.content, what.row_bytes, what.period);
  assert_ok(km_codec_pack(ctx, packed, &n_packed, raw, n_bytes, 1, &test_err));
  assert_ok(km_codec_unpack(ctx, back, n_bytes, packed, n_packed, 1, &test_err));
  assert_memory_equal(back, raw, n_bytes);
  km_codec_ctx *fresh = km_codec_ctx_new(codec);
  km_codec_expect(fresh, what.content, what.row_bytes, what.period);
  assert_ok(km_codec_pack(fresh, again, &n_again, raw, n_bytes, 1, &test_err));
  assert_int_equal(n_again, n_packed);
  assert_memory_equal(again, packed, n_packed);
  km_codec_ctx_free(fresh);
  free(back);
  free(packed);
  free(again);
}

/* What is packed by matches comes back through the plain decompressor, for rows and periods of any length, in
 * chunks below and beyond the 128 KiB at which zstd splits. */
static void matches_come_back(void **state) {
  (void)state;
  const km_codec zstd1 = {KM_CODEC_ZSTD, 1};
  test_random r = {7};
  km_codec_ctx *ctx = km_codec_ctx_new(zstd1);
  for (int round = 0; round < 400; round++) {
    size_t row_bytes = round % 4 == 0 ? 782 : 2 + test_below(&r, round % 4 == 1 ? 80 : 5000);
    size_t period = row_bytes == 782 ? 92 : 1 + test_below(&r, row_bytes - 1);
    size_t n_rows = 1 + test_below(&r, (round % 8 < 4 ? 400000 : 20000) / row_bytes + 1),
           n_bytes = n_rows * row_bytes;
    unsigned char *raw = malloc(n_bytes);
    fill_planes(raw, n_bytes, row_bytes, period, &r);
    assert_comes_back(ctx, zstd1, (expected){KM_CONTENT_PLANES, row_bytes, period}, raw, n_bytes);
    free(raw);
  }
  km_codec_ctx_free(ctx);
}

/* The matches themselves: literals and matches cover the rows, and every match repeats what is offset bytes
 * before it. */
static void matches_are_true(void **state) {
  (void)state;
  enum { ROOM = 20000 };
  test_random r = {8};
  km_match *matches = malloc(ROOM * sizeof *matches);
  for (int round = 0; round < 500; round++) {
    size_t row_bytes = 2 + test_below(&r, round % 2 ? 200 : 1000), period = 1 + test_below(&r, row_bytes - 1);
    size_t n_rows = 1 + test_below(&r, 20), n_bytes = n_rows * row_bytes, at = 0, n_matched = 0;
    unsigned char *raw = malloc(n_bytes); /* exactly, so that reading beyond it shows */
    fill_planes(raw, n_bytes, row_bytes, period, &r);
    size_t n = km_plane_matches(matches, ROOM, raw, n_rows, row_bytes, period);
    for (size_t i = 0; i < n; i++) {
      const km_match *m = &matches[i];
      at += m->n_literals;
      assert_true(m->length >= KM_MATCH_LEAST && m->offset <= at && at + m->length <= n_bytes);
      assert_true(m->offset == 1 || m->offset == period);
      for (uint32_t k = 0; k < m->length; k++)
        assert_int_equal(raw[at + k], raw[at + k - m->offset]);
      at += m->length;
      n_matched += m->length;
    }
    assert_true(at <= n_bytes && n_matched <= n_bytes);
    assert_int_equal(km_plane_matches(matches, n ? n - 1 : 0, raw, n_rows, row_bytes, period),
                     0); /* no room */
    free(raw);
  }
  unsigned char zeros[1000] = {0};
  assert_int_equal(km_plane_matches(matches, ROOM, zeros, 10, 100, 10), 20); /* a run and a repetition each */
  assert_int_equal(km_plane_matches(matches, ROOM, zeros, 10, 100, 100), 0);
  assert_int_equal(km_plane_matches(matches, ROOM, zeros, 10, 100, 0), 0);
  free(matches);
}

/* Planes are compressed in a way of their own, which any reader unpacks, and which leaves the next chunks
 * alone. */
static void planes_are_only_packed_otherwise(void **state) {
  (void)state;
  test_random r = {6};
  enum { N = 40000 };
  unsigned char *raw = malloc(N), *back = malloc(N);
  for (size_t i = 0; i < N; i++)
    raw[i] = i >= 92 && test_below(&r, 50) ? raw[i - 92] : (unsigned char)test_next(&r);
  for (uint8_t level = 1; level < 4; level++) {
    km_codec codec = {KM_CODEC_ZSTD, level};
    size_t room = km_codec_bound(codec, N), n_any, n_planes, n_again;
    km_codec_ctx *ctx = km_codec_ctx_new(codec);
    unsigned char *any = malloc(room), *planes = malloc(room), *again = malloc(room);
    assert_ok(km_codec_pack(ctx, any, &n_any, raw, N, 1, &test_err));
    km_codec_expect(ctx, KM_CONTENT_PLANES, 100, 0);
    assert_ok(km_codec_pack(ctx, planes, &n_planes, raw, N, 1, &test_err));
    km_codec_expect(ctx, KM_CONTENT_ANY, 1, 0);
    assert_ok(km_codec_pack(ctx, again, &n_again, raw, N, 1, &test_err));
    assert_int_equal(n_any, n_again);
    assert_memory_equal(any, again, n_any);
    assert_true(n_planes < n_any + n_any / 16);
    assert_ok(km_codec_unpack(ctx, back, N, planes, n_planes, 1, &test_err));
    assert_memory_equal(back, raw, N);
    km_codec_ctx_free(ctx);
    free(any);
    free(planes);
    free(again);
  }
  free(raw);
  free(back);
}

/* Rows of a series: most are the one before, or differ from it in a few bytes. */
static void fill_series(unsigned char *raw, size_t n_bytes, size_t row_bytes, test_random *r) {
  uint64_t stays = test_below(r, 4), noise = 1 + test_below(r, 3 * row_bytes);
  for (size_t i = 0; i < n_bytes; i += row_bytes) {
    int same = i && test_below(r, 4) < stays;
    for (size_t k = i; k < n_bytes && k < i + row_bytes; k++)
      raw[k] =
          k >= row_bytes && (same || test_below(r, noise)) ? raw[k - row_bytes] : (unsigned char)test_next(r);
  }
  if (test_below(r, 3) == 0) /* the padding of a last chunk */
    memset(raw + n_bytes / 2, 0, n_bytes - n_bytes / 2);
}

/* Rows of bytes, and how many of them, of every kind: few, or more than the 128 KiB at which zstd splits. */
static size_t series_shape(size_t *row_bytes, int round, test_random *r) {
  static const size_t rows[] = {8, 16, 32, 144, 1, 3, 200};
  *row_bytes = rows[test_below(r, 7)];
  return 1 + test_below(r, round % 16 == 0 ? 400000 : round % 2 ? 300 : 20000);
}

/* The matches of a series are all stretches of equal bytes that are long enough, and they alone. */
static void row_matches_are_all(void **state) {
  (void)state;
  test_random r = {9};
  for (int round = 0; round < 200; round++) {
    size_t row_bytes, n_bytes = series_shape(&row_bytes, round, &r), at = 0, i = row_bytes;
    unsigned char *raw = malloc(n_bytes); /* exactly, so that reading beyond it shows */
    km_match *matches = malloc(KM_ROW_MATCHES_MAX(n_bytes) * sizeof *matches);
    fill_series(raw, n_bytes, row_bytes, &r);
    size_t n = km_row_matches(matches, raw, n_bytes, row_bytes), k = 0;
    while (i < n_bytes) {
      size_t begin = i;
      while (i < n_bytes && raw[i] == raw[i - row_bytes])
        i++;
      if (i - begin >= KM_ROW_MATCH_LEAST) {
        assert_true(k < n);
        assert_int_equal(matches[k].offset, row_bytes);
        assert_int_equal(matches[k].n_literals, begin - at);
        assert_int_equal(matches[k++].length, i - begin);
        at = i;
      }
      i++;
    }
    assert_int_equal(k, n);
    free(raw);
    free(matches);
  }
}

/* What is packed as a series comes back through the plain decompressor, whatever its shape. */
static void series_come_back(void **state) {
  (void)state;
  test_random r = {10};
  for (uint8_t level = 1; level < 3; level++) {
    km_codec codec = {KM_CODEC_ZSTD, level};
    km_codec_ctx *ctx = km_codec_ctx_new(codec);
    for (int round = 0; round < 150; round++) {
      size_t row_bytes, n_bytes = series_shape(&row_bytes, round, &r);
      unsigned char *raw = malloc(n_bytes);
      fill_series(raw, n_bytes, row_bytes, &r);
      assert_comes_back(ctx, codec, (expected){KM_CONTENT_SERIES, row_bytes, 0}, raw, n_bytes);
      free(raw);
    }
    km_codec_ctx_free(ctx);
  }
}

/* Noise in place of packed bytes: an error, or (zstd has no check sum here) other bytes, never more than
 * asked for. */
static void survives_noise(void **state) {
  (void)state;
  test_random r = {5};
  unsigned char raw[1024], packed[2048], back[1024 + 16];
  for (int kind = KM_CODEC_GZIP; kind <= KM_CODEC_ZSTD; kind++) {
    km_codec_ctx *ctx = km_codec_ctx_new((km_codec){(uint8_t)kind, 1});
    size_t n_packed;
    fill(raw, sizeof raw, 2, &r);
    assert_ok(km_codec_pack(ctx, packed, &n_packed, raw, sizeof raw, 1, &test_err));
    memset(back, 0x5a, sizeof back);
    for (size_t at = 0; at < n_packed; at++) {
      unsigned char kept = packed[at];
      packed[at] ^= (unsigned char)(1 + test_below(&r, 255));
      km_status status = km_codec_unpack(ctx, back, sizeof raw, packed, n_packed, 1, &test_err);
      if (status)
        assert_int_equal(status, KM_ERR_FORMAT);
      else if (kind == KM_CODEC_GZIP)
        assert_memory_equal(back, raw,
                            sizeof raw); /* the format has a check sum: only unused bits may differ */
      for (int i = 0; i < 16; i++)
        assert_int_equal(back[sizeof raw + (size_t)i], 0x5a);
      packed[at] = kept;
    }
    km_codec_ctx_free(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parses_names),
      cmocka_unit_test(shuffles_like_hdf5),
      cmocka_unit_test(round_trips),
      cmocka_unit_test(bytes_depend_on_input_only),
      cmocka_unit_test(planes_are_only_packed_otherwise),
      cmocka_unit_test(matches_come_back),
      cmocka_unit_test(matches_are_true),
      cmocka_unit_test(row_matches_are_all),
      cmocka_unit_test(series_come_back),
      cmocka_unit_test(survives_noise),
  };
  return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
