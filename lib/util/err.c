/* err.c: filling and prefixing km_err. Messages are cut at the end of the buffer, never past it. */
#include "kifumill/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

km_status km_err_set(km_err *err, km_status code, int sys_errno, const char *format, ...) {
  if (!err)
    return code;
  err->code = code;
  err->sys_errno = sys_errno;
  err->pos = 0;
  err->reason = 0;
  va_list args;
  va_start(args, format);
  int used = vsnprintf(err->msg, sizeof err->msg, format, args);
  va_end(args);
  if (sys_errno && used >= 0 && (size_t)used < sizeof err->msg)
    snprintf(err->msg + used, sizeof err->msg - (size_t)used, ": %s", strerrordesc_np(sys_errno));
  return code;
}

km_status km_err_prefix(km_err *err, const char *format, ...) {
  if (!err)
    return KM_OK;
  char prefix[sizeof err->msg], rest[sizeof err->msg];
  va_list args;
  va_start(args, format);
  vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  memcpy(rest, err->msg, sizeof rest);
  snprintf(err->msg, sizeof err->msg, "%.150s: %.165s", prefix, rest);
  return err->code;
}
