/* opinions.c: a small CSV reader, and a sorted table with one row a name. */
#include "opinions.h"

#include "kifumill/archive_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a name's lines are, and which game has the name. */
typedef struct name_row {
  uint64_t key;
  size_t first, n;
  uint64_t game, n_games;
} name_row;

struct km_opinions {
  char *name;
  km_opinion *rows; /* by key, then ply; distinct */
  size_t n, room;
  name_row *names;
  size_t n_names;
  uint64_t n_read;
};

enum { SOURCE, ENTRY, PLY, WIN, SCORE, FIELDS };
static const char *const field_names[FIELDS] = {"source", "entry", "ply", "black_winrate", "black_score_lead"};

typedef struct csv {
  const char *path;
  char *at, *end;
  uint64_t line;
  int place[FIELDS]; /* number of the column, -1: not there */
} csv;

static uint64_t key_of(const char *source, size_t n_source, const char *entry, size_t n_entry) {
  for (size_t i = n_source; i-- > 0;)
    if (source[i] == '/') {
      source += i + 1;
      n_source -= i + 1;
      break;
    }
  km_hash128 a = km_hash_bytes(source, n_source), b = km_hash_bytes(entry, n_entry);
  return km_mix64(a.low ^ km_mix64(b.low));
}

/* Fields
 * ---------------------------------------------------------------------------------------------------------------- */

typedef struct field {
  char *text;
  size_t n;
} field;

/* Takes the field at csv->at, unquoted in place, and what ends it: ',' or '\n'. */
static km_status take_field(csv *c, field *f, int *is_last, km_err *err) {
  char *to = c->at;
  f->text = to;
  if (c->at < c->end && *c->at == '"') {
    for (c->at++;; c->at++) {
      if (c->at == c->end)
        return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s:%llu: a quote is not closed", c->path, (unsigned long long)c->line);
      if (*c->at == '"' && (c->at + 1 == c->end || c->at[1] != '"'))
        break;
      c->at += *c->at == '"';
      *to++ = *c->at;
    }
    c->at++;
  } else {
    while (c->at < c->end && *c->at != ',' && *c->at != '\n')
      *to++ = *c->at++;
    to -= to > f->text && to[-1] == '\r';
  }
  f->n = (size_t)(to - f->text);
  if (c->at < c->end && *c->at == '\r')
    c->at++;
  if (c->at < c->end && *c->at != ',' && *c->at != '\n')
    return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s:%llu: text behind a closing quote", c->path, (unsigned long long)c->line);
  *is_last = c->at == c->end || *c->at == '\n';
  c->at += c->at < c->end;
  return KM_OK;
}

static km_status read_header(csv *c, km_err *err) {
  int is_last = 0;
  for (int k = 0; k < FIELDS; k++)
    c->place[k] = -1;
  for (int column = 0; !is_last; column++) {
    field f = {NULL, 0};
    km_status status = take_field(c, &f, &is_last, err);
    if (status != KM_OK)
      return status;
    for (int k = 0; k < FIELDS; k++)
      if (f.n == strlen(field_names[k]) && memcmp(f.text, field_names[k], f.n) == 0)
        c->place[k] = column;
  }
  c->line++;
  if (c->place[SOURCE] >= 0 && c->place[ENTRY] >= 0 && c->place[PLY] >= 0 && (c->place[WIN] >= 0 || c->place[SCORE] >= 0))
    return KM_OK;
  return km_err_set(err, KM_ERR_FORMAT, 0,
                    "%.200s: the first line must name the columns source, entry, ply, and black_winrate or black_score_lead",
                    c->path);
}

/* An empty field, or one that the file does not have, is NaN. */
static int read_number(const field *f, double least, double most, double *value) {
  char text[64], *end;
  *value = NAN;
  if (f->n == 0)
    return 1;
  if (f->n >= sizeof text)
    return 0;
  memcpy(text, f->text, f->n);
  text[f->n] = 0;
  *value = strtod(text, &end);
  return end != text && *end == 0 && *value >= least && *value <= most;
}

static km_status bad_field(const csv *c, int k, const field *f, km_err *err) {
  return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s:%llu: %s \"%.*s\" is no number that it can be", c->path,
                    (unsigned long long)c->line, field_names[k], (int)(f->n < 40 ? f->n : 40), f->text);
}

static km_status read_line(csv *c, km_opinion *row, km_err *err) {
  field fields[FIELDS] = {0};
  int is_last = 0;
  for (int column = 0; !is_last; column++) {
    field f = {NULL, 0};
    km_status status = take_field(c, &f, &is_last, err);
    if (status != KM_OK)
      return status;
    for (int k = 0; k < FIELDS; k++)
      if (c->place[k] == column)
        fields[k] = f;
  }
  if (!fields[ENTRY].text || !fields[SOURCE].text || !fields[PLY].text)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s:%llu: fewer fields than the header names", c->path,
                      (unsigned long long)c->line);
  double ply, win, score;
  if (!read_number(&fields[PLY], 0, UINT32_MAX - 1, &ply) || isnan(ply) || ply != floor(ply))
    return bad_field(c, PLY, &fields[PLY], err);
  if (!read_number(&fields[WIN], 0, 1, &win))
    return bad_field(c, WIN, &fields[WIN], err);
  if (!read_number(&fields[SCORE], -1e6, 1e6, &score))
    return bad_field(c, SCORE, &fields[SCORE], err);
  *row = (km_opinion){key_of(fields[SOURCE].text, fields[SOURCE].n, fields[ENTRY].text, fields[ENTRY].n), (uint32_t)ply,
                      (float)win, (float)score};
  return KM_OK;
}

static km_status read_rows(km_opinions *opinions, csv *c, km_err *err) {
  km_status status = read_header(c, err);
  while (status == KM_OK && c->at < c->end) {
    c->line++;
    if (*c->at == '\n' || (*c->at == '\r' && c->at + 1 < c->end && c->at[1] == '\n')) {
      c->at += *c->at == '\r' ? 2 : 1;
      continue;
    }
    if (opinions->n == opinions->room) {
      size_t room = opinions->room ? 2 * opinions->room : 4096;
      km_opinion *more = realloc(opinions->rows, room * sizeof *more);
      if (!more)
        return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu lines of %.200s", room, c->path);
      opinions->rows = more;
      opinions->room = room;
    }
    status = read_line(c, &opinions->rows[opinions->n], err);
    opinions->n += status == KM_OK;
  }
  opinions->n_read = opinions->n;
  return status;
}

/* The table
 * ---------------------------------------------------------------------------------------------------------------- */

/* A merge sort keeps the file's order among equals: of a ply said twice, the first counts. */
static int comes_before(const km_opinion *a, const km_opinion *b) {
  return a->key != b->key ? a->key < b->key : a->ply < b->ply;
}
static void merge_sort(km_opinion *rows, km_opinion *scratch, size_t n) {
  if (n < 2)
    return;
  size_t half = n / 2, a = 0, b = half, to = 0;
  merge_sort(rows, scratch, half);
  merge_sort(rows + half, scratch, n - half);
  if (!comes_before(&rows[half], &rows[half - 1]))
    return;
  memcpy(scratch, rows, n * sizeof *rows);
  while (to < n)
    rows[to++] = b < n && (a == half || comes_before(&scratch[b], &scratch[a])) ? scratch[b++] : scratch[a++];
}

static km_status sort_rows(km_opinions *o, km_err *err) {
  km_opinion *scratch = malloc((o->n ? o->n : 1) * sizeof *scratch);
  if (!scratch)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory to sort %zu win-rates", o->n);
  merge_sort(o->rows, scratch, o->n);
  free(scratch);
  size_t kept = 0, names = 0;
  for (size_t i = 0; i < o->n; i++) {
    if (kept && !comes_before(&o->rows[kept - 1], &o->rows[i]))
      continue;
    names += kept == 0 || o->rows[kept - 1].key != o->rows[i].key;
    o->rows[kept++] = o->rows[i];
  }
  o->n = kept;
  o->names = calloc(names ? names : 1, sizeof *o->names);
  if (!o->names)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu names", names);
  for (size_t i = 0; i < kept; i++) {
    if (i == 0 || o->rows[i - 1].key != o->rows[i].key)
      o->names[o->n_names++] = (name_row){.key = o->rows[i].key, .first = i};
    o->names[o->n_names - 1].n++;
  }
  return KM_OK;
}

static name_row *find_name(const km_opinions *o, uint64_t key) {
  size_t low = 0, high = o->n_names;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (o->names[middle].key < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low < o->n_names && o->names[low].key == key ? &o->names[low] : NULL;
}

void km_opinions_meet(km_opinions *opinions, uint64_t i, km_text source, km_text entry) {
  name_row *name = find_name(opinions, key_of(source.bytes, source.n_bytes, entry.bytes, entry.n_bytes));
  if (!name)
    return;
  name->game = i;
  name->n_games++;
}

void km_opinions_unmet(const km_opinions *opinions, uint64_t *n_no_game, uint64_t *n_ambiguous) {
  *n_no_game = *n_ambiguous = 0;
  for (size_t i = 0; i < opinions->n_names; i++) {
    const name_row *name = &opinions->names[i];
    *n_no_game += name->n_games == 0 ? name->n : 0;
    *n_ambiguous += name->n_games > 1 ? name->n : 0;
  }
}

const km_opinion *km_opinions_of(const km_opinions *opinions, uint64_t i, km_text source, km_text entry, size_t *n) {
  const name_row *name = find_name(opinions, key_of(source.bytes, source.n_bytes, entry.bytes, entry.n_bytes));
  *n = name && name->game == i && name->n_games == 1 ? name->n : 0;
  return *n ? opinions->rows + name->first : NULL;
}

const char *km_opinions_name(const km_opinions *opinions) { return opinions->name; }
uint64_t km_opinions_rows(const km_opinions *opinions) { return opinions->n_read; }
uint64_t km_opinions_duplicates(const km_opinions *opinions) { return opinions->n_read - opinions->n; }

/* Loading
 * ---------------------------------------------------------------------------------------------------------------- */

/* The archive reader unpacks gzip and its like; a plain file is one entry too. */
static km_status read_entry(km_opinions *opinions, const km_entry *entry, const char *path, km_err *err) {
  char *copy = malloc(entry->n_bytes + 1);
  if (!copy)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %.200s", path);
  memcpy(copy, entry->bytes, entry->n_bytes);
  size_t bom = entry->n_bytes >= 3 && memcmp(copy, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  csv c = {.path = path, .at = copy + bom, .end = copy + entry->n_bytes};
  km_status status = read_rows(opinions, &c, err);
  free(copy);
  return status;
}

static km_status read_file(km_opinions *opinions, const km_inputs *inputs, const char *path, km_err *err) {
  km_archive_reader *reader = NULL;
  km_entry entry;
  int n_entries = 0;
  km_status status = km_archive_open(&reader, inputs, 0, err);
  while (status == KM_OK && (status = km_archive_next(reader, &entry, err)) == KM_OK) {
    if (entry.n_findings)
      status = km_err_set(err, KM_ERR_FORMAT, 0, "%.200s: %s", path, km_reason_doc(entry.findings[0].reason));
    else if (n_entries++)
      status = km_err_set(err, KM_ERR_FORMAT, 0, "%.200s holds several files: one CSV file is wanted", path);
    else
      status = read_entry(opinions, &entry, path, err);
  }
  km_archive_close(reader);
  if (status == KM_END)
    status = n_entries ? KM_OK : km_err_set(err, KM_ERR_FORMAT, 0, "%.200s is empty", path);
  return status;
}

km_status km_opinions_load(km_opinions **opinions, const char *path, km_err *err) {
  *opinions = NULL;
  km_inputs *inputs = NULL;
  km_opinions *o = calloc(1, sizeof *o);
  const char *slash = strrchr(path, '/');
  if (!o || !(o->name = strdup(slash ? slash + 1 : path))) {
    free(o);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %.200s", path);
  }
  km_status status = km_inputs_open(&inputs, &path, 1, NULL, err);
  if (status == KM_OK && km_inputs_count(inputs) != 1)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%.200s: one CSV file is wanted", path);
  if (status == KM_OK)
    status = read_file(o, inputs, path, err);
  if (status == KM_OK)
    status = sort_rows(o, err);
  km_inputs_free(inputs);
  if (status == KM_OK)
    *opinions = o;
  else
    km_opinions_free(o);
  return status;
}

void km_opinions_free(km_opinions *opinions) {
  if (!opinions)
    return;
  free(opinions->name);
  free(opinions->rows);
  free(opinions->names);
  free(opinions);
}
