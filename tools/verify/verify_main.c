/* verify_main.c: the program kifu-verify: outputs of kifumill → a line a file, ok or what is wrong. */
#include "verify.h"

#include "kifumill/store_verify.h"
#include "program.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field) offsetof(verify_options, field)
static const km_option rows[] = {
    {"games", 0, KM_OPTION_STRING, 0, ROW(games), "PATH", NULL, 0, 0,
     "compare with this games.h5 (that of the run folder, or the one among the PATHs, when not given)"},
    {"deep", 0, KM_OPTION_FLAG, 0, ROW(deep), NULL, NULL, 0, 0,
     "compute a sample of HBS values and planes anew from the games"},
    {"sample", 0, KM_OPTION_INT, 0, ROW(sample), "N", NULL, 1, 1000000000,
     "games of an hbs.h5 and rows of a shard that --deep computes"},
    {"seed", 0, KM_OPTION_UINT64, 0, ROW(seed), "N", NULL, 0, 0, "which ones"},
    {"quiet", 0, KM_OPTION_FLAG, 0, ROW(quiet), NULL, NULL, 0, 0, "only what is wrong, and no summary"},
};
#undef ROW
static const km_option_table table = {rows, sizeof rows / sizeof *rows};

static const char synopsis[] = "[OPTION…] PATH…";
static const char about[] =
    "Checks outputs of kifumill and prints a line for every file: ok, or what is wrong with it.\n\n"
    "PATH is games.h5, hbs.h5, phases.h5, a shard, a folder of shards with its manifest.json, or a run "
    "folder, of which\n"
    "every output is checked. Checked are structure, lengths, offsets, the digest of every dataset and "
    "chunk, files\n"
    "against the manifest, and, where the games are at hand, whether an output was made from them. The exit "
    "code is\n"
    "1 if anything is wrong.\n";

/* --help, --version: 1 if that was all. */
static int answers(const verify_options *defaults, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--version") == 0) {
      printf("kifu-verify (kifumill) %s\n", KM_VERSION);
      return 1;
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      printf("usage: kifu-verify %s\n\n%s\nOptions [default]:\n", synopsis, about);
      km_options_help(&table, 1, defaults, stdout);
      printf("      --help                        this text\n"
             "      --version                     the version\n");
      return 1;
    }
  }
  return 0;
}

/* The one games store among the paths; NULL if there are none or several. */
static const char *only_games(const verify_options *options) {
  const char *found = NULL;
  for (size_t i = 0; i < options->n_paths; i++) {
    km_h5 *file;
    km_err why; /* others than games do not open as such */
    if (km_h5_open(&file, options->paths[i], KM_GAMES_FORMAT, &why))
      continue;
    km_h5_close(file);
    if (found)
      return NULL;
    found = options->paths[i];
  }
  return found;
}

static int has_run(const verify_options *options) {
  for (size_t i = 0; i < options->n_paths; i++)
    if (verify_is_run(options->paths[i]))
      return 1;
  return 0;
}

static km_status run(verify_session *session, km_err *err) {
  const verify_options *options = session->options;
  const char *games = options->games;
  km_status status = KM_OK;
  if (!games && options->n_paths > 1)
    games = only_games(options);
  /* a damaged one among the paths has its own line; one that was named must be good */
  if (games && (status = verify_games_open(session, games, err)) && !options->games && status != KM_ERR_NOMEM)
    status = KM_OK;
  if (!status && options->deep && !games && !has_run(options))
    status = km_err_set(err, KM_ERR_USAGE, 0, "--deep computes from games: name them with --games");
  for (size_t i = 0; i < options->n_paths && !status; i++)
    status = verify_path(session, options->paths[i], err);
  verify_rest_done(session);
  km_games_close(session->games);
  for (size_t i = 0; i < session->n_problems; i++) {
    free(session->problems[i].path);
    free(session->problems[i].text);
  }
  free(session->problems);
  return session->no_memory && !status ? km_err_set(err, KM_ERR_NOMEM, 0, "out of memory") : status;
}

static int verify(verify_session *session, verify_options *options, int argc, char **argv) {
  km_err err = {0};
  const char **paths = calloc((size_t)argc + 1, sizeof *paths);
  km_status status = paths ? KM_OK : km_err_set(&err, KM_ERR_NOMEM, 0, "out of memory");
  if (!status)
    status = km_options_parse(&table, 1, options, argc, argv, paths, &options->n_paths, &err);
  options->paths = paths;
  if (!status && !options->n_paths)
    status = km_err_set(&err, KM_ERR_USAGE, 0, "no path given (usage: kifu-verify %s)", synopsis);
  if (!status)
    status = run(session, &err);
  free(paths);
  int code = km_program_report("kifu-verify", status, &err);
  return code == KM_EXIT_OK && session->n_bad ? KM_EXIT_FAILED : code;
}

int main(int argc, char **argv) {
  verify_options options = {.sample = 100, .seed = 1};
  verify_session session = {.options = &options};
  if (answers(&options, argc, argv))
    return km_program_finish("kifu-verify", KM_EXIT_OK);
  int code = km_program_finish("kifu-verify", verify(&session, &options, argc, argv));
  if (session.n_files && !options.quiet) /* behind the lines */
    fprintf(stderr, "%" PRIu64 " file%s, %" PRIu64 " bytes, %" PRIu64 " with problems\n", session.n_files,
            session.n_files == 1 ? "" : "s", session.n_bytes, session.n_bad);
  return code;
}
