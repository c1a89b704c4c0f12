/* cp_cost.c: preparing a series, and costs of segments from prefix sums.
 *
 * Sums are taken of values less their mean (exactly 0 for a constant series), so cancellation stays near the
 * rounding of the variance, not of the level. The linear cost also centres the index. l1 rows delete values
 * one by one from a sorted linked list, which moves the median by at most one place: O(1) a segment. */
#include "cp_workspace.h"

#include "kifumill/summary.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool all_finite(const double *y, size_t n) {
  int64_t n_bad = 0;
  for (size_t i = 0; i < n; i++)
    n_bad += !(fabs(y[i]) <= DBL_MAX);
  return n_bad == 0;
}

static km_status check_finite(const km_series *series, km_err *err) {
  size_t n = series->n * series->n_channels;
  for (size_t i = all_finite(series->y, n) ? n : 0; i < n; i++) {
    double y = series->y[i];
    if (isfinite(y))
      continue;
    size_t t = i % series->n, channel = i / series->n;
    km_status status =
        km_err_set(err, KM_ERR_FORMAT, 0, "value %zu of the series (channel %zu) is %s", t, channel,
                   isnan(y) ? "NaN"
                   : y > 0  ? "infinity"
                            : "-infinity");
    if (err)
      err->pos = t;
    return status;
  }
  return KM_OK;
}

km_status cp_check_size(size_t n, size_t n_channels, bool quadratic, km_err *err) {
  size_t limit = quadratic ? KM_CHANGEPOINT_MAX_QUADRATIC : KM_CHANGEPOINT_MAX;
  if (n > limit / n_channels)
    return km_err_set(
        err, KM_ERR_LIMIT, 0, "a series of %zu values in %zu channels is beyond the limit of %zu values%s", n,
        n_channels, limit, quadratic ? " of a search that takes time n squared; PELT goes further" : "");
  return KM_OK;
}

static km_status check_size(const km_series *series, const km_changepoint_options *options, km_err *err) {
  if (series->n_channels == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "a series needs at least one channel");
  if (series->n_channels > 1 && options->cost != KM_COST_L2)
    return km_err_set(err, KM_ERR_USAGE, 0, "cost %s takes one channel, not %zu",
                      km_changepoint_cost_name(options->cost), series->n_channels);
  bool quadratic =
      options->search == KM_SEARCH_EXACT || options->n_changes >= 0 || options->cost == KM_COST_L1;
  return cp_check_size(series->n, series->n_channels, quadratic, err);
}

/* z = y less the mean; z = 0 exactly where y is constant. Large values may overflow here and in the squares:
 * that shows in the variance. */
static void centre(const double *y, size_t n, double *z) {
  double sum = 0;
  bool constant = true;
  for (size_t t = 0; t < n; t++) {
    sum += y[t] - y[0];
    constant &= y[t] == y[0];
  }
  double mean = constant ? y[0] : y[0] + sum / (double)n;
  for (size_t t = 0; t < n; t++)
    z[t] = y[t] - mean;
}

typedef struct keyed {
  double value;
  uint32_t at;
} keyed;

static int by_value(const void *a, const void *b) {
  const keyed *p = a, *q = b;
  if (p->value != q->value)
    return p->value < q->value ? -1 : 1;
  return p->at < q->at ? -1 : 1;
}

/* z = rank of y among all, ties sharing their average, less the mean rank; returns the variance of z. */
static double centred_ranks(const double *y, size_t n, keyed *order, double *z) {
  for (size_t t = 0; t < n; t++)
    order[t] = (keyed){y[t], (uint32_t)t};
  qsort(order, n, sizeof *order, by_value);
  double squares = 0;
  for (size_t i = 0, j; i < n; i = j) {
    for (j = i + 1; j < n && order[j].value == order[i].value; j++)
      ;
    double rank = 0.5 * ((double)i + (double)j - (double)n);
    for (size_t k = i; k < j; k++)
      z[order[k].at] = rank;
    squares += (double)(j - i) * rank * rank;
  }
  return squares / (double)n;
}

static km_status fill_values(km_changepoint *w, const km_series *series,
                             const km_changepoint_options *options, km_err *err) {
  cp_series *c = &w->series;
  size_t n = c->n;
  if (c->cost == KM_COST_RANK) {
    keyed *order = km_arena_alloc(&w->arena, n * sizeof *order);
    if (!order)
      return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the ranks of %zu values", n);
    double variance = centred_ranks(series->y, n, order, c->z);
    c->scale = variance > 0 ? 1 / variance : 0;
    return KM_OK;
  }
  for (size_t channel = 0; channel < c->n_channels; channel++) {
    const double *y = series->y + channel * n;
    double *z = c->z + channel * n;
    centre(y, n, z);
    double sigma2 = options->standardise ? cp_noise(y, n, options, c->scratch) : 1;
    if (options->standardise && sigma2 > 0)
      for (size_t t = 0; t < n; t++)
        z[t] /= sqrt(sigma2);
  }
  return KM_OK;
}

static void fill_sums(cp_series *c) {
  size_t n = c->n;
  c->square[0] = 0;
  for (size_t i = 0; i < CP_VECTOR; i++) /* behind the end vectors read numbers */
    c->sum[c->n_channels * (n + 1) + i] = 0;
  for (size_t channel = 0; channel < c->n_channels; channel++) {
    const double *z = c->z + channel * n;
    double *sum = c->sum + channel * (n + 1), total = 0, squares = 0;
    sum[0] = 0;
    for (size_t t = 0; t < n; t++) {
      sum[t + 1] = total += z[t];
      squares += z[t] * z[t];
      c->square[t + 1] = channel ? c->square[t + 1] + squares : squares;
    }
  }
  if (c->cost != KM_COST_LINEAR)
    return;
  double moment = 0, middle = 0.5 * (double)(n - 1);
  c->moment[0] = 0;
  for (size_t t = 0; t < n; t++)
    c->moment[t + 1] = moment += ((double)t - middle) * c->z[t];
  for (size_t t = 0; t <= n; t++)
    c->half[t] = 0.5 * (double)t - 0.25 * (double)n;
  for (size_t k = 1; k <= n; k++)
    c->inverse_sxx[n - k] = k < 2 ? 0 : 12 / ((double)k * ((double)k * (double)k - 1));
}

/* The table of 1/k reaches as far as the longest series so far; behind 1/1 vectors read zeros. */
static km_status reserve_inverse(km_changepoint *w, km_err *err) {
  size_t n = w->series.n, room = 2 * w->inverse_capacity;
  if (n > w->inverse_capacity) {
    room = room < n ? n + 64 : room;
    free(w->inverse);
    w->inverse_capacity = 0;
    if (!(w->inverse = calloc(room + CP_VECTOR, sizeof *w->inverse)))
      return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a table of %zu values", room);
    w->inverse_capacity = room;
    for (size_t k = 1; k <= room; k++)
      w->inverse[room - k] = 1 / (double)k;
  }
  w->series.inverse = w->inverse + (w->inverse_capacity - n);
  return KM_OK;
}

static km_status allocate(km_changepoint *w, km_err *err) {
  cp_series *c = &w->series;
  size_t n = c->n, d = c->n_channels;
  bool linear = c->cost == KM_COST_LINEAR, l1 = c->cost == KM_COST_L1;
  if (!(c->z = cp_doubles(w, d * n, err)) || !(c->sum = cp_doubles(w, d * (n + 1) + CP_VECTOR, err)) ||
      !(c->square = cp_doubles(w, n + 1, err)) || !(c->scratch = cp_doubles(w, n + 1, err)) ||
      !(c->row = cp_doubles(w, n + CP_VECTOR, err)) || !(c->value = cp_doubles(w, n + CP_VECTOR, err)) ||
      !(c->breaks = cp_indices(w, n, err)))
    return KM_ERR_NOMEM;
  if (linear && (!(c->moment = cp_doubles(w, n + 1, err)) || !(c->inverse_sxx = cp_doubles(w, n, err)) ||
                 !(c->half = cp_doubles(w, n + 1, err))))
    return KM_ERR_NOMEM;
  if (l1 && (!(c->sorted = cp_indices(w, n, err)) || !(c->place = cp_indices(w, n, err)) ||
             !(c->next = cp_indices(w, n + 1, err)) || !(c->prev = cp_indices(w, n + 1, err))))
    return KM_ERR_NOMEM;
  return KM_OK;
}

km_status cp_prepare(km_changepoint *w, const km_series *series, const km_changepoint_options *options,
                     km_err *err) {
  static const unsigned char default_min_size[] = {
      [KM_COST_L2] = 1, [KM_COST_LINEAR] = 2, [KM_COST_L1] = 1, [KM_COST_NORMAL] = 2, [KM_COST_RANK] = 2};
  if ((unsigned)options->cost >= sizeof default_min_size)
    return km_err_set(err, KM_ERR_USAGE, 0, "unknown change-point cost %d", (int)options->cost);
  if (!(options->variance_floor >= 0 && isfinite(options->variance_floor)))
    return km_err_set(err, KM_ERR_USAGE, 0, "the variance floor must be a positive number");
  km_status status = check_size(series, options, err);
  if (status != KM_OK || (status = check_finite(series, err)) != KM_OK)
    return status;
  km_arena_reset(&w->arena);
  cp_series *c = &w->series;
  *c = (cp_series){.cost = options->cost, .n = series->n, .n_channels = series->n_channels, .sigma2 = NAN};
  c->min_size = options->min_size ? options->min_size : default_min_size[options->cost];
  c->half_window = (options->window ? options->window : 20) / 2;
  if ((status = allocate(w, err)) != KM_OK || c->n == 0 || (status = reserve_inverse(w, err)) != KM_OK)
    return status;
  if (c->cost == KM_COST_NORMAL)
    c->scale = 1 / (options->variance_floor > 0 ? options->variance_floor : 1e-6);
  if ((status = fill_values(w, series, options, err)) != KM_OK)
    return status;
  fill_sums(c);
  c->variance = c->square[c->n] / (double)c->n;
  if (!isfinite(c->square[c->n]))
    return km_err_set(err, KM_ERR_LIMIT, 0, "the values of the series are too large: their squares overflow");
  double unit = c->cost == KM_COST_L1 ? sqrt(c->variance) : c->variance;
  bool pure_number = c->cost == KM_COST_NORMAL || c->cost == KM_COST_RANK;
  c->tolerance = 1e-9 * (pure_number || unit < 1 ? 1 : unit);
  return KM_OK;
}

/* l1
 * -------------------------------------------------------------------------------------------------------------
 */

void cp_rewind(cp_series *c) {
  c->n_sorted = 0;
}

/* Extends the sorted prefix to z[0..t) by insertion; equal values keep their order. */
static void extend_sorted(cp_series *c, size_t t) {
  for (; c->n_sorted < t; c->n_sorted++) {
    double z = c->z[c->n_sorted];
    size_t low = 0, high = c->n_sorted;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (c->z[c->sorted[middle]] <= z)
        low = middle + 1;
      else
        high = middle;
    }
    memmove(c->sorted + low + 1, c->sorted + low, (c->n_sorted - low) * sizeof *c->sorted);
    c->sorted[low] = (uint32_t)c->n_sorted;
  }
}

/* Of the k values linked in order: at is the one of rank k/2, below the sum of the k/2 smaller ones. */
typedef struct median {
  size_t k;
  uint32_t at;
  double below, total;
} median;

/* Links z[first..t) in order of value (n is the list's head) and finds its median. */
static median link_sorted(cp_series *c, size_t first, size_t t) {
  uint32_t head = (uint32_t)c->n, last = head;
  median m = {.k = t - first};
  size_t rank = 0;
  for (size_t i = 0; i < c->n_sorted; i++) {
    uint32_t at = c->sorted[i];
    if (at < first)
      continue;
    c->place[at] = (uint32_t)rank;
    c->next[last] = at;
    c->prev[at] = last;
    last = at;
    m.total += c->z[at];
    if (rank < m.k / 2)
      m.below += c->z[at];
    else if (rank == m.k / 2)
      m.at = at;
    rank++;
  }
  c->next[last] = head;
  c->prev[head] = last;
  return m;
}

/* Takes value s out of the list. The rank k/2 moves by at most one place. */
static void drop_value(cp_series *c, median *m, uint32_t s) {
  uint32_t at = m->at;
  bool smaller = c->place[s] < c->place[at];
  if (m->k % 2) { /* rank k/2 stays: its holder changes if something at or before it left */
    if (smaller)
      m->below += c->z[at] - c->z[s];
    if (smaller || s == at)
      m->at = c->next[at];
  } else if (smaller) {
    m->below -= c->z[s];
  } else {
    m->at = c->prev[at];
    m->below -= c->z[m->at];
  }
  m->total -= c->z[s];
  m->k--;
  c->next[c->prev[s]] = c->next[s];
  c->prev[c->next[s]] = c->prev[s];
}

static void fill_row_l1(cp_series *c, size_t first, size_t last, size_t t) {
  extend_sorted(c, t);
  median m = link_sorted(c, first, t);
  for (size_t s = first; s <= last; s++) {
    c->row[s] = m.total - 2 * m.below - (m.k % 2 ? c->z[m.at] : 0);
    drop_value(c, &m, (uint32_t)s);
  }
}

static double segment_l1(cp_series *c, size_t s, size_t t) {
  size_t k = t - s;
  memcpy(c->scratch, c->z + s, k * sizeof *c->scratch);
  double middle = km_median_of(c->scratch, k), cost = 0;
  for (size_t i = s; i < t; i++)
    cost += fabs(c->z[i] - middle);
  return cost;
}

/* Rows and segments
 * ---------------------------------------------------------------------------------------------- */

static void fill_row_l2(const cp_series *c, size_t first, size_t last, size_t t) {
  const double *restrict inverse = c->inverse + (c->n - t), *restrict square = c->square;
  double *restrict row = c->row, square_t = square[t];
  for (size_t s = first; s <= last; s++)
    row[s] = square_t - square[s];
  for (size_t channel = 0; channel < c->n_channels; channel++) {
    const double *restrict sum = c->sum + channel * (c->n + 1);
    double sum_t = sum[t];
    for (size_t s = first; s <= last; s++)
      row[s] -= (sum_t - sum[s]) * (sum_t - sum[s]) * inverse[s];
  }
}

/* Residual sum of squares: Syy − Sxy²/Sxx about the segment's own means; half[s] + half[t] is the mean index,
 * from the middle of the series. */
static void fill_row_linear(const cp_series *c, size_t first, size_t last, size_t t) {
  const double *restrict sum = c->sum, *restrict square = c->square, *restrict moment = c->moment;
  const double *restrict inverse = c->inverse + (c->n - t), *restrict inverse_sxx =
                                                                c->inverse_sxx + (c->n - t);
  const double *restrict half = c->half;
  double *restrict row = c->row, sum_t = sum[t], square_t = square[t], moment_t = moment[t], half_t = half[t];
  for (size_t s = first; s <= last; s++) {
    double sy = sum_t - sum[s], sxy = moment_t - moment[s] - (half_t + half[s]) * sy;
    row[s] = square_t - square[s] - sy * sy * inverse[s] - sxy * sxy * inverse_sxx[s];
  }
}

static double linear_cost(const cp_series *c, size_t s, size_t t) {
  size_t reversed = c->n - t + s;
  double sy = c->sum[t] - c->sum[s], sxy = c->moment[t] - c->moment[s] - (c->half[t] + c->half[s]) * sy;
  return c->square[t] - c->square[s] - sy * sy * c->inverse[reversed] - sxy * sxy * c->inverse_sxx[reversed];
}

/* Squares below the rounding of the prefix sums are none: divided by a small floor they would decide ties. */
static double normal_cost(const cp_series *c, size_t s, size_t t) {
  double inverse = c->inverse[c->n - t + s], sum = c->sum[t] - c->sum[s];
  double squares = c->square[t] - c->square[s] - sum * sum * inverse;
  if (squares <= 16 * DBL_EPSILON * c->square[c->n])
    return 0;
  return (double)(t - s) * log1p(squares * inverse * c->scale);
}

static void fill_row_rank(const cp_series *c, size_t first, size_t last, size_t t) {
  const double *restrict sum = c->sum, *restrict inverse = c->inverse + (c->n - t);
  double *restrict row = c->row, sum_t = sum[t], scale = c->scale;
  for (size_t s = first; s <= last; s++)
    row[s] = -(sum_t - sum[s]) * (sum_t - sum[s]) * inverse[s] * scale;
}

static double rank_cost(const cp_series *c, size_t s, size_t t) {
  double sum = c->sum[t] - c->sum[s];
  return -sum * sum * c->inverse[c->n - t + s] * c->scale;
}

static double l2_cost(const cp_series *c, size_t s, size_t t) {
  double cost = c->square[t] - c->square[s], inverse = c->inverse[c->n - t + s];
  for (size_t channel = 0; channel < c->n_channels; channel++) {
    const double *sum = c->sum + channel * (c->n + 1);
    cost -= (sum[t] - sum[s]) * (sum[t] - sum[s]) * inverse;
  }
  return cost;
}

void cp_fill_row(cp_series *c, size_t first, size_t last, size_t t) {
  switch (c->cost) {
  case KM_COST_L2:
    fill_row_l2(c, first, last, t);
    break;
  case KM_COST_LINEAR:
    fill_row_linear(c, first, last, t);
    break;
  case KM_COST_L1:
    fill_row_l1(c, first, last, t);
    break;
  case KM_COST_NORMAL:
    for (size_t s = first; s <= last; s++)
      c->row[s] = normal_cost(c, s, t);
    break;
  case KM_COST_RANK:
    fill_row_rank(c, first, last, t);
    break;
  }
  if (c->length_term)
    for (size_t s = first; s <= last; s++)
      c->row[s] += c->length_term[c->n - t + s];
}

double cp_segment(cp_series *c, size_t s, size_t t) {
  double extra = c->length_term ? c->length_term[c->n - t + s] : 0;
  switch (c->cost) {
  case KM_COST_L2:
    return l2_cost(c, s, t) + extra;
  case KM_COST_LINEAR:
    return linear_cost(c, s, t) + extra;
  case KM_COST_L1:
    return segment_l1(c, s, t) + extra;
  case KM_COST_NORMAL:
    return normal_cost(c, s, t) + extra;
  case KM_COST_RANK:
    return rank_cost(c, s, t) + extra;
  }
  return NAN;
}

/* Direct costs
 * ---------------------------------------------------------------------------------------------------- */

/* Σ (z − mean)², exactly 0 for equal values: sums of differences from the first. */
static double direct_squares(const double *z, size_t k) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < k; i++)
    sum += z[i] - z[0];
  double mean = z[0] + sum / (double)k;
  for (size_t i = 0; i < k; i++)
    squares += (z[i] - mean) * (z[i] - mean);
  return squares;
}

static double direct_line(const double *z, size_t k) {
  if (k <= 2)
    return 0;
  double sum = 0, sxy = 0, residual = 0, middle = 0.5 * (double)(k - 1);
  for (size_t i = 0; i < k; i++) {
    sum += z[i] - z[0];
    sxy += ((double)i - middle) * (z[i] - z[0]);
  }
  double mean = z[0] + sum / (double)k, slope = 12 * sxy / ((double)k * ((double)k * (double)k - 1));
  for (size_t i = 0; i < k; i++) {
    double e = z[i] - mean - slope * ((double)i - middle);
    residual += e * e;
  }
  return residual;
}

double cp_direct_cost(cp_series *c, size_t s, size_t t) {
  size_t k = t - s;
  double cost = 0, sum = 0;
  switch (c->cost) {
  case KM_COST_L2:
    for (size_t channel = 0; channel < c->n_channels; channel++)
      cost += direct_squares(c->z + channel * c->n + s, k);
    return cost;
  case KM_COST_LINEAR:
    return direct_line(c->z + s, k);
  case KM_COST_L1:
    return segment_l1(c, s, t);
  case KM_COST_NORMAL:
    return (double)k * log1p(direct_squares(c->z + s, k) / (double)k * c->scale);
  case KM_COST_RANK:
    for (size_t i = s; i < t; i++)
      sum += c->z[i];
    return -sum * sum / (double)k * c->scale;
  }
  return NAN;
}
