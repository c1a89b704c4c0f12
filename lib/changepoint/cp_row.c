/* cp_row.c: the inner loops of exact search over one row, with AVX2 where the processor has it.
 *
 * Both paths do the same operations in the same order for each element, and the least of a set does not
 * depend on the order in which it is sought: equal doubles. Values are never NaN (the series was checked);
 * they may be +infinity. Behind its n values a row is filled up with +infinity to whole vectors: nothing has
 * to be done for the last few by themselves.
 *
 * Going up and replacing by what is smaller by more than the tolerance is slow, but nearly always decided by
 * the first value within twice the tolerance of the least: if that is within once, nothing before it can hold
 * it off and nothing behind it replaces it. */
#include "cp_workspace.h"

#include <math.h>

static size_t whole_vectors(size_t n) {
  return (n + CP_VECTOR - 1) / CP_VECTOR * CP_VECTOR;
}

static double least_plain(const double *value, size_t n) {
  double least = INFINITY;
  for (size_t s = 0; s < n; s++)
    least = value[s] < least ? value[s] : least;
  return least;
}

static size_t first_plain(const double *value, double bound) {
  size_t s = 0;
  while (!(value[s] <= bound))
    s++;
  return s;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline double least_of_lanes(__m256d least) {
  __m128d pair = _mm_min_pd(_mm256_castpd256_pd128(least), _mm256_extractf128_pd(least, 1));
  return _mm_cvtsd_f64(_mm_min_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

AVX2 static inline __m256d l2_of(const double *start, const double *sum, const double *inverse,
                                 __m256d sum_t) {
  __m256d d = _mm256_sub_pd(sum_t, _mm256_loadu_pd(sum));
  return _mm256_sub_pd(_mm256_loadu_pd(start), _mm256_mul_pd(_mm256_mul_pd(d, d), _mm256_loadu_pd(inverse)));
}

AVX2 static inline double least_avx2(const double *value, size_t n) {
  __m256d least0 = _mm256_set1_pd(INFINITY), least1 = least0;
  for (size_t s = 0; s < n; s += CP_VECTOR) {
    least0 = _mm256_min_pd(least0, _mm256_loadu_pd(value + s));
    least1 = _mm256_min_pd(least1, _mm256_loadu_pd(value + s + 4));
  }
  return least_of_lanes(_mm256_min_pd(least0, least1));
}

/* Bit i: value[i] is within the limit. */
AVX2 static inline uint64_t within_avx2(const double *value, __m256d limit) {
  __m256d a = _mm256_cmp_pd(_mm256_loadu_pd(value), limit, _CMP_LE_OQ);
  __m256d b = _mm256_cmp_pd(_mm256_loadu_pd(value + 4), limit, _CMP_LE_OQ);
  return (uint64_t)_mm256_movemask_pd(a) | (uint64_t)_mm256_movemask_pd(b) << 4;
}

/* The first s of from … to - 1 (both whole vectors) within the bound; 64 of them at a time, as the processor
 * cannot foresee where it is. */
AVX2 static inline size_t first_avx2(const double *value, size_t from, size_t to, double bound) {
  __m256d limit = _mm256_set1_pd(bound);
  for (; from < to; from += 64) {
    uint64_t within = 0;
    for (size_t s = to - from < 64 ? to : from + 64; s > from; s -= CP_VECTOR)
      within = within << CP_VECTOR | within_avx2(value + s - CP_VECTOR, limit);
    if (within)
      return from + (size_t)__builtin_ctzll(within);
  }
  return 0;
}

AVX2 static size_t value_first_avx2(const double *value, size_t n, double tolerance, double *least) {
  *least = least_avx2(value, n);
  return first_avx2(value, 0, whole_vectors(n), *least + 2 * tolerance);
}
#endif

static inline size_t decided(const double *value, size_t first, double least, double tolerance) {
  return value[first] <= least + tolerance ? first : CP_UNDECIDED;
}

static double l2_value(const cp_l2_rows *r, size_t s, size_t t) {
  double d = r->sum[t] - r->sum[s];
  return r->start[s] - d * d * r->inverse[r->n - t + s];
}

#if defined(__x86_64__)
/* Fills values of whole vectors from `from` on, as far as to the one that holds last: in it what is at last
 * and behind is infinite. The least of them. */
AVX2 static inline double l2_values_avx2(const cp_l2_rows *r, size_t from, size_t last, size_t t) {
  static const int64_t is_there[2 * CP_VECTOR] = {-1, -1, -1, -1, -1, -1, -1, -1};
  const double *restrict start = r->start, *restrict sum = r->sum,
                         *restrict inverse = r->inverse + (r->n - t);
  double *restrict value = r->value;
  __m256d infinity = _mm256_set1_pd(INFINITY), least0 = infinity, least1 = infinity,
          sum_t = _mm256_set1_pd(sum[t]);
  size_t s = from;
  for (; s + CP_VECTOR <= last; s += CP_VECTOR) {
    __m256d v0 = l2_of(start + s, sum + s, inverse + s, sum_t),
            v1 = l2_of(start + s + 4, sum + s + 4, inverse + s + 4, sum_t);
    _mm256_storeu_pd(value + s, v0);
    _mm256_storeu_pd(value + s + 4, v1);
    least0 = _mm256_min_pd(least0, v0);
    least1 = _mm256_min_pd(least1, v1);
  }
  const double *mask = (const double *)(const void *)(is_there + CP_VECTOR - (last - s));
  __m256d v0 =
      _mm256_blendv_pd(infinity, l2_of(start + s, sum + s, inverse + s, sum_t), _mm256_loadu_pd(mask));
  __m256d v1 = _mm256_blendv_pd(infinity, l2_of(start + s + 4, sum + s + 4, inverse + s + 4, sum_t),
                                _mm256_loadu_pd(mask + 4));
  _mm256_storeu_pd(value + s, v0);
  _mm256_storeu_pd(value + s + 4, v1);
  least0 = _mm256_min_pd(least0, v0);
  least1 = _mm256_min_pd(least1, v1);
  return least_of_lanes(_mm256_min_pd(least0, least1));
}

/* The last start, of which the search has only just found what it costs, is seldom chosen: it is kept out of
 * the vectors, which would wait for it. */
AVX2 static size_t l2_choose_avx2(const cp_l2_rows *r, size_t first, size_t last, size_t t) {
  size_t from = first / CP_VECTOR * CP_VECTOR;
  double tolerance = r->tolerance, newest = l2_value(r, last, t), least = l2_values_avx2(r, from, last, t);
  size_t chosen = first_avx2(r->value, from, whole_vectors(last + 1), least + 2 * tolerance);
  r->value[last] = newest;
  if (newest > least + 2 * tolerance)
    return decided(r->value, chosen, least, tolerance);
  chosen = cp_choose(r->value + from, last - from + 1, tolerance);
  return chosen == CP_UNDECIDED ? chosen : from + chosen;
}
#endif

size_t cp_l2_choose(const cp_l2_rows *rows, size_t first, size_t last, size_t t) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return l2_choose_avx2(rows, first, last, t);
#endif
  for (size_t s = first; s <= last; s++)
    rows->value[s] = l2_value(rows, s, t);
  size_t chosen = cp_choose(rows->value + first, last - first + 1, rows->tolerance);
  return chosen == CP_UNDECIDED ? chosen : first + chosen;
}

size_t cp_choose(double *value, size_t n, double tolerance) {
  double least;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    for (size_t s = n; s < whole_vectors(n); s++)
      value[s] = INFINITY;
    size_t first = value_first_avx2(value, n, tolerance, &least);
    return decided(value, first, least, tolerance);
  }
#endif
  least = least_plain(value, n);
  return decided(value, first_plain(value, least + 2 * tolerance), least, tolerance);
}

size_t cp_choose_slowly(const double *value, size_t n, double tolerance) {
  size_t best = 0;
  for (size_t s = 1; s < n; s++)
    if (value[s] < value[best] - tolerance)
      best = s;
  return best;
}
