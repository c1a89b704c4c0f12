/* row_matches.c: a bit a byte, 64 at a time: equal to the one a row before, or not. Stretches that are too
 * short are wiped out by bit operations, so that what is left to walk are the ends of matches.
 *
 * Of the bits `equal`, those with enough equal ones behind them begin what is kept: long = equal & equal >> 1
 * & equal >> 2; and long | long << 1 | long << 2 is all of it. A bit that differs from the one before it is
 * an end. Both look a little over the border of a word. */
#include "row_matches.h"

#include "byte_masks.h"

enum { WORD = KM_MASK_BYTES };
_Static_assert(KM_ROW_MATCH_LEAST == 3, "what is shifted by 1 and by 2");

/* The equal bytes of the 64 at `at`; those beyond the end differ. */
static uint64_t equal_at(const uint8_t *rows, size_t at, size_t n_bytes, size_t row_bytes) {
  uint64_t equal = 0;
  if (at + WORD <= n_bytes)
    return km_equal_bytes(rows + at, rows + at - row_bytes);
  for (size_t i = at; i < n_bytes; i++)
    equal |= (uint64_t)(rows[i] == rows[i - row_bytes]) << (i - at);
  return equal;
}

size_t km_row_matches(km_match *matches, const void *bytes, size_t n_bytes, size_t row_bytes) {
  const uint8_t *rows = bytes;
  size_t n_ends = 0, spoken_for = 0, begin = 0;
  uint64_t long_before = 0, kept_before = 0, next = 0;
  if (row_bytes < n_bytes)
    next = equal_at(rows, row_bytes, n_bytes, row_bytes);
  for (size_t at = row_bytes; at < n_bytes || kept_before; at += WORD) {
    uint64_t equal = next;
    next = equal_at(rows, at + WORD, n_bytes, row_bytes);
    uint64_t begins = equal & (equal >> 1 | next << 63) & (equal >> 2 | next << 62);
    uint64_t kept = begins | begins << 1 | begins << 2 | long_before >> 63 | long_before >> 62;
    uint64_t ends = kept ^ (kept << 1 | kept_before);
    for (; ends; ends &= ends - 1, n_ends++) { /* begin, end, begin, … */
      size_t end = at + (size_t)__builtin_ctzll(ends);
      matches[n_ends / 2] =
          (km_match){(uint32_t)row_bytes, (uint32_t)(begin - spoken_for), (uint32_t)(end - begin), 0};
      spoken_for = n_ends % 2 ? end : spoken_for;
      begin = end;
    }
    long_before = begins;
    kept_before = kept >> 63;
  }
  return n_ends / 2;
}
