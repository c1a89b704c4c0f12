/* sha256.h: SHA-256 of bytes, as golden vectors and kifu-show --format sha256 print it. By nettle. */
#ifndef KIFUMILL_SHA256_H
#define KIFUMILL_SHA256_H

#include <stddef.h>

enum { KM_SHA256_HEX = 65 }; /* 64 digits and a NUL */

/* The digest of bytes as 64 lower-case hexadecimal digits and a NUL. */
void km_sha256_hex(const void *bytes, size_t n_bytes, char text[KM_SHA256_HEX]);

#endif
