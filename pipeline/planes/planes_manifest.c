/* planes_manifest.c: see planes_manifest.h. */
#include "planes_manifest.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Adds a setting; the text is kept in the manifest. */
__attribute__((format(printf, 3, 4))) static void set(km_planes_manifest *m, const char *key,
                                                      const char *format, ...) {
  size_t i = m->manifest.n_settings++;
  va_list args;
  va_start(args, format);
  vsnprintf(m->texts[i], sizeof m->texts[i], format, args);
  va_end(args);
  m->settings[i] = (km_manifest_pair){key, m->texts[i]};
}

static void count(km_planes_manifest *m, const char *key, uint64_t value) {
  m->counts[m->manifest.n_counts++] = (km_manifest_count){key, value};
}

static void fill_settings(km_planes_manifest *m, const km_planes_options *o, const km_planes_settings *s) {
  static const char *const symmetries[] = {"none", "random", "all"};
  char layout[KM_LAYOUT_TEXT], codec[16];
  km_codec_print(s->codec, codec);
  set(m, "board", "%ux%u", s->cols, s->rows);
  set(m, "layout", "%s", km_layout_text(s->layout, s->variants, layout, sizeof layout));
  set(m, "symmetries", "%s", symmetries[s->symmetries]);
  set(m, "pack", "%s", s->packing == KM_PACK_BITS ? "bits" : "bytes");
  set(m, "codec", "%s", codec);
  set(m, "split", "%s", o->split);
  set(m, "sample", "%s", o->sample);
  set(m, "ply", "%s", o->ply ? o->ply : "0..");
  set(m, "players", "%s", o->players);
  set(m, "skip_handicap_moves", "%s", s->skip_handicap_moves ? "true" : "false");
  set(m, "last", "%s", s->drop_last ? "drop" : "keep");
  set(m, "final_value", "%s", s->final_value ? "true" : "false");
  set(m, "unknown_result", "%s", s->drop_unknown ? "drop" : "keep");
  set(m, "move_features", "%s", s->move_features ? "true" : "false");
  set(m, "evals", "%s", s->evals ? "true" : "false");
  set(m, "shuffle", "%s", s->shuffle ? "on" : "off");
  set(m, "rows_per_shard", "%u", s->rows_per_shard);
  set(m, "chunk_rows", "%u", s->chunk_rows);
}

void km_planes_manifest_fill(km_planes_manifest *m, const km_planes_options *options,
                             const km_planes_settings *s, const km_select_counts *c) {
  uint64_t n_rows = c->n_steps[KM_SELECT_STEPS - 1] * s->rows_per_position;
  *m = (km_planes_manifest){.manifest = {.settings = m->settings, .counts = m->counts}};
  fill_settings(m, options, s);
  count(m, "games", c->n_games);
  count(m, "games_other_size", c->n_other_size);
  count(m, "games_too_long", c->n_too_long);
  count(m, "games_without_rows", c->n_without);
  for (int i = 0; i < KM_SELECT_STEPS; i++)
    count(m, km_select_step_names[i], c->n_steps[i]);
  count(m, "rows", n_rows);
  for (int i = 0; i < KM_SPLITS; i++) {
    snprintf(m->keys[i], sizeof m->keys[i], "games_%s", km_split_names[i]);
    snprintf(m->keys[KM_SPLITS + i], sizeof m->keys[i], "rows_%s", km_split_names[i]);
    count(m, m->keys[i], c->n_split_games[i]);
    count(m, m->keys[KM_SPLITS + i], c->n_split[i] * s->rows_per_position);
  }
}

void km_planes_summary(const km_planes_settings *s, const km_select_counts *c, FILE *out) {
  static const char *const rules[KM_SELECT_STEPS] = {"",          "unknown result", "handicap moves", "ply",
                                                     "last move", "players",        "sample"};
  uint64_t n_left_out = c->n_other_size + c->n_too_long + c->n_without;
  fprintf(out,
          "games %" PRIu64 ": %" PRIu64 " used, %" PRIu64 " of another size than %ux%u, %" PRIu64
          " without a row",
          c->n_games, c->n_games - n_left_out, c->n_other_size, s->cols, s->rows, c->n_without);
  if (c->n_too_long)
    fprintf(out, ", %" PRIu64 " left out with more than %d moves", c->n_too_long, KM_ROW_PLY_MAX);
  fprintf(out, "\npositions %" PRIu64, c->n_steps[0]);
  for (int i = 1; i < KM_SELECT_STEPS; i++)
    if (c->n_steps[i] != c->n_steps[i - 1])
      fprintf(out, " - %s %" PRIu64, rules[i], c->n_steps[i - 1] - c->n_steps[i]);
  if (c->n_steps[0] != c->n_steps[KM_SELECT_STEPS - 1])
    fprintf(out, " = %" PRIu64, c->n_steps[KM_SELECT_STEPS - 1]);
  fprintf(out, ", rows %" PRIu64 ":", c->n_steps[KM_SELECT_STEPS - 1] * s->rows_per_position);
  for (int i = 0; i < KM_SPLITS; i++)
    fprintf(out, " %s %" PRIu64 " of %" PRIu64 " games%s", km_split_names[i],
            c->n_split[i] * s->rows_per_position, c->n_split_games[i], i + 1 < KM_SPLITS ? "," : "\n");
}
