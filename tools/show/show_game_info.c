/* show_game_info.c: `kifu-show info` of one game: what was understood, what stands there, what is wrong. */
#include "show_game_info.h"

#include "show_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Texts as they stand in the record, under the names that they have in games.h5. */
static const char *const text_names[KM_TEXT_COUNT] = {
    [KM_TEXT_BLACK] = "black",
    [KM_TEXT_WHITE] = "white",
    [KM_TEXT_BLACK_RANK] = "black_rank",
    [KM_TEXT_WHITE_RANK] = "white_rank",
    [KM_TEXT_DATE] = "date",
    [KM_TEXT_EVENT] = "event",
    [KM_TEXT_ROUND] = "round",
    [KM_TEXT_PLACE] = "place",
    [KM_TEXT_RULES] = "rules",
    [KM_TEXT_RESULT] = "result",
    [KM_TEXT_KOMI] = "komi",
    [KM_TEXT_HANDICAP] = "handicap",
    [KM_TEXT_TIME] = "time",
    [KM_TEXT_OVERTIME] = "overtime",
    [KM_TEXT_APPLICATION] = "application",
    [KM_TEXT_ENCODING] = "encoding",
    [KM_TEXT_SOURCE] = "source",
    [KM_TEXT_ENTRY] = "entry",
};

/* What the replay tells. */
typedef struct verdict {
  uint32_t n_played;
  const km_replay *replay; /* stopped, if play_class is set */
  int is_stopped;
  uint64_t n_records; /* in the entry */
  km_game_keys keys;  /* of a stored game */
} verdict;

static const char *winner_name(int8_t winner) {
  return winner == KM_WINNER_BLACK   ? "black"
         : winner == KM_WINNER_WHITE ? "white"
         : winner == KM_WINNER_DRAW  ? "draw"
                                     : NULL;
}

static const char *rank_text(km_rank rank, char text[8]) {
  if (!rank.kind)
    return NULL;
  snprintf(text, 8, "%d%c", rank.number, rank.kind);
  return text;
}

static const char *date_text(km_date date, char text[24]) {
  if (!date.precision)
    return NULL;
  if (date.precision == 1)
    snprintf(text, 24, "%04d", date.year);
  else if (date.precision == 2)
    snprintf(text, 24, "%04d-%02u", date.year, date.month);
  else
    snprintf(text, 24, "%04d-%02u-%02u", date.year, date.month, date.day);
  return text;
}

/* ---- text
 * ----------------------------------------------------------------------------------------------------- */

static void line(FILE *out, const char *key, const char *value) {
  fprintf(out, "%s: %s\n", key, value ? value : "unknown");
}

static void float_line(FILE *out, const char *key, float number) {
  char text[SHOW_FLOAT_MAX];
  line(out, key, isnan(number) ? NULL : show_float_text(number, text));
}

static void print_place(const show_record *record, const verdict *v, FILE *out) {
  fputs("file: ", out);
  show_plain(record->file, strlen(record->file), out);
  if (*record->entry) {
    fputs("\nentry: ", out);
    show_plain(record->entry, strlen(record->entry), out);
  }
  if (record->is_stored)
    fprintf(out, "\ngame: %" PRIu64 " of %" PRIu64 ", numbered from 0\n", record->number,
            km_games_count(record->games));
  else
    fprintf(out, "\ngame: %" PRIu64 " of %" PRIu64 "\nbytes: %" PRIu64 " to %" PRIu64 "\n", record->number,
            v->n_records, record->sgf.begin, record->sgf.end);
}

static void print_moves(const km_game *game, const verdict *v, FILE *out) {
  fprintf(out, "moves: %u\nset-up stones: %u\nwin-rates: %u\n", game->n_moves, game->n_setup, game->n_evals);
  fprintf(out, "to play at the end: %c\n", show_colour_letter(game->final_to_play));
  if (v->is_stopped) {
    const km_move *move = &game->moves[v->n_played];
    fprintf(out, "first illegal move: %u %c %s, %s\n", v->n_played + 1, show_colour_letter(move->colour),
            show_point_text(game, move->point).sgf, km_play_class_name(v->replay->play_class));
  } else {
    fputs("first illegal move: none\n", out);
  }
  fprintf(out, "superko repetitions: %u positional, %u situational\n", v->replay->n_positional,
          v->replay->n_situational);
}

static void print_values(const km_game *game, FILE *out) {
  char text[24];
  fprintf(out, "size: %u columns, %u rows\n", game->cols, game->rows);
  line(out, "black rank", rank_text(game->black_rank, text));
  line(out, "white rank", rank_text(game->white_rank, text));
  line(out, "date", date_text(game->date, text));
  line(out, "rules", game->rules ? km_rules_name(game->rules) : NULL);
  float_line(out, "komi", game->komi);
  fprintf(out, "handicap: %u\n", game->handicap);
  line(out, "winner", winner_name(game->winner));
  float_line(out, "margin", game->margin);
  line(out, "ending", game->ending ? km_ending_name(game->ending) : NULL);
}

static void print_findings(const show_record *record, FILE *out) {
  fprintf(out, "findings: %u\n", record->sgf.n_findings);
  for (uint32_t i = 0; i < record->sgf.n_findings; i++) {
    const km_finding *f = &record->sgf.findings[i];
    fprintf(out, "  byte %" PRIu64 ": %s (%s): %s", f->pos, km_reason_code(f->reason),
            km_reason_kind_name(km_reason_kind_of(f->reason)), km_reason_doc(f->reason));
    if (f->detail) {
      fputs("; ", out);
      show_plain(f->detail, strlen(f->detail), out);
    }
    fputc('\n', out);
  }
}

/* Names of the reasons whose flag is set, one for each flag. */
static const char *flag_name(unsigned bit) {
  if (bit == KM_FLAG_REPAIRED)
    return "repaired";
  if (bit == KM_FLAG_CUT)
    return "cut";
  for (km_reason reason = 1; reason < KM_REASON_COUNT; reason++)
    if (km_reason_flag(reason) == bit)
      return km_reason_code(reason);
  return "?";
}

static void print_stored(const km_game *game, const verdict *v, FILE *out) {
  char hex[33];
  fputs("flags:", out);
  for (unsigned bit = 1; bit; bit <<= 1)
    if (game->flags & bit)
      fprintf(out, " %s", flag_name(bit));
  fputs(game->flags ? "\n" : " none\n", out);
  km_hash_hex(v->keys.hash, hex);
  fprintf(out, "hash: %s\n", hex);
  km_hash_hex(v->keys.split_key, hex);
  fprintf(out, "split key: %s\n", hex);
}

static void print_text(const show_record *record, const verdict *v, FILE *out) {
  const km_game *game = &record->game;
  print_place(record, v, out);
  print_values(game, out);
  print_moves(game, v, out);
  if (record->is_stored)
    print_stored(game, v, out);
  fputs("as recorded:\n", out);
  for (km_text_field field = 0; field < KM_TEXT_COUNT; field++) {
    if (!game->text[field].bytes)
      continue;
    fprintf(out, "  %s: ", text_names[field]);
    show_plain(game->text[field].bytes, game->text[field].n_bytes, out);
    fputc('\n', out);
  }
  if (!record->is_stored)
    print_findings(record, out);
}

/* ---- JSON
 * ----------------------------------------------------------------------------------------------------- */

static void json_values(show_json *json, const km_game *game, const verdict *v) {
  char text[24];
  show_json_uint(json, "rows", game->rows);
  show_json_uint(json, "cols", game->cols);
  show_json_text(json, "black_rank", rank_text(game->black_rank, text));
  show_json_text(json, "white_rank", rank_text(game->white_rank, text));
  show_json_text(json, "date", date_text(game->date, text));
  show_json_text(json, "rules", game->rules ? km_rules_name(game->rules) : NULL);
  show_json_float(json, "komi", game->komi);
  show_json_uint(json, "handicap", game->handicap);
  show_json_text(json, "winner", winner_name(game->winner));
  show_json_float(json, "margin", game->margin);
  show_json_text(json, "ending", game->ending ? km_ending_name(game->ending) : NULL);
  show_json_uint(json, "moves", game->n_moves);
  show_json_uint(json, "setup", game->n_setup);
  show_json_uint(json, "win_rates", game->n_evals);
  show_json_text(json, "final_to_play", game->final_to_play == KM_BLACK ? "B" : "W");
  if (v->is_stopped) {
    show_json_object(json, "illegal");
    show_json_uint(json, "move", v->n_played + 1);
    show_json_text(json, "colour", game->moves[v->n_played].colour == KM_BLACK ? "B" : "W");
    show_json_text(json, "sgf", show_point_text(game, game->moves[v->n_played].point).sgf);
    show_json_text(json, "class", km_play_class_name(v->replay->play_class));
    show_json_close(json);
  } else {
    show_json_null(json, "illegal");
  }
  show_json_uint(json, "positional_repetitions", v->replay->n_positional);
  show_json_uint(json, "situational_repetitions", v->replay->n_situational);
}

static void json_findings(show_json *json, const show_record *record) {
  show_json_array(json, "findings");
  for (uint32_t i = 0; i < record->sgf.n_findings; i++) {
    const km_finding *f = &record->sgf.findings[i];
    show_json_object(json, NULL);
    show_json_uint(json, "byte", f->pos);
    show_json_text(json, "code", km_reason_code(f->reason));
    show_json_text(json, "kind", km_reason_kind_name(km_reason_kind_of(f->reason)));
    show_json_text(json, "detail", f->detail);
    show_json_close(json);
  }
  show_json_close(json);
}

static void json_stored(show_json *json, const km_game *game, const verdict *v) {
  char hex[33];
  show_json_array(json, "flags");
  for (unsigned bit = 1; bit; bit <<= 1)
    if (game->flags & bit)
      show_json_text(json, NULL, flag_name(bit));
  show_json_close(json);
  km_hash_hex(v->keys.hash, hex);
  show_json_text(json, "hash", hex);
  km_hash_hex(v->keys.split_key, hex);
  show_json_text(json, "split_key", hex);
}

static void print_json(const show_record *record, const verdict *v, FILE *out) {
  show_json json;
  show_json_begin(&json, out);
  show_json_text(&json, "file", record->file);
  show_json_text(&json, "entry", *record->entry ? record->entry : NULL);
  show_json_uint(&json, "game", record->number);
  show_json_uint(&json, "games", v->n_records);
  if (!record->is_stored) {
    show_json_uint(&json, "begin", record->sgf.begin);
    show_json_uint(&json, "end", record->sgf.end);
  }
  json_values(&json, &record->game, v);
  if (record->is_stored)
    json_stored(&json, &record->game, v);
  show_json_object(&json, "recorded");
  for (km_text_field field = 0; field < KM_TEXT_COUNT; field++)
    if (record->game.text[field].bytes)
      show_json_bytes(&json, text_names[field], record->game.text[field].bytes,
                      record->game.text[field].n_bytes);
  show_json_close(&json);
  if (!record->is_stored)
    json_findings(&json, record);
  show_json_end(&json);
}

km_status show_game_info(show_record *record, show_session *session, km_err *err) {
  verdict v = {0};
  km_replay *replay;
  km_status status = show_replay_begin(&replay, record, session->options, 1, err);
  if (status)
    return status;
  while ((status = km_replay_step(replay)) == KM_OK) {
  }
  v.replay = replay;
  v.n_played = replay->ply;
  v.is_stopped = status == KM_SKIP;
  session->n_damaged += (uint64_t)v.is_stopped;
  if (record->is_stored) {
    v.n_records = km_games_count(record->games);
    km_games_keys(record->games, record->number, &v.keys);
  } else if ((status = show_record_count(record, session->options, &v.n_records, err))) {
    return status;
  }
  if (session->options->format == SHOW_JSON)
    print_json(record, &v, session->out);
  else
    print_text(record, &v, session->out);
  return KM_OK;
}
