/* test_planes_rows.c: the rows in the shards are, one for one, those that a replay of each game from its
 * beginning gives for each position alone; what is wanted is there once, and nothing else. */
#include "planes_runs.h"
#include "row_select.h"

#include "kifumill/encoder.h"
#include "kifumill/move_hash.h"

#include <stdlib.h>
#include <string.h>

static char games_path[512], folder[512];
static km_replay replay;

/* What is compared with: the games, and how to make rows of them. */
typedef struct reference {
  km_games *games;
  km_planes_settings settings;
  km_plane_encoder *encoder;
  km_feature_reader *features;
  km_arena arena;
  uint8_t *row;
} reference;

static void reference_open(reference *r, const km_planes_options *options) {
  *r = (reference){0};
  km_arena_init(&r->arena);
  assert_ok(km_planes_settings_read(&r->settings, options, &test_err));
  assert_ok(km_games_open(&r->games, options->run.inputs[0], &test_err));
  km_plane_options o = {.layout = r->settings.layout,
                        .variants = r->settings.variants,
                        .rows = r->settings.rows,
                        .cols = r->settings.cols,
                        .symmetries = 0xff,
                        .packing = r->settings.packing};
  assert_ok(km_plane_encoder_new(&r->encoder, &o, &test_err));
  assert_ok(km_feature_reader_new(&r->features, r->settings.variants, &test_err));
  r->row = malloc(km_plane_encoder_row_bytes(r->encoder));
}

static void reference_close(reference *r) {
  km_games_close(r->games);
  km_plane_encoder_free(r->encoder);
  km_feature_reader_free(r->features);
  km_arena_clear(&r->arena);
  free(r->row);
}

/* Replays to a ply; the game stays in r->arena until the next one. */
static void play_to(reference *r, uint32_t number, uint32_t ply, km_game *game) {
  km_arena_reset(&r->arena);
  assert_ok(km_games_game(r->games, number, &r->arena, game, &test_err));
  km_replay_init(&replay, game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  km_plane_encoder_begin(r->encoder, &replay);
  while (replay.ply < ply) {
    assert_int_equal(km_replay_step(&replay), KM_OK);
    km_plane_encoder_follow(r->encoder, &replay);
  }
}

/* The features of the move, found on the turned board, so that nothing has to be turned back. */
static void check_features(reference *r, const read_row *row, const km_game *game) {
  static km_board turned;
  km_move_features f;
  unsigned n = replay.board.n_points;
  int has_move = row->ply < game->n_moves && game->moves[row->ply].point < n &&
                 km_board_stone(&replay.board, game->moves[row->ply].point) == KM_EMPTY;
  km_board_init(&turned, r->settings.rows, r->settings.cols);
  for (uint16_t p = 0; p < n; p++)
    if (km_board_stone(&replay.board, p))
      km_board_setup(&turned, km_board_stone(&replay.board, p),
                     km_symmetry_point(row->symmetry, r->settings.rows, r->settings.cols, p));
  if (has_move) {
    km_feature_reader_set(r->features, &turned);
    km_feature_reader_move(r->features, row->to_play, (uint16_t)row->policy, &f);
  }
  for (unsigned i = 0; i < KM_MOVE_FEATURES; i++)
    assert_int_equal(row->features[i], has_move ? km_move_feature_value(&f, i) : -1);
}

static int same_float(float a, float b) {
  return a == b || (isnan(a) && isnan(b));
}

static void check_row(reference *r, const read_row *row) {
  km_game game;
  km_game_hash hash;
  play_to(r, row->game, row->ply, &game);
  uint8_t to_play = km_game_to_play(&game, row->ply);
  assert_int_equal(row->to_play, to_play);
  assert_int_equal(row->value, game.winner == KM_WINNER_UNKNOWN ? -128
                               : to_play == KM_BLACK            ? game.winner
                                                                : -game.winner);
  int sign = row->value == -128 ? 0 : row->value;
  assert_true(same_float(row->score, row->value == -128 ? NAN : (float)sign * game.margin));
  assert_true(same_float(row->komi, game.komi));
  if (row->ply == game.n_moves)
    assert_int_equal(row->policy, -1);
  else
    assert_int_equal(row->policy,
                     km_symmetry_point(row->symmetry, game.rows, game.cols, game.moves[row->ply].point));
  km_plane_encoder_encode(r->encoder, &replay.board, to_play, row->symmetry, r->row);
  assert_memory_equal(row->planes, r->row, km_plane_encoder_row_bytes(r->encoder));
  km_game_hash_compute(&game, KM_OPENING_MOVES, &hash);
  assert_int_equal(row->split, km_select_split(&r->settings, &(km_game_keys){hash.canonical, hash.opening}));
  if (r->settings.symmetries == KM_SYMMETRIES_NONE)
    assert_int_equal(row->symmetry, 0);
  if (r->settings.symmetries == KM_SYMMETRIES_RANDOM)
    assert_int_equal(row->symmetry, km_select_symmetry(&r->settings, hash.canonical.low, row->ply, 0));
  if (r->settings.move_features)
    check_features(r, row, &game);
  if (r->settings.evals) {
    float win = NAN;
    for (uint32_t e = 0; e < game.n_evals; e++)
      win = game.evals[e].ply == row->ply ? game.evals[e].black_win : win;
    assert_true(same_float(row->black_win, win));
  }
}

/* One number for a row's identity. */
static uint64_t identity(uint32_t game, uint32_t ply, unsigned symmetry) {
  return ((uint64_t)game << 17 | ply) << 3 | symmetry;
}
static int compare_numbers(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* The identities that the settings ask for, sorted; returns how many. */
static size_t wanted(reference *r, uint64_t **out) {
  size_t n = 0, capacity = 1024;
  uint64_t *list = malloc(capacity * sizeof *list);
  uint16_t plies[4096];
  for (uint64_t i = 0; i < km_games_count(r->games); i++) {
    km_game game;
    km_game_hash hash;
    km_select_counts counts = {0};
    km_arena_reset(&r->arena);
    assert_ok(km_games_game(r->games, i, &r->arena, &game, &test_err));
    if (game.rows != r->settings.rows || game.cols != r->settings.cols)
      continue;
    km_game_hash_compute(&game, KM_OPENING_MOVES, &hash);
    km_game_keys keys = {hash.canonical, hash.opening};
    uint32_t n_plies = km_select_plies(&r->settings, &game, &keys, plies, &counts);
    for (uint32_t j = 0; j < n_plies; j++)
      for (unsigned way = 0; way < r->settings.rows_per_position; way++) {
        if (n == capacity)
          list = realloc(list, (capacity *= 2) * sizeof *list);
        list[n++] =
            identity((uint32_t)i, plies[j], km_select_symmetry(&r->settings, keys.hash.low, plies[j], way));
      }
  }
  qsort(list, n, sizeof *list, compare_numbers);
  *out = list;
  return n;
}

static void check_folder(const km_planes_options *options) {
  reference r;
  read_rows rows;
  uint64_t *expected;
  reference_open(&r, options);
  read_folder(&rows, options->run.output, options);
  size_t n = wanted(&r, &expected);
  uint64_t *found = malloc((rows.n + 1) * sizeof *found);
  assert_int_equal(rows.n, n);
  assert_int_equal(manifest_count(options->run.output, "rows"), n);
  for (size_t i = 0; i < rows.n; i++) {
    found[i] = identity(rows.rows[i].game, rows.rows[i].ply, rows.rows[i].symmetry);
    if (i % (1 + rows.n / 3000) == 0) /* three thousand of them in full */
      check_row(&r, &rows.rows[i]);
  }
  qsort(found, n, sizeof *found, compare_numbers);
  if (n)
    assert_memory_equal(found, expected, n * sizeof *found);
  free(found);
  free(expected);
  read_rows_free(&rows);
  reference_close(&r);
}

static void check_run(km_planes_options o) {
  remove_folder(folder);
  assert_ok(run_planes(&o));
  check_folder(&o);
}

static int setup(void **state) {
  (void)state;
  static const made_kind kinds[] = {{9, 9, 90, 1}, {9, 9, 60, 0}, {13, 9, 60, 1},
                                    {5, 5, 40, 1}, {9, 9, 5, 0},  {19, 19, 150, 1}};
  scratch_path(games_path, "rows.games.h5");
  scratch_path(folder, "rows");
  write_made_games(games_path, kinds, sizeof kinds / sizeof kinds[0], 90);
  return 0;
}
static int teardown(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

static void layouts(void **state) {
  (void)state;
  static const char *const names[] = {
      "alphago-zero", "black-white", "black-white-literal",
      "leela-zero",   "alphago-48",  "alphago-48:capture1,setup-old,colour,sensible,depth50"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    km_planes_options o = test_options(games_path, folder);
    o.layout = names[i];
    o.pack = i % 2;
    o.symmetries = (int)(i % 3);
    if (i >= 4) {
      o.sample = "every:3";
      o.symmetries = KM_SYMMETRIES_RANDOM;
    }
    check_run(o);
  }
}

static void boards_and_symmetries(void **state) {
  (void)state;
  static const char *const boards[] = {"9", "9x13", "5", "19"};
  for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++)
    for (int symmetries = 0; symmetries < 3; symmetries++) {
      km_planes_options o = test_options(games_path, folder);
      o.board = boards[i];
      o.symmetries = symmetries;
      o.codec = symmetries == 0 ? "none" : symmetries == 1 ? "gzip:1" : "zstd:3";
      o.sample = i == 3 ? "every:4" : "all";
      check_run(o);
    }
}

static void options_compose(void **state) {
  (void)state;
  km_planes_options o = test_options(games_path, folder);
  o.final_value = 1;
  o.evals = 1;
  o.move_features = 1;
  o.symmetries = KM_SYMMETRIES_RANDOM;
  check_run(o);
  o.symmetries = KM_SYMMETRIES_ALL;
  o.board = "9x13";
  o.last = 1;
  check_run(o);
  o = test_options(games_path, folder);
  o.evals = 1;
  o.players = "winner";
  o.ply = "3..50";
  o.skip_handicap_moves = 1;
  o.unknown_result = 1;
  o.sample = "per-game:4";
  o.split = "0.4,0.3,0.3";
  check_run(o);
  assert_true(manifest_count(folder, "positions") > manifest_count(folder, "after_unknown_result"));
  assert_true(manifest_count(folder, "after_unknown_result") >
              manifest_count(folder, "after_handicap_moves"));
  assert_true(manifest_count(folder, "after_handicap_moves") > manifest_count(folder, "after_ply"));
  assert_true(manifest_count(folder, "after_players") > manifest_count(folder, "after_sample"));
  assert_int_equal(manifest_count(folder, "games"), 90);
  assert_int_equal(manifest_count(folder, "games_other_size"), 45);
  o.players = "rank:1d";
  o.shuffle = 1; /* off */
  check_run(o);
}

/* Off, rows are in order of game, ply and symmetry; on, neighbours are of one game as seldom as chance has
 * it. */
static void order(void **state) {
  (void)state;
  km_planes_options o = test_options(games_path, folder);
  read_rows rows;
  o.symmetries = KM_SYMMETRIES_ALL;
  o.shuffle = 1;
  check_run(o);
  read_folder(&rows, folder, &o);
  for (size_t i = 1; i < rows.n; i++)
    if (rows.rows[i].split == rows.rows[i - 1].split)
      assert_true(identity(rows.rows[i].game, rows.rows[i].ply, rows.rows[i].symmetry) >
                  identity(rows.rows[i - 1].game, rows.rows[i - 1].ply, rows.rows[i - 1].symmetry));
  read_rows_free(&rows);
  static const made_kind kind = {9, 9, 80, 0};
  char many[512];
  write_made_games(scratch_path(many, "many.h5"), &kind, 1, 120);
  o = test_options(many, folder);
  o.split = "1";
  check_run(o);
  read_folder(&rows, folder, &o);
  size_t n_same = 0, n_rising = 0;
  for (size_t i = 1; i < rows.n; i++) {
    n_same += rows.rows[i].game == rows.rows[i - 1].game;
    n_rising += rows.rows[i].game > rows.rows[i - 1].game;
  }
  assert_true(100 * n_same < 3 * rows.n);
  assert_in_range(n_rising, rows.n * 45 / 100, rows.n * 55 / 100);
  read_rows_free(&rows);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts),
      cmocka_unit_test(boards_and_symmetries),
      cmocka_unit_test(options_compose),
      cmocka_unit_test(order),
  };
  return cmocka_run_group_tests_name("planes rows", tests, setup, teardown);
}
