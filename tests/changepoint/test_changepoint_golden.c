/* test_changepoint_golden.c: every case of tests/golden/changepoint.json (exact, PELT and fixed-K search,
 * noise), and the X cases of tests/cases.
 *
 * Breakpoints must be equal, where the golden gap is exactly 0, too: the tie rule is implemented as defined.
 * Only where the second-best objective is between 0 and 1e-6 away, closer than the tolerance of a tie, the
 * objective alone is compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/changepoint.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 256 };

typedef struct golden {
  json_t *root;
  km_changepoint *workspace;
  double y[N_MAX];
  km_series series;
} golden;

static int setup(void **state) {
  static golden g;
  json_error_t error;
  g.root = json_load_file("tests/golden/changepoint.json", 0, &error);
  g.workspace = km_changepoint_new();
  *state = &g;
  return g.root && g.workspace ? 0 : -1;
}

static int teardown(void **state) {
  golden *g = *state;
  json_decref(g->root);
  km_changepoint_free(g->workspace);
  return 0;
}

static void load_series(golden *g, const char *name) {
  const json_t *values = json_object_get(json_object_get(g->root, "series"), name);
  assert_non_null(values);
  size_t n = json_array_size(values);
  assert_true(n <= N_MAX);
  for (size_t i = 0; i < n; i++)
    g->y[i] = json_number_value(json_array_get(values, i));
  g->series = (km_series){g->y, n, 1};
}

static void assert_near(const char *what, double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("%s is %.17g, not %.17g", what, value, expected);
}

static km_changepoint_options case_options(const json_t *c) {
  km_changepoint_options options = km_changepoint_defaults();
  assert_true(km_changepoint_cost_parse(json_string_value(json_object_get(c, "model")), &options.cost));
  options.min_size = (size_t)json_integer_value(json_object_get(c, "min_size"));
  const json_t *k = json_object_get(c, "K");
  if (k) {
    options.n_changes = (int)json_integer_value(k);
    return options;
  }
  const char *penalty = json_string_value(json_object_get(c, "penalty"));
  if (strncmp(penalty, "bic-", 4) == 0) {
    assert_true(km_changepoint_noise_parse(penalty + 4, &options.noise));
  } else {
    options.penalty = KM_PENALTY_VALUE;
    options.beta = json_number_value(json_object_get(c, "beta"));
  }
  return options;
}

static void check_case(golden *g, const json_t *c, km_changepoint_options options) {
  km_changepoints found;
  km_err err = {0};
  assert_int_equal(km_changepoint_find(g->workspace, &g->series, &options, &found, &err), KM_OK);
  const json_t *breaks = json_object_get(c, "breakpoints");
  if (json_is_null(breaks)) {
    assert_false(found.found);
    assert_int_equal(found.n_breaks, 0);
    return;
  }
  assert_true(found.found);
  double gap = json_number_value(json_object_get(c, "gap")); /* null, only one segmentation, reads as 0 */
  bool decided = gap == 0 || gap > 1e-6;
  if (decided)
    assert_int_equal(found.n_breaks, json_array_size(breaks));
  for (size_t i = 0; decided && i < found.n_breaks; i++)
    assert_int_equal(found.breaks[i], json_integer_value(json_array_get(breaks, i)));
  if (!decided) {
    assert_near("total", found.total,
                json_number_value(json_object_get(c, options.n_changes < 0 ? "total" : "cost")));
    return;
  }
  assert_near("cost", found.cost, json_number_value(json_object_get(c, "cost")));
  if (options.n_changes >= 0)
    return;
  assert_near("beta", found.beta, json_number_value(json_object_get(c, "beta")));
  assert_near("total", found.total, json_number_value(json_object_get(c, "total")));
}

static void golden_cases(void **state) {
  golden *g = *state;
  size_t i;
  json_t *c;
  const json_t *cases = json_object_get(g->root, "cases");
  assert_int_equal(json_array_size(cases), 686);
  json_array_foreach(cases, i, c) {
    load_series(g, json_string_value(json_object_get(c, "series")));
    km_changepoint_options options = case_options(c);
    check_case(g, c, options);
    options.search = KM_SEARCH_PELT;
    check_case(g, c, options);
  }
}

static void golden_noise(void **state) {
  golden *g = *state;
  const char *name, *cost, *noise;
  json_t *by_cost, *by_noise, *expected;
  json_object_foreach(json_object_get(g->root, "sigma2"), name, by_cost) {
    load_series(g, name);
    json_object_foreach(by_cost, cost, by_noise) {
      json_object_foreach(by_noise, noise, expected) {
        km_changepoint_options options = km_changepoint_defaults();
        double sigma2;
        assert_true(km_changepoint_cost_parse(cost, &options.cost));
        assert_true(km_changepoint_noise_parse(noise, &options.noise));
        assert_int_equal(km_changepoint_sigma2(g->workspace, &g->series, &options, &sigma2, NULL), KM_OK);
        assert_near(name, sigma2, json_number_value(expected));
      }
    }
  }
}

/* The X cases
 * ------------------------------------------------------------------------------------------------------- */

static void load_case(golden *g, const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t n = 0;
  while (n < N_MAX && fscanf(file, "%lf", &g->y[n]) == 1)
    n++;
  fclose(file);
  g->series = (km_series){g->y, n, 1};
}

static km_changepoints find(golden *g, const km_changepoint_options *options) {
  km_changepoints found;
  km_err err = {0};
  if (km_changepoint_find(g->workspace, &g->series, options, &found, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return found;
}

static void x01_constant(void **state) {
  golden *g = *state;
  load_case(g, "tests/cases/inputs/X01.csv");
  assert_int_equal(g->series.n, 40);
  for (int offset = 0; offset < 2; offset++) {
    for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++)
      for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_WINDOW; search++)
        for (int penalty = KM_PENALTY_BIC; penalty <= KM_PENALTY_VALUE; penalty++) {
          km_changepoint_options options = km_changepoint_defaults();
          options.cost = (km_changepoint_cost)cost;
          options.search = (km_changepoint_search)search;
          options.penalty = (km_changepoint_penalty)penalty;
          km_changepoints found = find(g, &options);
          assert_int_equal(found.n_breaks, 0);
          assert_true(found.cost == 0 && isfinite(found.beta) && found.total == 0);
        }
    for (size_t i = 0; i < g->series.n; i++)
      g->y[i] = 0.1; /* a constant whose mean is rounded */
  }
}

static void x02_short(void **state) {
  golden *g = *state;
  for (size_t n = 0; n <= 3; n++)
    for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++)
      for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_WINDOW; search++) {
        load_case(g, n == 1 ? "tests/cases/inputs/X02.csv" : "tests/cases/inputs/X04.csv");
        g->series.n = n;
        km_changepoint_options options = km_changepoint_defaults();
        options.cost = (km_changepoint_cost)cost;
        options.search = (km_changepoint_search)search;
        km_changepoints found = find(g, &options);
        assert_int_equal(found.n_breaks, 0);
        assert_true(isfinite(found.total));
      }
}

static void x04_step(void **state) {
  golden *g = *state;
  load_case(g, "tests/cases/inputs/X04.csv");
  const double betas[] = {1e-6, 0.5, 10, 93, 93.749};
  for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_BINSEG; search++)
    for (size_t i = 0; i < sizeof betas / sizeof *betas; i++) {
      km_changepoint_options options = km_changepoint_defaults();
      options.search = (km_changepoint_search)search;
      options.penalty = KM_PENALTY_VALUE;
      options.beta = betas[i];
      km_changepoints found = find(g, &options);
      assert_int_equal(found.n_breaks, 1);
      assert_int_equal(found.breaks[0], 10);
      options.beta = 93.75;
      assert_int_equal(find(g, &options).n_breaks, 0);
    }
}

static void x07_ramp(void **state) {
  golden *g = *state;
  load_case(g, "tests/cases/inputs/X07.csv");
  km_changepoint_options options = km_changepoint_defaults();
  options.search = KM_SEARCH_BINSEG;
  options.n_changes = 1;
  km_changepoints found = find(g, &options);
  assert_int_equal(found.n_breaks, 1);
  assert_int_equal(found.breaks[0], 4);
  options.n_changes = 3;
  found = find(g, &options);
  assert_int_equal(found.n_breaks, 3);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(found.breaks[i], 2 * (i + 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_cases), cmocka_unit_test(golden_noise),
                                     cmocka_unit_test(x01_constant), cmocka_unit_test(x02_short),
                                     cmocka_unit_test(x04_step),     cmocka_unit_test(x07_ramp)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
