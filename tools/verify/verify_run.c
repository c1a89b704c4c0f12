/* verify_run.c: the folder of a run: every output of every stage, against the stamps of kifu-run (sizes) and
 * against the games of the run. Stores and shards are checked as they are elsewhere; of texts the size, and
 * JSON for its syntax. */
#include "verify.h"

#include "kifumill/hbs_store.h"

#include <dirent.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STAMPS ".kifu-run"

static int exists(const char *folder, const char *name) {
  char path[VERIFY_PATH_BYTES];
  struct stat info;
  return snprintf(path, sizeof path, "%s/%s", folder, name) < VERIFY_PATH_BYTES && stat(path, &info) == 0;
}

int verify_is_run(const char *folder) {
  struct stat info;
  if (stat(folder, &info) || !S_ISDIR(info.st_mode) || exists(folder, KM_MANIFEST_NAME))
    return 0;
  return exists(folder, STAMPS) || exists(folder, "games.h5") || exists(folder, "hbs.h5");
}

static int has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), k = strlen(suffix);
  return n >= k && strcmp(name + n - k, suffix) == 0;
}

static int is_shown(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

/* Sizes that the stamps state: {"shards/train-00000.h5": 1234, …}; borrowed numbers. NULL: no memory. */
static json_t *read_stamps(verify_session *session, const char *folder) {
  char path[VERIFY_PATH_BYTES];
  struct dirent **names;
  json_t *sizes = json_object();
  snprintf(path, sizeof path, "%s/%s", folder, STAMPS);
  int n = sizes ? scandir(path, &names, is_shown, alphasort) : -1;
  for (int i = 0; i < n; i++) {
    if (has_suffix(names[i]->d_name, ".json") &&
        snprintf(path, sizeof path, "%s/%s/%s", folder, STAMPS, names[i]->d_name) < VERIFY_PATH_BYTES) {
      json_t *stamp = json_load_file(path, 0, NULL), *files = json_object_get(stamp, "files");
      if (!json_is_object(files))
        verify_problem_add(session, path, "it is no state of a run");
      else if (json_object_update(sizes, files))
        session->no_memory = 1;
      json_decref(stamp);
    }
    free(names[i]);
  }
  if (n >= 0)
    free(names);
  return sizes;
}

/* Files that a stage left, by the sizes they had. */
static void verify_sizes(verify_session *session, const char *folder, json_t *sizes) {
  const char *name;
  json_t *size;
  json_object_foreach(sizes, name, size) {
    char path[VERIFY_PATH_BYTES];
    struct stat info;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= VERIFY_PATH_BYTES)
      continue;
    if (stat(path, &info))
      verify_problem_add(session, path, "the file is missing");
    else if (info.st_size != json_integer_value(size))
      verify_problem_addf(session, path,
                          "the file has %" PRIu64 " bytes, it had %" PRIu64 " when its stage was done",
                          (uint64_t)info.st_size, (uint64_t)json_integer_value(size));
  }
}

/* A text output: JSON must be JSON, and if it names its input, that must be the games. */
static void verify_text(verify_session *session, const char *path) {
  json_error_t why;
  if (has_suffix(path, ".json") && !verify_has_problem(session, path)) {
    json_t *root = json_load_file(path, 0, &why);
    const char *digest = json_string_value(json_object_get(root, "input_digest"));
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!root)
      verify_problem_addf(session, path, "line %d: %.200s", why.line, why.text);
    else if (digest && format)
      verify_digest(session, path, format, digest);
    json_decref(root);
  }
  verify_file_done(session, path);
}

/* Files of a stage that are in folders without a manifest (the report). */
static void verify_stamped(verify_session *session, const char *folder, json_t *sizes, const char *inner) {
  const char *name;
  json_t *size;
  size_t n = strlen(inner);
  json_object_foreach(sizes, name, size) {
    char path[VERIFY_PATH_BYTES];
    if (strncmp(name, inner, n) == 0 && name[n] == '/' &&
        snprintf(path, sizeof path, "%s/%s", folder, name) < VERIFY_PATH_BYTES)
      verify_text(session, path);
  }
}

static km_status verify_entry(verify_session *session, const char *folder, const char *name, json_t *sizes,
                              km_err *err) {
  char path[VERIFY_PATH_BYTES], manifest[VERIFY_PATH_BYTES];
  struct stat info;
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= VERIFY_PATH_BYTES || stat(path, &info))
    return KM_OK;
  if (S_ISDIR(info.st_mode)) {
    if (snprintf(manifest, sizeof manifest, "%s/%s", path, KM_MANIFEST_NAME) < VERIFY_PATH_BYTES &&
        stat(manifest, &info) == 0)
      return verify_path(session, path, err);
    verify_stamped(session, folder, sizes, name);
    return KM_OK;
  }
  if (has_suffix(name, ".h5"))
    return verify_path(session, path, err);
  if (json_object_get(sizes, name) || has_suffix(name, ".json"))
    verify_text(session, path);
  return KM_OK;
}

/* What phases.h5 of this run must have been made from: the input and the settings of hbs.h5. */
static void take_hbs_digest(verify_session *session, const char *folder) {
  char path[VERIFY_PATH_BYTES], *input = NULL, *config = NULL;
  km_h5 *file;
  km_err why; /* what is wrong with it is told when its turn comes */
  *session->hbs_digest = 0;
  km_digest *digest = km_digest_new();
  if (!digest)
    session->no_memory = 1;
  snprintf(path, sizeof path, "%s/hbs.h5", folder);
  if (digest && km_h5_open(&file, path, KM_HBS_FORMAT, &why) == KM_OK) {
    if (km_h5_get_text(file, "/", "input_digest", &input, &why) == KM_OK &&
        km_h5_get_text(file, "/", "config", &config, &why) == KM_OK) {
      km_digest_add(digest, input, strlen(input));
      km_digest_add(digest, config, strlen(config));
      km_hash_hex(km_digest_value(digest), session->hbs_digest);
    }
    km_h5_close(file);
  }
  free(input);
  free(config);
  km_digest_free(digest);
}

km_status verify_run(verify_session *session, const char *folder, km_err *err) {
  char path[VERIFY_PATH_BYTES];
  struct dirent **names;
  km_err why;
  km_games *outer = session->games;
  char outer_digest[33];
  memcpy(outer_digest, session->digest, sizeof outer_digest);
  json_t *sizes = read_stamps(session, folder);
  if (!sizes)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  verify_sizes(session, folder, sizes);
  snprintf(path, sizeof path, "%s/games.h5", folder);
  if (!session->options->games) { /* a damaged one gets its line when its turn comes */
    session->games = NULL;
    verify_games_open(session, path, &why);
  }
  take_hbs_digest(session, folder);
  int n = scandir(folder, &names, is_shown, alphasort);
  km_status status = KM_OK;
  for (int i = 0; i < n; i++) {
    if (!status)
      status = verify_entry(session, folder, names[i]->d_name, sizes, err);
    free(names[i]);
  }
  if (n >= 0)
    free(names);
  else
    verify_problem_add(session, folder, "the folder cannot be listed");
  verify_rest_done(session); /* what is missing */
  if (session->games != outer) {
    km_games_close(session->games);
    session->games = outer;
    memcpy(session->digest, outer_digest, sizeof outer_digest);
  }
  *session->hbs_digest = 0;
  json_decref(sizes);
  return status;
}
