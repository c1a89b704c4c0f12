/* fuzz_text.c: decoding of any bytes. The first byte chooses CA, fallback and the way of escaping.
 *
 * Invariants: the output is valid UTF-8 (by a slow validator of its own) without NULs; text that is not
 * changed is the input; nothing is escaped in text that was valid; a second decoding by the same decoder
 * agrees; origins ascend. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kifumill/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition)
    abort();
}

static int slow_is_utf8(const unsigned char *p, size_t n) {
  static const uint32_t lowest[5] = {0, 0, 0x80, 0x800, 0x10000};
  for (size_t k; n; p += k, n -= k) {
    k = p[0] < 0x80             ? 1
        : (p[0] & 0xe0) == 0xc0 ? 2
        : (p[0] & 0xf0) == 0xe0 ? 3
        : (p[0] & 0xf8) == 0xf0 ? 4
                                : 5;
    if (k > 4 || k > n)
      return 0;
    uint32_t c = k == 1 ? p[0] : p[0] & (0x7fu >> k);
    for (size_t i = 1; i < k; i++) {
      if ((p[i] & 0xc0) != 0x80)
        return 0;
      c = c << 6 | (p[i] & 0x3fu);
    }
    if (c < lowest[k] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
      return 0;
  }
  return 1;
}

static void check_origins(const km_text_source *source, const km_decoded *out) {
  uint64_t before = 0;
  for (int i = 0; i <= 4; i++) {
    uint64_t origin = km_text_origin(source, out, out->n_bytes * (uint64_t)i / 4);
    require(origin >= before && origin <= source->n_bytes);
    before = origin;
  }
  require(before == source->n_bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const names[16] = {NULL,          NULL,     "UTF-8",  "GBK",    "Big5",   "Shift_JIS",
                                        "EUC-KR",      "EUC-JP", "latin1", "JOHAB",  "IBM866", "windows-1251",
                                        "ISO-2022-JP", "utf16",  "??",     "no-such"};
  static km_text_decoder *decoder; /* kept as a worker keeps it */
  if (size == 0)
    return 0;
  if (!decoder)
    require((decoder = km_text_decoder_new()) != NULL);
  const char *bytes = (const char *)data + 1;
  size_t n = size - 1;
  km_text_source source = {bytes, n, names[data[0] & 15], names[(data[0] >> 4) & 7], data[0] >> 7};
  km_arena arena;
  km_decoded out, again;
  km_arena_init(&arena);
  require(km_text_decode(decoder, &source, &arena, &out, NULL) == KM_OK);
  require(slow_is_utf8((const unsigned char *)out.bytes, out.n_bytes));
  require(out.n_bytes == 0 || !memchr(out.bytes, 0, out.n_bytes));
  int valid = slow_is_utf8(data + 1, n);
  require(km_text_is_utf8(bytes, n) == valid);
  if (valid && strcmp(out.encoding, "UTF-8") == 0)
    require(out.n_escaped == 0);
  if (out.same_offsets)
    require(out.bytes == bytes && out.n_bytes == n);
  require(km_text_decode(decoder, &source, &arena, &again, NULL) == KM_OK);
  require(again.n_bytes == out.n_bytes && memcmp(again.bytes, out.bytes, out.n_bytes) == 0);
  require(strcmp(again.encoding, out.encoding) == 0 && again.n_escaped == out.n_escaped);
  check_origins(&source, &out);
  km_arena_clear(&arena);
  return 0;
}
