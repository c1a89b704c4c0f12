/* repeats.h: whether a game repeats a whole-board position, where nothing is forbidden for it, at a nanosecond a move.
 *
 * The trick: equal positions have equally many stones, and the number of stones grows but for captures. So positions
 * are chained by their number of stones, newest first, and a position is compared with those of its chain only: none in
 * most moves. A hostile game could make chains long; beyond KM_REPEATS_CHAIN the answer is KM_REPEATS_UNKNOWN, and
 * kifumill/superko.h, which is some five times as slow, has to say. */
#ifndef KIFUMILL_REPEATS_H
#define KIFUMILL_REPEATS_H

#include "kifumill/err.h"
#include "kifumill/game.h"
#include "kifumill/hash.h"

enum { KM_REPEATS_CHAIN = 64 };

typedef enum km_repeats_answer { KM_REPEATS_NEW = 0, KM_REPEATS_SEEN, KM_REPEATS_UNKNOWN } km_repeats_answer;

typedef struct km_repeats {
  struct km_repeats_position {
    km_hash128 hash;
    uint32_t before; /* position with as many stones, from 1; 0: none */
  } *positions;
  uint32_t n, room;
  uint32_t newest[KM_POINT_MAX + 1]; /* by number of stones, from 1; 0: none */
} km_repeats;

/* Zeroed memory is an empty km_repeats; it keeps its memory from game to game. */
void km_repeats_clear(km_repeats *repeats);
/* For the next game, of n_points points and n_moves moves. */
km_status km_repeats_begin(km_repeats *repeats, unsigned n_points, uint32_t n_moves, km_err *err);

/* The next position of the game: its number of stones and its hash. At most n_moves + 1 of them. */
static inline km_repeats_answer km_repeats_visit(km_repeats *repeats, uint32_t n_stones, km_hash128 hash) {
  uint32_t newest = repeats->newest[n_stones], at = newest;
  for (int n = 0; at; at = repeats->positions[at - 1].before) {
    if (km_hash128_equal(repeats->positions[at - 1].hash, hash))
      return KM_REPEATS_SEEN;
    if (++n == KM_REPEATS_CHAIN)
      return KM_REPEATS_UNKNOWN;
  }
  repeats->positions[repeats->n].hash = hash;
  repeats->positions[repeats->n].before = newest;
  repeats->newest[n_stones] = ++repeats->n;
  return KM_REPEATS_NEW;
}

#endif
