/* board.c: the moves of km_board. The layout and the idea are in board.h.
 *
 * The code of a move has few branches: the four neighbours are read once as cells, and what happens to their chains is
 * an addition masked by "is a stone, and none of the neighbours before it is of the same chain". Only stones are
 * changed, never the records of empty sites, so that km_board_undo restores memory to the byte.
 *
 * Rare things are simple things: overwriting or removing a stone by set-up rebuilds the board from its stones. */
#include "kifumill/board.h"

#include <assert.h>
#include <string.h>

#include "point_keys.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RECIPROCAL_BITS = 18 };

/* The four neighbours of a site, as cells. */
typedef struct around {
  uint32_t cell[4];
} around;

ALWAYS_INLINE around look_around(const km_board *board, unsigned site) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  return (around){{at[-1], at[1], at[-w], at[w]}};
}

/* first[i] = 1 if neighbour i is a stone and none before it is of its chain. */
ALWAYS_INLINE void first_of_chain(const around *near, uint32_t first[4]) {
  const uint32_t *c = near->cell;
  first[0] = c[0] >> 15;
  first[1] = (c[1] >> 15) & (c[1] != c[0]);
  first[2] = (c[2] >> 15) & (c[2] != c[0]) & (c[2] != c[1]);
  first[3] = (c[3] >> 15) & (c[3] != c[0]) & (c[3] != c[1]) & (c[3] != c[2]);
}

ALWAYS_INLINE uint32_t has_kind(uint32_t cell, uint32_t kind) { return (cell & KM_CELL_KIND) == kind; }

/* One liberty, as it counts in km_chain.liberties. */
ALWAYS_INLINE uint32_t liberty(uint32_t site) { return site << 16 | 1; }

/* Adds or takes a stone in the hash and the bitmap. */
ALWAYS_INLINE void toggle(km_board *board, unsigned colour, unsigned point) {
  board->hash = km_hash128_xor(board->hash, km_stone_key(colour, point));
  board->stones[colour - 1][point >> 3] ^= (uint8_t)(0x80 >> (point & 7));
}

static uint32_t reciprocal(unsigned divisor) { return (1u << RECIPROCAL_BITS) / divisor + 1; }

/* All sites empty or border, nothing else touched. */
static void clear_cells(km_board *board) {
  unsigned stride = board->stride, first = 2 * stride, end = first + board->rows * stride;
  uint16_t *cell = board->cell;
  for (unsigned s = 0; s < first; s++)
    cell[s] = (uint16_t)(KM_CELL_BORDER | s);
  for (unsigned s = first; s < end; s++)
    cell[s] = (uint16_t)s;
  for (unsigned s = first + board->cols; s < end; s += stride)
    cell[s] |= KM_CELL_BORDER;
  for (unsigned s = end; s < board->n_sites; s++)
    cell[s] = (uint16_t)(KM_CELL_BORDER | s);
}

static size_t bitmap_bytes(const km_board *board) { return (board->n_points + 7u) / 8; }

void km_board_init(km_board *board, unsigned rows, unsigned cols) {
  assert(rows >= 1 && rows <= KM_BOARD_MAX && cols >= 1 && cols <= KM_BOARD_MAX);
  board->rows = (uint8_t)rows;
  board->cols = (uint8_t)cols;
  board->ko_colour = KM_EMPTY;
  board->ko = KM_POINT_OFFBOARD;
  board->n_points = (uint16_t)(rows * cols);
  board->stride = (uint16_t)(cols + 1);
  board->n_sites = (uint16_t)((rows + 4) * (cols + 1));
  board->n_captured = 0;
  board->per_col = reciprocal(cols);
  board->per_stride = reciprocal(cols + 1);
  memset(board->prisoners, 0, sizeof board->prisoners);
  board->hash = (km_hash128){0, 0};
  memset(board->stones[0], 0, bitmap_bytes(board));
  memset(board->stones[1], 0, bitmap_bytes(board));
  clear_cells(board);
  memset(board->chain, 0, board->n_sites * sizeof board->chain[0]);
}

void km_board_copy(km_board *dst, const km_board *src) {
  memcpy(dst, src, offsetof(km_board, stones));
  memcpy(dst->stones[0], src->stones[0], bitmap_bytes(src));
  memcpy(dst->stones[1], src->stones[1], bitmap_bytes(src));
  memcpy(dst->captured, src->captured, src->n_captured * sizeof src->captured[0]);
  memcpy(dst->cell, src->cell, src->n_sites * sizeof src->cell[0]);
  memcpy(dst->chain, src->chain, src->n_sites * sizeof src->chain[0]);
}

/* The liberties that a stone at site brings to the chain whose cells are root: its empty neighbours that no stone of
 * the chain touches. (An empty cell holds its own site.) */
ALWAYS_INLINE uint32_t new_liberties(const km_board *board, unsigned site, uint32_t root) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  uint32_t left = at[-1], right = at[1], up = at[-w], down = at[w];
  uint32_t free_nw = at[-w - 1] != root, free_ne = at[-w + 1] != root;
  uint32_t free_sw = at[w - 1] != root, free_se = at[w + 1] != root;
  uint32_t is_left = (left < KM_CELL_BORDER) & free_nw & free_sw & (at[-2] != root);
  uint32_t is_right = (right < KM_CELL_BORDER) & free_ne & free_se & (at[2] != root);
  uint32_t is_up = (up < KM_CELL_BORDER) & free_nw & free_ne & (at[-2 * w] != root);
  uint32_t is_down = (down < KM_CELL_BORDER) & free_sw & free_se & (at[2 * w] != root);
  return (liberty(left) & -is_left) + (liberty(right) & -is_right) + (liberty(up) & -is_up) +
         (liberty(down) & -is_down);
}

/* The largest of the chains of one kind around a site, as a cell. */
static uint32_t largest(const km_board *board, uint32_t kind, const around *near) {
  uint32_t root = 0;
  unsigned size = 0;
  for (int i = 0; i < 4; i++) {
    unsigned n = board->chain[near->cell[i] & KM_CELL_HEAD].size;
    if (has_kind(near->cell[i], kind) && n > size) {
      root = near->cell[i];
      size = n;
    }
  }
  return root;
}

/* Joins the other own chains around a stone that is part of root already: near and first are the stone's. */
static void merge(km_board *board, uint32_t root, const around *near, const uint32_t first[4], km_undo *undo) {
  km_chain *chain = &board->chain[root & KM_CELL_HEAD];
  for (int i = 0; i < 4; i++) {
    unsigned head = near->cell[i] & KM_CELL_HEAD;
    if (!first[i] || !has_kind(near->cell[i], root & KM_CELL_KIND) || near->cell[i] == root)
      continue;
    unsigned s = head;
    do {
      chain->liberties += new_liberties(board, s, root);
      board->cell[s] = (uint16_t)root;
      s = board->chain[s].next;
    } while (s != head);
    chain->size = (uint16_t)(chain->size + board->chain[head].size);
    uint16_t next = chain->next;
    chain->next = board->chain[head].next;
    board->chain[head].next = next;
    if (undo)
      undo->merged[undo->n_merged++] = (uint16_t)head;
  }
}

/* Puts a stone on an empty site and brings the chains up to date; captures nothing. Returns the cell of its chain. */
ALWAYS_INLINE uint32_t place(km_board *board, uint32_t kind, unsigned site, const around *near,
                             const uint32_t first[4], km_undo *undo) {
  const uint32_t *c = near->cell;
  for (int i = 0; i < 4; i++)
    board->chain[c[i] & KM_CELL_HEAD].liberties -= liberty(site) & -first[i];
  uint32_t own[4], root = 0, several = 0;
  for (int i = 0; i < 4; i++) {
    own[i] = has_kind(c[i], kind);
    root = own[i] ? c[i] : root;
  }
  if (!root) {
    uint32_t liberties = 0;
    for (int i = 0; i < 4; i++)
      liberties += liberty(c[i]) & -(uint32_t)(c[i] < KM_CELL_BORDER);
    board->chain[site] = (km_chain){liberties, 1, (uint16_t)site};
    board->cell[site] = (uint16_t)(kind | site);
    return kind | site;
  }
  for (int i = 0; i < 4; i++)
    several |= own[i] & (c[i] != root);
  if (several)
    root = largest(board, kind, near);
  km_chain *chain = &board->chain[root & KM_CELL_HEAD];
  if (undo) {
    undo->root = (uint16_t)(root & KM_CELL_HEAD);
    undo->root_chain = *chain;
  }
  chain->liberties += new_liberties(board, site, root);
  chain->size++;
  board->chain[site].next = chain->next;
  chain->next = (uint16_t)site;
  board->cell[site] = (uint16_t)root;
  if (several)
    merge(board, root, near, first, undo);
  return root;
}

/* Takes a chain of colour off the board and gives its points to the opponent's chains as liberties. Its records and
 * its ring stay as they are. */
static void remove_chain(km_board *board, unsigned colour, unsigned head) {
  uint32_t kind = km_cell_kind(km_opponent((uint8_t)colour));
  unsigned s = head;
  do {
    around near = look_around(board, s);
    uint32_t first[4];
    first_of_chain(&near, first);
    for (int i = 0; i < 4; i++)
      board->chain[near.cell[i] & KM_CELL_HEAD].liberties += liberty(s) & -(first[i] & has_kind(near.cell[i], kind));
    unsigned point = km_board_point(board, s);
    board->cell[s] = (uint16_t)s;
    toggle(board, colour, point);
    board->captured[board->n_captured++] = (uint16_t)point;
    s = board->chain[s].next;
  } while (s != head);
  board->prisoners[colour] += board->chain[head].size;
}

/* Captures the chains of colour around site that have no liberty left; sets the ko point if it is one. */
static void capture(km_board *board, unsigned colour, const around *near, uint32_t root, km_undo *undo) {
  uint32_t kind = km_cell_kind(colour);
  for (int i = 0; i < 4; i++) {
    unsigned head = near->cell[i] & KM_CELL_HEAD;
    /* Two neighbours of one chain: after the first its sites are empty. */
    if (!has_kind(near->cell[i], kind) || km_chain_liberties(board, head) || board->cell[head] != near->cell[i])
      continue;
    remove_chain(board, colour, head);
    if (undo)
      undo->dead[undo->n_dead++] = (uint16_t)head;
  }
  const km_chain *own = &board->chain[root & KM_CELL_HEAD];
  if (board->n_captured == 1 && own->size == 1 && (own->liberties & 0xffff) == 1) {
    board->ko = board->captured[0];
    board->ko_colour = (uint8_t)colour;
  }
}

/* Executes a move on an empty site. */
ALWAYS_INLINE void play(km_board *board, unsigned colour, unsigned point, unsigned site, km_undo *undo) {
  uint32_t kind = km_cell_kind(colour), enemy = kind ^ KM_CELL_BORDER;
  around near = look_around(board, site);
  uint32_t first[4];
  first_of_chain(&near, first);
  uint32_t root = place(board, kind, site, &near, first, undo);
  toggle(board, colour, point);
  board->ko = KM_POINT_OFFBOARD;
  board->n_captured = 0;
  uint32_t dead = 0;
  for (int i = 0; i < 4; i++)
    dead |= has_kind(near.cell[i], enemy) & !km_chain_liberties(board, near.cell[i] & KM_CELL_HEAD);
  if (__builtin_expect(dead != 0, 0))
    capture(board, km_opponent((uint8_t)colour), &near, root, undo);
  if (__builtin_expect(!km_chain_liberties(board, root & KM_CELL_HEAD), 0)) {
    remove_chain(board, colour, root & KM_CELL_HEAD);
    if (undo)
      undo->suicide = 1;
  }
}

static void pass(km_board *board) {
  board->ko = KM_POINT_OFFBOARD;
  board->n_captured = 0;
}

/* Whether a stone on an empty site would have no liberty after captures. */
ALWAYS_INLINE int is_suicide(const km_board *board, uint32_t kind, unsigned site) {
  around near = look_around(board, site);
  const uint32_t *c = near.cell;
  if (__builtin_expect((c[0] < KM_CELL_BORDER) | (c[1] < KM_CELL_BORDER) | (c[2] < KM_CELL_BORDER) |
                           (c[3] < KM_CELL_BORDER),
                       1))
    return 0;
  uint32_t saved = 0;
  for (int i = 0; i < 4; i++) {
    unsigned liberties = km_chain_liberties(board, c[i] & KM_CELL_HEAD);
    saved |= (has_kind(c[i], kind) & (liberties > 1)) | (has_kind(c[i], kind ^ KM_CELL_BORDER) & (liberties == 1));
  }
  return !saved;
}

/* The class of a point that is not on the board. */
static km_play_class class_beyond(const km_board *board, unsigned point) {
  return point == board->n_points ? KM_PLAY_PASS : point == KM_POINT_BAD ? KM_PLAY_BAD_POINT : KM_PLAY_OFFBOARD;
}

ALWAYS_INLINE km_play_class classify(const km_board *board, unsigned colour, unsigned point, unsigned site) {
  if (board->cell[site] >= KM_CELL_BORDER)
    return KM_PLAY_OCCUPIED;
  if (is_suicide(board, km_cell_kind(colour), site))
    return KM_PLAY_SUICIDE;
  return (board->ko == point) & (board->ko_colour == colour) ? KM_PLAY_KO : KM_PLAY_LEGAL;
}

km_play_class km_board_classify(const km_board *board, uint8_t colour, uint16_t point) {
  assert(colour == KM_BLACK || colour == KM_WHITE);
  if (point >= board->n_points)
    return class_beyond(board, point);
  return classify(board, colour, point, km_board_site(board, point));
}

km_play_class km_board_try(km_board *board, uint8_t colour, uint16_t point) {
  assert(colour == KM_BLACK || colour == KM_WHITE);
  if (__builtin_expect(point >= board->n_points, 0)) {
    if (point == board->n_points)
      pass(board);
    return class_beyond(board, point);
  }
  unsigned site = km_board_site(board, point);
  km_play_class play_class = classify(board, colour, point, site);
  if (__builtin_expect(play_class == KM_PLAY_LEGAL, 1))
    play(board, colour, point, site, NULL);
  return play_class;
}

void km_board_play(km_board *board, uint8_t colour, uint16_t point) {
  assert(colour == KM_BLACK || colour == KM_WHITE);
  assert(point <= board->n_points);
  if (point == board->n_points) {
    pass(board);
    return;
  }
  unsigned site = km_board_site(board, point);
  if (board->cell[site] >= KM_CELL_BORDER)
    km_board_setup(board, KM_EMPTY, point);
  play(board, colour, point, site, NULL);
}

void km_board_play_undo(km_board *board, uint8_t colour, uint16_t point, km_undo *undo) {
  assert(colour == KM_BLACK || colour == KM_WHITE);
  assert(point <= board->n_points);
  *undo = (km_undo){.hash = board->hash, .point = point, .ko = board->ko, .colour = colour,
                    .ko_colour = board->ko_colour};
  if (point == board->n_points) {
    pass(board);
    return;
  }
  unsigned site = km_board_site(board, point);
  assert(board->cell[site] < KM_CELL_BORDER);
  undo->site = (uint16_t)site;
  undo->site_chain = board->chain[site];
  play(board, colour, point, site, undo);
}

/* The reverse of remove_chain, but for the hash. */
static void restore_chain(km_board *board, unsigned colour, unsigned head) {
  uint32_t kind = km_cell_kind(km_opponent((uint8_t)colour)), own = km_cell_kind(colour) | head;
  unsigned s = head;
  do {
    around near = look_around(board, s);
    uint32_t first[4];
    first_of_chain(&near, first);
    for (int i = 0; i < 4; i++)
      board->chain[near.cell[i] & KM_CELL_HEAD].liberties -= liberty(s) & -(first[i] & has_kind(near.cell[i], kind));
    unsigned point = km_board_point(board, s);
    board->cell[s] = (uint16_t)own;
    board->stones[colour - 1][point >> 3] ^= (uint8_t)(0x80 >> (point & 7));
    s = board->chain[s].next;
  } while (s != head);
  board->prisoners[colour] -= board->chain[head].size;
}

/* Gives a merged chain back its ring and its cells. */
static void unmerge(km_board *board, unsigned colour, unsigned root, unsigned head) {
  uint16_t next = board->chain[root].next;
  board->chain[root].next = board->chain[head].next;
  board->chain[head].next = next;
  uint16_t own = (uint16_t)(km_cell_kind(colour) | head);
  unsigned s = head;
  do {
    board->cell[s] = own;
    s = board->chain[s].next;
  } while (s != head);
}

void km_board_undo(km_board *board, const km_undo *undo) {
  board->n_captured = 0;
  board->ko = undo->ko;
  board->ko_colour = undo->ko_colour;
  if (!undo->site)
    return;
  unsigned colour = undo->colour, site = undo->site;
  if (undo->suicide)
    restore_chain(board, colour, undo->root ? undo->root : site);
  for (unsigned i = undo->n_dead; i-- > 0;)
    restore_chain(board, km_opponent((uint8_t)colour), undo->dead[i]);
  board->cell[site] = (uint16_t)site;
  board->stones[colour - 1][undo->point >> 3] ^= (uint8_t)(0x80 >> (undo->point & 7));
  board->hash = undo->hash;
  for (unsigned i = undo->n_merged; i-- > 0;)
    unmerge(board, colour, undo->root, undo->merged[i]);
  if (undo->root)
    board->chain[undo->root] = undo->root_chain;
  board->chain[site] = undo->site_chain;
  around near = look_around(board, site);
  uint32_t first[4];
  first_of_chain(&near, first);
  for (int i = 0; i < 4; i++)
    board->chain[near.cell[i] & KM_CELL_HEAD].liberties += liberty(site) & -first[i];
}

/* Carries out a set-up stone that only adds (or changes nothing); 0 if it replaces or removes a stone. */
static int add_stone(km_board *board, const km_setup *setup) {
  if (setup->point >= board->n_points)
    return 1;
  unsigned site = km_board_site(board, setup->point);
  unsigned colour = km_cell_colour(board->cell[site]);
  if (colour == setup->colour)
    return 1;
  if (colour != KM_EMPTY)
    return 0;
  around near = look_around(board, site);
  uint32_t first[4];
  first_of_chain(&near, first);
  place(board, km_cell_kind(setup->colour), site, &near, first, NULL);
  toggle(board, setup->colour, setup->point);
  return 1;
}

/* Builds chains, liberties, hash and bitmaps anew for the stones that colours[] gives by point. */
static void rebuild(km_board *board, const uint8_t *colours) {
  clear_cells(board);
  board->hash = (km_hash128){0, 0};
  memset(board->stones[0], 0, bitmap_bytes(board));
  memset(board->stones[1], 0, bitmap_bytes(board));
  for (unsigned p = 0; p < board->n_points; p++)
    add_stone(board, &(km_setup){0, (uint16_t)p, colours[p]});
}

void km_board_setup(km_board *board, uint8_t colour, uint16_t point) {
  km_board_setup_all(board, &(km_setup){0, point, colour}, 1);
}

void km_board_setup_all(km_board *board, const km_setup *setup, size_t n_setup) {
  pass(board); /* lifts the ko, empties the captured list */
  size_t i = 0;
  while (i < n_setup && add_stone(board, &setup[i]))
    i++;
  if (i == n_setup)
    return;
  uint8_t colours[KM_POINT_MAX];
  for (unsigned p = 0; p < board->n_points; p++)
    colours[p] = km_board_stone(board, p);
  for (; i < n_setup; i++)
    if (setup[i].point < board->n_points)
      colours[setup[i].point] = setup[i].colour;
  rebuild(board, colours);
}

km_hash128 km_board_hash_after(const km_board *board, uint8_t colour, uint16_t point) {
  km_hash128 hash = board->hash;
  if (point >= board->n_points)
    return hash;
  unsigned site = km_board_site(board, point);
  uint32_t kind = km_cell_kind(colour);
  /* What goes: enemy chains whose last liberty this is; after a suicide, the stone and its own chains. */
  int suicide = is_suicide(board, kind, site);
  uint32_t gone = suicide ? kind : kind ^ KM_CELL_BORDER;
  if (!suicide)
    hash = km_hash128_xor(hash, km_stone_key(colour, point));
  around near = look_around(board, site);
  uint32_t first[4];
  first_of_chain(&near, first);
  for (int i = 0; i < 4; i++) {
    unsigned head = near.cell[i] & KM_CELL_HEAD, s = head;
    if (!first[i] || !has_kind(near.cell[i], gone) || km_chain_liberties(board, head) > 1)
      continue;
    do {
      hash = km_hash128_xor(hash, km_stone_key(km_cell_colour(near.cell[i]), km_board_point(board, s)));
      s = board->chain[s].next;
    } while (s != head);
  }
  return hash;
}

km_hash128 km_board_situation(const km_board *board, uint8_t to_play) {
  return to_play == KM_WHITE ? km_hash128_xor(board->hash, km_point_keys[KM_KEY_WHITE_TO_MOVE]) : board->hash;
}

unsigned km_chain_stones(const km_board *board, unsigned chain, uint16_t *sites) {
  unsigned n = 0, s = chain;
  do {
    sites[n++] = (uint16_t)s;
    s = board->chain[s].next;
  } while (s != chain);
  return n;
}

/* Whether the stone at site is the first neighbour of liberty (in the order left, right, up, down) of its chain: each
 * liberty is reported by that stone alone. */
static int reports(const km_board *board, unsigned site, unsigned empty) {
  const uint16_t *at = board->cell + empty;
  uint16_t own = board->cell[site];
  ptrdiff_t w = board->stride;
  ptrdiff_t step = at[-1] == own ? -1 : at[1] == own ? 1 : at[-w] == own ? -w : w;
  return (ptrdiff_t)empty + step == (ptrdiff_t)site;
}

unsigned km_chain_liberty_sites(const km_board *board, unsigned chain, uint16_t *sites, unsigned max) {
  unsigned n = 0, s = chain, want = km_chain_liberties(board, chain);
  if (want > max)
    want = max;
  while (n < want) {
    around near = look_around(board, s);
    for (int i = 0; i < 4 && n < want; i++)
      if (near.cell[i] < KM_CELL_BORDER && reports(board, s, near.cell[i]))
        sites[n++] = (uint16_t)near.cell[i];
    s = board->chain[s].next;
  }
  return n;
}
