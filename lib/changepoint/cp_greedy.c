/* cp_greedy.c: searches that add one change at a time.
 *
 * Binary segmentation keeps for every segment its best split and takes the split of largest gain until no
 * gain exceeds beta (or k splits are made). Window search ranks the peaks of the gain of splitting [t − h, t
 * + h) at t and adds them in that order, each if it lowers the penalised cost. Equal gains (within the
 * tolerance) go to the smallest place. */
#include "cp_workspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct split {
  uint32_t from, to, at;
  double gain; /* −infinity: the segment cannot be split */
} split;

static split best_split(cp_series *c, uint32_t from, uint32_t to) {
  split best = {.from = from, .to = to, .gain = -INFINITY};
  size_t m = c->min_size;
  if (to - from < 2 * m)
    return best;
  double whole = cp_segment(c, from, to);
  for (size_t at = from + m; at + m <= to; at++) {
    double gain = whole - cp_segment(c, from, at) - cp_segment(c, at, to);
    if (gain > best.gain + c->tolerance || best.at == 0) {
      best.gain = gain;
      best.at = (uint32_t)at;
    }
  }
  return best;
}

static int by_number(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

km_status cp_binseg(km_changepoint *w, int k, bool *found, km_err *err) {
  cp_series *c = &w->series;
  split *splits = km_arena_alloc(&w->arena, (c->n / c->min_size + 1) * sizeof *splits);
  if (!splits)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the splits of %zu values", c->n);
  size_t count = 1;
  splits[0] = best_split(c, 0, (uint32_t)c->n);
  c->n_breaks = 0;
  while (k < 0 || c->n_breaks < (size_t)k) {
    size_t best = 0;
    for (size_t i = 1; i < count; i++) {
      double lead = splits[i].gain - splits[best].gain;
      if (lead > c->tolerance || (lead >= -c->tolerance && splits[i].from < splits[best].from))
        best = i;
    }
    split chosen = splits[best];
    if (chosen.gain == -INFINITY || (k < 0 && !(chosen.gain > c->beta + c->tolerance)))
      break;
    c->breaks[c->n_breaks++] = chosen.at;
    splits[best] = best_split(c, chosen.from, chosen.at);
    splits[count++] = best_split(c, chosen.at, chosen.to);
  }
  *found = k < 0 || c->n_breaks == (size_t)k;
  qsort(c->breaks, c->n_breaks, sizeof *c->breaks, by_number);
  return KM_OK;
}

typedef struct peak {
  double gain;
  uint32_t at;
} peak;

static int by_gain(const void *a, const void *b) {
  const peak *p = a, *q = b;
  if (p->gain != q->gain)
    return p->gain > q->gain ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

/* Local maxima of the gain, larger than those before and not smaller than those behind within half a window.
 */
static size_t find_peaks(cp_series *c, peak *peaks) {
  size_t n = c->n, h = c->half_window, count = 0;
  double *gain = c->value;
  for (size_t t = h; t + h <= n; t++)
    gain[t] = cp_segment(c, t - h, t + h) - cp_segment(c, t - h, t) - cp_segment(c, t, t + h);
  for (size_t t = h; t + h <= n; t++) {
    bool peaked = gain[t] > c->tolerance;
    for (size_t d = 1; peaked && d <= h; d++)
      peaked = (t < h + d || gain[t] > gain[t - d] + c->tolerance) &&
               (t + d + h > n || gain[t] >= gain[t + d] - c->tolerance);
    if (peaked)
      peaks[count++] = (peak){gain[t], (uint32_t)t};
  }
  qsort(peaks, count, sizeof *peaks, by_gain);
  return count;
}

/* Adds a break if both parts are long enough and the split of its segment gains more than needed. */
static void try_break(cp_series *c, uint32_t at, double needed) {
  size_t i = 0;
  while (i < c->n_breaks && c->breaks[i] < at)
    i++;
  size_t from = i ? c->breaks[i - 1] : 0, to = i < c->n_breaks ? c->breaks[i] : c->n;
  if (at - from < c->min_size || to - at < c->min_size)
    return;
  if (!(cp_segment(c, from, to) - cp_segment(c, from, at) - cp_segment(c, at, to) > needed))
    return;
  memmove(c->breaks + i + 1, c->breaks + i, (c->n_breaks - i) * sizeof *c->breaks);
  c->breaks[i] = at;
  c->n_breaks++;
}

km_status cp_window(km_changepoint *w, int k, bool *found, km_err *err) {
  cp_series *c = &w->series;
  if (c->half_window < c->min_size)
    return km_err_set(err, KM_ERR_USAGE, 0, "a window of %zu is too narrow for segments of %zu",
                      2 * c->half_window, c->min_size);
  peak *peaks = km_arena_alloc(&w->arena, (c->n + 1) * sizeof *peaks);
  if (!peaks)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for the peaks of %zu values", c->n);
  c->n_breaks = 0;
  size_t count = find_peaks(c, peaks);
  for (size_t i = 0; i < count && (k < 0 || c->n_breaks < (size_t)k); i++)
    try_break(c, peaks[i].at, k < 0 ? c->beta + c->tolerance : -INFINITY);
  *found = k < 0 || c->n_breaks == (size_t)k;
  return KM_OK;
}
