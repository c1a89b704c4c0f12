/* sgf_parse.h: the syntax of one game tree → its main line, raw. Private to the reader.
 *
 * sgf_parse_tree walks the bytes of one record once, without recursion, and fills a km_sgf_draft: moves and
 * set-up as letters (the board's size may come after them), game information as slices of the text,
 * win-rates, findings. It interprets nothing that depends on other properties; sgf_record.c does. A draft's
 * arrays are kept and used again for the next record. */
#ifndef KIFUMILL_SGF_PARSE_H
#define KIFUMILL_SGF_PARSE_H

#include "kifumill/sgf.h"
#include "sgf_moves.h"
#include "sgf_scan.h"

/* A point as its two letters: column | row << 8, each 0…51; or one of: */
enum {
  SGF_XY_PASS = 0xfe00, /* empty or blanks */
  SGF_XY_BAD = 0xff00,  /* no point */
};

typedef struct sgf_setup {
  uint64_t pos;
  uint32_t ply;
  uint16_t from, to; /* corners of a rectangle; equal for one point */
  uint8_t colour;
} sgf_setup;

/* Game information: the texts of km_text_field up to KM_TEXT_APPLICATION, then these. */
enum {
  SGF_INFO_GAME = KM_TEXT_APPLICATION + 1,
  SGF_INFO_SIZE,
  SGF_INFO_CHARSET,
  SGF_INFO_COUNT,
};

typedef struct sgf_slice {
  const char *begin, *end; /* NULL: not there */
  const char *name;        /* where the property stands */
  uint64_t depth;          /* of trees, there */
  uint8_t escapes;
} sgf_slice;

typedef struct sgf_player {
  uint8_t colour; /* 0: not given */
  uint32_t ply;
  uint64_t pos;
} sgf_player;

typedef struct km_sgf_draft {
  /* given */
  const char *text, *text_end; /* all of the text; the record is a part of it */
  uint32_t max_moves;
  km_arena *keep;  /* the arrays below */
  km_arena *arena; /* details of findings */

  /* the record */
  const char *begin, *end;
  const char *next; /* where reading goes on: end, or behind the blanks there */
  sgf_move *moves;
  uint64_t *move_pos; /* of their properties, in the text */
  uint32_t n_moves, moves_room;
  uint64_t n_moves_seen; /* more than n_moves when max_moves was met */
  sgf_setup *setup;
  uint32_t n_setup, setup_room;
  uint64_t n_setup_points; /* points that the setup names */
  km_eval *evals;
  uint32_t n_evals, evals_room;
  sgf_slice info[SGF_INFO_COUNT];
  sgf_player player;        /* the last PL of the main line */
  uint32_t n_pl_mismatches; /* of earlier ones */
  uint64_t pl_mismatch_pos;
  uint8_t result_conflict; /* two RE that name different results */
  uint8_t has_root_key;    /* GM, FF or SZ seen */
  uint8_t has_5a;          /* 5A, which only renju has */
  uint8_t has_lower;       /* names in lower case */
  uint8_t has_info;        /* game information seen */
  uint8_t is_glued;        /* it begins inside the game before it (set by the reader) */
  uint8_t stopped;         /* another game begins at next, inside this one */
  uint64_t n_properties;   /* with a value */

  uint32_t n_findings; /* all of them */
  uint64_t stray_end;  /* where the last stray run ended: runs that touch are one */
  unsigned flags;
  int out_of_memory;
  km_finding findings[KM_SGF_FINDINGS_MAX + 2]; /* last: not set before it is used */
} km_sgf_draft;

/* Starts a new record in the same text. */
void sgf_draft_reset(km_sgf_draft *draft);
/* Notes a finding at p; the detail is printf-like, or NULL. */
void sgf_draft_note(km_sgf_draft *draft, km_reason reason, const char *p, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Parses the tree whose '(' (or, that missing, whose first ';' or property) is at begin. Sets draft->end:
 * behind its last byte. */
void sgf_parse_tree(km_sgf_draft *draft, const char *begin);

#endif
