/* test_hbs_variant.c: names of variants, layers, and the limits of every board size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hbs_support.h"

static km_hbs_variant parsed(const char *name) {
  km_hbs_variant variant;
  km_err err;
  if (km_hbs_variant_parse(&variant, name, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return variant;
}

static void named_combinations(void **state) {
  (void)state;
  static const char *const names[] = {
      "default",          "cw-desc-edge",    "cw-asc-value",    "cw-asc-edge",
      "fixed-desc-value", "fixed-desc-edge", "fixed-asc-value", "fixed-asc-edge",
      "canon-desc-value", "canon-asc-value", "white",           "centre15"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char name[KM_HBS_NAME_MAX];
    km_hbs_variant_name(parsed(names[i]), name);
    assert_string_equal(name, names[i]);
  }
}

static void every_combination_round_trips(void **state) {
  (void)state;
  for (unsigned i = 0; i < N_VARIANTS; i++)
    for (unsigned both = 0; both < 2; both++) {
      char name[KM_HBS_NAME_MAX];
      km_hbs_variant variant = variant_number(i);
      if (both)
        variant.colour = KM_HBS_BOTH;
      km_hbs_variant_name(variant, name);
      assert_true(strlen(name) < KM_HBS_NAME_MAX);
      km_hbs_variant again = parsed(name);
      assert_memory_equal(&again, &variant, sizeof variant);
    }
}

static void words_in_any_order(void **state) {
  (void)state;
  char name[KM_HBS_NAME_MAX];
  km_hbs_variant_name(parsed("centre15-white-edge"), name);
  assert_string_equal(name, "cw-desc-edge-white-centre15");
  km_hbs_variant_name(parsed("none-black-value-desc-cw"), name);
  assert_string_equal(name, "default");
}

static void bad_names_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"",         "-",           "cw-",           "-cw",   "CW",
                                      "cw-fixed", "white-white", "default-white", "cwdesc"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    km_hbs_variant variant;
    km_err err;
    assert_int_equal(km_hbs_variant_parse(&variant, names[i], &err), KM_ERR_USAGE);
    assert_non_null(strstr(err.msg, "canon"));
    assert_non_null(strstr(err.msg, "joined"));
  }
}

static void both_splits_in_two(void **state) {
  (void)state;
  km_hbs_variant single[2];
  assert_int_equal(km_hbs_variant_split(parsed("both-asc"), single), 2);
  assert_int_equal(single[0].colour, KM_HBS_BLACK);
  assert_int_equal(single[1].colour, KM_HBS_WHITE);
  assert_int_equal(single[1].order, KM_HBS_ASC);
  assert_int_equal(km_hbs_variant_split(parsed("white"), single), 1);
  assert_int_equal(single[0].colour, KM_HBS_WHITE);
}

static void limits_are_golden(void **state) {
  (void)state;
  json_t *rows = golden("hbs_limits.json"), *row;
  size_t i;
  assert_true(json_array_size(rows) > 0);
  json_array_foreach(rows, i, row) {
    unsigned n = (unsigned)json_integer_value(json_object_get(row, "n"));
    const json_t *layers = json_object_get(row, "layers");
    km_hbs_variant variant = {0};
    assert_decimal(km_hbs_max(n, variant), json_string_value(json_object_get(row, "S_max")));
    assert_int_equal(km_hbs_n_layers(n, variant), json_array_size(layers));
    for (unsigned k = 0; k < json_array_size(layers); k++)
      assert_int_equal(km_hbs_layer_size(n, k), json_integer_value(json_array_get(layers, k)));
    assert_true((json_integer_value(json_object_get(row, "bits")) <= 128) == (km_hbs_n_limbs(n) == 2));
  }
  json_decref(rows);
}

/* A board full of stones reaches the limit, in every variant. */
static void full_boards_reach_the_limit(void **state) {
  (void)state;
  static uint8_t stones[KM_POINT_MAX];
  memset(stones, KM_BLACK, sizeof stones);
  for (unsigned n = 1; n <= KM_BOARD_MAX; n++)
    for (unsigned i = 0; i < N_VARIANTS; i++)
      if (variant_number(i).colour == KM_HBS_BLACK)
        assert_value(reference(NULL, stones, n, variant_number(i)), km_hbs_max(n, variant_number(i)));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_combinations),          cmocka_unit_test(every_combination_round_trips),
      cmocka_unit_test(words_in_any_order),          cmocka_unit_test(bad_names_are_refused),
      cmocka_unit_test(both_splits_in_two),          cmocka_unit_test(limits_are_golden),
      cmocka_unit_test(full_boards_reach_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
