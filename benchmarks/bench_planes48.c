/* bench_planes48.c: positions of AlphaGo's 48 planes a second, and what of that is the ladders.
 *
 * Made-up games are fuller of chains in atari than any real ones. The digest is of all rows, ladder points and
 * features of moves. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/encoder.h"
#include "kifumill/features.h"

enum { ROUNDS = 7, GAMES = 200, QUICK_GAMES = 4, SIDE = 19, ROWS = 256 };

typedef struct bench {
  flat_games games;
  km_replay replay;
  km_plane_encoder *encoder;
  km_feature_reader *reader;
  uint8_t *rows;
  size_t row_bytes;
  uint16_t points[KM_POINT_MAX];
} bench;

/* What is made of a position. */
typedef struct making {
  void (*make)(bench *b, uint8_t *row, int k, bench_sample *sample);
  int n_symmetries;
} making;

static void fold(bench_sample *sample, const void *bytes, size_t n_bytes) {
  if (sample->wants_digest)
    sample->digest = bench_digest(sample->digest, bytes, n_bytes);
}

static void copy_row(bench *b, uint8_t *row, int k, bench_sample *sample) {
  (void)sample;
  memcpy(row, b->rows + ROWS * b->row_bytes + k, b->row_bytes);
  bench_written(row);
}

static void encode_row(bench *b, uint8_t *row, int k, bench_sample *sample) {
  km_plane_encoder_encode(b->encoder, &b->replay.board, km_game_to_play(b->replay.game, b->replay.ply), k, row);
  fold(sample, row, b->row_bytes);
}

static void read_ladders(bench *b, uint8_t *row, int k, bench_sample *sample) {
  (void)row, (void)k;
  uint8_t to_play = km_game_to_play(b->replay.game, b->replay.ply);
  km_feature_reader_set(b->reader, &b->replay.board);
  size_t n = km_feature_reader_ladder_captures(b->reader, to_play, b->points);
  fold(sample, b->points, n * sizeof *b->points);
  n = km_feature_reader_ladder_escapes(b->reader, to_play, b->points);
  fold(sample, b->points, n * sizeof *b->points);
}

/* The seven features of the move played. */
static void move_features(bench *b, uint8_t *row, int k, bench_sample *sample) {
  (void)row, (void)k;
  km_move move = b->replay.game->moves[b->replay.ply];
  km_move_features features;
  if (move.point >= b->replay.board.n_points)
    return;
  km_feature_reader_set(b->reader, &b->replay.board);
  km_feature_reader_move(b->reader, move.colour, move.point, &features);
  fold(sample, &features, sizeof features);
}

static void run_making(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const making *m = row->argument;
  size_t n = 0;
  for (size_t g = 0; g < b->games.n_games; g++) {
    const km_game *game = &b->games.games[g];
    km_replay_init(&b->replay, game, &(km_replay_options){.mode = KM_REPLAY_STRICT});
    km_plane_encoder_begin(b->encoder, &b->replay);
    while (b->replay.ply < game->n_moves) {
      for (int k = 0; k < m->n_symmetries; k++)
        m->make(b, b->rows + n++ % ROWS * b->row_bytes, k, sample);
      if (km_replay_step(&b->replay) != KM_OK)
        break;
      km_plane_encoder_follow(b->encoder, &b->replay);
    }
  }
  sample->n_units = (double)n;
}

#define MAKING(...) .unit = "row", .run = run_making, .argument = &(making){__VA_ARGS__}
#define FLOOR "floor: replay, copy 2208 bytes"

int main(int argc, char **argv) {
  const bench_row rows[] = {
      {FLOOR, MAKING(copy_row, 1)},
      {"48 planes", MAKING(encode_row, 1), .floor = FLOOR, .reach_rate = 40e3},
      {"48 planes, all 8", MAKING(encode_row, 8), .floor = FLOOR},
      {"ladders alone", MAKING(read_ladders, 1), .floor = FLOOR},
      {"features of the move", MAKING(move_features, 1), .floor = FLOOR},
  };
  static bench b;
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_planes48 [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  flat_games_load(&b.games, options.input, options.quick ? QUICK_GAMES : GAMES);
  const km_plane_options made = {.layout = km_layout_find("alphago-48"), .rows = SIDE, .cols = SIDE, .symmetries = 0xff};
  if (km_plane_encoder_new(&b.encoder, &made, NULL) != KM_OK || km_feature_reader_new(&b.reader, 0, NULL) != KM_OK)
    bench_die("out of memory");
  b.row_bytes = km_plane_encoder_row_bytes(b.encoder);
  b.rows = bench_need(calloc(ROWS + 2, b.row_bytes));
  const bench_title title = {"bench_planes48", "AlphaGo's 48 planes with exact ladders", b.games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  free(b.rows);
  km_feature_reader_free(b.reader);
  km_plane_encoder_free(b.encoder);
  flat_games_clear(&b.games);
  return code;
}
