/* claims.h: what the HBS paper claims, and what these games say to it.
 *
 * A claim is quoted, tested by a rule that is written beside it, and judged by that rule alone: supported,
 * not supported, or not decidable here (an input is missing, or an interval holds both). Nothing is judged
 * beforehand: other games may turn any verdict.
 *
 * Intervals are at 95 % unless the rule says otherwise. Intervals of differences of means of one set of
 * games, whose covariance the summaries do not have, take it as zero; as S of a game is positively correlated
 * over its moves, they are wider than they need be. */
#ifndef KIFUMILL_CLAIMS_H
#define KIFUMILL_CLAIMS_H

#include "report_page.h"

typedef enum km_verdict { KM_NOT_DECIDABLE = 0, KM_SUPPORTED, KM_NOT_SUPPORTED } km_verdict;

typedef struct km_claim {
  const char *title;  /* in one sentence */
  const char *quote;  /* the paper's words, translated */
  const char *where;  /* in the paper */
  const char *test;   /* what is measured, and the rule */
  const char *figure; /* what came out, with its interval */
  km_verdict verdict;
} km_claim;

enum { KM_CLAIMS_MAX = 32 };
typedef struct km_claims {
  km_claim all[KM_CLAIMS_MAX];
  size_t n;
} km_claims;

/* Adds the claims on trajectories, phases, win-rates and styles: all of them, whatever is there. */
void km_claims_curves(km_report *report, km_claims *claims);
void km_claims_phases(km_report *report, km_claims *claims);
void km_claims_winrate(km_report *report, km_claims *claims);

/* The section of the page. */
void km_section_claims(km_report *report);

/* ---- for the rules ------------------------------------------------------------------------------------- */

void km_claim_add(km_claims *claims, km_claim claim);
/* "needs X, which is not there" as the figure of a claim that cannot be judged. */
const char *km_claim_needs(km_report *report, const char *what);
/* Supported if the interval lies above 0, not supported if below, else not decidable; NaN too. */
km_verdict km_verdict_of_sign(double low, double high);
/* Wilson's interval of a share k/n. */
void km_wilson(double k, double n, double interval[3]);

#endif
