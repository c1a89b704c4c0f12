/* test_logistic.c: tests/golden/logreg.json; the optimum by its gradient; standard errors against the
 * textbook formulas in the given columns; separation, dependent columns, far-off columns; the cut into blocks
 * and the threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/logistic.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 3000, K_MAX = 6 };

typedef struct table {
  double x[ROWS_MAX * K_MAX], y[ROWS_MAX];
  uint64_t group[ROWS_MAX];
  size_t n, k, per_block;
} table;

static table data;

static km_status block(void *ctx, int thread, size_t i, km_rows *rows, km_err *err) {
  (void)thread;
  (void)err;
  const table *t = ctx;
  size_t first = i * t->per_block, n = t->n - first < t->per_block ? t->n - first : t->per_block;
  *rows = (km_rows){t->x + first * t->k, t->y + first, t->group + first, n, t->k};
  return KM_OK;
}

static km_row_source source_of(table *t, size_t per_block) {
  t->per_block = per_block;
  return (km_row_source){block, t, (t->n + per_block - 1) / per_block, t->k};
}

/* Every other task first: another order than the plain loop's. */
static km_status shuffled(size_t n, int n_threads, km_task body, void *ctx, km_err *err) {
  km_status result = KM_OK;
  for (size_t turn = 0; turn < 2; turn++)
    for (size_t i = n; i-- > 0;)
      if (i % 2 == turn && result == KM_OK)
        result = body(ctx, (int)(i % (size_t)n_threads), i, err);
  return result;
}

static km_logistic fit(table *t, size_t per_block, double ridge) {
  km_logistic model;
  km_err err = {0};
  km_row_source source = source_of(t, per_block);
  km_logistic_options options = {.ridge = ridge};
  if (km_logistic_fit(&model, &source, &options, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return model;
}

static void assert_near(double value, double expected, double relative) {
  if (!(fabs(value - expected) <= relative * fmax(1e-300, fabs(expected))))
    fail_msg("%.17g is not %.17g", value, expected);
}

static void load(const json_t *c) {
  const json_t *x = json_object_get(c, "X"), *y = json_object_get(c, "y");
  data.n = json_array_size(y);
  data.k = json_array_size(json_array_get(x, 0));
  for (size_t i = 0; i < data.n; i++) {
    data.y[i] = json_number_value(json_array_get(y, i));
    data.group[i] = i;
    for (size_t j = 0; j < data.k; j++)
      data.x[i * data.k + j] = json_number_value(json_array_get(json_array_get(x, i), j));
  }
}

static void golden(void **state) {
  (void)state;
  json_error_t error;
  json_t *root = json_load_file("tests/golden/logreg.json", 0, &error), *c;
  size_t i, j;
  assert_non_null(root);
  assert_int_equal(json_array_size(root), 9);
  json_array_foreach(root, i, c) {
    load(c);
    km_logistic model = fit(&data, 1000, json_number_value(json_object_get(c, "lambda")));
    assert_int_equal(model.converged, json_is_true(json_object_get(c, "converged")));
    if (model.converged) {
      for (j = 0; j <= data.k; j++)
        assert_near(model.beta[j], json_number_value(json_array_get(json_object_get(c, "beta"), j)), 1e-11);
      double mean_loss = -model.log_likelihood / (double)data.n;
      assert_near(mean_loss, json_number_value(json_object_get(c, "log_loss")), 1e-12);
      const json_t *p = json_object_get(c, "p_first");
      for (j = 0; j < json_array_size(p); j++)
        assert_near(km_logistic_predict(&model, data.x + j * data.k), json_number_value(json_array_get(p, j)),
                    1e-11);
    } else {
      assert_int_equal(model.outcome, KM_LOGISTIC_SEPARATED);
      assert_true(isnan(model.se[0]) && isfinite(model.beta[0]));
    }
    km_logistic_clear(&model);
  }
  json_decref(root);
}

/* Games of 10 rows whose outcome is shared, three features of very different scale and level. */
static void random_table(uint64_t seed, size_t n) {
  data.n = n;
  data.k = 3;
  for (size_t i = 0; i < n; i++) {
    uint64_t game = i / 10;
    double a = km_random_unit(km_random(seed, i, 1, KM_PURPOSE_SAMPLE)) * 4 - 2;
    double b = km_random_unit(km_random(seed, game, 2, KM_PURPOSE_SAMPLE)) * 2;
    double c = km_random_unit(km_random(seed, i, 3, KM_PURPOSE_SAMPLE));
    data.x[3 * i] = a;
    data.x[3 * i + 1] = 1e6 * b;
    data.x[3 * i + 2] = 100 + 0.01 * c;
    data.y[i] = km_random_unit(km_random(seed, game, 4, KM_PURPOSE_SAMPLE)) < km_sigmoid(0.5 * a + b - c);
    data.group[i] = game;
  }
}

/* Gradient and information of the penalised likelihood at beta, in long double and the given columns. */
static void slow_sums(const km_logistic *m, double ridge, long double *gradient,
                      long double information[4][4], long double meat[4][4]) {
  long double score[4] = {0};
  memset(gradient, 0, 4 * sizeof *gradient);
  memset(information, 0, 16 * sizeof(long double));
  memset(meat, 0, 16 * sizeof(long double));
  for (size_t i = 0; i < data.n; i++) {
    long double z[4] = {1, data.x[3 * i], data.x[3 * i + 1], data.x[3 * i + 2]}, eta = 0;
    for (int a = 0; a < 4; a++)
      eta += m->beta[a] * z[a];
    long double p = 1 / (1 + expl(-eta));
    for (int a = 0; a < 4; a++) {
      gradient[a] += (data.y[i] - p) * z[a];
      score[a] += (data.y[i] - p) * z[a];
      for (int b = 0; b < 4; b++)
        information[a][b] += p * (1 - p) * z[a] * z[b];
    }
    if (i + 1 < data.n && data.group[i + 1] == data.group[i])
      continue;
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++)
        meat[a][b] += score[a] * score[b];
    memset(score, 0, sizeof score);
  }
  for (int a = 1; a < 4; a++) {
    gradient[a] -= ridge * m->beta[a];
    information[a][a] += ridge;
  }
}

/* Gauss–Jordan with rows scaled; the matrix is small. */
static void invert(long double m[4][4], long double inverse[4][4]) {
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++)
      inverse[a][b] = a == b;
  for (int a = 0; a < 4; a++) {
    long double pivot = m[a][a];
    for (int b = 0; b < 4; b++) {
      m[a][b] /= pivot;
      inverse[a][b] /= pivot;
    }
    for (int r = 0; r < 4; r++) {
      long double factor = r == a ? 0 : m[r][a];
      for (int b = 0; b < 4; b++) {
        m[r][b] -= factor * m[a][b];
        inverse[r][b] -= factor * inverse[a][b];
      }
    }
  }
}

static void optimum_and_errors(void **state) {
  (void)state;
  const double ridges[] = {0, 0.5};
  for (uint64_t seed = 1; seed <= 5; seed++)
    for (int r = 0; r < 2; r++) {
      random_table(seed, 2000);
      km_logistic m = fit(&data, 500, ridges[r]);
      long double gradient[4], information[4][4], inverse[4][4], meat[4][4];
      assert_true(m.converged && m.n_dropped == 0 && m.n_rows == 2000 && m.n_groups == 200);
      slow_sums(&m, ridges[r], gradient, information, meat);
      for (int a = 0; a < 4;
           a++) /* the step that would be left to the optimum is far below the standard error */
        assert_true(fabsl(gradient[a]) < 1e-6L * sqrtl(information[a][a]));
      invert(information, inverse);
      for (int a = 0; a < 4; a++) {
        long double cluster = 0;
        for (int b = 0; b < 4; b++)
          for (int c = 0; c < 4; c++)
            cluster += inverse[a][b] * meat[b][c] * inverse[c][a];
        assert_near(m.se[a], (double)sqrtl(inverse[a][a]), 1e-5);
        assert_near(m.se_cluster[a], (double)sqrtl(cluster * 200 / 199), 1e-5);
      }
      km_logistic_clear(&m);
    }
}

static void blocks_and_threads(void **state) {
  (void)state;
  random_table(9, 3000);
  km_logistic plain = fit(&data, 10, 1), other = fit(&data, 1000, 1), threads;
  km_row_source source = source_of(&data, 10); /* 300 blocks: several waves */
  km_logistic_options options = {.ridge = 1, .workers = {shuffled, 7}};
  assert_int_equal(km_logistic_fit(&threads, &source, &options, NULL), KM_OK);
  assert_memory_equal(plain.beta, threads.beta,
                      3 * 4 * sizeof *plain.beta); /* beta, se, se_cluster: same bytes */
  for (int a = 0; a < 4; a++) {
    assert_near(other.beta[a], plain.beta[a], 1e-8);
    assert_near(other.se_cluster[a], plain.se_cluster[a], 1e-8);
  }
  km_logistic_clear(&plain);
  km_logistic_clear(&other);
  km_logistic_clear(&threads);
}

static void dropped_columns(void **state) {
  (void)state;
  random_table(4, 2000);
  km_logistic three = fit(&data, 500, 0);
  static table wide;
  wide.n = data.n;
  wide.k = 6;
  memcpy(wide.y, data.y, sizeof wide.y);
  memcpy(wide.group, data.group, sizeof wide.group);
  for (size_t i = 0; i < data.n; i++) {
    const double *x = data.x + 3 * i;
    const double row[6] = {7.1, x[0], x[1], x[0] + 1e-6 * x[1], x[2], 3 * x[0] - 2};
    memcpy(wide.x + 6 * i, row, sizeof row);
  }
  km_logistic m = fit(&wide, 500, 0);
  assert_true(m.converged);
  assert_int_equal(m.n_dropped, 3);
  const int same_as[7] = {0, -1, 1, 2, -1, 3, -1};
  for (int a = 0; a < 7; a++) {
    if (same_as[a] < 0) {
      assert_true(m.beta[a] == 0 && isnan(m.se[a]) && isnan(m.se_cluster[a]));
      continue;
    }
    assert_near(m.beta[a], three.beta[same_as[a]], 1e-7);
    assert_near(m.se[a], three.se[same_as[a]], 1e-7);
  }
  km_logistic_clear(&m);
  m = fit(&wide, 500, 1); /* the ridge decides between dependent columns; the constant one is of no use */
  assert_true(m.converged && m.n_dropped == 1 && m.beta[1] == 0 && m.beta[2] != 0 && m.beta[6] != 0);
  km_logistic_clear(&m);
  km_logistic_clear(&three);
}

static void separation(void **state) {
  (void)state;
  data.k = 1;
  data.n = 7; /* quasi-complete: both outcomes at x = 3 and nowhere else */
  const double x[] = {0, 1, 2, 3, 3, 4, 5}, y[] = {0, 0, 0, 0, 1, 1, 1};
  memcpy(data.x, x, sizeof x);
  memcpy(data.y, y, sizeof y);
  km_logistic m = fit(&data, 3, 0);
  assert_true(!m.converged && m.outcome == KM_LOGISTIC_SEPARATED && isfinite(m.beta[1]));
  km_logistic_clear(&m);
  m = fit(&data, 3, 1e-3);
  assert_true(m.converged);
  km_logistic_clear(&m);
  for (size_t i = 0; i < data.n; i++)
    data.y[i] = 1;
  for (int ridge = 0; ridge < 2; ridge++) { /* one class: the intercept runs away, ridge or not */
    m = fit(&data, 3, ridge);
    assert_true(!m.converged && m.outcome == KM_LOGISTIC_SEPARATED);
    km_logistic_clear(&m);
  }
  data.n = 0;
  m = fit(&data, 3, 0);
  assert_true(!m.converged && m.n_rows == 0);
  km_logistic_clear(&m);
}

static void refusals(void **state) {
  (void)state;
  km_logistic m;
  km_err err = {0};
  random_table(4, 100);
  km_row_source source = source_of(&data, 30);
  km_logistic_options options = {.ridge = -1};
  assert_int_equal(km_logistic_fit(&m, &source, &options, &err), KM_ERR_USAGE);
  options.ridge = 0;
  data.y[65] = 0.5;
  assert_int_equal(km_logistic_fit(&m, &source, &options, &err), KM_ERR_FORMAT);
  assert_int_equal(err.pos, 5);
  assert_non_null(strstr(err.msg, "block 2"));
  data.y[65] = 0;
  data.x[3 * 31 + 1] = NAN;
  assert_int_equal(km_logistic_fit(&m, &source, &options, &err), KM_ERR_FORMAT);
  assert_null(m.beta);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden),
                                     cmocka_unit_test(optimum_and_errors),
                                     cmocka_unit_test(blocks_and_threads),
                                     cmocka_unit_test(dropped_columns),
                                     cmocka_unit_test(separation),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
