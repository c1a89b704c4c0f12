/* verify_hbs.c: an hbs.h5 against the games: every game has the positions it should, and with --deep the
 * values of some games are computed anew from the bare stones, by the definition, with GMP. */
#include "verify_deep.h"

#include "kifumill/hbs.h"
#include "kifumill/hbs_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t verify_draw(const verify_session *session, uint64_t i, uint64_t n) {
  if (n <= (uint64_t)session->options->sample)
    return i;
  if (i < 2)
    return i ? n - 1 : 0;
  return km_random_below(km_random(session->options->seed, i, 0, KM_PURPOSE_SAMPLE), n);
}

/* Everything for the values of one series of one game. */
typedef struct deep {
  verify_session *session;
  const char *path;
  km_hbs_store *hbs;
  km_hbs_store_cursor *cursor;
  km_hbs_variant variants[2]; /* by number of the series */
  unsigned n_colours;
  km_arena arena;
  km_replay *replay;
  uint8_t *stones;
  km_hbs_value *layers;
} deep;

static km_status no_memory(km_err *err) {
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
}

/* The first value of position ply that differs, as text; NULL: none. */
static const char *differs(const deep *d, const km_hbs_store_series *series, const km_hbs_value *s,
                           unsigned n, km_hbs_variant variant, uint64_t ply) {
  const km_hbs_shape *shape = &km_hbs_store_schema(d->hbs)->shape;
  size_t n_limbs = shape->n_limbs, bytes = n_limbs * sizeof(uint64_t);
  if (memcmp(series->s + ply * n_limbs, s->limb, bytes) != 0)
    return "S";
  if (series->log2 && series->log2[ply] != km_hbs_log2(s->limb, (unsigned)n_limbs))
    return "log2";
  unsigned n_layers = km_hbs_n_layers(n, variant);
  for (unsigned k = 0; series->layers && k < shape->n_layers; k++) {
    static const km_hbs_value zero;
    const km_hbs_value *wanted = k < n_layers ? &d->layers[k] : &zero;
    if (memcmp(series->layers + (ply * shape->n_layers + k) * n_limbs, wanted->limb, bytes) != 0)
      return "a layer";
  }
  return NULL;
}

/* The position on the board against place ply of the series. */
static km_status compare_position(deep *d, const km_hbs_store_series *series, unsigned colour, uint64_t game,
                                  km_err *err) {
  const km_board *board = &d->replay->board;
  km_hbs_value s;
  for (unsigned p = 0; p < board->n_points; p++)
    d->stones[p] = km_board_stone(board, p);
  km_status status = km_hbs_of_board(&s, d->layers, d->stones, board->rows, d->variants[colour], err);
  if (status)
    return status;
  const char *what = differs(d, series, &s, board->rows, d->variants[colour], d->replay->ply);
  if (what)
    verify_problem_addf(d->session, d->path, "game %" PRIu64 " ply %u: %s%s is not what the stones give",
                        game, d->replay->ply, what, colour ? " of White" : "");
  return what ? KM_END : KM_OK;
}

/* One series of a game, up to the first difference. */
static km_status compare_series(deep *d, uint64_t index, unsigned colour, km_err *err) {
  km_game game;
  km_hbs_store_series series;
  km_arena_reset(&d->arena);
  km_status status = km_games_game(d->session->games, index, &d->arena, &game, err);
  if (!status)
    status = km_hbs_store_game(d->cursor, &(km_hbs_store_what){index, colour, 1}, &series, err);
  if (status || !series.n)
    return status; /* a rectangle has none; verify_counts has seen to that */
  km_replay_init(d->replay, &game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  do {
    if (d->replay->ply >= series.n)
      break;
    status = compare_position(d, &series, colour, index, err);
  } while (!status && km_replay_step(d->replay) == KM_OK);
  if (!status && (uint64_t)d->replay->ply + 1 != series.n)
    verify_problem_addf(d->session, d->path, "game %" PRIu64 " has %" PRIu64 " positions, its replay %u",
                        index, series.n, d->replay->ply + 1);
  return status == KM_END ? KM_OK : status;
}

static km_status compare_sample(deep *d, km_err *err) {
  uint64_t n = km_hbs_store_n_games(d->hbs), n_drawn = verify_n_drawn(d->session, n);
  km_status status = KM_OK;
  for (uint64_t i = 0; i < n_drawn && !status; i++)
    for (unsigned colour = 0; colour < d->n_colours && !status; colour++)
      status = compare_series(d, verify_draw(d->session, i, n), colour, err);
  return status;
}

static km_status verify_values(deep *d, km_err *err) {
  char *name = NULL;
  km_hbs_variant variant;
  km_status status = km_h5_get_text(km_hbs_store_file(d->hbs), "/", "variant", &name, err);
  if (!status)
    status = km_hbs_variant_parse(&variant, name, err);
  free(name);
  if (status)
    return status;
  d->n_colours = km_hbs_variant_split(variant, d->variants);
  if (d->n_colours != km_hbs_store_schema(d->hbs)->shape.n_colours)
    return km_err_set(err, KM_ERR_FORMAT, 0, "attribute variant and the columns disagree");
  km_arena_init(&d->arena);
  d->cursor = km_hbs_store_cursor_new(d->hbs);
  d->replay = malloc(sizeof *d->replay);
  d->stones = malloc(KM_POINT_MAX);
  d->layers = malloc((KM_HBS_RINGS_MAX + 1) * sizeof *d->layers);
  status = d->cursor && d->replay && d->stones && d->layers ? compare_sample(d, err) : no_memory(err);
  km_hbs_store_cursor_free(d->cursor);
  km_arena_clear(&d->arena);
  free(d->replay);
  free(d->stones);
  free(d->layers);
  return status;
}

/* Positions of every game. */
static int verify_counts(verify_session *session, const char *path, const km_hbs_store *hbs) {
  const uint64_t *offsets = km_hbs_store_offsets(hbs);
  uint64_t n = km_games_count(session->games);
  if (km_hbs_store_n_games(hbs) != n) {
    verify_problem_addf(session, path, "it has %" PRIu64 " games, games.h5 has %" PRIu64,
                        km_hbs_store_n_games(hbs), n);
    return 0;
  }
  for (uint64_t i = 0; i < n; i++) {
    uint8_t rows, cols;
    km_games_size(session->games, i, &rows, &cols);
    uint64_t wanted = rows == cols ? (uint64_t)km_games_n_moves(session->games, i) + 1 : 0;
    if (offsets[i + 1] - offsets[i] != wanted) {
      verify_problem_addf(session, path, "game %" PRIu64 " has %" PRIu64 " positions, not %" PRIu64, i,
                          offsets[i + 1] - offsets[i], wanted);
      return 0;
    }
  }
  return 1;
}

km_status verify_hbs_against_games(verify_session *session, const char *path, km_err *err) {
  deep d = {.session = session, .path = path};
  km_status status = km_hbs_store_open(&d.hbs, path, err);
  if (status)
    return status;
  if (verify_counts(session, path, d.hbs) && session->options->deep)
    status = verify_values(&d, err);
  km_hbs_store_close(d.hbs);
  return status;
}
