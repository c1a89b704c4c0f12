/* fuzz_archive.c: any bytes as an input file, through every filter and container, with small limits.
 *
 * Invariants: reading ends; every item has bytes or a finding; names and sources are NUL-terminated and hold
 * no control characters; no entry is larger than the limit, and no more come than allowed; what is given can
 * be read to its last byte; a second reading gives the same. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kifumill/archive_reader.h"
#include "kifumill/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20, ENTRY_MAX = 1 << 20 };

static void require(int condition) {
  if (!condition)
    abort();
}

static void check_name(const char *name) {
  for (; *name; name++)
    require((unsigned char)*name >= 0x20 && *name != 0x7f);
}

static void check_entry(const km_entry *entry, const km_archive_limits *limits, km_digest *digest) {
  require((entry->bytes && entry->n_bytes) || entry->n_findings == 1);
  check_name(entry->name);
  km_digest_add(digest, entry->name, strlen(entry->name));
  km_digest_add(digest, &entry->index, sizeof entry->index);
  if (entry->bytes) {
    require(entry->n_bytes <= limits->max_entry_bytes);
    km_digest_add(digest, entry->bytes, entry->n_bytes);
  }
  for (size_t i = 0; i < entry->n_findings; i++) {
    require(km_reason_kind_of(entry->findings[i].reason) == KM_KIND_INPUT);
    require(entry->findings[i].detail && strlen(entry->findings[i].detail) > 0);
    km_digest_add(digest, &entry->findings[i].reason, sizeof entry->findings[i].reason);
  }
}

static km_hash128 read_all(const char *path, const km_archive_limits *limits) {
  km_inputs *inputs;
  km_digest *digest = km_digest_new();
  uint64_t n_given = 0;
  require(digest && km_inputs_open(&inputs, &path, 1, limits, NULL) == KM_OK);
  for (size_t i = 0; i < km_inputs_count(inputs); i++) {
    km_archive_reader *reader;
    km_entry entry;
    km_status status;
    require(km_archive_open(&reader, inputs, i, NULL) == KM_OK);
    while ((status = km_archive_next(reader, &entry, NULL)) == KM_OK) {
      check_entry(&entry, limits, digest);
      n_given += entry.bytes != NULL;
    }
    require(status == KM_END);
    km_archive_close(reader);
  }
  require(n_given <= limits->max_entries * km_inputs_count(inputs));
  km_hash128 value = km_digest_value(digest);
  km_digest_free(digest);
  km_inputs_free(inputs);
  return value;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > INPUT_MAX)
    return 0;
  int fd = memfd_create("archive", MFD_CLOEXEC);
  require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  km_archive_limits limits;
  km_archive_limits_default(&limits);
  limits.max_entry_bytes = ENTRY_MAX;
  limits.max_archive_bytes = 16 * ENTRY_MAX;
  limits.max_entries = 300;
  km_hash128 first = read_all(path, &limits);
  require(km_hash128_equal(first, read_all(path, &limits)));
  close(fd);
  return 0;
}
