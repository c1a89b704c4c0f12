/* outer_sum.h: sums of outer products z z', the innermost loop of fitting. Private to lib/stats. */
#ifndef KM_OUTER_SUM_H
#define KM_OUTER_SUM_H

#include <stddef.h>

enum { KM_OUTER_ROWS = 4 };

/* Lower triangle of the row-major p × p matrix to += Σ weight[r] · z_r z_r' over KM_OUTER_ROWS rows of p values,
 * one after the other in z. A weight of 0 leaves a row out, whatever finite numbers it holds. */
void km_outer_sum(double *to, const double *z, size_t p, const double weight[KM_OUTER_ROWS]);

#endif
