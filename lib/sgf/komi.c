/* komi.c: KM and HA → numbers.
 *
 * Servers write komi in points (6.5), in hundredths (650), or as the half-komi of Chinese counting in stones
 * (3.75, 375 for 7.5): a quarter of a point exists only there, so that fraction is the mark by which it is
 * doubled. */
#include "kifumill/metadata.h"

#include "phrase.h"

enum { MAX_KOMI = 100, MAX_HANDICAP = 99 };

static int take_one_of(km_phrase *phrase, const char *const *words, size_t n_words) {
  for (size_t i = 0; i < n_words; i++)
    if (km_phrase_take(phrase, words[i]))
      return 1;
  return 0;
}
#define TAKE_ONE_OF(phrase, words) take_one_of(phrase, words, sizeof(words) / sizeof *(words))

/* Whether nothing is left but blanks and a full stop. */
static int at_end(km_phrase *phrase) {
  km_phrase_skip_blanks(phrase);
  km_phrase_take(phrase, ".");
  return phrase->at == phrase->end;
}

/* The number as komi in points. whole: written without a fraction. */
static double komi_points(double v, int whole, int has_unit) {
  if (whole && !has_unit && v >= MAX_KOMI && fmod(v, 25) == 0)
    v /= 100;
  double quarters = v * 4;
  if (v < 5 && quarters == floor(quarters) && fmod(quarters, 2) == 1)
    v *= 2;
  return v;
}

static int has_byte(const char *p, const char *end, char c) {
  for (; p < end; p++)
    if (*p == c)
      return 1;
  return 0;
}

/* "6.5", "-5.5", "650": nearly all records. 1 when it was one. */
static int read_plain_komi(const char *text, size_t n_bytes, double *v) {
  size_t sign = n_bytes && *text == '-';
  size_t n = n_bytes > sign ? km_plain_number(text + sign, n_bytes - sign, v) : 0;
  if (n == 0 || n != n_bytes - sign)
    return 0;
  *v = komi_points(*v, !has_byte(text, text + n_bytes, '.'), 0);
  *v = sign ? -*v : *v;
  return 1;
}

int km_komi_parse(const char *text, size_t n_bytes, float *komi) {
  static const char *const before[] = {
      "komi", "黑贴", "黑貼", "黒貼",   "贴目", "貼目", "贴",     "貼",
      "コミ", "덤",   "黑",   "黒コミ", "黒",   "先番", "호선 덤"}; /* "黒6目半": Black gives it */
  static const char *const after[] = {"komi", "コミ出し", "コミ", "덤"};
  static const char *const nothing[] = {"none", "no komi", "no",     "コミなし", "コミ無し",
                                        "なし", "无贴目",  "不贴目", "덤 없음",  "덤없음"};
  km_phrase phrase;
  double plain, v;
  *komi = NAN;
  if (read_plain_komi(text, n_bytes, &v)) {
    if (fabs(v) >= MAX_KOMI)
      return 1;
    *komi = (float)v;
    return 0;
  }
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  if (TAKE_ONE_OF(&phrase, nothing) && at_end(&phrase)) {
    *komi = 0;
    return 0;
  }
  phrase.at = phrase.bytes;
  if (TAKE_ONE_OF(&phrase, before)) {
    km_phrase_skip_blanks(&phrase);
    km_phrase_take(&phrase, ":");
    km_phrase_skip_blanks(&phrase);
  }
  int negative = km_phrase_take(&phrase, "-");
  if (!negative)
    km_phrase_take(&phrase, "+");
  km_phrase_skip_blanks(&phrase);
  const char *start = phrase.at;
  if (!km_phrase_number(&phrase, &plain))
    return 1;
  const char *number_end = phrase.at;
  phrase.at = start;
  if (!km_phrase_points(&phrase, &v))
    return 1;
  int has_unit = phrase.at != number_end;
  v = komi_points(v, !has_byte(start, number_end, '.') && !has_byte(start, number_end, ','), has_unit);
  km_phrase_skip_blanks(&phrase);
  TAKE_ONE_OF(&phrase, after);
  if (!at_end(&phrase) || v >= MAX_KOMI)
    return 1;
  *komi = (float)(negative ? -v : v);
  return 0;
}

int km_komi_adjust(km_game *game) {
  if (game->komi != 0)
    return 0;
  const km_text *raw = &game->text[KM_TEXT_KOMI];
  int bare_zero = raw->n_bytes == 1 && raw->bytes[0] == '0';
  int modern = game->date.precision == 0 || game->date.year >= 1975;
  int even = game->handicap == 0 && game->n_setup == 0;
  int territory = game->rules == KM_RULES_JAPANESE || game->rules == KM_RULES_KOREAN;
  int half_margin = !isnan(game->margin) && game->margin != floorf(game->margin);
  if (!(bare_zero && modern && even && territory) && !(half_margin && bare_zero))
    return 0;
  game->komi = NAN;
  return 1;
}

int km_handicap_parse(const char *text, size_t n_bytes, uint8_t *handicap) {
  static const char *const none[] = {"none", "no", "even", "互先", "分先", "호선", "맞바둑"};
  static const char *const sente[] = {"让先", "讓先", "定先", "정선"};
  static const char *const before[] = {"让子", "讓子", "让", "讓", "授", "受", "置碁", "접바둑", "h"};
  static const char *const after[] = {"子",   "점", "stones", "stone",   "置碁",
                                      "置き", "局", "접바둑", "handicap"};
  km_phrase phrase;
  double v;
  *handicap = 0;
  if (n_bytes == 1 && *text >= '0' && *text <= '9') {
    *handicap = (uint8_t)(*text - '0');
    return 0;
  }
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  if (phrase.at == phrase.end)
    return 0;
  if (TAKE_ONE_OF(&phrase, none))
    return !at_end(&phrase);
  if (TAKE_ONE_OF(&phrase, sente)) {
    *handicap = at_end(&phrase);
    return !*handicap;
  }
  TAKE_ONE_OF(&phrase, before);
  km_phrase_skip_blanks(&phrase);
  if (!km_phrase_number(&phrase, &v))
    return 1;
  do
    km_phrase_skip_blanks(&phrase);
  while (TAKE_ONE_OF(&phrase, after));
  if (!at_end(&phrase) || v != floor(v) || v > MAX_HANDICAP)
    return 1;
  *handicap = (uint8_t)v;
  return 0;
}
