/* superko.h: whole-board repetition over one game: which positions have been, and who moved from them. SPEC §2, §7.2.
 *
 * An open-addressing table of 16-byte entries: 126 bits of the positional hash and, in the two lowest bits, who moved
 * from that position (1 black, 2 white); 0 is an empty slot. One table answers both kinds of superko. It is made for a
 * number of positions and never grows: no allocation a move. Two different positions are taken for equal with
 * probability below 2^-107 for a game of 500 moves. */
#ifndef KIFUMILL_SUPERKO_H
#define KIFUMILL_SUPERKO_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/hash.h"

enum { KM_REPEATS_POSITION = 1, KM_REPEATS_SITUATION = 2 };

typedef struct km_superko {
  km_hash128 *slots;
  size_t mask;   /* slots - 1, a power of two less one */
  size_t n_room; /* different positions still to come */
} km_superko;

/* An empty table for n_positions different positions (a game of T moves has T; each is added when left), in memory of
 * the arena: KM_OK, or KM_ERR_NOMEM or KM_ERR_LIMIT (more than 2^32 positions). Once a game. */
km_status km_superko_init(km_superko *superko, km_arena *arena, size_t n_positions);

/* The position with this positional hash was on the board and mover moved from it. */
void km_superko_add(km_superko *superko, km_hash128 hash, uint8_t mover);

/* KM_REPEATS_… of a position with to_play to move: whether an added one has the same stones, and the same mover too. */
unsigned km_superko_find(const km_superko *superko, km_hash128 hash, uint8_t to_play);

#endif
