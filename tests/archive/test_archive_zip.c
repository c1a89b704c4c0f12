/* test_archive_zip.c: zips whose directory is damaged, cut, or odd: what it says wrongly the entries' own
 * headers say rightly, so that one wrong byte costs one entry at most, and is told. */
#include <archive.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_probe.h"

enum { SEED = 5150 };

static uint8_t *made_zip(const made_set *set, const char *passphrase, size_t *n) {
  made_how how = {.format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE, .passphrase = passphrase};
  if (passphrase)
    how.options = "zip:encryption=zipcrypt";
  assert_true(made_write(probe_path("whole.zip"), set, &how));
  return probe_load(probe_path("whole.zip"), n);
}

/* The nth place of a mark of four bytes. */
static size_t find(const uint8_t *bytes, size_t n, const char *mark, size_t nth) {
  const uint8_t *at = bytes;
  for (size_t i = 0;; at++, i++) {
    at = memmem(at, n - (size_t)(at - bytes), mark, 4);
    assert_non_null(at);
    if (i == nth)
      return (size_t)(at - bytes);
  }
}

static size_t count_same(const probe *p, const made_set *set) {
  size_t n_same = 0;
  for (size_t k = 0; k < set->n; k++)
    for (size_t i = 0; i < p->n; i++)
      if (p->entries[i].bytes && p->entries[i].n_bytes == set->entries[k].n_bytes &&
          memcmp(p->entries[i].bytes, set->entries[k].bytes, set->entries[k].n_bytes) == 0) {
        n_same++;
        break;
      }
  return n_same;
}

static void any_byte_of_the_directory(void **state) {
  (void)state;
  const uint8_t patterns[] = {0x01, 0x80, 0xff};
  made_set set = made_games(4, 300, SEED);
  size_t n;
  uint8_t *bytes = made_zip(&set, NULL, &n);
  for (size_t at = find(bytes, n, "PK\1\2", 0); at < n; at++)
    for (size_t i = 0; i < sizeof patterns; i++) {
      probe p;
      bytes[at] ^= patterns[i];
      probe_write(probe_path("damaged.zip"), bytes, n);
      bytes[at] ^= patterns[i];
      probe_file(&p, probe_path("damaged.zip"), NULL);
      size_t n_same = count_same(&p, &set);
      if (n_same + 1 < set.n || (n_same < set.n && !p.n_findings))
        fail_msg("byte %zu with %02x: %zu of %zu, %zu findings", at, patterns[i], n_same, set.n,
                 p.n_findings);
      probe_clear(&p);
    }
  free(bytes);
  made_clear(&set);
}

/* Records that are no more: the entries are found without them, each once, also when the zip is read in
 * ranges. */
static void half_a_directory(void **state) {
  (void)state;
  const size_t sizes[] = {6, 2500};
  for (size_t k = 0; k < 2; k++) {
    made_set set = made_games(sizes[k], 200, SEED + k);
    size_t n;
    uint8_t *bytes = made_zip(&set, NULL, &n);
    size_t from = find(bytes, n, "PK\1\2", set.n / 3), to = find(bytes, n, "PK\5\6", 0);
    memset(bytes + from, 0, to - from);
    probe_write(probe_path("half.zip"), bytes, n);
    probe p;
    probe_file(&p, probe_path("half.zip"), NULL);
    assert_true(k == 0 || p.n_streams > 1);
    assert_int_equal(p.n_given, set.n);
    assert_int_equal(count_same(&p, &set), set.n);
    assert_int_equal(p.n_findings, 1);
    assert_int_equal(probe_count(&p, KM_REASON_CORRUPT_ARCHIVE), 1);
    probe_clear(&p);
    free(bytes);
    made_clear(&set);
  }
}

/* What zip packs from its standard input has the type of a pipe; some names end with a slash. */
static void files_that_say_otherwise(void **state) {
  (void)state;
  made_set set = made_games(3, 300, SEED);
  size_t n;
  uint8_t *bytes = made_zip(&set, NULL, &n);
  const uint16_t types[] = {0010644, 0040755, 0020644, 0170000};
  size_t record = find(bytes, n, "PK\1\2", 1);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    memcpy(bytes + record + 40, &types[i], 2);
    bytes[record + 46 + strlen(set.entries[1].name) - 1] = i == 1 ? '/' : 'f';
    probe_write(probe_path("type.zip"), bytes, n);
    probe p;
    probe_file(&p, probe_path("type.zip"), NULL);
    assert_int_equal(p.n_given, 3);
    assert_int_equal(p.n_findings, 0);
    probe_clear(&p);
  }
  free(bytes);
  made_clear(&set);
}

/* What breaks a line, or turns its direction, is shown as bytes; other letters stay. */
static void names_that_break_lines(void **state) {
  (void)state;
  static const char *const parts[][2] = {{"\xe2\x80\xa8", "\\xE2\\x80\\xA8"},
                                         {"\xe2\x80\xae", "\\xE2\\x80\\xAE"},
                                         {"\xe2\x81\xa7", "\\xE2\\x81\\xA7"},
                                         {"\xe2\x80\x93", "\xe2\x80\x93"}};
  made_set set = made_games(1, 300, SEED);
  size_t n;
  uint8_t *bytes = made_zip(&set, NULL, &n);
  size_t record = find(bytes, n, "PK\1\2", 0);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    memcpy(bytes + 30, parts[i][0], 3);
    memcpy(bytes + record + 46, parts[i][0], 3);
    probe_write(probe_path("names.zip"), bytes, n);
    probe p;
    probe_file(&p, probe_path("names.zip"), NULL);
    assert_int_equal(p.n_given, 1);
    assert_memory_equal(p.entries[0].name, parts[i][1], strlen(parts[i][1]));
    probe_clear(&p);
  }
  free(bytes);
  made_clear(&set);
}

/* Encrypted entries whose sizes stand behind them, and no directory: each is told, not the first alone. */
static void encrypted_and_cut(void **state) {
  (void)state;
  made_set set = made_games(3, 300, SEED);
  size_t n;
  uint8_t *bytes = made_zip(&set, "secret", &n);
  probe_write(probe_path("cut.zip"), bytes, find(bytes, n, "PK\1\2", 0));
  probe p;
  probe_file(&p, probe_path("cut.zip"), NULL);
  assert_int_equal(p.n_given, 0);
  assert_int_equal(probe_count(&p, KM_REASON_ENCRYPTED_ENTRY), 3);
  assert_int_equal(probe_count(&p, KM_REASON_TRUNCATED_ARCHIVE), 1);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

/* The number of the last part is wrong: told, and read. */
static void parts_that_never_were(void **state) {
  (void)state;
  made_set set = made_games(3, 300, SEED);
  size_t n;
  uint8_t *bytes = made_zip(&set, NULL, &n);
  bytes[find(bytes, n, "PK\5\6", 0) + 4] = 1;
  probe_write(probe_path("parts.zip"), bytes, n);
  probe p;
  probe_file(&p, probe_path("parts.zip"), NULL);
  assert_int_equal(p.n_given, 3);
  assert_int_equal(p.n_findings, 1);
  assert_int_equal(probe_count(&p, KM_REASON_MISSING_VOLUME), 1);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_byte_of_the_directory), cmocka_unit_test(half_a_directory),
      cmocka_unit_test(files_that_say_otherwise),  cmocka_unit_test(encrypted_and_cut),
      cmocka_unit_test(parts_that_never_were),     cmocka_unit_test(names_that_break_lines),
  };
  return cmocka_run_group_tests(tests, NULL, leave);
}
