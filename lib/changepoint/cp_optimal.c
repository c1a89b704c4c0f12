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
  double *best;
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

/* One channel of l2 without length term: the values of a row and their minimum in one loop. start[s] =
 * best[s] + beta − (sum of squares before s) takes all that does not depend on t. */
static void exact_l2(cp_series *c, prefixes *table, double *start) {
  size_t n = c->n, m = c->min_size;
  for (size_t s = 0; s < m; s++)
    start[s] = INFINITY;
  start[0] = 0;
  for (size_t t = m; t <= n; t++) {
    double least = cp_l2_values(start, c->sum, c->inverse + (n - t), c->sum[t], t - m + 1, c->value);
    size_t s = cp_choose(c->value, t - m + 1, least, c->tolerance);
    table->last[t] = (uint32_t)s;
    start[t] = c->value[s] + c->beta;
  }
}

/* value[i] = best[i] + beta + row[i] */
static void add_best(const double *restrict best, double beta, const double *restrict row, size_t n,
                     double *restrict value) {
  for (size_t i = 0; i < n; i++)
    value[i] = best[i] + beta + row[i];
}

static void exact_general(cp_series *c, prefixes *table) {
  for (size_t t = c->min_size; t <= c->n; t++) {
    size_t n_starts = t - c->min_size + 1;
    cp_fill_row(c, 0, n_starts - 1, t);
    add_best(table->best, c->beta, c->row, n_starts, c->value);
    size_t s = cp_choose(c->value, n_starts, cp_least(c->value, n_starts), c->tolerance);
    table->last[t] = (uint32_t)s;
    table->best[t] = c->value[s];
  }
}

km_status cp_exact(km_changepoint *w, km_err *err) {
  cp_series *c = &w->series;
  prefixes table;
  km_status status = table_start(w, &table, err);
  if (status != KM_OK)
    return status;
  if (c->cost == KM_COST_L2 && c->n_channels == 1 && !c->length_term)
    exact_l2(c, &table, c->row);
  else
    exact_general(c, &table);
  trace_back(c, table.last);
  return KM_OK;
}

/* The candidates' values at t into c->value. */
static void candidate_values(cp_series *c, const prefixes *table, const uint32_t *candidates, size_t count,
                             size_t t) {
  bool by_row = c->cost == KM_COST_L1;
  if (by_row)
    cp_fill_row(c, candidates[0], t - c->min_size, t);
  for (size_t i = 0; i < count; i++) {
    size_t s = candidates[i];
    c->value[i] = table->best[s] + c->beta + (by_row ? c->row[s] : cp_segment(c, s, t));
  }
}

km_status cp_pelt(km_changepoint *w, km_err *err) {
  cp_series *c = &w->series;
  size_t n = c->n, m = c->min_size, count = 0;
  prefixes table;
  km_status status = table_start(w, &table, err);
  uint32_t *candidates = cp_indices(w, n + 1, err), *gone_at = cp_indices(w, n + 1, err);
  if (status != KM_OK || !candidates || !gone_at)
    return KM_ERR_NOMEM;
  for (size_t t = m; t <= n; t++) {
    size_t s = t - m, kept = 0;
    if (s == 0 || s >= m) {
      gone_at[s] = (uint32_t)n + 1;
      candidates[count++] = (uint32_t)s;
    }
    for (size_t i = 0; i < count; i++)
      if (gone_at[candidates[i]] > t)
        candidates[kept++] = candidates[i];
    count = kept;
    candidate_values(c, &table, candidates, count, t);
    size_t chosen = cp_choose(c->value, count, cp_least(c->value, count), c->tolerance);
    table.last[t] = candidates[chosen];
    table.best[t] = c->value[chosen];
    for (size_t i = 0; i < count; i++)
      if (c->value[i] - c->beta > table.best[t] + 2 * c->tolerance && gone_at[candidates[i]] > t + m)
        gone_at[candidates[i]] = (uint32_t)(t + m);
  }
  trace_back(c, table.last);
  return KM_OK;
}

/* best[j][t]: least cost of [0, t) in j + 1 segments. One row of costs serves all j. */
km_status cp_fixed(km_changepoint *w, size_t k, bool *found, km_err *err) {
  enum { CELLS_MAX = 1 << 27 };
  cp_series *c = &w->series;
  size_t n = c->n, m = c->min_size, stride = n + 1;
  c->n_breaks = 0;
  *found = k == 0 || (k < n && m <= n / (k + 1));
  if (!*found || k == 0)
    return KM_OK;
  if (k + 1 > CELLS_MAX / stride)
    return km_err_set(err, KM_ERR_LIMIT, 0,
                      "%zu changes in %zu values need a table beyond the limit of %d cells", k, n, CELLS_MAX);
  double *best = cp_doubles(w, (k + 1) * stride, err);
  uint32_t *last = cp_indices(w, (k + 1) * stride, err);
  if (!best || !last)
    return KM_ERR_NOMEM;
  cp_rewind(c);
  for (size_t t = m; t <= n; t++) {
    cp_fill_row(c, 0, t - m, t);
    best[t] = c->row[0];
    for (size_t j = 1; j <= k && (j + 1) * m <= t; j++) {
      const double *shorter = best + (j - 1) * stride;
      size_t first = j * m, count = t - m - first + 1;
      add_best(shorter + first, 0, c->row + first, count, c->value);
      size_t chosen = cp_choose(c->value, count, cp_least(c->value, count), c->tolerance);
      best[j * stride + t] = c->value[chosen];
      last[j * stride + t] = (uint32_t)(first + chosen);
    }
  }
  c->n_breaks = k;
  for (size_t j = k, t = n; j > 0; j--)
    c->breaks[j - 1] = (uint32_t)(t = last[j * stride + t]);
  return KM_OK;
}
