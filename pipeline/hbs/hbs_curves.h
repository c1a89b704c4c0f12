/* hbs_curves.h: exact sums over games of one board size, for the series of one colour.
 *
 * The curves of all games and by winner are full: S, its logarithm, ΔS, D1, D2, every layer and its logarithm
 * by move; S, and the logarithms by fraction. Only those by winner are summed; the whole is made of them at
 * the end. Curves by other strata have S and its logarithm. Beside them are counted: when a layer gets its
 * first stone, and how often S falls.
 *
 * A km_curve_set belongs to one thread at a time. Sets of one plan merge exactly, in any order. */
#ifndef KIFUMILL_HBS_CURVES_H
#define KIFUMILL_HBS_CURVES_H

#include "hbs_strata.h"
#include "kifumill/hbs_runs.h"
#include "kifumill/mean_curve.h"

enum {
  KM_HBS_SIZES_MAX = 16,     /* board sizes with curves */
  KM_HBS_CURVE_PLIES = 8192, /* most positions of a game in curves */
};

/* What is summed of a size and colour. Immutable while games are added; strata is borrowed. */
typedef struct km_curve_plan {
  km_hbs_geometry geometry;
  uint8_t size, colour;
  uint8_t with_curves;          /* 0: too many other sizes have more games */
  uint8_t by_move, by_fraction; /* alignments wanted */
  km_hbs_align interpolate;
  uint32_t fractions, window;
  unsigned mask; /* kinds of strata */
  const km_strata *strata;
  uint64_t n_games, n_positions, n_too_long; /* too long: more than KM_HBS_CURVE_PLIES positions */
  size_t longest;                            /* positions of the longest game that is not */
  size_t n_places;                           /* by move */
} km_curve_plan;

/* Counts of moves by what they did to S, and of games. */
typedef struct km_step_counts {
  uint64_t moves, rising, unchanged, falling, falling_without_capture;
  uint64_t games, games_falling, games_falling_without_capture;
} km_step_counts;

typedef struct km_curve_set {
  const km_curve_plan *plan;
  km_mean_curves *move[KM_BY_COUNT],
      *fraction[KM_BY_COUNT]; /* NULL: not wanted; KM_BY_RESULT: the full ones */
  uint64_t *first; /* [n_layers][n_places + 1]: games by the place of a layer's first stone; the last: none up
                      to there */
  km_step_counts steps;
} km_curve_set;

km_status km_curve_set_open(km_curve_set *set, const km_curve_plan *plan, km_err *err);
void km_curve_set_close(km_curve_set *set);
/* Games of a plan. Their columns are in the order of km_curve_channels, their strata in that of
 * km_curve_kinds. */
typedef struct km_curve_games {
  size_t n;
  km_mean_game *move, *fraction;
  const uint32_t **first; /* of a game: the place of each layer's first stone; n_places: none up to there */
  km_step_counts steps;   /* of all of them */
} km_curve_games;
km_status km_curve_set_add(km_curve_set *set, const km_curve_games *games, km_err *err);
km_status km_curve_set_merge(km_curve_set *into, const km_curve_set *from, km_err *err);
/* Makes the whole (KM_RESULT_ALL) of the parts, once. */
km_status km_curve_set_complete(km_curve_set *set, km_err *err);
/* Bytes that a set of the plan may take, near enough from above. */
size_t km_curve_set_need(const km_curve_plan *plan);

/* The channels of a set of curves. */
typedef enum km_quantity {
  KM_OF_S = 0,
  KM_OF_LOG2,
  KM_OF_DELTA,
  KM_OF_D1,
  KM_OF_D2,
  KM_OF_LAYER,
  KM_OF_LOG2_LAYER,
  KM_QUANTITIES
} km_quantity;
const char *km_quantity_name(km_quantity quantity);
typedef struct km_channel {
  km_quantity quantity;
  uint8_t layer;        /* number of the layer, outermost 0; of layer quantities */
  uint32_t first_place; /* before it the quantity is not defined, and sums are of no meaning */
  km_mean_channel shape;
} km_channel;
/* Kinds of strata that have curves, KM_BY_RESULT first; returns how many. */
size_t km_curve_kinds(const km_curve_plan *plan, km_by kinds[KM_BY_COUNT]);
/* Limbs of S times the number of fractions. */
unsigned km_curve_fraction_limbs(const km_curve_plan *plan);
/* Fills channels (KM_MEAN_CHANNELS_MAX) and returns how many. */
size_t km_curve_channels(const km_curve_plan *plan, km_by by, int by_fraction, km_channel *channels);

/* Every curve that has games, in the order of files: by move and by fraction, kind, stratum. */
typedef struct km_curve {
  const km_curve_set *set;
  const km_mean_curves *curves;
  km_by by;
  int by_fraction;
  size_t stratum;
} km_curve;
/* The next one behind *curve (zeroed: the first) of a set; 0: there is none. */
int km_curve_next(const km_curve_set *set, km_curve *curve);

#endif
