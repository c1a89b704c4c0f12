/* changepoint_metrics.c: measures of agreement, in one pass over both lists where they are sums over
 * overlaps.
 *
 * Two segmentations of n values overlap in at most n_a + n_b + 1 pieces: Rand, adjusted Rand and covering
 * walk through those pieces instead of through pairs of values. */
#include "kifumill/changepoint_metrics.h"

/* Breaks are points on a line with one margin for all: pairing the smallest still free ones that fit is
 * maximal. */
size_t km_breaks_matched(km_breaks truth, km_breaks found, uint32_t margin) {
  size_t matched = 0;
  for (size_t i = 0, j = 0; i < truth.n && j < found.n;) {
    uint32_t a = truth.at[i], b = found.at[j], apart = a > b ? a - b : b - a;
    if (apart <= margin) {
      matched++;
      i++;
      j++;
    } else if (a < b) {
      i++;
    } else {
      j++;
    }
  }
  return matched;
}

km_break_scores km_breaks_score(km_breaks truth, km_breaks found, uint32_t margin) {
  km_break_scores s = {
      .matched = km_breaks_matched(truth, found, margin), .precision = 1, .recall = 1, .f1 = 1};
  if (found.n)
    s.precision = (double)s.matched / (double)found.n;
  else if (truth.n)
    s.precision = 0;
  if (truth.n)
    s.recall = (double)s.matched / (double)truth.n;
  if (truth.n + found.n)
    s.f1 = 2 * (double)s.matched / (double)(truth.n + found.n);
  return s;
}

/* The largest distance from a break of a to the nearest of b; b is not empty. */
static uint32_t farthest(km_breaks a, km_breaks b) {
  uint32_t most = 0;
  for (size_t i = 0, j = 0; i < a.n; i++) {
    uint32_t at = a.at[i];
    while (j + 1 < b.n && b.at[j + 1] <= at)
      j++;
    uint32_t nearest = at > b.at[j] ? at - b.at[j] : b.at[j] - at;
    if (j + 1 < b.n && b.at[j + 1] - at < nearest)
      nearest = b.at[j + 1] - at;
    most = nearest > most ? nearest : most;
  }
  return most;
}

double km_breaks_hausdorff(km_breaks a, km_breaks b, size_t n) {
  if (a.n == 0 && b.n == 0)
    return 0;
  if (a.n == 0 || b.n == 0)
    return (double)n;
  uint32_t there = farthest(a, b), back = farthest(b, a);
  return there > back ? there : back;
}

static double pairs(double k) {
  return 0.5 * k * (k - 1);
}

static size_t segment_end(km_breaks a, size_t i, size_t n) {
  return i < a.n ? a.at[i] : n;
}

static double pairs_within(km_breaks a, size_t n) {
  double total = 0;
  size_t from = 0;
  for (size_t i = 0; i <= a.n; i++) {
    total += pairs((double)(segment_end(a, i, n) - from));
    from = segment_end(a, i, n);
  }
  return total;
}

/* Pairs of values that share a segment in both. */
static double pairs_common(km_breaks a, km_breaks b, size_t n) {
  double total = 0;
  for (size_t i = 0, j = 0, from = 0; from < n;) {
    size_t a_end = segment_end(a, i, n), b_end = segment_end(b, j, n), to = a_end < b_end ? a_end : b_end;
    total += pairs((double)(to - from));
    i += a_end == to;
    j += b_end == to;
    from = to;
  }
  return total;
}

double km_breaks_rand(km_breaks a, km_breaks b, size_t n) {
  if (n < 2)
    return 1;
  double differing = pairs_within(a, n) + pairs_within(b, n) - 2 * pairs_common(a, b, n);
  return 1 - differing / pairs((double)n);
}

double km_breaks_adjusted_rand(km_breaks a, km_breaks b, size_t n) {
  if (n < 2)
    return 1;
  double in_a = pairs_within(a, n), in_b = pairs_within(b, n), expected = in_a * in_b / pairs((double)n);
  double most = 0.5 * (in_a + in_b);
  return most == expected ? 1 : (pairs_common(a, b, n) - expected) / (most - expected);
}

double km_breaks_covering(km_breaks truth, km_breaks found, size_t n) {
  double covered = 0;
  size_t from = 0, first = 0; /* first: the first segment of found that reaches into [from, to) */
  for (size_t i = 0; i <= truth.n && n; i++) {
    size_t to = segment_end(truth, i, n);
    double best = 0;
    while (segment_end(found, first, n) <= from)
      first++;
    for (size_t j = first; j <= found.n; j++) {
      size_t start = j ? found.at[j - 1] : 0, end = segment_end(found, j, n);
      if (start >= to)
        break;
      size_t low = start > from ? start : from, high = end < to ? end : to;
      double both = (double)(high - low), either = (double)(end - start + to - from) - both;
      best = both / either > best ? both / either : best;
    }
    covered += (double)(to - from) * best;
    from = to;
  }
  return n ? covered / (double)n : 1;
}
