/* test_models_memory.c: every allocation of the change-point, model and score functions fails once.
 *
 * The linker puts the functions below before malloc, calloc and realloc. The n-th call fails, for n = 1, 2, …
 * until a run ends without a failure; each failing run must say KM_ERR_NOMEM and leak nothing (the address
 * sanitizer looks). Then, that a used workspace segments without allocating. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/changepoint.h"
#include "kifumill/logistic.h"
#include "kifumill/mlp.h"
#include "kifumill/permutation.h"
#include "kifumill/score.h"

#include <math.h>
#include <string.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static long calls, failing_call; /* failing_call 0: none */

static int fails(void) {
  return ++calls == failing_call;
}
void *__wrap_malloc(size_t n) {
  return fails() ? NULL : __real_malloc(n);
}
void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t n) {
  return fails() ? NULL : __real_realloc(p, n);
}

enum { N = 300 };
static double x[N], y[N];

static km_status block(void *ctx, int thread, size_t i, km_rows *rows, km_err *err) {
  (void)ctx;
  (void)thread;
  (void)err;
  *rows = (km_rows){x + i * 50, y + i * 50, NULL, 50, 1};
  return KM_OK;
}
static const km_row_source source = {block, NULL, 6, 1};

static km_status run_changepoints(km_err *err) {
  km_status status = KM_OK;
  km_changepoint *w = km_changepoint_new();
  if (!w)
    return KM_ERR_NOMEM;
  for (int cost = KM_COST_L2; cost <= KM_COST_RANK && status == KM_OK; cost++)
    for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_WINDOW && status == KM_OK; search++) {
      km_series series = {x, N, 1};
      km_changepoint_options options = km_changepoint_defaults();
      km_changepoints found;
      options.cost = (km_changepoint_cost)cost;
      options.search = (km_changepoint_search)search;
      options.penalty = KM_PENALTY_MBIC;
      status = km_changepoint_find(w, &series, &options, &found, err);
      options.n_changes = 3;
      if (status == KM_OK)
        status = km_changepoint_find(w, &series, &options, &found, err);
    }
  const double range[2] = {0.01, 10};
  const km_changepoint_step *steps;
  size_t n_steps;
  km_changepoint_options options = km_changepoint_defaults();
  km_series series = {x, N, 1};
  if (status == KM_OK)
    status = km_changepoint_path(w, &series, &options, range, &steps, &n_steps, err);
  km_changepoint_free(w);
  return status;
}

static km_status run_logistic(km_err *err) {
  km_logistic model;
  km_logistic_options options = {.ridge = 1};
  km_status status = km_logistic_fit(&model, &source, &options, err);
  km_logistic_clear(&model);
  return status;
}

static km_status run_mlp(km_err *err) {
  km_mlp *mlp;
  km_mlp_report report;
  km_mlp_options options = km_mlp_defaults();
  options.max_epochs = 2;
  km_status status = km_mlp_fit(&mlp, &source, &source, &options, &report, err);
  assert_true((status == KM_OK) == (mlp != NULL));
  km_mlp_free(mlp);
  return status;
}

static km_status run_score(km_err *err) {
  km_score *score = km_score_new();
  km_score_result result;
  km_bootstrap bootstrap = {.n_replicates = 3, .level = 0.9};
  km_estimate difference[KM_METRICS];
  double p[N], auc;
  km_status status = score ? KM_OK : KM_ERR_NOMEM;
  for (size_t i = 0; i < N; i++)
    p[i] = 0.5 + 0.4 * y[i] - 0.2 * (double)(i % 2);
  for (uint64_t i = 0; i < 40 && status == KM_OK; i++)
    status = km_score_add(score, i, p, y, N, err);
  if (status == KM_OK)
    status = km_score_evaluate(score, &bootstrap, &result, err);
  if (status == KM_OK)
    status = km_score_compare(score, score, &bootstrap, difference, err);
  if (status == KM_OK)
    status = km_auc(&auc, p, y, N, err);
  km_score_free(score);
  return status;
}

static km_status run_permutation(km_err *err) {
  static double distance[N * N];
  static uint32_t label[N];
  double place[2 * 40], share[2];
  km_permutation_result result;
  km_permutation_options options = {.n_permutations = 3};
  for (uint32_t i = 0; i < N; i++)
    label[i] = i % 7;
  km_distance_matrix(distance, x, N, 1);
  km_status status = km_permutation_test(&result, distance, label, N, &options, err);
  km_distance_matrix(distance, x, 40, 1);
  return status == KM_OK ? km_classical_scaling(place, share, distance, 40, 2, err) : status;
}

static void fail_each(km_status (*run)(km_err *)) {
  long n = 0;
  km_status status;
  do {
    km_err err = {0};
    calls = 0;
    failing_call = ++n;
    status = run(&err);
    failing_call = 0;
    if (calls >= n)
      assert_int_equal(status, KM_ERR_NOMEM);
    assert_true(n < 10000);
  } while (calls >= n);
  assert_int_equal(status, KM_OK);
  assert_true(n > 1);
}

static void changepoints(void **state) {
  (void)state;
  fail_each(run_changepoints);
}
static void logistic(void **state) {
  (void)state;
  fail_each(run_logistic);
}
static void mlp(void **state) {
  (void)state;
  fail_each(run_mlp);
}
static void score(void **state) {
  (void)state;
  fail_each(run_score);
}
static void permutation(void **state) {
  (void)state;
  fail_each(run_permutation);
}

static void warm_workspace_allocates_nothing(void **state) {
  (void)state;
  km_changepoint *w = km_changepoint_new();
  assert_non_null(w);
  for (int round = 0; round < 2; round++) {
    calls = 0;
    for (size_t n = N; n > 0; n -= 20)
      for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_WINDOW; search++) {
        km_series series = {x, n, 1};
        km_changepoint_options options = km_changepoint_defaults();
        km_changepoints found;
        options.search = (km_changepoint_search)search;
        assert_int_equal(km_changepoint_find(w, &series, &options, &found, NULL), KM_OK);
      }
  }
  assert_int_equal(calls, 0);
  km_changepoint_free(w);
}

static int setup(void **state) {
  (void)state;
  for (size_t i = 0; i < N; i++) {
    x[i] = sin((double)i) + (double)(i / 40 % 3);
    y[i] = sin(2.3 * (double)i) + 0.3 * x[i] > 0;
  }
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changepoints), cmocka_unit_test(logistic),
      cmocka_unit_test(mlp),          cmocka_unit_test(score),
      cmocka_unit_test(permutation),  cmocka_unit_test(warm_workspace_allocates_nothing)};
  return cmocka_run_group_tests(tests, setup, NULL);
}
