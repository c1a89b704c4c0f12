/* cp_optimal.c: exact searches by dynamic programming over prefixes.
 *
 * best[t] = min over s of best[s] + beta + cost[s, t), with best[0] = −beta; last[t] is the s of that minimum
 * by the tie rule. Prefixes shorter than min_size have best = infinity. PELT drops a start s once best[s] +
 * cost[s, t) > best[t] + 2 · tolerance: every cost here satisfies cost[s, u) ≥ cost[s, t) + cost[t, u), so
 * from t + min_size on, t beats s by more than a tie, and s can neither be the minimum nor tie with it. */
#include "cp_workspace.h"

#include <math.h>
#include <string.h>

typedef struct prefixes {
  double *best, *base; /* base: NULL but for one channel of l2 */
  uint32_t *last;
} prefixes;

static km_status table_start(km_changepoint *w, prefixes *table, km_err *err) {
  cp_series *c = &w->series;
  if (!(table->best = cp_doubles(w, c->n + 1, err)) || !(table->last = cp_indices(w, c->n + 1, err)))
    return KM_ERR_NOMEM;
  for (size_t t = 0; t < c->min_size && t <= c->n; t++) {
    table->best[t] = INFINITY;
    table->last[t] = 0;
  }
  table->best[0] = -c->beta;
  if (c->cost == KM_COST_L2 && c->n_channels == 1 && !c->length_term) {
    table->base = c->row;
    for (size_t t = 1; t < c->min_size; t++)
      table->base[t] = INFINITY;
    table->base[0] = 0;
  }
  cp_rewind(c);
  return KM_OK;
}

static void trace_back(cp_series *c, const uint32_t *last) {
  size_t count = 0;
  for (uint32_t t = last[c->n]; t; t = last[t])
    count++;
  c->n_breaks = count;
  for (uint32_t t = last[c->n]; t; t = last[t])
    c->breaks[--count] = t;
}

/* value[i] = best[i] + beta + row[i] */
static void add_best(const double *restrict best, double beta, const double *restrict row, size_t n,
                     double *restrict value) {
  for (size_t i = 0; i < n; i++)
    value[i] = best[i] + beta + row[i];
}

/* c->value[i] of the starts first + i up to t − min_size; returns the least. One channel of l2 without length
 * term is computed in one loop from base[s] = best[s] + beta − (sum of squares before s), and lacks the sum
 * of squares before t. */
static double fill_values(cp_series *c, const prefixes *table, size_t first, size_t t) {
  size_t count = t - c->min_size - first + 1;
  if (table->base)
    return cp_l2_values(table->base + first, c->sum + first, c->inverse + (c->n - t + first), c->sum[t],
                        count, c->value);
  cp_fill_row(c, first, t - c->min_size, t);
  add_best(table->best + first, c->beta, c->row + first, count, c->value);
  return cp_least(c->value, count);
}

/* How many of the first starts can neither be the best nor tie with it from t + min_size on. */
static size_t prune(const cp_series *c, size_t count, double best) {
  size_t i = 0;
  while (i < count && c->value[i] - c->beta > best + 2 * c->tolerance)
    i++;
  return i;
}

/* front, where given: the first start that is looked at for t; 0 at first. */
static void partition(cp_series *c, prefixes *table, uint32_t *front) {
  size_t m = c->min_size;
  for (size_t t = m; t <= c->n; t++) {
    size_t first = front ? front[t] : 0, count = t - m - first + 1;
    double least = fill_values(c, table, first, t), lacking = table->base ? c->square[t] : 0;
    size_t chosen = cp_choose(c->value, count, least, c->tolerance);
    table->last[t] = (uint32_t)(first + chosen);
    table->best[t] = c->value[chosen] + lacking;
    if (table->base)
      table->base[t] = c->value[chosen] + c->beta;
    if (front && t + m <= c->n)
      front[t + m] = (uint32_t)(first + prune(c, count, c->value[chosen]));
  }
}

static km_status optimal(km_changepoint *w, bool pruned, km_err *err) {
  cp_series *c = &w->series;
  prefixes table = {0};
  uint32_t *front = NULL;
  km_status status = table_start(w, &table, err);
  if (status != KM_OK)
    return status;
  if (pruned) {
    if (!(front = cp_indices(w, c->n + 1, err)))
      return KM_ERR_NOMEM;
    memset(front, 0, (c->n + 1) * sizeof *front);
  }
  partition(c, &table, front);
  trace_back(c, table.last);
  return KM_OK;
}

km_status cp_exact(km_changepoint *w, km_err *err) {
  return optimal(w, false, err);
}
km_status cp_pelt(km_changepoint *w, km_err *err) {
  return optimal(w, true, err);
}

/* The least costs of prefixes by number of segments, or (lacking) those without the sum of squares before
 * t, as with fill_values: one channel of l2 without length term in one loop. */
typedef struct fixed_table {
  double *best;   /* [k + 1][stride]: of [0, t) in j + 1 segments */
  uint32_t *last; /* the start of the last one */
  size_t stride;
  bool lacking;
} fixed_table;

/* Row j ≥ 1 of the table at t. */
static void fixed_step(cp_series *c, const fixed_table *table, size_t j, size_t t) {
  const double *shorter = table->best + (j - 1) * table->stride;
  size_t first = j * c->min_size, count = t - c->min_size - first + 1;
  double least;
  if (table->lacking) {
    least = cp_l2_values(shorter + first, c->sum + first, c->inverse + (c->n - t + first), c->sum[t], count,
                         c->value);
  } else {
    add_best(shorter + first, 0, c->row + first, count, c->value);
    least = cp_least(c->value, count);
  }
  size_t chosen = cp_choose(c->value, count, least, c->tolerance);
  table->best[j * table->stride + t] = c->value[chosen];
  table->last[j * table->stride + t] = (uint32_t)(first + chosen);
}

/* One row of costs serves all j; of the last j only the whole series is asked for. */
km_status cp_fixed(km_changepoint *w, size_t k, bool *found, km_err *err) {
  enum { CELLS_MAX = 1 << 27 };
  cp_series *c = &w->series;
  size_t n = c->n, m = c->min_size;
  fixed_table table = {.stride = n + 1,
                       .lacking = c->cost == KM_COST_L2 && c->n_channels == 1 && !c->length_term};
  c->n_breaks = 0;
  *found = k == 0 || (k < n && m <= n / (k + 1));
  if (!*found || k == 0)
    return KM_OK;
  if (k + 1 > CELLS_MAX / table.stride)
    return km_err_set(err, KM_ERR_LIMIT, 0,
                      "%zu changes in %zu values need a table beyond the limit of %d cells", k, n, CELLS_MAX);
  table.best = cp_doubles(w, (k + 1) * table.stride, err);
  table.last = cp_indices(w, (k + 1) * table.stride, err);
  if (!table.best || !table.last)
    return KM_ERR_NOMEM;
  cp_rewind(c);
  for (size_t t = m; t <= n; t++) {
    if (!table.lacking)
      cp_fill_row(c, 0, t - m, t);
    table.best[t] = table.lacking ? -(c->sum[t] * c->sum[t] * c->inverse[n - t]) : c->row[0];
    for (size_t j = 1; j <= (t < n ? k - 1 : k) && (j + 1) * m <= t; j++)
      fixed_step(c, &table, j, t);
  }
  c->n_breaks = k;
  for (size_t j = k, t = n; j > 0; j--)
    c->breaks[j - 1] = (uint32_t)(t = table.last[j * table.stride + t]);
  return KM_OK;
}
