/* bench_feed.c: rows a second of a feed on one core, in each order, beside their floors.
 *
 *     bench_feed games.h5 [ROWS]
 *
 * For each measurement ROWS rows (1,000,000) go to a buffer of 256 rows in turn. Floors: memcpy of the same bytes from
 * buffers that lie apart, and the replay of the games in file order alone (moves a second: what making rows in the order of
 * the games could not beat if it played them). `cold` rows are those for which the game must be played and remembered
 * first. Printed are million rows a second, nanoseconds a row, the ratio to memcpy, and a digest of the rows that does not
 * depend on their order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kifumill/arena.h"
#include "kifumill/feed.h"
#include "kifumill/games_store.h"
#include "kifumill/replay.h"

enum { BATCH = 256, APART = 1 << 16 };

typedef struct measurement {
  const char *name, *settings[6];
  int is_read_twice; /* the games are remembered */
} measurement;

static const measurement table[] = {
    {"global, cold", {"order=global"}, 0},
    {"global", {"order=global"}, 1},
    {"global, symmetries", {"order=global", "symmetries=random"}, 1},
    {"pool", {"order=pool"}, 0},
    {"pool, symmetries", {"order=pool", "symmetries=random"}, 0},
    {"in order of the games", {"shuffle=off"}, 0},
    {"global, bytes", {"order=global", "pack=bytes"}, 1},
    {"global, black-white", {"order=global", "layout=black-white"}, 1},
};
enum { N_MEASUREMENTS = sizeof table / sizeof table[0] };

static uint8_t *planes;

static void die(const char *what) {
  fprintf(stderr, "bench_feed: %s\n", what);
  exit(1);
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void report(const char *name, double seconds, uint64_t n, double floor, uint64_t digest) {
  double ns = 1e9 * seconds / (double)n;
  printf("%-24s %8.2f %8.1f %8.2f  %016llx\n", name, 1e3 / ns, ns, floor > 0 ? ns / floor : 1.0, (unsigned long long)digest);
}

/* Nanoseconds of copying a row from some place to the buffer. */
static double copy_rows(uint64_t n_rows, size_t row_bytes) {
  uint8_t *from = calloc(APART, row_bytes);
  if (!from)
    die("out of memory");
  memset(from, 1, APART * row_bytes);
  double begin = seconds_now();
  for (uint64_t i = 0; i < n_rows; i++) {
    memcpy(planes + i % BATCH * row_bytes, from + km_random_below(km_mix64(i), APART) * row_bytes, row_bytes);
    __asm__ volatile("" : : "r"(planes) : "memory");
  }
  double seconds = seconds_now() - begin;
  free(from);
  report("floor: memcpy", seconds, n_rows, 0, 0);
  return 1e9 * seconds / (double)n_rows;
}

static void replay_games(const char *path, uint64_t n_rows, double floor) {
  static km_replay replay;
  km_games *games;
  km_arena arena;
  km_game game;
  km_err err;
  uint64_t n = 0, folded = 0;
  if (km_games_open(&games, path, &err) != KM_OK)
    die(err.msg);
  km_arena_init(&arena);
  double begin = seconds_now();
  for (uint64_t i = 0; n < n_rows; i = (i + 1) % km_games_count(games)) {
    km_arena_reset(&arena);
    if (km_games_game(games, i, &arena, &game, &err) != KM_OK)
      die(err.msg);
    km_replay_init(&replay, &game, &(km_replay_options){.mode = KM_REPLAY_SGF});
    while (km_replay_step(&replay) == KM_OK)
      n++;
    folded ^= replay.board.hash.low;
  }
  report("replay alone", seconds_now() - begin, n, floor, folded);
  km_arena_clear(&arena);
  km_games_close(games);
}

/* Rows 0 … n_rows-1 of the epochs, batch by batch; digests 1: the order does not matter. */
static uint64_t read_rows(km_feed *feed, const km_feed_shape *shape, uint64_t n_rows, int digests) {
  static int16_t policy[BATCH];
  static int8_t value[BATCH];
  km_feed_cursor cursor = {.batch_rows = BATCH, .world = 1, .workers = 1};
  km_feed_buffers buffers = {.planes = planes, .policy = policy, .value = value};
  uint64_t digest = 0, n;
  for (uint64_t done = 0; done < n_rows; done += n) {
    int status = km_feed_next(feed, &cursor, &buffers, &n);
    if (status < 0)
      die(km_feed_message(feed));
    for (uint64_t i = 0; i < n && digests; i++)
      digest += km_hash_bytes(planes + i * shape->row_bytes, shape->row_bytes).low ^ (uint64_t)(uint16_t)policy[i];
  }
  return digest;
}

static void measure(const measurement *m, const char *path, uint64_t n_rows, double floor) {
  km_feed *feed;
  km_feed_shape shape;
  char message[320];
  const char *settings[8] = {"split=1"};
  memcpy(settings + 1, m->settings, sizeof m->settings);
  double begin = seconds_now();
  if (km_feed_open(&feed, path, settings, message, sizeof message) != 0)
    die(message);
  double open_seconds = seconds_now() - begin;
  km_feed_describe(feed, &shape);
  if (shape.n_rows == 0)
    die("no rows of 19x19");
  if (m->is_read_twice)
    read_rows(feed, &shape, shape.n_rows < 4 * n_rows ? shape.n_rows : n_rows, 0);
  begin = seconds_now();
  read_rows(feed, &shape, n_rows, 0);
  double seconds = seconds_now() - begin;
  report(m->name, seconds, n_rows, floor, read_rows(feed, &shape, shape.n_rows < n_rows ? shape.n_rows : n_rows, 1));
  if (m == table)
    printf("%-24s %8.3f s for %llu games, %llu rows\n", "  opening", open_seconds, (unsigned long long)shape.n_games,
           (unsigned long long)shape.n_rows);
  km_feed_close(feed);
}

int main(int argc, char **argv) {
  uint64_t n_rows = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000;
  if (argc < 2 || n_rows == 0)
    die("usage: bench_feed games.h5 [ROWS]");
  planes = malloc((size_t)BATCH * 48 * 361);
  if (!planes)
    die("out of memory");
  printf("%-24s %8s %8s %8s  %s\n", "", "M rows/s", "ns/row", "× floor", "digest");
  double floor = copy_rows(n_rows, 782);
  replay_games(argv[1], n_rows, floor);
  for (int i = 0; i < N_MEASUREMENTS; i++)
    measure(&table[i], argv[1], n_rows, floor);
  free(planes);
  return 0;
}
