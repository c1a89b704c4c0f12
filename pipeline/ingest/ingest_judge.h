/* ingest_judge.h: the checks that decide whether and how far a parsed record is kept: filters, end of the game,
 * legality by replay; and its hashes. */
#ifndef KIFUMILL_INGEST_JUDGE_H
#define KIFUMILL_INGEST_JUDGE_H

#include "ingest_batch.h"

/* A worker's private state. */
typedef struct km_judge km_judge;
km_judge *km_judge_new(const km_ingest_options *options, const km_filter *filter);
void km_judge_free(km_judge *judge);

/* Parses an entry's bytes into records and judges them. Memory comes from arena; only memory can fail. */
km_status km_judge_entry(km_judge *judge, km_ingest_entry *entry, km_arena *arena, km_err *err);
/* Judges one parsed record: cuts its moves where they end, fills refused, added and hash. */
km_status km_judge_record(km_judge *judge, km_ingest_record *record, km_arena *arena, km_err *err);

#endif
