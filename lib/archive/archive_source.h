/* archive_source.h: the bytes of one input, in memory where that can be, else from a descriptor. */
#ifndef KM_ARCHIVE_SOURCE_H
#define KM_ARCHIVE_SOURCE_H

#include "archive_inputs.h"
#include "byte_stream.h"
#include "mapped_input.h"

typedef struct km_source {
  const uint8_t *bytes; /* the whole input; NULL when it comes from fd */
  size_t n_bytes;
  int fd;               /* -1: in memory, or not readable */
  uint64_t *part_start; /* of a split archive: where every part starts in bytes; else NULL */
  unsigned n_parts;
  bool in_set;     /* of a split archive: a cut end is a part that is missing */
  char missing[KM_DETAIL_BYTES]; /* the part that is not there; what stands before it is here */
  km_reason fault; /* why there is nothing */
  char detail[KM_DETAIL_BYTES];
  km_mapped map;
  uint64_t n_dropped; /* of them given back */
  km_buffer buffer;
  bool owns_fd;
} km_source;

/* Faults of the input are in source->fault; only memory makes it fail. */
km_status km_source_open(km_source *source, const km_input *input, const km_archive_limits *limits);
/* The first n_taken bytes have been read: the memory of a mapped file is given back. They may be read again. */
void km_source_drop(km_source *source, uint64_t n_taken);
void km_source_close(km_source *source);

#endif
