/* test_planes_golden.c: every plane digest of tests/golden/games in every layout, variant and symmetry, and
 * with them the sums of planes, policy indices, values and players to move; features.json; planes_text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden_game.h"
#include "kifumill/encoder.h"
#include "kifumill/features.h"
#include "kifumill/sha256.h"

/* One way to encode, and where the JSON file has its digests. */
typedef struct encoding {
  const char *layout, *group, *key;
} encoding;
static const encoding ways[] = {
    {"alphago-zero", "planes17_sha256", "agz"},
    {"black-white-literal", "planes17_sha256", "seed"},
    {"black-white", "planes17_sha256", "seedr"},
    {"alphago-48", "planes48", "sha256_by_sym"},
    {"alphago-48:capture1", "planes48", "sha256_capture1"},
    {"alphago-48:setup-old", "planes48", "sha256_setup_old"},
    {"alphago-48:colour", "planes48", "sha256_49"},
};
enum { N_WAYS = sizeof ways / sizeof ways[0] };

static size_t n_digests, n_positions;
static uint8_t row[64 * KM_POINT_MAX], packed[64 * KM_POINT_MAX], unpacked[KM_POINT_MAX];

static km_plane_encoder *make(const char *layout, unsigned rows, unsigned cols, km_packing packing) {
  km_plane_encoder *encoder;
  km_plane_options options = {
      .rows = (uint8_t)rows, .cols = (uint8_t)cols, .symmetries = 0xff, .packing = (uint8_t)packing};
  assert_int_equal(km_layout_parse(layout, &options.layout, &options.variants, NULL), KM_OK);
  assert_int_equal(km_plane_encoder_new(&encoder, &options, NULL), KM_OK);
  return encoder;
}

static void check_digest(json_t *expected, const char *name, unsigned ply, int k, size_t n_bytes) {
  char digest[KM_SHA256_HEX];
  km_sha256_hex(row, n_bytes, digest);
  if (strcmp(digest, json_string_value(expected)) != 0)
    fail_msg("%s: wrong digest at ply %u, symmetry %d", name, ply, k);
  ++n_digests;
}

/* The packed row is the row of bytes. */
static void check_packed(const km_plane_encoder *encoder, size_t n_points, size_t plane_bytes) {
  for (size_t i = 0; i < km_plane_encoder_n_planes(encoder); ++i) {
    km_plane_unpack(packed + i * plane_bytes, n_points, unpacked);
    assert_memory_equal(unpacked, row + i * n_points, n_points);
    for (size_t p = n_points; p < 8 * plane_bytes; ++p)
      assert_int_equal(packed[i * plane_bytes + p / 8] >> (7 - p % 8) & 1, 0);
  }
}

static void check_sums(json_t *sums, size_t n_points) {
  for (size_t i = 0; i < json_array_size(sums); ++i) {
    unsigned sum = 0;
    for (size_t p = 0; p < n_points; ++p)
      sum += row[i * n_points + p];
    assert_int_equal(sum, json_integer_value(json_array_get(sums, i)));
  }
}

static void check_way(const encoding *way, km_plane_encoder *bytes, km_plane_encoder *bits,
                      const km_replay *replay, json_t *expected) {
  json_t *digests = json_object_get(json_object_get(expected, way->group), way->key);
  const km_game *game = replay->game;
  uint8_t to_play = km_game_to_play(game, replay->ply);
  size_t n_points = (size_t)game->rows * game->cols;
  for (int k = 0; k < 8; ++k) {
    km_plane_encoder_encode(bytes, &replay->board, to_play, k, row);
    km_plane_encoder_encode(bits, &replay->board, to_play, k, packed);
    check_packed(bytes, n_points, km_plane_encoder_plane_bytes(bits));
    json_t *digest = json_is_array(digests) ? json_array_get(digests, (size_t)k) : k == 0 ? digests : NULL;
    if (digest != NULL)
      check_digest(digest, way->layout, replay->ply, k, km_plane_encoder_row_bytes(bytes));
    if (k == 0 && strcmp(way->layout, "alphago-48") == 0)
      check_sums(json_object_get(json_object_get(expected, way->group), "sums"), n_points);
    if (k == 0 && strcmp(way->group, "planes17_sha256") == 0)
      check_sums(json_object_get(json_object_get(expected, "planes17_sums"), way->key), n_points);
  }
}

static void check_labels(const km_replay *replay, json_t *expected) {
  const km_game *game = replay->game;
  uint8_t to_play = km_game_to_play(game, replay->ply);
  assert_int_equal(to_play,
                   json_string_value(json_object_get(expected, "to_play"))[0] == 'B' ? KM_BLACK : KM_WHITE);
  if (replay->ply == game->n_moves)
    return; /* no target in the final position */
  json_t *indices = json_object_get(expected, "policy_index_by_sym"),
         *value = json_object_get(expected, "value_target");
  for (int k = 0; k < 8 && indices != NULL; ++k)
    assert_int_equal(km_policy_index(k, game->rows, game->cols, game->moves[replay->ply].point),
                     json_integer_value(json_array_get(indices, (size_t)k)));
  assert_int_equal(km_value_target(game->winner, to_play),
                   json_is_null(value) || value == NULL ? KM_WINNER_UNKNOWN : json_integer_value(value));
}

static int8_t winner_of(const char *result) {
  if (result == NULL)
    return KM_WINNER_UNKNOWN;
  if (result[1] == '+')
    return result[0] == 'B' ? KM_WINNER_BLACK : KM_WINNER_WHITE;
  int draw = strcmp(result, "0") == 0 || strcmp(result, "Draw") == 0 || strcmp(result, "Jigo") == 0;
  return draw ? KM_WINNER_DRAW : KM_WINNER_UNKNOWN;
}

/* The legal prefix of a golden game. */
static void load(golden_game *golden, const char *name) {
  assert_int_equal(golden_load(golden, name), 0);
  golden->game.n_moves = (uint32_t)json_integer_value(json_object_get(golden->json, "T"));
  const char *final = json_string_value(json_object_get(golden->json, "final_to_play"));
  golden->game.final_to_play = final[0] == 'B' ? KM_BLACK : KM_WHITE;
  golden->game.winner =
      winner_of(json_string_value(json_object_get(json_object_get(golden->json, "info"), "RE")));
}

static json_t *expected_at(const golden_game *golden, unsigned ply) {
  char key[16];
  snprintf(key, sizeof key, "%u", ply);
  return json_object_get(json_object_get(golden->json, "selected"), key);
}

static void check_game(const char *name) {
  static km_replay replay;
  golden_game golden;
  km_plane_encoder *bytes[N_WAYS], *bits[N_WAYS];
  load(&golden, name);
  km_replay_init(&replay, &golden.game, &(km_replay_options){0});
  for (int i = 0; i < N_WAYS; ++i) {
    bytes[i] = make(ways[i].layout, golden.game.rows, golden.game.cols, KM_PACK_BYTES);
    bits[i] = make(ways[i].layout, golden.game.rows, golden.game.cols, KM_PACK_BITS);
    km_plane_encoder_begin(bytes[i], &replay);
    km_plane_encoder_begin(bits[i], &replay);
  }
  for (;;) {
    json_t *expected = expected_at(&golden, replay.ply);
    if (expected != NULL) {
      check_labels(&replay, expected);
      for (int i = 0; i < N_WAYS; ++i)
        check_way(&ways[i], bytes[i], bits[i], &replay, expected);
      ++n_positions;
    }
    if (km_replay_step(&replay) != KM_OK)
      break;
    for (int i = 0; i < N_WAYS; ++i) {
      km_plane_encoder_follow(bytes[i], &replay);
      km_plane_encoder_follow(bits[i], &replay);
    }
  }
  assert_int_equal(replay.ply, golden.game.n_moves);
  for (int i = 0; i < N_WAYS; ++i) {
    km_plane_encoder_free(bytes[i]);
    km_plane_encoder_free(bits[i]);
  }
  golden_clear(&golden);
}

static void test_games(void **state) {
  (void)state;
  char **names = golden_names();
  size_t n = 0;
  assert_non_null(names);
  while (names[n] != NULL)
    check_game(names[n++]);
  golden_names_free(names);
  assert_int_equal(n, 58);
  assert_int_equal(n_positions, 331);
  assert_int_equal(n_digests, 11409);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_games)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
