/* verify_forge.c: writes a copy of an output in which one thing is wrong and every digest and check sum is
 * right, as a bug in a stage would leave it: only computing anew can tell.
 *
 *   verify_forge hbs IN OUT POSITION COLUMN       COLUMN: s, log2, layer
 *   verify_forge shard IN OUT ROW COLUMN          COLUMN: planes, policy, …
 *
 * One bit of the column is changed in that row. Without COLUMN ("-") it is a faithful copy. */
#include "kifumill/hbs_store.h"
#include "kifumill/shard_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static km_err err;

static void must(km_status status) {
  if (status == KM_OK)
    return;
  fprintf(stderr, "verify_forge: %s\n", err.msg);
  exit(1);
}

/* All rows of the tables of schema, with one bit of a row of the column named changed. */
static km_block *forged_rows(km_h5 *from, const km_table_schema *schema, uint64_t row, const char *column) {
  km_table_reader *reader;
  must(km_table_reader_open(&reader, from, schema, &err));
  uint64_t n = km_table_reader_n_rows(reader);
  km_table_cursor *cursor = km_table_cursor_new(reader);
  km_block *block = km_block_new(schema);
  if (!cursor || !block || row >= n)
    exit(2);
  km_block_reset(block, 0);
  must(km_block_extend(block, n, &err));
  for (size_t i = 0; i < schema->n_columns; i++) {
    uint8_t *rows = km_block_rows(block, i);
    must(km_table_read(cursor, i, 0, n, rows, &err));
    if (strcmp(schema->columns[i].name, column) == 0)
      rows[row * km_column_row_bytes(&schema->columns[i])] ^= 1;
  }
  must(km_block_pack(block, &err));
  km_table_cursor_free(cursor);
  km_table_reader_close(reader);
  return block;
}

static char *text_of(km_h5 *file, const char *name) {
  char *text;
  must(km_h5_get_text(file, "/", name, &text, &err));
  return text;
}

static void forge_hbs(char **argv) {
  km_hbs_store *from;
  km_hbs_writer *writer;
  km_hbs_schema schema;
  must(km_hbs_store_open(&from, argv[2], &err));
  km_h5 *file = km_hbs_store_file(from);
  km_hbs_shape shape = km_hbs_store_schema(from)->shape;
  shape.codec = (km_codec){KM_CODEC_ZSTD, 1};
  must(km_hbs_schema_init(&schema, &shape, &err));
  km_store_origin origin = {text_of(file, "command"), text_of(file, "config"), 1,
                            text_of(file, "input_digest")};
  must(km_hbs_writer_open(&writer, argv[3], &schema, &origin, 1, &err));
  must(km_h5_put_text(km_hbs_writer_file(writer), "/", "variant", text_of(file, "variant"), &err));
  must(km_hbs_writer_offsets(writer, km_hbs_store_offsets(from), km_hbs_store_n_games(from), &err));
  must(km_hbs_writer_append(writer, forged_rows(file, &schema.table, strtoull(argv[4], NULL, 10), argv[5]),
                            &err));
  must(km_hbs_writer_finish(writer, &err));
}

/* The columns of a shard as they are found. */
static size_t columns_of(km_h5 *file, km_column *columns) {
  char **names;
  size_t n, n_columns = 0;
  must(km_h5_list(file, "/", &names, &n, &err));
  for (size_t i = 0; i < n; i++) {
    char path[300];
    km_h5_info info;
    snprintf(path, sizeof path, "/%s", names[i]);
    if (km_h5_is_group(file, path) || n_columns == KM_TABLE_COLUMNS_MAX)
      continue;
    must(km_h5_find(file, path, &info, &err));
    columns[n_columns] =
        (km_column){.name = names[i], .type = info.type, .inner_rank = info.inner_rank, .doc = "a copy"};
    memcpy(columns[n_columns++].inner, info.inner, sizeof info.inner);
  }
  return n_columns;
}

static void forge_shard(char **argv) {
  static const char *const texts[] = {"layout", "pack", "symmetries", "split"};
  static const char *const numbers[] = {"board_rows", "board_cols", "index", "n_rows"};
  km_h5 *from, *to;
  km_table_writer *writer;
  km_column columns[KM_TABLE_COLUMNS_MAX];
  uint64_t number;
  must(km_h5_open(&from, argv[2], KM_SHARD_FORMAT, &err));
  km_table_schema schema = {.group = "",
                            .columns = columns,
                            .n_columns = columns_of(from, columns),
                            .chunk_rows = 64,
                            .codec = {KM_CODEC_ZSTD, 1}};
  km_store_origin origin = {text_of(from, "command"), text_of(from, "config"), 1,
                            text_of(from, "input_digest")};
  must(km_h5_create(&to, argv[3], KM_SHARD_FORMAT, &origin, 1, &err));
  for (size_t i = 0; i < 4; i++) {
    must(km_h5_put_text(to, "/", texts[i], text_of(from, texts[i]), &err));
    must(km_h5_get_u64(from, "/", numbers[i], &number, &err));
    must(km_h5_put_u64(to, "/", numbers[i], number, &err));
  }
  km_block *block = forged_rows(from, &schema, strtoull(argv[4], NULL, 10), argv[5]);
  must(km_table_writer_open(&writer, to, &schema, km_block_n_rows(block), &err));
  must(km_table_writer_append(writer, block, &err));
  must(km_table_writer_finish(writer, &err));
  must(km_h5_finish(to, &err));
}

int main(int argc, char **argv) {
  if (argc != 6)
    return 2;
  if (strcmp(argv[1], "hbs") == 0)
    forge_hbs(argv);
  else
    forge_shard(argv);
  return 0; /* what it has allocated goes with it */
}
