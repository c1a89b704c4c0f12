/* sgf_record.h: a draft (letters, slices) → a record (points, numbers, checks). Private to the reader. */
#ifndef KIFUMILL_SGF_RECORD_H
#define KIFUMILL_SGF_RECORD_H

#include "sgf_parse.h"

/* Fills game, refused, n_before_end and move_pos of *record in the arena. Findings go to the draft. encoding:
 * name, in the arena or static. */
km_status sgf_record_fill(km_sgf_record *record, km_sgf_draft *draft, const char *encoding, km_arena *arena,
                          km_err *err);

/* The record is one: moves, set-up or what only a game has. A tree of text that happens to look like one is
 * not. */
int sgf_draft_is_game(const km_sgf_draft *draft);

#endif
