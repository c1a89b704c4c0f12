/* figure_gnuplot.c: the .tsv and the .gp of a figure.
 *
 * Texts go into single quotes, where gnuplot substitutes nothing (a quote is doubled), and terminals are told
 * to take text as it is; labels of ticks are formats to gnuplot, so that their % are doubled. The script
 * draws under names with `suffix` behind them, which kifu-report sets and people need not. */
#include "figure_gnuplot.h"

#include "kifumill/outfile.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "# kifumill plot"

/* ---- data ---------------------------------------------------------------------------------------------- */

static void put_plain(FILE *out, const char *text, size_t max) {
  for (size_t i = 0; text[i] && i < max; i++)
    fputc((unsigned char)text[i] < 0x20 ? ' ' : text[i], out);
}

static void put_value(FILE *out, double x) {
  if (isfinite(x))
    fprintf(out, "%.10g", x == 0 ? 0 : x);
  else
    fputs("NaN", out);
}

static void put_data(FILE *out, const km_figure *figure) {
  fputs("# ", out);
  put_plain(out, figure->title, 400);
  fprintf(out, "\n# x: ");
  put_plain(out, figure->x_label, 400);
  fprintf(out, "; y: ");
  put_plain(out, figure->y_label, 400);
  fputc('\n', out);
  for (size_t k = 0; k < figure->n_series; k++) {
    const km_series_plot *s = &figure->series[k];
    fprintf(out, "%s# series %zu: ", k ? "\n\n" : "", k);
    put_plain(out, s->name, 400);
    fprintf(out, "\n# x\ty%s%s\n", s->low ? "\tlow\thigh" : "",
            s->labels || figure->categories ? "\tname" : "");
    for (size_t i = 0; i < s->n; i++) {
      double place = figure->rows ? s->y[i] : s->x[i];
      put_value(out, s->x[i]);
      fputc('\t', out);
      put_value(out, s->y[i]);
      if (s->low) {
        fputc('\t', out);
        put_value(out, s->low[i]);
        fputc('\t', out);
        put_value(out, s->high[i]);
      }
      const char *name = s->labels ? s->labels[i]
                         : figure->categories && place >= 0 && place < (double)figure->n_categories
                             ? figure->categories[(size_t)place]
                             : NULL;
      if (name) {
        fputc('\t', out);
        put_plain(out, name, 400);
      }
      fputc('\n', out);
    }
    if (s->n == 0) /* a block of its own all the same, so that the next ones keep their numbers */
      fputs("NaN\tNaN\n", out);
  }
}

/* ---- commands ------------------------------------------------------------------------------------------ */

static void put_quoted_as(FILE *out, const char *text, int format) {
  fputc('\'', out);
  for (size_t i = 0; text[i] && i < 300; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c == '\'' || (format && c == '%'))
      fputc(c, out);
    fputc(c < 0x20 || c == 0x7f ? ' ' : c, out);
  }
  fputc('\'', out);
}
static void put_quoted(FILE *out, const char *text) {
  put_quoted_as(out, text, 0);
}

static void put_range(FILE *out, char axis, const km_axis *range) {
  fprintf(out, "set %crange [%.10g:%.10g]\n", axis, range->low, range->high);
}

static void put_names(FILE *out, const km_figure *figure) {
  char axis = figure->rows ? 'y' : 'x';
  fprintf(out, "set %ctics (", axis);
  for (size_t i = 0; i < figure->n_categories; i++) {
    fputs(i ? ", " : "", out);
    put_quoted_as(out, figure->categories[i], 1);
    fprintf(out, " %zu", i);
  }
  fprintf(out, ")%s\n", !figure->rows && figure->n_categories > 12 ? " rotate by -60" : "");
}

static void put_mark_lines(FILE *out, const km_figure *figure) {
  for (size_t i = 0; i < figure->n_x_marks; i++) {
    double at = figure->x_marks[i].at;
    fprintf(out, "set arrow from first %.10g, graph 0 to first %.10g, graph 1 nohead dt 2 lc rgb '#888888'\n",
            at, at);
    fputs("set label ", out);
    put_quoted(out, figure->x_marks[i].label);
    fprintf(out, " at first %.10g, graph 0.96 offset 0.6,0 tc rgb '#666666'\n", at);
  }
  for (size_t i = 0; i < figure->n_y_marks; i++) {
    double at = figure->y_marks[i].at;
    fprintf(out, "set arrow from graph 0, first %.10g to graph 1, first %.10g nohead dt 2 lc rgb '#888888'\n",
            at, at);
    fputs("set label ", out);
    put_quoted(out, figure->y_marks[i].label);
    fprintf(out, " at graph 0.99, first %.10g right offset 0,0.5 tc rgb '#666666'\n", at);
  }
}

/* Full width of the bars of a series, for n series side by side. */
static double bar_width(const km_series_plot *s, size_t n) {
  double gap = INFINITY;
  for (size_t i = 1; i < s->n; i++)
    gap = fmin(gap, fabs(s->x[i] - s->x[i - 1]));
  return (isfinite(gap) ? 0.84 * gap : 0.5) / (double)n;
}

typedef struct place_of_series {
  size_t index, number, n; /* in the data; among those of its kind, how many of that kind */
} place_of_series;

static void put_plot(FILE *out, const km_figure *figure, const km_series_plot *s, place_of_series p) {
  const char *file = figure->id;
  unsigned rgb = km_colour_rgb(s->colour);
  double beside = (double)p.number - 0.5 * (double)(p.n - 1);
  if (s->kind == KM_SERIES_LINE && s->low)
    fprintf(out,
            "'%s.tsv' index %zu using 1:3:4 with filledcurves lc rgb '#%06x' fs transparent solid 0.15 "
            "notitle, \\\n  ",
            file, p.index, rgb);
  if (s->kind == KM_SERIES_LINE)
    fprintf(out, "'%s.tsv' index %zu using 1:2 with lines lw 2 dt %d lc rgb '#%06x' title ", file, p.index,
            s->dashed ? 2 : 1, rgb);
  else if (s->kind == KM_SERIES_BARS)
    fprintf(
        out,
        "'%s.tsv' index %zu using ($1%+.6g):2:(%.6g) with boxes fs solid 0.7 noborder lc rgb '#%06x' title ",
        file, p.index, beside * bar_width(s, p.n), bar_width(s, p.n), rgb);
  else if (s->low && figure->rows)
    fprintf(out, "'%s.tsv' index %zu using 1:($2%+.6g):3:4 with xerrorbars pt 7 lw 1.5 lc rgb '#%06x' title ",
            file, p.index, -0.15 * beside, rgb);
  else if (s->low)
    fprintf(out, "'%s.tsv' index %zu using 1:2:3:4 with yerrorbars pt 7 lw 1.5 lc rgb '#%06x' title ", file,
            p.index, rgb);
  else
    fprintf(out, "'%s.tsv' index %zu using 1:2 with points pt 7 lc rgb '#%06x' title ", file, p.index, rgb);
  put_quoted(out, figure->n_series > 1 ? s->name : "");
  if (s->labels && !s->quiet)
    fprintf(out, ", \\\n  '%s.tsv' index %zu using 1:2:%d with labels left offset 0.8,0 font ',10' notitle",
            file, p.index, s->low ? 5 : 3);
}

static void put_plots(FILE *out, const km_figure *figure) {
  size_t seen[3] = {0}, all[3] = {0};
  for (size_t i = 0; i < figure->n_series; i++)
    all[figure->series[i].kind]++;
  fputs("plot ", out);
  for (size_t i = 0; i < figure->n_series; i++) {
    const km_series_plot *s = &figure->series[i];
    fputs(i ? ", \\\n  " : "", out);
    put_plot(out, figure, s, (place_of_series){i, seen[s->kind]++, all[s->kind]});
  }
  fputc('\n', out);
}

static void put_script(FILE *out, const km_figure *figure) {
  km_axis x, y;
  km_figure_axes(figure, &x, &y);
  fprintf(out, FIRST_LINE ": `gnuplot %s.gp` draws %s.svg and %s.png of %s.tsv\n", figure->id, figure->id,
          figure->id, figure->id);
  fputs("if (!exists(\"suffix\")) suffix = ''\nset encoding utf8\nset datafile separator \"\\t\"\nset border "
        "3\nset tics nomirror out\n"
        "set grid lc rgb '#dddddd'\nset key above\nset title ",
        out);
  put_quoted(out, figure->title);
  fputs("\nset xlabel ", out);
  put_quoted(out, figure->x_label);
  fputs("\nset ylabel ", out);
  put_quoted(out, figure->y_label);
  fputc('\n', out);
  put_range(out, 'x', &x);
  put_range(out, 'y', &y);
  if (figure->square)
    fputs("set size ratio -1\n", out);
  if (figure->categories)
    put_names(out, figure);
  put_mark_lines(out, figure);
  fprintf(out,
          "set terminal svg noenhanced size 900,560 font 'sans-serif,13' background '#ffffff'\nset output "
          "'%s.svg'.suffix\n",
          figure->id);
  put_plots(out, figure);
  fprintf(out,
          "set output\nif (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n  set terminal pngcairo noenhanced size "
          "1080,672 fontscale 1.1\n} else {\n"
          "  set terminal png noenhanced size 1080,672\n}\nset output '%s.png'.suffix\nreplot\nset output\n",
          figure->id);
}

/* ---- files --------------------------------------------------------------------------------------------- */

static km_status write_part(const km_figure *figure, void put(FILE *, const km_figure *), const char *path,
                            int force, km_err *err) {
  char *text = NULL;
  size_t n_bytes = 0;
  FILE *out = open_memstream(&text, &n_bytes);
  if (out)
    put(out, figure);
  int failed = !out || ferror(out);
  failed |= out && fclose(out) != 0;
  km_status status = failed ? km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a plot")
                            : km_outfile_put(path, text, n_bytes, force, err);
  free(text);
  return status;
}

km_status km_figure_gnuplot(const km_figure *figure, const char *folder, int force, km_err *err) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.tsv", folder, figure->id);
  km_status status = write_part(figure, put_data, path, force, err);
  snprintf(path, sizeof path, "%s/%s.gp", folder, figure->id);
  return status == KM_OK ? write_part(figure, put_script, path, force, err) : status;
}
