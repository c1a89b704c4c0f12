/* test_hbs_trajectory.c: every golden game replayed: S of every ply, layers and logarithms of its CSV, all
 * named variants at the selected plies, all 48 variants against the definition; set-up within a game,
 * suicide, two colours at once. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hbs_support.h"
#include "kifumill/hbs_trajectory.h"

enum { MOVES_MAX = 1000 };

/* A golden game with the room it needs. */
typedef struct golden_record {
  json_t *json;
  km_game game;
  km_move moves[MOVES_MAX];
  km_setup setup[KM_POINT_MAX];
  char name[64];
} golden_record;

static uint16_t point_of(const char *text, unsigned n) {
  if (strcmp(text, "pass") == 0)
    return (uint16_t)(n * n);
  unsigned col = (unsigned)(text[0] >= 'a' ? text[0] - 'a' : text[0] - 'A' + 26);
  unsigned row = (unsigned)(text[1] >= 'a' ? text[1] - 'a' : text[1] - 'A' + 26);
  return (uint16_t)(row * n + col);
}

/* The root's stones are the board of selected["0"]. */
static void set_up_root(golden_record *record) {
  uint8_t stones[KM_POINT_MAX];
  const json_t *root = json_object_get(json_object_get(record->json, "selected"), "0");
  unsigned n = stones_of(stones, json_object_get(root, "board"));
  for (unsigned p = 0; p < n * n; p++)
    if (stones[p] != KM_EMPTY)
      record->setup[record->game.n_setup++] = (km_setup){0, (uint16_t)p, stones[p]};
}

/* t22_midgame_setup: AE[cc]AB[dd][ff] after the second move. */
static void set_up_midgame(golden_record *record) {
  static const km_setup setup[] = {
      {2, 2 * 9 + 2, KM_EMPTY}, {2, 3 * 9 + 3, KM_BLACK}, {2, 5 * 9 + 5, KM_BLACK}};
  assert_string_equal(record->name, "t22_midgame_setup");
  memcpy(record->setup + record->game.n_setup, setup, sizeof setup);
  record->game.n_setup += 3;
}

static void open_record(golden_record *record, const char *path) {
  const char *file = strrchr(path, '/') + 1;
  char name[80];
  snprintf(record->name, sizeof record->name, "%.*s", (int)strcspn(file, "."), file);
  snprintf(name, sizeof name, "games/%s.json", record->name);
  record->json = golden(name);
  unsigned n = (unsigned)json_integer_value(json_object_get(record->json, "n"));
  const json_t *moves = json_object_get(record->json, "moves");
  record->game =
      (km_game){.rows = (uint8_t)n, .cols = (uint8_t)n, .moves = record->moves, .setup = record->setup};
  record->game.n_moves = (uint32_t)json_array_size(moves);
  assert_true(record->game.n_moves <= MOVES_MAX);
  for (uint32_t t = 0; t < record->game.n_moves; t++) {
    const json_t *move = json_array_get(moves, t);
    const char *colour = json_string_value(json_array_get(move, 0));
    record->moves[t] = (km_move){point_of(json_string_value(json_array_get(move, 1)), n),
                                 *colour == 'B' ? KM_BLACK : KM_WHITE, 0};
  }
  set_up_root(record);
  if (json_is_true(json_object_get(record->json, "midgame_setup")))
    set_up_midgame(record);
}

/* Runs check on every golden game. */
static void for_each_record(void (*check)(golden_record *record)) {
  static golden_record record;
  glob_t found;
  assert_int_equal(glob("tests/golden/games/*.json", 0, NULL, &found), 0);
  assert_true(found.gl_pathc > 50);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    open_record(&record, found.gl_pathv[i]);
    check(&record);
    json_decref(record.json);
  }
  globfree(&found);
}

static uint64_t s_buffer[2][(MOVES_MAX + 1) * KM_HBS_LIMBS_MAX];
static uint64_t layer_buffer[2][(MOVES_MAX + 1) * (KM_HBS_RINGS_MAX + 1) * KM_HBS_LIMBS_MAX];
static const km_hbs_series buffers[2] = {{s_buffer[0], layer_buffer[0]}, {s_buffer[1], layer_buffer[1]}};
static km_hbs_geometry geometry;
static km_replay replay;

/* The game's S and L of a variant in s_buffer[0] and layer_buffer[0]. */
static void run(const golden_record *record, km_hbs_variant variant) {
  const km_replay_options strict = {0};
  km_hbs hbs;
  assert_int_equal(km_hbs_geometry_init(&geometry, record->game.rows, record->game.cols, variant, NULL),
                   KM_OK);
  km_hbs_init(&hbs, &geometry);
  km_replay_init(&replay, &record->game, &strict);
  assert_int_equal(km_hbs_trajectory(&replay, &hbs, buffers, 1), KM_END);
  assert_int_equal(replay.ply, record->game.n_moves);
}

static void assert_text(const uint64_t *limbs, const char *expected) {
  char text[KM_HBS_DECIMAL_MAX];
  assert_string_equal(km_hbs_decimal(text, limbs, geometry.n_limbs), expected);
}

/* A row of the CSV: move,color,point,S,log2_1pS,L…; all of it but the move is computed here. */
static void check_row(char *line, uint32_t t) {
  char *field[5 + KM_HBS_RINGS_MAX] = {NULL}, *rest = line;
  unsigned n_fields = 0;
  line[strcspn(line, "\r\n")] = '\0';
  while (rest != NULL && n_fields < 5u + geometry.n_layers)
    field[n_fields++] = strsep(&rest, ",");
  assert_int_equal(n_fields, 5 + geometry.n_layers);
  const uint64_t *s = s_buffer[0] + t * geometry.n_limbs;
  assert_int_equal(strtoul(field[0], NULL, 10), t);
  assert_text(s, field[3]);
  assert_true(km_hbs_log2(s, geometry.n_limbs) == strtod(field[4], NULL));
  for (unsigned k = 0; k < geometry.n_layers; k++)
    assert_text(layer_buffer[0] + (t * geometry.n_layers + k) * geometry.n_limbs, field[5 + k]);
}

static void check_plies(golden_record *record) {
  char path[128], line[4096];
  run(record, (km_hbs_variant){0});
  const json_t *all = json_object_get(record->json, "S");
  assert_int_equal(json_array_size(all), record->game.n_moves + 1);
  for (uint32_t t = 0; t <= record->game.n_moves; t++)
    assert_text(s_buffer[0] + t * geometry.n_limbs, json_string_value(json_array_get(all, t)));
  snprintf(path, sizeof path, "tests/golden/games/%s.csv", record->name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(line, sizeof line, file)); /* names of the columns */
  for (uint32_t t = 0; t <= record->game.n_moves; t++) {
    assert_non_null(fgets(line, sizeof line, file));
    check_row(line, t);
  }
  fclose(file);
}

static void every_ply(void **state) {
  (void)state;
  for_each_record(check_plies);
}

static void check_variants(golden_record *record) {
  const json_t *selected = json_object_get(record->json, "selected");
  const char *name, *ply;
  json_t *position, *ignored;
  json_object_foreach(json_object_get(json_object_get(selected, "0"), "variants"), name, ignored) {
    km_hbs_variant variant;
    assert_int_equal(km_hbs_variant_parse(&variant, name, NULL), KM_OK);
    run(record, variant);
    json_object_foreach((json_t *)selected, ply, position) {
      const json_t *values = json_object_get(position, "variants");
      assert_text(s_buffer[0] + strtoul(ply, NULL, 10) * geometry.n_limbs,
                  json_string_value(json_object_get(values, name)));
    }
  }
}

static void named_variants(void **state) {
  (void)state;
  for_each_record(check_variants);
}

/* All 48 variants at the selected plies, S and every L, from scratch. */
static void check_against_definition(golden_record *record) {
  const char *ply;
  json_t *position;
  for (unsigned i = 0; i < N_VARIANTS; i++) {
    run(record, variant_number(i));
    json_object_foreach(json_object_get(record->json, "selected"), ply, position) {
      uint8_t stones[KM_POINT_MAX];
      km_hbs_value layer[KM_HBS_RINGS_MAX + 1], got = {{0}};
      unsigned n = stones_of(stones, json_object_get(position, "board"));
      size_t t = strtoul(ply, NULL, 10), width = geometry.n_limbs * sizeof(uint64_t);
      km_hbs_value s = reference(layer, stones, n, variant_number(i));
      memcpy(got.limb, s_buffer[0] + t * geometry.n_limbs, width);
      assert_value(got, s);
      for (unsigned k = 0; k < geometry.n_layers; k++) {
        memcpy(got.limb, layer_buffer[0] + (t * geometry.n_layers + k) * geometry.n_limbs, width);
        assert_value(got, layer[k]);
      }
    }
  }
}

static void all_variants(void **state) {
  (void)state;
  for_each_record(check_against_definition);
}

/* Two trackers in one replay record what each would alone. */
static void check_both(golden_record *record) {
  static km_hbs_geometry white;
  const km_hbs_variant variant = {.colour = KM_HBS_BOTH, .centre = KM_HBS_CENTRE15};
  const km_replay_options strict = {0};
  km_hbs_variant single[2];
  km_hbs hbs[2];
  unsigned n = record->game.rows;
  assert_int_equal(km_hbs_variant_split(variant, single), 2);
  assert_int_equal(km_hbs_geometry_init(&geometry, n, n, single[0], NULL), KM_OK);
  assert_int_equal(km_hbs_geometry_init(&white, n, n, single[1], NULL), KM_OK);
  km_hbs_init(&hbs[0], &geometry);
  km_hbs_init(&hbs[1], &white);
  km_replay_init(&replay, &record->game, &strict);
  assert_int_equal(km_hbs_trajectory(&replay, hbs, buffers, 2), KM_END);
  size_t bytes = (record->game.n_moves + 1) * geometry.n_limbs * sizeof(uint64_t);
  uint64_t *of_white = malloc(bytes), *of_black = malloc(bytes);
  assert_non_null(of_white);
  assert_non_null(of_black);
  memcpy(of_black, s_buffer[0], bytes);
  memcpy(of_white, s_buffer[1], bytes);
  run(record, single[0]);
  assert_memory_equal(s_buffer[0], of_black, bytes);
  run(record, single[1]);
  assert_memory_equal(s_buffer[0], of_white, bytes);
  free(of_white);
  free(of_black);
}

static void both_colours(void **state) {
  (void)state;
  for_each_record(check_both);
}

/* After every step of a replay that carries out anything (suicides, overwritten stones), the tracker agrees
 * with the stones on the board. */
static void anything_goes(void **state) {
  (void)state;
  enum { SIDE = 4, N_MOVES = 400, SEED = 11 };
  static km_move moves[N_MOVES];
  static const km_setup setup[] = {
      {0, 5, KM_WHITE}, {100, 3, KM_BLACK}, {100, 5, KM_EMPTY}, {250, 9, KM_WHITE}};
  print_message("seed %d\n", SEED);
  for (uint32_t t = 0; t < N_MOVES; t++) {
    uint64_t bits = km_mix64(SEED + t);
    moves[t] = (km_move){(uint16_t)(bits % (SIDE * SIDE + 1)), (uint8_t)(1 + (bits >> 32) % 2), 0};
  }
  const km_game game = {.rows = SIDE,
                        .cols = SIDE,
                        .n_moves = N_MOVES,
                        .moves = moves,
                        .n_setup = 4,
                        .setup = (km_setup *)setup};
  const km_replay_options anything = {.mode = KM_REPLAY_SGF, .allow_suicide = 1};
  for (unsigned i = 0; i < N_VARIANTS; i++) {
    km_hbs hbs;
    assert_int_equal(km_hbs_geometry_init(&geometry, SIDE, SIDE, variant_number(i), NULL), KM_OK);
    km_hbs_init(&hbs, &geometry);
    km_replay_init(&replay, &game, &anything);
    km_hbs_load(&hbs, &replay.board);
    while (km_replay_step(&replay) == KM_OK) {
      uint8_t stones[SIDE * SIDE];
      for (unsigned p = 0; p < SIDE * SIDE; p++)
        stones[p] = km_board_stone(&replay.board, p);
      km_hbs_follow(&hbs, &replay);
      assert_value(km_hbs_s(&hbs), reference(NULL, stones, SIDE, variant_number(i)));
    }
    assert_int_equal(replay.ply, N_MOVES);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_ply),    cmocka_unit_test(named_variants), cmocka_unit_test(all_variants),
      cmocka_unit_test(both_colours), cmocka_unit_test(anything_goes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
