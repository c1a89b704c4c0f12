/* show_json.h: JSON written as a stream, in the order of the calls. Members of objects stand on lines of
 * their own, elements of arrays side by side; what is inside an array is not spread over lines again. Strings
 * are UTF-8. Errors are those of the FILE. */
#ifndef KIFUMILL_SHOW_JSON_H
#define KIFUMILL_SHOW_JSON_H

#include <stdint.h>
#include <stdio.h>

enum { SHOW_JSON_DEPTH = 16 };

typedef struct show_json {
  FILE *out;
  unsigned depth;
  struct {
    uint8_t is_array, is_inline, n_lines, used; /* n_lines: an element stands on a line of its own */
  } level[SHOW_JSON_DEPTH];
} show_json;

/* The whole document is one object. */
void show_json_begin(show_json *json, FILE *out);
void show_json_end(show_json *json); /* and a newline */

/* key: in objects the member's name, in arrays NULL. */
void show_json_object(show_json *json, const char *key);
void show_json_array(show_json *json, const char *key);
void show_json_close(show_json *json);                                   /* the innermost object or array */
void show_json_text(show_json *json, const char *key, const char *text); /* NULL: null */
void show_json_bytes(show_json *json, const char *key, const char *bytes, size_t n);
void show_json_int(show_json *json, const char *key, int64_t number);
void show_json_uint(show_json *json, const char *key, uint64_t number);
void show_json_double(show_json *json, const char *key, double number); /* not finite: null */
void show_json_float(show_json *json, const char *key, float number);
void show_json_bool(show_json *json, const char *key, int truth);
void show_json_null(show_json *json, const char *key);

/* The shortest of 6 to 9 digits that give the float back; returns text. */
enum { SHOW_FLOAT_MAX = 24 };
const char *show_float_text(float number, char text[SHOW_FLOAT_MAX]);

#endif
