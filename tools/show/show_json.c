/* show_json.c: see show_json.h. */
#include "show_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void quoted(FILE *out, const char *bytes, size_t n) {
  fputc('"', out);
  for (size_t i = 0; i < n; i++) {
    unsigned char c = (unsigned char)bytes[i];
    if (c == '"' || c == '\\')
      fprintf(out, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      fprintf(out, "\\u%04x", c);
    else
      fputc(c, out);
  }
  fputc('"', out);
}

static void new_line(show_json *json) {
  fprintf(json->out, "\n%*s", (int)json->depth, "");
}

/* What stands before a value; container: the value is an object or an array. */
static void before(show_json *json, const char *key, int container) {
  unsigned top = json->depth - 1;
  int own_line = !json->level[top].is_inline && (!json->level[top].is_array || container);
  if (json->level[top].used)
    fputs(own_line ? "," : ", ", json->out);
  if (own_line)
    new_line(json);
  json->level[top].used = 1;
  json->level[top].n_lines |= (uint8_t)own_line;
  if (key) {
    quoted(json->out, key, strlen(key));
    fputs(": ", json->out);
  }
}

static void open_level(show_json *json, int is_array) {
  int inside =
      json->depth > 0 && (json->level[json->depth - 1].is_array || json->level[json->depth - 1].is_inline);
  fputc(is_array ? '[' : '{', json->out);
  json->level[json->depth].is_array = (uint8_t)is_array;
  json->level[json->depth].is_inline = (uint8_t)inside;
  json->level[json->depth].used = json->level[json->depth].n_lines = 0;
  json->depth++;
}

void show_json_begin(show_json *json, FILE *out) {
  *json = (show_json){.out = out};
  open_level(json, 0);
}

void show_json_close(show_json *json) {
  unsigned top = --json->depth;
  if (json->level[top].n_lines)
    new_line(json);
  fputc(json->level[top].is_array ? ']' : '}', json->out);
}

void show_json_end(show_json *json) {
  show_json_close(json);
  fputc('\n', json->out);
}

void show_json_object(show_json *json, const char *key) {
  before(json, key, 1);
  open_level(json, 0);
}

void show_json_array(show_json *json, const char *key) {
  before(json, key, 1);
  open_level(json, 1);
}

void show_json_bytes(show_json *json, const char *key, const char *bytes, size_t n) {
  before(json, key, 0);
  quoted(json->out, bytes, n);
}

void show_json_text(show_json *json, const char *key, const char *text) {
  if (text)
    show_json_bytes(json, key, text, strlen(text));
  else
    show_json_null(json, key);
}

void show_json_int(show_json *json, const char *key, int64_t number) {
  before(json, key, 0);
  fprintf(json->out, "%" PRId64, number);
}

void show_json_uint(show_json *json, const char *key, uint64_t number) {
  before(json, key, 0);
  fprintf(json->out, "%" PRIu64, number);
}

void show_json_double(show_json *json, const char *key, double number) {
  before(json, key, 0);
  if (isfinite(number))
    fprintf(json->out, "%.17g", number);
  else
    fputs("null", json->out);
}

void show_json_float(show_json *json, const char *key, float number) {
  char text[SHOW_FLOAT_MAX];
  before(json, key, 0);
  fputs(isfinite(number) ? show_float_text(number, text) : "null", json->out);
}

const char *show_float_text(float number, char text[SHOW_FLOAT_MAX]) {
  for (int digits = 6; digits <= 9; digits++) {
    snprintf(text, SHOW_FLOAT_MAX, "%.*g", digits, (double)number);
    if (strtof(text, NULL) == number)
      break;
  }
  return text;
}

void show_json_bool(show_json *json, const char *key, int truth) {
  before(json, key, 0);
  fputs(truth ? "true" : "false", json->out);
}

void show_json_null(show_json *json, const char *key) {
  before(json, key, 0);
  fputs("null", json->out);
}
