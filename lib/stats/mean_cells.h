/* mean_cells.h: what one channel of a game adds to the cells of mean curves.
 *
 * Private to mean_curve.c. A cell is Σ and, behind it, Σ², both modulo 2^64 to their numbers of words. Spikes
 * add value and square; steps add how these differ from those before: x − y and (x − y)·(x + y). Values that
 * fit 91 bits, which is all of boards up to 22×22, are two words wide at most and their squares three: those
 * are made in registers, every square once. Others go through GMP's mpn functions.
 *
 *     mean_source source = mean_source_of(width, &column, used);
 *     mean_source_add(source, cells);           all values of places in use
 *     mean_source_add_end(source, cell, last);  the value that stands when the game ends there */
#ifndef KIFUMILL_MEAN_CELLS_H
#define KIFUMILL_MEAN_CELLS_H

#include <assert.h>
#include <string.h>

#include "exact_add.h"
#include "kifumill/mean_curve.h"

typedef unsigned __int128 u128;
typedef __int128 i128;

enum {
  SUM_WORDS_MAX = KM_EXACT_LIMBS_MAX + 1,
  SQUARE_WORDS_MAX = 2 * KM_EXACT_LIMBS_MAX + 1,
  COUNT_BITS = 36,  /* games of a stratum: fewer than 2^36 */
  NARROW_BITS = 91, /* values of two words at most, with their sum over all games */
  DOUBLE_BITS = 62, /* of doubles below 1024 */
};

/* How a channel is kept; values of n_limbs words with |value| < 2^bits. */
typedef struct mean_width {
  uint8_t is_double, is_spikes, is_narrow, n_limbs, sum,
      square; /* words of Σ and of Σ²; changes are spikes */
  uint16_t bits;
} mean_width;

static inline mean_width mean_width_of(const km_mean_channel *channel) {
  mean_width w = {.is_double = channel->n_limbs == 0, .is_spikes = channel->kind != KM_MEAN_STEPS};
  w.n_limbs = (uint8_t)(w.is_double ? 1 : channel->n_limbs);
  w.bits = (uint16_t)(w.is_double ? DOUBLE_BITS : channel->bits > 0 ? channel->bits : 64 * channel->n_limbs);
  w.is_narrow = w.n_limbs <= 2 && w.bits <= NARROW_BITS;
  w.sum = (uint8_t)((w.bits + COUNT_BITS + 64) / 64); /* with a sign */
  w.square = (uint8_t)((2 * w.bits + COUNT_BITS + 63) / 64);
  if (w.is_narrow) { /* one of two shapes */
    w.sum = 2;
    w.square = w.square > 3 ? 4 : 3;
  }
  return w;
}
static inline size_t mean_cell_words(mean_width width) {
  return (size_t)width.sum + width.square;
}

/* The cells of a channel: those of KM_MEAN_BLOCK places at words + offset of one block after the other. */
typedef struct mean_block {
  uint64_t *words;
  uint32_t *histogram; /* or NULL */
} mean_block;
typedef struct mean_cells {
  mean_block *blocks;
  size_t offset;
} mean_cells;

static inline uint64_t *mean_cell(mean_cells cells, mean_width width, size_t place) {
  return cells.blocks[place / KM_MEAN_BLOCK].words + cells.offset +
         place % KM_MEAN_BLOCK * mean_cell_words(width);
}

/* A column that is being read. */
typedef struct mean_source {
  mean_width width;
  const void *values;
  const uint32_t *places;
  size_t n; /* values at places in use */
} mean_source;

/* Of a game with `used` places in use. */
static inline mean_source mean_source_of(mean_width width, const km_mean_column *column, size_t used) {
  mean_source source = {width, column->values, column->places, column->n};
  while (source.n > 0 && column->places[source.n - 1] >= used)
    source.n--;
  return source;
}

/* ---- words: to +=. Compilers do not find the carry flag for three; sanitizers see the plain way
 * ---- */

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__
static inline void words_add2(uint64_t *to, uint64_t a, uint64_t b) {
  __asm__("addq %2, %0\n\tadcq %3, %1" : "+m"(to[0]), "+m"(to[1]) : "r"(a), "r"(b) : "cc");
}
static inline void words_add3(uint64_t *to, uint64_t a, uint64_t b, uint64_t c) {
  __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq %5, %2"
          : "+m"(to[0]), "+m"(to[1]), "+m"(to[2])
          : "r"(a), "r"(b), "r"(c)
          : "cc");
}
static inline void words_add4(uint64_t *to, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  __asm__("addq %4, %0\n\tadcq %5, %1\n\tadcq %6, %2\n\tadcq %7, %3"
          : "+m"(to[0]), "+m"(to[1]), "+m"(to[2]), "+m"(to[3])
          : "r"(a), "r"(b), "r"(c), "r"(d)
          : "cc");
}
#else
static inline void words_add2(uint64_t *to, uint64_t a, uint64_t b) {
  to[1] += b + __builtin_add_overflow(to[0], a, &to[0]);
}
static inline void words_add3(uint64_t *to, uint64_t a, uint64_t b, uint64_t c) {
  uint64_t carry = __builtin_add_overflow(to[0], a, &to[0]);
  carry = __builtin_add_overflow(to[1], carry, &to[1]);
  carry += __builtin_add_overflow(to[1], b, &to[1]);
  to[2] += c + carry;
}
static inline void words_add4(uint64_t *to, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  uint64_t before = to[2];
  words_add3(to, a, b, c);
  /* the carry out of the third: its sum with a carry of 0 or 1 is below what was there, or equal after both
   */
  to[3] += d + (to[2] < before || (to[2] == before && c != 0));
}
#endif

/* ---- narrow values: what is constant is known to the compiler where this is used ---- */

/* A value of two words, and its square of three. */
typedef struct narrow {
  uint64_t value[2], square[3];
} narrow;

static inline __attribute__((always_inline)) narrow narrow_of(mean_width width, uint64_t low, uint64_t high,
                                                              const unsigned n_limbs) {
  uint64_t negative = high >> 63, flip = 0 - negative;
  uint64_t a = (low ^ flip) + negative, b = n_limbs == 2 ? (high ^ flip) + (a < negative) : 0; /* |value| */
  (void)width;
  assert(width.bits >= 64 * n_limbs || ((u128)b << 64 | a) >> width.bits == 0);
  u128 square = (u128)a * a, middle = (u128)a * (2 * b) + (square >> 64);
  return (narrow){{low, high}, {(uint64_t)square, (uint64_t)middle, (uint64_t)(middle >> 64) + b * b}};
}

static inline __attribute__((always_inline)) narrow narrow_at(mean_source source, size_t i,
                                                              const int is_double, const unsigned n_limbs) {
  const uint64_t *words = (const uint64_t *)source.values + i * n_limbs;
  uint64_t low = is_double ? exact_fixed(((const double *)source.values)[i]) : words[0];
  return narrow_of(source.width, low, n_limbs == 2 ? words[1] : 0 - (low >> 63), n_limbs);
}

static inline __attribute__((always_inline)) void narrow_add(uint64_t *cell, const narrow *what,
                                                             const unsigned square_words) {
  const uint64_t *square = what->square;
  words_add2(cell, what->value[0], what->value[1]);
  if (square_words == 3)
    words_add3(cell + 2, square[0], square[1], square[2]);
  else
    words_add4(cell + 2, square[0], square[1], square[2], 0 - (square[2] >> 63));
}

/* Spikes come close together, mostly one a place. */
static inline __attribute__((always_inline)) void narrow_spikes(mean_source source, mean_cells cells,
                                                                const int is_double, const unsigned n_limbs,
                                                                const unsigned square_words) {
  for (size_t i = 0; i < source.n;) {
    size_t first = source.places[i] / KM_MEAN_BLOCK * KM_MEAN_BLOCK;
    uint64_t *block = mean_cell(cells, source.width, first);
    for (; i < source.n && source.places[i] - first < KM_MEAN_BLOCK; i++) {
      narrow what = narrow_at(source, i, is_double, n_limbs);
      narrow_add(block + (source.places[i] - first) * (2 + square_words), &what, square_words);
    }
  }
}

/* x − y and x² − y² = (x − y)·(x + y) of signed numbers. */
static inline __attribute__((always_inline)) narrow narrow_change(u128 x, u128 y) {
  u128 by = x - y, both = x + y;
  uint64_t a = (uint64_t)by, b = (uint64_t)(by >> 64), c = (uint64_t)both, d = (uint64_t)(both >> 64);
  u128 low = (u128)a * c, middle = (u128)a * d + (low >> 64), other = (u128)b * c + (uint64_t)middle;
  uint64_t high = b * d + (uint64_t)(middle >> 64) + (uint64_t)(other >> 64);
  high -= (c & (0 - (b >> 63))) + (a & (0 - (d >> 63)));
  return (narrow){{a, b}, {(uint64_t)low, (uint64_t)other, high}};
}
static inline __attribute__((always_inline)) narrow narrow_change_double(uint64_t x, uint64_t y) {
  uint64_t by = x - y;
  i128 square = (i128)(int64_t)by * (int64_t)(x + y);
  uint64_t high = (uint64_t)((u128)square >> 64);
  return (narrow){{by, 0 - (by >> 63)}, {(uint64_t)square, high, 0 - (high >> 63)}};
}

/* mean_cell without a branch, and of known size. */
static inline __attribute__((always_inline)) uint64_t *narrow_cell(mean_cells cells, size_t place,
                                                                   const unsigned square_words) {
  return cells.blocks[place / KM_MEAN_BLOCK].words + cells.offset +
         place % KM_MEAN_BLOCK * (2 + square_words);
}

/* Steps are anywhere: a loop over blocks would end too often where it was not expected to. */
static inline __attribute__((always_inline)) void narrow_steps(mean_source source, mean_cells cells,
                                                               const int is_double, const unsigned n_limbs,
                                                               const unsigned square_words) {
  const uint64_t *words = source.values;
  u128 last = 0;
  for (size_t i = 0; i < source.n; i++) {
    uint64_t *cell = narrow_cell(cells, source.places[i], square_words);
    u128 now = is_double      ? exact_fixed(((const double *)source.values)[i])
               : n_limbs == 1 ? (u128)(i128)(int64_t)words[i]
                              : (u128)words[2 * i + 1] << 64 | words[2 * i];
    narrow what = is_double ? narrow_change_double((uint64_t)now, (uint64_t)last) : narrow_change(now, last);
    narrow_add(cell, &what, square_words);
    last = now;
  }
}

/* ---- any width ---- */

/* value (n + 1 words), square (2n + 1) of n limbs. */
static inline void wide_square(uint64_t *value, uint64_t *square, const uint64_t *limbs, unsigned n) {
  uint64_t magnitude[KM_EXACT_LIMBS_MAX], sign = 0 - (limbs[n - 1] >> 63);
  memcpy(value, limbs, n * sizeof *limbs);
  value[n] = sign;
  if (sign)
    mpn_neg(magnitude, limbs, n);
  mpn_sqr(square, sign ? magnitude : limbs, n);
  square[2 * n] = 0;
}

static inline void wide_values(mean_source source, mean_cells cells) {
  const uint64_t *limbs = source.values;
  mean_width w = source.width;
  unsigned n = w.n_limbs;
  uint64_t value[2][SUM_WORDS_MAX] = {{0}},
           square[2][SQUARE_WORDS_MAX] = {{0}}; /* of odd places, of even ones */
  for (size_t i = 0; i < source.n; i++, limbs += n) {
    uint64_t *cell = mean_cell(cells, w, source.places[i]);
    unsigned now = i & 1, before = now ^ 1;
    wide_square(value[now], square[now], limbs, n);
    mpn_add_n(cell, cell, value[now], w.sum);
    mpn_add_n(cell + w.sum, cell + w.sum, square[now], w.square);
    if (w.is_spikes)
      continue;
    mpn_sub_n(cell, cell, value[before], w.sum);
    mpn_sub_n(cell + w.sum, cell + w.sum, square[before], w.square);
  }
}

/* ---- both ---- */

/* Adds a source's values to the cells of their places. */
static inline void mean_source_add(mean_source source, mean_cells cells) {
  mean_width w = source.width;
  if (!w.is_narrow)
    wide_values(source, cells);
  else if (w.is_double && w.is_spikes)
    narrow_spikes(source, cells, 1, 1, 3);
  else if (w.is_double)
    narrow_steps(source, cells, 1, 1, 3);
  else if (w.n_limbs == 1 && w.is_spikes)
    narrow_spikes(source, cells, 0, 1, 3);
  else if (w.n_limbs == 1)
    narrow_steps(source, cells, 0, 1, 3);
  else if (w.square == 3 && w.is_spikes)
    narrow_spikes(source, cells, 0, 2, 3);
  else if (w.square == 3)
    narrow_steps(source, cells, 0, 2, 3);
  else if (w.is_spikes)
    narrow_spikes(source, cells, 0, 2, 4);
  else
    narrow_steps(source, cells, 0, 2, 4);
}

/* Adds the value at the last place of a game to the cell of games that end there. */
static inline void mean_source_add_end(mean_source source, uint64_t *cell, size_t last) {
  mean_width w = source.width;
  size_t i = source.n - 1;
  if (source.n == 0 || (w.is_spikes && source.places[i] != last))
    return;
  if (w.is_narrow) {
    narrow what = w.is_double      ? narrow_at(source, i, 1, 1)
                  : w.n_limbs == 1 ? narrow_at(source, i, 0, 1)
                                   : narrow_at(source, i, 0, 2);
    if (w.square == 3)
      narrow_add(cell, &what, 3);
    else
      narrow_add(cell, &what, 4);
    return;
  }
  uint64_t value[SUM_WORDS_MAX], square[SQUARE_WORDS_MAX];
  wide_square(value, square, (const uint64_t *)source.values + i * w.n_limbs, w.n_limbs);
  mpn_add_n(cell, cell, value, w.sum);
  mpn_add_n(cell + w.sum, cell + w.sum, square, w.square);
}

#endif
