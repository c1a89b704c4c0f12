/* winrate_scan.c: the second pass: batches of games are replayed by workers; rows, effects and curves are added in order. */
#include "winrate_data.h"

#include "kifumill/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_GAMES = 64 };

/* Rows one behind the other. */
typedef struct row_list {
  unsigned char *bytes;
  size_t n, room;
} row_list;

typedef struct scanned_game {
  uint64_t identity;
  size_t first, n; /* of the sampled rows */
  uint8_t is_used, is_kept, is_even;
  int8_t winner;
  uint8_t has_style;
  struct {
    uint32_t rows, no_ply, not_used, duplicate, with_win, with_score;
    size_t first, n; /* of the batch's rows of that external */
  } external[KM_WR_EXTERNALS];
} scanned_game;

typedef struct scan_batch {
  uint64_t first;
  size_t n;
  scanned_game games[BATCH_GAMES];
  row_list rows, external[KM_WR_EXTERNALS];
  km_style_curves *curves; /* BATCH_GAMES */
} scan_batch;

typedef struct scan {
  km_wr_data *data;
  km_wr_progress *progress;
  uint64_t next, n_games;
  size_t row_bytes;
} scan;

typedef struct scan_worker {
  km_wr_walk *walk;
  km_arena arena;
  float scratch[KM_WR_COLUMNS_MAX];
} scan_worker;

/* Batches and workers
 * ---------------------------------------------------------------------------------------------------------------- */

static void batch_free(void *ctx, void *data) {
  (void)ctx;
  scan_batch *batch = data;
  if (!batch)
    return;
  free(batch->rows.bytes);
  for (size_t i = 0; i < KM_WR_EXTERNALS; i++)
    free(batch->external[i].bytes);
  free(batch->curves);
  free(batch);
}
static void *batch_new(void *ctx) {
  scan_batch *batch = calloc(1, sizeof *batch);
  if (batch && (batch->curves = calloc(BATCH_GAMES, sizeof *batch->curves)))
    return batch;
  batch_free(ctx, batch);
  return NULL;
}
static void worker_free(void *ctx, void *data) {
  (void)ctx;
  scan_worker *worker = data;
  if (!worker)
    return;
  km_wr_walk_free(worker->walk);
  km_arena_clear(&worker->arena);
  free(worker);
}
static void *worker_new(void *ctx) {
  scan_worker *worker = calloc(1, sizeof *worker);
  if (!worker)
    return NULL;
  km_arena_init(&worker->arena);
  worker->walk = km_wr_walk_new(&((scan *)ctx)->data->geometry);
  if (worker->walk)
    return worker;
  worker_free(ctx, worker);
  return NULL;
}

static km_status read_batch(void *ctx, size_t stream, void *data, km_err *err) {
  (void)stream, (void)err;
  scan *s = ctx;
  scan_batch *batch = data;
  if (s->next == s->n_games)
    return KM_END;
  batch->first = s->next;
  batch->n = s->n_games - s->next < BATCH_GAMES ? (size_t)(s->n_games - s->next) : BATCH_GAMES;
  s->next += batch->n;
  return KM_OK;
}

/* Work
 * ---------------------------------------------------------------------------------------------------------------- */

/* Room for one more row at the end; NULL when memory is out. */
static km_position *next_row(row_list *list, size_t row_bytes) {
  if (list->n == list->room) {
    size_t room = list->room ? 2 * list->room : 256;
    unsigned char *more = realloc(list->bytes, room * row_bytes);
    if (!more)
      return NULL;
    list->bytes = more;
    list->room = room;
  }
  return (km_position *)(list->bytes + list->n * row_bytes);
}

/* One game on its way through the plies. */
typedef struct game_pass {
  const scan *s;
  scan_batch *batch;
  scanned_game *out;
  const km_game *game;
  km_wr_walk *walk;
  km_wr_sampler sampler;
  const km_opinion *opinions; /* those to come */
  size_t n_opinions;
  uint32_t n_evals; /* looked at so far */
  uint8_t part;
} game_pass;

static km_status out_of_rows(km_err *err) { return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for rows of positions"); }

static void fill_row(const game_pass *g, km_position *row) {
  memset(row, 0, g->s->row_bytes);
  *row = (km_position){.identity = g->out->identity, .game = (uint32_t)(g->batch->first + (size_t)(g->out - g->batch->games)),
                  .ply = g->walk->replay.ply, .won = g->game->winner == KM_WINNER_BLACK, .part = g->part};
  km_wr_walk_row(g->walk, row->value);
}

static km_status add_external(game_pass *g, size_t external, float win, float score, km_err *err) {
  row_list *list = &g->batch->external[external];
  km_position *row = next_row(list, g->s->row_bytes);
  if (!row)
    return out_of_rows(err);
  fill_row(g, row);
  row->value[KM_WR_OPINION] = win;
  row->value[KM_WR_SCORE] = score;
  row->value[KM_WR_SCORE_PLY] = score * row->value[KM_WR_PLY];
  list->n++;
  g->out->external[external].n++;
  g->out->external[external].with_win += !isnan(win);
  g->out->external[external].with_score += !isnan(score);
  return KM_OK;
}

/* What others say of the present position. Evaluations stand in the order of plies; one that stands behind a later one, or a
 * second of one kind for a position, is a duplicate. */
static km_status join(game_pass *g, km_err *err) {
  uint32_t ply = g->walk->replay.ply;
  km_status status = KM_OK;
  if (g->n_opinions && g->opinions->ply == ply) {
    status = add_external(g, 0, g->opinions->win, g->opinions->score, err);
    g->opinions++;
    g->n_opinions--;
  }
  unsigned seen = 0;
  for (; g->n_evals < g->game->n_evals && g->game->evals[g->n_evals].ply <= ply && status == KM_OK; g->n_evals++) {
    const km_eval *e = &g->game->evals[g->n_evals];
    if (e->source == KM_EVAL_NONE || e->source >= KM_WR_EXTERNALS)
      continue;
    g->out->external[e->source].rows++;
    if (e->ply < ply || seen >> e->source & 1)
      g->out->external[e->source].duplicate++;
    else
      status = add_external(g, e->source, e->black_win, e->black_score, err);
    seen |= 1u << e->source;
  }
  return status;
}

static km_status sample(game_pass *g, km_err *err) {
  if (!g->out->is_kept || !km_wr_sampler_takes(&g->s->data->plan, &g->sampler, g->walk->replay.ply))
    return KM_OK;
  km_position *row = next_row(&g->batch->rows, g->s->row_bytes);
  if (!row)
    return out_of_rows(err);
  fill_row(g, row);
  g->batch->rows.n++;
  g->out->n++;
  return KM_OK;
}

/* What could not be joined: plies behind the end. */
static void leave_rest(game_pass *g) {
  g->out->external[0].no_ply += (uint32_t)g->n_opinions;
  for (; g->n_evals < g->game->n_evals; g->n_evals++) {
    unsigned source = g->game->evals[g->n_evals].source;
    if (source == KM_EVAL_NONE || source >= KM_WR_EXTERNALS)
      continue;
    g->out->external[source].rows++;
    g->out->external[source].no_ply++;
  }
}

static km_status follow_game(game_pass *g, scan_worker *worker, km_err *err) {
  const scan *s = g->s;
  scanned_game *out = g->out;
  km_style_curves *curves = &g->batch->curves[out - g->batch->games];
  km_status status = KM_OK, step = KM_OK;
  for (km_wr_walk_start(g->walk, g->game); step == KM_OK && status == KM_OK; step = km_wr_walk_step(g->walk)) {
    if (out->is_used)
      status = join(g, err);
    if (status == KM_OK && out->is_used)
      status = sample(g, err);
    if (out->has_style)
      km_style_curves_take(curves, &s->data->style_options, g->walk, worker->scratch);
  }
  if (out->is_used)
    leave_rest(g);
  return status;
}

static void count_unused(game_pass *g) {
  g->out->external[0].not_used = (uint32_t)g->n_opinions;
  for (uint32_t i = 0; i < g->game->n_evals; i++) {
    unsigned source = g->game->evals[i].source;
    if (source == KM_EVAL_NONE || source >= KM_WR_EXTERNALS)
      continue;
    g->out->external[source].rows++;
    g->out->external[source].not_used++;
  }
}

static km_status scan_game(const scan *s, scan_worker *worker, scan_batch *batch, size_t i, km_err *err) {
  const km_wr_data *data = s->data;
  uint64_t number = batch->first + i;
  km_game game;
  km_game_keys keys;
  km_arena_reset(&worker->arena);
  km_status status = km_games_game(data->games, number, &worker->arena, &game, err);
  if (status != KM_OK)
    return status;
  km_games_keys(data->games, number, &keys);
  scanned_game *out = &batch->games[i];
  int right_size = game.rows == data->options->board && game.cols == data->options->board;
  *out = (scanned_game){.identity = keys.hash.low, .first = batch->rows.n, .winner = game.winner,
                        .is_used = right_size && (game.winner == KM_WINNER_BLACK || game.winner == KM_WINNER_WHITE)};
  out->is_even = game.handicap == 0 && game.n_setup == 0;
  out->is_kept = out->is_used && km_wr_plan_keeps(&data->plan, out->identity);
  for (size_t k = 0; k < KM_WR_EXTERNALS; k++)
    out->external[k].first = batch->external[k].n;
  for (unsigned colour = 0; colour < 2 && right_size; colour++)
    out->has_style |= km_styles_player(data->styles, data->games, number, colour) != KM_WR_NO_PLAYER;
  game_pass g = {.s = s, .batch = batch, .out = out, .game = &game, .walk = worker->walk,
                 .part = (uint8_t)km_wr_plan_part(&data->plan, keys.split_key),
                 .sampler = km_wr_sampler_start(&data->plan, out->identity, game.n_moves)};
  if (data->opinions)
    g.opinions = km_opinions_of(data->opinions, number, game.text[KM_TEXT_SOURCE], game.text[KM_TEXT_ENTRY], &g.n_opinions);
  if (!out->is_used)
    count_unused(&g);
  return out->is_used || out->has_style ? follow_game(&g, worker, err) : KM_OK;
}

static km_status work_batch(void *ctx, void *worker, void *data, km_err *err) {
  scan_batch *batch = data;
  km_status status = KM_OK;
  batch->rows.n = 0;
  for (size_t i = 0; i < KM_WR_EXTERNALS; i++)
    batch->external[i].n = 0;
  for (size_t i = 0; i < batch->n && status == KM_OK; i++)
    status = scan_game(ctx, worker, batch, i, err);
  return status;
}

/* Write
 * ---------------------------------------------------------------------------------------------------------------- */

/* Rows of a game stand in the order of plies, so that those of a segment are one piece. */
static km_status write_rows(scan *s, const scan_batch *batch, const scanned_game *game, km_err *err) {
  km_wr_data *data = s->data;
  const unsigned char *rows = batch->rows.bytes + game->first * s->row_bytes;
  for (size_t i = 0, end; i < game->n; i = end) {
    size_t segment = km_wr_plan_segment_of(&data->plan, ((const km_position *)(rows + i * s->row_bytes))->ply);
    for (end = i; end < game->n; end++) {
      const km_position *row = (const km_position *)(rows + end * s->row_bytes);
      if (km_wr_plan_segment_of(&data->plan, row->ply) != segment)
        break;
      if (game->is_even)
        km_wr_effects_add(data->effects, row);
      data->segments[segment].won += row->won;
    }
    data->segments[segment].games++;
    data->segments[segment].positions += end - i;
    km_status status = km_position_store_add(data->store, segment, rows + i * s->row_bytes, end - i, err);
    if (status != KM_OK)
      return status;
  }
  data->n_positions += game->n;
  return KM_OK;
}

static km_status write_externals(scan *s, const scan_batch *batch, const scanned_game *game, km_err *err) {
  km_wr_data *data = s->data;
  km_status status = KM_OK;
  for (size_t k = 0; k < KM_WR_EXTERNALS && status == KM_OK; k++) {
    km_wr_external *e = &data->external[k];
    e->rows += game->external[k].rows;
    e->no_ply += game->external[k].no_ply;
    e->not_used += game->external[k].not_used;
    e->duplicate += game->external[k].duplicate;
    e->matched += game->external[k].n;
    e->with_win += game->external[k].with_win;
    e->with_score += game->external[k].with_score;
    e->games += game->external[k].n > 0;
    if (game->external[k].n)
      status = km_position_store_add(data->store, data->plan.n_segments + k,
                                batch->external[k].bytes + game->external[k].first * s->row_bytes, game->external[k].n, err);
  }
  return status;
}

static km_status write_batch(void *ctx, void *data, km_err *err) {
  scan *s = ctx;
  const scan_batch *batch = data;
  km_status status = KM_OK;
  for (size_t i = 0; i < batch->n && status == KM_OK; i++) {
    const scanned_game *game = &batch->games[i];
    km_wr_counts *n = &s->data->counts;
    n->thinned += game->is_used && !game->is_kept;
    n->used += game->is_kept;
    n->black_won += game->is_kept && game->winner == KM_WINNER_BLACK;
    if (game->has_style)
      km_styles_add(s->data->styles, s->data->games, batch->first + i, game->identity, &batch->curves[i]);
    status = write_rows(s, batch, game, err);
    if (status == KM_OK)
      status = write_externals(s, batch, game, err);
  }
  km_games_release(s->data->games, batch->first, batch->n);
  s->progress->games = batch->first + batch->n;
  s->progress->positions = s->data->n_positions;
  km_wr_progress_at(s->progress, (double)s->progress->games / (double)s->n_games);
  return status;
}

km_status km_wr_data_scan(km_wr_data *data, km_wr_progress *progress, km_err *err) {
  static const km_batch_ops ops = {batch_new, batch_free, worker_new, worker_free, read_batch, work_batch, write_batch, NULL};
  scan s = {.data = data, .progress = progress, .n_games = km_games_count(data->games)};
  data->effects = calloc(1, sizeof *data->effects);
  if (!data->effects)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for effects");
  km_status status = km_position_store_open(&data->store, data->options->run.output, data->plan.n_segments + KM_WR_EXTERNALS,
                                       km_wr_n_columns(data->geometry.n_layers), err);
  if (status != KM_OK)
    return status;
  s.row_bytes = km_position_store_row_bytes(data->store);
  status = km_batch_run(&ops, &s, 1, data->options->run.threads, 0, err);
  return status == KM_OK ? km_position_store_seal(data->store, err) : status;
}
