/* format_reader.h: containers read by libarchive, and the filters only it has. archive.h stays behind this
 * file. */
#ifndef KM_FORMAT_READER_H
#define KM_FORMAT_READER_H

#include "byte_stream.h"

/* What a container gives: an entry's bytes, a fault, or both. All borrowed until the next call on the
 * container. */
typedef struct km_item {
  const char *name; /* raw bytes */
  size_t n_name;
  uint64_t number;      /* of the entry in the container, skipped ones counted */
  uint64_t pos;         /* in the input, where that is known */
  const uint8_t *bytes; /* NULL: only a fault */
  size_t n_bytes;
  bool skip; /* within a container reader only: nobody wants it */
  km_reason reason;
  char detail[KM_DETAIL_BYTES];
} km_item;
void km_item_fault(km_item *item, km_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

typedef struct km_format_reader km_format_reader;
/* Reads the container that stream holds; the stream stays the caller's and must be at its first block. NULL
 * when memory is out. */
km_format_reader *km_format_open(km_magic magic, km_stream *stream, km_budget *budget);
/* KM_OK with an item, KM_END, KM_ERR_NOMEM. Bytes are complete: an entry with a wrong sum or a cut end is a
 * fault. */
km_status km_format_next(km_format_reader *reader, km_item *item);
/* Bytes of the stream that the container took so far. */
uint64_t km_format_position(const km_format_reader *reader);
/* Headers met so far, and whether the container came to its own end. */
uint64_t km_format_count(const km_format_reader *reader);
bool km_format_at_end(const km_format_reader *reader);
/* A tar that is over without its mark of the end: it was cut between two entries. */
bool km_format_lacks_end(const km_format_reader *reader);
void km_format_close(km_format_reader *reader);

/* lz4, uuencode, rpm over below, by libarchive. NULL when memory is out. */
km_stream *km_stream_foreign(km_magic magic, km_stream *below, km_budget *budget);

/* The one entry of a zip with a method other than deflate: header is a local header made for it, data its
 * n_data bytes. Fills bytes or reason. */
typedef struct km_zip_member {
  const uint8_t *header, *data;
  size_t n_header, n_data;
} km_zip_member;
km_status km_format_zip_member(km_item *item, const km_zip_member *member, km_budget *budget,
                               km_buffer *buffer);

#endif
