/* feature_set.c: one scan of the board for the 48 planes. See feature_set.h.
 *
 * Most empty points are settled without making the move: beside no own chain a stone has its empty neighbours
 * as liberties; beside one it has that chain's, less itself, and those of its empty neighbours the chain does
 * not touch. Only moves that join chains or capture are made and taken back. */
#include "feature_set.h"

#include <stdlib.h>
#include <string.h>

#include "kifumill/features.h"
#include "ladder.h"

enum {
  NEVER = 0,
  MARKS_A_POINT = 7, /* an empty point: empty, capture, self-atari, liberties after, sensible, two ladders */
};

struct km_feature_set {
  size_t n_points;
  uint32_t variants;
  uint32_t ply;     /* moves so far, passes too */
  uint32_t *played; /* ply of the stone on a point, counted from 1; NEVER: none, or set-up */
  uint8_t *eye, *ladder_mark;
  uint8_t marked_for; /* the player, or KM_EMPTY */
  size_t n_marks;
  km_feature_mark *marks;
  km_ladder *ladder;
  km_board board; /* to try moves on */
};

km_feature_set *km_feature_set_new(unsigned rows, unsigned cols, uint32_t variants) {
  km_feature_set *set = calloc(1, sizeof *set);
  if (set == NULL)
    return NULL;
  set->n_points = (size_t)rows * cols;
  set->variants = variants;
  set->played = malloc(set->n_points * sizeof *set->played);
  set->marks = malloc(set->n_points * MARKS_A_POINT * sizeof *set->marks);
  set->eye = malloc(set->n_points);
  set->ladder_mark = malloc(set->n_points);
  set->ladder = km_ladder_new(set->n_points, variants);
  if (set->played == NULL || set->marks == NULL || set->eye == NULL || set->ladder_mark == NULL ||
      set->ladder == NULL) {
    km_feature_set_free(set);
    return NULL;
  }
  km_feature_set_reset(set);
  return set;
}

void km_feature_set_free(km_feature_set *set) {
  if (set == NULL)
    return;
  km_ladder_free(set->ladder);
  free(set->ladder_mark);
  free(set->eye);
  free(set->marks);
  free(set->played);
  free(set);
}

/* ---- ages ---- */

void km_feature_set_reset(km_feature_set *set) {
  set->ply = 0;
  set->marked_for = KM_EMPTY;
  memset(set->played, 0, set->n_points * sizeof *set->played);
}

void km_feature_set_setup(km_feature_set *set, uint16_t point) {
  set->marked_for = KM_EMPTY;
  set->played[point] = NEVER;
}

void km_feature_set_push(km_feature_set *set, const km_board *board, uint16_t point) {
  set->marked_for = KM_EMPTY;
  ++set->ply;
  if (point < set->n_points)
    set->played[point] = set->ply;
  for (unsigned i = 0; i < board->n_captured; ++i)
    set->played[board->captured[i]] = NEVER;
}

/* ---- one position ---- */

static unsigned at_most(unsigned n, unsigned limit) {
  return n < limit ? n : limit;
}

static inline void mark(km_feature_set *set, km_plane_family family, unsigned bin, unsigned point) {
  set->marks[set->n_marks++] = (km_feature_mark){(uint16_t)(8 * family + bin), (uint16_t)point};
}

static void describe_stone(km_feature_set *set, unsigned head, unsigned point) {
  unsigned n_liberties = km_chain_liberties(&set->board, head);
  if (n_liberties > 0) /* set-up can leave a chain without */
    mark(set, KM_FAMILY_LIBERTIES, at_most(n_liberties, 8) - 1, point);
  if (set->played[point] != NEVER)
    mark(set, KM_FAMILY_AGE, at_most(set->ply - set->played[point], 7), point);
  else if ((set->variants & KM_VARIANT_SETUP_OLD) != 0)
    mark(set, KM_FAMILY_AGE, 7, point);
}

/* What a legal move would do. */
typedef struct outcome {
  unsigned liberties, size, n_captured; /* the first two of the chain it makes */
} outcome;

/* The empty neighbours of site that the chain of cells root (0: none) does not touch. */
static unsigned new_liberties(const km_board *board, unsigned site, unsigned root) {
  ptrdiff_t w = board->stride;
  const ptrdiff_t step[4] = {-1, 1, -w, w};
  unsigned n = 0;
  for (int i = 0; i < 4; ++i) {
    const uint16_t *near = board->cell + site + step[i];
    n += near[0] < KM_CELL_BORDER &&
         (root == 0 || ((near[-1] != root) & (near[1] != root) & (near[-w] != root) & (near[w] != root)));
  }
  return n;
}

/* The move is made, looked at and taken back. */
static int try_move(km_board *board, uint8_t me, unsigned site, outcome *result) {
  uint16_t point = km_board_point(board, site);
  if (km_board_classify(board, me, point) != KM_PLAY_LEGAL)
    return 0;
  km_undo undo;
  km_board_play_undo(board, me, point, &undo);
  unsigned chain = board->cell[site] & KM_CELL_HEAD;
  *result = (outcome){km_chain_liberties(board, chain), km_chain_size(board, chain), board->n_captured};
  km_board_undo(board, &undo);
  return 1;
}

/* Whether the move of me at the empty site is legal, and what it does. */
static int foresee(km_board *board, uint8_t me, unsigned site, outcome *result) {
  const uint16_t *here = board->cell + site;
  ptrdiff_t w = board->stride;
  const unsigned near[4] = {here[-1], here[1], here[-w], here[w]};
  unsigned kind = km_cell_kind(me), root = 0, must_try = 0;
  for (int i = 0; i < 4; ++i) {
    if (near[i] < KM_CELL_STONE)
      continue;
    if ((near[i] & KM_CELL_KIND) != kind)
      must_try |= km_chain_liberties(board, near[i] & KM_CELL_HEAD) == 1;
    else if (root == 0)
      root = near[i];
    else
      must_try |= near[i] != root;
  }
  if (must_try)
    return try_move(board, me, site, result);
  *result = (outcome){new_liberties(board, site, root), 1, 0};
  if (root != 0) {
    result->liberties += km_chain_liberties(board, root & KM_CELL_HEAD) - 1;
    result->size += km_chain_size(board, root & KM_CELL_HEAD);
  }
  return result->liberties > 0; /* a ko point can only be taken by a capture */
}

static void describe_move(km_feature_set *set, uint8_t me, unsigned site, unsigned point) {
  outcome result;
  mark(set, KM_FAMILY_EMPTY, 0, point);
  if (!foresee(&set->board, me, site, &result))
    return;
  if ((set->variants & KM_VARIANT_CAPTURE1) == 0)
    mark(set, KM_FAMILY_CAPTURE, at_most(result.n_captured, 7), point);
  else if (result.n_captured > 0)
    mark(set, KM_FAMILY_CAPTURE, at_most(result.n_captured, 8) - 1, point);
  mark(set, KM_FAMILY_LIBERTIES_AFTER, at_most(result.liberties, 8) - 1, point);
  if (result.liberties == 1)
    mark(set, KM_FAMILY_SELF_ATARI, at_most(result.size, 8) - 1, point);
  if (!set->eye[point])
    mark(set, KM_FAMILY_SENSIBLE, 0, point);
}

typedef void ladder_reading(km_ladder *ladder, km_board *board, uint8_t me, uint8_t *mark);

static void describe_ladders(km_feature_set *set, uint8_t me, ladder_reading *read, km_plane_family family) {
  memset(set->ladder_mark, 0, set->n_points);
  read(set->ladder, &set->board, me, set->ladder_mark);
  for (unsigned point = 0; point < set->n_points; ++point)
    if (set->ladder_mark[point])
      mark(set, family, 0, point);
}

const km_feature_mark *km_feature_set_marks(km_feature_set *set, const km_board *board, uint8_t to_play,
                                            size_t *n) {
  if (set->marked_for != to_play) {
    set->marked_for = to_play;
    set->n_marks = 0;
    km_board_copy(&set->board, board);
    km_true_eyes(board, to_play, set->eye);
    unsigned point = 0;
    for (unsigned r = 0; r < board->rows; ++r)
      for (unsigned c = 0; c < board->cols; ++c, ++point) {
        unsigned site = (r + 2) * board->stride + c, cell = board->cell[site];
        if (cell >= KM_CELL_STONE)
          describe_stone(set, cell & KM_CELL_HEAD, point);
        else
          describe_move(set, to_play, site, point);
      }
    describe_ladders(set, to_play, km_ladder_captures, KM_FAMILY_LADDER_CAPTURE);
    describe_ladders(set, to_play, km_ladder_escapes, KM_FAMILY_LADDER_ESCAPE);
  }
  *n = set->n_marks;
  return set->marks;
}

uint64_t km_feature_set_ladders_cut(const km_feature_set *set) {
  return km_ladder_n_cut(set->ladder);
}
