/* encoding.h (private): names of encodings, and iconv converters kept open. */
#ifndef KIFUMILL_ENCODING_H
#define KIFUMILL_ENCODING_H

#include <iconv.h>
#include <stddef.h>

/* The encodings that records are found in; others go by iconv's name. */
typedef enum km_encoding_id {
  KM_ENC_UTF8,
  KM_ENC_ASCII,
  KM_ENC_UTF16LE,
  KM_ENC_UTF16BE,
  KM_ENC_UTF32LE,
  KM_ENC_UTF32BE,
  KM_ENC_GB18030,
  KM_ENC_BIG5,
  KM_ENC_SHIFT_JIS,
  KM_ENC_EUC_JP,
  KM_ENC_CP949,
  KM_ENC_JOHAB,
  KM_ENC_CP1250,
  KM_ENC_CP1251,
  KM_ENC_CP1252,
  KM_ENC_CP1253,
  KM_ENC_CP1254,
  KM_ENC_CP1258,
  KM_ENC_LATIN2,
  KM_ENC_CYRILLIC,
  KM_ENC_LATIN9,
  KM_ENC_KOI8_R,
  KM_ENC_MACINTOSH,
  KM_ENC_THAI,
  KM_ENC_ISO_2022_JP,
  KM_ENC_ISO_2022_KR,
  KM_ENC_COUNT,
  KM_ENC_OTHER = KM_ENC_COUNT, /* known to iconv only */
  KM_ENC_NONE                  /* no encoding */
} km_encoding_id;

enum {
  KM_ENC_HIDES = 1,    /* trail bytes may be '\' or ']' */
  KM_ENC_STATEFUL = 2, /* bytes below 0x80 need not be ASCII */
  KM_ENC_WIDE = 4,     /* no superset of ASCII */
  KM_ENC_CJK = 8,      /* of several bytes a character */
};

/* Any spelling ("utf8", "x-sjis", "gb2312", "utf-8;") → id; OTHER for a name that looks like one, else NONE.
 */
km_encoding_id km_encoding_find(const char *name);
const char *km_encoding_name(km_encoding_id id); /* canonical; ids below KM_ENC_COUNT */
unsigned km_encoding_flags(km_encoding_id id);   /* OTHER and NONE: HIDES and STATEFUL */

/* Converters to UTF-8 by encoding, opened at first use and kept. */
typedef struct km_converters {
  iconv_t open[KM_ENC_COUNT + 1]; /* the last one is for OTHER */
  char other[48];                 /* its name */
} km_converters;
void km_converters_init(km_converters *converters);
void km_converters_clear(km_converters *converters);
/* The converter, reset; (iconv_t)-1 when iconv has none or the encoding is no superset of ASCII. name is for
 * OTHER. */
iconv_t km_converters_get(km_converters *converters, km_encoding_id id, const char *name);

#endif
