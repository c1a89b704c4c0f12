/* h5_driver.c: HDF5's POSIX driver made anew, with a latch in place of write errors. */
#include "h5_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ADDRESS_MAX ((haddr_t)1 << 62)

typedef struct driver_file {
  H5FD_t shared; /* HDF5's part: first */
  haddr_t eoa, eof;
  int fd;
  size_t n_unsent; /* bytes written since the disk was last asked to take them */
  h5_latch *latch;
} driver_file;

/* What a file access list carries. */
typedef struct driver_info {
  h5_latch *latch;
} driver_info;

static void *copy_info(const void *from) {
  const driver_info *given = from;
  driver_info *info = malloc(sizeof *info);
  if (info)
    *info = *given;
  else
    given->latch->sys_errno = ENOMEM;
  return info;
}

static herr_t free_info(void *info) {
  free(info);
  return 0;
}

/* Asked for when a virtual dataset opens its sources, which share the latch. */
static void *driver_get_info(H5FD_t *shared) {
  return copy_info(&(driver_info){((driver_file *)shared)->latch});
}

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t fapl, haddr_t maxaddr) {
  (void)maxaddr;
  const driver_info *info = H5Pget_driver_info(fapl);
  driver_file *file = info ? calloc(1, sizeof *file) : NULL;
  if (!file) {
    if (info)
      info->latch->sys_errno = ENOMEM;
    return NULL;
  }
  int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
             (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
  struct stat st;
  file->fd = open(name, mode, 0666);
  if (file->fd < 0 || fstat(file->fd, &st)) {
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTOPENFILE, "errno = %d",
             errno);
    if (file->fd >= 0)
      close(file->fd);
    free(file);
    return NULL;
  }
  file->eof = (haddr_t)st.st_size;
  file->latch = info->latch;
  return &file->shared;
}

static herr_t driver_close(H5FD_t *shared) {
  driver_file *file = (driver_file *)shared;
  if (close(file->fd) && errno != EINTR && !file->latch->sys_errno)
    file->latch->sys_errno = errno;
  free(file);
  return 0;
}

/* Two openings are two files for HDF5, of one file too: each has its own descriptor and latch. */
static int driver_compare(const H5FD_t *a, const H5FD_t *b) {
  return a < b ? -1 : a > b;
}

/* No data sieve: it reads what is to be overwritten, and of a new column that is holes, read ahead by
 * megabytes. */
static herr_t driver_query(const H5FD_t *shared, unsigned long *flags) {
  (void)shared;
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
           H5FD_FEAT_POSIX_COMPAT_HANDLE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *shared, H5FD_mem_t type) {
  (void)type;
  return ((const driver_file *)shared)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *shared, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((driver_file *)shared)->eoa = address;
  return 0;
}

static haddr_t driver_get_eof(const H5FD_t *shared, H5FD_mem_t type) {
  (void)type;
  return ((const driver_file *)shared)->eof;
}

static herr_t driver_get_handle(H5FD_t *shared, hid_t fapl, void **handle) {
  (void)fapl;
  *handle = &((driver_file *)shared)->fd;
  return 0;
}

/* What lies behind the end of the file reads as zeros, as in HDF5's own driver. */
static herr_t driver_read(H5FD_t *shared, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                          void *buffer) {
  (void)type, (void)dxpl;
  driver_file *file = (driver_file *)shared;
  unsigned char *to = buffer;
  if (address > ADDRESS_MAX || size > ADDRESS_MAX - address)
    return -1;
  while (size) {
    ssize_t n = pread(file->fd, to, size, (off_t)address);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0) {
      H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR, "errno = %d",
               errno);
      return -1;
    }
    if (n == 0) {
      memset(to, 0, size);
      break;
    }
    to += n;
    address += (haddr_t)n;
    size -= (size_t)n;
  }
  return 0;
}

/* The disk takes what is written while more is made: the sync at the end has little left to wait for. */
static void send_to_disk(driver_file *file, size_t n_written) {
  enum { AT_LEAST = 8 << 20 };
  file->n_unsent += n_written;
  if (file->n_unsent < AT_LEAST)
    return;
#ifdef SYNC_FILE_RANGE_WRITE
  sync_file_range(file->fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* an advice: errors show in the sync */
#endif
  file->n_unsent = 0;
}

static herr_t driver_write(H5FD_t *shared, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size,
                           const void *buffer) {
  (void)type, (void)dxpl;
  driver_file *file = (driver_file *)shared;
  const unsigned char *from = buffer;
  const haddr_t start = address, end = address + size;
  while (size && !file->latch->sys_errno) {
    ssize_t n = pwrite(file->fd, from, size, (off_t)address);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      file->latch->sys_errno = n ? errno : EIO;
      break;
    }
    from += n;
    address += (haddr_t)n;
    size -= (size_t)n;
  }
  if (end > file->eof)
    file->eof = end;
  send_to_disk(file, (size_t)(end - start));
  return 0;
}

static herr_t driver_truncate(H5FD_t *shared, hid_t dxpl, hbool_t closing) {
  (void)dxpl, (void)closing;
  driver_file *file = (driver_file *)shared;
  if (file->eoa == file->eof)
    return 0;
  if (!file->latch->sys_errno && ftruncate(file->fd, (off_t)file->eoa))
    file->latch->sys_errno = errno;
  file->eof = file->eoa;
  return 0;
}

static const H5FD_class_t driver_class = {
    .name = "kifumill",
    .maxaddr = ADDRESS_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(driver_info),
    .fapl_get = driver_get_info,
    .fapl_copy = copy_info,
    .fapl_free = free_info,
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .get_handle = driver_get_handle,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

int h5_driver_set(hid_t fapl, h5_latch *latch) {
  static hid_t driver = H5I_INVALID_HID; /* HDF5 knows a driver once a process */
  driver_info info = {latch};
  if (H5Iis_valid(driver) <= 0)
    driver = H5FDregister(&driver_class);
  return driver < 0 || H5Pset_driver(fapl, driver, &info) < 0 ? -1 : 0;
}
