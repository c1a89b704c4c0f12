/* store_verify.c: every dataset against its digest, every chunk against its check sum, every structure
 * through the reader that programs use, and a folder against its manifest. It goes on after a problem, so
 * that one run names all of them. */
#include "kifumill/store_verify.h"
#include "kifumill/games_store.h"
#include "kifumill/hbs_store.h"
#include "kifumill/manifest.h"
#include "kifumill/shard_store.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 256, DEPTH_MAX = 8, PIECE_BYTES = 1 << 20 };

typedef struct verify {
  km_verify_report *report;
  void *ctx;
  km_verify_sum *sum;
  const char *path; /* of the file being checked */
} verify;

static void report(verify *v, const char *problem) {
  size_t n = strlen(v->path);
  if (strncmp(problem, v->path, n) == 0 && strncmp(problem + n, ": ", 2) == 0)
    problem += n + 2; /* messages of the readers begin with the path */
  v->sum->n_problems++;
  if (v->report)
    v->report(v->ctx, v->path, problem);
}

/* A status that says the data is wrong becomes a problem; others (no memory) stop the run. */
static km_status note(verify *v, km_status status, const km_err *err, km_err *out) {
  if (status == KM_ERR_NOMEM) {
    if (out)
      *out = *err;
    return status;
  }
  if (status)
    report(v, err->msg);
  return KM_OK;
}

static km_column column_of(const char *name, const km_h5_info *info) {
  km_column column = {.name = name, .type = info->type, .inner_rank = info->inner_rank};
  memcpy(column.inner, info->inner, sizeof column.inner);
  return column;
}

/* Digest of the bytes of a contiguous dataset. */
static km_status digest_rows(km_h5 *file, const km_column *column, uint64_t n_rows, char hex[33],
                             km_err *err) {
  size_t row = km_column_row_bytes(column), piece = row < PIECE_BYTES ? PIECE_BYTES / row : 1;
  unsigned char *rows = malloc(piece * row);
  km_digest *digest = km_digest_new();
  km_status status = rows && digest ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (uint64_t first = 0; first < n_rows && !status; first += piece) {
    uint64_t n = n_rows - first < piece ? n_rows - first : piece;
    status = km_h5_read(file, column, first, n, rows, err);
    if (!status)
      km_digest_add(digest, rows, (size_t)n * row);
  }
  if (!status)
    km_hash_hex(km_digest_value(digest), hex);
  km_digest_free(digest);
  free(rows);
  return status;
}

static km_status verify_contiguous(km_h5 *file, const char *name, const km_h5_info *info, km_err *err) {
  char *stated = NULL, hex[33] = "";
  km_column column = column_of(name, info);
  km_status status = km_h5_get_text(file, name, KM_DIGEST_ATTRIBUTE, &stated, err);
  if (!status)
    status = digest_rows(file, &column, info->n_rows, hex, err);
  if (!status && strcmp(stated, hex))
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%s: dataset %s is altered: its digest is %s, not %s",
                        km_h5_path(file), name, hex, stated);
  free(stated);
  return status;
}

/* One column of a table, alone: GROUP/NAME with its check sums. */
static km_status verify_chunked(km_h5 *file, const char *name, const km_h5_info *info, km_err *err) {
  const char *slash = strrchr(name, '/');
  char group[NAME_BYTES];
  snprintf(group, sizeof group, "%.*s", (int)(slash - name), name);
  km_column column = column_of(slash + 1, info);
  km_table_schema schema = {.group = group, .columns = &column, .n_columns = 1};
  km_table_reader *reader;
  km_status status = km_table_reader_open(&reader, file, &schema, err);
  if (status)
    return status;
  status = km_table_verify(reader, err);
  km_table_reader_close(reader);
  return status;
}

static km_status verify_dataset(km_h5 *file, const char *name, km_err *err) {
  km_h5_info info;
  km_status status = km_h5_find(file, name, &info, err);
  if (status || info.is_virtual)
    return status;
  return info.chunk_rows ? verify_chunked(file, name, &info, err) : verify_contiguous(file, name, &info, err);
}

/* Every dataset below a group. Our files are three groups deep at most. */
static km_status verify_group(verify *v, km_h5 *file, const char *group, int depth, km_err *err) {
  km_err why;
  char **names = NULL;
  size_t n = 0;
  if (depth == DEPTH_MAX) {
    report(v, "groups are nested deeper than in any file of ours");
    return KM_OK;
  }
  km_status status = km_h5_list(file, group, &names, &n, &why);
  if (status)
    return note(v, status, &why, err);
  for (size_t i = 0; i < n && !status; i++) {
    char name[NAME_BYTES];
    if (snprintf(name, sizeof name, "%s/%s", strcmp(group, "/") ? group : "", names[i]) >= NAME_BYTES)
      report(v, "a dataset has a longer name than any of ours");
    else if (km_h5_is_group(file, name))
      status = verify_group(v, file, name, depth + 1, err);
    else
      status = note(v, verify_dataset(file, name, &why), &why, err);
  }
  free(names);
  return status;
}

static km_status verify_games(verify *v, km_err *err) {
  km_err why;
  km_games *games;
  km_status status = km_games_open(&games, v->path, &why);
  if (status)
    return note(v, status, &why, err);
  km_arena arena;
  km_arena_init(&arena);
  for (uint64_t i = 0; i < km_games_count(games) && !status; i++) {
    km_game game;
    km_arena_reset(&arena);
    status = note(v, km_games_game(games, i, &arena, &game, &why), &why, err);
    if (i % 4096 == 4095)
      km_games_release(games, i - 4095, 4096);
  }
  km_arena_clear(&arena);
  km_games_close(games);
  return status;
}

static km_status verify_hbs(verify *v, km_err *err) {
  km_err why;
  km_hbs_store *hbs;
  km_status status = km_hbs_store_open(&hbs, v->path, &why);
  if (!status)
    km_hbs_store_close(hbs);
  return note(v, status, &why, err);
}

/* The datasets in the root are as long as the attribute says. */
static km_status verify_rows(verify *v, km_h5 *file, km_err *err) {
  km_err why;
  char **names = NULL;
  size_t n = 0;
  uint64_t n_rows = 0;
  km_status status = km_h5_get_u64(file, "/", "n_rows", &n_rows, &why);
  if (!status)
    status = km_h5_list(file, "/", &names, &n, &why);
  if (status)
    return note(v, status, &why, err);
  for (size_t i = 0; i < n; i++) {
    char name[NAME_BYTES], text[NAME_BYTES + 80];
    km_h5_info info;
    if (snprintf(name, sizeof name, "/%s", names[i]) >= NAME_BYTES || km_h5_is_group(file, name))
      continue;
    if (km_h5_find(file, name, &info, &why) || info.n_rows == n_rows)
      continue; /* what cannot be found is reported with the dataset */
    snprintf(text, sizeof text, "%s has %llu rows, attribute n_rows says %llu", name,
             (unsigned long long)info.n_rows, (unsigned long long)n_rows);
    report(v, text);
  }
  free(names);
  return KM_OK;
}

static km_status verify_h5(verify *v, km_err *err) {
  km_err why;
  km_h5 *file;
  km_status status = km_h5_open(&file, v->path, NULL, &why);
  if (status)
    return note(v, status, &why, err);
  char *format = NULL;
  status = note(v, km_h5_get_text(file, "/", "format", &format, &why), &why, err);
  if (!status)
    status = verify_group(v, file, "/", 0, err);
  if (!status && format && (!strcmp(format, KM_SHARD_FORMAT) || !strcmp(format, KM_VIRTUAL_FORMAT)))
    status = verify_rows(v, file, err);
  km_h5_close(file);
  if (!status && format && !strcmp(format, KM_GAMES_FORMAT))
    status = verify_games(v, err);
  if (!status && format && !strcmp(format, KM_HBS_FORMAT))
    status = verify_hbs(v, err);
  free(format);
  return status;
}

/* What a file of the folder says of itself, against its entry. The digest is known to be right. */
static void compare_entries(verify *v, const km_shard_entry *listed, const km_shard_entry *found) {
  char text[200];
  if (found->n_rows == listed->n_rows && found->index == listed->index &&
      found->is_virtual == listed->is_virtual && !strcmp(found->split, listed->split))
    return;
  snprintf(text, sizeof text,
           "it is number %u of split %s with %llu rows; the manifest lists number %u of %s with %llu",
           found->index, found->split, (unsigned long long)found->n_rows, listed->index, listed->split,
           (unsigned long long)listed->n_rows);
  report(v, text);
}

/* One file of the manifest. */
static km_status verify_entry(verify *v, const km_shard_entry *listed, km_err *err) {
  km_err why;
  km_shard_entry found;
  char text[160];
  struct stat st;
  if (stat(v->path, &st)) {
    report(v, "the file is missing");
    return KM_OK;
  }
  v->sum->n_files++;
  v->sum->n_bytes += (uint64_t)st.st_size;
  km_status status = km_file_digest(v->path, found.digest, &found.n_bytes, &why);
  if (status)
    return note(v, status, &why, err);
  if (found.n_bytes == listed->n_bytes && strcmp(found.digest, listed->digest) == 0) {
    status = km_shard_entry_read(&found, v->path, &why);
    if (!status)
      compare_entries(v, listed, &found);
    return note(v, status, &why, err);
  }
  if (found.n_bytes != listed->n_bytes)
    snprintf(text, sizeof text, "the file has %llu bytes, the manifest says %llu",
             (unsigned long long)found.n_bytes, (unsigned long long)listed->n_bytes);
  else
    snprintf(text, sizeof text, "the file is altered: its digest is %s, not %s", found.digest,
             listed->digest);
  report(v, text);
  return verify_h5(v, err); /* names what in it is wrong */
}

/* Sums of rows against the counts that the manifest states. */
static void verify_counts(verify *v, const km_manifest *m) {
  for (size_t i = 0; i < m->n_counts; i++) {
    const char *key = m->counts[i].key, *split = strncmp(key, "rows_", 5) ? NULL : key + 5;
    if (!split && strcmp(key, "rows"))
      continue;
    uint64_t n = 0;
    for (size_t k = 0; k < m->n_files; k++)
      if (!m->files[k].is_virtual && (!split || !strcmp(m->files[k].split, split)))
        n += m->files[k].n_rows;
    if (n != m->counts[i].value) {
      char text[200];
      snprintf(text, sizeof text, "the files have %llu rows, count %.60s says %llu", (unsigned long long)n,
               key, (unsigned long long)m->counts[i].value);
      report(v, text);
    }
  }
}

static int is_listed(const km_manifest *m, const char *name) {
  int n = 0;
  for (size_t i = 0; i < m->n_files; i++)
    n += strcmp(m->files[i].name, name) == 0;
  return n;
}

static int has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), k = strlen(suffix);
  return n > k && strcmp(name + n - k, suffix) == 0;
}

/* HDF5 files in the folder that the manifest does not list. */
static void verify_strangers(verify *v, const char *folder, const km_manifest *m) {
  DIR *dir = opendir(folder);
  if (!dir) {
    report(v, "the folder cannot be listed");
    return;
  }
  for (struct dirent *e; (e = readdir(dir));) {
    char text[300];
    if (!has_suffix(e->d_name, ".h5") || is_listed(m, e->d_name))
      continue;
    snprintf(text, sizeof text, "%s is in the folder, but not in the manifest", e->d_name);
    report(v, text);
  }
  closedir(dir);
}

static km_status verify_manifest(verify *v, const char *folder, km_err *err) {
  km_err why;
  km_manifest *m;
  const char *path = v->path;
  km_status status = km_manifest_read(&m, path, &why);
  if (status)
    return note(v, status, &why, err);
  verify_counts(v, m);
  verify_strangers(v, folder, m);
  for (size_t i = 0; i < m->n_files && !status; i++) {
    char name[PATH_BYTES];
    if (is_listed(m, m->files[i].name) > 1)
      report(v, "a file is listed twice");
    if (snprintf(name, sizeof name, "%s/%s", folder, m->files[i].name) >= PATH_BYTES) {
      report(v, "a path is too long");
      continue;
    }
    v->path = name;
    status = verify_entry(v, &m->files[i], err);
    v->path = path;
  }
  km_manifest_free(m);
  return status;
}

/* What a file is, by its first bytes. */
enum { IS_UNKNOWN, IS_HDF5, IS_JSON };
static int kind_of(const char *path, km_err *err) {
  static const char signature[] = "\211HDF\r\n\032\n";
  char bytes[8] = "";
  FILE *f = fopen(path, "rb");
  if (!f) {
    km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
    return -1;
  }
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  if (n == sizeof bytes && memcmp(bytes, signature, sizeof bytes) == 0)
    return IS_HDF5;
  return n && bytes[0] == '{' ? IS_JSON : IS_UNKNOWN;
}

km_status km_verify_path(const char *path, km_verify_report *reporter, void *ctx, km_verify_sum *sum,
                         km_err *err) {
  *sum = (km_verify_sum){0};
  verify v = {.report = reporter, .ctx = ctx, .sum = sum, .path = path};
  char folder[PATH_BYTES], manifest[PATH_BYTES];
  struct stat st;
  if (stat(path, &st))
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
  if (S_ISDIR(st.st_mode)) {
    if (snprintf(manifest, sizeof manifest, "%s/%s", path, KM_MANIFEST_NAME) >= PATH_BYTES ||
        stat(manifest, &st))
      return km_err_set(err, KM_ERR_FORMAT, 0, "%s has no %s: nothing finished is in it", path,
                        KM_MANIFEST_NAME);
    v.path = manifest;
    return verify_manifest(&v, path, err);
  }
  int kind = kind_of(path, err);
  if (kind < 0)
    return KM_ERR_IO;
  if (kind == IS_UNKNOWN)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s is no output of kifumill", path);
  if (kind == IS_JSON) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    return verify_manifest(&v, slash == path ? "/" : folder, err);
  }
  sum->n_files = 1;
  sum->n_bytes = (uint64_t)st.st_size;
  return verify_h5(&v, err);
}
