/* figure_svg.h: a figure as inline SVG in the page.
 *
 * Axis names and the legend are HTML around the picture, so that they wrap on a phone. Lines are paths in the
 * units of the plot's area, and report.js reads values back from them: the picture is the data, to 1/2000 of
 * an axis. Lines of more than KM_SVG_PLACES places are thinned evenly (ends stay); the whole is in the plot's
 * .tsv. */
#ifndef KIFUMILL_FIGURE_SVG_H
#define KIFUMILL_FIGURE_SVG_H

#include "figure.h"

enum { KM_SVG_PLACES = 360 };

/* The <figure>. data_link: the name of its data beside the page, or NULL. places: most places of a line. */
void km_figure_html(FILE *out, const km_figure *figure, const char *data_link, size_t places);

#endif
