/* zip_reader.h: the entries of a zip in memory, by its directory, or by its local headers where that is lost.
 */
#ifndef KM_ZIP_READER_H
#define KM_ZIP_READER_H

#include "format_reader.h"

/* A zip in memory, or in parts (.z01, .z02, …, .zip) that stand one behind the other. */
typedef struct km_zip_source {
  const uint8_t *bytes;
  size_t n_bytes;
  const uint64_t *part_start; /* position of every part; NULL: one */
  unsigned n_parts;
  uint64_t first, last; /* entries [first, last) of the directory; last 0: all */
} km_zip_source;

enum { KM_ZIP_TAIL = 1024 * 1024 }; /* bytes at the end in which the end record is looked for */

/* The numbers of a zip's directory, from the last n_tail bytes of n_bytes. False when there is no directory.
 */
typedef struct km_zip_end {
  uint64_t n_entries, directory_bytes, directory_at; /* directory_at as stated */
  uint64_t base;                 /* bytes before the zip (a program, …): add to every offset */
  uint64_t end_at;               /* position behind the archive */
  unsigned disk, directory_disk; /* number of the last part, and of that where the directory starts */
  bool is_64, found;
} km_zip_end;
void km_zip_find_end(km_zip_end *end, const uint8_t *tail, size_t n_tail, uint64_t n_bytes);

typedef struct km_zip_reader km_zip_reader;
/* NULL when memory is out. */
km_zip_reader *km_zip_open(const km_zip_source *source, km_budget *budget);
/* KM_OK with an item, KM_END, KM_ERR_NOMEM. */
km_status km_zip_next(km_zip_reader *reader, km_item *item);
uint64_t km_zip_taken(const km_zip_reader *reader); /* bytes of the input used so far, about */
void km_zip_close(km_zip_reader *reader);

#endif
