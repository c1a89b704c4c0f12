/* move_hash.c: the images of a point under all symmetries are the sum of a row of numbers for its row and one for its
 * column, eight 16-bit additions; a rectangle fills the places of the symmetries it lacks with the identity. */
#include "kifumill/move_hash.h"

#include "kifumill/symmetry.h"
#include "point_keys.h"

/* What a term of the sum is about; its number is part of the hash. */
enum { TERM_MOVE = 0 /* + colour */, TERM_SETUP = 4 /* + colour */, TERM_KINDS = 8 };

typedef unsigned __int128 sum128;

typedef struct hasher {
  unsigned n_points, cols;
  uint32_t per_col;                                                     /* as in km_board */
  _Alignas(16) uint16_t by_row[KM_BOARD_MAX][KM_SYMMETRIES];            /* image of the row's first point */
  _Alignas(16) uint16_t by_col[KM_BOARD_MAX][KM_SYMMETRIES];            /* step from there, modulo 65536 */
  sum128 sum[KM_SYMMETRIES];
} hasher;

static void start(hasher *h, unsigned rows, unsigned cols) {
  h->n_points = rows * cols;
  h->cols = cols;
  h->per_col = (1u << 18) / cols + 1;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    km_affine map = km_symmetry_affine(km_symmetry_fits(k, rows, cols) ? k : 0, rows, cols);
    for (unsigned r = 0; r < rows; r++)
      h->by_row[r][k] = (uint16_t)(map.base + map.by_row * (int)r);
    for (unsigned c = 0; c < cols; c++)
      h->by_col[c][k] = (uint16_t)(map.by_col * (int)c);
    h->sum[k] = 0;
  }
}

/* Adds the term number·TERM_KINDS + kind for a point to all sums. */
static inline void add(hasher *h, uint64_t number, unsigned kind, unsigned point) {
  uint64_t t = number * TERM_KINDS + kind + 1;
  uint64_t ka = t * 0x9e3779b97f4a7c15u, kb = t * 0xd1b54a32d192ed03u;
  if (point >= h->n_points) {
    unsigned row = point == h->n_points ? KM_KEY_PASS : point == KM_POINT_BAD ? KM_KEY_BAD : KM_KEY_OFFBOARD;
    km_hash128 key = km_point_keys[row];
    sum128 term = (sum128)(key.low ^ ka) * (key.high ^ kb);
    for (int k = 0; k < KM_SYMMETRIES; k++)
      h->sum[k] += term;
    return;
  }
  unsigned row = (point * h->per_col) >> 18, col = point - row * h->cols;
  uint16_t image[KM_SYMMETRIES];
  for (int k = 0; k < KM_SYMMETRIES; k++)
    image[k] = (uint16_t)(h->by_row[row][k] + h->by_col[col][k]);
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    km_hash128 key = km_point_keys[image[k]];
    h->sum[k] += (sum128)(key.low ^ ka) * (key.high ^ kb);
  }
}

/* The hash of one symmetry's record: the sum and the size, mixed by a bijection. */
static km_hash128 finish(const hasher *h, int k) {
  uint64_t low = km_mix64((uint64_t)h->sum[k] + ((uint64_t)h->n_points << 8 | h->cols));
  return (km_hash128){low, km_mix64((uint64_t)(h->sum[k] >> 64) ^ low)};
}

static km_hash128 smallest(const hasher *h) {
  km_hash128 best = finish(h, 0);
  for (int k = 1; k < KM_SYMMETRIES; k++) {
    km_hash128 hash = finish(h, k);
    if (km_hash128_compare(hash, best) < 0)
      best = hash;
  }
  return best;
}

void km_game_hash_compute(const km_game *game, uint32_t n_opening, km_game_hash *hash) {
  hasher h;
  start(&h, game->rows, game->cols);
  uint32_t s = 0, t = 0, n_first = n_opening < game->n_moves ? n_opening : game->n_moves;
  for (; s < game->n_setup && game->setup[s].ply < n_opening; s++)
    add(&h, game->setup[s].ply, TERM_SETUP + game->setup[s].colour, game->setup[s].point);
  for (; t < n_first; t++)
    add(&h, t, TERM_MOVE + game->moves[t].colour, game->moves[t].point);
  hash->opening = smallest(&h);
  for (; s < game->n_setup; s++)
    add(&h, game->setup[s].ply, TERM_SETUP + game->setup[s].colour, game->setup[s].point);
  for (; t < game->n_moves; t++)
    add(&h, t, TERM_MOVE + game->moves[t].colour, game->moves[t].point);
  hash->moves = finish(&h, 0);
  hash->canonical = smallest(&h);
}
