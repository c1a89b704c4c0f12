/* archive_magic.c: recognition of containers and filters by content.
 *
 * The common case is an SGF text, which is told from everything else by its first byte: no signature starts
 * with a byte that opens a game record, except a tar header or an ISO image, whose signature stands further
 * in. */
#include "archive_magic.h"

#include <string.h>

typedef struct signature {
  uint16_t offset;
  uint8_t length;
  uint8_t magic; /* km_magic */
  char bytes[9];
} signature;

static const signature signatures[] = {
    {0, 3, KM_MAGIC_GZIP, "\x1f\x8b\x08"},
    {0, 4, KM_MAGIC_ZSTD, "\x28\xb5\x2f\xfd"},
    {0, 6, KM_MAGIC_XZ,
     "\xfd"
     "7zXZ\0"},
    {0, 4, KM_MAGIC_LZIP, "LZIP"},
    {0, 4, KM_MAGIC_LZ4, "\x04\x22\x4d\x18"},
    {0, 4, KM_MAGIC_LZ4, "\x02\x21\x4c\x18"},
    {0, 2, KM_MAGIC_COMPRESS, "\x1f\x9d"},
    {0, 4, KM_MAGIC_RPM, "\xed\xab\xee\xdb"},
    {0, 4, KM_MAGIC_FOREIGN_FILTER, "LRZI"},
    {0, 8, KM_MAGIC_FOREIGN_FILTER, "\x89LZO\0\r\n\x1a"},
    {0, 7, KM_MAGIC_FOREIGN_FILTER, "GRZipII"},
    {0, 4, KM_MAGIC_ZIP, "PK\x03\x04"},
    {0, 4, KM_MAGIC_ZIP, "PK\x05\x06"},
    {0, 4, KM_MAGIC_ZIP, "PK\x07\x08"},
    {0, 4, KM_MAGIC_ZIP, "PK00"}, /* a split zip that fitted one part */
    {0, 6, KM_MAGIC_7Z, "7z\xbc\xaf\x27\x1c"},
    {0, 7, KM_MAGIC_RAR, "Rar!\x1a\x07\0"},
    {0, 8, KM_MAGIC_RAR5, "Rar!\x1a\x07\x01\0"},
    {0, 4, KM_MAGIC_CAB, "MSCF"},
    {0, 4, KM_MAGIC_XAR, "xar!"},
    {0, 8, KM_MAGIC_AR, "!<arch>\n"},
    {0, 6, KM_MAGIC_CPIO, "070701"},
    {0, 6, KM_MAGIC_CPIO, "070702"},
    {0, 6, KM_MAGIC_CPIO, "070707"},
    {0, 2, KM_MAGIC_CPIO, "\xc7\x71"},
    {0, 2, KM_MAGIC_CPIO, "\x71\xc7"},
    {0, 5, KM_MAGIC_WARC, "WARC/"},
    {0, 2, KM_MAGIC_PROGRAM, "MZ"},
    {0, 4, KM_MAGIC_PROGRAM,
     "\x7f"
     "ELF"},
    {257, 5, KM_MAGIC_TAR, "ustar"},
    {32769, 5, KM_MAGIC_ISO, "CD001"},
};

static bool has_signature(const signature *s, const uint8_t *bytes, size_t n_bytes) {
  return n_bytes >= (size_t)s->offset + s->length && memcmp(bytes + s->offset, s->bytes, s->length) == 0;
}

/* A tar header proves itself by the sum of its bytes, its own field counted as blanks; old tars have nothing
 * else. */
static bool is_tar_header(const uint8_t *bytes, size_t n_bytes) {
  if (n_bytes < 512 || bytes[0] == 0)
    return false;
  unsigned stated = 0, unsigned_sum = 0, digits = 0;
  int signed_sum = 0;
  for (unsigned i = 148; i < 156; i++) {
    if (bytes[i] >= '0' && bytes[i] <= '7') {
      stated = stated * 8 + (bytes[i] - '0');
      digits++;
    } else if (bytes[i] != ' ' && bytes[i] != 0) {
      return false;
    }
  }
  for (unsigned i = 0; i < 512; i++) {
    uint8_t byte = i >= 148 && i < 156 ? ' ' : bytes[i];
    unsigned_sum += byte;
    signed_sum += (int8_t)byte;
  }
  return digits > 0 && (stated == unsigned_sum || (int)stated == signed_sum);
}

/* "begin 644 name" or "begin-base64 644 name". */
static bool is_uuencoded(const uint8_t *bytes, size_t n_bytes) {
  size_t at = n_bytes > 13 && memcmp(bytes, "begin-base64 ", 13) == 0 ? 13
              : n_bytes > 6 && memcmp(bytes, "begin ", 6) == 0        ? 6
                                                                      : 0;
  if (!at || n_bytes < at + 5)
    return false;
  for (size_t i = at; i < at + 3; i++)
    if (bytes[i] < '0' || bytes[i] > '7')
      return false;
  return bytes[at + 3] == ' ';
}

/* "BZh" level, then a block or the end of the stream (pi or its square root, in BCD). */
static bool is_bzip2(const uint8_t *b, size_t n_bytes) {
  return n_bytes >= 10 && memcmp(b, "BZh", 3) == 0 && b[3] >= '1' && b[3] <= '9' &&
         (memcmp(b + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
          memcmp(b + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* The old .lzma has no signature: usual properties, a dictionary of 2^n or 2^n + 2^(n-1), a size that is
 * believable. */
static bool is_lzma_alone(const uint8_t *b, size_t n_bytes) {
  if (n_bytes < 14 || b[0] != 0x5d || b[13] != 0)
    return false;
  uint32_t dictionary;
  uint64_t size;
  memcpy(&dictionary, b + 1, 4);
  memcpy(&size, b + 5, 8);
  uint32_t rest = dictionary & (dictionary - 1);
  bool usual = dictionary >= 4096 && (rest == 0 || rest == dictionary >> 1 || (rest & (rest - 1)) == 0);
  return usual && (size == UINT64_MAX || size < (UINT64_C(1) << 38));
}

/* "-lh5-" at byte 2, after the header's length and check sum. */
static bool is_lha(const uint8_t *b, size_t n_bytes) {
  return n_bytes >= 21 && b[2] == '-' && b[3] == 'l' && (b[4] == 'h' || b[4] == 'z') && b[6] == '-' &&
         b[20] <= 3;
}

static bool is_skippable_zstd(const uint8_t *b, size_t n_bytes) {
  return n_bytes >= 8 && (b[0] & 0xf0) == 0x50 && memcmp(b + 1, "\x2a\x4d\x18", 3) == 0;
}

km_magic km_magic_detect(const uint8_t *bytes, size_t n_bytes) {
  if (n_bytes < 2)
    return KM_MAGIC_NONE;
  if (bytes[0] == '(' && bytes[1] == ';' && !(n_bytes >= 512 && memcmp(bytes + 257, "ustar", 5) == 0))
    return KM_MAGIC_NONE;
  for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
    if (has_signature(&signatures[i], bytes, n_bytes) &&
        (signatures[i].magic != KM_MAGIC_TAR || is_tar_header(bytes, n_bytes)))
      return (km_magic)signatures[i].magic;
  if (is_bzip2(bytes, n_bytes))
    return KM_MAGIC_BZIP2;
  if (is_skippable_zstd(bytes, n_bytes))
    return KM_MAGIC_ZSTD;
  if (is_lha(bytes, n_bytes))
    return KM_MAGIC_LHA;
  if (is_lzma_alone(bytes, n_bytes))
    return KM_MAGIC_LZMA;
  if (is_uuencoded(bytes, n_bytes))
    return KM_MAGIC_UU;
  return is_tar_header(bytes, n_bytes) ? KM_MAGIC_TAR : KM_MAGIC_NONE;
}

const char *km_magic_name(km_magic magic) {
  static const char *const names[] = {
      "bare",   "gzip", "zstd",     "xz",       "lzip", "lzma",
      "bzip2",  "lz4",  "compress", "uuencode", "rpm",  "lrzip, lzop or grzip",
      "tar",    "cpio", "ar",       "warc",     "zip",  "7z",
      "rar",    "rar5", "iso9660",  "cab",      "lha",  "xar",
      "program"};
  return names[magic];
}
