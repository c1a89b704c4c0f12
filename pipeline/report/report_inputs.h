/* report_inputs.h: what the report is made of: outputs of other stages, told apart by their content. */
#ifndef KIFUMILL_REPORT_INPUTS_H
#define KIFUMILL_REPORT_INPUTS_H

#include "report_text.h"

#include "kifumill/err.h"
#include "kifumill/games_store.h"

#include <jansson.h>

typedef enum km_input {
  KM_INPUT_GAMES = 0, /* games.h5 */
  KM_INPUT_FACTS,     /* games.summary.json */
  KM_INPUT_LEDGER,    /* games.ledger.tsv */
  KM_INPUT_HBS,       /* hbs.summary.json */
  KM_INPUT_PHASES,    /* phases.summary.json */
  KM_INPUT_WINRATE,   /* winrate.json */
  KM_INPUT_STYLES,    /* winrate.styles.json */
  KM_INPUT_MANIFEST,  /* manifest.json of the shards */
  KM_INPUTS,
} km_input;

typedef struct km_report_inputs {
  char *path[KM_INPUTS];      /* NULL: not there */
  char digest[KM_INPUTS][33]; /* of the file's bytes; of games.h5, of its content */
  json_t *json[KM_INPUTS];    /* of those that are JSON */
  km_games *games;
  char *games_command, *games_config, *games_generator; /* of the ingest; NULL: not there */
} km_report_inputs;

/* Usual name of an input in a run folder, and what is lost without it. */
const char *km_input_name(km_input input);
const char *km_input_gives(km_input input);

/* Finds and reads what n names (folders, files) hold. KM_ERR_USAGE: nothing a report can show, two of a kind;
 * KM_ERR_FORMAT: a file that is none of these, or damaged. Clear in any case. */
km_status km_report_inputs_open(km_report_inputs *inputs, const char *const *names, size_t n, km_err *err);
void km_report_inputs_clear(km_report_inputs *inputs);

/* ---- reading JSON that may have anything --------------------------------------------------------------- */

/* Values by key; what is absent or of another kind: NaN, "", NULL, an empty array. */
double km_json_get_number(const json_t *object, const char *key);
size_t km_json_get_size(const json_t *object, const char *key); /* of a whole number up to 10^9, else 0 */
const char *km_json_get_text(const json_t *object, const char *key);
json_t *km_json_get(const json_t *object, const char *key);
/* An array of numbers (NaN for null) in the scratch; *n is 0 when it is none. */
double *km_json_get_numbers(km_scratch *scratch, const json_t *object, const char *key, size_t *n);
/* The first element of an array whose text under key is value; NULL. */
json_t *km_json_find(const json_t *array, const char *key, const char *value);

#endif
