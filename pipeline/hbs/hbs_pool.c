/* hbs_pool.c: shares of curves, each behind a lock that only shared ones ever wait for. */
#include "hbs_pool.h"

#include <pthread.h>
#include <stdlib.h>

/* Of all shares together, if there are several. */
static const size_t budget = (size_t)96 << 20;

typedef struct share {
  pthread_mutex_t lock;
  km_curve_set *sets; /* n_plans */
} share;

struct km_curve_pool {
  size_t n_plans, n_shares;
  share *shares;
};

static km_status open_share(share *s, const km_curve_plan *plans, size_t n_plans, km_err *err) {
  s->sets = calloc(n_plans + 1, sizeof *s->sets);
  if (!s->sets)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  km_status status = KM_OK;
  for (size_t i = 0; i < n_plans && status == KM_OK; i++)
    status = km_curve_set_open(&s->sets[i], &plans[i], err);
  return status;
}

km_status km_curve_pool_new(km_curve_pool **out, const km_curve_plan *plans, size_t n_plans, size_t n_workers,
                            km_err *err) {
  *out = NULL;
  size_t need = 1;
  for (size_t i = 0; i < n_plans; i++)
    need += km_curve_set_need(&plans[i]);
  if (need > KM_CURVE_BYTES_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0,
                      "the curves asked for may take %zu MB: fewer kinds with --by, or fewer --strata",
                      need >> 20);
  km_curve_pool *pool = calloc(1, sizeof *pool);
  size_t n_shares = budget / need < n_workers ? budget / need : n_workers;
  if (n_shares == 0)
    n_shares = 1;
  if (!pool || !(pool->shares = calloc(n_shares, sizeof *pool->shares))) {
    free(pool);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  }
  pool->n_plans = n_plans;
  km_status status = KM_OK;
  while (pool->n_shares < n_shares && status == KM_OK) {
    pthread_mutex_init(&pool->shares[pool->n_shares].lock, NULL);
    status = open_share(&pool->shares[pool->n_shares++], plans, n_plans, err);
  }
  if (status != KM_OK) {
    km_curve_pool_free(pool);
    return status;
  }
  *out = pool;
  return KM_OK;
}

static void close_share(km_curve_pool *pool, share *s) {
  for (size_t i = 0; s->sets && i < pool->n_plans; i++)
    km_curve_set_close(&s->sets[i]);
  free(s->sets);
  s->sets = NULL;
}

void km_curve_pool_free(km_curve_pool *pool) {
  if (!pool)
    return;
  for (size_t i = 0; i < pool->n_shares; i++) {
    close_share(pool, &pool->shares[i]);
    pthread_mutex_destroy(&pool->shares[i].lock);
  }
  free(pool->shares);
  free(pool);
}

km_status km_curve_pool_add(km_curve_pool *pool, size_t worker, km_curve_batch *batch, km_err *err) {
  share *s = &pool->shares[worker % pool->n_shares];
  km_status status = KM_OK;
  pthread_mutex_lock(&s->lock);
  for (size_t i = 0; i < pool->n_plans && status == KM_OK; i++) {
    const km_curve_games *games = km_curve_batch_games(batch, i);
    if (games->n > 0)
      status = km_curve_set_add(&s->sets[i], games, err);
  }
  pthread_mutex_unlock(&s->lock);
  km_curve_batch_reset(batch);
  return status;
}

km_status km_curve_pool_total(km_curve_pool *pool, const km_curve_set **sets, km_err *err) {
  km_status status = KM_OK;
  for (size_t k = 1; k < pool->n_shares && status == KM_OK; k++) {
    for (size_t i = 0; i < pool->n_plans && status == KM_OK; i++)
      status = km_curve_set_merge(&pool->shares[0].sets[i], &pool->shares[k].sets[i], err);
    close_share(pool, &pool->shares[k]);
  }
  for (size_t i = 0; i < pool->n_plans && status == KM_OK; i++)
    status = km_curve_set_complete(&pool->shares[0].sets[i], err);
  *sets = pool->shares[0].sets;
  return status;
}
