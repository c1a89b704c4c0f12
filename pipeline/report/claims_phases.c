/* claims_phases.c: do change-points of S find the phases? Of phases.summary.json. */
#include "claims.h"

#include <math.h>
#include <string.h>

static int is_baseline(const char *name) {
  return strncmp(name, "hbs", 3) != 0 && strcmp(name, "conventional") != 0;
}

/* Rule: HBS against every division that knows nothing of it, by F1. */
static void judge_baselines(km_report *report, const json_t *summary, int by_labels, km_claim *claim) {
  const json_t *comparison = km_json_get(summary, "comparison"),
               *differences = km_json_get(comparison, "differences");
  const json_t *own = km_json_get(km_json_find(km_json_get(comparison, "methods"), "name", "hbs"), "f1");
  int is_labels = strcmp(km_json_get_text(km_json_get(summary, "reference"), "kind"), "labels") == 0, n = 0,
      above = 0, below = 0;
  const char *list = "";
  if (!summary || is_labels != by_labels || !json_is_object(comparison))
    return;
  for (size_t i = 0; i < json_array_size(differences); i++) {
    const json_t *d = json_array_get(differences, i), *e = km_json_get(d, "f1");
    const char *name = km_json_get_text(d, "name");
    if (!is_baseline(name))
      continue;
    n++;
    above += km_json_get_number(e, "low") > 0;
    below += km_json_get_number(e, "high") < 0;
    list = KM_TEXT(report, "%s%s%s %s", list, *list ? ", " : "", name, km_estimate_text(report, e, 3, 1));
  }
  if (n == 0)
    return;
  claim->verdict = above == n ? KM_SUPPORTED : below > 0 ? KM_NOT_SUPPORTED : KM_NOT_DECIDABLE;
  claim->figure = KM_TEXT(report, "F1 of HBS %s. HBS minus %s.", km_estimate_text(report, own, 3, 0), list);
}

#define RULE                                                                                                 \
  "F1 within the margin, game by game, HBS minus each division that knows nothing of HBS. Supported if "     \
  "every interval lies above 0; not supported if one lies "                                                  \
  "below; else not decidable."

static void judge_conventional(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title =
          "Change-points of S find the conventional phases, better than divisions that know nothing of S",
      .quote = "Does the curve of S(t) by nature contain the points that divide a game into its phases?",
      .where = "§3, question A; conclusion, §5: “HBS can effectively describe the phases”",
      .test = RULE};
  claim.figure = km_claim_needs(report, "a comparison with the conventional division (phases.summary.json)");
  judge_baselines(report, report->inputs.json[KM_INPUT_PHASES], 0, &claim);
  km_claim_add(claims, claim);
}

static void judge_judgement(km_report *report, km_claims *claims) {
  km_claim claim = {.title = "Change-points of S agree with the judgement of strong players",
                    .quote = "the turning points found automatically correlate significantly with the "
                             "subjective judgement of high-dan players",
                    .where = "§4, on question A",
                    .test = "Against their labels: " RULE};
  claim.figure =
      km_claim_needs(report, "a comparison with labels by players (kifu-phases --reference FILE.csv)");
  judge_baselines(report, report->inputs.json[KM_INPUT_PHASES], 1, &claim);
  km_claim_add(claims, claim);
}

/* The board with most games. */
static const json_t *main_board(const json_t *summary) {
  const json_t *boards = km_json_get(summary, "boards"), *main = NULL;
  for (size_t i = 0; i < json_array_size(boards); i++)
    if (!main || km_json_get_number(json_array_get(boards, i), "games_divided") >
                     km_json_get_number(main, "games_divided"))
      main = json_array_get(boards, i);
  return main;
}

static void judge_mean_curve(km_report *report, km_claims *claims) {
  km_claim claim = {.title = "The mean curve turns where the phases do",
                    .quote = "Extremes of the first or second derivative of S(t) may be the key moves where "
                             "phases change; draw the mean S(t) and find its turning points",
                    .where = "§3, question A, experiment",
                    .test = "The mean curve is cut into three. Supported if both cuts lie within the margin "
                            "of the conventional ones, else not supported; not decidable with fewer than "
                            "1,000 games."};
  const json_t *summary = report->inputs.json[KM_INPUT_PHASES],
               *reference = km_json_get(summary, "reference"), *board = main_board(summary),
               *curve = km_json_get(board, "mean_curve");
  double size = km_json_get_number(board, "size"), area = size * size / 361,
         margin = km_json_get_number(summary, "margin"), games = km_json_get_number(board, "games_divided");
  double cut[2] = {km_json_get_number(curve, "middle"), km_json_get_number(curve, "endgame")};
  double at[2] = {round(km_json_get_number(reference, "middle") * area),
                  round(km_json_get_number(reference, "endgame") * area)};
  claim.figure = km_claim_needs(report, "phases.summary.json");
  if (isfinite(cut[0] + cut[1] + at[0] + at[1] + margin)) {
    int near = fabs(cut[0] - at[0]) <= margin && fabs(cut[1] - at[1]) <= margin;
    claim.verdict = games < 1000 ? KM_NOT_DECIDABLE : near ? KM_SUPPORTED : KM_NOT_SUPPORTED;
    claim.figure =
        KM_TEXT(report,
                "On %.0f×%.0f the mean of %s games breaks after moves %.0f and %.0f; by convention after "
                "%.0f and %.0f (margin %.0f).",
                size, size, km_count_text(&report->scratch, games), cut[0], cut[1], at[0], at[1], margin);
  }
  km_claim_add(claims, claim);
}

void km_claims_phases(km_report *report, km_claims *claims) {
  judge_conventional(report, claims);
  judge_mean_curve(report, claims);
  judge_judgement(report, claims);
}
