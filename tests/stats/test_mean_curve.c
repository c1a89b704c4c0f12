/* test_mean_curve.c: mean curves against single sums and sorted values, for every way a channel may be kept,
 * and over random partitions; limits and options. The golden curves: test_hbs_series.c, which can stretch a
 * game. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "kifumill/mean_curve.h"

enum { SEED = 97, N_GAMES = 60, LENGTH_MAX = 140 };

/* Doubles first: sets of strata have the first channels only. Then S as two limbs; values of one limb; narrow
 * signed ones of 78 and of 91 bits, the last that fit three and four words of squares; and wide ones. Of
 * steps and of spikes. Then changes of some of the steps, of every width of squares. */
#define CHANNEL(n_limbs, denominator, bits, kind, of)                                                        \
  { n_limbs, denominator, bits, KM_MEAN_##kind, of }
static const km_mean_channel channels[] = {
    CHANNEL(0, 0, 0, STEPS, 0),      CHANNEL(2, 1, 0, STEPS, 0),       CHANNEL(1, 7, 0, STEPS, 0),
    CHANNEL(2, 3, 78, STEPS, 0),     CHANNEL(2, 3, 78, SPIKES, 0),     CHANNEL(2, 1, 79, STEPS, 0),
    CHANNEL(2, 1, 91, SPIKES, 0),    CHANNEL(2, 1, 92, SPIKES, 0),     CHANNEL(1, 1, 12, SPIKES, 0),
    CHANNEL(4, 1, 0, STEPS, 0),      CHANNEL(4, 1, 209, SPIKES, 0),    CHANNEL(0, 0, 0, SPIKES, 0),
    CHANNEL(5, 9, 217, STEPS, 0),    CHANNEL(2, 1, 76, STEPS, 0),      CHANNEL(2, 1, 77, CHANGES, 13),
    CHANNEL(2, 1, 78, CHANGES2, 14), CHANNEL(2, 3, 79, CHANGES, 3),    CHANNEL(2, 3, 80, CHANGES2, 16),
    CHANNEL(2, 1, 89, STEPS, 0),     CHANNEL(2, 1, 90, CHANGES, 18),   CHANNEL(2, 1, 91, CHANGES2, 19),
    CHANNEL(5, 9, 218, CHANGES, 12), CHANNEL(5, 9, 219, CHANGES2, 21), CHANNEL(1, 1, 40, STEPS, 0),
    CHANNEL(1, 1, 41, CHANGES, 23),  CHANNEL(1, 1, 42, CHANGES2, 24),  CHANNEL(2, 1, 92, CHANGES, 18),
};
enum { N_CHANNELS = sizeof channels / sizeof *channels, CHANNEL_S = 1, CHANNEL_DOUBLE = 0, LIMBS = 5 };

static km_mean_options plain_options(void) {
  return (km_mean_options){.channels = channels,
                           .n_channels = N_CHANNELS,
                           .n_strata = 3,
                           .n_points = 1000,
                           .max_bytes = 64 << 20,
                           .histogram_channel = CHANNEL_DOUBLE,
                           .histogram_max = 77,
                           .bins_per_unit = 64};
}

static km_mean_curves *curves_of(const km_mean_options *options) {
  km_mean_curves *curves;
  km_err err;
  if (km_mean_curves_new(&curves, options, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return curves;
}

typedef struct random_game {
  size_t n, stratum;
  uint64_t values[N_CHANNELS][LENGTH_MAX][LIMBS];  /* of every place */
  uint64_t packed[N_CHANNELS][LENGTH_MAX * LIMBS]; /* of those that a column lists */
  uint32_t places[N_CHANNELS][LENGTH_MAX];
  km_mean_column columns[N_CHANNELS];
} random_game;

static size_t limbs_of(size_t channel) {
  return channels[channel].n_limbs ? channels[channel].n_limbs : 1;
}

/* Any number of a channel, the largest and the least more often than by chance. */
static void make_value(uint64_t *value, size_t channel, uint64_t bits) {
  unsigned n = (unsigned)limbs_of(channel),
           width = channels[channel].bits ? channels[channel].bits : 64 * n - 1;
  if (channels[channel].n_limbs == 0) {
    double x = bits % 17 == 0 ? 0 : 1 + 75 * km_random_unit(km_mix64(bits));
    if (channel != CHANNEL_DOUBLE && bits % 5 == 1) /* a histogram's are not negative */
      x = bits % 2 ? -x : -1023.75;
    memcpy(value, &x, sizeof x);
    return;
  }
  for (unsigned i = 0; i < n; i++)
    value[i] = bits % 11 == 0 ? UINT64_MAX : km_mix64(bits + i);
  unsigned keep = bits % 3 == 0 ? width : (unsigned)(km_mix64(bits ^ 77) % (width + 1));
  for (unsigned i = 0; i < n; i++)
    value[i] &= keep >= 64 * (i + 1) ? UINT64_MAX : keep > 64 * i ? (UINT64_C(1) << (keep - 64 * i)) - 1 : 0;
  for (unsigned i = 0, carry = 1; i < n && bits % 5 == 1; i++) { /* negative */
    value[i] = ~value[i] + carry;
    carry = carry && value[i] == 0;
  }
}

/* The columns of a game: of steps where they change, and now and then though they do not; of spikes where
 * they are not 0; of doubles that are spikes all places, as a histogram wants them. */
static void fill_columns(random_game *game) {
  static const uint64_t zero[LIMBS] = {0};
  for (size_t c = 0; c < N_CHANNELS; c++) {
    size_t n = 0, n_limbs = limbs_of(c);
    game->columns[c] = (km_mean_column){NULL, NULL, 0};
    for (size_t t = 0; t < game->n && channels[c].kind < KM_MEAN_CHANGES; t++) {
      const uint64_t *value = game->values[c][t],
                     *before = channels[c].kind == KM_MEAN_SPIKES ? zero : game->values[c][t ? t - 1 : 0];
      if (memcmp(value, before, n_limbs * sizeof *value) == 0 && km_mix64(t + c) % 4 && (t || before == zero))
        continue;
      memcpy(&game->packed[c][n * n_limbs], value, n_limbs * sizeof *value);
      game->places[c][n++] = (uint32_t)t;
    }
    if (channels[c].kind < KM_MEAN_CHANGES)
      game->columns[c] = (km_mean_column){game->packed[c], game->places[c], n};
  }
}

/* x(t) − x(t−1) of a channel of steps, or of differences again: which are 0 up to their first place. */
static void make_changes(random_game *game, size_t c) {
  size_t first = channels[c].kind == KM_MEAN_CHANGES ? 1 : 2;
  for (size_t t = 0; t < game->n; t++) {
    uint64_t *to = game->values[c][t], borrow = 0;
    memset(to, 0, sizeof game->values[c][t]);
    for (size_t k = 0; k < limbs_of(c) && t >= first; k++) {
      uint64_t a = game->values[channels[c].of][t][k], b = game->values[channels[c].of][t - 1][k];
      to[k] = a - b - borrow;
      borrow = a < b || (a == b && borrow);
    }
  }
}

static void make_game(random_game *game, uint64_t i) {
  uint64_t bits = km_mix64(SEED + i);
  game->n = i % 9 == 0 ? 1 : 1 + bits % LENGTH_MAX;
  game->stratum = (bits >> 32) % 3;
  for (size_t t = 0; t < game->n; t++)
    for (size_t c = 0; c < N_CHANNELS; c++) {
      uint64_t *value = game->values[c][t], random = km_mix64(i * 65536 + t * 64 + c);
      int stays = t > 0 && random % 3 == 0; /* as when White moves: nothing changes */
      memset(value, 0, sizeof game->values[c][t]);
      if (stays && channels[c].kind == KM_MEAN_STEPS)
        memcpy(value, game->values[c][t - 1], sizeof game->values[c][t]);
      else if (!stays)
        make_value(value, c, km_mix64(random));
    }
  for (size_t c = 0; c < N_CHANNELS; c++)
    if (channels[c].kind >= KM_MEAN_CHANGES)
      make_changes(game, c);
  fill_columns(game);
}

static void add_games(km_mean_curves *curves, const km_mean_game *games, size_t n) {
  km_err err;
  if (km_mean_curves_add(&curves, 1, games, n, &err) != KM_OK)
    fail_msg("%s", err.msg);
}
static void add_game(km_mean_curves *curves, const random_game *game) {
  add_games(curves, &(km_mean_game){game->columns, &game->stratum, game->n}, 1);
}

/* The q-th quartile: alone, and among all of them. */
static void read_quantiles(const km_mean_curves *curves, size_t stratum, uint32_t q, double *out) {
  static double rows[5][LENGTH_MAX];
  static const uint32_t nums[5] = {0, 1, 2, 3, 4};
  double *const all[5] = {rows[0], rows[1], rows[2], rows[3], rows[4]};
  assert_int_equal(km_mean_curves_quantiles(curves, stratum, &q, 1, 4, &out, NULL), KM_OK);
  assert_int_equal(km_mean_curves_quantiles(curves, stratum, nums, 5, 4, all, NULL), KM_OK);
  assert_memory_equal(rows[q], out, km_mean_curves_length(curves, stratum) * sizeof *out);
}

static void assert_same(const km_mean_curves *a, const km_mean_curves *b, size_t n_channels) {
  static km_exact_sum of_a[LENGTH_MAX], of_b[LENGTH_MAX];
  for (size_t s = 0; s < 3; s++) {
    size_t length = km_mean_curves_length(a, s);
    assert_int_equal(length, km_mean_curves_length(b, s));
    assert_int_equal(km_mean_curves_games(a, s), km_mean_curves_games(b, s));
    for (size_t c = 0; c < n_channels; c++)
      for (int ends = KM_MEAN_DROP; ends <= KM_MEAN_HOLD; ends++) {
        km_mean_curves_read(a, s, c, (km_mean_ends)ends, of_a);
        km_mean_curves_read(b, s, c, (km_mean_ends)ends, of_b);
        assert_memory_equal(of_a, of_b, length * sizeof *of_a);
      }
    for (uint32_t q = 0; q <= 4; q++) {
      double quantiles_a[LENGTH_MAX], quantiles_b[LENGTH_MAX];
      read_quantiles(a, s, q, quantiles_a);
      read_quantiles(b, s, q, quantiles_b);
      assert_memory_equal(quantiles_a, quantiles_b, length * sizeof(double));
    }
  }
}

/* Every channel equals the sum of single exact sums, dropped and held. */
static void equals_single_sums(void **state) {
  (void)state;
  static random_game game;
  static km_exact_sum expected[2][3][N_CHANNELS][LENGTH_MAX], got[LENGTH_MAX];
  km_mean_options options = plain_options();
  km_mean_curves *curves = curves_of(&options);
  size_t length[3] = {0};
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    length[game.stratum] = game.n > length[game.stratum] ? game.n : length[game.stratum];
  }
  for (size_t at = 0; at < 2 * 3 * N_CHANNELS * LENGTH_MAX; at++) {
    km_exact_sum *sum = &expected[0][0][0][0] + at;
    size_t c = at / LENGTH_MAX % N_CHANNELS;
    if (channels[c].n_limbs == 0)
      km_exact_sum_init_double(sum);
    else
      km_exact_sum_init(sum, channels[c].n_limbs, channels[c].denominator);
  }
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    add_game(curves, &game);
    for (size_t c = 0; c < N_CHANNELS; c++)
      for (size_t t = 0; t < length[game.stratum]; t++) {
        const uint64_t *value = game.values[c][t < game.n ? t : game.n - 1];
        for (int hold = t >= game.n; hold < 2; hold++) {
          km_exact_sum *sum = &expected[hold][game.stratum][c][t];
          double x;
          memcpy(&x, value, sizeof x);
          if (channels[c].n_limbs == 0)
            km_exact_sum_add_double(sum, x);
          else
            km_exact_sum_add(sum, value);
        }
      }
  }
  for (size_t s = 0; s < 3; s++)
    for (size_t c = 0; c < N_CHANNELS; c++)
      for (int hold = 0; hold < 2; hold++) {
        assert_int_equal(km_mean_curves_length(curves, s), length[s]);
        km_mean_curves_read(curves, s, c, (km_mean_ends)hold, got);
        assert_memory_equal(got, expected[hold][s][c], length[s] * sizeof *got);
      }
  km_mean_curves_free(curves);
}

/* Games dealt at random to 1…7 workers and merged in any order: the same sums and quantiles. */
static void any_partition(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  static random_game game;
  km_mean_options options = plain_options();
  km_mean_curves *whole = curves_of(&options);
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    add_game(whole, &game);
  }
  for (size_t n_parts = 1; n_parts <= 7; n_parts++) {
    km_mean_curves *part[7];
    for (size_t p = 0; p < n_parts; p++)
      part[p] = curves_of(&options);
    for (uint64_t i = 0; i < N_GAMES; i++) {
      make_game(&game, i);
      add_game(part[km_mix64(i + n_parts) % n_parts], &game);
    }
    size_t start = km_mix64(n_parts) % n_parts;
    for (size_t p = 1; p < n_parts; p++)
      assert_int_equal(km_mean_curves_merge(part[start], part[(start + p) % n_parts], NULL), KM_OK);
    assert_same(part[start], whole, N_CHANNELS);
    for (size_t p = 0; p < n_parts; p++)
      km_mean_curves_free(part[p]);
  }
  km_mean_curves_free(whole);
}

/* Many games to several sets at once: as one after the other to each. Those behind the first have other
 * strata, fewer channels, and another histogram. */
static void many_games_to_many_sets(void **state) {
  (void)state;
  static random_game games[N_GAMES];
  static size_t strata[N_GAMES][3];
  static km_mean_game given[N_GAMES];
  km_mean_options options = plain_options(), fewer = plain_options();
  fewer.n_channels = 2;
  fewer.bins_per_unit = 4;
  km_mean_curves *sets[] = {curves_of(&options), curves_of(&fewer), curves_of(&fewer)},
                 *single[] = {curves_of(&options), curves_of(&fewer), curves_of(&fewer)};
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&games[i], i);
    for (size_t k = 0; k < 3; k++)
      strata[i][k] = (games[i].stratum + i * k) % 3;
    given[i] = (km_mean_game){games[i].columns, strata[i], games[i].n};
    for (size_t k = 0; k < 3; k++)
      add_games(single[k], &(km_mean_game){games[i].columns, &strata[i][k], games[i].n}, 1);
  }
  assert_int_equal(km_mean_curves_add(sets, 3, given, N_GAMES, NULL), KM_OK);
  assert_int_equal(km_mean_curves_add(sets, 3, given, 0, NULL), KM_OK); /* no game changes nothing */
  for (size_t k = 0; k < 3; k++) {
    assert_same(sets[k], single[k], k == 0 ? N_CHANNELS : 2);
    km_mean_curves_free(sets[k]);
    km_mean_curves_free(single[k]);
  }
}

/* A stratum folded into another is as if its games had been added there. */
static void folded(void **state) {
  (void)state;
  static random_game game;
  km_mean_options options = plain_options();
  km_mean_curves *parts = curves_of(&options), *whole = curves_of(&options);
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    add_game(parts, &game);
    add_game(whole, &game);
    size_t there = game.stratum;
    game.stratum = 2;
    if (there != 2)
      add_game(whole, &game);
  }
  assert_int_equal(km_mean_curves_fold(parts, 2, 0, NULL), KM_OK);
  assert_int_equal(km_mean_curves_fold(parts, 2, 1, NULL), KM_OK);
  assert_int_equal(km_mean_curves_fold(parts, 2, 2, NULL), KM_ERR_USAGE);
  assert_same(parts, whole, N_CHANNELS);
  km_mean_curves_free(parts);
  km_mean_curves_free(whole);
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The quantile is within half a bin of the value of that rank, and 0 is 0. */
static void quantiles(void **state) {
  (void)state;
  static random_game game;
  static double sorted[LENGTH_MAX][N_GAMES];
  size_t count[LENGTH_MAX] = {0};
  km_mean_options options = plain_options();
  km_mean_curves *curves = curves_of(&options);
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    game.stratum = 1;
    add_game(curves, &game);
    for (size_t t = 0; t < game.n; t++)
      memcpy(&sorted[t][count[t]++], game.values[CHANNEL_DOUBLE][t], sizeof(double));
  }
  for (size_t t = 0; t < km_mean_curves_length(curves, 1); t++)
    qsort(sorted[t], count[t], sizeof(double), compare_doubles);
  for (uint32_t q = 0; q <= 4; q++) {
    double got[LENGTH_MAX];
    read_quantiles(curves, 1, q, got);
    for (size_t t = 0; t < km_mean_curves_length(curves, 1); t++) {
      size_t rank = (count[t] * q + 3) / 4;
      double expected = sorted[t][rank > 0 ? rank - 1 : 0];
      assert_true(expected == 0 ? got[t] == 0 : fabs(got[t] - expected) <= 0.5 / 64);
    }
  }
  km_err err;
  options.histogram_channel = KM_MEAN_NO_HISTOGRAM;
  km_mean_curves *without = curves_of(&options);
  assert_int_equal(km_mean_curves_quantiles(without, 0, (const uint32_t[]){1}, 1, 2, NULL, &err),
                   KM_ERR_USAGE);
  km_mean_curves_free(without);
  km_mean_curves_free(curves);
}

static void histogram_edges(void **state) {
  (void)state;
  km_mean_options options = plain_options();
  options.n_channels = 1;
  km_mean_curves *curves = curves_of(&options);
  const double values[] = {0, 76.999999, 77, 500};
  for (size_t i = 0; i < 4; i++)
    add_games(
        curves,
        &(km_mean_game){&(km_mean_column){&values[i], (const uint32_t[]){0}, 1}, (const size_t[]){i % 3}, 1},
        1);
  static const struct {
    size_t stratum;
    uint32_t quartile;
    double expected;
  } rows[] = {{0, 0, 0}, {0, 4, 77}, {1, 2, 77 - 0.5 / 64}, {2, 2, 77}};
  for (size_t i = 0; i < 4; i++) {
    double got;
    read_quantiles(curves, rows[i].stratum, rows[i].quartile, &got);
    assert_true(got == rows[i].expected);
  }
  km_mean_curves_free(curves);
}

/* Places beyond n_points are counted and left out; the rest of the game is in. */
static void beyond_the_last_place(void **state) {
  (void)state;
  static random_game game;
  km_exact_sum sums[70];
  km_mean_options options = plain_options();
  options.n_points = 70;
  km_mean_curves *curves = curves_of(&options);
  uint64_t n_games = 0, beyond = 0;
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    if (game.stratum != 0)
      continue;
    n_games++;
    beyond += game.n > 70 ? game.n - 70 : 0;
    add_game(curves, &game);
  }
  assert_true(beyond > 0);
  assert_int_equal(km_mean_curves_beyond(curves), beyond);
  assert_int_equal(km_mean_curves_length(curves, 0), 70);
  km_mean_curves_read(curves, 0, CHANNEL_S, KM_MEAN_HOLD, sums);
  assert_int_equal(sums[0].n, n_games);
  assert_int_equal(sums[69].n, n_games);
  km_mean_curves_free(curves);
}

static void memory_is_bounded(void **state) {
  (void)state;
  static random_game game;
  km_err err;
  km_mean_options options = plain_options();
  km_mean_curves *curves = curves_of(&options), *small;
  make_game(&game, 0);
  add_game(curves, &game);
  size_t needed = km_mean_curves_bytes(curves);
  km_mean_curves_free(curves);
  options.max_bytes = needed;
  small = curves_of(&options);
  add_game(small, &game);
  assert_int_equal(km_mean_curves_bytes(small), needed);
  game.stratum = (game.stratum + 1) % 3;
  const km_mean_game again = {game.columns, &game.stratum, game.n};
  assert_int_equal(km_mean_curves_add(&small, 1, &again, 1, &err), KM_ERR_LIMIT);
  assert_int_equal(km_mean_curves_games(small, game.stratum), 0);
  km_mean_curves_free(small);
  options.max_bytes = 1000;
  assert_int_equal(km_mean_curves_new(&small, &options, &err), KM_ERR_LIMIT);
  options.n_strata = SIZE_MAX / 2;
  options.max_bytes = SIZE_MAX;
  assert_int_equal(km_mean_curves_new(&small, &options, &err), KM_ERR_LIMIT);
  assert_null(small);
}

static void bad_options(void **state) {
  (void)state;
  km_mean_curves *curves, *other;
  km_err err;
  km_mean_options options = plain_options();
  options.n_channels = 0;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  options.histogram_channel = CHANNEL_S;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  options.channels = (const km_mean_channel[]){CHANNEL(6, 1, 0, STEPS, 0)};
  options.n_channels = 1;
  options.histogram_channel = KM_MEAN_NO_HISTOGRAM;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  curves = curves_of(&options);
  options.channels = (const km_mean_channel[]){CHANNEL(2, 1, 128, STEPS, 0)};
  assert_int_equal(km_mean_curves_new(&other, &options, &err), KM_ERR_USAGE);
  static const km_mean_channel of_no_steps[][2] = {
      {CHANNEL(2, 1, 0, STEPS, 0), CHANNEL(2, 1, 0, CHANGES, 1)},  /* of itself */
      {CHANNEL(2, 1, 0, STEPS, 0), CHANNEL(2, 1, 0, CHANGES, 2)},  /* of none */
      {CHANNEL(2, 1, 0, SPIKES, 0), CHANNEL(2, 1, 0, CHANGES, 0)}, /* of spikes */
      {CHANNEL(0, 0, 0, STEPS, 0), CHANNEL(0, 0, 0, CHANGES, 0)},  /* of doubles */
      {CHANNEL(2, 1, 0, STEPS, 0), CHANNEL(2, 3, 0, CHANGES, 0)},  /* of another denominator */
      {CHANNEL(2, 1, 0, STEPS, 0), CHANNEL(3, 1, 0, CHANGES, 0)},  /* of other limbs */
      {CHANNEL(2, 1, 0, STEPS, 0), CHANNEL(2, 1, 0, CHANGES2, 0)}, /* second ones of no first */
  };
  options.n_channels = 2;
  options.histogram_channel = KM_MEAN_NO_HISTOGRAM;
  for (size_t i = 0; i < sizeof of_no_steps / sizeof *of_no_steps; i++) {
    options.channels = of_no_steps[i];
    assert_int_equal(km_mean_curves_new(&other, &options, &err), KM_ERR_USAGE);
  }
  options = plain_options();
  const km_mean_column columns[N_CHANNELS] = {{0}};
  assert_int_equal(km_mean_curves_add(&curves, 1, &(km_mean_game){columns, (const size_t[]){3}, 1}, 1, &err),
                   KM_ERR_USAGE);
  assert_int_equal(km_mean_curves_add(&curves, 1, &(km_mean_game){columns, (const size_t[]){0}, 0}, 1, &err),
                   KM_ERR_USAGE);
  options.n_points = 999;
  options.n_strata = 2;
  other = curves_of(&options);
  assert_int_equal(km_mean_curves_merge(curves, other, &err), KM_ERR_USAGE);
  km_mean_curves *const two[] = {curves, other};
  assert_int_equal(km_mean_curves_add(two, 2, NULL, 0, &err), KM_ERR_USAGE); /* other places */
  km_mean_curves_free(other);
  options = plain_options();
  options.channels = channels + 1;
  options.n_channels = 1;
  options.histogram_channel = KM_MEAN_NO_HISTOGRAM;
  other = curves_of(&options);
  km_mean_curves *const unlike[] = {curves, other};
  assert_int_equal(km_mean_curves_add(unlike, 2, NULL, 0, &err), KM_ERR_USAGE); /* other channels */
  km_mean_curves_free(other);
  km_mean_curves_free(curves);
  km_mean_curves_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_single_sums),
      cmocka_unit_test(any_partition),
      cmocka_unit_test(many_games_to_many_sets),
      cmocka_unit_test(folded),
      cmocka_unit_test(quantiles),
      cmocka_unit_test(histogram_edges),
      cmocka_unit_test(beyond_the_last_place),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(bad_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
