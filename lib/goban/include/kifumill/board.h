/* board.h: the board: stones, chains, liberties, captures, simple ko, 128-bit Zobrist hash. SPEC §2, §7.1, §7.2.
 *
 * Points and sites. Callers speak in points, row·cols + col. Inside, the board has a border: a site is the same place
 * on a grid of stride = cols + 1 with two border rows above and below and one border column that serves the right edge
 * of a row and the left edge of the next. So the neighbours of any site are site ± 1 and site ± stride, those two steps
 * away are in memory too, and nothing asks where the edge is. Inner loops (ladders, eyes) may work on sites.
 *
 * cell[site] says everything about a site in 16 bits: the two top bits are its kind (0 empty, 1 border, 2 black,
 * 3 white), the others the head of its chain, and the site itself where there is no chain. Equal cells of stones are
 * the same chain: one load gives colour and chain, one comparison tells chains apart. chain[site].next links the
 * stones of a chain in a ring; at the head, .size and .liberties are those of the chain.
 *
 * Liberties are counted exactly and without sets: the low half of chain.liberties is the number of distinct liberties,
 * the high half the sum of their sites modulo 65536, so that both change by one addition. A chain in atari thus knows
 * its last liberty, and the second of two follows from the first. When a stone joins a chain, each empty neighbour
 * is new to it unless one of that point's other neighbours (all within two steps) belongs to the chain already; a
 * merge is that step for each stone of the smaller chains. All of it is straight-line code.
 *
 * Costs: a move is O(1) but for merges (stones of the smaller chains) and captures (stones taken). 10 bytes a site:
 * 5 KiB in use on 19×19 (the struct has room for 52×52: 36 KiB). km_board_copy and km_board_init touch what the size
 * uses. A trial move with km_board_play_undo and km_board_undo costs about 40 % of a trial on a copy (bench_replay).
 * It is plain memory, allocates nothing, and any number of boards may be used at once. */
#ifndef KIFUMILL_BOARD_H
#define KIFUMILL_BOARD_H

#include "kifumill/game.h"
#include "kifumill/hash.h"

enum {
  KM_SITE_MAX = (KM_BOARD_MAX + 4) * (KM_BOARD_MAX + 1), /* sites of the largest board, border included */
  KM_BOARD_BITS_BYTES = (KM_POINT_MAX + 7) / 8,
  KM_CELL_STONE = 0x8000,  /* this bit is set in the cells of stones only */
  KM_CELL_BORDER = 0x4000, /* cells below this are empty */
  KM_CELL_KIND = 0xc000,
  KM_CELL_HEAD = 0x3fff,
};

typedef struct km_chain {
  uint32_t liberties; /* at a head: low half their number, high half the sum of their sites mod 65536 */
  uint16_t size;      /* at a head: number of stones */
  uint16_t next;      /* at a stone: the next site of the ring */
} km_chain;

typedef struct km_board {
  uint8_t rows, cols;
  uint8_t ko_colour;      /* who may not play at ko; meaningless when ko is KM_POINT_OFFBOARD */
  uint16_t ko;            /* point, or KM_POINT_OFFBOARD when there is none */
  uint16_t n_points;      /* rows·cols; also the pass */
  uint16_t stride;        /* cols + 1 */
  uint16_t n_sites;       /* (rows + 4)·stride */
  uint16_t n_captured;    /* stones taken off by the last move */
  uint32_t per_col;       /* ⌊2^18 / cols⌋ + 1: division by a multiplication, exact for points */
  uint32_t per_stride;    /* the same for sites */
  uint32_t prisoners[3];  /* by colour: stones of that colour taken off by captures and suicides so far */
  km_hash128 hash;        /* positional */
  /* The stones of black, then of white, row-major, most significant bit first: point p is bit 7 - p%8 of byte p/8.
   * Bits beyond the last point are 0. Copied as they are, they make a packed plane. */
  uint8_t stones[2][KM_BOARD_BITS_BYTES];
  uint16_t captured[KM_POINT_MAX]; /* points that the last move emptied */
  uint16_t cell[KM_SITE_MAX];
  km_chain chain[KM_SITE_MAX];
} km_board;

/* What km_board_undo needs to take one move back; filled by km_board_play_undo, owned by the caller. */
typedef struct km_undo {
  km_hash128 hash;
  km_chain site_chain, root_chain; /* chain[site] and chain[root] as they were */
  uint16_t point, site, root;      /* site 0: a pass */
  uint16_t ko;
  uint16_t merged[3], dead[4]; /* heads of chains joined to root, and captured */
  uint8_t n_merged, n_dead, suicide, colour, ko_colour;
} km_undo;

/* An empty board. rows and cols 1…52. */
void km_board_init(km_board *board, unsigned rows, unsigned cols);

/* dst becomes src, at the price of the bytes that src's size uses. */
void km_board_copy(km_board *dst, const km_board *src);

/* What playing colour at point would be, in SPEC §2's order; superko is not looked at (see superko.h). */
km_play_class km_board_classify(const km_board *board, uint8_t colour, uint16_t point);

/* Executes a move that is on the board or a pass: puts the stone, removes opponent chains without liberties, then the
 * own chain if it has none (suicide). On an occupied point the old stone is overwritten (FF[4]). Updates ko and hash.
 * Afterwards board->captured[0…n_captured-1] are the points that became empty (own ones after a suicide). */
void km_board_play(km_board *board, uint8_t colour, uint16_t point);

/* km_board_classify, and km_board_play if the class is legal or pass: the two at the price of one. */
km_play_class km_board_try(km_board *board, uint8_t colour, uint16_t point);

/* km_board_play of an empty point or a pass, and what is needed to take it back. Moves are taken back in reverse
 * order, with no other change in between; then the board is as before to the last byte in use, but for the captured
 * list, which is empty, and the prisoners, which are restored too. */
void km_board_play_undo(km_board *board, uint8_t colour, uint16_t point, km_undo *undo);
void km_board_undo(km_board *board, const km_undo *undo);

/* Puts (or, with KM_EMPTY, removes) a set-up stone: never captures, lifts the ko ban. */
void km_board_setup(km_board *board, uint8_t colour, uint16_t point);
/* All of a position's set-up stones in order (later ones win), in O(n_setup + points). Points off the board are left
 * out. */
void km_board_setup_all(km_board *board, const km_setup *setup, size_t n_setup);

/* The positional hash after playing colour at an empty point (with captures and suicide), or passing; does not play. */
km_hash128 km_board_hash_after(const km_board *board, uint8_t colour, uint16_t point);

/* Recomputes chains, liberties and hash from the stones and compares: NULL if all agree, else what differs. */
const char *km_board_check(const km_board *board);

/* point ↔ site */
static inline unsigned km_board_site(const km_board *board, unsigned point) {
  return point + ((point * board->per_col) >> 18) + 2u * board->stride;
}
static inline uint16_t km_board_point(const km_board *board, unsigned site) {
  return (uint16_t)(site - (((site * board->per_stride) >> 18) - 2) - 2u * board->stride);
}

/* KM_EMPTY, KM_BLACK or KM_WHITE of a cell that is no border, or of a point. */
static inline uint8_t km_cell_colour(unsigned cell) { return (uint8_t)((cell >> 14) - (cell >> 15)); }
static inline uint8_t km_board_stone(const km_board *board, unsigned point) {
  return km_cell_colour(board->cell[km_board_site(board, point)]);
}
/* The kind bits of a colour's cells. */
static inline unsigned km_cell_kind(unsigned colour) { return (colour + 1) << 14; }

/* The chain of the stone at point: a site that names it until its next change; at an empty point the site itself. */
static inline unsigned km_board_chain(const km_board *board, unsigned point) {
  return board->cell[km_board_site(board, point)] & KM_CELL_HEAD;
}
/* Of a chain by its name. */
static inline unsigned km_chain_liberties(const km_board *board, unsigned chain) {
  return board->chain[chain].liberties & 0xffff;
}
static inline unsigned km_chain_size(const km_board *board, unsigned chain) { return board->chain[chain].size; }
/* The last liberty (a site) of a chain that has exactly one. */
static inline unsigned km_chain_last_liberty(const km_board *board, unsigned chain) {
  return board->chain[chain].liberties >> 16;
}
/* The same by a stone of the chain; the point must hold one. */
static inline unsigned km_board_liberties(const km_board *board, unsigned point) {
  return km_chain_liberties(board, km_board_chain(board, point));
}
static inline unsigned km_board_chain_size(const km_board *board, unsigned point) {
  return km_chain_size(board, km_board_chain(board, point));
}

/* Writes the sites of a chain's stones (head first) or of its distinct liberties; returns how many. sites has room for
 * km_chain_size, resp. for max; after max liberties it stops. */
unsigned km_chain_stones(const km_board *board, unsigned chain, uint16_t *sites);
unsigned km_chain_liberty_sites(const km_board *board, unsigned chain, uint16_t *sites, unsigned max);

/* The ko point, where *colour may not play now, or KM_POINT_OFFBOARD (then *colour is KM_EMPTY). */
static inline uint16_t km_board_ko(const km_board *board, uint8_t *colour) {
  *colour = board->ko == KM_POINT_OFFBOARD ? KM_EMPTY : board->ko_colour;
  return board->ko;
}

/* The situational hash (SPEC §7.2): the positional one and the player to move. */
km_hash128 km_board_situation(const km_board *board, uint8_t to_play);

#endif
