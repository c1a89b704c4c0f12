/* rules.c: RU → a name, and whether suicide of several stones is legal.
 *
 * Names are looked for word by word; two different ones give KM_RULES_OTHER, as does any text without a name.
 * KataGo writes rules out (koPOSITIONALscoreAREAtaxNONEsui1): the combinations that it calls by a name get
 * that name. */
#include "kifumill/metadata.h"

#include <string.h>

#include "phrase.h"

typedef struct rules_word {
  const char *text;
  km_rules rules;
} rules_word;

static const rules_word latin_words[] = {
    {"japanese", KM_RULES_JAPANESE},
    {"japan", KM_RULES_JAPANESE},
    {"jpn", KM_RULES_JAPANESE},
    {"jp", KM_RULES_JAPANESE},
    {"ja", KM_RULES_JAPANESE},
    {"chinese", KM_RULES_CHINESE},
    {"china", KM_RULES_CHINESE},
    {"chn", KM_RULES_CHINESE},
    {"cn", KM_RULES_CHINESE},
    {"zh", KM_RULES_CHINESE},
    {"korean", KM_RULES_KOREAN},
    {"korea", KM_RULES_KOREAN},
    {"kor", KM_RULES_KOREAN},
    {"kr", KM_RULES_KOREAN},
    {"aga", KM_RULES_AGA},
    {"bga", KM_RULES_AGA},
    {"american", KM_RULES_AGA},
    {"nz", KM_RULES_NEW_ZEALAND},
    {"newzealand", KM_RULES_NEW_ZEALAND},
    {"zealand", KM_RULES_NEW_ZEALAND},
    {"ing", KM_RULES_ING},
    {"goe", KM_RULES_ING},
    {"tt", KM_RULES_TROMP_TAYLOR},
    {"tromp", KM_RULES_TROMP_TAYLOR},
    {"taylor", KM_RULES_TROMP_TAYLOR},
    {"tromptaylor", KM_RULES_TROMP_TAYLOR},
    {"old", KM_RULES_OTHER},
    {"ancient", KM_RULES_OTHER},
};
static const rules_word han_words[] = {
    {"日本", KM_RULES_JAPANESE}, {"일본", KM_RULES_JAPANESE}, {"中国", KM_RULES_CHINESE},
    {"中國", KM_RULES_CHINESE},  {"중국", KM_RULES_CHINESE},  {"韩国", KM_RULES_KOREAN},
    {"韓国", KM_RULES_KOREAN},   {"韓國", KM_RULES_KOREAN},   {"한국", KM_RULES_KOREAN},
    {"应氏", KM_RULES_ING},      {"應氏", KM_RULES_ING},      {"応氏", KM_RULES_ING},
    {"応昌期", KM_RULES_ING},    {"应昌期", KM_RULES_ING},    {"應昌期", KM_RULES_ING},
    {"응창기", KM_RULES_ING},    {"数子", KM_RULES_CHINESE},  {"數子", KM_RULES_CHINESE},
    {"数目", KM_RULES_JAPANESE}, {"數目", KM_RULES_JAPANESE}, {"中古", KM_RULES_OTHER},
    {"古棋", KM_RULES_OTHER},
};

static const char *find(const char *p, const char *end, const char *word) {
  return memmem(p, (size_t)(end - p), word, strlen(word));
}

/* Whether the phrase is KataGo's long form; if so *rules and *suicide are what it says. */
static int read_katago(const km_phrase *phrase, km_rules *rules, int *suicide) {
  const char *p = phrase->at, *end = phrase->end;
  if (!find(p, end, "ko") || !find(p, end, "score") || !find(p, end, "sui"))
    return 0;
  const char *sui = find(p, end, "sui") + 3;
  *suicide = sui < end && *sui == '1';
  int area = find(p, end, "scorearea") != NULL, tax_none = find(p, end, "taxnone") != NULL;
  int button = find(p, end, "button1") != NULL;
  *rules = KM_RULES_OTHER;
  if (!area && find(p, end, "scoreterritory") && find(p, end, "taxseki") && find(p, end, "kosimple") &&
      !*suicide)
    *rules = KM_RULES_JAPANESE;
  else if (area && tax_none && !button && find(p, end, "kosimple") && !*suicide)
    *rules = KM_RULES_CHINESE;
  else if (area && tax_none && !button && find(p, end, "kopositional") && *suicide)
    *rules = KM_RULES_TROMP_TAYLOR;
  else if (area && tax_none && !button && find(p, end, "kosituational"))
    *rules = *suicide ? KM_RULES_NEW_ZEALAND : KM_RULES_AGA;
  return 1;
}

static km_rules next_rules(km_phrase *phrase) {
  size_t n = km_phrase_letters(phrase);
  if (n == 0) {
    for (size_t i = 0; i < sizeof han_words / sizeof han_words[0]; i++)
      if (km_phrase_take(phrase, han_words[i].text))
        return han_words[i].rules;
    phrase->at += km_phrase_character(phrase);
    return KM_RULES_UNKNOWN;
  }
  km_rules found = KM_RULES_UNKNOWN;
  for (size_t i = 0; i < sizeof latin_words / sizeof latin_words[0]; i++)
    if (km_phrase_is(phrase, n, latin_words[i].text))
      found = latin_words[i].rules;
  phrase->at += n;
  return found;
}

/* Rules and suicide of a text. */
static km_rules read_rules(const char *text, size_t n_bytes, int *suicide) {
  km_phrase phrase;
  km_rules rules = KM_RULES_UNKNOWN;
  *suicide = 0;
  if (n_bytes == 8 && memcmp(text, "Japanese", 8) == 0) /* nearly all records */
    return KM_RULES_JAPANESE;
  if (n_bytes == 7 && memcmp(text, "Chinese", 7) == 0)
    return KM_RULES_CHINESE;
  if (km_phrase_fold(&phrase, text, n_bytes))
    return KM_RULES_OTHER;
  if (phrase.at == phrase.end || (phrase.end - phrase.at == 1 && (*phrase.at == '?' || *phrase.at == '-')))
    return KM_RULES_UNKNOWN;
  if (read_katago(&phrase, &rules, suicide))
    return rules;
  while (phrase.at < phrase.end) {
    km_rules next = next_rules(&phrase);
    if (next != KM_RULES_UNKNOWN)
      rules = rules == KM_RULES_UNKNOWN || rules == next ? next : KM_RULES_OTHER;
  }
  if (rules == KM_RULES_UNKNOWN)
    rules = KM_RULES_OTHER;
  *suicide = km_rules_suicide_allowed(rules);
  return rules;
}

km_rules km_rules_parse(const char *text, size_t n_bytes) {
  int suicide;
  return read_rules(text, n_bytes, &suicide);
}

int km_rules_text_suicide(const char *text, size_t n_bytes) {
  int suicide;
  read_rules(text, n_bytes, &suicide);
  return suicide;
}
