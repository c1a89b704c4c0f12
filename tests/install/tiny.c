/* tiny.c: somebody else's program: built against an installed kifumill with pkg-config. It touches every
 * library, so that one that is missing from kifumill.pc, or stands in the wrong place there, does not link.
 */
#include <stdio.h>
#include <string.h>

#include <kifumill/archive_reader.h>
#include <kifumill/batch.h>
#include <kifumill/changepoint.h>
#include <kifumill/encoder.h>
#include <kifumill/exact_sum.h>
#include <kifumill/games_store.h>
#include <kifumill/hbs_trajectory.h>
#include <kifumill/logistic.h>
#include <kifumill/sgf.h>
#include <kifumill/sha256.h>

static km_status body(void *ctx, int thread, size_t i, km_err *err) {
  (void)thread;
  (void)err;
  ((int *)ctx)[i] = (int)i;
  return KM_OK;
}

/* S of the last position. */
static int print_hbs(const km_game *game) {
  static km_hbs_geometry geometry;
  static km_replay replay;
  km_hbs hbs;
  char text[KM_HBS_DECIMAL_MAX];
  if (km_hbs_geometry_init(&geometry, game->rows, game->cols, (km_hbs_variant){0}, NULL))
    return 1;
  km_hbs_init(&hbs, &geometry);
  km_replay_init(&replay, game, &(km_replay_options){0});
  while (km_replay_step(&replay) == KM_OK) {
  }
  km_hbs_load(&hbs, &replay.board);
  printf("%u moves, S = %s\n", replay.ply, km_hbs_decimal(text, km_hbs_s(&hbs).limb, geometry.n_limbs));
  return 0;
}

int main(void) {
  static const char record[] = "(;SZ[5];B[bb];W[cb];B[ac];W[dc];B[bd];W[cd];B[cc];W[bc])";
  km_arena arena;
  km_sgf_reader *reader;
  km_sgf_record game;
  km_err err = {0};
  km_games *games;
  km_inputs *inputs = NULL;
  km_plane_encoder *encoder;
  int numbers[3] = {0};
  km_arena_init(&arena);
  if (km_sgf_open(&reader, record, strlen(record), NULL, &arena, &err) || km_sgf_next(reader, &game, &err) ||
      print_hbs(&game.game))
    return 1;
  const char *paths[] = {"-"};
  if (km_inputs_open(&inputs, paths, 1, NULL, &err) || km_inputs_count(inputs) != 1)
    return 2;
  km_inputs_free(inputs);
  if (km_games_open(&games, "no such file", &err) != KM_ERR_IO)
    return 3;
  km_changepoint *workspace = km_changepoint_new();
  double y[] = {0, 0, 0, 9, 9, 9};
  km_changepoint_options how = km_changepoint_defaults();
  km_changepoints found;
  if (!workspace || km_changepoint_find(workspace, &(km_series){y, 6, 1}, &how, &found, &err) ||
      found.n_breaks != 1)
    return 4;
  km_changepoint_free(workspace);
  if (km_parallel_for(3, 2, body, numbers, &err) || numbers[2] != 2)
    return 5;
  km_plane_options planes = {.layout = km_layout_find("alphago-zero"), .rows = 5, .cols = 5, .symmetries = 1};
  if (km_plane_encoder_new(&encoder, &planes, &err) || km_plane_encoder_n_planes(encoder) != 17)
    return 6;
  km_plane_encoder_free(encoder);
  km_arena_clear(&arena);
  return 0;
}
