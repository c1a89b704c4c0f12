/* bench.h: what every benchmark does the same way: options, rounds, medians, and one form of report.
 *
 *     PROGRAM [--json | --digests] [--quick] [--rounds N] [INPUT] [NAME=VALUE…]
 *
 * A program is a table of rows. Each row is run once untimed, which warms the caches and gives its digest (and may
 * take its time over it), and then once in every round, so that a busy machine disturbs all rows alike. A row names
 * another as its floor: what the same input costs if the work itself is left out. Printed are the median of the
 * rounds, the smallest and the largest, the median of the ratios to the floor of the same round, and the digest,
 * which depends on the input alone: a fast wrong answer has another. Seconds are of the processor unless a row says
 * otherwise: what else runs on the machine shows in the spread. */
#ifndef KM_BENCHMARKS_BENCH_H
#define KM_BENCHMARKS_BENCH_H

#include <stddef.h>
#include <stdint.h>

typedef struct bench_options {
  const char *input; /* a file, or NULL: made by a generator */
  char **settings;   /* words of the form NAME=VALUE, if the usage has them */
  size_t n_settings;
  int quick;         /* a small input and one round: for tests */
  int is_json, is_digests;
  size_t rounds;
} bench_options;

/* What one run of a row did. */
typedef struct bench_sample {
  int wants_digest; /* given: this run is not timed */
  double n_units;   /* how much was done, in the row's unit */
  double seconds;   /* set by rows that take the time themselves; else 0 */
  double n_bytes;   /* of what came to be on disk, if that is of interest; else 0 */
  uint64_t digest;
} bench_sample;

typedef struct bench_row bench_row;
struct bench_row {
  const char *name, *unit; /* "move", "byte", "row" … */
  void (*run)(void *context, const bench_row *row, bench_sample *sample);
  const char *floor;   /* name of the row it is compared with, or NULL */
  const void *argument; /* the row's own */
  double reach_rate;   /* units a second it should reach; 0: none is set */
  double reach_ratio;  /* times the floor it should not exceed; 0: none is set */
};

/* What was measured, for the report. */
typedef struct bench_title {
  const char *program;
  const char *what;  /* one sentence */
  const char *input; /* "2,000 random games of 200 moves" */
} bench_title;

enum { BENCH_ROUNDS_MAX = 99 };

/* Reads the command line; argv is put in another order. Ends the program when it is wrong (2) or asks for help (0). */
void bench_options_read(bench_options *options, int argc, char **argv, const char *usage, size_t rounds);

/* Runs all rows and prints them. Returns the program's exit code. */
int bench_run(const bench_options *options, const bench_title *title, const bench_row *rows, size_t n_rows,
              void *context);

/* Ends the program with a message. */
void bench_die(const char *what) __attribute__((noreturn));
/* The same unless p is there. */
void *bench_need(void *p);

double bench_processor_seconds(void); /* of all threads */
double bench_clock_seconds(void);

/* Keeps the compiler from leaving out what was written to p. */
static inline void bench_written(const void *p) { __asm__ volatile("" : : "r"(p) : "memory"); }

/* Adds bytes to a digest; order matters. */
uint64_t bench_digest(uint64_t digest, const void *bytes, size_t n_bytes);

#endif
