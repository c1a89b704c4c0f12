/* feed_memory.c: see feed_memory.h. The events of a game come from the builder of tracks, which plays it. */
#include "feed_memory.h"

#include "row_select.h"

#include <stdlib.h>
#include <string.h>

enum {
  NEVER = 0xffff,
  UNIT = 8, /* bytes that places of memos are counted in */
  /* of a stored move, which is how stones are noted here, too */
  POINT = 0x3fff,
  WHITE = 0x8000,
};

typedef struct memo {
  uint64_t id;
  const uint16_t *moves;
  uint32_t game, n_moves, n_rows, n_root;
  float komi, margin;
  uint16_t first_ply;
  uint8_t has_plies; /* they are not first_ply, first_ply + 1, … */
  uint8_t final_to_play;
  int8_t winner;
} memo;

static inline uint16_t *plies_of(memo *m) {
  return (uint16_t *)(void *)(m + 1);
}
static inline const uint16_t *root_of(const memo *m) {
  return (const uint16_t *)(const void *)(m + 1) + (m->has_plies ? m->n_rows : 0);
}

struct km_feed_memory {
  const km_feed_plan *plan;
  const km_games *games;
  unsigned n_points;
  size_t plane_bytes;
  uint16_t *maps;  /* way, point or pass → point */
  uint32_t *cells; /* way, number of a stone → byte·256 + bit in the packed planes of Black and of White */
  uint32_t *at;    /* of each member, the memo's place in bytes; 0: not remembered */
  unsigned char *bytes; /* memos; the first unit is not used */
  size_t n_bytes, capacity;
  /* to make memos */
  km_planes_settings plain; /* without symmetries */
  km_track_shape *plain_shape;
  km_track_builder *builder;
  km_replay replay;
  km_arena arena;
  uint16_t *plies;
  /* of the moments that are out */
  uint16_t *events;
  size_t event_capacity;
  unsigned char *stones;
};

/* ---- making one ---- */

/* Stones and passes numbered from 0: twice the point, and 1 for White. */
static inline unsigned stone_number(uint16_t word) {
  return (uint16_t)(word << 1 | word >> 15) & 0x7fffu;
}

static void fill_tables(km_feed_memory *memory) {
  const km_planes_settings *s = &memory->plan->settings->rows;
  unsigned n = memory->n_points;
  for (unsigned way = 0; way < s->n_ways; way++) {
    uint16_t *map = memory->maps + way * (n + 1);
    uint32_t *cells = memory->cells + 2 * way * (n + 1);
    km_symmetry_map(s->ways[way], s->rows, s->cols, map);
    for (unsigned white = 0; white < 2; white++)
      for (unsigned p = 0; p < n; p++)
        cells[stone_number((uint16_t)(p | white * WHITE))] =
            (uint32_t)(white * memory->plane_bytes + map[p] / 8) << 8 | 0x80u >> map[p] % 8;
    /* passes stay 0: they flip no bit */
  }
}

km_feed_memory *km_feed_memory_new(const km_feed_plan *plan, const km_games *games) {
  const km_planes_settings *s = &plan->settings->rows;
  km_feed_memory *memory = calloc(1, sizeof *memory);
  if (!memory)
    return NULL;
  memory->plan = plan;
  memory->games = games;
  memory->n_points = (unsigned)s->rows * s->cols;
  memory->plane_bytes = (memory->n_points + 7) / 8;
  memory->plain = *s;
  memory->plain.symmetries = KM_SYMMETRIES_NONE;
  memory->plain.ways[0] = 0;
  memory->plain.n_ways = memory->plain.rows_per_position = 1;
  memory->plain.evals = 0;
  km_arena_init(&memory->arena);
  km_status status = km_track_shape_new(&memory->plain_shape, &memory->plain, NULL);
  memory->builder = status == KM_OK ? km_track_builder_new(memory->plain_shape) : NULL;
  memory->maps = malloc((size_t)s->n_ways * (memory->n_points + 1) * sizeof *memory->maps);
  memory->cells = calloc((size_t)s->n_ways * 2 * (memory->n_points + 1), sizeof *memory->cells);
  memory->at = calloc((size_t)plan->n_members + 1, sizeof *memory->at);
  memory->plies = malloc((KM_ROW_PLY_MAX + 2) * sizeof *memory->plies);
  memory->stones = malloc(KM_FEED_GROUP * 2 * memory->plane_bytes);
  if (!memory->builder || !memory->maps || !memory->cells || !memory->at || !memory->plies ||
      !memory->stones) {
    km_feed_memory_free(memory);
    return NULL;
  }
  fill_tables(memory);
  memory->n_bytes = UNIT;
  return memory;
}

void km_feed_memory_free(km_feed_memory *memory) {
  if (!memory)
    return;
  km_track_builder_free(memory->builder);
  km_track_shape_free(memory->plain_shape);
  km_arena_clear(&memory->arena);
  free(memory->maps);
  free(memory->cells);
  free(memory->at);
  free(memory->bytes);
  free(memory->plies);
  free(memory->events);
  free(memory->stones);
  free(memory);
}

/* ---- remembering ---- */

/* Room for n_bytes more. */
static km_status reserve(km_feed_memory *memory, size_t n_bytes, km_err *err) {
  if (memory->n_bytes + n_bytes <= memory->capacity)
    return KM_OK;
  size_t capacity = memory->capacity + memory->capacity / 2 + n_bytes + (1 << 16);
  unsigned char *bytes = realloc(memory->bytes, capacity);
  if (!bytes)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the games of a feed");
  memory->bytes = bytes;
  memory->capacity = capacity;
  return KM_OK;
}

static void forget(km_feed_memory *memory) {
  memset(memory->at, 0, ((size_t)memory->plan->n_members + 1) * sizeof *memory->at);
  memory->n_bytes = UNIT;
}

/* Set-up before the first move; returns how many stones it comes to. */
static uint32_t put_root(km_feed_memory *memory, const km_game *game, uint16_t *to) {
  uint32_t n = 0;
  if (game->n_setup == 0 || game->setup[0].ply > 0)
    return 0;
  km_replay_init(&memory->replay, game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  for (unsigned p = 0; p < memory->n_points; p++) {
    uint8_t stone = km_board_stone(&memory->replay.board, p);
    if (stone != KM_EMPTY)
      to[n++] = (uint16_t)(p | (stone == KM_WHITE ? WHITE : 0));
  }
  return n;
}

/* How many events the plies of a track have. */
static size_t count_events(const uint16_t *event, uint32_t n_plies) {
  size_t n = 0;
  for (uint32_t left = n_plies; left; n++)
    left -= event[n] / KM_EVENT_LAST;
  return n;
}

/* The stones that plies flip besides that of the move; returns where they end. */
static uint16_t *put_extras(const km_feed_memory *memory, const uint16_t *event, uint32_t n_plies,
                            uint16_t *to) {
  for (uint32_t ply = 1; ply <= n_plies; ply++, event++) {
    if (*event & KM_EVENT_LAST)
      continue;
    uint16_t *head = to;
    *to++ = (uint16_t)ply;
    to++;
    do {
      unsigned stone = *++event & ~(unsigned)KM_EVENT_LAST;
      *to++ = (uint16_t)(stone < memory->n_points ? stone : (stone - memory->n_points) | WHITE);
    } while (!(*event & KM_EVENT_LAST));
    head[1] = (uint16_t)(to - head - 2);
  }
  *to++ = NEVER;
  return to;
}

/* Makes the memo of a game; events are those of its track (NULL: rows are made by replay). */
static km_status put_memo(km_feed_memory *memory, const km_game *game, const memo *facts,
                          const uint16_t *events, km_err *err) {
  size_t n_most =
      facts->n_rows + memory->n_points + 1 + (events ? 3 * count_events(events, facts->n_moves) : 0);
  km_status status = reserve(memory, sizeof *facts + n_most * sizeof(uint16_t) + UNIT, err);
  if (status != KM_OK)
    return status;
  memo *m = (memo *)(void *)(memory->bytes + memory->n_bytes);
  *m = *facts;
  uint16_t *to = plies_of(m);
  if (m->has_plies) {
    memcpy(to, memory->plies, m->n_rows * sizeof *to);
    to += m->n_rows;
  }
  if (events) {
    m->n_root = put_root(memory, game, to);
    to = put_extras(memory, events, m->n_moves, to + m->n_root);
  }
  size_t end = (size_t)((unsigned char *)to - memory->bytes);
  memory->n_bytes = (end + UNIT - 1) / UNIT * UNIT;
  return KM_OK;
}

/* Plays the game of a member and remembers it. */
static km_status remember(km_feed_memory *memory, uint32_t member, km_err *err) {
  const km_feed_plan *plan = memory->plan;
  uint32_t number = plan->games[member];
  km_game game;
  km_game_keys keys;
  km_select_counts counts = {0};
  km_arena_reset(&memory->arena);
  km_status status = km_games_game(memory->games, number, &memory->arena, &game, err);
  if (status != KM_OK)
    return status;
  km_games_keys(memory->games, number, &keys);
  memo facts = {.id = keys.hash.low,
                .moves = km_games_moves(memory->games, number),
                .game = number,
                .n_moves = game.n_moves,
                .komi = game.komi,
                .margin = game.margin,
                .final_to_play = game.final_to_play,
                .winner = game.winner};
  facts.n_rows = km_select_plies(&plan->settings->rows, &game, &keys, memory->plies, &counts);
  if (facts.n_rows != plan->first_position[member + 1] - plan->first_position[member])
    return km_err_set(err, KM_ERR_STATE, 0, "%s has changed since it was opened",
                      km_games_path(memory->games));
  facts.first_ply = memory->plies[0];
  facts.has_plies = (uint32_t)memory->plies[facts.n_rows - 1] - memory->plies[0] + 1 != facts.n_rows;
  const uint16_t *events = NULL;
  if (!memory->plain.needs_board) {
    size_t at;
    km_track_game played = {
        .game = &game, .number = number, .id = facts.id, .plies = memory->plies, .n_rows = facts.n_rows};
    status = km_track_add(memory->builder, &played, &at, err);
    if (status != KM_OK)
      return km_err_prefix(err, "%s", km_games_path(memory->games));
    const unsigned char *track = km_track_builder_lend(memory->builder) + at;
    events = (const uint16_t *)(const void *)(track + ((const km_track *)(const void *)track)->events_at);
  }
  size_t start = memory->n_bytes;
  status = put_memo(memory, &game, &facts, events, err);
  if (status == KM_OK)
    memory->at[member] = (uint32_t)(start / UNIT);
  return status;
}

/* The ply of a row's oldest step. */
static inline uint32_t oldest_ply(uint32_t ply) {
  return ply < KM_HISTORY ? 0 : ply - (KM_HISTORY - 1u);
}

/* ---- finding ---- */

static inline memo *memo_of(const km_feed_memory *memory, uint32_t member) {
  return (memo *)(void *)(memory->bytes + (size_t)memory->at[member] * UNIT);
}

/* Sees that all members of the group are remembered at once. */
static km_status remember_all(km_feed_memory *memory, const km_feed_place *found, size_t n, km_err *err) {
  const size_t most = (size_t)(memory->plan->settings->memory);
  km_status status = KM_OK;
  for (size_t i = 0; i < n; i++)
    __builtin_prefetch(&memory->at[found[i].member]);
  if (memory->n_bytes > most)
    forget(memory);
  for (size_t i = 0; i < n && status == KM_OK; i++)
    if (memory->at[found[i].member] == 0)
      status = remember(memory, found[i].member, err);
    else
      __builtin_prefetch(memo_of(memory, found[i].member));
  return status;
}

static void get_facts(const km_feed_memory *memory, const km_feed_place *place, const km_planes_settings *s,
                      km_row_facts *facts) {
  memo *m = memo_of(memory, place->member);
  uint16_t ply = m->has_plies ? plies_of(m)[place->position] : (uint16_t)(m->first_ply + place->position);
  *facts = (km_row_facts){.game = m->game,
                          .ply = ply,
                          .policy = -1,
                          .komi = m->komi,
                          .margin = m->margin,
                          .black_win = NAN,
                          .winner = m->winner,
                          .to_play = m->final_to_play,
                          .symmetry = km_select_symmetry(s, m->id, ply, place->way)};
  for (const uint16_t *move = m->moves; move < m->moves + ply; move += 32)
    __builtin_prefetch(move);
  __builtin_prefetch(m->moves + ply);
}

/* What could not be known before the moves had been fetched. */
static void get_move(const km_feed_memory *memory, const km_feed_place *place, unsigned way,
                     km_row_facts *facts) {
  const memo *m = memo_of(memory, place->member);
  if (facts->ply == m->n_moves)
    return;
  unsigned move = m->moves[facts->ply], point = move & POINT;
  facts->to_play = (uint8_t)(KM_BLACK + (move >> 15));
  facts->policy = (int16_t)memory->maps[way * (memory->n_points + 1) + point];
}

/* Flips stones on packed planes of Black and White. */
static inline void flip(unsigned char *stones, const uint32_t *cells, const uint16_t *words, uint32_t n) {
#pragma GCC unroll 4
  for (uint32_t i = 0; i < n; i++) {
    uint32_t cell = cells[stone_number(words[i])];
    stones[cell >> 8] ^= (unsigned char)cell;
  }
}

/* The event that flips a stone, or passes. */
static inline uint16_t event_of(uint16_t word, unsigned n_points) {
  unsigned point = word & POINT, white = word / WHITE;
  return (uint16_t)(point == n_points ? 2 * n_points + white : white * n_points + point);
}

/* The first extra of a ply above this one. */
static const uint16_t *extra_after(const uint16_t *extra, uint32_t ply) {
  while (*extra <= ply)
    extra += 2 + extra[1];
  return extra;
}

/* The events of plies begin+1 … end; extra is the first of those. Returns where they end. */
static uint16_t *put_events(const memo *m, const uint16_t *extra, uint32_t begin, uint32_t end,
                            unsigned n_points, uint16_t *events) {
  for (uint32_t ply = begin + 1; ply <= end; ply++) {
    *events++ = event_of(m->moves[ply - 1], n_points);
    if (*extra == ply) {
      for (uint32_t i = 0; i < extra[1]; i++)
        *events++ = event_of(extra[2 + i], n_points);
      extra += 2 + extra[1];
    }
    events[-1] |= KM_EVENT_LAST;
  }
  return events;
}

/* The position at a row's oldest step, in any order of flips, since each stone comes and goes; then the
 * events behind. */
static uint16_t *get_moment(const km_feed_memory *memory, const memo *m, const km_row_facts *facts,
                            unsigned way, unsigned char *stones, uint16_t *events, km_moment *moment) {
  unsigned n_points = memory->n_points;
  const uint32_t *cells = memory->cells + 2 * way * (n_points + 1);
  const uint16_t *extra = root_of(m) + m->n_root;
  uint32_t oldest = oldest_ply(facts->ply);
  memset(stones, 0, 2 * memory->plane_bytes);
  flip(stones, cells, root_of(m), m->n_root);
  flip(stones, cells, m->moves, oldest);
  for (; *extra <= oldest; extra += 2 + extra[1])
    flip(stones, cells, extra + 2, extra[1]);
  *moment = (km_moment){.stones = stones,
                        .events = events,
                        .n_after = (uint8_t)(facts->ply - oldest),
                        .way = (uint8_t)way,
                        .to_play = facts->to_play};
  return put_events(m, extra, oldest, facts->ply, n_points, events);
}

/* Room for the events of a group's moments. */
static km_status reserve_events(km_feed_memory *memory, const km_feed_place *found, size_t n,
                                const km_row_facts *facts, km_err *err) {
  size_t n_events = 0;
  for (size_t i = 0; i < n; i++) {
    const memo *m = memo_of(memory, found[i].member);
    const uint16_t *extra = extra_after(root_of(m) + m->n_root, oldest_ply(facts[i].ply));
    n_events += KM_HISTORY + (size_t)(extra_after(extra, facts[i].ply) - extra);
  }
  if (n_events <= memory->event_capacity)
    return KM_OK;
  free(memory->events);
  memory->events = malloc(2 * n_events * sizeof *memory->events);
  memory->event_capacity = memory->events ? 2 * n_events : 0;
  return memory->events ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for rows");
}

km_status km_feed_memory_get(km_feed_memory *memory, const km_feed_place *found, size_t n, uint64_t seed,
                             km_row_facts *facts, km_moment *moments, km_err *err) {
  km_planes_settings s = memory->plan->settings->rows;
  uint8_t way_of[KM_SYMMETRIES] = {0}, ways[KM_FEED_GROUP];
  km_status status = remember_all(memory, found, n, err);
  if (status != KM_OK)
    return status;
  s.seed = seed;
  for (unsigned way = 0; way < s.n_ways; way++)
    way_of[s.ways[way]] = (uint8_t)way;
  for (size_t i = 0; i < n; i++)
    get_facts(memory, &found[i], &s, &facts[i]);
  for (size_t i = 0; i < n; i++) {
    ways[i] = way_of[facts[i].symmetry];
    get_move(memory, &found[i], ways[i], &facts[i]);
  }
  if (moments)
    status = reserve_events(memory, found, n, facts, err);
  uint16_t *events = memory->events;
  for (size_t i = 0; i < n && moments && status == KM_OK; i++)
    events = get_moment(memory, memo_of(memory, found[i].member), &facts[i], ways[i],
                        memory->stones + i * 2 * memory->plane_bytes, events, &moments[i]);
  return status;
}
