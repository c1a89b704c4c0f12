/* superko.c: linear probing at no more than three quarters full. */
#include "kifumill/superko.h"

#include <assert.h>

enum { MOVERS = 3 }; /* the bits of an entry that say who moved */

km_status km_superko_init(km_superko *superko, km_arena *arena, size_t n_positions) {
  if (n_positions > UINT32_MAX)
    return KM_ERR_LIMIT;
  size_t n_slots = 8;
  while (n_slots - n_slots / 4 < n_positions)
    n_slots *= 2;
  superko->slots = km_arena_zalloc(arena, n_slots * sizeof superko->slots[0]);
  superko->mask = n_slots - 1;
  superko->n_room = n_slots - n_slots / 4;
  return superko->slots ? KM_OK : KM_ERR_NOMEM;
}

/* The slot of a position, or the empty one where it belongs. The high word, not the one with the movers, places it. */
static km_hash128 *slot_of(const km_superko *superko, km_hash128 hash) {
  for (size_t i = hash.high & superko->mask;; i = (i + 1) & superko->mask) {
    km_hash128 *slot = &superko->slots[i];
    if (!(slot->low & MOVERS) || (slot->high == hash.high && (slot->low | MOVERS) == (hash.low | MOVERS)))
      return slot;
  }
}

void km_superko_add(km_superko *superko, km_hash128 hash, uint8_t mover) {
  km_hash128 *slot = slot_of(superko, hash);
  if (slot->low & MOVERS) {
    slot->low |= mover;
    return;
  }
  assert(superko->n_room > 0);
  superko->n_room--;
  *slot = (km_hash128){(hash.low & ~(uint64_t)MOVERS) | mover, hash.high};
}

unsigned km_superko_find(const km_superko *superko, km_hash128 hash, uint8_t to_play) {
  unsigned movers = slot_of(superko, hash)->low & MOVERS;
  if (!movers)
    return 0;
  return movers & to_play ? KM_REPEATS_POSITION | KM_REPEATS_SITUATION : KM_REPEATS_POSITION;
}
