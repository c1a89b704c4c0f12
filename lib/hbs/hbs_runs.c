/* hbs_runs.c: runs are appended where a touched layer has another value, and merged where two series differ.
 */
#include "kifumill/hbs_runs.h"

#include <gmp.h>
#include <string.h>

/* ---- recording
 * ------------------------------------------------------------------------------------------------------- */

/* The value from this ply on, unless it is what stands already. Two limbs are moved one by one: they may have
 * been written so just now. */
static inline void append(km_hbs_runs *runs, const uint64_t *value, unsigned n_limbs, uint32_t ply) {
  uint64_t *to = runs->value + runs->n * n_limbs;
  if (n_limbs == 2) {
    uint64_t low = value[0], high = value[1];
    if (runs->n > 0 && to[-2] == low && to[-1] == high)
      return;
    to[0] = low;
    to[1] = high;
  } else {
    if (runs->n > 0 && memcmp(to - n_limbs, value, n_limbs * sizeof *to) == 0)
      return;
    memcpy(to, value, n_limbs * sizeof *to);
  }
  runs->ply[runs->n++] = ply;
}

void km_hbs_runs_record(km_hbs_runs *s, km_hbs_runs *layers, km_hbs *hbs, uint32_t ply) {
  unsigned n_limbs = hbs->geometry->n_limbs, n_layers = hbs->geometry->n_layers;
  uint32_t touched = hbs->touched & ((UINT32_C(1) << n_layers) - 1);
  if (ply == 0) {
    s->n = 0;
    for (unsigned k = 0; k < n_layers; k++)
      layers[k].n = 0;
    append(s, hbs->s, n_limbs, 0); /* a board of 1×1 has no layer, and an S */
    touched = (UINT32_C(1) << n_layers) - 1;
  }
  if (touched == 0)
    return;
  append(s, hbs->s, n_limbs, ply);
  for (; touched != 0; touched &= touched - 1) {
    unsigned k = (unsigned)__builtin_ctz(touched);
    append(&layers[k], &hbs->layer[k * n_limbs], n_limbs, ply);
  }
  hbs->touched = 0;
}

/* ---- differences
 * ------------------------------------------------------------------------------------------------------- */

static inline void subtract(uint64_t *to, const uint64_t *a, const uint64_t *b, unsigned n_limbs) {
  if (n_limbs == 2) {
    uint64_t borrow = a[0] < b[0], high = a[1] - b[1] - borrow;
    to[0] = a[0] - b[0];
    to[1] = high;
  } else {
    mpn_sub_n(to, a, b, n_limbs);
  }
}

void km_hbs_runs_delta(km_hbs_runs *out, const km_hbs_runs *s, unsigned n_limbs, size_t n, size_t w) {
  const uint64_t *now = s->value, *before = s->value;
  memset(out->value, 0, n_limbs * sizeof *out->value);
  out->ply[0] = 0;
  out->n = 1;
  for (size_t i = 1, k = 1; i < s->n || k < s->n;) {
    size_t next = i < s->n ? s->ply[i] : n, later = k < s->n ? s->ply[k] + w : n,
           t = next < later ? next : later;
    if (t >= n)
      break;
    if (t == next)
      now = s->value + i++ * n_limbs;
    if (t == later)
      before = s->value + k++ * n_limbs;
    subtract(out->value + out->n * n_limbs, now, before, n_limbs);
    out->ply[out->n++] = (uint32_t)t;
  }
}

/* ---- logarithms and fractions
 * ------------------------------------------------------------------------------------------------------- */

void km_hbs_runs_log2(double *out, const km_hbs_runs *runs, unsigned n_limbs) {
  for (size_t i = 0; i < runs->n; i++)
    out[i] = km_hbs_log2(runs->value + i * n_limbs, n_limbs);
}

void km_hbs_runs_rows(uint64_t *out, const km_hbs_runs *runs, unsigned n_limbs, size_t n) {
  for (size_t i = 0, t = 0; i < runs->n; i++) {
    const uint64_t *value = runs->value + i * n_limbs;
    size_t end = i + 1 < runs->n ? runs->ply[i + 1] : n;
    for (; t < end && n_limbs == 2; t++) {
      out[2 * t] = value[0];
      out[2 * t + 1] = value[1];
    }
    for (; t < end; t++)
      memcpy(out + t * n_limbs, value, n_limbs * sizeof *out);
  }
}

void km_hbs_runs_expand(double *out, const uint32_t *ply, const double *value, size_t n_runs, size_t n) {
  for (size_t i = 0, t = 0; i < n_runs; i++)
    for (size_t end = i + 1 < n_runs ? ply[i + 1] : n; t < end; t++)
      out[t] = value[i];
}

void km_hbs_runs_first(uint32_t *first, size_t n, const km_hbs_fraction *at, uint32_t M) {
  size_t p = 0;
  for (uint32_t j = 0; j <= M; j++)
    for (; p < n && p <= at[j].ply; p++)
      first[p] = j;
}

static inline void put(km_hbs_runs_double *out, uint32_t place, double value) {
  out->n -= out->n > 0 && out->place[out->n - 1] == place; /* a later ply falls onto the same fraction */
  out->place[out->n] = place;
  out->value[out->n++] = value;
}

/* A run that begins at ply p shows at fractions between p − 1 and p, and from the first one behind p on. */
void km_hbs_runs_at_fractions(km_hbs_runs_double *out, const km_hbs_runs *runs, const double *value,
                              const km_hbs_fraction *at, const uint32_t *first, uint32_t M) {
  out->n = 0;
  put(out, 0, value[0]);
  for (size_t i = 1; i < runs->n; i++) {
    uint32_t p = runs->ply[i];
    for (uint32_t j = first[p - 1]; j < first[p]; j++)
      if (at[j].rest != 0)
        put(out, j, km_hbs_between(value[i - 1], value[i], at[j].rest, M));
    put(out, first[p], value[i]);
  }
}
