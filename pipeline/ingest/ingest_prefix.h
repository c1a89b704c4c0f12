/* ingest_prefix.h: games whose moves begin those of a longer game (a record saved too early, and the whole one).
 *
 * Such games share their first 30 moves (up to symmetry; all, if the shorter has fewer, in which case they are not
 * looked for): games are grouped by that hash, 24 bytes each, and only the members of a group are compared, move by
 * move under every symmetry of the board. */
#ifndef KIFUMILL_INGEST_PREFIX_H
#define KIFUMILL_INGEST_PREFIX_H

#include "kifumill/games_store.h"

typedef struct km_prefix km_prefix;

km_prefix *km_prefix_new(void); /* NULL when memory is out */
void km_prefix_free(km_prefix *prefix);
/* The next game (0, 1, …), its hash of the opening and its number of moves. */
km_status km_prefix_add(km_prefix *prefix, km_hash128 opening, uint32_t n_moves, km_err *err);
/* Leaves a game out. */
void km_prefix_drop(km_prefix *prefix, uint64_t index);

/* Calls found(ctx, shorter, longer) for every game that begins a longer one, in the order of the shorter games; longer
 * is the longest such game, the first of several. */
typedef km_status km_prefix_found(void *ctx, uint64_t shorter, uint64_t longer, km_err *err);
km_status km_prefix_find(km_prefix *prefix, km_games_writer *writer, km_prefix_found *found, void *ctx, km_err *err);

#endif
