/* section_curves.c: the trajectories of S: mean curves with their spread, by winner, by layer, by stratum,
 * their growth, S itself.
 *
 * A board size has a tab, and within it each series, since S of different boards cannot be compared. Curves
 * are drawn as far as LEAST_GAMES games and LEAST_SHARE of all still run; sizes behind the first few get
 * fewer places a line, so that the page stays small. */
#include "sections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_GAMES = 5, BIN = 10, FULL_SIZES = 2, PLACES_OF_OTHERS = 120, STRATA_SHOWN = 8 };
#define LEAST_SHARE 0.02

/* What all figures of a panel share. */
typedef struct panel {
  km_report *report;
  const json_t *summary;
  double size;
  const char *series; /* "black", "white" */
  size_t places;
  double middle, endgame; /* moves of the conventional division on this board */
} panel;

static km_scratch *scratch_of(const panel *p) {
  return &p->report->scratch;
}

static json_t *find_curve(const panel *p, const char *align, const char *by, const char *stratum) {
  json_t *curves = km_json_get(p->summary, "curves");
  for (size_t i = 0; i < json_array_size(curves); i++) {
    json_t *c = json_array_get(curves, i);
    if (km_json_get_number(c, "size") == p->size && strcmp(km_json_get_text(c, "series"), p->series) == 0 &&
        strcmp(km_json_get_text(c, "align"), align) == 0 && strcmp(km_json_get_text(c, "by"), by) == 0 &&
        strcmp(km_json_get_text(c, "stratum"), stratum) == 0)
      return c;
  }
  return NULL;
}

static size_t least_of(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Places of a curve that at least this share of its games reach. */
static size_t places_of(const panel *p, const json_t *curve, double share) {
  size_t n;
  double games = km_json_get_number(curve, "games"),
         *counts = km_json_get_numbers(scratch_of(p), curve, "n", &n);
  double least = fmin(games, fmax(LEAST_GAMES, share * games));
  while (n > 0 && !(counts[n - 1] >= least))
    n--;
  return n;
}
static size_t drawn_places(const panel *p, const json_t *curve) {
  return places_of(p, curve, LEAST_SHARE);
}

static int by_fraction(const json_t *curve) {
  return strcmp(km_json_get_text(curve, "align"), "fraction") == 0;
}

/* x of place i: moves, or the share of the game. */
static double place_x(const panel *p, const json_t *curve, size_t i) {
  return by_fraction(curve) ? (double)i / km_json_get_number(p->summary, "fractions") : (double)i;
}

static km_figure *new_figure(const panel *p, const char *name, const char *title, const json_t *curve) {
  km_figure *figure =
      km_figure_new(scratch_of(p), KM_TEXT(p->report, "curve-%.0f-%s-%s", p->size, p->series, name));
  if (!figure)
    return NULL;
  figure->title = title;
  figure->x_label = by_fraction(curve) ? "share of the game" : "moves";
  figure->y_label = "log2(1 + S)";
  return figure;
}

static void add_marks(const panel *p, km_figure *figure) {
  km_figure_mark_x(figure, p->middle, "middle game");
  km_figure_mark_x(figure, p->endgame, "endgame");
}

/* What the first moves, which put the first stones, would squeeze flat. */
static void zoom(km_figure *figure, const json_t *curve) {
  km_figure_zoom(figure, by_fraction(curve) ? 0.05 : 10);
}

/* Values under key as a line; spread_key: their errors, for a band of ± 1.96 of them; NULL: none. Scaled. */
typedef struct line_of {
  const char *name, *key, *spread_key;
  double scale;
} line_of;
static km_series_plot *add_line(const panel *p, km_figure *figure, const json_t *curve,
                                const json_t *values_of, line_of l) {
  size_t n, n_spread = 0, shown = drawn_places(p, curve);
  double *values = km_json_get_numbers(scratch_of(p), values_of, l.key, &n), *spread = NULL;
  if (l.spread_key)
    spread = km_json_get_numbers(scratch_of(p), values_of, l.spread_key, &n_spread);
  n = least_of(n, shown);
  km_series_plot *s = km_figure_add(scratch_of(p), figure, l.name, n, spread != NULL);
  for (size_t i = 0; s && i < n; i++) {
    s->x[i] = place_x(p, curve, i);
    s->y[i] = values[i] * l.scale;
    if (spread && i < n_spread) {
      s->low[i] = (values[i] - 1.96 * spread[i]) * l.scale;
      s->high[i] = (values[i] + 1.96 * spread[i]) * l.scale;
    }
  }
  return s;
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void put_mean(const panel *p, const char *align) {
  json_t *curve = find_curve(p, align, "all", "all");
  size_t n, n1, n3;
  if (!curve)
    return;
  km_figure *figure = new_figure(p, by_fraction(curve) ? "mean-fraction" : "mean",
                                 by_fraction(curve) ? "Mean, by share of the game" : "Mean, by move", curve);
  double *mean = km_json_get_numbers(scratch_of(p), curve, "mean", &n),
         *q1 = km_json_get_numbers(scratch_of(p), curve, "q1", &n1),
         *q3 = km_json_get_numbers(scratch_of(p), curve, "q3", &n3);
  n = least_of(n, drawn_places(p, curve));
  km_series_plot *s = km_figure_add(scratch_of(p), figure, "mean", n, n1 > 0 && n3 > 0);
  for (size_t i = 0; s && i < n; i++) {
    s->x[i] = place_x(p, curve, i);
    s->y[i] = mean[i];
    if (s->low && i < n1 && i < n3) {
      s->low[i] = q1[i];
      s->high[i] = q3[i];
    }
  }
  if (!s)
    return;
  add_line(p, figure, curve, curve, (line_of){"median", "median", NULL, 1});
  figure->series[figure->n_series - 1].dashed = 1;
  figure->note = "The band holds the middle half of the games; the first moves lie below.";
  zoom(figure, curve);
  if (!by_fraction(curve))
    add_marks(p, figure);
  km_page_figure(p->report, figure, p->places);
}

static void put_counts(const panel *p) {
  json_t *curve = find_curve(p, "move", "all", "all");
  size_t n;
  double *counts = km_json_get_numbers(scratch_of(p), curve, "n", &n);
  km_figure *figure = curve ? new_figure(p, "games", "Games still running", curve) : NULL;
  while (n > 0 && counts[n - 1] < 0.001 * counts[0])
    n--;
  km_series_plot *s = figure && n ? km_figure_add(scratch_of(p), figure, "games", n, 0) : NULL;
  for (size_t i = 0; s && i < n; i++) {
    s->x[i] = (double)i;
    s->y[i] = counts[i];
  }
  if (!s)
    return;
  s->colour = KM_COLOUR_INK;
  figure->y_label = "games";
  figure->note = "Means by move are of these games alone; curves end where fewer than 2 % of the games, or "
                 "five, are left.";
  figure->y_range[0] = 0;
  km_page_figure(p->report, figure, p->places);
}

/* ---- by winner ----------------------------------------------------------------------------------------- */

static void put_winners(const panel *p, const char *align) {
  json_t *won = find_curve(p, align, "result", "black"), *lost = find_curve(p, align, "result", "white");
  if (!won || !lost)
    return;
  km_figure *figure = new_figure(p, by_fraction(won) ? "winners-fraction" : "winners",
                                 by_fraction(won) ? "By winner and share of the game" : "By winner", won);
  km_series_plot *b = add_line(p, figure, won, won, (line_of){"Black won", "mean", "se", 1});
  km_series_plot *w = add_line(p, figure, lost, lost, (line_of){"White won", "mean", "se", 1});
  if (!b || !w)
    return;
  b->colour = 0;
  w->colour = 1;
  figure->note = "Bands are means ± 1.96 standard errors.";
  zoom(figure, won);
  if (!by_fraction(won))
    add_marks(p, figure);
  km_page_figure(p->report, figure, p->places);
}

static void put_winner_difference(const panel *p) {
  json_t *won = find_curve(p, "move", "result", "black"), *lost = find_curve(p, "move", "result", "white");
  size_t n[4];
  if (!won || !lost)
    return;
  double *m1 = km_json_get_numbers(scratch_of(p), won, "mean", &n[0]),
         *e1 = km_json_get_numbers(scratch_of(p), won, "se", &n[1]),
         *m2 = km_json_get_numbers(scratch_of(p), lost, "mean", &n[2]),
         *e2 = km_json_get_numbers(scratch_of(p), lost, "se", &n[3]);
  size_t places = least_of(drawn_places(p, won), drawn_places(p, lost));
  for (int i = 0; i < 4; i++)
    places = least_of(places, n[i]);
  km_figure *figure = new_figure(p, "winner-difference", "Black's wins minus White's wins", won);
  km_series_plot *s = places ? km_figure_add(scratch_of(p), figure, "difference", places, 1) : NULL;
  if (!s)
    return;
  for (size_t i = 0; i < places; i++) {
    double half = 1.96 * sqrt(e1[i] * e1[i] + e2[i] * e2[i]);
    s->x[i] = (double)i;
    s->y[i] = m1[i] - m2[i];
    s->low[i] = s->y[i] - half;
    s->high[i] = s->y[i] + half;
  }
  figure->y_label = "difference of mean log2(1 + S), in bits";
  figure->note = "With a 95 % interval at each move.";
  zoom(figure, won);
  km_figure_mark_y(figure, 0, "");
  km_page_figure(p->report, figure, p->places);
}

/* ---- layers -------------------------------------------------------------------------------------------- */

static const char *layer_name(const panel *p, double side) {
  double line = (p->size - side) / 2 + 1;
  return KM_TEXT(p->report, "L%.0f (line %.0f)", side, line);
}

static void put_layers(const panel *p) {
  json_t *curve = find_curve(p, "move", "all", "all"), *layers = km_json_get(curve, "layers");
  size_t n = json_array_size(layers);
  if (n == 0)
    return;
  km_figure *figure = new_figure(p, "layers", "Layer by layer", curve);
  for (size_t k = 0; k < n; k++) {
    json_t *layer = json_array_get(layers, k);
    km_series_plot *s =
        add_line(p, figure, curve, layer,
                 (line_of){layer_name(p, km_json_get_number(layer, "side")), "mean", NULL, 1});
    if (s)
      s->colour = km_colour_ordered(k, n);
  }
  if (!figure)
    return;
  figure->y_label = "mean log2(1 + L)";
  figure->note = "From the edge (blue) to the centre (red).";
  add_marks(p, figure);
  km_page_figure(p->report, figure, n > 12 ? PLACES_OF_OTHERS : p->places);
}

/* Share of games that have a stone of the series on a layer by move t. */
static void put_first_stones(const panel *p) {
  json_t *all = km_json_get(p->summary, "first_stone");
  km_figure *figure = NULL;
  size_t n_layers = (size_t)p->size / 2, k = 0;
  for (size_t i = 0; i < json_array_size(all); i++) {
    json_t *layer = json_array_get(all, i);
    double games = km_json_get_number(layer, "games"), seen = 0;
    size_t n;
    if (km_json_get_number(layer, "size") != p->size ||
        strcmp(km_json_get_text(layer, "series"), p->series) != 0 || !(games > 0))
      continue;
    if (!figure)
      figure = new_figure(p, "first-stones", "When each layer gets its first stone", NULL);
    double *counts = km_json_get_numbers(scratch_of(p), layer, "counts", &n);
    km_series_plot *s =
        km_figure_add(scratch_of(p), figure, layer_name(p, km_json_get_number(layer, "side")), n, 0);
    for (size_t t = 0; s && t < n; t++) {
      seen += counts[t];
      s->x[t] = (double)t;
      s->y[t] = seen / games;
    }
    if (s)
      s->colour = km_colour_ordered(k++, n_layers);
  }
  if (!figure)
    return;
  figure->y_label = "share of games with a stone there";
  figure->y_range[0] = 0;
  figure->y_range[1] = 1;
  figure->note = "A game that ends without one never counts.";
  figure->x_range[0] = 0;
  figure->x_range[1] = fmax(1, (double)drawn_places(p, find_curve(p, "move", "all", "all")));
  add_marks(p, figure);
  km_page_figure(p->report, figure, n_layers > 12 ? PLACES_OF_OTHERS : p->places);
}

/* ---- growth -------------------------------------------------------------------------------------------- */

/* Means of values over BIN places, so that it does not matter whose turn it is. */
static double *binned(const panel *p, const double *values, size_t n, size_t *n_bins) {
  double *means = km_scratch_numbers(scratch_of(p), n / BIN + 1);
  *n_bins = means ? n / BIN : 0;
  for (size_t b = 0; b < *n_bins; b++) {
    double sum = 0;
    size_t seen = 0;
    for (size_t i = b * BIN; i < (b + 1) * BIN; i++)
      if (isfinite(values[i])) {
        sum += values[i];
        seen++;
      }
    means[b] = seen ? sum / (double)seen : (double)NAN;
  }
  return means;
}

static void put_growth(const panel *p) {
  json_t *curve = find_curve(p, "move", "all", "all");
  size_t n, n_bins;
  double *d1 = km_json_get_numbers(scratch_of(p), curve, "d1", &n);
  n = least_of(n, drawn_places(p, curve));
  double *means = binned(p, d1, n, &n_bins);
  if (n_bins < 2)
    return;
  km_figure *first = new_figure(p, "d1", "Growth: first difference", curve),
            *second = new_figure(p, "d2", "Its change: second difference", curve);
  km_series_plot *s1 = km_figure_add(scratch_of(p), first, "D1", n_bins, 0),
                 *s2 = km_figure_add(scratch_of(p), second, "D2", n_bins - 1, 0);
  if (!s1 || !s2)
    return;
  for (size_t b = 0; b < n_bins; b++) {
    s1->x[b] = BIN * ((double)b + 0.5);
    s1->y[b] = means[b];
    if (b + 1 < n_bins) {
      s2->x[b] = BIN * ((double)b + 1);
      s2->y[b] = (means[b + 1] - means[b]) / BIN;
    }
  }
  first->y_label = "log2(1 + S) gained a move";
  second->y_label = "change of that, a move";
  first->note = KM_TEXT(
      p->report,
      "Mean over ten moves; over the first ten it is %s. An S-shaped curve would rise first, then fall.",
      km_fixed_text(scratch_of(p), means[0], 2));
  second->note = "Of the ten-move means. Where it crosses zero, the curve turns.";
  km_figure_zoom(first, BIN);
  km_figure_zoom(second, 2 * BIN);
  km_figure_mark_y(first, 0, "");
  km_figure_mark_y(second, 0, "");
  add_marks(p, first);
  add_marks(p, second);
  km_page_figure(p->report, first, 0);
  km_page_figure(p->report, second, 0);
}

/* ---- S itself ------------------------------------------------------------------------------------------ */

/* The power of ten that S is drawn in. */
static int s_power(const double *values, size_t n) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    most = isfinite(values[i]) ? fmax(most, fabs(values[i])) : most;
  return most > 0 ? (int)floor(log10(most)) : 0;
}

/* Means of S or of its changes, with ± 1.96 errors. */
typedef struct s_line {
  const char *id, *title, *label;
  const char *key; /* of {mean, se} in the curve; NULL: S itself, whose errors follow from its deviations */
  double share;    /* of games that are still to run */
} s_line;
static void put_s_line(const panel *p, const json_t *curve, s_line l) {
  size_t n, n_spread, n_counts;
  const json_t *from = l.key ? km_json_get(curve, l.key) : curve;
  double *values = km_json_get_numbers(scratch_of(p), from, l.key ? "mean" : "s_mean", &n),
         *spread = km_json_get_numbers(scratch_of(p), from, l.key ? "se" : "s_sd", &n_spread),
         *counts = km_json_get_numbers(scratch_of(p), curve, "n", &n_counts);
  n = least_of(least_of(n, n_spread), least_of(n_counts, places_of(p, curve, l.share)));
  km_figure *figure = n ? new_figure(p, l.id, l.title, curve) : NULL;
  km_series_plot *s = figure ? km_figure_add(scratch_of(p), figure, l.label, n, 1) : NULL;
  if (!s)
    return;
  int power = s_power(values, n);
  double scale = pow(10, -power);
  for (size_t i = 0; i < n; i++) {
    double half = 1.96 * (l.key ? spread[i] : spread[i] / sqrt(counts[i]));
    s->x[i] = place_x(p, curve, i);
    s->y[i] = values[i] * scale;
    s->low[i] = (values[i] - half) * scale;
    s->high[i] = (values[i] + half) * scale;
  }
  figure->y_label = KM_TEXT(p->report, "%s, in units of 10^%d", l.label, power);
  figure->note = l.share > LEAST_SHARE
                     ? KM_TEXT(p->report, "Mean with a 95 %% interval, while %.0f %% of the games still run.",
                               100 * l.share)
                     : "Mean with a 95 % interval.";
  if (!by_fraction(curve))
    add_marks(p, figure);
  if (l.key)
    km_figure_mark_y(figure, 0, "");
  km_page_figure(p->report, figure, p->places);
}

static void put_s_itself(const panel *p) {
  json_t *move = find_curve(p, "move", "all", "all"), *fraction = find_curve(p, "fraction", "all", "all");
  double window = km_json_get_number(p->summary, "window");
  if (move)
    put_s_line(p, move, (s_line){"s", "S by move", "S", NULL, LEAST_SHARE});
  if (fraction)
    put_s_line(p, fraction, (s_line){"s-fraction", "S by share of the game", "S", NULL, LEAST_SHARE});
  if (move) {
    put_s_line(
        p, move,
        (s_line){"delta", KM_TEXT(p->report, "Change of S over %.0f moves", window), "ΔS", "delta", 0.1});
    put_s_line(p, move, (s_line){"s-d1", "First difference of S", "S(t) − S(t−1)", "s_d1", 0.25});
    put_s_line(p, move, (s_line){"s-d2", "Second difference of S", "S(t) − 2S(t−1) + S(t−2)", "s_d2", 0.25});
  }
}

/* ---- strata -------------------------------------------------------------------------------------------- */

static size_t strata_of(const panel *p, const char *by, json_t *found[STRATA_SHOWN]) {
  json_t *curves = km_json_get(p->summary, "curves");
  size_t n = 0;
  for (size_t i = 0; i < json_array_size(curves) && n < STRATA_SHOWN; i++) {
    json_t *c = json_array_get(curves, i);
    const char *stratum = km_json_get_text(c, "stratum");
    if (km_json_get_number(c, "size") == p->size && strcmp(km_json_get_text(c, "series"), p->series) == 0 &&
        !by_fraction(c) && strcmp(km_json_get_text(c, "by"), by) == 0 && strcmp(stratum, "others") != 0 &&
        strcmp(stratum, "unknown") != 0)
      found[n++] = c;
  }
  return n;
}

static void put_strata_of(const panel *p, const char *by, json_t *const *found, size_t n) {
  json_t *all = find_curve(p, "move", "all", "all");
  km_figure *figure = new_figure(p, KM_TEXT(p->report, "by-%s", by), KM_TEXT(p->report, "By %s", by), all);
  km_figure *apart = new_figure(p, KM_TEXT(p->report, "by-%s-minus-all", by),
                                KM_TEXT(p->report, "By %s, less the mean of all games", by), all);
  size_t n_all;
  double *mean = km_json_get_numbers(scratch_of(p), all, "mean", &n_all);
  for (size_t k = 0; k < n; k++) {
    const char *name = KM_TEXT(p->report, "%.40s (%s)", km_json_get_text(found[k], "stratum"),
                               km_count_text(scratch_of(p), km_json_get_number(found[k], "games")));
    add_line(p, figure, found[k], found[k], (line_of){name, "mean", NULL, 1});
    km_series_plot *s = add_line(p, apart, found[k], found[k], (line_of){name, "mean", "se", 1});
    for (size_t i = 0; s && i < s->n; i++) {
      double m = i < n_all ? mean[i] : (double)NAN;
      s->y[i] -= m;
      s->low[i] -= m;
      s->high[i] -= m;
    }
  }
  if (!figure || !apart)
    return;
  zoom(figure, all);
  zoom(apart, all);
  figure->note = "The strata with most games.";
  apart->note = "With 95 % intervals of the stratum's mean.";
  apart->y_label = "difference of mean log2(1 + S)";
  km_figure_mark_y(apart, 0, "");
  km_page_grid_begin(p->report);
  km_page_figure(p->report, figure, 160);
  km_page_figure(p->report, apart, 160);
  km_page_grid_end(p->report);
}

static void put_strata(const panel *p) {
  static const char *const kinds[] = {"rank", "player", "year", "komi", "source", "length"};
  enum { KINDS = sizeof kinds / sizeof *kinds };
  json_t *found[KINDS][STRATA_SHOWN];
  const char *names[KINDS];
  size_t n[KINDS], n_names = 0;
  for (size_t k = 0; k < KINDS; k++)
    if ((n[k] = strata_of(p, kinds[k], found[k])) > 1)
      names[n_names++] = kinds[k];
  if (n_names == 0)
    return;
  km_page_heading(p->report, "Strata");
  km_page_tabs_begin(p->report, "by", names, n_names);
  for (size_t k = 0; k < KINDS; k++)
    if (n[k] > 1) {
      km_page_panel_begin(p->report);
      put_strata_of(p, kinds[k], found[k], n[k]);
      km_page_panel_end(p->report);
    }
  km_page_tabs_end(p->report);
}

/* ---- the section --------------------------------------------------------------------------------------- */

static void put_panel(const panel *p) {
  km_page_heading(p->report, "The mean trajectory, and that of won and lost games");
  km_page_grid_begin(p->report);
  put_mean(p, "move");
  put_mean(p, "fraction");
  put_winners(p, "move");
  put_winners(p, "fraction");
  put_winner_difference(p);
  put_counts(p);
  km_page_grid_end(p->report);
  km_page_heading(p->report, "Layers");
  km_page_grid_begin(p->report);
  put_layers(p);
  put_first_stones(p);
  km_page_grid_end(p->report);
  km_page_heading(p->report, "Growth");
  km_page_grid_begin(p->report);
  put_growth(p);
  km_page_grid_end(p->report);
  km_page_heading(p->report, "S itself, not its logarithm");
  km_page_grid_begin(p->report);
  put_s_itself(p);
  km_page_grid_end(p->report);
  put_strata(p);
}

/* The moves after which middle game and endgame begin, as the phases' reference says, or 50 and 150, in
 * proportion to the area. */
static void set_division(const km_report *report, panel *p) {
  const json_t *reference = km_json_get(report->inputs.json[KM_INPUT_PHASES], "reference");
  double middle = km_json_get_number(reference, "middle"), endgame = km_json_get_number(reference, "endgame");
  double area = p->size * p->size / 361;
  p->middle = round((isfinite(middle) ? middle : 50) * area);
  p->endgame = round((isfinite(endgame) ? endgame : 150) * area);
}

static int compare_boards(const void *a, const void *b) {
  double x = km_json_get_number(*(json_t *const *)a, "games"),
         y = km_json_get_number(*(json_t *const *)b, "games");
  return x != y ? (x > y ? -1 : 1) : 0;
}

static void put_steps(km_report *report, const json_t *summary) {
  static const char *const titles[] = {"Board",
                                       "Series",
                                       "#Moves",
                                       "#S rises",
                                       "#unchanged",
                                       "#falls",
                                       "#falls, nothing captured",
                                       "#Games with a fall"};
  const json_t *steps = km_json_get(summary, "steps");
  km_scratch *t = &report->scratch;
  km_page_table_begin(report, titles, 8);
  for (size_t i = 0; i < json_array_size(steps); i++) {
    const json_t *s = json_array_get(steps, i);
    double moves = km_json_get_number(s, "moves"), games = km_json_get_number(s, "games");
    km_page_row_begin(report);
    km_page_cell(report,
                 KM_TEXT(report, "%.0f×%.0f", km_json_get_number(s, "size"), km_json_get_number(s, "size")));
    km_page_cell(report, km_json_get_text(s, "series"));
    km_page_number(report, km_count_text(t, moves));
    km_page_number(report, km_percent_text(t, km_json_get_number(s, "rising") / moves, 2));
    km_page_number(report, km_percent_text(t, km_json_get_number(s, "unchanged") / moves, 2));
    km_page_number(report, km_percent_text(t, km_json_get_number(s, "falling") / moves, 2));
    km_page_number(report, km_percent_text(t, km_json_get_number(s, "falling_without_capture") / moves, 2));
    km_page_number(report, km_percent_text(t, km_json_get_number(s, "games_falling") / games, 2));
    km_page_row_end(report);
  }
  km_page_table_end(report);
}

static void put_series_of(km_report *report, panel p) {
  const json_t *series = km_json_get(p.summary, "series");
  size_t n = least_of(json_array_size(series), KM_TABS_MAX);
  const char *names[KM_TABS_MAX];
  for (size_t i = 0; i < n; i++)
    names[i] =
        json_string_value(json_array_get(series, i)) ? json_string_value(json_array_get(series, i)) : "";
  if (n > 1)
    km_page_tabs_begin(report, "stones counted", names, n);
  for (size_t i = 0; i < n; i++) {
    p.series = names[i];
    if (n > 1)
      km_page_panel_begin(report);
    put_panel(&p);
    if (n > 1)
      km_page_panel_end(report);
  }
  if (n > 1)
    km_page_tabs_end(report);
}

void km_section_curves(km_report *report) {
  const json_t *summary = report->inputs.json[KM_INPUT_HBS], *boards = km_json_get(summary, "boards");
  json_t *shown[KM_TABS_MAX];
  const char *names[KM_TABS_MAX];
  size_t n = 0;
  if (!summary)
    return;
  for (size_t i = 0; i < json_array_size(boards) && n < KM_TABS_MAX; i++)
    if (json_is_true(km_json_get(json_array_get(boards, i), "curves")) &&
        km_json_get_size(json_array_get(boards, i), "size") > 0)
      shown[n++] = json_array_get(boards, i);
  qsort(shown, n, sizeof *shown, compare_boards);
  for (size_t i = 0; i < n; i++)
    names[i] = KM_TEXT(report, "%.0f×%.0f, %s games", km_json_get_number(shown[i], "size"),
                       km_json_get_number(shown[i], "size"),
                       km_count_text(&report->scratch, km_json_get_number(shown[i], "games")));
  km_page_section_begin(report, "trajectories", "Trajectories of S");
  km_page_paragraph(report, KM_TEXT(report,
                                    "S after every move of %s games, %s positions, in the variant “%s”. S is "
                                    "decided by the outermost line that has "
                                    "a stone, so that most plots are of log2(1 + S).",
                                    km_count_text(&report->scratch, km_json_get_number(summary, "games")),
                                    km_count_text(&report->scratch, km_json_get_number(summary, "positions")),
                                    km_json_get_text(summary, "variant")));
  put_steps(report, summary);
  if (n > 1)
    km_page_tabs_begin(report, "board", names, n);
  for (size_t i = 0; i < n; i++) {
    panel p = {
        report, summary, km_json_get_number(shown[i], "size"), "", i < FULL_SIZES ? 0 : PLACES_OF_OTHERS,
        0,      0};
    set_division(report, &p);
    if (n > 1)
      km_page_panel_begin(report);
    put_series_of(report, p);
    if (n > 1)
      km_page_panel_end(report);
  }
  if (n > 1)
    km_page_tabs_end(report);
  km_page_section_end(report);
}
