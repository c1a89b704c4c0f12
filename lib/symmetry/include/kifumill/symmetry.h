/* symmetry.h: the symmetries of a board, numbered as in SPEC §6.
 *
 * 0 identity, 1 rotation by 90° counter-clockwise, 2 by 180°, 3 by 270°, 4 mirror left-right, 5 mirror top-bottom,
 * 6 transpose, 7 rotation by 180° after the transpose. A rectangle has only 0, 2, 4, 5; the other four carry a
 * rows×cols board onto the cols×rows one. k is always 0…7. */
#ifndef KIFUMILL_SYMMETRY_H
#define KIFUMILL_SYMMETRY_H

#include "kifumill/game.h"

enum { KM_SYMMETRIES = 8 };

/* The symmetry that undoes k. */
int km_symmetry_inverse(int k);
/* The symmetry "first a, then b". */
int km_symmetry_compose(int a, int b);
/* Whether k maps a rows×cols board onto itself: all 8 on a square, 0, 2, 4, 5 on a rectangle. */
int km_symmetry_fits(int k, unsigned rows, unsigned cols);

/* Where the stone at point goes under k; pass and anything beyond the board stay as they are. */
uint16_t km_symmetry_point(int k, unsigned rows, unsigned cols, uint16_t point);
/* map[p] = km_symmetry_point(k, p) for p = 0…rows·cols (pass included): rows·cols+1 entries. */
void km_symmetry_map(int k, unsigned rows, unsigned cols, uint16_t *map);

/* The map of k as arithmetic: (row, col) goes to base + by_row·row + by_col·col. */
typedef struct km_affine {
  int32_t base, by_row, by_col;
} km_affine;
km_affine km_symmetry_affine(int k, unsigned rows, unsigned cols);

#endif
