/* spool.h: a growing byte sequence in an unlinked temporary file: appended to, then read from the start, once
 * or more.
 *
 * The file lies in the folder of the output it is for, has no name, and is gone with the process. */
#ifndef KM_SPOOL_H
#define KM_SPOOL_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct km_spool km_spool;

/* output: the path of the file it is for. */
km_status km_spool_open(km_spool **spool, const char *output, km_err *err);
void km_spool_close(km_spool *spool); /* NULL is allowed */
km_status km_spool_append(km_spool *spool, const void *bytes, size_t n_bytes, km_err *err);
uint64_t km_spool_bytes(const km_spool *spool);
/* Copies n_bytes at position at, which were appended before. */
km_status km_spool_read_at(km_spool *spool, uint64_t at, void *bytes, size_t n_bytes, km_err *err);
/* Goes to the start, and takes what follows. Appending is over. */
km_status km_spool_rewind(km_spool *spool, km_err *err);
km_status km_spool_take(km_spool *spool, void *bytes, size_t n_bytes, km_err *err);

#endif
