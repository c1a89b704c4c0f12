/* winrate_figures.c: rows of a range are gone through game by game, across the series that hold them, once a model; a model's
 * score lives only until its replicates are computed. */
#include "winrate_figures.h"

#include "kifumill/batch.h"

#include <stdlib.h>
#include <string.h>

/* Going through games
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct series_cursor {
  size_t series, block, at, n; /* row at of n in block */
  const km_position *rows;
} series_cursor;

/* Series stand in the order of plies, so that a game's rows are found in that order. */
typedef struct game_cursor {
  const km_position_store *store;
  size_t row_bytes, n;
  series_cursor series[KM_WR_SEGMENTS_MAX];
} game_cursor;

static void load_block(const km_position_store *store, series_cursor *c) {
  while (c->at == c->n && c->block < km_position_store_blocks(store, c->series)) {
    if (c->block)
      km_position_store_leave(store, c->series, c->block - 1);
    c->rows = km_position_store_block(store, c->series, c->block++, &c->n);
    c->at = 0;
  }
}

/* Over those of the series whose segments meet the range; an external's one series always. */
static void start_games(game_cursor *g, const km_wr_scoring *s, km_wr_range range) {
  *g = (game_cursor){.store = s->store, .row_bytes = km_position_store_row_bytes(s->store)};
  for (size_t i = 0; i < s->n_series; i++) {
    km_wr_range segment = {0, UINT32_MAX};
    if (s->n_series == s->plan->n_segments && s->first_series == 0)
      segment = km_wr_plan_segment(s->plan, i);
    if (segment.first >= range.end || range.first >= segment.end)
      continue;
    g->series[g->n] = (series_cursor){.series = s->first_series + i};
    load_block(s->store, &g->series[g->n++]);
  }
}

static const km_position *row_of(const game_cursor *g, const series_cursor *c) { return km_position_at(c->rows, c->at, g->row_bytes); }

/* The least game that a cursor stands at; 0 at the end. */
static int next_game(const game_cursor *g, uint32_t *game) {
  int found = 0;
  for (size_t i = 0; i < g->n; i++) {
    const series_cursor *c = &g->series[i];
    if (c->at == c->n || (found && row_of(g, c)->game >= *game))
      continue;
    *game = row_of(g, c)->game;
    found = 1;
  }
  return found;
}

/* Scores
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct predictions {
  double *p, *y;
  size_t n, room;
} predictions;

static km_status add_prediction(predictions *list, double p, double y, km_err *err) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 1024;
    double *more = realloc(list->p, 2 * room * sizeof *more);
    if (!more)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu predictions", room);
    memmove(more + room, more + list->room, list->n * sizeof *more);
    *list = (predictions){more, more + room, list->n, room};
  }
  list->p[list->n] = p;
  list->y[list->n++] = y;
  return KM_OK;
}

/* The rows of one game in the range, if it is held back: predictions into list. */
static km_status predict_game(const km_wr_scoring *s, const km_wr_model *model, km_wr_range range, game_cursor *g,
                              uint32_t game, predictions *list, uint64_t *identity, km_err *err) {
  km_status status = KM_OK;
  list->n = 0;
  for (size_t i = 0; i < g->n; i++) {
    series_cursor *c = &g->series[i];
    while (c->at < c->n && row_of(g, c)->game == game) {
      const km_position *row = row_of(g, c);
      int fitting = km_wr_fitting_for(s->plan, row->part);
      *identity = row->identity;
      if (fitting >= 0 && row->ply >= range.first && row->ply < range.end && status == KM_OK)
        status = add_prediction(list, km_wr_model_predict(model, s->plan, (unsigned)fitting, row), row->won, err);
      if (++c->at == c->n)
        load_block(g->store, c);
    }
  }
  return status;
}

static km_status score_range(const km_wr_scoring *s, const km_wr_model *model, km_wr_range range, km_score *score,
                             km_err *err) {
  game_cursor g;
  predictions list = {0};
  uint32_t game = 0;
  uint64_t identity = 0;
  km_status status = KM_OK;
  start_games(&g, s, range);
  while (status == KM_OK && next_game(&g, &game)) {
    status = predict_game(s, model, range, &g, game, &list, &identity, err);
    if (status == KM_OK && list.n)
      status = km_score_add(score, identity, list.p, list.y, list.n, err);
  }
  free(list.p);
  return status;
}

/* One range, all models
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct range_job {
  const km_wr_scoring *s;
  km_wr_range range;
  km_replicates **replicates; /* a model */
} range_job;

static km_status model_task(void *ctx, int thread, size_t i, km_err *err) {
  (void)thread;
  const range_job *job = ctx;
  const km_wr_model *model = job->s->models[i];
  km_score *score = km_score_new();
  if (!score)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the scores of model %s", model->name);
  km_status status = score_range(job->s, model, job->range, score, err);
  if (status == KM_OK)
    status = km_replicates_new(&job->replicates[i], score, &job->s->bootstrap, err);
  km_score_free(score);
  if (status != KM_OK)
    km_err_prefix(err, "model %s", model->name);
  return status;
}

static int is_base(const km_wr_model *model) {
  static const char *const names[KM_WR_MINUS_MAX] = {"constant", "ply_komi", "local", "external"};
  for (size_t i = 0; i < KM_WR_MINUS_MAX; i++)
    if (strcmp(model->name, names[i]) == 0)
      return 1;
  return 0;
}

static km_status describe_model(const range_job *job, size_t i, km_wr_result *result, km_err *err) {
  km_status status = km_replicates_evaluate(job->replicates[i], &result->score, err);
  for (size_t k = 0; k < job->s->n_models && status == KM_OK; k++) {
    if (k == i || !is_base(job->s->models[k]))
      continue;
    result->minus[result->n_minus].model = job->s->models[k];
    status = km_replicates_compare(job->replicates[i], job->replicates[k], result->minus[result->n_minus++].difference, err);
  }
  return status;
}

static km_status push(km_wr_results *results, const km_wr_result *result, km_err *err) {
  if (results->n == results->room) {
    size_t room = results->room ? 2 * results->room : 64;
    km_wr_result *more = realloc(results->rows, room * sizeof *more);
    if (!more)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu results", room);
    results->rows = more;
    results->room = room;
  }
  results->rows[results->n++] = *result;
  return KM_OK;
}

/* like: by, range, bucket of the results. A range without positions has none. */
static km_status score_one_range(km_wr_results *results, const km_wr_scoring *s, const km_wr_result *like, km_err *err) {
  range_job job = {s, like->range, calloc(s->n_models, sizeof *job.replicates)};
  if (!job.replicates)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for scores");
  km_status status = km_parallel_for(s->n_models, s->n_threads, model_task, &job, err);
  for (size_t i = 0; i < s->n_models && status == KM_OK; i++) {
    km_wr_result result = *like;
    result.model = s->models[i];
    status = describe_model(&job, i, &result, err);
    if (status == KM_OK && result.score.n_games)
      status = push(results, &result, err);
  }
  for (size_t i = 0; i < s->n_models; i++)
    km_replicates_free(job.replicates[i]);
  free(job.replicates);
  km_position_store_release(s->store);
  return status;
}

/* All ranges
 * ---------------------------------------------------------------------------------------------------------------- */

/* By model as they are listed, then in the order in which they were made. */
static void order_by_model(km_wr_result *rows, km_wr_result *sorted, size_t n, const km_wr_scoring *s) {
  size_t out = 0;
  for (size_t m = 0; m < s->n_models; m++)
    for (size_t i = 0; i < n; i++)
      if (rows[i].model == s->models[m])
        sorted[out++] = rows[i];
  memcpy(rows, sorted, n * sizeof *rows);
}

static void name_bucket(km_wr_result *like) {
  if (like->range.end == UINT32_MAX)
    snprintf(like->bucket, sizeof like->bucket, "%u+", (unsigned)like->range.first);
  else
    snprintf(like->bucket, sizeof like->bucket, "%u-%u", (unsigned)like->range.first, (unsigned)like->range.end);
}

km_status km_wr_score_models(km_wr_results *results, const km_wr_scoring *scoring, km_err *err) {
  size_t before = results->n;
  km_wr_result like = {.by = KM_WR_BY_ALL, .range = {0, UINT32_MAX}, .bucket = "all"};
  km_status status = score_one_range(results, scoring, &like, err);
  if (status == KM_OK && results->n == before)
    return km_err_set(err, KM_ERR_FORMAT, 0, "no game is held back for figures: too few games for the split");
  like.by = KM_WR_BY_PHASE;
  for (size_t i = 0; i < KM_WR_PHASES && status == KM_OK; i++) {
    like.range = km_wr_plan_phase(scoring->plan, i);
    strcpy(like.bucket, km_wr_phase_names[i]);
    status = score_one_range(results, scoring, &like, err);
    km_wr_progress_at(scoring->progress, 0.3 + 0.1 * (double)i);
  }
  like.by = KM_WR_BY_PLY;
  for (size_t i = 0; i < scoring->plan->n_buckets && status == KM_OK; i++) {
    like.range = km_wr_plan_bucket(scoring->plan, i);
    name_bucket(&like);
    status = score_one_range(results, scoring, &like, err);
    km_wr_progress_at(scoring->progress, 0.6 + 0.4 * (double)i / (double)scoring->plan->n_buckets);
  }
  size_t n = results->n - before;
  km_wr_result *sorted = status == KM_OK ? malloc((n + 1) * sizeof *sorted) : NULL;
  if (status == KM_OK && !sorted)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu results", n);
  if (status == KM_OK)
    order_by_model(results->rows + before, sorted, n, scoring);
  free(sorted);
  return status;
}

void km_wr_results_clear(km_wr_results *results) {
  free(results->rows);
  *results = (km_wr_results){0};
}
