/* winrate_position.h: the columns of positions, by replay: the game is followed with HBS of both colours, and any position
 * on the way can be asked for its row.
 *
 *     km_wr_walk_start(walk, game);
 *     do
 *       if (wanted(walk->replay.ply)) km_wr_walk_row(walk, values);
 *     while (km_wr_walk_step(walk) == KM_OK);
 *
 * A step costs a replayed move and two HBS updates; a row some microseconds, most of it for eyes. One walk a worker; nothing is
 * allocated on the way. */
#ifndef KIFUMILL_WINRATE_POSITION_H
#define KIFUMILL_WINRATE_POSITION_H

#include "winrate_columns.h"

#include "kifumill/hbs_trajectory.h"

/* One board size and variant; shared by all workers. */
typedef struct km_wr_geometry {
  km_hbs_geometry colour[2]; /* Black's, White's */
  unsigned board, n_layers, n_limbs, window;
} km_wr_geometry;
/* KM_ERR_USAGE for a variant that names a colour. */
km_status km_wr_geometry_init(km_wr_geometry *geometry, unsigned board, const char *variant, unsigned window, km_err *err);

typedef struct km_wr_walk {
  const km_wr_geometry *geometry;
  km_replay replay;
  km_hbs hbs[2];
  uint64_t *past; /* ring of window + 1 places: S of both colours, KM_HBS_LIMBS_MAX limbs each */
  uint8_t eyes[KM_POINT_MAX];
} km_wr_walk;
km_wr_walk *km_wr_walk_new(const km_wr_geometry *geometry); /* NULL when memory is out */
void km_wr_walk_free(km_wr_walk *walk);

void km_wr_walk_start(km_wr_walk *walk, const km_game *game);
km_status km_wr_walk_step(km_wr_walk *walk); /* as km_replay_step */

/* log2(1+S) and log2(1+L) of both colours, the part of a row that styles need: values[KM_WR_LOG2_BLACK…] and layers. */
void km_wr_walk_hbs(const km_wr_walk *walk, float *values);
/* The whole row but what externals say (NaN). */
void km_wr_walk_row(km_wr_walk *walk, float *values);

#endif
