/* batch.h: read → work → write over batches, in parallel and in order. The only room with OpenMP.
 *
 * Streams 0…n_streams-1 are read concurrently (each one serially); batches are worked on by all threads; write sees
 * them in the order of (stream, sequence) whatever the number of threads, so the output does not depend on it. At most
 * `window` batches exist at a time: memory is bounded by it. One thread runs the plain loop. */
#ifndef KIFUMILL_BATCH_H
#define KIFUMILL_BATCH_H

#include "kifumill/err.h"

#include <stddef.h>

typedef struct km_batch_ops {
  /* Makes an empty batch, and one worker's private state (may be NULL functions: batch/worker is NULL then). */
  void *(*batch_new)(void *ctx);
  void (*batch_free)(void *ctx, void *batch);
  void *(*worker_new)(void *ctx);
  void (*worker_free)(void *ctx, void *worker);
  /* Fills batch from stream. KM_OK; KM_END: nothing more (the batch is not used). Serial per stream. */
  km_status (*read)(void *ctx, size_t stream, void *batch, km_err *err);
  /* Parallel. */
  km_status (*work)(void *ctx, void *worker, void *batch, km_err *err);
  /* Serial, in order; the batch is then filled again by a later read. */
  km_status (*write)(void *ctx, void *batch, km_err *err);
  /* Whether reading this stream takes much memory: it is then read only when all streams before it have been read to
   * their ends. NULL: none does. */
  int (*is_heavy)(void *ctx, size_t stream);
} km_batch_ops;

/* Runs until every stream has ended, or a function returned a negative status: the first in order of the data is
 * returned. n_threads 0: as many as there are processors. window 0: 2·n_threads + 2. */
km_status km_batch_run(const km_batch_ops *ops, void *ctx, size_t n_streams, int n_threads, size_t window, km_err *err);

/* Runs body(ctx, worker index, i) for i in 0…n-1 in parallel, in any order; returns the error of the smallest i. */
km_status km_parallel_for(size_t n, int n_threads, km_status (*body)(void *ctx, int thread, size_t i, km_err *err),
                          void *ctx, km_err *err);
/* What n_threads stands for: itself, or, where it is 0, the number of processors. */
int km_threads(int n_threads);

#endif
