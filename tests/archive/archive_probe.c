/* archive_probe.c: see archive_probe.h. */
#include "archive_probe.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kifumill/hash.h"

static char folder[64];
static char *paths_made[4096];
static size_t n_paths_made;

static bool holds(const uint8_t *bytes, size_t n, const char *text) {
  return memmem(bytes, n, text, strlen(text)) != NULL;
}

static void keep(probe *p, const km_entry *entry) {
  assert_non_null(entry->source);
  assert_non_null(entry->name);
  assert_true(entry->bytes ? entry->n_bytes > 0 : entry->n_findings > 0);
  p->entries = realloc(p->entries, (p->n + 1) * sizeof *p->entries);
  assert_non_null(p->entries);
  probe_entry *e = &p->entries[p->n++];
  *e = (probe_entry){.source = strdup(entry->source), .name = strdup(entry->name), .index = entry->index};
  if (entry->bytes) {
    e->bytes = malloc(entry->n_bytes);
    assert_non_null(e->bytes);
    memcpy(e->bytes, entry->bytes, entry->n_bytes);
    e->n_bytes = entry->n_bytes;
    p->n_given++;
    p->n_games += holds(entry->bytes, entry->n_bytes, "(;");
  }
  if (entry->n_findings) {
    assert_int_equal(entry->n_findings, 1);
    assert_int_equal(km_reason_kind_of(entry->findings[0].reason), KM_KIND_INPUT);
    e->reason = entry->findings[0].reason;
    e->detail = strdup(entry->findings[0].detail);
    e->pos = entry->findings[0].pos;
    p->n_findings++;
  }
}

static void read_stream(probe *p, const km_inputs *inputs, size_t i) {
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  km_status status;
  uint64_t before = 0;
  assert_int_equal(km_archive_open(&reader, inputs, i, &err), KM_OK);
  while ((status = km_archive_next(reader, &entry, &err)) == KM_OK) {
    assert_string_equal(entry.source, km_inputs_name(inputs, i));
    uint64_t now = km_archive_bytes_read(reader);
    assert_true(now >= before || before == 0);
    before = now;
    keep(p, &entry);
  }
  assert_int_equal(status, KM_END);
  assert_int_equal(km_archive_next(reader, &entry, &err), KM_END);
  km_archive_close(reader);
}

void probe_read(probe *p, const char *const *paths, size_t n_paths, const km_archive_limits *limits) {
  *p = (probe){0};
  km_inputs *inputs;
  km_err err = {0};
  if (km_inputs_open(&inputs, paths, n_paths, limits, &err))
    fail_msg("%s", err.msg);
  p->n_streams = km_inputs_count(inputs);
  for (size_t i = 0; i < p->n_streams; i++)
    read_stream(p, inputs, i);
  km_inputs_free(inputs);
}

void probe_file(probe *p, const char *path, const km_archive_limits *limits) {
  probe_read(p, &path, 1, limits);
}

void probe_clear(probe *p) {
  for (size_t i = 0; i < p->n; i++) {
    free(p->entries[i].source);
    free(p->entries[i].name);
    free(p->entries[i].detail);
    free(p->entries[i].bytes);
  }
  free(p->entries);
  *p = (probe){0};
}

size_t probe_count(const probe *p, km_reason reason) {
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++)
    n += p->entries[i].reason == reason;
  return n;
}

const probe_entry *probe_find(const probe *p, const char *name) {
  for (size_t i = 0; i < p->n; i++)
    if (strcmp(p->entries[i].name, name) == 0)
      return &p->entries[i];
  return NULL;
}

const char *probe_folder(void) {
  if (!folder[0]) {
    strcpy(folder, "/tmp/km_archive_XXXXXX");
    assert_non_null(mkdtemp(folder));
  }
  return folder;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw) {
  (void)st, (void)kind, (void)ftw;
  return remove(path);
}

void probe_remove_folder(void) {
  if (folder[0])
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  while (n_paths_made)
    free(paths_made[--n_paths_made]);
  folder[0] = 0;
}

const char *probe_path(const char *format, ...) {
  char name[512], *path = NULL;
  va_list args;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  assert_true(n_paths_made < sizeof paths_made / sizeof paths_made[0]);
  assert_true(asprintf(&path, "%s/%s", probe_folder(), name) > 0);
  return paths_made[n_paths_made++] = path;
}

void probe_write(const char *path, const void *bytes, size_t n_bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(n_bytes ? fwrite(bytes, 1, n_bytes, file) : 0, n_bytes);
  assert_int_equal(fclose(file), 0);
}

uint8_t *probe_load(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *n_bytes = (size_t)ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(*n_bytes + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n_bytes, file), *n_bytes);
  fclose(file);
  return bytes;
}

made_set made_games(size_t n, size_t max_bytes, uint64_t seed) {
  made_set set = {calloc(n, sizeof *set.entries), n};
  assert_non_null(set.entries);
  for (size_t i = 0; i < n; i++) {
    made_entry *e = &set.entries[i];
    snprintf(e->name, sizeof e->name, "games/g%04zu.sgf", i);
    e->n_bytes = 100 + km_random_below(km_random(seed, i, 0, KM_PURPOSE_SAMPLE), max_bytes - 99);
    e->bytes = malloc(e->n_bytes);
    assert_non_null(e->bytes);
    size_t at = (size_t)snprintf((char *)e->bytes, e->n_bytes, "(;GM[1]SZ[19]GN[%zu]", i);
    for (; at < e->n_bytes; at++)
      e->bytes[at] = "BW[];abcdefghijklmnopqrs"[km_random(seed, i, at, KM_PURPOSE_SAMPLE) % 24];
    e->bytes[e->n_bytes - 1] = ')';
  }
  return set;
}

void made_clear(made_set *set) {
  for (size_t i = 0; i < set->n; i++)
    free(set->entries[i].bytes);
  free(set->entries);
  *set = (made_set){0};
}

static bool write_entries(struct archive *a, const made_set *set) {
  bool ok = true;
  for (size_t i = 0; i < set->n && ok; i++) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, set->entries[i].name);
    archive_entry_set_size(entry, (la_int64_t)set->entries[i].n_bytes);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    ok = archive_write_header(a, entry) >= ARCHIVE_WARN &&
         archive_write_data(a, set->entries[i].bytes, set->entries[i].n_bytes) ==
             (la_ssize_t)set->entries[i].n_bytes;
    archive_entry_free(entry);
  }
  return ok;
}

bool made_write(const char *path, const made_set *set, const made_how *how) {
  struct archive *a = archive_write_new();
  assert_non_null(a);
  bool ar = how->format == ARCHIVE_FORMAT_AR_BSD; /* known by name only */
  bool ok =
      (ar ? archive_write_set_format_ar_bsd(a) : archive_write_set_format(a, how->format)) == ARCHIVE_OK &&
      archive_write_add_filter(a, how->filter) == ARCHIVE_OK;
  if (ok && how->passphrase)
    ok = archive_write_set_passphrase(a, how->passphrase) == ARCHIVE_OK;
  if (ok && how->options)
    ok = archive_write_set_options(a, how->options) == ARCHIVE_OK;
  else if (ok) { /* quick: the high levels clear 100 MB before the first byte; not every module knows the option */
    archive_write_set_filter_option(a, NULL, "compression-level", "1");
    archive_write_set_format_option(a, NULL, "compression-level", "1");
  }
  archive_write_set_bytes_in_last_block(a, 1);
  ok = ok && archive_write_open_filename(a, path) == ARCHIVE_OK && write_entries(a, set);
  if (!ok)
    print_message("libarchive: %s\n", archive_error_string(a));
  ok = archive_write_close(a) == ARCHIVE_OK && ok;
  archive_write_free(a);
  return ok;
}
