/* cp_row.c: the inner loops of exact search over one row, with AVX2 where the processor has it.
 *
 * Both paths do the same operations in the same order for each element, and the least of a set does not
 * depend on the order in which it is sought: equal doubles. Values are never NaN (the series was checked);
 * they may be +infinity. Rows are filled up with +infinity to whole vectors: nothing has to be done for the
 * last few by themselves.
 *
 * Going up and replacing by what is smaller by more than the tolerance is slow, but nearly always decided by
 * the first value within twice the tolerance of the least: if that is within once, nothing before it can hold
 * it off and nothing behind it replaces it. */
#include "cp_workspace.h"

#include <float.h>
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

AVX2 static inline __m256d l2_of(__m256d start, const double *sum, const double *inverse, __m256d sum_t) {
  __m256d d = _mm256_sub_pd(sum_t, _mm256_loadu_pd(sum));
  return _mm256_sub_pd(start, _mm256_mul_pd(_mm256_mul_pd(d, d), _mm256_loadu_pd(inverse)));
}

AVX2 static inline double least_avx2(const double *value, size_t n) {
  __m256d least0 = _mm256_set1_pd(INFINITY), least1 = least0;
  for (size_t s = 0; s < n; s += CP_VECTOR) {
    least0 = _mm256_min_pd(least0, _mm256_loadu_pd(value + s));
    least1 = _mm256_min_pd(least1, _mm256_loadu_pd(value + s + 4));
  }
  return least_of_lanes(_mm256_min_pd(least0, least1));
}

/* Two vectors; and which of the eight values are within the limit. */
typedef struct group {
  __m256d v0, v1;
} group;

AVX2 static inline unsigned within_avx2(group g, __m256d limit) {
  return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(g.v0, limit, _CMP_LE_OQ)) |
         (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(g.v1, limit, _CMP_LE_OQ)) << 4;
}

/* The first s of from … to - 1 (both whole vectors) within the bound; 64 of them at a time, as the processor
 * cannot foresee where it is. */
AVX2 static inline size_t first_avx2(const double *value, size_t from, size_t to, double bound) {
  __m256d limit = _mm256_set1_pd(bound);
  for (; from < to; from += 64) {
    uint64_t within = 0;
    for (size_t s = to - from < 64 ? to : from + 64; s > from; s -= CP_VECTOR) {
      group g = {_mm256_loadu_pd(value + s - 8), _mm256_loadu_pd(value + s - 4)};
      within = within << CP_VECTOR | within_avx2(g, limit);
    }
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

static inline double l2_value(cp_l2_rows r, size_t s, size_t t) {
  double d = r.sum[t] - r.sum[s];
  return r.start[s] - d * d * r.inverse[r.n - t + s];
}

#if defined(__x86_64__)
AVX2 static inline group load_group(const double *from) {
  return (group){_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
}

/* Fills values s … s + 7 of the given starts. */
AVX2 static inline group l2_group(cp_l2_rows r, size_t s, group start, size_t t) {
  const double *sum = r.sum + s, *inverse = r.inverse + (r.n - t) + s;
  __m256d sum_t = _mm256_set1_pd(r.sum[t]);
  group g = {l2_of(start.v0, sum, inverse, sum_t), l2_of(start.v1, sum + 4, inverse + 4, sum_t)};
  _mm256_storeu_pd(r.value + s, g.v0);
  _mm256_storeu_pd(r.value + s + 4, g.v1);
  return g;
}

/* The first n of them, and infinity. */
AVX2 static inline group first_of_group(group g, size_t n) {
  static const int64_t is_there[2 * CP_VECTOR] = {-1, -1, -1, -1, -1, -1, -1, -1};
  group mask = load_group((const double *)(const void *)(is_there + CP_VECTOR - n));
  __m256d infinity = _mm256_set1_pd(INFINITY);
  return (group){_mm256_blendv_pd(infinity, g.v0, mask.v0), _mm256_blendv_pd(infinity, g.v1, mask.v1)};
}

AVX2 static size_t l2_choose_avx2(const cp_l2_rows *r, size_t first, size_t last, size_t t) {
  const double *restrict start = r->start, *restrict sum = r->sum,
                         *restrict inverse = r->inverse + (r->n - t);
  double *restrict value = r->value;
  __m256d sum_t = _mm256_set1_pd(sum[t]), least0 = _mm256_set1_pd(INFINITY), least1 = least0;
  size_t from = first / CP_VECTOR * CP_VECTOR, s = from;
  for (; s + CP_VECTOR <= last; s += CP_VECTOR) {
    __m256d v0 = l2_of(_mm256_loadu_pd(start + s), sum + s, inverse + s, sum_t),
            v1 = l2_of(_mm256_loadu_pd(start + s + 4), sum + s + 4, inverse + s + 4, sum_t);
    _mm256_storeu_pd(value + s, v0);
    _mm256_storeu_pd(value + s + 4, v1);
    least0 = _mm256_min_pd(least0, v0);
    least1 = _mm256_min_pd(least1, v1);
  }
  group end = l2_group(*r, s, first_of_group(load_group(start + s), last - s + 1), t);
  least0 = _mm256_min_pd(least0, end.v0);
  least1 = _mm256_min_pd(least1, end.v1);
  double least = least_of_lanes(_mm256_min_pd(least0, least1)), tolerance = r->tolerance;
  return decided(value, first_avx2(value, from, s + CP_VECTOR, least + 2 * tolerance), least, tolerance);
}
#endif

size_t cp_l2_choose(const cp_l2_rows *rows, size_t first, size_t last, size_t t) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return l2_choose_avx2(rows, first, last, t);
#endif
  for (size_t s = first; s <= last; s++)
    rows->value[s] = l2_value(*rows, s, t);
  size_t chosen = cp_choose(rows->value + first, last - first + 1, rows->tolerance);
  return chosen == CP_UNDECIDED ? chosen : first + chosen;
}

/* The search over all t
 * ---------------------------------------------------------------------------------------------- */

/* Where it stands. */
typedef struct position {
  size_t first, last, t, guess; /* starts from first to last; what was chosen for t − 1 */
  double energy;
} position;

/* Looks at all starts. */
static size_t l2_next_of_all(const cp_l2_search *p, position at) {
  size_t chosen = cp_l2_choose(&p->rows, at.first, at.last, at.t);
  for (size_t s = at.first; s + CP_VECTOR <= at.last + 1; s += CP_VECTOR)
    p->low[s / CP_VECTOR] = least_plain(p->rows.value + s, CP_VECTOR) + at.energy;
  return chosen;
}

/* Fills values from s to end − 1; the least of them. */
static double l2_fill(cp_l2_rows r, size_t s, size_t end, size_t t) {
  for (size_t i = s; i < end; i++)
    r.value[i] = l2_value(r, i, t);
  return least_plain(r.value + s, end - s);
}

/* Two groups are looked at: that of the start chosen last, and that of the newest ones, without the very
 * last. If another group may hold the least, or the last start is it, all are looked at. low is infinite for
 * groups that are not whole. */
static size_t l2_next_plain(const cp_l2_search *p, position at) {
  const cp_l2_rows r = p->rows;
  size_t newest = at.last / CP_VECTOR * CP_VECTOR, guess = at.guess / CP_VECTOR * CP_VECTOR;
  double least_newest = l2_fill(r, newest, at.last, at.t), last_value = l2_value(r, at.last, at.t),
         least = least_newest;
  if (guess >= at.first && guess < newest)
    least = fmin(least, l2_fill(r, guess, guess + CP_VECTOR, at.t));
  else
    guess = newest;
  double bound = least + 2 * r.tolerance, bound_of_low = least + at.energy + p->margin;
  r.value[at.last] = last_value;
  bool others = !(last_value > bound);
  for (size_t g = at.first / CP_VECTOR; g < newest / CP_VECTOR; g++)
    others |= g != guess / CP_VECTOR && p->low[g] <= bound_of_low;
  if (others)
    return l2_next_of_all(p, at);
  if (at.last - newest == CP_VECTOR - 1)
    p->low[newest / CP_VECTOR] = fmin(last_value, least_newest) + at.energy;
  for (size_t s = guess; s < guess + CP_VECTOR && s < at.last; s++)
    if (r.value[s] <= bound)
      return decided(r.value, s, least, r.tolerance);
  return decided(r.value, newest + first_plain(r.value + newest, bound), least, r.tolerance);
}

#if defined(__x86_64__)
/* Whether a group from first to end − 1, but for one, may hold a cost within the bound. */
AVX2 static inline bool others_within(const double *low, size_t first, size_t end, size_t but, double bound) {
  __m256d limit = _mm256_set1_pd(bound);
  size_t within = 0;
  for (size_t g = first; g < end; g += 4) {
    size_t here = (size_t)_mm256_movemask_pd(_mm256_cmp_pd(limit, _mm256_loadu_pd(low + g), _CMP_GE_OQ)),
           own = but - g < 4;
    within |= here & ~(own << ((but - g) & 3));
  }
  return within != 0;
}

/* The same. Starts of the newest group come in newest_start, as what has just been stored number by number
 * cannot be loaded as a vector without a wait; from the very last on they are infinite. */
AVX2 static inline size_t l2_next_avx2(const cp_l2_search *p, position at, group newest_start) {
  const cp_l2_rows r = p->rows;
  size_t newest = at.last / CP_VECTOR * CP_VECTOR, guess = at.guess / CP_VECTOR * CP_VECTOR;
  double last_value = l2_value(r, at.last, at.t);
  group b = l2_group(r, newest, newest_start, at.t), a = b;
  if (guess >= at.first && guess < newest)
    a = l2_group(r, guess, load_group(r.start + guess), at.t);
  else
    guess = newest;
  __m256d least_b = _mm256_min_pd(b.v0, b.v1);
  double least = least_of_lanes(_mm256_min_pd(_mm256_min_pd(a.v0, a.v1), least_b)),
         bound = least + 2 * r.tolerance;
  r.value[at.last] = last_value;
  if (!(last_value > bound) || others_within(p->low, at.first / CP_VECTOR, newest / CP_VECTOR,
                                             guess / CP_VECTOR, least + at.energy + p->margin))
    return l2_next_of_all(p, at);
  if (at.last - newest == CP_VECTOR - 1) {
    double least_newest = least_of_lanes(least_b);
    p->low[newest / CP_VECTOR] = (last_value < least_newest ? last_value : least_newest) + at.energy;
  }
  __m256d limit = _mm256_set1_pd(bound);
  unsigned within = within_avx2(a, limit) | within_avx2(b, limit) << CP_VECTOR;
  size_t i = (size_t)__builtin_ctz(within);
  return decided(r.value, i < CP_VECTOR ? guess + i : newest + i - CP_VECTOR, least, r.tolerance);
}
#endif

/* What ties leave open. */
static size_t l2_slowly(const cp_l2_search *p, position at) {
  size_t first = p->all ? 0 : at.first;
  cp_l2_choose(&p->rows, first, at.last, at.t);
  return first + cp_choose_slowly(p->rows.value + first, at.last - first + 1, p->rows.tolerance);
}

/* Takes what was chosen for t, drops starts. */
static inline void l2_advance(const cp_l2_search *p, position at, size_t chosen) {
  double value = p->rows.value[chosen];
  p->last[at.t] = (uint32_t)chosen;
  p->base[at.t] = value + p->beta;
  if (at.t + p->min_size > p->rows.n)
    return;
  while (at.first + CP_VECTOR <= at.last + 1 &&
         p->low[at.first / CP_VECTOR] - at.energy - p->beta > value + p->margin)
    at.first += CP_VECTOR;
  p->front[at.t + p->min_size] = (uint32_t)at.first;
}

/* To t, from t - 1; false while it is below min_size. */
static inline bool l2_step(const cp_l2_search *p, position *at) {
  double d = p->rows.sum[at->t] - p->rows.sum[at->t - 1];
  at->energy = (at->energy + d * d) * (1 + 4 * DBL_EPSILON);
  if (at->t < p->min_size)
    return false;
  at->first = p->front[at->t];
  at->last = at->t - p->min_size;
  return true;
}

#if defined(__x86_64__)
AVX2 static void l2_partition_avx2(const cp_l2_search *search) {
  static const int64_t is_lane[2 * CP_VECTOR] = {[CP_VECTOR - 1] = -1};
  const cp_l2_search p = *search;
  const group none = {_mm256_set1_pd(INFINITY), _mm256_set1_pd(INFINITY)};
  group newest = none;
  position at = {0};
  for (at.t = 1; at.t <= p.rows.n; at.t++) {
    if (!l2_step(&p, &at))
      continue;
    at.guess = l2_next_avx2(&p, at, newest);
    if (at.guess == CP_UNDECIDED)
      at.guess = l2_slowly(&p, at);
    l2_advance(&p, at, at.guess);
    size_t lane = at.last % CP_VECTOR;
    group mask = load_group((const double *)(const void *)(is_lane + CP_VECTOR - 1 - lane));
    __m256d last = _mm256_set1_pd(p.base[at.last]);
    newest.v0 = _mm256_blendv_pd(newest.v0, last, mask.v0);
    newest.v1 = _mm256_blendv_pd(newest.v1, last, mask.v1);
    if (lane == CP_VECTOR - 1)
      newest = none;
  }
}
#endif

void cp_l2_partition(const cp_l2_search *search) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    l2_partition_avx2(search);
    return;
  }
#endif
  position at = {0};
  for (at.t = 1; at.t <= search->rows.n; at.t++) {
    if (!l2_step(search, &at))
      continue;
    at.guess = l2_next_plain(search, at);
    if (at.guess == CP_UNDECIDED)
      at.guess = l2_slowly(search, at);
    l2_advance(search, at, at.guess);
  }
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
