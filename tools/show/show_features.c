/* show_features.c: `kifu-show features`: chains, true eyes, ladders, and the features of every move (SPEC
 * §7). The JSON form has the keys of golden/features.json. */
#include "show_json.h"
#include "show_record.h"

#include "kifumill/features.h"

#include <stdlib.h>
#include <string.h>

/* Everything about one position that is printed, point lists in ascending order. */
typedef struct position {
  const km_game *game;
  const km_board *board;
  km_feature_reader *reader;
  uint16_t *list, *other; /* room for all points each */
  uint8_t *mark;          /* by point */
} position;

static int ascending(const void *a, const void *b) {
  return *(const uint16_t *)a - *(const uint16_t *)b;
}

static void sites_to_points(const km_board *board, uint16_t *list, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    list[i] = km_board_point(board, list[i]);
  qsort(list, n, sizeof *list, ascending);
}

typedef void visit_chain(void *ctx, const position *p, uint8_t colour, unsigned n_stones,
                         unsigned n_liberties);

/* Calls visit for the chain at a point: stones in p->list, liberties in p->other. */
static void one_chain(const position *p, unsigned point, uint8_t colour, visit_chain *visit, void *ctx) {
  unsigned chain = km_board_chain(p->board, point);
  unsigned n = km_chain_stones(p->board, chain, p->list);
  unsigned n_liberties = km_chain_liberty_sites(p->board, chain, p->other, p->board->n_points);
  sites_to_points(p->board, p->list, n);
  sites_to_points(p->board, p->other, n_liberties);
  for (unsigned i = 0; i < n; i++)
    p->mark[p->list[i]] = 1;
  visit(ctx, p, colour, n, n_liberties);
}

/* Black's chains, then White's, in order of their first stones. */
static void each_chain(const position *p, visit_chain *visit, void *ctx) {
  memset(p->mark, 0, p->board->n_points);
  for (uint8_t colour = KM_BLACK; colour <= KM_WHITE; colour++)
    for (unsigned point = 0; point < p->board->n_points; point++)
      if (km_board_stone(p->board, point) == colour && !p->mark[point])
        one_chain(p, point, colour, visit, ctx);
}

typedef enum list_kind { LADDER_CAPTURE, LADDER_ESCAPE, TRUE_EYES, LISTS } list_kind;
static const char *const list_names[LISTS] = {"ladder_capture", "ladder_escape", "true_eyes"};

/* Fills p->list; gives its length. */
static size_t points_of(const position *p, list_kind kind, uint8_t colour) {
  if (kind == LADDER_CAPTURE)
    return km_feature_reader_ladder_captures(p->reader, colour, p->list);
  if (kind == LADDER_ESCAPE)
    return km_feature_reader_ladder_escapes(p->reader, colour, p->list);
  size_t n = 0;
  km_true_eyes(p->board, colour, p->mark);
  for (unsigned point = 0; point < p->board->n_points; point++)
    if (p->mark[point])
      p->list[n++] = (uint16_t)point;
  return n;
}

/* ---- text and CSV
 * --------------------------------------------------------------------------------------------- */

static void print_points(const position *p, const uint16_t *list, size_t n, FILE *out) {
  for (size_t i = 0; i < n; i++)
    fprintf(out, " %s", show_point_text(p->game, list[i]).sgf);
  if (!n)
    fputs(" -", out);
}

static void print_chain(void *ctx, const position *p, uint8_t colour, unsigned n_stones,
                        unsigned n_liberties) {
  FILE *out = ctx;
  fprintf(out, "chain %c:", show_colour_letter(colour));
  print_points(p, p->list, n_stones, out);
  fputs("; liberties:", out);
  print_points(p, p->other, n_liberties, out);
  fputc('\n', out);
}

/* One line of the table: the features of me's move at an empty point. */
static void print_features(const position *p, uint8_t me, uint16_t point, int is_csv, FILE *out) {
  km_move_features features;
  show_point at = show_point_text(p->game, point);
  const char *play_class = km_play_class_name(km_board_classify(p->board, me, point));
  km_feature_reader_move(p->reader, me, point, &features);
  if (is_csv)
    fprintf(out, "%c,%s,%s,%s", show_colour_letter(me), at.sgf, at.gtp, play_class);
  else
    fprintf(out, "%c  %s  %-4s %-8s", show_colour_letter(me), at.sgf, at.gtp, play_class);
  for (unsigned i = 0; i < KM_MOVE_FEATURES; i++) {
    int value = (int)km_move_feature_value(&features, i);
    if (is_csv)
      fprintf(out, ",%d", value);
    else
      fprintf(out, " %*d", (int)strlen(km_move_feature_name(i)), value);
  }
  fputc('\n', out);
}

static void print_table(const position *p, int is_csv, FILE *out) {
  fputs(is_csv ? "colour,sgf,gtp,class" : "c  sgf gtp  class   ", out);
  for (unsigned i = 0; i < KM_MOVE_FEATURES; i++)
    fprintf(out, "%c%s", is_csv ? ',' : ' ', km_move_feature_name(i));
  fputc('\n', out);
  for (uint8_t me = KM_BLACK; me <= KM_WHITE; me++)
    for (uint16_t point = 0; point < p->board->n_points; point++)
      if (km_board_stone(p->board, point) == KM_EMPTY)
        print_features(p, me, point, is_csv, out);
}

static void print_text(const position *p, FILE *out) {
  each_chain(p, print_chain, out);
  for (uint8_t me = KM_BLACK; me <= KM_WHITE; me++)
    for (list_kind kind = 0; kind < LISTS; kind++) {
      size_t n = points_of(p, kind, me);
      fprintf(out, "%s %c:", list_names[kind], show_colour_letter(me));
      print_points(p, p->list, n, out);
      fputc('\n', out);
    }
  print_table(p, 0, out);
}

/* ---- JSON
 * ----------------------------------------------------------------------------------------------------- */

static void json_points(show_json *json, const char *key, const position *p, const uint16_t *list, size_t n) {
  show_json_array(json, key);
  for (size_t i = 0; i < n; i++)
    show_json_text(json, NULL, show_point_text(p->game, list[i]).sgf);
  show_json_close(json);
}

static void json_chain(void *ctx, const position *p, uint8_t colour, unsigned n_stones,
                       unsigned n_liberties) {
  show_json *json = ctx;
  char letter = show_colour_letter(colour);
  show_json_object(json, NULL);
  show_json_bytes(json, "colour", &letter, 1);
  json_points(json, "stones", p, p->list, n_stones);
  json_points(json, "liberties", p, p->other, n_liberties);
  show_json_close(json);
}

static void json_player(show_json *json, const position *p, uint8_t me) {
  show_json_object(json, me == KM_BLACK ? "B" : "W");
  for (list_kind kind = 0; kind < LISTS; kind++) {
    size_t n = points_of(p, kind, me);
    json_points(json, list_names[kind], p, p->list, n);
  }
  show_json_object(json, "features");
  for (uint16_t point = 0; point < p->board->n_points; point++) {
    km_move_features features;
    if (km_board_stone(p->board, point) != KM_EMPTY)
      continue;
    km_feature_reader_move(p->reader, me, point, &features);
    show_json_object(json, show_point_text(p->game, point).sgf);
    show_json_text(json, "class", km_play_class_name(km_board_classify(p->board, me, point)));
    for (unsigned i = 0; i < KM_MOVE_FEATURES; i++)
      show_json_int(json, km_move_feature_name(i), km_move_feature_value(&features, i));
    show_json_close(json);
  }
  show_json_close(json);
  show_json_close(json);
}

static void print_json(const position *p, uint32_t ply, FILE *out) {
  char line[KM_BOARD_MAX];
  show_json json;
  show_json_begin(&json, out);
  show_json_uint(&json, "rows", p->game->rows);
  show_json_uint(&json, "cols", p->game->cols);
  show_json_uint(&json, "ply", ply);
  show_json_array(&json, "board");
  for (unsigned row = 0; row < p->game->rows; row++) {
    for (unsigned col = 0; col < p->game->cols; col++)
      line[col] = ".XO"[km_board_stone(p->board, row * p->game->cols + col)];
    show_json_bytes(&json, NULL, line, p->game->cols);
  }
  show_json_close(&json);
  show_json_array(&json, "chains");
  each_chain(p, json_chain, &json);
  show_json_close(&json);
  json_player(&json, p, KM_BLACK);
  json_player(&json, p, KM_WHITE);
  show_json_end(&json);
}

static km_status run(show_record *record, show_session *session, km_err *err) {
  km_replay *replay;
  km_status status = show_replay_begin(&replay, record, session->options, 0, err);
  if (!status)
    status = show_replay_to_ply(replay, session, record, NULL, NULL, err);
  if (status)
    return status;
  size_t n = replay->board.n_points;
  position p = {.game = &record->game,
                .board = &replay->board,
                .list = km_arena_alloc(&record->arena, n * sizeof *p.list),
                .other = km_arena_alloc(&record->arena, n * sizeof *p.other),
                .mark = km_arena_alloc(&record->arena, n)};
  if (!p.list || !p.other || !p.mark)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  status = km_feature_reader_new(&p.reader, 0, err);
  if (status)
    return status;
  km_feature_reader_set(p.reader, p.board);
  if (session->options->format == SHOW_JSON)
    print_json(&p, replay->ply, session->out);
  else if (session->options->format == SHOW_CSV)
    print_table(&p, 1, session->out);
  else
    print_text(&p, session->out);
  km_feature_reader_free(p.reader);
  return KM_OK;
}

km_status show_features(show_session *session, km_err *err) {
  return show_with_record(session, run, err);
}
