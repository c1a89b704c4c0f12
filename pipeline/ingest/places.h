/* places.h: where each game came from, for the ledger lines of duplicates: 8 bytes a game in memory, the texts in an
 * unlinked file beside the output. */
#ifndef KIFUMILL_PLACES_H
#define KIFUMILL_PLACES_H

#include "ledger.h"

#include <stdio.h>

typedef struct km_places km_places;

/* folder: where the file is made (and unlinked at once). */
km_status km_places_open(km_places **places, const char *folder, km_err *err);
void km_places_close(km_places *places);

/* The place of the next game (0, 1, …). entry_index tells entries of one name apart. */
km_status km_places_add(km_places *places, const km_place *place, uint64_t entry_index, km_err *err);

typedef struct km_place_read {
  km_place place;
  uint64_t entry_index;
  char *buffer; /* malloc'ed; place points into it; free it */
} km_place_read;
km_status km_places_get(km_places *places, uint64_t game, km_place_read *read, km_err *err);

/* Order as text: source, entry, entry index, game number. An unreadable place counts as equal. */
int km_places_compare(void *places, uint64_t a, uint64_t b);

#endif
