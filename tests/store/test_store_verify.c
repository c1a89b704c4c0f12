/* test_store_verify.c: a folder with its manifest is found whole; whatever is missing, cut, altered, foreign
 * or miscounted in it is named. Virtual files join shards, and stand for missing ones with their fill values.
 */
#include "store_fixture.h"

#include "kifumill/store_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { N_SHARDS = 3, N_FILES = N_SHARDS + 1 };
static const size_t shard_rows[N_SHARDS] = {200, 64, 33};

static char folder[512];

static char *in_folder(char *text, const char *name) {
  snprintf(text, 1024, "%s/%s", folder, name);
  return text;
}

/* Problems as one text. */
typedef struct problems {
  int n;
  char text[4096];
} problems;

static void take(void *ctx, const char *path, const char *problem) {
  problems *p = ctx;
  size_t used = strlen(p->text);
  p->n++;
  snprintf(p->text + used, sizeof p->text - used, "%s: %s\n", strrchr(path, '/') + 1, problem);
}

static problems verify(const char *path) {
  problems p = {0};
  km_verify_sum sum;
  assert_ok(km_verify_path(path, take, &p, &sum, &test_err));
  assert_int_equal(p.n, sum.n_problems);
  return p;
}

/* A folder of three shards of one split, a virtual file and the manifest. */
static void make_folder(void) {
  char path[1024];
  km_shard_entry files[N_FILES];
  km_shard_spec spec;
  snprintf(folder, sizeof folder, "%s/shards", scratch());
  mkdir(folder, 0777);
  for (int i = 0; i < N_SHARDS; i++) {
    char name[32];
    snprintf(name, sizeof name, "train-%05d.h5", i);
    files[i] =
        make_shard(in_folder(path, name), (uint64_t)i, shard_rows[i], (km_codec){KM_CODEC_ZSTD, 1}, 50);
  }
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  assert_ok(
      km_shard_virtual(in_folder(path, "train.h5"), &spec, files, N_SHARDS, &files[N_SHARDS], &test_err));
  assert_int_equal(files[N_SHARDS].n_rows, 297);
  assert_true(files[N_SHARDS].is_virtual);
  km_manifest_pair settings[] = {{"layout", "alphago-zero"}, {"split", "0.9,0.05,0.05"}};
  km_manifest_count counts[] = {{"games", 12}, {"rows", 297}, {"rows_train", 297}, {"rows_val", 0}};
  static const char *const planes[] = {"own 0", "opponent 0", "colour"};
  km_manifest manifest = {.origin = test_origin,
                          .settings = settings,
                          .counts = counts,
                          .planes = planes,
                          .files = files,
                          .n_settings = 2,
                          .n_counts = 4,
                          .n_planes = 3,
                          .n_files = N_FILES};
  assert_ok(km_manifest_write(in_folder(path, KM_MANIFEST_NAME), &manifest, 1, &test_err));
}

static void manifest_comes_back(void **state) {
  (void)state;
  char path[1024], copy[1024];
  km_manifest *m;
  make_folder();
  assert_ok(km_manifest_read(&m, in_folder(path, KM_MANIFEST_NAME), &test_err));
  assert_string_equal(m->origin.command, test_origin.command);
  assert_int_equal(m->origin.seed, 7);
  assert_int_equal(m->n_settings, 2);
  assert_string_equal(m->settings[1].key, "split");
  assert_string_equal(m->settings[1].value, "0.9,0.05,0.05");
  assert_int_equal(m->n_counts, 4);
  assert_int_equal(m->counts[0].value, 12);
  assert_int_equal(m->n_planes, 3);
  assert_string_equal(m->planes[2], "colour");
  assert_int_equal(m->n_files, N_FILES);
  assert_string_equal(m->files[1].name, "train-00001.h5");
  assert_int_equal(m->files[1].n_rows, 64);
  assert_int_equal(m->files[1].index, 3);
  assert_ok(km_manifest_write(scratch_path(copy, "copy.json"), m, 1, &test_err));
  assert_same_file(path, copy);
  km_manifest_free(m);
}

/* A command line of any bytes does not stop a manifest. */
static void command_is_any_bytes(void **state) {
  (void)state;
  char path[1024];
  km_manifest manifest = {.origin = {.command = "kifu-planes \xff\xc3\xa4.h5"}}, *m;
  assert_ok(km_manifest_write(scratch_path(path, "bytes.json"), &manifest, 1, &test_err));
  assert_ok(km_manifest_read(&m, path, &test_err));
  assert_string_equal(m->origin.command, "kifu-planes ???.h5");
  assert_int_equal(m->n_files + m->n_counts + m->n_settings + m->n_planes, 0);
  km_manifest_free(m);
}

static void whole_folder_is_well(void **state) {
  (void)state;
  char path[1024];
  make_folder();
  assert_int_equal(verify(folder).n, 0);
  assert_int_equal(verify(in_folder(path, KM_MANIFEST_NAME)).n, 0);
  assert_int_equal(verify(in_folder(path, "train-00000.h5")).n, 0);
}

static void assert_problem(const char *part) {
  problems p = verify(folder);
  if (p.n == 0 || !strstr(p.text, part))
    fail_msg("expected \"%s\" among %d problems:\n%s", part, p.n, p.text);
}

static void names_what_is_wrong(void **state) {
  (void)state;
  char path[1024], other[1024];
  size_t n;
  make_folder();
  unlink(in_folder(path, "train-00001.h5"));
  assert_problem("train-00001.h5: the file is missing");

  make_folder();
  unsigned char *bytes = read_file(in_folder(path, "train-00000.h5"), &n);
  assert_int_equal(truncate(path, (off_t)n - 100), 0);
  assert_problem("train-00000.h5: the file has");

  make_folder();
  bytes[n / 2] ^= 1;
  write_file(path, bytes, n);
  assert_problem("train-00000.h5: the file is altered");
  free(bytes);

  make_folder(); /* another shard of the right kind in place of ours */
  make_shard(in_folder(path, "train-00002.h5"), 77, 33, (km_codec){KM_CODEC_ZSTD, 1}, 33);
  assert_problem("train-00002.h5: the file");

  make_folder(); /* and one too many */
  make_shard(in_folder(other, "train-00009.h5"), 77, 33, (km_codec){KM_CODEC_ZSTD, 1}, 33);
  assert_problem("train-00009.h5 is in the folder, but not in the manifest");
  unlink(other);
  assert_int_equal(verify(folder).n, 0);
}

/* Rewrites the manifest with one text replaced. */
static void edit_manifest(const char *from, const char *to) {
  char path[1024];
  size_t n;
  unsigned char *bytes = read_file(in_folder(path, KM_MANIFEST_NAME), &n);
  bytes[n] = 0;
  char *at = strstr((char *)bytes, from), *edited = malloc(n + strlen(to) + 1);
  assert_true(at && edited);
  int length = sprintf(edited, "%.*s%s%s", (int)(at - (char *)bytes), (char *)bytes, to, at + strlen(from));
  write_file(path, edited, (size_t)length);
  free(edited);
  free(bytes);
}

static void counts_are_checked(void **state) {
  (void)state;
  make_folder();
  edit_manifest("\"rows_train\": 297", "\"rows_train\": 298");
  assert_problem("the files have 297 rows, count rows_train says 298");
  make_folder();
  edit_manifest("\"index\": 3", "\"index\": 4");
  assert_problem(
      "it is number 3 of split train with 200 rows; the manifest lists number 4 of train with 200");
  make_folder();
  edit_manifest("train-00001.h5", "train-00000.h5");
  assert_problem("a file is listed twice");
  make_folder();
  edit_manifest("train-00001.h5", "../x.h5");
  assert_problem("\"name\" is not the name of a file in the folder");
  make_folder();
  edit_manifest("\"format_version\": 1", "\"format_version\": 2");
  assert_problem("\"format_version\" is not 1");
  make_folder();
  edit_manifest("\"seed\": 7", "\"seed\": \"7\"");
  assert_problem("\"seed\" is no number");
}

static void nothing_to_verify(void **state) {
  (void)state;
  char path[512];
  km_verify_sum sum;
  assert_int_equal(km_verify_path("/nonexistent", NULL, NULL, &sum, &test_err), KM_ERR_IO);
  assert_int_equal(km_verify_path(scratch(), NULL, NULL, &sum, &test_err), KM_ERR_FORMAT);
  assert_non_null(strstr(test_err.msg, "has no manifest.json"));
  write_file(scratch_path(path, "plain.txt"), "text", 4);
  assert_int_equal(km_verify_path(path, NULL, NULL, &sum, &test_err), KM_ERR_FORMAT);
  assert_non_null(strstr(test_err.msg, "plain.txt is no output of kifumill"));
}

/* Reads through the virtual file, from another working directory; a missing shard reads as fill values. */
static void virtual_file_joins_shards(void **state) {
  (void)state;
  static unsigned char planes[297 * 33];
  int16_t policy[297];
  float score[297];
  char path[1024];
  km_h5 *file;
  make_folder();
  km_shard_spec spec;
  test_shard_spec(&spec, (km_codec){KM_CODEC_ZSTD, 1});
  for (int missing = 0; missing < 2; missing++) {
    if (missing)
      unlink(in_folder(path, "train-00001.h5"));
    assert_ok(km_h5_open(&file, in_folder(path, "train.h5"), KM_VIRTUAL_FORMAT, &test_err));
    km_column columns[4];
    memcpy(columns, spec.table.columns, sizeof columns);
    columns[0].name = "/planes";
    columns[1].name = "/policy";
    columns[2].name = "/score";
    assert_ok(km_h5_read(file, &columns[0], 0, 297, planes, &test_err));
    assert_ok(km_h5_read(file, &columns[1], 0, 297, policy, &test_err));
    assert_ok(km_h5_read(file, &columns[2], 0, 297, score, &test_err));
    km_h5_close(file);
    for (int i = 0; i < 297; i++) {
      int in_second = i >= 200 && i < 264;
      float expected = (float)(i < 200 ? i : in_second ? i - 200 : i - 264) / 2;
      if (missing && in_second)
        assert_true(policy[i] == -1 && isnan(score[i]) && planes[i * 33] == 255);
      else
        assert_true(policy[i] >= 0 && score[i] == expected);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(manifest_comes_back),       cmocka_unit_test(command_is_any_bytes),
      cmocka_unit_test(whole_folder_is_well),      cmocka_unit_test(names_what_is_wrong),
      cmocka_unit_test(counts_are_checked),        cmocka_unit_test(nothing_to_verify),
      cmocka_unit_test(virtual_file_joins_shards),
  };
  int failed = cmocka_run_group_tests_name("store verify", tests, NULL, NULL);
  scratch_remove();
  return failed;
}
