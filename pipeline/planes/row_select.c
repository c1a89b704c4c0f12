/* row_select.c: the rules, in the order of km_select_step. A rule turns the list of plies into a shorter one
 * in place. */
#include "row_select.h"

#include "kifumill/replay.h"

#include <limits.h>

const char *const km_select_step_names[KM_SELECT_STEPS] = {
    "positions",  "after_unknown_result", "after_handicap_moves", "after_ply",
    "after_last", "after_players",        "after_sample"};

void km_select_counts_add(km_select_counts *sum, const km_select_counts *counts) {
  sum->n_games += counts->n_games;
  sum->n_other_size += counts->n_other_size;
  sum->n_too_long += counts->n_too_long;
  sum->n_without += counts->n_without;
  for (int i = 0; i < KM_SELECT_STEPS; i++)
    sum->n_steps[i] += counts->n_steps[i];
  for (int i = 0; i < KM_SPLITS; i++) {
    sum->n_split[i] += counts->n_split[i];
    sum->n_split_games[i] += counts->n_split_games[i];
  }
}

unsigned km_select_split(const km_planes_settings *settings, const km_game_keys *keys) {
  double at =
      km_random_unit(km_random(settings->seed, keys->split_key.low, keys->split_key.high, KM_PURPOSE_SPLIT));
  unsigned split = 0;
  while (split < KM_SPLITS - 1 && at >= settings->split_end[split])
    split++;
  return split;
}

/* Without the moves of Black that stand for his handicap: the first HA of them, where no stones were set up.
 */
static uint32_t skip_handicap(const km_game *game, uint16_t *plies, uint32_t n) {
  uint32_t n_kept = 0, n_placed = 0;
  if (game->handicap < 2 || (game->n_setup && game->setup[0].ply == 0))
    return n;
  for (uint32_t i = 0; i < n; i++) {
    int is_placed =
        plies[i] < game->n_moves && game->moves[plies[i]].colour == KM_BLACK && n_placed < game->handicap;
    n_placed += is_placed;
    if (!is_placed)
      plies[n_kept++] = plies[i];
  }
  return n_kept;
}

static uint32_t keep_range(const km_planes_settings *s, uint16_t *plies, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (plies[i] >= s->ply_from && plies[i] <= s->ply_to)
      plies[n_kept++] = plies[i];
  return n_kept;
}

/* Without the position whose move was the last one before a resignation. */
static uint32_t drop_last(const km_game *game, uint16_t *plies, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (plies[i] + 1u != game->n_moves)
      plies[n_kept++] = plies[i];
  return n_kept;
}

static int is_wanted_player(const km_planes_settings *s, const km_game *game, uint8_t colour) {
  if (s->players == KM_PLAYERS_WINNER)
    return km_value_target(game->winner, colour) == 1;
  int order = km_rank_order(colour == KM_BLACK ? game->black_rank : game->white_rank);
  return order != INT_MIN && order >= s->rank;
}

static uint32_t keep_players(const km_planes_settings *s, const km_game *game, uint16_t *plies, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n; i++)
    if (is_wanted_player(s, game, km_game_to_play(game, plies[i])))
      plies[n_kept++] = plies[i];
  return n_kept;
}

/* Every K-th, from a random one of the first K on. */
static uint32_t keep_every(const km_planes_settings *s, uint64_t id, uint16_t *plies, uint32_t n) {
  uint64_t first = km_random_below(km_random(s->seed, id, 0, KM_PURPOSE_SAMPLE), s->sample_k);
  uint32_t n_kept = 0;
  for (uint64_t i = first; i < n; i += s->sample_k)
    plies[n_kept++] = plies[i];
  return n_kept;
}

/* K of them, every set of K with the same chance: each is taken with the chance (still wanted) / (still to
 * come). */
static uint32_t keep_some(const km_planes_settings *s, uint64_t id, uint16_t *plies, uint32_t n) {
  uint32_t n_kept = 0;
  for (uint32_t i = 0; i < n && n_kept < s->sample_k; i++)
    if (km_random_below(km_random(s->seed, id, plies[i], KM_PURPOSE_SAMPLE), n - i) < s->sample_k - n_kept)
      plies[n_kept++] = plies[i];
  return n_kept;
}

uint32_t km_select_plies(const km_planes_settings *s, const km_game *game, const km_game_keys *keys,
                         uint16_t *plies, km_select_counts *counts) {
  uint32_t n = game->n_moves + s->final_value;
  for (uint32_t i = 0; i < n; i++)
    plies[i] = (uint16_t)i;
  counts->n_steps[KM_STEP_POSITIONS] += n;
  if (s->drop_unknown && game->winner == KM_WINNER_UNKNOWN)
    n = 0;
  counts->n_steps[KM_STEP_UNKNOWN_RESULT] += n;
  if (s->skip_handicap_moves)
    n = skip_handicap(game, plies, n);
  counts->n_steps[KM_STEP_HANDICAP_MOVES] += n;
  n = keep_range(s, plies, n);
  counts->n_steps[KM_STEP_PLY] += n;
  if (s->drop_last && game->ending == KM_ENDING_RESIGN)
    n = drop_last(game, plies, n);
  counts->n_steps[KM_STEP_LAST] += n;
  if (s->players != KM_PLAYERS_ANY)
    n = keep_players(s, game, plies, n);
  counts->n_steps[KM_STEP_PLAYERS] += n;
  if (s->sample == KM_SAMPLE_EVERY)
    n = keep_every(s, keys->hash.low, plies, n);
  else if (s->sample == KM_SAMPLE_PER_GAME)
    n = keep_some(s, keys->hash.low, plies, n);
  counts->n_steps[KM_STEP_SAMPLE] += n;
  return n;
}

uint8_t km_select_symmetry(const km_planes_settings *settings, uint64_t game_id, uint32_t ply, unsigned way) {
  if (settings->symmetries == KM_SYMMETRIES_RANDOM)
    way = (unsigned)km_random_below(km_random(settings->seed, game_id, ply, KM_PURPOSE_SYMMETRY),
                                    settings->n_ways);
  return settings->ways[way];
}
