/* report_stage.h: what the other stages found, as a page for people: report/index.html, and its plots beside
 * it.
 *
 * Inputs are the outputs of other stages, known by their content, or folders that hold them under their usual
 * names (a run folder). Whatever is there is shown; the page says what is missing.
 *
 *   index.html   one file that needs no other: style, script and plots are in it, nothing is fetched. Without
 * scripts it shows everything; with them plots tell values under the pointer. All text from records is
 * escaped, and a content security policy allows the page's own script alone plots/NAME.tsv   the data of a
 * plot, a block a series, behind a comment line that names it plots/NAME.gp    gnuplot's commands for it:
 * `gnuplot NAME.gp` in that folder draws it anew plots/NAME.svg, NAME.png   drawn so, where gnuplot is
 * installed; where it is not or fails, a warning says so
 *
 * Nothing is computed here that a stage has computed; but the claims of the HBS paper are judged here
 * (claims.h), by rules that stand beside each verdict. The bytes of all but the PNG files depend on the
 * inputs and options alone. */
#ifndef KIFUMILL_REPORT_STAGE_H
#define KIFUMILL_REPORT_STAGE_H

#include "stage.h"

typedef enum km_report_plots { KM_PLOTS_ALL = 0, KM_PLOTS_DATA, KM_PLOTS_OFF } km_report_plots;

typedef struct km_report_options {
  km_run_options run; /* output is the folder */
  const char *title;
  int examples; /* games of each board size */
  int plots;    /* km_report_plots */
} km_report_options;

extern const km_stage km_report_stage;

km_status km_report_run(const km_report_options *options, km_stage_outcome *outcome, km_err *err);

#endif
