/* winrate_games.h: made games whose winner depends on what they look like, or does not; options of the stage; what is in its
 * outputs. */
#ifndef WINRATE_GAMES_H
#define WINRATE_GAMES_H

#include "stage_fixture.h"

#include "winrate_stage.h"

/* Random legal games on 9×9. Black goes for the edge (which decides S) in a share `edge_won` of the games he wins and
 * `edge_lost` of those he loses: equal shares are no signal. */
typedef struct winrate_kind {
  uint64_t seed;
  size_t n;
  double edge_won, edge_lost;
  const char *const *players; /* NULL: no names; n_players: both colours are drawn from them */
  size_t n_players;
  int by_player;  /* the first player never goes for the edge, the last one always, whatever the result */
  int with_evals; /* records hold a win-rate at plies 3, 6, …: 0.9 or 0.1, right unless the ply is a multiple of 4 */
} winrate_kind;
/* Game i is entry "i.sgf" of source "made.zip"; every 10th is a draw, every 13th has no result. */
const char *winrate_games(const char *name, const winrate_kind *kind);
int winrate_winner(const winrate_kind *kind, size_t i); /* as stored */
enum { WINRATE_MOVES = 40 };

/* Options: 9×9, few replicates, quiet. Free it. */
km_winrate_options *winrate_options(const char *output, const char *games, const char *hbs);
void run_winrate(const km_winrate_options *options);

/* The result of a model in a list of results; fails if there is none. */
const json_t *winrate_result(const json_t *results, const char *model, const char *by, const char *bucket);
/* metrics.METRIC.FIELD of a result. */
double winrate_figure(const json_t *result, const char *metric, const char *field);
const json_t *winrate_minus(const json_t *result, const char *model);
double json_double(const json_t *object, const char *key);

#endif
