/* row_order.c: the network. A round changes one half by a hash of the other, so it is undone by doing it
 * again. */
#include "row_order.h"

#include "kifumill/hash.h"

void km_row_order_init(km_row_order *order, uint64_t n, uint64_t seed, uint64_t stream, int shuffle) {
  unsigned bits = 2;
  while (bits < 64 && n > (uint64_t)1 << bits)
    bits++;
  *order = (km_row_order){.n = n, .low_bits = bits / 2, .is_identity = !shuffle || n < 2};
  order->low_mask = ((uint64_t)1 << order->low_bits) - 1;
  order->high_mask = ((uint64_t)1 << (bits - order->low_bits)) - 1;
  for (uint64_t i = 0; i < KM_ORDER_ROUNDS; i++)
    order->keys[i] = km_random(seed, stream, i, KM_PURPOSE_SHUFFLE);
}

/* One multiplication each; the middle bits of the product depend on all bits of the half and of the key. */
static inline uint64_t mixed(uint64_t half, uint64_t key) {
  uint64_t x = (half + key) * 0x9e3779b97f4a7c15u;
  return (x ^ key) >> 29;
}

static inline uint64_t step(const km_row_order *o, uint64_t x) {
  uint64_t low = x & o->low_mask, high = x >> o->low_bits;
  for (int i = 0; i < KM_ORDER_ROUNDS; i += 2) {
    high ^= mixed(low, o->keys[i]) & o->high_mask;
    low ^= mixed(high, o->keys[i + 1]) & o->low_mask;
  }
  return high << o->low_bits | low;
}

static inline uint64_t step_back(const km_row_order *o, uint64_t x) {
  uint64_t low = x & o->low_mask, high = x >> o->low_bits;
  for (int i = KM_ORDER_ROUNDS - 2; i >= 0; i -= 2) {
    low ^= mixed(high, o->keys[i + 1]) & o->low_mask;
    high ^= mixed(low, o->keys[i]) & o->high_mask;
  }
  return high << o->low_bits | low;
}

uint64_t km_row_order_row(const km_row_order *order, uint64_t place) {
  if (order->is_identity)
    return place;
  do
    place = step(order, place);
  while (place >= order->n);
  return place;
}

uint64_t km_row_order_place(const km_row_order *order, uint64_t row) {
  if (order->is_identity)
    return row;
  do
    row = step_back(order, row);
  while (row >= order->n);
  return row;
}

/* All take a step; those that are beyond the end are gathered without a branch that could not be foretold,
 * and take another one, until none is left. */
void km_row_order_rows(const km_row_order *order, uint64_t first, size_t n, uint64_t *rows) {
  enum { GROUP = 256 };
  uint16_t beyond[GROUP];
  for (size_t done = 0; done < n; done += GROUP, rows += GROUP) {
    size_t size = n - done < GROUP ? n - done : GROUP, n_beyond = 0;
    for (size_t i = 0; i < size; i++) {
      rows[i] = order->is_identity ? first + done + i : step(order, first + done + i);
      beyond[n_beyond] = (uint16_t)i;
      n_beyond += rows[i] >= order->n;
    }
    while (n_beyond) {
      size_t n_left = 0;
      for (size_t i = 0; i < n_beyond; i++) {
        uint64_t *row = &rows[beyond[i]];
        *row = step(order, *row);
        beyond[n_left] = beyond[i];
        n_left += *row >= order->n;
      }
      n_beyond = n_left;
    }
  }
}
