/* bench_planes.c: rows of planes a second in memory, beside the replay they ride on and a copy of as many bytes.
 *
 * Rows go to a buffer of 256 rows in turn, as the shard stage fills its chunks. One row of the table starts from SGF
 * text, all others from games. The digest is of all bytes of all rows. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/encoder.h"
#include "kifumill/sgf.h"

enum { ROUNDS = 9, GAMES = 2000, QUICK_GAMES = 40, SIDE = 19, ROWS = 256, RESET_EVERY = 64 };

typedef enum action { COPY, REPLAY, FOLLOW, ENCODE, PARSE_ENCODE } action;

/* What a row of the table makes. */
typedef struct making {
  const char *layout;
  action action;
  int packing;        /* km_packing */
  uint8_t symmetries; /* kept by the encoder */
  unsigned n_rows;    /* a position: 1, or 8 for all symmetries */
  int is_random;      /* one symmetry drawn a row */
} making;

typedef struct bench {
  flat_games games;
  km_arena reader, records;
  km_text_decoder *decoder;
  km_replay replay;
  km_plane_encoder *encoder; /* of the making that runs */
  uint8_t *buffer;
  size_t row_bytes, n_rows;
} bench;

static void copy_rows(bench *b) {
  const uint8_t *from = b->buffer + ROWS * b->row_bytes;
  for (uint64_t i = 0; i < b->games.n_moves; i++, b->n_rows++) {
    uint8_t *row = b->buffer + b->n_rows % ROWS * b->row_bytes;
    memcpy(row, from + i % 8, b->row_bytes);
    bench_written(row);
  }
}

static void encode_rows(bench *b, const making *m, uint64_t number, bench_sample *sample) {
  const km_game *game = b->replay.game;
  for (unsigned i = 0; i < m->n_rows; i++, b->n_rows++) {
    unsigned k = m->is_random ? (unsigned)(km_random(1, number, b->replay.ply, KM_PURPOSE_SYMMETRY) >> 61) : i;
    uint8_t *row = b->buffer + b->n_rows % ROWS * b->row_bytes;
    km_plane_encoder_encode(b->encoder, &b->replay.board, game->moves[b->replay.ply].colour, (int)k, row);
    if (sample->wants_digest)
      sample->digest = bench_digest(sample->digest, row, b->row_bytes);
  }
}

static void run_game(bench *b, const making *m, const km_game *game, uint64_t number, bench_sample *sample) {
  km_replay_init(&b->replay, game, &(km_replay_options){.mode = KM_REPLAY_STRICT});
  km_plane_encoder_begin(b->encoder, &b->replay);
  while (b->replay.ply < game->n_moves) {
    if (m->action >= ENCODE)
      encode_rows(b, m, number, sample);
    if (km_replay_step(&b->replay) != KM_OK)
      break;
    if (m->action >= FOLLOW)
      km_plane_encoder_follow(b->encoder, &b->replay);
    b->n_rows += m->action < ENCODE;
  }
}

static void parse_games(bench *b, const making *m, bench_sample *sample) {
  const km_sgf_options options = {.decoder = b->decoder, .records = &b->records};
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err;
  km_arena_reset(&b->reader);
  km_arena_reset(&b->records);
  if (km_sgf_open(&reader, b->games.text, b->games.n_text, &options, &b->reader, &err))
    bench_die(err.msg);
  for (uint64_t n = 0; km_sgf_next(reader, &record, &err) == KM_OK;) {
    run_game(b, m, &record.game, n++, sample);
    if (n % RESET_EVERY == 0)
      km_arena_reset(&b->records);
  }
}

static void run_making(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const making *m = row->argument;
  const km_plane_options options = {.layout = km_layout_find(m->layout),
                                    .rows = SIDE,
                                    .cols = SIDE,
                                    .symmetries = m->symmetries,
                                    .packing = (uint8_t)m->packing};
  km_err err;
  if (km_plane_encoder_new(&b->encoder, &options, &err) != KM_OK)
    bench_die(err.msg);
  b->row_bytes = km_plane_encoder_row_bytes(b->encoder);
  b->n_rows = 0;
  if (m->action == COPY)
    copy_rows(b);
  else if (m->action == PARSE_ENCODE)
    parse_games(b, m, sample);
  for (size_t g = 0; m->action != COPY && m->action != PARSE_ENCODE && g < b->games.n_games; g++)
    run_game(b, m, &b->games.games[g], g, sample);
  bench_written(b->buffer);
  sample->n_units = (double)b->n_rows;
  km_plane_encoder_free(b->encoder);
}

#define MAKING(...) .unit = "row", .run = run_making, .argument = &(making){__VA_ARGS__}
#define COPY_BITS "floor: copy 782 bytes"
#define COPY_BYTES "floor: copy 6137 bytes"
#define AGZ "alphago-zero"

int main(int argc, char **argv) {
  const bench_row rows[] = {
      {COPY_BITS, MAKING(AGZ, COPY, KM_PACK_BITS, 1, 1, 0)},
      {"replay alone", MAKING(AGZ, REPLAY, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS},
      {"replay, follow", MAKING(AGZ, FOLLOW, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS},
      {AGZ, MAKING(AGZ, ENCODE, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS},
      {"alphago-zero from SGF", MAKING(AGZ, PARSE_ENCODE, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS, .reach_rate = 9e6},
      {"alphago-zero, random symmetry", MAKING(AGZ, ENCODE, KM_PACK_BITS, 0xff, 1, 1), .floor = COPY_BITS},
      {"alphago-zero, all 8", MAKING(AGZ, ENCODE, KM_PACK_BITS, 0xff, 8, 0), .floor = COPY_BITS, .reach_rate = 25e6},
      {"black-white", MAKING("black-white", ENCODE, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS},
      {"leela-zero", MAKING("leela-zero", ENCODE, KM_PACK_BITS, 1, 1, 0), .floor = COPY_BITS},
      {COPY_BYTES, MAKING(AGZ, COPY, KM_PACK_BYTES, 1, 1, 0)},
      {"alphago-zero, bytes", MAKING(AGZ, ENCODE, KM_PACK_BYTES, 1, 1, 0), .floor = COPY_BYTES},
  };
  static bench b;
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_planes [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  flat_games_load(&b.games, options.input, options.quick ? QUICK_GAMES : GAMES);
  km_arena_init(&b.reader);
  km_arena_init(&b.records);
  b.decoder = bench_need(km_text_decoder_new());
  b.buffer = bench_need(calloc(ROWS + 2, 18 * SIDE * SIDE));
  const bench_title title = {"bench_planes", "training rows made in memory, parsing and replay included where told",
                             b.games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  free(b.buffer);
  km_text_decoder_free(b.decoder);
  km_arena_clear(&b.reader);
  km_arena_clear(&b.records);
  flat_games_clear(&b.games);
  return code;
}
