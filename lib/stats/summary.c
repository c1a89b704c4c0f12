/* summary.c: quickselect, quantiles, mergeable moments. */
#include "kifumill/summary.h"

#include <math.h>
#include <stdlib.h>

static void swap(double *a, double *b) {
  double t = *a;
  *a = *b;
  *b = t;
}

/* Reorders x so that x[k] is the k-th smallest, nothing before it is larger and nothing after it smaller.
 * Median of three as pivot; Hoare's scheme, which equal values do not slow down. */
static double select_rank(double *x, size_t n, size_t k) {
  size_t low = 0, high = n - 1;
  while (low < high) {
    size_t middle = low + (high - low) / 2, i = low, j = high;
    if (x[middle] < x[low])
      swap(x + middle, x + low);
    if (x[high] < x[low])
      swap(x + high, x + low);
    if (x[high] < x[middle])
      swap(x + high, x + middle);
    double pivot = x[middle];
    while (i <= j) {
      while (x[i] < pivot)
        i++;
      while (pivot < x[j])
        j--;
      if (i <= j) {
        swap(x + i, x + j);
        i++;
        if (j-- == 0)
          break;
      }
    }
    if (k <= j && j < n)
      high = j;
    else if (k >= i)
      low = i;
    else
      return x[k];
  }
  return x[k];
}

double km_median_of(double *x, size_t n) {
  if (n == 0)
    return NAN;
  double upper = select_rank(x, n, n / 2);
  if (n % 2)
    return upper;
  double lower = x[0]; /* the largest of those before */
  for (size_t i = 1; i < n / 2; i++)
    lower = x[i] > lower ? x[i] : lower;
  return (lower + upper) / 2;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

void km_sort(double *x, size_t n) {
  if (n)
    qsort(x, n, sizeof *x, ascending);
}

double km_quantile(const double *sorted, size_t n, double q) {
  if (n == 0)
    return NAN;
  double place = q * (double)(n - 1);
  size_t i = place > 0 ? (size_t)place : 0;
  if (i + 1 >= n)
    return sorted[n - 1];
  double share = place - (double)i;
  return share > 0 ? sorted[i] + share * (sorted[i + 1] - sorted[i]) : sorted[i];
}

km_summary km_summarise(double *x, size_t n) {
  km_moments m = {0};
  km_sort(x, n);
  for (size_t i = 0; i < n; i++)
    km_moments_add(&m, x[i]);
  return (km_summary){.n = n,
                      .mean = n ? m.mean : NAN,
                      .sd = sqrt(km_moments_variance(&m)),
                      .least = km_quantile(x, n, 0),
                      .q1 = km_quantile(x, n, 0.25),
                      .median = km_quantile(x, n, 0.5),
                      .q3 = km_quantile(x, n, 0.75),
                      .most = km_quantile(x, n, 1)};
}

void km_moments_add(km_moments *m, double x) {
  double delta = x - m->mean;
  m->n += 1;
  m->mean += delta / m->n;
  m->m2 += delta * (x - m->mean);
}

void km_moments_merge(km_moments *m, const km_moments *other) {
  if (other->n == 0)
    return;
  double n = m->n + other->n, delta = other->mean - m->mean;
  m->mean += delta * (other->n / n);
  m->m2 += other->m2 + delta * delta * (m->n * other->n / n);
  m->n = n;
}

double km_moments_variance(const km_moments *m) {
  return m->n < 2 ? NAN : m->m2 / (m->n - 1);
}

uint64_t km_histogram(const double *x, size_t n, const double range[2], uint64_t *counts, size_t n_bins) {
  double low = range[0], high = range[1], scale = (double)n_bins / (high - low);
  uint64_t outside = 0;
  for (size_t i = 0; i < n; i++) {
    if (!(x[i] >= low && x[i] <= high)) {
      outside++;
      continue;
    }
    size_t bin = (size_t)((x[i] - low) * scale);
    counts[bin < n_bins ? bin : n_bins - 1]++;
  }
  return outside;
}
