/* exact_add.h: the inner steps of exact_sum.c and mean_curve.c: one value into Σ and Σ², or in place of
 * another.
 *
 * Private to lib/stats. Arithmetic is modulo 2^64 to the number of limbs, so intermediate results may wrap as
 * long as the final one fits. Nothing allocates. */
#ifndef KIFUMILL_EXACT_ADD_H
#define KIFUMILL_EXACT_ADD_H

#include <gmp.h>
#include <math.h>
#include <stdint.h>

#include "kifumill/exact_sum.h"

_Static_assert(GMP_NUMB_BITS == 64, "limbs are 64-bit words");

/* A double as an integer over 2^52: the nearest, ties to even. */
static inline uint64_t exact_fixed(double value) {
  return (uint64_t)llrint(value * 0x1p52);
}

/* squared[2n] = value², value being two's complement; returns 1 if it is negative. */
static inline uint64_t exact_square(uint64_t *squared, const uint64_t *value, unsigned n) {
  uint64_t magnitude[KM_EXACT_LIMBS_MAX], negative = value[n - 1] >> 63;
  if (negative) {
    mpn_neg(magnitude, value, n);
    value = magnitude;
  }
  mpn_sqr(squared, value, n);
  return negative;
}

/* sum[n+1] += value, square[2n+1] += value²; n ≤ KM_EXACT_LIMBS_MAX. */
static inline void exact_add(uint64_t *sum, uint64_t *square, const uint64_t *value, unsigned n) {
  uint64_t squared[2 * KM_EXACT_LIMBS_MAX], negative = exact_square(squared, value, n);
  sum[n] += mpn_add_n(sum, sum, value, n) - negative;
  square[2 * n] += mpn_add_n(square, square, squared, 2 * n);
}

/* Sums and differences of limbs with a carry (or borrow) of 0 or 1. */
static inline uint64_t exact_sum_limb(uint64_t a, uint64_t b, uint64_t *carry) {
  unsigned __int128 wide = (unsigned __int128)a + b + *carry;
  *carry = (uint64_t)(wide >> 64);
  return (uint64_t)wide;
}
static inline uint64_t exact_difference_limb(uint64_t a, uint64_t b, uint64_t *borrow) {
  unsigned __int128 wide = (unsigned __int128)a - b - *borrow;
  *borrow = (uint64_t)(wide >> 64) & 1;
  return (uint64_t)wide;
}

/* squared[2n] = value² without a call: n is a constant where this is used, and every loop is unrolled. */
static inline __attribute__((always_inline)) void exact_square_fixed(uint64_t *squared, const uint64_t *value,
                                                                      const unsigned n) {
  uint64_t magnitude[KM_EXACT_LIMBS_MAX], sign = 0 - (value[n - 1] >> 63), carry = sign & 1;
  for (unsigned i = 0; i < n; i++)
    magnitude[i] = exact_sum_limb(value[i] ^ sign, 0, &carry);
  for (unsigned i = 0; i < 2 * n; i++)
    squared[i] = 0;
  for (unsigned i = 0; i < n; i++) {
    uint64_t high = 0;
    for (unsigned k = 0; k < n; k++) {
      unsigned __int128 wide = (unsigned __int128)magnitude[i] * magnitude[k] + squared[i + k] + high;
      squared[i + k] = (uint64_t)wide;
      high = (uint64_t)(wide >> 64);
    }
    squared[i + n] = high;
  }
}

/* sum[n+1] += now − before, square[2n+1] += now² − before². */
static inline __attribute__((always_inline)) void exact_change_fixed(uint64_t *sum, uint64_t *square,
                                                                      const uint64_t *now,
                                                                      const uint64_t *before, const unsigned n) {
  uint64_t squared[2 * KM_EXACT_LIMBS_MAX], squared_before[2 * KM_EXACT_LIMBS_MAX], borrow = 0, carry = 0;
  for (unsigned i = 0; i < n; i++)
    sum[i] = exact_sum_limb(sum[i], exact_difference_limb(now[i], before[i], &borrow), &carry);
  sum[n] += carry - borrow + (0 - (now[n - 1] >> 63)) + (before[n - 1] >> 63);
  exact_square_fixed(squared, now, n);
  exact_square_fixed(squared_before, before, n);
  borrow = carry = 0;
  for (unsigned i = 0; i < 2 * n; i++)
    square[i] = exact_sum_limb(square[i], exact_difference_limb(squared[i], squared_before[i], &borrow), &carry);
  square[2 * n] += carry - borrow;
}

/* The same for any n ≤ KM_EXACT_LIMBS_MAX. */
static inline void exact_change(uint64_t *sum, uint64_t *square, const uint64_t *now, const uint64_t *before,
                                unsigned n) {
  switch (n) {
  case 1:
    exact_change_fixed(sum, square, now, before, 1);
    break;
  case 2:
    exact_change_fixed(sum, square, now, before, 2);
    break;
  case 3:
    exact_change_fixed(sum, square, now, before, 3);
    break;
  case 4:
    exact_change_fixed(sum, square, now, before, 4);
    break;
  default:
    exact_change_fixed(sum, square, now, before, KM_EXACT_LIMBS_MAX);
  }
}

#endif
