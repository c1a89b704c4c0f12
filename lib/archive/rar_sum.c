/* rar_sum.c: walks the blocks of a RAR to the next file header.
 *
 *   RAR 4 block   crc2 type1 flags2 size2 [data4 when flags & 8000]; file (74): packed4 full4 os1 crc4 …
 *   RAR 5 block   crc4 size type flags [extra] [data]; file (2): fileflags full attributes [time4] [crc4] …
 *                 (numbers without a width: seven bits a byte, low ones first, the eighth for "more follows")
 */
#include "rar_sum.h"

#include <string.h>

enum { RAR4_FILE = 0x74, RAR4_HAS_DATA = 0x8000, RAR4_SPLIT = 3, RAR5_FILE = 2, RAR5_SPLIT = 0x18 };

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
