/* test_archive_memory.c: the n-th allocation fails, for all n: a clean "out of memory", nothing lost, and
 * never a wrong entry. Allocations inside the third-party libraries are not reached; the sanitizer watches
 * for leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_probe.h"

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);

static long until_failure = -1; /* allocations that still succeed; negative: all */

static int fails(void) {
  return until_failure >= 0 && until_failure-- == 0;
}
void *__wrap_malloc(size_t n) {
  return fails() ? NULL : __real_malloc(n);
}
void *__wrap_calloc(size_t n, size_t size) {
  return fails() ? NULL : __real_calloc(n, size);
}
void *__wrap_realloc(void *p, size_t n) {
  return fails() ? NULL : __real_realloc(p, n);
}
char *__wrap_strdup(const char *text) {
  return fails() ? NULL : __real_strdup(text);
}

/* Reads all; the entries given, and the first status that is an error, KM_OK when there is none. */
static km_status read_all(const char *path, size_t *n_given) {
  km_inputs *inputs;
  km_archive_reader *reader;
  km_entry entry;
  km_err err = {0};
  *n_given = 0;
  km_status status = km_inputs_open(&inputs, &path, 1, NULL, &err);
  for (size_t i = 0; !status && i < km_inputs_count(inputs); i++) {
    status = km_archive_open(&reader, inputs, i, &err);
    if (status)
      break;
    while ((status = km_archive_next(reader, &entry, &err)) == KM_OK)
      *n_given += entry.bytes != NULL;
    if (status == KM_END)
      status = KM_OK;
    else
      assert_int_equal(km_archive_next(reader, &entry, &err), KM_END);
    km_archive_close(reader);
  }
  if (status)
    assert_non_null(strstr(err.msg, "out of memory"));
  km_inputs_free(inputs);
  return status;
}

/* A 7z whose data are damaged. */
static const char *damaged_7z(void) {
  size_t n;
  uint8_t *bytes = probe_load("tests/cases/inputs/containers/c08_small.7z", &n);
  const char *path = probe_path("damaged.7z");
  bytes[50] ^= 0x10;
  probe_write(path, bytes, n);
  free(bytes);
  return path;
}

static void every_allocation_fails_once(void **state) {
  (void)state;
  const char *const paths[] = {
      damaged_7z(),
      "tests/cases/inputs/containers/c01_names.zip",
      "tests/cases/inputs/containers/c02_tiny_truncated.tar.gz",
      "tests/cases/inputs/containers/c07_nested.zip",
      "tests/cases/inputs/containers/c08_small.7z",
      "tests/cases/inputs/containers/c10_special.tar",
      "tests/cases/inputs/containers/c17_multistream.tar.xz",
      "tests/cases/inputs/containers/c18_pax_long.tar",
      "tests/cases/inputs/containers/c05_truncated.tar.zst",
      "tests/cases/inputs/containers/c19_single.sgf.gz",
      "tests/cases/inputs/P01.sgf",
      "tests/cases/inputs/containers",
  };
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    size_t n_all, n_given;
    long n = 0;
    until_failure = -1;
    assert_int_equal(read_all(paths[k], &n_all), KM_OK);
    for (;; n++) {
      until_failure = n;
      km_status status = read_all(paths[k], &n_given);
      bool reached = until_failure < 0;
      until_failure = -1;
      assert_true(status == KM_ERR_NOMEM || n_given == n_all);
      assert_true(n_given <= n_all);
      if (!reached)
        break;
    }
    print_message("%s: %ld allocations\n", paths[k], n);
    assert_true(n > 2);
  }
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once)};
  return cmocka_run_group_tests(tests, NULL, leave);
}
