/* test_phases_parts.c: labels, divisions, nearness, signals: the parts of kifu-phases alone. */
#include "stage_fixture.h"

#include "phase_division.h"
#include "phase_labels.h"
#include "phase_signal.h"
#include "phase_tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- labels
 * ------------------------------------------------------------------------------------------------------ */

static km_text text(const char *bytes) {
  return (km_text){bytes, (uint32_t)strlen(bytes)};
}

static km_status labels_of(km_labels **labels, const char *csv, km_err *err) {
  write_bytes(scratch("labels.csv"), csv, strlen(csv));
  return km_labels_read(labels, scratch("labels.csv"), err);
}

static void assert_breaks(km_breaks breaks, size_t n, const uint32_t *expected) {
  assert_int_equal(breaks.n, n);
  assert_memory_equal(breaks.at, expected, n * sizeof *expected);
}

static void labels_read(void **state) {
  (void)state;
  km_labels *labels;
  km_err err = {0};
  assert_int_equal(labels_of(&labels,
                             "\xef\xbb\xbfply,note,entry,source\r\n"
                             "150,late,a.sgf,x.zip\r\n"
                             "50,,a.sgf,x.zip\n"
                             "\n"
                             "50,again,a.sgf,x.zip\n"
                             "7,\"two\nlines, and \"\"quotes\"\"\",\"b,\"\"1\"\".sgf\",x.zip\n"
                             "9,,,y.sgf",
                             &err),
                   KM_OK);
  assert_int_equal(km_labels_n(labels), 4);
  assert_breaks(km_labels_of(labels, text("x.zip"), text("a.sgf"), 1), 2, (const uint32_t[]){50, 150});
  assert_breaks(km_labels_of(labels, text("x.zip"), text("b,\"1\".sgf"), 1), 1, (const uint32_t[]){7});
  assert_breaks(km_labels_of(labels, text("y.sgf"), (km_text){NULL, 0}, 1), 1, (const uint32_t[]){9});
  assert_int_equal(km_labels_of(labels, text("x.zip"), text("a.sgf"), 2).n, 0);
  assert_int_equal(km_labels_of(labels, text("a.sgf"), text("x.zip"), 1).n, 0);
  km_labels_free(labels);
  assert_int_equal(labels_of(&labels, "source,entry,game,ply\ns,e,2,4\ns,e,,5\n", &err), KM_OK);
  assert_breaks(km_labels_of(labels, text("s"), text("e"), 2), 1, (const uint32_t[]){4});
  assert_breaks(km_labels_of(labels, text("s"), text("e"), 1), 1, (const uint32_t[]){5});
  km_labels_free(labels);
  assert_int_equal(labels_of(&labels, "source,entry,ply\n", &err), KM_OK);
  assert_int_equal(km_labels_n(labels), 0);
  km_labels_free(labels);
}

static void labels_refused(void **state) {
  static const struct {
    const char *csv, *text;
  } cases[] = {
      {"", "no column source"},
      {"source,entry\n", "no column ply"},
      {"source,entry,ply\na,b,0\n", "line 2: ply"},
      {"source,entry,ply\na,b,5\na,b,five\n", "line 3: ply"},
      {"source,entry,ply\na,b\n", "line 2: ply"},
      {"source,entry,ply\na,b,99999999999\n", "line 2: ply"},
      {"source,entry,game,ply\na,b,0,5\n", "line 2: game"},
      {"source,entry,ply\n\"a,b,5\n", "quote is not closed"},
      {"source,entry,ply\n\"a\"x,b,5\n", "line 2: text behind a quoted field"},
      {"source,entry,ply\n\"a\n\n\",b,5\nc,d,-1\n", "line 5: ply"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    km_labels *labels;
    km_err err = {0};
    assert_int_equal(labels_of(&labels, cases[i].csv, &err), KM_ERR_FORMAT);
    assert_null(labels);
    if (!strstr(err.msg, cases[i].text))
      fail_msg("case %zu: %s", i, err.msg);
  }
  km_labels *labels;
  km_err err = {0};
  assert_int_equal(km_labels_read(&labels, scratch("none.csv"), &err), KM_ERR_IO);
}

/* ---- divisions
 * --------------------------------------------------------------------------------------------------- */

static void assert_division(km_division division, uint32_t a, uint32_t b) {
  assert_int_equal(division.at[0], a);
  assert_int_equal(division.at[1], b);
}

static void rules(void **state) {
  (void)state;
  km_division at19 = {{50, 150}};
  assert_division(km_divide_uniform(3), 1, 2);
  assert_division(km_divide_uniform(100), 33, 66);
  assert_division(km_divide_conventional(at19, 19), 50, 150);
  assert_division(km_divide_conventional(at19, 9), 11, 34);  /* 11.2, 33.7 */
  assert_division(km_divide_conventional(at19, 13), 23, 70); /* 23.4, 70.2 */
  assert_division(km_divide_conventional(at19, 1), 1, 2);
}

static uint16_t point(const char *sgf) {
  return (uint16_t)((sgf[1] - 'a') * 9 + sgf[0] - 'a');
}

/* A game on 9×9: the first contact is move 7; White's stone is captured by move 9. */
static void by_moves(void **state) {
  static const char *const played[] = {"cc", "gg", "gc", "cg", "ee", "aa",
                                       "ba", "hh", "ab", "ii", "ha", "ia"};
  enum { MOVES = 12 };
  (void)state;
  km_move moves[MOVES];
  for (uint32_t t = 0; t < MOVES; t++)
    moves[t] = (km_move){point(played[t]), t % 2 ? KM_WHITE : KM_BLACK, 0};
  km_game game = {.rows = 9, .cols = 9, .n_moves = MOVES, .moves = moves, .final_to_play = KM_BLACK};
  km_changepoint_options options = km_changepoint_defaults();
  km_move_divider *divider = km_move_divider_new(64);
  km_changepoint *workspace = km_changepoint_new();
  km_division divisions[KM_METHODS];
  km_err err = {0};
  assert_int_equal(km_divide_moves(divider, workspace, &game, &options, divisions, &err), KM_OK);
  assert_division(divisions[KM_METHOD_CONTACT], 7, 10); /* 7, and half of the 6 that follow */
  double stones[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 11},
         captures[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  km_division expected;
  int found;
  assert_int_equal(
      km_divide_series(workspace, &(km_series){stones, MOVES + 1, 1}, &options, &expected, &found, &err),
      KM_OK);
  assert_true(found);
  assert_division(divisions[KM_METHOD_STONES], expected.at[0], expected.at[1]);
  assert_int_equal(
      km_divide_series(workspace, &(km_series){captures, MOVES + 1, 1}, &options, &expected, &found, &err),
      KM_OK);
  assert_division(divisions[KM_METHOD_CAPTURES], expected.at[0], expected.at[1]);
  double lines[] = {3, 3, 3, 3, 3, 17. / 5, 18. / 6, 19. / 7, 21. / 8, 22. / 9, 23. / 10, 21. / 10, 19. / 10};
  assert_int_equal(
      km_divide_series(workspace, &(km_series){lines, MOVES + 1, 1}, &options, &expected, &found, &err),
      KM_OK);
  assert_division(divisions[KM_METHOD_LINES], expected.at[0], expected.at[1]);
  for (uint32_t t = 0; t < MOVES; t++) /* passes only: nothing to go by */
    moves[t].point = 81;
  assert_int_equal(km_divide_moves(divider, workspace, &game, &options, divisions, &err), KM_OK);
  for (int m = KM_METHOD_STONES; m < KM_METHODS; m++)
    assert_division(divisions[m], 4, 8);
  km_move_divider_free(divider);
  km_changepoint_free(workspace);
}

static void nearness(void **state) {
  (void)state;
  double near[KM_NEARNESSES];
  const uint32_t truth[] = {50, 150}, same[] = {50, 150}, off[] = {45, 170}, one[] = {60};
  km_compare_breaks(near, (km_breaks){truth, 2}, (km_breaks){same, 2}, 200, 10);
  assert_true(near[KM_NEAR_F1] == 1 && near[KM_NEAR_HAUSDORFF] == 0 && near[KM_NEAR_ARI] == 1 &&
              near[KM_NEAR_COVERING] == 1 && near[KM_NEAR_DISTANCE] == 0);
  km_compare_breaks(near, (km_breaks){truth, 2}, (km_breaks){off, 2}, 200, 10);
  assert_true(near[KM_NEAR_F1] == 0.5 && near[KM_NEAR_HAUSDORFF] == 20 && near[KM_NEAR_DISTANCE] == 12.5);
  km_compare_breaks(near, (km_breaks){truth, 2}, (km_breaks){one, 1}, 200, 10);
  assert_float_equal(near[KM_NEAR_F1], 2. / 3, 1e-15);
  assert_true(near[KM_NEAR_DISTANCE] == 50);
  km_compare_breaks(near, (km_breaks){truth, 2}, (km_breaks){NULL, 0}, 200, 10);
  assert_true(near[KM_NEAR_F1] == 0 && near[KM_NEAR_HAUSDORFF] == 200 && near[KM_NEAR_DISTANCE] == 200);
}

/* ---- signals
 * ----------------------------------------------------------------------------------------------------- */

static void signals_parse(void **state) {
  static const char *const bad[] = {"",         "log",      "layer:",  "layer:0",    "layer:53",
                                    "layer:5x", "layers:3", "delta:0", "delta:1001", "delta:-1"};
  (void)state;
  km_signal signal;
  km_err err = {0};
  assert_int_equal(km_signal_parse(&signal, "delta", &err), KM_OK);
  assert_int_equal(signal.window, 10);
  assert_int_equal(km_signal_parse(&signal, "layer:17", &err), KM_OK);
  assert_int_equal(km_signal_channels(&signal, 19), 1);
  assert_int_equal(km_signal_channels(&signal, 18), 0);
  assert_int_equal(km_signal_channels(&signal, 15), 0);
  assert_int_equal(km_signal_parse(&signal, "layers", &err), KM_OK);
  assert_int_equal(km_signal_channels(&signal, 19), 9);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    assert_int_equal(km_signal_parse(&signal, bad[i], &err), KM_ERR_USAGE);
}

static void signals_filled(void **state) {
  (void)state;
  enum { N = 5 };
  /* one limb is used of two; layers: sides 5 and 3 */
  uint64_t s[2 * N] = {0, 0, 7, 0, 7, 0, 3, 0, 1023, 0};
  uint64_t layers[4 * N] = {0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 7, 0, 0, 0, 3, 0, 1023, 0, 0, 0};
  km_hbs_store_series series = {.n = N, .s = s, .layers = layers};
  km_signal signal;
  double out[2 * N];
  assert_int_equal(km_signal_parse(&signal, "log2", NULL), KM_OK);
  signal.n_limbs = 2;
  signal.n_layers = 2;
  km_signal_fill(&signal, 5, &series, out);
  assert_memory_equal(out, ((const double[]){0, 3, 3, 2, 10}), sizeof(double) * N);
  signal.skip_empty = 1;
  km_signal_fill(&signal, 5, &series, out);
  assert_memory_equal(out, ((const double[]){3, 3, 3, 2, 10}), sizeof(double) * N);
  const km_hbs_store_series kept = {.n = N, .log2 = (const double[]){0, 0, 3, 2, 10}};
  km_signal_fill(&signal, 5, &kept, out);
  assert_memory_equal(out, ((const double[]){3, 3, 3, 2, 10}), sizeof(double) * N);
  const km_hbs_store_series empty = {.n = N, .log2 = (const double[N]){0}};
  km_signal_fill(&signal, 5, &empty, out);
  assert_memory_equal(out, empty.log2, sizeof(double) * N);
  signal.kind = KM_SIGNAL_DELTA;
  signal.window = 2;
  signal.skip_empty = 0;
  km_signal_fill(&signal, 5, &series, out);
  const double delta[N] = {0, 3, 3, -log2(5), log2(1017)};
  for (size_t t = 0; t < N; t++)
    assert_float_equal(out[t], delta[t], 1e-12);
  signal.kind = KM_SIGNAL_LAYERS;
  km_signal_fill(&signal, 5, &series, out);
  assert_memory_equal(out, ((const double[]){0, 3, 0, 0, 10, 0, 0, 3, 2, 0}), sizeof out);
  signal.kind = KM_SIGNAL_LAYER;
  signal.side = 3;
  km_signal_fill(&signal, 5, &series, out);
  assert_memory_equal(out, ((const double[]){0, 0, 3, 2, 0}), sizeof(double) * N);
}

/* ---- the comparison
 * ---------------------------------------------------------------------------------------------- */

/* Means are those of the games; the interval of a constant is a point; differences are paired. */
static void comparison(void **state) {
  (void)state;
  enum { GAMES = 6000 }; /* more than groups */
  km_phases_options options = {.replicates = 200};
  options.run.seed = 5;
  km_phase_shared shared = {.options = &options, .at19 = {{50, 150}}};
  km_tallies tallies = {.shared = &shared};
  uint32_t breaks[] = {40, 90, 140};
  double means[4] = {0}, log2[200] = {0}, sum = 0;
  for (uint64_t i = 0; i < GAMES; i++) {
    km_phase_game g = {.game = i,
                       .size = i % 3 ? 19 : 13,
                       .n = 200,
                       .changes = {breaks, 3},
                       .means = means,
                       .three = {{30 + (uint32_t)(i % 7), 100}},
                       .log2 = log2,
                       .compared = 1,
                       .reference = {breaks, 2}};
    double value = (double)(km_mix64(i) % 1000) / 1000;
    for (int m = 0; m < KM_METHODS; m++)
      g.has_method[m] = m != KM_METHOD_CONVENTIONAL;
    g.nearness[KM_METHOD_HBS][KM_NEAR_F1] = value;
    g.nearness[KM_METHOD_UNIFORM][KM_NEAR_F1] = value - 0.25;
    sum += value;
    assert_int_equal(km_tallies_add(&tallies, &g, NULL), KM_OK);
  }
  km_compare_result all, size19;
  assert_int_equal(km_tallies_compare(&tallies, 0, &all, NULL), KM_OK);
  assert_int_equal(km_tallies_compare(&tallies, 19, &size19, NULL), KM_OK);
  assert_int_equal(all.n_games, GAMES);
  assert_int_equal(size19.n_games, GAMES / 3 * 2);
  assert_false(all.has_method[KM_METHOD_CONVENTIONAL]);
  km_interval hbs = all.mean[KM_METHOD_HBS][KM_NEAR_F1], gain = all.difference[KM_METHOD_UNIFORM][KM_NEAR_F1];
  assert_float_equal(hbs.value, sum / GAMES, 1e-12);
  double error = 0.2887 / sqrt(GAMES); /* of the mean of a uniform number */
  assert_true(hbs.low < hbs.value - error && hbs.low > hbs.value - 4 * error);
  assert_true(hbs.high > hbs.value + error && hbs.high < hbs.value + 4 * error);
  assert_float_equal(gain.low, 0.25, 1e-9);
  assert_float_equal(gain.high, 0.25, 1e-9);
  const km_tally *tally = tallies.of_size[13];
  assert_int_equal(tally->by_move[90], GAMES / 3);
  assert_int_equal(tally->by_fraction[45], GAMES / 3);
  assert_int_equal(tally->changes[3], GAMES / 3);
  assert_int_equal(tally->n_examples, KM_EXAMPLES);
  for (size_t i = 1; i < KM_EXAMPLES; i++)
    assert_true(tally->examples[i - 1].rank < tally->examples[i].rank);
  /* phases of 13×13 begin at 23 and 70 */
  assert_int_equal(tally->phase_changes[0], 0);
  assert_int_equal(tally->phase_changes[1], GAMES / 3);
  assert_int_equal(tally->phase_changes[2], 2 * (GAMES / 3));
  assert_int_equal(tally->phase_positions[1], 47 * (GAMES / 3));
  km_tallies_clear(&tallies);
  options.replicates = 0;
  assert_int_equal(km_tallies_compare(&tallies, 0, &all, NULL), KM_OK);
  assert_int_equal(all.n_games, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_read),    cmocka_unit_test(labels_refused), cmocka_unit_test(rules),
      cmocka_unit_test(by_moves),       cmocka_unit_test(nearness),       cmocka_unit_test(signals_parse),
      cmocka_unit_test(signals_filled), cmocka_unit_test(comparison),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
