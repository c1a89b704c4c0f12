/* test_archive_inputs.c: lists, folders, standard input: which inputs there are, in which order, under which
 * names. */
#include <archive.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "archive_probe.h"

static const char game[] = "(;GM[1];B[aa])";

static void put_game(const char *path) {
  probe_write(path, game, sizeof game - 1);
}

/* The names of the inputs that paths give, joined by blanks, the test's folder left out. */
static char *names_of(const char *const *paths, size_t n_paths) {
  km_inputs *inputs;
  km_err err = {0};
  if (km_inputs_open(&inputs, paths, n_paths, NULL, &err))
    fail_msg("%s", err.msg);
  char *all = calloc(1, 65536);
  assert_non_null(all);
  size_t n_folder = strlen(probe_folder());
  for (size_t i = 0; i < km_inputs_count(inputs); i++) {
    const char *name = km_inputs_name(inputs, i);
    if (i)
      strcat(all, " ");
    strcat(all, strncmp(name, probe_folder(), n_folder) == 0 ? name + n_folder : name);
  }
  km_inputs_free(inputs);
  return all;
}

static void expect_names(const char *path, const char *expected) {
  char *names = names_of(&path, 1);
  assert_string_equal(names, expected);
  free(names);
}

static void folder_in_byte_order(void **state) {
  (void)state;
  const char *const folders[] = {"f", "f/b", "f/B", "f/.hidden", "f/__MACOSX", "f/empty"};
  const char *const files[] = {"f/b/2.sgf",        "f/b/10.sgf",  "f/B/x.sgf",       "f/a.sgf",  "f/Z.sgf",
                               "f/\xc3\xa9.sgf",   "f/\xe9.sgf",  "f/.hidden/x.sgf", "f/.x.sgf", "f/._a.sgf",
                               "f/__MACOSX/a.sgf", "f/Thumbs.db", "f/b!.sgf"};
  for (size_t i = 0; i < 6; i++)
    assert_int_equal(mkdir(probe_path("%s", folders[i]), 0755), 0);
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    put_game(probe_path("%s", files[i]));
  assert_int_equal(mkfifo(probe_path("f/pipe"), 0600), 0);
  const char *expected =
      "/f/B/x.sgf /f/Z.sgf /f/a.sgf /f/b/10.sgf /f/b/2.sgf /f/b!.sgf /f/\xc3\xa9.sgf /f/\\xE9.sgf";
  expect_names(probe_path("f"), expected);
  char with_slash[512];
  snprintf(with_slash, sizeof with_slash, "%s///", probe_path("f"));
  expect_names(with_slash, expected);
  probe p;
  probe_file(&p, probe_path("f"), NULL);
  assert_int_equal(p.n_games, 8);
  assert_int_equal(p.n_findings, 0);
  probe_clear(&p);
}

static void links_and_loops(void **state) {
  (void)state;
  assert_int_equal(mkdir(probe_path("l"), 0755), 0);
  assert_int_equal(mkdir(probe_path("l/d"), 0755), 0);
  put_game(probe_path("l/d/a.sgf"));
  assert_int_equal(symlink("..", probe_path("l/d/up")), 0);
  assert_int_equal(symlink("d", probe_path("l/e")), 0);
  assert_int_equal(symlink("d/a.sgf", probe_path("l/link.sgf")), 0);
  assert_int_equal(symlink("nowhere", probe_path("l/broken.sgf")), 0);
  assert_int_equal(symlink("self", probe_path("l/self")), 0);
  expect_names(probe_path("l"), "/l/broken.sgf /l/d/a.sgf /l/link.sgf /l/self");
  probe p;
  probe_file(&p, probe_path("l"), NULL);
  assert_int_equal(p.n_games, 2);
  assert_int_equal(probe_count(&p, KM_REASON_UNREADABLE), 2);
  probe_clear(&p);
}

static void folder_without_files(void **state) {
  (void)state;
  assert_int_equal(mkdir(probe_path("none"), 0755), 0);
  probe p;
  probe_file(&p, probe_path("none"), NULL);
  assert_int_equal(p.n, 1);
  assert_int_equal(p.entries[0].reason, KM_REASON_EMPTY_ARCHIVE);
  probe_clear(&p);
}

static void missing_path_is_named(void **state) {
  (void)state;
  km_inputs *inputs = NULL;
  km_err err = {0};
  const char *paths[] = {probe_path("not/there.zip")};
  assert_int_equal(km_inputs_open(&inputs, paths, 1, NULL, &err), KM_ERR_IO);
  assert_null(inputs);
  assert_non_null(strstr(err.msg, "not/there.zip: No such file or directory"));
  assert_int_equal(err.sys_errno, ENOENT);
  char list[512];
  snprintf(list, sizeof list, "@%s", probe_path("no-list"));
  paths[0] = list;
  assert_int_equal(km_inputs_open(&inputs, paths, 1, NULL, &err), KM_ERR_IO);
  assert_non_null(strstr(err.msg, "no-list: No such file"));
}

static void lists(void **state) {
  (void)state;
  char text[2048], at[512];
  assert_int_equal(mkdir(probe_path("m"), 0755), 0);
  put_game(probe_path("m/b.sgf"));
  put_game(probe_path("m/a.sgf"));
  put_game(probe_path("one two.sgf"));
  put_game(probe_path("@odd"));
  const char *folder = probe_folder();
  snprintf(text, sizeof text, "\xef\xbb\xbf%s/one two.sgf\r\n\r\n\n%s/m\n%s/m/b.sgf\r\n%s/@odd", folder,
           folder, folder, folder);
  probe_write(probe_path("list"), text, strlen(text));
  snprintf(at, sizeof at, "@%s", probe_path("list"));
  expect_names(at, "/one two.sgf /m/a.sgf /m/b.sgf /m/b.sgf /@odd");
  snprintf(text, sizeof text, "%s/m\n%s/gone\n", folder, folder);
  probe_write(probe_path("list"), text, strlen(text));
  km_inputs *inputs;
  km_err err = {0};
  const char *paths[] = {at};
  assert_int_equal(km_inputs_open(&inputs, paths, 1, NULL, &err), KM_ERR_IO);
  assert_non_null(strstr(err.msg, "line 2"));
  assert_non_null(strstr(err.msg, "/gone"));
  probe_write(probe_path("list"), "a\0b\n", 4);
  assert_int_equal(km_inputs_open(&inputs, paths, 1, NULL, &err), KM_ERR_FORMAT);
  assert_non_null(strstr(err.msg, "not a list"));
}

/* Reads "-" with standard input from a file (may be mapped) or through a pipe (comes as a stream). */
static void read_stdin(const char *path, bool piped, size_t n_games) {
  char command[600];
  probe p;
  int kept = dup(STDIN_FILENO);
  snprintf(command, sizeof command, "cat %s", path);
  FILE *pipe = piped ? popen(command, "r") : fopen(path, "rb");
  assert_non_null(pipe);
  assert_true(dup2(fileno(pipe), STDIN_FILENO) >= 0);
  const char *dash = "-";
  probe_read(&p, &dash, 1, NULL);
  assert_int_equal(p.n_games, n_games);
  for (size_t i = 0; i < p.n; i++)
    assert_string_equal(p.entries[i].source, "-");
  probe_clear(&p);
  dup2(kept, STDIN_FILENO);
  close(kept);
  if (piped)
    pclose(pipe);
  else
    fclose(pipe);
}

static void standard_input(void **state) {
  (void)state;
  const struct {
    const char *path;
    size_t n_games;
  } files[] = {{"tests/cases/inputs/containers/c05_truncated.tar.zst", 150},
               {"tests/cases/inputs/containers/c07_nested.zip", 3},
               {"tests/cases/inputs/containers/c08_small.7z", 2},
               {"tests/cases/inputs/containers/c10_special.tar", 3},
               {"tests/cases/inputs/containers/c20_zero_bytes.tar.gz", 0},
               {"tests/cases/inputs/P01.sgf", 1}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    for (unsigned piped = 0; piped < 2; piped++)
      read_stdin(files[i].path, piped, files[i].n_games);
}

static void unreadable_files(void **state) {
  (void)state;
  if (geteuid() == 0) {
    print_message("root can read everything\n");
    skip();
  }
  put_game(probe_path("shut.sgf"));
  chmod(probe_path("shut.sgf"), 0);
  mkdir(probe_path("shut"), 0);
  const char *paths[] = {probe_path("shut.sgf"), probe_path("shut")};
  probe p;
  probe_read(&p, paths, 2, NULL);
  chmod(probe_path("shut"), 0700);
  assert_int_equal(p.n, 2);
  assert_int_equal(probe_count(&p, KM_REASON_UNREADABLE), 2);
  probe_clear(&p);
}

/* A file that is there at the start and gone when it is read. */
static void vanished_file(void **state) {
  (void)state;
  km_inputs *inputs;
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  put_game(probe_path("brief.sgf"));
  const char *paths[] = {probe_path("brief.sgf")};
  assert_int_equal(km_inputs_open(&inputs, paths, 1, NULL, &err), KM_OK);
  assert_int_equal(km_inputs_bytes(inputs, 0), sizeof game - 1);
  assert_int_equal(unlink(paths[0]), 0);
  assert_int_equal(km_archive_open(&reader, inputs, 0, &err), KM_OK);
  assert_int_equal(km_archive_next(reader, &entry, &err), KM_OK);
  assert_int_equal(entry.findings[0].reason, KM_REASON_UNREADABLE);
  assert_int_equal(km_archive_next(reader, &entry, &err), KM_END);
  km_archive_close(reader);
  km_inputs_free(inputs);
}

/* A large file that is cut while it is read: what was read stays good, and it is told. */
static void shrinking_file(void **state) {
  (void)state;
  enum { BYTES = 3 << 20, ENTRY = 1000, LEFT = (1 << 20) + 100 };
  const char *path = probe_path("shrinking.tar");
  made_set set = made_games(2500, 2 * ENTRY, 11);
  made_how how = {.format = ARCHIVE_FORMAT_TAR_USTAR, .filter = ARCHIVE_FILTER_NONE};
  km_inputs *inputs;
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  size_t n_given = 0, n_told = 0;
  signal(SIGBUS, SIG_DFL); /* cmocka and sanitizers have handlers, which would be respected */
  assert_true(made_write(path, &set, &how));
  assert_int_equal(km_inputs_open(&inputs, &path, 1, NULL, &err), KM_OK);
  assert_true(km_inputs_bytes(inputs, 0) > BYTES);
  assert_int_equal(km_archive_open(&reader, inputs, 0, &err), KM_OK);
  while (km_archive_next(reader, &entry, &err) == KM_OK) {
    if (n_given == 10)
      assert_int_equal(truncate(path, LEFT), 0);
    if (entry.bytes && n_given < 10)
      assert_memory_equal(entry.bytes, set.entries[n_given].bytes, entry.n_bytes);
    n_given += entry.bytes != NULL;
    if (entry.n_findings && entry.findings[0].reason == KM_REASON_UNREADABLE) {
      n_told++;
      assert_int_equal(entry.findings[0].pos, LEFT);
    }
  }
  print_message("%zu of %zu given\n", n_given, set.n);
  assert_true(n_given > 100 && n_given < set.n);
  assert_int_equal(n_told, 1);
  km_archive_close(reader);
  km_inputs_free(inputs);
  made_clear(&set);
}

/* A reader that is left in the middle, inside an archive within an archive. */
static void closed_early(void **state) {
  (void)state;
  km_inputs *inputs;
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  const char *path = "tests/cases/inputs/containers/c07_nested.zip";
  assert_int_equal(km_inputs_open(&inputs, &path, 1, NULL, &err), KM_OK);
  for (unsigned n = 0; n < 4; n++) {
    assert_int_equal(km_archive_open(&reader, inputs, 0, &err), KM_OK);
    for (unsigned i = 0; i < n; i++)
      assert_int_equal(km_archive_next(reader, &entry, &err), KM_OK);
    km_archive_close(reader);
  }
  km_inputs_free(inputs);
}

static int leave(void **state) {
  (void)state;
  probe_remove_folder();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folder_in_byte_order),
      cmocka_unit_test(links_and_loops),
      cmocka_unit_test(folder_without_files),
      cmocka_unit_test(missing_path_is_named),
      cmocka_unit_test(lists),
      cmocka_unit_test(standard_input),
      cmocka_unit_test(unreadable_files),
      cmocka_unit_test(vanished_file),
      cmocka_unit_test(shrinking_file),
      cmocka_unit_test(closed_early),
  };
  return cmocka_run_group_tests(tests, NULL, leave);
}
