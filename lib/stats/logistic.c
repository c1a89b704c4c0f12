/* logistic.c: Newton's method on standardised columns, with sums over blocks combined in the order of the
 * blocks.
 *
 * First pass: means and variances of the columns and their correlations, from which constant and dependent
 * columns are dropped (a Cholesky factorisation in the order of the columns: what is left of a column after
 * the earlier ones is its pivot). Then one pass an iteration: log-likelihood, gradient, information, and the
 * scores of the groups for the sandwich. A step that lowers the penalised log-likelihood is halved. Blocks
 * are worked on in waves of 64, whose sums are kept apart and added in order: threads cannot change the
 * result.
 *
 * Separation: without a ridge, an iterate with every row on its own side of the plane proves that no optimum
 * exists. Where rows lie on the plane, steps stay of order 1 for ever, and the iterations end. */
#include "kifumill/logistic.h"

#include "kifumill/summary.h"
#include "outer_sum.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAVE = 64, ITERATIONS = 50, FEATURES_MAX = 4096 };
static const double dependent =
    1e-9; /* share of a column's variance that earlier columns leave, below which it is dropped */

/* Sums over one block or all. p = kept columns + intercept. */
typedef struct sums {
  double n, n_positive, n_groups;
  double log_likelihood, least_margin; /* margin: (2y − 1) · eta */
  double *gradient;                    /* p */
  double *information, *meat;          /* p × p, lower triangle, row-major */
  km_moments *moments;                 /* n_features: first pass */
  double *cross;       /* n_features × n_features, lower: first pass, Σ (x − mean)(x − mean)' */
  double *row, *score; /* scratch: KM_OUTER_ROWS standardised rows, scores of a group */
} sums;

typedef struct fit {
  const km_row_source *source;
  const km_logistic_options *options;
  size_t k, p;       /* features; kept columns + 1 */
  size_t *kept;      /* p − 1 columns */
  double *mean, *sd, *inverse_sd; /* k */
  double *gamma;     /* p: coefficients of the standardised columns */
  double *step, *previous;
  double *inverse;   /* p × p */
  sums total, *wave; /* wave: WAVE */
  size_t wave_start;
  bool first_pass;
  double *memory;
} fit;

double km_sigmoid(double eta) {
  double e = exp(-fabs(eta));
  return eta >= 0 ? 1 / (1 + e) : e / (1 + e);
}

double km_logistic_predict(const km_logistic *model, const double *x) {
  double eta = model->beta[0];
  for (size_t j = 0; j < model->n_features; j++)
    eta += model->beta[1 + j] * x[j];
  return km_sigmoid(eta);
}

/* Sums over a block
 * ------------------------------------------------------------------------------------------------- */

/* Means of the block first, then products around them: no cancellation for columns far from 0. */
static void sum_columns(const fit *f, const km_rows *rows, sums *s) {
  size_t k = f->k;
  for (size_t i = 0; i < rows->n; i++)
    for (size_t j = 0; j < k; j++)
      s->moments[j].mean += rows->x[i * k + j];
  for (size_t j = 0; j < k && rows->n; j++)
    s->moments[j].mean /= (double)rows->n;
  for (size_t i = 0; i < rows->n; i += KM_OUTER_ROWS) {
    double weight[KM_OUTER_ROWS] = {0};
    for (size_t r = 0; r < KM_OUTER_ROWS && i + r < rows->n; r++) {
      weight[r] = 1;
      for (size_t j = 0; j < k; j++)
        s->row[r * k + j] = rows->x[(i + r) * k + j] - s->moments[j].mean;
    }
    km_outer_sum(s->cross, s->row, k, weight);
  }
  for (size_t j = 0; j < k; j++) {
    s->moments[j].n = (double)rows->n;
    s->moments[j].m2 = s->cross[j * k + j];
  }
}

static void merge_columns(const fit *f, sums *total, const sums *s) {
  size_t k = f->k;
  if (k == 0 || s->moments[0].n == 0)
    return;
  double n_total = total->moments[0].n, n = s->moments[0].n, weight = n_total * n / (n_total + n);
  for (size_t a = 0; a < k; a++)
    for (size_t b = 0; b <= a; b++)
      total->cross[a * k + b] += s->cross[a * k + b] + weight *
                                                           (s->moments[a].mean - total->moments[a].mean) *
                                                           (s->moments[b].mean - total->moments[b].mean);
  for (size_t a = 0; a < k; a++)
    km_moments_merge(&total->moments[a], &s->moments[a]);
}

/* score has room for KM_OUTER_ROWS groups: the next one goes behind, and full they are added. */
static double *end_group(const fit *f, sums *s, size_t *n_scores) {
  static const double ones[KM_OUTER_ROWS] = {1, 1, 1, 1};
  const double *score = s->score + *n_scores * f->p;
  for (size_t a = 0; a < f->p; a++)
    s->gradient[a] += score[a];
  s->n_groups++;
  if (++*n_scores == KM_OUTER_ROWS) {
    km_outer_sum(s->meat, s->score, f->p, ones);
    memset(s->score, 0, KM_OUTER_ROWS * f->p * sizeof *s->score);
    *n_scores = 0;
  }
  return s->score + *n_scores * f->p;
}

/* Standardises a row into z, and gives its linear predictor: four chains, so that no addition waits for the last. */
static double standardise(const fit *f, const double *x, double *z) {
  double chain[4] = {0};
  size_t p = f->p, a = 0;
  z[0] = 1;
  for (size_t i = 1; i < p; i++) {
    size_t j = f->kept[i - 1];
    z[i] = (x[j] - f->mean[j]) * f->inverse_sd[j];
  }
  for (; a + 4 <= p; a += 4)
    for (size_t lane = 0; lane < 4; lane++)
      chain[lane] += f->gamma[a + lane] * z[a + lane];
  for (; a < p; a++)
    chain[0] += f->gamma[a] * z[a];
  return (chain[0] + chain[1]) + (chain[2] + chain[3]);
}

static void sum_likelihood(const fit *f, const km_rows *rows, sums *s) {
  static const double ones[KM_OUTER_ROWS] = {1, 1, 1, 1};
  size_t p = f->p, n_scores = 0;
  double weight[KM_OUTER_ROWS] = {0}, *score = s->score;
  for (size_t i = 0; i < rows->n; i++) {
    size_t r = i % KM_OUTER_ROWS;
    double *z = s->row + r * p, y = rows->y[i], eta = standardise(f, rows->x + i * f->k, z);
    double margin = y > 0 ? eta : -eta, e = exp(-fabs(eta)), share = 1 / (1 + e);
    double residual = y - (eta >= 0 ? share : e * share);
    s->log_likelihood -= (margin < 0 ? -margin : 0) + log1p(e);
    s->least_margin = margin < s->least_margin ? margin : s->least_margin;
    s->n_positive += y;
    for (size_t a = 0; a < p; a++)
      score[a] += residual * z[a];
    weight[r] = e * share * share;
    if (r + 1 == KM_OUTER_ROWS || i + 1 == rows->n) {
      km_outer_sum(s->information, s->row, p, weight);
      memset(weight, 0, sizeof weight);
    }
    if (i + 1 == rows->n || !rows->group || rows->group[i + 1] != rows->group[i])
      score = end_group(f, s, &n_scores);
  }
  if (n_scores)
    km_outer_sum(s->meat, s->score, p, ones); /* the places of no group are 0 */
  s->n += (double)rows->n;
}

static void merge_likelihood(const fit *f, sums *total, const sums *s) {
  size_t p = f->p;
  total->n += s->n;
  total->n_positive += s->n_positive;
  total->n_groups += s->n_groups;
  total->log_likelihood += s->log_likelihood;
  total->least_margin = s->least_margin < total->least_margin ? s->least_margin : total->least_margin;
  for (size_t a = 0; a < p; a++)
    total->gradient[a] += s->gradient[a];
  for (size_t a = 0; a < p * p; a++) {
    total->information[a] += s->information[a];
    total->meat[a] += s->meat[a];
  }
}

static void clear_sums(const fit *f, sums *s) {
  size_t k = f->k, q = k + 1;
  s->n = s->n_positive = s->n_groups = s->log_likelihood = 0;
  s->least_margin = INFINITY;
  memset(s->gradient, 0, q * sizeof *s->gradient);
  memset(s->information, 0, q * q * sizeof *s->information);
  memset(s->meat, 0, q * q * sizeof *s->meat);
  memset(s->score, 0, KM_OUTER_ROWS * q * sizeof *s->score);
  memset(s->row, 0, KM_OUTER_ROWS * q * sizeof *s->row);
  if (f->first_pass) {
    memset(s->moments, 0, k * sizeof *s->moments);
    memset(s->cross, 0, k * k * sizeof *s->cross);
  }
}

static km_status block_task(void *ctx, int thread, size_t i, km_err *err) {
  fit *f = ctx;
  km_rows rows;
  size_t block = f->wave_start + i;
  km_status status = f->source->block(f->source->ctx, thread, block, &rows, err);
  if (status != KM_OK)
    return status < 0 ? status : km_err_set(err, KM_ERR_STATE, 0, "block %zu of the rows is missing", block);
  sums *s = &f->wave[i];
  clear_sums(f, s);
  if (!f->first_pass) {
    sum_likelihood(f, &rows, s);
    return KM_OK;
  }
  status = km_rows_check(&rows, f->k, err);
  if (status != KM_OK) {
    km_err_prefix(err, "block %zu", block);
    return status;
  }
  sum_columns(f, &rows, s);
  return KM_OK;
}

static km_status pass(fit *f, km_err *err) {
  clear_sums(f, &f->total);
  size_t n_blocks = f->source->n_blocks;
  for (f->wave_start = 0; f->wave_start < n_blocks; f->wave_start += WAVE) {
    size_t n = n_blocks - f->wave_start < WAVE ? n_blocks - f->wave_start : WAVE;
    km_status status = km_workers_run(f->options->workers, n, block_task, f, err);
    if (status < 0)
      return status;
    for (size_t i = 0; i < n; i++) {
      if (f->first_pass)
        merge_columns(f, &f->total, &f->wave[i]);
      else
        merge_likelihood(f, &f->total, &f->wave[i]);
    }
  }
  return KM_OK;
}

/* Columns
 * -----------------------------------------------------------------------------------------------------------
 */

/* Mean and deviation of each column; keeps a column if the kept ones before it leave enough of its variance
 * (λ > 0: keeps dependent columns, which the ridge decides between). Uses inverse as the triangular factor.
 */
static void choose_columns(fit *f) {
  size_t k = f->k, count = 0;
  double *factor = f->inverse; /* row a: kept column a of the correlation's factor, count wide */
  for (size_t j = 0; j < k; j++) {
    const km_moments *m = &f->total.moments[j];
    double variance = m->n > 0 ? m->m2 / m->n : 0;
    f->mean[j] = m->mean;
    f->sd[j] = sqrt(variance);
    f->inverse_sd[j] = 1 / f->sd[j];
    if (!(f->sd[j] > 1e-12 * fabs(m->mean))) /* constant but for rounding */
      continue;
    double *line = factor + count * (k + 1), left = 1;
    for (size_t a = 0; a < count; a++) {
      const double *other = factor + a * (k + 1);
      size_t i = f->kept[a];
      double r = f->total.cross[j * k + i] / sqrt(m->m2 * f->total.moments[i].m2);
      for (size_t b = 0; b < a; b++)
        r -= line[b] * other[b];
      line[a] = r / other[a];
      left -= line[a] * line[a];
    }
    if (f->options->ridge == 0 && left < dependent)
      continue;
    line[count] = sqrt(left > dependent ? left : dependent);
    f->kept[count++] = j;
  }
  f->p = count + 1;
}

/* Newton
 * ------------------------------------------------------------------------------------------------------------
 */

/* λ of the standardised coefficient a ≥ 1. */
static double ridge_of(const fit *f, size_t a) {
  double sd = f->sd[f->kept[a - 1]];
  return f->options->ridge / (sd * sd);
}

static double penalised(const fit *f) {
  double value = f->total.log_likelihood;
  for (size_t a = 1; a < f->p; a++)
    value -= 0.5 * ridge_of(f, a) * f->gamma[a] * f->gamma[a];
  return value;
}

/* step = information⁻¹ · gradient, both with the ridge; KM_END when the information is singular. */
static km_status newton_step(fit *f, km_err *err) {
  size_t p = f->p;
  memcpy(f->inverse, f->total.information, p * p * sizeof *f->inverse);
  memcpy(f->step, f->total.gradient, p * sizeof *f->step);
  for (size_t a = 1; a < p; a++) {
    f->inverse[a * p + a] += ridge_of(f, a);
    f->step[a] -= ridge_of(f, a) * f->gamma[a];
  }
  /* Row-major lower is column-major upper: no transposing copy. */
  lapack_int info = LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'U', (lapack_int)p, 1, f->inverse, (lapack_int)p,
                                       f->step, (lapack_int)p);
  if (info < 0)
    return km_err_set(err, KM_ERR_STATE, 0, "LAPACK dposv refuses argument %d", (int)-info);
  return info > 0 ? KM_END : KM_OK;
}

static bool small_step(const fit *f) {
  for (size_t a = 0; a < f->p; a++)
    if (!(fabs(f->step[a]) <= 1e-11 * (1 + fabs(f->gamma[a]))))
      return false;
  return true;
}

/* No finite optimum: one class only, or (λ = 0) every row on its side of the plane. */
static bool separated(const fit *f) {
  double n = f->total.n, positive = f->total.n_positive;
  return positive == 0 || positive == n || (f->options->ridge == 0 && f->total.least_margin > 0);
}

static km_status iterate(fit *f, km_logistic *model, km_err *err) {
  int most = f->options->max_iterations > 0 ? f->options->max_iterations : ITERATIONS;
  double before = -INFINITY;
  model->outcome = KM_LOGISTIC_STOPPED;
  for (model->iterations = 0; model->iterations < most; model->iterations++) {
    km_status status = pass(f, err);
    if (status != KM_OK)
      return status;
    double value = penalised(f);
    if (separated(f)) {
      model->outcome = KM_LOGISTIC_SEPARATED;
      return KM_OK;
    }
    if (value < before - 1e-10 * (1 + fabs(before))) { /* overshot: half the way back */
      for (size_t a = 0; a < f->p; a++)
        f->gamma[a] = f->previous[a] + 0.5 * (f->gamma[a] - f->previous[a]);
      continue;
    }
    before = value;
    if ((status = newton_step(f, err)) < 0)
      return status;
    if (status == KM_END) {
      model->outcome = f->options->ridge == 0 ? KM_LOGISTIC_SEPARATED : KM_LOGISTIC_STOPPED;
      return KM_OK;
    }
    bool done = small_step(f);
    memcpy(f->previous, f->gamma, f->p * sizeof *f->gamma);
    for (size_t a = 0; a < f->p; a++)
      f->gamma[a] += f->step[a];
    if (done) {
      model->outcome = KM_LOGISTIC_CONVERGED;
      return KM_OK;
    }
  }
  for (size_t a = 0; a < f->p;
       a++) /* steps that do not shrink: rows on the plane, the others on their sides */
    if (f->options->ridge == 0 && fabs(f->step[a]) > 0.1)
      model->outcome = KM_LOGISTIC_SEPARATED;
  return KM_OK;
}

/* Results
 * -----------------------------------------------------------------------------------------------------------
 */

/* Coefficients of the given columns: βj = γj / sd, the intercept takes the means. */
static void give_beta(const fit *f, km_logistic *model) {
  model->beta[0] = f->gamma[0];
  for (size_t a = 1; a < f->p; a++) {
    size_t j = f->kept[a - 1];
    model->beta[1 + j] = f->gamma[a] / f->sd[j];
    model->beta[0] -= f->gamma[a] * f->mean[j] / f->sd[j];
  }
}

/* Row i of the map from γ to β, times the symmetric p × p matrix m (lower), times that row: the variance of
 * βi. */
static double variance_of(const fit *f, size_t a, const double *m) {
  size_t p = f->p;
  double variance = 0;
  if (a > 0) {
    double sd = f->sd[f->kept[a - 1]];
    return m[a * p + a] / (sd * sd);
  }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      double left = i ? -f->mean[f->kept[i - 1]] / f->sd[f->kept[i - 1]] : 1;
      double right = j ? -f->mean[f->kept[j - 1]] / f->sd[f->kept[j - 1]] : 1;
      variance += left * right * m[i > j ? i * p + j : j * p + i];
    }
  return variance;
}

/* to = a · meat · a for symmetric a (both lower triangles filled), by two plain products. */
static void sandwich(const double *a, const double *meat, size_t p, double *between, double *to) {
#define AT(m, i, j) ((i) > (j) ? (m)[(i)*p + (j)] : (m)[(j)*p + (i)])
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      double sum = 0;
      for (size_t l = 0; l < p; l++)
        sum += AT(a, i, l) * AT(meat, l, j);
      between[i * p + j] = sum;
    }
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t l = 0; l < p; l++)
        sum += between[i * p + l] * AT(a, l, j);
      to[i * p + j] = sum;
    }
#undef AT
}

static km_status give_errors(fit *f, km_logistic *model, km_err *err) {
  size_t p = f->p;
  km_status status = pass(f, err); /* at the optimum itself */
  if (status != KM_OK || (status = newton_step(f, err)) != KM_OK)
    return status < 0 ? status
                      : km_err_set(err, KM_ERR_STATE, 0, "the information became singular at the optimum");
  lapack_int info = LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)p, f->inverse, (lapack_int)p);
  if (info != 0)
    return km_err_set(err, KM_ERR_STATE, 0, "LAPACK dpotri gives %d", (int)info);
  double *between = f->wave[0].information, *cluster = f->wave[0].meat; /* free again */
  sandwich(f->inverse, f->total.meat, p, between, cluster);
  double groups = f->total.n_groups, correction = groups > 1 ? groups / (groups - 1) : NAN;
  for (size_t a = 0; a < p; a++) {
    size_t i = a ? 1 + f->kept[a - 1] : 0;
    model->se[i] = sqrt(variance_of(f, a, f->inverse));
    model->se_cluster[i] = sqrt(correction * variance_of(f, a, cluster));
  }
  return KM_OK;
}

static double *take(double **from, size_t n) {
  double *p = *from;
  *from += n;
  return p;
}

static void carve_sums(sums *s, size_t k, double **from) {
  size_t q = k + 1;
  s->gradient = take(from, q);
  s->information = take(from, q * q);
  s->meat = take(from, q * q);
  s->moments = (km_moments *)take(from, 3 * k);
  s->cross = take(from, k * k);
  s->row = take(from, KM_OUTER_ROWS * q);
  s->score = take(from, KM_OUTER_ROWS * q);
}

static km_status allocate(fit *f, km_logistic *model, km_err *err) {
  size_t k = f->k, q = k + 1, waves = f->source->n_blocks < WAVE ? f->source->n_blocks : WAVE;
  waves = waves ? waves : 1;
  size_t each = (1 + 2 * KM_OUTER_ROWS) * q + 2 * q * q + 3 * k + k * k;
  size_t all = (waves + 1) * each + 3 * k + 3 * q + q * q;
  f->memory = calloc(all, sizeof *f->memory);
  f->wave = calloc(waves, sizeof *f->wave);
  f->kept = calloc(q, sizeof *f->kept);
  model->beta = calloc(3 * q, sizeof *model->beta);
  if (!f->memory || !f->wave || !f->kept || !model->beta)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a logistic model of %zu features", k);
  double *from = f->memory;
  carve_sums(&f->total, k, &from);
  for (size_t i = 0; i < waves; i++)
    carve_sums(&f->wave[i], k, &from);
  f->mean = take(&from, k);
  f->sd = take(&from, k);
  f->inverse_sd = take(&from, k);
  f->gamma = take(&from, q);
  f->step = take(&from, q);
  f->previous = take(&from, q);
  f->inverse = take(&from, q * q);
  model->se = model->beta + q;
  model->se_cluster = model->se + q;
  for (size_t i = 0; i < 2 * q; i++)
    model->se[i] = NAN;
  return KM_OK;
}

static km_status run(fit *f, km_logistic *model, km_err *err) {
  f->first_pass = true;
  km_status status = pass(f, err);
  if (status != KM_OK)
    return status;
  choose_columns(f);
  f->first_pass = false;
  status = iterate(f, model, err);
  if (status != KM_OK)
    return status;
  model->converged = model->outcome == KM_LOGISTIC_CONVERGED;
  model->n_dropped = f->k + 1 - f->p;
  give_beta(f, model);
  if (model->converged)
    status = give_errors(f, model, err);
  model->n_rows = (uint64_t)f->total.n;
  model->n_positive = (uint64_t)f->total.n_positive;
  model->n_groups = (uint64_t)f->total.n_groups;
  model->log_likelihood = f->total.log_likelihood;
  return status;
}

km_status km_logistic_fit(km_logistic *model, const km_row_source *source, const km_logistic_options *options,
                          km_err *err) {
  *model = (km_logistic){.n_features = source->n_features};
  if (!(options->ridge >= 0 && isfinite(options->ridge)))
    return km_err_set(err, KM_ERR_USAGE, 0, "the ridge must be a number of at least 0, not %g",
                      options->ridge);
  if (source->n_features > FEATURES_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%zu features are beyond the limit of %d", source->n_features,
                      FEATURES_MAX);
  fit f = {.source = source, .options = options, .k = source->n_features, .p = source->n_features + 1};
  km_status status = allocate(&f, model, err);
  if (status == KM_OK)
    status = run(&f, model, err);
  free(f.memory);
  free(f.wave);
  free(f.kept);
  if (status != KM_OK)
    km_logistic_clear(model);
  return status;
}

void km_logistic_clear(km_logistic *model) {
  free(model->beta);
  *model = (km_logistic){0};
}
