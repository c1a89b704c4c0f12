/* entry_name.h: names of entries as they are shown, and names that people did not put there. */
#ifndef KM_ENTRY_NAME_H
#define KM_ENTRY_NAME_H

#include <stdbool.h>

#include "byte_stream.h"

/* Appends the name at text[at…] with a NUL behind: valid UTF-8 stays, control characters and other bytes
 * become \xNN; more than 4096 bytes are shortened visibly. *end is the position of the NUL. */
km_status km_name_append(km_buffer *text, size_t at, size_t *end, const char *name, size_t n_name);

/* Resource forks, folder settings and thumbnails that systems leave in archives: ._x, __MACOSX/, .DS_Store, …
 */
bool km_name_is_litter(const char *name, size_t n_name);

#endif
