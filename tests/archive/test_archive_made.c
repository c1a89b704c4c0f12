/* test_archive_made.c: archives made here, in every container and filter, come back entry for entry. */
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive_probe.h"
#include "kifumill/hash.h"

enum { SEED = 20240611 };

/* Everything given is the set, in its order (xar and iso sort theirs), without a finding. */
static void check_same(const probe *p, const made_set *set, bool any_order) {
  if (p->n_findings)
    print_message("finding: %s %s\n", km_reason_code(p->entries[p->n - 1].reason),
                  p->entries[p->n - 1].detail);
  assert_int_equal(p->n_findings, 0);
  assert_int_equal(p->n, set->n);
  for (size_t i = 0; i < set->n; i++) {
    const probe_entry *e = &p->entries[i];
    const char *base = strrchr(set->entries[i].name, '/');
    for (size_t k = 0; any_order && !strstr(e->name, base) && k < p->n; k++)
      e = &p->entries[k];
    assert_non_null(strstr(e->name, base));
    assert_int_equal(e->n_bytes, set->entries[i].n_bytes);
    assert_memory_equal(e->bytes, set->entries[i].bytes, set->entries[i].n_bytes);
  }
}

static void round_trip(const made_set *set, const made_how *how, const char *file) {
  probe p;
  const char *path = probe_path("%s", file);
  print_message("%s\n", file);
  assert_true(made_write(path, set, how));
  probe_file(&p, path, NULL);
  check_same(&p, set, how->format == ARCHIVE_FORMAT_XAR || how->format == ARCHIVE_FORMAT_ISO9660);
  probe_clear(&p);
}

static const struct {
  int format;
  const char *name;
} formats[] = {
    {ARCHIVE_FORMAT_TAR_USTAR, "ustar"},
    {ARCHIVE_FORMAT_TAR_GNUTAR, "gnutar"},
    {ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, "pax"},
    {ARCHIVE_FORMAT_CPIO_POSIX, "odc"},
    {ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, "newc"},
    {ARCHIVE_FORMAT_CPIO_BIN_LE, "bincpio"},
    {ARCHIVE_FORMAT_ZIP, "zip"},
    {ARCHIVE_FORMAT_7ZIP, "7z"},
    {ARCHIVE_FORMAT_XAR, "xar"},
    {ARCHIVE_FORMAT_ISO9660, "iso"},
    {ARCHIVE_FORMAT_WARC, "warc"},
};
static const struct {
  int filter;
  const char *name;
} filters[] = {
    {ARCHIVE_FILTER_NONE, "plain"}, {ARCHIVE_FILTER_GZIP, "gz"},   {ARCHIVE_FILTER_BZIP2, "bz2"},
    {ARCHIVE_FILTER_COMPRESS, "Z"}, {ARCHIVE_FILTER_LZMA, "lzma"}, {ARCHIVE_FILTER_XZ, "xz"},
    {ARCHIVE_FILTER_UU, "uu"},      {ARCHIVE_FILTER_LZIP, "lz"},   {ARCHIVE_FILTER_LZ4, "lz4"},
    {ARCHIVE_FILTER_ZSTD, "zst"},
};
enum { N_FORMATS = sizeof formats / sizeof formats[0], N_FILTERS = sizeof filters / sizeof filters[0] };

/* Large entries cross the blocks of streams; the file's name says nothing true. */
static void every_format_and_filter(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  made_set set = made_games(8, 20000, SEED);
  made_set wide = made_games(2, 400000, SEED + 1);
  for (size_t f = 0; f < N_FORMATS; f++)
    for (size_t k = 0; k < N_FILTERS; k++) {
      made_how how = {.format = formats[f].format, .filter = filters[k].filter};
      char file[64];
      snprintf(file, sizeof file, "%s-%s.txt", formats[f].name, filters[k].name);
      if (formats[f].format == ARCHIVE_FORMAT_XAR && !made_write(probe_path("try.xar"), &set, &how)) {
        print_message("this libarchive writes no xar\n");
        break;
      }
      round_trip(&set, &how, file);
      if (f == 0 || k == 0)
        round_trip(&wide, &how, file);
    }
  made_clear(&set);
  made_clear(&wide);
}

static void ar_round_trip(void **state) {
  (void)state;
  made_set set = made_games(5, 3000, SEED);
  for (size_t i = 0; i < set.n; i++)
    sprintf(set.entries[i].name, "g%zu.sgf", i);
  probe p;
  made_how how = {.format = ARCHIVE_FORMAT_AR_BSD, .filter = ARCHIVE_FILTER_NONE};
  assert_true(made_write(probe_path("a.ar"), &set, &how));
  probe_file(&p, probe_path("a.ar"), NULL);
  assert_int_equal(p.n_games, 5);
  assert_int_equal(p.n_findings, 0);
  probe_clear(&p);
  made_clear(&set);
}

static uint8_t *join(const char *const *paths, size_t n_paths, size_t *n_bytes) {
  uint8_t *all = NULL;
  *n_bytes = 0;
  for (size_t i = 0; i < n_paths; i++) {
    size_t n;
    uint8_t *bytes = probe_load(paths[i], &n);
    all = realloc(all, *n_bytes + n);
    assert_non_null(all);
    memcpy(all + *n_bytes, bytes, n);
    *n_bytes += n;
    free(bytes);
  }
  return all;
}

/* Two tars one behind the other, plain or each in its own member, frame or stream, with NULs between. */
static void members_are_joined(void **state) {
  (void)state;
  made_set first = made_games(30, 20000, SEED), second = made_games(30, 20000, SEED + 9);
  const int kinds[] = {ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_XZ,
                       ARCHIVE_FILTER_LZIP, ARCHIVE_FILTER_ZSTD, ARCHIVE_FILTER_LZ4};
  static const uint8_t nuls[1024];
  probe_write(probe_path("nuls"), nuls, sizeof nuls);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    made_how how = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = kinds[k]};
    assert_true(made_write(probe_path("one"), &first, &how) && made_write(probe_path("two"), &second, &how));
    bool padded = kinds[k] != ARCHIVE_FILTER_LZ4;
    const char *parts[] = {probe_path("one"), padded ? probe_path("nuls") : probe_path("two"),
                           probe_path("two")};
    size_t n;
    uint8_t *all = join(parts, padded ? 3 : 2, &n);
    probe p;
    probe_write(probe_path("both"), all, n);
    probe_file(&p, probe_path("both"), NULL);
    print_message("filter %d: %zu entries, %zu findings\n", kinds[k], p.n_given, p.n_findings);
    assert_int_equal(p.n_given, 60);
    assert_int_equal(p.n_findings, 0);
    assert_memory_equal(p.entries[59].bytes, second.entries[29].bytes, second.entries[29].n_bytes);
    assert_int_equal(p.entries[59].index, 59);
    probe_clear(&p);
    free(all);
  }
  made_clear(&first);
  made_clear(&second);
}

/* zip, 7z, rar behind a filter, and a tar compressed twice. */
static void filters_in_one_another(void **state) {
  (void)state;
  made_set inner = made_games(20, 5000, SEED), outer = {calloc(1, sizeof(made_entry)), 1};
  made_how tar = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = ARCHIVE_FILTER_GZIP};
  made_how raw = {.format = ARCHIVE_FORMAT_RAW, .filter = ARCHIVE_FILTER_XZ};
  assert_true(made_write(probe_path("in"), &inner, &tar));
  strcpy(outer.entries[0].name, "data");
  for (unsigned depth = 1; depth < 10; depth++) {
    probe p;
    outer.entries[0].bytes = probe_load(probe_path("in"), &outer.entries[0].n_bytes);
    assert_true(made_write(probe_path("in"), &outer, &raw));
    free(outer.entries[0].bytes);
    probe_file(&p, probe_path("in"), NULL);
    assert_int_equal(p.n_given, depth < 8 ? 20 : 0);
    assert_int_equal(probe_count(&p, KM_REASON_NESTED_TOO_DEEP), depth >= 8);
    probe_clear(&p);
  }
  free(outer.entries);
  made_clear(&inner);
}

/* A game and an archive of the same kind, again and again. */
static void nesting(void **state) {
  (void)state;
  const int kinds[] = {ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_7ZIP};
  for (size_t k = 0; k < 3; k++) {
    made_set game = made_games(1, 2000, SEED), set = {calloc(2, sizeof(made_entry)), 2};
    made_how how = {.format = kinds[k], .filter = ARCHIVE_FILTER_NONE};
    assert_true(made_write(probe_path("nest"), &game, &how));
    for (unsigned depth = 1; depth <= 5; depth++) {
      set.entries[0] = game.entries[0];
      strcpy(set.entries[1].name, "inner");
      set.entries[1].bytes = probe_load(probe_path("nest"), &set.entries[1].n_bytes);
      assert_true(made_write(probe_path("nest"), &set, &how));
      free(set.entries[1].bytes);
      probe p;
      probe_file(&p, probe_path("nest"), NULL);
      assert_int_equal(p.n_games, depth < 3 ? depth + 1 : 4);
      assert_int_equal(probe_count(&p, KM_REASON_NESTED_TOO_DEEP), depth > 3);
      if (depth == 2)
        assert_string_equal(p.entries[2].name, "inner//inner//games/g0000.sgf");
      probe_clear(&p);
    }
    free(set.entries);
    made_clear(&game);
  }
}

/* Skipping an entry of a solid 7z breaks libarchive's next one: it must be read to its end. */
static void solid_7z_with_a_large_unwanted_entry(void **state) {
  (void)state;
  made_set set = made_games(3, 5000, SEED);
  free(set.entries[1].bytes);
  strcpy(set.entries[1].name, "__MACOSX/big.bin");
  set.entries[1].n_bytes = 33u << 20;
  set.entries[1].bytes = malloc(set.entries[1].n_bytes);
  assert_non_null(set.entries[1].bytes);
  for (size_t i = 0; i < set.entries[1].n_bytes; i++)
    set.entries[1].bytes[i] = (uint8_t)(i * i >> 11);
  made_how how = {.format = ARCHIVE_FORMAT_7ZIP,
                  .filter = ARCHIVE_FILTER_NONE,
                  .options = "7zip:compression=deflate,7zip:compression-level=1"};
  assert_true(made_write(probe_path("solid.7z"), &set, &how));
  probe p;
  probe_file(&p, probe_path("solid.7z"), NULL);
  assert_int_equal(p.n_findings, 0);
  assert_int_equal(p.n_given, 2);
  assert_memory_equal(p.entries[1].bytes, set.entries[2].bytes, set.entries[2].n_bytes);
  assert_int_equal(p.entries[1].index, 2);
  probe_clear(&p);
  /* Too large to be used, but wanted: the same way out, and told. */
  strcpy(set.entries[1].name, "big.bin");
  assert_true(made_write(probe_path("solid.7z"), &set, &how));
  km_archive_limits limits;
  km_archive_limits_default(&limits);
  limits.max_entry_bytes = 1 << 20;
  probe_file(&p, probe_path("solid.7z"), &limits);
  assert_int_equal(p.n_given, 2);
  assert_int_equal(probe_find(&p, "big.bin")->reason, KM_REASON_ENTRY_TOO_LARGE);
  assert_memory_equal(p.entries[2].bytes, set.entries[2].bytes, set.entries[2].n_bytes);
  probe_clear(&p);
  made_clear(&set);
}

/* A collection as one file, plain, compressed, and large enough to be mapped. */
static void bare_files(void **state) {
  (void)state;
  made_set set = made_games(1, 100, SEED);
  free(set.entries[0].bytes);
  set.entries[0].n_bytes = 3u << 20;
  set.entries[0].bytes = malloc(set.entries[0].n_bytes);
  assert_non_null(set.entries[0].bytes);
  memset(set.entries[0].bytes, ';', set.entries[0].n_bytes);
  memcpy(set.entries[0].bytes, "(;", 2);
  for (size_t n = 3; n <= set.entries[0].n_bytes; n = n * 64 + 1)
    for (size_t k = 0; k < N_FILTERS; k++) {
      made_how how = {.format = ARCHIVE_FORMAT_RAW, .filter = filters[k].filter};
      set.entries[0].n_bytes = n;
      set.entries[0].bytes[n - 1] = ')';
      assert_true(made_write(probe_path("bare.sgf"), &set, &how));
      set.entries[0].bytes[n - 1] = ';';
      probe p;
      probe_file(&p, probe_path("bare.sgf"), NULL);
      assert_int_equal(p.n, 1);
      assert_int_equal(p.n_findings, 0);
      assert_string_equal(p.entries[0].name, "");
      assert_int_equal(p.entries[0].n_bytes, n);
      probe_clear(&p);
      set.entries[0].n_bytes = 3u << 20;
    }
  made_clear(&set);
}

/* Texts of other kinds are bare files: nothing takes them for a container. */
static void texts_are_bare(void **state) {
  (void)state;
  const char *const texts[] = {"#mtree\n./a.sgf type=file size=3\n",
                               "begin the game\n(;GM[1])",
                               "(;GM[1]FF[4])",
                               "\xef\xbb\xbf(;GM[1])",
                               "/* C */ int main;",
                               "\\[GIBOKIND=Global\\]",
                               "MZ(;B[aa])",
                               "<!DOCTYPE html><html>",
                               "PK",
                               "x",
                               "0707 is no cpio",
                               "\x1f\x8b",
                               "Rar!",
                               "]\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    probe p;
    probe_write(probe_path("text"), texts[i], strlen(texts[i]));
    probe_file(&p, probe_path("text"), NULL);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.n_given, 1);
    assert_int_equal(p.n_findings, 0);
    assert_int_equal(p.entries[0].n_bytes, strlen(texts[i]));
    probe_clear(&p);
  }
}

/* What a zip of many entries is split into, read stream by stream, is the archive. */
static void large_zip_is_split(void **state) {
  (void)state;
  made_set set = made_games(5000, 300, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE};
  assert_true(made_write(probe_path("large.zip"), &set, &how));
  probe p;
  probe_file(&p, probe_path("large.zip"), NULL);
  assert_int_equal(p.n_streams, 5);
  check_same(&p, &set, false);
  for (size_t i = 0; i < p.n; i++)
    assert_int_equal(p.entries[i].index, i);
  probe_clear(&p);
  km_archive_limits limits;
  km_archive_limits_default(&limits);
  limits.max_entries = 1500;
  probe_file(&p, probe_path("large.zip"), &limits);
  assert_int_equal(p.n_given, 1500);
  assert_int_equal(probe_count(&p, KM_REASON_TOO_MANY_ENTRIES), 4);
  probe_clear(&p);
  made_clear(&set);
}

typedef struct turn {
  pthread_t thread;
  const km_inputs *inputs;
  size_t i;
  uint64_t n_bytes, sum;
} turn;

static void *read_turn(void *data) {
  turn *t = data;
  km_archive_reader *reader;
  km_entry entry;
  if (km_archive_open(&reader, t->inputs, t->i, NULL))
    return NULL;
  while (km_archive_next(reader, &entry, NULL) == KM_OK) {
    t->n_bytes += entry.n_bytes;
    t->sum += km_hash_bytes(entry.bytes, entry.bytes ? entry.n_bytes : 0).low;
  }
  km_archive_close(reader);
  return t;
}

/* All streams at once, a thread each: the same as one after the other. */
static void streams_in_threads(void **state) {
  (void)state;
  made_set set = made_games(3000, 600, SEED);
  const int kinds[] = {ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_7ZIP, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE,
                       ARCHIVE_FORMAT_TAR_USTAR};
  const char *paths[4];
  for (size_t k = 0; k < 4; k++) {
    made_how how = {.format = kinds[k],
                    .filter = k < 2 ? ARCHIVE_FILTER_NONE : ARCHIVE_FILTER_ZSTD,
                    .options = k == 1 ? "7zip:compression=deflate" : NULL};
    paths[k] = probe_path("thread%zu", k);
    assert_true(made_write(paths[k], &set, &how));
  }
  km_inputs *inputs;
  assert_int_equal(km_inputs_open(&inputs, paths, 4, NULL, NULL), KM_OK);
  size_t n = km_inputs_count(inputs);
  assert_int_equal(n, 6); /* the zip has three ranges */
  turn alone[6] = {0}, together[6] = {0};
  for (size_t i = 0; i < n; i++) {
    together[i] = alone[i] = (turn){.inputs = inputs, .i = i};
    assert_non_null(read_turn(&alone[i]));
  }
  for (size_t i = 0; i < n; i++)
    assert_int_equal(pthread_create(&together[i].thread, NULL, read_turn, &together[i]), 0);
  for (size_t i = 0; i < n; i++) {
    assert_int_equal(pthread_join(together[i].thread, NULL), 0);
    assert_true(alone[i].n_bytes > 0 && together[i].n_bytes == alone[i].n_bytes &&
                together[i].sum == alone[i].sum);
  }
  assert_int_equal(alone[3].sum, alone[4].sum);
  assert_int_equal(alone[0].sum + alone[1].sum + alone[2].sum, alone[5].sum);
  km_inputs_free(inputs);
  made_clear(&set);
}

/* Names that no locale explains: raw in tar, UTF-16 in 7z, under the C locale and UTF-8. */
static void names_under_any_locale(void **state) {
  (void)state;
  made_set set = made_games(2, 200, SEED);
  strcpy(set.entries[0].name, "d/\xe6\xa3\x8b\xe8\xad\x9c.sgf");
  strcpy(set.entries[1].name, "d/tab\there.sgf");
  const int kinds[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FORMAT_7ZIP,
                       ARCHIVE_FORMAT_ZIP};
  for (size_t k = 0; k < 4; k++)
    for (unsigned c_locale = 0; c_locale < 2; c_locale++) {
      made_how how = {.format = kinds[k], .filter = ARCHIVE_FILTER_NONE};
      assert_non_null(setlocale(LC_ALL, "C.UTF-8"));
      assert_true(made_write(probe_path("names"), &set, &how));
      assert_non_null(setlocale(LC_ALL, c_locale ? "C" : "C.UTF-8"));
      probe p;
      probe_file(&p, probe_path("names"), NULL);
      assert_int_equal(p.n_given, 2);
      assert_string_equal(p.entries[0].name, set.entries[0].name);
      assert_string_equal(p.entries[1].name, "d/tab\\x09here.sgf");
      probe_clear(&p);
    }
  assert_non_null(setlocale(LC_ALL, "C"));
  strcpy(set.entries[0].name, "d/\x8a\xfb\x95\x88.sgf"); /* Shift-JIS */
  made_how how = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = ARCHIVE_FILTER_NONE};
  assert_true(made_write(probe_path("names"), &set, &how));
  for (unsigned c_locale = 0; c_locale < 2; c_locale++) {
    assert_non_null(setlocale(LC_ALL, c_locale ? "C" : "C.UTF-8"));
    probe p;
    probe_file(&p, probe_path("names"), NULL);
    assert_string_equal(p.entries[0].name, "d/\\x8A\\xFB\\x95\\x88.sgf");
    probe_clear(&p);
  }
  made_clear(&set);
}

/* Formats that nothing here writes, as their descriptions say. */
static uint32_t crc32_of(const uint8_t *bytes, size_t n) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
  }
  return ~crc;
}

static size_t put(uint8_t *to, size_t at, uint64_t value, unsigned n_bytes) {
  for (unsigned i = 0; i < n_bytes; i++)
    to[at + i] = (uint8_t)(value >> 8 * i);
  return at + n_bytes;
}

static const char game_text[] = "(;GM[1]SZ[9];B[cc];W[gg])";
enum { N_GAME = sizeof game_text - 1 };

/* RAR 4: mark, archive header, one stored file, end. */
static size_t make_rar4(uint8_t *to) {
  memcpy(to, "Rar!\x1a\x07\0", 7);
  size_t at = put(to, 9, 0x73, 1);
  at = put(to, at, 0, 2);
  at = put(to, at, 13, 2);
  at = put(to, at, 0, 6);
  put(to, 7, crc32_of(to + 9, 11) & 0xffff, 2);
  size_t head = at, from = head + 2;
  at = put(to, from, 0x74, 1);
  at = put(to, at, 0x8000, 2);
  at = put(to, at, 32 + 5, 2);
  at = put(to, at, N_GAME, 4);
  at = put(to, at, N_GAME, 4);
  at = put(to, at, 3, 1); /* Unix */
  at = put(to, at, crc32_of((const uint8_t *)game_text, N_GAME), 4);
  at = put(to, at, 0, 4);
  at = put(to, at, 20, 1);
  at = put(to, at, 0x30, 1); /* stored */
  at = put(to, at, 5, 2);
  at = put(to, at, 0100644, 4);
  memcpy(to + at, "a.sgf", 5);
  at += 5;
  put(to, head, crc32_of(to + from, at - from) & 0xffff, 2);
  memcpy(to + at, game_text, N_GAME);
  at += N_GAME;
  memcpy(to + at, "\xc4\x3d\x7b\x00\x40\x07\x00", 7);
  return at + 7;
}

/* A RAR 5 header block: sum, size, body. */
static size_t put_rar5(uint8_t *to, size_t at, const uint8_t *body, size_t n) {
  uint8_t block[128] = {(uint8_t)n};
  memcpy(block + 1, body, n);
  at = put(to, at, crc32_of(block, n + 1), 4);
  memcpy(to + at, block, n + 1);
  return at + n + 1;
}

static size_t make_rar5(uint8_t *to) {
  memcpy(to, "Rar!\x1a\x07\x01\0", 8);
  size_t at = put_rar5(to, 8, (const uint8_t[]){1, 0, 0}, 3);
  uint8_t file[64] = {2, 2 /* data follow */, N_GAME, 4 /* has a sum */, N_GAME, 0x24};
  size_t n = put(file, 6, crc32_of((const uint8_t *)game_text, N_GAME), 4);
  n = put(file, n, 0, 1); /* stored */
  n = put(file, n, 1, 1); /* Unix */
  n = put(file, n, 5, 1);
  memcpy(file + n, "a.sgf", 5);
  at = put_rar5(to, at, file, n + 5);
  memcpy(to + at, game_text, N_GAME);
  return put_rar5(to, at + N_GAME, (const uint8_t[]){5, 0, 0}, 3);
}

static size_t make_cab(uint8_t *to) {
  size_t total = 36 + 8 + 16 + 6 + 8 + N_GAME;
  memset(to, 0, total);
  memcpy(to, "MSCF", 4);
  put(to, 8, total, 4);
  put(to, 16, 44, 4); /* first file */
  put(to, 24, 0x0103, 2);
  put(to, 26, 1, 2); /* folders */
  put(to, 28, 1, 2); /* files */
  size_t data = put(to, 36, 44 + 22, 4);
  put(to, data, 1, 2); /* one block, stored */
  put(to, 44, N_GAME, 4);
  put(to, 44 + 14, 0x20, 2);
  memcpy(to + 60, "a.sgf", 6);
  put(to, 70, N_GAME, 2);
  put(to, 72, N_GAME, 2);
  memcpy(to + 74, game_text, N_GAME);
  return total;
}

/* LHA, level 0, stored. */
static size_t make_lha(uint8_t *to) {
  unsigned crc = 0, sum = 0;
  for (size_t i = 0; i < N_GAME; i++) {
    crc ^= (uint8_t)game_text[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (0xa001u & -(crc & 1));
  }
  memset(to, 0, 64);
  put(to, 0, 22 + 5, 1);
  memcpy(to + 2, "-lh0-", 5);
  put(to, 7, N_GAME, 4);
  put(to, 11, N_GAME, 4);
  put(to, 15, 0x50210000, 4);
  put(to, 19, 0x20, 1);
  put(to, 21, 5, 1);
  memcpy(to + 22, "a.sgf", 5);
  put(to, 27, crc, 2);
  for (size_t i = 2; i < 29; i++)
    sum += to[i];
  put(to, 1, sum & 255, 1);
  memcpy(to + 29, game_text, N_GAME);
  return put(to, 29 + N_GAME, 0, 1);
}

static void formats_made_by_hand(void **state) {
  (void)state;
  size_t (*const makers[])(uint8_t *) = {make_rar4, make_rar5, make_cab, make_lha};
  for (size_t i = 0; i < 4; i++) {
    uint8_t bytes[512] = {0};
    size_t n = makers[i](bytes);
    probe p;
    probe_write(probe_path("hand"), bytes, n);
    probe_file(&p, probe_path("hand"), NULL);
    for (size_t k = 0; k < p.n; k++)
      print_message("%zu: %s %s %s\n", i, p.entries[k].name, km_reason_code(p.entries[k].reason),
                    p.entries[k].detail ? p.entries[k].detail : "");
    assert_int_equal(p.n, 1);
    assert_int_equal(p.n_findings, 0);
    assert_string_equal(p.entries[0].name, "a.sgf");
    assert_int_equal(p.entries[0].n_bytes, N_GAME);
    assert_memory_equal(p.entries[0].bytes, game_text, N_GAME);
    probe_clear(&p);
    bytes[n - N_GAME / 2 - 8] ^= 0x55; /* in the data of all of them */
    probe_write(probe_path("hand"), bytes, n);
    probe_file(&p, probe_path("hand"), NULL);
    if (i != 2) { /* a CAB may have no sums */
      assert_int_equal(p.n_given, 0);
      assert_int_equal(probe_count(&p, KM_REASON_CRC_ERROR), 1);
    }
    probe_clear(&p);
  }
}

/* Cut at any byte: told, also where libarchive takes the rest for the end. A RAR 4 that needs no newer
 * unpacker than 2.0 may have no end mark, so a cut between two entries is not to be seen. */
static void formats_made_by_hand_and_cut(void **state) {
  (void)state;
  size_t (*const makers[])(uint8_t *) = {make_rar4, make_rar5, make_cab, make_lha};
  for (size_t i = 0; i < 4; i++) {
    uint8_t bytes[512] = {0};
    size_t n = makers[i](bytes), n_unseen = 0;
    for (size_t cut = 1; cut < n; cut++) {
      probe p;
      probe_write(probe_path("hand"), bytes, cut);
      probe_file(&p, probe_path("hand"), NULL);
      bool is_bare =
          p.n_given == 1 && !p.entries[0].name[0]; /* its signature is cut: for the parser to name */
      n_unseen += !p.n_findings && !is_bare;
      probe_clear(&p);
    }
    assert_int_equal(n_unseen, i == 0);
  }
}

/* Runs a tool; false when it is not there or fails. */
static bool run(const char *format, ...) {
  char command[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  return system(command) == 0;
}

/* The methods of zip that only other programs write. */
static void zip_methods(void **state) {
  (void)state;
  if (!run("command -v 7z >/dev/null")) {
    print_message("no 7z\n");
    skip();
  }
  made_set set = made_games(4, 30000, SEED);
  assert_true(run("mkdir -p %s/games", probe_folder()));
  for (size_t i = 0; i < set.n; i++)
    probe_write(probe_path("%s", set.entries[i].name), set.entries[i].bytes, set.entries[i].n_bytes);
  const char *const methods[] = {"Copy", "Deflate", "BZip2", "LZMA", "PPMd"};
  for (size_t i = 0; i < 5; i++) {
    probe p;
    assert_true(
        run("cd %s && rm -f m.zip && 7z a -tzip -mm=%s m.zip games >/dev/null", probe_folder(), methods[i]));
    probe_file(&p, probe_path("m.zip"), NULL);
    print_message("%s\n", methods[i]);
    check_same(&p, &set, false);
    probe_clear(&p);
  }
  /* Deflate64 is in no library here: named, and the entries beside it are read. */
  probe p;
  assert_true(run("cd %s && rm -f m.zip && 7z a -tzip -mm=Deflate64 m.zip games >/dev/null", probe_folder()));
  probe_file(&p, probe_path("m.zip"), NULL);
  assert_int_equal(p.n_given + p.n_findings, 4);
  assert_int_equal(probe_count(&p, KM_REASON_UNSUPPORTED_ARCHIVE), p.n_findings);
  probe_clear(&p);
  assert_true(run("cd %s && rm -f m.7z && 7z a -m0=Deflate64 m.7z games >/dev/null", probe_folder()));
  probe_file(&p, probe_path("m.7z"), NULL);
  assert_int_equal(p.n_given, 0);
  assert_int_equal(probe_count(&p, KM_REASON_UNSUPPORTED_ARCHIVE), p.n_findings);
  probe_clear(&p);
  assert_true(run("rm -rf %s/games", probe_folder()));
  made_clear(&set);
}

static void encryption_is_named(void **state) {
  (void)state;
  made_set set = made_games(3, 3000, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_ZIP,
                  .filter = ARCHIVE_FILTER_NONE,
                  .options = "zip:encryption=zipcrypt",
                  .passphrase = "x"};
  probe p;
  assert_true(made_write(probe_path("locked.zip"), &set, &how));
  probe_file(&p, probe_path("locked.zip"), NULL);
  assert_int_equal(p.n_given, 0);
  assert_int_equal(probe_count(&p, KM_REASON_ENCRYPTED_ENTRY), 3);
  probe_clear(&p);
  if (run("command -v 7z >/dev/null")) {
    probe_write(probe_path("a.sgf"), set.entries[0].bytes, set.entries[0].n_bytes);
    assert_true(
        run("cd %s && 7z a -px locked.7z a.sgf >/dev/null && 7z a -px -mhe=on hidden.7z a.sgf >/dev/null",
            probe_folder()));
    probe_file(&p, probe_path("locked.7z"), NULL);
    assert_int_equal(p.n_given, 0);
    assert_int_equal(probe_count(&p, KM_REASON_ENCRYPTED_ENTRY), 1);
    probe_clear(&p);
    probe_file(&p, probe_path("hidden.7z"), NULL);
    assert_int_equal(p.n, 1);
    assert_int_equal(p.entries[0].reason, KM_REASON_ENCRYPTED_ENTRY);
    probe_clear(&p);
  }
  made_clear(&set);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_and_filter),
      cmocka_unit_test(ar_round_trip),
      cmocka_unit_test(members_are_joined),
      cmocka_unit_test(filters_in_one_another),
      cmocka_unit_test(nesting),
      cmocka_unit_test(solid_7z_with_a_large_unwanted_entry),
      cmocka_unit_test(bare_files),
      cmocka_unit_test(texts_are_bare),
      cmocka_unit_test(large_zip_is_split),
      cmocka_unit_test(names_under_any_locale),
      cmocka_unit_test(streams_in_threads),
      cmocka_unit_test(formats_made_by_hand),
      cmocka_unit_test(formats_made_by_hand_and_cut),
      cmocka_unit_test(zip_methods),
      cmocka_unit_test(encryption_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, leave);
}
