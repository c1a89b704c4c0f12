/* archive_reader.h: the entries of archives, folders and files, one after the other, in bounded memory.
 *
 * Every container and filter that libarchive knows; nested archives to a bounded depth. Faults are findings with a
 * reason (truncated_archive, crc_error, …), never silent; what was whole before a fault is delivered.
 * archive.h stays behind this file. */
#ifndef KIFUMILL_ARCHIVE_READER_H
#define KIFUMILL_ARCHIVE_READER_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/reason.h"

typedef struct km_archive_limits {
  uint64_t max_entry_bytes;   /* one entry, expanded; default 1 GiB: no honest collection is larger */
  uint64_t max_archive_bytes; /* all entries of one input, expanded; default 1 TiB */
  uint64_t max_entries;       /* default 100,000,000 */
  double max_ratio;           /* expanded / compressed of one input beyond the first 64 MiB; default 1000 */
  unsigned max_depth;         /* archives in archives; default 3 */
} km_archive_limits;
void km_archive_limits_default(km_archive_limits *limits);

/* The list of inputs of a run: PATHs (files, folders walked in byte order of their names), "-" (standard input), and
 * "@LIST" (a file of such lines). A folder's files stand as inputs of their own. Splits one large zip into several
 * ranges of entries, so that they can be read in parallel; the order of entries stays that of the archive. */
typedef struct km_inputs km_inputs;
km_status km_inputs_open(km_inputs **inputs, const char *const *paths, size_t n_paths, const km_archive_limits *limits,
                         km_err *err);
size_t km_inputs_count(const km_inputs *inputs);                    /* streams that can be read in parallel */
const char *km_inputs_name(const km_inputs *inputs, size_t i);      /* source name, as it stands in the ledger */
uint64_t km_inputs_bytes(const km_inputs *inputs, size_t i);        /* compressed size, 0 unknown (progress) */
void km_inputs_free(km_inputs *inputs);

typedef struct km_entry {
  const char *source; /* input name, borrowed from km_inputs */
  const char *name;   /* entry path, valid UTF-8 (other bytes as \xNN); nested: "inner.zip//a.sgf"; "" for a bare file */
  uint64_t index;     /* 0-based number of the entry in the input: tells equal names apart */
  const uint8_t *bytes; /* borrowed until the next call; NULL when only findings are delivered */
  size_t n_bytes;
  const km_finding *findings; /* of kind input; borrowed until the next call */
  size_t n_findings;
} km_entry;

typedef struct km_archive_reader km_archive_reader;
/* Opens stream i. Different streams may be read in different threads. */
km_status km_archive_open(km_archive_reader **reader, const km_inputs *inputs, size_t i, km_err *err);
/* KM_OK with an entry (findings with bytes NULL tell of a fault in the input or a skipped entry), KM_END. A fault of
 * the input never makes this fail; only memory does. */
km_status km_archive_next(km_archive_reader *reader, km_entry *entry, km_err *err);
uint64_t km_archive_bytes_read(const km_archive_reader *reader); /* compressed bytes so far (progress) */
void km_archive_close(km_archive_reader *reader);

#endif
