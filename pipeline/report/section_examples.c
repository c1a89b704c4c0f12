/* section_examples.c: games of phases.summary.json: the course of S, and the board at each change-point,
 * replayed from games.h5.
 *
 * A board is a few paths: a stone is a line of no length with round ends, so that two hundred stones take two
 * kilobytes. */
#include "sections.h"

#include "kifumill/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOARDS_MAX = 12, GAMES_MAX = 24 };

/* ---- a board ------------------------------------------------------------------------------------------- */

static void put_lines(FILE *out, unsigned n) {
  fputs("<path class=lines d=\"", out);
  for (unsigned i = 0; i < n; i++)
    fprintf(out, "M0 %uh%uM%u 0v%u", i, n - 1, i, n - 1);
  fputs("\"/>", out);
}

static void put_star_points(FILE *out, unsigned n) {
  if (n < 9)
    return;
  unsigned edge = n < 13 ? 2 : 3;
  unsigned at[3] = {edge, n - 1 - edge, n / 2}, many = n % 2 == 0 ? 2 : 3;
  fputs("<path class=dots d=\"", out);
  for (unsigned i = 0; i < many; i++)
    for (unsigned k = 0; k < many; k++)
      if ((i == 2) == (k == 2) || n >= 19)
        fprintf(out, "M%u %uh0", at[i], at[k]);
  fputs("\"/>", out);
}

static void put_stones(FILE *out, const km_board *board, uint8_t colour, const char *class) {
  fprintf(out, "<path class=%s d=\"", class);
  for (unsigned p = 0; p < board->n_points; p++)
    if (km_board_stone(board, p) == colour)
      fprintf(out, "M%u %uh0", p % board->cols, p / board->cols);
  fputs("\"/>", out);
}

/* The outermost layer with a black stone: S is decided there. */
static void put_ring(FILE *out, const km_board *board) {
  unsigned n = board->rows, outermost = n;
  for (unsigned p = 0; p < board->n_points; p++)
    if (km_board_stone(board, p) == KM_BLACK) {
      unsigned r = p / n, c = p % n, line = r < c ? r : c;
      line = line < n - 1 - r ? line : n - 1 - r;
      line = line < n - 1 - c ? line : n - 1 - c;
      outermost = line < outermost ? line : outermost;
    }
  if (outermost < n / 2)
    fprintf(out, "<rect class=ring x=%u y=%u width=%u height=%u rx=.3 />", outermost, outermost,
            n - 1 - 2 * outermost, n - 1 - 2 * outermost);
}

static void put_board(FILE *out, const km_replay *replay) {
  const km_board *board = &replay->board;
  unsigned n = board->rows;
  fprintf(out,
          "<svg class=board viewBox=\"-1 -1 %u %u\" role=img aria-label=\"board after %u moves\"><rect "
          "class=wood x=-1 y=-1 width=%u height=%u rx=.4 />",
          n + 1, n + 1, replay->ply, n + 1, n + 1);
  put_lines(out, n);
  put_star_points(out, n);
  put_ring(out, board);
  put_stones(out, board, KM_BLACK, "b");
  put_stones(out, board, KM_WHITE, "rim");
  put_stones(out, board, KM_WHITE, "w");
  if (replay->ply > 0 && replay->game->moves[replay->ply - 1].point < board->n_points) {
    unsigned p = replay->game->moves[replay->ply - 1].point;
    fprintf(out, "<circle class=last cx=%u cy=%u r=.2 />", p % n, p / n);
  }
  fputs("</svg>", out);
}

/* ---- a game -------------------------------------------------------------------------------------------- */

typedef struct example {
  km_report *report;
  const json_t *json;
  double *log2, *changes;
  size_t n, n_changes, number; /* positions; breaks; of the example */
} example;

static void put_course(const example *e) {
  km_report *report = e->report;
  size_t n_reference;
  double *reference = km_json_get_numbers(&report->scratch, e->json, "reference", &n_reference);
  km_figure *figure = km_figure_new(&report->scratch, KM_TEXT(report, "example-%zu", e->number));
  km_series_plot *line = figure ? km_figure_add(&report->scratch, figure, "log2(1 + S)", e->n, 0) : NULL,
                 *points =
                     line ? km_figure_add(&report->scratch, figure, "change-points", e->n_changes, 0) : NULL;
  if (!points)
    return;
  for (size_t i = 0; i < e->n; i++) {
    line->x[i] = (double)i;
    line->y[i] = e->log2[i];
  }
  points->kind = KM_SERIES_POINTS;
  for (size_t i = 0; i < e->n_changes; i++)
    if (e->changes[i] >= 0 && e->changes[i] < (double)e->n) {
      points->x[i] = e->changes[i];
      points->y[i] = e->log2[(size_t)e->changes[i]];
    }
  for (size_t i = 0; i < n_reference && i < KM_FIGURE_MARKS; i++)
    km_figure_mark_x(figure, reference[i], i == 0 ? "middle game" : i == 1 ? "endgame" : "");
  figure->title = "The course of S";
  figure->note = KM_TEXT(report, "Cut into three it breaks after moves %s and %s.",
                         km_count_text(&report->scratch, km_json_get_number(e->json, "middle")),
                         km_count_text(&report->scratch, km_json_get_number(e->json, "endgame")));
  figure->x_label = "moves";
  figure->y_label = "log2(1 + S)";
  km_page_figure(report, figure, 0);
}

static void put_board_figure(const example *e, const km_replay *replay, const char *what) {
  FILE *out = e->report->out;
  fputs("<figure>", out);
  put_board(out, replay);
  fprintf(out, "<figcaption>%s %u", what, replay->ply);
  if (replay->ply < e->n)
    fprintf(out, ": %.2f bits", e->log2[replay->ply]);
  fputs("</figcaption></figure>", out);
}

/* Boards at the change-points (evenly chosen of many) and at the end. */
static void put_boards(const example *e, const km_game *game) {
  km_replay replay;
  km_replay_options options = {.mode = KM_REPLAY_SGF};
  size_t shown = e->n_changes < BOARDS_MAX ? e->n_changes : BOARDS_MAX;
  km_replay_init(&replay, game, &options);
  for (size_t i = 0; i < shown; i++) {
    double change = e->changes[shown < e->n_changes ? i * e->n_changes / shown : i];
    while (replay.ply < change && km_replay_step(&replay) == KM_OK)
      continue;
    put_board_figure(e, &replay, "move");
  }
  while (km_replay_step(&replay) == KM_OK)
    continue;
  put_board_figure(e, &replay, "end, move");
}

static void put_title(const example *e) {
  km_report *report = e->report;
  const char *black = km_json_get_text(e->json, "black"), *white = km_json_get_text(e->json, "white"),
             *entry = km_json_get_text(e->json, "entry");
  fputs("<h3><bdi>", report->out);
  km_html_text_cut(report->out, *black ? black : "Black", 60);
  fputs("</bdi> – <bdi>", report->out);
  km_html_text_cut(report->out, *white ? white : "White", 60);
  fprintf(report->out, "</bdi></h3>\n<p class=note>%.0f×%.0f, %zu moves; <bdi>",
          km_json_get_number(e->json, "size"), km_json_get_number(e->json, "size"), e->n ? e->n - 1 : 0);
  km_html_text_cut(report->out, km_json_get_text(e->json, "source"), 80);
  if (*entry) {
    fputs(" / ", report->out);
    km_html_text_cut(report->out, entry, 120);
  }
  fputs("</bdi></p>\n", report->out);
}

static void put_example(km_report *report, const json_t *json, size_t number) {
  example e = {.report = report, .json = json, .number = number};
  e.log2 = km_json_get_numbers(&report->scratch, json, "log2", &e.n);
  e.changes = km_json_get_numbers(&report->scratch, json, "changes", &e.n_changes);
  fputs("<div class=game>", report->out);
  put_title(&e);
  fputs("<div class=boards>\n", report->out);
  put_course(&e);
  km_arena arena;
  km_game game;
  km_arena_init(&arena);
  uint64_t index = km_json_get_size(json, "game");
  if (report->inputs.games && index < km_games_count(report->inputs.games) &&
      km_games_game(report->inputs.games, index, &arena, &game, NULL) == KM_OK && game.rows == game.cols &&
      game.n_moves + 1 == e.n)
    put_boards(&e, &game);
  km_arena_clear(&arena);
  fputs("</div></div>\n", report->out);
}

void km_section_examples(km_report *report) {
  const json_t *all = km_json_get(report->inputs.json[KM_INPUT_PHASES], "examples");
  size_t of_size[64] = {0}, shown = 0, at_most = (size_t)report->options->examples;
  if (json_array_size(all) == 0 || at_most == 0)
    return;
  km_page_section_begin(report, "examples", "Example games");
  km_page_paragraph(
      report,
      "Drawn by the seed. Each has the course of S with its change-points over the conventional division, "
      "and the board after these moves with log2(1 + S) in bits; the outermost line with a black "
      "stone, which decides S, is framed, and the last move has a dot.");
  for (size_t i = 0; i < json_array_size(all) && shown < GAMES_MAX; i++) {
    size_t size = km_json_get_size(json_array_get(all, i), "size") % 64;
    if (of_size[size] < at_most) {
      put_example(report, json_array_get(all, i), shown++);
      of_size[size]++;
    }
  }
  km_page_section_end(report);
}
