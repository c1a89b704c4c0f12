/* table.h: columns of one length, cut into chunks of a fixed number of rows, compressed by workers, written
 * by one thread.
 *
 * A worker fills a block of rows (any number of them, starting anywhere), packs it, and the writer appends
 * the blocks in order. Where chunks begin and end depends on row numbers only, so the file does not depend on
 * how rows came in blocks: whole chunks inside a block are compressed by its worker; rows of a chunk that two
 * blocks share are joined and compressed by the writer. For the best speed blocks are many chunks long, or
 * exactly chunks.
 *
 * In the file: GROUP/NAME is a dataset a column, and GROUP/checksums/NAME the low half of the XXH3-128 of
 * every chunk as it stands there, compressed: damage is found before anything is unpacked. Reading takes
 * chunks with pread, decompresses them in the calling thread and checks them; HDF5 only opens the file. */
#ifndef KIFUMILL_TABLE_H
#define KIFUMILL_TABLE_H

#include "kifumill/h5file.h"

enum { KM_TABLE_COLUMNS_MAX = 64 };

/* Columns are borrowed and outlive everything made from the schema; their names are relative to group. */
typedef struct km_table_schema {
  const char *group; /* "" for the root, "/trajectory" */
  const km_column *columns;
  size_t n_columns;
  uint32_t chunk_rows;
  km_codec codec;
  /* Columns of at most KM_NARROW_BYTES a row have chunks of so many times chunk_rows rows (0: once): small
   * chunks cost more to compress, to write and to find than the bytes in them. */
  uint32_t narrow_times;
} km_table_schema;
enum { KM_NARROW_BYTES = 64 };

/* Checks the schema: KM_ERR_USAGE when a chunk of a column would exceed 1 MiB or be empty. */
km_status km_table_check(const km_table_schema *schema, km_err *err);

/* Rows of a worker. */
typedef struct km_block km_block;
km_block *km_block_new(const km_table_schema *schema); /* NULL when memory is out */
void km_block_free(km_block *block);
/* Empties it: the next row is number first_row of the table. */
void km_block_reset(km_block *block, uint64_t first_row);
/* Adds n_rows zero rows, or rows of which every byte is going to be written. KM_ERR_NOMEM. Pointers from
 * km_block_rows are void afterwards. */
km_status km_block_extend(km_block *block, size_t n_rows, km_err *err);
km_status km_block_add(km_block *block, size_t n_rows, km_err *err);
size_t km_block_n_rows(const km_block *block);
/* The rows of a column, one behind the other; until the first km_block_pack. */
void *km_block_rows(km_block *block, size_t column);
/* The last n_rows of them, which were added since. */
void *km_block_last(km_block *block, size_t column, size_t n_rows);
/* Compresses and hashes every whole chunk in it, and lets go of its rows: a block that is packed every few
 * chunks stays in the processor's cache, however long it gets. After the last time the block is complete. */
km_status km_block_pack(km_block *block, km_err *err);

typedef struct km_table_writer km_table_writer;
/* The file has the group. max_rows: a bound of the number of rows. */
km_status km_table_writer_open(km_table_writer **writer, km_h5 *file, const km_table_schema *schema,
                               uint64_t max_rows, km_err *err);
/* Blocks come in order: the first row of a block is the number of rows so far (KM_ERR_STATE). */
km_status km_table_writer_append(km_table_writer *writer, km_block *block, km_err *err);
uint64_t km_table_writer_n_rows(const km_table_writer *writer);
/* Writes the last partial chunk and the check sums. Frees writer always. */
km_status km_table_writer_finish(km_table_writer *writer, km_err *err);
void km_table_writer_abandon(km_table_writer *writer);

/* Reading: the reader is shared by threads, a cursor belongs to one. Both keep file open: it outlives them.
 */
typedef struct km_table_reader km_table_reader;
/* Chunk size and codec are taken from the file; columns that are not there are an error. */
km_status km_table_reader_open(km_table_reader **reader, km_h5 *file, const km_table_schema *schema,
                               km_err *err);
void km_table_reader_close(km_table_reader *reader);
uint64_t km_table_reader_n_rows(const km_table_reader *reader);

typedef struct km_table_cursor km_table_cursor; /* keeps the last chunk of every column unpacked */
km_table_cursor *km_table_cursor_new(const km_table_reader *reader);
void km_table_cursor_free(km_table_cursor *cursor);
/* Copies rows of a column. KM_ERR_FORMAT: a chunk that cannot be unpacked, or whose check sum is wrong; it is
 * named. */
km_status km_table_read(km_table_cursor *cursor, size_t column, uint64_t first, uint64_t n_rows, void *rows,
                        km_err *err);
/* Unpacks and checks every chunk of the file. */
km_status km_table_verify(const km_table_reader *reader, km_err *err);

#endif
