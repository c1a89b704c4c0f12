/* test_sgf_encoding.c: names in encodings whose second bytes are '[', '\' or ']'; several encodings in one
 * file; the whole file in UTF-16; and positions, which are those of the bytes as given. The seed of the
 * mixtures is printed. */
#include <iconv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "sgf_describe.h"

enum { SEED = 20240608, TEXT_MAX = 1 << 16, NAME_MAX_BYTES = 64 };

static uint64_t seed_state = SEED;
static unsigned below(unsigned n) {
  return (unsigned)km_random_below(km_mix64(seed_state++), n);
}

/* Converts n bytes; returns the length, or 0 when they are not in the encoding. */
static size_t convert(const char *to, const char *from, const char *bytes, size_t n, char *out, size_t room) {
  iconv_t converter = iconv_open(to, from);
  assert_true(converter != (iconv_t)-1);
  char *in = (char *)(uintptr_t)bytes, *p = out;
  size_t left = room;
  size_t failed = iconv(converter, &in, &n, &p, &left);
  iconv_close(converter);
  return failed == (size_t)-1 ? 0 : room - left;
}

/* Names as UTF-8; in their encoding most have a second byte that is '[', '\' or ']'. */
enum { N_NAMES = 6 };
typedef struct dress {
  const char *declared, *iconv_name, *names[N_NAMES];
} dress;
static const dress dresses[] = {
    {"Shift_JIS", "CP932", {"坂田栄男", "十段", "表", "ソゾ", "ミーゼ", "能"}},
    {"GBK", "GB18030", {"古力", "乗馬", "俓", "陳祖德", "聶衛平", "躘"}},
    {"Big5", "BIG5", {"許家元", "功", "王立誠", "蓋世", "周俊勳", "餐"}},
    {"EUC-KR", "CP949", {"이창호", "조훈현", "유창혁", "이세돌", "박정환", "신진서"}},
};
enum { N_DRESSES = sizeof dresses / sizeof *dresses };

static size_t make_name(const dress *d, char *name) {
  size_t n = 0;
  for (unsigned i = 0; i < 2; i++) {
    const char *utf8 = d->names[below(N_NAMES)];
    size_t added = convert(d->iconv_name, "UTF-8", utf8, strlen(utf8), name + n, NAME_MAX_BYTES - n);
    assert_true(added > 0);
    n += added;
  }
  return n;
}

typedef struct named_game {
  char black[NAME_MAX_BYTES]; /* UTF-8 */
  size_t n_black;
  size_t white_move; /* where W[gg] stands */
} named_game;

static size_t put_game(char *text, size_t at, const dress *d, named_game *game) {
  char name[NAME_MAX_BYTES];
  size_t n = make_name(d, name), begin = at;
  game->n_black = convert("UTF-8", d->iconv_name, name, n, game->black, sizeof game->black);
  assert_true(game->n_black > 0);
  at += (size_t)sprintf(text + at, "(;GM[1]FF[4]CA[%s]SZ[9]PB[", d->declared);
  memcpy(text + at, name, n);
  at += n;
  at += (size_t)sprintf(text + at, "]C[x ");
  memcpy(text + at, name, n);
  at += n;
  at += (size_t)sprintf(text + at, "];B[cc]");
  game->white_move = at + 1 - begin;
  at += (size_t)sprintf(text + at, ";W[gg]C[");
  memcpy(text + at, name, n);
  at += n;
  return at + (size_t)sprintf(text + at, "])\n");
}

static void check_game(const km_sgf_record *record, const named_game *game, const char *text, size_t begin) {
  const km_game *g = &record->game;
  assert_int_equal(g->n_moves, 2);
  assert_int_equal(g->moves[1].point, 6 * 9 + 6);
  const km_text *black = &g->text[KM_TEXT_BLACK];
  if (black->n_bytes != game->n_black || memcmp(black->bytes, game->black, game->n_black) != 0)
    fail_msg("%.*s read in %.*s: %.*s", (int)game->n_black, game->black,
             (int)g->text[KM_TEXT_ENCODING].n_bytes, g->text[KM_TEXT_ENCODING].bytes, (int)black->n_bytes,
             black->bytes);
  assert_int_equal(record->n_findings, 0);
  assert_int_equal(record->begin, begin);
  assert_int_equal(km_sgf_move_position(record, 1), begin + game->white_move);
  assert_memory_equal(text + km_sgf_move_position(record, 1), "W[gg]", 5);
}

/* Collections of games in different encodings, with an arena for the records and without. */
static void test_mixed(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  char *text = malloc(TEXT_MAX);
  km_text_decoder *decoder = km_text_decoder_new();
  assert_true(text && decoder);
  for (int round = 0; round < 200; round++) {
    enum { GAMES = 5 };
    named_game games[GAMES];
    size_t begin[GAMES], n = 0;
    for (int i = 0; i < GAMES; i++) {
      begin[i] = n;
      n = put_game(text, n, &dresses[below(N_DRESSES)], &games[i]);
    }
    km_arena arena, records;
    km_arena_init(&arena);
    km_arena_init(&records);
    const km_sgf_options options = {.decoder = decoder, .records = round % 2 ? &records : NULL};
    km_sgf_reader *reader;
    km_sgf_record record;
    assert_int_equal(km_sgf_open(&reader, text, n, &options, &arena, NULL), KM_OK);
    for (int i = 0; i < GAMES; i++) {
      assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
      check_game(&record, &games[i], text, begin[i]);
      km_arena_reset(&records);
    }
    assert_int_equal(km_sgf_next(reader, &record, NULL), KM_END);
    size_t n_findings;
    km_sgf_input_findings(reader, &n_findings);
    assert_int_equal(n_findings, 0);
    km_arena_clear(&arena);
    km_arena_clear(&records);
  }
  km_text_decoder_free(decoder);
  free(text);
}

/* UTF-16 with and without its mark, of both orders: positions count its bytes. */
static void test_utf16(void **state) {
  (void)state;
  static const char game[] = "(;GM[1]SZ[9]PB[\xe6\x9d\x8e];B[cc];W[gg];B[jj])(;SZ[9];B[dd])";
  static const struct {
    const char *name, *mark;
    size_t n_mark;
  } forms[] = {
      {"UTF-16LE", "", 0}, {"UTF-16BE", "", 0}, {"UTF-16LE", "\xff\xfe", 2}, {"UTF-16BE", "\xfe\xff", 2}};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char text[256], expected[256];
    memcpy(text, forms[i].mark, forms[i].n_mark);
    size_t n =
        forms[i].n_mark + convert(forms[i].name, "UTF-8", game, sizeof game - 1, text + forms[i].n_mark, 200);
    char *found = sgf_describe(text, n, NULL);
    snprintf(expected, sizeof expected, "#1 9x9: Bcc Wgg B?? PB \"\xe6\x9d\x8e\" in %s\n#2 9x9: Bdd in %s\n",
             forms[i].name, forms[i].name);
    assert_string_equal(found, expected);
    free(found);
    km_arena arena;
    km_sgf_reader *reader;
    km_sgf_record record;
    km_arena_init(&arena);
    assert_int_equal(km_sgf_open(&reader, text, n, NULL, &arena, NULL), KM_OK);
    assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
    assert_int_equal(record.begin, forms[i].n_mark);
    assert_int_equal(km_sgf_move_position(&record, 0), forms[i].n_mark + 2 * 18);
    assert_true(km_sgf_position_needs_input(&record));
    km_arena_clear(&arena);
  }
}

/* One record that no encoding explains does not touch its neighbours; damage in it is found where it is. */
static void test_broken_neighbour(void **state) {
  (void)state;
  static const char text[] = "(;GM[1]SZ[9]PB[\xe6\x9d\x8e];B[cc])\n"
                             "(;GM[1]SZ[9]PB[\xe6\x9d?\xff]RE[?]PW[x;B[cc];W[gg])\n"
                             "(;GM[1]SZ[9]PB[\xe7\x8e\x8b];B[cc])";
  char *found = sgf_describe(text, sizeof text - 1, NULL);
  const char *second = strstr(found, "#2"), *third = strstr(found, "#3");
  assert_true(second && third);
  assert_memory_equal(found, "#1 9x9: Bcc PB \"\xe6\x9d\x8e\" in UTF-8\n#2", 32);
  assert_non_null(strstr(second, "#2 9x9: Bcc Wgg PB"));
  assert_non_null(strstr(second, "!unterminated_value@54"));
  assert_string_equal(third, "#3 9x9: Bcc PB \"\xe7\x8e\x8b\" in UTF-8\n");
  free(found);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_mixed), cmocka_unit_test(test_utf16),
                                     cmocka_unit_test(test_broken_neighbour)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
