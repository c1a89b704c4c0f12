/* archive_probe.h: reads inputs to their end and keeps what was given, for the tests of the archive reader;
 * and makes files for them in a folder of their own. */
#ifndef KM_ARCHIVE_PROBE_H
#define KM_ARCHIVE_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kifumill/archive_reader.h"

typedef struct probe_entry {
  char *source, *name, *detail;
  uint64_t index, pos; /* pos: of the finding */
  uint8_t *bytes; /* NULL: a finding only */
  size_t n_bytes;
  km_reason reason;
} probe_entry;

typedef struct probe {
  probe_entry *entries;
  size_t n, n_games, n_findings; /* n_games: entries with bytes that hold "(;" */
  size_t n_given;                /* entries with bytes */
  size_t n_streams;
} probe;

/* Fails the test when the paths cannot be opened; checks on the way what holds for every entry. */
void probe_read(probe *p, const char *const *paths, size_t n_paths, const km_archive_limits *limits);
void probe_file(probe *p, const char *path, const km_archive_limits *limits);
void probe_clear(probe *p);
size_t probe_count(const probe *p, km_reason reason);
/* The first entry with that name, NULL. */
const probe_entry *probe_find(const probe *p, const char *name);

/* A folder for one program's files, removed at its end. */
const char *probe_folder(void);
void probe_remove_folder(void);
/* folder/name; the text is kept until the end of the program (a few hundred of them). */
const char *probe_path(const char *format, ...) __attribute__((format(printf, 1, 2)));
void probe_write(const char *path, const void *bytes, size_t n_bytes);
uint8_t *probe_load(const char *path, size_t *n_bytes); /* malloc'ed */

/* Entries for made archives: numbered games with text of given length, the same bytes for the same number. */
typedef struct made_entry {
  char name[64];
  uint8_t *bytes;
  size_t n_bytes;
} made_entry;
typedef struct made_set {
  made_entry *entries;
  size_t n;
} made_set;
/* n entries of 100 to max_bytes bytes. */
made_set made_games(size_t n, size_t max_bytes, uint64_t seed);
void made_clear(made_set *set);
typedef struct made_how {
  int format, filter;  /* ARCHIVE_FORMAT_…, ARCHIVE_FILTER_… of libarchive */
  const char *options; /* "module:key=value,…" or NULL */
  const char *passphrase;
} made_how;
/* Writes the set with libarchive; false when this libarchive cannot. */
bool made_write(const char *path, const made_set *set, const made_how *how);

#endif
