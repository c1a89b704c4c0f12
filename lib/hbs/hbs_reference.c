/* hbs_reference.c: HBS of a board by the definition, with text and GMP integers.
 *
 * The slow path that the fast one is held against: it reads each edge as a string of '0' and '1', sorts the
 * strings as SPEC §3 says, concatenates them and lets GMP read the digits. It shares no code and no idea with
 * hbs_tracker.c. */
#include "kifumill/hbs.h"

#include <gmp.h>
#include <string.h>

typedef struct edge_text {
  char digits[KM_BOARD_MAX + 1];
  unsigned n_ones;
} edge_text;

/* The value of one board point as a digit. */
static char digit(const uint8_t *stones, unsigned point, km_hbs_variant variant) {
  return stones[point] == (variant.colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK) ? '1' : '0';
}

static void reverse(char *to, const char *from, unsigned m) {
  for (unsigned i = 0; i < m; i++)
    to[i] = from[m - 1 - i];
  to[m] = '\0';
}

/* Reads edge 0 top, 1 right, 2 bottom or 3 left of ring k in the variant's direction. */
static edge_text read_edge(const uint8_t *stones, unsigned n, unsigned k, unsigned edge,
                           km_hbs_variant variant) {
  edge_text text = {.n_ones = 0};
  char plain[KM_BOARD_MAX + 1], backward[KM_BOARD_MAX + 1];
  unsigned m = km_hbs_layer_size(n, k), last = n - 1 - k;
  for (unsigned i = 0; i < m; i++) {
    unsigned row = edge == 0 ? k : edge == 2 ? last : k + i;
    unsigned col = edge == 1 ? last : edge == 3 ? k : k + i;
    plain[i] = digit(stones, row * n + col, variant);
    text.n_ones += plain[i] == '1';
  }
  plain[m] = '\0';
  reverse(backward, plain, m);
  int turned = variant.direction == KM_HBS_CW      ? edge >= 2
               : variant.direction == KM_HBS_CANON ? strcmp(backward, plain) > 0
                                                   : 0;
  memcpy(text.digits, turned ? backward : plain, m + 1);
  return text;
}

/* Whether b must stand before a (so a stable sort leaves equal ones in edge order). */
static int goes_before(const edge_text *b, const edge_text *a, km_hbs_variant variant) {
  int descending = variant.order == KM_HBS_DESC;
  if (a->n_ones != b->n_ones)
    return descending ? b->n_ones > a->n_ones : b->n_ones < a->n_ones;
  if (variant.ties == KM_HBS_EDGE)
    return 0;
  int compared = strcmp(b->digits, a->digits);
  return descending ? compared > 0 : compared < 0;
}

/* L of ring k. */
static void ring_value(mpz_t value, const uint8_t *stones, unsigned n, unsigned k, km_hbs_variant variant) {
  edge_text sorted[4];
  for (unsigned edge = 0; edge < 4; edge++) { /* insertion sort: stable */
    edge_text text = read_edge(stones, n, k, edge, variant);
    unsigned at = edge;
    for (; at > 0 && goes_before(&text, &sorted[at - 1], variant); at--)
      sorted[at] = sorted[at - 1];
    sorted[at] = text;
  }
  char all[4 * KM_BOARD_MAX + 1] = "";
  for (unsigned i = 0; i < 4; i++)
    strcat(all, sorted[i].digits);
  mpz_set_str(value, all, 2);
}

static km_hbs_value to_value(const mpz_t number) {
  km_hbs_value value = {{0}};
  mpz_export(value.limb, NULL, -1, sizeof *value.limb, 0, 0, number); /* at most 209 bits */
  return value;
}

km_status km_hbs_of_board(km_hbs_value *s, km_hbs_value *layer, const uint8_t *stones, unsigned n,
                          km_hbs_variant variant, km_err *err) {
  if (n < 1 || n > KM_BOARD_MAX || variant.colour == KM_HBS_BOTH)
    return km_err_set(err, KM_ERR_USAGE, 0, "HBS from scratch takes a side of 1 to %d and one colour",
                      KM_BOARD_MAX);
  mpz_t sum, value;
  mpz_inits(sum, value, NULL);
  for (unsigned k = 0; k < km_hbs_n_layers(n, variant); k++) {
    if (k < n / 2)
      ring_value(value, stones, n, k, variant);
    else
      mpz_set_ui(value, digit(stones, k * n + k, variant) == '1' ? 15 : 0);
    mpz_add(sum, sum, value);
    if (layer != NULL)
      layer[k] = to_value(value);
  }
  *s = to_value(sum);
  mpz_clears(sum, value, NULL);
  return KM_OK;
}
