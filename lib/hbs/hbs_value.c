/* hbs_value.c: decimal text, doubles and logarithms of exact values.
 *
 * log2(1 + S) is done in integers, so that every machine, compiler and libm gives the same bits. Write 1 + S
 * as 2^e·M with M in [1, 2) cut to 64 bits. The top six bits of M choose a 17-bit reciprocal c of about 1/M;
 * then c·M = 1 + r exactly, |r| < 2^-6.98, and
 *
 *     log2(1 + S) = e − log2(c) + log2(1 + r)
 *
 * where −log2(c) is tabulated with 63 fraction bits and log2(1 + r) is nine terms of its series, cut off
 * below 2^-70. The sum has 63 fraction bits and an error of less than 2^-61; turning it into a double is the
 * one rounding. A power of two gives its exponent exactly.
 *
 * That takes a while. So it is done in doubles at first: r and the first term in two of them, with exact
 * sums, the others, below 2^-14, in one. The error is below 2^-61. If all numbers within 2^-59 of that sum
 * round to the same double, it is that of the integers too; if not, about once in 2,000 times, they are
 * asked.
 */
#include "kifumill/hbs.h"

#include <gmp.h>
#include <string.h>

typedef unsigned __int128 u128;
typedef __int128 i128;

enum { R_BITS = 69, SERIES_BITS = 62, N_TERMS = 9 };

/* c = round(2^16/(1 + (i + ½)/64)), and −log2 of c/2^16 in units of 2^-63. */
/* clang-format off */
#define ROWS \
  ROW(65028, 0x016fdf461d2e4f7e) ROW(64035, 0x044755a3de69a32c) ROW(63072, 0x0713acd8d73a8193) ROW(62138, 0x09d4f831548808f8) \
  ROW(61231, 0x0c8c18734da5685d) ROW(60350, 0x0f393970ee5a2ea9) ROW(59494, 0x11dc8f3a33d5598d) ROW(58662, 0x1476564c741dc39f) \
  ROW(57852, 0x1707a4ef787f86ea) ROW(57065, 0x198f297e0ac48b4a) ROW(56299, 0x1c0e0909b9f5afa5) ROW(55554, 0x1e83c98a2d142af6) \
  ROW(54828, 0x20f1a8126dcc78fb) ROW(54120, 0x235816efc7efcb88) ROW(53431, 0x25b5ccda378e4de1) ROW(52759, 0x280c23253e53102e) \
  ROW(52103, 0x2a5ba009dc412aa3) ROW(51464, 0x2ca2fd28e71e8a28) ROW(50840, 0x2ee3b0ffa20562ac) ROW(50231, 0x311d659f0122be87) \
  ROW(49637, 0x334fc3866ee34678) ROW(49056, 0x357c5f1d92ce3b99) ROW(48489, 0x37a1f5b270e48037) ROW(47935, 0x39c1309dda766b8c) \
  ROW(47393, 0x3bdac3771298b54b) ROW(46864, 0x3ded67a68890b35b) ROW(46346, 0x3ffad93d1980d33a) ROW(45839, 0x4202da3886fa910e) \
  ROW(45344, 0x4404209ac61ea3ca) ROW(44859, 0x46007f2c8e5543fe) ROW(44384, 0x47f7bd76ce9442df) ROW(43919, 0x49e9a20f4adf517e) \
  ROW(43464, 0x4bd5f2a2388b006c) ROW(43019, 0x4dbc73fcea7667be) ROW(42582, 0x4f9f22815c6a37da) ROW(42154, 0x517cb39006afda0b) \
  ROW(41734, 0x5356142f584b38ff) ROW(41323, 0x5529f2767ba72967) ROW(40920, 0x56f93fbd785fbd8f) ROW(40525, 0x58c3cd945315b408) \
  ROW(40137, 0x5a8a9a682c33c2e3) ROW(39756, 0x5c4d7f26dfeab929) ROW(39383, 0x5e0b20d60cbe0bfd) ROW(39017, 0x5fc484b795f60e39) \
  ROW(38657, 0x617abb06b0858ae2) ROW(38304, 0x632c6717c17ea0a3) ROW(37958, 0x64d95f047c05a466) ROW(37617, 0x6683fbd560fdae34) \
  ROW(37283, 0x68299ac02e99469f) ROW(36954, 0x69cc9f6349b6076d) ROW(36631, 0x6b6ba4dd8076d29c) ROW(36314, 0x6d0687952d12573c) \
  ROW(36003, 0x6e9d2385a1c107cc) ROW(35696, 0x7031fa51d4a2cb7c) ROW(35395, 0x71c24ca0f8918ba2) ROW(35099, 0x734f4e0cbd797e4f) \
  ROW(34808, 0x74d8e1aab6772a97) ROW(34521, 0x766048c79c0c01e8) ROW(34239, 0x77e40cf8a7105d77) ROW(33962, 0x7964104a25f938e6) \
  ROW(33689, 0x7ae19bb1b85008e3) ROW(33421, 0x7c5b2f23bb186cc0) ROW(33157, 0x7dd218bdbe79cf99) ROW(32897, 0x7f4641f970ddd9fe)
/* clang-format on */
static const struct {
  uint32_t reciprocal;
  int64_t log2;
} table[64] = {
#define ROW(c, log2) {c, log2},
    ROWS
#undef ROW
};
/* The same in doubles: c/2^16 in units of M/2^32, and the logarithm in two parts, of 44 bits and the rest. */
static const struct {
  double reciprocal, log2_high, log2_low;
} table_double[64] = {
#define ROW(c, log2) {c * 0x1p-47, (double)((log2) >> 19) * 0x1p-44, (double)((log2)&0x7ffff) * 0x1p-63},
    ROWS
#undef ROW
};

/* 1/(k·ln 2), k = 1, 2, …, in units of 2^-62. */
static const int64_t series[N_TERMS] = {
    6653256548922161246, 3326628274461080623, 2217752182974053749, 1663314137230540311, 1330651309784432249,
    1108876091487026874, 950465221274594464,  831657068615270156,  739250727658017916,
};

/* c·M − 1 in units of 2^-R_BITS, c being reciprocal number i. */
static int64_t remainder_of(uint64_t mantissa, unsigned i) {
  i128 product = (i128)((u128)mantissa * table[i].reciprocal); /* units of 2^-79 */
  return (int64_t)((product - ((i128)1 << 79)) >> (79 - R_BITS));
}

/* log2 of (M/2^63), M with its top bit set, in units of 2^-63. */
static int64_t log2_mantissa(uint64_t mantissa) {
  unsigned i = (unsigned)(mantissa >> 57) & 63;
  int64_t r = remainder_of(mantissa, i);
  int64_t sum = series[N_TERMS - 1];
  for (int k = N_TERMS - 2; k >= 0; k--) /* c1 − r·(c2 − r·(c3 − …)) */
    sum = series[k] - (int64_t)((i128)r * sum >> R_BITS);
  return table[i].log2 + (int64_t)((i128)r * sum >> (R_BITS + SERIES_BITS - 63));
}

/* The top 64 bits of a number that is not 0, shifted so that bit 63 is set; *exponent is the place of its top
 * bit. */
static uint64_t normalise(const uint64_t *limbs, unsigned n_limbs, unsigned *exponent) {
  unsigned top = n_limbs - 1;
  while (limbs[top] == 0)
    top--;
  unsigned shift = (unsigned)__builtin_clzll(limbs[top]);
  *exponent = 64 * top + 63 - shift;
  uint64_t mantissa = limbs[top] << shift;
  if (shift != 0 && top > 0)
    mantissa |= limbs[top - 1] >> (64 - shift);
  return mantissa;
}

/* log2 of M·2^exponent, exponent ≥ 1, if doubles can tell how it rounds; else negative. Sums and products of
 * the high parts are exact: r = high + low with 41 bits of 2^-47 and 49 of 2^-79, 1/ln 2 has 12 bits and a
 * rest. */
static double log2_by_doubles(uint64_t mantissa, unsigned exponent) {
  static const double margin = 0x1p-59, per_ln2_high = 2955.0 / 2048,
                      per_ln2_low = -1.7605286103659264007531899811e-4, per_ln2 = 1.4426950408889634;
  static const double c[9] = {0,
                              0,
                              0.72134752044448170, /* 1/(k·ln 2) */
                              0.48089834696298783,
                              0.36067376022224085,
                              0.28853900817779268,
                              0.24044917348149391,
                              0.20609929155556620,
                              0.18033688011112043};
  unsigned i = (unsigned)(mantissa >> 57) & 63;
  double reciprocal = table_double[i].reciprocal;
  double high = reciprocal * (double)(int64_t)(mantissa >> 32) - 1;
  double low = reciprocal * ((double)(int64_t)(mantissa & UINT32_MAX) * 0x1p-32);
  double x = high + low, x2 = x * x, x4 = x2 * x2;
  double rest = x2 * ((c[3] * x - c[2]) + x2 * (c[5] * x - c[4]) + x4 * ((c[7] * x - c[6]) - x2 * c[8]));
  double linear = high * per_ln2_high; /* exact, as the sum of the next line is; and it is below 1 */
  double whole = (double)(int)exponent + table_double[i].log2_high, sum = whole + linear;
  rest += linear - (sum - whole) + (high * per_ln2_low + low * per_ln2 + table_double[i].log2_low);
  double least = sum + (rest - margin), most = sum + (rest + margin);
  return least == most ? least : -1.0;
}

/* 1 + S, as normalise gives it. */
static inline uint64_t normalise_next(const uint64_t *limbs, unsigned n_limbs, unsigned *exponent) {
  if (n_limbs == 2) { /* the usual board: of one limb or two, by the layer, so that no branch would do */
    u128 pair = ((u128)limbs[1] << 64 | limbs[0]) + 1;
    uint64_t high = (uint64_t)(pair >> 64), top = high ? high : (uint64_t)pair,
             rest = high ? (uint64_t)pair : 0;
    unsigned shift = (unsigned)__builtin_clzll(top);
    *exponent = (high ? 127 : 63) - shift;
    return (uint64_t)(((u128)top << 64 | rest) << shift >> 64);
  }
  uint64_t number[KM_HBS_LIMBS_MAX + 1];
  number[n_limbs] = mpn_add_1(number, limbs, n_limbs, 1);
  return normalise(number, n_limbs + 1, exponent);
}

double km_hbs_log2(const uint64_t *limbs, unsigned n_limbs) {
  unsigned exponent;
  uint64_t mantissa = normalise_next(limbs, n_limbs, &exponent);
  if (exponent == 0)
    return 0.0; /* S = 0 */
  double value = log2_by_doubles(mantissa, exponent);
  if (value >= 0)
    return value;
  /* At least 1, so 56 bits and a sticky one for the lowest eight say how to round. */
  u128 sum = ((u128)exponent << 63) + (u128)(i128)log2_mantissa(mantissa);
  uint64_t top = (uint64_t)(sum >> 8) | ((sum & 0xff) != 0);
  return (double)top * 0x1p-55;
}

/* Absolute value of a two's complement number; whether it was negative. */
static int magnitude(uint64_t *out, const uint64_t *limbs, unsigned n_limbs) {
  int negative = (int)(limbs[n_limbs - 1] >> 63);
  memcpy(out, limbs, n_limbs * sizeof *out);
  if (negative)
    mpn_neg(out, out, n_limbs);
  return negative;
}

/* 2^exponent, of a normal double. */
static double power_of_two(int exponent) {
  uint64_t bits = (uint64_t)(1023 + exponent) << 52;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double km_hbs_to_double(const uint64_t *limbs, unsigned n_limbs) {
  uint64_t number[KM_HBS_LIMBS_MAX];
  int negative = magnitude(number, limbs, n_limbs);
  if (mpn_zero_p(number, n_limbs))
    return 0.0;
  unsigned exponent;
  uint64_t mantissa = normalise(number, n_limbs, &exponent);
  /* Bits below the 64 kept ones only matter at a tie: one sticky bit stands for them, and 64 bits are 11 too
   * many. */
  if (exponent > 63 && mpn_scan1(number, 0) < exponent - 63)
    mantissa |= 1;
  double value =
      (double)mantissa * power_of_two((int)exponent - 63); /* the conversion rounds to nearest even */
  return negative ? -value : value;
}

char *km_hbs_decimal(char text[KM_HBS_DECIMAL_MAX], const uint64_t *limbs, unsigned n_limbs) {
  uint64_t number[KM_HBS_LIMBS_MAX + 1]; /* mpn_get_str destroys it, and wants one limb more */
  memcpy(number, limbs, n_limbs * sizeof *limbs);
  while (n_limbs > 0 && number[n_limbs - 1] == 0)
    n_limbs--;
  if (n_limbs == 0)
    return memcpy(text, "0", 2);
  unsigned char *digits = (unsigned char *)text;
  size_t length = mpn_get_str(digits, 10, number, n_limbs), zeros = 0;
  while (zeros + 1 < length && digits[zeros] == 0)
    zeros++;
  length -= zeros;
  for (size_t i = 0; i < length; i++)
    text[i] = (char)('0' + digits[zeros + i]);
  text[length] = '\0';
  return text;
}

char *km_hbs_decimal_signed(char text[KM_HBS_DECIMAL_MAX], const uint64_t *limbs, unsigned n_limbs) {
  uint64_t number[KM_HBS_LIMBS_MAX];
  int negative = magnitude(number, limbs, n_limbs);
  text[0] = '-';
  km_hbs_decimal(text + negative, number, n_limbs);
  return text;
}
