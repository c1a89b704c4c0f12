/* stage.h: what every stage of the pipeline has: common options, a table of its own, a run function, an outcome.
 *
 * A stage's options struct begins with a km_run_options. kifu-<stage> (program.h) and kifu-run drive stages through
 * their km_stage alone. */
#ifndef KIFUMILL_STAGE_H
#define KIFUMILL_STAGE_H

#include "kifumill/options.h"
#include "kifumill/progress.h"

#define KM_VERSION "1.0.0"
#define KM_GENERATOR "kifumill " KM_VERSION

/* The common options. */
typedef struct km_run_options {
  const char *output;
  const char *config;
  int threads; /* 0: all processors */
  uint64_t seed;
  int quiet, progress /* km_progress_mode */, force, strict;
  const char *const *inputs;
  size_t n_inputs;
  const char *command;     /* what to write into outputs: the program and the options that change bytes */
  const char *config_text; /* the merged options as YAML lines */
  FILE *messages;          /* closing summary and warnings; NULL when quiet */
} km_run_options;
void km_run_options_default(km_run_options *run);
extern const km_option km_common_rows[];
extern const size_t km_n_common_rows;

/* What a stage did, for exit codes and the table at the end of kifu-run. */
typedef struct km_stage_outcome {
  uint64_t n_records, n_games, n_refused, n_positions, n_files, n_bytes;
} km_stage_outcome;

typedef struct km_stage {
  const char *name;     /* "ingest"; the program is kifu-ingest, the config section ingest */
  const char *synopsis; /* "[OPTION…] INPUT…" */
  const char *about;    /* paragraphs for --help */
  const km_option *rows;
  size_t n_rows;
  size_t options_bytes;
  size_t min_inputs, max_inputs;
  void (*defaults)(void *options);
  km_status (*run)(const void *options, km_stage_outcome *outcome, km_err *err);
} km_stage;

/* Fills run->command and run->config_text from the options (malloc; free both with km_stage_forget). */
km_status km_stage_describe(const km_stage *stage, void *options, km_err *err);
void km_stage_forget(void *options);

#endif
