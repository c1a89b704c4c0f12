/* test_row_select.c: each rule of kifu-planes's selection, their order, and the splits. */
#include "made_games.h"
#include "row_select.h"

#include "kifumill/move_hash.h"
#include "kifumill/symmetry.h"

#include <stdlib.h>
#include <string.h>

static km_arena arena;

static int setup(void **state) {
  (void)state;
  km_arena_init(&arena);
  return 0;
}
static int teardown(void **state) {
  (void)state;
  km_arena_clear(&arena);
  return 0;
}

static km_planes_options defaults(void) {
  km_planes_options o;
  km_planes_stage.defaults(&o);
  o.board = "9";
  return o;
}

/* The plies chosen of a game, as text: "0 1 2". */
static const char *chosen(const km_planes_options *o, const km_game *game, char text[4096]) {
  km_planes_settings s;
  km_select_counts counts = {0};
  km_game_hash hash;
  uint16_t plies[700];
  assert_ok(km_planes_settings_read(&s, o, &test_err));
  km_game_hash_compute(game, KM_OPENING_MOVES, &hash);
  uint32_t n = km_select_plies(&s, game, &(km_game_keys){hash.canonical, hash.opening}, plies, &counts);
  size_t used = 0;
  text[0] = 0;
  for (uint32_t i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, 4096 - used, i ? " %u" : "%u", plies[i]);
  assert_int_equal(counts.n_steps[KM_SELECT_STEPS - 1], n);
  assert_int_equal(counts.n_steps[0], game->n_moves + s.final_value);
  for (int i = 1; i < KM_SELECT_STEPS; i++)
    assert_true(counts.n_steps[i] <= counts.n_steps[i - 1]);
  return text;
}

#define CHOSEN(options, game, expected) assert_string_equal(chosen(&(options), &(game), text), expected)

static void each_rule(void **state) {
  (void)state;
  char text[4096];
  km_game game;
  km_planes_options o = defaults();
  sgf_game(&game, &arena, 9, "B[cc];W[gg];B[cg];W[gc];B[ee];W[ff];B[dd]");
  CHOSEN(o, game, "0 1 2 3 4 5 6");
  o.final_value = 1;
  CHOSEN(o, game, "0 1 2 3 4 5 6 7");
  o.last = 1; /* drop; the game ended by resignation */
  CHOSEN(o, game, "0 1 2 3 4 5 7");
  game.ending = KM_ENDING_SCORE;
  CHOSEN(o, game, "0 1 2 3 4 5 6 7");
  o = defaults();
  o.ply = "2..4";
  CHOSEN(o, game, "2 3 4");
  o.ply = "..1";
  CHOSEN(o, game, "0 1");
  o.ply = "5..";
  CHOSEN(o, game, "5 6");
  o = defaults();
  o.players = "winner";
  CHOSEN(o, game, "0 2 4 6");
  game.winner = KM_WINNER_WHITE;
  CHOSEN(o, game, "1 3 5");
  game.winner = KM_WINNER_DRAW;
  CHOSEN(o, game, "");
  game.winner = KM_WINNER_UNKNOWN;
  CHOSEN(o, game, "");
  o = defaults();
  o.unknown_result = 1;
  CHOSEN(o, game, "");
  game.winner = KM_WINNER_DRAW;
  CHOSEN(o, game, "0 1 2 3 4 5 6");
  o = defaults();
  o.players = "rank:6d";
  game.black_rank = (km_rank){6, 'd'};
  game.white_rank = (km_rank){5, 'd'};
  CHOSEN(o, game, "0 2 4 6");
  game.white_rank = (km_rank){1, 'p'};
  CHOSEN(o, game, "0 1 2 3 4 5 6");
  game.white_rank = (km_rank){0, 0};
  CHOSEN(o, game, "0 2 4 6");
}

static void handicap_moves(void **state) {
  (void)state;
  char text[4096];
  km_game game;
  km_setup stone = {0, 40, KM_BLACK};
  km_planes_options o = defaults();
  o.skip_handicap_moves = 1;
  sgf_game(&game, &arena, 9, "B[cc];B[gg];W[ee];B[cg];W[gc]");
  CHOSEN(o, game, "0 1 2 3 4");
  game.handicap = 2;
  CHOSEN(o, game, "2 3 4");
  game.setup = &stone;
  game.n_setup = 1;
  CHOSEN(o, game, "0 1 2 3 4");
  stone.ply = 3; /* not before the game */
  CHOSEN(o, game, "2 3 4");
  sgf_game(&game, &arena, 9, "W[ee];B[cc];W[dd];B[gg];W[cg];B[gc]"); /* placed in turn with White */
  game.handicap = 2;
  CHOSEN(o, game, "0 2 4 5");
}

static void samples(void **state) {
  (void)state;
  char text[4096], again[4096];
  km_planes_options o = defaults();
  uint32_t taken[60] = {0}, offsets[7] = {0};
  for (uint64_t i = 0; i < 700; i++) {
    km_game game;
    km_arena_reset(&arena);
    made_game(&game, &arena, &(made_kind){9, 9, 60, 0}, i);
    o.sample = "every:7";
    chosen(&o, &game, text);
    unsigned last = 0, n = 0;
    for (char *p = strtok(text, " "); p; p = strtok(NULL, " "), n++) {
      unsigned ply = (unsigned)atoi(p);
      assert_true(n == 0 ? ply < 7 : ply == last + 7);
      offsets[n == 0 ? ply : 0] += n == 0;
      last = ply;
    }
    assert_true(n == game.n_moves / 7 || n == game.n_moves / 7 + 1);
    o.sample = "per-game:5";
    chosen(&o, &game, text);
    assert_string_equal(text, chosen(&o, &game, again));
    n = 0;
    for (char *p = strtok(text, " "); p; p = strtok(NULL, " "), n++)
      if (game.n_moves >= 40)
        taken[atoi(p) * 40 / (int)game.n_moves]++;
    assert_int_equal(n, game.n_moves < 5 ? game.n_moves : 5);
  }
  for (int i = 0; i < 7; i++) /* about 90 each */
    assert_in_range(offsets[i], 45, 150);
  for (int i = 1; i < 39; i++) /* about 30 each: no place is preferred */
    assert_in_range(taken[i], 10, 70);
}

/* The rules bite one after the other: a sample is of what the others left. */
static void rules_compose(void **state) {
  (void)state;
  char text[4096];
  km_game game;
  km_planes_options o = defaults();
  sgf_game(&game, &arena, 9, "B[cc];W[gg];B[cg];W[gc];B[ee];W[ff];B[dd];W[ef];B[fe]");
  o.players = "winner";
  o.ply = "2..";
  o.last = 1;
  CHOSEN(o, game, "2 4 6");
  o.sample = "every:3";
  chosen(&o, &game, text);
  assert_true(strcmp(text, "2") == 0 || strcmp(text, "4") == 0 || strcmp(text, "6") == 0);
  o.sample = "per-game:2";
  assert_int_equal(strlen(chosen(&o, &game, text)), 3);
}

static unsigned split_of(const km_planes_settings *s, const km_game *game) {
  km_game_hash hash;
  km_game_hash_compute(game, KM_OPENING_MOVES, &hash);
  return km_select_split(s, &(km_game_keys){hash.canonical, hash.opening});
}

/* Copies of a game fall into its split: turned in all ways, cut behind 30 moves, or gone on with. */
static void splits_do_not_leak(void **state) {
  (void)state;
  km_planes_settings s;
  km_planes_options o = defaults();
  o.split = "0.5,0.3,0.2";
  assert_ok(km_planes_settings_read(&s, &o, &test_err));
  uint32_t counts[KM_SPLITS] = {0};
  for (uint64_t i = 0; i < 600; i++) {
    km_game game, copy;
    km_arena_reset(&arena);
    made_game(&game, &arena, &(made_kind){9, 9, 70, i % 2 == 1}, i);
    unsigned split = split_of(&s, &game);
    counts[split]++;
    for (int k = 0; k < KM_SYMMETRIES; k++) {
      copy = game;
      copy.moves = km_arena_zalloc(&arena, (game.n_moves + 1) * sizeof *copy.moves);
      copy.setup = km_arena_zalloc(&arena, (game.n_setup + 1) * sizeof *copy.setup);
      for (uint32_t t = 0; t < game.n_moves; t++) {
        copy.moves[t] = game.moves[t];
        copy.moves[t].point = km_symmetry_point(k, 9, 9, game.moves[t].point);
      }
      for (uint32_t t = 0; t < game.n_setup; t++) {
        copy.setup[t] = game.setup[t];
        copy.setup[t].point = km_symmetry_point(k, 9, 9, game.setup[t].point);
      }
      assert_int_equal(split_of(&s, &copy), split);
      if (game.n_moves > KM_OPENING_MOVES && !game.n_setup) {
        copy.n_moves = KM_OPENING_MOVES + (uint32_t)(k * 3) % (game.n_moves - KM_OPENING_MOVES);
        assert_int_equal(split_of(&s, &copy), split);
      }
    }
  }
  assert_in_range(counts[0], 230, 370);
  assert_in_range(counts[1], 120, 240);
  assert_in_range(counts[2], 70, 170);
}

static void shares(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int used[KM_SPLITS]; /* whether games fall there */
  } good[] = {{"1", {1, 0, 0}},           {"1,0,0", {1, 0, 0}},
              {"0,1", {0, 1, 0}},         {"0.5,0,0.5", {1, 0, 1}},
              {"0.1,0.2,0.7", {1, 1, 1}}, {"0.3333333333,0.3333333333,0.3333333334", {1, 1, 1}}};
  static const char *const bad[] = {"",         "0.5",  "0.5,0.6", "0.9,0.05,0.04", "1,0,0,0",
                                    "0.5,0.5,", "-1,2", "x",       "nan",           "0.5;0.5"};
  km_planes_settings s;
  km_planes_options o = defaults();
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    o.split = good[i].text;
    assert_ok(km_planes_settings_read(&s, &o, &test_err));
    int used[KM_SPLITS] = {0};
    for (uint64_t k = 0; k < 300; k++)
      used[km_select_split(&s, &(km_game_keys){{k, 0}, {km_mix64(k), k}})] = 1;
    assert_memory_equal(used, good[i].used, sizeof used);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    o.split = bad[i];
    assert_int_equal(km_planes_settings_read(&s, &o, &test_err), KM_ERR_USAGE);
    assert_non_null(strstr(test_err.msg, "--split"));
  }
}

/* Every text option: a value that is none is named, with the option. */
static void mistakes_are_named(void **state) {
  (void)state;
  km_planes_settings s;
  km_planes_options o;
#define WRONG(field, text, name)                                                                             \
  o = defaults();                                                                                            \
  o.field = text;                                                                                            \
  assert_int_equal(km_planes_settings_read(&s, &o, &test_err), KM_ERR_USAGE);                                \
  assert_non_null(strstr(test_err.msg, name))
  WRONG(board, "0", "--board 0");
  WRONG(board, "53", "--board");
  WRONG(board, "19x", "--board");
  WRONG(board, "19x19x19", "--board");
  WRONG(layout, "alphago", "alphago");
  WRONG(layout_options, "capture1", "capture1");
  WRONG(codec, "lz4", "lz4");
  WRONG(codec, "zstd:23", "level");
  WRONG(sample, "every:0", "--sample");
  WRONG(sample, "every:", "--sample");
  WRONG(sample, "some", "--sample");
  WRONG(sample, "allx", "--sample");
  WRONG(ply, "5", "--ply");
  WRONG(ply, "9..5", "--ply");
  WRONG(ply, "..65535", "--ply");
  WRONG(players, "black", "--players");
  WRONG(players, "rank:", "--players");
  WRONG(players, "rank:5x", "--players");
  WRONG(part, "2/2", "--part");
  WRONG(part, "1", "--part");
  WRONG(part, "1/0", "--part");
  WRONG(chunk_rows, 100000, "--chunk-rows");
  o = defaults();
  o.layout = "alphago-48:colour";
  o.layout_options = "capture1,sensible";
  assert_ok(km_planes_settings_read(&s, &o, &test_err));
  assert_int_equal(s.variants, KM_VARIANT_COLOUR | KM_VARIANT_CAPTURE1 | KM_VARIANT_SENSIBLE);
}

/* The random symmetry of a row is its own, and all are used alike; a rectangle has four. */
static void symmetries(void **state) {
  (void)state;
  km_planes_settings s;
  km_planes_options o = defaults();
  uint32_t counts[KM_SYMMETRIES] = {0};
  o.symmetries = KM_SYMMETRIES_RANDOM;
  assert_ok(km_planes_settings_read(&s, &o, &test_err));
  for (uint32_t i = 0; i < 8000; i++) {
    uint8_t k = km_select_symmetry(&s, i / 100, i % 100, 0);
    assert_int_equal(k, km_select_symmetry(&s, i / 100, i % 100, 0));
    counts[k]++;
  }
  for (int k = 0; k < KM_SYMMETRIES; k++)
    assert_in_range(counts[k], 850, 1150);
  o.symmetries = KM_SYMMETRIES_ALL;
  o.board = "13x9";
  assert_ok(km_planes_settings_read(&s, &o, &test_err));
  assert_int_equal(s.rows_per_position, 4);
  static const uint8_t ways[] = {0, 2, 4, 5};
  for (unsigned way = 0; way < 4; way++)
    assert_int_equal(km_select_symmetry(&s, 1, 1, way), ways[way]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_rule),
      cmocka_unit_test(handicap_moves),
      cmocka_unit_test(samples),
      cmocka_unit_test(rules_compose),
      cmocka_unit_test(shares),
      cmocka_unit_test(splits_do_not_leak),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(symmetries),
  };
  return cmocka_run_group_tests_name("row select", tests, setup, teardown);
}
