/* gather.h: one pass over games.h5: which rows there are, and, while they fit, the tracks of the games.
 *
 * Games go in ranges of KM_RANGE_GAMES; of each range it is kept how many positions of each split come before
 * it, so that a later pass knows the numbers of its rows without the ranges before it. */
#ifndef KIFUMILL_GATHER_H
#define KIFUMILL_GATHER_H

#include "row_select.h"
#include "row_store.h"

enum { KM_RANGE_GAMES = 64 };

typedef struct km_gathered {
  km_select_counts counts;
  km_row_store *store; /* NULL: the tracks do not fit, or were not wanted */
  uint64_t n_ranges;
  uint64_t (*before)[KM_SPLITS]; /* positions before each range */
  uint64_t n_track_bytes;        /* of the tracks seen until it was clear that they do not fit */
} km_gathered;

typedef struct km_gather_job {
  const km_games *games;
  const km_planes_settings *settings;
  const km_track_shape *shape;
  uint64_t budget; /* bytes for the store; 0: only count */
  int threads;
  km_progress *progress;
} km_gather_job;

km_status km_gather(km_gathered *gathered, const km_gather_job *job, km_err *err);
void km_gathered_clear(km_gathered *gathered);

/* One game at a time, for passes over ranges: what a worker needs for it. */
typedef struct km_game_pick {
  km_arena arena;
  km_game game;
  km_game_keys keys;
  unsigned split;
  uint32_t n_rows;
  uint16_t *plies; /* of the rows */
  size_t capacity;
} km_game_pick;
/* Takes game i and selects its rows; n_rows is 0 when it has none (counts says why). The pick is zero before
 * the first. */
km_status km_game_pick_take(km_game_pick *pick, const km_games *games, const km_planes_settings *settings,
                            uint64_t i, km_select_counts *counts, km_err *err);
void km_game_pick_clear(km_game_pick *pick);

#endif
