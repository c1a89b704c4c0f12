/* winrate_stage.c: data → models → figures → files. */
#include "winrate_stage.h"

#include "winrate_write.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODELS_MAX = 2 * KM_WR_SETS_MAX, EXTERNAL_MODELS = 2 };

typedef struct winrate_job {
  const km_winrate_options *options;
  char *csv_path, *styles_path;
  km_wr_data data;
  km_wr_progress progress;
  km_wr_model models[MODELS_MAX];
  size_t n_models;
  km_wr_model external_models[KM_WR_EXTERNALS][EXTERNAL_MODELS];
  size_t n_external_models[KM_WR_EXTERNALS];
  km_wr_results results, external[KM_WR_EXTERNALS];
} winrate_job;

/* Outputs
 * ---------------------------------------------------------------------------------------------------------------- */

/* "out/winrate.json" → "out/winrate" + suffix. */
static char *beside(const char *path, const char *suffix) {
  size_t n = strlen(path);
  if (n > 5 && strcmp(path + n - 5, ".json") == 0)
    n -= 5;
  char *name = malloc(n + strlen(suffix) + 1);
  if (name) {
    memcpy(name, path, n);
    strcpy(name + n, suffix);
  }
  return name;
}

static km_status name_outputs(winrate_job *job, km_err *err) {
  const km_run_options *run = &job->options->run;
  job->csv_path = beside(run->output, ".csv");
  job->styles_path = beside(run->output, ".styles.json");
  if (!job->csv_path || !job->styles_path)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the names of the outputs");
  const char *paths[] = {run->output, job->csv_path, job->styles_path};
  for (size_t i = 0; i < 3 && !run->force; i++)
    if (access(paths[i], F_OK) == 0)
      return km_err_set(err, KM_ERR_STATE, 0, "%.200s exists; --force overwrites it", paths[i]);
  return KM_OK;
}

/* Models
 * ---------------------------------------------------------------------------------------------------------------- */

static void list_models(winrate_job *job, unsigned chosen) {
  const km_wr_plan *plan = &job->data.plan;
  unsigned n_layers = job->data.geometry.n_layers;
  int kind = job->options->model;
  for (size_t i = 0; i < km_n_wr_sets; i++) {
    int is_base = i <= KM_WR_SET_PLY_KOMI;
    if (chosen >> i & 1 && (kind != KM_WINRATE_MLP || is_base))
      km_wr_model_init(&job->models[job->n_models++], plan, &km_wr_sets[i], KM_WR_LOGISTIC, n_layers);
  }
  for (size_t i = KM_WR_SET_PLY_KOMI; i < km_n_wr_sets; i++)
    if (chosen >> i & 1 && kind != KM_WINRATE_LOGISTIC)
      km_wr_model_init(&job->models[job->n_models++], plan, &km_wr_sets[i], KM_WR_NETWORK, n_layers);
  for (size_t k = 0; k < KM_WR_EXTERNALS; k++) {
    const km_wr_external *e = &job->data.external[k];
    if (e->matched && e->with_win == e->matched)
      km_wr_model_init_external(&job->external_models[k][job->n_external_models[k]++], plan->n_segments + k, KM_WR_AS_IT_IS);
    if (e->matched && e->with_score == e->matched)
      km_wr_model_init_external(&job->external_models[k][job->n_external_models[k]++], plan->n_segments + k, KM_WR_LOGISTIC);
  }
}

static km_status fit_models(winrate_job *job, km_err *err) {
  const km_winrate_options *o = job->options;
  km_wr_fit_settings settings = {.plan = &job->data.plan, .store = job->data.store, .ridge = o->ridge,
                                 .n_columns = km_wr_n_columns(job->data.geometry.n_layers), .output = o->run.output,
                                 .network_positions = o->network_positions, .hidden = (size_t)o->hidden,
                                 .epochs = (size_t)o->epochs, .n_threads = o->run.threads,
                                 .progress = &job->progress};
  km_status status = km_wr_models_fit(job->models, job->n_models, &settings, err);
  for (size_t k = 0; k < KM_WR_EXTERNALS && status == KM_OK; k++)
    status = km_wr_models_fit(job->external_models[k], job->n_external_models[k], &settings, err);
  return status;
}

/* Whether any position of an external belongs to a game held back. */
static int has_held_back(const winrate_job *job, size_t series) {
  const km_position_store *store = job->data.store;
  for (size_t b = 0; b < km_position_store_blocks(store, series); b++) {
    size_t n;
    const km_position *rows = km_position_store_block(store, series, b, &n);
    for (size_t i = 0; i < n; i++)
      if (km_wr_fitting_for(&job->data.plan, km_position_at(rows, i, km_position_store_row_bytes(store))->part) >= 0)
        return 1;
  }
  return 0;
}

static km_status score_models(winrate_job *job, km_err *err) {
  const km_winrate_options *o = job->options;
  const km_wr_model *models[MODELS_MAX + EXTERNAL_MODELS];
  km_wr_scoring scoring = {.plan = &job->data.plan, .store = job->data.store, .n_series = job->data.plan.n_segments,
                           .models = models, .n_threads = o->run.threads, .progress = &job->progress,
                           .bootstrap = {.seed = o->run.seed, .n_replicates = (size_t)o->replicates, .level = 0.95}};
  for (size_t i = 0; i < job->n_models; i++)
    models[scoring.n_models++] = &job->models[i];
  km_status status = km_wr_score_models(&job->results, &scoring, err);
  for (size_t k = 0; k < KM_WR_EXTERNALS && status == KM_OK; k++) {
    scoring.first_series = job->data.plan.n_segments + k;
    scoring.n_series = 1;
    scoring.n_models = 0;
    if (!has_held_back(job, scoring.first_series))
      continue;
    for (size_t i = 0; i < job->n_external_models[k]; i++)
      models[scoring.n_models++] = &job->external_models[k][i];
    for (size_t i = 0; i < job->n_models; i++)
      models[scoring.n_models++] = &job->models[i];
    status = km_wr_score_models(&job->external[k], &scoring, err);
  }
  return status;
}

/* The end
 * ---------------------------------------------------------------------------------------------------------------- */

static void print_figures(FILE *out, const char *data, const km_wr_results *results) {
  for (size_t i = 0; i < results->n; i++) {
    const km_wr_result *r = &results->rows[i];
    if (r->by != KM_WR_BY_ALL)
      continue;
    const km_estimate *m = r->score.metric;
    fprintf(out, "  %-24.24s %-16s %6.2f %% [%5.2f, %5.2f]  %.4f [%.4f, %.4f]  %.4f  %.4f\n", data, r->model->name,
            100 * m[KM_METRIC_ACCURACY].value, 100 * m[KM_METRIC_ACCURACY].low, 100 * m[KM_METRIC_ACCURACY].high,
            m[KM_METRIC_AUC].value, m[KM_METRIC_AUC].low, m[KM_METRIC_AUC].high, m[KM_METRIC_LOG_LOSS].value,
            m[KM_METRIC_BRIER].value);
  }
}

static void report(const winrate_job *job, double seconds) {
  FILE *out = job->options->run.messages;
  const km_wr_data *data = &job->data;
  const km_wr_counts *n = &data->counts;
  if (!out)
    return;
  fprintf(out,
          "games %llu: used %llu (Black won %llu), drawn %llu, without a winner %llu, of another size %llu, thinned %llu\n"
          "positions %llu in %zu segments, %zu models, players with %d games or more: %zu\n",
          (unsigned long long)n->read, (unsigned long long)n->used, (unsigned long long)n->black_won,
          (unsigned long long)n->drawn, (unsigned long long)n->no_winner, (unsigned long long)n->other_size,
          (unsigned long long)n->thinned, (unsigned long long)data->n_positions, data->plan.n_segments, job->n_models,
          job->options->min_games, km_styles_players(data->styles));
  fprintf(out, "  %-24s %-16s %-26s %-25s %s\n", "data", "model", "accuracy", "AUC", "log-loss Brier");
  print_figures(out, "held-out", &job->results);
  for (size_t k = 0; k < KM_WR_EXTERNALS; k++) {
    const km_wr_external *e = &data->external[k];
    if (e->rows)
      fprintf(out, "%s: %llu win-rates, %llu matched in %llu games\n", e->name, (unsigned long long)e->rows,
              (unsigned long long)e->matched, (unsigned long long)e->games);
    print_figures(out, e->name, &job->external[k]);
  }
  fprintf(out, "%.2f s, peak memory %.0f MB, %s\n", seconds, 1e-6 * (double)km_peak_memory_bytes(), job->options->run.output);
}

static km_status write_outputs(const winrate_job *job, km_err *err) {
  km_wr_findings findings = {&job->data, job->models, job->n_models, &job->results, job->external};
  km_status status = km_wr_write_styles(&job->data, job->styles_path, err);
  if (status == KM_OK)
    status = km_wr_write_csv(&findings, job->csv_path, err);
  return status == KM_OK ? km_wr_write_winrate(&findings, job->options->run.output, err) : status;
}

static void close_job(winrate_job *job) {
  for (size_t i = 0; i < job->n_models; i++)
    km_wr_model_clear(&job->models[i]);
  for (size_t k = 0; k < KM_WR_EXTERNALS; k++) {
    for (size_t i = 0; i < job->n_external_models[k]; i++)
      km_wr_model_clear(&job->external_models[k][i]);
    km_wr_results_clear(&job->external[k]);
  }
  km_wr_results_clear(&job->results);
  km_wr_data_close(&job->data);
  free(job->csv_path);
  free(job->styles_path);
  free(job);
}

static void next_part(winrate_job *job, double to) {
  job->progress.from = job->progress.to;
  job->progress.to = to;
}

static km_status run_job(winrate_job *job, km_progress *line, km_err *err) {
  unsigned chosen;
  job->progress = (km_wr_progress){.line = line, .to = 0.2};
  km_status status = km_wr_sets_parse(&chosen, job->options->features, err);
  if (status == KM_OK)
    status = name_outputs(job, err);
  if (status == KM_OK)
    status = km_wr_data_open(&job->data, job->options, err);
  if (status == KM_OK)
    status = km_wr_data_scan(&job->data, &job->progress, err);
  if (status != KM_OK)
    return status;
  list_models(job, chosen);
  next_part(job, 0.7);
  status = fit_models(job, err);
  next_part(job, 1);
  if (status == KM_OK)
    status = score_models(job, err);
  return status == KM_OK ? write_outputs(job, err) : status;
}

km_status km_winrate_run(const km_winrate_options *options, km_stage_outcome *outcome, km_err *err) {
  km_progress progress;
  winrate_job *job = calloc(1, sizeof *job);
  if (!job)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  job->options = options;
  km_progress_begin(&progress, options->run.messages ? options->run.progress : KM_PROGRESS_NEVER, "winrate", stderr);
  km_status status = run_job(job, &progress, err);
  double seconds = km_progress_end(&progress);
  if (status == KM_OK) {
    report(job, seconds);
    *outcome = (km_stage_outcome){.n_games = job->data.counts.used, .n_positions = job->data.n_positions, .n_files = 3};
  }
  close_job(job);
  return status;
}
