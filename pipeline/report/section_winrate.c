/* section_winrate.c: how well models tell the winner on games they have not seen, alone and beside the
 * win-rates of networks. */
#include "sections.h"

#include <math.h>
#include <string.h>

enum { MODELS_MAX = 48 };

static const struct metric {
  const char *key, *title;
  int decimals;
} metrics[] = {{"auc", "AUC", 3},
               {"accuracy", "Accuracy", 3},
               {"log_loss", "Log-loss", 4},
               {"brier", "Brier score", 4},
               {"ece", "Calibration error", 3}};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* Results of one kind of positions: all held-out ones, or those that others have win-rates of. */
typedef struct group {
  km_report *report;
  const json_t *results;
  const char *id;                 /* of its figures */
  const char *models[MODELS_MAX]; /* in order of appearance */
  size_t n_models;
} group;

static km_scratch *scratch_of(const group *g) {
  return &g->report->scratch;
}

static int is_bucket(const json_t *result, const char *model, const char *by) {
  return strcmp(km_json_get_text(result, "model"), model) == 0 &&
         strcmp(km_json_get_text(result, "by"), by) == 0;
}

static const json_t *result_of(const group *g, const char *model, const char *by, const char *bucket) {
  for (size_t i = 0; i < json_array_size(g->results); i++) {
    const json_t *r = json_array_get(g->results, i);
    if (is_bucket(r, model, by) && (!bucket || strcmp(km_json_get_text(r, "bucket"), bucket) == 0))
      return r;
  }
  return NULL;
}

static group make_group(km_report *report, const json_t *results, const char *id) {
  group g = {.report = report, .results = results, .id = id};
  for (size_t i = 0; i < json_array_size(results); i++) {
    const char *name = km_json_get_text(json_array_get(results, i), "model");
    size_t k = 0;
    while (k < g.n_models && strcmp(g.models[k], name) != 0)
      k++;
    if (k == g.n_models && k < MODELS_MAX)
      g.models[g.n_models++] = name;
  }
  return g;
}

static int is_network(const char *model) {
  return strchr(model, '/') != NULL;
}

/* Models worth a line of their own by move; the others are in the tables. */
static int is_main(const char *model) {
  static const char *const names[] = {"ply_komi", "hbs_delta", "hbs_all", "local", "hybrid", "external"};
  size_t n = strcspn(model, "/:");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && memcmp(names[i], model, n) == 0)
      return 1;
  return 0;
}

/* A fixed colour for each usual model, so that it is the same in all plots. */
static int colour_of(const char *model) {
  static const char *const names[] = {"hbs_all",  "hybrid",   "local", "hbs_delta", "hbs_layers",
                                      "hbs_both", "ply_komi", "hbs",   "external",  "constant"};
  static const int colours[] = {0, 1, 2, 3, 4, 5, 9, 6, 8, 7};
  size_t n = strcspn(model, "/:");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strlen(names[i]) == n && memcmp(names[i], model, n) == 0)
      return colours[i];
  return 7;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

static const char *doc_of(const group *g, const char *model) {
  const json_t *models = km_json_get(g->report->inputs.json[KM_INPUT_WINRATE], "models");
  if (strcmp(model, "external") == 0)
    return "their win-rates as they are";
  if (strcmp(model, "external:score") == 0)
    return "their lead in points, calibrated";
  return km_json_get_text(km_json_find(models, "name", model), "doc");
}

static void put_models(const group *g, const char *by, const char *bucket) {
  static const char *const titles[] = {
      "Model and what it knows", "#AUC", "#Accuracy", "#Log-loss", "#Brier score", "#Calibration error"};
  km_page_table_begin(g->report, titles, 1 + METRICS);
  for (size_t k = 0; k < g->n_models; k++) {
    const json_t *r = result_of(g, g->models[k], by, bucket);
    if (!r)
      continue;
    km_page_row_begin(g->report);
    km_page_cell_with_note(g->report, g->models[k],
                           is_network(g->models[k]) ? "the same, by a small network"
                                                    : doc_of(g, g->models[k]));
    for (int m = 0; m < METRICS; m++)
      km_page_number(g->report,
                     km_estimate_text(g->report, km_json_get(km_json_get(r, "metrics"), metrics[m].key),
                                      metrics[m].decimals, 0));
    km_page_row_end(g->report);
  }
  km_page_table_end(g->report);
}

static void put_model_tables(const group *g) {
  static const char *const names[] = {"all positions", "opening", "middle game", "endgame"},
                           *const buckets[] = {"all", "opening", "middle", "endgame"};
  km_page_tabs_begin(g->report, "positions", names, 4);
  for (int i = 0; i < 4; i++) {
    km_page_panel_begin(g->report);
    put_models(g, i ? "phase" : "all", buckets[i]);
    km_page_panel_end(g->report);
  }
  km_page_tabs_end(g->report);
}

/* ---- dots with intervals ------------------------------------------------------------------------------- */

/* A point a model and phase. */
static void put_by_phase(const group *g, int m) {
  static const char *const names[] = {"opening", "middle game", "endgame"}, *const buckets[] = {"opening",
                                                                                                "middle",
                                                                                                "endgame"};
  static const int colours[] = {0, 2, 1};
  km_figure *figure = km_figure_new(scratch_of(g), KM_TEXT(g->report, "%s-%s-phases", g->id, metrics[m].key));
  const char **rows = km_scratch_zalloc(scratch_of(g), (g->n_models + 1) * sizeof *rows);
  size_t n = 0;
  if (!rows || !figure)
    return;
  for (size_t k = 0; k < g->n_models; k++)
    n += !is_network(g->models[k]) && strcmp(g->models[k], "constant") != 0;
  for (int phase = 0; phase < 3; phase++) {
    km_series_plot *s = km_figure_add(scratch_of(g), figure, names[phase], n, 1);
    if (!s)
      return;
    s->kind = KM_SERIES_POINTS;
    s->colour = colours[phase];
    for (size_t k = 0, row = n; k < g->n_models; k++) {
      if (is_network(g->models[k]) || strcmp(g->models[k], "constant") == 0)
        continue;
      const json_t *e = km_json_get(
          km_json_get(result_of(g, g->models[k], "phase", buckets[phase]), "metrics"), metrics[m].key);
      rows[--row] = g->models[k];
      s->y[row] = (double)row;
      s->x[row] = km_json_get_number(e, "value");
      s->low[row] = km_json_get_number(e, "low");
      s->high[row] = km_json_get_number(e, "high");
    }
  }
  figure->rows = 1;
  figure->categories = rows;
  figure->n_categories = n;
  figure->title = KM_TEXT(g->report, "%s by phase", metrics[m].title);
  figure->x_label = metrics[m].title;
  figure->height = 70 + 36 * (int)n;
  if (m == 0)
    km_figure_mark_x(figure, 0.5, "chance");
  km_page_figure(g->report, figure, 0);
}

/* What models add to simpler ones: paired differences, a row a pair. */
static void put_differences(const group *g, int m) {
  km_figure *figure = km_figure_new(scratch_of(g), KM_TEXT(g->report, "%s-%s-minus", g->id, metrics[m].key));
  const char *names[2 * MODELS_MAX];
  const json_t *estimates[2 * MODELS_MAX];
  size_t n = 0;
  for (size_t k = 0; k < g->n_models; k++) {
    const json_t *minus = km_json_get(result_of(g, g->models[k], "all", NULL), "minus");
    for (size_t i = 0; i < json_array_size(minus) && n < 2 * MODELS_MAX; i++) {
      const json_t *d = json_array_get(minus, i);
      const char *other = km_json_get_text(d, "model");
      if (is_network(g->models[k]) || strcmp(g->models[k], "constant") == 0 || strcmp(other, "constant") == 0)
        continue;
      names[n] = KM_TEXT(g->report, "%s − %s", g->models[k], other);
      estimates[n++] = km_json_get(km_json_get(d, "metrics"), metrics[m].key);
    }
  }
  const char **rows = km_scratch_zalloc(scratch_of(g), (n + 1) * sizeof *rows);
  km_series_plot *s = figure && n ? km_figure_add(scratch_of(g), figure, "difference", n, 1) : NULL;
  if (!s || !rows)
    return;
  s->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < n; i++) {
    size_t row = n - 1 - i;
    rows[row] = names[i];
    s->y[row] = (double)row;
    s->x[row] = km_json_get_number(estimates[i], "value");
    s->low[row] = km_json_get_number(estimates[i], "low");
    s->high[row] = km_json_get_number(estimates[i], "high");
  }
  figure->rows = 1;
  figure->categories = rows;
  figure->n_categories = n;
  figure->title = KM_TEXT(g->report, "What is added to other models: %s", metrics[m].title);
  figure->note = "At the same positions, with paired intervals.";
  figure->x_label = KM_TEXT(g->report, "difference: %s", metrics[m].title);
  figure->height = 70 + 22 * (int)n;
  km_figure_mark_x(figure, 0, "");
  km_page_figure(g->report, figure, 0);
}

/* ---- by ply -------------------------------------------------------------------------------------------- */

static size_t count_plies(const group *g, const char *model) {
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(g->results); i++)
    n += is_bucket(json_array_get(g->results, i), model, "ply");
  return n;
}

static void add_plies(const group *g, km_figure *figure, const char *model, int m) {
  km_series_plot *s = km_figure_add(scratch_of(g), figure, model, count_plies(g, model), 1);
  size_t n = 0;
  if (!s)
    return;
  s->colour = colour_of(model);
  s->dashed = strcmp(model, "external:score") == 0;
  for (size_t i = 0; i < json_array_size(g->results); i++) {
    const json_t *r = json_array_get(g->results, i),
                 *e = km_json_get(km_json_get(r, "metrics"), metrics[m].key);
    if (!is_bucket(r, model, "ply") || n == s->n)
      continue;
    double from = km_json_get_number(r, "from"), to = km_json_get_number(r, "to");
    s->x[n] = isfinite(to) ? 0.5 * (from + to) : from;
    s->y[n] = km_json_get_number(e, "value");
    s->low[n] = km_json_get_number(e, "low");
    s->high[n++] = km_json_get_number(e, "high");
  }
}

static void put_plies(const group *g, int m, int networks) {
  km_figure *figure = km_figure_new(
      scratch_of(g), KM_TEXT(g->report, "%s-%s-plies%s", g->id, metrics[m].key, networks ? "-networks" : ""));
  size_t shown = 0;
  for (size_t k = 0; k < g->n_models; k++)
    if (is_network(g->models[k]) == networks && is_main(g->models[k])) {
      add_plies(g, figure, g->models[k], m);
      shown++;
    }
  if (!figure || shown == 0)
    return;
  figure->title = KM_TEXT(g->report, "%s by move%s", metrics[m].title, networks ? ", small networks" : "");
  figure->note = "Bands: 95 % of a bootstrap over games.";
  figure->x_label = "moves";
  figure->y_label = metrics[m].title;
  figure->height = 380;
  if (m == 0)
    km_figure_mark_y(figure, 0.5, "chance");
  km_page_figure(g->report, figure, 0);
}

static void put_all_plies(const group *g) {
  const char *names[METRICS];
  for (int m = 0; m < METRICS; m++)
    names[m] = metrics[m].title;
  km_page_tabs_begin(g->report, "figure", names, METRICS);
  for (int m = 0; m < METRICS; m++) {
    km_page_panel_begin(g->report);
    km_page_grid_begin(g->report);
    put_plies(g, m, 0);
    put_plies(g, m, 1);
    if (m < 3) {
      put_by_phase(g, m);
      put_differences(g, m);
    }
    km_page_grid_end(g->report);
    km_page_panel_end(g->report);
  }
  km_page_tabs_end(g->report);
}

/* ---- calibration --------------------------------------------------------------------------------------- */

static void put_calibration(const group *g, const char *model) {
  const json_t *bins = km_json_get(result_of(g, model, "all", NULL), "calibration");
  size_t n = json_array_size(bins);
  km_figure *figure =
      n ? km_figure_new(scratch_of(g), KM_TEXT(g->report, "%s-calibration-%s", g->id, model)) : NULL;
  km_series_plot *line = figure ? km_figure_add(scratch_of(g), figure, "as it should be", 2, 0) : NULL,
                 *points = line ? km_figure_add(scratch_of(g), figure, model, n, 1) : NULL;
  if (!points)
    return;
  line->x[0] = line->y[0] = 0;
  line->x[1] = line->y[1] = 1;
  line->colour = KM_COLOUR_GREY;
  line->dashed = 1;
  points->kind = KM_SERIES_POINTS;
  points->colour = colour_of(model);
  for (size_t i = 0; i < n; i++) {
    const json_t *bin = json_array_get(bins, i), *e = km_json_get(bin, "share");
    points->x[i] = km_json_get_number(bin, "mean_p");
    points->y[i] = km_json_get_number(bin, "n") > 0 ? km_json_get_number(e, "value") : (double)NAN;
    points->low[i] = km_json_get_number(e, "low");
    points->high[i] = km_json_get_number(e, "high");
  }
  figure->title = KM_TEXT(g->report, "Calibration: %s", model);
  figure->x_label = "win-rate said of Black";
  figure->y_label = "share of these positions that Black won";
  figure->x_range[0] = figure->y_range[0] = 0;
  figure->x_range[1] = figure->y_range[1] = 1;
  figure->height = 360;
  figure->square = 1;
  km_page_figure(g->report, figure, 0);
}

/* ---- coefficients and effects -------------------------------------------------------------------------- */

static void put_coefficient(km_report *report, const char *model, const char *column) {
  const json_t *models = km_json_get(report->inputs.json[KM_INPUT_WINRATE], "models"),
               *fits = km_json_get(km_json_find(models, "name", model), "fits");
  size_t n = json_array_size(fits);
  km_figure *figure =
      n ? km_figure_new(&report->scratch, KM_TEXT(report, "winrate-coefficient-%s-%s", model, column)) : NULL;
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, column, n, 1) : NULL;
  if (!s)
    return;
  s->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < n; i++) {
    const json_t *fit = json_array_get(fits, i),
                 *c = km_json_find(km_json_get(fit, "coefficients"), "name", column);
    double from = km_json_get_number(fit, "from"), to = km_json_get_number(fit, "to"),
           beta = km_json_get_number(c, "beta"), se = km_json_get_number(c, "se_cluster");
    s->x[i] = isfinite(to) ? 0.5 * (from + to) : from;
    s->y[i] = beta;
    s->low[i] = beta - 1.96 * se;
    s->high[i] = beta + 1.96 * se;
  }
  figure->title = KM_TEXT(report, "Coefficient of %s in the model %s", column, model);
  figure->note = "One fit a stretch of the game; intervals by errors clustered by game. Above 0: more of it, "
                 "more wins of Black.";
  figure->x_label = "moves";
  figure->y_label = "coefficient";
  km_figure_mark_y(figure, 0, "");
  km_page_figure(report, figure, 0);
}

static void put_effect(km_report *report, const json_t *effect) {
  const json_t *points = km_json_get(effect, "points");
  size_t n = json_array_size(points);
  const char *signal = km_json_get_text(effect, "signal");
  km_figure *figure =
      n ? km_figure_new(&report->scratch, KM_TEXT(report, "winrate-effect-%s", signal)) : NULL;
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, "won minus lost", n, 1) : NULL;
  if (!s)
    return;
  for (size_t i = 0; i < n; i++) {
    const json_t *point = json_array_get(points, i);
    double d = km_json_get_number(point, "d"), n1 = km_json_get_number(km_json_get(point, "won"), "n"),
           n2 = km_json_get_number(km_json_get(point, "lost"), "n");
    double half = 1.96 * sqrt(1 / n1 + 1 / n2 + d * d / (2 * (n1 + n2)));
    s->x[i] = km_json_get_number(point, "ply");
    if (n1 + n2 < 60)
      continue;
    s->y[i] = d;
    s->low[i] = d - half;
    s->high[i] = d + half;
  }
  figure->title = KM_TEXT(report, "Effect size of %s", signal);
  figure->note = KM_TEXT(
      report, "%s: Black’s wins minus losses, in standard deviations (Cohen’s d). 0.2 is called small.",
      km_json_get_text(effect, "doc"));
  figure->x_label = "moves";
  figure->y_label = "d";
  km_figure_mark_y(figure, 0, "");
  km_figure_mark_y(figure, 0.2, "small");
  km_figure_mark_y(figure, -0.2, "");
  km_page_figure(report, figure, 0);
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static void put_introduction(km_report *report, const json_t *root) {
  const json_t *games = km_json_get(root, "games"), *settings = km_json_get(root, "settings");
  km_scratch *t = &report->scratch;
  double folds = km_json_get_number(settings, "folds");
  km_page_paragraph(
      report,
      KM_TEXT(
          report,
          "%s positions (sample: %s) of %s games on %.0f×%.0f with a winner; Black won %s of these games. "
          "Left out: %s of other sizes, %s without a "
          "winner, %s drawn.",
          km_count_text(t, km_json_get_number(root, "positions")), km_json_get_text(settings, "sample"),
          km_count_text(t, km_json_get_number(games, "used")), km_json_get_number(settings, "board"),
          km_json_get_number(settings, "board"),
          km_percent_text(t, km_json_get_number(games, "black_won") / km_json_get_number(games, "used"), 1),
          km_count_text(t, km_json_get_number(games, "other_size")),
          km_count_text(t, km_json_get_number(games, "no_winner")),
          km_count_text(t, km_json_get_number(games, "drawn"))));
  km_page_paragraph(
      report, KM_TEXT(report,
                      "Every figure is of games that the model was not fitted on (%s), with intervals from a "
                      "bootstrap over games.",
                      folds >= 2 ? KM_TEXT(report, "cross-validation in %.0f parts, split by game", folds)
                                 : "one split, by game"));
}

void km_section_winrate(km_report *report) {
  const json_t *root = report->inputs.json[KM_INPUT_WINRATE], *effects = km_json_get(root, "effects");
  if (!root)
    return;
  group g = make_group(report, km_json_get(root, "results"), "winrate");
  km_page_section_begin(report, "winner", "Who wins?");
  put_introduction(report, root);
  put_model_tables(&g);
  put_all_plies(&g);
  km_page_heading(report, "Calibration");
  km_page_grid_begin(report);
  for (size_t k = 0; k < g.n_models; k++)
    if (!is_network(g.models[k]) && strcmp(g.models[k], "constant") != 0 &&
        strcmp(g.models[k], "hbs_layers") != 0 && strcmp(g.models[k], "hbs_both") != 0)
      put_calibration(&g, g.models[k]);
  km_page_grid_end(report);
  km_page_heading(report, "What the model says of S, and how far won and lost games are apart");
  km_page_grid_begin(report);
  put_coefficient(report, "hbs", "log2_black");
  put_coefficient(report, "hbs_delta", "delta_black");
  for (size_t i = 0; i < json_array_size(effects); i++)
    put_effect(report, json_array_get(effects, i));
  km_page_grid_end(report);
  km_page_section_end(report);
}

static void put_external(km_report *report, const json_t *external, size_t number) {
  km_scratch *t = &report->scratch;
  group g = make_group(report, km_json_get(external, "results"), KM_TEXT(report, "external-%zu", number));
  double unmatched = 0;
  static const char *const reasons[] = {"no_game", "ambiguous", "no_ply", "not_used", "duplicate"};
  for (size_t i = 0; i < 5; i++)
    unmatched += fmax(0, km_json_get_number(external, reasons[i]));
  km_page_heading(report, km_json_get_text(external, "name"));
  km_page_paragraph(
      report,
      KM_TEXT(report, "%s win-rates; %s are of positions of the games used here (%s games), %s are not.",
              km_count_text(t, km_json_get_number(external, "rows")),
              km_count_text(t, km_json_get_number(external, "matched")),
              km_count_text(t, km_json_get_number(external, "games")), km_count_text(t, unmatched)));
  if (json_array_size(g.results) == 0)
    return;
  put_model_tables(&g);
  km_page_grid_begin(report);
  put_plies(&g, 0, 0);
  put_plies(&g, 1, 0);
  put_by_phase(&g, 0);
  put_differences(&g, 0);
  put_calibration(&g, "external");
  put_calibration(&g, "hbs_all");
  km_page_grid_end(report);
}

void km_section_external(km_report *report) {
  const json_t *externals = km_json_get(report->inputs.json[KM_INPUT_WINRATE], "external");
  if (json_array_size(externals) == 0)
    return;
  km_page_section_begin(report, "networks", "Beside deep networks");
  km_page_paragraph(report,
                    "Win-rates that others gave to the same positions, and our models at just these.");
  for (size_t i = 0; i < json_array_size(externals) && i < 8; i++)
    put_external(report, json_array_get(externals, i), i);
  km_page_section_end(report);
}
