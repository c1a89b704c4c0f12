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

/* q and r go on by divmod(T, M) from one j to the next, or all of it over 2M and from M on for the nearest.
 */
void km_hbs_fractions(km_hbs_fraction *at, size_t n, uint32_t M, km_hbs_align align) {
  uint64_t T = n - 1, twice = align == KM_HBS_NEAREST ? 2 : 1, q = 0, r = align == KM_HBS_NEAREST ? M : 0;
  uint64_t step = T / M, rest = twice * (T % M), whole = twice * M;
  for (uint32_t j = 0; j <= M; j++) {
    at[j] = (km_hbs_fraction){(uint32_t)q, align == KM_HBS_LINEAR ? (uint32_t)r : 0};
    q += step;
    r += rest;
    if (r >= whole) {
      q++;
      r -= whole;
    }
  }
}

typedef unsigned __int128 u128;
static u128 load(const uint64_t *limbs) {
  return (u128)limbs[1] << 64 | limbs[0];
}

void km_hbs_at_fractions(uint64_t *out, unsigned n_out, km_hbs_column column, const km_hbs_fraction *at,
                         uint32_t M) {
  unsigned n_limbs = column.n_limbs;
  for (uint32_t j = 0; j <= M; j++, out += n_out) {
    const uint64_t *from = column.s + at[j].ply * column.stride;
    if (n_limbs == 2 && n_out == 2) { /* the usual board */
      u128 value = load(from) * (M - at[j].rest);
      if (at[j].rest != 0)
        value += load(from + column.stride) * at[j].rest;
      out[0] = (uint64_t)value;
      out[1] = (uint64_t)(value >> 64);
      continue;
    }
    uint64_t top = mpn_mul_1(out, from, n_limbs, M - at[j].rest);
    if (at[j].rest != 0) /* then there is a next ply */
      top += mpn_addmul_1(out, from + column.stride, n_limbs, at[j].rest);
    if (n_out > n_limbs)
      out[n_limbs] = top;
  }
}

void km_hbs_at_fractions_double(double *out, const double *values, const km_hbs_fraction *at, uint32_t M) {
  for (uint32_t j = 0; j <= M; j++) {
    const double *here = values + at[j].ply;
    out[j] = at[j].rest == 0 ? here[0] : km_hbs_between(here[0], here[1], at[j].rest, M);
  }
}
