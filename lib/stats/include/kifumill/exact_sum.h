/* exact_sum.h: sums and sums of squares without rounding, so that no order and no partition changes a bit.
 *
 * Values are two's complement integers of n_limbs 64-bit limbs (little-endian), standing for
 * integer/denominator; HBS values have 2 or 4 limbs, their alignment by fraction one more with denominator M.
 * A double is a value of one limb over 2^52: exact for |x| in [1, 1024) and 0, which is where log2(1 + S)
 * lies; smaller ones are rounded once to a multiple of 2^-52, and after that the order is again of no
 * account.
 *
 * Σ has n_limbs + 1 limbs and Σ² has 2·n_limbs + 1, so neither overflows before 2^63 values. */
#ifndef KIFUMILL_EXACT_SUM_H
#define KIFUMILL_EXACT_SUM_H

#include <stddef.h>
#include <stdint.h>

enum {
  KM_EXACT_LIMBS_MAX = 5,
  KM_EXACT_TEXT_MAX = 240, /* decimal text of any result here, with NUL */
};
#define KM_EXACT_DOUBLE_DENOMINATOR (UINT64_C(1) << 52)

/* Plain memory; two equal sums have equal bytes. */
typedef struct km_exact_sum {
  uint64_t n;
  uint64_t denominator;
  uint64_t n_limbs;
  uint64_t sum[KM_EXACT_LIMBS_MAX + 1];        /* Σ, two's complement in n_limbs + 1 limbs */
  uint64_t square[2 * KM_EXACT_LIMBS_MAX + 1]; /* Σ², in 2·n_limbs + 1 limbs */
} km_exact_sum;

/* n_limbs 1…KM_EXACT_LIMBS_MAX, denominator ≥ 1. */
void km_exact_sum_init(km_exact_sum *sum, unsigned n_limbs, uint64_t denominator);
void km_exact_sum_init_double(km_exact_sum *sum); /* one limb over 2^52 */
void km_exact_sum_add(km_exact_sum *sum, const uint64_t *value);
void km_exact_sum_add_double(km_exact_sum *sum, double value); /* |value| < 1024 */
/* Adds all that from has seen; both of one shape. */
void km_exact_sum_merge(km_exact_sum *into, const km_exact_sum *from);

/* Correctly rounded from the exact rational; NaN where there are too few values. */
typedef struct km_exact_moments {
  uint64_t n;
  double mean;      /* n ≥ 1 */
  double variance;  /* of the sample, divisor n − 1; n ≥ 2 */
  double deviation; /* √variance */
  double error;     /* standard error of the mean, √(variance/n) */
} km_exact_moments;
km_exact_moments km_exact_sum_moments(const km_exact_sum *sum);

/* Decimal text of Σ and Σ² of the integers (not divided by the denominator), and the mean as a reduced
 * fraction
 * "-3/2", "42/1" ("0/0" of nothing). Return text. GMP's allocator ends the process when memory is out. */
char *km_exact_sum_decimal(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum);
char *km_exact_square_decimal(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum);
char *km_exact_mean_fraction(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum);

#endif
