/* cp_row.c: the inner loops of exact search over one row, with AVX2 where the processor has it.
 *
 * Both paths do the same operations in the same order for each element, and the least of a set does not
 * depend on the order in which it is sought: equal doubles. Values are never NaN (the series was checked);
 * they may be +infinity. */
#include "cp_workspace.h"

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static double least_of_lanes(__m256d least) {
  __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
  return _mm_cvtsd_f64(_mm_min_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

__attribute__((target("avx2"))) static double l2_values_avx2(const double *restrict start,
                                                             const double *restrict sum,
                                                             const double *restrict inverse, double sum_t,
                                                             size_t n, double *restrict value) {
  __m256d t = _mm256_set1_pd(sum_t), infinity = _mm256_set1_pd(__builtin_inf()), least0 = infinity,
          least1 = infinity;
  size_t s = 0;
  for (; s + 8 <= n; s += 8) {
    __m256d d0 = _mm256_sub_pd(t, _mm256_loadu_pd(sum + s)),
            d1 = _mm256_sub_pd(t, _mm256_loadu_pd(sum + s + 4));
    __m256d q0 = _mm256_mul_pd(_mm256_mul_pd(d0, d0), _mm256_loadu_pd(inverse + s));
    __m256d q1 = _mm256_mul_pd(_mm256_mul_pd(d1, d1), _mm256_loadu_pd(inverse + s + 4));
    __m256d v0 = _mm256_sub_pd(_mm256_loadu_pd(start + s), q0),
            v1 = _mm256_sub_pd(_mm256_loadu_pd(start + s + 4), q1);
    _mm256_storeu_pd(value + s, v0);
    _mm256_storeu_pd(value + s + 4, v1);
    least0 = _mm256_min_pd(least0, v0);
    least1 = _mm256_min_pd(least1, v1);
  }
  double least = least_of_lanes(_mm256_min_pd(least0, least1));
  for (; s < n; s++) {
    double d = sum_t - sum[s];
    value[s] = start[s] - d * d * inverse[s];
    least = value[s] < least ? value[s] : least;
  }
  return least;
}

/* The first multiple of 8 whose eight values hold one within the bound, or what is left below 8 at the end.
 */
__attribute__((target("avx2"))) static size_t skip_above_avx2(const double *value, size_t n, double bound) {
  __m256d limit = _mm256_set1_pd(bound);
  size_t s = 0;
  for (; s + 8 <= n; s += 8) {
    __m256d a = _mm256_cmp_pd(_mm256_loadu_pd(value + s), limit, _CMP_LE_OQ);
    __m256d b = _mm256_cmp_pd(_mm256_loadu_pd(value + s + 4), limit, _CMP_LE_OQ);
    if (_mm256_movemask_pd(_mm256_or_pd(a, b)))
      break;
  }
  return s;
}
#endif

static double l2_values_plain(const double *restrict start, const double *restrict sum,
                              const double *restrict inverse, double sum_t, size_t n,
                              double *restrict value) {
  for (size_t s = 0; s < n; s++) {
    double d = sum_t - sum[s];
    value[s] = start[s] - d * d * inverse[s];
  }
  return cp_least(value, n);
}

double cp_l2_values(const double *start, const double *sum, const double *inverse, double sum_t, size_t n,
                    double *value) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return l2_values_avx2(start, sum, inverse, sum_t, n, value);
#endif
  return l2_values_plain(start, sum, inverse, sum_t, n, value);
}

double cp_least(const double *value, size_t n) {
  double least[4] = {value[0], value[0], value[0],
                     value[0]}; /* four chains: no waiting for the last comparison */
  size_t s = 0;
  for (; s + 4 <= n; s += 4)
    for (size_t lane = 0; lane < 4; lane++)
      least[lane] = value[s + lane] < least[lane] ? value[s + lane] : least[lane];
  for (; s < n; s++)
    least[0] = value[s] < least[0] ? value[s] : least[0];
  double low = least[0] < least[1] ? least[0] : least[1], high = least[2] < least[3] ? least[2] : least[3];
  return low < high ? low : high;
}

/* Going up and replacing by what is smaller by more than the tolerance is slow, but nearly always decided by
 * the first value within twice the tolerance of the least: if that is within once, nothing before it can hold
 * it off and nothing behind it replaces it. */
size_t cp_choose(const double *value, size_t n, double least, double tolerance) {
  size_t s = 0, best = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    s = skip_above_avx2(value, n, least + 2 * tolerance);
#endif
  while (!(value[s] <= least + 2 * tolerance))
    s++;
  if (value[s] <= least + tolerance)
    return s;
  for (s = 1; s < n; s++)
    if (value[s] < value[best] - tolerance)
      best = s;
  return best;
}
