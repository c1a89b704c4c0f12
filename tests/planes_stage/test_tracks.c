/* test_tracks.c: rows out of tracks are those of the encoder that follows a replay, whatever the board, the
 * layout, the symmetry, the packing and the game; also by way of the spool. */
#include "made_games.h"
#include "track.h"

#include "kifumill/encoder.h"

#include <stdlib.h>
#include <string.h>

static km_replay replay;

static void settings_for(km_planes_settings *s, uint8_t rows, uint8_t cols, const char *layout,
                         int symmetries, int pack) {
  km_planes_options o;
  char board[16];
  km_planes_stage.defaults(&o);
  snprintf(board, sizeof board, "%ux%u", cols, rows);
  o.board = board;
  o.layout = layout;
  o.symmetries = symmetries;
  o.pack = pack;
  o.evals = rows % 2;
  o.final_value = 1;
  assert_ok(km_planes_settings_read(s, &o, &test_err));
}

static void check_row(const km_track_shape *shape, const km_track *track, uint32_t j, uint8_t k,
                      const uint8_t *expected, size_t n_bytes) {
  km_row_facts facts;
  km_moment moment, again;
  uint8_t *row = malloc(n_bytes);
  km_track_facts(shape, track, j, k, &facts);
  km_track_seek(shape, track, &facts, &moment);
  km_track_find(shape, track, &facts, &moment);
  memset(row, 0xa5, n_bytes);
  km_moment_row(shape, &moment, row);
  assert_memory_equal(row, expected, n_bytes);
  unsigned char *stored = malloc(km_moment_bytes_max(shape));
  size_t n_stored = km_moment_store(shape, &moment, stored);
  assert_true(n_stored <= km_moment_bytes_max(shape));
  stored = realloc(stored, n_stored); /* so that reading beyond it shows */
  km_moment_load(shape, stored, &facts, &again);
  memset(row, 0x5a, n_bytes);
  km_moment_row(shape, &again, row);
  assert_memory_equal(row, expected, n_bytes);
  free(stored);
  free(row);
}

static void check_facts(const km_track_shape *shape, const km_track *track, const km_game *game, uint32_t j,
                        uint8_t k) {
  km_row_facts f;
  km_track_facts(shape, track, j, k, &f);
  uint32_t ply = f.ply;
  assert_int_equal(f.game, 77);
  assert_int_equal(f.symmetry, k);
  assert_int_equal(f.to_play, km_game_to_play(game, ply));
  assert_int_equal(f.winner, game->winner);
  assert_memory_equal(&f.komi, &game->komi, sizeof f.komi);
  assert_memory_equal(&f.margin, &game->margin, sizeof f.margin);
  int policy = ply == game->n_moves ? -1 : km_policy_index(k, game->rows, game->cols, game->moves[ply].point);
  assert_int_equal(f.policy, policy);
  float win = NAN;
  for (uint32_t e = 0; e < game->n_evals && game->rows % 2; e++)
    if (game->evals[e].ply == ply)
      win = game->evals[e].black_win;
  assert_true(win == f.black_win || (isnan(win) && isnan(f.black_win)));
}

/* All rows of a game, every `stride`-th of which the track has. */
static void check_game(const km_planes_settings *s, const km_track_shape *shape, km_track_builder *builder,
                       km_plane_encoder *encoder, const km_game *game, uint32_t stride) {
  uint16_t *plies = malloc((game->n_moves + 1) * sizeof *plies);
  uint32_t n_rows = 0;
  size_t at, n_bytes = km_plane_encoder_row_bytes(encoder);
  uint8_t *expected = malloc(n_bytes);
  for (uint32_t ply = 0; ply <= game->n_moves; ply += stride)
    plies[n_rows++] = (uint16_t)ply;
  assert_int_equal(n_bytes, km_settings_row_bytes(s));
  assert_ok(km_track_add(builder, &(km_track_game){game, 77, 1, plies, n_rows}, &at, &test_err));
  const km_track *track = (const km_track *)(const void *)(km_track_builder_lend(builder) + at);
  assert_int_equal(track->n_rows, n_rows);
  km_replay_init(&replay, game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  km_plane_encoder_begin(encoder, &replay);
  for (uint32_t j = 0; j < n_rows;) {
    if (plies[j] == replay.ply) {
      for (unsigned w = 0; w < s->n_ways; w++) {
        km_plane_encoder_encode(encoder, &replay.board, km_game_to_play(game, replay.ply), s->ways[w],
                                expected);
        check_row(shape, track, j, s->ways[w], expected, n_bytes);
        check_facts(shape, track, game, j, s->ways[w]);
      }
      j++;
      continue;
    }
    assert_int_equal(km_replay_step(&replay), KM_OK);
    km_plane_encoder_follow(encoder, &replay);
  }
  free(expected);
  free(plies);
}

static void check_kind(const made_kind *kind, const char *layout, int symmetries, int pack,
                       uint64_t n_games) {
  km_planes_settings s;
  km_track_shape *shape;
  km_plane_encoder *encoder;
  km_arena arena;
  km_arena_init(&arena);
  settings_for(&s, kind->rows, kind->cols, layout, symmetries, pack);
  km_plane_options options = {
      .layout = s.layout, .rows = s.rows, .cols = s.cols, .symmetries = 0xff, .packing = s.packing};
  assert_ok(km_track_shape_new(&shape, &s, &test_err));
  assert_ok(km_plane_encoder_new(&encoder, &options, &test_err));
  km_track_builder *builder = km_track_builder_new(shape);
  assert_non_null(builder);
  for (uint64_t i = 0; i < n_games; i++) {
    km_game game;
    km_arena_reset(&arena);
    made_game(&game, &arena, kind, i * 31 + kind->rows);
    check_game(&s, shape, builder, encoder, &game, i % 3 == 0 ? 1 : (uint32_t)(1 + i % 7));
  }
  km_track_builder_free(builder);
  km_plane_encoder_free(encoder);
  km_track_shape_free(shape);
  km_arena_clear(&arena);
}

static void every_layout(void **state) {
  (void)state;
  static const char *const layouts[] = {"alphago-zero", "black-white", "black-white-literal", "leela-zero"};
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    for (int pack = 0; pack < 2; pack++) {
      check_kind(&(made_kind){19, 19, 250, 1}, layouts[i], KM_SYMMETRIES_RANDOM, pack, 3);
      check_kind(&(made_kind){9, 9, 120, 1}, layouts[i], KM_SYMMETRIES_NONE, pack, 10);
    }
}

static void every_size(void **state) {
  (void)state;
  static const uint8_t sizes[][2] = {{1, 1}, {2, 2},  {3, 3},   {5, 7},   {7, 5},
                                     {8, 8}, {13, 9}, {13, 13}, {25, 25}, {52, 52}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (int symmetries = 0; symmetries < 3; symmetries++)
      check_kind(&(made_kind){sizes[i][0], sizes[i][1], 100, 1}, "alphago-zero", symmetries, symmetries == 1,
                 sizes[i][0] > 20 ? 2 : 12);
}

/* Games as they are: a hundred of two hundred moves, all orientations. */
static void plain_games(void **state) {
  (void)state;
  check_kind(&(made_kind){19, 19, 400, 0}, "alphago-zero", KM_SYMMETRIES_ALL, KM_PACK_BITS, 12);
}

/* Captures of hundreds of stones at once, and the longest game. */
static void long_game(void **state) {
  (void)state;
  check_kind(&(made_kind){4, 4, 3000, 1}, "alphago-zero", KM_SYMMETRIES_ALL, KM_PACK_BITS, 2);
  check_kind(&(made_kind){2, 1, 65534, 0}, "alphago-zero", KM_SYMMETRIES_NONE, KM_PACK_BITS, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_layout),
      cmocka_unit_test(every_size),
      cmocka_unit_test(plain_games),
      cmocka_unit_test(long_game),
  };
  return cmocka_run_group_tests_name("tracks", tests, NULL, NULL);
}
