/* foreign.c: what a file is that is no SGF: by its first bytes, as file(1) does, for what lies beside records
 * in people's archives. Text kinds are known by their first word, whatever blanks or byte order mark stand
 * before it. */
#include "foreign.h"

#include <string.h>
#include <strings.h>

typedef struct magic {
  unsigned char offset, n_bytes;
  const char *bytes;
  const char *kind;
} magic;

static const magic binary_kinds[] = {
    {0, 4, "PK\3\4", "zip archive"},
    {0, 4, "PK\5\6", "zip archive"},
    {0, 6, "7z\xbc\xaf\x27\x1c", "7z archive"},
    {0, 6, "Rar!\x1a\x07", "RAR archive"},
    {0, 2, "\x1f\x8b", "gzip data"},
    {0, 3, "BZh", "bzip2 data"},
    {0, 6,
     "\xfd"
     "7zXZ\0",
     "xz data"},
    {0, 4, "\x28\xb5\x2f\xfd", "Zstandard data"},
    {0, 4, "\x04\x22\x4d\x18", "LZ4 data"},
    {0, 4, "MSCF", "cabinet archive"},
    {2, 3, "-lh", "LHA archive"},
    {0, 2, "\x60\xea", "ARJ archive"},
    {0, 4, "ITSF", "compiled HTML help"},
    {0, 8, "\x89HDF\r\n\x1a\n", "HDF5 file"},
    {0, 16, "SQLite format 3\0", "SQLite database"},
    {0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office document"},
    {0, 4,
     "\x7f"
     "ELF",
     "ELF program"},
    {0, 2, "MZ", "DOS or Windows program"},
    {0, 8, "\x89PNG\r\n\x1a\n", "PNG image"},
    {0, 3, "\xff\xd8\xff", "JPEG image"},
    {0, 4, "GIF8", "GIF image"},
    {0, 4, "RIFF", "RIFF file (sound, video or image)"},
    {0, 5, "%PDF-", "PDF document"},
    {0, 4, "%!PS", "PostScript"},
    {0, 5, "{\\rtf", "RTF document"},
    {0, 6, "bplist", "property list"},
    {0, 4, "\0\5\x16\7", "AppleDouble file"},
    {0, 4, "\0\0\1\0", "icon"},
};

/* Compared without regard to case. */
static const struct {
  const char *word, *kind;
} text_kinds[] = {
    {"\\HS", "GIB"},
    {"\\[GIBOKIND", "GIB"},
    {"GibForm", "GIB"},
    {"[Header]", "UGF"},
    {"[Remote]", "UGF"},
    {"<!DOCTYPE html", "HTML page"},
    {"<html", "HTML page"},
    {"<head", "HTML page"},
    {"<body", "HTML page"},
    {"<script", "HTML page"},
    {"<!DOCTYPE", "XML document"},
    {"<?xml", "XML document"},
    {"<?php", "PHP script"},
    {"<Go>", "GoXML"},
    {"#!", "script"},
    {"%!", "PostScript"},
    {"<svg", "SVG image"},
    {"-----BEGIN", "PEM data"},
    {"version https://git-lfs", "Git LFS pointer"},
    {"begin 6", "uuencoded data"},
    {"HTTP/1.", "HTTP response"},
    {"GO::Game", "XGF"},
    {"[Event \"", "PGN (chess)"},
    {"# ---- Kifu", "KIF (shogi)"},
    {"# KIF", "KIF (shogi)"},
    {"#KIF", "KIF (shogi)"},
};

static int starts_with(const char *p, const char *end, const char *word) {
  size_t n = strlen(word);
  return (size_t)(end - p) >= n && strncasecmp(p, word, n) == 0;
}

/* The end of the line at p. */
static const char *line_end(const char *p, const char *end) {
  const char *newline = memchr(p, '\n', (size_t)(end - p));
  return newline ? newline : end;
}

/* NGF: a title, the board's size, two players, a server; then lines "PMABWQRRQ". */
static int is_ngf(const char *p, const char *end) {
  const char *second = line_end(p, end);
  if (second == end)
    return 0;
  second++;
  const char *stop = line_end(second, end);
  while (stop > second && (stop[-1] == '\r' || stop[-1] == ' '))
    stop--;
  if (stop - second < 1 || stop - second > 2)
    return 0;
  for (const char *q = second; q < stop; q++)
    if (*q < '0' || *q > '9')
      return 0;
  int n_lines = 0;
  for (p = second; p < end && n_lines < 3; p = line_end(p, end)) {
    p += *p == '\n';
    n_lines += end - p >= 9 && p[0] == 'P' && p[1] == 'M' && (p[4] == 'B' || p[4] == 'W');
  }
  return n_lines == 3;
}

/* JSON: '{' or '[' and then a string or another of them. */
static int is_json(const char *p, const char *end) {
  if (p == end || (*p != '{' && *p != '['))
    return 0;
  for (p++; p < end && strchr(" \t\r\n", *p); p++) {
  }
  return p < end && (*p == '"' || *p == '{');
}

static const char *kind_of_text(const char *p, const char *end) {
  for (size_t i = 0; i < sizeof text_kinds / sizeof *text_kinds; i++)
    if (starts_with(p, end, text_kinds[i].word))
      return text_kinds[i].kind;
  if (is_json(p, end))
    return "JSON";
  return is_ngf(p, end) ? "NGF" : NULL;
}

const char *km_foreign_kind(const char *bytes, size_t n_bytes) {
  size_t n = n_bytes < 1024 ? n_bytes : 1024;
  for (size_t i = 0; i < sizeof binary_kinds / sizeof *binary_kinds; i++) {
    const magic *m = &binary_kinds[i];
    if (n >= (size_t)m->offset + m->n_bytes && memcmp(bytes + m->offset, m->bytes, m->n_bytes) == 0)
      return m->kind;
  }
  const char *p = bytes, *end = bytes + n;
  if (n >= 263 && memcmp(bytes + 257, "ustar", 5) == 0)
    return "tar archive";
  if (n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
    p++;
  const char *kind = kind_of_text(p, end);
  if (kind)
    return kind;
  size_t n_nul = 0, n_control = 0;
  for (size_t i = 0; i < n; i++) {
    n_nul += bytes[i] == 0;
    n_control +=
        (unsigned char)bytes[i] < ' ' && !strchr("\t\n\v\f\r\x1a", bytes[i]); /* NUL is in the string */
  }
  if (n && n_nul == n)
    return "NUL bytes only";
  return n_control > n / 20 || n_nul > n / 4 ? "binary data" : NULL;
}
