/* text.h: bytes of unknown encoding → UTF-8 (iconv, uchardet).
 *
 * Order: BOM; UTF-16 by its pattern of NULs; ASCII; CA when the bytes are true to it; strict UTF-8; UTF-8 with damaged
 * characters; the cheapest reading of the text (see charset.h), for which libuchardet over the whole record names
 * candidates too; the fallback; else every byte that is no ASCII is escaped as \xNN and the text is flagged.
 * The output is valid UTF-8 without NULs, whatever the input. */
#ifndef KIFUMILL_TEXT_H
#define KIFUMILL_TEXT_H

#include "kifumill/arena.h"
#include "kifumill/err.h"

typedef struct km_decoded {
  const char *bytes;      /* UTF-8; the input itself when nothing had to be changed */
  size_t n_bytes;
  const char *encoding;   /* canonical name: "US-ASCII", "UTF-8", "GB18030", "SHIFT_JIS", …, "unknown" when escaped */
  int mismatch;           /* CA named an encoding that the bytes are not in */
  uint64_t n_escaped;     /* bytes escaped */
  int same_offsets;       /* positions in bytes are positions in the input */
} km_decoded;

/* What iconv and uchardet need, kept between records: opening a converter costs more than converting a record with it.
 * One a thread; NULL when memory is out. */
typedef struct km_text_decoder km_text_decoder;
km_text_decoder *km_text_decoder_new(void);
void km_text_decoder_free(km_text_decoder *decoder);

/* One record (or file) to decode. declared: the value of CA, or NULL; fallback: iconv name, or NULL. */
typedef struct km_text_source {
  const char *bytes;
  size_t n_bytes;
  const char *declared, *fallback;
  int escape_for_sgf; /* 1: SGF's syntax is still to be read, so an escape is written \\xNN there */
} km_text_source;

/* decoder may be NULL: a temporary one is made. out lives in the arena and may borrow the input. The encoding's name
 * is static or in the arena. Fails with KM_ERR_NOMEM only. */
km_status km_text_decode(km_text_decoder *decoder, const km_text_source *source, km_arena *arena, km_decoded *out,
                         km_err *err);
/* The position in the input of the character that gave position pos of out->bytes; n_bytes for the end (slow: decodes
 * again up to there; for findings only). */
uint64_t km_text_origin(const km_text_source *source, const km_decoded *out, uint64_t pos);
/* A place in decoded text and the byte of the input there: zeros for the beginning. */
typedef struct km_text_mark {
  uint64_t pos, origin;
} km_text_mark;
/* The same, decoding from the mark on, which is of that text and not behind pos. *here (may be NULL) becomes the mark of
 * pos; it stays *from where decoding cannot be taken up there. */
uint64_t km_text_origin_from(const km_text_source *source, const km_decoded *out, km_text_mark from, uint64_t pos,
                             km_text_mark *here);
/* 1 when the bytes are pure ASCII / strictly valid UTF-8 (no surrogates, no overlong forms). Fast. */
int km_text_is_ascii(const char *bytes, size_t n_bytes);
int km_text_is_utf8(const char *bytes, size_t n_bytes);
/* 1 when the encoding's trail bytes may be '\' or ']' (or it is no superset of ASCII), so that it must be decoded
 * before the syntax is read. Any spelling of the name is understood; unknown names give 1. */
int km_text_hides_syntax(const char *encoding);
/* 1 when texts can be read in the encoding: iconv knows it and ASCII stands in it as it is. */
int km_text_encoding_known(const char *encoding);

#endif
