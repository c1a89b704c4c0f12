/* board.c: the moves of km_board. The layout and the idea are in board.h.
 *
 * A move has few branches: the four neighbours are read once as the lanes of one register (GCC's vector types, SSE2 or
 * NEON in the end), and what happens to their chains is an addition masked by "is a stone, and no neighbour before it is
 * of the same chain". Only records of stones' chains are changed, never those of empty sites, so that km_board_undo
 * restores memory to the byte.
 *
 * Rare things are simple things: overwriting or removing a stone by set-up rebuilds the board from its stones. */
#include "kifumill/board.h"

#include <assert.h>
#include <string.h>

#include "point_keys.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum { RECIPROCAL_BITS = 18 };

/* The four neighbours of a site (left, right, up, down) are four 16-bit lanes of one register, and what is asked of
 * them is answered for all four at once: masks have all bits of a lane set, or none. */
typedef uint16_t lanes __attribute__((vector_size(8)));
typedef int16_t signed_lanes __attribute__((vector_size(8)));
typedef uint64_t one_lane __attribute__((vector_size(8)));
typedef uint32_t quads __attribute__((vector_size(16)));
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lane 0 is the low end of the register");

ALWAYS_INLINE uint64_t bits_of(lanes v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}
ALWAYS_INLINE uint32_t lane(uint64_t bits, int i) { return (uint16_t)(bits >> 16 * i); }

ALWAYS_INLINE lanes look_around(const km_board *board, unsigned site) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  return (lanes){at[-1], at[1], at[-w], at[w]};
}

ALWAYS_INLINE lanes empties(lanes cells) { return (lanes)((cells & (uint16_t)KM_CELL_KIND) == 0); }
ALWAYS_INLINE lanes of_kind(lanes cells, uint32_t kind) {
  return (lanes)((cells & (uint16_t)KM_CELL_KIND) == (uint16_t)kind);
}

/* The stones that are the first of their chain among the neighbours. No cell is 0, so what is shifted in matches none. */
ALWAYS_INLINE lanes first_of_chain(lanes near) {
  lanes repeated = (lanes)(near == (lanes)((one_lane)near << 16)) | (lanes)(near == (lanes)((one_lane)near << 32)) |
                   (lanes)(near == (lanes)((one_lane)near << 48));
  return (lanes)((signed_lanes)near < 0) & ~repeated;
}

/* Pairs the lanes up: low[i] | high[i] << 16. */
ALWAYS_INLINE quads pair(lanes low, lanes high) {
  return (quads)__builtin_shufflevector(low, high, 0, 4, 1, 5, 2, 6, 3, 7);
}

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

/* The liberties that a stone at site, with neighbours near, brings to the chain whose cells are root: its empty
 * neighbours that no stone of the chain touches. (An empty cell holds its own site.) */
ALWAYS_INLINE uint32_t new_liberties(const km_board *board, unsigned site, lanes near, uint32_t root) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  uint16_t own = (uint16_t)root;
  lanes far = {at[-2], at[2], at[-2 * w], at[2 * w]};
  lanes corner = (lanes)((lanes){at[-w - 1], at[-w + 1], at[w - 1], at[w + 1]} == own);
  lanes touched = (lanes)(far == own) | __builtin_shufflevector(corner, corner, 0, 1, 0, 2) |
                  __builtin_shufflevector(corner, corner, 2, 3, 1, 3);
  lanes gained = empties(near) & ~touched;
  quads sum = pair(gained & 1, gained & near);
  sum += __builtin_shufflevector(sum, sum, 2, 3, 0, 1);
  return sum[0] + sum[1];
}

/* The largest of the chains whose cells are in the lanes of the mask own. */
static uint32_t largest(const km_board *board, lanes near, lanes own) {
  uint64_t cells = bits_of(near & own);
  uint32_t root = 0, size = 0;
  for (int i = 0; i < 4; i++) {
    uint32_t cell = lane(cells, i), n = cell ? board->chain[cell & KM_CELL_HEAD].size : 0;
    root = n > size ? cell : root;
    size = n > size ? n : size;
  }
  return root;
}

/* Joins chains to root, whose cells are in the lanes of the mask others. */
static void merge(km_board *board, uint32_t root, lanes near, lanes others, km_undo *undo) {
  km_chain *chain = &board->chain[root & KM_CELL_HEAD];
  for (uint64_t cells = bits_of(near & others); cells;) {
    int shift = __builtin_ctzll(cells) & 48;
    unsigned head = (unsigned)(cells >> shift) & KM_CELL_HEAD, s = head;
    cells &= ~((uint64_t)0xffff << shift);
    do {
      chain->liberties += new_liberties(board, s, look_around(board, s), root);
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

/* Takes a liberty from the chains in the lanes of the mask which. Bit 0 of a lane of the result: the chain there has no
 * liberty left; of lanes outside the mask it says nothing. */
ALWAYS_INLINE uint64_t take_liberty(km_board *board, unsigned site, lanes near, lanes which) {
  uint64_t heads = bits_of(near & (uint16_t)KM_CELL_HEAD), dead = 0;
  uint32_t takes[4];
  quads taken = pair(which, which) & liberty(site);
  memcpy(takes, &taken, sizeof takes);
  for (int i = 0; i < 4; i++) {
    uint32_t *liberties = &board->chain[lane(heads, i)].liberties;
    uint32_t rest = *liberties - takes[i];
    *liberties = rest;
    dead |= (uint64_t)!(uint16_t)rest << 16 * i;
  }
  return dead;
}

/* The reverse. */
ALWAYS_INLINE void give_liberty(km_board *board, unsigned site, lanes near, lanes which) {
  uint64_t heads = bits_of(near & (uint16_t)KM_CELL_HEAD);
  uint32_t gives[4];
  quads given = pair(which, which) & liberty(site);
  memcpy(gives, &given, sizeof gives);
  for (int i = 0; i < 4; i++)
    board->chain[lane(heads, i)].liberties += gives[i];
}

/* Puts a stone on an empty site and brings the chains up to date; captures nothing. Returns the cell of its chain;
 * *dead has bit 0 set in the lanes of enemy chains that lost their last liberty. */
ALWAYS_INLINE uint32_t place(km_board *board, uint32_t kind, unsigned site, lanes near, uint64_t *dead,
                             km_undo *undo) {
  lanes first = first_of_chain(near), own = first & of_kind(near, kind);
  *dead = take_liberty(board, site, near, first) & bits_of(first & ~own);
  uint64_t own_bits = bits_of(own);
  int shift = __builtin_ctzll(own_bits | (uint64_t)1 << 63);
  uint64_t other_bits = own_bits >> shift >> 16;
  uint32_t joins = -(uint32_t)(own_bits != 0), friend = (uint16_t)(bits_of(near) >> shift);
  uint32_t root = (friend & joins) | ((kind | site) & ~joins);
  if (other_bits)
    root = largest(board, near, own);
  unsigned head = root & KM_CELL_HEAD;
  km_chain *chain = &board->chain[head];
  if (undo) {
    undo->root = (uint16_t)head;
    undo->root_chain = *chain;
  }
  /* The first stone of a chain joins an empty one. */
  uint32_t next = (chain->next & joins) | (site & ~joins);
  chain->liberties = (chain->liberties & joins) + new_liberties(board, site, near, root);
  chain->size = (uint16_t)((chain->size & joins) + 1);
  chain->next = (uint16_t)site;
  board->chain[site].next = (uint16_t)next;
  board->cell[site] = (uint16_t)root;
  if (other_bits)
    merge(board, root, near, own & (lanes)(near != (uint16_t)root), undo);
  return root;
}

/* Takes a chain of colour off the board and gives its points to the opponent's chains as liberties. Its records and
 * its ring stay as they are. */
static void remove_chain(km_board *board, unsigned colour, unsigned head) {
  uint32_t kind = km_cell_kind(km_opponent((uint8_t)colour));
  unsigned s = head;
  do {
    lanes near = look_around(board, s);
    give_liberty(board, s, near, first_of_chain(near) & of_kind(near, kind));
    unsigned point = km_board_point(board, s);
    board->cell[s] = (uint16_t)s;
    toggle(board, colour, point);
    board->captured[board->n_captured++] = (uint16_t)point;
    s = board->chain[s].next;
  } while (s != head);
  board->prisoners[colour] += board->chain[head].size;
}

/* Takes off the chains of colour in the lanes with a bit in dead; sets the ko point if it is one. */
static void capture(km_board *board, unsigned colour, uint64_t cells, uint64_t dead, uint32_t root, km_undo *undo) {
  for (; dead; dead &= dead - 1) {
    unsigned head = (unsigned)(cells >> __builtin_ctzll(dead)) & KM_CELL_HEAD;
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

/* Puts a stone where all neighbours are empty: a chain of its own, and nothing else changes. A quarter of all moves. */
ALWAYS_INLINE void place_alone(km_board *board, uint32_t kind, unsigned site, km_undo *undo) {
  km_chain *chain = &board->chain[site];
  if (undo) {
    undo->root = (uint16_t)site;
    undo->root_chain = *chain;
  }
  chain->liberties = 4 * liberty(site); /* of left and right, up and down */
  chain->size = 1;
  chain->next = (uint16_t)site;
  board->cell[site] = (uint16_t)(kind | site);
}

/* Executes a move on an empty site. */
ALWAYS_INLINE void play(km_board *board, unsigned colour, unsigned point, unsigned site, km_undo *undo) {
  lanes near = look_around(board, site);
  uint64_t dead;
  toggle(board, colour, point);
  board->ko = KM_POINT_OFFBOARD;
  board->n_captured = 0;
  if (bits_of(near & (uint16_t)KM_CELL_KIND) == 0) {
    place_alone(board, km_cell_kind(colour), site, undo);
    return;
  }
  uint32_t root = place(board, km_cell_kind(colour), site, near, &dead, undo);
  if (__builtin_expect(dead != 0, 0))
    capture(board, km_opponent((uint8_t)colour), bits_of(near), dead, root, undo);
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
  lanes near = look_around(board, site);
  if (__builtin_expect(bits_of(empties(near)) != 0, 1))
    return 0;
  uint64_t cells = bits_of(near);
  for (int i = 0; i < 4; i++) {
    uint32_t cell = lane(cells, i), liberties = km_chain_liberties(board, cell & KM_CELL_HEAD);
    if ((cell & KM_CELL_KIND) == kind ? liberties > 1 : (cell & KM_CELL_STONE) && liberties == 1)
      return 0;
  }
  return 1;
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
  return board->ko == point && board->ko_colour == colour ? KM_PLAY_KO : KM_PLAY_LEGAL;
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
    lanes near = look_around(board, s);
    take_liberty(board, s, near, first_of_chain(near) & of_kind(near, kind));
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
    restore_chain(board, colour, undo->root);
  for (unsigned i = undo->n_dead; i-- > 0;)
    restore_chain(board, km_opponent((uint8_t)colour), undo->dead[i]);
  board->cell[site] = (uint16_t)site;
  board->stones[colour - 1][undo->point >> 3] ^= (uint8_t)(0x80 >> (undo->point & 7));
  board->hash = undo->hash;
  for (unsigned i = undo->n_merged; i-- > 0;)
    unmerge(board, colour, undo->root, undo->merged[i]);
  board->chain[undo->root] = undo->root_chain;
  board->chain[site] = undo->site_chain;
  lanes near = look_around(board, site);
  give_liberty(board, site, near, first_of_chain(near));
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
  uint64_t dead; /* and stays on the board */
  place(board, km_cell_kind(setup->colour), site, look_around(board, site), &dead, NULL);
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
  lanes near = look_around(board, site);
  uint64_t cells = bits_of(near & first_of_chain(near) & of_kind(near, gone));
  for (int i = 0; i < 4; i++) {
    unsigned head = lane(cells, i) & KM_CELL_HEAD, s = head;
    if (!lane(cells, i) || km_chain_liberties(board, head) > 1)
      continue;
    do {
      hash = km_hash128_xor(hash, km_stone_key(km_cell_colour(lane(cells, i)), km_board_point(board, s)));
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
    uint64_t cells = bits_of(look_around(board, s));
    for (int i = 0; i < 4 && n < want; i++)
      if (lane(cells, i) < KM_CELL_BORDER && reports(board, s, lane(cells, i)))
        sites[n++] = (uint16_t)lane(cells, i);
    s = board->chain[s].next;
  }
  return n;
}
