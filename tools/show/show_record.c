/* show_record.c: finds a record. Everything that is no store goes through the archive reader, so that a bare
 * file, a compressed one and an entry of an archive in an archive are the same thing: a stream of entries. */
#include "show_record.h"

#include "kifumill/archive_reader.h"
#include "kifumill/metadata.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- finding
 * -------------------------------------------------------------------------------------------------- */

int show_is_hdf5(const char *path) {
  static const char signature[] = "\211HDF\r\n\032\n";
  char bytes[sizeof signature - 1];
  struct stat info;
  FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
  if (!file)
    return 0;
  size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  return n == sizeof bytes && memcmp(bytes, signature, sizeof bytes) == 0;
}

/* Splits ARCHIVE//ENTRY at the first "//" behind something that is there and no folder. */
static km_status split_path(show_record *record, const show_options *options, km_err *err) {
  struct stat info;
  const char *input = options->input;
  record->entry = options->entry;
  record->path = strdup(input);
  if (!record->path)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (strcmp(input, "-") == 0 || stat(input, &info) == 0)
    return KM_OK;
  for (char *at = record->path; (at = strstr(at, "//")) != NULL; at += 2) {
    *at = 0;
    if (stat(record->path, &info) == 0 && !S_ISDIR(info.st_mode)) {
      if (options->entry)
        return km_err_set(err, KM_ERR_USAGE, 0, "%.200s names an entry, and --entry another one", input);
      record->entry = at + 2;
      return KM_OK;
    }
    *at = '/';
  }
  return KM_OK; /* the archive reader says what is wrong with it */
}

/* A search through entries. */
typedef struct search {
  show_session *session;
  uint64_t wanted;    /* the record to take, counted over all entries looked at; from 1 */
  uint64_t n_records; /* before this entry */
  uint64_t n_entries; /* with the name wanted */
  char why[200];      /* the first thing found wrong, for when nothing is found */
} search;

static void note_finding(search *s, const char *where, const km_finding *finding) {
  s->session->n_damaged++;
  if (!*s->why)
    snprintf(s->why, sizeof s->why, "%s%s%s", km_reason_code(finding->reason), finding->detail ? ": " : "",
             finding->detail ? finding->detail : "");
  show_remark(s->session, "%s: %s (%s)%s%s", where, km_reason_code(finding->reason),
              km_reason_doc(finding->reason), finding->detail ? ": " : "",
              finding->detail ? finding->detail : "");
}

/* Looks for the record in one entry: KM_OK: it is there; KM_END: not. */
static km_status search_entry(show_record *record, search *s, const km_entry *entry, km_err *err) {
  km_sgf_reader *reader;
  km_sgf_options options = {.fallback_encoding = s->session->options->encoding,
                            .decoder = record->decoder,
                            .records = &record->records};
  km_arena_reset(&record->arena);
  km_status status = km_sgf_open(&reader, entry->bytes, entry->n_bytes, &options, &record->arena, err);
  while (!status) {
    km_arena_reset(&record->records);
    status = km_sgf_next(reader, &record->sgf, err);
    if (!status && ++s->n_records == s->wanted)
      break;
  }
  if (status == KM_END) {
    size_t n;
    const km_finding *findings = km_sgf_input_findings(reader, &n);
    for (size_t i = 0; i < n; i++)
      note_finding(s, *entry->name ? entry->name : entry->source, &findings[i]);
  }
  if (status)
    return status;
  record->bytes = entry->bytes;
  record->n_bytes = entry->n_bytes;
  record->number = record->sgf.number;
  record->game = record->sgf.game;
  record->file = entry->source;
  record->entry = entry->name;
  s->session->n_damaged += record->sgf.n_findings;
  return KM_OK;
}

static km_status search_stream(show_record *record, search *s, size_t stream, km_err *err) {
  const char *name = record->entry;
  km_entry entry;
  km_status status = km_archive_open(&record->reader, record->inputs, stream, err);
  while (!status) {
    status = km_archive_next(record->reader, &entry, err);
    if (status)
      break;
    for (size_t i = 0; i < entry.n_findings; i++)
      note_finding(s, *entry.name ? entry.name : entry.source, &entry.findings[i]);
    if (!entry.bytes || (name && strcmp(name, entry.name) != 0))
      continue;
    s->n_entries++;
    status = search_entry(record, s, &entry, err);
    if (status != KM_END)
      return status;
    status = KM_OK;
  }
  km_archive_close(record->reader);
  record->reader = NULL;
  return status;
}

static km_status not_found(const show_record *record, const search *s, km_err *err) {
  const char *input = s->session->options->input, *name = record->entry;
  if (name && !s->n_entries)
    return km_err_set(err, KM_ERR_USAGE, 0, "%.100s has no entry %.150s", record->path, name);
  if (s->n_records)
    return km_err_set(err, KM_ERR_USAGE, 0, "--game %" PRIu64 ": %.150s has %" PRIu64 " game%s", s->wanted,
                      input, s->n_records, s->n_records == 1 ? "" : "s");
  return km_err_set(err, KM_ERR_FORMAT, 0, "%.150s: no game record in it%s%.150s%s", input,
                    *s->why ? " (" : "", s->why, *s->why ? ")" : "");
}

static km_status open_sgf(show_record *record, show_session *session, km_err *err) {
  const show_options *options = session->options;
  search s = {.session = session, .wanted = options->has_game ? options->game : 1};
  if (s.wanted == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "--game 0: games of a record file are counted from 1");
  record->decoder = km_text_decoder_new();
  if (!record->decoder)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  const char *paths[] = {record->path};
  km_status status = km_inputs_open(&record->inputs, paths, 1, NULL, err);
  if (status)
    return status == KM_ERR_USAGE ? err->code = KM_ERR_IO
                                  : status; /* a file that is not there: failed, not misused */
  status = KM_END;
  for (size_t i = 0; i < km_inputs_count(record->inputs) && status == KM_END; i++)
    status = search_stream(record, &s, i, err);
  if (status == KM_END)
    return not_found(record, &s, err);
  if (!status && record->sgf.refused != KM_REASON_NONE && record->sgf.refused != KM_REASON_NO_MOVES)
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%.150s: game %" PRIu64 " at byte %" PRIu64 ": %s (%s)",
                        options->input, record->number, record->sgf.begin,
                        km_reason_code(record->sgf.refused), km_reason_doc(record->sgf.refused));
  return status;
}

static km_status open_stored(show_record *record, show_session *session, km_err *err) {
  const show_options *options = session->options;
  km_status status = km_games_open(&record->games, record->path, err);
  if (status)
    return status;
  uint64_t n = km_games_count(record->games);
  record->number = options->has_game ? options->game : 0;
  if (record->number >= n)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "--game %" PRIu64 ": %.150s has %" PRIu64 " games, numbered from 0", record->number,
                      options->input, n);
  record->is_stored = 1;
  record->file = record->path;
  record->entry = "";
  return km_games_game(record->games, record->number, &record->arena, &record->game, err);
}

km_status show_record_open(show_record *record, show_session *session, km_err *err) {
  *record = (show_record){0};
  km_arena_init(&record->arena);
  km_arena_init(&record->records);
  km_status status = split_path(record, session->options, err);
  if (status)
    return status;
  return show_is_hdf5(record->path) ? open_stored(record, session, err) : open_sgf(record, session, err);
}

void show_record_close(show_record *record) {
  km_archive_close(record->reader);
  km_inputs_free(record->inputs);
  km_games_close(record->games);
  km_text_decoder_free(record->decoder);
  km_arena_clear(&record->arena);
  km_arena_clear(&record->records);
  free(record->path);
}

km_status show_with_record(show_session *session, show_part *part, km_err *err) {
  show_record record;
  km_status status = show_record_open(&record, session, err);
  if (!status)
    status = part(&record, session, err);
  show_record_close(&record);
  return status;
}

km_status show_record_count(show_record *record, const show_options *options, uint64_t *n, km_err *err) {
  km_arena arena, records;
  km_sgf_reader *reader;
  km_sgf_record each;
  km_arena_init(&arena);
  km_arena_init(&records);
  km_sgf_options sgf = {
      .fallback_encoding = options->encoding, .decoder = record->decoder, .records = &records};
  km_status status = km_sgf_open(&reader, record->bytes, record->n_bytes, &sgf, &arena, err);
  for (*n = 0; !status; ++*n) {
    km_arena_reset(&records);
    status = km_sgf_next(reader, &each, err);
    if (status)
      break;
  }
  km_arena_clear(&records);
  km_arena_clear(&arena);
  return status == KM_END ? KM_OK : status;
}

/* ---- replay
 * --------------------------------------------------------------------------------------------------- */

static int suicide_allowed(const km_game *game, int suicide) {
  km_text rules = game->text[KM_TEXT_RULES];
  if (suicide == 0)
    return rules.n_bytes && km_rules_text_suicide(rules.bytes, rules.n_bytes);
  return suicide == 2;
}

km_status show_replay_begin(km_replay **replay, show_record *record, const show_options *options,
                            int with_superko, km_err *err) {
  km_replay_options how = {.mode = (uint8_t)options->mode,
                           .ko_rule = (uint8_t)options->rules,
                           .allow_suicide = (uint8_t)suicide_allowed(&record->game, options->suicide)};
  if (with_superko || how.ko_rule != KM_KO_SIMPLE) {
    how.superko = km_arena_alloc(&record->arena, sizeof *how.superko);
    if (!how.superko || km_superko_init(how.superko, &record->arena, (size_t)record->game.n_moves + 1))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a game of %u moves", record->game.n_moves);
  }
  *replay = km_arena_alloc(&record->arena, sizeof **replay);
  if (!*replay)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_replay_init(*replay, &record->game, &how);
  return KM_OK;
}

void show_replay_stopped(show_session *session, const show_record *record, const km_replay *replay) {
  const km_move *move = &record->game.moves[replay->ply];
  show_point point = show_point_text(&record->game, move->point);
  uint32_t n_left = record->game.n_moves - replay->ply - 1;
  session->n_damaged++;
  char behind[48] = "";
  if (n_left)
    snprintf(behind, sizeof behind, "; %u move%s behind it left out", n_left, n_left == 1 ? "" : "s");
  show_remark(session, "stopped before move %u (%c %s): %s%s", replay->ply + 1,
              show_colour_letter(move->colour), point.sgf, km_play_class_name(replay->play_class), behind);
}

km_status show_replay_to_ply(km_replay *replay, show_session *session, const show_record *record,
                             show_follow *follow, void *ctx, km_err *err) {
  const show_options *options = session->options;
  uint64_t ply = options->has_ply ? options->ply : record->game.n_moves;
  km_status status = KM_OK;
  while (replay->ply < ply && (status = km_replay_step(replay)) == KM_OK)
    if (follow)
      follow(ctx, replay);
  if (status == KM_SKIP)
    show_replay_stopped(session, record, replay);
  if (!options->has_ply || replay->ply == ply)
    return KM_OK;
  char stop[64] = "";
  if (status == KM_SKIP)
    snprintf(stop, sizeof stop, " before the first illegal one (%s)", km_play_class_name(replay->play_class));
  return km_err_set(err, KM_ERR_USAGE, 0, "--ply %" PRIu64 ": the game has %u moves%s", ply, replay->ply,
                    stop);
}

show_point show_point_text(const km_game *game, uint16_t point) {
  show_point text = {"pass", "pass"};
  if (point == km_game_pass(game))
    return text;
  km_point_sgf(point, game->rows, game->cols, text.sgf);
  if (game->cols <= 25)
    km_point_gtp(point, game->rows, game->cols, text.gtp);
  else
    memcpy(text.gtp, "-", 2);
  return text;
}
