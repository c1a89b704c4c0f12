/* manifest.c: manifest.json through jansson, keys in a fixed order; and digests of whole files. */
#include "kifumill/manifest.h"
#include "kifumill/arena.h"
#include "kifumill/hash.h"
#include "kifumill/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A manifest of a million shards; nothing of ours is larger. */
enum { MANIFEST_BYTES_MAX = 512 << 20, READ_BYTES = 1 << 18 };

km_status km_file_digest(const char *path, char digest[33], uint64_t *n_bytes, km_err *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
  km_status status = KM_OK;
  km_digest *state = km_digest_new();
  unsigned char *buffer = malloc(READ_BYTES);
  *n_bytes = 0;
  if (!state || !buffer)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  while (!status) {
    ssize_t n = read(fd, buffer, READ_BYTES);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      status = km_err_set(err, KM_ERR_IO, errno, "cannot read %s", path);
    if (n <= 0)
      break;
    km_digest_add(state, buffer, (size_t)n);
    *n_bytes += (uint64_t)n;
  }
  if (!status)
    km_hash_hex(km_digest_value(state), digest);
  close(fd);
  free(buffer);
  km_digest_free(state);
  return status;
}

/* A number as JSON has it: jansson's integers are signed. */
static json_t *number(uint64_t n) {
  return json_integer((json_int_t)n);
}

static json_t *entry_json(const km_shard_entry *e) {
  return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s}", "name", e->name, "kind",
                   e->is_virtual ? "virtual" : "shard", "split", e->split, "index", number(e->index), "rows",
                   number(e->n_rows), "bytes", number(e->n_bytes), "xxh3_128", e->digest);
}

/* Takes over value; non-zero when there is no memory. */
static int put(json_t *object, const char *key, json_t *value) {
  return json_object_set_new(object, key, value);
}
static int add(json_t *array, json_t *value) {
  return json_array_append_new(array, value);
}

/* Text as JSON; a command line may hold bytes that are no UTF-8: then those that are no ASCII become question
 * marks. */
static json_t *text_json(const char *text) {
  json_t *json = json_string(text ? text : "");
  if (json || !text)
    return json;
  char *copy = strdup(text);
  for (char *c = copy; c && *c; c++)
    if ((unsigned char)*c >= 0x80)
      *c = '?';
  json = copy ? json_string(copy) : NULL;
  free(copy);
  return json;
}

static json_t *manifest_json(const km_manifest *m) {
  json_t *root = json_object(), *settings = json_object(), *counts = json_object(), *planes = json_array(),
         *files = json_array();
  int failed = !root || !settings || !counts || !planes || !files;
  for (size_t i = 0; i < m->n_settings && !failed; i++)
    failed = put(settings, m->settings[i].key, text_json(m->settings[i].value));
  for (size_t i = 0; i < m->n_counts && !failed; i++)
    failed = put(counts, m->counts[i].key, number(m->counts[i].value));
  for (size_t i = 0; i < m->n_planes && !failed; i++)
    failed = add(planes, text_json(m->planes[i]));
  for (size_t i = 0; i < m->n_files && !failed; i++)
    failed = add(files, entry_json(&m->files[i]));
  failed = failed || put(root, "format", json_string(KM_MANIFEST_FORMAT)) ||
           put(root, "format_version", number(KM_STORE_VERSION)) ||
           put(root, "generator", json_string(KM_STORE_GENERATOR)) ||
           put(root, "command", text_json(m->origin.command)) ||
           put(root, "config", text_json(m->origin.config)) || put(root, "seed", number(m->origin.seed)) ||
           put(root, "input_digest", text_json(m->origin.input_digest));
  /* json_object_set keeps the part alive until all of it is let go below */
  failed = failed || json_object_set(root, "settings", settings) || json_object_set(root, "counts", counts) ||
           json_object_set(root, "planes", planes) || json_object_set(root, "files", files);
  json_decref(settings);
  json_decref(counts);
  json_decref(planes);
  json_decref(files);
  if (failed) {
    json_decref(root);
    return NULL;
  }
  return root;
}

/* jansson callback. */
typedef struct sink {
  km_outfile *out;
  km_err *err;
  km_status status;
} sink;
static int write_some(const char *bytes, size_t n_bytes, void *data) {
  sink *s = data;
  s->status = km_outfile_write(s->out, bytes, n_bytes, s->err);
  return s->status ? -1 : 0;
}

km_status km_manifest_write(const char *path, const km_manifest *manifest, int force, km_err *err) {
  json_t *root = manifest_json(manifest);
  if (!root)
    return km_err_set(err, KM_ERR_NOMEM, 0, "%s: out of memory", path);
  sink s = {.err = err};
  km_status status = km_outfile_open(&s.out, path, force, err);
  if (!status) {
    if (json_dump_callback(root, write_some, &s, JSON_INDENT(1) | JSON_PRESERVE_ORDER) == 0)
      s.status = km_outfile_write(s.out, "\n", 1, err);
    else if (!s.status)
      s.status = km_err_set(err, KM_ERR_NOMEM, 0, "%s: out of memory", path);
    status = s.status;
    if (status)
      km_outfile_abandon(s.out);
    else
      status = km_outfile_finish(s.out, err);
  }
  json_decref(root);
  return status;
}

/* A manifest that was read, with the arena that everything in it lies in. */
typedef struct read_manifest {
  km_manifest manifest; /* first: what the caller holds */
  km_arena arena;
} read_manifest;

void km_manifest_free(km_manifest *manifest) {
  if (!manifest)
    return;
  read_manifest *r = (read_manifest *)manifest;
  km_arena_clear(&r->arena);
  free(r);
}

/* Reading: errors are noted once, the first counts. */
typedef struct reading {
  km_arena *arena;
  const char *path;
  km_err *err;
  km_status status;
} reading;

static void wrong(reading *r, const char *key, const char *what) {
  if (!r->status)
    r->status = km_err_set(r->err, KM_ERR_FORMAT, 0, "%s: \"%s\" %s", r->path, key, what);
}

static void *take_room(reading *r, size_t n, size_t bytes) {
  void *room = n <= SIZE_MAX / 2 / bytes ? km_arena_zalloc(r->arena, n * bytes) : NULL;
  if (!room && !r->status)
    r->status = km_err_set(r->err, KM_ERR_NOMEM, 0, "out of memory");
  return room;
}

static const char *take_copy(reading *r, const char *text) {
  char *copy = km_arena_strndup(r->arena, text, strlen(text));
  if (!copy && !r->status)
    r->status = km_err_set(r->err, KM_ERR_NOMEM, 0, "out of memory");
  return copy ? copy : "";
}

static const char *take_text(reading *r, json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  if (!text)
    wrong(r, key, "is no text");
  return text ? take_copy(r, text) : "";
}

static uint64_t take_number(reading *r, json_t *object, const char *key) {
  json_t *value = json_object_get(object, key);
  if (!json_is_integer(value)) {
    wrong(r, key, "is no number");
    return 0;
  }
  return (uint64_t)json_integer_value(value);
}

static json_t *take_part(reading *r, json_t *object, const char *key, json_type type) {
  json_t *value = json_object_get(object, key);
  if (value && json_typeof(value) == type)
    return value;
  wrong(r, key, type == JSON_ARRAY ? "is no list" : "is no object");
  return NULL;
}

static void take_field(reading *r, json_t *object, const char *key, char *to, size_t room) {
  const char *text = take_text(r, object, key);
  if (strlen(text) >= room)
    wrong(r, key, "is too long");
  else
    memcpy(to, text, strlen(text) + 1);
}

static void take_entry(reading *r, json_t *object, km_shard_entry *e) {
  take_field(r, object, "name", e->name, sizeof e->name);
  e->is_virtual = strcmp(take_text(r, object, "kind"), "virtual") == 0;
  take_field(r, object, "split", e->split, sizeof e->split);
  take_field(r, object, "xxh3_128", e->digest, sizeof e->digest);
  uint64_t index = take_number(r, object, "index");
  if (index > UINT32_MAX)
    wrong(r, "index", "is out of range");
  e->index = (uint32_t)index;
  e->n_rows = take_number(r, object, "rows");
  e->n_bytes = take_number(r, object, "bytes");
  if (!e->name[0] || e->name[0] == '.' || strchr(e->name, '/'))
    wrong(r, "name", "is not the name of a file in the folder");
}

static void take_lists(reading *r, json_t *root, km_manifest *m) {
  json_t *settings = take_part(r, root, "settings", JSON_OBJECT),
         *counts = take_part(r, root, "counts", JSON_OBJECT);
  json_t *planes = take_part(r, root, "planes", JSON_ARRAY), *files = take_part(r, root, "files", JSON_ARRAY);
  if (r->status)
    return;
  km_manifest_pair *pairs = take_room(r, json_object_size(settings), sizeof *pairs);
  km_manifest_count *numbers = take_room(r, json_object_size(counts), sizeof *numbers);
  const char **names = take_room(r, json_array_size(planes), sizeof *names);
  km_shard_entry *entries = take_room(r, json_array_size(files), sizeof *entries);
  const char *key;
  json_t *value;
  if (r->status)
    return;
  json_object_foreach(settings, key, value) pairs[m->n_settings++] =
      (km_manifest_pair){take_copy(r, key), take_text(r, settings, key)};
  json_object_foreach(counts, key, value) numbers[m->n_counts++] =
      (km_manifest_count){take_copy(r, key), take_number(r, counts, key)};
  for (size_t i = 0; i < json_array_size(planes); i++) {
    const char *name = json_string_value(json_array_get(planes, i));
    if (!name)
      wrong(r, "planes", "holds something that is no text");
    names[m->n_planes++] = take_copy(r, name ? name : "");
  }
  for (size_t i = 0; i < json_array_size(files); i++)
    take_entry(r, json_array_get(files, i), &entries[m->n_files++]);
  m->settings = pairs;
  m->counts = numbers;
  m->planes = names;
  m->files = entries;
}

static void take_manifest(reading *r, json_t *root, km_manifest *m) {
  if (strcmp(take_text(r, root, "format"), KM_MANIFEST_FORMAT))
    wrong(r, "format", "is not \"" KM_MANIFEST_FORMAT "\"");
  if (take_number(r, root, "format_version") != KM_STORE_VERSION)
    wrong(r, "format_version", "is not 1, which this program reads");
  m->origin.command = take_text(r, root, "command");
  m->origin.config = take_text(r, root, "config");
  m->origin.seed = take_number(r, root, "seed");
  m->origin.input_digest = take_text(r, root, "input_digest");
  take_lists(r, root, m);
}

static km_status load_json(json_t **root, const char *path, km_err *err) {
  struct stat st;
  if (stat(path, &st))
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
  if (!S_ISREG(st.st_mode) || st.st_size > MANIFEST_BYTES_MAX)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s is not a manifest", path);
  json_error_t why;
  *root = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
  if (!*root)
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s: line %d: %s", path, why.line, why.text);
  return KM_OK;
}

km_status km_manifest_read(km_manifest **manifest, const char *path, km_err *err) {
  *manifest = NULL;
  json_t *root;
  km_status status = load_json(&root, path, err);
  if (status)
    return status;
  read_manifest *m = calloc(1, sizeof *m);
  if (!m) {
    json_decref(root);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  km_arena_init(&m->arena);
  reading r = {.arena = &m->arena, .path = path, .err = err};
  take_manifest(&r, root, &m->manifest);
  json_decref(root);
  if (r.status) {
    km_manifest_free(&m->manifest);
    return r.status;
  }
  *manifest = &m->manifest;
  return KM_OK;
}
