/* sgf.h: reading SGF: the main line of every game in a run of bytes, with recovery. SGF FF[1]–FF[4].
 *
 * The reader takes bytes and a length, allocates from an arena, does not recurse, and reports a byte position (in the
 * bytes as given, before any decoding) with every finding. */
#ifndef KIFUMILL_SGF_H
#define KIFUMILL_SGF_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/game.h"
#include "kifumill/reason.h"

typedef struct km_sgf_options {
  const char *fallback_encoding; /* iconv name, or NULL: used when nothing else explains the bytes */
  uint32_t max_moves;            /* a record with more is refused (too_many_moves); 0: 1,000,000 */
} km_sgf_options;

/* One record (game tree) as read. */
typedef struct km_sgf_record {
  km_game game;            /* normalised; valid when refused is KM_REASON_NONE */
  km_reason refused;       /* NOT_GO, BAD_SIZE, NO_MOVES, TOO_MANY_MOVES or NONE; NO_MOVES still fills game */
  uint64_t begin, end;     /* byte range in the input */
  uint32_t number;         /* 1-based among the records of the input */
  uint32_t n_findings;     /* everything noted; includes the refusal */
  km_finding *findings;
  uint64_t *move_pos;      /* n_moves byte positions of the moves, for findings of the replay */
} km_sgf_record;

typedef struct km_sgf_reader km_sgf_reader; /* lives in the arena */

/* Starts reading. bytes are borrowed until the last km_sgf_next. Findings that belong to no record (garbage, not_sgf,
 * no_game_found, empty_member) come from km_sgf_input_findings after KM_END. */
km_status km_sgf_open(km_sgf_reader **reader, const void *bytes, size_t n_bytes, const km_sgf_options *options,
                      km_arena *arena, km_err *err);
/* The next record: KM_OK, KM_END, or KM_ERR_NOMEM. The record lives in the arena. */
km_status km_sgf_next(km_sgf_reader *reader, km_sgf_record *record, km_err *err);
const km_finding *km_sgf_input_findings(const km_sgf_reader *reader, size_t *n_findings);

#endif
