/* table.c: blocks of rows, cut and compressed at chunk boundaries, and the writer that joins them.
 *
 * A block that covers rows [a, b) owns every chunk that lies in it as a whole; the rows before and behind
 * those go raw into the writer's carry, one chunk long, which is compressed when it is full. Chunks are
 * written in order of number, within one in order of column, so the file depends on the rows only. */
#include "table_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packed_chunk {
  size_t at, n_bytes; /* in the block's packed bytes */
  uint64_t sum;
} packed_chunk;

struct km_block {
  const km_table_schema *schema;
  km_codec_ctx *codec;
  uint64_t first_row;
  size_t n_rows, row_capacity;
  size_t row_bytes[KM_TABLE_COLUMNS_MAX];
  unsigned char *rows[KM_TABLE_COLUMNS_MAX];
  size_t n_chunks; /* packed: chunk by chunk, in it column by column */
  packed_chunk *chunks;
  size_t chunk_capacity;
  unsigned char *packed;
  size_t packed_bytes, packed_capacity;
};

struct km_table_writer {
  km_h5 *file;
  const km_table_schema *schema;
  km_h5_chunks *columns[KM_TABLE_COLUMNS_MAX];
  km_block *carry; /* rows of the chunk begun */
  uint64_t n_rows;
  uint64_t *sums;                 /* chunk by chunk, in it column by column */
  size_t n_chunks, sums_capacity; /* chunks */
};

void km_table_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column) {
  snprintf(text, KM_TABLE_NAME_BYTES, "%s/%s", schema->group, schema->columns[column].name);
}

void km_table_sums_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column) {
  snprintf(text, KM_TABLE_NAME_BYTES, "%s/checksums/%s", schema->group, schema->columns[column].name);
}

uint64_t km_chunk_sum(const void *raw, size_t n_bytes) {
  return km_hash_bytes(raw, n_bytes).low;
}

km_status km_table_check(const km_table_schema *schema, km_err *err) {
  if (schema->n_columns == 0 || schema->n_columns > KM_TABLE_COLUMNS_MAX || schema->chunk_rows == 0 ||
      schema->codec.kind > KM_CODEC_ZSTD)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "a table needs a codec, 1…%d columns, and chunks of at least one row",
                      KM_TABLE_COLUMNS_MAX);
  for (size_t i = 0; i < schema->n_columns; i++) {
    const km_column *c = &schema->columns[i];
    size_t row = km_column_row_bytes(c);
    if (row == 0 || row > KM_CHUNK_BYTES_MAX / schema->chunk_rows)
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "%u rows of %s, %zu bytes each, are not a chunk of at most 1 MiB", schema->chunk_rows,
                        c->name, row);
  }
  return KM_OK;
}

km_block *km_block_new(const km_table_schema *schema) {
  km_block *block = calloc(1, sizeof *block);
  if (!block)
    return NULL;
  block->schema = schema;
  for (size_t i = 0; i < schema->n_columns; i++)
    block->row_bytes[i] = km_column_row_bytes(&schema->columns[i]);
  block->codec = km_codec_ctx_new(schema->codec);
  if (!block->codec) {
    free(block);
    return NULL;
  }
  return block;
}

void km_block_free(km_block *block) {
  if (!block)
    return;
  for (size_t i = 0; i < block->schema->n_columns; i++)
    free(block->rows[i]);
  km_codec_ctx_free(block->codec);
  free(block->chunks);
  free(block->packed);
  free(block);
}

void km_block_reset(km_block *block, uint64_t first_row) {
  block->first_row = first_row;
  block->n_rows = 0;
  block->n_chunks = 0;
  block->packed_bytes = 0;
}

size_t km_block_n_rows(const km_block *block) {
  return block->n_rows;
}
void *km_block_rows(km_block *block, size_t column) {
  return block->rows[column];
}

/* Room for at least n_rows, half as much again as before. */
static km_status reserve_rows(km_block *block, size_t n_rows, km_err *err) {
  if (n_rows <= block->row_capacity)
    return KM_OK;
  size_t capacity = block->row_capacity + block->row_capacity / 2;
  if (capacity < n_rows)
    capacity = n_rows;
  for (size_t i = 0; i < block->schema->n_columns; i++) {
    if (capacity > SIZE_MAX / 2 / block->row_bytes[i])
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    unsigned char *rows = realloc(block->rows[i], capacity * block->row_bytes[i]);
    if (!rows)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    block->rows[i] = rows;
  }
  block->row_capacity = capacity;
  return KM_OK;
}

km_status km_block_extend(km_block *block, size_t n_rows, km_err *err) {
  if (n_rows > SIZE_MAX / 2 - block->n_rows)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = reserve_rows(block, block->n_rows + n_rows, err);
  if (status)
    return status;
  for (size_t i = 0; i < block->schema->n_columns; i++)
    memset(block->rows[i] + block->n_rows * block->row_bytes[i], 0, n_rows * block->row_bytes[i]);
  block->n_rows += n_rows;
  return KM_OK;
}

/* Compresses the chunk of one column that starts at row `at` of the block, and notes it. */
static km_status pack_chunk(km_block *block, size_t column, size_t at, km_err *err) {
  const km_column *c = &block->schema->columns[column];
  size_t n_bytes = block->schema->chunk_rows * block->row_bytes[column],
         bound = km_codec_bound(block->schema->codec, n_bytes);
  if (bound > block->packed_capacity - block->packed_bytes) {
    size_t capacity = block->packed_bytes + bound + block->packed_capacity / 2;
    unsigned char *packed = realloc(block->packed, capacity);
    if (!packed)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    block->packed = packed;
    block->packed_capacity = capacity;
  }
  if (block->n_chunks == block->chunk_capacity) {
    size_t capacity = block->chunk_capacity * 2 + 16;
    packed_chunk *chunks = realloc(block->chunks, capacity * sizeof *chunks);
    if (!chunks)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    block->chunks = chunks;
    block->chunk_capacity = capacity;
  }
  const unsigned char *raw = block->rows[column] + at * block->row_bytes[column];
  packed_chunk *chunk = &block->chunks[block->n_chunks];
  *chunk = (packed_chunk){.at = block->packed_bytes, .sum = km_chunk_sum(raw, n_bytes)};
  km_status status = km_codec_pack(block->codec, block->packed + chunk->at, &chunk->n_bytes, raw, n_bytes,
                                   km_column_shuffle_bytes(c, block->schema->codec), err);
  if (status)
    return status;
  block->packed_bytes += chunk->n_bytes;
  block->n_chunks++;
  return KM_OK;
}

/* Rows of the block before its first whole chunk. */
static size_t head_rows(const km_block *block) {
  size_t before = (size_t)(block->first_row % block->schema->chunk_rows);
  size_t head = before ? block->schema->chunk_rows - before : 0;
  return head < block->n_rows ? head : block->n_rows;
}

km_status km_block_pack(km_block *block, km_err *err) {
  size_t chunk_rows = block->schema->chunk_rows;
  block->n_chunks = 0;
  block->packed_bytes = 0;
  for (size_t at = head_rows(block); block->n_rows - at >= chunk_rows; at += chunk_rows)
    for (size_t i = 0; i < block->schema->n_columns; i++) {
      km_status status = pack_chunk(block, i, at, err);
      if (status)
        return status;
    }
  return KM_OK;
}

/* What a reader needs to unpack the chunks, by codec. */
static const char *const filter_docs[] = {
    [KM_CODEC_NONE] = "none",
    [KM_CODEC_GZIP] = "gzip, which every HDF5 has",
    [KM_CODEC_ZSTD] =
        ("HDF5 filter 32015 (zstd): let HDF5_PLUGIN_PATH name kifumill's folder hdf5-plugin, or "
         "in Python import hdf5plugin"),
};

static km_status make_groups(km_h5 *file, const km_table_schema *schema, km_err *err) {
  char name[KM_TABLE_NAME_BYTES];
  km_status status = km_h5_put_text(file, schema->group[0] ? schema->group : "/", "filter",
                                    filter_docs[schema->codec.kind], err);
  if (status)
    return status;
  snprintf(name, sizeof name, "%s/checksums", schema->group);
  return km_h5_group(file, name,
                     "XXH3-128, low 64 bits, of every chunk before compression, padded to full size", err);
}

km_status km_table_writer_open(km_table_writer **writer, km_h5 *file, const km_table_schema *schema,
                               uint64_t max_rows, km_err *err) {
  *writer = NULL;
  km_status status = km_table_check(schema, err);
  if (status)
    return status;
  km_table_writer *w = calloc(1, sizeof *w);
  if (w)
    w->carry = km_block_new(schema);
  if (!w || !w->carry) {
    free(w);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  w->file = file;
  w->schema = schema;
  km_h5_layout layout = {.max_rows = max_rows, .chunk_rows = schema->chunk_rows, .codec = schema->codec};
  for (size_t i = 0; i < schema->n_columns && !status; i++) {
    char name[KM_TABLE_NAME_BYTES];
    km_table_name(name, schema, i);
    km_column column = schema->columns[i];
    column.name = name;
    status = km_h5_chunks_create(&w->columns[i], file, &column, &layout, err);
  }
  if (!status)
    status = make_groups(file, schema, err);
  if (status) {
    km_table_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

/* Writes the packed chunks of a block; all are full but for the last one of a table. */
static km_status write_chunks(km_table_writer *w, const km_block *block, uint32_t n_rows, km_err *err) {
  size_t n_columns = w->schema->n_columns, n = block->n_chunks / n_columns;
  if (n > w->sums_capacity - w->n_chunks) {
    size_t capacity = w->sums_capacity * 2 + n + 16;
    uint64_t *sums = realloc(w->sums, capacity * n_columns * sizeof *sums);
    if (!sums)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    w->sums = sums;
    w->sums_capacity = capacity;
  }
  for (size_t k = 0; k < block->n_chunks; k++) {
    const packed_chunk *chunk = &block->chunks[k];
    km_status status = km_h5_chunks_append(w->columns[k % n_columns], block->packed + chunk->at,
                                           chunk->n_bytes, n_rows, err);
    if (status)
      return status;
    w->sums[w->n_chunks * n_columns + k] = chunk->sum;
  }
  w->n_chunks += n;
  return KM_OK;
}

/* Moves n rows of the block, from row `at` on, to the carry; writes that when it is full. */
static km_status carry_rows(km_table_writer *w, const km_block *block, size_t at, size_t n, km_err *err) {
  size_t had = w->carry->n_rows;
  km_status status = km_block_extend(w->carry, n, err);
  if (status)
    return status;
  for (size_t i = 0; i < w->schema->n_columns; i++) {
    size_t row = block->row_bytes[i];
    memcpy(w->carry->rows[i] + had * row, block->rows[i] + at * row, n * row);
  }
  if (w->carry->n_rows < w->schema->chunk_rows)
    return KM_OK;
  status = km_block_pack(w->carry, err);
  if (!status)
    status = write_chunks(w, w->carry, w->schema->chunk_rows, err);
  km_block_reset(w->carry, 0);
  return status;
}

km_status km_table_writer_append(km_table_writer *writer, km_block *block, km_err *err) {
  if (block->first_row != writer->n_rows)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: a block of rows out of order", km_h5_path(writer->file));
  size_t head = head_rows(block),
         whole = block->n_chunks / writer->schema->n_columns * writer->schema->chunk_rows;
  if (block->n_rows - head - whole >= writer->schema->chunk_rows)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: a block of rows that is not packed",
                      km_h5_path(writer->file));
  km_status status = head ? carry_rows(writer, block, 0, head, err) : KM_OK;
  if (!status)
    status = write_chunks(writer, block, writer->schema->chunk_rows, err);
  size_t tail = block->n_rows - head - whole;
  if (!status && tail)
    status = carry_rows(writer, block, head + whole, tail, err);
  writer->n_rows += block->n_rows;
  return status;
}

uint64_t km_table_writer_n_rows(const km_table_writer *writer) {
  return writer->n_rows;
}

static km_status write_sums(km_table_writer *w, size_t column, km_err *err) {
  char name[KM_TABLE_NAME_BYTES];
  km_table_sums_name(name, w->schema, column);
  km_column sums = {.name = name, .type = KM_U64, .doc = "a check sum a chunk"};
  km_h5_writer *writer;
  km_status status = km_h5_writer_open(&writer, w->file, &sums, w->n_chunks, err);
  for (size_t i = 0; i < w->n_chunks && !status; i++)
    status = km_h5_writer_append(writer, &w->sums[i * w->schema->n_columns + column], 1, err);
  if (status) {
    km_h5_writer_abandon(writer);
    return status;
  }
  return km_h5_writer_finish(writer, err);
}

km_status km_table_writer_finish(km_table_writer *writer, km_err *err) {
  km_status status = KM_OK;
  size_t rest = writer->carry->n_rows;
  if (rest) {
    status = km_block_extend(writer->carry, writer->schema->chunk_rows - rest, err);
    if (!status)
      status = km_block_pack(writer->carry, err);
    if (!status)
      status = write_chunks(writer, writer->carry, (uint32_t)rest, err);
  }
  for (size_t i = 0; i < writer->schema->n_columns; i++) {
    if (!status)
      status = write_sums(writer, i, err);
    km_status closed = km_h5_chunks_close(writer->columns[i], status ? NULL : err);
    writer->columns[i] = NULL;
    if (!status)
      status = closed;
  }
  km_table_writer_abandon(writer);
  return status;
}

void km_table_writer_abandon(km_table_writer *writer) {
  if (!writer)
    return;
  for (size_t i = 0; i < writer->schema->n_columns; i++)
    km_h5_chunks_close(writer->columns[i], NULL);
  km_block_free(writer->carry);
  free(writer->sums);
  free(writer);
}
