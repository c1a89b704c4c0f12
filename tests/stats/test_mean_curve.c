/* test_mean_curve.c: mean curves against single sums and sorted values, and over
 * random partitions; limits and options. The golden curves: test_hbs_series.c, which can stretch a game. */
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

enum { SEED = 97, N_GAMES = 60, LENGTH_MAX = 200 };

/* S as two limbs, one layer of one limb, ΔS-like signed values of four limbs, doubles. */
static const km_mean_channel channels[] = {{2, 1}, {1, 7}, {4, 1}, {0, 0}};
enum { N_CHANNELS = 4, CHANNEL_S = 0, CHANNEL_DOUBLE = 3 };

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
  uint64_t values[LENGTH_MAX][8]; /* 2 + 1 + 4 limbs, and a double's bits */
} random_game;

static void make_game(random_game *game, uint64_t i) {
  uint64_t bits = km_mix64(SEED + i);
  game->n = 1 + bits % LENGTH_MAX;
  game->stratum = (bits >> 32) % 3;
  for (size_t t = 0; t < game->n; t++) {
    uint64_t *row = game->values[t];
    for (unsigned j = 0; j < 7; j++)
      row[j] = km_mix64(i * 4096 + t * 8 + j);
    row[1] >>= km_mix64(i + t) % 3 == 0 ? 63 : 40; /* S: some below 2^65, all positive */
    row[6] = (uint64_t)((int64_t)row[6] >> 20);
    double x = t % 17 == 0 ? 0 : 1 + 75 * km_random_unit(row[0]);
    memcpy(&row[7], &x, sizeof x);
    if (t > 0 && km_mix64(i * 777 + t) % 3 == 0) /* as when White moves: nothing changes */
      memcpy(row, game->values[t - 1], sizeof game->values[t]);
  }
}

static void add_game(km_mean_curves *curves, const random_game *game) {
  const uint64_t *row = game->values[0];
  const km_mean_column columns[N_CHANNELS] = {{row, 8}, {row + 2, 8}, {row + 3, 8}, {row + 7, 8}};
  km_err err;
  if (km_mean_curves_add(curves, game->stratum, columns, game->n, &err) != KM_OK)
    fail_msg("%s", err.msg);
}

/* The q-th quartile. */
static void read_quantiles(const km_mean_curves *curves, size_t stratum, uint32_t q, double *out) {
  assert_int_equal(km_mean_curves_quantiles(curves, stratum, q, 4, out, NULL), KM_OK);
}

static void assert_same(const km_mean_curves *a, const km_mean_curves *b) {
  static km_exact_sum of_a[LENGTH_MAX], of_b[LENGTH_MAX];
  for (size_t s = 0; s < 3; s++) {
    size_t length = km_mean_curves_length(a, s);
    assert_int_equal(length, km_mean_curves_length(b, s));
    assert_int_equal(km_mean_curves_games(a, s), km_mean_curves_games(b, s));
    for (size_t c = 0; c < N_CHANNELS; c++)
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
  static const size_t first[N_CHANNELS] = {0, 2, 3, 7};
  for (uint64_t i = 0; i < N_GAMES; i++) {
    make_game(&game, i);
    add_game(curves, &game);
    for (size_t c = 0; c < N_CHANNELS; c++)
      for (size_t t = 0; t < length[game.stratum]; t++) {
        const uint64_t *value = &game.values[t < game.n ? t : game.n - 1][first[c]];
        for (int hold = t >= game.n; hold < 2; hold++) {
          km_exact_sum *sum = &expected[hold][game.stratum][c][t];
          double x;
          memcpy(&x, value, sizeof x);
          if (c == CHANNEL_DOUBLE)
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
    assert_same(part[start], whole);
    for (size_t p = 0; p < n_parts; p++)
      km_mean_curves_free(part[p]);
  }
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
      memcpy(&sorted[t][count[t]++], &game.values[t][7], sizeof(double));
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
  assert_int_equal(km_mean_curves_quantiles(without, 0, 1, 2, NULL, &err), KM_ERR_USAGE);
  km_mean_curves_free(without);
  km_mean_curves_free(curves);
}

static void histogram_edges(void **state) {
  (void)state;
  km_mean_options options = plain_options();
  options.channels = &channels[CHANNEL_DOUBLE];
  options.n_channels = 1;
  options.histogram_channel = 0;
  km_mean_curves *curves = curves_of(&options);
  const double values[] = {0, 76.999999, 77, 500};
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(km_mean_curves_add(curves, i % 3, &(km_mean_column){&values[i], 1}, 1, NULL), KM_OK);
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
  const km_mean_column columns[N_CHANNELS] = {
      {game.values, 8}, {game.values, 8}, {game.values, 8}, {game.values, 8}};
  assert_int_equal(km_mean_curves_add(small, game.stratum, columns, game.n, &err), KM_ERR_LIMIT);
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
  km_mean_curves *curves;
  km_err err;
  km_mean_options options = plain_options();
  options.n_channels = 0;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  options.histogram_channel = CHANNEL_S;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  options.channels = (const km_mean_channel[]){{6, 1}};
  options.n_channels = 1;
  options.histogram_channel = KM_MEAN_NO_HISTOGRAM;
  assert_int_equal(km_mean_curves_new(&curves, &options, &err), KM_ERR_USAGE);
  options = plain_options();
  curves = curves_of(&options);
  const km_mean_column columns[N_CHANNELS] = {{0}};
  assert_int_equal(km_mean_curves_add(curves, 3, columns, 1, &err), KM_ERR_USAGE);
  options.n_points = 999;
  options.n_strata = 2;
  km_mean_curves *other = curves_of(&options);
  assert_int_equal(km_mean_curves_merge(curves, other, &err), KM_ERR_USAGE);
  km_mean_curves_free(other);
  km_mean_curves_free(curves);
  km_mean_curves_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equals_single_sums),
      cmocka_unit_test(any_partition),
      cmocka_unit_test(quantiles),
      cmocka_unit_test(histogram_edges),
      cmocka_unit_test(beyond_the_last_place),
      cmocka_unit_test(memory_is_bounded),
      cmocka_unit_test(bad_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
