/* places.c: one record a game in a spool file: entry index u64, number u32, length of source u32, of entry u32, texts. */
#include "places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct place_header {
  uint64_t entry_index;
  uint32_t game, n_source, n_entry;
} place_header;

struct km_places {
  FILE *spool;
  uint64_t *offsets; /* n+1 of them */
  size_t n, capacity;
};

/* A file without a name in folder: O_TMPFILE where the file system has it, else made and unlinked. */
static FILE *open_spool(const char *folder) {
  int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    char path[4096];
    if (snprintf(path, sizeof path, "%s/.kifumill-XXXXXX", folder) >= (int)sizeof path)
      return NULL;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
      unlink(path);
  }
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w+b");
  if (fd >= 0 && !file)
    close(fd);
  return file;
}

km_status km_places_open(km_places **out, const char *folder, km_err *err) {
  km_places *places = calloc(1, sizeof *places);
  *out = NULL;
  if (!places || !(places->offsets = calloc(1, sizeof *places->offsets))) {
    km_places_close(places);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the places of games");
  }
  places->capacity = 1;
  places->spool = open_spool(folder);
  if (!places->spool) {
    km_status status = km_err_set(err, KM_ERR_IO, errno, "cannot make a temporary file in %.200s", folder);
    km_places_close(places);
    return status;
  }
  *out = places;
  return KM_OK;
}

void km_places_close(km_places *places) {
  if (!places)
    return;
  if (places->spool)
    fclose(places->spool);
  free(places->offsets);
  free(places);
}

km_status km_places_add(km_places *places, const km_place *place, uint64_t entry_index, km_err *err) {
  if (places->n + 1 >= places->capacity) {
    size_t capacity = places->capacity < 1024 ? 1024 : 2 * places->capacity;
    uint64_t *larger = realloc(places->offsets, capacity * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the places of %zu games", places->n);
    places->offsets = larger;
    places->capacity = capacity;
  }
  place_header header = {entry_index, place->game, (uint32_t)strlen(place->source), (uint32_t)strlen(place->entry)};
  if (fwrite(&header, sizeof header, 1, places->spool) != 1 ||
      fwrite(place->source, 1, header.n_source, places->spool) != header.n_source ||
      fwrite(place->entry, 1, header.n_entry, places->spool) != header.n_entry)
    return km_err_set(err, KM_ERR_IO, errno, "cannot write a temporary file beside the output");
  places->offsets[places->n + 1] = places->offsets[places->n] + sizeof header + header.n_source + header.n_entry;
  places->n++;
  return KM_OK;
}

km_status km_places_get(km_places *places, uint64_t game, km_place_read *read, km_err *err) {
  size_t n = (size_t)(places->offsets[game + 1] - places->offsets[game]);
  place_header header;
  *read = (km_place_read){.buffer = malloc(n + 2)};
  if (!read->buffer)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a place");
  if (fflush(places->spool) ||
      pread(fileno(places->spool), read->buffer, n, (off_t)places->offsets[game]) != (ssize_t)n) {
    free(read->buffer);
    read->buffer = NULL;
    return km_err_set(err, KM_ERR_IO, errno, "cannot read the temporary file beside the output");
  }
  memcpy(&header, read->buffer, sizeof header);
  /* both texts move to the front, over the header, and get a NUL each */
  char *source = read->buffer, *entry = read->buffer + header.n_source + 1;
  memmove(source, read->buffer + sizeof header, header.n_source + header.n_entry);
  memmove(entry, source + header.n_source, header.n_entry);
  source[header.n_source] = entry[header.n_entry] = 0;
  read->place = (km_place){source, entry, header.game};
  read->entry_index = header.entry_index;
  return KM_OK;
}

static int compare_places(const km_place_read *a, const km_place_read *b) {
  int order = strcmp(a->place.source, b->place.source);
  if (order == 0)
    order = strcmp(a->place.entry, b->place.entry);
  if (order == 0)
    order = a->entry_index < b->entry_index ? -1 : a->entry_index > b->entry_index;
  if (order == 0)
    order = a->place.game < b->place.game ? -1 : a->place.game > b->place.game;
  return order;
}

int km_places_compare(void *places, uint64_t a, uint64_t b) {
  km_place_read left = {0}, right = {0};
  int order = 0;
  if (km_places_get(places, a, &left, NULL) == KM_OK && km_places_get(places, b, &right, NULL) == KM_OK)
    order = compare_places(&left, &right);
  free(left.buffer);
  free(right.buffer);
  return order;
}
