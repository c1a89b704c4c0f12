/* program.h: the main function of a stage's program: options, config, --help, --version, messages, exit codes. */
#ifndef KIFUMILL_PROGRAM_H
#define KIFUMILL_PROGRAM_H

#include "stage.h"

/* Exit codes (DESIGN): 0 done, 1 failed, 2 bad usage, 3 done but something was refused (--strict). */
enum { KM_EXIT_OK = 0, KM_EXIT_FAILED = 1, KM_EXIT_USAGE = 2, KM_EXIT_REFUSED = 3 };

int km_program_main(const km_stage *stage, int argc, char **argv);

/* For main, first of all: a signal that ends the program removes its temporary files before; no file gets the number of
 * a standard stream that is closed. */
void km_program_guard(void);
/* The exit code for a status, after printing "program: message" for a failure. */
int km_program_report(const char *program, km_status status, const km_err *err);
/* Prints --help or --version if argv asks for it and returns 1. */
int km_program_answers(const km_stage *stage, const void *options, int argc, char **argv);
/* Closes stdout: an exit code that tells a full disk or a closed pipe. */
int km_program_finish(const char *program, int code);

/* Names of all stages, for configs shared by several programs. */
extern const char *const km_stage_names[];
extern const size_t km_n_stage_names;

#endif
