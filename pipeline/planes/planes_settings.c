/* planes_settings.c: reads the texts among the options. */
#include "planes_settings.h"

#include "kifumill/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const km_split_names[KM_SPLITS] = {"train", "val", "test"};

enum { CHUNK_ROWS = 256, CHUNK_BYTES = 1 << 20, PLY_MAX = 65534, PARTS_MAX = 1000000 };

/* A whole number in [least, most] at *text, which is moved behind it; 0 when there is none. */
static int read_number(const char **text, uint32_t least, uint32_t most, uint32_t *number) {
  char *end;
  if (**text < '0' || **text > '9')
    return 0;
  unsigned long value = strtoul(*text, &end, 10);
  *text = end;
  *number = (uint32_t)value;
  return value >= least && value <= most;
}

static km_status read_board(km_planes_settings *s, const char *text, km_err *err) {
  const char *p = text;
  uint32_t cols = 0, rows;
  int good = read_number(&p, 1, KM_BOARD_MAX, &cols);
  rows = cols;
  if (good && *p == 'x') {
    p++;
    good = read_number(&p, 1, KM_BOARD_MAX, &rows);
  }
  if (!good || *p)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--board %.40s: not a size from 1 to %d, nor columns x rows as in 13x9", text,
                      KM_BOARD_MAX);
  s->rows = (uint8_t)rows;
  s->cols = (uint8_t)cols;
  return KM_OK;
}

static km_status read_layout(km_planes_settings *s, const km_planes_options *o, km_err *err) {
  char text[256];
  const char *list = o->layout_options && *o->layout_options ? o->layout_options : NULL;
  int n = snprintf(text, sizeof text, "%s%s%s", o->layout,
                   !list                    ? ""
                   : strchr(o->layout, ':') ? ","
                                            : ":",
                   list ? list : "");
  if (n >= (int)sizeof text)
    return km_err_set(err, KM_ERR_USAGE, 0, "--layout-options %.40s…: too long", o->layout_options);
  return km_layout_parse(text, &s->layout, &s->variants, err);
}

static km_status read_split(km_planes_settings *s, const char *text, km_err *err) {
  const char *p = text;
  double sum = 0;
  int n = 0, last = 0, more = 1; /* last: the last split with a share */
  for (; more && n < KM_SPLITS; n++) {
    char *end;
    double share = strtod(p, &end);
    if (end == p || !(share >= 0 && share <= 1) || (*end != ',' && *end != 0))
      break;
    sum += share;
    s->split_end[n] = sum;
    last = share > 0 ? n : last;
    more = *end == ',';
    p = end + more;
  }
  if (more || *p)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--split %.60s: not one to three shares of train, val and test as in 0.9,0.05,0.05",
                      text);
  if (fabs(sum - 1) > 1e-9)
    return km_err_set(err, KM_ERR_USAGE, 0, "--split %.60s: the shares sum to %g, not to 1", text, sum);
  for (; last < KM_SPLITS; last++) /* it takes what rounding left over */
    s->split_end[last] = 2;
  return KM_OK;
}

static km_status read_sample(km_planes_settings *s, const char *text, km_err *err) {
  static const char *const kinds[] = {"all", "every:", "per-game:"};
  for (unsigned kind = 0; kind < 3; kind++) {
    size_t n = strlen(kinds[kind]);
    const char *p = text + n;
    if (strncmp(text, kinds[kind], n) != 0)
      continue;
    s->sample = (uint8_t)kind;
    if ((kind == KM_SAMPLE_ALL || read_number(&p, 1, 1000000, &s->sample_k)) && *p == 0)
      return KM_OK;
  }
  return km_err_set(err, KM_ERR_USAGE, 0,
                    "--sample %.40s: all, every:K or per-game:K with K from 1 to 1000000", text);
}

static km_status read_plies(km_planes_settings *s, const char *text, km_err *err) {
  s->ply_from = 0;
  s->ply_to = PLY_MAX;
  if (!text || !*text)
    return KM_OK;
  const char *p = text;
  int good = *p == '.' || read_number(&p, 0, PLY_MAX, &s->ply_from);
  if (good && strncmp(p, "..", 2) == 0) {
    p += 2;
    good = *p == 0 || read_number(&p, 0, PLY_MAX, &s->ply_to);
  } else {
    good = 0;
  }
  if (!good || *p || s->ply_from > s->ply_to)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--ply %.40s: not a range of moves played as in 20..150, 20.. or ..150", text);
  return KM_OK;
}

static km_status read_players(km_planes_settings *s, const char *text, km_err *err) {
  if (strcmp(text, "any") == 0) {
    s->players = KM_PLAYERS_ANY;
    return KM_OK;
  }
  if (strcmp(text, "winner") == 0) {
    s->players = KM_PLAYERS_WINNER;
    return KM_OK;
  }
  const char *p = text + 5;
  uint32_t number;
  if (strncmp(text, "rank:", 5) == 0 && read_number(&p, 1, 30, &number) && strchr("kdp", *p) && *p &&
      p[1] == 0) {
    s->players = KM_PLAYERS_RANK;
    s->rank = km_rank_order((km_rank){(int8_t)number, *p});
    return KM_OK;
  }
  return km_err_set(err, KM_ERR_USAGE, 0, "--players %.40s: any, winner, or rank:6d (3k, 6d, 1p and better)",
                    text);
}

static km_status read_part(km_planes_settings *s, const char *text, km_err *err) {
  s->n_parts = 1;
  if (!text || !*text)
    return KM_OK;
  if (strcmp(text, "merge") == 0) {
    s->merge_only = 1;
    return KM_OK;
  }
  const char *p = text;
  if (read_number(&p, 0, PARTS_MAX, &s->part) && *p++ == '/' && read_number(&p, 1, PARTS_MAX, &s->n_parts) &&
      *p == 0 && s->part < s->n_parts)
    return KM_OK;
  return km_err_set(err, KM_ERR_USAGE, 0, "--part %.40s: I/N with I from 0 to N-1, or merge", text);
}

static void set_ways(km_planes_settings *s) {
  for (uint8_t k = 0; k < KM_SYMMETRIES; k++)
    if (k == 0 || (s->symmetries != KM_SYMMETRIES_NONE && km_symmetry_fits(k, s->rows, s->cols)))
      s->ways[s->n_ways++] = k;
  s->rows_per_position = s->symmetries == KM_SYMMETRIES_ALL ? s->n_ways : 1;
}

size_t km_settings_plane_bytes(const km_planes_settings *s) {
  size_t n_points = (size_t)s->rows * s->cols;
  return s->packing == KM_PACK_BITS ? (n_points + 7) / 8 : n_points;
}

size_t km_settings_row_bytes(const km_planes_settings *s) {
  return km_layout_n_planes(s->layout, s->variants) * km_settings_plane_bytes(s);
}

/* By default 256 rows, or the largest power of two below that a chunk has room for. */
static km_status set_chunk(km_planes_settings *s, int asked, km_err *err) {
  size_t row = km_settings_row_bytes(s), most = (CHUNK_BYTES - 1) / row;
  if ((size_t)asked > most)
    return km_err_set(
        err, KM_ERR_USAGE, 0,
        "--chunk-rows %d: a chunk of such rows (%zu bytes each) is not below 1 MiB; at most %zu", asked, row,
        most);
  s->chunk_rows = asked > 0 ? (uint32_t)asked : CHUNK_ROWS;
  while (s->chunk_rows > most)
    s->chunk_rows /= 2;
  return KM_OK;
}

km_status km_planes_settings_read(km_planes_settings *s, const km_planes_options *o, km_err *err) {
  *s = (km_planes_settings){.seed = o->run.seed,
                            .packing = (uint8_t)o->pack,
                            .symmetries = (uint8_t)o->symmetries,
                            .skip_handicap_moves = (uint8_t)o->skip_handicap_moves,
                            .drop_last = (uint8_t)o->last,
                            .final_value = (uint8_t)o->final_value,
                            .drop_unknown = (uint8_t)o->unknown_result,
                            .move_features = (uint8_t)o->move_features,
                            .evals = (uint8_t)o->evals,
                            .shuffle = o->shuffle == 0,
                            .rows_per_shard = (uint32_t)o->rows_per_shard,
                            .memory = o->memory};
  km_status status = read_board(s, o->board, err);
  if (status == KM_OK)
    status = read_layout(s, o, err);
  if (status == KM_OK)
    status = km_codec_parse(&s->codec, o->codec, err);
  if (status == KM_OK)
    status = read_split(s, o->split, err);
  if (status == KM_OK)
    status = read_sample(s, o->sample, err);
  if (status == KM_OK)
    status = read_plies(s, o->ply, err);
  if (status == KM_OK)
    status = read_players(s, o->players, err);
  if (status == KM_OK)
    status = read_part(s, o->part, err);
  if (status == KM_OK)
    status = set_chunk(s, o->chunk_rows, err);
  if (status == KM_OK) {
    set_ways(s);
    s->needs_board = km_layout_has_features(s->layout) || s->move_features;
  }
  return status;
}
