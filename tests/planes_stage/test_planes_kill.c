/* test_planes_kill.c: kifu-planes killed at any moment, or stopped by a disk that takes no more, leaves whole
 * shards or none, and the next run ends with the bytes of one that was left alone. */
#include "planes_runs.h"

#include "kifumill/store_verify.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char games_path[512], folder[512], other[512], log_path[512];

static int setup(void **state) {
  (void)state;
  static const made_kind kind = {19, 19, 250, 0};
  write_made_games(scratch_path(games_path, "games.h5"), &kind, 1, 400);
  scratch_path(folder, "kill");
  scratch_path(other, "kill.other");
  scratch_path(log_path, "kill.log");
  return 0;
}
static int teardown(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

/* Starts the program; file_bytes 0: no limit of the size of a file. */
static pid_t start(const char *output, const char *memory, rlim_t file_bytes) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid != 0)
    return pid;
  struct rlimit limit = {file_bytes, file_bytes};
  int fd = open(log_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, 2) < 0 || (file_bytes && setrlimit(RLIMIT_FSIZE, &limit)))
    _exit(99);
  signal(SIGXFSZ, SIG_IGN);
  execl(KM_KIFU_PLANES, "kifu-planes", "-o", output, "-j2", "--quiet", "--rows-per-shard", "2500",
        "--chunk-rows", "64", "--symmetries", "random", "--memory", memory, games_path, (char *)NULL);
  _exit(98);
}

static int finish(pid_t pid) {
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return status;
}

static void report_problem(void *ctx, const char *path, const char *problem) {
  (void)ctx;
  print_error("%s: %s\n", path, problem);
}

/* Every file under a final name is whole; returns how many shards there are. */
static size_t check_whole(const char *path) {
  size_t n = 0;
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    char name[800];
    size_t length = strlen(e->d_name);
    if (length < 4 || strcmp(e->d_name + length - 3, ".h5") != 0)
      continue;
    km_verify_sum sum;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    assert_ok(km_verify_path(name, report_problem, NULL, &sum, &test_err));
    assert_int_equal(sum.n_problems, 0);
    n += strchr(e->d_name, '-') != NULL;
  }
  if (dir)
    closedir(dir);
  return n;
}

static void killed_at_any_moment(void **state) {
  (void)state;
  char manifest[600];
  test_random r = {(uint64_t)time(NULL)};
  print_message("seed %llu\n", (unsigned long long)r.state);
  double begin = km_clock_seconds();
  assert_int_equal(finish(start(folder, "2G", 0)), 0);
  double whole = km_clock_seconds() - begin;
  km_hash128 expected = folder_digest(folder);
  snprintf(manifest, sizeof manifest, "%s/manifest.json", other);
  for (int round = 0; round < 4; round++) {
    const char *memory = round % 2 ? "36M" : "2G"; /* with and without a spool */
    size_t n_shards = 0;
    remove_folder(other);
    for (int kills = 0; kills < 4; kills++) {
      pid_t pid = start(other, memory, 0);
      double wait = whole * (double)test_below(&r, 1000) / 1000;
      nanosleep(&(struct timespec){(time_t)wait, (long)(1e9 * (wait - (double)(time_t)wait))}, NULL);
      kill(pid, SIGKILL);
      finish(pid);
      size_t n = check_whole(other);
      assert_true(n >= n_shards); /* none is lost again */
      n_shards = n;
      if (file_exists(manifest))
        break;
    }
    if (!file_exists(manifest))
      assert_int_equal(finish(start(other, memory, 0)), 0);
    km_hash128 found = folder_digest(other);
    assert_true(km_hash128_equal(found, expected));
  }
}

/* A file that may not grow stands for a disk without room: the message says so, no shard is left in part, and
 * with room the run goes on. */
static void disk_is_full(void **state) {
  (void)state;
  char text[1000];
  assert_true(file_exists(folder));
  km_hash128 expected = folder_digest(folder);
  static const rlim_t limits[] = {600, 5000, 60000, 150000};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    remove_folder(other);
    int status = finish(start(other, i == 3 ? "36M" : "2G", limits[i]));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    size_t n_bytes;
    unsigned char *log = read_file(log_path, &n_bytes);
    snprintf(text, sizeof text, "%.*s", (int)n_bytes, (const char *)log);
    free(log);
    if (!strstr(text, "File too large") || strchr(text, '\n') != text + strlen(text) - 1)
      print_error("%s\n", text);
    assert_non_null(strstr(text, "File too large"));
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1); /* one line */
    assert_int_equal(check_whole(other), 0);
    assert_false(file_exists(other)); /* nothing was in the folder, so it is gone */
    assert_int_equal(finish(start(other, "2G", 0)), 0);
    km_hash128 found = folder_digest(other);
    assert_true(km_hash128_equal(found, expected));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(killed_at_any_moment), cmocka_unit_test(disk_is_full)};
  return cmocka_run_group_tests_name("planes kill", tests, setup, teardown);
}
