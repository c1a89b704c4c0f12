/* h5_internal.h: what the h5_*.c files share: the file object, the lock, and errors. The only header with hdf5.h in it. */
#ifndef KM_H5_INTERNAL_H
#define KM_H5_INTERNAL_H

#include "kifumill/h5file.h"
#include "kifumill/outfile.h"

#include <hdf5.h>

struct km_h5 {
  hid_t id;
  km_outfile *out; /* NULL when reading */
  char *path;
  int fd; /* HDF5's own descriptor */
  uint64_t n_bytes;
};

/* A stretch of code with HDF5 calls: holds the process-wide lock, and keeps HDF5 from printing in this thread. */
typedef struct h5_scope {
  H5E_auto2_t print;
  void *print_data;
} h5_scope;
void h5_enter(h5_scope *scope);
void h5_leave(const h5_scope *scope);

/* Fills *err from what was being done and HDF5's error stack: KM_ERR_IO when the system gave the reason, else code. To be called
 * right after the failed call. */
km_status h5_fail(km_err *err, km_status code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The file type of a column's elements, and the other way round (-1: none of ours). */
hid_t h5_file_type(km_type type);
int h5_type_of(hid_t type);

/* As the public functions, for callers inside a scope. */
km_status h5_put_text(hid_t object, const char *name, const char *text, km_err *err);
km_status h5_open_dataset(hid_t *dataset, km_h5 *file, const char *name, km_err *err);
km_status h5_describe(km_h5 *file, hid_t dataset, const char *name, km_h5_info *info, km_err *err);
/* Makes the dataset of column with the given shape and properties, and its attributes description and units. */
km_status h5_make_dataset(hid_t *dataset, km_h5 *file, const km_column *column, hid_t space, hid_t dcpl, km_err *err);
/* Fills dims with rows and inner shape; gives the rank. */
int h5_dims(const km_column *column, uint64_t n_rows, hsize_t dims[KM_COLUMN_RANK_MAX + 1]);

#endif
