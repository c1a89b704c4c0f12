/* row_store.h: the tracks of all games in memory, and the rows at any place of the order.
 *
 * The positions of a split are numbered by game and ply; row number position·ways + way is one of its rows. A
 * guide finds the game of a position in a step or two. Rows are looked up in groups, in passes that each
 * fetch ahead what the next one reads: the places of a group lie all over the memory, but the processor waits
 * for few of them. */
#ifndef KIFUMILL_ROW_STORE_H
#define KIFUMILL_ROW_STORE_H

#include "row_order.h"
#include "track.h"

typedef struct km_row_store km_row_store;

/* A track of a blob of them. */
typedef struct km_track_place {
  size_t at; /* byte in the blob */
  unsigned split;
} km_track_place;

km_row_store *km_row_store_new(const km_planes_settings *settings,
                               const km_track_shape *shape); /* NULL: no memory */
void km_row_store_free(km_row_store *store);
/* Adds tracks, in order of their games; the store owns the blob from then on, also on failure. */
km_status km_row_store_add(km_row_store *store, unsigned char *blob, size_t n_bytes,
                           const km_track_place *places, size_t n_places, km_err *err);
uint64_t km_row_store_bytes(const km_row_store *store); /* memory in use, the guides to come included */
/* After the last one: makes the guides. */
km_status km_row_store_seal(km_row_store *store, km_err *err);
uint64_t km_row_store_n_positions(const km_row_store *store, unsigned split);

/* The facts of the rows at places first … first+n-1 of a split's order; moments (NULL: not wanted) likewise.
 */
void km_row_store_get(const km_row_store *store, unsigned split, const km_row_order *order, uint64_t first,
                      size_t n, km_row_facts *facts, km_moment *moments);

#endif
