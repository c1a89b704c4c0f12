/* test_planes_python.c: shards as h5py reads them, against rows that read_shards.py makes of games.h5 on its
 * own. */
#include "planes_runs.h"
#include "planes_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static void h5py_reads_shards(void **state) {
  (void)state;
  static const made_kind kinds[] = {{9, 9, 70, 1}, {9, 9, 50, 0}, {13, 9, 40, 0}};
  char games[512], folder[512], command[2048];
  write_made_games(scratch_path(games, "python.games.h5"), kinds, 3, 30);
  scratch_path(folder, "python");
  for (int i = 0; i < 4; i++) {
    km_planes_options o = test_options(games, folder);
    o.codec = i % 2 ? "none" : "gzip:6"; /* what h5py reads without a plugin */
    o.pack = i == 1 || i == 3;
    o.symmetries = i < 3 ? i : KM_SYMMETRIES_RANDOM;
    o.board = i == 3 ? "9x13" : "9";
    o.rows_per_shard = 200;
    remove_folder(folder);
    assert_ok(run_planes(&o));
    snprintf(command, sizeof command, "/usr/bin/python3 tests/planes_stage/read_shards.py '%s' '%s'", games,
             folder);
    int status = system(command);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127)) {
      print_message("no python3 with h5py\n");
      skip();
    }
    assert_int_equal(status, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(h5py_reads_shards)};
  int failed = cmocka_run_group_tests_name("planes python", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
