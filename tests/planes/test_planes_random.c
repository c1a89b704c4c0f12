/* test_planes_random.c: random games on boards of many sizes, rectangles too, with set-up, passes, captures
 * and kos: every layout, variant and symmetry against slow_features, bits against bytes, features of moves,
 * ladders and eyes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kifumill/encoder.h"
#include "kifumill/features.h"
#include "slow_features.h"

static const char *const layouts[] = {
    "alphago-zero", "black-white",       "black-white-literal",
    "leela-zero",   "alphago-48:colour", "alphago-48:colour,capture1,setup-old,sensible,depth50"};
enum { N_LAYOUTS = sizeof layouts / sizeof layouts[0], N_HISTORY = 17 };

static uint64_t seed;
static uint64_t draw(uint64_t n) {
  return km_random_below(seed = km_mix64(seed), n);
}

/* A game in progress, fast and slow. */
typedef struct contest {
  unsigned rows, cols, n_points, ply, n_history;
  km_board board;
  km_plane_encoder *bytes[N_LAYOUTS], *bits[N_LAYOUTS];
  slow_board history[N_HISTORY]; /* the last n_history positions, newest last */
  int age[KM_POINT_MAX];
} contest;

static slow_board *present(contest *game) {
  return &game->history[game->n_history - 1];
}

static void begin(contest *game, unsigned rows, unsigned cols) {
  memset(game, 0, sizeof *game);
  game->rows = rows, game->cols = cols, game->n_points = rows * cols;
  km_board_init(&game->board, rows, cols);
  game->n_history = 1;
  slow_init(present(game), rows, cols);
  for (unsigned p = 0; p < game->n_points; ++p)
    game->age[p] = -1;
  for (int i = 0; i < N_LAYOUTS; ++i) {
    km_plane_options options = {.rows = (uint8_t)rows, .cols = (uint8_t)cols, .symmetries = 0xff};
    assert_int_equal(km_layout_parse(layouts[i], &options.layout, &options.variants, NULL), KM_OK);
    options.packing = KM_PACK_BYTES;
    assert_int_equal(km_plane_encoder_new(&game->bytes[i], &options, NULL), KM_OK);
    options.packing = KM_PACK_BITS;
    assert_int_equal(km_plane_encoder_new(&game->bits[i], &options, NULL), KM_OK);
  }
}

static void end(contest *game) {
  for (int i = 0; i < N_LAYOUTS; ++i) {
    km_plane_encoder_free(game->bytes[i]);
    km_plane_encoder_free(game->bits[i]);
  }
}

/* A set-up stone, or a removal; chains without liberties may come of it. */
static void set_up(contest *game) {
  uint16_t point = (uint16_t)draw(game->n_points);
  uint8_t colour = (uint8_t)draw(3);
  slow_setup(present(game), colour, point);
  game->age[point] = -1;
  km_board_setup(&game->board, colour, point);
  for (int i = 0; i < N_LAYOUTS; ++i) {
    km_plane_encoder_setup(game->bytes[i], colour, point);
    km_plane_encoder_setup(game->bits[i], colour, point);
  }
}

static void play(contest *game, uint8_t colour, unsigned point) {
  if (game->n_history == N_HISTORY)
    memmove(game->history, game->history + 1, (N_HISTORY - 1) * sizeof game->history[0]);
  else
    ++game->n_history;
  slow_board *now = present(game);
  *now = now[-1];
  slow_play(now, colour, (uint16_t)point);
  km_board_play(&game->board, colour, (uint16_t)point);
  for (int i = 0; i < N_LAYOUTS; ++i) {
    km_plane_encoder_push(game->bytes[i], &game->board, colour, (uint16_t)point);
    km_plane_encoder_push(game->bits[i], &game->board, colour, (uint16_t)point);
  }
  for (unsigned p = 0; p < game->n_points; ++p)
    game->age[p] = now->stone[p] == KM_EMPTY || game->age[p] < 0 ? -1 : game->age[p] + 1;
  if (point < game->n_points)
    game->age[point] = 0;
}

/* One legal move or a pass; players mostly alternate. Eyes are seldom filled, so that games get long and
 * full. */
static void random_move(contest *game) {
  uint8_t colour = draw(20) == 0 ? (uint8_t)(1 + draw(2)) : (uint8_t)(1 + game->ply % 2), eye[KM_POINT_MAX];
  slow_true_eyes(present(game), colour, eye);
  unsigned point = game->n_points;
  for (int i = 0; i < 12 && draw(40) > 0; ++i) {
    unsigned p = (unsigned)draw(game->n_points);
    if (slow_legal(present(game), colour, p) && (!eye[p] || draw(10) == 0)) {
      point = p;
      break;
    }
  }
  play(game, colour, point);
  ++game->ply;
}

static void expected_planes(contest *game, int layout, uint8_t to_play, uint8_t *planes) {
  uint32_t variants;
  const km_layout *parsed;
  assert_int_equal(km_layout_parse(layouts[layout], &parsed, &variants, NULL), KM_OK);
  if (strcmp(parsed->name, "alphago-48") == 0)
    slow_planes48(present(game), to_play, game->age, variants, planes);
  else
    slow_history_planes(parsed->name, game->history, game->n_history, to_play, planes);
}

static void check_planes(contest *game, int layout, uint8_t to_play) {
  static uint8_t expected[64 * KM_POINT_MAX], row[64 * KM_POINT_MAX], packed[64 * KM_POINT_MAX],
      plane[KM_POINT_MAX];
  expected_planes(game, layout, to_play, expected);
  size_t n_planes = km_plane_encoder_n_planes(game->bytes[layout]), n = game->n_points;
  assert_int_equal(km_plane_encoder_plane_bytes(game->bits[layout]), (n + 7) / 8);
  for (int k = 0; k < 8; ++k) {
    if (!km_symmetry_fits(k, game->rows, game->cols))
      continue;
    memset(packed, 0xa5, sizeof packed);
    km_plane_encoder_encode(game->bytes[layout], &game->board, to_play, k, row);
    km_plane_encoder_encode(game->bits[layout], &game->board, to_play, k, packed);
    for (size_t i = 0; i < n_planes; ++i) {
      slow_turn(expected + i * n, game->rows, game->cols, k, plane);
      if (memcmp(plane, row + i * n, n) != 0)
        fail_msg("%s, %ux%u, ply %u, symmetry %d: plane %zu", layouts[layout], game->rows, game->cols,
                 game->ply, k, i);
      for (size_t p = 0; p < 8 * ((n + 7) / 8); ++p)
        assert_int_equal(packed[i * ((n + 7) / 8) + p / 8] >> (7 - p % 8) & 1, p < n ? plane[p] : 0);
    }
    assert_int_equal(packed[km_plane_encoder_row_bytes(game->bits[layout])], 0xa5);
  }
}

/* Games: sizes, how many moves, and every how many plies to look. */
static void run_game(unsigned rows, unsigned cols, unsigned n_moves, unsigned every, int first_layout) {
  static contest game;
  begin(&game, rows, cols);
  for (unsigned i = (unsigned)draw(6); i > 0; --i)
    set_up(&game);
  for (unsigned i = 0; i <= n_moves; ++i) {
    if (i % every == 0)
      for (int layout = first_layout; layout < N_LAYOUTS; ++layout)
        check_planes(&game, layout, (uint8_t)(1 + ((i + (draw(4) == 0)) & 1)));
    if (draw(60) == 0)
      set_up(&game);
    random_move(&game);
    assert_null(km_board_check(&game.board));
  }
  end(&game);
}

static void test_small(void **state) {
  (void)state;
  static const unsigned sizes[][2] = {{1, 1}, {1, 2}, {2, 2}, {1, 7}, {3, 2},
                                      {3, 3}, {5, 5}, {6, 4}, {7, 7}, {5, 9}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    for (int game = 0; game < 3; ++game)
      run_game(sizes[i][0], sizes[i][1], 90, 3, 0);
}

static void test_usual(void **state) {
  (void)state;
  run_game(9, 9, 120, 7, 0);
  run_game(13, 13, 200, 29, 0);
  run_game(19, 19, 320, 53, 0);
  run_game(13, 9, 150, 31, 0);
}

static void test_large(void **state) {
  (void)state;
  run_game(25, 25, 250, 125, 0);
  run_game(52, 3, 120, 40, 0);
  run_game(52, 52, 100, 50, 0);
}

/* The reader's answers about a position that is set up and then played on. */
static void check_reader(contest *game, km_feature_reader *reader, unsigned variants) {
  uint8_t slow[KM_POINT_MAX], fast[KM_POINT_MAX];
  uint16_t points[KM_POINT_MAX];
  km_feature_reader_set(reader, &game->board);
  for (uint8_t me = KM_BLACK; me <= KM_WHITE; ++me) {
    slow_true_eyes(present(game), me, slow);
    km_true_eyes(&game->board, me, fast);
    assert_memory_equal(slow, fast, game->n_points);
    for (int escapes = 0; escapes < 2; ++escapes) {
      (escapes ? slow_ladder_escapes : slow_ladder_captures)(present(game), me, variants, slow);
      size_t n = (escapes ? km_feature_reader_ladder_escapes : km_feature_reader_ladder_captures)(reader, me,
                                                                                                  points);
      memset(fast, 0, sizeof fast);
      for (size_t i = 0; i < n; ++i)
        fast[points[i]] = 1;
      assert_memory_equal(slow, fast, game->n_points);
    }
    for (unsigned p = 0; p < game->n_points; ++p) {
      slow_move_features wanted;
      km_move_features got;
      if (present(game)->stone[p] != KM_EMPTY)
        continue;
      slow_move_features_at(present(game), me, p, &wanted);
      km_feature_reader_move(reader, me, (uint16_t)p, &got);
      const int values[KM_MOVE_FEATURES] = {
          wanted.pattern,     wanted.pattern_canonical, wanted.can_capture,     wanted.can_connect,
          wanted.creates_eye, wanted.liberties_after,   wanted.enemy_liberties, wanted.distance_to_edge};
      for (unsigned i = 0; i < KM_MOVE_FEATURES; ++i)
        assert_int_equal(km_move_feature_value(&got, i), values[i]);
    }
  }
}

static void test_reader(void **state) {
  (void)state;
  static contest game;
  static const unsigned sizes[][2] = {{5, 5}, {7, 7}, {9, 9}, {4, 9}};
  for (unsigned variants = 0; variants < 2; ++variants) {
    km_feature_reader *reader;
    uint32_t bits = variants ? KM_VARIANT_SENSIBLE | KM_VARIANT_DEPTH50 : 0;
    assert_int_equal(km_feature_reader_new(&reader, bits, NULL), KM_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
      begin(&game, sizes[i][0], sizes[i][1]);
      for (unsigned ply = 0; ply < 3 * game.n_points / 2; ++ply) {
        random_move(&game);
        if (ply % 4 == 0)
          check_reader(&game, reader, bits);
      }
      end(&game);
    }
    km_feature_reader_free(reader);
  }
}

/* Boards filled at random, with far more chains in atari than games have. */
static void test_dense(void **state) {
  (void)state;
  static contest game;
  static const uint32_t variants[] = {0, KM_VARIANT_SENSIBLE};
  for (int v = 0; v < 2; ++v) {
    km_feature_reader *reader;
    assert_int_equal(km_feature_reader_new(&reader, variants[v], NULL), KM_OK);
    for (unsigned i = 0; i < 80; ++i) {
      begin(&game, 5 + i % 4, 5 + i % 4);
      for (unsigned j = 0; j < 2 * game.n_points; ++j)
        set_up(&game);
      check_reader(&game, reader, variants[v]);
      end(&game);
    }
    assert_int_equal(km_feature_reader_ladders_cut(reader), 0);
    km_feature_reader_free(reader);
  }
}

/* A board made to be costly: it is given up, after the same work whoever asks. */
static void test_costly(void **state) {
  (void)state;
  static const char board_text[] =
      "XO..X.X.O..X.OO.X.XXXXO..OXX...X...X...OX.X..OOXX..XX.OX.X.X.OOX.OXO.XOOXOXXXO"
      "...X.X..O.O.XOX.XO..X.XXXOOXOO.X.OXX...O...O.OXXX....XOXXX..O.X.XXXX.....OXX."
      "OXOXXXX.XO..XX.OXO.XO.X.OOXXOX.OXX...O.XXOOX.XOO.OX.XXXOOX..XOOXX.XOOOXX..OXX"
      "OXXOO...O.XX.OOO...X.XX..OXOOXOO.O.OXX.XOO..X..XXX...OOXOOXO.X.XX...OXXOXX.X."
      "..XXOOXO..OXOOXOO....XOO..X.O.XX.X.XO.OX....OOX.OOOO";
  static km_board board;
  uint16_t points[2][4 * 361];
  size_t n[2];
  km_board_init(&board, 19, 19);
  for (uint16_t p = 0; p < 361; ++p)
    if (board_text[p] != '.')
      km_board_setup(&board, board_text[p] == 'X' ? KM_BLACK : KM_WHITE, p);
  for (int i = 0; i < 2; ++i) {
    km_feature_reader *reader;
    assert_int_equal(km_feature_reader_new(&reader, 0, NULL), KM_OK);
    km_feature_reader_set(reader, &board);
    n[i] = km_feature_reader_ladder_captures(reader, KM_WHITE, points[i]);
    n[i] += km_feature_reader_ladder_escapes(reader, KM_BLACK, points[i] + n[i]);
    n[i] += km_feature_reader_ladder_captures(reader, KM_BLACK, points[i] + n[i]);
    n[i] += km_feature_reader_ladder_escapes(reader, KM_WHITE, points[i] + n[i]);
    assert_true(km_feature_reader_ladders_cut(reader) > 0);
    km_feature_reader_free(reader);
  }
  assert_int_equal(n[0], n[1]);
  assert_true(n[0] > 0);
  assert_memory_equal(points[0], points[1], n[0] * sizeof points[0][0]);
}

int main(void) {
  const char *given = getenv("KM_SEED");
  seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
  print_message("KM_SEED=%llu\n", (unsigned long long)seed);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_usual),
                                     cmocka_unit_test(test_large), cmocka_unit_test(test_reader),
                                     cmocka_unit_test(test_dense), cmocka_unit_test(test_costly)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
