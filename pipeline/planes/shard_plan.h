/* shard_plan.h: which shards there are to be, which are already there, and which this process makes.
 *
 * Shards are numbered over all splits, train first; part i of n makes those whose number leaves i when
 * divided by n. A shard that is there under its name is whole; it is kept if it says of itself that it is of
 * the same games, settings, seed and number of rows. */
#ifndef KIFUMILL_SHARD_PLAN_H
#define KIFUMILL_SHARD_PLAN_H

#include "planes_settings.h"
#include "row_columns.h"

#include "kifumill/shard_store.h"

typedef struct km_shard {
  uint32_t split, index;
  uint64_t first, n_rows; /* places in the split's order */
  uint8_t is_mine;        /* of this part */
  uint8_t is_done;        /* whole, and entry is filled */
  km_shard_entry entry;
} km_shard;

typedef struct km_shard_plan {
  const char *folder;
  const km_shard_spec *spec;
  int made_folder;
  km_shard *shards;
  size_t n_shards;
  size_t first[KM_SPLITS + 1]; /* number of the first shard of each split */
} km_shard_plan;

/* The shards for so many rows in each split. */
km_status km_shard_plan_make(km_shard_plan *plan, const km_planes_settings *settings,
                             const uint64_t n_rows[KM_SPLITS], km_err *err);
void km_shard_plan_clear(km_shard_plan *plan);

/* Before any work: makes the folder if need be; KM_ERR_STATE when it holds a finished run, unless force,
 * which undoes it by removing its manifest. A part of a run that is finished has nothing to do: *is_finished
 * is 1. */
km_status km_shard_plan_open(km_shard_plan *plan, const km_planes_settings *settings, int force,
                             int *is_finished, km_err *err);
/* After a failure: removes the folder if it was made here and nothing is in it. */
void km_shard_plan_undo(const km_shard_plan *plan);
/* Looks for the shards and fills is_done. Those of other settings, and those that are none of the plan:
 * KM_ERR_STATE, or with force removed. */
km_status km_shard_plan_look(km_shard_plan *plan, int force, km_err *err);

/* The path of a shard; the text holds KM_SHARD_PATH. */
enum { KM_SHARD_PATH = 4096 };
void km_shard_path(const km_shard_plan *plan, const km_shard *shard, char *path);

/* When all shards are there: virtual files and the manifest (counts and settings are the caller's). Several
 * processes may come here at a time. *is_complete: 0, and nothing done, when shards are missing. */
km_status km_shard_plan_complete(km_shard_plan *plan, km_manifest *manifest, int *is_complete, km_err *err);

#endif
