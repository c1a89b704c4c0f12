/* rank.c: BR and WR → a number and its kind.
 *
 * A rank is a number and a word for dan, kyu or professional, in that order ("9p", "九段", "3级", "9단", "6
 * dan"), or "P9段". What follows (a title after a comma, "*", "?", "ama", a country in brackets) is ignored,
 * but a second player's rank
 * ("5p & 9p") or an alternative ("6p or 7p") makes it unknown. A title alone, a rating (1757*) or "insei" is
 * no rank. */
#include "kifumill/metadata.h"

#include <string.h>

#include "phrase.h"

enum { HIGHEST_DAN = 10, HIGHEST_PRO = 9, LOWEST_KYU = 50 };

typedef struct rank_word {
  const char *text;
  char kind;
} rank_word;

/* Longer ones before their beginnings. */
static const rank_word kinds[] = {
    {"段", 'd'},   {"단", 'd'}, {"级", 'k'},  {"級", 'k'},  {"급", 'k'},  {"dan", 'd'},
    {"duan", 'd'}, {"d", 'd'},  {"kyu", 'k'}, {"kup", 'k'}, {"gup", 'k'}, {"k", 'k'},
    {"pro", 'p'},  {"p", 'p'},  {"дан", 'd'}, {"д", 'd'},   {"кю", 'k'},  {"к", 'k'},
};
static const rank_word prefixes[] = {
    {"amateur", 'd'}, {"ama", 'd'},  {"业余", 'd'}, {"業余", 'd'},      {"業餘", 'd'}, {"アマ", 'd'},
    {"아마", 'd'},    {"职业", 'p'}, {"職業", 'p'}, {"プロ", 'p'},      {"프로", 'p'}, {"professional", 'p'},
    {"honorary", 0},  {"hon.", 0},   {"hon", 0},    {"provisional", 0}, {"pro", 'p'},  {"p", 'p'},
    {"业", 'd'},      {"業", 'd'},   {"专业", 'p'}, {"專業", 'p'},      {"名誉", 0},   {"名譽", 0},
    {"kgs", 0},       {"ogs", 0},    {"igs", 0},    {"egf", 0},         {"aga", 0},    {"fox", 0},
};
/* Titles that may stand behind a rank; a title alone is none. */
static const char *const titles[] = {"名人",  "本因坊", "棋聖",   "棋圣",   "十段",    "天元",
                                     "王座",  "碁聖",   "小碁聖", "meijin", "honinbo", "kisei",
                                     "judan", "tengen", "oza",    "gosei"};
static const char *const nothing[] = {"",     "?",       "??",       "-",       "nr",           "n/a",
                                      "none", "no rank", "unranked", "unknown", "rank not set", "[?]"};

/* The kind named here, 0 if none; moves past it. */
static char take_kind(km_phrase *phrase, const rank_word *words, size_t n_words) {
  for (size_t i = 0; i < n_words; i++)
    if (km_phrase_take(phrase, words[i].text))
      return words[i].kind ? words[i].kind : '?';
  return 0;
}
#define TAKE_KIND(phrase, words) take_kind(phrase, words, sizeof(words) / sizeof *(words))

static int take_title(km_phrase *phrase) {
  for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
    if (km_phrase_take(phrase, titles[i]))
      return km_phrase_letters(phrase) == 0;
  return 0;
}

/* Behind a '(': anything, of which only the word for professionals says more. */
static int read_brackets(km_phrase *phrase, char *kind) {
  char word = TAKE_KIND(phrase, prefixes);
  *kind = *kind == 'd' && word == 'p' && phrase->at[-1] != 'p' ? 'p' : *kind;
  return 1;
}

/* What may follow a rank; 0 when it makes the rank doubtful. *kind becomes 'p' when a professional is named.
 */
static int rest_is_harmless(km_phrase *phrase, char *kind) {
  while (phrase->at < phrase->end) {
    km_phrase_skip_blanks(phrase);
    if (km_phrase_take(phrase, ","))
      return 1;
    if (km_phrase_take(phrase, "("))
      return read_brackets(phrase, kind);
    if (km_phrase_take(phrase, ")") || km_phrase_take(phrase, "]") || take_title(phrase))
      continue;
    if (km_phrase_take(phrase, "*") || km_phrase_take(phrase, "?") || km_phrase_take(phrase, "+"))
      continue;
    size_t n = km_phrase_letters(phrase);
    if (n == 0) {
      char other = TAKE_KIND(phrase, prefixes);
      if (other != 'p' && other != 'd')
        return 0;
      *kind = *kind == 'd' ? other : *kind;
      continue;
    }
    if (km_phrase_is(phrase, n, "p") || km_phrase_is(phrase, n, "pro") ||
        km_phrase_is(phrase, n, "professional"))
      *kind = *kind == 'd' ? 'p' : *kind;
    else if (!(km_phrase_is(phrase, n, "ama") || km_phrase_is(phrase, n, "amateur") ||
               km_phrase_is(phrase, n, "prov") || km_phrase_is(phrase, n, "igs") ||
               km_phrase_is(phrase, n, "kgs") || km_phrase_is(phrase, n, "ogs") ||
               km_phrase_is(phrase, n, "egf") || km_phrase_is(phrase, n, "aga")))
      return 0;
    phrase->at += n;
    km_phrase_take(phrase, ".");
  }
  return 1;
}

static int says_nothing(const km_phrase *phrase) {
  size_t n = (size_t)(phrase->end - phrase->at);
  for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
    if (km_phrase_is(phrase, n, nothing[i]))
      return 1;
  return 0;
}

/* "9d", "12k", "9段", "P9段": nearly all records. 1 when it was one. */
static int read_common(const char *text, size_t n_bytes, km_rank *rank) {
  const char *p = text, *end = text + n_bytes;
  int is_pro = n_bytes > 1 && *p == 'P', number = 0;
  for (p += is_pro; p < end && p - text < 3 && *p >= '0' && *p <= '9'; p++)
    number = number * 10 + (*p - '0');
  size_t n_left = (size_t)(end - p);
  char kind = 0;
  if (n_left == 1 && !is_pro && (*p == 'd' || *p == 'k' || *p == 'p'))
    kind = *p;
  else if (n_left == 3 && memcmp(p, "段", 3) == 0)
    kind = is_pro ? 'p' : 'd';
  if (!kind || number < 1 || number > (kind == 'k' ? LOWEST_KYU : HIGHEST_PRO))
    return 0;
  *rank = (km_rank){(int8_t)number, kind};
  return 1;
}

int km_rank_parse(const char *text, size_t n_bytes, km_rank *rank) {
  km_phrase phrase;
  double v = 1;
  *rank = (km_rank){0, 0};
  if (n_bytes && read_common(text, n_bytes, rank))
    return 0;
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  if (says_nothing(&phrase))
    return 0;
  char prefix = 0, found;
  if (!km_phrase_take(&phrase, "("))
    km_phrase_take(&phrase, "[");
  while ((found = TAKE_KIND(&phrase, prefixes)) != 0) {
    prefix = found != '?' ? found : prefix;
    km_phrase_skip_blanks(&phrase);
  }
  const char *start = phrase.at;
  int is_ten = km_phrase_take(&phrase, "十段"); /* Judan, a title */
  if (is_ten ||
      (!km_phrase_take(&phrase, "初") && !km_phrase_take(&phrase, "초") && !km_phrase_number(&phrase, &v)) ||
      memchr(start, '/', (size_t)(phrase.at - start)))
    return 1;
  km_phrase_skip_blanks(&phrase);
  if (!km_phrase_take(&phrase, "-") && km_phrase_take(&phrase, ".")) /* "4. Dan" */
    km_phrase_skip_blanks(&phrase);
  size_t n_letters = km_phrase_letters(&phrase);
  const char *word = phrase.at;
  char kind = TAKE_KIND(&phrase, kinds);
  if (n_letters && phrase.at != word + n_letters)
    return 1; /* another word that begins like one */
  if (!kind)
    kind = prefix == 'p' ? 'p' : 0;
  else if (kind == 'd' && prefix == 'p')
    kind = 'p';
  if (!kind || !rest_is_harmless(&phrase, &kind))
    return 1;
  double number = floor(v + 0.5);
  int highest = kind == 'k' ? LOWEST_KYU : kind == 'd' ? HIGHEST_DAN : HIGHEST_PRO;
  if (number < 1 || number > highest)
    return 1;
  *rank = (km_rank){(int8_t)number, kind};
  return 0;
}
