/* test_planes_stage.c: whole runs of kifu-planes: the bytes do not depend on threads, memory or parts; a run
 * goes on where another one stopped; cases D04 and D07; and what cannot be done is said before anything is
 * written. */
#include "planes_runs.h"
#include "planes_settings.h"

#include "kifumill/store_verify.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char games_path[512], folder[512], other[512];

static int setup(void **state) {
  (void)state;
  static const made_kind kinds[] = {{9, 9, 90, 1}, {9, 9, 60, 0}, {13, 9, 60, 1}, {19, 19, 200, 1}};
  write_made_games(scratch_path(games_path, "stage.games.h5"), kinds, 4, 120);
  scratch_path(folder, "stage");
  scratch_path(other, "stage.other");
  return 0;
}
static int teardown(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

static void assert_same_folder(const char *a, const char *b) {
  km_hash128 x = folder_digest(a), y = folder_digest(b);
  assert_true(km_hash128_equal(x, y));
}

static void report_problem(void *ctx, const char *path, const char *problem) {
  (void)ctx;
  print_error("%s: %s\n", path, problem);
}
static void assert_verified(const char *path) {
  km_verify_sum sum;
  assert_ok(km_verify_path(path, report_problem, NULL, &sum, &test_err));
  assert_int_equal(sum.n_problems, 0);
}

/* The least memory that a run asks for. */
static uint64_t least_memory(km_planes_options o) {
  o.memory = 1 << 20;
  assert_int_equal(run_planes(&o), KM_ERR_USAGE);
  const char *least = strstr(test_err.msg, "at least ");
  assert_non_null(least);
  return strtoull(least + 9, NULL, 10) << 20;
}

static void threads_do_not_show(void **state) {
  (void)state;
  static const struct {
    const char *layout, *board, *codec;
    int symmetries;
  } kinds[] = {
      {"alphago-zero", "9", "zstd", 0}, {"leela-zero", "19", "none", 1}, {"alphago-48", "9x13", "gzip:1", 2}};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    km_planes_options o = test_options(games_path, folder);
    o.layout = kinds[i].layout;
    o.board = kinds[i].board;
    o.codec = kinds[i].codec;
    o.symmetries = kinds[i].symmetries;
    o.sample = i == 2 ? "per-game:3" : "all";
    remove_folder(folder);
    assert_ok(run_planes(&o));
    assert_verified(folder);
    static const int threads[] = {1, 2, 7};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
      remove_folder(other);
      o.run.threads = threads[t];
      o.run.output = other;
      assert_ok(run_planes(&o));
      assert_same_folder(folder, other);
    }
  }
}

/* With the least memory the rows go through the spool, and come out the same. */
static void memory_does_not_show(void **state) {
  (void)state;
  static const made_kind kind = {19, 19, 340, 0};
  char many[512];
  write_made_games(scratch_path(many, "spooled.h5"), &kind, 1, 700);
  for (int i = 0; i < 2; i++) {
    km_planes_options o = test_options(many, folder);
    o.board = "19";
    o.symmetries = i == 0 ? KM_SYMMETRIES_RANDOM : KM_SYMMETRIES_NONE;
    o.sample = i == 0 ? "all" : "every:2";
    o.split = "0.005,0.5,0.495"; /* all of train is one bucket, and val begins at the same place */
    o.move_features = i;
    o.rows_per_shard = 9000;
    o.chunk_rows = 32;
    o.final_value = 1;
    remove_folder(folder);
    remove_folder(other);
    assert_ok(run_planes(&o));
    assert_in_range(manifest_count(folder, "rows_train"), 1, 3000);
    o.run.output = other;
    o.run.threads = 2;
    FILE *messages = tmpfile();
    char text[2000] = "";
    o.run.messages = messages;
    o.memory = least_memory(o);
    assert_ok(run_planes(&o));
    rewind(messages);
    size_t n = fread(text, 1, sizeof text - 1, messages);
    text[n] = 0;
    fclose(messages);
    if (i == 0)
      assert_non_null(strstr(text, "went through temporary data"));
    assert_same_folder(folder, other);
  }
}

static void parts_do_not_show(void **state) {
  (void)state;
  km_planes_options o = test_options(games_path, folder);
  o.rows_per_shard = 400;
  remove_folder(folder);
  assert_ok(run_planes(&o));
  remove_folder(other);
  o.run.output = other;
  static const char *const parts[] = {"2/3", "0/3", "1/3"};
  char manifest[600];
  snprintf(manifest, sizeof manifest, "%s/manifest.json", other);
  o.part = "merge";
  assert_int_equal(run_planes(&o), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "train-00000.h5 is not there yet"));
  for (int i = 0; i < 3; i++) {
    assert_false(file_exists(manifest));
    o.part = parts[i];
    assert_ok(run_planes(&o));
  }
  assert_true(file_exists(manifest)); /* the last one wrote it */
  assert_same_folder(folder, other);
  assert_ok(remove(manifest) ? KM_ERR_IO : KM_OK);
  o.part = "merge";
  assert_ok(run_planes(&o));
  assert_same_folder(folder, other);
  o.part = "0/1000"; /* more parts than shards */
  o.run.force = 1;
  assert_ok(run_planes(&o));
  o.part = "999/1000";
  assert_ok(run_planes(&o));
  assert_same_folder(folder, other);
}

/* ---- going on
 * -------------------------------------------------------------------------------------------------- */

static time_t modified(const char *name, int nanoseconds) {
  char path[700];
  struct stat info;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  assert_int_equal(stat(path, &info), 0);
  return nanoseconds ? info.st_mtim.tv_nsec : info.st_mtim.tv_sec;
}

static void whole_shards_are_kept(void **state) {
  (void)state;
  char path[700];
  km_planes_options o = test_options(games_path, folder);
  remove_folder(folder);
  assert_ok(run_planes(&o));
  km_hash128 whole = folder_digest(folder);
  time_t second = modified("train-00000.h5", 0), part = modified("train-00000.h5", 1);
  static const char *const lost[] = {"manifest.json", "train-00001.h5", "val.h5"};
  for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, lost[i]);
    assert_int_equal(remove(path), 0);
  }
  snprintf(path, sizeof path, "%s/train-00001.h5.tmp", folder);
  write_file(path, "half", 4);
  snprintf(path, sizeof path, "%s/train-00077.h5.tmp", folder); /* of a run with other settings */
  write_file(path, "half", 4);
  assert_ok(run_planes(&o));
  assert_true(km_hash128_equal(folder_digest(folder), whole));
  assert_int_equal(modified("train-00000.h5", 0), second);
  assert_int_equal(modified("train-00000.h5", 1), part);
}

static void other_runs_are_not_mixed_in(void **state) {
  (void)state;
  char path[700];
  km_planes_options o = test_options(games_path, folder);
  remove_folder(folder);
  remove_folder(other);
  assert_ok(run_planes(&o));
  assert_int_equal(run_planes(&o), KM_ERR_STATE); /* finished */
  assert_non_null(strstr(test_err.msg, "manifest.json exists; --force overwrites it"));
  snprintf(path, sizeof path, "%s/manifest.json", folder);
  assert_int_equal(remove(path), 0);
  o.run.seed++;
  assert_int_equal(run_planes(&o), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "train-00000.h5 is of another run"));
  o.run.force = 1;
  assert_ok(run_planes(&o));
  o.run.output = other;
  assert_ok(run_planes(&o));
  assert_same_folder(folder, other);
  /* fewer shards than before: those beyond go, too */
  o.run.force = 0;
  o.rows_per_shard = 100000;
  assert_int_equal(remove(strcat(strcpy(path, other), "/manifest.json")), 0);
  assert_int_equal(run_planes(&o), KM_ERR_STATE);
  o.run.force = 1;
  assert_ok(run_planes(&o));
  assert_verified(other);
  o.run.output = folder;
  assert_ok(run_planes(&o));
  assert_same_folder(folder, other);
  /* a shard that is damaged is none of ours */
  assert_int_equal(remove(strcat(strcpy(path, folder), "/manifest.json")), 0);
  assert_int_equal(truncate(strcat(strcpy(path, folder), "/val-00000.h5"), 5000), 0);
  o.run.force = 0;
  assert_int_equal(run_planes(&o), KM_ERR_STATE);
  assert_non_null(strstr(test_err.msg, "val-00000.h5"));
  o.run.force = 1;
  assert_ok(run_planes(&o));
  assert_same_folder(folder, other);
}

/* ---- cases
 * ----------------------------------------------------------------------------------------------------- */

/* D07: 21 rows in chunks of 8 and shards of 16 are shards of 16 and 5. */
static void last_rows_are_kept(void **state) {
  (void)state;
  static const char *const moves[] = {
      "B[ie];W[ce];B[ag];W[ee];B[eg]",
      "B[db];W[eb];B[ia];W[fe];B[hg];W[hh];B[gg]",
      "B[bh];W[fe];B[ic];W[ai];B[ab];W[gg];B[gd];W[ii];B[df]",
  };
  km_arena arena;
  km_game games[3];
  char path[512];
  km_arena_init(&arena);
  for (int i = 0; i < 3; i++)
    sgf_game(&games[i], &arena, 9, moves[i]);
  write_games(scratch_path(path, "d07.h5"), games, 3);
  km_planes_options o = test_options(path, folder);
  o.split = "1";
  o.chunk_rows = 8;
  o.rows_per_shard = 16;
  remove_folder(folder);
  assert_ok(run_planes(&o));
  read_rows rows;
  read_folder(&rows, folder, &o);
  assert_int_equal(rows.n, 21);
  assert_int_equal(manifest_count(folder, "rows"), 21);
  for (size_t i = 0; i < rows.n; i++) {
    assert_int_equal(rows.rows[i].shard, i < 16 ? 0 : 1);
    int empty = 1;
    for (int k = 0; k < 2 * 11; k++) /* own_0 and opponent_0 */
      empty = empty && rows.rows[i].planes[k] == 0;
    assert_true(!empty || rows.rows[i].ply == 0);
  }
  read_rows_free(&rows);
  km_arena_clear(&arena);
  assert_verified(folder);
}

/* D04: rows of a game are in one split, whatever the shares. */
static void splits_are_of_games(void **state) {
  (void)state;
  static const char *const moves[] = {"B[ab];W[ba];B[ee]", "B[cd];W[dc];B[ee]", "B[fg];W[gf];B[ee]",
                                      "B[hi];W[ih];B[ee]", "B[bd];W[db];B[ee]", "B[cg];W[gc];B[ee]",
                                      "B[dh];W[hd];B[ee]", "B[ei];W[ie];B[ee]", "B[ag];W[ga];B[ee]",
                                      "B[bf];W[fb];B[ee]"};
  static const char *const shares[] = {"0.5,0.5", "0.1,0.8,0.1", "0.9,0.05,0.05", "0,0,1"};
  km_arena arena;
  km_game games[10];
  char path[512];
  km_arena_init(&arena);
  for (int i = 0; i < 10; i++)
    sgf_game(&games[i], &arena, 9, moves[i]);
  write_games(scratch_path(path, "d04.h5"), games, 10);
  for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++)
    for (uint64_t seed = 0; seed < 3; seed++) {
      km_planes_options o = test_options(path, folder);
      int split_of[10];
      read_rows rows;
      memset(split_of, -1, sizeof split_of);
      o.split = shares[k];
      o.run.seed = seed;
      remove_folder(folder);
      assert_ok(run_planes(&o));
      read_folder(&rows, folder, &o);
      assert_int_equal(rows.n, 30);
      for (size_t i = 0; i < rows.n; i++) {
        int *split = &split_of[rows.rows[i].game];
        assert_true(*split < 0 || *split == (int)rows.rows[i].split);
        *split = (int)rows.rows[i].split;
      }
      if (k == 3)
        assert_int_equal(manifest_count(folder, "rows_test"), 30);
      read_rows_free(&rows);
    }
  km_arena_clear(&arena);
}

/* ---- what cannot be done
 * --------------------------------------------------------------------------------------- */

static int is_empty_or_absent(const char *path) {
  DIR *dir = opendir(path);
  int n = 0;
  for (struct dirent *e; dir && (e = readdir(dir));)
    n += e->d_name[0] != '.';
  if (dir)
    closedir(dir);
  return n == 0;
}

static void refused(km_planes_options o, km_status expected, const char *part) {
  km_status status = run_planes(&o);
  if (status != expected || !strstr(test_err.msg, part))
    print_error("status %d: %s\n", status, test_err.msg);
  assert_int_equal(status, expected);
  assert_non_null(strstr(test_err.msg, part));
  assert_true(is_empty_or_absent(folder));
}

static void impossible_runs(void **state) {
  (void)state;
  char path[512], text[600];
  remove_folder(folder);
  km_planes_options o = test_options(games_path, folder);
  o.board = "7";
  refused(o, KM_ERR_FORMAT, "none of 120 games is on a board of 7x7");
  o = test_options(games_path, folder);
  o.ply = "5000..";
  refused(o, KM_ERR_FORMAT, "no position is left of");
  o = test_options(scratch_path(path, "missing.h5"), folder);
  refused(o, KM_ERR_IO, "missing.h5");
  write_games(scratch_path(path, "none.h5"), NULL, 0);
  o = test_options(path, folder);
  refused(o, KM_ERR_FORMAT, "holds no game");
  make_hbs(scratch_path(path, "hbs.h5"), 1, 3,
           &(km_hbs_shape){.n_limbs = 2, .n_colours = 1, .codec = {KM_CODEC_ZSTD, 1}}, 3);
  o = test_options(path, folder);
  refused(o, KM_ERR_FORMAT, "kifumill hbs");
  write_file(scratch_path(path, "text.h5"), "text", 4);
  o = test_options(path, folder);
  refused(o, KM_ERR_FORMAT, "text.h5");
  o = test_options(games_path, folder);
  o.memory = 2 << 20;
  refused(o, KM_ERR_USAGE, "--memory 2 M is too small");
  o = test_options(games_path, games_path);
  refused(o, KM_ERR_STATE, "is not a folder");
  snprintf(text, sizeof text, "%s/below", games_path);
  o = test_options(games_path, text);
  refused(o, KM_ERR_IO, "cannot make the folder");
  o = test_options(games_path, "");
  refused(o, KM_ERR_USAGE, "not the name of a folder");
}

/* Longer than the type of ply: left out and counted. */
static void long_games_are_left_out(void **state) {
  (void)state;
  km_arena arena;
  km_game games[2];
  char path[512];
  km_arena_init(&arena);
  sgf_game(&games[0], &arena, 9, "B[ee];W[cc]");
  sgf_game(&games[1], &arena, 9, "B[ee]");
  games[1].n_moves = 65535;
  games[1].moves = km_arena_zalloc(&arena, games[1].n_moves * sizeof(km_move));
  for (uint32_t i = 0; i < games[1].n_moves; i++)
    games[1].moves[i] = (km_move){81, (uint8_t)(1 + i % 2), 0};
  write_games(scratch_path(path, "long.h5"), games, 2);
  km_planes_options o = test_options(path, folder);
  remove_folder(folder);
  assert_ok(run_planes(&o));
  assert_int_equal(manifest_count(folder, "games_too_long"), 1);
  assert_int_equal(manifest_count(folder, "rows"), 2);
  games[1].n_moves = 65534;
  write_games(path, games, 2);
  o.sample = "per-game:1";
  o.final_value = 1;
  o.run.force = 1;
  assert_ok(run_planes(&o));
  assert_int_equal(manifest_count(folder, "games_too_long"), 0);
  assert_int_equal(manifest_count(folder, "rows"), 2);
  km_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(threads_do_not_show),         cmocka_unit_test(memory_does_not_show),
      cmocka_unit_test(parts_do_not_show),           cmocka_unit_test(whole_shards_are_kept),
      cmocka_unit_test(other_runs_are_not_mixed_in), cmocka_unit_test(last_rows_are_kept),
      cmocka_unit_test(splits_are_of_games),         cmocka_unit_test(impossible_runs),
      cmocka_unit_test(long_games_are_left_out),
  };
  return cmocka_run_group_tests_name("planes stage", tests, setup, teardown);
}
