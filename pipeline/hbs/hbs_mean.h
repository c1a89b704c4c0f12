/* hbs_mean.h: the group /mean of hbs.h5. */
#ifndef KIFUMILL_HBS_MEAN_H
#define KIFUMILL_HBS_MEAN_H

#include "hbs_curves.h"

/* Everything that was summed; borrowed. */
typedef struct km_hbs_means {
  const km_curve_set *sets;
  size_t n_sets;
  km_mean_ends ends;
  const km_games *games; /* for names of strata */
} km_hbs_means;

/* Writes /mean, in the order of sets. */
km_status km_hbs_mean_put(km_h5 *file, const km_hbs_means *means, km_codec codec, km_err *err);

/* One channel of one curve, read: place i is places first_place + i. Arrays have n values. */
typedef struct km_mean_line {
  const km_curve *curve;
  km_channel channel;
  size_t n;
  km_exact_sum *sums;
  double *q1, *median, *q3; /* NULL without quartiles */
} km_mean_line;

/* Room for lines; one a thread. */
typedef struct km_mean_room {
  km_exact_sum *sums;
  double *quartiles;
  size_t capacity;
} km_mean_room;
void km_mean_room_clear(km_mean_room *room);
/* Reads one; it points into room. Quartiles are those of the logarithm, where ends are dropped. */
km_status km_mean_line_read(km_mean_line *line, km_mean_room *room, const km_curve *curve,
                            const km_channel *channel, km_mean_ends ends, km_err *err);

/* The stratum's name. */
km_status km_curve_name(const km_curve *curve, const km_games *games, char name[KM_STRATUM_NAME],
                        km_err *err);

#endif
