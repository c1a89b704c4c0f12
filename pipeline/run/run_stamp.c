/* run_stamp.c: stamps as JSON. */
#include "run_stamp.h"

#include "kifumill/outfile.h"

#include <errno.h>
#include <fts.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Calls visit for every regular file at or below path, in sorted order. */
static int compare_names(const FTSENT **a, const FTSENT **b) { return strcmp((*a)->fts_name, (*b)->fts_name); }

static km_status walk(const char *path, km_status (*visit)(void *ctx, const char *path, uint64_t n_bytes), void *ctx) {
  char *paths[] = {(char *)(uintptr_t)path, NULL};
  FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
  km_status status = tree ? KM_OK : KM_ERR_IO;
  for (FTSENT *entry; status == KM_OK && (entry = fts_read(tree));)
    if (entry->fts_info == FTS_F)
      status = visit(ctx, entry->fts_path, (uint64_t)entry->fts_statp->st_size);
  if (tree)
    fts_close(tree);
  return status;
}

static km_status add_size(void *ctx, const char *path, uint64_t n_bytes) {
  (void)path;
  *(uint64_t *)ctx += n_bytes;
  return KM_OK;
}

uint64_t km_run_size(const char *path) {
  uint64_t n_bytes = 0;
  walk(path, add_size, &n_bytes);
  return n_bytes;
}

int km_run_stamp_read(const char *path, const char *folder, km_run_stamp *stamp) {
  json_t *root = json_load_file(path, 0, NULL), *files = json_object_get(root, "files"), *size;
  unsigned long long high, low;
  const char *name, *depends = json_string_value(json_object_get(root, "depends"));
  int good = depends && sscanf(depends, "%16llx%16llx", &high, &low) == 2 && json_object_size(files) > 0;
  json_object_foreach(files, name, size) {
    char full[4096];
    struct stat info;
    snprintf(full, sizeof full, "%s/%s", folder, name);
    good = good && stat(full, &info) == 0 && info.st_size == json_integer_value(size);
  }
  if (good) {
    json_t *o = json_object_get(root, "outcome");
#define GET(field) .field = (uint64_t)json_integer_value(json_object_get(o, #field))
    *stamp = (km_run_stamp){
        .depends = {low, high},
        .seconds = json_number_value(json_object_get(root, "seconds")),
        .outcome = {GET(n_records), GET(n_games), GET(n_refused), GET(n_positions), GET(n_files), GET(n_bytes)}};
#undef GET
  }
  json_decref(root);
  return good;
}

typedef struct listing {
  json_t *files;
  size_t skip; /* length of the folder's name and slash */
} listing;

static km_status add_file(void *ctx, const char *path, uint64_t n_bytes) {
  listing *l = ctx;
  return json_object_set_new(l->files, path + l->skip, json_integer((json_int_t)n_bytes)) ? KM_ERR_NOMEM : KM_OK;
}

km_status km_run_stamp_write(const char *path, const char *folder, const char *const *outputs, size_t n_outputs,
                             const km_run_stamp *stamp, km_err *err) {
  listing l = {json_object(), strlen(folder) + 1};
  for (size_t i = 0; i < n_outputs; i++) {
    char full[4096];
    snprintf(full, sizeof full, "%s/%s", folder, outputs[i]);
    walk(full, add_file, &l);
  }
  char depends[33];
  km_hash_hex(stamp->depends, depends);
  const km_stage_outcome *o = &stamp->outcome;
  json_t *root = json_pack("{s:s, s:f, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:o}", "depends", depends, "seconds",
                           stamp->seconds, "outcome", "n_records", (json_int_t)o->n_records, "n_games",
                           (json_int_t)o->n_games, "n_refused", (json_int_t)o->n_refused, "n_positions",
                           (json_int_t)o->n_positions, "n_files", (json_int_t)o->n_files, "n_bytes",
                           (json_int_t)o->n_bytes, "files", l.files);
  char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
  km_status status = text ? km_outfile_put(path, text, strlen(text), 1, err)
                          : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the state of the run");
  free(text);
  json_decref(root);
  return status;
}
