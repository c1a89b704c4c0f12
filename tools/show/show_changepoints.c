/* show_changepoints.c: `kifu-show changepoints`: where a series of numbers changes. */
#include "show.h"
#include "show_json.h"

#include "kifumill/changepoint.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct numbers {
  double *y;
  size_t n, room;
} numbers;

static km_status add_number(numbers *series, double y, km_err *err) {
  if (series->n == series->room) {
    size_t room = series->room ? 2 * series->room : 1024;
    double *larger = realloc(series->y, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    series->y = larger;
    series->room = room;
  }
  series->y[series->n++] = y;
  return KM_OK;
}

/* The number that a line is; *is_blank when it is none and may be. Anything but a finite decimal number is
 * refused. */
static km_status read_line(char *line, double *y, int *is_blank, km_err *err) {
  static const char blank[] = " \t\r\n\v\f";
  char *begin = line + strspn(line, blank), *end;
  size_t n = strlen(begin);
  while (n && strchr(blank, begin[n - 1]))
    n--;
  begin[n] = 0;
  *is_blank = *begin == 0 || *begin == '#';
  if (*is_blank)
    return KM_OK;
  *y = strtod(begin, &end);
  if (end == begin || *end)
    return km_err_set(err, KM_ERR_FORMAT, 0, "\"%.40s\" is not one number", begin);
  if (!isfinite(*y))
    return km_err_set(err, KM_ERR_FORMAT, 0, "\"%.40s\" is not a finite number", begin);
  return KM_OK;
}

static km_status read_lines(numbers *series, FILE *file, const char *name, km_err *err) {
  char *line = NULL;
  size_t room = 0;
  km_status status = KM_OK;
  ssize_t n;
  for (uint64_t number = 1; !status && (n = getline(&line, &room, file)) >= 0; number++) {
    double y;
    int is_blank;
    if (strlen(line) != (size_t)n)
      status = km_err_set(err, KM_ERR_FORMAT, 0, "a NUL byte");
    else
      status = read_line(number == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0 ? line + 3 : line, &y,
                         &is_blank, err);
    if (!status && !is_blank)
      status = add_number(series, y, err);
    if (status)
      km_err_prefix(err, "%.150s line %llu", name, (unsigned long long)number);
  }
  if (!status && ferror(file))
    status = km_err_set(err, KM_ERR_IO, errno, "cannot read %.200s", name);
  free(line);
  return status;
}

static km_status read_series(numbers *series, const char *path, km_err *err) {
  int is_stdin = strcmp(path, "-") == 0;
  FILE *file = is_stdin ? stdin : fopen(path, "r");
  if (!file)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %.200s", path);
  km_status status = read_lines(series, file, is_stdin ? "standard input" : path, err);
  if (!is_stdin)
    fclose(file);
  return status;
}

static km_status read_count(const char *name, const char *text, unsigned long long max,
                            unsigned long long *count, km_err *err) {
  char *end;
  errno = 0;
  *count = strtoull(text, &end, 10);
  if (!*text || text[strspn(text, "0123456789")] || *end || errno || *count > max)
    return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.80s: not a whole number from 0 to %llu", name, text, max);
  return KM_OK;
}

static km_status read_penalty(const char *text, km_changepoint_options *how, km_err *err) {
  char *end;
  if (km_changepoint_penalty_parse(text, &how->penalty) && how->penalty != KM_PENALTY_VALUE)
    return KM_OK;
  how->penalty = KM_PENALTY_VALUE;
  how->beta = strtod(text, &end);
  if (end == text || *end || !isfinite(how->beta) || how->beta < 0)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--penalty %.80s: not bic, mbic, aic, hannan-quinn, or a number from 0", text);
  return KM_OK;
}

static km_status read_how(const show_options *options, km_changepoint_options *how, km_err *err) {
  unsigned long long count;
  *how = km_changepoint_defaults();
  how->cost = (km_changepoint_cost)options->cost;
  how->search = (km_changepoint_search)options->search;
  how->noise = (km_changepoint_noise)options->noise;
  km_status status = read_penalty(options->penalty, how, err);
  if (!status && options->min_size_text) {
    status = read_count("min-size", options->min_size_text, KM_CHANGEPOINT_MAX, &count, err);
    how->min_size = status ? 0 : (size_t)count;
  }
  if (!status && options->changes_text) {
    status = read_count("changes", options->changes_text, KM_CHANGEPOINT_MAX, &count, err);
    how->n_changes = status ? -1 : (int)count;
  }
  return status;
}

static void print_json(const km_changepoints *found, const km_changepoint_options *how, size_t n, FILE *out) {
  show_json json;
  show_json_begin(&json, out);
  show_json_uint(&json, "n", n);
  show_json_array(&json, "breakpoints");
  for (size_t i = 0; i < found->n_breaks; i++)
    show_json_uint(&json, NULL, found->breaks[i]);
  show_json_close(&json);
  show_json_double(&json, "cost", found->cost);
  show_json_double(&json, "total", found->total);
  show_json_text(&json, "model", km_changepoint_cost_name(how->cost));
  show_json_text(&json, "search", km_changepoint_search_name(how->search));
  show_json_text(&json, "penalty", how->n_changes >= 0 ? NULL : km_changepoint_penalty_name(how->penalty));
  show_json_double(&json, "beta", found->beta);
  show_json_double(&json, "sigma2", found->sigma2);
  show_json_end(&json);
}

static km_status find(const numbers *series, const km_changepoint_options *how, show_session *session,
                      km_err *err) {
  km_changepoints found;
  km_changepoint *workspace = km_changepoint_new();
  if (!workspace)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_changepoint_find(workspace, &(km_series){series->y, series->n, 1}, how, &found, err);
  if (!status && !found.found)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%d changes do not fit a series of %zu values", how->n_changes,
                        series->n);
  if (!status && session->options->format == SHOW_JSON)
    print_json(&found, how, series->n, session->out);
  else if (!status)
    for (size_t i = 0; i < found.n_breaks; i++)
      fprintf(session->out, "%u\n", found.breaks[i]);
  km_changepoint_free(workspace);
  return status;
}

km_status show_changepoints(show_session *session, km_err *err) {
  km_changepoint_options how;
  numbers series = {0};
  km_status status = read_how(session->options, &how, err);
  if (!status)
    status = read_series(&series, session->options->input, err);
  if (!status)
    status = find(&series, &how, session, err);
  free(series.y);
  return status;
}
