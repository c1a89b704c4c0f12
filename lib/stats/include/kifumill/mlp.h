/* mlp.h: a small neural network for P(y = 1 | x): one or two hidden layers, logistic output, trained by Adam.
 *
 * Deterministic: weights, order of blocks and order of rows are hashed from the seed, sums run in a fixed
 * order on one thread; the same blocks give the same bytes. Columns are standardised inside by the training
 * rows. With validation rows, training stops when their log-loss has not improved for `patience` epochs and
 * the best weights are kept. Memory: a block, a mini-batch and the weights. */
#ifndef KIFUMILL_MLP_H
#define KIFUMILL_MLP_H

#include "kifumill/rows.h"

#include <stddef.h>
#include <stdint.h>

enum { KM_MLP_HIDDEN_MAX = 256, KM_MLP_FEATURES_MAX = 1024 };

typedef enum km_activation { KM_ACTIVATION_TANH, KM_ACTIVATION_RELU } km_activation;

typedef struct km_mlp_options {
  size_t hidden[2]; /* units; hidden[1] 0: one hidden layer */
  km_activation activation;
  double rate;  /* of Adam (beta 0.9 and 0.999) */
  double decay; /* decay/2 · Σ weight² a row, biases free */
  size_t batch, max_epochs, patience;
  uint64_t seed;
} km_mlp_options;
/* 32 tanh units, rate 0.001, decay 1e-5, batches of 256, at most 50 epochs, patience 5, seed 0. */
km_mlp_options km_mlp_defaults(void);

typedef struct km_mlp_report {
  size_t epochs, best_epoch; /* run; the one whose weights were kept (from 1) */
  double train_log_loss,
      best_log_loss; /* of the last epoch while it was learning; of the validation rows (NaN: none) */
} km_mlp_report;

typedef struct km_mlp km_mlp;
/* valid NULL: all max_epochs are run. KM_ERR_FORMAT for rows that km_rows_check refuses, KM_ERR_USAGE for
 * options out of bounds or a source without rows, KM_ERR_STATE if the weights stop being finite (a rate too
 * large). */
km_status km_mlp_fit(km_mlp **out, const km_row_source *train, const km_row_source *valid,
                     const km_mlp_options *options, km_mlp_report *report, km_err *err);
void km_mlp_free(km_mlp *mlp);

/* Probability for one row of the training's n_features values. Reentrant. */
double km_mlp_predict(const km_mlp *mlp, const double *x);

#endif
