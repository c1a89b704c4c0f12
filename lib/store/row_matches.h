/* row_matches.h: where rows of numbers repeat the row before, known beforehand instead of searched for.
 *
 * A series that stands still for a while, or changes in a few of its bytes, is a row of bytes most of which
 * equal those a row before. Comparing it with itself finds all of that at 64 bytes a step. */
#ifndef KM_ROW_MATCHES_H
#define KM_ROW_MATCHES_H

#include "plane_matches.h"

enum { KM_ROW_MATCH_LEAST = 3 };

/* The stretches of KM_ROW_MATCH_LEAST bytes or more that equal those row_bytes before them, as long as they
 * go, in order; what is behind the last are literals. matches has room for KM_ROW_MATCHES_MAX(n_bytes).
 * Returns how many there are; n_bytes < 2^32. */
#define KM_ROW_MATCHES_MAX(n_bytes) ((n_bytes) / (KM_ROW_MATCH_LEAST + 1) + 1)
size_t km_row_matches(km_match *matches, const void *rows, size_t n_bytes, size_t row_bytes);

#endif
