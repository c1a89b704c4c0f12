/* test_interrupt.c: what a program does when a mapped input is cut off under it: a message, no temporary
 * file, exit code 1. */
#include "program.h"

#include "kifumill/outfile.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { BYTES = 1 << 16 };

/* In a process of its own, with standard error in messages: reads behind the end of a file that was longer.
 */
static void read_cut_file(const char *input, const char *output, int messages) {
  km_outfile *out;
  km_err err;
  dup2(messages, STDERR_FILENO);
  signal(SIGBUS, SIG_DFL); /* without the test's own */
  km_program_guard();
  int fd = open(input, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (fd < 0 || ftruncate(fd, BYTES) || km_outfile_open(&out, output, 0, &err))
    _exit(77);
  const volatile unsigned char *map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED || ftruncate(fd, 0))
    _exit(77);
  _exit(70 + map[BYTES - 1]);
}

static void mapped_input_is_cut(void **state) {
  (void)state;
  char folder[] = "/tmp/kifumill-test-XXXXXX", input[64], output[64], unfinished[80], text[256] = {0};
  int messages[2], code;
  assert_non_null(mkdtemp(folder));
  snprintf(input, sizeof input, "%s/input", folder);
  snprintf(output, sizeof output, "%s/output", folder);
  snprintf(unfinished, sizeof unfinished, "%s.tmp", output);
  assert_int_equal(pipe(messages), 0);
  pid_t child = fork();
  if (child == 0)
    read_cut_file(input, output, messages[1]);
  close(messages[1]);
  assert_true(read(messages[0], text, sizeof text - 1) > 0);
  assert_int_equal(waitpid(child, &code, 0), child);
  assert_true(WIFEXITED(code));
  assert_int_equal(WEXITSTATUS(code), KM_EXIT_FAILED);
  assert_non_null(strstr(text, "test_interrupt: an input became shorter"));
  assert_int_equal(access(unfinished, F_OK), -1);
  assert_int_equal(unlink(input), 0);
  assert_int_equal(rmdir(folder), 0);
  close(messages[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(mapped_input_is_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
