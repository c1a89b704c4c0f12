/* sevenz_rest.c: 7z (7zFormat.txt of the LZMA SDK) as far as it is wanted behind a fault: blocks of files
 * with one coder (copy, LZMA, LZMA2), which nearly all are; others are named.
 *
 *   7z bc af 27 1c  version2 crc4 | where8 size8 crc4 of the header | packed blocks … | header
 *   header: 01 [02 …] [03 …] 04 streams 05 files 00, or 17 streams: the one block that holds the header
 *   streams: 06 place n 09 sizes 00, 07 0b blocks 0c sizes [0a sums] 00, 08 [0d counts] [09 sizes] [0a sums]
 * 00, 00 numbers: as many leading ones in the first byte as bytes follow, low ones first
 *
 * A block is decoded until it ends or is found to be damaged; files that lie before and have the right sum
 * are given. */
#include "sevenz_rest.h"

#include <libdeflate.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>

enum {
  ID_END,
  ID_HEADER,
  ID_PROPERTIES,
  ID_ADDITIONAL,
  ID_STREAMS,
  ID_FILES,
  ID_PACKED,
  ID_BLOCKS,
  ID_PARTS,
  ID_SIZE,
  ID_SUM,
  ID_BLOCK,
  ID_FULL_SIZE,
  ID_COUNTS,
  ID_EMPTY,
  ID_NAMES = 0x11,
  ID_ENCODED = 0x17,
  HEAD_BYTES = 32,
  HEADER_MAX = 1 << 28,
  CODERS_MAX = 32,
  FREE_BYTES = 64 << 20, /* a block may have them at any ratio */
};
enum { CODER_COPY, CODER_LZMA, CODER_LZMA2, CODER_OTHER };

typedef struct block {
  int coder;
  uint8_t properties[5];
  unsigned n_properties, n_packed, n_out; /* packed streams, streams of all coders */
  uint64_t at, packed, full;              /* of the first packed stream */
  uint64_t n_parts;
  uint32_t sum;
  bool has_sum;
} block;

typedef struct part {
  uint64_t n_bytes;
  uint32_t sum;
  bool has_sum;
} part;

/* Where a header is read. failed: it is not as it should be. */
typedef struct cursor {
  const uint8_t *at, *end;
  bool failed, nomem;
} cursor;

struct km_sevenz_rest {
  const uint8_t *bytes;
  size_t n_bytes;
  block *blocks;
  size_t n_blocks;
  part *parts;
  size_t n_parts;
  uint8_t *header; /* decoded; NULL when it stands in bytes */
  const uint8_t *names, *names_end, *empty;
  uint64_t n_files, file; /* file: the next one */
  uint64_t block, part,
      first_part;   /* of the next file: its block, its part among all, the first part of the block */
  uint64_t part_at; /* of the next file, in its block */
  km_buffer data, name;
  size_t n_data; /* decoded of the block */
  bool is_decoded;
};

static uint8_t get_byte(cursor *c) {
  if (c->at == c->end) {
    c->failed = true;
    return 0;
  }
  return *c->at++;
}

static uint64_t get_number(cursor *c) {
  unsigned first = get_byte(c), mask = 0x80;
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; i++, mask >>= 1) {
    if (!(first & mask))
      return value | (uint64_t)(first & (mask - 1)) << (8 * i);
    value |= (uint64_t)get_byte(c) << (8 * i);
  }
  return value;
}

/* A number of things that take a byte of the header each, at least about. */
static size_t get_count(cursor *c, size_t most) {
  uint64_t n = get_number(c);
  c->failed |= n > most;
  return c->failed ? 0 : (size_t)n;
}

static uint32_t get32(cursor *c) {
  uint32_t value = 0;
  for (unsigned i = 0; i < 4; i++)
    value |= (uint32_t)get_byte(c) << (8 * i);
  return value;
}

static const uint8_t *get_bytes(cursor *c, uint64_t n) {
  const uint8_t *at = c->at;
  if (n > (uint64_t)(c->end - c->at)) {
    c->failed = true;
    return NULL;
  }
  c->at += n;
  return at;
}

static void *get_memory(cursor *c, size_t n, size_t size) {
  void *memory = c->failed ? NULL : calloc(n ? n : 1, size);
  c->nomem |= !memory && !c->failed;
  c->failed |= !memory;
  return memory;
}

static bool is_set(const uint8_t *bits, uint64_t i) {
  return bits[i / 8] >> (7 - i % 8) & 1;
}

/* The defined ones of n sums, through set. */
static void get_sums(cursor *c, size_t n, void (*set)(void *rows, size_t i, uint32_t sum), void *rows) {
  const uint8_t *bits = get_byte(c) ? NULL : get_bytes(c, (n + 7) / 8);
  for (size_t i = 0; i < n && !c->failed; i++)
    if (!bits || is_set(bits, i))
      set(rows, i, get32(c));
}

static void set_block_sum(void *rows, size_t i, uint32_t sum) {
  block *b = (block *)rows + i;
  b->sum = sum;
  b->has_sum = true;
}

/* Sums are stated for parts that have none yet. */
static void set_part_sum(void *rows, size_t i, uint32_t sum) {
  part **wanted = rows;
  wanted[i]->sum = sum;
  wanted[i]->has_sum = true;
}

static int coder_of(const uint8_t *id, unsigned n) {
  if (n == 1 && id[0] == 0)
    return CODER_COPY;
  if (n == 1 && id[0] == 0x21)
    return CODER_LZMA2;
  return n == 3 && memcmp(id, "\3\1\1", 3) == 0 ? CODER_LZMA : CODER_OTHER;
}

static void get_block(cursor *c, block *b) {
  uint64_t n_coders = get_count(c, CODERS_MAX), n_in = 0, n_out = 0;
  for (uint64_t i = 0; i < n_coders && !c->failed; i++) {
    unsigned flags = get_byte(c), n_id = flags & 15;
    const uint8_t *id = get_bytes(c, n_id);
    n_in += flags & 0x10 ? get_count(c, CODERS_MAX) : 1;
    n_out += flags & 0x10 ? get_count(c, CODERS_MAX) : 1;
    uint64_t n_properties = flags & 0x20 ? get_number(c) : 0;
    const uint8_t *properties = get_bytes(c, n_properties);
    if (c->failed)
      return;
    b->coder = n_coders == 1 && n_properties <= sizeof b->properties ? coder_of(id, n_id) : CODER_OTHER;
    b->n_properties = b->coder == CODER_OTHER ? 0 : (unsigned)n_properties;
    if (b->n_properties)
      memcpy(b->properties, properties, n_properties);
  }
  c->failed |= n_out == 0 || n_in + 1 < n_out;
  for (uint64_t i = 1; i < n_out && !c->failed; i++) {
    get_number(c);
    get_number(c);
  }
  b->n_packed = c->failed ? 0 : (unsigned)(n_in - (n_out - 1));
  b->n_out = (unsigned)n_out;
  for (unsigned i = 0; b->n_packed > 1 && i < b->n_packed && !c->failed; i++)
    get_number(c);
}

/* 07: the blocks, whose packed streams stand one behind the other from `at` on, of n_sizes sizes. */
static void get_blocks(km_sevenz_rest *r, cursor *c, uint64_t at, const uint64_t *sizes, size_t n_sizes) {
  size_t packed = 0;
  c->failed |= get_byte(c) != ID_BLOCK;
  r->n_blocks = get_count(c, (size_t)(c->end - c->at));
  c->failed |= get_byte(c) != 0; /* not elsewhere */
  r->blocks = get_memory(c, r->n_blocks, sizeof *r->blocks);
  for (size_t i = 0; i < r->n_blocks && !c->failed; i++) {
    block *b = &r->blocks[i];
    get_block(c, b);
    c->failed |= b->n_packed > n_sizes - packed;
    b->at = at;
    b->packed = c->failed || !b->n_packed ? 0 : sizes[packed];
    for (unsigned k = 0; k < b->n_packed && !c->failed; k++)
      at += sizes[packed++];
    b->n_parts = 1;
  }
  c->failed |= get_byte(c) != ID_FULL_SIZE;
  for (size_t i = 0; i < r->n_blocks && !c->failed; i++)
    for (unsigned k = 0; k < r->blocks[i].n_out; k++)
      r->blocks[i].full = get_number(c); /* with one coder: its */
  unsigned id = get_byte(c);
  if (id == ID_SUM) {
    get_sums(c, r->n_blocks, set_block_sum, r->blocks);
    id = get_byte(c);
  }
  c->failed |= id != ID_END;
}

/* The sizes of the parts of all blocks: all but the last of a block are stated. */
static void get_parts(km_sevenz_rest *r, cursor *c, bool are_stated) {
  size_t p = 0;
  for (size_t i = 0; i < r->n_blocks && !c->failed; i++) {
    const block *b = &r->blocks[i];
    uint64_t left = b->full;
    for (uint64_t k = 0; k < b->n_parts && !c->failed; k++, p++) {
      uint64_t n = k + 1 == b->n_parts ? left : are_stated ? get_number(c) : 0;
      c->failed |= n > left;
      left -= n;
      r->parts[p] = (part){.n_bytes = n};
      if (b->n_parts == 1 && b->has_sum)
        set_part_sum(&(part *){&r->parts[p]}, 0, b->sum);
    }
  }
}

/* 08, whose id was read when it is there. */
static void get_substreams(km_sevenz_rest *r, cursor *c, bool is_there) {
  unsigned id = is_there ? get_byte(c) : ID_END;
  size_t most = (size_t)(c->end - c->at) + r->n_blocks;
  if (id == ID_COUNTS) {
    for (size_t i = 0; i < r->n_blocks && !c->failed; i++)
      r->blocks[i].n_parts = get_count(c, most);
    id = get_byte(c);
  }
  r->n_parts = 0;
  for (size_t i = 0; i < r->n_blocks && !c->failed; i++) {
    r->n_parts += r->blocks[i].n_parts;
    c->failed |= r->n_parts > most;
  }
  r->parts = get_memory(c, r->n_parts, sizeof *r->parts);
  part **wanted = get_memory(c, r->n_parts, sizeof *wanted);
  if (!c->failed)
    get_parts(r, c, id == ID_SIZE);
  if (id == ID_SIZE)
    id = get_byte(c);
  size_t n_wanted = 0;
  for (size_t i = 0; i < r->n_parts && !c->failed; i++)
    if (!r->parts[i].has_sum)
      wanted[n_wanted++] = &r->parts[i];
  if (id == ID_SUM && !c->failed) {
    get_sums(c, n_wanted, set_part_sum, wanted);
    id = get_byte(c);
  }
  free(wanted);
  c->failed |= id != ID_END;
}

static void get_streams(km_sevenz_rest *r, cursor *c) {
  c->failed |= get_byte(c) != ID_PACKED;
  uint64_t at = HEAD_BYTES + get_number(c);
  size_t n = get_count(c, (size_t)(c->end - c->at));
  uint64_t *sizes = get_memory(c, n, sizeof *sizes);
  unsigned id = get_byte(c);
  for (size_t i = 0; i < n && id == ID_SIZE && !c->failed; i++)
    sizes[i] = get_number(c);
  c->failed |= (n && id != ID_SIZE) || (id == ID_SIZE && get_byte(c) != ID_END) || get_byte(c) != ID_BLOCKS;
  if (!c->failed)
    get_blocks(r, c, at, sizes, n);
  free(sizes);
  id = c->failed ? ID_END : get_byte(c);
  if (!c->failed)
    get_substreams(r, c, id == ID_PARTS);
  if (id == ID_PARTS)
    id = get_byte(c);
  c->failed |= id != ID_END;
}

static void get_files(km_sevenz_rest *r, cursor *c) {
  r->n_files = get_count(c, (size_t)(c->end - c->at));
  for (uint64_t id; !c->failed && (id = get_number(c)) != ID_END;) {
    uint64_t n = get_number(c);
    const uint8_t *at = get_bytes(c, n);
    if (!at)
      return;
    if (id == ID_EMPTY && n >= (r->n_files + 7) / 8)
      r->empty = at;
    if (id == ID_NAMES && n && *at == 0) {
      r->names = at + 1;
      r->names_end = at + n;
    }
  }
}

static void forget_streams(km_sevenz_rest *r) {
  free(r->blocks);
  free(r->parts);
  r->blocks = NULL;
  r->parts = NULL;
  r->n_blocks = r->n_parts = 0;
  r->is_decoded = false;
}

/* The chain of liblzma for a block; false when there is none. */
static bool make_filters(const block *b, lzma_filter filters[2]) {
  filters[0] = (lzma_filter){.id = b->coder == CODER_LZMA ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2};
  filters[1].id = LZMA_VLI_UNKNOWN;
  return lzma_properties_decode(&filters[0], NULL, b->properties, b->n_properties) == LZMA_OK;
}

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Decodes a block into data, as far as it goes. */
static km_status decode(km_sevenz_rest *r, const block *b, const km_archive_limits *limits) {
  uint64_t left = b->at < r->n_bytes ? r->n_bytes - b->at : 0;
  size_t n_in = b->packed < left ? b->packed : left;
  double most = FREE_BYTES + limits->max_ratio * (double)n_in;
  size_t want = least(least(b->full, limits->max_entry_bytes), most < 1e18 ? (uint64_t)most : UINT64_MAX);
  lzma_filter filters[2];
  lzma_stream z = LZMA_STREAM_INIT;
  r->n_data = 0;
  r->is_decoded = true;
  if (b->coder == CODER_OTHER || b->n_packed != 1)
    return KM_OK;
  if (b->coder == CODER_COPY)
    want = want < n_in ? want : n_in;
  if (km_buffer_reserve(&r->data, want + 1, 0))
    return KM_ERR_NOMEM;
  if (b->coder == CODER_COPY) {
    memcpy(r->data.bytes, r->bytes + r->n_bytes - left, want);
    r->n_data = want;
    return KM_OK;
  }
  if (!make_filters(b, filters))
    return KM_OK;
  lzma_options_lzma *options = filters[0].options;
  options->dict_size =
      (uint32_t)least(options->dict_size, want > 4096 ? want : 4096); /* no more is ever behind */
  lzma_ret result = lzma_raw_decoder(&z, filters);
  free(options);
  z.next_in = r->bytes + (r->n_bytes - left);
  z.avail_in = n_in;
  z.next_out = r->data.bytes;
  z.avail_out = want;
  while (result == LZMA_OK && z.avail_out)
    result = lzma_code(&z, z.avail_in ? LZMA_RUN : LZMA_FINISH);
  r->n_data = want - z.avail_out;
  lzma_end(&z);
  return result == LZMA_MEM_ERROR ? KM_ERR_NOMEM : KM_OK;
}

/* The header at c, or the one that it says is packed. */
static km_status read_header(km_sevenz_rest *r, cursor *c) {
  unsigned id = get_byte(c);
  if (id == ID_ENCODED) {
    get_streams(r, c);
    if (c->failed || r->n_blocks != 1 || r->blocks[0].full > HEADER_MAX)
      return KM_SKIP;
    km_archive_limits limits = {.max_entry_bytes = HEADER_MAX, .max_ratio = 1};
    const block *b = &r->blocks[0];
    if (decode(r, b, &limits))
      return KM_ERR_NOMEM;
    if (r->n_data != b->full || (b->has_sum && libdeflate_crc32(0, r->data.bytes, r->n_data) != b->sum))
      return KM_SKIP;
    r->header = r->data.bytes;
    r->data = (km_buffer){0};
    *c = (cursor){.at = r->header, .end = r->header + r->n_data};
    forget_streams(r);
    id = get_byte(c);
  }
  if (id != ID_HEADER)
    return KM_SKIP;
  id = get_byte(c);
  if (id == ID_STREAMS) { /* properties and additional streams are written by nobody */
    get_streams(r, c);
    id = c->failed ? ID_END : get_byte(c);
  }
  if (id == ID_FILES)
    get_files(r, c);
  return c->failed || id != ID_FILES ? KM_SKIP : KM_OK;
}

/* The next file's name in UTF-8. */
static km_status next_name(km_sevenz_rest *r, size_t *n_name) {
  size_t most = r->names ? (size_t)(r->names_end - r->names) / 2 * 3 : 0;
  *n_name = 0;
  if (km_buffer_reserve(&r->name, most < 65536 ? most + 8 : 65536 + 8, 0))
    return KM_ERR_NOMEM;
  uint8_t *out = r->name.bytes;
  while (r->names && r->names_end - r->names >= 2) {
    uint32_t unit = r->names[0] | (uint32_t)r->names[1] << 8;
    r->names += 2;
    if (!unit)
      break;
    if (unit >> 10 == 0x36 && r->names_end - r->names >= 2 &&
        r->names[1] >> 2 == 0x37) { /* a surrogate pair */
      unit = 0x10000 + ((unit & 0x3ff) << 10 | ((r->names[0] | (uint32_t)r->names[1] << 8) & 0x3ff));
      r->names += 2;
    }
    unsigned n = unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit < 0x10000 ? 3 : 4;
    if (*n_name + n > 65536)
      continue;
    for (unsigned i = n; i-- > 1; unit >>= 6)
      out[*n_name + i] = (uint8_t)(0x80 | (unit & 0x3f));
    out[*n_name] = (uint8_t)(n == 1 ? unit : (0xf00u >> n & 0xff) | unit);
    *n_name += n;
  }
  out[*n_name] = 0;
  return KM_OK;
}

/* Goes to the block of the next part. */
static bool find_block(km_sevenz_rest *r) {
  while (r->block < r->n_blocks && r->part - r->first_part >= r->blocks[r->block].n_parts) {
    r->first_part += r->blocks[r->block++].n_parts;
    r->part_at = 0;
    r->is_decoded = false;
  }
  return r->block < r->n_blocks && r->part < r->n_parts;
}

static void judge(const km_sevenz_rest *r, km_item *item, const part *p) {
  const block *b = &r->blocks[r->block];
  item->pos = b->at;
  if (b->coder == CODER_OTHER || b->n_packed != 1)
    km_item_fault(item, KM_REASON_UNSUPPORTED_ARCHIVE,
                  "stands behind a fault, packed in a way that is not read there");
  else if (r->part_at + p->n_bytes > r->n_data)
    km_item_fault(item, KM_REASON_CORRUPT_ARCHIVE, "the packed data are damaged before its end");
  else if (p->has_sum && libdeflate_crc32(0, r->data.bytes + r->part_at, p->n_bytes) != p->sum)
    km_item_fault(item, KM_REASON_CRC_ERROR, "wrong check sum");
  else {
    item->bytes = r->data.bytes + r->part_at;
    item->n_bytes = p->n_bytes;
  }
}

km_status km_sevenz_rest_next(km_sevenz_rest *r, km_item *item, const km_archive_limits *limits) {
  while (r->file < r->n_files) {
    size_t n_name;
    *item = (km_item){.number = r->file};
    if (next_name(r, &n_name))
      return KM_ERR_NOMEM;
    item->name = (const char *)r->name.bytes;
    item->n_name = n_name;
    if (r->empty && is_set(r->empty, r->file++))
      continue;
    r->file += !r->empty;
    if (!find_block(r))
      return KM_END;
    if (!r->is_decoded && decode(r, &r->blocks[r->block], limits))
      return KM_ERR_NOMEM;
    const part *p = &r->parts[r->part++];
    judge(r, item, p);
    r->part_at += p->n_bytes;
    return KM_OK;
  }
  return KM_END;
}

/* Passes over the files before the first that is wanted. */
static km_status pass_over(km_sevenz_rest *r, uint64_t first) {
  size_t n_name;
  for (; r->file < first && r->file < r->n_files; r->file++) {
    if (next_name(r, &n_name))
      return KM_ERR_NOMEM;
    if (r->empty && is_set(r->empty, r->file))
      continue;
    if (!find_block(r))
      return KM_SKIP;
    r->part_at += r->parts[r->part++].n_bytes;
  }
  return KM_OK;
}

km_status km_sevenz_rest_open(km_sevenz_rest **out, const uint8_t *bytes, size_t n_bytes, uint64_t first) {
  km_sevenz_rest *r = calloc(1, sizeof *r);
  *out = r;
  if (!r)
    return KM_ERR_NOMEM;
  r->bytes = bytes;
  r->n_bytes = n_bytes;
  cursor head = {.at = bytes + 12, .end = bytes + n_bytes};
  uint64_t at = n_bytes >= HEAD_BYTES ? get32(&head) | (uint64_t)get32(&head) << 32 : UINT64_MAX;
  uint64_t n = n_bytes >= HEAD_BYTES ? get32(&head) | (uint64_t)get32(&head) << 32 : UINT64_MAX;
  km_status status = KM_SKIP;
  if (n_bytes >= HEAD_BYTES && at <= n_bytes - HEAD_BYTES && n <= n_bytes - HEAD_BYTES - at) {
    cursor c = {.at = bytes + HEAD_BYTES + at, .end = bytes + HEAD_BYTES + at + n};
    status = read_header(r, &c);
    if (c.nomem)
      status = KM_ERR_NOMEM;
  }
  if (status == KM_OK)
    status = pass_over(r, first);
  if (status != KM_OK) {
    km_sevenz_rest_close(r);
    *out = NULL;
  }
  return status;
}

void km_sevenz_rest_close(km_sevenz_rest *r) {
  if (!r)
    return;
  forget_streams(r);
  free(r->header);
  km_buffer_clear(&r->data);
  km_buffer_clear(&r->name);
  free(r);
}
