/* test_metadata.c: game information → numbers. Every shape that was seen in 233,076 records stands here in an
 * invented example, the ones that must stay unknown too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kifumill/metadata.h"

/* Equal, NaN being equal to NaN. */
static int same(float a, double b) {
  return isnan(b) ? isnan(a) : fabs(a - b) < 1e-5;
}

enum { B = KM_WINNER_BLACK, W = KM_WINNER_WHITE, D = KM_WINNER_DRAW, U = KM_WINNER_UNKNOWN };

typedef struct result_case {
  const char *text;
  int outcome; /* returned */
  int winner;
  double margin;
  km_ending ending;
} result_case;

static void check_results(const result_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int8_t winner = 7;
    float margin = 7;
    uint8_t ending = 77;
    int outcome = km_result_parse(cases[i].text, strlen(cases[i].text), &winner, &margin, &ending);
    if (outcome != cases[i].outcome || winner != cases[i].winner || !same(margin, cases[i].margin) ||
        ending != cases[i].ending)
      fail_msg("RE[%s]: outcome %d, winner %d, margin %g, %s", cases[i].text, outcome, winner, margin,
               km_ending_name(ending));
  }
}
#define CHECK_RESULTS(cases) check_results(cases, sizeof(cases) / sizeof *(cases))

/* The twenty of case P39, in its order. "B+0" is a win of Black without margin or ending. */
static void test_result_western_case(void **state) {
  (void)state;
  static const result_case cases[] = {
      {"B+R", 0, B, NAN, KM_ENDING_RESIGN},
      {"W+Resign", 0, W, NAN, KM_ENDING_RESIGN},
      {"B+T", 0, B, NAN, KM_ENDING_TIME},
      {"W+Time", 0, W, NAN, KM_ENDING_TIME},
      {"B+F", 0, B, NAN, KM_ENDING_FORFEIT},
      {"B+", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"W+0.5", 0, W, 0.5, KM_ENDING_SCORE},
      {"B+12.50", 0, B, 12.5, KM_ENDING_SCORE},
      {"b+3.5", 0, B, 3.5, KM_ENDING_SCORE},
      {"B + 2.5", 0, B, 2.5, KM_ENDING_SCORE},
      {"0", 0, D, 0, KM_ENDING_DRAW},
      {"Draw", 0, D, 0, KM_ENDING_DRAW},
      {"Jigo", 0, D, 0, KM_ENDING_DRAW},
      {"Void", 0, U, NAN, KM_ENDING_VOID},
      {"?", 0, U, NAN, KM_ENDING_UNKNOWN},
      {"", 0, U, NAN, KM_ENDING_UNKNOWN},
      {"W+R (time over)", 0, W, NAN, KM_ENDING_RESIGN},
      {"B+3 1/4", 0, B, 3.25, KM_ENDING_SCORE},
      {"B+0", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"White wins by 4.5", 0, W, 4.5, KM_ENDING_SCORE},
  };
  CHECK_RESULTS(cases);
}

static void test_result_western(void **state) {
  (void)state;
  static const result_case cases[] = {
      {"W+Resign.", 0, W, NAN, KM_ENDING_RESIGN},
      {"B+time", 0, B, NAN, KM_ENDING_TIME},
      {"W+Forfeit", 0, W, NAN, KM_ENDING_FORFEIT},
      {"B+Offline", 0, B, NAN, KM_ENDING_FORFEIT},
      {"W+Illegal", 0, W, NAN, KM_ENDING_FORFEIT},
      {"B+bye", 0, B, NAN, KM_ENDING_FORFEIT},
      {"W+Repetition", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"W+.5", 0, W, 0.5, KM_ENDING_SCORE},
      {"W+1.75", 0, W, 1.75, KM_ENDING_SCORE},
      {"B+1 5/6", 0, B, 11 / 6.0, KM_ENDING_SCORE},
      {"B+2,5", 0, B, 2.5, KM_ENDING_SCORE},
      {"B+3½", 0, B, 3.5, KM_ENDING_SCORE},
      {"W+206.5", 0, W, 206.5, KM_ENDING_SCORE},
      {"  B+4  ", 0, B, 4, KM_ENDING_SCORE},
      {"Ｂ＋２．５", 0, B, 2.5, KM_ENDING_SCORE},
      {"BLACK+RESIGN", 0, B, NAN, KM_ENDING_RESIGN},
      {"draw", 0, D, 0, KM_ENDING_DRAW},
      {"Tie", 0, D, 0, KM_ENDING_DRAW},
      {"0.0", 0, D, 0, KM_ENDING_DRAW},
      /* one server's margins that are none */
      {"W+0.0", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"W+0.02", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"B+0.03", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"W+8194.00", 0, W, NAN, KM_ENDING_UNKNOWN}, /* more than a board holds */
      {"B+133333 (5.5)", 0, B, NAN,
       KM_ENDING_UNKNOWN}, /* found by fuzz_metadata: the second number is no margin */
      {"Black wins by resignation", 0, B, NAN, KM_ENDING_RESIGN},
      {"Black lost by resignation", 0, W, NAN, KM_ENDING_RESIGN},
      {"White loses on time", 0, B, NAN, KM_ENDING_TIME},
      {"White ran out of time", 0, B, NAN, KM_ENDING_TIME},
      {"Black resigns", 0, W, NAN, KM_ENDING_RESIGN},
      {"White forfeits", 0, B, NAN, KM_ENDING_FORFEIT},
      {"Black wins, White resigned", 0, B, NAN, KM_ENDING_RESIGN},
      {"Win for Black by time", 0, B, NAN, KM_ENDING_TIME},
      {"Winner: White", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"White by 3.5", 0, W, 3.5, KM_ENDING_SCORE},
      {"White won by half a point", 0, W, 0.5, KM_ENDING_SCORE},
      {"Black wins in 150 moves by resignation", 0, B, NAN, KM_ENDING_RESIGN},
      {"No result", 0, U, NAN, KM_ENDING_VOID},
      {"Both lost", 0, U, NAN, KM_ENDING_VOID},
      {"Game suspended", 0, U, NAN, KM_ENDING_UNFINISHED},
      {"Unfinished", 0, U, NAN, KM_ENDING_UNFINISHED},
      {"unknown", 0, U, NAN, KM_ENDING_UNKNOWN},
  };
  CHECK_RESULTS(cases);
}

static void test_result_east_asian(void **state) {
  (void)state;
  static const result_case cases[] = {
      /* Chinese, of both writings */
      {"黑中盘胜", 0, B, NAN, KM_ENDING_RESIGN},
      {"白中盤勝", 0, W, NAN, KM_ENDING_RESIGN},
      {"白中盘胜。", 0, W, NAN, KM_ENDING_RESIGN},
      {"黑胜", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"白贏", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"黑方获胜", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"黑負", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"黑胜3目半", 0, B, 3.5, KM_ENDING_SCORE},
      {"黑胜三目半", 0, B, 3.5, KM_ENDING_SCORE},
      {"白胜十二目", 0, W, 12, KM_ENDING_SCORE},
      {"白胜半目", 0, W, 0.5, KM_ENDING_SCORE},
      {"白胜1又3/4子", 0, W, 3.5, KM_ENDING_SCORE},
      {"黑 胜 一又四分之三子", 0, B, 3.5, KM_ENDING_SCORE},
      {"黑胜 1/4 子", 0, B, 0.5, KM_ENDING_SCORE},
      {"黑胜1又3/4子(黑贴3又3/4子)", 0, B, 3.5, KM_ENDING_SCORE},
      {"白勝3/4子", 0, W, 1.5, KM_ENDING_SCORE},
      {"白棋勝四目半", 0, W, 4.5, KM_ENDING_SCORE},
      {"黑超时负", 0, W, NAN, KM_ENDING_TIME},
      {"白超時負", 0, B, NAN, KM_ENDING_TIME},
      {"黑超时，白胜", 0, W, NAN, KM_ENDING_TIME},
      {"白认输", 0, B, NAN, KM_ENDING_RESIGN},
      {"黑弃权负", 0, W, NAN, KM_ENDING_FORFEIT},
      {"白不计胜", 0, W, NAN, KM_ENDING_RESIGN},
      {"和棋", 0, D, 0, KM_ENDING_DRAW},
      {"平局", 0, D, 0, KM_ENDING_DRAW},
      {"三劫无胜负", 0, U, NAN, KM_ENDING_VOID},
      {"無勝負", 0, U, NAN, KM_ENDING_VOID},
      {"黑+R", 0, B, NAN, KM_ENDING_RESIGN},
      {"白+3.5", 0, W, 3.5, KM_ENDING_SCORE},
      {"黑胜白负", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"打挂", 0, U, NAN, KM_ENDING_UNFINISHED},
      {"不详", 0, U, NAN, KM_ENDING_UNKNOWN},
      /* Japanese */
      {"黒中押し勝ち", 0, B, NAN, KM_ENDING_RESIGN},
      {"白番中押し勝ち", 0, W, NAN, KM_ENDING_RESIGN},
      {"168手完, 白中押し勝ち", 0, W, NAN, KM_ENDING_RESIGN},
      {"257手まで黒中押勝", 0, B, NAN, KM_ENDING_RESIGN},
      {"白半目勝ち", 0, W, 0.5, KM_ENDING_SCORE},
      {"黒2目半勝", 0, B, 2.5, KM_ENDING_SCORE},
      {"黒番１目勝ち", 0, B, 1, KM_ENDING_SCORE},
      {"白の6目半勝ち", 0, W, 6.5, KM_ENDING_SCORE},
      {"黒時間切れ負け", 0, W, NAN, KM_ENDING_TIME},
      {"白の反則負け", 0, B, NAN, KM_ENDING_FORFEIT},
      {"白投了", 0, B, NAN, KM_ENDING_RESIGN},
      {"持碁", 0, D, 0, KM_ENDING_DRAW},
      {"引き分け", 0, D, 0, KM_ENDING_DRAW},
      {"打ち掛け", 0, U, NAN, KM_ENDING_UNFINISHED},
      /* Korean */
      {"흑 불계승", 0, B, NAN, KM_ENDING_RESIGN},
      {"212수 백불계승", 0, W, NAN, KM_ENDING_RESIGN},
      {"백 반집승", 0, W, 0.5, KM_ENDING_SCORE},
      {"흑 3집반승", 0, B, 3.5, KM_ENDING_SCORE},
      {"302수 백3.5집승", 0, W, 3.5, KM_ENDING_SCORE},
      {"흑 시간승", 0, B, NAN, KM_ENDING_TIME},
      {"백 시간패", 0, B, NAN, KM_ENDING_TIME},
      {"흑 기권패", 0, W, NAN, KM_ENDING_FORFEIT},
      {"백이 불계로 짐", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"빅", 0, D, 0, KM_ENDING_DRAW},
      {"무승부", 0, D, 0, KM_ENDING_DRAW},
  };
  CHECK_RESULTS(cases);
}

/* Numbers that are no margins, half points behind a blank, more words; Russian, German, French, Spanish. */
static void test_result_more(void **state) {
  (void)state;
  static const result_case cases[] = {
      {"Black wins at move 120", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"White wins in 98", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"白胜，共256", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"白勝 第7局", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"B+R (moves beyond 147 not known)", 0, B, NAN, KM_ENDING_RESIGN},
      {"W+ {Moves after 92 not recorded}", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"黒中押し勝ち（以下手順不明）", 0, B, NAN, KM_ENDING_RESIGN},
      {"黑胜目数不详", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"Komi 6.5: B+0.5", 0, B, 0.5, KM_ENDING_SCORE},
      {"黑贴3又3/4子，黑胜1/4子", 0, B, 0.5, KM_ENDING_SCORE},
      {"黑贴6目半 白胜2目半", 0, W, 2.5, KM_ENDING_SCORE},
      {"白勝（黒コミ4目半）", 0, W, NAN, KM_ENDING_UNKNOWN},
      {"흑 2집 반 승", 0, B, 2.5, KM_ENDING_SCORE},
      {"黑胜3点", 0, B, 3, KM_ENDING_SCORE},
      {"黑认负", 0, W, NAN, KM_ENDING_RESIGN},
      {"白逾時負", 0, B, NAN, KM_ENDING_TIME},
      {"黑读秒超时负", 0, W, NAN, KM_ENDING_TIME},
      {"白时间到负", 0, B, NAN, KM_ENDING_TIME},
      {"黑缺席", 0, W, NAN, KM_ENDING_FORFEIT},
      {"흑 몰수승", 0, B, NAN, KM_ENDING_FORFEIT},
      {"双方和棋", 0, D, 0, KM_ENDING_DRAW},
      {"平手", 0, D, 0, KM_ENDING_DRAW},
      {"両者負け", 0, U, NAN, KM_ENDING_VOID},
      {"無勝負（長生）", 0, U, NAN, KM_ENDING_VOID},
      {"全局同形再现无胜负", 0, U, NAN, KM_ENDING_VOID},
      {"比赛结果：白中盘胜", 0, W, NAN, KM_ENDING_RESIGN},
      {"Void (triple ko)", 0, U, NAN, KM_ENDING_VOID},
      {"No-Result", 0, U, NAN, KM_ENDING_VOID},
      {"Time-out, W wins", 0, W, NAN, KM_ENDING_TIME},
      {"adjourned at move 100", 0, U, NAN, KM_ENDING_UNFINISHED},
      {"Чёрные выиграли сдачей", 0, B, NAN, KM_ENDING_RESIGN},
      {"БЕЛЫЕ СДАЛИСЬ", 0, B, NAN, KM_ENDING_RESIGN},
      {"Белые победили по времени", 0, W, NAN, KM_ENDING_TIME},
      {"Победа чёрных", 0, B, NAN, KM_ENDING_UNKNOWN},
      {"Ч+3.5", 0, B, 3.5, KM_ENDING_SCORE},
      {"Ничья", 0, D, 0, KM_ENDING_DRAW},
      {"Schwarz gewinnt durch Aufgabe", 0, B, NAN, KM_ENDING_RESIGN},
      {"Weiß+3,5", 0, W, 3.5, KM_ENDING_SCORE},
      {"Blanc gagne par abandon", 0, W, NAN, KM_ENDING_RESIGN},
      {"negras ganan por tiempo", 0, B, NAN, KM_ENDING_TIME},
  };
  CHECK_RESULTS(cases);
}

/* Where a winner would be a guess. */
static void test_result_unknown(void **state) {
  (void)state;
  static const result_case cases[] = {
      {"W", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"WB+R", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B 253.5", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B+1?", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"W+R?", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"+R", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"3.5", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"1-0", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B>W", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B:W+R", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Resign", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"P1 wins", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"P1 (B) vs P2 (W): P1 wins", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"W+ (but B does not lose)", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Black does not win", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Black didn't lose", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Black probably wins", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Black or White wins", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Black thinks White wins", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B+R (result not known)", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"W+-2.5", 1, U, NAN, KM_ENDING_UNKNOWN}, /* or a loss by 2.5 */
      {"B+lost", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"B+ResignW+Resign", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黒投了勝ち", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"Чёрные не победили", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黑贴3.75子胜0.25子", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黑中盘", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黑胜率 60%", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黑胜势", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黑不胜", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"胜负未分", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"中盘胜", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"白が黒に勝", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黒時間切れ", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"黒勝てず", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"시간승", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"흑 승률 70", 1, U, NAN, KM_ENDING_UNKNOWN},
      {"\\xBA\\xDA\\xCA\\xA4", 1, U, NAN, KM_ENDING_UNKNOWN},
      /* two statements that disagree */
      {"B+R, W+R", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"B+3.5 (Black resigned)", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"黑胜，白胜", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"黑超时，黑胜", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"Jigo, W+1", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"B+R (void)", 2, U, NAN, KM_ENDING_UNKNOWN},
      {"打ち掛け, 黒勝ち", 2, U, NAN, KM_ENDING_UNKNOWN},
  };
  CHECK_RESULTS(cases);
}

/* A long text is prose; bytes that are no UTF-8, NULs and no bytes at all do no harm. */
static void test_result_odd_bytes(void **state) {
  (void)state;
  char text[2000];
  int8_t winner;
  float margin;
  uint8_t ending;
  memset(text, ' ', sizeof text);
  memcpy(text + 500, "B+R", 3);
  assert_int_equal(km_result_parse(text, sizeof text, &winner, &margin, &ending), 1);
  assert_int_equal(winner, KM_WINNER_UNKNOWN);
  assert_int_equal(km_result_parse(NULL, 0, &winner, &margin, &ending), 0);
  assert_int_equal(km_result_parse("B\0+R", 4, &winner, &margin, &ending), 0);
  assert_int_equal(winner, KM_WINNER_BLACK);
  assert_int_equal(km_result_parse("\xba\xda+R", 4, &winner, &margin, &ending), 1);
  assert_int_equal(winner, KM_WINNER_UNKNOWN);
}

typedef struct komi_case {
  const char *text;
  int outcome;
  double komi;
} komi_case;

static void test_komi(void **state) {
  (void)state;
  static const komi_case cases[] = {
      {"6.5", 0, 6.5},
      {"0", 0, 0},
      {"0.50", 0, 0.5},
      {"5,5", 0, 5.5},
      {"-5.5", 0, -5.5},
      {"+7.5", 0, 7.5},
      {" 6.5 ", 0, 6.5},
      {"6.5.", 0, 6.5},
      {"６．５", 0, 6.5},
      {".5", 0, 0.5},
      {"6½", 0, 6.5},
      {"5 1/2", 0, 5.5},
      {"-99.50", 0, -99.5},
      /* hundredths */
      {"650", 0, 6.5},
      {"750", 0, 7.5},
      {"550", 0, 5.5},
      {"450", 0, 4.5},
      {"600", 0, 6},
      /* half the komi, as Chinese counting has it */
      {"375", 0, 7.5},
      {"325", 0, 6.5},
      {"275", 0, 5.5},
      {"225", 0, 4.5},
      {"3.75", 0, 7.5},
      {"2.75", 0, 5.5},
      {"3 3/4子", 0, 7.5},
      {"3又3/4子", 0, 7.5},
      {"黑贴3又3/4子", 0, 7.5},
      {"三又四分之三子", 0, 7.5},
      {"6.5目", 0, 6.5},
      {"6目半", 0, 6.5},
      {"六目半", 0, 6.5},
      {"贴6目半", 0, 6.5},
      {"黒6目半", 0, 6.5},
      {"コミ6目半", 0, 6.5},
      {"4目半コミ出し", 0, 4.5},
      {"덤 6집반", 0, 6.5},
      {"6.5 points", 0, 6.5},
      {"7点半", 0, 7.5},
      {"6집 반", 0, 6.5},
      {"先番6目半コミ出し", 0, 6.5},
      {"黒コミ6目半", 0, 6.5},
      {"호선 덤 6집반", 0, 6.5},
      {"none", 0, 0},
      {"コミなし", 0, 0},
      {"コミ無し", 0, 0},
      /* unknown */
      {"", 1, NAN},
      {"   ", 1, NAN},
      {"?", 1, NAN},
      {"-100.00", 1, NAN},
      {"100.5", 1, NAN},
      {"123456789123456789", 1, NAN},
      {"12345", 1, NAN},
      {"6.5?", 1, NAN},
      {"six", 1, NAN},
      {"B 6.5", 1, NAN},
      {"6.5 or 7.5", 1, NAN},
      {"6.5/7.5", 1, NAN}, /* two numbers, no fraction */
      {"6/7", 1, NAN},
      {"nan", 1, NAN},
      {"inf", 1, NAN},
      {"1e1", 1, NAN},
      {"0x7", 1, NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    float komi = 7;
    int outcome = km_komi_parse(cases[i].text, strlen(cases[i].text), &komi);
    if (outcome != cases[i].outcome || !same(komi, cases[i].komi))
      fail_msg("KM[%s]: outcome %d, komi %g", cases[i].text, outcome, komi);
  }
}

/* An even game of a server that writes KM[0] for "not told". */
static km_game zero_komi_game(void) {
  km_game game = {.rows = 19, .cols = 19, .rules = KM_RULES_JAPANESE, .margin = NAN, .komi = 0};
  game.date = (km_date){2019, 2, 22, 3};
  game.text[KM_TEXT_KOMI] = (km_text){"0", 1};
  return game;
}

static void test_komi_adjust(void **state) {
  (void)state;
  km_game game = zero_komi_game();
  assert_int_equal(km_komi_adjust(&game), 1);
  assert_true(isnan(game.komi));
  assert_int_equal(km_komi_adjust(&game), 0);

  game = zero_komi_game();
  game.date = (km_date){0};
  assert_int_equal(km_komi_adjust(&game), 1);

  game = zero_komi_game(); /* komi was not usual then */
  game.date.year = 1930;
  assert_int_equal(km_komi_adjust(&game), 0);
  assert_true(game.komi == 0);

  game = zero_komi_game();
  game.handicap = 3;
  assert_int_equal(km_komi_adjust(&game), 0);
  game.margin = 2.5f; /* cannot be with no komi */
  assert_int_equal(km_komi_adjust(&game), 1);

  game = zero_komi_game(); /* handicap stones without HA */
  game.n_setup = 2;
  assert_int_equal(km_komi_adjust(&game), 0);

  game = zero_komi_game();
  game.rules = KM_RULES_CHINESE;
  assert_int_equal(km_komi_adjust(&game), 0);

  game = zero_komi_game(); /* a program that writes decimals means what it says */
  game.text[KM_TEXT_KOMI] = (km_text){"0.00", 4};
  assert_int_equal(km_komi_adjust(&game), 0);

  game = zero_komi_game();
  game.komi = 6.5f;
  assert_int_equal(km_komi_adjust(&game), 0);
}

static void test_handicap(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int outcome, handicap;
  } cases[] = {{"0", 0, 0},           {"2", 0, 2},     {"9", 0, 9},      {" 4 ", 0, 4},    {"", 0, 0},
               {"3子", 0, 3},         {"让2子", 0, 2}, {"讓三子", 0, 3}, {"3점", 0, 3},    {"2 stones", 0, 2},
               {"none", 0, 0},        {"互先", 0, 0},  {"让先", 0, 1},   {"정선", 0, 1},   {"H4", 0, 4},
               {"7.5", 1, 0},         {"-2", 1, 0},    {"x", 1, 0},      {"2 or 3", 1, 0}, {"999", 1, 0},
               {"99999999999", 1, 0}, {"?", 1, 0},     {"受三子", 0, 3},  {"让子3", 0, 3},    {"4子置碁", 0, 4},
               {"접바둑 3점", 0, 3},  {"3 stones handicap", 0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    uint8_t handicap = 77;
    int outcome = km_handicap_parse(cases[i].text, strlen(cases[i].text), &handicap);
    if (outcome != cases[i].outcome || handicap != cases[i].handicap)
      fail_msg("HA[%s]: outcome %d, handicap %d", cases[i].text, outcome, handicap);
  }
}

static void test_rank(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int outcome, number;
    char kind;
  } cases[] = {
      {"9d", 0, 9, 'd'},
      {"9p", 0, 9, 'p'},
      {"1k", 0, 1, 'k'},
      {"30k", 0, 30, 'k'},
      {"9段", 0, 9, 'd'},
      {"九段", 0, 9, 'd'},
      {"初段", 0, 1, 'd'},
      {"P9段", 0, 9, 'p'},
      {"3级", 0, 3, 'k'},
      {"3級", 0, 3, 'k'},
      {"十二级", 0, 12, 'k'},
      {"9단", 0, 9, 'd'},
      {"18급", 0, 18, 'k'},
      {"9 dan", 0, 9, 'd'},
      {"9-dan", 0, 9, 'd'},
      {"5 Kyu", 0, 5, 'k'},
      {"9D", 0, 9, 'd'},
      {"９段", 0, 9, 'd'},
      {"5 дан", 0, 5, 'd'},
      {"3 Кю", 0, 3, 'k'},
      {"4. Dan", 0, 4, 'd'},
      {"[9d]", 0, 9, 'd'},
      {"KGS 5d", 0, 5, 'd'},
      {"业5段", 0, 5, 'd'},
      {"专业九段", 0, 9, 'p'},
      {"九段(职业)", 0, 9, 'p'},
      {"9단(프로)", 0, 9, 'p'},
      {"7d (pro?)", 0, 7, 'p'},
      {"초단", 0, 1, 'd'},
      {"九段 名人", 0, 9, 'd'},
      {"9p Honinbo", 0, 9, 'p'},
      {"6d ama", 0, 6, 'd'},
      {"ama 6d", 0, 6, 'd'},
      {"业余5段", 0, 5, 'd'},
      {"职业九段", 0, 9, 'p'},
      {"프로 9단", 0, 9, 'p'},
      {"9단 프로", 0, 9, 'p'},
      {"3 dan pro", 0, 3, 'p'},
      {"pro 3", 0, 3, 'p'},
      {"7k*", 0, 7, 'k'},
      {"25k?", 0, 25, 'k'},
      {"15k* IGS", 0, 15, 'k'},
      {"13.0k", 0, 13, 'k'},
      {"16.1k", 0, 16, 'k'},
      {"6d (Xyz)", 0, 6, 'd'},
      {"9p, Honinbo", 0, 9, 'p'},
      {"9p,Honinbo", 0, 9, 'p'},
      {"Honorary 9p", 0, 9, 'p'},
      {"3d prov.", 0, 3, 'd'},
      {"provisional 3d", 0, 3, 'd'},
      /* says that there is none */
      {"", 0, 0, 0},
      {"  ", 0, 0, 0},
      {"?", 0, 0, 0},
      {"NR", 0, 0, 0},
      {"-", 0, 0, 0},
      /* not understood */
      {"1757*", 1, 0, 0},
      {"2100", 1, 0, 0},
      {"0p", 1, 0, 0},
      {"10p", 1, 0, 0},
      {"99k", 1, 0, 0},
      {"11d", 1, 0, 0},
      {"insei", 1, 0, 0},
      {"ama", 1, 0, 0},
      {"AI", 1, 0, 0},
      {"Meijin", 1, 0, 0},
      {"25th Honinbo", 1, 0, 0},
      {"十段", 1, 0, 0},
      {"5p & 9p", 1, 0, 0},
      {"6p or 7p", 1, 0, 0},
      {"7/8p", 1, 0, 0},
      {"准9段", 1, 0, 0},
      {"9 points", 1, 0, 0},
      {"Xyz Cup, 9p", 1, 0, 0},
      {"d", 1, 0, 0},
      {"-3k", 1, 0, 0},
      {"9\xb4\xdc", 1, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    km_rank rank = {7, 'x'};
    int outcome = km_rank_parse(cases[i].text, strlen(cases[i].text), &rank);
    if (outcome != cases[i].outcome || rank.number != cases[i].number || rank.kind != cases[i].kind)
      fail_msg("BR[%s]: outcome %d, %d '%c'", cases[i].text, outcome, rank.number,
               rank.kind ? rank.kind : '0');
  }
}

static void test_date(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int outcome, year, month, day, precision;
  } cases[] = {
      {"2016-09-04", 0, 2016, 9, 4, 3},
      {"2008-2-4", 0, 2008, 2, 4, 3},
      {"2011.12.28 16:13", 0, 2011, 12, 28, 3},
      {"2001/8/10", 0, 2001, 8, 10, 3},
      {"2011-10-22 12:00:00", 0, 2011, 10, 22, 3},
      {"2011-10-22T12:00:00Z", 0, 2011, 10, 22, 3},
      {"20240506", 0, 2024, 5, 6, 3},
      {"20240506-231427~20240515-212228", 0, 2024, 5, 6, 3},
      {"1647", 0, 1647, 0, 0, 1},
      {"1991-09", 0, 1991, 9, 0, 2},
      {"1925-11-", 0, 1925, 11, 0, 2},
      {"2003-00-00", 0, 2003, 0, 0, 1},
      {"0000-00-00", 0, 0, 0, 0, 0},
      /* lists and ranges: the first day */
      {"1948-07-07..09", 0, 1948, 7, 7, 3},
      {"1835-08-13,15,18,21", 0, 1835, 8, 13, 3},
      {"1926-09-27..10-18", 0, 1926, 9, 27, 3},
      {"1851-12-01,1852-07-28", 0, 1851, 12, 1, 3},
      {"1883-06,1885-07", 0, 1883, 6, 0, 2},
      {"1667-1668", 0, 1667, 0, 0, 1},
      {"1959 or 1960", 0, 1959, 0, 0, 1},
      {"2018-09-12.13", 0, 2018, 9, 12, 3},
      {"1952-03-04~15", 0, 1952, 3, 4, 3},
      {"1777-11-20+", 0, 1777, 11, 20, 3},
      {"1898-01-05..", 0, 1898, 1, 5, 3},
      /* about */
      {"ca. 1665", 0, 1665, 0, 0, 1},
      {"c. 1590", 0, 1590, 0, 0, 1},
      {"ca. 950", 0, 950, 0, 0, 1},
      {"1683 approx.", 0, 1683, 0, 0, 1},
      {"1974?", 0, 1974, 0, 0, 1},
      {"Summer 1857", 0, 1857, 0, 0, 1},
      /* words */
      {"August 1, 2001", 0, 2001, 8, 1, 3},
      {"Aug 1st 2001", 0, 2001, 8, 1, 3},
      {"4 Mar 2001", 0, 2001, 3, 4, 3},
      {"4th of March", 1, 0, 0, 0, 0},
      {"Sun, 04 Mar 2001", 0, 2001, 3, 4, 3},
      {"Sept 2001", 0, 2001, 9, 0, 2},
      {"2001年3月4日", 0, 2001, 3, 4, 3},
      {"２００１年３月", 0, 2001, 3, 0, 2},
      {"2001년 3월 4일", 0, 2001, 3, 4, 3},
      {"昭和38年5月3日", 0, 1963, 5, 3, 3},
      {"昭和三十八年五月三日", 0, 1963, 5, 3, 3},
      {"天保六年七月", 0, 1835, 0, 0, 1}, /* a month of the old calendar */
      {"弘化3年", 0, 1846, 0, 0, 1},
      {"民国59年5月", 0, 1970, 5, 0, 2},
      {"二〇一九年五月三日", 0, 2019, 5, 3, 3},
      {"2019年五月", 0, 2019, 5, 0, 2},
      {"公元1850年", 0, 1850, 0, 0, 1},
      {"2019. 5. 3.", 0, 2019, 5, 3, 3},
      {"2019 May 3", 0, 2019, 5, 3, 3},
      {"2019-May-03", 0, 2019, 5, 3, 3},
      {"Fri May  3 12:00:00 2019", 0, 2019, 5, 3, 3},
      {"Fri May  3 12:00:00 CEST 2019", 0, 2019, 5, 3, 3},
      {"May 3 12:00:00", 1, 0, 0, 0, 0},
      {"令和元年5月", 0, 2019, 5, 0, 2},
      {"平成十年", 0, 1998, 0, 0, 1},
      /* the year last */
      {"19.11.2002", 0, 2002, 11, 19, 3},
      {"12-12-1998", 0, 1998, 12, 12, 3},
      {"25/12/1998", 0, 1998, 12, 25, 3},
      {"12/25/1998", 0, 1998, 12, 25, 3},
      {"03/04/1998", 0, 1998, 0, 0, 1}, /* March or April */
      /* leap years, wrong parts */
      {"2000-02-29", 0, 2000, 2, 29, 3},
      {"1900-02-29", 1, 1900, 2, 0, 2},
      {"1800-02-30", 0, 1800, 2, 30, 3}, /* a lunar month */
      {"2001-13-01", 1, 2001, 0, 0, 1},
      {"2001-04-31", 1, 2001, 4, 0, 2},
      /* nothing, and not understood */
      {"", 0, 0, 0, 0, 0},
      {"?", 0, 0, 0, 0, 0},
      {"1670s", 1, 0, 0, 0, 0},
      {"98-03-04", 1, 0, 0, 0, 0},
      {"yesterday", 1, 0, 0, 0, 0},
      {"12345", 1, 0, 0, 0, 0},
      {"99999999999999", 1, 0, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    km_date d = {7, 7, 7, 7};
    int outcome = km_date_parse(cases[i].text, strlen(cases[i].text), &d);
    if (outcome != cases[i].outcome || d.year != cases[i].year || d.month != cases[i].month ||
        d.day != cases[i].day || d.precision != cases[i].precision)
      fail_msg("DT[%s]: outcome %d, %d-%d-%d, precision %d", cases[i].text, outcome, d.year, d.month, d.day,
               d.precision);
  }
}

static void test_rules(void **state) {
  (void)state;
  static const struct {
    const char *text;
    km_rules rules;
    int suicide;
  } cases[] = {
      {"Japanese", KM_RULES_JAPANESE, 0},
      {"JP", KM_RULES_JAPANESE, 0},
      {"日本ルール", KM_RULES_JAPANESE, 0},
      {"Chinese", KM_RULES_CHINESE, 0},
      {"cn", KM_RULES_CHINESE, 0},
      {"中国规则", KM_RULES_CHINESE, 0},
      {"Korean", KM_RULES_KOREAN, 0},
      {"한국", KM_RULES_KOREAN, 0},
      {"AGA", KM_RULES_AGA, 0},
      {"NZ", KM_RULES_NEW_ZEALAND, 1},
      {"New Zealand", KM_RULES_NEW_ZEALAND, 1},
      {"GOE", KM_RULES_ING, 1},
      {"Ing Goe", KM_RULES_ING, 1},
      {"應氏規則", KM_RULES_ING, 1},
      {"Tromp/Taylor", KM_RULES_TROMP_TAYLOR, 1},
      {"Tromp-Taylor", KM_RULES_TROMP_TAYLOR, 1},
      {"Japanese, 6.5 komi", KM_RULES_JAPANESE, 0},
      {"", KM_RULES_UNKNOWN, 0},
      {"?", KM_RULES_UNKNOWN, 0},
      {"Old Chinese", KM_RULES_OTHER, 0},
      {"Japanese or Chinese", KM_RULES_OTHER, 0},
      {"Pair go", KM_RULES_OTHER, 0},
      {"koPOSITIONALscoreAREAtaxNONEsui1", KM_RULES_TROMP_TAYLOR, 1},
      {"koSIMPLEscoreTERRITORYtaxSEKIsui0", KM_RULES_JAPANESE, 0},
      {"koSIMPLEscoreAREAtaxNONEsui0", KM_RULES_CHINESE, 0},
      {"koSITUATIONALscoreAREAtaxNONEsui0", KM_RULES_AGA, 0},
      {"koSITUATIONALscoreAREAtaxNONEsui1", KM_RULES_NEW_ZEALAND, 1},
      {"koPOSITIONALscoreAREAtaxNONEsui1button1", KM_RULES_OTHER, 1},
      {"koPOSITIONALscoreTERRITORYtaxALLsui1", KM_RULES_OTHER, 1},
      {"koPOSITIONALscoreAREAtaxSEKIsui0", KM_RULES_OTHER, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t n = strlen(cases[i].text);
    km_rules rules = km_rules_parse(cases[i].text, n);
    int suicide = km_rules_text_suicide(cases[i].text, n);
    if (rules != cases[i].rules || suicide != cases[i].suicide)
      fail_msg("RU[%s]: %s, suicide %d", cases[i].text, km_rules_name(rules), suicide);
  }
}

/* Values in the form that nearly all programs write are read by short cuts. A blank in front takes the long
 * way, which must agree. */
static void check_long_way(const char *text) {
  char padded[64];
  size_t n = strlen(text);
  int8_t winner[2];
  float margin[2], komi[2];
  uint8_t ending[2], handicap[2];
  km_rank rank[2];
  km_date date[2];
  snprintf(padded, sizeof padded, " %s", text);
  int same_result = km_result_parse(text, n, &winner[0], &margin[0], &ending[0]) ==
                    km_result_parse(padded, n + 1, &winner[1], &margin[1], &ending[1]);
  int same_komi = km_komi_parse(text, n, &komi[0]) == km_komi_parse(padded, n + 1, &komi[1]);
  int same_handicap =
      km_handicap_parse(text, n, &handicap[0]) == km_handicap_parse(padded, n + 1, &handicap[1]);
  int same_rank = km_rank_parse(text, n, &rank[0]) == km_rank_parse(padded, n + 1, &rank[1]);
  int same_date = km_date_parse(text, n, &date[0]) == km_date_parse(padded, n + 1, &date[1]);
  if (!same_result || winner[0] != winner[1] || ending[0] != ending[1] || !same(margin[0], margin[1]))
    fail_msg("RE[%s]: two answers", text);
  if (!same_komi || !same(komi[0], komi[1]))
    fail_msg("KM[%s]: two answers", text);
  if (!same_handicap || handicap[0] != handicap[1])
    fail_msg("HA[%s]: two answers", text);
  if (!same_rank || rank[0].number != rank[1].number || rank[0].kind != rank[1].kind)
    fail_msg("BR[%s]: two answers", text);
  if (!same_date || date[0].year != date[1].year || date[0].month != date[1].month ||
      date[0].day != date[1].day)
    fail_msg("DT[%s]: two answers", text);
}

static void test_short_cuts(void **state) {
  (void)state;
  static const char *const kinds[] = {"d", "k", "p", "段", "级", "x", "*"};
  static const char *const endings[] = {"R", "Resign", "T", "Time", "F", "Forfeit", "", "r", "X", "R?", "W"};
  static const char *const numbers[] = {"%d", "%d.5", "%d.25", "%d.50", "%d.", ".%d", "-%d.5", "-%d"};
  char text[64];
  for (int v = 0; v < 1200; v++) {
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
      char number[32];
      snprintf(number, sizeof number, numbers[i], v);
      check_long_way(number);
      snprintf(text, sizeof text, "%c+%s", v & 1 ? 'B' : 'W', number);
      check_long_way(text);
    }
    for (size_t i = 0; v < 120 && i < sizeof kinds / sizeof kinds[0]; i++) {
      snprintf(text, sizeof text, "%d%s", v, kinds[i]);
      check_long_way(text);
      snprintf(text, sizeof text, "P%d%s", v, kinds[i]);
      check_long_way(text);
    }
    snprintf(text, sizeof text, "%04d-%02d-%02d", 1500 + v, v % 14, v % 33);
    check_long_way(text);
  }
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    snprintf(text, sizeof text, "B+%s", endings[i]);
    check_long_way(text);
    snprintf(text, sizeof text, "W+%s", endings[i]);
    check_long_way(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_result_western_case),
      cmocka_unit_test(test_result_western),
      cmocka_unit_test(test_result_east_asian),
      cmocka_unit_test(test_result_more),
      cmocka_unit_test(test_result_unknown),
      cmocka_unit_test(test_result_odd_bytes),
      cmocka_unit_test(test_komi),
      cmocka_unit_test(test_komi_adjust),
      cmocka_unit_test(test_handicap),
      cmocka_unit_test(test_rank),
      cmocka_unit_test(test_date),
      cmocka_unit_test(test_rules),
      cmocka_unit_test(test_short_cuts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
