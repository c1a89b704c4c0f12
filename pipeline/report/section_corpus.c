/* section_corpus.c: what was read, what was refused or mended, and what the games are like. */
#include "sections.h"

#include "kifumill/reason.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the ledger ---------------------------------------------------------------------------------------- */

enum { KINDS = 4, EXAMPLE_FIELDS = 5 };
typedef struct ledger {
  uint64_t lines[KM_REASON_COUNT];
  const char *example[KM_REASON_COUNT]; /* the first line of a reason: source / entry, game, byte: detail */
} ledger;

static int reason_of(const char *code, size_t n) {
  for (int r = 1; r < KM_REASON_COUNT; r++)
    if (strlen(km_reason_code((km_reason)r)) == n && memcmp(km_reason_code((km_reason)r), code, n) == 0)
      return r;
  return 0;
}

/* kind, code, source, entry, game, byte, detail between tabs. */
static void read_line(km_report *report, ledger *l, char *line) {
  char *field[7] = {line};
  size_t n = 1;
  line[strcspn(line, "\n")] = 0;
  for (char *p = line; *p && n < 7; p++)
    if (*p == '\t') {
      *p = 0;
      field[n++] = p + 1;
    }
  int r = n == 7 ? reason_of(field[1], strlen(field[1])) : 0;
  if (!r || l->lines[r]++)
    return;
  l->example[r] = KM_TEXT(report, "%s%s%.200s%s%s%s%.120s", field[2], *field[3] ? " / " : "", field[3],
                          strcmp(field[4], "0") ? ", game " : "", strcmp(field[4], "0") ? field[4] : "",
                          *field[6] ? ": " : "", field[6]);
}

static void read_ledger(km_report *report, ledger *l) {
  FILE *in = report->inputs.path[KM_INPUT_LEDGER] ? fopen(report->inputs.path[KM_INPUT_LEDGER], "re") : NULL;
  char *line = NULL;
  size_t capacity = 0;
  while (in && getline(&line, &capacity, in) > 0)
    read_line(report, l, line);
  free(line);
  if (in)
    fclose(in);
}

static double reason_count(const km_report *report, const ledger *l, km_reason reason) {
  char key[40];
  snprintf(key, sizeof key, "%s_by_reason", km_reason_kind_name(km_reason_kind_of(reason)));
  const json_t *facts = report->inputs.json[KM_INPUT_FACTS];
  double n = km_json_get_number(km_json_get(facts, key), km_reason_code(reason));
  return isfinite(n) ? n : facts ? 0 : (double)l->lines[reason];
}

static void put_ledger_rows(km_report *report, const ledger *l, km_reason_kind kind) {
  for (int r = 1; r < KM_REASON_COUNT; r++) {
    km_reason reason = (km_reason)r;
    double n = reason_count(report, l, reason);
    if (km_reason_kind_of(reason) != kind || n == 0)
      continue;
    km_page_row_begin(report);
    km_page_cell(report, km_reason_kind_name(kind));
    km_page_cell(report, km_reason_code(reason));
    km_page_number(report, km_count_text(&report->scratch, n));
    km_page_cell(report, km_reason_doc(reason));
    km_page_cell(report, l->example[r] ? l->example[r] : "");
    km_page_row_end(report);
  }
}

static void put_ledger(km_report *report) {
  static const char *const titles[] = {"Kind", "Reason", "#Lines", "Meaning", "First example"};
  static const km_reason_kind kinds[KINDS] = {KM_KIND_REFUSED, KM_KIND_CUT, KM_KIND_REPAIRED, KM_KIND_INPUT};
  ledger l = {{0}, {0}};
  double any = 0;
  read_ledger(report, &l);
  for (int r = 1; r < KM_REASON_COUNT; r++)
    any += reason_count(report, &l, (km_reason)r);
  km_page_heading(report, "The ledger");
  if (any == 0) {
    km_page_paragraph(report, "Nothing was refused, cut short or repaired.");
    return;
  }
  const json_t *facts = report->inputs.json[KM_INPUT_FACTS];
  if (facts)
    km_page_paragraph(
        report,
        KM_TEXT(report,
                "Records read %s = games kept %s + refused %s. Every record that was refused, cut short or "
                "repaired has its line in games.ledger.tsv; by reason these are:",
                km_count_text(&report->scratch, km_json_get_number(facts, "records")),
                km_count_text(&report->scratch, km_json_get_number(facts, "games")),
                km_count_text(&report->scratch, km_json_get_number(facts, "refused"))));
  km_page_table_begin(report, titles, 5);
  for (int k = 0; k < KINDS; k++)
    put_ledger_rows(report, &l, kinds[k]);
  km_page_table_end(report);
}

/* ---- tables with bars ---------------------------------------------------------------------------------- */

typedef struct bin {
  const char *name;
  double n;
} bin;

static int compare_bins(const void *a, const void *b) {
  const bin *x = a, *y = b;
  return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->name, y->name);
}

/* The bins of a table of facts, most frequent first. */
static bin *sorted_bins(km_report *report, const char *key, size_t *n, double *total) {
  json_t *counts = km_json_get(report->inputs.json[KM_INPUT_FACTS], key), *count;
  const char *name;
  bin *bins = km_scratch_zalloc(&report->scratch, (json_object_size(counts) + 1) * sizeof *bins);
  *n = 0;
  *total = 0;
  if (!bins)
    return NULL;
  json_object_foreach(counts, name, count) {
    bins[(*n)++] = (bin){name, json_number_value(count)};
    *total += json_number_value(count);
  }
  qsort(bins, *n, sizeof *bins, compare_bins);
  return bins;
}

static void put_bar_row(km_report *report, const bin *b, double most, double total) {
  km_page_row_begin(report);
  fputs("<td>", report->out);
  km_html_text_cut(report->out, b->name, 60);
  fprintf(report->out, "</td><td><i style=\"width:%.1f%%\"></i></td>", most > 0 ? 100 * b->n / most : 0);
  km_page_number(report, km_count_text(&report->scratch, b->n));
  km_page_number(report, km_percent_text(&report->scratch, total > 0 ? b->n / total : (double)NAN, 1));
  km_page_row_end(report);
}

static void put_bars(km_report *report, const char *key, const char *title) {
  enum { SHOWN = 10 };
  size_t n;
  double total, rest = 0;
  bin *bins = sorted_bins(report, key, &n, &total);
  if (!bins || n == 0)
    return;
  fputs("<div>", report->out);
  km_page_heading(report, title);
  fputs("<div class=scroll><table class=bars><tbody>", report->out);
  size_t shown = n > SHOWN + 1 ? SHOWN : n;
  for (size_t i = 0; i < shown; i++)
    put_bar_row(report, &bins[i], bins[0].n, total);
  for (size_t i = shown; i < n; i++)
    rest += bins[i].n;
  if (shown < n)
    put_bar_row(report, &(bin){KM_TEXT(report, "%zu others", n - shown), rest}, fmax(bins[0].n, rest), total);
  fputs("</tbody></table></div></div>\n", report->out);
}

/* ---- plots --------------------------------------------------------------------------------------------- */

/* A histogram of bins named by numbers, in steps of `step` (0: chosen so that there are at most 100). */
static km_figure *number_figure(km_report *report, const char *key, const char *id, double step) {
  size_t n;
  double total, low = INFINITY, high = -INFINITY;
  bin *bins = sorted_bins(report, key, &n, &total);
  for (size_t i = 0; bins && i < n; i++)
    if (bins[i].name[0] >= '0' && bins[i].name[0] <= '9') {
      low = fmin(low, atof(bins[i].name));
      high = fmax(high, atof(bins[i].name));
    }
  if (!(low <= high))
    return NULL;
  static const double steps[] = {1, 2, 5, 10, 20, 50, 100, 1000};
  for (size_t i = 0; step == 0 && i < 8; i++)
    step = (high - low) / steps[i] <= 100 ? steps[i] : 0;
  low = floor(low / step);
  size_t n_places = step > 0 && (high / step - low) < 1e5 ? (size_t)(floor(high / step) - low) + 1 : 0;
  km_figure *figure = n_places ? km_figure_new(&report->scratch, id) : NULL;
  km_series_plot *s = km_figure_add(&report->scratch, figure, "games", n_places, 0);
  if (!s)
    return NULL;
  for (size_t i = 0; i < n_places; i++) {
    s->x[i] = (low + (double)i) * step + 0.5 * (step > 1 ? step : 0);
    s->y[i] = 0;
  }
  for (size_t i = 0; i < n; i++)
    if (bins[i].name[0] >= '0' && bins[i].name[0] <= '9')
      s->y[(size_t)(floor(atof(bins[i].name) / step) - low)] += bins[i].n;
  s->kind = KM_SERIES_BARS;
  figure->y_label = "games";
  figure->height = 260;
  return figure;
}

static void put_year_figure(km_report *report) {
  km_figure *figure = number_figure(report, "by_year", "corpus-years", 0);
  if (!figure)
    return;
  figure->title = "Years";
  figure->note = KM_TEXT(
      report, "of games with a date; %s have none",
      km_count_text(&report->scratch,
                    fmax(0, km_json_get_number(km_json_get(report->inputs.json[KM_INPUT_FACTS], "by_year"),
                                               "unknown"))));
  if (!isfinite(km_json_get_number(km_json_get(report->inputs.json[KM_INPUT_FACTS], "by_year"), "unknown")))
    figure->note = "all games have a date";
  figure->x_label = "year";
  km_page_figure(report, figure, 0);
}

static void put_length_figure(km_report *report) {
  km_figure *figure = number_figure(report, "by_length", "corpus-lengths", 20);
  if (!figure)
    return;
  figure->title = "Lengths";
  figure->note = "in bins of 20 moves";
  figure->x_label = "moves";
  km_page_figure(report, figure, 0);
}

/* Weakest first: 30k … 1k, 1d … 9d, 1p … 9p; 0: no rank. */
static int rank_order(const char *name) {
  char *end;
  long number = strtol(name, &end, 10);
  if (end == name || number < 0 || number > 99)
    return 0;
  return *end == 'k'   ? 100 - (int)number
         : *end == 'd' ? 100 + (int)number
         : *end == 'p' ? 200 + (int)number
                       : 0;
}

static void put_rank_figure(km_report *report) {
  enum { ORDERS = 300 };
  static const char *const keys[] = {"by_black_rank", "by_white_rank"}, *const names[] = {"Black", "White"};
  double counts[2][ORDERS] = {{0}};
  const char *name, *of_order[ORDERS] = {0};
  json_t *count;
  for (int c = 0; c < 2; c++)
    json_object_foreach(km_json_get(report->inputs.json[KM_INPUT_FACTS], keys[c]), name, count) {
      int order = rank_order(name);
      counts[c][order] += json_number_value(count);
      of_order[order] = name;
    }
  size_t n = 0;
  for (int i = 1; i < ORDERS; i++)
    n += of_order[i] != NULL;
  const char **categories = km_scratch_zalloc(&report->scratch, (n + 1) * sizeof *categories);
  km_figure *figure = km_figure_new(&report->scratch, "corpus-ranks");
  if (n == 0 || !categories || !figure)
    return;
  for (int c = 0; c < 2; c++) {
    km_series_plot *s = km_figure_add(&report->scratch, figure, names[c], n, 0);
    if (!s)
      return;
    s->kind = KM_SERIES_BARS;
    s->colour = c ? 9 : 8;
    size_t k = 0;
    for (int i = 1; i < ORDERS; i++)
      if (of_order[i]) {
        categories[k] = of_order[i];
        s->x[k] = (double)k;
        s->y[k++] = counts[c][i];
      }
  }
  figure->categories = categories;
  figure->n_categories = n;
  figure->title = "Ranks";
  figure->note =
      KM_TEXT(report, "unknown: %s of Black's, %s of White's", km_count_text(&report->scratch, counts[0][0]),
              km_count_text(&report->scratch, counts[1][0]));
  figure->y_label = "games";
  figure->height = 260;
  km_page_figure(report, figure, 0);
}

/* ---- the section --------------------------------------------------------------------------------------- */

void km_section_corpus(km_report *report) {
  static const struct {
    const char *key, *title;
  } tables[] = {{"by_source", "Sources"},     {"by_size", "Boards (columns × rows)"},
                {"by_result", "Winners"},     {"by_ending", "Endings"},
                {"by_komi", "Komi"},          {"by_handicap", "Handicap"},
                {"by_encoding", "Encodings"}, {"by_embedded_win_rates", "Win-rates in the record"}};
  if (!report->inputs.json[KM_INPUT_FACTS] && !report->inputs.path[KM_INPUT_LEDGER])
    return;
  km_page_section_begin(report, "corpus", "The games");
  put_ledger(report);
  if (report->inputs.json[KM_INPUT_FACTS]) {
    km_page_heading(report, "What they are");
    km_page_grid_begin(report);
    put_length_figure(report);
    put_year_figure(report);
    put_rank_figure(report);
    km_page_grid_end(report);
    fputs("<div class=columns>\n", report->out);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
      put_bars(report, tables[i].key, tables[i].title);
    fputs("</div>\n", report->out);
  }
  km_page_section_end(report);
}
