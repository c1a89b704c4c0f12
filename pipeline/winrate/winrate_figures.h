/* winrate_figures.h: how good models are on games that they have not seen: in all, by phase, by ply bucket. */
#ifndef KIFUMILL_WINRATE_FIGURES_H
#define KIFUMILL_WINRATE_FIGURES_H

#include "winrate_models.h"

#include "kifumill/score.h"

enum { KM_WR_MINUS_MAX = 4 };

typedef enum km_wr_by { KM_WR_BY_ALL = 0, KM_WR_BY_PHASE, KM_WR_BY_PLY } km_wr_by;

typedef struct km_wr_result {
  const km_wr_model *model;
  km_wr_by by;
  km_wr_range range;
  char bucket[24];
  km_score_result score;
  size_t n_minus;
  struct {
    const km_wr_model *model;
    km_estimate difference[KM_METRICS];
  } minus[KM_WR_MINUS_MAX];
} km_wr_result;

typedef struct km_wr_results {
  km_wr_result *rows; /* by model, then all, phases, buckets that have positions */
  size_t n, room;
} km_wr_results;
void km_wr_results_clear(km_wr_results *results);

/* What is scored: models on the rows of a group of series, in the order of games. Base models (constant, ply_komi, local,
 * external, where they are among the models) are what others are measured against. */
typedef struct km_wr_scoring {
  const km_wr_plan *plan;
  const km_position_store *store;
  size_t first_series, n_series;
  const km_wr_model *const *models;
  size_t n_models;
  km_bootstrap bootstrap; /* its workers are not used: models run in parallel */
  int n_threads;
  const km_wr_progress *progress;
} km_wr_scoring;
/* Adds the results. KM_ERR_FORMAT if there is no position of a game held back. */
km_status km_wr_score_models(km_wr_results *results, const km_wr_scoring *scoring, km_err *err);

#endif
