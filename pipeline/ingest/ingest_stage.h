/* ingest_stage.h: archives → games.h5, games.ledger.tsv, games.summary.json. */
#ifndef KIFUMILL_INGEST_STAGE_H
#define KIFUMILL_INGEST_STAGE_H

#include "stage.h"

#include "ingest_filter.h"
#include "kifumill/archive_reader.h"

typedef enum km_dedup_mode { KM_DEDUP_OFF = 0, KM_DEDUP_MOVES, KM_DEDUP_SYMMETRIC } km_dedup_mode;
typedef enum km_suicide_mode { KM_SUICIDE_BY_RECORD = 0, KM_SUICIDE_FORBID, KM_SUICIDE_ALLOW } km_suicide_mode;
typedef enum km_illegal_mode { KM_ILLEGAL_TRUNCATE = 0, KM_ILLEGAL_DROP } km_illegal_mode;
typedef enum km_check_mode { KM_CHECK_REPLAY = 0, KM_CHECK_NONE } km_check_mode;
typedef enum km_after_end_mode { KM_AFTER_END_CUT = 0, KM_AFTER_END_KEEP } km_after_end_mode;

typedef struct km_ingest_options {
  km_run_options run;
  km_filter_texts filters;
  int result; /* km_filter_result */
  int min_moves, max_moves;
  int rules; /* km_replay_rules */
  int suicide, illegal, check, after_end, dedup;
  const char *encoding;
  int dry_run;
  uint64_t max_entry_bytes, max_archive_bytes;
  double max_ratio;
  int max_depth;
} km_ingest_options;

extern const km_stage km_ingest_stage;

/* Fails only where the run cannot go on; what is wrong with the input is in the ledger. */
km_status km_ingest_run(const km_ingest_options *options, km_stage_outcome *outcome, km_err *err);

#endif
