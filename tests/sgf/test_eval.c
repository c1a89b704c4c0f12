/* test_eval.c: win-rates in comments, SBKV and LZ → Black's side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "kifumill/metadata.h"

typedef struct eval_case {
  const char *text;
  uint8_t mover;
  int found;
  double black_win, black_score; /* NaN: unknown */
  uint32_t visits;
  km_eval_source source;
} eval_case;

static int same(float a, double b) {
  return isnan(b) ? isnan(a) : fabs(a - b) < 1e-5;
}

typedef int (*eval_parser)(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval);

static void check_evals(eval_parser parse, const eval_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    km_eval eval = {0};
    int found = parse(cases[i].text, strlen(cases[i].text), 42, cases[i].mover, &eval);
    if (found != cases[i].found)
      fail_msg("[%s]: found %d", cases[i].text, found);
    if (found &&
        (!same(eval.black_win, cases[i].black_win) || !same(eval.black_score, cases[i].black_score) ||
         eval.visits != cases[i].visits || eval.source != cases[i].source || eval.ply != 42))
      fail_msg("[%s]: %g %g %u, source %d", cases[i].text, eval.black_win, eval.black_score, eval.visits,
               eval.source);
  }
}
#define CHECK_EVALS(parse, cases) check_evals(parse, cases, sizeof(cases) / sizeof *(cases))

/* KataGo writes White's win, loss, no result and score, whoever moved. */
static void test_katago(void **state) {
  (void)state;
  static const eval_case cases[] = {
      {"0.39 0.61 0.00 -9.3 v=600 weight=0.75", KM_BLACK, 1, 0.61, 9.3, 600, KM_EVAL_KATAGO_TRAINING},
      {"0.39 0.61 0.00 -9.3 v=600 weight=0.75", KM_WHITE, 1, 0.61, 9.3, 600, KM_EVAL_KATAGO_TRAINING},
      {"0.39 0.61 0.00 -9.3 v=600", 0, 1, 0.61, 9.3, 600, KM_EVAL_KATAGO_TRAINING},
      {"0.44 0.56 0.00 -0.40", KM_WHITE, 1, 0.56, 0.4, 0, KM_EVAL_KATAGO_TRAINING},
      {"0.30 0.30 0.40 0.0 v=5", KM_BLACK, 1, 0.5, 0, 5, KM_EVAL_KATAGO_TRAINING},
      {"1.00 0.00 0.00 3.5 v=30 result=W+3.5", KM_WHITE, 1, 0, -3.5, 30, KM_EVAL_KATAGO_TRAINING},
      {"0.995 0.01 0.00 3.5", KM_WHITE, 1, 0.01, -3.5, 0, KM_EVAL_KATAGO_TRAINING},
      {"0.39 0.61 0.00", KM_BLACK, 0, 0, 0, 0, 0},
      {"0.39 0.39 0.00 -9.3", KM_BLACK, 0, 0, 0, 0, 0}, /* no probabilities */
      {"-0.39 1.39 0.00 -9.3", KM_BLACK, 0, 0, 0, 0, 0},
      {"0.39 0.61 0.00 -99999", KM_BLACK, 0, 0, 0, 0, 0},
      {"startTurnIdx=0,initTurnNum=0", KM_BLACK, 0, 0, 0, 0, 0},
      {"a fine move", KM_BLACK, 0, 0, 0, 0, 0},
      {"", KM_BLACK, 0, 0, 0, 0, 0},
  };
  CHECK_EVALS(km_eval_parse_comment, cases);
}

/* The adversary's own view: the mover's side. */
static void test_adversary(void **state) {
  (void)state;
  static const eval_case cases[] = {
      {"adversary predicted win prob: 0.34 loss: 0.66, predicted score: -63.4", KM_BLACK, 1, 0.34, -63.4, 0,
       KM_EVAL_ADVERSARY},
      {"adversary predicted win prob: 0.34 loss: 0.66, predicted score: -63.4", KM_WHITE, 1, 0.66, 63.4, 0,
       KM_EVAL_ADVERSARY},
      {"note\nadversary predicted win prob: 1 loss: 0", KM_WHITE, 1, 0, NAN, 0, KM_EVAL_ADVERSARY},
      {"adversary predicted win prob: 0.34 loss: 0.66, predicted score: -63.4", 0, 0, 0, 0, 0, 0},
      {"adversary predicted win prob: 1.34 loss: -0.34", KM_BLACK, 0, 0, 0, 0, 0},
      {"adversary predicted win prob: 0.5 loss: 0.2", KM_BLACK, 0, 0, 0, 0, 0},
      {"adversary predicted win prob: none", KM_BLACK, 0, 0, 0, 0, 0},
      {"adversary predicted win prob: 1e-05 loss: 0.99999, predicted score: -6.34e1", KM_BLACK, 1, 1e-05, -63.4, 0,
       KM_EVAL_ADVERSARY},
  };
  CHECK_EVALS(km_eval_parse_comment, cases);
}

static int parse_sbkv(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval) {
  (void)mover;
  return km_eval_parse_sbkv(text, n_bytes, ply, eval);
}

static void test_sbkv(void **state) {
  (void)state;
  static const eval_case cases[] = {
      {"39.23", 0, 1, 0.3923, NAN, 0, KM_EVAL_SBKV},
      {"100", 0, 1, 1, NAN, 0, KM_EVAL_SBKV},
      {" 0 ", 0, 1, 0, NAN, 0, KM_EVAL_SBKV},
      {"39.23%", 0, 1, 0.3923, NAN, 0, KM_EVAL_SBKV},
      {"100.1", 0, 0, 0, 0, 0, 0},
      {"-1", 0, 0, 0, 0, 0, 0},
      {"", 0, 0, 0, 0, 0, 0},
      {"39 good", 0, 0, 0, 0, 0, 0},
  };
  CHECK_EVALS(parse_sbkv, cases);
}

/* Lizzie: the rate is the mover's, LizzieYzy's score the next player's. */
static void test_lizzie(void **state) {
  (void)state;
  static const eval_case cases[] = {
      {"0.7.2 54.3 1.2k\nmove Q16 visits 10", KM_BLACK, 1, 0.543, NAN, 1200, KM_EVAL_LIZZIE},
      {"0.7.2 54.3 1.2k\nmove Q16 visits 10", KM_WHITE, 1, 0.457, NAN, 1200, KM_EVAL_LIZZIE},
      {"KataGo 54.3 850 -0.8 15.1\nmove Q16", KM_BLACK, 1, 0.543, 0.8, 850, KM_EVAL_LIZZIE},
      {"KataGo 54.3 850 -0.8 15.1\nmove Q16", KM_WHITE, 1, 0.457, -0.8, 850, KM_EVAL_LIZZIE},
      {"My Engine 20b 60.0 2.5m 3.1", KM_WHITE, 1, 0.4, 3.1, 2500000, KM_EVAL_LIZZIE},
      {"0.7.2 50.0 0\n", KM_BLACK, 0, 0, 0, 0, 0}, /* never searched */
      {"0.7.2 54.3 1.2k\n", 0, 0, 0, 0, 0, 0},     /* whose rate? */
      {"0.7.2 154.3 1.2k\n", KM_BLACK, 0, 0, 0, 0, 0},
      {"0.7.2", KM_BLACK, 0, 0, 0, 0, 0},
      {"", KM_BLACK, 0, 0, 0, 0, 0},
      {"\n0.7.2 54.3 1.2k", KM_BLACK, 0, 0, 0, 0, 0},
      {"Leela Zero 0.17 54.3 1200", KM_BLACK, 1, 0.543, NAN, 1200, KM_EVAL_LIZZIE},
  };
  CHECK_EVALS(km_eval_parse_lizzie, cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_katago), cmocka_unit_test(test_adversary),
                                     cmocka_unit_test(test_sbkv), cmocka_unit_test(test_lizzie)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
