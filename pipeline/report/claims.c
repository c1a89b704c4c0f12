/* claims.c: the section, and what rules share. */
#include "claims.h"

#include <math.h>

void km_claim_add(km_claims *claims, km_claim claim) {
  if (claims->n < KM_CLAIMS_MAX)
    claims->all[claims->n++] = claim;
}

const char *km_claim_needs(km_report *report, const char *what) {
  return KM_TEXT(report, "Needs %s, which is not there.", what);
}

km_verdict km_verdict_of_sign(double low, double high) {
  return low > 0 ? KM_SUPPORTED : high < 0 ? KM_NOT_SUPPORTED : KM_NOT_DECIDABLE;
}

void km_wilson(double k, double n, double interval[3]) {
  const double z = 1.959963984540054;
  double p = k / n, middle = (p + z * z / (2 * n)) / (1 + z * z / n),
         half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  interval[0] = p;
  interval[1] = fmax(0, middle - half);
  interval[2] = fmin(1, middle + half);
}

static const char *verdict_name(km_verdict verdict) {
  return verdict == KM_SUPPORTED       ? "supported"
         : verdict == KM_NOT_SUPPORTED ? "not supported"
                                       : "not decidable here";
}
static const char *verdict_class(km_verdict verdict) {
  return verdict == KM_SUPPORTED ? "yes" : verdict == KM_NOT_SUPPORTED ? "no" : "open";
}

static void put(km_report *report, const char *before, const char *text, const char *after) {
  fputs(before, report->out);
  km_html_text(report->out, text);
  fputs(after, report->out);
}

static void put_claim(km_report *report, const km_claim *claim) {
  fprintf(report->out, "<tr class=%s>", verdict_class(claim->verdict));
  put(report, "<td data-of=Claim><b>", claim->title, "</b>");
  put(report, "<q>", claim->quote, "</q>");
  put(report, "<cite>", claim->where, "</cite></td>");
  put(report, "<td data-of=Test>", claim->test, "</td>");
  put(report, "<td data-of=Figure>", claim->figure, "</td>");
  fprintf(report->out, "<td data-of=Verdict><span class=\"verdict %s\">%s</span></td></tr>\n",
          verdict_class(claim->verdict), verdict_name(claim->verdict));
}

static void put_tally(km_report *report, const km_claims *claims) {
  static const km_verdict order[] = {KM_SUPPORTED, KM_NOT_SUPPORTED, KM_NOT_DECIDABLE};
  fputs("<p class=tally>", report->out);
  for (size_t k = 0; k < 3; k++) {
    size_t n = 0;
    for (size_t i = 0; i < claims->n; i++)
      n += claims->all[i].verdict == order[k];
    fprintf(report->out, "<span class=\"verdict %s\">%zu %s</span> ", verdict_class(order[k]), n,
            verdict_name(order[k]));
  }
  fputs("</p>\n", report->out);
}

void km_section_claims(km_report *report) {
  km_claims claims = {.n = 0};
  km_claims_curves(report, &claims);
  km_claims_phases(report, &claims);
  km_claims_winrate(report, &claims);
  km_page_section_begin(report, "claims", "The paper’s claims");
  put_tally(report, &claims);
  km_page_paragraph(report, "Each verdict follows from the figure beside it by the rule that stands under "
                            "it, and from nothing else. The paper itself gives no figures: "
                            "its abstract reports results on 500,000 games, its section 4 expects them.");
  fputs("<table class=claims><thead><tr><th>Claim, in the paper’s words<th>Test and rule<th>Figure, with its "
        "95 % interval<th>Verdict</tr></thead><tbody>\n",
        report->out);
  for (size_t i = 0; i < claims.n; i++)
    put_claim(report, &claims.all[i]);
  fputs("</tbody></table>\n", report->out);
  km_page_section_end(report);
}
