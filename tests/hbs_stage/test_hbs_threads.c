/* test_hbs_threads.c: the bytes of hbs.h5 and hbs.summary.json for 1, 2 and 7 threads and between runs, with
 * workers that have sums of their own and with workers that share them. */
#include "stage_fixture.h"

#include "hbs_stage.h"

#include <stdlib.h>

typedef struct digests {
  km_hash128 file, summary;
} digests;

typedef struct test_case {
  const char *variant, *by;
  int layers;
  const char *(*games)(void);
} test_case;

static digests run_with(int threads, const test_case *c) {
  km_hbs_options *o = stage_options(&km_hbs_stage, scratch("t.hbs.h5"), c->games(), NULL);
  o->run.threads = threads;
  o->variant = c->variant;
  o->by = c->by;
  o->layers = c->layers;
  run_stage(&km_hbs_stage, o);
  free(o);
  return (digests){bytes_hash(scratch("t.hbs.h5")), bytes_hash(scratch("t.hbs.summary.json"))};
}

static void same_bytes(void **state) {
  static const test_case cases[] = {
      {"default", NULL, 0, bundled_games},
      {"both", "rank,player,year,komi,source,length,size,result", 1, golden_games}};
  static const int threads[] = {7, 2, 1};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    digests first = run_with(1, &cases[i]);
    for (size_t k = 0; k < (i ? 1 : sizeof threads / sizeof *threads); k++) {
      digests other = run_with(threads[k], &cases[i]);
      assert_true(km_hash128_equal(first.file, other.file));
      assert_true(km_hash128_equal(first.summary, other.summary));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bytes)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
