/* test_archive_places.c: a finding says at which byte: of the file for filters and what stands behind, of the
 * header for entries and headers of a container. */
#include <archive.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_probe.h"

enum { SEED = 31337, GAMES = 6, BLOCK = 512 };

static uint8_t *made(const made_set *set, int format, int filter, size_t *n) {
  made_how how = {.format = format, .filter = filter};
  assert_true(made_write(probe_path("whole"), set, &how));
  return probe_load(probe_path("whole"), n);
}

/* The nth place of a mark. */
static size_t find(const uint8_t *bytes, size_t n, const char *mark, size_t nth) {
  const uint8_t *at = bytes;
  for (size_t i = 0;; at++, i++) {
    at = memmem(at, n - (size_t)(at - bytes), mark, strlen(mark));
    assert_non_null(at);
    if (i == nth)
      return (size_t)(at - bytes);
  }
}

static const probe_entry *only_finding(const probe *p, km_reason reason) {
  assert_int_equal(p->n_findings, 1);
  for (size_t i = 0; i < p->n; i++)
    if (p->entries[i].reason == reason)
      return &p->entries[i];
  fail_msg("no %s", km_reason_code(reason));
  return NULL;
}

/* How many entries there are beside. */
static size_t expect_at(const uint8_t *bytes, size_t n, km_reason reason, size_t pos) {
  probe p;
  probe_write(probe_path("damaged"), bytes, n);
  probe_file(&p, probe_path("damaged"), NULL);
  assert_int_equal(only_finding(&p, reason)->pos, pos);
  size_t n_given = p.n_given;
  probe_clear(&p);
  return n_given;
}

static void sum_header(uint8_t *header) {
  unsigned sum = 0;
  memset(header + 148, ' ', 8);
  for (size_t i = 0; i < BLOCK; i++)
    sum += header[i];
  snprintf((char *)header + 148, 8, "%06o", sum);
}

/* Headers with a wrong byte, and headers that are whole and lie: about less than nothing, or more than there
 * is. Each costs its entry. */
static void headers_of_tars(void **state) {
  (void)state;
  const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_GNUTAR,
                         ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE};
  made_set set = made_games(GAMES, 1200, SEED);
  for (size_t k = 0; k < 3; k++)
    for (size_t nth = 1; nth < GAMES; nth++) {
      size_t n;
      uint8_t *bytes = made(&set, formats[k], ARCHIVE_FILTER_NONE, &n);
      size_t at = find(bytes, n, set.entries[nth].name, 0) / BLOCK * BLOCK;
      bytes[at + 110] ^= 0x40;
      assert_int_equal(expect_at(bytes, n, KM_REASON_CORRUPT_ARCHIVE, at), GAMES - 1);
      bytes[at + 110] ^= 0x40;
      memset(bytes + at + 124, 0xff, 12);
      sum_header(bytes + at);
      assert_int_equal(expect_at(bytes, n, KM_REASON_CORRUPT_ARCHIVE, at), GAMES - 1);
      memcpy(bytes + at + 124, nth % 2 ? "00077777777" : "77777777777", 12);
      sum_header(bytes + at);
      km_reason reason = nth % 2 ? KM_REASON_TRUNCATED_ARCHIVE : KM_REASON_ENTRY_TOO_LARGE;
      assert_int_equal(expect_at(bytes, n, reason, at), GAMES - 1);
      free(bytes);
    }
  made_clear(&set);
}

/* A damaged header of a cpio costs its entry and perhaps some behind it, and is told: also the last one's. */
static void headers_of_cpios(void **state) {
  (void)state;
  const struct {
    int format;
    const char *mark;
    size_t n_header;
  } kinds[] = {{ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, "070701", 110}, {ARCHIVE_FORMAT_CPIO_POSIX, "070707", 76}};
  made_set set = made_games(GAMES, 300, SEED);
  for (size_t k = 0; k < 2; k++) {
    size_t n;
    uint8_t *bytes = made(&set, kinds[k].format, ARCHIVE_FILTER_NONE, &n);
    for (size_t nth = 1; nth < GAMES; nth++) {
      size_t at = find(bytes, n, kinds[k].mark, nth);
      for (size_t i = 0; i < kinds[k].n_header; i++) {
        probe p;
        bytes[at + i] ^= 0x80;
        probe_write(probe_path("damaged"), bytes, n);
        bytes[at + i] ^= 0x80;
        probe_file(&p, probe_path("damaged"), NULL);
        if (p.n_given < GAMES && !p.n_findings)
          fail_msg("kind %zu, entry %zu, byte %zu: %zu given, not a word", k, nth, i, p.n_given);
        if (i < 6 && (p.n_given < nth || only_finding(&p, KM_REASON_CORRUPT_ARCHIVE)->pos != at))
          fail_msg("kind %zu, entry %zu at %zu, byte %zu: %zu given, finding at %zu", k, nth, at, i,
                   p.n_given, (size_t)only_finding(&p, KM_REASON_CORRUPT_ARCHIVE)->pos);
        probe_clear(&p);
      }
    }
    free(bytes);
  }
  made_clear(&set);
}

/* Types of files that have no data, beside data: formats without sums of headers. */
static void types_of_files(void **state) {
  (void)state;
  made_set set = made_games(3, 300, SEED);
  size_t n, at;
  uint8_t *bytes = made(&set, ARCHIVE_FORMAT_CPIO_POSIX, ARCHIVE_FILTER_NONE, &n);
  at = find(bytes, n, "070707", 1) + 18;
  for (size_t i = 0; i < 3; i++) {
    probe p;
    memcpy(bytes + at, i == 0 ? "040" : i == 1 ? "010" : "170", 3);
    probe_write(probe_path("damaged"), bytes, n);
    probe_file(&p, probe_path("damaged"), NULL);
    assert_int_equal(p.n_given, 3);
    probe_clear(&p);
  }
  free(bytes);
  made_clear(&set);
}

static void streams(void **state) {
  (void)state;
  const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD,
                         ARCHIVE_FILTER_LZIP};
  made_set set = made_games(1, 900, SEED);
  for (size_t k = 0; k < sizeof filters / sizeof filters[0]; k++) {
    size_t n;
    uint8_t *bytes = made(&set, ARCHIVE_FORMAT_RAW, filters[k], &n);
    expect_at(bytes, n - 3, KM_REASON_TRUNCATED_ARCHIVE, n - 3);
    bytes = realloc(bytes, n + 9);
    assert_non_null(bytes);
    memcpy(bytes + n, "something", 9);
    expect_at(bytes, n + 9, KM_REASON_TRAILING_BYTES, n);
    free(bytes);
  }
  made_clear(&set);
}

static void behind_containers(void **state) {
  (void)state;
  const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_7ZIP};
  made_set set = made_games(GAMES, 900, SEED);
  for (size_t k = 0; k < 3; k++) {
    size_t n;
    uint8_t *bytes = made(&set, formats[k], ARCHIVE_FILTER_NONE, &n);
    bytes = realloc(bytes, n + 9);
    assert_non_null(bytes);
    memcpy(bytes + n, "something", 9);
    expect_at(bytes, n + 9, KM_REASON_TRAILING_BYTES, n);
    if (formats[k] == ARCHIVE_FORMAT_7ZIP)
      expect_at(bytes, n - 9, KM_REASON_TRUNCATED_ARCHIVE, n - 9);
    free(bytes);
  }
  made_clear(&set);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_of_tars),   cmocka_unit_test(headers_of_cpios),
      cmocka_unit_test(types_of_files),    cmocka_unit_test(streams),
      cmocka_unit_test(behind_containers),
  };
  return cmocka_run_group_tests(tests, NULL, leave);
}
