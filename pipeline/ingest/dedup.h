/* dedup.h: which of several copies of a game is kept, in 40 bytes a game.
 *
 * Copies are games of one hash (of the moves, or symmetry-canonical). The best copy is kept: the one whose header tells
 * most (km_dedup_quality), then the one with the smaller hash of its bytes, then the one whose place (source, entry,
 * number) comes first as text. So the choice depends neither on the order of the inputs nor on threads. */
#ifndef KIFUMILL_DEDUP_H
#define KIFUMILL_DEDUP_H

#include "kifumill/err.h"
#include "kifumill/game.h"
#include "kifumill/hash.h"

typedef struct km_dedup km_dedup;

/* compare(ctx, a, b) < 0 when the place of game a comes before that of game b. */
km_dedup *km_dedup_new(int (*compare)(void *ctx, uint64_t a, uint64_t b), void *ctx);
void km_dedup_free(km_dedup *dedup);

/* How much a header tells: a larger number is better. */
uint32_t km_dedup_quality(const km_game *game);

typedef struct km_dedup_copy {
  km_hash128 hash;
  uint64_t index;   /* number of the game */
  uint64_t content; /* hash of the record's bytes */
  uint32_t quality;
} km_dedup_copy;

/* Notes a copy. *loser is the index that is not kept, or UINT64_MAX when the hash is new. */
km_status km_dedup_add(km_dedup *dedup, const km_dedup_copy *copy, uint64_t *loser, km_err *err);
/* The index kept for a hash; UINT64_MAX when there is none. */
uint64_t km_dedup_kept(const km_dedup *dedup, km_hash128 hash);
/* Bytes of memory in use. */
size_t km_dedup_bytes(const km_dedup *dedup);

#endif
