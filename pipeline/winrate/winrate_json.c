/* winrate_json.c: winrate.json. */
#include "winrate_write.h"

#include "kifumill/h5file.h"
#include "kifumill/outfile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double level = 0.95; /* of all intervals */

void km_wr_put_head(km_json *json, const km_wr_data *data, const char *format) {
  const km_run_options *run = &data->options->run;
  char digest[33];
  km_hash_hex(km_games_digest(data->games), digest);
  km_json_text(json, "format", format);
  km_json_count(json, "format_version", 1);
  km_json_text(json, "generator", KM_GENERATOR);
  km_json_text(json, "command", run->command);
  km_json_text(json, "config", run->config_text);
  km_json_count(json, "seed", run->seed);
  km_json_text(json, "input_digest", digest);
}

km_status km_wr_finish_json(km_json *json, const char *path, int force, km_err *err) {
  char *text = NULL;
  km_status status = km_json_finish(json, &text, err);
  if (status == KM_OK)
    status = km_outfile_put(path, text, strlen(text), force, err);
  free(text);
  return status;
}

/* Settings and counts
 * ---------------------------------------------------------------------------------------------------------------- */

static void put_settings(km_json *json, const km_wr_data *data) {
  const km_winrate_options *o = data->options;
  uint64_t phases[2] = {data->plan.phase[1], data->plan.phase[2]};
  km_json_open(json, "settings", '{');
  km_json_count(json, "board", (uint64_t)o->board);
  km_json_text(json, "variant", o->variant);
  km_json_count(json, "window", (uint64_t)o->window);
  km_json_text(json, "sample", o->sample);
  km_json_count(json, "folds", (uint64_t)o->folds);
  km_json_text(json, "split", o->split);
  km_json_count(json, "bucket", (uint64_t)o->bucket);
  km_json_counts(json, "phases", phases, 2);
  km_json_count(json, "replicates", (uint64_t)o->replicates);
  km_json_number(json, "level", level);
  km_json_number(json, "ridge", o->ridge);
  km_json_count(json, "hbs_checked", data->n_checked);
  km_json_close(json, '}');
}

static void put_counts(km_json *json, const km_wr_counts *n) {
  km_json_open(json, "games", '{');
  km_json_count(json, "read", n->read);
  km_json_count(json, "other_size", n->other_size);
  km_json_count(json, "no_winner", n->no_winner);
  km_json_count(json, "drawn", n->drawn);
  km_json_count(json, "thinned", n->thinned);
  km_json_count(json, "used", n->used);
  km_json_count(json, "black_won", n->black_won);
  km_json_close(json, '}');
}

static void put_range(km_json *json, km_wr_range range) {
  km_json_count(json, "from", range.first);
  if (range.end == UINT32_MAX)
    km_json_null(json, "to");
  else
    km_json_count(json, "to", range.end);
}

static void put_segments(km_json *json, const km_wr_data *data) {
  km_json_open(json, "segments", '[');
  for (size_t i = 0; i < data->plan.n_segments; i++) {
    const km_wr_segment_counts *s = &data->segments[i];
    km_json_open(json, NULL, '{');
    put_range(json, km_wr_plan_segment(&data->plan, i));
    km_json_count(json, "games", s->games);
    km_json_count(json, "positions", s->positions);
    km_json_number(json, "black_won", (double)s->won / (double)s->positions);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

static void put_columns(km_json *json, const km_wr_geometry *g) {
  char name[KM_WR_NAME];
  km_json_open(json, "columns", '[');
  for (size_t i = 0; i < km_wr_n_columns(g->n_layers); i++) {
    km_json_open(json, NULL, '{');
    km_json_text(json, "name", km_wr_column_name(name, i, g->board, g->n_layers));
    km_json_text(json, "doc", km_wr_column_doc(i));
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

/* Models
 * ---------------------------------------------------------------------------------------------------------------- */

static void put_coefficients(km_json *json, const km_wr_model *model, const km_logistic *fit, const km_wr_geometry *g) {
  char name[KM_WR_NAME];
  km_json_open(json, "coefficients", '[');
  for (size_t i = 0; i <= model->n_columns; i++) {
    km_json_open(json, NULL, '{');
    km_json_text(json, "name", i ? km_wr_column_name(name, model->columns[i - 1], g->board, g->n_layers) : "intercept");
    km_json_number(json, "beta", fit->beta[i]);
    km_json_number(json, "se", fit->se[i]);
    km_json_number(json, "se_cluster", fit->se_cluster[i]);
    km_json_number(json, "z", fit->beta[i] / fit->se_cluster[i]);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

/* The last fitting's: of all games. */
static void put_fits(km_json *json, const km_wr_data *data, const km_wr_model *model) {
  static const char *const outcomes[] = {"converged", "separated", "stopped"};
  km_json_open(json, "fits", '[');
  for (size_t i = 0; model->kind == KM_WR_LOGISTIC && i < model->n_series; i++) {
    size_t number = km_wr_n_fittings(&data->plan) * model->n_series + i;
    const km_logistic *fit = &model->fits[number];
    km_json_open(json, NULL, '{');
    put_range(json, km_wr_plan_segment(&data->plan, i));
    km_json_text(json, "outcome", outcomes[fit->outcome]);
    km_json_number(json, "ridge", model->ridge[number]);
    km_json_count(json, "games", fit->n_groups);
    km_json_count(json, "positions", fit->n_rows);
    km_json_number(json, "log_likelihood", fit->log_likelihood);
    km_json_count(json, "iterations", (uint64_t)fit->iterations);
    put_coefficients(json, model, fit, &data->geometry);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

static void put_training(km_json *json, const km_wr_data *data, const km_wr_model *model) {
  km_json_open(json, "training", '[');
  for (unsigned i = 0; model->kind == KM_WR_NETWORK && i < km_wr_n_fittings(&data->plan); i++) {
    const km_mlp_report *report = &model->reports[i];
    km_json_open(json, NULL, '{');
    km_json_count(json, "fold", i);
    km_json_count(json, "games", model->trained[i][0]);
    km_json_count(json, "positions", model->trained[i][1]);
    km_json_count(json, "epochs", report->epochs);
    km_json_count(json, "best_epoch", report->best_epoch);
    km_json_number(json, "train_log_loss", report->train_log_loss);
    km_json_number(json, "valid_log_loss", report->best_log_loss);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

static void put_model(km_json *json, const km_wr_data *data, const km_wr_model *model) {
  char name[KM_WR_NAME];
  km_json_open(json, NULL, '{');
  km_json_text(json, "name", model->name);
  km_json_text(json, "kind", model->kind == KM_WR_NETWORK ? "mlp" : "logistic");
  km_json_text(json, "doc", model->doc);
  km_json_open(json, "columns", '[');
  for (size_t i = 0; i < model->n_columns; i++)
    km_json_text(json, NULL, km_wr_column_name(name, model->columns[i], data->geometry.board, data->geometry.n_layers));
  km_json_close(json, ']');
  put_fits(json, data, model);
  put_training(json, data, model);
  km_json_close(json, '}');
}

/* Results
 * ---------------------------------------------------------------------------------------------------------------- */

static void put_estimate(km_json *json, const char *key, const km_estimate *e) {
  km_json_open(json, key, '{');
  km_json_number(json, "value", e->value);
  km_json_number(json, "low", e->low);
  km_json_number(json, "high", e->high);
  km_json_close(json, '}');
}

static void put_metrics(km_json *json, const km_estimate *metrics) {
  km_json_open(json, "metrics", '{');
  for (int k = 0; k < KM_METRICS; k++)
    put_estimate(json, km_metric_name((km_metric)k), &metrics[k]);
  km_json_close(json, '}');
}

static void put_calibration(km_json *json, const km_wr_result *r) {
  km_json_open(json, "calibration", '[');
  for (int i = 0; r->by != KM_WR_BY_PLY && i < KM_CALIBRATION_BINS; i++) {
    const km_calibration_bin *bin = &r->score.calibration[i];
    km_json_open(json, NULL, '{');
    km_json_number(json, "low", bin->low);
    km_json_number(json, "high", bin->high);
    km_json_count(json, "n", (uint64_t)bin->n);
    km_json_number(json, "mean_p", bin->mean_p);
    put_estimate(json, "share", &bin->share);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

static void put_result(km_json *json, const km_wr_result *r) {
  static const char *const by[] = {"all", "phase", "ply"};
  km_json_open(json, NULL, '{');
  km_json_text(json, "model", r->model->name);
  km_json_text(json, "by", by[r->by]);
  km_json_text(json, "bucket", r->bucket);
  put_range(json, r->range);
  km_json_count(json, "games", r->score.n_games);
  km_json_count(json, "positions", (uint64_t)r->score.n_positions);
  km_json_number(json, "black_won", r->score.n_positive / r->score.n_positions);
  put_metrics(json, r->score.metric);
  km_json_open(json, "minus", '[');
  for (size_t i = 0; i < r->n_minus; i++) {
    km_json_open(json, NULL, '{');
    km_json_text(json, "model", r->minus[i].model->name);
    put_metrics(json, r->minus[i].difference);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
  put_calibration(json, r);
  km_json_close(json, '}');
}

static void put_results(km_json *json, const km_wr_results *results) {
  km_json_open(json, "results", '[');
  for (size_t i = 0; i < results->n; i++)
    put_result(json, &results->rows[i]);
  km_json_close(json, ']');
}

static void put_externals(km_json *json, const km_wr_findings *findings) {
  km_json_open(json, "external", '[');
  for (size_t i = 0; i < KM_WR_EXTERNALS; i++) {
    const km_wr_external *e = &findings->data->external[i];
    if (e->rows == 0)
      continue;
    km_json_open(json, NULL, '{');
    km_json_text(json, "name", e->name);
    km_json_count(json, "rows", e->rows);
    km_json_count(json, "matched", e->matched);
    km_json_count(json, "games", e->games);
    km_json_count(json, "no_game", e->no_game);
    km_json_count(json, "ambiguous", e->ambiguous);
    km_json_count(json, "no_ply", e->no_ply);
    km_json_count(json, "not_used", e->not_used);
    km_json_count(json, "duplicate", e->duplicate);
    put_results(json, &findings->external[i]);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

/* Effects
 * ---------------------------------------------------------------------------------------------------------------- */

static void put_side(km_json *json, const char *key, const km_moments *m) {
  km_json_open(json, key, '{');
  km_json_count(json, "n", (uint64_t)m->n);
  km_json_number(json, "mean", m->mean);
  km_json_number(json, "sd", sqrt(km_moments_variance(m)));
  km_json_close(json, '}');
}

static void put_effects(km_json *json, const km_wr_effects *effects) {
  km_json_open(json, "effects", '[');
  for (unsigned s = 0; s < KM_WR_SIGNALS; s++) {
    km_json_open(json, NULL, '{');
    km_json_text(json, "signal", km_wr_signal_name(s));
    km_json_text(json, "doc", km_wr_signal_doc(s));
    km_json_open(json, "points", '[');
    for (unsigned ply = 0; ply < KM_WR_EFFECT_PLIES; ply++) {
      km_wr_effect e;
      if (!km_wr_effects_at(effects, s, ply, &e))
        continue;
      km_json_open(json, NULL, '{');
      km_json_count(json, "ply", ply);
      put_side(json, "won", &effects->moments[s][ply][1]);
      put_side(json, "lost", &effects->moments[s][ply][0]);
      km_json_number(json, "difference", e.difference);
      km_json_number(json, "se", e.se);
      km_json_number(json, "low", e.difference - 1.96 * e.se);
      km_json_number(json, "high", e.difference + 1.96 * e.se);
      km_json_number(json, "d", e.d);
      km_json_close(json, '}');
    }
    km_json_close(json, ']');
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

km_status km_wr_write_winrate(const km_wr_findings *findings, const char *path, km_err *err) {
  const km_wr_data *data = findings->data;
  km_json json;
  km_status status = km_json_new(&json, err);
  if (status != KM_OK)
    return status;
  km_json_open(&json, NULL, '{');
  km_wr_put_head(&json, data, "kifumill winrate");
  put_settings(&json, data);
  put_counts(&json, &data->counts);
  km_json_count(&json, "positions", data->n_positions);
  put_segments(&json, data);
  put_columns(&json, &data->geometry);
  km_json_open(&json, "models", '[');
  for (size_t i = 0; i < findings->n_models; i++)
    put_model(&json, data, &findings->models[i]);
  km_json_close(&json, ']');
  put_results(&json, findings->results);
  put_externals(&json, findings);
  put_effects(&json, data->effects);
  km_json_close(&json, '}');
  return km_wr_finish_json(&json, path, data->options->run.force, err);
}
