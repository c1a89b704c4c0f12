/* test_phases_threads.c: the bytes of phases.h5, phases.csv and phases.summary.json for 1, 2 and 7 threads
 * and between runs. */
#include "stage_fixture.h"

#include "hbs_stage.h"
#include "phases_stage.h"

#include <stdlib.h>

enum { FILES = 3 };
typedef struct digests {
  km_hash128 of[FILES];
} digests;

static digests run_with(int threads, const char *signal, int compare) {
  km_phases_options *o =
      stage_options(&km_phases_stage, scratch("t.phases.h5"), scratch("t.hbs.h5"), bundled_games());
  o->run.threads = threads;
  o->signal = signal;
  o->compare = compare;
  o->replicates = 50;
  run_stage(&km_phases_stage, o);
  free(o);
  return (digests){{bytes_hash(scratch("t.phases.h5")), bytes_hash(scratch("t.phases.csv")),
                    bytes_hash(scratch("t.phases.summary.json"))}};
}

static void same_bytes(void **state) {
  static const int threads[] = {2, 7, 1};
  (void)state;
  km_hbs_options *o = stage_options(&km_hbs_stage, scratch("t.hbs.h5"), bundled_games(), NULL);
  o->layers = 1;
  run_stage(&km_hbs_stage, o);
  free(o);
  for (int layers = 0; layers < 2; layers++) {
    digests first = run_with(1, layers ? "layers" : "log2", layers ? 100 : 0);
    for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
      digests other = run_with(threads[k], layers ? "layers" : "log2", layers ? 100 : 0);
      for (int i = 0; i < FILES; i++)
        assert_true(km_hash128_equal(first.of[i], other.of[i]));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
