/* phases_summary.c: what the games have in common, as JSON for plots and verdicts. */
#include "phases_summary.h"

#include "json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- breaks
 * ------------------------------------------------------------------------------------------------------ */

static void put_breaks(km_json *json, const char *key, km_breaks breaks) {
  km_json_open(json, key, '[');
  for (size_t i = 0; i < breaks.n; i++)
    km_json_count(json, NULL, breaks.at[i]);
  km_json_close(json, ']');
}

static size_t used_length(const uint64_t *counts, size_t n) {
  while (n > 0 && counts[n - 1] == 0)
    n--;
  return n;
}

/* The least place by which num/4 of all have been counted. */
static void put_quartile(km_json *json, const char *key, const uint64_t *counts, uint64_t total,
                         uint64_t num) {
  uint64_t seen = 0;
  for (size_t t = 0; t < KM_PHASES_PLIES && total; t++)
    if ((seen += counts[t]) * 4 >= total * num) {
      km_json_count(json, key, t);
      return;
    }
  km_json_null(json, key);
}

/* A break of the three pieces over all games. */
static void put_break(km_json *json, const char *key, const uint64_t *counts) {
  uint64_t total = 0, sum = 0;
  for (size_t t = 0; t < KM_PHASES_PLIES; t++) {
    total += counts[t];
    sum += counts[t] * t;
  }
  km_json_open(json, key, '{');
  km_json_number(json, "mean", total ? (double)sum / (double)total : (double)NAN);
  put_quartile(json, "q1", counts, total, 1);
  put_quartile(json, "median", counts, total, 2);
  put_quartile(json, "q3", counts, total, 3);
  km_json_counts(json, "counts", counts, used_length(counts, KM_PHASES_PLIES));
  km_json_close(json, '}');
}

static void put_density(km_json *json, const km_tally *tally) {
  static const char *const names[] = {"opening", "middle", "endgame"};
  km_json_open(json, "density", '[');
  for (int i = 0; i < 3; i++) {
    km_json_open(json, NULL, '{');
    km_json_text(json, "phase", names[i]);
    km_json_count(json, "changes", tally->phase_changes[i]);
    km_json_count(json, "positions", tally->phase_positions[i]);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

/* ---- comparison
 * -------------------------------------------------------------------------------------------------- */

static void put_method(km_json *json, int method, km_interval of[KM_NEARNESSES]) {
  km_json_open(json, NULL, '{');
  km_json_text(json, "name", km_method_name((km_method)method));
  for (int k = 0; k < KM_NEARNESSES; k++) {
    km_json_open(json, km_nearness_name((km_nearness)k), '{');
    km_json_number(json, "value", of[k].value);
    km_json_number(json, "low", of[k].low);
    km_json_number(json, "high", of[k].high);
    km_json_close(json, '}');
  }
  km_json_close(json, '}');
}

static void put_comparison(km_json *json, km_compare_result *result) {
  if (result->n_games == 0) {
    km_json_null(json, "comparison");
    return;
  }
  km_json_open(json, "comparison", '{');
  km_json_count(json, "games", result->n_games);
  km_json_open(json, "methods", '[');
  for (int m = 0; m < KM_METHODS; m++)
    if (result->has_method[m])
      put_method(json, m, result->mean[m]);
  km_json_close(json, ']');
  km_json_open(json, "differences", '[');
  for (int m = KM_METHOD_HBS + 1; m < KM_METHODS; m++)
    if (result->has_method[m])
      put_method(json, m, result->difference[m]);
  km_json_close(json, ']');
  km_json_close(json, '}');
}

/* ---- boards
 * ------------------------------------------------------------------------------------------------------ */

static km_status put_mean(km_json *json, const km_phases_facts *facts, unsigned size, km_err *err) {
  km_phase_mean mean;
  km_status status = km_phase_mean_make(&mean, facts->shared, facts->curves, size, err);
  if (status != KM_OK)
    return status;
  km_json_open(json, "mean_curve", '{');
  km_json_counts(json, "n", mean.counts, mean.n);
  km_json_open(json, "values", '[');
  for (size_t c = 0; c < mean.n_channels && mean.n; c++)
    km_json_numbers(json, NULL, mean.values + c * mean.n, mean.n);
  km_json_close(json, ']');
  put_breaks(json, "changes", mean.changes);
  if (mean.has_three) {
    km_json_count(json, "middle", mean.three.at[0]);
    km_json_count(json, "endgame", mean.three.at[1]);
  } else {
    km_json_null(json, "middle");
    km_json_null(json, "endgame");
  }
  km_json_close(json, '}');
  km_phase_mean_clear(&mean);
  return KM_OK;
}

static km_status put_board(km_json *json, const km_phases_facts *facts, unsigned size,
                           km_compare_result *result, km_err *err) {
  const km_tally *tally = facts->tallies->of_size[size];
  km_json_open(json, NULL, '{');
  km_json_count(json, "size", size);
  km_json_count(json, "games", tally->n_games);
  km_json_count(json, "games_divided", tally->n_divided);
  km_json_count(json, "positions", tally->n_positions);
  km_json_counts(json, "changes_per_game", tally->changes, used_length(tally->changes, KM_TALLY_CHANGES + 1));
  km_json_counts(json, "changes_by_move", tally->by_move, used_length(tally->by_move, KM_PHASES_PLIES));
  km_json_counts(json, "changes_by_fraction", tally->by_fraction, KM_TALLY_FRACTIONS);
  put_break(json, "middle", tally->middle);
  put_break(json, "endgame", tally->endgame);
  put_density(json, tally);
  km_status status = put_mean(json, facts, size, err);
  if (status == KM_OK)
    status = km_tallies_compare(facts->tallies, size, result, err);
  if (status == KM_OK)
    put_comparison(json, result);
  km_json_close(json, '}');
  return status;
}

/* All boards; the comparison of all games together is that of the only size that has one, where it is so. */
static km_status put_boards(km_json *json, const km_phases_facts *facts, km_err *err) {
  km_compare_result result = {0}, all = {0};
  int n_compared = 0;
  km_status status = KM_OK;
  km_json_open(json, "boards", '[');
  for (unsigned size = KM_BOARD_MAX; size >= 1 && status == KM_OK; size--) {
    if (!facts->tallies->of_size[size])
      continue;
    status = put_board(json, facts, size, &result, err);
    n_compared += result.n_games > 0;
    all = result.n_games > 0 ? result : all;
  }
  km_json_close(json, ']');
  if (status == KM_OK && n_compared > 1)
    status = km_tallies_compare(facts->tallies, 0, &all, err);
  if (status == KM_OK)
    put_comparison(json, &all);
  return status;
}

/* ---- examples
 * ---------------------------------------------------------------------------------------------------- */

/* A text of the game, as a string with its end; null without games.h5. */
static km_status put_name(km_json *json, const km_phase_shared *shared, const char *key, uint64_t game,
                          km_text_field field, km_err *err) {
  km_text text = shared->games ? km_games_text(shared->games, game, field) : (km_text){NULL, 0};
  char *copy = text.bytes ? strndup(text.bytes, text.n_bytes) : NULL;
  if (text.bytes && !copy)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary");
  km_json_text(json, key, copy);
  free(copy);
  return KM_OK;
}

static km_status put_example(km_json *json, const km_phase_shared *shared, unsigned size,
                             const km_example *example, km_err *err) {
  static const struct {
    const char *key;
    km_text_field field;
  } names[] = {{"source", KM_TEXT_SOURCE},
               {"entry", KM_TEXT_ENTRY},
               {"black", KM_TEXT_BLACK},
               {"white", KM_TEXT_WHITE}};
  km_status status = KM_OK;
  km_json_open(json, NULL, '{');
  km_json_count(json, "game", example->game);
  for (size_t i = 0; i < sizeof names / sizeof *names && status == KM_OK; i++)
    status = put_name(json, shared, names[i].key, example->game, names[i].field, err);
  km_json_count(json, "size", size);
  km_json_count(json, "positions", example->n);
  put_breaks(json, "changes", example->changes);
  km_json_count(json, "middle", example->middle);
  km_json_count(json, "endgame", example->endgame);
  put_breaks(json, "reference", example->reference);
  km_json_numbers(json, "log2", example->log2, example->n);
  km_json_close(json, '}');
  return status;
}

/* ---- the whole
 * --------------------------------------------------------------------------------------------------- */

static void put_head(km_json *json, const km_phases_facts *facts) {
  const km_phase_shared *shared = facts->shared;
  const km_phases_options *o = shared->options;
  const km_tallies *tallies = facts->tallies;
  uint64_t n_divided = tallies->n_state[KM_CUT_DONE];
  km_json_text(json, "format", "kifumill phases summary");
  km_json_count(json, "format_version", KM_STORE_VERSION);
  km_json_text(json, "generator", KM_GENERATOR);
  km_json_text(json, "command", o->run.command);
  km_json_text(json, "config", o->run.config_text);
  km_json_count(json, "seed", o->run.seed);
  km_json_text(json, "input_digest", facts->input_digest);
  km_json_text(json, "variant", facts->variant);
  km_json_text(json, "series", facts->series);
  km_json_text(json, "signal", o->signal);
  km_json_count(json, "games", tallies->n_games);
  km_json_count(json, "games_divided", n_divided);
  km_json_count(json, "games_without_series", tallies->n_state[KM_CUT_NO_SERIES]);
  km_json_count(json, "games_too_long", tallies->n_state[KM_CUT_TOO_LONG]);
  km_json_count(json, "games_too_short", tallies->n_state[KM_CUT_TOO_SHORT]);
  km_json_count(json, "positions", tallies->n_positions);
  km_json_open(json, "reference", '{');
  km_json_text(json, "kind", shared->labels ? "labels" : "conventional");
  km_json_count(json, "middle", shared->at19.at[0]);
  km_json_count(json, "endgame", shared->at19.at[1]);
  if (shared->labels) {
    km_json_count(json, "labels", km_labels_n(shared->labels));
    km_json_count(json, "labels_unused", km_labels_n(shared->labels) - tallies->n_labels_used);
  }
  km_json_close(json, '}');
  km_json_count(json, "margin", (uint64_t)o->margin);
}

km_status km_phases_summary(char **text, const km_phases_facts *facts, km_err *err) {
  const km_tallies *tallies = facts->tallies;
  km_json json;
  km_status status = km_json_new(&json, err);
  *text = NULL;
  if (status != KM_OK)
    return status;
  km_json_open(&json, NULL, '{');
  put_head(&json, facts);
  status = put_boards(&json, facts, err);
  km_json_open(&json, "examples", '[');
  for (unsigned size = KM_BOARD_MAX; size >= 1; size--)
    for (size_t i = 0; tallies->of_size[size] && i < tallies->of_size[size]->n_examples && status == KM_OK;
         i++)
      status = put_example(&json, facts->shared, size, &tallies->of_size[size]->examples[i], err);
  km_json_close(&json, ']');
  km_json_close(&json, '}');
  if (status == KM_OK)
    status = km_json_finish(&json, text, err);
  km_json_abandon(&json);
  return status;
}
