/* stage.c: the common options and the description of a run that is written into its outputs. */
#include "stage.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field) offsetof(km_run_options, field)
const km_option km_common_rows[] = {
    {"output", 'o', KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(output), "PATH", NULL, 0, 0, "where the result goes"},
    {"threads", 'j', KM_OPTION_INT, KM_OPTION_RUNTIME, ROW(threads), "N", NULL, 0, 1024, "threads; 0: all processors"},
    {"seed", 0, KM_OPTION_UINT64, 0, ROW(seed), "N", NULL, 0, 0, "seed of every random choice"},
    {"config", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME | KM_OPTION_COMMAND_LINE, ROW(config), "FILE", NULL, 0, 0,
     "YAML file with options; the command line goes before it"},
    {"strict", 0, KM_OPTION_FLAG, KM_OPTION_RUNTIME, ROW(strict), NULL, NULL, 0, 0,
     "exit with 3 when something in the input was refused or damaged"},
    {"force", 0, KM_OPTION_FLAG, KM_OPTION_RUNTIME, ROW(force), NULL, NULL, 0, 0, "overwrite an output that exists"},
    {"quiet", 0, KM_OPTION_FLAG, KM_OPTION_RUNTIME, ROW(quiet), NULL, NULL, 0, 0, "no summary on stderr"},
    {"progress", 0, KM_OPTION_CHOICE, KM_OPTION_RUNTIME, ROW(progress), NULL, "auto|always|never", 0, 0,
     "the progress line; auto: on a terminal"},
};
#undef ROW
const size_t km_n_common_rows = sizeof km_common_rows / sizeof *km_common_rows;

void km_run_options_default(km_run_options *run) { *run = (km_run_options){.seed = 1, .messages = stderr}; }

/* The last component of a path: outputs name inputs by it, so that they do not depend on where the inputs lie. */
static const char *last_component(const char *path) {
  size_t n = strlen(path);
  while (n > 1 && path[n - 1] == '/')
    n--;
  while (n > 0 && path[n - 1] != '/')
    n--;
  return path + n;
}

km_status km_stage_describe(const km_stage *stage, void *options, km_err *err) {
  km_run_options *run = options;
  km_option_table tables[] = {{km_common_rows, km_n_common_rows}, {stage->rows, stage->n_rows}};
  char *command = NULL, *config = NULL;
  size_t n_command, n_config;
  FILE *out = open_memstream(&config, &n_config);
  if (out) {
    km_options_dump(tables, 2, options, "", out);
    if (fclose(out) == 0 && (out = open_memstream(&command, &n_command))) {
      fprintf(out, "kifu-%s", stage->name);
      for (size_t i = 0; i < run->n_inputs; i++)
        fprintf(out, " %s", last_component(run->inputs[i]));
      if (fclose(out) == 0) {
        run->command = command;
        run->config_text = config;
        return KM_OK;
      }
    }
  }
  free(command);
  free(config);
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the description of the run");
}

void km_stage_forget(void *options) {
  km_run_options *run = options;
  free((char *)(uintptr_t)run->command);
  free((char *)(uintptr_t)run->config_text);
  run->command = run->config_text = NULL;
}
