/* phase_work.c: series, cuts, divisions and nearness of the games of a batch. */
#include "phase_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS_MAX = KM_HBS_RINGS_MAX + 1 };

struct km_phase_worker {
  const km_phase_shared *shared;
  km_hbs_store_cursor *cursor; /* NULL: only the logarithms are read, by the next one */
  km_table_cursor *log2_cursor;
  double *log2; /* positions */
  km_changepoint *workspace;
  km_move_divider *divider;
  km_mean_curves *curves;
  double *values; /* channels × positions */
  km_arena arena; /* of one game */
};

static size_t channels_most(const km_signal *signal) {
  return signal->kind == KM_SIGNAL_LAYERS ? CHANNELS_MAX : 1;
}

static km_mean_curves *new_curves(const km_phase_shared *shared) {
  km_mean_channel channels[CHANNELS_MAX] = {{0}};
  km_mean_curves *curves = NULL;
  km_mean_options options = {.channels = channels,
                             .n_channels = channels_most(&shared->signal),
                             .n_strata = KM_BOARD_MAX + 1,
                             .n_points = KM_PHASES_PLIES,
                             .max_bytes = (size_t)1 << 30,
                             .histogram_channel = KM_MEAN_NO_HISTOGRAM};
  return km_mean_curves_new(&curves, &options, NULL) == KM_OK ? curves : NULL;
}

/* Of the series, where nothing else of the file is needed; else -1. */
static int log2_column(const km_phase_shared *shared) {
  return shared->signal.kind == KM_SIGNAL_LOG2 ? km_hbs_store_schema(shared->hbs)->log2_column[shared->series]
                                               : -1;
}

km_phase_worker *km_phase_worker_new(const km_phase_shared *shared) {
  km_phase_worker *w = calloc(1, sizeof *w);
  if (!w)
    return NULL;
  w->shared = shared;
  km_arena_init(&w->arena);
  if (log2_column(shared) < 0) {
    w->cursor = km_hbs_store_cursor_new(shared->hbs);
  } else {
    w->log2_cursor = km_table_cursor_new(km_hbs_store_table(shared->hbs));
    w->log2 = malloc(KM_PHASES_PLIES * sizeof *w->log2);
  }
  w->workspace = km_changepoint_new();
  w->divider = km_move_divider_new(KM_PHASES_PLIES);
  w->curves = new_curves(shared);
  w->values = calloc(channels_most(&shared->signal) * KM_PHASES_PLIES, sizeof *w->values);
  if ((w->cursor || (w->log2_cursor && w->log2)) && w->workspace && w->divider && w->curves && w->values)
    return w;
  km_phase_worker_free(w);
  return NULL;
}

void km_phase_worker_free(km_phase_worker *worker) {
  if (!worker)
    return;
  km_hbs_store_cursor_free(worker->cursor);
  km_table_cursor_free(worker->log2_cursor);
  free(worker->log2);
  km_changepoint_free(worker->workspace);
  km_move_divider_free(worker->divider);
  km_mean_curves_free(worker->curves);
  km_arena_clear(&worker->arena);
  free(worker->values);
  free(worker);
}

km_mean_curves *km_phase_worker_curves(km_phase_worker *worker) {
  return worker->curves;
}

uint64_t km_example_rank(const km_phase_shared *shared, uint64_t game) {
  return km_random(shared->options->run.seed, game, 0, KM_PURPOSE_SAMPLE);
}

/* ---- cutting
 * ----------------------------------------------------------------------------------------------------- */

/* Mean of the signal over all channels at positions from … to - 1. */
static double piece_mean(const km_series *series, size_t from, size_t to) {
  double sum = 0;
  for (size_t c = 0; c < series->n_channels; c++)
    for (size_t t = from; t < to; t++)
      sum += series->y[c * series->n + t];
  return sum / (double)((to - from) * series->n_channels);
}

static void piece_means(double *means, const km_series *series, km_breaks breaks) {
  for (size_t i = 0; i <= breaks.n; i++)
    means[i] = piece_mean(series, i ? breaks.at[i - 1] : 0, i < breaks.n ? breaks.at[i] : series->n);
}

static km_status cut_game(km_phase_worker *w, km_phase_game *g, const km_series *series, km_arena *arena,
                          km_err *err) {
  km_changepoints cut;
  int found = 0;
  km_status status = km_changepoint_find(w->workspace, series, &w->shared->cut, &cut, err);
  if (status != KM_OK)
    return status;
  uint32_t *breaks = km_arena_alloc(arena, (cut.n_breaks + 1) * sizeof *breaks);
  g->means = km_arena_alloc(arena, (cut.n_breaks + 1) * sizeof *g->means);
  if (!breaks || !g->means)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (cut.n_breaks)
    memcpy(breaks, cut.breaks, cut.n_breaks * sizeof *breaks);
  g->changes = (km_breaks){breaks, cut.n_breaks};
  g->cost = cut.cost;
  g->total = cut.total;
  g->beta = cut.beta;
  g->sigma2 = cut.sigma2;
  piece_means(g->means, series, g->changes);
  status = km_divide_again(w->workspace, &g->three, &found, err);
  if (found)
    piece_means(g->three_means, series, (km_breaks){g->three.at, 2});
  g->state = found ? KM_CUT_DONE : KM_CUT_TOO_SHORT;
  return status;
}

/* ---- comparing
 * --------------------------------------------------------------------------------------------------- */

/* Of n games, some that are spread evenly. */
static int is_sampled(uint64_t game, uint64_t n_games, uint64_t n_wanted) {
  if (n_wanted == 0 || n_wanted >= n_games)
    return 1;
  return (uint64_t)((unsigned __int128)(game + 1) * n_wanted / n_games) !=
         (uint64_t)((unsigned __int128)game * n_wanted / n_games);
}

/* Whether the game is to be compared; fills its reference. */
static km_status take_reference(km_phase_worker *w, km_phase_game *g, km_arena *arena, int *wanted,
                                km_err *err) {
  const km_phase_shared *shared = w->shared;
  *wanted = 0;
  if (shared->labels) {
    g->reference = km_labels_of(shared->labels, km_games_text(shared->games, g->game, KM_TEXT_SOURCE),
                                km_games_text(shared->games, g->game, KM_TEXT_ENTRY), g->number);
  } else if (is_sampled(g->game, shared->n_games, (uint64_t)shared->options->compare)) {
    km_division *division = km_arena_alloc(arena, sizeof *division);
    if (!division)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    *division = km_divide_conventional(shared->at19, g->size);
    g->reference = (km_breaks){division->at, 2};
  }
  *wanted = g->reference.n > 0 && g->reference.at[g->reference.n - 1] < g->n && g->state == KM_CUT_DONE;
  return KM_OK;
}

static void set_method(km_phase_game *g, km_method method, km_division division) {
  g->divisions[method] = division;
  g->has_method[method] = 1;
}

static km_status take_divisions(km_phase_worker *w, km_phase_game *g, km_err *err) {
  const km_phase_shared *shared = w->shared;
  set_method(g, KM_METHOD_HBS, g->three);
  g->has_method[KM_METHOD_CHANGES] = 1;
  set_method(g, KM_METHOD_UNIFORM, km_divide_uniform(g->n));
  km_division conventional = km_divide_conventional(shared->at19, g->size);
  if (shared->labels && conventional.at[1] < g->n)
    set_method(g, KM_METHOD_CONVENTIONAL, conventional);
  if (!shared->games)
    return KM_OK;
  km_game game;
  km_arena_reset(&w->arena);
  km_status status = km_games_game(shared->games, g->game, &w->arena, &game, err);
  if (status == KM_OK && game.n_moves + 1 != g->n)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%s: game %llu has another length than in the HBS file",
                        km_games_path(shared->games), (unsigned long long)g->game);
  if (status == KM_OK) {
    status = km_divide_moves(w->divider, w->workspace, &game, &shared->cut, g->divisions, err);
    if (status != KM_OK)
      km_err_prefix(err, "%s: game %llu", km_games_path(shared->games), (unsigned long long)g->game);
  }
  for (int m = KM_METHOD_STONES; m < KM_METHODS; m++)
    g->has_method[m] = 1;
  return status;
}

static km_status compare_game(km_phase_worker *w, km_phase_game *g, km_arena *arena, km_err *err) {
  int wanted;
  km_status status = take_reference(w, g, arena, &wanted, err);
  if (status != KM_OK || !wanted)
    return status;
  status = take_divisions(w, g, err);
  for (int m = 0; m < KM_METHODS && status == KM_OK; m++) {
    km_breaks found = m == KM_METHOD_CHANGES ? g->changes : (km_breaks){g->divisions[m].at, 2};
    if (g->has_method[m])
      km_compare_breaks(g->nearness[m], g->reference, found, g->n, (uint32_t)w->shared->options->margin);
  }
  g->compared = status == KM_OK;
  return status;
}

/* ---- a batch
 * ----------------------------------------------------------------------------------------------------- */

/* Where the values of a channel change. 0 when memory is out. */
static int list_changes(km_mean_column *column, const double *y, size_t n, km_arena *arena) {
  double *values = km_arena_alloc(arena, n * sizeof *values);
  uint32_t *places = km_arena_alloc(arena, n * sizeof *places);
  size_t n_listed = 0;
  for (size_t t = 0; values && places && t < n; t++) { /* without a branch, which could not be foreseen */
    values[n_listed] = y[t];
    places[n_listed] = (uint32_t)t;
    n_listed += t == 0 || y[t] != y[t - 1];
  }
  *column = (km_mean_column){values, places, n_listed};
  return values && places;
}

static km_status add_to_mean(km_phase_worker *w, const km_phase_game *g, const km_series *series,
                             km_err *err) {
  static const double none = 0;
  static const uint32_t start = 0;
  km_mean_column columns[CHANNELS_MAX];
  size_t stratum = g->size;
  km_arena_reset(&w->arena);
  for (size_t c = 0; c < channels_most(&w->shared->signal); c++) {
    columns[c] = (km_mean_column){&none, &start, 1};
    if (c < series->n_channels && !list_changes(&columns[c], series->y + c * series->n, series->n, &w->arena))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  return km_mean_curves_add(&w->curves, 1, &(km_mean_game){columns, &stratum, series->n}, 1, err);
}

static km_status keep_log2(km_phase_game *g, const km_hbs_store_series *series, const km_signal *signal,
                           km_arena *arena, km_err *err) {
  double *log2 = km_arena_alloc(arena, g->n * sizeof *log2);
  if (!log2)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_signal plain = *signal;
  plain.kind = KM_SIGNAL_LOG2;
  plain.skip_empty = 0;
  km_signal_fill(&plain, g->size, series, log2);
  g->log2 = log2;
  return KM_OK;
}

static km_status read_series(km_phase_worker *w, uint64_t game, km_hbs_store_series *series, km_err *err) {
  const km_phase_shared *shared = w->shared;
  km_hbs_store_what what = {game, shared->series, km_signal_needs_layers(&shared->signal)};
  if (w->cursor)
    return km_hbs_store_game(w->cursor, &what, series, err);
  uint64_t first = km_hbs_store_offsets(shared->hbs)[game],
           n = km_hbs_store_offsets(shared->hbs)[game + 1] - first;
  *series = (km_hbs_store_series){.n = n, .log2 = w->log2};
  return km_table_read(w->log2_cursor, (size_t)log2_column(shared), first, n, w->log2, err);
}

static km_status run_game(km_phase_worker *w, km_phase_game *g, km_arena *arena, km_err *err) {
  const km_phase_shared *shared = w->shared;
  const uint64_t *offsets = km_hbs_store_offsets(shared->hbs);
  uint64_t n = offsets[g->game + 1] - offsets[g->game];
  size_t n_channels = g->size ? km_signal_channels(&shared->signal, g->size) : 0;
  g->n = (uint32_t)n;
  g->state = n == 0 || n_channels == 0 ? KM_CUT_NO_SERIES
             : n > KM_PHASES_PLIES     ? KM_CUT_TOO_LONG
                                       : KM_CUT_DONE;
  if (g->state != KM_CUT_DONE)
    return KM_OK;
  km_hbs_store_series stored;
  km_status status = read_series(w, g->game, &stored, err);
  if (status != KM_OK)
    return status;
  km_signal_fill(&shared->signal, g->size, &stored, w->values);
  km_series series = {w->values, g->n, n_channels};
  status = cut_game(w, g, &series, arena, err);
  if (status != KM_OK)
    return km_err_prefix(err, "game %llu", (unsigned long long)g->game);
  status = add_to_mean(w, g, &series, err);
  if (status == KM_OK && g->state == KM_CUT_DONE)
    status = keep_log2(g, &stored, &shared->signal, arena, err);
  return status == KM_OK ? compare_game(w, g, arena, err) : status;
}

km_status km_phase_worker_run(km_phase_worker *worker, km_phase_batch *batch, km_err *err) {
  km_status status = KM_OK;
  for (size_t i = 0; i < batch->n_games && status == KM_OK; i++)
    status = run_game(worker, &batch->results[i], &batch->arena, err);
  return status;
}
