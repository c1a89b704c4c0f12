/* bench_changepoint.c: time to segment a 240-move series, exact and with pruning, beside a floor.
 *
 * Input: staircases with noise, generated. The floor is all n²/2 squares of differences of prefix sums and
 * their least value a row: what any search over all segments must at least do. Prints microseconds a series
 * (median of the repeats and the spread from first to third quartile), the ratio to the floor, and a digest
 * of the breaks, equal for exact and PELT. Usage: bench_changepoint [series [repeats]] */
#include "kifumill/changepoint.h"
#include "kifumill/hash.h"
#include "kifumill/summary.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LENGTH = 240, REPEATS_MAX = 1000 };

typedef struct bench {
  km_changepoint *workspace;
  double *y; /* n_series × LENGTH */
  size_t n_series, repeats;
  double floor_us;
} bench;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(double *y, size_t n) {
  double level = 50;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = km_random(1, i, 0, KM_PURPOSE_SAMPLE);
    if (i % LENGTH == 0)
      level = 50;
    if (km_random_below(bits, 30) == 0)
      level += 1 + 4 * km_random_unit(km_mix64(bits));
    y[i] = level + 0.8 * (km_random_unit(km_mix64(bits + 1)) + km_random_unit(km_mix64(bits + 2)) - 1);
  }
}

/* Keeps the compiler from dropping what is computed. */
static volatile double sink;

static void floor_series(const double *y) {
  double sum[LENGTH + 1] = {0}, inverse[LENGTH], total = 0;
  for (size_t t = 0; t < LENGTH; t++) {
    sum[t + 1] = sum[t] + y[t];
    inverse[LENGTH - 1 - t] = 1 / (double)(t + 1);
  }
  for (size_t t = 1; t <= LENGTH; t++) {
    const double *reversed = inverse + (LENGTH - t);
    double least[4] = {0};
    for (size_t s = 0; s + 4 <= t; s += 4)
      for (size_t lane = 0; lane < 4; lane++) {
        double d = sum[t] - sum[s + lane], gain = d * d * reversed[s + lane];
        least[lane] = gain > least[lane] ? gain : least[lane];
      }
    total += least[0] + least[1] + least[2] + least[3];
  }
  sink = total;
}

static double run_once(bench *b, const km_changepoint_options *options, km_digest *digest) {
  double start = now();
  for (size_t i = 0; i < b->n_series; i++) {
    if (!options) {
      floor_series(b->y + i * LENGTH);
      continue;
    }
    km_series series = {b->y + i * LENGTH, LENGTH, 1};
    km_changepoints found;
    km_err err;
    if (km_changepoint_find(b->workspace, &series, options, &found, &err) != KM_OK) {
      fprintf(stderr, "bench_changepoint: %s\n", err.msg);
      exit(1);
    }
    if (digest)
      km_digest_add(digest, found.breaks, found.n_breaks * sizeof *found.breaks);
  }
  return 1e6 * (now() - start) / (double)b->n_series;
}

static void report(bench *b, const char *name, const km_changepoint_options *options) {
  double us[REPEATS_MAX];
  char hex[33] = "-";
  km_digest *digest = options ? km_digest_new() : NULL;
  run_once(b, options, digest); /* warms up, and is the one that is digested */
  for (size_t r = 0; r < b->repeats; r++)
    us[r] = run_once(b, options, NULL);
  km_summary s = km_summarise(us, b->repeats);
  if (!options)
    b->floor_us = s.median;
  if (digest)
    km_hash_hex(km_digest_value(digest), hex);
  km_digest_free(digest);
  printf("%-14s %9.2f us  (%.2f to %.2f)  %6.2f x floor  %s\n", name, s.median, s.q1, s.q3,
         s.median / b->floor_us, hex);
}

int main(int argc, char **argv) {
  bench b = {.workspace = km_changepoint_new()};
  b.n_series = argc > 1 ? strtoul(argv[1], NULL, 10) : 200;
  b.repeats = argc > 2 ? strtoul(argv[2], NULL, 10) : 15;
  if (b.n_series < 1 || b.n_series > 1000000 || b.repeats < 1 || b.repeats > REPEATS_MAX) {
    fprintf(stderr, "usage: bench_changepoint [series 1-1000000 [repeats 1-%d]]\n", REPEATS_MAX);
    return 2;
  }
  b.y = malloc(b.n_series * LENGTH * sizeof *b.y);
  if (!b.workspace || !b.y) {
    fprintf(stderr, "bench_changepoint: no memory\n");
    return 1;
  }
  fill(b.y, b.n_series * LENGTH);
  printf("%zu series of %d values, BIC, %zu repeats\n", b.n_series, LENGTH, b.repeats);
  report(&b, "floor", NULL);
  for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++)
    for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_PELT; search++) {
      km_changepoint_options options = km_changepoint_defaults();
      char name[32];
      options.cost = (km_changepoint_cost)cost;
      options.search = (km_changepoint_search)search;
      snprintf(name, sizeof name, "%s %s", km_changepoint_cost_name(options.cost),
               km_changepoint_search_name(options.search));
      report(&b, name, &options);
    }
  free(b.y);
  km_changepoint_free(b.workspace);
  return 0;
}
