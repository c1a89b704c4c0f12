/* reason.h: the closed list of what can be wrong with an input. One row a reason: code as it stands in the ledger,
 * kind, and a sentence. Adding one is a row here; its number is never stored, its code is. */
#ifndef KIFUMILL_REASON_H
#define KIFUMILL_REASON_H

#include <stdint.h>

/* refused: a record that is not in games.h5. cut: kept, but shortened. repaired: kept, something was mended or is
 * odd. input: an archive, entry or file, not a record. Every reason of kind repaired or cut has a flag bit. */
typedef enum km_reason_kind { KM_KIND_REFUSED, KM_KIND_CUT, KM_KIND_REPAIRED, KM_KIND_INPUT } km_reason_kind;

#define KM_REASONS(X)                                                                                                \
  /* records refused */                                                                                              \
  X(NO_MOVES, REFUSED, "no_moves", "the record has no move")                                                         \
  X(NOT_GO, REFUSED, "not_go", "GM names another game")                                                              \
  X(BAD_SIZE, REFUSED, "bad_size", "SZ is no size, or outside 1…52")                                                 \
  X(TOO_MANY_MOVES, REFUSED, "too_many_moves", "more moves than the limit")                                          \
  X(DUPLICATE, REFUSED, "duplicate", "another copy of the game is kept")                                             \
  X(FILTERED, REFUSED, "filtered", "a filter option leaves it out")                                                  \
  X(ILLEGAL_DROPPED, REFUSED, "illegal_dropped", "an illegal move, and --illegal drop")                              \
  X(SETUP_OFFBOARD, REPAIRED, "setup_offboard", "a set-up point outside the board was left out")                     \
  /* records cut short */                                                                                            \
  X(ILLEGAL_OCCUPIED, CUT, "illegal_occupied", "a move onto an occupied point; the legal prefix is kept")            \
  X(ILLEGAL_SUICIDE, CUT, "illegal_suicide", "a suicide that the rules forbid; the legal prefix is kept")            \
  X(ILLEGAL_KO, CUT, "illegal_ko", "an immediate ko recapture; the legal prefix is kept")                            \
  X(ILLEGAL_SUPERKO, CUT, "illegal_superko", "a whole-board repetition; the legal prefix is kept")                   \
  X(ILLEGAL_OFFBOARD, CUT, "illegal_offboard", "a move outside the board; the legal prefix is kept")                 \
  X(ILLEGAL_BAD_COORDINATE, CUT, "illegal_bad_coordinate", "a move that is no point; the legal prefix is kept")      \
  X(AFTER_END, CUT, "after_end", "moves after two passes in a row; the game ends there")                             \
  /* records repaired or odd */                                                                                      \
  X(STRAY_BYTE, REPAIRED, "stray_byte", "a byte that no syntax explains was skipped")                                \
  X(UNTERMINATED_TREE, REPAIRED, "unterminated_tree", "the closing parenthesis is missing")                          \
  X(UNTERMINATED_VALUE, REPAIRED, "unterminated_value", "a value without its closing bracket")                       \
  X(MISSING_BRACKET, REPAIRED, "missing_bracket", "a move without its opening bracket")                              \
  X(LONG_TEXT, REPAIRED, "long_text", "a text longer than 65,535 bytes was cut")                                     \
  X(MISSING_SEMICOLON, REPAIRED, "missing_semicolon", "a node without its semicolon")                                \
  X(MISSING_PARENTHESIS, REPAIRED, "missing_parenthesis", "a game without its opening parenthesis")                  \
  X(GLUED_GAME, REPAIRED, "glued_game", "a game that starts inside another one")                                     \
  X(GARBAGE_OUTSIDE, REPAIRED, "garbage_outside_tree", "text before, between or after the games")                    \
  X(PROPERTY_WITHOUT_VALUE, REPAIRED, "property_without_value", "a property without a value was dropped")            \
  X(EMPTY_IDENTIFIER, REPAIRED, "empty_identifier", "a value without a property name was dropped")                   \
  X(LOWERCASE_NAME, REPAIRED, "lowercase_name", "property names in lower case are read as if in capitals")           \
  X(DUPLICATE_PROPERTY, REPAIRED, "duplicate_property", "a property given twice; lists are merged, else the first")  \
  X(BLANK_IN_POINT, REPAIRED, "blank_in_point", "blanks inside a move were removed")                                 \
  X(BLANK_MOVE, REPAIRED, "blank_move", "a move of blanks only is read as a pass")                                   \
  X(PASS_WORD, REPAIRED, "pass_word", "a move that is the word pass")                                                \
  X(MULTIPLE_MOVES, REPAIRED, "multiple_moves_in_node", "two moves in one node, played in file order")               \
  X(MIXED_SETUP, REPAIRED, "mixed_setup_and_move", "set-up and a move in one node; the set-up goes first")           \
  X(MIDGAME_SETUP, REPAIRED, "midgame_setup", "set-up stones after the first move")                                  \
  X(PL_MISMATCH, REPAIRED, "pl_mismatch", "PL names one player, the other one moves")                                \
  X(WHITE_FIRST, REPAIRED, "white_first", "White moves first without a handicap")                                    \
  X(SAME_COLOUR, REPAIRED, "same_colour", "the same colour moves twice running")                                     \
  X(HANDICAP_MISMATCH, REPAIRED, "handicap_without_stones", "HA and the set-up stones disagree")                     \
  X(INFO_NOT_IN_ROOT, REPAIRED, "info_not_in_root", "game information after the first node")                         \
  X(BAD_KOMI, REPAIRED, "bad_komi", "a komi that is no number, or unbelievable: unknown")                            \
  X(BAD_RESULT, REPAIRED, "bad_result", "a result that names no winner")                                             \
  X(RESULT_CONFLICT, REPAIRED, "result_conflict", "two results that disagree: unknown")                              \
  X(INVALID_TEXT, REPAIRED, "invalid_utf8", "bytes that no encoding explains were escaped")                          \
  X(ENCODING_MISMATCH, REPAIRED, "encoding_mismatch", "the text is not in the encoding that CA names")               \
  X(SUPERKO_SEEN, REPAIRED, "superko_seen", "a whole-board repetition, played on")                                   \
  X(PREFIX_COPY, REPAIRED, "prefix_copy", "its moves begin those of a longer game")                                  \
  /* inputs: archives, entries, files */                                                                             \
  X(NO_GAME_FOUND, INPUT, "no_game_found", "no game record in it")                                                   \
  X(NOT_SGF, INPUT, "not_sgf", "another kind of file (named in the detail)")                                         \
  X(EMPTY_MEMBER, INPUT, "empty_member", "no bytes in it")                                                           \
  X(EMPTY_ARCHIVE, INPUT, "empty_archive", "no entries in it")                                                       \
  X(TRUNCATED_ARCHIVE, INPUT, "truncated_archive", "the archive ends too soon; what was whole is kept")              \
  X(CORRUPT_ARCHIVE, INPUT, "corrupt_archive", "damaged; what was read before the fault is kept")                    \
  X(CRC_ERROR, INPUT, "crc_error", "a check sum is wrong; the entry is not used")                                    \
  X(TRAILING_BYTES, INPUT, "trailing_bytes", "bytes behind the end of the archive")                                  \
  X(ENCRYPTED_ENTRY, INPUT, "encrypted_entry", "encrypted; not read")                                                \
  X(ENTRY_TOO_LARGE, INPUT, "entry_too_large", "more bytes than the limit; not read")                                \
  X(RATIO_TOO_HIGH, INPUT, "ratio_too_high", "expands more than the limit allows; not read")                         \
  X(TOO_MANY_ENTRIES, INPUT, "too_many_entries", "more entries than the limit")                                      \
  X(TOO_MANY_BYTES, INPUT, "too_many_bytes", "more bytes out of one archive than the limit")                         \
  X(NESTED_TOO_DEEP, INPUT, "nested_too_deep", "an archive in an archive beyond the depth limit")                    \
  X(MISSING_VOLUME, INPUT, "missing_volume", "a part of a split archive is missing")                                 \
  X(UNSUPPORTED_ARCHIVE, INPUT, "unsupported_archive", "a container that cannot be read")                            \
  X(UNREADABLE, INPUT, "unreadable", "the system does not let it be read")

typedef enum km_reason {
  KM_REASON_NONE = 0,
#define X(id, kind, code, doc) KM_REASON_##id,
  KM_REASONS(X)
#undef X
      KM_REASON_COUNT
} km_reason;

/* The row of a reason; all functions accept 0…KM_REASON_COUNT-1, NONE gives "none". */
const char *km_reason_code(km_reason reason);
const char *km_reason_doc(km_reason reason);
km_reason_kind km_reason_kind_of(km_reason reason);
const char *km_reason_kind_name(km_reason_kind kind); /* "refused", "cut", "repaired", "input" */

/* One finding in one record or input. pos is the byte position in the entry as it stands in the archive. */
typedef struct km_finding {
  km_reason reason;
  uint64_t pos;
  const char *detail; /* borrowed, NUL-terminated; may be NULL */
} km_finding;

/* The bit of km_game.flags that stands for a reason of kind cut or repaired; 0 for the others. Less common reasons
 * share KM_FLAG_REPAIRED: the ledger has the exact ones. Bits are part of games.h5: append only. */
unsigned km_reason_flag(km_reason reason);
enum {
  KM_FLAG_REPAIRED = 1u << 0,      /* syntax mended */
  KM_FLAG_CUT = 1u << 1,           /* shortened before an illegal move */
  KM_FLAG_AFTER_END = 1u << 2,     /* moves after two passes left out */
  KM_FLAG_MIDGAME_SETUP = 1u << 3, /* set-up stones after the first move */
  KM_FLAG_WHITE_FIRST = 1u << 4,
  KM_FLAG_SAME_COLOUR = 1u << 5,
  KM_FLAG_HANDICAP_MISMATCH = 1u << 6,
  KM_FLAG_PL_MISMATCH = 1u << 7,
  KM_FLAG_BAD_KOMI = 1u << 8,
  KM_FLAG_BAD_RESULT = 1u << 9,
  KM_FLAG_INVALID_TEXT = 1u << 10,
  KM_FLAG_SUPERKO = 1u << 11,
  KM_FLAG_PREFIX_COPY = 1u << 12,
  KM_FLAG_TWO_MOVES_IN_NODE = 1u << 13,
  KM_FLAG_INFO_NOT_IN_ROOT = 1u << 14,
};

#endif
