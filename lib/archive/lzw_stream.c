/* lzw_stream.c: compress (.Z) as a stream.
 *
 *   1f 9d flags | codes of 9 bits and more, low bits first
 *   flags: 0-4 the most bits of a code (9 … 16), 7 whether code 256 clears the table
 *
 * Why not libarchive's: it gives up the 64 KiB before a wrong code, and says nothing of a code that is cut. A
 * code stands for the string of a code before it and one byte more. Codes come in groups of eight; when their
 * width changes, the rest of the group is filled up. There is no end mark and no sum: only a cut within a
 * code shows. */
#include <stdlib.h>
#include <string.h>

#include "byte_stream.h"

enum { BITS_MIN = 9, BITS_MAX = 16, CLEAR = 256, TABLE = 1 << BITS_MAX, HEADER_BYTES = 3 };

typedef struct lzw_stream {
  km_stream base;
  const uint8_t *in;
  size_t n_in;
  unsigned n_header, most_bits, width, n_in_group;
  bool has_clear, done;
  uint64_t held; /* bits read and not used, n_held of them */
  unsigned n_held;
  uint32_t next, last; /* code to be made; code before, TABLE when there is none */
  uint8_t first;       /* byte of the string of `last` */
  size_t n_out, n_stack;
  uint16_t prefix[TABLE];
  uint8_t suffix[TABLE], stack[TABLE]; /* stack: a string, its end first */
  uint8_t block[KM_STREAM_BLOCK];
} lzw_stream;

/* One byte more of the stream below; -1 at its end. */
static int next_byte(lzw_stream *z, km_status *status) {
  if (!z->n_in) {
    *status = km_stream_next(z->base.below);
    z->in = z->base.below->block;
    z->n_in = *status ? 0 : z->base.below->n_block;
  }
  if (!z->n_in)
    return -1;
  z->n_in--;
  return *z->in++;
}

/* n bits in z->held; false at the end of the stream. */
static bool hold(lzw_stream *z, unsigned n, km_status *status) {
  while (z->n_held < n) {
    int byte = next_byte(z, status);
    if (byte < 0)
      return false;
    z->held |= (uint64_t)byte << z->n_held;
    z->n_held += 8;
  }
  return true;
}

static unsigned take(lzw_stream *z, unsigned n) {
  unsigned bits = (unsigned)(z->held & ((UINT64_C(1) << n) - 1));
  z->held >>= n;
  z->n_held -= n;
  return bits;
}

static void damaged(lzw_stream *z, const char *what) {
  km_stream_fault(&z->base, KM_REASON_CORRUPT_ARCHIVE, "compress: %s", what);
  z->done = true;
}

/* The stream below has ended. What fills the last byte up is zeros. */
static void ended(lzw_stream *z) {
  const km_stream *below = z->base.below;
  z->done = true;
  if (below->fault)
    km_stream_fault(&z->base, below->fault, "%s", below->detail);
  else if (z->n_header < HEADER_BYTES || z->n_held >= 8 || z->held)
    km_stream_fault(&z->base, KM_REASON_TRUNCATED_ARCHIVE, "the compress data ends too soon");
}

static void set_width(lzw_stream *z, unsigned width) {
  z->width = width;
  z->n_in_group = 0;
}

static bool read_header(lzw_stream *z, km_status *status) {
  for (int byte; z->n_header < HEADER_BYTES; z->n_header++) {
    if ((byte = next_byte(z, status)) < 0) {
      ended(z);
      return false;
    }
    z->most_bits = (unsigned)byte & 0x1f;
    z->has_clear = byte & 0x80;
  }
  if (z->most_bits < BITS_MIN || z->most_bits > BITS_MAX)
    damaged(z, "codes of an unknown width");
  z->next = z->has_clear ? CLEAR + 1 : CLEAR;
  return !z->done;
}

/* The next code; false at the end. */
static bool read_code(lzw_stream *z, uint32_t *code, km_status *status) {
  bool widens = z->next > (1u << z->width) - 1 && z->width < z->most_bits;
  for (; widens && z->n_in_group % 8; z->n_in_group++) {
    if (!hold(z, z->width, status))
      return false;
    take(z, z->width);
  }
  if (widens)
    set_width(z, z->width + 1);
  if (!hold(z, z->width, status))
    return false;
  *code = take(z, z->width);
  z->n_in_group++;
  return true;
}

static bool clear(lzw_stream *z, km_status *status) {
  for (; z->n_in_group % 8; z->n_in_group++) {
    if (!hold(z, z->width, status))
      return false;
    take(z, z->width);
  }
  set_width(z, BITS_MIN);
  z->next = CLEAR; /* the code after it makes an entry that cannot be named */
  return true;
}

/* The string of the code onto the stack, and the entry that it makes. */
static void expand(lzw_stream *z, uint32_t code) {
  uint32_t at = code;
  if (z->last == TABLE ? code >= CLEAR : code > z->next) {
    damaged(z, "a code of nothing");
    return;
  }
  if (z->last != TABLE && code == z->next) {
    z->stack[z->n_stack++] = z->first;
    at = z->last;
  }
  for (; at >= CLEAR && z->n_stack + 1 < TABLE; at = z->prefix[at])
    z->stack[z->n_stack++] = z->suffix[at];
  z->stack[z->n_stack++] = z->first = (uint8_t)at;
  if (z->last != TABLE && z->next < 1u << z->most_bits) {
    z->prefix[z->next] = (uint16_t)z->last;
    z->suffix[z->next++] = z->first;
  }
  z->last = code;
}

static void step(lzw_stream *z, km_status *status) {
  uint32_t code;
  if (z->n_header < HEADER_BYTES && !read_header(z, status))
    return;
  if (!read_code(z, &code, status) ||
      (code == CLEAR && z->has_clear && z->last != TABLE && !clear(z, status)))
    ended(z);
  else if (code != CLEAR || !z->has_clear || z->last == TABLE)
    expand(z, code);
}

static km_status lzw_pull(km_stream *s) {
  lzw_stream *z = (lzw_stream *)s;
  km_status status = KM_OK;
  z->n_out = 0;
  while (z->n_out < sizeof z->block && !status) {
    while (z->n_stack && z->n_out < sizeof z->block)
      z->block[z->n_out++] = z->stack[--z->n_stack];
    if (z->n_stack || z->done)
      break;
    step(z, &status);
  }
  s->below->taken = s->below->handed - z->n_in;
  s->block = z->block;
  s->n_block = z->n_out;
  return status;
}

static void lzw_close(km_stream *s) {
  free(s);
}

km_stream *km_stream_lzw(km_stream *below, km_budget *budget) {
  lzw_stream *z = malloc(sizeof *z);
  if (!z)
    return NULL;
  memset(z, 0, offsetof(lzw_stream, prefix));
  z->base.pull = lzw_pull;
  z->base.close = lzw_close;
  z->base.budget = budget;
  z->base.below = below;
  z->width = BITS_MIN;
  z->last = TABLE;
  return &z->base;
}
