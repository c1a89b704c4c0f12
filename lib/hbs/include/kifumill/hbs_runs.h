/* hbs_runs.h: the series of a game as runs: a value and the ply from which it stands, up to the next one.
 *
 * A black move changes S and one L and the next move, White's, neither: a game has about half as many runs of
 * S as plies, and all its layers together have about as many as S. What SPEC §4 derives of a series is
 * derived of its runs here, with the same values (hbs_series.h is the other way to them, ply by ply). Nothing
 * here allocates: room for n runs, n the positions of the game, is always enough. */
#ifndef KIFUMILL_HBS_RUNS_H
#define KIFUMILL_HBS_RUNS_H

#include "kifumill/hbs_series.h"

/* n values of a geometry's n_limbs limbs. ply[0] is 0 and ply rises. */
typedef struct km_hbs_runs {
  size_t n;
  uint32_t *ply;
  uint64_t *value;
} km_hbs_runs;

/* Brings the runs of S, and of every layer (n_layers of them), up to a position that the tracker has arrived
 * at: ply 0, which begins them, 1, 2, … Takes hbs->touched for itself. */
void km_hbs_runs_record(km_hbs_runs *s, km_hbs_runs *layers, km_hbs *hbs, uint32_t ply);

/* S(t) − S(max(0, t−w)) of a game of n positions, runs again. */
void km_hbs_runs_delta(km_hbs_runs *out, const km_hbs_runs *s, unsigned n_limbs, size_t n, size_t w);
/* log2(1 + value) of every run. */
void km_hbs_runs_log2(double *out, const km_hbs_runs *runs, unsigned n_limbs);
/* Runs ply by ply, of n plies, as hbs.h5 stores them: out takes n values. */
void km_hbs_runs_rows(uint64_t *out, const km_hbs_runs *runs, unsigned n_limbs, size_t n);
/* The same of doubles. */
void km_hbs_runs_expand(double *out, const uint32_t *ply, const double *value, size_t n_runs, size_t n);

/* first[p], p = 0…n−1: the first fraction at or behind ply p. */
void km_hbs_runs_first(uint32_t *first, size_t n, const km_hbs_fraction *at, uint32_t M);
/* Doubles by fraction, as runs over j = 0…M. */
typedef struct km_hbs_runs_double {
  size_t n;
  uint32_t *place;
  double *value;
} km_hbs_runs_double;
/* Of the values of runs, at the fractions of a game: what km_hbs_at_fractions_double gives of all plies. out
 * has room for M + 1. */
void km_hbs_runs_at_fractions(km_hbs_runs_double *out, const km_hbs_runs *runs, const double *value,
                              const km_hbs_fraction *at, const uint32_t *first, uint32_t M);

#endif
