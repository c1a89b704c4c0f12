/* mean_curve.h: mean curves of many games, by stratum and place (move number, or fraction j/M), exact.
 *
 * A set of curves has channels (S, each L, log2(1+S), ΔS, …), and for every stratum, place and channel Σ, Σ²
 * and the count as in exact_sum.h. Every worker fills its own set; merging is exact, so any partition over
 * threads and any order gives the same bytes. Games end at different places: alignment drop counts a game
 * only where it has a value, hold carries its last value on.
 *
 * Adding a game costs by how often its values change, not by how many there are: a black move changes S, its
 * logarithm and one L, and a column may say at which places. Memory grows by blocks of KM_MEAN_BLOCK places,
 * allocated before a game is added, never in the loop, and within max_bytes. One channel of doubles may also
 * keep a histogram per place, from which quantiles are read. */
#ifndef KIFUMILL_MEAN_CURVE_H
#define KIFUMILL_MEAN_CURVE_H

#include "kifumill/err.h"
#include "kifumill/exact_sum.h"

enum { KM_MEAN_BLOCK = 64, KM_MEAN_CHANNELS_MAX = 64, KM_MEAN_NO_HISTOGRAM = -1 };

/* What values do from place to place: they stay for a while; or they are 0 mostly, or another one everywhere.
 * Either kind of channel takes any values, and gives the same sums; it is a matter of speed, and of what the
 * places of a column mean. */
typedef enum km_mean_kind {
  KM_MEAN_STEPS = 0,
  KM_MEAN_SPIKES,
  /* Differences of a channel of steps of integers, x(t) − x(t−1) from place 1 on and x(t) − 2·x(t−1) + x(t−2)
   * from place 2 on, and 0 before: they have no column of their own, and the sums of the steps are made use
   * of. The first ones have the steps' n_limbs and denominator, the second ones those of the first. */
  KM_MEAN_CHANGES,
  KM_MEAN_CHANGES2,
} km_mean_kind;

/* Integers of n_limbs limbs over a denominator, or (n_limbs 0) doubles as in km_exact_sum_add_double. */
typedef struct km_mean_channel {
  unsigned n_limbs;
  uint64_t denominator;
  unsigned
      bits; /* |value| < 2^bits, bits < 64·n_limbs, so that sums take less room; 0: whatever fits the limbs */
  km_mean_kind kind;
  size_t of; /* of changes: number of the steps; of second ones: number of the first; less than their own */
} km_mean_channel;

typedef struct km_mean_options {
  const km_mean_channel *channels; /* copied */
  size_t n_channels;               /* 1…KM_MEAN_CHANNELS_MAX */
  size_t n_strata;                 /* strata are 0…n_strata−1 */
  size_t n_points;                 /* places beyond it are counted (km_mean_curves_beyond), not summed */
  size_t max_bytes;                /* bound of all memory of the set */
  int histogram_channel;           /* a channel of doubles in [0, histogram_max], or KM_MEAN_NO_HISTOGRAM */
  unsigned histogram_max;          /* larger values count as it */
  unsigned bins_per_unit;          /* bins of this fineness: a quantile is off by half a bin at most */
} km_mean_options;

/* One channel of one game: value i < n is at places[i], rising. Behind it is the same up to the next one
 * (steps, of which the first is at place 0), or there are zeros (spikes; a histogram's channel has a value at
 * every place). */
typedef struct km_mean_column {
  const void *values; /* uint64_t limbs, or doubles, one after the other */
  const uint32_t *places;
  size_t n;
} km_mean_column;

typedef struct km_mean_curves km_mean_curves;

/* One game with values at places 0…n_points−1 (n_points ≥ 1): a column a channel, and a stratum a set it goes
 * to. */
typedef struct km_mean_game {
  const km_mean_column *columns;
  const size_t *strata;
  size_t n_points;
} km_mean_game;

km_status km_mean_curves_new(km_mean_curves **curves, const km_mean_options *options, km_err *err);
void km_mean_curves_free(km_mean_curves *curves); /* NULL is allowed */

/* Adds games to the sets, of which those behind the first have the first one's n_points and the first few, or
 * all, of its channels. A channel after the other is added of all games, so that what it is added to stays in
 * the nearest cache: a hundred games at once are added in half the time. KM_ERR_LIMIT, and nothing added,
 * when a set would need more than its max_bytes, or have 2^36 games in a stratum. */
km_status km_mean_curves_add(km_mean_curves *const *sets, size_t n_sets, const km_mean_game *games,
                             size_t n_games, km_err *err);
/* Adds everything of from; both made with the same options. */
km_status km_mean_curves_merge(km_mean_curves *into, const km_mean_curves *from, km_err *err);
/* Adds everything of stratum from to stratum into, as if its games had been added there too: a whole made of
 * its parts. KM_ERR_LIMIT as with add. */
km_status km_mean_curves_fold(km_mean_curves *curves, size_t into, size_t from, km_err *err);
/* Bytes of one stratum whose longest game has `length` places; 0 for options that cannot be. */
size_t km_mean_curves_need(const km_mean_options *options, size_t length);

uint64_t km_mean_curves_games(const km_mean_curves *curves, size_t stratum);
/* Places that at least one game of the stratum has. */
size_t km_mean_curves_length(const km_mean_curves *curves, size_t stratum);
/* Values left out because their place was n_points or more, over all strata. */
uint64_t km_mean_curves_beyond(const km_mean_curves *curves);
size_t km_mean_curves_bytes(const km_mean_curves *curves);

typedef enum km_mean_ends { KM_MEAN_DROP = 0, KM_MEAN_HOLD } km_mean_ends;
/* The exact sums of a channel at places 0…length−1 into out. */
void km_mean_curves_read(const km_mean_curves *curves, size_t stratum, size_t channel, km_mean_ends ends,
                         km_exact_sum *out);

/* The quantiles nums[k]/den (1/2 the median), rising, at places 0…length−1, alignment drop, into out[k]: the
 * middle of the bin that holds the value of rank ⌈n·num/den⌉ (rank 1 the least), 0 exactly if that value is
 * 0. num ≤ den ≤ 2^31, 1 ≤ den. KM_ERR_USAGE without a histogram. */
km_status km_mean_curves_quantiles(const km_mean_curves *curves, size_t stratum, const uint32_t *nums,
                                   size_t n_nums, uint32_t den, double *const *out, km_err *err);

#endif
