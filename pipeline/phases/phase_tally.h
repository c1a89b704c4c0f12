/* phase_tally.h: what the games of a board size have in common: histograms of breaks, sums of the comparison,
 * examples.
 *
 * Filled by one thread in the order of the games, so that sums of doubles do not depend on how many worked.
 * Memory does not grow with the games. */
#ifndef KIFUMILL_PHASE_TALLY_H
#define KIFUMILL_PHASE_TALLY_H

#include "phase_work.h"

enum {
  KM_COMPARE_GROUPS = 4096, /* of games, for the bootstrap: single games up to so many */
  KM_TALLY_CHANGES = 64,    /* games with so many changes or more are counted together */
  KM_TALLY_FRACTIONS = 100,
};

/* Sums of one group of games. */
typedef struct km_compare_group {
  double n[KM_METHODS], sum[KM_METHODS][KM_NEARNESSES];
} km_compare_group;

typedef struct km_comparison {
  uint64_t n_games;
  km_compare_group *groups; /* KM_COMPARE_GROUPS; NULL: no game so far */
} km_comparison;

typedef struct km_example {
  uint64_t rank, game;
  uint32_t n, middle, endgame;
  km_breaks changes, reference; /* breaks follow in one block with log2 */
  double *log2;
} km_example;

typedef struct km_tally {
  uint64_t n_games, n_divided, n_positions;
  uint64_t changes[KM_TALLY_CHANGES + 1];
  uint64_t by_fraction[KM_TALLY_FRACTIONS];
  uint64_t *by_move, *middle, *endgame;          /* KM_PHASES_PLIES each */
  uint64_t phase_changes[3], phase_positions[3]; /* of the conventional phases */
  km_comparison comparison;
  km_example examples[KM_EXAMPLES];
  size_t n_examples;
} km_tally;

typedef struct km_tallies {
  const km_phase_shared *shared;
  km_tally *of_size[KM_BOARD_MAX + 1]; /* NULL: no game */
  uint64_t n_games, n_positions, n_state[KM_CUT_TOO_SHORT + 1];
  uint64_t n_labels_used;
} km_tallies;

km_status km_tallies_add(km_tallies *tallies, const km_phase_game *game, km_err *err);
void km_tallies_clear(km_tallies *tallies);

/* Means with intervals: of every method, and of hbs minus the method. NaN where nothing was compared. */
typedef struct km_interval {
  double value, low, high;
} km_interval;
typedef struct km_compare_result {
  uint64_t n_games;
  uint8_t has_method[KM_METHODS];
  km_interval mean[KM_METHODS][KM_NEARNESSES], difference[KM_METHODS][KM_NEARNESSES];
} km_compare_result;
/* size 0: of all sizes together. KM_ERR_NOMEM. */
km_status km_tallies_compare(const km_tallies *tallies, unsigned size, km_compare_result *result,
                             km_err *err);

#endif
