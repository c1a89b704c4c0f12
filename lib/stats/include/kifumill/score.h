/* score.h: how good predicted probabilities are, with intervals from a bootstrap over games.
 *
 * A km_score takes the predictions of one model game by game and keeps, per game, the sums that accuracy,
 * log-loss and Brier score need, and two bytes a position for ranking and calibration: 20 million positions
 * are 40 MB. Point estimates of accuracy, log-loss and Brier are exact sums; AUC and calibration use
 * KM_SCORE_FINE_BINS equal bins of [0, 1]: the AUC counts pairs in one bin as ties and so errs by at most
 * auc_error, which is given; km_auc is exact.
 *
 * Intervals. A replicate gives each game a weight drawn from Poisson(1) and hashed from (seed, game,
 * replicate): the bootstrap over games in the form that needs no list of games (Chamandy et al. 2012). It
 * does not depend on threads or order, and two models scored on the same games get the same weights: their
 * difference is a paired one. */
#ifndef KIFUMILL_SCORE_H
#define KIFUMILL_SCORE_H

#include "kifumill/executor.h"

#include <stddef.h>
#include <stdint.h>

enum { KM_SCORE_FINE_BINS = 4000, KM_CALIBRATION_BINS = 10 };

/* Area under the ROC curve, P(score of a positive > score of a negative) + ½ P(equal): exact, time n log n;
 * NaN if a class is missing. Scores may be any numbers but NaN. KM_ERR_NOMEM. */
km_status km_auc(double *auc, const double *score, const double *y, size_t n, km_err *err);

typedef struct km_score km_score;
km_score *km_score_new(void); /* NULL when memory is out */
void km_score_free(km_score *score);

/* Adds n positions of one game (its identity, the same for every model): probabilities p in [0, 1] of
 * outcomes y, 0 or 1. KM_ERR_FORMAT (err->pos: the position; nothing is added) for other values. A game may
 * be added in several pieces, which then count as one cluster by their equal weight. */
km_status km_score_add(km_score *score, uint64_t game, const double *p, const double *y, size_t n,
                       km_err *err);

typedef enum km_metric {
  KM_METRIC_ACCURACY, /* share of p on y's side of ½; p = ½ counts one half */
  KM_METRIC_LOG_LOSS, /* mean of −ln of the probability given to y, which is taken as at least 1e-15 */
  KM_METRIC_BRIER,    /* mean (p − y)² */
  KM_METRIC_AUC,
  KM_METRIC_ECE, /* Σ over calibration bins of share · |mean p − mean y| */
  KM_METRICS,
} km_metric;
const char *km_metric_name(km_metric metric); /* accuracy log_loss brier auc ece */

typedef struct km_estimate {
  double value, low,
      high; /* NaN where undefined: no positions, one class for the AUC, no replicate that defines it */
} km_estimate;

typedef struct km_calibration_bin {
  double low, high;  /* p in [low, high), the last bin with its end */
  double n, mean_p;  /* positions; their mean prediction */
  km_estimate share; /* of outcomes 1 */
} km_calibration_bin;

typedef struct km_score_result {
  double n_positions, n_positive;
  size_t n_games;
  km_estimate metric[KM_METRICS];
  double auc_error; /* bound on |binned − exact AUC| */
  km_calibration_bin calibration[KM_CALIBRATION_BINS];
} km_score_result;

typedef struct km_bootstrap {
  uint64_t seed;
  size_t n_replicates; /* 0: no intervals (low and high are NaN) */
  double level;        /* of the percentile interval: 0.95 */
  km_workers workers;
} km_bootstrap;

km_status km_score_evaluate(const km_score *score, const km_bootstrap *bootstrap, km_score_result *out,
                            km_err *err);

/* Metrics of a minus metrics of b, with intervals of the paired differences. */
km_status km_score_compare(const km_score *a, const km_score *b, const km_bootstrap *bootstrap,
                           km_estimate difference[KM_METRICS], km_err *err);

/* The same in two steps: the figures of all replicates are kept, the score need not be, and a model is compared with
 * several others at the price of one bootstrap each. Both of a comparison come from the same games and bootstrap. */
typedef struct km_replicates km_replicates;
km_status km_replicates_new(km_replicates **out, const km_score *score, const km_bootstrap *bootstrap, km_err *err);
void km_replicates_free(km_replicates *replicates); /* NULL is allowed */
km_status km_replicates_evaluate(const km_replicates *replicates, km_score_result *out, km_err *err);
km_status km_replicates_compare(const km_replicates *a, const km_replicates *b, km_estimate difference[KM_METRICS],
                                km_err *err);

/* The weight of a game in a replicate: Poisson(1), capped at 12. */
unsigned km_bootstrap_weight(uint64_t seed, uint64_t game, uint64_t replicate);
/* The weights in replicates first … first + KM_BOOTSTRAP_LANES - 1 at once; first is even. */
enum { KM_BOOTSTRAP_LANES = 8 };
void km_bootstrap_weights(uint32_t weight[KM_BOOTSTRAP_LANES], uint64_t seed, uint64_t game, uint64_t first);

#endif
