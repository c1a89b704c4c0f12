/* track.c: see track.h. */
#include "track.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
  INTERVAL_LOG = 4,     /* 2^4 plies between anchors, */
  INTERVAL_PER_WAY = 8, /* or so many for each orientation if that is more */
  PLANE_BYTES_MAX = KM_BOARD_BITS_BYTES,
  PAIR_BYTES_MAX = 2 * PLANE_BYTES_MAX,
  PLANE_19 = 46, /* bytes of a packed plane of the usual board: code for it is compiled apart */
};

/* A piece of a row: from the history, or a constant plane. */
typedef struct span {
  uint16_t from_constants; /* 0: from the history */
  uint16_t offset, n_bytes;
} span;
typedef struct program {
  unsigned n_spans;
  span spans[KM_PLANES_MAX];
} program;

struct km_track_shape {
  const km_planes_settings *settings;
  unsigned n_points;
  size_t n_planes, plane_bytes, pair_bytes, anchor_bytes;
  unsigned interval_log;
  int in_place; /* the history is the first part of a row, in the order in which it is made */
  uint8_t way_of[KM_SYMMETRIES];
  uint16_t *cells;  /* way, to_play - 1, event → bit of the pair of planes {own, opponent's} */
  uint16_t *points; /* way, point or pass → policy */
  uint8_t constants[2 * PLANE_BYTES_MAX]; /* a plane of zeros, a plane of ones */
  uint64_t spread[256];                   /* a byte of bits as eight bytes */
  program programs[2][KM_HISTORY];        /* to_play - 1, steps there are - 1 */
};

/* ---- the shape ---- */

static span resolve(const km_track_shape *shape, const km_plane *plane, const km_plane_moment *moment) {
  km_plane_source source = plane->fill(plane->arg, moment);
  size_t n = shape->plane_bytes;
  assert(source.store != KM_STORE_FEATURE);
  if (source.store == KM_STORE_CONSTANT)
    return (span){1, (uint16_t)(source.index * n), (uint16_t)n};
  int is_own_view = source.store == (moment->to_play == KM_BLACK ? KM_STORE_BLACK_VIEW : KM_STORE_WHITE_VIEW);
  return (span){0, (uint16_t)((is_own_view ? source.index : source.index ^ 1) * n), (uint16_t)n};
}

static void compile(km_track_shape *shape, const km_plane_moment *moment) {
  program *to = &shape->programs[moment->to_play - 1][moment->n_steps - 1];
  for (size_t i = 0; i < shape->n_planes; i++) {
    span next = resolve(shape, &shape->settings->layout->planes[i], moment);
    span *last = to->n_spans ? &to->spans[to->n_spans - 1] : NULL;
    if (last && last->from_constants == next.from_constants && last->offset + last->n_bytes == next.offset)
      last->n_bytes = (uint16_t)(last->n_bytes + next.n_bytes);
    else
      to->spans[to->n_spans++] = next;
  }
  shape->in_place = shape->in_place && to->spans[0].from_constants == 0 && to->spans[0].offset == 0 &&
                    to->spans[0].n_bytes == KM_HISTORY * shape->pair_bytes;
}

static void fill_tables(km_track_shape *shape) {
  const km_planes_settings *s = shape->settings;
  unsigned n = shape->n_points;
  for (unsigned way = 0; way < s->n_ways; way++) {
    shape->way_of[s->ways[way]] = (uint8_t)way;
    uint16_t *points = shape->points + way * (n + 1);
    km_symmetry_map(s->ways[way], s->rows, s->cols, points);
    for (unsigned view = 0; view < 2; view++)
      for (unsigned event = 0; event < 2 * n; event++)
        shape->cells[(2 * way + view) * 2 * n + event] =
            (uint16_t)((event / n == view ? 0 : 8 * shape->plane_bytes) + points[event % n]);
  }
  for (unsigned p = 0; p < n; p++)
    shape->constants[shape->plane_bytes + p / 8] |= (uint8_t)(0x80 >> p % 8);
  for (unsigned i = 0; i < 256; i++) {
    uint8_t bytes[8];
    km_plane_unpack(&(uint8_t){(uint8_t)i}, 8, bytes);
    memcpy(&shape->spread[i], bytes, 8);
  }
  shape->in_place = s->packing == KM_PACK_BITS;
  for (uint8_t colour = KM_BLACK; colour <= KM_WHITE && !s->needs_board; colour++)
    for (uint8_t n_steps = 1; n_steps <= KM_HISTORY; n_steps++)
      compile(shape, &(km_plane_moment){colour, n_steps});
}

km_status km_track_shape_new(km_track_shape **out, const km_planes_settings *s, km_err *err) {
  km_track_shape *shape = calloc(1, sizeof *shape);
  *out = shape;
  if (!shape)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  shape->settings = s;
  shape->n_points = (unsigned)s->rows * s->cols;
  shape->n_planes = km_layout_n_planes(s->layout, s->variants);
  shape->plane_bytes = (shape->n_points + 7) / 8;
  shape->pair_bytes = 2 * shape->plane_bytes;
  shape->anchor_bytes = (sizeof(uint32_t) + s->n_ways * shape->pair_bytes + 3) & ~(size_t)3;
  for (shape->interval_log = INTERVAL_LOG; 1u << shape->interval_log < s->n_ways * INTERVAL_PER_WAY;)
    shape->interval_log++;
  shape->cells = malloc((size_t)s->n_ways * 4 * shape->n_points * sizeof *shape->cells);
  shape->points = malloc((size_t)s->n_ways * (shape->n_points + 1) * sizeof *shape->points);
  if (!shape->cells || !shape->points) {
    km_track_shape_free(shape);
    *out = NULL;
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  fill_tables(shape);
  return KM_OK;
}

void km_track_shape_free(km_track_shape *shape) {
  if (!shape)
    return;
  free(shape->cells);
  free(shape->points);
  free(shape);
}

/* ---- making tracks ---- */

struct km_track_builder {
  const km_track_shape *shape;
  unsigned char *bytes;
  size_t n_bytes, capacity;
  size_t start; /* of the track being made */
  uint32_t n_events;
  uint32_t next_row;           /* the first row whose move has not been seen */
  uint8_t shown[KM_POINT_MAX]; /* by point: bit 0 a black stone, bit 1 a white one, as the events say */
  uint8_t stones[KM_SYMMETRIES][PAIR_BYTES_MAX]; /* the same, packed, in every orientation */
  km_replay replay;
};

km_track_builder *km_track_builder_new(const km_track_shape *shape) {
  km_track_builder *b = malloc(sizeof *b);
  if (!b)
    return NULL;
  memset(b, 0, offsetof(km_track_builder, shown));
  b->shape = shape;
  return b;
}

void km_track_builder_free(km_track_builder *builder) {
  if (!builder)
    return;
  free(builder->bytes);
  free(builder);
}

unsigned char *km_track_builder_take(km_track_builder *b, size_t *n_bytes) {
  unsigned char *bytes = b->bytes, *fitted = b->n_bytes ? realloc(bytes, b->n_bytes) : NULL;
  *n_bytes = b->n_bytes;
  if (!b->n_bytes)
    return NULL;
  b->bytes = NULL;
  b->n_bytes = b->capacity = 0;
  return fitted ? fitted : bytes;
}

const unsigned char *km_track_builder_lend(km_track_builder *b) {
  b->n_bytes = 0;
  return b->bytes;
}

static km_status reserve(km_track_builder *b, size_t n_bytes, km_err *err) {
  if (n_bytes <= b->capacity - b->n_bytes)
    return KM_OK;
  size_t capacity = b->n_bytes + n_bytes + b->capacity / 2 + (1 << 16);
  unsigned char *bytes = realloc(b->bytes, capacity);
  if (!bytes)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the positions of games");
  b->bytes = bytes;
  b->capacity = capacity;
  return KM_OK;
}

static inline void flip(uint8_t *planes, unsigned cell) {
  planes[cell >> 3] ^= (uint8_t)(0x80 >> (cell & 7));
}

/* Appends an event, and carries it out. Room has been reserved. */
static inline void add_event(km_track_builder *b, unsigned event) {
  const km_track_shape *shape = b->shape;
  unsigned n = shape->n_points;
  uint16_t value = (uint16_t)event;
  memcpy(b->bytes + b->n_bytes, &value, sizeof value);
  b->n_bytes += sizeof value;
  b->n_events++;
  if (event >= 2 * n)
    return;
  b->shown[event < n ? event : event - n] ^= event < n ? 1 : 2;
  for (unsigned way = 0; way < shape->settings->n_ways; way++)
    flip(b->stones[way], shape->cells[way * 4 * n + event]);
}

/* The events that make the stones shown those of the board, whatever happened. */
static void add_differences(km_track_builder *b) {
  static const uint8_t bits[] = {0, 1, 2};
  unsigned n = b->shape->n_points;
  for (unsigned p = 0; p < n; p++) {
    unsigned differ = b->shown[p] ^ bits[km_board_stone(&b->replay.board, p)];
    if (differ & 1)
      add_event(b, p);
    if (differ & 2)
      add_event(b, n + p);
  }
}

/* The events of the ply that has just been replayed. */
static km_status add_ply(km_track_builder *b, km_err *err) {
  const km_replay *replay = &b->replay;
  const km_board *board = &replay->board;
  km_move move = replay->game->moves[replay->ply - 1];
  unsigned n = b->shape->n_points, colour = move.colour - KM_BLACK;
  km_status status = reserve(b, (2 * (size_t)n + 1) * sizeof(uint16_t), err);
  if (status)
    return status;
  int is_pass = move.point >= n;
  int is_plain = replay->setup_begin == replay->setup_end &&
                 (is_pass || (b->shown[move.point] == 0 && km_board_stone(board, move.point) == move.colour));
  add_event(b, is_pass ? 2 * n + colour : colour * n + move.point);
  if (!is_plain)
    add_differences(b);
  else
    for (unsigned i = 0; i < board->n_captured; i++)
      add_event(b, (1 - colour) * n + board->captured[i]);
  b->bytes[b->n_bytes - 1] |= KM_EVENT_LAST >> 8;
  return KM_OK;
}

/* The stones after so many plies, if an anchor belongs there. */
static void add_anchor(km_track_builder *b) {
  const km_track_shape *shape = b->shape;
  if (b->replay.ply & ((1u << shape->interval_log) - 1))
    return;
  const km_track *track = (const km_track *)(const void *)(b->bytes + b->start);
  unsigned char *anchor =
      b->bytes + b->start + track->anchors_at + (b->replay.ply >> shape->interval_log) * shape->anchor_bytes;
  memcpy(anchor, &b->n_events, sizeof b->n_events);
  for (unsigned way = 0; way < shape->settings->n_ways; way++)
    memcpy(anchor + sizeof b->n_events + way * shape->pair_bytes, b->stones[way], shape->pair_bytes);
}

/* Header, rows, win-rates, and the room for the anchors. */
static km_status begin_track(km_track_builder *b, const km_track_game *g, km_err *err) {
  const km_track_shape *shape = b->shape;
  const km_game *game = g->game;
  size_t n_evals = shape->settings->evals ? g->n_rows : 0,
         n_anchors = (game->n_moves >> shape->interval_log) + 1;
  km_track track = {.id = g->id,
                    .game = g->number,
                    .n_rows = g->n_rows,
                    .komi = game->komi,
                    .margin = game->margin,
                    .winner = game->winner,
                    .final_to_play = game->final_to_play};
  track.evals_at = (uint32_t)(sizeof track + g->n_rows * sizeof(km_track_row));
  track.anchors_at = (uint32_t)(track.evals_at + n_evals * sizeof(float));
  track.events_at =
      (uint32_t)(track.anchors_at + (shape->settings->needs_board ? 0 : n_anchors * shape->anchor_bytes));
  b->n_bytes = (b->n_bytes + 7) & ~(size_t)7;
  b->start = b->n_bytes;
  km_status status = reserve(b, track.events_at, err);
  if (status)
    return status;
  memset(b->bytes + b->start, 0, track.events_at);
  memcpy(b->bytes + b->start, &track, sizeof track);
  b->n_bytes += track.events_at;
  unsigned n = shape->n_points;
  km_track_row *rows = (km_track_row *)(void *)(b->bytes + b->start + sizeof track);
  for (uint32_t j = 0; j < g->n_rows; j++) {
    rows[j] = (km_track_row){g->plies[j], KM_EVENT_NONE};
    if (g->plies[j] == game->n_moves)
      continue;
    km_move move = game->moves[g->plies[j]];
    unsigned colour = move.colour - KM_BLACK;
    rows[j].move = (uint16_t)(move.point >= n ? 2 * n + colour : colour * n + move.point);
  }
  return KM_OK;
}

/* Win-rates of the record's positions that have one; both lists rise by ply, but for records out of order. */
static void fill_evals(km_track_builder *b, const km_track_game *g) {
  float *win = (float *)(void *)(b->bytes + b->start +
                                 ((const km_track *)(const void *)(b->bytes + b->start))->evals_at);
  const km_game *game = g->game;
  uint32_t e = 0;
  for (uint32_t j = 0; j < g->n_rows; j++) {
    win[j] = NAN;
    while (e < game->n_evals && game->evals[e].ply < g->plies[j])
      e++;
    if (e < game->n_evals && game->evals[e].ply == g->plies[j])
      win[j] = game->evals[e].black_win;
  }
}

km_status km_track_add(km_track_builder *b, const km_track_game *g, size_t *at, km_err *err) {
  const km_track_shape *shape = b->shape;
  km_status status = begin_track(b, g, err);
  *at = b->start;
  if (status)
    return status;
  if (shape->settings->evals)
    fill_evals(b, g);
  if (shape->settings->needs_board)
    return KM_OK;
  b->n_events = 0;
  memset(b->shown, 0, shape->n_points);
  for (unsigned way = 0; way < shape->settings->n_ways; way++)
    memset(b->stones[way], 0, shape->pair_bytes);
  km_replay_init(&b->replay, g->game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  if (b->replay.setup_end) { /* position 0 is that of an anchor: its events are not kept */
    size_t n_bytes = b->n_bytes;
    status = reserve(b, 2 * (size_t)shape->n_points * sizeof(uint16_t), err);
    if (status)
      return status;
    add_differences(b);
    b->n_bytes = n_bytes;
    b->n_events = 0;
  }
  add_anchor(b);
  while (km_replay_step(&b->replay) == KM_OK) {
    status = add_ply(b, err);
    if (status)
      return status;
    add_anchor(b);
  }
  if (b->replay.ply < g->game->n_moves)
    return km_err_set(err, KM_ERR_FORMAT, 0, "game %u: move %u cannot be played", g->number,
                      b->replay.ply + 1);
  return KM_OK;
}

/* ---- finding moments ---- */

void km_track_facts(const km_track_shape *shape, const km_track *track, uint32_t j, uint8_t k,
                    km_row_facts *facts) {
  km_track_row row = km_track_rows(track)[j];
  unsigned n = shape->n_points, way = shape->way_of[k];
  *facts = (km_row_facts){.game = track->game,
                          .ply = row.ply,
                          .komi = track->komi,
                          .margin = track->margin,
                          .winner = track->winner,
                          .symmetry = k,
                          .to_play = track->final_to_play,
                          .policy = -1,
                          .black_win = NAN};
  if (row.move != KM_EVENT_NONE) {
    unsigned is_pass = row.move >= 2 * n, is_white = is_pass ? row.move - 2 * n : row.move >= n;
    facts->to_play = (uint8_t)(KM_BLACK + is_white);
    facts->policy = (int16_t)shape->points[way * (n + 1) + (is_pass ? n : row.move - is_white * n)];
  }
  if (shape->settings->evals)
    facts->black_win = ((const float *)(const void *)((const char *)track + track->evals_at))[j];
}

/* The ply of the oldest step of a row. */
static inline uint32_t oldest_ply(uint32_t ply) {
  return ply < KM_HISTORY ? 0 : ply - (KM_HISTORY - 1);
}

static inline const unsigned char *anchor_of(const km_track_shape *shape, const km_track *track,
                                             uint32_t ply) {
  return (const unsigned char *)track + track->anchors_at +
         (oldest_ply(ply) >> shape->interval_log) * shape->anchor_bytes;
}

void km_track_seek(const km_track_shape *shape, const km_track *track, const km_row_facts *facts,
                   km_moment *moment) {
  uint32_t oldest = oldest_ply(facts->ply);
  uint8_t way = shape->way_of[facts->symmetry];
  const unsigned char *anchor = anchor_of(shape, track, facts->ply),
                      *stones = anchor + sizeof(uint32_t) + way * shape->pair_bytes;
  *moment = (km_moment){.stones = stones,
                        .n_skip = oldest & ((1u << shape->interval_log) - 1),
                        .n_after = (uint8_t)(facts->ply - oldest),
                        .way = way,
                        .to_play = facts->to_play};
  __builtin_prefetch(anchor);
  for (size_t i = 0; i < shape->pair_bytes; i += 64)
    __builtin_prefetch(stones + i);
  __builtin_prefetch(stones + shape->pair_bytes - 1);
}

void km_track_find(const km_track_shape *shape, const km_track *track, const km_row_facts *facts,
                   km_moment *moment) {
  uint32_t first;
  memcpy(&first, anchor_of(shape, track, facts->ply), sizeof first);
  moment->events = (const uint16_t *)(const void *)((const unsigned char *)track + track->events_at) + first;
  __builtin_prefetch(moment->events);
  __builtin_prefetch(moment->events + moment->n_skip + moment->n_after);
}

/* ---- rows ---- */

/* Code that is compiled once for packed planes of 19×19, and once for any. */
#define SPECIALISED static inline __attribute__((always_inline))

/* The events of one ply in the n_steps newest steps; n_steps is a constant where it is called, and the loop
 * is none. */
SPECIALISED const uint16_t *flip_ply(uint8_t *steps, size_t pair_bytes, unsigned n_steps,
                                     const uint16_t *cells, unsigned n_cells, const uint16_t *event) {
  unsigned value;
  do {
    value = *event++;
    unsigned stone = value & ~(unsigned)KM_EVENT_LAST;
    if (stone < n_cells) {
      uint8_t *byte = steps + (cells[stone] >> 3), bit = (uint8_t)(0x80 >> (cells[stone] & 7));
#pragma GCC unroll 7
      for (unsigned step = 0; step < n_steps; step++)
        byte[step * pair_bytes] ^= bit;
    }
  } while (value < KM_EVENT_LAST);
  return event;
}

/* The steps of a moment, newest first, each {own, opponent's} planes. */
SPECIALISED void make_history(const km_track_shape *shape, const km_moment *m, uint8_t *steps,
                              size_t plane_bytes) {
  size_t pair_bytes = 2 * plane_bytes;
  unsigned n = shape->n_points;
  const uint16_t *cells = shape->cells + (2u * m->way + m->to_play - 1) * 2 * n, *event = m->events;
  uint8_t base[PAIR_BYTES_MAX];
  memcpy(base, m->stones + (m->to_play == KM_BLACK ? 0 : plane_bytes), plane_bytes);
  memcpy(base + plane_bytes, m->stones + (m->to_play == KM_BLACK ? plane_bytes : 0), plane_bytes);
  for (uint32_t left = m->n_skip; left;) {
    unsigned value = *event++, stone = value & ~(unsigned)KM_EVENT_LAST;
    if (stone < 2 * n)
      flip(base, cells[stone]);
    left -= value / KM_EVENT_LAST;
  }
  for (unsigned step = 0; step <= m->n_after; step++)
    memcpy(steps + step * pair_bytes, base, pair_bytes);
  memset(steps + (m->n_after + 1) * pair_bytes, 0, (KM_HISTORY - 1 - m->n_after) * pair_bytes);
  switch (m->n_after) { /* each ply flips its stones in as many steps as come after it */
#define PLY(n_steps)                                                                                         \
  case n_steps:                                                                                              \
    event = flip_ply(steps, pair_bytes, n_steps, cells, 2 * n, event);                                       \
    __attribute__((fallthrough))
    PLY(7);
    PLY(6);
    PLY(5);
    PLY(4);
    PLY(3);
    PLY(2);
    PLY(1);
#undef PLY
  default:
    break;
  }
}

static inline void history(const km_track_shape *shape, const km_moment *moment, uint8_t *steps) {
  if (shape->plane_bytes == PLANE_19)
    make_history(shape, moment, steps, PLANE_19);
  else
    make_history(shape, moment, steps, shape->plane_bytes);
}

/* The planes of a row, from span number first on. */
static void copy_spans(const km_track_shape *shape, const program *p, unsigned first, const uint8_t *steps,
                       uint8_t *to) {
  for (unsigned i = first; i < p->n_spans; i++) {
    memcpy(to, (p->spans[i].from_constants ? shape->constants : steps) + p->spans[i].offset,
           p->spans[i].n_bytes);
    to += p->spans[i].n_bytes;
  }
}

/* Planes of bits as planes of bytes. */
static void spread_planes(const km_track_shape *shape, const uint8_t *bits, uint8_t *bytes) {
  size_t n_whole = shape->n_points / 8, rest = shape->n_points % 8;
  for (size_t i = 0; i < shape->n_planes; i++) {
    for (size_t b = 0; b < n_whole; b++)
      memcpy(bytes + 8 * b, &shape->spread[bits[b]], 8);
    if (rest)
      memcpy(bytes + 8 * n_whole, &shape->spread[bits[n_whole]], rest);
    bits += shape->plane_bytes;
    bytes += shape->n_points;
  }
}

void km_moment_row(const km_track_shape *shape, const km_moment *moment, uint8_t *row) {
  const program *p = &shape->programs[moment->to_play - 1][moment->n_after];
  uint8_t steps[KM_HISTORY * PAIR_BYTES_MAX], packed[KM_PLANES_MAX * PLANE_BYTES_MAX];
  if (shape->in_place) {
    history(shape, moment, row);
    copy_spans(shape, p, 1, row, row + p->spans[0].n_bytes);
    return;
  }
  history(shape, moment, steps);
  if (shape->settings->packing == KM_PACK_BITS) {
    copy_spans(shape, p, 0, steps, row);
  } else {
    copy_spans(shape, p, 0, steps, packed);
    spread_planes(shape, packed, row);
  }
}

/* ---- moments apart ---- */

size_t km_moment_bytes_max(const km_track_shape *shape) {
  return shape->pair_bytes + (KM_HISTORY - 1) * (2 * (size_t)shape->n_points + 1) * sizeof(uint16_t);
}

size_t km_moment_store(const km_track_shape *shape, const km_moment *m, unsigned char *bytes) {
  unsigned n = shape->n_points;
  const uint16_t *cells = shape->cells + m->way * 4u * n, *event = m->events, *first;
  memcpy(bytes, m->stones, shape->pair_bytes);
  for (uint32_t left = m->n_skip; left; event++) {
    unsigned stone = *event & ~(unsigned)KM_EVENT_LAST;
    if (stone < 2 * n)
      flip(bytes, cells[stone]);
    left -= *event / KM_EVENT_LAST;
  }
  first = event;
  for (unsigned left = m->n_after; left; event++)
    left -= *event / KM_EVENT_LAST;
  memcpy(bytes + shape->pair_bytes, first, (size_t)(event - first) * sizeof *event);
  return shape->pair_bytes + (size_t)(event - first) * sizeof *event;
}

void km_moment_load(const km_track_shape *shape, const unsigned char *bytes, const km_row_facts *facts,
                    km_moment *moment) {
  *moment = (km_moment){.stones = bytes,
                        .events = (const uint16_t *)(const void *)(bytes + shape->pair_bytes),
                        .n_after = (uint8_t)(facts->ply - oldest_ply(facts->ply)),
                        .way = shape->way_of[facts->symmetry],
                        .to_play = facts->to_play};
}
