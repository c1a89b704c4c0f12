/* winrate_styles.c: names are counted in a table of hashes; sums are kept of the players chosen only. */
#include "styles_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

km_status km_styles_new(km_styles **styles, const km_styles_options *options, km_err *err) {
  km_styles *s = calloc(1, sizeof *s);
  if (s) {
    s->options = *options;
    s->names_room = 1024;
    s->names = calloc(s->names_room, sizeof *s->names);
  }
  if (!s || !s->names) {
    km_styles_free(s);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for names of players");
  }
  *styles = s;
  return KM_OK;
}

void km_styles_free(km_styles *styles) {
  if (!styles)
    return;
  free(styles->names);
  free(styles->players);
  free(styles->curves);
  free(styles);
}

/* Names
 * ---------------------------------------------------------------------------------------------------------------- */

static name_count *find(name_count *names, size_t room, km_hash128 hash) {
  size_t at = hash.low & (room - 1);
  while (names[at].n && !km_hash128_equal(names[at].hash, hash))
    at = (at + 1) & (room - 1);
  return &names[at];
}

static km_status make_room(km_styles *s, km_err *err) {
  if (2 * s->n_names < s->names_room)
    return KM_OK;
  size_t room = 2 * s->names_room;
  name_count *more = calloc(room, sizeof *more);
  if (!more)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu names of players", s->n_names);
  for (size_t i = 0; i < s->names_room; i++)
    if (s->names[i].n)
      *find(more, room, s->names[i].hash) = s->names[i];
  free(s->names);
  s->names = more;
  s->names_room = room;
  return KM_OK;
}

static km_text name_of(const km_games *games, uint64_t i, unsigned colour) {
  return km_games_text(games, i, colour ? KM_TEXT_WHITE : KM_TEXT_BLACK);
}

km_status km_styles_count(km_styles *styles, const km_games *games, uint64_t i, km_err *err) {
  for (unsigned colour = 0; colour < 2; colour++) {
    km_text name = name_of(games, i, colour);
    if (name.n_bytes == 0)
      continue;
    km_status status = make_room(styles, err);
    if (status != KM_OK)
      return status;
    km_hash128 hash = km_hash_bytes(name.bytes, name.n_bytes);
    name_count *row = find(styles->names, styles->names_room, hash);
    if (row->n == 0) {
      *row = (name_count){.hash = hash, .first = 2 * i + colour, .player = KM_WR_NO_PLAYER};
      styles->n_names++;
    }
    row->n++;
  }
  return KM_OK;
}

/* Most games first; of equals, who was met first. */
static int by_games(const void *a, const void *b) {
  const name_count *x = *(name_count *const *)a, *y = *(name_count *const *)b;
  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

km_status km_styles_choose(km_styles *styles, km_err *err) {
  size_t n = 0;
  name_count **chosen = malloc((styles->n_names ? styles->n_names : 1) * sizeof *chosen);
  if (!chosen)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu names of players", styles->n_names);
  for (size_t i = 0; i < styles->names_room; i++)
    if (styles->names[i].n >= styles->options.min_games)
      chosen[n++] = &styles->names[i];
  qsort(chosen, n, sizeof *chosen, by_games);
  n = n < styles->options.max_players ? n : styles->options.max_players;
  size_t n_moments = n * STYLE_HALVES * 2 * KM_WR_PLACES * style_channels(styles);
  styles->players = calloc(n ? n : 1, sizeof *styles->players);
  styles->curves = calloc(n_moments ? n_moments : 1, sizeof *styles->curves);
  if (styles->players && styles->curves)
    styles->n_players = n;
  for (size_t i = 0; i < styles->n_players; i++) {
    chosen[i]->player = (uint32_t)i;
    styles->players[i].first = chosen[i]->first;
  }
  free(chosen);
  return styles->players && styles->curves
             ? KM_OK
             : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the curves of %zu players", n);
}

uint64_t km_styles_seen(const km_styles *styles) { return styles->n_names; }
size_t km_styles_players(const km_styles *styles) { return styles->n_players; }

uint32_t km_styles_player(const km_styles *styles, const km_games *games, uint64_t i, unsigned colour) {
  if (styles->n_players == 0)
    return KM_WR_NO_PLAYER;
  km_text name = name_of(games, i, colour);
  if (name.n_bytes == 0)
    return KM_WR_NO_PLAYER;
  const name_count *row = find(styles->names, styles->names_room, km_hash_bytes(name.bytes, name.n_bytes));
  return row->n ? row->player : KM_WR_NO_PLAYER;
}

/* Curves
 * ---------------------------------------------------------------------------------------------------------------- */

/* Mean fill of the three outer layers minus that of the inner ones. The centre of a centre15 variant is no ring. */
static float hbs_index(const km_styles_options *options, const float *layers) {
  double sum[2] = {0};
  unsigned n[2] = {0}, n_rings = options->board / 2;
  for (unsigned k = 0; k < n_rings; k++) {
    sum[k >= 3] += layers[k] / (4.0 * km_hbs_layer_size(options->board, k));
    n[k >= 3]++;
  }
  return n[0] && n[1] ? (float)(sum[0] / n[0] - sum[1] / n[1]) : NAN;
}

/* Share of a colour's stones on the first three lines. */
static float line_index(const km_board *board, uint8_t colour) {
  unsigned n[2] = {0}, last = board->rows - 1u;
  for (unsigned row = 0, point = 0; row <= last; row++)
    for (unsigned col = 0; col <= last; col++, point++) {
      unsigned down = last - row, right = last - col, line = row < col ? row : col;
      line = line < down ? line : down;
      line = line < right ? line : right;
      if (km_board_stone(board, point) == colour)
        n[line >= 3]++;
    }
  return n[0] + n[1] ? (float)n[0] / (float)(n[0] + n[1]) : NAN;
}

void km_style_curves_take(km_style_curves *curves, const km_styles_options *options, const km_wr_walk *walk, float *scratch) {
  uint32_t ply = walk->replay.ply;
  if (ply == 0) {
    curves->n_places = 0;
    for (unsigned c = 0; c < 2; c++)
      for (unsigned k = 0; k < KM_WR_INDICES; k++)
        curves->index[c][k] = NAN;
  }
  int is_place = ply % options->step == 0 && ply / options->step < KM_WR_PLACES;
  if (!is_place && ply != options->early_ply)
    return;
  km_wr_walk_hbs(walk, scratch);
  const float *layers = scratch + KM_WR_LAYERS;
  for (unsigned c = 0; c < 2; c++, layers += options->n_layers) {
    if (ply == options->early_ply) {
      curves->index[c][0] = hbs_index(options, layers);
      curves->index[c][1] = line_index(&walk->replay.board, (uint8_t)(KM_BLACK + c));
    }
    if (!is_place)
      continue;
    float *value = curves->value[c][ply / options->step];
    value[0] = scratch[KM_WR_LOG2_BLACK + c];
    memcpy(value + 1, layers, options->n_layers * sizeof *value);
    curves->n_places = ply / options->step + 1;
  }
}

static void count_source(style_player *p, const km_games *games, uint64_t i) {
  km_text source = km_games_text(games, i, KM_TEXT_SOURCE);
  uint64_t hash = km_hash_bytes(source.bytes, source.n_bytes).low;
  for (unsigned k = 0; k < STYLE_SOURCES; k++) {
    source_count *s = &p->sources[k];
    if (s->n && s->hash != hash)
      continue;
    if (s->n == 0)
      *s = (source_count){hash, i, 0};
    s->n++;
    return;
  }
}

void km_styles_add(km_styles *styles, const km_games *games, uint64_t i, uint64_t identity, const km_style_curves *curves) {
  unsigned half = km_random(styles->options.seed, identity, 0, KM_PURPOSE_PERMUTATION) & 1, n = style_channels(styles);
  for (unsigned colour = 0; colour < 2; colour++) {
    uint32_t player = km_styles_player(styles, games, i, colour);
    if (player == KM_WR_NO_PLAYER)
      continue;
    style_player *p = &styles->players[player];
    km_moments *sums = style_curve(styles, player, half, colour);
    p->n_colour[colour]++;
    count_source(p, games, i);
    for (unsigned place = 0; place < curves->n_places; place++)
      for (unsigned k = 0; k < n; k++)
        km_moments_add(&sums[place * n + k], curves->value[colour][place][k]);
    for (unsigned k = 0; k < KM_WR_INDICES; k++)
      if (!isnan(curves->index[colour][k]))
        km_moments_add(&p->index[k], curves->index[colour][k]);
  }
}

/* Of the sources met first, the one with most games. */
static const source_count *main_source(const style_player *p) {
  const source_count *most = &p->sources[0];
  for (unsigned k = 1; k < STYLE_SOURCES; k++)
    if (p->sources[k].n > most->n)
      most = &p->sources[k];
  return most;
}

void km_styles_describe(const km_styles *styles, const km_games *games, size_t player, km_style_player *out) {
  const style_player *p = &styles->players[player];
  const source_count *source = main_source(p);
  *out = (km_style_player){.name = name_of(games, p->first / 2, (unsigned)(p->first % 2)),
                           .n_games = p->n_colour[0] + p->n_colour[1],
                           .n_colour = {p->n_colour[0], p->n_colour[1]}};
  if (source->n)
    out->source = km_games_text(games, source->game, KM_TEXT_SOURCE);
  memcpy(out->index, p->index, sizeof out->index);
}

uint64_t style_source(const km_styles *styles, size_t player) { return main_source(&styles->players[player])->hash; }

void km_styles_mean(const km_styles *styles, size_t player, unsigned colour, unsigned place, unsigned channel,
                    km_moments *out) {
  size_t at = place * style_channels(styles) + channel;
  *out = style_curve(styles, player, 0, colour)[at];
  km_moments_merge(out, &style_curve(styles, player, 1, colour)[at]);
}
