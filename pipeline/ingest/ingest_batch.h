/* ingest_batch.h: what goes from the reader through a worker to the writer: entries of archives and their records.
 *
 * A batch is about a megabyte of entries, copied out of the reader into the batch's arena. A worker parses them and
 * judges every record (ingest_judge.h); everything it makes lives in the same arena until the writer is done. An entry
 * larger than KM_ENTRY_LARGE (a collection of many games in one file) is parsed piecemeal by the reader instead, so
 * that memory does not grow with it. */
#ifndef KIFUMILL_INGEST_BATCH_H
#define KIFUMILL_INGEST_BATCH_H

#include "ingest_stage.h"

#include "kifumill/arena.h"
#include "kifumill/move_hash.h"
#include "kifumill/sgf.h"

enum {
  KM_BATCH_BYTES = 1 << 18,
  KM_BATCH_ENTRIES = 4096,
  KM_BATCH_RECORDS = 4096, /* of a large entry */
  KM_ENTRY_LARGE = 1 << 20, /* a game of 14 bytes becomes a record of 700 */
  KM_JUDGEMENTS = 4, /* findings that the judge can add to a record */
};

/* A record with what was judged of it. */
typedef struct km_ingest_record {
  km_sgf_record sgf;
  km_reason refused;        /* why it is not kept; KM_REASON_NONE */
  km_finding added[KM_JUDGEMENTS];
  unsigned n_added;
  km_game_hash hash;
  uint64_t content; /* hash of the record's bytes */
  int is_judged;
} km_ingest_record;

/* An entry, or a piece of a large one. */
typedef struct km_ingest_entry {
  const char *source, *name;
  uint64_t index;         /* number in the archive */
  const uint8_t *bytes;   /* NULL: only findings, or parsed already */
  size_t n_bytes;
  km_hash128 hash;        /* of all its bytes */
  int is_whole;           /* counts as an entry (not a later piece of a large one) */
  const km_finding *findings; /* of the archive */
  size_t n_findings;
  const km_finding *text_findings; /* of the parser, about the entry as a whole */
  size_t n_text_findings;
  km_ingest_record *records;
  size_t n_records;
} km_ingest_entry;

typedef struct km_ingest_batch {
  km_arena arena;
  km_arena parser_arena; /* of a large entry that ends in this batch: earlier pieces use it until this one is written */
  km_ingest_entry *entries;
  size_t n_entries, n_bytes;
  double share; /* of the stream's compressed bytes read so far */
  size_t stream;
} km_ingest_batch;

/* Records are kept in an array that doubles in the arena. */
km_ingest_record *km_ingest_add_record(km_ingest_entry *entry, km_arena *arena);

#endif
