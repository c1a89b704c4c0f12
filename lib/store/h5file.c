/* h5file.c: files, groups, errors and the lock. */
#include "h5_internal.h"
#include "plugin/h5z_zstd.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "memory is written to little-endian files as it is");

/* Alignment of everything in a file, so that mapped columns are aligned. */
enum { ALIGN = 8, COMPACT_MAX = 64 };

/* Not data of ours, but the state of HDF5, which is one for the process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int filter_registered;

void h5_enter(void) {
  static _Thread_local int is_quiet;
  pthread_mutex_lock(&lock);
  if (!is_quiet) /* a thread's HDF5 prints its errors until it is told not to */
    is_quiet = H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0;
  if (!filter_registered) /* a failure shows when a zstd dataset is used */
    filter_registered = H5Zregister(&km_h5z_zstd) >= 0;
}

void h5_leave(void) {
  pthread_mutex_unlock(&lock);
}

typedef struct cause {
  char text[160];
  int sys_errno;
} cause;

/* H5Ewalk2 callback: the innermost entry is the cause; the system's error number stands in its text. */
static herr_t take_cause(unsigned n, const H5E_error2_t *entry, void *data) {
  cause *c = data;
  const char *text = entry->desc ? entry->desc : "";
  if (n == 0)
    snprintf(c->text, sizeof c->text, "%s", text);
  const char *number = strstr(text, "errno = ");
  if (number && !c->sys_errno)
    c->sys_errno = atoi(number + strlen("errno = "));
  return 0;
}

km_status h5_fail(km_err *err, km_status code, const char *format, ...) {
  cause c = {"", 0};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, &c);
  char what[200];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  if (c.sys_errno)
    return km_err_set(err, KM_ERR_IO, c.sys_errno, "%s", what);
  return c.text[0] ? km_err_set(err, code, 0, "%s: %s", what, c.text) : km_err_set(err, code, 0, "%s", what);
}

size_t km_type_bytes(km_type type) {
  static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return bytes[type];
}

const char *km_type_name(km_type type) {
  static const char *const names[] = {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"};
  return names[type];
}

size_t km_column_shuffle_bytes(const km_column *column, km_codec codec) {
  return column->unshuffled || codec.kind == KM_CODEC_NONE ? 1 : km_type_bytes(column->type);
}

size_t km_column_row_bytes(const km_column *column) {
  size_t n = km_type_bytes(column->type);
  for (int i = 0; i < column->inner_rank; i++)
    n *= column->inner[i];
  return n;
}

static km_h5 *new_file(const char *path) {
  km_h5 *file = calloc(1, sizeof *file);
  if (!file)
    return NULL;
  file->id = -1;
  file->fd = -1;
  file->path = strdup(path);
  if (!file->path) {
    free(file);
    return NULL;
  }
  return file;
}

static void free_file(km_h5 *file) {
  free(file->path);
  free(file);
}

/* File access: our driver, fixed format bounds, aligned objects, and closing closes everything in the file.
 */
static hid_t access_list(km_h5 *file) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  if (list >= 0 &&
      (h5_driver_set(list, &file->latch) ||
       H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
       H5Pset_alignment(list, 1, ALIGN) < 0 || H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) < 0)) {
    H5Pclose(list);
    return -1;
  }
  return list;
}

/* Attributes and links stay in the object's header, which is small and has a check sum. */
static int make_stable(hid_t list) {
  return H5Pset_obj_track_times(list, 0) < 0 ||
         H5Pset_attr_phase_change(list, COMPACT_MAX, COMPACT_MAX / 2) < 0 ||
         H5Pset_link_phase_change(list, COMPACT_MAX, COMPACT_MAX / 2) < 0;
}

static int take_descriptor(km_h5 *file) {
  void *handle = NULL;
  if (H5Fget_vfd_handle(file->id, H5P_DEFAULT, &handle) < 0 || !handle)
    return -1;
  file->fd = *(int *)handle;
  return 0;
}

static km_status create_inside(km_h5 *file, km_err *err) {
  hid_t fapl = access_list(file), fcpl = H5Pcreate(H5P_FILE_CREATE);
  if (fapl >= 0 && fcpl >= 0 && !make_stable(fcpl))
    file->id = H5Fcreate(km_outfile_tmp_path(file->out), H5F_ACC_TRUNC, fcpl, fapl);
  km_status status = KM_OK;
  if (file->id < 0 || take_descriptor(file))
    status = h5_fail(err, KM_ERR_IO, "cannot create %s", file->path);
  if (fapl >= 0)
    H5Pclose(fapl);
  if (fcpl >= 0)
    H5Pclose(fcpl);
  return status && !file->latch.sys_errno ? status : h5_written(file, err);
}

km_status h5_written(const km_h5 *file, km_err *err) {
  if (file->latch.sys_errno == ENOMEM)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (file->latch.sys_errno)
    return km_err_set(err, KM_ERR_IO, file->latch.sys_errno, "cannot write %s", file->path);
  return KM_OK;
}

km_status km_h5_put_origin(km_h5 *file, const km_store_origin *origin, km_err *err) {
  km_status status = km_h5_put_text(file, "/", "command", origin->command ? origin->command : "", err);
  if (!status)
    status = km_h5_put_text(file, "/", "config", origin->config ? origin->config : "", err);
  if (!status)
    status = km_h5_put_u64(file, "/", "seed", origin->seed, err);
  if (!status)
    status = km_h5_put_text(file, "/", "input_digest", origin->input_digest ? origin->input_digest : "", err);
  return status;
}

static km_status put_format(km_h5 *file, const char *format, km_err *err) {
  km_status status = km_h5_put_text(file, "/", "format", format, err);
  if (!status)
    status = km_h5_put_u64(file, "/", "format_version", KM_STORE_VERSION, err);
  if (!status)
    status = km_h5_put_text(file, "/", "generator", KM_STORE_GENERATOR, err);
  return status;
}

km_status km_h5_create(km_h5 **file, const char *path, const char *format, const km_store_origin *origin,
                       int force, km_err *err) {
  *file = NULL;
  km_h5 *f = new_file(path);
  if (!f)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_outfile_open(&f->out, path, force, err);
  if (!status && km_outfile_is_direct(f->out))
    status = km_err_set(err, KM_ERR_STATE, 0, "%s is a device or a pipe: HDF5 needs a file", path);
  if (!status) {
    h5_enter();
    status = create_inside(f, err);
    h5_leave();
  }
  if (!status)
    status = put_format(f, format, err);
  if (!status && origin)
    status = km_h5_put_origin(f, origin, err);
  if (status) {
    km_h5_close(f);
    return status;
  }
  *file = f;
  return KM_OK;
}

km_status km_h5_finish(km_h5 *file, km_err *err) {
  h5_enter();
  km_status status = H5Fclose(file->id) < 0 ? h5_fail(err, KM_ERR_IO, "cannot write %s", file->path) : KM_OK;
  if (!status)
    status = h5_written(file, err);
  h5_leave();
  if (status)
    km_outfile_abandon(file->out);
  else
    status = km_outfile_finish(file->out, err);
  free_file(file);
  return status;
}

void km_h5_close(km_h5 *file) {
  if (!file)
    return;
  if (file->id >= 0) {
    h5_enter();
    if (file->out && !file->latch.sys_errno)
      file->latch.sys_errno = ECANCELED; /* what is left to be written need not be */
    H5Fclose(file->id);
    h5_leave();
  }
  km_outfile_abandon(file->out);
  free_file(file);
}

static km_status open_inside(km_h5 *file, km_err *err) {
  hid_t fapl = access_list(file);
  if (fapl >= 0)
    file->id = H5Fopen(file->path, H5F_ACC_RDONLY, fapl);
  km_status status = KM_OK;
  if (file->id < 0 || take_descriptor(file))
    status = h5_fail(err, KM_ERR_FORMAT, "%s is not a readable HDF5 file", file->path);
  if (status && file->latch.sys_errno)
    status = h5_written(file, err);
  if (fapl >= 0)
    H5Pclose(fapl);
  return status;
}

static km_status check_format(km_h5 *file, const char *format, km_err *err) {
  char *text = NULL;
  uint64_t version = 0;
  km_status status = km_h5_get_text(file, "/", "format", &text, err);
  if (status)
    return status;
  if (format && strcmp(text, format))
    status = km_err_set(err, KM_ERR_FORMAT, 0, "%s is a file of \"%.60s\", not of \"%s\"", file->path, text,
                        format);
  free(text);
  if (!status)
    status = km_h5_get_u64(file, "/", "format_version", &version, err);
  if (!status && version != KM_STORE_VERSION)
    status = km_err_set(err, KM_ERR_STATE, 0, "%s has format version %llu; this program reads version %d",
                        file->path, (unsigned long long)version, KM_STORE_VERSION);
  return status;
}

/* A look at what is there before HDF5 does: its messages for these are long and vague. */
static km_status check_file(const char *path, uint64_t *n_bytes, km_err *err) {
  struct stat st;
  if (stat(path, &st))
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
  if (!S_ISREG(st.st_mode))
    return km_err_set(err, KM_ERR_FORMAT, 0, "%s is not a file", path);
  if (access(path, R_OK))
    return km_err_set(err, KM_ERR_IO, errno, "cannot open %s", path);
  *n_bytes = (uint64_t)st.st_size;
  return KM_OK;
}

km_status km_h5_open(km_h5 **file, const char *path, const char *format, km_err *err) {
  *file = NULL;
  uint64_t n_bytes = 0;
  km_status status = check_file(path, &n_bytes, err);
  if (status)
    return status;
  km_h5 *f = new_file(path);
  if (!f)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  f->n_bytes = n_bytes;
  h5_enter();
  status = open_inside(f, err);
  h5_leave();
  if (!status)
    status = check_format(f, format, err);
  if (status) {
    km_h5_close(f);
    return status;
  }
  *file = f;
  return KM_OK;
}

const char *km_h5_path(const km_h5 *file) {
  return file->path;
}
int km_h5_fd(const km_h5 *file) {
  return file->fd;
}
uint64_t km_h5_file_bytes(const km_h5 *file) {
  return file->n_bytes;
}

static km_status group_inside(km_h5 *file, const char *name, const char *doc, km_err *err) {
  hid_t gcpl = H5Pcreate(H5P_GROUP_CREATE), group = -1;
  if (gcpl >= 0 && !make_stable(gcpl))
    group = H5Gcreate2(file->id, name, H5P_DEFAULT, gcpl, H5P_DEFAULT);
  km_status status = KM_OK;
  if (group < 0)
    status = h5_fail(err, KM_ERR_IO, "%s: cannot make group %s", file->path, name);
  else if (doc)
    status = h5_put_text(group, "description", doc, err);
  if (group >= 0)
    H5Gclose(group);
  if (gcpl >= 0)
    H5Pclose(gcpl);
  return status ? status : h5_written(file, err);
}

km_status km_h5_group(km_h5 *file, const char *name, const char *doc, km_err *err) {
  h5_enter();
  km_status status = group_inside(file, name, doc, err);
  h5_leave();
  return status;
}

/* Every step of the path is a link that leads to an object. In a scope. */
static int exists_inside(hid_t id, const char *name) {
  char step[256];
  size_t n = strlen(name);
  if (n == 0 || n >= sizeof step)
    return 0;
  for (size_t i = 1; i <= n; i++) {
    if (name[i] != '/' && name[i] != 0)
      continue;
    memcpy(step, name, i);
    step[i] = 0;
    if (strcmp(step, "/") && H5Lexists(id, step, H5P_DEFAULT) <= 0)
      return 0;
  }
  return H5Oexists_by_name(id, name, H5P_DEFAULT) > 0;
}

int km_h5_exists(km_h5 *file, const char *name) {
  h5_enter();
  int there = exists_inside(file->id, name);
  h5_leave();
  return there;
}

int km_h5_is_group(km_h5 *file, const char *name) {
  h5_enter();
  hid_t id = H5Gopen2(file->id, name, H5P_DEFAULT);
  if (id >= 0)
    H5Gclose(id);
  h5_leave();
  return id >= 0;
}

/* Names of a group as one block: the array, then the text. */
static km_status list_inside(hid_t group, const char *path, char ***names, size_t *n_names, km_err *err) {
  H5G_info_t info;
  if (H5Gget_info(group, &info) < 0 || info.nlinks > 1u << 20)
    return h5_fail(err, KM_ERR_FORMAT, "%s: a group cannot be listed", path);
  size_t n = (size_t)info.nlinks, n_text = 0;
  for (size_t i = 0; i < n; i++) {
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, NULL, 0, H5P_DEFAULT);
    if (length < 0)
      return h5_fail(err, KM_ERR_FORMAT, "%s: a group cannot be listed", path);
    n_text += (size_t)length + 1;
  }
  char **list = malloc((n ? n : 1) * sizeof *list + n_text);
  if (!list)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  char *text = (char *)(list + n);
  for (size_t i = 0, used = 0; i < n; i++) {
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, text + used, n_text - used,
                                        H5P_DEFAULT);
    if (length < 0 || (size_t)length >= n_text - used) {
      free(list);
      return h5_fail(err, KM_ERR_FORMAT, "%s: a group cannot be listed", path);
    }
    list[i] = text + used;
    used += (size_t)length + 1;
  }
  *names = list;
  *n_names = n;
  return KM_OK;
}

km_status km_h5_list(km_h5 *file, const char *group, char ***names, size_t *n_names, km_err *err) {
  h5_enter();
  km_status status;
  hid_t id = H5Gopen2(file->id, group, H5P_DEFAULT);
  if (id < 0) {
    status = h5_fail(err, KM_ERR_FORMAT, "%s has no group %s", file->path, group);
  } else {
    status = list_inside(id, file->path, names, n_names, err);
    H5Gclose(id);
  }
  h5_leave();
  return status;
}
