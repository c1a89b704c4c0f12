/* changepoint_metrics.h: how near one segmentation is to another.
 *
 * Breaks are strictly increasing 0-based starts of segments 2, 3, … of a series of n values, as in
 * changepoint.h. Every measure is defined for every input, empty ones too; the cases are stated with each. */
#ifndef KIFUMILL_CHANGEPOINT_METRICS_H
#define KIFUMILL_CHANGEPOINT_METRICS_H

#include <stddef.h>
#include <stdint.h>

typedef struct km_breaks {
  const uint32_t *at;
  size_t n;
} km_breaks;

/* The largest number of pairs (true break, found break) at most margin apart in which each break occurs once.
 * Order-free and maximal, so never less than the greedy counts of ruptures (which asks for "closer than
 * margin": its margin m + 1 is our m) and of TCPDBench (which adds the start 0 to both lists). */
size_t km_breaks_matched(km_breaks truth, km_breaks found, uint32_t margin);

/* Shares of matched breaks. Nothing found: precision is 1 if there was nothing to find, else 0. Nothing to
 * find: recall is 1 (whatever was found). f1 = 2 · matched / (found + truth), 1 if both are empty. */
typedef struct km_break_scores {
  size_t matched;
  double precision, recall, f1;
} km_break_scores;
km_break_scores km_breaks_score(km_breaks truth, km_breaks found, uint32_t margin);

/* Largest distance from a break of one list to the nearest of the other. Both empty: 0. One empty: n, more
 * than any two breaks of one series can be apart. */
double km_breaks_hausdorff(km_breaks a, km_breaks b, size_t n);

/* Share of the n(n−1)/2 pairs of values on which both segmentations agree (same segment or different). n <
 * 2: 1. */
double km_breaks_rand(km_breaks a, km_breaks b, size_t n);

/* The Rand index corrected for chance (Hubert and Arabie 1985): 1 for equal segmentations, 0 as expected at
 * random. 1 where the correction is 0/0: n < 2, both without breaks, or both with a break at every value. */
double km_breaks_adjusted_rand(km_breaks a, km_breaks b, size_t n);

/* Σ over the segments of truth of length/n · the best Jaccard index with a segment of found (Arbeláez et al.
 * 2011; van den Burg and Williams 2020). n = 0: 1. Not symmetric. */
double km_breaks_covering(km_breaks truth, km_breaks found, size_t n);

#endif
