/* test_archive_tar.c: tars read without libarchive give what libarchive gives, whole, cut anywhere, or with any byte
 * changed.
 *
 * The reference is the same tar with a folder in front that has a time of access, at which the plain reading leaves at
 * once, so that libarchive reads all of it: entries, findings and details are to be equal, numbers one less. Each tar is read from a
 * file (in memory) and from a pipe (in blocks). */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive_probe.h"
#include "kifumill/hash.h"

enum { SEED = 20250117, BLOCK = 512 };

/* A tar under construction. */
typedef struct tar {
  uint8_t *bytes;
  size_t n;
} tar;

static uint8_t *extend(tar *t, size_t n) {
  t->bytes = realloc(t->bytes, t->n + n);
  assert_non_null(t->bytes);
  memset(t->bytes + t->n, 0, n);
  t->n += n;
  return t->bytes + t->n - n;
}

static void set_sum(uint8_t *h) {
  unsigned sum = 0;
  memset(h + 148, ' ', 8);
  for (int i = 0; i < BLOCK; i++)
    sum += h[i];
  snprintf((char *)h + 148, 7, "%06o", sum);
}

/* What a header says; n_bytes of text follow it. */
typedef struct header {
  const char *name, *prefix, *link;
  char type;
  int gnu, unsummed;
  size_t n_bytes;
  const char *size; /* as text, when it is not that of n_bytes */
} header;

static void add(tar *t, header what, uint64_t seed) {
  size_t n_padded = (what.n_bytes + BLOCK - 1) / BLOCK * BLOCK;
  uint8_t *h = extend(t, BLOCK + n_padded), *text = h + BLOCK;
  memcpy(h, what.name, strlen(what.name));
  memcpy(h + 100, "0000644", 8);
  memcpy(h + 108, "0001750", 8);
  memcpy(h + 116, "0001750", 8);
  if (what.size)
    memcpy(h + 124, what.size, strlen(what.size));
  else
    snprintf((char *)h + 124, 12, "%011zo", what.n_bytes);
  memcpy(h + 136, "07124554600", 12);
  h[156] = (uint8_t)what.type;
  if (what.link)
    memcpy(h + 157, what.link, strlen(what.link));
  memcpy(h + 257, what.gnu ? "ustar  " : "ustar\00000", 8);
  memcpy(h + 265, "player", 6);
  if (what.prefix)
    memcpy(h + 345, what.prefix, strlen(what.prefix));
  if (!what.unsummed)
    set_sum(h);
  for (size_t i = 0; i < what.n_bytes; i++)
    text[i] = (uint8_t)('a' + km_mix64(seed + i) % 26);
  if (what.n_bytes > 2)
    memcpy(text, "(;", 2);
}

static void end_mark(tar *t) { extend(t, 2 * BLOCK); }

/* The tar with a folder in front that is not plain. */
static tar with_folder(const tar *t) {
  tar out = {NULL, 0};
  add(&out, (header){.name = "folder/", .prefix = "07124554600", .type = '5', .gnu = 1}, 0);
  uint8_t *rest = extend(&out, t->n);
  if (t->n)
    memcpy(rest, t->bytes, t->n);
  return out;
}

typedef struct feed {
  int fd;
  const tar *t;
} feed;
static void *feed_pipe(void *data) {
  const feed *f = data;
  for (size_t at = 0; at < f->t->n;) {
    ssize_t n = write(f->fd, f->t->bytes + at, f->t->n - at);
    if (n <= 0)
      break;
    at += (size_t)n;
  }
  close(f->fd);
  return NULL;
}

/* Reads the tar as a file, or through a pipe as /dev/fd/N. */
static void read_tar(probe *p, const tar *t, bool piped) {
  char name[32];
  if (!piped) {
    static const char *path;
    path = path ? path : probe_path("t.tar");
    probe_write(path, t->bytes, t->n);
    probe_file(p, path, NULL);
    return;
  }
  int ends[2];
  pthread_t thread;
  assert_int_equal(pipe(ends), 0);
  feed f = {ends[1], t};
  assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &f), 0);
  snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  probe_file(p, name, NULL);
  close(ends[0]);
  pthread_join(thread, NULL);
}

static void compare(const tar *t, bool piped, const char *what, size_t at) {
  probe plain, reference;
  tar foldered = with_folder(t);
  read_tar(&plain, t, piped);
  read_tar(&reference, &foldered, piped);
  int same = plain.n == reference.n;
  for (size_t i = 0; same && i < plain.n; i++) {
    const probe_entry *a = &plain.entries[i], *b = &reference.entries[i];
    same = strcmp(a->name, b->name) == 0 && a->reason == b->reason && a->n_bytes == b->n_bytes &&
           a->index + 1 == b->index && (a->reason ? a->pos + BLOCK : 0) == b->pos && (a->detail == b->detail || strcmp(a->detail, b->detail) == 0) &&
           (!a->bytes) == (!b->bytes) && (!a->bytes || memcmp(a->bytes, b->bytes, a->n_bytes) == 0);
    if (!same)
      print_message("%s %zu%s, entry %zu: %s %zu bytes, %s at %zu %s | %s %zu bytes, %s at %zu %s\n", what, at,
                    piped ? " piped" : "", i, a->name, a->n_bytes, km_reason_code(a->reason), (size_t)a->pos,
                    a->detail ? a->detail : "", b->name, b->n_bytes, km_reason_code(b->reason), (size_t)b->pos,
                    b->detail ? b->detail : "");
  }
  if (plain.n != reference.n)
    print_message("%s %zu%s: %zu and %zu entries\n", what, at, piped ? " piped" : "", plain.n, reference.n);
  assert_true(same);
  probe_clear(&plain);
  probe_clear(&reference);
  free(foldered.bytes);
}

/* Files, folders, an empty file, what systems leave, long names, a link: in ustar or GNU form. */
static tar sample(int gnu) {
  static const char deep[] = "a/rather/long/way/to/a/game";
  tar t = {NULL, 0};
  add(&t, (header){.name = "games/", .type = '5', .gnu = gnu}, 1);
  add(&t, (header){.name = "games/1.sgf", .type = '0', .gnu = gnu, .n_bytes = 700}, 2);
  add(&t, (header){.name = "2.sgf", .prefix = gnu ? NULL : deep, .type = '0', .gnu = gnu, .n_bytes = 512}, 3);
  add(&t, (header){.name = "games/.DS_Store", .type = '0', .gnu = gnu, .n_bytes = 30}, 4);
  add(&t, (header){.name = "games/empty.sgf", .type = '0', .gnu = gnu}, 5);
  add(&t, (header){.name = "games/3.sgf", .type = '0', .gnu = gnu, .n_bytes = 1}, 6);
  return t;
}

static void whole(void **state) {
  (void)state;
  for (int gnu = 0; gnu < 2; gnu++)
    for (int piped = 0; piped < 2; piped++) {
      tar t = sample(gnu);
      end_mark(&t);
      compare(&t, piped, "whole", 0);
      extend(&t, 9 * BLOCK);
      compare(&t, piped, "padded", 0);
      memcpy(extend(&t, BLOCK), "junk", 4);
      compare(&t, piped, "junk behind", 0);
      tar second = sample(!gnu);
      memcpy(extend(&t, second.n), second.bytes, second.n);
      compare(&t, piped, "two", 0);
      free(second.bytes);
      free(t.bytes);
    }
}

static void cut(void **state) {
  (void)state;
  for (int gnu = 0; gnu < 2; gnu++) {
    tar t = sample(gnu);
    end_mark(&t);
    for (size_t n = 600; n < t.n; n += 31)
      for (int piped = 0; piped < 2; piped++) {
        const tar shorter = {t.bytes, n};
        compare(&shorter, piped, "cut at", n);
      }
    free(t.bytes);
  }
}

/* Bytes of the second header on: the first tells that it is a tar. */
static void changed(void **state) {
  (void)state;
  static const uint8_t masks[] = {0x01, 0x20, 0x80, 0xff};
  enum { N_MASKS = sizeof masks };
  for (int gnu = 0; gnu < 2; gnu++) {
    tar t = sample(gnu);
    end_mark(&t);
    for (size_t at = BLOCK; at < 2 * BLOCK; at++)
      for (int summed = 0; summed < 2; summed++) {
        uint8_t kept[BLOCK];
        memcpy(kept, t.bytes + BLOCK, BLOCK);
        t.bytes[at] ^= masks[km_random_below(km_random(SEED, at, (uint64_t)gnu, KM_PURPOSE_SAMPLE), N_MASKS)];
        if (summed)
          set_sum(t.bytes + BLOCK);
        compare(&t, (at & 1) == 1, summed ? "changed and summed" : "changed", at);
        memcpy(t.bytes + BLOCK, kept, BLOCK);
      }
    free(t.bytes);
  }
}

/* Headers that are not plain, in the midst of plain ones. */
static void odd_headers(void **state) {
  (void)state;
  const header odd[] = {
      {.name = "hard", .link = "games/1.sgf", .type = '1'},
      {.name = "soft", .link = "games/1.sgf", .type = '2'},
      {.name = "linked.sgf", .link = "x", .type = '0', .n_bytes = 40},
      {.name = "old.sgf", .type = 0, .n_bytes = 40},
      {.name = "contiguous.sgf", .type = '7', .n_bytes = 40},
      {.name = "unknown.sgf", .type = 'Z', .n_bytes = 40},
      {.name = "folder", .type = '5', .n_bytes = 40},
      {.name = "slash/", .type = '0', .n_bytes = 40},
      {.name = "", .type = '0', .n_bytes = 40},
      {.name = "", .prefix = "only/prefix", .type = '0', .n_bytes = 40},
      {.name = "x.sgf", .prefix = "prefix/", .type = '0', .n_bytes = 40},
      {.name = "\xe5\x9b\xb4\xe6\xa3\x8b.sgf", .type = '0', .n_bytes = 40},
      {.name = "\xb0\xa1.sgf", .type = '0', .n_bytes = 40},
      {.name = "a\nb.sgf", .type = '0', .n_bytes = 40},
      {.name = "unsummed.sgf", .type = '0', .n_bytes = 40, .unsummed = 1},
      {.name = "spaces.sgf", .type = '0', .n_bytes = 40, .size = "        50 "},
      {.name = "binary.sgf", .type = '0', .n_bytes = 40, .size = "\x80\0\0\0\0\0\0\0\0\0\0\x28"},
      {.name = "nosize.sgf", .type = '0', .n_bytes = 40, .size = ""},
      {.name = "badsize.sgf", .type = '0', .n_bytes = 40, .size = "0000000005z"},
      {.name = "minus.sgf", .type = '0', .n_bytes = 40, .size = "-0000000050"},
      {.name = "huge.sgf", .type = '0', .n_bytes = 40, .size = "77777777777"},
      {.name = "large.sgf", .type = '0', .n_bytes = 40, .size = "00400000000"},
      {.name = "././@LongLink", .type = 'L', .gnu = 1, .n_bytes = 130},
      {.name = "sparse.sgf", .type = 'S', .gnu = 1, .n_bytes = 40},
      {.name = "times.sgf", .type = '0', .gnu = 1, .prefix = "07124554600", .n_bytes = 40},
      {.name = "pax", .type = 'x', .n_bytes = 40},
  };
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
    for (int piped = 0; piped < 2; piped++) {
      tar t = sample(odd[i].gnu);
      add(&t, odd[i], 77);
      tar more = sample(odd[i].gnu);
      memcpy(extend(&t, more.n), more.bytes, more.n);
      end_mark(&t);
      compare(&t, piped, odd[i].name, i);
      free(more.bytes);
      free(t.bytes);
    }
}

/* Entries over the ends of blocks, and cuts near them. */
static void long_tars(void **state) {
  (void)state;
  print_message("seed %d\n", SEED);
  tar t = {NULL, 0};
  for (uint64_t i = 0; t.n < 1300000; i++) {
    char name[32];
    size_t n = km_random_below(km_random(SEED, i, 0, KM_PURPOSE_SAMPLE), i % 16 == 15 ? 400000 : 5000);
    snprintf(name, sizeof name, "games/%u.sgf", (unsigned)i);
    add(&t, (header){.name = name, .type = '0', .gnu = i % 2, .n_bytes = n}, i);
  }
  end_mark(&t);
  compare(&t, true, "long", 0);
  for (uint64_t i = 0; i < 60; i++) {
    uint64_t r = km_random(SEED, i, 1, KM_PURPOSE_SAMPLE);
    size_t block = 262144 * (1 + km_random_below(r, 4)), n = block - 2 * BLOCK + km_random_below(km_mix64(r), 4 * BLOCK);
    tar shorter = {t.bytes, n};
    compare(&shorter, true, "long, cut at", n);
  }
  free(t.bytes);
}

static int remove_folder(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole),       cmocka_unit_test(cut),       cmocka_unit_test(changed),
      cmocka_unit_test(odd_headers), cmocka_unit_test(long_tars),
  };
  return cmocka_run_group_tests(tests, NULL, remove_folder);
}
