/* hbs_options.c: the table of kifu-hbs's options. */
#include "hbs_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_hbs_options, field)
static const km_option rows[] = {
    {"variant", 0, KM_OPTION_STRING, 0, ROW(variant), "NAME", NULL, 0, 0,
     "how S is read: default, or words joined by -: cw fixed canon, desc asc, value edge, black white both, "
     "none centre15"},
    {"layers", 0, KM_OPTION_FLAG, 0, ROW(layers), NULL, NULL, 0, 0,
     "keep the L of every layer of every position too"},
    {"by", 0, KM_OPTION_STRING, 0, ROW(by), "LIST", NULL, 0, 0,
     "curves by these too: rank,player,year,komi,source,length (rank and player: of the colour that is "
     "counted; size and result always)"},
    {"strata", 0, KM_OPTION_INT, 0, ROW(strata), "N", NULL, 1, 1000,
     "the most frequent N of each get a curve, the rest is others"},
    {"align", 0, KM_OPTION_CHOICE, 0, ROW(align), NULL, "both|move|fraction", 0, 0, "places of the curves"},
    {"fractions", 0, KM_OPTION_INT, 0, ROW(fractions), "M", NULL, 1, 10000,
     "a game by fraction has M+1 places"},
    {"ends", 0, KM_OPTION_CHOICE, 0, ROW(ends), NULL, "drop|hold", 0, 0,
     "a game that is over: it is out of the mean by move, or its last value stays"},
    {"interpolate", 0, KM_OPTION_CHOICE, 0, ROW(interpolate), NULL, "linear|floor|nearest", 0, 0,
     "the value at a fraction between two moves"},
    {"window", 0, KM_OPTION_INT, 0, ROW(window), "W", NULL, 1, 1000, "the mean change of S over W moves"},
    {"codec", 0, KM_OPTION_STRING, 0, ROW(codec), "CODEC", NULL, 0, 0, "zstd[:1…22], gzip[:1…12] or none"},
};
#undef ROW

static void set_defaults(void *options) {
  km_hbs_options *o = options;
  *o =
      (km_hbs_options){.variant = "default", .codec = "zstd:1", .fractions = 100, .window = 10, .strata = 20};
  km_run_options_default(&o->run);
  o->run.output = "hbs.h5";
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_hbs_run(options, outcome, err);
}

const km_stage km_hbs_stage = {
    .name = "hbs",
    .synopsis = "[OPTION…] games.h5",
    .about =
        "Follows every game on a square board with the Hierarchical Border Sum: the exact S and log2(1+S) of "
        "every position,\n"
        "their exact sums over the games by move and by fraction of the game, and what plots need of them.\n"
        "Writes hbs.h5 with hbs.summary.json beside it.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_hbs_options),
    .min_inputs = 1,
    .max_inputs = 1,
    .defaults = set_defaults,
    .run = run,
};
