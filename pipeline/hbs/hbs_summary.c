/* hbs_summary.c: what was summed, as JSON for plots. */
#include "hbs_summary.h"

#include "json_out.h"

#include <math.h>
#include <stdlib.h>

/* Room for one curve. */
typedef struct summary {
  km_json json;
  const km_hbs_facts *facts;
  km_mean_room room, hold;
  double *values; /* 4 · capacity */
  size_t capacity;
} summary;

/* ---- curves
 * ------------------------------------------------------------------------------------------------------ */

static km_status reserve(summary *s, size_t n, km_err *err) {
  if (n <= s->capacity)
    return KM_OK;
  free(s->values);
  s->values = malloc(4 * n * sizeof *s->values);
  s->capacity = s->values ? n : 0;
  return s->values ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", n);
}

/* Moments of every place of a line, NaN before the first: mean, deviation, error in s->values. Returns the
 * number of places. */
static size_t take_moments(summary *s, const km_mean_line *line) {
  size_t skip = line->n ? line->channel.first_place : 0, n = skip + line->n;
  for (size_t i = 0; i < n; i++) {
    km_exact_moments m = {.mean = (double)NAN, .deviation = (double)NAN, .error = (double)NAN};
    if (i >= skip)
      m = km_exact_sum_moments(&line->sums[i - skip]);
    s->values[i] = m.mean;
    s->values[n + i] = m.deviation;
    s->values[2 * n + i] = m.error;
  }
  return n;
}

/* Σ of doubles, times 2^52. */
static __int128 fixed_sum(const km_exact_sum *sum) {
  return (__int128)((unsigned __int128)sum->sum[1] << 64 | sum->sum[0]);
}

/* d1 and d2 of the logarithm. Summed with ended games held, differences are those of the games that go on. */
static km_status put_differences(summary *s, const km_mean_line *line, km_err *err) {
  km_mean_line hold;
  double *d1 = s->values, *d2 = s->values + line->n;
  km_status status = km_mean_line_read(&hold, &s->hold, line->curve, &line->channel, KM_MEAN_HOLD, err);
  if (status != KM_OK)
    return status;
  for (size_t t = 0; t < line->n; t++) {
    d1[t] = d2[t] = (double)NAN;
    if (t > 0)
      d1[t] = (double)(fixed_sum(&hold.sums[t]) - fixed_sum(&hold.sums[t - 1])) * 0x1p-52 /
              (double)line->sums[t].n;
    if (t > 1)
      d2[t] = d1[t] - d1[t - 1];
  }
  km_json_numbers(&s->json, "d1", d1, line->n);
  km_json_numbers(&s->json, "d2", d2, line->n);
  return KM_OK;
}

static km_status put_log2(summary *s, const km_mean_line *line, km_err *err) {
  size_t n = take_moments(s, line), n_quartiles = line->q1 ? n : 0;
  km_json_open(&s->json, "n", '[');
  for (size_t i = 0; i < n; i++)
    km_json_count(&s->json, NULL, line->sums[i].n);
  km_json_close(&s->json, ']');
  km_json_numbers(&s->json, "mean", s->values, n);
  km_json_numbers(&s->json, "sd", s->values + n, n);
  km_json_numbers(&s->json, "se", s->values + 2 * n, n);
  km_json_numbers(&s->json, "q1", line->q1, n_quartiles);
  km_json_numbers(&s->json, "median", line->median, n_quartiles);
  km_json_numbers(&s->json, "q3", line->q3, n_quartiles);
  return line->curve->by_fraction ? KM_OK : put_differences(s, line, err);
}

/* {mean[], se[]}, of a layer with its side. */
static void put_mean_and_error(summary *s, const char *key, const km_mean_line *line) {
  size_t n = take_moments(s, line);
  km_json_open(&s->json, key, '{');
  if (line->channel.quantity == KM_OF_LOG2_LAYER)
    km_json_count(&s->json, "side", km_hbs_layer_size(line->curve->set->plan->size, line->channel.layer));
  km_json_numbers(&s->json, "mean", s->values, n);
  km_json_numbers(&s->json, "se", s->values + 2 * n, n);
  km_json_close(&s->json, '}');
}

static km_status put_line(summary *s, const km_mean_line *line, km_err *err) {
  size_t n;
  switch (line->channel.quantity) {
  case KM_OF_LOG2:
    return put_log2(s, line, err);
  case KM_OF_S:
    n = take_moments(s, line);
    km_json_numbers(&s->json, "s_mean", s->values, n);
    km_json_numbers(&s->json, "s_sd", s->values + n, n);
    break;
  case KM_OF_DELTA:
    put_mean_and_error(s, "delta", line);
    break;
  case KM_OF_D1:
    put_mean_and_error(s, "s_d1", line);
    break;
  case KM_OF_D2:
    put_mean_and_error(s, "s_d2", line);
    break;
  case KM_OF_LOG2_LAYER:
    put_mean_and_error(s, NULL, line);
    break;
  default: /* exact layers are for hbs.h5 */
    break;
  }
  return KM_OK;
}

/* The lines of a curve: those of the whole board, then the layers in an array of their own. */
static km_status put_lines(summary *s, const km_curve *curve, int of_layers, km_err *err) {
  km_channel channels[KM_MEAN_CHANNELS_MAX];
  size_t n = km_curve_channels(curve->set->plan, curve->by, curve->by_fraction, channels);
  km_status status = reserve(s, km_mean_curves_length(curve->curves, curve->stratum), err);
  for (size_t i = 0; i < n && status == KM_OK; i++) {
    km_mean_line line;
    if (channels[i].quantity == KM_OF_LAYER || (channels[i].quantity == KM_OF_LOG2_LAYER) != of_layers)
      continue;
    status = km_mean_line_read(&line, &s->room, curve, &channels[i], s->facts->means.ends, err);
    if (status == KM_OK)
      status = put_line(s, &line, err);
  }
  return status;
}

static const char *series_name(const km_curve_plan *plan) {
  return plan->colour == KM_WHITE ? "white" : "black";
}

static void put_series(summary *s, const km_curve_plan *plan) {
  km_json_count(&s->json, "size", plan->size);
  km_json_text(&s->json, "series", series_name(plan));
}

static km_status put_curve(summary *s, const km_curve *curve, km_err *err) {
  int whole = curve->by == KM_BY_RESULT && curve->stratum == KM_RESULT_ALL;
  char name[KM_STRATUM_NAME];
  km_status status = km_curve_name(curve, s->facts->means.games, name, err);
  if (status != KM_OK)
    return status;
  km_json_open(&s->json, NULL, '{');
  put_series(s, curve->set->plan);
  km_json_text(&s->json, "align", curve->by_fraction ? "fraction" : "move");
  km_json_text(&s->json, "by", whole ? "all" : km_by_name(curve->by));
  km_json_text(&s->json, "stratum", name);
  km_json_count(&s->json, "games", km_mean_curves_games(curve->curves, curve->stratum));
  status = put_lines(s, curve, 0, err);
  if (status == KM_OK && curve->by == KM_BY_RESULT) {
    km_json_open(&s->json, "layers", '[');
    status = put_lines(s, curve, 1, err);
    km_json_close(&s->json, ']');
  }
  km_json_close(&s->json, '}');
  return status;
}

/* ---- counts
 * ------------------------------------------------------------------------------------------------------ */

/* The least place by which at least num/4 of all games have been counted; null if that never comes. */
static void put_quartile(summary *s, const char *key, const uint64_t *counts, const km_curve_set *set,
                         uint64_t num) {
  uint64_t seen = 0;
  for (size_t t = 0; t < set->plan->n_places; t++)
    if ((seen += counts[t]) && seen * 4 >= set->steps.games * num) {
      km_json_count(&s->json, key, t);
      return;
    }
  km_json_null(&s->json, key);
}

static void put_first_stones(summary *s, const km_curve_set *set) {
  const km_curve_plan *plan = set->plan;
  for (unsigned k = 0; plan->with_curves && k < plan->geometry.n_layers; k++) {
    const uint64_t *counts = set->first + k * (plan->n_places + 1);
    size_t n = plan->n_places;
    while (n > 0 && counts[n - 1] == 0)
      n--;
    km_json_open(&s->json, NULL, '{');
    put_series(s, plan);
    km_json_count(&s->json, "side", km_hbs_layer_size(plan->size, k));
    km_json_count(&s->json, "games", set->steps.games);
    km_json_count(&s->json, "never", counts[plan->n_places]);
    put_quartile(s, "q1", counts, set, 1);
    put_quartile(s, "median", counts, set, 2);
    put_quartile(s, "q3", counts, set, 3);
    km_json_counts(&s->json, "counts", counts, n);
    km_json_close(&s->json, '}');
  }
}

static void put_steps(summary *s, const km_curve_set *set) {
  const km_step_counts *c = &set->steps;
  if (!set->plan->with_curves)
    return;
  km_json_open(&s->json, NULL, '{');
  put_series(s, set->plan);
  km_json_count(&s->json, "moves", c->moves);
  km_json_count(&s->json, "rising", c->rising);
  km_json_count(&s->json, "unchanged", c->unchanged);
  km_json_count(&s->json, "falling", c->falling);
  km_json_count(&s->json, "falling_without_capture", c->falling_without_capture);
  km_json_count(&s->json, "games", c->games);
  km_json_count(&s->json, "games_falling", c->games_falling);
  km_json_count(&s->json, "games_falling_without_capture", c->games_falling_without_capture);
  km_json_close(&s->json, '}');
}

static void put_boards(summary *s) {
  const km_hbs_means *means = &s->facts->means;
  km_json_open(&s->json, "boards", '[');
  for (size_t i = 0; i < means->n_sets; i++) {
    const km_curve_plan *plan = means->sets[i].plan;
    const km_mean_curves *curves = means->sets[i].move[KM_BY_RESULT];
    if (i > 0 && means->sets[i - 1].plan->size == plan->size)
      continue; /* the other colour */
    km_json_open(&s->json, NULL, '{');
    km_json_count(&s->json, "size", plan->size);
    km_json_count(&s->json, "games", plan->n_games);
    km_json_count(&s->json, "positions", plan->n_positions);
    km_json_flag(&s->json, "curves", plan->with_curves);
    km_json_count(&s->json, "games_too_long", plan->n_too_long);
    km_json_count(&s->json, "values_beyond", curves ? km_mean_curves_beyond(curves) : 0);
    km_json_close(&s->json, '}');
  }
  km_json_close(&s->json, ']');
}

/* ---- the whole
 * --------------------------------------------------------------------------------------------------- */

static void put_head(summary *s) {
  static const char *const aligns[] = {"both", "move", "fraction"}, *const ends[] = {"drop", "hold"},
                           *const ways[] = {"linear", "floor", "nearest"};
  const km_hbs_facts *facts = s->facts;
  const km_hbs_options *o = facts->options;
  km_hbs_variant single[2];
  unsigned n_series = km_hbs_variant_split(facts->variant, single);
  char variant[KM_HBS_NAME_MAX];
  km_hbs_variant_name(facts->variant, variant);
  km_json_text(&s->json, "format", "kifumill hbs summary");
  km_json_count(&s->json, "format_version", KM_STORE_VERSION);
  km_json_text(&s->json, "generator", KM_GENERATOR);
  km_json_text(&s->json, "command", o->run.command);
  km_json_text(&s->json, "config", o->run.config_text);
  km_json_count(&s->json, "seed", o->run.seed);
  km_json_text(&s->json, "input_digest", facts->input_digest);
  km_json_text(&s->json, "variant", variant);
  km_json_open(&s->json, "series", '[');
  for (unsigned i = 0; i < n_series; i++)
    km_json_text(&s->json, NULL, single[i].colour == KM_HBS_WHITE ? "white" : "black");
  km_json_close(&s->json, ']');
  km_json_count(&s->json, "window", (uint64_t)o->window);
  km_json_count(&s->json, "fractions", (uint64_t)o->fractions);
  km_json_text(&s->json, "align", aligns[o->align]);
  km_json_text(&s->json, "ends", ends[o->ends]);
  km_json_text(&s->json, "interpolate", ways[o->interpolate]);
  km_json_count(&s->json, "games", facts->n_games);
  km_json_count(&s->json, "games_rectangular", facts->n_rectangular);
  km_json_count(&s->json, "positions", facts->n_positions);
}

static void put_of_all(summary *s, const char *key, void put(summary *s, const km_curve_set *set)) {
  km_json_open(&s->json, key, '[');
  for (size_t i = 0; i < s->facts->means.n_sets; i++)
    put(s, &s->facts->means.sets[i]);
  km_json_close(&s->json, ']');
}

km_status km_hbs_summary(char **text, const km_hbs_facts *facts, km_err *err) {
  summary s = {.facts = facts};
  *text = NULL;
  km_status status = km_json_new(&s.json, err);
  if (status != KM_OK)
    return status;
  km_json_open(&s.json, NULL, '{');
  put_head(&s);
  put_boards(&s);
  km_json_open(&s.json, "curves", '[');
  for (size_t i = 0; i < facts->means.n_sets; i++)
    for (km_curve curve = {0}; status == KM_OK && km_curve_next(&facts->means.sets[i], &curve);)
      status = put_curve(&s, &curve, err);
  km_json_close(&s.json, ']');
  put_of_all(&s, "first_stone", put_first_stones);
  put_of_all(&s, "steps", put_steps);
  km_json_close(&s.json, '}');
  if (status == KM_OK)
    status = km_json_finish(&s.json, text, err);
  km_json_abandon(&s.json);
  km_mean_room_clear(&s.room);
  km_mean_room_clear(&s.hold);
  free(s.values);
  return status;
}
