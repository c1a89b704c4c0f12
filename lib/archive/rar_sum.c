/* rar_sum.c: walks the blocks of a RAR to the next file header, or to the end.
 *
 *   RAR 4 block   crc2 type1 flags2 size2 [data4 when flags & 8000]; file (74): packed4 full4 os1 crc4 …
 *   RAR 5 block   crc4 size type flags [extra] [data]; file (2): fileflags full attributes [time4] [crc4] …
 *                 (numbers without a width: seven bits a byte, low ones first, the eighth for "more follows")
 */
#include "rar_sum.h"

#include <libdeflate.h>
#include <string.h>

enum {
  RAR4_MAIN = 0x73,
  RAR4_FILE = 0x74,
  RAR4_END = 0x7b,
  RAR4_LOCKED = 0x80, /* of the main block: the others are encrypted */
  RAR4_LARGE = 0x100, /* of a file: packed size and full size go on behind the name's length */
  RAR4_HAS_DATA = 0x8000,
  RAR4_SPLIT = 3,
  RAR4_WITH_END = 29, /* version needed to unpack, from which on there is a mark of the end */
  RAR5_FILE = 2,
  RAR5_LOCK = 4,
  RAR5_END = 5,
  RAR5_SPLIT = 0x18
};
static const char rar4_mark[] = "Rar!\x1a\x07", rar5_mark[] = "Rar!\x1a\x07\x01"; /* with their NUL */

static uint32_t u32(const uint8_t *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool km_rar4_sum(uint32_t *sum, const km_rar_place *place) {
  for (uint64_t at = place->at; at < place->n_bytes && place->n_bytes - at >= 20;) {
    const uint8_t *p = place->bytes + at;
    if (memcmp(p, "Rar!\x1a\x07\0", 7) == 0) {
      at += 7;
      continue;
    }
    unsigned flags = p[3] | p[4] << 8;
    uint64_t head = p[5] | p[6] << 8;
    if (p[2] == RAR4_FILE) {
      *sum = u32(p + 16);
      return !(flags & RAR4_SPLIT) && u32(p + 11) == (uint32_t)place->n_full;
    }
    if (head < 7)
      return false;
    at += head + (flags & RAR4_HAS_DATA ? u32(p + 7) : 0);
  }
  return false;
}

/* A number at *at; at most 10 bytes. False at the end of the bytes. */
static bool read_number(const km_rar_place *place, uint64_t *at, uint64_t *value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && *at < place->n_bytes; shift += 7) {
    uint8_t byte = place->bytes[(*at)++];
    *value |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

static bool rar5_file_sum(uint32_t *sum, const km_rar_place *place, uint64_t at) {
  uint64_t flags, full, attributes;
  if (!read_number(place, &at, &flags) || !read_number(place, &at, &full) ||
      !read_number(place, &at, &attributes))
    return false;
  at += flags & 2 ? 4 : 0;
  if (!(flags & 4) || full != place->n_full || at > place->n_bytes || place->n_bytes - at < 4)
    return false;
  *sum = u32(place->bytes + at);
  return true;
}

bool km_rar5_sum(uint32_t *sum, const km_rar_place *place) {
  for (uint64_t at = place->at; at < place->n_bytes && place->n_bytes - at >= 8;) {
    uint64_t size, type, flags, extra = 0, data = 0;
    if (memcmp(place->bytes + at, "Rar!\x1a\x07\x01\0", 8) == 0) {
      at += 8;
      continue;
    }
    at += 4;
    if (!read_number(place, &at, &size))
      return false;
    uint64_t head = at;
    if (!read_number(place, &at, &type) || !read_number(place, &at, &flags) ||
        ((flags & 1) && !read_number(place, &at, &extra)) || ((flags & 2) && !read_number(place, &at, &data)))
      return false;
    if (type == RAR5_FILE)
      return !(flags & RAR5_SPLIT) && rar5_file_sum(sum, place, at);
    if (size > place->n_bytes || data > place->n_bytes)
      return false;
    at = head + size + data;
  }
  return false;
}

static bool is_mark(const uint8_t *bytes, uint64_t n_bytes, uint64_t at, const char *mark, size_t n_mark) {
  return at < n_bytes && n_bytes - at >= n_mark && memcmp(bytes + at, mark, n_mark) == 0;
}

/* The volumes of a set stand one behind the other: where one ends the next begins. */
bool km_rar4_ends(uint64_t *bad, const uint8_t *bytes, uint64_t n_bytes) {
  bool has_end = false;
  for (uint64_t at = sizeof rar4_mark; at != n_bytes || has_end;) {
    const uint8_t *p = bytes + at;
    *bad = at;
    if (at > n_bytes || n_bytes - at < 7)
      return false;
    unsigned flags = p[3] | p[4] << 8;
    uint64_t head = p[5] | p[6] << 8, data = 0;
    if (head < 7 || head > n_bytes - at || ((flags & RAR4_HAS_DATA) && head < 11))
      return false;
    if (flags & RAR4_HAS_DATA)
      data = u32(p + 7);
    if (p[2] == RAR4_FILE && (flags & RAR4_LARGE) && head >= 36)
      data |= (uint64_t)u32(p + 32) << 32;
    if (data > n_bytes - at - head)
      return false;
    has_end |= p[2] == RAR4_FILE && head > 24 && p[24] >= RAR4_WITH_END;
    if (p[2] == RAR4_MAIN && (flags & RAR4_LOCKED))
      return true;
    at += head + data;
    if (p[2] == RAR4_END && !is_mark(bytes, n_bytes, at, rar4_mark, sizeof rar4_mark))
      return true;
    if (p[2] == RAR4_END)
      at += sizeof rar4_mark;
  }
  return true;
}

bool km_rar5_ends(uint64_t *bad, const uint8_t *bytes, uint64_t n_bytes) {
  const km_rar_place place = {bytes, n_bytes, 0, 0};
  for (uint64_t at = sizeof rar5_mark;;) {
    uint64_t size, type, flags, extra = 0, data = 0;
    *bad = at;
    if (at > n_bytes || n_bytes - at < 7)
      return false;
    at += 4;
    if (!read_number(&place, &at, &size) || size > n_bytes - at)
      return false;
    uint64_t head = at;
    if (libdeflate_crc32(0, bytes + *bad + 4, head + size - *bad - 4) != u32(bytes + *bad) ||
        !read_number(&place, &at, &type) || !read_number(&place, &at, &flags) ||
        ((flags & 1) && !read_number(&place, &at, &extra)) ||
        ((flags & 2) && !read_number(&place, &at, &data)) || data > n_bytes - head - size)
      return false;
    at = head + size + data;
    if (type == RAR5_LOCK || (type == RAR5_END && !is_mark(bytes, n_bytes, at, rar5_mark, sizeof rar5_mark)))
      return true;
    if (type == RAR5_END)
      at += sizeof rar5_mark;
  }
}
