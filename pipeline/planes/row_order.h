/* row_order.h: a seeded random order of n rows, computed place by place: no table, no sorting, no memory.
 *
 * It is a permutation of 0…n-1 by construction: a Feistel network of eight rounds over the smallest number of
 * bits that holds n, walked on until the number is below n (less than twice on average). So any shard, on any
 * machine, knows its rows from the seed and n alone. */
#ifndef KIFUMILL_ROW_ORDER_H
#define KIFUMILL_ROW_ORDER_H

#include <stddef.h>
#include <stdint.h>

enum { KM_ORDER_ROUNDS = 8 };

typedef struct km_row_order {
  uint64_t n;
  unsigned low_bits;
  uint64_t low_mask, high_mask;
  uint64_t keys[KM_ORDER_ROUNDS];
  int is_identity;
} km_row_order;

/* shuffle 0: the order is that of the rows. stream: orders of different streams have nothing to do with each
 * other. */
void km_row_order_init(km_row_order *order, uint64_t n, uint64_t seed, uint64_t stream, int shuffle);
/* Which row stands at a place, and where a row stands; both in 0…n-1. */
uint64_t km_row_order_row(const km_row_order *order, uint64_t place);
uint64_t km_row_order_place(const km_row_order *order, uint64_t row);
/* The rows at places first … first+n-1. */
void km_row_order_rows(const km_row_order *order, uint64_t first, size_t n, uint64_t *rows);

#endif
