/* outer_sum.c: four rows at a time, so that the matrix is read and written once for four of them; with AVX2 where
 * the processor has it. Each element is a sum of its own, made in the same order on every path: equal doubles. */
#include "outer_sum.h"

static inline __attribute__((always_inline)) void add_rows(double *restrict to, const double *restrict z, size_t p,
                                                           const double *restrict weight) {
  const double *z0 = z, *z1 = z + p, *z2 = z + 2 * p, *z3 = z + 3 * p;
  for (size_t a = 0; a < p; a++) {
    double s0 = weight[0] * z0[a], s1 = weight[1] * z1[a], s2 = weight[2] * z2[a], s3 = weight[3] * z3[a];
    double *line = to + a * p;
    for (size_t b = 0; b <= a; b++)
      line[b] += (s0 * z0[b] + s1 * z1[b]) + (s2 * z2[b] + s3 * z3[b]);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_rows_avx2(double *to, const double *z, size_t p, const double *weight) {
  add_rows(to, z, p, weight);
}
#endif

void km_outer_sum(double *to, const double *z, size_t p, const double weight[KM_OUTER_ROWS]) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    add_rows_avx2(to, z, p, weight);
    return;
  }
#endif
  add_rows(to, z, p, weight);
}
