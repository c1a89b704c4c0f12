/* report_text.c: formatting. Figures are put together in local buffers, so that only results take memory. */
#include "report_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *km_scratch_zalloc(km_scratch *scratch, size_t n_bytes) {
  void *p = km_arena_zalloc(&scratch->arena, n_bytes);
  scratch->failed |= !p;
  return p;
}

double *km_scratch_numbers(km_scratch *scratch, size_t n) {
  double *x = km_scratch_zalloc(scratch, n * sizeof *x);
  for (size_t i = 0; x && i < n; i++)
    x[i] = (double)NAN;
  return x;
}

const char *km_scratch_format(km_scratch *scratch, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = n < 0 ? NULL : km_scratch_zalloc(scratch, (size_t)n + 1);
  if (!text)
    return "";
  va_start(args, format);
  vsnprintf(text, (size_t)n + 1, format, args);
  va_end(args);
  return text;
}

/* ---- HTML ---------------------------------------------------------------------------------------------- */

/* Bytes of the UTF-8 character at p, 0 if it is none. */
static size_t utf8_length(const unsigned char *p) {
  if (p[0] < 0x80)
    return 1;
  size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
  if (p[0] < 0xc2 || p[0] > 0xf4)
    return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80)
      return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf0 && p[1] < 0x90) ||
      (p[0] == 0xf4 && p[1] >= 0x90))
    return 0;
  return n;
}

void km_html_text_cut(FILE *out, const char *text, size_t max) {
  const unsigned char *p = (const unsigned char *)text;
  for (size_t i = 0; *p; i++) {
    size_t n = utf8_length(p);
    if (i == max) {
      fputs("…", out);
      return;
    }
    if (n == 0 || *p < 0x20 || *p == 0x7f)
      fputs(*p == '\t' || *p == '\n' ? " " : "\xef\xbf\xbd", out);
    else if (strchr("&<>\"'", *p))
      fprintf(out, "&#%d;", *p);
    else
      fwrite(p, 1, n, out);
    p += n ? n : 1;
  }
}

void km_html_text(FILE *out, const char *text) {
  km_html_text_cut(out, text, SIZE_MAX);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

enum { NUMBER_BYTES = 400 };

/* Digits with thousands separated by commas, a true minus. */
static const char *grouped(km_scratch *scratch, const char *plain) {
  char text[NUMBER_BYTES * 2];
  size_t used = 0, whole = strcspn(plain, ".");
  if (*plain == '-') {
    used += (size_t)snprintf(text, sizeof text, "−");
    plain++;
    whole--;
  }
  for (size_t i = 0; plain[i]; i++) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0)
      text[used++] = ',';
    text[used++] = plain[i];
  }
  text[used] = 0;
  return km_scratch_format(scratch, "%s", text);
}

static const char *power_of_ten(km_scratch *scratch, double x, int digits) {
  static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  char text[64], exponent[40] = "";
  snprintf(text, sizeof text, "%.*e", digits - 1, fabs(x));
  char *e = strchr(text, 'e');
  int power = atoi(e + 1);
  *e = 0;
  snprintf(exponent, sizeof exponent, "%s%s%s", power < 0 ? "⁻" : "",
           abs(power) > 9 ? raised[abs(power) / 10 % 10] : "", raised[abs(power) % 10]);
  return km_scratch_format(scratch, "%s%s·10%s", x < 0 ? "−" : "", text, exponent);
}

const char *km_fixed_text(km_scratch *scratch, double x, int decimals) {
  char plain[NUMBER_BYTES];
  if (!isfinite(x))
    return "–";
  if (fabs(x) < 0.5 * pow(10, -decimals))
    x = 0; /* no minus before zeros */
  snprintf(plain, sizeof plain, "%.*f", decimals, x);
  return grouped(scratch, plain);
}

const char *km_signed_text(km_scratch *scratch, double x, int decimals) {
  const char *text = km_fixed_text(scratch, x, decimals);
  return x > 0 && fabs(x) >= 0.5 * pow(10, -decimals) ? km_scratch_format(scratch, "+%s", text) : text;
}

const char *km_number_text(km_scratch *scratch, double x, int digits) {
  if (!isfinite(x))
    return "–";
  if (x == 0)
    return "0";
  int power = (int)floor(log10(fabs(x)));
  if (power < -4 || power > 12)
    return power_of_ten(scratch, x, digits);
  int decimals = digits - 1 - power;
  return km_fixed_text(scratch, x, decimals < 0 ? 0 : decimals);
}

const char *km_count_text(km_scratch *scratch, double n) {
  return km_fixed_text(scratch, n, 0);
}

const char *km_percent_text(km_scratch *scratch, double share, int decimals) {
  return isfinite(share) ? km_scratch_format(scratch, "%s %%", km_fixed_text(scratch, 100 * share, decimals))
                         : "–";
}

const char *km_p_text(km_scratch *scratch, double p) {
  if (!isfinite(p))
    return "–";
  return p < 0.001 ? "p < 0.001" : km_scratch_format(scratch, "p = %.3f", p);
}
