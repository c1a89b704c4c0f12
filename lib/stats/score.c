/* score.c: sums per game, replicates of them, percentile intervals.
 *
 * A position is kept as 2 · fine bin + outcome. A replicate adds, over the games with weight, their sums and
 * the weight itself into a histogram of those keys; AUC and calibration are read off the histogram. Within a
 * fine bin predictions count with their mean over the data, so that the point estimate of the calibration
 * error is exact. */
#include "kifumill/score.h"

#include "kifumill/hash.h"
#include "kifumill/summary.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 2 * KM_SCORE_FINE_BINS, COARSE = KM_SCORE_FINE_BINS / KM_CALIBRATION_BINS };
_Static_assert(KM_SCORE_FINE_BINS % KM_CALIBRATION_BINS == 0, "calibration bins are unions of fine bins");
_Static_assert(KEYS <= UINT16_MAX, "a key fits 16 bits");

/* What a replicate computes: the metrics, then the share of outcomes 1 in each calibration bin. */
enum { VALUES = KM_METRICS + KM_CALIBRATION_BINS };

typedef struct game_sums {
  uint64_t game;
  size_t first; /* of keys */
  double n, correct, log_loss, brier;
} game_sums;

struct km_score {
  game_sums *games;
  size_t n_games, games_capacity;
  uint16_t *keys;
  size_t n_keys, keys_capacity;
  double bin_sum[KM_SCORE_FINE_BINS], bin_n[KM_SCORE_FINE_BINS]; /* of the predictions in a fine bin */
};

static const char *const metric_names[] = {"accuracy", "log_loss", "brier", "auc", "ece"};
const char *km_metric_name(km_metric metric) {
  return (unsigned)metric < KM_METRICS ? metric_names[metric] : "unknown";
}

/* Exact AUC
 * ---------------------------------------------------------------------------------------------------------
 */

typedef struct scored {
  double score, y;
} scored;

static int by_score(const void *a, const void *b) {
  double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
  return x < y ? -1 : x > y;
}

km_status km_auc(double *auc, const double *score, const double *y, size_t n, km_err *err) {
  scored *order = malloc((n ? n : 1) * sizeof *order);
  if (!order)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to sort %zu scores", n);
  for (size_t i = 0; i < n; i++)
    order[i] = (scored){score[i], y[i]};
  qsort(order, n, sizeof *order, by_score);
  double won = 0, negatives = 0, positives = 0; /* won: pairs, ties as one half */
  for (size_t i = 0, j; i < n; i = j) {
    double up = 0, down = 0;
    for (j = i; j < n && order[j].score == order[i].score; j++) {
      up += order[j].y > 0;
      down += !(order[j].y > 0);
    }
    won += up * (negatives + 0.5 * down);
    positives += up;
    negatives += down;
  }
  free(order);
  *auc = positives > 0 && negatives > 0 ? won / (positives * negatives) : NAN;
  return KM_OK;
}

/* Collecting
 * -------------------------------------------------------------------------------------------------------- */

km_score *km_score_new(void) {
  return calloc(1, sizeof(km_score));
}

void km_score_free(km_score *score) {
  if (!score)
    return;
  free(score->games);
  free(score->keys);
  free(score);
}

/* array with room for needed items; NULL (array is kept) when memory is out. */
static void *reserve(void *array, size_t *capacity, size_t needed, size_t item_bytes, km_err *err) {
  if (array && needed <= *capacity)
    return array;
  size_t room = *capacity < 1024 ? 1024 : *capacity;
  while (room < needed)
    room *= 2;
  void *more = realloc(array, room * item_bytes);
  if (more)
    *capacity = room;
  else
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the scores of %zu positions or games", room);
  return more;
}

static km_status check_predictions(const double *p, const double *y, size_t n, km_err *err) {
  for (size_t i = 0; i < n; i++) {
    bool good = p[i] >= 0 && p[i] <= 1;
    if (good && (y[i] == 0 || y[i] == 1))
      continue;
    km_status status =
        good ? km_err_set(err, KM_ERR_FORMAT, 0, "outcome %zu is %g, neither 0 nor 1", i, y[i])
             : km_err_set(err, KM_ERR_FORMAT, 0, "probability %zu is %g, not in [0, 1]", i, p[i]);
    if (err)
      err->pos = i;
    return status;
  }
  return KM_OK;
}

km_status km_score_add(km_score *score, uint64_t game, const double *p, const double *y, size_t n,
                       km_err *err) {
  km_status status = check_predictions(p, y, n, err);
  if (status != KM_OK)
    return status;
  game_sums *games = reserve(score->games, &score->games_capacity, score->n_games + 1, sizeof *games, err);
  if (!games)
    return KM_ERR_NOMEM;
  score->games = games;
  uint16_t *keys = reserve(score->keys, &score->keys_capacity, score->n_keys + n, sizeof *keys, err);
  if (!keys)
    return KM_ERR_NOMEM;
  score->keys = keys;
  game_sums sums = {.game = game, .first = score->n_keys, .n = (double)n};
  for (size_t i = 0; i < n; i++) {
    double given = y[i] > 0 ? p[i] : 1 - p[i];
    size_t bin = (size_t)(p[i] * KM_SCORE_FINE_BINS);
    bin = bin < KM_SCORE_FINE_BINS ? bin : KM_SCORE_FINE_BINS - 1;
    sums.correct += given > 0.5 ? 1 : given == 0.5 ? 0.5 : 0;
    sums.log_loss -= log(given > 1e-15 ? given : 1e-15);
    sums.brier += (1 - given) * (1 - given);
    score->bin_sum[bin] += p[i];
    score->bin_n[bin]++;
    keys[score->n_keys++] = (uint16_t)(2 * bin + (y[i] > 0));
  }
  games[score->n_games++] = sums;
  return KM_OK;
}

/* Replicates, LANES at a time
 * ------------------------------------------------------------------------------------------------------- */

/* floor(2^32 · P(X ≤ w)) for X ~ Poisson(1), w = 0 … 11. */
static const uint32_t poisson[] = {
    1580030168, 3160060337, 3950075421, 4213413783, 4279248373, 4292415291,
    4294609777, 4294923276, 4294962463, 4294966817, 4294967252, 4294967292,
};

enum { SMALL_WEIGHTS = 5, WEIGHTS = sizeof poisson / sizeof *poisson, LANES = KM_BOOTSTRAP_LANES };

/* What all replicates of a game share. Two replicates are hashed at a time: each takes one half of the bits. */
static uint64_t game_hash(uint64_t seed, uint64_t game) {
  return km_mix64(km_mix64(km_mix64(seed) ^ game) ^ (uint64_t)KM_PURPOSE_BOOTSTRAP);
}

static unsigned large_weight(uint32_t bits) {
  unsigned weight = 0;
  while (weight < WEIGHTS && bits >= poisson[weight])
    weight++;
  return weight;
}

unsigned km_bootstrap_weight(uint64_t seed, uint64_t game, uint64_t replicate) {
  uint64_t bits = km_mix64(game_hash(seed, game) ^ replicate / 2);
  return large_weight((uint32_t)(replicate & 1 ? bits >> 32 : bits));
}

/* The weights of replicates first…first+LANES-1 (first is even), without a branch but for one weight in 1,700. */
static inline void weights_of(uint64_t hash, size_t first, uint32_t weight[LANES]) {
  uint32_t bits[LANES], most = 0;
  for (size_t k = 0; k < LANES; k += 2) {
    uint64_t both = km_mix64(hash ^ (first + k) / 2);
    bits[k] = (uint32_t)both;
    bits[k + 1] = (uint32_t)(both >> 32);
  }
  for (size_t k = 0; k < LANES; k++) {
    weight[k] = 0;
    for (unsigned w = 0; w <= SMALL_WEIGHTS; w++)
      weight[k] += bits[k] >= poisson[w];
  }
  for (size_t k = 0; k < LANES; k++)
    most = weight[k] > most ? weight[k] : most;
  for (size_t k = 0; k < LANES && most > SMALL_WEIGHTS; k++)
    weight[k] = large_weight(bits[k]);
}

void km_bootstrap_weights(uint32_t weight[LANES], uint64_t seed, uint64_t game, uint64_t first) {
  weights_of(game_hash(seed, game), (size_t)first, weight);
}

/* Of several replicates side by side: a position is looked up once for all of them. */
typedef struct totals {
  double n[LANES], correct[LANES], log_loss[LANES], brier[LANES];
  uint32_t count[KEYS][LANES];
} totals;

static void add_game(const km_score *score, size_t g, const uint32_t *restrict weight, totals *restrict t) {
  const game_sums *sums = &score->games[g];
  size_t end = g + 1 < score->n_games ? score->games[g + 1].first : score->n_keys;
  for (int k = 0; k < LANES; k++) {
    double times = weight[k];
    t->n[k] += times * sums->n;
    t->correct[k] += times * sums->correct;
    t->log_loss[k] += times * sums->log_loss;
    t->brier[k] += times * sums->brier;
  }
  for (size_t i = sums->first; i < end; i++) {
    uint32_t *count = t->count[score->keys[i]];
    for (int k = 0; k < LANES; k++)
      count[k] += weight[k];
  }
}

static void read_histogram(const km_score *score, const totals *t, int lane, double *value, double *auc_error) {
  double won = 0, tied = 0, positives = 0, negatives = 0, error = 0;
  for (size_t coarse = 0; coarse < KM_CALIBRATION_BINS; coarse++) {
    double n = 0, ones = 0, sum = 0;
    for (size_t bin = coarse * COARSE; bin < (coarse + 1) * COARSE; bin++) {
      double down = t->count[2 * bin][lane], up = t->count[2 * bin + 1][lane];
      won += up * negatives;
      tied += up * down;
      positives += up;
      negatives += down;
      n += up + down;
      ones += up;
      if (score->bin_n[bin] > 0)
        sum += (up + down) * (score->bin_sum[bin] / score->bin_n[bin]);
    }
    value[KM_METRICS + coarse] = n > 0 ? ones / n : NAN;
    error += fabs(ones - sum);
  }
  bool both = positives > 0 && negatives > 0;
  value[KM_METRIC_AUC] = both ? (won + 0.5 * tied) / (positives * negatives) : NAN;
  *auc_error = both ? 0.5 * tied / (positives * negatives) : NAN;
  value[KM_METRIC_ECE] = t->n[lane] > 0 ? error / t->n[lane] : NAN;
}

static void read_lane(const km_score *score, const totals *t, int lane, double *value, double *auc_error) {
  double n = t->n[lane];
  value[KM_METRIC_ACCURACY] = n > 0 ? t->correct[lane] / n : NAN;
  value[KM_METRIC_LOG_LOSS] = n > 0 ? t->log_loss[lane] / n : NAN;
  value[KM_METRIC_BRIER] = n > 0 ? t->brier[lane] / n : NAN;
  read_histogram(score, t, lane, value, auc_error);
}

/* All replicates
 * ---------------------------------------------------------------------------------------------------- */

struct km_replicates {
  km_bootstrap bootstrap;
  km_score_result result; /* all but the estimates */
  double point[VALUES];
  double value[]; /* n_replicates × VALUES */
};

typedef struct replication {
  const km_score *score;
  const uint64_t *hash; /* of the games */
  km_replicates *into;
} replication;

/* Replicates first…first+LANES-1. */
static km_status replicate_task(void *ctx, int thread, size_t i, km_err *err) {
  (void)thread;
  const replication *all = ctx;
  const km_score *score = all->score;
  size_t first = i * LANES, n = all->into->bootstrap.n_replicates;
  double auc_error;
  totals *t = calloc(1, sizeof *t);
  if (!t)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for bootstrap replicates");
  for (size_t g = 0; g < score->n_games; g++) {
    uint32_t weight[LANES];
    weights_of(all->hash[g], first, weight);
    add_game(score, g, weight, t);
  }
  for (size_t k = 0; k < LANES && first + k < n; k++)
    read_lane(score, t, (int)k, all->into->value + (first + k) * VALUES, &auc_error);
  free(t);
  return KM_OK;
}

static void describe(const km_score *score, const totals *t, km_score_result *out) {
  out->n_positions = t->n[0];
  out->n_games = score->n_games;
  for (size_t i = 0; i < KM_CALIBRATION_BINS; i++) {
    km_calibration_bin *bin = &out->calibration[i];
    double sum = 0;
    bin->low = (double)i / KM_CALIBRATION_BINS;
    bin->high = (double)(i + 1) / KM_CALIBRATION_BINS;
    for (size_t fine = i * COARSE; fine < (i + 1) * COARSE; fine++) {
      bin->n += score->bin_n[fine];
      sum += score->bin_sum[fine];
      out->n_positive += t->count[2 * fine + 1][0];
    }
    bin->mean_p = bin->n > 0 ? sum / bin->n : NAN;
  }
}

/* The figures of the data themselves: every game once, in the first lane. */
static km_status compute_point(km_replicates *all, const km_score *score, km_err *err) {
  static const uint32_t once[LANES] = {1};
  totals *t = calloc(1, sizeof *t);
  if (!t)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the histogram of a score");
  for (size_t g = 0; g < score->n_games; g++)
    add_game(score, g, once, t);
  read_lane(score, t, 0, all->point, &all->result.auc_error);
  describe(score, t, &all->result);
  free(t);
  return KM_OK;
}

static km_status compute_replicates(km_replicates *all, const km_score *score, km_err *err) {
  const km_bootstrap *b = &all->bootstrap;
  uint64_t *hash = malloc((score->n_games + 1) * sizeof *hash);
  if (!hash)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a bootstrap over %zu games", score->n_games);
  for (size_t g = 0; g < score->n_games; g++)
    hash[g] = game_hash(b->seed, score->games[g].game);
  replication r = {score, hash, all};
  km_status status = km_workers_run(b->workers, (b->n_replicates + LANES - 1) / LANES, replicate_task, &r, err);
  free(hash);
  return status;
}

km_status km_replicates_new(km_replicates **out, const km_score *score, const km_bootstrap *bootstrap,
                            km_err *err) {
  *out = NULL;
  const km_bootstrap *b = bootstrap;
  if (!(b->level > 0 && b->level < 1) && b->n_replicates)
    return km_err_set(err, KM_ERR_USAGE, 0, "the level of an interval is between 0 and 1, not %g", b->level);
  if (b->n_replicates > (size_t)1 << 24)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%zu bootstrap replicates are beyond the limit of 2^24",
                      b->n_replicates);
  if (score->n_keys > UINT32_MAX / WEIGHTS)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%zu positions are beyond the %u that one figure may have", score->n_keys,
                      UINT32_MAX / WEIGHTS);
  km_replicates *all = calloc(1, sizeof *all + b->n_replicates * VALUES * sizeof *all->value);
  if (!all)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu bootstrap replicates", b->n_replicates);
  all->bootstrap = *b;
  km_status status = compute_point(all, score, err);
  if (status == KM_OK && b->n_replicates)
    status = compute_replicates(all, score, err);
  if (status == KM_OK)
    *out = all;
  else
    free(all);
  return status;
}

void km_replicates_free(km_replicates *replicates) {
  free(replicates);
}

/* The estimate of value v, or of its difference to that of minus. */
static km_estimate interval(const km_replicates *all, const km_replicates *minus, size_t v, double *scratch) {
  km_estimate e = {all->point[v] - (minus ? minus->point[v] : 0), NAN, NAN};
  size_t n = 0;
  for (size_t r = 0; r < all->bootstrap.n_replicates; r++) {
    double value = all->value[r * VALUES + v] - (minus ? minus->value[r * VALUES + v] : 0);
    if (!isnan(value))
      scratch[n++] = value;
  }
  km_sort(scratch, n);
  e.low = km_quantile(scratch, n, 0.5 * (1 - all->bootstrap.level));
  e.high = km_quantile(scratch, n, 0.5 * (1 + all->bootstrap.level));
  return e;
}

static double *new_scratch(const km_replicates *all, km_err *err) {
  double *scratch = malloc((all->bootstrap.n_replicates + 1) * sizeof *scratch);
  if (!scratch)
    km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu bootstrap replicates", all->bootstrap.n_replicates);
  return scratch;
}

km_status km_replicates_evaluate(const km_replicates *replicates, km_score_result *out, km_err *err) {
  double *scratch = new_scratch(replicates, err);
  if (!scratch)
    return KM_ERR_NOMEM;
  *out = replicates->result;
  for (size_t v = 0; v < KM_METRICS; v++)
    out->metric[v] = interval(replicates, NULL, v, scratch);
  for (size_t i = 0; i < KM_CALIBRATION_BINS; i++)
    out->calibration[i].share = interval(replicates, NULL, KM_METRICS + i, scratch);
  free(scratch);
  return KM_OK;
}

km_status km_replicates_compare(const km_replicates *a, const km_replicates *b, km_estimate difference[KM_METRICS],
                                km_err *err) {
  if (a->bootstrap.n_replicates != b->bootstrap.n_replicates || a->bootstrap.seed != b->bootstrap.seed)
    return km_err_set(err, KM_ERR_STATE, 0, "two models are compared by different bootstraps");
  double *scratch = new_scratch(a, err);
  if (!scratch)
    return KM_ERR_NOMEM;
  for (size_t v = 0; v < KM_METRICS; v++)
    difference[v] = interval(a, b, v, scratch);
  free(scratch);
  return KM_OK;
}

km_status km_score_evaluate(const km_score *score, const km_bootstrap *bootstrap, km_score_result *out,
                            km_err *err) {
  km_replicates *all;
  *out = (km_score_result){0};
  km_status status = km_replicates_new(&all, score, bootstrap, err);
  if (status == KM_OK)
    status = km_replicates_evaluate(all, out, err);
  km_replicates_free(all);
  return status;
}

km_status km_score_compare(const km_score *a, const km_score *b, const km_bootstrap *bootstrap,
                           km_estimate difference[KM_METRICS], km_err *err) {
  km_replicates *left = NULL, *right = NULL;
  km_status status = km_replicates_new(&left, a, bootstrap, err);
  if (status == KM_OK)
    status = km_replicates_new(&right, b, bootstrap, err);
  if (status == KM_OK)
    status = km_replicates_compare(left, right, difference, err);
  km_replicates_free(left);
  km_replicates_free(right);
  return status;
}
