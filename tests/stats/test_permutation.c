/* test_permutation.c: exact p-values where all permutations can be listed, groups that are and are not apart,
 * threads, distances with gaps, places in the plane up to turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/permutation.h"

#include <math.h>
#include <string.h>

static double distance[100 * 100];
static uint32_t label[100];

static km_status backwards(size_t n, int n_threads, km_task body, void *ctx, km_err *err) {
  km_status status = KM_OK;
  while (n-- > 0 && status == KM_OK)
    status = body(ctx, (int)(n % (size_t)n_threads), n, err);
  return status;
}

static double unit(uint64_t i, uint64_t what) {
  return km_random_unit(km_random(21, i, what, KM_PURPOSE_SAMPLE));
}

/* n points on a line in groups of 5, a group's points shifted by apart · group. */
static void fill(size_t n, double apart, uint64_t what) {
  double x[100];
  for (size_t i = 0; i < n; i++) {
    label[i] = (uint32_t)(7 * (i / 5) + 3);
    x[i] = unit(i, what) + apart * (double)(i / 5);
  }
  km_distance_matrix(distance, x, n, 1);
}

static void groups_apart(void **state) {
  (void)state;
  km_permutation_options o = {.seed = 1, .n_permutations = 999}, threads = o;
  threads.workers = (km_workers){backwards, 4};
  km_permutation_result r, s;
  fill(50, 3, 0);
  assert_int_equal(km_permutation_test(&r, distance, label, 50, &o, NULL), KM_OK);
  assert_true(r.p_value == 0.001 && r.difference > 1 && r.between > r.within);
  assert_int_equal(km_permutation_test(&s, distance, label, 50, &threads, NULL), KM_OK);
  assert_memory_equal(&r, &s, sizeof r);
}

/* Without a difference p-values are uniform: their mean over many data sets is near ½, and few are small. */
static void groups_alike(void **state) {
  (void)state;
  double sum = 0, small = 0;
  for (uint64_t round = 0; round < 200; round++) {
    km_permutation_options o = {.seed = round, .n_permutations = 99};
    km_permutation_result r;
    fill(20, 0, round + 1);
    assert_int_equal(km_permutation_test(&r, distance, label, 20, &o, NULL), KM_OK);
    sum += r.p_value;
    small += r.p_value <= 0.05;
  }
  assert_true(fabs(sum / 200 - 0.5) < 5 * sqrt(1.0 / 12 / 200));
  assert_true(small <= 10 + 5 * sqrt(200 * 0.05 * 0.95));
}

/* Two pairs at 0, 0 and 1, 1: of the 3 ways to pair four objects, only the given one has distance 0 within.
 */
static void exact_share(void **state) {
  (void)state;
  const double x[] = {0, 1, 0, 1};
  const uint32_t groups[] = {8, 2, 8, 2};
  km_permutation_options o = {.seed = 4, .n_permutations = 20000};
  km_permutation_result r;
  km_distance_matrix(distance, x, 4, 1);
  assert_int_equal(km_permutation_test(&r, distance, groups, 4, &o, NULL), KM_OK);
  assert_true(r.within == 0 && r.between == 1 && r.difference == 1);
  assert_true(fabs(r.p_value - 1.0 / 3) < 5 * sqrt(2.0 / 9 / 20000));
}

static void gaps_and_refusals(void **state) {
  (void)state;
  const double a[] = {1, 2, NAN, 5}, b[] = {1, NAN, 3, 8}, none[] = {NAN, NAN, NAN, NAN};
  assert_true(fabs(km_trajectory_distance(a, b, 4) - sqrt(4.5)) < 1e-15);
  assert_true(isnan(km_trajectory_distance(a, none, 4)) && isnan(km_trajectory_distance(a, b, 0)));
  km_permutation_options o = {.n_permutations = 9};
  km_permutation_result r;
  km_err err;
  fill(10, 1, 0);
  distance[3 * 10 + 1] = NAN;
  assert_int_equal(km_permutation_test(&r, distance, label, 10, &o, &err), KM_ERR_FORMAT);
  fill(5, 1, 0); /* one group */
  assert_int_equal(km_permutation_test(&r, distance, label, 5, &o, &err), KM_ERR_USAGE);
  fill(5, 1, 0);
  for (uint32_t i = 0; i < 5; i++) /* no group of two */
    label[i] = i;
  assert_int_equal(km_permutation_test(&r, distance, label, 5, &o, &err), KM_ERR_USAGE);
  assert_int_equal(km_permutation_test(&r, distance, label, 0, &o, &err), KM_ERR_USAGE);
}

static void scaling_keeps_distances(void **state) {
  (void)state;
  enum { N = 30 };
  double x[2 * N], place[3 * N], share[3];
  for (size_t i = 0; i < N; i++) {
    x[2 * i] = 5 * unit(i, 70);
    x[2 * i + 1] = unit(i, 71);
  }
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      distance[i * N + j] = hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
  assert_int_equal(km_classical_scaling(place, share, distance, N, 3, NULL), KM_OK);
  assert_true(share[0] > share[1] && fabs(share[0] + share[1] - 1) < 1e-9 && share[2] < 1e-9);
  for (size_t i = 0; i < N; i++)
    for (size_t j = 0; j < N; j++)
      assert_true(fabs(hypot(place[3 * i] - place[3 * j], place[3 * i + 1] - place[3 * j + 1]) -
                       distance[i * N + j]) < 1e-9);
  assert_int_equal(km_classical_scaling(place, share, distance, 2, 3, NULL), KM_ERR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(groups_apart), cmocka_unit_test(groups_alike),
                                     cmocka_unit_test(exact_share), cmocka_unit_test(gaps_and_refusals),
                                     cmocka_unit_test(scaling_keeps_distances)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
