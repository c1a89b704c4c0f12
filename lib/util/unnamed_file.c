/* unnamed_file.c: O_TMPFILE; on file systems without it, a file that has a name while no signal can come in.
 */
#include "kifumill/unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_briefly_named(const char *folder) {
  char *name = NULL;
  if (asprintf(&name, "%s/.kifumill-XXXXXX", folder) < 0) {
    errno = ENOMEM;
    return -1;
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int fd = mkostemp(name, O_CLOEXEC), failed = errno;
  if (fd >= 0)
    unlink(name);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  free(name);
  errno = failed;
  return fd;
}

km_status km_unnamed_file(int *fd, const char *path, km_err *err) {
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  *fd = -1;
  if (!folder)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  *fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (*fd < 0)
    *fd = open_briefly_named(folder);
  km_status status =
      *fd < 0 ? km_err_set(err, KM_ERR_IO, errno, "cannot make a temporary file beside %s", path) : KM_OK;
  free(folder);
  return status;
}
