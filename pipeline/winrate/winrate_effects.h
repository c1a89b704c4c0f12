/* winrate_effects.h: by how much HBS differs between games that Black wins and loses, ply by ply. Of even games: a handicap
 * changes both S and who wins. */
#ifndef KIFUMILL_WINRATE_EFFECTS_H
#define KIFUMILL_WINRATE_EFFECTS_H

#include "kifumill/summary.h"

#include "position_store.h"

enum { KM_WR_SIGNALS = 4, KM_WR_EFFECT_PLIES = 401 }; /* plies beyond the last are left out */

/* Plain memory: start from zeros. moments[won] of a signal at a ply; a game counts once. */
typedef struct km_wr_effects {
  km_moments moments[KM_WR_SIGNALS][KM_WR_EFFECT_PLIES][2];
} km_wr_effects;

const char *km_wr_signal_name(unsigned signal);
const char *km_wr_signal_doc(unsigned signal);

void km_wr_effects_add(km_wr_effects *effects, const km_position *row);

/* The difference won − lost with its standard error (unequal variances), and in pooled standard deviations. */
typedef struct km_wr_effect {
  double difference, se, d;
} km_wr_effect;
/* 0 unless there are two games of both kinds. */
int km_wr_effects_at(const km_wr_effects *effects, unsigned signal, unsigned ply, km_wr_effect *effect);

#endif
