/* bench_hbs.c: what HBS costs beside the replay it rides on, and its parts alone.
 *
 * Units are positions, stones set, or boards. The digest is of every number of every layer, so that an inexact one
 * shows. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/hbs_trajectory.h"
#include "kifumill/mean_curve.h"

enum { ROUNDS = 9, GAMES = 5000, QUICK_GAMES = 50, SIDE = 19, N_LAYERS = 9, LIMBS = 2, MOVES_MAX = 1 << 16 };

typedef struct bench {
  flat_games games;
  uint64_t n_positions;
  km_hbs_geometry plain, canon;
  km_replay replay;
  km_hbs hbs;
  uint64_t s[(MOVES_MAX + 1) * LIMBS]; /* of the last game */
  uint64_t layer[(MOVES_MAX + 1) * LIMBS * N_LAYERS];
  double log2[MOVES_MAX + 1];
} bench;

static void start(bench *b, const km_game *game) {
  const km_replay_options strict = {.mode = KM_REPLAY_STRICT};
  km_replay_init(&b->replay, game, &strict);
}

static void replay_alone(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (size_t g = 0; g < b->games.n_games; g++) {
    start(b, &b->games.games[g]);
    while (km_replay_step(&b->replay) == KM_OK)
      ;
    sample->digest = km_mix64(sample->digest ^ b->replay.board.hash.low ^ b->replay.ply);
  }
  sample->n_units = (double)b->n_positions;
}

/* What a tracked replay keeps. */
typedef struct kept {
  int canonical, layers, log2;
} kept;

static void replay_tracked(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const kept *keep = row->argument;
  for (size_t g = 0; g < b->games.n_games; g++) {
    start(b, &b->games.games[g]);
    km_hbs_init(&b->hbs, keep->canonical ? &b->canon : &b->plain);
    km_hbs_trajectory(&b->replay, &b->hbs, &(km_hbs_series){b->s, keep->layers ? b->layer : NULL}, 1);
    size_t n = b->replay.ply + 1u;
    if (keep->log2)
      km_hbs_log2_series(b->log2, b->s, n, LIMBS);
    sample->digest = km_mix64(sample->digest ^ b->hbs.s[0] ^ b->hbs.s[1]);
    if (!sample->wants_digest)
      continue;
    sample->digest = bench_digest(sample->digest, b->s, n * LIMBS * sizeof *b->s);
    sample->digest = bench_digest(sample->digest, b->layer, keep->layers ? n * LIMBS * N_LAYERS * sizeof *b->layer : 0);
    sample->digest = bench_digest(sample->digest, b->log2, keep->log2 ? n * sizeof *b->log2 : 0);
  }
  sample->n_units = (double)b->n_positions;
}

/* The rows of S and nine layers, written and nothing else. */
static void write_rows(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (size_t g = 0; g < b->games.n_games; g++)
    for (uint32_t t = 0; t <= b->games.games[g].n_moves; t++) {
      km_hbs_record(&b->hbs, (km_hbs_series){b->s, b->layer}, t);
      sample->digest += b->s[2 * t];
    }
  sample->n_units = (double)b->n_positions;
}

/* The logarithms of one game's S (the last one replayed), over and over. */
static void logarithms(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (uint64_t t = 0; t < b->n_positions; t++)
    sample->digest += (uint64_t)(0x1p40 * km_hbs_log2(b->s + 2 * (t % (b->replay.ply + 1u)), 2));
  sample->n_units = (double)b->n_positions;
}

/* A channel as runs of at most n values, and how many of them lie before a place. */
typedef struct channel_runs {
  uint64_t *values;
  uint32_t *places, *before;
} channel_runs;

static channel_runs runs_of(const uint64_t *series, size_t stride, unsigned n_limbs, size_t n) {
  channel_runs r = {bench_need(malloc(n * n_limbs * sizeof *r.values)), bench_need(malloc(n * sizeof *r.places)),
                    bench_need(malloc((n + 1) * sizeof *r.before))};
  uint32_t n_runs = 0;
  for (size_t t = 0; t < n; t++) {
    const uint64_t *now = series + t * stride;
    r.before[t] = n_runs;
    if (t > 0 && memcmp(now, now - stride, n_limbs * sizeof *now) == 0)
      continue;
    memcpy(r.values + n_runs * n_limbs, now, n_limbs * sizeof *now);
    r.places[n_runs++] = (uint32_t)t;
  }
  r.before[n] = n_runs;
  return r;
}

/* Exact means of S, nine layers and log2: the last game's numbers at all places of every game, a hundred games at
 * once. */
static void means(void *context, const bench_row *row, bench_sample *sample) {
  enum { N_CHANNELS = 1 + N_LAYERS + 1, AT_ONCE = 100 };
  bench *b = context;
  (void)row;
  km_mean_channel channels[N_CHANNELS];
  channel_runs runs[N_CHANNELS];
  size_t longest = 1;
  for (size_t g = 0; g < b->games.n_games; g++)
    longest = b->games.games[g].n_moves + 1 > longest ? b->games.games[g].n_moves + 1 : longest;
  for (size_t c = 0; c < N_CHANNELS; c++) {
    channels[c] = (km_mean_channel){.n_limbs = c + 1 < N_CHANNELS ? LIMBS : 0, .denominator = 1};
    channels[c].bits = c + 1 < N_CHANNELS ? 4 * SIDE + 1 : 0;
    runs[c] = c == 0                  ? runs_of(b->s, LIMBS, LIMBS, longest)
              : c + 1 < N_CHANNELS ? runs_of(b->layer + LIMBS * (c - 1), LIMBS * N_LAYERS, LIMBS, longest)
                                     : runs_of((const uint64_t *)(const void *)b->log2, 1, 1, longest);
  }
  const km_mean_options options = {channels,        N_CHANNELS,     1,  MOVES_MAX,
                                   (size_t)1 << 30, N_CHANNELS - 1, 77, 64};
  km_mean_curves *curves;
  if (km_mean_curves_new(&curves, &options, NULL) != KM_OK)
    bench_die("out of memory");
  for (size_t g = 0; g < b->games.n_games;) {
    static const size_t stratum = 0;
    km_mean_column columns[AT_ONCE][N_CHANNELS];
    km_mean_game games[AT_ONCE];
    size_t n = 0;
    for (; n < AT_ONCE && g < b->games.n_games; n++, g++) {
      size_t n_points = b->games.games[g].n_moves + 1;
      for (size_t c = 0; c < N_CHANNELS; c++)
        columns[n][c] = (km_mean_column){runs[c].values, runs[c].places, runs[c].before[n_points]};
      games[n] = (km_mean_game){columns[n], &stratum, n_points};
    }
    if (km_mean_curves_add(&curves, 1, games, n, NULL) != KM_OK)
      bench_die("out of memory");
  }
  km_exact_sum *sums = bench_need(malloc(km_mean_curves_length(curves, 0) * sizeof *sums));
  km_mean_curves_read(curves, 0, 0, KM_MEAN_DROP, sums);
  sample->digest = bench_digest(bench_digest(0, sums[1].square, 5 * sizeof(uint64_t)), sums[20].sum, 3 * sizeof(uint64_t));
  free(sums);
  km_mean_curves_free(curves);
  for (size_t c = 0; c < N_CHANNELS; c++) {
    free(runs[c].values);
    free(runs[c].places);
    free(runs[c].before);
  }
  sample->n_units = (double)b->n_positions;
}

/* One stone after the other on and off an empty board, as many as there are positions. */
static void set_stones(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_hbs_init(&b->hbs, &b->plain);
  uint64_t state = 1;
  for (uint64_t i = 0; i < b->n_positions; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    km_hbs_set(&b->hbs, (uint16_t)km_random_below(state, SIDE * SIDE), (uint8_t)(state >> 20 & 1));
    sample->digest += b->hbs.s[0];
  }
  sample->n_units = (double)b->n_positions;
}

/* From scratch by the definition; one board in a hundred positions. */
static void from_scratch(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  uint8_t stones[SIDE * SIDE];
  for (unsigned p = 0; p < SIDE * SIDE; p++)
    stones[p] = (uint8_t)(km_mix64(p) % 3);
  uint64_t n = b->n_positions / 100 + 1;
  for (uint64_t i = 0; i < n; i++) {
    km_hbs_value s;
    stones[i % (SIDE * SIDE)] = (uint8_t)(i % 3);
    if (km_hbs_of_board(&s, NULL, stones, SIDE, (km_hbs_variant){0}, NULL) != KM_OK)
      bench_die("no HBS");
    sample->digest = km_mix64(km_mix64(sample->digest ^ s.limb[0]) ^ s.limb[1]);
  }
  sample->n_units = (double)n;
}

#define FLOOR "replay alone"
#define TRACKED(...) .unit = "position", .run = replay_tracked, .argument = &(kept){__VA_ARGS__}, .floor = FLOOR

int main(int argc, char **argv) {
  /* in an order that leaves a game in the buffers for the rows that need one */
  const bench_row rows[] = {
      {FLOOR, "position", .run = replay_alone},
      {"replay, S", TRACKED(0, 0, 0)},
      {"replay, S and layers", TRACKED(0, 1, 0), .reach_ratio = 1.5},
      {"replay, S and layers, canon", TRACKED(1, 1, 0)},
      {"replay, S, layers, log2", TRACKED(0, 1, 1)},
      {"log2(1 + S)", "position", logarithms, .floor = FLOOR},
      {"exact means, 11 channels", "position", means, .floor = FLOOR},
      {"floor: write S and layers", "position", write_rows, .floor = FLOOR},
      {"stone set or taken off", "stone", set_stones, .floor = FLOOR},
      {"from scratch by definition", "board", from_scratch, .floor = FLOOR},
  };
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_hbs [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  bench *b = bench_need(calloc(1, sizeof *b));
  flat_games_load(&b->games, options.input, options.quick ? QUICK_GAMES : GAMES);
  b->n_positions = b->games.n_moves + b->games.n_games;
  km_hbs_geometry_init(&b->plain, SIDE, SIDE, (km_hbs_variant){0}, NULL);
  km_hbs_geometry_init(&b->canon, SIDE, SIDE, (km_hbs_variant){.direction = KM_HBS_CANON}, NULL);
  const bench_title title = {"bench_hbs", "exact HBS of every position, beside the replay it rides on", b->games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, b);
  flat_games_clear(&b->games);
  free(b);
  return code;
}
