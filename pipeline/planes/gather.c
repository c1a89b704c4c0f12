/* gather.c: see gather.h. */
#include "gather.h"

#include "kifumill/batch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- one game ---- */

void km_game_pick_clear(km_game_pick *pick) {
  km_arena_clear(&pick->arena);
  free(pick->plies);
}

static km_status reserve_plies(km_game_pick *pick, size_t n, km_err *err) {
  if (n <= pick->capacity)
    return KM_OK;
  uint16_t *plies = realloc(pick->plies, 2 * n * sizeof *plies);
  if (!plies)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  pick->plies = plies;
  pick->capacity = 2 * n;
  return KM_OK;
}

km_status km_game_pick_take(km_game_pick *pick, const km_games *games, const km_planes_settings *settings,
                            uint64_t i, km_select_counts *counts, km_err *err) {
  uint8_t rows, cols;
  pick->n_rows = 0;
  counts->n_games++;
  km_games_size(games, i, &rows, &cols);
  if (rows != settings->rows || cols != settings->cols) {
    counts->n_other_size++;
    return KM_OK;
  }
  if (km_games_n_moves(games, i) > KM_ROW_PLY_MAX) {
    counts->n_too_long++;
    return KM_OK;
  }
  if (!pick->arena.block_bytes)
    km_arena_init(&pick->arena);
  km_arena_reset(&pick->arena);
  km_status status = km_games_game(games, i, &pick->arena, &pick->game, err);
  if (status == KM_OK)
    status = reserve_plies(pick, (size_t)pick->game.n_moves + 1, err);
  if (status != KM_OK)
    return status;
  km_games_keys(games, i, &pick->keys);
  pick->split = km_select_split(settings, &pick->keys);
  pick->n_rows = km_select_plies(settings, &pick->game, &pick->keys, pick->plies, counts);
  counts->n_split[pick->split] += pick->n_rows;
  counts->n_split_games[pick->split] += pick->n_rows > 0;
  counts->n_without += pick->n_rows == 0;
  return KM_OK;
}

/* ---- the pass ---- */

typedef struct pass {
  const km_gather_job *job;
  km_gathered *out;
  uint64_t next;    /* game to be read */
  atomic_int keeps; /* tracks still fit */
} pass;

typedef struct gather_worker {
  km_game_pick pick;
  km_track_builder *builder;
} gather_worker;

typedef struct gather_batch {
  uint64_t first, n;
  km_select_counts counts;
  unsigned char *blob;
  size_t n_bytes, n_places;
  km_track_place places[KM_RANGE_GAMES];
} gather_batch;

static void *batch_new(void *ctx) {
  (void)ctx;
  return calloc(1, sizeof(gather_batch));
}
static void batch_free(void *ctx, void *batch) {
  (void)ctx;
  free(((gather_batch *)batch)->blob);
  free(batch);
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  km_game_pick_clear(&((gather_worker *)worker)->pick);
  km_track_builder_free(((gather_worker *)worker)->builder);
  free(worker);
}
static void *worker_new(void *ctx) {
  gather_worker *w = calloc(1, sizeof *w);
  if (w && !(w->builder = km_track_builder_new(((pass *)ctx)->job->shape))) {
    worker_free(ctx, w);
    return NULL;
  }
  return w;
}

static km_status read_range(void *ctx, size_t stream, void *data, km_err *err) {
  (void)stream, (void)err;
  pass *p = ctx;
  gather_batch *batch = data;
  uint64_t n_games = km_games_count(p->job->games);
  if (p->next == n_games)
    return KM_END;
  batch->first = p->next;
  batch->n = n_games - p->next < KM_RANGE_GAMES ? n_games - p->next : KM_RANGE_GAMES;
  batch->counts = (km_select_counts){0};
  batch->n_places = 0;
  p->next += batch->n;
  return KM_OK;
}

static km_status work_range(void *ctx, void *worker, void *data, km_err *err) {
  pass *p = ctx;
  gather_worker *w = worker;
  gather_batch *batch = data;
  km_status status = KM_OK;
  int keeps = atomic_load_explicit(&p->keeps, memory_order_relaxed);
  for (uint64_t i = batch->first; status == KM_OK && i < batch->first + batch->n; i++) {
    km_game_pick *pick = &w->pick;
    status = km_game_pick_take(pick, p->job->games, p->job->settings, i, &batch->counts, err);
    if (status != KM_OK || pick->n_rows == 0 || !keeps)
      continue;
    km_track_game game = {&pick->game, (uint32_t)i, pick->keys.hash.low, pick->plies, pick->n_rows};
    km_track_place *place = &batch->places[batch->n_places++];
    place->split = pick->split;
    status = km_track_add(w->builder, &game, &place->at, err);
  }
  batch->blob = km_track_builder_take(w->builder, &batch->n_bytes);
  km_games_release(p->job->games, batch->first, batch->n);
  return status;
}

static km_status keep_tracks(pass *p, gather_batch *batch, km_err *err) {
  km_gathered *out = p->out;
  unsigned char *blob = batch->blob;
  batch->blob = NULL;
  if (!blob)
    return KM_OK;
  if (!out->store) { /* made by a worker that did not know yet */
    free(blob);
    return KM_OK;
  }
  out->n_track_bytes += batch->n_bytes;
  km_status status = km_row_store_add(out->store, blob, batch->n_bytes, batch->places, batch->n_places, err);
  if (status == KM_OK && km_row_store_bytes(out->store) > p->job->budget) {
    atomic_store_explicit(&p->keeps, 0, memory_order_relaxed);
    km_row_store_free(out->store);
    out->store = NULL;
  }
  return status;
}

static km_status write_range(void *ctx, void *data, km_err *err) {
  pass *p = ctx;
  gather_batch *batch = data;
  km_gathered *out = p->out;
  memcpy(out->before[out->n_ranges++], out->counts.n_split, sizeof out->counts.n_split);
  km_select_counts_add(&out->counts, &batch->counts);
  km_progress_update(p->job->progress, -1, out->counts.n_games, out->counts.n_steps[KM_STEP_POSITIONS]);
  return keep_tracks(p, batch, err);
}

km_status km_gather(km_gathered *gathered, const km_gather_job *job, km_err *err) {
  static const km_batch_ops ops = {batch_new,  batch_free, worker_new, worker_free,
                                   read_range, work_range, write_range, NULL};
  pass p = {.job = job, .out = gathered, .keeps = job->budget > 0};
  uint64_t n_ranges = km_games_count(job->games) / KM_RANGE_GAMES + 1;
  *gathered = (km_gathered){.before = calloc(n_ranges, sizeof *gathered->before)};
  if (job->budget)
    gathered->store = km_row_store_new(job->settings, job->shape);
  if (!gathered->before || (job->budget && !gathered->store))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_batch_run(&ops, &p, 1, job->threads, 0, err);
  return status == KM_OK && gathered->store ? km_row_store_seal(gathered->store, err) : status;
}

void km_gathered_clear(km_gathered *gathered) {
  km_row_store_free(gathered->store);
  free(gathered->before);
}
