/* show_board.c: `kifu-show board`: one position as people draw it. */
#include "show_json.h"
#include "show_record.h"

/* The column's name over the diagram: GTP's letters where they suffice, else SGF's. */
static char column_letter(const km_game *game, unsigned col) {
  if (game->cols <= 25)
    return (char)('A' + col + (col >= 8));
  return (char)(col < 26 ? 'a' + col : 'A' + (col - 26));
}

static void row_name(const km_game *game, unsigned row, char text[16]) {
  if (game->cols <= 25)
    snprintf(text, 16, "%u", game->rows - row);
  else
    snprintf(text, 16, "%c", row < 26 ? 'a' + row : 'A' + (row - 26));
}

static void column_names(const km_game *game, FILE *out) {
  fputs("  ", out);
  for (unsigned col = 0; col < game->cols; col++)
    fprintf(out, " %c", column_letter(game, col));
  fputc('\n', out);
}

static char stone(const km_board *board, unsigned point) {
  return ".XO"[km_board_stone(board, point)];
}

/* last: the point to be marked, or beyond the board. */
static void diagram(const km_game *game, const km_board *board, unsigned last, FILE *out) {
  char name[16];
  column_names(game, out);
  for (unsigned row = 0; row < game->rows; row++) {
    row_name(game, row, name);
    fprintf(out, "%2s", name);
    for (unsigned col = 0; col < game->cols; col++) {
      unsigned point = row * game->cols + col;
      fprintf(out, "%c%c", point == last ? '(' : col && point == last + 1 ? ')' : ' ', stone(board, point));
    }
    fprintf(out, "%c%s\n", (row + 1) * game->cols == last + 1 ? ')' : ' ', name);
  }
  column_names(game, out);
}

static void print_text(const km_replay *replay, FILE *out) {
  const km_game *game = replay->game;
  const km_board *board = &replay->board;
  const km_move *move = replay->ply ? &game->moves[replay->ply - 1] : NULL;
  uint8_t banned;
  uint16_t ko = km_board_ko(board, &banned);
  diagram(game, board, move ? move->point : KM_POINT_OFFBOARD, out);
  fprintf(out, "ply: %u of %u\n", replay->ply, game->n_moves);
  if (move) {
    show_point at = show_point_text(game, move->point);
    fprintf(out, "last move: %c %s %s\n", show_colour_letter(move->colour), at.sgf, at.gtp);
  } else {
    fputs("last move: none\n", out);
  }
  fprintf(out, "to play: %c\n", show_colour_letter(km_game_to_play(game, replay->ply)));
  fprintf(out, "captured by B: %u\ncaptured by W: %u\n", board->prisoners[KM_WHITE],
          board->prisoners[KM_BLACK]);
  if (ko == KM_POINT_OFFBOARD) {
    fputs("ko: none\n", out);
  } else {
    show_point at = show_point_text(game, ko);
    fprintf(out, "ko: %s %s, not for %c\n", at.sgf, at.gtp, show_colour_letter(banned));
  }
}

static void json_point(show_json *json, const char *key, const km_game *game, uint8_t colour,
                       uint16_t point) {
  show_point at = show_point_text(game, point);
  char letter[2] = {show_colour_letter(colour), 0};
  show_json_object(json, key);
  show_json_text(json, "colour", letter);
  show_json_text(json, "sgf", at.sgf);
  show_json_text(json, "gtp", at.gtp);
  show_json_close(json);
}

static void print_json(const km_replay *replay, FILE *out) {
  const km_game *game = replay->game;
  const km_board *board = &replay->board;
  const km_move *move = replay->ply ? &game->moves[replay->ply - 1] : NULL;
  char line[KM_BOARD_MAX + 1], to_play[2] = {show_colour_letter(km_game_to_play(game, replay->ply)), 0};
  uint8_t banned;
  uint16_t ko = km_board_ko(board, &banned);
  show_json json;
  show_json_begin(&json, out);
  show_json_uint(&json, "rows", game->rows);
  show_json_uint(&json, "cols", game->cols);
  show_json_uint(&json, "ply", replay->ply);
  show_json_uint(&json, "moves", game->n_moves);
  show_json_array(&json, "board");
  for (unsigned row = 0; row < game->rows; row++) {
    for (unsigned col = 0; col < game->cols; col++)
      line[col] = stone(board, row * game->cols + col);
    show_json_bytes(&json, NULL, line, game->cols);
  }
  show_json_close(&json);
  show_json_text(&json, "to_play", to_play);
  if (move)
    json_point(&json, "last_move", game, move->colour, move->point);
  else
    show_json_null(&json, "last_move");
  show_json_object(&json, "captured_by");
  show_json_uint(&json, "B", board->prisoners[KM_WHITE]);
  show_json_uint(&json, "W", board->prisoners[KM_BLACK]);
  show_json_close(&json);
  if (ko == KM_POINT_OFFBOARD)
    show_json_null(&json, "ko");
  else
    json_point(&json, "ko", game, banned, ko);
  show_json_end(&json);
}

static km_status run(show_record *record, show_session *session, km_err *err) {
  km_replay *replay;
  km_status status = show_replay_begin(&replay, record, session->options, 0, err);
  if (!status)
    status = show_replay_to_ply(replay, session, record, NULL, NULL, err);
  if (!status && session->options->format == SHOW_JSON)
    print_json(replay, session->out);
  else if (!status)
    print_text(replay, session->out);
  return status;
}

km_status show_board(show_session *session, km_err *err) {
  return show_with_record(session, run, err);
}
