/* phrase.c: folding of game-info texts, and the numbers in them. See phrase.h. */
#include "phrase.h"

#include <stdint.h>
#include <string.h>

/* Code point of the UTF-8 character at p, 0 when it is none; *n_bytes is its length, at least 1. */
static uint32_t decode(const unsigned char *p, const unsigned char *end, size_t *n_bytes) {
  static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
  size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc0 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf8 ? 4 : 0;
  *n_bytes = 1;
  if (n <= 1)
    return n ? p[0] : 0;
  if ((size_t)(end - p) < n)
    return 0;
  uint32_t c = p[0] & (0x7fu >> n);
  for (size_t i = 1; i < n; i++) {
    if ((p[i] & 0xc0) != 0x80)
      return 0;
    c = c << 6 | (p[i] & 0x3fu);
  }
  if (c < lowest[n])
    return 0;
  *n_bytes = n;
  return c;
}

static char fold_ascii(uint32_t c) {
  if (c >= 'A' && c <= 'Z')
    return (char)(c + 32);
  return c <= 0x20 || c == 0x7f ? ' ' : (char)c;
}

/* What a code point above 0x7f is folded to: an ASCII character, or 0 to keep it. */
static char fold_character(uint32_t c) {
  if (c >= 0xff01 && c <= 0xff5e)
    return fold_ascii(c - 0xff01 + 0x21);
  switch (c) {
  case 0xa0: /* no-break space */
  case 0x3000:
  case 0xfeff:
    return ' ';
  case 0xb7: /* · and the like between words */
  case 0x3001:
  case 0x30fb:
    return ',';
  case 0x3002:
    return '.';
  case 0x2212: /* minus, dashes */
  case 0x2010:
  case 0x2011:
  case 0x2012:
  case 0x2013:
  case 0x2014:
    return '-';
  case 0x301c: /* wave dash */
    return '~';
  case 0x2044: /* fraction slash */
    return '/';
  case 0x2019:
    return '\'';
  default:
    return c >= 0x2000 && c <= 0x200b ? ' ' : 0;
  }
}

/* Russian capitals and ё to what texts are compared in. */
static uint32_t fold_cyrillic(uint32_t c) {
  if (c == 0x401 || c == 0x451)
    return 0x435;
  return c >= 0x410 && c <= 0x42f ? c + 0x20 : c;
}

size_t km_plain_number(const char *text, size_t n_bytes, double *value) {
  static const double scales[7] = {1, 10, 100, 1e3, 1e4, 1e5, 1e6};
  unsigned v = 0, n_after = 0;
  size_t i = 0, point = 0;
  for (; i < n_bytes && i < 8; i++) {
    if (text[i] == '.' && i > 0 && point == 0) {
      point = i;
      continue;
    }
    if (text[i] < '0' || text[i] > '9')
      break;
    v = v * 10 + (unsigned)(text[i] - '0');
  }
  n_after = point ? (unsigned)(i - point - 1) : 0;
  if (i == 0 || (point && n_after == 0) || i == 8)
    return 0;
  *value = v / scales[n_after];
  return i;
}

int km_phrase_fold(km_phrase *phrase, const char *text, size_t n_bytes) {
  const unsigned char *p = (const unsigned char *)text, *end = n_bytes ? p + n_bytes : p;
  size_t n_out = 0;
  while (p < end) {
    size_t n = 1;
    uint32_t c = *p < 0x80 ? 0 : decode(p, end, &n), low = fold_cyrillic(c);
    char ascii = *p < 0x80 ? fold_ascii(*p) : fold_character(c);
    if (*p >= 0x80 && n == 1)
      ascii = 1; /* a byte that is no UTF-8: matches nothing */
    size_t n_add = ascii ? 1 : n;
    if (ascii != ' ' || n_out > 0) {
      if (n_out + n_add > sizeof phrase->bytes)
        return 1;
      if (ascii)
        phrase->bytes[n_out] = ascii;
      else
        memcpy(phrase->bytes + n_out, p, n);
      if (low != c) { /* both are of two bytes */
        phrase->bytes[n_out] = (char)(0xc0 | low >> 6);
        phrase->bytes[n_out + 1] = (char)(0x80 | (low & 0x3f));
      }
      n_out += n_add;
    }
    p += n;
  }
  while (n_out && phrase->bytes[n_out - 1] == ' ')
    n_out--;
  phrase->at = phrase->bytes;
  phrase->end = phrase->bytes + n_out;
  return 0;
}

int km_phrase_take(km_phrase *phrase, const char *word) {
  const char *p = phrase->at; /* most words differ in the first bytes: no call */
  for (; *word; word++, p++)
    if (p == phrase->end || *p != *word)
      return 0;
  phrase->at = p;
  return 1;
}

void km_phrase_skip_blanks(km_phrase *phrase) {
  while (phrase->at < phrase->end && *phrase->at == ' ')
    phrase->at++;
}

size_t km_phrase_letters(const km_phrase *phrase) {
  const char *p = phrase->at;
  while (p < phrase->end && *p >= 'a' && *p <= 'z')
    p++;
  return (size_t)(p - phrase->at);
}

size_t km_phrase_character(const km_phrase *phrase) {
  size_t n = 0;
  if (phrase->at < phrase->end)
    decode((const unsigned char *)phrase->at, (const unsigned char *)phrase->end, &n);
  return n;
}

int km_phrase_is(const km_phrase *phrase, size_t n, const char *word) {
  size_t i = 0;
  while (i < n && phrase->at[i] == word[i]) /* ends at the word's NUL: there is none in a phrase */
    i++;
  return i == n && word[i] == 0;
}

static int is_digit(const km_phrase *phrase, const char *p) {
  return p < phrase->end && *p >= '0' && *p <= '9';
}

static int read_decimal(km_phrase *phrase, double *value) {
  const char *p = phrase->at;
  double v = 0, scale = 1;
  for (; is_digit(phrase, p); p++)
    v = v < 1e9 ? v * 10 + (*p - '0') : v;
  if (p < phrase->end && (*p == '.' || *p == ',') && is_digit(phrase, p + 1))
    for (p++; is_digit(phrase, p); p++)
      if (scale < 1e9)
        v = v * 10 + (*p - '0'), scale *= 10;
  if (p == phrase->at)
    return 0;
  phrase->at = p;
  *value = v / scale;
  return 1;
}

/* Chinese numerals below ten thousand: 七, 十二, 二十, 百五, 二〇一九. */
static int read_han(km_phrase *phrase, double *value) {
  static const struct {
    const char *text;
    int value;
  } digits[] = {{"一", 1}, {"二", 2}, {"三", 3}, {"四", 4}, {"五", 5},  {"六", 6},
                {"七", 7}, {"八", 8}, {"九", 9}, {"〇", 0}, {"零", 0},  {"两", 2},
                {"兩", 2}, {"壱", 1}, {"弐", 2}, {"参", 3}, {"十", 10}, {"百", 100}};
  enum { N = sizeof digits / sizeof digits[0] };
  int total = 0, current = -1, seen = 0;
  for (;;) {
    size_t i = 0;
    while (i < N && !km_phrase_take(phrase, digits[i].text))
      i++;
    if (i == N)
      break;
    seen = 1;
    if (digits[i].value >= 10) {
      total += (current < 0 ? 1 : current) * digits[i].value;
      current = -1;
    } else {
      current = (current > 0 ? current * 10 : 0) + digits[i].value;
    }
    if (total > 9999 || current > 9999)
      total = current = 9999;
  }
  *value = total + (current > 0 ? current : 0);
  return seen;
}

static int read_plain(km_phrase *phrase, double *value) {
  return read_decimal(phrase, value) || read_han(phrase, value);
}

/* Whether a of b parts is a fraction that people write: "6/7" and "6.5/7.5" are two numbers. */
static int is_fraction(double a, double b) {
  static const uint8_t parts[] = {2, 3, 4, 6, 8, 10, 12};
  int known = 0;
  for (size_t i = 0; i < sizeof parts; i++)
    known |= b == parts[i];
  return known && a > 0 && a < b && a == (int)a;
}

/* "5/6", "四分之三", "¾"; moves only when it is one. */
static int read_fraction(km_phrase *phrase, double *value) {
  static const struct {
    const char *text;
    double value;
  } signs[] = {{"½", 0.5},     {"¼", 0.25},    {"¾", 0.75},   {"⅓", 1 / 3.0},
               {"⅔", 2 / 3.0}, {"⅙", 1 / 6.0}, {"⅚", 5 / 6.0}};
  for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
    if (km_phrase_take(phrase, signs[i].text)) {
      *value = signs[i].value;
      return 1;
    }
  const char *start = phrase->at;
  double a, b;
  if (read_plain(phrase, &a)) {
    if (km_phrase_take(phrase, "/") && read_plain(phrase, &b) && is_fraction(a, b)) {
      *value = a / b;
      return 1;
    }
    if (km_phrase_take(phrase, "分之") && read_plain(phrase, &b) && is_fraction(b, a)) {
      *value = b / a;
      return 1;
    }
  }
  phrase->at = start;
  return 0;
}

int km_phrase_number(km_phrase *phrase, double *value) {
  if (read_fraction(phrase, value))
    return 1;
  if (km_phrase_take(phrase, "半") || km_phrase_take(phrase, "반")) {
    *value = 0.5;
    return 1;
  }
  if (!read_plain(phrase, value))
    return 0;
  const char *after = phrase->at;
  double part;
  km_phrase_skip_blanks(phrase);
  if (km_phrase_take(phrase, "又") || km_phrase_take(phrase, "と"))
    km_phrase_skip_blanks(phrase);
  if (read_fraction(phrase, &part))
    *value += part;
  else
    phrase->at = after;
  return 1;
}

int km_phrase_points(km_phrase *phrase, double *value) {
  static const char *const units[] = {"目", "집",   "호", "points", "point", "pts",
                                      "pt", "moku", "점", "点",     "點"};
  if (!km_phrase_number(phrase, value))
    return 0;
  const char *after = phrase->at;
  km_phrase_skip_blanks(phrase);
  double scale = km_phrase_take(phrase, "子") ? 2 : 0;
  for (size_t i = 0; scale == 0 && i < sizeof units / sizeof units[0]; i++)
    if (km_phrase_take(phrase, units[i]))
      scale = 1;
  if (scale == 0) {
    phrase->at = after;
    scale = 1;
  }
  after = phrase->at;
  km_phrase_skip_blanks(phrase);
  if (km_phrase_take(phrase, "半") || km_phrase_take(phrase, "반") || km_phrase_take(phrase, "½"))
    *value += 0.5;
  else
    phrase->at = after;
  *value *= scale;
  return 1;
}
