/* table.c: blocks of rows, cut and compressed at chunk boundaries, and the writer that joins them.
 *
 * A block that covers rows [a, b) owns every chunk that lies in it as a whole; the rows before and behind
 * those go raw into the writer's carry, one chunk long a column, which is compressed when it is full. Chunks
 * are written in order of their last row, then of column, so the file depends on the rows only. */
#include "table_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct packed_chunk {
  size_t at, n_bytes; /* in the block's packed bytes */
  uint64_t sum;
} packed_chunk;

/* A column of a block: the rows before its first whole chunk, then those that are not packed yet. */
typedef struct block_column {
  size_t row_bytes, chunk_rows;
  unsigned char *rows;
  size_t n_rows, row_capacity;
  size_t n_head; /* rows that complete a chunk begun before the block */
  packed_chunk *chunks;
  size_t n_chunks, chunk_capacity;
} block_column;

struct km_block {
  const km_table_schema *schema;
  km_codec_ctx *codec;
  uint64_t first_row;
  size_t n_rows;
  block_column columns[KM_TABLE_COLUMNS_MAX];
  unsigned char *packed;
  size_t packed_bytes, packed_capacity;
};

/* A column of a file being written: the rows of the chunk begun, and the check sums so far. */
typedef struct writer_column {
  km_h5_chunks *chunks;
  unsigned char *carry;
  size_t row_bytes, chunk_rows, n_carry;
  uint64_t *sums;
  size_t n_sums, sum_capacity;
} writer_column;

struct km_table_writer {
  km_h5 *file;
  const km_table_schema *schema;
  km_codec_ctx *codec;
  unsigned char *packed; /* room for any chunk */
  uint64_t n_rows;
  writer_column columns[KM_TABLE_COLUMNS_MAX];
};

void km_table_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column) {
  snprintf(text, KM_TABLE_NAME_BYTES, "%s/%s", schema->group, schema->columns[column].name);
}

void km_table_sums_name(char text[KM_TABLE_NAME_BYTES], const km_table_schema *schema, size_t column) {
  snprintf(text, KM_TABLE_NAME_BYTES, "%s/checksums/%s", schema->group, schema->columns[column].name);
}

uint64_t km_chunk_sum(const void *packed, size_t n_bytes) {
  return km_hash_bytes(packed, n_bytes).low;
}

size_t km_table_chunk_rows(const km_table_schema *schema, size_t column) {
  int is_narrow = schema->narrow_times && km_column_row_bytes(&schema->columns[column]) <= KM_NARROW_BYTES;
  return (size_t)schema->chunk_rows * (is_narrow ? schema->narrow_times : 1);
}

km_status km_table_check(const km_table_schema *schema, km_err *err) {
  if (schema->n_columns == 0 || schema->n_columns > KM_TABLE_COLUMNS_MAX || schema->chunk_rows == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "a table needs 1…%d columns, and chunks of at least one row",
                      KM_TABLE_COLUMNS_MAX);
  for (size_t i = 0; i < schema->n_columns; i++) {
    size_t row = km_column_row_bytes(&schema->columns[i]), chunk_rows = km_table_chunk_rows(schema, i);
    if (row == 0 || chunk_rows > UINT32_MAX || row > KM_CHUNK_BYTES_MAX / chunk_rows)
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "%zu rows of %s, %zu bytes each, are not a chunk of at most 1 MiB", chunk_rows,
                        schema->columns[i].name, row);
  }
  return KM_OK;
}

/* ---- blocks
 * ---------------------------------------------------------------------------------------------------- */

km_block *km_block_new(const km_table_schema *schema) {
  km_block *block = calloc(1, sizeof *block);
  if (!block)
    return NULL;
  block->schema = schema;
  for (size_t i = 0; i < schema->n_columns; i++) {
    block->columns[i].row_bytes = km_column_row_bytes(&schema->columns[i]);
    block->columns[i].chunk_rows = km_table_chunk_rows(schema, i);
  }
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
  for (size_t i = 0; i < block->schema->n_columns; i++) {
    free(block->columns[i].rows);
    free(block->columns[i].chunks);
  }
  km_codec_ctx_free(block->codec);
  free(block->packed);
  free(block);
}

void km_block_reset(km_block *block, uint64_t first_row) {
  block->first_row = first_row;
  block->n_rows = 0;
  block->packed_bytes = 0;
  for (size_t i = 0; i < block->schema->n_columns; i++) {
    block_column *c = &block->columns[i];
    size_t begun = (size_t)(first_row % c->chunk_rows);
    c->n_head = begun ? c->chunk_rows - begun : 0;
    c->n_rows = 0;
    c->n_chunks = 0;
  }
}

size_t km_block_n_rows(const km_block *block) {
  return block->n_rows;
}
void *km_block_rows(km_block *block, size_t column) {
  return block->columns[column].rows;
}
void *km_block_last(km_block *block, size_t column, size_t n_rows) {
  block_column *c = &block->columns[column];
  return c->rows + (c->n_rows - n_rows) * c->row_bytes;
}

/* Room for at least n_rows, half as much again as before. */
static km_status reserve_rows(block_column *c, size_t n_rows, km_err *err) {
  if (n_rows <= c->row_capacity)
    return KM_OK;
  size_t capacity = c->row_capacity + c->row_capacity / 2;
  if (capacity < n_rows)
    capacity = n_rows;
  unsigned char *rows =
      capacity > SIZE_MAX / 2 / c->row_bytes ? NULL : realloc(c->rows, capacity * c->row_bytes);
  if (!rows)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  c->rows = rows;
  c->row_capacity = capacity;
  return KM_OK;
}

km_status km_block_add(km_block *block, size_t n_rows, km_err *err) {
  if (n_rows > SIZE_MAX / 2 - block->n_rows)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = KM_OK;
  for (size_t i = 0; i < block->schema->n_columns && !status; i++)
    status = reserve_rows(&block->columns[i], block->columns[i].n_rows + n_rows, err);
  if (status)
    return status;
  for (size_t i = 0; i < block->schema->n_columns; i++)
    block->columns[i].n_rows += n_rows;
  block->n_rows += n_rows;
  return KM_OK;
}

km_status km_block_extend(km_block *block, size_t n_rows, km_err *err) {
  km_status status = km_block_add(block, n_rows, err);
  for (size_t i = 0; i < block->schema->n_columns && !status && n_rows; i++)
    memset(km_block_last(block, i, n_rows), 0, n_rows * block->columns[i].row_bytes);
  return status;
}

/* Compresses the chunk of one column that starts at row `at` of those in memory, and notes it. */
static km_status pack_chunk(km_block *block, size_t column, size_t at, km_err *err) {
  block_column *c = &block->columns[column];
  size_t n_bytes = c->chunk_rows * c->row_bytes, bound = km_codec_bound(block->schema->codec, n_bytes);
  if (bound > block->packed_capacity - block->packed_bytes) {
    size_t capacity = block->packed_bytes + bound + block->packed_capacity / 2;
    unsigned char *packed = realloc(block->packed, capacity);
    if (!packed)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    block->packed = packed;
    block->packed_capacity = capacity;
  }
  if (c->n_chunks == c->chunk_capacity) {
    size_t capacity = c->chunk_capacity * 2 + 16;
    packed_chunk *chunks = realloc(c->chunks, capacity * sizeof *chunks);
    if (!chunks)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    c->chunks = chunks;
    c->chunk_capacity = capacity;
  }
  packed_chunk *chunk = &c->chunks[c->n_chunks];
  chunk->at = block->packed_bytes;
  km_codec_expect(block->codec, block->schema->columns[column].content, c->row_bytes,
                  block->schema->columns[column].period);
  km_status status = km_codec_pack(
      block->codec, block->packed + chunk->at, &chunk->n_bytes, c->rows + at * c->row_bytes, n_bytes,
      km_column_shuffle_bytes(&block->schema->columns[column], block->schema->codec), err);
  if (status)
    return status;
  chunk->sum = km_chunk_sum(block->packed + chunk->at, chunk->n_bytes);
  block->packed_bytes += chunk->n_bytes;
  c->n_chunks++;
  return KM_OK;
}

km_status km_block_pack(km_block *block, km_err *err) {
  for (size_t i = 0; i < block->schema->n_columns; i++) {
    block_column *c = &block->columns[i];
    size_t at = c->n_head;
    for (; c->n_rows >= at && c->n_rows - at >= c->chunk_rows; at += c->chunk_rows) {
      km_status status = pack_chunk(block, i, at, err);
      if (status)
        return status;
    }
    if (at == c->n_head)
      continue;
    memmove(c->rows + c->n_head * c->row_bytes, c->rows + at * c->row_bytes, (c->n_rows - at) * c->row_bytes);
    c->n_rows -= at - c->n_head;
  }
  return KM_OK;
}

/* ---- writing
 * --------------------------------------------------------------------------------------------------- */

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
  return km_h5_group(file, name, "XXH3-128, low 64 bits, of every chunk as it stands in the file", err);
}

static km_status open_column(km_table_writer *w, size_t i, uint64_t max_rows, size_t *room, km_err *err) {
  writer_column *c = &w->columns[i];
  km_column column = w->schema->columns[i];
  char name[KM_TABLE_NAME_BYTES];
  km_table_name(name, w->schema, i);
  column.name = name;
  c->row_bytes = km_column_row_bytes(&column);
  c->chunk_rows = km_table_chunk_rows(w->schema, i);
  c->carry = malloc(c->chunk_rows * c->row_bytes);
  if (!c->carry)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  size_t bound = km_codec_bound(w->schema->codec, c->chunk_rows * c->row_bytes);
  *room = bound > *room ? bound : *room;
  km_h5_layout layout = {
      .max_rows = max_rows, .chunk_rows = (uint32_t)c->chunk_rows, .codec = w->schema->codec};
  return km_h5_chunks_create(&c->chunks, w->file, &column, &layout, err);
}

km_status km_table_writer_open(km_table_writer **writer, km_h5 *file, const km_table_schema *schema,
                               uint64_t max_rows, km_err *err) {
  *writer = NULL;
  km_status status = km_table_check(schema, err);
  if (status)
    return status;
  km_table_writer *w = calloc(1, sizeof *w);
  if (!w)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  size_t room = 0;
  w->file = file;
  w->schema = schema;
  for (size_t i = 0; i < schema->n_columns && !status; i++)
    status = open_column(w, i, max_rows, &room, err);
  w->codec = km_codec_ctx_new(schema->codec);
  w->packed = malloc(room);
  if (!status && (!w->codec || !w->packed))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (!status)
    status = make_groups(file, schema, err);
  if (status) {
    km_table_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

static km_status write_chunk(writer_column *c, const void *packed, size_t n_packed, uint64_t sum,
                             size_t n_rows, km_err *err) {
  if (c->n_sums == c->sum_capacity) {
    size_t capacity = c->sum_capacity * 2 + 64;
    uint64_t *sums = realloc(c->sums, capacity * sizeof *sums);
    if (!sums)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    c->sums = sums;
    c->sum_capacity = capacity;
  }
  c->sums[c->n_sums++] = sum;
  return km_h5_chunks_append(c->chunks, packed, n_packed, (uint32_t)n_rows, err);
}

/* Compresses and writes the rows carried of a column, padded with zeros. */
static km_status write_carry(km_table_writer *w, size_t column, km_err *err) {
  writer_column *c = &w->columns[column];
  size_t n_rows = c->n_carry, n_packed;
  memset(c->carry + n_rows * c->row_bytes, 0, (c->chunk_rows - n_rows) * c->row_bytes);
  c->n_carry = 0;
  km_codec_expect(w->codec, w->schema->columns[column].content, c->row_bytes,
                  w->schema->columns[column].period);
  km_status status =
      km_codec_pack(w->codec, w->packed, &n_packed, c->carry, c->chunk_rows * c->row_bytes,
                    km_column_shuffle_bytes(&w->schema->columns[column], w->schema->codec), err);
  return status ? status
                : write_chunk(c, w->packed, n_packed, km_chunk_sum(w->packed, n_packed), n_rows, err);
}

static void carry_rows(writer_column *c, const unsigned char *rows, size_t n_rows) {
  memcpy(c->carry + c->n_carry * c->row_bytes, rows, n_rows * c->row_bytes);
  c->n_carry += n_rows;
}

/* How many of the block's rows complete a chunk that was begun before it. */
static size_t head_rows(const block_column *c) {
  return c->n_head < c->n_rows ? c->n_head : c->n_rows;
}

static km_status check_block(const km_table_writer *w, const km_block *block, km_err *err) {
  if (block->first_row != w->n_rows)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: a block of rows out of order", km_h5_path(w->file));
  for (size_t i = 0; i < w->schema->n_columns; i++)
    if (block->columns[i].n_rows - head_rows(&block->columns[i]) >= block->columns[i].chunk_rows)
      return km_err_set(err, KM_ERR_STATE, 0, "%s: a block of rows that is not packed", km_h5_path(w->file));
  return KM_OK;
}

/* Chunks are written in order of their last row, and of columns: the file does not show how rows came in
 * blocks. */
km_status km_table_writer_append(km_table_writer *w, km_block *block, km_err *err) {
  size_t n_columns = w->schema->n_columns, taken[KM_TABLE_COLUMNS_MAX] = {0}, step = w->schema->chunk_rows;
  uint64_t end = w->n_rows + block->n_rows;
  km_status status = check_block(w, block, err);
  if (status)
    return status;
  for (size_t i = 0; i < n_columns; i++)
    if (head_rows(&block->columns[i]))
      carry_rows(&w->columns[i], block->columns[i].rows, head_rows(&block->columns[i]));
  for (uint64_t last = w->n_rows - w->n_rows % step + step; last <= end && !status; last += step)
    for (size_t i = 0; i < n_columns && !status; i++) {
      const block_column *c = &block->columns[i];
      if (last % c->chunk_rows)
        continue;
      if (w->columns[i].n_carry) {
        status = write_carry(w, i, err);
      } else {
        const packed_chunk *chunk = &c->chunks[taken[i]++];
        status = write_chunk(&w->columns[i], block->packed + chunk->at, chunk->n_bytes, chunk->sum,
                             c->chunk_rows, err);
      }
    }
  for (size_t i = 0; i < n_columns && !status; i++) {
    const block_column *c = &block->columns[i];
    size_t head = head_rows(c);
    if (c->n_rows > head)
      carry_rows(&w->columns[i], c->rows + head * c->row_bytes, c->n_rows - head);
  }
  w->n_rows = end;
  return status;
}

uint64_t km_table_writer_n_rows(const km_table_writer *writer) {
  return writer->n_rows;
}

static km_status write_sums(km_table_writer *w, size_t column, km_err *err) {
  char name[KM_TABLE_NAME_BYTES];
  km_table_sums_name(name, w->schema, column);
  km_column sums = {.name = name, .type = KM_U64, .doc = "a check sum a chunk"};
  return km_h5_put_column(w->file, &sums, w->columns[column].n_sums, w->columns[column].sums, err);
}

km_status km_table_writer_finish(km_table_writer *writer, km_err *err) {
  km_status status = KM_OK;
  for (size_t i = 0; i < writer->schema->n_columns && !status; i++)
    if (writer->columns[i].n_carry)
      status = write_carry(writer, i, err);
  for (size_t i = 0; i < writer->schema->n_columns; i++) {
    if (!status)
      status = write_sums(writer, i, err);
    km_status closed = km_h5_chunks_close(writer->columns[i].chunks, status ? NULL : err);
    writer->columns[i].chunks = NULL;
    if (!status)
      status = closed;
  }
  km_table_writer_abandon(writer);
  return status;
}

void km_table_writer_abandon(km_table_writer *writer) {
  if (!writer)
    return;
  for (size_t i = 0; i < writer->schema->n_columns; i++) {
    km_h5_chunks_close(writer->columns[i].chunks, NULL);
    free(writer->columns[i].carry);
    free(writer->columns[i].sums);
  }
  km_codec_ctx_free(writer->codec);
  free(writer->packed);
  free(writer);
}
