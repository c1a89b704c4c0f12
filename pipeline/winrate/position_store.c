/* position_store.c: a block a series is filled in memory and written when it is full; the list of blocks stays in memory
 * (16 bytes for some thousand rows). */
#include "position_store.h"

#include "kifumill/unnamed_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct stored_block {
  uint64_t at; /* byte position */
  uint64_t n_rows;
} stored_block;

typedef struct series_rows {
  unsigned char *open; /* the block being filled */
  size_t n_open, room;
  stored_block *blocks;
  size_t n_blocks, blocks_room;
  uint64_t n_rows;
} series_rows;

struct km_position_store {
  int fd;
  size_t n_series, row_bytes, most_rows;
  uint64_t n_bytes;
  unsigned char *map; /* NULL: not sealed, or empty */
  series_rows series[];
};

km_status km_position_store_open(km_position_store **store, const char *output, size_t n_series, size_t n_columns, km_err *err) {
  *store = NULL;
  km_position_store *s = calloc(1, sizeof *s + n_series * sizeof *s->series);
  if (!s)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for rows");
  s->n_series = n_series;
  s->row_bytes = (sizeof(km_position) + n_columns * sizeof(float) + 7) & ~(size_t)7;
  km_status status = km_unnamed_file(&s->fd, output, err);
  if (status == KM_OK)
    *store = s;
  else
    free(s);
  return status;
}

void km_position_store_close(km_position_store *store) {
  if (!store)
    return;
  if (store->map)
    munmap(store->map, store->n_bytes);
  for (size_t i = 0; i < store->n_series; i++) {
    free(store->series[i].open);
    free(store->series[i].blocks);
  }
  close(store->fd);
  free(store);
}

size_t km_position_store_row_bytes(const km_position_store *store) { return store->row_bytes; }

static km_status write_all(km_position_store *store, const unsigned char *bytes, size_t n, km_err *err) {
  while (n) {
    ssize_t done = write(store->fd, bytes, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return km_err_set(err, KM_ERR_IO, errno, "cannot write rows to a temporary file");
    bytes += done;
    n -= (size_t)done;
    store->n_bytes += (size_t)done;
  }
  return KM_OK;
}

static km_status end_block(km_position_store *store, series_rows *s, km_err *err) {
  if (s->n_open == 0)
    return KM_OK;
  if (s->n_blocks == s->blocks_room) {
    size_t room = s->blocks_room ? 2 * s->blocks_room : 64;
    stored_block *more = realloc(s->blocks, room * sizeof *more);
    if (!more)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a list of %zu blocks of rows", room);
    s->blocks = more;
    s->blocks_room = room;
  }
  s->blocks[s->n_blocks++] = (stored_block){store->n_bytes, s->n_open};
  store->most_rows = s->n_open > store->most_rows ? s->n_open : store->most_rows;
  km_status status = write_all(store, s->open, s->n_open * store->row_bytes, err);
  s->n_open = 0;
  return status;
}

km_status km_position_store_add(km_position_store *store, size_t series, const void *rows, size_t n, km_err *err) {
  series_rows *s = &store->series[series];
  if (s->n_open + n > s->room) {
    size_t room = s->n_open + n < 2 * KM_POSITION_BLOCK ? 2 * KM_POSITION_BLOCK : s->n_open + n;
    unsigned char *more = realloc(s->open, room * store->row_bytes);
    if (!more)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a block of %zu rows", room);
    s->open = more;
    s->room = room;
  }
  memcpy(s->open + s->n_open * store->row_bytes, rows, n * store->row_bytes);
  s->n_open += n;
  s->n_rows += n;
  return s->n_open >= KM_POSITION_BLOCK ? end_block(store, s, err) : KM_OK;
}

km_status km_position_store_seal(km_position_store *store, km_err *err) {
  for (size_t i = 0; i < store->n_series; i++) {
    km_status status = end_block(store, &store->series[i], err);
    if (status != KM_OK)
      return status;
    free(store->series[i].open);
    store->series[i].open = NULL;
    store->series[i].room = 0;
  }
  if (store->n_bytes == 0)
    return KM_OK;
  void *map = mmap(NULL, store->n_bytes, PROT_READ, MAP_SHARED, store->fd, 0);
  if (map == MAP_FAILED)
    return km_err_set(err, KM_ERR_IO, errno, "cannot map %llu bytes of rows", (unsigned long long)store->n_bytes);
  store->map = map;
  return KM_OK;
}

size_t km_position_store_blocks(const km_position_store *store, size_t series) { return store->series[series].n_blocks; }
uint64_t km_position_store_rows(const km_position_store *store, size_t series) { return store->series[series].n_rows; }
size_t km_position_store_most_rows(const km_position_store *store) { return store->most_rows; }

const km_position *km_position_store_block(const km_position_store *store, size_t series, size_t block, size_t *n) {
  const stored_block *b = &store->series[series].blocks[block];
  *n = b->n_rows;
  return (const km_position *)(store->map + b->at);
}

void km_position_store_leave(const km_position_store *store, size_t series, size_t block) {
  const stored_block *b = &store->series[series].blocks[block];
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = (b->at + page - 1) & ~(page - 1);
  uint64_t end = (b->at + b->n_rows * store->row_bytes) & ~(page - 1);
  if (first < end)
    madvise(store->map + first, end - first, MADV_DONTNEED);
}

void km_position_store_release(const km_position_store *store) {
  if (store->map)
    madvise(store->map, store->n_bytes, MADV_DONTNEED);
}
