/* archive_magic.h: what a run of bytes is, told by its first bytes and never by a name. */
#ifndef KM_ARCHIVE_MAGIC_H
#define KM_ARCHIVE_MAGIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum km_magic {
  KM_MAGIC_NONE = 0, /* no container and no filter: a bare file */
  /* filters: one stream of bytes in, one out */
  KM_MAGIC_GZIP,
  KM_MAGIC_ZSTD,
  KM_MAGIC_XZ,
  KM_MAGIC_LZIP,
  KM_MAGIC_LZMA,
  KM_MAGIC_BZIP2,
  KM_MAGIC_LZ4,
  KM_MAGIC_COMPRESS,
  KM_MAGIC_UU,
  KM_MAGIC_RPM,
  KM_MAGIC_FOREIGN_FILTER, /* lrzip, lzop, grzip: libarchive would start a program */
  /* containers that are read front to back */
  KM_MAGIC_TAR,
  KM_MAGIC_CPIO,
  KM_MAGIC_AR,
  KM_MAGIC_WARC,
  /* containers that are read from memory, with seeks */
  KM_MAGIC_ZIP,
  KM_MAGIC_7Z,
  KM_MAGIC_RAR,
  KM_MAGIC_RAR5,
  KM_MAGIC_ISO,
  KM_MAGIC_CAB,
  KM_MAGIC_LHA,
  KM_MAGIC_XAR,
  KM_MAGIC_PROGRAM, /* an executable: perhaps a self-extracting archive */
} km_magic;

enum { KM_MAGIC_PEEK = 32774 }; /* bytes after which km_magic_detect sees nothing new (ISO 9660) */

km_magic km_magic_detect(const uint8_t *bytes, size_t n_bytes);
const char *km_magic_name(km_magic magic); /* "gzip", "tar", … */

static inline bool km_magic_is_filter(km_magic magic) {
  return magic >= KM_MAGIC_GZIP && magic <= KM_MAGIC_FOREIGN_FILTER;
}
static inline bool km_magic_needs_memory(km_magic magic) {
  return magic >= KM_MAGIC_ZIP;
}

#endif
