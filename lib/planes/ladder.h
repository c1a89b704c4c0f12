/* ladder.h: reading ladders (SPEC §7.3), exactly, on a board that is played on and taken back. Private to
 * planes.
 *
 * Positions that move orders share are read once: facts are kept by the board's 128-bit hash and the ko. A
 * fact holds for more depths than its own: what is captured within d plies is so within more, what escapes d
 * plies escapes fewer.
 *
 * Reading ladders is PSPACE-complete (Crâşmaru and Tromp 2000), so no method is both exact and quick on every
 * board that can be made up. A chain may cost KM_LADDER_NODES positions; one that would cost more counts as
 * escaping, as one that outlives the depth does, and is counted by km_ladder_n_cut. The result depends on the
 * position alone. */
#ifndef KM_PLANES_LADDER_H
#define KM_PLANES_LADDER_H

#include "kifumill/board.h"

enum { KM_LADDER_NODES = 1 << 15 };

typedef struct km_ladder km_ladder;

/* For boards to n_points points. variants: KM_VARIANT_SENSIBLE, KM_VARIANT_DEPTH50. NULL: out of memory. */
km_ladder *km_ladder_new(size_t n_points, uint32_t variants);
void km_ladder_free(km_ladder *ladder); /* NULL is fine */

/* Marks with 1 the points where me captures an opponent's chain of two liberties in a ladder (plane 44). The
 * board is as before afterwards, but for its captured list. mark has n_points bytes, zero before. */
void km_ladder_captures(km_ladder *ladder, km_board *board, uint8_t me, uint8_t *mark);
/* Marks the points by which an own chain in atari escapes (plane 45). */
void km_ladder_escapes(km_ladder *ladder, km_board *board, uint8_t me, uint8_t *mark);

/* Chains given up so far. */
uint64_t km_ladder_n_cut(const km_ladder *ladder);

#endif
