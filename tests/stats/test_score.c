/* test_score.c: metrics against their definitions position by position, the AUC of tests/golden/logreg.json
 * exactly and by all pairs, intervals that cover and do not depend on threads or order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/logistic.h"
#include "kifumill/score.h"
#include "kifumill/summary.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 4000 };

static double p[N_MAX], y[N_MAX];
static const uint64_t seed = 11;

static double unit(uint64_t i, uint64_t what) {
  return km_random_unit(km_random(seed, i, what, KM_PURPOSE_SAMPLE));
}

static double slow_auc(const double *score, const double *outcome, size_t n) {
  double won = 0, pairs = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      if (outcome[i] > 0 && !(outcome[j] > 0)) {
        won += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
        pairs++;
      }
  return pairs > 0 ? won / pairs : NAN;
}

/* Backwards, over threads that do not exist. */
static km_status backwards(size_t n, int n_threads, km_task body, void *ctx, km_err *err) {
  km_status status = KM_OK;
  while (n-- > 0 && status == KM_OK)
    status = body(ctx, (int)(n % (size_t)n_threads), n, err);
  return status;
}

/* Games of per_game positions that share their outcome; predictions that know something of it. */
static void fill(size_t n, size_t per_game, double skill) {
  for (size_t i = 0; i < n; i++) {
    y[i] = unit(i / per_game, 1) < 0.5;
    double lean = skill * (y[i] - 0.5) + 2 * (unit(i, 2) - 0.5);
    p[i] = km_sigmoid(lean);
  }
}

static km_score *score_games(size_t n, size_t per_game) {
  km_score *score = km_score_new();
  assert_non_null(score);
  for (size_t i = 0; i < n; i += per_game)
    assert_int_equal(
        km_score_add(score, i / per_game, p + i, y + i, n - i < per_game ? n - i : per_game, NULL), KM_OK);
  return score;
}

static void auc_is_all_pairs(void **state) {
  (void)state;
  for (uint64_t round = 0; round < 200; round++) {
    double score[60], outcome[60], auc, expected;
    size_t n = round % 60;
    for (size_t i = 0; i < n; i++) {
      score[i] = (double)km_random_below(km_random(seed, round, i, KM_PURPOSE_SAMPLE), 2 + round % 30);
      outcome[i] = unit(round * 60 + i, 5) < 0.4;
    }
    expected = slow_auc(score, outcome, n);
    assert_int_equal(km_auc(&auc, score, outcome, n, NULL), KM_OK);
    assert_true(isnan(expected) ? isnan(auc) : fabs(auc - expected) < 1e-14);
  }
}

static km_status one_block(void *ctx, int thread, size_t i, km_rows *rows, km_err *err) {
  (void)thread;
  (void)i;
  (void)err;
  *rows = *(const km_rows *)ctx;
  return KM_OK;
}

static void golden(void **state) {
  (void)state;
  json_error_t error;
  json_t *root = json_load_file("tests/golden/logreg.json", 0, &error), *c;
  size_t at, i, j;
  assert_non_null(root);
  json_array_foreach(root, at, c) {
    if (!json_is_true(json_object_get(c, "converged")))
      continue;
    static double x[N_MAX];
    const json_t *x_json = json_object_get(c, "X"), *y_json = json_object_get(c, "y");
    size_t n = json_array_size(y_json), k = json_array_size(json_array_get(x_json, 0));
    for (i = 0; i < n; i++) {
      y[i] = json_number_value(json_array_get(y_json, i));
      for (j = 0; j < k; j++)
        x[i * k + j] = json_number_value(json_array_get(json_array_get(x_json, i), j));
    }
    km_rows rows = {x, y, NULL, n, k};
    km_row_source source = {one_block, &rows, 1, k};
    km_logistic_options options = {.ridge = json_number_value(json_object_get(c, "lambda"))};
    km_logistic model;
    assert_int_equal(km_logistic_fit(&model, &source, &options, NULL), KM_OK);
    for (i = 0; i < n; i++)
      p[i] = km_logistic_predict(&model, x + i * k);
    km_score *score = score_games(n, 1);
    km_bootstrap bootstrap = {0};
    km_score_result r;
    double auc;
    assert_int_equal(km_score_evaluate(score, &bootstrap, &r, NULL), KM_OK);
    assert_int_equal(km_auc(&auc, p, y, n, NULL), KM_OK);
    assert_true(fabs(auc - json_number_value(json_object_get(c, "auc"))) < 1e-12);
    assert_true(fabs(r.metric[KM_METRIC_AUC].value - auc) <= r.auc_error + 1e-12);
    assert_true(fabs(r.metric[KM_METRIC_LOG_LOSS].value - json_number_value(json_object_get(c, "log_loss"))) <
                1e-11);
    assert_true(fabs(r.metric[KM_METRIC_BRIER].value - json_number_value(json_object_get(c, "brier"))) <
                1e-11);
    assert_true(isnan(r.metric[KM_METRIC_BRIER].low));
    km_score_free(score);
    km_logistic_clear(&model);
  }
  json_decref(root);
}

static void definitions(void **state) {
  (void)state;
  fill(N_MAX, 20, 1.5);
  p[7] = 0.5;
  p[8] = 1;
  p[9] = 0;
  km_score *score = score_games(N_MAX, 20);
  km_bootstrap bootstrap = {.seed = 1, .n_replicates = 50, .level = 0.9};
  km_score_result r;
  assert_int_equal(km_score_evaluate(score, &bootstrap, &r, NULL), KM_OK);
  double correct = 0, loss = 0, brier = 0, ece = 0, auc;
  for (size_t i = 0; i < N_MAX; i++) {
    double given = y[i] > 0 ? p[i] : 1 - p[i];
    correct += p[i] == 0.5 ? 0.5 : (p[i] > 0.5) == (y[i] > 0);
    loss -= log(fmax(given, 1e-15));
    brier += (p[i] - y[i]) * (p[i] - y[i]);
  }
  for (size_t bin = 0; bin < KM_CALIBRATION_BINS; bin++) {
    double n = 0, ones = 0, sum = 0;
    for (size_t i = 0; i < N_MAX; i++)
      if (p[i] * 10 >= (double)bin && (p[i] * 10 < (double)bin + 1 || bin == 9)) {
        n++;
        ones += y[i];
        sum += p[i];
      }
    const km_calibration_bin *b = &r.calibration[bin];
    assert_true(b->n == n);
    ece += fabs(ones - sum) / N_MAX;
    if (n == 0)
      continue;
    assert_true(fabs(b->mean_p - sum / n) < 1e-12 && fabs(b->share.value - ones / n) < 1e-12);
    assert_true(b->share.low <= b->share.high);
  }
  assert_int_equal(km_auc(&auc, p, y, N_MAX, NULL), KM_OK);
  assert_true(fabs(r.metric[KM_METRIC_ACCURACY].value - correct / N_MAX) < 1e-12);
  assert_true(fabs(r.metric[KM_METRIC_LOG_LOSS].value - loss / N_MAX) < 1e-12);
  assert_true(fabs(r.metric[KM_METRIC_BRIER].value - brier / N_MAX) < 1e-12);
  assert_true(fabs(r.metric[KM_METRIC_ECE].value - ece) < 1e-12);
  assert_true(r.auc_error < 1e-3 && fabs(r.metric[KM_METRIC_AUC].value - auc) <= r.auc_error);
  assert_true(r.n_games == 200 && r.n_positions == N_MAX);
  km_score_free(score);
}

static void same_for_threads_and_order(void **state) {
  (void)state;
  fill(2000, 10, 1);
  km_score *forward = score_games(2000, 10), *reversed = km_score_new();
  for (size_t i = 2000; i > 0; i -= 10)
    assert_int_equal(km_score_add(reversed, (i - 10) / 10, p + i - 10, y + i - 10, 10, NULL), KM_OK);
  km_bootstrap plain = {.seed = 5, .n_replicates = 200, .level = 0.95}, threads = plain;
  threads.workers = (km_workers){backwards, 3};
  km_score_result a, b, c;
  assert_int_equal(km_score_evaluate(forward, &plain, &a, NULL), KM_OK);
  assert_int_equal(km_score_evaluate(forward, &threads, &b, NULL), KM_OK);
  assert_int_equal(km_score_evaluate(reversed, &plain, &c, NULL), KM_OK);
  assert_memory_equal(a.metric, b.metric, sizeof a.metric);
  assert_memory_equal(a.calibration, b.calibration, sizeof a.calibration);
  for (int m = 0; m < KM_METRICS; m++)
    assert_true(fabs(a.metric[m].low - c.metric[m].low) < 1e-12 &&
                fabs(a.metric[m].high - c.metric[m].high) < 1e-12);
  km_score_free(forward);
  km_score_free(reversed);
}

/* The outcome is shared within a game, so an interval that took positions as independent would be far too
 * narrow. */
static void clusters_widen(void **state) {
  (void)state;
  fill(N_MAX, 40, 0);
  km_score *games = score_games(N_MAX, 40), *positions = score_games(N_MAX, 1);
  km_bootstrap bootstrap = {.seed = 2, .n_replicates = 400, .level = 0.95};
  km_score_result g, q;
  assert_int_equal(km_score_evaluate(games, &bootstrap, &g, NULL), KM_OK);
  assert_int_equal(km_score_evaluate(positions, &bootstrap, &q, NULL), KM_OK);
  km_estimate share_g = g.calibration[5].share, share_q = q.calibration[5].share;
  assert_true(share_g.value == share_q.value);
  assert_true(share_g.high - share_g.low > 2 * (share_q.high - share_q.low));
  double sd = (q.metric[KM_METRIC_ACCURACY].high - q.metric[KM_METRIC_ACCURACY].low) / (2 * 1.96);
  double expected = sqrt(0.25 / N_MAX); /* of independent positions: the textbook value */
  assert_true(sd > 0.8 * expected && sd < 1.2 * expected);
  km_score_free(games);
  km_score_free(positions);
}

static void differences_are_paired(void **state) {
  (void)state;
  fill(2000, 10, 1);
  km_score *a = score_games(2000, 10);
  for (size_t i = 0; i < 2000; i++) /* slightly worse everywhere */
    p[i] = 0.5 + 0.9 * (p[i] - 0.5);
  km_score *b = score_games(2000, 10);
  km_bootstrap bootstrap = {.seed = 2, .n_replicates = 200, .level = 0.95};
  km_score_result r;
  km_estimate d[KM_METRICS], zero[KM_METRICS];
  assert_int_equal(km_score_evaluate(a, &bootstrap, &r, NULL), KM_OK);
  assert_int_equal(km_score_compare(a, b, &bootstrap, d, NULL), KM_OK);
  assert_int_equal(km_score_compare(a, a, &bootstrap, zero, NULL), KM_OK);
  for (int m = 0; m < KM_METRICS; m++)
    assert_true(zero[m].value == 0 && zero[m].low == 0 && zero[m].high == 0);
  assert_true(d[KM_METRIC_ACCURACY].value == 0 && d[KM_METRIC_BRIER].value < 0);
  assert_true(d[KM_METRIC_BRIER].high - d[KM_METRIC_BRIER].low <
              0.5 * (r.metric[KM_METRIC_BRIER].high - r.metric[KM_METRIC_BRIER].low));
  km_score_free(a);
  km_score_free(b);
}

static void undefined_and_refused(void **state) {
  (void)state;
  km_score *score = km_score_new();
  km_bootstrap bootstrap = {.n_replicates = 10, .level = 0.95};
  km_score_result r;
  km_err err = {0};
  assert_int_equal(km_score_evaluate(score, &bootstrap, &r, NULL), KM_OK);
  for (int m = 0; m < KM_METRICS; m++)
    assert_true(isnan(r.metric[m].value) && isnan(r.metric[m].low));
  const double ones[] = {1, 1}, half[] = {0.5, 0.5}, bad[] = {0.5, NAN}, out[] = {0.5, 1.01},
               draw[] = {1, 0.5};
  assert_int_equal(km_score_add(score, 1, bad, ones, 2, &err), KM_ERR_FORMAT);
  assert_int_equal(err.pos, 1);
  assert_int_equal(km_score_add(score, 1, out, ones, 2, &err), KM_ERR_FORMAT);
  assert_int_equal(km_score_add(score, 1, half, draw, 2, &err), KM_ERR_FORMAT);
  assert_int_equal(km_score_add(score, 1, half, ones, 2, &err), KM_OK);
  assert_int_equal(km_score_evaluate(score, &bootstrap, &r, NULL), KM_OK);
  assert_true(r.metric[KM_METRIC_ACCURACY].value == 0.5 && isnan(r.metric[KM_METRIC_AUC].value));
  bootstrap.level = 1;
  assert_int_equal(km_score_evaluate(score, &bootstrap, &r, &err), KM_ERR_USAGE);
  km_score_free(score);
}

static void weights_are_poisson(void **state) {
  (void)state;
  double count[14] = {0}, expected = exp(-1), n = 200000;
  for (uint64_t i = 0; i < 200000; i++) {
    uint32_t side_by_side[KM_BOOTSTRAP_LANES];
    unsigned weight = km_bootstrap_weight(3, i, 17);
    km_bootstrap_weights(side_by_side, 3, i, 16);
    assert_int_equal(side_by_side[1], weight);
    count[weight]++;
  }
  for (int w = 0; w < 6; w++) {
    assert_true(fabs(count[w] - n * expected) < 5 * sqrt(n * expected));
    expected /= w + 1;
  }
}

/* Intervals of accuracy and log-loss against replicates made one by one from the weights. */
static void replicates_one_by_one(void **state) {
  (void)state;
  enum { GAMES = 600, EACH = 3, MOST = 37 };
  static double given_p[GAMES][EACH], won[EACH];
  km_score *score = km_score_new();
  for (uint64_t g = 0; g < GAMES; g++) {
    for (int i = 0; i < EACH; i++) {
      given_p[g][i] = km_random_unit(km_random(4, g, (uint64_t)i, KM_PURPOSE_SAMPLE));
      won[i] = g & 1;
    }
    assert_int_equal(km_score_add(score, g * g, given_p[g], won, EACH, NULL), KM_OK);
  }
  for (size_t n = 1; n <= MOST; n += 4) {
    double value[2][MOST] = {{0}};
    for (uint64_t r = 0; r < n; r++) {
      double weights = 0;
      for (uint64_t g = 0; g < GAMES; g++)
        for (int i = 0; i < EACH; i++) {
          double weight = km_bootstrap_weight(7, g * g, r), given = g & 1 ? given_p[g][i] : 1 - given_p[g][i];
          value[0][r] += weight * (given > 0.5);
          value[1][r] -= weight * log(given);
          weights += weight;
        }
      value[0][r] /= weights;
      value[1][r] /= weights;
    }
    km_bootstrap bootstrap = {.seed = 7, .n_replicates = n, .level = 0.8};
    km_score_result result;
    assert_int_equal(km_score_evaluate(score, &bootstrap, &result, NULL), KM_OK);
    for (int k = 0; k < 2; k++) {
      const km_estimate *e = &result.metric[k ? KM_METRIC_LOG_LOSS : KM_METRIC_ACCURACY];
      km_sort(value[k], n);
      assert_true(fabs(e->low - km_quantile(value[k], n, 0.1)) < 1e-12);
      assert_true(fabs(e->high - km_quantile(value[k], n, 0.9)) < 1e-12);
    }
  }
  km_score_free(score);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(auc_is_all_pairs),      cmocka_unit_test(golden),
      cmocka_unit_test(definitions),           cmocka_unit_test(same_for_threads_and_order),
      cmocka_unit_test(clusters_widen),        cmocka_unit_test(differences_are_paired),
      cmocka_unit_test(undefined_and_refused), cmocka_unit_test(weights_are_poisson),
      cmocka_unit_test(replicates_one_by_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
