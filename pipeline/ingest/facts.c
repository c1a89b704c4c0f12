/* facts.c: one small row a game, tabulated at the end. Texts (source, encoding) are numbered. */
#include "facts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct fact {
  float komi;
  uint32_t n_moves, source;
  int16_t year;
  uint16_t encoding;
  uint8_t rows, cols, handicap, ending, dropped, has_evals;
  int8_t winner;
  km_rank ranks[2];
} fact;

/* Distinct texts in the order in which they came. */
typedef struct text_list {
  char **texts;
  uint32_t n, last; /* last: the one found last, since neighbours share it */
} text_list;

struct km_facts {
  fact *rows;
  size_t n, capacity;
  text_list sources, encodings;
};

enum { SOURCES_MAX = 10000 }; /* beyond it sources are counted as "others" */

km_facts *km_facts_new(void) { return calloc(1, sizeof(km_facts)); }

static void free_texts(text_list *list) {
  for (uint32_t i = 0; i < list->n; i++)
    free(list->texts[i]);
  free(list->texts);
}

void km_facts_free(km_facts *facts) {
  if (!facts)
    return;
  free_texts(&facts->sources);
  free_texts(&facts->encodings);
  free(facts->rows);
  free(facts);
}

static km_status number_text(text_list *list, km_text text, uint32_t *number, km_err *err) {
  const char *bytes = text.bytes ? text.bytes : "";
  uint32_t n = text.bytes ? text.n_bytes : 0;
  for (uint32_t i = 0; i < list->n; i++) {
    uint32_t k = (list->last + i) % list->n;
    if (strlen(list->texts[k]) == n && memcmp(list->texts[k], bytes, n) == 0) {
      *number = list->last = k;
      return KM_OK;
    }
  }
  if (list->n == SOURCES_MAX) {
    *number = SOURCES_MAX;
    return KM_OK;
  }
  if ((list->n & (list->n - 1)) == 0) {
    char **larger = realloc(list->texts, (list->n ? 2 * (size_t)list->n : 1) * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary");
    list->texts = larger;
  }
  if (!(list->texts[list->n] = strndup(bytes, n)))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary");
  *number = list->last = list->n++;
  return KM_OK;
}

km_status km_facts_add(km_facts *facts, const km_game *game, km_err *err) {
  if (facts->n == facts->capacity) {
    size_t capacity = facts->capacity ? 2 * facts->capacity : 1024;
    fact *larger = realloc(facts->rows, capacity * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary of %zu games", facts->n);
    facts->rows = larger;
    facts->capacity = capacity;
  }
  uint32_t source, encoding;
  km_status status = number_text(&facts->sources, game->text[KM_TEXT_SOURCE], &source, err);
  if (status == KM_OK)
    status = number_text(&facts->encodings, game->text[KM_TEXT_ENCODING], &encoding, err);
  if (status != KM_OK)
    return status;
  facts->rows[facts->n++] = (fact){.komi = game->komi,
                                   .n_moves = game->n_moves,
                                   .source = source,
                                   .encoding = (uint16_t)encoding,
                                   .year = game->date.precision ? game->date.year : 0,
                                   .rows = game->rows,
                                   .cols = game->cols,
                                   .handicap = game->handicap,
                                   .ending = game->ending,
                                   .winner = game->winner,
                                   .has_evals = game->n_evals > 0,
                                   .ranks = {game->black_rank, game->white_rank}};
  return KM_OK;
}

void km_facts_drop(km_facts *facts, uint64_t index) { facts->rows[index].dropped = 1; }

uint64_t km_facts_n_games(const km_facts *facts) {
  uint64_t n = 0;
  for (size_t i = 0; i < facts->n; i++)
    n += !facts->rows[i].dropped;
  return n;
}

uint64_t km_facts_n_moves(const km_facts *facts) {
  uint64_t n = 0;
  for (size_t i = 0; i < facts->n; i++)
    n += facts->rows[i].dropped ? 0 : facts->rows[i].n_moves;
  return n;
}

static uint64_t count_kind(const km_facts_totals *totals, km_reason_kind kind) {
  uint64_t n = 0;
  for (int r = 1; r < KM_REASON_COUNT; r++)
    n += km_reason_kind_of((km_reason)r) == kind ? totals->ledger->counts[r] : 0;
  return n;
}

uint64_t km_facts_n_refused(const km_facts_totals *totals) { return count_kind(totals, KM_KIND_REFUSED); }
uint64_t km_facts_n_faults(const km_facts_totals *totals) { return count_kind(totals, KM_KIND_INPUT); }

/* ---- tables: games are counted by the number of their bin, and each bin is named once -------------------------- */

typedef uint32_t number_bin(const fact *row);
typedef void name_bin(const km_facts *facts, const fact *row, char text[256]);

static uint32_t size_number(const fact *row) { return (uint32_t)row->cols << 8 | row->rows; }
static void size_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  snprintf(text, 256, "%ux%u", row->cols, row->rows);
}
static uint32_t rank_number(km_rank rank) { return (uint32_t)(uint8_t)rank.number << 8 | (uint8_t)rank.kind; }
static void rank_text(km_rank rank, char text[256]) {
  if (rank.kind)
    snprintf(text, 256, "%d%c", rank.number, rank.kind);
  else
    snprintf(text, 256, "unknown");
}
static uint32_t black_rank_number(const fact *row) { return rank_number(row->ranks[0]); }
static void black_rank_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  rank_text(row->ranks[0], text);
}
static uint32_t white_rank_number(const fact *row) { return rank_number(row->ranks[1]); }
static void white_rank_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  rank_text(row->ranks[1], text);
}
static uint32_t year_number(const fact *row) { return (uint16_t)row->year; }
static void year_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  if (row->year)
    snprintf(text, 256, "%04d", row->year);
  else
    snprintf(text, 256, "unknown");
}
static uint32_t source_number(const fact *row) { return row->source; }
static void source_name(const km_facts *facts, const fact *row, char text[256]) {
  snprintf(text, 256, "%s", row->source < facts->sources.n ? facts->sources.texts[row->source] : "others");
}
static uint32_t encoding_number(const fact *row) { return row->encoding; }
static void encoding_name(const km_facts *facts, const fact *row, char text[256]) {
  snprintf(text, 256, "%s", row->encoding < facts->encodings.n ? facts->encodings.texts[row->encoding] : "others");
}
static uint32_t result_number(const fact *row) { return (uint8_t)row->winner; }
static void result_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  snprintf(text, 256, "%s",
           row->winner == KM_WINNER_BLACK   ? "black"
           : row->winner == KM_WINNER_WHITE ? "white"
           : row->winner == KM_WINNER_DRAW  ? "draw"
                                            : "unknown");
}
static uint32_t ending_number(const fact *row) { return row->ending; }
static void ending_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  snprintf(text, 256, "%s", km_ending_name((km_ending)row->ending));
}
static uint32_t komi_number(const fact *row) {
  uint32_t bits;
  memcpy(&bits, &row->komi, sizeof bits);
  return bits;
}
static void komi_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  if (isnan(row->komi))
    snprintf(text, 256, "unknown");
  else
    snprintf(text, 256, "%g", (double)row->komi);
}
static uint32_t handicap_number(const fact *row) { return row->handicap; }
static void handicap_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  snprintf(text, 256, "%u", row->handicap);
}
static uint32_t length_number(const fact *row) { return row->n_moves / 20; }
static void length_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  unsigned low = row->n_moves / 20 * 20;
  snprintf(text, 256, "%04u-%04u", low, low + 19);
}
static uint32_t evals_number(const fact *row) { return row->has_evals; }
static void evals_name(const km_facts *facts, const fact *row, char text[256]) {
  (void)facts;
  snprintf(text, 256, "%s", row->has_evals ? "yes" : "no");
}

static const struct table {
  const char *key, *title;
  number_bin *number;
  name_bin *name;
} tables[] = {
    {"by_size", "board (columns x rows)", size_number, size_name},
    {"by_black_rank", "Black's rank", black_rank_number, black_rank_name},
    {"by_white_rank", "White's rank", white_rank_number, white_rank_name},
    {"by_year", "year", year_number, year_name},
    {"by_source", "source", source_number, source_name},
    {"by_result", "winner", result_number, result_name},
    {"by_ending", "ending", ending_number, ending_name},
    {"by_komi", "komi", komi_number, komi_name},
    {"by_handicap", "handicap", handicap_number, handicap_name},
    {"by_encoding", "encoding", encoding_number, encoding_name},
    {"by_length", "moves", length_number, length_name},
    {"by_embedded_win_rates", "win-rates in the record", evals_number, evals_name},
};
enum { N_TABLES = sizeof tables / sizeof *tables };

/* A bin: its number, the first of its games, and how many there are. */
typedef struct bin {
  const fact *first; /* NULL: free */
  uint64_t count;
  uint32_t number;
} bin;

/* Open addressing; the number of slots is a power of two. */
typedef struct bin_table {
  bin *bins;
  size_t n_slots, n_used;
} bin_table;

static bin *find_bin(const bin_table *t, uint32_t number) {
  size_t i = number * 0x9e3779b1u & (t->n_slots - 1);
  while (t->bins[i].first && t->bins[i].number != number)
    i = (i + 1) & (t->n_slots - 1);
  return &t->bins[i];
}

static int grow_bins(bin_table *t) {
  bin_table larger = {calloc(t->n_slots ? 2 * t->n_slots : 64, sizeof(bin)), t->n_slots ? 2 * t->n_slots : 64, t->n_used};
  if (!larger.bins)
    return -1;
  for (size_t i = 0; i < t->n_slots; i++)
    if (t->bins[i].first)
      *find_bin(&larger, t->bins[i].number) = t->bins[i];
  free(t->bins);
  *t = larger;
  return 0;
}

static int count_games(const km_facts *facts, number_bin *number_of, bin_table *t) {
  for (size_t i = 0; i < facts->n; i++) {
    const fact *row = &facts->rows[i];
    if (row->dropped)
      continue;
    if (2 * t->n_used >= t->n_slots && grow_bins(t))
      return -1;
    uint32_t number = number_of(row);
    bin *b = find_bin(t, number);
    if (!b->first) {
      *b = (bin){row, 0, number};
      t->n_used++;
    }
    b->count++;
  }
  return 0;
}

/* A JSON object bin → count, or NULL when memory is out. Bins may share a name: their games are added up. */
static json_t *tabulate(const km_facts *facts, const struct table *table) {
  bin_table t = {NULL, 0, 0};
  json_t *counts = json_object();
  int bad = !counts || count_games(facts, table->number, &t);
  for (size_t i = 0; !bad && i < t.n_slots; i++) {
    char text[256];
    if (!t.bins[i].first)
      continue;
    table->name(facts, t.bins[i].first, text);
    json_int_t before = json_integer_value(json_object_get(counts, text)); /* 0 for none */
    bad = json_object_set_new_nocheck(counts, text, json_integer(before + (json_int_t)t.bins[i].count));
  }
  free(t.bins);
  if (!bad)
    return counts;
  json_decref(counts);
  return NULL;
}

static json_t *reasons_json(const km_ledger *ledger, km_reason_kind kind) {
  json_t *object = json_object();
  for (int r = 1; r < KM_REASON_COUNT; r++)
    if (km_reason_kind_of((km_reason)r) == kind && ledger->counts[r])
      json_object_set_new(object, km_reason_code((km_reason)r), json_integer((json_int_t)ledger->counts[r]));
  return object;
}

km_status km_facts_json(const km_facts *facts, const km_facts_totals *totals, char **text, km_err *err) {
  json_t *root = json_object();
  int bad = !root;
  bad |= json_object_set_new(root, "records", json_integer((json_int_t)totals->n_records));
  bad |= json_object_set_new(root, "games", json_integer((json_int_t)km_facts_n_games(facts)));
  bad |= json_object_set_new(root, "refused", json_integer((json_int_t)km_facts_n_refused(totals)));
  bad |= json_object_set_new(root, "moves", json_integer((json_int_t)km_facts_n_moves(facts)));
  bad |= json_object_set_new(root, "inputs", json_integer((json_int_t)totals->n_inputs));
  bad |= json_object_set_new(root, "entries", json_integer((json_int_t)totals->n_entries));
  for (int kind = 0; kind < 4; kind++) {
    char key[32];
    snprintf(key, sizeof key, "%s_by_reason", km_reason_kind_name((km_reason_kind)kind));
    bad |= json_object_set_new(root, key, reasons_json(totals->ledger, (km_reason_kind)kind));
  }
  for (size_t t = 0; t < N_TABLES; t++)
    bad |= json_object_set_new(root, tables[t].key, tabulate(facts, &tables[t]));
  *text = bad ? NULL : json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS);
  json_decref(root);
  return *text ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the summary");
}

static void print_reasons(const km_ledger *ledger, FILE *out) {
  for (int r = 1; r < KM_REASON_COUNT; r++) {
    km_reason reason = (km_reason)r;
    if (ledger->counts[r])
      fprintf(out, "  %-9s %-24s %10" PRIu64 "  %s\n", km_reason_kind_name(km_reason_kind_of(reason)),
              km_reason_code(reason), ledger->counts[r], km_reason_doc(reason));
  }
}

/* The most frequent bins first would hide the order of ranks and years, so bins are sorted by name, and only tables
 * with many bins show their 12 most frequent ones. */
static void print_counts(json_t *counts, FILE *out) {
  size_t n = json_object_size(counts), shown = 0;
  json_int_t threshold = 0;
  if (n > 24) {
    json_int_t low = 0, high = 1;
    const char *key;
    json_t *count;
    json_object_foreach(counts, key, count) high = json_integer_value(count) > high ? json_integer_value(count) : high;
    while (low < high) { /* the smallest count such that at most 12 bins have more */
      json_int_t middle = (low + high) / 2;
      size_t above = 0;
      json_object_foreach(counts, key, count) above += json_integer_value(count) > middle;
      if (above <= 12)
        high = middle;
      else
        low = middle + 1;
    }
    threshold = low;
  }
  char *sorted = json_dumps(counts, JSON_SORT_KEYS | JSON_COMPACT);
  json_t *ordered = sorted ? json_loads(sorted, 0, NULL) : NULL;
  const char *key;
  json_t *count;
  json_object_foreach(ordered, key, count) if (json_integer_value(count) > threshold) {
    fprintf(out, "%s%s %lld", shown ? ", " : "", key, (long long)json_integer_value(count));
    shown++;
  }
  if (shown < n)
    fprintf(out, "%s%zu more", shown ? ", … " : "… ", n - shown);
  json_decref(ordered);
  free(sorted);
}

km_status km_facts_table(const km_facts *facts, const km_facts_totals *totals, FILE *out, km_err *err) {
  fprintf(out, "records %" PRIu64 " = games %" PRIu64 " + refused %" PRIu64 "; moves %" PRIu64 "\n", totals->n_records,
          km_facts_n_games(facts), km_facts_n_refused(totals), km_facts_n_moves(facts));
  print_reasons(totals->ledger, out);
  for (size_t t = 0; t < N_TABLES; t++) {
    json_t *counts = tabulate(facts, &tables[t]);
    if (!counts)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the table");
    fprintf(out, "  %-24s ", tables[t].title);
    print_counts(counts, out);
    fputc('\n', out);
    json_decref(counts);
  }
  return KM_OK;
}
