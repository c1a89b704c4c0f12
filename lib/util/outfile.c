/* outfile.c: write PATH.tmp, sync, rename, sync the folder.
 *
 * The descriptor stays open from start to end: it carries the lock, and syncing it syncs what others wrote to
 * the same file by name. A lock taken on a PATH.tmp that its owner has just renamed is noticed by comparing
 * inodes, and retried.
 *
 * The temporary files that are there now are in a list of the whole process, the only state of this library
 * that is: a signal handler must find them. Whoever changes the list, and the names it stands for, holds all
 * signals meanwhile, so that no handler waits for its own thread; the handler keeps the list for good, so
 * that nothing is made behind it. */
#include "kifumill/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 64 * 1024 };

/* A temporary file that is there, in the list of all. */
struct km_tempfile {
  char *path;
  struct km_tempfile *before, *next;
};

struct km_outfile {
  int fd;
  int direct; /* a device or pipe: no temporary file */
  int force;
  char *path;
  km_tempfile tmp;
  size_t n_buffered;
  char buffer[BUFFER_BYTES];
};

static atomic_flag list_is_held = ATOMIC_FLAG_INIT;
static km_tempfile *list_head;

static void hold_list(sigset_t *signals) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, signals);
  while (atomic_flag_test_and_set(&list_is_held))
    sched_yield();
}

static void release_list(const sigset_t *signals) {
  atomic_flag_clear(&list_is_held);
  pthread_sigmask(SIG_SETMASK, signals, NULL);
}

static void list_add(km_tempfile *file) {
  file->before = NULL;
  file->next = list_head;
  if (list_head)
    list_head->before = file;
  list_head = file;
}

static void list_remove(km_tempfile *file) {
  if (file->next)
    file->next->before = file->before;
  if (file->before)
    file->before->next = file->next;
  else
    list_head = file->next;
}

void km_outfile_remove_unfinished(void) {
  while (atomic_flag_test_and_set(&list_is_held))
    sched_yield();
  for (const km_tempfile *file = list_head; file; file = file->next)
    unlink(file->path);
}

km_tempfile *km_tempfile_note(const char *path) {
  sigset_t signals;
  km_tempfile *file = malloc(sizeof *file);
  char *copy = file ? strdup(path) : NULL;
  if (!copy) {
    free(file);
    return NULL;
  }
  file->path = copy;
  hold_list(&signals);
  list_add(file);
  release_list(&signals);
  return file;
}

void km_tempfile_forget(km_tempfile *file) {
  sigset_t signals;
  if (!file)
    return;
  hold_list(&signals);
  list_remove(file);
  release_list(&signals);
  free(file->path);
  free(file);
}

static void free_outfile(km_outfile *out) {
  free(out->path);
  free(out->tmp.path);
  free(out);
}

static int same_inode(int fd, const char *path) {
  struct stat by_fd, by_name;
  return fstat(fd, &by_fd) == 0 && stat(path, &by_name) == 0 && by_fd.st_ino == by_name.st_ino &&
         by_fd.st_dev == by_name.st_dev;
}

/* Opens and locks PATH.tmp, then empties it: not before, since another process may be writing it. */
static km_status make_tmp(km_outfile *out, km_err *err) {
  for (;;) {
    out->fd = open(out->tmp.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (out->fd < 0)
      return km_err_set(err, KM_ERR_IO, errno, "cannot create %s", out->tmp.path);
    if (flock(out->fd, LOCK_EX | LOCK_NB)) {
      int cause = errno; /* file systems without locks are written without */
      if (cause == EWOULDBLOCK) {
        close(out->fd);
        out->fd = -1;
        return km_err_set(err, KM_ERR_STATE, 0, "%s is being written by another process", out->path);
      }
    }
    if (same_inode(out->fd, out->tmp.path))
      break;
    close(out->fd);
  }
  if (ftruncate(out->fd, 0)) {
    km_status status = km_err_set(err, KM_ERR_IO, errno, "cannot empty %s", out->tmp.path);
    unlink(out->tmp.path);
    return status;
  }
  return KM_OK;
}

static km_status open_tmp(km_outfile *out, km_err *err) {
  sigset_t signals;
  hold_list(&signals);
  km_status status = make_tmp(out, err);
  if (!status)
    list_add(&out->tmp);
  release_list(&signals);
  return status;
}

/* Looks at what is under the final name: nothing, a file to replace, a device to write to, or a reason to
 * stop. */
static km_status open_target(km_outfile *out, km_err *err) {
  struct stat st;
  if (stat(out->path, &st))
    return errno == ENOENT ? open_tmp(out, err)
                           : km_err_set(err, KM_ERR_IO, errno, "cannot create %s", out->path);
  if (S_ISDIR(st.st_mode))
    return km_err_set(err, KM_ERR_STATE, 0, "%s is a folder", out->path);
  if (S_ISREG(st.st_mode)) {
    if (!out->force)
      return km_err_set(err, KM_ERR_STATE, 0, "%s exists; --force overwrites it", out->path);
    return open_tmp(out, err);
  }
  out->direct = 1;
  out->fd = open(out->path, O_WRONLY | O_CLOEXEC);
  return out->fd >= 0 ? KM_OK : km_err_set(err, KM_ERR_IO, errno, "cannot open %s", out->path);
}

km_status km_outfile_open(km_outfile **out, const char *path, int force, km_err *err) {
  *out = NULL;
  if (!path[0])
    return km_err_set(err, KM_ERR_USAGE, 0, "the name of the output is empty");
  km_outfile *o = malloc(sizeof *o);
  if (!o)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  o->fd = -1;
  o->direct = 0;
  o->force = force;
  o->n_buffered = 0;
  o->path = strdup(path);
  o->tmp.path = NULL;
  if (!o->path || asprintf(&o->tmp.path, "%s.tmp", path) < 0) {
    o->tmp.path = NULL; /* asprintf leaves it undefined */
    free_outfile(o);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  }
  km_status status = open_target(o, err);
  if (status) {
    if (o->fd >= 0)
      close(o->fd);
    free_outfile(o);
    return status;
  }
  *out = o;
  return KM_OK;
}

static km_status write_all(km_outfile *out, const char *bytes, size_t n_bytes, km_err *err) {
  while (n_bytes) {
    ssize_t n = write(out->fd, bytes, n_bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return km_err_set(err, KM_ERR_IO, n ? errno : EIO, "cannot write %s", out->path);
    bytes += n;
    n_bytes -= (size_t)n;
  }
  return KM_OK;
}

static km_status flush(km_outfile *out, km_err *err) {
  size_t n = out->n_buffered;
  out->n_buffered = 0;
  return write_all(out, out->buffer, n, err);
}

km_status km_outfile_write(km_outfile *out, const void *bytes, size_t n_bytes, km_err *err) {
  if (n_bytes > BUFFER_BYTES - out->n_buffered) {
    km_status status = flush(out, err);
    if (status)
      return status;
    if (n_bytes >= BUFFER_BYTES)
      return write_all(out, bytes, n_bytes, err);
  }
  if (n_bytes)
    memcpy(out->buffer + out->n_buffered, bytes, n_bytes);
  out->n_buffered += n_bytes;
  return KM_OK;
}

km_status km_outfile_printf(km_outfile *out, km_err *err, const char *format, ...) {
  va_list args;
  size_t room = BUFFER_BYTES - out->n_buffered;
  va_start(args, format);
  int n = vsnprintf(out->buffer + out->n_buffered, room, format, args);
  va_end(args);
  if (n < 0)
    return km_err_set(err, KM_ERR_STATE, errno, "cannot format text for %s", out->path);
  if ((size_t)n < room) {
    out->n_buffered += (size_t)n;
    return KM_OK;
  }
  char *text = NULL; /* did not fit: make it apart, and append that */
  va_start(args, format);
  n = vasprintf(&text, format, args);
  va_end(args);
  if (n < 0)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = km_outfile_write(out, text, (size_t)n, err);
  free(text);
  return status;
}

/* Makes the rename last through a crash. A file system that cannot sync a folder says EINVAL: nothing to be
 * done. */
static km_status sync_folder(const char *path, km_err *err) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  if (!folder)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_status status = KM_OK;
  int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    if (fsync(fd) && errno != EINVAL && errno != EROFS)
      status = km_err_set(err, KM_ERR_IO, errno, "cannot sync folder %s", folder);
    close(fd);
  } /* a folder that may be written but not listed cannot be synced */
  free(folder);
  return status;
}

/* Renames; an output that appeared since open is only replaced with force. */
static km_status move_tmp(const km_outfile *out, km_err *err) {
  if (!out->force) {
    if (renameat2(AT_FDCWD, out->tmp.path, AT_FDCWD, out->path, RENAME_NOREPLACE) == 0)
      return KM_OK;
    if (errno == EEXIST)
      return km_err_set(err, KM_ERR_STATE, 0, "%s exists; --force overwrites it", out->path);
    if (errno != EINVAL && errno != ENOSYS)
      return km_err_set(err, KM_ERR_IO, errno, "cannot rename %s to %s", out->tmp.path, out->path);
  }
  if (rename(out->tmp.path, out->path))
    return km_err_set(err, KM_ERR_IO, errno, "cannot rename %s to %s", out->tmp.path, out->path);
  return KM_OK;
}

static km_status rename_tmp(km_outfile *out, km_err *err) {
  sigset_t signals;
  hold_list(&signals);
  km_status status = move_tmp(out, err);
  if (!status)
    list_remove(&out->tmp);
  release_list(&signals);
  return status;
}

km_status km_outfile_sync(km_outfile *out, km_err *err) {
  km_status status = flush(out, err);
  if (!status && !out->direct && fsync(out->fd))
    status = km_err_set(err, KM_ERR_IO, errno, "cannot write %s", out->path);
  return status;
}

km_status km_outfile_finish(km_outfile *out, km_err *err) {
  km_status status = km_outfile_sync(out, err);
  if (!status && !out->direct)
    status = rename_tmp(out, err);
  if (status) {
    km_outfile_abandon(out);
    return status;
  }
  if (close(out->fd) && errno != EINTR)
    status = km_err_set(err, KM_ERR_IO, errno, "cannot close %s", out->path);
  if (!status && !out->direct)
    status = sync_folder(out->path, err);
  free_outfile(out);
  return status;
}

void km_outfile_abandon(km_outfile *out) {
  if (!out)
    return;
  if (!out->direct) {
    sigset_t signals;
    hold_list(&signals);
    unlink(out->tmp.path); /* before the lock is let go */
    list_remove(&out->tmp);
    release_list(&signals);
  }
  close(out->fd);
  free_outfile(out);
}

km_status km_outfile_put(const char *path, const void *bytes, size_t n_bytes, int force, km_err *err) {
  km_outfile *out;
  km_status status = km_outfile_open(&out, path, force, err);
  if (status)
    return status;
  status = km_outfile_write(out, bytes, n_bytes, err);
  if (status) {
    km_outfile_abandon(out);
    return status;
  }
  return km_outfile_finish(out, err);
}

const char *km_outfile_tmp_path(const km_outfile *out) {
  return out->tmp.path;
}
const char *km_outfile_path(const km_outfile *out) {
  return out->path;
}
int km_outfile_is_direct(const km_outfile *out) {
  return out->direct;
}
