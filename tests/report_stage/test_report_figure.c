/* test_report_figure.c: axes, the SVG of the page read back as values, the data and commands for gnuplot. */
#include "figure_gnuplot.h"
#include "figure_svg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static km_scratch scratch;

static int open_scratch(void **state) {
  (void)state;
  km_arena_init(&scratch.arena);
  return 0;
}
static int close_scratch(void **state) {
  (void)state;
  km_arena_clear(&scratch.arena);
  return scratch.failed;
}

static char *html_of(const km_figure *figure, size_t places) {
  char *text = calloc(1, 1 << 20);
  FILE *out = fmemopen(text, 1 << 20, "w");
  assert_non_null(out);
  km_figure_html(out, figure, "name", places);
  assert_int_equal(fclose(out), 0);
  return text;
}

static size_t count(const char *text, const char *word) {
  size_t n = 0;
  for (const char *p = text; (p = strstr(p, word)); p += strlen(word))
    n++;
  return n;
}

static km_figure *line_figure(size_t n, double f(double x), int with_band) {
  km_figure *figure = km_figure_new(&scratch, "a figure/../x");
  km_series_plot *s = km_figure_add(&scratch, figure, "line", n, with_band);
  for (size_t i = 0; i < n; i++) {
    s->x[i] = (double)i;
    s->y[i] = f((double)i);
    if (with_band) {
      s->low[i] = s->y[i] - 1;
      s->high[i] = s->y[i] + 1;
    }
  }
  return figure;
}
static double wave(double x) {
  return 50 + 20 * sin(x / 30) - x / 100;
}

/* ---- axes ---------------------------------------------------------------------------------------------- */

static void test_ticks_are_round_and_few(void **state) {
  (void)state;
  for (double span = 1e-9; span < 1e12; span *= 1.7) {
    km_figure *figure = km_figure_new(&scratch, "ticks");
    km_series_plot *s = km_figure_add(&scratch, figure, "s", 2, 0);
    km_axis x, y;
    s->x[0] = s->y[0] = 0;
    s->x[1] = s->y[1] = span;
    km_figure_axes(figure, &x, &y);
    double power = pow(10, floor(log10(y.step) + 1e-9)), digit = y.step / power;
    assert_true(fabs(digit - 1) < 1e-9 || fabs(digit - 2) < 1e-9 || fabs(digit - 5) < 1e-9);
    assert_true((y.high - y.low) / y.step <= 6 && (y.high - y.low) / y.step >= 2);
    assert_true(y.low <= 0 && y.high >= span);
  }
}

static void test_axes_of_odd_data(void **state) {
  (void)state;
  km_figure *figure = km_figure_new(&scratch, "odd");
  km_axis x, y;
  km_figure_axes(figure, &x, &y); /* nothing at all */
  assert_true(x.low < x.high && y.low < y.high && y.step > 0);
  assert_true(km_figure_empty(figure));
  km_series_plot *s = km_figure_add(&scratch, figure, "s", 3, 0);
  km_figure_axes(figure, &x, &y); /* NaN only */
  assert_true(x.low < x.high && km_figure_empty(figure));
  s->x[1] = 5;
  s->y[1] = 7; /* one point */
  km_figure_axes(figure, &x, &y);
  assert_true(x.low < 5 && x.high > 5 && y.low < 7 && y.high > 7 && !km_figure_empty(figure));
}

static void test_zoom_leaves_the_start_aside(void **state) {
  (void)state;
  km_figure *figure = line_figure(100, wave, 0);
  figure->series[0].y[0] = -1000;
  km_figure_zoom(figure, 10);
  assert_true(figure->y_range[0] > 0 && figure->y_range[1] < 100);
}

/* ---- SVG
 * ---------------------------------------------------------------------------------------------------------
 */

/* Reads the line's path back: *n pairs of values. */
static void read_back(const char *html, double *x, double *y, size_t *n) {
  double axis[4], width, height, at[2] = {0, 0};
  const char *area = strstr(html, "<svg class=area");
  assert_non_null(area);
  assert_int_equal(sscanf(strstr(area, "data-x="), "data-x=\"%lf %lf\" data-y=\"%lf %lf\"", &axis[0],
                          &axis[1], &axis[2], &axis[3]),
                   4);
  assert_int_equal(sscanf(strstr(area, " width="), " width=%lf height=%lf", &width, &height), 2);
  const char *p = strstr(area, "<path class=line d=\"") + strlen("<path class=line d=\"");
  for (*n = 0; *p != '"'; (*n)++) {
    char command = *p++, *end;
    assert_true(command == 'M' || command == 'l');
    double to[2];
    to[0] = strtod(p, &end);
    to[1] = strtod(end, &end);
    p = end;
    at[0] = command == 'M' ? to[0] : at[0] + to[0];
    at[1] = command == 'M' ? to[1] : at[1] + to[1];
    x[*n] = axis[0] + at[0] / width * (axis[1] - axis[0]);
    y[*n] = axis[3] - at[1] / height * (axis[3] - axis[2]);
  }
}

static void test_a_line_can_be_read_back(void **state) {
  (void)state;
  enum { N = 300 };
  double x[N], y[N];
  size_t n = 0;
  km_figure *figure = line_figure(N, wave, 1);
  char *html = html_of(figure, 360);
  read_back(html, x, y, &n);
  assert_int_equal(n, N);
  for (size_t i = 0; i < n; i++) {
    assert_true(fabs(x[i] - (double)i) < 0.02);
    assert_true(fabs(y[i] - wave((double)i)) < 0.003); /* of a range of 45 */
  }
  free(html);
}

static void test_long_lines_are_thinned_to_their_ends(void **state) {
  (void)state;
  enum { N = 10001 };
  static double x[N], y[N];
  size_t n = 0;
  km_figure *figure = line_figure(N, wave, 1);
  char *html = html_of(figure, 100);
  read_back(html, x, y, &n);
  assert_in_range(n, 50, 101);
  assert_true(fabs(x[0]) < 1 && fabs(x[n - 1] - (N - 1)) < 1);
  assert_true(strlen(html) < 8000);
  free(html);
}

static void test_gaps(void **state) {
  (void)state;
  km_figure *figure = line_figure(30, wave, 1);
  figure->series[0].y[10] = figure->series[0].low[10] = (double)NAN;
  char *html = html_of(figure, 360);
  char *line = strstr(html, "<path class=line d=\""), *band = strstr(html, "<path class=band d=\"");
  *strchr(line + 20, '"') = 0;
  assert_int_equal(count(line + 20, "M"), 2);
  assert_true(band < line);
  *strchr(band + 20, '"') = 0;
  assert_int_equal(count(band + 20, "Z"), 2); /* two outlines, each closed */
  free(html);
}

static void test_texts_of_a_figure_are_escaped(void **state) {
  (void)state;
  static const char *const names[] = {"<u>\"one\"", "two'>"};
  km_figure *figure = km_figure_new(&scratch, "x");
  km_series_plot *s = km_figure_add(&scratch, figure, "<s>\"'", 2, 0);
  s->x[0] = s->y[0] = 0;
  s->x[1] = s->y[1] = 1;
  s->kind = KM_SERIES_POINTS;
  s->labels = names;
  figure->title = figure->note = figure->x_label = figure->y_label = "<t>\"'&";
  figure->categories = names;
  figure->n_categories = 2;
  km_figure_mark_x(figure, 0.5, "<m>");
  km_figure_mark_y(figure, 0.5, "<m>");
  char *html = html_of(figure, 360);
  static const char *const never[] = {"<u>", "<s>", "<t>", "<m>", "'>", "\"one\"", "\"'"};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++)
    assert_null(strstr(html, never[i]));
  free(html);
}

/* ---- gnuplot ------------------------------------------------------------------------------------------- */

static char *slurp(const char *folder, const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  char *text = calloc(1, 100000);
  assert_true(fread(text, 1, 99999, in) > 0);
  fclose(in);
  return text;
}

static void test_data_and_commands(void **state) {
  (void)state;
  char folder[] = "/tmp/km-figure-XXXXXX", command[64];
  km_err err = {0};
  static const char *const names[] = {"9d `x` 100%", "O'Brien\n\t$(y)"};
  assert_non_null(mkdtemp(folder));
  km_figure *figure = km_figure_new(&scratch, "Some name/..");
  km_series_plot *s = km_figure_add(&scratch, figure, "it's", 2, 1);
  s->x[0] = 0;
  s->y[0] = 0.5;
  s->low[0] = 0.25;
  s->high[0] = 0.75;
  s->x[1] = 1;
  s->kind = KM_SERIES_POINTS;
  km_figure_add(&scratch, figure, "empty", 0, 0);
  km_series_plot *third = km_figure_add(&scratch, figure, "third", 1, 0);
  third->x[0] = third->y[0] = 1;
  figure->categories = names;
  figure->n_categories = 2;
  figure->title = "title 'quoted' \"twice\" `id`";
  assert_string_equal(figure->id, "Some-name---");
  assert_int_equal(km_figure_gnuplot(figure, folder, 0, &err), KM_OK);
  char *gp = slurp(folder, "Some-name---.gp"), *tsv = slurp(folder, "Some-name---.tsv");
  assert_non_null(strstr(gp, "set title 'title ''quoted'' \"twice\" `id`'"));
  assert_non_null(strstr(gp, "('9d `x` 100%%' 0, 'O''Brien  $(y)' 1)")); /* formats: % doubled */
  assert_non_null(strstr(gp, "index 2 using 1:2"));
  assert_non_null(strstr(
      tsv, "\n0\t0.5\t0.25\t0.75\t9d `x` 100%\n1\tNaN\tNaN\tNaN\tO'Brien  $(y)\n\n\n# series 1: empty\n"));
  assert_non_null(strstr(tsv, "NaN\tNaN\n\n\n# series 2: third\n")); /* an empty block keeps its place */
  assert_int_equal(km_figure_gnuplot(figure, folder, 0, &err), KM_ERR_STATE);
  free(gp);
  free(tsv);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ticks_are_round_and_few),
      cmocka_unit_test(test_axes_of_odd_data),
      cmocka_unit_test(test_zoom_leaves_the_start_aside),
      cmocka_unit_test(test_a_line_can_be_read_back),
      cmocka_unit_test(test_long_lines_are_thinned_to_their_ends),
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_texts_of_a_figure_are_escaped),
      cmocka_unit_test(test_data_and_commands),
  };
  return cmocka_run_group_tests(tests, open_scratch, close_scratch);
}
