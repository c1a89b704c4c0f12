/* figure.c: making figures, their axes and colours. */
#include "figure.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

km_figure *km_figure_new(km_scratch *scratch, const char *id) {
  km_figure *figure = km_scratch_zalloc(scratch, sizeof *figure);
  if (!figure)
    return NULL;
  char *name = km_scratch_zalloc(scratch, strlen(id) + 1);
  for (size_t i = 0; name && id[i]; i++)
    name[i] = isalnum((unsigned char)id[i]) ? id[i] : '-';
  figure->id = name ? name : "";
  figure->title = figure->note = figure->x_label = figure->y_label = "";
  figure->x_range[0] = figure->x_range[1] = figure->y_range[0] = figure->y_range[1] = (double)NAN;
  figure->height = 320;
  return figure;
}

km_series_plot *km_figure_add(km_scratch *scratch, km_figure *figure, const char *name, size_t n,
                              int with_range) {
  if (!figure || figure->n_series == KM_FIGURE_SERIES)
    return NULL;
  km_series_plot series = {.name = name, .n = n};
  series.x = km_scratch_numbers(scratch, n);
  series.y = km_scratch_numbers(scratch, n);
  if (with_range) {
    series.low = km_scratch_numbers(scratch, n);
    series.high = km_scratch_numbers(scratch, n);
  }
  if (!series.x || !series.y || (with_range && (!series.low || !series.high)))
    return NULL;
  series.colour = (int)(figure->n_series % KM_COLOURS);
  figure->series[figure->n_series] = series;
  return &figure->series[figure->n_series++];
}

void km_figure_mark_x(km_figure *figure, double at, const char *label) {
  if (figure->n_x_marks < KM_FIGURE_MARKS)
    figure->x_marks[figure->n_x_marks++] = (km_mark){at, label};
}
void km_figure_mark_y(km_figure *figure, double at, const char *label) {
  if (figure->n_y_marks < KM_FIGURE_MARKS)
    figure->y_marks[figure->n_y_marks++] = (km_mark){at, label};
}

/* ---- axes ---------------------------------------------------------------------------------------------- */

static void extend(km_axis *axis, double value) {
  if (!isfinite(value))
    return;
  axis->low = value < axis->low ? value : axis->low;
  axis->high = value > axis->high ? value : axis->high;
}

static void extend_all(km_axis *axis, const double *values, const km_series_plot *series) {
  for (size_t i = 0; values && i < series->n; i++)
    if (isfinite(series->x[i]) && isfinite(series->y[i]))
      extend(axis, values[i]);
}

static void extend_from(km_axis *axis, const double *values, const km_series_plot *series, double from) {
  for (size_t i = 0; values && i < series->n; i++)
    if (series->x[i] >= from && isfinite(series->y[i]))
      extend(axis, values[i]);
}

void km_figure_zoom(km_figure *figure, double from) {
  km_axis y = {INFINITY, -INFINITY, 1, 0};
  for (size_t i = 0; figure && i < figure->n_series; i++) {
    extend_from(&y, figure->series[i].y, &figure->series[i], from);
    extend_from(&y, figure->series[i].low, &figure->series[i], from);
    extend_from(&y, figure->series[i].high, &figure->series[i], from);
  }
  double padding = 0.05 * (y.high - y.low);
  if (padding > 0 && isfinite(padding)) {
    figure->y_range[0] = y.low - padding;
    figure->y_range[1] = y.high + padding;
  }
}

/* Ticks at 1, 2 or 5 times a power of ten, at most `room` of them. */
static void choose_ticks(km_axis *axis, int room) {
  double span = axis->high - axis->low, power = pow(10, floor(log10(span / room)));
  static const double steps[] = {1, 2, 5, 10};
  for (size_t i = 0; i < 4; i++) {
    axis->step = steps[i] * power;
    if (span / axis->step <= room)
      break;
  }
  axis->decimals = axis->step >= 1 ? 0 : (int)ceil(-log10(axis->step) - 1e-9);
}

static void finish_axis(km_axis *axis, const double range[2], int room, int padded) {
  int fixed_low = isfinite(range[0]), fixed_high = isfinite(range[1]);
  if (fixed_low)
    axis->low = range[0];
  if (fixed_high)
    axis->high = range[1];
  if (!(axis->low <= axis->high)) {
    axis->low = fixed_low ? range[0] : fixed_high ? range[1] - 1 : 0;
    axis->high = fixed_high ? range[1] : axis->low + 1;
  }
  if (axis->high - axis->low <= 1e-12 * fabs(axis->high)) {
    double room_beside = axis->high == 0 ? 1 : 0.1 * fabs(axis->high);
    axis->low -= fixed_low ? 0 : room_beside;
    axis->high += fixed_high && !fixed_low ? 0 : room_beside;
  }
  double padding = padded ? 0.05 * (axis->high - axis->low) : 0;
  axis->low -= fixed_low ? 0 : padding;
  axis->high += fixed_high ? 0 : padding;
  choose_ticks(axis, room);
}

void km_figure_axes(const km_figure *figure, km_axis *x, km_axis *y) {
  *x = *y = (km_axis){INFINITY, -INFINITY, 1, 0};
  for (size_t i = 0; i < figure->n_series; i++) {
    const km_series_plot *s = &figure->series[i];
    extend_all(x, s->x, s);
    extend_all(y, s->y, s);
    extend_all(figure->rows ? x : y, s->low, s);
    extend_all(figure->rows ? x : y, s->high, s);
    if (s->kind == KM_SERIES_BARS)
      extend(y, 0);
  }
  double of_names[2] = {-0.6, (double)figure->n_categories - 0.4};
  const double *x_range = figure->x_range, *y_range = figure->y_range;
  if (figure->categories && figure->rows)
    y_range = of_names;
  else if (figure->categories)
    x_range = of_names;
  int has_points = figure->n_series && figure->series[0].kind != KM_SERIES_LINE;
  finish_axis(x, x_range, 8, figure->rows || (has_points && !figure->categories));
  finish_axis(y, y_range, 6, !figure->rows);
  if (figure->n_series && figure->series[0].kind == KM_SERIES_BARS && !isfinite(figure->y_range[0]))
    y->low = 0;
}

int km_figure_empty(const km_figure *figure) {
  for (size_t i = 0; i < figure->n_series; i++)
    for (size_t k = 0; k < figure->series[i].n; k++)
      if (isfinite(figure->series[i].x[k]) && isfinite(figure->series[i].y[k]))
        return 0;
  return 1;
}

/* ---- colours ------------------------------------------------------------------------------------------- */

static unsigned hue_rgb(double hue) { /* saturation 70 %, lightness 45 % */
  double lightness = 0.45, a = 0.7 * lightness, channels[3];
  for (int i = 0; i < 3; i++) {
    double k = fmod((i == 0 ? 0 : i == 1 ? 8 : 4) + hue / 30, 12), low = fmin(fmin(k - 3, 9 - k), 1);
    channels[i] = lightness - a * fmax(low, -1);
  }
  return (unsigned)lround(255 * channels[0]) << 16 | (unsigned)lround(255 * channels[1]) << 8 |
         (unsigned)lround(255 * channels[2]);
}

unsigned km_colour_rgb(int colour) { /* the light theme of report.css */
  static const unsigned colours[] = {0x1f6fb2, 0xd1600f, 0x1b8a5a, 0xb03a74, 0x7a5cc2,
                                     0x9a7500, 0x3a8f9e, 0x8a5a3c, 0x222222, 0x888888};
  return colour >= KM_COLOUR_HUE ? hue_rgb(colour - KM_COLOUR_HUE) : colours[colour];
}

int km_colour_ordered(size_t i, size_t n) {
  return KM_COLOUR_HUE + (int)(255 - (n > 1 ? 240 * i / (n - 1) : 0));
}
