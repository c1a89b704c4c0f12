/* report_options.c: the table of kifu-report's options. */
#include "report_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_report_options, field)
static const km_option rows[] = {
    {"title", 0, KM_OPTION_STRING, 0, ROW(title), "TEXT", NULL, 0, 0, "headline of the page"},
    {"examples", 0, KM_OPTION_INT, 0, ROW(examples), "N", NULL, 0, 50,
     "example games of each board size that are drawn (kifu-phases gives up to 3)"},
    {"plots", 0, KM_OPTION_CHOICE, 0, ROW(plots), NULL, "all|data|off", 0, 0,
     "plots beside the page: drawn by gnuplot; its scripts and data only; none"},
};
#undef ROW

static void set_defaults(void *options) {
  km_report_options *o = options;
  *o = (km_report_options){.title = "Does the layered border sum tell the phases of a game, and its winner?",
                           .examples = 3};
  km_run_options_default(&o->run);
  o->run.output = "report";
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_report_run(options, outcome, err);
}

const km_stage km_report_stage = {
    .name = "report",
    .synopsis = "[OPTION…] RUN-FOLDER | FILE…",
    .about =
        "Makes one self-contained page of what the other stages found: report/index.html, and the same plots "
        "as\n"
        "SVG and PNG with their data and gnuplot scripts in report/plots.\n\n"
        "Give a run folder, or any of games.h5, games.summary.json, games.ledger.tsv, hbs.summary.json,\n"
        "phases.summary.json, winrate.json, winrate.styles.json, manifest.json. What is not there is left "
        "out, and\n"
        "the page says so.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_report_options),
    .min_inputs = 1,
    .max_inputs = 64,
    .defaults = set_defaults,
    .run = run,
};
