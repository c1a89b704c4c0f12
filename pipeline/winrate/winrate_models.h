/* winrate_models.h: models of Black's win, fitted on rows.
 *
 * A logistic model has a fit for each fitting (fold) and segment of the game, so that what a feature is worth may change as the
 * game goes on; a network has one for each fitting, over all plies. External models are the win-rates of an external as they are,
 * and its score lead calibrated by logistic regression. Fits are independent of one another and run in parallel, each on one
 * thread; the result depends on the rows alone. */
#ifndef KIFUMILL_WINRATE_MODELS_H
#define KIFUMILL_WINRATE_MODELS_H

#include "position_store.h"
#include "winrate_columns.h"
#include "winrate_plan.h"
#include "winrate_progress.h"

#include "kifumill/logistic.h"
#include "kifumill/mlp.h"

typedef enum km_wr_model_kind { KM_WR_LOGISTIC = 0, KM_WR_NETWORK, KM_WR_AS_IT_IS } km_wr_model_kind;

typedef struct km_wr_model {
  char name[KM_WR_NAME];
  const char *doc;
  km_wr_model_kind kind;
  uint8_t columns[KM_WR_COLUMNS_MAX];
  size_t n_columns;
  size_t first_series, n_series; /* rows that it is fitted on: segments, or an external */
  size_t n_fits;
  km_logistic *fits;             /* n_fittings + 1 times n_series, series fastest; the last fitting: see winrate_plan.h */
  double *ridge;                 /* used in each */
  km_mlp **networks;             /* n_fittings */
  km_mlp_report *reports;
  uint64_t (*trained)[2];        /* games and positions that each network was trained on */
} km_wr_model;

typedef struct km_wr_fit_settings {
  const km_wr_plan *plan;
  const km_position_store *store;
  size_t n_columns;   /* of its rows */
  const char *output; /* path of the file beside which temporary ones lie */
  double ridge;
  uint64_t network_positions;
  size_t hidden, epochs;
  int n_threads;
  const km_wr_progress *progress;
} km_wr_fit_settings;

/* Sets up a model over the segments of the plan, or over one external's series. */
void km_wr_model_init(km_wr_model *model, const km_wr_plan *plan, const km_wr_set *set, km_wr_model_kind kind, unsigned n_layers);
void km_wr_model_init_external(km_wr_model *model, size_t series, km_wr_model_kind kind);
void km_wr_model_clear(km_wr_model *model);

/* Fits n models; afterwards, and after a failure, km_wr_model_clear. */
km_status km_wr_models_fit(km_wr_model *models, size_t n, const km_wr_fit_settings *settings, km_err *err);

/* Black's probability of winning, by a fitting (not the last). Any thread. */
double km_wr_model_predict(const km_wr_model *model, const km_wr_plan *plan, unsigned fitting, const km_position *row);

#endif
