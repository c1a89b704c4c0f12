/* report_page.h: the page as it is written: sections, tabs, tables, figures.
 *
 * Tabs work without scripts: radio buttons and style rules (up to KM_TABS_MAX a group; the first is chosen).
 */
#ifndef KIFUMILL_REPORT_PAGE_H
#define KIFUMILL_REPORT_PAGE_H

#include "figure.h"
#include "report_inputs.h"
#include "report_stage.h"

enum { KM_TABS_MAX = 24, KM_SECTIONS_MAX = 16 };

typedef struct km_page_section {
  const char *id, *title;
} km_page_section;

/* Everything the report is made with. */
typedef struct km_report {
  const km_report_options *options;
  km_report_inputs inputs;
  km_scratch scratch;
  FILE *out; /* of the body */
  km_page_section sections[KM_SECTIONS_MAX];
  size_t n_sections;
  unsigned n_tab_groups;
  km_figure **figures; /* those shown, in order, in the scratch */
  size_t n_figures, figures_capacity;
} km_report;

/* The arena's text, formatted: for all that follows. */
#define KM_TEXT(report, ...) km_scratch_format(&(report)->scratch, __VA_ARGS__)

void km_page_section_begin(km_report *report, const char *id, const char *title);
void km_page_section_end(km_report *report);
/* A paragraph; text is plain. */
void km_page_paragraph(km_report *report, const char *text);
void km_page_note(km_report *report, const char *text); /* small print */
void km_page_heading(km_report *report, const char *text);

/* Figures stand in a grid. Those that are empty are left out. places: most places of a line; 0: all that a
 * picture needs. */
void km_page_grid_begin(km_report *report);
void km_page_grid_end(km_report *report);
void km_page_figure(km_report *report, km_figure *figure, size_t places);

/* n names first, then as many panels. More than KM_TABS_MAX are not to be asked for. */
void km_page_tabs_begin(km_report *report, const char *what, const char *const *names, size_t n);
void km_page_panel_begin(km_report *report);
void km_page_panel_end(km_report *report);
void km_page_tabs_end(km_report *report);

/* A table that scrolls on its own where it is too wide. Columns whose title begins with # are numbers. */
void km_page_table_begin(km_report *report, const char *const *titles, size_t n);
void km_page_row_begin(km_report *report);
void km_page_cell(km_report *report, const char *text);
void km_page_cell_with_note(km_report *report, const char *text, const char *note); /* small beneath it */
void km_page_number(km_report *report, const char *text);
void km_page_row_end(km_report *report);
void km_page_table_end(km_report *report);

/* "0.612 [0.598, 0.627]" of {"value", "low", "high"}. */
const char *km_estimate_text(km_report *report, const json_t *estimate, int decimals, int with_sign);
const char *km_interval_text(km_report *report, const double value_low_high[3], int decimals, int with_sign);

/* The page around the body, as a whole file. */
typedef struct km_page_parts {
  const char *body, *claims, *head; /* head: beneath the title */
} km_page_parts;
km_status km_page_write(km_report *report, const km_page_parts *parts, FILE *out, km_err *err);

#endif
