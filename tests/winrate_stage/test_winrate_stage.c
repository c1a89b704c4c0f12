/* test_winrate_stage.c: the whole stage on made games: a signal is found and measured, none is made up, counts add up, others'
 * win-rates are scored as they are, and what is wrong is said. */
#include "winrate_games.h"

#include "hbs_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const winrate_kind signal = {.seed = 1, .n = 700, .edge_won = 0.85, .edge_lost = 0.15};
static const winrate_kind silence = {.seed = 2, .n = 700, .edge_won = 0.5, .edge_lost = 0.5};

static json_t *run_on(const char *name, km_winrate_options *o) {
  char path[64];
  snprintf(path, sizeof path, "%s.json", name);
  o->run.output = scratch(path);
  run_winrate(o);
  free(o);
  return read_json(scratch(path));
}

static double coefficient(const json_t *json, const char *model, size_t segment, const char *column, const char *field) {
  const json_t *models = json_object_get(json, "models");
  size_t i, k;
  const json_t *m, *c;
  json_array_foreach(models, i, m) {
    if (strcmp(json_string_value(json_object_get(m, "name")), model) != 0)
      continue;
    const json_t *fit = json_array_get(json_object_get(m, "fits"), segment);
    assert_string_equal(json_string_value(json_object_get(fit, "outcome")), "converged");
    json_array_foreach(json_object_get(fit, "coefficients"), k, c) {
      if (strcmp(json_string_value(json_object_get(c, "name")), column) == 0)
        return json_double(c, field);
    }
  }
  fail_msg("model %s has no column %s", model, column);
  return 0;
}

/* Games enough for segments of their own: before the first move nothing can be known, afterwards 0.85. */
static void signal_is_found(void **state) {
  (void)state;
  winrate_kind large = signal;
  large.n = 1600;
  km_winrate_options *o = winrate_options("", winrate_games("large.h5", &large), NULL);
  o->features = "hbs";
  json_t *json = run_on("signal", o);
  assert_int_equal(json_array_size(json_object_get(json, "segments")), 3);
  const json_t *results = json_object_get(json, "results"), *all = winrate_result(results, "hbs", "all", "all");
  assert_true(winrate_figure(all, "auc", "low") > 0.7);
  assert_true(winrate_figure(all, "accuracy", "low") > 0.6);
  assert_true(winrate_figure(winrate_minus(all, "constant"), "log_loss", "high") < 0);
  assert_true(winrate_figure(winrate_minus(all, "ply_komi"), "accuracy", "low") > 0);
  const json_t *late = winrate_result(results, "hbs", "ply", "20-30");
  assert_true(fabs(winrate_figure(late, "accuracy", "value") - 0.85) < 0.05); /* all that can be known */
  assert_true(coefficient(json, "hbs", 1, "log2_black", "z") > 8);
  assert_true(coefficient(json, "hbs", 1, "log2_black", "se_cluster") >
              1.5 * coefficient(json, "hbs", 1, "log2_black", "se")); /* positions of a game agree */
  assert_true(winrate_figure(winrate_result(results, "constant", "all", "all"), "auc", "high") < 0.55);
  json_decref(json);
}

static void no_signal_is_made_up(void **state) {
  static const char *const models[] = {"hbs", "hbs_delta", "hbs_layers", "hbs_both", "hbs_all", "local", "hybrid"};
  (void)state;
  json_t *json = run_on("silence", winrate_options("", winrate_games("silence.h5", &silence), NULL));
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const json_t *all = winrate_result(json_object_get(json, "results"), models[i], "all", "all");
    assert_true(winrate_figure(all, "auc", "low") < 0.5 && winrate_figure(all, "auc", "high") > 0.46);
    assert_true(winrate_figure(winrate_minus(all, "constant"), "log_loss", "high") > 0);
  }
  assert_true(fabs(coefficient(json, "hbs", 0, "log2_black", "z")) < 3);
  json_decref(json);
}

static void network(void **state) {
  (void)state;
  km_winrate_options *o = winrate_options("", winrate_games("signal.h5", &signal), NULL);
  o->model = KM_WINRATE_MLP;
  o->features = "hbs";
  o->folds = 2;
  o->hidden = 8;
  o->epochs = 15;
  json_t *json = run_on("network", o);
  const json_t *all = winrate_result(json_object_get(json, "results"), "hbs/mlp", "all", "all");
  assert_true(winrate_figure(all, "auc", "low") > 0.65);
  const json_t *models = json_object_get(json, "models"), *last = json_array_get(models, json_array_size(models) - 1);
  assert_string_equal(json_string_value(json_object_get(last, "kind")), "mlp");
  assert_int_equal(json_array_size(json_object_get(last, "training")), 2);
  assert_int_equal(json_array_size(json_object_get(last, "fits")), 0);
  json_decref(json);
}

/* Counts against the games themselves; every bucket's positions add up; the constant is right as often as Black wins or loses. */
static void counts_add_up(void **state) {
  (void)state;
  size_t drawn = 0, unknown = 0, black = 0, white = 0;
  for (size_t i = 0; i < silence.n; i++) {
    int winner = winrate_winner(&silence, i);
    drawn += winner == KM_WINNER_DRAW;
    unknown += winner == KM_WINNER_UNKNOWN;
    black += winner == KM_WINNER_BLACK;
    white += winner == KM_WINNER_WHITE;
  }
  km_winrate_options *o = winrate_options("", winrate_games("counts.h5", &silence), NULL);
  o->features = "hbs";
  o->sample = "per-game:7";
  json_t *json = run_on("counts", o);
  const json_t *games = json_object_get(json, "games"), *results = json_object_get(json, "results"), *r;
  assert_int_equal(json_double(games, "read"), silence.n);
  assert_int_equal(json_double(games, "drawn"), drawn);
  assert_int_equal(json_double(games, "no_winner"), unknown);
  assert_int_equal(json_double(games, "used"), black + white);
  assert_int_equal(json_double(games, "black_won"), black);
  assert_int_equal(json_double(json, "positions"), 7 * (black + white));
  double by_ply = 0, by_phase = 0;
  size_t i;
  json_array_foreach(results, i, r) {
    int is_constant = strcmp(json_string_value(json_object_get(r, "model")), "constant") == 0;
    const char *by = json_string_value(json_object_get(r, "by"));
    by_ply += is_constant && strcmp(by, "ply") == 0 ? json_double(r, "positions") : 0;
    by_phase += is_constant && strcmp(by, "phase") == 0 ? json_double(r, "positions") : 0;
    assert_true(winrate_figure(r, "brier", "low") <= winrate_figure(r, "brier", "value"));
  }
  assert_int_equal(by_ply, 7 * (black + white));
  assert_int_equal(by_phase, 7 * (black + white));
  assert_true(fabs(json_double(winrate_result(results, "constant", "all", "all"), "black_won") -
                   (double)black / (double)(black + white)) < 1e-9);
  json_decref(json);
}

static void one_split_and_thinning(void **state) {
  (void)state;
  km_winrate_options *o = winrate_options("", winrate_games("signal.h5", &signal), NULL);
  o->features = "hbs";
  o->folds = 0;
  o->split = "0.5,0.2,0.3";
  json_t *whole = run_on("split", o);
  double used = json_double(json_object_get(whole, "games"), "used");
  const json_t *all = winrate_result(json_object_get(whole, "results"), "hbs", "all", "all");
  assert_true(fabs(json_double(all, "games") / used - 0.3) < 0.05);
  assert_true(winrate_figure(all, "auc", "low") > 0.65);
  o = winrate_options("", winrate_games("signal.h5", &signal), NULL);
  o->features = "hbs";
  o->max_positions = 1500;
  json_t *thin = run_on("thin", o);
  assert_in_range(json_double(thin, "positions"), 1200, 1800);
  assert_int_equal(json_double(json_object_get(thin, "games"), "used") + json_double(json_object_get(thin, "games"), "thinned"),
                   used);
  json_decref(whole);
  json_decref(thin);
}

/* A file that is right in three of four games, and names that fit nothing. */
static void write_external(const char *path, size_t *n_right, size_t *n) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  *n = *n_right = 0;
  fprintf(out, "source,entry,ply,black_winrate,black_score_lead\n");
  for (size_t i = 0; i < signal.n; i++)
    for (unsigned ply = 0; ply <= 45; ply += 9) {
      int winner = winrate_winner(&signal, i), right = i % 4 != 0, black = (winner == KM_WINNER_BLACK) == right;
      fprintf(out, "far/away/made.zip,%zu.sgf,%u,%s,%d\n", i, ply, black ? "0.75" : "0.25", black ? 8 : -8);
      if (ply > WINRATE_MOVES || (winner != KM_WINNER_BLACK && winner != KM_WINNER_WHITE))
        continue;
      ++*n;
      *n_right += right;
    }
  fprintf(out, "made.zip,none.sgf,3,0.5,0\nmade.zip,0.sgf,9,0.5,0\n");
  assert_int_equal(fclose(out), 0);
}

static void externals(void **state) {
  (void)state;
  size_t n, n_right;
  winrate_kind kind = signal;
  kind.with_evals = 1;
  write_external(scratch("rates.csv"), &n_right, &n);
  km_winrate_options *o = winrate_options("", winrate_games("evals.h5", &kind), NULL);
  o->features = "hbs";
  o->external = scratch("rates.csv");
  json_t *json = run_on("external", o);
  const json_t *list = json_object_get(json, "external"), *file = json_array_get(list, 0), *records = json_array_get(list, 1);
  assert_int_equal(json_array_size(list), 2);
  assert_string_equal(json_string_value(json_object_get(file, "name")), "rates.csv");
  assert_int_equal(json_double(file, "matched"), n);
  assert_int_equal(json_double(file, "no_game"), 1);
  assert_int_equal(json_double(file, "duplicate"), 1);
  assert_int_equal(json_double(file, "rows"), json_double(file, "matched") + json_double(file, "no_game") +
                                                  json_double(file, "duplicate") + json_double(file, "no_ply") +
                                                  json_double(file, "not_used") + json_double(file, "ambiguous"));
  const json_t *as_it_is = winrate_result(json_object_get(file, "results"), "external", "all", "all");
  assert_true(fabs(winrate_figure(as_it_is, "accuracy", "value") - (double)n_right / (double)n) < 1e-9);
  double right = (double)n_right / (double)n, loss = -right * log(0.75) - (1 - right) * log(0.25);
  assert_true(fabs(winrate_figure(as_it_is, "log_loss", "value") - loss) < 1e-9);
  const json_t *calibrated = winrate_result(json_object_get(file, "results"), "external:score", "all", "all");
  assert_true(fabs(winrate_figure(calibrated, "accuracy", "value") - right) < 1e-9);
  winrate_minus(winrate_result(json_object_get(file, "results"), "hbs", "all", "all"), "external");
  assert_string_equal(json_string_value(json_object_get(records, "name")), "record:sbkv");
  double evals = json_double(records, "matched");
  as_it_is = winrate_result(json_object_get(records, "results"), "external", "all", "all");
  assert_true(evals > 0 && json_double(records, "rows") == evals + json_double(records, "not_used"));
  assert_true(fabs(winrate_figure(as_it_is, "accuracy", "value") - 10.0 / 13) < 1e-9); /* 13 plies, of which 12, 24, 36 are wrong */
  json_decref(json);
}

/* hbs.h5 changes nothing but that it was checked; another's is refused. */
static void trajectories_are_checked(void **state) {
  (void)state;
  const char *games = winrate_games("signal.h5", &signal), *others = winrate_games("others.h5", &silence);
  km_hbs_options *h = stage_options(&km_hbs_stage, scratch("signal.hbs.h5"), games, NULL);
  run_stage(&km_hbs_stage, h);
  free(h);
  km_winrate_options *o = winrate_options("", games, scratch("signal.hbs.h5"));
  o->features = "hbs";
  json_t *json = run_on("checked", o);
  assert_int_equal(json_double(json_object_get(json, "settings"), "hbs_checked"), signal.n);
  json_decref(json);
  o = winrate_options(scratch("refused.json"), others, scratch("signal.hbs.h5"));
  run_stage_fails(&km_winrate_stage, o, KM_ERR_STATE, "was not made from");
  free(o);
}

static void what_is_wrong_is_said(void **state) {
  (void)state;
  const char *games = winrate_games("signal.h5", &signal);
  km_winrate_options *o = winrate_options(scratch("no.json"), games, NULL);
  o->board = 19;
  run_stage_fails(&km_winrate_stage, o, KM_ERR_FORMAT, "nothing to learn from");
  o->board = 9;
  o->features = "hbs,nonsense";
  run_stage_fails(&km_winrate_stage, o, KM_ERR_USAGE, "nonsense");
  o->features = "hbs";
  o->external = scratch("absent.csv");
  run_stage_fails(&km_winrate_stage, o, KM_ERR_IO, "absent.csv");
  free(o);
  o = winrate_options(scratch("no.json"), scratch("absent.h5"), NULL);
  run_stage_fails(&km_winrate_stage, o, KM_ERR_IO, "absent.h5");
  free(o);
  o = winrate_options("/nowhere/at/all.json", games, NULL);
  run_stage_fails(&km_winrate_stage, o, KM_ERR_IO, "/nowhere/at/all.json");
  free(o);
  write_bytes(scratch("there.csv"), "x", 1);
  o = winrate_options(scratch("there.json"), games, NULL);
  o->run.force = 0;
  run_stage_fails(&km_winrate_stage, o, KM_ERR_STATE, "there.csv exists; --force overwrites it");
  free(o);
}

/* Every line of the CSV has its header's fields, and the figure of the JSON. */
static void csv_is_the_json(void **state) {
  (void)state;
  km_winrate_options *o = winrate_options("", winrate_games("signal.h5", &signal), NULL);
  o->features = "hbs";
  json_t *json = run_on("table", o);
  size_t n_bytes, n_lines = 0, i;
  char *bytes = read_bytes(scratch("table.csv"), &n_bytes), *rest = bytes, *line;
  double seen = NAN;
  while ((line = strsep(&rest, "\n")) && *line) {
    int commas = 0;
    for (const char *c = line; *c; c++)
      commas += *c == ',';
    assert_int_equal(commas, 12);
    if (strncmp(line, "\"held-out\",hbs,,all,all,0,,auc,", 31) == 0)
      seen = atof(line + 31);
    n_lines++;
  }
  const json_t *results = json_object_get(json, "results"), *r;
  size_t expect = 1;
  json_array_foreach(results, i, r) {
    expect += 5 * (1 + json_array_size(json_object_get(r, "minus")));
  }
  assert_int_equal(n_lines, expect);
  assert_true(fabs(seen - winrate_figure(winrate_result(results, "hbs", "all", "all"), "auc", "value")) < 1e-9);
  free(bytes);
  json_decref(json);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signal_is_found),       cmocka_unit_test(no_signal_is_made_up),
      cmocka_unit_test(network),               cmocka_unit_test(counts_add_up),
      cmocka_unit_test(one_split_and_thinning), cmocka_unit_test(externals),
      cmocka_unit_test(trajectories_are_checked), cmocka_unit_test(what_is_wrong_is_said),
      cmocka_unit_test(csv_is_the_json),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
