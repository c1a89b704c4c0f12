/* position_draw.h: a part of the games' rows, drawn by the identity of the games, as a store of its own.
 *
 * A network goes through its rows many times, in an order of its own, and needs no more than a million of them: what it
 * learns from is copied once, so that an epoch reads that and not the whole sample. */
#ifndef KIFUMILL_POSITION_DRAW_H
#define KIFUMILL_POSITION_DRAW_H

#include "position_store.h"

typedef struct km_position_draw {
  const km_position_store *from; /* sealed */
  size_t first_series, n_series; /* those whose rows are drawn; games in ascending order in each */
  uint64_t most_rows;            /* about as many are drawn, when there are more */
  uint64_t seed;
  size_t n_columns;
  const char *output; /* the path of the file beside which the store lies */
} km_position_draw;

/* *drawn: one series, sealed, a game's rows one after the other, in the order of games; to be closed. */
km_status km_position_draw_open(km_position_store **drawn, const km_position_draw *draw, km_err *err);

#endif
