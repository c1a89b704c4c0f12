/* winrate_columns.h: what is known of a position, one number a column, and the sets of columns that models use.
 *
 * A row is a head and n_columns floats. Layers come last, since their number depends on the board: first Black's, outermost
 * first, then White's. */
#ifndef KIFUMILL_WINRATE_COLUMNS_H
#define KIFUMILL_WINRATE_COLUMNS_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

/* Of each colour's columns White's follows Black's. */
typedef enum km_wr_column {
  KM_WR_PLY = 0,
  KM_WR_KOMI,
  KM_WR_KOMI_UNKNOWN,
  KM_WR_HANDICAP,
  KM_WR_LOG2_BLACK,
  KM_WR_LOG2_WHITE,
  KM_WR_DELTA_BLACK,
  KM_WR_DELTA_WHITE,
  KM_WR_DELTA_S_BLACK,
  KM_WR_DELTA_S_WHITE,
  KM_WR_DIFFERENCE,
  KM_WR_STONES_BLACK,
  KM_WR_STONES_WHITE,
  KM_WR_CHAINS_BLACK,
  KM_WR_CHAINS_WHITE,
  KM_WR_LIBERTIES_BLACK,
  KM_WR_LIBERTIES_WHITE,
  KM_WR_ATARI_CHAINS_BLACK,
  KM_WR_ATARI_CHAINS_WHITE,
  KM_WR_ATARI_STONES_BLACK,
  KM_WR_ATARI_STONES_WHITE,
  KM_WR_EYES_BLACK,
  KM_WR_EYES_WHITE,
  KM_WR_LOST_BLACK,
  KM_WR_LOST_WHITE,
  KM_WR_OPINION,   /* win-rate of an external, NaN elsewhere */
  KM_WR_SCORE,     /* its score lead */
  KM_WR_SCORE_PLY, /* score lead times ply/100 */
  KM_WR_LAYERS,    /* first of the layers */
} km_wr_column;

enum { KM_WR_LAYERS_MAX = 27, KM_WR_COLUMNS_MAX = KM_WR_LAYERS + 2 * KM_WR_LAYERS_MAX, KM_WR_NAME = 24 };

/* A set of columns as a mask; all columns fit. */
typedef unsigned __int128 km_wr_mask;

typedef struct km_wr_set {
  const char *name, *doc;
  km_wr_mask (*mask)(unsigned n_layers);
} km_wr_set;
extern const km_wr_set km_wr_sets[];
extern const size_t km_n_wr_sets;
enum { KM_WR_SETS_MAX = 16 };
/* Numbers of sets that others are measured against. */
enum { KM_WR_SET_CONSTANT = 0, KM_WR_SET_PLY_KOMI = 1 };

/* Reads "all" or "hbs,local": *chosen gets bit i for set i; constant and ply_komi, which all are measured against, are always
 * there. KM_ERR_USAGE. */
km_status km_wr_sets_parse(unsigned *chosen, const char *text, km_err *err);

static inline size_t km_wr_n_columns(unsigned n_layers) {
  return KM_WR_LAYERS + 2 * (size_t)n_layers;
}
/* Name of a column of a board of that side ("layer_black_19"); returns text. */
char *km_wr_column_name(char text[KM_WR_NAME], size_t column, unsigned board, unsigned n_layers);
const char *km_wr_column_doc(size_t column);

/* The columns of a mask, ascending; returns how many. */
size_t km_wr_mask_columns(km_wr_mask mask, uint8_t columns[KM_WR_COLUMNS_MAX]);

#endif
