/* phase_labels.h: breaks given by people, from a CSV.
 *
 * The first line names the columns: source, entry, ply, and game where an entry has several (its number among
 * the games of the entry in games.h5, from 1; 1 if the column is missing or empty); others are not looked at.
 * Fields may be quoted as in RFC 4180. Every line is one break. Errors name the line. */
#ifndef KIFUMILL_PHASE_LABELS_H
#define KIFUMILL_PHASE_LABELS_H

#include "kifumill/changepoint_metrics.h"
#include "kifumill/game.h"

#include "kifumill/err.h"

typedef struct km_labels km_labels;
km_status km_labels_read(km_labels **labels, const char *path, km_err *err);
void km_labels_free(km_labels *labels);
size_t km_labels_n(const km_labels *labels); /* distinct breaks */
/* The breaks of a game, rising; none: at.n is 0. Any thread. */
km_breaks km_labels_of(const km_labels *labels, km_text source, km_text entry, uint32_t game);

#endif
