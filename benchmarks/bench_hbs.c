/* bench_hbs.c: what HBS costs beside the replay it rides on, and its parts alone.
 *
 *     bench_hbs [FILE]
 *
 * FILE is a flat file of games (flat_games.h), of which the first 5,000 on 19×19 are used; without it, random
 * games from a fixed seed. All rows run in every round, so that a noisy machine disturbs them alike. Printed
 * are the median over the rounds in nanoseconds a unit (a position, a stone set, or a board), the median of
 * the ratios to the replay of the same round, and a digest of the result, which must not change with machine
 * or compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flat_games.h"
#include "kifumill/hbs_trajectory.h"
#include "kifumill/mean_curve.h"

enum { ROUNDS = 9, GAMES_MAX = 5000, SIDE = 19, N_LAYERS = 9, LIMBS = 2, MOVES_MAX = 1 << 16 };

typedef struct bench {
  flat_games corpus;
  uint64_t n_positions;
  km_hbs_geometry plain, canon;
  km_replay replay;
  km_hbs hbs;
  uint64_t s[(MOVES_MAX + 1) * LIMBS]; /* of the last game */
  uint64_t layer[(MOVES_MAX + 1) * LIMBS * N_LAYERS];
  double log2[MOVES_MAX + 1];
} bench;

static void die(const char *what) {
  fprintf(stderr, "bench_hbs: %s\n", what);
  exit(1);
}

static void start(bench *b, const km_game *game) {
  const km_replay_options strict = {0};
  km_replay_init(&b->replay, game, &strict);
}

/* A digest of n words: order matters, every bit counts. */
static uint64_t digest_words(uint64_t digest, const uint64_t *words, size_t n) {
  for (size_t i = 0; i < n; i++)
    digest = km_mix64(digest ^ words[i]);
  return digest;
}

/* Runs a game with a tracker; layers too if asked. */
static void run_game(bench *b, const km_game *game, const km_hbs_geometry *geometry, int with_layers) {
  start(b, game);
  km_hbs_init(&b->hbs, geometry);
  km_hbs_trajectory(&b->replay, &b->hbs, &(km_hbs_series){b->s, with_layers ? b->layer : NULL}, 1);
}

static uint64_t replay_alone(bench *b) {
  uint64_t digest = 0;
  for (size_t g = 0; g < b->corpus.n_games; g++) {
    start(b, &b->corpus.games[g]);
    while (km_replay_step(&b->replay) == KM_OK)
      ;
    digest = km_mix64(digest ^ b->replay.board.hash.low ^ b->replay.ply);
  }
  return digest;
}

static uint64_t with_tracker(bench *b, const km_hbs_geometry *geometry, int with_layers) {
  uint64_t digest = 0;
  for (size_t g = 0; g < b->corpus.n_games; g++) {
    run_game(b, &b->corpus.games[g], geometry, with_layers);
    digest =
        km_mix64(digest ^ b->hbs.s[0] ^ b->hbs.s[1] ^ b->s[b->replay.ply] ^ (with_layers ? b->layer[2] : 0));
  }
  return digest;
}
static uint64_t replay_s(bench *b) {
  return with_tracker(b, &b->plain, 0);
}
static uint64_t replay_layers(bench *b) {
  return with_tracker(b, &b->plain, 1);
}
static uint64_t replay_canon(bench *b) {
  return with_tracker(b, &b->canon, 1);
}

/* Replay, S, layers and logarithms, with a digest of every number, which is most of its time. */
static uint64_t everything(bench *b) {
  uint64_t digest = 0;
  for (size_t g = 0; g < b->corpus.n_games; g++) {
    run_game(b, &b->corpus.games[g], &b->plain, 1);
    size_t n = b->replay.ply + 1u;
    km_hbs_log2_series(b->log2, b->s, n, LIMBS);
    digest = digest_words(digest, b->s, n * LIMBS);
    digest = digest_words(digest, b->layer, n * LIMBS * N_LAYERS);
    digest = digest_words(digest, (const uint64_t *)b->log2, n);
  }
  return digest;
}

/* The rows of S and nine layers, written and nothing else. */
static uint64_t write_rows(bench *b) {
  uint64_t digest = 0;
  for (size_t g = 0; g < b->corpus.n_games; g++)
    for (uint32_t t = 0; t <= b->corpus.games[g].n_moves; t++) {
      km_hbs_record(&b->hbs, (km_hbs_series){b->s, b->layer}, t);
      digest += b->s[2 * t];
    }
  return digest;
}

/* The logarithms of one game's S (the last one replayed), over and over. */
static uint64_t logarithms(bench *b) {
  uint64_t digest = 0;
  for (size_t g = 0; g < b->corpus.n_games; g++)
    for (uint32_t t = 0; t <= b->corpus.games[g].n_moves; t++)
      digest += (uint64_t)(0x1p40 * km_hbs_log2(b->s + 2 * (t % (b->replay.ply + 1u)), 2));
  return digest;
}

/* Exact means of S, nine layers and log2: the last game's numbers at all places of every game. */
static uint64_t means(bench *b) {
  enum { N_CHANNELS = 1 + N_LAYERS + 1 };
  km_mean_channel channels[N_CHANNELS];
  km_mean_column columns[N_CHANNELS];
  for (size_t c = 0; c < N_CHANNELS; c++) {
    channels[c] = (km_mean_channel){c + 1 < N_CHANNELS ? LIMBS : 0, 1};
    columns[c] = c == 0 ? (km_mean_column){b->s, LIMBS}
                        : (km_mean_column){b->layer + LIMBS * (c - 1), LIMBS * N_LAYERS};
  }
  columns[N_CHANNELS - 1] = (km_mean_column){b->log2, 1};
  const km_mean_options options = {channels,        N_CHANNELS,     1,  MOVES_MAX,
                                   (size_t)1 << 30, N_CHANNELS - 1, 77, 64};
  km_mean_curves *curves;
  if (km_mean_curves_new(&curves, &options, NULL) != KM_OK)
    die("out of memory");
  for (size_t g = 0; g < b->corpus.n_games; g++)
    if (km_mean_curves_add(curves, 0, columns, b->corpus.games[g].n_moves + 1, NULL) != KM_OK)
      die("out of memory");
  km_exact_sum *sums = malloc(km_mean_curves_length(curves, 0) * sizeof *sums);
  if (!sums)
    die("out of memory");
  km_mean_curves_read(curves, 0, 0, KM_MEAN_DROP, sums);
  uint64_t digest = digest_words(sums[1].square[0], sums[20].sum, 3);
  free(sums);
  km_mean_curves_free(curves);
  return digest;
}

/* One stone after the other on and off an empty 19×19 board, as many as there are positions. */
static uint64_t set_stones(bench *b) {
  km_hbs_init(&b->hbs, &b->plain);
  uint64_t digest = 0, state = 1;
  for (uint64_t i = 0; i < b->n_positions; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    km_hbs_set(&b->hbs, (uint16_t)km_random_below(state, SIDE * SIDE), (uint8_t)(state >> 20 & 1));
    digest += b->hbs.s[0];
  }
  return digest;
}

/* From scratch by the definition; one board in a hundred positions. */
static uint64_t from_scratch(bench *b) {
  static uint8_t stones[SIDE * SIDE];
  for (unsigned p = 0; p < SIDE * SIDE; p++)
    stones[p] = (uint8_t)(km_mix64(p) % 3);
  uint64_t digest = 0;
  for (uint64_t i = 0; i < b->n_positions / 100; i++) {
    km_hbs_value s;
    stones[i % (SIDE * SIDE)] = (uint8_t)(i % 3);
    if (km_hbs_of_board(&s, NULL, stones, SIDE, (km_hbs_variant){0}, NULL) != KM_OK)
      die("no HBS");
    digest = digest_words(digest, s.limb, 2);
  }
  return digest;
}

/* In an order that leaves a game of 19×19 in the buffers for the rows that need one. */
static const struct {
  const char *name;
  uint64_t (*run)(bench *b);
  unsigned share; /* one unit in so many positions */
} rows[] = {
    {"replay alone", replay_alone, 1},
    {"replay, S", replay_s, 1},
    {"replay, S and layers", replay_layers, 1},
    {"replay, S and layers, canon", replay_canon, 1},
    {"… with log2 and full digest", everything, 1},
    {"log2(1 + S)", logarithms, 1},
    {"exact means, 11 channels", means, 1},
    {"floor: write S and layers", write_rows, 1},
    {"stone set or taken off", set_stones, 1},
    {"from scratch by definition", from_scratch, 100},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void run(bench *b) {
  static double seconds[N_ROWS][ROUNDS], ratio[N_ROWS][ROUNDS];
  uint64_t digest[N_ROWS];
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N_ROWS; i++) {
      double begin = seconds_now();
      digest[i] = rows[i].run(b);
      seconds[i][round] = seconds_now() - begin;
      ratio[i][round] = rows[i].share * seconds[i][round] / seconds[0][round];
    }
  printf("%zu games, %llu positions, %d rounds\n", b->corpus.n_games, (unsigned long long)b->n_positions,
         ROUNDS);
  printf("%-30s %9s %19s %9s  %s\n", "", "ns/unit", "smallest … largest", "× replay", "digest");
  for (int i = 0; i < N_ROWS; i++) {
    double unit = 1e9 * rows[i].share / (double)b->n_positions,
           median = median_of(seconds[i], ROUNDS); /* sorts */
    printf("%-30s %9.2f %8.2f … %8.2f %9.3f  %016llx\n", rows[i].name, median * unit, seconds[i][0] * unit,
           seconds[i][ROUNDS - 1] * unit, median_of(ratio[i], ROUNDS), (unsigned long long)digest[i]);
  }
}

int main(int argc, char **argv) {
  bench *b = calloc(1, sizeof *b);
  if (!b)
    die("out of memory");
  flat_games_load(&b->corpus, argc > 1 ? argv[1] : NULL, GAMES_MAX);
  b->n_positions = b->corpus.n_moves + b->corpus.n_games;
  km_hbs_geometry_init(&b->plain, SIDE, SIDE, (km_hbs_variant){0}, NULL);
  km_hbs_geometry_init(&b->canon, SIDE, SIDE, (km_hbs_variant){.direction = KM_HBS_CANON}, NULL);
  run(b);
  flat_games_clear(&b->corpus);
  free(b);
  return 0;
}
