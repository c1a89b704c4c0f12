/* plane_matches.c: a bit a byte, 64 at a time: equal to the one before, or not. */
#include "plane_matches.h"

#include "byte_masks.h"

#include <string.h>

enum {
  WORD = KM_MASK_BYTES,
  RUN_LEAST = 6, /* equal bytes that are worth a match with the byte before them */
};

typedef struct found {
  km_match *matches;
  size_t n, room;
  size_t spoken_for;  /* bytes of the chunk that literals and matches so far come to */
  const uint8_t *row; /* being looked at, */
  size_t row_at;      /* which begins there in the chunk */
} found;

static void add(found *f, const uint8_t *from, size_t offset, size_t length) {
  size_t at = f->row_at + (size_t)(from - f->row);
  if (f->n < f->room)
    f->matches[f->n] = (km_match){(uint32_t)offset, (uint32_t)(at - f->spoken_for), (uint32_t)length, 0};
  f->n++;
  f->spoken_for = at + length;
}

/* The low n bits, n ≤ 64. */
static inline uint64_t low_bits(size_t n) {
  return n < WORD ? ((uint64_t)1 << n) - 1 : UINT64_MAX;
}

/* Runs of one byte in [from, to): all of a run but its first byte is a match. */
static void add_runs(found *f, const uint8_t *from, const uint8_t *to) {
  for (const uint8_t *at = from + 1; to - at >= RUN_LEAST; at += WORD) {
    uint64_t equal =
        km_equal_bytes(at, at - 1) & low_bits((size_t)(to - at)); /* bit i: at[i] goes on with a run */
    uint64_t start = equal & equal >> 1;
    start &= start >> 2;
    start &= start >> 2; /* six of them */
    while (start) {
      unsigned first = (unsigned)__builtin_ctzll(start);
      uint64_t rest = ~(equal >> first);
      unsigned length = rest ? (unsigned)__builtin_ctzll(rest) : WORD;
      add(f, at + first, 1, length);
      start = first + length < WORD ? start >> (first + length) << (first + length) : 0;
    }
  }
}

/* A row: what equals the byte a period before; in the gaps between, runs. 64 bytes behind the row may be
 * read. */
static void add_row(found *f, size_t row_bytes, size_t period) {
  const uint8_t *gap = f->row, *equal_from = f->row + period, *end = f->row + row_bytes;
  for (const uint8_t *at = equal_from; at < end; at += WORD) {
    uint64_t differ = ~km_equal_bytes(at, at - period);
    size_t n = (size_t)(end - at);
    if (n < WORD)
      differ = (differ & low_bits(n)) | (uint64_t)1 << n; /* the end of the row ends what is equal */
    for (; differ; differ &= differ - 1) {
      const uint8_t *other = at + __builtin_ctzll(differ);
      if (other - equal_from >= KM_MATCH_LEAST) {
        add_runs(f, gap, equal_from);
        add(f, equal_from, period, (size_t)(other - equal_from));
        gap = other;
      }
      equal_from = other + 1;
    }
  }
  if (end - equal_from >= KM_MATCH_LEAST) { /* a row that ends with a word */
    add_runs(f, gap, equal_from);
    add(f, equal_from, period, (size_t)(end - equal_from));
    gap = end;
  }
  add_runs(f, gap, end);
}

size_t km_plane_matches(km_match *matches, size_t room, const uint8_t *rows, size_t n_rows, size_t row_bytes,
                        size_t period) {
  uint8_t last[KM_PLANE_ROW_MAX + WORD] = {0};
  found f = {.matches = matches, .room = room};
  if (n_rows == 0 || period == 0 || period >= row_bytes || row_bytes > KM_PLANE_ROW_MAX)
    return 0;
  for (size_t i = 0; i < n_rows && f.n <= room; i++) {
    f.row = rows + i * row_bytes;
    f.row_at = i * row_bytes;
    if (n_rows * row_bytes - f.row_at < row_bytes + WORD) { /* nothing may be read behind the last rows */
      memcpy(last, f.row, row_bytes);
      f.row = last;
    }
    add_row(&f, row_bytes, period);
  }
  return f.n <= room ? f.n : 0;
}
