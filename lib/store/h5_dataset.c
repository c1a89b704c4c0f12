/* h5_dataset.c: contiguous columns: making, describing, writing from front to back with a digest, reading. */
#include "h5_internal.h"
#include "plugin/h5z_zstd.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 64 * 1024 };

/* Called in a scope only: the names stand for numbers that HDF5 makes when it starts. */
hid_t h5_file_type(km_type type) {
  switch (type) {
  case KM_U8:
    return H5T_STD_U8LE;
  case KM_I8:
    return H5T_STD_I8LE;
  case KM_U16:
    return H5T_STD_U16LE;
  case KM_I16:
    return H5T_STD_I16LE;
  case KM_U32:
    return H5T_STD_U32LE;
  case KM_I32:
    return H5T_STD_I32LE;
  case KM_U64:
    return H5T_STD_U64LE;
  case KM_I64:
    return H5T_STD_I64LE;
  case KM_F32:
    return H5T_IEEE_F32LE;
  case KM_F64:
    return H5T_IEEE_F64LE;
  }
  return -1;
}

int h5_type_of(hid_t type) {
  for (int t = KM_U8; t <= KM_F64; t++)
    if (H5Tequal(type, h5_file_type((km_type)t)) > 0)
      return t;
  return -1;
}

int h5_dims(const km_column *column, uint64_t n_rows, hsize_t dims[KM_COLUMN_RANK_MAX + 1]) {
  dims[0] = n_rows;
  for (int i = 0; i < column->inner_rank; i++)
    dims[i + 1] = column->inner[i];
  return column->inner_rank + 1;
}

km_status h5_make_dataset(hid_t *dataset, km_h5 *file, const km_column *column, hid_t space, hid_t dcpl,
                          km_err *err) {
  *dataset = -1;
  if (space >= 0 && dcpl >= 0 && H5Pset_obj_track_times(dcpl, 0) >= 0)
    *dataset =
        H5Dcreate2(file->id, column->name, h5_file_type(column->type), space, H5P_DEFAULT, dcpl, H5P_DEFAULT);
  if (*dataset < 0)
    return h5_fail(err, KM_ERR_IO, "%s: cannot make dataset %s", file->path, column->name);
  km_status status = h5_put_text(*dataset, "description", column->doc, err);
  if (!status && column->units)
    status = h5_put_text(*dataset, "units", column->units, err);
  if (status) {
    H5Dclose(*dataset);
    *dataset = -1;
    km_err_prefix(err, "%s: %s", file->path, column->name);
  }
  return status;
}

km_status h5_open_dataset(hid_t *dataset, km_h5 *file, const char *name, km_err *err) {
  *dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
  if (*dataset < 0)
    return h5_fail(err, KM_ERR_FORMAT, "%s has no dataset %s", file->path, name);
  return KM_OK;
}

/* The filters of a chunked dataset, as a codec. Other filters than ours cannot be read beside HDF5. */
static int describe_filters(hid_t dcpl, km_h5_info *info) {
  int n = H5Pget_nfilters(dcpl);
  for (int i = 0; i < n; i++) {
    unsigned flags, values[1] = {0};
    size_t n_values = 1;
    H5Z_filter_t id = H5Pget_filter2(dcpl, (unsigned)i, &flags, &n_values, values, 0, NULL, NULL);
    if (id == H5Z_FILTER_SHUFFLE && i == 0)
      info->shuffled = 1;
    else if (id == H5Z_FILTER_DEFLATE && i == n - 1)
      info->codec = (km_codec){KM_CODEC_GZIP, (uint8_t)(values[0] >= 1 && values[0] <= 9 ? values[0] : 6)};
    else if (id == KM_H5Z_FILTER_ZSTD && i == n - 1)
      info->codec = (km_codec){KM_CODEC_ZSTD, (uint8_t)(values[0] >= 1 && values[0] <= 22 ? values[0] : 1)};
    else
      return -1;
  }
  return n < 0 ? -1 : 0;
}

/* Where the rows lie in a file of file->n_bytes. */
static int describe_place(const km_h5 *file, haddr_t at, km_h5_info *info) {
  km_column shape = {.type = info->type, .inner_rank = info->inner_rank};
  memcpy(shape.inner, info->inner, sizeof shape.inner);
  if (at > file->n_bytes || info->n_rows > (file->n_bytes - at) / km_column_row_bytes(&shape))
    return -1;
  info->offset = at;
  return 0;
}

static int describe_layout(hid_t dcpl, int rank, km_h5_info *info) {
  hsize_t chunk[KM_COLUMN_RANK_MAX + 1];
  switch (H5Pget_layout(dcpl)) {
  case H5D_CHUNKED:
    if (H5Pget_chunk(dcpl, rank, chunk) != rank || chunk[0] == 0 || chunk[0] > UINT32_MAX)
      return -1;
    for (int i = 1; i < rank; i++)
      if (chunk[i] != info->inner[i - 1])
        return -1;
    info->chunk_rows = chunk[0];
    return describe_filters(dcpl, info);
  case H5D_VIRTUAL:
    info->is_virtual = 1;
    return 0;
  case H5D_CONTIGUOUS:
    return 0;
  default:
    return -1;
  }
}

/* Contiguous rows have a place, and that is all: no list of properties has to be made, which takes longer
 * than the rest. */
static int describe_storage(km_h5 *file, hid_t dataset, int rank, km_h5_info *info) {
  haddr_t at = info->n_rows ? H5Dget_offset(dataset) : HADDR_UNDEF;
  if (at != HADDR_UNDEF)
    return describe_place(file, at, info);
  H5Eclear2(H5E_DEFAULT);
  hid_t dcpl = H5Dget_create_plist(dataset);
  int bad = dcpl < 0 || describe_layout(dcpl, rank, info);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  return bad;
}

static int describe_shape(hid_t dataset, km_h5_info *info) {
  hsize_t dims[KM_COLUMN_RANK_MAX + 1];
  hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
  int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1, kind = type >= 0 ? h5_type_of(type) : -1;
  int good = kind >= 0 && rank >= 1 && rank <= KM_COLUMN_RANK_MAX + 1 &&
             H5Sget_simple_extent_dims(space, dims, NULL) == rank;
  if (space >= 0)
    H5Sclose(space);
  if (type >= 0)
    H5Tclose(type);
  if (!good || dims[0] > (uint64_t)1 << 48)
    return -1;
  info->type = (km_type)kind;
  info->n_rows = dims[0];
  info->inner_rank = (uint8_t)(rank - 1);
  uint64_t inner = 1; /* 2^24 values a row are more than any column has, and keep all products in bounds */
  for (int i = 1; i < rank; i++) {
    if (dims[i] == 0 || dims[i] > 1u << 24 || (inner *= dims[i]) > 1u << 24)
      return -1;
    info->inner[i - 1] = (uint32_t)dims[i];
  }
  return rank;
}

km_status h5_describe(km_h5 *file, hid_t dataset, const char *name, km_h5_info *info, km_err *err) {
  *info = (km_h5_info){.offset = UINT64_MAX};
  int rank = describe_shape(dataset, info);
  if (rank < 0)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: dataset %s is of a type or shape that is none of ours",
                      file->path, name);
  if (describe_storage(file, dataset, rank, info))
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: dataset %s is cut off, or laid out as none of ours",
                      file->path, name);
  return KM_OK;
}

km_status km_h5_find(km_h5 *file, const char *name, km_h5_info *info, km_err *err) {
  h5_enter();
  hid_t dataset;
  km_status status = h5_open_dataset(&dataset, file, name, err);
  if (!status) {
    status = h5_describe(file, dataset, name, info, err);
    H5Dclose(dataset);
  }
  h5_leave();
  return status;
}

km_status km_h5_expect(km_h5 *file, const km_column *column, km_h5_info *info, km_err *err) {
  km_status status = km_h5_find(file, column->name, info, err);
  if (status)
    return status;
  int same = info->type == column->type && info->inner_rank == column->inner_rank;
  for (int i = 0; same && i < column->inner_rank; i++)
    same = info->inner[i] == column->inner[i];
  if (!same)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: dataset %s has another type or shape than it should",
                      file->path, column->name);
  return KM_OK;
}

struct km_h5_writer {
  km_h5 *file;
  hid_t dataset;
  km_column column;
  size_t row_bytes, n_buffered; /* rows */
  size_t buffer_rows;
  uint64_t n_rows, n_written; /* n_written: without those in the buffer */
  km_digest *digest;
  unsigned char *buffer;
};

static km_status make_contiguous(km_h5_writer *w, km_err *err) {
  hsize_t dims[KM_COLUMN_RANK_MAX + 1];
  int rank = h5_dims(&w->column, w->n_rows, dims);
  hid_t space = H5Screate_simple(rank, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE);
  if (dcpl >= 0 &&
      (H5Pset_layout(dcpl, H5D_CONTIGUOUS) < 0 || H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY) < 0 ||
       H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER) < 0)) {
    H5Pclose(dcpl);
    dcpl = -1;
  }
  km_status status = h5_make_dataset(&w->dataset, w->file, &w->column, space, dcpl, err);
  if (space >= 0)
    H5Sclose(space);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  return status;
}

km_status km_h5_writer_open(km_h5_writer **writer, km_h5 *file, const km_column *column, uint64_t n_rows,
                            km_err *err) {
  *writer = NULL;
  km_h5_writer *w = calloc(1, sizeof *w);
  if (!w)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  w->file = file;
  w->dataset = -1;
  w->column = *column;
  w->row_bytes = km_column_row_bytes(column);
  w->buffer_rows = w->row_bytes < BUFFER_BYTES ? BUFFER_BYTES / w->row_bytes : 1;
  w->n_rows = n_rows;
  w->digest = km_digest_new();
  w->buffer = malloc(w->buffer_rows * w->row_bytes);
  if (!w->digest || !w->buffer) {
    km_h5_writer_abandon(w);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  h5_enter();
  km_status status = make_contiguous(w, err);
  h5_leave();
  if (status) {
    km_h5_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

/* The rows of a transfer: first … first+n_rows-1 of the file, read into `in` or, when that is NULL, written
 * from `out`. */
typedef struct rows {
  uint64_t first, n_rows;
  void *in;
  const void *out;
} rows;

static km_status transfer(hid_t dataset, const km_h5 *file, const km_column *column, const rows *r,
                          km_err *err) {
  if (r->n_rows == 0)
    return KM_OK;
  hsize_t start[KM_COLUMN_RANK_MAX + 1] = {r->first}, count[KM_COLUMN_RANK_MAX + 1];
  int rank = h5_dims(column, r->n_rows, count);
  hid_t memory = H5Screate_simple(rank, count, NULL), space = H5Dget_space(dataset);
  hid_t type = h5_file_type(column->type);
  km_status status = KM_OK;
  if (memory < 0 || space < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "%s: dataset %s has no such rows", file->path, column->name);
  else if (r->in && H5Dread(dataset, type, memory, space, H5P_DEFAULT, r->in) < 0)
    status = h5_fail(err, KM_ERR_FORMAT, "%s: cannot read dataset %s", file->path, column->name);
  else if (!r->in && H5Dwrite(dataset, type, memory, space, H5P_DEFAULT, r->out) < 0)
    status = h5_fail(err, KM_ERR_IO, "cannot write %s", file->path);
  if (memory >= 0)
    H5Sclose(memory);
  if (space >= 0)
    H5Sclose(space);
  return status || r->in ? status : h5_written(file, err);
}

static km_status write_rows(km_h5_writer *w, const void *bytes, uint64_t n_rows, km_err *err) {
  h5_enter();
  km_status status = transfer(w->dataset, w->file, &w->column,
                              &(rows){.first = w->n_written, .n_rows = n_rows, .out = bytes}, err);
  h5_leave();
  w->n_written += n_rows;
  km_digest_add(w->digest, bytes, (size_t)n_rows * w->row_bytes);
  return status;
}

static km_status flush(km_h5_writer *w, km_err *err) {
  size_t n = w->n_buffered;
  w->n_buffered = 0;
  return n ? write_rows(w, w->buffer, n, err) : KM_OK;
}

km_status km_h5_writer_append(km_h5_writer *writer, const void *bytes, uint64_t n_rows, km_err *err) {
  if (n_rows > writer->n_rows - writer->n_written - writer->n_buffered)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: more rows for dataset %s than announced", writer->file->path,
                      writer->column.name);
  if (n_rows > writer->buffer_rows - writer->n_buffered) {
    km_status status = flush(writer, err);
    if (status)
      return status;
    if (n_rows >= writer->buffer_rows)
      return write_rows(writer, bytes, n_rows, err);
  }
  memcpy(writer->buffer + writer->n_buffered * writer->row_bytes, bytes, (size_t)n_rows * writer->row_bytes);
  writer->n_buffered += (size_t)n_rows;
  return KM_OK;
}

km_status km_h5_writer_finish(km_h5_writer *writer, km_err *err) {
  km_status status = flush(writer, err);
  if (!status && writer->n_written != writer->n_rows)
    status = km_err_set(err, KM_ERR_STATE, 0, "%s: fewer rows for dataset %s than announced",
                        writer->file->path, writer->column.name);
  if (!status) {
    char hex[33];
    km_hash_hex(km_digest_value(writer->digest), hex);
    h5_enter();
    status = h5_put_text(writer->dataset, KM_DIGEST_ATTRIBUTE, hex, err);
    if (H5Dclose(writer->dataset) < 0 && !status)
      status = h5_fail(err, KM_ERR_IO, "cannot write %s", writer->file->path);
    h5_leave();
    writer->dataset = -1;
  }
  km_h5_writer_abandon(writer);
  return status;
}

void km_h5_writer_abandon(km_h5_writer *writer) {
  if (!writer)
    return;
  if (writer->dataset >= 0) {
    h5_enter();
    H5Dclose(writer->dataset);
    h5_leave();
  }
  km_digest_free(writer->digest);
  free(writer->buffer);
  free(writer);
}

km_status km_h5_put_column(km_h5 *file, const km_column *column, uint64_t n_rows, const void *bytes,
                           km_err *err) {
  km_h5_writer *writer;
  km_status status = km_h5_writer_open(&writer, file, column, n_rows, err);
  if (status)
    return status;
  status = n_rows ? km_h5_writer_append(writer, bytes, n_rows, err) : KM_OK;
  if (status) {
    km_h5_writer_abandon(writer);
    return status;
  }
  return km_h5_writer_finish(writer, err);
}

km_status km_h5_read(km_h5 *file, const km_column *column, uint64_t first, uint64_t n_rows, void *bytes,
                     km_err *err) {
  h5_enter();
  hid_t dataset;
  km_status status = h5_open_dataset(&dataset, file, column->name, err);
  if (!status) {
    status = transfer(dataset, file, column, &(rows){.first = first, .n_rows = n_rows, .in = bytes}, err);
    H5Dclose(dataset);
  }
  h5_leave();
  return status;
}

km_status km_h5_read_all(km_h5 *file, const km_column *column, size_t max_bytes, void **bytes,
                         uint64_t *n_rows, km_err *err) {
  km_h5_info info;
  *bytes = NULL;
  km_status status = km_h5_expect(file, column, &info, err);
  if (status)
    return status;
  size_t row = km_column_row_bytes(column);
  if (info.n_rows > max_bytes / row)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%s: dataset %s is larger than %zu bytes", file->path,
                      column->name, max_bytes);
  void *block = malloc(info.n_rows ? (size_t)info.n_rows * row : 1);
  if (!block)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  status = km_h5_read(file, column, 0, info.n_rows, block, err);
  if (status) {
    free(block);
    return status;
  }
  *bytes = block;
  *n_rows = info.n_rows;
  return KM_OK;
}
