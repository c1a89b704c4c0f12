/* hbs_summary.c: what was summed, as JSON for plots. Curves are put into text by all threads. */
#include "hbs_summary.h"

#include "json_out.h"
#include "kifumill/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct summary {
  km_json json;
  const km_hbs_facts *facts;
  const km_mean_lines *lines;
} summary;

/* ---- curves
 * ------------------------------------------------------------------------------------------------------ */

/* The text of one curve, made by one thread. */
typedef struct curve_text {
  km_json json;
  const summary *s;
  double *values; /* as many as the curve has places, and twice that for differences */
} curve_text;

typedef enum moment { MEAN, DEVIATION, ERROR } moment;

/* A moment at every place of a line, null before the first. */
static void put_moments(curve_text *c, const char *key, const km_mean_line *line, moment which) {
  size_t skip = line->n ? line->channel.first_place : 0;
  for (size_t i = 0; i < skip; i++)
    c->values[i] = (double)NAN;
  for (size_t i = 0; i < line->n; i++) {
    const km_line_place *place = &line->places[i];
    c->values[skip + i] = which == MEAN ? place->mean : which == DEVIATION ? place->deviation : place->error;
  }
  km_json_numbers(&c->json, key, c->values, skip + line->n);
}

/* Σ of doubles, times 2^52. */
static __int128 fixed_sum(const km_exact_sum *sum) {
  return (__int128)((unsigned __int128)sum->sum[1] << 64 | sum->sum[0]);
}

/* d1 and d2 of the logarithm. Summed with ended games held, differences are those of the games that go on. */
static km_status put_differences(curve_text *c, const km_mean_line *line, km_err *err) {
  km_sums_room room = {0};
  const km_exact_sum *hold;
  double *d1 = c->values, *d2 = c->values + line->n;
  km_status status = km_mean_line_sums(&hold, &room, line, KM_MEAN_HOLD, err);
  for (size_t t = 0; t < line->n && status == KM_OK; t++) {
    d1[t] = d2[t] = (double)NAN;
    if (t > 0)
      d1[t] = (double)(fixed_sum(&hold[t]) - fixed_sum(&hold[t - 1])) * 0x1p-52 / (double)line->places[t].n;
    if (t > 1)
      d2[t] = d1[t] - d1[t - 1];
  }
  if (status == KM_OK) {
    km_json_numbers(&c->json, "d1", d1, line->n);
    km_json_numbers(&c->json, "d2", d2, line->n);
  }
  free(room.sums);
  return status;
}

static km_status put_log2(curve_text *c, const km_mean_line *line, km_err *err) {
  static const char *const names[3] = {"q1", "median", "q3"};
  km_json_open(&c->json, "n", '[');
  for (size_t i = 0; i < line->n; i++)
    km_json_count(&c->json, NULL, line->places[i].n);
  km_json_close(&c->json, ']');
  put_moments(c, "mean", line, MEAN);
  put_moments(c, "sd", line, DEVIATION);
  put_moments(c, "se", line, ERROR);
  for (size_t q = 0; q < 3; q++)
    km_json_numbers(&c->json, names[q], line->quartiles[q], line->quartiles[q] ? line->n : 0);
  return line->curve.by_fraction ? KM_OK : put_differences(c, line, err);
}

/* {mean[], se[]}, of a layer with its side. */
static void put_mean_and_error(curve_text *c, const char *key, const km_mean_line *line) {
  km_json_open(&c->json, key, '{');
  if (line->channel.quantity == KM_OF_LOG2_LAYER)
    km_json_count(&c->json, "side", km_hbs_layer_size(line->curve.set->plan->size, line->channel.layer));
  put_moments(c, "mean", line, MEAN);
  put_moments(c, "se", line, ERROR);
  km_json_close(&c->json, '}');
}

static km_status put_line(curve_text *c, const km_mean_line *line, km_err *err) {
  switch (line->channel.quantity) {
  case KM_OF_LOG2:
    return put_log2(c, line, err);
  case KM_OF_S:
    put_moments(c, "s_mean", line, MEAN);
    put_moments(c, "s_sd", line, DEVIATION);
    break;
  case KM_OF_DELTA:
    put_mean_and_error(c, "delta", line);
    break;
  case KM_OF_D1:
    put_mean_and_error(c, "s_d1", line);
    break;
  case KM_OF_D2:
    put_mean_and_error(c, "s_d2", line);
    break;
  case KM_OF_LOG2_LAYER:
    put_mean_and_error(c, NULL, line);
    break;
  default: /* exact layers are for hbs.h5 */
    break;
  }
  return KM_OK;
}

/* The lines of curve number i: those of the whole board, then the layers in an array of their own. */
static km_status put_lines(curve_text *c, size_t i, int of_layers, km_err *err) {
  km_status status = KM_OK;
  const km_mean_lines *lines = c->s->lines;
  for (size_t k = lines->curves[i]; k < lines->curves[i + 1] && status == KM_OK; k++)
    if ((lines->lines[k].channel.quantity == KM_OF_LOG2_LAYER) == of_layers)
      status = put_line(c, &lines->lines[k], err);
  return status;
}

static const char *series_name(const km_curve_plan *plan) {
  return plan->colour == KM_WHITE ? "white" : "black";
}

static void put_series(km_json *json, const km_curve_plan *plan) {
  km_json_count(json, "size", plan->size);
  km_json_text(json, "series", series_name(plan));
}

static km_status put_curve(curve_text *c, size_t i, km_err *err) {
  const km_curve *curve = &c->s->lines->lines[c->s->lines->curves[i]].curve;
  int whole = curve->by == KM_BY_RESULT && curve->stratum == KM_RESULT_ALL;
  char name[KM_STRATUM_NAME];
  km_status status = km_curve_name(curve, c->s->facts->means.games, name, err);
  if (status != KM_OK)
    return status;
  km_json_open(&c->json, NULL, '{');
  put_series(&c->json, curve->set->plan);
  km_json_text(&c->json, "align", curve->by_fraction ? "fraction" : "move");
  km_json_text(&c->json, "by", whole ? "all" : km_by_name(curve->by));
  km_json_text(&c->json, "stratum", name);
  km_json_count(&c->json, "games", km_mean_curves_games(curve->curves, curve->stratum));
  status = put_lines(c, i, 0, err);
  if (status == KM_OK && curve->by == KM_BY_RESULT) {
    km_json_open(&c->json, "layers", '[');
    status = put_lines(c, i, 1, err);
    km_json_close(&c->json, ']');
  }
  km_json_close(&c->json, '}');
  return status;
}

/* What threads share, and the texts of all curves. */
typedef struct writing {
  const summary *s;
  char **texts;
} writing;

static km_status write_curve(void *ctx, int thread, size_t i, km_err *err) {
  writing *w = ctx;
  const km_curve *curve = &w->s->lines->lines[w->s->lines->curves[i]].curve;
  size_t length = km_mean_curves_length(curve->curves, curve->stratum);
  (void)thread;
  curve_text c = {.s = w->s, .values = malloc(2 * length * sizeof *c.values + 1)};
  if (!c.values)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", length);
  km_status status = km_json_new(&c.json, err);
  if (status == KM_OK) {
    status = put_curve(&c, i, err);
    if (status == KM_OK)
      status = km_json_finish(&c.json, &w->texts[i], err);
    km_json_abandon(&c.json);
  }
  free(c.values);
  return status;
}

/* Puts a value that is text already, with a line end behind it. */
static void put_ready(km_json *json, const char *text) {
  if (json->comma)
    fputc(',', json->out);
  fwrite(text, 1, strlen(text) - 1, json->out);
  json->comma = 1;
}

static km_status put_curves(summary *s, km_err *err) {
  size_t n = s->lines->n_curves;
  writing w = {s, calloc(n + 1, sizeof *w.texts)};
  if (!w.texts)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a summary");
  km_status status = km_parallel_for(n, s->facts->means.n_threads, write_curve, &w, err);
  km_json_open(&s->json, "curves", '[');
  for (size_t i = 0; i < n; i++) {
    if (status == KM_OK)
      put_ready(&s->json, w.texts[i]);
    free(w.texts[i]);
  }
  km_json_close(&s->json, ']');
  free(w.texts);
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
    put_series(&s->json, plan);
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
  put_series(&s->json, set->plan);
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

km_status km_hbs_summary(char **text, const km_hbs_facts *facts, const km_mean_lines *lines, km_err *err) {
  summary s = {.facts = facts, .lines = lines};
  *text = NULL;
  km_status status = km_json_new(&s.json, err);
  if (status != KM_OK)
    return status;
  km_json_open(&s.json, NULL, '{');
  put_head(&s);
  put_boards(&s);
  status = put_curves(&s, err);
  put_of_all(&s, "first_stone", put_first_stones);
  put_of_all(&s, "steps", put_steps);
  km_json_close(&s.json, '}');
  if (status == KM_OK)
    status = km_json_finish(&s.json, text, err);
  km_json_abandon(&s.json);
  return status;
}
