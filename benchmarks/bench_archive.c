/* bench_archive.c: processor time of reading an archive, beside that of bsdtar and of its filter alone.
 *
 *     bench_archive [FILE]
 *
 * Measured, a round each in turn: km_archive over all streams of FILE in one thread; `bsdtar -xOf FILE >
 * /dev/null` as a child (its user and system time); and, when FILE is a .zst, the zstd library alone. Without
 * FILE, a tar.zst of 20,000 made-up games. Printed are the median of the rounds with the smallest and
 * largest, the ratio to bsdtar, and a digest of all names and bytes, which must not change with the machine.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "kifumill/archive_reader.h"
#include "kifumill/hash.h"

enum { ROUNDS = 7, MADE_GAMES = 20000, MADE_BYTES = 1400 };

typedef struct totals {
  uint64_t n_entries, n_bytes, n_findings;
  km_hash128 digest;
} totals;

/* One way of reading; seconds of processor time, negative when it cannot be done. */
typedef double measured(const char *path, totals *sum);

static void die(const char *what) {
  fprintf(stderr, "bench_archive: %s\n", what);
  exit(1);
}

static double processor_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void read_stream(const km_inputs *inputs, size_t i, totals *sum, km_digest *digest) {
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  km_status status;
  if (km_archive_open(&reader, inputs, i, &err))
    die(err.msg);
  while ((status = km_archive_next(reader, &entry, &err)) == KM_OK) {
    sum->n_entries += entry.bytes != NULL;
    sum->n_bytes += entry.bytes ? entry.n_bytes : 0;
    sum->n_findings += entry.n_findings;
    if (digest) {
      km_digest_add(digest, entry.name, strlen(entry.name) + 1);
      km_digest_add(digest, entry.bytes, entry.bytes ? entry.n_bytes : 0);
    }
  }
  if (status != KM_END)
    die(err.msg);
  km_archive_close(reader);
}

static void read_inputs(const char *path, totals *sum, km_digest *digest) {
  km_inputs *inputs;
  km_err err;
  *sum = (totals){0};
  if (km_inputs_open(&inputs, &path, 1, NULL, &err))
    die(err.msg);
  for (size_t i = 0; i < km_inputs_count(inputs); i++)
    read_stream(inputs, i, sum, digest);
  km_inputs_free(inputs);
}

static double by_reader(const char *path, totals *sum) {
  double start = processor_seconds();
  read_inputs(path, sum, NULL);
  return processor_seconds() - start;
}

static double by_bsdtar(const char *path, totals *sum) {
  (void)sum;
  pid_t child = fork();
  if (child < 0)
    die("cannot start a child");
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
      execlp("bsdtar", "bsdtar", "-xOf", path, (char *)NULL);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    return -1;
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static double by_zstd(const char *path, totals *sum) {
  double start = processor_seconds();
  FILE *file = fopen(path, "rb");
  size_t n_in = ZSTD_DStreamInSize(), n_out = ZSTD_DStreamOutSize(), last = 0;
  char *in = malloc(n_in), *out = malloc(n_out);
  ZSTD_DCtx *context = ZSTD_createDCtx();
  if (!file || !in || !out || !context)
    die("cannot read the file, or out of memory");
  for (size_t n; !ZSTD_isError(last) && (n = fread(in, 1, n_in, file)) > 0;) {
    ZSTD_inBuffer input = {in, n, 0};
    while (input.pos < input.size && !ZSTD_isError(last)) {
      ZSTD_outBuffer output = {out, n_out, 0};
      last = ZSTD_decompressStream(context, &output, &input);
      sum->n_bytes += output.pos;
    }
  }
  ZSTD_freeDCtx(context);
  free(in);
  free(out);
  fclose(file);
  return ZSTD_isError(last) ? -1 : processor_seconds() - start;
}

/* A ustar of made-up games, compressed as a whole: the same bytes everywhere. */
static void make_archive(const char *path) {
  size_t entry = 512 + (MADE_BYTES + 511) / 512 * 512, n = MADE_GAMES * entry + 1024;
  char *tar = calloc(1, n);
  void *packed = malloc(ZSTD_compressBound(n));
  if (!tar || !packed)
    die("out of memory");
  for (unsigned i = 0; i < MADE_GAMES; i++) {
    char *head = tar + i * entry, *text = head + 512;
    snprintf(head, 100, "games/%02u/game%05u.sgf", i / 1000, i);
    strcpy(head + 100, "0000644");
    snprintf(head + 124, 12, "%011o", (unsigned)MADE_BYTES);
    strcpy(head + 136, "00000000000");
    memcpy(head + 148, "        0", 9);
    memcpy(head + 257, "ustar\00000", 8);
    unsigned sum = 0;
    for (unsigned k = 0; k < 512; k++)
      sum += (unsigned char)head[k];
    snprintf(head + 148, 8, "%06o", sum);
    size_t at = (size_t)sprintf(text, "(;GM[1]FF[4]SZ[19]GN[%05u]", i);
    for (unsigned move = 0; at + 7 < MADE_BYTES; move++, at += 6) {
      uint64_t point = km_random_below(km_random(1, i, move, KM_PURPOSE_SAMPLE), 361);
      sprintf(text + at, ";%c[%c%c]", "BW"[move % 2], (char)('a' + point % 19), (char)('a' + point / 19));
    }
    text[at] = ')';
  }
  size_t n_packed = ZSTD_compress(packed, ZSTD_compressBound(n), tar, n, 3);
  FILE *file = fopen(path, "wb");
  if (ZSTD_isError(n_packed) || !file || fwrite(packed, 1, n_packed, file) != n_packed || fclose(file))
    die("cannot write the archive");
  free(tar);
  free(packed);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const char *path) {
  static const struct {
    const char *name;
    measured *run;
  } ways[] = {{"bsdtar -xO", by_bsdtar}, {"km_archive", by_reader}, {"zstd alone", by_zstd}};
  enum { WAYS = sizeof ways / sizeof ways[0] };
  double seconds[WAYS][ROUNDS], floor = 0;
  totals sum;
  km_digest *digest = km_digest_new();
  if (!digest)
    die("out of memory");
  read_inputs(path, &sum, digest); /* also brings the file into memory */
  sum.digest = km_digest_value(digest);
  km_digest_free(digest);
  for (unsigned round = 0; round < ROUNDS; round++)
    for (unsigned w = 0; w < WAYS; w++) {
      totals unused = {0};
      seconds[w][round] = ways[w].run(path, &unused);
    }
  for (unsigned w = 0; w < WAYS; w++) {
    qsort(seconds[w], ROUNDS, sizeof seconds[w][0], ascending);
    double median = seconds[w][ROUNDS / 2];
    if (seconds[w][0] < 0) {
      printf("%-11s not possible\n", ways[w].name);
      continue;
    }
    if (w == 0)
      floor = median;
    printf("%-11s %7.1f ms (%.1f to %.1f)  %7.0f MB/s  ratio %.2f\n", ways[w].name, median * 1e3,
           seconds[w][0] * 1e3, seconds[w][ROUNDS - 1] * 1e3, (double)sum.n_bytes / median * 1e-6,
           floor > 0 ? median / floor : 0);
  }
  char hex[33];
  km_hash_hex(sum.digest, hex);
  printf("%" PRIu64 " entries, %" PRIu64 " bytes, %" PRIu64 " findings, digest %s\n", sum.n_entries,
         sum.n_bytes, sum.n_findings, hex);
}

int main(int argc, char **argv) {
  if (argc > 1) {
    measure(argv[1]);
    return 0;
  }
  char path[] = "/tmp/bench_archive_XXXXXX.tar.zst";
  int fd = mkstemps(path, 8);
  if (fd < 0)
    die("cannot make a temporary file");
  close(fd);
  make_archive(path);
  measure(path);
  unlink(path);
  return 0;
}
