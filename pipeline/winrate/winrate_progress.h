/* winrate_progress.h: one progress line over the three parts of a run: scan, fits, figures, by their usual shares of the time. */
#ifndef KIFUMILL_WINRATE_PROGRESS_H
#define KIFUMILL_WINRATE_PROGRESS_H

#include "kifumill/progress.h"

typedef struct km_wr_progress {
  km_progress *line;
  double from, to; /* what this part is of the whole, in 0…1 */
  uint64_t games, positions;
} km_wr_progress;

/* done: share of this part. From the serial step only. */
static inline void km_wr_progress_at(const km_wr_progress *progress, double done) {
  km_progress_update(progress->line, progress->from + (progress->to - progress->from) * done, progress->games,
                     progress->positions);
}

#endif
