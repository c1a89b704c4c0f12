/* exact_sum.c: exact sums, and doubles that are the nearest to exact rationals.
 *
 * Adding is limb arithmetic of fixed width (exact_add.h). The sample variance is (n·Σ² − (Σ)²)/(n·(n−1)),
 * over denominator², one fraction that is rounded once; its terms are limbs on the stack too. Only text makes
 * GMP integers. */
#include "kifumill/exact_sum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact_add.h"

void km_exact_sum_init(km_exact_sum *sum, unsigned n_limbs, uint64_t denominator) {
  memset(sum, 0, sizeof *sum);
  sum->n_limbs = n_limbs;
  sum->denominator = denominator;
}

void km_exact_sum_init_double(km_exact_sum *sum) {
  km_exact_sum_init(sum, 1, KM_EXACT_DOUBLE_DENOMINATOR);
}

void km_exact_sum_add(km_exact_sum *sum, const uint64_t *value) {
  sum->n++;
  exact_add(sum->sum, sum->square, value, (unsigned)sum->n_limbs);
}

void km_exact_sum_add_double(km_exact_sum *sum, double value) {
  sum->n++;
  uint64_t fixed = exact_fixed(value);
  exact_add(sum->sum, sum->square, &fixed, 1);
}

void km_exact_sum_merge(km_exact_sum *into, const km_exact_sum *from) {
  into->n += from->n;
  mpn_add_n(into->sum, into->sum, from->sum, (mp_size_t)into->n_limbs + 1);
  mpn_add_n(into->square, into->square, from->square, 2 * (mp_size_t)into->n_limbs + 1);
}

/* number = the two's complement (or unsigned) integer of n limbs. */
static void import_limbs(mpz_t number, const uint64_t *limbs, size_t n, int is_signed) {
  mpz_import(number, n, -1, sizeof *limbs, 0, 0, limbs);
  if (is_signed && limbs[n - 1] >> 63) {
    mpz_t modulus;
    mpz_init_set_ui(modulus, 1);
    mpz_mul_2exp(modulus, modulus, 64 * n);
    mpz_sub(number, number, modulus);
    mpz_clear(modulus);
  }
}
static void import_sum(mpz_t number, const km_exact_sum *sum) {
  import_limbs(number, sum->sum, sum->n_limbs + 1, 1);
}
static void import_square(mpz_t number, const km_exact_sum *sum) {
  import_limbs(number, sum->square, 2 * sum->n_limbs + 1, 0);
}

/* A natural number of n limbs, the last one not 0. */
enum { NATURAL_MAX = 2 * (KM_EXACT_LIMBS_MAX + 1) + 4 };
typedef struct natural {
  mp_size_t n;
  mp_limb_t limb[NATURAL_MAX];
} natural;

static void trim(natural *x) {
  while (x->n > 0 && x->limb[x->n - 1] == 0)
    x->n--;
}
static natural natural_of(const uint64_t *limbs, size_t n) {
  natural x = {.n = (mp_size_t)n};
  memcpy(x.limb, limbs, n * sizeof *limbs);
  trim(&x);
  return x;
}
static void multiply(natural *x, uint64_t factor) {
  if (x->n > 0)
    x->limb[x->n] = mpn_mul_1(x->limb, x->limb, x->n, factor);
  x->n += x->n > 0;
  trim(x);
}
static long bits_of(const natural *x) {
  return 64 * (long)x->n - __builtin_clzll(x->limb[x->n - 1]);
}
static void shift_left(natural *x, unsigned long bits) {
  mp_size_t words = (mp_size_t)(bits / 64);
  mp_limb_t top = 0;
  memmove(x->limb + words, x->limb, (size_t)x->n * sizeof *x->limb);
  memset(x->limb, 0, (size_t)words * sizeof *x->limb);
  if (bits % 64)
    top = mpn_lshift(x->limb + words, x->limb + words, x->n, (unsigned)(bits % 64));
  x->n += words;
  x->limb[x->n] = top;
  x->n += top != 0;
}

/* The double nearest to numerator/denominator (denominator > 0), ties to even. At least 66 bits of the
 * quotient with a sticky bit for the rest are cut to 64 bits with a sticky bit; converting those is the one
 * rounding. */
static double nearest_ratio(natural numerator, natural denominator) {
  if (numerator.n == 0)
    return 0.0;
  long shift = 66 + bits_of(&denominator) - bits_of(&numerator);
  if (shift > 0)
    shift_left(&numerator, (unsigned long)shift);
  else
    shift_left(&denominator, (unsigned long)-shift);
  mp_limb_t quotient[NATURAL_MAX] = {0}, rest[NATURAL_MAX];
  mpn_tdiv_qr(quotient, rest, 0, numerator.limb, numerator.n, denominator.limb, denominator.n);
  unsigned extra = 64 - (unsigned)__builtin_clzll(quotient[1]); /* 66 or 67 bits: 2 or 3 */
  int sticky = !mpn_zero_p(rest, denominator.n) || (quotient[0] & ((UINT64_C(1) << extra) - 1)) != 0;
  uint64_t mantissa = quotient[1] << (64 - extra) | quotient[0] >> extra | (uint64_t)sticky;
  return ldexp((double)mantissa, (int)((long)extra - shift));
}

km_exact_moments km_exact_sum_moments(const km_exact_sum *sum) {
  km_exact_moments moments = {sum->n, NAN, NAN, NAN, NAN};
  if (sum->n == 0)
    return moments;
  size_t n_sum = sum->n_limbs + 1, n_square = 2 * n_sum;
  uint64_t magnitude[KM_EXACT_LIMBS_MAX + 1], negative = sum->sum[n_sum - 1] >> 63;
  memcpy(magnitude, sum->sum, n_sum * sizeof *magnitude);
  if (negative)
    mpn_neg(magnitude, magnitude, (mp_size_t)n_sum);
  natural below = natural_of(&sum->n, 1);
  multiply(&below, sum->denominator);
  moments.mean = nearest_ratio(natural_of(magnitude, n_sum), below);
  moments.mean = negative ? -moments.mean : moments.mean;
  if (sum->n > 1) {
    uint64_t above[2 * (KM_EXACT_LIMBS_MAX + 1)], of_sum[2 * (KM_EXACT_LIMBS_MAX + 1)];
    above[n_square - 1] = mpn_mul_1(above, sum->square, (mp_size_t)n_square - 1, sum->n);
    mpn_sqr(of_sum, magnitude, (mp_size_t)n_sum);
    mpn_sub_n(above, above, of_sum, (mp_size_t)n_square); /* n·Σ² − (Σ)² ≥ 0 */
    multiply(&below, sum->denominator);
    multiply(&below, sum->n - 1);
    moments.variance = nearest_ratio(natural_of(above, n_square), below);
    moments.deviation = sqrt(moments.variance);
    multiply(&below, sum->n);
    moments.error = sqrt(nearest_ratio(natural_of(above, n_square), below));
  }
  return moments;
}

char *km_exact_sum_decimal(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum) {
  mpz_t number;
  mpz_init(number);
  import_sum(number, sum);
  mpz_get_str(text, 10, number);
  mpz_clear(number);
  return text;
}

char *km_exact_square_decimal(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum) {
  mpz_t number;
  mpz_init(number);
  import_square(number, sum);
  mpz_get_str(text, 10, number);
  mpz_clear(number);
  return text;
}

char *km_exact_mean_fraction(char text[KM_EXACT_TEXT_MAX], const km_exact_sum *sum) {
  if (sum->n == 0)
    return memcpy(text, "0/0", sizeof "0/0");
  mpq_t mean;
  mpq_init(mean);
  import_sum(mpq_numref(mean), sum);
  mpz_set_ui(mpq_denref(mean), sum->n);
  mpz_mul_ui(mpq_denref(mean), mpq_denref(mean), sum->denominator);
  mpq_canonicalize(mean);
  mpz_get_str(text, 10, mpq_numref(mean));
  size_t length = strlen(text);
  text[length] = '/';
  mpz_get_str(text + length + 1, 10, mpq_denref(mean));
  mpq_clear(mean);
  return text;
}
