/* ladder.c: attack and defence by turns. See ladder.h.
 *
 * The attacker moves when the prey has two liberties, and only at one of them: the prey then has the other
 * one left, for what he captures stood next to no empty point but his move, so never next to the prey. That
 * gives the test that settles most chains without a move being made: if a stone at the other liberty alone
 * brings three, the prey is out.
 *
 * The defender moves when the prey has one liberty: there, or at the last liberty of an attacker's chain next
 * to it. */
#include "ladder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kifumill/features.h"
#include "kifumill/layout.h"

enum {
  DEPTH = 100,
  DEPTH_50 = 50,
  MEMO_SIZE = 1 << 14, /* facts kept, by hash; a newer one takes the place of an older */
  MEMO_FROM = 64,      /* positions read of a chain before facts are worth keeping */
};

/* "The prey is lost within captured_from plies and more; safe for safe_to plies and fewer" with the defender
 * to move. */
typedef struct ladder_fact {
  km_hash128 hash;
  uint32_t generation; /* of the chain it is about; another one: no fact */
  uint16_t ko;
  uint8_t ko_colour, captured_from, safe_to;
} ladder_fact;

struct km_ladder {
  int depth, sensible;
  unsigned n_candidates;   /* in use, of all levels */
  uint16_t *candidates;    /* sites */
  uint32_t stamp, *stamps; /* by site: equal to stamp when listed already */
  ladder_fact *memo;
  uint32_t generation;
  uint64_t n_nodes; /* of the present chain */
  uint64_t n_cut;
};

km_ladder *km_ladder_new(size_t n_points, uint32_t variants) {
  km_ladder *ladder = calloc(1, sizeof *ladder);
  if (ladder == NULL)
    return NULL;
  ladder->depth = (variants & KM_VARIANT_DEPTH50) != 0 ? DEPTH_50 : DEPTH;
  ladder->sensible = (variants & KM_VARIANT_SENSIBLE) != 0;
  /* A defender's level lists distinct empty points, and every second ply is one. */
  ladder->candidates = malloc((DEPTH / 2 + 1) * n_points * sizeof *ladder->candidates);
  ladder->stamps = calloc(KM_SITE_MAX, sizeof *ladder->stamps);
  ladder->memo = calloc(MEMO_SIZE, sizeof *ladder->memo);
  if (ladder->candidates == NULL || ladder->stamps == NULL || ladder->memo == NULL) {
    km_ladder_free(ladder);
    return NULL;
  }
  return ladder;
}

void km_ladder_free(km_ladder *ladder) {
  if (ladder == NULL)
    return;
  free(ladder->memo);
  free(ladder->stamps);
  free(ladder->candidates);
  free(ladder);
}

uint64_t km_ladder_n_cut(const km_ladder *ladder) {
  return ladder->n_cut;
}

/* ---- facts ---- */

static ladder_fact *fact_at(const km_ladder *ladder, const km_board *board) {
  return &ladder->memo[(board->hash.low ^ board->ko * UINT64_C(0x9e3779b97f4a7c15)) >> 17 & (MEMO_SIZE - 1)];
}

static int fact_is_of(const ladder_fact *fact, const km_ladder *ladder, const km_board *board) {
  return fact->generation == ladder->generation && km_hash128_equal(fact->hash, board->hash) &&
         fact->ko == board->ko && (board->ko == KM_POINT_OFFBOARD || fact->ko_colour == board->ko_colour);
}

/* 1 captured, 0 safe, -1 not known. */
static int recall(const km_ladder *ladder, const km_board *board, int depth) {
  const ladder_fact *known = fact_at(ladder, board);
  if (!fact_is_of(known, ladder, board))
    return -1;
  return depth >= known->captured_from ? 1 : depth <= known->safe_to ? 0 : -1;
}

static void learn(const km_ladder *ladder, const km_board *board, int depth, int captured) {
  ladder_fact *known = fact_at(ladder, board);
  if (!fact_is_of(known, ladder, board))
    *known = (ladder_fact){board->hash, ladder->generation, board->ko, board->ko_colour, UINT8_MAX, 0};
  if (captured)
    known->captured_from = (uint8_t)depth;
  else
    known->safe_to = (uint8_t)depth;
}

/* ---- reading ---- */

static inline unsigned chain_of(const km_board *board, unsigned site) {
  return board->cell[site] & KM_CELL_HEAD;
}

/* The two liberties of a chain: one is looked for, the other follows from their sum. */
static void two_liberties(const km_board *board, unsigned chain, uint16_t liberty[2]) {
  km_chain_liberty_sites(board, chain, liberty, 1);
  liberty[1] = (uint16_t)((board->chain[chain].liberties >> 16) - liberty[0]);
}

/* Whether site is surrounded by stones of kind alone: a stone there may fill an eye. */
static int is_surrounded(const km_board *board, unsigned site, unsigned kind) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  const unsigned near[4] = {at[-1], at[1], at[-w], at[w]};
  for (int i = 0; i < 4; ++i)
    if ((near[i] & KM_CELL_KIND) != kind && (near[i] & KM_CELL_KIND) != KM_CELL_BORDER)
      return 0;
  return 1;
}

/* Adds site to the n ≤ 3 distinct ones of set, unless it is there. */
static unsigned add_distinct(unsigned set[3], unsigned n, unsigned site) {
  for (unsigned i = 0; i < n; ++i)
    if (set[i] == site)
      return n;
  set[n] = site;
  return n + 1;
}

/* Whether a prey of the two liberties attacked and left, once the attacker is at the first, has at least
 * three after a stone at the second. What that stone may capture is left out: a no is not certain, a yes is.
 */
static int steps_out(const km_ladder *ladder, const km_board *board, unsigned prey_cell, unsigned attacked,
                     unsigned left) {
  const int step[4] = {-1, 1, -(int)board->stride, board->stride};
  unsigned set[3], n = 0, kind = prey_cell & KM_CELL_KIND;
  if (ladder->sensible && is_surrounded(board, left, kind))
    return 0;
  for (int i = 0; i < 4; ++i) {
    unsigned site = (unsigned)((int)left + step[i]), cell = board->cell[site];
    if (cell < KM_CELL_BORDER) {
      n = site == attacked ? n : add_distinct(set, n, site);
    } else if ((cell & KM_CELL_KIND) == kind && cell != prey_cell) {
      uint16_t more[4];
      unsigned n_more = km_chain_liberties(board, cell & KM_CELL_HEAD);
      if (n_more >= 5)
        return 1;
      km_chain_liberty_sites(board, cell & KM_CELL_HEAD, more, 4);
      for (unsigned j = 0; j < n_more && n < 3; ++j)
        n = more[j] == attacked || more[j] == left ? n : add_distinct(set, n, more[j]);
    }
    if (n >= 3)
      return 1;
  }
  return 0;
}

/* Whether the defender may not want to play at site: it fills his true eye. */
static int fills_eye(const km_ladder *ladder, const km_board *board, uint8_t colour, unsigned site) {
  if (!ladder->sensible || !is_surrounded(board, site, km_cell_kind(colour)))
    return 0;
  uint8_t eye[KM_POINT_MAX];
  km_true_eyes(board, colour, eye);
  return eye[km_board_point(board, site)];
}

static void add_candidate(km_ladder *ladder, unsigned site) {
  if (ladder->stamps[site] == ladder->stamp)
    return;
  ladder->stamps[site] = ladder->stamp;
  ladder->candidates[ladder->n_candidates++] = (uint16_t)site;
}

/* Lists the defender's moves for a prey in atari, its own liberty first; legality is not looked at. */
static void list_candidates(km_ladder *ladder, const km_board *board, unsigned prey) {
  unsigned chain = chain_of(board, prey), s = chain;
  unsigned enemy = (board->cell[prey] & KM_CELL_KIND) ^ KM_CELL_BORDER;
  ptrdiff_t w = board->stride;
  if (++ladder->stamp == 0) {
    memset(ladder->stamps, 0, KM_SITE_MAX * sizeof *ladder->stamps);
    ladder->stamp = 1;
  }
  add_candidate(ladder, km_chain_last_liberty(board, chain));
  do {
    const uint16_t *at = board->cell + s;
    const unsigned near[4] = {at[-1], at[1], at[-w], at[w]};
    for (int i = 0; i < 4; ++i)
      if ((near[i] & KM_CELL_KIND) == enemy && km_chain_liberties(board, near[i] & KM_CELL_HEAD) == 1)
        add_candidate(ladder, km_chain_last_liberty(board, near[i] & KM_CELL_HEAD));
    s = board->chain[s].next;
  } while (s != chain);
}

static int attack(km_ladder *ladder, km_board *board, unsigned prey, int depth);

/* Whether the defender's legal move at site saves the prey. */
static int escape(km_ladder *ladder, km_board *board, unsigned prey, unsigned site, int depth) {
  if (depth <= 0)
    return 1;
  km_undo undo;
  km_board_play_undo(board, km_cell_colour(board->cell[prey]), km_board_point(board, site), &undo);
  unsigned n = km_chain_liberties(board, chain_of(board, prey));
  int escaped = n >= 3 || (n == 2 && !attack(ladder, board, prey, depth - 1));
  km_board_undo(board, &undo);
  return escaped;
}

static int may_defend(const km_ladder *ladder, const km_board *board, uint8_t colour, unsigned site) {
  return km_board_classify(board, colour, km_board_point(board, site)) == KM_PLAY_LEGAL &&
         !fills_eye(ladder, board, colour, site);
}

/* Makes each listed move once: 1 if one of them saves the prey at once. Else only those that leave it two
 * liberties stay in the list, whose new end is *end: the rest is illegal or hopeless. */
static int sift(km_ladder *ladder, km_board *board, unsigned prey, unsigned *end) {
  uint8_t colour = km_cell_colour(board->cell[prey]);
  unsigned begin = ladder->n_candidates, n = begin;
  for (unsigned i = begin; i < *end; ++i) {
    unsigned site = ladder->candidates[i];
    if (!may_defend(ladder, board, colour, site))
      continue;
    km_undo undo;
    km_board_play_undo(board, colour, km_board_point(board, site), &undo);
    unsigned n_liberties = km_chain_liberties(board, chain_of(board, prey));
    km_board_undo(board, &undo);
    if (n_liberties >= 3)
      return 1;
    if (n_liberties == 2)
      ladder->candidates[n++] = (uint16_t)site;
  }
  *end = n;
  return 0;
}

/* Whether the prey, in atari with the defender to move, is lost. */
static int is_lost(km_ladder *ladder, km_board *board, unsigned prey, int depth) {
  if (++ladder->n_nodes > KM_LADDER_NODES)
    return 0;
  int keeps_facts = ladder->n_nodes > MEMO_FROM;
  int known = keeps_facts ? recall(ladder, board, depth) : -1;
  if (known >= 0)
    return known;
  uint8_t colour = km_cell_colour(board->cell[prey]);
  unsigned begin = ladder->n_candidates;
  list_candidates(ladder, board, prey);
  unsigned end = ladder->n_candidates;
  ladder->n_candidates = begin;
  int lost = !(depth > 1 && end - begin > 1 && sift(ladder, board, prey, &end));
  ladder->n_candidates = end;
  for (unsigned i = begin; i < end && lost; ++i)
    lost = !may_defend(ladder, board, colour, ladder->candidates[i]) ||
           !escape(ladder, board, prey, ladder->candidates[i], depth - 1);
  ladder->n_candidates = begin;
  if (keeps_facts && ladder->n_nodes <= KM_LADDER_NODES)
    learn(ladder, board, depth, lost);
  return lost;
}

/* Whether the attacker at one of the prey's two liberties, the other being left, captures it. */
static int capture(km_ladder *ladder, km_board *board, unsigned prey, unsigned attacked, unsigned left,
                   int depth) {
  if (depth <= 0 || steps_out(ladder, board, board->cell[prey], attacked, left))
    return 0;
  uint8_t attacker = km_opponent(km_cell_colour(board->cell[prey]));
  uint16_t point = km_board_point(board, attacked);
  if (km_board_classify(board, attacker, point) != KM_PLAY_LEGAL)
    return 0;
  km_undo undo;
  km_board_play_undo(board, attacker, point, &undo);
  assert(km_chain_liberties(board, chain_of(board, prey)) == 1);
  int captured = is_lost(ladder, board, prey, depth);
  km_board_undo(board, &undo);
  return captured;
}

/* Whether the attacker, to move, captures the prey of two liberties. */
static int attack(km_ladder *ladder, km_board *board, unsigned prey, int depth) {
  uint16_t liberty[2];
  two_liberties(board, chain_of(board, prey), liberty);
  return capture(ladder, board, prey, liberty[0], liberty[1], depth) ||
         capture(ladder, board, prey, liberty[1], liberty[0], depth);
}

/* ---- whole boards ---- */

static void begin_chain(km_ladder *ladder) {
  ladder->n_nodes = 0;
  ladder->n_candidates = 0;
  if (++ladder->generation == 0) {
    memset(ladder->memo, 0, MEMO_SIZE * sizeof *ladder->memo);
    ladder->generation = 1;
  }
}

static void end_chain(km_ladder *ladder) {
  ladder->n_cut += ladder->n_nodes > KM_LADDER_NODES;
}

/* Whether site is the head of a chain of colour with n liberties. */
static int is_chain(const km_board *board, unsigned site, uint8_t colour, unsigned n) {
  return board->cell[site] == (km_cell_kind(colour) | site) && km_chain_liberties(board, site) == n;
}

static void capture_chain(km_ladder *ladder, km_board *board, unsigned prey, uint8_t *mark) {
  uint16_t liberty[2];
  two_liberties(board, prey, liberty);
  begin_chain(ladder);
  for (int i = 0; i < 2; ++i) {
    uint8_t *here = &mark[km_board_point(board, liberty[i])];
    *here |= (uint8_t)(*here == 0 && capture(ladder, board, prey, liberty[i], liberty[!i], ladder->depth));
  }
  end_chain(ladder);
}

static void escape_chain(km_ladder *ladder, km_board *board, unsigned prey, uint8_t *mark) {
  uint8_t colour = km_cell_colour(board->cell[prey]);
  begin_chain(ladder);
  list_candidates(ladder, board, prey);
  unsigned end = ladder->n_candidates;
  for (unsigned i = 0; i < end; ++i) {
    unsigned site = ladder->candidates[i];
    uint8_t *here = &mark[km_board_point(board, site)];
    *here |= (uint8_t)(*here == 0 && may_defend(ladder, board, colour, site) &&
                       escape(ladder, board, prey, site, ladder->depth));
  }
  end_chain(ladder);
}

void km_ladder_captures(km_ladder *ladder, km_board *board, uint8_t me, uint8_t *mark) {
  for (unsigned s = 2u * board->stride; s < board->n_sites; ++s)
    if (is_chain(board, s, km_opponent(me), 2))
      capture_chain(ladder, board, s, mark);
}

void km_ladder_escapes(km_ladder *ladder, km_board *board, uint8_t me, uint8_t *mark) {
  for (unsigned s = 2u * board->stride; s < board->n_sites; ++s)
    if (is_chain(board, s, me, 1))
      escape_chain(ladder, board, s, mark);
}
