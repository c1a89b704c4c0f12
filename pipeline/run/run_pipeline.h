/* run_pipeline.h: all stages of a config, in one run folder, doing only what is not done yet. */
#ifndef KIFUMILL_RUN_PIPELINE_H
#define KIFUMILL_RUN_PIPELINE_H

#include "run_stamp.h"

/* One stage as part of a run: where its output stands in the run folder and what it reads. */
typedef struct km_wiring {
  const km_stage *stage;
  const char *output;        /* the file or folder given to the stage as its output */
  const char *outputs[4];    /* all that it leaves there, NULL-terminated */
  const char *inputs[8];     /* stages' outputs that it reads, NULL-terminated; none: the run's inputs */
  const char *optional[8];   /* read when they are there */
} km_wiring;
extern const km_wiring km_run_wirings[];
extern const size_t km_n_run_wirings;

/* One stage of this run. */
typedef struct km_run_step {
  const km_wiring *wiring;
  void *options; /* of the stage */
  int wanted;
  int was_done;  /* nothing had to be done */
  int ran;
  km_run_stamp stamp;
} km_run_step;

typedef struct km_pipeline {
  km_run_options run; /* output is the run folder */
  const char *stages, *from, *until;
  const char *part;   /* "I/N": only that part of the shards, beside other processes that make the others */
  km_run_step *steps; /* km_n_run_wirings of them */
} km_pipeline;

/* Chooses the steps from stages, from and until. KM_ERR_USAGE for an unknown name. */
km_status km_pipeline_choose(km_pipeline *pipeline, km_err *err);
/* Runs them. The error names the stage. */
km_status km_pipeline_run(km_pipeline *pipeline, km_err *err);
/* The closing table: records, games, refusals by reason, positions, files, bytes and seconds a stage. */
void km_pipeline_table(const km_pipeline *pipeline, FILE *out);

#endif
