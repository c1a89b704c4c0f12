/* section_styles.c: do players differ in their trajectories by more than from themselves? */
#include "sections.h"

#include <math.h>
#include <string.h>

enum { CURVES_SHOWN = 6, PLAYERS_SHOWN = 24, LABELS_MAX = 24 };

static void put_tests(km_report *report, const json_t *root) {
  static const char *const titles[] = {"Of",          "Players of",  "#Players",         "#Between players",
                                       "#Within one", "#Difference", "#Permutation test"};
  const json_t *tests = km_json_get(root, "tests");
  km_scratch *t = &report->scratch;
  if (json_array_size(tests) == 0) {
    km_page_paragraph(report, "Too few of them to be tested.");
    return;
  }
  km_page_table_begin(report, titles, 7);
  for (size_t i = 0; i < json_array_size(tests); i++) {
    const json_t *test = json_array_get(tests, i);
    km_page_row_begin(report);
    km_page_cell(report, km_json_get_text(test, "of"));
    km_page_cell(report, km_json_get_text(test, "source"));
    km_page_number(report, km_count_text(t, km_json_get_number(test, "players")));
    km_page_number(report, km_fixed_text(t, km_json_get_number(test, "between"), 3));
    km_page_number(report, km_fixed_text(t, km_json_get_number(test, "within"), 3));
    km_page_number(report, km_signed_text(t, km_json_get_number(test, "difference"), 3));
    km_page_number(report, km_p_text(t, km_json_get_number(test, "p_value")));
    km_page_row_end(report);
  }
  km_page_table_end(report);
}

/* A scatter with names beside the points. */
static void put_map(km_report *report, const json_t *root) {
  const json_t *map = km_json_get(root, "map"), *players = km_json_get(map, "players");
  size_t n = json_array_size(players);
  km_figure *figure = n ? km_figure_new(&report->scratch, "styles-map") : NULL;
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, "players", n, 0) : NULL;
  const char **labels = km_scratch_zalloc(&report->scratch, (n + 1) * sizeof *labels);
  if (!s || !labels)
    return;
  s->kind = KM_SERIES_POINTS;
  s->labels = labels;
  for (size_t i = 0; i < n; i++) {
    const json_t *player = json_array_get(players, i);
    labels[i] = km_json_get_text(player, "name");
    s->x[i] = km_json_get_number(player, "x");
    s->y[i] = km_json_get_number(player, "y");
  }
  figure->title = "Map of the best separated players";
  figure->note =
      "Distances are those of their mean curves of both colours, as well as two dimensions can show them.";
  figure->x_label = "bits";
  figure->y_label = "bits";
  figure->height = 420;
  km_page_figure(report, figure, 0);
}

static void put_indices(km_report *report, const json_t *players) {
  size_t n = json_array_size(players);
  km_figure *figure = n ? km_figure_new(&report->scratch, "styles-indices") : NULL;
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, "players", n, 0) : NULL;
  const char **labels = km_scratch_zalloc(&report->scratch, (n + 1) * sizeof *labels);
  if (!s || !labels)
    return;
  s->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < n; i++) {
    const json_t *player = json_array_get(players, i), *index = km_json_get(player, "index");
    labels[i] = km_json_get_text(player, "name");
    s->x[i] = km_json_get_number(km_json_get(index, "line"), "mean");
    s->y[i] = km_json_get_number(km_json_get(index, "hbs"), "mean");
  }
  s->labels = labels;
  s->quiet = n > LABELS_MAX;
  figure->title = "Territory and influence, asked twice";
  figure->note = "Above: early weight on outer layers by HBS. To the right: share of own stones on the first "
                 "three lines.";
  figure->x_label = "share of stones on lines 1–3";
  figure->y_label = "HBS index: fill of the outer layers minus the inner ones";
  figure->height = 420;
  km_page_figure(report, figure, 0);
}

/* Players by their HBS index, with intervals: those at both ends where there are many. */
static void put_index_rows(km_report *report, const json_t *players) {
  size_t n = json_array_size(players), shown = 0, order[PLAYERS_SHOWN];
  for (size_t i = 0; i < n && shown < PLAYERS_SHOWN; i++) { /* most games first; kept sorted by the index */
    double mean =
        km_json_get_number(km_json_get(km_json_get(json_array_get(players, i), "index"), "hbs"), "mean");
    size_t at = shown++;
    for (; at > 0 && km_json_get_number(
                         km_json_get(km_json_get(json_array_get(players, order[at - 1]), "index"), "hbs"),
                         "mean") > mean;
         at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  km_figure *figure = shown ? km_figure_new(&report->scratch, "styles-index") : NULL;
  km_series_plot *s = figure ? km_figure_add(&report->scratch, figure, "HBS index", shown, 1) : NULL;
  const char **names = km_scratch_zalloc(&report->scratch, (shown + 1) * sizeof *names);
  if (!s || !names)
    return;
  s->kind = KM_SERIES_POINTS;
  for (size_t row = 0; row < shown; row++) {
    const json_t *player = json_array_get(players, order[row]),
                 *index = km_json_get(km_json_get(player, "index"), "hbs");
    double mean = km_json_get_number(index, "mean"), half = 1.96 * km_json_get_number(index, "se");
    names[row] = km_json_get_text(player, "name");
    s->x[row] = mean;
    s->y[row] = (double)row;
    s->low[row] = mean - half;
    s->high[row] = mean + half;
  }
  figure->rows = 1;
  figure->categories = names;
  figure->n_categories = shown;
  figure->title = "HBS index of the players with most games";
  figure->note = "High: territory. Low: influence. With 95 % intervals over games.";
  figure->x_label = "fill of the outer layers minus the inner ones";
  figure->height = 70 + 22 * (int)shown;
  km_page_figure(report, figure, 0);
}

/* Mean over players of their mean curves as Black, at n places. */
static double *mean_of_players(km_report *report, const json_t *players, size_t n_plies) {
  double *mean = km_scratch_numbers(&report->scratch, n_plies + 1),
         *n_seen = km_scratch_zalloc(&report->scratch, (n_plies + 1) * sizeof *n_seen);
  for (size_t k = 0; mean && n_seen && k < json_array_size(players); k++) {
    size_t n;
    double *log2 =
        km_json_get_numbers(&report->scratch, km_json_get(json_array_get(players, k), "black"), "log2", &n);
    for (size_t i = 0; i < n && i < n_plies; i++)
      if (isfinite(log2[i])) {
        mean[i] = (n_seen[i] > 0 ? mean[i] : 0) + log2[i];
        n_seen[i]++;
      }
  }
  for (size_t i = 0; mean && n_seen && i < n_plies; i++)
    mean[i] /= n_seen[i];
  return mean;
}

/* Typical trajectories as Black, less the mean of all players. */
static void put_curves(km_report *report, const json_t *root) {
  const json_t *players = km_json_get(root, "players"),
               *mapped = km_json_get(km_json_get(root, "map"), "players");
  size_t n_plies, n, n_se;
  km_scratch *t = &report->scratch;
  double *plies = km_json_get_numbers(t, root, "plies", &n_plies),
         *mean = mean_of_players(report, players, n_plies);
  km_figure *figure = km_figure_new(t, "styles-curves");
  if (!mean || !figure)
    return;
  for (size_t k = 0; k < json_array_size(mapped) && figure->n_series < CURVES_SHOWN; k++) {
    const char *name = km_json_get_text(json_array_get(mapped, k), "name");
    const json_t *black = km_json_get(km_json_find(players, "name", name), "black");
    double *log2 = km_json_get_numbers(t, black, "log2", &n),
           *se = km_json_get_numbers(t, black, "se", &n_se);
    n = n < n_plies ? n : n_plies;
    km_series_plot *s = n && n_se >= n ? km_figure_add(t, figure, name, n, 1) : NULL;
    for (size_t i = 0; s && i < n; i++) {
      s->x[i] = plies[i];
      s->y[i] = log2[i] - mean[i];
      s->low[i] = s->y[i] - 1.96 * se[i];
      s->high[i] = s->y[i] + 1.96 * se[i];
    }
  }
  figure->title = "Typical trajectories as Black";
  figure->note = "Mean log2(1 + S) of a player less the mean of all players, for the best separated; bands "
                 "are 95 % intervals.";
  figure->x_label = "moves";
  figure->y_label = "bits more than the mean";
  figure->height = 380;
  km_figure_zoom(figure, 10);
  km_figure_mark_y(figure, 0, "");
  km_page_figure(report, figure, 0);
}

static void put_variances(km_report *report, const json_t *root) {
  static const char *const titles[] = {"Index", "#Mean", "#Spread within a player", "#Spread between players",
                                       "#Share of variance between"},
                           *const keys[] = {"hbs", "line"};
  const json_t *index = km_json_get(root, "index");
  km_scratch *t = &report->scratch;
  km_page_table_begin(report, titles, 5);
  for (int k = 0; k < 2; k++) {
    const json_t *i = km_json_get(index, keys[k]);
    km_page_row_begin(report);
    km_page_cell(report, k ? "share of stones on lines 1–3" : "HBS: outer layers minus inner");
    km_page_number(report, km_fixed_text(t, km_json_get_number(i, "mean"), 3));
    km_page_number(report, km_fixed_text(t, km_json_get_number(i, "sd_within"), 3));
    km_page_number(report, km_fixed_text(t, km_json_get_number(i, "sd_between"), 3));
    km_page_number(report, km_percent_text(t, km_json_get_number(i, "icc"), 1));
    km_page_row_end(report);
  }
  km_page_table_end(report);
  km_page_note(report, KM_TEXT(report, "Correlation of the two indices over players: %s.",
                               km_signed_text(t, km_json_get_number(index, "correlation"), 2)));
}

void km_section_styles(km_report *report) {
  const json_t *root = report->inputs.json[KM_INPUT_STYLES], *players = km_json_get(root, "players");
  km_scratch *t = &report->scratch;
  if (!root)
    return;
  const json_t *settings = km_json_get(root, "settings");
  km_page_section_begin(report, "styles", "Players");
  km_page_paragraph(report, KM_TEXT(report,
                                    "%zu of %s players have %s games or more. Distances between halves of "
                                    "one player’s games are compared with those between players.",
                                    json_array_size(players),
                                    km_count_text(t, km_json_get_number(root, "players_seen")),
                                    km_count_text(t, km_json_get_number(settings, "min_games"))));
  if (json_array_size(players) > 0) {
    put_tests(report, root);
    km_page_grid_begin(report);
    put_map(report, root);
    put_indices(report, players);
    put_curves(report, root);
    put_index_rows(report, players);
    km_page_grid_end(report);
    put_variances(report, root);
  }
  km_page_section_end(report);
}
