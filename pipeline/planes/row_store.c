/* row_store.c: see row_store.h. */
#include "row_store.h"

#include "row_select.h"

#include <stdlib.h>

enum { GROUP = 64, BLOB_OVERHEAD = 32 };

typedef struct store_entry {
  uint64_t first; /* position */
  const km_track *track;
} store_entry;

typedef struct store_split {
  store_entry *entries; /* and one behind the last, with the number of positions */
  size_t n_entries, capacity;
  uint64_t n_positions;
  uint32_t *guide; /* of every so many positions the entry of the first */
  unsigned shift;
} store_split;

struct km_row_store {
  const km_planes_settings *settings;
  const km_track_shape *shape;
  store_split splits[KM_SPLITS];
  unsigned char **blobs;
  size_t n_blobs, blob_capacity;
  uint64_t n_blob_bytes;
};

km_row_store *km_row_store_new(const km_planes_settings *settings, const km_track_shape *shape) {
  km_row_store *store = calloc(1, sizeof *store);
  if (!store)
    return NULL;
  store->settings = settings;
  store->shape = shape;
  return store;
}

void km_row_store_free(km_row_store *store) {
  if (!store)
    return;
  for (size_t i = 0; i < store->n_blobs; i++)
    free(store->blobs[i]);
  for (int i = 0; i < KM_SPLITS; i++) {
    free(store->splits[i].entries);
    free(store->splits[i].guide);
  }
  free(store->blobs);
  free(store);
}

/* Room for n more elements and one behind them. */
static void *grow(void *array, size_t n_used, size_t n, size_t *capacity, size_t n_bytes) {
  if (n_used + n + 1 <= *capacity)
    return array;
  size_t more = *capacity + *capacity / 2 + n + 1;
  void *larger = realloc(array, more * n_bytes);
  if (larger)
    *capacity = more;
  return larger;
}

static int add_entry(store_split *split, const km_track *track) {
  store_entry *entries = grow(split->entries, split->n_entries, 1, &split->capacity, sizeof *entries);
  if (!entries)
    return 0;
  split->entries = entries;
  entries[split->n_entries++] = (store_entry){split->n_positions, track};
  split->n_positions += track->n_rows;
  return 1;
}

km_status km_row_store_add(km_row_store *store, unsigned char *blob, size_t n_bytes,
                           const km_track_place *places, size_t n_places, km_err *err) {
  unsigned char **blobs = grow(store->blobs, store->n_blobs, 1, &store->blob_capacity, sizeof *blobs);
  if (!blobs) {
    free(blob);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the positions of games");
  }
  store->blobs = blobs;
  blobs[store->n_blobs++] = blob;
  store->n_blob_bytes += n_bytes + BLOB_OVERHEAD;
  for (size_t i = 0; i < n_places; i++)
    if (!add_entry(&store->splits[places[i].split], (const km_track *)(const void *)(blob + places[i].at)))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the positions of games");
  return KM_OK;
}

uint64_t km_row_store_bytes(const km_row_store *store) {
  uint64_t n = store->n_blob_bytes + store->blob_capacity * sizeof *store->blobs;
  for (int i = 0; i < KM_SPLITS; i++)
    n += store->splits[i].capacity * sizeof(store_entry) + 2 * store->splits[i].n_entries * sizeof(uint32_t);
  return n;
}

/* One guide step for one to two entries, however long games are. */
static int make_guide(store_split *split) {
  if (split->n_entries == 0)
    return 1;
  split->entries[split->n_entries] = (store_entry){split->n_positions, NULL}; /* grow left room */
  while (split->n_positions >> split->shift >= 2 * split->n_entries)
    split->shift++;
  size_t n = (size_t)((split->n_positions - 1) >> split->shift) + 1;
  split->guide = malloc(n * sizeof *split->guide);
  if (!split->guide)
    return 0;
  uint32_t e = 0;
  for (size_t i = 0; i < n; i++) {
    while (split->entries[e + 1].first <= (uint64_t)i << split->shift)
      e++;
    split->guide[i] = e;
  }
  return 1;
}

km_status km_row_store_seal(km_row_store *store, km_err *err) {
  for (int i = 0; i < KM_SPLITS; i++)
    if (!make_guide(&store->splits[i]))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for the positions of games");
  return KM_OK;
}

uint64_t km_row_store_n_positions(const km_row_store *store, unsigned split) {
  return store->splits[split].n_positions;
}

/* A group on its way. */
typedef struct lookup {
  uint64_t rows[GROUP], positions[GROUP];
  const km_track *tracks[GROUP];
  uint32_t entries[GROUP], numbers[GROUP]; /* of the split; of the row in the track */
} lookup;

/* From row numbers to tracks, and numbers of rows in them. */
static void find_tracks(const store_split *split, lookup *l, size_t n, unsigned rows_per_position) {
  for (size_t i = 0; i < n; i++) {
    l->positions[i] = rows_per_position == 1 ? l->rows[i] : l->rows[i] / rows_per_position;
    __builtin_prefetch(&split->guide[l->positions[i] >> split->shift]);
  }
  for (size_t i = 0; i < n; i++) {
    l->entries[i] = split->guide[l->positions[i] >> split->shift];
    __builtin_prefetch(&split->entries[l->entries[i]]);
    __builtin_prefetch(&split->entries[l->entries[i] + 2]);
  }
  for (size_t i = 0; i < n; i++) {
    const store_entry *entry = &split->entries[l->entries[i]];
    while (entry[1].first <= l->positions[i])
      entry++;
    l->tracks[i] = entry->track;
    l->numbers[i] = (uint32_t)(l->positions[i] - entry->first);
    __builtin_prefetch(entry->track);
    __builtin_prefetch(km_track_rows(entry->track) + l->numbers[i]);
  }
}

static void get_group(const km_row_store *store, const store_split *split, lookup *l, size_t n,
                      km_row_facts *facts, km_moment *moments) {
  const km_planes_settings *s = store->settings;
  find_tracks(split, l, n, s->rows_per_position);
  for (size_t i = 0; i < n; i++) {
    const km_track *track = l->tracks[i];
    unsigned way = (unsigned)(l->rows[i] - l->positions[i] * s->rows_per_position);
    uint8_t k = km_select_symmetry(s, track->id, km_track_rows(track)[l->numbers[i]].ply, way);
    km_track_facts(store->shape, track, l->numbers[i], k, &facts[i]);
    if (moments)
      km_track_seek(store->shape, track, &facts[i], &moments[i]);
  }
  for (size_t i = 0; moments && i < n; i++)
    km_track_find(store->shape, l->tracks[i], &facts[i], &moments[i]);
}

void km_row_store_get(const km_row_store *store, unsigned split, const km_row_order *order, uint64_t first,
                      size_t n, km_row_facts *facts, km_moment *moments) {
  lookup l;
  for (size_t done = 0; done < n; done += GROUP) {
    size_t size = n - done < GROUP ? n - done : GROUP;
    km_row_order_rows(order, first + done, size, l.rows);
    get_group(store, &store->splits[split], &l, size, facts + done, moments ? moments + done : NULL);
  }
}
