/* sha256.c: see sha256.h. The only file that includes nettle. */
#include "kifumill/sha256.h"

#include <nettle/sha2.h>

void km_sha256_hex(const void *bytes, size_t n_bytes, char text[KM_SHA256_HEX]) {
  static const char digits[] = "0123456789abcdef";
  struct sha256_ctx context;
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_init(&context);
  sha256_update(&context, n_bytes, bytes);
  sha256_digest(&context, sizeof digest, digest);
  for (size_t i = 0; i < sizeof digest; ++i) {
    text[2 * i] = digits[digest[i] >> 4];
    text[2 * i + 1] = digits[digest[i] & 15];
  }
  text[KM_SHA256_HEX - 1] = '\0';
}
