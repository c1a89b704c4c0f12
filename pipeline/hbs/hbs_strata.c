/* hbs_strata.c: values in one open-addressing table, keyed by a hash of kind, size, colour and text. */
#include "hbs_strata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 256 };
static const uint32_t no_stratum = UINT32_MAX; /* of values that go with the others */

typedef struct entry {
  km_hash128 hash;
  uint64_t n_games, first_game;
  uint32_t stratum;
  uint8_t by, size, colour;
} entry;

/* Of one kind, size and colour, when ranked. */
typedef struct family {
  unsigned n_named, has_others;
  size_t first; /* of its named strata in order[] */
} family;

struct km_strata {
  unsigned mask, limit;
  entry *entries;
  size_t n, room;
  uint32_t *slots; /* number of an entry + 1, or 0 */
  size_t n_slots;  /* a power of two */
  uint32_t *order; /* entries by family, then by stratum */
  family families[KM_BY_COUNT][KM_BOARD_MAX + 1][2];
};

/* ---- kinds
 * ------------------------------------------------------------------------------------------------------- */

static void text_copy(char text[TEXT_BYTES], km_text value) {
  size_t n = value.n_bytes < TEXT_BYTES - 1 ? value.n_bytes : TEXT_BYTES - 1;
  while (n < value.n_bytes && n > 0 && ((unsigned char)value.bytes[n] & 0xc0) == 0x80)
    n--; /* not within a character */
  if (n == 0) {
    strcpy(text, "unknown");
    return;
  }
  memcpy(text, value.bytes, n);
  text[n] = 0;
}
static void known_or_not(char text[TEXT_BYTES], int known, const char *value) {
  snprintf(text, TEXT_BYTES, "%s", known ? value : "unknown");
}
static void text_result(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  (void)colour;
  strcpy(text, km_result_name(km_result_stratum(game)));
}
static void text_rank(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  km_rank rank = colour == KM_WHITE ? game->white_rank : game->black_rank;
  char value[8];
  snprintf(value, sizeof value, "%d%c", rank.number, rank.kind);
  known_or_not(text, rank.kind != 0, value);
}
static void text_player(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  text_copy(text, game->text[colour == KM_WHITE ? KM_TEXT_WHITE : KM_TEXT_BLACK]);
}
static void text_year(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  (void)colour;
  char value[8];
  snprintf(value, sizeof value, "%04d", game->date.year);
  known_or_not(text, game->date.precision != 0, value);
}
static void text_komi(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  (void)colour;
  char value[16];
  snprintf(value, sizeof value, "%g", (double)game->komi);
  known_or_not(text, !isnan(game->komi), value);
}
static void text_source(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  (void)colour;
  text_copy(text, game->text[KM_TEXT_SOURCE]);
}
static void text_length(const km_game *game, uint8_t colour, char text[TEXT_BYTES]) {
  (void)colour;
  unsigned low = game->n_moves / 50 * 50;
  snprintf(text, TEXT_BYTES, "%u-%u", low, low + 49);
}

static const struct {
  const char *name;
  void (*text)(const km_game *game, uint8_t colour, char text[TEXT_BYTES]);
} kinds[KM_BY_COUNT] = {
    [KM_BY_RESULT] = {"result", text_result}, [KM_BY_RANK] = {"rank", text_rank},
    [KM_BY_PLAYER] = {"player", text_player}, [KM_BY_YEAR] = {"year", text_year},
    [KM_BY_KOMI] = {"komi", text_komi},       [KM_BY_SOURCE] = {"source", text_source},
    [KM_BY_LENGTH] = {"length", text_length},
};

const char *km_by_name(km_by by) {
  return kinds[by].name;
}

unsigned km_result_stratum(const km_game *game) {
  return game->winner == KM_WINNER_BLACK   ? KM_RESULT_BLACK
         : game->winner == KM_WINNER_WHITE ? KM_RESULT_WHITE
         : game->winner == KM_WINNER_DRAW  ? KM_RESULT_DRAW
                                           : KM_RESULT_UNKNOWN;
}
const char *km_result_name(unsigned stratum) {
  static const char *const names[] = {"black", "white", "draw", "unknown", "all"};
  return names[stratum];
}

km_status km_by_parse(unsigned *mask, const char *list, km_err *err) {
  *mask = 0;
  for (const char *p = list ? list : ""; *p;) {
    size_t n = strcspn(p, ", ");
    int by = KM_BY_RESULT;
    while (by < KM_BY_COUNT && (strlen(kinds[by].name) != n || memcmp(kinds[by].name, p, n)))
      by++;
    if (n && by == KM_BY_COUNT && (n != 4 || memcmp(p, "size", 4)))
      return km_err_set(err, KM_ERR_USAGE, 0,
                        "--by %.*s: not one of rank, player, year, result, komi, source, length, size",
                        (int)(n < 80 ? n : 80), p);
    if (n && by > KM_BY_RESULT && by < KM_BY_COUNT)
      *mask |= 1u << by;
    p += n + (p[n] != 0);
  }
  return KM_OK;
}

/* ---- the table
 * --------------------------------------------------------------------------------------------------- */

km_strata *km_strata_new(unsigned mask, unsigned limit) {
  km_strata *strata = calloc(1, sizeof *strata);
  if (!strata)
    return NULL;
  *strata = (km_strata){.mask = mask, .limit = limit, .n_slots = 1024};
  strata->slots = calloc(strata->n_slots, sizeof *strata->slots);
  if (!strata->slots) {
    free(strata);
    return NULL;
  }
  return strata;
}

void km_strata_free(km_strata *strata) {
  if (!strata)
    return;
  free(strata->entries);
  free(strata->slots);
  free(strata->order);
  free(strata);
}

static km_hash128 hash_value(km_strata_of of, const km_game *game) {
  char text[3 + TEXT_BYTES] = {(char)of.by, (char)of.size, (char)of.colour};
  kinds[of.by].text(game, of.colour, text + 3);
  return km_hash_bytes(text, 3 + strlen(text + 3));
}

/* The slot of a value, or the free one where it belongs. */
static size_t find_slot(const km_strata *strata, km_hash128 hash) {
  size_t i = hash.low & (strata->n_slots - 1);
  while (strata->slots[i] && !km_hash128_equal(strata->entries[strata->slots[i] - 1].hash, hash))
    i = (i + 1) & (strata->n_slots - 1);
  return i;
}

static km_status grow(km_strata *strata, km_err *err) {
  size_t room = strata->room ? 2 * strata->room : 512;
  uint32_t *slots = calloc(2 * room, sizeof *slots);
  entry *entries = realloc(strata->entries, room * sizeof *entries);
  if (entries)
    strata->entries = entries;
  if (!slots || !entries) {
    free(slots);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu strata", room);
  }
  free(strata->slots);
  strata->slots = slots;
  strata->n_slots = 2 * room;
  strata->room = room;
  for (size_t i = 0; i < strata->n; i++)
    slots[find_slot(strata, entries[i].hash)] = (uint32_t)i + 1;
  return KM_OK;
}

static km_status count_value(km_strata *strata, uint64_t i, const km_game *game, km_strata_of of,
                             km_err *err) {
  km_hash128 hash = hash_value(of, game);
  if (strata->n == strata->room && strata->n < KM_STRATA_VALUES) {
    km_status status = grow(strata, err);
    if (status != KM_OK)
      return status;
  }
  size_t slot = find_slot(strata, hash);
  if (strata->slots[slot]) {
    strata->entries[strata->slots[slot] - 1].n_games++;
    return KM_OK;
  }
  if (strata->n == KM_STRATA_VALUES) {
    strata->families[of.by][of.size][of.colour - KM_BLACK].has_others = 1;
    return KM_OK;
  }
  strata->entries[strata->n] = (entry){hash, 1, i, no_stratum, (uint8_t)of.by, of.size, of.colour};
  strata->slots[slot] = (uint32_t)++strata->n;
  return KM_OK;
}

km_status km_strata_count(km_strata *strata, uint64_t i, const km_game *game, uint8_t colour, km_err *err) {
  km_status status = KM_OK;
  for (int by = KM_BY_RESULT + 1; by < KM_BY_COUNT && status == KM_OK; by++)
    if (strata->mask >> by & 1)
      status = count_value(strata, i, game, (km_strata_of){(km_by)by, game->rows, colour}, err);
  return status;
}

/* By family, then by falling number of games, then by first appearance. */
static int compare_entries(const void *left, const void *right, void *ctx) {
  const entry *a = (const entry *)ctx + *(const uint32_t *)left,
              *b = (const entry *)ctx + *(const uint32_t *)right;
  int order = (a->by << 16 | a->size << 8 | a->colour) - (b->by << 16 | b->size << 8 | b->colour);
  if (order)
    return order;
  if (a->n_games != b->n_games)
    return a->n_games > b->n_games ? -1 : 1;
  return a->first_game < b->first_game ? -1 : a->first_game > b->first_game;
}

km_status km_strata_rank(km_strata *strata, km_err *err) {
  strata->order = malloc((strata->n + 1) * sizeof *strata->order);
  if (!strata->order)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu strata", strata->n);
  for (size_t i = 0; i < strata->n; i++)
    strata->order[i] = (uint32_t)i;
  qsort_r(strata->order, strata->n, sizeof *strata->order, compare_entries, strata->entries);
  for (size_t i = 0; i < strata->n; i++) {
    entry *e = &strata->entries[strata->order[i]];
    family *f = &strata->families[e->by][e->size][e->colour - KM_BLACK];
    if (f->n_named == 0)
      f->first = i;
    if (f->n_named < strata->limit)
      e->stratum = f->n_named++;
    else
      f->has_others = 1;
  }
  return KM_OK;
}

static const family *family_of(const km_strata *strata, km_strata_of of) {
  return &strata->families[of.by][of.size][of.colour - KM_BLACK];
}

unsigned km_strata_n(const km_strata *strata, km_strata_of of) {
  return family_of(strata, of)->n_named + family_of(strata, of)->has_others;
}

unsigned km_strata_find(const km_strata *strata, km_strata_of of, const km_game *game) {
  uint32_t number = strata->slots[find_slot(strata, hash_value(of, game))];
  uint32_t stratum = number ? strata->entries[number - 1].stratum : no_stratum;
  return stratum == no_stratum ? family_of(strata, of)->n_named : stratum;
}

km_status km_strata_name(const km_strata *strata, km_strata_of of, unsigned stratum, const km_games *games,
                         char name[KM_STRATUM_NAME], km_err *err) {
  const family *f = family_of(strata, of);
  km_game game;
  char text[TEXT_BYTES];
  strcpy(name, "others");
  if (stratum >= f->n_named)
    return KM_OK;
  km_status status =
      km_games_info(games, strata->entries[strata->order[f->first + stratum]].first_game, &game, err);
  if (status != KM_OK)
    return status;
  kinds[of.by].text(&game, of.colour, text);
  size_t n = strlen(text);
  if (n >= KM_STRATUM_NAME)
    for (n = KM_STRATUM_NAME - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
      ; /* not within a character */
  memcpy(name, text, n);
  name[n] = 0;
  return KM_OK;
}
