/* test_hbs_value.c: decimal text, nearest doubles and log2(1 + S). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hbs_support.h"
#include "kifumill/hash.h"

enum { SEED = 20240611, N_RANDOM = 200000 };

/* A random number of a random length of 1…208 bits. */
static km_hbs_value random_value(uint64_t i) {
  km_hbs_value value = {{0}};
  uint64_t bits = 1 + km_mix64(i ^ 99) % 208;
  for (unsigned limb = 0; limb < KM_HBS_LIMBS_MAX && bits > 64 * limb; limb++) {
    uint64_t here = bits - 64 * limb;
    value.limb[limb] = km_mix64(4 * i + limb) >> (here >= 64 ? 0 : 64 - here);
  }
  return value;
}

static void decimal_text(void **state) {
  (void)state;
  static const char *const texts[] = {"0",
                                      "1",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "75854169073859085471735",
                                      "412989379092381124305560892877138950270176844708035730409062630"};
  char text[KM_HBS_DECIMAL_MAX];
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    km_hbs_value value = value_of_decimal(texts[i]);
    assert_string_equal(km_hbs_decimal(text, value.limb, 4), texts[i]);
    assert_string_equal(km_hbs_decimal_signed(text, value.limb, 4), texts[i]);
  }
  const uint64_t most[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  assert_string_equal(km_hbs_decimal(text, most, 4),
                      "115792089237316195423570985008687907853269984665640564039457584007913129639935");
  assert_string_equal(km_hbs_decimal_signed(text, most, 4), "-1");
  assert_string_equal(km_hbs_decimal_signed(text, (const uint64_t[2]){0, UINT64_C(1) << 63}, 2),
                      "-170141183460469231731687303715884105728");
}

static void decimal_round_trip(void **state) {
  (void)state;
  char text[KM_HBS_DECIMAL_MAX];
  for (uint64_t i = 0; i < 2000; i++) {
    km_hbs_value value = random_value(i);
    assert_value(value_of_decimal(km_hbs_decimal(text, value.limb, 4)), value);
  }
}

/* strtod rounds decimal text correctly. */
static void nearest_double(void **state) {
  (void)state;
  char text[KM_HBS_DECIMAL_MAX];
  for (uint64_t i = 0; i < 20000; i++) {
    km_hbs_value value = random_value(i);
    if (i % 4 == 0) /* half-way cases: 54 bits ending in one, then zeros or a lone far bit */
      value = (km_hbs_value){{i % 8 == 0, 0, (km_mix64(i) >> 10) | 1 | UINT64_C(1) << 53, 0}};
    double expected = strtod(km_hbs_decimal(text, value.limb, 4), NULL);
    assert_true(km_hbs_to_double(value.limb, 4) == expected);
    uint64_t negative[4];
    unsigned carry = 1;
    for (unsigned limb = 0; limb < 4; limb++) {
      negative[limb] = ~value.limb[limb] + carry;
      carry = carry && negative[limb] == 0;
    }
    assert_true(km_hbs_to_double(negative, 4) == -expected);
  }
  assert_true(km_hbs_to_double((const uint64_t[2]){0, 0}, 2) == 0);
}

static void log2_is_golden(void **state) {
  (void)state;
  json_t *rows = golden("log2.json"), *row;
  size_t i;
  assert_true(json_array_size(rows) > 0);
  json_array_foreach(rows, i, row) {
    km_hbs_value value = value_of_decimal(json_string_value(json_object_get(row, "S")));
    double expected = json_number_value(json_object_get(row, "log2_1pS"));
    assert_true(km_hbs_log2(value.limb, 4) == expected); /* the correctly rounded double itself */
    if (value.limb[2] == 0 && value.limb[3] == 0)
      assert_true(km_hbs_log2(value.limb, 2) == expected);
  }
  json_decref(rows);
}

static void log2_of_powers_is_exact(void **state) {
  (void)state;
  for (unsigned bits = 0; bits <= 208; bits++) {
    km_hbs_value value = {{0}};
    for (unsigned limb = 0; limb < 4; limb++) {
      unsigned here = bits > 64 * limb ? bits - 64 * limb : 0;
      value.limb[limb] = here == 0 ? 0 : here >= 64 ? UINT64_MAX : (UINT64_C(1) << here) - 1;
    }
    assert_true(km_hbs_log2(value.limb, 4) == bits);
  }
}

/* Against the platform's long double logarithm: half a unit in the last place and a breath. */
static void log2_of_random_numbers(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  double worst = 0;
  for (uint64_t i = 0; i < N_RANDOM; i++) {
    km_hbs_value value = random_value(SEED + i);
    long double number = 1;
    for (unsigned limb = 0; limb < 4; limb++)
      number += ldexpl((long double)value.limb[limb], (int)(64 * limb));
    long double expected = log2l(number);
    double got = km_hbs_log2(value.limb, 4), unit = nextafter(got, INFINITY) - got;
    worst = fmax(worst, fabs((double)(got - expected)) / (unit > 0x1p-52 ? unit : 0x1p-52));
  }
  print_message("largest error: %.4f units in the last place\n", worst);
  assert_true(worst < 0.503);
}

static void log2_is_monotone_across_intervals(void **state) {
  (void)state;
  for (unsigned i = 0; i < 64; i++) { /* the joints of the table of reciprocals */
    uint64_t joint = (UINT64_C(64) + i) << 40;
    double last = 0;
    for (uint64_t s = joint - 40; s < joint + 40; s++) {
      double now = km_hbs_log2(&s, 1);
      assert_true(now >= last);
      last = now;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(decimal_text),
      cmocka_unit_test(decimal_round_trip),
      cmocka_unit_test(nearest_double),
      cmocka_unit_test(log2_is_golden),
      cmocka_unit_test(log2_of_powers_is_exact),
      cmocka_unit_test(log2_of_random_numbers),
      cmocka_unit_test(log2_is_monotone_across_intervals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
