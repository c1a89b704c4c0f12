/* hbs_support.c: see hbs_support.h. */
#include "hbs_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/hash.h"

json_t *golden(const char *name) {
  char path[256];
  json_error_t error;
  snprintf(path, sizeof path, "tests/golden/%s", name);
  json_t *json = json_load_file(path, 0, &error);
  if (json == NULL)
    fail_msg("%s: %s", path, error.text);
  return json;
}

unsigned stones_of(uint8_t stones[KM_POINT_MAX], const json_t *rows) {
  unsigned n = (unsigned)json_array_size(rows);
  for (unsigned row = 0; row < n; row++)
    for (unsigned col = 0; col < n; col++) {
      char c = json_string_value(json_array_get(rows, row))[col];
      stones[row * n + col] = c == 'X' ? KM_BLACK : c == 'O' ? KM_WHITE : KM_EMPTY;
    }
  return n;
}

void random_stones(uint8_t *stones, unsigned n, uint64_t seed) {
  uint64_t state = km_mix64(seed), empty = state % 100;
  for (unsigned p = 0; p < n * n; p++) {
    state = km_mix64(state);
    stones[p] = (uint8_t)((state >> 8) % 100 < empty ? KM_EMPTY : 1 + (state >> 40) % 2);
  }
}

void transform(uint8_t *to, const uint8_t *from, unsigned n, unsigned k) {
  unsigned last = n - 1;
  for (unsigned r = 0; r < n; r++)
    for (unsigned c = 0; c < n; c++) {
      const unsigned place[8] = {r * n + c,        (last - c) * n + r,       (last - r) * n + last - c,
                                 c * n + last - r, r * n + last - c,         (last - r) * n + c,
                                 c * n + r,        (last - c) * n + last - r};
      to[place[k]] = from[r * n + c];
    }
}

void swap_colours(uint8_t *stones, unsigned n) {
  for (unsigned p = 0; p < n * n; p++)
    if (stones[p] != KM_EMPTY)
      stones[p] = km_opponent(stones[p]);
}

km_hbs_variant variant_number(unsigned i) {
  return (km_hbs_variant){.direction = (uint8_t)(i % 3),
                          .order = (uint8_t)(i / 3 % 2),
                          .ties = (uint8_t)(i / 6 % 2),
                          .colour = (uint8_t)(i / 12 % 2),
                          .centre = (uint8_t)(i / 24 % 2)};
}

km_hbs_value reference(km_hbs_value *layer, const uint8_t *stones, unsigned n, km_hbs_variant variant) {
  km_hbs_value s;
  km_err err;
  if (km_hbs_of_board(&s, layer, stones, n, variant, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return s;
}

km_hbs_value value_of_decimal(const char *text) {
  km_hbs_value value = {{0}};
  for (; *text != '\0'; text++) {
    unsigned __int128 carry = (unsigned)(*text - '0');
    for (unsigned i = 0; i < KM_HBS_LIMBS_MAX; i++) {
      carry += (unsigned __int128)value.limb[i] * 10;
      value.limb[i] = (uint64_t)carry;
      carry >>= 64;
    }
  }
  return value;
}

int compare_values(km_hbs_value a, km_hbs_value b) {
  for (unsigned i = KM_HBS_LIMBS_MAX; i-- > 0;)
    if (a.limb[i] != b.limb[i])
      return a.limb[i] < b.limb[i] ? -1 : 1;
  return 0;
}

void assert_decimal(km_hbs_value value, const char *expected) {
  char text[KM_HBS_DECIMAL_MAX];
  assert_string_equal(km_hbs_decimal(text, value.limb, KM_HBS_LIMBS_MAX), expected);
}

void assert_value(km_hbs_value value, km_hbs_value expected) {
  char text[KM_HBS_DECIMAL_MAX];
  assert_decimal(value, km_hbs_decimal(text, expected.limb, KM_HBS_LIMBS_MAX));
}
