/* test_winrate_memory.c: allocations of a whole run fail, one a run: the run says so, leaks nothing (the address sanitizer
 * looks) and leaves no file.
 *
 * The linker puts the functions below before malloc, calloc and realloc of everything linked statically. The n-th call fails,
 * for each of the first ones and then for a spread of the rest. */
#include "winrate_games.h"

#include <stdlib.h>
#include <unistd.h>

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static long calls, failing_call; /* failing_call 0: none */

static int fails(void) { return ++calls == failing_call; }
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }

enum { ALL_OF_THE_FIRST = 60, SPREAD = 60 };

static void remove_outputs(void) {
  unlink(scratch("m.json"));
  unlink(scratch("m.csv"));
  unlink(scratch("m.styles.json"));
}

/* Whether the run ends well with the n-th allocation failing. Some allocations are helpers that can be done without. */
static int survives(const km_winrate_options *o, long n) {
  km_stage_outcome outcome = {0};
  km_err err = {0};
  calls = 0;
  failing_call = n;
  km_status status = km_winrate_run(o, &outcome, &err);
  long used = calls;
  failing_call = 0;
  if (status != KM_OK && status != KM_ERR_NOMEM)
    fail_msg("allocation %ld: status %d, %s", n, status, err.msg);
  if (status != KM_OK) {
    assert_true(err.msg[0] != 0);
    assert_false(scratch_has("m.json")); /* it is written last */
  }
  remove_outputs();
  return n == 0 ? (int)used : status == KM_OK;
}

static void every_allocation(void **state) {
  static const char *const names[] = {"Aoki", "Benjamin", "Chen", "Dana", "Eun", "Fujita"};
  static const winrate_kind kind = {.seed = 3, .n = 130, .edge_won = 0.7, .edge_lost = 0.4, .players = names, .n_players = 6,
                                    .with_evals = 1};
  (void)state;
  km_winrate_options *o = winrate_options(scratch("m.json"), winrate_games("memory.h5", &kind), NULL);
  static const char rates[] = "source,entry,ply,black_score_lead\nmade.zip,1.sgf,3,4\n";
  write_bytes(scratch("m.rates"), rates, sizeof rates - 1);
  o->model = KM_WINRATE_BOTH;
  o->features = "hbs";
  o->external = scratch("m.rates");
  o->folds = 2;
  o->epochs = 1;
  o->replicates = 3;
  o->min_games = 10;
  o->bucket = 20;
  long n = survives(o, 0), survived = 0;
  assert_in_range(n, ALL_OF_THE_FIRST, 100000);
  for (long i = 1; i <= n; i += i < ALL_OF_THE_FIRST ? 1 : 1 + (n - ALL_OF_THE_FIRST) / SPREAD)
    survived += survives(o, i);
  assert_true(survived < ALL_OF_THE_FIRST / 5);
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
