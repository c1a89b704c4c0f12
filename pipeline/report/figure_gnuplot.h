/* figure_gnuplot.h: a figure as data and commands for gnuplot, and its drawing by gnuplot, where that is
 * installed. */
#ifndef KIFUMILL_FIGURE_GNUPLOT_H
#define KIFUMILL_FIGURE_GNUPLOT_H

#include "figure.h"

#include "kifumill/err.h"

/* Writes folder/ID.tsv and folder/ID.gp. */
km_status km_figure_gnuplot(const km_figure *figure, const char *folder, int force, km_err *err);

/* Draws folder/ID.svg and ID.png of each of n scripts, by up to `processes` gnuplots at a time; from SVG,
 * what names the program's version is taken out. A drawing appears whole or not at all. *n_drawn figures
 * succeeded; of the first that did not, why has one line. Fails only where the system does not let processes
 * be started or files be written. */
typedef struct km_gnuplot_work {
  const char *folder;
  const char *const *ids;
  size_t n;
  int processes;
} km_gnuplot_work;
km_status km_gnuplot_draw(const km_gnuplot_work *work, size_t *n_drawn, char why[200], km_err *err);

/* Removes what an earlier report left in folder (files beside a .gp that begins with our line), but for the n
 * ids. */
void km_gnuplot_clean(const char *folder, const char *const *ids, size_t n);

#endif
