/* archive_volumes.h: archives in several files: x.7z.001 …, x.part1.rar …, x.rar x.r00 …, x.z01 … x.zip, and
 * what was cut into pieces: x.tar.gz.aa …, x.tgz.00 …, x.zip.part1 …. */
#ifndef KM_ARCHIVE_VOLUMES_H
#define KM_ARCHIVE_VOLUMES_H

#include "byte_stream.h"

/* Whether path is named like a part, and its content fits: a part other than the one that stands for the set.
 * Then main_path (n_path bytes) is the file that stands for the set, which exists when *has_main. */
bool km_volume_is_later(const char *path, char *main_path, size_t n_path, bool *has_main);

typedef struct km_volumes {
  unsigned n; /* parts found, in order; 1: an ordinary file */
  char **paths;
  bool is_set;       /* several parts, or a name that says so: a cut end is a part that is missing */
  char missing[256]; /* name of a part that is not there although a later one is; "" */
} km_volumes;
/* The parts that path stands for. KM_OK or KM_ERR_NOMEM. */
km_status km_volumes_find(km_volumes *volumes, const char *path);
void km_volumes_clear(km_volumes *volumes);

#endif
