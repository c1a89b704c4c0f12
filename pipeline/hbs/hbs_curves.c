/* hbs_curves.c: channels, and the sets of mean curves. */
#include "hbs_curves.h"

#include <stdlib.h>
#include <string.h>

enum {
  FULL_BINS = 16, /* bins of a histogram a unit of log2: full curves, and those by strata on request */
  STRATUM_BINS = 4,
};
static const size_t max_bytes = (size_t)1 << 30; /* of one set of mean curves */

/* ---- channels
 * ---------------------------------------------------------------------------------------------------- */

const char *km_quantity_name(km_quantity quantity) {
  static const char *const names[KM_QUANTITIES] = {"s", "log2", "delta", "d1", "d2", "layer", "log2_layer"};
  return names[quantity];
}

/* Bits of the largest S. */
static unsigned bits_of_s(const km_curve_plan *plan) {
  km_hbs_value most = km_hbs_max(plan->size, plan->geometry.variant);
  unsigned i = KM_HBS_LIMBS_MAX;
  while (i > 0 && most.limb[i - 1] == 0)
    i--;
  return i == 0 ? 1 : 64 * i - (unsigned)__builtin_clzll(most.limb[i - 1]);
}

/* S times the number of fractions. */
static unsigned bits_of_fractions(const km_curve_plan *plan) {
  return bits_of_s(plan) + 64 - (unsigned)__builtin_clzll(plan->fractions);
}
unsigned km_curve_fraction_limbs(const km_curve_plan *plan) {
  return plan->geometry.n_limbs + (bits_of_fractions(plan) >= 64 * plan->geometry.n_limbs);
}

size_t km_curve_channels(const km_curve_plan *plan, km_by by, int by_fraction, km_channel *channels) {
  unsigned n_limbs = plan->geometry.n_limbs, n_layers = by == KM_BY_RESULT ? plan->geometry.n_layers : 0;
  unsigned bits = bits_of_s(plan);
  km_mean_channel exact = {n_limbs, 1, bits, KM_MEAN_STEPS, 0},
                  change = {n_limbs, 1, bits, KM_MEAN_CHANGES, KM_OF_S},
                  change2 = {n_limbs, 1, bits + 1, KM_MEAN_CHANGES2, KM_OF_D1},
                  fraction = {km_curve_fraction_limbs(plan), plan->fractions, bits_of_fractions(plan),
                              KM_MEAN_SPIKES, 0},
                  real = {.kind = KM_MEAN_STEPS}, real_fraction = {.kind = KM_MEAN_SPIKES};
  size_t n = 0; /* the first ones are where their names say */
  channels[n++] = (km_channel){KM_OF_S, 0, 0, by_fraction ? fraction : exact};
  channels[n++] = (km_channel){KM_OF_LOG2, 0, 0, by_fraction ? real_fraction : real};
  if (by == KM_BY_RESULT && !by_fraction) {
    channels[n++] = (km_channel){KM_OF_DELTA, 0, plan->window, exact};
    channels[n++] = (km_channel){KM_OF_D1, 0, 1, change};
    channels[n++] = (km_channel){KM_OF_D2, 0, 2, change2};
    for (unsigned k = 0; k < n_layers; k++)
      channels[n++] = (km_channel){KM_OF_LAYER, (uint8_t)k, 0, exact};
  }
  for (unsigned k = 0; k < n_layers; k++)
    channels[n++] = (km_channel){KM_OF_LOG2_LAYER, (uint8_t)k, 0, real};
  return n;
}

/* ---- sets
 * -------------------------------------------------------------------------------------------------------- */

static unsigned n_strata(const km_curve_plan *plan, km_by by) {
  return by == KM_BY_RESULT ? KM_RESULT_STRATA
                            : km_strata_n(plan->strata, (km_strata_of){by, plan->size, plan->colour});
}
size_t km_curve_kinds(const km_curve_plan *plan, km_by kinds[KM_BY_COUNT]) {
  size_t n = 0;
  for (int by = 0; by < KM_BY_COUNT && plan->with_curves; by++)
    if ((by == KM_BY_RESULT || plan->mask >> by & 1) && n_strata(plan, (km_by)by))
      kinds[n++] = (km_by)by;
  return n;
}

/* The options of a set of curves; shapes has KM_MEAN_CHANNELS_MAX. */
static km_mean_options mean_options(const km_curve_plan *plan, km_by by, int by_fraction,
                                    km_mean_channel *shapes) {
  km_channel channels[KM_MEAN_CHANNELS_MAX];
  size_t n = km_curve_channels(plan, by, by_fraction, channels);
  for (size_t i = 0; i < n; i++)
    shapes[i] = channels[i].shape;
  return (km_mean_options){.channels = shapes,
                           .n_channels = n,
                           .n_strata = n_strata(plan, by),
                           .n_points = by_fraction ? plan->fractions + 1 : plan->n_places,
                           .max_bytes = max_bytes,
                           .histogram_channel = KM_OF_LOG2,
                           .histogram_max = 4u * plan->size + 2,
                           .bins_per_unit = by == KM_BY_RESULT ? FULL_BINS : STRATUM_BINS};
}

km_status km_curve_set_open(km_curve_set *set, const km_curve_plan *plan, km_err *err) {
  *set = (km_curve_set){.plan = plan};
  km_status status = KM_OK;
  km_mean_channel shapes[KM_MEAN_CHANNELS_MAX];
  km_by kinds[KM_BY_COUNT];
  size_t n = km_curve_kinds(plan, kinds);
  for (size_t i = 0; i < n && status == KM_OK; i++) {
    km_mean_options options = mean_options(plan, kinds[i], 0, shapes);
    if (plan->by_move)
      status = km_mean_curves_new(&set->move[kinds[i]], &options, err);
    options = mean_options(plan, kinds[i], 1, shapes);
    if (status == KM_OK && plan->by_fraction)
      status = km_mean_curves_new(&set->fraction[kinds[i]], &options, err);
  }
  set->first =
      calloc(plan->with_curves ? plan->geometry.n_layers * (plan->n_places + 1) + 1 : 1, sizeof *set->first);
  if (status == KM_OK && !set->first)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  if (status != KM_OK)
    km_curve_set_close(set);
  return status;
}

void km_curve_set_close(km_curve_set *set) {
  for (int by = 0; by < KM_BY_COUNT; by++) {
    km_mean_curves_free(set->move[by]);
    km_mean_curves_free(set->fraction[by]);
  }
  free(set->first);
  *set = (km_curve_set){.plan = set->plan};
}

size_t km_curve_set_need(const km_curve_plan *plan) {
  size_t need = plan->with_curves ? plan->geometry.n_layers * (plan->n_places + 1) * sizeof(uint64_t) : 0;
  km_by kinds[KM_BY_COUNT];
  size_t n = km_curve_kinds(plan, kinds);
  for (size_t i = 0; i < n; i++) {
    km_mean_channel shapes[KM_MEAN_CHANNELS_MAX];
    for (int fraction = 0; fraction < 2; fraction++) {
      km_mean_options options = mean_options(plan, kinds[i], fraction, shapes);
      if (fraction ? plan->by_fraction : plan->by_move)
        need +=
            options.n_strata * km_mean_curves_need(&options, fraction ? plan->fractions + 1 : plan->longest);
    }
  }
  return need;
}

/* ---- adding
 * ------------------------------------------------------------------------------------------------------ */

static void add_steps(km_step_counts *into, const km_step_counts *from) {
  into->moves += from->moves;
  into->rising += from->rising;
  into->unchanged += from->unchanged;
  into->falling += from->falling;
  into->falling_without_capture += from->falling_without_capture;
  into->games += from->games;
  into->games_falling += from->games_falling;
  into->games_falling_without_capture += from->games_falling_without_capture;
}

/* The sets there are, in the order of km_curve_kinds. */
static size_t list_sets(km_mean_curves *const by[KM_BY_COUNT], km_mean_curves *list[KM_BY_COUNT]) {
  size_t n = 0;
  for (int i = 0; i < KM_BY_COUNT; i++)
    if (by[i])
      list[n++] = by[i];
  return n;
}

km_status km_curve_set_add(km_curve_set *set, const km_curve_games *games, km_err *err) {
  km_mean_curves *sets[KM_BY_COUNT];
  km_status status = KM_OK;
  size_t n = list_sets(set->move, sets), stride = set->plan->n_places + 1;
  if (n)
    status = km_mean_curves_add(sets, n, games->move, games->n, err);
  n = list_sets(set->fraction, sets);
  if (n && status == KM_OK)
    status = km_mean_curves_add(sets, n, games->fraction, games->n, err);
  for (size_t i = 0; i < games->n; i++)
    for (unsigned k = 0; k < set->plan->geometry.n_layers; k++)
      set->first[k * stride + games->first[i][k]]++;
  add_steps(&set->steps, &games->steps);
  return status;
}

km_status km_curve_set_merge(km_curve_set *into, const km_curve_set *from, km_err *err) {
  const km_curve_plan *plan = into->plan;
  km_status status = KM_OK;
  for (int by = 0; by < KM_BY_COUNT && status == KM_OK; by++) {
    if (into->move[by])
      status = km_mean_curves_merge(into->move[by], from->move[by], err);
    if (status == KM_OK && into->fraction[by])
      status = km_mean_curves_merge(into->fraction[by], from->fraction[by], err);
  }
  if (plan->with_curves)
    for (size_t i = 0; i < plan->geometry.n_layers * (plan->n_places + 1); i++)
      into->first[i] += from->first[i];
  add_steps(&into->steps, &from->steps);
  return status;
}

km_status km_curve_set_complete(km_curve_set *set, km_err *err) {
  km_mean_curves *full[] = {set->move[KM_BY_RESULT], set->fraction[KM_BY_RESULT]};
  km_status status = KM_OK;
  for (int i = 0; i < 2; i++)
    for (size_t part = 0; full[i] && part < KM_RESULT_ALL && status == KM_OK; part++)
      status = km_mean_curves_fold(full[i], KM_RESULT_ALL, part, err);
  return status;
}

/* ---- walking
 * ----------------------------------------------------------------------------------------------------- */

int km_curve_next(const km_curve_set *set, km_curve *curve) {
  km_curve at = *curve;
  if (at.set)
    at.stratum++;
  for (at.set = set; at.by_fraction < 2; at.by_fraction++, at.by = 0) {
    for (; at.by < KM_BY_COUNT; at.by++, at.stratum = 0) {
      at.curves = at.by_fraction ? set->fraction[at.by] : set->move[at.by];
      for (; at.curves && at.stratum < n_strata(set->plan, at.by); at.stratum++)
        if (km_mean_curves_games(at.curves, at.stratum)) {
          *curve = at;
          return 1;
        }
    }
  }
  return 0;
}
