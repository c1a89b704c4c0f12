/* sgf_describe.h: what the reader makes of some bytes, as one line a record, so that a test is a table of
 * lines.
 *
 *   #1 9x9: Bee Wgc B / 0:Bcc 0:Wgg end 2 to play W = W resign PB "P1" komi 6.5 !stray_byte@26
 *
 * A pass is a colour alone, "B??" a point that is none or off the board, "Bdd!" a forced move. Left out when
 * plain: set-up; end: moves to the second pass; to play; result; komi and handicap; names; encoding US-ASCII.
 * Then findings, and a last line "input !code@pos" with those of the input. */
#ifndef KIFUMILL_SGF_DESCRIBE_H
#define KIFUMILL_SGF_DESCRIBE_H

#include "kifumill/sgf.h"

/* A malloc'ed text. Fails the running test when reading fails. */
char *sgf_describe(const char *bytes, size_t n_bytes, const km_sgf_options *options);
/* All of a file, malloc'ed; fails the running test when it cannot be read. */
char *sgf_read_file(const char *path, size_t *n_bytes);

#endif
