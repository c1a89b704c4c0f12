/* exact_add.h: the inner step of exact_sum.c, one value into Σ and Σ², and what mean_terms.h shares with it.
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

/* sum[n+1] += value, square[2n+1] += value²; n ≤ KM_EXACT_LIMBS_MAX. */
static inline void exact_add(uint64_t *sum, uint64_t *square, const uint64_t *value, unsigned n) {
  uint64_t squared[2 * KM_EXACT_LIMBS_MAX], magnitude[KM_EXACT_LIMBS_MAX], negative = value[n - 1] >> 63;
  if (negative)
    mpn_neg(magnitude, value, n);
  mpn_sqr(squared, negative ? magnitude : value, n);
  sum[n] += mpn_add_n(sum, sum, value, n) - negative;
  square[2 * n] += mpn_add_n(square, square, squared, 2 * n);
}

#endif
