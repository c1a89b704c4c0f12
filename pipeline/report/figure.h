/* figure.h: what a plot shows, before it is drawn: once for the page (figure_svg.h) and once for gnuplot
 * (figure_gnuplot.h).
 *
 * A figure has one pair of axes and up to KM_FIGURE_SERIES series. Bands belong to their line, intervals to
 * their point. Values that are not finite are gaps. Axes are numeric, or one of them has names (categories);
 * marks are named lines across. All texts and arrays live in the report's scratch. */
#ifndef KIFUMILL_FIGURE_H
#define KIFUMILL_FIGURE_H

#include "report_text.h"

enum {
  KM_FIGURE_SERIES = 64,
  KM_FIGURE_MARKS = 8,
  KM_COLOURS = 8, /* colours 0…7 are told apart by anybody; KM_COLOUR_INK and _GREY are those of text */
  KM_COLOUR_INK = 8,
  KM_COLOUR_GREY = 9,
  KM_COLOUR_HUE = 100, /* + 0…359: a hue, for ordered series */
};

typedef enum km_series_kind {
  KM_SERIES_LINE,   /* low, high: a band */
  KM_SERIES_BARS,   /* from 0 to y */
  KM_SERIES_POINTS, /* low, high: an interval (of x in a figure of rows) */
} km_series_kind;

typedef struct km_series_plot {
  const char *name;
  km_series_kind kind;
  int colour, dashed;
  size_t n;
  double *x, *y;
  double *low, *high;        /* NULL: none */
  const char *const *labels; /* of points; NULL: none */
  int quiet;                 /* labels show under the pointer only, not beside their points */
} km_series_plot;

typedef struct km_mark {
  double at;
  const char *label; /* "" for none */
} km_mark;

typedef struct km_figure {
  const char *id; /* file name of its plots: letters, digits, - */
  const char *title, *note, *x_label, *y_label;
  double x_range[2], y_range[2]; /* NaN: from the data */
  int height;                    /* of 560 units of width */
  int square;                    /* both axes of one scale of length */
  int rows;                      /* categories go down the left side, values along x */
  const char *const *categories; /* names of places 0, 1, …; of x, or of y with rows; NULL: numbers */
  size_t n_categories;
  km_mark x_marks[KM_FIGURE_MARKS], y_marks[KM_FIGURE_MARKS];
  size_t n_x_marks, n_y_marks;
  km_series_plot series[KM_FIGURE_SERIES];
  size_t n_series;
} km_figure;

/* NULL when memory is out. The id is kept as a file name: other characters become -. */
km_figure *km_figure_new(km_scratch *scratch, const char *id);
/* A series of n values, all NaN; with_range: low and high too. NULL when memory is out or there is no room.
 */
km_series_plot *km_figure_add(km_scratch *scratch, km_figure *figure, const char *name, size_t n,
                              int with_range);
/* Sets the range of y by what lies at x ≥ from, a first steep stretch left aside. */
void km_figure_zoom(km_figure *figure, double from);
void km_figure_mark_x(km_figure *figure, double at, const char *label);
void km_figure_mark_y(km_figure *figure, double at, const char *label);

/* Axis of a figure: its range, and ticks at whole multiples of step. */
typedef struct km_axis {
  double low, high, step;
  int decimals;
} km_axis;
/* Fills both from the ranges asked for and the data; room: about how many ticks there may be. */
void km_figure_axes(const km_figure *figure, km_axis *x, km_axis *y);
/* Whether there is anything to draw. */
int km_figure_empty(const km_figure *figure);

/* The colour as 0xRRGGBB on white. */
unsigned km_colour_rgb(int colour);
/* The hue of series i of n that are in order. */
int km_colour_ordered(size_t i, size_t n);

#endif
