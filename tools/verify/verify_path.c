/* verify_path.c: what a path is, and the checks that it gets: those of the file itself
 * (kifumill/store_verify.h), then those against the games. */
#include "verify.h"

#include "kifumill/hbs_store.h"
#include "kifumill/shard_store.h"
#include "kifumill/store_verify.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

km_status verify_games_open(verify_session *session, const char *path, km_err *err) {
  km_games_close(session->games);
  session->games = NULL;
  km_status status = km_games_open(&session->games, path, err);
  if (status)
    session->games = NULL;
  else
    km_hash_hex(km_games_digest(session->games), session->digest);
  return status;
}

void verify_digest(verify_session *session, const char *path, const char *format, const char *digest) {
  static const char *const of_games[] = {KM_HBS_FORMAT,      KM_SHARD_FORMAT,        KM_VIRTUAL_FORMAT,
                                         KM_MANIFEST_FORMAT, "kifumill hbs summary", "kifumill winrate",
                                         "kifumill styles"};
  if (strncmp(format, "kifumill phases", strlen("kifumill phases")) == 0) {
    if (*session->hbs_digest && strcmp(digest, session->hbs_digest) != 0)
      verify_problem_add(session, path, "it was made from another hbs.h5 than the one beside it");
    return;
  }
  for (size_t i = 0; session->games && i < sizeof of_games / sizeof *of_games; i++)
    if (strcmp(format, of_games[i]) == 0 && strcmp(digest, session->digest) != 0)
      verify_problem_addf(session, path,
                          "it was made from other games: its input_digest is %.40s, that of %.120s is %s",
                          digest, km_games_path(session->games), session->digest);
}

/* Structure and digests. */
static km_status verify_alone(verify_session *session, const char *path, km_err *err) {
  km_verify_sum sum;
  km_err why;
  km_status status = km_verify_path(path, verify_problem_add, session, &sum, &why);
  if (status == KM_ERR_NOMEM) {
    *err = why;
    return status;
  }
  if (status) {
    size_t n = strlen(path);
    int is_named = strncmp(why.msg, path, n) == 0 && strncmp(why.msg + n, ": ", 2) == 0;
    verify_problem_add(session, path, is_named ? why.msg + n + 2 : why.msg);
  }
  return KM_OK;
}

/* Whether the digest in the file is that of the games; then what its format has to be compared with. */
static km_status verify_origin(verify_session *session, const char *path, km_err *err) {
  km_h5 *file;
  char *format = NULL, *digest = NULL;
  km_status status = km_h5_open(&file, path, NULL, err);
  if (!status)
    status = km_h5_get_text(file, "/", "format", &format, err);
  if (!status)
    status = km_h5_get_text(file, "/", "input_digest", &digest, err);
  if (!status) {
    verify_digest(session, path, format, digest);
    int comparable = session->games && !verify_has_problem(session, path);
    if (comparable && strcmp(format, KM_HBS_FORMAT) == 0)
      status = verify_hbs_against_games(session, path, err);
    else if (comparable && strcmp(format, KM_SHARD_FORMAT) == 0)
      status = verify_shard_against_games(session, path, err);
  }
  free(format);
  free(digest);
  km_h5_close(file);
  if (status && status != KM_ERR_NOMEM) {
    verify_problem_add(session, path, err->msg);
    status = KM_OK;
  }
  return status;
}

/* An HDF5 file. */
static km_status verify_store(verify_session *session, const char *path, km_err *err) {
  km_status status = verify_alone(session, path, err);
  if (!status && (session->games || *session->hbs_digest) && !verify_has_problem(session, path))
    status = verify_origin(session, path, err);
  verify_file_done(session, path);
  return status;
}

/* The shards of a manifest that are right so far, against the games. */
static km_status verify_shards_against_games(verify_session *session, const char *manifest_path,
                                             const char *folder, const km_manifest *m, km_err *err) {
  km_status status = KM_OK;
  verify_digest(session, manifest_path, KM_MANIFEST_FORMAT, m->origin.input_digest);
  for (size_t i = 0; i < m->n_files && !status; i++) {
    char name[VERIFY_PATH_BYTES];
    snprintf(name, sizeof name, "%s/%s", folder, m->files[i].name);
    if (!m->files[i].is_virtual && !verify_has_problem(session, name))
      status = verify_origin(session, name, err);
  }
  return status;
}

/* A manifest and the files it lists. given: the path to hand to the library. */
static km_status verify_manifest(verify_session *session, const char *given, const char *manifest_path,
                                 const char *folder, km_err *err) {
  km_manifest *m;
  km_err why;
  km_status status = verify_alone(session, given, err);
  if (status)
    return status;
  status = km_manifest_read(&m, manifest_path, &why);
  if (status) { /* it has been reported */
    verify_file_done(session, manifest_path);
    return KM_OK;
  }
  if (session->games)
    status = verify_shards_against_games(session, manifest_path, folder, m, err);
  verify_file_done(session, manifest_path);
  for (size_t i = 0; i < m->n_files; i++) {
    char name[VERIFY_PATH_BYTES];
    snprintf(name, sizeof name, "%s/%s", folder, m->files[i].name);
    verify_file_done(session, name);
  }
  km_manifest_free(m);
  return status;
}

/* Whether the file looks like JSON. */
static int is_json(const char *path) {
  FILE *file = fopen(path, "rb");
  int first = file ? fgetc(file) : EOF;
  if (file)
    fclose(file);
  return first == '{';
}

km_status verify_path(verify_session *session, const char *path, km_err *err) {
  char name[VERIFY_PATH_BYTES], folder[VERIFY_PATH_BYTES];
  struct stat info;
  if (strlen(path) > VERIFY_PATH_BYTES - 128) {
    verify_problem_add(session, path, "the path is too long");
    verify_file_done(session, path);
    return KM_OK;
  }
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
    snprintf(name, sizeof name, "%s/%s", path, KM_MANIFEST_NAME);
    if (stat(name, &info) == 0)
      return verify_manifest(session, path, name, path, err);
    if (verify_is_run(path))
      return verify_run(session, path, err);
  } else if (is_json(path)) {
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s", slash && slash > path ? (int)(slash - path) : 1,
             slash ? path : ".");
    return verify_manifest(session, path, path, folder, err);
  }
  return verify_store(session, path, err);
}
