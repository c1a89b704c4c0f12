/* table_internal.h: what writing and reading tables share: blocks seen from inside, and names. */
#ifndef KM_TABLE_INTERNAL_H
#define KM_TABLE_INTERNAL_H

#include "kifumill/table.h"

enum { KM_TABLE_NAME_BYTES = 160, KM_CHUNK_BYTES_MAX = 1 << 20 };

/* "GROUP/NAME" and "GROUP/checksums/NAME". */
void km_table_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column);
void km_table_sums_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column);

/* Rows of a chunk of a column. */
size_t km_table_chunk_rows(const km_table_schema *schema, size_t column);

/* The check sum of a compressed chunk: the low half of its XXH3-128. */
uint64_t km_chunk_sum(const void *packed, size_t n_bytes);

#endif
