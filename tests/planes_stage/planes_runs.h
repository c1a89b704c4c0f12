/* planes_runs.h: runs of kifu-planes within the process, and its shards read back row by row. */
#ifndef PLANES_RUNS_H
#define PLANES_RUNS_H

#include "made_games.h"
#include "planes_stage.h"

#include "kifumill/features.h"
#include "kifumill/hash.h"

/* Defaults that make small shards of small chunks from the games at path, into folder, without messages. */
km_planes_options test_options(const char *games, const char *folder);
/* Runs them as the program would. */
km_status run_planes(km_planes_options *options);

/* A digest of names and bytes of all files in the folder. */
km_hash128 folder_digest(const char *folder);
void remove_folder(const char *folder);

/* All rows of the shards that a manifest lists, in order of split, shard and row. */
typedef struct read_row {
  unsigned split;
  uint32_t shard;
  int16_t policy;
  int8_t value;
  float score, komi, black_win;
  uint8_t to_play, symmetry;
  uint32_t game;
  uint16_t ply;
  int32_t features[KM_MOVE_FEATURES];
  const uint8_t *planes;
} read_row;
typedef struct read_rows {
  read_row *rows;
  size_t n, n_row_bytes;
  uint8_t *planes;
} read_rows;
void read_folder(read_rows *rows, const char *folder, const km_planes_options *options);
void read_rows_free(read_rows *rows);
/* The value of a count in the manifest of a folder. */
uint64_t manifest_count(const char *folder, const char *key);

#endif
