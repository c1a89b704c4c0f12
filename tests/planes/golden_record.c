/* golden_record.c: see golden_record.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "golden_record.h"

static unsigned letter(char c) { return c >= 'a' ? (unsigned)(c - 'a') : (unsigned)(c - 'A') + 26; }

uint16_t golden_point(const char *text, unsigned rows, unsigned cols) {
  if (strcmp(text, "pass") == 0)
    return (uint16_t)(rows * cols);
  return (uint16_t)(letter(text[1]) * cols + letter(text[0]));
}

json_t *golden_record_at(const golden_record *record, unsigned ply) {
  char key[16];
  snprintf(key, sizeof key, "%u", ply);
  return json_object_get(record->selected, key);
}

static uint8_t colour_of(const char *text) { return text[0] == 'B' ? KM_BLACK : KM_WHITE; }

static void load_moves(golden_record *record) {
  json_t *moves = json_object_get(record->json, "moves");
  km_game *game = &record->game;
  game->n_moves = (uint32_t)json_integer_value(json_object_get(record->json, "T"));
  game->moves = calloc(game->n_moves + 1, sizeof *game->moves);
  assert_non_null(game->moves);
  for (size_t i = 0; i < game->n_moves; ++i) {
    json_t *move = json_array_get(moves, i);
    game->moves[i].colour = colour_of(json_string_value(json_array_get(move, 0)));
    game->moves[i].point = golden_point(json_string_value(json_array_get(move, 1)), game->rows, game->cols);
  }
}

static int8_t winner_of(const char *result) {
  if (result == NULL)
    return KM_WINNER_UNKNOWN;
  if (strncmp(result, "B+", 2) == 0)
    return KM_WINNER_BLACK;
  if (strncmp(result, "W+", 2) == 0)
    return KM_WINNER_WHITE;
  int draw = strcmp(result, "0") == 0 || strcmp(result, "Draw") == 0 || strcmp(result, "Jigo") == 0;
  return draw ? KM_WINNER_DRAW : KM_WINNER_UNKNOWN;
}

/* Adds set-up for every point where the replay differs from the board that the JSON file shows. */
static void load_setup(golden_record *record, unsigned ply) {
  json_t *rows = json_object_get(golden_record_at(record, ply), "board");
  km_game *game = &record->game;
  for (uint16_t p = 0; rows != NULL && p < game->rows * game->cols; ++p) {
    char stone = json_string_value(json_array_get(rows, p / game->cols))[p % game->cols];
    uint8_t colour = stone == 'X' ? KM_BLACK : stone == 'O' ? KM_WHITE : KM_EMPTY;
    if (colour != km_board_stone(&record->replay.board, p))
      game->setup[game->n_setup++] = (km_setup){ply, p, colour};
  }
}

void golden_record_load(golden_record *record, const char *path) {
  memset(record, 0, sizeof *record);
  json_error_t error;
  record->json = json_load_file(path, 0, &error);
  assert_non_null(record->json);
  record->selected = json_object_get(record->json, "selected");
  km_game *game = &record->game;
  game->rows = game->cols = (uint8_t)json_integer_value(json_object_get(record->json, "n"));
  game->winner = winner_of(json_string_value(json_object_get(json_object_get(record->json, "info"), "RE")));
  game->final_to_play = colour_of(json_string_value(json_object_get(record->json, "final_to_play")));
  load_moves(record);
  game->setup = calloc(2 * KM_POINT_MAX, sizeof *game->setup);
  assert_non_null(game->setup);
  const km_replay_options options = {0};
  for (unsigned ply = 0; ply <= game->n_moves; ++ply) {
    unsigned before = game->n_setup;
    km_replay_init(&record->replay, game, &options);
    while (record->replay.ply < ply)
      assert_int_equal(km_replay_step(&record->replay), KM_OK);
    load_setup(record, ply);
    assert_true(game->n_setup == before || ply == 0 ||
                json_is_true(json_object_get(record->json, "midgame_setup")));
  }
}

void golden_record_clear(golden_record *record) {
  free(record->game.moves);
  free(record->game.setup);
  json_decref(record->json);
}

size_t golden_record_each(void (*visit)(const char *path)) {
  glob_t found;
  assert_int_equal(glob("tests/golden/games/*.json", 0, NULL, &found), 0);
  size_t n = found.gl_pathc;
  for (size_t i = 0; i < n; ++i)
    visit(found.gl_pathv[i]);
  globfree(&found);
  return n;
}
