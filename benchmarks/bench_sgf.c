/* bench_sgf.c: bytes and moves a second of the SGF reader, beside what any reader must at least do.
 *
 * The games stand one behind the other in one buffer. Rows: the reader, with an arena for the records that is reset
 * every 64 of them; and the reader with the replay of every game. The floor adds up every byte, one at a time, as a
 * plain parser would have to look at it. The digest is of all moves, their positions in the text, and the winners. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/hash.h"
#include "kifumill/replay.h"
#include "kifumill/sgf.h"

enum { ROUNDS = 9, GAMES = 20000, QUICK_GAMES = 100, RESET_EVERY = 64 };

typedef struct bench {
  flat_games games;
  char *copy;
  km_arena reader, records;
  km_text_decoder *decoder;
  km_replay replay;
} bench;

static void copy_bytes(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  memcpy(b->copy, b->games.text, b->games.n_text);
  bench_written(b->copy);
  sample->n_units = (double)b->games.n_text;
}

static void add_bytes(void *context, const bench_row *row, bench_sample *sample) {
  const bench *b = context;
  (void)row;
  uint64_t sum = 0;
  for (size_t i = 0; i < b->games.n_text; i++) {
    sum += (uint8_t)b->games.text[i];
    __asm__ volatile("" : "+r"(sum)); /* a byte at a time */
  }
  sample->digest = sum;
  sample->n_units = (double)b->games.n_text;
}

static uint64_t replay_game(bench *b, const km_game *game) {
  const km_replay_options options = {.mode = KM_REPLAY_STRICT};
  km_replay_init(&b->replay, game, &options);
  while (km_replay_step(&b->replay) == KM_OK) {
  }
  return b->replay.ply ^ b->replay.board.hash.low;
}

static uint64_t digest_record(const km_sgf_record *record) {
  const km_game *game = &record->game;
  uint64_t digest = (uint8_t)game->winner ^ (uint64_t)record->n_findings << 32;
  for (uint32_t i = 0; i < game->n_moves; i++)
    digest = km_mix64(digest ^ record->move_pos[i] << 24 ^ (uint64_t)game->moves[i].colour << 16 ^ game->moves[i].point);
  return digest;
}

typedef enum reading { READ, REPLAY } reading;

/* The unit is a byte, or a move where the row replays. */
static void read_all(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const reading *what = row->argument;
  const km_sgf_options options = {.decoder = b->decoder, .records = &b->records};
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err;
  uint64_t n_records = 0, n_moves = 0;
  km_arena_reset(&b->reader);
  km_arena_reset(&b->records);
  if (km_sgf_open(&reader, b->games.text, b->games.n_text, &options, &b->reader, &err))
    bench_die(err.msg);
  while (km_sgf_next(reader, &record, &err) == KM_OK) {
    n_moves += record.game.n_moves;
    if (*what == REPLAY)
      sample->digest = km_mix64(sample->digest ^ replay_game(b, &record.game));
    else if (sample->wants_digest)
      sample->digest = km_mix64(sample->digest ^ digest_record(&record));
    if (++n_records % RESET_EVERY == 0)
      km_arena_reset(&b->records);
  }
  sample->n_units = *what == REPLAY ? (double)n_moves : (double)b->games.n_text;
}

#define FLOOR "floor: add bytes"

int main(int argc, char **argv) {
  static const reading parse = READ, parse_replay = REPLAY;
  static const bench_row rows[] = {
      {"floor: copy", "byte", .run = copy_bytes},
      {FLOOR, "byte", .run = add_bytes},
      {"parse", "byte", read_all, .argument = &parse, .floor = FLOOR, .reach_rate = 300e6},
      {"parse and replay, moves", "move", read_all, .argument = &parse_replay, .reach_rate = 14e6},
  };
  static bench b;
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_sgf [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  flat_games_load(&b.games, options.input, options.quick ? QUICK_GAMES : GAMES);
  km_arena_init(&b.reader);
  km_arena_init(&b.records);
  b.decoder = bench_need(km_text_decoder_new());
  b.copy = bench_need(calloc(1, b.games.n_text));
  const bench_title title = {"bench_sgf", "SGF in memory to games, with recovery and positions", b.games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  free(b.copy);
  km_text_decoder_free(b.decoder);
  km_arena_clear(&b.reader);
  km_arena_clear(&b.records);
  flat_games_clear(&b.games);
  return code;
}
