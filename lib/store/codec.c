/* codec.c: zstd through libzstd, zlib format through libdeflate, and HDF5's byte shuffle.
 *
 * libdeflate makes the same format as zlib, several times faster, for blocks that are in memory as a whole:
 * chunks are. Contexts are made once a thread; packing a chunk allocates nothing once the shuffle buffer has
 * its size. */
#include "kifumill/codec.h"
#include "plane_matches.h"
#include "row_matches.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef KM_HAVE_ZSTD_SEQUENCES
#define ZSTD_STATIC_LINKING_ONLY /* for ZSTD_compressSequences, which libzstd has had since 1.4.7 */
#endif
#include <zstd.h>

enum { GZIP_LEVEL_MAX = 12, ZSTD_LEVEL_MAX = 22 };

/* Planes at level 1. Where the period of rows is known, the matches are handed to zstd, which then only
 * writes them: half the time of the level's own search (shuffled rows of 17 planes on 19×19: 500 instead of
 * 950 ns), and 71 bytes a row instead of 75. Otherwise matches of 7 bytes and more are looked for in a table
 * of 256 places, which mostly holds those of the last row or two: three quarters of the time, and as few
 * bytes. */
enum { PLANES_LEVEL = 1, PLANES_MATCH = 7, PLANES_HASH_LOG = 8, BYTES_PER_MATCH = 16 };

/* Series at level 1: the bytes that a row shares with the one before it are handed to zstd as matches. What
 * is left of one number a row is noise, and not tried to be made smaller; of several numbers it is not. S and
 * log2 of 4.1 M positions: 3.49 bytes a position in 31 ns; with the level's own search 3.47 in 50. */
enum { SERIES_LEVEL = 1, SERIES_HASH_LOG = 8, SERIES_BYTES_MAX = 1 << 20, NUMBER_BYTES = 32 };
enum { LITERALS_BY_LEVEL = 0, LITERALS_AS_THEY_ARE = 2 }; /* names of these differ between versions of zstd */

struct km_codec_ctx {
  km_codec codec;
  km_content content;
  size_t row_bytes, period; /* period: of planes */
  ZSTD_CCtx *zstd_in, *zstd_planes, *zstd_matches, *zstd_series;
  km_match *matches;
  size_t n_matches; /* room for */
  int are_checked; /* the first chunk of matches came back as it was: 1; or it did not, and there are to be no
                      more: -1 */
  ZSTD_DCtx *zstd_out;
  struct libdeflate_compressor *deflate_in;
  struct libdeflate_decompressor *deflate_out;
  unsigned char *room; /* for shuffled bytes */
  size_t room_bytes;
};

static const struct {
  const char *name;
  uint8_t kind, level, level_max;
} codecs[] = {
    {"none", KM_CODEC_NONE, 0, 0},
    {"gzip", KM_CODEC_GZIP, 6, GZIP_LEVEL_MAX},
    {"zstd", KM_CODEC_ZSTD, 1, ZSTD_LEVEL_MAX},
};
enum { N_CODECS = sizeof codecs / sizeof codecs[0] };

km_status km_codec_parse(km_codec *codec, const char *text, km_err *err) {
  for (size_t i = 0; i < N_CODECS; i++) {
    size_t n = strlen(codecs[i].name);
    if (strncmp(text, codecs[i].name, n) || (text[n] && text[n] != ':'))
      continue;
    unsigned long level = codecs[i].level;
    if (text[n] == ':') {
      char *end = NULL;
      level = text[n + 1] >= '0' && text[n + 1] <= '9' ? strtoul(text + n + 1, &end, 10) : 0;
      if (!end || *end || level < 1 || level > codecs[i].level_max)
        return km_err_set(err, KM_ERR_USAGE, 0, "codec %.40s: the level is not in 1…%d", text,
                          codecs[i].level_max);
    }
    *codec = (km_codec){codecs[i].kind, (uint8_t)level};
    return KM_OK;
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "%.40s is no codec: zstd, zstd:1…22, gzip, gzip:1…12, none", text);
}

void km_codec_print(km_codec codec, char text[16]) {
  if (codec.kind == KM_CODEC_NONE || codec.kind >= N_CODECS)
    snprintf(text, 16, "none");
  else
    snprintf(text, 16, "%s:%u", codecs[codec.kind].name, codec.level);
}

static int set(ZSTD_CCtx *zstd, ZSTD_cParameter parameter, int value) {
  return !ZSTD_isError(ZSTD_CCtx_setParameter(zstd, parameter, value));
}

static int make_zstd(km_codec_ctx *ctx) {
  ctx->zstd_in = ZSTD_createCCtx();
  ctx->zstd_planes = ZSTD_createCCtx();
  ctx->zstd_matches = ZSTD_createCCtx();
  ctx->zstd_series = ZSTD_createCCtx();
  ctx->zstd_out = ZSTD_createDCtx();
  int made = ctx->zstd_in && ctx->zstd_planes && ctx->zstd_matches && ctx->zstd_series && ctx->zstd_out &&
             set(ctx->zstd_in, ZSTD_c_compressionLevel, ctx->codec.level) &&
             set(ctx->zstd_planes, ZSTD_c_compressionLevel, ctx->codec.level);
  if (made && ctx->codec.level == PLANES_LEVEL)
    made = set(ctx->zstd_planes, ZSTD_c_minMatch, PLANES_MATCH) &&
           set(ctx->zstd_planes, ZSTD_c_hashLog, PLANES_HASH_LOG) &&
           set(ctx->zstd_matches, ZSTD_c_compressionLevel, PLANES_LEVEL) &&
           set(ctx->zstd_matches, ZSTD_c_minMatch, KM_MATCH_LEAST) &&
           set(ctx->zstd_matches, ZSTD_c_hashLog, PLANES_HASH_LOG);
#ifdef KM_HAVE_ZSTD_SEQUENCES
  if (made && ctx->codec.level == SERIES_LEVEL)
    made = set(ctx->zstd_series, ZSTD_c_compressionLevel, SERIES_LEVEL) &&
           set(ctx->zstd_series, ZSTD_c_minMatch, KM_ROW_MATCH_LEAST) &&
           set(ctx->zstd_series, ZSTD_c_hashLog, SERIES_HASH_LOG);
#endif
  return made;
}

km_codec_ctx *km_codec_ctx_new(km_codec codec) {
  km_codec_ctx *ctx = calloc(1, sizeof *ctx);
  if (!ctx)
    return NULL;
  ctx->codec = codec;
  int made = 1;
  if (codec.kind == KM_CODEC_ZSTD) {
    made = make_zstd(ctx);
  } else if (codec.kind == KM_CODEC_GZIP) {
    ctx->deflate_in = libdeflate_alloc_compressor(codec.level);
    ctx->deflate_out = libdeflate_alloc_decompressor();
    made = ctx->deflate_in && ctx->deflate_out;
  }
  if (!made) {
    km_codec_ctx_free(ctx);
    return NULL;
  }
  return ctx;
}

void km_codec_ctx_free(km_codec_ctx *ctx) {
  if (!ctx)
    return;
  ZSTD_freeCCtx(ctx->zstd_in);
  ZSTD_freeCCtx(ctx->zstd_planes);
  ZSTD_freeCCtx(ctx->zstd_matches);
  ZSTD_freeCCtx(ctx->zstd_series);
  ZSTD_freeDCtx(ctx->zstd_out);
  if (ctx->deflate_in)
    libdeflate_free_compressor(ctx->deflate_in);
  if (ctx->deflate_out)
    libdeflate_free_decompressor(ctx->deflate_out);
  free(ctx->room);
  free(ctx->matches);
  free(ctx);
}

void km_codec_expect(km_codec_ctx *ctx, km_content content, size_t row_bytes, size_t period) {
  ctx->content = content;
  ctx->row_bytes = row_bytes;
  ctx->period = period;
}

size_t km_codec_bound(km_codec codec, size_t n_bytes) {
  switch (codec.kind) {
  case KM_CODEC_ZSTD:
    return ZSTD_compressBound(n_bytes);
  case KM_CODEC_GZIP:
    return libdeflate_zlib_compress_bound(NULL, n_bytes);
  default:
    return n_bytes;
  }
}

/* Gives ctx->room at least n_bytes. */
static km_status make_room(km_codec_ctx *ctx, size_t n_bytes, km_err *err) {
  if (n_bytes <= ctx->room_bytes)
    return KM_OK;
  unsigned char *room = realloc(ctx->room, n_bytes);
  if (!room)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  ctx->room = room;
  ctx->room_bytes = n_bytes;
  return KM_OK;
}

#ifdef KM_HAVE_ZSTD_SEQUENCES
_Static_assert(sizeof(km_match) == sizeof(ZSTD_Sequence) &&
                   offsetof(km_match, offset) == offsetof(ZSTD_Sequence, offset) &&
                   offsetof(km_match, n_literals) == offsetof(ZSTD_Sequence, litLength) &&
                   offsetof(km_match, length) == offsetof(ZSTD_Sequence, matchLength),
               "matches are zstd's sequences");

/* Whether a chunk's matches are to be told to zstd. */
static int has_matches(const km_codec_ctx *ctx, size_t n_bytes) {
  if (ctx->codec.kind != KM_CODEC_ZSTD || ctx->are_checked < 0)
    return 0;
  if (ctx->content == KM_CONTENT_SERIES)
    return ctx->codec.level == SERIES_LEVEL && n_bytes <= SERIES_BYTES_MAX;
  return ctx->content == KM_CONTENT_PLANES && ctx->codec.level == PLANES_LEVEL && ctx->period &&
         n_bytes % ctx->row_bytes == 0;
}

/* The memory for that: the bytes must not depend on how much there is. */
static km_status make_match_room(km_codec_ctx *ctx, size_t n_bytes, km_err *err) {
  size_t n = ctx->content == KM_CONTENT_SERIES ? KM_ROW_MATCHES_MAX(n_bytes) : n_bytes / BYTES_PER_MATCH + 1;
  if (n > ctx->n_matches) {
    free(ctx->matches);
    ctx->matches = malloc(n * sizeof *ctx->matches);
    ctx->n_matches = ctx->matches ? n : 0;
  }
  if (!ctx->matches)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  return ctx->are_checked ? KM_OK : make_room(ctx, n_bytes, err);
}

/* The libzstd that is there may be another one than the program was built with: whether what it makes of
 * matches comes back as it was is seen once. */
static int comes_back(km_codec_ctx *ctx, const void *packed, size_t n_packed, const void *raw,
                      size_t n_bytes) {
  return ZSTD_decompressDCtx(ctx->zstd_out, ctx->room, n_bytes, packed, n_packed) == n_bytes &&
         memcmp(ctx->room, raw, n_bytes) == 0;
}

/* Compresses a chunk by its matches; 0: not this way. */
static size_t pack_matches(km_codec_ctx *ctx, void *packed, size_t room, const void *raw, size_t n_bytes) {
  int is_series = ctx->content == KM_CONTENT_SERIES;
  size_t n = is_series ? km_row_matches(ctx->matches, raw, n_bytes, ctx->row_bytes)
                       : km_plane_matches(ctx->matches, n_bytes / BYTES_PER_MATCH, raw,
                                          n_bytes / ctx->row_bytes, ctx->row_bytes, ctx->period);
  if (n == 0)
    return 0;
  ZSTD_CCtx *zstd = is_series ? ctx->zstd_series : ctx->zstd_matches;
  if (is_series) {
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only); /* parameters are set between frames only */
    if (!set(zstd, ZSTD_c_literalCompressionMode,
             ctx->row_bytes > NUMBER_BYTES ? LITERALS_BY_LEVEL : LITERALS_AS_THEY_ARE))
      return 0;
  }
  const ZSTD_Sequence *sequences = (const ZSTD_Sequence *)(const void *)ctx->matches;
  size_t n_packed = ZSTD_compressSequences(zstd, packed, room, sequences, n, raw, n_bytes);
  if (!ctx->are_checked)
    ctx->are_checked = !ZSTD_isError(n_packed) && comes_back(ctx, packed, n_packed, raw, n_bytes) ? 1 : -1;
  return ctx->are_checked < 0 || ZSTD_isError(n_packed) ? 0 : n_packed;
}
#else
static int has_matches(const km_codec_ctx *ctx, size_t n_bytes) {
  (void)ctx, (void)n_bytes;
  return 0;
}
static km_status make_match_room(km_codec_ctx *ctx, size_t n_bytes, km_err *err) {
  (void)ctx, (void)n_bytes, (void)err;
  return KM_OK;
}
static size_t pack_matches(km_codec_ctx *ctx, void *packed, size_t room, const void *raw, size_t n_bytes) {
  (void)ctx, (void)packed, (void)room, (void)raw, (void)n_bytes;
  return 0;
}
#endif

/* One frame, whose size or error is zstd's. */
static size_t pack_zstd(km_codec_ctx *ctx, void *packed, size_t room, const void *raw, size_t n_bytes) {
  ZSTD_CCtx *zstd = ctx->content == KM_CONTENT_PLANES ? ctx->zstd_planes : ctx->zstd_in;
  size_t n = has_matches(ctx, n_bytes) ? pack_matches(ctx, packed, room, raw, n_bytes) : 0;
  return n ? n : ZSTD_compress2(zstd, packed, room, raw, n_bytes);
}

km_status km_codec_pack(km_codec_ctx *ctx, void *packed, size_t *n_packed, const void *raw, size_t n_bytes,
                        size_t element_bytes, km_err *err) {
  if (element_bytes > 1) {
    km_status status = make_room(ctx, n_bytes, err);
    if (status)
      return status;
    km_shuffle(ctx->room, raw, n_bytes / element_bytes, element_bytes);
    raw = ctx->room;
  }
  if (has_matches(ctx, n_bytes)) {
    km_status status = make_match_room(ctx, n_bytes, err);
    if (status)
      return status;
  }
  size_t bound = km_codec_bound(ctx->codec, n_bytes), n = n_bytes;
  switch (ctx->codec.kind) {
  case KM_CODEC_ZSTD:
    n = pack_zstd(ctx, packed, bound, raw, n_bytes);
    if (ZSTD_isError(n))
      return km_err_set(err, KM_ERR_NOMEM, 0, "zstd: %s", ZSTD_getErrorName(n));
    break;
  case KM_CODEC_GZIP:
    n = libdeflate_zlib_compress(ctx->deflate_in, raw, n_bytes, packed, bound);
    if (n == 0)
      return km_err_set(err, KM_ERR_NOMEM, 0, "gzip: a chunk of %zu bytes does not fit its bound", n_bytes);
    break;
  default:
    memcpy(packed, raw, n_bytes);
  }
  *n_packed = n;
  return KM_OK;
}

km_status km_codec_unpack(km_codec_ctx *ctx, void *raw, size_t n_bytes, const void *packed, size_t n_packed,
                          size_t element_bytes, km_err *err) {
  int shuffled = element_bytes > 1;
  if (shuffled) {
    km_status status = make_room(ctx, n_bytes, err);
    if (status)
      return status;
  }
  void *to = shuffled ? ctx->room : raw;
  size_t n = n_packed;
  switch (ctx->codec.kind) {
  case KM_CODEC_ZSTD:
    n = ZSTD_decompressDCtx(ctx->zstd_out, to, n_bytes, packed, n_packed);
    if (ZSTD_isError(n))
      return km_err_set(err, KM_ERR_FORMAT, 0, "cannot be unpacked (zstd: %s)", ZSTD_getErrorName(n));
    break;
  case KM_CODEC_GZIP:
    if (libdeflate_zlib_decompress(ctx->deflate_out, packed, n_packed, to, n_bytes, &n) != LIBDEFLATE_SUCCESS)
      return km_err_set(err, KM_ERR_FORMAT, 0, "cannot be unpacked (gzip)");
    break;
  default:
    if (n_packed == n_bytes)
      memcpy(to, packed, n_bytes);
  }
  if (n != n_bytes)
    return km_err_set(err, KM_ERR_FORMAT, 0, "unpacks to %zu bytes instead of %zu", n, n_bytes);
  if (shuffled)
    km_unshuffle(raw, to, n_bytes / element_bytes, element_bytes);
  return KM_OK;
}

/* The widths in use have loops of constant stride, which compilers turn into vector code. */
#define SHUFFLE_LOOP(width)                                                                                  \
  for (size_t b = 0; b < (width); b++)                                                                       \
    for (size_t i = 0; i < n_elements; i++)                                                                  \
  out[b * n_elements + i] = in[i * (width) + b]
#define UNSHUFFLE_LOOP(width)                                                                                \
  for (size_t i = 0; i < n_elements; i++)                                                                    \
    for (size_t b = 0; b < (width); b++)                                                                     \
  out[i * (width) + b] = in[b * n_elements + i]

void km_shuffle(void *restrict to, const void *restrict from, size_t n_elements, size_t element_bytes) {
  unsigned char *restrict out = to;
  const unsigned char *restrict in = from;
  switch (element_bytes) {
  case 2:
    SHUFFLE_LOOP(2u);
    break;
  case 4:
    SHUFFLE_LOOP(4u);
    break;
  case 8:
    SHUFFLE_LOOP(8u);
    break;
  default:
    SHUFFLE_LOOP(element_bytes);
  }
}

void km_unshuffle(void *restrict to, const void *restrict from, size_t n_elements, size_t element_bytes) {
  unsigned char *restrict out = to;
  const unsigned char *restrict in = from;
  switch (element_bytes) {
  case 2:
    UNSHUFFLE_LOOP(2u);
    break;
  case 4:
    UNSHUFFLE_LOOP(4u);
    break;
  case 8:
    UNSHUFFLE_LOOP(8u);
    break;
  default:
    UNSHUFFLE_LOOP(element_bytes);
  }
}
