/* hbs_series.c: differences, logarithms and alignment of a game's S values; exact but for the logarithms.
 *
 * Two's complement arithmetic modulo 2^(64·n_limbs) gives signed differences without a branch. A position
 * between two plies is the numerator S(q)·(M − r) + S(q+1)·r over the common denominator M, in one limb more.
 */
#include "kifumill/hbs_series.h"

#include <gmp.h>
#include <string.h>

/* A copy of known length is a few moves in line; the usual board has one. */
enum { USUAL_ROW = 9 * 2 };

void km_hbs_record(const km_hbs *hbs, km_hbs_series series, size_t ply) {
  size_t n_limbs = hbs->geometry->n_limbs, row = n_limbs * hbs->geometry->n_layers;
  if (n_limbs == 2)
    memcpy(series.s + ply * 2, hbs->s, 2 * sizeof *series.s);
  else
    memcpy(series.s + ply * KM_HBS_LIMBS_MAX, hbs->s, sizeof hbs->s);
  if (series.layer == NULL)
    return;
  if (row == USUAL_ROW)
    memcpy(series.layer + ply * USUAL_ROW, hbs->layer, USUAL_ROW * sizeof *series.layer);
  else
    memcpy(series.layer + ply * row, hbs->layer, row * sizeof *series.layer);
}

size_t km_hbs_delta(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs, size_t w) {
  for (size_t t = w; t < n; t++)
    mpn_sub_n(out + (t - w) * n_limbs, s + t * n_limbs, s + (t - w) * n_limbs, n_limbs);
  return n > w ? n - w : 0;
}

size_t km_hbs_delta_clip(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs, size_t w) {
  for (size_t t = 0; t < n; t++)
    mpn_sub_n(out + t * n_limbs, s + t * n_limbs, s + (t > w ? t - w : 0) * n_limbs, n_limbs);
  return n;
}

size_t km_hbs_diff2(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs) {
  for (size_t t = 2; t < n; t++) {
    uint64_t *to = out + (t - 2) * n_limbs;
    const uint64_t *at = s + t * n_limbs;
    mpn_add_n(to, at, at - 2 * n_limbs, n_limbs);
    mpn_submul_1(to, at - n_limbs, n_limbs, 2);
  }
  return n > 2 ? n - 2 : 0;
}

void km_hbs_log2_series(double *out, const uint64_t *s, size_t n, unsigned n_limbs) {
  for (size_t t = 0; t < n; t++) {
    const uint64_t *at = s + t * n_limbs;
    int same = t > 0 && memcmp(at, at - n_limbs, n_limbs * sizeof *at) == 0;
    out[t] = same ? out[t - 1] : km_hbs_log2(at, n_limbs);
  }
}

/* Where the fraction j/M of T moves falls: ply q, and r/M of the way to the next. */
typedef struct fraction {
  size_t q;
  uint64_t r;
} fraction;

static fraction locate(uint64_t j, uint64_t T, uint64_t M, km_hbs_align align) {
  if (align == KM_HBS_NEAREST)
    return (fraction){(size_t)((2 * j * T + M) / (2 * M)), 0};
  return (fraction){(size_t)(j * T / M), align == KM_HBS_LINEAR ? j * T % M : 0};
}

void km_hbs_at_fractions(uint64_t *out, km_hbs_column column, uint32_t M, km_hbs_align align) {
  unsigned n_limbs = column.n_limbs;
  for (uint32_t j = 0; j <= M; j++) {
    fraction at = locate(j, column.n - 1, M, align);
    uint64_t *to = out + (size_t)j * (n_limbs + 1);
    const uint64_t *from = column.s + at.q * column.stride;
    to[n_limbs] = mpn_mul_1(to, from, n_limbs, M - at.r);
    if (at.r != 0) /* then q < T */
      to[n_limbs] += mpn_addmul_1(to, from + column.stride, n_limbs, at.r);
  }
}

void km_hbs_at_fractions_double(double *out, const double *values, size_t n, uint32_t M, km_hbs_align align) {
  for (uint32_t j = 0; j <= M; j++) {
    fraction at = locate(j, n - 1, M, align);
    out[j] = values[at.q];
    if (at.r != 0)
      out[j] += (double)at.r / (double)M * (values[at.q + 1] - values[at.q]);
  }
}
