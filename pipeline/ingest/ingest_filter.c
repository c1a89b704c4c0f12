/* ingest_filter.c: parsing and applying the filters. */
#include "ingest_filter.h"

#include "kifumill/metadata.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static km_status bad(km_err *err, const char *option, const char *text, const char *wanted) {
  return km_err_set(err, KM_ERR_USAGE, 0, "--%s %.60s: not %s", option, text, wanted);
}

/* "13x9" is 13 columns and 9 rows, as SGF's SZ[13:9]. */
static km_status parse_sizes(km_filter *filter, const char *text, km_err *err) {
  for (const char *p = text;;) {
    char *end;
    long cols = strtol(p, &end, 10), rows = cols;
    if (end == p)
      return bad(err, "size", text, "a list of board sizes such as 9,13,19 or 13x9");
    if (*end == 'x' || *end == ':')
      rows = strtol(p = end + 1, &end, 10);
    if (end == p || cols < 1 || cols > KM_BOARD_MAX || rows < 1 || rows > KM_BOARD_MAX || (*end && *end != ','))
      return bad(err, "size", text, "a list of board sizes from 1 to 52");
    if (filter->n_sizes == KM_FILTER_SIZES_MAX)
      return bad(err, "size", text, "a list of at most 32 sizes");
    filter->sizes[filter->n_sizes][0] = (uint8_t)rows;
    filter->sizes[filter->n_sizes++][1] = (uint8_t)cols;
    if (!*end)
      return KM_OK;
    p = end + 1;
  }
}

static int parse_number(const char *text, size_t n, double *value) {
  char copy[32], *end;
  if (n == 0 || n >= sizeof copy)
    return 1;
  memcpy(copy, text, n);
  copy[n] = 0;
  *value = strtod(copy, &end);
  return *end || isnan(*value);
}

/* "LOW..HIGH", "LOW..", "..HIGH" or one value. The low number is cut out first: "2." is a number too. */
static int parse_range(const char *text, double *low, double *high) {
  const char *dots = strstr(text, "..");
  size_t n = dots ? (size_t)(dots - text) : strlen(text);
  *low = -1e9;
  *high = 1e9;
  if ((n || !dots) && parse_number(text, n, low))
    return 1;
  if (!dots)
    *high = *low;
  else if (dots[2] && parse_number(dots + 2, strlen(dots + 2), high))
    return 1;
  return *low > *high;
}

/* yyyymmdd with the missing parts filled by `fill` (0 for a first day, 99 for a last one). */
static int parse_day(const char *text, int fill, int *day) {
  int year = 0, month = fill, date = fill, used = 0;
  if (sscanf(text, "%4d%n-%2d%n-%2d%n", &year, &used, &month, &used, &date, &used) < 1 || text[used] || year < 1)
    return 1;
  if ((month != fill && (month < 1 || month > 12)) || (date != fill && (date < 1 || date > 31)))
    return 1;
  *day = (year * 100 + month) * 100 + date;
  return 0;
}

km_status km_filter_parse(km_filter *filter, const km_filter_texts *texts, km_err *err) {
  if (texts->sizes) {
    km_status status = parse_sizes(filter, texts->sizes, err);
    if (status != KM_OK)
      return status;
  }
  if (texts->min_rank) {
    km_rank rank;
    if (km_rank_parse(texts->min_rank, strlen(texts->min_rank), &rank) || rank.kind == 0)
      return bad(err, "min-rank", texts->min_rank, "a rank such as 6d, 1p or 3k");
    filter->has_rank = 1;
    filter->min_rank = km_rank_order(rank);
  }
  if (texts->handicap) {
    double low, high;
    if (parse_range(texts->handicap, &low, &high))
      return bad(err, "handicap", texts->handicap, "a number or a range such as 0 or 2..9");
    filter->has_handicap = 1;
    filter->min_handicap = (int)(low < 0 ? 0 : low);
    filter->max_handicap = (int)(high > 255 ? 255 : high);
  }
  if (texts->komi) {
    filter->has_komi = 1;
    if (parse_range(texts->komi, &filter->min_komi, &filter->max_komi))
      return bad(err, "komi", texts->komi, "a number or a range such as 6.5 or 5.5..7.5");
  }
  if (texts->since && parse_day(texts->since, 0, &filter->since))
    return bad(err, "since", texts->since, "a date such as 1990, 1990-05 or 1990-05-31");
  if (texts->until && parse_day(texts->until, 99, &filter->until))
    return bad(err, "until", texts->until, "a date such as 1990, 1990-05 or 1990-05-31");
  return KM_OK;
}

static int size_wanted(const km_filter *filter, const km_game *game) {
  for (unsigned i = 0; i < filter->n_sizes; i++)
    if (filter->sizes[i][0] == game->rows && filter->sizes[i][1] == game->cols)
      return 1;
  return filter->n_sizes == 0;
}

static int result_wanted(const km_filter *filter, const km_game *game) {
  switch (filter->result) {
  case KM_FILTER_RESULT_KNOWN:
    return game->winner != KM_WINNER_UNKNOWN;
  case KM_FILTER_RESULT_DECIDED:
    return game->winner == KM_WINNER_BLACK || game->winner == KM_WINNER_WHITE;
  case KM_FILTER_RESULT_SCORE:
    return game->ending == KM_ENDING_SCORE && !isnan(game->margin);
  case KM_FILTER_RESULT_RESIGN:
    return game->ending == KM_ENDING_RESIGN;
  default:
    return 1;
  }
}

/* A date as one number; what is not known of it counts as that. */
static int day_number(km_date date, int unknown) {
  int month = date.precision > 1 ? date.month : unknown, day = date.precision > 2 ? date.day : unknown;
  return (date.year * 100 + month) * 100 + day;
}

const char *km_filter_test(const km_filter *filter, const km_game *game) {
  if (!size_wanted(filter, game))
    return "size";
  if (filter->has_rank && (km_rank_order(game->black_rank) < filter->min_rank ||
                           km_rank_order(game->white_rank) < filter->min_rank))
    return "min-rank";
  if (filter->has_handicap && (game->handicap < filter->min_handicap || game->handicap > filter->max_handicap))
    return "handicap";
  if (!result_wanted(filter, game))
    return "result";
  if (filter->has_komi && !(game->komi >= filter->min_komi && game->komi <= filter->max_komi))
    return "komi";
  /* a date without a day is kept when it may fit: its last day is compared with --since, its first with --until */
  if (filter->since && (game->date.precision == 0 || day_number(game->date, 99) < filter->since))
    return "since";
  if (filter->until && (game->date.precision == 0 || day_number(game->date, 0) > filter->until))
    return "until";
  if (game->n_moves < (unsigned)filter->min_moves)
    return "min-moves";
  return game->n_moves > (unsigned)filter->max_moves ? "max-moves" : NULL;
}
