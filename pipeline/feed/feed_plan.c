/* feed_plan.c: see feed_plan.h. */
#include "feed_plan.h"

#include "row_select.h"

#include "kifumill/arena.h"

#include <stdlib.h>

enum {
  GUIDE_SHIFT = 6,     /* a guide entry every 64 positions */
  STREAM_MEMBERS = 16, /* of orders; those below are of the splits' rows */
  STREAM_POOLS = 17,   /* and on */
};

/* ---- which rows ---- */

typedef struct counter {
  const km_games *games;
  const km_planes_settings *settings;
  unsigned split;
  int needs_moves;
  km_arena arena;
  uint16_t plies[KM_ROW_PLY_MAX + 2];
} counter;

/* Positions of a game in the split. */
static km_status count(counter *c, uint64_t i, uint32_t *n, km_err *err) {
  uint8_t n_rows, n_cols;
  km_game game;
  km_game_keys keys;
  km_select_counts counts = {0};
  *n = 0;
  km_games_size(c->games, i, &n_rows, &n_cols);
  if (n_rows != c->settings->rows || n_cols != c->settings->cols ||
      km_games_n_moves(c->games, i) > KM_ROW_PLY_MAX)
    return KM_OK;
  km_games_keys(c->games, i, &keys);
  if (km_select_split(c->settings, &keys) != c->split)
    return KM_OK;
  km_arena_reset(&c->arena);
  km_status status = c->needs_moves ? km_games_game(c->games, i, &c->arena, &game, err)
                                    : km_games_info(c->games, i, &game, err);
  if (status == KM_OK)
    *n = km_select_plies(c->settings, &game, &keys, c->plies, &counts);
  return status;
}

static km_status fill_members(km_feed_plan *plan, counter *c, km_err *err) {
  uint64_t n_games = km_games_count(c->games);
  km_status status = KM_OK;
  for (uint64_t i = 0; i < n_games && status == KM_OK; i++) {
    uint32_t n = 0;
    status = count(c, i, &n, err);
    if (n == 0)
      continue;
    plan->games[plan->n_members] = (uint32_t)i;
    plan->first_position[plan->n_members++] = plan->n_positions;
    plan->n_positions += n;
  }
  plan->first_position[plan->n_members] = plan->n_positions;
  plan->n_rows = plan->n_positions * c->settings->rows_per_position;
  return status;
}

/* Gives back what was reserved for games that are no members. */
static void shrink(km_feed_plan *plan) {
  uint32_t *games = realloc(plan->games, ((size_t)plan->n_members + 1) * sizeof *games);
  uint64_t *first = realloc(plan->first_position, ((size_t)plan->n_members + 1) * sizeof *first);
  plan->games = games ? games : plan->games;
  plan->first_position = first ? first : plan->first_position;
}

static km_status make_guide(km_feed_plan *plan, km_err *err) {
  size_t n = (size_t)(plan->n_positions >> GUIDE_SHIFT) + 1;
  plan->guide = malloc(n * sizeof *plan->guide);
  if (!plan->guide)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the positions of a feed");
  uint32_t member = 0;
  for (size_t i = 0; i < n; i++) {
    while (member + 1 < plan->n_members && plan->first_position[member + 1] <= (uint64_t)i << GUIDE_SHIFT)
      member++;
    plan->guide[i] = member;
  }
  return KM_OK;
}

static km_status make_pools(km_feed_plan *plan, km_err *err) {
  size_t most = plan->settings->pool_games;
  plan->n_pools = (uint32_t)((plan->n_members + most - 1) / most);
  most = most < plan->n_members ? most : plan->n_members;
  plan->pool_start = malloc(((size_t)plan->n_pools + 1) * sizeof *plan->pool_start);
  plan->pool_members = malloc((most + 1) * sizeof *plan->pool_members);
  plan->pool_first = malloc((most + 1) * sizeof *plan->pool_first);
  return plan->pool_start && plan->pool_members && plan->pool_first
             ? KM_OK
             : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the pools of a feed");
}

km_status km_feed_plan_init(km_feed_plan *plan, const km_feed_settings *settings, const km_games *games,
                            km_err *err) {
  uint64_t n_games = km_games_count(games);
  *plan = (km_feed_plan){.settings = settings, .pool = UINT32_MAX};
  if (n_games >= UINT32_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%s: a feed takes fewer than 2^32 games", km_games_path(games));
  counter *c = malloc(sizeof *c);
  plan->games = malloc(((size_t)n_games + 1) * sizeof *plan->games);
  plan->first_position = malloc(((size_t)n_games + 1) * sizeof *plan->first_position);
  km_status status = KM_OK;
  if (!c || !plan->games || !plan->first_position)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the games of a feed");
  if (status == KM_OK) {
    const km_planes_settings *rows = &settings->rows;
    c->games = games;
    c->settings = rows;
    c->split = settings->split;
    c->needs_moves = rows->skip_handicap_moves || rows->players != KM_PLAYERS_ANY;
    km_arena_init(&c->arena);
    status = fill_members(plan, c, err);
    km_arena_clear(&c->arena);
  }
  free(c);
  if (status == KM_OK) {
    shrink(plan);
    status = make_guide(plan, err);
  }
  if (status == KM_OK && settings->order == KM_FEED_POOL && settings->rows.shuffle)
    status = make_pools(plan, err);
  if (status != KM_OK)
    km_feed_plan_clear(plan);
  return status;
}

void km_feed_plan_clear(km_feed_plan *plan) {
  free(plan->games);
  free(plan->first_position);
  free(plan->guide);
  free(plan->pool_start);
  free(plan->pool_members);
  free(plan->pool_first);
  *plan = (km_feed_plan){0};
}

/* ---- which order ---- */

static uint64_t n_positions_of(const km_feed_plan *plan, uint64_t member) {
  return plan->first_position[member + 1] - plan->first_position[member];
}

void km_feed_plan_set_epoch(km_feed_plan *plan, uint64_t epoch) {
  const km_planes_settings *rows = &plan->settings->rows;
  if (plan->has_epoch && plan->epoch == epoch)
    return;
  plan->has_epoch = 1;
  plan->epoch = epoch;
  plan->seed = epoch ? km_random(rows->seed, epoch, 0, KM_PURPOSE_SHUFFLE) : rows->seed;
  plan->pool = UINT32_MAX;
  if (!plan->pool_start) {
    km_row_order_init(&plan->order, plan->n_rows, plan->seed, plan->settings->split, rows->shuffle);
    return;
  }
  km_row_order_init(&plan->order, plan->n_members, plan->seed, STREAM_MEMBERS, 1);
  uint64_t n_before = 0;
  for (uint64_t i = 0; i < plan->n_members; i++) {
    if (i % plan->settings->pool_games == 0)
      plan->pool_start[i / plan->settings->pool_games] = n_before;
    n_before += n_positions_of(plan, km_row_order_row(&plan->order, i)) * rows->rows_per_position;
  }
  plan->pool_start[plan->n_pools] = n_before;
}

static void open_pool(km_feed_plan *plan, uint32_t pool) {
  uint64_t first = (uint64_t)pool * plan->settings->pool_games, n = plan->n_members - first, n_before = 0;
  n = n < plan->settings->pool_games ? n : plan->settings->pool_games;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t member = km_row_order_row(&plan->order, first + i);
    plan->pool_members[i] = (uint32_t)member;
    plan->pool_first[i] = n_before;
    n_before += n_positions_of(plan, member);
  }
  plan->pool_first[n] = n_before;
  plan->n_pool_members = (uint32_t)n;
  plan->pool = pool;
  km_row_order_init(&plan->pool_order, plan->pool_start[pool + 1] - plan->pool_start[pool], plan->seed,
                    STREAM_POOLS + (uint64_t)pool, 1);
}

/* The last of n+1 rising numbers, but for the end, that is not above x: an index below n. */
static uint32_t last_not_above(const uint64_t *rising, uint32_t n, uint64_t x) {
  uint32_t low = 0;
  for (uint32_t left = n; left > 1;) {
    uint32_t half = left / 2;
    low += rising[low + half] <= x ? half : 0;
    left -= half;
  }
  return low;
}

static km_feed_place find_pooled(km_feed_plan *plan, uint64_t place) {
  unsigned ways = plan->settings->rows.rows_per_position;
  if (plan->pool == UINT32_MAX || place < plan->pool_start[plan->pool] ||
      place >= plan->pool_start[plan->pool + 1])
    open_pool(plan, last_not_above(plan->pool_start, plan->n_pools, place));
  uint64_t row = km_row_order_row(&plan->pool_order, place - plan->pool_start[plan->pool]),
           position = row / ways;
  uint32_t i = last_not_above(plan->pool_first, plan->n_pool_members, position);
  return (km_feed_place){plan->pool_members[i], (uint32_t)(position - plan->pool_first[i]),
                         (uint8_t)(row % ways)};
}

/* In two passes, so that the processor waits for the guide and the positions of many rows at once. */
static void find_global(const km_feed_plan *plan, const uint64_t *places, size_t n, km_feed_place *found) {
  unsigned ways = plan->settings->rows.rows_per_position;
  uint64_t positions[KM_FEED_GROUP];
  for (size_t i = 0; i < n; i++) {
    uint64_t row = km_row_order_row(&plan->order, places[i]);
    positions[i] = row / ways;
    found[i].way = (uint8_t)(row % ways);
    __builtin_prefetch(&plan->guide[positions[i] >> GUIDE_SHIFT]);
  }
  for (size_t i = 0; i < n; i++) {
    found[i].member = plan->guide[positions[i] >> GUIDE_SHIFT];
    __builtin_prefetch(&plan->first_position[found[i].member]);
  }
  for (size_t i = 0; i < n; i++) {
    while (plan->first_position[found[i].member + 1] <= positions[i])
      found[i].member++;
    found[i].position = (uint32_t)(positions[i] - plan->first_position[found[i].member]);
  }
}

void km_feed_plan_find(km_feed_plan *plan, const uint64_t *places, size_t n, km_feed_place *found) {
  if (!plan->pool_start) {
    find_global(plan, places, n, found);
    return;
  }
  for (size_t i = 0; i < n; i++)
    found[i] = find_pooled(plan, places[i]);
}
