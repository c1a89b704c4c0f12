/* table_reader.c: chunks taken out of the file as they are, unpacked and checked in the calling thread. */
#include "table_internal.h"

#include <stdlib.h>
#include <string.h>

/* Larger chunks than ours are not unpacked, nor are check sums for more chunks than this kept. */
enum { SUMS_BYTES_MAX = 1 << 30 };

typedef struct reader_column {
  km_h5_chunks *chunks;
  uint64_t *sums;
  uint64_t n_chunks;
  uint32_t chunk_rows;
  size_t row_bytes, shuffle_bytes;
  char name[KM_TABLE_NAME_BYTES];
} reader_column;

struct km_table_reader {
  km_h5 *file;
  size_t n_columns;
  uint64_t n_rows;
  km_codec codec;
  reader_column columns[KM_TABLE_COLUMNS_MAX];
};

struct km_table_cursor {
  const km_table_reader *reader;
  km_codec_ctx *codec;
  km_h5_buffer packed;
  struct {
    unsigned char *raw;
    uint64_t chunk; /* number of the chunk in raw, UINT64_MAX: none */
  } columns[KM_TABLE_COLUMNS_MAX];
};

/* Checks that a column is there as a table has it, and of the same length as those before it. */
static km_status take_info(km_table_reader *r, size_t i, const km_column *column, km_err *err) {
  km_h5_info info;
  km_status status = km_h5_expect(r->file, column, &info, err);
  if (status)
    return status;
  if (i == 0) {
    r->n_rows = info.n_rows;
    r->codec = info.codec;
  }
  reader_column *c = &r->columns[i];
  c->row_bytes = km_column_row_bytes(column);
  c->shuffle_bytes = info.shuffled ? km_type_bytes(column->type) : 1;
  if (info.chunk_rows == 0 || info.chunk_rows > KM_CHUNK_BYTES_MAX / c->row_bytes)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s is not in chunks of at most 1 MiB", km_h5_path(r->file),
                      c->name);
  if (info.n_rows != r->n_rows || info.codec.kind != r->codec.kind)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s has %llu rows, other columns %llu, or another codec",
                      km_h5_path(r->file), c->name, (unsigned long long)info.n_rows,
                      (unsigned long long)r->n_rows);
  c->chunk_rows = (uint32_t)info.chunk_rows;
  c->n_chunks = info.n_rows / info.chunk_rows + (info.n_rows % info.chunk_rows != 0);
  return KM_OK;
}

static km_status take_column(km_table_reader *r, const km_table_schema *schema, size_t i, km_err *err) {
  km_column column = schema->columns[i];
  reader_column *c = &r->columns[i];
  km_table_name(c->name, schema, i);
  column.name = c->name;
  km_status status = take_info(r, i, &column, err);
  if (status)
    return status;
  char name[KM_TABLE_NAME_BYTES];
  km_table_sums_name(name, schema, i);
  km_column sums = {.name = name, .type = KM_U64};
  uint64_t n_sums = 0;
  void *block = NULL;
  status = km_h5_read_all(r->file, &sums, SUMS_BYTES_MAX, &block, &n_sums, err);
  c->sums = block;
  if (!status && n_sums != c->n_chunks)
    status =
        km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s has %llu check sums for %llu chunks", km_h5_path(r->file),
                   c->name, (unsigned long long)n_sums, (unsigned long long)c->n_chunks);
  if (!status)
    status = km_h5_chunks_open(&c->chunks, r->file, c->name, err);
  return status;
}

km_status km_table_reader_open(km_table_reader **reader, km_h5 *file, const km_table_schema *schema,
                               km_err *err) {
  *reader = NULL;
  if (schema->n_columns == 0 || schema->n_columns > KM_TABLE_COLUMNS_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "a table has 1…%d columns", KM_TABLE_COLUMNS_MAX);
  km_table_reader *r = calloc(1, sizeof *r);
  if (!r)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  r->file = file;
  r->n_columns = schema->n_columns;
  km_status status = KM_OK;
  for (size_t i = 0; i < schema->n_columns && !status; i++)
    status = take_column(r, schema, i, err);
  if (status) {
    km_table_reader_close(r);
    return status;
  }
  *reader = r;
  return KM_OK;
}

void km_table_reader_close(km_table_reader *reader) {
  if (!reader)
    return;
  for (size_t i = 0; i < reader->n_columns; i++) {
    km_h5_chunks_close(reader->columns[i].chunks, NULL);
    free(reader->columns[i].sums);
  }
  free(reader);
}

uint64_t km_table_reader_n_rows(const km_table_reader *reader) {
  return reader->n_rows;
}

km_table_cursor *km_table_cursor_new(const km_table_reader *reader) {
  km_table_cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor)
    return NULL;
  cursor->reader = reader;
  cursor->codec = km_codec_ctx_new(reader->codec);
  int made = cursor->codec != NULL;
  for (size_t i = 0; i < reader->n_columns; i++) {
    cursor->columns[i].chunk = UINT64_MAX;
    cursor->columns[i].raw = malloc((size_t)reader->columns[i].chunk_rows * reader->columns[i].row_bytes);
    made = made && cursor->columns[i].raw;
  }
  if (!made) {
    km_table_cursor_free(cursor);
    return NULL;
  }
  return cursor;
}

void km_table_cursor_free(km_table_cursor *cursor) {
  if (!cursor)
    return;
  for (size_t i = 0; i < cursor->reader->n_columns; i++)
    free(cursor->columns[i].raw);
  free(cursor->packed.bytes);
  km_codec_ctx_free(cursor->codec);
  free(cursor);
}

/* Makes chunk number k the one in memory. */
static km_status load(km_table_cursor *cursor, size_t column, uint64_t k, km_err *err) {
  const km_table_reader *r = cursor->reader;
  const reader_column *c = &r->columns[column];
  if (cursor->columns[column].chunk == k)
    return KM_OK;
  size_t n_bytes = (size_t)c->chunk_rows * c->row_bytes;
  unsigned char *raw = cursor->columns[column].raw;
  cursor->columns[column].chunk = UINT64_MAX;
  km_status status = km_h5_chunks_read(c->chunks, k, 2 * n_bytes + 4096, &cursor->packed, err);
  if (status)
    return status;
  if (km_chunk_sum(cursor->packed.bytes, cursor->packed.n_bytes) != c->sums[k])
    status = km_err_set(err, KM_ERR_FORMAT, 0, "the check sum is wrong");
  else
    status = km_codec_unpack(cursor->codec, raw, n_bytes, cursor->packed.bytes, cursor->packed.n_bytes,
                             c->shuffle_bytes, err);
  if (status) {
    km_err_prefix(err, "%s: %s: chunk %llu", km_h5_path(r->file), c->name, (unsigned long long)k);
    return status;
  }
  cursor->columns[column].chunk = k;
  return KM_OK;
}

km_status km_table_read(km_table_cursor *cursor, size_t column, uint64_t first, uint64_t n_rows, void *rows,
                        km_err *err) {
  const km_table_reader *r = cursor->reader;
  if (column >= r->n_columns || first > r->n_rows || n_rows > r->n_rows - first)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: rows %llu and %llu more are not all in the table",
                      km_h5_path(r->file), (unsigned long long)first, (unsigned long long)n_rows);
  unsigned char *to = rows;
  size_t row_bytes = r->columns[column].row_bytes, chunk_rows = r->columns[column].chunk_rows;
  while (n_rows) {
    uint64_t k = first / chunk_rows, at = first % chunk_rows, n = chunk_rows - at;
    if (n > n_rows)
      n = n_rows;
    km_status status = load(cursor, column, k, err);
    if (status)
      return status;
    memcpy(to, cursor->columns[column].raw + at * row_bytes, (size_t)n * row_bytes);
    to += n * row_bytes;
    first += n;
    n_rows -= n;
  }
  return KM_OK;
}

km_status km_table_verify(const km_table_reader *reader, km_err *err) {
  km_table_cursor *cursor = km_table_cursor_new(reader);
  if (!cursor)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = KM_OK;
  for (size_t i = 0; i < reader->n_columns && !status; i++)
    for (uint64_t k = 0; k < reader->columns[i].n_chunks && !status; k++)
      status = load(cursor, i, k, err);
  km_table_cursor_free(cursor);
  return status;
}
