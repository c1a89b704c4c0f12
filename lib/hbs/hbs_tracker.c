/* hbs_tracker.c: S and every L_m after each stone, in a few nanoseconds and exact.
 *
 * Each edge of a ring is one 64-bit key, most significant part first:
 *
 *     bits 58…63 number of stones | bits 54…55 rank of the edge (ties "edge") or 0 | bits 0…51 word
 *
 * so that one unsigned comparison is the whole order of SPEC §3. A stone adds 2^58 + 2^bit to the key of its
 * edge (two edges at a corner); a capture subtracts it. Then the four keys pass a sorting network of five
 * exchanges without branches, the words are glued together as the new L, and S += L_new − L_old. Ascending
 * order is the same network read backwards; "canon" keeps each edge in both directions and sorts the larger
 * key. Nothing else on the board is looked at, nothing is divided, nothing allocated.
 *
 * Values of two limbs (n ≤ 31) are unsigned __int128; of four limbs, GMP's mpn functions on a fixed size. */
#include "kifumill/hbs.h"

#include <gmp.h>
#include <string.h>

typedef unsigned __int128 u128;

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words");

enum { COUNT_SHIFT = 58, RANK_SHIFT = 54 };

/* Bit weights of the cell (row, col) of ring k: clockwise reading, or left to right and top to bottom. */
static void place(km_hbs_cell *cell, unsigned row, unsigned col, unsigned n, unsigned clockwise) {
  unsigned k = row < col ? row : col;
  if (n - 1 - row < k)
    k = n - 1 - row;
  if (n - 1 - col < k)
    k = n - 1 - col;
  unsigned last = n - 1 - 2 * k; /* m − 1 */
  unsigned r = row - k, c = col - k;
  const unsigned on[4] = {r == 0, c == last, r == last, c == 0};
  const unsigned bit[4] = {last - c, last - r, clockwise ? c : last - c, clockwise ? r : last - r};
  unsigned found = 0;
  *cell = (km_hbs_cell){.layer = (uint8_t)k};
  for (unsigned edge = 0; edge < 4 && found < 2; edge++) {
    if (!on[edge])
      continue;
    cell->edge[found] = (uint8_t)edge;
    cell->bit[found] = (uint8_t)bit[edge];
    cell->corner = (uint8_t)found++;
  }
}

km_status km_hbs_geometry_init(km_hbs_geometry *geometry, unsigned rows, unsigned cols,
                               km_hbs_variant variant, km_err *err) {
  if (rows < 1 || rows > KM_BOARD_MAX || cols < 1 || cols > KM_BOARD_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "no HBS of a board of %ux%u: sides are 1 to %d", cols, rows,
                      KM_BOARD_MAX);
  if (rows != cols)
    return km_err_set(err, KM_SKIP, 0, "HBS is not defined on a rectangular board (%ux%u)", cols, rows);
  if (variant.colour == KM_HBS_BOTH)
    return km_err_set(err, KM_ERR_USAGE, 0, "an HBS tracker counts one colour: split the variant");
  geometry->variant = variant;
  geometry->n = (uint8_t)rows;
  geometry->n_rings = (uint8_t)(rows / 2);
  geometry->n_layers = (uint8_t)km_hbs_n_layers(rows, variant);
  geometry->n_limbs = (uint8_t)km_hbs_n_limbs(rows);
  for (unsigned row = 0; row < rows; row++)
    for (unsigned col = 0; col < cols; col++)
      place(&geometry->cell[row * cols + col], row, col, rows, variant.direction != KM_HBS_FIXED);
  return KM_OK;
}

void km_hbs_init(km_hbs *hbs, const km_hbs_geometry *geometry) {
  memset(hbs, 0, sizeof *hbs);
  hbs->geometry = geometry;
  hbs->touched = UINT32_MAX;
  if (geometry->variant.ties != KM_HBS_EDGE)
    return;
  /* Top first: the largest rank when the largest key goes first, the smallest when the smallest does. */
  for (unsigned k = 0; k < geometry->n_rings; k++)
    for (unsigned edge = 0; edge < 4; edge++) {
      uint64_t rank = geometry->variant.order == KM_HBS_DESC ? 3 - edge : edge;
      hbs->key[k][edge] = hbs->backward[k][edge] = rank << RANK_SHIFT;
    }
}

static inline void exchange(uint64_t *a, uint64_t *b) {
  uint64_t larger = *a > *b ? *a : *b, smaller = *a > *b ? *b : *a;
  *a = larger;
  *b = smaller;
}

/* The words of ring k, the most significant first. */
static inline void sorted_words(const km_hbs *hbs, unsigned k, unsigned m, uint64_t w[4]) {
  uint64_t a = hbs->key[k][0], b = hbs->key[k][1], c = hbs->key[k][2], d = hbs->key[k][3];
  if (hbs->geometry->variant.direction == KM_HBS_CANON) {
    const uint64_t *back = hbs->backward[k]; /* same count and rank: the larger key has the larger word */
    a = a > back[0] ? a : back[0];
    b = b > back[1] ? b : back[1];
    c = c > back[2] ? c : back[2];
    d = d > back[3] ? d : back[3];
  }
  exchange(&a, &b);
  exchange(&c, &d);
  exchange(&a, &c);
  exchange(&b, &d);
  exchange(&b, &c);
  if (hbs->geometry->variant.order == KM_HBS_ASC) {
    exchange(&d, &a);
    exchange(&c, &b);
  }
  uint64_t mask = (UINT64_C(1) << m) - 1;
  w[0] = a & mask;
  w[1] = b & mask;
  w[2] = c & mask;
  w[3] = d & mask;
}

static inline u128 load(const uint64_t *limbs) {
  return (u128)limbs[1] << 64 | limbs[0];
}
static inline void store(uint64_t *limbs, u128 value) {
  limbs[0] = (uint64_t)value;
  limbs[1] = (uint64_t)(value >> 64);
}

/* Replaces L of layer k (n ≤ 31). */
static inline void replace_small(km_hbs *hbs, unsigned k, u128 value) {
  hbs->touched |= UINT32_C(1) << k;
  uint64_t *old = &hbs->layer[2 * k];
  store(hbs->s, load(hbs->s) + value - load(old));
  store(old, value);
}

/* Replaces L of layer k (n ≥ 32). */
static void replace_large(km_hbs *hbs, unsigned k, u128 high, u128 low) {
  hbs->touched |= UINT32_C(1) << k;
  uint64_t *old = &hbs->layer[4 * k], value[4];
  store(value, low);
  store(value + 2, high);
  mpn_sub_n(hbs->s, hbs->s, old, 4);
  mpn_add_n(hbs->s, hbs->s, value, 4);
  memcpy(old, value, sizeof value);
}

/* settle for n ≥ 32: m ≤ 52, so two words fit 104 bits. Not inlined, or its calls would cost small boards
 * registers. */
static __attribute__((noinline)) void settle_large(km_hbs *hbs, unsigned k) {
  unsigned m = km_hbs_layer_size(hbs->geometry->n, k);
  uint64_t w[4];
  sorted_words(hbs, k, m, w);
  u128 high = (u128)w[0] << m | w[1], low = (u128)w[2] << m | w[3];
  replace_large(hbs, k, high >> (128 - 2 * m), high << 2 * m | low);
}

/* Makes L of ring k and S agree with the keys. */
static inline void settle(km_hbs *hbs, unsigned k) {
  if (hbs->geometry->n_limbs != 2) {
    settle_large(hbs, k);
    return;
  }
  unsigned m = km_hbs_layer_size(hbs->geometry->n, k); /* 2 ≤ m ≤ 31: two words fit 62 bits */
  uint64_t w[4];
  sorted_words(hbs, k, m, w);
  uint64_t high = w[0] << m | w[1], low = w[2] << m | w[3];
  replace_small(hbs, k, (u128)(high >> (64 - 2 * m)) << 64 | (high << 2 * m | low));
}

/* The centre of an odd board is a layer of its own, or none. */
static __attribute__((noinline)) void set_centre(km_hbs *hbs, int stone) {
  unsigned k = hbs->geometry->n_rings;
  if (k == hbs->geometry->n_layers)
    return;
  if (hbs->geometry->n_limbs == 2)
    replace_small(hbs, k, stone ? 15 : 0);
  else
    replace_large(hbs, k, 0, stone ? 15 : 0);
}

/* Brings the keys of a point's edges up to date; whether anything changed. */
static inline int update_keys(km_hbs *hbs, const km_hbs_cell *cell, uint64_t stone) {
  unsigned k = cell->layer;
  uint64_t *first = &hbs->key[k][cell->edge[0]], *second = &hbs->key[k][cell->edge[1]];
  if ((*first >> cell->bit[0] & 1) == stone)
    return 0;
  uint64_t sign = stone - 1; /* 0 adds, all ones subtract: (x ^ sign) − sign */
  uint64_t corner = -(uint64_t)cell->corner, one = UINT64_C(1) << COUNT_SHIFT;
  uint64_t change0 = one + (UINT64_C(1) << cell->bit[0]);
  uint64_t change1 = (one + (UINT64_C(1) << cell->bit[1])) & corner;
  *first += (change0 ^ sign) - sign;
  *second += (change1 ^ sign) - sign;
  if (hbs->geometry->variant.direction == KM_HBS_CANON) {
    unsigned last = km_hbs_layer_size(hbs->geometry->n, k) - 1;
    change0 = one + (UINT64_C(1) << (last - cell->bit[0]));
    change1 = (one + (UINT64_C(1) << (last - cell->bit[1]))) & corner;
    hbs->backward[k][cell->edge[0]] += (change0 ^ sign) - sign;
    hbs->backward[k][cell->edge[1]] += (change1 ^ sign) - sign;
  }
  return 1;
}

/* 1 if the colour is the counted one. */
static inline uint64_t counts(const km_hbs *hbs, uint8_t colour) {
  return colour == (hbs->geometry->variant.colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK);
}

void km_hbs_set(km_hbs *hbs, uint16_t point, uint8_t colour) {
  const km_hbs_cell *cell = &hbs->geometry->cell[point];
  uint64_t stone = counts(hbs, colour);
  if (cell->layer >= hbs->geometry->n_rings)
    set_centre(hbs, (int)stone);
  else if (update_keys(hbs, cell, stone))
    settle(hbs, cell->layer);
}

void km_hbs_set_many(km_hbs *hbs, const uint16_t *points, size_t n_points, uint8_t colour) {
  uint64_t stone = counts(hbs, colour);
  uint32_t touched = 0; /* a bit a ring */
  for (size_t i = 0; i < n_points; i++) {
    const km_hbs_cell *cell = &hbs->geometry->cell[points[i]];
    if (cell->layer >= hbs->geometry->n_rings)
      set_centre(hbs, (int)stone);
    else if (update_keys(hbs, cell, stone))
      touched |= UINT32_C(1) << cell->layer;
  }
  for (; touched != 0; touched &= touched - 1)
    settle(hbs, (unsigned)__builtin_ctz(touched));
}

km_hbs_value km_hbs_s(const km_hbs *hbs) {
  km_hbs_value value;
  memcpy(value.limb, hbs->s, sizeof value.limb);
  return value;
}

km_hbs_value km_hbs_layer(const km_hbs *hbs, unsigned k) {
  km_hbs_value value = {{0}};
  unsigned n_limbs = hbs->geometry->n_limbs;
  memcpy(value.limb, &hbs->layer[k * n_limbs], n_limbs * sizeof *value.limb);
  return value;
}
