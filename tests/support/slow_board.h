/* slow_board.h: the obviously right board, to compare with: an array of stones, everything found by flood fill when it
 * is asked for. SPEC §2 read aloud. */
#ifndef KIFUMILL_SLOW_BOARD_H
#define KIFUMILL_SLOW_BOARD_H

#include "kifumill/game.h"

typedef struct slow_board {
  unsigned rows, cols;
  uint8_t stone[KM_POINT_MAX];
  int ko; /* point, -1 none */
  uint8_t ko_colour;
  unsigned n_captured;
  uint16_t captured[KM_POINT_MAX]; /* by the last move, in ascending order */
  unsigned prisoners[3];
} slow_board;

/* A chain: its stones and its distinct liberties, in ascending order. */
typedef struct slow_chain {
  unsigned n_stones, n_liberties;
  uint16_t stones[KM_POINT_MAX], liberties[KM_POINT_MAX];
} slow_chain;

void slow_init(slow_board *board, unsigned rows, unsigned cols);
/* The up to four neighbours of a point; returns how many. */
unsigned slow_neighbours(const slow_board *board, unsigned point, unsigned neighbours[4]);
void slow_chain_at(const slow_board *board, unsigned point, slow_chain *chain);
km_play_class slow_classify(const slow_board *board, uint8_t colour, uint16_t point);
void slow_play(slow_board *board, uint8_t colour, uint16_t point);
void slow_setup(slow_board *board, uint8_t colour, uint16_t point);

#endif
