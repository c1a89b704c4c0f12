/* arena.h: a bump allocator that is reset as a whole.
 *
 * A worker owns one and resets it per game or batch; nothing from it outlives the reset. Blocks are kept across
 * resets, so that a steady state allocates nothing. Memory is 16-byte aligned and not zeroed. */
#ifndef KIFUMILL_ARENA_H
#define KIFUMILL_ARENA_H

#include <stddef.h>

typedef struct km_arena_block km_arena_block;
typedef struct km_arena {
  km_arena_block *first, *current;
  size_t used;        /* bytes used in current */
  size_t block_bytes; /* size of a fresh block */
} km_arena;

void km_arena_init(km_arena *arena);
void km_arena_clear(km_arena *arena); /* frees everything */
void km_arena_reset(km_arena *arena); /* forgets everything, keeps the blocks */

/* NULL when memory is out. n_bytes 0 gives a valid pointer. */
void *km_arena_alloc(km_arena *arena, size_t n_bytes);
void *km_arena_zalloc(km_arena *arena, size_t n_bytes);
/* Enlarges the block at p from old_bytes to new_bytes: in place when it was the last one, else by copying. */
void *km_arena_grow(km_arena *arena, void *p, size_t old_bytes, size_t new_bytes);
/* A copy with a NUL behind it. */
char *km_arena_strndup(km_arena *arena, const char *bytes, size_t n_bytes);

#endif
