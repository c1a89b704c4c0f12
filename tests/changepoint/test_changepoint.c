/* test_changepoint.c: properties of the searches on seeded random series, against brute force over all
 * segmentations and against costs computed the slow way; refusals; the penalty path; workspaces.
 *
 * The seed is printed; KM_SEED in the environment sets another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cp_workspace.h"
#include "kifumill/changepoint.h"
#include "kifumill/hash.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_MAX = 300 };
static const double floor_default = 1e-6;

static uint64_t seed = 20240607, draws;

static uint64_t draw(uint64_t n) {
  return km_random_below(km_random(seed, draws++, 0, KM_PURPOSE_SAMPLE), n);
}
static double unit(void) {
  return km_random_unit(km_random(seed, draws++, 0, KM_PURPOSE_SAMPLE));
}

/* Staircases with noise; kind 0 has integer values and so many ties. */
static void random_series(double *y, size_t n, int kind) {
  double level = 0, slope = 0;
  for (size_t t = 0; t < n; t++) {
    if (draw(8) == 0) {
      level = (double)draw(7);
      slope = (double)draw(3) - 1;
    }
    level += kind == 2 ? slope : 0;
    y[t] = kind == 0 ? (double)draw(3) : level + (kind == 3 ? 0 : unit());
  }
}

/* Slow costs
 * -------------------------------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double slow_median(const double *y, size_t n) {
  double sorted[N_MAX];
  memcpy(sorted, y, n * sizeof *y);
  qsort(sorted, n, sizeof *sorted, compare);
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double slow_variance(const double *y, size_t n) {
  long double mean = 0, squares = 0;
  for (size_t i = 0; i < n; i++)
    mean += y[i];
  mean /= (long double)n;
  for (size_t i = 0; i < n; i++)
    squares += (y[i] - mean) * (y[i] - mean);
  return (double)(squares / (long double)n);
}

static double slow_line(const double *y, size_t n) {
  long double sx = 0, sy = 0, sxx = 0, sxy = 0, rss = 0, k = (long double)n;
  for (size_t i = 0; i < n; i++) {
    sx += i;
    sy += y[i];
    sxx += (long double)i * i;
    sxy += (long double)i * y[i];
  }
  if (n <= 2)
    return 0;
  long double slope = (k * sxy - sx * sy) / (k * sxx - sx * sx), intercept = (sy - slope * sx) / k;
  for (size_t i = 0; i < n; i++)
    rss += (y[i] - intercept - slope * i) * (y[i] - intercept - slope * i);
  return (double)rss;
}

static void slow_ranks(const double *y, size_t n, double *rank) {
  for (size_t i = 0; i < n; i++) {
    double below = 0, equal = 0;
    for (size_t j = 0; j < n; j++) {
      below += y[j] < y[i];
      equal += y[j] == y[i];
    }
    rank[i] = below + (equal + 1) / 2 - ((double)n + 1) / 2;
  }
}

static double slow_cost(const km_series *s, km_changepoint_cost cost, size_t from, size_t to) {
  const double *y = s->y + from;
  size_t k = to - from;
  double total = 0, rank[N_MAX];
  switch (cost) {
  case KM_COST_L2:
    for (size_t c = 0; c < s->n_channels; c++)
      total += (double)k * slow_variance(y + c * s->n, k);
    return total;
  case KM_COST_LINEAR:
    return slow_line(y, k);
  case KM_COST_L1:
    for (size_t i = 0; i < k; i++)
      total += fabs(y[i] - slow_median(y, k));
    return total;
  case KM_COST_NORMAL:
    return (double)k * (log(slow_variance(y, k) + floor_default) - log(floor_default));
  case KM_COST_RANK:
    slow_ranks(s->y, s->n, rank);
    for (size_t i = from; i < to; i++)
      total += rank[i];
    return slow_variance(rank, s->n) > 0 ? -total * total / (double)k / slow_variance(rank, s->n) : 0;
  }
  return NAN;
}

typedef struct brute {
  double total;
  uint32_t breaks[32];
  size_t n_breaks;
} brute;

static size_t default_min_size(km_changepoint_cost cost) {
  return cost == KM_COST_L2 || cost == KM_COST_L1 ? 1 : 2;
}

/* Costs of all segments of a short series. */
static void all_costs(const km_series *s, km_changepoint_cost cost, double table[32][32]) {
  for (size_t from = 0; from < s->n; from++)
    for (size_t to = from + 1; to <= s->n; to++)
      table[from][to] = slow_cost(s, cost, from, to);
}

/* The least over all 2^(n−1) segmentations (of k changes if k ≥ 0); of equal ones, the one whose last segment
 * starts earliest, then the one before it … */
static brute brute_force(size_t n, double table[32][32], size_t min_size, double beta, double per_log,
                         int k) {
  brute best = {.total = INFINITY};
  for (uint32_t mask = 0; mask < 1u << (n - 1);
       mask++) { /* bit i: a break at i + 1; small masks have early breaks */
    size_t from = 0, count = 0;
    double total = 0;
    bool ok = true;
    uint32_t breaks[32];
    for (size_t t = 1; t <= n && ok; t++) {
      if (t < n && !(mask >> (t - 1) & 1))
        continue;
      ok = t - from >= min_size || (mask == 0 && t == n);
      total += table[from][t] + per_log * log((double)(t - from) / (double)n);
      if (t < n)
        breaks[count++] = (uint32_t)t;
      from = t;
    }
    total += k < 0 ? beta * (double)count : 0;
    if (!ok || (k >= 0 && count != (size_t)k) || !(total < best.total - 1e-8))
      continue;
    best.total = total;
    best.n_breaks = count;
    memcpy(best.breaks, breaks, count * sizeof *breaks);
  }
  return best;
}

static void check_equal(const km_changepoints *found, const brute *expected, int cost) {
  if (!(fabs(found->total - expected->total) <= 1e-7))
    fail_msg("cost %d: total %.12g, brute force %.12g", cost, found->total, expected->total);
  bool same = found->n_breaks == expected->n_breaks;
  for (size_t i = 0; same && i < found->n_breaks; i++)
    same = found->breaks[i] == expected->breaks[i];
  if (same)
    return;
  for (size_t i = 0; i < found->n_breaks; i++)
    printf("found %u\n", found->breaks[i]);
  for (size_t i = 0; i < expected->n_breaks; i++)
    printf("brute force %u\n", expected->breaks[i]);
  fail_msg("cost %d, beta %.17g: total %.17g, brute force %.17g", cost, found->beta, found->total,
           expected->total);
}

static void exact_is_brute_force(void **state) {
  km_changepoint *w = *state;
  for (int round = 0; round < 60; round++) {
    double y[2 * 12];
    size_t n = 2 + draw(10), channels = 1 + draw(2);
    random_series(y, channels * n, round % 4);
    for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++) {
      km_series s = {y, n, cost == KM_COST_L2 ? channels : 1};
      double table[32][32];
      all_costs(&s, (km_changepoint_cost)cost, table);
      for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_PELT; search++)
        for (size_t min_size = 0; min_size <= 3; min_size++) {
          km_changepoint_options o = km_changepoint_defaults();
          o.cost = (km_changepoint_cost)cost;
          o.search = (km_changepoint_search)search;
          o.min_size = min_size;
          size_t m = min_size ? min_size : default_min_size(o.cost);
          o.penalty = KM_PENALTY_VALUE;
          o.beta = (double)draw(8) / 4;
          km_changepoints found;
          assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
          brute best = brute_force(n, table, m, o.beta, 0, -1);
          check_equal(&found, &best, cost);
          o.n_changes = (int)draw(4);
          assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
          best = brute_force(n, table, m, 0, 0, o.n_changes);
          assert_int_equal(found.found, isfinite(best.total));
          if (found.found)
            check_equal(&found, &best, cost);
        }
    }
  }
}

static void mbic_is_brute_force(void **state) {
  km_changepoint *w = *state;
  for (int round = 0; round < 40; round++) {
    double y[12], table[32][32], sigma2;
    size_t n = 4 + draw(8);
    random_series(y, n, 1);
    km_series s = {y, n, 1};
    for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++)
      for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_PELT; search++) {
        km_changepoint_options o = km_changepoint_defaults();
        o.cost = (km_changepoint_cost)cost;
        o.search = (km_changepoint_search)search;
        o.penalty = KM_PENALTY_MBIC;
        km_changepoints found;
        assert_int_equal(km_changepoint_sigma2(w, &s, &o, &sigma2, NULL), KM_OK);
        assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
        double u = cost == KM_COST_L1                               ? sqrt(sigma2 / 8)
                   : cost == KM_COST_NORMAL || cost == KM_COST_RANK ? 1
                                                                    : sigma2;
        double p = cost == KM_COST_LINEAR || cost == KM_COST_NORMAL ? 3 : 2;
        assert_true(fabs(found.beta - (p + 1) * u * log((double)n)) < 1e-12 * (1 + found.beta));
        all_costs(&s, o.cost, table);
        brute best = brute_force(n, table, default_min_size(o.cost), found.beta, u, -1);
        check_equal(&found, &best, cost);
      }
  }
}

/* The same searches the plain way, over all starts with the tie rule as it is written, on the series that the
 * workspace holds: the same doubles are compared, so the result must be equal however near the ties are. */
typedef struct plain {
  const cp_series *c;
  bool lacking;
  double best[8][N_MAX + 1]; /* by row of a fixed number; the first for exact search */
  uint32_t last[8][N_MAX + 1];
} plain;

static double plain_value(const plain *p, const double *best, double beta, size_t s, size_t t) {
  const cp_series *c = p->c;
  double d = c->sum[t] - c->sum[s];
  return p->lacking ? best[s] - d * d * c->inverse[c->n - t + s]
                    : best[s] + beta + cp_segment((cp_series *)c, s, t);
}

/* Row `to` at t from row `from`, with starts from first on. */
static double plain_step(plain *p, size_t from, size_t to, double beta, size_t first, size_t t) {
  double chosen = plain_value(p, p->best[from], beta, first, t);
  p->last[to][t] = (uint32_t)first;
  for (size_t s = first + 1; s + p->c->min_size <= t; s++) {
    double value = plain_value(p, p->best[from], beta, s, t);
    if (value < chosen - p->c->tolerance) {
      chosen = value;
      p->last[to][t] = (uint32_t)s;
    }
  }
  return chosen;
}

static plain *plain_new(const cp_series *c) {
  plain *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->c = c;
  p->lacking = c->cost == KM_COST_L2 && c->n_channels == 1 && !c->length_term;
  return p;
}

static size_t plain_exact(plain *p, uint32_t *breaks) {
  size_t n = p->c->n, m = p->c->min_size, count = 0;
  double beta = p->c->beta, *best = p->best[0];
  for (size_t t = 0; t < m; t++)
    best[t] = t ? INFINITY : p->lacking ? 0 : -beta;
  for (size_t t = m; t <= n; t++)
    best[t] = plain_step(p, 0, 0, beta, 0, t) + (p->lacking ? beta : 0);
  for (uint32_t t = p->last[0][n]; t; t = p->last[0][t])
    count++;
  size_t i = count;
  for (uint32_t t = p->last[0][n]; t; t = p->last[0][t])
    breaks[--i] = t;
  return count;
}

static size_t plain_fixed(plain *p, size_t k, uint32_t *breaks) {
  const cp_series *c = p->c;
  size_t n = c->n, m = c->min_size;
  for (size_t t = m; t <= n; t++)
    p->best[0][t] =
        p->lacking ? -(c->sum[t] * c->sum[t] * c->inverse[n - t]) : cp_segment((cp_series *)c, 0, t);
  for (size_t j = 1; j <= k; j++)
    for (size_t t = (j + 1) * m; t <= n; t++)
      p->best[j][t] = plain_step(p, j - 1, j, 0, j * m, t);
  for (size_t j = k, t = n; j > 0; j--)
    breaks[j - 1] = (uint32_t)(t = p->last[j][t]);
  return k;
}

static void same_result(const km_changepoints *a, const uint32_t *breaks, size_t n_breaks) {
  assert_int_equal(a->n_breaks, n_breaks);
  assert_memory_equal(a->breaks, breaks, n_breaks * sizeof *breaks);
}

static void pelt_is_exact(void **state) {
  km_changepoint *w = *state;
  for (int round = 0; round < 400; round++) {
    double y[2 * N_MAX];
    uint32_t breaks[N_MAX];
    size_t n = draw(N_MAX);
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)draw(5);
    o.penalty = (km_changepoint_penalty)draw(5);
    o.noise = (km_changepoint_noise)draw(2);
    o.beta = (double)draw(100) / 10;
    o.min_size = draw(12);
    o.standardise = draw(2);
    km_series s = {y, n, o.cost == KM_COST_L2 ? 1 + draw(2) : 1};
    random_series(y, n * s.n_channels, round % 4);
    km_changepoints found;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    size_t n_breaks = found.n_breaks;
    memcpy(breaks, found.breaks, n_breaks * sizeof *breaks);
    double total = found.total;
    o.search = KM_SEARCH_PELT;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    same_result(&found, breaks, n_breaks);
    assert_true(found.total == total);
    o.search = KM_SEARCH_BINSEG;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    assert_true(found.total >= total - 1e-8 * (1 + fabs(total)));
    for (size_t i = 0; i < found.n_breaks; i++)
      assert_true(found.breaks[i] > (i ? found.breaks[i - 1] : 0) && found.breaks[i] < n);
  }
}

/* round % 5 = 4: a slope so high that the tolerance, which goes with the variance, is as large as the noise.
 */
static void searches_are_plain(void **state) {
  km_changepoint *w = *state;
  for (int round = 0; round < 6000; round++) {
    double y[2 * N_MAX];
    uint32_t breaks[N_MAX];
    size_t n = 2 + draw(round % 20 ? 1 + draw(60) : N_MAX - 2);
    km_changepoint_options o = km_changepoint_defaults();
    o.penalty = (km_changepoint_penalty)draw(5);
    o.beta = draw(4) ? 0 : (double)draw(100) / 10;
    o.min_size = draw(4);
    km_series s = {y, n, 1 + draw(2)};
    random_series(y, n * s.n_channels, (int)draw(4));
    double step = round % 2 ? 5e3 * (double)(1 + draw(20)) : 0;
    for (size_t t = 0; t < n * s.n_channels; t++)
      y[t] += (t % n < n / 3 ? 0 : step) + (draw(8) ? 0 : 9);
    km_changepoints found;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    plain *p = plain_new(&w->series);
    if (n >= 2 * w->series.min_size)
      same_result(&found, breaks, plain_exact(p, breaks));
    free(p);
    o.n_changes = 1 + (int)draw(6);
    if (draw(2))
      assert_int_equal(km_changepoint_find_fixed(w, (size_t)o.n_changes, &found, NULL), KM_OK);
    else
      assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    p = plain_new(&w->series);
    if (found.found)
      same_result(&found, breaks, plain_fixed(p, (size_t)o.n_changes, breaks));
    free(p);
  }
}

/* Shifted, scaled by a power of two and (where no ties decide) reversed series have the corresponding breaks.
 */
static void invariances(void **state) {
  km_changepoint *w = *state;
  for (int round = 0; round < 200; round++) {
    double y[N_MAX], z[N_MAX];
    uint32_t breaks[N_MAX];
    size_t n = 2 + draw(200);
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)draw(3);
    o.penalty = (km_changepoint_penalty)draw(4);
    random_series(y, n, 1 + round % 2);
    km_series s = {y, n, 1}, transformed = {z, n, 1};
    km_changepoints found;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    size_t n_breaks = found.n_breaks;
    memcpy(breaks, found.breaks, n_breaks * sizeof *breaks);
    for (size_t t = 0; t < n; t++)
      z[t] = y[t] + 1000;
    assert_int_equal(km_changepoint_find(w, &transformed, &o, &found, NULL), KM_OK);
    same_result(&found, breaks, n_breaks);
    for (size_t t = 0; t < n; t++)
      z[t] = y[t] * 64;
    assert_int_equal(km_changepoint_find(w, &transformed, &o, &found, NULL), KM_OK);
    same_result(&found, breaks, n_breaks);
    for (size_t t = 0; t < n; t++)
      z[t] = y[n - 1 - t];
    assert_int_equal(km_changepoint_find(w, &transformed, &o, &found, NULL), KM_OK);
    assert_int_equal(found.n_breaks, n_breaks);
    for (size_t i = 0; i < n_breaks && o.cost == KM_COST_L2; i++) /* l1 and linear tie often */
      assert_int_equal(n - found.breaks[i], breaks[n_breaks - 1 - i]);
  }
}

/* Every penalty between the ends must lead to the step that holds it. */
static void path_is_scan(void **state) {
  km_changepoint *w = *state, *other = km_changepoint_new();
  assert_non_null(other);
  for (int round = 0; round < 40; round++) {
    double y[N_MAX];
    size_t n = draw(120), n_steps = 0;
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)draw(5);
    o.search = (km_changepoint_search)draw(2);
    random_series(y, n, round % 4);
    km_series s = {y, n, 1};
    const double range[2] = {0.05, 40};
    const km_changepoint_step *steps;
    assert_int_equal(km_changepoint_path(w, &s, &o, range, &steps, &n_steps, NULL), KM_OK);
    assert_true(n_steps >= 1 && steps[0].beta_from == range[0] && steps[n_steps - 1].beta_to == range[1]);
    for (size_t i = 1; i < n_steps; i++) {
      assert_true(steps[i].beta_from == steps[i - 1].beta_to && steps[i].beta_from <= steps[i].beta_to);
      assert_true(steps[i].found.n_breaks < steps[i - 1].found.n_breaks);
    }
    o.penalty = KM_PENALTY_VALUE;
    for (int k = 0; k <= 200; k++) {
      o.beta = range[0] + (range[1] - range[0]) * (k / 200.0) * (k / 200.0);
      km_changepoints found;
      assert_int_equal(km_changepoint_find(other, &s, &o, &found, NULL), KM_OK);
      double least = INFINITY;
      for (size_t i = 0; i < n_steps; i++) {
        double total = steps[i].found.cost + o.beta * (double)steps[i].found.n_breaks;
        least = total < least ? total : least;
        if (o.beta > steps[i].beta_from + 1e-7 && o.beta < steps[i].beta_to - 1e-7)
          assert_int_equal(found.n_breaks, steps[i].found.n_breaks);
      }
      assert_true(fabs(found.total - least) <= 1e-7 * (1 + fabs(least)));
    }
  }
  km_changepoint_free(other);
}

/* A fixed number of changes, asked of a series that has been searched, is what a search of its own gives. */
static void fixed_after_find(void **state) {
  km_changepoint *w = *state, *other = km_changepoint_new();
  assert_non_null(other);
  for (int round = 0; round < 300; round++) {
    double y[2 * N_MAX];
    size_t n = draw(80), k = draw(6);
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)draw(5);
    o.search = (km_changepoint_search)draw(4);
    o.penalty = (km_changepoint_penalty)draw(4);
    o.min_size = draw(5);
    o.standardise = draw(2);
    o.n_changes = draw(3) ? -1 : (int)draw(5);
    km_series s = {y, n, o.cost == KM_COST_L2 ? 1 + draw(2) : 1};
    random_series(y, n * s.n_channels, round % 4);
    km_changepoints found, expected;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    assert_int_equal(km_changepoint_find_fixed(w, k, &found, NULL), KM_OK);
    o.search = KM_SEARCH_EXACT;
    o.n_changes = (int)k;
    assert_int_equal(km_changepoint_find(other, &s, &o, &expected, NULL), KM_OK);
    assert_int_equal(found.found, expected.found);
    same_result(&found, expected.breaks, expected.n_breaks);
    if (found.found)
      assert_true(found.cost == expected.cost && found.total == expected.total &&
                  found.beta == expected.beta && isnan(found.sigma2) && isnan(expected.sigma2));
  }
  double *y = calloc((size_t)KM_CHANGEPOINT_MAX_QUADRATIC + 1, sizeof *y);
  km_series s = {y, (size_t)KM_CHANGEPOINT_MAX_QUADRATIC + 1, 1};
  km_changepoint_options o = km_changepoint_defaults();
  o.search = KM_SEARCH_BINSEG;
  km_changepoints found;
  assert_non_null(y);
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
  assert_int_equal(km_changepoint_find_fixed(w, 2, &found, NULL), KM_ERR_LIMIT);
  free(y);
  km_changepoint_free(other);
}

static void window_finds_steps(void **state) {
  km_changepoint *w = *state;
  double y[200];
  for (size_t t = 0; t < 200; t++)
    y[t] = (t < 60 ? 0 : t < 130 ? 10 : 3) + unit();
  km_series s = {y, 200, 1};
  for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++) {
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)cost;
    o.search = KM_SEARCH_WINDOW;
    o.n_changes = 2;
    km_changepoints found;
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
    assert_true(found.found && found.n_breaks == 2);
    if (cost == KM_COST_LINEAR) /* a line bends into a step */
      continue;
    assert_in_range(found.breaks[0], 59, 61);
    assert_in_range(found.breaks[1], 128, 132);
  }
}

static void several_channels(void **state) {
  km_changepoint *w = *state;
  double y[3 * 100];
  for (size_t t = 0; t < 100; t++) { /* each channel changes at its own places, on its own scale */
    y[t] = (t < 30 ? 0 : 8) + unit();
    y[100 + t] = 1000 * ((t < 70 ? 0 : 8) + unit());
    y[200 + t] = 5;
  }
  km_series s = {y, 100, 3};
  km_changepoint_options o = km_changepoint_defaults();
  o.standardise = true;
  o.min_size = 3;
  o.penalty = KM_PENALTY_MBIC;
  km_changepoints found;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_OK);
  assert_int_equal(found.n_breaks, 2);
  assert_int_equal(found.breaks[0], 30);
  assert_int_equal(found.breaks[1], 70);
  o.cost = KM_COST_L1;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, NULL), KM_ERR_USAGE);
}

static void refusals(void **state) {
  km_changepoint *w = *state;
  const double bad[] = {NAN, INFINITY, -INFINITY};
  const char *names[] = {"NaN", "infinity", "-infinity"};
  double y[10] = {0};
  km_series s = {y, 10, 1};
  km_changepoint_options o = km_changepoint_defaults();
  km_changepoints found;
  km_err err = {0};
  for (size_t i = 0; i < 3; i++) {
    y[7] = bad[i];
    assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_ERR_FORMAT);
    assert_int_equal(err.pos, 7);
    assert_non_null(strstr(err.msg, names[i]));
  }
  y[7] = 1e200;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_ERR_LIMIT);
  y[7] = 1e100;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_OK);
  o.penalty = KM_PENALTY_VALUE;
  o.beta = -1;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_ERR_USAGE);
  o.beta = NAN;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_ERR_USAGE);
  o = km_changepoint_defaults();
  s.n = (size_t)KM_CHANGEPOINT_MAX_QUADRATIC + 1;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_ERR_LIMIT);
  s.n = 10;
  const uint32_t twice[] = {3, 3}, end[] = {10};
  double cost;
  km_changepoints given = {.breaks = twice, .n_breaks = 2};
  assert_int_equal(km_changepoint_evaluate(w, &s, &o, &given, &cost, &err), KM_ERR_USAGE);
  given = (km_changepoints){.breaks = end, .n_breaks = 1};
  assert_int_equal(km_changepoint_evaluate(w, &s, &o, &given, &cost, &err), KM_ERR_USAGE);
  o.n_changes = 10;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_OK);
  assert_false(found.found);
  o.n_changes = 9;
  assert_int_equal(km_changepoint_find(w, &s, &o, &found, &err), KM_OK);
  assert_int_equal(found.n_breaks, 9);
}

static void given_segmentation(void **state) {
  km_changepoint *w = *state;
  double y[40];
  const uint32_t at[] = {5, 6, 20};
  random_series(y, 40, 1);
  km_series s = {y, 40, 1};
  for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++) {
    km_changepoint_options o = km_changepoint_defaults();
    o.cost = (km_changepoint_cost)cost;
    km_changepoints given = {.breaks = at, .n_breaks = 3};
    double value, expected = slow_cost(&s, o.cost, 0, 5) + slow_cost(&s, o.cost, 5, 6) +
                             slow_cost(&s, o.cost, 6, 20) + slow_cost(&s, o.cost, 20, 40);
    assert_int_equal(km_changepoint_evaluate(w, &s, &o, &given, &value, NULL), KM_OK);
    assert_true(fabs(value - expected) <= 1e-9 * (1 + fabs(expected)));
  }
}

/* What the tie rule chooses, if the first value near the least shows it. */
static size_t plain_choice(const double *value, size_t first, size_t last, double tolerance,
                           bool at_a_glance) {
  size_t best = first;
  double least = INFINITY;
  for (size_t s = first; s <= last; s++)
    least = value[s] < least ? value[s] : least;
  for (size_t s = first + 1; s <= last; s++)
    if (value[s] < value[best] - tolerance)
      best = s;
  for (size_t s = first; at_a_glance; s++)
    if (value[s] <= least + 2 * tolerance)
      return value[s] <= least + tolerance ? best : CP_UNDECIDED;
  return best;
}

/* The inner loops, with whatever instructions this processor has, against plain loops: the same bytes, and
 * the same choice. */
static void rows_are_plain_loops(void **state) {
  (void)state;
  int undecided = 0;
  for (int round = 0; round < 4000; round++) {
    double start[N_MAX], sum[N_MAX], inverse[N_MAX], value[N_MAX], expected[N_MAX];
    size_t n = 40 + draw(200), t = 1 + draw(n), last = draw(t), first = draw(last + 1);
    cp_l2_rows rows = {start, sum, inverse, value, draw(3) ? 0.1 * (double)draw(3) : 0, n};
    for (size_t s = 0; s < N_MAX; s++) {
      start[s] = (draw(9) == 0 && s != last) || s < first ? INFINITY : 20 * unit();
      sum[s] = 10 * unit();
      inverse[s] = s < n ? 1 / (double)(n - s) : 0;
    }
    for (size_t s = first; s <= last; s++) {
      double d = sum[t] - sum[s];
      expected[s] = start[s] - d * d * inverse[n - t + s];
    }
    size_t quickly = plain_choice(expected, first, last, rows.tolerance, true);
    assert_int_equal(cp_l2_choose(&rows, first, last, t), quickly);
    assert_memory_equal(value + first, expected + first, (last - first + 1) * sizeof *value);
    undecided += quickly == CP_UNDECIDED;
    size_t chosen = cp_choose(value + first, last - first + 1, rows.tolerance);
    assert_int_equal(chosen == CP_UNDECIDED ? chosen : first + chosen, quickly);
    assert_int_equal(first + cp_choose_slowly(value + first, last - first + 1, rows.tolerance),
                     plain_choice(expected, first, last, rows.tolerance, false));
  }
  assert_in_range(undecided, 1, 1000);
}

static void names(void **state) {
  (void)state;
  km_changepoint_cost cost;
  km_changepoint_search search;
  km_changepoint_penalty penalty;
  km_changepoint_noise noise;
  for (int i = 0; i < 5; i++) {
    assert_true(km_changepoint_cost_parse(km_changepoint_cost_name((km_changepoint_cost)i), &cost) &&
                (int)cost == i);
    assert_true(
        km_changepoint_penalty_parse(km_changepoint_penalty_name((km_changepoint_penalty)i), &penalty) &&
        (int)penalty == i);
  }
  for (int i = 0; i < 4; i++)
    assert_true(km_changepoint_search_parse(km_changepoint_search_name((km_changepoint_search)i), &search) &&
                (int)search == i);
  for (int i = 0; i < 2; i++)
    assert_true(km_changepoint_noise_parse(km_changepoint_noise_name((km_changepoint_noise)i), &noise) &&
                (int)noise == i);
  assert_false(km_changepoint_cost_parse("l3", &cost));
  assert_string_equal(km_changepoint_cost_name((km_changepoint_cost)99), "unknown");
}

static int setup(void **state) {
  const char *given = getenv("KM_SEED");
  if (given)
    seed = strtoull(given, NULL, 10);
  printf("seed %llu\n", (unsigned long long)seed);
  *state = km_changepoint_new();
  return *state ? 0 : -1;
}

static int teardown(void **state) {
  km_changepoint_free(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exact_is_brute_force),
                                     cmocka_unit_test(mbic_is_brute_force),
                                     cmocka_unit_test(pelt_is_exact),
                                     cmocka_unit_test(searches_are_plain),
                                     cmocka_unit_test(invariances),
                                     cmocka_unit_test(path_is_scan),
                                     cmocka_unit_test(fixed_after_find),
                                     cmocka_unit_test(window_finds_steps),
                                     cmocka_unit_test(several_channels),
                                     cmocka_unit_test(refusals),
                                     cmocka_unit_test(given_segmentation),
                                     cmocka_unit_test(rows_are_plain_loops),
                                     cmocka_unit_test(names)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
