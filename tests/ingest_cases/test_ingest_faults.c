/* test_ingest_faults.c: a whole run in which the n-th allocation, or the n-th call that changes the disk, fails, for
 * all n: the run ends with a message that tells why, leaves no temporary file, and what stands under a final name is
 * whole. A run that is said to be good has the same outputs as one without faults. Allocations inside the third-party
 * libraries are not reached; the sanitizer watches for leaks. */
#include "ingest_stage.h"

#include "kifumill/hash.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <cmocka.h>

/* ---- what fails ------------------------------------------------------------------------------------------------- */

typedef enum fault_kind { FAULT_MEMORY, FAULT_DISK } fault_kind;
static fault_kind kind;
static long until_failure = -1; /* calls of the kind that still succeed; negative: all */

static int fails(fault_kind of) { return of == kind && until_failure >= 0 && until_failure-- == 0; }
static int fails_disk(void) {
  if (!fails(FAULT_DISK))
    return 0;
  errno = ENOSPC;
  return 1;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *n);
int __real_vasprintf(char **text, const char *format, va_list args);
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t at);
int __real_rename(const char *from, const char *to);
int __real_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __real_ftruncate(int fd, off_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *n);
int __wrap_vasprintf(char **text, const char *format, va_list args);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at);
int __wrap_rename(const char *from, const char *to);
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __wrap_ftruncate(int fd, off_t n);
int __wrap_fsync(int fd);

void *__wrap_malloc(size_t n) { return fails(FAULT_MEMORY) ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails(FAULT_MEMORY) ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails(FAULT_MEMORY) ? NULL : __real_realloc(p, n); }
char *__wrap_strdup(const char *text) { return fails(FAULT_MEMORY) ? NULL : __real_strdup(text); }
FILE *__wrap_open_memstream(char **text, size_t *n) {
  return fails(FAULT_MEMORY) ? NULL : __real_open_memstream(text, n);
}
int __wrap_vasprintf(char **text, const char *format, va_list args) {
  return fails(FAULT_MEMORY) ? -1 : __real_vasprintf(text, format, args);
}
ssize_t __wrap_write(int fd, const void *bytes, size_t n) { return fails_disk() ? -1 : __real_write(fd, bytes, n); }
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t at) {
  return fails_disk() ? -1 : __real_pwrite(fd, bytes, n, at);
}
int __wrap_rename(const char *from, const char *to) { return fails_disk() ? -1 : __real_rename(from, to); }
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags) {
  return fails_disk() ? -1 : __real_renameat2(from_fd, from, to_fd, to, flags);
}
int __wrap_ftruncate(int fd, off_t n) { return fails_disk() ? -1 : __real_ftruncate(fd, n); }
int __wrap_fsync(int fd) { /* the test does not wait for the disk */
  (void)fd;
  return fails_disk() ? -1 : 0;
}

/* ---- inputs and outputs ----------------------------------------------------------------------------------------- */

enum { LARGE_COMMENT = 600 * 1024, N_OUTPUTS = 3 };
static char folder[] = "/tmp/km-faults-XXXXXX";
static char large[64], paths[N_OUTPUTS][64];
static km_hash128 whole[N_OUTPUTS];

/* Games that need a decoder, are cut, repaired, refused, copies of one another, beginnings of one another; two of them
 * in a file so large that it is parsed piecemeal. */
static const char *const texts[] = {
    "(;GM[1]SZ[9]PB[\xc2\xed\xcf\xfe\xb4\xba]EV[\xd6\xd0\xb9\xfa\xce\xa7\xc6\xe5]RE[B+R];B[cc];W[gg];B[gg])",
    "(;GM[1]SZ[9]PB[x];B[cc];W[gg];B[ee])(;GM[1]SZ[9]PB[y]DT[2020];B[cc];W[gg];B[ee])(;GM[2];B[aa])",
    "(;SZ[9];B[aa]]C[0.39 0.61 0.00 -9.3 v=600];W[bb](;SZ[13]AB[cc];W[])",
};

static void write_inputs(void) {
  char path[96], *comment = malloc(LARGE_COMMENT + 1);
  assert_non_null(comment);
  memset(comment, 'c', LARGE_COMMENT);
  comment[LARGE_COMMENT] = 0;
  snprintf(large, sizeof large, "%s/in", folder);
  assert_int_equal(mkdir(large, 0777), 0);
  for (size_t i = 0; i <= sizeof texts / sizeof *texts; i++) {
    snprintf(path, sizeof path, "%s/in/%zu.sgf", folder, i);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (i < sizeof texts / sizeof *texts)
      fputs(texts[i], file);
    else
      fprintf(file, "(;SZ[9]C[%s];B[ab])(;SZ[9]C[%s]PB[\x8a\xfb\x90\xb9];B[cc];W[gg];B[ee];W[cg])", comment, comment);
    assert_int_equal(fclose(file), 0);
  }
  free(comment);
}

/* 1 and the hash of a file, or 0 when it is not there. */
static int hash_file(const char *path, km_hash128 *hash) {
  static unsigned char bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  *hash = km_hash_bytes(bytes, fread(bytes, 1, sizeof bytes, file));
  fclose(file);
  return 1;
}

static km_status run(km_err *err) {
  const char *inputs[] = {large, "tests/cases/inputs/containers/c07_nested.zip",
                          "tests/cases/inputs/containers/c20_empty_members.zip", "tests/cases/inputs/R02.sgf"};
  km_ingest_options options;
  km_stage_outcome outcome;
  km_ingest_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = sizeof inputs / sizeof *inputs;
  options.run.output = paths[0];
  options.run.threads = 1;
  options.run.messages = NULL;
  options.run.command = "kifu-ingest";
  options.run.config_text = "";
  options.rules = 1; /* positional superko: its table needs memory */
  *err = (km_err){.code = KM_OK};
  km_status status = km_ingest_run(&options, &outcome, err);
  if (status != KM_OK)
    assert_true(status < 0 && err->msg[0]);
  return status;
}

/* Files under final names are those of a run without faults. Removes them; how many temporary ones there are. */
static int check_outputs(int all) {
  char tmp[256];
  int n_left = 0;
  for (int i = 0; i < N_OUTPUTS; i++) {
    km_hash128 hash;
    int there = hash_file(paths[i], &hash);
    assert_true(there || !all);
    if (there)
      assert_true(km_hash128_equal(hash, whole[i]));
    unlink(paths[i]);
    snprintf(tmp, sizeof tmp, "%s.tmp", paths[i]);
    n_left += access(tmp, F_OK) == 0;
  }
  return n_left;
}

static int set_up(void **state) {
  (void)state;
  static const char *const names[] = {"games.h5", "games.ledger.tsv", "games.summary.json"};
  km_err err;
  if (!mkdtemp(folder))
    return -1;
  write_inputs();
  for (int i = 0; i < N_OUTPUTS; i++)
    snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
  if (run(&err) != KM_OK)
    fail_msg("%s", err.msg);
  for (int i = 0; i < N_OUTPUTS; i++) {
    assert_true(hash_file(paths[i], &whole[i]));
    unlink(paths[i]);
  }
  return 0;
}

static int clear_up(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

/* Fails call n of the kind for n = 0, 1, … until there is no such call; how many there were. */
static long fail_each(fault_kind of, const char *why, km_status expected) {
  long n = 0;
  for (int reached = 1; reached; n++) {
    km_err err;
    kind = of;
    until_failure = n;
    km_status status = run(&err);
    reached = until_failure < 0;
    until_failure = -1;
    if (status != KM_OK && (status != expected || !strstr(err.msg, why)))
      fail_msg("fault %ld: status %d, %s", n, status, err.msg);
    if (check_outputs(status == KM_OK))
      fail_msg("fault %ld (%s): a temporary file is left", n, err.msg);
  }
  return n - 1;
}

static void test_every_allocation_fails_once(void **state) {
  (void)state;
  long n = fail_each(FAULT_MEMORY, "memory", KM_ERR_NOMEM);
  print_message("%ld allocations\n", n);
  assert_true(n > 100);
}

static void test_every_write_fails_once(void **state) {
  (void)state;
  long n = fail_each(FAULT_DISK, "No space left on device", KM_ERR_IO);
  print_message("%ld calls that write\n", n);
  assert_true(n > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_allocation_fails_once),
      cmocka_unit_test(test_every_write_fails_once),
  };
  return cmocka_run_group_tests(tests, set_up, clear_up);
}
