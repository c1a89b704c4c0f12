/* text_table.h: numbers for strings: equal ones get the same, so that a text is stored once.
 *
 * Exact for the first 786,432 distinct strings (25 MB); strings that come new after those are numbered each
 * time they come. The strings themselves go to two spools: their bytes, and where each begins. Number 0 is
 * kept for "no text". */
#ifndef KM_TEXT_TABLE_H
#define KM_TEXT_TABLE_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

typedef struct km_text_table km_text_table;
km_status km_text_table_new(km_text_table **table, const char *output, km_err *err);
void km_text_table_free(km_text_table *table); /* NULL is allowed */
/* remember 0: known to come once only; it gets a number of its own. KM_ERR_LIMIT: 2^32 strings. */
km_status km_text_table_number(km_text_table *table, const char *bytes, size_t n_bytes, int remember,
                               uint32_t *number, km_err *err);
/* After the last string: counts, and the content from the start. */
km_status km_text_table_rewind(km_text_table *table, km_err *err);
uint64_t km_text_table_n_strings(const km_text_table *table); /* with number 0 */
uint64_t km_text_table_n_bytes(const km_text_table *table);
km_status km_text_table_take_start(km_text_table *table, uint64_t *start, km_err *err);
km_status km_text_table_take_bytes(km_text_table *table, void *bytes, size_t n_bytes, km_err *err);

#endif
