/* winrate_options.c: the table of kifu-winrate's options. */
#include "winrate_stage.h"

#include <stddef.h>

#define ROW(field) offsetof(km_winrate_options, field)
static const km_option rows[] = {
    {"board", 0, KM_OPTION_INT, 0, ROW(board), "N", NULL, 2, 52, "only games on this board; S of different boards cannot be compared"},
    {"variant", 0, KM_OPTION_STRING, 0, ROW(variant), "NAME", NULL, 0, 0,
     "how S is read, without the colour (both are counted): default, or words joined by -"},
    {"model", 0, KM_OPTION_CHOICE, 0, ROW(model), NULL, "logistic|mlp|both", 0, 0,
     "logistic regression, one fit a segment of the game; or a small network over all plies"},
    {"features", 0, KM_OPTION_STRING, 0, ROW(features), "LIST", NULL, 0, 0,
     "all, or of constant,ply_komi,hbs,hbs_delta,hbs_layers,hbs_both,hbs_all,local,hybrid (the first two always)"},
    {"window", 0, KM_OPTION_INT, 0, ROW(window), "W", NULL, 1, 1000, "moves over which the change of S is taken"},
    {"sample", 0, KM_OPTION_STRING, 0, ROW(sample), "RULE", NULL, 0, 0,
     "positions used of a game: all, every:K (plies 0, K, 2K, …) or per-game:K (drawn); neighbours say the same"},
    {"max-positions", 0, KM_OPTION_UINT64, 0, ROW(max_positions), "N", NULL, 0, 0,
     "use a part of the games, drawn, when the sample would be larger: bounds time and the temporary file"},
    {"folds", 0, KM_OPTION_INT, 0, ROW(folds), "K", NULL, 0, 64, "cross-validation by game: all games are predicted; 0: one --split"},
    {"split", 0, KM_OPTION_STRING, 0, ROW(split), "SHARES", NULL, 0, 0,
     "train, validation, test by game, as in kifu-planes; figures are of test"},
    {"bucket", 0, KM_OPTION_INT, 0, ROW(bucket), "N", NULL, 1, 1000, "figures by this many plies"},
    {"phases", 0, KM_OPTION_STRING, 0, ROW(phases), "A,B", NULL, 0, 0,
     "first ply of the middle game and of the endgame, by convention; of 19x19, others in proportion to their points"},
    {"replicates", 0, KM_OPTION_INT, 0, ROW(replicates), "N", NULL, 0, 100000, "of the bootstrap over games; 0: no intervals"},
    {"ridge", 0, KM_OPTION_DOUBLE, 0, ROW(ridge), "LAMBDA", NULL, 0, 1e9,
     "penalty of logistic coefficients, LAMBDA/2 times their squares (1: nothing but a hold for columns that are nearly always 0)"},
    {"external", 0, KM_OPTION_STRING, 0, ROW(external), "FILE", NULL, 0, 0,
     "win-rates of others to compare with: CSV with columns source,entry,ply,black_winrate,black_score_lead; gzip allowed"},
    {"network-positions", 0, KM_OPTION_UINT64, 0, ROW(network_positions), "N", NULL, 0, 0,
     "positions that a network is trained on, at most"},
    {"hidden", 0, KM_OPTION_INT, 0, ROW(hidden), "N", NULL, 1, 256, "hidden units of a network"},
    {"epochs", 0, KM_OPTION_INT, 0, ROW(epochs), "N", NULL, 1, 10000, "epochs of training, at most"},
    {"min-games", 0, KM_OPTION_INT, 0, ROW(min_games), "N", NULL, 2, 1e9, "games that a player needs for a style"},
    {"max-players", 0, KM_OPTION_INT, 0, ROW(max_players), "N", NULL, 0, 2000, "players with most games that are looked at"},
    {"early-ply", 0, KM_OPTION_INT, 0, ROW(early_ply), "N", NULL, 1, 1000, "position of a game at which the style index is taken"},
    {"permutations", 0, KM_OPTION_INT, 0, ROW(permutations), "N", NULL, 1, 1000000, "of the tests of styles"},
};
#undef ROW

static void set_defaults(void *options) {
  km_winrate_options *o = options;
  *o = (km_winrate_options){.board = 19, .variant = "default", .features = "all", .window = 10, .sample = "every:5",
                            .max_positions = 20000000, .folds = 5, .split = "0.9,0.05,0.05", .bucket = 20,
                            .phases = "50,150", .replicates = 200, .ridge = 1, .network_positions = 1000000, .hidden = 32,
                            .epochs = 30, .min_games = 50, .max_players = 200, .early_ply = 60, .permutations = 999};
  km_run_options_default(&o->run);
  o->run.output = "winrate.json";
}

static km_status run(const void *options, km_stage_outcome *outcome, km_err *err) {
  return km_winrate_run(options, outcome, err);
}

const km_stage km_winrate_stage = {
    .name = "winrate",
    .synopsis = "[OPTION…] games.h5 [hbs.h5]",
    .about = "Measures how well HBS tells who wins, against simpler models and, with --external, against others' win-rates, and\n"
             "whether players differ in it. Writes winrate.json, with winrate.csv and winrate.styles.json beside it.\n\n"
             "Every figure is of games that the model was not fitted on, with an interval from a bootstrap over games. Draws and\n"
             "games without a winner are left out and counted. Trajectories are made anew from games.h5; an hbs.h5 is only\n"
             "checked to be that of the games.\n",
    .rows = rows,
    .n_rows = sizeof rows / sizeof *rows,
    .options_bytes = sizeof(km_winrate_options),
    .min_inputs = 1,
    .max_inputs = 2,
    .defaults = set_defaults,
    .run = run,
};
