/* hbs_store.h: hbs.h5, the exact feature trajectories of the games of a games.h5, and what was summed over
 * them.
 *
 * /trajectory: game i has positions offset[i] … offset[i+1]-1, position t being the one after t moves; games
 * without HBS (a board that is no square) have none. s is the exact number S in limbs of 64 bits, least
 * significant first; log2 is log2(1+S); layer (on request) the layers L, outermost first, zero where the
 * board has fewer. Positions of all games are one table (kifumill/table.h), so that workers compress whole
 * chunks and the bytes do not depend on their number. /mean and more: columns that the caller puts with the
 * functions of kifumill/h5file.h on km_hbs_writer_file. */
#ifndef KIFUMILL_HBS_STORE_H
#define KIFUMILL_HBS_STORE_H

#include "kifumill/table.h"

#define KM_HBS_FORMAT "kifumill hbs"

/* Which series a file has. */
typedef struct km_hbs_shape {
  uint32_t n_limbs;   /* of S and of a layer: 2 for boards to 31×31, 4 for larger ones */
  uint32_t n_layers;  /* 0: none kept; else of the largest board */
  uint32_t n_colours; /* 1: s, log2, layer; 2: those are Black's, and s_white, log2_white, layer_white come
                         behind */
  uint32_t with_log2; /* 0: readers take it from S */
  km_codec codec;     /* when writing */
} km_hbs_shape;

enum { KM_HBS_COLOURS_MAX = 2, KM_HBS_COLUMNS_MAX = 3 * KM_HBS_COLOURS_MAX };

/* The schema of /trajectory; owns its columns. Numbers of the columns of a block, by colour; -1: not kept. */
typedef struct km_hbs_schema {
  km_hbs_shape shape;
  km_column columns[KM_HBS_COLUMNS_MAX];
  km_table_schema table;
  int s_column[KM_HBS_COLOURS_MAX], log2_column[KM_HBS_COLOURS_MAX], layer_column[KM_HBS_COLOURS_MAX];
} km_hbs_schema;
/* Fills *schema, which must not move afterwards. KM_ERR_USAGE for a shape that cannot be. */
km_status km_hbs_schema_init(km_hbs_schema *schema, const km_hbs_shape *shape, km_err *err);

typedef struct km_hbs_writer km_hbs_writer;
/* offsets: n_games+1 numbers, known before any position is (moves + 1 a game); copied to the file. */
km_status km_hbs_writer_open(km_hbs_writer **writer, const char *path, const km_hbs_schema *schema,
                             const km_store_origin *origin, int force, km_err *err);
km_status km_hbs_writer_offsets(km_hbs_writer *writer, const uint64_t *offsets, uint64_t n_games,
                                km_err *err);
/* Blocks (km_block_new(&schema->table)) in order of position. */
km_status km_hbs_writer_append(km_hbs_writer *writer, km_block *block, km_err *err);
/* For attributes and further columns. */
km_h5 *km_hbs_writer_file(km_hbs_writer *writer);
km_status km_hbs_writer_finish(km_hbs_writer *writer, km_err *err); /* frees writer always */
void km_hbs_writer_abandon(km_hbs_writer *writer);

typedef struct km_hbs_store km_hbs_store;
km_status km_hbs_store_open(km_hbs_store **hbs, const char *path, km_err *err);
void km_hbs_store_close(km_hbs_store *hbs);
km_h5 *km_hbs_store_file(km_hbs_store *hbs);
const km_hbs_schema *km_hbs_store_schema(const km_hbs_store *hbs);
uint64_t km_hbs_store_n_games(const km_hbs_store *hbs);
const uint64_t *km_hbs_store_offsets(const km_hbs_store *hbs); /* n_games+1 */
const km_table_reader *km_hbs_store_table(const km_hbs_store *hbs);

/* Reads series of games in one thread; NULL when memory is out. */
typedef struct km_hbs_store_cursor km_hbs_store_cursor;
km_hbs_store_cursor *km_hbs_store_cursor_new(const km_hbs_store *hbs);
void km_hbs_store_cursor_free(km_hbs_store_cursor *cursor);
/* One series of a game. The pointers are borrowed until the next call on the cursor; log2 and layers are NULL
 * where they are not kept. s: [n][n_limbs], layers: [n][n_layers][n_limbs]. */
typedef struct km_hbs_store_series {
  uint64_t n; /* positions */
  const uint64_t *s;
  const double *log2;
  const uint64_t *layers;
} km_hbs_store_series;
/* Series number colour (0, or 1 of a file of both colours) of game i. with_layers 0 leaves series->layers
 * NULL and saves reading them. */
typedef struct km_hbs_store_what {
  uint64_t game;
  unsigned colour;
  int with_layers;
} km_hbs_store_what;
km_status km_hbs_store_game(km_hbs_store_cursor *cursor, const km_hbs_store_what *what,
                            km_hbs_store_series *series, km_err *err);

#endif
