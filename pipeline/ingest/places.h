/* places.h: where each game came from, for choosing among copies and for their ledger lines.
 *
 * Source and entry are read back from the store's writer; the number in the entry, the byte where it begins there and
 * the entry's number in its archive are kept here, 24 bytes a game. */
#ifndef KIFUMILL_PLACES_H
#define KIFUMILL_PLACES_H

#include "kifumill/games_store.h"
#include "ledger.h"

typedef struct km_places km_places;

/* The writer is borrowed. NULL when memory is out. */
km_places *km_places_new(km_games_writer *writer);
void km_places_free(km_places *places);

/* The next game (0, 1, …): its number in the entry, the entry's number, and the byte where the game begins in it. */
km_status km_places_add(km_places *places, uint32_t game, uint64_t entry_index, uint64_t begin, km_err *err);
uint64_t km_places_begin(const km_places *places, uint64_t index);

/* The place of a game: texts borrowed until the next call. */
km_status km_places_get(km_places *places, uint64_t index, km_place *place, km_err *err);

/* Order as text: source, entry, entry index, game number. A place that cannot be read counts as equal;
 * km_places_failure then says why. */
int km_places_compare(void *places, uint64_t a, uint64_t b);
km_status km_places_failure(const km_places *places, km_err *err);

#endif
