/* program.c: the shell around a stage. Data goes to files; stderr has one line for a failure, a summary otherwise. */
#include "program.h"

#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *const km_stage_names[] = {"ingest", "hbs", "phases", "planes", "winrate", "report"};
const size_t km_n_stage_names = sizeof km_stage_names / sizeof *km_stage_names;

/* Keys of a run's config that a single program does not look at. */
static const char *const run_keys[] = {"output", "stages", "from", "until", "part"};
enum { N_RUN_KEYS = sizeof run_keys / sizeof *run_keys };

int km_program_report(const char *program, km_status status, const km_err *err) {
  if (status >= 0)
    return KM_EXIT_OK;
  fprintf(stderr, "%s: %s\n", program, err->msg);
  return status == KM_ERR_USAGE ? KM_EXIT_USAGE : KM_EXIT_FAILED;
}

int km_program_finish(const char *program, int code) {
  int failed = ferror(stdout); /* a flush on the way; its cause is forgotten by now */
  errno = 0;
  failed |= fclose(stdout) != 0;
  if (!failed || code != KM_EXIT_OK)
    return code;
  fprintf(stderr, "%s: cannot write to standard output%s%s\n", program, errno ? ": " : "", errno ? strerror(errno) : "");
  return KM_EXIT_FAILED;
}

int km_program_answers(const km_stage *stage, const void *options, int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--version") == 0) {
      printf("kifu-%s (kifumill) %s\n", stage->name, KM_VERSION);
      return 1;
    }
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      km_option_table own = {stage->rows, stage->n_rows}, common = {km_common_rows, km_n_common_rows};
      printf("usage: kifu-%s %s\n\n%s\n", stage->name, stage->synopsis, stage->about);
      if (stage->n_rows) {
        printf("Options [default]:\n");
        km_options_help(&own, 1, options, stdout);
      }
      printf("\nCommon options:\n");
      km_options_help(&common, 1, options, stdout);
      printf("      --help                        this text\n"
             "      --version                     the version\n");
      return 1;
    }
  }
  return 0;
}

static km_status load_config(km_config **config, const km_stage *stage, const km_option_table *tables, void *options,
                             const char *path, km_err *err) {
  const char *ignored[N_RUN_KEYS + 8];
  size_t n_ignored = 0;
  for (size_t i = 0; i < N_RUN_KEYS; i++)
    ignored[n_ignored++] = run_keys[i];
  for (size_t i = 0; i < km_n_stage_names; i++)
    if (strcmp(km_stage_names[i], stage->name) != 0)
      ignored[n_ignored++] = km_stage_names[i];
  /* the output named in a shared config is the run's folder, not this program's file */
  km_option_table common = {tables[0].rows + 1, tables[0].n_rows - 1};
  km_config_section sections[] = {{NULL, &common, 1, options}, {stage->name, &tables[1], 1, options}};
  return km_config_load(config, path, &(km_config_request){sections, 2, ignored, n_ignored}, err);
}

static km_status check_inputs(const km_stage *stage, size_t n_inputs, km_err *err) {
  if (n_inputs < stage->min_inputs)
    return km_err_set(err, KM_ERR_USAGE, 0, "no input given (usage: kifu-%s %s)", stage->name, stage->synopsis);
  if (n_inputs > stage->max_inputs)
    return km_err_set(err, KM_ERR_USAGE, 0, "too many inputs (usage: kifu-%s %s)", stage->name, stage->synopsis);
  return KM_OK;
}

static km_status run_stage(const km_stage *stage, void *options, int argc, char **argv, km_stage_outcome *outcome,
                           km_err *err) {
  km_option_table tables[] = {{km_common_rows, km_n_common_rows}, {stage->rows, stage->n_rows}};
  km_run_options *run = options;
  km_config *config = NULL;
  const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
  if (!inputs)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the inputs");
  const char *path = km_options_peek(tables, 2, argc, argv, "config");
  km_status status = path ? load_config(&config, stage, tables, options, path, err) : KM_OK;
  if (status == KM_OK)
    status = km_options_parse(tables, 2, options, argc, argv, inputs, &run->n_inputs, err);
  run->inputs = inputs;
  if (status == KM_OK)
    status = check_inputs(stage, run->n_inputs, err);
  if (run->quiet)
    run->messages = NULL;
  if (status == KM_OK)
    status = km_stage_describe(stage, options, err);
  if (status == KM_OK)
    status = stage->run(options, outcome, err);
  km_stage_forget(options);
  km_config_free(config);
  free(inputs);
  return status;
}

int km_program_main(const km_stage *stage, int argc, char **argv) {
  char program[64];
  snprintf(program, sizeof program, "kifu-%s", stage->name);
  void *options = calloc(1, stage->options_bytes);
  km_err err = {0};
  km_program_guard();
  if (!options)
    return km_program_report(program, km_err_set(&err, KM_ERR_NOMEM, 0, "out of memory"), &err);
  stage->defaults(options);
  int code = KM_EXIT_OK;
  if (!km_program_answers(stage, options, argc, argv)) {
    km_stage_outcome outcome = {0};
    code = km_program_report(program, run_stage(stage, options, argc, argv, &outcome, &err), &err);
    if (code == KM_EXIT_OK && ((km_run_options *)options)->strict && outcome.n_refused)
      code = KM_EXIT_REFUSED;
  }
  free(options);
  return km_program_finish(program, code);
}
