/* zip_reader.c: zip (APPNOTE.TXT 6.3.10), read straight from memory.
 *
 *   local header  PK\3\4 version flags method time date crc size32 full32 n_name n_extra | name extra data
 * [descriptor] directory     PK\1\2 made version flags method time date crc size32 full32 n_name n_extra
 * n_comment disk … at32 end           PK\5\6 disk disk_cd n_here n_all cd_bytes cd_at n_comment, before it
 * the zip64 end and its locator
 *
 * Why not libarchive: it turns names by the locale (or to NULL), cannot start in the middle, and inflates
 * three times slower. Deflate and stored entries, nearly all there are, are read here with libdeflate, stored
 * ones where they stand; other methods are handed to libarchive as a zip of one entry.
 *
 * Sizes in the directory are claims: the sum decides, and where it does not agree, the entry's own header is
 * asked. A buffer is never larger than the compressed bytes can fill (deflate makes at most 1032 times its
 * input). In a damaged directory the next record is looked for. Where there is none (a cut file, a part that
 * is missing) local headers are followed, and whole entries come out. */
#include "zip_reader.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "entry_name.h"

enum {
  LOCAL_BYTES = 30,
  RECORD_BYTES = 46,
  END_BYTES = 22,
  END64_BYTES = 56,
  LOCATOR_BYTES = 20,
  DEFLATE_RATIO_MAX = 1032,
  BOMB_FROM_BYTES = 1024 * 1024, /* smaller entries may have any ratio */
  FLAG_ENCRYPTED = 1,
  FLAG_DESCRIPTOR = 8,
  METHOD_STORED = 0,
  METHOD_DEFLATE = 8,
  METHOD_AES = 99,
};

/* One entry, from its directory record or its local header. */
typedef struct zip_entry {
  const char *name;
  size_t n_name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packed, full, at; /* at: of the local header */
  unsigned disk;
  unsigned mode;      /* Unix file type, 0 unknown */
  bool sizes_unknown; /* in a descriptor behind the data */
} zip_entry;

struct km_zip_reader {
  km_zip_source source;
  km_zip_end end;
  km_budget *budget;
  struct libdeflate_decompressor *inflater;
  km_buffer buffer;
  uint64_t at;     /* of the next record, or local header */
  uint64_t number; /* of the next entry */
  uint64_t last_record, end_of_records;
  uint64_t behind;     /* the entry before: where the next one stands in most zips */
  uint64_t n_packed;   /* compressed bytes of the entries so far (progress) */
  uint64_t until;      /* local headers are followed up to here; 0: to the end */
  bool by_local;       /* local headers are followed: no directory, or no more of it */
  bool ended, saw_end; /* saw_end: the last record was the end of a zip */
  bool told_before;    /* that something stands before the zip */
};

static uint16_t u16(const uint8_t *p) {
  return (uint16_t)(p[0] | p[1] << 8);
}
static uint32_t u32(const uint8_t *p) {
  return u16(p) | (uint32_t)u16(p + 2) << 16;
}
static uint64_t u64(const uint8_t *p) {
  return u32(p) | (uint64_t)u32(p + 4) << 32;
}
static bool is_record(const uint8_t *p, char a, char b) {
  return p[0] == 'P' && p[1] == 'K' && p[2] == a && p[3] == b;
}

/* The zip64 end before the end at tail[at]: right before its locator, else where the locator says. */
static void read_end64(km_zip_end *end, const uint8_t *tail, size_t at, uint64_t tail_start) {
  if (at < LOCATOR_BYTES + END64_BYTES || !is_record(tail + at - LOCATOR_BYTES, 6, 7))
    return;
  size_t where = at - LOCATOR_BYTES - END64_BYTES;
  uint64_t stated = u64(tail + at - LOCATOR_BYTES + 8);
  if (!is_record(tail + where, 6, 6)) {
    if (stated < tail_start || stated - tail_start > where)
      return;
    where = (size_t)(stated - tail_start);
  }
  if (!is_record(tail + where, 6, 6))
    return;
  const uint8_t *e = tail + where;
  end->disk = u32(e + 16);
  end->directory_disk = u32(e + 20);
  end->n_entries = u64(e + 32);
  end->directory_bytes = u64(e + 40);
  end->directory_at = u64(e + 48);
  end->base = tail_start + where;
  end->is_64 = true;
}

static bool read_end(km_zip_end *end, const uint8_t *tail, size_t at, size_t n_tail, uint64_t n_bytes) {
  const uint8_t *e = tail + at;
  uint64_t tail_start = n_bytes - n_tail;
  if (at + END_BYTES + u16(e + 20) > n_tail)
    return false;
  *end = (km_zip_end){.n_entries = u16(e + 10),
                      .directory_bytes = u32(e + 12),
                      .directory_at = u32(e + 16),
                      .base = tail_start + at,
                      .end_at = tail_start + at + END_BYTES + u16(e + 20),
                      .disk = u16(e + 4),
                      .directory_disk = u16(e + 6),
                      .found = true};
  read_end64(end, tail, at, tail_start);
  if (end->disk) /* parts: offsets count from the part's start */
    return true;
  if (end->directory_bytes > end->base || end->directory_at > end->base - end->directory_bytes)
    return false;
  end->base -= end->directory_bytes + end->directory_at;
  return true;
}

void km_zip_find_end(km_zip_end *end, const uint8_t *tail, size_t n_tail, uint64_t n_bytes) {
  *end = (km_zip_end){0};
  if (n_tail < END_BYTES)
    return;
  for (size_t at = n_tail - END_BYTES + 1; at-- > 0;)
    if (tail[at] == 'P' && is_record(tail + at, 5, 6) && read_end(end, tail, at, n_tail, n_bytes))
      return;
  *end = (km_zip_end){0};
}

/* Fields of 32 bits that are full stand in the zip64 extra field, in this order. */
static void read_extra(zip_entry *entry, const uint8_t *extra, size_t n_extra, bool local) {
  for (size_t at = 0; at + 4 <= n_extra;) {
    size_t id = u16(extra + at), n = u16(extra + at + 2), from = at + 4, end = from + n;
    if (end > n_extra)
      return;
    at = end;
    if (id == 0x7075 && n > 5 && extra[from] == 1 &&
        u32(extra + from + 1) == libdeflate_crc32(0, entry->name, entry->n_name)) {
      entry->name = (const char *)extra + from + 5; /* the name in UTF-8 */
      entry->n_name = n - 5;
    }
    if (id != 1)
      continue;
    uint64_t *fields[] = {&entry->full, &entry->packed, &entry->at};
    for (size_t i = 0; i < (local ? 2u : 3u); i++)
      if (*fields[i] == UINT32_MAX && from + 8 <= end) {
        *fields[i] = u64(extra + from);
        from += 8;
      }
    if (!local && entry->disk == 0xffff && from + 4 <= end)
      entry->disk = u32(extra + from);
  }
}

static zip_entry record_fields(const uint8_t *p) {
  return (zip_entry){.name = (const char *)p + RECORD_BYTES,
                     .flags = u16(p + 8),
                     .method = u16(p + 10),
                     .crc = u32(p + 16),
                     .packed = u32(p + 20),
                     .full = u32(p + 24),
                     .at = u32(p + 42),
                     .disk = u16(p + 34),
                     .mode = p[5] == 3 ? u32(p + 38) >> 16 & S_IFMT : 0};
}

/* A directory record at p; its length, or 0 when there is none. */
static size_t read_record(zip_entry *entry, const uint8_t *p, uint64_t n_left) {
  if (n_left < RECORD_BYTES || !is_record(p, 1, 2))
    return 0;
  size_t n_name = u16(p + 28), n_extra = u16(p + 30), n_all = RECORD_BYTES + n_name + n_extra + u16(p + 32);
  if (n_all > n_left)
    return 0;
  *entry = record_fields(p);
  entry->n_name = n_name;
  read_extra(entry, p + RECORD_BYTES + n_name, n_extra, false);
  return n_all;
}

/* A local header at p; bytes before its data, or 0 when there is none. */
static size_t read_local(zip_entry *entry, const uint8_t *p, uint64_t n_left) {
  if (n_left < LOCAL_BYTES || !is_record(p, 3, 4))
    return 0;
  size_t n_name = u16(p + 26), n_extra = u16(p + 28);
  if (n_left < LOCAL_BYTES + n_name + n_extra)
    return 0;
  *entry = (zip_entry){.name = (const char *)p + LOCAL_BYTES,
                       .n_name = n_name,
                       .flags = u16(p + 6),
                       .method = u16(p + 8),
                       .crc = u32(p + 14),
                       .packed = u32(p + 18),
                       .full = u32(p + 22)};
  read_extra(entry, p + LOCAL_BYTES + n_name, n_extra, true);
  entry->sizes_unknown = (entry->flags & FLAG_DESCRIPTOR) && !entry->packed;
  return LOCAL_BYTES + n_name + n_extra;
}

/* What has data is a file, whatever its type and name say: what zip packs from a pipe has the type of a pipe.
 */
static bool is_wanted(const zip_entry *entry) {
  if (entry->mode == S_IFLNK || km_name_is_litter(entry->name, entry->n_name))
    return false;
  char last = entry->n_name ? entry->name[entry->n_name - 1] : 0;
  return entry->full || ((!entry->mode || entry->mode == S_IFREG) && last != '/' && last != '\\');
}

/* Every part starts where the parts before it end. Offsets beyond the file come out beyond it. */
static uint64_t absolute(const km_zip_reader *r, unsigned disk, uint64_t at) {
  uint64_t start = r->end.base;
  if (r->source.part_start)
    start = disk < r->source.n_parts ? r->source.part_start[disk] : r->source.n_bytes;
  return at > r->source.n_bytes ? r->source.n_bytes : start + at;
}

typedef enum record_state {
  RECORD_GOOD,
  RECORD_MENDED, /* damaged, but it leads to its entry */
  RECORD_LOST,
  RECORD_GAP, /* the length of the record before is wrong */
  RECORD_NONE
} record_state;

/* A damaged record whose numbers still lead to a local header: its name is there too, and the sum decides. */
static bool mend_record(const km_zip_reader *r, zip_entry *entry) {
  zip_entry local;
  if (r->end_of_records - r->at < RECORD_BYTES)
    return false;
  *entry = record_fields(r->source.bytes + r->at);
  uint64_t at = absolute(r, entry->disk, entry->at), n_all = r->source.n_bytes;
  if (at >= n_all || !read_local(&local, r->source.bytes + at, n_all - at) || local.method != entry->method)
    return false;
  entry->name = local.name;
  entry->n_name = local.n_name;
  return true;
}

/* The next record of the directory, which the reader then stands behind. */
static record_state next_record(km_zip_reader *r, zip_entry *entry) {
  const uint8_t *bytes = r->source.bytes;
  uint64_t end = r->end_of_records, at = r->last_record + 4;
  size_t n = read_record(entry, bytes + r->at, end - r->at);
  if (n) {
    r->last_record = r->at;
    r->at += n;
    return RECORD_GOOD;
  }
  if (r->at >= end || (end - r->at >= 4 && is_record(bytes + r->at, 5, 5))) /* a signature may end it */
    return RECORD_NONE;
  while (at + RECORD_BYTES <= end && (at == r->at || !is_record(bytes + at, 1, 2)))
    at++;
  at = at + RECORD_BYTES <= end ? at : end;
  record_state state = at < r->at ? RECORD_GAP : mend_record(r, entry) ? RECORD_MENDED : RECORD_LOST;
  r->last_record = at < r->at ? r->last_record : r->at;
  r->at = at;
  return state;
}

/* Goes to entry number first, and counts what is before it as given. */
static void skip_records(km_zip_reader *r, uint64_t first) {
  zip_entry entry;
  record_state state;
  while (r->number < first && (state = next_record(r, &entry)) != RECORD_NONE) {
    if (state == RECORD_GAP)
      continue;
    r->number++;
    r->budget->n_entries++;
    if (state == RECORD_LOST)
      continue;
    r->budget->entry_bytes += entry.full;
    r->behind = absolute(r, entry.disk, entry.at) + LOCAL_BYTES + entry.n_name + entry.packed;
  }
  r->ended = r->number < first; /* who reads the entries before reads on without the directory */
}

static void open_directory(km_zip_reader *r) {
  km_zip_source *source = &r->source;
  size_t n_tail = source->n_bytes < KM_ZIP_TAIL ? source->n_bytes : KM_ZIP_TAIL;
  km_zip_find_end(&r->end, source->bytes + source->n_bytes - n_tail, n_tail, source->n_bytes);
  if (!r->end.disk) /* cut into parts by something that knew nothing of zips */
    source->part_start = NULL;
  /* Bytes before the first entry are a program's. A zip that starts at 0 and whose end says otherwise is cut,
   * and the end is that of a zip within it; or two zips stand one behind the other. */
  if (r->end.found && !r->end.disk && r->end.base && is_record(source->bytes, 3, 4))
    r->end.found = false;
  r->by_local = !r->end.found;
  if (r->by_local)
    return;
  r->at = absolute(r, r->end.directory_disk, r->end.directory_at);
  if (r->at > source->n_bytes)
    r->at = source->n_bytes;
  r->last_record = r->at;
  uint64_t n_left = source->n_bytes - r->at;
  r->end_of_records = r->at + (r->end.directory_bytes < n_left ? r->end.directory_bytes : n_left);
  skip_records(r, source->first);
}

km_zip_reader *km_zip_open(const km_zip_source *source, km_budget *budget) {
  km_zip_reader *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->source = *source;
  r->budget = budget;
  r->inflater = libdeflate_alloc_decompressor();
  if (!r->inflater) {
    free(r);
    return NULL;
  }
  open_directory(r);
  return r;
}

void km_zip_close(km_zip_reader *r) {
  if (!r)
    return;
  libdeflate_free_decompressor(r->inflater);
  km_buffer_clear(&r->buffer);
  free(r);
}

/* Inflates up to n_packed bytes at data. *used: what the stream took. A stated size that is too small is not
 * believed: the buffer grows up to what the input or the limit allows. */
static km_status inflate_entry(km_zip_reader *r, km_item *item, const zip_entry *entry, const uint8_t *data,
                               size_t *used) {
  uint64_t limit = r->budget->limits->max_entry_bytes, possible = entry->packed * DEFLATE_RATIO_MAX + 64;
  size_t most = possible < limit ? possible : limit;
  size_t want = entry->full < most && !entry->sizes_unknown ? entry->full : most < 65536 ? most : 65536;
  for (;;) {
    size_t made = 0;
    if (km_buffer_reserve(&r->buffer, want ? want : 1, 0))
      return KM_ERR_NOMEM;
    enum libdeflate_result result = libdeflate_deflate_decompress_ex(r->inflater, data, entry->packed,
                                                                     r->buffer.bytes, want, used, &made);
    if (result == LIBDEFLATE_SUCCESS) {
      item->bytes = r->buffer.bytes;
      item->n_bytes = made;
      return KM_OK;
    }
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && want < most) {
      want = want < most / 4 ? want * 4 + 64 : most;
      continue;
    }
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE && most == limit)
      km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "more than %" PRIu64 " bytes", limit);
    else
      km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "damaged deflate data");
    return KM_OK;
  }
}

/* Another method than deflate: a zip of one entry for libarchive. */
static km_status foreign_entry(km_zip_reader *r, km_item *item, const zip_entry *entry, const uint8_t *data) {
  uint8_t header[LOCAL_BYTES + 1] = {'P', 'K', 3, 4, 63};
  uint32_t numbers[3] = {entry->crc, (uint32_t)entry->packed, (uint32_t)entry->full};
  header[6] = entry->flags & 6; /* lzma: whether there is an end mark */
  header[8] = (uint8_t)entry->method;
  header[9] = (uint8_t)(entry->method >> 8);
  for (unsigned i = 0; i < 12; i++)
    header[14 + i] = (uint8_t)(numbers[i / 4] >> (i % 4 * 8));
  header[26] = 1;
  header[LOCAL_BYTES] = 'x';
  km_zip_member member = {header, data, sizeof header, entry->packed};
  return km_format_zip_member(item, &member, r->budget, &r->buffer);
}

/* A bomb is told from its own ratio, so that the entries beside it are read. */
static bool is_bomb(const km_zip_reader *r, uint64_t full, uint64_t packed) {
  return full > BOMB_FROM_BYTES && (double)full > r->budget->limits->max_ratio * (double)packed;
}

static void bomb_fault(const km_zip_reader *r, km_item *item, uint64_t full, uint64_t packed) {
  km_item_fault(item, KM_REASON_RATIO_TOO_HIGH, "%" PRIu64 " bytes in %" PRIu64 ", more than %g times", full,
                packed, r->budget->limits->max_ratio);
}

/* What the claims of an entry allow: false with a reason in item when it is not to be read. */
static bool may_read(const km_zip_reader *r, km_item *item, const zip_entry *entry) {
  uint64_t limit = r->budget->limits->max_entry_bytes;
  if ((entry->flags & FLAG_ENCRYPTED) || entry->method == METHOD_AES)
    km_item_fault(item, KM_REASON_ENCRYPTED_ENTRY, "encrypted");
  else if (entry->full > limit && !entry->sizes_unknown)
    km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "%" PRIu64 " bytes, more than %" PRIu64, entry->full,
                  limit);
  else if (!entry->sizes_unknown && is_bomb(r, entry->full, entry->packed))
    bomb_fault(r, item, entry->full, entry->packed);
  else if (!entry->full && !entry->crc && !entry->sizes_unknown)
    km_item_fault(item, KM_REASON_EMPTY_MEMBER, "no bytes");
  return !item->reason;
}

/* The entry whose data stand at data (entry->packed bytes, all there) into item. *used: bytes the data really
 * took. */
static km_status read_data(km_zip_reader *r, km_item *item, const zip_entry *entry, const uint8_t *data,
                           size_t *used) {
  km_status status = KM_OK;
  *used = entry->packed;
  if (entry->method == METHOD_DEFLATE)
    status = inflate_entry(r, item, entry, data, used);
  else if (entry->method == METHOD_STORED) {
    item->bytes = data;
    item->n_bytes = entry->packed;
    if (item->n_bytes > r->budget->limits->max_entry_bytes)
      km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "more than %" PRIu64 " bytes",
                    r->budget->limits->max_entry_bytes);
  } else if (entry->packed > UINT32_MAX) {
    km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "%" PRIu64 " packed bytes", entry->packed);
  } else {
    return foreign_entry(r, item, entry, data); /* counts and checks by itself */
  }
  if (!status && item->bytes && is_bomb(r, item->n_bytes, *used))
    bomb_fault(r, item, item->n_bytes, *used);
  if (status || item->reason) {
    item->bytes = NULL;
    return status;
  }
  km_reason limit = km_budget_add_entry(r->budget, item->n_bytes);
  if (limit) {
    item->bytes = NULL;
    item->reason = limit;
    km_budget_detail(r->budget, limit, item->detail, sizeof item->detail);
    r->ended = true;
  }
  return KM_OK;
}

/* The sum decides; a wrong size beside a right sum is only told. */
static void check_data(km_item *item, uint32_t crc, uint64_t full) {
  if (!item->bytes)
    return;
  if (libdeflate_crc32(0, item->bytes, item->n_bytes) != crc) {
    item->bytes = NULL;
    km_item_fault(item, KM_REASON_CRC_ERROR, "wrong check sum");
  } else if (item->n_bytes != full) {
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "holds %zu bytes, says %" PRIu64, item->n_bytes, full);
  }
}

static bool count_entry(km_zip_reader *r, km_item *item) {
  item->number = r->number++;
  item->reason = km_budget_count_entry(r->budget);
  if (!item->reason)
    return true;
  km_budget_detail(r->budget, item->reason, item->detail, sizeof item->detail);
  r->ended = true;
  return false;
}

/* The descriptor at p: sum and sizes, which may have 8 bytes. Its length, 0 when there is none. */
static size_t read_descriptor(zip_entry *entry, const uint8_t *p, uint64_t n_left, size_t used, size_t made) {
  size_t head = n_left >= 4 && is_record(p, 7, 8) ? 4 : 0;
  if (n_left < head + 12)
    return 0;
  bool narrow = u32(p + head + 4) == (uint32_t)used && u32(p + head + 8) == (uint32_t)made;
  if (!narrow && (n_left < head + 20 || u64(p + head + 4) != used || u64(p + head + 12) != made))
    return 0;
  entry->crc = u32(p + head);
  entry->full = made;
  return head + (narrow ? 12 : 20);
}

/* The descriptor of an entry whose data do not tell their end: it says how far it is from the start. Its
 * length, 0 when there is none. */
static size_t find_descriptor(zip_entry *entry, const uint8_t *data, uint64_t n_left) {
  bool as_is = entry->method == METHOD_STORED && !(entry->flags & FLAG_ENCRYPTED);
  for (uint64_t at = 0; at + 16 <= n_left; at++) {
    const uint8_t *p = memchr(data + at, 'P', n_left - 15 - at);
    if (!p)
      return 0;
    at = (uint64_t)(p - data);
    if (!is_record(p, 7, 8))
      continue;
    bool wide = n_left - at >= 24 && u64(p + 8) == at && (!as_is || u64(p + 16) == at);
    bool narrow = u32(p + 8) == (uint32_t)at && (!as_is || u32(p + 12) == (uint32_t)at);
    if (narrow || wide) {
      entry->crc = u32(p + 4);
      entry->packed = at;
      entry->full = wide ? u64(p + 16) : u32(p + 12);
      entry->sizes_unknown = false;
      return wide ? 24 : 16;
    }
  }
  return 0;
}

/* A deflated entry whose sizes stand behind it, by its header alone. *used: bytes of data and descriptor, 0
 * when the zip ends within them. */
static km_status read_open_ended(km_zip_reader *r, km_item *item, zip_entry *entry, const uint8_t *data,
                                 size_t *used) {
  uint64_t n_left = r->source.n_bytes - (size_t)(data - r->source.bytes);
  entry->packed = n_left;
  *used = 0;
  km_status status = may_read(r, item, entry) ? read_data(r, item, entry, data, used) : KM_OK;
  size_t n = item->bytes ? read_descriptor(entry, data + *used, n_left - *used, *used, item->n_bytes) : 0;
  if (item->reason == KM_REASON_CORRUPT_ARCHIVE && (n = find_descriptor(entry, data, n_left)) != 0)
    *used = entry->packed;
  *used = n ? *used + n : 0;
  if (*used)
    check_data(item, entry->crc, entry->full);
  return status;
}

static bool has_name(const zip_entry *local, const zip_entry *entry) {
  return local->n_name == entry->n_name && memcmp(local->name, entry->name, entry->n_name) == 0;
}

/* The local header of a record, at *at: where the record says, unless the entry of that name stands behind
 * the one before. Bytes before its data, 0 when there is none. */
static size_t find_local(const km_zip_reader *r, const zip_entry *entry, zip_entry *local, uint64_t *at) {
  const uint8_t *bytes = r->source.bytes;
  uint64_t stated = absolute(r, entry->disk, entry->at), n_all = r->source.n_bytes;
  size_t n_head = stated < n_all ? read_local(local, bytes + stated, n_all - stated) : 0, n_other;
  zip_entry other;
  *at = stated;
  if ((n_head && has_name(local, entry)) || r->behind >= n_all || r->behind == stated)
    return n_head;
  n_other = read_local(&other, bytes + r->behind, n_all - r->behind);
  if (!n_other || !has_name(&other, entry))
    return n_head;
  *at = r->behind;
  *local = other;
  return n_other;
}

/* The entry as these claims say, its data at data. */
static km_status read_claimed(km_zip_reader *r, km_item *item, const zip_entry *entry, const uint8_t *data) {
  size_t used;
  if (!may_read(r, item, entry))
    return KM_OK;
  if (entry->packed > r->source.n_bytes - (size_t)(data - r->source.bytes)) {
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE,
                  "says that it has %" PRIu64 " bytes, which the zip has not", entry->packed);
    return KM_OK;
  }
  km_status status = read_data(r, item, entry, data, &used);
  if (!status && (entry->method == METHOD_DEFLATE || entry->method == METHOD_STORED))
    check_data(item, entry->crc, entry->full);
  return status;
}

/* Whether a local header, or the descriptor behind the data, makes claims of its own. */
static bool claims_differ(const zip_entry *local, const zip_entry *entry) {
  return (local->sizes_unknown && local->method == METHOD_DEFLATE) || local->packed != entry->packed ||
         local->full != entry->full || local->crc != entry->crc || local->method != entry->method ||
         ((local->flags ^ entry->flags) & FLAG_ENCRYPTED);
}

/* The entry as its own header says. */
static km_status read_local_claims(km_zip_reader *r, km_item *item, zip_entry *local, const uint8_t *data) {
  uint64_t n_left = r->source.n_bytes - (size_t)(data - r->source.bytes);
  if (local->sizes_unknown && local->method == METHOD_DEFLATE) {
    size_t used;
    km_status status = read_open_ended(r, item, local, data, &used);
    if (!used)
      item->bytes = NULL;
    return status;
  }
  if (local->sizes_unknown)
    find_descriptor(local, data, n_left);
  else if ((local->flags & FLAG_DESCRIPTOR) && local->packed <= n_left)
    read_descriptor(local, data + local->packed, n_left - local->packed, local->packed, local->full);
  return read_claimed(r, item, local, data);
}

/* The entry of a directory record. When it is not as the record says, its own header may know better. */
static km_status recorded_entry(km_zip_reader *r, km_item *item, const zip_entry *entry) {
  zip_entry local, descriptor = *entry;
  uint64_t at, n_all = r->source.n_bytes;
  size_t n_head = find_local(r, entry, &local, &at);
  item->name = entry->name;
  item->n_name = entry->n_name;
  item->pos = at;
  if (!n_head) {
    if (may_read(r, item, entry))
      km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "no entry where the directory says");
    return KM_OK;
  }
  const uint8_t *data = r->source.bytes + at + n_head;
  km_item again = *item;
  km_status status = read_claimed(r, item, entry, data);
  if (!status && item->reason && !item->bytes && !r->ended && claims_differ(&local, entry)) {
    status = read_local_claims(r, &again, &local, data);
    if (!status && again.bytes && !again.reason) {
      *item = again;
      km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE,
                    "the directory is wrong about it; its own header is right");
    }
  }
  if (!status && item->bytes && !item->reason && at != absolute(r, entry->disk, entry->at))
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE,
                  "not where the directory says, but behind the entry before");
  uint64_t n_left = n_all - at - n_head, n_packed = local.sizes_unknown ? entry->packed : local.packed;
  if (n_packed > n_left)
    return status;
  r->n_packed += n_head + n_packed;
  r->behind = at + n_head + n_packed;
  if (local.flags & FLAG_DESCRIPTOR)
    r->behind += read_descriptor(&descriptor, data + n_packed, n_left - n_packed, n_packed, entry->full);
  return status;
}

/* Behind the directory: bytes that belong to nothing. */
static km_status end_of_directory(km_zip_reader *r, km_item *item) {
  uint64_t n_trailing = r->source.n_bytes - r->end.end_at;
  const uint8_t *behind = r->source.bytes + r->end.end_at;
  r->ended = true;
  while (n_trailing && *behind == 0) {
    behind++;
    n_trailing--;
  }
  if (!n_trailing)
    return KM_END;
  item->number = r->number;
  item->pos = r->source.n_bytes - n_trailing;
  km_item_fault(item, KM_REASON_TRAILING_BYTES, "%" PRIu64 " bytes", n_trailing);
  return KM_OK;
}

/* Whether records are missing at the end of the directory: entries that it does not lead to are looked for.
 */
static bool lacks_records(const km_zip_reader *r) {
  uint64_t stated = r->end.n_entries, last = r->source.last;
  if (last)
    return r->number < last;
  return r->end.is_64 ? r->number < stated : (uint16_t)r->number != stated && r->number < stated;
}

static km_status next_recorded(km_zip_reader *r, km_item *item) {
  for (;;) {
    zip_entry entry;
    *item = (km_item){.name = ""};
    if (r->ended || (r->source.last && r->number >= r->source.last))
      return KM_END;
    uint64_t at = r->at;
    record_state state = next_record(r, &entry);
    if (state == RECORD_NONE && lacks_records(r)) {
      r->by_local = true;
      r->until = absolute(r, r->end.directory_disk, r->end.directory_at);
      r->at = r->behind;
      return KM_SKIP;
    }
    if (state == RECORD_NONE)
      return end_of_directory(r, item);
    if (state == RECORD_GAP)
      item->number = r->number;
    else if (!count_entry(r, item))
      return KM_OK;
    bool is_file = (state == RECORD_GOOD || state == RECORD_MENDED) && is_wanted(&entry);
    if (!is_file && state == RECORD_GOOD)
      continue;
    if (!is_file) {
      item->pos = at;
      km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "the directory is damaged here");
      return KM_OK;
    }
    km_status status = recorded_entry(r, item, &entry);
    if (!status && state == RECORD_MENDED && !item->reason)
      km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "the directory is damaged at byte %" PRIu64, at);
    return status;
  }
}

static void cut_here(km_zip_reader *r, km_item *item) {
  r->ended = true;
  item->bytes = NULL;
  km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "the zip ends within an entry, its directory is missing");
}

/* The entry of a local header with n_head bytes; r->at goes behind it. */
static km_status local_entry(km_zip_reader *r, km_item *item, zip_entry *entry, size_t n_head) {
  const uint8_t *data = r->source.bytes + r->at + n_head;
  uint64_t n_left = r->source.n_bytes - r->at - n_head;
  size_t used = 0;
  item->name = entry->name;
  item->n_name = entry->n_name;
  item->pos = r->at;
  size_t n_descriptor = 0;
  km_status status = KM_OK;
  bool is_open = entry->sizes_unknown && entry->method == METHOD_DEFLATE && !(entry->flags & FLAG_ENCRYPTED);
  if (is_open) {
    status = read_open_ended(r, item, entry, data, &used);
    item->skip = !is_wanted(entry);
  } else if (entry->sizes_unknown) {
    n_descriptor = find_descriptor(entry, data, n_left);
  } else if ((entry->flags & FLAG_DESCRIPTOR) &&
             entry->packed <= n_left) { /* sizes in both places, the sum behind */
    n_descriptor =
        read_descriptor(entry, data + entry->packed, n_left - entry->packed, entry->packed, entry->full);
  }
  if (is_open ? !used : entry->sizes_unknown || entry->packed > n_left) {
    cut_here(r, item);
    return status;
  }
  if (!is_open) {
    used = entry->packed + n_descriptor;
    item->skip = !is_wanted(entry);
    status = item->skip ? KM_OK : read_claimed(r, item, entry, data);
  }
  r->at += n_head + used;
  return status;
}

/* Steps over a record that is no entry: directory, ends, a stray descriptor. Its length, 0 when there is
 * none. */
static size_t other_record(km_zip_reader *r, const uint8_t *p, uint64_t n_left) {
  zip_entry entry;
  size_t n = read_record(&entry, p, n_left);
  if (n) {
    r->saw_end = false;
    return n;
  }
  if (n_left >= 12 && is_record(p, 6, 6))
    n = u64(p + 4) < n_left - 12 ? 12 + u64(p + 4) : 0;
  else if (n_left >= LOCATOR_BYTES && is_record(p, 6, 7))
    n = LOCATOR_BYTES;
  else if (n_left >= END_BYTES && is_record(p, 5, 6))
    n = u16(p + 20) <= n_left - END_BYTES ? END_BYTES + (size_t)u16(p + 20) : 0;
  else if (n_left >= 16 && is_record(p, 7, 8))
    n = 16;
  if (n)
    r->saw_end = is_record(p, 5, 6);
  return n;
}

/* Nothing that is known stands here. */
static km_status end_of_locals(km_zip_reader *r, km_item *item) {
  uint64_t n_left = r->source.n_bytes - r->at;
  const uint8_t *p = r->source.bytes + r->at;
  r->ended = true;
  item->number = r->number;
  item->pos = r->at;
  while (n_left && *p == 0) {
    p++;
    n_left--;
  }
  if (r->saw_end && !n_left)
    return KM_END;
  if (r->saw_end)
    km_item_fault(item, KM_REASON_TRAILING_BYTES, "%" PRIu64 " bytes", n_left);
  else if (n_left < RECORD_BYTES || is_record(p, 3, 4) || is_record(p, 1, 2) || is_record(p, 5, 6))
    km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "the zip's directory is missing or cut");
  else
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "no entry at byte %" PRIu64 ", and no directory", r->at);
  return KM_OK;
}

static km_status next_local(km_zip_reader *r, km_item *item) {
  for (;;) {
    zip_entry entry;
    *item = (km_item){.name = ""};
    if (r->ended)
      return KM_END;
    if (r->until && r->at >= r->until)
      return end_of_directory(r, item);
    const uint8_t *p = r->source.bytes + r->at;
    uint64_t n_left = r->source.n_bytes - r->at;
    if (r->at == 0 && n_left >= 4 && (memcmp(p, "PK00", 4) == 0 || is_record(p, 7, 8))) {
      r->at = 4; /* mark of a split zip */
      continue;
    }
    size_t n_head = read_local(&entry, p, n_left);
    if (!n_head) {
      size_t n = other_record(r, p, n_left);
      if (!n)
        return end_of_locals(r, item);
      r->at += n;
      continue;
    }
    r->saw_end = false;
    if (!count_entry(r, item))
      return KM_OK;
    km_status status = local_entry(r, item, &entry, n_head);
    if (status || !item->skip || r->ended)
      return status;
  }
}

/* A part that is missing is told; what stands in the others is read as far as it goes. */
static bool lacks_parts(km_zip_reader *r, km_item *item) {
  unsigned n_parts = r->source.part_start ? r->source.n_parts : 1;
  if (r->by_local || r->ended || r->end.disk + 1 == n_parts)
    return false;
  *item = (km_item){.name = ""};
  km_item_fault(item, KM_REASON_MISSING_VOLUME, "%u of %u parts", n_parts, r->end.disk + 1);
  r->by_local = true;
  r->at = 0;
  const uint8_t *p = r->source.bytes;
  r->ended = !is_record(p, 3, 4) && !is_record(p, 7, 8);
  return true;
}

/* What stands before a zip is a program that unpacks it, or else something that is not read, which is told
 * once. */
static bool stands_behind(km_zip_reader *r, km_item *item) {
  const uint8_t *p = r->source.bytes;
  bool is_program = memcmp(p, "MZ", 2) == 0 || memcmp(p, "\177ELF", 4) == 0 || memcmp(p, "#!", 2) == 0;
  if (r->number || r->ended || r->by_local || r->source.first || r->end.disk || !r->end.base || is_program)
    return false;
  *item = (km_item){.name = ""};
  km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "%" PRIu64 " bytes before the zip are not read",
                r->end.base);
  return true;
}

km_status km_zip_next(km_zip_reader *r, km_item *item) {
  if (lacks_parts(r, item))
    return KM_OK;
  if (!r->told_before && stands_behind(r, item)) {
    r->told_before = true;
    return KM_OK;
  }
  if (!r->by_local) {
    km_status status = next_recorded(r, item);
    if (status != KM_SKIP)
      return status;
  }
  return next_local(r, item);
}

uint64_t km_zip_taken(const km_zip_reader *r) {
  return r->by_local && r->at > r->n_packed ? r->at : r->n_packed;
}
