/* text_table.c: open addressing on 128-bit hashes; two strings of one hash do not happen. */
#include "text_table.h"
#include "spool.h"

#include "kifumill/hash.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1 << 10, SLOTS_MAX = 1 << 20 };

typedef struct slot {
  km_hash128 hash;
  uint32_t number; /* 0: free */
} slot;

struct km_text_table {
  slot *slots;
  size_t n_slots, n_used;
  uint64_t n_strings;
  km_spool *bytes, *starts;
};

km_status km_text_table_new(km_text_table **table, const char *output, km_err *err) {
  *table = NULL;
  km_text_table *t = calloc(1, sizeof *t);
  if (!t)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  t->n_slots = SLOTS_MIN;
  t->slots = calloc(t->n_slots, sizeof *t->slots);
  km_status status = t->slots ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (!status)
    status = km_spool_open(&t->bytes, output, err);
  if (!status)
    status = km_spool_open(&t->starts, output, err);
  uint64_t zero = 0;
  if (!status)
    status = km_spool_append(t->starts, &zero, sizeof zero, err); /* number 0 */
  if (status) {
    km_text_table_free(t);
    return status;
  }
  t->n_strings = 1;
  *table = t;
  return KM_OK;
}

void km_text_table_free(km_text_table *table) {
  if (!table)
    return;
  km_spool_close(table->bytes);
  km_spool_close(table->starts);
  free(table->slots);
  free(table);
}

/* The slot of hash: its own, or the free one where it belongs. */
static slot *find(slot *slots, size_t n_slots, km_hash128 hash) {
  size_t i = hash.low & (n_slots - 1);
  while (slots[i].number && !km_hash128_equal(slots[i].hash, hash))
    i = (i + 1) & (n_slots - 1);
  return &slots[i];
}

static km_status grow(km_text_table *t, km_err *err) {
  slot *slots = calloc(t->n_slots * 2, sizeof *slots);
  if (!slots)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < t->n_slots; i++)
    if (t->slots[i].number)
      *find(slots, t->n_slots * 2, t->slots[i].hash) = t->slots[i];
  free(t->slots);
  t->slots = slots;
  t->n_slots *= 2;
  return KM_OK;
}

static km_status add_string(km_text_table *t, const char *bytes, size_t n_bytes, uint32_t *number,
                            km_err *err) {
  if (t->n_strings > UINT32_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "more than 2^32 different texts");
  uint64_t start = km_spool_bytes(t->bytes);
  km_status status = km_spool_append(t->starts, &start, sizeof start, err);
  if (!status)
    status = km_spool_append(t->bytes, bytes, n_bytes, err);
  if (!status)
    *number = (uint32_t)t->n_strings++;
  return status;
}

km_status km_text_table_number(km_text_table *table, const char *bytes, size_t n_bytes, int remember,
                               uint32_t *number, km_err *err) {
  if (!remember)
    return add_string(table, bytes, n_bytes, number, err);
  km_hash128 hash = km_hash_bytes(bytes, n_bytes);
  slot *s = find(table->slots, table->n_slots, hash);
  if (s->number) {
    *number = s->number;
    return KM_OK;
  }
  km_status status = add_string(table, bytes, n_bytes, number, err);
  if (status)
    return status;
  if (table->n_used >= table->n_slots / 4 * 3) {
    if (table->n_slots == SLOTS_MAX)
      return KM_OK; /* full: what comes new is not remembered */
    status = grow(table, err);
    if (status)
      return status;
    s = find(table->slots, table->n_slots, hash);
  }
  *s = (slot){hash, *number};
  table->n_used++;
  return KM_OK;
}

km_status km_text_table_rewind(km_text_table *table, km_err *err) {
  km_status status = km_spool_rewind(table->bytes, err);
  return status ? status : km_spool_rewind(table->starts, err);
}

uint64_t km_text_table_n_strings(const km_text_table *table) {
  return table->n_strings;
}
uint64_t km_text_table_n_bytes(const km_text_table *table) {
  return km_spool_bytes(table->bytes);
}

km_status km_text_table_take_start(km_text_table *table, uint64_t *start, km_err *err) {
  return km_spool_take(table->starts, start, sizeof *start, err);
}

km_status km_text_table_take_bytes(km_text_table *table, void *bytes, size_t n_bytes, km_err *err) {
  return km_spool_take(table->bytes, bytes, n_bytes, err);
}
