/* test_archive_cases.c: every container case of tests/cases, with its exact outcome, under two locales. */
#include <jansson.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "archive_probe.h"

#define CASES "tests/cases/inputs/containers/"

/* What must come out: games, findings by reason (the first two kinds), names in order where they matter. */
typedef struct outcome {
  const char *file;
  size_t n_games;
  km_reason reason[2];
  const char *names[3];
} outcome;

static const outcome outcomes[] = {
    {"c01_names.zip", 3, {0}, {"\\x95\\.sgf", "\\xB2\\xE2\\xCA\\xD4/\\xC6\\xE5.sgf", "\\xFF\\xFE bad.sgf"}},
    {"c02_tiny_truncated.tar.gz", 2, {KM_REASON_TRUNCATED_ARCHIVE}, {"a.sgf", "b.sgf", ""}},
    {"c03_multimember_padding.tar.gz", 3, {0}, {"a.sgf", "b.sgf", "c.sgf"}},
    {"c03_trailing_garbage.tar.gz", 3, {KM_REASON_TRAILING_BYTES}, {"a.sgf", "b.sgf", "c.sgf"}},
    {"c05_truncated.tar.zst", 150, {KM_REASON_TRUNCATED_ARCHIVE}, {"g000.sgf", "g001.sgf", "g002.sgf"}},
    {"c07_nested.zip", 3, {0}, {"top.sgf", "mid.tar.gz//mid.sgf", "mid.tar.gz//inner.zip//deep.sgf"}},
    {"c08_small.7z", 2, {0}, {"a.sgf", "x.txt", "b.sgf"}},
    {"c09_appledouble.tar.gz", 2, {0}, {"d/a.sgf", "d/b.sgf", NULL}},
    {"c09_macosx.zip", 1, {0}, {"a.sgf", NULL, NULL}},
    {"c10_special.tar", 3, {0}, {"good.sgf", "../../evil.sgf", "/abs.sgf"}},
    {"c11_bomb.zip", 1, {KM_REASON_RATIO_TOO_HIGH}, {"zeros.sgf", "a.sgf", NULL}},
    {"c12_zip64_small.zip", 2, {0}, {"a.sgf", "b.sgf", NULL}},
    {"c13_descriptor_deflate.zip", 2, {0}, {"a.sgf", "b.sgf", NULL}},
    {"c14_crc.zip", 2, {KM_REASON_CRC_ERROR}, {"a.sgf", "b.sgf", "c.sgf"}},
    {"c15_same_name.zip", 2, {0}, {"x.sgf", "x.sgf", NULL}},
    {"c17_multistream.tar.xz", 2, {0}, {"a.sgf", "b.sgf", NULL}},
    {"c18_gnu_long.tar", 1, {0}, {NULL}},
    {"c18_pax_long.tar", 2, {0}, {NULL, "棋/譜.sgf", NULL}},
    {"c19_single.sgf.gz", 1, {0}, {"", NULL, NULL}},
    {"c19_targz_named.zip", 2, {0}, {"a.sgf", "b.sgf", NULL}},
    /* The reader gives every file, c.txt too (a game by its content); which names count is decided above it.
     */
    {"c19_zip_named.tar.gz", 3, {0}, {"A.SGF", "b.Sgf", "c.txt"}},
    {"c20_empty.zip", 0, {KM_REASON_EMPTY_ARCHIVE}, {"", NULL, NULL}},
    {"c20_empty_members.zip", 1, {KM_REASON_EMPTY_MEMBER}, {"empty.sgf", "a.sgf", NULL}},
    {"c20_zero_bytes.tar.gz", 0, {KM_REASON_EMPTY_ARCHIVE}, {"", NULL, NULL}},
    {"c22_bad_trailer.tar.gz", 2, {KM_REASON_CRC_ERROR}, {"a.sgf", "b.sgf", ""}},
};
enum { N_OUTCOMES = sizeof outcomes / sizeof outcomes[0] };

static void check_outcome(const outcome *o) {
  char path[256];
  probe p;
  snprintf(path, sizeof path, CASES "%s", o->file);
  probe_file(&p, path, NULL);
  print_message("%s: %zu games, %zu findings\n", o->file, p.n_games, p.n_findings);
  assert_int_equal(p.n_games, o->n_games);
  assert_int_equal(p.n_findings, o->reason[0] ? 1 : 0);
  if (o->reason[0])
    assert_int_equal(probe_count(&p, o->reason[0]), 1);
  for (size_t i = 0; i < 3; i++)
    if (o->names[i])
      assert_string_equal(p.entries[i].name, o->names[i]);
  for (size_t i = 0; i < p.n; i++) {
    assert_string_equal(p.entries[i].source, path);
    for (size_t k = 0; k < i; k++)
      assert_true(p.entries[i].index != p.entries[k].index);
  }
  probe_clear(&p);
}

static void all_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < N_OUTCOMES; i++)
    check_outcome(&outcomes[i]);
}

static void all_cases_in_c_locale(void **state) {
  (void)state;
  assert_non_null(setlocale(LC_ALL, "C"));
  for (size_t i = 0; i < N_OUTCOMES; i++)
    check_outcome(&outcomes[i]);
  assert_true(setlocale(LC_ALL, "C.UTF-8") || setlocale(LC_ALL, ""));
}

/* "2", "0..2", "1 or 3": whether n is allowed. */
static bool allows(const json_t *games, size_t n) {
  if (json_is_integer(games))
    return (size_t)json_integer_value(games) == n;
  unsigned a, b;
  const char *text = json_string_value(games);
  if (sscanf(text, "%u..%u", &a, &b) == 2)
    return n >= a && n <= b;
  return sscanf(text, "%u or %u", &a, &b) == 2 && (n == a || n == b);
}

/* The table above agrees with the case file, and no case is left out. The one difference is explained there.
 */
static void table_is_the_case_file(void **state) {
  (void)state;
  json_error_t error;
  json_t *cases = json_load_file(CASES "expect.json", 0, &error), *row;
  assert_non_null(cases);
  assert_int_equal(json_array_size(cases), N_OUTCOMES);
  size_t i;
  json_array_foreach(cases, i, row) {
    const char *file = json_string_value(json_object_get(row, "file"));
    size_t k = 0;
    while (k < N_OUTCOMES && strcmp(outcomes[k].file, file) != 0)
      k++;
    assert_true(k < N_OUTCOMES);
    size_t n = outcomes[k].n_games - (strcmp(file, "c19_zip_named.tar.gz") == 0);
    assert_true(allows(json_object_get(row, "games"), n));
  }
  json_decref(cases);
}

static void details_tell_what(void **state) {
  (void)state;
  probe p;
  probe_file(&p, CASES "c03_trailing_garbage.tar.gz", NULL);
  assert_string_equal(p.entries[3].detail, "8 bytes");
  probe_clear(&p);
  probe_file(&p, CASES "c14_crc.zip", NULL);
  assert_int_equal(probe_find(&p, "b.sgf")->reason, KM_REASON_CRC_ERROR);
  assert_null(probe_find(&p, "b.sgf")->bytes);
  probe_clear(&p);
}

/* Depth 0 is the input itself: with depth d, d archives in one another are read, the next one is told. */
static void depth_is_bounded(void **state) {
  (void)state;
  km_archive_limits limits;
  for (unsigned depth = 0; depth < 4; depth++) {
    probe p;
    km_archive_limits_default(&limits);
    limits.max_depth = depth;
    probe_file(&p, CASES "c07_nested.zip", &limits);
    assert_int_equal(p.n_games, depth < 2 ? depth + 1 : 3);
    assert_int_equal(probe_count(&p, KM_REASON_NESTED_TOO_DEEP), depth < 2);
    probe_clear(&p);
  }
}

/* An empty file is told by what its name says it should have been. */
static void empty_record(void **state) {
  (void)state;
  probe p;
  probe_file(&p, "tests/cases/inputs/P52.sgf", NULL);
  assert_int_equal(p.n, 1);
  assert_int_equal(p.entries[0].reason, KM_REASON_EMPTY_MEMBER);
  probe_clear(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_cases),
      cmocka_unit_test(all_cases_in_c_locale),
      cmocka_unit_test(table_is_the_case_file),
      cmocka_unit_test(details_tell_what),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(empty_record),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
