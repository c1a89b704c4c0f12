/* hbs_batch.h: games on their way to curves, gathered by one worker.
 *
 * Curves are larger than the nearest caches, and a game touches them everywhere. So games wait, in the few
 * kilobytes that their runs are, until a stretch is done or there are enough of them, and go to a set of
 * curves together. */
#ifndef KIFUMILL_HBS_BATCH_H
#define KIFUMILL_HBS_BATCH_H

#include "hbs_curves.h"

/* What a move did besides adding a stone. */
typedef enum km_step_cause { KM_STEP_PLAIN = 0, KM_STEP_CAPTURE, KM_STEP_SETUP } km_step_cause;

/* One game: n positions, ≥ 1. */
typedef struct km_curve_game {
  const km_game *game;
  size_t n;
  const uint64_t *s;                  /* of every position */
  const double *log2;                 /* of every position */
  const km_hbs_runs *s_runs, *layers; /* layers: n_layers of them */
  const double *log2_runs;            /* of s_runs */
  const uint8_t *cause;               /* of the move that led to a position: km_step_cause */
} km_curve_game;

typedef struct km_curve_batch km_curve_batch;
/* Plans are borrowed. NULL when memory is out. */
km_curve_batch *km_curve_batch_new(const km_curve_plan *plans, size_t n_plans);
void km_curve_batch_free(km_curve_batch *batch);
/* Keeps what the curves of plan number `plan` need of a game. */
km_status km_curve_batch_add(km_curve_batch *batch, size_t plan, const km_curve_game *game, km_err *err);
/* Whether it is time to have them added. */
int km_curve_batch_is_full(const km_curve_batch *batch);
/* The games of a plan, borrowed until reset. */
const km_curve_games *km_curve_batch_games(const km_curve_batch *batch, size_t plan);
void km_curve_batch_reset(km_curve_batch *batch);

#endif
