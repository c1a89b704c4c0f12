/* show_planes.c: `kifu-show planes`: one position as a network is given it. */
#include "show_json.h"
#include "show_record.h"

#include "kifumill/encoder.h"
#include "kifumill/sha256.h"

#include <string.h>

typedef struct sample {
  km_plane_options how;
  km_plane_encoder *encoder;
  const uint8_t *row; /* [n_planes][rows][cols] */
  size_t n_planes, n_points;
} sample;

/* Name of plane i of those that the variants leave. */
static const char *plane_name(const km_plane_options *how, size_t i) {
  for (size_t k = 0;; k++) {
    const km_plane *plane = &how->layout->planes[k];
    if ((plane->needed & ~how->variants) == 0 && i-- == 0)
      return plane->name;
  }
}

/* As tests/golden/planes_text has it: the planes, then a line with the digest of their bytes and their sum.
 */
static void print_text(const sample *s, FILE *out) {
  char digest[KM_SHA256_HEX];
  const uint8_t *p = s->row;
  unsigned sum = 0;
  for (size_t i = 0; i < s->n_planes; i++) {
    fprintf(out, "plane %zu\n", i);
    for (unsigned row = 0; row < s->how.rows; row++, fputc('\n', out))
      for (unsigned col = 0; col < s->how.cols; col++, p++) {
        fputc('0' + *p, out);
        sum += *p;
      }
  }
  km_sha256_hex(s->row, s->n_planes * s->n_points, digest);
  fprintf(out, "sha256 %s sum %u\n", digest, sum);
}

/* Steps on, to see whether the next move is one to be learnt. */
static void print_json(const sample *s, km_replay *replay, int symmetry, FILE *out) {
  const km_game *game = replay->game;
  char digest[KM_SHA256_HEX], layout[KM_LAYOUT_TEXT];
  uint32_t ply = replay->ply;
  uint8_t to_play = km_game_to_play(game, ply);
  show_json json;
  km_sha256_hex(s->row, s->n_planes * s->n_points, digest);
  show_json_begin(&json, out);
  show_json_text(&json, "layout", km_layout_text(s->how.layout, s->how.variants, layout, sizeof layout));
  show_json_uint(&json, "rows", game->rows);
  show_json_uint(&json, "cols", game->cols);
  show_json_uint(&json, "ply", ply);
  show_json_int(&json, "symmetry", symmetry);
  show_json_text(&json, "to_play", to_play == KM_BLACK ? "B" : "W");
  if (km_replay_step(replay) == KM_OK)
    show_json_uint(&json, "policy",
                   km_policy_index(symmetry, game->rows, game->cols, game->moves[ply].point));
  else
    show_json_null(&json, "policy");
  if (km_value_target(game->winner, to_play) == (int8_t)KM_WINNER_UNKNOWN)
    show_json_null(&json, "value");
  else
    show_json_int(&json, "value", km_value_target(game->winner, to_play));
  show_json_text(&json, "sha256", digest);
  show_json_array(&json, "planes");
  for (size_t i = 0; i < s->n_planes; i++) {
    unsigned n_set = 0;
    for (size_t p = 0; p < s->n_points; p++)
      n_set += s->row[i * s->n_points + p];
    show_json_object(&json, NULL);
    show_json_text(&json, "name", plane_name(&s->how, i));
    show_json_uint(&json, "sum", n_set);
    show_json_close(&json);
  }
  show_json_close(&json);
  show_json_end(&json);
}

static void print(const sample *s, km_replay *replay, show_session *session) {
  char digest[KM_SHA256_HEX];
  size_t n_bytes = s->n_planes * s->n_points;
  switch (session->options->format) {
  case SHOW_RAW:
    fwrite(s->row, 1, n_bytes, session->out);
    break;
  case SHOW_SHA256:
    km_sha256_hex(s->row, n_bytes, digest);
    fprintf(session->out, "%s\n", digest);
    break;
  case SHOW_JSON:
    print_json(s, replay, session->options->symmetry, session->out);
    break;
  default:
    print_text(s, session->out);
  }
}

static void follow(void *ctx, const km_replay *replay) {
  km_plane_encoder_follow(ctx, replay);
}

static km_status encode(sample *s, show_record *record, show_session *session, km_err *err) {
  km_replay *replay;
  int symmetry = session->options->symmetry;
  km_status status = show_replay_begin(&replay, record, session->options, 0, err);
  if (status)
    return status;
  km_plane_encoder_begin(s->encoder, replay);
  status = show_replay_to_ply(replay, session, record, follow, s->encoder, err);
  uint8_t *row = km_arena_alloc(&record->arena, km_plane_encoder_row_bytes(s->encoder));
  if (!row && !status)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (status)
    return status;
  km_plane_encoder_encode(s->encoder, &replay->board, km_game_to_play(&record->game, replay->ply), symmetry,
                          row);
  s->row = row;
  s->n_planes = km_plane_encoder_n_planes(s->encoder);
  s->n_points = km_plane_encoder_plane_bytes(s->encoder);
  print(s, replay, session);
  return KM_OK;
}

static km_status read_layout(km_plane_options *how, const show_options *options, km_err *err) {
  char text[200];
  if (snprintf(text, sizeof text, "%s%s%s", options->layout, options->layout_options ? ":" : "",
               options->layout_options ? options->layout_options : "") >= (int)sizeof text)
    return km_err_set(err, KM_ERR_USAGE, 0, "--layout %.80s: no such layout", options->layout);
  return km_layout_parse(text, &how->layout, &how->variants, err);
}

static km_status run(show_record *record, show_session *session, km_err *err) {
  const show_options *options = session->options;
  const km_game *game = &record->game;
  sample s = {.how = {.rows = game->rows,
                      .cols = game->cols,
                      .symmetries = (uint8_t)(1u << options->symmetry),
                      .packing = KM_PACK_BYTES}};
  km_status status = read_layout(&s.how, options, err);
  if (status)
    return status;
  if (!km_symmetry_fits(options->symmetry, game->rows, game->cols))
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--symmetry %d: a board of %u columns and %u rows has symmetries 0, 2, 4, 5",
                      options->symmetry, game->cols, game->rows);
  status = km_plane_encoder_new(&s.encoder, &s.how, err);
  if (!status)
    status = encode(&s, record, session, err);
  km_plane_encoder_free(s.encoder);
  return status;
}

km_status show_planes(show_session *session, km_err *err) {
  return show_with_record(session, run, err);
}
