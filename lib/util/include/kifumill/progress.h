/* progress.h: one progress line on a terminal: share done, games/s, positions/s, time left; at most once a second.
 *
 * The line goes to the stream that the caller names (stderr), is redrawn in place, and is wiped by km_progress_end.
 * Not thread-safe: call it from the serial step of a batch. */
#ifndef KIFUMILL_PROGRESS_H
#define KIFUMILL_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

typedef enum km_progress_mode { KM_PROGRESS_AUTO, KM_PROGRESS_ALWAYS, KM_PROGRESS_NEVER } km_progress_mode;

typedef struct km_progress {
  FILE *out; /* NULL: silent */
  const char *stage;
  double started, drawn; /* seconds, monotonic clock */
  int drawn_width;
} km_progress;

/* AUTO draws when out is a terminal. */
void km_progress_begin(km_progress *progress, km_progress_mode mode, const char *stage, FILE *out);
/* share in 0…1 (negative: unknown); counts so far. Cheap when a second has not passed. */
void km_progress_update(km_progress *progress, double share, uint64_t games, uint64_t positions);
/* Wipes the line; returns the seconds since km_progress_begin. */
double km_progress_end(km_progress *progress);

/* Seconds of a monotonic clock. */
double km_clock_seconds(void);
/* Peak resident memory of the process in bytes. */
uint64_t km_peak_memory_bytes(void);

#endif
