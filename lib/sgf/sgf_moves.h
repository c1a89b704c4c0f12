/* sgf_moves.h: the run of plain moves at a place, ";B[dd];W[pp]…", which nine bytes of ten of a game are.
 * Private to the reader. Four moves at a time where AVX2 is; the plain loop beside it gives the same result
 * (tested). */
#ifndef KIFUMILL_SGF_MOVES_H
#define KIFUMILL_SGF_MOVES_H

#include <stddef.h>
#include <stdint.h>

/* Laid out as km_move, into which sgf_record.c turns it. xy: column | row << 8. */
typedef struct sgf_move {
  uint16_t xy;
  uint8_t colour, flags;
} sgf_move;

/* Where moves go: their letters, and where their properties stand in the text. */
typedef struct sgf_moves {
  sgf_move *moves;
  uint64_t *pos;
  uint32_t n, room;
} sgf_moves;

/* Appends the moves from p (at a ';') on, as long as they are whole nodes or the beginnings of nodes, of
 * exactly this form, with at most one line end behind each, and there is room; looks at no byte from end on.
 * Returns where it stopped. */
const char *sgf_take_moves(const char *p, const char *end, const char *text, sgf_moves *to);
const char *sgf_take_moves_plain(const char *p, const char *end, const char *text, sgf_moves *to);

#endif
