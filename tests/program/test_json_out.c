/* test_json_out.c: numbers as the C library writes them with 12 digits, by the quick way or not. */
#include "json_out.h"

#include "kifumill/hash.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_written(double value) {
  km_json json;
  km_err err;
  char *text, want[64];
  assert_int_equal(km_json_new(&json, &err), KM_OK);
  km_json_number(&json, NULL, value);
  assert_int_equal(km_json_finish(&json, &text, &err), KM_OK);
  snprintf(want, sizeof want, isfinite(value) ? "%.12g\n" : "null\n", value == 0 ? 0 : value);
  assert_string_equal(text, want);
  free(text);
}

static void numbers(void **state) {
  (void)state;
  static const double values[] = {0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -7.25,
                                  999999999999,
                                  1e12,
                                  1000000000001,
                                  123456789012345,
                                  1e300,
                                  -999999999999,
                                  -1e12,
                                  1e-300,
                                  0.1,
                                  NAN,
                                  INFINITY,
                                  -INFINITY,
                                  4503599627370497.5};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    assert_written(values[i]);
  for (uint64_t i = 0; i < 20000; i++) {
    double whole = (double)(km_mix64(i) >> (i % 64));
    assert_written(i % 2 ? whole : -whole);
    assert_written(whole / 1024);
  }
}

static void counts(void **state) {
  (void)state;
  static const uint64_t values[] = {0, 9, 10, 18446744073709551615u};
  km_json json;
  km_err err;
  char *text;
  assert_int_equal(km_json_new(&json, &err), KM_OK);
  km_json_counts(&json, NULL, values, 4);
  assert_int_equal(km_json_finish(&json, &text, &err), KM_OK);
  assert_string_equal(text, "[0,9,10,18446744073709551615]\n");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(counts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
