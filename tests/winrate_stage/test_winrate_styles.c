/* test_winrate_styles.c: players who differ are told apart, players who do not are not; curves and indices against sums made by
 * hand. */
#include "winrate_games.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"Aoki", "Benjamin", "Chen", "Dana", "Eun", "Fujita", "Gao", "Hana"};
static winrate_kind kind = {.seed = 8, .n = 900, .edge_won = 0.5, .edge_lost = 0.5, .players = names, .n_players = 8};

static json_t *styles_of(const char *name, int by_player, int min_games) {
  kind.by_player = by_player;
  km_winrate_options *o = winrate_options(scratch("w.json"), winrate_games(name, &kind), NULL);
  o->features = "constant";
  o->min_games = min_games;
  o->early_ply = 30;
  run_winrate(o);
  free(o);
  return read_json(scratch("w.styles.json"));
}

static const json_t *test_of(const json_t *styles, const char *of) {
  size_t i;
  const json_t *t;
  json_array_foreach(json_object_get(styles, "tests"), i, t) {
    if (strcmp(json_string_value(json_object_get(t, "of")), of) == 0)
      return t;
  }
  fail_msg("no test of %s", of);
  return NULL;
}

static void differences_are_found(void **state) {
  (void)state;
  json_t *styles = styles_of("differ.h5", 1, 50);
  const json_t *players = json_object_get(styles, "players"), *map = json_object_get(styles, "map");
  assert_int_equal(json_array_size(players), 8);
  assert_true(json_double(test_of(styles, "log2"), "p_value") <= 0.01);
  assert_true(json_double(test_of(styles, "layers"), "p_value") <= 0.01);
  assert_true(json_double(test_of(styles, "log2"), "between") > json_double(test_of(styles, "log2"), "within"));
  assert_int_equal(json_double(test_of(styles, "log2"), "objects"), 16);
  assert_true(json_double(json_object_get(json_object_get(styles, "index"), "hbs"), "icc") > 0.02);
  assert_int_equal(json_array_size(json_object_get(map, "players")), 8);
  json_decref(styles);
}

static void none_are_made_up(void **state) {
  (void)state;
  json_t *styles = styles_of("same.h5", 0, 50);
  assert_true(json_double(test_of(styles, "log2"), "p_value") > 0.01);
  assert_true(json_double(json_object_get(json_object_get(styles, "index"), "hbs"), "icc") < 0.015);
  json_decref(styles);
}

/* Players with most games first, each with its own number of them; the rest are seen, not described. */
static void players_are_counted(void **state) {
  (void)state;
  json_t *styles = styles_of("same.h5", 0, 210);
  const json_t *players = json_object_get(styles, "players"), *p;
  size_t i;
  double last = INFINITY;
  assert_int_equal(json_double(styles, "players_seen"), 8);
  assert_in_range(json_array_size(players), 1, 8);
  json_array_foreach(players, i, p) {
    double games = json_double(p, "games");
    assert_true(games >= 210 && games <= last && games == json_double(p, "as_black") + json_double(p, "as_white"));
    assert_string_equal(json_string_value(json_object_get(p, "source")), "made.zip");
    const json_t *black = json_object_get(p, "black");
    assert_int_equal(json_integer_value(json_array_get(json_object_get(black, "n"), 0)), json_double(p, "as_black"));
    assert_true(json_number_value(json_array_get(json_object_get(black, "log2"), 0)) == 0); /* the empty board */
    assert_int_equal(json_array_size(json_object_get(black, "layers")), 4);
    assert_int_equal(json_double(json_object_get(json_object_get(p, "index"), "line"), "n"), games);
    last = games;
  }
  json_decref(styles);
}

static void nobody_is_no_error(void **state) {
  (void)state;
  json_t *styles = styles_of("same.h5", 0, 100000);
  assert_int_equal(json_array_size(json_object_get(styles, "players")), 0);
  assert_int_equal(json_array_size(json_object_get(styles, "tests")), 0);
  assert_true(json_is_null(json_object_get(json_object_get(styles, "index"), "correlation")));
  json_decref(styles);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(differences_are_found), cmocka_unit_test(none_are_made_up),
                                     cmocka_unit_test(players_are_counted), cmocka_unit_test(nobody_is_no_error)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
