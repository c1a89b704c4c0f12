/* ingest_prefix.c: groups of one opening, sorted by length; within a group every game is held against the longer ones.
 * Groups are small but for copies with de-duplication off, so a game stops at the first longer game that it begins.
 * Nearly all games are alone with their opening: a table finds those that are not, and only these are sorted. */
#include "ingest_prefix.h"

#include "kifumill/move_hash.h"
#include "kifumill/symmetry.h"

#include <stdlib.h>
#include <string.h>

typedef struct member {
  km_hash128 opening;
  uint32_t n_moves; /* 0: left out, or too few to have an opening */
  uint32_t index;
} member;

typedef struct pair {
  uint32_t shorter, longer;
} pair;

struct km_prefix {
  member *members;
  size_t n, room;
  pair *pairs;
  size_t n_pairs, room_pairs;
};

enum { GROUP_MOST = 4096 /* longer games that one game is held against */ };

km_prefix *km_prefix_new(void) { return calloc(1, sizeof(km_prefix)); }

void km_prefix_free(km_prefix *prefix) {
  if (prefix) {
    free(prefix->members);
    free(prefix->pairs);
  }
  free(prefix);
}

km_status km_prefix_add(km_prefix *prefix, km_hash128 opening, uint32_t n_moves, km_err *err) {
  if (prefix->n == prefix->room) {
    size_t room = prefix->room ? 2 * prefix->room : 1024;
    member *larger = realloc(prefix->members, room * sizeof *larger);
    if (!larger || prefix->n >= UINT32_MAX)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the openings of %zu games", prefix->n);
    prefix->members = larger;
    prefix->room = room;
  }
  prefix->members[prefix->n] = (member){opening, n_moves >= KM_OPENING_MOVES ? n_moves : 0, (uint32_t)prefix->n};
  prefix->n++;
  return KM_OK;
}

void km_prefix_drop(km_prefix *prefix, uint64_t index) { prefix->members[index].n_moves = 0; }

/* By opening, then the longest first, then by index. */
static int compare_members(const void *a, const void *b) {
  const member *left = a, *right = b;
  int order = km_hash128_compare(left->opening, right->opening);
  if (order == 0)
    order = left->n_moves > right->n_moves ? -1 : left->n_moves < right->n_moves;
  return order ? order : left->index < right->index ? -1 : left->index > right->index;
}

static int compare_pairs(const void *a, const void *b) {
  uint32_t left = ((const pair *)a)->shorter, right = ((const pair *)b)->shorter;
  return left < right ? -1 : left > right;
}

/* Whether the moves of game a, turned by some symmetry, begin those of b. */
static int begins(const km_game *a, const km_game *b) {
  if (a->rows != b->rows || a->cols != b->cols)
    return 0;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    uint32_t i = 0;
    if (!km_symmetry_fits(k, a->rows, a->cols))
      continue;
    while (i < a->n_moves && a->moves[i].colour == b->moves[i].colour &&
           km_symmetry_point(k, a->rows, a->cols, a->moves[i].point) == b->moves[i].point)
      i++;
    if (i == a->n_moves)
      return 1;
  }
  return 0;
}

static km_status add_pair(km_prefix *prefix, uint32_t shorter, uint32_t longer, km_err *err) {
  if (prefix->n_pairs == prefix->room_pairs) {
    size_t room = prefix->room_pairs ? 2 * prefix->room_pairs : 64;
    pair *larger = realloc(prefix->pairs, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu prefix copies", prefix->n_pairs);
    prefix->pairs = larger;
    prefix->room_pairs = room;
  }
  prefix->pairs[prefix->n_pairs++] = (pair){shorter, longer};
  return KM_OK;
}

/* The members of one opening, the longest first. */
static km_status search_group(km_prefix *prefix, const member *group, size_t n, km_games_writer *writer, km_arena *arena,
                              km_err *err) {
  if (group[0].n_moves == group[n - 1].n_moves)
    return KM_OK; /* none is longer than another */
  km_arena_reset(arena);
  km_game *games = km_arena_alloc(arena, n * sizeof *games);
  if (!games)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu games of one opening", n);
  for (size_t i = 0; i < n; i++) {
    km_status status = km_games_writer_read(writer, group[i].index, arena, &games[i], err);
    if (status != KM_OK)
      return status;
    size_t most = i < GROUP_MOST ? i : GROUP_MOST;
    for (size_t k = 0; k < most && games[k].n_moves > games[i].n_moves; k++)
      if (begins(&games[i], &games[k])) {
        if ((status = add_pair(prefix, group[i].index, group[k].index, err)) != KM_OK)
          return status;
        break;
      }
  }
  return KM_OK;
}

/* The slot of an opening in a table of indices (UINT32_MAX: free), whose size is a power of two. */
static uint32_t *find_slot(uint32_t *slots, size_t n_slots, const km_prefix *prefix, km_hash128 opening) {
  size_t i = opening.low & (n_slots - 1);
  while (slots[i] != UINT32_MAX && !km_hash128_equal(prefix->members[slots[i]].opening, opening))
    i = (i + 1) & (n_slots - 1);
  return &slots[i];
}

/* Keeps the members that are not left out and not alone with their opening. */
static km_status drop_lonely(km_prefix *prefix, km_err *err) {
  size_t n_slots = 16, n = 0;
  while (n_slots < 2 * prefix->n)
    n_slots *= 2;
  uint32_t *slots = malloc(n_slots * sizeof *slots);
  uint8_t *is_shared = calloc(prefix->n + 1, 1);
  if (!slots || !is_shared) {
    free(slots);
    free(is_shared);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the openings of %zu games", prefix->n);
  }
  memset(slots, 0xff, n_slots * sizeof *slots);
  for (size_t i = 0; i < prefix->n; i++) {
    if (prefix->members[i].n_moves == 0)
      continue;
    uint32_t *slot = find_slot(slots, n_slots, prefix, prefix->members[i].opening);
    if (*slot == UINT32_MAX)
      *slot = (uint32_t)i;
    else
      is_shared[*slot] = is_shared[i] = 1;
  }
  for (size_t i = 0; i < prefix->n; i++)
    if (is_shared[i])
      prefix->members[n++] = prefix->members[i];
  prefix->n = n;
  free(slots);
  free(is_shared);
  return KM_OK;
}

km_status km_prefix_find(km_prefix *prefix, km_games_writer *writer, km_prefix_found *found, void *ctx, km_err *err) {
  km_status status = drop_lonely(prefix, err);
  km_arena arena;
  km_arena_init(&arena);
  prefix->n_pairs = 0;
  if (status == KM_OK && prefix->n)
    qsort(prefix->members, prefix->n, sizeof *prefix->members, compare_members);
  for (size_t first = 0; status == KM_OK && first < prefix->n;) {
    size_t n = 1;
    while (first + n < prefix->n && km_hash128_equal(prefix->members[first].opening, prefix->members[first + n].opening))
      n++;
    status = search_group(prefix, &prefix->members[first], n, writer, &arena, err);
    first += n;
  }
  km_arena_clear(&arena);
  if (status == KM_OK && prefix->n_pairs)
    qsort(prefix->pairs, prefix->n_pairs, sizeof *prefix->pairs, compare_pairs);
  for (size_t i = 0; status == KM_OK && i < prefix->n_pairs; i++)
    status = found(ctx, prefix->pairs[i].shorter, prefix->pairs[i].longer, err);
  return status;
}
