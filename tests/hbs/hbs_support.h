/* hbs_support.h: what the HBS tests share: golden JSON, boards as text, and seeded random boards. */
#ifndef KIFUMILL_TESTS_HBS_SUPPORT_H
#define KIFUMILL_TESTS_HBS_SUPPORT_H

#include <jansson.h>
#include <stdint.h>

#include "kifumill/hbs.h"

/* tests/golden/NAME as JSON; the test fails with jansson's message when it cannot be read. */
json_t *golden(const char *name);
/* Rows of '.', 'X', 'O' as colours; returns n. */
unsigned stones_of(uint8_t stones[KM_POINT_MAX], const json_t *rows);

/* A random board whose share of stones is itself random. */
void random_stones(uint8_t *stones, unsigned n, uint64_t seed);
/* stones under symmetry k of SPEC §6. */
void transform(uint8_t *to, const uint8_t *from, unsigned n, unsigned k);
/* Black ↔ white. */
void swap_colours(uint8_t *stones, unsigned n);

/* All 48 combinations of one colour. */
enum { N_VARIANTS = 48 };
km_hbs_variant variant_number(unsigned i);
/* From scratch; fails the test on an error. */
km_hbs_value reference(km_hbs_value *layer, const uint8_t *stones, unsigned n, km_hbs_variant variant);

/* The value of a decimal text, by schoolbook multiplication. */
km_hbs_value value_of_decimal(const char *text);

void assert_value(km_hbs_value value, km_hbs_value expected);
void assert_decimal(km_hbs_value value, const char *expected);
int compare_values(km_hbs_value a, km_hbs_value b); /* -1, 0, 1 */

#endif
