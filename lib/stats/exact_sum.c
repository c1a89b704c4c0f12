/* exact_sum.c: exact sums, and doubles that are the nearest to exact rationals.
 *
 * Adding is limb arithmetic of fixed width (exact_add.h). Only reading a result makes GMP integers: the
 * sample variance is (n·Σ² − (Σ)²)/(n·(n−1)), over denominator², one fraction that is rounded once. */
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

/* The double nearest to numerator/denominator (denominator > 0), ties to even. At least 66 bits of the
 * quotient with a sticky bit for the rest are cut to 64 bits with a sticky bit; converting those is the one
 * rounding. */
static double nearest_ratio(const mpz_t numerator, const mpz_t denominator) {
  int sign = mpz_sgn(numerator);
  if (sign == 0)
    return 0.0;
  long shift = 66 + (long)mpz_sizeinbase(denominator, 2) - (long)mpz_sizeinbase(numerator, 2);
  mpz_t quotient, rest, divisor;
  mpz_inits(quotient, rest, divisor, NULL);
  mpz_abs(quotient, numerator);
  mpz_set(divisor, denominator);
  if (shift > 0)
    mpz_mul_2exp(quotient, quotient, (mp_bitcnt_t)shift);
  else
    mpz_mul_2exp(divisor, divisor, (mp_bitcnt_t)-shift);
  mpz_tdiv_qr(quotient, rest, quotient, divisor);
  mp_bitcnt_t extra = mpz_sizeinbase(quotient, 2) - 64; /* 66 or 67 bits */
  int sticky = mpz_sgn(rest) != 0 || mpz_scan1(quotient, 0) < extra;
  mpz_tdiv_q_2exp(quotient, quotient, extra);
  uint64_t mantissa = mpz_get_ui(quotient) | (uint64_t)sticky;
  mpz_clears(quotient, rest, divisor, NULL);
  double value = ldexp((double)mantissa, (int)((long)extra - shift));
  return sign < 0 ? -value : value;
}

km_exact_moments km_exact_sum_moments(const km_exact_sum *sum) {
  km_exact_moments moments = {sum->n, NAN, NAN, NAN, NAN};
  if (sum->n == 0)
    return moments;
  mpz_t total, above, below;
  mpz_inits(total, above, below, NULL);
  import_sum(total, sum);
  mpz_set_ui(below, sum->n);
  mpz_mul_ui(below, below, sum->denominator);
  moments.mean = nearest_ratio(total, below);
  if (sum->n > 1) {
    import_square(above, sum);
    mpz_mul_ui(above, above, sum->n);
    mpz_submul(above, total, total); /* n·Σ² − (Σ)² ≥ 0 */
    mpz_mul_ui(below, below, sum->denominator);
    mpz_mul_ui(below, below, sum->n - 1);
    moments.variance = nearest_ratio(above, below);
    moments.deviation = sqrt(moments.variance);
    mpz_mul_ui(below, below, sum->n);
    moments.error = sqrt(nearest_ratio(above, below));
  }
  mpz_clears(total, above, below, NULL);
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
