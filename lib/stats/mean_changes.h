/* mean_changes.h: what the changes of a channel of steps add to their own cells.
 *
 * Private to mean_curve.c. With d(t) = x(t) − x(t−1), the steps' cells have Σ d(t) already. So the cells of
 * the first differences get d² only, where x changes; and since (d(t) − d(t−1))² = d(t)² + d(t−1)² −
 * 2·d(t)·d(t−1), those of the second ones get the product d(t)·d(t−1) only, where two changes follow upon
 * each other: rarely. Both stand in the words of Σ², the words of Σ stay 0. (mean_curve.c puts them together
 * when it reads.) A source here is the column of the steps with the width of the differences. */
#ifndef KIFUMILL_MEAN_CHANGES_H
#define KIFUMILL_MEAN_CHANGES_H

#include "mean_cells.h"

/* Change number i ≥ 1 of a column, n_limbs words. */
static inline void change_at(uint64_t *change, mean_source source, size_t i) {
  const uint64_t *now = (const uint64_t *)source.values + i * source.width.n_limbs;
  mpn_sub_n(change, now, now - source.width.n_limbs, source.width.n_limbs);
}

static inline __attribute__((always_inline)) void narrow_changes(mean_source source, mean_cells cells,
                                                                 const unsigned square_words) {
  const uint64_t *words = source.values;
  for (size_t i = 1; i < source.n; i++) {
    u128 change =
        ((u128)words[2 * i + 1] << 64 | words[2 * i]) - ((u128)words[2 * i - 1] << 64 | words[2 * i - 2]);
    narrow what = narrow_of(source.width, (uint64_t)change, (uint64_t)(change >> 64), 2);
    uint64_t *square = narrow_cell(cells, source.places[i], square_words) + 2;
    if (square_words == 3)
      words_add3(square, what.square[0], what.square[1], what.square[2]);
    else
      words_add4(square, what.square[0], what.square[1], what.square[2], 0);
  }
}

/* Squares of the changes. */
static inline void mean_changes_add(mean_source source, mean_cells cells) {
  mean_width w = source.width;
  if (w.is_narrow && w.n_limbs == 2 && w.square == 3) {
    narrow_changes(source, cells, 3);
    return;
  }
  if (w.is_narrow && w.n_limbs == 2) {
    narrow_changes(source, cells, 4);
    return;
  }
  for (size_t i = 1; i < source.n; i++) {
    uint64_t change[KM_EXACT_LIMBS_MAX], value[SUM_WORDS_MAX], square[SQUARE_WORDS_MAX];
    uint64_t *cell = mean_cell(cells, w, source.places[i]) + w.sum;
    change_at(change, source, i);
    wide_square(value, square, change, w.n_limbs);
    mpn_add_n(cell, cell, square, w.square);
  }
}

/* Products of changes one place after the other. */
static inline void mean_changes2_add(mean_source source, mean_cells cells) {
  mean_width w = source.width;
  for (size_t i = 2; i < source.n; i++) {
    if (source.places[i] != source.places[i - 1] + 1)
      continue;
    uint64_t a[KM_EXACT_LIMBS_MAX], b[KM_EXACT_LIMBS_MAX], product[SQUARE_WORDS_MAX];
    uint64_t *cell = mean_cell(cells, w, source.places[i]) + w.sum;
    change_at(a, source, i);
    change_at(b, source, i - 1);
    uint64_t negative_a = a[w.n_limbs - 1] >> 63, negative_b = b[w.n_limbs - 1] >> 63;
    if (negative_a)
      mpn_neg(a, a, w.n_limbs);
    if (negative_b)
      mpn_neg(b, b, w.n_limbs);
    mpn_mul_n(product, a, b, w.n_limbs);
    product[2 * w.n_limbs] = 0;
    if (negative_a == negative_b)
      mpn_add_n(cell, cell, product, w.square);
    else
      mpn_sub_n(cell, cell, product, w.square);
  }
}

/* Adds the difference at the last place of a game, the first (order 1) or second one, to the cell of games
 * that end there. */
static inline void mean_changes_add_end(mean_source source, uint64_t *cell, size_t last, unsigned order) {
  mean_width w = source.width;
  uint64_t change[KM_EXACT_LIMBS_MAX] = {0}, before[KM_EXACT_LIMBS_MAX] = {0}, value[SUM_WORDS_MAX],
           square[SQUARE_WORDS_MAX];
  size_t i = source.n;
  if (last < order)
    return;
  if (i > 1 && source.places[i - 1] == last)
    change_at(change, source, --i);
  if (order == 2 && i > 1 && source.places[i - 1] + 1 == last)
    change_at(before, source, i - 1);
  mpn_sub_n(change, change, before, w.n_limbs);
  wide_square(value, square, change, w.n_limbs);
  mpn_add_n(cell, cell, value, w.sum);
  mpn_add_n(cell + w.sum, cell + w.sum, square, w.square);
}

#endif
