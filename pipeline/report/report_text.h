/* report_text.h: text for people: numbers with their digits, and text that is safe in HTML.
 *
 * Texts made here live in the arena of the report; where memory is out they are "" and the arena's owner
 * learns of it by km_scratch.failed, once, at the end. */
#ifndef KIFUMILL_REPORT_TEXT_H
#define KIFUMILL_REPORT_TEXT_H

#include "kifumill/arena.h"

#include <stdio.h>

/* Memory of the report: everything lives until its end. */
typedef struct km_scratch {
  km_arena arena;
  int failed; /* an allocation was refused */
} km_scratch;

void *km_scratch_zalloc(km_scratch *scratch, size_t n_bytes); /* NULL sets failed */
double *km_scratch_numbers(km_scratch *scratch, size_t n);    /* NaN each */
const char *km_scratch_format(km_scratch *scratch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes text into HTML (content or a quoted attribute): & < > " ' become references, control characters and
 * bytes that are no UTF-8 become U+FFFD. */
void km_html_text(FILE *out, const char *text);
/* The first max characters (not bytes) of it, with an ellipsis where it was longer. */
void km_html_text_cut(FILE *out, const char *text, size_t max);

/* "12,345", "0.0123", "1.2·10⁻⁷" with `digits` significant digits, "–" for what is not finite. */
const char *km_number_text(km_scratch *scratch, double x, int digits);
/* A whole number: "1,234,567". */
const char *km_count_text(km_scratch *scratch, double n);
/* "12.3 %" of a share. */
const char *km_percent_text(km_scratch *scratch, double share, int decimals);
/* Fixed decimals, with a sign where asked for: "−0.012", "+0.3". */
const char *km_fixed_text(km_scratch *scratch, double x, int decimals);
const char *km_signed_text(km_scratch *scratch, double x, int decimals);
/* "p < 0.001", "p = 0.034". */
const char *km_p_text(km_scratch *scratch, double p);

#endif
