/* hbs_pool.h: where workers add to curves at once.
 *
 * A share is one set of curves a plan, behind a lock. There are as many shares as workers, each then has its
 * own, unless they would take more than the budget: then workers have a share together. Which share a game
 * goes to does not show in exact sums. */
#ifndef KIFUMILL_HBS_POOL_H
#define KIFUMILL_HBS_POOL_H

#include "hbs_batch.h"

typedef struct km_curve_pool km_curve_pool;
/* Plans are borrowed. KM_ERR_LIMIT when one share alone would take more than KM_CURVE_BYTES_MAX. */
#define KM_CURVE_BYTES_MAX ((size_t)4 << 30)
km_status km_curve_pool_new(km_curve_pool **pool, const km_curve_plan *plans, size_t n_plans,
                            size_t n_workers, km_err *err);
void km_curve_pool_free(km_curve_pool *pool);
/* Adds the games that a worker has gathered, and empties the batch. Any thread. */
km_status km_curve_pool_add(km_curve_pool *pool, size_t worker, km_curve_batch *batch, km_err *err);
/* When all is added: merges the shares, makes wholes of parts, and gives the sets, one a plan, borrowed from
 * the pool. */
km_status km_curve_pool_total(km_curve_pool *pool, const km_curve_set **sets, km_err *err);

#endif
