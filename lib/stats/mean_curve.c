/* mean_curve.c: exact mean curves in blocks of memory.
 *
 * A block has KM_MEAN_BLOCK places of one stratum:
 *
 *     at:   n[64] | channel 0: cell[64] | channel 1: cell[64] | …     games that have a value there
 *     ends: n[64] | channel 0: cell[64] | …                           games whose last value is there
 *     histogram: u32 [64][bins]
 *
 * with a cell of Σ (n_limbs + 1 words) and Σ² (2·n_limbs + 1 words), so a game walks each channel in order of memory.
 * The ends make hold cost one addition a game: hold(t) = drop(t) + Σ_{u<t} ends(u). */
#include "kifumill/mean_curve.h"

#include <stdlib.h>
#include <string.h>

#include "exact_add.h"

typedef struct block {
  uint64_t *words;     /* at, then ends */
  uint32_t *histogram; /* or NULL */
} block;

typedef struct stratum_head {
  uint64_t n_games;
  size_t length;
} stratum_head;

struct km_mean_curves {
  km_mean_channel channel[KM_MEAN_CHANNELS_MAX]; /* doubles: n_limbs 1 over 2^52 */
  uint8_t is_double[KM_MEAN_CHANNELS_MAX];
  size_t offset[KM_MEAN_CHANNELS_MAX + 1]; /* of a channel's cells in a half block; the last is the half's words */
  size_t n_channels, n_strata, n_points, n_blocks; /* n_blocks of one stratum */
  size_t bytes, max_bytes, block_bytes;
  size_t n_bins; /* 0 without histogram */
  size_t histogram_channel;
  unsigned histogram_max, bins_per_unit;
  uint64_t beyond;
  stratum_head *strata;
  block *blocks; /* [n_strata][n_blocks] */
};

static size_t cell_words(const km_mean_curves *curves, size_t channel) {
  return 3 * (size_t)curves->channel[channel].n_limbs + 2;
}

static km_status check_options(const km_mean_options *o, km_err *err) {
  if (o->n_channels < 1 || o->n_channels > KM_MEAN_CHANNELS_MAX || o->n_strata < 1 || o->n_points < 1)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves need 1 to %d channels, a stratum and a place",
                      KM_MEAN_CHANNELS_MAX);
  for (size_t i = 0; i < o->n_channels; i++)
    if (o->channels[i].n_limbs > KM_EXACT_LIMBS_MAX || (o->channels[i].n_limbs > 0 && o->channels[i].denominator == 0))
      return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: channel %zu has %u limbs over %llu", i,
                        o->channels[i].n_limbs, (unsigned long long)o->channels[i].denominator);
  if (o->histogram_channel == KM_MEAN_NO_HISTOGRAM)
    return KM_OK;
  if (o->histogram_channel < 0 || (size_t)o->histogram_channel >= o->n_channels ||
      o->channels[o->histogram_channel].n_limbs != 0 || o->histogram_max < 1 || o->histogram_max > 1024 ||
      o->bins_per_unit < 1 || o->bins_per_unit > 1024)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: the histogram needs a channel of doubles, 1 to 1024 units "
                                            "and 1 to 1024 bins a unit");
  return KM_OK;
}

static void lay_out(km_mean_curves *curves, const km_mean_options *o) {
  size_t offset = KM_MEAN_BLOCK; /* behind n[] */
  curves->n_channels = o->n_channels;
  for (size_t i = 0; i < o->n_channels; i++) {
    curves->is_double[i] = o->channels[i].n_limbs == 0;
    curves->channel[i] =
        curves->is_double[i] ? (km_mean_channel){1, KM_EXACT_DOUBLE_DENOMINATOR} : o->channels[i];
    curves->offset[i] = offset;
    offset += KM_MEAN_BLOCK * cell_words(curves, i);
  }
  curves->offset[o->n_channels] = offset;
  curves->n_strata = o->n_strata;
  curves->n_points = o->n_points;
  curves->n_blocks = (o->n_points + KM_MEAN_BLOCK - 1) / KM_MEAN_BLOCK;
  if (o->histogram_channel != KM_MEAN_NO_HISTOGRAM) {
    curves->histogram_channel = (size_t)o->histogram_channel;
    curves->histogram_max = o->histogram_max;
    curves->bins_per_unit = o->bins_per_unit;
    curves->n_bins = (size_t)o->histogram_max * o->bins_per_unit + 2; /* 0 alone; then (0, max]; then max itself */
  }
  curves->block_bytes = 2 * offset * sizeof(uint64_t) + KM_MEAN_BLOCK * curves->n_bins * sizeof(uint32_t);
  curves->max_bytes = o->max_bytes;
}

km_status km_mean_curves_new(km_mean_curves **out, const km_mean_options *options, km_err *err) {
  *out = NULL;
  km_status status = check_options(options, err);
  if (status != KM_OK)
    return status;
  km_mean_curves *curves = calloc(1, sizeof *curves);
  if (curves == NULL)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for mean curves");
  lay_out(curves, options);
  size_t per_stratum = sizeof *curves->strata + curves->n_blocks * sizeof *curves->blocks;
  curves->bytes = sizeof *curves;
  if (curves->bytes > options->max_bytes || options->n_strata > (options->max_bytes - curves->bytes) / per_stratum) {
    free(curves);
    return km_err_set(err, KM_ERR_LIMIT, 0, "mean curves of %zu strata by %zu places need more than %zu bytes",
                      options->n_strata, options->n_points, options->max_bytes);
  }
  curves->bytes += options->n_strata * per_stratum;
  curves->strata = calloc(options->n_strata, sizeof *curves->strata);
  curves->blocks = calloc(options->n_strata * curves->n_blocks, sizeof *curves->blocks);
  if (curves->strata == NULL || curves->blocks == NULL) {
    km_mean_curves_free(curves);
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for mean curves");
  }
  *out = curves;
  return KM_OK;
}

void km_mean_curves_free(km_mean_curves *curves) {
  if (curves == NULL)
    return;
  for (size_t i = 0; curves->blocks != NULL && i < curves->n_strata * curves->n_blocks; i++) {
    free(curves->blocks[i].words);
    free(curves->blocks[i].histogram);
  }
  free(curves->blocks);
  free(curves->strata);
  free(curves);
}

/* Makes the stratum's blocks for places 0…n_points−1. */
static km_status reserve(km_mean_curves *curves, size_t stratum, size_t n_points, km_err *err) {
  block *blocks = curves->blocks + stratum * curves->n_blocks;
  for (size_t b = 0; b * KM_MEAN_BLOCK < n_points; b++) {
    if (blocks[b].words != NULL)
      continue;
    if (curves->block_bytes > curves->max_bytes - curves->bytes)
      return km_err_set(err, KM_ERR_LIMIT, 0, "mean curves need more than %zu bytes", curves->max_bytes);
    block fresh = {calloc(2 * curves->offset[curves->n_channels], sizeof(uint64_t)), NULL};
    if (curves->n_bins > 0)
      fresh.histogram = calloc(KM_MEAN_BLOCK * curves->n_bins, sizeof(uint32_t));
    if (fresh.words == NULL || (curves->n_bins > 0 && fresh.histogram == NULL)) {
      free(fresh.words);
      free(fresh.histogram);
      return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for mean curves");
    }
    blocks[b] = fresh;
    curves->bytes += curves->block_bytes;
  }
  return KM_OK;
}

/* Adds n values of a channel to n cells from cell on. */
static void add_values(const km_mean_curves *curves, size_t channel, uint64_t *cell, km_mean_column column, size_t n) {
  unsigned n_limbs = curves->channel[channel].n_limbs;
  size_t width = cell_words(curves, channel);
  if (curves->is_double[channel]) {
    const double *value = column.values;
    for (size_t i = 0; i < n; i++, cell += width, value += column.stride)
      exact_add1(cell, cell + 2, exact_fixed(*value));
    return;
  }
  const uint64_t *value = column.values;
  switch (n_limbs) {
  case 1:
    for (size_t i = 0; i < n; i++, cell += width, value += column.stride)
      exact_add1(cell, cell + 2, (int64_t)*value);
    break;
  case 2:
    for (size_t i = 0; i < n; i++, cell += width, value += column.stride)
      exact_add2(cell, cell + 3, value);
    break;
  default:
    for (size_t i = 0; i < n; i++, cell += width, value += column.stride)
      exact_add_any(cell, cell + n_limbs + 1, value, n_limbs);
  }
}

/* 0 → 0; (0, max) → 1 + ⌊x·bins⌋; from max on, the last. */
static size_t bin_of(const km_mean_curves *curves, double x) {
  if (!(x > 0))
    return 0;
  return x < curves->histogram_max ? 1 + (size_t)(x * curves->bins_per_unit) : curves->n_bins - 1;
}

/* The column at a later place. Words are 8 bytes, whatever their type. */
static km_mean_column advance(km_mean_column column, size_t n) {
  return (km_mean_column){(const char *)column.values + 8 * n * column.stride, column.stride};
}

km_status km_mean_curves_add(km_mean_curves *curves, size_t stratum, const km_mean_column *columns, size_t n_points,
                             km_err *err) {
  if (stratum >= curves->n_strata || n_points == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: stratum %zu of %zu, %zu places", stratum, curves->n_strata,
                      n_points);
  size_t used = n_points < curves->n_points ? n_points : curves->n_points;
  km_status status = reserve(curves, stratum, used, err);
  if (status != KM_OK)
    return status;
  block *blocks = curves->blocks + stratum * curves->n_blocks;
  for (size_t first = 0; first < used; first += KM_MEAN_BLOCK) {
    block *to = &blocks[first / KM_MEAN_BLOCK];
    size_t n = used - first < KM_MEAN_BLOCK ? used - first : KM_MEAN_BLOCK;
    for (size_t i = 0; i < n; i++)
      to->words[i]++;
    for (size_t c = 0; c < curves->n_channels; c++)
      add_values(curves, c, to->words + curves->offset[c], advance(columns[c], first), n);
    if (to->histogram != NULL) {
      km_mean_column column = advance(columns[curves->histogram_channel], first);
      for (size_t i = 0; i < n; i++)
        to->histogram[i * curves->n_bins + bin_of(curves, ((const double *)column.values)[i * column.stride])]++;
    }
  }
  if (used == n_points) {
    size_t last = n_points - 1, place = last % KM_MEAN_BLOCK;
    uint64_t *ends = blocks[last / KM_MEAN_BLOCK].words + curves->offset[curves->n_channels];
    ends[place]++;
    for (size_t c = 0; c < curves->n_channels; c++)
      add_values(curves, c, ends + curves->offset[c] + place * cell_words(curves, c), advance(columns[c], last), 1);
  }
  stratum_head *head = &curves->strata[stratum];
  head->n_games++;
  head->length = head->length > used ? head->length : used;
  curves->beyond += n_points - used;
  return KM_OK;
}

static int same_shape(const km_mean_curves *a, const km_mean_curves *b) {
  return a->n_channels == b->n_channels && a->n_strata == b->n_strata && a->n_points == b->n_points &&
         a->n_bins == b->n_bins && a->bins_per_unit == b->bins_per_unit &&
         memcmp(a->channel, b->channel, sizeof a->channel) == 0 &&
         memcmp(a->is_double, b->is_double, sizeof a->is_double) == 0;
}

static void merge_block(const km_mean_curves *curves, block *into, const block *from) {
  for (size_t half = 0; half < 2; half++) {
    uint64_t *to = into->words + half * curves->offset[curves->n_channels];
    const uint64_t *add = from->words + half * curves->offset[curves->n_channels];
    for (size_t i = 0; i < KM_MEAN_BLOCK; i++)
      to[i] += add[i];
    for (size_t c = 0; c < curves->n_channels; c++) {
      mp_size_t n_limbs = curves->channel[c].n_limbs;
      size_t width = cell_words(curves, c);
      for (size_t i = 0, at = curves->offset[c]; i < KM_MEAN_BLOCK; i++, at += width) {
        mpn_add_n(to + at, to + at, add + at, n_limbs + 1);
        mpn_add_n(to + at + n_limbs + 1, to + at + n_limbs + 1, add + at + n_limbs + 1, 2 * n_limbs + 1);
      }
    }
  }
  for (size_t i = 0; i < KM_MEAN_BLOCK * curves->n_bins; i++)
    into->histogram[i] += from->histogram[i];
}

km_status km_mean_curves_merge(km_mean_curves *into, const km_mean_curves *from, km_err *err) {
  if (!same_shape(into, from))
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves of different shapes cannot be merged");
  for (size_t s = 0; s < into->n_strata; s++) {
    km_status status = reserve(into, s, from->strata[s].length, err);
    if (status != KM_OK)
      return status;
  }
  for (size_t s = 0; s < into->n_strata; s++) {
    for (size_t b = 0; b * KM_MEAN_BLOCK < from->strata[s].length; b++)
      merge_block(into, &into->blocks[s * into->n_blocks + b], &from->blocks[s * into->n_blocks + b]);
    into->strata[s].n_games += from->strata[s].n_games;
    if (into->strata[s].length < from->strata[s].length)
      into->strata[s].length = from->strata[s].length;
  }
  into->beyond += from->beyond;
  return KM_OK;
}

uint64_t km_mean_curves_games(const km_mean_curves *curves, size_t stratum) { return curves->strata[stratum].n_games; }
size_t km_mean_curves_length(const km_mean_curves *curves, size_t stratum) { return curves->strata[stratum].length; }
uint64_t km_mean_curves_beyond(const km_mean_curves *curves) { return curves->beyond; }
size_t km_mean_curves_bytes(const km_mean_curves *curves) { return curves->bytes; }

/* Adds the cell at a place of one half of its block to sum. */
static void add_cell(const km_mean_curves *curves, size_t channel, const uint64_t *half, size_t place,
                     km_exact_sum *sum) {
  mp_size_t n_limbs = (mp_size_t)sum->n_limbs;
  const uint64_t *cell = half + curves->offset[channel] + place * cell_words(curves, channel);
  sum->n += half[place];
  mpn_add_n(sum->sum, sum->sum, cell, n_limbs + 1);
  mpn_add_n(sum->square, sum->square, cell + n_limbs + 1, 2 * n_limbs + 1);
}

void km_mean_curves_read(const km_mean_curves *curves, size_t stratum, size_t channel, km_mean_ends ends,
                         km_exact_sum *out) {
  km_exact_sum ended;
  km_exact_sum_init(&ended, curves->channel[channel].n_limbs, curves->channel[channel].denominator);
  for (size_t t = 0; t < curves->strata[stratum].length; t++) {
    const uint64_t *words = curves->blocks[stratum * curves->n_blocks + t / KM_MEAN_BLOCK].words;
    out[t] = ended;
    add_cell(curves, channel, words, t % KM_MEAN_BLOCK, &out[t]);
    if (ends == KM_MEAN_HOLD)
      add_cell(curves, channel, words + curves->offset[curves->n_channels], t % KM_MEAN_BLOCK, &ended);
  }
}

double km_mean_curves_quantile(const km_mean_curves *curves, size_t stratum, size_t point, uint32_t num, uint32_t den) {
  if (curves->n_bins == 0 || point >= curves->strata[stratum].length || den == 0)
    return NAN;
  const block *from = &curves->blocks[stratum * curves->n_blocks + point / KM_MEAN_BLOCK];
  const uint32_t *count = from->histogram + point % KM_MEAN_BLOCK * curves->n_bins;
  uint64_t n = from->words[point % KM_MEAN_BLOCK];
  uint64_t rank = (uint64_t)(((km_u128)n * num + den - 1) / den), seen = 0;
  size_t bin = 0;
  while (seen + count[bin] < (rank > 0 ? rank : 1))
    seen += count[bin++];
  if (bin == 0)
    return 0;
  return bin + 1 < curves->n_bins ? ((double)bin - 0.5) / curves->bins_per_unit : curves->histogram_max;
}
