/* feature_set.h: the per-point features of the 48 planes (SPEC §7.3), as a list of set points. Private to
 * planes.
 *
 * A mark says that a point is in a bin of a family. The list is computed once a position and player, and then
 * drawn into as many rows as there are symmetries. */
#ifndef KM_PLANES_FEATURE_SET_H
#define KM_PLANES_FEATURE_SET_H

#include "kifumill/board.h"
#include "kifumill/layout.h"

typedef struct km_feature_set km_feature_set;

/* NULL when memory is out. variants as in layout.h. */
km_feature_set *km_feature_set_new(unsigned rows, unsigned cols, uint32_t variants);
void km_feature_set_free(km_feature_set *set);

/* Forgets the ages of all stones: an empty board at ply 0. */
void km_feature_set_reset(km_feature_set *set);
/* A set-up stone or removal: the point has no age. */
void km_feature_set_setup(km_feature_set *set, uint16_t point);
/* Right after km_board_play(board, …, point): the ages of all stones grow. */
void km_feature_set_push(km_feature_set *set, const km_board *board, uint16_t point);

typedef struct km_feature_mark {
  uint16_t index; /* family · 8 + bin */
  uint16_t point;
} km_feature_mark;

/* All marks of the position for the player to move, valid until the position or the player changes. */
const km_feature_mark *km_feature_set_marks(km_feature_set *set, const km_board *board, uint8_t to_play,
                                            size_t *n);

/* Ladders given up as too costly so far. */
uint64_t km_feature_set_ladders_cut(const km_feature_set *set);

#endif
