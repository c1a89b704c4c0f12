/* h5_internal.h: what the h5_*.c files share: the file object, the lock, and errors. */
#ifndef KM_H5_INTERNAL_H
#define KM_H5_INTERNAL_H

#include "kifumill/h5file.h"
#include "kifumill/outfile.h"

#include "h5_driver.h"

struct km_h5 {
  hid_t id;
  km_outfile *out; /* NULL when reading */
  char *path;
  int fd;         /* HDF5's descriptor */
  h5_latch latch; /* of write errors */
  uint64_t n_bytes;
};

/* A scope: a stretch of code with HDF5 calls. It holds the process-wide lock. HDF5's printing of errors is
 * off in this thread from then on: at exit it would print what damaged files have left behind in it. */
void h5_enter(void);
void h5_leave(void);

/* Fills *err from what was being done and HDF5's error stack: KM_ERR_IO when the system gave the reason, else
 * code. To be called right after the failed call. */
km_status h5_fail(km_err *err, km_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* KM_ERR_IO when a write to the file has failed, now or before. */
km_status h5_written(const km_h5 *file, km_err *err);

/* The file type of a column's elements, and the other way round (-1: none of ours). */
hid_t h5_file_type(km_type type);
int h5_type_of(hid_t type);

/* As the public functions, for callers inside a scope. */
km_status h5_put_text(hid_t object, const char *name, const char *text, km_err *err);
km_status h5_open_dataset(hid_t *dataset, km_h5 *file, const char *name, km_err *err);
km_status h5_describe(km_h5 *file, hid_t dataset, const char *name, km_h5_info *info, km_err *err);
/* Makes the dataset of column with the given shape and properties, and its attributes description and units.
 */
km_status h5_make_dataset(hid_t *dataset, km_h5 *file, const km_column *column, hid_t space, hid_t dcpl,
                          km_err *err);
/* Fills dims with rows and inner shape; gives the rank. */
int h5_dims(const km_column *column, uint64_t n_rows, hsize_t dims[KM_COLUMN_RANK_MAX + 1]);

#endif
