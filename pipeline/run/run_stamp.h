/* run_stamp.h: what a stage of a run has done, so that a later kifu-run need not do it again.
 *
 * RUN/.kifu-run/STAGE.json holds the digest of what the stage depends on (its options and what it read), the sizes of
 * its outputs, and its outcome for the closing table. A stage is done when the digest is the same and every output is
 * there with its size. These files hold seconds, so they are the only ones of a run that differ between two runs. */
#ifndef KIFUMILL_RUN_STAMP_H
#define KIFUMILL_RUN_STAMP_H

#include "stage.h"

#include "kifumill/hash.h"

typedef struct km_run_stamp {
  km_hash128 depends; /* digest of the options and inputs */
  double seconds;
  km_stage_outcome outcome;
} km_run_stamp;

/* Reads the stamp at path. 1: it is there, its outputs are complete, *stamp is filled; 0: not. */
int km_run_stamp_read(const char *path, const char *folder, km_run_stamp *stamp);
/* Notes outputs (relative to folder; a folder stands for all files in it) and writes the stamp. */
km_status km_run_stamp_write(const char *path, const char *folder, const char *const *outputs, size_t n_outputs,
                             const km_run_stamp *stamp, km_err *err);
/* Bytes of a file, or of all files below a folder; 0 when it is not there. */
uint64_t km_run_size(const char *path);

#endif
