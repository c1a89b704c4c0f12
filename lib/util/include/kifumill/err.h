/* err.h: how functions report failure.
 *
 * Three outcomes. KM_OK (0). Positive: this record or step is not to be used, the run goes on (KM_SKIP, with a
 * reason counted by the caller) or the sequence is over (KM_END). Negative: the run cannot go on. Detail travels in a
 * km_err that the caller owns; no library prints, exits or keeps a last error. */
#ifndef KIFUMILL_ERR_H
#define KIFUMILL_ERR_H

#include <stddef.h>
#include <stdint.h>

typedef enum km_status {
  KM_OK = 0,
  KM_SKIP = 1,        /* the record is bad: count err->reason, go on */
  KM_END = 2,         /* nothing more to read */
  KM_ERR_NOMEM = -1,  /* an allocation failed */
  KM_ERR_IO = -2,     /* the system refused: sys_errno says why */
  KM_ERR_FORMAT = -3, /* the bytes are not what they should be */
  KM_ERR_USAGE = -4,  /* an option or argument is wrong */
  KM_ERR_LIMIT = -5,  /* a stated bound was met */
  KM_ERR_STATE = -6,  /* an output exists, a version differs, … */
} km_status;

/* Owned by the caller; functions fill it only when they return other than KM_OK. */
typedef struct km_err {
  km_status code;
  int sys_errno;  /* errno of the failed call, or 0 */
  uint64_t pos;   /* byte position in the input, where that makes sense */
  int reason;     /* km_reason (kifumill/reason.h), or 0 */
  char msg[320];  /* one line without a full stop: what, where, why */
} km_err;

/* Fills *err (may be NULL) and returns code. sys_errno is appended to the message as text when it is not 0. */
km_status km_err_set(km_err *err, km_status code, int sys_errno, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts "prefix: " before the message, on the way up; returns err->code. */
km_status km_err_prefix(km_err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
