/* position_store.h: rows of positions on disk, in series, read again and again in blocks.
 *
 * One unlinked file beside the output, gone with the process. A series (a segment of the game, an external) is a sequence of
 * blocks of some thousand rows, each contiguous; a game's rows of a series stand in one block, in one piece, games in the order
 * in which they were added. Sealed, the file is mapped: reading costs nothing beside the page cache, and readers leave what
 * they have read, so that memory is bounded by what is being read. */
#ifndef KIFUMILL_POSITION_STORE_H
#define KIFUMILL_POSITION_STORE_H

#include "kifumill/err.h"

#include <stddef.h>
#include <stdint.h>

enum { KM_POSITION_BLOCK = 4096 }; /* rows after which a block is ended, at the end of a game */

/* A position: 24 bytes, and its columns behind. */
typedef struct km_position {
  uint64_t identity; /* of the game: what folds, clusters and the bootstrap go by */
  uint32_t game;     /* its number in games.h5: the order of rows */
  uint32_t ply;
  uint8_t won; /* by Black */
  uint8_t part;
  uint8_t pad[6];
  float value[];
} km_position;
_Static_assert(sizeof(km_position) == 24, "no hidden padding");

typedef struct km_position_store km_position_store;

/* output: the path of the file beside which it lies. */
km_status km_position_store_open(km_position_store **store, const char *output, size_t n_series, size_t n_columns, km_err *err);
void km_position_store_close(km_position_store *store); /* NULL is allowed */
size_t km_position_store_row_bytes(const km_position_store *store);
/* Appends n rows of one game. */
km_status km_position_store_add(km_position_store *store, size_t series, const void *rows, size_t n, km_err *err);
/* Adding is over. */
km_status km_position_store_seal(km_position_store *store, km_err *err);

size_t km_position_store_blocks(const km_position_store *store, size_t series);
uint64_t km_position_store_rows(const km_position_store *store, size_t series);
size_t km_position_store_most_rows(const km_position_store *store); /* of any block */
/* The rows of a block, km_position_store_row_bytes apart. Any thread. */
const km_position *km_position_store_block(const km_position_store *store, size_t series, size_t block, size_t *n);
static inline const km_position *km_position_at(const km_position *first, size_t i, size_t row_bytes) {
  return (const km_position *)((const unsigned char *)first + i * row_bytes);
}
/* The system may take back the pages of a block, or of all; reading them again is allowed, at any time. */
void km_position_store_leave(const km_position_store *store, size_t series, size_t block);
void km_position_store_release(const km_position_store *store);

#endif
