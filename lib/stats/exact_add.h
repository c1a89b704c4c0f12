/* exact_add.h: the inner step of exact_sum.c and mean_curve.c: one value into Σ and Σ².
 *
 * Private to lib/stats. One and two limbs are straight-line code (a value of two limbs whose upper one is 0 needs one
 * multiplication instead of three); more go through GMP's mpn functions. Nothing allocates. */
#ifndef KIFUMILL_EXACT_ADD_H
#define KIFUMILL_EXACT_ADD_H

#include <gmp.h>
#include <math.h>
#include <stdint.h>

#include "kifumill/exact_sum.h"

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words");

typedef unsigned __int128 km_u128;

/* A double as an integer over 2^52: the nearest, ties to even. */
static inline int64_t exact_fixed(double value) { return (int64_t)llrint(value * 0x1p52); }

/* sum[2] += value, square[3] += value². */
static inline void exact_add1(uint64_t *sum, uint64_t *square, int64_t value) {
  uint64_t low = (uint64_t)value, magnitude = value < 0 ? -low : low;
  km_u128 total = ((km_u128)sum[1] << 64 | sum[0]) + (km_u128)(__int128)value;
  sum[0] = (uint64_t)total;
  sum[1] = (uint64_t)(total >> 64);
  km_u128 add = (km_u128)magnitude * magnitude, squares = ((km_u128)square[1] << 64 | square[0]) + add;
  square[0] = (uint64_t)squares;
  square[1] = (uint64_t)(squares >> 64);
  square[2] += squares < add;
}

/* square[5] += (high·2^64 + low)². */
static inline void exact_square2(uint64_t *square, uint64_t low, uint64_t high) {
  km_u128 first = (km_u128)low * low, middle = 0, last = 0;
  if (high != 0) {
    middle = (km_u128)low * high;
    last = (km_u128)high * high;
  }
  uint64_t middle_low = (uint64_t)middle, middle_high = (uint64_t)(middle >> 64);
  km_u128 t = (km_u128)square[0] + (uint64_t)first;
  square[0] = (uint64_t)t;
  t = (t >> 64) + square[1] + (uint64_t)(first >> 64) + (middle_low << 1);
  square[1] = (uint64_t)t;
  t = (t >> 64) + square[2] + (uint64_t)last + (middle_high << 1 | middle_low >> 63);
  square[2] = (uint64_t)t;
  t = (t >> 64) + square[3] + (uint64_t)(last >> 64) + (middle_high >> 63);
  square[3] = (uint64_t)t;
  square[4] += (uint64_t)(t >> 64);
}

/* sum[3] += value, square[5] += value². */
static inline void exact_add2(uint64_t *sum, uint64_t *square, const uint64_t *value) {
  km_u128 add = (km_u128)value[1] << 64 | value[0];
  uint64_t sign = -(value[1] >> 63); /* all ones when negative */
  km_u128 total = ((km_u128)sum[1] << 64 | sum[0]) + add;
  sum[0] = (uint64_t)total;
  sum[1] = (uint64_t)(total >> 64);
  sum[2] += sign + (total < add);
  km_u128 mask = (km_u128)(__int128)(int64_t)sign, magnitude = (add ^ mask) - mask;
  exact_square2(square, (uint64_t)magnitude, (uint64_t)(magnitude >> 64));
}

/* sum[n+1] += value, square[2n+1] += value², for any n ≤ KM_EXACT_LIMBS_MAX. */
static inline void exact_add_any(uint64_t *sum, uint64_t *square, const uint64_t *value, unsigned n) {
  uint64_t magnitude[KM_EXACT_LIMBS_MAX], squared[2 * KM_EXACT_LIMBS_MAX];
  uint64_t negative = value[n - 1] >> 63;
  sum[n] += mpn_add_n(sum, sum, value, n) - negative;
  if (negative)
    mpn_neg(magnitude, value, n);
  else
    mpn_copyi(magnitude, value, n);
  mpn_sqr(squared, magnitude, n);
  square[2 * n] += mpn_add_n(square, square, squared, 2 * n);
}

#endif
