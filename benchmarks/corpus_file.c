/* corpus_file.c: see corpus_file.h. libarchive's writing side. */
#include "corpus_file.h"

#include "bench.h"
#include "flat_games.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

static int ends_with(const char *path, const char *suffix) {
  size_t n = strlen(path), n_suffix = strlen(suffix);
  return n > n_suffix && strcmp(path + n - n_suffix, suffix) == 0;
}

static void need(struct archive *archive, int status) {
  if (status < ARCHIVE_OK)
    bench_die(archive_error_string(archive));
}

static void set_format(struct archive *archive, const char *path) {
  if (ends_with(path, ".zip")) {
    need(archive, archive_write_set_format_zip(archive));
  } else if (ends_with(path, ".tar.zst")) {
    need(archive, archive_write_set_format_ustar(archive));
    need(archive, archive_write_add_filter_zstd(archive));
  } else if (ends_with(path, ".tar.gz")) {
    need(archive, archive_write_set_format_ustar(archive));
    need(archive, archive_write_add_filter_gzip(archive));
    need(archive, archive_write_set_filter_option(archive, "gzip", "timestamp", NULL));
  } else {
    bench_die("a corpus is a .tar.zst, a .tar.gz or a .zip");
  }
}

static void write_game(struct archive *archive, struct archive_entry *entry, uint64_t number) {
  km_move moves[FLAT_GAME_MOVES_MAX];
  km_game game = {.moves = moves};
  char text[FLAT_GAME_TEXT_MAX], name[64];
  size_t n;
  flat_game_make(&game, number, text, &n);
  snprintf(name, sizeof name, "games/%03llu/%06llu.sgf", (unsigned long long)(number / 1000), (unsigned long long)number);
  archive_entry_clear(entry);
  archive_entry_set_pathname(entry, name);
  archive_entry_set_size(entry, (la_int64_t)n);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_mtime(entry, 946684800, 0); /* 2000-01-01 */
  need(archive, archive_write_header(archive, entry));
  if (archive_write_data(archive, text, n) != (la_ssize_t)n)
    bench_die(archive_error_string(archive));
}

void corpus_file_write(const char *path, uint64_t first, uint64_t n_games) {
  struct archive *archive = bench_need(archive_write_new());
  struct archive_entry *entry = bench_need(archive_entry_new());
  set_format(archive, path);
  need(archive, archive_write_open_filename(archive, path));
  for (uint64_t i = 0; i < n_games; i++)
    write_game(archive, entry, first + i);
  archive_entry_free(entry);
  need(archive, archive_write_close(archive));
  archive_write_free(archive);
}
