/* h5_chunks.c: chunked datasets, whose chunks come and go compressed, and virtual ones over several files.
 *
 * A dataset starts with no rows and a largest number of them, and grows with every chunk. With a largest
 * number HDF5 indexes the chunks by a plain array with check sums. */
#include "h5_internal.h"
#include "plugin/h5z_zstd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct km_h5_chunks {
  km_h5 *file;
  hid_t dataset;
  char *name;
  uint32_t inner[KM_COLUMN_RANK_MAX];
  uint8_t inner_rank;
  uint32_t chunk_rows;
  uint64_t n_rows;
};

static int set_filters(hid_t dcpl, const km_column *column, km_codec codec) {
  unsigned level = codec.level;
  if (codec.kind == KM_CODEC_NONE)
    return 0;
  if (km_column_shuffle_bytes(column, codec) > 1 && H5Pset_shuffle(dcpl) < 0)
    return -1;
  if (codec.kind == KM_CODEC_GZIP) /* zlib knows no level above 9; what matters for reading is the format */
    return H5Pset_deflate(dcpl, level > 9 ? 9 : level) < 0;
  return H5Pset_filter(dcpl, KM_H5Z_FILTER_ZSTD, H5Z_FLAG_MANDATORY, 1, &level) < 0;
}

static km_status create(km_h5_chunks *c, const km_column *column, const km_h5_layout *layout, km_err *err) {
  hsize_t dims[KM_COLUMN_RANK_MAX + 1], most[KM_COLUMN_RANK_MAX + 1], chunk[KM_COLUMN_RANK_MAX + 1];
  uint64_t n_chunks = layout->max_rows / layout->chunk_rows + (layout->max_rows % layout->chunk_rows != 0);
  int rank = h5_dims(column, 0, dims);
  h5_dims(column, (n_chunks ? n_chunks : 1) * layout->chunk_rows, most);
  h5_dims(column, layout->chunk_rows, chunk);
  hid_t space = H5Screate_simple(rank, dims, most), dcpl = H5Pcreate(H5P_DATASET_CREATE);
  if (dcpl >= 0 &&
      (H5Pset_chunk(dcpl, rank, chunk) < 0 || H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_INCR) < 0 ||
       H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER) < 0 || set_filters(dcpl, column, layout->codec))) {
    H5Pclose(dcpl);
    dcpl = -1;
  }
  km_status status = h5_make_dataset(&c->dataset, c->file, column, space, dcpl, err);
  if (space >= 0)
    H5Sclose(space);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  return status;
}

static km_h5_chunks *new_chunks(km_h5 *file, const char *name) {
  km_h5_chunks *c = calloc(1, sizeof *c);
  if (!c)
    return NULL;
  c->file = file;
  c->dataset = -1;
  c->name = strdup(name);
  if (!c->name) {
    free(c);
    return NULL;
  }
  return c;
}

km_status km_h5_chunks_create(km_h5_chunks **chunks, km_h5 *file, const km_column *column,
                              const km_h5_layout *layout, km_err *err) {
  *chunks = NULL;
  km_h5_chunks *c = new_chunks(file, column->name);
  if (!c)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  c->inner_rank = column->inner_rank;
  memcpy(c->inner, column->inner, sizeof c->inner);
  c->chunk_rows = layout->chunk_rows;
  h5_enter();
  km_status status = create(c, column, layout, err);
  h5_leave();
  if (status) {
    km_h5_chunks_close(c, NULL);
    return status;
  }
  *chunks = c;
  return KM_OK;
}

static km_status append(km_h5_chunks *c, const void *packed, size_t n_packed, uint32_t n_rows, km_err *err) {
  hsize_t at[KM_COLUMN_RANK_MAX + 1] = {c->n_rows}, dims[KM_COLUMN_RANK_MAX + 1] = {c->n_rows + n_rows};
  for (int i = 0; i < c->inner_rank; i++)
    dims[i + 1] = c->inner[i];
  if (H5Dset_extent(c->dataset, dims) < 0 ||
      H5Dwrite_chunk(c->dataset, H5P_DEFAULT, 0, at, n_packed, packed) < 0)
    return h5_fail(err, KM_ERR_IO, "cannot write %s", c->file->path);
  c->n_rows += n_rows;
  return h5_written(c->file, err);
}

km_status km_h5_chunks_append(km_h5_chunks *chunks, const void *packed, size_t n_packed, uint32_t n_rows,
                              km_err *err) {
  if (chunks->n_rows % chunks->chunk_rows || n_rows == 0 || n_rows > chunks->chunk_rows)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: a chunk of %s after the last one, or of no size",
                      chunks->file->path, chunks->name);
  h5_enter();
  km_status status = append(chunks, packed, n_packed, n_rows, err);
  h5_leave();
  return status;
}

km_status km_h5_chunks_close(km_h5_chunks *chunks, km_err *err) {
  if (!chunks)
    return KM_OK;
  km_status status = KM_OK;
  if (chunks->dataset >= 0) {
    h5_enter();
    if (H5Dclose(chunks->dataset) < 0)
      status = h5_fail(err, KM_ERR_IO, "cannot write %s", chunks->file->path);
    h5_leave();
  }
  free(chunks->name);
  free(chunks);
  return status;
}

km_status km_h5_chunks_open(km_h5_chunks **chunks, km_h5 *file, const char *name, km_err *err) {
  *chunks = NULL;
  km_h5_info info;
  km_h5_chunks *c = new_chunks(file, name);
  if (!c)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  h5_enter();
  km_status status = h5_open_dataset(&c->dataset, file, name, err);
  if (!status)
    status = h5_describe(file, c->dataset, name, &info, err);
  h5_leave();
  if (!status && info.chunk_rows == 0)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%s: dataset %s is not chunked", file->path, name);
  if (status) {
    km_h5_chunks_close(c, NULL);
    return status;
  }
  c->inner_rank = info.inner_rank;
  memcpy(c->inner, info.inner, sizeof c->inner);
  c->chunk_rows = (uint32_t)info.chunk_rows;
  c->n_rows = info.n_rows;
  *chunks = c;
  return KM_OK;
}

static km_status make_room(km_h5_buffer *buffer, size_t n_bytes, km_err *err) {
  if (n_bytes > buffer->capacity) {
    void *bytes = realloc(buffer->bytes, n_bytes);
    if (!bytes)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    buffer->bytes = bytes;
    buffer->capacity = n_bytes;
  }
  buffer->n_bytes = n_bytes;
  return KM_OK;
}

static km_status read_chunk(km_h5_chunks *c, uint64_t i, size_t max_bytes, km_h5_buffer *packed,
                            km_err *err) {
  hsize_t at[KM_COLUMN_RANK_MAX + 1] = {i * c->chunk_rows}, n_bytes = 0;
  uint32_t skipped = 0;
  if (H5Dget_chunk_storage_size(c->dataset, at, &n_bytes) < 0)
    return h5_fail(err, KM_ERR_FORMAT, "%s: %s: chunk %llu cannot be found", c->file->path, c->name,
                   (unsigned long long)i);
  if (n_bytes == 0 || n_bytes > max_bytes)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s: chunk %llu is missing, or too large", c->file->path,
                      c->name, (unsigned long long)i);
  km_status status = make_room(packed, (size_t)n_bytes, err);
  if (status)
    return status;
  if (H5Dread_chunk(c->dataset, H5P_DEFAULT, at, &skipped, packed->bytes) < 0)
    return h5_fail(err, KM_ERR_FORMAT, "%s: %s: chunk %llu cannot be read", c->file->path, c->name,
                   (unsigned long long)i);
  if (skipped)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s: chunk %llu was written by other means", c->file->path,
                      c->name, (unsigned long long)i);
  return KM_OK;
}

km_status km_h5_chunks_read(km_h5_chunks *chunks, uint64_t i, size_t max_bytes, km_h5_buffer *packed,
                            km_err *err) {
  if (i >= chunks->n_rows / chunks->chunk_rows + (chunks->n_rows % chunks->chunk_rows != 0))
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s has no chunk %llu", chunks->file->path, chunks->name,
                      (unsigned long long)i);
  h5_enter();
  km_status status = read_chunk(chunks, i, max_bytes, packed, err);
  h5_leave();
  return status;
}

static int set_fill(hid_t dcpl, const km_column *column) {
  double nan_value = NAN;
  int64_t fill = column->fill;
  if (column->type == KM_F32 || column->type == KM_F64)
    return H5Pset_fill_value(dcpl, H5T_NATIVE_DOUBLE, &nan_value) < 0;
  return H5Pset_fill_value(dcpl, H5T_NATIVE_INT64, &fill) < 0;
}

/* Maps rows first … of the virtual dataset to the whole of a part's. */
static int add_part(hid_t dcpl, hid_t space, const km_column *column, const km_h5_part *part,
                    uint64_t first) {
  hsize_t dims[KM_COLUMN_RANK_MAX + 1], start[KM_COLUMN_RANK_MAX + 1] = {first};
  int rank = h5_dims(column, part->n_rows, dims);
  hid_t source = H5Screate_simple(rank, dims, NULL);
  int failed = source < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) < 0 ||
               H5Pset_virtual(dcpl, space, part->path, part->name, source) < 0;
  if (source >= 0)
    H5Sclose(source);
  return failed;
}

static km_status put_virtual(km_h5 *file, const km_column *column, const km_h5_part *parts, size_t n_parts,
                             km_err *err) {
  uint64_t n_rows = 0, first = 0;
  for (size_t i = 0; i < n_parts; i++)
    n_rows += parts[i].n_rows;
  hsize_t dims[KM_COLUMN_RANK_MAX + 1];
  int rank = h5_dims(column, n_rows, dims);
  hid_t space = H5Screate_simple(rank, dims, NULL), dcpl = H5Pcreate(H5P_DATASET_CREATE), dataset = -1;
  int failed = space < 0 || dcpl < 0 || set_fill(dcpl, column);
  for (size_t i = 0; i < n_parts && !failed; i++) {
    if (parts[i].n_rows)
      failed = add_part(dcpl, space, column, &parts[i], first);
    first += parts[i].n_rows;
  }
  km_status status;
  if (failed)
    status = h5_fail(err, KM_ERR_IO, "%s: cannot make virtual dataset %s", file->path, column->name);
  else
    status = h5_make_dataset(&dataset, file, column, space, dcpl, err);
  if (dataset >= 0)
    H5Dclose(dataset);
  if (space >= 0)
    H5Sclose(space);
  if (dcpl >= 0)
    H5Pclose(dcpl);
  return status;
}

km_status km_h5_put_virtual(km_h5 *file, const km_column *column, const km_h5_part *parts, size_t n_parts,
                            km_err *err) {
  h5_enter();
  km_status status = put_virtual(file, column, parts, n_parts, err);
  h5_leave();
  return status;
}
