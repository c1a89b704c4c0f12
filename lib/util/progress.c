/* progress.c: the progress line. */
#include "kifumill/progress.h"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

double km_clock_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t km_peak_memory_bytes(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) ? 0 : (uint64_t)usage.ru_maxrss * 1024;
}

void km_progress_begin(km_progress *progress, km_progress_mode mode, const char *stage, FILE *out) {
  double now = km_clock_seconds();
  int shown = mode == KM_PROGRESS_ALWAYS || (mode == KM_PROGRESS_AUTO && isatty(fileno(out)));
  *progress = (km_progress){.out = shown ? out : NULL, .stage = stage, .started = now, .drawn = now};
}

/* 12345678 → "12.3M", so that the line keeps its width. */
static void short_number(double value, char text[16]) {
  const char *suffix = "";
  if (value >= 1e6) {
    value /= 1e6;
    suffix = "M";
  } else if (value >= 1e4) {
    value /= 1e3;
    suffix = "k";
  }
  snprintf(text, 16, *suffix ? "%.1f%s" : "%.0f%s", value, suffix);
}

void km_progress_update(km_progress *progress, double share, uint64_t games, uint64_t positions) {
  if (!progress->out)
    return;
  double now = km_clock_seconds(), seconds = now - progress->started;
  if (now - progress->drawn < 1)
    return;
  progress->drawn = now;
  char n_games[16], game_rate[16], position_rate[16], left[32] = "";
  short_number((double)games, n_games);
  short_number((double)games / seconds, game_rate);
  short_number((double)positions / seconds, position_rate);
  if (share > 0)
    snprintf(left, sizeof left, ", %.0f s left", seconds * (1 - share) / share);
  int width = fprintf(progress->out, "\r%s: ", progress->stage);
  if (share >= 0)
    width += fprintf(progress->out, "%3.0f %%, ", 100 * share);
  width += fprintf(progress->out, "%s games, %s games/s, %s positions/s%s", n_games, game_rate, position_rate, left);
  if (width < progress->drawn_width)
    fprintf(progress->out, "%*s", progress->drawn_width - width, "");
  progress->drawn_width = width;
  fflush(progress->out);
}

double km_progress_end(km_progress *progress) {
  if (progress->out && progress->drawn_width) {
    fprintf(progress->out, "\r%*s\r", progress->drawn_width, "");
    fflush(progress->out);
  }
  return km_clock_seconds() - progress->started;
}
