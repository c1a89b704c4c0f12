/* section_phases.c: where change-points lie, against the conventional phases and against divisions that know
 * nothing of HBS. */
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bins have as many moves of Black as of White, since S changes with Black's. */
enum { BIN = 10, FINE_BIN = 4, CHANGES_SHOWN = 40 };

typedef struct panel {
  km_report *report;
  const json_t *summary, *board;
  double size, middle, endgame; /* of the reference on this board */
} panel;

static km_scratch *scratch_of(const panel *p) {
  return &p->report->scratch;
}

static km_figure *new_figure(const panel *p, const char *name, const char *title) {
  km_figure *figure = km_figure_new(scratch_of(p), KM_TEXT(p->report, "phases-%.0f-%s", p->size, name));
  if (figure)
    figure->title = title;
  return figure;
}

static void add_marks(const panel *p, km_figure *figure) {
  if (!figure || !isfinite(p->middle))
    return;
  km_figure_mark_x(figure, p->middle, "middle game");
  km_figure_mark_x(figure, p->endgame, "endgame");
}

/* Counts by move in bins, as far as there are more than a few. */
typedef struct bins_of {
  const json_t *object;
  const char *key, *name;
  size_t width;
} bins_of;
static km_series_plot *add_bins(const panel *p, km_figure *figure, bins_of b) {
  size_t n;
  double *counts = km_json_get_numbers(scratch_of(p), b.object, b.key, &n), most = 0;
  for (size_t i = 0; i < n; i++)
    most = fmax(most, counts[i]);
  while (n > 0 && !(counts[n - 1] > 0.002 * most))
    n--;
  km_series_plot *s =
      figure && n ? km_figure_add(scratch_of(p), figure, b.name, (n + b.width - 1) / b.width, 0) : NULL;
  for (size_t k = 0; s && k < s->n; k++) {
    s->x[k] = (double)b.width * ((double)k + 0.5);
    s->y[k] = 0;
    for (size_t i = k * b.width; i < n && i < (k + 1) * b.width; i++)
      s->y[k] += counts[i];
  }
  return s;
}

static void put_histogram(const panel *p) {
  km_figure *figure = new_figure(p, "changes", "Change-points by move");
  km_series_plot *s = add_bins(p, figure, (bins_of){p->board, "changes_by_move", "change-points", FINE_BIN});
  if (!s)
    return;
  s->kind = KM_SERIES_BARS;
  figure->x_label = "moves";
  figure->y_label = "change-points of all games";
  figure->note = KM_TEXT(p->report, "In bins of %d moves, over the conventional division.", FINE_BIN);
  add_marks(p, figure);
  km_page_figure(p->report, figure, 0);
}

/* Changes a game that is still running, in BIN moves: what the histogram would be if all games were of one
 * length. */
static void put_density(const panel *p) {
  size_t n, n_games;
  double *changes = km_json_get_numbers(scratch_of(p), p->board, "changes_by_move", &n),
         *games = km_json_get_numbers(scratch_of(p), km_json_get(p->board, "mean_curve"), "n", &n_games);
  n = n < n_games ? n : n_games;
  km_figure *figure = new_figure(p, "density", "Density of change-points");
  km_series_plot *s = figure && n >= BIN ? km_figure_add(scratch_of(p), figure, "density", n / BIN, 1) : NULL;
  if (!s)
    return;
  for (size_t b = 0; b < s->n; b++) {
    double seen = 0, running = 0;
    for (size_t i = b * BIN; i < (b + 1) * BIN; i++) {
      seen += changes[i];
      running += games[i] / BIN;
    }
    double half = 1.96 * sqrt(seen) / running;
    s->x[b] = BIN * ((double)b + 0.5);
    s->y[b] = seen / running;
    s->low[b] = fmax(0, s->y[b] - half);
    s->high[b] = s->y[b] + half;
  }
  figure->x_label = "moves";
  figure->y_label = KM_TEXT(p->report, "change-points a running game in %d moves", BIN);
  figure->note = "With ± 1.96 roots of the counts. Flat: changes come at any time alike.";
  figure->y_range[0] = 0;
  add_marks(p, figure);
  km_page_figure(p->report, figure, 0);
}

static void put_fractions(const panel *p) {
  size_t n;
  double *counts = km_json_get_numbers(scratch_of(p), p->board, "changes_by_fraction", &n), total = 0;
  km_figure *figure = new_figure(p, "fractions", "Change-points by share of the game");
  km_series_plot *s = figure && n ? km_figure_add(scratch_of(p), figure, "change-points", n, 0) : NULL;
  for (size_t i = 0; i < n; i++)
    total += counts[i];
  if (!s || !(total > 0))
    return;
  s->kind = KM_SERIES_BARS;
  for (size_t i = 0; i < n; i++) {
    s->x[i] = ((double)i + 0.5) / (double)n;
    s->y[i] = counts[i] / total;
  }
  figure->x_range[0] = 0;
  figure->x_range[1] = 1;
  figure->x_label = "share of the game";
  figure->y_label = "share of change-points";
  km_page_figure(p->report, figure, 0);
}

static void put_numbers(const panel *p) {
  size_t n;
  double *counts = km_json_get_numbers(scratch_of(p), p->board, "changes_per_game", &n), total = 0;
  km_figure *figure = new_figure(p, "numbers", "How many a game");
  for (size_t i = 0; i < n; i++)
    total += counts[i];
  while (n > 0 && counts[n - 1] < 0.001 * total)
    n--;
  n = n < CHANGES_SHOWN ? n : CHANGES_SHOWN;
  km_series_plot *s = figure && n ? km_figure_add(scratch_of(p), figure, "games", n, 0) : NULL;
  if (!s)
    return;
  s->kind = KM_SERIES_BARS;
  for (size_t i = 0; i < n; i++) {
    s->x[i] = (double)i;
    s->y[i] = counts[i] / total;
  }
  figure->x_label = "change-points";
  figure->y_label = "share of games";
  km_page_figure(p->report, figure, 0);
}

static void put_three(const panel *p) {
  static const char *const keys[] = {"middle", "endgame"}, *const names[] = {"middle game begins",
                                                                             "endgame begins"};
  km_figure *figure = new_figure(p, "three", "Three pieces: where the cuts lie");
  for (int k = 0; k < 2 && figure; k++) {
    km_series_plot *s =
        add_bins(p, figure, (bins_of){km_json_get(p->board, keys[k]), "counts", names[k], BIN});
    if (s)
      s->colour = k;
  }
  if (!figure || figure->n_series == 0)
    return;
  figure->x_label = "moves";
  figure->y_label = KM_TEXT(p->report, "games in %d moves", BIN);
  figure->note = "Each game’s best cut into three.";
  figure->y_range[0] = 0;
  add_marks(p, figure);
  km_page_figure(p->report, figure, 0);
}

static void put_mean_curve(const panel *p) {
  const json_t *curve = km_json_get(p->board, "mean_curve"), *rows = km_json_get(curve, "values");
  size_t n, n_changes;
  json_t *object = json_object();
  if (!object || json_object_set(object, "values", json_array_get(rows, 0))) {
    json_decref(object);
    return;
  }
  double *values = km_json_get_numbers(scratch_of(p), object, "values", &n),
         *changes = km_json_get_numbers(scratch_of(p), curve, "changes", &n_changes);
  json_decref(object);
  km_figure *figure = n ? new_figure(p, "mean-curve", "The mean curve and its change-points") : NULL;
  km_series_plot *line = figure ? km_figure_add(scratch_of(p), figure, "mean of the signal", n, 0) : NULL,
                 *points = line ? km_figure_add(scratch_of(p), figure, "change-points", n_changes, 0) : NULL;
  if (!points)
    return;
  for (size_t i = 0; i < n; i++) {
    line->x[i] = (double)i;
    line->y[i] = values[i];
  }
  points->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < n_changes; i++)
    if (changes[i] >= 0 && changes[i] < (double)n) {
      points->x[i] = changes[i];
      points->y[i] = values[(size_t)changes[i]];
    }
  figure->x_label = "moves";
  figure->y_label = KM_TEXT(p->report, "signal: %s", km_json_get_text(p->summary, "signal"));
  figure->note = KM_TEXT(p->report, "Cut into three it breaks after moves %s and %s.",
                         km_count_text(scratch_of(p), km_json_get_number(curve, "middle")),
                         km_count_text(scratch_of(p), km_json_get_number(curve, "endgame")));
  add_marks(p, figure);
  km_page_figure(p->report, figure, 0);
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static void put_phase_table(const panel *p) {
  static const char *const titles[] = {"Conventional phase", "#Positions", "#Change-points",
                                       "#in 100 positions"};
  const json_t *density = km_json_get(p->board, "density");
  km_scratch *t = scratch_of(p);
  if (json_array_size(density) == 0)
    return;
  km_page_table_begin(p->report, titles, 4);
  for (size_t i = 0; i < json_array_size(density); i++) {
    const json_t *d = json_array_get(density, i);
    double changes = km_json_get_number(d, "changes"), positions = km_json_get_number(d, "positions");
    km_page_row_begin(p->report);
    km_page_cell(p->report, km_json_get_text(d, "phase"));
    km_page_number(p->report, km_count_text(t, positions));
    km_page_number(p->report, km_count_text(t, changes));
    km_page_number(p->report, km_fixed_text(t, 100 * changes / positions, 2));
    km_page_row_end(p->report);
  }
  km_page_table_end(p->report);
}

static const struct {
  const char *key, *title;
  int decimals;
} measures[] = {{"f1", "F1", 3},
                {"distance", "distance (moves)", 1},
                {"hausdorff", "Hausdorff (moves)", 1},
                {"ari", "adjusted Rand", 3},
                {"covering", "covering", 3}};
enum { MEASURES = sizeof measures / sizeof *measures };

static void put_method_table(km_report *report, const json_t *methods, int with_sign) {
  const char *titles[1 + MEASURES] = {with_sign ? "HBS minus" : "Division"};
  for (int k = 0; k < MEASURES; k++)
    titles[1 + k] = KM_TEXT(report, "#%s", measures[k].title);
  km_page_table_begin(report, titles, 1 + MEASURES);
  for (size_t i = 0; i < json_array_size(methods); i++) {
    const json_t *m = json_array_get(methods, i);
    km_page_row_begin(report);
    km_page_cell(report, km_json_get_text(m, "name"));
    for (int k = 0; k < MEASURES; k++)
      km_page_number(
          report, km_estimate_text(report, km_json_get(m, measures[k].key), measures[k].decimals, with_sign));
    km_page_row_end(report);
  }
  km_page_table_end(report);
}

/* One measure of every method, as points with intervals. */
static void put_measure(km_report *report, const json_t *methods, int k, const char *id) {
  size_t n = json_array_size(methods);
  km_figure *figure = km_figure_new(&report->scratch, KM_TEXT(report, "%s-%s", id, measures[k].key));
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, measures[k].title, n, 1) : NULL;
  const char **names = km_scratch_zalloc(&report->scratch, (n + 1) * sizeof *names);
  if (!s || !names)
    return;
  s->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < n; i++) {
    size_t row = n - 1 - i; /* the first on top */
    const json_t *m = json_array_get(methods, i), *e = km_json_get(m, measures[k].key);
    names[row] = km_json_get_text(m, "name");
    s->x[i] = km_json_get_number(e, "value");
    s->y[i] = (double)row;
    s->low[i] = km_json_get_number(e, "low");
    s->high[i] = km_json_get_number(e, "high");
  }
  figure->rows = 1;
  figure->categories = names;
  figure->n_categories = n;
  figure->title = KM_TEXT(report, "Nearness to the reference: %s", measures[k].title);
  figure->note = k == 0 || k > 2 ? "More is better." : "Less is better.";
  figure->x_label = measures[k].title;
  figure->height = 70 + 26 * (int)n;
  km_page_figure(report, figure, 0);
}

static void put_comparison(km_report *report, const json_t *comparison, const char *id) {
  const json_t *methods = km_json_get(comparison, "methods");
  if (!json_is_object(comparison))
    return;
  km_page_grid_begin(report);
  put_measure(report, methods, 0, id);
  put_measure(report, methods, 1, id);
  km_page_grid_end(report);
  put_method_table(report, methods, 0);
  km_page_paragraph(report, "The same, HBS minus each of the others, game by game:");
  put_method_table(report, km_json_get(comparison, "differences"), 1);
}

/* ---- the section --------------------------------------------------------------------------------------- */

static void put_panel(const panel *p) {
  km_page_grid_begin(p->report);
  put_histogram(p);
  put_density(p);
  put_fractions(p);
  put_numbers(p);
  put_three(p);
  put_mean_curve(p);
  km_page_grid_end(p->report);
  put_phase_table(p);
  if (json_is_object(km_json_get(p->board, "comparison"))) {
    km_page_heading(p->report, KM_TEXT(p->report, "Against the reference, on %.0f×%.0f", p->size, p->size));
    put_comparison(p->report, km_json_get(p->board, "comparison"),
                   KM_TEXT(p->report, "phases-%.0f", p->size));
  }
}

static void put_introduction(km_report *report, const json_t *summary) {
  const json_t *reference = km_json_get(summary, "reference");
  km_scratch *t = &report->scratch;
  const char *kind = strcmp(km_json_get_text(reference, "kind"), "labels") == 0
                         ? "labels given by hand"
                         : KM_TEXT(report,
                                   "the conventional division: on 19×19 the middle game begins after %s "
                                   "moves, the endgame after %s; on other boards in proportion "
                                   "to their area",
                                   km_count_text(t, km_json_get_number(reference, "middle")),
                                   km_count_text(t, km_json_get_number(reference, "endgame")));
  km_page_paragraph(report, KM_TEXT(report,
                                    "The signal %s of %s games is cut at its change-points, and once more "
                                    "into exactly three pieces. The reference is %s. Breaks at most %s moves "
                                    "apart count as the same (F1).",
                                    km_json_get_text(summary, "signal"),
                                    km_count_text(t, km_json_get_number(summary, "games_divided")), kind,
                                    km_count_text(t, km_json_get_number(summary, "margin"))));
}

static int compare_boards(const void *a, const void *b) {
  double x = km_json_get_number(*(json_t *const *)a, "games"),
         y = km_json_get_number(*(json_t *const *)b, "games");
  return x != y ? (x > y ? -1 : 1) : 0;
}

static void put_boards(km_report *report, const json_t *summary) {
  const json_t *all = km_json_get(summary, "boards"), *reference = km_json_get(summary, "reference");
  json_t *boards[KM_TABS_MAX];
  const char *names[KM_TABS_MAX];
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(all) && n < KM_TABS_MAX; i++)
    if (km_json_get_number(json_array_get(all, i), "games_divided") > 0)
      boards[n++] = json_array_get(all, i);
  qsort(boards, n, sizeof *boards, compare_boards);
  for (size_t i = 0; i < n; i++)
    names[i] = KM_TEXT(report, "%.0f×%.0f, %s games", km_json_get_number(boards[i], "size"),
                       km_json_get_number(boards[i], "size"),
                       km_count_text(&report->scratch, km_json_get_number(boards[i], "games")));
  if (n > 1)
    km_page_tabs_begin(report, "board", names, n);
  for (size_t i = 0; i < n; i++) {
    double size = km_json_get_number(boards[i], "size"), area = size * size / 361;
    panel p = {report,
               summary,
               boards[i],
               size,
               round(km_json_get_number(reference, "middle") * area),
               round(km_json_get_number(reference, "endgame") * area)};
    if (n > 1)
      km_page_panel_begin(report);
    put_panel(&p);
    if (n > 1)
      km_page_panel_end(report);
  }
  if (n > 1)
    km_page_tabs_end(report);
  if (n > 1 && json_is_object(km_json_get(summary, "comparison"))) {
    km_page_heading(report, "Against the reference, all boards together");
    put_comparison(report, km_json_get(summary, "comparison"), "phases-all");
  }
}

void km_section_phases(km_report *report) {
  const json_t *summary = report->inputs.json[KM_INPUT_PHASES];
  if (!summary)
    return;
  km_page_section_begin(report, "phases", "Phases");
  put_introduction(report, summary);
  put_boards(report, summary);
  km_page_note(report,
               "uniform: thirds of the game. stones, lines, captures: best cuts of the number of stones, of "
               "the mean line of the last ten moves, of the number of prisoners. "
               "contact: the first stone next to one of the other colour, and half of what follows. hbs: the "
               "three pieces; hbs-changes: all change-points. Intervals: bootstrap over games.");
  km_page_section_end(report);
}
