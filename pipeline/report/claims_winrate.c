/* claims_winrate.c: does S tell the winner, where, by how much, and who plays? Of winrate.json and
 * winrate.styles.json. */
#include "claims.h"

#include <math.h>
#include <string.h>

static const json_t *result_of(const json_t *results, const char *model, const char *by, const char *bucket) {
  for (size_t i = 0; i < json_array_size(results); i++) {
    const json_t *r = json_array_get(results, i);
    if (strcmp(km_json_get_text(r, "model"), model) == 0 && strcmp(km_json_get_text(r, "by"), by) == 0 &&
        (!bucket || strcmp(km_json_get_text(r, "bucket"), bucket) == 0))
      return r;
  }
  return NULL;
}
static const json_t *metric_of(const json_t *result, const char *metric) {
  return km_json_get(km_json_get(result, "metrics"), metric);
}
static const json_t *minus_of(const json_t *result, const char *other, const char *metric) {
  return metric_of(km_json_find(km_json_get(result, "minus"), "model", other), metric);
}
static double low_of(const json_t *estimate) {
  return km_json_get_number(estimate, "low");
}
static double high_of(const json_t *estimate) {
  return km_json_get_number(estimate, "high");
}
static const json_t *held_out(const km_report *report) {
  return km_json_get(report->inputs.json[KM_INPUT_WINRATE], "results");
}

static const char *no_intervals(km_report *report) {
  return km_claim_needs(report, "winrate.json with these models and with intervals");
}

/* ---- above chance -------------------------------------------------------------------------------------- */

static void judge_chance(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title = "S and its change tell the winner better than guessing",
      .quote = "A simple model with S(t) and ΔS alone reaches an accuracy above random guessing",
      .where = "§4, on question B; §3, question B",
      .test = "AUC and accuracy of the logistic model of S(t) and ΔS, a fit a stretch of moves, on games it "
              "has not seen. Supported if the AUC’s interval lies above 0.5 and that of the "
              "accuracy gained over always naming the more frequent winner above 0; not supported if it is "
              "not so and the AUC’s interval ends below 0.52; else not decidable."};
  const json_t *r = result_of(held_out(report), "hbs_delta", "all", NULL), *auc = metric_of(r, "auc"),
               *gain = minus_of(r, "constant", "accuracy");
  claim.figure = no_intervals(report);
  if (isfinite(low_of(auc)) && isfinite(high_of(auc)) && isfinite(low_of(gain))) {
    claim.verdict = low_of(auc) > 0.5 && low_of(gain) > 0 ? KM_SUPPORTED
                    : high_of(auc) < 0.52                 ? KM_NOT_SUPPORTED
                                                          : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(
        report, "AUC %s over %s positions of %s games; accuracy %s, gained over the constant %s.",
        km_estimate_text(report, auc, 3, 0),
        km_count_text(&report->scratch, km_json_get_number(r, "positions")),
        km_count_text(&report->scratch, km_json_get_number(r, "games")),
        km_estimate_text(report, metric_of(r, "accuracy"), 3, 0), km_estimate_text(report, gain, 4, 1));
  }
  km_claim_add(claims, claim);
}

static void judge_early(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title = "It does so above all in the opening and the early middle game",
      .quote = "… above random guessing, especially in the opening and the early middle game",
      .where = "§4, on question B",
      .test = "AUC of the same model in the opening against that in the endgame. Not supported if the "
              "opening’s interval lies below the endgame’s or ends below 0.52; else supported if it "
              "lies above both 0.5 and the endgame’s; else not decidable."};
  const json_t *early = metric_of(result_of(held_out(report), "hbs_delta", "phase", "opening"), "auc"),
               *middle = metric_of(result_of(held_out(report), "hbs_delta", "phase", "middle"), "auc"),
               *late = metric_of(result_of(held_out(report), "hbs_delta", "phase", "endgame"), "auc");
  claim.figure = no_intervals(report);
  if (isfinite(low_of(early) + high_of(early) + low_of(late) + high_of(late))) {
    claim.verdict = high_of(early) < fmax(0.52, low_of(late))  ? KM_NOT_SUPPORTED
                    : low_of(early) > fmax(0.5, high_of(late)) ? KM_SUPPORTED
                                                               : KM_NOT_DECIDABLE;
    claim.figure = KM_TEXT(report, "AUC in the opening %s, middle game %s, endgame %s.",
                           km_estimate_text(report, early, 3, 0), km_estimate_text(report, middle, 3, 0),
                           km_estimate_text(report, late, 3, 0));
  }
  km_claim_add(claims, claim);
}

/* ---- what is added ------------------------------------------------------------------------------------- */

/* By paired differences of AUC, and of log-loss, which is better when it is smaller. */
typedef struct pair_of {
  const json_t *results;
  const char *model, *other;
} pair_of;
static km_verdict verdict_of_difference(const json_t *auc, const json_t *loss) {
  km_verdict by_auc = km_verdict_of_sign(low_of(auc), high_of(auc)),
             by_loss = km_verdict_of_sign(-high_of(loss), -low_of(loss));
  if (by_auc == by_loss || by_loss == KM_NOT_DECIDABLE)
    return by_auc;
  return by_auc == KM_NOT_DECIDABLE ? by_loss : KM_NOT_DECIDABLE;
}

static void judge_difference(km_report *report, km_claims *claims, km_claim claim, pair_of p) {
  const json_t *r = result_of(p.results, p.model, "all", NULL), *auc = minus_of(r, p.other, "auc"),
               *loss = minus_of(r, p.other, "log_loss");
  claim.figure = no_intervals(report);
  if (isfinite(low_of(auc)) && isfinite(high_of(auc))) {
    claim.verdict = verdict_of_difference(auc, loss);
    claim.figure = KM_TEXT(report, "AUC %s; difference %s. Difference of log-loss %s.",
                           km_estimate_text(report, metric_of(r, "auc"), 3, 0),
                           km_estimate_text(report, auc, 4, 1), km_estimate_text(report, loss, 5, 1));
  }
  km_claim_add(claims, claim);
}

#define RULE                                                                                                 \
  ", paired. Supported if the interval of one of AUC and log-loss says better and that of the other does "   \
  "not say worse; not supported if one says worse and the other does "                                       \
  "not say better; else not decidable."

static void judge_added(km_report *report, km_claims *claims) {
  judge_difference(
      report, claims,
      (km_claim){
          .title = "The geometry of the stones tells more of the winner than move number, komi and handicap",
          .quote = "the information of the board’s overall structure has predictive value of its own",
          .where = "§4, on question B",
          .test = "The model of all of HBS (both colours, layers, changes, and the same ply, komi and "
                  "handicap) minus that of ply, komi and handicap" RULE},
      (pair_of){held_out(report), "hbs_all", "ply_komi"});
  judge_difference(
      report, claims,
      (km_claim){.title = "HBS adds to local features",
                 .quote = "it can be an efficient, interpretable supplementary feature of complex models",
                 .where = "§4, core insight",
                 .test = "The hybrid (local features and all of HBS) minus local features alone" RULE},
      (pair_of){held_out(report), "hybrid", "local"});
}

static void judge_hybrid(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title = "Local features added to HBS make it better",
      .quote = "combine HBS with some key local features (such as eyes, connectivity) into a hybrid model",
      .where = "§5, future work; §4: “which shows how important microscopic information is”",
      .test = "AUC of the hybrid against that of all of HBS alone. Supported if its interval lies above the "
              "other’s, not supported if below, else not decidable (the two are of the "
              "same positions, so this is cautious)."};
  const json_t *hybrid = metric_of(result_of(held_out(report), "hybrid", "all", NULL), "auc"),
               *hbs = metric_of(result_of(held_out(report), "hbs_all", "all", NULL), "auc");
  claim.figure = no_intervals(report);
  if (isfinite(low_of(hybrid) + high_of(hybrid) + low_of(hbs) + high_of(hbs))) {
    claim.verdict = km_verdict_of_sign(low_of(hybrid) - high_of(hbs), high_of(hybrid) - low_of(hbs));
    claim.figure = KM_TEXT(report, "Hybrid %s, HBS alone %s.", km_estimate_text(report, hybrid, 3, 0),
                           km_estimate_text(report, hbs, 3, 0));
  }
  km_claim_add(claims, claim);
}

/* ---- beside networks ----------------------------------------------------------------------------------- */

static void judge_networks(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title = "It stays below deep networks",
      .quote = "its accuracy is necessarily below that of full DNN models that take in life and death, "
               "thickness and other microscopic information",
      .where = "§4, on question B",
      .test = "AUC of the model of all of HBS minus that of the network’s own win-rates at the same "
              "positions, paired; of the network with most positions. Supported if the interval "
              "lies below 0, not supported if above, else not decidable."};
  const json_t *externals = km_json_get(report->inputs.json[KM_INPUT_WINRATE], "external"), *most = NULL;
  for (size_t i = 0; i < json_array_size(externals); i++) {
    const json_t *e = json_array_get(externals, i);
    if (json_array_size(km_json_get(e, "results")) &&
        (!most || km_json_get_number(e, "matched") > km_json_get_number(most, "matched")))
      most = e;
  }
  const json_t *results = km_json_get(most, "results"), *r = result_of(results, "hbs_all", "all", NULL),
               *d = minus_of(r, "external", "auc");
  claim.figure =
      km_claim_needs(report, "win-rates of a network at positions of these games (kifu-winrate --external)");
  if (isfinite(low_of(d)) && isfinite(high_of(d))) {
    claim.verdict = km_verdict_of_sign(-high_of(d), -low_of(d));
    claim.figure =
        KM_TEXT(report, "At %s positions of %s: HBS %s, network %s, difference %s.",
                km_count_text(&report->scratch, km_json_get_number(most, "matched")),
                km_json_get_text(most, "name"), km_estimate_text(report, metric_of(r, "auc"), 3, 0),
                km_estimate_text(report, metric_of(result_of(results, "external", "all", NULL), "auc"), 3, 0),
                km_estimate_text(report, d, 3, 1));
  }
  km_claim_add(claims, claim);
}

/* ---- won and lost trajectories ------------------------------------------------------------------------- */

static void judge_trajectories(km_report *report, km_claims *claims) {
  km_claim claim = {
      .title = "Games that Black wins follow another course of S than those that Black loses",
      .quote = "An “ideal” course may have a reference trajectory S(t) of its own; deviation from it may "
               "foretell a falling win-rate",
      .where = "§3, question B, hypothesis",
      .test = "Largest effect size (Cohen’s d) of log2(1 + S) between Black’s wins and losses over moves 10, "
              "20, …, where 100 games of each are left, intervals all at once at 95 %. Supported "
              "if one lies beyond ±0.2, a small effect; not supported if all lie within ±0.2; else not "
              "decidable."};
  const json_t *points = km_json_get(
      km_json_find(km_json_get(report->inputs.json[KM_INPUT_WINRATE], "effects"), "signal", "log2_black"),
      "points");
  double largest = 0, at = 0, bounds[2] = {0, 0};
  int n = 0, beyond = 0, within = 0;
  for (size_t i = 0; i < json_array_size(points); i++) {
    const json_t *point = json_array_get(points, i);
    double ply = km_json_get_number(point, "ply"), d = km_json_get_number(point, "d"),
           n1 = km_json_get_number(km_json_get(point, "won"), "n"),
           n2 = km_json_get_number(km_json_get(point, "lost"), "n");
    if (!(n1 >= 100 && n2 >= 100 && isfinite(d) && ply > 0 && fmod(ply, 10) == 0))
      continue;
    double half = 3.3 * sqrt(1 / n1 + 1 / n2 + d * d / (2 * (n1 + n2))); /* 50 intervals at once */
    n++;
    beyond += fabs(d) - half > 0.2;
    within += fabs(d) + half < 0.2;
    if (fabs(d) > fabs(largest)) {
      largest = d;
      at = ply;
      bounds[0] = d - half;
      bounds[1] = d + half;
    }
  }
  claim.figure = km_claim_needs(report, "winrate.json with effects over 100 games won and lost");
  if (n > 0) {
    claim.verdict = beyond ? KM_SUPPORTED : within == n ? KM_NOT_SUPPORTED : KM_NOT_DECIDABLE;
    claim.figure =
        KM_TEXT(report, "Largest of %d: d = %s [%s, %s] after move %.0f.", n,
                km_signed_text(&report->scratch, largest, 3), km_signed_text(&report->scratch, bounds[0], 3),
                km_signed_text(&report->scratch, bounds[1], 3), at);
  }
  km_claim_add(claims, claim);
}

/* ---- styles, cost -------------------------------------------------------------------------------------- */

static void judge_styles(km_report *report, km_claims *claims) {
  km_claim claim = {.title = "Players of different styles have different trajectories",
                    .quote = "study how typical trajectories S(t) differ between players of different styles "
                             "(such as “territory” and “influence”)",
                    .where = "§5, future work",
                    .test =
                        "Permutation test of distances between players against those between halves of one "
                        "player’s games. Supported if p ≤ 0.05 over all players and in more than half of the "
                        "tests within one source (where there are any), since sources differ in more than "
                        "style; else not decidable."};
  const json_t *tests = km_json_get(report->inputs.json[KM_INPUT_STYLES], "tests"), *all = NULL;
  int n_sources = 0, n_passed = 0;
  for (size_t i = 0; i < json_array_size(tests); i++) {
    const json_t *test = json_array_get(tests, i);
    if (strcmp(km_json_get_text(test, "of"), "log2") != 0)
      continue;
    if (strcmp(km_json_get_text(test, "source"), "all") == 0)
      all = test;
    else {
      n_sources++;
      n_passed += km_json_get_number(test, "p_value") <= 0.05;
    }
  }
  claim.figure = km_claim_needs(report, "winrate.styles.json with players of enough games");
  double p = km_json_get_number(all, "p_value");
  if (isfinite(p)) {
    claim.verdict =
        p <= 0.05 && 2 * n_passed >= n_sources + (n_sources > 0) ? KM_SUPPORTED : KM_NOT_DECIDABLE;
    claim.figure =
        KM_TEXT(report,
                "Between players %.3f bits, within one %.3f, %s, %.0f players; within sources %d of %d tests "
                "have p ≤ 0.05.",
                km_json_get_number(all, "between"), km_json_get_number(all, "within"),
                km_p_text(&report->scratch, p), km_json_get_number(all, "players"), n_passed, n_sources);
  }
  km_claim_add(claims, claim);
}

static void judge_cost(km_report *report, km_claims *claims) {
  (void)report;
  km_claim_add(
      claims, (km_claim){.title = "HBS is cheap to compute",
                         .quote = "HBS provides a computationally efficient, physically clear global feature",
                         .where = "abstract",
                         .test = "A time would differ from run to run, and this page is the same for the "
                                 "same input; the benchmarks measure it.",
                         .figure = "Nothing on this page measures time."});
}

void km_claims_winrate(km_report *report, km_claims *claims) {
  judge_chance(report, claims);
  judge_early(report, claims);
  judge_added(report, claims);
  judge_hybrid(report, claims);
  judge_networks(report, claims);
  judge_trajectories(report, claims);
  judge_styles(report, claims);
  judge_cost(report, claims);
}
