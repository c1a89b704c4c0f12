/* plane_matches.h: where rows of packed planes repeat, known beforehand instead of searched for.
 *
 * A row holds the same planes at step after step of the game, so that a byte nearly always equals the one
 * `period` bytes before it; where it does not a stone was played or captured. What is left are the first
 * planes and constant ones, in which runs of equal bytes are long. Comparing a row with itself finds all of
 * that at 16 bytes a step, in a third of the time in which a general compressor looks for it. */
#ifndef KM_PLANE_MATCHES_H
#define KM_PLANE_MATCHES_H

#include <stddef.h>
#include <stdint.h>

/* So many bytes that are what they are, then length bytes that equal those offset bytes before them; the last
 * one of a chunk has only the former. Laid out as zstd's ZSTD_Sequence. */
typedef struct km_match {
  uint32_t offset, n_literals, length, unused;
} km_match;

enum { KM_MATCH_LEAST = 4, KM_PLANE_ROW_MAX = 4096 };

/* The matches of n_rows rows of row_bytes (period < row_bytes ≤ KM_PLANE_ROW_MAX), of KM_MATCH_LEAST bytes or
 * more, in order. Returns how many there are, or 0 if there is no room for them: then these are no rows of
 * that kind. */
size_t km_plane_matches(km_match *matches, size_t room, const uint8_t *rows, size_t n_rows, size_t row_bytes,
                        size_t period);

#endif
