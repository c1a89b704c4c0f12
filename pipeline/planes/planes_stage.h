/* planes_stage.h: games.h5 → shards of training rows, manifest.json, and a virtual file a split. */
#ifndef KIFUMILL_PLANES_STAGE_H
#define KIFUMILL_PLANES_STAGE_H

#include "stage.h"

/* As the command line and configs give them; planes_settings.h reads the texts. */
typedef struct km_planes_options {
  km_run_options run;
  const char *board, *layout, *layout_options;
  int symmetries; /* km_row_symmetries */
  int pack;       /* km_packing */
  const char *codec, *split, *sample, *ply, *players;
  int skip_handicap_moves, last, final_value, unknown_result;
  int move_features, evals, shuffle;
  int rows_per_shard, chunk_rows;
  uint64_t memory;
  const char *part;
} km_planes_options;

extern const km_stage km_planes_stage;

/* The folder options->run.output holds the shards and, when all are there, manifest.json. A folder without a
 * manifest is an unfinished run: its whole shards are kept if they are of the same settings and input. */
km_status km_planes_run(const km_planes_options *options, km_stage_outcome *outcome, km_err *err);

#endif
