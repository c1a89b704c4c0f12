/* cp_penalty.c: noise variance from differences, and what a change must gain.
 *
 * Differences see the noise and hardly the changes: a step enters one first difference, a bend one second
 * difference. */
#include "cp_workspace.h"

#include "kifumill/summary.h"

#include <math.h>

double cp_noise(const double *y, size_t n, const km_changepoint_options *options, double *scratch) {
  bool second = options->cost == KM_COST_LINEAR;
  size_t order = second ? 2 : 1, n_differences = n > order ? n - order : 0;
  double squares = 0, divisor = second ? 6 : 2;
  if (n_differences == 0)
    return 0;
  for (size_t i = 0; i < n_differences; i++) {
    double d = second ? (y[i + 2] - y[i + 1]) - (y[i + 1] - y[i]) : y[i + 1] - y[i];
    scratch[i] = d;
    squares += d * d;
  }
  if (options->noise == KM_NOISE_MAD) {
    double middle = km_median_of(scratch, n_differences);
    for (size_t i = 0; i < n_differences; i++)
      scratch[i] = fabs(scratch[i] - middle);
    double deviation = 1.4826 * km_median_of(scratch, n_differences);
    if (deviation > 0)
      return deviation * deviation / divisor;
  }
  return squares / (double)n_differences / divisor;
}

/* The mean over the channels; channels that are standardised have noise 1 (0 where there was none). */
static double mean_noise(const km_changepoint *w, const km_series *series,
                         const km_changepoint_options *options) {
  double total = 0;
  for (size_t channel = 0; channel < series->n_channels; channel++) {
    double sigma2 = cp_noise(series->y + channel * series->n, series->n, options, w->series.scratch);
    total += options->standardise && sigma2 > 0 ? 1 : sigma2;
  }
  return total / (double)series->n_channels;
}

static km_status set_length_term(km_changepoint *w, double unit, km_err *err) {
  cp_series *c = &w->series;
  if (!(c->length_term = cp_doubles(w, c->n, err)))
    return KM_ERR_NOMEM;
  for (size_t k = 1; k <= c->n; k++)
    c->length_term[c->n - k] = unit * log((double)k / (double)c->n);
  return KM_OK;
}

km_status cp_set_penalty(km_changepoint *w, const km_series *series, const km_changepoint_options *options,
                         km_err *err) {
  cp_series *c = &w->series;
  if (options->penalty == KM_PENALTY_VALUE) {
    if (!(options->beta >= 0 && isfinite(options->beta)))
      return km_err_set(err, KM_ERR_USAGE, 0, "the penalty must be a number of at least 0, not %g",
                        options->beta);
    c->beta = options->beta;
    return KM_OK;
  }
  double p = 2, unit = 1, n = (double)c->n;
  if (c->cost == KM_COST_LINEAR || c->cost == KM_COST_NORMAL)
    p = 3;
  else if (c->cost == KM_COST_L2)
    p = (double)c->n_channels + 1;
  if (c->cost != KM_COST_NORMAL && c->cost != KM_COST_RANK) {
    c->sigma2 = mean_noise(w, series, options);
    unit = c->cost == KM_COST_L1 ? sqrt(c->sigma2 / 8) : c->sigma2;
  }
  double log_n = c->n > 1 ? log(n) : 0;
  switch (options->penalty) {
  case KM_PENALTY_BIC:
    c->beta = p * unit * log_n;
    return KM_OK;
  case KM_PENALTY_MBIC:
    c->beta = (p + 1) * unit * log_n;
    return set_length_term(w, unit, err);
  case KM_PENALTY_AIC:
    c->beta = 2 * p * unit;
    return KM_OK;
  case KM_PENALTY_HANNAN_QUINN:
    c->beta = 2 * p * unit * (log_n > 1 ? log(log_n) : 0);
    return KM_OK;
  case KM_PENALTY_VALUE:
    break;
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "unknown change-point penalty %d", (int)options->penalty);
}
