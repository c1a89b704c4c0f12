/* cp_optimal.c: exact searches by dynamic programming over prefixes.
 *
 * best[t] = min over s of best[s] + beta + cost[s, t), with best[0] = −beta; last[t] is the s of that minimum
 * by the tie rule. Prefixes shorter than min_size have best = infinity.
 *
 * Pruning (PELT). A start s is dropped once best[s] + cost[s, t) > best[t] + 2 · tolerance: every cost here
 * satisfies cost[s, u) ≥ cost[s, t) + cost[t, u), so from t + min_size on, t beats s by more than a tie, and
 * s can neither be the minimum nor tie with it. Only the first starts are dropped, which leaves a range: of
 * games that is 37 starts a row of 112, where dropping single ones would leave 36. Of one channel of l2 the
 * rest is looked at by groups, most rows at two of six: see cp_l2_search.
 *
 * Exact search prunes too where the rounding of costs is known to be below what is added to the margin, and
 * looks at all starts again in the rare row that a tie does not decide at once: the result is that of no
 * pruning. That is l2. The values compared are best[s] − (S_t − S_s)² / (t − s) with S the rounded prefix
 * sums, for which (a + b)² / (k + l) ≤ a² / k + b² / l holds as for any numbers, so that only the rounding of
 * these few operations counts: each at most half an epsilon of sums of squares and beta. */
#include "cp_workspace.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct prefixes {
  double *best;
  uint32_t *last;
  uint32_t *front; /* the first start that is looked at for t; NULL: all are */
  double margin;   /* of pruning */
  bool all;        /* ties are decided among all starts, the dropped ones too */
} prefixes;

/* One channel of l2 without length term: values come from one loop and lack the sum of squares before t. */
static bool is_lacking(const cp_series *c) {
  return c->cost == KM_COST_L2 && c->n_channels == 1 && !c->length_term;
}

static km_status table_start(km_changepoint *w, prefixes *table, bool pruned, km_err *err) {
  cp_series *c = &w->series;
  if (!(table->best = cp_doubles(w, c->n + 1, err)) || !(table->last = cp_indices(w, c->n + 1, err)) ||
      (pruned && !(table->front = cp_indices(w, c->n + 1, err))))
    return KM_ERR_NOMEM;
  if (pruned)
    memset(table->front, 0, (c->n + 1) * sizeof *table->front);
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

/* value[i] = best[i] + beta + row[i] */
static void add_best(const double *restrict best, double beta, const double *restrict row, size_t n,
                     double *restrict value) {
  for (size_t i = 0; i < n; i++)
    value[i] = best[i] + beta + row[i];
}

/* Fills c->value[s] of the starts from first to t − min_size and chooses one, or none. */
static size_t choose_start(cp_series *c, const prefixes *table, size_t first, size_t t) {
  size_t last = t - c->min_size;
  cp_fill_row(c, first, last, t);
  add_best(table->best + first, c->beta, c->row + first, last - first + 1, c->value + first);
  size_t chosen = cp_choose(c->value + first, last - first + 1, c->tolerance);
  return chosen == CP_UNDECIDED ? chosen : first + chosen;
}

static void partition(cp_series *c, prefixes *table) {
  size_t m = c->min_size;
  for (size_t t = m; t <= c->n; t++) {
    size_t first = table->front ? table->front[t] : 0, chosen = choose_start(c, table, first, t);
    if (chosen == CP_UNDECIDED) {
      size_t from = table->all ? 0 : first;
      choose_start(c, table, from, t);
      chosen = from + cp_choose_slowly(c->value + from, t - m - from + 1, c->tolerance);
    }
    table->last[t] = (uint32_t)chosen;
    table->best[t] = c->value[chosen];
    if (!table->front || t + m > c->n)
      continue;
    while (first + m <= t && c->value[first] - c->beta > table->best[t] + table->margin)
      first++;
    table->front[t + m] = (uint32_t)first;
  }
}

/* Of what is_lacking. */
static km_status partition_l2(km_changepoint *w, const prefixes *table, km_err *err) {
  cp_series *c = &w->series;
  size_t n_groups = c->n / CP_VECTOR + 5;
  double *base = c->row, *low = cp_doubles(w, n_groups, err);
  if (!low)
    return KM_ERR_NOMEM;
  for (size_t g = 0; g < n_groups; g++)
    low[g] = INFINITY;
  for (size_t t = 0; t < c->min_size; t++)
    base[t] = t ? INFINITY : 0;
  cp_l2_partition(&(cp_l2_search){.rows = {base, c->sum, c->inverse, c->value, c->tolerance, c->n},
                                  .base = base,
                                  .front = table->front,
                                  .last = table->last,
                                  .low = low,
                                  .beta = c->beta,
                                  .margin = table->margin,
                                  .min_size = c->min_size,
                                  .all = table->all});
  return KM_OK;
}

/* What the rounding of two sums of values of a row may come to: see above. */
static double l2_rounding(const cp_series *c) {
  return 16 * DBL_EPSILON * (double)(c->n_channels + 1) * (c->square[c->n] + c->beta);
}

static km_status optimal(km_changepoint *w, prefixes *table, bool pruned, km_err *err) {
  cp_series *c = &w->series;
  km_status status = table_start(w, table, pruned, err);
  if (status != KM_OK)
    return status;
  if (!is_lacking(c))
    partition(c, table);
  else if (partition_l2(w, table, err) != KM_OK)
    return KM_ERR_NOMEM;
  trace_back(c, table->last);
  return KM_OK;
}

km_status cp_exact(km_changepoint *w, km_err *err) {
  const cp_series *c = &w->series;
  prefixes table = {.margin = 2 * c->tolerance + l2_rounding(c), .all = true};
  return optimal(w, &table, c->cost == KM_COST_L2, err);
}

km_status cp_pelt(km_changepoint *w, km_err *err) {
  const cp_series *c = &w->series;
  prefixes table = {.margin = 2 * c->tolerance + (is_lacking(c) ? l2_rounding(c) : 0)};
  return optimal(w, &table, true, err);
}

/* A fixed number of changes
 * ---------------------------------------------------------------------------------------------- */

/* The least costs of prefixes by number of segments, or those that lack the sum of squares before t. */
typedef struct fixed_table {
  double *best;   /* [k + 1][stride]: of [0, t) in j + 1 segments */
  uint32_t *last; /* the start of the last one */
  size_t stride;
  bool lacking;
} fixed_table;

/* Row j ≥ 1 of the table at t; false when ties leave it open and it was not to be decided slowly. */
static bool fixed_step(cp_series *c, const fixed_table *table, size_t j, size_t t, bool slowly) {
  const double *shorter = table->best + (j - 1) * table->stride;
  size_t first = j * c->min_size, last = t - c->min_size, count = last - first + 1, chosen;
  double *value = c->value + first;
  if (table->lacking) {
    cp_l2_rows rows = {shorter, c->sum, c->inverse, c->value, c->tolerance, c->n};
    chosen = cp_l2_choose(&rows, first, last, t);
  } else {
    add_best(shorter + first, 0, c->row + first, count, value);
    chosen = cp_choose(value, count, c->tolerance);
    chosen += chosen == CP_UNDECIDED ? 0 : first;
  }
  if (chosen == CP_UNDECIDED && !slowly)
    return false;
  if (chosen == CP_UNDECIDED)
    chosen = first + cp_choose_slowly(value, count, c->tolerance);
  table->best[j * table->stride + t] = c->value[chosen];
  table->last[j * table->stride + t] = (uint32_t)chosen;
  return true;
}

/* The first rows up to j_last at t < n; one row of costs serves them all. */
static void fill_columns(cp_series *c, const fixed_table *table, size_t j_last) {
  size_t m = c->min_size, n = c->n;
  for (size_t t = m; t < n && table->lacking; t++)
    table->best[t] = -(c->sum[t] * c->sum[t] * c->inverse[n - t]);
  for (size_t t = m; t < n && !(table->lacking && j_last == 0); t++) {
    if (!table->lacking) {
      cp_fill_row(c, 0, j_last ? t - m : 0, t);
      table->best[t] = c->row[0];
    }
    for (size_t j = 1; j <= j_last && (j + 1) * m <= t; j++)
      fixed_step(c, table, j, t, true);
  }
}

/* The last row at n, the only place where it is needed. */
static bool fixed_end(cp_series *c, const fixed_table *table, size_t k, bool slowly) {
  if (!table->lacking)
    cp_fill_row(c, 0, c->n - c->min_size, c->n);
  return fixed_step(c, table, k, c->n, slowly);
}

/* Row j at t by itself, of l2 and with min_size 1; gives it as a cost that lacks nothing. */
static double fixed_cell(cp_series *c, const fixed_table *table, size_t j, size_t t) {
  if (!table->lacking)
    cp_fill_row(c, j, t - 1, t);
  fixed_step(c, table, j, t, true);
  return table->best[j * table->stride + t] + (table->lacking ? c->square[t] : 0);
}

/* Row k − 1, of which only the whole series asks, is filled where it can matter. Its entries, as costs of
 * prefixes, never get less with t when min_size is 1: taking the end off a prefix, or a cut off what is then
 * covered by fewer segments, costs nothing. So the total of three (k + 1) pieces with the last cut in (a, b)
 * is at least the cost of [0, a) in k pieces and of [b − 1, n) in one. Computed entries lie between the least
 * and k · tolerance above it, but for rounding: of prefix sums S the costs are those of the series of their
 * differences, up to n epsilon in the sums of squares, and up to a few epsilon a segment and channel. */
typedef struct sparse {
  cp_series *c;
  const fixed_table *table;
  size_t j;           /* the row */
  const double *tail; /* [t]: cost of [t, n) */
  double least;       /* total so far */
  double margin;
} sparse;

/* The cost of [0, t) by the row. */
static double sparse_at(sparse *p, size_t t) {
  double head = fixed_cell(p->c, p->table, p->j, t), total = head + p->tail[t];
  p->least = total < p->least ? total : p->least;
  return head;
}

/* Between a, whose cost is head, and b. */
static void sparse_between(sparse *p, size_t a, double head, size_t b) {
  if (b - a < 2 || head + p->tail[b - 1] > p->least + p->margin)
    return;
  size_t middle = a + (b - a) / 2;
  double there = sparse_at(p, middle);
  sparse_between(p, a, head, middle);
  sparse_between(p, middle, there, b);
}

static km_status fill_sparsely(km_changepoint *w, const fixed_table *table, size_t k, km_err *err) {
  enum { QUARTERS = 4 };
  cp_series *c = &w->series;
  size_t n = c->n, at[QUARTERS + 1];
  double *tail = cp_doubles(w, n + 1, err), head[QUARTERS], *best = table->best + (k - 1) * table->stride;
  if (!tail)
    return KM_ERR_NOMEM;
  cp_fill_row(c, k, n - 1, n);
  memcpy(tail + k, c->row + k, (n - k) * sizeof *tail);
  double rounding = 8 * DBL_EPSILON * (double)(n + (k + 1) * (c->n_channels + 4)) * c->square[n];
  sparse p = {c, table, k - 1, tail, INFINITY, (double)(k + 2) * c->tolerance + rounding};
  for (size_t t = k; t < n; t++)
    best[t] = INFINITY;
  for (size_t i = 0; i <= QUARTERS; i++)
    at[i] = k + (n - k) * i / QUARTERS;
  for (size_t i = 0; i < QUARTERS; i++)
    head[i] = sparse_at(&p, at[i]);
  for (size_t i = 0; i < QUARTERS; i++)
    sparse_between(&p, at[i], head[i], at[i + 1]);
  return KM_OK;
}

km_status cp_fixed(km_changepoint *w, size_t k, bool *found, km_err *err) {
  enum { CELLS_MAX = 1 << 27 };
  cp_series *c = &w->series;
  size_t n = c->n, m = c->min_size;
  fixed_table table = {.stride = n + 1, .lacking = is_lacking(c)};
  c->n_breaks = 0;
  *found = k == 0 || (k < n && m <= n / (k + 1));
  if (!*found || k == 0)
    return KM_OK;
  if (k + 1 > CELLS_MAX / table.stride)
    return km_err_set(err, KM_ERR_LIMIT, 0,
                      "%zu changes in %zu values need a table beyond the limit of %d cells", k, n, CELLS_MAX);
  table.best = cp_doubles(w, (k + 1) * table.stride + CP_VECTOR, err);
  table.last = cp_indices(w, (k + 1) * table.stride, err);
  if (!table.best || !table.last)
    return KM_ERR_NOMEM;
  for (size_t j = 0; j <= k; j++)
    for (size_t t = 0; t < (j + 1) * m; t++)
      table.best[j * table.stride + t] = INFINITY;
  cp_rewind(c);
  bool is_sparse = c->cost == KM_COST_L2 && m == 1 && k >= 2;
  fill_columns(c, &table, is_sparse ? k - 2 : k - 1);
  if (is_sparse && fill_sparsely(w, &table, k, err) != KM_OK)
    return KM_ERR_NOMEM;
  if (!fixed_end(c, &table, k, !is_sparse)) {
    for (size_t t = k; t < n; t++)
      fixed_cell(c, &table, k - 1, t);
    fixed_end(c, &table, k, true);
  }
  c->n_breaks = k;
  for (size_t j = k, t = n; j > 0; j--)
    c->breaks[j - 1] = (uint32_t)(t = table.last[j * table.stride + t]);
  return KM_OK;
}
