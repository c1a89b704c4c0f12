/* plain_tar.h: the entries of a tar as nearly all tars have them, without libarchive: files and folders with plain
 * ASCII names in ustar or GNU headers.
 *
 * Anything else (a long or foreign name, links, sparse files, pax headers, a damaged header, a cut entry, the end)
 * makes it leave: it gives back what it took of the entry it stands at, so that libarchive can go on from there. */
#ifndef KM_PLAIN_TAR_H
#define KM_PLAIN_TAR_H

#include "byte_stream.h"

enum { KM_TAR_BLOCK = 512, KM_TAR_NAME_MAX = 256 };

typedef struct km_plain_tar {
  km_stream *stream;
  const uint8_t *at; /* in the stream's block */
  size_t n_left;
  uint64_t position;  /* of at, in the stream */
  bool ends_in_zeros; /* the last KM_TAR_BLOCK bytes of the block before the present one, or of the last one */
  uint8_t header[KM_TAR_BLOCK];
  size_t n_header; /* of it in use: bytes that do not stand before `at` */
  km_buffer data;  /* an entry in more than one block, with its padding */
  size_t n_data;   /* of it in use */
  char name[KM_TAR_NAME_MAX + 1];
} km_plain_tar;

typedef struct km_plain_entry {
  const char *name;
  size_t n_name;
  uint64_t pos; /* of the header, in the stream */
  bool is_folder;
  const uint8_t *bytes; /* borrowed until the next call */
  size_t n_bytes;
} km_plain_entry;

/* The stream is at its first block; it stays the caller's. */
void km_plain_tar_begin(km_plain_tar *tar, km_stream *stream);
/* KM_OK with an entry of at most max_bytes, KM_SKIP to leave, KM_ERR_NOMEM. After KM_SKIP the tar goes on with header,
 * data, and `at`, in this order, and position is where they begin. */
km_status km_plain_tar_next(km_plain_tar *tar, uint64_t max_bytes, km_plain_entry *entry);
void km_plain_tar_clear(km_plain_tar *tar);

/* Writes a header that any reader of tars takes for an empty file. */
void km_plain_tar_opening(uint8_t header[KM_TAR_BLOCK]);

#endif
