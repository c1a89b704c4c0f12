/* hbs_series.h: the values of a whole game, ply by ply, and what SPEC §4 derives from them.
 *
 * A series is an array of numbers of n_limbs 64-bit limbs each, little-endian, one after the other: S(0),
 * S(1), …, S(T), as hbs.h5 stores it. Layers are [ply][layer][limb]. Differences are two's complement of the
 * same width, which always suffices: S < 2^125 in 2 limbs, S < 2^209 in 4. Nothing here allocates. */
#ifndef KIFUMILL_HBS_SERIES_H
#define KIFUMILL_HBS_SERIES_H

#include "kifumill/hbs.h"

/* Filled by the caller's buffers; sizes for T moves: s (T+1)·n_limbs, layer (T+1)·n_layers·n_limbs or NULL.
 */
typedef struct km_hbs_series {
  uint64_t *s;
  uint64_t *layer;
} km_hbs_series;

/* Writes S (and layers) of the tracker's present position at place ply. */
void km_hbs_record(const km_hbs *hbs, km_hbs_series series, size_t ply);

/* ΔS_w(t) = S(t) − S(t−w) for t = w…T. Returns how many values: n − w, or 0. n = T + 1; out takes n at most.
 * w ≥ 1. */
size_t km_hbs_delta(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs, size_t w);
/* Variant clip: S(t) − S(max(0, t−w)) for t = 0…T; returns n. */
size_t km_hbs_delta_clip(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs, size_t w);
/* S(t) − 2·S(t−1) + S(t−2) for t = 2…T: the backward D2(t), and the central one at t−1. Returns n − 2, or 0.
 * D1 is km_hbs_delta with w = 1. */
size_t km_hbs_diff2(uint64_t *out, const uint64_t *s, size_t n, unsigned n_limbs);
/* log2(1 + S(t)), n values; equal neighbours are computed once. */
void km_hbs_log2_series(double *out, const uint64_t *s, size_t n, unsigned n_limbs);

/* A game stretched to M + 1 points: S at the fraction j/M of its T moves, j = 0…M. */
typedef enum km_hbs_align {
  KM_HBS_LINEAR = 0, /* S(q) + (r/M)·(S(q+1) − S(q)), q, r = divmod(j·T, M) */
  KM_HBS_FLOOR,      /* S(q) */
  KM_HBS_NEAREST,    /* S(⌊(2·j·T + M)/(2M)⌋) */
} km_hbs_align;
enum { KM_HBS_FRACTIONS_MAX = 1 << 20 };

/* Where a fraction of a game falls: rest/M of the way from a ply to the next. rest < M; 0 unless linear. */
typedef struct km_hbs_fraction {
  uint32_t ply, rest;
} km_hbs_fraction;
/* The fractions of a game of T = n − 1 moves: at takes M + 1. 1 ≤ M ≤ KM_HBS_FRACTIONS_MAX, 1 ≤ n ≤ 2^32. */
void km_hbs_fractions(km_hbs_fraction *at, size_t n, uint32_t M, km_hbs_align align);

/* S, or one layer, of a game: n = T + 1 ≥ 1 values of n_limbs limbs, stride limbs apart. */
typedef struct km_hbs_column {
  const uint64_t *s;
  size_t stride;
  size_t n;
  unsigned n_limbs;
} km_hbs_column;

/* Values at the fractions of the game: numerators over the denominator M, exact, of n_out limbs each, n_limbs
 * or one more: n_limbs only where M times the values fits them. out takes (M+1)·n_out limbs. */
void km_hbs_at_fractions(uint64_t *out, unsigned n_out, km_hbs_column column, const km_hbs_fraction *at,
                         uint32_t M);
/* The same for doubles (log2): linear is S(q) + (r/M)·(S(q+1) − S(q)) in doubles. out takes M + 1. */
void km_hbs_at_fractions_double(double *out, const double *values, const km_hbs_fraction *at, uint32_t M);
/* That value, from those at the ply and at the next. */
static inline double km_hbs_between(double here, double next, uint32_t rest, uint32_t M) {
  return here + (double)rest / (double)M * (next - here);
}

#endif
