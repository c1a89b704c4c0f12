/* phrase.h (private): the words and numbers of game-info texts in Latin, Chinese, Japanese and Korean
 * writing.
 *
 * A text is folded once into a small buffer: ASCII in lower case, full-width forms as ASCII, every kind of
 * blank as a space. What reads it afterwards compares bytes and never leaves [at, end). */
#ifndef KIFUMILL_PHRASE_H
#define KIFUMILL_PHRASE_H

#include <stddef.h>

/* The decimal number ("12", "6.50") of at most seven bytes at the beginning of text; its length, 0 if none.
 * Most values of nearly all records are one or end in one, and are read without folding. */
size_t km_plain_number(const char *text, size_t n_bytes, double *value);

enum { KM_PHRASE_MAX = 400 }; /* longer texts are prose, not values */

typedef struct km_phrase {
  const char *at, *end;
  char bytes[KM_PHRASE_MAX];
} km_phrase;

/* Folds text (UTF-8) and trims blanks. Returns 0, or 1 when the text is too long. */
int km_phrase_fold(km_phrase *phrase, const char *text, size_t n_bytes);

/* Moves past word if the phrase goes on with it (word in folded form); returns 1 if so. */
int km_phrase_take(km_phrase *phrase, const char *word);
void km_phrase_skip_blanks(km_phrase *phrase);
/* The letters a–z from here on; returns how many. */
size_t km_phrase_letters(const km_phrase *phrase);
/* Bytes of the character here (1 for what is no UTF-8), 0 at the end. */
size_t km_phrase_character(const km_phrase *phrase);
/* Whether this whole run of n letters is the word. */
int km_phrase_is(const km_phrase *phrase, size_t n, const char *word);

/* A number not below 0: "6.5", "6,5", ".5", "5/6", "1 5/6", "3½", "十二", "一又四分之三", "半". Moves past
 * it; 0 if none. */
int km_phrase_number(km_phrase *phrase, double *value);
/* A number with an optional unit and half: "6目半", "3집반", "半目", "1又3/4子" (Chinese stones: times 2), "2
 * points". */
int km_phrase_points(km_phrase *phrase, double *value);

#endif
