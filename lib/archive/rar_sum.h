/* rar_sum.h: the check sums that RAR headers state, which libarchive 3.6 does not compare. */
#ifndef KM_RAR_SUM_H
#define KM_RAR_SUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An archive in memory, where the header of an entry of n_full bytes stands at byte at or in a block behind
 * it. */
typedef struct km_rar_place {
  const uint8_t *bytes;
  uint64_t n_bytes, at, n_full;
} km_rar_place;

/* The CRC-32 of the entry; false when there is none to compare with: no header there, a split file, no sum in
 * it. */
bool km_rar4_sum(uint32_t *sum, const km_rar_place *place);
bool km_rar5_sum(uint32_t *sum, const km_rar_place *place);

#endif
