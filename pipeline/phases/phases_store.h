/* phases_store.h: phases.h5 and phases.csv. */
#ifndef KIFUMILL_PHASES_STORE_H
#define KIFUMILL_PHASES_STORE_H

#include "phase_work.h"

#include "kifumill/outfile.h"
#include "kifumill/table.h"

#define KM_PHASES_FORMAT "kifumill phases"

typedef struct km_phases_writer km_phases_writer;
typedef struct km_phases_target {
  const char *path, *csv_path;
  const km_store_origin *origin;
  uint64_t n_games, n_positions; /* bounds of the rows */
  int force;
} km_phases_target;
km_status km_phases_writer_open(km_phases_writer **writer, const km_phases_target *target, km_err *err);
/* The next games, in order. games gives their names, NULL: empty ones. */
km_status km_phases_writer_add(km_phases_writer *writer, const km_phase_game *results, size_t n,
                               const km_games *games, km_err *err);
km_h5 *km_phases_writer_file(km_phases_writer *writer);
km_status km_phases_writer_finish(km_phases_writer *writer, km_err *err); /* frees writer always */
void km_phases_writer_abandon(km_phases_writer *writer);

#endif
