/* row_columns.h: the datasets of a shard as one table, and rows written into a block of them. */
#ifndef KIFUMILL_ROW_COLUMNS_H
#define KIFUMILL_ROW_COLUMNS_H

#include "track.h"

#include "kifumill/features.h"
#include "kifumill/table.h"

enum { KM_ROW_COLUMNS_MAX = 11 };

typedef struct km_row_columns {
  km_column columns[KM_ROW_COLUMNS_MAX];
  size_t n_columns;
  size_t n_row_bytes;           /* of the planes */
  size_t n_bytes;               /* of a row, all told */
  uint32_t narrow_times;        /* chunks of planes that a chunk of the narrow columns covers (table.h) */
  unsigned win_at, features_at; /* numbers of the columns on request; 0: not there */
} km_row_columns;
void km_row_columns_init(km_row_columns *columns, const km_planes_settings *settings);

/* Where the rows of a block go. */
typedef struct km_row_sink {
  size_t n_row_bytes;
  uint8_t *planes;
  int16_t *policy;
  int8_t *value;
  float *score, *komi;
  uint8_t *to_play;
  uint32_t *game;
  uint16_t *ply;
  uint8_t *symmetry;
  float *black_win;  /* NULL: not wanted, also below */
  int32_t *features; /* KM_MOVE_FEATURES a row */
} km_row_sink;
/* The last n_rows rows of a block; void when it grows or is packed. */
void km_row_sink_init(km_row_sink *sink, const km_row_columns *columns, km_block *block, size_t n_rows);

/* All of row i but for planes and features. */
static inline void km_row_sink_put(const km_row_sink *sink, size_t i, const km_row_facts *facts) {
  int8_t value = km_value_target(facts->winner, facts->to_play);
  sink->policy[i] = facts->policy;
  sink->value[i] = value;
  sink->score[i] = value == KM_WINNER_UNKNOWN ? NAN : (float)value * facts->margin;
  sink->komi[i] = facts->komi;
  sink->to_play[i] = facts->to_play;
  sink->game[i] = facts->game;
  sink->ply[i] = facts->ply;
  sink->symmetry[i] = facts->symmetry;
  if (sink->black_win)
    sink->black_win[i] = facts->black_win;
}

#endif
