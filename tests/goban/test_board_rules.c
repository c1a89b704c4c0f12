/* test_board_rules.c: the rule cases of tests/cases/CASES.md (R…) and small examples, as move lists on 9×9. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/replay.h"

enum { MAX_MOVES = 32 };

typedef struct example {
  const char *name;
  const char *moves; /* "Bcc Wgg B. W?? …": . pass, ?? no point, letters beyond i off the board */
  int allow_suicide, mode;
  uint32_t n_played;      /* moves before the first illegal one */
  km_play_class stops_at; /* its class; legal: none */
  const char *black, *white; /* stones left, in reading order */
  unsigned prisoners_black, prisoners_white;
} example;

static const example examples[] = {
    {"R01 occupied", "Bcc Wgg Bgg Wcg", 0, 0, 2, KM_PLAY_OCCUPIED, "cc", "gg", 0, 0},
    {"R01 overwritten", "Bcc Wgg Bgg Wcg", 0, KM_REPLAY_SGF, 4, KM_PLAY_LEGAL, "cc gg", "cg", 0, 0},
    {"R02 ko", "Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wdd Bgg", 0, 0, 9, KM_PLAY_KO, "aa dc cd ed de", "ec fd ee", 0, 1},
    {"R03 ko after a threat", "Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wgg Bcg Wdd B. Wed", 0, 0, 14, KM_PLAY_LEGAL,
     "aa dc cd de cg", "ec dd ed fd ee gg", 1, 1},
    {"R04 snapback", "Bac Wab Bbc Wbb Bcb Wca Bba Waa Bba", 0, 0, 9, KM_PLAY_LEGAL, "ba cb ac bc", "ca", 1, 3},
    {"R07 single suicide", "Bab Wee Bba Waa Bgg", 0, 0, 3, KM_PLAY_SUICIDE, "ba ab", "ee", 0, 0},
    {"R07 under every rule", "Bab Wee Bba Waa Bgg", 1, 0, 3, KM_PLAY_SUICIDE, "ba ab", "ee", 0, 0},
    {"R07 executed", "Bab Wee Bba Waa Bgg", 0, KM_REPLAY_SGF, 5, KM_PLAY_LEGAL, "ba ab gg", "ee", 0, 1},
    {"R08 suicide of two", "Bac Waa Bbb Wee Bba Wab Bgg", 1, 0, 7, KM_PLAY_LEGAL, "ba bb ac gg", "ee", 0, 2},
    {"R08 forbidden", "Bac Waa Bbb Wee Bba Wab Bgg", 0, 0, 5, KM_PLAY_SUICIDE, "ba bb ac", "aa ee", 0, 0},
    {"R10 capture before suicide", "Bca Wba Bbb Wab Bac Wee Baa", 0, 0, 7, KM_PLAY_LEGAL, "aa ca bb ac", "ee", 0, 2},
    {"R12 white first", "Wcc Bgg Wcg", 0, 0, 3, KM_PLAY_LEGAL, "gg", "cc cg", 0, 0},
    {"R13 same colour twice", "Bcc Bgg Wee Wcg Bgc", 0, 0, 5, KM_PLAY_LEGAL, "cc gc gg", "ee cg", 0, 0},
    {"R14 off the board", "Bcc Wjj Bgg", 0, 0, 1, KM_PLAY_OFFBOARD, "cc", "", 0, 0},
    {"R14 off the board, FF[4]", "Bcc Wjj Bgg", 0, KM_REPLAY_SGF, 1, KM_PLAY_OFFBOARD, "cc", "", 0, 0},
    {"R14 no point", "Bcc W?? Bgg", 0, 0, 1, KM_PLAY_BAD_POINT, "cc", "", 0, 0},
    {"R14 no point, FF[4]", "Bcc W?? Bgg", 0, KM_REPLAY_SGF, 1, KM_PLAY_BAD_POINT, "cc", "", 0, 0},
    {"R15 after two passes", "Bcc Wgg B. W. Bcg Wgc", 0, 0, 6, KM_PLAY_LEGAL, "cc cg", "gc gg", 0, 0},
    {"R18 forced", "Bdc Wec Bcd Wfd Bde Wee Baa Wdd Bed Wdd Bgg", 0, KM_REPLAY_SGF, 11, KM_PLAY_LEGAL,
     "aa dc cd de gg", "ec dd fd ee", 1, 1},
};

/* Reads an example's moves into room for MAX_MOVES. */
static void read_moves(const char *text, km_game *game) {
  for (const char *p = text; *p; p += *p == ' ') {
    km_move *move = &game->moves[game->n_moves++];
    move->colour = *p++ == 'B' ? KM_BLACK : KM_WHITE;
    if (*p == '.') {
      move->point = km_game_pass(game);
      p++;
    } else {
      unsigned col = (unsigned)(p[0] - 'a'), row = (unsigned)(p[1] - 'a');
      move->point = *p == '?' ? KM_POINT_BAD
                    : col < game->cols && row < game->rows ? (uint16_t)(row * game->cols + col) : KM_POINT_OFFBOARD;
      p += 2;
    }
  }
}

static void assert_stones(const km_board *board, uint8_t colour, const char *want) {
  char have[512] = "";
  for (uint16_t p = 0; p < board->n_points; p++) {
    char text[3];
    km_point_sgf(p, board->rows, board->cols, text);
    if (km_board_stone(board, p) == colour) {
      if (*have)
        strcat(have, " ");
      strcat(have, text);
    }
  }
  assert_string_equal(have, want);
}

static km_replay replay;

static void play_example(const example *e, int with_superko) {
  km_move moves[MAX_MOVES] = {{0}};
  km_game game = {.rows = 9, .cols = 9, .moves = moves};
  read_moves(e->moves, &game);
  km_arena arena;
  km_superko superko;
  km_arena_init(&arena);
  assert_int_equal(km_superko_init(&superko, &arena, game.n_moves), KM_OK);
  km_replay_options options = {.mode = (uint8_t)e->mode, .allow_suicide = (uint8_t)e->allow_suicide,
                               .superko = with_superko ? &superko : NULL};
  km_replay_init(&replay, &game, &options);
  km_status status;
  while ((status = km_replay_step(&replay)) == KM_OK)
    assert_null(km_board_check(&replay.board));
  assert_int_equal(status, e->stops_at == KM_PLAY_LEGAL ? KM_END : KM_SKIP);
  if (status == KM_SKIP)
    assert_int_equal(replay.play_class, e->stops_at);
  assert_int_equal(replay.ply, e->n_played);
  assert_int_equal(km_replay_step(&replay), status); /* again the same */
  assert_int_equal(replay.ply, e->n_played);
  assert_stones(&replay.board, KM_BLACK, e->black);
  assert_stones(&replay.board, KM_WHITE, e->white);
  assert_int_equal(replay.board.prisoners[KM_BLACK], e->prisoners_black);
  assert_int_equal(replay.board.prisoners[KM_WHITE], e->prisoners_white);
  km_arena_clear(&arena);
}

static void rule_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
    print_message("%s\n", examples[i].name);
    play_example(&examples[i], 0);
    play_example(&examples[i], 1);
  }
}

/* Set-up within a game is carried out with the move before it and does not count as captured. */
static void setup_within_the_game(void **state) {
  (void)state;
  km_move moves[] = {{0, KM_BLACK, 0}, {8, KM_WHITE, 0}, {4, KM_BLACK, 0}};
  km_setup setup[] = {{0, 2, KM_WHITE}, {1, 0, KM_EMPTY}, {1, 6, KM_BLACK}, {3, 1, KM_WHITE}, {3, 3, KM_WHITE}};
  km_game game = {.rows = 3, .cols = 3, .n_moves = 3, .n_setup = 5, .moves = moves, .setup = setup,
                  .final_to_play = KM_WHITE};
  km_replay_init(&replay, &game, &(km_replay_options){0});
  assert_stones(&replay.board, KM_WHITE, "ca");
  assert_int_equal(replay.setup_end - replay.setup_begin, 1);
  assert_int_equal(km_replay_step(&replay), KM_OK);
  assert_stones(&replay.board, KM_BLACK, "ac");
  assert_int_equal(replay.setup_begin, 1);
  assert_int_equal(replay.setup_end, 3);
  assert_int_equal(km_replay_step(&replay), KM_OK);
  assert_int_equal(replay.setup_begin, replay.setup_end);
  assert_stones(&replay.board, KM_WHITE, "ca cc");
  assert_int_equal(km_replay_step(&replay), KM_OK);
  assert_stones(&replay.board, KM_WHITE, "ba ca ab cc");
  assert_int_equal(replay.setup_end, 5);
  assert_int_equal(km_replay_step(&replay), KM_END);
  assert_int_equal(replay.board.prisoners[KM_BLACK] + replay.board.prisoners[KM_WHITE], 0);
  assert_int_equal(km_game_to_play(&game, 1), KM_WHITE);
  assert_int_equal(km_game_to_play(&game, 3), KM_WHITE);
}

/* Any move, pass or set-up lifts the ko ban. */
static void what_lifts_a_ko(void **state) {
  (void)state;
  static km_board board, after;
  km_move moves[MAX_MOVES];
  km_game game = {.rows = 9, .cols = 9, .moves = moves};
  read_moves("Bdc Wec Bcd Wfd Bde Wee B. Wdd Bed", &game);
  km_board_init(&board, 9, 9);
  for (uint32_t i = 0; i < game.n_moves; i++)
    km_board_play(&board, moves[i].colour, moves[i].point);
  uint16_t dd = 3 * 9 + 3, pass = 81;
  uint8_t colour;
  assert_int_equal(km_board_ko(&board, &colour), dd);
  assert_int_equal(colour, KM_WHITE);
  assert_int_equal(km_board_classify(&board, KM_WHITE, dd), KM_PLAY_KO);
  assert_int_equal(km_board_classify(&board, KM_BLACK, dd), KM_PLAY_LEGAL);
  km_board_copy(&after, &board);
  km_board_play(&after, KM_WHITE, pass);
  assert_int_equal(km_board_classify(&after, KM_WHITE, dd), KM_PLAY_LEGAL);
  km_board_copy(&after, &board);
  km_board_play(&after, KM_WHITE, 0);
  assert_int_equal(km_board_classify(&after, KM_WHITE, dd), KM_PLAY_LEGAL);
  km_board_copy(&after, &board);
  km_board_setup(&after, KM_BLACK, 0);
  assert_int_equal(km_board_classify(&after, KM_WHITE, dd), KM_PLAY_LEGAL);
  km_board_copy(&after, &board);
  assert_int_equal(km_board_try(&after, KM_WHITE, dd), KM_PLAY_KO); /* a refused move changes nothing */
  assert_int_equal(km_board_classify(&after, KM_WHITE, dd), KM_PLAY_KO);
}

/* Who is to move is in the situational hash only. */
static void situational_hash(void **state) {
  (void)state;
  static km_board board;
  km_board_init(&board, 5, 5);
  km_board_play(&board, KM_BLACK, 12);
  assert_true(km_hash128_equal(km_board_situation(&board, KM_BLACK), board.hash));
  assert_false(km_hash128_equal(km_board_situation(&board, KM_WHITE), board.hash));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rule_cases),
      cmocka_unit_test(setup_within_the_game),
      cmocka_unit_test(what_lifts_a_ko),
      cmocka_unit_test(situational_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
