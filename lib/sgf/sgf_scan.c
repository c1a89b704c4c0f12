/* sgf_scan.c: see sgf_scan.h.
 *
 * How a lost ']' is noticed. A value ends at the first ']' without a backslash. If it has lost its own, that
 * is the one of the next property: the value then holds a '[' that nothing inside it closes, with a
 * property's name before it ("PB[Honinbo?PW[Meijin]", "C[…v=200;W[pp]"), and what follows the ']' is syntax.
 * A ']' swallowed by a stray backslash (a Shift-JIS trail byte) looks the same. Text that merely holds
 * brackets does not: its '[' comes after a blank ("[3d]"), is closed by "\]", or the text goes on after the
 * ']'. A value runs over one property, since that one's ']' ends it, or over the few that lost theirs too; so
 * the check is local and its cost is that of the value. */
#include "sgf_scan.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define UPPER_ROW(x) [x] = SGF_UPPER
#define LOWER_ROW(x) [x] = SGF_LOWER
#define LETTERS(ROW, a)                                                                                      \
  ROW(a), ROW(a + 1), ROW(a + 2), ROW(a + 3), ROW(a + 4), ROW(a + 5), ROW(a + 6), ROW(a + 7), ROW(a + 8),    \
      ROW(a + 9), ROW(a + 10), ROW(a + 11), ROW(a + 12), ROW(a + 13), ROW(a + 14), ROW(a + 15), ROW(a + 16), \
      ROW(a + 17), ROW(a + 18), ROW(a + 19), ROW(a + 20), ROW(a + 21), ROW(a + 22), ROW(a + 23),             \
      ROW(a + 24), ROW(a + 25)

const uint8_t sgf_class[256] = {
    [0] = SGF_SPACE,       ['\t'] = SGF_SPACE,      ['\n'] = SGF_SPACE,      ['\v'] = SGF_SPACE,
    ['\f'] = SGF_SPACE,    ['\r'] = SGF_SPACE,      [0x1a] = SGF_SPACE,      [' '] = SGF_SPACE,
    [';'] = SGF_SEMICOLON, ['('] = SGF_OPEN,        [')'] = SGF_CLOSE,       ['['] = SGF_LEFT,
    [']'] = SGF_RIGHT,     LETTERS(UPPER_ROW, 'A'), LETTERS(LOWER_ROW, 'a'),
};

#define NONE8 255, 255, 255, 255, 255, 255, 255, 255
#define NONE64 NONE8, NONE8, NONE8, NONE8, NONE8, NONE8, NONE8, NONE8
const uint8_t sgf_coordinate[256] = {
    NONE64, 255, 26, 27, 28, 29, 30, 31, 32, 33,  34,  35,  36,  37,  38,     39,    40,
    41,     42,  43, 44, 45, 46, 47, 48, 49, 50,  51,  255, 255, 255, 255,    255,   255,
    0,      1,   2,  3,  4,  5,  6,  7,  8,  9,   10,  11,  12,  13,  14,     15,    16,
    17,     18,  19, 20, 21, 22, 23, 24, 25, 255, 255, 255, 255, 255, NONE64, NONE64};

sgf_name sgf_read_name(const char *p, const char *end) {
  sgf_name name = {.begin = p};
  unsigned key = 0, n_upper = 0;
  for (; p < end; p++) {
    unsigned c = sgf_class_of(*p);
    if (c == SGF_UPPER) {
      key = key << 8 | (uint8_t)*p;
      n_upper += n_upper < 255;
    } else if (c != SGF_LOWER && *p) { /* a NUL is nothing */
      break;
    }
  }
  name.end = p;
  name.n_upper = (uint8_t)n_upper;
  name.key = n_upper <= 2 ? (uint16_t)key : 0;
  return name;
}

#define ROW(a, b, traits) [a - 'A'][b - 'A'] = traits
static const uint8_t trait_rows[26][26] = {
    ROW('A', 'B', SGF_IS_POINT),
    ROW('A', 'W', SGF_IS_POINT),
    ROW('A', 'E', SGF_IS_POINT),
    ROW('P', 'L', SGF_IS_POINT),
    ROW('K', 'O', SGF_IS_POINT),
    ROW('M', 'N', SGF_IS_POINT),
    ROW('B', 'L', SGF_IS_POINT),
    ROW('W', 'L', SGF_IS_POINT),
    ROW('O', 'B', SGF_IS_POINT),
    ROW('O', 'W', SGF_IS_POINT),
    ROW('T', 'B', SGF_IS_POINT),
    ROW('T', 'W', SGF_IS_POINT),
    ROW('T', 'R', SGF_IS_POINT),
    ROW('S', 'Q', SGF_IS_POINT),
    ROW('C', 'R', SGF_IS_POINT),
    ROW('M', 'A', SGF_IS_POINT),
    ROW('V', 'W', SGF_IS_POINT),
    ROW('D', 'D', SGF_IS_POINT),
    ROW('S', 'Z', SGF_IS_POINT | SGF_IS_ROOT),
    ROW('G', 'M', SGF_IS_POINT | SGF_IS_ROOT),
    ROW('F', 'F', SGF_IS_POINT | SGF_IS_ROOT),
    ROW('S', 'T', SGF_IS_POINT | SGF_IS_ROOT),
    ROW('C', 'A', SGF_IS_TEXT | SGF_IS_ROOT),
    ROW('A', 'P', SGF_IS_TEXT | SGF_IS_ROOT),
    ROW('L', 'B', SGF_IS_TEXT),
    ROW('P', 'B', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('P', 'W', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('B', 'R', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('W', 'R', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('B', 'T', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('W', 'T', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('D', 'T', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('E', 'V', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('R', 'O', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('P', 'C', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('R', 'U', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('R', 'E', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('K', 'M', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('H', 'A', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('T', 'M', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('O', 'T', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('G', 'N', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('U', 'S', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('S', 'O', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('A', 'N', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('C', 'P', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('O', 'N', SGF_IS_TEXT | SGF_IS_INFO),
    ROW('G', 'C', SGF_IS_INFO),
};

unsigned sgf_traits(uint16_t key) {
  switch (key) {
  case 0:
    return 0;
  case SGF_KEY1('B'):
  case SGF_KEY1('W'):
    return SGF_IS_KNOWN | SGF_IS_POINT;
  case SGF_KEY1('N'):
    return SGF_IS_KNOWN | SGF_IS_TEXT;
  case SGF_KEY1('C'):
    return SGF_IS_KNOWN;
  }
  if (key < SGF_KEY('A', 'A'))
    return 0;
  unsigned traits = trait_rows[(key >> 8) - 'A'][(key & 0xff) - 'A'];
  return traits ? traits | SGF_IS_KNOWN : 0;
}

const char *sgf_find_bracket_plain(const char *p, const char *end) {
  while (p < end && *p != ']' && *p != '[' && *p != '\\')
    p++;
  return p;
}

#ifdef __SSE2__
const char *sgf_find_bracket(const char *p, const char *end) {
  /* '[' 0x5b, '\' 0x5c, ']' 0x5d: one range, so one saturating subtraction tells all three. */
  const __m128i base = _mm_set1_epi8('['), span = _mm_set1_epi8(2);
  while (end - p >= 16) {
    __m128i offset = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), base);
    unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(offset, span), offset));
    if (hits)
      return p + __builtin_ctz(hits);
    p += 16;
  }
  return sgf_find_bracket_plain(p, end);
}
#else
const char *sgf_find_bracket(const char *p, const char *end) {
  return sgf_find_bracket_plain(p, end);
}
#endif

int sgf_follows_value(const char *p, const char *end) {
  p = sgf_skip_space(p, end);
  if (p == end)
    return 1;
  switch (sgf_class_of(*p)) {
  case SGF_SEMICOLON:
  case SGF_CLOSE:
  case SGF_LEFT:
    return 1;
  case SGF_OPEN:
    return sgf_opens_tree(p, end);
  case SGF_UPPER: {
    sgf_name name = sgf_read_name(p, end);
    const char *q = sgf_skip_space(name.end, end);
    return q < end && *q == '[';
  }
  }
  return 0;
}

int sgf_opens_tree(const char *p, const char *end) {
  p = sgf_skip_space(p + 1, end);
  if (p == end)
    return 1;
  switch (sgf_class_of(*p)) {
  case SGF_SEMICOLON:
  case SGF_OPEN:
    return 1;
  case SGF_UPPER:
  case SGF_LOWER: {
    sgf_name name = sgf_read_name(p, end);
    const char *q = sgf_skip_space(name.end, end);
    return name.n_upper && q < end && *q == '[';
  }
  }
  return 0;
}

/* The last '[' of [begin, end) that no "\]" behind it closes, or NULL. */
static const char *unmatched_left(const char *begin, const char *end) {
  size_t depth = 0;
  for (const char *p = end; p-- > begin;) {
    if (*p != '[' && *p != ']')
      continue;
    size_t n_escapes = 0;
    while (p - n_escapes > begin && p[-1 - (ptrdiff_t)n_escapes] == '\\')
      n_escapes++;
    if (*p == ']') {
      depth++; /* inside a value it is escaped, whatever stands before it */
    } else if (n_escapes % 2 == 0) {
      if (depth == 0)
        return p;
      depth--;
    }
    p -= n_escapes;
  }
  return NULL;
}

static const char *trim_space_back(const char *p, const char *begin) {
  while (p > begin && sgf_class_of(p[-1]) == SGF_SPACE)
    p--;
  return p;
}

/* Whether [begin, end) can be a value of the property. */
static int value_fits(uint16_t key, const char *begin, const char *end) {
  size_t n = (size_t)(end - begin);
  switch (key) {
  case SGF_KEY1('B'):
  case SGF_KEY1('W'):
    return n == 0 || n == 2;
  case SGF_KEY('A', 'B'):
  case SGF_KEY('A', 'W'):
  case SGF_KEY('A', 'E'):
    return n == 0 || n == 2 || n == 5;
  case SGF_KEY('G', 'M'):
  case SGF_KEY('F', 'F'):
  case SGF_KEY('S', 'Z'):
    for (size_t i = 0; i < n; i++)
      if (begin[i] < '0' || begin[i] > ':')
        return 0;
    return n > 0 && n < 6; /* digits, and the colon of SZ[13:9] */
  }
  return 1;
}

/* The name that ends at left ('['), as far as the kind of value before it makes it believable; else key 0. */
static sgf_name name_before(const char *begin, const char *left, unsigned traits) {
  const sgf_name none = {left, left, 0, 0};
  const char *p = left, *first = begin;
  if ((traits & SGF_IS_POINT) && left - begin > 2 && sgf_coordinate[(uint8_t)begin[0]] < 0x80 &&
      sgf_coordinate[(uint8_t)begin[1]] < 0x80)
    first += 2; /* "DDW[": the first two letters are a point */
  while (p > first && left - p < 3 && sgf_class_of(p[-1]) == SGF_UPPER)
    p--;
  if (p == left || left - p > 2)
    return none;
  sgf_name name = sgf_read_name(p, left);
  return sgf_traits(name.key) ? name : none;
}

/* Where a value that swallowed the property named name ends, and where reading goes on. */
static void set_damage(sgf_value *value, const sgf_name *name) {
  const char *p = trim_space_back(name->begin, value->begin), *after = name->begin;
  if (p > value->begin && p[-1] == ';') {
    after = --p;
    p = trim_space_back(p, value->begin);
    int opens = p > value->begin && p[-1] == '(';
    if (opens)
      after = --p;
    if (opens || (sgf_traits(name->key) & SGF_IS_ROOT)) /* a new game: the ')' before it ends the old one */
      for (const char *q = trim_space_back(p, value->begin); q > value->begin && q[-1] == ')';
           q = trim_space_back(q, value->begin))
        after = p = --q;
  }
  p = trim_space_back(p, value->begin);
  if (p - value->begin >= 2 && p[-1] == ']' && p[-2] == '\\')
    p -= 2;
  value->end = p;
  value->after = after;
  value->cut = SGF_CUT_DAMAGE;
}

/* A value with a '[' inside: has it swallowed the property behind it? Then cuts it and returns 1. */
static int cut_damage(sgf_value *value, const char *end, unsigned traits) {
  const char *left = unmatched_left(value->begin, value->end);
  if (!left)
    return 0;
  sgf_name name = name_before(value->begin, left, traits);
  if (!name.key || !value_fits(name.key, left + 1, value->end) || !sgf_follows_value(value->after, end))
    return 0;
  const char *p = trim_space_back(name.begin, value->begin);
  int two_letters = name.n_upper == 2, believable;
  char before = p > value->begin ? p[-1] : 0;
  if (before == ';' || before == ']' || (traits & SGF_IS_POINT)) {
    believable = 1; /* ']' has a backslash that was none */
  } else if (p < name.begin) {
    believable = two_letters && (memchr(p, '\n', (size_t)(name.begin - p)) || (traits & SGF_IS_TEXT));
  } else {
    believable = before && (two_letters || sgf_class_of(before) == SGF_OTHER);
  }
  if (believable)
    set_damage(value, &name);
  return believable;
}

/* The text ends inside the value: the brackets that close the game at its end are not the value's. */
static void cut_at_end(sgf_value *value, const char *end) {
  const char *p = end;
  while (p > value->begin && (sgf_class_of(p[-1]) == SGF_SPACE || p[-1] == ')'))
    p--;
  if (p - value->begin >= 2 && p[-1] == ']' &&
      p[-2] == '\\') /* the ']' of the value, behind a stray backslash */
    p -= 2;
  value->end = p;
  value->after = end;
  value->cut = SGF_CUT_END;
}

/* A value that lost its ']' may have swallowed several properties, which lost theirs. They are read again one
 * by one, so that more of them would cost the square of their number. */
enum { SWALLOWED_MAX = 32 };

sgf_value sgf_read_value(const char *open, const char *end, unsigned traits) {
  sgf_value value = {.begin = open + 1};
  size_t depth = 0; /* of '[' that no "\]" has closed */
  const char *p = open + 1;
  for (;;) {
    p = sgf_find_bracket(p, end);
    if (p == end) {
      cut_at_end(&value, end);
      return value;
    }
    if (*p == ']')
      break;
    if (*p == '\\') {
      value.escapes = 1;
      if (end - p <= 2) {
        p = end;
        continue;
      }
      depth -= depth && p[1] == ']';
      p += 2;
    } else {
      depth++;
      p++;
    }
  }
  value.end = p;
  value.after = p + 1;
  for (int n = 0; depth && n < SWALLOWED_MAX && cut_damage(&value, end, traits); n++) {
  }
  return value;
}
