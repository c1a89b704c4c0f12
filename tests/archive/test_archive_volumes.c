/* test_archive_volumes.c: archives cut into pieces by programs that know nothing of archives: whole, they are
 * one input; without a piece, what stands before the gap is given and the piece is named. */
#include <archive.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive_probe.h"

enum { SEED = 90210, PARTS = 5, GAMES = 40 };

static const struct {
  const char *name; /* of a part; %s is its number */
  int format, filter;
  const char *numbers[PARTS];
} ways[] = {
    {"a.7z.%s", ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE, {"001", "002", "003", "004", "005"}},
    {"b.zip.%s", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, {"001", "002", "003", "004", "005"}},
    {"c.tar.gz.%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, {"aa", "ab", "ac", "ad", "ae"}},
    {"d.tgz.%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, {"00", "01", "02", "03", "04"}},
    {"e.tar.zst.%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD, {"000", "001", "002", "003", "004"}},
    {"f.tgz.part%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, {"1", "2", "3", "4", "5"}},
    {"g.tar.%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, {"aaa", "aab", "aac", "aad", "aae"}},
    {"i.tar.gz.%s", ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, {"0", "1", "2", "3", "4"}},
    {"h.zip.%s", ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, {"aa", "ab", "ac", "ad", "ae"}},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static const char *part_name(size_t way, size_t part) {
  static char name[64];
  const char *mark = strstr(ways[way].name, "%s");
  snprintf(name, sizeof name, "%.*s%s", (int)(mark - ways[way].name), ways[way].name,
           ways[way].numbers[part]);
  return name;
}

/* Parts of whole blocks: those of a tar may begin with a header then. */
static void write_parts(size_t way, const uint8_t *bytes, size_t n, const char **paths) {
  size_t step = (n / PARTS + 511) / 512 * 512;
  for (size_t i = 0; i < PARTS; i++) {
    size_t from = i * step < n ? i * step : n, to = i + 1 == PARTS || from + step > n ? n : from + step;
    paths[i] = probe_path("%s", part_name(way, i));
    probe_write(paths[i], bytes + from, to - from);
  }
}

static void whole_and_with_gaps(void **state) {
  (void)state;
  made_set set = made_games(GAMES, 1500, SEED);
  for (size_t way = 0; way < WAYS; way++) {
    const char *paths[PARTS], *rest[PARTS];
    size_t n;
    bool keeps =
        ways[way].format != ARCHIVE_FORMAT_7ZIP && ways[way].filter != ARCHIVE_FILTER_ZSTD; /* large blocks */
    made_how how = {.format = ways[way].format, .filter = ways[way].filter};
    assert_true(made_write(probe_path("whole"), &set, &how));
    uint8_t *bytes = probe_load(probe_path("whole"), &n);
    write_parts(way, bytes, n, paths);
    probe p;
    probe_read(&p, paths, PARTS, NULL);
    print_message("%s: %zu streams, %zu given\n", paths[0], p.n_streams, p.n_given);
    assert_int_equal(p.n_streams, 1);
    assert_int_equal(p.n_given, GAMES);
    assert_int_equal(p.n_findings, 0);
    assert_string_equal(p.entries[0].source, paths[0]);
    probe_clear(&p);
    for (size_t gone = 0; gone < PARTS; gone++) {
      for (size_t i = 0, k = 0; i < PARTS; i++)
        if (i != gone)
          rest[k++] = paths[i];
      assert_int_equal(unlink(paths[gone]), 0);
      probe_read(&p, rest, PARTS - 1, NULL);
      bool begins_elsewhere =
          gone == 0 && strspn(ways[way].numbers[0], "0") % 2; /* .001 seems to be the first then */
      assert_int_equal(probe_count(&p, KM_REASON_MISSING_VOLUME), gone               ? 1
                                                                  : begins_elsewhere ? 0
                                                                                     : PARTS - 1);
      assert_true(gone || begins_elsewhere || p.n_given == 0); /* bytes of nothing otherwise */
      assert_true(!gone || !keeps || p.n_given >= GAMES * gone / PARTS - 8);
      for (size_t i = 0; i < p.n && gone + 1 < PARTS; i++)
        if (p.entries[i].reason == KM_REASON_MISSING_VOLUME)
          assert_string_equal(p.entries[i].detail, part_name(way, gone));
      probe_clear(&p);
      write_parts(way, bytes, n, paths);
    }
    for (size_t i = 0; i < PARTS; i++)
      unlink(paths[i]);
    free(bytes);
  }
  made_clear(&set);
}

/* Files that only have such names are files of their own. */
static void not_parts(void **state) {
  (void)state;
  const char text[] = "(;SZ[9];B[ee])";
  const char *names[] = {"game.00",     "game.01",  "games.aa",  "games.ab", "x.tar.gz.aa",
                         "x.tar.gz.ab", "y.part1",  "y.part2",   "z.tar.gz", "z.zip.sgf",
                         "z.tar.xz",    "z.7z.sig", "z.tar.zst", "z.zip.txt"};
  enum { NAMES = sizeof names / sizeof names[0] };
  const char *paths[NAMES];
  for (size_t i = 0; i < NAMES; i++) {
    paths[i] = probe_path("%s", names[i]);
    probe_write(paths[i], text, strlen(text));
  }
  probe p;
  probe_read(&p, paths, NAMES, NULL);
  assert_int_equal(p.n_streams, NAMES);
  assert_int_equal(p.n_given, NAMES);
  assert_int_equal(p.n_findings, 0);
  probe_clear(&p);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(whole_and_with_gaps), cmocka_unit_test(not_parts)};
  return cmocka_run_group_tests(tests, NULL, leave);
}
