/* feature_set.h: the per-point features of the 48 planes (SPEC §7.3), as a byte a point and family. Private to planes.
 *
 * A family's byte at a point is 1 + bin, or 0 for none, so that a plane is "the points where the byte is 1 + bin". */
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

/* Computes all families of the position for the player to move; kept until the position or the player changes. */
void km_feature_set_compute(km_feature_set *set, const km_board *board, uint8_t to_play);
/* rows·cols bytes, valid until the next change. */
const uint8_t *km_feature_set_family(const km_feature_set *set, km_plane_family family);

#endif
