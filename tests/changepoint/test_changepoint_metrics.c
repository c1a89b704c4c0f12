/* test_changepoint_metrics.c: measures against their definitions by pairs of values and by search over all
 * matchings; empty cases; values that ruptures documents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/changepoint_metrics.h"
#include "kifumill/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_MAX = 40 };
static uint64_t seed = 7, draws;

static km_breaks random_breaks(uint32_t *at, size_t n) {
  size_t count = 0;
  uint64_t odds = 1 + km_random_below(km_random(seed, draws++, 0, KM_PURPOSE_SAMPLE), 12);
  for (uint32_t t = 1; t < n; t++)
    if (km_random_below(km_random(seed, draws++, 0, KM_PURPOSE_SAMPLE), odds) == 0)
      at[count++] = t;
  return (km_breaks){at, count};
}

static size_t segment_of(km_breaks b, size_t t) {
  size_t segment = 0;
  while (segment < b.n && b.at[segment] <= t)
    segment++;
  return segment;
}

static double slow_rand(km_breaks a, km_breaks b, size_t n, double *adjusted) {
  double both = 0, in_a = 0, in_b = 0, agree = 0, all = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) {
      int same_a = segment_of(a, i) == segment_of(a, j), same_b = segment_of(b, i) == segment_of(b, j);
      both += same_a && same_b;
      in_a += same_a;
      in_b += same_b;
      agree += same_a == same_b;
      all++;
    }
  double expected = all > 0 ? in_a * in_b / all : 0, most = (in_a + in_b) / 2;
  *adjusted = most == expected ? 1 : (both - expected) / (most - expected);
  return all > 0 ? agree / all : 1;
}

static double slow_covering(km_breaks truth, km_breaks found, size_t n) {
  double total = 0;
  for (size_t i = 0; i <= truth.n; i++) {
    double best = 0, size = 0;
    for (size_t j = 0; j <= found.n; j++) {
      double both = 0, either = 0;
      size = 0;
      for (size_t t = 0; t < n; t++) {
        int a = segment_of(truth, t) == i, b = segment_of(found, t) == j;
        both += a && b;
        either += a || b;
        size += a;
      }
      best = fmax(best, both / either);
    }
    total += size * best;
  }
  return n ? total / (double)n : 1;
}

static double slow_hausdorff(km_breaks a, km_breaks b) {
  double most = 0;
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < a.n; i++) {
      double nearest = INFINITY;
      for (size_t j = 0; j < b.n; j++)
        nearest = fmin(nearest, fabs((double)a.at[i] - (double)b.at[j]));
      most = fmax(most, nearest);
    }
    km_breaks t = a;
    a = b;
    b = t;
  }
  return most;
}

/* Augmenting paths: a maximum matching without any use of the order. */
static int augment(km_breaks a, km_breaks b, uint32_t margin, size_t i, int *taken, char *seen) {
  for (size_t j = 0; j < b.n; j++) {
    uint32_t apart = a.at[i] > b.at[j] ? a.at[i] - b.at[j] : b.at[j] - a.at[i];
    if (apart > margin || seen[j])
      continue;
    seen[j] = 1;
    if (taken[j] < 0 || augment(a, b, margin, (size_t)taken[j], taken, seen)) {
      taken[j] = (int)i;
      return 1;
    }
  }
  return 0;
}

static size_t slow_matched(km_breaks a, km_breaks b, uint32_t margin) {
  int taken[N_MAX];
  size_t matched = 0;
  for (size_t j = 0; j < b.n; j++)
    taken[j] = -1;
  for (size_t i = 0; i < a.n; i++) {
    char seen[N_MAX] = {0};
    matched += (size_t)augment(a, b, margin, i, taken, seen);
  }
  return matched;
}

static void definitions(void **state) {
  (void)state;
  printf("seed %llu\n", (unsigned long long)seed);
  for (int round = 0; round < 1000; round++) {
    uint32_t at_a[N_MAX], at_b[N_MAX];
    size_t n = 1 + (size_t)round % (N_MAX - 1);
    km_breaks a = random_breaks(at_a, n), b = random_breaks(at_b, n);
    double adjusted, rand = slow_rand(a, b, n, &adjusted);
    assert_true(fabs(km_breaks_rand(a, b, n) - rand) < 1e-12);
    assert_true(fabs(km_breaks_adjusted_rand(a, b, n) - adjusted) < 1e-12);
    assert_true(fabs(km_breaks_covering(a, b, n) - slow_covering(a, b, n)) < 1e-12);
    if (a.n && b.n)
      assert_true(km_breaks_hausdorff(a, b, n) == slow_hausdorff(a, b));
    for (uint32_t margin = 0; margin < 4; margin++)
      assert_int_equal(km_breaks_matched(a, b, margin), slow_matched(a, b, margin));
    assert_true(km_breaks_rand(a, a, n) == 1 && km_breaks_adjusted_rand(a, a, n) == 1);
    assert_true(fabs(km_breaks_covering(a, a, n) - 1) < 1e-12);
    assert_true(km_breaks_score(a, a, 0).f1 == 1);
  }
}

static void empty_cases(void **state) {
  (void)state;
  const uint32_t at[] = {10, 20};
  km_breaks none = {NULL, 0}, two = {at, 2};
  km_break_scores s = km_breaks_score(none, none, 3);
  assert_true(s.precision == 1 && s.recall == 1 && s.f1 == 1 && s.matched == 0);
  s = km_breaks_score(two, none, 3);
  assert_true(s.precision == 0 && s.recall == 0 && s.f1 == 0);
  s = km_breaks_score(none, two, 3);
  assert_true(s.precision == 0 && s.recall == 1 && s.f1 == 0);
  assert_true(km_breaks_hausdorff(none, none, 30) == 0 && km_breaks_hausdorff(two, none, 30) == 30);
  assert_true(km_breaks_rand(none, none, 0) == 1 && km_breaks_rand(none, none, 1) == 1);
  assert_true(km_breaks_adjusted_rand(none, none, 30) == 1 && km_breaks_adjusted_rand(two, none, 30) == 0);
  assert_true(km_breaks_covering(none, none, 0) == 1);
  assert_true(fabs(km_breaks_covering(two, none, 30) - 1.0 / 3) < 1e-15);
}

/* The example of ruptures' documentation: [100, 200, 500] and [105, 115, 350, 400, 500] with margin 10 there,
 * 9 here. */
static void ruptures_example(void **state) {
  (void)state;
  const uint32_t a[] = {100, 200}, b[] = {105, 115, 350, 400};
  km_breaks truth = {a, 2}, found = {b, 4};
  km_break_scores s = km_breaks_score(truth, found, 9);
  assert_true(s.precision == 0.25 && s.recall == 0.5);
  assert_true(km_breaks_hausdorff(truth, found, 500) == 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(definitions), cmocka_unit_test(empty_cases),
                                     cmocka_unit_test(ruptures_example)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
