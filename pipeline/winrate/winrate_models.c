/* winrate_models.c: rows of the store as observations of one fit, and the fits as tasks. */
#include "winrate_models.h"

#include "position_draw.h"

#include "kifumill/batch.h"

#include <stdlib.h>
#include <string.h>

enum { VALID_OF = 8 }; /* with folds, one in so many games of a training set stops the network */

/* Names
 * ---------------------------------------------------------------------------------------------------------------- */

void km_wr_model_init(km_wr_model *model, const km_wr_plan *plan, const km_wr_set *set, km_wr_model_kind kind,
                      unsigned n_layers) {
  *model = (km_wr_model){.doc = set->doc, .kind = kind, .n_series = plan->n_segments};
  snprintf(model->name, sizeof model->name, "%s%s", set->name, kind == KM_WR_NETWORK ? "/mlp" : "");
  km_wr_mask mask = set->mask(n_layers);
  if (kind == KM_WR_NETWORK)
    mask |= (km_wr_mask)1 << KM_WR_PLY; /* a logistic model has its segments instead */
  model->n_columns = km_wr_mask_columns(mask, model->columns);
}

void km_wr_model_init_external(km_wr_model *model, size_t series, km_wr_model_kind kind) {
  *model = (km_wr_model){.kind = kind, .first_series = series, .n_series = 1};
  if (kind == KM_WR_AS_IT_IS) {
    strcpy(model->name, "external");
    model->doc = "win-rates of the external as they are";
    model->columns[model->n_columns++] = KM_WR_OPINION;
    return;
  }
  strcpy(model->name, "external:score");
  model->doc = "score lead of the external, calibrated";
  model->columns[model->n_columns++] = KM_WR_PLY;
  model->columns[model->n_columns++] = KM_WR_SCORE;
  model->columns[model->n_columns++] = KM_WR_SCORE_PLY;
}

/* Observations
 * ---------------------------------------------------------------------------------------------------------------- */

/* The rows of some series that play a role in a fitting. A source is used by one thread at a time. */
typedef struct fit_rows {
  const km_wr_fit_settings *settings;
  const km_position_store *store;
  const km_wr_model *model;
  size_t series; /* of the store */
  unsigned fitting;
  int wants_valid, is_network;
  double *x, *y;
  uint64_t *group;
} fit_rows;

static int game_in(const fit_rows *f, const km_position *row) {
  const km_wr_plan *plan = f->settings->plan;
  km_wr_role role = km_wr_role_of(plan, f->fitting, row->part);
  if (!f->is_network)
    return role == KM_WR_TRAIN;
  if (role == KM_WR_HELD)
    return 0;
  if (role == KM_WR_TRAIN && plan->folds && km_random(plan->seed, row->identity, 0, KM_PURPOSE_MODEL) % VALID_OF == 0)
    role = KM_WR_VALID;
  return (role == KM_WR_VALID) == f->wants_valid;
}

static km_status give_block(void *ctx, int thread, size_t i, km_rows *rows, km_err *err) {
  (void)thread, (void)err;
  fit_rows *f = ctx;
  const km_wr_model *model = f->model;
  size_t row_bytes = km_position_store_row_bytes(f->store), n, out = 0;
  const km_position *first = km_position_store_block(f->store, f->series, i, &n);
  int is_in = 0;
  for (size_t k = 0; k < n; k++) {
    const km_position *row = km_position_at(first, k, row_bytes);
    if (k == 0 || row->game != km_position_at(first, k - 1, row_bytes)->game)
      is_in = game_in(f, row);
    if (!is_in)
      continue;
    double *x = f->x + out * model->n_columns;
    for (size_t c = 0; c < model->n_columns; c++)
      x[c] = row->value[model->columns[c]];
    f->y[out] = row->won;
    f->group[out++] = row->identity;
  }
  *rows = (km_rows){f->x, f->y, f->group, out, model->n_columns};
  return KM_OK;
}

static km_status rows_open(fit_rows *f, km_err *err) {
  size_t most = km_position_store_most_rows(f->store);
  f->x = malloc((most * f->model->n_columns + 1) * sizeof *f->x);
  f->y = malloc((most + 1) * sizeof *f->y);
  f->group = malloc((most + 1) * sizeof *f->group);
  return f->x && f->y && f->group ? KM_OK
                                  : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a block of %zu rows", most);
}

static void rows_close(fit_rows *f) {
  free(f->x);
  free(f->y);
  free(f->group);
}

/* Fits
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct fit_task {
  km_wr_model *model;
  unsigned fitting;
  size_t segment;
} fit_task;

typedef struct fit_job {
  const km_wr_fit_settings *settings;
  km_position_store *drawn; /* what networks learn from; NULL: there are none */
  fit_task *tasks;
  size_t n_tasks;
} fit_job;

/* Classes that a plane separates have no finite optimum: the fit is repeated with a ridge, and says so. */
static km_status fit_logistic(const km_wr_fit_settings *settings, const fit_task *task, km_err *err) {
  km_wr_model *model = task->model;
  size_t number = task->fitting * model->n_series + task->segment, series = model->first_series + task->segment;
  fit_rows f = {.settings = settings, .store = settings->store, .model = model, .series = series, .fitting = task->fitting};
  km_row_source source = {give_block, &f, km_position_store_blocks(settings->store, series), model->n_columns};
  km_logistic_options options = {.ridge = settings->ridge};
  km_status status = rows_open(&f, err);
  if (status == KM_OK)
    status = km_logistic_fit(&model->fits[number], &source, &options, err);
  if (status == KM_OK && !model->fits[number].converged && options.ridge < 1) {
    km_logistic_outcome outcome = model->fits[number].outcome;
    km_logistic_clear(&model->fits[number]);
    options.ridge = 1;
    status = km_logistic_fit(&model->fits[number], &source, &options, err);
    if (status == KM_OK)
      model->fits[number].outcome = outcome;
  }
  model->ridge[number] = options.ridge;
  rows_close(&f);
  return status;
}

/* Games and positions; a game's rows stand together. */
static void count_trained(fit_rows *f, const km_row_source *source, uint64_t trained[2]) {
  uint64_t last = 0;
  for (size_t i = 0; i < source->n_blocks; i++) {
    km_rows rows;
    give_block(f, 0, i, &rows, NULL);
    for (size_t k = 0; k < rows.n; k++) {
      trained[0] += trained[1] == 0 || rows.group[k] != last;
      last = rows.group[k];
      trained[1]++;
    }
  }
}

static km_status fit_network(const fit_job *job, const fit_task *task, km_err *err) {
  const km_wr_fit_settings *settings = job->settings;
  km_wr_model *model = task->model;
  fit_rows train = {.settings = settings, .store = job->drawn, .model = model, .fitting = task->fitting, .is_network = 1};
  fit_rows valid = train;
  valid.wants_valid = 1;
  size_t n_blocks = km_position_store_blocks(job->drawn, 0);
  km_row_source sources[2] = {{give_block, &train, n_blocks, model->n_columns}, {give_block, &valid, n_blocks, model->n_columns}};
  km_mlp_options options = km_mlp_defaults();
  options.hidden[0] = settings->hidden;
  options.max_epochs = settings->epochs;
  options.seed = km_random(settings->plan->seed, task->fitting, 0, KM_PURPOSE_MODEL);
  uint64_t trained[2] = {0}, validated[2] = {0};
  km_status status = rows_open(&train, err);
  if (status == KM_OK)
    status = rows_open(&valid, err);
  if (status == KM_OK) {
    count_trained(&train, &sources[0], trained);
    count_trained(&valid, &sources[1], validated);
    status = km_mlp_fit(&model->networks[task->fitting], &sources[0], validated[1] ? &sources[1] : NULL, &options,
                        &model->reports[task->fitting], err);
  }
  memcpy(model->trained[task->fitting], trained, sizeof trained);
  rows_close(&train);
  rows_close(&valid);
  return status;
}

static km_status run_task(void *ctx, int thread, size_t i, km_err *err) {
  (void)thread;
  const fit_job *job = ctx;
  const fit_task *task = &job->tasks[i];
  km_status status = task->model->kind == KM_WR_NETWORK ? fit_network(job, task, err)
                                                        : fit_logistic(job->settings, task, err);
  if (status != KM_OK)
    km_err_prefix(err, "model %s", task->model->name);
  return status;
}

static km_status allocate(km_wr_model *model, const km_wr_plan *plan, km_err *err) {
  model->n_fits = (km_wr_n_fittings(plan) + 1) * model->n_series;
  if (model->kind == KM_WR_NETWORK) {
    model->networks = calloc(KM_WR_FITTINGS_MAX, sizeof *model->networks);
    model->reports = calloc(KM_WR_FITTINGS_MAX, sizeof *model->reports);
    model->trained = calloc(KM_WR_FITTINGS_MAX, sizeof *model->trained);
    if (model->networks && model->reports && model->trained)
      return KM_OK;
  } else {
    model->fits = calloc(model->n_fits, sizeof *model->fits);
    model->ridge = calloc(model->n_fits, sizeof *model->ridge);
    if (model->fits && model->ridge)
      return KM_OK;
  }
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for model %s", model->name);
}

/* All fits of series number s of their models; networks, which read all series, come with the first. */
static void list_tasks(fit_job *job, km_wr_model *models, size_t n, size_t s) {
  unsigned n_fittings = km_wr_n_fittings(job->settings->plan);
  job->n_tasks = 0;
  for (size_t m = 0; m < n; m++)
    for (unsigned f = 0; models[m].kind == KM_WR_NETWORK && s == 0 && f < n_fittings; f++)
      job->tasks[job->n_tasks++] = (fit_task){&models[m], f, 0};
  for (size_t m = 0; m < n; m++)
    for (unsigned f = 0; models[m].kind == KM_WR_LOGISTIC && s < models[m].n_series && f <= n_fittings; f++)
      job->tasks[job->n_tasks++] = (fit_task){&models[m], f, s};
}

/* The rows that networks learn from, if there are any. */
static km_status draw_rows(fit_job *job, const km_wr_model *models, size_t n, km_err *err) {
  const km_wr_fit_settings *settings = job->settings;
  for (size_t m = 0; m < n; m++)
    if (models[m].kind == KM_WR_NETWORK) {
      km_position_draw draw = {settings->store, models[m].first_series, models[m].n_series, settings->network_positions,
                               settings->plan->seed, settings->n_columns, settings->output};
      return km_position_draw_open(&job->drawn, &draw, err);
    }
  return KM_OK;
}

/* Segment after segment, so that only one's rows are in memory. */
km_status km_wr_models_fit(km_wr_model *models, size_t n, const km_wr_fit_settings *settings, km_err *err) {
  fit_job job = {.settings = settings};
  km_status status = KM_OK;
  for (size_t m = 0; m < n && status == KM_OK; m++)
    status = allocate(&models[m], settings->plan, err);
  if (status != KM_OK)
    return status;
  job.tasks = calloc(n * KM_WR_FITTINGS_MAX + 1, sizeof *job.tasks);
  if (!job.tasks)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the list of fits");
  status = draw_rows(&job, models, n, err);
  for (size_t s = 0; s < KM_WR_SEGMENTS_MAX && status == KM_OK; s++) {
    list_tasks(&job, models, n, s);
    if (job.n_tasks)
      status = km_parallel_for(job.n_tasks, settings->n_threads, run_task, &job, err);
    km_position_store_release(settings->store);
    if (job.n_tasks)
      km_wr_progress_at(settings->progress, (double)(s + 1) / (double)settings->plan->n_segments);
  }
  km_position_store_close(job.drawn);
  free(job.tasks);
  return status;
}

void km_wr_model_clear(km_wr_model *model) {
  for (size_t i = 0; model->fits && i < model->n_fits; i++)
    km_logistic_clear(&model->fits[i]);
  for (size_t i = 0; model->networks && i < KM_WR_FITTINGS_MAX; i++)
    km_mlp_free(model->networks[i]);
  free(model->fits);
  free(model->ridge);
  free(model->networks);
  free(model->reports);
  free(model->trained);
  *model = (km_wr_model){0};
}

double km_wr_model_predict(const km_wr_model *model, const km_wr_plan *plan, unsigned fitting, const km_position *row) {
  double x[KM_WR_COLUMNS_MAX];
  if (model->kind == KM_WR_AS_IT_IS)
    return row->value[KM_WR_OPINION];
  for (size_t c = 0; c < model->n_columns; c++)
    x[c] = row->value[model->columns[c]];
  if (model->kind == KM_WR_NETWORK)
    return km_mlp_predict(model->networks[fitting], x);
  size_t segment = model->n_series > 1 ? km_wr_plan_segment_of(plan, row->ply) : 0;
  return km_logistic_predict(&model->fits[fitting * model->n_series + segment], x);
}
