/* byte_masks.h: a bit a byte, 64 bytes at a time. */
#ifndef KM_BYTE_MASKS_H
#define KM_BYTE_MASKS_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { KM_MASK_BYTES = 64 };

/* Bit i: a[i] == b[i], for 64 bytes. */
static inline uint64_t km_equal_bytes(const uint8_t *a, const uint8_t *b) {
  uint64_t equal = 0;
#ifdef __SSE2__
  for (unsigned i = 0; i < KM_MASK_BYTES; i += 16) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(a + i));
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(b + i));
    equal |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)) << i;
  }
#else
  for (unsigned i = 0; i < KM_MASK_BYTES; i++)
    equal |= (uint64_t)(a[i] == b[i]) << i;
#endif
  return equal;
}

#endif
