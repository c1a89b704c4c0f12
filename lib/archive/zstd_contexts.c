/* zstd_contexts.c: a few places that any thread takes from and gives to, without a lock. */
#include "zstd_contexts.h"

#include <stdatomic.h>
#include <stddef.h>

enum { KEPT_MOST = 2, KEPT_BYTES_MOST = 160 << 20 /* of one: a window of 128 MiB and what goes with it */ };

static _Atomic(ZSTD_DCtx *) kept[KEPT_MOST];

ZSTD_DCtx *km_zstd_take(void) {
  for (int i = 0; i < KEPT_MOST; i++) {
    ZSTD_DCtx *context = atomic_exchange(&kept[i], NULL);
    if (!context)
      continue;
    ZSTD_DCtx_reset(context, ZSTD_reset_session_and_parameters);
    return context;
  }
  return ZSTD_createDCtx();
}

void km_zstd_give(ZSTD_DCtx *context) {
  for (int i = 0; i < KEPT_MOST && context && ZSTD_sizeof_DCtx(context) <= KEPT_BYTES_MOST; i++) {
    ZSTD_DCtx *none = NULL;
    if (atomic_compare_exchange_strong(&kept[i], &none, context))
      return;
  }
  ZSTD_freeDCtx(context);
}

void km_zstd_forget(void) {
  for (int i = 0; i < KEPT_MOST; i++)
    ZSTD_freeDCtx(atomic_exchange(&kept[i], NULL));
}
