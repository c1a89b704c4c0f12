/* rar_sum.h: what RAR headers state and libarchive 3.6 does not compare: the check sums of entries, and that
 * the blocks lead to the mark of the end. */
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

/* Whether the blocks of the archive at bytes lead to its end; else *bad is where the last one stands that
 * does not. RAR before version 3 had no mark of the end: such an archive may be cut between two entries. */
bool km_rar4_ends(uint64_t *bad, const uint8_t *bytes, uint64_t n_bytes);
bool km_rar5_ends(uint64_t *bad, const uint8_t *bytes, uint64_t n_bytes);

#endif
