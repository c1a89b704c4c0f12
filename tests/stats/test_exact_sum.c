/* test_exact_sum.c: exact sums against 128-bit arithmetic, against the algebra they must obey, and in any
 * order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/exact_sum.h"
#include "kifumill/hash.h"

enum { SEED = 4242, N = 1000 };

/* A two's complement value of n_limbs, of random length and sign. */
static void random_value(uint64_t *value, unsigned n_limbs, uint64_t i) {
  uint64_t bits = km_mix64(SEED ^ i), length = 1 + bits % (64 * n_limbs - 1), sign = -(bits >> 63);
  for (unsigned limb = 0; limb < n_limbs; limb++) {
    uint64_t here = length > 64 * limb ? length - 64 * limb : 0;
    value[limb] = (here == 0 ? 0 : km_mix64(i * 8 + limb) >> (here >= 64 ? 0 : 64 - here)) ^ sign;
  }
}

static const char *sum_text(const km_exact_sum *sum) {
  static char text[KM_EXACT_TEXT_MAX];
  return km_exact_sum_decimal(text, sum);
}
static const char *square_text(const km_exact_sum *sum) {
  static char text[KM_EXACT_TEXT_MAX];
  return km_exact_square_decimal(text, sum);
}
static const char *mean_text(const km_exact_sum *sum) {
  static char text[KM_EXACT_TEXT_MAX];
  return km_exact_mean_fraction(text, sum);
}

static void small_numbers(void **state) {
  (void)state;
  km_exact_sum sum;
  km_exact_sum_init(&sum, 2, 2);
  assert_string_equal(mean_text(&sum), "0/0");
  for (int64_t i = -5; i <= 4; i++)
    km_exact_sum_add(&sum, (const uint64_t[2]){(uint64_t)i, i < 0 ? UINT64_MAX : 0});
  assert_string_equal(sum_text(&sum), "-5");
  assert_string_equal(square_text(&sum), "85");
  assert_string_equal(mean_text(&sum), "-1/4");
  km_exact_moments m = km_exact_sum_moments(&sum);
  assert_int_equal(m.n, 10);
  assert_true(m.mean == -0.25);
  assert_true(m.variance == (85 - 25.0 / 10) / 9 / 4);
  assert_true(m.deviation == sqrt(m.variance));
  assert_true(fabs(m.error - sqrt(m.variance / 10)) < 1e-15);
}

static void too_few(void **state) {
  (void)state;
  km_exact_sum sum;
  km_exact_sum_init(&sum, 1, 1);
  km_exact_moments m = km_exact_sum_moments(&sum);
  assert_true(isnan(m.mean) && isnan(m.variance) && isnan(m.error) && m.n == 0);
  km_exact_sum_add(&sum, (const uint64_t[1]){7});
  m = km_exact_sum_moments(&sum);
  assert_true(m.mean == 7 && isnan(m.variance) && isnan(m.deviation) && isnan(m.error));
}

/* The mean 0.1 of ten ones over 100 is the double nearest to 1/10, and so on: strtod knows. */
static void means_are_nearest(void **state) {
  (void)state;
  for (uint64_t i = 1; i < 3000; i++) {
    km_exact_sum sum;
    uint64_t denominator = 1 + km_mix64(i) % 1000, n = 1 + km_mix64(i + SEED) % 9;
    int64_t value = (int64_t)(km_mix64(i * 3) >> 20) * (i % 2 ? 1 : -1);
    km_exact_sum_init(&sum, 1, denominator);
    for (uint64_t j = 0; j < n; j++)
      km_exact_sum_add(&sum, (const uint64_t[1]){(uint64_t)value});
    km_exact_moments m = km_exact_sum_moments(&sum);
    assert_true(m.mean ==
                (double)value / (double)denominator); /* both exact: one correctly rounded division */
    if (n > 1)
      assert_true(m.variance == 0 && m.error == 0);
  }
}

/* A value of one limb in a wider accumulator: 128-bit sums agree with wide ones of any width. */
static void widths_agree(void **state) {
  (void)state;
  for (unsigned n_limbs = 1; n_limbs <= KM_EXACT_LIMBS_MAX; n_limbs++) {
    km_exact_sum narrow, wide;
    km_exact_sum_init(&narrow, n_limbs, 3);
    km_exact_sum_init(&wide, KM_EXACT_LIMBS_MAX, 3);
    for (uint64_t i = 0; i < N; i++) {
      uint64_t value[KM_EXACT_LIMBS_MAX];
      random_value(value, n_limbs, i);
      for (unsigned limb = n_limbs; limb < KM_EXACT_LIMBS_MAX; limb++)
        value[limb] = -(value[n_limbs - 1] >> 63);
      km_exact_sum_add(&narrow, value);
      km_exact_sum_add(&wide, value);
    }
    char text[KM_EXACT_TEXT_MAX];
    assert_string_equal(km_exact_sum_decimal(text, &narrow), sum_text(&wide));
    assert_string_equal(km_exact_square_decimal(text, &narrow), square_text(&wide));
    assert_string_equal(km_exact_mean_fraction(text, &narrow), mean_text(&wide));
    km_exact_moments a = km_exact_sum_moments(&narrow), b = km_exact_sum_moments(&wide);
    assert_memory_equal(&a, &b, sizeof a);
  }
}

/* (Σ a + b)² written out: Σ(a+b)² + Σ(a−b)² = 2Σa² + 2Σb², in decimal text through one more accumulator. */
static void squares_obey_the_parallelogram(void **state) {
  (void)state;
  for (uint64_t i = 0; i < N; i++) {
    int64_t a = (int64_t)km_mix64(i) >> 2, b = (int64_t)km_mix64(i + SEED) >> 2;
    km_exact_sum left, right;
    km_exact_sum_init(&left, 1, 1);
    km_exact_sum_init(&right, 1, 1);
    km_exact_sum_add(&left, (const uint64_t[1]){(uint64_t)(a + b)});
    km_exact_sum_add(&left, (const uint64_t[1]){(uint64_t)(a - b)});
    for (unsigned twice = 0; twice < 2; twice++) {
      km_exact_sum_add(&right, (const uint64_t[1]){(uint64_t)a});
      km_exact_sum_add(&right, (const uint64_t[1]){(uint64_t)b});
    }
    assert_string_equal(square_text(&left),
                        (const char *)strcpy((char[KM_EXACT_TEXT_MAX]){0}, square_text(&right)));
  }
}

/* Parts merged in any order have the bytes of one accumulator. */
static void any_partition(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  for (unsigned n_limbs = 1; n_limbs <= KM_EXACT_LIMBS_MAX; n_limbs++)
    for (unsigned n_parts = 1; n_parts <= 7; n_parts++) {
      km_exact_sum whole, part[7];
      km_exact_sum_init(&whole, n_limbs, 1);
      for (unsigned p = 0; p < n_parts; p++)
        km_exact_sum_init(&part[p], n_limbs, 1);
      for (uint64_t i = 0; i < N; i++) {
        uint64_t value[KM_EXACT_LIMBS_MAX];
        random_value(value, n_limbs, i);
        km_exact_sum_add(&whole, value);
        km_exact_sum_add(&part[km_mix64(i + n_parts) % n_parts], value);
      }
      unsigned start = (unsigned)(km_mix64(n_parts) % n_parts);
      for (unsigned p = 1; p < n_parts; p++)
        km_exact_sum_merge(&part[start], &part[(start + p) % n_parts]);
      assert_memory_equal(&part[start], &whole, sizeof whole);
    }
}

/* Doubles in any order: the plain sum depends on it, this one does not. */
static void doubles_in_any_order(void **state) {
  (void)state;
  km_exact_sum up, down;
  km_exact_sum_init_double(&up);
  km_exact_sum_init_double(&down);
  double plain_up = 0, plain_down = 0;
  for (uint64_t i = 0; i < N; i++) {
    double x = 1 + 200 * km_random_unit(km_mix64(i)), y = 1 + 200 * km_random_unit(km_mix64(N - 1 - i));
    km_exact_sum_add_double(&up, x);
    km_exact_sum_add_double(&down, y);
    plain_up += x;
    plain_down += y;
  }
  assert_memory_equal(&up, &down, sizeof up);
  km_exact_moments m = km_exact_sum_moments(&up);
  assert_true(fabs(m.mean - plain_up / N) < 1e-12 && fabs(m.mean - plain_down / N) < 1e-12);
  assert_true(fabs(m.deviation - 200 / sqrt(12)) < 3);
}

static void doubles_of_log2_are_exact(void **state) {
  (void)state;
  km_exact_sum sum;
  km_exact_sum_init_double(&sum);
  km_exact_sum_add_double(&sum, 0x1.921fb54442d18p+1); /* pi */
  assert_true(km_exact_sum_moments(&sum).mean == 0x1.921fb54442d18p+1);
  km_exact_sum_add_double(&sum, 0x1.921fb54442d18p+1);
  assert_true(km_exact_sum_moments(&sum).mean == 0x1.921fb54442d18p+1);
  km_exact_sum_add_double(&sum, -0x1.921fb54442d18p+1);
  km_exact_sum_add_double(&sum, -0x1.921fb54442d18p+1);
  assert_string_equal(sum_text(&sum), "0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_numbers),
      cmocka_unit_test(too_few),
      cmocka_unit_test(means_are_nearest),
      cmocka_unit_test(widths_agree),
      cmocka_unit_test(squares_obey_the_parallelogram),
      cmocka_unit_test(any_partition),
      cmocka_unit_test(doubles_in_any_order),
      cmocka_unit_test(doubles_of_log2_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
