/* places.c: numbers in an array, texts from the writer. */
#include "places.h"

#include <stdlib.h>
#include <string.h>

typedef struct spot {
  uint64_t entry_index, begin;
  uint32_t game;
} spot;

struct km_places {
  km_games_writer *writer;
  spot *spots;
  size_t n, room;
  km_arena arena;
  km_err failure; /* of a comparison */
};

km_places *km_places_new(km_games_writer *writer) {
  km_places *places = calloc(1, sizeof *places);
  if (places) {
    places->writer = writer;
    km_arena_init(&places->arena);
  }
  return places;
}

void km_places_free(km_places *places) {
  if (!places)
    return;
  free(places->spots);
  km_arena_clear(&places->arena);
  free(places);
}

km_status km_places_add(km_places *places, uint32_t game, uint64_t entry_index, uint64_t begin, km_err *err) {
  if (places->n == places->room) {
    size_t room = places->room ? 2 * places->room : 1024;
    spot *larger = realloc(places->spots, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the places of %zu games", places->n);
    places->spots = larger;
    places->room = room;
  }
  places->spots[places->n++] = (spot){entry_index, begin, game};
  return KM_OK;
}

uint64_t km_places_begin(const km_places *places, uint64_t index) { return places->spots[index].begin; }

/* A place with texts in the arena as it stands. */
static km_status read_place(km_places *places, uint64_t index, km_place *place, km_err *err) {
  km_game game;
  km_status status = km_games_writer_read(places->writer, index, &places->arena, &game, err);
  if (status != KM_OK)
    return status;
  km_text source = game.text[KM_TEXT_SOURCE], entry = game.text[KM_TEXT_ENTRY];
  *place = (km_place){.source = km_arena_strndup(&places->arena, source.bytes ? source.bytes : "", source.n_bytes),
                      .entry = km_arena_strndup(&places->arena, entry.bytes ? entry.bytes : "", entry.n_bytes),
                      .game = places->spots[index].game};
  return place->source && place->entry ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a place");
}

km_status km_places_get(km_places *places, uint64_t index, km_place *place, km_err *err) {
  km_arena_reset(&places->arena);
  return read_place(places, index, place, err);
}

int km_places_compare(void *ctx, uint64_t a, uint64_t b) {
  km_places *places = ctx;
  km_place left, right;
  km_arena_reset(&places->arena);
  if (places->failure.code < 0 || read_place(places, a, &left, &places->failure) != KM_OK ||
      read_place(places, b, &right, &places->failure) != KM_OK)
    return 0;
  int order = strcmp(left.source, right.source);
  if (order == 0)
    order = strcmp(left.entry, right.entry);
  uint64_t entry_a = places->spots[a].entry_index, entry_b = places->spots[b].entry_index;
  if (order == 0 && entry_a != entry_b)
    order = entry_a < entry_b ? -1 : 1;
  return order ? order : left.game < right.game ? -1 : left.game > right.game;
}

km_status km_places_failure(const km_places *places, km_err *err) {
  if (places->failure.code < 0 && err)
    *err = places->failure;
  return places->failure.code < 0 ? places->failure.code : KM_OK;
}
