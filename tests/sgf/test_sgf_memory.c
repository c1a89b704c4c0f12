/* test_sgf_memory.c: every allocation of a reading fails once: the reader says so, and leaks nothing
 * (sanitizers). The linker puts this file's malloc before the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kifumill/sgf.h"

void *__real_malloc(size_t n_bytes);
void *__wrap_malloc(size_t n_bytes);

static long allocations_left = -1; /* negative: no end */

void *__wrap_malloc(size_t n_bytes) {
  if (allocations_left == 0)
    return NULL;
  if (allocations_left > 0)
    allocations_left--;
  return __real_malloc(n_bytes);
}

/* Reads all records; the number of them, or -1 when memory was out. */
static int read_all(const char *text, size_t n_bytes) {
  km_arena arena;
  km_sgf_reader *reader;
  km_sgf_record record;
  km_err err = {0};
  int n_records = 0;
  km_arena_init(&arena);
  km_status status = km_sgf_open(&reader, text, n_bytes, NULL, &arena, &err);
  while (status == KM_OK && (status = km_sgf_next(reader, &record, &err)) == KM_OK)
    n_records++;
  if (status == KM_ERR_NOMEM)
    assert_int_equal(err.code, KM_ERR_NOMEM);
  else
    assert_int_equal(status, KM_END);
  km_arena_clear(&arena);
  return status == KM_END ? n_records : -1;
}

static void check_text(const char *text, size_t n_bytes, int n_records) {
  assert_int_equal(read_all(text, n_bytes), n_records);
  int n_failed = 0;
  for (long n = 0;; n++) {
    allocations_left = n;
    int found = read_all(text, n_bytes);
    allocations_left = -1;
    if (found == n_records)
      break;
    assert_int_equal(found, -1);
    n_failed++;
  }
  assert_true(n_failed > 0);
}

static void test_ascii(void **state) {
  (void)state;
  enum { GAMES = 40, ROOM = 200000 };
  char *text = malloc(ROOM);
  assert_non_null(text);
  size_t n = 0;
  for (int g = 0; g < GAMES; g++) {
    n += (size_t)sprintf(text + n, "x(;SZ[19]PB[a\\]b]RE[B+R]KM[]AB[aa:ss]");
    for (int i = 0; i < 600; i++)
      n += (size_t)sprintf(text + n, ";%c[dd]", "BW"[i % 2]);
    n += (size_t)sprintf(text + n, "LB;C[0.25 0.75 0.00 -9.3 v=600 weight=0.75])\n");
  }
  check_text(text, n, GAMES);
  free(text);
}

static void test_decoded(void **state) {
  (void)state;
  static const char text[] =
      "(;SZ[9]CA[GBK]PB[\xb2\xe2\xca\xd4];B[cc])(;SZ[9]CA[UTF-8]PB[\xb2\xe2\xca\xd4];B[cc])\xff";
  check_text(text, sizeof text - 1, 2);
  static const char wide[] = "(\0;\0S\0Z\0[\0"
                             "9\0]\0;\0B\0[\0c\0c\0]\0)";
  check_text(wide, sizeof wide, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ascii), cmocka_unit_test(test_decoded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
