/* phases_options.c: the table of kifu-phases's options. */
#include "phases_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_phases_options, field)
static const km_option rows[] = {
    {"signal", 0, KM_OPTION_STRING, 0, ROW(signal), "SIGNAL", NULL, 0, 0,
     "what is cut: log2, layer:N (N its side), layers (all at once), delta:W"},
    {"empty", 0, KM_OPTION_CHOICE, 0, ROW(empty), NULL, "skip|keep", 0, 0,
     "positions before the first stone: taken as the first with one, or as they are"},
    {"colour", 0, KM_OPTION_CHOICE, 0, ROW(colour), NULL, "any|black|white", 0, 0,
     "which series of hbs.h5; any: the first"},
    {"cost", 0, KM_OPTION_CHOICE, 0, ROW(cost), NULL, "l2|linear|l1|normal|rank", 0, 0, "cost of a piece"},
    {"search", 0, KM_OPTION_CHOICE, 0, ROW(search), NULL, "exact|pelt|binseg|window", 0, 0,
     "how changes are searched (three pieces are always exact)"},
    {"penalty", 0, KM_OPTION_STRING, 0, ROW(penalty), "PENALTY", NULL, 0, 0,
     "of a change: bic, mbic, aic, hq or a number"},
    {"changes", 0, KM_OPTION_INT, 0, ROW(changes), "K", NULL, -1, 1000,
     "exactly K changes a game; -1: by the penalty"},
    {"min-size", 0, KM_OPTION_INT, 0, ROW(min_size), "N", NULL, 0, 1000,
     "positions of the shortest piece; 0: as the cost needs"},
    {"noise", 0, KM_OPTION_CHOICE, 0, ROW(noise), NULL, "vn|mad", 0, 0, "how the penalty estimates noise"},
    {"window", 0, KM_OPTION_INT, 0, ROW(window), "N", NULL, 0, 1000, "width for --search window; 0: 20"},
    {"standardise", 0, KM_OPTION_FLAG, 0, ROW(standardise), NULL, NULL, 0, 0,
     "divide each layer by its own noise"},
    {"reference", 0, KM_OPTION_STRING, 0, ROW(reference), "REF", NULL, 0, 0,
     "conventional[:A,B] (the middle game begins after A moves, the endgame after B) or a CSV of labels"},
    {"margin", 0, KM_OPTION_INT, 0, ROW(margin), "N", NULL, 0, 1000,
     "breaks at most N moves apart count as the same"},
    {"compare", 0, KM_OPTION_INT, 0, ROW(compare), "N", NULL, 0, 2000000000,
     "games that are compared with the conventional division, evenly spread; 0: all"},
    {"replicates", 0, KM_OPTION_INT, 0, ROW(replicates), "N", NULL, 0, 100000,
     "of the bootstrap; 0: no intervals"},
};
#undef ROW

static void set_defaults(void *options) {
  km_phases_options *o = options;
  *o = (km_phases_options){.signal = "log2",
                           .penalty = "bic",
                           .reference = "conventional:50,150",
                           .changes = -1,
                           .margin = 10,
                           .compare = 20000,
                           .replicates = 1000};
  km_run_options_default(&o->run);
  o->run.output = "phases.h5";
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_phases_run(options, outcome, err);
}

const km_stage km_phases_stage = {
    .name = "phases",
    .synopsis = "[OPTION…] hbs.h5 [games.h5]",
    .about = "Cuts the HBS series of every game at its change-points, and into opening, middle game and "
             "endgame, compares that with a\n"
             "reference division and with divisions that know nothing of HBS (these need games.h5, which "
             "hbs.h5 was made of).\n"
             "Writes phases.h5 with phases.csv and phases.summary.json beside it.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_phases_options),
    .min_inputs = 1,
    .max_inputs = 2,
    .defaults = set_defaults,
    .run = run,
};
