/* charset.h (private): which encoding explains bytes best.
 *
 * A reading of the bytes in some encoding costs bits: few for a character that is frequent in game records of
 * that script, many for a rare one, most for a byte that the encoding cannot have. The cheapest reading is
 * the likeliest; one that costs more than random bytes would is no explanation. Short texts (one name) are
 * decided by this where general detectors fail; over long ones all agree. */
#ifndef KIFUMILL_CHARSET_H
#define KIFUMILL_CHARSET_H

#include "encoding.h"

#include <stdint.h>

enum { KM_SAMPLE_MAX = 1500 };

/* The stretches of a record that hold bytes above 0x7f, each with the ASCII letter before it. */
typedef struct km_sample {
  size_t n_bytes, n_high;
  char bytes[KM_SAMPLE_MAX];
} km_sample;
void km_sample_take(km_sample *sample, const char *bytes, size_t n_bytes);

/* The characters below U+10000 that are frequent in game records; a bit each. */
typedef struct km_frequent {
  uint8_t bits[8192];
} km_frequent;
void km_frequent_init(km_frequent *frequent);

/* Bits per byte above 0x7f that the sample costs in the encoding; KM_COST_MAX when there is no converter. cd
 * is not used for UTF-8, of which damaged characters are let pass at a price. */
#define KM_COST_MAX 100.0
double km_charset_cost(const km_sample *sample, km_encoding_id id, iconv_t cd, const km_frequent *frequent);

/* The end of the stretch that begins at a byte above 0x7f: the first of two ASCII bytes in a row belongs to
 * it, since it may be a trail byte. A NUL ends it too. */
const char *km_stretch_end(const char *at, const char *end);

/* Bytes of the strictly valid UTF-8 character at p (no surrogates, no overlong forms), 0 when there is none.
 */
size_t km_utf8_character(const char *p, const char *end);

#endif
