/* test_report_memory.c: memory that is refused: every allocation of the start and every few of the rest, in
 * turn. The report fails with a message and leaves no page, or is made all the same; under the address
 * sanitizer nothing leaks. */
#include "report_fixture.h"

#include "kifumill/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static long n_seen, fail_at; /* of the calls below; 0: none fails */

static int refused(void) {
  return ++n_seen == fail_at;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
char *__real_strdup(const char *text);
void *__real_km_arena_zalloc(km_arena *arena, size_t n_bytes);
void *__real_km_arena_grow(km_arena *arena, void *p, size_t old_bytes, size_t new_bytes);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_km_arena_zalloc(km_arena *arena, size_t n_bytes);
void *__wrap_km_arena_grow(km_arena *arena, void *p, size_t old_bytes, size_t new_bytes);

void *__wrap_malloc(size_t n) {
  return refused() ? NULL : __real_malloc(n);
}
void *__wrap_calloc(size_t n, size_t size) {
  return refused() ? NULL : __real_calloc(n, size);
}
char *__wrap_strdup(const char *text) {
  return refused() ? NULL : __real_strdup(text);
}
void *__wrap_km_arena_zalloc(km_arena *arena, size_t n_bytes) {
  return refused() ? NULL : __real_km_arena_zalloc(arena, n_bytes);
}
void *__wrap_km_arena_grow(km_arena *arena, void *p, size_t old_bytes, size_t new_bytes) {
  return refused() ? NULL : __real_km_arena_grow(arena, p, old_bytes, new_bytes);
}

static char folder[64], output[128], page[160];

static int make_inputs(void **state) {
  (void)state;
  char path[128];
  fixture_hbs hbs = fixture_hbs_default();
  fixture_phases phases = fixture_phases_default();
  fixture_winrate winrate = fixture_winrate_default();
  fixture_styles styles = {0.01, 0.01, "Dosaku"};
  hbs.stratum = "Dosaku";
  fixture_make_folder(folder);
  snprintf(output, sizeof output, "%s/report", folder);
  snprintf(page, sizeof page, "%s/index.html", output);
  snprintf(path, sizeof path, "%s/games.h5", folder);
  fixture_put_games(path);
  snprintf(path, sizeof path, "%s/games.summary.json", folder);
  fixture_put_facts(path, "a.zip");
  snprintf(path, sizeof path, "%s/games.ledger.tsv", folder);
  fixture_put_ledger(path, "a.zip");
  snprintf(path, sizeof path, "%s/hbs.summary.json", folder);
  fixture_put_hbs(path, &hbs);
  snprintf(path, sizeof path, "%s/phases.summary.json", folder);
  fixture_put_phases(path, &phases);
  snprintf(path, sizeof path, "%s/winrate.json", folder);
  fixture_put_winrate(path, &winrate);
  snprintf(path, sizeof path, "%s/winrate.styles.json", folder);
  fixture_put_styles(path, &styles);
  return 0;
}
static int remove_inputs(void **state) {
  (void)state;
  fixture_remove_folder(folder);
  return 0;
}

static km_status run_failing_at(long n, char message[320]) {
  const char *const inputs[] = {folder};
  unlink(page);
  n_seen = 0;
  fail_at = n;
  km_status status = fixture_run(inputs, 1, output, KM_PLOTS_OFF, message);
  fail_at = 0;
  return status;
}

static void test_refused_memory(void **state) {
  (void)state;
  enum { ALL_OF = 100, STEP = 97 };
  char message[320];
  struct stat info;
  assert_int_equal(run_failing_at(0, message), KM_OK);
  long n = n_seen, n_failed = 0;
  assert_true(n > ALL_OF);
  for (long at = 1; at <= n; at += at < ALL_OF ? 1 : STEP) {
    km_status status = run_failing_at(at, message);
    if (status == KM_OK)
      continue;
    n_failed++;
    if (!*message || stat(page, &info) == 0)
      fail_msg("allocation %ld of %ld: status %d, message \"%s\", a page is there: %d", at, n, (int)status,
               message, stat(page, &info) == 0);
  }
  assert_true(n_failed > ALL_OF / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused_memory)};
  return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
