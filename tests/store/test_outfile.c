/* test_outfile.c: an output is whole under its name, or not there; nothing is overwritten unasked; devices
 * are not replaced. */
#include "store_fixture.h"

#include "kifumill/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void appears_whole(void **state) {
  (void)state;
  char path[512], tmp[520];
  km_outfile *out;
  size_t n;
  snprintf(tmp, sizeof tmp, "%s.tmp", scratch_path(path, "whole.txt"));
  assert_ok(km_outfile_open(&out, path, 0, &test_err));
  assert_string_equal(km_outfile_path(out), path);
  assert_string_equal(km_outfile_tmp_path(out), tmp);
  assert_ok(km_outfile_write(out, "head\n", 5, &test_err));
  char *large = malloc(200000);
  memset(large, 'x', 199999);
  large[199999] = 0;
  assert_ok(km_outfile_printf(out, &test_err, "%s-%d\n", large, 7)); /* larger than the buffer */
  assert_ok(km_outfile_write(out, large, 100000, &test_err));
  assert_false(file_exists(path));
  assert_true(file_exists(tmp));
  assert_ok(km_outfile_finish(out, &test_err));
  assert_false(file_exists(tmp));
  unsigned char *bytes = read_file(path, &n);
  assert_int_equal(n, 5 + 199999 + 3 + 100000);
  assert_memory_equal(bytes, "head\nxxx", 8);
  assert_memory_equal(bytes + 5 + 199999, "-7\nxxx", 6);
  free(bytes);
  free(large);
}

static void many_small_pieces(void **state) {
  (void)state;
  char path[512], expected[16];
  km_outfile *out;
  size_t n, at = 0;
  assert_ok(km_outfile_open(&out, scratch_path(path, "pieces.txt"), 0, &test_err));
  for (int i = 0; i < 40000; i++)
    assert_ok(km_outfile_printf(out, &test_err, "%d\n", i));
  assert_ok(km_outfile_finish(out, &test_err));
  unsigned char *bytes = read_file(path, &n);
  for (int i = 0; i < 40000; i++) {
    size_t length = (size_t)snprintf(expected, sizeof expected, "%d\n", i);
    assert_memory_equal(bytes + at, expected, length);
    at += length;
  }
  assert_int_equal(at, n);
  free(bytes);
}

static void refuses_to_overwrite(void **state) {
  (void)state;
  char path[512];
  km_outfile *out;
  size_t n;
  assert_ok(km_outfile_put(scratch_path(path, "there.txt"), "old", 3, 0, &test_err));
  assert_int_equal(km_outfile_put(path, "new", 3, 0, &test_err), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "there.txt exists; --force overwrites it"));
  assert_ok(km_outfile_put(path, "newer", 5, 1, &test_err));
  unsigned char *bytes = read_file(path, &n);
  assert_int_equal(n, 5);
  free(bytes);
  /* one that appears while ours is written */
  scratch_path(path, "race.txt");
  assert_ok(km_outfile_open(&out, path, 0, &test_err));
  write_file(path, "first", 5);
  assert_int_equal(km_outfile_finish(out, &test_err), KM_ERR_STATE);
  bytes = read_file(path, &n);
  assert_memory_equal(bytes, "first", 5);
  free(bytes);
}

static void abandons_without_trace(void **state) {
  (void)state;
  char path[512];
  km_outfile *out;
  int n_before = folder_entries(scratch());
  assert_ok(km_outfile_open(&out, scratch_path(path, "gone.txt"), 0, &test_err));
  assert_ok(km_outfile_write(out, "x", 1, &test_err));
  km_outfile_abandon(out);
  km_outfile_abandon(NULL);
  assert_int_equal(folder_entries(scratch()), n_before);
}

static void names_what_and_why(void **state) {
  (void)state;
  char path[512];
  km_outfile *out;
  assert_int_equal(km_outfile_open(&out, "/nonexistent-folder/out.txt", 0, &test_err), KM_ERR_IO);
  assert_null(out);
  assert_string_equal(test_err.msg,
                      "cannot create /nonexistent-folder/out.txt.tmp: No such file or directory");
  assert_int_equal(km_outfile_open(&out, "", 1, &test_err), KM_ERR_USAGE);
  assert_int_equal(km_outfile_open(&out, scratch(), 1, &test_err), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "is a folder"));
  assert_ok(km_outfile_put(scratch_path(path, "plain"), "", 0, 0, &test_err));
  strcat(path, "/below");
  assert_int_equal(km_outfile_open(&out, path, 0, &test_err), KM_ERR_IO);
  assert_int_equal(test_err.sys_errno, ENOTDIR);
}

/* A device is written in place: renaming over it would destroy it. */
static void full_device(void **state) {
  (void)state;
  km_outfile *out;
  struct stat before, after;
  assert_int_equal(stat("/dev/full", &before), 0);
  assert_ok(km_outfile_open(&out, "/dev/full", 1, &test_err));
  assert_true(km_outfile_is_direct(out));
  assert_ok(km_outfile_write(out, "x", 1, &test_err));
  assert_int_equal(km_outfile_finish(out, &test_err), KM_ERR_IO);
  assert_string_equal(test_err.msg, "cannot write /dev/full: No space left on device");
  assert_int_equal(stat("/dev/full", &after), 0);
  assert_true(S_ISCHR(after.st_mode) && before.st_ino == after.st_ino);
  assert_ok(km_outfile_put("/dev/null", "x", 1, 0, &test_err));
  assert_int_equal(stat("/dev/null", &after), 0);
  assert_true(S_ISCHR(after.st_mode));
}

/* The second of two processes that write one output is told so; after the first has died it may. */
static void one_writer_only(void **state) {
  (void)state;
  char path[512];
  km_outfile *out;
  int ready[2];
  scratch_path(path, "shared.txt");
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    km_status status = km_outfile_open(&out, path, 0, NULL);
    ssize_t n = write(ready[1], status ? "e" : "k", 1);
    (void)n;
    for (;;)
      pause();
  }
  char c = 0;
  assert_int_equal(read(ready[0], &c, 1), 1);
  assert_int_equal(c, 'k');
  assert_int_equal(km_outfile_open(&out, path, 1, &test_err), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "is being written by another process"));
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_ok(km_outfile_put(path, "after", 5, 0, &test_err)); /* over what the killed one left */
  size_t n;
  unsigned char *bytes = read_file(path, &n);
  assert_int_equal(n, 5);
  free(bytes);
  close(ready[0]);
  close(ready[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(appears_whole),        cmocka_unit_test(many_small_pieces),
      cmocka_unit_test(refuses_to_overwrite), cmocka_unit_test(abandons_without_trace),
      cmocka_unit_test(names_what_and_why),   cmocka_unit_test(full_device),
      cmocka_unit_test(one_writer_only),
  };
  int failed = cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
