/* text.c: bytes of unknown encoding → UTF-8. See text.h for the order of the guesses.
 *
 * Guarantees: the output is strictly valid UTF-8 without NULs. A byte that the encoding cannot explain
 * becomes \xNN and is counted; what is around it is decoded. Nearly all records are ASCII or UTF-8 and cost
 * one pass that looks at 32 bytes at a time and copies nothing. Runs of ASCII never go through iconv. */
#include "kifumill/text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <uchardet/uchardet.h>

#include "charset.h"
#include "encoding.h"

struct km_text_decoder {
  km_converters converters;
  uchardet_t detector; /* NULL until needed */
  int has_frequent;
  km_frequent frequent;
};

km_text_decoder *km_text_decoder_new(void) {
  km_text_decoder *decoder = malloc(sizeof *decoder);
  if (decoder) {
    km_converters_init(&decoder->converters);
    decoder->detector = NULL;
    decoder->has_frequent = 0;
  }
  return decoder;
}

void km_text_decoder_free(km_text_decoder *decoder) {
  if (!decoder)
    return;
  km_converters_clear(&decoder->converters);
  if (decoder->detector)
    uchardet_delete(decoder->detector);
  free(decoder);
}

/* Bytes before the first one above 0x7f. The compiler makes vector code of the inner loop. */
static size_t ascii_run(const char *bytes, size_t n_bytes) {
  size_t i = 0;
  for (; i + 64 <= n_bytes; i += 64) {
    uint64_t word[8], any = 0;
    memcpy(word, bytes + i, sizeof word);
    for (int k = 0; k < 8; k++)
      any |= word[k];
    if (any & 0x8080808080808080u)
      break;
  }
  while (i < n_bytes && (signed char)bytes[i] >= 0)
    i++;
  return i;
}

int km_text_is_ascii(const char *bytes, size_t n_bytes) {
  return ascii_run(bytes, n_bytes) == n_bytes;
}

int km_text_is_utf8(const char *bytes, size_t n_bytes) {
  const char *p = bytes, *end = bytes + n_bytes;
  while (p < end) {
    p += ascii_run(p, (size_t)(end - p));
    while (p < end && (signed char)*p < 0) {
      size_t n = km_utf8_character(p, end);
      if (n == 0)
        return 0;
      p += n;
    }
  }
  return 1;
}

int km_text_hides_syntax(const char *encoding) {
  if (strcmp(encoding, "unknown") == 0)
    return 0;
  return (km_encoding_flags(km_encoding_find(encoding)) & KM_ENC_HIDES) != 0;
}

int km_text_encoding_known(const char *encoding) {
  km_encoding_id id = km_encoding_find(encoding);
  km_converters converters;
  if (id == KM_ENC_NONE || (id != KM_ENC_OTHER && (km_encoding_flags(id) & KM_ENC_WIDE)))
    return 0;
  km_converters_init(&converters);
  int known = km_converters_get(&converters, id, encoding) != (iconv_t)-1;
  km_converters_clear(&converters);
  return known;
}

/* ---- output ---- */

/* Where decoded text goes: to the arena, or (arena NULL) nowhere, to find out how far limit bytes reach. */
typedef struct sink {
  km_arena *arena;
  char *bytes;
  size_t n_bytes, capacity;
  uint64_t limit; /* stops (full) before a character that would go beyond */
  uint64_t n_escaped;
  int escape_for_sgf, full, no_memory;
} sink;

static size_t room(const sink *out) {
  uint64_t left = out->limit - out->n_bytes;
  return left < SIZE_MAX ? (size_t)left : SIZE_MAX;
}

/* Appends n bytes, all or nothing; 0 when the sink is full or memory is out. */
static int put(sink *out, const char *bytes, size_t n) {
  if (n > room(out)) {
    out->full = 1;
    return 0;
  }
  if (out->arena) {
    if (n > out->capacity - out->n_bytes) {
      size_t capacity = out->capacity + (out->capacity > n ? out->capacity : n) + 64;
      char *grown = km_arena_grow(out->arena, out->bytes, out->capacity, capacity);
      if (!grown) {
        out->no_memory = out->full = 1;
        return 0;
      }
      out->bytes = grown;
      out->capacity = capacity;
    }
    memcpy(out->bytes + out->n_bytes, bytes, n);
  }
  out->n_bytes += n;
  return 1;
}

static int put_escaped(sink *out, char byte) {
  static const char hex[] = "0123456789ABCDEF";
  unsigned char c = (unsigned char)byte;
  const char text[5] = {'\\', '\\', 'x', hex[c >> 4], hex[c & 15]};
  int skip = !out->escape_for_sgf;
  if (!put(out, text + skip, sizeof text - (size_t)skip))
    return 0;
  out->n_escaped++;
  return 1;
}

/* ASCII up to the next byte above 0x7f, without NULs; returns where it stopped. */
static const char *put_ascii(sink *out, const char *p, const char *end) {
  const char *stop = p + ascii_run(p, (size_t)(end - p));
  while (p < stop) {
    const char *nul = memchr(p, 0, (size_t)(stop - p));
    size_t n = (size_t)((nul ? nul : stop) - p), n_fit = n < room(out) ? n : room(out);
    if (n_fit && !put(out, p, n_fit))
      return p;
    p += n_fit;
    if (n_fit < n) {
      out->full = 1;
      return p;
    }
    p += nul != NULL;
  }
  return p;
}

/* ---- decoders: each returns where it stopped, end unless the sink is full ---- */

static const char *decode_utf8(sink *out, const char *p, const char *end) {
  while (p < end && !out->full) {
    p = put_ascii(out, p, end);
    while (p < end && (signed char)*p < 0) {
      size_t n = km_utf8_character(p, end);
      if (!(n ? put(out, p, n) : put_escaped(out, *p)))
        return p;
      p += n ? n : 1;
    }
  }
  return p;
}

static const char *decode_escaping(sink *out, const char *p, const char *end) {
  while (p < end && !out->full) {
    p = put_ascii(out, p, end);
    for (; p < end && (signed char)*p < 0; p++)
      if (!put_escaped(out, *p))
        return p;
  }
  return p;
}

/* Bytes of the UTF-8 of a code point. */
static size_t encode(uint32_t c, char text[4]) {
  if (c < 0x80) {
    text[0] = (char)c;
    return 1;
  }
  size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (size_t i = n - 1; i > 0; i--, c >>= 6)
    text[i] = (char)(0x80 | (c & 0x3f));
  text[0] = (char)((0xf00u >> n & 0xff) | c);
  return n;
}

static uint32_t unit_at(const char *p, size_t width, int big) {
  uint32_t v = 0;
  for (size_t i = 0; i < width; i++)
    v = v << 8 | (unsigned char)p[big ? i : width - 1 - i];
  return v;
}

/* UTF-16 (width 2) and UTF-32 (4). */
static const char *decode_wide(sink *out, const char *p, const char *end, size_t width, int big) {
  while (p < end) {
    size_t n = (size_t)(end - p) < width ? (size_t)(end - p) : width;
    uint32_t c = n == width ? unit_at(p, width, big) : 0xd800;
    if (width == 2 && c >= 0xd800 && c < 0xdc00 && end - p >= 4) {
      uint32_t low = unit_at(p + 2, 2, big);
      if (low >= 0xdc00 && low < 0xe000) {
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        n = 4;
      }
    }
    char text[4];
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
      uint64_t left = room(out);
      if (left < n * (out->escape_for_sgf ? 5u : 4u)) {
        out->full = 1;
        return p;
      }
      for (size_t i = 0; i < n; i++)
        put_escaped(out, p[i]);
    } else if (c && !put(out, text, encode(c, text))) {
      return p;
    }
    if (out->no_memory)
      return p;
    p += n;
  }
  return p;
}

/* One stretch through iconv; what it cannot read is escaped byte by byte. */
static const char *convert_stretch(sink *out, const char *p, const char *end, iconv_t cd) {
  while (p < end && !out->full) {
    char buffer[1024], *from = (char *)(uintptr_t)p, *to = buffer;
    size_t n_from = (size_t)(end - p), n_to = room(out) < sizeof buffer ? room(out) : sizeof buffer;
    /* iconv reads far ahead: it is given no more than there can be room for */
    int is_part = n_to < sizeof buffer && n_from > n_to * 8 + 64;
    n_from = is_part ? n_to * 8 + 64 : n_from;
    size_t result = iconv(cd, &from, &n_from, &to, &n_to);
    int failure = result == (size_t)-1 ? errno : 0;
    if (to > buffer && !put(out, buffer, (size_t)(to - buffer)))
      return p;
    const char *reached = from;
    if (failure == E2BIG && to == buffer) {
      out->full = 1;
      return reached;
    }
    p = reached;
    if (failure && failure != E2BIG && !(is_part && failure == EINVAL)) { /* a part may end inside a character */
      if (p == end || !put_escaped(out, *p))
        return p;
      p++;
      iconv(cd, NULL, NULL, NULL, NULL);
    }
  }
  return p;
}

static const char *decode_iconv(sink *out, const char *p, const char *end, iconv_t cd, int stateful) {
  while (p < end && !out->full) {
    if (stateful) { /* between NULs; those far behind what there is room for do not matter */
      size_t n = (size_t)(end - p);
      const char *nul = memchr(p, 0, room(out) < n / 16 ? room(out) * 16 : n);
      p = convert_stretch(out, p, nul ? nul : end, cd);
      p += p < end && !*p && !out->full;
      continue;
    }
    p = put_ascii(out, p, end);
    if (p < end && !out->full)
      p = convert_stretch(out, p, km_stretch_end(p, end), cd);
  }
  return p;
}

/* ---- the guess ---- */

/* An encoding: id, and the name where it is none of the table's. */
typedef struct guess {
  km_encoding_id id;
  const char *name;
} guess;

static const char *decode_as(sink *out, const char *p, const char *end, guess g, km_converters *converters) {
  switch (g.id) {
  case KM_ENC_UTF8:
  case KM_ENC_ASCII:
    return decode_utf8(out, p, end);
  case KM_ENC_UTF16LE:
  case KM_ENC_UTF16BE:
    return decode_wide(out, p, end, 2, g.id == KM_ENC_UTF16BE);
  case KM_ENC_UTF32LE:
  case KM_ENC_UTF32BE:
    return decode_wide(out, p, end, 4, g.id == KM_ENC_UTF32BE);
  case KM_ENC_NONE:
    return decode_escaping(out, p, end);
  default: {
    iconv_t cd = km_converters_get(converters, g.id, g.name);
    if (cd == (iconv_t)-1)
      return decode_escaping(out, p, end);
    return decode_iconv(out, p, end, cd, (km_encoding_flags(g.id) & KM_ENC_STATEFUL) != 0);
  }
  }
}

/* The encoding that a byte order mark names, and the mark's length; NONE without one. */
static km_encoding_id find_bom(const char *bytes, size_t n_bytes, size_t *n_bom) {
  static const struct {
    const char *bytes;
    uint8_t n;
    km_encoding_id id;
  } marks[] = {{"\xef\xbb\xbf", 3, KM_ENC_UTF8},
               {"\xff\xfe\0\0", 4, KM_ENC_UTF32LE},
               {"\0\0\xfe\xff", 4, KM_ENC_UTF32BE},
               {"\xff\xfe", 2, KM_ENC_UTF16LE},
               {"\xfe\xff", 2, KM_ENC_UTF16BE}};
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
    if (n_bytes >= marks[i].n && memcmp(bytes, marks[i].bytes, marks[i].n) == 0) {
      *n_bom = marks[i].n;
      return marks[i].id;
    }
  *n_bom = 0;
  return KM_ENC_NONE;
}

/* UTF-16 and UTF-32 without a mark: most units are ASCII beside NULs, always on the same side. */
static km_encoding_id find_wide(const char *bytes, size_t n_bytes) {
  size_t n_units = n_bytes / 2 < 4096 ? n_bytes / 2 : 4096, little = 0, big = 0;
  size_t n_quads = n_units / 2, little4 = 0, big4 = 0;
  for (size_t i = 0; i < n_quads; i++) {
    const char *q = bytes + 4 * i;
    little4 += q[0] > 0 && !q[1] && !q[2] && !q[3];
    big4 += !q[0] && !q[1] && !q[2] && q[3] > 0;
  }
  if (n_quads && (little4 + big4) * 2 >= n_quads && (!little4 || !big4))
    return little4 ? KM_ENC_UTF32LE : KM_ENC_UTF32BE;
  for (size_t i = 0; i < n_units; i++) {
    char a = bytes[2 * i], b = bytes[2 * i + 1];
    little += a > 0 && b == 0;
    big += a == 0 && b > 0;
  }
  if (n_units < 2 || (little + big) * 2 < n_units)
    return KM_ENC_NONE;
  if (little >= 16 * big)
    return KM_ENC_UTF16LE;
  return big >= 16 * little ? KM_ENC_UTF16BE : KM_ENC_NONE;
}

/* Whether bytes that are no valid UTF-8 are so by damage only: whole characters of three bytes abound, which
 * chance makes in one of fifty places. A lead, "?" and a continuation is a character too, of which a program
 * could not show the second byte; no other encoding has such a sequence. */
static int is_damaged_utf8(const char *bytes, size_t n_bytes) {
  const char *p = bytes, *end = bytes + n_bytes;
  size_t n_good = 0, n_bad = 0;
  while (p < end) {
    p += ascii_run(p, (size_t)(end - p));
    while (p < end && (signed char)*p < 0) {
      size_t n = km_utf8_character(p, end);
      int is_hurt = n == 0 && end - p >= 3 && ((unsigned char)*p >> 4) == 0xe && p[1] == '?' &&
                    ((unsigned char)p[2] >> 6) == 2;
      n_good += n >= 3 || is_hurt;
      n_bad += n == 0 && !is_hurt;
      p += n ? n : is_hurt ? 3 : 1;
    }
  }
  return n_good >= 2 && n_good * 3 >= n_bad;
}

static const char *detect(km_text_decoder *decoder, const char *bytes, size_t n_bytes) {
  if (!decoder->detector)
    decoder->detector = uchardet_new();
  if (!decoder->detector)
    return "";
  uchardet_reset(decoder->detector);
  if (uchardet_handle_data(decoder->detector, bytes, n_bytes) != 0)
    return "";
  uchardet_data_end(decoder->detector);
  return uchardet_get_charset(decoder->detector);
}

/* Whether the encoding explains every byte. */
static int strictly(km_text_decoder *decoder, const char *bytes, size_t n_bytes, guess g) {
  sink out = {.limit = UINT64_MAX};
  if (g.id == KM_ENC_NONE ||
      (g.id != KM_ENC_UTF8 && km_converters_get(&decoder->converters, g.id, g.name) == (iconv_t)-1))
    return 0;
  decode_as(&out, bytes, bytes + n_bytes, g, &decoder->converters);
  return out.n_escaped == 0;
}

typedef struct contest {
  km_text_decoder *decoder;
  km_sample sample;
  double best_cost;
  guess best;
} contest;

static double cost_of(contest *c, guess g) {
  if (g.id == KM_ENC_NONE || g.id == KM_ENC_ASCII || (km_encoding_flags(g.id) & KM_ENC_WIDE))
    return KM_COST_MAX;
  if (!c->decoder->has_frequent) {
    km_frequent_init(&c->decoder->frequent);
    c->decoder->has_frequent = 1;
  }
  iconv_t cd = g.id == KM_ENC_UTF8 ? (iconv_t)-1 : km_converters_get(&c->decoder->converters, g.id, g.name);
  return km_charset_cost(&c->sample, g.id, cd, &c->decoder->frequent);
}

/* Enters an encoding; trust below 1 makes it cheaper. */
static void enter(contest *c, guess g, double trust) {
  double cost = cost_of(c, g) * trust;
  if (cost < c->best_cost) {
    c->best_cost = cost;
    c->best = g;
  }
}

static guess named(const char *name) {
  guess g = {name ? km_encoding_find(name) : KM_ENC_NONE, name};
  return g;
}

/* Random bytes cost about this many bits each; a reading that costs as much explains nothing. */
static const double no_explanation = 9.5;
/* Below this many bytes above 0x7f libuchardet names any of thirty alphabets. */
static const size_t enough_for_detector = 12;

/* Whether there are few bytes above 0x7f and each stands alone: characters of two bytes come in runs of such. */
static int has_lone_bytes(const km_sample *sample) {
  for (size_t i = 1; i < sample->n_bytes; i++)
    if ((signed char)sample->bytes[i] < 0 && (signed char)sample->bytes[i - 1] < 0)
      return 0;
  return sample->n_high < 4;
}

/* Whether to believe CA: the bytes must be true to it, and no other encoding that they are also true to may
 * explain them much better: an encoding of single bytes fits anything. */
static int is_declared_honoured(contest *c, const km_text_source *source, guess declared) {
  double cost = cost_of(c, declared);
  if (cost >= KM_COST_MAX || !strictly(c->decoder, source->bytes, source->n_bytes, declared))
    return 0;
  int is_wide = (km_encoding_flags(declared.id) & KM_ENC_CJK) != 0,
      is_best_wide = (km_encoding_flags(c->best.id) & KM_ENC_CJK) != 0;
  /* what the declared one may cost: of two of several bytes, the wrong one costs about half as much again */
  double allowance = !is_best_wide ? 1.5 : is_wide ? 1.35 : 1.15;
  if (!is_wide && is_best_wide && has_lone_bytes(&c->sample))
    return 1; /* "O\x92Brien": a letter or two are no evidence against CA */
  return c->best.id == KM_ENC_NONE || cost <= c->best_cost * allowance ||
         !strictly(c->decoder, source->bytes, source->n_bytes, c->best);
}

/* The encoding of bytes that are no valid UTF-8. */
static guess choose(km_text_decoder *decoder, const km_text_source *source, guess declared) {
  static const struct {
    km_encoding_id id;
    double trust; /* records in EUC-JP are rare */
  } usual[] = {{KM_ENC_UTF8, 1},     {KM_ENC_GB18030, 1}, {KM_ENC_BIG5, 1.02}, {KM_ENC_SHIFT_JIS, 1},
               {KM_ENC_EUC_JP, 1.07}, {KM_ENC_CP949, 1},   {KM_ENC_CP1252, 1}};
  contest c = {.decoder = decoder, .best_cost = no_explanation, .best = {KM_ENC_NONE, NULL}};
  km_sample_take(&c.sample, source->bytes, source->n_bytes);
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    enter(&c, (guess){usual[i].id, NULL}, usual[i].trust);
  if (c.sample.n_high >= enough_for_detector)
    enter(&c, named(detect(decoder, source->bytes, source->n_bytes)), 0.92);
  enter(&c, named(source->fallback), 0.8);
  if (is_declared_honoured(&c, source, declared))
    return declared;
  if (c.best.id == KM_ENC_NONE && source->fallback) {
    guess fallback = named(source->fallback);
    if (!(km_encoding_flags(fallback.id) & KM_ENC_WIDE) && fallback.id != KM_ENC_NONE &&
        strictly(decoder, source->bytes, source->n_bytes, fallback))
      return fallback;
  }
  enter(&c, declared, 0.9);
  return c.best;
}

static int is_same(guess a, guess b) {
  return a.id == b.id && (a.id != KM_ENC_OTHER || strcasecmp(a.name, b.name) == 0);
}

/* Whether CA names an encoding of two-byte characters that explains the bytes wholly, and better than UTF-8 does: such
 * text may hold a few sequences that look like UTF-8. */
static int is_true_two_byte(km_text_decoder *decoder, const km_text_source *source, guess declared) {
  if (!(km_encoding_flags(declared.id) & KM_ENC_CJK) || !strictly(decoder, source->bytes, source->n_bytes, declared))
    return 0;
  contest c = {.decoder = decoder, .best_cost = KM_COST_MAX};
  km_sample_take(&c.sample, source->bytes, source->n_bytes);
  return cost_of(&c, declared) < cost_of(&c, (guess){KM_ENC_UTF8, NULL});
}

/* The encoding of a record without a mark. *mismatch: CA is wrong. */
static guess find_encoding(km_text_decoder *decoder, const km_text_source *source, int *mismatch) {
  const char *bytes = source->bytes;
  size_t n = source->n_bytes;
  guess declared = named(source->declared), found = {KM_ENC_NONE, NULL};
  if (n && memchr(bytes, 0, n) && (found.id = find_wide(bytes, n)) != KM_ENC_NONE)
    return found;
  if (km_text_is_ascii(bytes, n)) {
    int korean = n && memmem(bytes, n, "\x1b$)C", 4); /* the designation that ISO-2022-KR begins with */
    guess seven_bit = {korean ? KM_ENC_ISO_2022_KR : KM_ENC_ISO_2022_JP, NULL};
    if (n && memmem(bytes, n, "\x1b$", 2) && strictly(decoder, bytes, n, seven_bit))
      return seven_bit;
    return (guess){KM_ENC_ASCII, NULL};
  }
  if (km_text_is_utf8(bytes, n)) {
    found = (guess){KM_ENC_UTF8, NULL};
    if (declared.id != KM_ENC_UTF8 && declared.id < KM_ENC_OTHER) {
      contest c = {.decoder = decoder, .best_cost = KM_COST_MAX};
      km_sample_take(&c.sample, bytes, n);
      enter(&c, found, 0.8);
      if (cost_of(&c, declared) < c.best_cost && strictly(decoder, bytes, n, declared))
        found = declared;
    }
  } else if (is_damaged_utf8(bytes, n) && !is_true_two_byte(decoder, source, declared)) {
    found = (guess){KM_ENC_UTF8, NULL};
  } else {
    found = choose(decoder, source, declared);
  }
  *mismatch = source->declared && *source->declared && !is_same(found, declared);
  return found;
}

static km_status finish(const km_text_source *source, guess g, sink *text, km_arena *arena, km_decoded *out,
                        km_err *err) {
  out->bytes = text->bytes ? text->bytes : "";
  out->n_bytes = text->n_bytes;
  out->n_escaped = text->n_escaped;
  out->same_offsets = 0;
  if (g.id == KM_ENC_OTHER && !text->no_memory) {
    out->encoding = km_arena_strndup(arena, g.name, strlen(g.name));
    text->no_memory |= !out->encoding;
  }
  if (text->no_memory)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to decode %zu bytes of text", source->n_bytes);
  return KM_OK;
}

km_status km_text_decode(km_text_decoder *decoder, const km_text_source *source, km_arena *arena,
                         km_decoded *out, km_err *err) {
  km_text_decoder *own = NULL;
  size_t n_bom;
  if (!decoder && !(decoder = own = km_text_decoder_new()))
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a text decoder");
  *out = (km_decoded){.bytes = source->bytes, .n_bytes = source->n_bytes, .same_offsets = 1};
  guess g = {find_bom(source->bytes, source->n_bytes, &n_bom), NULL};
  if (g.id == KM_ENC_NONE)
    g = find_encoding(decoder, source, &out->mismatch);
  out->encoding = g.id < KM_ENC_COUNT ? km_encoding_name(g.id) : "unknown";
  const char *start = source->bytes + n_bom, *end = source->bytes + source->n_bytes;
  size_t n = source->n_bytes - n_bom;
  km_status status = KM_OK;
  if ((g.id == KM_ENC_ASCII || g.id == KM_ENC_UTF8) && (n == 0 || !memchr(start, 0, n)) &&
      km_text_is_utf8(start, n)) {
    out->bytes = start;
    out->n_bytes = n;
    out->same_offsets = n_bom == 0;
  } else {
    sink text = {.arena = arena, .limit = UINT64_MAX, .escape_for_sgf = source->escape_for_sgf};
    decode_as(&text, start, end, g, &decoder->converters);
    status = finish(source, g, &text, arena, out, err);
  }
  km_text_decoder_free(own);
  return status;
}

/* Whether a stateful encoding that was in ASCII at p is so at end too. */
static int is_in_ascii(km_encoding_id id, const char *p, const char *end) {
  size_t n = (size_t)(end - p);
  if (!(km_encoding_flags(id) & KM_ENC_STATEFUL))
    return 1;
  if (id == KM_ENC_ISO_2022_KR) {
    const char *out = memrchr(p, 0x0e, n), *in = memrchr(p, 0x0f, n);
    return !out || (in && in > out);
  }
  const char *escape = id == KM_ENC_ISO_2022_JP ? memrchr(p, 0x1b, n) : p;
  return !escape || (end - escape >= 3 && escape[1] == '(' && escape[2] == 'B');
}

uint64_t km_text_origin_from(const km_text_source *source, const km_decoded *out, km_text_mark from, uint64_t pos,
                             km_text_mark *here) {
  size_t n_bom;
  if (here)
    *here = from;
  if (pos >= out->n_bytes || out->same_offsets)
    return pos < out->n_bytes ? pos : source->n_bytes;
  find_bom(source->bytes, source->n_bytes, &n_bom);
  const char *start = source->bytes + (from.origin ? from.origin : n_bom);
  if (pos == from.pos && *start) /* a NUL gives no text */
    return (uint64_t)(start - source->bytes);
  guess g = {strcmp(out->encoding, "unknown") == 0 ? KM_ENC_NONE : km_encoding_find(out->encoding), out->encoding};
  km_converters converters;
  km_converters_init(&converters);
  sink text = {.limit = pos - from.pos, .escape_for_sgf = source->escape_for_sgf};
  const char *reached = decode_as(&text, start, source->bytes + source->n_bytes, g, &converters);
  km_converters_clear(&converters);
  uint64_t origin = (uint64_t)(reached - source->bytes);
  if (here && is_in_ascii(g.id, start, reached))
    *here = (km_text_mark){from.pos + text.n_bytes, origin};
  return origin;
}

uint64_t km_text_origin(const km_text_source *source, const km_decoded *out, uint64_t pos) {
  return km_text_origin_from(source, out, (km_text_mark){0, 0}, pos, NULL);
}
