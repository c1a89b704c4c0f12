/* dedup.c: an open-addressing table of the kept copies, at most 3/4 full; the hash is its own table hash. */
#include "dedup.h"

#include <stdlib.h>

struct km_dedup {
  km_dedup_copy *slots; /* index UINT64_MAX: free */
  size_t n_slots, n_used;
  int (*compare)(void *ctx, uint64_t a, uint64_t b);
  void *ctx;
};

static km_dedup_copy *make_slots(size_t n) {
  km_dedup_copy *slots = malloc(n * sizeof *slots);
  for (size_t i = 0; slots && i < n; i++)
    slots[i].index = UINT64_MAX;
  return slots;
}

km_dedup *km_dedup_new(int (*compare)(void *ctx, uint64_t a, uint64_t b), void *ctx) {
  km_dedup *dedup = malloc(sizeof *dedup);
  if (!dedup)
    return NULL;
  *dedup = (km_dedup){.n_slots = 1024, .compare = compare, .ctx = ctx};
  dedup->slots = make_slots(dedup->n_slots);
  if (!dedup->slots) {
    free(dedup);
    return NULL;
  }
  return dedup;
}

void km_dedup_free(km_dedup *dedup) {
  if (dedup)
    free(dedup->slots);
  free(dedup);
}

uint32_t km_dedup_quality(const km_game *game) {
  uint32_t known = 0;
  for (int i = 0; i < KM_TEXT_COUNT; i++)
    known += i != KM_TEXT_SOURCE && i != KM_TEXT_ENTRY && i != KM_TEXT_ENCODING && game->text[i].n_bytes > 0;
  known += (game->winner != KM_WINNER_UNKNOWN) * 1000u + (game->n_evals > 0) * 500u + !isnan(game->komi) * 100u;
  return known + (game->date.precision * 10u) + (game->black_rank.kind != 0) * 10u + (game->white_rank.kind != 0) * 10u;
}

static km_dedup_copy *find(const km_dedup *dedup, km_hash128 hash) {
  size_t mask = dedup->n_slots - 1;
  for (size_t i = hash.low & mask;; i = (i + 1) & mask) {
    km_dedup_copy *slot = &dedup->slots[i];
    if (slot->index == UINT64_MAX || km_hash128_equal(slot->hash, hash))
      return slot;
  }
}

static km_status grow(km_dedup *dedup, km_err *err) {
  km_dedup larger = *dedup;
  larger.n_slots *= 2;
  if (!(larger.slots = make_slots(larger.n_slots)))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the duplicates table of %zu games", dedup->n_used);
  for (size_t i = 0; i < dedup->n_slots; i++)
    if (dedup->slots[i].index != UINT64_MAX)
      *find(&larger, dedup->slots[i].hash) = dedup->slots[i];
  free(dedup->slots);
  *dedup = larger;
  return KM_OK;
}

static int better(const km_dedup *dedup, const km_dedup_copy *a, const km_dedup_copy *b) {
  if (a->quality != b->quality)
    return a->quality > b->quality;
  if (a->content != b->content)
    return a->content < b->content;
  return dedup->compare(dedup->ctx, a->index, b->index) < 0;
}

km_status km_dedup_add(km_dedup *dedup, const km_dedup_copy *copy, uint64_t *loser, km_err *err) {
  *loser = UINT64_MAX;
  if (4 * (dedup->n_used + 1) > 3 * dedup->n_slots) {
    km_status status = grow(dedup, err);
    if (status != KM_OK)
      return status;
  }
  km_dedup_copy *slot = find(dedup, copy->hash);
  if (slot->index == UINT64_MAX) {
    *slot = *copy;
    dedup->n_used++;
  } else if (better(dedup, copy, slot)) {
    *loser = slot->index;
    *slot = *copy;
  } else {
    *loser = copy->index;
  }
  return KM_OK;
}

uint64_t km_dedup_kept(const km_dedup *dedup, km_hash128 hash) { return find(dedup, hash)->index; }
size_t km_dedup_bytes(const km_dedup *dedup) { return dedup->n_slots * sizeof *dedup->slots; }
