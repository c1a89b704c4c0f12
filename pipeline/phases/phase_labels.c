/* phase_labels.c: the CSV, read at once, sorted by a hash of the game and by ply. */
#include "phase_labels.h"

#include "kifumill/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_SOURCE = 0, COLUMN_ENTRY, COLUMN_GAME, COLUMN_PLY, COLUMNS };
static const char *const column_names[COLUMNS] = {"source", "entry", "game", "ply"};
static const size_t bytes_max = (size_t)1 << 30;

typedef struct label {
  km_hash128 game;
  uint32_t ply;
} label;

struct km_labels {
  label *labels;
  uint32_t *plies; /* of labels, in their order */
  size_t n, room;
};

/* Reading: the text is cut up in place. */
typedef struct reader {
  const char *path;
  char *at, *end;
  size_t line;
  int columns[COLUMNS]; /* number of the field; -1: not there */
} reader;

static km_hash128 hash_game(km_text source, km_text entry, uint32_t game) {
  km_hash128 of_source = km_hash_bytes(source.bytes ? source.bytes : "", source.bytes ? source.n_bytes : 0);
  km_hash128 of_entry = km_hash_bytes(entry.bytes ? entry.bytes : "", entry.bytes ? entry.n_bytes : 0);
  uint64_t words[] = {of_source.low, of_source.high, of_entry.low, of_entry.high, game};
  return km_hash_bytes(words, sizeof words);
}

/* The next field, unquoted in place; *last: it ends the line. */
static km_status next_field(reader *r, km_text *field, int *last, km_err *err) {
  char *from = r->at, *to = r->at, *start = r->at;
  if (from < r->end && *from == '"') {
    start = to = ++from;
    for (;; from++) {
      if (from == r->end)
        return km_err_set(err, KM_ERR_FORMAT, 0, "%s: line %zu: a quote is not closed", r->path, r->line);
      if (*from == '"' && !(from + 1 < r->end && *++from == '"'))
        break;
      r->line += *from == '\n';
      *to++ = *from;
    }
    from += from < r->end && *from == '"';
  } else {
    while (from < r->end && *from != ',' && *from != '\n')
      from++;
    to = from;
    if (to > start && to[-1] == '\r')
      to--;
  }
  if (from < r->end && *from == '\r')
    from++;
  if (from < r->end && *from != ',' && *from != '\n')
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: line %zu: text behind a quoted field", r->path, r->line);
  *field = (km_text){start, (uint32_t)(to - start)};
  *last = from == r->end || *from == '\n';
  r->at = from + (from < r->end);
  return KM_OK;
}

static km_status read_header(reader *r, km_err *err) {
  int last = 0;
  for (int i = 0; i < COLUMNS; i++)
    r->columns[i] = -1;
  for (int number = 0; !last; number++) {
    km_text field;
    km_status status = next_field(r, &field, &last, err);
    if (status != KM_OK)
      return status;
    for (int i = 0; i < COLUMNS; i++)
      if (strlen(column_names[i]) == field.n_bytes && !memcmp(column_names[i], field.bytes, field.n_bytes))
        r->columns[i] = number;
  }
  for (int i = 0; i < COLUMNS; i++)
    if (r->columns[i] < 0 && i != COLUMN_GAME)
      return km_err_set(err, KM_ERR_FORMAT, 0, "%s: line 1 names no column %s", r->path, column_names[i]);
  return KM_OK;
}

/* A whole number to most; empty is the fallback. */
static int parse_count(km_text text, uint32_t fallback, uint32_t *value) {
  uint64_t v = 0;
  for (uint32_t i = 0; i < text.n_bytes; i++) {
    if (text.bytes[i] < '0' || text.bytes[i] > '9' ||
        (v = v * 10 + (uint64_t)(text.bytes[i] - '0')) > UINT32_MAX)
      return 0;
  }
  *value = text.n_bytes ? (uint32_t)v : fallback;
  return *value > 0;
}

static km_status add_label(km_labels *labels, const reader *r, const km_text fields[COLUMNS], km_err *err) {
  uint32_t game, ply;
  if (!parse_count(fields[COLUMN_PLY], 0, &ply) || !parse_count(fields[COLUMN_GAME], 1, &game))
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: line %zu: %s is no whole number from 1 on", r->path,
                      r->line, parse_count(fields[COLUMN_PLY], 0, &ply) ? "game" : "ply");
  if (labels->n == labels->room) {
    size_t room = labels->room ? 2 * labels->room : 1024;
    label *larger = realloc(labels->labels, room * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu labels", room);
    labels->labels = larger;
    labels->room = room;
  }
  labels->labels[labels->n++] = (label){hash_game(fields[COLUMN_SOURCE], fields[COLUMN_ENTRY], game), ply};
  return KM_OK;
}

static km_status read_line(km_labels *labels, reader *r, km_err *err) {
  km_text fields[COLUMNS] = {{NULL, 0}};
  km_text field = {NULL, 0};
  int last = 0, number = 0;
  r->line++;
  for (; !last; number++) {
    km_status status = next_field(r, &field, &last, err);
    if (status != KM_OK)
      return status;
    for (int i = 0; i < COLUMNS; i++)
      if (r->columns[i] == number)
        fields[i] = field;
  }
  int is_empty = number == 1 && field.n_bytes == 0;
  return is_empty ? KM_OK : add_label(labels, r, fields, err);
}

static int compare_labels(const void *left, const void *right) {
  const label *a = left, *b = right;
  int order = km_hash128_compare(a->game, b->game);
  return order ? order : a->ply < b->ply ? -1 : a->ply > b->ply;
}

static km_status sort_labels(km_labels *labels, km_err *err) {
  if (labels->n)
    qsort(labels->labels, labels->n, sizeof *labels->labels, compare_labels);
  size_t n = 0;
  for (size_t i = 0; i < labels->n; i++)
    if (n == 0 || compare_labels(&labels->labels[n - 1], &labels->labels[i]))
      labels->labels[n++] = labels->labels[i];
  labels->n = n;
  labels->plies = malloc((n + 1) * sizeof *labels->plies);
  if (!labels->plies)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu labels", n);
  for (size_t i = 0; i < n; i++)
    labels->plies[i] = labels->labels[i].ply;
  return KM_OK;
}

/* The file's bytes, malloc'ed. */
static km_status load(const char *path, char **text, size_t *n_bytes, km_err *err) {
  size_t room = 1 << 16;
  FILE *in = fopen(path, "rb");
  *text = NULL;
  *n_bytes = 0;
  if (!in)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %.200s", path);
  km_status status = KM_OK;
  do {
    char *larger = realloc(*text, room *= 2);
    if (!larger || room > bytes_max) {
      *text = larger ? larger : *text;
      status = km_err_set(err, larger ? KM_ERR_LIMIT : KM_ERR_NOMEM, 0, "%.200s: more labels than fit memory",
                          path);
      break;
    }
    *text = larger;
    *n_bytes += fread(*text + *n_bytes, 1, room - *n_bytes, in);
  } while (*n_bytes == room);
  if (status == KM_OK && ferror(in))
    status = km_err_set(err, KM_ERR_IO, errno, "cannot read %.200s", path);
  fclose(in);
  return status;
}

km_status km_labels_read(km_labels **out, const char *path, km_err *err) {
  char *text = NULL;
  size_t n_bytes = 0;
  km_labels *labels = calloc(1, sizeof *labels);
  *out = NULL;
  km_status status = labels ? load(path, &text, &n_bytes, err)
                            : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for labels");
  reader r = {.path = path, .at = text, .end = text + n_bytes, .line = 1};
  if (status == KM_OK && n_bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
    r.at += 3;
  if (status == KM_OK)
    status = read_header(&r, err);
  while (status == KM_OK && r.at < r.end)
    status = read_line(labels, &r, err);
  if (status == KM_OK)
    status = sort_labels(labels, err);
  free(text);
  if (status != KM_OK) {
    km_labels_free(labels);
    return status;
  }
  *out = labels;
  return KM_OK;
}

void km_labels_free(km_labels *labels) {
  if (!labels)
    return;
  free(labels->labels);
  free(labels->plies);
  free(labels);
}

size_t km_labels_n(const km_labels *labels) {
  return labels->n;
}

km_breaks km_labels_of(const km_labels *labels, km_text source, km_text entry, uint32_t game) {
  km_hash128 hash = hash_game(source, entry, game);
  size_t low = 0, high = labels->n;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (km_hash128_compare(labels->labels[middle].game, hash) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  size_t n = 0;
  while (low + n < labels->n && km_hash128_equal(labels->labels[low + n].game, hash))
    n++;
  return (km_breaks){labels->plies + low, n};
}
