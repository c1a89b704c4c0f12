/* logistic.h: logistic regression by Newton's method (IRLS) over blocks of rows.
 *
 * P(y = 1 | x) = 1 / (1 + exp(−β0 − Σ βj xj)); maximises log-likelihood − λ/2 · Σ_{j≥1} βj². Columns are
 * standardised inside, so features of any scale are solved alike; λ applies to the coefficients of the given
 * columns. Columns that are constant or combinations of earlier ones are dropped (coefficient 0, standard
 * errors NaN). The result is a function of the blocks alone, for any number of threads. Memory: 64 blocks'
 * sums and a block a thread. */
#ifndef KIFUMILL_LOGISTIC_H
#define KIFUMILL_LOGISTIC_H

#include "kifumill/executor.h"
#include "kifumill/rows.h"

#include <stdbool.h>

typedef struct km_logistic_options {
  double ridge;       /* λ ≥ 0 */
  int max_iterations; /* 0: 50 */
  km_workers workers;
} km_logistic_options;

typedef enum km_logistic_outcome {
  KM_LOGISTIC_CONVERGED,
  KM_LOGISTIC_SEPARATED, /* a hyperplane separates the classes (or only one class is there): no finite optimum
                          */
  KM_LOGISTIC_STOPPED,   /* max_iterations were not enough */
} km_logistic_outcome;

/* The arrays have 1 + n_features values, intercept first. */
typedef struct km_logistic {
  size_t n_features, n_dropped;
  double *beta;
  double *se; /* from the inverse of the (penalised) information: rows independent */
  double
      *se_cluster; /* sandwich with the scores summed by group, times G/(G−1); NaN for fewer than 2 groups */
  uint64_t n_rows, n_positive, n_groups;
  double log_likelihood; /* without the ridge term, at beta */
  int iterations;
  bool converged;
  km_logistic_outcome outcome; /* if not converged, beta is the last iterate and the errors are NaN */
} km_logistic;

km_status km_logistic_fit(km_logistic *model, const km_row_source *source, const km_logistic_options *options,
                          km_err *err);
void km_logistic_clear(km_logistic *model);

/* Probability for one row of n_features values. */
double km_logistic_predict(const km_logistic *model, const double *x);

/* 1 / (1 + exp(−eta)), accurate in both tails. */
double km_sigmoid(double eta);

#endif
