/* options.c: the table-driven option parser. No getopt: the same rows serve argv, YAML, help and the echoed config. */
#include "kifumill/options.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

const char *km_choice_text(const char *choices, int i, int *n_bytes) {
  const char *p = choices;
  for (; i > 0 && p; i--)
    p = (p = strchr(p, '|')) ? p + 1 : NULL;
  if (!p) {
    *n_bytes = 0;
    return "";
  }
  *n_bytes = (int)strcspn(p, "|");
  return p;
}

static int find_choice(const char *choices, const char *text) {
  for (int i = 0;; i++) {
    int n;
    const char *p = km_choice_text(choices, i, &n);
    if (n == 0)
      return -1;
    if (strlen(text) == (size_t)n && memcmp(p, text, (size_t)n) == 0)
      return i;
  }
}

static const km_option *find_row(const km_option_table *tables, size_t n_tables, const char *name, size_t n) {
  for (size_t t = 0; t < n_tables; t++)
    for (size_t i = 0; i < tables[t].n_rows; i++)
      if (strlen(tables[t].rows[i].name) == n && memcmp(tables[t].rows[i].name, name, n) == 0)
        return &tables[t].rows[i];
  return NULL;
}

static const km_option *find_letter(const km_option_table *tables, size_t n_tables, char letter) {
  for (size_t t = 0; t < n_tables; t++)
    for (size_t i = 0; i < tables[t].n_rows; i++)
      if (tables[t].rows[i].letter == letter)
        return &tables[t].rows[i];
  return NULL;
}

static km_status bad_range(const km_option *row, const char *text, km_err *err) {
  return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.80s: out of range, takes %.15g to %.15g", row->name, text, row->min,
                    row->max);
}

static km_status bad_value(const km_option *row, const char *text, const char *wanted, km_err *err) {
  return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.80s: not %s", row->name, text, wanted);
}

static km_status set_flag(const km_option *row, int *field, const char *text, km_err *err) {
  bool yes = !text || strcmp(text, "true") == 0 || strcmp(text, "yes") == 0 || strcmp(text, "1") == 0;
  bool no = text && (strcmp(text, "false") == 0 || strcmp(text, "no") == 0 || strcmp(text, "0") == 0);
  if (!yes && !no)
    return bad_value(row, text, "true or false", err);
  *field = yes;
  return KM_OK;
}

static km_status set_number(const km_option *row, void *field, const char *text, km_err *err) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (row->kind == KM_OPTION_BYTES && end != text) {
    static const char suffixes[] = "KMGT";
    const char *suffix = *end ? strchr(suffixes, *end & ~0x20) : NULL;
    if (suffix) {
      value *= ldexp(1, (int)(10 * (suffix - suffixes + 1)));
      end++;
    }
  }
  if (end == text || *end || isnan(value))
    return bad_value(row, text, row->kind == KM_OPTION_BYTES ? "a size (such as 64M)" : "a number", err);
  if (row->kind != KM_OPTION_DOUBLE && value != floor(value))
    return bad_value(row, text, "a whole number", err);
  if (value < row->min || value > row->max)
    return bad_range(row, text, err);
  if (row->kind == KM_OPTION_INT)
    *(int *)field = (int)value;
  else if (row->kind == KM_OPTION_BYTES)
    *(uint64_t *)field = (uint64_t)value;
  else
    *(double *)field = value;
  return KM_OK;
}

static km_status set_uint64(const km_option *row, uint64_t *field, const char *text, km_err *err) {
  char *end;
  errno = 0;
  unsigned long long value = strtoull(text, &end, 0);
  if (end == text || *end || strchr(text, '-'))
    return bad_value(row, text, "a whole number from 0", err);
  if (errno == ERANGE)
    return bad_value(row, text, "below 2^64", err);
  *field = value;
  return KM_OK;
}

static km_status set_row(const km_option *row, void *options, const char *text, km_err *err) {
  void *field = (char *)options + row->offset;
  switch (row->kind) {
  case KM_OPTION_FLAG:
    return set_flag(row, field, text, err);
  case KM_OPTION_UINT64:
    return set_uint64(row, field, text, err);
  case KM_OPTION_STRING:
    *(const char **)field = text;
    return KM_OK;
  case KM_OPTION_CHOICE: {
    int i = find_choice(row->choices, text);
    if (i < 0)
      return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.80s: takes one of %s", row->name, text, row->choices);
    *(int *)field = i;
    return KM_OK;
  }
  default:
    return set_number(row, field, text, err);
  }
}

km_status km_option_set(const km_option_table *tables, size_t n_tables, void *options, const char *name,
                        const char *text, km_err *err) {
  const km_option *row = find_row(tables, n_tables, name, strlen(name));
  if (!row)
    return km_err_set(err, KM_ERR_USAGE, 0, "unknown option %.80s", name);
  return set_row(row, options, text, err);
}

/* One argument as an option: its row, and its value when it is written in the same argument. */
typedef struct word {
  const km_option *row;
  const char *value;
} word;

static bool is_option(const char *arg) { return arg[0] == '-' && arg[1] != 0; }

static word split_word(const km_option_table *tables, size_t n_tables, const char *arg) {
  if (arg[1] == '-') {
    size_t n = strcspn(arg + 2, "=");
    return (word){find_row(tables, n_tables, arg + 2, n), arg[2 + n] == '=' ? arg + 3 + n : NULL};
  }
  return (word){find_letter(tables, n_tables, arg[1]), arg[2] ? arg + 2 : NULL};
}

km_status km_options_parse(const km_option_table *tables, size_t n_tables, void *options, int argc, char **argv,
                           const char **inputs, size_t *n_inputs, km_err *err) {
  *n_inputs = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--") == 0) {
      while (++i < argc)
        inputs[(*n_inputs)++] = argv[i];
      break;
    }
    if (!is_option(argv[i])) {
      inputs[(*n_inputs)++] = argv[i];
      continue;
    }
    word w = split_word(tables, n_tables, argv[i]);
    if (!w.row)
      return km_err_set(err, KM_ERR_USAGE, 0, "unknown option %.80s (see --help)", argv[i]);
    if (w.row->kind == KM_OPTION_FLAG && w.value)
      return km_err_set(err, KM_ERR_USAGE, 0, "--%s takes no value", w.row->name);
    if (w.row->kind != KM_OPTION_FLAG && !w.value) {
      if (i + 1 == argc)
        return km_err_set(err, KM_ERR_USAGE, 0, "--%s needs a value", w.row->name);
      w.value = argv[++i];
    }
    km_status status = set_row(w.row, options, w.value, err);
    if (status != KM_OK)
      return status;
  }
  return KM_OK;
}

const char *km_options_peek(const km_option_table *tables, size_t n_tables, int argc, char **argv, const char *name) {
  const char *found = NULL;
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (!is_option(argv[i]))
      continue;
    word w = split_word(tables, n_tables, argv[i]);
    if (!w.row)
      continue;
    const char *value = w.row->kind == KM_OPTION_FLAG ? "true" : w.value ? w.value : i + 1 < argc ? argv[++i] : NULL;
    if (strcmp(w.row->name, name) == 0)
      found = value;
  }
  return found;
}

/* ---- values as text ------------------------------------------------------------------------------------------- */

static void print_bytes(uint64_t value, FILE *out) {
  static const char suffixes[] = "KMGT";
  int i = 0;
  while (i < 4 && value && value % 1024 == 0) {
    value /= 1024;
    i++;
  }
  fprintf(out, "%llu", (unsigned long long)value);
  if (i)
    fputc(suffixes[i - 1], out);
}

static void print_value(const km_option *row, const void *options, FILE *out) {
  const void *field = (const char *)options + row->offset;
  switch (row->kind) {
  case KM_OPTION_FLAG:
    fputs(*(const int *)field ? "true" : "false", out);
    break;
  case KM_OPTION_INT:
    fprintf(out, "%d", *(const int *)field);
    break;
  case KM_OPTION_UINT64:
    fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)field);
    break;
  case KM_OPTION_DOUBLE:
    fprintf(out, "%.15g", *(const double *)field);
    break;
  case KM_OPTION_BYTES:
    print_bytes(*(const uint64_t *)field, out);
    break;
  case KM_OPTION_STRING:
    fputs(*(const char *const *)field ? *(const char *const *)field : "", out);
    break;
  case KM_OPTION_CHOICE: {
    int n;
    const char *text = km_choice_text(row->choices, *(const int *)field, &n);
    fprintf(out, "%.*s", n, text);
    break;
  }
  }
}

static void help_row(const km_option *row, const void *options, FILE *out) {
  char left[160];
  const char *argument = row->kind == KM_OPTION_FLAG ? NULL : row->choices ? row->choices : row->metavar;
  char letter[8] = "    ";
  if (row->letter)
    snprintf(letter, sizeof letter, "-%c, ", row->letter);
  snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name, argument ? " " : "", argument ? argument : "");
  if (strlen(left) > 34)
    fprintf(out, "%s\n%-36s", left, "");
  else
    fprintf(out, "%-36s", left);
  fputs(row->doc, out);
  bool unset = row->kind == KM_OPTION_STRING && !*(const char *const *)((const char *)options + row->offset);
  if (row->kind != KM_OPTION_FLAG && !unset) {
    fputs(" [", out);
    print_value(row, options, out);
    fputc(']', out);
  }
  fputc('\n', out);
}

void km_options_help(const km_option_table *tables, size_t n_tables, const void *options, FILE *out) {
  for (size_t t = 0; t < n_tables; t++)
    for (size_t i = 0; i < tables[t].n_rows; i++)
      help_row(&tables[t].rows[i], options, out);
}

/* A YAML string that any reader takes as text: single quotes, doubled inside. */
static void print_quoted(const char *text, FILE *out) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'')
      fputc('\'', out);
    fputc(*text == '\n' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

void km_options_dump(const km_option_table *tables, size_t n_tables, const void *options, const char *indent, FILE *out) {
  for (size_t t = 0; t < n_tables; t++) {
    for (size_t i = 0; i < tables[t].n_rows; i++) {
      const km_option *row = &tables[t].rows[i];
      const char *const *text = (const char *const *)((const char *)options + row->offset);
      if (row->flags & (KM_OPTION_RUNTIME | KM_OPTION_COMMAND_LINE) || (row->kind == KM_OPTION_STRING && !*text))
        continue;
      fprintf(out, "%s%s: ", indent, row->name);
      if (row->kind == KM_OPTION_STRING)
        print_quoted(*text, out);
      else
        print_value(row, options, out);
      fputc('\n', out);
    }
  }
}
