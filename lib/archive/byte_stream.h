/* byte_stream.h: bytes in blocks, from memory, a descriptor, or a filter over another stream.
 *
 * pull gives the next block; an empty block is the end. A stream that ends early says so in fault and detail:
 * the blocks before it are good to the last byte. The first block of every stream holds at least
 * KM_MAGIC_PEEK bytes, unless the whole stream is shorter, so that looking at the first block tells what the
 * stream is. */
#ifndef KM_BYTE_STREAM_H
#define KM_BYTE_STREAM_H

#include <stdbool.h>

#include "archive_magic.h"
#include "kifumill/archive_reader.h"

/* What one input has given so far, against its limits; shared by all levels of nesting. */
typedef struct km_budget {
  const km_archive_limits *limits;
  uint64_t in_bytes;     /* size of the input, or what was read so far of an unsized one */
  uint64_t filter_bytes; /* out of filters */
  uint64_t entry_bytes;  /* out of entries, also those not used */
  uint64_t n_entries;
  bool exhausted; /* a limit of the whole input was met: nothing more is read */
} km_budget;

/* Adds, then tells: KM_REASON_NONE, TOO_MANY_BYTES, RATIO_TOO_HIGH. */
km_reason km_budget_add_entry(km_budget *budget, uint64_t n_bytes);
/* One entry more: KM_REASON_NONE, TOO_MANY_ENTRIES. */
km_reason km_budget_count_entry(km_budget *budget);
/* The limit that reason names, as text. */
void km_budget_detail(const km_budget *budget, km_reason reason, char *text, size_t n_text);

enum { KM_STREAM_BLOCK = 256 * 1024, KM_DETAIL_BYTES = 200 };
_Static_assert((int)KM_STREAM_BLOCK >= (int)KM_MAGIC_PEEK, "the first block tells what a stream is");

typedef struct km_stream km_stream;
struct km_stream {
  km_status (*pull)(km_stream *s); /* sets block and n_block; only KM_OK and KM_ERR_NOMEM */
  void (*close)(km_stream *s);     /* frees s, not what is below */
  const uint8_t *block;
  size_t n_block;
  uint64_t handed; /* bytes in all blocks so far, this one included */
  uint64_t taken;  /* of them used by the reader above, where that is known (progress) */
  bool held;       /* the block is to be given again */
  bool in_memory;  /* block is the whole stream */
  km_reason fault;
  char detail[KM_DETAIL_BYTES];
  uint64_t trailing; /* bytes behind the end of a filter's data, left out */
  bool crc_fault;    /* a check sum was wrong, the data went on */
  km_stream *below;
  km_budget *budget;
};

/* The next block, or the held one again; what filters give is counted. After the end: KM_OK with n_block 0, always. */
km_status km_stream_next(km_stream *s);
void km_stream_fault(km_stream *s, km_reason reason, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Closes the stream and all below it; NULL is fine. */
void km_stream_close_all(km_stream *s);

/* NULL when memory is out. The bytes and the descriptor stay the caller's. */
km_stream *km_stream_of_memory(const uint8_t *bytes, size_t n_bytes);
km_stream *km_stream_of_fd(int fd, km_budget *budget);
/* gzip, zstd, xz, lzip, lzma, bzip2 over below, which it does not own before success. */
km_stream *km_stream_decode(km_magic magic, km_stream *below, km_budget *budget);
/* compress (.Z) over below. */
km_stream *km_stream_lzw(km_stream *below, km_budget *budget);

/* A buffer that grows up to a bound and is kept for the next use. */
typedef struct km_buffer {
  uint8_t *bytes;
  size_t capacity;
} km_buffer;
/* At least n_bytes; keeps the first n_used. KM_OK or KM_ERR_NOMEM. */
km_status km_buffer_reserve(km_buffer *buffer, size_t n_bytes, size_t n_used);
void km_buffer_clear(km_buffer *buffer);

/* The rest of the stream in one piece: borrowed from the stream when it is one block, else copied to the
 * buffer. whole is false when it has more than max_bytes. */
typedef struct km_slurp {
  const uint8_t *bytes;
  size_t n_bytes;
  bool whole;
} km_slurp;
km_status km_stream_slurp(km_slurp *out, km_stream *s, km_buffer *buffer, uint64_t max_bytes);

#endif
