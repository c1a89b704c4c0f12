/* entry_name.c: see entry_name.h. Nearly all names are plain ASCII and are copied at once. */
#include "entry_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_SHOWN = 4096 };

/* Length of the valid UTF-8 sequence at s (RFC 3629: no overlong forms, no surrogates), 0 when there is none.
 */
static unsigned utf8_length(const uint8_t *s, size_t n) {
  uint8_t a = s[0], low = 0x80, high = 0xbf;
  unsigned length = a < 0x80                 ? 1
                    : a >= 0xc2 && a <= 0xdf ? 2
                    : a >= 0xe0 && a <= 0xef ? 3
                    : a >= 0xf0 && a <= 0xf4 ? 4
                                             : 0;
  if (length == 0 || length > n)
    return 0;
  if (a == 0xe0)
    low = 0xa0;
  else if (a == 0xed)
    high = 0x9f;
  else if (a == 0xf0)
    low = 0x90;
  else if (a == 0xf4)
    high = 0x8f;
  for (unsigned i = 1; i < length; i++) {
    if (s[i] < low || s[i] > high)
      return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

static bool is_plain(const uint8_t *s, size_t n) {
  unsigned odd = 0;
  for (size_t i = 0; i < n; i++)
    odd |= (unsigned)(s[i] - 0x20) > 0x5e; /* not 0x20…0x7e */
  return !odd;
}

/* C1 controls (U+0080…U+009F) are as bad in a table as C0 ones; so are line and paragraph separators and what
 * turns the direction of a line (U+2028…U+202E, U+2066…U+2069). */
static bool is_control(const uint8_t *s, unsigned length) {
  if (length == 3 && s[0] == 0xe2)
    return (s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
  return s[0] < 0x20 || s[0] == 0x7f || (length == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

km_status km_name_append(km_buffer *text, size_t at, size_t *end, const char *name, size_t n_name) {
  const uint8_t *s = (const uint8_t *)name;
  size_t n = n_name < NAME_MAX_SHOWN ? n_name : NAME_MAX_SHOWN;
  if (km_buffer_reserve(text, at + 4 * n + 40, at))
    return KM_ERR_NOMEM;
  char *out = (char *)text->bytes + at;
  if (is_plain(s, n)) {
    if (n)
      memcpy(out, name, n);
    out += n;
  } else {
    for (size_t i = 0; i < n;) {
      unsigned length = utf8_length(s + i, n - i);
      if (length && !is_control(s + i, length)) {
        memcpy(out, s + i, length);
        out += length;
        i += length;
      } else {
        out += sprintf(out, "\\x%02X", s[i++]);
      }
    }
  }
  if (n < n_name)
    out += sprintf(out, "…(+%zu bytes)", n_name - n);
  *out = 0;
  *end = (size_t)(out - (char *)text->bytes);
  return KM_OK;
}

bool km_name_is_litter(const char *name, size_t n_name) {
  static const char *const litter[] = {".DS_Store", "Thumbs.db", "ehthumbs.db", "desktop.ini"};
  const char *last = name, *end = name + n_name;
  for (const char *p = name; p < end; p++) {
    if (*p != '/')
      continue;
    if (p - last == 8 && memcmp(last, "__MACOSX", 8) == 0)
      return true;
    if (p + 1 < end)
      last = p + 1;
  }
  size_t n = (size_t)(end - last);
  if (n >= 2 && last[0] == '.' && last[1] == '_')
    return true;
  for (size_t i = 0; i < sizeof litter / sizeof litter[0]; i++)
    if (n == strlen(litter[i]) && strncasecmp(last, litter[i], n) == 0)
      return true;
  return false;
}
