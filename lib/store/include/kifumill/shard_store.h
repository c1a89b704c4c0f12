/* shard_store.h: training shards, and the virtual file over the shards of a split.
 *
 * A shard is one table (kifumill/table.h) in the root of an HDF5 file, with root attributes that describe the
 * rows and name every plane. It appears whole under its name. What the shards of a run are together stands in
 * kifumill/manifest.h. */
#ifndef KIFUMILL_SHARD_STORE_H
#define KIFUMILL_SHARD_STORE_H

#include "kifumill/manifest.h"
#include "kifumill/table.h"

#define KM_SHARD_FORMAT "kifumill shard"
#define KM_VIRTUAL_FORMAT "kifumill virtual"
enum { KM_VIRTUAL_PARTS_MAX = 500 }; /* HDF5 keeps every source file open */

/* What all shards of a run have in common; everything is borrowed. */
typedef struct km_shard_spec {
  km_table_schema table; /* group "" */
  km_store_origin origin;
  const char *layout;                            /* "alphago-zero" */
  const char *pack;                              /* "bits", "bytes" */
  const char *symmetries;                        /* "none", "random", "all" */
  uint32_t rows, cols;                           /* of the board */
  const char *const *planes, *const *plane_docs; /* names and descriptions, in order */
  size_t n_planes;
  int force; /* overwrite */
} km_shard_spec;

typedef struct km_shard_writer km_shard_writer;
/* split ("train", "val", "test") and index (number of the shard in it) become root attributes; max_rows is a
 * bound. */
typedef struct km_shard_id {
  const char *split;
  uint32_t index;
  uint64_t max_rows;
} km_shard_id;
km_status km_shard_writer_open(km_shard_writer **writer, const char *path, const km_shard_spec *spec,
                               const km_shard_id *id, km_err *err);
/* Blocks (km_block_new(&spec->table)) in order; row numbers start at 0 in every shard. */
km_status km_shard_writer_append(km_shard_writer *writer, km_block *block, km_err *err);
/* Completes the file and fills *entry for the manifest (may be NULL). Frees writer always. */
km_status km_shard_writer_finish(km_shard_writer *writer, km_shard_entry *entry, km_err *err);
void km_shard_writer_abandon(km_shard_writer *writer); /* NULL is allowed */

/* Fills *entry from a finished shard or virtual file: what a resumed run does with those it finds.
 * KM_ERR_FORMAT: no shard, or damaged metadata. */
km_status km_shard_entry_read(km_shard_entry *entry, const char *path, km_err *err);

/* A file whose datasets are those of the given shards of one split joined, n_shards ≤ KM_VIRTUAL_PARTS_MAX;
 * it lies in their folder. Fills *entry for the manifest (may be NULL); its index is that of the first shard.
 */
km_status km_shard_virtual(const char *path, const km_shard_spec *spec, const km_shard_entry *shards,
                           size_t n_shards, km_shard_entry *entry, km_err *err);

#endif
