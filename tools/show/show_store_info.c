/* show_store_info.c: `kifu-show info` of HDF5 outputs and of manifests: counts, attributes, columns. */
#include "show_game_info.h"

#include "show_json.h"

#include "kifumill/hbs_store.h"
#include "kifumill/manifest.h"
#include "kifumill/shard_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 256, DEPTH_MAX = 8 };

/* Either way of printing: json is NULL for text. */
typedef struct printer {
  FILE *out;
  show_json *json;
  km_h5 *file;
} printer;

static void count(const printer *p, const char *key, uint64_t n) {
  if (p->json)
    show_json_uint(p->json, key, n);
  else
    fprintf(p->out, "  %s: %" PRIu64 "\n", key, n);
}

static void begin(const printer *p, const char *key) {
  if (p->json)
    show_json_object(p->json, key);
  else
    fprintf(p->out, "%s:\n", key);
}

static void end(const printer *p) {
  if (p->json)
    show_json_close(p->json);
}

/* ---- counts
 * --------------------------------------------------------------------------------------------------- */

/* How many games have which board and which winner. */
typedef struct tally {
  uint64_t sizes[KM_BOARD_MAX + 1][KM_BOARD_MAX + 1], black, white, draw, unknown, with_komi, with_setup,
      with_evals;
} tally;

static void print_sizes(const printer *p, const tally *t) {
  char name[32];
  begin(p, "boards");
  for (unsigned cols = 1; cols <= KM_BOARD_MAX; cols++)
    for (unsigned rows = 1; rows <= KM_BOARD_MAX; rows++)
      if (t->sizes[cols][rows]) {
        snprintf(name, sizeof name, "%ux%u", cols, rows);
        count(p, name, t->sizes[cols][rows]);
      }
  end(p);
}

static km_status games_counts(const printer *p, const char *path, km_err *err) {
  km_games *games;
  km_status status = km_games_open(&games, path, err);
  tally *t = calloc(1, sizeof *t);
  if (!status && !t)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  uint64_t n = status ? 0 : km_games_count(games);
  for (uint64_t i = 0; i < n && !status; i++) {
    km_game game;
    status = km_games_info(games, i, &game, err);
    if (status)
      break;
    t->sizes[game.cols][game.rows]++;
    t->black += game.winner == KM_WINNER_BLACK;
    t->white += game.winner == KM_WINNER_WHITE;
    t->draw += game.winner == KM_WINNER_DRAW;
    t->unknown += game.winner == (int8_t)KM_WINNER_UNKNOWN;
    t->with_komi += game.komi == game.komi;
    t->with_setup += game.n_setup > 0;
    t->with_evals += game.n_evals > 0;
  }
  if (!status) {
    count(p, "games", n);
    count(p, "moves", km_games_n_moves_total(games));
    count(p, "positions", km_games_n_moves_total(games) + n);
    count(p, "won_by_black", t->black);
    count(p, "won_by_white", t->white);
    count(p, "draws", t->draw);
    count(p, "result_unknown", t->unknown);
    count(p, "with_komi", t->with_komi);
    count(p, "with_set_up", t->with_setup);
    count(p, "with_win_rates", t->with_evals);
    print_sizes(p, t);
  }
  free(t);
  km_games_close(games);
  return status;
}

static km_status hbs_counts(const printer *p, const char *path, km_err *err) {
  km_hbs_store *hbs;
  km_status status = km_hbs_store_open(&hbs, path, err);
  if (status)
    return status;
  const km_hbs_shape *shape = &km_hbs_store_schema(hbs)->shape;
  uint64_t n = km_hbs_store_n_games(hbs), n_empty = 0;
  const uint64_t *offsets = km_hbs_store_offsets(hbs);
  for (uint64_t i = 0; i < n; i++)
    n_empty += offsets[i + 1] == offsets[i];
  count(p, "games", n);
  count(p, "games_without_hbs", n_empty);
  count(p, "positions", offsets[n]);
  count(p, "limbs", shape->n_limbs);
  count(p, "layers", shape->n_layers);
  count(p, "colours", shape->n_colours);
  km_hbs_store_close(hbs);
  return KM_OK;
}

static km_status counts(const printer *p, const char *path, const char *format, km_err *err) {
  if (strcmp(format, KM_GAMES_FORMAT) == 0)
    return games_counts(p, path, err);
  if (strcmp(format, KM_HBS_FORMAT) == 0)
    return hbs_counts(p, path, err);
  return KM_OK; /* the attributes of a shard and the columns of the others say it */
}

/* ---- attributes and columns
 * ----------------------------------------------------------------------------------- */

/* One text behind its name; of several, and of one that has several lines, each on a line of its own. */
static void print_value(const char *text, size_t n, int is_list, FILE *out) {
  if (!is_list && !memchr(text, '\n', n)) {
    fputc(' ', out);
    show_plain(text, n, out);
    return;
  }
  for (size_t at = 0; at < n;) {
    const char *line_end = memchr(text + at, '\n', n - at);
    size_t length = line_end ? (size_t)(line_end - text) - at : n - at;
    fputs("\n    ", out);
    show_plain(text + at, length, out);
    at += length + 1;
  }
}

static void print_attribute(void *ctx, const km_h5_attribute *a) {
  const printer *p = ctx;
  fprintf(p->out, "  %s:", a->name);
  if (a->kind == KM_H5_INTEGER)
    fprintf(p->out, " %" PRIu64, a->integer);
  else if (a->kind == KM_H5_REAL)
    fprintf(p->out, " %.17g", a->real);
  for (size_t i = 0; a->kind == KM_H5_TEXTS && i < a->n; i++) {
    const char *text = a->texts + i * a->width;
    print_value(text, strnlen(text, a->width), a->n > 1, p->out);
  }
  fputc('\n', p->out);
}

static void json_attribute(void *ctx, const km_h5_attribute *a) {
  const printer *p = ctx;
  int is_list = a->kind == KM_H5_TEXTS && a->n != 1;
  if (a->kind == KM_H5_INTEGER)
    show_json_uint(p->json, a->name, a->integer);
  if (a->kind == KM_H5_REAL)
    show_json_double(p->json, a->name, a->real);
  if (is_list)
    show_json_array(p->json, a->name);
  for (size_t i = 0; a->kind == KM_H5_TEXTS && i < a->n; i++)
    show_json_bytes(p->json, is_list ? NULL : a->name, a->texts + i * a->width,
                    strnlen(a->texts + i * a->width, a->width));
  if (is_list)
    show_json_close(p->json);
}

static km_status attributes(const printer *p, const char *at, km_err *err) {
  return km_h5_each_attribute(p->file, at, p->json ? json_attribute : print_attribute, (void *)(uintptr_t)p,
                              err);
}

static void storage_text(const km_h5_info *info, char text[64]) {
  char codec[16];
  if (info->is_virtual) {
    snprintf(text, 64, "virtual");
  } else if (info->chunk_rows) {
    km_codec_print(info->codec, codec);
    snprintf(text, 64, "chunks of %" PRIu64 ", %s%s", info->chunk_rows, codec,
             info->shuffled ? ", shuffled" : "");
  } else {
    snprintf(text, 64, "contiguous");
  }
}

static km_status print_dataset(const printer *p, const char *name, km_err *err) {
  km_h5_info info;
  char storage[64], *doc = NULL;
  km_status status = km_h5_find(p->file, name, &info, err);
  if (status)
    return status;
  if (km_h5_get_text(p->file, name, "description", &doc, err) == KM_ERR_NOMEM)
    return KM_ERR_NOMEM; /* without a description it is shown all the same */
  storage_text(&info, storage);
  if (p->json) {
    show_json_object(p->json, name);
    show_json_text(p->json, "type", km_type_name(info.type));
    show_json_array(p->json, "shape");
    show_json_uint(p->json, NULL, info.n_rows);
    for (unsigned i = 0; i < info.inner_rank; i++)
      show_json_uint(p->json, NULL, info.inner[i]);
    show_json_close(p->json);
    show_json_text(p->json, "storage", storage);
    show_json_text(p->json, "description", doc);
    show_json_close(p->json);
  } else {
    fprintf(p->out, "  %s %s [%" PRIu64, name, km_type_name(info.type), info.n_rows);
    for (unsigned i = 0; i < info.inner_rank; i++)
      fprintf(p->out, ", %u", info.inner[i]);
    fprintf(p->out, "] (%s)", storage);
    if (doc) {
      fputs(": ", p->out);
      show_plain(doc, strlen(doc), p->out);
    }
    fputc('\n', p->out);
  }
  free(doc);
  return KM_OK;
}

/* Every dataset below a group, in order of name; check sums of chunks are left out. */
static km_status print_datasets(const printer *p, const char *group, int depth, km_err *err) {
  char **names = NULL, name[NAME_BYTES];
  size_t n = 0;
  km_status status = km_h5_list(p->file, group, &names, &n, err);
  for (size_t i = 0; i < n && !status; i++) {
    if (depth == DEPTH_MAX ||
        snprintf(name, sizeof name, "%s/%s", strcmp(group, "/") ? group : "", names[i]) >= NAME_BYTES)
      status = km_err_set(err, KM_ERR_FORMAT, 0, "%s: %s is nested deeper than in any file of ours",
                          km_h5_path(p->file), group);
    else if (strcmp(names[i], "checksums") == 0)
      continue;
    else if (km_h5_is_group(p->file, name))
      status = print_datasets(p, name, depth + 1, err);
    else
      status = print_dataset(p, name, err);
  }
  free(names);
  return status;
}

static km_status print_store(printer *p, const char *path, km_err *err) {
  char *format = NULL;
  km_status status = km_h5_get_text(p->file, "/", "format", &format, err);
  if (!status) {
    if (p->json)
      show_json_text(p->json, "format", format);
    else
      fprintf(p->out, "format: %s\n", format);
    begin(p, "counts");
    count(p, "file_bytes", km_h5_file_bytes(p->file));
    status = counts(p, path, format, err);
    end(p);
  }
  if (!status) {
    begin(p, "attributes");
    status = attributes(p, "/", err);
    end(p);
  }
  if (!status) {
    begin(p, "columns");
    status = print_datasets(p, "/", 0, err);
    end(p);
  }
  free(format);
  return status;
}

km_status show_store_info(show_session *session, km_err *err) {
  show_json json;
  printer p = {.out = session->out};
  const char *path = session->options->input;
  km_status status = km_h5_open(&p.file, path, NULL, err);
  if (status)
    return status;
  if (session->options->format == SHOW_JSON) {
    p.json = &json;
    show_json_begin(&json, session->out);
  }
  status = print_store(&p, path, err);
  if (p.json && !status)
    show_json_end(&json);
  km_h5_close(p.file);
  return status;
}

/* ---- manifests
 * ------------------------------------------------------------------------------------------------ */

static void text_pair(const printer *p, const char *key, const char *value) {
  if (p->json) {
    show_json_text(p->json, key, value);
    return;
  }
  fprintf(p->out, "  %s: ", key);
  show_plain(value ? value : "", value ? strlen(value) : 0, p->out);
  fputc('\n', p->out);
}

static void print_entry(const printer *p, const km_shard_entry *e) {
  if (!p->json) {
    fprintf(p->out, "  %s: %s%s%" PRIu64 " rows, %" PRIu64 " bytes, %s\n", e->name, e->split,
            e->is_virtual ? " (virtual) " : " ", e->n_rows, e->n_bytes, e->digest);
    return;
  }
  show_json_object(p->json, NULL);
  show_json_text(p->json, "name", e->name);
  show_json_text(p->json, "split", e->split);
  show_json_bool(p->json, "virtual", (int)e->is_virtual);
  show_json_uint(p->json, "index", e->index);
  show_json_uint(p->json, "rows", e->n_rows);
  show_json_uint(p->json, "bytes", e->n_bytes);
  show_json_text(p->json, "xxh3_128", e->digest);
  show_json_close(p->json);
}

static void print_manifest(const printer *p, const km_manifest *m) {
  if (p->json)
    show_json_text(p->json, "format", KM_MANIFEST_FORMAT);
  else
    fprintf(p->out, "format: %s\n", KM_MANIFEST_FORMAT);
  begin(p, "counts");
  for (size_t i = 0; i < m->n_counts; i++)
    count(p, m->counts[i].key, m->counts[i].value);
  end(p);
  begin(p, "settings");
  for (size_t i = 0; i < m->n_settings; i++)
    text_pair(p, m->settings[i].key, m->settings[i].value);
  end(p);
  begin(p, "attributes");
  text_pair(p, "command", m->origin.command);
  text_pair(p, "config", m->origin.config);
  text_pair(p, "input_digest", m->origin.input_digest);
  count(p, "seed", m->origin.seed);
  end(p);
  if (p->json)
    show_json_array(p->json, "planes");
  else
    fputs("planes:", p->out);
  for (size_t i = 0; i < m->n_planes; i++)
    if (p->json)
      show_json_text(p->json, NULL, m->planes[i]);
    else
      fprintf(p->out, " %s", m->planes[i]);
  if (p->json)
    show_json_close(p->json);
  else
    fputc('\n', p->out);
  if (p->json)
    show_json_array(p->json, "files");
  else
    fputs("files:\n", p->out);
  for (size_t i = 0; i < m->n_files; i++)
    print_entry(p, &m->files[i]);
  end(p);
}

km_status show_manifest_info(show_session *session, km_err *err) {
  char path[4096];
  struct stat info;
  show_json json;
  printer p = {.out = session->out};
  km_manifest *manifest;
  const char *input = session->options->input;
  int is_folder = stat(input, &info) == 0 && S_ISDIR(info.st_mode);
  if (snprintf(path, sizeof path, "%s%s", input, is_folder ? "/" KM_MANIFEST_NAME : "") >= (int)sizeof path)
    return km_err_set(err, KM_ERR_USAGE, 0, "a path is too long");
  km_status status = km_manifest_read(&manifest, path, err);
  if (status == KM_ERR_FORMAT)
    km_err_prefix(err, "no manifest");
  if (status)
    return status;
  if (session->options->format == SHOW_JSON) {
    p.json = &json;
    show_json_begin(&json, session->out);
  }
  print_manifest(&p, manifest);
  if (p.json)
    show_json_end(&json);
  km_manifest_free(manifest);
  return KM_OK;
}
