/* slow_features.h: the 17 and 48 planes and the seven point features by the letter of SPEC §2, §5, §7.3,
 * §7.4, from plain arrays, recomputed from scratch, with board copies instead of undo. Slow, obvious,
 * independent of the library. */
#ifndef KM_TESTS_SLOW_FEATURES_H
#define KM_TESTS_SLOW_FEATURES_H

#include "slow_board.h"

/* SPEC §2 without superko; point is on the board. */
int slow_legal(const slow_board *position, uint8_t colour, unsigned point);

/* eye[p] = 1 for the true eyes of colour. */
void slow_true_eyes(const slow_board *position, uint8_t colour, uint8_t *eye);

/* options: KM_VARIANT_SENSIBLE, KM_VARIANT_DEPTH50 (layout.h). mark[p] = 1 for the points of plane 44, 45. */
void slow_ladder_captures(const slow_board *position, uint8_t me, unsigned options, uint8_t *mark);
void slow_ladder_escapes(const slow_board *position, uint8_t me, unsigned options, uint8_t *mark);

/* age[p]: turns since the stone was put, -1 none (set-up). Writes 49 planes of rows·cols bytes. */
void slow_planes48(const slow_board *position, uint8_t me, const int *age, unsigned variants,
                   uint8_t *planes);

typedef struct slow_move_features {
  int pattern, pattern_canonical, can_capture, can_connect, creates_eye, liberties_after, enemy_liberties,
      distance_to_edge;
} slow_move_features;
void slow_move_features_at(const slow_board *position, uint8_t me, unsigned point,
                           slow_move_features *features);

/* A plane turned by symmetry k as SPEC §6's table of forward maps has it (k 0, 2, 4, 5 on a rectangle). */
void slow_turn(const uint8_t *plane, unsigned rows, unsigned cols, int k, uint8_t *turned);
unsigned slow_turn_point(unsigned rows, unsigned cols, int k, unsigned point);

/* The planes of a 17- or 18-plane layout. history[0] is the oldest of n positions, n ≥ 1; bytes
 * [planes][rows·cols]. */
void slow_history_planes(const char *layout, const slow_board *history, unsigned n, uint8_t to_play,
                         uint8_t *planes);

#endif
