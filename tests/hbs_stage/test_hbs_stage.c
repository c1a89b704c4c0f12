/* test_hbs_stage.c: kifu-hbs end to end: every ply of the golden games, every variant, layers, boards that
 * are none, games that are cut between stretches, and what it says of bad input. */
#include "stage_fixture.h"

#include "hbs_stage.h"

#include "kifumill/hbs.h"
#include "kifumill/hbs_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static km_hbs_store *open_hbs(const char *path) {
  km_hbs_store *hbs;
  km_err err = {0};
  if (km_hbs_store_open(&hbs, path, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return hbs;
}

static km_games *open_games(const char *path) {
  km_games *games;
  km_err err = {0};
  if (km_games_open(&games, path, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return games;
}

static km_hbs_store_series series_of(km_hbs_store_cursor *cursor, uint64_t game, unsigned colour) {
  km_hbs_store_series series;
  km_err err = {0};
  if (km_hbs_store_game(cursor, &(km_hbs_store_what){game, colour, 1}, &series, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return series;
}

/* source "t07_ko.sgf" → tests/golden/games/t07_ko + suffix */
static void golden_path(char path[256], const km_games *games, uint64_t i, const char *suffix) {
  km_text entry = km_games_text(games, i, KM_TEXT_SOURCE);
  const char *end = entry.bytes + entry.n_bytes, *from = end;
  while (from > entry.bytes && from[-1] != '/')
    from--;
  snprintf(path, 256, "tests/golden/games/%.*s%s", (int)(end - from - 4), from, suffix);
}

static void golden_trajectories(void **state) {
  (void)state;
  km_hbs_options *o = stage_options(&km_hbs_stage, scratch("g.hbs.h5"), golden_games(), NULL);
  o->layers = 1;
  run_stage(&km_hbs_stage, o);
  km_games *games = open_games(golden_games());
  km_hbs_store *hbs = open_hbs(scratch("g.hbs.h5"));
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  const km_hbs_shape *shape = &km_hbs_store_schema(hbs)->shape;
  assert_int_equal(shape->n_limbs, 4);
  assert_int_equal(shape->n_layers, 26);
  uint64_t n_values = 0;
  for (uint64_t i = 0; i < km_games_count(games); i++) {
    char path[256], text[KM_HBS_DECIMAL_MAX];
    golden_path(path, games, i, ".json");
    json_t *json = read_json(path), *s = json_object_get(json, "S"),
           *sides = json_object_get(json, "layer_sizes");
    km_hbs_store_series series = series_of(cursor, i, 0);
    assert_int_equal(series.n, json_array_size(s));
    for (uint64_t t = 0; t < series.n; t++, n_values++)
      assert_string_equal(km_hbs_decimal(text, series.s + 4 * t, 4), json_string_value(json_array_get(s, t)));
    golden_path(path, games, i, ".csv");
    size_t n_bytes;
    char *csv = read_bytes(path, &n_bytes), *rest = csv, *line = strsep(&rest, "\n");
    for (uint64_t t = 0; t < series.n && (line = strsep(&rest, "\n")) && *line; t++) {
      for (int field = 0; field < 4; field++)
        strsep(&line, ",");
      assert_float_equal(series.log2[t], strtod(strsep(&line, ","), NULL), 1e-11);
      for (size_t k = 0; k < 26; k++) {
        const char *expected = k < json_array_size(sides) ? strsep(&line, ",") : "0";
        assert_string_equal(km_hbs_decimal(text, series.layers + (26 * t + k) * 4, 4), expected);
      }
    }
    free(csv);
    json_decref(json);
  }
  assert_true(n_values > 5000);
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  km_games_close(games);
  free(o);
}

/* The final boards of the golden games under other variants, from their stones. */
static void golden_variants(void **state) {
  static const char *const names[] = {"fixed-asc-edge", "both", "canon-white-centre15"};
  (void)state;
  km_games *games = open_games(golden_games());
  for (size_t v = 0; v < sizeof names / sizeof *names; v++) {
    km_hbs_variant variant, single[2];
    km_hbs_options *o = stage_options(&km_hbs_stage, scratch("v.hbs.h5"), golden_games(), NULL);
    o->variant = names[v];
    o->align = KM_ALIGN_MOVE;
    run_stage(&km_hbs_stage, o);
    km_hbs_store *hbs = open_hbs(scratch("v.hbs.h5"));
    km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
    assert_int_equal(km_hbs_variant_parse(&variant, names[v], NULL), KM_OK);
    unsigned n_series = km_hbs_variant_split(variant, single);
    assert_int_equal(km_hbs_store_schema(hbs)->shape.n_colours, n_series);
    for (uint64_t i = 0; i < km_games_count(games); i++) {
      char path[256];
      golden_path(path, games, i, ".json");
      json_t *json = read_json(path), *rows = json_object_get(json, "final_board");
      unsigned n = (unsigned)json_array_size(rows);
      uint8_t stones[KM_POINT_MAX];
      for (unsigned p = 0; p < n * n; p++) {
        char c = json_string_value(json_array_get(rows, p / n))[p % n];
        stones[p] = c == 'X' ? KM_BLACK : c == 'O' ? KM_WHITE : KM_EMPTY;
      }
      for (unsigned c = 0; c < n_series; c++) {
        km_hbs_value expected;
        km_hbs_store_series series = series_of(cursor, i, c);
        assert_int_equal(km_hbs_of_board(&expected, NULL, stones, n, single[c], NULL), KM_OK);
        assert_memory_equal(series.s + 4 * (series.n - 1), expected.limb, sizeof expected.limb);
      }
      json_decref(json);
    }
    km_hbs_store_cursor_free(cursor);
    km_hbs_store_close(hbs);
    free(o);
  }
  km_games_close(games);
}

/* Rectangles have no positions; a game of more positions than a stretch has all of them; no game at all is a
 * file too. */
static void odd_games(void **state) {
  (void)state;
  enum { LONG = 70000 };
  const made_game games[] = {{.rows = 9, .cols = 9, .n_moves = 3, .winner = 1},
                             {.rows = 9, .cols = 13, .n_moves = 5, .winner = 1},
                             {.rows = 19, .cols = 19, .n_moves = LONG, .winner = -1},
                             {.rows = 1, .cols = 1, .n_moves = 2, .winner = 0},
                             {.rows = 9, .cols = 9, .n_moves = 0, .winner = KM_WINNER_UNKNOWN}};
  km_hbs_options *o =
      stage_options(&km_hbs_stage, scratch("odd.hbs.h5"), made_games("odd.h5", games, 5), NULL);
  o->layers = 1;
  o->run.threads = 3;
  km_stage_outcome outcome = run_stage(&km_hbs_stage, o);
  assert_int_equal(outcome.n_games, 4);
  assert_int_equal(outcome.n_positions, 4 + LONG + 1 + 3 + 1);
  km_hbs_store *hbs = open_hbs(scratch("odd.hbs.h5"));
  const uint64_t *offsets = km_hbs_store_offsets(hbs);
  const uint64_t expected[] = {0, 4, 4, 4 + LONG + 1, 4 + LONG + 4, 4 + LONG + 5};
  assert_memory_equal(offsets, expected, sizeof expected);
  km_hbs_store_close(hbs);
  json_t *json = read_json(scratch("odd.hbs.summary.json")),
         *board = json_array_get(json_object_get(json, "boards"), 0);
  assert_int_equal(json_integer_value(json_object_get(json, "games_rectangular")), 1);
  assert_int_equal(json_integer_value(json_object_get(board, "size")), 19);
  assert_int_equal(json_integer_value(json_object_get(board, "games_too_long")), 1);
  json_decref(json);
  o->run.inputs = (const char *const[]){made_games("none.h5", games, 0)};
  assert_int_equal(run_stage(&km_hbs_stage, o).n_positions, 0);
  hbs = open_hbs(scratch("odd.hbs.h5"));
  assert_int_equal(km_hbs_store_n_games(hbs), 0);
  km_hbs_store_close(hbs);
  free(o);
}

/* A long game of stones, so that the part of it in the second stretch depends on the first. */
static void game_across_stretches(void **state) {
  (void)state;
  enum { MOVES = 40000 }; /* with --layers a stretch of 19×19 is 4 · 4096 rows */
  km_move *moves = calloc(MOVES, sizeof *moves);
  for (uint32_t t = 0; t < MOVES; t++) { /* stones, then passes, then stones */
    uint32_t stone = t < 100 ? t : t - (MOVES - 200);
    moves[t] = (km_move){(uint16_t)(t < 100 || t >= MOVES - 100 ? stone * 3 % 361 : 361),
                         t % 2 ? KM_WHITE : KM_BLACK, 0};
  }
  const made_game game = {.rows = 19, .cols = 19, .n_moves = MOVES, .winner = 1, .moves = moves};
  km_hbs_options *o =
      stage_options(&km_hbs_stage, scratch("cut.hbs.h5"), made_games("cut.h5", &game, 1), NULL);
  run_stage(&km_hbs_stage, o);
  o->layers = 1;
  o->run.output = scratch("layers.hbs.h5");
  run_stage(&km_hbs_stage, o);
  km_hbs_store *plain = open_hbs(scratch("cut.hbs.h5")), *layered = open_hbs(scratch("layers.hbs.h5"));
  km_hbs_store_cursor *a = km_hbs_store_cursor_new(plain), *b = km_hbs_store_cursor_new(layered);
  km_hbs_store_series left = series_of(a, 0, 0), right = series_of(b, 0, 0);
  assert_int_equal(left.n, MOVES + 1);
  assert_memory_equal(left.s, right.s, left.n * 2 * sizeof *left.s);
  assert_memory_equal(left.log2, right.log2, left.n * sizeof *left.log2);
  for (uint64_t t = 0; t < right.n; t++) { /* the layers add up to S */
    unsigned __int128 sum = 0, s = (unsigned __int128)right.s[2 * t + 1] << 64 | right.s[2 * t];
    for (size_t k = 0; k < 9; k++)
      sum += (unsigned __int128)right.layers[(9 * t + k) * 2 + 1] << 64 | right.layers[(9 * t + k) * 2];
    assert_true(sum == s);
  }
  assert_true(left.s[2 * 200] != left.s[2 * (left.n - 1)]);
  km_hbs_store_cursor_free(a);
  km_hbs_store_cursor_free(b);
  km_hbs_store_close(plain);
  km_hbs_store_close(layered);
  free(moves);
  free(o);
}

static void bad_input(void **state) {
  (void)state;
  size_t n_bytes;
  char *bytes = read_bytes(bundled_games(), &n_bytes);
  write_bytes(scratch("text"), "(;GM[1])", 8);
  write_bytes(scratch("cut"), bytes, n_bytes / 2);
  bytes[n_bytes - 9] ^= 1;
  write_bytes(scratch("altered"), bytes, n_bytes);
  free(bytes);
  const struct {
    const char *input, *variant, *by, *codec, *text;
    km_status status;
  } cases[] = {
      {scratch("nothing"), NULL, NULL, NULL, "No such file", KM_ERR_IO},
      {scratch("text"), NULL, NULL, NULL, "text", KM_ERR_FORMAT},
      {scratch("cut"), NULL, NULL, NULL, "cut", KM_ERR_FORMAT},
      {bundled_games(), "sideways", NULL, NULL, "sideways", KM_ERR_USAGE},
      {bundled_games(), NULL, "rank,shoe", NULL, "shoe", KM_ERR_USAGE},
      {bundled_games(), NULL, NULL, "rar", "rar", KM_ERR_USAGE},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    km_hbs_options *o = stage_options(&km_hbs_stage, scratch("bad.hbs.h5"), cases[i].input, NULL);
    o->variant = cases[i].variant ? cases[i].variant : o->variant;
    o->by = cases[i].by;
    o->codec = cases[i].codec ? cases[i].codec : o->codec;
    run_stage_fails(&km_hbs_stage, o, cases[i].status, cases[i].text);
    free(o);
  }
}

static void bad_output(void **state) {
  (void)state;
  km_hbs_options *o = stage_options(&km_hbs_stage, scratch("there.h5"), bundled_games(), NULL);
  o->run.force = 0;
  write_bytes(scratch("there.h5"), "x", 1);
  run_stage_fails(&km_hbs_stage, o, KM_ERR_STATE, "--force");
  unlink(scratch("there.h5"));
  write_bytes(scratch("there.summary.json"), "x", 1);
  run_stage_fails(&km_hbs_stage, o, KM_ERR_STATE, "there.summary.json exists");
  o->run.force = 1;
  o->run.output = scratch("no/folder/hbs.h5");
  run_stage_fails(&km_hbs_stage, o, KM_ERR_IO, "no/folder");
  o->run.output = scratch("hbs.h5");
  o->run.inputs = (const char *const[]){scratch("g.hbs.h5")};
  run_stage_fails(&km_hbs_stage, o, KM_ERR_FORMAT, "kifumill hbs"); /* an output of its own */
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_trajectories), cmocka_unit_test(golden_variants),
      cmocka_unit_test(odd_games),           cmocka_unit_test(game_across_stretches),
      cmocka_unit_test(bad_input),           cmocka_unit_test(bad_output),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
