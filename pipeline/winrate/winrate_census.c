/* winrate_census.c: the first pass, over facts. */
#include "winrate_data.h"

#include <stdlib.h>
#include <string.h>

typedef struct census {
  uint64_t won[KM_WR_SEGMENTS_MAX], lost[KM_WR_SEGMENTS_MAX]; /* games that reach each segment */
  uint64_t n_positions;                                       /* before thinning */
} census;

static void count_game(km_wr_data *data, census *c, const km_game *game) {
  km_wr_counts *n = &data->counts;
  unsigned board = (unsigned)data->options->board;
  n->read++;
  if (game->rows != board || game->cols != board) {
    n->other_size++;
  } else if (game->winner == KM_WINNER_DRAW) {
    n->drawn++;
  } else if (game->winner != KM_WINNER_BLACK && game->winner != KM_WINNER_WHITE) {
    n->no_winner++;
  } else {
    c->n_positions += km_wr_plan_positions(&data->plan, game->n_moves);
    for (size_t i = 0; i < KM_WR_SEGMENTS_MAX && i * data->plan.segment_plies <= game->n_moves; i++)
      (game->winner == KM_WINNER_BLACK ? c->won : c->lost)[i]++;
  }
}

static km_status take_census(km_wr_data *data, km_err *err) {
  enum { STRETCH = 1 << 14 };
  census c = {0};
  uint64_t n_games = km_games_count(data->games);
  for (uint64_t i = 0; i < n_games; i++) {
    km_game game;
    km_status status = km_games_info(data->games, i, &game, err);
    if (status != KM_OK)
      return status;
    count_game(data, &c, &game);
    if (game.rows == data->options->board && game.cols == data->options->board)
      status = km_styles_count(data->styles, data->games, i, err);
    if (status != KM_OK)
      return status;
    if (data->opinions)
      km_opinions_meet(data->opinions, i, game.text[KM_TEXT_SOURCE], game.text[KM_TEXT_ENTRY]);
    if ((i + 1) % STRETCH == 0) /* of the mapped file, so that memory does not grow with it */
      km_games_release(data->games, i + 1 - STRETCH, STRETCH);
  }
  if (c.n_positions > data->options->max_positions)
    data->plan.kept_share = (double)data->options->max_positions / (double)c.n_positions;
  km_wr_plan_segments(&data->plan, c.won, c.lost);
  if (c.won[0] == 0 || c.lost[0] == 0)
    return km_err_set(err, KM_ERR_FORMAT, 0,
                      "%.200s: nothing to learn from: Black wins %llu and loses %llu of its games on %dx%d",
                      km_games_path(data->games), (unsigned long long)c.won[0], (unsigned long long)c.lost[0],
                      data->options->board, data->options->board);
  return km_styles_choose(data->styles, err);
}

static void name_externals(km_wr_data *data) {
  static const char *const records[KM_WR_EXTERNALS] = {"", "record:katago-training", "record:adversary", "record:sbkv",
                                                       "record:lizzie", ""};
  for (size_t i = 1; i < KM_WR_EXTERNALS; i++)
    strcpy(data->external[i].name, records[i]);
  if (!data->opinions)
    return;
  km_wr_external *file = &data->external[0];
  snprintf(file->name, sizeof file->name, "%s", km_opinions_name(data->opinions));
  file->rows = km_opinions_rows(data->opinions);
  file->duplicate = km_opinions_duplicates(data->opinions);
  km_opinions_unmet(data->opinions, &file->no_game, &file->ambiguous);
}

static km_styles_options style_options(const km_winrate_options *options, unsigned n_layers) {
  unsigned points = (unsigned)(options->board * options->board), step = (points * 200 / 361 + 20) / 40;
  return (km_styles_options){.min_games = (uint32_t)options->min_games,
                             .max_players = (uint32_t)options->max_players,
                             .n_permutations = (uint32_t)options->permutations,
                             .early_ply = (uint32_t)options->early_ply,
                             .step = step ? step : 1, /* 5 on 19×19: to move 200 */
                             .board = (unsigned)options->board,
                             .n_layers = n_layers,
                             .seed = options->run.seed};
}

km_status km_wr_data_open(km_wr_data *data, const km_winrate_options *options, km_err *err) {
  *data = (km_wr_data){.options = options};
  km_status status = km_wr_plan_init(&data->plan, options, err);
  if (status == KM_OK)
    status = km_wr_geometry_init(&data->geometry, (unsigned)options->board, options->variant, (unsigned)options->window, err);
  if (status == KM_OK)
    status = km_games_open(&data->games, options->run.inputs[0], err);
  if (status == KM_OK && options->run.n_inputs > 1)
    status = km_wr_check_hbs(data->games, options->run.inputs[1], &data->n_checked, err);
  if (status == KM_OK && options->external)
    status = km_opinions_load(&data->opinions, options->external, err);
  data->style_options = style_options(options, data->geometry.n_layers);
  if (status == KM_OK)
    status = km_styles_new(&data->styles, &data->style_options, err);
  if (status == KM_OK)
    status = take_census(data, err);
  if (status == KM_OK)
    name_externals(data);
  return status;
}

void km_wr_data_close(km_wr_data *data) {
  km_position_store_close(data->store);
  km_styles_free(data->styles);
  km_opinions_free(data->opinions);
  km_games_close(data->games);
  free(data->effects);
}
