/* archive_reader.h: the entries of archives, folders and files, one after the other, in bounded memory.
 *
 * Containers: zip, 7z, tar, rar (4 and 5), iso, cpio, ar, cab, lha, xar, warc, self-extracting zip, 7z, rar, cab; a
 * file that is none of them is given as one entry without a name. Filters: gzip, zstd, xz, lzip, lzma, bzip2, lz4,
 * compress (.Z), uuencode, rpm, also in one another. All are told by content, never by name. Left out on purpose:
 * mtree (a list, not a container; plain texts are taken for one) and lrzip, lzop, grzip (libarchive starts outside
 * programs for them: unsupported_archive). Archives in archives are read to a bounded depth.
 *
 * Faults are findings with a reason (truncated_archive, crc_error, …) and a byte (of the file for filters, of the header
 * in the unpacked container for entries), never silent; every entry that is whole before a fault is given, and in zip, tar
 * and 7z those behind it. Policy of sums: an entry whose own check sum is wrong is not used; when only the sum of a whole
 * stream (gzip's trailer) is wrong, its entries are used and the archive is flagged.
 *
 * Large files are mapped. One that is cut while it is read ends in a finding: the first mapping installs a handler of
 * SIGBUS for that, unless the program has one.
 *
 * Not told and not given: folders, links, devices, and what systems leave behind (._x, __MACOSX/, .DS_Store,
 * Thumbs.db, desktop.ini). archive.h stays behind this file. */
#ifndef KIFUMILL_ARCHIVE_READER_H
#define KIFUMILL_ARCHIVE_READER_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/hash.h"
#include "kifumill/reason.h"

typedef struct km_archive_limits {
  uint64_t max_entry_bytes;   /* one entry, expanded; default 1 GiB: no honest collection is larger */
  uint64_t max_archive_bytes; /* all entries of one input, expanded; default 1 TiB */
  uint64_t max_entries;       /* default 100,000,000 */
  double max_ratio;           /* expanded / compressed: of one input and of one filter beyond the first 64 MiB, and of one
                                 entry of a zip beyond the first 1 MiB; default 1000 */
  unsigned max_depth;         /* archives in archives; default 3, at most 16; compressions in one another: 8 */
} km_archive_limits;
void km_archive_limits_default(km_archive_limits *limits);

/* The list of inputs of a run: PATHs (files, pipes, folders), "-" (standard input), and "@LIST" (a file with one PATH
 * or "-" a line, "@-" the list from standard input; relative to the current folder).
 *
 * Folders are walked in byte order of their names; a folder's files stand as inputs of their own, under the folder's
 * name as given. Hidden files are left out; links are followed, each folder is walked once. What cannot be read
 * becomes an input that gives a finding, a folder without files too; a PATH that is not there is an error here.
 *
 * The parts of a split archive (x.7z.001, x.part1.rar, x.r00, x.z01, x.tar.gz.aa, x.tgz.00) are one input under the name of the first part
 * (of the .zip for x.z01). One large zip is split into ranges of entries, streams of their own with one name, so that
 * they can be read in parallel: how depends on the file alone, and the order of streams is that of the entries. */
typedef struct km_inputs km_inputs;
/* limits NULL: the defaults. Reads nothing but folders, lists, and the ends of large zips. KM_ERR_IO names the path that
 * is not there. */
km_status km_inputs_open(km_inputs **inputs, const char *const *paths, size_t n_paths, const km_archive_limits *limits,
                         km_err *err);
size_t km_inputs_count(const km_inputs *inputs);                    /* streams that can be read in parallel */
const char *km_inputs_name(const km_inputs *inputs, size_t i);      /* source name, as it stands in the ledger */
/* The same without the way to it: the last name of what was given; within a folder given, the path from there, and
 * km_inputs_folder is that folder's last name (NULL for what was given itself). Outputs use these, so that they do not
 * depend on where the inputs lie. */
const char *km_inputs_label(const km_inputs *inputs, size_t i);
const char *km_inputs_folder(const km_inputs *inputs, size_t i);
uint64_t km_inputs_bytes(const km_inputs *inputs, size_t i);        /* compressed size, 0 unknown (progress) */
/* Adds what the inputs are now, as far as that is known without reading them: every file (of folders, lists and split
 * archives each one) by path, size and time of change. KM_SKIP: some come from a pipe, which nothing is known of. */
km_status km_inputs_identify(const km_inputs *inputs, km_digest *digest);
void km_inputs_free(km_inputs *inputs);

typedef struct km_entry {
  const char *source; /* input name, borrowed from km_inputs */
  const char *name;   /* entry path, valid UTF-8 (other bytes as \xNN); nested: "inner.zip//a.sgf"; "" for a bare file */
  uint64_t index;     /* 0-based number of the entry in the input: tells equal names apart. In an archive within it: that
                         archive's number, plus the entry's 1-based number among all within it, times 2^40 */
  const uint8_t *bytes; /* borrowed until the next call; NULL when only findings are delivered */
  size_t n_bytes;
  const km_finding *findings; /* of kind input; borrowed until the next call */
  size_t n_findings;
} km_entry;

typedef struct km_archive_reader km_archive_reader;
/* Opens stream i of inputs, which must outlive the reader; an input that cannot be read still opens. Different streams may be read in different threads. */
km_status km_archive_open(km_archive_reader **reader, const km_inputs *inputs, size_t i, km_err *err);
/* KM_OK with an entry (findings with bytes NULL tell of a fault in the input or a skipped entry), KM_END. A fault of
 * the input never makes this fail; only memory does. */
km_status km_archive_next(km_archive_reader *reader, km_entry *entry, km_err *err);
uint64_t km_archive_bytes_read(const km_archive_reader *reader); /* compressed bytes so far (progress) */
void km_archive_close(km_archive_reader *reader);
/* Readers leave memory behind for those to come; this frees it, where none are to come for now. km_inputs_free does too. */
void km_archive_forget(void);

#endif
