/* foreign.h: names the kind of a file that is no SGF. Private to the reader. */
#ifndef KIFUMILL_FOREIGN_H
#define KIFUMILL_FOREIGN_H

#include <stddef.h>

/* "GIB", "HTML page", "zip archive", …; NULL when nothing tells. Looks at the first kilobyte only. */
const char *km_foreign_kind(const char *bytes, size_t n_bytes);

#endif
