/* archive_reader.c: the stack of levels of one input, and the form in which entries are given.
 *
 * An entry that is an archive itself becomes a level that reads the entry's bytes where they stand; the level
 * below does not move until it is done, so nothing is copied. Depth, bytes, ratio and count are bounded for
 * all levels together. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "archive_inputs.h"
#include "archive_level.h"
#include "archive_source.h"
#include "entry_name.h"
#include "zstd_contexts.h"

enum { DEPTH_MAX = 16, NESTED_SHIFT = 40 };

/* An open level with the name its entries have before theirs. */
typedef struct frame {
  km_level *level;
  size_t n_name; /* of its own name in reader->name: "" for the input, "inner.zip", "inner.zip//deeper.tar" */
} frame;

struct km_archive_reader {
  const km_input *input;
  const km_archive_limits *limits;
  km_budget budget;
  km_source source;
  frame frames[DEPTH_MAX + 1];
  unsigned n_frames;
  bool opened, stopped, part_told, loss_told;
  uint64_t top_number, n_nested;
  km_buffer name;
  km_item item;
  km_finding finding;
};

km_status km_archive_open(km_archive_reader **reader, const km_inputs *inputs, size_t i, km_err *err) {
  *reader = NULL;
  km_archive_reader *r = calloc(1, sizeof *r);
  if (!r)
    return km_err_set(err, KM_ERR_NOMEM, 0, "%s: out of memory", km_inputs_name(inputs, i));
  r->input = km_inputs_at(inputs, i);
  r->limits = km_inputs_limits(inputs);
  r->budget.limits = r->limits;
  if (km_source_open(&r->source, r->input, r->limits)) {
    km_archive_close(r);
    return km_err_set(err, KM_ERR_NOMEM, 0, "%s: out of memory", km_inputs_name(inputs, i));
  }
  r->budget.in_bytes = r->source.n_bytes;
  *reader = r;
  return KM_OK;
}

void km_archive_close(km_archive_reader *r) {
  if (!r)
    return;
  while (r->n_frames)
    km_level_close(r->frames[--r->n_frames].level);
  km_source_close(&r->source);
  km_buffer_clear(&r->name);
  free(r);
}

void km_archive_forget(void) {
  km_zstd_forget();
}

/* An empty file tells what it should have been by its name only. */
static bool is_archive_name(const char *name) {
  static const char *const suffixes[] = {".tar", ".gz",   ".tgz", ".bz2", ".tbz",  ".xz",   ".txz",
                                         ".zst", ".tzst", ".lz4", ".lz",  ".lzma", ".z",    ".zip",
                                         ".7z",  ".rar",  ".iso", ".cab", ".lzh",  ".cpio", ".001"};
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    size_t k = strlen(suffixes[i]);
    if (n >= k && strcasecmp(name + n - k, suffixes[i]) == 0)
      return true;
  }
  return false;
}

static km_status push_level(km_archive_reader *r, km_stream *stream, const km_level_options *options,
                            size_t n_name) {
  if (!stream)
    return KM_ERR_NOMEM;
  km_level *level = km_level_open(stream, options);
  if (!level)
    return KM_ERR_NOMEM;
  r->frames[r->n_frames++] = (frame){level, n_name};
  return KM_OK;
}

static km_status open_top(km_archive_reader *r) {
  r->opened = true;
  if (km_buffer_reserve(&r->name, 1, 0))
    return KM_ERR_NOMEM;
  r->name.bytes[0] = 0;
  km_level_options options = {.budget = &r->budget,
                              .zip = {.part_start = r->source.part_start,
                                      .n_parts = r->source.n_parts,
                                      .first = r->input->first,
                                      .last = r->input->last},
                              .named_archive = is_archive_name(r->input->path)};
  km_stream *stream = r->source.fd >= 0 ? km_stream_of_fd(r->source.fd, &r->budget)
                                        : km_stream_of_memory(r->source.bytes, r->source.n_bytes);
  return push_level(r, stream, &options, 0);
}

/* Whether an entry is an archive itself. Executables are left to the caller as they are. */
static bool is_nested(const km_level *level, const km_item *item) {
  if (!item->bytes || !km_level_is_container(level))
    return false;
  km_magic magic = km_magic_detect(item->bytes, item->n_bytes);
  return magic != KM_MAGIC_NONE && magic != KM_MAGIC_PROGRAM;
}

/* The name of the item into reader->name, behind that of its level. */
static km_status set_name(km_archive_reader *r, const frame *f, const km_item *item, size_t *n_name) {
  size_t at = f->n_name;
  if (at && item->n_name) {
    if (km_name_append(&r->name, at, &at, "//", 2))
      return KM_ERR_NOMEM;
  }
  return km_name_append(&r->name, at, n_name, item->name, item->n_name);
}

static uint64_t item_index(km_archive_reader *r) {
  if (r->n_frames == 1) {
    r->n_nested = 0;
    return r->top_number = r->item.number;
  }
  return r->top_number | ++r->n_nested << NESTED_SHIFT;
}

static km_status give(km_archive_reader *r, km_entry *entry, const frame *f) {
  km_item *item = &r->item;
  size_t n_name;
  if (item->bytes && !item->n_bytes)
    item->bytes = NULL;
  if (!item->bytes && !item->reason)
    km_item_fault(item, KM_REASON_EMPTY_MEMBER, "no bytes");
  if (r->n_frames == 1 && r->source.in_set && item->reason == KM_REASON_TRUNCATED_ARCHIVE)
    item->reason = KM_REASON_MISSING_VOLUME;
  if (r->n_frames == 1 && r->source.missing[0] && item->reason == KM_REASON_MISSING_VOLUME) {
    memcpy(item->detail, r->source.missing, sizeof item->detail);
    r->part_told = true;
  }
  if (set_name(r, f, item, &n_name))
    return KM_ERR_NOMEM;
  r->finding = (km_finding){item->reason, item->pos, item->detail};
  *entry = (km_entry){.source = r->input->name,
                      .name = (const char *)r->name.bytes,
                      .index = item_index(r),
                      .bytes = item->bytes,
                      .n_bytes = item->n_bytes,
                      .findings = &r->finding,
                      .n_findings = item->reason ? 1 : 0};
  r->stopped |= r->budget.exhausted;
  return KM_OK;
}

/* Goes into the entry, or says that it is too deep. */
static km_status enter(km_archive_reader *r, const frame *f) {
  if (r->n_frames == 1) {
    r->top_number = r->item.number;
    r->n_nested = 0;
  }
  size_t n_name;
  if (set_name(r, f, &r->item, &n_name))
    return KM_ERR_NOMEM;
  km_level_options options = {.budget = &r->budget, .named_archive = true};
  return push_level(r, km_stream_of_memory(r->item.bytes, r->item.n_bytes), &options, n_name);
}

static km_status source_fault(km_archive_reader *r, km_entry *entry) {
  r->finding = (km_finding){r->source.fault, 0, r->source.detail};
  *entry = (km_entry){.source = r->input->name, .name = "", .findings = &r->finding, .n_findings = 1};
  r->opened = r->stopped = true;
  return KM_OK;
}

/* What is wrong with the input as a whole, told last: a part that is missing, when nothing that was read
 * showed it; a file that was cut while it was read. */
static km_status source_end(km_archive_reader *r, km_entry *entry) {
  uint64_t at;
  if (r->source.missing[0] && !r->part_told) {
    r->finding = (km_finding){KM_REASON_MISSING_VOLUME, r->source.n_bytes, r->source.missing};
    r->part_told = true;
  } else if (!r->loss_told && km_mapped_lost(&r->source.map, &at)) {
    r->finding =
        (km_finding){KM_REASON_UNREADABLE, at, "became shorter, or its disk failed, while it was read"};
    r->loss_told = true;
  } else {
    return KM_END;
  }
  entry->findings = &r->finding;
  entry->n_findings = 1;
  return KM_OK;
}

static km_status next_entry(km_archive_reader *r, km_entry *entry) {
  if (!r->opened && r->source.fault)
    return source_fault(r, entry);
  if (!r->opened && open_top(r))
    return KM_ERR_NOMEM;
  while (r->n_frames && !r->stopped) {
    frame *f = &r->frames[r->n_frames - 1];
    km_source_drop(&r->source, km_level_taken(r->frames[0].level));
    km_status status = km_level_next(f->level, &r->item);
    if (status < 0)
      return status;
    if (status == KM_END) {
      km_level_close(f->level);
      r->n_frames--;
      continue;
    }
    if (!is_nested(f->level, &r->item))
      return give(r, entry, f);
    if (r->n_frames <= r->limits->max_depth && r->n_frames <= DEPTH_MAX) {
      if (enter(r, f))
        return KM_ERR_NOMEM;
      continue;
    }
    r->item.bytes = NULL;
    r->item.reason = KM_REASON_NESTED_TOO_DEEP;
    km_budget_detail(&r->budget, r->item.reason, r->item.detail, sizeof r->item.detail);
    return give(r, entry, f);
  }
  return source_end(r, entry);
}

km_status km_archive_next(km_archive_reader *r, km_entry *entry, km_err *err) {
  *entry = (km_entry){.source = r->input->name, .name = ""};
  km_status status = next_entry(r, entry);
  if (status == KM_ERR_NOMEM) {
    r->opened = r->stopped = true;
    return km_err_set(err, status, 0, "%s: out of memory", r->input->name);
  }
  return status;
}

uint64_t km_archive_bytes_read(const km_archive_reader *r) {
  if (!r->n_frames)
    return r->opened ? r->input->n_bytes : 0;
  uint64_t taken = km_level_taken(r->frames[0].level);
  return r->source.fd < 0 && taken > r->input->n_bytes ? r->input->n_bytes : taken;
}
