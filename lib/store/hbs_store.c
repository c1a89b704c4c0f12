/* hbs_store.c: /trajectory of hbs.h5 as a table, with offsets by game.
 *
 * Most moves leave S as it is, or change one of its layers: whole values repeat, and zstd at level 1 finds
 * that best without byte shuffle. On 10,000 games of 19×19 (2.0 M positions): S 1.61 bytes a position,
 * shuffled 2.69, XOR with the position before and shuffled 2.44; and packs and unpacks fastest. What repeats
 * is known without search (KM_CONTENT_SERIES of codec.h). */
#include "kifumill/hbs_store.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_ROWS = 8192, CHUNK_BYTES_MAX = 1 << 20, LIMBS_MAX = 4, LAYERS_MAX = 26 };

static const km_column offset_column = {
    .name = "/trajectory/offset",
    .type = KM_U64,
    .doc = "positions of game i are those from offset[i] to offset[i+1]-1, by moves played"};

/* The columns of one colour. */
static void add_columns(km_hbs_schema *schema, int colour) {
  static const char *const names[KM_HBS_COLOURS_MAX][3] = {{"s", "log2", "layer"},
                                                           {"s_white", "log2_white", "layer_white"}};
  const km_hbs_shape *shape = &schema->shape;
  size_t n = schema->table.n_columns;
  schema->s_column[colour] = (int)n;
  schema->columns[n++] = (km_column){.name = names[colour][0],
                                     .type = KM_U64,
                                     .inner_rank = 1,
                                     .inner = {shape->n_limbs},
                                     .doc = "S, exact, in limbs of 64 bits, least significant first",
                                     .unshuffled = 1,
                                     .content = KM_CONTENT_SERIES};
  if (shape->with_log2) {
    schema->log2_column[colour] = (int)n;
    schema->columns[n++] = (km_column){.name = names[colour][1],
                                       .type = KM_F64,
                                       .doc = "log2(1+S)",
                                       .unshuffled = 1,
                                       .content = KM_CONTENT_SERIES};
  }
  if (shape->n_layers) {
    schema->layer_column[colour] = (int)n;
    schema->columns[n++] =
        (km_column){.name = names[colour][2],
                    .type = KM_U64,
                    .inner_rank = 2,
                    .inner = {shape->n_layers, shape->n_limbs},
                    .doc = "L of every layer, outermost first, in limbs; 0 where a board has fewer layers",
                    .unshuffled = 1,
                    .content = KM_CONTENT_SERIES};
  }
  schema->table.n_columns = n;
}

km_status km_hbs_schema_init(km_hbs_schema *schema, const km_hbs_shape *shape, km_err *err) {
  if (shape->n_limbs < 1 || shape->n_limbs > LIMBS_MAX || shape->n_layers > LAYERS_MAX ||
      shape->n_colours < 1 || shape->n_colours > KM_HBS_COLOURS_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "S has 1…%d limbs, 0…%d layers, 1…2 colours", LIMBS_MAX,
                      LAYERS_MAX);
  *schema = (km_hbs_schema){.shape = *shape};
  for (int c = 0; c < KM_HBS_COLOURS_MAX; c++)
    schema->s_column[c] = schema->log2_column[c] = schema->layer_column[c] = -1;
  schema->table =
      (km_table_schema){.group = "/trajectory", .columns = schema->columns, .codec = shape->codec};
  for (uint32_t c = 0; c < shape->n_colours; c++)
    add_columns(schema, (int)c);
  uint32_t rows = CHUNK_ROWS;
  for (size_t i = 0; i < schema->table.n_columns; i++)
    while (rows * km_column_row_bytes(&schema->columns[i]) > CHUNK_BYTES_MAX)
      rows /= 2;
  schema->table.chunk_rows = rows;
  return km_table_check(&schema->table, err);
}

struct km_hbs_writer {
  km_h5 *file;
  const km_hbs_schema *schema;
  km_table_writer *table; /* made when the offsets are known */
  uint64_t n_positions;
};

km_status km_hbs_writer_open(km_hbs_writer **writer, const char *path, const km_hbs_schema *schema,
                             const km_store_origin *origin, int force, km_err *err) {
  *writer = NULL;
  km_hbs_writer *w = calloc(1, sizeof *w);
  if (!w)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  w->schema = schema;
  km_status status = km_h5_create(&w->file, path, KM_HBS_FORMAT, origin, force, err);
  if (!status)
    status = km_h5_put_u64(w->file, "/", "limbs", schema->shape.n_limbs, err);
  if (!status)
    status = km_h5_put_u64(w->file, "/", "layers", schema->shape.n_layers, err);
  if (!status)
    status = km_h5_put_u64(w->file, "/", "colours", schema->shape.n_colours, err);
  if (!status)
    status = km_h5_put_u64(w->file, "/", "with_log2", schema->shape.with_log2 != 0, err);
  if (!status)
    status = km_h5_group(w->file, "/trajectory", "S of every position of every game", err);
  if (status) {
    km_hbs_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

km_status km_hbs_writer_offsets(km_hbs_writer *writer, const uint64_t *offsets, uint64_t n_games,
                                km_err *err) {
  if (writer->table)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: offsets are given once", km_h5_path(writer->file));
  km_status status = km_h5_put_column(writer->file, &offset_column, n_games + 1, offsets, err);
  if (status)
    return status;
  writer->n_positions = offsets[n_games];
  return km_table_writer_open(&writer->table, writer->file, &writer->schema->table, writer->n_positions, err);
}

km_status km_hbs_writer_append(km_hbs_writer *writer, km_block *block, km_err *err) {
  if (!writer->table)
    return km_err_set(err, KM_ERR_STATE, 0, "%s: offsets come before positions", km_h5_path(writer->file));
  return km_table_writer_append(writer->table, block, err);
}

km_h5 *km_hbs_writer_file(km_hbs_writer *writer) {
  return writer->file;
}

km_status km_hbs_writer_finish(km_hbs_writer *writer, km_err *err) {
  km_status status = KM_OK;
  if (!writer->table || km_table_writer_n_rows(writer->table) != writer->n_positions)
    status = km_err_set(err, KM_ERR_STATE, 0, "%s: positions are missing", km_h5_path(writer->file));
  if (!status) {
    km_table_writer *table = writer->table;
    writer->table = NULL;
    status = km_table_writer_finish(table, err);
  }
  if (!status) {
    km_h5 *file = writer->file;
    writer->file = NULL;
    status = km_h5_finish(file, err);
  }
  km_hbs_writer_abandon(writer);
  return status;
}

void km_hbs_writer_abandon(km_hbs_writer *writer) {
  if (!writer)
    return;
  km_table_writer_abandon(writer->table);
  km_h5_close(writer->file);
  free(writer);
}

struct km_hbs_store {
  km_h5 *file;
  km_hbs_schema schema;
  km_table_reader *table;
  uint64_t *offsets;
  uint64_t n_games;
};

static km_status read_shape(km_hbs_store *h, km_err *err) {
  uint64_t limbs = 0, layers = 0, colours = 0, with_log2 = 0;
  km_status status = km_h5_get_u64(h->file, "/", "limbs", &limbs, err);
  if (!status)
    status = km_h5_get_u64(h->file, "/", "layers", &layers, err);
  if (!status)
    status = km_h5_get_u64(h->file, "/", "colours", &colours, err);
  if (!status)
    status = km_h5_get_u64(h->file, "/", "with_log2", &with_log2, err);
  if (status)
    return status;
  km_hbs_shape shape = {.n_limbs = limbs > LIMBS_MAX ? 0 : (uint32_t)limbs,
                        .n_layers = layers > LAYERS_MAX ? UINT32_MAX : (uint32_t)layers,
                        .n_colours = colours > KM_HBS_COLOURS_MAX ? 0 : (uint32_t)colours,
                        .with_log2 = with_log2 != 0};
  status = km_hbs_schema_init(&h->schema, &shape, err);
  if (status)
    return km_err_set(err, KM_ERR_FORMAT, 0,
                      "%s: attributes limbs, layers and colours are not of a file of ours",
                      km_h5_path(h->file));
  return KM_OK;
}

static km_status read_offsets(km_hbs_store *h, km_err *err) {
  uint64_t n = 0, n_rows = km_table_reader_n_rows(h->table);
  void *block = NULL;
  km_status status = km_h5_read_all(h->file, &offset_column, SIZE_MAX / 2, &block, &n, err);
  if (status)
    return status;
  h->offsets = block;
  int bad = n == 0 || h->offsets[0] != 0 || h->offsets[n - 1] != n_rows;
  for (uint64_t i = 1; i < n; i++)
    bad |= h->offsets[i] < h->offsets[i - 1];
  if (bad)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: /trajectory/offset does not rise from 0 to %llu",
                      km_h5_path(h->file), (unsigned long long)n_rows);
  h->n_games = n - 1;
  return KM_OK;
}

km_status km_hbs_store_open(km_hbs_store **hbs, const char *path, km_err *err) {
  *hbs = NULL;
  km_hbs_store *h = calloc(1, sizeof *h);
  if (!h)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_h5_open(&h->file, path, KM_HBS_FORMAT, err);
  if (!status)
    status = read_shape(h, err);
  if (!status)
    status = km_table_reader_open(&h->table, h->file, &h->schema.table, err);
  if (!status)
    status = read_offsets(h, err);
  if (status) {
    km_hbs_store_close(h);
    return status;
  }
  *hbs = h;
  return KM_OK;
}

void km_hbs_store_close(km_hbs_store *hbs) {
  if (!hbs)
    return;
  km_table_reader_close(hbs->table);
  km_h5_close(hbs->file);
  free(hbs->offsets);
  free(hbs);
}

km_h5 *km_hbs_store_file(km_hbs_store *hbs) {
  return hbs->file;
}
const km_hbs_schema *km_hbs_store_schema(const km_hbs_store *hbs) {
  return &hbs->schema;
}
uint64_t km_hbs_store_n_games(const km_hbs_store *hbs) {
  return hbs->n_games;
}
const uint64_t *km_hbs_store_offsets(const km_hbs_store *hbs) {
  return hbs->offsets;
}
const km_table_reader *km_hbs_store_table(const km_hbs_store *hbs) {
  return hbs->table;
}

struct km_hbs_store_cursor {
  const km_hbs_store *hbs;
  km_table_cursor *table;
  uint64_t capacity; /* positions */
  uint64_t layers_capacity;
  uint64_t *s, *layers;
  double *log2;
};

km_hbs_store_cursor *km_hbs_store_cursor_new(const km_hbs_store *hbs) {
  km_hbs_store_cursor *cursor = calloc(1, sizeof *cursor);
  if (!cursor)
    return NULL;
  cursor->hbs = hbs;
  cursor->table = km_table_cursor_new(hbs->table);
  if (!cursor->table) {
    free(cursor);
    return NULL;
  }
  return cursor;
}

void km_hbs_store_cursor_free(km_hbs_store_cursor *cursor) {
  if (!cursor)
    return;
  km_table_cursor_free(cursor->table);
  free(cursor->s);
  free(cursor->layers);
  free(cursor->log2);
  free(cursor);
}

/* Room for n values of size bytes in place of old, whose contents are lost; NULL when memory is out. */
static void *renew(void *old, uint64_t n, size_t bytes) {
  free(old);
  return n <= SIZE_MAX / 2 / bytes ? malloc((size_t)n * bytes) : NULL;
}

static km_status reserve(km_hbs_store_cursor *c, uint64_t n, int with_layers, km_err *err) {
  const km_hbs_shape *shape = &c->hbs->schema.shape;
  if (n > c->capacity) {
    c->s = renew(c->s, n, shape->n_limbs * sizeof *c->s);
    c->log2 = renew(c->log2, n, sizeof *c->log2);
    c->capacity = c->s && c->log2 ? n : 0;
  }
  if (with_layers && n > c->layers_capacity) {
    c->layers = renew(c->layers, n, shape->n_layers * shape->n_limbs * sizeof *c->layers);
    c->layers_capacity = c->layers ? n : 0;
  }
  if (n > c->capacity || (with_layers && n > c->layers_capacity))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  return KM_OK;
}

km_status km_hbs_store_game(km_hbs_store_cursor *cursor, const km_hbs_store_what *what,
                            km_hbs_store_series *series, km_err *err) {
  const km_hbs_store *h = cursor->hbs;
  const km_hbs_schema *schema = &h->schema;
  *series = (km_hbs_store_series){0};
  if (what->game >= h->n_games || what->colour >= schema->shape.n_colours)
    return km_err_set(err, KM_ERR_USAGE, 0, "%s: there is no game %llu, or no series %u", km_h5_path(h->file),
                      (unsigned long long)what->game, what->colour);
  uint64_t first = h->offsets[what->game], n = h->offsets[what->game + 1] - first;
  int log2_column = schema->log2_column[what->colour],
      layer_column = what->with_layers ? schema->layer_column[what->colour] : -1;
  km_status status = reserve(cursor, n, layer_column >= 0, err);
  if (!status)
    status = km_table_read(cursor->table, (size_t)schema->s_column[what->colour], first, n, cursor->s, err);
  if (!status && layer_column >= 0)
    status = km_table_read(cursor->table, (size_t)layer_column, first, n, cursor->layers, err);
  if (!status && log2_column >= 0)
    status = km_table_read(cursor->table, (size_t)log2_column, first, n, cursor->log2, err);
  if (status)
    return status;
  *series = (km_hbs_store_series){.n = n,
                                  .s = cursor->s,
                                  .log2 = log2_column >= 0 ? cursor->log2 : NULL,
                                  .layers = layer_column >= 0 ? cursor->layers : NULL};
  return KM_OK;
}
