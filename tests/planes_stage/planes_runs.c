/* planes_runs.c: see planes_runs.h. */
#include "planes_runs.h"

#include "row_columns.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

km_planes_options test_options(const char *games, const char *folder) {
  static const char *inputs[1];
  km_planes_options o;
  km_planes_stage.defaults(&o);
  inputs[0] = games;
  o.run.inputs = inputs;
  o.run.n_inputs = 1;
  o.run.output = folder;
  o.run.threads = 1;
  o.run.messages = NULL;
  o.board = "9";
  o.chunk_rows = 8;
  o.rows_per_shard = 1000;
  return o;
}

km_status run_planes(km_planes_options *options) {
  km_stage_outcome outcome;
  km_status status = km_stage_describe(&km_planes_stage, options, &test_err);
  if (status == KM_OK)
    status = km_planes_run(options, &outcome, &test_err);
  km_stage_forget(options);
  return status;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

km_hash128 folder_digest(const char *folder) {
  char *names[4096], path[4608];
  size_t n = 0;
  DIR *dir = opendir(folder);
  km_digest *digest = km_digest_new();
  assert_true(dir && digest);
  for (struct dirent *e; (e = readdir(dir));)
    if (e->d_name[0] != '.' && n < sizeof names / sizeof names[0])
      names[n++] = strdup(e->d_name);
  closedir(dir);
  qsort(names, n, sizeof *names, compare_names);
  for (size_t i = 0; i < n; i++) {
    size_t n_bytes;
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unsigned char *bytes = read_file(path, &n_bytes);
    km_digest_add(digest, names[i], strlen(names[i]));
    km_digest_add(digest, bytes, n_bytes);
    free(bytes);
    free(names[i]);
  }
  km_hash128 value = km_digest_value(digest);
  km_digest_free(digest);
  return value;
}

void remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* A column of a shard, malloc'ed. */
static void *read_column(km_table_cursor *cursor, const km_row_columns *c, const char *name, uint64_t n) {
  for (size_t i = 0; i < c->n_columns; i++)
    if (strcmp(c->columns[i].name, name) == 0) {
      void *rows = malloc(n * km_column_row_bytes(&c->columns[i]) + 1);
      assert_ok(km_table_read(cursor, i, 0, n, rows, &test_err));
      return rows;
    }
  return NULL;
}

static void read_shard(read_rows *out, const char *path, const km_shard_entry *entry,
                       const km_row_columns *c) {
  km_h5 *file;
  km_table_reader *reader;
  km_table_schema schema = {.group = "", .columns = c->columns, .n_columns = c->n_columns};
  assert_ok(km_h5_open(&file, path, KM_SHARD_FORMAT, &test_err));
  assert_ok(km_table_reader_open(&reader, file, &schema, &test_err));
  uint64_t n = km_table_reader_n_rows(reader);
  assert_int_equal(n, entry->n_rows);
  km_table_cursor *cursor = km_table_cursor_new(reader);
  uint8_t *planes = read_column(cursor, c, "planes", n), *to_play = read_column(cursor, c, "to_play", n);
  uint8_t *symmetry = read_column(cursor, c, "symmetry", n);
  int16_t *policy = read_column(cursor, c, "policy", n);
  int8_t *value = read_column(cursor, c, "value", n);
  float *score = read_column(cursor, c, "score", n), *komi = read_column(cursor, c, "komi", n);
  float *black_win = read_column(cursor, c, "black_win", n);
  uint32_t *game = read_column(cursor, c, "game", n);
  uint16_t *ply = read_column(cursor, c, "ply", n);
  int32_t *features = read_column(cursor, c, "move_features", n);
  memcpy(out->planes + out->n * out->n_row_bytes, planes, n * out->n_row_bytes);
  unsigned split = strcmp(entry->split, "train") == 0 ? 0 : strcmp(entry->split, "val") == 0 ? 1 : 2;
  for (uint64_t i = 0; i < n; i++) {
    read_row *row = &out->rows[out->n];
    *row = (read_row){split,
                      entry->index,
                      policy[i],
                      value[i],
                      score[i],
                      komi[i],
                      black_win ? black_win[i] : NAN,
                      to_play[i],
                      symmetry[i],
                      game[i],
                      ply[i],
                      {0},
                      out->planes + out->n * out->n_row_bytes};
    if (features)
      memcpy(row->features, features + KM_MOVE_FEATURES * i, sizeof row->features);
    out->n++;
  }
  void *all[] = {planes, to_play, symmetry, policy, value, score, komi, black_win, game, ply, features};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
    free(all[i]);
  km_table_cursor_free(cursor);
  km_table_reader_close(reader);
  km_h5_close(file);
}

void read_folder(read_rows *out, const char *folder, const km_planes_options *options) {
  km_planes_settings s;
  km_row_columns columns;
  km_manifest *manifest;
  char path[1024];
  size_t n_rows = 0;
  assert_ok(km_planes_settings_read(&s, options, &test_err));
  km_row_columns_init(&columns, &s);
  snprintf(path, sizeof path, "%s/manifest.json", folder);
  assert_ok(km_manifest_read(&manifest, path, &test_err));
  for (size_t i = 0; i < manifest->n_files; i++)
    n_rows += manifest->files[i].is_virtual ? 0 : (size_t)manifest->files[i].n_rows;
  *out = (read_rows){.rows = calloc(n_rows + 1, sizeof *out->rows),
                     .n_row_bytes = columns.n_row_bytes,
                     .planes = malloc(n_rows * columns.n_row_bytes + 1)};
  assert_true(out->rows && out->planes);
  for (size_t i = 0; i < manifest->n_files; i++) {
    if (manifest->files[i].is_virtual)
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, manifest->files[i].name);
    read_shard(out, path, &manifest->files[i], &columns);
  }
  assert_int_equal(out->n, n_rows);
  km_manifest_free(manifest);
}

void read_rows_free(read_rows *rows) {
  free(rows->rows);
  free(rows->planes);
}

uint64_t manifest_count(const char *folder, const char *key) {
  char path[1024];
  km_manifest *manifest;
  uint64_t value = UINT64_MAX;
  snprintf(path, sizeof path, "%s/manifest.json", folder);
  assert_ok(km_manifest_read(&manifest, path, &test_err));
  for (size_t i = 0; i < manifest->n_counts; i++)
    if (strcmp(manifest->counts[i].key, key) == 0)
      value = manifest->counts[i].value;
  km_manifest_free(manifest);
  return value;
}
