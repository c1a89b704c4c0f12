/* test_symmetry.c: the golden tables, and on boards of all sizes what makes a symmetry one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "kifumill/symmetry.h"

static int integer_at(const json_t *array, size_t i) { return (int)json_integer_value(json_array_get(array, i)); }

static void golden_tables(void **state) {
  (void)state;
  json_t *json = json_load_file("tests/golden/symmetry.json", 0, NULL), *maps;
  assert_non_null(json);
  for (int a = 0; a < KM_SYMMETRIES; a++) {
    assert_int_equal(km_symmetry_inverse(a), integer_at(json_object_get(json, "inverse"), (size_t)a));
    const json_t *row = json_array_get(json_object_get(json, "compose"), (size_t)a);
    for (int b = 0; b < KM_SYMMETRIES; b++)
      assert_int_equal(km_symmetry_compose(a, b), integer_at(row, (size_t)b));
  }
  const char *side;
  json_object_foreach(json_object_get(json, "maps"), side, maps) {
    unsigned n = (unsigned)atoi(side);
    uint16_t map[KM_POINT_MAX + 1];
    for (int k = 0; k < KM_SYMMETRIES; k++) {
      const json_t *want = json_array_get(maps, (size_t)k);
      assert_int_equal(json_array_size(want), n * n);
      km_symmetry_map(k, n, n, map);
      for (uint16_t p = 0; p < n * n; p++) {
        assert_int_equal(map[p], integer_at(want, p));
        assert_int_equal(km_symmetry_point(k, n, n, p), map[p]);
      }
      assert_int_equal(map[n * n], n * n);
    }
  }
  json_decref(json);
}

/* The formulas of SPEC §6, by themselves. */
static void formulas(void **state) {
  (void)state;
  for (unsigned n = 1; n <= KM_BOARD_MAX; n += 3)
    for (unsigned r = 0; r < n; r++)
      for (unsigned c = 0; c < n; c++) {
        unsigned m = n - 1;
        const unsigned want[KM_SYMMETRIES][2] = {{r, c},     {m - c, r}, {m - r, m - c}, {c, m - r},
                                                 {r, m - c}, {m - r, c}, {c, r},         {m - c, m - r}};
        for (int k = 0; k < KM_SYMMETRIES; k++)
          assert_int_equal(km_symmetry_point(k, n, n, (uint16_t)(r * n + c)), want[k][0] * n + want[k][1]);
      }
}

/* On every size, rectangles too: a permutation, undone by its inverse, composed as compose says. */
static void group_laws(void **state) {
  (void)state;
  for (unsigned rows = 1; rows <= 7; rows++)
    for (unsigned cols = 1; cols <= 7; cols++)
      for (int a = 0; a < KM_SYMMETRIES; a++) {
        int turns = !km_symmetry_fits(a, 2, 3); /* exchanges rows and columns */
        unsigned to_rows = turns ? cols : rows, to_cols = turns ? rows : cols;
        char hit[49] = {0};
        for (uint16_t p = 0; p < rows * cols; p++) {
          uint16_t q = km_symmetry_point(a, rows, cols, p);
          assert_true(q < rows * cols && !hit[q]);
          hit[q] = 1;
          assert_int_equal(km_symmetry_point(km_symmetry_inverse(a), to_rows, to_cols, q), p);
          for (int b = 0; b < KM_SYMMETRIES; b++)
            assert_int_equal(km_symmetry_point(b, to_rows, to_cols, q),
                             km_symmetry_point(km_symmetry_compose(a, b), rows, cols, p));
        }
        uint16_t pass = (uint16_t)(rows * cols);
        assert_int_equal(km_symmetry_point(a, rows, cols, pass), pass);
        assert_int_equal(km_symmetry_point(a, rows, cols, KM_POINT_BAD), KM_POINT_BAD);
        assert_int_equal(km_symmetry_point(a, rows, cols, KM_POINT_OFFBOARD), KM_POINT_OFFBOARD);
      }
}

static void which_fit(void **state) {
  (void)state;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    assert_true(km_symmetry_fits(k, 19, 19));
    assert_int_equal(km_symmetry_fits(k, 9, 13), k == 0 || k == 2 || k == 4 || k == 5);
  }
  assert_false(km_symmetry_fits(-1, 9, 9));
  assert_false(km_symmetry_fits(8, 9, 9));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_tables),
      cmocka_unit_test(formulas),
      cmocka_unit_test(group_laws),
      cmocka_unit_test(which_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
