/* winrate_check.c: hbs.h5 is not needed, since trajectories are made again faster than they are read; where it is given, it
 * must be that of the games: its digest, its number of games, and S of up to CHECKED games spread over the file, position by
 * position. */
#include "winrate_data.h"

#include "kifumill/hbs_store.h"

#include <stdlib.h>
#include <string.h>

enum { CHECKED = 1000 };

typedef struct check {
  const km_games *games;
  km_hbs_store *store;
  km_hbs_store_cursor *cursor;
  km_hbs_variant variant;
  unsigned n_limbs; /* of the file, which may be more than a small board's */
  km_arena arena;
  km_hbs_geometry geometry;
  km_replay replay;
  km_hbs hbs;
} check;

static km_status differs(const check *c, uint64_t i, km_err *err) {
  return km_err_set(err, KM_ERR_FORMAT, 0, "%.200s: game %llu is not that of %.200s",
                    km_h5_path(km_hbs_store_file(c->store)), (unsigned long long)i, km_games_path(c->games));
}

static int same_s(const check *c, const uint64_t *stored) {
  for (unsigned limb = 0; limb < c->n_limbs; limb++)
    if (stored[limb] != c->hbs.s[limb])
      return 0;
  return 1;
}

static km_status check_game(check *c, uint64_t i, km_err *err) {
  km_game game;
  km_hbs_store_series series;
  km_arena_reset(&c->arena);
  km_status status = km_games_game(c->games, i, &c->arena, &game, err);
  if (status == KM_OK)
    status = km_hbs_store_game(c->cursor, &(km_hbs_store_what){i, 0, 0}, &series, err);
  if (status != KM_OK)
    return status;
  if (game.rows != game.cols)
    return series.n == 0 ? KM_OK : differs(c, i, err);
  if (c->geometry.n != game.rows)
    status = km_hbs_geometry_init(&c->geometry, game.rows, game.rows, c->variant, err);
  if (status != KM_OK)
    return status;
  km_replay_init(&c->replay, &game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  km_hbs_init(&c->hbs, &c->geometry);
  km_hbs_load(&c->hbs, &c->replay.board);
  do {
    if (c->replay.ply >= series.n || !same_s(c, series.s + c->replay.ply * c->n_limbs))
      return differs(c, i, err);
    if (km_replay_step(&c->replay) != KM_OK)
      break;
    km_hbs_follow(&c->hbs, &c->replay);
  } while (1);
  return KM_OK;
}

static km_status open_store(check *c, const char *path, km_err *err) {
  char digest[33], *stored = NULL, *name = NULL;
  km_hbs_variant single[2];
  km_status status = km_hbs_store_open(&c->store, path, err);
  if (status == KM_OK)
    status = km_h5_get_text(km_hbs_store_file(c->store), "/", "input_digest", &stored, err);
  if (status == KM_OK)
    status = km_h5_get_text(km_hbs_store_file(c->store), "/", "variant", &name, err);
  if (status == KM_OK)
    status = km_hbs_variant_parse(&c->variant, name, err);
  if (status == KM_OK) {
    km_hash_hex(km_games_digest(c->games), digest);
    if (strcmp(digest, stored) != 0 || km_hbs_store_n_games(c->store) != km_games_count(c->games))
      status = km_err_set(err, KM_ERR_STATE, 0, "%.200s was not made from %.200s", path, km_games_path(c->games));
    km_hbs_variant_split(c->variant, single);
    c->variant = single[0];
    c->n_limbs = km_hbs_store_schema(c->store)->shape.n_limbs;
  }
  free(stored);
  free(name);
  if (status == KM_OK && !(c->cursor = km_hbs_store_cursor_new(c->store)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory to read %.200s", path);
  return status;
}

km_status km_wr_check_hbs(const km_games *games, const char *path, uint64_t *n_checked, km_err *err) {
  check *c = calloc(1, sizeof *c);
  if (!c)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory to read %.200s", path);
  c->games = games;
  km_arena_init(&c->arena);
  km_status status = open_store(c, path, err);
  uint64_t n = km_games_count(games), step = (n + CHECKED - 1) / CHECKED;
  *n_checked = 0;
  for (uint64_t i = 0; i < n && status == KM_OK; i += step) {
    status = check_game(c, i, err);
    *n_checked += status == KM_OK;
  }
  km_hbs_store_cursor_free(c->cursor);
  km_hbs_store_close(c->store);
  km_arena_clear(&c->arena);
  free(c);
  return status;
}
