/* bench_feed.c: rows a second of a feed on one core, in each order, beside their floors.
 *
 * Rows go to a buffer of 256 rows in turn. Floors: memcpy of the same bytes from buffers that lie apart, and the replay
 * of the games in file order alone, what making rows in the order of the games could not beat if it played them. "Cold"
 * rows are those for which the game must be played and remembered first; for the others a first pass is not timed. The
 * digest does not depend on the order of the rows. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "kifumill/arena.h"
#include "kifumill/feed.h"
#include "kifumill/games_store.h"
#include "kifumill/hash.h"
#include "kifumill/replay.h"
#include "stored_games.h"

enum { ROUNDS = 3, GAMES = 5000, QUICK_GAMES = 40, ROWS = 1000000, QUICK_ROWS = 2000, BATCH = 256, APART = 1 << 16, ROW_BYTES = 782 };

typedef struct bench {
  stored_games stored;
  uint64_t n_rows;
  uint8_t *planes, *apart;
} bench;

/* How the feed is set up. */
typedef struct feeding {
  const char *settings[4];
  int is_warm; /* the games are remembered from an earlier pass */
} feeding;

static void copy_rows(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (uint64_t i = 0; i < b->n_rows; i++) {
    memcpy(b->planes + i % BATCH * ROW_BYTES, b->apart + km_random_below(km_mix64(i), APART) * ROW_BYTES, ROW_BYTES);
    bench_written(b->planes);
  }
  sample->n_units = (double)b->n_rows;
}

static void replay_games(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  static km_replay replay;
  km_games *games;
  km_arena arena;
  km_game game;
  km_err err;
  if (km_games_open(&games, b->stored.path, &err) != KM_OK)
    bench_die(err.msg);
  km_arena_init(&arena);
  uint64_t n = 0, n_games = km_games_count(games);
  for (uint64_t i = 0; n < b->n_rows; i = i + 1 < n_games ? i + 1 : 0) {
    km_arena_reset(&arena);
    if (km_games_game(games, i, &arena, &game, &err) != KM_OK)
      bench_die(err.msg);
    km_replay_init(&replay, &game, &(km_replay_options){.mode = KM_REPLAY_SGF});
    while (km_replay_step(&replay) == KM_OK)
      n++;
    sample->digest ^= replay.board.hash.low;
  }
  km_arena_clear(&arena);
  km_games_close(games);
  sample->n_units = (double)n;
}

/* Rows 0 … n_rows-1 of the epochs, batch by batch. */
static uint64_t read_rows(bench *b, km_feed *feed, size_t row_bytes, uint64_t n_rows, int digests) {
  static int16_t policy[BATCH];
  static int8_t value[BATCH];
  km_feed_cursor cursor = {.batch_rows = BATCH, .world = 1, .workers = 1};
  km_feed_buffers buffers = {.planes = b->planes, .policy = policy, .value = value};
  uint64_t digest = 0, n;
  for (uint64_t done = 0; done < n_rows; done += n) {
    if (km_feed_next(feed, &cursor, &buffers, &n) < 0)
      bench_die(km_feed_message(feed));
    for (uint64_t i = 0; i < n && digests; i++)
      digest += km_hash_bytes(b->planes + i * row_bytes, row_bytes).low ^ (uint64_t)(uint16_t)policy[i];
  }
  return digest;
}

static void run_feed(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const feeding *f = row->argument;
  const char *settings[6] = {"split=1"};
  char message[320];
  km_feed *feed;
  km_feed_shape shape;
  memcpy(settings + 1, f->settings, sizeof f->settings);
  if (km_feed_open(&feed, b->stored.path, settings, message, sizeof message) != 0)
    bench_die(message);
  km_feed_describe(feed, &shape);
  if (shape.n_rows == 0)
    bench_die("no rows of 19x19");
  if (f->is_warm && !sample->wants_digest)
    read_rows(b, feed, shape.row_bytes, shape.n_rows < 4 * b->n_rows ? shape.n_rows : b->n_rows, 0);
  double begin = bench_processor_seconds();
  /* whole epochs, so that all orders have one digest */
  sample->digest = read_rows(b, feed, shape.row_bytes, sample->wants_digest ? shape.n_rows : b->n_rows, sample->wants_digest);
  sample->seconds = bench_processor_seconds() - begin;
  sample->n_units = (double)b->n_rows;
  km_feed_close(feed);
}

#define FEED(warm, ...) .unit = "row", .run = run_feed, .argument = &(feeding){{__VA_ARGS__}, warm}, .floor = FLOOR
#define FLOOR "floor: memcpy"

int main(int argc, char **argv) {
  const bench_row rows[] = {
      {FLOOR, "row", .run = copy_rows},
      {"replay alone", "move", .run = replay_games},
      {"global, cold", FEED(0, "order=global")},
      {"global", FEED(1, "order=global")},
      {"global, symmetries", FEED(1, "order=global", "symmetries=random")},
      {"pool", FEED(0, "order=pool")},
      {"pool, symmetries", FEED(0, "order=pool", "symmetries=random")},
      {"in order of the games", FEED(0, "shuffle=off")},
      {"global, bytes", FEED(1, "order=global", "pack=bytes")},
      {"global, black-white", FEED(1, "order=global", "layout=black-white")},
  };
  static bench b;
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_feed [--json | --digests] [--quick] [--rounds N] [ARCHIVE | games.h5]", ROUNDS);
  b.n_rows = options.quick ? QUICK_ROWS : ROWS;
  b.planes = bench_need(malloc((size_t)BATCH * 48 * 361));
  b.apart = bench_need(malloc((size_t)APART * ROW_BYTES));
  memset(b.apart, 1, (size_t)APART * ROW_BYTES);
  stored_games_open(&b.stored, &options, options.quick ? QUICK_GAMES : GAMES);
  const bench_title title = {"bench_feed", "training rows straight from games.h5, in memory", b.stored.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  stored_games_close(&b.stored);
  free(b.apart);
  free(b.planes);
  return code;
}
