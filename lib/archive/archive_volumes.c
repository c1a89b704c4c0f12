/* archive_volumes.c: which files make up one archive.
 *
 * Names alone prove nothing: old collections call their games honinbo.001, honinbo.002. A numbered file is
 * only a part when the first one starts like an archive and it does not (tars may: they stand one behind the other).
 * What programs that know nothing of archives cut (split, HJSplit) is numbered from 0 or 1, in digits or letters. */
#include "archive_volumes.h"

#include <ctype.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PARTS_MAX = 10000, GAP_LOOK = 8, HEAD_BYTES = 512 };

typedef enum volume_kind {
  VOLUME_NONE,
  VOLUME_NUMBERED, /* x.7z.001, x.tar.gz.00, x.tgz.part1 */
  VOLUME_LETTERED, /* x.tar.gz.aa */
  VOLUME_RAR_PART,
  VOLUME_RAR_OLD,
  VOLUME_ZIP
} volume_kind;

/* A name as kind, number and the text around the number. */
typedef struct volume {
  volume_kind kind;
  unsigned number; /* in reading order; the zip itself is 0 and read last */
  unsigned digits;
  size_t n_stem; /* bytes before the number, or before the letter of the suffix */
} volume;

static unsigned number_at(const char *text, unsigned digits) {
  unsigned n = 0;
  for (unsigned i = 0; i < digits; i++)
    n = n * 10 + (unsigned)(text[i] - '0');
  return n;
}

/* Whether the n bytes of a name say that it is an archive: "games.7z." of games.7z.002, "games.7z.part" of
 * games.7z.part2. */
static bool stem_names_archive(const char *name, size_t n) {
  static const char *const suffixes[] = {".7z.",  ".zip.", ".rar.",  ".tar.", ".gz.", ".tgz.", ".bz2.", ".bz.", ".tbz.", ".xz.",
                                         ".txz.", ".zst.", ".tzst.", ".lz.",  ".Z.",  ".lz4.", ".iso.", ".lzma."};
  if (n > 4 && strncasecmp(name + n - 4, "part", 4) == 0)
    n -= 4;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    size_t k = strlen(suffixes[i]);
    if (n > k && strncasecmp(name + n - k, suffixes[i], k) == 0)
      return true;
  }
  return false;
}

/* The last suffix of x.tar.gz is letters too. */
static bool names_archive(const char *suffix) {
  char dotted[16];
  int n = snprintf(dotted, sizeof dotted, "x.%s.", suffix);
  return stem_names_archive(dotted, (size_t)n);
}

/* What split makes: letters, one digit or two, or "part" and digits behind the name of an archive. */
static volume parse_cut(const char *path, size_t n, unsigned digits) {
  unsigned letters = 0, number = 0;
  size_t at = n - digits;
  if (digits && digits <= 2 + (path[at - 1] != '.') && stem_names_archive(path, at))
    return (volume){VOLUME_NUMBERED, number_at(path + at, digits), digits, at};
  while (letters < n && letters < 4 && path[n - 1 - letters] >= 'a' && path[n - 1 - letters] <= 'z')
    letters++;
  for (size_t i = n - letters; i < n; i++)
    number = number * 26 + (unsigned)(path[i] - 'a');
  if (letters >= 2 && letters <= 3 && stem_names_archive(path, n - letters) && !names_archive(path + n - letters))
    return (volume){VOLUME_LETTERED, number, letters, n - letters};
  return (volume){0};
}

static volume parse(const char *path) {
  volume v = {0};
  size_t n = strlen(path);
  unsigned digits = 0;
  while (digits < n && digits < 6 && isdigit((unsigned char)path[n - 1 - digits]))
    digits++;
  size_t at = n - digits; /* of the digits */
  if (digits >= 3 && at >= 2 && path[at - 1] == '.') {
    v = (volume){VOLUME_NUMBERED, number_at(path + at, digits), digits, at};
  } else if (digits == 2 && at >= 3 && path[at - 2] == '.' && tolower((unsigned char)path[at - 1]) == 'r') {
    v = (volume){VOLUME_RAR_OLD, number_at(path + at, 2) + 2, 2, at - 1};
  } else if (digits == 2 && at >= 3 && path[at - 2] == '.' && tolower((unsigned char)path[at - 1]) == 'z') {
    v = (volume){VOLUME_ZIP, number_at(path + at, 2), 2, at - 1};
  } else if (n > 4 && strcasecmp(path + n - 4, ".zip") == 0) {
    v = (volume){VOLUME_ZIP, 0, 2, n - 3};
  } else if (n > 4 && strcasecmp(path + n - 4, ".rar") == 0) {
    size_t end = n - 4;
    digits = 0;
    while (digits < end && digits < 5 && isdigit((unsigned char)path[end - 1 - digits]))
      digits++;
    at = end - digits;
    if (digits && at > 5 && strncasecmp(path + at - 5, ".part", 5) == 0)
      v = (volume){VOLUME_RAR_PART, number_at(path + at, digits), digits, at};
    else
      v = (volume){VOLUME_RAR_OLD, 1, 2, n - 3};
  }
  return v.kind ? v : parse_cut(path, n, digits);
}

/* The path of part number of the set that path belongs to; false when it does not fit. */
static bool part_path(char *out, size_t n_out, const char *path, const volume *v, unsigned number) {
  int stem = (int)v->n_stem, n = 0;
  bool upper = isupper((unsigned char)path[v->n_stem]);
  switch (v->kind) {
  case VOLUME_NUMBERED:
    n = snprintf(out, n_out, "%.*s%0*u", stem, path, (int)v->digits, number);
    break;
  case VOLUME_LETTERED:
    n = snprintf(out, n_out, "%.*s", stem + (int)v->digits, path);
    for (unsigned i = v->digits; n > 0 && (size_t)n < n_out && i-- > 0; number /= 26)
      out[v->n_stem + i] = (char)('a' + number % 26);
    return n > 0 && (size_t)n < n_out && number == 0;
  case VOLUME_RAR_PART:
    n = snprintf(out, n_out, "%.*s%0*u%s", stem, path, (int)v->digits, number, path + v->n_stem + v->digits);
    break;
  case VOLUME_RAR_OLD:
    n = number == 1 ? snprintf(out, n_out, "%.*s%s", stem, path, upper ? "RAR" : "rar")
                    : snprintf(out, n_out, "%.*s%c%02u", stem, path, upper ? 'R' : 'r', number - 2);
    break;
  default:
    n = number == 0 ? snprintf(out, n_out, "%.*s%s", stem, path, upper ? "ZIP" : "zip")
                    : snprintf(out, n_out, "%.*s%c%02u", stem, path, upper ? 'Z' : 'z', number);
    break;
  }
  return n > 0 && (size_t)n < n_out;
}

static bool exists(const char *path) {
  return access(path, F_OK) == 0;
}

static km_magic magic_of_file(const char *path) {
  uint8_t head[HEAD_BYTES];
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return KM_MAGIC_NONE;
  ssize_t n = read(fd, head, sizeof head);
  close(fd);
  return n > 0 ? km_magic_detect(head, (size_t)n) : KM_MAGIC_NONE;
}

static bool is_rar(km_magic magic) {
  return magic == KM_MAGIC_RAR || magic == KM_MAGIC_RAR5;
}

static bool is_cut(volume_kind kind) {
  return kind == VOLUME_NUMBERED || kind == VOLUME_LETTERED;
}

/* The number of the part that stands for the set: .00 as split begins, .001 as packers do, unless there is a .000. */
static unsigned main_number(const char *path, const volume *v) {
  char first[4096];
  if (v->kind == VOLUME_NUMBERED && v->digits == 2 && path[v->n_stem - 1] == '.')
    return 0;
  if (v->kind == VOLUME_NUMBERED)
    return v->number == 0 || (part_path(first, sizeof first, path, v, 0) && exists(first)) ? 0 : 1;
  return v->kind == VOLUME_ZIP || v->kind == VOLUME_LETTERED ? 0 : 1;
}

/* Whether the content of a later part fits its name. */
static bool part_fits(const char *path, const volume *v, const char *main_path, bool has_main) {
  if (v->kind == VOLUME_LETTERED && !has_main && v->number >= 26) /* .ab to .az may be parts, .sig and .sgf are not */
    return false;
  if (is_cut(v->kind) && !has_main)
    return stem_names_archive(path, v->n_stem) && magic_of_file(path) == KM_MAGIC_NONE;
  if (is_cut(v->kind)) {
    km_magic of_main = magic_of_file(main_path), of_part = magic_of_file(path);
    return of_main != KM_MAGIC_NONE && (of_part == KM_MAGIC_NONE || (of_part == of_main && of_main == KM_MAGIC_TAR));
  }
  if (v->kind == VOLUME_ZIP)
    return has_main || magic_of_file(path) == KM_MAGIC_ZIP;
  return is_rar(magic_of_file(path));
}

bool km_volume_is_later(const char *path, char *main_path, size_t n_path, bool *has_main) {
  volume v = parse(path);
  unsigned first = main_number(path, &v);
  *has_main = false;
  if (v.kind == VOLUME_NONE || v.number == first || !part_path(main_path, n_path, path, &v, first))
    return false;
  *has_main = exists(main_path);
  return part_fits(path, &v, main_path, *has_main);
}

void km_volumes_clear(km_volumes *volumes) {
  for (unsigned i = 0; i < volumes->n; i++)
    free(volumes->paths[i]);
  free(volumes->paths);
  *volumes = (km_volumes){0};
}

static km_status add_part(km_volumes *volumes, const char *path) {
  char **paths = realloc(volumes->paths, (volumes->n + 1) * sizeof *paths);
  if (!paths)
    return KM_ERR_NOMEM;
  volumes->paths = paths;
  paths[volumes->n] = strdup(path);
  if (!paths[volumes->n])
    return KM_ERR_NOMEM;
  volumes->n++;
  return KM_OK;
}

/* Parts from number on while they are there; then whether one behind the gap is. */
static km_status add_parts(km_volumes *volumes, const char *path, const volume *v, unsigned number) {
  char part[4096], ahead[4096];
  km_status status = KM_OK;
  while (!status && number < PARTS_MAX && part_path(part, sizeof part, path, v, number) && exists(part)) {
    status = add_part(volumes, part);
    number++;
  }
  for (unsigned i = 1; i <= GAP_LOOK && !status; i++)
    if (part_path(ahead, sizeof ahead, path, v, number + i) && exists(ahead)) {
      snprintf(volumes->missing, sizeof volumes->missing, "%.255s", basename(part));
      break;
    }
  return status;
}

km_status km_volumes_find(km_volumes *volumes, const char *path) {
  volume v = parse(path);
  char part[4096];
  *volumes = (km_volumes){0};
  unsigned first = main_number(path, &v);
  bool is_main = v.kind != VOLUME_NONE && v.number == first;
  km_status status = KM_OK;
  if (v.kind == VOLUME_ZIP && is_main)
    status = add_parts(volumes, path, &v, 1);
  if (!status)
    status = add_part(volumes, path);
  /* A numbered set must start like an archive, and its second part must fit. */
  if (!status && v.kind != VOLUME_ZIP && is_main && part_path(part, sizeof part, path, &v, first + 1) &&
      (!is_cut(v.kind) || (magic_of_file(path) != KM_MAGIC_NONE &&
                           (!exists(part) || part_fits(part, &v, path, true)))))
    status = add_parts(volumes, path, &v, first + 1);
  volumes->is_set = volumes->n > 1 || (is_main && (is_cut(v.kind) || v.kind == VOLUME_RAR_PART));
  if (status)
    km_volumes_clear(volumes);
  return status;
}
