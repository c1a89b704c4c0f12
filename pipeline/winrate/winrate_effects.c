/* winrate_effects.c: two means a signal and ply. */
#include "winrate_effects.h"

#include "winrate_columns.h"

#include <math.h>

static const km_wr_column signals[KM_WR_SIGNALS] = {KM_WR_LOG2_BLACK, KM_WR_LOG2_WHITE, KM_WR_DELTA_BLACK,
                                                    KM_WR_DELTA_WHITE};

const char *km_wr_signal_name(unsigned signal) {
  static const char *const names[KM_WR_SIGNALS] = {"log2_black", "log2_white", "delta_black", "delta_white"};
  return names[signal];
}
const char *km_wr_signal_doc(unsigned signal) { return km_wr_column_doc(signals[signal]); }

void km_wr_effects_add(km_wr_effects *effects, const km_position *row) {
  if (row->ply >= KM_WR_EFFECT_PLIES)
    return;
  for (unsigned s = 0; s < KM_WR_SIGNALS; s++)
    km_moments_add(&effects->moments[s][row->ply][row->won], row->value[signals[s]]);
}

int km_wr_effects_at(const km_wr_effects *effects, unsigned signal, unsigned ply, km_wr_effect *effect) {
  const km_moments *lost = &effects->moments[signal][ply][0], *won = &effects->moments[signal][ply][1];
  if (lost->n < 2 || won->n < 2)
    return 0;
  double pooled = sqrt((lost->m2 + won->m2) / (lost->n + won->n - 2));
  effect->difference = won->mean - lost->mean;
  effect->se = sqrt(km_moments_variance(lost) / lost->n + km_moments_variance(won) / won->n);
  effect->d = pooled > 0 ? effect->difference / pooled : NAN;
  return 1;
}
