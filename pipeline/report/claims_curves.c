/* claims_curves.c: does S grow, in what shape, and on which lines? All of hbs.summary.json: Black's series
 * (the paper's), on 19×19 if there are such games, else on the board with most games. */
#include "claims.h"

#include <math.h>
#include <string.h>

#define Z1 1.959963984540054 /* of one interval at 95 % */
enum { TENTHS = 10 };

typedef struct subject {
  km_report *report;
  const json_t *summary;
  double size;
  const char *series;
} subject;

static int is_of(const subject *s, const json_t *object) {
  return km_json_get_number(object, "size") == s->size &&
         strcmp(km_json_get_text(object, "series"), s->series) == 0;
}

static const json_t *curve_of_all(const subject *s, const char *align) {
  const json_t *curves = km_json_get(s->summary, "curves");
  for (size_t i = 0; i < json_array_size(curves); i++) {
    const json_t *c = json_array_get(curves, i);
    if (is_of(s, c) && strcmp(km_json_get_text(c, "align"), align) == 0 &&
        strcmp(km_json_get_text(c, "by"), "all") == 0)
      return c;
  }
  return NULL;
}

static subject choose_subject(km_report *report) {
  subject s = {report, report->inputs.json[KM_INPUT_HBS], (double)NAN, "black"};
  const json_t *boards = km_json_get(s.summary, "boards"), *series = km_json_get(s.summary, "series");
  double most = -1;
  for (size_t i = 0; i < json_array_size(boards); i++) {
    const json_t *b = json_array_get(boards, i);
    double size = km_json_get_number(b, "size"),
           games = size == 19 ? INFINITY : km_json_get_number(b, "games");
    if (json_is_true(km_json_get(b, "curves")) && games > most) {
      most = games;
      s.size = size;
    }
  }
  const char *first = json_string_value(json_array_get(series, 0));
  if (first)
    s.series = first;
  return s;
}

static const char *board_text(const subject *s) {
  return KM_TEXT(s->report, "%.0f×%.0f", s->size, s->size);
}

/* ---- S never falls ------------------------------------------------------------------------------------- */

static void judge_monotone(const subject *s, km_claims *claims) {
  km_claim claim = {.title = "S keeps growing through the game",
                    .quote = "In the middle game, as fighting spreads to the inner layers, S(t) keeps "
                             "increasing, in another pattern",
                    .where = "§3, question A, hypothesis",
                    .test = "Share of games in which at least one move makes S smaller (Wilson interval). "
                            "Supported if no game has such a move; not supported if "
                            "the interval lies above 5 %; else not decidable."};
  const json_t *steps = km_json_get(s->summary, "steps"), *of = NULL;
  for (size_t i = 0; i < json_array_size(steps); i++)
    of = is_of(s, json_array_get(steps, i)) ? json_array_get(steps, i) : of;
  double games = km_json_get_number(of, "games"), falling = km_json_get_number(of, "games_falling"), v[3];
  km_scratch *t = &s->report->scratch;
  claim.figure = km_claim_needs(s->report, "hbs.summary.json");
  if (games > 0 && isfinite(falling)) {
    km_wilson(falling, games, v);
    claim.verdict = falling == 0 ? KM_SUPPORTED : v[1] > 0.05 ? KM_NOT_SUPPORTED : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(
        s->report,
        "S falls at least once in %s of %s games on %s [%s, %s]; %s of all moves make it smaller, %s without "
        "capturing anything.",
        km_percent_text(t, v[0], 1), km_count_text(t, games), board_text(s), km_percent_text(t, v[1], 1),
        km_percent_text(t, v[2], 1),
        km_percent_text(t, km_json_get_number(of, "falling") / km_json_get_number(of, "moves"), 1),
        km_percent_text(
            t, km_json_get_number(of, "falling_without_capture") / km_json_get_number(of, "moves"), 1));
  }
  km_claim_add(claims, claim);
}

/* The z of n two-sided intervals that hold at 95 % all together: erfc(z/√2) = 0.05/n. */
static double z_of(int n) {
  double low = 0, high = 10;
  for (int k = 0; k < 60; k++) {
    double middle = 0.5 * (low + high);
    *(erfc(middle / sqrt(2)) > 0.05 / n ? &low : &high) = middle;
  }
  return low;
}

/* Windows of ΔS that do not overlap, where at least 30 games have one. */
typedef struct windows {
  int n, rising, falling;
} windows;
static windows count_windows(const subject *s) {
  enum { GAMES_LEAST = 30 };
  windows w = {0, 0, 0};
  const json_t *curve = curve_of_all(s, "move"), *delta = km_json_get(curve, "delta");
  km_scratch *t = &s->report->scratch;
  size_t n, n_se, n_counts;
  double *mean = km_json_get_numbers(t, delta, "mean", &n), *se = km_json_get_numbers(t, delta, "se", &n_se),
         *counts = km_json_get_numbers(t, curve, "n", &n_counts),
         width = km_json_get_number(s->summary, "window");
  size_t step = width >= 1 && width < 1e6 ? (size_t)width : 1000000, end = step;
  for (; end < n && end < n_se && end < n_counts && counts[end] >= GAMES_LEAST; end += step)
    w.n++;
  double z = z_of(w.n > 0 ? w.n : 1);
  for (size_t i = step; i < end; i += step) {
    w.rising += mean[i] - z * se[i] > 0;
    w.falling += mean[i] + z * se[i] < 0;
  }
  return w;
}

static void judge_mean_growth(const subject *s, km_claims *claims) {
  km_claim claim = {.title = "On average S grows in every stretch of the game",
                    .quote = "the curve S(t) of S as it changes with time (moves)",
                    .where = "abstract; §3, question A",
                    .test = "Mean ΔS over stretches that do not overlap, with intervals that hold at 95 % "
                            "all together. Supported if none lies below 0 and nine of ten lie "
                            "above; not supported if one lies below; else not decidable."};
  claim.figure = km_claim_needs(s->report, "hbs.summary.json with ΔS by move");
  windows w = count_windows(s);
  if (w.n > 0) {
    claim.verdict = w.falling ? KM_NOT_SUPPORTED : w.rising >= 0.9 * w.n ? KM_SUPPORTED : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(
        s->report,
        "Of %d stretches of %.0f moves, mean S rises in %d, falls in %d, and neither is certain in %d.", w.n,
        km_json_get_number(s->summary, "window"), w.rising, w.falling, w.n - w.rising - w.falling);
  }
  km_claim_add(claims, claim);
}

/* ---- the shape of growth ------------------------------------------------------------------------------- */

/* Growth of the mean in each of n equal parts of the game, and its squared error. 0: not there. */
typedef struct growth {
  double gain[TENTHS], square[TENTHS], whole;
} growth;
static int growth_in_parts(const subject *s, int of_log, size_t parts, growth *g) {
  const json_t *curve = curve_of_all(s, "fraction");
  size_t n, n_sd, n_counts, m = km_json_get_size(s->summary, "fractions");
  km_scratch *t = &s->report->scratch;
  double *mean = km_json_get_numbers(t, curve, of_log ? "mean" : "s_mean", &n),
         *sd = km_json_get_numbers(t, curve, of_log ? "sd" : "s_sd", &n_sd),
         *counts = km_json_get_numbers(t, curve, "n", &n_counts);
  if (!curve || n < parts + 1 || n != m + 1 || n_sd != n || n_counts != n || counts[0] < 2)
    return 0;
  for (size_t k = 0; k < parts; k++) {
    size_t a = k * m / parts, b = (k + 1) * m / parts;
    g->gain[k] = mean[b] - mean[a];
    g->square[k] = (sd[a] * sd[a] + sd[b] * sd[b]) / counts[0];
  }
  g->whole = mean[n - 1] - mean[0];
  return g->whole > 0;
}

static void judge_s_shape(const subject *s, int of_log, km_claims *claims) {
  km_claim claim = {.title = of_log ? "S(t) grows in the shape of an S (read on log2(1 + S))"
                                    : "S(t) grows in the shape of an S (read on S itself)",
                    .quote =
                        "S(t) indeed shows an “S-shaped” pattern of growth that fits the stages of theory",
                    .where = "§4, on question A",
                    .test = "Growth of the mean in each tenth of the game. Supported if the steepest tenth "
                            "is neither the first nor the last and beats both, intervals of the "
                            "differences above 0 (all at once at 95 %); not supported if the first or the "
                            "last beats every tenth between them so; else not decidable."};
  growth g;
  claim.figure = km_claim_needs(s->report, "hbs.summary.json by fraction");
  if (growth_in_parts(s, of_log, TENTHS, &g)) {
    size_t top = 0, inner = 1;
    for (size_t k = 0; k < TENTHS; k++) {
      top = g.gain[k] > g.gain[top] ? k : top;
      inner = k > 0 && k < TENTHS - 1 && g.gain[k] > g.gain[inner] ? k : inner;
    }
    size_t ends[2] = {0, TENTHS - 1};
    int beats_both = 1, is_beaten = 0;
    for (int e = 0; e < 2; e++) {
      double difference = g.gain[inner] - g.gain[ends[e]],
             half = z_of(TENTHS) * sqrt(g.square[inner] + g.square[ends[e]]);
      beats_both &= difference - half > 0;
      is_beaten |= difference + half < 0;
    }
    claim.verdict = beats_both ? KM_SUPPORTED : is_beaten ? KM_NOT_SUPPORTED : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(s->report,
                           "Of its growth, %s come in the first tenth of the game, %s in the last; the "
                           "steepest is number %zu, with %s.",
                           km_percent_text(&s->report->scratch, g.gain[0] / g.whole, 1),
                           km_percent_text(&s->report->scratch, g.gain[TENTHS - 1] / g.whole, 1), top + 1,
                           km_percent_text(&s->report->scratch, g.gain[top] / g.whole, 1));
  }
  km_claim_add(claims, claim);
}

static void judge_pace(const subject *s, int of_log, km_claims *claims) {
  km_claim claim = {.title = of_log
                                 ? "S grows fast in the opening and slowly at the end (read on log2(1 + S))"
                                 : "S grows fast in the opening and slowly at the end (read on S itself)",
                    .quote = "Opening: S(t) grows fast … endgame: S(t) slowly approaches its final value",
                    .where = "§3, question A, hypothesis",
                    .test = "Growth of the mean in the first third of the game minus that in the last third. "
                            "Supported if the interval lies above 0, not supported if below, else "
                            "not decidable."};
  growth g;
  claim.figure = km_claim_needs(s->report, "hbs.summary.json by fraction");
  if (growth_in_parts(s, of_log, 3, &g)) {
    double difference = (g.gain[0] - g.gain[2]) / g.whole,
           half = Z1 * sqrt(g.square[0] + g.square[2]) / g.whole;
    km_scratch *t = &s->report->scratch;
    claim.verdict = km_verdict_of_sign(difference - half, difference + half);
    claim.figure =
        KM_TEXT(s->report, "First third %s of all growth, last third %s; difference %s [%s, %s] of it.",
                km_percent_text(t, g.gain[0] / g.whole, 1), km_percent_text(t, g.gain[2] / g.whole, 1),
                km_signed_text(t, difference, 3), km_signed_text(t, difference - half, 3),
                km_signed_text(t, difference + half, 3));
  }
  km_claim_add(claims, claim);
}

/* ---- which lines --------------------------------------------------------------------------------------- */

/* Median move of a layer's first stone and its interval, from counts by move; games without one come last
 * (INFINITY). */
static void first_stone_median(km_scratch *t, const json_t *layer, double v[3]) {
  size_t n;
  double *counts = km_json_get_numbers(t, layer, "counts", &n), games = km_json_get_number(layer, "games"),
         seen = 0;
  double half = 0.5 * Z1 * sqrt(games), rank[3] = {games / 2, games / 2 - half, games / 2 + half};
  for (int k = 0; k < 3; k++)
    v[k] = INFINITY;
  for (size_t i = 0; i < n; i++) {
    seen += counts[i];
    for (int k = 0; k < 3; k++)
      if (v[k] == INFINITY && seen >= fmax(rank[k], 1))
        v[k] = (double)i;
  }
}

static const char *median_text(const subject *s, const double v[3]) {
  km_scratch *t = &s->report->scratch;
  return isfinite(v[0]) ? KM_TEXT(s->report, "move %s [%s, %s]", km_count_text(t, v[0]),
                                  km_count_text(t, v[1]), isfinite(v[2]) ? km_count_text(t, v[2]) : "never")
                        : "no move in half of the games";
}

static void judge_outer_first(const subject *s, km_claims *claims) {
  km_claim claim = {.title = "In the opening stones fall on the outer layers",
                    .quote =
                        "Opening: the stones fall mainly on the periphery of the board (layers of large n)",
                    .where = "§3, question A, hypothesis",
                    .test = "Median move of the first stone on each layer. Supported if that of the "
                            "outermost layer comes before all others, not supported if another layer’s comes "
                            "before it, intervals apart each time; else not decidable."};
  const json_t *all = km_json_get(s->summary, "first_stone");
  double edge[3] = {(double)NAN, (double)NAN, (double)NAN}, first[3] = {INFINITY, INFINITY, INFINITY},
         first_side = 0;
  claim.figure = km_claim_needs(s->report, "hbs.summary.json");
  for (size_t i = 0; i < json_array_size(all); i++) {
    const json_t *layer = json_array_get(all, i);
    double v[3];
    if (!is_of(s, layer) || !(km_json_get_number(layer, "games") > 0))
      continue;
    first_stone_median(&s->report->scratch, layer, v);
    if (km_json_get_number(layer, "side") == s->size)
      memcpy(edge, v, sizeof edge);
    else if (v[0] < first[0]) {
      memcpy(first, v, sizeof first);
      first_side = km_json_get_number(layer, "side");
    }
  }
  if (!isnan(edge[0]) && first_side > 0) {
    claim.verdict = edge[2] < first[1]   ? KM_SUPPORTED
                    : first[2] < edge[1] ? KM_NOT_SUPPORTED
                                         : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(s->report,
                           "The outermost layer gets its first stone at %s; the first of the others is the "
                           "%.0f×%.0f layer, line %.0f, at %s.",
                           median_text(s, edge), first_side, first_side, (s->size - first_side) / 2 + 1,
                           median_text(s, first));
  }
  km_claim_add(claims, claim);
}

/* Gain of a layer in the last third, as a share of its 4m bits, and its squared error. */
static int late_gain(const subject *s, double side, double *gain, double *square) {
  const json_t *curve = curve_of_all(s, "fraction"), *layers = km_json_get(curve, "layers"), *layer = NULL;
  size_t n, n_se, m = km_json_get_size(s->summary, "fractions");
  for (size_t i = 0; i < json_array_size(layers); i++)
    if (km_json_get_number(json_array_get(layers, i), "side") == side)
      layer = json_array_get(layers, i);
  double *mean = km_json_get_numbers(&s->report->scratch, layer, "mean", &n),
         *se = km_json_get_numbers(&s->report->scratch, layer, "se", &n_se);
  if (!layer || n != m + 1 || n_se != n)
    return 0;
  size_t a = 2 * m / 3;
  *gain = (mean[m] - mean[a]) / (4 * side);
  *square = (se[m] * se[m] + se[a] * se[a]) / (16 * side * side);
  return isfinite(*gain) && isfinite(*square);
}

static void judge_inner_last(const subject *s, km_claims *claims) {
  km_claim claim = {.title = "In the endgame stones fill the innermost gaps",
                    .quote = "Endgame: the stones fill the gaps of the innermost layers",
                    .where = "§3, question A, hypothesis",
                    .test = "Growth of mean log2(1 + L) in the last third of the game, as a share of the "
                            "layer’s bits: innermost layer minus outermost. Supported if the interval "
                            "lies above 0, not supported if below, else not decidable."};
  double innermost = fmod(s->size, 2) == 1 ? 3 : 2, inner, outer, inner_square, outer_square;
  claim.figure = km_claim_needs(s->report, "hbs.summary.json with layers by fraction");
  if (late_gain(s, innermost, &inner, &inner_square) && late_gain(s, s->size, &outer, &outer_square)) {
    double difference = inner - outer, half = Z1 * sqrt(inner_square + outer_square);
    km_scratch *t = &s->report->scratch;
    claim.verdict = km_verdict_of_sign(difference - half, difference + half);
    claim.figure = KM_TEXT(
        s->report, "The innermost layer gains %s of its bits, the outermost %s; difference %s [%s, %s].",
        km_percent_text(t, inner, 1), km_percent_text(t, outer, 1), km_signed_text(t, difference, 3),
        km_signed_text(t, difference - half, 3), km_signed_text(t, difference + half, 3));
  }
  km_claim_add(claims, claim);
}

void km_claims_curves(km_report *report, km_claims *claims) {
  subject s = choose_subject(report);
  judge_monotone(&s, claims);
  judge_mean_growth(&s, claims);
  judge_s_shape(&s, 0, claims);
  judge_s_shape(&s, 1, claims);
  judge_pace(&s, 0, claims);
  judge_pace(&s, 1, claims);
  judge_outer_first(&s, claims);
  judge_inner_last(&s, claims);
}
