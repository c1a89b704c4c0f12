/* feed_plan.h: which rows a feed has, and which of them stands at a place of an epoch.
 *
 * Positions of the split are numbered by game and ply; a game that has any is a member, with a number of its
 * own. Row number position·ways + way is one of a position's rows (ways: 1, or with all symmetries 8). An
 * epoch's order maps places to rows:
 *
 *   global   one permutation of all rows
 *   pool     one of the members, cut into pools of pool_games; places go through the pools one by one, and
 *            in each through a permutation of the rows of its members
 *
 * Permutations are computed (row_order.h); of a pool order, the number of rows before each pool is kept, and
 * the pool last asked for. */
#ifndef KIFUMILL_FEED_PLAN_H
#define KIFUMILL_FEED_PLAN_H

#include "feed_settings.h"
#include "row_order.h"

#include "kifumill/games_store.h"

typedef struct km_feed_plan {
  const km_feed_settings *settings;
  uint64_t n_positions, n_rows;
  uint32_t n_members;
  uint32_t *games;          /* of the members, in games.h5 */
  uint64_t *first_position; /* of the members, and the end */
  uint32_t *guide;          /* member of every so manieth position */

  int has_epoch;
  uint64_t epoch, seed;   /* of the epoch's orders */
  km_row_order order;     /* of rows, or of members */
  uint32_t n_pools, pool; /* pool: the one below, UINT32_MAX none */
  uint64_t *pool_start;   /* the first place of each pool, and the end */
  km_row_order pool_order;
  uint32_t *pool_members;
  uint64_t *pool_first; /* positions before each member of the pool, and the end */
  uint32_t n_pool_members;
} km_feed_plan;

/* Goes through the games once. settings is borrowed. KM_ERR_LIMIT: more games than 32 bits number. */
km_status km_feed_plan_init(km_feed_plan *plan, const km_feed_settings *settings, const km_games *games,
                            km_err *err);
void km_feed_plan_clear(km_feed_plan *plan);

/* A row, as found: of which member, which of its rows' positions, and which way. */
typedef struct km_feed_place {
  uint32_t member, position;
  uint8_t way;
} km_feed_place;

/* Makes an epoch the one that km_feed_plan_find is about. */
void km_feed_plan_set_epoch(km_feed_plan *plan, uint64_t epoch);
/* The rows at places (each below n_rows); n ≤ KM_FEED_GROUP. */
enum { KM_FEED_GROUP = 64 };
void km_feed_plan_find(km_feed_plan *plan, const uint64_t *places, size_t n, km_feed_place *found);

#endif
