/* test_planes_cases.c: tests/cases T01…T21: history, set-up, passes, symmetries, indices, values, liberties,
 * ages, ko.
 *
 * Games are written as in the cases, "B cc W gg", set-up as "AB …" before the moves; points are SGF letters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/encoder.h"

enum { MAX_MOVES = 64 };

/* A game under way, with one encoder. */
typedef struct playing {
  km_game game;
  km_move moves[MAX_MOVES];
  km_setup setup[MAX_MOVES];
  km_replay replay;
  km_plane_encoder *encoder;
  uint8_t row[49 * 361];
} playing;

static uint16_t point_at(const char *text, unsigned cols) {
  return (uint16_t)((unsigned)(text[1] - 'a') * cols + (unsigned)(text[0] - 'a'));
}

/* Reads "AB cc gg AW ee W ee B cg W --": -- is a pass. */
static void read_game(playing *p, unsigned rows, unsigned cols, const char *text) {
  char copy[512], *rest = NULL, kind[3] = "";
  memset(&p->game, 0, sizeof p->game);
  p->game = (km_game){.rows = (uint8_t)rows,
                      .cols = (uint8_t)cols,
                      .moves = p->moves,
                      .setup = p->setup,
                      .final_to_play = KM_BLACK};
  assert_true(strlen(text) < sizeof copy);
  strcpy(copy, text);
  for (char *word = strtok_r(copy, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    if (word[0] < 'a' && word[0] != '-') {
      strcpy(kind, word);
      continue;
    }
    uint8_t colour = kind[strlen(kind) - 1] == 'B' ? KM_BLACK : KM_WHITE;
    uint16_t point = word[0] == '-' ? (uint16_t)(rows * cols) : point_at(word, cols);
    if (kind[0] == 'A')
      p->setup[p->game.n_setup++] = (km_setup){0, point, colour};
    else
      p->moves[p->game.n_moves++] = (km_move){point, colour, 0};
  }
}

/* Starts a game in a layout and goes to the position after ply moves. */
static void go_to(playing *p, const char *layout, unsigned ply) {
  km_plane_options options = {
      .rows = p->game.rows, .cols = p->game.cols, .symmetries = 0xff, .packing = KM_PACK_BYTES};
  km_plane_encoder_free(p->encoder);
  assert_int_equal(km_layout_parse(layout, &options.layout, &options.variants, NULL), KM_OK);
  assert_int_equal(km_plane_encoder_new(&p->encoder, &options, NULL), KM_OK);
  km_replay_init(&p->replay, &p->game, &(km_replay_options){0});
  km_plane_encoder_begin(p->encoder, &p->replay);
  while (p->replay.ply < ply) {
    assert_int_equal(km_replay_step(&p->replay), KM_OK);
    km_plane_encoder_follow(p->encoder, &p->replay);
  }
}

static void encode(playing *p, int k) {
  km_plane_encoder_encode(p->encoder, &p->replay.board, km_game_to_play(&p->game, p->replay.ply), k, p->row);
}

static const uint8_t *plane(const playing *p, unsigned i) {
  return p->row + i * p->replay.board.n_points;
}

static unsigned sum(const playing *p, unsigned i) {
  unsigned n = 0;
  for (unsigned q = 0; q < p->replay.board.n_points; ++q)
    n += plane(p, i)[q];
  return n;
}

/* The plane holds exactly the points of a text such as "cc gg". */
static void expect_plane(const playing *p, unsigned i, const char *points) {
  unsigned n = 0;
  for (const char *word = points; *word != '\0'; word += word[2] == '\0' ? 2 : 3, ++n)
    if (!plane(p, i)[point_at(word, p->game.cols)])
      fail_msg("plane %u has not %.2s", i, word);
  assert_int_equal(sum(p, i), n);
}

/* X0, Y0, X1, Y1, …; the others are empty. */
static void expect_history(const playing *p, unsigned n, const char *const *points, int colour_plane) {
  for (unsigned i = 0; i < 16; ++i)
    expect_plane(p, i, i < n ? points[i] : "");
  assert_int_equal(sum(p, 16), colour_plane ? p->replay.board.n_points : 0);
}

static playing game;

static void test_history(void **state) { /* T01 */
  (void)state;
  read_game(&game, 9, 9, "B cc W gg B cg W gc B ee");
  go_to(&game, "alphago-zero", 4);
  encode(&game, 0);
  expect_history(&game, 8, (const char *[]){"cc cg", "gc gg", "cc cg", "gg", "cc", "gg", "cc", ""}, 1);
  go_to(&game, "alphago-zero", 3);
  encode(&game, 0);
  expect_history(&game, 6, (const char *[]){"gg", "cc cg", "gg", "cc", "", "cc"}, 0);
}

static void test_setup(void **state) { /* T03 */
  (void)state;
  read_game(&game, 9, 9, "AB cc gg W ee B cg");
  go_to(&game, "alphago-zero", 0);
  encode(&game, 0);
  expect_history(&game, 2, (const char *[]){"", "cc gg"}, 0);
  go_to(&game, "alphago-zero", 1);
  encode(&game, 0);
  expect_history(&game, 4, (const char *[]){"cc gg", "ee", "cc gg", ""}, 1);
}

static void test_pass(void **state) { /* T04 */
  (void)state;
  read_game(&game, 9, 9, "B cc W -- B gg W ee");
  go_to(&game, "alphago-zero", 2);
  encode(&game, 0);
  expect_history(&game, 3, (const char *[]){"cc", "", "cc"}, 1);
  go_to(&game, "alphago-zero", 3);
  encode(&game, 0);
  expect_history(&game, 6, (const char *[]){"", "cc gg", "", "cc", "", "cc"}, 0);
  assert_int_equal(km_policy_index(0, 9, 9, game.moves[1].point), 81);
}

static void test_symmetries(void **state) { /* T06: our numbers of the case's maps */
  (void)state;
  static const struct {
    int k;
    uint16_t target;
  } maps[] = {{0, 12}, {3, 34}, {2, 68}, {1, 46}, {4, 14}, {5, 66}, {6, 28}, {7, 52}};
  read_game(&game, 9, 9, "B ab W db B hc");
  go_to(&game, "alphago-zero", 1);
  for (int i = 0; i < 8; ++i) {
    assert_int_equal(km_policy_index(maps[i].k, 9, 9, point_at("db", 9)), maps[i].target);
    assert_int_equal(km_policy_index(maps[i].k, 9, 9, 81), 81);
    encode(&game, maps[i].k);
    assert_int_equal(sum(&game, 1), 1);
    assert_true(plane(&game, 1)[km_policy_index(maps[i].k, 9, 9, point_at("ab", 9))]);
  }
  encode(&game, 3);
  expect_plane(&game, 1, "ha");
}

static void test_rows(void **state) { /* T08 */
  (void)state;
  read_game(&game, 19, 19, "B cd W ca B as");
  assert_int_equal(km_policy_index(0, 19, 19, game.moves[0].point), 59);
  assert_int_equal(km_policy_index(0, 19, 19, game.moves[1].point), 2);
  assert_int_equal(km_policy_index(0, 19, 19, game.moves[2].point), 342);
  read_game(&game, 9, 13, "B ca W md");
  assert_int_equal(km_policy_index(0, 9, 13, game.moves[0].point), 2);
  go_to(&game, "black-white", 2);
  encode(&game, 0);
  expect_plane(&game, 7, "ca");
  expect_plane(&game, 15, "md");
  encode(&game, 4);
  expect_plane(&game, 7, "ka");
  expect_plane(&game, 15, "ad");
}

static void test_values(void **state) { /* T09, T11 */
  (void)state;
  for (int row = 0; row < 5; ++row)
    assert_int_equal(km_value_target(KM_WINNER_WHITE, row % 2 == 0 ? KM_BLACK : KM_WHITE),
                     row % 2 == 0 ? -1 : 1);
  for (uint8_t to_play = KM_BLACK; to_play <= KM_WHITE; ++to_play) {
    assert_int_equal(km_value_target(KM_WINNER_BLACK, to_play), to_play == KM_BLACK ? 1 : -1);
    assert_int_equal(km_value_target(KM_WINNER_DRAW, to_play), 0);
    assert_int_equal(km_value_target(KM_WINNER_UNKNOWN, to_play), KM_WINNER_UNKNOWN);
  }
}

static void
test_ko(void **state) { /* T12: captures, self-atari, liberties after and sensibleness leave the ko out */
  (void)state;
  read_game(&game, 9, 9, "B dc W ec B cd W fd B de W ee B aa W dd B ed W -- B --");
  go_to(&game, "alphago-48", 9);
  assert_int_equal(km_board_stone(&game.replay.board, point_at("dd", 9)), KM_EMPTY);
  game.game.n_moves = 9; /* White to move, so that the final player is asked */
  game.game.final_to_play = KM_WHITE;
  encode(&game, 0);
  for (unsigned i = 20; i < 44; ++i)
    assert_false(plane(&game, i)[point_at("dd", 9)]);
  assert_false(plane(&game, 46)[point_at("dd", 9)]);
  game.game.n_moves = 11;
  go_to(&game, "alphago-48", 11);
  encode(&game, 0);
  assert_true(plane(&game, 21)[point_at("dd", 9)]); /* takes one stone */
  assert_true(plane(&game, 46)[point_at("dd", 9)]);
}

static void test_liberties(void **state) { /* T13 */
  (void)state;
  read_game(&game, 19, 19, "AB dd ed fd dh eh fh dm em fm gm aa AW gh lm B qq");
  go_to(&game, "alphago-48", 0);
  encode(&game, 0);
  expect_plane(&game, 19, "dd ed fd dm em fm gm");
  expect_plane(&game, 18, "dh eh fh");
  expect_plane(&game, 14, "gh");
  expect_plane(&game, 15, "lm");
  expect_plane(&game, 13, "aa");
  assert_int_equal(sum(&game, 12) + sum(&game, 16) + sum(&game, 17), 0);
}

static void test_capture(void **state) { /* T15 */
  (void)state;
  read_game(&game, 9, 9, "B ca W ba B bb W ab B ac W ee B aa");
  go_to(&game, "alphago-48", 6);
  encode(&game, 0);
  uint16_t aa = point_at("aa", 9);
  assert_true(plane(&game, 22)[aa] && plane(&game, 37)[aa] && plane(&game, 46)[aa]);
  for (unsigned i = 28; i < 36; ++i)
    assert_false(plane(&game, i)[aa]);
}

static void test_ages(void **state) { /* T16; bins count from 0 for the last move */
  (void)state;
  read_game(&game, 9, 9, "B ac W ab B bc W bb B cb W ca B ba W aa B ba");
  go_to(&game, "alphago-48", 9);
  encode(&game, 0);
  expect_plane(&game, 4, "ba");
  expect_plane(&game, 7, "ca");
  expect_plane(&game, 8, "cb");
  expect_plane(&game, 10, "bc");
  expect_plane(&game, 11, "ac");
  assert_int_equal(sum(&game, 5) + sum(&game, 6) + sum(&game, 9), 0);
  read_game(&game, 9, 9, "AB cc W gg B -- W ee"); /* a pass ages; set-up stones as the variant has it */
  go_to(&game, "alphago-48", 2);
  encode(&game, 0);
  expect_plane(&game, 5, "gg");
  assert_int_equal(sum(&game, 11), 0);
  go_to(&game, "alphago-48:setup-old", 2);
  encode(&game, 0);
  expect_plane(&game, 11, "cc");
}

static void test_constants(void **state) { /* T19 */
  (void)state;
  read_game(&game, 9, 9, "B cc W gg");
  for (unsigned ply = 0; ply < 2; ++ply) {
    go_to(&game, "alphago-zero", ply);
    encode(&game, 0);
    assert_int_equal(sum(&game, 16), ply == 0 ? 81 : 0);
    go_to(&game, "leela-zero", ply);
    encode(&game, 0);
    assert_int_equal(sum(&game, 16), ply == 0 ? 81 : 0);
    assert_int_equal(sum(&game, 17), ply == 0 ? 0 : 81);
    go_to(&game, "alphago-48:colour", ply);
    for (int k = 0; k < 8; ++k) {
      encode(&game, k);
      assert_int_equal(sum(&game, 3), 81);
      assert_int_equal(sum(&game, 47), 0);
      assert_int_equal(sum(&game, 48), ply == 0 ? 81 : 0);
    }
  }
}

static void test_prefix(void **state) { /* T21: nine rows, each target empty and legal */
  (void)state;
  read_game(&game, 9, 9, "B dc W ec B cd W fd B de W ee B aa W dd B ed W dd B gg W cg");
  go_to(&game, "alphago-48", 0);
  unsigned n_rows = 0;
  for (;;) {
    km_move move = game.moves[game.replay.ply];
    if (km_board_classify(&game.replay.board, move.colour, move.point) == KM_PLAY_LEGAL) {
      encode(&game, 0);
      assert_true(plane(&game, 2)[move.point] && plane(&game, 46)[move.point]);
      ++n_rows;
    }
    if (km_replay_step(&game.replay) != KM_OK)
      break;
    km_plane_encoder_follow(game.encoder, &game.replay);
  }
  assert_int_equal(n_rows, 9);
  assert_int_equal(game.replay.play_class, KM_PLAY_KO);
}

/* A move that captures, with set-up before the next one: the captured stone vanishes, the set-up has no age.
 */
static void test_midgame_setup(void **state) {
  (void)state;
  read_game(&game, 9, 9, "AB ba W aa B ab W ee");
  game.setup[1] = (km_setup){2, point_at("cc", 9), KM_BLACK};
  game.setup[2] = (km_setup){2, point_at("ba", 9), KM_EMPTY};
  game.game.n_setup = 3;
  go_to(&game, "black-white", 2);
  encode(&game, 0);
  expect_plane(&game, 7, "ab cc");
  expect_plane(&game, 6, "ba");
  expect_plane(&game, 15, "");
  expect_plane(&game, 14, "aa");
  go_to(&game, "alphago-48", 2);
  encode(&game, 0);
  expect_plane(&game, 1, "ab cc");
  expect_plane(&game, 4, "ab");
  for (unsigned i = 5; i < 12; ++i)
    assert_int_equal(sum(&game, i), 0);
}

static int free_encoder(void **state) {
  (void)state;
  km_plane_encoder_free(game.encoder);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_history),
      cmocka_unit_test(test_setup),
      cmocka_unit_test(test_pass),
      cmocka_unit_test(test_symmetries),
      cmocka_unit_test(test_rows),
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_ko),
      cmocka_unit_test(test_liberties),
      cmocka_unit_test(test_capture),
      cmocka_unit_test(test_ages),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_prefix),
      cmocka_unit_test(test_midgame_setup),
  };
  return cmocka_run_group_tests(tests, NULL, free_encoder);
}
