/* summary.h: order statistics, moments and histograms of plain arrays.
 *
 * Values must be finite, or at least not NaN, unless a function says otherwise. */
#ifndef KIFUMILL_SUMMARY_H
#define KIFUMILL_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

/* Median (mean of the middle two for even n; NaN for n = 0) by quickselect: expected time n, reorders x. */
double km_median_of(double *x, size_t n);

void km_sort(double *x, size_t n); /* ascending; −0 and 0 are equal */

/* Quantile q in [0, 1] of ascending x by linear interpolation at (n − 1) · q (R type 7, numpy's default); NaN
 * for n = 0. */
double km_quantile(const double *sorted, size_t n, double q);

typedef struct km_summary {
  size_t n;
  double mean, sd; /* sd with n − 1; NaN for n < 2 */
  double least, q1, median, q3, most;
} km_summary;
/* Sorts x. All NaN for n = 0. */
km_summary km_summarise(double *x, size_t n);

/* Mean and M2 = Σ (x − mean)² that can be extended and merged (Welford; Chan, Golub and LeVeque): fixed order
 * of merges, fixed doubles. */
typedef struct km_moments {
  double n, mean, m2;
} km_moments;
void km_moments_add(km_moments *m, double x);
void km_moments_merge(km_moments *m, const km_moments *other);
double km_moments_variance(const km_moments *m); /* with n − 1; NaN for n < 2 */

/* Counts x into n_bins equal bins of [low, high]; the last bin holds high. Values outside or NaN are not
 * counted; returns their number. low < high, n_bins ≥ 1. Adds to counts. */
uint64_t km_histogram(const double *x, size_t n, const double range[2], uint64_t *counts, size_t n_bins);

#endif
