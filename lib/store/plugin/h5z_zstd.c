/* h5z_zstd.c: HDF5 filter 32015: a chunk is one zstd frame with its size in the header, as every other
 * implementation of this registered filter writes it. Frames get zstd's check sum, which all readers verify.
 *
 * HDF5 hands over a buffer made by malloc and takes one back, so malloc and free are used; nothing of libhdf5
 * is called, so that the plugin can be loaded by a program that carries an HDF5 of its own. */
#include "h5z_zstd.h"

#include <stdlib.h>
#include <zstd.h>

enum { DEFAULT_LEVEL = 3 };
/* HDF5 itself refuses chunks of 4 GiB: a frame that claims more is damaged. */
#define CHUNK_BYTES_MAX 0xffffffffull

static size_t unpack(size_t n_bytes, size_t *buffer_bytes, void **buffer) {
  unsigned long long n_raw = ZSTD_getFrameContentSize(*buffer, n_bytes);
  if (n_raw == 0 || n_raw > CHUNK_BYTES_MAX) /* covers the error values too */
    return 0;
  void *raw = malloc((size_t)n_raw);
  if (!raw)
    return 0;
  size_t n = ZSTD_decompress(raw, (size_t)n_raw, *buffer, n_bytes);
  if (ZSTD_isError(n)) {
    free(raw);
    return 0;
  }
  free(*buffer);
  *buffer = raw;
  *buffer_bytes = (size_t)n_raw;
  return n;
}

static size_t pack(int level, size_t n_bytes, size_t *buffer_bytes, void **buffer) {
  size_t bound = ZSTD_compressBound(n_bytes), n = 0;
  void *packed = malloc(bound);
  ZSTD_CCtx *ctx = ZSTD_createCCtx();
  if (!packed || !ctx || ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level)) ||
      ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1)))
    goto out;
  size_t got = ZSTD_compress2(ctx, packed, bound, *buffer, n_bytes);
  if (ZSTD_isError(got))
    goto out;
  free(*buffer);
  *buffer = packed;
  *buffer_bytes = bound;
  packed = NULL;
  n = got;
out:
  ZSTD_freeCCtx(ctx);
  free(packed);
  return n;
}

/* The filter as HDF5 calls it: gives the number of valid bytes in *buffer, 0 for failure. */
static size_t filter(unsigned flags, size_t n_values, const unsigned values[], size_t n_bytes,
                     size_t *buffer_bytes, void **buffer) {
  if (flags & H5Z_FLAG_REVERSE)
    return unpack(n_bytes, buffer_bytes, buffer);
  int level = n_values > 0 ? (int)values[0] : DEFAULT_LEVEL;
  return pack(level, n_bytes, buffer_bytes, buffer);
}

const H5Z_class2_t km_h5z_zstd = {
    .version = H5Z_CLASS_T_VERS,
    .id = KM_H5Z_FILTER_ZSTD,
    .encoder_present = 1,
    .decoder_present = 1,
    .name = "zstd (kifumill)",
    .filter = filter,
};
