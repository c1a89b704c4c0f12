/* test_summary.c: order statistics against sorting, moments in any cut, quantiles as R and numpy define them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/summary.h"

#include <math.h>
#include <string.h>

enum { N_MAX = 200 };
static const uint64_t seed = 3;

static double value(uint64_t i, int ties) {
  uint64_t bits = km_random(seed, i, 0, KM_PURPOSE_SAMPLE);
  return ties ? (double)km_random_below(bits, 4) : km_random_unit(bits) - 0.5;
}

static void median_is_sorted_middle(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 1000; round++) {
    double x[N_MAX], sorted[N_MAX];
    size_t n = round % N_MAX;
    for (size_t i = 0; i < n; i++)
      x[i] = sorted[i] = value(round * N_MAX + i, round & 1);
    km_sort(sorted, n);
    double median = km_median_of(x, n);
    if (n == 0)
      assert_true(isnan(median));
    else
      assert_true(median == (sorted[(n - 1) / 2] + sorted[n / 2]) / 2);
    km_sort(x, n);
    assert_memory_equal(x, sorted, n * sizeof *x); /* nothing lost */
  }
}

static void quantiles(void **state) {
  (void)state;
  const double x[] = {1, 2, 4, 8, 16};
  assert_true(km_quantile(x, 5, 0) == 1 && km_quantile(x, 5, 0.25) == 2 && km_quantile(x, 5, 1) == 16);
  assert_true(fabs(km_quantile(x, 5, 0.9) - 12.8) < 1e-12);
  assert_true(km_quantile(x, 1, 0.3) == 1 && isnan(km_quantile(x, 0, 0.3)));
  double y[] = {4, 16, 1, 8, 2};
  km_summary s = km_summarise(y, 5);
  assert_true(s.n == 5 && fabs(s.mean - 6.2) < 1e-14 && s.median == 4 && s.q1 == 2 && s.q3 == 8);
  assert_true(s.least == 1 && s.most == 16 && fabs(s.sd * s.sd - 37.2) < 1e-12);
  s = km_summarise(y, 0);
  assert_true(isnan(s.mean) && isnan(s.sd) && isnan(s.median));
  s = km_summarise(y, 1);
  assert_true(s.mean == 1 && isnan(s.sd) && s.q3 == 1);
}

static void moments_merge(void **state) {
  (void)state;
  for (size_t cut = 0; cut <= 100; cut++) {
    km_moments all = {0}, first = {0}, second = {0};
    for (size_t i = 0; i < 100; i++) {
      double x = 1e6 + value(i, 0);
      km_moments_add(&all, x);
      km_moments_add(i < cut ? &first : &second, x);
    }
    km_moments_merge(&first, &second);
    assert_true(first.n == 100 && fabs(first.mean - all.mean) < 1e-8);
    assert_true(fabs(km_moments_variance(&first) - km_moments_variance(&all)) < 1e-8);
  }
}

static void histogram_edges(void **state) {
  (void)state;
  const double x[] = {0, 0.1, 0.25, 0.999, 1, 1.0001, -0.1, NAN}, range[2] = {0, 1};
  uint64_t counts[4] = {0}, expected[4] = {2, 1, 0, 2};
  assert_int_equal(km_histogram(x, 8, range, counts, 4), 3);
  assert_memory_equal(counts, expected, sizeof counts);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(median_is_sorted_middle), cmocka_unit_test(quantiles),
                                     cmocka_unit_test(moments_merge), cmocka_unit_test(histogram_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
