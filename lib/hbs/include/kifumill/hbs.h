/* hbs.h: the Hierarchical Border Sum (SPEC §3): variants, limits, exact values, a tracker that follows a
 * game.
 *
 * A board n×n is peeled into rings of side m = n, n−2, … ≥ 2, outermost first. Each ring's four edges are
 * words of m bits (1 = a stone of the counted colour); sorted by number of ones and concatenated they are the
 * 4m-bit number L_m, and S = Σ L_m. All numbers are exact. They are little-endian arrays of 64-bit limbs: 2
 * limbs where everything fits 128 bits (n ≤ 31; S < 2^125), else 4 (n = 52: S < 2^209). HBS is defined on
 * square boards only. */
#ifndef KIFUMILL_HBS_H
#define KIFUMILL_HBS_H

#include "kifumill/err.h"
#include "kifumill/game.h"

/* The dimensions on which the paper is silent; 0 is the recommended default everywhere. */
/* Direction: clockwise; left to right and top to bottom; the larger of forward and backward. */
enum { KM_HBS_CW = 0, KM_HBS_FIXED, KM_HBS_CANON };
/* Order: the edge with most stones is the most significant; the least. */
enum { KM_HBS_DESC = 0, KM_HBS_ASC };
/* Equal counts: the larger word goes the way of the larger count; top, right, bottom, left. */
enum { KM_HBS_VALUE = 0, KM_HBS_EDGE };
/* Counted colour; both stands for two trackers. */
enum { KM_HBS_BLACK = 0, KM_HBS_WHITE, KM_HBS_BOTH };
/* Centre of an odd board: in no layer; a layer L_1 = 15 if it holds a stone. */
enum { KM_HBS_NO_CENTRE = 0, KM_HBS_CENTRE15 };

typedef struct km_hbs_variant {
  uint8_t direction, order, ties, colour, centre;
} km_hbs_variant;

enum {
  KM_HBS_NAME_MAX = 40,                /* longest name of a variant with its NUL */
  KM_HBS_LIMBS_MAX = 4,                /* limbs of a value on the largest board */
  KM_HBS_RINGS_MAX = KM_BOARD_MAX / 2, /* rings of the largest board; an odd one has room for its centre */
  KM_HBS_SMALL_MAX = 31,               /* largest side whose values fit two limbs */
  KM_HBS_DECIMAL_MAX = 82,             /* decimal text of 4 limbs, with sign and NUL */
};

typedef struct km_hbs_value {
  uint64_t limb[KM_HBS_LIMBS_MAX]; /* least significant first; unused ones are 0 */
} km_hbs_value;

/* Names: words joined by '-', in any order, at most one per dimension, the rest default: cw fixed canon, desc
 * asc, value edge, black white both, none centre15; or "default". "fixed-asc-edge", "white",
 * "canon-white-centre15". KM_ERR_USAGE with the grammar in the message otherwise. */
km_status km_hbs_variant_parse(km_hbs_variant *variant, const char *name, km_err *err);
/* The canonical name, as SPEC §3 has it: "default", "white", "cw-asc-value",
 * "canon-desc-value-white-centre15". */
void km_hbs_variant_name(km_hbs_variant variant, char name[KM_HBS_NAME_MAX]);
/* The variants with one colour that it stands for: itself, or black and white. Returns how many, 1 or 2. */
unsigned km_hbs_variant_split(km_hbs_variant variant, km_hbs_variant single[2]);

/* Number of L values of a board, ⌊n/2⌋ (one more with centre15 and odd n), and the side of the k-th, n − 2k.
 */
unsigned km_hbs_n_layers(unsigned n, km_hbs_variant variant);
static inline unsigned km_hbs_layer_size(unsigned n, unsigned k) {
  return n - 2 * k;
}
static inline unsigned km_hbs_n_limbs(unsigned n) {
  return n <= KM_HBS_SMALL_MAX ? 2 : KM_HBS_LIMBS_MAX;
}
/* S of a board full of the counted colour. */
km_hbs_value km_hbs_max(unsigned n, km_hbs_variant variant);

/* Decimal text of an unsigned or a two's complement number of 1…4 limbs; returns text. */
char *km_hbs_decimal(char text[KM_HBS_DECIMAL_MAX], const uint64_t *limbs, unsigned n_limbs);
char *km_hbs_decimal_signed(char text[KM_HBS_DECIMAL_MAX], const uint64_t *limbs, unsigned n_limbs);
/* The nearest double of a two's complement number of 1…4 limbs (ties to even). */
double km_hbs_to_double(const uint64_t *limbs, unsigned n_limbs);
/* log2(1 + S), S of 1…4 limbs and below 2^209. Integer arithmetic up to the last step, one rounding: the same
 * bits on every machine, off by less than 2^-61 before that rounding. */
double km_hbs_log2(const uint64_t *limbs, unsigned n_limbs);

/* Where a point lies: at most two edges of one ring. */
typedef struct km_hbs_cell {
  uint8_t layer;   /* 0 = outermost; the centre of an odd board has the number of rings */
  uint8_t edge[2]; /* 0 top, 1 right, 2 bottom, 3 left */
  uint8_t bit[2];  /* weight of the point in the edge's word: 2^bit */
  uint8_t corner;  /* 1: it lies on both edges; 0: on edge[0] only */
} km_hbs_cell;

/* The tables of one board size and variant; immutable after init, shared by all threads. */
typedef struct km_hbs_geometry {
  km_hbs_variant variant; /* colour is black or white */
  uint8_t n, n_rings, n_layers, n_limbs;
  km_hbs_cell cell[KM_POINT_MAX]; /* by row·n + col */
} km_hbs_geometry;

/* KM_SKIP for a rectangular board, KM_ERR_USAGE for a size outside 1…52 or a variant of both colours. */
km_status km_hbs_geometry_init(km_hbs_geometry *geometry, unsigned rows, unsigned cols,
                               km_hbs_variant variant, km_err *err);

/* S and every L of a board that changes stone by stone. Plain memory; the geometry is borrowed. */
typedef struct km_hbs {
  const km_hbs_geometry *geometry;
  uint64_t s[KM_HBS_LIMBS_MAX];                              /* S: n_limbs limbs, the rest 0 */
  uint64_t layer[(KM_HBS_RINGS_MAX + 1) * KM_HBS_LIMBS_MAX]; /* L values, n_limbs each, outermost first */
  uint64_t key[KM_HBS_RINGS_MAX][4];      /* edges of a ring: count, rank, word (hbs_tracker.c) */
  uint64_t backward[KM_HBS_RINGS_MAX][4]; /* the same read backwards; canon only */
  uint32_t touched; /* a bit a layer that was set since who reads them last put 0 here; all after init */
} km_hbs;

/* The empty board. */
void km_hbs_init(km_hbs *hbs, const km_hbs_geometry *geometry);
/* The point (< n²) now holds this colour (KM_EMPTY, KM_BLACK, KM_WHITE), whatever it held. S and L are exact
 * afterwards. */
void km_hbs_set(km_hbs *hbs, uint16_t point, uint8_t colour);
/* The same for several points, with every touched ring sorted once. */
void km_hbs_set_many(km_hbs *hbs, const uint16_t *points, size_t n_points, uint8_t colour);

km_hbs_value km_hbs_s(const km_hbs *hbs);
km_hbs_value km_hbs_layer(const km_hbs *hbs, unsigned k); /* k < geometry->n_layers */

/* From scratch, by the definition and GMP integers, sharing nothing with the tracker: for tests and
 * kifu-verify. stones[row·n + col] are colours; layer (may be NULL) takes km_hbs_n_layers values. The variant
 * has one colour. */
km_status km_hbs_of_board(km_hbs_value *s, km_hbs_value *layer, const uint8_t *stones, unsigned n,
                          km_hbs_variant variant, km_err *err);

#endif
