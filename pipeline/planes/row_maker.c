/* row_maker.c: see row_maker.h. */
#include "row_maker.h"

#include <stdlib.h>

struct km_row_maker {
  const km_planes_settings *settings;
  const km_track_shape *shape;
  const km_games *games;
  km_row_facts *facts;
  km_moment *moments;
  uint32_t *order; /* rows by game and ply */
  size_t capacity;
  /* where boards are needed */
  km_plane_encoder *encoders[KM_SYMMETRIES]; /* by symmetry */
  km_feature_reader *reader;
  km_arena arena;
  km_game game;
  km_replay replay;
};

static int make_encoders(km_row_maker *maker) {
  const km_planes_settings *s = maker->settings;
  for (unsigned i = 0; i < s->n_ways; i++) {
    km_plane_options options = {.layout = s->layout,
                                .variants = s->variants,
                                .rows = s->rows,
                                .cols = s->cols,
                                .symmetries = (uint8_t)(1u << s->ways[i]),
                                .packing = s->packing};
    if (km_plane_encoder_new(&maker->encoders[s->ways[i]], &options, NULL) != KM_OK)
      return 0;
  }
  return !s->move_features || km_feature_reader_new(&maker->reader, s->variants, NULL) == KM_OK;
}

km_row_maker *km_row_maker_new(const km_planes_settings *settings, const km_track_shape *shape,
                               const km_games *games) {
  km_row_maker *maker = calloc(1, sizeof *maker);
  if (!maker)
    return NULL;
  maker->settings = settings;
  maker->shape = shape;
  maker->games = games;
  km_arena_init(&maker->arena);
  if (settings->needs_board && !make_encoders(maker)) {
    km_row_maker_free(maker);
    return NULL;
  }
  return maker;
}

void km_row_maker_free(km_row_maker *maker) {
  if (!maker)
    return;
  for (int k = 0; k < KM_SYMMETRIES; k++)
    km_plane_encoder_free(maker->encoders[k]);
  km_feature_reader_free(maker->reader);
  km_arena_clear(&maker->arena);
  free(maker->facts);
  free(maker->moments);
  free(maker->order);
  free(maker);
}

size_t km_row_maker_bytes(const km_planes_settings *settings) {
  return sizeof(km_row_maker) + (settings->needs_board ? (size_t)settings->n_ways << 19 : 0);
}

km_status km_row_maker_room(km_row_maker *maker, size_t n, km_row_facts **facts, km_moment **moments,
                            km_err *err) {
  if (n > maker->capacity) {
    free(maker->facts);
    free(maker->moments);
    free(maker->order);
    maker->facts = malloc(n * sizeof *maker->facts);
    maker->moments = malloc(n * sizeof *maker->moments);
    maker->order = malloc(n * sizeof *maker->order);
    maker->capacity = maker->facts && maker->moments && maker->order ? n : 0;
    if (!maker->capacity)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu rows", n);
  }
  *facts = maker->facts;
  *moments = maker->settings->needs_board ? NULL : maker->moments;
  return KM_OK;
}

/* ---- by replay ---- */

static int compare_rows(const void *a, const void *b, void *ctx) {
  const km_row_facts *facts = ctx, *x = &facts[*(const uint32_t *)a], *y = &facts[*(const uint32_t *)b];
  if (x->game != y->game)
    return x->game < y->game ? -1 : 1;
  return (x->ply > y->ply) - (x->ply < y->ply);
}

/* The pattern as the symmetry turns it: its eight digits stand around the middle of a 3×3 board. */
static uint16_t turned_pattern(uint16_t pattern, int k) {
  unsigned digits[9] = {0}, code = 0;
  for (int p = 8, shift = 0; p >= 0; p--) {
    if (p == 4)
      continue;
    digits[km_symmetry_point(k, 3, 3, (uint16_t)p)] = pattern >> shift & 3;
    shift += 2;
  }
  for (int p = 0; p < 9; p++)
    code = p == 4 ? code : code << 2 | digits[p];
  return (uint16_t)code;
}

static void put_features(km_row_maker *maker, const km_row_facts *facts, int32_t *to) {
  const km_board *board = &maker->replay.board;
  km_move move = facts->policy < 0 ? (km_move){board->n_points, 0, 0} : maker->game.moves[facts->ply];
  for (unsigned i = 0; i < KM_MOVE_FEATURES; i++)
    to[i] = -1;
  if (move.point >= board->n_points || km_board_stone(board, move.point) != KM_EMPTY)
    return;
  km_move_features features;
  km_feature_reader_set(maker->reader, board);
  km_feature_reader_move(maker->reader, move.colour, move.point, &features);
  features.pattern = turned_pattern(features.pattern, facts->symmetry);
  for (unsigned i = 0; i < KM_MOVE_FEATURES; i++)
    to[i] = km_move_feature_value(&features, i);
}

/* The rows order[0 … n-1], all of one game. */
static km_status replay_game(km_row_maker *maker, const uint32_t *order, size_t n, const km_row_sink *sink,
                             size_t first, km_err *err) {
  km_replay *replay = &maker->replay;
  const km_row_facts *facts = maker->facts;
  unsigned used = 0; /* symmetries */
  km_arena_reset(&maker->arena);
  km_status status = km_games_game(maker->games, facts[order[0]].game, &maker->arena, &maker->game, err);
  if (status != KM_OK)
    return status;
  km_replay_init(replay, &maker->game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  for (size_t i = 0; i < n; i++)
    used |= 1u << facts[order[i]].symmetry;
  for (int k = 0; k < KM_SYMMETRIES; k++)
    if (used >> k & 1)
      km_plane_encoder_begin(maker->encoders[k], replay);
  for (size_t i = 0; i < n;) {
    const km_row_facts *row = &facts[order[i]];
    if (row->ply == replay->ply) {
      size_t at = first + order[i++];
      km_plane_encoder_encode(maker->encoders[row->symmetry], &replay->board, row->to_play, row->symmetry,
                              sink->planes + at * sink->n_row_bytes);
      if (sink->features)
        put_features(maker, row, sink->features + at * KM_MOVE_FEATURES);
      continue;
    }
    if (km_replay_step(replay) != KM_OK)
      return km_err_set(err, KM_ERR_FORMAT, 0, "game %u: move %u cannot be played", row->game,
                        replay->ply + 1);
    for (int k = 0; k < KM_SYMMETRIES; k++)
      if (used >> k & 1)
        km_plane_encoder_follow(maker->encoders[k], replay);
  }
  return KM_OK;
}

static km_status make_by_replay(km_row_maker *maker, size_t n, const km_row_sink *sink, size_t first,
                                km_err *err) {
  for (uint32_t i = 0; i < n; i++)
    maker->order[i] = i;
  qsort_r(maker->order, n, sizeof *maker->order, compare_rows, maker->facts);
  km_status status = KM_OK;
  for (size_t i = 0, end; status == KM_OK && i < n; i = end) {
    for (end = i + 1; end < n && maker->facts[maker->order[end]].game == maker->facts[maker->order[i]].game;)
      end++;
    status = replay_game(maker, maker->order + i, end - i, sink, first, err);
  }
  return status;
}

km_status km_row_maker_make(km_row_maker *maker, size_t n, const km_row_sink *sink, size_t first,
                            km_err *err) {
  for (size_t i = 0; i < n; i++)
    km_row_sink_put(sink, first + i, &maker->facts[i]);
  if (maker->settings->needs_board)
    return make_by_replay(maker, n, sink, first, err);
  for (size_t i = 0; i < n; i++)
    km_moment_row(maker->shape, &maker->moments[i], sink->planes + (first + i) * sink->n_row_bytes);
  return KM_OK;
}
