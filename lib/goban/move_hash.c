/* move_hash.c: the canonical image of a game is the one whose points come first in the order of play; nearly always the
 * first two or three moves tell which one that is, so one sum beside that of the game as it stands is enough. Images
 * that stay equal (a symmetric opening) are summed side by side, and the smallest hash of them counts.
 *
 * Terms are gathered in blocks, and a block is added up once for each image, whose sum stays in registers: a term is two
 * small look-ups for the image of its point, the key, and a multiplication.
 *
 * The image of a point is the sum of a number for its row and one for its column. What is no point of the board has
 * rows of its own, the same under all symmetries; a rectangle counts the identity again for symmetries it lacks. */
#include "kifumill/move_hash.h"

#include "kifumill/symmetry.h"
#include "point_keys.h"

/* What a term of the sum is about; its number is part of the hash. */
enum { TERM_MOVE = 0 /* + colour */, TERM_SETUP = 4 /* + colour */, TERM_KINDS = 8 };

typedef unsigned __int128 sum128;

/* Rows behind those of the board. */
enum { ROW_PASS = KM_BOARD_MAX, ROW_OFFBOARD, ROW_BAD, N_ROWS };

enum { BLOCK = 64 };
typedef struct term {
  uint64_t ka, kb;
  uint32_t row, col;
} term;

typedef struct hasher {
  unsigned n_points, cols;
  uint32_t per_col;                             /* as in km_board */
  uint32_t by_row[KM_SYMMETRIES][N_ROWS];       /* image of the row's first point, or number of a key */
  uint32_t by_col[KM_SYMMETRIES][KM_BOARD_MAX]; /* step from there, modulo 2^32 */
  sum128 sum[KM_SYMMETRIES];
  unsigned images;                              /* bit k: symmetry k is summed */
  unsigned n_terms;
  term terms[BLOCK];
} hasher;

static void start(hasher *h, unsigned rows, unsigned cols) {
  h->n_points = rows * cols;
  h->cols = cols;
  h->per_col = (1u << 18) / cols + 1;
  h->n_terms = 0;
  h->images = 0;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    km_affine map = km_symmetry_affine(km_symmetry_fits(k, rows, cols) ? k : 0, rows, cols);
    for (unsigned r = 0; r < rows; r++)
      h->by_row[k][r] = (uint32_t)map.base + (uint32_t)map.by_row * r;
    for (unsigned c = 0; c < cols; c++)
      h->by_col[k][c] = (uint32_t)map.by_col * c;
    h->by_row[k][ROW_PASS] = KM_KEY_PASS;
    h->by_row[k][ROW_OFFBOARD] = KM_KEY_OFFBOARD;
    h->by_row[k][ROW_BAD] = KM_KEY_BAD;
    h->sum[k] = 0;
  }
}

/* Adds the gathered terms to the sums. */
static void flush(hasher *h) {
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    if (!(h->images >> k & 1))
      continue;
    const uint32_t *by_row = h->by_row[k], *by_col = h->by_col[k];
    sum128 sum = h->sum[k];
    for (unsigned i = 0; i < h->n_terms; i++) {
      const term *t = &h->terms[i];
      km_hash128 key = km_point_keys[by_row[t->row] + by_col[t->col]];
      sum += (sum128)(key.low ^ t->ka) * (key.high ^ t->kb);
    }
    h->sum[k] = sum;
  }
  h->n_terms = 0;
}

/* The term number·TERM_KINDS + kind for a point. */
static inline void add(hasher *h, uint64_t number, unsigned kind, unsigned point) {
  if (h->n_terms == BLOCK)
    flush(h);
  uint64_t t = number * TERM_KINDS + kind + 1;
  term *next = &h->terms[h->n_terms++];
  next->ka = t * 0x9e3779b97f4a7c15u;
  next->kb = t * 0xd1b54a32d192ed03u;
  if (point < h->n_points) {
    next->row = (point * h->per_col) >> 18;
    next->col = point - next->row * h->cols;
  } else {
    next->row = point == h->n_points ? ROW_PASS : point == KM_POINT_BAD ? ROW_BAD : ROW_OFFBOARD;
    next->col = 0;
  }
}

/* The hash of one symmetry's record: the sum and the size, mixed by a bijection. */
static km_hash128 finish(const hasher *h, int k) {
  uint64_t low = km_mix64((uint64_t)h->sum[k] + ((uint64_t)h->n_points << 8 | h->cols));
  return (km_hash128){low, km_mix64((uint64_t)(h->sum[k] >> 64) ^ low)};
}

/* Of the images in mask, those whose point of this move comes first. Points beyond the board stay where they are. */
static unsigned first_images(const hasher *h, unsigned mask, unsigned point) {
  if (point >= h->n_points)
    return mask;
  unsigned row = (point * h->per_col) >> 18, col = point - row * h->cols, best = 0;
  uint32_t least = UINT32_MAX;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    if (!(mask >> k & 1))
      continue;
    uint32_t image = h->by_row[k][row] + h->by_col[k][col];
    if (image < least) {
      least = image;
      best = 0;
    }
    best |= (unsigned)(image == least) << k;
  }
  return best;
}

/* Narrows mask by the moves from…to-1. */
static unsigned narrow(const hasher *h, unsigned mask, const km_game *game, uint32_t from, uint32_t to) {
  for (uint32_t t = from; t < to && mask & (mask - 1); t++)
    mask = first_images(h, mask, game->moves[t].point);
  return mask;
}

static unsigned all_images(unsigned rows, unsigned cols) {
  unsigned mask = 0;
  for (int k = 0; k < KM_SYMMETRIES; k++)
    mask |= (unsigned)(km_symmetry_fits(k, rows, cols) != 0) << k;
  return mask;
}

/* The smallest hash of what has been added, over the images in mask. */
static km_hash128 smallest(hasher *h, unsigned mask) {
  km_hash128 best = {UINT64_MAX, UINT64_MAX};
  flush(h);
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    if (!(mask >> k & 1))
      continue;
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
  unsigned opening = narrow(&h, all_images(game->rows, game->cols), game, 0, n_first);
  h.images = opening | 1;
  for (; s < game->n_setup && game->setup[s].ply < n_opening; s++)
    add(&h, game->setup[s].ply, TERM_SETUP + game->setup[s].colour, game->setup[s].point);
  for (; t < n_first; t++)
    add(&h, t, TERM_MOVE + game->moves[t].colour, game->moves[t].point);
  hash->opening = smallest(&h, opening);
  for (; s < game->n_setup; s++)
    add(&h, game->setup[s].ply, TERM_SETUP + game->setup[s].colour, game->setup[s].point);
  for (; t < game->n_moves; t++)
    add(&h, t, TERM_MOVE + game->moves[t].colour, game->moves[t].point);
  hash->canonical = smallest(&h, narrow(&h, opening, game, n_first, game->n_moves));
  hash->moves = finish(&h, 0);
}
