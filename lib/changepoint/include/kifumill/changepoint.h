/* changepoint.h: where a series changes.
 *
 * A segmentation of y[0..n) is the sorted list of the 0-based starts of its segments 2, 3, …; never 0, never
 * n. It is chosen to minimise Σ cost(segment) + beta · (number of changes), or Σ cost with a fixed number of
 * changes.
 *
 * Guarantees. Exact and PELT searches find the minimum and, among equal minima, take at every prefix the
 * smallest start of the last segment (going up, a start replaces another only if it is better by more than
 * 1e-9 · max(1, variance of the series)); so the result is a function of the series and the options alone. A
 * constant series has cost 0 and no change under every cost. Values that are NaN or infinite are refused with
 * KM_ERR_FORMAT (err->pos is the index), values whose squares overflow with KM_ERR_LIMIT. Series of 0, 1, …
 * values below 2 · min_size have no change. A workspace allocates nothing once it has seen the longest
 * series. */
#ifndef KIFUMILL_CHANGEPOINT_H
#define KIFUMILL_CHANGEPOINT_H

#include "kifumill/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cost of a segment of length k. */
typedef enum km_changepoint_cost {
  KM_COST_L2,     /* Σ (y − mean)², summed over the channels */
  KM_COST_LINEAR, /* residual sum of squares of the segment's own least-squares line; 0 for k ≤ 2 */
  KM_COST_L1,     /* Σ |y − median| */
  KM_COST_NORMAL, /* k · ln(1 + var / floor): twice the negative Gaussian log-likelihood with mean and
                     variance free, up to k·ln(floor), a term that sums to a constant. As ruptures'
                     CostNormal, whose floor is 1e-6 */
  KM_COST_RANK, /* −k · (mean centred rank)² / variance of all ranks (ties share the average), as ruptures'
                   CostRank */
} km_changepoint_cost;

typedef enum km_changepoint_search {
  KM_SEARCH_EXACT,  /* optimal partitioning: the best of all n²/2 segments */
  KM_SEARCH_PELT,   /* the same result with pruning (Killick, Fearnhead and Eckley 2012) */
  KM_SEARCH_BINSEG, /* binary segmentation: the best single split, again and again */
  KM_SEARCH_WINDOW, /* peaks of the gain of splitting a sliding window in its middle */
} km_changepoint_search;

/* p = parameters a change adds (its place included): 2 for l2, l1 and rank, 3 for linear and normal, channels
 * + 1 for l2 of several channels. u = unit of the cost: the noise variance σ² (l2, linear), σ/√8 (l1: Laplace
 * with that variance), 1 (normal, rank). */
typedef enum km_changepoint_penalty {
  KM_PENALTY_BIC,  /* beta = p · u · ln n */
  KM_PENALTY_MBIC, /* beta = (p + 1) · u · ln n, and u · ln(k / n) a segment (Zhang and Siegmund 2007) */
  KM_PENALTY_AIC,  /* beta = 2 · p · u */
  KM_PENALTY_HANNAN_QUINN, /* beta = 2 · p · u · max(0, ln ln n) */
  KM_PENALTY_VALUE,        /* beta as given */
} km_changepoint_penalty;

/* Estimate of σ² from differences d (first; second for linear), with c = 2 (6 for linear); 0 when the series
 * is too short. Of several channels: the mean of their estimates. */
typedef enum km_changepoint_noise {
  KM_NOISE_VN,  /* mean d² / c (von Neumann) */
  KM_NOISE_MAD, /* (1.4826 · median |d − median d|)² / c; VN when that is 0 */
} km_changepoint_noise;

typedef struct km_changepoint_options {
  km_changepoint_cost cost;
  km_changepoint_search search;
  km_changepoint_penalty penalty;
  km_changepoint_noise noise;
  double beta;           /* for KM_PENALTY_VALUE: ≥ 0 */
  int n_changes;         /* ≥ 0: exactly so many changes, the penalty is not used; −1: by the penalty */
  size_t min_size;       /* shortest segment; 0: 1 (l2, l1) or 2 (linear, normal, rank) */
  size_t window;         /* full width for KM_SEARCH_WINDOW; 0: 20 */
  double variance_floor; /* for KM_COST_NORMAL; 0: 1e-6 */
  bool standardise;      /* divide each channel by the root of its own noise variance (where that is not 0) */
} km_changepoint_options;

/* l2, exact, BIC, von Neumann noise, changes by the penalty. */
km_changepoint_options km_changepoint_defaults(void);

/* Names used on command lines and in files: l2 linear l1 normal rank; exact pelt binseg window; bic mbic aic
 * hannan-quinn value; vn mad. Parsing returns false for another name. */
const char *km_changepoint_cost_name(km_changepoint_cost cost);
const char *km_changepoint_search_name(km_changepoint_search search);
const char *km_changepoint_penalty_name(km_changepoint_penalty penalty);
const char *km_changepoint_noise_name(km_changepoint_noise noise);
bool km_changepoint_cost_parse(const char *name, km_changepoint_cost *cost);
bool km_changepoint_search_parse(const char *name, km_changepoint_search *search);
bool km_changepoint_penalty_parse(const char *name, km_changepoint_penalty *penalty);
bool km_changepoint_noise_parse(const char *name, km_changepoint_noise *noise);

/* n values of each of n_channels channels, channel after channel: value t of channel c is y[c · n + t].
 * Several channels (layers observed together, changing together) are for KM_COST_L2. */
typedef struct km_series {
  const double *y;
  size_t n, n_channels;
} km_series;

/* What was found. breaks is borrowed from the workspace until its next use. */
typedef struct km_changepoints {
  const uint32_t *breaks;
  size_t n_breaks;
  bool found; /* false: no segmentation with n_changes changes exists (n_breaks is 0, cost and total are NaN)
               */
  double cost,
      total; /* Σ cost, recomputed from the segments; cost + the penalty (= cost for fixed n_changes) */
  double beta, sigma2; /* the penalty of a change, the noise variance it used (NaN where none was needed) */
} km_changepoints;

/* Longest series: KM_ERR_LIMIT beyond. The exact, fixed-K and l1 searches take time n², so their bound is
 * lower; tables of a fixed number of changes may not exceed 2^27 cells. */
enum { KM_CHANGEPOINT_MAX = 1 << 24, KM_CHANGEPOINT_MAX_QUADRATIC = 1 << 17 };

typedef struct km_changepoint km_changepoint; /* a workspace: one a thread, reused over series */
km_changepoint *km_changepoint_new(void);     /* NULL when memory is out */
void km_changepoint_free(km_changepoint *workspace);

/* Segments one series. KM_OK, KM_ERR_FORMAT, KM_ERR_LIMIT, KM_ERR_USAGE or KM_ERR_NOMEM. */
km_status km_changepoint_find(km_changepoint *workspace, const km_series *series,
                              const km_changepoint_options *options, km_changepoints *out, km_err *err);

/* The series of the last km_changepoint_find, which must have been KM_OK, once more: with exactly n_changes
 * changes, by exact search, other options as they were. As find with these, without making the series ready a
 * second time; out->breaks of the first are void. */
km_status km_changepoint_find_fixed(km_changepoint *workspace, size_t n_changes, km_changepoints *out,
                                    km_err *err);

/* Cost of a given segmentation (breaks strictly increasing, in 1 … n−1) under options->cost: for conventional
 * or labelled divisions to be compared with the found one. KM_ERR_USAGE when breaks is not a segmentation. */
km_status km_changepoint_evaluate(km_changepoint *workspace, const km_series *series,
                                  const km_changepoint_options *options, const km_changepoints *breaks,
                                  double *cost, km_err *err);

/* Noise variance as the penalties use it (differences by options->cost and options->noise). */
km_status km_changepoint_sigma2(km_changepoint *workspace, const km_series *series,
                                const km_changepoint_options *options, double *sigma2, km_err *err);

/* A segmentation that is optimal for every penalty of [beta_from, beta_to]. */
typedef struct km_changepoint_step {
  double beta_from, beta_to;
  km_changepoints found; /* beta is beta_from; total is cost + beta_from · n_breaks */
} km_changepoint_step;

/* Every segmentation that is optimal for some penalty in [beta_min, beta_max], by increasing penalty (CROPS:
 * Haynes, Eckley and Fearnhead 2017), found with as many searches as twice the number of steps. For exact and
 * PELT search; options' penalty is not used. The steps are borrowed from the workspace. */
km_status km_changepoint_path(km_changepoint *workspace, const km_series *series,
                              const km_changepoint_options *options, const double beta_range[2],
                              const km_changepoint_step **steps, size_t *n_steps, km_err *err);

#endif
