/* test_unnamed_file.c: temporary data that leave nothing behind, with O_TMPFILE and on file systems that lack it. */
#include "store_fixture.h"

#include "kifumill/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int lacks_unnamed;
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  if (lacks_unnamed && (flags & O_TMPFILE) == O_TMPFILE) {
    errno = EOPNOTSUPP;
    return -1;
  }
  return __real_open(path, flags, 0600);
}

static void use_one(void) {
  char folder[] = "/tmp/kifumill-test-XXXXXX", path[64], bytes[6];
  km_err err;
  int fd;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/output.h5", folder);
  assert_int_equal(km_unnamed_file(&fd, path, &err), KM_OK);
  assert_int_equal(pwrite(fd, "stones", 6, 100), 6);
  assert_int_equal(pread(fd, bytes, 6, 100), 6);
  assert_memory_equal(bytes, "stones", 6);
  struct stat st;
  assert_int_equal(fstat(fd, &st), 0);
  assert_int_equal(st.st_nlink, 0);
  assert_int_equal(rmdir(folder), 0); /* nothing is in it */
  close(fd);
  assert_int_equal(km_unnamed_file(&fd, path, &err), KM_ERR_IO);
  assert_int_equal(fd, -1);
  assert_non_null(strstr(err.msg, folder));
}

static void with_unnamed_files(void **state) {
  (void)state;
  lacks_unnamed = 0;
  use_one();
}

static void without_unnamed_files(void **state) {
  (void)state;
  lacks_unnamed = 1;
  use_one();
  lacks_unnamed = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(with_unnamed_files),
                                     cmocka_unit_test(without_unnamed_files)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
