/* figure_svg.c: geometry: 560 units wide, the area within margins; an inner <svg> has the area's own
 * coordinates and clips. */
#include "figure_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 560, TOP = 10, RIGHT = 12, BOTTOM = 26, LEFT = 56, LEFT_OF_NAMES = 152 };

typedef struct svg {
  FILE *out;
  const km_figure *figure;
  km_axis x, y;
  double left, width, height; /* of the area */
  size_t places;
} svg;

static double to_x(const svg *s, double x) {
  return (x - s->x.low) / (s->x.high - s->x.low) * s->width;
}
static double to_y(const svg *s, double y) {
  return s->height - (y - s->y.low) / (s->y.high - s->y.low) * s->height;
}
/* Kept within what a picture can hold, hundredths of a unit. */
static long hundredths(double v) {
  return lround(100 * fmin(fmax(v, -1e5), 1e5));
}

/* Hundredths as short as they can be: "1.5", "-.25", "3". */
static void put_coordinate(FILE *out, long v) {
  char text[32];
  snprintf(text, sizeof text, "%s%ld.%02ld", v < 0 ? "-" : "", labs(v) / 100, labs(v) % 100);
  size_t n = strlen(text);
  while (text[n - 1] == '0')
    text[--n] = 0;
  if (text[n - 1] == '.')
    text[--n] = 0;
  char *digits = text + (v < 0);
  if (digits[0] == '0' && digits[1])
    memmove(digits, digits + 1, strlen(digits));
  fputs(text, out);
}

static void put_pair(FILE *out, char command, long x, long y) {
  fputc(command, out);
  put_coordinate(out, x);
  if (y >= 0)
    fputc(' ', out);
  put_coordinate(out, y);
}

/* ---- axes ---------------------------------------------------------------------------------------------- */

static void put_tick_text(const svg *s, const km_axis *axis, double value) {
  char text[48];
  double magnitude = fmax(fabs(axis->low), fabs(axis->high));
  if (fabs(value) < 1e-9 * magnitude)
    value = 0;
  if (value == 0 && magnitude >= 1e4)
    snprintf(text, sizeof text, "0");
  else if (magnitude >= 1e6)
    snprintf(text, sizeof text, magnitude >= 1e9 ? "%.3g" : "%.6gM", magnitude >= 1e9 ? value : value / 1e6);
  else if (magnitude >= 1e4)
    snprintf(text, sizeof text, "%.6gk", value / 1e3);
  else
    snprintf(text, sizeof text, "%.*f", axis->decimals, value);
  fprintf(s->out, "%s%s</text>", value < 0 ? "−" : "", text + (text[0] == '-'));
}

static void put_x_axis(const svg *s) {
  const km_figure *f = s->figure;
  double bottom = TOP + s->height;
  size_t longest = 1;
  if (f->categories && !f->rows) {
    for (size_t i = 0; i < f->n_categories; i++)
      longest = strlen(f->categories[i]) > longest ? strlen(f->categories[i]) : longest;
    double room = s->width / (double)f->n_categories, need = 10 + 9 * (double)longest;
    size_t every = (size_t)ceil(need / room);
    for (size_t i = 0; i < f->n_categories; i += every) {
      fprintf(s->out, "<text class=tx x=%.1f y=%.1f>", s->left + to_x(s, (double)i), bottom + 17);
      km_html_text_cut(s->out, f->categories[i], 24);
      fputs("</text>", s->out);
    }
    return;
  }
  for (double k = ceil(s->x.low / s->x.step - 1e-9); k * s->x.step <= s->x.high + 1e-9 * s->x.step; k++) {
    double at = s->left + to_x(s, k * s->x.step);
    fprintf(s->out, "<path class=grid d=\"M%.1f %dv%.1f\"/><text class=tx x=%.1f y=%.1f>", at, TOP, s->height,
            at, bottom + 17);
    put_tick_text(s, &s->x, k * s->x.step);
  }
}

static void put_y_axis(const svg *s) {
  const km_figure *f = s->figure;
  for (size_t i = 0; f->categories && f->rows && i < f->n_categories; i++) {
    double at = TOP + to_y(s, (double)i);
    fprintf(s->out, "<path class=grid d=\"M%.1f %.1fh%.1f\"/><text class=\"ty names\" x=%.1f y=%.1f>",
            s->left, at, s->width, s->left - 8, at + 4);
    km_html_text_cut(s->out, f->categories[i], 21);
    fputs("</text>", s->out);
  }
  if (f->categories && f->rows)
    return;
  for (double k = ceil(s->y.low / s->y.step - 1e-9); k * s->y.step <= s->y.high + 1e-9 * s->y.step; k++) {
    double at = TOP + to_y(s, k * s->y.step);
    fprintf(s->out, "<path class=grid d=\"M%.1f %.1fh%.1f\"/><text class=ty x=%.1f y=%.1f>", s->left, at,
            s->width, s->left - 6, at + 4);
    put_tick_text(s, &s->y, k * s->y.step);
  }
}

static void put_marks(const svg *s) {
  const km_figure *f = s->figure;
  for (size_t i = 0; i < f->n_x_marks; i++) {
    double at = to_x(s, f->x_marks[i].at);
    if (at >= 0 && at <= s->width)
      fprintf(s->out, "<path class=mark d=\"M%.1f 0v%.1f\"/>", at, s->height);
  }
  for (size_t i = 0; i < f->n_y_marks; i++) {
    double at = to_y(s, f->y_marks[i].at);
    if (at >= 0 && at <= s->height)
      fprintf(s->out, "<path class=mark d=\"M0 %.1fh%.1f\"/>", at, s->width);
  }
}

/* Their names come last, over the series; one that is near another goes a line lower. */
static void put_mark_names(const svg *s) {
  const km_figure *f = s->figure;
  double before = -INFINITY, line = 12;
  for (size_t i = 0; i < f->n_x_marks; i++) {
    double at = to_x(s, f->x_marks[i].at);
    if (!(at >= 0 && at <= s->width) || !*f->x_marks[i].label)
      continue;
    int left = at > 0.75 * s->width;
    line = at - before < 120 && line < 20 ? 30 : 12;
    before = at;
    fprintf(s->out, "<text class=\"tm%s\" x=%.1f y=%.0f>", left ? " end" : "", left ? at - 4 : at + 4, line);
    km_html_text_cut(s->out, f->x_marks[i].label, 40);
    fputs("</text>", s->out);
  }
  for (size_t i = 0; i < f->n_y_marks; i++) {
    double at = to_y(s, f->y_marks[i].at);
    if (!(at >= 0 && at <= s->height) || !*f->y_marks[i].label)
      continue;
    fprintf(s->out, "<text class=\"tm end\" x=%.1f y=%.1f>", s->width - 4, at < 16 ? at + 13 : at - 4);
    km_html_text_cut(s->out, f->y_marks[i].label, 40);
    fputs("</text>", s->out);
  }
}

/* ---- series -------------------------------------------------------------------------------------------- */

/* The classes and, for hues, the style of a series. */
static void put_colour(FILE *out, const km_series_plot *series) {
  if (series->colour >= KM_COLOUR_HUE)
    fprintf(out, "class=\"s hue%s\" style=\"--h:%d\"", series->dashed ? " dash" : "",
            series->colour - KM_COLOUR_HUE);
  else
    fprintf(out, "class=\"s c%d%s\"", series->colour, series->dashed ? " dash" : "");
}

/* Which places of a series are drawn: every k-th, and the last. */
static size_t next_place(const svg *s, const km_series_plot *series, size_t i) {
  size_t stride = (series->n + s->places - 1) / s->places;
  if (stride == 0)
    stride = 1;
  return i + 1 < series->n && i + stride >= series->n ? series->n - 1 : i + stride;
}

static int has(const double *x, const double *y, size_t i) {
  return isfinite(x[i]) && isfinite(y[i]);
}

static void put_line(const svg *s, const km_series_plot *series, const double *values) {
  long x = 0, y = 0;
  int pen = 0;
  for (size_t i = 0; i < series->n; i = next_place(s, series, i)) {
    if (!has(series->x, values, i)) {
      pen = 0;
      continue;
    }
    long to[2] = {hundredths(to_x(s, series->x[i])), hundredths(to_y(s, values[i]))};
    if (pen)
      put_pair(s->out, 'l', to[0] - x, to[1] - y);
    else
      put_pair(s->out, 'M', to[0], to[1]);
    pen = 1;
    x = to[0];
    y = to[1];
  }
}

/* One closed outline a stretch without gaps: along the top, back along the bottom. */
static void put_band(const svg *s, const km_series_plot *series) {
  for (size_t i = 0; i < series->n;) {
    size_t at[KM_SVG_PLACES + 2], n = 0;
    for (; i < series->n && n < KM_SVG_PLACES + 2 && has(series->x, series->low, i) &&
           has(series->x, series->high, i);
         i = next_place(s, series, i))
      at[n++] = i;
    if (n == 0) {
      i = next_place(s, series, i);
      continue;
    }
    for (size_t k = 0; k < n; k++)
      put_pair(s->out, k ? 'L' : 'M', hundredths(to_x(s, series->x[at[k]])),
               hundredths(to_y(s, series->high[at[k]])));
    for (size_t k = n; k-- > 0;)
      put_pair(s->out, 'L', hundredths(to_x(s, series->x[at[k]])), hundredths(to_y(s, series->low[at[k]])));
    fputc('Z', s->out);
  }
}

static void put_line_series(const svg *s, const km_series_plot *series) {
  if (series->low) {
    fputs("<path class=band d=\"", s->out);
    put_band(s, series);
    fputs("\"/>", s->out);
  }
  fputs("<path class=line d=\"", s->out);
  put_line(s, series, series->y);
  fputs("\"/>", s->out);
}

/* The text under the pointer, for places that are no line. */
static void put_title(const svg *s, const km_series_plot *series, size_t i) {
  const km_figure *f = s->figure;
  double place = f->rows ? series->y[i] : series->x[i], value = f->rows ? series->x[i] : series->y[i];
  fputs("<title>", s->out);
  if (series->labels && series->labels[i]) {
    km_html_text_cut(s->out, series->labels[i], 80);
    fprintf(s->out, ": %.4g, %.4g", series->x[i], series->y[i]);
  } else {
    if (f->categories && place >= 0 && (size_t)place < f->n_categories)
      km_html_text_cut(s->out, f->categories[(size_t)place], 80);
    else
      fprintf(s->out, "%.6g", place);
    fprintf(s->out, ": %.6g", value);
  }
  if (series->low && isfinite(series->low[i]) && isfinite(series->high[i]))
    fprintf(s->out, " (%.4g to %.4g)", series->low[i], series->high[i]);
  if (f->n_series > 1 && !series->labels) {
    fputs(", ", s->out);
    km_html_text_cut(s->out, series->name, 80);
  }
  fputs("</title>", s->out);
}

static void put_bar_series(const svg *s, const km_series_plot *series, size_t number, size_t n_bar_series) {
  double gap = INFINITY;
  for (size_t i = 1; i < series->n; i++)
    gap = fmin(gap, fabs(series->x[i] - series->x[i - 1]));
  double width = isfinite(gap) ? 0.84 * gap / (s->x.high - s->x.low) * s->width : 0.3 * s->width;
  width /= (double)n_bar_series;
  for (size_t i = 0; i < series->n; i++) {
    if (!has(series->x, series->y, i))
      continue;
    double middle = to_x(s, series->x[i]) + ((double)number - 0.5 * (double)(n_bar_series - 1)) * width;
    double top = to_y(s, series->y[i]), foot = to_y(s, 0);
    fprintf(s->out, "<rect class=bar x=%.2f y=%.2f width=%.2f height=%.2f>", middle - width / 2,
            fmin(top, foot), fmax(width, 0.5), fabs(foot - top));
    put_title(s, series, i);
    fputs("</rect>", s->out);
  }
}

/* Boxes that labels have taken: one that would cover another is not drawn; its text still shows under the
 * pointer. */
enum { BOXES_MAX = 64, LABEL_CHARACTERS = 22 };
typedef struct boxes {
  double at[BOXES_MAX][4]; /* left, right, top, bottom */
  size_t n;
} boxes;

/* About the width of the first characters of a text: wide ones take a square. */
static double text_width(const char *text) {
  double width = 0;
  size_t n = 0;
  for (const unsigned char *p = (const unsigned char *)text; *p && n < LABEL_CHARACTERS; p++)
    if ((*p & 0xc0) != 0x80) {
      width += *p >= 0xe2 ? 12 : 6.6;
      n++;
    }
  return width;
}

static int take_box(boxes *b, double left, double width, double y) {
  double box[4] = {left, left + width, y - 9, y + 5};
  for (size_t i = 0; i < b->n; i++)
    if (box[0] < b->at[i][1] && box[1] > b->at[i][0] && box[2] < b->at[i][3] && box[3] > b->at[i][2])
      return 0;
  if (b->n < BOXES_MAX)
    memcpy(b->at[b->n++], box, sizeof box);
  return 1;
}

/* To the right of its point, or to the left, where there is room. */
static void put_label(const svg *s, boxes *b, const char *text, double x, double y) {
  double width = text_width(text);
  int right = x + 7 + width < s->width && take_box(b, x + 7, width, y);
  if (!right && !(x - 7 - width > 0 && take_box(b, x - 7 - width, width, y)))
    return;
  fprintf(s->out, "<text class=\"tp%s\" x=%.1f y=%.1f>", right ? "" : " end", right ? x + 7 : x - 7, y + 4);
  km_html_text_cut(s->out, text, LABEL_CHARACTERS);
  fputs("</text>", s->out);
}

static void put_point_series(const svg *s, const km_series_plot *series, size_t number,
                             size_t n_point_series) {
  int rows = s->figure->rows;
  boxes taken = {.n = 0};
  double beside = rows && n_point_series > 1 ? 9 * ((double)number - 0.5 * (double)(n_point_series - 1)) : 0;
  for (size_t i = 0; i < series->n; i++) {
    if (!has(series->x, series->y, i))
      continue;
    double x = to_x(s, series->x[i]), y = to_y(s, series->y[i]) + beside;
    fputs("<g>", s->out);
    put_title(s, series, i);
    if (series->low && isfinite(series->low[i]) && isfinite(series->high[i])) {
      if (rows)
        fprintf(s->out, "<path class=whisker d=\"M%.2f %.2fH%.2f\"/>", to_x(s, series->low[i]), y,
                to_x(s, series->high[i]));
      else
        fprintf(s->out, "<path class=whisker d=\"M%.2f %.2fV%.2f\"/>", x, to_y(s, series->low[i]),
                to_y(s, series->high[i]));
    }
    fprintf(s->out, "<circle cx=%.2f cy=%.2f r=4 />", x, y);
    if (series->labels && series->labels[i] && !series->quiet)
      put_label(s, &taken, series->labels[i], x, y);
    fputs("</g>", s->out);
  }
}

static size_t count_kind(const km_figure *figure, km_series_kind kind, size_t before) {
  size_t n = 0;
  for (size_t i = 0; i < before; i++)
    n += figure->series[i].kind == kind;
  return n;
}

static void put_series(const svg *s) {
  const km_figure *f = s->figure;
  for (size_t i = 0; i < f->n_series; i++) {
    const km_series_plot *series = &f->series[i];
    size_t number = count_kind(f, series->kind, i), n = count_kind(f, series->kind, f->n_series);
    fputs("<g ", s->out);
    put_colour(s->out, series);
    fputs(" data-name=\"", s->out);
    km_html_text_cut(s->out, series->name, 80);
    fputs("\">", s->out);
    if (series->kind == KM_SERIES_LINE)
      put_line_series(s, series);
    else if (series->kind == KM_SERIES_BARS)
      put_bar_series(s, series, number, n);
    else
      put_point_series(s, series, number, n);
    fputs("</g>", s->out);
  }
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static int all_whole(const km_figure *figure) {
  for (size_t k = 0; k < figure->n_series; k++)
    for (size_t i = 0; i < figure->series[k].n; i++)
      if (isfinite(figure->series[k].x[i]) && figure->series[k].x[i] != floor(figure->series[k].x[i]))
        return 0;
  return 1;
}

static void put_svg(const svg *s) {
  const km_figure *f = s->figure;
  fprintf(s->out, "<svg class=plot viewBox=\"0 0 %d %d\" role=img aria-label=\"", WIDTH, f->height);
  km_html_text(s->out, f->title);
  fputs("\">", s->out);
  put_x_axis(s);
  put_y_axis(s);
  fprintf(s->out,
          "<svg class=area x=%g y=%d width=%g height=%g data-x=\"%.10g %.10g\" data-y=\"%.10g %.10g\" "
          "data-whole=%d>",
          s->left, TOP, s->width, s->height, s->x.low, s->x.high, s->y.low, s->y.high, all_whole(f));
  put_marks(s);
  put_series(s);
  put_mark_names(s);
  fputs("</svg>", s->out);
  fprintf(s->out, "<path class=frame d=\"M%g %dv%gh%g\"/></svg>", s->left, TOP, s->height, s->width);
}

static void put_legend(FILE *out, const km_figure *figure) {
  if (figure->n_series < 2)
    return;
  fputs("<p class=legend>", out);
  for (size_t i = 0; i < figure->n_series; i++) {
    fputs("<button type=button ", out);
    put_colour(out, &figure->series[i]);
    fprintf(out, " data-series=%zu><i></i>", i);
    km_html_text_cut(out, figure->series[i].name, 60);
    fputs("</button> ", out);
  }
  fputs("</p>", out);
}

static void put_axis_name(FILE *out, const char *class, const char *name) {
  if (!*name)
    return;
  fprintf(out, "<p class=%s>", class);
  km_html_text(out, name);
  fputs("</p>", out);
}

void km_figure_html(FILE *out, const km_figure *figure, const char *data_link, size_t places) {
  svg s = {.out = out,
           .figure = figure,
           .places = places < 2               ? 2
                     : places > KM_SVG_PLACES ? KM_SVG_PLACES
                                              : places};
  km_figure_axes(figure, &s.x, &s.y);
  s.left = figure->rows && figure->categories ? LEFT_OF_NAMES : LEFT;
  s.width = WIDTH - s.left - RIGHT;
  s.height = figure->height - TOP - BOTTOM;
  fputs("<figure><figcaption><b>", out);
  km_html_text(out, figure->title);
  fputs("</b>", out);
  if (*figure->note) {
    fputs(" <span>", out);
    km_html_text(out, figure->note);
    fputs("</span>", out);
  }
  fputs("</figcaption>", out);
  put_axis_name(out, "yname", figure->y_label);
  put_svg(&s);
  fputs("<div class=under>", out);
  put_axis_name(out, "xname", figure->x_label);
  put_legend(out, figure);
  if (data_link) {
    fputs("<p class=data><a href=\"plots/", out);
    km_html_text(out, data_link);
    fputs(".tsv\">data</a></p>", out);
  }
  fputs("</div></figure>\n", out);
}
