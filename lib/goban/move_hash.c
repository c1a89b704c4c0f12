/* move_hash.c: the canonical image of a game is the one whose points come first in the order of play; nearly
 * always the first two or three moves tell which one that is, so one sum is enough. Images that stay equal (a
 * symmetric opening) are summed one after the other, and the smallest hash of them counts. Which image it
 * was, the first of equal ones, tells apart the games that share it: the record as it stands needs no sum of
 * its own.
 *
 * The loop over the moves is straight-line code: the image of a point by small multiplications, its key, and
 * a multiplication to 128 bits. The numbers a term is told apart by grow by the same steps from move to move,
 * so they are added up, not multiplied out. What is no point of the board has keys of its own, the same under
 * all symmetries. */
#include "kifumill/move_hash.h"

#include "kifumill/symmetry.h"
#include "point_keys.h"

/* What a term of the sum is about; its number is part of the hash. */
enum { TERM_MOVE = 0 /* + colour */, TERM_SETUP = 4 /* + colour */, TERM_KINDS = 8 };

/* The two multipliers of a term's number. */
#define TERM_A 0x9e3779b97f4a7c15u
#define TERM_B 0xd1b54a32d192ed03u

typedef unsigned __int128 sum128;

/* A symmetry as arithmetic: a point goes to base + by_point·point + by_row·row. */
typedef struct mapping {
  uint32_t base, by_point, by_row;
} mapping;

typedef struct hasher {
  unsigned n_points, cols;
  uint32_t per_col;           /* as in km_board */
  unsigned images;            /* bit k: symmetry k fits the board */
  mapping map[KM_SYMMETRIES]; /* of those */
  sum128 sum[KM_SYMMETRIES];
} hasher;

static void start(hasher *h, unsigned rows, unsigned cols) {
  h->n_points = rows * cols;
  h->cols = cols;
  h->per_col = (1u << 18) / cols + 1;
  h->images = 0;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    h->sum[k] = 0;
    if (!km_symmetry_fits(k, rows, cols))
      continue;
    h->images |= 1u << k;
    km_affine map = km_symmetry_affine(k, rows, cols); /* in terms of row and col = point − row·cols */
    uint32_t by_point = (uint32_t)map.by_col;
    h->map[k] = (mapping){(uint32_t)map.base, by_point, (uint32_t)map.by_row - by_point * cols};
  }
}

/* The image of a point of the board. */
static inline uint32_t image_of(const hasher *h, const mapping *map, uint32_t point) {
  return map->base + map->by_point * point + map->by_row * ((point * h->per_col) >> 18);
}

/* The number of the key for what is no point of the board. */
static uint32_t odd_key(const hasher *h, unsigned point) {
  return point == h->n_points ? KM_KEY_PASS : point == KM_POINT_BAD ? KM_KEY_BAD : KM_KEY_OFFBOARD;
}

static inline sum128 term(km_hash128 key, uint64_t a, uint64_t b) {
  return (sum128)(key.low ^ a) * (key.high ^ b);
}

/* What the number of a term grows by for its colour. */
static const uint64_t colour_terms[3][2] = {{0, 0}, {TERM_A, TERM_B}, {2 * TERM_A, 2 * TERM_B}};

/* Adds moves from…to-1 to the sum of image k. */
static void sum_moves(hasher *h, int k, const km_game *game, uint32_t from, uint32_t to) {
  const mapping map = h->map[k];
  const km_move *const end = game->moves + to;
  sum128 sum = h->sum[k];
  uint64_t a = ((uint64_t)from * TERM_KINDS + TERM_MOVE + 1) * TERM_A,
           b = ((uint64_t)from * TERM_KINDS + TERM_MOVE + 1) * TERM_B;
  for (const km_move *m = game->moves + from; m < end;
       m++, a += TERM_KINDS * TERM_A, b += TERM_KINDS * TERM_B) {
    uint32_t key = m->point < h->n_points ? image_of(h, &map, m->point) : odd_key(h, m->point);
    const uint64_t *more = colour_terms[m->colour];
    sum += term(km_point_keys[key], a + more[0], b + more[1]);
  }
  h->sum[k] = sum;
}

/* Adds set-up stones from…to-1 to the sum of image k. */
static void sum_setup(hasher *h, int k, const km_game *game, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    const km_setup *s = &game->setup[i];
    uint64_t number = (uint64_t)s->ply * TERM_KINDS + TERM_SETUP + s->colour + 1;
    uint32_t key = s->point >= h->n_points ? odd_key(h, s->point) : image_of(h, &h->map[k], s->point);
    h->sum[k] += term(km_point_keys[key], number * TERM_A, number * TERM_B);
  }
}

/* A part of a game: moves and set-up stones. */
typedef struct part {
  uint32_t move_from, move_to, setup_from, setup_to;
} part;

/* Adds a part to the sums of images. */
static void sum_part(hasher *h, unsigned images, const km_game *game, part p) {
  for (int k = 0; k < KM_SYMMETRIES; k++)
    if (images >> k & 1) {
      sum_moves(h, k, game, p.move_from, p.move_to);
      sum_setup(h, k, game, p.setup_from, p.setup_to);
    }
}

/* The hash of one symmetry's record: the sum and the size, mixed by a bijection. */
static km_hash128 finish(const hasher *h, int k) {
  uint64_t low = km_mix64((uint64_t)h->sum[k] + ((uint64_t)h->n_points << 8 | h->cols));
  return (km_hash128){low, km_mix64((uint64_t)(h->sum[k] >> 64) ^ low)};
}

/* Of the images in mask, those whose point of this move comes first. Points beyond the board stay where they
 * are. */
static unsigned first_images(const hasher *h, unsigned mask, unsigned point) {
  if (point >= h->n_points)
    return mask;
  unsigned best = 0;
  uint32_t least = UINT32_MAX;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    if (!(mask >> k & 1))
      continue;
    uint32_t image = image_of(h, &h->map[k], point);
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

/* The smallest hash of what has been added, over the images in mask; *image is the first one that has it. */
static km_hash128 smallest(const hasher *h, unsigned mask, int *image) {
  km_hash128 best = {UINT64_MAX, UINT64_MAX};
  *image = 0;
  for (int k = 0; k < KM_SYMMETRIES; k++) {
    if (!(mask >> k & 1))
      continue;
    km_hash128 hash = finish(h, k);
    if (km_hash128_compare(hash, best) < 0) {
      best = hash;
      *image = k;
    }
  }
  return best;
}

void km_game_hash_compute(const km_game *game, uint32_t n_opening, km_game_hash *hash) {
  hasher h;
  int image;
  start(&h, game->rows, game->cols);
  uint32_t n_first = n_opening < game->n_moves ? n_opening : game->n_moves, n_early = 0;
  while (n_early < game->n_setup && game->setup[n_early].ply < n_opening)
    n_early++;
  unsigned opening = narrow(&h, h.images, game, 0, n_first);
  sum_part(&h, opening, game, (part){0, n_first, 0, n_early});
  hash->opening = smallest(&h, opening, &image);
  unsigned first = narrow(&h, opening, game, n_first, game->n_moves);
  sum_part(&h, first, game, (part){n_first, game->n_moves, n_early, game->n_setup});
  hash->canonical = smallest(&h, first, &image);
  hash->moves = (km_hash128){hash->canonical.low + (uint64_t)image * TERM_A, hash->canonical.high};
}
