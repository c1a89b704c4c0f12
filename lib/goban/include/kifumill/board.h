/* board.h: the board: stones, chains, liberties, captures, simple ko, 128-bit Zobrist hash. SPEC §2, §7.1, §7.2.
 *
 * [implementation notes by the author of board.c: data layout, the trick, costs]
 *
 * A km_board is plain memory: it may be copied with km_board_copy. It allocates nothing. */
#ifndef KIFUMILL_BOARD_H
#define KIFUMILL_BOARD_H

#include "kifumill/game.h"
#include "kifumill/hash.h"

typedef struct km_board km_board; /* defined below, open */

/* An empty board. rows and cols 1…52. */
void km_board_init(km_board *board, unsigned rows, unsigned cols);

/* What playing colour at point would be, in SPEC §2's order; superko is not looked at (see superko.h). */
km_play_class km_board_classify(const km_board *board, uint8_t colour, uint16_t point);

/* Executes a move that is on the board or a pass: puts the stone, removes opponent chains without liberties, then the
 * own chain if it has none (suicide). On an occupied point the old stone is overwritten (FF[4]). Updates ko and hash.
 * Afterwards board->captured[0…n_captured-1] are the points that became empty (own ones after a suicide). */
void km_board_play(km_board *board, uint8_t colour, uint16_t point);

/* Puts (or, with KM_EMPTY, removes) a set-up stone: never captures, lifts the ko ban. */
void km_board_setup(km_board *board, uint8_t colour, uint16_t point);

/* Recomputes chains, liberties and hash from the stones and compares: NULL if all agree, else what differs. */
const char *km_board_check(const km_board *board);

#endif
