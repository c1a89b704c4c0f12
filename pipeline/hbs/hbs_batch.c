/* hbs_batch.c: a game's channels, derived from its runs (hbs_runs.h) and laid out in arenas: one a channel,
 * since that is how they are read, a channel after the other of all games, from front to back. */
#include "hbs_batch.h"

#include "kifumill/arena.h"

#include <stdlib.h>
#include <string.h>

static const size_t enough = (size_t)2 << 20; /* bytes of games */

/* Numbers of arenas: of a channel by move, by fraction, and of what else there is to a game. */
enum { BY_MOVE = 0, BY_FRACTION = KM_MEAN_CHANNELS_MAX, OF_GAMES = 2 * KM_MEAN_CHANNELS_MAX, N_ARENAS };

struct km_curve_batch {
  const km_curve_plan *plans;
  size_t n_plans, n_bytes;
  km_curve_games *games;     /* a plan */
  size_t *room;              /* in the arrays of each */
  km_arena arenas[N_ARENAS]; /* what they point to */
  double *log2_layer;        /* of the game at hand, one layer's runs after the other */
  km_hbs_fraction *at;       /* [M + 1] */
  uint32_t *every;           /* 0, 1, … M: all places by fraction */
  uint32_t *first;           /* first fraction of a ply */
  km_hbs_runs_double runs;   /* of M + 1 */
};

km_curve_batch *km_curve_batch_new(const km_curve_plan *plans, size_t n_plans) {
  size_t plies = 2, layers = 1, fractions = 1;
  for (size_t i = 0; i < n_plans; i++) {
    if (!plans[i].with_curves)
      continue;
    plies = plans[i].longest > plies ? plans[i].longest : plies;
    layers = plans[i].geometry.n_layers > layers ? plans[i].geometry.n_layers : layers;
    fractions = plans[i].fractions;
  }
  km_curve_batch *batch = calloc(1, sizeof *batch);
  if (!batch)
    return NULL;
  *batch = (km_curve_batch){.plans = plans, .n_plans = n_plans};
  for (size_t i = 0; i < N_ARENAS; i++)
    km_arena_init(&batch->arenas[i]);
  batch->games = calloc(n_plans + 1, sizeof *batch->games);
  batch->room = calloc(n_plans + 1, sizeof *batch->room);
  batch->log2_layer = malloc(plies * layers * sizeof *batch->log2_layer);
  batch->at = malloc((fractions + 1) * sizeof *batch->at);
  batch->every = malloc((fractions + 1) * sizeof *batch->every);
  batch->first = malloc(plies * sizeof *batch->first);
  batch->runs.place = malloc((fractions + 1) * sizeof *batch->runs.place);
  batch->runs.value = malloc((fractions + 1) * sizeof *batch->runs.value);
  if (!batch->games || !batch->room || !batch->log2_layer || !batch->at || !batch->every || !batch->first ||
      !batch->runs.place || !batch->runs.value) {
    km_curve_batch_free(batch);
    return NULL;
  }
  for (size_t j = 0; j <= fractions; j++)
    batch->every[j] = (uint32_t)j;
  return batch;
}

void km_curve_batch_free(km_curve_batch *batch) {
  if (!batch)
    return;
  for (size_t i = 0; batch->games && i < batch->n_plans; i++) {
    free(batch->games[i].move);
    free(batch->games[i].fraction);
    free(batch->games[i].first);
  }
  free(batch->games);
  free(batch->room);
  free(batch->log2_layer);
  free(batch->at);
  free(batch->every);
  free(batch->first);
  free(batch->runs.place);
  free(batch->runs.value);
  for (size_t i = 0; i < N_ARENAS; i++)
    km_arena_clear(&batch->arenas[i]);
  free(batch);
}

/* ---- columns
 * ----------------------------------------------------------------------------------------------------- */

static void *take(km_curve_batch *batch, size_t arena, size_t n_bytes) {
  batch->n_bytes += n_bytes;
  return km_arena_alloc(&batch->arenas[arena], n_bytes);
}
static void *take_copy(km_curve_batch *batch, size_t arena, const void *bytes, size_t n_bytes) {
  void *copy = take(batch, arena, n_bytes);
  return copy ? memcpy(copy, bytes, n_bytes) : NULL;
}

/* Copies runs of limbs, of channel `limbs`, and doubles at the same plies. 0 when memory is out. */
static int copy_runs(km_curve_batch *batch, km_mean_column *columns, size_t limbs, size_t doubles,
                     const km_hbs_runs *runs, unsigned n_limbs, const double *log2) {
  size_t n = runs->n;
  const uint64_t *values = take_copy(batch, BY_MOVE + limbs, runs->value, n * n_limbs * sizeof *values);
  const uint32_t *places = take_copy(batch, BY_MOVE + limbs, runs->ply, n * sizeof *places);
  const double *logarithms = take_copy(batch, BY_MOVE + doubles, log2, n * sizeof *logarithms);
  columns[limbs] = (km_mean_column){values, places, n};
  columns[doubles] = (km_mean_column){logarithms, places, n};
  return values && places && logarithms;
}

/* ΔS changes twice at most for a change of S. 0 when memory is out. */
static int put_delta(km_curve_batch *batch, km_mean_column *column, const km_curve_game *game,
                     const km_curve_plan *plan) {
  unsigned n_limbs = plan->geometry.n_limbs;
  size_t room = 2 * game->s_runs->n, arena = BY_MOVE + KM_OF_DELTA;
  km_hbs_runs delta = {.value = take(batch, arena, room * n_limbs * sizeof *delta.value),
                       .ply = take(batch, arena, room * sizeof *delta.ply)};
  if (!delta.value || !delta.ply)
    return 0;
  km_hbs_runs_delta(&delta, game->s_runs, n_limbs, game->n, plan->window);
  *column = (km_mean_column){delta.value, delta.ply, delta.n};
  return 1;
}

/* Columns in the order of km_curve_channels; D1 and D2 have none. */
static const km_mean_column *by_move(km_curve_batch *batch, const km_curve_plan *plan,
                                     const km_curve_game *game) {
  unsigned n_limbs = plan->geometry.n_limbs, n_layers = plan->geometry.n_layers;
  size_t first = KM_OF_LAYER;
  km_mean_column *columns = take(batch, OF_GAMES, (first + 2 * n_layers) * sizeof *columns);
  if (!columns || !copy_runs(batch, columns, KM_OF_S, KM_OF_LOG2, game->s_runs, n_limbs, game->log2_runs) ||
      !put_delta(batch, &columns[KM_OF_DELTA], game, plan))
    return NULL;
  columns[KM_OF_D1] = columns[KM_OF_D2] = (km_mean_column){NULL, NULL, 0};
  const double *log2 = batch->log2_layer;
  for (unsigned k = 0; k < n_layers; log2 += game->layers[k++].n)
    if (!copy_runs(batch, columns, first + k, first + n_layers + k, &game->layers[k], n_limbs, log2))
      return NULL;
  return columns;
}

static const km_mean_column *by_fraction(km_curve_batch *batch, const km_curve_plan *plan,
                                         const km_curve_game *game) {
  unsigned n_limbs = plan->geometry.n_limbs, n_layers = plan->geometry.n_layers,
           n_out = km_curve_fraction_limbs(plan);
  uint32_t m = plan->fractions;
  km_mean_column *columns = take(batch, OF_GAMES, (2 + n_layers) * sizeof *columns);
  uint64_t *s = take(batch, BY_FRACTION, (m + 1) * n_out * sizeof *s);
  double *log2 = take(batch, BY_FRACTION + 1, (m + 1) * sizeof *log2);
  if (!columns || !s || !log2)
    return NULL;
  km_hbs_fractions(batch->at, game->n, m, plan->interpolate);
  km_hbs_runs_first(batch->first, game->n, batch->at, m);
  km_hbs_at_fractions(s, n_out, (km_hbs_column){game->s, n_limbs, game->n, n_limbs}, batch->at, m);
  km_hbs_at_fractions_double(log2, game->log2, batch->at, m);
  columns[0] = (km_mean_column){s, batch->every, m + 1};
  columns[1] = (km_mean_column){log2, batch->every, m + 1};
  const double *values = batch->log2_layer;
  for (unsigned k = 0; k < n_layers; values += game->layers[k++].n) {
    km_hbs_runs_double *runs = &batch->runs;
    km_hbs_runs_at_fractions(runs, &game->layers[k], values, batch->at, batch->first, m);
    km_mean_column *column = &columns[2 + k];
    size_t arena = BY_FRACTION + 2 + k;
    *column = (km_mean_column){take_copy(batch, arena, runs->value, runs->n * sizeof *runs->value),
                               take_copy(batch, arena, runs->place, runs->n * sizeof *runs->place), runs->n};
    if (!column->values || !column->places)
      return NULL;
  }
  return columns;
}

/* ---- counts
 * ----------------------------------------------------------------------------------------------------- */

static int is_zero(const uint64_t *value, unsigned n_limbs) {
  uint64_t bits = 0;
  for (unsigned i = 0; i < n_limbs; i++)
    bits |= value[i];
  return bits == 0;
}

/* Places of the layers' first stones. */
static const uint32_t *find_first(km_curve_batch *batch, const km_curve_plan *plan,
                                  const km_curve_game *game) {
  unsigned n_layers = plan->geometry.n_layers;
  uint32_t *first = take(batch, OF_GAMES, n_layers * sizeof *first), none = (uint32_t)plan->n_places;
  for (unsigned k = 0; first && k < n_layers; k++) {
    const km_hbs_runs *runs = &game->layers[k];
    size_t i = (size_t)is_zero(runs->value, plan->geometry.n_limbs);
    first[k] = i < runs->n && runs->ply[i] < none ? runs->ply[i] : none;
  }
  return first;
}

/* Order of two unsigned numbers. */
static int is_less(const uint64_t *a, const uint64_t *b, unsigned n_limbs) {
  for (unsigned i = n_limbs; i-- > 0;)
    if (a[i] != b[i])
      return a[i] < b[i];
  return 0;
}

static void count_steps(km_step_counts *counts, const km_curve_game *game, unsigned n_limbs) {
  uint64_t falling = 0, plain = 0, n_changes = game->s_runs->n - 1;
  for (size_t i = 1; i <= n_changes; i++) {
    const uint64_t *s = game->s_runs->value + i * n_limbs;
    int falls = is_less(s, s - n_limbs, n_limbs);
    falling += (uint64_t)falls;
    plain += falls && game->cause[game->s_runs->ply[i]] == KM_STEP_PLAIN;
  }
  counts->moves += game->n - 1;
  counts->rising += n_changes - falling;
  counts->unchanged += game->n - 1 - n_changes;
  counts->falling += falling;
  counts->falling_without_capture += plain;
  counts->games++;
  counts->games_falling += falling > 0;
  counts->games_falling_without_capture += plain > 0;
}

/* ---- games
 * ------------------------------------------------------------------------------------------------------- */

/* Room for one game more of a plan. */
static int make_room(km_curve_games *games, size_t *room) {
  if (games->n < *room)
    return 1;
  size_t more = *room ? 2 * *room : 64;
  km_mean_game *move = realloc(games->move, more * sizeof *move);
  games->move = move ? move : games->move;
  km_mean_game *fraction = realloc(games->fraction, more * sizeof *fraction);
  games->fraction = fraction ? fraction : games->fraction;
  const uint32_t **first = realloc(games->first, more * sizeof *first);
  games->first = first ? first : games->first;
  if (!move || !fraction || !first)
    return 0;
  *room = more;
  return 1;
}

/* The strata of a game in the order of km_curve_kinds. */
static const size_t *find_strata(km_curve_batch *batch, const km_curve_plan *plan, const km_game *game) {
  km_by kinds[KM_BY_COUNT];
  size_t n = km_curve_kinds(plan, kinds), *strata = take(batch, OF_GAMES, n * sizeof *strata);
  for (size_t i = 0; strata && i < n; i++)
    strata[i] = kinds[i] == KM_BY_RESULT
                    ? km_result_stratum(game)
                    : km_strata_find(plan->strata, (km_strata_of){kinds[i], plan->size, plan->colour}, game);
  return strata;
}

km_status km_curve_batch_add(km_curve_batch *batch, size_t number, const km_curve_game *game, km_err *err) {
  const km_curve_plan *plan = &batch->plans[number];
  km_curve_games *games = &batch->games[number];
  unsigned n_limbs = plan->geometry.n_limbs;
  const size_t *strata = find_strata(batch, plan, game->game);
  const uint32_t *first = find_first(batch, plan, game);
  const km_mean_column *move = NULL, *fraction = NULL;
  double *log2 = batch->log2_layer;
  for (unsigned k = 0; k < plan->geometry.n_layers; log2 += game->layers[k++].n)
    km_hbs_runs_log2(log2, &game->layers[k], n_limbs);
  int good = strata && first && make_room(games, &batch->room[number]);
  if (good && plan->by_move)
    good = (move = by_move(batch, plan, game)) != NULL;
  if (good && plan->by_fraction)
    good = (fraction = by_fraction(batch, plan, game)) != NULL;
  if (!good)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the curves of a game of %zu positions",
                      game->n);
  games->move[games->n] = (km_mean_game){move, strata, game->n};
  games->fraction[games->n] = (km_mean_game){fraction, strata, plan->fractions + 1};
  games->first[games->n++] = first;
  count_steps(&games->steps, game, n_limbs);
  return KM_OK;
}

int km_curve_batch_is_full(const km_curve_batch *batch) {
  return batch->n_bytes >= enough;
}

const km_curve_games *km_curve_batch_games(const km_curve_batch *batch, size_t plan) {
  return &batch->games[plan];
}

void km_curve_batch_reset(km_curve_batch *batch) {
  for (size_t i = 0; i < batch->n_plans; i++) {
    batch->games[i].n = 0;
    batch->games[i].steps = (km_step_counts){0};
  }
  for (size_t i = 0; i < N_ARENAS; i++)
    km_arena_reset(&batch->arenas[i]);
  batch->n_bytes = 0;
}
