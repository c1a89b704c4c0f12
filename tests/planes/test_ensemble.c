/* test_ensemble.c: the average over symmetries, layouts by name, options refused, and the digest of
 * kifumill/sha256.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/ensemble.h"
#include "kifumill/sha256.h"

/* An evaluator as lopsided as can be: every output is its own random weighting of every input byte. */
typedef struct lopsided {
  size_t row_bytes, n_outputs;
  int fails;
} lopsided;

static km_status judge(void *context, size_t n_rows, const uint8_t *planes, float *policies, float *values,
                       km_err *err) {
  const lopsided *self = context;
  if (self->fails)
    return km_err_set(err, KM_ERR_STATE, 0, "no opinion");
  for (size_t i = 0; i < n_rows; ++i)
    for (size_t output = 0; output <= self->n_outputs; ++output) {
      double sum = 0;
      for (size_t j = 0; j < self->row_bytes; ++j)
        sum += planes[i * self->row_bytes + j] *
               (km_random_unit(km_random(7, output, j, KM_PURPOSE_MODEL)) - 0.5);
      float squashed = (float)tanh(sum);
      if (output < self->n_outputs)
        policies[i * self->n_outputs + output] = squashed;
      else
        values[i] = squashed;
    }
  return KM_OK;
}

/* The ensemble's opinion of a short game of which every move is turned by k. */
static void opinion(unsigned rows, unsigned cols, int k, float *policy, float *value) {
  static km_board board;
  km_plane_encoder *encoder;
  km_ensemble *ensemble;
  km_plane_options options = {.layout = km_layout_find("alphago-zero"),
                              .rows = (uint8_t)rows,
                              .cols = (uint8_t)cols,
                              .symmetries = 0xff,
                              .packing = KM_PACK_BYTES};
  assert_int_equal(km_plane_encoder_new(&encoder, &options, NULL), KM_OK);
  lopsided evaluator = {km_plane_encoder_row_bytes(encoder), (size_t)rows * cols + 1, 0};
  assert_int_equal(km_ensemble_new(&ensemble, encoder, judge, &evaluator, NULL), KM_OK);
  km_board_init(&board, rows, cols);
  uint8_t colour = KM_BLACK;
  for (unsigned i = 0; i < 12; ++i) {
    uint16_t point = (uint16_t)km_random_below(km_random(3, rows, i, KM_PURPOSE_SAMPLE), rows * cols);
    if (km_board_try(&board, colour, km_symmetry_point(k, rows, cols, point)) != KM_PLAY_LEGAL)
      continue;
    km_plane_encoder_push(encoder, &board, colour, km_symmetry_point(k, rows, cols, point));
    colour = km_opponent(colour);
  }
  assert_int_equal(km_symmetry_ensemble(ensemble, &board, colour, policy, value, NULL), KM_OK);
  km_err err;
  evaluator.fails = 1;
  assert_int_equal(km_symmetry_ensemble(ensemble, &board, colour, policy, value, &err), KM_ERR_STATE);
  km_ensemble_free(ensemble);
  km_plane_encoder_free(encoder);
}

static void check_commutes(unsigned rows, unsigned cols) {
  float policy[82], turned[82], value, turned_value;
  unsigned n = rows * cols;
  opinion(rows, cols, 0, policy, &value);
  int differs = 0;
  for (int k = 1; k < KM_SYMMETRIES; ++k) {
    if (!km_symmetry_fits(k, rows, cols))
      continue;
    opinion(rows, cols, k, turned, &turned_value);
    assert_true(fabsf(turned_value - value) < 1e-6f);
    for (unsigned p = 0; p <= n; ++p) {
      assert_true(fabsf(turned[km_symmetry_point(k, rows, cols, (uint16_t)p)] - policy[p]) < 1e-6f);
      differs |= fabsf(turned[p] - policy[p]) > 1e-3f;
    }
  }
  assert_true(differs); /* the position itself is not symmetric */
}

static void test_commutes(void **state) {
  (void)state;
  check_commutes(7, 7);
  check_commutes(5, 8);
}

/* ---- layouts ---- */

static void test_layouts(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t n_planes;
  } expected[] = {{"alphago-zero", 17},
                  {"black-white", 17},
                  {"black-white-literal", 17},
                  {"alphago-48", 48},
                  {"leela-zero", 18}};
  size_t n = 0;
  for (const km_layout *layout; (layout = km_layout_at(n)) != NULL; ++n) {
    assert_string_equal(layout->name, expected[n].name);
    assert_ptr_equal(km_layout_find(layout->name), layout);
    assert_int_equal(km_layout_n_planes(layout, 0), expected[n].n_planes);
    assert_true(layout->n_rows <= KM_PLANES_MAX);
    assert_int_equal(km_layout_has_features(layout), strcmp(layout->name, "alphago-48") == 0);
    for (size_t i = 0; i < layout->n_rows; ++i) {
      assert_true(strlen(layout->planes[i].doc) > 0 &&
                  strlen(km_plane_kind_name(layout->planes[i].kind)) > 0);
      for (size_t j = 0; j < i; ++j)
        assert_string_not_equal(layout->planes[i].name, layout->planes[j].name);
    }
  }
  assert_int_equal(n, 5);
  assert_null(km_layout_find("alphago"));
}

static void test_parse(void **state) {
  (void)state;
  static const char *const good[] = {"alphago-zero", "leela-zero", "alphago-48", "alphago-48:capture1",
                                     "alphago-48:capture1,setup-old,colour,sensible,depth50"};
  static const char *const bad[] = {"",
                                    "alphago",
                                    "alphago-zeroo",
                                    ":",
                                    "alphago-48:",
                                    "alphago-48:colour,",
                                    "alphago-48:color",
                                    "alphago-zero:colour",
                                    "alphago-48:colour:capture1"};
  const km_layout *layout;
  uint32_t variants;
  char text[KM_LAYOUT_TEXT];
  km_err err;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
    assert_int_equal(km_layout_parse(good[i], &layout, &variants, &err), KM_OK);
    assert_string_equal(km_layout_text(layout, variants, text, sizeof text), good[i]);
  }
  assert_int_equal(km_layout_n_planes(layout, variants), 49);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(km_layout_parse(bad[i], &layout, &variants, &err), KM_ERR_USAGE);
    assert_non_null(strstr(err.msg, "\""));
  }
}

static void test_refused(void **state) {
  (void)state;
  const km_layout *layout = km_layout_at(0);
  const km_plane_options bad[] = {
      {.layout = layout, .rows = 0, .cols = 9, .symmetries = 1},
      {.layout = layout, .rows = 9, .cols = 53, .symmetries = 1},
      {.layout = layout, .rows = 9, .cols = 9, .symmetries = 0},
      {.layout = layout, .rows = 9, .cols = 8, .symmetries = 2},
      {.layout = layout, .rows = 9, .cols = 9, .symmetries = 1, .variants = KM_VARIANT_COLOUR},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    km_plane_encoder *encoder;
    km_err err = {0};
    assert_int_equal(km_plane_encoder_new(&encoder, &bad[i], &err), KM_ERR_USAGE);
    assert_null(encoder);
    assert_true(err.msg[0] != '\0');
  }
}

static void test_row_sizes(void **state) {
  (void)state;
  km_plane_encoder *encoder;
  km_plane_options options = {.layout = km_layout_at(0), .rows = 19, .cols = 19, .symmetries = 1};
  assert_int_equal(km_plane_encoder_new(&encoder, &options, NULL), KM_OK);
  assert_int_equal(km_plane_encoder_row_bytes(encoder), 782);
  km_plane_encoder_free(encoder);
  options = (km_plane_options){
      .layout = km_layout_at(0), .rows = 9, .cols = 13, .symmetries = 0xff, .packing = KM_PACK_BYTES};
  assert_int_equal(km_plane_encoder_new(&encoder, &options, NULL), KM_OK);
  assert_int_equal(km_plane_encoder_row_bytes(encoder), 17 * 9 * 13);
  assert_int_equal(km_plane_encoder_options(encoder)->symmetries, 1 << 0 | 1 << 2 | 1 << 4 | 1 << 5);
  km_plane_encoder_free(encoder);
}

/* FIPS 180-2's examples. */
static void test_sha256(void **state) {
  (void)state;
  char text[KM_SHA256_HEX];
  km_sha256_hex("abc", 3, text);
  assert_string_equal(text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  km_sha256_hex("", 0, text);
  assert_string_equal(text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_commutes),  cmocka_unit_test(test_layouts),
                                     cmocka_unit_test(test_parse),     cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_row_sizes), cmocka_unit_test(test_sha256)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
