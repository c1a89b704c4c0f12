/* phase_work.h: a batch of games, cut and compared by one worker. */
#ifndef KIFUMILL_PHASE_WORK_H
#define KIFUMILL_PHASE_WORK_H

#include "phase_division.h"
#include "phase_labels.h"
#include "phase_signal.h"
#include "phases_stage.h"

#include "kifumill/arena.h"
#include "kifumill/games_store.h"
#include "kifumill/mean_curve.h"

/* What workers share; nothing here changes while they run. */
typedef struct km_phase_shared {
  const km_phases_options *options;
  km_changepoint_options cut;
  km_signal signal;
  unsigned series; /* number of the series in hbs.h5 */
  const km_hbs_store *hbs;
  const uint8_t *sizes;    /* of the games' boards */
  const km_games *games;   /* NULL: not given */
  const km_labels *labels; /* NULL: the conventional division is the reference */
  km_division at19;
  uint64_t n_games;
} km_phase_shared;

/* Why a game has no pieces. */
typedef enum km_cut_state {
  KM_CUT_DONE = 0,
  KM_CUT_NO_SERIES,
  KM_CUT_TOO_LONG,
  KM_CUT_TOO_SHORT
} km_cut_state;

/* One game. What is pointed to belongs to the batch's arena. */
typedef struct km_phase_game {
  uint64_t game;
  uint8_t size,
      state;       /* km_cut_state; of a game too short for three pieces, changes are there all the same */
  uint32_t n;      /* positions */
  uint32_t number; /* among the games of its entry, from 1; with labels */
  km_breaks changes;
  double *means; /* of the signal in its changes.n + 1 pieces (over all channels) */
  double cost, total, beta, sigma2;
  km_division three;
  double three_means[3];
  const double *log2; /* n values, of a game that may be an example; else NULL */
  /* With a reference: */
  uint8_t compared, has_method[KM_METHODS];
  km_breaks reference;
  km_division divisions[KM_METHODS]; /* of those that have two breaks by definition */
  double nearness[KM_METHODS][KM_NEARNESSES];
} km_phase_game;

typedef struct km_phase_batch {
  km_arena arena;
  km_phase_game *results; /* n_games; game, size, number are filled by the reader */
  size_t n_games, room;
} km_phase_batch;

typedef struct km_phase_worker km_phase_worker;
km_phase_worker *km_phase_worker_new(const km_phase_shared *shared); /* NULL when memory is out */
void km_phase_worker_free(km_phase_worker *worker);
km_status km_phase_worker_run(km_phase_worker *worker, km_phase_batch *batch, km_err *err);
/* Sums of the signal by place: strata are board sizes, channels those of the largest signal. */
km_mean_curves *km_phase_worker_curves(km_phase_worker *worker);

/* Whether a game is drawn as a possible example: a share of all, by the seed; less is better. */
uint64_t km_example_rank(const km_phase_shared *shared, uint64_t game);

#endif
