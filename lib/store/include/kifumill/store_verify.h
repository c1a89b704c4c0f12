/* store_verify.h: whether a file or folder of ours is what it was written as.
 *
 * games.h5, hbs.h5, shards, other HDF5 outputs of ours: format, structure, lengths, offsets, and the digest
 * of every dataset or chunk. A folder with a manifest.json (or the manifest itself): every file is there, has
 * its size, digest, rows, split and number, and no shard is there that the manifest does not list. */
#ifndef KIFUMILL_STORE_VERIFY_H
#define KIFUMILL_STORE_VERIFY_H

#include "kifumill/err.h"

#include <stdint.h>

/* Called once for every thing that is wrong; names file and dataset. Not called when all is well. */
typedef void km_verify_report(void *ctx, const char *path, const char *problem);

typedef struct km_verify_sum {
  uint64_t n_files, n_bytes, n_problems;
} km_verify_sum;

/* Checks path. KM_OK: it could be checked, and sum->n_problems says how it is. Otherwise there is nothing to
 * check at path (missing, no output of ours), or the system failed. */
km_status km_verify_path(const char *path, km_verify_report *report, void *ctx, km_verify_sum *sum,
                         km_err *err);

#endif
