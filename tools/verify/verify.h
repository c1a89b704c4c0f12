/* verify.h: what the parts of kifu-verify share: options, the lines it prints, the games that outputs are
 * compared with.
 *
 * Every file gets its lines on stdout: "PATH: ok", or one "PATH: what is wrong" for every thing found wrong
 * with it. Problems are collected until the file's line is due, so that checks may come in any order; of more
 * than VERIFY_PROBLEMS_MAX of one file the rest is counted. */
#ifndef KIFUMILL_VERIFY_H
#define KIFUMILL_VERIFY_H

#include "kifumill/games_store.h"
#include "kifumill/manifest.h"
#include "kifumill/options.h"

enum { VERIFY_PROBLEMS_MAX = 20, VERIFY_PATH_BYTES = 4096 };

typedef struct verify_options {
  const char *games; /* --games */
  int deep, sample, quiet;
  uint64_t seed;
  const char *const *paths;
  size_t n_paths;
} verify_options;

typedef struct verify_problem {
  char *path, *text;
} verify_problem;

typedef struct verify_session {
  const verify_options *options;
  verify_problem *problems; /* not yet printed */
  size_t n_problems, room;
  uint64_t n_files, n_bytes, n_bad; /* files: all, and those with problems */
  int no_memory;                    /* a problem could not be kept */
  km_games *games;                  /* what the others are compared with, or NULL */
  char digest[33];                  /* of their content */
  char
      hbs_digest[33]; /* of what the run's hbs.h5 was made of and how, as phases.h5 names it; "": not known */
} verify_session;

/* Notes a problem; a km_verify_report. path is not looked at further. */
void verify_problem_add(void *session, const char *path, const char *problem);
void verify_problem_addf(verify_session *session, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether any problem with the path is waiting. */
int verify_has_problem(const verify_session *session, const char *path);
/* Prints and forgets the problems of a file, or "ok" (unless quiet). */
void verify_file_done(verify_session *session, const char *path);
/* Prints problems that no file has claimed, each as a file of its own. */
void verify_rest_done(verify_session *session);

/* Opens the games that the others are compared with. */
km_status verify_games_open(verify_session *session, const char *path, km_err *err);

/* Any path: a file, a folder with a manifest, a run folder. Everything found goes to the lines; only memory
 * can fail. */
km_status verify_path(verify_session *session, const char *path, km_err *err);
/* The folder of a run, which has no manifest itself. */
int verify_is_run(const char *folder);
km_status verify_run(verify_session *session, const char *folder, km_err *err);

/* Comparison with session->games, which is there. A status other than KM_OK is want of memory. */
km_status verify_hbs_against_games(verify_session *session, const char *path, km_err *err);
km_status verify_shard_against_games(verify_session *session, const char *path, km_err *err);
/* Whether a file of this format, made from what digest says, belongs to the games (phases: to the run's
 * hbs.h5); notes a problem if not. Files of unknown formats, and what was not made from games, belong
 * anywhere. */
void verify_digest(verify_session *session, const char *path, const char *format, const char *digest);

#endif
