/* position_draw.c: the series are merged by game number, and a game is taken or left by a number hashed from its identity. */
#include "position_draw.h"

#include "kifumill/hash.h"

#include <stdlib.h>

typedef struct cursor {
  size_t series, block, n_blocks, at, n;
  const km_position *first;
} cursor;

/* At the end of a block, leaves it and goes to the next one that has rows. */
static void settle(cursor *c, const km_position_store *store) {
  while (c->at == c->n && c->block < c->n_blocks) {
    if (c->n)
      km_position_store_leave(store, c->series, c->block - 1);
    c->first = km_position_store_block(store, c->series, c->block++, &c->n);
    c->at = 0;
  }
}

/* The row under a cursor; NULL at its end. */
static const km_position *row_of(const cursor *c, size_t row_bytes) {
  return c->at < c->n ? km_position_at(c->first, c->at, row_bytes) : NULL;
}

/* The game that comes next in any of the series; 0: none. */
static int next_game(const cursor *cursors, size_t n, size_t row_bytes, uint32_t *game) {
  int found = 0;
  for (size_t s = 0; s < n; s++) {
    const km_position *row = row_of(&cursors[s], row_bytes);
    if (row && (!found || row->game < *game)) {
      *game = row->game;
      found = 1;
    }
  }
  return found;
}

/* Takes or leaves the rows of a game that are under a cursor. */
static km_status take_game(km_position_store *to, cursor *c, const km_position_draw *draw, double share, km_err *err) {
  size_t row_bytes = km_position_store_row_bytes(to), n = 0;
  const km_position *row = row_of(c, row_bytes);
  while (c->at + n < c->n && km_position_at(c->first, c->at + n, row_bytes)->game == row->game)
    n++;
  km_status status = KM_OK;
  if (km_random_unit(km_mix64(km_random(draw->seed, row->identity, 0, KM_PURPOSE_MODEL))) < share)
    status = km_position_store_add(to, 0, row, n, err);
  c->at += n;
  settle(c, draw->from);
  return status;
}

static km_status merge(km_position_store *to, cursor *cursors, const km_position_draw *draw, double share, km_err *err) {
  size_t row_bytes = km_position_store_row_bytes(to);
  km_status status = KM_OK;
  uint32_t game = 0;
  while (status == KM_OK && next_game(cursors, draw->n_series, row_bytes, &game))
    for (size_t s = 0; s < draw->n_series && status == KM_OK; s++) {
      const km_position *row = row_of(&cursors[s], row_bytes);
      if (row && row->game == game)
        status = take_game(to, &cursors[s], draw, share, err);
    }
  return status;
}

km_status km_position_draw_open(km_position_store **drawn, const km_position_draw *draw, km_err *err) {
  double rows = 0, most = (double)draw->most_rows;
  cursor *cursors = calloc(draw->n_series + 1, sizeof *cursors);
  *drawn = NULL;
  if (!cursors)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory to draw rows");
  for (size_t s = 0; s < draw->n_series; s++) {
    size_t series = draw->first_series + s;
    cursors[s] = (cursor){.series = series, .n_blocks = km_position_store_blocks(draw->from, series)};
    settle(&cursors[s], draw->from);
    rows += (double)km_position_store_rows(draw->from, series);
  }
  km_position_store *to;
  km_status status = km_position_store_open(&to, draw->output, 1, draw->n_columns, err);
  if (status == KM_OK) {
    status = merge(to, cursors, draw, rows > most ? most / rows : 1, err);
    if (status == KM_OK)
      status = km_position_store_seal(to, err);
    if (status == KM_OK)
      *drawn = to;
    else
      km_position_store_close(to);
  }
  free(cursors);
  return status;
}
