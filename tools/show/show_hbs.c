/* show_hbs.c: `kifu-show hbs`: the exact values of every position. */
#include "show_json.h"
#include "show_record.h"

#include "kifumill/hbs_trajectory.h"

typedef struct trajectory {
  km_hbs_variant variants[2];
  unsigned n_variants; /* 2: both colours */
  km_hbs_geometry *geometry;
  km_hbs *hbs;
  km_hbs_series series[2];
  uint32_t n; /* positions */
} trajectory;

static km_status no_memory(km_err *err) {
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
}

/* Geometry and trackers for the board, and room for all positions. */
static km_status prepare(trajectory *t, const km_game *game, km_arena *arena, km_err *err) {
  if (game->rows != game->cols)
    return km_err_set(err, KM_ERR_FORMAT, 0, "HBS needs a square board; this one has %u columns and %u rows",
                      game->cols, game->rows);
  t->geometry = km_arena_alloc(arena, 2 * sizeof *t->geometry);
  t->hbs = km_arena_alloc(arena, 2 * sizeof *t->hbs);
  if (!t->geometry || !t->hbs)
    return no_memory(err);
  for (unsigned i = 0; i < t->n_variants; i++) {
    km_status status = km_hbs_geometry_init(&t->geometry[i], game->rows, game->cols, t->variants[i], err);
    if (status)
      return status;
    size_t n_limbs = ((size_t)game->n_moves + 1) * t->geometry[i].n_limbs;
    km_hbs_init(&t->hbs[i], &t->geometry[i]);
    t->series[i].s = km_arena_alloc(arena, n_limbs * sizeof(uint64_t));
    t->series[i].layer = km_arena_alloc(arena, n_limbs * t->geometry[i].n_layers * sizeof(uint64_t));
    if (!t->series[i].s || !t->series[i].layer)
      return no_memory(err);
  }
  return KM_OK;
}

static const uint64_t *s_at(const trajectory *t, unsigned i, uint32_t ply) {
  return t->series[i].s + (size_t)ply * t->geometry[i].n_limbs;
}
static const uint64_t *layer_at(const trajectory *t, unsigned i, uint32_t ply, unsigned layer) {
  return t->series[i].layer + ((size_t)ply * t->geometry[i].n_layers + layer) * t->geometry[i].n_limbs;
}

static void print_csv(const trajectory *t, FILE *out) {
  char text[KM_HBS_DECIMAL_MAX];
  fputc('t', out);
  for (unsigned i = 0; i < t->n_variants; i++) {
    const char *suffix = i ? "_white" : "";
    fprintf(out, ",S%s,log2%s", suffix, suffix);
    for (unsigned k = 0; k < t->geometry[i].n_layers; k++)
      fprintf(out, ",L%u%s", km_hbs_layer_size(t->geometry[i].n, k), suffix);
  }
  fputc('\n', out);
  for (uint32_t ply = 0; ply < t->n; ply++) {
    fprintf(out, "%u", ply);
    for (unsigned i = 0; i < t->n_variants; i++) {
      unsigned n_limbs = t->geometry[i].n_limbs;
      fprintf(out, ",%s", km_hbs_decimal(text, s_at(t, i, ply), n_limbs));
      fprintf(out, ",%.17g", km_hbs_log2(s_at(t, i, ply), n_limbs));
      for (unsigned k = 0; k < t->geometry[i].n_layers; k++)
        fprintf(out, ",%s", km_hbs_decimal(text, layer_at(t, i, ply, k), n_limbs));
    }
    fputc('\n', out);
  }
}

static void json_series(show_json *json, const trajectory *t, unsigned i) {
  char text[KM_HBS_DECIMAL_MAX], name[KM_HBS_NAME_MAX], key[16];
  const km_hbs_geometry *geometry = &t->geometry[i];
  km_hbs_variant_name(geometry->variant, name);
  show_json_text(json, "variant", name);
  show_json_array(json, "S");
  for (uint32_t ply = 0; ply < t->n; ply++)
    show_json_text(json, NULL, km_hbs_decimal(text, s_at(t, i, ply), geometry->n_limbs));
  show_json_close(json);
  show_json_array(json, "log2");
  for (uint32_t ply = 0; ply < t->n; ply++)
    show_json_double(json, NULL, km_hbs_log2(s_at(t, i, ply), geometry->n_limbs));
  show_json_close(json);
  show_json_object(json, "layers");
  for (unsigned k = 0; k < geometry->n_layers; k++) {
    snprintf(key, sizeof key, "L%u", km_hbs_layer_size(geometry->n, k));
    show_json_array(json, key);
    for (uint32_t ply = 0; ply < t->n; ply++)
      show_json_text(json, NULL, km_hbs_decimal(text, layer_at(t, i, ply, k), geometry->n_limbs));
    show_json_close(json);
  }
  show_json_close(json);
}

static void print_json(const trajectory *t, FILE *out) {
  show_json json;
  show_json_begin(&json, out);
  show_json_uint(&json, "n", t->geometry[0].n);
  show_json_uint(&json, "moves", t->n - 1);
  if (t->n_variants == 1) {
    json_series(&json, t, 0);
  } else {
    for (unsigned i = 0; i < 2; i++) {
      show_json_object(&json, i ? "white" : "black");
      json_series(&json, t, i);
      show_json_close(&json);
    }
  }
  show_json_end(&json);
}

static km_status run(show_record *record, show_session *session, km_err *err) {
  trajectory t = {0};
  km_hbs_variant variant;
  km_replay *replay;
  km_status status = km_hbs_variant_parse(&variant, session->options->variant, err);
  if (status)
    return status;
  t.n_variants = km_hbs_variant_split(variant, t.variants);
  status = prepare(&t, &record->game, &record->arena, err);
  if (!status)
    status = show_replay_begin(&replay, record, session->options, 0, err);
  if (status)
    return status;
  if (km_hbs_trajectory(replay, t.hbs, t.series, t.n_variants) == KM_SKIP)
    show_replay_stopped(session, record, replay);
  t.n = replay->ply + 1;
  if (session->options->format == SHOW_JSON)
    print_json(&t, session->out);
  else
    print_csv(&t, session->out);
  return KM_OK;
}

km_status show_hbs(show_session *session, km_err *err) {
  return show_with_record(session, run, err);
}
