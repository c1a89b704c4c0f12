/* archive_level.h: one archive, nested or not: its filters peeled, its container read, its faults told. */
#ifndef KM_ARCHIVE_LEVEL_H
#define KM_ARCHIVE_LEVEL_H

#include "format_reader.h"
#include "zip_reader.h"

typedef struct km_level km_level;

typedef struct km_level_options {
  km_budget *budget;
  km_zip_source zip;  /* parts and range of a zip; bytes are not used */
  bool named_archive; /* the name says that it is an archive: how an empty one is told */
} km_level_options;

/* Takes the stream also when it fails; NULL when memory is out. */
km_level *km_level_open(km_stream *stream, const km_level_options *options);
/* KM_OK with an item, KM_END, KM_ERR_NOMEM. An item with bytes and no name is a bare file. */
km_status km_level_next(km_level *level, km_item *item);
/* Whether what it gives are entries of a container, not a bare file. */
bool km_level_is_container(const km_level *level);
/* Bytes of the input used so far, about. */
uint64_t km_level_taken(const km_level *level);
void km_level_close(km_level *level);

#endif
