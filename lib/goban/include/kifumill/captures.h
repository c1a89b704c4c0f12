/* captures.h: what moves take, and nothing else, of games in which all goes by the rules: twice as fast as the
 * board (bench_replay).
 *
 * HBS asks for no more than that, and ingest for little more. A move takes a chain beside it whose last
 * liberty it fills. Every cell counts the empty ones around it; nearly always the stone beside a move still
 * has one, and nothing more need be known. Else its chain is walked until a liberty is found. So there are no
 * chains to keep.
 *
 * What is out of the ordinary (a stone on a stone, suicide, a point beyond the board, a walk of more than
 * KM_CAPTURE_WALK stones, set-up but that of the root, or in which a stone is removed, put twice, or has no
 * liberty) is left to kifumill/replay.h: such a game is refused, and is played there from its beginning. */
#ifndef KIFUMILL_CAPTURES_H
#define KIFUMILL_CAPTURES_H

#include "kifumill/game.h"
#include "kifumill/hash.h"

enum {
  KM_CAPTURE_SITES_MAX = (KM_BOARD_MAX + 2) * (KM_BOARD_MAX + 1) + 1,
  KM_CAPTURE_WALK = 128,
};

/* Plain memory. Sites are points with a border row above and below, and a border column between rows. */
typedef struct km_captures {
  uint16_t n_points, n_captured, stride;
  uint32_t per_col, n_walks;
  uint16_t captured[4 * KM_CAPTURE_WALK]; /* points that the last move emptied */
  uint8_t cell[KM_CAPTURE_SITES_MAX];  /* 8·colour, or of the border; plus the number of empty neighbours */
  uint32_t seen[KM_CAPTURE_SITES_MAX]; /* the walk that was last here */
} km_captures;

/* The board with the root's set-up; 0: the game is out of the ordinary. */
int km_captures_init(km_captures *board, const km_game *game);
/* Plays a move, of which ko is not asked; 0: it is out of the ordinary, and the board of no more use. */
int km_captures_play(km_captures *board, km_move move);

/* Of the move just played, a stone: whether it took a single stone in a ko, so that the rule of simple ko
 * forbids to play at captured[0] now. */
int km_captures_starts_ko(const km_captures *board, km_move move);
/* And how it changed the positional hash (km_board.hash), an empty board's being 0. */
km_hash128 km_captures_hash(const km_captures *board, km_move move);
/* The hash of the stones of the root's set-up. */
km_hash128 km_captures_setup_hash(const km_game *game);

#endif
