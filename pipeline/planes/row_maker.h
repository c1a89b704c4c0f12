/* row_maker.h: rows into a block: from moments, or, where a layout or the features want a board, by replaying
 * games.
 *
 * By replay: the rows of a block are taken in order of game and ply, and each game is replayed once, up to
 * its last row; every row goes to its own place. */
#ifndef KIFUMILL_ROW_MAKER_H
#define KIFUMILL_ROW_MAKER_H

#include "row_columns.h"

#include "kifumill/games_store.h"

/* The state of one thread. */
typedef struct km_row_maker km_row_maker;
/* NULL: no memory. All is borrowed. games is looked at only where boards are needed. */
km_row_maker *km_row_maker_new(const km_planes_settings *settings, const km_track_shape *shape,
                               const km_games *games);
void km_row_maker_free(km_row_maker *maker);
/* Bytes that one takes, about. */
size_t km_row_maker_bytes(const km_planes_settings *settings);

/* Where facts and moments of n rows are to be put before km_row_maker_make; moments is NULL where none are
 * wanted. */
km_status km_row_maker_room(km_row_maker *maker, size_t n, km_row_facts **facts, km_moment **moments,
                            km_err *err);
/* Makes those rows into the sink, from its row number `first` on. */
km_status km_row_maker_make(km_row_maker *maker, size_t n, const km_row_sink *sink, size_t first,
                            km_err *err);

#endif
