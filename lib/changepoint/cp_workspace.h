/* cp_workspace.h (private): a series made ready for searching.
 *
 * cp_prepare checks the values, centres them and builds prefix sums, so that the cost of a segment is O(1)
 * (l1: O(1) a segment within a row). A row is all segments that end at one t: cost, plus the length term of
 * MBIC. Tables over the length k are stored reversed, at [n − k], so that a row reads them forward, beside
 * the prefix sums: that is what lets a row be computed by vector instructions. */
#ifndef KM_CP_WORKSPACE_H
#define KM_CP_WORKSPACE_H

#include "kifumill/arena.h"
#include "kifumill/changepoint.h"

typedef struct cp_series {
  km_changepoint_cost cost;
  size_t n, n_channels, min_size, half_window;
  double *z;             /* the values less their mean (rank: centred ranks), channel after channel */
  double *sum;           /* prefix sums of z, n + 1 a channel */
  double *square;        /* prefix sums of z², over all channels, n + 1 */
  double *moment;        /* linear: prefix sums of (t − (n−1)/2) · z */
  const double *inverse; /* [n − k]: 1/k; the end of the workspace's table */
  double *half;          /* linear: half the index from the middle of the series, (t − n/2) / 2 */
  double *inverse_sxx;   /* linear, [n − k]: 1 / Σ (t − mean t)² over k points; 0 for k = 1 */
  double *length_term;   /* MBIC, [n − k]: u · ln(k/n); NULL otherwise */
  double scale;          /* normal: 1 / floor; rank: 1 / variance of the ranks */
  double variance, tolerance;
  double beta, sigma2;
  /* l1: positions of z[0..n_sorted) in order of value; scratch of the row's linked list */
  uint32_t *sorted, *place, *next, *prev;
  size_t n_sorted;
  double *scratch, *row, *value; /* n + 1 each, value up to whole vectors */
  uint32_t *breaks;              /* n: the result */
  size_t n_breaks;
} cp_series;

/* A segmentation of the path while it is sought: they are linked by increasing penalty. */
typedef struct cp_node {
  size_t offset, n_breaks, next; /* next 0: the last */
  double beta, cost;
} cp_node;

struct km_changepoint {
  km_arena arena;
  cp_series series;
  double *inverse; /* [inverse_capacity − k]: 1/k, for series of any length up to that */
  size_t inverse_capacity;
  cp_node *nodes; /* the path's, which outlive single searches */
  size_t n_nodes, nodes_capacity;
  uint32_t *path_breaks;
  size_t path_used, path_capacity;
  km_changepoint_step *steps;
  size_t steps_capacity;
};

/* cp_cost.c */
km_status cp_prepare(km_changepoint *w, const km_series *series, const km_changepoint_options *options,
                     km_err *err);
/* KM_ERR_LIMIT for a series that is too long, for a search that takes time n² or another. */
km_status cp_check_size(size_t n, size_t n_channels, bool quadratic, km_err *err);
/* row[s] for first ≤ s ≤ last: cost of [s, t) with its length term. l1: t must grow by calls from t = 0 or 1
 * on. */
void cp_fill_row(cp_series *c, size_t first, size_t last, size_t t);
/* The same for one segment. */
double cp_segment(cp_series *c, size_t s, size_t t);
/* Cost without length term, recomputed from the values of the segment. */
double cp_direct_cost(cp_series *c, size_t s, size_t t);
/* Forgets l1's sorted prefix: before a search. */
void cp_rewind(cp_series *c);

/* cp_penalty.c */
double cp_noise(const double *y, size_t n, const km_changepoint_options *options, double *scratch);
/* Sets beta, sigma2 and length_term. */
km_status cp_set_penalty(km_changepoint *w, const km_series *series, const km_changepoint_options *options,
                         km_err *err);

/* cp_optimal.c and cp_greedy.c leave their result in breaks, n_breaks; false from the ones with k: there is
 * none. */
km_status cp_exact(km_changepoint *w, km_err *err);
km_status cp_pelt(km_changepoint *w, km_err *err);
km_status cp_fixed(km_changepoint *w, size_t k, bool *found, km_err *err);
km_status cp_binseg(km_changepoint *w, int k, bool *found, km_err *err);
km_status cp_window(km_changepoint *w, int k, bool *found, km_err *err);

/* Arrays of the arena, with room for a power of two so that growing series do not each leave a block behind;
 * NULL with err set when memory is out. */
double *cp_doubles(km_changepoint *w, size_t n, km_err *err);
uint32_t *cp_indices(km_changepoint *w, size_t n, km_err *err);

/* cp_row.c: choosing among n ≥ 1 values by the tie rule: the s that is left when s goes up and is replaced
 * only by a value smaller by more than the tolerance. CP_UNDECIDED when that takes more than a glance: then
 * cp_choose_slowly says it. Values have room for n rounded up to CP_VECTOR. The same with and without AVX2.
 */
#define CP_UNDECIDED SIZE_MAX
enum { CP_VECTOR = 8 };
size_t cp_choose(double *value, size_t n, double tolerance);
size_t cp_choose_slowly(const double *value, size_t n, double tolerance);
/* The same for one channel of l2, among first ≤ s ≤ last < t of values that it fills: value[s] = start[s] −
 * (sum[t] − sum[s])² · inverse[n − t + s]. One of them is finite; those a little before first are looked at
 * too, and are infinite or such as cannot be chosen. Behind last the arrays go on for CP_VECTOR − 1, sum and
 * inverse with numbers. */
typedef struct cp_l2_rows {
  const double *start, *sum, *inverse;
  double *value, tolerance;
  size_t n;
} cp_l2_rows;
size_t cp_l2_choose(const cp_l2_rows *rows, size_t first, size_t last, size_t t);

/* Exact search of such values over all t: base[t] = value[chosen] + beta with base[0] given, where chosen is
 * among the starts from front[t] to t − min_size and goes to last[t]; starts are dropped from the front as
 * PELT does. base[s] is best[s] + beta less the sum of squares before s, so that what a start costs with the
 * squares before t never gets less with t. What a group of CP_VECTOR starts cost at least when it was looked
 * at last is a bound of what it costs now: most rows look at two groups. */
typedef struct cp_l2_search {
  cp_l2_rows rows; /* start is base */
  double *base;
  uint32_t *front, *last; /* n + 1; front is 0 at first */
  double *low;            /* by group: that bound; +infinity at first. Room for n / CP_VECTOR + 5 */
  double beta, margin;    /* of bounds: two ties and rounding */
  size_t min_size;
  bool all; /* what ties leave open is chosen among all starts, those that were dropped too */
} cp_l2_search;
void cp_l2_partition(const cp_l2_search *search);

#endif
