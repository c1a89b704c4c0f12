/* test_move_hash.c: hashes of games are the same for all images of a game and differ for everything that makes another
 * game of it; their values, which stand in stores, do not change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/move_hash.h"
#include "kifumill/symmetry.h"
#include "point_keys.h"

enum { SEED = 5, MOVES = 60, SETUP = 5 };

typedef struct record {
  km_game game;
  km_move moves[MOVES + 1];
  km_setup setup[SETUP + 1];
} record;

static void make_record(record *r, unsigned rows, unsigned cols, uint64_t seed) {
  r->game = (km_game){.rows = (uint8_t)rows, .cols = (uint8_t)cols, .n_moves = MOVES, .n_setup = SETUP,
                      .moves = r->moves, .setup = r->setup};
  for (uint32_t i = 0; i < MOVES; i++) {
    uint64_t bits = km_random(SEED, seed, i, KM_PURPOSE_SAMPLE);
    r->moves[i] = (km_move){(uint16_t)km_random_below(bits, rows * cols + 1), (uint8_t)(1 + (bits & 1)), 0};
  }
  for (uint32_t i = 0; i < SETUP; i++) {
    uint64_t bits = km_random(SEED, seed, 1000 + i, KM_PURPOSE_SAMPLE);
    r->setup[i] = (km_setup){i / 2 * 20, (uint16_t)km_random_below(bits, rows * cols), (uint8_t)(bits % 3)};
  }
}

static void copy_record(record *to, const record *from) {
  *to = *from;
  to->game.moves = to->moves;
  to->game.setup = to->setup;
}

static km_game_hash hash_of(const record *r) {
  km_game_hash hash;
  km_game_hash_compute(&r->game, KM_OPENING_MOVES, &hash);
  return hash;
}

static void images_have_one_canonical_hash(void **state) {
  (void)state;
  static record r, image;
  static const unsigned sizes[][2] = {{19, 19}, {9, 9}, {13, 9}, {9, 13}, {52, 52}, {2, 2}, {1, 5}, {1, 1}};
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
    unsigned rows = sizes[s][0], cols = sizes[s][1];
    make_record(&r, rows, cols, s);
    km_game_hash hash = hash_of(&r);
    int is_an_image = 0;
    for (int k = 0; k < KM_SYMMETRIES; k++) {
      if (!km_symmetry_fits(k, rows, cols))
        continue;
      copy_record(&image, &r);
      for (int i = 0; i < MOVES; i++)
        image.moves[i].point = km_symmetry_point(k, rows, cols, r.moves[i].point);
      for (int i = 0; i < SETUP; i++)
        image.setup[i].point = km_symmetry_point(k, rows, cols, r.setup[i].point);
      km_game_hash other = hash_of(&image);
      assert_true(km_hash128_equal(hash.canonical, other.canonical));
      assert_true(km_hash128_equal(hash.opening, other.opening));
      assert_int_equal(km_hash128_equal(hash.moves, other.moves), !memcmp(r.moves, image.moves, sizeof r.moves));
      is_an_image |= km_hash128_equal(other.moves, hash.canonical);
    }
    assert_true(is_an_image);
  }
}

/* All three hashes of a changed game, against those of the game: same or different. */
static void assert_changed(const record *a, const record *b, int opening_too) {
  km_game_hash x = hash_of(a), y = hash_of(b);
  assert_false(km_hash128_equal(x.moves, y.moves));
  assert_false(km_hash128_equal(x.canonical, y.canonical));
  assert_int_equal(km_hash128_equal(x.opening, y.opening), !opening_too);
}

static void every_change_shows(void **state) {
  (void)state;
  static record r, other;
  make_record(&r, 19, 19, 99);
  for (uint32_t i = 0; i < MOVES; i++) {
    int early = i < KM_OPENING_MOVES;
    copy_record(&other, &r);
    other.moves[i].colour = km_opponent(r.moves[i].colour);
    assert_changed(&r, &other, early);
    copy_record(&other, &r);
    other.moves[i].point = (uint16_t)((r.moves[i].point + 1) % 362);
    assert_changed(&r, &other, early);
    other.moves[i].point = KM_POINT_OFFBOARD;
    assert_changed(&r, &other, early);
    other.moves[i].point = KM_POINT_BAD;
    assert_changed(&r, &other, early);
    if (i + 1 < MOVES) {
      copy_record(&other, &r);
      other.moves[i] = r.moves[i + 1];
      other.moves[i + 1] = r.moves[i];
      assert_changed(&r, &other, i + 1 <= KM_OPENING_MOVES);
    }
  }
  copy_record(&other, &r);
  other.game.n_moves--; /* a move less */
  assert_changed(&r, &other, 0);
  copy_record(&other, &r);
  other.moves[other.game.n_moves++] = (km_move){361, KM_BLACK, 0}; /* a pass more */
  assert_changed(&r, &other, 0);
}

static void setup_and_size_show(void **state) {
  (void)state;
  static record r, other;
  make_record(&r, 19, 19, 98);
  for (uint32_t i = 0; i < SETUP; i++) {
    int early = r.setup[i].ply < KM_OPENING_MOVES;
    copy_record(&other, &r);
    other.setup[i].colour = (uint8_t)((r.setup[i].colour + 1) % 3);
    assert_changed(&r, &other, early);
    copy_record(&other, &r);
    other.setup[i].point = (uint16_t)((r.setup[i].point + 1) % 361);
    assert_changed(&r, &other, early);
    copy_record(&other, &r);
    other.setup[i].ply++;
    assert_changed(&r, &other, early);
  }
  copy_record(&other, &r); /* the stones of one ply in another order are the same set-up */
  other.setup[0] = r.setup[1];
  other.setup[1] = r.setup[0];
  km_game_hash a = hash_of(&r), b = hash_of(&other);
  assert_memory_equal(&a, &b, sizeof a);
  static const uint8_t sizes[][2] = {{19, 20}, {20, 19}, {20, 20}, {52, 52}};
  for (size_t i = 0; i < 4; i++) {
    copy_record(&other, &r);
    other.game.rows = sizes[i][0];
    other.game.cols = sizes[i][1];
    assert_changed(&r, &other, 1);
  }
  make_record(&r, 9, 13, 3);
  for (int i = 0; i < MOVES; i++) /* only passes, only the size differs: transposed boards are different */
    r.moves[i].point = 117;
  r.game.n_setup = 0;
  copy_record(&other, &r);
  other.game.rows = 13;
  other.game.cols = 9;
  assert_changed(&r, &other, 1);
}

/* No two of many similar games meet: games of two moves and the empty game on 5×5. */
static void similar_games_differ(void **state) {
  (void)state;
  enum { N = 26 * 26 };
  static km_hash128 seen[N];
  static record r;
  size_t n = 0;
  make_record(&r, 5, 5, 0);
  r.game.n_setup = 0;
  r.game.n_moves = 2;
  for (uint16_t a = 0; a < 26; a++)
    for (uint16_t b = 0; b < 26; b++) {
      r.moves[0] = (km_move){a, KM_BLACK, 0};
      r.moves[1] = (km_move){b, KM_WHITE, 0};
      seen[n] = hash_of(&r).moves;
      for (size_t i = 0; i < n; i++)
        assert_int_not_equal(seen[i].low, seen[n].low);
      n++;
    }
}

/* The keys and hashes as they stand in stores; the constants are from another program after the same definition. */
static void values_do_not_change(void **state) {
  (void)state;
  for (uint64_t i = 0; i < KM_KEY_COUNT; i++) {
    assert_int_equal(km_point_keys[i].low, km_mix64(0x6b6966756d696c6cu + 2 * i));
    assert_int_equal(km_point_keys[i].high, km_mix64(0x6b6966756d696c6cu + 2 * i + 1));
  }
  static record r;
  make_record(&r, 19, 19, 1);
  km_game_hash hash = hash_of(&r);
  char text[3][33];
  km_hash_hex(hash.moves, text[0]);
  km_hash_hex(hash.canonical, text[1]);
  km_hash_hex(hash.opening, text[2]);
  assert_string_equal(text[0], "5d38800bb5d0f6c427773aa1ae2bb97e"); /* the canonical one, and 2·TERM_A: of the image under 2 */
  assert_string_equal(text[1], "5d38800bb5d0f6c4eb08472eaf96c154");
  assert_string_equal(text[2], "84f62e1f4271d1642180c92662127573");
}

/* ω·k as the stone of white: three different states, and white's keys are as spread as black's. */
static void stone_keys(void **state) {
  (void)state;
  for (unsigned p = 0; p < KM_POINT_MAX; p++) {
    km_hash128 black = km_stone_key(KM_BLACK, p), white = km_stone_key(KM_WHITE, p);
    assert_true(km_hash128_equal(black, km_point_keys[p]));
    assert_int_equal(white.low, black.high);
    assert_int_equal(white.high, black.low ^ black.high);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(images_have_one_canonical_hash), cmocka_unit_test(every_change_shows),
      cmocka_unit_test(setup_and_size_show),            cmocka_unit_test(similar_games_differ),
      cmocka_unit_test(values_do_not_change),           cmocka_unit_test(stone_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
