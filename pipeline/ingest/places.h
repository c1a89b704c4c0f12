/* places.h: where each game came from, for choosing among copies and for their ledger lines.
 *
 * Source and entry are read back from the store's writer; the number in the entry and the entry's number in its archive
 * are kept here, 12 bytes a game. */
#ifndef KIFUMILL_PLACES_H
#define KIFUMILL_PLACES_H

#include "kifumill/games_store.h"
#include "ledger.h"

typedef struct km_places km_places;

/* The writer is borrowed. NULL when memory is out. */
km_places *km_places_new(km_games_writer *writer);
void km_places_free(km_places *places);

/* The next game (0, 1, …): its number in the entry, and the entry's number. */
km_status km_places_add(km_places *places, uint32_t game, uint64_t entry_index, km_err *err);

/* The place of a game: texts borrowed until the next call. */
km_status km_places_get(km_places *places, uint64_t index, km_place *place, km_err *err);

/* Order as text: source, entry, entry index, game number. A place that cannot be read counts as equal. */
int km_places_compare(void *places, uint64_t a, uint64_t b);

#endif
