/* test_row_order.c: the order is a permutation, forwards and backwards the same one, and looks like chance.
 */
#include "row_order.h"

#include "store_fixture.h"

#include "kifumill/hash.h"

#include <stdlib.h>
#include <string.h>

static void check_permutation(uint64_t n, uint64_t seed, int shuffle) {
  km_row_order order;
  unsigned char *seen = calloc(1, n + 1);
  uint64_t *rows = malloc((n + 1) * sizeof *rows);
  assert_true(seen && rows);
  km_row_order_init(&order, n, seed, 1, shuffle);
  km_row_order_rows(&order, 0, n, rows);
  for (uint64_t place = 0; place < n; place++) {
    uint64_t row = km_row_order_row(&order, place);
    assert_true(row < n);
    assert_int_equal(row, rows[place]);
    assert_false(seen[row]);
    seen[row] = 1;
    assert_int_equal(km_row_order_place(&order, row), place);
    if (!shuffle)
      assert_int_equal(row, place);
  }
  uint64_t part[7];
  for (uint64_t first = 0; n > 9 && first + 7 <= n; first += n / 9) {
    km_row_order_rows(&order, first, 7, part);
    assert_memory_equal(part, rows + first, sizeof part);
  }
  free(seen);
  free(rows);
}

static void is_a_permutation(void **state) {
  (void)state;
  for (uint64_t n = 0; n < 600; n++)
    check_permutation(n, n, n % 7 != 0);
  static const uint64_t sizes[] = {4095, 4096, 4097, 65535, 65537, 100003};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    check_permutation(sizes[i], i, 1);
}

static void large_numbers_come_back(void **state) {
  (void)state;
  km_row_order order;
  test_random r = {3};
  for (unsigned bits = 20; bits <= 62; bits += 3) {
    uint64_t n = ((uint64_t)1 << bits) - test_below(&r, 1000);
    km_row_order_init(&order, n, bits, 0, 1);
    for (int i = 0; i < 1000; i++) {
      uint64_t place = test_below(&r, n), row = km_row_order_row(&order, place);
      assert_true(row < n);
      assert_int_equal(km_row_order_place(&order, row), place);
    }
  }
}

/* Sum of (observed - expected)²/expected over n cells, less its mean, in standard deviations. */
static double chi_square(const uint32_t *cells, size_t n, double expected) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += ((double)cells[i] - expected) * ((double)cells[i] - expected) / expected;
  return (sum - (double)(n - 1)) / sqrt(2 * (double)(n - 1));
}

/* Rows fall evenly over a stretch of the order, steps from one place to the next are of any length, and
 * neighbours in the games end up anywhere. Seeds and streams have nothing in common. */
static void looks_like_chance(void **state) {
  (void)state;
  static const uint64_t sizes[] = {1 << 16, 99991, 1 << 20, 1500000};
  enum { CELLS = 64 };
  for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
    for (uint64_t seed = 0; seed < 4; seed++) {
      km_row_order order, other;
      uint64_t n = sizes[s], stretch = n / 8, same = 0;
      uint32_t rows[CELLS] = {0}, steps[CELLS] = {0}, pairs[CELLS] = {0}, seconds[CELLS] = {0};
      km_row_order_init(&order, n, seed, 0, 1);
      km_row_order_init(&other, n, seed, 1, 1);
      for (uint64_t place = 0; place < stretch; place++) {
        uint64_t row = km_row_order_row(&order, place), next = km_row_order_row(&order, place + 1);
        uint64_t after = km_row_order_row(&order, place + 2);
        rows[row * CELLS / n]++;
        steps[(next + n - row) % n * CELLS / n]++;
        seconds[(after + 2 * n - 2 * next + row) % n * CELLS / n]++;
        pairs[(km_row_order_place(&order, place + 1) + n - km_row_order_place(&order, place)) % n * CELLS /
              n]++;
        same += row == km_row_order_row(&other, place);
      }
      double expected = (double)stretch / CELLS;
      /* drawn without putting back, the first is a little too even, hence no lower bound for it */
      assert_true(chi_square(rows, CELLS, expected) < 5);
      assert_true(fabs(chi_square(steps, CELLS, expected)) < 5);
      assert_true(fabs(chi_square(seconds, CELLS, expected)) < 5);
      assert_true(fabs(chi_square(pairs, CELLS, expected)) < 5);
      assert_true(same < 12);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(is_a_permutation),
      cmocka_unit_test(large_numbers_come_back),
      cmocka_unit_test(looks_like_chance),
  };
  return cmocka_run_group_tests_name("row order", tests, NULL, NULL);
}
