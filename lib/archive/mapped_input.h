/* mapped_input.h: files that are mapped into memory, and may become shorter, or unreadable, while they are
 * read. */
#ifndef KM_MAPPED_INPUT_H
#define KM_MAPPED_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct km_mapped {
  void *bytes; /* NULL: not mapped, errno says why */
  size_t n_bytes;
  int slot, fd;
} km_mapped;

/* Maps n_bytes (not 0) of a regular file for reading, from its start on. */
km_mapped km_mapped_open(int fd, size_t n_bytes);
/* Whether the file is shorter now, or bytes were asked for that its disk did not give: they read as zeros.
 * *at is the length of the file. */
bool km_mapped_lost(const km_mapped *mapped, uint64_t *at);
void km_mapped_close(km_mapped *mapped);

#endif
