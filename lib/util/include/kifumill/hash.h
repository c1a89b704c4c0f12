/* hash.h: hashing of bytes and integers, and randomness that is hashed from an identity.
 *
 * km_hash_bytes and km_digest_* are XXH3-128 (xxhash; stable across versions and machines). km_random is a pure
 * function of (seed, game, ply, purpose), so that a sample's random choices never depend on threads or order. */
#ifndef KIFUMILL_HASH_H
#define KIFUMILL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct km_hash128 {
  uint64_t low, high;
} km_hash128;

static inline km_hash128 km_hash128_xor(km_hash128 a, km_hash128 b) {
  return (km_hash128){a.low ^ b.low, a.high ^ b.high};
}
static inline int km_hash128_equal(km_hash128 a, km_hash128 b) { return a.low == b.low && a.high == b.high; }
/* Order as an unsigned 128-bit number: -1, 0, 1. */
static inline int km_hash128_compare(km_hash128 a, km_hash128 b) {
  if (a.high != b.high)
    return a.high < b.high ? -1 : 1;
  return a.low == b.low ? 0 : a.low < b.low ? -1 : 1;
}

/* A bijection of 64-bit numbers that mixes all bits (splitmix64's finaliser). */
static inline uint64_t km_mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* What a random number is for: two purposes never share one. Append only: the numbers are part of the output. */
typedef enum km_purpose {
  KM_PURPOSE_SHUFFLE = 1,
  KM_PURPOSE_SYMMETRY = 2,
  KM_PURPOSE_SPLIT = 3,
  KM_PURPOSE_SAMPLE = 4,
  KM_PURPOSE_BOOTSTRAP = 5,
  KM_PURPOSE_MODEL = 6,
  KM_PURPOSE_PERMUTATION = 7,
} km_purpose;

/* 64 random bits for (seed, game identity, ply, purpose). */
static inline uint64_t km_random(uint64_t seed, uint64_t game, uint64_t ply, km_purpose purpose) {
  return km_mix64(km_mix64(km_mix64(km_mix64(seed) ^ game) ^ ply) ^ (uint64_t)purpose);
}
/* Maps 64 random bits to [0, n) without division (Lemire); n ≥ 1. */
static inline uint64_t km_random_below(uint64_t bits, uint64_t n) {
  return (uint64_t)(((unsigned __int128)bits * n) >> 64);
}
/* Maps 64 random bits to a double in [0, 1). */
static inline double km_random_unit(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

km_hash128 km_hash_bytes(const void *bytes, size_t n_bytes);
/* The hash as 32 lower-case hexadecimal digits and a NUL (text holds 33). */
void km_hash_hex(km_hash128 hash, char *text);

/* Streaming digest: km_digest_new → km_digest_add… → km_digest_value → km_digest_free. */
typedef struct km_digest km_digest;
km_digest *km_digest_new(void); /* NULL when memory is out */
void km_digest_add(km_digest *digest, const void *bytes, size_t n_bytes);
km_hash128 km_digest_value(const km_digest *digest);
void km_digest_free(km_digest *digest);

#endif
