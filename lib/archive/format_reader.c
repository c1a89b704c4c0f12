/* format_reader.c: libarchive behind a small face: tar, 7z, rar, iso, cpio, ar, xar, cab, lha, warc.
 *
 * Only the format that the signature names is enabled: libarchive's own guessing takes texts for mtree, and
 * what is not enabled cannot fail. Filters are peeled before (byte_stream.h).
 *
 * Tricks. Names: libarchive converts by the locale and gives NULL where it cannot; every call here runs under
 * a thread-local C.UTF-8. Plain entries of tars are read without libarchive (plain_tar.h), which takes over at the first
 * one that is not: it is given a made-up header first, so that what comes next is to it the middle of a tar. Solid
 * archives: skipping an entry breaks the next one in 7z (libarchive 3.6), so
 * what is not wanted is read to its end. Entries in one piece are handed on where they stand, without a copy.
 */
#include "format_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "entry_name.h"
#include "plain_tar.h"
#include "rar_sum.h"
#include "sevenz_rest.h"

enum { CPIO_END_MAX = 128 /* the mark of the end, and padding before it, take less */, FAILED_IN_A_ROW_MAX = 1000, TAR_BLOCK = KM_TAR_BLOCK, PIECES = 4 };

/* Bytes that come before what the stream gives. */
typedef struct piece {
  const uint8_t *bytes;
  size_t n_bytes;
} piece;

/* A stream as libarchive's client. A stream in memory can be sought in. */
typedef struct client {
  km_stream *stream;
  uint64_t at; /* in memory: position of the next read */
  piece pieces[PIECES];
  unsigned next_piece;
  bool nomem;
  bool ends_in_zeros; /* the last TAR_BLOCK bytes that were handed out */
} client;

struct km_format_reader {
  struct archive *archive;
  client client;
  km_magic magic;
  km_budget *budget;
  km_buffer buffer, name;
  locale_t locale;
  uint64_t number; /* of the next entry */
  struct archive_entry *held; /* read, but a finding comes before it */
  km_sevenz_rest *rest;       /* of a 7z that libarchive has given up */
  unsigned n_failed;
  bool opened, ended, at_end;
  bool in_data; /* of the entry that libarchive gave last, which was not skipped */
  bool is_plain; /* a tar, and libarchive was not needed yet */
  km_plain_tar tar;
  uint64_t base; /* position in the stream of the first byte that libarchive got */
  uint8_t opening[KM_TAR_BLOCK];
};

void km_item_fault(km_item *item, km_reason reason, const char *format, ...) {
  item->reason = reason;
  va_list args;
  va_start(args, format);
  vsnprintf(item->detail, sizeof item->detail, format, args);
  va_end(args);
}

static bool ends_in_zeros(const uint8_t *bytes, size_t n) {
  static const uint8_t zeros[TAR_BLOCK];
  return n >= TAR_BLOCK && memcmp(bytes + n - TAR_BLOCK, zeros, TAR_BLOCK) == 0;
}

static la_ssize_t client_read(struct archive *a, void *data, const void **block) {
  client *c = data;
  km_stream *s = c->stream;
  while (c->next_piece < PIECES) {
    const piece *p = &c->pieces[c->next_piece++];
    *block = p->bytes;
    if (p->n_bytes)
      return (la_ssize_t)p->n_bytes;
  }
  if (s->in_memory) {
    size_t n = s->handed - c->at;
    *block = s->block + c->at;
    c->at = s->handed;
    return (la_ssize_t)n;
  }
  if (s->n_block)
    c->ends_in_zeros = ends_in_zeros(s->block, s->n_block);
  if (km_stream_next(s)) {
    c->nomem = true;
    archive_set_error(a, ENOMEM, "out of memory");
    return ARCHIVE_FATAL;
  }
  *block = s->block;
  return (la_ssize_t)s->n_block;
}

static la_int64_t client_skip(struct archive *a, void *data, la_int64_t n) {
  (void)a;
  client *c = data;
  if (!c->stream->in_memory)
    return 0;
  uint64_t left = c->stream->handed - c->at;
  uint64_t skipped = n < 0 ? 0 : (uint64_t)n < left ? (uint64_t)n : left;
  c->at += skipped;
  return (la_int64_t)skipped;
}

static la_int64_t client_seek(struct archive *a, void *data, la_int64_t offset, int whence) {
  (void)a;
  client *c = data;
  int64_t size = (int64_t)c->stream->handed;
  int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)c->at : size;
  int64_t to = from + offset;
  c->at = (uint64_t)(to < 0 ? 0 : to > size ? size : to);
  return (la_int64_t)c->at;
}

static struct archive *archive_over(client *c) {
  struct archive *a = archive_read_new();
  c->next_piece = PIECES;
  if (!a)
    return NULL;
  archive_read_set_callback_data(a, c);
  archive_read_set_read_callback(a, client_read);
  archive_read_set_skip_callback(a, client_skip);
  if (c->stream->in_memory)
    archive_read_set_seek_callback(a, client_seek);
  return a;
}

static void enable_format(struct archive *a, km_magic magic) {
  switch (magic) {
  case KM_MAGIC_TAR:
    archive_read_support_format_tar(a);
    break;
  case KM_MAGIC_CPIO:
    archive_read_support_format_cpio(a);
    break;
  case KM_MAGIC_AR:
    archive_read_support_format_ar(a);
    break;
  case KM_MAGIC_WARC:
    archive_read_support_format_warc(a);
    break;
  case KM_MAGIC_7Z:
    archive_read_support_format_7zip(a);
    break;
  case KM_MAGIC_RAR:
    archive_read_support_format_rar(a);
    break;
  case KM_MAGIC_RAR5:
    archive_read_support_format_rar5(a);
    break;
  case KM_MAGIC_ISO:
    archive_read_support_format_iso9660(a);
    break;
  case KM_MAGIC_CAB:
    archive_read_support_format_cab(a);
    break;
  case KM_MAGIC_LHA:
    archive_read_support_format_lha(a);
    break;
  case KM_MAGIC_XAR:
    archive_read_support_format_xar(a);
    break;
  default: /* an executable: the self-extracting kinds */
    archive_read_support_format_7zip(a);
    archive_read_support_format_rar(a);
    archive_read_support_format_rar5(a);
    archive_read_support_format_cab(a);
    archive_read_support_format_lha(a);
    break;
  }
}

km_format_reader *km_format_open(km_magic magic, km_stream *stream, km_budget *budget) {
  km_format_reader *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->client.stream = stream;
  if (stream->in_memory)
    stream->held = false; /* read by position, not by pulling */
  r->magic = magic;
  r->budget = budget;
  r->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  r->archive = archive_over(&r->client);
  if (!r->archive) {
    km_format_close(r);
    return NULL;
  }
  enable_format(r->archive, magic);
  r->is_plain = magic == KM_MAGIC_TAR;
  if (r->is_plain)
    km_plain_tar_begin(&r->tar, stream);
  return r;
}

void km_format_close(km_format_reader *r) {
  if (!r)
    return;
  archive_read_free(r->archive);
  km_sevenz_rest_close(r->rest);
  if (r->locale)
    freelocale(r->locale);
  km_buffer_clear(&r->buffer);
  km_buffer_clear(&r->name);
  km_plain_tar_clear(&r->tar);
  free(r);
}

/* libarchive has few codes and says the rest in words. */
static km_reason reason_of_message(const char *message) {
  static const struct {
    const char *word;
    km_reason reason;
  } words[] = {
      {"ncrypt", KM_REASON_ENCRYPTED_ENTRY},
      {"assphrase", KM_REASON_ENCRYPTED_ENTRY},
      {"runcated", KM_REASON_TRUNCATED_ARCHIVE},
      {"end of file", KM_REASON_TRUNCATED_ARCHIVE},
      {"remature", KM_REASON_TRUNCATED_ARCHIVE},
      {"CRC", KM_REASON_CRC_ERROR},
      {"crc", KM_REASON_CRC_ERROR},
      {"hecksum", KM_REASON_CRC_ERROR},
      {"unsupported", KM_REASON_UNSUPPORTED_ARCHIVE},
      {"nsupported", KM_REASON_UNSUPPORTED_ARCHIVE},
      {"not supported", KM_REASON_UNSUPPORTED_ARCHIVE},
      {"codec ID", KM_REASON_UNSUPPORTED_ARCHIVE}, /* unknown, or unexpected */
  };
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strstr(message, words[i].word))
      return words[i].reason;
  return KM_REASON_CORRUPT_ARCHIVE;
}

/* The fault of the last call: the stream below knows best, else libarchive's words. */
static void take_error(km_format_reader *r, km_item *item) {
  km_stream *s = r->client.stream;
  if (s->fault) {
    km_item_fault(item, s->fault, "%s", s->detail);
    return;
  }
  const char *message = archive_error_string(r->archive);
  if (!message)
    message = "damaged";
  km_item_fault(item, reason_of_message(message), "%s", message);
}

/* libarchive reads a tar from byte `at` on, which the client is ready to give. */
static km_status start_within(km_format_reader *r, uint64_t at) {
  struct archive_entry *entry;
  r->opened = true;
  r->base = at - KM_TAR_BLOCK;
  km_plain_tar_opening(r->opening);
  r->client.pieces[0] = (piece){r->opening, KM_TAR_BLOCK};
  r->client.next_piece = 0;
  if (archive_read_open1(r->archive) < ARCHIVE_WARN || archive_read_next_header(r->archive, &entry) < ARCHIVE_WARN)
    r->ended = true;
  return r->client.nomem || r->ended ? KM_ERR_NOMEM : KM_OK; /* nothing else can be wrong with the made-up header */
}

static km_status restart(km_format_reader *r, uint64_t at) {
  const km_stream *s = r->client.stream;
  archive_read_free(r->archive);
  r->archive = archive_over(&r->client);
  if (!r->archive)
    return KM_ERR_NOMEM;
  enable_format(r->archive, r->magic);
  memset(r->client.pieces, 0, sizeof r->client.pieces);
  if (s->in_memory)
    r->client.at = at;
  else
    r->client.pieces[1] = (piece){s->block + s->n_block - (s->handed - at), s->handed - at};
  return start_within(r, at);
}

/* The item's name is libarchive's, which goes with it. */
static km_status keep_name(km_format_reader *r, km_item *item) {
  if (!item->n_name || item->name == (const char *)r->name.bytes)
    return KM_OK;
  if (km_buffer_reserve(&r->name, item->n_name + 1, 0))
    return KM_ERR_NOMEM;
  memcpy(r->name.bytes, item->name, item->n_name + 1);
  item->name = (const char *)r->name.bytes;
  return KM_OK;
}

/* libarchive gives a tar up when a header that is whole lies (about a size, or about a length beyond the end). Goes on
 * with the next header behind that of the item that its sum proves, as far as there are bytes at hand: all of a tar in
 * memory, a block of others. */
static void give_up(km_format_reader *r, km_item *item) {
  const km_stream *s = r->client.stream;
  uint64_t start = s->handed - s->n_block, at = item->pos;
  r->ended = true;
  if (r->magic != KM_MAGIC_TAR || s->fault || r->client.nomem || at % TAR_BLOCK)
    return;
  at = (at > start ? at : (start + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK) + (at >= start ? TAR_BLOCK : 0);
  while (at + TAR_BLOCK <= s->handed && km_magic_detect(s->block + (at - start), TAR_BLOCK) != KM_MAGIC_TAR)
    at += TAR_BLOCK;
  if (at + TAR_BLOCK > s->handed)
    return;
  r->ended = false;
  r->client.nomem |= keep_name(r, item) != KM_OK || restart(r, at) != KM_OK;
}

/* A fault that ends the archive, beside the reason why an entry was not wanted. */
static void take_end(km_format_reader *r, km_item *item) {
  const char *message = archive_error_string(r->archive);
  size_t n = strlen(item->detail);
  if (!item->reason)
    take_error(r, item);
  else
    snprintf(item->detail + n, sizeof item->detail - n, "; the archive ends within it (%.80s)",
             r->client.stream->fault ? r->client.stream->detail : message ? message : "damaged");
  give_up(r, item);
}

/* The entry's name as bytes: as stored, else as UTF-8, else from wide characters; never lost. */
static km_status entry_name(km_format_reader *r, struct archive_entry *entry, km_item *item) {
  const char *name = archive_entry_pathname(entry);
  if (!name)
    name = archive_entry_pathname_utf8(entry);
  if (!name) {
    const wchar_t *wide = archive_entry_pathname_w(entry);
    size_t n = wide ? wcslen(wide) : 0;
    if (km_buffer_reserve(&r->name, 4 * n + 32, 0))
      return KM_ERR_NOMEM;
    char *out = (char *)r->name.bytes;
    name = out;
    for (size_t i = 0; i < n; i++)
      out += sprintf(out, wide[i] < 0x80 ? "%c" : "\\u%04X", (unsigned)wide[i] & 0x1fffff);
    if (!n)
      sprintf(out, "entry %" PRIu64, item->number);
  }
  item->name = name;
  item->n_name = strlen(name);
  return KM_OK;
}

static bool is_solid_kind(km_magic magic) {
  return magic == KM_MAGIC_7Z || magic == KM_MAGIC_RAR || magic == KM_MAGIC_RAR5 || magic == KM_MAGIC_CAB ||
         magic == KM_MAGIC_PROGRAM;
}

/* Reads the entry to its end, or skips it where that is safe. Faults are only told when the archive ends of
 * them. */
static void drain(km_format_reader *r, km_item *item) {
  if (!is_solid_kind(r->magic)) {
    r->in_data = false;
    if (archive_read_data_skip(r->archive) == ARCHIVE_FATAL)
      take_end(r, item);
    return;
  }
  for (;;) {
    const void *block;
    size_t n;
    la_int64_t offset;
    int status = archive_read_data_block(r->archive, &block, &n, &offset);
    if (status == ARCHIVE_EOF || (status < ARCHIVE_WARN && status != ARCHIVE_FATAL))
      return;
    if (status == ARCHIVE_FATAL) {
      take_end(r, item);
      return;
    }
    km_reason limit = km_budget_add_entry(r->budget, n);
    if (limit) {
      item->reason = limit;
      km_budget_detail(r->budget, limit, item->detail, sizeof item->detail);
      r->ended = true;
      return;
    }
  }
}

/* One block of an entry into the buffer at offset; holes of sparse files are zeros. */
static km_status place(km_buffer *buffer, size_t *n_used, const void *block, size_t n, uint64_t offset) {
  size_t end = offset + n;
  if (km_buffer_reserve(buffer, end, *n_used))
    return KM_ERR_NOMEM;
  if (offset > *n_used)
    memset(buffer->bytes + *n_used, 0, offset - *n_used);
  if (n)
    memcpy(buffer->bytes + offset, block, n);
  if (end > *n_used)
    *n_used = end;
  return KM_OK;
}

typedef struct entry_data {
  struct archive *archive;
  km_budget *budget;
  km_buffer *buffer;
  bool may_borrow;   /* a tar: a block that is all of the entry is handed on where it stands */
  uint64_t declared; /* UINT64_MAX: not said */
  int status;        /* libarchive's, of the call that ended it */
} entry_data;

/* Reads the entry that the archive stands at into item. A limit becomes the item's reason; libarchive's own
 * faults are left in data->status. */
static km_status read_entry(entry_data *data, km_item *item) {
  uint64_t max = data->budget->limits->max_entry_bytes;
  size_t n_used = 0;
  bool warned = false;
  for (;;) {
    const void *block = NULL;
    size_t n = 0;
    la_int64_t offset = 0;
    int status = archive_read_data_block(data->archive, &block, &n, &offset);
    data->status = warned && status == ARCHIVE_EOF ? ARCHIVE_WARN : status;
    if (status < ARCHIVE_WARN)
      return KM_OK;
    warned |= status == ARCHIVE_WARN;
    if (!data->may_borrow) /* only tars have holes; xar counts on from entry to entry */
      offset = (la_int64_t)n_used;
    if (offset < 0 || (uint64_t)offset > max || n > max - (uint64_t)offset) {
      km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "more than %" PRIu64 " bytes", max);
      return KM_OK;
    }
    km_reason limit = km_budget_add_entry(data->budget, n);
    if (limit) {
      item->reason = limit;
      km_budget_detail(data->budget, limit, item->detail, sizeof item->detail);
      return KM_OK;
    }
    if (data->may_borrow && status == ARCHIVE_OK && n_used == 0 && offset == 0 && n == data->declared) {
      item->bytes = block;
      item->n_bytes = n;
      return KM_OK;
    }
    if (place(data->buffer, &n_used, block, n, (uint64_t)offset))
      return KM_ERR_NOMEM;
    if (status == ARCHIVE_EOF || (status == ARCHIVE_WARN && n == 0))
      break;
  }
  item->bytes = n_used ? data->buffer->bytes : NULL;
  item->n_bytes = n_used;
  return KM_OK;
}

/* libarchive 3.6 compares no sums of RAR entries, and ends cut ones of RAR 5 as if they were whole. */
static bool has_wrong_sum(const km_format_reader *r, const km_item *item) {
  const km_stream *s = r->client.stream;
  const km_rar_place place = {s->block, s->handed, item->pos, item->n_bytes};
  uint32_t sum;
  if (r->magic == KM_MAGIC_RAR ? !km_rar4_sum(&sum, &place)
                               : r->magic != KM_MAGIC_RAR5 || !km_rar5_sum(&sum, &place))
    return false;
  return sum != libdeflate_crc32(0, item->bytes, item->n_bytes);
}

/* The files of a 7z from the one on that libarchive gave up at, whose fault the item tells, unless it is read now. */
static km_status read_on(km_format_reader *r, km_item *item) {
  const km_stream *s = r->client.stream;
  km_item first;
  if (r->magic != KM_MAGIC_7Z || !r->ended || item->reason == KM_REASON_ENCRYPTED_ENTRY)
    return KM_OK;
  km_status status = km_sevenz_rest_open(&r->rest, s->block, s->handed, item->number);
  if (status == KM_OK)
    status = km_sevenz_rest_next(r->rest, &first, r->budget->limits);
  if (status == KM_OK && first.bytes)
    *item = first;
  return status == KM_ERR_NOMEM ? status : KM_OK;
}

/* The bytes of a regular entry, or why there are none. */
static km_status take_entry(km_format_reader *r, struct archive_entry *entry, km_item *item) {
  uint64_t declared = archive_entry_size_is_set(entry) ? (uint64_t)archive_entry_size(entry) : UINT64_MAX;
  uint64_t max = r->budget->limits->max_entry_bytes;
  if (archive_entry_is_encrypted(entry)) {
    km_item_fault(item, KM_REASON_ENCRYPTED_ENTRY, "encrypted");
    if (!is_solid_kind(r->magic))
      drain(r, item);
    return KM_OK;
  }
  if (declared != UINT64_MAX && declared > max) {
    km_item_fault(item, KM_REASON_ENTRY_TOO_LARGE, "%" PRIu64 " bytes, more than %" PRIu64, declared, max);
    drain(r, item);
    return KM_OK;
  }
  entry_data data = {r->archive, r->budget, &r->buffer, r->magic == KM_MAGIC_TAR, declared, ARCHIVE_OK};
  km_status status = read_entry(&data, item);
  if (status || r->client.nomem)
    return KM_ERR_NOMEM;
  if (item->reason == KM_REASON_ENTRY_TOO_LARGE) {
    drain(r, item);
  } else if (item->reason) {
    r->ended = true;
  } else if (data.status < ARCHIVE_OK) { /* a wrong sum is a warning to libarchive: not used here */
    item->bytes = NULL;
    take_error(r, item);
    if (data.status == ARCHIVE_FATAL) {
      give_up(r, item);
      return read_on(r, item);
    }
  } else if (!item->bytes) {
    km_item_fault(item, KM_REASON_EMPTY_MEMBER, "no bytes");
  } else if (declared != UINT64_MAX && item->n_bytes < declared) {
    km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "%zu of %" PRIu64 " bytes", item->n_bytes, declared);
    item->bytes = NULL;
  } else if (has_wrong_sum(r, item)) {
    item->bytes = NULL;
    km_item_fault(item, KM_REASON_CRC_ERROR, "wrong check sum");
  }
  return KM_OK;
}

/* A finding about a header, which was looked for from byte `before` on: libarchive does not say where it is when it
 * goes no further. */
static void header_fault(km_format_reader *r, km_item *item, uint64_t before) {
  la_int64_t at = archive_read_header_position(r->archive);
  if (r->magic == KM_MAGIC_TAR)
    before = (before + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
  item->number = r->number;
  item->pos = r->base + (at >= 0 ? (uint64_t)at : before);
  take_error(r, item);
}

/* libarchive looks for the next header of a cpio where one is damaged, and says so by the way. */
static bool skipped_bytes(const km_format_reader *r) {
  const char *message = archive_error_string(r->archive);
  return r->magic == KM_MAGIC_CPIO && message && strncmp(message, "Skipped ", 8) == 0;
}

/* libarchive is content with any end of these. */
static km_status check_end(km_format_reader *r, km_item *item, uint64_t before) {
  const km_stream *s = r->client.stream;
  item->number = r->number;
  if (r->magic == KM_MAGIC_CPIO && (uint64_t)archive_filter_bytes(r->archive, 0) - before >= CPIO_END_MAX) {
    item->pos = before;
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "no header before the end of the archive");
  } else if ((r->magic == KM_MAGIC_RAR && !km_rar4_ends(&item->pos, s->block, s->handed)) ||
             (r->magic == KM_MAGIC_RAR5 && !km_rar5_ends(&item->pos, s->block, s->handed))) {
    km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "no whole block of the RAR here, and no mark of its end");
  } else if (r->magic == KM_MAGIC_LHA && s->block[s->handed - 1]) {
    item->pos = s->handed;
    km_item_fault(item, KM_REASON_TRUNCATED_ARCHIVE, "the archive lacks its end mark: it may be cut");
  }
  return item->reason ? KM_OK : KM_END;
}

/* libarchive's next header. The entry before is left first, so that *before is where the header must be. */
static int read_header(km_format_reader *r, struct archive_entry **entry, uint64_t *before) {
  int status = r->in_data && r->magic == KM_MAGIC_TAR ? archive_read_data_skip(r->archive) : ARCHIVE_OK;
  *before = (uint64_t)archive_filter_bytes(r->archive, 0);
  if (status != ARCHIVE_FATAL)
    status = archive_read_next_header(r->archive, entry);
  r->in_data = status == ARCHIVE_OK || status == ARCHIVE_WARN;
  return status;
}

static km_status next_header(km_format_reader *r, struct archive_entry **entry, km_item *item) {
  if (r->held) {
    *entry = r->held;
    r->held = NULL;
    return KM_OK;
  }
  for (;;) {
    if (!r->opened) {
      r->opened = true;
      if (archive_read_open1(r->archive) < ARCHIVE_WARN)
        r->ended = true;
    }
    uint64_t before = 0;
    int status = r->ended ? ARCHIVE_FATAL : read_header(r, entry, &before);
    if (r->client.nomem)
      return KM_ERR_NOMEM;
    if (status == ARCHIVE_EOF) {
      r->ended = r->at_end = true;
      return check_end(r, item, before);
    }
    if (status >= ARCHIVE_WARN && status != ARCHIVE_RETRY) {
      r->n_failed = 0;
      if (skipped_bytes(r)) {
        r->held = *entry;
        *entry = NULL;
        header_fault(r, item, before);
      }
      return KM_OK;
    }
    /* A damaged header. RETRY and FAILED: the next call looks further, and finds the entries behind it. */
    if (status == ARCHIVE_FATAL || ++r->n_failed > FAILED_IN_A_ROW_MAX)
      r->ended = true;
    if (r->ended || r->n_failed == 1) {
      *entry = NULL; /* libarchive sets it also when it fails */
      bool is_fatal = status == ARCHIVE_FATAL && r->opened;
      header_fault(r, item, before);
      if (is_fatal)
        give_up(r, item);
      return r->client.nomem ? KM_ERR_NOMEM : KM_OK;
    }
  }
}

/* Some writers leave the type out; a folder shows by its name then. Headers of cpio and ar have no sum: what has bytes
 * is a file there, whatever its type says. */
static bool is_regular(const km_format_reader *r, struct archive_entry *entry, const km_item *item) {
  if (archive_entry_hardlink(entry) || archive_entry_symlink(entry))
    return false;
  if ((r->magic == KM_MAGIC_CPIO || r->magic == KM_MAGIC_AR) && archive_entry_size(entry) > 0)
    return true;
  if (archive_entry_filetype(entry) == 0)
    return item->n_name && item->name[item->n_name - 1] != '/';
  return archive_entry_filetype(entry) == AE_IFREG;
}

/* A limit of the whole input: the item tells it, and nothing more is read. */
static bool meets_limit(km_format_reader *r, km_item *item, km_reason limit) {
  if (!limit)
    return false;
  item->reason = limit;
  km_budget_detail(r->budget, limit, item->detail, sizeof item->detail);
  r->ended = true;
  return true;
}

/* libarchive goes on where the plain reading of a tar left. */
static km_status leave_plain(km_format_reader *r) {
  km_plain_tar *tar = &r->tar;
  client *c = &r->client;
  r->is_plain = false;
  if (c->stream->in_memory) {
    c->at = tar->position;
  } else {
    c->pieces[1] = (piece){tar->header, tar->n_header};
    c->pieces[2] = (piece){tar->data.bytes, tar->n_data};
    c->pieces[3] = (piece){tar->at, tar->n_left};
    c->ends_in_zeros = tar->ends_in_zeros;
  }
  return start_within(r, tar->position);
}

/* KM_SKIP when libarchive is to go on. */
static km_status next_plain(km_format_reader *r, km_item *item) {
  km_plain_entry entry;
  for (;;) {
    *item = (km_item){.name = ""};
    if (r->ended)
      return KM_END;
    km_status status = km_plain_tar_next(&r->tar, r->budget->limits->max_entry_bytes, &entry);
    if (status == KM_SKIP && (status = leave_plain(r)) == KM_OK)
      return KM_SKIP;
    if (status)
      return status;
    item->number = r->number++;
    item->pos = entry.pos;
    if (meets_limit(r, item, km_budget_count_entry(r->budget)))
      return KM_OK;
    item->name = entry.name;
    item->n_name = entry.n_name;
    if (entry.is_folder || km_name_is_litter(entry.name, entry.n_name))
      continue;
    if (!entry.n_bytes) {
      km_item_fault(item, KM_REASON_EMPTY_MEMBER, "no bytes");
    } else if (!meets_limit(r, item, km_budget_add_entry(r->budget, entry.n_bytes))) {
      item->bytes = entry.bytes;
      item->n_bytes = entry.n_bytes;
    }
    return KM_OK;
  }
}

static km_status next_of_rest(km_format_reader *r, km_item *item) {
  for (;;) {
    km_status status = km_sevenz_rest_next(r->rest, item, r->budget->limits);
    if (status)
      return status;
    r->number = item->number + 1;
    km_reason limit = km_budget_count_entry(r->budget);
    if (km_name_is_litter(item->name, item->n_name))
      continue;
    if (!limit && item->bytes)
      limit = km_budget_add_entry(r->budget, item->n_bytes);
    if (meets_limit(r, item, limit)) {
      item->bytes = NULL;
      item->n_name = 0;
      km_sevenz_rest_close(r->rest);
      r->rest = NULL;
    }
    return KM_OK;
  }
}

static km_status next_item(km_format_reader *r, km_item *item) {
  for (;;) {
    struct archive_entry *entry = NULL;
    *item = (km_item){.name = ""};
    if (r->ended)
      return KM_END;
    km_status status = next_header(r, &entry, item);
    if (status || !entry)
      return status;
    item->number = r->number++;
    item->pos = r->base + (uint64_t)archive_read_header_position(r->archive);
    if (meets_limit(r, item, km_budget_count_entry(r->budget)))
      return KM_OK;
    if (entry_name(r, entry, item))
      return KM_ERR_NOMEM;
    if (is_regular(r, entry, item) && !km_name_is_litter(item->name, item->n_name))
      return take_entry(r, entry, item);
    drain(r, item);
    if (item->reason)
      return KM_OK;
  }
}

km_status km_format_next(km_format_reader *r, km_item *item) {
  if (r->rest)
    return next_of_rest(r, item);
  if (r->is_plain) {
    km_status status = next_plain(r, item);
    if (status != KM_SKIP)
      return status;
  }
  locale_t old = r->locale ? uselocale(r->locale) : (locale_t)0;
  km_status status = next_item(r, item);
  if (r->locale)
    uselocale(old);
  return status;
}

uint64_t km_format_position(const km_format_reader *r) {
  return r->is_plain ? r->tar.position : r->base + (uint64_t)archive_filter_bytes(r->archive, 0);
}

uint64_t km_format_count(const km_format_reader *r) {
  return r->number;
}

bool km_format_at_end(const km_format_reader *r) {
  return r->at_end;
}

bool km_format_lacks_end(const km_format_reader *r) {
  const km_stream *s = r->client.stream;
  if (r->magic != KM_MAGIC_TAR || !r->at_end || s->fault || km_format_position(r) != s->handed)
    return false;
  return s->n_block ? !ends_in_zeros(s->block, s->n_block) : !r->client.ends_in_zeros;
}

/* One zip entry in two blocks: the header made for it, and its data where it stands. */
typedef struct member_client {
  const km_zip_member *member;
  int n_read;
} member_client;

static la_ssize_t member_read(struct archive *a, void *data, const void **block) {
  (void)a;
  member_client *c = data;
  int turn = c->n_read++;
  if (turn > 1)
    return 0;
  *block = turn ? c->member->data : c->member->header;
  return (la_ssize_t)(turn ? c->member->n_data : c->member->n_header);
}

km_status km_format_zip_member(km_item *item, const km_zip_member *member, km_budget *budget,
                               km_buffer *buffer) {
  member_client feed = {member, 0};
  struct archive *a = archive_read_new();
  if (!a)
    return KM_ERR_NOMEM;
  struct archive_entry *entry;
  km_status status = KM_OK;
  archive_read_support_format_zip_streamable(a);
  int r = archive_read_open(a, &feed, NULL, member_read, NULL);
  if (r >= ARCHIVE_WARN)
    r = archive_read_next_header(a, &entry);
  if (r >= ARCHIVE_WARN) {
    entry_data data = {a, budget, buffer, false, UINT64_MAX, ARCHIVE_OK};
    status = read_entry(&data, item);
    r = data.status;
  }
  if (!status && !item->reason && r != ARCHIVE_EOF && r != ARCHIVE_OK) {
    const char *message = archive_error_string(a);
    item->bytes = NULL;
    km_item_fault(item, reason_of_message(message ? message : ""), "%s", message ? message : "damaged");
  }
  archive_read_free(a);
  return status;
}

/* A filter of libarchive's as a stream: its raw format shows one entry, which is all that comes out. */
typedef struct foreign_stream {
  km_stream base;
  struct archive *archive;
  client client;
  km_magic magic;
  bool opened, ended;
  uint8_t block[KM_STREAM_BLOCK];
  const uint8_t *rest; /* of libarchive's block */
  size_t n_rest;
} foreign_stream;

static void foreign_fault(foreign_stream *f) {
  km_stream *below = f->base.below;
  const char *message = archive_error_string(f->archive);
  if (!message)
    message = "damaged";
  if (below->fault)
    km_stream_fault(&f->base, below->fault, "%s", below->detail);
  else
    km_stream_fault(&f->base, reason_of_message(message), "%s: %s", km_magic_name(f->magic), message);
}

/* libarchive's next block into rest; ended at the end and at a fault. */
static void foreign_more(foreign_stream *f) {
  int status = ARCHIVE_OK;
  if (!f->opened) {
    struct archive_entry *entry;
    f->opened = true;
    status = archive_read_open1(f->archive);
    if (status >= ARCHIVE_WARN)
      status = archive_read_next_header(f->archive, &entry);
  }
  const void *block = NULL;
  la_int64_t offset;
  if (status >= ARCHIVE_WARN && status != ARCHIVE_EOF)
    status = archive_read_data_block(f->archive, &block, &f->n_rest, &offset);
  f->rest = block;
  if (status == ARCHIVE_OK || (status == ARCHIVE_WARN && f->n_rest))
    return;
  f->ended = true;
  f->n_rest = 0;
  if (status != ARCHIVE_EOF)
    foreign_fault(f);
}

static km_status foreign_pull(km_stream *s) {
  foreign_stream *f = (foreign_stream *)s;
  size_t n = 0;
  while (n < sizeof f->block && !f->ended) {
    if (!f->n_rest)
      foreign_more(f);
    size_t part = f->n_rest < sizeof f->block - n ? f->n_rest : sizeof f->block - n;
    if (!part)
      continue;
    memcpy(f->block + n, f->rest, part);
    f->rest += part;
    f->n_rest -= part;
    n += part;
  }
  s->below->taken = s->below->handed;
  s->block = f->block;
  s->n_block = n;
  return f->client.nomem ? KM_ERR_NOMEM : KM_OK;
}

static void foreign_close(km_stream *s) {
  foreign_stream *f = (foreign_stream *)s;
  archive_read_free(f->archive);
  free(f);
}

km_stream *km_stream_foreign(km_magic magic, km_stream *below, km_budget *budget) {
  foreign_stream *f = calloc(1, sizeof *f);
  if (!f)
    return NULL;
  f->client.stream = below;
  f->archive = archive_over(&f->client);
  if (!f->archive) {
    free(f);
    return NULL;
  }
  archive_read_support_format_raw(f->archive);
  if (magic == KM_MAGIC_LZ4)
    archive_read_support_filter_lz4(f->archive);
  else if (magic == KM_MAGIC_UU)
    archive_read_support_filter_uu(f->archive);
  else
    archive_read_support_filter_rpm(f->archive);
  f->magic = magic;
  f->base.pull = foreign_pull;
  f->base.close = foreign_close;
  f->base.budget = budget;
  f->base.below = below;
  return &f->base;
}
