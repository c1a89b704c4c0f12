/* styles_json.c: winrate.styles.json. */
#include "winrate_write.h"

#include "kifumill/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_text(km_json *json, const char *key, km_text text) {
  char *copy = strndup(text.bytes ? text.bytes : "", text.n_bytes);
  km_json_text(json, key, copy);
  free(copy);
}

static double error_of(const km_moments *m) { return sqrt(km_moments_variance(m) / m->n); }

static void put_settings(km_json *json, const km_wr_data *data) {
  const km_winrate_options *o = data->options;
  km_json_open(json, "settings", '{');
  km_json_count(json, "board", (uint64_t)o->board);
  km_json_text(json, "variant", o->variant);
  km_json_count(json, "min_games", (uint64_t)o->min_games);
  km_json_count(json, "max_players", (uint64_t)o->max_players);
  km_json_count(json, "early_ply", (uint64_t)o->early_ply);
  km_json_count(json, "permutations", (uint64_t)o->permutations);
  km_json_close(json, '}');
}

static void put_spread(km_json *json, const char *key, const km_moments *m) {
  km_json_open(json, key, '{');
  km_json_count(json, "n", (uint64_t)m->n);
  km_json_number(json, "mean", m->n > 0 ? m->mean : NAN);
  km_json_number(json, "sd", sqrt(km_moments_variance(m)));
  km_json_number(json, "se", error_of(m));
  km_json_close(json, '}');
}

/* Curves of a player and colour. */
static void put_curves(km_json *json, const km_wr_data *data, size_t player, unsigned colour) {
  uint64_t n[KM_WR_PLACES];
  double mean[KM_WR_PLACES], error[KM_WR_PLACES];
  km_json_open(json, colour ? "white" : "black", '{');
  for (unsigned channel = 0; channel <= data->geometry.n_layers; channel++) {
    for (unsigned place = 0; place < KM_WR_PLACES; place++) {
      km_moments m;
      km_styles_mean(data->styles, player, colour, place, channel, &m);
      n[place] = (uint64_t)m.n;
      mean[place] = m.n > 0 ? m.mean : NAN;
      error[place] = error_of(&m);
    }
    if (channel == 0) {
      km_json_counts(json, "n", n, KM_WR_PLACES);
      km_json_numbers(json, "log2", mean, KM_WR_PLACES);
      km_json_numbers(json, "se", error, KM_WR_PLACES);
      km_json_open(json, "layers", '[');
    } else {
      km_json_numbers(json, NULL, mean, KM_WR_PLACES);
    }
  }
  km_json_close(json, ']');
  km_json_close(json, '}');
}

static void put_players(km_json *json, const km_wr_data *data) {
  km_json_open(json, "players", '[');
  for (size_t i = 0; i < km_styles_players(data->styles); i++) {
    km_style_player p;
    km_styles_describe(data->styles, data->games, i, &p);
    km_json_open(json, NULL, '{');
    put_text(json, "name", p.name);
    put_text(json, "source", p.source);
    km_json_count(json, "games", p.n_games);
    km_json_count(json, "as_black", p.n_colour[0]);
    km_json_count(json, "as_white", p.n_colour[1]);
    km_json_open(json, "index", '{');
    put_spread(json, "hbs", &p.index[0]);
    put_spread(json, "line", &p.index[1]);
    km_json_close(json, '}');
    put_curves(json, data, i, 0);
    put_curves(json, data, i, 1);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
}

static void put_index(km_json *json, const km_styles *styles) {
  static const char *const names[KM_WR_INDICES] = {"hbs", "line"};
  km_json_open(json, "index", '{');
  for (unsigned k = 0; k < KM_WR_INDICES; k++) {
    km_style_index index;
    km_styles_index(styles, k, &index);
    km_json_open(json, names[k], '{');
    km_json_number(json, "mean", index.mean);
    km_json_number(json, "sd_within", index.sd_within);
    km_json_number(json, "sd_between", index.sd_between);
    km_json_number(json, "icc", index.icc);
    km_json_close(json, '}');
  }
  km_json_number(json, "correlation", km_styles_correlation(styles));
  km_json_close(json, '}');
}

static km_status put_tests(km_json *json, const km_wr_data *data, km_err *err) {
  km_style_test tests[KM_WR_TESTS_MAX];
  size_t n;
  km_workers workers = {km_parallel_for, data->options->run.threads};
  km_status status = km_styles_test(data->styles, workers, tests, &n, err);
  km_json_open(json, "tests", '[');
  for (size_t i = 0; i < n && status == KM_OK; i++) {
    const km_style_test *t = &tests[i];
    km_style_player p;
    km_json_open(json, NULL, '{');
    km_json_text(json, "of", t->of_layers ? "layers" : "log2");
    if (t->source_of == KM_WR_NO_PLAYER) {
      km_json_text(json, "source", "all");
    } else {
      km_styles_describe(data->styles, data->games, t->source_of, &p);
      put_text(json, "source", p.source);
    }
    km_json_count(json, "players", t->n_players);
    km_json_count(json, "objects", t->n_objects);
    km_json_number(json, "between", t->result.between);
    km_json_number(json, "within", t->result.within);
    km_json_number(json, "difference", t->result.difference);
    km_json_number(json, "p_value", t->result.p_value);
    km_json_count(json, "permutations", t->result.n_permutations);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
  return status;
}

static km_status put_map(km_json *json, const km_wr_data *data, km_err *err) {
  km_style_map map;
  km_status status = km_styles_map(data->styles, &map, err);
  km_json_open(json, "map", '{');
  km_json_text(json, "of", "log2");
  km_json_numbers(json, "share", map.share, 2);
  km_json_open(json, "players", '[');
  for (size_t i = 0; i < map.n && status == KM_OK; i++) {
    km_style_player p;
    km_styles_describe(data->styles, data->games, map.player[i], &p);
    km_json_open(json, NULL, '{');
    put_text(json, "name", p.name);
    km_json_number(json, "x", map.place[2 * i]);
    km_json_number(json, "y", map.place[2 * i + 1]);
    km_json_close(json, '}');
  }
  km_json_close(json, ']');
  km_json_close(json, '}');
  return status;
}

km_status km_wr_write_styles(const km_wr_data *data, const char *path, km_err *err) {
  km_json json;
  uint64_t plies[KM_WR_PLACES], layers[KM_WR_LAYERS_MAX];
  km_status status = km_json_new(&json, err);
  if (status != KM_OK)
    return status;
  for (unsigned i = 0; i < KM_WR_PLACES; i++)
    plies[i] = i * data->style_options.step;
  for (unsigned i = 0; i < data->geometry.n_layers; i++)
    layers[i] = km_hbs_layer_size(data->geometry.board, i);
  km_json_open(&json, NULL, '{');
  km_wr_put_head(&json, data, "kifumill styles");
  put_settings(&json, data);
  km_json_count(&json, "players_seen", km_styles_seen(data->styles));
  km_json_counts(&json, "plies", plies, KM_WR_PLACES);
  km_json_counts(&json, "layers", layers, data->geometry.n_layers);
  put_players(&json, data);
  put_index(&json, data->styles);
  status = put_tests(&json, data, err);
  if (status == KM_OK)
    status = put_map(&json, data, err);
  km_json_close(&json, '}');
  if (status == KM_OK)
    return km_wr_finish_json(&json, path, data->options->run.force, err);
  km_json_abandon(&json);
  return status;
}
