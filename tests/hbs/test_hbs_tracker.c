/* test_hbs_tracker.c: the tracker against golden boards and against the definition, on every size and
 * variant; the invariances and non-monotonicity of SPEC §3. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "hbs_support.h"
#include "kifumill/hash.h"

enum { SEED = 7102 };

static km_hbs_geometry geometry; /* 16 KiB of tables, too much for a stack frame of a test */
static uint8_t stones[KM_POINT_MAX], turned[KM_POINT_MAX];

static void start(km_hbs *hbs, unsigned n, km_hbs_variant variant) {
  km_err err;
  if (km_hbs_geometry_init(&geometry, n, n, variant, &err) != KM_OK)
    fail_msg("%s", err.msg);
  km_hbs_init(hbs, &geometry);
}

/* S and all L of the tracker equal those from scratch. */
static void agree(const km_hbs *hbs, const uint8_t *board) {
  km_hbs_value layer[KM_HBS_RINGS_MAX + 1];
  unsigned n = hbs->geometry->n;
  assert_value(km_hbs_s(hbs), reference(layer, board, n, hbs->geometry->variant));
  for (unsigned k = 0; k < hbs->geometry->n_layers; k++)
    assert_value(km_hbs_layer(hbs, k), layer[k]);
}

static void fill(km_hbs *hbs, const uint8_t *board) {
  for (unsigned p = 0; p < (unsigned)hbs->geometry->n * hbs->geometry->n; p++)
    km_hbs_set(hbs, (uint16_t)p, board[p]);
}

/* S of a board by the tracker. */
static km_hbs_value tracked(const uint8_t *board, unsigned n, km_hbs_variant variant) {
  km_hbs hbs;
  start(&hbs, n, variant);
  fill(&hbs, board);
  return km_hbs_s(&hbs);
}

static km_hbs_variant named(const char *name) {
  km_hbs_variant variant;
  assert_int_equal(km_hbs_variant_parse(&variant, name, NULL), KM_OK);
  return variant;
}

/* hbs_boards.json: layers of every named variant, from the tracker and from scratch. */
static void golden_layers(const json_t *row) {
  unsigned n = stones_of(stones, json_object_get(row, "board"));
  const char *name;
  json_t *layers;
  json_object_foreach(json_object_get(row, "layers"), name, layers) {
    km_hbs hbs;
    start(&hbs, n, named(name));
    fill(&hbs, stones);
    agree(&hbs, stones);
    assert_true(json_array_size(layers) >= geometry.n_layers);
    for (unsigned k = 0; k < geometry.n_layers; k++)
      assert_decimal(km_hbs_layer(&hbs, k), json_string_value(json_array_get(layers, k)));
  }
}

static void golden_boards(void **state) {
  (void)state;
  json_t *rows = golden("hbs_boards.json"), *row;
  size_t i;
  assert_true(json_array_size(rows) > 0);
  json_array_foreach(rows, i, row) {
    golden_layers(row);
    unsigned n = stones_of(stones, json_object_get(row, "board"));
    for (unsigned k = 0; k < 8; k++) {
      transform(turned, stones, n, k);
      assert_decimal(tracked(turned, n, named("default")),
                     json_string_value(json_array_get(json_object_get(row, "S_default_by_sym"), k)));
      assert_decimal(tracked(turned, n, named("canon")),
                     json_string_value(json_array_get(json_object_get(row, "S_canon_by_sym"), k)));
      assert_decimal(tracked(turned, n, named("fixed")),
                     json_string_value(json_array_get(json_object_get(row, "S_fixed_by_sym"), k)));
    }
    assert_value(tracked(stones, n, named("white")), reference(NULL, stones, n, named("white")));
    swap_colours(stones, n);
    const char *swapped = json_string_value(json_object_get(row, "S_colour_swapped"));
    assert_decimal(tracked(stones, n, named("default")), swapped);
  }
  json_decref(rows);
}

/* Random changes, one or several points at a time, on every size and variant. */
static void random_changes(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  for (unsigned n = 1; n <= KM_BOARD_MAX; n++)
    for (unsigned i = 0; i < N_VARIANTS; i++) {
      km_hbs hbs;
      start(&hbs, n, variant_number(i));
      random_stones(stones, n, SEED + n);
      fill(&hbs, stones);
      agree(&hbs, stones);
      uint64_t bits = SEED * i + n;
      for (unsigned step = 0; step < 6; step++) {
        uint16_t points[20];
        bits = km_mix64(bits);
        size_t n_points = step % 2 == 0 ? 1 : bits % 20;
        uint8_t colour = (uint8_t)((bits >> 20) % 3);
        for (size_t j = 0; j < n_points; j++) {
          points[j] = (uint16_t)(km_mix64(bits + j) % (n * n));
          stones[points[j]] = colour;
        }
        if (n_points == 1)
          km_hbs_set(&hbs, points[0], colour);
        else
          km_hbs_set_many(&hbs, points, n_points, colour);
        agree(&hbs, stones);
      }
    }
}

/* Every point of a board on and off again leaves nothing behind. */
static void on_and_off(void **state) {
  (void)state;
  static const unsigned sizes[] = {1, 2, 3, 19, 31, 32, 52};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    for (unsigned i = 0; i < N_VARIANTS; i++) {
      km_hbs hbs, empty;
      start(&hbs, sizes[s], variant_number(i));
      empty = hbs;
      for (unsigned p = 0; p < sizes[s] * sizes[s]; p++) {
        km_hbs_set(&hbs, (uint16_t)p, KM_BLACK);
        km_hbs_set(&hbs, (uint16_t)p, KM_WHITE); /* overwritten */
      }
      for (unsigned p = 0; p < sizes[s] * sizes[s]; p++)
        km_hbs_set(&hbs, (uint16_t)p, KM_EMPTY);
      assert_memory_equal(&hbs, &empty, sizeof hbs);
    }
}

/* Which symmetries leave S unchanged, as a set of bits: rotations for cw, all for canon, {0, 6} for fixed;
 * ties by edge promise nothing. */
static unsigned invariant_under(km_hbs_variant variant) {
  if (variant.ties == KM_HBS_EDGE)
    return 1;
  static const unsigned sets[] = {[KM_HBS_CW] = 0x0f, [KM_HBS_FIXED] = 0x41, [KM_HBS_CANON] = 0xff};
  return sets[variant.direction];
}

static void invariances(void **state) {
  (void)state;
  for (unsigned i = 0; i < N_VARIANTS; i++) {
    km_hbs_variant variant = variant_number(i);
    unsigned kept = 0xff;
    for (unsigned n = 2; n <= 33; n++) {
      random_stones(stones, n, SEED + 100 * n);
      km_hbs_value here = tracked(stones, n, variant);
      for (unsigned k = 0; k < 8; k++) {
        transform(turned, stones, n, k);
        if (compare_values(tracked(turned, n, variant), here) != 0)
          kept &= ~(1u << k);
      }
    }
    assert_int_equal(kept, invariant_under(variant)); /* and nothing beyond what is proved */
  }
}

static void white_is_black_of_the_swap(void **state) {
  (void)state;
  for (unsigned i = 0; i < N_VARIANTS; i++) {
    km_hbs_variant black = variant_number(i), white = black;
    black.colour = KM_HBS_BLACK;
    white.colour = KM_HBS_WHITE;
    for (unsigned n = 1; n <= 21; n++) {
      random_stones(stones, n, SEED + n);
      km_hbs_value here = tracked(stones, n, white);
      swap_colours(stones, n);
      assert_value(tracked(stones, n, black), here);
    }
  }
}

/* On a ring without empties L_white(desc, value) = 2^4m − 1 − L_black(asc, value). */
static void complement(void **state) {
  (void)state;
  for (unsigned n = 2; n <= 31; n++) {
    random_stones(stones, n, SEED + n);
    for (unsigned p = 0; p < n * n; p++)
      stones[p] = stones[p] == KM_EMPTY ? KM_WHITE : stones[p];
    km_hbs_value white[KM_HBS_RINGS_MAX + 1], black[KM_HBS_RINGS_MAX + 1];
    reference(white, stones, n, named("white"));
    reference(black, stones, n, named("asc"));
    for (unsigned k = 0; k < n / 2; k++) {
      unsigned __int128 w = (unsigned __int128)white[k].limb[1] << 64 | white[k].limb[0];
      unsigned __int128 b = (unsigned __int128)black[k].limb[1] << 64 | black[k].limb[0];
      assert_true(w + b == ((unsigned __int128)1 << 4 * km_hbs_layer_size(n, k)) - 1);
    }
  }
}

/* A stone more can make S smaller: SPEC §3's example, and one in every variant on 4×4. */
static void not_monotone(void **state) {
  (void)state;
  km_hbs hbs;
  start(&hbs, 3, named("default"));
  km_hbs_set(&hbs, 8, KM_BLACK);
  assert_decimal(km_hbs_s(&hbs), "2112");
  km_hbs_set(&hbs, 5, KM_BLACK);
  assert_decimal(km_hbs_s(&hbs), "1792");
  for (unsigned i = 0; i < N_VARIANTS; i++) {
    km_hbs_variant variant = variant_number(i);
    uint8_t colour = variant.colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK;
    unsigned falls = 0;
    for (uint64_t board = 0; board < 200; board++) {
      random_stones(stones, 4, SEED + board);
      start(&hbs, 4, variant);
      fill(&hbs, stones);
      for (uint16_t p = 0; p < 16; p++) {
        km_hbs more = hbs;
        km_hbs_set(&more, p, colour);
        falls += compare_values(km_hbs_s(&more), km_hbs_s(&hbs)) < 0;
      }
    }
    assert_true(falls > 0);
  }
}

static void boards_without_hbs(void **state) {
  (void)state;
  km_err err;
  assert_int_equal(km_hbs_geometry_init(&geometry, 9, 13, named("default"), &err), KM_SKIP);
  assert_string_equal(err.msg, "HBS is not defined on a rectangular board (13x9)");
  assert_int_equal(km_hbs_geometry_init(&geometry, 0, 0, named("default"), &err), KM_ERR_USAGE);
  assert_int_equal(km_hbs_geometry_init(&geometry, 53, 53, named("default"), &err), KM_ERR_USAGE);
  assert_int_equal(km_hbs_geometry_init(&geometry, 19, 19, named("both"), &err), KM_ERR_USAGE);
  km_hbs_value s;
  assert_int_equal(km_hbs_of_board(&s, NULL, stones, 53, named("default"), &err), KM_ERR_USAGE);
  assert_int_equal(km_hbs_of_board(&s, NULL, stones, 9, named("both"), &err), KM_ERR_USAGE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_boards),
      cmocka_unit_test(random_changes),
      cmocka_unit_test(on_and_off),
      cmocka_unit_test(invariances),
      cmocka_unit_test(white_is_black_of_the_swap),
      cmocka_unit_test(complement),
      cmocka_unit_test(not_monotone),
      cmocka_unit_test(boards_without_hbs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
