/* byte_stream.c: streams from memory and descriptors, buffers, and the account of one input.
 *
 * A ratio is only judged beyond the first 64 MiB: a small file of one repeated byte is odd, not harmful. Filters are
 * judged by what they took so far, so that a bomb is told when it has made 64 MiB, whatever its size. */
#include "byte_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RATIO_FREE_BYTES = 64 * 1024 * 1024 };

static km_reason judge(km_budget *budget, uint64_t out) {
  bool many = out > budget->limits->max_archive_bytes;
  bool steep = out > RATIO_FREE_BYTES && (double)out > budget->limits->max_ratio * (double)budget->in_bytes;
  budget->exhausted |= many || steep;
  return many ? KM_REASON_TOO_MANY_BYTES : steep ? KM_REASON_RATIO_TOO_HIGH : KM_REASON_NONE;
}

/* Adds, then tells: as km_budget_add_entry. */
static km_reason add_filter(km_budget *budget, uint64_t n_bytes) {
  budget->filter_bytes += n_bytes;
  return judge(budget, budget->filter_bytes);
}

km_reason km_budget_add_entry(km_budget *budget, uint64_t n_bytes) {
  budget->entry_bytes += n_bytes;
  return judge(budget, budget->entry_bytes);
}

km_reason km_budget_count_entry(km_budget *budget) {
  if (++budget->n_entries <= budget->limits->max_entries)
    return KM_REASON_NONE;
  budget->exhausted = true;
  return KM_REASON_TOO_MANY_ENTRIES;
}

void km_budget_detail(const km_budget *budget, km_reason reason, char *text, size_t n_text) {
  const km_archive_limits *limits = budget->limits;
  if (reason == KM_REASON_RATIO_TOO_HIGH)
    snprintf(text, n_text, "expands more than %g times; the rest is not read", limits->max_ratio);
  else if (reason == KM_REASON_TOO_MANY_BYTES)
    snprintf(text, n_text, "more than %" PRIu64 " bytes; the rest is not read", limits->max_archive_bytes);
  else if (reason == KM_REASON_TOO_MANY_ENTRIES)
    snprintf(text, n_text, "more than %" PRIu64 " entries; the rest is not read", limits->max_entries);
  else if (reason == KM_REASON_NESTED_TOO_DEEP)
    snprintf(text, n_text, "deeper than %u archives in archives", limits->max_depth);
  else
    snprintf(text, n_text, "more than %" PRIu64 " bytes", limits->max_entry_bytes);
}

/* A filter's new block against the limits of the input, and its output so far against what it took. */
static void judge_filter(km_stream *s) {
  km_budget *budget = s->budget;
  km_reason limit = add_filter(budget, s->n_block);
  if (!limit && !s->fault && s->handed > RATIO_FREE_BYTES &&
      (double)s->handed > budget->limits->max_ratio * (double)s->below->taken) {
    budget->exhausted = true;
    limit = KM_REASON_RATIO_TOO_HIGH;
  }
  if (!limit)
    return;
  s->fault = limit;
  km_budget_detail(budget, limit, s->detail, sizeof s->detail);
}

km_status km_stream_next(km_stream *s) {
  if (s->held) {
    s->held = false;
    return KM_OK;
  }
  s->n_block = 0;
  if (s->fault)
    return KM_OK;
  km_status status = s->pull(s);
  s->handed += s->n_block;
  if (s->below) /* a filter */
    judge_filter(s);
  return status;
}

void km_stream_fault(km_stream *s, km_reason reason, const char *format, ...) {
  s->fault = reason;
  va_list args;
  va_start(args, format);
  vsnprintf(s->detail, sizeof s->detail, format, args);
  va_end(args);
}

void km_stream_close_all(km_stream *s) {
  while (s) {
    km_stream *below = s->below;
    s->close(s);
    s = below;
  }
}

static void close_plain(km_stream *s) {
  free(s);
}

/* The block is set when the stream is made and held; a second pull is the end. */
static km_status pull_memory(km_stream *s) {
  (void)s;
  return KM_OK;
}

km_stream *km_stream_of_memory(const uint8_t *bytes, size_t n_bytes) {
  km_stream *s = calloc(1, sizeof *s);
  if (!s)
    return NULL;
  s->pull = pull_memory;
  s->close = close_plain;
  s->block = bytes;
  s->n_block = n_bytes;
  s->handed = n_bytes;
  s->held = true;
  s->in_memory = true;
  return s;
}

typedef struct fd_stream {
  km_stream base;
  int fd;
  uint8_t buffer[KM_STREAM_BLOCK];
} fd_stream;

static km_status pull_fd(km_stream *s) {
  fd_stream *f = (fd_stream *)s;
  size_t n = 0;
  while (n < sizeof f->buffer) {
    ssize_t got = read(f->fd, f->buffer + n, sizeof f->buffer - n);
    if (got == 0)
      break;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      km_stream_fault(s, KM_REASON_UNREADABLE, "%s", strerrordesc_np(errno));
      break;
    }
    n += (size_t)got;
  }
  s->block = f->buffer;
  s->n_block = n;
  s->budget->in_bytes += n;
  return KM_OK;
}

km_stream *km_stream_of_fd(int fd, km_budget *budget) {
  fd_stream *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->base.pull = pull_fd;
  f->base.close = close_plain;
  f->base.budget = budget;
  f->fd = fd;
  return &f->base;
}

km_status km_buffer_reserve(km_buffer *buffer, size_t n_bytes, size_t n_used) {
  if (n_bytes <= buffer->capacity)
    return KM_OK;
  size_t capacity = buffer->capacity + buffer->capacity / 2;
  if (capacity < n_bytes)
    capacity = n_bytes;
  if (capacity < 16384)
    capacity = 16384;
  if (!n_used)
    km_buffer_clear(buffer); /* nothing need be copied */
  uint8_t *bytes = realloc(buffer->bytes, capacity); /* moves pages, not bytes, where there are many */
  if (!bytes)
    return KM_ERR_NOMEM;
  buffer->bytes = bytes;
  buffer->capacity = capacity;
  return KM_OK;
}

void km_buffer_clear(km_buffer *buffer) {
  free(buffer->bytes);
  *buffer = (km_buffer){0};
}

km_status km_stream_slurp(km_slurp *out, km_stream *s, km_buffer *buffer, uint64_t max_bytes) {
  *out = (km_slurp){.whole = true};
  for (;;) {
    km_status status = km_stream_next(s);
    if (status || !s->n_block)
      return status;
    if (s->n_block > max_bytes - out->n_bytes) {
      out->whole = false;
      return KM_OK;
    }
    if (s->in_memory) {
      out->bytes = s->block;
      out->n_bytes = s->n_block;
      return KM_OK;
    }
    if (km_buffer_reserve(buffer, out->n_bytes + s->n_block, out->n_bytes))
      return KM_ERR_NOMEM;
    memcpy(buffer->bytes + out->n_bytes, s->block, s->n_block);
    out->n_bytes += s->n_block;
    out->bytes = buffer->bytes;
  }
}
