/* run_main.c: the program kifu-run: CONFIG.yaml and inputs → a run folder. */
#include "run_pipeline.h"

#include "config.h"
#include "program.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ROW(field) offsetof(km_pipeline, field)
static const km_option rows[] = {
    {"stages", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(stages), "LIST", NULL, 0, 0,
     "only these stages, as a,b,c; all when not given"},
    {"from", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(from), "STAGE", NULL, 0, 0, "begin with this stage"},
    {"until", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(until), "STAGE", NULL, 0, 0, "end after this stage"},
    {"part", 0, KM_OPTION_STRING, KM_OPTION_RUNTIME, ROW(part), "I/N", NULL, 0, 0,
     "only part I (0 …) of N of the shards, for the tasks of a cluster job; the stages before must be done"},
};
#undef ROW

static const km_stage self = {
    .name = "run",
    .synopsis = "CONFIG.yaml [OPTION…] [INPUT…]",
    .about = "Runs the stages of a config in one run folder (--output, or output in the config). A stage that is done\n"
             "already, with the same options and inputs, is not done again; a run that was killed goes on where it was.\n"
             "INPUTs behind the config take the place of its inputs. --force does everything again.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
};

/* The options and config of one run. */
typedef struct session {
  km_pipeline pipeline;
  km_run_step *steps;
  km_config_section *sections;
  km_option_table *tables; /* of the stages */
  const char **inputs;     /* as given */
  km_config *config;
} session;

static km_status open_session(session *s, int argc, km_err *err) {
  s->steps = calloc(km_n_run_wirings, sizeof *s->steps);
  s->sections = calloc(km_n_run_wirings + 1, sizeof *s->sections);
  s->tables = calloc(km_n_run_wirings, sizeof *s->tables);
  s->inputs = calloc((size_t)argc + 1, sizeof *s->inputs);
  if (!s->steps || !s->sections || !s->tables || !s->inputs)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < km_n_run_wirings; i++) {
    const km_stage *stage = km_run_wirings[i].stage;
    s->steps[i].wiring = &km_run_wirings[i];
    s->steps[i].options = calloc(1, stage->options_bytes);
    if (!s->steps[i].options)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    stage->defaults(s->steps[i].options);
    s->tables[i] = (km_option_table){stage->rows, stage->n_rows};
    s->sections[i + 1] = (km_config_section){stage->name, &s->tables[i], 1, s->steps[i].options};
  }
  s->pipeline.steps = s->steps;
  km_run_options_default(&s->pipeline.run);
  return KM_OK;
}

static void close_session(session *s) {
  for (size_t i = 0; s->steps && i < km_n_run_wirings; i++)
    free(s->steps[i].options);
  free(s->steps);
  free(s->sections);
  free(s->tables);
  free(s->inputs);
  km_config_free(s->config);
}

/* Reads argv for the config's name, the config, and argv again, which goes before the config. */
static km_status read_options(session *s, int argc, char **argv, km_err *err) {
  km_option_table tables[] = {{km_common_rows, km_n_common_rows}, {rows, sizeof rows / sizeof *rows}};
  km_pipeline *p = &s->pipeline;
  size_t n_inputs;
  km_status status = km_options_parse(tables, 2, p, argc, argv, s->inputs, &n_inputs, err);
  if (status == KM_OK && n_inputs == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "no config given (usage: kifu-run %s)", self.synopsis);
  if (status == KM_OK) {
    s->sections[0] = (km_config_section){NULL, tables, 2, p};
    status = km_config_load(&s->config, s->inputs[0], &(km_config_request){s->sections, km_n_run_wirings + 1, NULL, 0}, err);
  }
  if (status == KM_OK)
    status = km_options_parse(tables, 2, p, argc, argv, s->inputs, &n_inputs, err);
  if (status != KM_OK)
    return status;
  p->run.inputs = s->inputs + 1;
  p->run.n_inputs = n_inputs - 1;
  if (n_inputs == 1)
    p->run.inputs = km_config_inputs(s->config, &p->run.n_inputs);
  if (p->run.quiet)
    p->run.messages = NULL;
  return p->run.output ? km_pipeline_choose(p, err)
                       : km_err_set(err, KM_ERR_USAGE, 0, "no output folder given (--output, or output in the config)");
}

static int exit_code(const session *s, km_status status, const km_err *err) {
  int code = km_program_report("kifu-run", status, err);
  uint64_t n_refused = 0;
  for (size_t i = 0; i < km_n_run_wirings; i++)
    n_refused += s->steps && s->steps[i].wanted ? s->steps[i].stamp.outcome.n_refused : 0;
  return code == KM_EXIT_OK && s->pipeline.run.strict && n_refused ? KM_EXIT_REFUSED : code;
}

int main(int argc, char **argv) {
  session s = {0};
  km_err err = {0};
  km_program_guard();
  km_status status = open_session(&s, argc, &err);
  if (status == KM_OK && km_program_answers(&self, &s.pipeline, argc, argv)) {
    close_session(&s);
    return km_program_finish("kifu-run", KM_EXIT_OK);
  }
  if (status == KM_OK)
    status = read_options(&s, argc, argv, &err);
  if (status == KM_OK)
    status = km_pipeline_run(&s.pipeline, &err);
  int code = exit_code(&s, status, &err);
  if (status == KM_OK && s.pipeline.run.messages)
    km_pipeline_table(&s.pipeline, s.pipeline.run.messages);
  close_session(&s);
  return km_program_finish("kifu-run", code);
}
