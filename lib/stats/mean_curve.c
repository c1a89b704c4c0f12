/* mean_curve.c: exact mean curves as differences, in blocks of memory.
 *
 * Kept are not the sums at a place but how they differ from the place before: a game adds x(t) − x(t−1) and
 * x(t)² − x(t−1)² where x changes, and nothing elsewhere; a running sum over the places gives the curves
 * back. All of it is exact modulo 2^64 to the number of limbs. A block has KM_MEAN_BLOCK places of one
 * stratum:
 *
 *     changes: n[64] | channel 0: cell[64] | channel 1: cell[64] | …
 *     ends:    n[64] | channel 0: cell[64] | …                           the last value of games that end
 * there histogram: u32 [64][bins], changes too
 *
 * with a cell of Σ (n_limbs + 1 words) and Σ² (2·n_limbs + 1 words). With C and E the running sums of changes
 * and ends, hold(t) = C(t) and drop(t) = C(t) − E(t−1). */
#include "kifumill/mean_curve.h"

#include <stdlib.h>
#include <string.h>

#include "exact_add.h"

typedef struct block {
  uint64_t *words;     /* changes, then ends */
  uint32_t *histogram; /* or NULL */
} block;

typedef struct stratum_head {
  uint64_t n_games;
  size_t length;
} stratum_head;

struct km_mean_curves {
  km_mean_channel channel[KM_MEAN_CHANNELS_MAX]; /* doubles: n_limbs 1 over 2^52 */
  uint8_t is_double[KM_MEAN_CHANNELS_MAX];
  size_t offset[KM_MEAN_CHANNELS_MAX +
                1]; /* of a channel's cells in a half block; the last is the half's words */
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
    if (o->channels[i].n_limbs > KM_EXACT_LIMBS_MAX ||
        (o->channels[i].n_limbs > 0 && o->channels[i].denominator == 0))
      return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: channel %zu has %u limbs over %llu", i,
                        o->channels[i].n_limbs, (unsigned long long)o->channels[i].denominator);
  if (o->histogram_channel == KM_MEAN_NO_HISTOGRAM)
    return KM_OK;
  if (o->histogram_channel < 0 || (size_t)o->histogram_channel >= o->n_channels ||
      o->channels[o->histogram_channel].n_limbs != 0 || o->histogram_max < 1 || o->histogram_max > 1024 ||
      o->bins_per_unit < 1 || o->bins_per_unit > 1024)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "mean curves: the histogram needs a channel of doubles, 1 to 1024 units "
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
    curves->n_bins =
        (size_t)o->histogram_max * o->bins_per_unit + 2; /* 0 alone; then (0, max]; then max itself */
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
  if (curves->bytes > options->max_bytes ||
      options->n_strata > (options->max_bytes - curves->bytes) / per_stratum) {
    free(curves);
    return km_err_set(err, KM_ERR_LIMIT, 0,
                      "mean curves of %zu strata by %zu places need more than %zu bytes", options->n_strata,
                      options->n_points, options->max_bytes);
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

/* The integer of a column at a place: its limbs, or a double turned into one limb of scratch. */
static const uint64_t *value_at(const km_mean_curves *curves, size_t channel, km_mean_column column,
                                size_t place, uint64_t *scratch) {
  if (!curves->is_double[channel])
    return (const uint64_t *)column.values + place * column.stride;
  *scratch = exact_fixed(((const double *)column.values)[place * column.stride]);
  return scratch;
}

/* The first place in t…last−1 whose words differ from those before it (t ≥ 1), or last. */
static size_t next_change(const uint64_t *values, size_t stride, unsigned n_limbs, size_t t, size_t last) {
  const uint64_t *word = values + t * stride;
  if (n_limbs == 1) { /* the usual widths: registers carry the value along */
    for (uint64_t now = word[-(ptrdiff_t)stride]; t < last && word[0] == now; word += stride)
      t++;
    return t;
  }
  if (n_limbs == 2) {
    for (uint64_t low = word[-(ptrdiff_t)stride], high = word[1 - (ptrdiff_t)stride];
         t < last && word[0] == low && word[1] == high; word += stride)
      t++;
    return t;
  }
  while (t < last && memcmp(word, word - stride, n_limbs * sizeof *word) == 0) {
    word += stride;
    t++;
  }
  return t;
}

/* Adds the changes of a channel at places first…last−1 to their cells, the first of which is at cells. */
static void add_changes(const km_mean_curves *curves, size_t channel, uint64_t *cells, km_mean_column column,
                        size_t first, size_t last) {
  unsigned n_limbs = curves->channel[channel].n_limbs;
  size_t width = cell_words(curves, channel), t = first;
  uint64_t now_scratch, before_scratch;
  if (t == 0) {
    exact_add(cells, cells + n_limbs + 1, value_at(curves, channel, column, 0, &now_scratch), n_limbs);
    t = 1;
  }
  /* a double's bits compare as well as its value */
  for (; (t = next_change(column.values, column.stride, n_limbs, t, last)) < last; t++) {
    uint64_t *cell = cells + (t - first) * width;
    exact_change(cell, cell + n_limbs + 1, value_at(curves, channel, column, t, &now_scratch),
                 value_at(curves, channel, column, t - 1, &before_scratch), n_limbs);
  }
}

/* 0 → 0; (0, max) → 1 + ⌊x·bins⌋; from max on, the last. */
static size_t bin_of(const km_mean_curves *curves, double x) {
  if (!(x > 0))
    return 0;
  return x < curves->histogram_max ? 1 + (size_t)(x * curves->bins_per_unit) : curves->n_bins - 1;
}

/* A value is counted where it comes up, and discounted where it changes or behind the last place. */
static void add_histogram(const km_mean_curves *curves, block *blocks, km_mean_column column, size_t n_points,
                          size_t used) {
  const double *value = column.values;
  size_t bin = 0;
  for (size_t t = 0; t < used; t++) {
    size_t now = bin_of(curves, value[t * column.stride]);
    if (now == bin && t > 0)
      continue;
    uint32_t *row = blocks[t / KM_MEAN_BLOCK].histogram + t % KM_MEAN_BLOCK * curves->n_bins;
    row[bin] -= t > 0;
    row[bin = now]++;
  }
  if (n_points < curves->n_points) /* used is n_points; reserve() has made the place behind it */
    blocks[used / KM_MEAN_BLOCK].histogram[used % KM_MEAN_BLOCK * curves->n_bins + bin]--;
}

/* The last value of the game, where it ends. */
static void add_end(const km_mean_curves *curves, block *blocks, const km_mean_column *columns, size_t last) {
  size_t place = last % KM_MEAN_BLOCK;
  uint64_t *ends = blocks[last / KM_MEAN_BLOCK].words + curves->offset[curves->n_channels], scratch;
  ends[place]++;
  for (size_t c = 0; c < curves->n_channels; c++) {
    unsigned n_limbs = curves->channel[c].n_limbs;
    uint64_t *cell = ends + curves->offset[c] + place * cell_words(curves, c);
    exact_add(cell, cell + n_limbs + 1, value_at(curves, c, columns[c], last, &scratch), n_limbs);
  }
}

km_status km_mean_curves_add(km_mean_curves *curves, size_t stratum, const km_mean_column *columns,
                             size_t n_points, km_err *err) {
  if (stratum >= curves->n_strata || n_points == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: stratum %zu of %zu, %zu places", stratum,
                      curves->n_strata, n_points);
  size_t used = n_points < curves->n_points ? n_points : curves->n_points;
  km_status status = reserve(curves, stratum, used + (used < curves->n_points), err);
  if (status != KM_OK)
    return status;
  block *blocks = curves->blocks + stratum * curves->n_blocks;
  blocks[0].words[0]++;
  for (size_t first = 0; first < used; first += KM_MEAN_BLOCK) {
    size_t last = used - first < KM_MEAN_BLOCK ? used : first + KM_MEAN_BLOCK;
    for (size_t c = 0; c < curves->n_channels; c++)
      add_changes(curves, c, blocks[first / KM_MEAN_BLOCK].words + curves->offset[c], columns[c], first,
                  last);
  }
  if (curves->n_bins > 0)
    add_histogram(curves, blocks, columns[curves->histogram_channel], n_points, used);
  if (used == n_points)
    add_end(curves, blocks, columns, n_points - 1);
  stratum_head *head = &curves->strata[stratum];
  head->n_games++;
  head->length = head->length > used ? head->length : used;
  curves->beyond += n_points - used;
  return KM_OK;
}

/* Places of a stratum that have memory: those of its longest game and the one behind. */
static size_t places_in_use(const km_mean_curves *curves, size_t stratum) {
  size_t length = curves->strata[stratum].length;
  return length == 0 || length == curves->n_points ? length : length + 1;
}

static int same_shape(const km_mean_curves *a, const km_mean_curves *b) {
  int same = a->n_channels == b->n_channels && a->n_strata == b->n_strata && a->n_points == b->n_points &&
             a->n_bins == b->n_bins && a->bins_per_unit == b->bins_per_unit;
  for (size_t c = 0; same && c < a->n_channels; c++)
    same = a->channel[c].n_limbs == b->channel[c].n_limbs && a->is_double[c] == b->is_double[c] &&
           a->channel[c].denominator == b->channel[c].denominator; /* not their padding */
  return same;
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

/* Adds stratum b of from to stratum a of into; memory has been reserved. */
static void merge_stratum(km_mean_curves *into, size_t a, const km_mean_curves *from, size_t b) {
  for (size_t i = 0; i * KM_MEAN_BLOCK < places_in_use(from, b); i++)
    merge_block(into, &into->blocks[a * into->n_blocks + i], &from->blocks[b * from->n_blocks + i]);
  into->strata[a].n_games += from->strata[b].n_games;
  if (into->strata[a].length < from->strata[b].length)
    into->strata[a].length = from->strata[b].length;
}

km_status km_mean_curves_merge(km_mean_curves *into, const km_mean_curves *from, km_err *err) {
  if (!same_shape(into, from))
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves of different shapes cannot be merged");
  for (size_t s = 0; s < into->n_strata; s++) {
    km_status status = reserve(into, s, places_in_use(from, s), err);
    if (status != KM_OK)
      return status;
  }
  for (size_t s = 0; s < into->n_strata; s++)
    merge_stratum(into, s, from, s);
  into->beyond += from->beyond;
  return KM_OK;
}

km_status km_mean_curves_fold(km_mean_curves *curves, size_t into, size_t from, km_err *err) {
  if (into >= curves->n_strata || from >= curves->n_strata || into == from)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: stratum %zu into %zu of %zu", from, into,
                      curves->n_strata);
  km_status status = reserve(curves, into, places_in_use(curves, from), err);
  if (status == KM_OK)
    merge_stratum(curves, into, curves, from);
  return status;
}

size_t km_mean_curves_need(const km_mean_options *options, size_t length) {
  km_mean_curves shape = {0};
  if (check_options(options, NULL) != KM_OK)
    return 0;
  lay_out(&shape, options);
  size_t used = length < options->n_points ? length + 1 : options->n_points;
  return (used + KM_MEAN_BLOCK - 1) / KM_MEAN_BLOCK * shape.block_bytes;
}

uint64_t km_mean_curves_games(const km_mean_curves *curves, size_t stratum) {
  return curves->strata[stratum].n_games;
}
size_t km_mean_curves_length(const km_mean_curves *curves, size_t stratum) {
  return curves->strata[stratum].length;
}
uint64_t km_mean_curves_beyond(const km_mean_curves *curves) {
  return curves->beyond;
}
size_t km_mean_curves_bytes(const km_mean_curves *curves) {
  return curves->bytes;
}

/* Adds the cell at a place of one half of its block to sum, or takes it away. */
static void add_cell(const km_mean_curves *curves, size_t channel, const uint64_t *half, size_t place,
                     km_exact_sum *sum) {
  mp_size_t n_limbs = (mp_size_t)sum->n_limbs;
  const uint64_t *cell = half + curves->offset[channel] + place * cell_words(curves, channel);
  sum->n += half[place];
  mpn_add_n(sum->sum, sum->sum, cell, n_limbs + 1);
  mpn_add_n(sum->square, sum->square, cell + n_limbs + 1, 2 * n_limbs + 1);
}
static void take_cell(const km_mean_curves *curves, size_t channel, const uint64_t *half, size_t place,
                      km_exact_sum *sum) {
  mp_size_t n_limbs = (mp_size_t)sum->n_limbs;
  const uint64_t *cell = half + curves->offset[channel] + place * cell_words(curves, channel);
  sum->n -= half[place];
  mpn_sub_n(sum->sum, sum->sum, cell, n_limbs + 1);
  mpn_sub_n(sum->square, sum->square, cell + n_limbs + 1, 2 * n_limbs + 1);
}

void km_mean_curves_read(const km_mean_curves *curves, size_t stratum, size_t channel, km_mean_ends ends,
                         km_exact_sum *out) {
  km_exact_sum running;
  km_exact_sum_init(&running, curves->channel[channel].n_limbs, curves->channel[channel].denominator);
  for (size_t t = 0; t < curves->strata[stratum].length; t++) {
    const uint64_t *words = curves->blocks[stratum * curves->n_blocks + t / KM_MEAN_BLOCK].words;
    add_cell(curves, channel, words, t % KM_MEAN_BLOCK, &running);
    out[t] = running;
    if (ends == KM_MEAN_DROP)
      take_cell(curves, channel, words + curves->offset[curves->n_channels], t % KM_MEAN_BLOCK, &running);
  }
}

/* The middle of the bin that holds the value of a rank ≥ 1. */
static double value_of_rank(const km_mean_curves *curves, const uint32_t *count, uint64_t rank) {
  size_t bin = 0;
  for (uint64_t seen = count[0]; seen < rank; seen += count[bin])
    bin++;
  if (bin == 0)
    return 0;
  return bin + 1 < curves->n_bins ? ((double)bin - 0.5) / curves->bins_per_unit : curves->histogram_max;
}

km_status km_mean_curves_quantiles(const km_mean_curves *curves, size_t stratum, uint32_t num, uint32_t den,
                                   double *out, km_err *err) {
  if (curves->n_bins == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "these mean curves keep no histogram");
  uint32_t *count = calloc(curves->n_bins, sizeof *count);
  if (count == NULL)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a histogram");
  uint64_t n = 0;
  for (size_t t = 0; t < curves->strata[stratum].length; t++) {
    const block *from = &curves->blocks[stratum * curves->n_blocks + t / KM_MEAN_BLOCK];
    size_t place = t % KM_MEAN_BLOCK;
    for (size_t bin = 0; bin < curves->n_bins; bin++)
      count[bin] += from->histogram[place * curves->n_bins + bin];
    n += from->words[place];
    uint64_t rank = (uint64_t)(((unsigned __int128)n * num + den - 1) / den);
    out[t] = value_of_rank(curves, count, rank > 0 ? rank : 1);
    n -= from->words[curves->offset[curves->n_channels] + place]; /* those that end here */
  }
  free(count);
  return KM_OK;
}
