/* phase_division.h: divisions of a game into opening, middle game and endgame, with and without HBS.
 *
 * A division of a game of n positions is two breaks 0 < a < b < n. */
#ifndef KIFUMILL_PHASE_DIVISION_H
#define KIFUMILL_PHASE_DIVISION_H

#include "kifumill/changepoint.h"
#include "kifumill/changepoint_metrics.h"
#include "kifumill/game.h"

/* What is compared with the reference; the first two are of HBS. The order and the names are part of outputs.
 */
typedef enum km_method {
  KM_METHOD_HBS = 0,
  KM_METHOD_CHANGES, /* by the penalty: any number of breaks */
  KM_METHOD_UNIFORM,
  KM_METHOD_CONVENTIONAL,
  KM_METHOD_STONES, /* from here on games.h5 is needed */
  KM_METHOD_LINES,
  KM_METHOD_CONTACT,
  KM_METHOD_CAPTURES,
  KM_METHODS,
} km_method;
const char *km_method_name(km_method method);

typedef struct km_division {
  uint32_t at[2];
} km_division;

/* ⌊n/3⌋, ⌊2n/3⌋; n ≥ 3. */
km_division km_divide_uniform(size_t n);
/* at19 scaled by area and rounded, a at least 1 and b at least a + 1. */
km_division km_divide_conventional(km_division at19, unsigned size);

/* The best two changes of a series under options' cost; 0: there are none (too short). */
km_status km_divide_series(km_changepoint *workspace, const km_series *series,
                           const km_changepoint_options *options, km_division *division, int *found,
                           km_err *err);

/* The same of the series that the workspace has found changes of last, with the same options. */
km_status km_divide_again(km_changepoint *workspace, km_division *division, int *found, km_err *err);

/* The divisions that follow from the moves: of km_method KM_METHOD_STONES … KM_METHOD_CAPTURES, at those
 * places of divisions, which has KM_METHODS. n = game->n_moves + 1 ≥ 3, and long enough for two changes. */
typedef struct km_move_divider km_move_divider;
km_move_divider *km_move_divider_new(size_t most); /* of games to `most` positions; NULL when memory is out */
void km_move_divider_free(km_move_divider *divider);
km_status km_divide_moves(km_move_divider *divider, km_changepoint *workspace, const km_game *game,
                          const km_changepoint_options *options, km_division *divisions, km_err *err);

/* How near a division is to the reference. */
typedef enum km_nearness {
  KM_NEAR_F1 = 0,
  KM_NEAR_HAUSDORFF,
  KM_NEAR_ARI,
  KM_NEAR_COVERING,
  KM_NEAR_DISTANCE,
  KM_NEARNESSES
} km_nearness;
const char *km_nearness_name(km_nearness nearness);
void km_compare_breaks(double nearness[KM_NEARNESSES], km_breaks truth, km_breaks found, size_t n,
                       uint32_t margin);

#endif
