/* test_replay_golden.c: all golden games: positions, classes, captures, ko, legal points of both colours, superko of
 * both kinds, FF[4] execution. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden_game.h"
#include "kifumill/replay.h"

static uint8_t colour_of(const char *text) { return *text == 'B' ? KM_BLACK : KM_WHITE; }

static void assert_board(const km_board *board, const json_t *lines) {
  static const char letters[] = ".XO";
  for (unsigned row = 0; row < board->rows; row++) {
    const char *line = json_string_value(json_array_get(lines, row));
    for (unsigned col = 0; col < board->cols; col++)
      assert_int_equal(letters[km_board_stone(board, row * board->cols + col)], line[col]);
  }
}

/* The points of an array of SGF texts, in order, end with 0xffff. */
static void assert_points(const uint16_t *points, size_t n, const json_t *texts, unsigned side) {
  assert_int_equal(n, json_array_size(texts));
  for (size_t i = 0; i < n; i++)
    assert_int_equal(points[i], golden_point(json_string_value(json_array_get(texts, i)), side));
}

/* Legal points of one colour, and those of them that superko bans. */
static void assert_legal(const km_replay *replay, const json_t *position, const char *colour_name) {
  const km_board *board = &replay->board;
  uint8_t colour = colour_of(colour_name);
  uint16_t legal[KM_POINT_MAX], banned[KM_POINT_MAX];
  size_t n_legal = 0, n_banned = 0;
  for (uint16_t p = 0; p < board->n_points; p++) {
    if (km_board_classify(board, colour, p) != KM_PLAY_LEGAL)
      continue;
    legal[n_legal++] = p;
    km_hash128 after = km_board_hash_after(board, colour, p);
    if (km_superko_find(replay->options.superko, after, km_opponent(colour)))
      banned[n_banned++] = p;
  }
  assert_points(legal, n_legal, json_object_get(json_object_get(position, "legal"), colour_name), board->cols);
  assert_points(banned, n_banned, json_object_get(json_object_get(position, "psk_banned"), colour_name), board->cols);
}

/* Compares position replay->ply if the file has it; returns 1 if it has. */
static int assert_position(const km_replay *replay, const json_t *json) {
  char number[16];
  snprintf(number, sizeof number, "%u", replay->ply);
  const json_t *position = json_object_get(json_object_get(json, "selected"), number);
  if (!position)
    return 0;
  assert_board(&replay->board, json_object_get(position, "board"));
  uint8_t colour;
  uint16_t ko = km_board_ko(&replay->board, &colour);
  const json_t *want = json_object_get(position, "ko");
  if (json_is_null(want)) {
    assert_int_equal(ko, KM_POINT_OFFBOARD);
  } else {
    assert_int_equal(ko, golden_point(json_string_value(json_array_get(want, 0)), replay->board.cols));
    assert_int_equal(colour, colour_of(json_string_value(json_array_get(want, 1))));
  }
  if (json_object_get(position, "legal")) { /* left out on 52×52 */
    assert_legal(replay, position, "B");
    assert_legal(replay, position, "W");
  }
  if (replay->ply < json_integer_value(json_object_get(json, "T")))
    assert_int_equal(km_game_to_play(replay->game, replay->ply),
                     colour_of(json_string_value(json_object_get(position, "to_play"))));
  return 1;
}

/* What the last step did: class and stones taken. */
static void assert_step(const km_replay *replay, const json_t *json) {
  size_t i = replay->ply - 1;
  const char *play_class = json_string_value(json_array_get(json_object_get(json, "classes"), i));
  assert_string_equal(km_play_class_name(replay->play_class), play_class);
  const json_t *taken = json_array_get(json_object_get(json, "captured_suicided"), i);
  if (replay->setup_begin == replay->setup_end)
    assert_int_equal(replay->board.n_captured, json_integer_value(json_array_get(taken, 0)) +
                                                   json_integer_value(json_array_get(taken, 1)));
  const json_t *move = json_array_get(json_object_get(json, "moves"), i);
  const km_move *played = &replay->game->moves[i];
  assert_int_equal(played->colour, colour_of(json_string_value(json_array_get(move, 0))));
  assert_int_equal(played->point, golden_point(json_string_value(json_array_get(move, 1)), replay->board.cols));
}

/* The number of this move is, or is not, in a list, as repeats says; the list is in ascending order. */
static void assert_listed(const json_t *list, size_t *n_seen, uint32_t number, int repeats) {
  if (repeats)
    assert_int_equal(json_integer_value(json_array_get(list, (*n_seen)++)), number);
}

static void assert_illegal(const km_replay *replay, km_status status, const json_t *want) {
  if (json_is_null(want)) {
    assert_int_equal(status, KM_END);
    return;
  }
  assert_int_equal(status, KM_SKIP);
  assert_int_equal(replay->ply + 1, json_integer_value(json_array_get(want, 0)));
  assert_string_equal(km_play_class_name(replay->play_class), json_string_value(json_array_get(want, 1)));
}

static km_replay replay; /* large */

static void replay_strictly(golden_game *golden) {
  const json_t *json = golden->json;
  km_superko superko;
  assert_int_equal(km_superko_init(&superko, &golden->arena, golden->game.n_moves), KM_OK);
  km_replay_options options = {.mode = KM_REPLAY_STRICT, .superko = &superko};
  km_replay_init(&replay, &golden->game, &options);
  size_t n_positions = (size_t)assert_position(&replay, json), n_positional = 0, n_situational = 0;
  km_status status;
  while ((status = km_replay_step(&replay)) == KM_OK) {
    assert_null(km_board_check(&replay.board));
    assert_step(&replay, json);
    n_positions += (size_t)assert_position(&replay, json);
    assert_listed(json_object_get(json, "superko_moves"), &n_positional, replay.ply,
                  replay.repeats & KM_REPEATS_POSITION);
    assert_listed(json_object_get(json, "situational_superko_moves"), &n_situational, replay.ply,
                  replay.repeats & KM_REPEATS_SITUATION);
  }
  assert_illegal(&replay, status, json_object_get(json, "illegal"));
  assert_int_equal(replay.ply, json_integer_value(json_object_get(json, "T")));
  assert_int_equal(n_positions, json_object_size(json_object_get(json, "selected")));
  assert_int_equal(n_positional, json_array_size(json_object_get(json, "superko_moves")));
  assert_int_equal(n_situational, json_array_size(json_object_get(json, "situational_superko_moves")));
  assert_int_equal(replay.n_positional, n_positional);
  assert_int_equal(replay.n_situational, n_situational);
  assert_board(&replay.board, json_object_get(json, "final_board"));
  const json_t *lost = json_object_get(json, "stones_lost");
  assert_int_equal(replay.board.prisoners[KM_BLACK], json_integer_value(json_object_get(lost, "black")));
  assert_int_equal(replay.board.prisoners[KM_WHITE], json_integer_value(json_object_get(lost, "white")));
}

/* FF[4] execution, with the superko table and without it. */
static void replay_as_sgf(golden_game *golden, int with_superko) {
  const json_t *json = json_object_get(golden->json, "sgf_mode"), *classes = json_object_get(json, "classes");
  km_superko superko;
  assert_int_equal(km_superko_init(&superko, &golden->arena, golden->game.n_moves), KM_OK);
  km_replay_options options = {.mode = KM_REPLAY_SGF, .superko = with_superko ? &superko : NULL};
  km_replay_init(&replay, &golden->game, &options);
  if (json_is_string(classes))
    classes = json_object_get(golden->json, "classes");
  size_t n_positional = 0;
  km_status status;
  while ((status = km_replay_step(&replay)) == KM_OK) {
    assert_null(km_board_check(&replay.board));
    assert_string_equal(km_play_class_name(replay.play_class),
                        json_string_value(json_array_get(classes, replay.ply - 1)));
    assert_listed(json_object_get(json, "superko_moves"), &n_positional, replay.ply,
                  replay.repeats & KM_REPEATS_POSITION);
  }
  assert_illegal(&replay, status, json_object_get(json, "illegal"));
  assert_int_equal(replay.ply, json_integer_value(json_object_get(json, "T")));
  assert_int_equal(n_positional, with_superko ? json_array_size(json_object_get(json, "superko_moves")) : 0);
  assert_board(&replay.board, json_object_get(json, "final_board"));
}

/* A superko rule stops the game at its first repetition, or never. */
static void replay_enforced(golden_game *golden, km_ko_rule rule, const char *list) {
  const json_t *first = json_array_get(json_object_get(golden->json, list), 0);
  km_superko superko;
  assert_int_equal(km_superko_init(&superko, &golden->arena, golden->game.n_moves), KM_OK);
  km_replay_options options = {.ko_rule = (uint8_t)rule, .superko = &superko};
  km_replay_init(&replay, &golden->game, &options);
  km_status status;
  while ((status = km_replay_step(&replay)) == KM_OK)
    ;
  if (!first) {
    assert_illegal(&replay, status, json_object_get(golden->json, "illegal"));
    return;
  }
  assert_int_equal(status, KM_SKIP);
  assert_int_equal(replay.play_class, KM_PLAY_SUPERKO);
  assert_int_equal(replay.ply + 1, json_integer_value(first));
}

static void golden_games(void **state) {
  (void)state;
  char **names = golden_names();
  assert_non_null(names);
  size_t n = 0;
  for (; names[n]; n++) {
    golden_game golden;
    if (golden_load(&golden, names[n]))
      fail_msg("cannot load %s", names[n]);
    print_message("%s\n", names[n]);
    replay_strictly(&golden);
    replay_as_sgf(&golden, 0);
    replay_as_sgf(&golden, 1);
    replay_enforced(&golden, KM_KO_POSITIONAL, "superko_moves");
    replay_enforced(&golden, KM_KO_SITUATIONAL, "situational_superko_moves");
    golden_clear(&golden);
  }
  assert_true(n >= 58);
  golden_names_free(names);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(golden_games)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
