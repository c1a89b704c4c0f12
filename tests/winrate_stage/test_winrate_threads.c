/* test_winrate_threads.c: the bytes of all three outputs for 1, 2 and 7 threads and between runs. */
#include "winrate_games.h"

#include <stdlib.h>

static const char *const names[] = {"Aoki", "Benjamin", "Chen", "Dana", "Eun", "Fujita"};
static const winrate_kind kind = {.seed = 4, .n = 400, .edge_won = 0.7, .edge_lost = 0.4, .players = names, .n_players = 6,
                                  .with_evals = 1};

static void same_bytes(void **state) {
  static const char *const outputs[] = {"t.json", "t.csv", "t.styles.json"};
  static const int threads[] = {1, 2, 7, 1};
  km_hash128 first[3];
  (void)state;
  const char *games = winrate_games("threads.h5", &kind);
  for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
    km_winrate_options *o = winrate_options(scratch("t.json"), games, NULL);
    o->model = KM_WINRATE_BOTH;
    o->features = "hbs_delta,local";
    o->folds = 3;
    o->epochs = 3;
    o->min_games = 40;
    o->run.threads = threads[k];
    run_winrate(o);
    free(o);
    for (size_t i = 0; i < 3; i++) {
      km_hash128 hash = bytes_hash(scratch(outputs[i]));
      if (k == 0)
        first[i] = hash;
      assert_true(km_hash128_equal(first[i], hash));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
