/* phase_mean.h: the mean series of the games of one board size, cut like a game. */
#ifndef KIFUMILL_PHASE_MEAN_H
#define KIFUMILL_PHASE_MEAN_H

#include "phase_work.h"

typedef struct km_phase_mean {
  size_t n, n_channels; /* places at which a tenth of the games still run */
  uint64_t *counts;     /* games at a place */
  double *values;       /* channel after channel */
  km_breaks changes;
  uint32_t *breaks; /* those changes */
  km_division three;
  int has_three;
} km_phase_mean;

/* curves: sums of all games. n is 0 where there are none. */
km_status km_phase_mean_make(km_phase_mean *mean, const km_phase_shared *shared, const km_mean_curves *curves,
                             unsigned size, km_err *err);
void km_phase_mean_clear(km_phase_mean *mean);

#endif
