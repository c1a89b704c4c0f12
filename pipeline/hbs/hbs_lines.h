/* hbs_lines.h: what is known at the end of every channel of every curve, worked out once, by all threads.
 *
 * /mean and the summary both need it: moments and quartiles of every place. The exact sums are read again
 * from the curves where they are needed: they take more room than all that is made of them. */
#ifndef KIFUMILL_HBS_LINES_H
#define KIFUMILL_HBS_LINES_H

#include "hbs_curves.h"

/* Everything that was summed; borrowed. */
typedef struct km_hbs_means {
  const km_curve_set *sets;
  size_t n_sets;
  km_mean_ends ends;
  const km_games *games; /* for names of strata */
  int n_threads;
} km_hbs_means;

/* Of one place; NaN where there are too few values. */
typedef struct km_line_place {
  uint64_t n;
  double mean, deviation, error;
} km_line_place;

/* One channel of one curve: number i is place first_place + i. Arrays have n values. */
typedef struct km_mean_line {
  km_curve curve;
  km_channel channel;
  size_t number; /* of the channel */
  size_t n;
  uint64_t first_row; /* in /mean/value: lines stand there one behind the other */
  km_line_place *places;
  double *quartiles[3]; /* of the logarithm, where ends are dropped; else NULL */
} km_mean_line;

/* Curves in the order of files, each with its channels in theirs. */
typedef struct km_mean_lines {
  km_mean_line *lines;
  size_t n_lines;
  size_t *curves; /* first line of a curve; n_curves + 1 */
  size_t n_curves;
  uint64_t n_rows;
} km_mean_lines;
km_status km_mean_lines_read(km_mean_lines *lines, const km_hbs_means *means, km_err *err);
void km_mean_lines_clear(km_mean_lines *lines);

/* The exact sums of a line; the pointer is into room, which is good for any number of lines of one thread. */
typedef struct km_sums_room {
  km_exact_sum *sums;
  size_t capacity;
} km_sums_room;
km_status km_mean_line_sums(const km_exact_sum **sums, km_sums_room *room, const km_mean_line *line,
                            km_mean_ends ends, km_err *err);

/* The stratum's name. */
km_status km_curve_name(const km_curve *curve, const km_games *games, char name[KM_STRATUM_NAME],
                        km_err *err);

#endif
