/* winrate_styles.h: typical trajectories of players, and whether players differ from one another by more than from themselves.
 *
 * First pass: names are counted. Then the players with most games are chosen, and in the second pass every game adds its curves,
 * taken at KM_WR_PLACES plies, to those of its players: as Black of Black's HBS, as White of White's. Each player's games fall into
 * two halves by hash; two halves of a player lie nearer to each other than halves of two players if style shows in the curves. */
#ifndef KIFUMILL_WINRATE_STYLES_H
#define KIFUMILL_WINRATE_STYLES_H

#include "winrate_position.h"

#include "kifumill/games_store.h"
#include "kifumill/permutation.h"
#include "kifumill/summary.h"

enum { KM_WR_PLACES = 41, KM_WR_NO_PLAYER = UINT32_MAX, KM_WR_MAP_PLAYERS = 24, KM_WR_INDICES = 2, KM_WR_TESTS_MAX = 32 };

typedef struct km_styles_options {
  uint32_t min_games, max_players, n_permutations, early_ply, step; /* step: plies between places */
  unsigned board, n_layers;
  uint64_t seed;
} km_styles_options;

typedef struct km_styles km_styles;
km_status km_styles_new(km_styles **styles, const km_styles_options *options, km_err *err);
void km_styles_free(km_styles *styles); /* NULL is allowed */

/* First pass: the players of game i. */
km_status km_styles_count(km_styles *styles, const km_games *games, uint64_t i, km_err *err);
/* Ends it. */
km_status km_styles_choose(km_styles *styles, km_err *err);
uint64_t km_styles_seen(const km_styles *styles); /* distinct names */
size_t km_styles_players(const km_styles *styles);
/* The number of a game's player of a colour (0 Black, 1 White), or KM_WR_NO_PLAYER. Any thread. */
uint32_t km_styles_player(const km_styles *styles, const km_games *games, uint64_t i, unsigned colour);

/* A game's curves: log2(1+S) and layers at each place, by colour; indices at early_ply, NaN if the game is shorter. */
typedef struct km_style_curves {
  uint32_t n_places;
  float index[2][KM_WR_INDICES]; /* by colour: hbs, line */
  float value[2][KM_WR_PLACES][1 + KM_WR_LAYERS_MAX];
} km_style_curves;
/* Takes from a walk what its present position gives, if it is a place or the early ply. */
void km_style_curves_take(km_style_curves *curves, const km_styles_options *options, const km_wr_walk *walk, float *scratch);

/* Second pass, in the order of games. */
void km_styles_add(km_styles *styles, const km_games *games, uint64_t i, uint64_t identity, const km_style_curves *curves);

/* Results. */
typedef struct km_style_player {
  km_text name, source;
  uint64_t n_games, n_colour[2];
  km_moments index[KM_WR_INDICES];
} km_style_player;
void km_styles_describe(const km_styles *styles, const km_games *games, size_t player, km_style_player *out);
/* Mean and standard error of a channel (0: log2(1+S); 1…: layers) at a place; n games. */
void km_styles_mean(const km_styles *styles, size_t player, unsigned colour, unsigned place, unsigned channel, km_moments *out);

typedef struct km_style_index {
  double mean, sd_within, sd_between, icc; /* one-way analysis of variance, players as groups */
} km_style_index;
void km_styles_index(const km_styles *styles, unsigned index, km_style_index *out);
double km_styles_correlation(const km_styles *styles); /* of the players' means of the two indices */

typedef struct km_style_test {
  int of_layers;
  uint32_t source_of; /* a player whose main source it is limited to, or KM_WR_NO_PLAYER */
  size_t n_players, n_objects;
  km_permutation_result result;
} km_style_test;
/* The tests: of all players, and of each source with enough of them. */
km_status km_styles_test(const km_styles *styles, km_workers workers, km_style_test tests[KM_WR_TESTS_MAX], size_t *n,
                         km_err *err);

typedef struct km_style_map {
  size_t n;
  uint32_t player[KM_WR_MAP_PLAYERS];
  double place[2 * KM_WR_MAP_PLAYERS], share[2];
} km_style_map;
/* The players whose distance to others is largest against that between their halves, in two dimensions. */
km_status km_styles_map(const km_styles *styles, km_style_map *map, km_err *err);

#endif
