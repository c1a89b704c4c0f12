/* test_text.c: bytes of any encoding → UTF-8. The records are invented; their bytes in each encoding are made
 * by iconv from one UTF-8 text, so that the right answer is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kifumill/hash.h"
#include "kifumill/text.h"

static const char chinese[] = "(;GM[1]SZ[19]EV[全国围棋甲级联赛]PB[李四]PW[王小明]RE[黑中盘胜];B[qd];W[dd])";
static const char traditional[] =
    "(;GM[1]SZ[19]EV[職業圍棋公開賽]PB[陳大文]PW[林國華]RE[白勝三目半];B[qd];W[dd])";
static const char japanese[] =
    "(;GM[1]SZ[19]EV[第三回テスト戦 決勝]PB[山田 太郎]PW[中村 花子]RE[黒中押し勝ち];B[qd])";
static const char korean[] =
    "(;GM[1]SZ[19]EV[제3회 한국 바둑 리그]PB[김철수]PW[이영희]RE[흑 불계승];B[qd];W[dd])";
static const char western[] = "(;GM[1]SZ[19]EV[Für Élise, garçon]PB[Müller]PW[Nuñez]RE[B+R];B[qd];W[dd])";
static const char russian[] =
    "(;GM[1]SZ[19]EV[Чемпионат России по го]PB[Иванов]PW[Петров]RE[B+R];B[qd];W[dd])";

/* UTF-8 text in another encoding; *n_bytes is its length. To be freed. */
static char *encoded(const char *text, const char *encoding, size_t *n_bytes) {
  iconv_t cd = iconv_open(encoding, "UTF-8");
  assert_true(cd != (iconv_t)-1);
  size_t n_in = strlen(text), room = 4 * n_in + 8, n_out = room;
  char *bytes = malloc(room), *in = (char *)(uintptr_t)text, *out = bytes;
  assert_non_null(bytes);
  assert_true(iconv(cd, &in, &n_in, &out, &n_out) != (size_t)-1);
  assert_true(iconv(cd, NULL, NULL, &out, &n_out) != (size_t)-1);
  iconv_close(cd);
  *n_bytes = (size_t)(out - bytes);
  return bytes;
}

static km_decoded decode(km_arena *arena, const char *bytes, size_t n_bytes, const char *declared) {
  km_decoded out;
  km_text_source source = {bytes, n_bytes, declared, NULL, 0};
  assert_int_equal(km_text_decode(NULL, &source, arena, &out, NULL), KM_OK);
  assert_true(km_text_is_utf8(out.bytes, out.n_bytes));
  assert_true(out.n_bytes == 0 || !memchr(out.bytes, 0, out.n_bytes));
  return out;
}

static void check(const char *bytes, size_t n_bytes, const char *declared, const char *text,
                  const char *encoding, int mismatch, uint64_t n_escaped) {
  km_arena arena;
  km_arena_init(&arena);
  km_decoded out = decode(&arena, bytes, n_bytes, declared);
  if (out.n_bytes != strlen(text) || memcmp(out.bytes, text, out.n_bytes) != 0 ||
      strcmp(out.encoding, encoding) || out.mismatch != mismatch || out.n_escaped != n_escaped)
    fail_msg("%s: got %.*s in %s, mismatch %d, escaped %d; CA %s", text, (int)out.n_bytes, out.bytes,
             out.encoding, out.mismatch, (int)out.n_escaped, declared ? declared : "-");
  km_arena_clear(&arena);
}
#define CHECK(bytes, declared, text, encoding, mismatch, n_escaped)                                          \
  check(bytes, sizeof(bytes) - 1, declared, text, encoding, mismatch, n_escaped)

static void test_every_encoding(void **state) {
  (void)state;
  static const struct {
    const char *text, *iconv_name, *declared, *name;
    int guessed; /* also without CA */
  } cases[] = {
      {chinese, "UTF-8", "UTF-8", "UTF-8", 1},
      {chinese, "GBK", "GB2312", "GB18030", 1},
      {chinese, "GB18030", "gb18030", "GB18030", 1},
      {traditional, "BIG5", "Big5", "BIG5", 1},
      {japanese, "CP932", "Shift_JIS", "SHIFT_JIS", 1},
      {japanese, "CP932", "x-sjis", "SHIFT_JIS", 1},
      {japanese, "EUC-JP", "EUC-JP", "EUC-JP", 1},
      {japanese, "ISO-2022-JP", "ISO-2022-JP", "ISO-2022-JP", 1},
      {korean, "CP949", "EUC-KR", "CP949", 1},
      {korean, "CP949", "ks_c_5601-1987", "CP949", 1},
      {western, "ISO-8859-1", "ISO-8859-1", "WINDOWS-1252", 1},
      {western, "CP1252", "windows-1252", "WINDOWS-1252", 1},
      {western, "MACINTOSH", "macintosh", "MACINTOSH", 0},
      {western, "ISO-8859-15", "latin9", "ISO-8859-15", 0},
      {russian, "CP1251", "windows-1251", "WINDOWS-1251", 1},
      {russian, "KOI8-R", "KOI8-R", "KOI8-R", 1},
      {russian, "ISO-8859-5", "ISO-8859-5", "ISO-8859-5", 0},
      {russian, "CP866", "IBM866", "IBM866", 0}, /* one that only iconv knows */
      {korean, "UTF-16LE", NULL, "UTF-16LE", 1},
      {chinese, "UTF-16BE", NULL, "UTF-16BE", 1},
      {western, "UTF-16LE", NULL, "UTF-16LE", 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t n;
    char *bytes = encoded(cases[i].text, cases[i].iconv_name, &n);
    check(bytes, n, cases[i].declared, cases[i].text, cases[i].name, 0, 0);
    if (cases[i].guessed) {
      int is_unicode = strncmp(cases[i].name, "UTF", 3) == 0;
      check(bytes, n, NULL, cases[i].text, cases[i].name, 0, 0);
      if (!is_unicode && strcmp(cases[i].name, "ISO-2022-JP") != 0)
        check(bytes, n, "UTF-8", cases[i].text, cases[i].name, 1, 0);
    }
    free(bytes);
  }
}

/* Korean whose bytes hold two characters of UTF-8: CA is true, so it counts. */
static void test_true_two_byte_text_is_no_damaged_utf8(void **state) {
  (void)state;
  const char *text = "(;PB[쵬과핼사굳짼]PW[쵬과핼사굳짼])";
  size_t n;
  char *bytes = encoded(text, "CP949", &n);
  check(bytes, n, "EUC-KR", text, "CP949", 0, 0);
  free(bytes);
}

static void test_marks(void **state) {
  (void)state;
  CHECK("\xef\xbb\xbf(;SZ[9])", NULL, "(;SZ[9])", "UTF-8", 0, 0);
  CHECK("\xff\xfe(\0;\0)\0", NULL, "(;)", "UTF-16LE", 0, 0);
  CHECK("\xfe\xff\0(\0;\0)", NULL, "(;)", "UTF-16BE", 0, 0);
  CHECK("\xff\xfe\0\0(\0\0\0;\0\0\0", NULL, "(;", "UTF-32LE", 0, 0);
  CHECK("\0\0\xfe\xff\0\0\0(\0\0\0;", NULL, "(;", "UTF-32BE", 0, 0);
  CHECK("\xff\xfe\x34\xd8\x1e\xdd", NULL, "\xf0\x9d\x84\x9e", "UTF-16LE", 0, 0); /* a surrogate pair */
  CHECK("\xff\xfe(\0\x34\xd8)\0", NULL, "(\\x34\\xD8)", "UTF-16LE", 0, 2);       /* half of one */
  CHECK("\xff\xfe(\0;", NULL, "(\\x3B", "UTF-16LE", 0, 1);                       /* half a unit */
  CHECK("\xff\xfe", NULL, "", "UTF-16LE", 0, 0);
  CHECK("\xef\xbb\xbf", NULL, "", "UTF-8", 0, 0);
  CHECK("\xef\xbb\xbf(\xff)", NULL, "(\\xFF)", "UTF-8", 0, 1);
}

static void test_ascii_and_nuls(void **state) {
  (void)state;
  CHECK("", NULL, "", "US-ASCII", 0, 0);
  CHECK("(;B[aa])", NULL, "(;B[aa])", "US-ASCII", 0, 0);
  CHECK("(;B[aa])", "Big5", "(;B[aa])", "US-ASCII", 0, 0); /* true of any superset */
  CHECK("(;C[a\0b])\0\0\0", NULL, "(;C[ab])", "US-ASCII", 0, 0);
  CHECK("\0\0\0\0", NULL, "", "US-ASCII", 0, 0);
  CHECK("(;PB[\0\xe6\x9d\x8e])", NULL, "(;PB[\xe6\x9d\x8e])", "UTF-8", 0, 0);
  CHECK("(;PB[\xc0\xee\0\xcb\xc4\xd3\xd0])", "GBK", "(;PB[李四有])", "GB18030", 0, 0);
  CHECK("(;C[\x1b(B tea])", NULL, "(;C[\x1b(B tea])", "US-ASCII", 0, 0);
}

/* The bytes of the cases P41 (CA says UTF-8, bytes are GBK), P42 (no CA, Shift-JIS) and of odd CA values. */
static void test_mismatch(void **state) {
  (void)state;
  CHECK("(;CA[UTF-8]EV[\xb2\xe2\xca\xd4])", "UTF-8", "(;CA[UTF-8]EV[测试])", "GB18030", 1, 0);
  CHECK("(;GM[1]EV[\x8a\xfb\x90\xb9]PB[P1])", NULL, "(;GM[1]EV[棋聖]PB[P1])", "SHIFT_JIS", 0, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "Shift_JIS", "(;PB[李四])", "UTF-8", 1, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "ISO-8859-1", "(;PB[李四])", "UTF-8", 1, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "utf-8;", "(;PB[李四])", "UTF-8", 0, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "no such thing!", "(;PB[李四])", "UTF-8", 1, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "UTF-7", "(;PB[李四])", "UTF-8", 1, 0);
  CHECK("(;PB[\xe6\x9d\x8e\xe5\x9b\x9b])", "EBCDIC-US", "(;PB[李四])", "UTF-8", 1, 0);
  CHECK("(;PB[M\xfcller])", "US-ASCII", "(;PB[Müller])", "WINDOWS-1252", 1, 0);
  CHECK("(;EV[\xc8\xab\xb9\xfa\xc8\xfc]PB[\xc0\xee\xcb\xc4])", "ISO-8859-1", "(;EV[全国赛]PB[李四])",
        "GB18030", 1, 0);
}

/* The damage of one server: bytes 81, 8D, 8F, 90 and 9D of UTF-8 became '?'. What is whole stays. */
static void test_damage(void **state) {
  (void)state;
  CHECK("(;PB[\xe5\xbc\xa0\xe6?\x8e\xe5\x9b\x9b\xe6\x9c?])", NULL, "(;PB[张\\xE6?\\x8E四\\xE6\\x9C?])",
        "UTF-8", 0, 4);
  CHECK("(;PB[\xe5\xbc\xa0\xe6?\x8e\xe5\x9b\x9b])", "UTF-8", "(;PB[张\\xE6?\\x8E四])", "UTF-8", 0, 2);
  CHECK("(;PB[\xe3?\xbd\xe3?\x93\xe3?\xbd])", NULL, "(;PB[\\xE3?\\xBD\\xE3?\\x93\\xE3?\\xBD])", "UTF-8", 0,
        6);
  /* a byte cut off before the bracket costs itself only */
  CHECK("(;EV[\xc8\xab\xb9\xfa\xce\xa7\xc6\xe5\xc8\xfc]PB[\xc0\xee\xff];B[aa])", NULL,
        "(;EV[全国围棋赛]PB[李\\xFF];B[aa])", "GB18030", 0, 1);
  /* nothing explains these */
  CHECK("(;C[\x81 \x8d \x8f \x90 \x9d])", NULL, "(;C[\\x81 \\x8D \\x8F \\x90 \\x9D])", "unknown", 0, 5);
}

static void test_escapes_for_sgf(void **state) {
  (void)state;
  static const char bytes[] = "(;C[\xe6\x9d\x8e\xe5\x9b\x9b\xff])";
  km_arena arena;
  km_decoded out;
  km_text_source source = {bytes, sizeof bytes - 1, NULL, NULL, 1};
  km_arena_init(&arena);
  assert_int_equal(km_text_decode(NULL, &source, &arena, &out, NULL), KM_OK);
  assert_int_equal(out.n_bytes, strlen("(;C[李四\\\\xFF])"));
  assert_memory_equal(out.bytes, "(;C[李四\\\\xFF])", out.n_bytes);
  km_arena_clear(&arena);
}

/* The user's fallback decides where nothing else does. */
static void test_fallback(void **state) {
  (void)state;
  static const char bytes[] = "(;PB[\xd6\xea\xef])"; /* three letters of any alphabet */
  km_arena arena;
  km_decoded out;
  km_arena_init(&arena);
  km_text_source source = {bytes, sizeof bytes - 1, NULL, "windows-1251", 0};
  assert_int_equal(km_text_decode(NULL, &source, &arena, &out, NULL), KM_OK);
  assert_string_equal(out.encoding, "WINDOWS-1251");
  assert_memory_equal(out.bytes, "(;PB[Цкп])", out.n_bytes);
  source.fallback = "no such encoding";
  assert_int_equal(km_text_decode(NULL, &source, &arena, &out, NULL), KM_OK);
  assert_true(km_text_is_utf8(out.bytes, out.n_bytes));
  km_arena_clear(&arena);
}

/* Unchanged text is not copied. */
static void test_borrows(void **state) {
  (void)state;
  km_arena arena;
  km_arena_init(&arena);
  km_decoded out = decode(&arena, chinese, sizeof chinese - 1, NULL);
  assert_ptr_equal(out.bytes, chinese);
  assert_true(out.same_offsets);
  km_arena_clear(&arena);
}

/* A decoder may be used for one record after another of any encoding. */
static void test_decoder_reuse(void **state) {
  (void)state;
  static const struct {
    const char *text, *encoding;
  } cases[] = {{chinese, "GB18030"}, {japanese, "CP932"}, {korean, "CP949"},  {traditional, "BIG5"},
               {western, "CP1252"},  {russian, "CP1251"}, {chinese, "UTF-8"}, {russian, "CP866"}};
  km_text_decoder *decoder = km_text_decoder_new();
  km_arena arena;
  assert_non_null(decoder);
  km_arena_init(&arena);
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      size_t n;
      char *bytes = encoded(cases[i].text, cases[i].encoding, &n);
      km_decoded out;
      km_text_source source = {bytes, n, cases[i].encoding, NULL, 0};
      assert_int_equal(km_text_decode(decoder, &source, &arena, &out, NULL), KM_OK);
      assert_int_equal(out.n_bytes, strlen(cases[i].text));
      assert_memory_equal(out.bytes, cases[i].text, out.n_bytes);
      free(bytes);
    }
  km_text_decoder_free(decoder);
  km_text_decoder_free(NULL);
  km_arena_clear(&arena);
}

/* ---- positions ---- */

/* Origins ascend, begin at the first byte that gave text, end at the end; a character of ASCII is found
 * again; from any place before it a place is found as from the beginning. */
static void check_origins(const char *bytes, size_t n_bytes) {
  km_arena arena;
  km_decoded out;
  km_text_source source = {bytes, n_bytes, NULL, NULL, 1};
  km_arena_init(&arena);
  assert_int_equal(km_text_decode(NULL, &source, &arena, &out, NULL), KM_OK);
  size_t width = strncmp(out.encoding, "UTF-16", 6) == 0 ? 2 : 1;
  uint64_t before = 0;
  km_text_mark mark = {0, 0};
  for (size_t pos = 0; pos < out.n_bytes; pos++) {
    uint64_t origin = km_text_origin(&source, &out, pos);
    assert_true(origin >= before && origin < n_bytes);
    assert_int_equal(km_text_origin_from(&source, &out, mark, pos, &mark), origin);
    const char *at = bytes + origin + (bytes[origin] == 0x0f); /* ISO-2022-KR: back to ASCII */
    if (strchr("(;[]", out.bytes[pos]))
      assert_true(at[0] == out.bytes[pos] || (width == 2 && at[1] == out.bytes[pos]));
    before = origin;
  }
  assert_int_equal(km_text_origin(&source, &out, out.n_bytes), n_bytes);
  km_arena_clear(&arena);
}

#define CHECK_ORIGINS(bytes) check_origins(bytes, sizeof(bytes) - 1)

static void test_origin(void **state) {
  (void)state;
  static const char *const encodings[] = {"UTF-8", "GB18030",  "GBK",     "EUC-KR",
                                          "CP949", "UTF-16LE", "UTF-16BE"};
  for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++) {
    size_t n;
    char *bytes = encoded(i == 3 || i == 4 ? korean : chinese, encodings[i], &n);
    check_origins(bytes, n);
    free(bytes);
  }
  size_t n;
  char *bytes = encoded(japanese, "CP932", &n);
  check_origins(bytes, n);
  free(bytes);
  CHECK_ORIGINS("\xef\xbb\xbf(;PB[\xe6\x9d\x8e])");
  CHECK_ORIGINS("\0(;\0PB[\xff\xe6\x9d\x8e\xe6\x9d\x8e]\0)");
  CHECK_ORIGINS("(;PB[\x1b$B0f;3M5B@\x1b(B]PW[x])\n(;PB[\x1b$BK\x30xK7@o\x1b(B];B[cc])");
  CHECK_ORIGINS("(;PB[\x1b$)C\x0e@L<<59\x0f]PW[x])\n(;PB[\x0e@L<<59\x0f];B[cc]PW[\x0e@L\x0f])");
  CHECK_ORIGINS("(;C[\x81 \x8d \x8f \x90 \x9d])");
}

/* ---- validators against slow, obvious ones ---- */

/* The definition of Unicode 15, table 3-7, as a table. */
static int slow_is_utf8(const unsigned char *p, size_t n) {
  static const struct {
    unsigned char lead_low, lead_high, second_low, second_high;
    int n_more;
  } rows[] = {{0x00, 0x7f, 0, 0, 0},       {0xc2, 0xdf, 0x80, 0xbf, 1}, {0xe0, 0xe0, 0xa0, 0xbf, 2},
              {0xe1, 0xec, 0x80, 0xbf, 2}, {0xed, 0xed, 0x80, 0x9f, 2}, {0xee, 0xef, 0x80, 0xbf, 2},
              {0xf0, 0xf0, 0x90, 0xbf, 3}, {0xf1, 0xf3, 0x80, 0xbf, 3}, {0xf4, 0xf4, 0x80, 0x8f, 3}};
  while (n) {
    size_t row = 0;
    while (row < 9 && (p[0] < rows[row].lead_low || p[0] > rows[row].lead_high))
      row++;
    if (row == 9 || n < 1 + (size_t)rows[row].n_more)
      return 0;
    for (int k = 1; k <= rows[row].n_more; k++)
      if (k == 1 ? p[1] < rows[row].second_low || p[1] > rows[row].second_high : (p[k] & 0xc0) != 0x80)
        return 0;
    p += 1 + rows[row].n_more;
    n -= 1 + (size_t)rows[row].n_more;
  }
  return 1;
}

/* Every sequence of three bytes that begins with a byte above 0x7f, alone and behind 61 letters. */
static void test_utf8_exhaustive(void **state) {
  (void)state;
  unsigned char text[64];
  memset(text, 'a', sizeof text);
  for (unsigned a = 0x80; a < 0x100; a++)
    for (unsigned b = 0; b < 0x100; b++)
      for (unsigned c = 0x70; c < 0x100; c += 5) {
        text[61] = (unsigned char)a;
        text[62] = (unsigned char)b;
        text[63] = (unsigned char)c;
        int want = slow_is_utf8(text + 61, 3);
        if (km_text_is_utf8((char *)text + 61, 3) != want || km_text_is_utf8((char *)text, 64) != want)
          fail_msg("%02X %02X %02X should be %d", a, b, c, want);
      }
}

static void test_validators_random(void **state) {
  (void)state;
  static const unsigned char pool[] = {'a',  'z',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2,
                                       0xdf, 0xe0, 0xe6, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff, 0};
  static const uint64_t seed = 20240131;
  unsigned char text[200];
  print_message("seed %llu\n", (unsigned long long)seed);
  for (uint64_t game = 0; game < 20000; game++) {
    size_t n = km_random_below(km_random(seed, game, 0, KM_PURPOSE_SAMPLE), sizeof text);
    unsigned share = 2 + (unsigned)(game % 40); /* of ASCII */
    int ascii = 1;
    for (size_t i = 0; i < n; i++) {
      uint64_t bits = km_random(seed, game, i + 1, KM_PURPOSE_SAMPLE);
      text[i] = bits % share ? 'x' : pool[(bits >> 32) % sizeof pool];
      ascii &= text[i] < 0x80;
    }
    assert_int_equal(km_text_is_ascii((char *)text, n), ascii);
    assert_int_equal(km_text_is_utf8((char *)text, n), slow_is_utf8(text, n));
  }
}

/* Whatever the bytes: valid UTF-8 without NULs, the same with a decoder that was used before. */
static void test_decode_random(void **state) {
  (void)state;
  static const uint64_t seed = 7;
  static const char *const declared[] = {NULL,   "UTF-8",  "GBK",        "Shift_JIS",
                                         "Big5", "EUC-KR", "ISO-8859-1", "utf-16"};
  km_text_decoder *decoder = km_text_decoder_new();
  km_arena arena;
  char bytes[120];
  print_message("seed %llu\n", (unsigned long long)seed);
  assert_non_null(decoder);
  km_arena_init(&arena);
  for (uint64_t game = 0; game < 4000; game++) {
    size_t n = km_random_below(km_random(seed, game, 0, KM_PURPOSE_SAMPLE), sizeof bytes);
    for (size_t i = 0; i < n; i++) {
      uint64_t bits = km_random(seed, game, i + 1, KM_PURPOSE_SAMPLE);
      bytes[i] = bits & 1 ? "(;B[a])\\ \0x"[bits / 2 % 11] : (char)(bits >> 8);
    }
    km_decoded fresh = decode(&arena, bytes, n, declared[game % 8]), used;
    km_text_source source = {bytes, n, declared[game % 8], NULL, 0};
    assert_int_equal(km_text_decode(decoder, &source, &arena, &used, NULL), KM_OK);
    assert_string_equal(fresh.encoding, used.encoding);
    assert_int_equal(fresh.n_bytes, used.n_bytes);
    assert_memory_equal(fresh.bytes, used.bytes, fresh.n_bytes);
    assert_int_equal(km_text_origin(&source, &used, used.n_bytes), n);
    km_arena_reset(&arena);
  }
  km_text_decoder_free(decoder);
  km_arena_clear(&arena);
}

static void test_hides_syntax(void **state) {
  (void)state;
  static const char *const hide[] = {"Shift_JIS", "cp932",    "Big5",        "GBK",   "GB18030",   "gb2312",
                                     "UTF-16",    "UTF-16LE", "ISO-2022-JP", "johab", "some-other"};
  static const char *const plain[] = {"UTF-8",  "utf8",       "US-ASCII",     "EUC-KR", "CP949",
                                      "EUC-JP", "ISO-8859-1", "windows-1252", "KOI8-R", "unknown"};
  for (size_t i = 0; i < sizeof hide / sizeof hide[0]; i++)
    assert_int_equal(km_text_hides_syntax(hide[i]), 1);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
    assert_int_equal(km_text_hides_syntax(plain[i]), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_encoding), cmocka_unit_test(test_true_two_byte_text_is_no_damaged_utf8),  cmocka_unit_test(test_marks),
      cmocka_unit_test(test_ascii_and_nuls),  cmocka_unit_test(test_mismatch),
      cmocka_unit_test(test_damage),          cmocka_unit_test(test_escapes_for_sgf),
      cmocka_unit_test(test_fallback),        cmocka_unit_test(test_borrows),
      cmocka_unit_test(test_decoder_reuse),   cmocka_unit_test(test_origin),
      cmocka_unit_test(test_utf8_exhaustive), cmocka_unit_test(test_validators_random),
      cmocka_unit_test(test_decode_random),   cmocka_unit_test(test_hides_syntax),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
