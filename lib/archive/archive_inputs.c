/* archive_inputs.c: the list of inputs of a run, made without decompressing anything.
 *
 * Files are looked at with stat; of files that may be large zips the first four bytes and the end are read,
 * to split them into ranges of entries. How a zip is split depends on the file alone, never on the number of
 * threads. */
#include "archive_inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive_volumes.h"
#include "entry_name.h"
#include "zip_reader.h"

enum {
  FOLDER_DEPTH_MAX = 100,
  SPLIT_LOOK_BYTES = 128 * 1024, /* smaller files are not split, so not looked at */
  SPLIT_ENTRIES = 2000,          /* a zip with more entries, or more bytes, is split… */
  SPLIT_BYTES = 4 * 1024 * 1024,
  RANGE_ENTRIES = 1000, /* …into ranges of about so many */
  RANGE_BYTES = 2 * 1024 * 1024,
  RANGES_MAX = 64,
  END_LOOK_BYTES = 66 * 1024, /* the longest comment and the end records */
};

struct km_inputs {
  km_archive_limits limits;
  km_arena arena; /* paths and names */
  km_input *rows;
  size_t n_rows, capacity;
  void *folders; /* tree of folder_id: folders walked */
  km_buffer text;
};

typedef struct folder_id {
  dev_t dev;
  ino_t ino;
} folder_id;

static int compare_folders(const void *a, const void *b) {
  const folder_id *x = a, *y = b;
  if (x->dev != y->dev)
    return x->dev < y->dev ? -1 : 1;
  return x->ino == y->ino ? 0 : x->ino < y->ino ? -1 : 1;
}

void km_archive_limits_default(km_archive_limits *limits) {
  *limits = (km_archive_limits){.max_entry_bytes = UINT64_C(1) << 30,
                                .max_archive_bytes = UINT64_C(1) << 40,
                                .max_entries = 100000000,
                                .max_ratio = 1000,
                                .max_depth = 3};
}

static km_status out_of_memory(km_err *err) {
  return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the list of inputs");
}

/* The path as it is shown; the path itself when it is plain. */
static const char *shown_name(km_inputs *inputs, const char *path) {
  size_t n = strlen(path), end;
  if (km_name_append(&inputs->text, 0, &end, path, n))
    return NULL;
  const char *text = (const char *)inputs->text.bytes;
  return end == n && memcmp(text, path, n) == 0 ? path : km_arena_strndup(&inputs->arena, text, end);
}

static km_status add_row(km_inputs *inputs, km_input row, km_err *err) {
  if (inputs->n_rows == inputs->capacity) {
    size_t capacity = inputs->capacity ? inputs->capacity * 2 : 16;
    km_input *rows = realloc(inputs->rows, capacity * sizeof *rows);
    if (!rows)
      return out_of_memory(err);
    inputs->rows = rows;
    inputs->capacity = capacity;
  }
  if (!row.name) {
    row.path = km_arena_strndup(&inputs->arena, row.path, strlen(row.path));
    row.name = row.path ? shown_name(inputs, row.path) : NULL;
    if (!row.name)
      return out_of_memory(err);
  }
  inputs->rows[inputs->n_rows++] = row;
  return KM_OK;
}

/* The directory of a zip that may be split; false for anything else. */
static bool look_at_zip(const char *path, uint64_t n_bytes, km_zip_end *end) {
  uint8_t head[4], *tail = NULL;
  bool found = false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  size_t n_tail = n_bytes < END_LOOK_BYTES ? n_bytes : END_LOOK_BYTES;
  if (pread(fd, head, 4, 0) == 4 && memcmp(head, "PK\3\4", 4) == 0 && (tail = malloc(n_tail)) != NULL &&
      pread(fd, tail, n_tail, (off_t)(n_bytes - n_tail)) == (ssize_t)n_tail) {
    km_zip_find_end(end, tail, n_tail, n_bytes);
    found = end->found && !end->base && !end->disk;
  }
  free(tail);
  close(fd);
  return found;
}

static uint64_t n_ranges(const km_zip_end *end, uint64_t n_bytes) {
  if (end->n_entries < 2 || (end->n_entries <= SPLIT_ENTRIES && n_bytes <= SPLIT_BYTES))
    return 1;
  uint64_t by_entries = end->n_entries / RANGE_ENTRIES, by_bytes = n_bytes / RANGE_BYTES;
  uint64_t n = by_entries > by_bytes ? by_entries : by_bytes;
  n = n < RANGES_MAX ? n : RANGES_MAX;
  return n < end->n_entries ? n : end->n_entries;
}

static km_status add_file(km_inputs *inputs, const char *path, uint64_t n_bytes, km_err *err) {
  km_zip_end end;
  km_input row = {.path = path, .n_bytes = n_bytes, .kind = KM_INPUT_FILE};
  uint64_t n = n_bytes >= SPLIT_LOOK_BYTES && look_at_zip(path, n_bytes, &end) ? n_ranges(&end, n_bytes) : 1;
  if (n == 1)
    return add_row(inputs, row, err);
  for (uint64_t i = 0; i < n; i++) {
    row.first = end.n_entries * i / n;
    row.last = i + 1 < n ? end.n_entries * (i + 1) / n : 0;
    row.n_bytes = n_bytes * (i + 1) / n - n_bytes * i / n;
    km_status status = add_row(inputs, row, err);
    if (status)
      return status;
    row.path = inputs->rows[inputs->n_rows - 1].path;
    row.name = inputs->rows[inputs->n_rows - 1].name;
  }
  return KM_OK;
}

static km_status add_fault(km_inputs *inputs, const char *path, int sys_errno, km_err *err) {
  km_input row = {.path = path, .kind = KM_INPUT_FAULT, .sys_errno = sys_errno};
  return add_row(inputs, row, err);
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names, size_t n) {
  for (size_t i = 0; i < n; i++)
    free(names[i]);
  free(names);
}

/* The names in a folder, sorted; hidden ones and litter left out. A negative status is memory; *sys_errno a
 * refusal. */
static km_status list_folder(const char *path, char ***names, size_t *n_names, int *sys_errno) {
  size_t n = 0, capacity = 0;
  char **list = NULL;
  *names = NULL;
  *n_names = 0;
  DIR *folder = opendir(path);
  *sys_errno = folder ? 0 : errno;
  if (!folder)
    return KM_OK;
  struct dirent *row;
  while (errno = 0, (row = readdir(folder)) != NULL) {
    if (row->d_name[0] == '.' || strcmp(row->d_name, "__MACOSX") == 0 ||
        km_name_is_litter(row->d_name, strlen(row->d_name)))
      continue;
    if (n == capacity) {
      capacity = capacity ? capacity * 2 : 64;
      char **more = realloc(list, capacity * sizeof *list);
      if (!more)
        goto nomem;
      list = more;
    }
    list[n] = strdup(row->d_name);
    if (!list[n])
      goto nomem;
    n++;
  }
  *sys_errno = errno;
  closedir(folder);
  if (n)
    qsort(list, n, sizeof *list, compare_names);
  *names = list;
  *n_names = n;
  return KM_OK;
nomem:
  closedir(folder);
  free_names(list, n);
  return KM_ERR_NOMEM;
}

/* Notes a folder; *fresh is false when it was walked before (a loop of links, or two ways to one folder). */
static km_status note_folder(km_inputs *inputs, const struct stat *st, bool *fresh) {
  folder_id *id = km_arena_alloc(&inputs->arena, sizeof *id);
  if (!id)
    return KM_ERR_NOMEM;
  *id = (folder_id){st->st_dev, st->st_ino};
  folder_id **node = tsearch(id, &inputs->folders, compare_folders);
  if (!node)
    return KM_ERR_NOMEM;
  *fresh = *node == id;
  return KM_OK;
}

static km_status walk(km_inputs *inputs, const char *path, unsigned depth, km_err *err);

/* What stands in a folder: files, and links to them; folders, and links to those not walked yet. */
static km_status add_found(km_inputs *inputs, const char *path, unsigned depth, km_err *err) {
  struct stat st;
  if (stat(path, &st))
    return add_fault(inputs, path, errno, err);
  if (S_ISREG(st.st_mode))
    return add_file(inputs, path, (uint64_t)st.st_size, err);
  if (!S_ISDIR(st.st_mode))
    return KM_OK;
  if (depth >= FOLDER_DEPTH_MAX)
    return add_fault(inputs, path, ELOOP, err);
  bool fresh;
  if (note_folder(inputs, &st, &fresh))
    return out_of_memory(err);
  return fresh ? walk(inputs, path, depth + 1, err) : KM_OK;
}

static km_status walk(km_inputs *inputs, const char *path, unsigned depth, km_err *err) {
  char **names;
  size_t n_names;
  int sys_errno;
  if (list_folder(path, &names, &n_names, &sys_errno))
    return out_of_memory(err);
  km_status status = sys_errno ? add_fault(inputs, path, sys_errno, err) : KM_OK;
  size_t n_path = strlen(path);
  while (n_path > 1 && path[n_path - 1] == '/')
    n_path--;
  for (size_t i = 0; i < n_names && !status; i++) {
    char *full = NULL;
    if (asprintf(&full, "%.*s%s%s", (int)n_path, path, path[n_path - 1] == '/' ? "" : "/", names[i]) < 0) {
      status = out_of_memory(err);
      break;
    }
    status = add_found(inputs, full, depth, err);
    free(full);
  }
  free_names(names, n_names);
  return status;
}

static void no_free(void *node) {
  (void)node;
}

static const char *last_component(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash && slash[1] ? slash + 1 : name;
}

/* Tells the rows from `before` on that they were found in the folder given as path. */
static km_status label_rows(km_inputs *inputs, size_t before, const char *path, km_err *err) {
  size_t n_path = strlen(path);
  while (n_path > 1 && path[n_path - 1] == '/')
    n_path--;
  char *plain = km_arena_strndup(&inputs->arena, path, n_path);
  const char *shown = plain ? shown_name(inputs, plain) : NULL;
  if (!shown)
    return out_of_memory(err);
  for (size_t i = before; i < inputs->n_rows; i++) {
    inputs->rows[i].folder = last_component(shown);
    inputs->rows[i].n_folder = strlen(shown) + (shown[strlen(shown) - 1] != '/');
  }
  return KM_OK;
}

/* A folder that was given: what is in it, or a row that says that nothing is. Every one has its own loops. */
static km_status add_folder(km_inputs *inputs, const char *path, const struct stat *st, km_err *err) {
  bool fresh;
  size_t before = inputs->n_rows;
  if (note_folder(inputs, st, &fresh))
    return out_of_memory(err);
  km_status status = walk(inputs, path, 0, err);
  tdestroy(inputs->folders, no_free);
  inputs->folders = NULL;
  if (!status && inputs->n_rows == before)
    return add_row(inputs, (km_input){.path = path, .kind = KM_INPUT_EMPTY}, err);
  return status ? status : label_rows(inputs, before, path, err);
}

static km_status add_stdin(km_inputs *inputs, km_err *err) {
  struct stat st;
  uint64_t n_bytes = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
  return add_row(inputs, (km_input){.path = "-", .kind = KM_INPUT_STDIN, .n_bytes = n_bytes}, err);
}

static km_status add_path(km_inputs *inputs, const char *path, km_err *err) {
  struct stat st;
  if (strcmp(path, "-") == 0)
    return add_stdin(inputs, err);
  if (stat(path, &st)) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG || errno == ELOOP)
      return km_err_set(err, KM_ERR_IO, errno, "%.220s", path);
    return add_fault(inputs, path, errno, err);
  }
  if (S_ISDIR(st.st_mode))
    return add_folder(inputs, path, &st, err);
  if (S_ISREG(st.st_mode))
    return add_file(inputs, path, (uint64_t)st.st_size, err);
  return add_row(inputs, (km_input){.path = path, .kind = KM_INPUT_PIPE}, err);
}

/* One line of a list: blanks at its ends and a CR do not belong to the path. */
static km_status add_line(km_inputs *inputs, char *line, size_t n, km_err *err) {
  while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
    n--;
  if (!n)
    return KM_OK;
  if (memchr(line, 0, n))
    return km_err_set(err, KM_ERR_FORMAT, 0, "a NUL byte in a path: not a list of paths");
  line[n] = 0;
  return add_path(inputs, line, err);
}

static km_status add_list(km_inputs *inputs, const char *path, km_err *err) {
  bool from_stdin = strcmp(path, "-") == 0;
  FILE *file = from_stdin ? stdin : fopen(path, "re");
  if (!file)
    return km_err_set(err, KM_ERR_IO, errno, "@%.220s", path);
  char *line = NULL;
  size_t capacity = 0, number = 0;
  ssize_t n;
  km_status status = KM_OK;
  while (!status && (errno = 0, n = getline(&line, &capacity, file)) >= 0) {
    size_t bom = !number++ && n >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    status = add_line(inputs, line + bom, (size_t)n - bom, err);
    if (status)
      km_err_prefix(err, "@%.120s, line %zu", path, number);
  }
  if (!status && ferror(file))
    status = km_err_set(err, KM_ERR_IO, errno, "@%.220s", path);
  else if (!status && errno == ENOMEM)
    status = out_of_memory(err);
  free(line);
  if (!from_stdin)
    fclose(file);
  return status;
}

/* A later part of a split archive is read with its set: it leaves the list, or gives its place to the file
 * that stands for the set when that is not in the list. */
static km_status fold_volumes(km_inputs *inputs, km_err *err) {
  size_t n_kept = 0;
  for (size_t i = 0; i < inputs->n_rows; i++) {
    km_input row = inputs->rows[i];
    char main_path[4096];
    bool has_main, listed = false;
    if (row.kind == KM_INPUT_FILE && km_volume_is_later(row.path, main_path, sizeof main_path, &has_main) &&
        has_main) {
      for (size_t k = 0; k < inputs->n_rows && !listed; k++)
        listed = (k < n_kept || k > i) && strcmp(inputs->rows[k].path, main_path) == 0;
      if (listed)
        continue;
      row.path = km_arena_strndup(&inputs->arena, main_path, strlen(main_path));
      row.name = row.path ? shown_name(inputs, row.path) : NULL;
      if (!row.name)
        return out_of_memory(err);
    }
    inputs->rows[n_kept++] = row;
  }
  inputs->n_rows = n_kept;
  return KM_OK;
}

km_status km_inputs_open(km_inputs **out, const char *const *paths, size_t n_paths,
                         const km_archive_limits *limits, km_err *err) {
  *out = NULL;
  km_inputs *inputs = calloc(1, sizeof *inputs);
  if (!inputs)
    return out_of_memory(err);
  km_arena_init(&inputs->arena);
  if (limits)
    inputs->limits = *limits;
  else
    km_archive_limits_default(&inputs->limits);
  km_status status = KM_OK;
  for (size_t i = 0; i < n_paths && !status; i++)
    status = paths[i][0] == '@' && paths[i][1] ? add_list(inputs, paths[i] + 1, err)
                                               : add_path(inputs, paths[i], err);
  if (!status)
    status = fold_volumes(inputs, err);
  if (status) {
    km_inputs_free(inputs);
    return status;
  }
  *out = inputs;
  return KM_OK;
}

size_t km_inputs_count(const km_inputs *inputs) {
  return inputs->n_rows;
}
const char *km_inputs_name(const km_inputs *inputs, size_t i) {
  return inputs->rows[i].name;
}
const char *km_inputs_folder(const km_inputs *inputs, size_t i) {
  return inputs->rows[i].folder;
}
const char *km_inputs_label(const km_inputs *inputs, size_t i) {
  const km_input *row = &inputs->rows[i];
  return row->folder && strlen(row->name) > row->n_folder ? row->name + row->n_folder
                                                          : last_component(row->name);
}
uint64_t km_inputs_bytes(const km_inputs *inputs, size_t i) {
  return inputs->rows[i].n_bytes;
}
const km_input *km_inputs_at(const km_inputs *inputs, size_t i) {
  return &inputs->rows[i];
}
const km_archive_limits *km_inputs_limits(const km_inputs *inputs) {
  return &inputs->limits;
}

static void add_file_identity(km_digest *digest, const char *path) {
  struct stat st;
  km_digest_add(digest, path, strlen(path) + 1);
  if (stat(path, &st))
    return;
  const int64_t numbers[] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
  km_digest_add(digest, numbers, sizeof numbers);
}

km_status km_inputs_identify(const km_inputs *inputs, km_digest *digest) {
  km_status status = KM_OK;
  for (size_t i = 0; i < inputs->n_rows; i++) {
    const km_input *row = &inputs->rows[i];
    km_volumes volumes;
    if (row->kind == KM_INPUT_STDIN || row->kind == KM_INPUT_PIPE)
      status = KM_SKIP;
    if (row->kind != KM_INPUT_FILE) {
      add_file_identity(digest, row->path);
      continue;
    }
    if (km_volumes_find(&volumes, row->path))
      return KM_ERR_NOMEM;
    for (unsigned k = 0; k < volumes.n; k++)
      add_file_identity(digest, volumes.paths[k]);
    km_volumes_clear(&volumes);
  }
  return status;
}

void km_inputs_free(km_inputs *inputs) {
  if (!inputs)
    return;
  tdestroy(inputs->folders, no_free);
  km_arena_clear(&inputs->arena);
  km_buffer_clear(&inputs->text);
  free(inputs->rows);
  free(inputs);
  km_archive_forget();
}
