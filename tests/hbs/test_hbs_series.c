/* test_hbs_series.c: golden/mean_curves.json: differences, alignment by move and by fraction, exact means;
 * and the properties of differences and alignment on boards beyond 128 bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hbs_support.h"
#include "kifumill/hash.h"
#include "kifumill/hbs_series.h"
#include "kifumill/mean_curve.h"

enum { LENGTH_MAX = 64, LIMBS = 2 };

/* One of the golden curves as a series; returns its length. */
static size_t curve_of(uint64_t *s, const json_t *texts, unsigned n_limbs) {
  size_t n = json_array_size(texts);
  assert_true(n <= LENGTH_MAX);
  for (size_t t = 0; t < n; t++) {
    km_hbs_value value = value_of_decimal(json_string_value(json_array_get(texts, t)));
    memcpy(s + t * n_limbs, value.limb, n_limbs * sizeof *s);
  }
  return n;
}

static void assert_signed(const uint64_t *got, size_t n, const json_t *expected, unsigned n_limbs) {
  char text[KM_HBS_DECIMAL_MAX];
  assert_int_equal(n, json_array_size(expected));
  for (size_t i = 0; i < n; i++)
    assert_string_equal(km_hbs_decimal_signed(text, got + i * n_limbs, n_limbs),
                        json_string_value(json_array_get(expected, i)));
}

static void differences(void **state) {
  (void)state;
  json_t *json = golden("mean_curves.json"), *curves = json_object_get(json, "curves");
  assert_true(json_array_size(curves) > 0);
  for (unsigned n_limbs = 2; n_limbs <= 4; n_limbs += 2)
    for (size_t i = 0; i < json_array_size(curves); i++) {
      uint64_t s[4 * LENGTH_MAX], out[4 * LENGTH_MAX];
      size_t n = curve_of(s, json_array_get(curves, i), n_limbs);
      assert_signed(out, km_hbs_delta(out, s, n, n_limbs, 1),
                    json_array_get(json_object_get(json, "diff1"), i), n_limbs);
      assert_signed(out, km_hbs_delta(out, s, n, n_limbs, 2),
                    json_array_get(json_object_get(json, "delta_2"), i), n_limbs);
      assert_signed(out, km_hbs_diff2(out, s, n, n_limbs), json_array_get(json_object_get(json, "diff2"), i),
                    n_limbs);
    }
  json_decref(json);
}

static void clipped_differences(void **state) {
  (void)state;
  const uint64_t s[] = {5, 0, 9, 0, 2, 0, 1, 0};
  uint64_t out[8];
  static const char *const expected[] = {"0", "4", "-3", "-8"};
  char text[KM_HBS_DECIMAL_MAX];
  assert_int_equal(km_hbs_delta_clip(out, s, 4, 2, 2), 4);
  for (size_t t = 0; t < 4; t++)
    assert_string_equal(km_hbs_decimal_signed(text, out + 2 * t, 2), expected[t]);
  assert_int_equal(km_hbs_delta(out, s, 4, 2, 4), 0);
  assert_int_equal(km_hbs_delta(out, s, 4, 2, 99), 0);
  assert_int_equal(km_hbs_diff2(out, s, 2, 2), 0);
  assert_int_equal(km_hbs_diff2(out, s, 1, 2), 0);
}

/* A series of random S of the largest board: sums of differences lead back, D2 is the difference of D1. */
static void differences_of_large_boards(void **state) {
  (void)state;
  uint64_t s[4 * LENGTH_MAX], first[4 * LENGTH_MAX], second[4 * LENGTH_MAX], again[4 * LENGTH_MAX];
  for (size_t i = 0; i < 4 * LENGTH_MAX; i++)
    s[i] = i % 4 == 3 ? km_mix64(i) >> 47 : km_mix64(i); /* below 2^209 */
  size_t n1 = km_hbs_delta(first, s, LENGTH_MAX, 4, 1), n2 = km_hbs_diff2(second, s, LENGTH_MAX, 4);
  assert_int_equal(km_hbs_delta(again, first, n1, 4, 1), n2);
  assert_memory_equal(again, second, n2 * 4 * sizeof *again);
  for (size_t t = 0; t < n1; t++) {
    int rises = compare_values(*(km_hbs_value *)memcpy(&(km_hbs_value){{0}}, s + 4 * t + 4, 32),
                               *(km_hbs_value *)memcpy(&(km_hbs_value){{0}}, s + 4 * t, 32)) > 0;
    assert_int_equal(first[4 * t + 3] >> 63, !rises); /* the sign */
  }
}

static km_mean_curves *curves_for(const km_mean_channel *channel, size_t n_points) {
  const km_mean_options options = {.channels = channel,
                                   .n_channels = 1,
                                   .n_strata = 1,
                                   .n_points = n_points,
                                   .max_bytes = 1 << 20,
                                   .histogram_channel = KM_MEAN_NO_HISTOGRAM};
  km_mean_curves *curves;
  assert_int_equal(km_mean_curves_new(&curves, &options, NULL), KM_OK);
  return curves;
}

/* A game with values at n places. */
static void add_all(km_mean_curves *curves, const void *values, size_t n) {
  uint32_t places[LENGTH_MAX];
  assert_true(n <= LENGTH_MAX);
  for (size_t t = 0; t < n; t++)
    places[t] = (uint32_t)t;
  const km_mean_column column = {values, places, n};
  assert_int_equal(km_mean_curves_add(&curves, 1, &(km_mean_game){&column, (const size_t[]){0}, n}, 1, NULL),
                   KM_OK);
}

static void means_by_move(void **state) {
  (void)state;
  json_t *json = golden("mean_curves.json"), *curves = json_object_get(json, "curves");
  km_mean_curves *exact = curves_for(&(km_mean_channel){.n_limbs = LIMBS, .denominator = 1}, 100),
                 *logs = curves_for(&(km_mean_channel){0}, 100);
  for (size_t i = 0; i < json_array_size(curves); i++) {
    uint64_t s[LIMBS * LENGTH_MAX];
    double log2[LENGTH_MAX];
    size_t n = curve_of(s, json_array_get(curves, i), LIMBS);
    km_hbs_log2_series(log2, s, n, LIMBS);
    add_all(exact, s, n);
    add_all(logs, log2, n);
  }
  static const char *const names[] = {[KM_MEAN_DROP] = "by_move_drop", [KM_MEAN_HOLD] = "by_move_hold"};
  km_exact_sum sums[LENGTH_MAX];
  char text[KM_EXACT_TEXT_MAX];
  for (int ends = KM_MEAN_DROP; ends <= KM_MEAN_HOLD; ends++) {
    const json_t *expected = json_object_get(json, names[ends]);
    assert_int_equal(km_mean_curves_length(exact, 0), json_array_size(expected));
    km_mean_curves_read(exact, 0, 0, (km_mean_ends)ends, sums);
    for (size_t t = 0; t < json_array_size(expected); t++) {
      const json_t *row = json_array_get(expected, t);
      assert_string_equal(km_exact_sum_decimal(text, &sums[t]), json_string_value(json_array_get(row, 0)));
      assert_int_equal(sums[t].n, json_integer_value(json_array_get(row, 1)));
    }
  }
  km_mean_curves_read(logs, 0, 0, KM_MEAN_DROP, sums);
  const json_t *expected = json_object_get(json, "mean_log2_by_move_drop");
  for (size_t t = 0; t < json_array_size(expected); t++) {
    double mean = json_number_value(json_array_get(expected, t));
    assert_true(fabs(km_exact_sum_moments(&sums[t]).mean - mean) <= 1e-12 * mean);
  }
  km_mean_curves_free(exact);
  km_mean_curves_free(logs);
  json_decref(json);
}

/* Means of all curves stretched to M + 1 points. */
static void check_fractions(const json_t *curves, km_hbs_align align, uint32_t M, const json_t *expected) {
  km_mean_curves *means =
      curves_for(&(km_mean_channel){.n_limbs = LIMBS + 1, .denominator = M, .kind = KM_MEAN_SPIKES}, M + 1);
  for (size_t i = 0; i < json_array_size(curves); i++) {
    uint64_t s[LIMBS * LENGTH_MAX], out[(LIMBS + 1) * LENGTH_MAX];
    size_t n = curve_of(s, json_array_get(curves, i), LIMBS);
    km_hbs_fraction at[LENGTH_MAX];
    km_hbs_fractions(at, n, M, align);
    km_hbs_at_fractions(out, LIMBS + 1, (km_hbs_column){s, LIMBS, n, LIMBS}, at, M);
    add_all(means, out, M + 1);
  }
  km_exact_sum sums[LENGTH_MAX];
  char text[KM_EXACT_TEXT_MAX];
  assert_int_equal(json_array_size(expected), M + 1);
  km_mean_curves_read(means, 0, 0, KM_MEAN_DROP, sums);
  for (uint32_t j = 0; j <= M; j++)
    assert_string_equal(km_exact_mean_fraction(text, &sums[j]),
                        json_string_value(json_array_get(expected, j)));
  km_mean_curves_free(means);
}

static void means_by_fraction(void **state) {
  (void)state;
  static const char *const names[] = {
      [KM_HBS_LINEAR] = "linear", [KM_HBS_FLOOR] = "floor", [KM_HBS_NEAREST] = "nearest"};
  json_t *json = golden("mean_curves.json"), *expected;
  const char *M;
  for (int align = KM_HBS_LINEAR; align <= KM_HBS_NEAREST; align++) {
    json_t *by_M = json_object_get(json_object_get(json, "by_fraction"), names[align]);
    assert_true(json_object_size(by_M) > 0);
    json_object_foreach(by_M, M, expected) check_fractions(
        json_object_get(json, "curves"), (km_hbs_align)align, (uint32_t)strtoul(M, NULL, 10), expected);
  }
  json_decref(json);
}

/* A straight line stays one: S(t) = t·2^200 stretched from T moves to M is j·T·2^200 over M. */
static void fractions_of_a_line(void **state) {
  (void)state;
  static const uint32_t Ms[] = {1, 3, 63, 100};
  for (size_t i = 0; i < 4; i++)
    for (size_t n = 1; n <= LENGTH_MAX; n++) {
      uint64_t s[4 * LENGTH_MAX] = {0}, out[5 * 101];
      double doubles[LENGTH_MAX], stretched[101];
      for (size_t t = 0; t < n; t++) {
        s[4 * t + 3] = (uint64_t)t << 8;
        doubles[t] = (double)t;
      }
      km_hbs_fraction at[101];
      km_hbs_fractions(at, n, Ms[i], KM_HBS_LINEAR);
      km_hbs_at_fractions(out, 5, (km_hbs_column){s, 4, n, 4}, at, Ms[i]);
      km_hbs_at_fractions_double(stretched, doubles, at, Ms[i]);
      for (uint32_t j = 0; j <= Ms[i]; j++) {
        assert_int_equal(out[5 * j + 3], (uint64_t)j * (n - 1) << 8);
        assert_int_equal(out[5 * j] | out[5 * j + 1] | out[5 * j + 2] | out[5 * j + 4], 0);
        assert_true(fabs(stretched[j] - (double)j * (double)(n - 1) / Ms[i]) < 1e-13);
      }
    }
}

/* One layer of many is picked by its stride. */
static void fractions_of_a_layer(void **state) {
  (void)state;
  const uint64_t layers[] = {7, 0, 1, 0, 7, 0, 3, 0, 7, 0, 9, 0}; /* two layers, three plies */
  uint64_t out[3 * 5];
  km_hbs_fraction at[5];
  static const uint64_t expected[] = {4, 8, 12, 24, 36};
  km_hbs_fractions(at, 3, 4, KM_HBS_LINEAR);
  for (unsigned n_out = 2; n_out <= 3; n_out++) {
    km_hbs_at_fractions(out, n_out, (km_hbs_column){layers + 2, 4, 3, 2}, at, 4);
    for (size_t j = 0; j <= 4; j++) {
      assert_int_equal(out[n_out * j], expected[j]);
      assert_int_equal(out[n_out * j + 1], 0);
    }
  }
}

/* Fractions counted on are those divided for, for games shorter and longer than M, and near the largest. */
static void fractions_by_division(void **state) {
  (void)state;
  static const struct {
    uint64_t n;
    uint32_t M;
  } rows[] = {{1, 1},
              {1, 7},
              {2, 1},
              {2, 100},
              {8, 7},
              {7, 7},
              {101, 100},
              {250, 100},
              {9999, 37},
              {3, 1 << 16},
              {UINT64_C(1) << 32, 1 << 16}};
  km_hbs_fraction *at = malloc(((1 << 16) + 1) * sizeof *at);
  assert_non_null(at);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int align = KM_HBS_LINEAR; align <= KM_HBS_NEAREST; align++) {
      uint64_t T = rows[i].n - 1, M = rows[i].M;
      km_hbs_fractions(at, rows[i].n, rows[i].M, (km_hbs_align)align);
      for (uint64_t j = 0; j <= M; j++) {
        assert_int_equal(at[j].ply, align == KM_HBS_NEAREST ? (2 * j * T + M) / (2 * M) : j * T / M);
        assert_int_equal(at[j].rest, align == KM_HBS_LINEAR ? j * T % M : 0);
      }
    }
  free(at);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences),
      cmocka_unit_test(clipped_differences),
      cmocka_unit_test(differences_of_large_boards),
      cmocka_unit_test(means_by_move),
      cmocka_unit_test(means_by_fraction),
      cmocka_unit_test(fractions_of_a_line),
      cmocka_unit_test(fractions_of_a_layer),
      cmocka_unit_test(fractions_by_division),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
