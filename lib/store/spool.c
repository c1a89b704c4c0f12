/* spool.c: one buffer, for writing first and for reading later. */
#include "spool.h"

#include "kifumill/unnamed_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 18 };

struct km_spool {
  int fd;
  char *output;
  uint64_t n_file;            /* bytes in the file */
  uint64_t at;                /* reading: position behind the buffer */
  size_t n_buffered, n_taken; /* of the buffer: filled; given out */
  unsigned char buffer[BUFFER_BYTES];
};

km_status km_spool_open(km_spool **spool, const char *output, km_err *err) {
  *spool = NULL;
  km_spool *s = malloc(sizeof *s);
  if (!s)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  memset(s, 0, offsetof(km_spool, buffer));
  s->fd = -1;
  s->output = strdup(output);
  km_status status = s->output ? km_unnamed_file(&s->fd, output, err) : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (status) {
    km_spool_close(s);
    return status;
  }
  *spool = s;
  return KM_OK;
}

void km_spool_close(km_spool *spool) {
  if (!spool)
    return;
  if (spool->fd >= 0)
    close(spool->fd);
  free(spool->output);
  free(spool);
}

static km_status write_all(km_spool *s, const unsigned char *bytes, size_t n_bytes, km_err *err) {
  while (n_bytes) {
    ssize_t n = pwrite(s->fd, bytes, n_bytes, (off_t)s->n_file);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return km_err_set(err, KM_ERR_IO, n ? errno : EIO, "cannot write temporary data beside %s", s->output);
    bytes += n;
    n_bytes -= (size_t)n;
    s->n_file += (uint64_t)n;
  }
  return KM_OK;
}

static km_status flush(km_spool *s, km_err *err) {
  size_t n = s->n_buffered;
  s->n_buffered = 0;
  return write_all(s, s->buffer, n, err);
}

km_status km_spool_append(km_spool *spool, const void *bytes, size_t n_bytes, km_err *err) {
  if (n_bytes > BUFFER_BYTES - spool->n_buffered) {
    km_status status = flush(spool, err);
    if (status)
      return status;
    if (n_bytes >= BUFFER_BYTES)
      return write_all(spool, bytes, n_bytes, err);
  }
  if (n_bytes)
    memcpy(spool->buffer + spool->n_buffered, bytes, n_bytes);
  spool->n_buffered += n_bytes;
  return KM_OK;
}

uint64_t km_spool_bytes(const km_spool *spool) {
  return spool->n_file + spool->n_buffered;
}

static km_status read_all(km_spool *s, uint64_t at, unsigned char *bytes, size_t n_bytes, km_err *err) {
  while (n_bytes) {
    ssize_t n = pread(s->fd, bytes, n_bytes, (off_t)at);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return km_err_set(err, KM_ERR_IO, n ? errno : EIO, "cannot read temporary data beside %s", s->output);
    bytes += n;
    at += (uint64_t)n;
    n_bytes -= (size_t)n;
  }
  return KM_OK;
}

km_status km_spool_read_at(km_spool *spool, uint64_t at, void *bytes, size_t n_bytes, km_err *err) {
  if (at + n_bytes > spool->n_file) {
    km_status status = flush(spool, err);
    if (status)
      return status;
  }
  return read_all(spool, at, bytes, n_bytes, err);
}

km_status km_spool_rewind(km_spool *spool, km_err *err) {
  if (spool->at == 0) { /* nothing read yet: the buffer holds what is to be written */
    km_status status = flush(spool, err);
    if (status)
      return status;
  }
  spool->at = 0;
  spool->n_buffered = spool->n_taken = 0;
  return KM_OK;
}

km_status km_spool_take(km_spool *spool, void *bytes, size_t n_bytes, km_err *err) {
  unsigned char *to = bytes;
  while (n_bytes) {
    if (spool->n_taken == spool->n_buffered) {
      uint64_t rest = spool->n_file - spool->at;
      spool->n_buffered = rest < BUFFER_BYTES ? (size_t)rest : BUFFER_BYTES;
      spool->n_taken = 0;
      if (spool->n_buffered == 0)
        return km_err_set(err, KM_ERR_IO, EIO, "cannot read temporary data beside %s", spool->output);
      km_status status = read_all(spool, spool->at, spool->buffer, spool->n_buffered, err);
      if (status)
        return status;
      spool->at += spool->n_buffered;
    }
    size_t n = spool->n_buffered - spool->n_taken;
    if (n > n_bytes)
      n = n_bytes;
    memcpy(to, spool->buffer + spool->n_taken, n);
    spool->n_taken += n;
    to += n;
    n_bytes -= n;
  }
  return KM_OK;
}
