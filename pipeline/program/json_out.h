/* json_out.h: JSON written from front to back, in memory.
 *
 * Keys come in the order of the calls, numbers have 12 digits, what is not finite is null; text must be
 * UTF-8. Values in an object have a key, in an array NULL. Failures are kept until km_json_finish. */
#ifndef KIFUMILL_JSON_OUT_H
#define KIFUMILL_JSON_OUT_H

#include "kifumill/err.h"

#include <stdio.h>

typedef struct km_json {
  FILE *out;
  char *text;
  size_t n_bytes;
  int comma; /* a value stands before in the present object or array */
} km_json;

km_status km_json_new(km_json *json, km_err *err);
/* Ends it and gives the text (malloc'ed, with a line end). */
km_status km_json_finish(km_json *json, char **text, km_err *err);
void km_json_abandon(km_json *json); /* after km_json_finish nothing is left to do, and this does nothing */

/* bracket: '{' or '[', and '}' or ']' */
void km_json_open(km_json *json, const char *key, char bracket);
void km_json_close(km_json *json, char bracket);
void km_json_text(km_json *json, const char *key, const char *text); /* NULL: null */
void km_json_count(km_json *json, const char *key, uint64_t value);
void km_json_number(km_json *json, const char *key, double value);
void km_json_flag(km_json *json, const char *key, int value);
void km_json_null(km_json *json, const char *key);
void km_json_numbers(km_json *json, const char *key, const double *values, size_t n);
void km_json_counts(km_json *json, const char *key, const uint64_t *values, size_t n);

#endif
