/* options.h: one table of options serves the command line, the YAML config, --help and the config echoed into outputs.
 *
 * A stage keeps its options in a struct; each row of its table names one field. Values are checked against the row's
 * range or choices wherever they come from. Strings are borrowed from argv or from the config, which live as long as
 * the program. */
#ifndef KIFUMILL_OPTIONS_H
#define KIFUMILL_OPTIONS_H

#include "kifumill/err.h"

#include <stdio.h>

typedef enum km_option_kind {
  KM_OPTION_FLAG,   /* int 0/1; no argument on the command line, true/false in a config */
  KM_OPTION_INT,    /* int in [min, max] */
  KM_OPTION_UINT64, /* uint64_t, decimal or 0x… */
  KM_OPTION_DOUBLE, /* double in [min, max] */
  KM_OPTION_BYTES,  /* uint64_t in [min, max]; suffix K, M, G, T (powers of 1024) */
  KM_OPTION_STRING, /* const char *, NULL when not given */
  KM_OPTION_CHOICE, /* int: index into choices */
} km_option_kind;

enum {
  KM_OPTION_RUNTIME = 1, /* does not change the bytes of an output (threads, progress, …): not echoed into it */
  KM_OPTION_COMMAND_LINE = 2, /* not in a config (--config, --help) */
};

typedef struct km_option {
  const char *name;    /* long name without dashes; the key in a config */
  char letter;         /* one-letter form or 0 */
  km_option_kind kind;
  unsigned flags;
  size_t offset;       /* of the field in the options struct */
  const char *metavar; /* "N", "FILE", …; NULL for flags; choices print themselves */
  const char *choices; /* "off|moves|symmetric" */
  double min, max;     /* for INT, DOUBLE, BYTES */
  const char *doc;     /* a sentence without a full stop */
} km_option;

/* A table may be made of parts (the common options and those of the stage). */
typedef struct km_option_table {
  const km_option *rows;
  size_t n_rows;
} km_option_table;

/* Sets the option called name (long name) from text. KM_ERR_USAGE with a one-line message. */
km_status km_option_set(const km_option_table *tables, size_t n_tables, void *options, const char *name,
                        const char *text, km_err *err);

/* Parses argv[1…]: options go into the struct, the rest into inputs (argc entries; *n_inputs). "--" ends options,
 * "-" is an input, "--name=value", "--name value", "-n value" and "-nvalue" are read; unique prefixes are not. */
km_status km_options_parse(const km_option_table *tables, size_t n_tables, void *options, int argc, char **argv,
                           const char **inputs, size_t *n_inputs, km_err *err);

/* The value that argv gives for option name, or NULL: for options that must be known before the others (--config). */
const char *km_options_peek(const km_option_table *tables, size_t n_tables, int argc, char **argv, const char *name);

/* The help lines with the values that the struct holds now as defaults. */
void km_options_help(const km_option_table *tables, size_t n_tables, const void *options, FILE *out);

/* Writes "indent name: value" lines (YAML) for every option that can change an output. */
void km_options_dump(const km_option_table *tables, size_t n_tables, const void *options, const char *indent, FILE *out);

/* The text of choice number i of "a|b|c", as a slice. */
const char *km_choice_text(const char *choices, int i, int *n_bytes);

#endif
