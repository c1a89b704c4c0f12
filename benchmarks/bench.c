/* bench.c: see bench.h. A ratio is taken within its round, where row and floor met the same machine. */
#include "bench.h"

#include "kifumill/hash.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* All rounds of a row. */
typedef struct record {
  double seconds[BENCH_ROUNDS_MAX], ratios[BENCH_ROUNDS_MAX];
  double n_units, n_bytes;
  uint64_t digest;
} record;

/* The figures that are printed. */
typedef struct figures {
  double median, least, most; /* seconds a round */
  double rate;                /* units a second */
  double ratio;               /* to the floor; 0: it has none */
} figures;

void bench_die(const char *what) {
  fprintf(stderr, "benchmark: %s\n", what);
  exit(1);
}

void *bench_need(void *p) {
  if (!p)
    bench_die("out of memory");
  return p;
}

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
double bench_processor_seconds(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
double bench_clock_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

uint64_t bench_digest(uint64_t digest, const void *bytes, size_t n_bytes) {
  km_hash128 hash = km_hash_bytes(bytes, n_bytes);
  return km_mix64(digest ^ hash.low ^ hash.high);
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static void bad_usage(const char *usage, int code) {
  fprintf(code ? stderr : stdout, "usage: %s\n", usage);
  exit(code);
}

void bench_options_read(bench_options *options, int argc, char **argv, const char *usage, size_t rounds) {
  *options = (bench_options){.settings = argv};
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i];
    if (strcmp(word, "--json") == 0)
      options->is_json = 1;
    else if (strcmp(word, "--digests") == 0)
      options->is_digests = 1;
    else if (strcmp(word, "--quick") == 0)
      options->quick = 1;
    else if (strcmp(word, "--rounds") == 0 && i + 1 < argc)
      options->rounds = strtoul(argv[++i], NULL, 10);
    else if (strcmp(word, "--help") == 0)
      bad_usage(usage, 0);
    else if (*word != '-' && strchr(word, '=') && strstr(usage, "NAME=VALUE"))
      argv[options->n_settings++] = argv[i];
    else if (*word == '-' || options->input)
      bad_usage(usage, 2);
    else
      options->input = word;
  }
  if (options->rounds == 0)
    options->rounds = options->quick ? 1 : rounds;
  if (options->rounds > BENCH_ROUNDS_MAX)
    bad_usage(usage, 2);
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

static size_t find_row(const bench_row *rows, size_t n_rows, const char *name) {
  for (size_t i = 0; i < n_rows; i++)
    if (strcmp(rows[i].name, name) == 0)
      return i;
  bench_die("a row names a floor that is not there");
}

static void run_rounds(const bench_options *options, const bench_row *rows, size_t n_rows, record *records, void *context) {
  for (size_t i = 0; i < n_rows; i++) {
    bench_sample sample = {.wants_digest = 1};
    rows[i].run(context, &rows[i], &sample);
    records[i].digest = sample.digest;
    records[i].n_units = sample.n_units;
    records[i].n_bytes = sample.n_bytes;
  }
  for (size_t round = 0; round < options->rounds; round++)
    for (size_t i = 0; i < n_rows; i++) {
      bench_sample sample = {.wants_digest = 0};
      double begin = bench_processor_seconds();
      rows[i].run(context, &rows[i], &sample);
      double seconds = bench_processor_seconds() - begin;
      records[i].seconds[round] = sample.seconds > 0 ? sample.seconds : seconds;
    }
  for (size_t i = 0; i < n_rows; i++) {
    if (!rows[i].floor)
      continue;
    const record *floor = &records[find_row(rows, n_rows, rows[i].floor)];
    for (size_t round = 0; round < options->rounds; round++) /* a unit of the row against a unit of the floor */
      records[i].ratios[round] =
          records[i].seconds[round] / records[i].n_units / (floor->seconds[round] / floor->n_units);
  }
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static figures figures_of(record *r, size_t rounds, int has_floor) {
  qsort(r->seconds, rounds, sizeof(double), compare_doubles);
  qsort(r->ratios, rounds, sizeof(double), compare_doubles);
  double median = r->seconds[rounds / 2];
  return (figures){median, r->seconds[0], r->seconds[rounds - 1], r->n_units / median,
                   has_floor ? r->ratios[rounds / 2] : 0};
}

/* ---- reports --------------------------------------------------------------------------------------------------- */

/* A rate with three digits: "25.3 M". */
static const char *rate_text(double rate, char text[16]) {
  static const char *const prefixes[] = {"", " k", " M", " G", " T"};
  size_t i = 0;
  for (; rate >= 1000 && i < 4; i++)
    rate /= 1000;
  snprintf(text, 16, rate < 10 ? "%.2f%s" : rate < 100 ? "%.1f%s" : "%.0f%s", rate, prefixes[i]);
  return text;
}

/* What was to be reached, and whether it was. */
static const char *reach_text(const bench_row *row, const figures *f, char text[48]) {
  char rate[16];
  *text = 0;
  if (row->reach_rate > 0)
    snprintf(text, 48, "%s/s: %s", rate_text(row->reach_rate, rate), f->rate >= row->reach_rate ? "yes" : "no");
  else if (row->reach_ratio > 0)
    snprintf(text, 48, "x%.2f: %s", row->reach_ratio, f->ratio <= row->reach_ratio ? "yes" : "no");
  return text;
}

static void print_text(const bench_options *options, const bench_title *title, const bench_row *rows, size_t n_rows,
                       record *records) {
  printf("%s: %s\n%s; %zu rounds\n", title->program, title->what, title->input, options->rounds);
  printf("%-32s %10s %17s %10s %8s  %-16s %s\n", "", "a second", "least … most", "ns a unit", "x floor", "digest",
         "to reach, or disk");
  for (size_t i = 0; i < n_rows; i++) {
    figures f = figures_of(&records[i], options->rounds, rows[i].floor != NULL);
    char rate[16], least[16], most[16], ratio[16] = "", reach[48];
    if (f.ratio > 0)
      snprintf(ratio, sizeof ratio, "%.3f", f.ratio);
    if (!*reach_text(&rows[i], &f, reach) && records[i].n_bytes > 0)
      snprintf(reach, sizeof reach, "%.2f bytes a %s", records[i].n_bytes / records[i].n_units, rows[i].unit);
    printf("%-32s %10s %7s … %7s %10.2f %8s  %016llx %s\n", rows[i].name, rate_text(f.rate, rate),
           rate_text(records[i].n_units / f.most, least), rate_text(records[i].n_units / f.least, most),
           1e9 / f.rate, ratio, (unsigned long long)records[i].digest, reach);
  }
}

static json_t *row_json(const bench_row *row, const record *r, const figures *f) {
  char digest[17], reach[48];
  snprintf(digest, sizeof digest, "%016llx", (unsigned long long)r->digest);
  json_t *json = json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:s}", "name", row->name, "unit", row->unit, "units",
                           r->n_units, "seconds", f->median, "seconds_least", f->least, "seconds_most", f->most,
                           "per_second", f->rate, "digest", digest);
  if (json && row->floor) {
    json_object_set_new(json, "floor", json_string(row->floor));
    json_object_set_new(json, "ratio", json_real(f->ratio));
  }
  if (json && r->n_bytes > 0)
    json_object_set_new(json, "bytes_per_unit", json_real(r->n_bytes / r->n_units));
  if (json && *reach_text(row, f, reach))
    json_object_set_new(json, "reach", json_string(reach));
  return json;
}

static void print_json(const bench_options *options, const bench_title *title, const bench_row *rows, size_t n_rows,
                       record *records) {
  json_t *list = json_array();
  for (size_t i = 0; i < n_rows; i++) {
    figures f = figures_of(&records[i], options->rounds, rows[i].floor != NULL);
    json_array_append_new(list, row_json(&rows[i], &records[i], &f));
  }
  json_t *root = json_pack("{s:s, s:s, s:s, s:i, s:o}", "program", title->program, "what", title->what, "input",
                           title->input, "rounds", (int)options->rounds, "rows", list);
  char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
  puts(bench_need(text));
  free(text);
  json_decref(root);
}

int bench_run(const bench_options *options, const bench_title *title, const bench_row *rows, size_t n_rows,
              void *context) {
  record *records = bench_need(calloc(n_rows, sizeof *records));
  run_rounds(options, rows, n_rows, records, context);
  if (options->is_json)
    print_json(options, title, rows, n_rows, records);
  else if (!options->is_digests)
    print_text(options, title, rows, n_rows, records);
  for (size_t i = 0; i < n_rows && options->is_digests; i++)
    printf("%s\t%s\t%016llx\n", title->program, rows[i].name, (unsigned long long)records[i].digest);
  free(records);
  if (fflush(stdout) != 0 || ferror(stdout))
    bench_die("cannot write the report");
  return 0;
}
