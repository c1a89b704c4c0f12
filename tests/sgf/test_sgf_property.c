/* test_sgf_property.c: what holds of the reader for any input. Random input is seeded; the seed is printed.
 *
 * - A valid game is read as it was written, whatever its size, layout, variations and escapes.
 * - Damage to one game of a collection, of any kind and up to three bytes, leaves its neighbours as they
 * were.
 * - A file cut anywhere gives the moves before the cut.
 * - Nesting needs no stack; hostile repetition needs no more than linear time and memory.
 * - The vector search for brackets equals the plain one. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "sgf_describe.h"
#include "sgf_moves.h"
#include "sgf_scan.h"

enum { SEED = 20240607, TEXT_MAX = 1 << 20 };

typedef struct rng {
  uint64_t state;
} rng;
static uint64_t next(rng *r) {
  return km_mix64(r->state++);
}
static unsigned below(rng *r, unsigned n) {
  return (unsigned)km_random_below(next(r), n);
}

/* ---- writing random games ---- */

typedef struct model {
  unsigned rows, cols, n_moves, n_setup;
  km_move moves[400];
  km_setup setup[60];
  char black[40];
  uint64_t pos[400];
} model;

typedef struct writer {
  char *text;
  size_t n;
} writer;

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  w->n += (size_t)vsprintf(w->text + w->n, format, args);
  va_end(args);
}

static void put_space(writer *w, rng *r) {
  static const char *const spaces[] = {"", "", "", "\n", "\r\n", " ", "\t", "\r"};
  put(w, "%s", spaces[below(r, 8)]);
}

static void put_point(writer *w, const model *m, uint16_t point) {
  char text[3];
  km_point_sgf(point, (uint8_t)m->rows, (uint8_t)m->cols, text);
  put(w, "%s", text);
}

/* Text that a careless reader trips over; every byte that must be is escaped. */
static void put_hostile_text(writer *w, rng *r) {
  static const char *const pieces[] = {"(;GM[1\\]", ";B[aa\\]",   ")",       "(",    "\\\\",         "\\]",
                                       "[3d\\]: ",  "\n;W[dd\\]", "PB[x\\]", "text", "\xe6\x9d\x8e", "\\\n",
                                       ";",         ":)",         "C[",      "\\:"};
  unsigned n = below(r, 6);
  for (unsigned i = 0; i < n; i++) {
    unsigned k = below(r, 16);
    put(w, "%s", pieces[k]);
    if (k == 14)
      put(w, "x\\]");
  }
}

static void put_variation(writer *w, rng *r, int depth) {
  put(w, "(;%c[aa]C[", "BW"[below(r, 2)]);
  put_hostile_text(w, r);
  put(w, "];%c[]", "BW"[below(r, 2)]);
  while (depth < 3 && below(r, 3) == 0)
    put_variation(w, r, depth + 1);
  put(w, ")");
}

static void put_header(writer *w, rng *r, model *m) {
  if (m->rows == m->cols)
    put(w, "SZ[%u]", m->rows);
  else
    put(w, "SZ[%u:%u]", m->cols, m->rows);
  snprintf(m->black, sizeof m->black, "player %u", below(r, 1000000));
  put(w, "PB[%s]PW[P2]C[", m->black);
  put_hostile_text(w, r);
  put(w, "]");
  m->n_setup = below(r, 4) == 0 ? 1 + below(r, 9) : 0;
  for (unsigned i = 0; i < m->n_setup; i++)
    m->setup[i] = (km_setup){.point = (uint16_t)((i * 7) % (m->rows * m->cols)), .colour = KM_BLACK};
  if (m->n_setup > m->rows * m->cols)
    m->n_setup = 0;
  if (m->n_setup)
    put(w, "AB");
  for (unsigned i = 0; i < m->n_setup; i++) {
    put(w, "[");
    put_point(w, m, m->setup[i].point);
    put(w, "]");
  }
}

static void put_move(writer *w, rng *r, model *m, unsigned i) {
  m->moves[i] = (km_move){.point = (uint16_t)below(r, m->rows * m->cols + 1), .colour = (uint8_t)(1 + i % 2)};
  put(w, ";");
  put_space(w, r);
  if (below(r, 8) == 0)
    put(w, "BL[%u]", below(r, 1000));
  m->pos[i] = w->n;
  put(w, "%c[", ".BW"[m->moves[i].colour]);
  if (m->moves[i].point < m->rows * m->cols)
    put_point(w, m, m->moves[i].point);
  else if (m->rows <= 19 && m->cols <= 19 && below(r, 2))
    put(w, "tt");
  put(w, "]");
  if (below(r, 8) == 0) {
    put(w, "C[");
    put_hostile_text(w, r);
    put(w, "]");
  }
}

/* A game in the given dress; first: the properties before its size. Set-up points are distinct as 7 is no
 * divisor of them all; where it is, fewer are put. */
static void put_game(writer *w, rng *r, model *m, const char *first) {
  m->rows = 2 + below(r, 51);
  m->cols = below(r, 3) ? m->rows : 2 + below(r, 51);
  if (m->rows * m->cols % 7 == 0)
    m->rows = m->cols = 19;
  m->n_moves = 1 + below(r, 60);
  put(w, "(");
  put_space(w, r);
  put(w, ";%s", first);
  put_header(w, r, m);
  unsigned depth = 1;
  for (unsigned i = 0; i < m->n_moves; i++) {
    put_space(w, r);
    if (i && below(r, 12) == 0) {
      put(w, "(");
      depth++;
    }
    put_move(w, r, m, i);
  }
  while (depth--) {
    put_space(w, r);
    put(w, ")");
    if (depth && below(r, 2))
      put_variation(w, r, 0);
  }
}

/* ---- reading and comparing ---- */

typedef struct reading {
  km_arena arena;
  km_sgf_reader *reader;
} reading;

static void start(reading *in, const char *bytes, size_t n) {
  km_arena_init(&in->arena);
  assert_int_equal(km_sgf_open(&in->reader, bytes, n, NULL, &in->arena, NULL), KM_OK);
}
static int read_next(reading *in, km_sgf_record *record) {
  km_status status = km_sgf_next(in->reader, record, NULL);
  assert_true(status == KM_OK || status == KM_END);
  return status == KM_OK;
}
static void stop(reading *in) {
  km_arena_clear(&in->arena);
}

static int equals(const km_sgf_record *record, const model *m) {
  const km_game *g = &record->game;
  if (g->rows != m->rows || g->cols != m->cols || g->n_moves != m->n_moves || g->n_setup != m->n_setup)
    return 0;
  for (unsigned i = 0; i < m->n_moves; i++)
    if (g->moves[i].point != m->moves[i].point || g->moves[i].colour != m->moves[i].colour)
      return 0;
  for (unsigned i = 0; i < m->n_setup; i++)
    if (g->setup[i].point != m->setup[i].point || g->setup[i].colour != m->setup[i].colour || g->setup[i].ply)
      return 0;
  const km_text *black = &g->text[KM_TEXT_BLACK];
  return black->n_bytes == strlen(m->black) && memcmp(black->bytes, m->black, black->n_bytes) == 0;
}

static void test_valid_games(void **state) {
  (void)state;
  rng r = {SEED};
  print_message("seed %d\n", SEED);
  char *text = malloc(TEXT_MAX);
  assert_non_null(text);
  for (int round = 0; round < 2000; round++) {
    writer w = {text, 0};
    model m;
    put_game(&w, &r, &m, below(&r, 2) ? "GM[1]FF[4]" : "");
    reading in;
    km_sgf_record record;
    start(&in, text, w.n);
    assert_true(read_next(&in, &record));
    if (!equals(&record, &m) || (record.game.flags & KM_FLAG_REPAIRED))
      fail_msg("round %d: %s\n%s", round, text,
               record.n_findings ? km_reason_code(record.findings[0].reason) : "");
    for (unsigned i = 0; i < m.n_moves; i++)
      assert_int_equal(km_sgf_move_position(&record, i), m.pos[i]);
    assert_int_equal(record.end, w.n);
    assert_false(read_next(&in, &record));
    stop(&in);
  }
  free(text);
}

/* ---- damage ---- */

static void damage(writer *w, rng *r, size_t begin, size_t end) {
  static const char bytes[] = "[]();\\BW \n\0?aC\xe6\x81:";
  unsigned n = 1 + below(r, 3);
  for (unsigned i = 0; i < n && end > begin + 1; i++) {
    size_t at = begin + below(r, (unsigned)(end - begin));
    char byte = bytes[below(r, sizeof bytes - 1)];
    switch (below(r, 4)) {
    case 0: /* lost */
      memmove(w->text + at, w->text + at + 1, w->n - at - 1);
      w->n--, end--;
      break;
    case 1: /* put in between */
      memmove(w->text + at + 1, w->text + at, w->n - at);
      w->text[at] = byte;
      w->n++, end++;
      break;
    case 2:
      w->text[at] = byte;
      break;
    default:
      w->text[at] ^= (char)(1 << below(r, 8));
    }
  }
}

/* Cuts the game short instead: all from a point in it to its end is lost. */
static void cut(writer *w, rng *r, size_t begin, size_t end) {
  size_t at = begin + below(r, (unsigned)(end - begin));
  memmove(w->text + at, w->text + end, w->n - end);
  w->n -= end - at;
}

static void test_neighbours(void **state) {
  (void)state;
  static const char *const headers[] = {"GM[1]FF[4]", "GM[1]", "FF[4]CA[UTF-8]"};
  rng r = {SEED + 1};
  char *text = malloc(TEXT_MAX), *original = malloc(TEXT_MAX);
  assert_true(text && original);
  for (int round = 0; round < 6000; round++) {
    writer w = {text, 0};
    model first, middle, last;
    const char *header = headers[below(&r, 3)];
    put_game(&w, &r, &first, header);
    put(&w, "%s", below(&r, 2) ? "\n" : "");
    size_t begin = w.n;
    put_game(&w, &r, &middle, header);
    size_t end = w.n;
    put(&w, "%s", below(&r, 2) ? "\n" : "");
    put_game(&w, &r, &last, header);
    memcpy(original, text, w.n);
    size_t n_original = w.n;
    if (below(&r, 4))
      damage(&w, &r, begin, end);
    else
      cut(&w, &r, begin, end);
    reading in;
    km_sgf_record record;
    start(&in, text, w.n);
    int found_first = 0, found_last = 0;
    while (read_next(&in, &record)) {
      found_first |= equals(&record, &first);
      found_last |= equals(&record, &last);
    }
    if (!found_first || !found_last)
      fail_msg("round %d: lost the %s game\n%.*s\n----\n%.*s", round, found_first ? "last" : "first",
               (int)w.n, text, (int)n_original, original);
    stop(&in);
  }
  free(text);
  free(original);
}

/* ---- a cut file ---- */

static void test_every_prefix(void **state) {
  (void)state;
  rng r = {SEED + 2};
  char *text = malloc(TEXT_MAX);
  assert_non_null(text);
  for (int round = 0; round < 40; round++) {
    writer w = {text, 0};
    model m;
    put_game(&w, &r, &m, "GM[1]");
    for (size_t n = 0; n <= w.n; n++) {
      char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read behind it */
      assert_non_null(exact);
      memcpy(exact, text, n);
      reading in;
      km_sgf_record record;
      start(&in, exact, n);
      unsigned n_whole = 0;
      while (n_whole < m.n_moves && m.pos[n_whole] + 5 <= n)
        n_whole++;
      if (read_next(&in, &record) && !record.refused) {
        /* the size may be cut itself: only then the points differ */
        assert_true(record.game.n_moves >= n_whole && record.game.n_moves <= n_whole + 1);
        for (unsigned i = 0; i < n_whole; i++)
          assert_int_equal(record.game.moves[i].point, m.moves[i].point);
      } else {
        assert_int_equal(n_whole, 0);
      }
      stop(&in);
      free(exact);
    }
  }
  free(text);
}

/* ---- hostile input ---- */

static char *repeat(const char *prefix, const char *unit, size_t n, size_t *n_bytes) {
  size_t n_prefix = strlen(prefix), n_unit = strlen(unit);
  char *text = malloc(n_prefix + n * n_unit + 1);
  assert_non_null(text);
  memcpy(text, prefix, n_prefix);
  for (size_t i = 0; i < n; i++)
    memcpy(text + n_prefix + i * n_unit, unit, n_unit);
  *n_bytes = n_prefix + n * n_unit;
  text[*n_bytes] = 0;
  return text;
}

static void read_through(const char *text, size_t n_bytes) {
  km_arena arena;
  km_sgf_reader *reader;
  km_sgf_record record;
  km_arena_init(&arena);
  if (km_sgf_open(&reader, text, n_bytes, NULL, &arena, NULL) == KM_OK)
    while (km_sgf_next(reader, &record, NULL) == KM_OK) {
    }
  km_arena_clear(&arena);
}

static void *read_deep(void *unused) {
  (void)unused;
  static const char *const units[] = {"(", "(;", "(;B[aa]", "(;C[x]", "(\n"};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    size_t n;
    char *text = repeat("(;SZ[19]", units[i], 1000000, &n);
    read_through(text, n);
    free(text);
  }
  return NULL;
}

static void test_depth(void **state) {
  (void)state;
  pthread_t thread;
  pthread_attr_t attributes;
  assert_int_equal(pthread_attr_init(&attributes), 0);
  size_t room = 64 * 1024;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  room = 1024 * 1024; /* the sanitizer's own frames */
#endif
  assert_int_equal(pthread_attr_setstacksize(&attributes, room), 0);
  assert_int_equal(pthread_create(&thread, &attributes, read_deep, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  pthread_attr_destroy(&attributes);
}

/* Units that make a reader look ahead, look back or start again: a quadratic one would not come to an end
 * here. */
static void test_repetition(void **state) {
  (void)state;
  static const char *const prefixes[] = {"", "(;GM[1]", "(;C[", "(;B[aa])", "(;PB["};
  static const char *const units[] = {"(",      ")",     ";",       "[",    "]",        "\\",       "A",
                                      "a",      " ",     "(A",      "(;A",  ";B",       "C[;B[aa",  "[;W[",
                                      "(;C[x",  ")x",    "x]",      "\\]",  "(;)",      "()",       "(B[0])",
                                      "G",      ";GM",   "\\]PB[",  "B]",   "AB[aa:zz", "(;A[])x;", "5A[",
                                      "\n;GM[", "PB[x]", "(;PB[x]", "\xe6", "\x95\\",   "?PW[",     ":)"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
      size_t n;
      char *text = repeat(prefixes[i], units[k], 100000, &n);
      read_through(text, n);
      free(text);
    }
}

/* Points of rectangles are bounded: a few bytes name thousands of them. */
static void test_setup_limit(void **state) {
  (void)state;
  size_t n;
  char *text = repeat("(;SZ[52]AB", "[aa:ZZ]", 1000, &n);
  reading in;
  km_sgf_record record;
  start(&in, text, n);
  assert_true(read_next(&in, &record));
  assert_int_equal(record.refused, KM_REASON_TOO_MANY_MOVES);
  assert_int_equal(record.game.n_setup, 0);
  stop(&in);
  free(text);
}

/* Long texts are kept to their limit, at a character. */
static void test_long_text(void **state) {
  (void)state;
  size_t n;
  char *text = repeat("(;SZ[9]PB[", "\xe6\x9d\x8e", 30000, &n);
  text = realloc(text, n + 16);
  assert_non_null(text);
  memcpy(text + n, "];B[cc])", 8);
  reading in;
  km_sgf_record record;
  start(&in, text, n + 8);
  assert_true(read_next(&in, &record));
  assert_int_equal(record.game.text[KM_TEXT_BLACK].n_bytes, 65535);
  assert_int_equal(record.n_findings, 1);
  assert_int_equal(record.findings[0].reason, KM_REASON_LONG_TEXT);
  assert_int_equal(record.findings[0].pos, 7);
  stop(&in);
  free(text);
}

static void test_search(void **state) {
  (void)state;
  rng r = {SEED + 3};
  char text[200];
  for (int round = 0; round < 20000; round++) {
    unsigned n = below(&r, 100), begin = below(&r, 64), density = 1 + below(&r, 60);
    for (unsigned i = 0; i < sizeof text; i++)
      text[i] = below(&r, density) ? (char)next(&r) : "[]\\Z^"[below(&r, 5)];
    const char *p = text + begin, *end = p + n;
    assert_ptr_equal(sgf_find_bracket(p, end), sgf_find_bracket_plain(p, end));
  }
}

/* Plain moves, with odd bytes here and there. Returns the length. */
static unsigned write_moves(rng *r, char *text, unsigned n_most) {
  static const char *const behind[] = {"",     "",   "",     "",  "",     "",    "\n",
                                       "\r\n", "\r", "\n\n", " ", "[aa]", "C[x]"};
  unsigned n = 0, odd = below(r, 4);
  while (n + 16 < n_most) {
    int spread = below(r, 30) == 0;
    n += (unsigned)sprintf(text + n, ";%c[%c%c]", "BW"[below(r, 2)], "asz`{AT"[below(r, spread ? 7 : 3)],
                           'a' + (int)below(r, 26));
    n += (unsigned)sprintf(text + n, "%s", behind[below(r, odd ? 13 : 6)]);
    if (odd == 3 && below(r, 20) == 0)
      text[below(r, n)] = (char)next(r);
  }
  return n;
}

/* Runs of moves are taken alike by both paths, at any end of the text and any room. */
static void test_runs_of_moves(void **state) {
  (void)state;
  enum { ROOM = 64 };
  rng r = {SEED + 5};
  unsigned most = 0;
  for (int round = 0; round < 20000; round++) {
    char *text = malloc(300); /* of its own, so that the address sanitizer sees its end */
    assert_non_null(text);
    unsigned n_text = write_moves(&r, text, 20 + below(&r, 280)),
             begin = below(&r, 4) ? 0 : below(&r, n_text + 1);
    char *exact = malloc(n_text ? n_text : 1);
    assert_non_null(exact);
    memcpy(exact, text, n_text);
    sgf_move moves[2][ROOM];
    uint64_t pos[2][ROOM];
    uint32_t first = below(&r, 3), room = first + below(&r, ROOM - 3);
    sgf_moves fast = {moves[0], pos[0], first, room}, plain = {moves[1], pos[1], first, room};
    const char *end = exact + n_text, *p = exact + begin;
    assert_ptr_equal(sgf_take_moves(p, end, exact, &fast), sgf_take_moves_plain(p, end, exact, &plain));
    assert_int_equal(fast.n, plain.n);
    assert_memory_equal(moves[0] + first, moves[1] + first, (fast.n - first) * sizeof(sgf_move));
    assert_memory_equal(pos[0] + first, pos[1] + first, (fast.n - first) * sizeof(uint64_t));
    most = fast.n - first > most ? fast.n - first : most;
    free(exact);
    free(text);
  }
  assert_true(most > 30);
}

/* Records may live in an arena of their own that is reset between them. */
static void test_records_arena(void **state) {
  (void)state;
  rng r = {SEED + 4};
  char *text = malloc(TEXT_MAX);
  assert_non_null(text);
  writer w = {text, 0};
  enum { N = 100 };
  model *models = calloc(N, sizeof *models);
  assert_non_null(models);
  for (int i = 0; i < N; i++)
    put_game(&w, &r, &models[i], "GM[1]");
  km_arena arena, records;
  km_arena_init(&arena);
  km_arena_init(&records);
  const km_sgf_options options = {.records = &records};
  km_sgf_reader *reader;
  km_sgf_record record;
  assert_int_equal(km_sgf_open(&reader, text, w.n, &options, &arena, NULL), KM_OK);
  for (int i = 0; i < N; i++) {
    assert_int_equal(km_sgf_next(reader, &record, NULL), KM_OK);
    assert_true(equals(&record, &models[i]));
    assert_int_equal(record.number, i + 1);
    km_arena_reset(&records);
  }
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_END);
  assert_int_equal(km_sgf_next(reader, &record, NULL), KM_END);
  km_arena_clear(&arena);
  km_arena_clear(&records);
  free(models);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_valid_games),   cmocka_unit_test(test_neighbours),
      cmocka_unit_test(test_every_prefix),  cmocka_unit_test(test_depth),
      cmocka_unit_test(test_repetition),    cmocka_unit_test(test_setup_limit),
      cmocka_unit_test(test_long_text),     cmocka_unit_test(test_search),
      cmocka_unit_test(test_runs_of_moves), cmocka_unit_test(test_records_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
