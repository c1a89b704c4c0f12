/* hash.c: XXH3-128 through libxxhash. */
#include "kifumill/hash.h"

#include <stdio.h>
#include <xxhash.h>

km_hash128 km_hash_bytes(const void *bytes, size_t n_bytes) {
  XXH128_hash_t h = XXH3_128bits(bytes, n_bytes);
  return (km_hash128){h.low64, h.high64};
}

void km_hash_hex(km_hash128 hash, char *text) {
  snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

km_digest *km_digest_new(void) {
  XXH3_state_t *state = XXH3_createState();
  if (state)
    XXH3_128bits_reset(state);
  return (km_digest *)state;
}

void km_digest_add(km_digest *digest, const void *bytes, size_t n_bytes) {
  XXH3_128bits_update((XXH3_state_t *)digest, bytes, n_bytes);
}

km_hash128 km_digest_value(const km_digest *digest) {
  XXH128_hash_t h = XXH3_128bits_digest((const XXH3_state_t *)digest);
  return (km_hash128){h.low64, h.high64};
}

void km_digest_free(km_digest *digest) { XXH3_freeState((XXH3_state_t *)digest); }
