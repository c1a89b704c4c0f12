/* bench_planes.c: rows of planes a second in memory, beside the replay they ride on and a copy of the same
 * bytes.
 *
 *     bench_planes [FILE]
 *
 * FILE as in flat_games.h (bench_replay's); without it 1,000 random games. Rows go to a buffer of 256 rows in
 * turn, as the shard stage fills its chunks. All measurements run once a round; printed are the median, the
 * spread, the nanoseconds a row, the ratio to the floor of as many bytes, and a digest of all rows (made in a
 * pass of its own). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat_games.h"
#include "kifumill/encoder.h"

enum { ROUNDS = 9, GAMES = 1000, ROWS = 256 };

/* What a measurement does with each position. */
typedef enum action { COPY, REPLAY, FOLLOW, ENCODE } action;

typedef struct measurement {
  const char *name, *layout;
  km_packing packing;
  uint8_t symmetries; /* kept by the encoder */
  unsigned rows;      /* a position: 1 (or 8, all symmetries) */
  int random;         /* one symmetry drawn a row */
  action action;
  int floor; /* index of the measurement it is compared with */
  km_plane_encoder *encoder;
  uint64_t digest;
  double seconds[ROUNDS];
} measurement;

#define AGZ .layout = "alphago-zero"

static measurement table[] = {
    {.name = "floor: copy 782 bytes", AGZ, .symmetries = 1, .rows = 1, .action = COPY},
    {.name = "replay alone", AGZ, .symmetries = 1, .rows = 1, .action = REPLAY},
    {.name = "replay, follow", AGZ, .symmetries = 1, .rows = 1, .action = FOLLOW},
    {.name = "alphago-zero", AGZ, .symmetries = 1, .rows = 1, .action = ENCODE},
    {.name = "alphago-zero, random", AGZ, .symmetries = 0xff, .rows = 1, .random = 1, .action = ENCODE},
    {.name = "alphago-zero, all 8", AGZ, .symmetries = 0xff, .rows = 8, .action = ENCODE},
    {.name = "black-white", .layout = "black-white", .symmetries = 1, .rows = 1, .action = ENCODE},
    {.name = "leela-zero", .layout = "leela-zero", .symmetries = 1, .rows = 1, .action = ENCODE},
    {.name = "floor: copy 6137 bytes", AGZ, .packing = KM_PACK_BYTES, .symmetries = 1, .rows = 1, .floor = 8},
    {.name = "alphago-zero, bytes",
     AGZ,
     .packing = KM_PACK_BYTES,
     .symmetries = 1,
     .rows = 1,
     .action = ENCODE,
     .floor = 8},
};
enum { N_MEASUREMENTS = sizeof table / sizeof table[0] };

static uint8_t *buffer;
static km_replay replay;

static void die(const char *what) {
  fprintf(stderr, "bench_planes: %s\n", what);
  exit(1);
}

/* Keeps the compiler from leaving out writes to the buffer. */
static inline void written(void) {
  __asm__ volatile("" : : "r"(buffer) : "memory");
}

static size_t copy_rows(const measurement *m, const flat_games *games) {
  size_t n_bytes = km_plane_encoder_row_bytes(m->encoder), n = 0;
  const uint8_t *from = buffer + ROWS * n_bytes;
  for (uint64_t i = 0; i < games->n_moves; ++i, ++n) {
    memcpy(buffer + n % ROWS * n_bytes, from + i % 8, n_bytes);
    written();
  }
  return n;
}

static uint64_t fold(uint64_t digest, const uint8_t *row, size_t n_bytes) {
  km_hash128 hash = km_hash_bytes(row, n_bytes);
  return km_mix64(digest ^ hash.low ^ hash.high);
}

/* One game; returns the rows written so far. */
static size_t run_game(measurement *m, const km_game *game, uint64_t number, size_t n, int digests) {
  size_t n_bytes = km_plane_encoder_row_bytes(m->encoder);
  km_replay_init(&replay, game, &(km_replay_options){0});
  km_plane_encoder_begin(m->encoder, &replay);
  while (replay.ply < game->n_moves) {
    for (unsigned k = 0; m->action == ENCODE && k < m->rows; ++k, ++n) {
      unsigned turned =
          m->random ? (unsigned)(km_random(1, number, replay.ply, KM_PURPOSE_SYMMETRY) >> 61) : k;
      uint8_t *row = buffer + n % ROWS * n_bytes;
      km_plane_encoder_encode(m->encoder, &replay.board, game->moves[replay.ply].colour, (int)turned, row);
      if (digests)
        m->digest = fold(m->digest, row, n_bytes);
    }
    if (km_replay_step(&replay) != KM_OK)
      break;
    if (m->action >= FOLLOW)
      km_plane_encoder_follow(m->encoder, &replay);
    n += m->action != ENCODE;
  }
  return n;
}

static size_t run(measurement *m, const flat_games *games, int digests) {
  if (m->action == COPY)
    return copy_rows(m, games);
  size_t n = 0;
  for (size_t g = 0; g < games->n_games; ++g)
    n = run_game(m, &games->games[g], g, n, digests);
  written();
  return n;
}

static void prepare(measurement *m) {
  km_err err;
  km_plane_options options = {.layout = km_layout_find(m->layout),
                              .rows = 19,
                              .cols = 19,
                              .symmetries = m->symmetries,
                              .packing = (uint8_t)m->packing};
  if (km_plane_encoder_new(&m->encoder, &options, &err) != KM_OK)
    die(err.msg);
}

int main(int argc, char **argv) {
  flat_games games;
  size_t n_rows[N_MEASUREMENTS];
  flat_games_load(&games, argc > 1 ? argv[1] : NULL, argc > 1 ? SIZE_MAX : GAMES);
  buffer = calloc(ROWS + 2, 18 * 361);
  if (buffer == NULL)
    die("out of memory");
  for (int i = 0; i < N_MEASUREMENTS; ++i) {
    prepare(&table[i]);
    n_rows[i] = run(&table[i], &games, 1);
  }
  for (int round = 0; round < ROUNDS; ++round)
    for (int i = 0; i < N_MEASUREMENTS; ++i) {
      double begin = seconds_now();
      run(&table[i], &games, 0);
      table[i].seconds[round] = seconds_now() - begin;
    }
  printf("%zu games, %llu moves, %d rounds\n", games.n_games, (unsigned long long)games.n_moves, ROUNDS);
  printf("%-24s %8s %19s %8s %8s  %s\n", "", "M rows/s", "smallest … largest", "ns/row", "× floor", "digest");
  double per_row[N_MEASUREMENTS];
  for (int i = 0; i < N_MEASUREMENTS; ++i) {
    measurement *m = &table[i];
    double n = (double)n_rows[i], median = median_of(m->seconds, ROUNDS);
    per_row[i] = median / n;
    printf("%-24s %8.2f %8.2f … %8.2f %8.1f %8.2f  %016llx\n", m->name, 1e-6 / per_row[i],
           1e-6 * n / m->seconds[ROUNDS - 1], 1e-6 * n / m->seconds[0], 1e9 * per_row[i],
           per_row[i] / per_row[m->floor], (unsigned long long)m->digest);
    km_plane_encoder_free(m->encoder);
  }
  free(buffer);
  flat_games_clear(&games);
  return 0;
}
