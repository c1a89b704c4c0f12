/* board_check.c: km_board_check, which believes only the colours of the cells: it floods the chains, counts their
 * liberties with marks, adds up the hash, and compares with what the board has kept. */
#include <string.h>

#include "kifumill/board.h"
#include "point_keys.h"

typedef struct flood {
  uint16_t seen[KM_SITE_MAX]; /* chain number by site, 0 none */
  uint16_t free[KM_SITE_MAX]; /* chain that counted this liberty last */
  uint16_t stack[KM_SITE_MAX];
  uint16_t n_stones, n_liberties, liberty_sum;
} flood;

/* Walks the chain of site, numbering it. NULL, or what is wrong. */
static const char *walk(const km_board *board, flood *f, unsigned site, uint16_t number) {
  unsigned n_stack = 0;
  f->n_stones = f->n_liberties = f->liberty_sum = 0;
  f->seen[site] = number;
  f->stack[n_stack++] = (uint16_t)site;
  const int step[4] = {-1, 1, -(int)board->stride, board->stride};
  while (n_stack) {
    unsigned s = f->stack[--n_stack];
    f->n_stones++;
    if (board->cell[s] != board->cell[site])
      return "stones of one chain with different cells";
    for (int i = 0; i < 4; i++) {
      unsigned t = (unsigned)((int)s + step[i]);
      if (board->cell[t] < KM_CELL_BORDER && f->free[t] != number) {
        f->free[t] = number;
        f->n_liberties++;
        f->liberty_sum = (uint16_t)(f->liberty_sum + t);
      } else if ((board->cell[t] & KM_CELL_KIND) == (board->cell[s] & KM_CELL_KIND) && !f->seen[t]) {
        f->seen[t] = number;
        f->stack[n_stack++] = (uint16_t)t;
      }
    }
  }
  return NULL;
}

/* Compares the record of the chain just walked. */
static const char *compare_chain(const km_board *board, const flood *f, unsigned site, uint16_t number) {
  unsigned head = board->cell[site] & KM_CELL_HEAD, s = head;
  if (head >= board->n_sites || f->seen[head] != number)
    return "the head is not a stone of its chain";
  const km_chain *chain = &board->chain[head];
  if (chain->size != f->n_stones)
    return "chain size";
  if ((chain->liberties & 0xffff) != f->n_liberties)
    return "number of liberties";
  if (chain->liberties >> 16 != f->liberty_sum)
    return "sum of liberties";
  for (unsigned i = 0; i < f->n_stones; i++) {
    if (s >= board->n_sites || f->seen[s] != number)
      return "the ring leaves its chain";
    s = board->chain[s].next;
    if (s == head && i + 1 < f->n_stones)
      return "the ring is too short";
  }
  return s == head ? NULL : "the ring is too long";
}

static const char *check_border(const km_board *board) {
  unsigned first = 2u * board->stride, end = first + (unsigned)board->rows * board->stride;
  for (unsigned s = 0; s < board->n_sites; s++) {
    int inside = s >= first && s < end && (s - first) % board->stride < board->cols;
    unsigned cell = board->cell[s];
    if (inside ? (cell & KM_CELL_KIND) == KM_CELL_BORDER : cell != (KM_CELL_BORDER | s))
      return "border";
    if (cell < KM_CELL_BORDER && cell != s)
      return "an empty cell that is not its own site";
  }
  return NULL;
}

/* A ko point is empty and beside a lone stone of the opponent that has no other liberty. */
static const char *check_ko(const km_board *board) {
  if (board->ko == KM_POINT_OFFBOARD)
    return NULL;
  if (board->ko >= board->n_points || (board->ko_colour != KM_BLACK && board->ko_colour != KM_WHITE))
    return "ko outside the board";
  if (km_board_stone(board, board->ko) != KM_EMPTY)
    return "ko on a stone";
  unsigned site = km_board_site(board, board->ko);
  const unsigned step[2] = {1, board->stride};
  for (int i = 0; i < 2; i++)
    for (unsigned t = site - step[i]; t <= site + step[i]; t += 2 * step[i])
      if ((board->cell[t] & KM_CELL_KIND) == km_cell_kind(km_opponent(board->ko_colour)) &&
          board->chain[t].size == 1 && board->chain[t].liberties == (site << 16 | 1))
        return NULL;
  return "ko without its stone";
}

const char *km_board_check(const km_board *board) {
  flood f;
  memset(f.seen, 0, sizeof f.seen);
  memset(f.free, 0, sizeof f.free);
  const char *wrong = check_border(board);
  km_hash128 hash = {0, 0};
  uint8_t bits[2][KM_BOARD_BITS_BYTES] = {{0}};
  uint16_t number = 0;
  for (unsigned p = 0; !wrong && p < board->n_points; p++) {
    unsigned site = 2u * board->stride + p / board->cols * board->stride + p % board->cols;
    if (site != km_board_site(board, p) || p != km_board_point(board, site))
      return "point and site";
    if (board->cell[site] < KM_CELL_BORDER)
      continue;
    uint8_t colour = board->cell[site] >> 14 == 2 ? KM_BLACK : KM_WHITE;
    hash = km_hash128_xor(hash, km_stone_key(colour, p));
    bits[colour - 1][p / 8] |= (uint8_t)(1 << (7 - p % 8));
    if (f.seen[site])
      continue;
    wrong = walk(board, &f, site, ++number);
    if (!wrong)
      wrong = compare_chain(board, &f, site, number);
  }
  if (!wrong && !km_hash128_equal(hash, board->hash))
    wrong = "hash";
  size_t n_bytes = (board->n_points + 7u) / 8;
  if (!wrong && (memcmp(bits[0], board->stones[0], n_bytes) || memcmp(bits[1], board->stones[1], n_bytes)))
    wrong = "bitmaps";
  return wrong ? wrong : check_ko(board);
}
