/* show_moves.c: `kifu-show moves`: what every move did. */
#include "show_json.h"
#include "show_record.h"

/* One move after the step that looked at it (status: what the step gave). */
typedef struct line {
  uint32_t number;
  char colour;
  show_point at;
  const char *play_class, *repeats; /* repeats: "" when it repeats nothing */
  const uint16_t *captured;
  unsigned n_captured;
} line;

static line line_of(const km_replay *replay, km_status status) {
  int was_played = status == KM_OK;
  uint32_t index = replay->ply - (uint32_t)was_played;
  const km_move *move = &replay->game->moves[index];
  unsigned repeats = was_played ? replay->repeats : 0;
  return (line){
      .number = index + 1,
      .colour = show_colour_letter(move->colour),
      .at = show_point_text(replay->game, move->point),
      .play_class = km_play_class_name(replay->play_class),
      .repeats = repeats & KM_REPEATS_SITUATION  ? "situational"
                 : repeats & KM_REPEATS_POSITION ? "positional"
                                                 : "",
      .captured = replay->board.captured,
      .n_captured = was_played ? replay->board.n_captured : 0,
  };
}

static void print_captured(const km_game *game, const line *l, FILE *out) {
  for (unsigned i = 0; i < l->n_captured; i++)
    fprintf(out, "%s%s", i ? " " : "", show_point_text(game, l->captured[i]).sgf);
}

static void print_text(const km_game *game, const line *l, FILE *out) {
  fprintf(out, "%5u  %c  %-4s  %-4s  %-14s  %-11s  ", l->number, l->colour, l->at.sgf, l->at.gtp,
          l->play_class, *l->repeats ? l->repeats : "-");
  print_captured(game, l, out);
  fputs(l->n_captured ? "\n" : "-\n", out);
}

static void print_csv(const km_game *game, const line *l, FILE *out) {
  fprintf(out, "%u,%c,%s,%s,%s,%s,", l->number, l->colour, l->at.sgf, l->at.gtp, l->play_class, l->repeats);
  print_captured(game, l, out);
  fputc('\n', out);
}

static void print_json(const km_game *game, const line *l, show_json *json) {
  show_json_object(json, NULL);
  show_json_uint(json, "move", l->number);
  show_json_bytes(json, "colour", &l->colour, 1);
  show_json_text(json, "sgf", l->at.sgf);
  show_json_text(json, "gtp", l->at.gtp);
  show_json_text(json, "class", l->play_class);
  show_json_text(json, "repeats", *l->repeats ? l->repeats : NULL);
  show_json_array(json, "captured");
  for (unsigned i = 0; i < l->n_captured; i++)
    show_json_text(json, NULL, show_point_text(game, l->captured[i]).sgf);
  show_json_close(json);
  show_json_close(json);
}

static void print_line(const km_replay *replay, km_status status, show_session *session, show_json *json) {
  line l = line_of(replay, status);
  if (session->options->format == SHOW_JSON)
    print_json(replay->game, &l, json);
  else if (session->options->format == SHOW_CSV)
    print_csv(replay->game, &l, session->out);
  else
    print_text(replay->game, &l, session->out);
}

static km_status run(show_record *record, show_session *session, km_err *err) {
  km_replay *replay;
  show_json json;
  int is_json = session->options->format == SHOW_JSON;
  km_status status = show_replay_begin(&replay, record, session->options, 1, err);
  if (status)
    return status;
  if (is_json) {
    show_json_begin(&json, session->out);
    show_json_uint(&json, "rows", record->game.rows);
    show_json_uint(&json, "cols", record->game.cols);
    show_json_array(&json, "moves");
  } else {
    fputs(session->options->format == SHOW_CSV
              ? "move,colour,sgf,gtp,class,repeats,captured\n"
              : " move  c  sgf   gtp   class           repeats      captured\n",
          session->out);
  }
  while ((status = km_replay_step(replay)) != KM_END) {
    print_line(replay, status, session, &json);
    if (status == KM_SKIP)
      break;
  }
  if (is_json) {
    show_json_close(&json);
    show_json_end(&json);
  }
  if (status == KM_SKIP)
    show_replay_stopped(session, record, replay);
  return KM_OK;
}

km_status show_moves(show_session *session, km_err *err) {
  return show_with_record(session, run, err);
}
