/* bench_planes48.c: positions of the 48 planes a second, and what of that is the ladders.
 *
 *     bench_planes48 [FILE]
 *
 * FILE as in flat_games.h (bench_replay's); the first 200 games of 19×19 are used. Without it 50 random
 * games, whose boards are fuller of chains in atari than any real game's. Printed are the median and the
 * spread over the rounds, the ratio to a copy of as many bytes, and a digest of all rows (made in a pass of
 * its own). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat_games.h"
#include "kifumill/encoder.h"
#include "kifumill/features.h"

enum { ROUNDS = 7, GAMES = 200, RANDOM_GAMES = 50, ROWS = 256 };

typedef struct bench {
  flat_games games;
  km_replay replay;
  km_plane_encoder *encoder;
  km_feature_reader *reader;
  uint8_t *rows;
  uint16_t points[KM_POINT_MAX];
  int digests; /* whether the digest is wanted */
  uint64_t digest;
  size_t n_rows;
} bench;

static void die(const char *what) {
  fprintf(stderr, "bench_planes48: %s\n", what);
  exit(1);
}

static void fold(bench *b, const void *bytes, size_t n_bytes) {
  if (!b->digests)
    return;
  km_hash128 hash = km_hash_bytes(bytes, n_bytes);
  b->digest = km_mix64(b->digest ^ hash.low ^ hash.high);
}

static void copy_row(bench *b, uint8_t *row, int k) {
  memcpy(row, b->rows + ROWS * km_plane_encoder_row_bytes(b->encoder) + k,
         km_plane_encoder_row_bytes(b->encoder));
  __asm__ volatile("" : : "r"(row) : "memory");
}

static void encode_row(bench *b, uint8_t *row, int k) {
  uint8_t to_play = km_game_to_play(b->replay.game, b->replay.ply);
  km_plane_encoder_encode(b->encoder, &b->replay.board, to_play, k, row);
  fold(b, row, km_plane_encoder_row_bytes(b->encoder));
}

static void read_ladders(bench *b, uint8_t *row, int k) {
  (void)row, (void)k;
  uint8_t to_play = km_game_to_play(b->replay.game, b->replay.ply);
  km_feature_reader_set(b->reader, &b->replay.board);
  size_t n = km_feature_reader_ladder_captures(b->reader, to_play, b->points);
  fold(b, b->points, n * sizeof b->points[0]);
  n = km_feature_reader_ladder_escapes(b->reader, to_play, b->points);
  fold(b, b->points, n * sizeof b->points[0]);
}

/* The seven features of the move played. */
static void move_features(bench *b, uint8_t *row, int k) {
  (void)row, (void)k;
  km_move move = b->replay.game->moves[b->replay.ply];
  km_move_features features;
  if (move.point >= b->replay.board.n_points)
    return;
  km_feature_reader_set(b->reader, &b->replay.board);
  km_feature_reader_move(b->reader, move.colour, move.point, &features);
  fold(b, &features, sizeof features);
}

static const struct {
  const char *name;
  void (*make)(bench *b, uint8_t *row, int k);
  int n_symmetries;
} table[] = {
    {"floor: copy 2208 bytes", copy_row, 1},    {"48 planes", encode_row, 1},
    {"48 planes, all 8", encode_row, 8},        {"ladders alone", read_ladders, 1},
    {"features of the move", move_features, 1},
};
enum { N_MEASUREMENTS = sizeof table / sizeof table[0] };

static void run(bench *b, int which) {
  size_t row_bytes = km_plane_encoder_row_bytes(b->encoder);
  b->n_rows = 0;
  for (size_t g = 0; g < b->games.n_games; ++g) {
    const km_game *game = &b->games.games[g];
    km_replay_init(&b->replay, game, &(km_replay_options){0});
    km_plane_encoder_begin(b->encoder, &b->replay);
    while (b->replay.ply < game->n_moves) {
      for (int k = 0; k < table[which].n_symmetries; ++k)
        table[which].make(b, b->rows + b->n_rows++ % ROWS * row_bytes, k);
      if (km_replay_step(&b->replay) != KM_OK)
        break;
      km_plane_encoder_follow(b->encoder, &b->replay);
    }
  }
}

int main(int argc, char **argv) {
  static bench b;
  static double seconds[N_MEASUREMENTS][ROUNDS];
  uint64_t digest[N_MEASUREMENTS];
  size_t n_rows[N_MEASUREMENTS];
  double floor_time = 0;
  flat_games_load(&b.games, argc > 1 ? argv[1] : NULL, argc > 1 ? GAMES : RANDOM_GAMES);
  km_plane_options options = {
      .layout = km_layout_find("alphago-48"), .rows = 19, .cols = 19, .symmetries = 0xff};
  if (km_plane_encoder_new(&b.encoder, &options, NULL) != KM_OK ||
      km_feature_reader_new(&b.reader, 0, NULL) != KM_OK)
    die("out of memory");
  b.rows = calloc(ROWS + 2, km_plane_encoder_row_bytes(b.encoder));
  if (b.rows == NULL)
    die("out of memory");
  for (int round = -1; round < ROUNDS; ++round)
    for (int i = 0; i < N_MEASUREMENTS; ++i) {
      b.digests = round < 0;
      b.digest = 0;
      double begin = seconds_now();
      run(&b, i);
      if (round >= 0)
        seconds[i][round] = seconds_now() - begin;
      else
        digest[i] = b.digest, n_rows[i] = b.n_rows;
    }
  printf("%zu games, %llu moves, %d rounds\n", b.games.n_games, (unsigned long long)b.games.n_moves, ROUNDS);
  printf("%-24s %9s %19s %9s %9s  %s\n", "", "k rows/s", "smallest … largest", "us/row", "× floor", "digest");
  for (int i = 0; i < N_MEASUREMENTS; ++i) {
    double n = (double)n_rows[i], per_row = median_of(seconds[i], ROUNDS) / n;
    floor_time = i == 0 ? per_row : floor_time;
    printf("%-24s %9.1f %8.1f … %8.1f %9.2f %9.1f  %016llx\n", table[i].name, 1e-3 / per_row,
           1e-3 * n / seconds[i][ROUNDS - 1], 1e-3 * n / seconds[i][0], 1e6 * per_row, per_row / floor_time,
           (unsigned long long)digest[i]);
  }
  free(b.rows);
  km_feature_reader_free(b.reader);
  km_plane_encoder_free(b.encoder);
  flat_games_clear(&b.games);
  return 0;
}
