/* test_report_stage.c: whole reports: any subset of the inputs, names that mean harm, values that cannot be,
 * outputs that are there already, gnuplot absent or failing, the same bytes each time. */
#include "report_fixture.h"

#include "kifumill/hash.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { FILES = 8, NAME = 160 };
static const char *const names[FILES] = {
    "games.h5",     "games.summary.json",  "games.ledger.tsv",    "hbs.summary.json", "phases.summary.json",
    "winrate.json", "winrate.styles.json", "shards/manifest.json"};
/* What is on the page when the file is there, and not when it is not. */
static const char *const shown[FILES] = {
    "<svg class=board",         "Records read 2,010",    "a.zip / b.sgf",
    "The mean trajectory",      "Change-points by move", "Calibration: hbs_delta",
    "HBS index of the players", "alphago-zero"};
static char folder[64], paths[FILES][NAME], output[NAME];

static void in_folder(char path[NAME], const char *name) {
  snprintf(path, NAME, "%s/%s", folder, name);
}

static void put_all(const char *name) {
  fixture_hbs hbs = fixture_hbs_default();
  fixture_phases phases = fixture_phases_default();
  fixture_winrate winrate = fixture_winrate_default();
  fixture_styles styles = {0.01, 0.01, name};
  hbs.stratum = phases.name = winrate.external = name;
  fixture_put_games(paths[0]);
  fixture_put_facts(paths[1], name);
  fixture_put_ledger(paths[2], name);
  fixture_put_hbs(paths[3], &hbs);
  fixture_put_phases(paths[4], &phases);
  fixture_put_winrate(paths[5], &winrate);
  fixture_put_styles(paths[6], &styles);
  fixture_put_manifest(paths[7]);
}

static int make_folder(void **state) {
  (void)state;
  char shards[NAME];
  fixture_make_folder(folder);
  in_folder(shards, "shards");
  in_folder(output, "report");
  for (int i = 0; i < FILES; i++)
    in_folder(paths[i], names[i]);
  return mkdir(shards, 0777);
}
static int remove_folder(void **state) {
  (void)state;
  fixture_remove_folder(folder);
  return 0;
}

static void run(const char *const *inputs, size_t n, int plots) {
  char message[320];
  if (fixture_run(inputs, n, output, plots, message) != KM_OK)
    fail_msg("%s", message);
}
static void run_folder(int plots) {
  const char *const inputs[] = {folder};
  run(inputs, 1, plots);
}

static char *page(void) {
  char path[NAME];
  in_folder(path, "report/index.html");
  return fixture_read(path, NULL);
}

static size_t count(const char *text, const char *word) {
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
    n++;
  return n;
}

static int exists(const char *name) {
  char path[NAME];
  struct stat info;
  in_folder(path, name);
  return stat(path, &info) == 0;
}

/* ---- parts --------------------------------------------------------------------------------------------- */

static void test_everything(void **state) {
  (void)state;
  put_all("Shuwa");
  run_folder(KM_PLOTS_OFF);
  char *html = page();
  for (int i = 0; i < FILES; i++)
    if (!strstr(html, shown[i]))
      fail_msg("\"%s\" of %s is not on the page", shown[i], names[i]);
  assert_null(strstr(html, "Not there when this page was made"));
  assert_int_equal(count(html, "<svg class=board"), 3); /* two changes, the end */
  assert_int_equal(count(html, "<section"), count(html, "</section>"));
  assert_int_equal(count(html, "<div"), count(html, "</div>"));
  assert_int_equal(count(html, "<table"), count(html, "</table>"));
  assert_int_equal(count(html, "<figure"), count(html, "</figure>"));
  assert_int_equal(count(html, "<svg"), count(html, "</svg>"));
  assert_non_null(
      strstr(html, "made of other games than games.h5")); /* the fixtures' digests are not that of games.h5 */
  free(html);
}

static void test_each_part_alone(void **state) {
  (void)state;
  put_all("Shuwa");
  for (int i = 0; i < FILES; i++) {
    const char *const inputs[] = {paths[i]};
    run(inputs, 1, KM_PLOTS_OFF);
    char *html = page();
    if (i > 0 && !strstr(html, shown[i]))
      fail_msg("\"%s\" of %s alone is not on the page", shown[i], names[i]);
    assert_int_equal(count(html, "<tr class="), 20); /* claims are all there, judged or not */
    assert_non_null(strstr(html, "Not there when this page was made"));
    free(html);
  }
}

static void test_each_part_missing(void **state) {
  (void)state;
  put_all("Shuwa");
  for (int i = 0; i < FILES; i++) {
    const char *inputs[FILES];
    size_t n = 0;
    for (int k = 0; k < FILES; k++)
      if (k != i)
        inputs[n++] = paths[k];
    run(inputs, n, KM_PLOTS_OFF);
    char *html = page();
    assert_null(strstr(html, shown[i]));
    char *missing = strstr(html, "Not there when this page was made");
    assert_non_null(missing);
    char *end = strstr(missing, "</p>"), *name = strstr(missing, names[i]);
    assert_true(name && name < end);
    free(html);
  }
}

/* ---- determinism --------------------------------------------------------------------------------------- */

static void test_same_bytes(void **state) {
  (void)state;
  char elsewhere[NAME], command[4 * NAME];
  put_all("Shuwa");
  run_folder(KM_PLOTS_DATA);
  in_folder(elsewhere, "report-before");
  snprintf(command, sizeof command, "mv %s %s", output, elsewhere);
  assert_int_equal(system(command), 0);
  /* files one by one, in another order: the same content */
  const char *const inputs[] = {paths[7], paths[3], paths[5], paths[6],
                                paths[4], paths[2], paths[1], paths[0]};
  run(inputs, FILES, KM_PLOTS_DATA);
  snprintf(command, sizeof command, "diff -r %s %s", output, elsewhere);
  assert_int_equal(system(command), 0);
  fixture_remove_folder(elsewhere);
}

/* ---- harm ---------------------------------------------------------------------------------------------- */

static const char *const hostile[] = {
    "<script>window.pwned=1</script>",
    "\"><img src=x onerror=window.pwned=1>",
    "'/><svg onload=window.pwned=1>",
    "--></style></title></script><h1>x",
    "`touch pwned`$(touch pwned)",
    "';system('touch pwned');'",
    "\\\"; ! touch pwned",
    "%s%n%99999999d",
    "</pre><iframe src=//x>",
    "javascript:alert(1)",
};

static void test_hostile_names(void **state) {
  (void)state;
  static const char *const never[] = {
      "<script>window",         "<img", "<svg onload", "<h1>x", "<iframe", "href=\"javascript",
      "onerror=window.pwned=1>"};
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    put_all(hostile[i]);
    run_folder(i == 0 ? KM_PLOTS_DATA : KM_PLOTS_OFF);
    char *html = page();
    for (size_t k = 0; k < sizeof never / sizeof *never; k++)
      if (strstr(html, never[k]))
        fail_msg("%s has come through as %s", hostile[i], never[k]);
    assert_int_equal(count(html, "<script"), 1);
    free(html);
  }
}

static void test_names_that_are_no_text(void **state) {
  (void)state;
  put_all("Shuwa");
  fixture_put_ledger(paths[2], "\xff\xfe \xc3( \x1b[2J");
  run_folder(KM_PLOTS_OFF);
  char *html = page();
  for (const unsigned char *p = (unsigned char *)html; *p; p++)
    assert_true(*p >= 0x20 || *p == '\n' || *p == '\t');
  assert_null(strstr(html, "\xff"));
  free(html);
}

static void test_page_needs_nothing_else(void **state) {
  (void)state;
  static const char *const never[] = {"src=", "url(", "@import", "<link", "https:", "<img", "<base"};
  put_all("Shuwa");
  run_folder(KM_PLOTS_OFF);
  char *html = page();
  for (size_t k = 0; k < sizeof never / sizeof *never; k++)
    if (strstr(html, never[k]))
      fail_msg("the page has %s", never[k]);
  assert_int_equal(count(html, "http:"), 1); /* the name of SVG's namespace, in the script */
  assert_non_null(strstr(html, "default-src 'none'"));
  free(html);
}

/* Odd values in odd places: whatever the JSON says, a page comes or a message. */
static void spoil(json_t *node, uint64_t seed, unsigned *counter) {
  json_t *value;
  const char *key;
  void *next;
  size_t i;
  json_object_foreach_safe(node, next, key, value) {
    uint64_t bits = km_random(seed, ++*counter, 0, KM_PURPOSE_SHUFFLE);
    if (bits % 40 == 0 && strcmp(key, "format") != 0 && strcmp(key, "format_version") != 0) {
      static const double odd[] = {-1, 0, 1e300, -1e300, 0.5, 1e9, 9.007e15};
      uint64_t kind = (bits >> 8) % 12;
      if (kind < 7)
        json_object_set_new(node, key, json_real(odd[kind]));
      else if (kind < 9)
        json_object_set_new(node, key, kind == 7 ? json_null() : json_string("odd"));
      else if (kind < 11)
        json_object_set_new(node, key, kind == 9 ? json_array() : json_object());
      else
        json_object_del(node, key);
    } else {
      spoil(value, seed, counter);
    }
  }
  json_array_foreach(node, i, value) {
    uint64_t bits = km_random(seed, ++*counter, 1, KM_PURPOSE_SHUFFLE);
    if (bits % 300 == 0)
      json_array_set_new(node, i, (bits >> 8) % 2 ? json_real(-1e300) : json_null());
    else if (!json_is_number(value))
      spoil(value, seed, counter);
  }
}

static void test_odd_values(void **state) {
  (void)state;
  enum { SEEDS = 30 };
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    char message[320];
    const char *const inputs[] = {folder};
    put_all("Shuwa");
    for (int i = 0; i < FILES; i++) {
      unsigned counter = 0;
      json_t *root = json_load_file(paths[i], 0, NULL);
      if (!root)
        continue;
      spoil(root, seed * 100 + (uint64_t)i, &counter);
      assert_int_equal(json_dump_file(root, paths[i], 0), 0);
      json_decref(root);
    }
    km_status status = fixture_run(inputs, 1, output, seed % 30 == 0 ? KM_PLOTS_DATA : KM_PLOTS_OFF, message);
    if (status != KM_OK && !*message)
      fail_msg("seed %llu: status %d without a message", (unsigned long long)seed, (int)status);
  }
}

/* ---- messages ------------------------------------------------------------------------------------------ */

static void put_text(const char *name, const char *text) {
  char path[NAME];
  in_folder(path, name);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

static void expect_error(const char *const *inputs, size_t n, km_status status, const char *words) {
  char message[320];
  assert_int_equal(fixture_run(inputs, n, output, KM_PLOTS_OFF, message), status);
  if (!strstr(message, words))
    fail_msg("the message is: %s", message);
}

static void test_inputs_that_cannot_be(void **state) {
  (void)state;
  char a[NAME], b[NAME], empty[NAME];
  const char *two[] = {a, b};
  in_folder(a, "a.json");
  in_folder(b, "b.json");
  in_folder(empty, "empty");
  assert_int_equal(mkdir(empty, 0777), 0);
  expect_error((const char *const[]){empty}, 1, KM_ERR_USAGE, "nothing in ");
  expect_error(two, 1, KM_ERR_IO, "a.json");
  put_text("a.json", "{\"format\": \"kifumill winrate\", ");
  expect_error(two, 1, KM_ERR_FORMAT, "line 1");
  put_text("a.json", "{\"format\": \"something else\"}");
  expect_error(two, 1, KM_ERR_FORMAT, "nothing that a report is made of");
  put_text("a.json", "{\"format\": \"kifumill winrate\", \"format_version\": 2}");
  expect_error(two, 1, KM_ERR_STATE, "format version 2");
  put_text("a.json", "{\"format\": \"kifumill winrate\", \"format_version\": 1}");
  put_text("b.json", "{\"format\": \"kifumill winrate\", \"format_version\": 1}");
  expect_error(two, 2, KM_ERR_USAGE, "two files are winrate.json");
  put_text("a.h5", "no HDF5");
  in_folder(a, "a.h5");
  expect_error(two, 1, KM_ERR_FORMAT, "a.h5");
}

static void test_outputs_that_are_there(void **state) {
  (void)state;
  km_report_options options;
  km_stage_outcome outcome;
  km_err err = {0};
  const char *const inputs[] = {folder};
  put_all("Shuwa");
  run_folder(KM_PLOTS_OFF);
  km_report_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = 1;
  options.run.output = output;
  options.run.messages = NULL;
  assert_int_equal(km_report_run(&options, &outcome, &err), KM_ERR_STATE);
  assert_non_null(strstr(err.msg, "--force overwrites it"));
  options.run.output = paths[3];
  options.run.force = 1;
  assert_int_equal(km_report_run(&options, &outcome, &err), KM_ERR_STATE);
  assert_non_null(strstr(err.msg, "is no folder"));
}

/* ---- gnuplot ------------------------------------------------------------------------------------------- */

/* Runs with the program `gnuplot` being this shell script (NULL: there is none); returns what was said. */
static char *run_with_gnuplot(const char *script) {
  char bin[NAME], path[NAME], *said;
  size_t n;
  const char *const inputs[] = {paths[1]};
  in_folder(bin, "bin");
  in_folder(path, "bin/gnuplot");
  mkdir(bin, 0777);
  unlink(path);
  if (script) {
    put_text("bin/gnuplot", script);
    assert_int_equal(chmod(path, 0755), 0);
  }
  char *before = strdup(getenv("PATH"));
  setenv("PATH", bin, 1);
  km_report_options options;
  km_stage_outcome outcome;
  km_err err = {0};
  km_report_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = 1;
  options.run.output = output;
  options.run.force = 1;
  options.run.threads = 2;
  options.run.messages = open_memstream(&said, &n);
  km_status status = km_report_run(&options, &outcome, &err);
  fclose(options.run.messages);
  setenv("PATH", before, 1);
  free(before);
  if (status != KM_OK)
    fail_msg("%s", err.msg);
  return said;
}

static void test_gnuplot_that_is_not_there(void **state) {
  (void)state;
  put_all("Shuwa");
  fixture_remove_folder(output);
  char *said = run_with_gnuplot(NULL);
  assert_non_null(strstr(said, "warning: 3 of 3 plots are not drawn"));
  assert_non_null(strstr(said, "gnuplot-nox"));
  free(said);
  assert_true(exists("report/index.html") && exists("report/plots/corpus-years.gp") &&
              exists("report/plots/corpus-years.tsv"));
  assert_false(exists("report/plots/corpus-years.svg"));
}

static void test_gnuplot_that_fails(void **state) {
  (void)state;
  put_all("Shuwa");
  char *said =
      run_with_gnuplot("#!/bin/sh\necho half >corpus-years.svg.tmp\necho '\nno such terminal' >&2\nexit 1\n");
  assert_non_null(strstr(said, "no such terminal"));
  free(said);
  assert_false(exists("report/plots/corpus-years.svg") || exists("report/plots/corpus-years.svg.tmp"));
  said = run_with_gnuplot("#!/bin/sh\nkill -9 $$\n");
  assert_non_null(strstr(said, "stopped by a signal"));
  free(said);
  said = run_with_gnuplot("#!/bin/sh\nexit 0\n");
  assert_non_null(strstr(said, "drew nothing"));
  free(said);
}

static void test_drawings(void **state) {
  (void)state;
  char path[NAME];
  const char *const inputs[] = {paths[1], paths[6]};
  if (system("gnuplot --version >/dev/null 2>&1") != 0) {
    print_message("gnuplot is not installed\n");
    skip();
  }
  put_all("`touch pwned`<script>");
  run(inputs, 2, KM_PLOTS_ALL);
  assert_false(exists("report/plots/pwned"));
  for (int k = 0; k < 2; k++) {
    static const char *const drawn[] = {"report/plots/corpus-years.svg", "report/plots/styles-map.svg"};
    in_folder(path, drawn[k]);
    char *svg = fixture_read(path, NULL);
    assert_non_null(strstr(svg, "</svg>"));
    assert_null(strstr(svg, "GNUPLOT 5"));
    assert_null(strstr(svg, "<script>"));
    free(svg);
  }
  in_folder(path, "report/plots/corpus-years.png");
  char *png = fixture_read(path, NULL);
  assert_memory_equal(png, "\x89PNG", 4);
  free(png);
}

static void test_plots_of_an_earlier_report_go(void **state) {
  (void)state;
  const char *const inputs[] = {paths[1]};
  char path[NAME];
  put_all("Shuwa");
  in_folder(path, "report/plots");
  fixture_remove_folder(output);
  assert_int_equal(mkdir(output, 0777) | mkdir(path, 0777), 0);
  put_text("report/plots/old.gp", "# kifumill plot: …\n");
  put_text("report/plots/old.tsv", "1\n");
  put_text("report/plots/mine.gp", "plot sin(x)\n");
  put_text("report/plots/mine.tsv", "1\n");
  run(inputs, 1, KM_PLOTS_DATA);
  assert_false(exists("report/plots/old.gp") || exists("report/plots/old.tsv"));
  assert_true(exists("report/plots/mine.gp") && exists("report/plots/mine.tsv") &&
              exists("report/plots/corpus-years.tsv"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything),
      cmocka_unit_test(test_each_part_alone),
      cmocka_unit_test(test_each_part_missing),
      cmocka_unit_test(test_same_bytes),
      cmocka_unit_test(test_hostile_names),
      cmocka_unit_test(test_names_that_are_no_text),
      cmocka_unit_test(test_page_needs_nothing_else),
      cmocka_unit_test(test_odd_values),
      cmocka_unit_test(test_inputs_that_cannot_be),
      cmocka_unit_test(test_outputs_that_are_there),
      cmocka_unit_test(test_gnuplot_that_is_not_there),
      cmocka_unit_test(test_gnuplot_that_fails),
      cmocka_unit_test(test_drawings),
      cmocka_unit_test(test_plots_of_an_earlier_report_go),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
