/* hbs_mean.c: /mean of hbs.h5: one row of /mean/curve a curve and quantity, and its places in /mean/value.
 *
 *     i = row with colour, size, by_fraction, by, stratum, quantity and layer wanted
 *     rows first_row[i] … first_row[i] + n_rows[i] - 1 of /mean/value are places first_place[i],
 * first_place[i] + 1, …
 *
 * A place is a number of moves played, or of fractions of the game. n games have a value there; Σ and Σ² of
 * those values times the denominator are exact, in two's complement limbs, least significant first; mean,
 * deviation and error are correctly rounded from them. The logarithm also has quartiles. */
#include "hbs_mean.h"

#include "kifumill/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_LIMBS = KM_EXACT_LIMBS_MAX + 1, SQUARE_LIMBS = 2 * KM_EXACT_LIMBS_MAX + 1, CHUNK_ROWS = 4096 };

/* ---- lines
 * ------------------------------------------------------------------------------------------------------- */

void km_mean_room_clear(km_mean_room *room) {
  free(room->sums);
  free(room->quartiles);
  *room = (km_mean_room){0};
}

static km_status reserve(km_mean_room *room, size_t n, km_err *err) {
  if (n <= room->capacity)
    return KM_OK;
  km_mean_room_clear(room);
  room->sums = malloc(n * sizeof *room->sums);
  room->quartiles = malloc(3 * n * sizeof *room->quartiles);
  room->capacity = n;
  if (room->sums && room->quartiles)
    return KM_OK;
  km_mean_room_clear(room);
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", n);
}

km_status km_mean_line_read(km_mean_line *line, km_mean_room *room, const km_curve *curve,
                            const km_channel *channel, km_mean_ends ends, km_err *err) {
  size_t length = km_mean_curves_length(curve->curves, curve->stratum), skip = channel->first_place;
  km_channel channels[KM_MEAN_CHANNELS_MAX];
  size_t n = km_curve_channels(curve->set->plan, curve->by, curve->by_fraction, channels), number = 0;
  *line = (km_mean_line){.curve = curve, .channel = *channel, .n = length > skip ? length - skip : 0};
  while (number + 1 < n &&
         (channels[number].quantity != channel->quantity || channels[number].layer != channel->layer))
    number++;
  km_status status = reserve(room, length, err);
  if (status != KM_OK)
    return status;
  km_mean_curves_read(curve->curves, curve->stratum, number, ends, room->sums);
  line->sums = room->sums + skip;
  if (channel->quantity != KM_OF_LOG2 || ends != KM_MEAN_DROP)
    return KM_OK;
  double **quartile[] = {&line->q1, &line->median, &line->q3};
  for (uint32_t i = 0; i < 3 && status == KM_OK; i++) {
    *quartile[i] = room->quartiles + i * length;
    status = km_mean_curves_quantiles(curve->curves, curve->stratum, i + 1, 4, *quartile[i], err);
  }
  return status;
}

km_status km_curve_name(const km_curve *curve, const km_games *games, char name[KM_STRATUM_NAME],
                        km_err *err) {
  const km_curve_plan *plan = curve->set->plan;
  if (curve->by != KM_BY_RESULT)
    return km_strata_name(plan->strata, (km_strata_of){curve->by, plan->size, plan->colour},
                          (unsigned)curve->stratum, games, name, err);
  strcpy(name, km_result_name((unsigned)curve->stratum));
  return KM_OK;
}

/* ---- columns
 * ----------------------------------------------------------------------------------------------------- */

/* A row of /mean/curve. */
typedef struct curve_row {
  uint8_t colour, size, by_fraction, by, quantity, layer;
  uint32_t stratum, first_place, n_rows;
  uint64_t n_games, denominator, first_row;
} curve_row;

#define FIELD(field, kind, text)                                                                             \
  { {.name = "/mean/curve/" #field, .type = kind, .doc = text}, offsetof(curve_row, field) }
static const struct {
  km_column column;
  size_t at;
} curve_fields[] = {
    FIELD(colour, KM_U8, "whose stones are counted: 1 black, 2 white"),
    FIELD(size, KM_U8, "side of the board"),
    FIELD(by_fraction, KM_U8, "0: a place is a number of moves; 1: a fraction of the game"),
    FIELD(by, KM_U8, "kind of stratum, an index into the attribute kinds of /mean"),
    FIELD(stratum, KM_U32, "its name, a string of /mean/text"),
    FIELD(quantity, KM_U8, "an index into the attribute quantities of /mean"),
    FIELD(layer, KM_U8, "side of the layer; 0 for quantities of the whole board"),
    FIELD(n_games, KM_U64, "games of the stratum"),
    FIELD(denominator, KM_U64, "sums are of the values times this, squares times its square"),
    FIELD(first_place, KM_U32, "place of the first row"),
    FIELD(first_row, KM_U64, "first row in /mean/value"),
    FIELD(n_rows, KM_U32, "rows in /mean/value"),
};
#undef FIELD
enum { N_CURVE_FIELDS = sizeof curve_fields / sizeof *curve_fields };

static const km_column value_columns[] = {
    {.name = "n", .type = KM_U64, .doc = "games that have a value at the place"},
    {.name = "sum",
     .type = KM_U64,
     .inner_rank = 1,
     .inner = {SUM_LIMBS},
     .doc = "sum of the values, limbs of 64 bits"},
    {.name = "square",
     .type = KM_U64,
     .inner_rank = 1,
     .inner = {SQUARE_LIMBS},
     .doc = "sum of their squares, limbs of 64 bits"},
    {.name = "mean", .type = KM_F64, .doc = "mean"},
    {.name = "deviation", .type = KM_F64, .doc = "standard deviation of the sample; NaN for one game"},
    {.name = "error", .type = KM_F64, .doc = "standard error of the mean; NaN for one game"},
    {.name = "q1", .type = KM_F64, .doc = "lower quartile; NaN where none is kept"},
    {.name = "median", .type = KM_F64, .doc = "median; NaN where none is kept"},
    {.name = "q3", .type = KM_F64, .doc = "upper quartile; NaN where none is kept"},
};
enum { N_VALUE_COLUMNS = sizeof value_columns / sizeof *value_columns };

static const km_column heap_column = {
    .name = "/mean/text/heap", .type = KM_U8, .doc = "names of strata one behind the other, UTF-8"};
static const km_column name_column = {
    .name = "/mean/text/offset", .type = KM_U64, .doc = "name k is heap[offset[k]:offset[k+1]]"};

/* What is gathered while the values are written. */
typedef struct mean_job {
  km_h5 *file;
  km_table_schema schema;
  km_table_writer *table;
  km_block *block;
  curve_row *rows;
  size_t n_rows, room;
  char *heap;
  uint64_t *names;
  size_t n_names, heap_bytes;
  uint64_t n_values;
  km_mean_ends ends;
} mean_job;

/* Two's complement into more limbs. */
static void widen(uint64_t *to, size_t n_to, const uint64_t *from, size_t n_from) {
  uint64_t sign = from[n_from - 1] >> 63 ? UINT64_MAX : 0;
  for (size_t i = 0; i < n_to; i++)
    to[i] = i < n_from ? from[i] : sign;
}

static void fill_values(mean_job *job, const km_mean_line *line) {
  void *at[N_VALUE_COLUMNS];
  for (size_t c = 0; c < N_VALUE_COLUMNS; c++)
    at[c] = km_block_rows(job->block, c);
  uint64_t *count = at[0], *sum = at[1], *square = at[2];
  for (size_t i = 0; i < line->n; i++) {
    const km_exact_sum *s = &line->sums[i];
    km_exact_moments moments = km_exact_sum_moments(s);
    const double *quartiles[] = {line->q1, line->median, line->q3};
    count[i] = s->n;
    widen(sum + i * SUM_LIMBS, SUM_LIMBS, s->sum, s->n_limbs + 1);
    widen(square + i * SQUARE_LIMBS, SQUARE_LIMBS, s->square, 2 * s->n_limbs + 1);
    ((double *)at[3])[i] = moments.mean;
    ((double *)at[4])[i] = moments.deviation;
    ((double *)at[5])[i] = moments.error;
    for (size_t q = 0; q < 3; q++)
      ((double *)at[6 + q])[i] = quartiles[q] ? quartiles[q][i] : (double)NAN;
  }
}

static km_status put_line(mean_job *job, const km_mean_line *line, km_err *err) {
  km_block_reset(job->block, job->n_values);
  km_status status = km_block_extend(job->block, line->n, err);
  if (status != KM_OK)
    return status;
  fill_values(job, line);
  if (job->n_rows == job->room) {
    size_t room = job->room ? 2 * job->room : 256;
    curve_row *larger = realloc(job->rows, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu curves", room);
    job->rows = larger;
    job->room = room;
  }
  const km_curve *curve = line->curve;
  const km_curve_plan *plan = curve->set->plan;
  int of_layer = line->channel.quantity == KM_OF_LAYER || line->channel.quantity == KM_OF_LOG2_LAYER;
  job->rows[job->n_rows++] =
      (curve_row){.colour = plan->colour,
                  .size = plan->size,
                  .by_fraction = (uint8_t)curve->by_fraction,
                  .by = (uint8_t)curve->by,
                  .quantity = (uint8_t)line->channel.quantity,
                  .layer = (uint8_t)(of_layer ? km_hbs_layer_size(plan->size, line->channel.layer) : 0),
                  .stratum = (uint32_t)job->n_names - 1,
                  .first_place = line->channel.first_place,
                  .n_rows = (uint32_t)line->n,
                  .n_games = km_mean_curves_games(curve->curves, curve->stratum),
                  .denominator = line->n ? line->sums[0].denominator : 1,
                  .first_row = job->n_values};
  job->n_values += line->n;
  status = km_block_pack(job->block, err);
  return status == KM_OK ? km_table_writer_append(job->table, job->block, err) : status;
}

static km_status add_name(mean_job *job, const char *name, km_err *err) {
  size_t n = strlen(name);
  char *heap = realloc(job->heap, job->heap_bytes + n + 1);
  if (heap)
    job->heap = heap;
  uint64_t *names = realloc(job->names, (job->n_names + 2) * sizeof *names);
  if (names)
    job->names = names;
  if (!heap || !names)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for names of strata");
  memcpy(heap + job->heap_bytes, name, n);
  names[job->n_names++] = job->heap_bytes;
  names[job->n_names] = job->heap_bytes += n;
  return KM_OK;
}

static km_status put_set(mean_job *job, const km_curve_set *set, const km_games *games, km_mean_room *room,
                         km_err *err) {
  km_curve curve = {0};
  km_status status = KM_OK;
  while (status == KM_OK && km_curve_next(set, &curve)) {
    km_channel channels[KM_MEAN_CHANNELS_MAX];
    char name[KM_STRATUM_NAME];
    size_t n = km_curve_channels(set->plan, curve.by, curve.by_fraction, channels);
    status = km_curve_name(&curve, games, name, err);
    if (status == KM_OK)
      status = add_name(job, name, err);
    for (size_t i = 0; i < n && status == KM_OK; i++) {
      km_mean_line line;
      status = km_mean_line_read(&line, room, &curve, &channels[i], job->ends, err);
      if (status == KM_OK)
        status = put_line(job, &line, err);
    }
  }
  return status;
}

static km_status put_attributes(km_h5 *file, km_err *err) {
  const char *kinds[KM_BY_COUNT], *quantities[KM_QUANTITIES];
  for (int i = 0; i < KM_BY_COUNT; i++)
    kinds[i] = km_by_name((km_by)i);
  for (int i = 0; i < KM_QUANTITIES; i++)
    quantities[i] = km_quantity_name((km_quantity)i);
  km_status status = km_h5_group(
      file, "/mean", "exact sums over games by place: a row of curve says which rows of value are its places",
      err);
  if (status == KM_OK)
    status = km_h5_put_texts(file, "/mean", "kinds", kinds, KM_BY_COUNT, err);
  if (status == KM_OK)
    status = km_h5_put_texts(file, "/mean", "quantities", quantities, KM_QUANTITIES, err);
  if (status == KM_OK)
    status = km_h5_group(file, "/mean/curve", "one row a stratum and quantity", err);
  if (status == KM_OK)
    status = km_h5_group(file, "/mean/value", "one row a place", err);
  return status == KM_OK ? km_h5_group(file, "/mean/text", "names of strata", err) : status;
}

/* Column k of the rows. */
static km_status put_curve_field(mean_job *job, size_t k, km_err *err) {
  size_t n_bytes = km_type_bytes(curve_fields[k].column.type);
  char *values = malloc(job->n_rows * n_bytes + 1);
  if (!values)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu curves", job->n_rows);
  for (size_t i = 0; i < job->n_rows; i++)
    memcpy(values + i * n_bytes, (const char *)&job->rows[i] + curve_fields[k].at, n_bytes);
  km_status status = km_h5_put_column(job->file, &curve_fields[k].column, job->n_rows, values, err);
  free(values);
  return status;
}

static km_status put_curves(mean_job *job, km_err *err) {
  km_status status = KM_OK;
  for (size_t k = 0; k < N_CURVE_FIELDS && status == KM_OK; k++)
    status = put_curve_field(job, k, err);
  if (status == KM_OK)
    status = km_h5_put_column(job->file, &heap_column, job->heap_bytes, job->heap, err);
  static const uint64_t none = 0;
  return status == KM_OK ? km_h5_put_column(job->file, &name_column, job->n_names + 1,
                                            job->names ? job->names : &none, err)
                         : status;
}

/* How many rows /mean/value will have. */
static uint64_t count_values(const km_hbs_means *means) {
  uint64_t n_values = 0;
  for (size_t i = 0; i < means->n_sets; i++)
    for (km_curve curve = {0}; km_curve_next(&means->sets[i], &curve);) {
      km_channel channels[KM_MEAN_CHANNELS_MAX];
      size_t n = km_curve_channels(means->sets[i].plan, curve.by, curve.by_fraction, channels);
      size_t length = km_mean_curves_length(curve.curves, curve.stratum);
      for (size_t k = 0; k < n; k++)
        n_values += length > channels[k].first_place ? length - channels[k].first_place : 0;
    }
  return n_values;
}

km_status km_hbs_mean_put(km_h5 *file, const km_hbs_means *means, km_codec codec, km_err *err) {
  mean_job job = {.file = file,
                  .ends = means->ends,
                  .schema = {.group = "/mean/value",
                             .columns = value_columns,
                             .n_columns = N_VALUE_COLUMNS,
                             .chunk_rows = CHUNK_ROWS,
                             .codec = codec}};
  km_mean_room room = {0};
  km_status status = put_attributes(file, err);
  if (status == KM_OK)
    status = km_table_writer_open(&job.table, file, &job.schema, count_values(means), err);
  if (status == KM_OK && !(job.block = km_block_new(&job.schema)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  for (size_t i = 0; i < means->n_sets && status == KM_OK; i++)
    status = put_set(&job, &means->sets[i], means->games, &room, err);
  if (status == KM_OK)
    status = put_curves(&job, err);
  if (status == KM_OK)
    status = km_table_writer_finish(job.table, err);
  else
    km_table_writer_abandon(job.table);
  km_mean_room_clear(&room);
  km_block_free(job.block);
  free(job.rows);
  free(job.heap);
  free(job.names);
  return status;
}
