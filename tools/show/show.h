/* show.h: what the commands of kifu-show share: options, the list of commands, and a session's output.
 *
 * A command writes its result to session->out, which is memory: it reaches stdout or --output only when the
 * command has come to its end, so that a failure leaves nothing half said. Remarks for people (a game stopped
 * by an illegal move, a damaged archive) are collected the same way and go to stderr. */
#ifndef KIFUMILL_SHOW_H
#define KIFUMILL_SHOW_H

#include "kifumill/options.h"

typedef enum show_format { SHOW_TEXT, SHOW_CSV, SHOW_JSON, SHOW_RAW, SHOW_SHA256 } show_format;

typedef struct show_options {
  /* the record */
  const char *input, *entry, *game_text, *encoding;
  /* replay */
  int mode, rules, suicide;
  const char *ply_text;
  /* commands */
  const char *variant, *layout, *layout_options, *penalty, *changes_text, *min_size_text;
  int symmetry, cost, search, noise;
  /* output */
  const char *output;
  int format_choice, json, force, strict, quiet;
  /* from the texts above */
  int has_game, has_ply;
  uint64_t game, ply;
  show_format format;
} show_options;

typedef struct show_session {
  const show_options *options;
  FILE *out, *remarks;
  uint64_t n_damaged; /* things refused, repaired or cut, for --strict */
} show_session;

/* Adds a line to what is told on stderr. */
void show_remark(show_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef struct show_command {
  const char *name, *synopsis, *about;
  km_option_table tables[4];
  size_t n_tables;
  const show_format *formats; /* by number of the choice of --format; the first is the default */
  km_status (*run)(show_session *session, km_err *err);
} show_command;
extern const show_command show_commands[];
extern const size_t show_n_commands;
extern const km_option_table show_output_table; /* --output and the like, which all commands have */
void show_options_default(show_options *options);
/* Reads the numbers among the options that may be absent; sets format. */
km_status show_options_finish(show_options *options, const show_command *command, km_err *err);

km_status show_hbs(show_session *session, km_err *err);
km_status show_board(show_session *session, km_err *err);
km_status show_moves(show_session *session, km_err *err);
km_status show_planes(show_session *session, km_err *err);
km_status show_features(show_session *session, km_err *err);
km_status show_info(show_session *session, km_err *err);
km_status show_changepoints(show_session *session, km_err *err);

#endif
