/* encoder.h: training rows from a game as it is replayed.
 *
 *     km_replay_init(&replay, game, …);         km_plane_encoder_begin(encoder, &replay);
 *     do {
 *       … km_plane_encoder_encode(encoder, &replay.board, km_game_to_play(game, replay.ply), k, row) …
 *     } while (km_replay_step(&replay) == KM_OK && (km_plane_encoder_follow(encoder, &replay), 1));
 *
 * It allocates at its making only. A row is n_planes planes of plane_bytes each:
 *
 *   bits    plane_bytes = ceil(rows·cols/8); point p is bit 0x80 >> p%8 of byte p/8, the bits left over are 0
 *
 *   bytes   plane_bytes = rows·cols; point p is byte p, 0 or 1
 *
 * so that 17 planes of 19×19 are 782 bytes packed.
 *
 * The trick: for each symmetry in use and each player's view it keeps the stones, packed and turned as they
 * stand in a row, of every step, in one buffer that is written backwards, newest first:
 *
 *   head → own_0 opponent_0 own_1 opponent_1 … own_7 opponent_7 | older steps
 *
 * A move copies one step in front of the head and flips the bits that changed; a row of the alphago-zero
 * layout is then one copy of 16 planes that stand next to each other, and the colour plane. */
#ifndef KIFUMILL_ENCODER_H
#define KIFUMILL_ENCODER_H

#include "kifumill/board.h"
#include "kifumill/err.h"
#include "kifumill/layout.h"
#include "kifumill/replay.h"
#include "kifumill/symmetry.h"

typedef enum km_packing { KM_PACK_BITS, KM_PACK_BYTES } km_packing;

typedef struct km_plane_options {
  const km_layout *layout;
  uint32_t variants;  /* km_plane_variant, those of the layout */
  uint8_t rows, cols; /* 1…52 */
  uint8_t symmetries; /* bit k: rows under symmetry k will be asked for; 0xff all that fit the board */
  uint8_t packing;    /* km_packing */
} km_plane_options;

typedef struct km_plane_encoder km_plane_encoder;

/* The encoder starts as after a reset. KM_ERR_USAGE when the options make no sense, KM_ERR_NOMEM. */
km_status km_plane_encoder_new(km_plane_encoder **encoder, const km_plane_options *options, km_err *err);
void km_plane_encoder_free(km_plane_encoder *encoder); /* NULL is fine */

/* As given, with symmetries cut down to those in use. */
const km_plane_options *km_plane_encoder_options(const km_plane_encoder *encoder);
size_t km_plane_encoder_n_planes(const km_plane_encoder *encoder);
size_t km_plane_encoder_plane_bytes(const km_plane_encoder *encoder);
size_t km_plane_encoder_row_bytes(const km_plane_encoder *encoder);

/* Position 0 of a replay just initialised. */
void km_plane_encoder_begin(km_plane_encoder *encoder, const km_replay *replay);
/* The next position: after each km_replay_step that gave KM_OK. */
void km_plane_encoder_follow(km_plane_encoder *encoder, const km_replay *replay);

/* The same for those who have a board but no replay. An empty board before the first move: */
void km_plane_encoder_reset(km_plane_encoder *encoder);
/* A set-up stone, or its removal (KM_EMPTY): changes the present position in place. */
void km_plane_encoder_setup(km_plane_encoder *encoder, uint8_t colour, uint16_t point);
/* Right after km_board_play(board, colour, point), or km_board_try that was legal: a new position, also for a
 * pass. */
void km_plane_encoder_push(km_plane_encoder *encoder, const km_board *board, uint8_t colour, uint16_t point);

/* Writes the row of the present position, to_play to move, under symmetry k (one of options.symmetries) to
 * row (row_bytes). board is the board that the encoder follows. */
void km_plane_encoder_encode(km_plane_encoder *encoder, const km_board *board, uint8_t to_play, int k,
                             uint8_t *row);

/* Ladders given up as too costly so far, see features.h; 0 for layouts without. */
uint64_t km_plane_encoder_ladders_cut(const km_plane_encoder *encoder);

/* The policy index under symmetry k of a move at point: of a pass rows·cols, whatever k. */
static inline uint16_t km_policy_index(int k, unsigned rows, unsigned cols, uint16_t point) {
  return km_symmetry_point(k, rows, cols, point);
}

/* The value for the player to move of a game that winner won (KM_WINNER_…): 1, -1, a draw 0, or unknown. */
static inline int8_t km_value_target(int8_t winner, uint8_t to_play) {
  return winner == KM_WINNER_UNKNOWN || to_play == KM_BLACK ? winner : (int8_t)-winner;
}

/* Unpacks one plane of bits into bytes of 0 and 1. */
void km_plane_unpack(const uint8_t *bits, size_t n_points, uint8_t *bytes);

#endif
