/* phase_signal.c: logarithms of S, of layers, of differences. */
#include "phase_signal.h"

#include "kifumill/hbs_series.h"

#include <stdlib.h>
#include <string.h>

static int parse_number(const char *text, unsigned long most, unsigned long *value) {
  char *end;
  *value = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *value >= 1 && *value <= most;
}

km_status km_signal_parse(km_signal *signal, const char *text, km_err *err) {
  unsigned long value = 10;
  *signal = (km_signal){0};
  if (!strcmp(text, "log2"))
    return KM_OK;
  signal->kind = KM_SIGNAL_LAYERS;
  if (!strcmp(text, "layers"))
    return KM_OK;
  if (!strncmp(text, "layer:", 6) && parse_number(text + 6, KM_BOARD_MAX, &value)) {
    signal->kind = KM_SIGNAL_LAYER;
    signal->side = (unsigned)value;
    return KM_OK;
  }
  if (!strcmp(text, "delta") || (!strncmp(text, "delta:", 6) && parse_number(text + 6, 1000, &value))) {
    signal->kind = KM_SIGNAL_DELTA;
    signal->window = (uint32_t)value;
    return KM_OK;
  }
  return km_err_set(err, KM_ERR_USAGE, 0,
                    "--signal %.80s: not log2, layer:N (side 1…%d), layers or delta:W (1…1000 moves)", text,
                    KM_BOARD_MAX);
}

size_t km_signal_channels(const km_signal *signal, unsigned size) {
  unsigned n_layers = km_hbs_n_layers(size, signal->variant);
  if (signal->kind == KM_SIGNAL_LAYERS)
    return n_layers;
  if (signal->kind == KM_SIGNAL_LAYER)
    return signal->side <= size && (size - signal->side) % 2 == 0 && (size - signal->side) / 2 < n_layers;
  return 1;
}

static void fill_layer(const km_signal *signal, unsigned layer, const km_hbs_store_series *series,
                       double *out) {
  size_t row = (size_t)signal->n_layers * signal->n_limbs;
  const uint64_t *at = series->layers + (size_t)layer * signal->n_limbs;
  for (size_t t = 0; t < series->n; t++, at += row) {
    int same = t > 0 && memcmp(at, at - row, signal->n_limbs * sizeof *at) == 0;
    out[t] = same ? out[t - 1] : km_hbs_log2(at, signal->n_limbs);
  }
}

/* out = a − b; returns 1 if that is below 0 (and out then modulo 2^(64·n)). */
static uint64_t subtract(uint64_t *out, const uint64_t *a, const uint64_t *b, unsigned n_limbs) {
  uint64_t borrow = 0;
  for (unsigned i = 0; i < n_limbs; i++) {
    unsigned __int128 wide = (unsigned __int128)a[i] - b[i] - borrow;
    out[i] = (uint64_t)wide;
    borrow = (uint64_t)(wide >> 64) & 1;
  }
  return borrow;
}

/* sign · log2(1 + |S(t) − S(max(0, t − w))|) */
static void fill_delta(const km_signal *signal, const km_hbs_store_series *series, double *out) {
  unsigned n_limbs = signal->n_limbs;
  for (size_t t = 0; t < series->n; t++) {
    uint64_t change[KM_HBS_LIMBS_MAX];
    const uint64_t *now = series->s + t * n_limbs,
                   *before = series->s + (t > signal->window ? t - signal->window : 0) * n_limbs;
    int falls = subtract(change, now, before, n_limbs) != 0;
    if (falls)
      subtract(change, before, now, n_limbs);
    out[t] = falls ? -km_hbs_log2(change, n_limbs) : km_hbs_log2(change, n_limbs);
  }
}

/* The first position with a stone of the colour; n if there is none. log2(1 + S) is 0 where S is and only
 * there. */
static size_t first_stone(const km_signal *signal, const km_hbs_store_series *series) {
  size_t first = 0;
  while (!series->s && first < series->n && series->log2[first] == 0)
    first++;
  if (!series->s)
    return first;
  for (size_t t = 0; t < series->n; t++)
    for (unsigned i = 0; i < signal->n_limbs; i++)
      if (series->s[t * signal->n_limbs + i])
        return t;
  return series->n;
}

static void skip_empty(const km_signal *signal, unsigned size, const km_hbs_store_series *series,
                       double *out) {
  size_t first = first_stone(signal, series), n_channels = km_signal_channels(signal, size);
  for (size_t c = 0; c < n_channels && first < series->n; c++)
    for (size_t t = 0; t < first; t++)
      out[c * series->n + t] = out[c * series->n + first];
}

void km_signal_fill(const km_signal *signal, unsigned size, const km_hbs_store_series *series, double *out) {
  switch (signal->kind) {
  case KM_SIGNAL_LOG2:
    if (series->log2)
      memcpy(out, series->log2, series->n * sizeof *out);
    else
      km_hbs_log2_series(out, series->s, series->n, signal->n_limbs);
    break;
  case KM_SIGNAL_LAYER:
    fill_layer(signal, (size - signal->side) / 2, series, out);
    break;
  case KM_SIGNAL_LAYERS:
    for (unsigned k = 0; k < km_hbs_n_layers(size, signal->variant); k++)
      fill_layer(signal, k, series, out + k * series->n);
    break;
  case KM_SIGNAL_DELTA:
    fill_delta(signal, series, out);
    break;
  }
  if (signal->skip_empty)
    skip_empty(signal, size, series, out);
}
