/* phases_stage.h: hbs.h5 [games.h5] → phases.h5, phases.csv, phases.summary.json.
 *
 * Every game is a series, its value t that of the position after t moves, and is cut twice: into as many
 * pieces as the penalty (or --changes) gives, and into three, opening, middle game and endgame, by the best
 * two changes of the same cost. A break b means that a new piece begins with the position after b moves. The
 * mean series of the games of a board size is cut in the same way, up to where a tenth of them still run.
 * Games of more than KM_PHASES_PLIES positions, and those too short for three pieces, are counted.
 *
 * Signals: log2 is log2(1 + S); layer:N the same of L of side N; layers all of these at once (cost l2);
 * delta:W the change of S over W moves (from the start, where there are fewer), as sign · log2(1 + |ΔS|).
 * Layers need kifu-hbs --layers. Positions before the first stone of the colour count as the first one with
 * it (--empty keep: as they are), since the logarithm's jump from an empty board would be the greatest change
 * of every game.
 *
 * Comparison with a reference: "conventional:A,B", the middle game begins after A moves and the endgame after
 * B on 19×19, scaled by area on other boards; or a CSV of labels (phase_labels.h), one line a break. Only
 * games that reach all phases of the reference are compared. Beside HBS (hbs: the three pieces; hbs-changes:
 * those of the penalty) stand divisions that know nothing of it:
 *   uniform       thirds of the game
 *   conventional  where the reference is labels
 *   stones        the best two changes, by the same cost, of the number of stones on the board
 *   lines         the same of the mean line (1 = edge) of the last ten moves
 *   captures      the same of the number of prisoners
 *   contact       the first stone next to one of the other colour, and half of what follows
 * with thirds where there is no contact, or where a series never changes. The last four need games.h5.
 *
 * Measures: f1 at the margin; hausdorff distance; ari, the adjusted Rand index; covering; distance, the mean
 * distance of breaks in pairs where there are as many, else of a reference break to the nearest one found.
 * Means over games, with percentile intervals of a bootstrap over games (in groups, where there are more than
 * KM_COMPARE_GROUPS of a size); differences are paired.
 *
 * phases.csv: game,source,entry,size,positions,changes,middle,endgame; changes are breaks between spaces; a
 * game without a series has 0 positions. phases.h5: /games a row a game, /changes a row a break; what columns
 * are stands in their descriptions (phases_store.c).
 *
 * phases.summary.json (null: undefined):
 *
 *   format "kifumill phases summary", format_version, generator, command, config, seed, input_digest
 *   variant, series: "black" | "white", signal
 *   games, games_divided, games_without_series, games_too_long, games_too_short, positions
 *   reference: {kind: "conventional" | "labels", middle, endgame, labels, labels_unused}; margin
 *   boards: [{size, games, games_divided, positions,
 *     changes_per_game[]: games with 0, 1, … changes (number 64: or more)
 *     changes_by_move[]: changes at break 0, 1, …; changes_by_fraction[100]
 *     middle, endgame: {mean, q1, median, q3, counts[]} of the breaks of the three pieces
 *     density: [{phase: "opening" …, changes, positions}]: of all games, in the conventional phases
 *     mean_curve: {n[], values[][], changes[], middle, endgame}
 *     comparison: null, or {games,
 *       methods: [{name, f1, hausdorff, ari, covering, distance: {value, low, high}}],
 *       differences: [the same of hbs minus the method]}}]
 *   comparison: of all sizes
 *   examples: [{game, source, entry, black, white, size, positions, changes[], middle, endgame, reference[],
 *     log2[]}], up to KM_EXAMPLES of each size, drawn by the seed */
#ifndef KIFUMILL_PHASES_STAGE_H
#define KIFUMILL_PHASES_STAGE_H

#include "stage.h"

enum {
  KM_PHASES_PLIES = 8192, /* positions of the longest game that is cut */
  KM_EXAMPLES = 3,
};

/* Positions before the first stone of the counted colour, where S is 0. */
typedef enum km_empty_mode { KM_EMPTY_SKIP = 0, KM_EMPTY_KEEP } km_empty_mode;

typedef struct km_phases_options {
  km_run_options run;
  const char *signal, *penalty, *reference;
  int empty;               /* km_empty_mode */
  int colour;              /* 0 the first series of the file, 1 black, 2 white */
  int cost, search, noise; /* of changepoint.h */
  int changes;             /* −1: by the penalty */
  int min_size, window, standardise;
  int margin, compare, replicates;
} km_phases_options;

extern const km_stage km_phases_stage;

km_status km_phases_run(const km_phases_options *options, km_stage_outcome *outcome, km_err *err);

#endif
