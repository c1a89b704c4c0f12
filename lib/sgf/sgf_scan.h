/* sgf_scan.h: bytes → tokens' ends: classes of bytes, values in brackets, and values that lost their bracket.
 *
 * Private to the reader. All functions take pointers into one text and its end and never look beyond it. The
 * search for brackets is 16 bytes at a time where SSE2 is; the plain loop beside it gives the same result
 * (tested). */
#ifndef KIFUMILL_SGF_SCAN_H
#define KIFUMILL_SGF_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  SGF_OTHER = 0,
  SGF_SPACE, /* blanks, line ends, NUL, Ctrl-Z: nothing, wherever they stand */
  SGF_SEMICOLON,
  SGF_OPEN,
  SGF_CLOSE,
  SGF_LEFT,
  SGF_RIGHT,
  SGF_UPPER,
  SGF_LOWER,
};
extern const uint8_t sgf_class[256];
static inline unsigned sgf_class_of(char c) {
  return sgf_class[(uint8_t)c];
}

/* 'a'…'z' → 0…25, 'A'…'Z' → 26…51, anything else 0xff. */
extern const uint8_t sgf_coordinate[256];

/* Eight bytes as one number, in the machine's order. */
static inline uint64_t sgf_word(const char *p) {
  uint64_t word;
  memcpy(&word, p, sizeof word);
  return word;
}

static inline const char *sgf_skip_space(const char *p, const char *end) {
  while (p < end && sgf_class_of(*p) == SGF_SPACE)
    p++;
  return p;
}

/* Property names as numbers: one or two capital letters, 0 for all that is no such name. */
#define SGF_KEY1(a) ((uint16_t)(a))
#define SGF_KEY(a, b) ((uint16_t)((a) << 8 | (b)))

typedef struct sgf_name {
  const char *begin, *end; /* the letters as they stand */
  uint16_t key;            /* 0 when it has no or more than two capitals */
  uint8_t n_upper;
} sgf_name;
/* The letters at p; lower-case ones do not count (FF[3]). */
sgf_name sgf_read_name(const char *p, const char *end);

/* What is known of a property by its name. No trait at all: an unknown one, whose values are free text. */
enum {
  SGF_IS_KNOWN = 1, /* in the standards; alone: free text of many lines (C) */
  SGF_IS_POINT = 2, /* points, numbers: its values never hold a bracket */
  SGF_IS_TEXT = 4,  /* a line of text */
  SGF_IS_ROOT = 8,  /* only the first node of a game has it (GM, FF, SZ, …) */
  SGF_IS_INFO = 16, /* describes the game (PB, RE, …) */
};
unsigned sgf_traits(uint16_t key);

typedef struct sgf_value {
  const char *begin, *end; /* what stands between the brackets, escapes and all */
  const char *after;       /* where reading goes on */
  uint8_t escapes;         /* holds a backslash */
  uint8_t cut;             /* sgf_cut */
} sgf_value;
typedef enum sgf_cut {
  SGF_CUT_NONE = 0,
  SGF_CUT_END,    /* the text ends inside the value */
  SGF_CUT_DAMAGE, /* the closing bracket is lost: the value ends before the property that it seemed to hold */
} sgf_cut;

/* The first '[', ']' or '\' at or after p, or end. */
const char *sgf_find_bracket(const char *p, const char *end);
const char *sgf_find_bracket_plain(const char *p, const char *end);

/* Reads the value whose '[' is at open; traits are its property's. */
sgf_value sgf_read_value(const char *open, const char *end, unsigned traits);

/* 1 when what stands at p (behind a value) is what may follow a value. */
int sgf_follows_value(const char *p, const char *end);

/* Whether the '(' at p opens a game tree: ';', '(' or a property must follow. Else text. */
int sgf_opens_tree(const char *p, const char *end);

#endif
