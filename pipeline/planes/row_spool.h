/* row_spool.h: rows on their way through a temporary file, for games whose tracks do not fit into memory.
 *
 * Rows are put into buckets, each a stretch of the order within one shard, and come out bucket by bucket,
 * each in memory as a whole, at any place of it. A record is a row's facts and its moment (track.h), some 150
 * bytes on 19×19. The file has no name, lies beside the output, and is gone with the process. */
#ifndef KIFUMILL_ROW_SPOOL_H
#define KIFUMILL_ROW_SPOOL_H

#include "gather.h"
#include "shard_plan.h"

#include <stdatomic.h>

typedef struct km_row_spool km_row_spool;

/* A stretch of a shard's rows, all of them in memory. */
typedef struct km_row_bucket {
  const km_track_shape *shape;
  uint64_t first, n_rows; /* places in the split's order */
  unsigned char *bytes;
  uint64_t *records; /* where in bytes the row at each place begins */
  atomic_uint n_users;
} km_row_bucket;
/* Facts and moments (NULL: not wanted) of the rows at places first … first+n-1, which are in the bucket. */
void km_row_bucket_get(const km_row_bucket *bucket, uint64_t first, size_t n, km_row_facts *facts,
                       km_moment *moments);
/* Ends one use; the last one frees it. NULL is fine. */
void km_row_bucket_release(km_row_bucket *bucket);

typedef struct km_spool_job {
  const km_gather_job *gather;
  const km_gathered *gathered;
  const km_shard_plan *plan;
  const km_row_order *orders; /* of the splits */
  uint64_t budget;            /* bytes of memory */
  uint32_t block_rows;        /* buckets are a multiple of it */
  size_t window;              /* ranges of games under way */
} km_spool_job;

/* Replays all games and spools the rows of those shards that are to be made. KM_ERR_IO when the disk has no
 * room, known beforehand; KM_ERR_USAGE when the memory is too small, naming the least. */
km_status km_row_spool_make(km_row_spool **spool, const km_spool_job *job, km_err *err);
void km_row_spool_close(km_row_spool *spool);           /* NULL is fine */
uint64_t km_row_spool_bytes(const km_row_spool *spool); /* in the file */
/* The bucket in which a row of a shard is, loaded; the caller has one use of it. */
km_status km_row_spool_load(km_row_spool *spool, size_t shard, uint64_t row, km_row_bucket **bucket,
                            km_err *err);

#endif
