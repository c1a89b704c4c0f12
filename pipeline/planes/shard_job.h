/* shard_job.h: the rows of the planned shards, made and compressed by all threads, written by one. */
#ifndef KIFUMILL_SHARD_JOB_H
#define KIFUMILL_SHARD_JOB_H

#include "row_maker.h"
#include "row_spool.h"
#include "row_store.h"
#include "shard_plan.h"

typedef struct km_shard_job {
  const km_games *games;
  const km_planes_settings *settings;
  const km_track_shape *shape;
  const km_row_columns *columns;
  const km_row_order *orders; /* of the splits */
  km_shard_plan *plan;
  const km_row_store *store; /* one of the two */
  km_row_spool *spool;
  uint32_t block_rows; /* a multiple of the chunks */
  int threads;
  size_t window; /* blocks in memory */
  km_progress *progress;
} km_shard_job;

/* Makes the shards that are of this part and not done; fills their entries. */
km_status km_shard_job_run(const km_shard_job *job, km_err *err);

#endif
