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

#include "kifumill/batch.h"
#include "kifumill/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_LIMBS = KM_EXACT_LIMBS_MAX + 1, SQUARE_LIMBS = 2 * KM_EXACT_LIMBS_MAX + 1, CHUNK_ROWS = 4096 };

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

typedef struct mean_job {
  km_h5 *file;
  const km_hbs_means *means;
  const km_mean_lines *lines;
  km_table_schema schema;
  km_table_writer *table;
  uint64_t next_row; /* of the reader */
  curve_row *rows;   /* lines->n_lines */
  char *heap;
  uint64_t *names; /* lines->n_curves + 1 */
} mean_job;

/* ---- values: a chunk a batch
 * ---------------------------------------------------------------------------------------------- */

typedef struct value_batch {
  km_block *block;
  uint64_t first, n;
} value_batch;

/* Two's complement into more limbs. */
static void widen(uint64_t *to, size_t n_to, const uint64_t *from, size_t n_from) {
  uint64_t sign = from[n_from - 1] >> 63 ? UINT64_MAX : 0;
  for (size_t i = 0; i < n_to; i++)
    to[i] = i < n_from ? from[i] : sign;
}

/* Values first … first + n - 1 of a line, to rows of the block from at on. */
static void fill_values(km_block *block, size_t at, const km_mean_line *line, const km_exact_sum *sums,
                        size_t first, size_t n) {
  uint64_t *count = (uint64_t *)km_block_rows(block, 0) + at;
  uint64_t *sum = (uint64_t *)km_block_rows(block, 1) + at * SUM_LIMBS;
  uint64_t *square = (uint64_t *)km_block_rows(block, 2) + at * SQUARE_LIMBS;
  double *doubles[6];
  for (size_t k = 0; k < 6; k++)
    doubles[k] = (double *)km_block_rows(block, 3 + k) + at;
  for (size_t i = 0; i < n; i++) {
    const km_exact_sum *s = &sums[first + i];
    const km_line_place *place = &line->places[first + i];
    count[i] = s->n;
    widen(sum + i * SUM_LIMBS, SUM_LIMBS, s->sum, s->n_limbs + 1);
    widen(square + i * SQUARE_LIMBS, SQUARE_LIMBS, s->square, 2 * s->n_limbs + 1);
    doubles[0][i] = place->mean;
    doubles[1][i] = place->deviation;
    doubles[2][i] = place->error;
    for (size_t q = 0; q < 3; q++)
      doubles[3 + q][i] = line->quartiles[q] ? line->quartiles[q][first + i] : (double)NAN;
  }
}

static void *values_new(void *ctx) {
  mean_job *job = ctx;
  value_batch *batch = calloc(1, sizeof *batch);
  if (batch && !(batch->block = km_block_new(&job->schema))) {
    free(batch);
    return NULL;
  }
  return batch;
}
static void values_free(void *ctx, void *batch) {
  (void)ctx;
  km_block_free(((value_batch *)batch)->block);
  free(batch);
}
static void *room_new(void *ctx) {
  (void)ctx;
  return calloc(1, sizeof(km_sums_room));
}
static void room_free(void *ctx, void *room) {
  (void)ctx;
  free(((km_sums_room *)room)->sums);
  free(room);
}

static km_status read_values(void *ctx, size_t stream, void *batch, km_err *err) {
  mean_job *job = ctx;
  value_batch *values = batch;
  uint64_t rest = job->lines->n_rows - job->next_row;
  (void)stream, (void)err;
  values->first = job->next_row;
  values->n = rest < CHUNK_ROWS ? rest : CHUNK_ROWS;
  job->next_row += values->n;
  return values->n ? KM_OK : KM_END;
}

static km_status work_values(void *ctx, void *worker, void *batch, km_err *err) {
  const mean_job *job = ctx;
  value_batch *values = batch;
  uint64_t end = values->first + values->n;
  km_block_reset(values->block, values->first);
  km_status status = km_block_add(values->block, (size_t)values->n, err);
  for (size_t i = 0; i < job->lines->n_lines && status == KM_OK; i++) {
    const km_mean_line *line = &job->lines->lines[i];
    uint64_t from = line->first_row > values->first ? line->first_row : values->first,
             to = line->first_row + line->n < end ? line->first_row + line->n : end;
    const km_exact_sum *sums;
    if (from >= to)
      continue;
    status = km_mean_line_sums(&sums, worker, line, job->means->ends, err);
    if (status == KM_OK)
      fill_values(values->block, (size_t)(from - values->first), line, sums, (size_t)(from - line->first_row),
                  (size_t)(to - from));
  }
  return status == KM_OK ? km_block_pack(values->block, err) : status;
}

static km_status write_values(void *ctx, void *batch, km_err *err) {
  return km_table_writer_append(((mean_job *)ctx)->table, ((value_batch *)batch)->block, err);
}

static km_status put_values(mean_job *job, km_err *err) {
  static const km_batch_ops ops = {values_new,  values_free, room_new,     room_free,
                                   read_values, work_values, write_values, NULL};
  return km_batch_run(&ops, job, 1, job->means->n_threads, (size_t)job->means->n_threads + 1, err);
}

/* ---- curves
 * ------------------------------------------------------------------------------------------------------ */

static curve_row row_of(const km_mean_line *line, uint32_t name) {
  const km_curve_plan *plan = line->curve.set->plan;
  const km_mean_channel *shape = &line->channel.shape;
  int of_layer = line->channel.quantity == KM_OF_LAYER || line->channel.quantity == KM_OF_LOG2_LAYER;
  return (curve_row){.colour = plan->colour,
                     .size = plan->size,
                     .by_fraction = (uint8_t)line->curve.by_fraction,
                     .by = (uint8_t)line->curve.by,
                     .quantity = (uint8_t)line->channel.quantity,
                     .layer = (uint8_t)(of_layer ? km_hbs_layer_size(plan->size, line->channel.layer) : 0),
                     .stratum = name,
                     .first_place = line->channel.first_place,
                     .n_rows = (uint32_t)line->n,
                     .n_games = km_mean_curves_games(line->curve.curves, line->curve.stratum),
                     .denominator = line->n == 0          ? 1
                                    : shape->n_limbs == 0 ? KM_EXACT_DOUBLE_DENOMINATOR
                                                          : shape->denominator,
                     .first_row = line->first_row};
}

/* Rows of all lines, and names of all curves. */
static km_status list_curves(mean_job *job, km_err *err) {
  const km_mean_lines *lines = job->lines;
  job->rows = malloc(lines->n_lines * sizeof *job->rows + 1);
  job->names = calloc(lines->n_curves + 1, sizeof *job->names);
  job->heap = malloc(lines->n_curves * KM_STRATUM_NAME + 1);
  if (!job->rows || !job->names || !job->heap)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu curves", lines->n_lines);
  for (size_t c = 0; c < lines->n_curves; c++) {
    char name[KM_STRATUM_NAME];
    km_status status = km_curve_name(&lines->lines[lines->curves[c]].curve, job->means->games, name, err);
    if (status != KM_OK)
      return status;
    size_t n = strlen(name);
    memcpy(job->heap + job->names[c], name, n);
    job->names[c + 1] = job->names[c] + n;
    for (size_t i = lines->curves[c]; i < lines->curves[c + 1]; i++)
      job->rows[i] = row_of(&lines->lines[i], (uint32_t)c);
  }
  return KM_OK;
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
  size_t n_bytes = km_type_bytes(curve_fields[k].column.type), n_rows = job->lines->n_lines;
  char *values = malloc(n_rows * n_bytes + 1);
  if (!values)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu curves", n_rows);
  for (size_t i = 0; i < n_rows; i++)
    memcpy(values + i * n_bytes, (const char *)&job->rows[i] + curve_fields[k].at, n_bytes);
  km_status status = km_h5_put_column(job->file, &curve_fields[k].column, n_rows, values, err);
  free(values);
  return status;
}

static km_status put_curves(mean_job *job, km_err *err) {
  size_t n_curves = job->lines->n_curves;
  km_status status = list_curves(job, err);
  for (size_t k = 0; k < N_CURVE_FIELDS && status == KM_OK; k++)
    status = put_curve_field(job, k, err);
  if (status == KM_OK)
    status = km_h5_put_column(job->file, &heap_column, job->names[n_curves], job->heap, err);
  return status == KM_OK ? km_h5_put_column(job->file, &name_column, n_curves + 1, job->names, err) : status;
}

km_status km_hbs_mean_put(km_h5 *file, const km_hbs_means *means, const km_mean_lines *lines, km_codec codec,
                          km_err *err) {
  mean_job job = {.file = file,
                  .means = means,
                  .lines = lines,
                  .schema = {.group = "/mean/value",
                             .columns = value_columns,
                             .n_columns = N_VALUE_COLUMNS,
                             .chunk_rows = CHUNK_ROWS,
                             .codec = codec}};
  km_status status = put_attributes(file, err);
  if (status == KM_OK)
    status = km_table_writer_open(&job.table, file, &job.schema, lines->n_rows, err);
  if (status == KM_OK)
    status = put_values(&job, err);
  if (status == KM_OK)
    status = put_curves(&job, err);
  if (status == KM_OK)
    status = km_table_writer_finish(job.table, err);
  else
    km_table_writer_abandon(job.table);
  free(job.rows);
  free(job.heap);
  free(job.names);
  return status;
}
