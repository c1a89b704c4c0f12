/* shard_store.c: a shard is a table with root attributes; its entry for the manifest is made from the
 * finished file, so that the digest is of what lies on the disk. */
#include "kifumill/shard_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct km_shard_writer {
  km_h5 *file;
  km_table_writer *table;
  char *path;
};

static km_status put_attributes(km_h5 *file, const km_shard_spec *spec, const char *split, km_err *err) {
  char codec[16];
  km_codec_print(spec->table.codec, codec);
  const struct {
    const char *name, *text;
  } texts[] = {{"layout", spec->layout},
               {"pack", spec->pack},
               {"symmetries", spec->symmetries},
               {"codec", codec},
               {"split", split}};
  km_status status = KM_OK;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0] && !status; i++)
    status = km_h5_put_text(file, "/", texts[i].name, texts[i].text, err);
  if (!status)
    status = km_h5_put_u64(file, "/", "board_rows", spec->rows, err);
  if (!status)
    status = km_h5_put_u64(file, "/", "board_cols", spec->cols, err);
  if (!status)
    status = km_h5_put_texts(file, "/", "planes", spec->planes, spec->n_planes, err);
  if (!status && spec->plane_docs)
    status = km_h5_put_texts(file, "/", "plane_descriptions", spec->plane_docs, spec->n_planes, err);
  return status;
}

km_status km_shard_writer_open(km_shard_writer **writer, const char *path, const km_shard_spec *spec,
                               const km_shard_id *id, km_err *err) {
  *writer = NULL;
  km_shard_writer *w = calloc(1, sizeof *w);
  if (!w || !(w->path = strdup(path))) {
    free(w);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  km_status status = km_h5_create(&w->file, path, KM_SHARD_FORMAT, &spec->origin, spec->force, err);
  if (!status)
    status = put_attributes(w->file, spec, id->split, err);
  if (!status)
    status = km_h5_put_u64(w->file, "/", "index", id->index, err);
  if (!status)
    status = km_table_writer_open(&w->table, w->file, &spec->table, id->max_rows, err);
  if (status) {
    km_shard_writer_abandon(w);
    return status;
  }
  *writer = w;
  return KM_OK;
}

km_status km_shard_writer_append(km_shard_writer *writer, km_block *block, km_err *err) {
  return km_table_writer_append(writer->table, block, err);
}

km_status km_shard_writer_finish(km_shard_writer *writer, km_shard_entry *entry, km_err *err) {
  km_status status = km_h5_put_u64(writer->file, "/", "n_rows", km_table_writer_n_rows(writer->table), err);
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
  if (!status && entry)
    status = km_shard_entry_read(entry, writer->path, err);
  km_shard_writer_abandon(writer);
  return status;
}

void km_shard_writer_abandon(km_shard_writer *writer) {
  if (!writer)
    return;
  km_table_writer_abandon(writer->table);
  km_h5_close(writer->file);
  free(writer->path);
  free(writer);
}

/* Copies text into a field of the entry; 0 when it fits. */
static int fits(char *to, size_t room, const char *text) {
  size_t n = strlen(text);
  if (n >= room)
    return -1;
  memcpy(to, text, n + 1);
  return 0;
}

static km_status read_entry(km_shard_entry *entry, km_h5 *file, km_err *err) {
  char *split = NULL, *format = NULL;
  uint64_t index = 0;
  km_status status = km_h5_get_text(file, "/", "split", &split, err);
  if (!status)
    status = km_h5_get_text(file, "/", "format", &format, err);
  if (!status)
    status = km_h5_get_u64(file, "/", "index", &index, err);
  if (!status)
    status = km_h5_get_u64(file, "/", "n_rows", &entry->n_rows, err);
  if (!status) {
    entry->is_virtual = strcmp(format, KM_VIRTUAL_FORMAT) == 0;
    entry->index = (uint32_t)index;
    if ((!entry->is_virtual && strcmp(format, KM_SHARD_FORMAT)) || index > UINT32_MAX ||
        fits(entry->split, sizeof entry->split, split))
      status = km_err_set(err, KM_ERR_FORMAT, 0, "%s is no shard, nor a virtual file over shards",
                          km_h5_path(file));
  }
  free(split);
  free(format);
  return status;
}

km_status km_shard_entry_read(km_shard_entry *entry, const char *path, km_err *err) {
  memset(entry, 0, sizeof *entry);
  const char *slash = strrchr(path, '/');
  if (fits(entry->name, sizeof entry->name, slash ? slash + 1 : path))
    return km_err_set(err, KM_ERR_USAGE, 0, "%s: the file name is longer than %zu bytes", path,
                      sizeof entry->name - 1);
  km_h5 *file;
  km_status status = km_h5_open(&file, path, NULL, err);
  if (status)
    return status;
  status = read_entry(entry, file, err);
  km_h5_close(file);
  return status ? status : km_file_digest(path, entry->digest, &entry->n_bytes, err);
}

static km_status put_joined(km_h5 *file, const km_shard_spec *spec, const km_shard_entry *shards,
                            size_t n_shards, km_err *err) {
  km_h5_part parts[KM_VIRTUAL_PARTS_MAX];
  km_status status = KM_OK;
  for (size_t i = 0; i < spec->table.n_columns && !status; i++) {
    char name[128];
    km_column column = spec->table.columns[i];
    snprintf(name, sizeof name, "/%s", column.name);
    column.name = name;
    for (size_t k = 0; k < n_shards; k++)
      parts[k] = (km_h5_part){.path = shards[k].name, .name = name, .n_rows = shards[k].n_rows};
    status = km_h5_put_virtual(file, &column, parts, n_shards, err);
  }
  return status;
}

km_status km_shard_virtual(const char *path, const km_shard_spec *spec, const km_shard_entry *shards,
                           size_t n_shards, km_shard_entry *entry, km_err *err) {
  if (n_shards == 0 || n_shards > KM_VIRTUAL_PARTS_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%s: a virtual file joins 1…%d shards", path,
                      KM_VIRTUAL_PARTS_MAX);
  uint64_t n_rows = 0;
  for (size_t i = 0; i < n_shards; i++)
    n_rows += shards[i].n_rows;
  km_h5 *file;
  km_status status = km_h5_create(&file, path, KM_VIRTUAL_FORMAT, &spec->origin, spec->force, err);
  if (status)
    return status;
  status = put_attributes(file, spec, shards[0].split, err);
  if (!status)
    status = km_h5_put_u64(file, "/", "index", shards[0].index, err);
  if (!status)
    status = km_h5_put_u64(file, "/", "n_rows", n_rows, err);
  if (!status)
    status = put_joined(file, spec, shards, n_shards, err);
  if (status) {
    km_h5_close(file);
    return status;
  }
  status = km_h5_finish(file, err);
  return status || !entry ? status : km_shard_entry_read(entry, path, err);
}
