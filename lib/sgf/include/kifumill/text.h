/* text.h: bytes of unknown encoding → UTF-8 (iconv, uchardet).
 *
 * Order: BOM; UTF-16 by its pattern of NULs; ASCII; CA when the bytes are true to it; strict UTF-8; libuchardet over
 * the whole record; the fallback; else every byte that is no ASCII is escaped as \xNN and the text is flagged. */
#ifndef KIFUMILL_TEXT_H
#define KIFUMILL_TEXT_H

#include "kifumill/arena.h"
#include "kifumill/err.h"

typedef struct km_decoded {
  const char *bytes;      /* UTF-8; the input itself when nothing had to be changed */
  size_t n_bytes;
  const char *encoding;   /* canonical name: "US-ASCII", "UTF-8", "GB18030", "SHIFT_JIS", …, "unknown" when escaped */
  int mismatch;           /* CA named an encoding that the bytes are not in */
  uint64_t n_escaped;     /* bytes escaped or replaced */
  int same_offsets;       /* positions in bytes are positions in the input */
} km_decoded;

/* Decodes one record (or file). declared: the value of CA or NULL; fallback: iconv name or NULL. */
km_status km_text_decode(const char *bytes, size_t n_bytes, const char *declared, const char *fallback, km_arena *arena,
                         km_decoded *out, km_err *err);
/* The position in the input that gave position pos of out->bytes (slow: decodes again; for findings only). */
uint64_t km_text_origin(const char *bytes, size_t n_bytes, const km_decoded *out, uint64_t pos);
/* 1 when the bytes are pure ASCII / strictly valid UTF-8 (no surrogates, no overlong forms). Fast. */
int km_text_is_ascii(const char *bytes, size_t n_bytes);
int km_text_is_utf8(const char *bytes, size_t n_bytes);
/* 1 when the encoding's trail bytes may be '\' or ']' so that it must be decoded before the syntax is read. */
int km_text_hides_syntax(const char *encoding);

#endif
