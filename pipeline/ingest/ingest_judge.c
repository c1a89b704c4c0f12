/* ingest_judge.c: parse → end of the game → legality → filters → hashes, one record at a time. */
#include "ingest_judge.h"

#include "repeats.h"

#include "kifumill/captures.h"
#include "kifumill/metadata.h"
#include "kifumill/replay.h"

#include <stdlib.h>
#include <string.h>

struct km_judge {
  const km_ingest_options *options;
  const km_filter *filter;
  km_sgf_options sgf;
  km_captures captures;
  km_repeats repeats;
  km_replay replay;
  km_arena scratch; /* of one game's replay on the board */
  km_arena reading; /* of one entry's reader */
};

km_judge *km_judge_new(const km_ingest_options *options, const km_filter *filter) {
  km_judge *judge = calloc(1, sizeof *judge);
  if (!judge)
    return NULL;
  judge->options = options;
  judge->filter = filter;
  judge->sgf = (km_sgf_options){.fallback_encoding = options->encoding, .decoder = km_text_decoder_new()};
  if (!judge->sgf.decoder) {
    free(judge);
    return NULL;
  }
  km_arena_init(&judge->scratch);
  km_arena_init(&judge->reading);
  judge->sgf.scratch = &judge->reading;
  return judge;
}

void km_judge_free(km_judge *judge) {
  if (!judge)
    return;
  km_text_decoder_free(judge->sgf.decoder);
  km_repeats_clear(&judge->repeats);
  km_arena_clear(&judge->scratch);
  km_arena_clear(&judge->reading);
  free(judge);
}

km_ingest_record *km_ingest_add_record(km_ingest_entry *entry, km_arena *arena) {
  size_t n = entry->n_records;
  if ((n & (n - 1)) == 0) {
    km_ingest_record *larger = km_arena_grow(arena, entry->records, n * sizeof *larger, (n ? 2 * n : 1) * sizeof *larger);
    if (!larger)
      return NULL;
    entry->records = larger;
  }
  entry->records[n] = (km_ingest_record){.refused = KM_REASON_NONE};
  entry->n_records = n + 1;
  return &entry->records[n];
}

/* Notes a finding with a detail in the arena. Without memory the finding stays without a detail. */
static void note(km_ingest_record *record, km_reason reason, uint64_t pos, km_arena *arena, const char *detail) {
  if (record->n_added == KM_JUDGEMENTS)
    return;
  char *copy = km_arena_strndup(arena, detail, strlen(detail));
  record->added[record->n_added++] = (km_finding){reason, pos, copy};
  record->sgf.game.flags |= km_reason_flag(reason);
}

static void refuse(km_ingest_record *record, km_reason reason, km_arena *arena, const char *detail) {
  record->refused = reason;
  note(record, reason, record->sgf.begin, arena, detail);
}

/* The first n moves are kept; set-up and evaluations behind them go too. */
static void cut_game(km_game *game, uint32_t n) {
  if (n >= game->n_moves)
    return;
  game->final_to_play = game->moves[n].colour;
  game->n_moves = n;
  while (game->n_setup && game->setup[game->n_setup - 1].ply > n)
    game->n_setup--;
  while (game->n_evals && game->evals[game->n_evals - 1].ply > n)
    game->n_evals--;
}

static km_reason reason_of_class(km_play_class play_class) {
  switch (play_class) {
  case KM_PLAY_OFFBOARD:
    return KM_REASON_ILLEGAL_OFFBOARD;
  case KM_PLAY_BAD_POINT:
    return KM_REASON_ILLEGAL_BAD_COORDINATE;
  case KM_PLAY_OCCUPIED:
    return KM_REASON_ILLEGAL_OCCUPIED;
  case KM_PLAY_SUICIDE:
    return KM_REASON_ILLEGAL_SUICIDE;
  case KM_PLAY_KO:
    return KM_REASON_ILLEGAL_KO;
  default:
    return KM_REASON_ILLEGAL_SUPERKO;
  }
}

/* Move number n (0-based) stops the game: keeps what is before it, or refuses the game. */
static void stop_game(km_judge *judge, km_ingest_record *record, uint32_t n, km_play_class play_class, km_arena *arena) {
  km_game *game = &record->sgf.game;
  km_reason reason = reason_of_class(play_class);
  char point[3], detail[160];
  km_point_sgf(game->moves[n].point, game->rows, game->cols, point);
  snprintf(detail, sizeof detail, "move %u %c %s: %s%s; %u of %u moves are kept", n + 1,
           game->moves[n].colour == KM_BLACK ? 'B' : 'W', point, km_play_class_name(play_class),
           game->moves[n].flags & KM_MOVE_FORCED ? " (marked KO, forced)" : "", n, game->n_moves);
  uint64_t pos = km_sgf_move_position(&record->sgf, n);
  if (judge->options->illegal == KM_ILLEGAL_DROP) {
    snprintf(detail, sizeof detail, "move %u %c %s: %s (%s)", n + 1, game->moves[n].colour == KM_BLACK ? 'B' : 'W', point,
             km_play_class_name(play_class), km_reason_code(reason));
    record->refused = KM_REASON_ILLEGAL_DROPPED;
    note(record, KM_REASON_ILLEGAL_DROPPED, pos, arena, detail);
  } else {
    note(record, reason, pos, arena, detail);
    cut_game(game, n);
  }
}

static int suicide_allowed(const km_judge *judge, const km_game *game) {
  km_text rules = game->text[KM_TEXT_RULES];
  if (judge->options->suicide == KM_SUICIDE_BY_RECORD)
    return rules.n_bytes && km_rules_text_suicide(rules.bytes, rules.n_bytes);
  return judge->options->suicide == KM_SUICIDE_ALLOW;
}

/* Whole-board repetitions that the rules in force let be. */
typedef struct repetitions {
  uint32_t n, first; /* how many, and the first of those moves, from 1 */
} repetitions;

static void note_repetitions(km_ingest_record *record, repetitions seen, km_arena *arena) {
  char detail[64];
  if (!seen.n)
    return;
  snprintf(detail, sizeof detail, "first at move %u, %u in all", seen.first, seen.n);
  note(record, KM_REASON_SUPERKO_SEEN, km_sgf_move_position(&record->sgf, seen.first - 1), arena, detail);
}

/* A game that goes by the rules with simple ko, where repetitions are only looked for, the quick way; 0 in *ordinary: what
 * is out of the ordinary in it, if anything, the board has to say. */
static km_status replay_ordinary(km_judge *judge, const km_game *game, repetitions *seen, int *ordinary, km_err *err) {
  km_captures *board = &judge->captures;
  *ordinary = 0;
  if (!km_captures_init(board, game))
    return KM_OK;
  km_status status = km_repeats_begin(&judge->repeats, board->n_points, game->n_moves, err);
  if (status != KM_OK)
    return status;
  km_hash128 hash = km_captures_setup_hash(game);
  uint32_t n_stones = game->n_setup;
  km_move banned = {.point = KM_POINT_OFFBOARD};
  km_repeats_visit(&judge->repeats, n_stones, hash);
  for (uint32_t i = 0; i < game->n_moves; i++) {
    km_move move = game->moves[i];
    if ((move.point == banned.point && move.colour == banned.colour) || !km_captures_play(board, move))
      return KM_OK;
    banned.point = KM_POINT_OFFBOARD;
    if (move.point == board->n_points)
      continue; /* a pass */
    hash = km_hash128_xor(hash, km_captures_hash(board, move));
    n_stones = n_stones + 1 - board->n_captured;
    if (km_captures_starts_ko(board, move))
      banned = (km_move){board->captured[0], km_opponent(move.colour), 0};
    km_repeats_answer answer = km_repeats_visit(&judge->repeats, n_stones, hash);
    if (answer == KM_REPEATS_UNKNOWN)
      return KM_OK;
    if (answer == KM_REPEATS_SEEN && seen->n++ == 0)
      seen->first = i + 1;
  }
  *ordinary = 1;
  return KM_OK;
}

/* Any game under any rule, with the table of superko. Returns how the replay ended: KM_END, or KM_SKIP at an illegal move,
 * or KM_ERR_NOMEM. */
static km_status replay_on_board(km_judge *judge, const km_game *game, repetitions *seen, km_err *err) {
  km_replay *replay = &judge->replay;
  km_superko superko;
  km_arena_reset(&judge->scratch);
  if (km_superko_init(&superko, &judge->scratch, game->n_moves + 1) != KM_OK)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a game of %u moves", game->n_moves);
  const km_replay_options options = {.mode = KM_REPLAY_STRICT,
                                     .ko_rule = (uint8_t)judge->options->rules,
                                     .allow_suicide = (uint8_t)suicide_allowed(judge, game),
                                     .superko = &superko};
  km_replay_init(replay, game, &options);
  *seen = (repetitions){0, 0};
  km_status status;
  while ((status = km_replay_step(replay)) == KM_OK)
    if (replay->n_positional > seen->n) {
      seen->n = replay->n_positional;
      seen->first = seen->n == 1 ? replay->ply : seen->first;
    }
  replay->options.superko = NULL;
  return status;
}

static km_status replay_game(km_judge *judge, km_ingest_record *record, km_arena *arena, km_err *err) {
  const km_game *game = &record->sgf.game;
  repetitions seen = {0, 0};
  int ordinary = 0;
  km_status status = KM_OK;
  if (judge->options->rules == KM_KO_SIMPLE)
    status = replay_ordinary(judge, game, &seen, &ordinary, err);
  if (status == KM_OK && !ordinary)
    status = replay_on_board(judge, game, &seen, err);
  if (status < 0)
    return status;
  note_repetitions(record, seen, arena);
  if (status == KM_SKIP)
    stop_game(judge, record, judge->replay.ply, judge->replay.play_class, arena);
  return KM_OK;
}

/* Without the replay only points that are none stop a game. */
static void scan_game(km_judge *judge, km_ingest_record *record, km_arena *arena) {
  const km_game *game = &record->sgf.game;
  unsigned odd = 0;
  for (uint32_t i = 0; i < game->n_moves; i++)
    odd |= game->moves[i].point >= KM_POINT_OFFBOARD;
  for (uint32_t i = 0; odd && i < game->n_moves; i++)
    if (game->moves[i].point >= KM_POINT_OFFBOARD) {
      stop_game(judge, record, i, game->moves[i].point == KM_POINT_BAD ? KM_PLAY_BAD_POINT : KM_PLAY_OFFBOARD, arena);
      return;
    }
}

static void cut_after_end(km_judge *judge, km_ingest_record *record, km_arena *arena) {
  km_game *game = &record->sgf.game;
  uint32_t n = record->sgf.n_before_end;
  if (n >= game->n_moves || judge->options->after_end == KM_AFTER_END_KEEP)
    return;
  char detail[96];
  snprintf(detail, sizeof detail, "%u moves after two passes (moves %u and %u)", game->n_moves - n, n - 1, n);
  note(record, KM_REASON_AFTER_END, km_sgf_move_position(&record->sgf, n), arena, detail);
  cut_game(game, n);
}

km_status km_judge_record(km_judge *judge, km_ingest_record *record, km_arena *arena, km_err *err) {
  km_game *game = &record->sgf.game;
  if (record->is_judged)
    return KM_OK;
  record->is_judged = 1;
  if (record->sgf.refused != KM_REASON_NONE) {
    record->refused = record->sgf.refused; /* the parser noted it */
    return KM_OK;
  }
  cut_after_end(judge, record, arena);
  if (judge->options->check == KM_CHECK_REPLAY) {
    km_status status = replay_game(judge, record, arena, err);
    if (status != KM_OK)
      return status;
  } else {
    scan_game(judge, record, arena);
  }
  if (record->refused != KM_REASON_NONE)
    return KM_OK;
  if (game->n_moves == 0) {
    refuse(record, KM_REASON_NO_MOVES, arena, "no move before the first illegal one");
    return KM_OK;
  }
  const char *failed = km_filter_test(judge->filter, game);
  if (failed) {
    refuse(record, KM_REASON_FILTERED, arena, failed);
    return KM_OK;
  }
  km_game_hash_compute(game, KM_OPENING_MOVES, &record->hash);
  return KM_OK;
}

/* What the reader noted about the entry as a whole, out of the reader's scratch. */
static km_status keep_findings(km_ingest_entry *entry, const km_sgf_reader *reader, km_arena *arena, km_err *err) {
  const km_finding *findings = km_sgf_input_findings(reader, &entry->n_text_findings);
  if (!entry->n_text_findings)
    return KM_OK;
  km_finding *copy = km_arena_alloc(arena, entry->n_text_findings * sizeof *copy);
  if (!copy)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the findings of an entry");
  memcpy(copy, findings, entry->n_text_findings * sizeof *copy);
  entry->text_findings = copy;
  return KM_OK;
}

/* Adds to the digest of an entry the hash of a part of its bytes. */
static void digest_part(km_ingest_entry *entry, km_hash128 hash) {
  entry->hash.low = km_mix64(entry->hash.low ^ hash.low);
  entry->hash.high = km_mix64(entry->hash.high ^ hash.high);
}

/* The bytes between two records, up to `to`. */
static void digest_gap(km_ingest_entry *entry, uint64_t from, uint64_t to) {
  if (from < to)
    digest_part(entry, km_hash_bytes(entry->bytes + from, (size_t)(to - from)));
}

km_status km_judge_entry(km_judge *judge, km_ingest_entry *entry, km_arena *arena, km_err *err) {
  km_sgf_reader *reader;
  km_arena_reset(&judge->reading);
  km_status status = km_sgf_open(&reader, entry->bytes, entry->n_bytes, &judge->sgf, arena, err);
  uint64_t digested = 0;
  entry->hash = (km_hash128){entry->n_bytes, 0};
  while (status == KM_OK) {
    km_sgf_record parsed;
    if ((status = km_sgf_next(reader, &parsed, err)) != KM_OK)
      break;
    km_ingest_record *record = km_ingest_add_record(entry, arena);
    if (!record)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the records of an entry");
    record->sgf = parsed;
    km_hash128 content = km_hash_bytes(entry->bytes + parsed.begin, (size_t)(parsed.end - parsed.begin));
    record->content = content.low;
    digest_gap(entry, digested, parsed.begin);
    digest_part(entry, content);
    digested = parsed.end;
    status = km_judge_record(judge, record, arena, err);
  }
  digest_gap(entry, digested, entry->n_bytes);
  return status == KM_END ? keep_findings(entry, reader, arena, err) : status;
}
