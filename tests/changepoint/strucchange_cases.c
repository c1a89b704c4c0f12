/* strucchange_cases.c: segments the series of tests/golden/changepoint.json, and seeded random ones, into 2
 * to 4 parts and writes what it found for strucchange.R to compare. Usage: strucchange_cases OUTPUT. */
#include "kifumill/changepoint.h"
#include "kifumill/hash.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_MAX = 256 };

static int write_case(FILE *out, km_changepoint *workspace, const km_series *series, km_changepoint_cost cost,
                      int k) {
  km_changepoint_options options = km_changepoint_defaults();
  km_changepoints found;
  options.cost = cost;
  options.min_size = 4;
  options.n_changes = k;
  if (km_changepoint_find(workspace, series, &options, &found, NULL) != KM_OK)
    return -1;
  if (!found.found || (size_t)k + 2 > (series->n + 3) / 4) /* strucchange wants room for one segment more */
    return 0;
  fprintf(out, "%s 4 %d %.17g ", km_changepoint_cost_name(cost), k, found.cost);
  for (size_t i = 0; i < found.n_breaks; i++)
    fprintf(out, "%s%u", i ? "," : "", found.breaks[i]);
  for (size_t i = 0; i < series->n; i++)
    fprintf(out, "%c%.17g", i ? ',' : ' ', series->y[i]);
  return fprintf(out, "\n") < 0 ? -1 : 0;
}

static int write_series(FILE *out, km_changepoint *workspace, const km_series *series) {
  int least = series->n > 64 ? 2 : 1, most = series->n > 64 ? 2 : 3; /* strucchange is slow */
  for (int k = least; k <= most; k++)
    if (write_case(out, workspace, series, KM_COST_L2, k) ||
        write_case(out, workspace, series, KM_COST_LINEAR, k))
      return -1;
  return 0;
}

static int write_all(FILE *out, km_changepoint *workspace, const json_t *golden) {
  double y[N_MAX];
  const char *name;
  json_t *values;
  json_object_foreach((json_t *)golden, name, values) {
    km_series series = {y, json_array_size(values), 1};
    if (series.n > N_MAX)
      return -1;
    for (size_t i = 0; i < series.n; i++)
      y[i] = json_number_value(json_array_get(values, i));
    if (write_series(out, workspace, &series))
      return -1;
  }
  for (uint64_t round = 0; round < 5; round++) {
    km_series series = {y, 30 + 4 * round, 1};
    for (size_t i = 0; i < series.n; i++) {
      uint64_t bits = km_random(5, round, i, KM_PURPOSE_SAMPLE);
      y[i] = 4 * (double)(i / 12 % 3) + 3 * km_random_unit(bits);
    }
    if (write_series(out, workspace, &series))
      return -1;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  json_error_t error;
  json_t *root = json_load_file("tests/golden/changepoint.json", 0, &error);
  km_changepoint *workspace = km_changepoint_new();
  FILE *out = fopen(argv[1], "w");
  int failed = !root || !workspace || !out || write_all(out, workspace, json_object_get(root, "series"));
  if (out && fclose(out))
    failed = 1;
  km_changepoint_free(workspace);
  json_decref(root);
  return failed;
}
