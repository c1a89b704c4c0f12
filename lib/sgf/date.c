/* date.c: DT → the first date it names, with its precision.
 *
 * Read are ISO dates with any separator (2016-09-04, 2011.12.28 16:13, 2011/8/10, 20240506), lists and ranges
 * of them, "ca. 1665", "Summer 1857", dates with English month names in either order, Chinese, Japanese and
 * Korean dates (2001年3月4日, 昭和38年5月3日, 2001년 3월 4일), and day-month-year when the order is beyond
 * doubt. */
#include "kifumill/metadata.h"

#include <string.h>

#include "phrase.h"

typedef struct number {
  int value, n_digits; /* n_digits 0: none */
} number;

static number take_digits(km_phrase *phrase) {
  number found = {0, 0};
  for (; phrase->at < phrase->end && *phrase->at >= '0' && *phrase->at <= '9'; phrase->at++, found.n_digits++)
    if (found.value < 100000000)
      found.value = found.value * 10 + (*phrase->at - '0');
  return found;
}

/* Digits, or Chinese numerals: 二〇一九, 三十八, 十二. */
static number take_number(km_phrase *phrase) {
  number found = take_digits(phrase);
  double v;
  if (!found.n_digits && phrase->at < phrase->end && (signed char)*phrase->at < 0 &&
      km_phrase_number(phrase, &v) && v == (int)v)
    found = (number){(int)v, v >= 100 ? 4 : 2};
  return found;
}

static int days_in_month(int year, int month) {
  static const int days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* Fills *date as far as the parts are valid; a part of 0 is unknown. Returns 1 when a part is wrong. */
static int set_date(km_date *date, int year, int month, int day) {
  if (year < 100 || year > 2999)
    return year != 0;
  *date = (km_date){.year = (int16_t)year, .precision = 1};
  if (month < 1 || month > 12)
    return month != 0;
  date->month = (uint8_t)month;
  date->precision = 2;
  /* lunar calendars have months of 30 days, and twelve may begin any of ours */
  if (day < 1 || day > (year < 1873 ? 31 : days_in_month(year, month)))
    return day != 0;
  date->day = (uint8_t)day;
  date->precision = 3;
  return 0;
}

static int month_named(const km_phrase *phrase, size_t n_letters) {
  static const char *const names[12] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
  if (n_letters >= 3)
    for (int i = 0; i < 12; i++)
      if ((n_letters <= strlen(names[i]) && memcmp(phrase->at, names[i], n_letters) == 0 &&
           (n_letters == 3 || n_letters == strlen(names[i]))) ||
          (i == 8 && km_phrase_is(phrase, n_letters, "sept")))
        return i + 1;
  return 0;
}

static void skip_separators(km_phrase *phrase) {
  while (phrase->at < phrase->end &&
         (*phrase->at == ' ' || *phrase->at == ',' || *phrase->at == '.' || *phrase->at == '-'))
    phrase->at++;
}

/* A separator between parts of one date; 0 if there is none. */
static char take_separator(km_phrase *phrase) {
  const char *mark = phrase->at;
  km_phrase_skip_blanks(phrase);
  if (km_phrase_take(phrase, "年") || km_phrase_take(phrase, "년") || km_phrase_take(phrase, "月") ||
      km_phrase_take(phrase, "월")) {
    km_phrase_skip_blanks(phrase);
    return 'c';
  }
  phrase->at = mark;
  if (km_phrase_take(phrase, ". ")) { /* "2019. 5. 3." */
    km_phrase_skip_blanks(phrase);
    if (phrase->at < phrase->end && *phrase->at >= '0' && *phrase->at <= '9')
      return 'k';
    phrase->at = mark;
  }
  if (phrase->end - phrase->at >= 2 && (*phrase->at == '-' || *phrase->at == '.' || *phrase->at == '/') &&
      phrase->at[1] >= '0' && phrase->at[1] <= '9')
    return *phrase->at++;
  return 0;
}

/* " May 3" and "-May-03" after the year. Returns 1 and moves if a month is named. */
static int take_named_month(km_phrase *phrase, int *month, int *day) {
  const char *mark = phrase->at;
  skip_separators(phrase);
  size_t n = km_phrase_letters(phrase);
  *month = month_named(phrase, n);
  if (!*month) {
    phrase->at = mark;
    return 0;
  }
  phrase->at += n;
  skip_separators(phrase);
  number found = take_digits(phrase);
  *day = found.n_digits <= 2 ? found.value : 0;
  return 1;
}

/* "-09-04", "年9月4日" after the year. */
static int read_after_year(km_phrase *phrase, int year, km_date *date) {
  int named, named_day;
  if (take_named_month(phrase, &named, &named_day))
    return set_date(date, year, named, named_day);
  char separator = take_separator(phrase);
  number month = {0, 0}, day = {0, 0};
  if (separator)
    month = take_number(phrase);
  if (month.n_digits > 2) /* "1667-1668": a range of years */
    month = (number){0, 0};
  else if (month.n_digits) {
    char next = take_separator(phrase);
    if (next && (next == separator))
      day = take_number(phrase);
    if (day.n_digits > 2)
      day = (number){0, 0};
  }
  return set_date(date, year, month.value, day.value);
}

/* "19.11.2002", "12-12-1998": the first two numbers are read. Only the year when their order is open. */
static int read_year_last(int first, int second, int year, char separator, km_date *date) {
  if (separator == '.' || first == second || first > 12)
    return set_date(date, year, second, first);
  if (second > 12)
    return set_date(date, year, first, second);
  return set_date(date, year, 0, 0);
}

/* The phrase begins with a number of one or two digits. */
static int read_small_first(km_phrase *phrase, number first, km_date *date) {
  size_t n = km_phrase_letters(phrase);
  if (n == 2 && !month_named(phrase, n)) /* 1st, 2nd, 3rd, 4th */
    phrase->at += n;
  const char *mark = phrase->at;
  skip_separators(phrase);
  n = km_phrase_letters(phrase);
  int month = month_named(phrase, n);
  if (month) { /* 4 Mar 2001 */
    phrase->at += n;
    skip_separators(phrase);
    number year = take_digits(phrase);
    return year.n_digits == 4 ? set_date(date, year.value, month, first.value) : 1;
  }
  phrase->at = mark;
  char separator = take_separator(phrase);
  number second = take_digits(phrase);
  if (!separator || separator == 'c' || take_separator(phrase) != separator)
    return 1;
  number year = take_digits(phrase);
  if (second.n_digits > 2 || year.n_digits != 4)
    return 1;
  return read_year_last(first.value, second.value, year.value, separator, date);
}

/* "昭和38年5月3日", "令和元年": the year is the era's plus its own. Returns 1 and moves if an era is named.
 * The months of eras before 1873 are those of another calendar. */
static int take_era(km_phrase *phrase, int *year) {
  static const struct {
    const char *name;
    int before;
  } eras[] = {{"明治", 1867}, {"大正", 1911}, {"昭和", 1925}, {"平成", 1988}, {"令和", 2018}, {"民国", 1911},
              {"民國", 1911}, {"慶応", 1864}, {"元治", 1863}, {"文久", 1860}, {"万延", 1859}, {"安政", 1853},
              {"嘉永", 1847}, {"弘化", 1843}, {"天保", 1829}, {"文政", 1817}, {"文化", 1803}, {"享和", 1800},
              {"寛政", 1788}, {"天明", 1780}, {"安永", 1771}, {"明和", 1763}, {"宝暦", 1750}, {"寛延", 1747},
              {"延享", 1743}, {"寛保", 1740}, {"元文", 1735}, {"享保", 1715}, {"正徳", 1710}, {"宝永", 1703},
              {"元禄", 1687}, {"貞享", 1683}, {"天和", 1680}, {"延宝", 1672}, {"寛文", 1660}, {"万治", 1657},
              {"明暦", 1654}, {"承応", 1651}, {"慶安", 1647}, {"正保", 1643}, {"寛永", 1623}, {"元和", 1614},
              {"慶長", 1595}};
  for (size_t i = 0; i < sizeof eras / sizeof eras[0]; i++)
    if (km_phrase_take(phrase, eras[i].name)) {
      double v = 1;
      if (!km_phrase_take(phrase, "元") && (!km_phrase_number(phrase, &v) || v > 99))
        return 0;
      *year = eras[i].before + (int)v;
      return 1;
    }
  return 0;
}

/* Words that may stand before a date. */
static void skip_lead(km_phrase *phrase) {
  static const char *const words[] = {
      "ca",    "c",      "circa",   "about",     "around",   "spring", "summer",   "autumn",
      "fall",  "winter", "mon",     "tue",       "wed",      "thu",    "fri",      "sat",
      "sun",   "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
      "early", "late",   "played",  "on",        "in",       "date",   "published"};
  static const char *const names_of_ours[] = {"公元", "西元", "西暦", "서기"};
  for (int found = 1; found;) {
    found = 0;
    while (phrase->at < phrase->end && memchr(" ,.:~(", *phrase->at, 6))
      phrase->at++;
    size_t n = km_phrase_letters(phrase);
    for (size_t i = 0; i < sizeof words / sizeof words[0] && !found; i++)
      found = n && km_phrase_is(phrase, n, words[i]);
    if (found)
      phrase->at += n;
    for (size_t i = 0; i < sizeof names_of_ours / sizeof names_of_ours[0] && !found; i++)
      found = km_phrase_take(phrase, names_of_ours[i]);
  }
}

/* "March 4, 2001", "Mar 2001", "Mar  4 12:00:00 CET 2001": the year is the first number of four digits. */
static int read_after_month(km_phrase *phrase, int month, km_date *date) {
  skip_separators(phrase);
  number first = take_digits(phrase), last = {0, 0};
  if (first.n_digits == 4)
    return set_date(date, first.value, month, 0);
  while (first.n_digits && last.n_digits != 4 && phrase->at < phrase->end) {
    last = take_digits(phrase);
    phrase->at += last.n_digits == 0;
  }
  return last.n_digits == 4 ? set_date(date, last.value, month, first.value) : 1;
}

/* "2016-09-04" and nothing else: nearly all records. 1 when it was one. */
static int read_iso(const char *text, size_t n_bytes, km_date *date) {
  int part[3] = {0, 0, 0};
  if (n_bytes != 10 || text[4] != '-' || text[7] != '-')
    return 0;
  for (int i = 0, k = 0; i < 10; i++) {
    if (i == 4 || i == 7)
      k++;
    else if (text[i] < '0' || text[i] > '9')
      return 0;
    else
      part[k] = part[k] * 10 + (text[i] - '0');
  }
  return set_date(date, part[0], part[1], part[2]) == 0;
}

int km_date_parse(const char *text, size_t n_bytes, km_date *date) {
  km_phrase phrase;
  int year;
  *date = (km_date){0};
  if (read_iso(text, n_bytes, date))
    return 0;
  *date = (km_date){0};
  if (km_phrase_fold(&phrase, text, n_bytes))
    return 1;
  size_t n = (size_t)(phrase.end - phrase.at);
  if (n == 0 || (n == 1 && (*phrase.at == '?' || *phrase.at == '-')))
    return 0;
  skip_lead(&phrase);
  if (take_era(&phrase, &year))
    return year < 1873 ? set_date(date, year, 0, 0) : read_after_year(&phrase, year, date);
  size_t n_letters = km_phrase_letters(&phrase);
  int month = month_named(&phrase, n_letters);
  if (month) {
    phrase.at += n_letters;
    return read_after_month(&phrase, month, date);
  }
  number first = take_number(&phrase);
  if (first.n_digits == 8) /* 20240506-231427 */
    return set_date(date, first.value / 10000, first.value / 100 % 100, first.value % 100);
  if (first.n_digits == 1 || first.n_digits == 2)
    return read_small_first(&phrase, first, date);
  if (first.n_digits != 3 && first.n_digits != 4)
    return 1;
  if (km_phrase_take(&phrase, "s")) /* 1670s */
    return 1;
  return read_after_year(&phrase, first.value, date);
}
