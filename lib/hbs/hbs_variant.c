/* hbs_variant.c: names of the HBS variants, and the limits of a board size.
 *
 * One table has every word of the grammar with the dimension it sets, so that a new variant is one row.
 * Printing follows SPEC §3: what is default is left out, but direction, order and ties stand together. */
#include "kifumill/hbs.h"

#include <stdio.h>
#include <string.h>

enum { DIRECTION, ORDER, TIES, COLOUR, CENTRE, N_DIMENSIONS };

static const struct {
  const char *word;
  uint8_t dimension, value;
} words[] = {
    {"cw", DIRECTION, KM_HBS_CW},  {"fixed", DIRECTION, KM_HBS_FIXED}, {"canon", DIRECTION, KM_HBS_CANON},
    {"desc", ORDER, KM_HBS_DESC},  {"asc", ORDER, KM_HBS_ASC},         {"value", TIES, KM_HBS_VALUE},
    {"edge", TIES, KM_HBS_EDGE},   {"black", COLOUR, KM_HBS_BLACK},    {"white", COLOUR, KM_HBS_WHITE},
    {"both", COLOUR, KM_HBS_BOTH}, {"none", CENTRE, KM_HBS_NO_CENTRE}, {"centre15", CENTRE, KM_HBS_CENTRE15},
};
enum { N_WORDS = sizeof words / sizeof *words };

static const char *word_of(unsigned dimension, unsigned value) {
  for (size_t i = 0; i < N_WORDS; i++)
    if (words[i].dimension == dimension && words[i].value == value)
      return words[i].word;
  return "?";
}

km_status km_hbs_variant_parse(km_hbs_variant *variant, const char *name, km_err *err) {
  uint8_t value[N_DIMENSIONS] = {0};
  unsigned seen = 0;
  if (strcmp(name, "default") != 0) {
    for (const char *at = name;; at++) {
      size_t length = strcspn(at, "-"), i = 0;
      while (i < N_WORDS && (strlen(words[i].word) != length || memcmp(words[i].word, at, length) != 0))
        i++;
      if (i == N_WORDS || seen & 1u << words[i].dimension)
        return km_err_set(
            err, KM_ERR_USAGE, 0,
            "no HBS variant '%.60s': default, or at most one each of cw|fixed|canon, desc|asc, value|edge, "
            "black|white|both, none|centre15 joined by '-'",
            name);
      seen |= 1u << words[i].dimension;
      value[words[i].dimension] = words[i].value;
      at += length;
      if (*at == '\0')
        break;
    }
  }
  *variant = (km_hbs_variant){value[DIRECTION], value[ORDER], value[TIES], value[COLOUR], value[CENTRE]};
  return KM_OK;
}

void km_hbs_variant_name(km_hbs_variant v, char name[KM_HBS_NAME_MAX]) {
  int used = 0;
  name[0] = '\0';
  if (v.direction != KM_HBS_CW || v.order != KM_HBS_DESC || v.ties != KM_HBS_VALUE)
    used = snprintf(name, KM_HBS_NAME_MAX, "-%s-%s-%s", word_of(DIRECTION, v.direction),
                    word_of(ORDER, v.order), word_of(TIES, v.ties));
  if (v.colour != KM_HBS_BLACK)
    used += snprintf(name + used, KM_HBS_NAME_MAX - (size_t)used, "-%s", word_of(COLOUR, v.colour));
  if (v.centre != KM_HBS_NO_CENTRE)
    used += snprintf(name + used, KM_HBS_NAME_MAX - (size_t)used, "-%s", word_of(CENTRE, v.centre));
  if (used == 0)
    memcpy(name, "default", sizeof "default");
  else
    memmove(name, name + 1, (size_t)used); /* drops the first '-', takes the NUL along */
}

unsigned km_hbs_variant_split(km_hbs_variant variant, km_hbs_variant single[2]) {
  single[0] = variant;
  if (variant.colour != KM_HBS_BOTH)
    return 1;
  single[1] = variant;
  single[0].colour = KM_HBS_BLACK;
  single[1].colour = KM_HBS_WHITE;
  return 2;
}

unsigned km_hbs_n_layers(unsigned n, km_hbs_variant variant) {
  return n / 2 + (variant.centre == KM_HBS_CENTRE15 && n % 2 == 1);
}

/* Adds 2^bits − 1, bits ≤ 208; sums of rings stay below 2^209. */
static void add_ones(km_hbs_value *value, unsigned bits) {
  unsigned carry = 0;
  for (unsigned i = 0; i < KM_HBS_LIMBS_MAX; i++) {
    unsigned here = bits > 64 * i ? bits - 64 * i : 0;
    uint64_t ones = here == 0 ? 0 : here >= 64 ? UINT64_MAX : (UINT64_C(1) << here) - 1;
    unsigned __int128 sum = (unsigned __int128)value->limb[i] + ones + carry;
    value->limb[i] = (uint64_t)sum;
    carry = (unsigned)(sum >> 64);
  }
}

km_hbs_value km_hbs_max(unsigned n, km_hbs_variant variant) {
  km_hbs_value value = {{0}};
  for (unsigned k = 0; k < km_hbs_n_layers(n, variant); k++)
    add_ones(&value, 4 * km_hbs_layer_size(n, k)); /* the centre: 2^4 − 1 */
  return value;
}
