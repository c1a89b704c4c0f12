/* winrate_data.h: from games.h5 to rows: counting games, sampling positions, joining win-rates of others, players' curves.
 *
 * Two passes over the games. The census reads facts only: who won, how long, who played; it fixes segments, thinning and
 * players. The scan replays in parallel and adds in the order of games, so that everything is a function of the file, the
 * options and the seed. */
#ifndef KIFUMILL_WINRATE_DATA_H
#define KIFUMILL_WINRATE_DATA_H

#include "opinions.h"
#include "winrate_effects.h"
#include "winrate_plan.h"
#include "winrate_progress.h"
#include "winrate_styles.h"

enum { KM_WR_EXTERNALS = 6 }; /* the file, and what records may hold by km_eval_source (0 unused) */

typedef struct km_wr_counts {
  uint64_t read, other_size, no_winner, drawn, thinned, used, black_won;
} km_wr_counts;

/* Where the rows of an external went; its series in the store is n_segments + its number. */
typedef struct km_wr_external {
  char name[80];
  uint64_t rows, matched, games, no_game, ambiguous, no_ply, not_used, duplicate;
  uint64_t with_win, with_score; /* of the matched */
} km_wr_external;

typedef struct km_wr_segment_counts {
  uint64_t games, positions, won; /* won: positions */
} km_wr_segment_counts;

typedef struct km_wr_data {
  const km_winrate_options *options;
  km_games *games;
  km_wr_plan plan;
  km_wr_geometry geometry;
  km_opinions *opinions; /* NULL: none */
  km_styles_options style_options;
  km_styles *styles;
  km_position_store *store;
  km_wr_effects *effects;
  km_wr_counts counts;
  uint64_t n_positions, n_checked;
  km_wr_segment_counts segments[KM_WR_SEGMENTS_MAX];
  km_wr_external external[KM_WR_EXTERNALS];
} km_wr_data;

/* Opens inputs and counts. On failure too, km_wr_data_close. */
km_status km_wr_data_open(km_wr_data *data, const km_winrate_options *options, km_err *err);
/* Fills the store, effects, styles, externals. */
km_status km_wr_data_scan(km_wr_data *data, km_wr_progress *progress, km_err *err);
void km_wr_data_close(km_wr_data *data);

/* winrate_check.c: whether hbs.h5 belongs to the games, and what it says of some of them is what replay says. n_checked: how many. */
km_status km_wr_check_hbs(const km_games *games, const char *path, uint64_t *n_checked, km_err *err);

#endif
