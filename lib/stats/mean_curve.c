/* mean_curve.c: exact mean curves, in blocks of memory.
 *
 * Of a channel of steps, not the sums at a place are kept but how they differ from the place before: a game
 * adds x(t) − x(t−1) and x(t)² − x(t−1)² where x changes, and nothing elsewhere; a running sum over the
 * places gives the curve back. Of spikes the sums are kept as they are: zeros add nothing. All of it is exact
 * modulo 2^64 to the number of words (mean_cells.h). A block has KM_MEAN_BLOCK places of one stratum:
 *
 *     values:    channel 0: cell[64] | channel 1: cell[64] | …         changes of steps, or spikes
 *     ends:      place 0: n, cell of channel 0, cell of channel 1, … | place 1: …   last values of games that
 * end there histogram: u32 [64][bins]                                        changes too
 *
 * with a cell of Σ and Σ², as wide as 2^36 games can make them. With V the running sums of changes, or the
 * spikes, and E the running sums of ends: steps have hold(t) = V(t) and drop(t) = V(t) − E(t−1); spikes have
 * drop(t) = V(t) and hold(t) = V(t) + E(t−1). Of changes V is put together (mean_changes.h). */
#include "kifumill/mean_curve.h"

#include <stdlib.h>
#include <string.h>

#include "mean_changes.h"

typedef struct stratum_head {
  uint64_t n_games;
  size_t length;
} stratum_head;

struct km_mean_curves {
  km_mean_channel channel[KM_MEAN_CHANNELS_MAX]; /* doubles: n_limbs 1 over 2^52 */
  mean_width width[KM_MEAN_CHANNELS_MAX];
  size_t offset[KM_MEAN_CHANNELS_MAX +
                1]; /* of a channel's cells in a block's values; the last is their words */
  size_t n_channels, n_strata, n_points, n_blocks; /* n_blocks of one stratum */
  size_t bytes, max_bytes, block_bytes;
  size_t n_bins; /* 0 without histogram */
  size_t histogram_channel;
  unsigned histogram_max, bins_per_unit;
  uint64_t beyond;
  stratum_head *strata;
  mean_block *blocks; /* [n_strata][n_blocks] */
};

enum { AHEAD = 8 }; /* games whose columns are on their way from memory */

static const uint64_t games_max = (UINT64_C(1) << COUNT_BITS) - 1;

static size_t cell_words(const km_mean_curves *curves, size_t channel) {
  return mean_cell_words(curves->width[channel]);
}
/* Words of a block's values, and of what follows: a record of ends a place. */
static size_t value_words(const km_mean_curves *curves) {
  return curves->offset[curves->n_channels];
}
static size_t end_words(const km_mean_curves *curves) {
  return 1 + value_words(curves) / KM_MEAN_BLOCK;
}
static size_t block_words(const km_mean_curves *curves) {
  return value_words(curves) + KM_MEAN_BLOCK * end_words(curves);
}
static mean_block *blocks_of(const km_mean_curves *curves, size_t stratum) {
  return curves->blocks + stratum * curves->n_blocks;
}
/* The record of ends of a place: n, then the cells; and a channel's cell in it. */
static uint64_t *ends_at(const km_mean_curves *curves, const mean_block *blocks, size_t place) {
  return blocks[place / KM_MEAN_BLOCK].words + value_words(curves) +
         place % KM_MEAN_BLOCK * end_words(curves);
}
static size_t end_offset(const km_mean_curves *curves, size_t channel) {
  return 1 + curves->offset[channel] / KM_MEAN_BLOCK;
}

/* Number of the steps whose changes a channel is; its own, if it is none. */
static size_t steps_of(const km_mean_channel *channels, size_t c) {
  return channels[c].kind == KM_MEAN_CHANGES2  ? channels[channels[c].of].of
         : channels[c].kind == KM_MEAN_CHANGES ? channels[c].of
                                               : c;
}

/* Whether channel c, if it is of changes, is so of a channel before it that has them. */
static int fits_steps(const km_mean_channel *channels, size_t c) {
  const km_mean_channel *x = &channels[c], *of = &channels[x->of < c ? x->of : c];
  if (x->kind < KM_MEAN_CHANGES)
    return 1;
  return of->kind == (x->kind == KM_MEAN_CHANGES ? KM_MEAN_STEPS : KM_MEAN_CHANGES) && of != x &&
         of->n_limbs > 0 && of->n_limbs == x->n_limbs && of->denominator == x->denominator;
}

static km_status check_options(const km_mean_options *o, km_err *err) {
  if (o->n_channels < 1 || o->n_channels > KM_MEAN_CHANNELS_MAX || o->n_strata < 1 || o->n_points < 1)
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves need 1 to %d channels, a stratum and a place",
                      KM_MEAN_CHANNELS_MAX);
  for (size_t i = 0; i < o->n_channels; i++)
    if (o->channels[i].n_limbs > KM_EXACT_LIMBS_MAX ||
        (o->channels[i].n_limbs > 0 && o->channels[i].denominator == 0) ||
        (o->channels[i].bits > 0 && o->channels[i].bits >= 64 * o->channels[i].n_limbs))
      return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: channel %zu has %u limbs, %u bits over %llu", i,
                        o->channels[i].n_limbs, o->channels[i].bits,
                        (unsigned long long)o->channels[i].denominator);
  for (size_t i = 0; i < o->n_channels; i++)
    if (!fits_steps(o->channels, i))
      return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: channel %zu is of no changes of channel %zu", i,
                        o->channels[i].of);
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
  size_t offset = 0;
  curves->n_channels = o->n_channels;
  for (size_t i = 0; i < o->n_channels; i++) {
    curves->width[i] = mean_width_of(&o->channels[i]);
    curves->channel[i] = o->channels[i];
    if (curves->width[i].is_double) {
      curves->channel[i].n_limbs = 1;
      curves->channel[i].denominator = KM_EXACT_DOUBLE_DENOMINATOR;
    }
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
  curves->block_bytes =
      block_words(curves) * sizeof(uint64_t) + KM_MEAN_BLOCK * curves->n_bins * sizeof(uint32_t);
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
  mean_block *blocks = blocks_of(curves, stratum);
  for (size_t b = 0; b * KM_MEAN_BLOCK < n_points; b++) {
    if (blocks[b].words != NULL)
      continue;
    if (curves->block_bytes > curves->max_bytes - curves->bytes)
      return km_err_set(err, KM_ERR_LIMIT, 0, "mean curves need more than %zu bytes", curves->max_bytes);
    mean_block fresh = {calloc(block_words(curves), sizeof(uint64_t)), NULL};
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

/* ---- adding games
 * ----------------------------------------------------------------------------------------------- */

static size_t used_places(const km_mean_curves *curves, const km_mean_game *game) {
  return game->n_points < curves->n_points ? game->n_points : curves->n_points;
}

/* Adds one channel of a game to its stratum: its values, and the last one where it ends. Nothing is asked of
 * what is behind the last place of all. */
static void add_channel(km_mean_curves *curves, size_t stratum, size_t channel, const km_mean_game *game) {
  size_t used = used_places(curves, game);
  mean_block *blocks = blocks_of(curves, stratum);
  mean_cells cells = {blocks, curves->offset[channel]};
  km_mean_kind kind = curves->channel[channel].kind;
  mean_source source =
      mean_source_of(curves->width[channel], &game->columns[steps_of(curves->channel, channel)], used);
  uint64_t *end = game->n_points < curves->n_points
                      ? ends_at(curves, blocks, used - 1) + end_offset(curves, channel)
                      : NULL;
  if (kind < KM_MEAN_CHANGES) {
    mean_source_add(source, cells);
    if (end)
      mean_source_add_end(source, end, used - 1);
    return;
  }
  if (kind == KM_MEAN_CHANGES)
    mean_changes_add(source, cells);
  else
    mean_changes2_add(source, cells);
  if (end)
    mean_changes_add_end(source, end, used - 1, kind == KM_MEAN_CHANGES ? 1 : 2);
}

/* 0 → 0; (0, max) → 1 + ⌊x·bins⌋; from max on, the last. */
static size_t bin_of(const km_mean_curves *curves, double x) {
  if (!(x > 0))
    return 0;
  return x < curves->histogram_max ? 1 + (size_t)(x * curves->bins_per_unit) : curves->n_bins - 1;
}

/* A count of a histogram, by its place and bin. */
static inline uint32_t *count_at(const km_mean_curves *curves, mean_block *blocks, size_t place, size_t bin) {
  return blocks[place / KM_MEAN_BLOCK].histogram + place % KM_MEAN_BLOCK * curves->n_bins + bin;
}

/* A value is counted where it comes up, and discounted where it changes or behind the last place. First it is
 * found out where, so that the memory of many changes is on its way at once. */
static void add_histogram(km_mean_curves *curves, size_t stratum, const km_mean_game *game) {
  enum { AT_ONCE = 64 };
  const km_mean_column *column = &game->columns[curves->histogram_channel];
  size_t used = used_places(curves, game);
  mean_source source = mean_source_of(curves->width[curves->histogram_channel], column, used);
  mean_block *blocks = blocks_of(curves, stratum);
  const double *value = column->values;
  size_t bin = bin_of(curves, value[0]);
  ++*count_at(curves, blocks, 0, bin);
  for (size_t i = 1; i < source.n;) {
    uint32_t *less[AT_ONCE + 1], *more[AT_ONCE + 1];
    size_t n = 0;
    for (size_t end = source.n - i < AT_ONCE ? source.n : i + AT_ONCE; i < end; i++) {
      size_t now = bin_of(curves, value[i]), t = column->places[i];
      less[n] = count_at(curves, blocks, t, bin);
      more[n] = count_at(curves, blocks, t, now);
      __builtin_prefetch(more[n], 1);
      n += now != bin;
      bin = now;
    }
    for (size_t k = 0; k < n; k++) {
      --*less[k];
      ++*more[k];
    }
  }
  if (game->n_points < curves->n_points) /* used is n_points; reserve() has made the place behind it */
    --*count_at(curves, blocks, used, bin);
}

/* That a game is in the stratum, and where it ends. */
static void count_game(km_mean_curves *curves, size_t stratum, const km_mean_game *game) {
  size_t used = used_places(curves, game);
  stratum_head *head = &curves->strata[stratum];
  head->n_games++;
  head->length = head->length > used ? head->length : used;
  curves->beyond += game->n_points - used;
  if (game->n_points < curves->n_points)
    ++*ends_at(curves, blocks_of(curves, stratum), used - 1);
}

static int same_channel(const km_mean_curves *a, const km_mean_curves *b, size_t c) {
  const km_mean_channel *x = &a->channel[c], *y = &b->channel[c];
  return a->width[c].is_double == b->width[c].is_double && x->n_limbs == y->n_limbs &&
         x->denominator == y->denominator && x->bits == y->bits && x->kind == y->kind &&
         x->of == y->of; /* not their padding */
}

static km_status check_sets(km_mean_curves *const *sets, size_t n_sets, km_err *err) {
  for (size_t i = 1; i < n_sets; i++) {
    int fits = sets[i]->n_channels <= sets[0]->n_channels && sets[i]->n_points == sets[0]->n_points;
    for (size_t c = 0; fits && c < sets[i]->n_channels; c++)
      fits = same_channel(sets[i], sets[0], c);
    if (!fits)
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "mean curves: the channels of set %zu are not those of the first", i);
  }
  return KM_OK;
}

/* Whether a set can take the games, its number i-th of theirs; memory is made for them. */
static km_status prepare(km_mean_curves *curves, size_t i, const km_mean_game *games, size_t n_games,
                         km_err *err) {
  km_status status = KM_OK;
  for (size_t g = 0; g < n_games && status == KM_OK; g++) {
    size_t stratum = games[g].strata[i], used = used_places(curves, &games[g]);
    if (stratum >= curves->n_strata || used == 0)
      return km_err_set(err, KM_ERR_USAGE, 0, "mean curves: stratum %zu of %zu, %zu places", stratum,
                        curves->n_strata, games[g].n_points);
    if (n_games > games_max - curves->strata[stratum].n_games)
      return km_err_set(err, KM_ERR_LIMIT, 0, "mean curves take %llu games", (unsigned long long)games_max);
    status = reserve(curves, stratum, used + (used < curves->n_points), err);
  }
  return status;
}

km_status km_mean_curves_add(km_mean_curves *const *sets, size_t n_sets, const km_mean_game *games,
                             size_t n_games, km_err *err) {
  km_status status = check_sets(sets, n_sets, err);
  for (size_t i = 0; i < n_sets && status == KM_OK; i++)
    status = prepare(sets[i], i, games, n_games, err);
  for (size_t i = 0; i < n_sets && status == KM_OK; i++)
    for (size_t c = 0; c < sets[i]->n_channels; c++)
      for (size_t g = 0; g < n_games; g++) {
        if (g + AHEAD < n_games)
          __builtin_prefetch(&games[g + AHEAD].columns[c]);
        add_channel(sets[i], games[g].strata[i], c, &games[g]);
      }
  for (size_t i = 0; i < n_sets && status == KM_OK; i++)
    for (size_t g = 0; g < n_games; g++) {
      count_game(sets[i], games[g].strata[i], &games[g]);
      if (sets[i]->n_bins > 0)
        add_histogram(sets[i], games[g].strata[i], &games[g]);
    }
  return status;
}

/* ---- sets together
 * ----------------------------------------------------------------------------------------------- */

/* Places of a stratum that have memory: those of its longest game and the one behind. */
static size_t places_in_use(const km_mean_curves *curves, size_t stratum) {
  size_t length = curves->strata[stratum].length;
  return length == 0 || length == curves->n_points ? length : length + 1;
}

static int same_shape(const km_mean_curves *a, const km_mean_curves *b) {
  int same = a->n_channels == b->n_channels && a->n_strata == b->n_strata && a->n_points == b->n_points &&
             a->n_bins == b->n_bins && a->bins_per_unit == b->bins_per_unit;
  for (size_t c = 0; same && c < a->n_channels; c++)
    same = same_channel(a, b, c);
  return same;
}

/* to += add, a cell. */
static void add_cell(uint64_t *to, const uint64_t *add, mean_width width) {
  mpn_add_n(to, to, add, width.sum);
  mpn_add_n(to + width.sum, to + width.sum, add + width.sum, width.square);
}
static void take_cell(uint64_t *from, const uint64_t *what, mean_width width) {
  mpn_sub_n(from, from, what, width.sum);
  mpn_sub_n(from + width.sum, from + width.sum, what + width.sum, width.square);
}

static void merge_block(const km_mean_curves *curves, mean_block *into, const mean_block *from) {
  for (size_t place = 0; place < KM_MEAN_BLOCK; place++) {
    uint64_t *to = ends_at(curves, into, place);
    const uint64_t *add = ends_at(curves, from, place);
    to[0] += add[0];
    for (size_t c = 0; c < curves->n_channels; c++) {
      size_t at = curves->offset[c] + place * cell_words(curves, c), end = end_offset(curves, c);
      add_cell(into->words + at, from->words + at, curves->width[c]);
      add_cell(to + end, add + end, curves->width[c]);
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

/* Makes memory for stratum b of from in stratum a of into. */
static km_status reserve_merge(km_mean_curves *into, size_t a, const km_mean_curves *from, size_t b,
                               km_err *err) {
  if (from->strata[b].n_games > games_max - into->strata[a].n_games)
    return km_err_set(err, KM_ERR_LIMIT, 0, "mean curves take %llu games", (unsigned long long)games_max);
  return reserve(into, a, places_in_use(from, b), err);
}

km_status km_mean_curves_merge(km_mean_curves *into, const km_mean_curves *from, km_err *err) {
  if (!same_shape(into, from))
    return km_err_set(err, KM_ERR_USAGE, 0, "mean curves of different shapes cannot be merged");
  for (size_t s = 0; s < into->n_strata; s++) {
    km_status status = reserve_merge(into, s, from, s, err);
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
  km_status status = reserve_merge(curves, into, curves, from, err);
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

/* ---- reading
 * ----------------------------------------------------------------------------------------------- */

/* Σ and Σ² in the words of an exact sum, which may be more or (all but sign and zeros) fewer. */
static void fill_sum(km_exact_sum *sum, const uint64_t *cell, mean_width width) {
  uint64_t sign = 0 - (cell[width.sum - 1] >> 63);
  for (size_t i = 0; i < sum->n_limbs + 1; i++)
    sum->sum[i] = i < width.sum ? cell[i] : sign;
  for (size_t i = 0; i < 2 * sum->n_limbs + 1; i++)
    sum->square[i] = i < width.square ? cell[width.sum + i] : 0;
}

/* to += from, a cell of fewer words, or as many. */
static void add_part(uint64_t *to, mean_width width, const uint64_t *from, mean_width of_from) {
  uint64_t wide[SUM_WORDS_MAX + SQUARE_WORDS_MAX] = {0}, high = 0 - (from[of_from.sum - 1] >> 63);
  for (size_t i = 0; i < width.sum; i++)
    wide[i] = i < of_from.sum ? from[i] : high;
  for (size_t i = 0; i < width.square && i < of_from.square; i++)
    wide[width.sum + i] = from[of_from.sum + i];
  add_cell(to, wide, width);
}

/* The cell of a place and channel of spikes, of which changes are put together: with C(t) = Σ d(t) in the
 * cells of the steps, Q = Σ d² and X = Σ d(t)·d(t−1) in their own, and E what ends at a place, the first ones
 * are C(t), Q(t); the second ones C(t) − C(t−1) + E(t−1), Q(t) + Q(t−1) − E(t−1) − 2·X(t), since games
 * without place t are in t−1. */
static void read_spikes(uint64_t *to, const km_mean_curves *curves, size_t stratum, size_t channel,
                        size_t t) {
  const km_mean_channel *shape = &curves->channel[channel];
  mean_block *blocks = blocks_of(curves, stratum);
  mean_width width = curves->width[channel];
  const uint64_t *own = mean_cell((mean_cells){blocks, curves->offset[channel]}, width, t);
  memset(to, 0, mean_cell_words(width) * sizeof *to);
  if (shape->kind == KM_MEAN_SPIKES)
    add_cell(to, own, width);
  if (shape->kind == KM_MEAN_CHANGES && t >= 1) {
    size_t steps = shape->of;
    const uint64_t *change = mean_cell((mean_cells){blocks, curves->offset[steps]}, curves->width[steps], t);
    add_part(to, width, change, curves->width[steps]);
    memcpy(to + width.sum, own + width.sum, width.square * sizeof *to);
  }
  if (shape->kind == KM_MEAN_CHANGES2 && t >= 2) {
    mean_width of_first = curves->width[shape->of];
    uint64_t before[SUM_WORDS_MAX + SQUARE_WORDS_MAX], now[SUM_WORDS_MAX + SQUARE_WORDS_MAX];
    read_spikes(now, curves, stratum, shape->of, t);
    read_spikes(before, curves, stratum, shape->of, t - 1);
    take_cell(before, ends_at(curves, blocks, t - 1) + end_offset(curves, shape->of), of_first);
    add_part(to, width, now, of_first);
    mpn_neg(before, before, of_first.sum);
    add_part(to, width, before, of_first);
    mpn_sub_n(to + width.sum, to + width.sum, own + width.sum, width.square);
    mpn_sub_n(to + width.sum, to + width.sum, own + width.sum, width.square);
  }
}

void km_mean_curves_read(const km_mean_curves *curves, size_t stratum, size_t channel, km_mean_ends ends,
                         km_exact_sum *out) {
  const km_mean_channel *shape = &curves->channel[channel];
  mean_width width = curves->width[channel];
  const mean_block *blocks = blocks_of(curves, stratum);
  mean_cells cells = {blocks_of(curves, stratum), curves->offset[channel]};
  uint64_t n = curves->strata[stratum].n_games, running[SUM_WORDS_MAX + SQUARE_WORDS_MAX] = {0};
  for (size_t t = 0; t < curves->strata[stratum].length; t++) {
    const uint64_t *games = ends_at(curves, blocks, t);
    const uint64_t *end = games + end_offset(curves, channel);
    km_exact_sum_init(&out[t], shape->n_limbs, shape->denominator);
    out[t].n = n;
    if (width.is_spikes) {
      uint64_t here[SUM_WORDS_MAX + SQUARE_WORDS_MAX];
      read_spikes(here, curves, stratum, channel, t);
      add_cell(here, running, width); /* of ends */
      fill_sum(&out[t], here, width);
      if (ends == KM_MEAN_HOLD)
        add_cell(running, end, width);
    } else {
      add_cell(running, mean_cell(cells, width, t), width);
      fill_sum(&out[t], running, width);
      if (ends == KM_MEAN_DROP)
        take_cell(running, end, width);
    }
    if (ends == KM_MEAN_DROP)
      n -= games[0];
  }
}

/* A rank's bin as places go by, and how many values are in those before it. */
typedef struct rank_bin {
  size_t bin;
  uint64_t below;
} rank_bin;

/* to[i] += add[i], i < n; what is added in all. */
static uint32_t add_counts(uint32_t *restrict to, const uint32_t *restrict add, size_t n) {
  uint32_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    to[i] += add[i];
    sum += add[i];
  }
  return sum;
}

/* The histogram of the next place, and what that does to ranks, of which bins rise. */
static void next_place(uint32_t *count, const uint32_t *change, size_t n_bins, rank_bin *ranks,
                       size_t n_ranks) {
  size_t done = 0;
  uint32_t sum = 0;
  for (size_t k = 0; k < n_ranks; k++) {
    sum += add_counts(count + done, change + done, ranks[k].bin - done);
    done = ranks[k].bin;
    ranks[k].below = (uint32_t)(ranks[k].below + sum); /* modulo 2^32, as counts are */
  }
  add_counts(count + done, change + done, n_bins - done);
}

/* Moves to the bin that holds the value of a rank ≥ 1, and gives its middle. */
static double value_of_rank(const km_mean_curves *curves, const uint32_t *count, rank_bin *at,
                            uint64_t rank) {
  while (at->below >= rank)
    at->below -= count[--at->bin];
  while (at->below + count[at->bin] < rank)
    at->below += count[at->bin++];
  if (at->bin == 0)
    return 0;
  return at->bin + 1 < curves->n_bins ? ((double)at->bin - 0.5) / curves->bins_per_unit
                                      : curves->histogram_max;
}

km_status km_mean_curves_quantiles(const km_mean_curves *curves, size_t stratum, const uint32_t *nums,
                                   size_t n_nums, uint32_t den, double *const *out, km_err *err) {
  if (curves->n_bins == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "these mean curves keep no histogram");
  uint32_t *count = calloc(curves->n_bins, sizeof *count);
  rank_bin *ranks = calloc(n_nums + 1, sizeof *ranks);
  if (count == NULL || ranks == NULL) {
    free(count);
    free(ranks);
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a histogram");
  }
  uint64_t n = curves->strata[stratum].n_games;
  mean_block *blocks = blocks_of(curves, stratum);
  for (size_t t = 0; t < curves->strata[stratum].length; t++) {
    next_place(count, count_at(curves, blocks, t, 0), curves->n_bins, ranks, n_nums);
    for (size_t k = 0; k < n_nums; k++) {
      uint64_t rank = (uint64_t)(((unsigned __int128)n * nums[k] + den - 1) / den);
      out[k][t] = value_of_rank(curves, count, &ranks[k], rank > 0 ? rank : 1);
    }
    n -= ends_at(curves, blocks, t)[0];
  }
  free(count);
  free(ranks);
  return KM_OK;
}
