/* test_zstd_contexts.c: a context that was used, even for damaged data and with other settings, is as a new
 * one. */
#include "zstd_contexts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 1 << 20 };

static char text[BYTES], packed[BYTES + 1024], out[BYTES];
static size_t n_packed;

static int make_frame(void **state) {
  (void)state;
  uint32_t x = 1;
  for (size_t i = 0; i < BYTES; i++)
    text[i] = (char)("abcdefgh"[(x = x * 1664525 + 1013904223) >> 29]);
  n_packed = ZSTD_compress(packed, sizeof packed, text, BYTES, 1);
  return ZSTD_isError(n_packed) ? -1 : 0;
}

/* Decodes in pieces, as archives are read. */
static size_t decode(ZSTD_DCtx *context, const char *from, size_t n) {
  ZSTD_inBuffer in = {from, n, 0};
  ZSTD_outBuffer to = {out, BYTES, 0};
  size_t left = 1;
  while (left && !ZSTD_isError(left) && in.pos < in.size) {
    in.size = in.pos + 4096 < n ? in.pos + 4096 : n;
    left = ZSTD_decompressStream(context, &to, &in);
    in.size = n;
  }
  return left;
}

static void used_ones_are_as_new(void **state) {
  (void)state;
  km_zstd_forget();
  ZSTD_DCtx *first = km_zstd_take();
  assert_non_null(first);
  ZSTD_DCtx_setParameter(first, ZSTD_d_windowLogMax, 10);
  assert_true(ZSTD_isError(decode(first, packed, n_packed))); /* the window is too large for that */
  km_zstd_give(first);
  ZSTD_DCtx *again = km_zstd_take();
  assert_ptr_equal(again, first);
  assert_int_equal(decode(again, packed, n_packed), 0);
  assert_memory_equal(out, text, BYTES);
  km_zstd_give(again);
  again = km_zstd_take();
  assert_true(decode(again, packed, n_packed / 2) > 0); /* left in the middle of a frame */
  km_zstd_give(again);
  again = km_zstd_take();
  assert_int_equal(decode(again, packed, n_packed), 0);
  assert_memory_equal(out, text, BYTES);
  km_zstd_give(again);
}

static void a_few_are_kept(void **state) {
  (void)state;
  ZSTD_DCtx *contexts[5];
  for (int i = 0; i < 5; i++)
    assert_non_null(contexts[i] = km_zstd_take());
  for (int i = 0; i < 5; i++)
    km_zstd_give(contexts[i]);
  km_zstd_give(NULL);
  assert_ptr_equal(km_zstd_take(), contexts[0]);
  assert_ptr_equal(km_zstd_take(), contexts[1]);
  km_zstd_give(contexts[0]);
  km_zstd_give(contexts[1]);
  km_zstd_forget(); /* nothing is left, or the address sanitizer would tell */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(used_ones_are_as_new),
                                     cmocka_unit_test(a_few_are_kept)};
  return cmocka_run_group_tests(tests, make_frame, NULL);
}
