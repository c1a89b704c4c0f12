/* permutation.h: do objects of one group (games of one player) lie nearer to each other than to those of
 * others?
 *
 * Distances between trajectories, a permutation test of "between" against "within" distances, and a map of
 * the objects in few dimensions. Permutations are hashed from (seed, replicate): the same for any number of
 * threads. */
#ifndef KIFUMILL_PERMUTATION_H
#define KIFUMILL_PERMUTATION_H

#include "kifumill/executor.h"

#include <stddef.h>
#include <stdint.h>

/* Root of the mean squared difference over the places where neither is NaN; NaN if there is none. */
double km_trajectory_distance(const double *a, const double *b, size_t n);
/* distance[i · n + j] of n trajectories of length values, one after the other in x. */
void km_distance_matrix(double *distance, const double *x, size_t n, size_t length);

typedef struct km_permutation_result {
  double between, within; /* mean distance over pairs of two groups, and of one */
  double difference;      /* between − within */
  double p_value;         /* (1 + permutations with at least this difference) / (1 + permutations) */
  size_t n_at_least, n_permutations;
} km_permutation_result;

typedef struct km_permutation_options {
  uint64_t seed;
  size_t n_permutations;
  km_workers workers;
} km_permutation_options;

/* distance: n × n, symmetric. label[i]: the group of object i, any number. The labels are permuted; time Σ
 * (group size)² a permutation. KM_ERR_USAGE without both kinds of pairs, KM_ERR_FORMAT for a distance that is
 * not finite. */
km_status km_permutation_test(km_permutation_result *out, const double *distance, const uint32_t *label,
                              size_t n, const km_permutation_options *options, km_err *err);

/* Classical scaling (Torgerson): places n objects in dims ≤ n dimensions so that distances are kept as well
 * as possible; place[i · dims + d]. Axes by falling variance, each with its largest place positive; share: of
 * the positive eigenvalues' sum, for each axis. */
km_status km_classical_scaling(double *place, double *share, const double *distance, size_t n, size_t dims,
                               km_err *err);

#endif
