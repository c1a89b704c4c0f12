/* bench_changepoint.c: time to segment series of 240 moves, exactly and with pruning, beside a floor.
 *
 * The series are staircases with noise, made from a fixed seed. The floor is all n²/2 squares of differences of prefix
 * sums and their least value a row: what a search that looks at every segment must at least do. The search for l2 rules
 * most segments out unseen and stays below it. The digest is of the breaks: equal for exact and PELT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "kifumill/changepoint.h"
#include "kifumill/hash.h"

enum { ROUNDS = 15, LENGTH = 240, SERIES = 200, QUICK_SERIES = 10 };

typedef struct bench {
  km_changepoint *workspace;
  double *y; /* n_series × LENGTH */
  size_t n_series;
} bench;

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

static double floor_series(const double *y) {
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
  return total;
}

static void run_floor(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (size_t i = 0; i < b->n_series; i++) {
    double total = floor_series(b->y + i * LENGTH);
    uint64_t bits;
    memcpy(&bits, &total, sizeof bits);
    sample->digest = km_mix64(sample->digest ^ bits);
  }
  sample->n_units = (double)b->n_series;
}

/* A cost and a way to search. */
typedef struct method {
  km_changepoint_cost cost;
  km_changepoint_search search;
} method;

static void run_method(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const method *m = row->argument;
  km_changepoint_options options = km_changepoint_defaults();
  options.cost = m->cost;
  options.search = m->search;
  for (size_t i = 0; i < b->n_series; i++) {
    km_series series = {b->y + i * LENGTH, LENGTH, 1};
    km_changepoints found;
    km_err err;
    if (km_changepoint_find(b->workspace, &series, &options, &found, &err) != KM_OK)
      bench_die(err.msg);
    if (sample->wants_digest)
      sample->digest = bench_digest(sample->digest, found.breaks, found.n_breaks * sizeof *found.breaks);
  }
  sample->n_units = (double)b->n_series;
}

#define FLOOR "floor: all squares"

int main(int argc, char **argv) {
  enum { ROWS_MAX = 1 + 2 * (KM_COST_RANK + 1) };
  static char names[ROWS_MAX][48];
  static method methods[ROWS_MAX];
  bench_row rows[ROWS_MAX] = {{FLOOR, "series", .run = run_floor}};
  size_t n_rows = 1;
  for (int cost = KM_COST_L2; cost <= KM_COST_RANK; cost++)
    for (int search = KM_SEARCH_EXACT; search <= KM_SEARCH_PELT; search++, n_rows++) {
      methods[n_rows] = (method){(km_changepoint_cost)cost, (km_changepoint_search)search};
      snprintf(names[n_rows], sizeof *names, "%s, %s", km_changepoint_cost_name(methods[n_rows].cost),
               km_changepoint_search_name(methods[n_rows].search));
      rows[n_rows] = (bench_row){names[n_rows], "series", run_method, FLOOR, &methods[n_rows], 0, 0};
      if (cost == KM_COST_L2 && search == KM_SEARCH_EXACT)
        rows[n_rows].reach_rate = 40e3; /* 25 microseconds */
    }
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_changepoint [--json | --digests] [--quick] [--rounds N]", ROUNDS);
  bench b = {.workspace = bench_need(km_changepoint_new()), .n_series = options.quick ? QUICK_SERIES : SERIES};
  b.y = bench_need(malloc(b.n_series * LENGTH * sizeof *b.y));
  fill(b.y, b.n_series * LENGTH);
  const bench_title title = {"bench_changepoint", "segmentation of series of 240 values under BIC",
                             options.quick ? "10 noisy staircases" : "200 noisy staircases"};
  int code = bench_run(&options, &title, rows, n_rows, &b);
  free(b.y);
  km_changepoint_free(b.workspace);
  return code;
}
