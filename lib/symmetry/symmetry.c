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

/* Where (row, col) of a rows×cols board goes; a transposing k gives a point of the cols×rows board. */
static uint16_t image(int k, unsigned rows, unsigned cols, unsigned row, unsigned col) {
  int transpose = parts[k].transpose;
  unsigned to_rows = transpose ? cols : rows, to_cols = transpose ? rows : cols;
  unsigned r = transpose ? col : row, c = transpose ? row : col;
  if (parts[k].flip_row)
    r = to_rows - 1 - r;
  if (parts[k].flip_col)
    c = to_cols - 1 - c;
  return (uint16_t)(r * to_cols + c);
}

uint16_t km_symmetry_point(int k, unsigned rows, unsigned cols, uint16_t point) {
  assert(k >= 0 && k < KM_SYMMETRIES);
  return point < rows * cols ? image(k, rows, cols, point / cols, point % cols) : point;
}

void km_symmetry_map(int k, unsigned rows, unsigned cols, uint16_t *map) {
  assert(k >= 0 && k < KM_SYMMETRIES);
  for (unsigned row = 0; row < rows; row++)
    for (unsigned col = 0; col < cols; col++)
      *map++ = image(k, rows, cols, row, col);
  *map = (uint16_t)(rows * cols);
}
