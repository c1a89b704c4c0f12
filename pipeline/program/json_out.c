/* json_out.c: a stream over memory; one flag is enough to place commas. */
#include "json_out.h"

#include <math.h>
#include <stdlib.h>

km_status km_json_new(km_json *json, km_err *err) {
  *json = (km_json){0};
  json->out = open_memstream(&json->text, &json->n_bytes);
  return json->out ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a summary");
}

km_status km_json_finish(km_json *json, char **text, km_err *err) {
  fputc('\n', json->out);
  int failed = ferror(json->out);
  failed |= fclose(json->out) != 0;
  json->out = NULL;
  *text = failed ? NULL : json->text;
  if (failed)
    free(json->text);
  json->text = NULL;
  return failed ? km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a summary") : KM_OK;
}

void km_json_abandon(km_json *json) {
  if (json->out)
    fclose(json->out);
  free(json->text);
  *json = (km_json){0};
}

static void put_text(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else if (*p == '\n')
      fputs("\\n", out);
    else if (*p < 0x20 || *p == 0x7f)
      fprintf(out, "\\u%04x", *p);
    else
      fputc(*p, out);
  }
  fputc('"', out);
}

static void begin(km_json *json, const char *key) {
  if (json->comma)
    fputc(',', json->out);
  if (key) {
    put_text(json->out, key);
    fputc(':', json->out);
  }
  json->comma = 1;
}

void km_json_open(km_json *json, const char *key, char bracket) {
  begin(json, key);
  fputc(bracket, json->out);
  json->comma = 0;
}

void km_json_close(km_json *json, char bracket) {
  fputc(bracket, json->out);
  json->comma = 1;
}

void km_json_null(km_json *json, const char *key) {
  begin(json, key);
  fputs("null", json->out);
}

void km_json_text(km_json *json, const char *key, const char *text) {
  if (!text) {
    km_json_null(json, key);
    return;
  }
  begin(json, key);
  put_text(json->out, text);
}

static void put_integer(FILE *out, int is_negative, uint64_t value) {
  char digits[24], *p = digits + sizeof digits;
  *--p = 0;
  do
    *--p = (char)('0' + value % 10);
  while (value /= 10);
  if (is_negative)
    *--p = '-';
  fputs(p, out);
}

void km_json_count(km_json *json, const char *key, uint64_t value) {
  begin(json, key);
  put_integer(json->out, 0, value);
}

void km_json_flag(km_json *json, const char *key, int value) {
  begin(json, key);
  fputs(value ? "true" : "false", json->out);
}

void km_json_number(km_json *json, const char *key, double value) {
  if (!isfinite(value)) {
    km_json_null(json, key);
    return;
  }
  begin(json, key);
  if (fabs(value) < 1e12 && value == trunc(value))
    put_integer(json->out, value < 0, (uint64_t)fabs(value)); /* as below, in a tenth of the time; no -0 */
  else
    fprintf(json->out, "%.12g", value);
}

void km_json_numbers(km_json *json, const char *key, const double *values, size_t n) {
  km_json_open(json, key, '[');
  for (size_t i = 0; i < n; i++)
    km_json_number(json, NULL, values[i]);
  km_json_close(json, ']');
}

void km_json_counts(km_json *json, const char *key, const uint64_t *values, size_t n) {
  km_json_open(json, key, '[');
  for (size_t i = 0; i < n; i++)
    km_json_count(json, NULL, values[i]);
  km_json_close(json, ']');
}
