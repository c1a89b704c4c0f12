/* phases_store.c: two tables and a CSV, a game after the other.
 *
 * /games has a row a game of hbs.h5; its change-points are rows first … first + n_changes - 1 of /changes.
 * What is undefined is 0 for breaks (a break is never 0) and NaN for numbers. */
#include "phases_store.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GAME_CHUNK = 4096, CHANGE_CHUNK = 16384 };

#define PAIR(label, text)                                                                                    \
  { .name = label, .type = KM_U32, .inner_rank = 1, .inner = {2}, .doc = text }
static const km_column game_columns[] = {
    {.name = "size", .type = KM_U8, .doc = "side of the board; 0: no series"},
    {.name = "positions", .type = KM_U32, .doc = "length of the series: moves + 1"},
    {.name = "state",
     .type = KM_U8,
     .doc = "0 divided, 1 no series, 2 too long to be cut, 3 too short for three pieces"},
    {.name = "first", .type = KM_U64, .doc = "first row in /changes"},
    {.name = "n_changes", .type = KM_U32, .doc = "rows in /changes"},
    {.name = "mean", .type = KM_F64, .doc = "mean of the signal before the first change"},
    {.name = "cost", .type = KM_F64, .doc = "sum of the costs of the pieces"},
    {.name = "total", .type = KM_F64, .doc = "the same with the penalties"},
    {.name = "beta", .type = KM_F64, .doc = "penalty of a change"},
    {.name = "sigma2", .type = KM_F64, .doc = "variance of the noise that it was made of"},
    PAIR("three", "where the middle game and the endgame begin, by the best two changes"),
    {.name = "three_mean",
     .type = KM_F64,
     .inner_rank = 1,
     .inner = {3},
     .doc = "mean of the signal in the three pieces"},
    {.name = "compared",
     .type = KM_U8,
     .doc = "1: the game is in the comparison, and the divisions below are there"},
    PAIR("uniform", "division into thirds"),
    PAIR("conventional", "the conventional division, where labels are the reference"),
    PAIR("stones", "division by the number of stones"),
    PAIR("lines", "division by the mean line of the last ten moves"),
    PAIR("contact", "division by the first contact"),
    PAIR("captures", "division by the number of prisoners"),
};
#undef PAIR
enum {
  N_GAME_COLUMNS = sizeof game_columns / sizeof *game_columns,
  COLUMN_METHODS = 13 /* of KM_METHOD_UNIFORM */
};

static const km_column change_columns[] = {
    {.name = "game", .type = KM_U64, .doc = "row in /games"},
    {.name = "at", .type = KM_U32, .doc = "a new piece begins with the position after so many moves"},
    {.name = "mean", .type = KM_F64, .doc = "mean of the signal from there to the next change, or the end"},
};
enum { N_CHANGE_COLUMNS = sizeof change_columns / sizeof *change_columns };

struct km_phases_writer {
  km_h5 *file;
  km_outfile *csv;
  km_table_schema games_schema, changes_schema;
  km_table_writer *games, *changes;
  km_block *game_block, *change_block;
  uint64_t n_changes;
};

km_h5 *km_phases_writer_file(km_phases_writer *writer) {
  return writer->file;
}

void km_phases_writer_abandon(km_phases_writer *writer) {
  if (!writer)
    return;
  km_table_writer_abandon(writer->games);
  km_table_writer_abandon(writer->changes);
  km_block_free(writer->game_block);
  km_block_free(writer->change_block);
  km_outfile_abandon(writer->csv);
  km_h5_close(writer->file);
  free(writer);
}

static km_status open_tables(km_phases_writer *w, const km_phases_target *target, km_err *err) {
  w->games_schema = (km_table_schema){.group = "/games",
                                      .columns = game_columns,
                                      .n_columns = N_GAME_COLUMNS,
                                      .chunk_rows = GAME_CHUNK,
                                      .codec = {KM_CODEC_ZSTD, 1}};
  w->changes_schema = (km_table_schema){.group = "/changes",
                                        .columns = change_columns,
                                        .n_columns = N_CHANGE_COLUMNS,
                                        .chunk_rows = CHANGE_CHUNK,
                                        .codec = {KM_CODEC_ZSTD, 1}};
  km_status status = km_h5_group(w->file, "/games", "one row a game of the HBS file", err);
  if (status == KM_OK)
    status = km_h5_group(w->file, "/changes", "one row a change-point, game after game", err);
  if (status == KM_OK)
    status = km_table_writer_open(&w->games, w->file, &w->games_schema, target->n_games, err);
  if (status == KM_OK)
    status = km_table_writer_open(&w->changes, w->file, &w->changes_schema, target->n_positions, err);
  w->game_block = km_block_new(&w->games_schema);
  w->change_block = km_block_new(&w->changes_schema);
  if (status == KM_OK && (!w->game_block || !w->change_block))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  return status;
}

km_status km_phases_writer_open(km_phases_writer **writer, const km_phases_target *target, km_err *err) {
  static const char head[] = "game,source,entry,size,positions,changes,middle,endgame\n";
  km_phases_writer *w = calloc(1, sizeof *w);
  *writer = NULL;
  if (!w)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status =
      km_h5_create(&w->file, target->path, KM_PHASES_FORMAT, target->origin, target->force, err);
  if (status == KM_OK)
    status = open_tables(w, target, err);
  if (status == KM_OK)
    status = km_outfile_open(&w->csv, target->csv_path, target->force, err);
  if (status == KM_OK)
    status = km_outfile_write(w->csv, head, sizeof head - 1, err);
  if (status != KM_OK) {
    km_phases_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

/* ---- rows
 * -------------------------------------------------------------------------------------------------------- */

static void put_pair(void *column, size_t row, const uint32_t at[2]) {
  memcpy((uint32_t *)column + 2 * row, at, 2 * sizeof *at);
}

static void fill_game(km_block *block, size_t row, const km_phase_game *g, uint64_t first) {
  void *c[N_GAME_COLUMNS];
  int is_cut = g->state == KM_CUT_DONE || g->state == KM_CUT_TOO_SHORT, is_divided = g->state == KM_CUT_DONE;
  for (size_t i = 0; i < N_GAME_COLUMNS; i++)
    c[i] = km_block_rows(block, i);
  ((uint8_t *)c[0])[row] = g->size;
  ((uint32_t *)c[1])[row] = g->n;
  ((uint8_t *)c[2])[row] = g->state;
  ((uint64_t *)c[3])[row] = first;
  ((uint32_t *)c[4])[row] = (uint32_t)g->changes.n;
  const double numbers[] = {is_cut ? g->means[0] : 0, g->cost, g->total, g->beta, g->sigma2};
  for (size_t i = 0; i < 5; i++)
    ((double *)c[5 + i])[row] = is_cut ? numbers[i] : (double)NAN;
  if (is_divided)
    put_pair(c[10], row, g->three.at);
  for (size_t i = 0; i < 3; i++)
    ((double *)c[11])[3 * row + i] = is_divided ? g->three_means[i] : (double)NAN;
  ((uint8_t *)c[12])[row] = g->compared;
  for (int m = KM_METHOD_UNIFORM; m < KM_METHODS; m++)
    if (g->compared && g->has_method[m])
      put_pair(c[COLUMN_METHODS + m - KM_METHOD_UNIFORM], row, g->divisions[m].at);
}

static void fill_changes(km_block *block, size_t row, const km_phase_game *g) {
  uint64_t *game = km_block_rows(block, 0);
  uint32_t *at = km_block_rows(block, 1);
  double *mean = km_block_rows(block, 2);
  for (size_t i = 0; i < g->changes.n; i++) {
    game[row + i] = g->game;
    at[row + i] = g->changes.at[i];
    mean[row + i] = g->means[i + 1];
  }
}

/* A CSV field, quoted where it must be. */
static km_status put_field(km_outfile *csv, km_text text, km_err *err) {
  int plain = 1;
  km_status status = KM_OK;
  for (uint32_t i = 0; text.bytes && i < text.n_bytes; i++) {
    char c = text.bytes[i];
    plain &= c != ',' && c != '"' && c != '\r' && c != '\n';
  }
  if (plain)
    return km_outfile_write(csv, text.bytes ? text.bytes : "", text.bytes ? text.n_bytes : 0, err);
  status = km_outfile_write(csv, "\"", 1, err);
  for (uint32_t i = 0; i < text.n_bytes && status == KM_OK; i++)
    status = km_outfile_write(csv, text.bytes[i] == '"' ? "\"\"" : &text.bytes[i],
                              text.bytes[i] == '"' ? 2 : 1, err);
  return status == KM_OK ? km_outfile_write(csv, "\"", 1, err) : status;
}

/* The number and what comes behind it. */
static km_status put_number(km_outfile *csv, uint64_t value, char behind, km_err *err) {
  char text[24];
  size_t at = sizeof text;
  text[--at] = behind;
  do
    text[--at] = (char)('0' + value % 10);
  while (value /= 10);
  return km_outfile_write(csv, text + at, sizeof text - at, err);
}

static km_status put_breaks(km_outfile *csv, const km_phase_game *g, km_err *err) {
  const km_breaks *changes = &g->changes;
  km_status status = changes->n ? KM_OK : km_outfile_write(csv, ",", 1, err);
  for (size_t i = 0; i < changes->n && status == KM_OK; i++)
    status = put_number(csv, changes->at[i], i + 1 < changes->n ? ' ' : ',', err);
  if (status == KM_OK && g->state != KM_CUT_DONE)
    return km_outfile_write(csv, ",\n", 2, err);
  if (status == KM_OK)
    status = put_number(csv, g->three.at[0], ',', err);
  return status == KM_OK ? put_number(csv, g->three.at[1], '\n', err) : status;
}

static km_status put_csv(km_outfile *csv, const km_phase_game *g, const km_games *games, km_err *err) {
  static const km_text none = {NULL, 0};
  km_status status = put_number(csv, g->game, ',', err);
  for (int field = KM_TEXT_SOURCE; field <= KM_TEXT_ENTRY && status == KM_OK; field++) {
    status = put_field(csv, games ? km_games_text(games, g->game, (km_text_field)field) : none, err);
    if (status == KM_OK)
      status = km_outfile_write(csv, ",", 1, err);
  }
  if (status == KM_OK)
    status = put_number(csv, g->size, ',', err);
  if (status == KM_OK)
    status = put_number(csv, g->n, ',', err);
  return status == KM_OK ? put_breaks(csv, g, err) : status;
}

static km_status append(km_table_writer *table, km_block *block, km_err *err) {
  km_status status = km_block_pack(block, err);
  return status == KM_OK ? km_table_writer_append(table, block, err) : status;
}

km_status km_phases_writer_add(km_phases_writer *w, const km_phase_game *results, size_t n,
                               const km_games *games, km_err *err) {
  uint64_t n_changes = 0;
  for (size_t i = 0; i < n; i++)
    n_changes += results[i].changes.n;
  km_block_reset(w->game_block, km_table_writer_n_rows(w->games));
  km_block_reset(w->change_block, w->n_changes);
  km_status status = km_block_extend(w->game_block, n, err);
  if (status == KM_OK)
    status = km_block_extend(w->change_block, (size_t)n_changes, err);
  uint64_t row = 0;
  for (size_t i = 0; i < n && status == KM_OK; i++) {
    fill_game(w->game_block, i, &results[i], w->n_changes + row);
    fill_changes(w->change_block, (size_t)row, &results[i]);
    row += results[i].changes.n;
    status = put_csv(w->csv, &results[i], games, err);
  }
  w->n_changes += n_changes;
  if (status == KM_OK)
    status = append(w->games, w->game_block, err);
  return status == KM_OK ? append(w->changes, w->change_block, err) : status;
}

km_status km_phases_writer_finish(km_phases_writer *w, km_err *err) {
  km_table_writer *games = w->games, *changes = w->changes;
  w->games = w->changes = NULL;
  km_status status = km_table_writer_finish(games, err);
  if (status == KM_OK)
    status = km_table_writer_finish(changes, err);
  else
    km_table_writer_abandon(changes);
  if (status == KM_OK) {
    km_h5 *file = w->file;
    w->file = NULL;
    status = km_h5_finish(file, err);
  }
  if (status == KM_OK) {
    km_outfile *csv = w->csv;
    w->csv = NULL;
    status = km_outfile_finish(csv, err);
  }
  km_phases_writer_abandon(w);
  return status;
}
