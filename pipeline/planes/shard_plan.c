/* shard_plan.c: see shard_plan.h. */
#include "shard_plan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void km_shard_path(const km_shard_plan *plan, const km_shard *shard, char *path) {
  snprintf(path, KM_SHARD_PATH, "%.4000s/%s-%05u.h5", plan->folder, km_split_names[shard->split],
           shard->index);
}

km_status km_shard_plan_make(km_shard_plan *plan, const km_planes_settings *settings,
                             const uint64_t n_rows[KM_SPLITS], km_err *err) {
  uint64_t each = settings->rows_per_shard, n = 0;
  for (int i = 0; i < KM_SPLITS; i++) {
    plan->first[i] = (size_t)n;
    n += n_rows[i] / each + (n_rows[i] % each != 0);
  }
  plan->first[KM_SPLITS] = (size_t)n;
  if (n > UINT32_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%llu shards are too many; give more --rows-per-shard",
                      (unsigned long long)n);
  plan->n_shards = (size_t)n;
  plan->shards = calloc(plan->n_shards + 1, sizeof *plan->shards);
  if (!plan->shards)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu shards", plan->n_shards);
  for (uint32_t split = 0; split < KM_SPLITS; split++)
    for (size_t i = plan->first[split]; i < plan->first[split + 1]; i++) {
      uint64_t index = i - plan->first[split], first = index * each;
      plan->shards[i] =
          (km_shard){.split = split,
                     .index = (uint32_t)index,
                     .first = first,
                     .n_rows = n_rows[split] - first < each ? n_rows[split] - first : each,
                     .is_mine = !settings->merge_only && i % settings->n_parts == settings->part};
    }
  return KM_OK;
}

void km_shard_plan_clear(km_shard_plan *plan) {
  free(plan->shards);
}

/* ---- what is there ---- */

static km_status make_folder(km_shard_plan *plan, km_err *err) {
  const char *folder = plan->folder;
  char path[KM_SHARD_PATH];
  size_t n = strlen(folder);
  if (n == 0 || n >= KM_SHARD_PATH - 64)
    return km_err_set(err, KM_ERR_USAGE, 0, "-o %.60s: not the name of a folder", folder);
  memcpy(path, folder, n + 1);
  for (size_t i = 1; i < n; i++)
    if (path[i] == '/') { /* parents first */
      path[i] = 0;
      mkdir(path, 0777);
      path[i] = '/';
    }
  struct stat info;
  plan->made_folder = mkdir(path, 0777) == 0;
  if (!plan->made_folder && errno != EEXIST)
    return km_err_set(err, KM_ERR_IO, errno, "cannot make the folder %s", folder);
  if (stat(path, &info) || !S_ISDIR(info.st_mode))
    return km_err_set(err, KM_ERR_STATE, 0, "%s is not a folder", folder);
  return access(path, W_OK | X_OK) ? km_err_set(err, KM_ERR_IO, errno, "cannot write into %s", folder)
                                   : KM_OK;
}

void km_shard_plan_undo(const km_shard_plan *plan) {
  if (plan->made_folder)
    rmdir(plan->folder);
}

static int is_same(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Whether the manifest is of a run with the same games, options and seed. */
static int is_of_this_run(const km_shard_plan *plan, const char *path) {
  const km_store_origin *origin = &plan->spec->origin;
  km_manifest *manifest;
  if (km_manifest_read(&manifest, path, NULL) != KM_OK)
    return 0;
  int same = is_same(manifest->origin.command, origin->command) &&
             is_same(manifest->origin.config, origin->config) &&
             is_same(manifest->origin.input_digest, origin->input_digest) &&
             manifest->origin.seed == origin->seed;
  km_manifest_free(manifest);
  return same;
}

km_status km_shard_plan_open(km_shard_plan *plan, const km_planes_settings *settings, int force,
                             int *is_finished, km_err *err) {
  char path[KM_SHARD_PATH];
  *is_finished = 0;
  km_status status = make_folder(plan, err);
  if (status != KM_OK)
    return status;
  snprintf(path, sizeof path, "%.4000s/" KM_MANIFEST_NAME, plan->folder);
  if (access(path, F_OK))
    return KM_OK;
  *is_finished = !force && (settings->n_parts > 1 || settings->merge_only) && is_of_this_run(plan, path);
  if (*is_finished)
    return KM_OK;
  if (!force)
    return km_err_set(err, KM_ERR_STATE, 0, "%s exists; --force overwrites it", path);
  return unlink(path) ? km_err_set(err, KM_ERR_IO, errno, "cannot remove %s", path) : KM_OK;
}

/* Whether the text attribute of the root is what it should be. */
static int says(km_h5 *file, const char *name, const char *text) {
  char *found = NULL;
  int same = km_h5_get_text(file, "/", name, &found, NULL) == KM_OK && strcmp(found, text ? text : "") == 0;
  free(found);
  return same;
}

/* Whether a file is the shard: of the same origin, split, number and rows. */
static int is_shard(const km_shard_plan *plan, const km_shard *shard, const char *path) {
  const km_store_origin *origin = &plan->spec->origin;
  km_h5 *file;
  uint64_t seed = 0, index = 0, n_rows = 0;
  if (km_h5_open(&file, path, KM_SHARD_FORMAT, NULL) != KM_OK)
    return 0;
  int same = says(file, "generator", KM_STORE_GENERATOR) && says(file, "config", origin->config) &&
             says(file, "command", origin->command) && says(file, "input_digest", origin->input_digest) &&
             says(file, "split", km_split_names[shard->split]) &&
             km_h5_get_u64(file, "/", "seed", &seed, NULL) == KM_OK &&
             km_h5_get_u64(file, "/", "index", &index, NULL) == KM_OK &&
             km_h5_get_u64(file, "/", "n_rows", &n_rows, NULL) == KM_OK;
  km_h5_close(file);
  return same && seed == origin->seed && index == shard->index && n_rows == shard->n_rows;
}

static km_status look_at(const km_shard_plan *plan, km_shard *shard, int force, km_err *err) {
  char path[KM_SHARD_PATH];
  km_shard_path(plan, shard, path);
  if (shard->is_done || access(path, F_OK))
    return KM_OK;
  if (is_shard(plan, shard, path)) {
    shard->is_done = 1;
    return km_shard_entry_read(&shard->entry, path, err);
  }
  if (!force)
    return km_err_set(err, KM_ERR_STATE, 0,
                      "%s is of another run (games, options or seed); --force overwrites it", path);
  return unlink(path) ? km_err_set(err, KM_ERR_IO, errno, "cannot remove %s", path) : KM_OK;
}

/* The number of a shard in its split, from "SPLIT-NNNNN.h5"; -1: no such name. */
static long shard_number(const char *name, const char *split) {
  size_t n = strlen(split);
  char *end;
  if (strncmp(name, split, n) != 0 || name[n] != '-' || name[n + 1] < '0' || name[n + 1] > '9')
    return -1;
  long number = strtol(name + n + 1, &end, 10);
  return end - (name + n + 1) >= 5 && strcmp(end, ".h5") == 0 ? number : -1;
}

/* Whether the name is that of a virtual file of the split: SPLIT.h5 or SPLIT.N.h5. */
static int is_virtual_name(const char *name, const char *split) {
  size_t n = strlen(split);
  if (strncmp(name, split, n) != 0 || name[n] != '.')
    return 0;
  name += n;
  if (name[1] >= '0' && name[1] <= '9')
    name += 1 + strspn(name + 1, "0123456789");
  return strcmp(name, ".h5") == 0;
}

/* Whether the file is none of ours that the end of this run would put there. */
static int is_in_the_way(const km_shard_plan *plan, const char *name, int split) {
  char path[KM_SHARD_PATH];
  km_h5 *file;
  long number = shard_number(name, km_split_names[split]);
  if (number >= 0)
    return (size_t)number >= plan->first[split + 1] - plan->first[split];
  if (!is_virtual_name(name, km_split_names[split]))
    return 0;
  snprintf(path, sizeof path, "%.3800s/%.255s", plan->folder, name);
  if (km_h5_open(&file, path, KM_VIRTUAL_FORMAT, NULL) != KM_OK)
    return 1;
  km_h5_close(file);
  return 0;
}

/* Shards beyond those of the plan, and files under the names of virtual ones. */
static km_status look_for_strangers(const km_shard_plan *plan, int force, km_err *err) {
  DIR *dir = opendir(plan->folder);
  if (!dir)
    return km_err_set(err, KM_ERR_IO, errno, "cannot list %s", plan->folder);
  km_status status = KM_OK;
  for (struct dirent *e; status == KM_OK && (e = readdir(dir));)
    for (int split = 0; split < KM_SPLITS; split++) {
      if (!is_in_the_way(plan, e->d_name, split))
        continue;
      if (!force)
        status = km_err_set(err, KM_ERR_STATE, 0,
                            "%s/%s is of another run (games, options or seed); --force overwrites it",
                            plan->folder, e->d_name);
      else if (unlinkat(dirfd(dir), e->d_name, 0))
        status = km_err_set(err, KM_ERR_IO, errno, "cannot remove %s/%s", plan->folder, e->d_name);
    }
  closedir(dir);
  return status;
}

km_status km_shard_plan_look(km_shard_plan *plan, int force, km_err *err) {
  km_status status = look_for_strangers(plan, force, err);
  for (size_t i = 0; status == KM_OK && i < plan->n_shards; i++)
    status = look_at(plan, &plan->shards[i], force, err);
  return status;
}

/* ---- the end ---- */

/* The virtual files of a split: SPLIT.h5, or SPLIT.0.h5, SPLIT.1.h5 … where one cannot hold all shards. */
static km_status join_split(const km_shard_plan *plan, unsigned split, km_shard_entry *shards,
                            km_shard_entry *files, size_t *n_files, km_err *err) {
  size_t n = plan->first[split + 1] - plan->first[split];
  km_status status = KM_OK;
  for (size_t i = 0; status == KM_OK && i < n; i += KM_VIRTUAL_PARTS_MAX) {
    size_t n_parts = n - i < KM_VIRTUAL_PARTS_MAX ? n - i : KM_VIRTUAL_PARTS_MAX;
    char path[KM_SHARD_PATH];
    if (n <= KM_VIRTUAL_PARTS_MAX)
      snprintf(path, sizeof path, "%.4000s/%s.h5", plan->folder, km_split_names[split]);
    else
      snprintf(path, sizeof path, "%.4000s/%s.%zu.h5", plan->folder, km_split_names[split],
               i / KM_VIRTUAL_PARTS_MAX);
    status = km_shard_virtual(path, plan->spec, shards + plan->first[split] + i, n_parts,
                              &files[(*n_files)++], err);
  }
  return status;
}

/* What killed and earlier runs have left: nobody else writes here any more. */
static void remove_leftovers(const km_shard_plan *plan) {
  DIR *dir = opendir(plan->folder);
  for (struct dirent *e; dir && (e = readdir(dir));)
    for (int split = 0; split < KM_SPLITS; split++) {
      size_t n = strlen(e->d_name), k = strlen(km_split_names[split]);
      int is_temporary = n > k + 8 && strncmp(e->d_name, km_split_names[split], k) == 0 &&
                         strchr("-.", e->d_name[k]) && strcmp(e->d_name + n - 7, ".h5.tmp") == 0;
      if (is_temporary || is_virtual_name(e->d_name, km_split_names[split]))
        unlinkat(dirfd(dir), e->d_name, 0);
    }
  if (dir)
    closedir(dir);
}

static km_status write_manifest(km_shard_plan *plan, km_manifest *manifest, km_err *err) {
  size_t n_most = 2 * plan->n_shards + KM_SPLITS, n_files = plan->n_shards;
  char path[KM_SHARD_PATH];
  km_shard_entry *files = calloc(n_most, sizeof *files);
  if (!files)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < plan->n_shards; i++)
    files[i] = plan->shards[i].entry;
  km_status status = KM_OK;
  remove_leftovers(plan);
  for (unsigned split = 0; status == KM_OK && split < KM_SPLITS; split++)
    status = join_split(plan, split, files, files, &n_files, err);
  manifest->files = files;
  manifest->n_files = n_files;
  snprintf(path, sizeof path, "%.4000s/" KM_MANIFEST_NAME, plan->folder);
  if (status == KM_OK)
    status = km_manifest_write(path, manifest, 1, err);
  manifest->files = NULL;
  free(files);
  return status;
}

km_status km_shard_plan_complete(km_shard_plan *plan, km_manifest *manifest, int *is_complete, km_err *err) {
  *is_complete = 1;
  int folder = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", plan->folder);
  flock(
      folder,
      LOCK_EX); /* the others write the same bytes; a file system without locks only lets them do it twice */
  km_status status = KM_OK;
  for (size_t i = 0; status == KM_OK && i < plan->n_shards; i++) {
    status = look_at(plan, &plan->shards[i], 0, err);
    *is_complete = *is_complete && plan->shards[i].is_done;
  }
  if (status == KM_OK && *is_complete)
    status = write_manifest(plan, manifest, err);
  close(folder);
  return status;
}
