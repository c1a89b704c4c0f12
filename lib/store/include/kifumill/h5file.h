/* h5file.h: the part of HDF5 that kifumill uses, checked.
 *
 * Files are written under a temporary name and appear whole (kifumill/outfile.h). Their bytes are a function
 * of the calls: no object times, format bounds fixed at HDF5 1.10. All metadata of that format carries check
 * sums, so that a damaged file fails to open instead of misleading the library. Every call into HDF5 is made
 * under one process-wide lock, whatever file it is for; its error stack becomes the text of km_err, and
 * nothing is printed. Numbers are little-endian.
 *
 * Units and shapes: a column is a dataset of n_rows rows of one inner shape. Errors: KM_ERR_IO (sys_errno
 * where the system said one), KM_ERR_FORMAT (not what it should be), KM_ERR_STATE (the output exists),
 * KM_ERR_NOMEM. */
#ifndef KIFUMILL_H5FILE_H
#define KIFUMILL_H5FILE_H

#include "kifumill/codec.h"
#include "kifumill/err.h"
#include "kifumill/hash.h"

#include <stddef.h>
#include <stdint.h>

typedef enum km_type {
  KM_U8 = 0,
  KM_I8,
  KM_U16,
  KM_I16,
  KM_U32,
  KM_I32,
  KM_U64,
  KM_I64,
  KM_F32,
  KM_F64,
} km_type;
size_t km_type_bytes(km_type type);
const char *km_type_name(km_type type); /* "u8", "f64", … */

enum { KM_COLUMN_RANK_MAX = 3 };
/* A dataset as a row of a table: what a file consists of stands in one place, and in the file as attributes.
 */
typedef struct km_column {
  const char *name; /* path in the file: "/games/komi"; of a table (kifumill/table.h) the name in its group */
  km_type type;
  uint8_t inner_rank; /* 0: one value a row */
  uint32_t inner[KM_COLUMN_RANK_MAX];
  const char *doc;    /* attribute description */
  const char *units;  /* attribute units; NULL: none */
  int64_t fill;       /* value of missing rows in virtual files; NaN for floating types */
  uint8_t unshuffled; /* chunks are compressed without byte shuffle: better where whole values repeat */
  uint8_t content;    /* km_content (kifumill/codec.h) */
  uint16_t period;    /* of planes: bytes after which a row mostly repeats itself; 0: not known */
} km_column;
/* Bytes of the elements that chunks of the column are shuffled by; 1: not shuffled. */
size_t km_column_shuffle_bytes(const km_column *column, km_codec codec);
/* Bytes of a row. */
size_t km_column_row_bytes(const km_column *column);

/* What made a file: root attributes of every output. */
typedef struct km_store_origin {
  const char *command; /* command line */
  const char *config;  /* merged settings as text */
  uint64_t seed;
  const char *input_digest; /* of what was read, hexadecimal */
} km_store_origin;
#define KM_STORE_GENERATOR "kifumill 1.0.0"
enum { KM_STORE_VERSION = 1 };

typedef struct km_h5 km_h5;

/* Starts PATH with the root attributes format, format_version, generator and those of origin (NULL: put
 * later). */
km_status km_h5_create(km_h5 **file, const char *path, const char *format, const km_store_origin *origin,
                       int force, km_err *err);
/* Puts the root attributes command, config, seed and input_digest. */
km_status km_h5_put_origin(km_h5 *file, const km_store_origin *origin, km_err *err);
/* Completes it under its final name. Frees file always. */
km_status km_h5_finish(km_h5 *file, km_err *err);
/* Opens PATH for reading, checks format (NULL: any) and format_version. */
km_status km_h5_open(km_h5 **file, const char *path, const char *format, km_err *err);
/* Closes a file that is read, or removes one that is being written. NULL is allowed. */
void km_h5_close(km_h5 *file);
const char *km_h5_path(const km_h5 *file);

/* Groups exist before what is in them. */
km_status km_h5_group(km_h5 *file, const char *name, const char *doc, km_err *err);
/* Whether a dataset or group is there (no error when not). */
int km_h5_exists(km_h5 *file, const char *name);
int km_h5_is_group(km_h5 *file, const char *name);

/* Attributes of the object at `at` ("/" is the root). Text is UTF-8 of fixed length. */
km_status km_h5_put_text(km_h5 *file, const char *at, const char *name, const char *text, km_err *err);
km_status km_h5_put_texts(km_h5 *file, const char *at, const char *name, const char *const *texts, size_t n,
                          km_err *err);
km_status km_h5_put_u64(km_h5 *file, const char *at, const char *name, uint64_t value, km_err *err);
km_status km_h5_put_f64(km_h5 *file, const char *at, const char *name, double value, km_err *err);
/* Reading gives KM_ERR_FORMAT when the attribute is absent or of another kind. *text is the caller's to free.
 */
km_status km_h5_get_text(km_h5 *file, const char *at, const char *name, char **text, km_err *err);
km_status km_h5_get_u64(km_h5 *file, const char *at, const char *name, uint64_t *value, km_err *err);
km_status km_h5_get_f64(km_h5 *file, const char *at, const char *name, double *value, km_err *err);

/* One attribute as it is found: n values of one kind. Texts stand one behind the other, width bytes each,
 * padded with NULs. Attributes of other kinds are left out. */
typedef enum km_h5_attribute_kind { KM_H5_TEXTS, KM_H5_INTEGER, KM_H5_REAL } km_h5_attribute_kind;
typedef struct km_h5_attribute {
  const char *name;
  km_h5_attribute_kind kind;
  const char *texts;
  size_t width, n;
  uint64_t integer; /* KM_H5_INTEGER, n = 1 */
  double real;      /* KM_H5_REAL, n = 1 */
} km_h5_attribute;
/* Calls visit for every attribute of the object, in order of name. What it is given is borrowed until it
 * returns; it calls nothing of this file. */
typedef void km_h5_attribute_visit(void *ctx, const km_h5_attribute *attribute);
km_status km_h5_each_attribute(km_h5 *file, const char *at, km_h5_attribute_visit *visit, void *ctx,
                               km_err *err);

/* A contiguous column, written front to back through a buffer, hashed on the way: attribute
 * KM_DIGEST_ATTRIBUTE holds the digest of its bytes. Several may be open at a time; the number of rows is
 * stated first and must be met. */
#define KM_DIGEST_ATTRIBUTE "xxh3_128"
typedef struct km_h5_writer km_h5_writer;
km_status km_h5_writer_open(km_h5_writer **writer, km_h5 *file, const km_column *column, uint64_t n_rows,
                            km_err *err);
km_status km_h5_writer_append(km_h5_writer *writer, const void *rows, uint64_t n_rows, km_err *err);
km_status km_h5_writer_finish(km_h5_writer *writer, km_err *err); /* frees writer always */
void km_h5_writer_abandon(km_h5_writer *writer);                  /* NULL is allowed */
/* All of it at once. */
km_status km_h5_put_column(km_h5 *file, const km_column *column, uint64_t n_rows, const void *rows,
                           km_err *err);

/* What a dataset is. */
typedef struct km_h5_info {
  km_type type;
  uint8_t inner_rank;
  uint32_t inner[KM_COLUMN_RANK_MAX];
  uint64_t n_rows;
  uint64_t offset; /* of a contiguous one, byte position in the file; UINT64_MAX: none (chunked, virtual, no
                      rows) */
  uint64_t chunk_rows; /* 0: not chunked */
  km_codec codec;      /* of a chunked one */
  uint8_t shuffled;
  uint8_t is_virtual;
} km_h5_info;
/* KM_ERR_FORMAT when it is absent or no column: every number in info is believable, and a contiguous dataset
 * lies within the file. */
km_status km_h5_find(km_h5 *file, const char *name, km_h5_info *info, km_err *err);
/* Finds it and checks type and inner shape against column (name in full). */
km_status km_h5_expect(km_h5 *file, const km_column *column, km_h5_info *info, km_err *err);
/* Rows first … first+n_rows-1, through HDF5's filters. */
km_status km_h5_read(km_h5 *file, const km_column *column, uint64_t first, uint64_t n_rows, void *rows,
                     km_err *err);
/* A whole column in malloc'ed memory; refuses more than max_bytes (KM_ERR_LIMIT). */
km_status km_h5_read_all(km_h5 *file, const km_column *column, size_t max_bytes, void **rows,
                         uint64_t *n_rows, km_err *err);
/* The names in a group, sorted; each and the array is one malloc'ed block (free *names). */
km_status km_h5_list(km_h5 *file, const char *group, char ***names, size_t *n_names, km_err *err);

/* The bytes of PATH, for reading beside HDF5 with pread or mmap; borrowed. Opened for reading only. */
int km_h5_fd(const km_h5 *file);
uint64_t km_h5_file_bytes(const km_h5 *file);

/* Chunked datasets of a fixed largest size, written by whole compressed chunks in order (kifumill/table.h
 * uses these). */
typedef struct km_h5_chunks km_h5_chunks;
typedef struct km_h5_layout {
  uint64_t max_rows;
  uint32_t chunk_rows;
  km_codec codec;
} km_h5_layout;
km_status km_h5_chunks_create(km_h5_chunks **chunks, km_h5 *file, const km_column *column,
                              const km_h5_layout *layout, km_err *err);
/* Appends a chunk that holds n_rows (chunk_rows; fewer only in the last one, which is padded all the same).
 */
km_status km_h5_chunks_append(km_h5_chunks *chunks, const void *packed, size_t n_packed, uint32_t n_rows,
                              km_err *err);
km_status km_h5_chunks_close(km_h5_chunks *chunks, km_err *err); /* frees chunks always; NULL is allowed */
/* Opens one for reading. Any thread may read; HDF5's lock is held for the time of the copy. */
km_status km_h5_chunks_open(km_h5_chunks **chunks, km_h5 *file, const char *name, km_err *err);
/* Copies the compressed bytes of chunk number i into *packed, a malloc'ed buffer of *capacity bytes that
 * grows as needed. KM_ERR_FORMAT: no such chunk, or larger than max_bytes. */
typedef struct km_h5_buffer {
  void *bytes;
  size_t n_bytes, capacity;
} km_h5_buffer;
km_status km_h5_chunks_read(km_h5_chunks *chunks, uint64_t i, size_t max_bytes, km_h5_buffer *packed,
                            km_err *err);

/* One dataset over those of other files, joined by rows. Missing files read as column->fill. */
typedef struct km_h5_part {
  const char *path; /* relative to the folder of the virtual file */
  const char *name; /* of the dataset in it */
  uint64_t n_rows;
} km_h5_part;
km_status km_h5_put_virtual(km_h5 *file, const km_column *column, const km_h5_part *parts, size_t n_parts,
                            km_err *err);

#endif
