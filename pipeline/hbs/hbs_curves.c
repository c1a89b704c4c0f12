/* hbs_curves.c: a game's channels, laid out in a worker's scratch, and the sets of mean curves that they are
 * added to. */
#include "hbs_curves.h"

#include <stddef.h>
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

size_t km_curve_channels(const km_curve_plan *plan, km_by by, int by_fraction, km_channel *channels) {
  unsigned n_limbs = plan->geometry.n_limbs, n_layers = by == KM_BY_RESULT ? plan->geometry.n_layers : 0;
  km_mean_channel exact = {n_limbs, 1}, real = {0, 0}, fraction = {n_limbs + 1, plan->fractions};
  size_t n = 0;
  channels[n++] = (km_channel){KM_OF_S, 0, 0, by_fraction ? fraction : exact};
  channels[n++] = (km_channel){KM_OF_LOG2, 0, 0, real};
  if (by == KM_BY_RESULT && !by_fraction) {
    channels[n++] = (km_channel){KM_OF_DELTA, 0, plan->window, exact};
    channels[n++] = (km_channel){KM_OF_D1, 0, 1, exact};
    channels[n++] = (km_channel){KM_OF_D2, 0, 2, exact};
    for (unsigned k = 0; k < n_layers; k++)
      channels[n++] = (km_channel){KM_OF_LAYER, (uint8_t)k, 0, exact};
  }
  for (unsigned k = 0; k < n_layers; k++)
    channels[n++] = (km_channel){KM_OF_LOG2_LAYER, (uint8_t)k, 0, real};
  return n;
}

/* ---- scratch
 * ----------------------------------------------------------------------------------------------------- */

struct km_curve_scratch {
  size_t plies;              /* room */
  uint64_t *delta, *d1, *d2; /* [plies][n_limbs] */
  double *log2_layer;        /* [n_layers][plies] */
  uint64_t *s_fraction;      /* [M + 1][n_limbs + 1] */
  double *log2_fraction;     /* [1 + n_layers][M + 1] */
};

km_curve_scratch *km_curve_scratch_new(const km_curve_plan *plans, size_t n_plans) {
  size_t plies = 2, layers = 1, fractions = 1;
  for (size_t i = 0; i < n_plans; i++) {
    if (!plans[i].with_curves)
      continue;
    plies = plans[i].longest > plies ? plans[i].longest : plies;
    layers = plans[i].geometry.n_layers > layers ? plans[i].geometry.n_layers : layers;
    fractions = plans[i].fractions;
  }
  km_curve_scratch *scratch = calloc(1, sizeof *scratch);
  if (!scratch)
    return NULL;
  scratch->plies = plies;
  scratch->delta = malloc(plies * KM_HBS_LIMBS_MAX * sizeof(uint64_t));
  scratch->d1 = malloc(plies * KM_HBS_LIMBS_MAX * sizeof(uint64_t));
  scratch->d2 = malloc(plies * KM_HBS_LIMBS_MAX * sizeof(uint64_t));
  scratch->log2_layer = malloc(plies * layers * sizeof(double));
  scratch->s_fraction = malloc((fractions + 1) * (KM_HBS_LIMBS_MAX + 1) * sizeof(uint64_t));
  scratch->log2_fraction = malloc((fractions + 1) * (layers + 1) * sizeof(double));
  if (!scratch->delta || !scratch->d1 || !scratch->d2 || !scratch->log2_layer || !scratch->s_fraction ||
      !scratch->log2_fraction) {
    km_curve_scratch_free(scratch);
    return NULL;
  }
  return scratch;
}

void km_curve_scratch_free(km_curve_scratch *scratch) {
  if (!scratch)
    return;
  free(scratch->delta);
  free(scratch->d1);
  free(scratch->d2);
  free(scratch->log2_layer);
  free(scratch->s_fraction);
  free(scratch->log2_fraction);
  free(scratch);
}

/* log2(1 + L) of one layer at every ply; a move changes one layer, so most are as before. */
static void fill_layer(double *out, const uint64_t *layer, size_t n, size_t stride, unsigned n_limbs) {
  out[0] = km_hbs_log2(layer, n_limbs);
  for (size_t t = 1; t < n; t++) {
    uint64_t changed = 0;
    layer += stride;
    for (unsigned i = 0; i < n_limbs; i++)
      changed |= layer[i] ^ layer[(ptrdiff_t)i - (ptrdiff_t)stride];
    out[t] = changed ? km_hbs_log2(layer, n_limbs) : out[t - 1];
  }
}

static void fill_by_move(km_curve_scratch *scratch, const km_curve_plan *plan, const km_curve_game *game) {
  unsigned n_limbs = plan->geometry.n_limbs;
  km_hbs_delta_clip(scratch->delta, game->s, game->n, n_limbs, plan->window);
  km_hbs_delta_clip(scratch->d1, game->s, game->n, n_limbs, 1);
  memset(scratch->d2, 0, (game->n < 2 ? game->n : 2) * n_limbs * sizeof(uint64_t));
  km_hbs_diff2(scratch->d2 + 2 * n_limbs, game->s, game->n, n_limbs);
}

void km_curve_scratch_fill(km_curve_scratch *scratch, const km_curve_plan *plan, const km_curve_game *game) {
  unsigned n_limbs = plan->geometry.n_limbs, n_layers = plan->geometry.n_layers;
  uint32_t m = plan->fractions;
  for (unsigned k = 0; k < n_layers; k++)
    fill_layer(scratch->log2_layer + k * scratch->plies, game->layer + k * n_limbs, game->n,
               (size_t)n_layers * n_limbs, n_limbs);
  if (plan->by_move)
    fill_by_move(scratch, plan, game);
  if (!plan->by_fraction)
    return;
  km_hbs_at_fractions(scratch->s_fraction, (km_hbs_column){game->s, n_limbs, game->n, n_limbs}, m,
                      plan->interpolate);
  km_hbs_at_fractions_double(scratch->log2_fraction, game->log2, game->n, m, plan->interpolate);
  for (unsigned k = 0; k < n_layers; k++)
    km_hbs_at_fractions_double(scratch->log2_fraction + (k + 1) * (m + 1),
                               scratch->log2_layer + k * scratch->plies, game->n, m, plan->interpolate);
}

static km_mean_column column_of(const km_curve_scratch *scratch, const km_curve_plan *plan,
                                const km_curve_game *game, const km_channel *channel, int by_fraction) {
  unsigned n_limbs = plan->geometry.n_limbs;
  size_t row = (size_t)plan->geometry.n_layers * n_limbs, m = plan->fractions;
  if (by_fraction)
    switch (channel->quantity) {
    case KM_OF_S:
      return (km_mean_column){scratch->s_fraction, n_limbs + 1};
    case KM_OF_LOG2:
      return (km_mean_column){scratch->log2_fraction, 1};
    default:
      return (km_mean_column){scratch->log2_fraction + (channel->layer + 1u) * (m + 1), 1};
    }
  switch (channel->quantity) {
  case KM_OF_S:
    return (km_mean_column){game->s, n_limbs};
  case KM_OF_LOG2:
    return (km_mean_column){game->log2, 1};
  case KM_OF_DELTA:
    return (km_mean_column){scratch->delta, n_limbs};
  case KM_OF_D1:
    return (km_mean_column){scratch->d1, n_limbs};
  case KM_OF_D2:
    return (km_mean_column){scratch->d2, n_limbs};
  case KM_OF_LAYER:
    return (km_mean_column){game->layer + (size_t)channel->layer * n_limbs, row};
  default:
    return (km_mean_column){scratch->log2_layer + channel->layer * scratch->plies, 1};
  }
}

/* ---- sets
 * -------------------------------------------------------------------------------------------------------- */

static unsigned n_strata(const km_curve_plan *plan, km_by by) {
  return by == KM_BY_RESULT ? KM_RESULT_STRATA
                            : km_strata_n(plan->strata, (km_strata_of){by, plan->size, plan->colour});
}
static int wanted(const km_curve_plan *plan, km_by by) {
  return plan->with_curves && (by == KM_BY_RESULT || plan->mask >> by & 1);
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
  for (int by = 0; by < KM_BY_COUNT && status == KM_OK; by++) {
    if (!wanted(plan, (km_by)by) || !n_strata(plan, (km_by)by))
      continue;
    km_mean_options options = mean_options(plan, (km_by)by, 0, shapes);
    if (plan->by_move)
      status = km_mean_curves_new(&set->move[by], &options, err);
    options = mean_options(plan, (km_by)by, 1, shapes);
    if (status == KM_OK && plan->by_fraction)
      status = km_mean_curves_new(&set->fraction[by], &options, err);
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
  for (int by = 0; by < KM_BY_COUNT; by++) {
    km_mean_channel shapes[KM_MEAN_CHANNELS_MAX];
    if (!wanted(plan, (km_by)by))
      continue;
    for (int fraction = 0; fraction < 2; fraction++) {
      km_mean_options options = mean_options(plan, (km_by)by, fraction, shapes);
      if (fraction ? plan->by_fraction : plan->by_move)
        need +=
            options.n_strata * km_mean_curves_need(&options, fraction ? plan->fractions + 1 : plan->longest);
    }
  }
  return need;
}

/* ---- adding
 * ------------------------------------------------------------------------------------------------------ */

static int is_zero(const uint64_t *value, unsigned n_limbs) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < n_limbs; i++)
    bits |= value[i];
  return bits == 0;
}

static void count_first(km_curve_set *set, const km_curve_game *game) {
  const km_hbs_geometry *geometry = &set->plan->geometry;
  size_t n = game->n < set->plan->n_places ? game->n : set->plan->n_places;
  size_t row = (size_t)geometry->n_layers * geometry->n_limbs;
  for (unsigned k = 0; k < geometry->n_layers; k++) {
    const uint64_t *layer = game->layer + (size_t)k * geometry->n_limbs;
    size_t t = 0;
    while (t < n && is_zero(layer + t * row, geometry->n_limbs))
      t++;
    set->first[k * (set->plan->n_places + 1) + (t < n ? t : set->plan->n_places)]++;
  }
}

/* Order of two unsigned numbers: -1, 0, 1. */
static int compare(const uint64_t *a, const uint64_t *b, unsigned n_limbs) {
  for (unsigned i = n_limbs; i-- > 0;)
    if (a[i] != b[i])
      return a[i] < b[i] ? -1 : 1;
  return 0;
}

static void count_steps(km_step_counts *counts, const km_curve_game *game, unsigned n_limbs) {
  uint64_t falling = counts->falling, plain = counts->falling_without_capture;
  for (size_t t = 1; t < game->n; t++) {
    int order = compare(game->s + t * n_limbs, game->s + (t - 1) * n_limbs, n_limbs);
    counts->rising += order > 0;
    counts->unchanged += order == 0;
    counts->falling += order < 0;
    counts->falling_without_capture += order < 0 && game->cause[t] == KM_STEP_PLAIN;
  }
  counts->moves += game->n - 1;
  counts->games++;
  counts->games_falling += counts->falling > falling;
  counts->games_falling_without_capture += counts->falling_without_capture > plain;
}

km_status km_curve_set_add(km_curve_set *set, const km_curve_scratch *scratch, const km_curve_game *game,
                           km_err *err) {
  const km_curve_plan *plan = set->plan;
  km_status status = KM_OK;
  for (int by = 0; by < KM_BY_COUNT && status == KM_OK; by++) {
    size_t stratum = km_result_stratum(game->game);
    if (!set->move[by] && !set->fraction[by])
      continue;
    if (by != KM_BY_RESULT)
      stratum = km_strata_find(plan->strata, (km_strata_of){(km_by)by, plan->size, plan->colour}, game->game);
    for (int fraction = 0; fraction < 2 && status == KM_OK; fraction++) {
      km_mean_curves *curves = fraction ? set->fraction[by] : set->move[by];
      km_channel channels[KM_MEAN_CHANNELS_MAX];
      km_mean_column columns[KM_MEAN_CHANNELS_MAX];
      if (!curves)
        continue;
      size_t n = km_curve_channels(plan, (km_by)by, fraction, channels);
      for (size_t i = 0; i < n; i++)
        columns[i] = column_of(scratch, plan, game, &channels[i], fraction);
      status = km_mean_curves_add(curves, stratum, columns, fraction ? plan->fractions + 1 : game->n, err);
    }
  }
  count_first(set, game);
  count_steps(&set->steps, game, plan->geometry.n_limbs);
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
  km_step_counts *a = &into->steps;
  const km_step_counts *b = &from->steps;
  *a = (km_step_counts){a->moves + b->moves,
                        a->rising + b->rising,
                        a->unchanged + b->unchanged,
                        a->falling + b->falling,
                        a->falling_without_capture + b->falling_without_capture,
                        a->games + b->games,
                        a->games_falling + b->games_falling,
                        a->games_falling_without_capture + b->games_falling_without_capture};
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
