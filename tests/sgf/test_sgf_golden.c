/* test_sgf_golden.c: the golden games, read: moves, set-up, size and information as their .json says. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "sgf_describe.h"

static const char *string_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_string(value) ? json_string_value(value) : NULL;
}

static void check_text(const km_game *game, km_text_field field, const json_t *info, const char *key) {
  const char *expected = string_of(info, key);
  const km_text *found = &game->text[field];
  if (!expected) {
    assert_null(found->bytes);
    return;
  }
  assert_int_equal(found->n_bytes, strlen(expected));
  assert_memory_equal(found->bytes, expected, found->n_bytes);
}

/* The golden position 0 against the root's set-up, wherever the json has it. */
static void check_setup(const km_game *game, const json_t *root) {
  const json_t *rows = json_object_get(json_object_get(json_object_get(root, "selected"), "0"), "board");
  char board[KM_POINT_MAX];
  memset(board, '.', sizeof board);
  for (uint32_t i = 0; i < game->n_setup && game->setup[i].ply == 0; i++)
    board[game->setup[i].point] = ".XO"[game->setup[i].colour];
  for (size_t row = 0; row < json_array_size(rows); row++) {
    const char *expected = json_string_value(json_array_get(rows, row));
    for (size_t col = 0; col < game->cols; col++) {
      char c = expected[col];
      assert_int_equal(board[row * game->cols + col], c == 'X' || c == 'B'   ? 'X'
                                                      : c == 'O' || c == 'W' ? 'O'
                                                                             : '.');
    }
  }
}

static void check_game(const km_sgf_record *record, const json_t *root) {
  const km_game *game = &record->game;
  const json_t *moves = json_object_get(root, "moves"), *info = json_object_get(root, "info");
  int n = (int)json_integer_value(json_object_get(root, "n"));
  assert_int_equal(game->rows, n);
  assert_int_equal(game->cols, n);
  /* T counts the moves carried out: the moves read are at least as many */
  assert_true(game->n_moves >= json_array_size(moves));
  for (size_t i = 0; i < json_array_size(moves); i++) {
    const json_t *move = json_array_get(moves, i);
    const char *colour = json_string_value(json_array_get(move, 0)),
               *point = json_string_value(json_array_get(move, 1));
    char text[3];
    km_point_sgf(game->moves[i].point, game->rows, game->cols, text);
    assert_int_equal(game->moves[i].colour, *colour == 'B' ? KM_BLACK : KM_WHITE);
    if (game->moves[i].point == km_game_pass(game))
      assert_true(!point || !*point || strcmp(point, "tt") == 0 || strcmp(point, "pass") == 0);
    else if (game->moves[i].point != KM_POINT_OFFBOARD)
      assert_string_equal(text, point);
  }
  const char *to_play = string_of(root, "final_to_play");
  if (json_is_null(json_object_get(root, "illegal")) && to_play)
    assert_int_equal(game->final_to_play, *to_play == 'B' ? KM_BLACK : KM_WHITE);
  int midgame = json_is_true(json_object_get(root, "midgame_setup"));
  assert_int_equal((game->flags & KM_FLAG_MIDGAME_SETUP) != 0, midgame);
  check_text(game, KM_TEXT_RESULT, info, "RE");
  check_text(game, KM_TEXT_KOMI, info, "KM");
  check_text(game, KM_TEXT_HANDICAP, info, "HA");
  check_setup(game, root);
}

static void test_golden(void **state) {
  (void)state;
  glob_t files;
  assert_int_equal(glob("tests/golden/games/*.sgf", 0, NULL, &files), 0);
  assert_true(files.gl_pathc >= 50);
  for (size_t i = 0; i < files.gl_pathc; i++) {
    char json_path[512];
    const char *path = files.gl_pathv[i];
    snprintf(json_path, sizeof json_path, "%.*sjson", (int)strlen(path) - 3, path);
    json_t *root = json_load_file(json_path, 0, NULL);
    assert_non_null(root);
    size_t n;
    char *bytes = sgf_read_file(path, &n);
    km_arena arena;
    km_sgf_reader *reader;
    km_sgf_record record;
    km_arena_init(&arena);
    assert_int_equal(km_sgf_open(&reader, bytes, n, NULL, &arena, NULL), KM_OK);
    assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
    check_game(&record, root);
    km_arena_clear(&arena);
    free(bytes);
    json_decref(root);
  }
  globfree(&files);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_golden)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
