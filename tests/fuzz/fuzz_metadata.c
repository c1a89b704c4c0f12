/* fuzz_metadata.c: the normalisers on any text: the whole input, and each of its lines as a value of its own.
 *
 * Invariants: what is not understood leaves nothing but unknowns; what is understood lies in its range; the
 * case of ASCII letters makes no difference to results. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kifumill/metadata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition)
    abort();
}

static void check_result(const char *text, size_t n) {
  int8_t winner, winner2;
  float margin, margin2;
  uint8_t ending, ending2;
  int outcome = km_result_parse(text, n, &winner, &margin, &ending);
  require(outcome >= 0 && outcome <= 2 && ending <= KM_ENDING_UNFINISHED);
  require(winner == KM_WINNER_BLACK || winner == KM_WINNER_WHITE || winner == KM_WINNER_DRAW ||
          winner == KM_WINNER_UNKNOWN);
  require(isnan(margin) || (margin >= 0 && margin <= KM_POINT_MAX));
  if (outcome)
    require(winner == KM_WINNER_UNKNOWN && isnan(margin) && ending == KM_ENDING_UNKNOWN);
  require((winner == KM_WINNER_DRAW) == (ending == KM_ENDING_DRAW));
  require(isnan(margin) == !(ending == KM_ENDING_SCORE || ending == KM_ENDING_DRAW));
  char swapped[512];
  if (n > sizeof swapped)
    return;
  for (size_t i = 0; i < n; i++)
    swapped[i] =
        (text[i] | 32) >= 'a' && (text[i] | 32) <= 'z' && text[i] > 0 ? (char)(text[i] ^ 32) : text[i];
  require(km_result_parse(swapped, n, &winner2, &margin2, &ending2) == outcome);
  require(winner2 == winner && ending2 == ending && (isnan(margin) ? isnan(margin2) : margin2 == margin));
}

static void check_numbers(const char *text, size_t n) {
  float komi;
  int outcome = km_komi_parse(text, n, &komi);
  require(outcome ? isnan(komi) : fabsf(komi) < 100);
  uint8_t handicap;
  outcome = km_handicap_parse(text, n, &handicap);
  require(outcome ? handicap == 0 : handicap <= 99);
  km_rank rank;
  outcome = km_rank_parse(text, n, &rank);
  if (rank.kind == 0)
    require(rank.number == 0);
  else
    require(outcome == 0 && strchr("kdp", rank.kind) && rank.number >= 1 && rank.number <= 50);
}

static void check_date(const char *text, size_t n) {
  km_date date;
  int outcome = km_date_parse(text, n, &date);
  require(outcome == 0 || outcome == 1);
  require(date.precision <= 3 && (date.precision > 0) == (date.year > 0));
  require((date.precision > 1) == (date.month > 0) && date.month <= 12);
  require((date.precision > 2) == (date.day > 0) && date.day <= 31);
  require(date.year <= 2999);
}

static void check_eval(const km_eval *eval) {
  require(eval->black_win >= 0 && eval->black_win <= 1 && eval->ply == 9);
  require(isnan(eval->black_score) || fabsf(eval->black_score) <= KM_POINT_MAX);
  require(eval->source >= KM_EVAL_KATAGO_TRAINING && eval->source <= KM_EVAL_LIZZIE);
}

/* A blank in front. */
static void check_padded(const char *text, size_t n) {
  char padded[256] = " ";
  float komi[2];
  km_rank rank[2];
  km_date date[2];
  int8_t winner[2];
  float margin[2];
  uint8_t ending[2];
  if (n >= sizeof padded)
    return;
  if (n)
    memcpy(padded + 1, text, n);
  require(km_komi_parse(text, n, &komi[0]) == km_komi_parse(padded, n + 1, &komi[1]));
  require(isnan(komi[0]) ? isnan(komi[1]) : komi[0] == komi[1]);
  require(km_rank_parse(text, n, &rank[0]) == km_rank_parse(padded, n + 1, &rank[1]));
  require(rank[0].number == rank[1].number && rank[0].kind == rank[1].kind);
  require(km_date_parse(text, n, &date[0]) == km_date_parse(padded, n + 1, &date[1]));
  require(date[0].year == date[1].year && date[0].month == date[1].month && date[0].day == date[1].day);
  require(km_result_parse(text, n, &winner[0], &margin[0], &ending[0]) ==
          km_result_parse(padded, n + 1, &winner[1], &margin[1], &ending[1]));
  require(winner[0] == winner[1] && ending[0] == ending[1]);
}

static void check_value(const char *text, size_t n) {
  check_padded(text, n);
  check_result(text, n);
  check_numbers(text, n);
  check_date(text, n);
  require(km_rules_parse(text, n) <= KM_RULES_OTHER);
  int suicide = km_rules_text_suicide(text, n);
  require(suicide == 0 || suicide == 1);
  for (uint8_t mover = 0; mover <= KM_WHITE; mover++) {
    km_eval eval;
    if (km_eval_parse_comment(text, n, 9, mover, &eval))
      check_eval(&eval);
    if (km_eval_parse_sbkv(text, n, 9, &eval))
      check_eval(&eval);
    if (km_eval_parse_lizzie(text, n, 9, mover, &eval))
      check_eval(&eval);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *p = (const char *)data, *end = p + size;
  check_value(p, size);
  while (p < end) {
    const char *newline = memchr(p, '\n', (size_t)(end - p));
    size_t n = (size_t)((newline ? newline : end) - p);
    char *line = malloc(n ? n : 1); /* exactly as large, so that a read beyond it is seen */
    require(line != NULL);
    memcpy(line, p, n);
    check_value(line, n);
    free(line);
    p += n + (newline != NULL);
  }
  return 0;
}
