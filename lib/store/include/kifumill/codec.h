/* codec.h: compression of one chunk, as HDF5's filters would do it, outside HDF5 and in any thread.
 *
 * Chunks are byte-shuffled (HDF5 filter 2) where that helps, then compressed: zlib format for gzip (HDF5
 * filter 1; written by libdeflate), one zstd frame with its size for zstd (registered filter 32015; the frame
 * has no check sum: tables keep one of every chunk as it stands in the file, at a tenth of the price). What
 * is written so is read by any HDF5 with the filter, and the other way round. The bytes depend on input,
 * codec and level, and the version of the compression library, only. */
#ifndef KIFUMILL_CODEC_H
#define KIFUMILL_CODEC_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

typedef enum km_codec_kind { KM_CODEC_NONE = 0, KM_CODEC_GZIP = 1, KM_CODEC_ZSTD = 2 } km_codec_kind;
typedef struct km_codec {
  uint8_t kind;  /* km_codec_kind */
  uint8_t level; /* gzip 1…12, zstd 1…22, none 0 */
} km_codec;

/* Reads "none", "gzip", "gzip:6", "zstd", "zstd:3" (default levels: gzip 6, zstd 1). KM_ERR_USAGE. */
km_status km_codec_parse(km_codec *codec, const char *text, km_err *err);
/* "zstd:1" and so on; text holds 16. */
void km_codec_print(km_codec codec, char text[16]);

/* The state of one thread: compressor, decompressor, room for shuffling. NULL when memory is out. */
typedef struct km_codec_ctx km_codec_ctx;
km_codec_ctx *km_codec_ctx_new(km_codec codec);
void km_codec_ctx_free(km_codec_ctx *ctx);

/* What the chunks to come are, of the kinds that are compressed in ways of their own. */
typedef enum km_content {
  KM_CONTENT_ANY = 0,
  KM_CONTENT_PLANES, /* planes of boards, row by row: what repeats does so nearby, and in long pieces */
  KM_CONTENT_SERIES, /* numbers that a row often shares with the one before, or some bytes of them */
} km_content;
/* Rows of planes (n_bytes of a chunk are a multiple of row_bytes) mostly repeat themselves after `period`
 * bytes; 0: not known. Rows of series have row_bytes, too. Both mean nothing for other content. */
void km_codec_expect(km_codec_ctx *ctx, km_content content, size_t row_bytes, size_t period);

/* The most bytes that n_bytes can become. */
size_t km_codec_bound(km_codec codec, size_t n_bytes);

/* Shuffles (element_bytes > 1; n_bytes is a multiple) and compresses n_bytes at raw into packed, which has
 * room for km_codec_bound(n_bytes). KM_ERR_NOMEM, KM_ERR_LIMIT. */
km_status km_codec_pack(km_codec_ctx *ctx, void *packed, size_t *n_packed, const void *raw, size_t n_bytes,
                        size_t element_bytes, km_err *err);
/* The inverse: exactly n_bytes, else KM_ERR_FORMAT. Any packed bytes are safe. */
km_status km_codec_unpack(km_codec_ctx *ctx, void *raw, size_t n_bytes, const void *packed, size_t n_packed,
                          size_t element_bytes, km_err *err);

/* HDF5's byte shuffle: all first bytes, then all second bytes, … to and from must not overlap. */
void km_shuffle(void *to, const void *from, size_t n_elements, size_t element_bytes);
void km_unshuffle(void *to, const void *from, size_t n_elements, size_t element_bytes);

#endif
