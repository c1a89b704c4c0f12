/* manifest.h: manifest.json, the list of what a run has written into a folder.
 *
 * Written last: a folder with a manifest is whole, and every file of it can be checked against size and
 * digest. Keys are in a fixed order. Names are of files in the manifest's folder; a name with a slash in it
 * is refused when read. */
#ifndef KIFUMILL_MANIFEST_H
#define KIFUMILL_MANIFEST_H

#include "kifumill/err.h"
#include "kifumill/h5file.h"

#define KM_MANIFEST_FORMAT "kifumill manifest"
#define KM_MANIFEST_NAME "manifest.json"

/* One shard, or a virtual file. */
typedef struct km_shard_entry {
  char name[64];       /* file name */
  char split[16];      /* "train", …; "" for what belongs to none */
  char digest[33];     /* XXH3-128 of the file's bytes, hexadecimal */
  uint32_t index;      /* number in its split */
  uint32_t is_virtual; /* a file over the shards of a split: its rows are theirs */
  uint64_t n_rows;
  uint64_t n_bytes; /* of the file */
} km_shard_entry;

typedef struct km_manifest_pair {
  const char *key, *value;
} km_manifest_pair;
typedef struct km_manifest_count {
  const char *key;
  uint64_t value;
} km_manifest_count;

/* When written, everything is borrowed; when read, it belongs to the manifest. */
typedef struct km_manifest {
  km_store_origin origin;
  const km_manifest_pair *settings; /* "layout": "alphago-zero", … */
  const km_manifest_count *counts;  /* "games", …; "rows" and "rows_SPLIT" are checked against the files */
  const char *const *planes;
  const km_shard_entry *files; /* shards in order of split and index, then virtual files */
  size_t n_settings, n_counts, n_planes, n_files;
} km_manifest;

km_status km_manifest_write(const char *path, const km_manifest *manifest, int force, km_err *err);
/* KM_ERR_FORMAT names the key that is missing or wrong. km_manifest_free frees what read made. */
km_status km_manifest_read(km_manifest **manifest, const char *path, km_err *err);
void km_manifest_free(km_manifest *manifest);

/* XXH3-128 and size of a file's bytes. */
km_status km_file_digest(const char *path, char digest[33], uint64_t *n_bytes, km_err *err);

#endif
