/* decode_stream.c: gzip, zstd, xz, lzip, lzma and bzip2 as streams.
 *
 * Why not libarchive's filters: they hand out blocks of 64 KiB and lose the last one when the input ends
 * early, check no gzip sum, and say nothing of bytes behind the end. Here every byte before a fault comes
 * out.
 *
 * One loop serves all: a codec's step consumes input and makes output until the block is full, the member
 * (gzip member, zstd frame, xz stream) ends, or the bytes are bad. Behind a member: NUL padding is skipped,
 * another member is joined on, anything else is counted as trailing. */
#include <bzlib.h>
#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "byte_stream.h"
#include "zstd_contexts.h"

enum { MAGIC_LOOK = 10 /* bytes that tell any of these filters */, ZSTD_WINDOW_LOG_MAX = 31 };

typedef enum step_result { STEP_MORE, STEP_MEMBER_END, STEP_FAULT, STEP_NOMEM } step_result;

/* Where the bytes of a gzip member are: header fields, data, trailer. */
typedef enum gzip_part {
  GZ_FIXED,
  GZ_EXTRA_SIZE,
  GZ_EXTRA,
  GZ_NAME,
  GZ_COMMENT,
  GZ_HEADER_CRC,
  GZ_DATA,
  GZ_TRAILER
} gzip_part;

typedef struct gzip_codec {
  z_stream z;
  gzip_part part;
  unsigned n_part; /* bytes of the part so far */
  uint8_t flags, bytes[10];
  unsigned extra;
  uint32_t crc, size;
} gzip_codec;

typedef struct decoder {
  km_stream base;
  km_magic magic;
  step_result (*step)(struct decoder *d);
  km_status (*reset)(struct decoder *d);
  const uint8_t *in, *rest; /* what is to be consumed now; what comes after look[] */
  size_t n_in, n_rest;
  bool below_ended, done;
  uint8_t look[MAGIC_LOOK];

  size_t n_out;
  union {
    gzip_codec gzip;
    ZSTD_DCtx *zstd;
    lzma_stream lzma;
    bz_stream bzip2;
  } codec;
  uint8_t block[KM_STREAM_BLOCK];
} decoder;

/* Sees to it that there is input, unless the stream below has ended. */
static km_status feed(decoder *d) {
  while (!d->n_in && !d->below_ended) {
    if (d->n_rest) {
      d->in = d->rest;
      d->n_in = d->n_rest;
      d->n_rest = 0;
      return KM_OK;
    }
    if (km_stream_next(d->base.below))
      return KM_ERR_NOMEM;
    d->in = d->base.below->block;
    d->n_in = d->base.below->n_block;
    d->below_ended = !d->n_in;
  }
  return KM_OK;
}

static void took(decoder *d, size_t n_in, size_t n_out) {
  d->in += n_in;
  d->n_in -= n_in;
  d->n_out += n_out;
}

static size_t room(const decoder *d) {
  return sizeof d->block - d->n_out;
}

/* gzip (RFC 1952): raw deflate by zlib, header and trailer here, the sum by libdeflate, which is many times
 * faster. */

static gzip_part gzip_part_after(const gzip_codec *g, gzip_part part) {
  if (part < GZ_EXTRA_SIZE && (g->flags & 4))
    return GZ_EXTRA_SIZE;
  if (part == GZ_EXTRA_SIZE && g->extra)
    return GZ_EXTRA;
  if (part < GZ_NAME && (g->flags & 8))
    return GZ_NAME;
  if (part < GZ_COMMENT && (g->flags & 16))
    return GZ_COMMENT;
  if (part < GZ_HEADER_CRC && (g->flags & 2))
    return GZ_HEADER_CRC;
  return GZ_DATA;
}

/* One byte of the header; false when it is no gzip header. */
static bool gzip_header_byte(gzip_codec *g, uint8_t byte) {
  bool whole = false;
  unsigned n = g->n_part++;
  if (n < sizeof g->bytes)
    g->bytes[n] = byte;
  switch (g->part) {
  case GZ_FIXED:
    whole = n == 9;
    if (n == 2 && byte != 8)
      return false;
    g->flags = g->bytes[3];
    break;
  case GZ_EXTRA_SIZE:
    whole = n == 1;
    g->extra = g->bytes[0] + (unsigned)byte * 256;
    break;
  case GZ_EXTRA:
    whole = n + 1 == g->extra;
    break;
  case GZ_NAME:
  case GZ_COMMENT:
    whole = byte == 0;
    break;
  default:
    whole = n == 1;
    break;
  }
  if (whole) {
    g->part = gzip_part_after(g, g->part);
    g->n_part = 0;
  }
  return true;
}

static uint32_t little32(const uint8_t *b) {
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static step_result gzip_trailer(decoder *d) {
  gzip_codec *g = &d->codec.gzip;
  while (d->n_in && g->n_part < 8) {
    g->bytes[g->n_part++] = *d->in;
    took(d, 1, 0);
  }
  if (g->n_part < 8)
    return STEP_MORE;
  if (little32(g->bytes) != g->crc || little32(g->bytes + 4) != g->size)
    d->base.crc_fault = true;
  return STEP_MEMBER_END;
}

static step_result gzip_step(decoder *d) {
  gzip_codec *g = &d->codec.gzip;
  while (g->part < GZ_DATA && d->n_in) {
    if (!gzip_header_byte(g, *d->in)) {
      km_stream_fault(&d->base, KM_REASON_CORRUPT_ARCHIVE, "gzip: not a header");
      return STEP_FAULT;
    }
    took(d, 1, 0);
  }
  if (g->part == GZ_TRAILER)
    return gzip_trailer(d);
  if (g->part != GZ_DATA)
    return STEP_MORE;
  size_t n_in = d->n_in < (1u << 30) ? d->n_in : 1u << 30;
  g->z.next_in = (Bytef *)(uintptr_t)d->in;
  g->z.avail_in = (uInt)n_in;
  g->z.next_out = d->block + d->n_out;
  g->z.avail_out = (uInt)room(d);
  int r = inflate(&g->z, Z_NO_FLUSH);
  size_t made = room(d) - g->z.avail_out;
  g->crc = libdeflate_crc32(g->crc, d->block + d->n_out, made);
  g->size += (uint32_t)made;
  took(d, n_in - g->z.avail_in, made);
  if (r == Z_STREAM_END) {
    g->part = GZ_TRAILER;
    g->n_part = 0;
  } else if (r == Z_MEM_ERROR) {
    return STEP_NOMEM;
  } else if (r != Z_OK && r != Z_BUF_ERROR) {
    km_stream_fault(&d->base, KM_REASON_CORRUPT_ARCHIVE, "gzip: %s", g->z.msg ? g->z.msg : "bad data");
    return STEP_FAULT;
  }
  return STEP_MORE;
}

static km_status gzip_reset(decoder *d) {
  gzip_codec *g = &d->codec.gzip;
  int r = g->z.state ? inflateReset(&g->z) : inflateInit2(&g->z, -15);
  g->part = GZ_FIXED;
  g->n_part = g->crc = g->size = 0;
  return r == Z_OK ? KM_OK : KM_ERR_NOMEM;
}

/* zstd: a frame with a window beyond the entry limit is refused by the library. */

static step_result zstd_step(decoder *d) {
  ZSTD_inBuffer in = {d->in, d->n_in, 0};
  ZSTD_outBuffer out = {d->block, sizeof d->block, d->n_out};
  size_t r = ZSTD_decompressStream(d->codec.zstd, &out, &in);
  took(d, in.pos, out.pos - d->n_out);
  if (!ZSTD_isError(r))
    return r ? STEP_MORE : STEP_MEMBER_END;
  const char *name = ZSTD_getErrorName(r);
  if (strstr(name, "llocation"))
    return STEP_NOMEM;
  km_reason reason = strstr(name, "checksum") ? KM_REASON_CRC_ERROR : KM_REASON_CORRUPT_ARCHIVE;
  if (strstr(name, "memory")) /* a window beyond ZSTD_d_windowLogMax */
    reason = KM_REASON_UNSUPPORTED_ARCHIVE;
  km_stream_fault(&d->base, reason, "zstd: %s", name);
  return STEP_FAULT;
}

static km_status zstd_reset(decoder *d) {
  if (!d->codec.zstd) {
    d->codec.zstd = km_zstd_take();
    if (!d->codec.zstd)
      return KM_ERR_NOMEM;
    int window_log = 27; /* what zstd itself allows without --long */
    while (window_log < ZSTD_WINDOW_LOG_MAX &&
           (UINT64_C(2) << window_log) <= d->base.budget->limits->max_entry_bytes)
      window_log++;
    ZSTD_DCtx_setParameter(d->codec.zstd, ZSTD_d_windowLogMax, window_log);
    return KM_OK;
  }
  ZSTD_DCtx_reset(d->codec.zstd, ZSTD_reset_session_only);
  return KM_OK;
}

/* xz, lzip, lzma: liblzma, one stream at a time, so that what lies behind it is ours to judge. */

static step_result lzma_step(decoder *d) {
  lzma_stream *z = &d->codec.lzma;
  z->next_in = d->in;
  z->avail_in = d->n_in;
  z->next_out = d->block + d->n_out;
  z->avail_out = room(d);
  lzma_ret r = lzma_code(z, d->below_ended ? LZMA_FINISH : LZMA_RUN);
  took(d, d->n_in - z->avail_in, room(d) - z->avail_out);
  switch (r) {
  case LZMA_OK:
  case LZMA_BUF_ERROR:
    return STEP_MORE;
  case LZMA_STREAM_END:
    return STEP_MEMBER_END;
  case LZMA_MEM_ERROR:
    return STEP_NOMEM;
  case LZMA_MEMLIMIT_ERROR:
  case LZMA_OPTIONS_ERROR:
    km_stream_fault(&d->base, KM_REASON_UNSUPPORTED_ARCHIVE, "%s: %s", km_magic_name(d->magic),
                    r == LZMA_OPTIONS_ERROR ? "unknown options" : "the dictionary is beyond the entry limit");
    return STEP_FAULT;
  default:
    km_stream_fault(&d->base, KM_REASON_CORRUPT_ARCHIVE, "%s: damaged data", km_magic_name(d->magic));
    return STEP_FAULT;
  }
}

static km_status lzma_reset(decoder *d) {
  uint64_t memory = d->base.budget->limits->max_entry_bytes + (UINT64_C(128) << 20);
  lzma_ret r = d->magic == KM_MAGIC_XZ     ? lzma_stream_decoder(&d->codec.lzma, memory, 0)
               : d->magic == KM_MAGIC_LZIP ? lzma_lzip_decoder(&d->codec.lzma, memory, 0)
                                           : lzma_alone_decoder(&d->codec.lzma, memory);
  return r == LZMA_OK ? KM_OK : KM_ERR_NOMEM;
}

static step_result bzip2_step(decoder *d) {
  bz_stream *z = &d->codec.bzip2;
  size_t n_in = d->n_in < (1u << 30) ? d->n_in : 1u << 30;
  z->next_in = (char *)(uintptr_t)d->in;
  z->avail_in = (unsigned)n_in;
  z->next_out = (char *)d->block + d->n_out;
  z->avail_out = (unsigned)room(d);
  int r = BZ2_bzDecompress(z);
  took(d, n_in - z->avail_in, room(d) - z->avail_out);
  if (r == BZ_STREAM_END)
    return STEP_MEMBER_END;
  if (r == BZ_MEM_ERROR)
    return STEP_NOMEM;
  if (r == BZ_OK)
    return STEP_MORE;
  km_stream_fault(&d->base, KM_REASON_CORRUPT_ARCHIVE, "bzip2: damaged data");
  return STEP_FAULT;
}

static km_status bzip2_reset(decoder *d) {
  if (d->codec.bzip2.state)
    BZ2_bzDecompressEnd(&d->codec.bzip2);
  d->codec.bzip2 = (bz_stream){0};
  return BZ2_bzDecompressInit(&d->codec.bzip2, 0, 0) == BZ_OK ? KM_OK : KM_ERR_NOMEM;
}

static void decoder_close(km_stream *s) {
  decoder *d = (decoder *)s;
  if (d->magic == KM_MAGIC_GZIP)
    inflateEnd(&d->codec.gzip.z);
  else if (d->magic == KM_MAGIC_ZSTD)
    km_zstd_give(d->codec.zstd);
  else if (d->magic == KM_MAGIC_BZIP2)
    BZ2_bzDecompressEnd(&d->codec.bzip2);
  else
    lzma_end(&d->codec.lzma);
  free(d);
}

/* The input is at its end within a member: the stream below knows why, or it was simply cut. */
static void ended_early(decoder *d) {
  if (d->base.below->fault)
    km_stream_fault(&d->base, d->base.below->fault, "%s", d->base.below->detail);
  else
    km_stream_fault(&d->base, KM_REASON_TRUNCATED_ARCHIVE, "the %s data ends too soon",
                    km_magic_name(d->magic));
}

/* Behind a member: skips NULs, opens the next member, or counts what else there is. */
static km_status after_member(decoder *d) {
  for (;;) {
    if (feed(d))
      return KM_ERR_NOMEM;
    while (d->n_in && *d->in == 0)
      took(d, 1, 0);
    if (d->n_in)
      break;
    if (d->below_ended) {
      if (d->base.below->fault)
        ended_early(d);
      d->done = true;
      return KM_OK;
    }
  }
  size_t n_look = 0;
  while (n_look < sizeof d->look && !d->below_ended) {
    if (feed(d))
      return KM_ERR_NOMEM;
    size_t n = sizeof d->look - n_look < d->n_in ? sizeof d->look - n_look : d->n_in;
    memcpy(d->look + n_look, d->in, n);
    took(d, n, 0);
    n_look += n;
  }
  if (km_magic_detect(d->look, n_look) == d->magic) {
    d->rest = d->in;
    d->n_rest = d->n_in;
    d->in = d->look;
    d->n_in = n_look;
    d->below_ended = false; /* a stream that has ended says so again */
    return d->reset(d);
  }
  d->base.trailing = n_look;
  while (!d->below_ended) {
    d->base.trailing += d->n_in;
    d->n_in = 0;
    if (feed(d))
      return KM_ERR_NOMEM;
  }
  d->done = true;
  return KM_OK;
}

static km_status decoder_pull(km_stream *s) {
  decoder *d = (decoder *)s;
  d->n_out = 0;
  km_status status = KM_OK;
  while (room(d) && !d->done && !status) {
    status = feed(d);
    if (status)
      break;
    size_t n_in = d->n_in, n_out = d->n_out;
    bool at_end = d->below_ended;
    step_result r = d->step(d);
    if (r == STEP_MEMBER_END)
      status = after_member(d);
    else if (r == STEP_NOMEM)
      status = KM_ERR_NOMEM;
    else if (r == STEP_FAULT)
      d->done = true;
    else if (at_end && n_in == d->n_in && n_out == d->n_out) {
      ended_early(d);
      d->done = true;
    }
  }
  s->below->taken = s->below->handed - d->n_in - d->n_rest;
  s->block = d->block;
  s->n_block = d->n_out;
  return status;
}

km_stream *km_stream_decode(km_magic magic, km_stream *below, km_budget *budget) {
  /* The block is left as it is: only the head is cleared. */
  decoder *d = malloc(sizeof *d);
  if (!d)
    return NULL;
  memset(d, 0, offsetof(decoder, block));
  d->base.pull = decoder_pull;
  d->base.close = decoder_close;
  d->base.budget = budget;
  d->magic = magic;
  switch (magic) {
  case KM_MAGIC_GZIP:
    d->step = gzip_step;
    d->reset = gzip_reset;
    break;
  case KM_MAGIC_ZSTD:
    d->step = zstd_step;
    d->reset = zstd_reset;
    break;
  case KM_MAGIC_BZIP2:
    d->step = bzip2_step;
    d->reset = bzip2_reset;
    break;
  default:
    d->codec.lzma = (lzma_stream)LZMA_STREAM_INIT;
    d->step = lzma_step;
    d->reset = lzma_reset;
    break;
  }
  if (d->reset(d)) {
    decoder_close(&d->base);
    return NULL;
  }
  d->base.below = below;
  return &d->base;
}
