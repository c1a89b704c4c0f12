/* row_select.h: which positions of a game become rows, and what each rule did to their number.
 *
 * The rules are applied one behind the other, each to what the one before it left; the choice depends on the
 * game, the options and the seed only. No board is needed. */
#ifndef KIFUMILL_ROW_SELECT_H
#define KIFUMILL_ROW_SELECT_H

#include "planes_settings.h"

#include "kifumill/games_store.h"

/* A rule of selection, in order. The count of a step is what is left after it. */
typedef enum km_select_step {
  KM_STEP_POSITIONS = 0, /* before any rule: the positions of games of the board */
  KM_STEP_UNKNOWN_RESULT,
  KM_STEP_HANDICAP_MOVES,
  KM_STEP_PLY,
  KM_STEP_LAST,
  KM_STEP_PLAYERS,
  KM_STEP_SAMPLE,
  KM_SELECT_STEPS
} km_select_step;
extern const char *const km_select_step_names[KM_SELECT_STEPS]; /* "positions", "after_unknown_result", … */

enum { KM_ROW_PLY_MAX = 65534 }; /* the datasets' type of ply, less its fill value */

typedef struct km_select_counts {
  uint64_t n_games;      /* all that there are */
  uint64_t n_other_size; /* of another board */
  uint64_t n_too_long;   /* longer than KM_ROW_PLY_MAX */
  uint64_t n_without;    /* of the board, but no position is left */
  uint64_t n_steps[KM_SELECT_STEPS];
  uint64_t n_split[KM_SPLITS]; /* positions in each split */
  uint64_t n_split_games[KM_SPLITS];
} km_select_counts;
void km_select_counts_add(km_select_counts *sum, const km_select_counts *counts);

/* The split that a game is in: a function of the seed and the key of its opening only. */
unsigned km_select_split(const km_planes_settings *settings, const km_game_keys *keys);

/* Fills plies (room for n_moves + 1) with the plies of the rows, rising; returns how many, and adds to
 * counts->n_steps. */
uint32_t km_select_plies(const km_planes_settings *settings, const km_game *game, const km_game_keys *keys,
                         uint16_t *plies, km_select_counts *counts);

/* The symmetry of row number `way` of a position. */
uint8_t km_select_symmetry(const km_planes_settings *settings, uint64_t game_id, uint32_t ply, unsigned way);

#endif
