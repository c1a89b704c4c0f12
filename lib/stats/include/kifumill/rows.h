/* rows.h: observations handed to the models in blocks, so that memory is bounded by a block and not by the
 * data. */
#ifndef KIFUMILL_ROWS_H
#define KIFUMILL_ROWS_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

/* n rows of n_features values, row after row, with their outcomes 0 or 1. group: whose rows belong together
 * (the game); neighbouring rows of one block with equal group are one cluster, so a game must lie in one
 * block, in one piece. NULL: every row stands alone. */
typedef struct km_rows {
  const double *x, *y;
  const uint64_t *group;
  size_t n, n_features;
} km_rows;

/* Data that can be read again and again. block(ctx, thread, i) gives block i of n_blocks, the same each time,
 * valid until the same thread asks for another; called from several threads at once when workers are given.
 * The sums of a model are combined block by block: the cut into blocks is part of the input, the threads are
 * not. */
typedef struct km_row_source {
  km_status (*block)(void *ctx, int thread, size_t i, km_rows *rows, km_err *err);
  void *ctx;
  size_t n_blocks, n_features;
} km_row_source;

/* Checks a block: n_features as promised, x finite, y 0 or 1. KM_ERR_FORMAT (err->pos: the row) otherwise. */
km_status km_rows_check(const km_rows *rows, size_t n_features, km_err *err);

#endif
