/* archive_source.c: files by read when small, by mmap when large; split archives joined; standard input and
 * pipes as they come.
 *
 * A mapped file that others cut while it is read reads as zeros from there on, and the reader tells it
 * (mapped_input.h). Reading small files costs less than mapping them. */
#include "archive_source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_volumes.h"

enum { MAP_FROM_BYTES = 1024 * 1024, DROP_BYTES = 2 * 1024 * 1024 };

static void fault(km_source *source, km_reason reason, const char *text) {
  source->fault = reason;
  snprintf(source->detail, sizeof source->detail, "%.*s", KM_DETAIL_BYTES - 1, text);
}

static void system_fault(km_source *source, int sys_errno) {
  fault(source, KM_REASON_UNREADABLE, strerrordesc_np(sys_errno));
}

/* Up to n bytes of fd to bytes; how many there were, -1 with errno. */
static ssize_t read_all(int fd, uint8_t *bytes, size_t n) {
  size_t done = 0;
  while (done < n) {
    ssize_t got = read(fd, bytes + done, n - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -1;
    if (got == 0)
      break;
    done += (size_t)got;
  }
  return (ssize_t)done;
}

/* A regular file whose descriptor stands at its start. */
static km_status take_file(km_source *source, int fd, size_t n) {
  if (n >= MAP_FROM_BYTES) {
    source->map = km_mapped_open(fd, n);
    if (source->map.bytes) {
      madvise(source->map.bytes, n, MADV_SEQUENTIAL);
      source->bytes = source->map.bytes;
      source->n_bytes = n;
      return KM_OK;
    }
    if (errno != ENODEV && errno != EACCES) {
      system_fault(source, errno);
      return KM_OK;
    }
    source->fd = dup(fd); /* a file system without mmap: as a pipe */
    source->owns_fd = true;
    if (source->fd < 0)
      system_fault(source, errno);
    return KM_OK;
  }
  if (km_buffer_reserve(&source->buffer, n + 1, 0))
    return KM_ERR_NOMEM;
  ssize_t got = read_all(fd, source->buffer.bytes, n);
  if (got < 0) {
    system_fault(source, errno);
    return KM_OK;
  }
  source->bytes = source->buffer.bytes;
  source->n_bytes = (size_t)got;
  return KM_OK;
}

static km_status open_file(km_source *source, const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st)) {
    system_fault(source, errno);
    if (fd >= 0)
      close(fd);
    return KM_OK;
  }
  km_status status = KM_OK;
  if (S_ISREG(st.st_mode)) {
    status = take_file(source, fd, (size_t)st.st_size);
    close(fd);
  } else {
    source->fd = fd;
    source->owns_fd = true;
  }
  return status;
}

/* Standard input that is a file at its start is as good as the file. */
static km_status open_stdin(km_source *source) {
  struct stat st;
  if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0)
    return take_file(source, STDIN_FILENO, (size_t)st.st_size);
  source->fd = STDIN_FILENO;
  return KM_OK;
}

/* One part behind the others. */
static void append_part(km_source *source, uint8_t *to, size_t n, const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : read_all(fd, to, n);
  if (got < 0)
    system_fault(source, errno);
  else if ((size_t)got < n)
    fault(source, KM_REASON_UNREADABLE, "a part of the archive shrank while it was read");
  if (fd >= 0)
    close(fd);
}

/* All parts in one piece of memory: formats seek across them. */
static km_status join_parts(km_source *source, const km_volumes *volumes, uint64_t max_bytes) {
  uint64_t total = 0;
  source->part_start = calloc(volumes->n, sizeof *source->part_start);
  if (!source->part_start)
    return KM_ERR_NOMEM;
  source->n_parts = volumes->n;
  for (unsigned i = 0; i < volumes->n; i++) {
    struct stat st;
    if (stat(volumes->paths[i], &st) || !S_ISREG(st.st_mode)) {
      fault(source, KM_REASON_MISSING_VOLUME, volumes->paths[i]);
      return KM_OK;
    }
    source->part_start[i] = total;
    total += (uint64_t)st.st_size;
  }
  if (total > max_bytes) {
    snprintf(source->detail, sizeof source->detail,
             "%" PRIu64 " bytes in %u parts, more than %" PRIu64 ": join them into one file", total,
             volumes->n, max_bytes);
    source->fault = KM_REASON_ENTRY_TOO_LARGE;
    return KM_OK;
  }
  if (km_buffer_reserve(&source->buffer, total + 1, 0))
    return KM_ERR_NOMEM;
  source->bytes = source->buffer.bytes;
  source->n_bytes = total;
  for (unsigned i = 0; i < volumes->n && !source->fault; i++) {
    uint64_t end = i + 1 < volumes->n ? source->part_start[i + 1] : total;
    append_part(source, source->buffer.bytes + source->part_start[i], end - source->part_start[i],
                volumes->paths[i]);
  }
  return KM_OK;
}

static km_status open_named(km_source *source, const km_input *input, const km_archive_limits *limits) {
  km_volumes volumes;
  char main_path[4096];
  bool has_main;
  km_status status = km_volumes_find(&volumes, input->path);
  if (status)
    return status;
  source->in_set = volumes.is_set;
  snprintf(source->missing, sizeof source->missing, "%.*s", KM_DETAIL_BYTES - 1, volumes.missing);
  if (volumes.n > 1)
    status = join_parts(source, &volumes, limits->max_entry_bytes);
  else {
    status = open_file(source, input->path);
    if (!source->fault && km_volume_is_later(input->path, main_path, sizeof main_path, &has_main)) {
      const char *slash = strrchr(main_path, '/');
      fault(source, KM_REASON_MISSING_VOLUME, slash ? slash + 1 : main_path);
    }
  }
  km_volumes_clear(&volumes);
  return status;
}

km_status km_source_open(km_source *source, const km_input *input, const km_archive_limits *limits) {
  *source = (km_source){.fd = -1, .map = {.slot = -1, .fd = -1}};
  switch (input->kind) {
  case KM_INPUT_FILE:
    return open_named(source, input, limits);
  case KM_INPUT_STDIN:
    return open_stdin(source);
  case KM_INPUT_PIPE:
    return open_file(source, input->path);
  case KM_INPUT_EMPTY:
    fault(source, KM_REASON_EMPTY_ARCHIVE, "no files in the folder");
    return KM_OK;
  default:
    system_fault(source, input->sys_errno);
    return KM_OK;
  }
}

void km_source_drop(km_source *source, uint64_t n_taken) {
  uint64_t n = n_taken & ~(uint64_t)(DROP_BYTES - 1);
  if (!source->map.bytes || n <= source->n_dropped || n > source->map.n_bytes)
    return;
  madvise((char *)source->map.bytes + source->n_dropped, n - source->n_dropped, MADV_DONTNEED);
  source->n_dropped = n;
}

void km_source_close(km_source *source) {
  km_mapped_close(&source->map);
  if (source->owns_fd && source->fd >= 0)
    close(source->fd);
  free(source->part_start);
  km_buffer_clear(&source->buffer);
  *source = (km_source){.fd = -1, .map = {.slot = -1, .fd = -1}};
}
