/* winrate_position.c: numbers of a position. */
#include "winrate_position.h"

#include "kifumill/features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLACK, WHITE, PAIR = 2 * KM_HBS_LIMBS_MAX };

km_status km_wr_geometry_init(km_wr_geometry *geometry, unsigned board, const char *variant, unsigned window, km_err *err) {
  km_hbs_variant v;
  km_status status = km_hbs_variant_parse(&v, variant, err);
  if (status != KM_OK)
    return km_err_prefix(err, "--variant");
  if (v.colour != KM_HBS_BLACK)
    return km_err_set(err, KM_ERR_USAGE, 0, "--variant %s: leave out the colour, both are counted", variant);
  *geometry = (km_wr_geometry){.board = board, .window = window, .n_layers = km_hbs_n_layers(board, v),
                               .n_limbs = km_hbs_n_limbs(board)};
  status = km_hbs_geometry_init(&geometry->colour[BLACK], board, board, v, err);
  v.colour = KM_HBS_WHITE;
  return status == KM_OK ? km_hbs_geometry_init(&geometry->colour[WHITE], board, board, v, err) : status;
}

km_wr_walk *km_wr_walk_new(const km_wr_geometry *geometry) {
  km_wr_walk *walk = calloc(1, sizeof *walk);
  if (!walk)
    return NULL;
  walk->geometry = geometry;
  walk->past = calloc((geometry->window + 1) * (size_t)PAIR, sizeof *walk->past);
  for (int c = 0; c < 2; c++)
    km_hbs_init(&walk->hbs[c], &geometry->colour[c]);
  if (walk->past)
    return walk;
  free(walk);
  return NULL;
}

void km_wr_walk_free(km_wr_walk *walk) {
  if (!walk)
    return;
  free(walk->past);
  free(walk);
}

static uint64_t *past_of(const km_wr_walk *walk, uint32_t ply, int colour) {
  return walk->past + (ply % (walk->geometry->window + 1)) * (size_t)PAIR + (size_t)colour * KM_HBS_LIMBS_MAX;
}

static void remember(km_wr_walk *walk) {
  for (int c = 0; c < 2; c++)
    memcpy(past_of(walk, walk->replay.ply, c), walk->hbs[c].s, sizeof walk->hbs[c].s);
}

/* What ingest kept is followed to its end, whatever rules it was kept under. */
void km_wr_walk_start(km_wr_walk *walk, const km_game *game) {
  km_replay_init(&walk->replay, game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  for (int c = 0; c < 2; c++)
    km_hbs_load(&walk->hbs[c], &walk->replay.board);
  remember(walk);
}

km_status km_wr_walk_step(km_wr_walk *walk) {
  km_status status = km_replay_step(&walk->replay);
  if (status != KM_OK)
    return status;
  for (int c = 0; c < 2; c++)
    km_hbs_follow(&walk->hbs[c], &walk->replay);
  remember(walk);
  return KM_OK;
}

void km_wr_walk_hbs(const km_wr_walk *walk, float *values) {
  unsigned n_layers = walk->geometry->n_layers, n_limbs = walk->geometry->n_limbs;
  for (int c = 0; c < 2; c++) {
    const km_hbs *hbs = &walk->hbs[c];
    values[KM_WR_LOG2_BLACK + c] = (float)km_hbs_log2(hbs->s, n_limbs);
    for (unsigned k = 0; k < n_layers; k++)
      values[KM_WR_LAYERS + c * n_layers + k] = (float)km_hbs_log2(hbs->layer + k * n_limbs, n_limbs);
  }
}

/* sign(a − b) · log2(1 + |a − b|), exact up to the logarithm. */
static double signed_log2(const uint64_t *a, const uint64_t *b, unsigned n_limbs) {
  int sign = 0;
  for (unsigned i = n_limbs; i-- > 0 && !sign;)
    sign = a[i] < b[i] ? -1 : a[i] > b[i];
  const uint64_t *high = sign < 0 ? b : a, *low = sign < 0 ? a : b;
  uint64_t difference[KM_HBS_LIMBS_MAX], borrow = 0;
  for (unsigned i = 0; i < n_limbs; i++) {
    difference[i] = high[i] - low[i] - borrow;
    borrow = high[i] < low[i] || (high[i] == low[i] && borrow);
  }
  return sign * km_hbs_log2(difference, n_limbs);
}

static void put_changes(const km_wr_walk *walk, float *values) {
  const km_wr_geometry *g = walk->geometry;
  uint32_t ply = walk->replay.ply, before = ply > g->window ? ply - g->window : 0;
  for (int c = 0; c < 2; c++) {
    const uint64_t *now = walk->hbs[c].s, *then = past_of(walk, before, c);
    values[KM_WR_DELTA_BLACK + c] = (float)(km_hbs_log2(now, g->n_limbs) - km_hbs_log2(then, g->n_limbs));
    values[KM_WR_DELTA_S_BLACK + c] = (float)signed_log2(now, then, g->n_limbs);
  }
  values[KM_WR_DIFFERENCE] = (float)signed_log2(walk->hbs[BLACK].s, walk->hbs[WHITE].s, g->n_limbs);
}

static void put_local(km_wr_walk *walk, float *values) {
  const km_board *board = &walk->replay.board;
  unsigned stones[2] = {0}, chains[2] = {0}, liberties[2] = {0}, atari_chains[2] = {0}, atari_stones[2] = {0};
  for (unsigned site = 2u * board->stride; site < board->n_sites - 2u * board->stride; site++) {
    unsigned cell = board->cell[site];
    if (cell < KM_CELL_STONE)
      continue;
    unsigned c = cell >> 14 & 1;
    stones[c]++;
    if ((cell & KM_CELL_HEAD) != site)
      continue;
    unsigned n = km_chain_liberties(board, site);
    chains[c]++;
    liberties[c] += n;
    if (n == 1) {
      atari_chains[c]++;
      atari_stones[c] += km_chain_size(board, site);
    }
  }
  for (unsigned c = 0; c < 2; c++) {
    values[KM_WR_STONES_BLACK + c] = (float)stones[c];
    values[KM_WR_CHAINS_BLACK + c] = (float)chains[c];
    values[KM_WR_LIBERTIES_BLACK + c] = (float)liberties[c];
    values[KM_WR_ATARI_CHAINS_BLACK + c] = (float)atari_chains[c];
    values[KM_WR_ATARI_STONES_BLACK + c] = (float)atari_stones[c];
    values[KM_WR_EYES_BLACK + c] = (float)km_true_eyes(board, (uint8_t)(KM_BLACK + c), walk->eyes);
    values[KM_WR_LOST_BLACK + c] = (float)board->prisoners[KM_BLACK + c];
  }
}

/* Komi beyond it is a slip of the pen, and would weigh on a coefficient more than all honest ones. */
static const float komi_most = 60;

void km_wr_walk_row(km_wr_walk *walk, float *values) {
  const km_game *game = walk->replay.game;
  values[KM_WR_PLY] = (float)walk->replay.ply / 100;
  values[KM_WR_KOMI_UNKNOWN] = (float)isnan(game->komi);
  values[KM_WR_KOMI] = isnan(game->komi) ? 0 : fminf(fmaxf(game->komi, -komi_most), komi_most);
  values[KM_WR_HANDICAP] = game->handicap;
  values[KM_WR_OPINION] = values[KM_WR_SCORE] = values[KM_WR_SCORE_PLY] = NAN;
  km_wr_walk_hbs(walk, values);
  put_changes(walk, values);
  put_local(walk, values);
}
