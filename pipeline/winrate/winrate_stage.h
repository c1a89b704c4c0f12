/* winrate_stage.h: games.h5 → winrate.json, winrate.csv, winrate.styles.json: does HBS tell who wins, and who plays?
 *
 * Positions of games with a winner on one board size, sampled; labels are Black's wins. Every figure is of games
 * that the model has not seen: cross-validation or a split, by game (the games' split key), never by position. Black's
 * win is predicted from feature sets (winrate_columns.h) by logistic regression, one fit a segment of the game
 * (below), or by a small network. Intervals are a bootstrap over games; differences between models are paired.
 *
 * ---- winrate.json ------------------------------------------------------------------------------------------------
 * Keys are always there, in this order; a number that is undefined is null. E stands for an estimate with its
 * bootstrap interval {"value": x, "low": x, "high": x}. "from" and "to" are plies (moves played), from ≤ ply < to;
 * "to" null: to the end of the game.
 *
 * {
 *  "format": "kifumill winrate", "format_version": 1, "generator": "kifumill 1.0.0",
 *  "command": text, "config": text, "seed": n, "input_digest": hex,       as in the stores
 *  "settings": {"board": 19, "variant": "default", "window": 10, "sample": "every:5", "folds": 5,
 *               "split": "0.9,0.05,0.05", "bucket": 20, "phases": [50, 150], "replicates": 200, "level": 0.95,
 *               "ridge": 0, "hbs_checked": n},            games whose trajectories in hbs.h5 were found equal (0: no hbs.h5)
 *  "games": {"read": n, "other_size": n, "no_winner": n, "drawn": n, "thinned": n, "used": n,
 *            "black_won": n},                             read = the five up to "used", summed
 *  "positions": n,                                        sampled
 *  "segments": [{"from": 0, "to": 20, "games": n, "positions": n, "black_won": share of positions}, …],
 *      stretches of the game that have coefficients of their own: one a ply bucket, joined until each has
 *      enough games won and lost
 *  "columns": [{"name": text, "doc": text}, …],
 *  "models": [{
 *     "name": "hbs",                  of the feature set; of a network "hbs/mlp"
 *     "kind": "logistic" | "mlp",
 *     "doc": text, "columns": [names],
 *     "fits": [{"from": 0, "to": 20, "outcome": "converged" | "separated" | "stopped", "ridge": λ used (λ > 0 where
 *               the classes were separated and the fit was repeated), "games": n, "positions": n, "log_likelihood": x,
 *               "iterations": n,
 *               "coefficients": [{"name": "intercept" | column, "beta": x, "se": x, "se_cluster": x, "z": x}, …]}, …],
 *         of all games, for reading, not for figures; se_cluster: clustered by game; z = beta / se_cluster; a
 *         column that is constant or follows from earlier ones has beta 0 and null errors. Networks: []
 *     "training": [{"fold": k, "games": n, "positions": n, "epochs": n, "best_epoch": n, "train_log_loss": x,
 *                   "valid_log_loss": x}, …]              networks, one a fold; logistic: []
 *  }, …],
 *  "results": [R, …]                                      models in their order, within each: all, phases, ply buckets
 *  "external": [{                                         win-rates of others, joined by source, entry and ply
 *     "name": "katago-winrates.csv.gz" | "record:<how>",  --external, or found in the records
 *     "rows": n, "matched": n, "games": n,                rows read; positions of used games; those games
 *     "no_game": n, "ambiguous": n, "no_ply": n, "not_used": n,   unmatched: game not there, several of that name, shorter
 *                                                         than ply, without a winner or of another size
 *     "duplicate": n,                                     rows = matched + these five
 *     "results": [R, …]                                   at the matched positions: "external" (the win-rates as they
 *  }, …],                                                 are; if all have one), "external:score" (score lead and
 *                                                         score lead times ply, calibrated on the games that a fold
 *                                                         trains on; if all have one), then all models; by "all",
 *                                                         "phase" and "ply"
 *  "effects": [{"signal": "log2_black" | "log2_white" | "delta_black" | "delta_white", "doc": text, "points": [
 *      {"ply": t, "won": {"n": n, "mean": x, "sd": x}, "lost": {…}, "difference": won − lost, "se": x, "low": x,
 *       "high": x, "d": difference in pooled deviations}, …]}, …]   won, lost: by Black, of even games; low, high: ± 1.96 se
 * }
 * R = {"model": name, "by": "all" | "phase" | "ply", "bucket": "all" | "opening" | "middle" | "endgame" | "20-40" |
 *      "300+", "from": n, "to": n, "games": n, "positions": n, "black_won": share of positions,
 *      "metrics": {"accuracy": E, "log_loss": E, "brier": E, "auc": E, "ece": E},
 *      "minus": [{"model": "constant" | "ply_komi" | "local" | "external", "metrics": {the same five, of this model
 *                 minus that one, paired}}, …],           what the model adds to simpler ones that are there
 *      "calibration": [{"low": 0, "high": 0.1, "n": n, "mean_p": x, "share": E}, …]}   by "all" and "phase"; else []
 *
 * ---- winrate.csv --------------------------------------------------------------------------------------------------
 * data,model,minus,by,bucket,from,to,metric,value,low,high,games,positions: one line a metric of an R or of one of its
 * "minus" (column minus; else empty). data: "held-out", or the name of an external. Undefined: empty.
 *
 * ---- winrate.styles.json --------------------------------------------------------------------------------------------------
 * {
 *  "format": "kifumill styles", "format_version": 1, "generator" … "input_digest" as above,
 *  "settings": {"board": 19, "variant": "default", "min_games": 50, "max_players": 200, "early_ply": 60,
 *               "permutations": 999},
 *  "players_seen": n,               distinct names
 *  "plies": [0, 5, …, 200],         places of all curves
 *  "layers": [19, 17, …, 3],
 *  "players": [{"name": text, "source": where most of the games are from, "games": n, "as_black": n, "as_white": n,
 *     "index": {"hbs": S, "line": S},
 *     "black": {"n": [n a ply], "log2": [mean log2(1+S) a ply], "se": [of it], "layers": [[mean log2(1+L) a ply] a layer]},
 *     "white": {…}                  as White, of the variant that counts White's stones
 *  }, …],                           most games first
 *      S = {"n": games, "mean": x, "sd": over games, "se": x}
 *      index hbs: at the position after early_ply moves (at least that long), mean fill of the outer layers minus
 *      that of the inner ones, own colour: fill of L_m is log2(1+L_m)/4m; outer is the first to third line, inner the
 *      rest. index line: the same question asked of stones: share of own stones on lines 1–3. High: territory; low:
 *      influence.
 *  "index": {"hbs": {"mean": x, "sd_within": x, "sd_between": x, "icc": share of the variance that players explain},
 *            "line": {…}, "correlation": between the players' mean hbs and line indices},
 *  "tests": [{"of": "log2" | "layers", "source": "all" | name, "players": n, "objects": n, "between": x, "within": x,
 *             "difference": x, "p_value": x, "permutations": n}, …],
 *      each player's games are split in two halves by hash; distances between halves of one player against those
 *      between players (root mean square of the curves' differences over plies and both colours)
 *  "map": {"of": "log2", "share": [x, x], "players": [{"name": text, "x": x, "y": x}, …]}   the best separated ones
 * }
 */
#ifndef KIFUMILL_WINRATE_STAGE_H
#define KIFUMILL_WINRATE_STAGE_H

#include "stage.h"

typedef enum km_winrate_kind { KM_WINRATE_LOGISTIC = 0, KM_WINRATE_MLP, KM_WINRATE_BOTH } km_winrate_kind;

typedef struct km_winrate_options {
  km_run_options run;
  int board;
  const char *variant;  /* of HBS, without colour */
  int model;            /* km_winrate_kind */
  const char *features; /* "all", or names of feature sets, comma-separated */
  int window;           /* of ΔS, in moves */
  const char *sample;   /* "all", "every:K", "per-game:K" */
  uint64_t max_positions;
  int folds;            /* ≥ 2: cross-validation; 0: split */
  const char *split;    /* "0.9,0.05,0.05" */
  int bucket;           /* plies */
  const char *phases;   /* "50,150": first ply of the middle game, of the endgame */
  int replicates;
  double ridge;
  const char *external; /* NULL, or a CSV file, gzip allowed */
  uint64_t network_positions; /* trained on, at most */
  int hidden, epochs;
  int min_games, max_players, early_ply, permutations;
} km_winrate_options;

extern const km_stage km_winrate_stage;

km_status km_winrate_run(const km_winrate_options *options, km_stage_outcome *outcome, km_err *err);

#endif
