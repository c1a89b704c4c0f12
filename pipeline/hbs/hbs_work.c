/* hbs_work.c: moves, trackers, rows of the block, curves. */
#include "hbs_work.h"

#include "kifumill/arena.h"
#include "kifumill/captures.h"
#include "kifumill/hbs_trajectory.h"

#include <stdlib.h>
#include <string.h>

enum { COLOURS = KM_HBS_COLOURS_MAX };

/* The series of a game, from the first ply that is kept. */
typedef struct traced {
  km_hbs_series series; /* with layers if they are kept */
  double *log2;
} traced;

struct km_hbs_worker {
  const km_hbs_shared *shared;
  size_t number;
  km_arena arena;
  km_captures captures;
  km_replay replay;
  km_hbs hbs[COLOURS];
  traced own[COLOURS],
      to[COLOURS]; /* buffers, and where the game at hand goes: those, or rows of the block */
  km_hbs_runs runs[COLOURS][KM_HBS_RINGS_MAX + 2]; /* of a game in curves: its S, its layers */
  double *log2_runs[COLOURS];
  uint8_t *cause;
  km_curve_batch *batch;
};

/* Positions of one game that are traced together: the longest game of curves, or the part of one in a
 * stretch. */
static size_t plies_room(const km_hbs_shared *shared) {
  size_t most = (size_t)KM_STRETCH_CHUNKS * shared->schema->table.chunk_rows;
  for (size_t i = 0; i < shared->n_plans; i++)
    if (shared->plans[i].with_curves && shared->plans[i].longest > most)
      most = shared->plans[i].longest;
  return most;
}

/* Words of the layers that are traced together, if they are kept. */
static size_t layer_room(const km_hbs_shared *shared, size_t plies) {
  size_t most = 1;
  for (size_t i = 0; i < shared->n_plans && shared->schema->shape.n_layers; i++) {
    size_t row = (size_t)shared->plans[i].geometry.n_layers * shared->plans[i].geometry.n_limbs;
    most = row * plies > most ? row * plies : most;
  }
  return most;
}

/* Runs of S and of layers of one colour, as long as games in curves may be. */
static int runs_new(km_hbs_runs *runs, const km_hbs_shared *shared) {
  size_t longest = 1;
  unsigned n_limbs = 2, n_layers = 0;
  for (size_t i = 0; i < shared->n_plans; i++) {
    const km_curve_plan *plan = &shared->plans[i];
    if (!plan->with_curves)
      continue;
    longest = plan->longest > longest ? plan->longest : longest;
    n_limbs = plan->geometry.n_limbs > n_limbs ? plan->geometry.n_limbs : n_limbs;
    n_layers = plan->geometry.n_layers > n_layers ? plan->geometry.n_layers : n_layers;
  }
  for (unsigned k = 0; k <= n_layers; k++) {
    runs[k].ply = malloc(longest * sizeof *runs[k].ply);
    runs[k].value = malloc(longest * n_limbs * sizeof *runs[k].value);
    if (!runs[k].ply || !runs[k].value)
      return 0;
  }
  return 1;
}

km_hbs_worker *km_hbs_worker_new(const km_hbs_shared *shared, size_t number) {
  km_hbs_worker *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  size_t plies = plies_room(shared), layers = layer_room(shared, plies);
  w->shared = shared;
  w->number = number;
  km_arena_init(&w->arena);
  w->batch = km_curve_batch_new(shared->plans, shared->n_plans);
  w->cause = calloc(plies, sizeof *w->cause);
  int good = w->batch && w->cause;
  for (size_t c = 0; c < shared->n_colours; c++) {
    w->own[c].series.s = malloc(plies * shared->schema->shape.n_limbs * sizeof(uint64_t));
    w->own[c].series.layer = malloc(layers * sizeof(uint64_t));
    w->own[c].log2 = malloc(plies * sizeof(double));
    w->log2_runs[c] = malloc(plies * sizeof(double));
    good = good && w->own[c].series.s && w->own[c].series.layer && w->own[c].log2 && w->log2_runs[c] &&
           runs_new(w->runs[c], shared);
  }
  if (good)
    return w;
  km_hbs_worker_free(w);
  return NULL;
}

void km_hbs_worker_free(km_hbs_worker *worker) {
  if (!worker)
    return;
  for (size_t c = 0; c < COLOURS; c++) {
    free(worker->own[c].series.s);
    free(worker->own[c].series.layer);
    free(worker->own[c].log2);
    free(worker->log2_runs[c]);
    for (size_t k = 0; k < KM_HBS_RINGS_MAX + 2; k++) {
      free(worker->runs[c][k].ply);
      free(worker->runs[c][k].value);
    }
  }
  free(worker->cause);
  km_curve_batch_free(worker->batch);
  km_arena_clear(&worker->arena);
  free(worker);
}

/* A part of a game: plies from … to - 1, all of it if it is added to curves. */
typedef struct part {
  uint64_t game; /* its number */
  size_t from, to;
  int with_curves;
  int ply_by_ply;            /* rows are kept of every ply; else S is made of its runs, behind the game */
  const km_curve_plan *plan; /* one a colour */
} part;

static uint8_t cause_of(const km_replay *replay) {
  if (replay->setup_begin != replay->setup_end)
    return KM_STEP_SETUP;
  return replay->board.n_captured ? KM_STEP_CAPTURE : KM_STEP_PLAIN;
}

/* Keeps what the trackers say of a position, which is at or behind p->from. */
static inline void record(km_hbs_worker *w, const part *p, size_t ply) {
  for (size_t c = 0; c < w->shared->n_colours; c++) {
    if (p->ply_by_ply)
      km_hbs_record(&w->hbs[c], w->to[c].series, ply - p->from);
    if (p->with_curves && w->hbs[c].touched)
      km_hbs_runs_record(&w->runs[c][0], &w->runs[c][1], &w->hbs[c], (uint32_t)ply);
  }
}

/* Plays a game and keeps plies from … to - 1 of every colour; 0: it is out of the ordinary. */
static int trace_ordinary(km_hbs_worker *w, const km_game *game, const part *p) {
  km_captures *board = &w->captures;
  size_t n_colours = w->shared->n_colours;
  if (game->n_moves + (size_t)1 < p->to || !km_captures_init(board, game))
    return 0;
  for (size_t c = 0; c < n_colours; c++) {
    km_hbs_init(&w->hbs[c], &p->plan[c].geometry);
    for (uint32_t i = 0; i < game->n_setup; i++)
      km_hbs_set(&w->hbs[c], game->setup[i].point, game->setup[i].colour);
  }
  w->cause[0] = KM_STEP_PLAIN;
  for (size_t ply = 1; ply < p->to; ply++) {
    km_move move = game->moves[ply - 1];
    if (!km_captures_play(board, move))
      return 0;
    if (ply - 1 >= p->from) /* one move late: its limbs have left the store buffer by then */
      record(w, p, ply - 1);
    for (size_t c = 0; c < n_colours; c++) {
      if (move.colour == p->plan[c].colour && move.point < board->n_points)
        km_hbs_set(&w->hbs[c], move.point, move.colour);
      else if (board->n_captured) /* a stone that is not counted takes some that are */
        km_hbs_set_many(&w->hbs[c], board->captured, board->n_captured, KM_EMPTY);
    }
    if (ply >= p->from)
      w->cause[ply - p->from] = board->n_captured ? KM_STEP_CAPTURE : KM_STEP_PLAIN;
  }
  record(w, p, p->to - 1);
  return 1;
}

/* The same of any game, by the rules of records. */
static km_status trace(km_hbs_worker *w, const km_game *game, const part *p, km_err *err) {
  static const km_replay_options as_recorded = {.mode = KM_REPLAY_SGF, .allow_suicide = 1};
  km_replay *replay = &w->replay;
  size_t n_colours = w->shared->n_colours;
  km_replay_init(replay, game, &as_recorded);
  for (size_t c = 0; c < n_colours; c++) {
    km_hbs_init(&w->hbs[c], &p->plan[c].geometry);
    km_hbs_load(&w->hbs[c], &replay->board);
  }
  w->cause[0] = KM_STEP_PLAIN;
  while (replay->ply + 1 < p->to && km_replay_step(replay) == KM_OK) {
    if (replay->ply - 1u >= p->from)
      record(w, p, replay->ply - 1u);
    for (size_t c = 0; c < n_colours; c++)
      km_hbs_follow(&w->hbs[c], replay);
    if (replay->ply >= p->from)
      w->cause[replay->ply - p->from] = cause_of(replay);
  }
  if (replay->ply + 1 != p->to)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: game %llu cannot be played beyond move %u",
                      km_games_path(w->shared->games), (unsigned long long)p->game, replay->ply);
  record(w, p, replay->ply);
  return KM_OK;
}

/* S of every ply, if it is not there yet. */
static void fill_s(km_hbs_worker *w, const part *p, size_t c) {
  if (!p->ply_by_ply)
    km_hbs_runs_rows(w->to[c].series.s, &w->runs[c][0], p->plan[c].geometry.n_limbs, p->to);
}

/* log2(1 + S) of every ply traced. */
static void fill_log2(km_hbs_worker *w, const part *p, size_t c) {
  const km_hbs_runs *s = &w->runs[c][0];
  unsigned n_limbs = p->plan[c].geometry.n_limbs;
  if (!p->with_curves) {
    km_hbs_log2_series(w->to[c].log2, w->to[c].series.s, p->to - p->from, n_limbs);
    return;
  }
  km_hbs_runs_log2(w->log2_runs[c], s, n_limbs);
  km_hbs_runs_expand(w->to[c].log2, s->ply, w->log2_runs[c], s->n, p->to);
}

/* Numbers of n_from limbs as numbers of n_to; rows of n_numbers of them in rows of room for more. The rest is
 * zero already. */
typedef struct row_shape {
  size_t numbers, limbs;
} row_shape;
static void copy_rows(uint64_t *to, row_shape wide, const uint64_t *from, row_shape narrow, size_t n_rows) {
  for (size_t r = 0; r < n_rows; r++)
    for (size_t k = 0; k < narrow.numbers; k++)
      memcpy(to + (r * wide.numbers + k) * wide.limbs, from + (r * narrow.numbers + k) * narrow.limbs,
             narrow.limbs * sizeof *to);
}

/* The block's rows of a part, of colour c. */
static traced rows_of(const km_hbs_worker *w, const km_stretch *stretch, const part *p, size_t c) {
  const km_hbs_schema *schema = w->shared->schema;
  size_t at = (size_t)(w->shared->offsets[p->game] + p->from - stretch->first),
         n_limbs = schema->shape.n_limbs;
  traced rows = {
      {(uint64_t *)km_block_rows(stretch->block, (size_t)schema->s_column[c]) + at * n_limbs, NULL},
      (double *)km_block_rows(stretch->block, (size_t)schema->log2_column[c]) + at};
  if (schema->layer_column[c] >= 0)
    rows.series.layer = (uint64_t *)km_block_rows(stretch->block, (size_t)schema->layer_column[c]) +
                        at * schema->shape.n_layers * n_limbs;
  return rows;
}

/* Sends the game to the block, if all of it belongs there as it is, else to buffers. */
static void choose_rows(km_hbs_worker *w, const km_stretch *stretch, const part *p, size_t n) {
  const km_hbs_shape *shape = &w->shared->schema->shape;
  for (size_t c = 0; c < w->shared->n_colours; c++) {
    const km_hbs_geometry *geometry = &p->plan[c].geometry;
    int as_it_is = p->to - p->from == n && geometry->n_limbs == shape->n_limbs &&
                   (shape->n_layers == 0 || geometry->n_layers == shape->n_layers);
    w->to[c] = as_it_is ? rows_of(w, stretch, p, c) : w->own[c];
    if (shape->n_layers == 0)
      w->to[c].series.layer = NULL;
  }
}

/* The first n plies traced, which are rows of the block, if they are not there yet. */
static void store_rows(km_hbs_worker *w, const km_stretch *stretch, const part *p, size_t n) {
  const km_hbs_shape *shape = &w->shared->schema->shape;
  for (size_t c = 0; c < w->shared->n_colours; c++) {
    const km_hbs_geometry *geometry = &p->plan[c].geometry;
    traced rows = rows_of(w, stretch, p, c);
    if (rows.log2 == w->to[c].log2)
      continue;
    row_shape own = {1, geometry->n_limbs}, wide = {1, shape->n_limbs};
    copy_rows(rows.series.s, wide, w->to[c].series.s, own, n);
    memcpy(rows.log2, w->to[c].log2, n * sizeof *rows.log2);
    own.numbers = geometry->n_layers;
    wide.numbers = shape->n_layers;
    if (rows.series.layer)
      copy_rows(rows.series.layer, wide, w->to[c].series.layer, own, n);
  }
}

static km_status add_curves(km_hbs_worker *w, const km_game *game, const part *p, km_err *err) {
  km_status status = KM_OK;
  for (size_t c = 0; c < w->shared->n_colours && status == KM_OK; c++) {
    km_curve_game whole = {game,           p->to,          w->to[c].series.s, w->to[c].log2,
                           &w->runs[c][0], &w->runs[c][1], w->log2_runs[c],   w->cause};
    status = km_curve_batch_add(w->batch, (size_t)(&p->plan[c] - w->shared->plans), &whole, err);
  }
  if (status == KM_OK && km_curve_batch_is_full(w->batch))
    status = km_curve_pool_add(w->shared->pool, w->number, w->batch, err);
  return status;
}

/* What of game i lies in the stretch. */
static km_status run_game(km_hbs_worker *w, km_stretch *stretch, uint64_t i, km_err *err) {
  const km_hbs_shared *shared = w->shared;
  uint64_t begin = shared->offsets[i], end = shared->offsets[i + 1], last = stretch->first + stretch->n;
  size_t from = begin < stretch->first ? (size_t)(stretch->first - begin) : 0;
  size_t to = (size_t)((end < last ? end : last) - begin);
  km_game game;
  km_arena_reset(&w->arena);
  km_status status = km_games_game(shared->games, i, &w->arena, &game, err);
  if (status != KM_OK)
    return status;
  part p = {.game = i, .from = from, .to = to, .plan = shared->by_size[game.rows]};
  p.with_curves = from == 0 && p.plan->with_curves && end - begin <= KM_HBS_CURVE_PLIES;
  p.ply_by_ply = !p.with_curves || shared->schema->shape.n_layers > 0;
  if (p.with_curves)
    p.to = (size_t)(end - begin); /* all of it, though the rows behind are another worker's */
  choose_rows(w, stretch, &p, to - from);
  if (!trace_ordinary(w, &game, &p))
    status = trace(w, &game, &p, err);
  if (status != KM_OK)
    return status;
  for (size_t c = 0; c < shared->n_colours; c++) {
    fill_s(w, &p, c);
    fill_log2(w, &p, c);
  }
  store_rows(w, stretch, &p, to - from);
  return p.with_curves ? add_curves(w, &game, &p, err) : KM_OK;
}

km_status km_hbs_worker_run(km_hbs_worker *worker, km_stretch *stretch, km_err *err) {
  const uint64_t *offsets = worker->shared->offsets;
  km_block_reset(stretch->block, stretch->first);
  km_status status = worker->shared->leave_gaps ? km_block_extend(stretch->block, (size_t)stretch->n, err)
                                                : km_block_add(stretch->block, (size_t)stretch->n, err);
  for (uint64_t i = stretch->first_game; status == KM_OK && offsets[i] < stretch->first + stretch->n; i++)
    if (offsets[i + 1] > offsets[i])
      status = run_game(worker, stretch, i, err);
  if (status == KM_OK)
    status = km_curve_pool_add(worker->shared->pool, worker->number, worker->batch, err);
  return status == KM_OK ? km_block_pack(stretch->block, err) : status;
}
