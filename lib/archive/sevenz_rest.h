/* sevenz_rest.h: the rest of a 7z behind a fault: libarchive gives a whole 7z up, and up to 64 KiB before the
 * fault. */
#ifndef KM_SEVENZ_REST_H
#define KM_SEVENZ_REST_H

#include "format_reader.h"

typedef struct km_sevenz_rest km_sevenz_rest;
/* The files from number first on of the 7z in memory. KM_OK, KM_ERR_NOMEM, or KM_SKIP: its header cannot be
 * read here. The bytes stay the caller's. */
km_status km_sevenz_rest_open(km_sevenz_rest **rest, const uint8_t *bytes, size_t n_bytes, uint64_t first);
/* The next file that has data: its number, name and bytes, or why it has none, which is a fault of kind
 * corrupt or unsupported. Of one block of files no more is decoded than one entry may have. KM_OK, KM_END,
 * KM_ERR_NOMEM. */
km_status km_sevenz_rest_next(km_sevenz_rest *rest, km_item *item, const km_archive_limits *limits);
void km_sevenz_rest_close(km_sevenz_rest *rest);

#endif
