/* test_report_claims.c: verdicts follow from the data: each claim is turned both ways, and left open. */
#include "report_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define YES "supported"
#define NO "not supported"
#define OPEN "not decidable here"

static char folder[64], input[128], output[128];

static int make_folder(void **state) {
  (void)state;
  fixture_make_folder(folder);
  snprintf(input, sizeof input, "%s/input.json", folder);
  snprintf(output, sizeof output, "%s/report", folder);
  return 0;
}
static int remove_folder(void **state) {
  (void)state;
  fixture_remove_folder(folder);
  return 0;
}

static void expect(const char *title, const char *verdict) {
  const char *const inputs[] = {input};
  char message[320];
  if (fixture_run(inputs, 1, output, KM_PLOTS_OFF, message) != KM_OK)
    fail_msg("%s", message);
  assert_string_equal(fixture_verdict(output, title), verdict);
}

static void expect_hbs(fixture_hbs hbs, const char *title, const char *verdict) {
  fixture_put_hbs(input, &hbs);
  expect(title, verdict);
}
static void expect_phases(fixture_phases phases, const char *title, const char *verdict) {
  fixture_put_phases(input, &phases);
  expect(title, verdict);
}
static void expect_winrate(fixture_winrate winrate, const char *title, const char *verdict) {
  fixture_put_winrate(input, &winrate);
  expect(title, verdict);
}

static void test_monotone(void **state) {
  (void)state;
  fixture_hbs h = fixture_hbs_default();
  expect_hbs(h, "S keeps growing", NO);
  h.games_falling = 0;
  expect_hbs(h, "S keeps growing", YES);
  h.games_falling = 60; /* 3 % */
  expect_hbs(h, "S keeps growing", OPEN);
}

static double rise_and_fall(double x) {
  return x < 0.8 ? x / 0.8 : 1 - (x - 0.8);
}
static void test_mean_growth(void **state) {
  (void)state;
  fixture_hbs h = fixture_hbs_default();
  h.s = fixture_linear;
  expect_hbs(h, "On average S grows", YES);
  h.s = rise_and_fall;
  expect_hbs(h, "On average S grows", NO);
  h.error = 50;
  expect_hbs(h, "On average S grows", OPEN);
}

static void test_s_shape(void **state) {
  (void)state;
  fixture_hbs h = fixture_hbs_default();
  h.s = fixture_sigmoid;
  h.log2 = fixture_concave;
  expect_hbs(h, "S(t) grows in the shape of an S (read on S", YES);
  expect_hbs(h, "S(t) grows in the shape of an S (read on log2", NO);
  h.s = fixture_convex;
  h.log2 = fixture_sigmoid;
  expect_hbs(h, "S(t) grows in the shape of an S (read on S", NO);
  expect_hbs(h, "S(t) grows in the shape of an S (read on log2", YES);
  h.s = fixture_linear;
  expect_hbs(h, "S(t) grows in the shape of an S (read on S", OPEN);
  h.log2 = fixture_sigmoid;
  h.error = 0.2;
  expect_hbs(h, "S(t) grows in the shape of an S (read on log2", OPEN);
}

static void test_pace(void **state) {
  (void)state;
  fixture_hbs h = fixture_hbs_default();
  h.s = fixture_convex;
  h.log2 = fixture_concave;
  expect_hbs(h, "S grows fast in the opening and slowly at the end (read on S", NO);
  expect_hbs(h, "S grows fast in the opening and slowly at the end (read on log2", YES);
  h.error = 5;
  expect_hbs(h, "S grows fast in the opening and slowly at the end (read on S", OPEN);
}

static void test_lines(void **state) {
  (void)state;
  fixture_hbs h = fixture_hbs_default();
  expect_hbs(h, "In the opening stones fall on the outer", NO);
  h.edge_first = 2;
  h.inner_first = 20;
  expect_hbs(h, "In the opening stones fall on the outer", YES);
  h.edge_first = 20;
  h.inner_first = 19; /* the layer beside it at 20 */
  expect_hbs(h, "In the opening stones fall on the outer", OPEN);
  expect_hbs(h, "In the endgame stones fill the innermost", NO);
  h.late_inner = 0.5;
  h.late_outer = 0.1;
  expect_hbs(h, "In the endgame stones fill the innermost", YES);
  h.late_outer = 0.5;
  expect_hbs(h, "In the endgame stones fill the innermost", OPEN);
}

static void test_phases(void **state) {
  (void)state;
  fixture_phases p = fixture_phases_default();
  expect_phases(p, "Change-points of S find the conventional", NO);
  expect_phases(p, "Change-points of S agree with the judgement", OPEN); /* no labels */
  p.minus_uniform = p.minus_stones = (fixture_estimate){0.05, 0.02, 0.08};
  expect_phases(p, "Change-points of S find the conventional", YES);
  p.minus_stones.low = -0.01;
  expect_phases(p, "Change-points of S find the conventional", OPEN);
  p.kind = "labels";
  p.minus_stones.low = 0.01;
  expect_phases(p, "Change-points of S find the conventional", OPEN);
  expect_phases(p, "Change-points of S agree with the judgement", YES);
}

static void test_mean_curve(void **state) {
  (void)state;
  fixture_phases p = fixture_phases_default();
  expect_phases(p, "The mean curve turns", NO);
  p.middle = 58;
  p.endgame = 141;
  expect_phases(p, "The mean curve turns", YES);
  p.games = 900;
  expect_phases(p, "The mean curve turns", OPEN);
}

static void test_chance(void **state) {
  (void)state;
  fixture_winrate w = fixture_winrate_default();
  expect_winrate(w, "S and its change tell the winner", NO);
  w.auc = (fixture_estimate){0.55, 0.54, 0.56};
  w.gain = (fixture_estimate){0.02, 0.01, 0.03};
  expect_winrate(w, "S and its change tell the winner", YES);
  w.gain.low = -0.01; /* ranks, but names no more winners than always naming one */
  expect_winrate(w, "S and its change tell the winner", OPEN);
  w.auc = (fixture_estimate){0.51, 0.47, 0.55};
  expect_winrate(w, "S and its change tell the winner", OPEN);
}

static void test_early(void **state) {
  (void)state;
  fixture_winrate w = fixture_winrate_default();
  expect_winrate(w, "It does so above all", NO); /* no use in the opening */
  w.opening = (fixture_estimate){0.55, 0.49, 0.61};
  expect_winrate(w, "It does so above all", OPEN);
  w.opening = (fixture_estimate){0.53, 0.51, 0.55};
  w.endgame = (fixture_estimate){0.6, 0.58, 0.62};
  expect_winrate(w, "It does so above all", NO);
  w.opening = (fixture_estimate){0.7, 0.68, 0.72};
  expect_winrate(w, "It does so above all", YES);
}

static void test_added(void **state) {
  (void)state;
  const fixture_estimate more = {0.02, 0.01, 0.03}, less = {-0.02, -0.03, -0.01};
  fixture_winrate w = fixture_winrate_default();
  expect_winrate(w, "The geometry of the stones", OPEN);
  expect_winrate(w, "HBS adds to local", OPEN);
  w.all_minus_ply = more;
  w.hybrid_minus_local = less;
  expect_winrate(w, "The geometry of the stones", YES);
  expect_winrate(w, "HBS adds to local", NO);
  expect_winrate(w, "Local features added", YES);
  w.all_loss = 0.001; /* ranks better, but its probabilities are worse */
  expect_winrate(w, "The geometry of the stones", OPEN);
  w.all_minus_ply = (fixture_estimate){0.0, -0.01, 0.01};
  expect_winrate(w, "The geometry of the stones", NO);
  w.hybrid = w.all;
  expect_winrate(w, "Local features added", OPEN);
}

static void test_networks(void **state) {
  (void)state;
  fixture_winrate w = fixture_winrate_default();
  expect_winrate(w, "It stays below deep networks", YES);
  w.minus_external = (fixture_estimate){0.1, 0.05, 0.15};
  expect_winrate(w, "It stays below deep networks", NO);
  w.external = NULL;
  expect_winrate(w, "It stays below deep networks", OPEN);
}

static void test_courses(void **state) {
  (void)state;
  fixture_winrate w = fixture_winrate_default();
  expect_winrate(w, "Games that Black wins follow", NO);
  w.effect = -0.5;
  expect_winrate(w, "Games that Black wins follow", YES);
  w.effect = 0.15;
  expect_winrate(w, "Games that Black wins follow", OPEN);
}

static void test_styles(void **state) {
  (void)state;
  fixture_styles s = {0.001, 0.01, "Dosaku"};
  fixture_put_styles(input, &s);
  expect("Players of different styles", YES);
  s.p_source = 0.3; /* sources differ, players of one do not */
  fixture_put_styles(input, &s);
  expect("Players of different styles", OPEN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_monotone),   cmocka_unit_test(test_mean_growth), cmocka_unit_test(test_s_shape),
      cmocka_unit_test(test_pace),       cmocka_unit_test(test_lines),       cmocka_unit_test(test_phases),
      cmocka_unit_test(test_mean_curve), cmocka_unit_test(test_chance),      cmocka_unit_test(test_early),
      cmocka_unit_test(test_added),      cmocka_unit_test(test_networks),    cmocka_unit_test(test_courses),
      cmocka_unit_test(test_styles),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
