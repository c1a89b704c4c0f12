/* test_winrate_opinions.c: the CSV of others' win-rates: quoting, line ends, duplicates, names, gzip, and what is refused where. */
#include "winrate_games.h"

#include "opinions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static km_text text_of(const char *text) { return (km_text){text, (uint32_t)strlen(text)}; }

static km_opinions *load(const char *name, const char *text) {
  km_opinions *o;
  km_err err = {0};
  write_bytes(scratch(name), text, strlen(text));
  if (km_opinions_load(&o, scratch(name), &err) != KM_OK)
    fail_msg("%s", err.msg);
  return o;
}

static void reading(void **state) {
  (void)state;
  km_opinions *o = load("a.csv", "\xef\xbb\xbf" "ply,more,source,black_winrate,entry,black_score_lead\r\n"
                                 "7,x,some/way/a.zip,0.25,\"g \"\"1\"\", final.sgf\",-3.5\r\n"
                                 "\r\n"
                                 "3,,a.zip,,\"g \"\"1\"\", final.sgf\",2\n"
                                 "7,x,a.zip,0.99,\"g \"\"1\"\", final.sgf\",1\n"
                                 "0,x,b.zip,1,other.sgf,\n"
                                 "5,x,c.zip,0,other.sgf,4");
  km_text name = text_of("g \"1\", final.sgf");
  size_t n;
  assert_string_equal(km_opinions_name(o), "a.csv");
  assert_int_equal(km_opinions_rows(o), 5);
  assert_int_equal(km_opinions_duplicates(o), 1);
  km_opinions_meet(o, 4, text_of("a.zip"), name);
  km_opinions_meet(o, 5, text_of("a.zip"), text_of("none.sgf"));
  km_opinions_meet(o, 6, text_of("c.zip"), text_of("other.sgf"));
  km_opinions_meet(o, 7, text_of("elsewhere/c.zip"), text_of("other.sgf"));
  const km_opinion *found = km_opinions_of(o, 4, text_of("here/a.zip"), name, &n);
  assert_int_equal(n, 2);
  assert_true(found[0].ply == 3 && isnan(found[0].win) && found[0].score == 2);
  assert_true(found[1].ply == 7 && found[1].win == 0.25f && found[1].score == -3.5f); /* the first of the two */
  km_opinions_of(o, 5, text_of("a.zip"), name, &n); /* another game's name */
  assert_int_equal(n, 0);
  km_opinions_of(o, 6, text_of("c.zip"), text_of("other.sgf"), &n); /* two games have it */
  assert_int_equal(n, 0);
  uint64_t no_game, ambiguous;
  km_opinions_unmet(o, &no_game, &ambiguous);
  assert_int_equal(no_game, 1);
  assert_int_equal(ambiguous, 1);
  km_opinions_free(o);
}

static void gzipped(void **state) {
  static const char text[] = "source,entry,ply,black_winrate\na,b,1,0.5\n";
  (void)state;
  gzFile file = gzopen(scratch("w.csv.gz"), "wb");
  assert_int_equal(gzwrite(file, text, sizeof text - 1), sizeof text - 1);
  assert_int_equal(gzclose(file), Z_OK);
  km_opinions *o;
  km_err err = {0};
  if (km_opinions_load(&o, scratch("w.csv.gz"), &err) != KM_OK)
    fail_msg("%s", err.msg);
  assert_int_equal(km_opinions_rows(o), 1);
  km_opinions_free(o);
}

/* Many rows in a random order against a plain search. */
static void many(void **state) {
  enum { N = 3000 };
  static char text[N * 40];
  static unsigned game[N], ply[N];
  (void)state;
  char *to = text + sprintf(text, "source,entry,ply,black_winrate\n");
  for (size_t i = 0; i < N; i++) {
    game[i] = (unsigned)km_random_below(km_random(5, i, 0, KM_PURPOSE_SAMPLE), 40);
    ply[i] = (unsigned)km_random_below(km_random(5, i, 1, KM_PURPOSE_SAMPLE), 90);
    to += sprintf(to, "z,%u.sgf,%u,%.9g\n", game[i], ply[i], (double)i / 4096);
  }
  km_opinions *o = load("many.csv", text);
  for (unsigned g = 0; g < 40; g++) {
    char entry[16];
    sprintf(entry, "%u.sgf", g);
    km_opinions_meet(o, g, text_of("z"), text_of(entry));
    size_t n, at = 0;
    const km_opinion *found = km_opinions_of(o, g, text_of("z"), text_of(entry), &n);
    for (unsigned p = 0; p < 90; p++)
      for (size_t i = 0; i < N; i++)
        if (game[i] == g && ply[i] == p) {
          assert_true(at < n && found[at].ply == p && found[at].win == (float)i / 4096);
          at++;
          break;
        }
    assert_int_equal(at, n);
  }
  km_opinions_free(o);
}

static void refused(void **state) {
  static const struct {
    const char *text, *says;
  } cases[] = {
      {"", "bytes"},
      {"source,entry,ply\n", "the first line must name"},
      {"source,entry,black_winrate\n", "the first line must name"},
      {"source,entry,ply,black_winrate\na,b,1,1.5\n", ":2: black_winrate \"1.5\""},
      {"source,entry,ply,black_winrate\na,b,1,0.5\na,b,x,0.5\n", ":3: ply \"x\""},
      {"source,entry,ply,black_winrate\na,b,1.5,0.5\n", ":2: ply \"1.5\""},
      {"source,entry,ply,black_winrate\na,b,-1,0.5\n", ":2: ply \"-1\""},
      {"source,entry,ply,black_winrate\na,b,,0.5\n", ":2: ply \"\""},
      {"source,entry,ply,black_winrate\na,b,1,nan\n", ":2: black_winrate \"nan\""},
      {"source,entry,ply,black_score_lead\na,b,1,1e9\n", ":2: black_score_lead"},
      {"source,entry,ply,black_winrate\na,b\n", ":2: fewer fields"},
      {"source,entry,ply,black_winrate\na,\"b,1,0.5\n", ":2: a quote is not closed"},
      {"source,entry,ply,black_winrate\na,\"b\"c,1,0.5\n", ":2: text behind a closing quote"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    km_opinions *o;
    km_err err = {0};
    write_bytes(scratch("bad.csv"), cases[i].text, strlen(cases[i].text));
    assert_int_equal(km_opinions_load(&o, scratch("bad.csv"), &err), KM_ERR_FORMAT);
    if (!strstr(err.msg, cases[i].says))
      fail_msg("case %zu says: %s", i, err.msg);
    assert_null(o);
  }
  km_opinions *o;
  km_err err = {0};
  assert_true(km_opinions_load(&o, scratch("absent.csv"), &err) < 0);
  assert_non_null(strstr(err.msg, "absent.csv"));
}

/* No cut of a good file crashes. */
static void cut(void **state) {
  static const char text[] = "source,entry,ply,black_winrate\r\n\"a\"\"\",b,1,0.5\r\na,\"b\",2,0.5\r\n";
  (void)state;
  for (size_t n = 0; n < sizeof text; n++) {
    km_opinions *o;
    km_err err = {0};
    write_bytes(scratch("cut.csv"), text, n);
    km_status status = km_opinions_load(&o, scratch("cut.csv"), &err);
    assert_true(status == KM_OK ? o != NULL : status == KM_ERR_FORMAT && o == NULL);
    km_opinions_free(o);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reading), cmocka_unit_test(gzipped), cmocka_unit_test(many),
                                     cmocka_unit_test(refused), cmocka_unit_test(cut)};
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
