/* slow_features.c: see slow_features.h. Nothing here is shared with the library but the numbers of colours
 * and variants. */
#include "slow_features.h"

#include <stdlib.h>
#include <string.h>

#include "kifumill/layout.h"

static int inside(const slow_board *position, int r, int c) {
  return r >= 0 && c >= 0 && r < (int)position->rows && c < (int)position->cols;
}

int slow_legal(const slow_board *position, uint8_t colour, unsigned point) {
  return slow_classify(position, colour, (uint16_t)point) == KM_PLAY_LEGAL;
}

/* The number of stones that a move takes, after which *position is the position after it. */
static unsigned captures_of(slow_board *position, uint8_t colour, unsigned point) {
  slow_play(position, colour, (uint16_t)point);
  return position->n_captured;
}

/* ---- eyes ---- */

static int diagonals_ok(const slow_board *position, uint8_t colour, const uint8_t *eye, unsigned point) {
  int r = (int)(point / position->cols), c = (int)(point % position->cols), bad = 0;
  for (int dr = -1; dr <= 1; dr += 2)
    for (int dc = -1; dc <= 1; dc += 2) {
      if (!inside(position, r + dr, c + dc))
        continue;
      unsigned q = (unsigned)((r + dr) * (int)position->cols + c + dc);
      bad += position->stone[q] == 3 - colour || (position->stone[q] == 0 && !eye[q]);
    }
  unsigned near[4];
  return bad <= (slow_neighbours(position, point, near) == 4 ? 1 : 0);
}

void slow_true_eyes(const slow_board *position, uint8_t colour, uint8_t *eye) {
  unsigned n_points = position->rows * position->cols;
  for (unsigned p = 0; p < n_points; ++p) {
    unsigned near[4], n = slow_neighbours(position, p, near);
    eye[p] = position->stone[p] == 0;
    for (unsigned i = 0; i < n; ++i)
      eye[p] &= position->stone[near[i]] == colour;
  }
  for (int changed = 1; changed;) {
    changed = 0;
    for (unsigned p = 0; p < n_points; ++p)
      if (eye[p] && !diagonals_ok(position, colour, eye, p))
        eye[p] = 0, changed = 1;
  }
}

/* ---- ladders, as SPEC §7.3 words them ---- */

static int slow_escape(const slow_board *position, unsigned prey, unsigned move, int depth, unsigned options);

/* Points of Esc: the last liberty and the liberties of adjacent attacker chains in atari, where legal. */
static unsigned escapes_of(const slow_board *position, unsigned prey, unsigned options, unsigned *points) {
  uint8_t me = position->stone[prey];
  uint8_t *wanted = calloc(KM_POINT_MAX, 1), *eye = calloc(KM_POINT_MAX, 1);
  slow_chain *chain = malloc(sizeof *chain), *other = malloc(sizeof *other);
  slow_chain_at(position, prey, chain);
  for (unsigned i = 0; i < chain->n_liberties; ++i)
    wanted[chain->liberties[i]] = 1;
  for (unsigned i = 0; i < chain->n_stones; ++i) {
    unsigned near[4], n = slow_neighbours(position, chain->stones[i], near);
    for (unsigned j = 0; j < n; ++j)
      if (position->stone[near[j]] == 3 - me) {
        slow_chain_at(position, near[j], other);
        if (other->n_liberties == 1)
          wanted[other->liberties[0]] = 1;
      }
  }
  if (options & KM_VARIANT_SENSIBLE)
    slow_true_eyes(position, me, eye);
  unsigned count = 0;
  for (unsigned p = 0; p < position->rows * position->cols; ++p)
    if (wanted[p] && !eye[p] && slow_legal(position, me, p))
      points[count++] = p;
  free(wanted), free(eye), free(chain), free(other);
  return count;
}

static int slow_capture(const slow_board *position, unsigned prey, unsigned move, int depth,
                        unsigned options) {
  if (depth <= 0)
    return 0;
  slow_board *after = malloc(sizeof *after);
  slow_chain *chain = malloc(sizeof *chain);
  unsigned *points = malloc(KM_POINT_MAX * sizeof *points);
  *after = *position;
  uint8_t colour = position->stone[prey];
  slow_play(after, (uint8_t)(3 - colour), (uint16_t)move);
  int result = 1;
  if (after->stone[prey] == colour) {
    slow_chain_at(after, prey, chain);
    if (chain->n_liberties >= 2) {
      result = 0;
    } else {
      unsigned n = escapes_of(after, prey, options, points);
      for (unsigned i = 0; i < n && result; ++i)
        result = !slow_escape(after, prey, points[i], depth - 1, options);
    }
  }
  free(after), free(chain), free(points);
  return result;
}

static int slow_escape(const slow_board *position, unsigned prey, unsigned move, int depth,
                       unsigned options) {
  if (depth <= 0)
    return 1;
  slow_board *after = malloc(sizeof *after);
  slow_chain *chain = malloc(sizeof *chain);
  *after = *position;
  uint8_t colour = position->stone[prey];
  slow_play(after, colour, (uint16_t)move);
  slow_chain_at(after, prey, chain);
  int result = chain->n_liberties >= 2;
  if (chain->n_liberties == 2)
    for (unsigned i = 0; i < 2 && result; ++i)
      if (slow_legal(after, (uint8_t)(3 - colour), chain->liberties[i]))
        result = !slow_capture(after, prey, chain->liberties[i], depth - 1, options);
  free(after), free(chain);
  return result;
}

static int ladder_depth(unsigned options) {
  return options & KM_VARIANT_DEPTH50 ? 50 : 100;
}

void slow_ladder_captures(const slow_board *position, uint8_t me, unsigned options, uint8_t *mark) {
  unsigned n_points = position->rows * position->cols;
  memset(mark, 0, n_points);
  slow_chain chain;
  for (unsigned p = 0; p < n_points; ++p) {
    if (position->stone[p] != 3 - me)
      continue;
    slow_chain_at(position, p, &chain);
    for (unsigned i = 0; i < 2 && chain.n_liberties == 2; ++i)
      if (!mark[chain.liberties[i]] && slow_legal(position, me, chain.liberties[i]))
        mark[chain.liberties[i]] =
            (uint8_t)slow_capture(position, p, chain.liberties[i], ladder_depth(options), options);
  }
}

void slow_ladder_escapes(const slow_board *position, uint8_t me, unsigned options, uint8_t *mark) {
  unsigned n_points = position->rows * position->cols;
  memset(mark, 0, n_points);
  slow_chain chain;
  unsigned points[KM_POINT_MAX];
  for (unsigned p = 0; p < n_points; ++p) {
    if (position->stone[p] != me)
      continue;
    slow_chain_at(position, p, &chain);
    if (chain.n_liberties != 1)
      continue;
    unsigned n = escapes_of(position, p, options, points);
    for (unsigned i = 0; i < n; ++i)
      if (!mark[points[i]])
        mark[points[i]] = (uint8_t)slow_escape(position, p, points[i], ladder_depth(options), options);
  }
}

/* ---- the 48 (49) planes ---- */

static unsigned at_most(unsigned n, unsigned limit) {
  return n < limit ? n : limit;
}

static void slow_move_planes(const slow_board *position, uint8_t me, unsigned p, unsigned variants,
                             const uint8_t *eye, uint8_t *planes) {
  unsigned n = position->rows * position->cols;
  slow_board after = *position;
  slow_chain chain;
  unsigned captured = captures_of(&after, me, p);
  slow_chain_at(&after, p, &chain);
  if (!(variants & KM_VARIANT_CAPTURE1))
    planes[(20 + at_most(captured, 7)) * n + p] = 1;
  else if (captured > 0)
    planes[(19 + at_most(captured, 8)) * n + p] = 1;
  if (chain.n_liberties == 1)
    planes[(27 + at_most(chain.n_stones, 8)) * n + p] = 1;
  planes[(35 + at_most(chain.n_liberties, 8)) * n + p] = 1;
  planes[46 * n + p] = !eye[p];
}

void slow_planes48(const slow_board *position, uint8_t me, const int *age, unsigned variants,
                   uint8_t *planes) {
  unsigned n = position->rows * position->cols;
  uint8_t eye[KM_POINT_MAX];
  slow_chain chain;
  memset(planes, 0, 49 * (size_t)n);
  slow_true_eyes(position, me, eye);
  for (unsigned p = 0; p < n; ++p) {
    unsigned plane = position->stone[p] == 0 ? 2 : position->stone[p] == me ? 0 : 1;
    planes[plane * n + p] = planes[3 * n + p] = 1;
    planes[48 * n + p] = me == 1;
    if (position->stone[p] != 0) {
      slow_chain_at(position, p, &chain);
      if (chain.n_liberties > 0)
        planes[(11 + at_most(chain.n_liberties, 8)) * n + p] = 1;
      if (age[p] >= 0)
        planes[(4 + at_most((unsigned)age[p], 7)) * n + p] = 1;
      else if (variants & KM_VARIANT_SETUP_OLD)
        planes[11 * n + p] = 1;
    } else if (slow_legal(position, me, p)) {
      slow_move_planes(position, me, p, variants, eye, planes);
    }
  }
  slow_ladder_captures(position, me, variants, planes + 44 * n);
  slow_ladder_escapes(position, me, variants, planes + 45 * n);
}

/* ---- the seven features of a point ---- */

static int pattern_code(const slow_board *position, uint8_t me, unsigned point, int k) {
  /* The neighbourhood as a 3×3 board of digits, turned by k, read row by row. */
  uint8_t digits[9], turned[9];
  int r = (int)(point / position->cols), c = (int)(point % position->cols), code = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc) {
      uint8_t digit = 3;
      if (inside(position, r + dr, c + dc)) {
        uint8_t stone = position->stone[(r + dr) * (int)position->cols + c + dc];
        digit = stone == 0 ? 0 : stone == me ? 1 : 2;
      }
      digits[(dr + 1) * 3 + dc + 1] = digit;
    }
  slow_turn(digits, 3, 3, k, turned);
  for (int i = 0; i < 9; ++i)
    if (i != 4)
      code = code * 4 + turned[i];
  return code;
}

static void legal_features(const slow_board *position, uint8_t me, unsigned point,
                           slow_move_features *features) {
  unsigned near[4], n = slow_neighbours(position, point, near), n_points = position->rows * position->cols,
                    n_own = 0;
  slow_board after = *position;
  slow_chain chain;
  uint8_t before[KM_POINT_MAX], later[KM_POINT_MAX], own[KM_POINT_MAX] = {0};
  features->can_capture = captures_of(&after, me, point) > 0;
  for (unsigned i = 0; i < n; ++i) {
    if (position->stone[near[i]] == me && !own[near[i]]) {
      slow_chain_at(position, near[i], &chain);
      for (unsigned j = 0; j < chain.n_stones; ++j)
        own[chain.stones[j]] = 1;
      ++n_own;
    } else if (position->stone[near[i]] == 3 - me) {
      int liberties = 0;
      if (after.stone[near[i]] != 0) {
        slow_chain_at(&after, near[i], &chain);
        liberties = (int)chain.n_liberties;
      }
      if (features->enemy_liberties < 0 || liberties < features->enemy_liberties)
        features->enemy_liberties = liberties;
    }
  }
  features->can_connect = n_own >= 2;
  slow_true_eyes(position, me, before);
  slow_true_eyes(&after, me, later);
  for (unsigned p = 0; p < n_points; ++p)
    features->creates_eye |= later[p] && !before[p];
  slow_chain_at(&after, point, &chain);
  features->liberties_after = (int)chain.n_liberties;
}

void slow_move_features_at(const slow_board *position, uint8_t me, unsigned point,
                           slow_move_features *features) {
  memset(features, 0, sizeof *features);
  features->pattern = features->pattern_canonical = pattern_code(position, me, point, 0);
  for (int k = 1; k < 8; ++k) {
    int code = pattern_code(position, me, point, k);
    if (code < features->pattern_canonical)
      features->pattern_canonical = code;
  }
  features->enemy_liberties = -1;
  unsigned r = point / position->cols, c = point % position->cols;
  features->distance_to_edge =
      (int)at_most(at_most(r, c), at_most(position->rows - 1 - r, position->cols - 1 - c));
  if (slow_legal(position, me, point))
    legal_features(position, me, point, features);
}

/* ---- symmetries and histories ---- */

unsigned slow_turn_point(unsigned rows, unsigned cols, int k, unsigned point) {
  unsigned r = point / cols, c = point % cols, last_r = rows - 1, last_c = cols - 1;
  switch (k) {
  case 1:
    return (last_c - c) * cols + r;
  case 2:
    return (last_r - r) * cols + last_c - c;
  case 3:
    return c * cols + last_r - r;
  case 4:
    return r * cols + last_c - c;
  case 5:
    return (last_r - r) * cols + c;
  case 6:
    return c * cols + r;
  case 7:
    return (last_c - c) * cols + last_r - r;
  default:
    return point;
  }
}

void slow_turn(const uint8_t *plane, unsigned rows, unsigned cols, int k, uint8_t *turned) {
  for (unsigned p = 0; p < rows * cols; ++p)
    turned[slow_turn_point(rows, cols, k, p)] = plane[p];
}

/* The stones of colour i moves ago; zeros before the first position. */
static void stones_ago(const slow_board *history, unsigned n, unsigned ago, uint8_t colour, uint8_t *plane) {
  unsigned n_points = history->rows * history->cols;
  for (unsigned p = 0; p < n_points; ++p)
    plane[p] = ago < n && history[n - 1 - ago].stone[p] == colour;
}

void slow_history_planes(const char *layout, const slow_board *history, unsigned n, uint8_t to_play,
                         uint8_t *planes) {
  unsigned size = history->rows * history->cols, steps = at_most(n, 8);
  int leela = strcmp(layout, "leela-zero") == 0;
  memset(planes, 0, (leela ? 18 : 17) * (size_t)size);
  for (unsigned i = 0; i < 8; ++i) {
    if (strcmp(layout, "alphago-zero") == 0) {
      stones_ago(history, n, i, to_play, planes + 2 * i * size);
      stones_ago(history, n, i, (uint8_t)(3 - to_play), planes + (2 * i + 1) * size);
    } else if (leela) {
      stones_ago(history, n, i, to_play, planes + i * size);
      stones_ago(history, n, i, (uint8_t)(3 - to_play), planes + (8 + i) * size);
    } else if (strcmp(layout, "black-white") == 0) {
      stones_ago(history, n, 7 - i, 1, planes + i * size);
      stones_ago(history, n, 7 - i, 2, planes + (8 + i) * size);
    } else if (i < steps) {
      stones_ago(history, n, steps - 1 - i, 1, planes + i * size);
      stones_ago(history, n, steps - 1 - i, 2, planes + (8 + i) * size);
    }
  }
  memset(planes + 16 * (size_t)size, to_play == 1, size);
  if (leela)
    memset(planes + 17 * (size_t)size, to_play == 2, size);
}
