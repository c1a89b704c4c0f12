/* move_hash.h: 128-bit identities of a game: its moves as they stand, and up to the symmetries of the board.
 *
 * Hashed are the size, the moves in order (colour and point; passes and points beyond the board too) and the set-up
 * stones with their plies (those of one ply in any order). Not hashed: names, komi, result. Two games have the same
 * canonical hash if and only if (but for chance: two of 20 million with probability below 2^-70) a rotation or
 * reflection carries one into the other.
 *
 * The hash of a record is Σ (a(point) ^ t·A)·(b(point) ^ t·B) modulo 2^128 over moves and set-up stones, a and b the
 * halves of the point's key and t = 8·(number from 0, or ply) + colour + 1, and 4 more for a set-up stone; then mixed
 * with the size. One multiplication a move. All of it is fixed: hashes stand in games.h5. */
#ifndef KIFUMILL_MOVE_HASH_H
#define KIFUMILL_MOVE_HASH_H

#include "kifumill/game.h"
#include "kifumill/hash.h"

enum { KM_OPENING_MOVES = 30 }; /* what the split of a data set goes by */

typedef struct km_game_hash {
  km_hash128 moves;     /* the record as it stands: the canonical hash and the number of the image that it is of, added up */
  km_hash128 canonical; /* of the image whose points come first in the order of play */
  km_hash128 opening;   /* canonical, of the first n_opening moves (all if fewer) and the set-up before them */
} km_game_hash;

/* n_opening is KM_OPENING_MOVES, or any other number of moves. Points of set-up are on the board. */
void km_game_hash_compute(const km_game *game, uint32_t n_opening, km_game_hash *hash);

#endif
