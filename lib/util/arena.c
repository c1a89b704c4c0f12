/* arena.c: blocks in a list; an allocation bumps a pointer, a request larger than a block gets one of its own. */
#include "kifumill/arena.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, BLOCK_BYTES = 64 * 1024 };

struct km_arena_block {
  km_arena_block *next;
  size_t capacity;
  _Alignas(ALIGN) unsigned char bytes[];
};

static size_t align_up(size_t n) { return (n + (ALIGN - 1)) & ~(size_t)(ALIGN - 1); }

void km_arena_init(km_arena *arena) { *arena = (km_arena){.block_bytes = BLOCK_BYTES}; }

void km_arena_clear(km_arena *arena) {
  for (km_arena_block *b = arena->first; b;) {
    km_arena_block *next = b->next;
    free(b);
    b = next;
  }
  km_arena_init(arena);
}

void km_arena_reset(km_arena *arena) {
  arena->current = arena->first;
  arena->used = 0;
}

/* Makes current a block with room for n_bytes: the next one kept from before, or a fresh one put after current. */
static int next_block(km_arena *arena, size_t n_bytes) {
  km_arena_block *next = arena->current ? arena->current->next : arena->first;
  if (!next || next->capacity < n_bytes) {
    size_t capacity = n_bytes > arena->block_bytes ? n_bytes : arena->block_bytes;
    if (capacity > (size_t)-1 / 2)
      return -1;
    km_arena_block *fresh = malloc(sizeof *fresh + capacity);
    if (!fresh)
      return -1;
    fresh->capacity = capacity;
    fresh->next = next;
    if (arena->current)
      arena->current->next = fresh;
    else
      arena->first = fresh;
    next = fresh;
  }
  arena->current = next;
  arena->used = 0;
  return 0;
}

void *km_arena_alloc(km_arena *arena, size_t n_bytes) {
  if (n_bytes > (size_t)-1 / 2)
    return NULL;
  n_bytes = align_up(n_bytes);
  if (!arena->current || arena->current->capacity - arena->used < n_bytes) {
    if (next_block(arena, n_bytes))
      return NULL;
  }
  void *p = arena->current->bytes + arena->used;
  arena->used += n_bytes;
  return p;
}

void *km_arena_zalloc(km_arena *arena, size_t n_bytes) {
  void *p = km_arena_alloc(arena, n_bytes);
  return p ? memset(p, 0, n_bytes) : NULL;
}

void *km_arena_grow(km_arena *arena, void *p, size_t old_bytes, size_t new_bytes) {
  if (p && arena->current) {
    unsigned char *end = arena->current->bytes + arena->used;
    size_t old_room = align_up(old_bytes), new_room = align_up(new_bytes);
    if ((unsigned char *)p + old_room == end && new_room >= old_room &&
        arena->current->capacity - arena->used >= new_room - old_room) {
      arena->used += new_room - old_room;
      return p;
    }
  }
  void *q = km_arena_alloc(arena, new_bytes);
  if (q && p)
    memcpy(q, p, old_bytes < new_bytes ? old_bytes : new_bytes);
  return q;
}

char *km_arena_strndup(km_arena *arena, const char *bytes, size_t n_bytes) {
  char *copy = km_arena_alloc(arena, n_bytes + 1);
  if (!copy)
    return NULL;
  memcpy(copy, bytes, n_bytes);
  copy[n_bytes] = 0;
  return copy;
}
