/* hbs_work.h: a stretch of positions, computed by one worker.
 *
 * The positions of all games are one row after the other; a stretch is a fixed number of them, so a game may
 * be cut. Its worker replays a cut game from its start and keeps the part it owns; the one that owns the
 * start adds the whole game to the curves. So memory is bounded however long a game is. */
#ifndef KIFUMILL_HBS_WORK_H
#define KIFUMILL_HBS_WORK_H

#include "hbs_pool.h"
#include "kifumill/hbs_store.h"

/* What workers share; nothing here changes while they run. */
typedef struct km_hbs_shared {
  const km_games *games;
  const uint64_t *offsets; /* of the games' positions, n_games + 1 */
  const km_hbs_schema *schema;
  const km_curve_plan *plans; /* n_plans, by size, then colour */
  size_t n_plans, n_colours;
  int leave_gaps; /* rows have room for more limbs or layers than some games fill */
  const km_curve_plan *by_size[KM_BOARD_MAX + 1]; /* the first plan of a size; NULL: no square board of it */
  km_curve_pool *pool;
} km_hbs_shared;

enum { KM_STRETCH_CHUNKS = 4 }; /* chunks of the table in a stretch */

/* Positions first … first + n - 1; the first one is of game first_game. */
typedef struct km_stretch {
  uint64_t first, n, first_game, n_games; /* n_games: those that begin here */
  km_block *block;
} km_stretch;

typedef struct km_hbs_worker km_hbs_worker;
km_hbs_worker *km_hbs_worker_new(const km_hbs_shared *shared, size_t number); /* NULL when memory is out */
void km_hbs_worker_free(km_hbs_worker *worker);
/* Fills and packs the stretch's block. */
km_status km_hbs_worker_run(km_hbs_worker *worker, km_stretch *stretch, km_err *err);

#endif
