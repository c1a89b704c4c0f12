/* plain_tar.c: see plain_tar.h.
 *
 *   offset  0 name[100]  100 mode  108 uid  116 gid  124 size[12]  136 mtime  148 sum[8]  156 type  157 link[100]
 *         257 magic and version[8]  265 owner, group  329 device  345 prefix[155] (GNU: times, sparse)  500 zeros
 *
 * An entry that lies in one block of the stream, as most do, is given where it stands. It is taken with its padding, so
 * that a tar which is cut there is left with the whole entry. */
#include "plain_tar.h"

#include <stdio.h>
#include <string.h>

enum { STEP_BYTES = 1 << 20 }; /* an entry's bytes are believed in when they come */
enum { AT_SIZE = 124, AT_SUM = 148, AT_TYPE = 156, AT_LINK = 157, AT_MAGIC = 257, AT_PREFIX = 345, AT_REST = 500 };

void km_plain_tar_begin(km_plain_tar *tar, km_stream *stream) {
  *tar = (km_plain_tar){.stream = stream};
  if (stream->in_memory) { /* read by position: the stream itself is left as it is */
    tar->at = stream->block;
    tar->n_left = stream->n_block;
  }
}

void km_plain_tar_clear(km_plain_tar *tar) { km_buffer_clear(&tar->data); }

static bool is_zero(const uint8_t *p, size_t n) {
  uint8_t any = 0;
  for (size_t i = 0; i < n; i++)
    any |= p[i];
  return any == 0;
}

/* The next block of the stream; n_left 0 at the end. What lies before is used up. */
static km_status pull(km_plain_tar *tar) {
  km_stream *s = tar->stream;
  if (s->in_memory)
    return KM_OK;
  if (s->n_block >= KM_TAR_BLOCK)
    tar->ends_in_zeros = is_zero(s->block + s->n_block - KM_TAR_BLOCK, KM_TAR_BLOCK);
  km_status status = km_stream_next(s);
  tar->at = s->block;
  tar->n_left = s->n_block;
  return status;
}

static void advance(km_plain_tar *tar, size_t n) {
  tar->at += n;
  tar->n_left -= n;
  tar->position += n;
}

/* Copies the next n bytes, over the ends of blocks; *n_got is less at the end of the stream. */
static km_status gather(km_plain_tar *tar, uint8_t *to, size_t n, size_t *n_got) {
  for (*n_got = 0;;) {
    size_t part = n - *n_got < tar->n_left ? n - *n_got : tar->n_left;
    if (part) { /* a stream that has ended has no block */
      memcpy(to + *n_got, tar->at, part);
      advance(tar, part);
    }
    *n_got += part;
    if (*n_got == n)
      return KM_OK;
    km_status status = pull(tar);
    if (status || !tar->n_left)
      return status;
  }
}

/* An octal number with blanks before it, blanks and NULs behind it; false for anything else. */
static bool octal(const uint8_t *p, size_t n, uint64_t *value) {
  size_t i = 0, first;
  while (i < n && p[i] == ' ')
    i++;
  for (first = i, *value = 0; i < n && p[i] >= '0' && p[i] <= '7'; i++)
    *value = *value << 3 | (uint64_t)(p[i] - '0');
  bool has_digits = i > first;
  while (i < n && (p[i] == 0 || p[i] == ' '))
    i++;
  return has_digits && i == n;
}

static uint64_t sum_of(const uint8_t *h) {
  unsigned sum = 8 * ' '; /* the sum's own field counts as blanks */
  for (size_t i = 0; i < AT_SUM; i++)
    sum += h[i];
  for (size_t i = AT_SUM + 8; i < KM_TAR_BLOCK; i++)
    sum += h[i];
  return sum;
}

/* Appends printable ASCII up to a NUL; false for other bytes. */
static bool append(char *name, size_t *n_name, const uint8_t *from, size_t n) {
  for (size_t i = 0; i < n && from[i]; i++) {
    if (from[i] < 0x20 || from[i] > 0x7e)
      return false;
    name[(*n_name)++] = (char)from[i];
  }
  return true;
}

/* prefix/name into tar->name. */
static bool join_name(km_plain_tar *tar, const uint8_t *h, size_t *n_name) {
  *n_name = 0;
  if (h[AT_PREFIX]) {
    if (!append(tar->name, n_name, h + AT_PREFIX, AT_REST - AT_PREFIX) || tar->name[*n_name - 1] == '/')
      return false;
    tar->name[(*n_name)++] = '/';
  }
  size_t before = *n_name;
  if (!append(tar->name, n_name, h, 100) || *n_name == before)
    return false;
  tar->name[*n_name] = 0;
  return true;
}

/* Whether the header is of the plain kind; fills the entry's name, kind and size. */
static bool read_header(km_plain_tar *tar, const uint8_t *h, km_plain_entry *entry) {
  uint64_t sum, size;
  bool is_gnu = memcmp(h + AT_MAGIC, "ustar  ", 8) == 0;
  if (!is_gnu && memcmp(h + AT_MAGIC, "ustar\00000", 8) != 0)
    return false;
  if (!octal(h + AT_SUM, 8, &sum) || sum != sum_of(h) || !octal(h + AT_SIZE, 12, &size) || size > SIZE_MAX / 2)
    return false;
  size_t odd = is_gnu ? AT_PREFIX : AT_REST; /* from here on nothing may stand */
  if (h[AT_LINK] || !is_zero(h + odd, KM_TAR_BLOCK - odd) || !join_name(tar, h, &entry->n_name))
    return false;
  bool has_slash = tar->name[entry->n_name - 1] == '/';
  entry->name = tar->name;
  entry->is_folder = h[AT_TYPE] == '5';
  entry->n_bytes = (size_t)size;
  return entry->is_folder ? size == 0 : h[AT_TYPE] == '0' && !has_slash;
}

/* Gathers n bytes in data; KM_SKIP when the stream ends before them. */
static km_status gather_data(km_plain_tar *tar, size_t n) {
  while (tar->n_data < n) {
    size_t step = tar->n_data < STEP_BYTES ? STEP_BYTES : tar->n_data, got;
    if (step > n - tar->n_data)
      step = n - tar->n_data;
    if (km_buffer_reserve(&tar->data, tar->n_data + step, tar->n_data))
      return KM_ERR_NOMEM;
    km_status status = gather(tar, tar->data.bytes + tar->n_data, step, &got);
    tar->n_data += got;
    if (status || got < step)
      return status ? status : KM_SKIP;
  }
  return KM_OK;
}

/* The bytes of the entry and its padding; KM_SKIP when the stream ends before them. */
static km_status read_data(km_plain_tar *tar, const uint8_t *header, km_plain_entry *entry) {
  size_t n_all = (entry->n_bytes + KM_TAR_BLOCK - 1) / KM_TAR_BLOCK * KM_TAR_BLOCK;
  if (n_all <= tar->n_left) {
    entry->bytes = tar->at;
    advance(tar, n_all);
    return KM_OK;
  }
  if (header != tar->header)
    memcpy(tar->header, header, KM_TAR_BLOCK);
  tar->n_header = KM_TAR_BLOCK;
  km_status status = gather_data(tar, n_all);
  entry->bytes = tar->data.bytes;
  return status;
}

km_status km_plain_tar_next(km_plain_tar *tar, uint64_t max_bytes, km_plain_entry *entry) {
  const uint8_t *header = tar->header;
  tar->n_header = tar->n_data = 0;
  *entry = (km_plain_entry){.pos = tar->position};
  km_status status = KM_OK;
  if (tar->n_left >= KM_TAR_BLOCK) {
    header = tar->at;
    advance(tar, KM_TAR_BLOCK);
  } else if ((status = gather(tar, tar->header, KM_TAR_BLOCK, &tar->n_header)) == KM_OK && tar->n_header < KM_TAR_BLOCK) {
    status = KM_SKIP;
  }
  if (status == KM_OK && (!read_header(tar, header, entry) || entry->n_bytes > max_bytes)) {
    status = KM_SKIP;
    if (header != tar->header) { /* it stands in the block still */
      tar->at -= KM_TAR_BLOCK;
      tar->n_left += KM_TAR_BLOCK;
    }
  }
  if (status == KM_OK)
    status = read_data(tar, header, entry);
  if (status == KM_SKIP)
    tar->position = entry->pos;
  return status;
}

void km_plain_tar_opening(uint8_t header[KM_TAR_BLOCK]) {
  char *h = (char *)header;
  memset(h, 0, KM_TAR_BLOCK);
  strcpy(h, "-");
  strcpy(h + 100, "0000644");
  strcpy(h + AT_SIZE, "00000000000");
  strcpy(h + 136, "00000000000");
  h[AT_TYPE] = '0';
  memcpy(h + AT_MAGIC, "ustar\00000", 8);
  snprintf(h + AT_SUM, 8, "%06o", (unsigned)sum_of(header));
  h[AT_SUM + 7] = ' ';
}
