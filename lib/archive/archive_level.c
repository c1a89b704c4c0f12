/* archive_level.c: peels filters off a stream, chooses the reader of what is within, and tells every fault
 * once.
 *
 * A level goes through three steps: entries of the container (or the one bare file); what stands behind the
 * container; the faults of the filters, which are known when they have ended. The last two tell what the
 * first cannot see: a wrong check sum of a whole gzip, bytes behind the end, a second tar behind the first.
 */
#include "archive_level.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILTERS_MAX = 8, TAR_BLOCK = 512 };

typedef enum level_step { STEP_ENTRIES, STEP_BEHIND, STEP_FILTERS, STEP_DONE } level_step;

struct km_level {
  km_level_options options;
  km_stream *stream; /* the innermost filter, or the source */
  km_stream *memory; /* over slurped, for formats that seek; NULL */
  km_buffer slurped;
  km_magic magic;
  km_format_reader *format;
  km_zip_reader *zip;
  level_step step;
  km_reason open_fault;
  uint64_t open_pos;
  char open_detail[KM_DETAIL_BYTES];
  bool stream_fault_told, any_told;
  uint64_t number; /* entries in containers before this one */
  uint64_t base;   /* bytes of the stream before this container */
  uint64_t n_seen; /* what stands behind is told with the number that would come next */
};

static void open_fault(km_level *level, km_reason reason, const char *detail) {
  level->open_fault = reason;
  snprintf(level->open_detail, sizeof level->open_detail, "%s", detail);
}

static uint64_t le64(const uint8_t *p) {
  uint64_t value;
  memcpy(&value, p, sizeof value);
  return value;
}

/* What the first block is; a zip may also be known by its end only, unless a game record stands before it, which
 * would be lost. */
static km_magic look(const km_stream *s) {
  km_magic magic = km_magic_detect(s->block, s->n_block);
  bool is_text = s->n_block >= 2 && memcmp(s->block, "(;", 2) == 0;
  if ((magic == KM_MAGIC_NONE || magic == KM_MAGIC_PROGRAM) && s->in_memory && s->n_block >= 22 && !is_text) {
    km_zip_end end;
    size_t n_tail = magic == KM_MAGIC_PROGRAM && s->n_block > 65536 ? 65536 : 22;
    n_tail = n_tail < s->n_block ? n_tail : s->n_block;
    km_zip_find_end(&end, s->block + s->n_block - n_tail, n_tail, s->n_block);
    if (end.found && end.n_entries)
      return KM_MAGIC_ZIP;
  }
  return magic;
}

/* Puts a filter on top; false when memory is out. */
static bool push_filter(km_level *level, km_magic magic) {
  bool own = magic <= KM_MAGIC_BZIP2;
  km_stream *s = own                         ? km_stream_decode(magic, level->stream, level->options.budget)
                 : magic == KM_MAGIC_COMPRESS ? km_stream_lzw(level->stream, level->options.budget)
                                              : km_stream_foreign(magic, level->stream, level->options.budget);
  if (s)
    level->stream = s;
  return s != NULL;
}

/* Peels until something that is no filter shows. */
static km_status peel(km_level *level) {
  for (unsigned n = 0;; n++) {
    if (km_stream_next(level->stream))
      return KM_ERR_NOMEM;
    level->stream->held = true;
    level->magic = look(level->stream);
    if (!km_magic_is_filter(level->magic))
      return KM_OK;
    if (level->magic == KM_MAGIC_FOREIGN_FILTER)
      open_fault(level, KM_REASON_UNSUPPORTED_ARCHIVE,
                 "lrzip, lzop or grzip: unpack it with its own program first");
    else if (n == FILTERS_MAX)
      open_fault(level, KM_REASON_NESTED_TOO_DEEP, "more than 8 compressions in one another");
    if (level->open_fault)
      return KM_OK;
    if (!push_filter(level, level->magic))
      return KM_ERR_NOMEM;
  }
}

/* A 7z says in its first bytes where it ends; libarchive only says that it is damaged. */
static void check_7z_end(km_level *level, km_stream *s) {
  uint64_t at = s->n_block >= 32 ? le64(s->block + 12) : 0, n = s->n_block >= 32 ? le64(s->block + 20) : 0;
  uint64_t n_left = s->n_block >= 32 ? s->n_block - 32 : 0;
  if (s->n_block < 32 || at > n_left || n > n_left - at) {
    open_fault(level, KM_REASON_TRUNCATED_ARCHIVE, "the 7z ends before its header");
    level->open_pos = s->n_block;
    return;
  }
  const uint8_t *behind = s->block + 32 + at + n, *end = s->block + s->n_block;
  while (behind < end && *behind == 0)
    behind++;
  s->trailing = (uint64_t)(end - behind);
}

/* Formats that seek get all of it in memory; the filters have ended then, and their faults are known. */
static km_status into_memory(km_level *level) {
  if (level->stream->in_memory)
    return KM_OK;
  km_slurp slurp;
  if (km_stream_slurp(&slurp, level->stream, &level->slurped, level->options.budget->limits->max_entry_bytes))
    return KM_ERR_NOMEM;
  if (!slurp.whole) {
    open_fault(level, KM_REASON_ENTRY_TOO_LARGE, "");
    km_budget_detail(level->options.budget, KM_REASON_ENTRY_TOO_LARGE, level->open_detail,
                     sizeof level->open_detail);
    return KM_OK;
  }
  level->memory = km_stream_of_memory(slurp.bytes, slurp.n_bytes);
  return level->memory ? KM_OK : KM_ERR_NOMEM;
}

static km_stream *container_stream(km_level *level) {
  return level->memory ? level->memory : level->stream;
}

static km_status open_container(km_level *level) {
  if (level->open_fault || level->magic == KM_MAGIC_NONE)
    return KM_OK;
  if (km_magic_needs_memory(level->magic) && into_memory(level))
    return KM_ERR_NOMEM;
  if (level->open_fault)
    return KM_OK;
  km_stream *s = container_stream(level);
  if (level->magic == KM_MAGIC_7Z)
    check_7z_end(level, s);
  if (level->open_fault)
    return KM_OK;
  if (level->magic == KM_MAGIC_ZIP) {
    level->options.zip.bytes = s->block;
    level->options.zip.n_bytes = s->n_block;
    level->zip = km_zip_open(&level->options.zip, level->options.budget);
    return level->zip ? KM_OK : KM_ERR_NOMEM;
  }
  level->format = km_format_open(level->magic, s, level->options.budget);
  return level->format ? KM_OK : KM_ERR_NOMEM;
}

km_level *km_level_open(km_stream *stream, const km_level_options *options) {
  km_level *level = calloc(1, sizeof *level);
  if (!level) {
    km_stream_close_all(stream);
    return NULL;
  }
  level->options = *options;
  level->stream = stream;
  if (peel(level) || open_container(level)) {
    km_level_close(level);
    return NULL;
  }
  return level;
}

void km_level_close(km_level *level) {
  if (!level)
    return;
  km_format_close(level->format);
  km_zip_close(level->zip);
  km_stream_close_all(level->memory);
  km_stream_close_all(level->stream);
  km_buffer_clear(&level->slurped);
  free(level);
}

bool km_level_is_container(const km_level *level) {
  return level->format || level->zip;
}

/* The bare file, in one piece. */
static km_status bare_item(km_level *level, km_item *item) {
  km_slurp slurp;
  km_status status =
      km_stream_slurp(&slurp, level->stream, &level->slurped, level->options.budget->limits->max_entry_bytes);
  if (status)
    return status;
  level->step = STEP_FILTERS;
  if (!slurp.whole) {
    item->reason = KM_REASON_ENTRY_TOO_LARGE;
    km_budget_detail(level->options.budget, item->reason, item->detail, sizeof item->detail);
    level->step = STEP_DONE;
    return KM_OK;
  }
  if (level->options.budget->exhausted) { /* what was read stops where the limit is met, not where the file ends */
    km_item_fault(item, level->stream->fault, "%s", level->stream->detail);
    item->pos = km_level_taken(level);
    level->step = STEP_DONE;
    return KM_OK;
  }
  if (!slurp.n_bytes && level->stream->fault)
    return KM_END; /* the fault says why there is nothing */
  if (!slurp.n_bytes)
    km_item_fault(item, level->options.named_archive ? KM_REASON_EMPTY_ARCHIVE : KM_REASON_EMPTY_MEMBER,
                  "no bytes");
  item->bytes = slurp.bytes;
  item->n_bytes = slurp.n_bytes;
  km_reason limit =
      level->stream->below ? KM_REASON_NONE : km_budget_add_entry(level->options.budget, slurp.n_bytes);
  if (!limit)
    limit = km_budget_count_entry(level->options.budget);
  if (limit) {
    item->bytes = NULL;
    item->reason = limit;
    km_budget_detail(level->options.budget, limit, item->detail, sizeof item->detail);
  }
  return KM_OK;
}

/* An executable that holds no archive is a bare file. */
static bool is_mere_program(km_level *level, const km_item *item) {
  return level->magic == KM_MAGIC_PROGRAM && item->reason && !item->n_name && !item->number &&
         !level->any_told;
}

static km_status entry_item(km_level *level, km_item *item) {
  km_status status;
  if (level->open_fault) {
    item->reason = level->open_fault;
    item->pos = level->open_pos;
    memcpy(item->detail, level->open_detail, sizeof item->detail);
    level->step = STEP_DONE;
    return KM_OK;
  }
  if (!km_level_is_container(level))
    return bare_item(level, item);
  status = level->zip ? km_zip_next(level->zip, item) : km_format_next(level->format, item);
  if (status == KM_END) {
    level->step = STEP_BEHIND;
    return KM_END;
  }
  if (!status && is_mere_program(level, item)) {
    km_format_close(level->format);
    level->format = NULL;
    *item = (km_item){.name = ""};
    item->bytes = container_stream(level)->block;
    item->n_bytes = container_stream(level)->n_block;
    level->step = STEP_FILTERS;
    return KM_OK;
  }
  if (!status && item->reason && item->reason == level->stream->fault) {
    level->stream_fault_told = true;
    if (!item->n_name) /* no entry's, so the stream's */
      item->pos = km_level_taken(level);
  }
  item->number += level->number;
  level->n_seen = item->number + 1;
  return status;
}

/* Whether zeros fill the stream up to its next block with something in it, which is held then; false at the
 * end. */
static km_status skip_zeros(km_stream *s, bool *found) {
  *found = false;
  for (;;) {
    while (s->n_block && *s->block == 0) {
      s->block++;
      s->n_block--;
    }
    *found = s->n_block > 0;
    if (*found)
      return KM_OK;
    km_status status = km_stream_next(s);
    if (status || !s->n_block)
      return status;
  }
}

/* Behind a container that is read front to back: padding, another tar, or bytes that belong to nothing. */
static km_status behind_item(km_level *level, km_item *item) {
  level->step = STEP_FILTERS;
  km_stream *s = level->stream;
  if (!level->format || km_magic_needs_memory(level->magic) || level->stream_fault_told ||
      !km_format_at_end(level->format))
    return KM_END;
  if (km_format_lacks_end(level->format)) {
    item->pos = level->base + km_format_position(level->format);
    km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "the tar lacks its end mark: it may be cut");
    return KM_OK;
  }
  uint64_t rest = s->handed - km_format_position(level->format);
  if (rest < s->n_block) {
    s->block += s->n_block - rest;
    s->n_block = rest;
  }
  bool found;
  if (skip_zeros(s, &found))
    return KM_ERR_NOMEM;
  if (!found)
    return KM_END;
  if (km_magic_detect(s->block, s->n_block) == KM_MAGIC_TAR) {
    level->number += km_format_count(level->format);
    level->base += s->handed - s->n_block;
    km_format_close(level->format);
    s->handed = s->n_block;
    s->held = true;
    level->magic = KM_MAGIC_TAR;
    level->format = km_format_open(KM_MAGIC_TAR, s, level->options.budget);
    level->step = STEP_ENTRIES;
    return level->format ? KM_END : KM_ERR_NOMEM;
  }
  uint64_t n_trailing = s->n_block;
  item->pos = level->base + s->handed - s->n_block;
  do {
    if (km_stream_next(s))
      return KM_ERR_NOMEM;
    n_trailing += s->n_block;
  } while (s->n_block);
  km_item_fault(item, KM_REASON_TRAILING_BYTES, "%" PRIu64 " bytes", n_trailing);
  return KM_OK;
}

/* One fault of the filters that was not told yet. */
static km_status filter_item(km_level *level, km_item *item) {
  if (level->stream->fault && !level->stream_fault_told) {
    level->stream_fault_told = true;
    item->pos = km_level_taken(level);
    km_item_fault(item, level->stream->fault, "%s", level->stream->detail);
    return KM_OK;
  }
  if (level->memory && level->memory->trailing) {
    item->pos = level->memory->n_block - level->memory->trailing;
    km_item_fault(item, KM_REASON_TRAILING_BYTES, "%" PRIu64 " bytes", level->memory->trailing);
    level->memory->trailing = 0;
    return KM_OK;
  }
  for (km_stream *s = level->stream; s; s = s->below) {
    if (s->crc_fault) {
      s->crc_fault = false;
      item->pos = s->below->taken;
      km_item_fault(item, KM_REASON_CRC_ERROR, "the check sum of all data is wrong; the entries are used");
      return KM_OK;
    }
    if (s->trailing) {
      item->pos = s->below ? s->below->handed - s->trailing : s->handed - s->trailing;
      km_item_fault(item, KM_REASON_TRAILING_BYTES, "%" PRIu64 " bytes", s->trailing);
      s->trailing = 0;
      return KM_OK;
    }
  }
  level->step = STEP_DONE;
  return KM_END;
}

km_status km_level_next(km_level *level, km_item *item) {
  while (level->step != STEP_DONE) {
    *item = (km_item){.name = "", .number = level->n_seen};
    km_status status = level->step == STEP_ENTRIES  ? entry_item(level, item)
                       : level->step == STEP_BEHIND ? behind_item(level, item)
                                                    : filter_item(level, item);
    if (status != KM_END) {
      level->any_told = true;
      return status;
    }
  }
  if (level->any_told || level->options.zip.first || level->options.zip.last) /* a range may hold folders only */
    return KM_END;
  level->any_told = true;
  *item = (km_item){.name = ""};
  km_item_fault(item, KM_REASON_EMPTY_ARCHIVE, "no files in it");
  return KM_OK;
}

uint64_t km_level_taken(const km_level *level) {
  const km_stream *s = level->stream;
  if (s->below) {
    while (s->below)
      s = s->below;
    return s->taken;
  }
  return level->format ? level->base + km_format_position(level->format)
         : level->zip  ? km_zip_taken(level->zip)
                       : s->handed;
}
