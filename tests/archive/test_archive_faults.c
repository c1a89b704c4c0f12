/* test_archive_faults.c: cut, damaged, lying and swollen archives: whole entries before the fault are given,
 * and the fault is told. Nothing given is ever other than what was put in. */
#include <archive.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive_probe.h"
#include "kifumill/hash.h"

enum { SEED = 424242, CUTS = 16 };

static const struct {
  int format, filter;
  const char *name;
  bool keeps;   /* what is before a cut can be read */
  bool has_sum; /* every entry is under a check sum */
} kinds[] = {
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_NONE, "tar", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, "tar.gz", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_BZIP2, "tar.bz2", false, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_XZ, "tar.xz", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_LZIP, "tar.lz", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_LZMA, "tar.lzma", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD, "tar.zst", true, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_LZ4, "tar.lz4", false, false},
    {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_COMPRESS, "tar.Z", true, false},
    {ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, ARCHIVE_FILTER_NONE, "pax", true, false},
    {ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, ARCHIVE_FILTER_NONE, "cpio", true, false},
    {ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, "zip", true, true},
    {ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_GZIP, "zip.gz", true, true},
    {ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE, "7z", false, true},
    {ARCHIVE_FORMAT_ISO9660, ARCHIVE_FILTER_NONE, "iso", false, false},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

static const made_entry *same_entry(const made_set *set, const probe_entry *e) {
  for (size_t i = 0; i < set->n; i++)
    if (strstr(e->name, strrchr(set->entries[i].name, '/')))
      return &set->entries[i];
  return NULL;
}

static bool is_same(const made_set *set, const probe_entry *e) {
  const made_entry *m = same_entry(set, e);
  return m && m->n_bytes == e->n_bytes && memcmp(m->bytes, e->bytes, e->n_bytes) == 0;
}

/* A cut archive gives whole entries only, and says that it is cut. */
static void check_cut(const char *path, const made_set *set, size_t k, size_t cut) {
  probe p;
  probe_file(&p, path, NULL);
  for (size_t i = 0; i < p.n; i++)
    if (p.entries[i].bytes)
      assert_true(is_same(set, &p.entries[i]));
  if (p.n_given < set->n && !p.n_findings)
    fail_msg("%s cut to %zu/%d: %zu entries and not a word", kinds[k].name, cut, CUTS, p.n_given);
  for (size_t i = 0; i < p.n; i++)
    if (p.entries[i].reason)
      assert_true(p.entries[i].reason == KM_REASON_TRUNCATED_ARCHIVE ||
                  p.entries[i].reason == KM_REASON_CORRUPT_ARCHIVE ||
                  p.entries[i].reason == KM_REASON_EMPTY_ARCHIVE ||
                  p.entries[i].reason == KM_REASON_EMPTY_MEMBER);
  /* Entries are of about one size: those before the cut are there, but for what is in one block of zstd. */
  if (kinds[k].keeps && p.n_given + 12 < set->n * cut / CUTS)
    fail_msg("%s cut to %zu/%d: only %zu of %zu entries", kinds[k].name, cut, CUTS, p.n_given, set->n);
  probe_clear(&p);
}

static void cut_at_every_sixteenth(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  made_set set = made_games(40, 30000, SEED);
  for (size_t k = 0; k < N_KINDS; k++) {
    size_t n;
    made_how how = {.format = kinds[k].format, .filter = kinds[k].filter};
    assert_true(made_write(probe_path("whole"), &set, &how));
    uint8_t *bytes = probe_load(probe_path("whole"), &n);
    const char *path = probe_path("cut");
    for (size_t cut = 1; cut < CUTS; cut++) {
      probe_write(path, bytes, n * cut / CUTS);
      check_cut(path, &set, k, cut);
    }
    for (size_t cut = 1; cut <= 40 && cut < n; cut += 7) { /* ends of headers, marks, sums */
      probe_write(path, bytes, n - cut);
      probe p;
      probe_file(&p, path, NULL);
      for (size_t i = 0; i < p.n; i++)
        if (p.entries[i].bytes)
          assert_true(is_same(&set, &p.entries[i]));
      assert_true(p.n_given == set.n || p.n_findings);
      probe_clear(&p);
      probe_write(path, bytes, cut);
      probe_file(&p, path, NULL);
      assert_true(p.n > 0);
      probe_clear(&p);
    }
    free(bytes);
  }
  made_clear(&set);
}

/* A tar that ends between two entries lacks its end mark. */
static void cut_between_entries(void **state) {
  (void)state;
  made_set set = made_games(10, 400, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = ARCHIVE_FILTER_NONE};
  size_t n, at = 0;
  assert_true(made_write(probe_path("whole"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("whole"), &n);
  for (size_t i = 0; i < 4; i++)
    at += 512 + (set.entries[i].n_bytes + 511) / 512 * 512;
  probe_write(probe_path("cut"), bytes, at);
  probe p;
  probe_file(&p, probe_path("cut"), NULL);
  assert_int_equal(p.n_given, 4);
  assert_int_equal(probe_count(&p, KM_REASON_TRUNCATED_ARCHIVE), 1);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

/* Some bytes flipped: no crash, a word about it where a sum covers the data, and the entries that are given
 * are right. */
static void damage(void **state) {
  (void)state;
  made_set set = made_games(20, 3000, SEED);
  for (size_t k = 0; k < N_KINDS; k++) {
    size_t n;
    made_how how = {.format = kinds[k].format, .filter = kinds[k].filter};
    assert_true(made_write(probe_path("whole"), &set, &how));
    uint8_t *bytes = probe_load(probe_path("whole"), &n);
    const char *path = probe_path("damaged");
    for (uint64_t turn = 0; turn < 40; turn++) {
      size_t at = km_random_below(km_random(SEED, k, turn, KM_PURPOSE_SAMPLE), n);
      bytes[at] ^= 0x40;
      probe_write(path, bytes, n);
      bytes[at] ^= 0x40;
      probe p;
      probe_file(&p, path, NULL);
      for (size_t i = 0; i < p.n && kinds[k].has_sum; i++)
        if (p.entries[i].bytes && same_entry(&set, &p.entries[i]))
          assert_true(is_same(&set, &p.entries[i]));
      assert_true(p.n > 0);
      probe_clear(&p);
    }
    free(bytes);
  }
  made_clear(&set);
}

/* A damaged tar header loses its entry, not those behind it. */
static void damaged_tar_header(void **state) {
  (void)state;
  made_set set = made_games(10, 400, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = ARCHIVE_FILTER_NONE};
  size_t n, at = 0;
  assert_true(made_write(probe_path("whole"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("whole"), &n);
  for (size_t i = 0; i < 4; i++)
    at += 512 + (set.entries[i].n_bytes + 511) / 512 * 512;
  bytes[at + 110] ^= 0xff;
  probe_write(probe_path("damaged"), bytes, n);
  probe p;
  probe_file(&p, probe_path("damaged"), NULL);
  assert_int_equal(p.n_given, 9);
  assert_int_equal(probe_count(&p, KM_REASON_CORRUPT_ARCHIVE), 1);
  assert_null(probe_find(&p, set.entries[4].name));
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

static void garbage_behind_the_end(void **state) {
  (void)state;
  made_set set = made_games(10, 3000, SEED);
  for (size_t k = 0; k < N_KINDS; k++) {
    if (kinds[k].filter == ARCHIVE_FILTER_LZ4 || kinds[k].filter == ARCHIVE_FILTER_COMPRESS ||
        kinds[k].format == ARCHIVE_FORMAT_ISO9660)
      continue; /* libarchive does not say where they end */
    size_t n;
    made_how how = {.format = kinds[k].format, .filter = kinds[k].filter};
    assert_true(made_write(probe_path("whole"), &set, &how));
    uint8_t *bytes = probe_load(probe_path("whole"), &n);
    bytes = realloc(bytes, n + 1000);
    assert_non_null(bytes);
    memset(bytes + n, 0, 300);
    memset(bytes + n + 300, 'g', 700);
    probe p;
    probe_write(probe_path("more"), bytes, n + 1000);
    probe_file(&p, probe_path("more"), NULL);
    print_message("%s: %zu, %s\n", kinds[k].name, p.n_given,
                  p.entries[p.n - 1].detail ? p.entries[p.n - 1].detail : "");
    assert_int_equal(p.n_given, 10);
    assert_int_equal(p.n_findings, 1);
    assert_int_equal(p.entries[10].reason, KM_REASON_TRAILING_BYTES);
    assert_string_equal(p.entries[10].detail, "700 bytes");
    probe_clear(&p);
    free(bytes);
  }
  made_clear(&set);
}

/* 80 MiB of zeros in every way to pack them, between two games: stopped by the ratio, in little memory. */
static void bombs(void **state) {
  (void)state;
  made_set set = made_games(3, 1000, SEED);
  free(set.entries[1].bytes);
  set.entries[1].n_bytes = 80u << 20;
  set.entries[1].bytes = calloc(1, set.entries[1].n_bytes);
  assert_non_null(set.entries[1].bytes);
  const struct {
    int format, filter;
    const char *options;
  } ways[] = {{ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_ZSTD, NULL},
              {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, "gzip:compression-level=9"},
              {ARCHIVE_FORMAT_7ZIP, ARCHIVE_FILTER_NONE, "7zip:compression=deflate,7zip:compression-level=9"},
              {ARCHIVE_FORMAT_ZIP, ARCHIVE_FILTER_NONE, "zip:compression-level=9"}};
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    made_how how = {.format = ways[i].format, .filter = ways[i].filter, .options = ways[i].options};
    probe p;
    assert_true(made_write(probe_path("bomb"), &set, &how));
    probe_file(&p, probe_path("bomb"), NULL);
    print_message("way %zu: %zu given, %s\n", i, p.n_given,
                  p.n > 1 && p.entries[1].detail ? p.entries[1].detail : "");
    assert_int_equal(probe_count(&p, KM_REASON_RATIO_TOO_HIGH), 1);
    assert_int_equal(p.n_games, ways[i].format == ARCHIVE_FORMAT_ZIP ? 2 : 1);
    probe_clear(&p);
  }
  made_clear(&set);
}

/* A bomb is told when it has made 64 MiB, not when it has used up what the size of its file would allow: the
 * deflate of zeros expands 1030 times, and a megabyte of something else behind it would allow another
 * gigabyte. */
static void bomb_in_a_large_file(void **state) {
  (void)state;
  made_set set = made_games(2, 1000, SEED);
  free(set.entries[1].bytes);
  set.entries[1].n_bytes = 80u << 20;
  set.entries[1].bytes = calloc(1, set.entries[1].n_bytes);
  assert_non_null(set.entries[1].bytes);
  made_how how = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FILTER_GZIP, "gzip:compression-level=9", NULL};
  assert_true(made_write(probe_path("bomb"), &set, &how));
  size_t n, n_more = 1 << 20;
  uint8_t *bytes = probe_load(probe_path("bomb"), &n);
  bytes = realloc(bytes, n + n_more);
  assert_non_null(bytes);
  for (size_t i = 0; i < n_more; i++)
    bytes[n + i] = (uint8_t)(i * 2654435761u >> 24 | 1);
  probe_write(probe_path("bomb"), bytes, n + n_more);
  probe p;
  probe_file(&p, probe_path("bomb"), NULL);
  assert_int_equal(p.n_given, 1);
  assert_int_equal(p.n_findings, 1);
  assert_int_equal(probe_count(&p, KM_REASON_RATIO_TOO_HIGH), 1);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

/* A 7z in one block, damaged anywhere in its data: files before are given, those behind are told, each by its
 * name. */
static void damaged_7z(void **state) {
  (void)state;
  enum { FILES = 60, STEPS = 20 };
  const char *const ways[] = {"7zip:compression=lzma1", "7zip:compression=lzma2", "7zip:compression=store"};
  made_set set = made_games(FILES, 3000, SEED);
  for (size_t k = 0; k < 3; k++) {
    made_how how = {.format = ARCHIVE_FORMAT_7ZIP, .filter = ARCHIVE_FILTER_NONE, .options = ways[k]};
    size_t n;
    assert_true(made_write(probe_path("whole.7z"), &set, &how));
    uint8_t *bytes = probe_load(probe_path("whole.7z"), &n);
    size_t n_data = (size_t)bytes[12] | (size_t)bytes[13] << 8 | (size_t)bytes[14] << 16;
    for (size_t i = 1; i < STEPS; i++) {
      size_t at = 32 + n_data * i / STEPS;
      probe p;
      bytes[at] ^= 0x10;
      probe_write(probe_path("damaged.7z"), bytes, n);
      bytes[at] ^= 0x10;
      probe_file(&p, probe_path("damaged.7z"), NULL);
      assert_int_equal(p.n, FILES);
      assert_int_equal(p.n_given + p.n_findings, FILES);
      assert_true(p.n_given < FILES && p.n_given + 6 >= (k == 2 ? FILES : FILES * i / STEPS));
      for (size_t e = 0; e < p.n; e++) {
        assert_non_null(same_entry(&set, &p.entries[e]));
        assert_int_equal(p.entries[e].index, e);
        assert_true(!p.entries[e].bytes || is_same(&set, &p.entries[e]));
      }
      probe_clear(&p);
    }
    free(bytes);
  }
  made_clear(&set);
}

/* compress has neither sums nor an end: what stands before a wrong code is given, and a cut within a code is
 * told. */
static void compressed_text(void **state) {
  (void)state;
  made_set set = made_games(1, 200000, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_RAW, .filter = ARCHIVE_FILTER_COMPRESS};
  size_t n;
  probe p;
  assert_true(made_write(probe_path("text.Z"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("text.Z"), &n);
  probe_file(&p, probe_path("text.Z"), NULL);
  assert_int_equal(p.n, 1);
  assert_int_equal(p.n_findings, 0);
  assert_int_equal(p.entries[0].n_bytes, set.entries[0].n_bytes);
  assert_memory_equal(p.entries[0].bytes, set.entries[0].bytes, set.entries[0].n_bytes);
  probe_clear(&p);
  size_t n_told = 0, at = n / 2;
  for (size_t cut = at; cut < at + 16; cut++) {
    probe_write(probe_path("cut.Z"), bytes, cut);
    probe_file(&p, probe_path("cut.Z"), NULL);
    assert_true(p.n_given == 1 && p.entries[0].n_bytes > set.entries[0].n_bytes / 3);
    assert_memory_equal(p.entries[0].bytes, set.entries[0].bytes, p.entries[0].n_bytes);
    n_told += probe_count(&p, KM_REASON_TRUNCATED_ARCHIVE);
    probe_clear(&p);
  }
  assert_true(n_told >= 4); /* a code may end where a byte does */
  memset(bytes + at, 0xff, 12);
  probe_write(probe_path("wrong.Z"), bytes, n);
  probe_file(&p, probe_path("wrong.Z"), NULL);
  assert_int_equal(probe_count(&p, KM_REASON_CORRUPT_ARCHIVE), 1);
  assert_true(p.n_given == 1 && p.entries[0].n_bytes > set.entries[0].n_bytes / 3);
  assert_memory_equal(p.entries[0].bytes, set.entries[0].bytes, set.entries[0].n_bytes / 3);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

static void limits_are_named(void **state) {
  (void)state;
  made_set set = made_games(50, 2000, SEED);
  const int formats[] = {ARCHIVE_FORMAT_TAR_USTAR, ARCHIVE_FORMAT_ZIP, ARCHIVE_FORMAT_7ZIP};
  for (size_t i = 0; i < 3; i++) {
    made_how how = {.format = formats[i], .filter = ARCHIVE_FILTER_NONE};
    km_archive_limits limits;
    probe p;
    assert_true(made_write(probe_path("limits"), &set, &how));
    km_archive_limits_default(&limits);
    limits.max_entries = 7;
    probe_file(&p, probe_path("limits"), &limits);
    assert_int_equal(p.n_given, 7);
    assert_int_equal(p.n, 8);
    assert_int_equal(p.entries[7].reason, KM_REASON_TOO_MANY_ENTRIES);
    assert_non_null(strstr(p.entries[7].detail, "more than 7 entries"));
    probe_clear(&p);
    km_archive_limits_default(&limits);
    limits.max_archive_bytes = 10000;
    probe_file(&p, probe_path("limits"), &limits);
    assert_int_equal(probe_count(&p, KM_REASON_TOO_MANY_BYTES), 1);
    assert_int_equal(p.entries[p.n - 1].reason, KM_REASON_TOO_MANY_BYTES);
    assert_true(p.n_given > 3 && p.n_given < 50);
    probe_clear(&p);
    km_archive_limits_default(&limits);
    limits.max_entry_bytes = 1000;
    probe_file(&p, probe_path("limits"), &limits);
    for (size_t k = 0; p.n != 50 && k < p.n; k++)
      print_message("%zu %s %s\n", k, km_reason_code(p.entries[k].reason),
                    p.entries[k].detail ? p.entries[k].detail : "");
    assert_int_equal(p.n, 50);
    for (size_t k = 0; k < 50; k++)
      assert_int_equal(p.entries[k].reason,
                       set.entries[k].n_bytes > 1000 ? KM_REASON_ENTRY_TOO_LARGE : KM_REASON_NONE);
    probe_clear(&p);
  }
  made_clear(&set);
}

static size_t find_record(const uint8_t *bytes, size_t n, const char *mark) {
  const uint8_t *at = memmem(bytes, n, mark, 4);
  assert_non_null(at);
  return (size_t)(at - bytes);
}

static void put32(uint8_t *p, uint32_t value) {
  memcpy(p, &value, 4);
}

/* A zip whose directory lies about a size, an offset, or its own length. */
static void lying_zip(void **state) {
  (void)state;
  made_set set = made_games(3, 900, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE};
  size_t n;
  assert_true(made_write(probe_path("zip"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("zip"), &n);
  size_t record = find_record(bytes, n, "PK\1\2");
  const struct {
    size_t at;
    uint32_t value;
    size_t local; /* where the entry's own header has the same; 0: the lie is the directory's alone */
    size_t n_given;
    km_reason reason;
  } lies[] = {
      {24, 5, 0, 3, KM_REASON_CORRUPT_ARCHIVE},     /* full size too small: the sum is right, so it is used */
      {24, 70000, 0, 3, KM_REASON_CORRUPT_ARCHIVE}, /* too large */
      {24, 0xfffffff0, 0, 3, KM_REASON_CORRUPT_ARCHIVE},
      {24, 0xfffffff0, 22, 2, KM_REASON_ENTRY_TOO_LARGE},
      {20, 0xfffffff0, 0, 3, KM_REASON_CORRUPT_ARCHIVE}, /* packed size beyond the file */
      {20, 0xfffffff0, 18, 2, KM_REASON_CORRUPT_ARCHIVE},
      {42, 0x7fffffff, 0, 3,
       KM_REASON_CORRUPT_ARCHIVE},              /* offset beyond the file: the entry stands where it must */
      {42, 7, 0, 3, KM_REASON_CORRUPT_ARCHIVE}, /* offset of nothing */
      {16, 0x12345678, 0, 3, KM_REASON_CORRUPT_ARCHIVE},
      {16, 0x12345678, 14, 2, KM_REASON_CRC_ERROR},
      {10, 97, 0, 3, KM_REASON_CORRUPT_ARCHIVE}, /* unknown method */
      {0, 0, 0, 3, KM_REASON_CORRUPT_ARCHIVE},   /* no first record */
  };
  for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
    probe p;
    uint8_t *lie = malloc(n);
    assert_non_null(lie);
    memcpy(lie, bytes, n);
    put32(lie + record + lies[i].at, lies[i].value);
    if (lies[i].local) { /* the entry's header has sum and sizes then, not the descriptor behind the data */
      lie[6] &= (uint8_t)~8u;
      memcpy(lie + 14, bytes + record + 16, 12);
      put32(lie + lies[i].local, lies[i].value);
    }
    probe_write(probe_path("lie"), lie, n);
    free(lie);
    probe_file(&p, probe_path("lie"), NULL);
    print_message("lie %zu: %zu given, %zu findings\n", i, p.n_given, p.n_findings);
    assert_int_equal(p.n_given, lies[i].n_given);
    assert_int_equal(p.n_findings, 1);
    assert_int_equal(probe_count(&p, lies[i].reason), 1);
    probe_clear(&p);
  }
  free(bytes);
  made_clear(&set);
}

/* A zip within a zip that is cut behind it: the inner one's end is not the outer one's. */
static void cut_zip_with_a_zip_within(void **state) {
  (void)state;
  made_set set = made_games(4, 900, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE};
  made_how stored = {
      .format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE, .options = "zip:compression=store"};
  size_t n;
  assert_true(made_write(probe_path("in.zip"), &set, &how));
  free(set.entries[2].bytes);
  strcpy(set.entries[2].name, "in.zip");
  set.entries[2].bytes = probe_load(probe_path("in.zip"), &set.entries[2].n_bytes);
  assert_true(made_write(probe_path("out.zip"), &set, &stored));
  uint8_t *bytes = probe_load(probe_path("out.zip"), &n);
  probe_write(probe_path("cut.zip"), bytes, n - 600);
  probe p;
  probe_file(&p, probe_path("cut.zip"), NULL);
  assert_true(p.n_games >= 6);
  assert_string_equal(p.entries[0].name, set.entries[0].name);
  assert_int_equal(probe_count(&p, KM_REASON_TRUNCATED_ARCHIVE), 1);
  probe_clear(&p);
  free(bytes);
  made_clear(&set);
}

/* A zip behind other bytes (a program that unpacks itself), and two zips one behind the other. */
static void zip_behind_something(void **state) {
  (void)state;
  made_set set = made_games(3, 900, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_ZIP, .filter = ARCHIVE_FILTER_NONE};
  size_t n;
  assert_true(made_write(probe_path("zip"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("zip"), &n), *all = calloc(1, 5000 + 2 * n);
  assert_non_null(all);
  for (unsigned turn = 0; turn < 3; turn++) {
    size_t before = turn < 2 ? 5000 : n;
    memset(all, 'x', 5000);
    if (turn == 0)
      memcpy(all, "MZ", 2);
    else if (turn == 2)
      memcpy(all, bytes, n);
    memcpy(all + before, bytes, n);
    probe_write(probe_path("behind"), all, before + n);
    probe p;
    probe_file(&p, probe_path("behind"), NULL);
    assert_int_equal(p.n_findings, turn == 1); /* a program is no surprise there, other bytes are */
    assert_int_equal(probe_count(&p, KM_REASON_CORRUPT_ARCHIVE), turn == 1);
    assert_int_equal(p.n_games, turn < 2 ? 3 : 6);
    probe_clear(&p);
  }
  free(all);
  free(bytes);
  made_clear(&set);
}

static void write_part(const uint8_t *bytes, size_t from, size_t to, const char *path) {
  probe_write(path, bytes + from, to - from);
}

/* x.7z.001 …: read as one; with a part missing, told so whichever part it is. */
static void numbered_parts(void **state) {
  (void)state;
  made_set set = made_games(40, 2000, SEED);
  made_how how = {.format = ARCHIVE_FORMAT_7ZIP, .filter = ARCHIVE_FILTER_NONE};
  size_t n;
  assert_true(made_write(probe_path("whole"), &set, &how));
  uint8_t *bytes = probe_load(probe_path("whole"), &n);
  const char *paths[4];
  for (size_t i = 0; i < 4; i++) {
    paths[i] = probe_path("x.7z.%03zu", i + 1);
    write_part(bytes, n * i / 4, n * (i + 1) / 4, paths[i]);
  }
  probe p;
  probe_read(&p, paths, 4, NULL);
  assert_int_equal(p.n_streams, 1);
  assert_int_equal(p.n_given, 40);
  assert_int_equal(p.n_findings, 0);
  assert_string_equal(p.entries[0].source, paths[0]);
  probe_clear(&p);
  probe_read(&p, paths + 2, 1, NULL); /* a later part stands for its set */
  assert_int_equal(p.n_given, 40);
  assert_string_equal(p.entries[0].source, paths[0]);
  probe_clear(&p);
  for (size_t gone = 0; gone < 4; gone++) {
    const char *rest[3];
    for (size_t i = 0, k = 0; i < 4; i++)
      if (i != gone)
        rest[k++] = paths[i];
    assert_int_equal(unlink(paths[gone]), 0);
    probe_read(&p, rest, 3, NULL);
    print_message("without part %zu: %zu streams, %zu given, %zu findings, %s\n", gone + 1, p.n_streams,
                  p.n_given, p.n_findings, p.n ? (p.entries[0].detail ? p.entries[0].detail : "") : "");
    assert_int_equal(p.n_given + p.n_findings, p.n);
    if (gone)
      assert_int_equal(probe_count(&p, KM_REASON_MISSING_VOLUME), 1);
    else
      assert_true(p.n == 3); /* parts without the first are bytes of nothing: given, for the parser to name */
    probe_clear(&p);
    write_part(bytes, n * gone / 4, n * (gone + 1) / 4, paths[gone]);
  }
  for (size_t i = 0; i < 4; i++)
    unlink(paths[i]);
  free(bytes);
  made_clear(&set);
}

/* Games called x.001, x.002 are games. */
static void numbered_games(void **state) {
  (void)state;
  const char *paths[3];
  for (size_t i = 0; i < 3; i++) {
    paths[i] = probe_path("honinbo.%03zu", i + 1);
    probe_write(paths[i], "(;B[aa])", 8);
  }
  probe p;
  probe_read(&p, paths, 3, NULL);
  assert_int_equal(p.n_games, 3);
  assert_int_equal(p.n_streams, 3);
  probe_clear(&p);
}

/* A zip in parts says in its end how many there are, and offsets count from the start of a part. */
static void zip_parts(void **state) {
  (void)state;
  if (system("command -v zip >/dev/null") != 0) {
    print_message("no zip\n");
    skip();
  }
  char command[512];
  made_set set = made_games(60, 4000, SEED);
  snprintf(command, sizeof command, "cd %s && mkdir -p games", probe_folder());
  assert_int_equal(system(command), 0);
  for (size_t i = 0; i < set.n; i++)
    probe_write(probe_path("%s", set.entries[i].name), set.entries[i].bytes, set.entries[i].n_bytes);
  snprintf(command, sizeof command, "cd %s && rm -f s.z* && zip -0 -q -r -s 64k s.zip games && rm -rf games",
           probe_folder());
  assert_int_equal(system(command), 0);
  probe p;
  probe_file(&p, probe_path("s.zip"), NULL);
  assert_int_equal(p.n_given, 60);
  assert_int_equal(p.n_findings, 0);
  for (size_t i = 0; i < p.n; i++)
    assert_true(is_same(&set, &p.entries[i]));
  probe_clear(&p);
  const char *both[] = {probe_path("s.z01"), probe_path("s.zip")};
  probe_read(&p, both, 2, NULL);
  assert_int_equal(p.n_given, 60);
  probe_clear(&p);
  assert_int_equal(unlink(both[0]), 0);
  probe_read(&p, both + 1, 1, NULL);
  assert_int_equal(p.n_given, 0);
  assert_int_equal(probe_count(&p, KM_REASON_MISSING_VOLUME), 1);
  probe_clear(&p);
  made_clear(&set);
}

static size_t put(uint8_t *to, size_t at, uint64_t value, unsigned n_bytes) {
  for (unsigned i = 0; i < n_bytes; i++)
    to[at + i] = (uint8_t)(value >> 8 * i);
  return at + n_bytes;
}

static uint32_t crc32_of(const uint8_t *bytes, size_t n) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; k++)
      crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
  }
  return ~crc;
}

/* A RAR 4 block of type and flags with n bytes behind its 7. */
static size_t put_rar_block(uint8_t *to, size_t at, unsigned type, unsigned flags, size_t n) {
  put(to, at + 2, type, 1);
  put(to, at + 3, flags, 2);
  put(to, at + 5, 7 + n, 2);
  put(to, at, crc32_of(to + at + 2, 5 + n) & 0xffff, 2);
  return at + 7 + n;
}

/* Part number of three of a stored file: its bytes [from, to). */
static void write_rar_part(unsigned number, const uint8_t *file, size_t n_file, const char *path) {
  uint8_t out[4096] = "Rar!\x1a\x07";
  size_t from = n_file * number / 3, to = n_file * (number + 1) / 3;
  size_t at = put_rar_block(out, 7, 0x73, number ? 0x11 : 0x111, 6), body = at + 7;
  put(out, body, to - from, 4);
  put(out, body + 4, n_file, 4);
  put(out, body + 8, 3, 1);
  put(out, body + 9, number < 2 ? crc32_of(file + from, to - from) : crc32_of(file, n_file), 4);
  put(out, body + 17, 20, 1);
  put(out, body + 18, 0x30, 1);
  put(out, body + 19, 5, 2);
  put(out, body + 21, 0100644, 4);
  memcpy(out + body + 25, "a.sgf", 5);
  at = put_rar_block(out, at, 0x74, 0x8000 | (number ? 1 : 0) | (number < 2 ? 2 : 0), 30);
  memcpy(out + at, file + from, to - from);
  at = put_rar_block(out, at + to - from, 0x7b, 0x4000 | (number < 2), 0);
  probe_write(path, out, at);
}

static void rar_parts(void **state) {
  (void)state;
  const char *paths[3];
  uint8_t file[6000];
  memset(file, ';', sizeof file);
  memcpy(file, "(;", 2);
  for (unsigned i = 0; i < 3; i++) {
    paths[i] = probe_path("v.part%u.rar", i + 1);
    write_rar_part(i, file, sizeof file, paths[i]);
  }
  probe p;
  probe_read(&p, paths, 3, NULL);
  assert_int_equal(p.n, 1);
  assert_int_equal(p.n_findings, 0);
  assert_int_equal(p.entries[0].n_bytes, sizeof file);
  assert_memory_equal(p.entries[0].bytes, file, sizeof file);
  probe_clear(&p);
  for (unsigned gone = 2; gone > 0; gone--) { /* the last, then the last two */
    assert_int_equal(unlink(paths[gone]), 0);
    probe_read(&p, paths, gone, NULL);
    assert_int_equal(p.n_given, 0);
    assert_int_equal(probe_count(&p, KM_REASON_MISSING_VOLUME), 1);
    probe_clear(&p);
  }
}

/* A lone part of a RAR, without the first. */
static void rar_part_alone(void **state) {
  (void)state;
  probe p;
  probe_write(probe_path("x.part2.rar"), "Rar!\x1a\x07\x01\0abcdef", 14);
  probe_file(&p, probe_path("x.part2.rar"), NULL);
  assert_int_equal(p.n, 1);
  assert_int_equal(p.entries[0].reason, KM_REASON_MISSING_VOLUME);
  assert_non_null(strstr(p.entries[0].detail, "x.part1.rar"));
  probe_clear(&p);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  setlocale(LC_ALL, "C.UTF-8");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_at_every_sixteenth),
      cmocka_unit_test(cut_between_entries),
      cmocka_unit_test(damage),
      cmocka_unit_test(damaged_tar_header),
      cmocka_unit_test(garbage_behind_the_end),
      cmocka_unit_test(bombs),
      cmocka_unit_test(bomb_in_a_large_file),
      cmocka_unit_test(damaged_7z),
      cmocka_unit_test(compressed_text),
      cmocka_unit_test(limits_are_named),
      cmocka_unit_test(lying_zip),
      cmocka_unit_test(cut_zip_with_a_zip_within),
      cmocka_unit_test(zip_behind_something),
      cmocka_unit_test(numbered_parts),
      cmocka_unit_test(numbered_games),
      cmocka_unit_test(zip_parts),
      cmocka_unit_test(rar_parts),
      cmocka_unit_test(rar_part_alone),
  };
  return cmocka_run_group_tests(tests, NULL, leave);
}
