/* captures.c: cells, and walks over chains from stone to stone. */
#include "kifumill/captures.h"

#include <string.h>

#include "point_keys.h"

enum { COLOUR = 8, FREE = 7, BORDER = 3 * COLOUR };
_Static_assert((int)KM_EMPTY == 0 && COLOUR * (int)KM_BLACK < BORDER && COLOUR * (int)KM_WHITE < BORDER,
               "a border is no colour");

static inline unsigned site_of(const km_captures *board, unsigned point) {
  return point + ((point * board->per_col) >> 18) + board->stride;
}
static uint16_t point_of(const km_captures *board, unsigned site) {
  return (uint16_t)(site - board->stride - (site - board->stride) / board->stride);
}

/* Adds to what the neighbours of a cell count. */
static inline void count(uint8_t *at, ptrdiff_t w, int one) {
  at[-1] = (uint8_t)(at[-1] + one);
  at[1] = (uint8_t)(at[1] + one);
  at[-w] = (uint8_t)(at[-w] + one);
  at[w] = (uint8_t)(at[w] + one);
}

/* The stones of a chain. */
typedef struct chain_walk {
  unsigned n;
  uint16_t site[KM_CAPTURE_WALK];
} chain_walk;

/* Walks the chain of a stone: 1: it has a liberty; 0: it has none, and is in *walk; −1: it is too long. */
static int find_liberty(km_captures *board, unsigned from, chain_walk *walk) {
  const ptrdiff_t step[4] = {-1, 1, -(ptrdiff_t)board->stride, board->stride};
  unsigned colour = board->cell[from] & ~FREE;
  uint32_t number = ++board->n_walks;
  walk->n = 1;
  walk->site[0] = (uint16_t)from;
  board->seen[from] = number;
  for (unsigned i = 0; i < walk->n; i++)
    for (int k = 0; k < 4; k++) {
      size_t next = (size_t)(walk->site[i] + step[k]);
      unsigned cell = board->cell[next];
      if ((cell & ~FREE) != colour || board->seen[next] == number)
        continue;
      if (cell & FREE)
        return 1;
      if (walk->n == KM_CAPTURE_WALK)
        return -1;
      board->seen[next] = number;
      walk->site[walk->n++] = (uint16_t)next;
    }
  return 0;
}

/* Takes off the board the chain of a stone that has no empty neighbour, if it has no liberty at all; 0: that
 * cannot be said. */
static int take(km_captures *board, unsigned site) {
  chain_walk walk;
  int found = find_liberty(board, site, &walk);
  for (unsigned i = 0; found == 0 && i < walk.n; i++) {
    uint8_t *at = &board->cell[walk.site[i]];
    *at &= FREE;
    count(at, board->stride, 1);
    board->captured[board->n_captured++] = point_of(board, walk.site[i]);
  }
  return found >= 0;
}

/* An empty board. */
static void clear(km_captures *board, unsigned rows, unsigned cols) {
  size_t w = cols + 1, n_sites = (rows + 2) * w + 1;
  board->n_points = (uint16_t)(rows * cols);
  board->n_captured = 0;
  board->n_walks = 0;
  board->stride = (uint16_t)w;
  board->per_col = ((1u << 18) / cols) + 1; /* divides points by a multiplication, exactly */
  memset(board->cell, BORDER + 4, n_sites); /* the border may count what it likes */
  memset(board->seen, 0, n_sites * sizeof *board->seen);
  for (unsigned row = 1; row <= rows; row++) {
    uint8_t *cells = &board->cell[row * w];
    memset(cells, 4 - (row == 1) - (row == rows), cols);
    cells[0]--;
    cells[cols - 1]--;
  }
}

static void put(km_captures *board, unsigned site, uint8_t colour) {
  uint8_t *at = &board->cell[site];
  *at = (uint8_t)(*at + COLOUR * colour);
  count(at, board->stride, -1);
}

int km_captures_init(km_captures *board, const km_game *game) {
  clear(board, game->rows, game->cols);
  for (uint32_t i = 0; i < game->n_setup; i++) {
    const km_setup *stone = &game->setup[i];
    if (stone->ply > 0 || stone->colour == KM_EMPTY || stone->point >= board->n_points ||
        board->cell[site_of(board, stone->point)] >= COLOUR)
      return 0;
    put(board, site_of(board, stone->point), stone->colour);
  }
  for (uint32_t i = 0; i < game->n_setup; i++) {
    chain_walk walk;
    unsigned site = site_of(board, game->setup[i].point);
    if (!(board->cell[site] & FREE) && find_liberty(board, site, &walk) != 1)
      return 0;
  }
  return 1;
}

int km_captures_play(km_captures *board, km_move move) {
  board->n_captured = 0;
  if (move.point >= board->n_points)
    return move.point == board->n_points;
  unsigned site = site_of(board, move.point), stifled = COLOUR * (unsigned)km_opponent(move.colour);
  uint8_t *at = &board->cell[site];
  ptrdiff_t w = board->stride;
  if (*at >= COLOUR)
    return 0;
  put(board, site, move.colour);
  if (at[-1] == stifled || at[1] == stifled || at[-w] == stifled || at[w] == stifled) {
    const ptrdiff_t step[4] = {-1, 1, -w, w};
    for (int k = 0; k < 4; k++) /* once more, for it may have been taken with another */
      if (at[step[k]] == stifled && !take(board, (unsigned)((ptrdiff_t)site + step[k])))
        return 0;
  }
  chain_walk own;
  return (*at & FREE) || find_liberty(board, site, &own) == 1;
}

int km_captures_starts_ko(const km_captures *board, km_move move) {
  if (board->n_captured != 1)
    return 0;
  const uint8_t *at = &board->cell[site_of(board, move.point)];
  ptrdiff_t w = board->stride;
  unsigned own = COLOUR * (unsigned)move.colour;
  int is_joined =
      (at[-1] & ~FREE) == own || (at[1] & ~FREE) == own || (at[-w] & ~FREE) == own || (at[w] & ~FREE) == own;
  return (*at & FREE) == 1 && !is_joined;
}

km_hash128 km_captures_hash(const km_captures *board, km_move move) {
  km_hash128 hash = km_stone_key(move.colour, move.point);
  for (unsigned i = 0; i < board->n_captured; i++)
    hash = km_hash128_xor(hash, km_stone_key(km_opponent(move.colour), board->captured[i]));
  return hash;
}

km_hash128 km_captures_setup_hash(const km_game *game) {
  km_hash128 hash = {0, 0};
  for (uint32_t i = 0; i < game->n_setup; i++)
    hash = km_hash128_xor(hash, km_stone_key(game->setup[i].colour, game->setup[i].point));
  return hash;
}
