/* test_features_golden.c: tests/golden/features.json (chains, eyes, ladders, the seven features of every
 * empty point for both players) and tests/golden/planes_text. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_game.h"
#include "kifumill/encoder.h"
#include "kifumill/features.h"

static void board_of(json_t *rows, km_board *board) {
  unsigned n = (unsigned)json_array_size(rows);
  km_board_init(board, n, n);
  for (uint16_t p = 0; p < n * n; ++p) {
    char stone = json_string_value(json_array_get(rows, p / n))[p % n];
    if (stone != '.')
      km_board_setup(board, stone == 'X' ? KM_BLACK : KM_WHITE, p);
  }
}

/* mark[p] = 1 for the points of a list of texts. */
static size_t mark_points(json_t *list, const km_board *board, uint8_t *mark) {
  memset(mark, 0, KM_POINT_MAX);
  for (size_t i = 0; i < json_array_size(list); ++i)
    mark[golden_point(json_string_value(json_array_get(list, i)), board->cols)] = 1;
  return json_array_size(list);
}

static void check_chains(json_t *chains, const km_board *board) {
  uint16_t sites[KM_POINT_MAX];
  uint8_t mark[KM_POINT_MAX];
  size_t n_stones = 0;
  for (size_t i = 0; i < json_array_size(chains); ++i) {
    json_t *chain = json_array_get(chains, i), *stones = json_object_get(chain, "stones");
    unsigned name =
        km_board_chain(board, golden_point(json_string_value(json_array_get(stones, 0)), board->cols));
    assert_int_equal(mark_points(stones, board, mark), km_chain_stones(board, name, sites));
    for (unsigned j = 0; j < km_chain_size(board, name); ++j)
      assert_true(mark[km_board_point(board, sites[j])]);
    size_t n = mark_points(json_object_get(chain, "liberties"), board, mark);
    assert_int_equal(n, km_chain_liberties(board, name));
    assert_int_equal(n, km_chain_liberty_sites(board, name, sites, KM_POINT_MAX));
    for (unsigned j = 0; j < n; ++j)
      assert_true(mark[km_board_point(board, sites[j])]);
    n_stones += json_array_size(stones);
  }
  for (unsigned p = 0; p < board->n_points; ++p)
    n_stones -= km_board_stone(board, p) != KM_EMPTY;
  assert_int_equal(n_stones, 0);
}

static void check_list(json_t *list, const km_board *board, const uint16_t *points, size_t n_points) {
  uint8_t mark[KM_POINT_MAX];
  assert_int_equal(mark_points(list, board, mark), n_points);
  for (size_t i = 0; i < n_points; ++i)
    assert_true(mark[points[i]]);
}

static void check_moves(json_t *expected, km_feature_reader *reader, const km_board *board, uint8_t me) {
  size_t n_empty = 0;
  const char *name;
  json_t *values;
  for (unsigned p = 0; p < board->n_points; ++p)
    n_empty += km_board_stone(board, p) == KM_EMPTY;
  assert_int_equal(json_object_size(expected), n_empty);
  json_object_foreach(expected, name, values) {
    km_move_features features;
    km_feature_reader_move(reader, me, golden_point(name, board->cols), &features);
    assert_int_equal(json_object_size(values), KM_MOVE_FEATURES);
    for (unsigned i = 0; i < KM_MOVE_FEATURES; ++i)
      if (km_move_feature_value(&features, i) !=
          json_integer_value(json_object_get(values, km_move_feature_name(i))))
        fail_msg("%s at %s for %d", km_move_feature_name(i), name, me);
  }
}

static void check_player(json_t *expected, km_feature_reader *reader, const km_board *board, uint8_t me) {
  uint16_t points[KM_POINT_MAX];
  uint8_t mark[KM_POINT_MAX], eye[KM_POINT_MAX];
  size_t n = km_feature_reader_ladder_captures(reader, me, points);
  check_list(json_object_get(expected, "ladder_capture"), board, points, n);
  n = km_feature_reader_ladder_escapes(reader, me, points);
  check_list(json_object_get(expected, "ladder_escape"), board, points, n);
  assert_int_equal(mark_points(json_object_get(expected, "true_eyes"), board, mark),
                   km_true_eyes(board, me, eye));
  assert_memory_equal(mark, eye, board->n_points);
  check_moves(json_object_get(expected, "features"), reader, board, me);
}

static void test_features(void **state) {
  (void)state;
  static km_board board;
  km_feature_reader *reader;
  const char *name;
  json_t *root = json_load_file("tests/golden/features.json", 0, NULL), *position;
  assert_int_equal(json_object_size(root), 23);
  assert_int_equal(km_feature_reader_new(&reader, 0, NULL), KM_OK);
  json_object_foreach(root, name, position) {
    board_of(json_object_get(position, "board"), &board);
    check_chains(json_object_get(position, "chains"), &board);
    km_feature_reader_set(reader, &board);
    check_player(json_object_get(position, "B"), reader, &board, KM_BLACK);
    check_player(json_object_get(position, "W"), reader, &board, KM_WHITE);
  }
  km_feature_reader_free(reader);
  json_decref(root);
}

/* ---- planes_text: GAME_tPLY_KEY.txt, GAME being the name of the game or its beginning ---- */

static const char *layout_of(const char *key) {
  static const char *const names[][2] = {{"agz", "alphago-zero"},
                                         {"seed", "black-white-literal"},
                                         {"seedr", "black-white"},
                                         {"planes48", "alphago-48"}};
  for (size_t i = 0; i < 4; ++i)
    if (strcmp(names[i][0], key) == 0)
      return names[i][1];
  fail_msg("no layout for %s", key);
  return NULL;
}

/* The golden game whose name begins so. */
static void load_by_prefix(golden_game *golden, const char *prefix) {
  char **names = golden_names();
  assert_non_null(names);
  size_t i = 0;
  while (names[i] != NULL && strncmp(names[i], prefix, strlen(prefix)) != 0)
    ++i;
  assert_non_null(names[i]);
  assert_int_equal(golden_load(golden, names[i]), 0);
  golden_names_free(names);
}

static void encode_position(const char *prefix, unsigned ply, const char *layout, uint8_t *row,
                            size_t *n_planes) {
  static km_replay replay;
  golden_game golden;
  km_plane_encoder *encoder;
  load_by_prefix(&golden, prefix);
  km_plane_options options = {.layout = km_layout_find(layout),
                              .rows = golden.game.rows,
                              .cols = golden.game.cols,
                              .symmetries = 1,
                              .packing = KM_PACK_BYTES};
  assert_int_equal(km_plane_encoder_new(&encoder, &options, NULL), KM_OK);
  km_replay_init(&replay, &golden.game, &(km_replay_options){0});
  km_plane_encoder_begin(encoder, &replay);
  while (replay.ply < ply) {
    assert_int_equal(km_replay_step(&replay), KM_OK);
    km_plane_encoder_follow(encoder, &replay);
  }
  km_plane_encoder_encode(encoder, &replay.board, km_game_to_play(&golden.game, ply), 0, row);
  *n_planes = km_plane_encoder_n_planes(encoder);
  km_plane_encoder_free(encoder);
  golden_clear(&golden);
}

/* Digits of the file in order are the bytes of the row, "plane I" lines and the digest line left out. */
static void compare_text(const char *path, const uint8_t *row, size_t n_planes) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char line[256];
  size_t next = 0, planes = 0;
  while (fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, "plane ", 6) == 0) {
      ++planes;
    } else if (planes > 0) {
      for (const char *c = line; *c == '0' || *c == '1'; ++c)
        assert_int_equal(*c - '0', row[next++]);
    }
  }
  assert_int_equal(planes, n_planes);
  assert_true(next > 0 && next % planes == 0);
  assert_int_equal(fclose(file), 0);
}

static void test_text(void **state) {
  (void)state;
  static uint8_t row[64 * KM_POINT_MAX];
  glob_t found;
  assert_int_equal(glob("tests/golden/planes_text/*.txt", 0, NULL, &found), 0);
  assert_int_equal(found.gl_pathc, 8);
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    char name[256];
    size_t n_planes;
    snprintf(name, sizeof name, "%s", strrchr(found.gl_pathv[i], '/') + 1);
    *strchr(name, '.') = '\0';
    char *key = strrchr(name, '_');
    *key++ = '\0';
    char *ply = strrchr(name, '_');
    *ply++ = '\0';
    encode_position(name, (unsigned)strtoul(ply + 1, NULL, 10), layout_of(key), row, &n_planes);
    compare_text(found.gl_pathv[i], row, n_planes);
  }
  globfree(&found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_features), cmocka_unit_test(test_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
