/* symmetry.c: every symmetry is "transpose or not, then mirror the rows or not, then the columns or not"; three bits a
 * row of the table, and inverse and composition follow from it. */
#include "kifumill/symmetry.h"

#include <assert.h>

static const struct {
  uint8_t transpose, flip_row, flip_col;
} parts[KM_SYMMETRIES] = {{0, 0, 0}, {1, 1, 0}, {0, 1, 1}, {1, 0, 1}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {1, 1, 1}};

/* The symmetry with these parts. */
static const int8_t with_parts[2][2][2] = {{{0, 4}, {5, 2}}, {{6, 3}, {1, 7}}};

int km_symmetry_inverse(int k) {
  assert(k >= 0 && k < KM_SYMMETRIES);
  /* Only the quarter turns are not their own inverse. */
  return k == 1 ? 3 : k == 3 ? 1 : k;
}

int km_symmetry_compose(int a, int b) {
  assert(a >= 0 && a < KM_SYMMETRIES && b >= 0 && b < KM_SYMMETRIES);
  /* b's transpose exchanges what a's mirrors act on. */
  int row = parts[b].transpose ? parts[a].flip_col : parts[a].flip_row;
  int col = parts[b].transpose ? parts[a].flip_row : parts[a].flip_col;
  return with_parts[parts[a].transpose ^ parts[b].transpose][row ^ parts[b].flip_row][col ^ parts[b].flip_col];
}

int km_symmetry_fits(int k, unsigned rows, unsigned cols) {
  return k >= 0 && k < KM_SYMMETRIES && (rows == cols || !parts[k].transpose);
}

km_affine km_symmetry_affine(int k, unsigned rows, unsigned cols) {
  assert(k >= 0 && k < KM_SYMMETRIES);
  /* A transposing k gives a point of the cols×rows board: its row is the old column. */
  int transpose = parts[k].transpose;
  int to_rows = (int)(transpose ? cols : rows), to_cols = (int)(transpose ? rows : cols);
  int by_new_row = parts[k].flip_row ? -to_cols : to_cols, by_new_col = parts[k].flip_col ? -1 : 1;
  int base = (parts[k].flip_row ? (to_rows - 1) * to_cols : 0) + (parts[k].flip_col ? to_cols - 1 : 0);
  return (km_affine){base, transpose ? by_new_col : by_new_row, transpose ? by_new_row : by_new_col};
}

uint16_t km_symmetry_point(int k, unsigned rows, unsigned cols, uint16_t point) {
  if (point >= rows * cols)
    return point;
  km_affine map = km_symmetry_affine(k, rows, cols);
  return (uint16_t)(map.base + map.by_row * (int)(point / cols) + map.by_col * (int)(point % cols));
}

void km_symmetry_map(int k, unsigned rows, unsigned cols, uint16_t *map) {
  km_affine affine = km_symmetry_affine(k, rows, cols);
  for (int row = 0; row < (int)rows; row++)
    for (int col = 0; col < (int)cols; col++)
      *map++ = (uint16_t)(affine.base + affine.by_row * row + affine.by_col * col);
  *map = (uint16_t)(rows * cols);
}
