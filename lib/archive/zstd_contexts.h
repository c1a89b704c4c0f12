/* zstd_contexts.h: zstd's contexts for decoding, handed from one archive to the next. Private to the library.
 *
 * A context holds the window, up to 128 MB of memory that the system has to find and clear, which takes a
 * third as long as decoding that much. So one that is done with is kept, and the next archive reads into the
 * same memory. */
#ifndef KM_ZSTD_CONTEXTS_H
#define KM_ZSTD_CONTEXTS_H

#include <zstd.h>

/* A context as a new one is; NULL when memory is out. */
ZSTD_DCtx *km_zstd_take(void);
/* Done with; NULL is allowed. */
void km_zstd_give(ZSTD_DCtx *context);
/* Frees those that are kept: nothing more is to be read for now. */
void km_zstd_forget(void);

#endif
