/* features.h: what a position or a move looks like: true eyes, ladders, and the seven GNU Go style features
 * of a move. Definitions: SPEC §7.3 (eyes, ladders), §7.4 (features). */
#ifndef KIFUMILL_FEATURES_H
#define KIFUMILL_FEATURES_H

#include "kifumill/board.h"
#include "kifumill/err.h"

/* eye[p] = 1 where p is a true eye of colour, else 0 (n_points bytes); returns how many there are. Being the
 * greatest set of its kind, an eye may rest on another one across a diagonal. */
size_t km_true_eyes(const km_board *board, uint8_t colour, uint8_t *eye);

/* The features of a move of a player at an empty point. Where the move is illegal, can_*, creates_eye and
 * liberties_after are 0 and enemy_liberties is -1. */
typedef struct km_move_features {
  uint16_t pattern; /* base-4 code of the 8 neighbours row by row, first most significant: 0 empty, 1 own,
                       2 opponent's, 3 off the board */
  uint16_t pattern_canonical; /* the least code over the 8 symmetries */
  uint8_t can_capture;        /* takes at least one stone */
  uint8_t can_connect;        /* joins at least two own chains */
  uint8_t creates_eye;        /* gives the player, anywhere, a true eye that was none before */
  uint8_t distance_to_edge;   /* 0 on the first line */
  uint16_t liberties_after;   /* of the chain of the stone played */
  int16_t enemy_liberties; /* least liberties after the move of the opponent's chains beside it, captured 0 */
} km_move_features;

/* The columns of move_features datasets, in order, and their values. */
enum { KM_MOVE_FEATURES = 8 };
const char *km_move_feature_name(unsigned i);
const char *km_move_feature_doc(unsigned i);
int32_t km_move_feature_value(const km_move_features *features, unsigned i);

/* Reads positions: owns a scratch board and the ladder reader's memory; made once, used for any number of
 * positions of boards up to 52×52. */
typedef struct km_feature_reader km_feature_reader;

/* variants: KM_VARIANT_SENSIBLE, KM_VARIANT_DEPTH50 of layout.h, for the ladders. KM_ERR_NOMEM. */
km_status km_feature_reader_new(km_feature_reader **reader, uint32_t variants, km_err *err);
void km_feature_reader_free(km_feature_reader *reader); /* NULL is fine */

/* Takes a position (copied); then the questions below are about it. */
void km_feature_reader_set(km_feature_reader *reader, const km_board *board);

/* The features of me's move at an empty point. */
void km_feature_reader_move(km_feature_reader *reader, uint8_t me, uint16_t point,
                            km_move_features *features);
/* Points at which me captures a chain in a ladder (plane 44), resp. rescues one in atari (plane 45):
 * points[0…], in order (room for n_points); returns how many. */
size_t km_feature_reader_ladder_captures(km_feature_reader *reader, uint8_t me, uint16_t *points);
size_t km_feature_reader_ladder_escapes(km_feature_reader *reader, uint8_t me, uint16_t *points);
/* Chains whose ladder was given up as too costly (32,768 positions) and counted as escaping, so far. Of 1.6
 * million positions of human games the costliest chain took 1,107, so that only made-up boards come here. */
uint64_t km_feature_reader_ladders_cut(const km_feature_reader *reader);

#endif
