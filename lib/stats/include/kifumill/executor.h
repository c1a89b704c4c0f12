/* executor.h: how the statistics ask their caller for threads.
 *
 * They own no threads. A km_executor runs body(ctx, thread, i) for all i in 0…n−1, in any order, and returns
 * the error of the smallest failing i: km_parallel_for of batch.h is one. NULL stands for a plain loop.
 * Results never depend on it: whatever is summed is summed per i and combined in the order of i. */
#ifndef KIFUMILL_EXECUTOR_H
#define KIFUMILL_EXECUTOR_H

#include "kifumill/err.h"

#include <stddef.h>

typedef km_status (*km_task)(void *ctx, int thread, size_t i, km_err *err);
typedef km_status (*km_executor)(size_t n, int n_threads, km_task body, void *ctx, km_err *err);

typedef struct km_workers {
  km_executor run; /* NULL: a plain loop, thread 0 */
  int n_threads;   /* handed to run */
} km_workers;

km_status km_workers_run(km_workers workers, size_t n, km_task body, void *ctx, km_err *err);

#endif
