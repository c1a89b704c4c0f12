/* point_keys.h: 128 random bits for every point, the material of the Zobrist hash and of the move-sequence hash.
 *
 * Part of the output: hashes stand in games.h5, so neither the seed nor the formula may change. */
#ifndef KIFUMILL_POINT_KEYS_H
#define KIFUMILL_POINT_KEYS_H

#include "kifumill/game.h"
#include "kifumill/hash.h"

/* Rows behind the points: moves that are no point of a board, and the side to move. */
enum {
  KM_KEY_PASS = KM_POINT_MAX,
  KM_KEY_OFFBOARD,
  KM_KEY_BAD,
  KM_KEY_WHITE_TO_MOVE,
  KM_KEY_COUNT,
};

/* low = km_mix64(SEED + 2·i), high = km_mix64(SEED + 2·i + 1). */
extern const km_hash128 km_point_keys[KM_KEY_COUNT];
#define KM_POINT_KEYS_SEED 0x6b6966756d696c6cu /* "kifumill" */

/* The key of a stone. A point has three states, 0 (empty), k (black) and ω·k (white), ω being the generator of GF(4):
 * with ω·(high, low) = (high ^ low, high), black ^ white = ω²·k is again a bijection of k. So any two different
 * boards of one size collide with probability 2^-128 over the keys, and one key a point is enough. */
static inline km_hash128 km_stone_key(unsigned colour, unsigned point) {
  km_hash128 k = km_point_keys[point];
  uint64_t white = -(uint64_t)(colour >> 1);
  return (km_hash128){k.low ^ ((k.low ^ k.high) & white), k.high ^ (k.low & white)};
}

#endif
