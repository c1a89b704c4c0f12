/* slow_board.c: see slow_board.h. Nothing is kept but the stones, the ko and the last move's captures. */
#include "slow_board.h"

#include <string.h>

void slow_init(slow_board *board, unsigned rows, unsigned cols) {
  memset(board, 0, sizeof *board);
  board->rows = rows;
  board->cols = cols;
  board->ko = -1;
}

unsigned slow_neighbours(const slow_board *board, unsigned point, unsigned neighbours[4]) {
  unsigned n = 0, row = point / board->cols, col = point % board->cols;
  if (row > 0)
    neighbours[n++] = point - board->cols;
  if (row + 1 < board->rows)
    neighbours[n++] = point + board->cols;
  if (col > 0)
    neighbours[n++] = point - 1;
  if (col + 1 < board->cols)
    neighbours[n++] = point + 1;
  return n;
}

void slow_chain_at(const slow_board *board, unsigned point, slow_chain *chain) {
  enum { UNSEEN = 0, STONE, LIBERTY };
  uint8_t seen[KM_POINT_MAX] = {0};
  uint16_t stack[KM_POINT_MAX];
  unsigned n_stack = 0, n_points = board->rows * board->cols;
  seen[point] = STONE;
  stack[n_stack++] = (uint16_t)point;
  while (n_stack) {
    unsigned p = stack[--n_stack], near[4], n = slow_neighbours(board, p, near);
    for (unsigned i = 0; i < n; i++) {
      if (board->stone[near[i]] == KM_EMPTY) {
        seen[near[i]] = LIBERTY;
      } else if (board->stone[near[i]] == board->stone[point] && seen[near[i]] == UNSEEN) {
        seen[near[i]] = STONE;
        stack[n_stack++] = (uint16_t)near[i];
      }
    }
  }
  chain->n_stones = chain->n_liberties = 0;
  for (unsigned p = 0; p < n_points; p++) {
    if (seen[p] == STONE)
      chain->stones[chain->n_stones++] = (uint16_t)p;
    if (seen[p] == LIBERTY)
      chain->liberties[chain->n_liberties++] = (uint16_t)p;
  }
}

/* Takes off the chain at point if it has no liberty. */
static void remove_if_dead(slow_board *board, unsigned point) {
  slow_chain chain;
  slow_chain_at(board, point, &chain);
  if (chain.n_liberties)
    return;
  board->prisoners[board->stone[point]] += chain.n_stones;
  for (unsigned i = 0; i < chain.n_stones; i++) {
    board->stone[chain.stones[i]] = KM_EMPTY;
    board->captured[board->n_captured++] = chain.stones[i];
  }
}

static void sort_captured(slow_board *board) {
  for (unsigned i = 1; i < board->n_captured; i++)
    for (unsigned j = i; j > 0 && board->captured[j] < board->captured[j - 1]; j--) {
      uint16_t p = board->captured[j];
      board->captured[j] = board->captured[j - 1];
      board->captured[j - 1] = p;
    }
}

void slow_play(slow_board *board, uint8_t colour, uint16_t point) {
  board->ko = -1;
  board->n_captured = 0;
  if (point == board->rows * board->cols)
    return;
  board->stone[point] = colour;
  unsigned near[4], n = slow_neighbours(board, point, near);
  for (unsigned i = 0; i < n; i++)
    if (board->stone[near[i]] == km_opponent(colour))
      remove_if_dead(board, near[i]);
  unsigned n_enemies = board->n_captured;
  remove_if_dead(board, point);
  slow_chain own;
  if (n_enemies == 1 && board->stone[point] == colour) {
    slow_chain_at(board, point, &own);
    if (own.n_stones == 1 && own.n_liberties == 1) {
      board->ko = board->captured[0];
      board->ko_colour = km_opponent(colour);
    }
  }
  sort_captured(board);
}

km_play_class slow_classify(const slow_board *board, uint8_t colour, uint16_t point) {
  if (point == board->rows * board->cols)
    return KM_PLAY_PASS;
  if (point == KM_POINT_BAD)
    return KM_PLAY_BAD_POINT;
  if (point > board->rows * board->cols)
    return KM_PLAY_OFFBOARD;
  if (board->stone[point] != KM_EMPTY)
    return KM_PLAY_OCCUPIED;
  slow_board after = *board;
  slow_play(&after, colour, point);
  if (after.stone[point] == KM_EMPTY)
    return KM_PLAY_SUICIDE;
  return board->ko == (int)point && board->ko_colour == colour ? KM_PLAY_KO : KM_PLAY_LEGAL;
}

void slow_setup(slow_board *board, uint8_t colour, uint16_t point) {
  board->ko = -1;
  board->n_captured = 0;
  board->stone[point] = colour;
}
