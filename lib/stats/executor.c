/* executor.c: the plain loop, and the checks that every model makes of a block of rows. */
#include "kifumill/executor.h"
#include "kifumill/rows.h"

#include <math.h>

km_status km_workers_run(km_workers workers, size_t n, km_task body, void *ctx, km_err *err) {
  if (workers.run)
    return workers.run(n, workers.n_threads, body, ctx, err);
  for (size_t i = 0; i < n; i++) {
    km_status status = body(ctx, 0, i, err);
    if (status < 0)
      return status;
  }
  return KM_OK;
}

static km_status bad_row(km_err *err, size_t row, const char *what, double value) {
  km_status status = km_err_set(err, KM_ERR_FORMAT, 0, "row %zu of a block: %s %g", row, what, value);
  if (err)
    err->pos = row;
  return status;
}

km_status km_rows_check(const km_rows *rows, size_t n_features, km_err *err) {
  if (rows->n_features != n_features)
    return km_err_set(err, KM_ERR_USAGE, 0, "a block of %zu features in a source of %zu", rows->n_features,
                      n_features);
  for (size_t i = 0; i < rows->n; i++)
    if (rows->y[i] != 0 && rows->y[i] != 1)
      return bad_row(err, i, "the outcome must be 0 or 1, not", rows->y[i]);
  for (size_t i = 0; i < rows->n * n_features; i++)
    if (!isfinite(rows->x[i]))
      return bad_row(err, i / n_features, "a feature is not a number:", rows->x[i]);
  return KM_OK;
}
