/* feed_memory.h: what is remembered of games, so that any position becomes a row without playing to it.
 *
 * The moves themselves stay where they are, in the mapped file. Remembered of a game are its facts and, since
 * a stone played stands until it is captured, the list of captures (and of set-up), some 110 bytes a game,
 * made by playing it once when it is first asked for:
 *
 *     memo | plies u16[n_rows] | root u16[n_root] | extras: {ply, n, stones u16[n]} … NEVER
 *
 * plies are left out where they are consecutive. root are the stones of set-up before the first move, an
 * extra those that a ply flips besides putting its own. Stones are noted as moves are in games.h5. The
 * position after some plies is the root, their moves and their extras flipped on an empty board, in any
 * order; from there on km_moment_row (track.h) does the rest.
 *
 * When the bound (settings->memory, up to 32 GiB) is met, everything is forgotten and remembered anew as it
 * is asked for. */
#ifndef KIFUMILL_FEED_MEMORY_H
#define KIFUMILL_FEED_MEMORY_H

#include "feed_plan.h"
#include "track.h"

#include "kifumill/games_store.h"

typedef struct km_feed_memory km_feed_memory;

/* Both are borrowed. NULL: no memory. */
km_feed_memory *km_feed_memory_new(const km_feed_plan *plan, const km_games *games);
void km_feed_memory_free(km_feed_memory *memory); /* NULL is fine */

/* The facts of the rows found (n ≤ KM_FEED_GROUP), and their moments (NULL: not wanted), which hold until the
 * next call. seed: what random symmetries are drawn by. */
km_status km_feed_memory_get(km_feed_memory *memory, const km_feed_place *found, size_t n, uint64_t seed,
                             km_row_facts *facts, km_moment *moments, km_err *err);

#endif
