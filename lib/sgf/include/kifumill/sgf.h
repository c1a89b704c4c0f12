/* sgf.h: reading SGF: the main line of every game in a run of bytes, with recovery. SGF FF[1]–FF[4].
 *
 * The reader takes bytes and a length, allocates from an arena, does not recurse, and reports a byte position
 * (in the bytes as given, before any decoding) with every finding. Its time is linear in the input; a record
 * takes about the bytes it has in the input.
 *
 *   km_sgf_open(&reader, bytes, n, &options, &arena, err);
 *   while ((status = km_sgf_next(reader, &record, err)) == KM_OK) …
 *   km_sgf_input_findings(reader, &n_findings); */
#ifndef KIFUMILL_SGF_H
#define KIFUMILL_SGF_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/game.h"
#include "kifumill/reason.h"
#include "kifumill/text.h"

enum {
  KM_SGF_FINDINGS_MAX =
      64, /* a record or input keeps so many, then one that counts the rest, then a refusal */
  KM_SGF_SETUP_MAX = 65536, /* set-up points of a record; one with more is refused (too_many_moves) */
  KM_SGF_TEXT_MAX = 65535,  /* bytes of one text; longer ones are cut at a character (long_text) */
};

typedef struct km_sgf_options {
  const char *fallback_encoding; /* iconv name, or NULL: used when nothing else explains the bytes */
  uint32_t max_moves;            /* a record with more is refused (too_many_moves); 0: 1,000,000 */
  km_text_decoder *decoder; /* kept between inputs, one a thread; NULL: made for each record that needs one */
  km_arena *records; /* where records live, so that it may be reset between them; NULL: with the reader */
  km_arena *scratch; /* for the reader alone: records do not point into it. NULL: with the records' texts. It
                        may be reset when the reader and its input findings are done with */
} km_sgf_options;

/* Where a record's text came from; lets a position in it be told in the bytes of the input. */
typedef struct km_sgf_origin km_sgf_origin;

/* One record (game tree) as read. */
typedef struct km_sgf_record {
  km_game game;        /* normalised; valid when refused is KM_REASON_NONE */
  km_reason refused;   /* NOT_GO, BAD_SIZE, NO_MOVES, TOO_MANY_MOVES or NONE; NO_MOVES still fills game */
  uint64_t begin, end; /* byte range in the input */
  uint32_t number;     /* 1-based among the records of the input */
  uint32_t
      n_before_end; /* moves up to and with the second of two passes in a row; n_moves when there are none */
  uint32_t n_findings; /* everything noted, by position; includes the refusal */
  km_finding *findings;
  const uint64_t *move_pos; /* n_moves positions in the text of the record, for km_sgf_move_position: the
                               reader's, until it reads the next record */
  const km_sgf_origin *origin;
} km_sgf_record;

typedef struct km_sgf_reader km_sgf_reader; /* lives in the arena */

/* Starts reading. bytes are borrowed as long as the records are in use. options may be NULL. Findings that
 * belong to no record (garbage, not_sgf, no_game_found, empty_member) come from km_sgf_input_findings after
 * KM_END. */
km_status km_sgf_open(km_sgf_reader **reader, const void *bytes, size_t n_bytes,
                      const km_sgf_options *options, km_arena *arena, km_err *err);
/* The next record: KM_OK, KM_END, or KM_ERR_NOMEM. The record lives in the arena. */
km_status km_sgf_next(km_sgf_reader *reader, km_sgf_record *record, km_err *err);
const km_finding *km_sgf_input_findings(const km_sgf_reader *reader, size_t *n_findings);

/* The byte position in the input of the move (0…n_moves-1), for findings of the replay. Costs a decoding of
 * the record when it had to be decoded. */
uint64_t km_sgf_move_position(const km_sgf_record *record, uint32_t move);
/* Whether that reads the bytes of the input, because the record had to be decoded. */
int km_sgf_position_needs_input(const km_sgf_record *record);

#endif
