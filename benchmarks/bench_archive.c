/* bench_archive.c: processor time of reading an archive, beside bsdtar over the same and zstd alone.
 *
 * bsdtar runs as a child (`bsdtar -xOf FILE > /dev/null`, user and system time). The digest is of all names and all
 * bytes, which bsdtar does not have. Without an archive, one of made-up games is written for the duration. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "bench.h"
#include "corpus_file.h"
#include "kifumill/archive_reader.h"
#include "kifumill/hash.h"

enum { ROUNDS = 7, GAMES = 20000, QUICK_GAMES = 200 };

typedef struct bench {
  const char *path;
  double n_bytes; /* of all entries */
} bench;

static void read_stream(const km_inputs *inputs, size_t i, double *n_bytes, km_digest *digest) {
  km_archive_reader *reader;
  km_entry entry;
  km_err err;
  km_status status;
  if (km_archive_open(&reader, inputs, i, &err))
    bench_die(err.msg);
  while ((status = km_archive_next(reader, &entry, &err)) == KM_OK) {
    *n_bytes += entry.bytes ? (double)entry.n_bytes : 0;
    if (digest) {
      km_digest_add(digest, entry.name, strlen(entry.name) + 1);
      km_digest_add(digest, entry.bytes, entry.bytes ? entry.n_bytes : 0);
    }
  }
  if (status != KM_END)
    bench_die(err.msg);
  km_archive_close(reader);
}

static void by_reader(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_inputs *inputs;
  km_err err;
  km_digest *digest = sample->wants_digest ? bench_need(km_digest_new()) : NULL;
  b->n_bytes = 0;
  if (km_inputs_open(&inputs, &b->path, 1, NULL, &err))
    bench_die(err.msg);
  for (size_t i = 0; i < km_inputs_count(inputs); i++)
    read_stream(inputs, i, &b->n_bytes, digest);
  km_inputs_free(inputs);
  if (digest) {
    km_hash128 hash = km_digest_value(digest);
    sample->digest = hash.low ^ hash.high;
    km_digest_free(digest);
  }
  sample->n_units = b->n_bytes;
}

static void by_bsdtar(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  pid_t child = fork();
  if (child < 0)
    bench_die("cannot start a child");
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
      execlp("bsdtar", "bsdtar", "-xOf", b->path, (char *)NULL);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (wait4(child, &status, 0, &usage) != child || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
    bench_die("cannot run bsdtar (Debian: libarchive-tools)");
  sample->seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                    (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  sample->n_units = b->n_bytes;
}

/* Units are the bytes of the entries here too, so that rates compare. */
static void by_zstd(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  FILE *file = fopen(b->path, "rb");
  size_t n_in = ZSTD_DStreamInSize(), n_out = ZSTD_DStreamOutSize(), last = 0;
  char *in = bench_need(malloc(n_in)), *out = bench_need(malloc(n_out));
  ZSTD_DCtx *zstd = bench_need(ZSTD_createDCtx());
  ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 31);
  if (!file)
    bench_die("cannot read the archive");
  for (size_t n; !ZSTD_isError(last) && (n = fread(in, 1, n_in, file)) > 0;) {
    ZSTD_inBuffer input = {in, n, 0};
    while (input.pos < input.size && !ZSTD_isError(last)) {
      ZSTD_outBuffer output = {out, n_out, 0};
      last = ZSTD_decompressStream(zstd, &output, &input);
    }
  }
  if (ZSTD_isError(last))
    bench_die(ZSTD_getErrorName(last));
  ZSTD_freeDCtx(zstd);
  free(in);
  free(out);
  fclose(file);
  sample->n_units = b->n_bytes;
}

#define FLOOR "floor: bsdtar -xO"

int main(int argc, char **argv) {
  /* the reader first: it counts the bytes */
  static const bench_row rows[] = {
      {"km_archive", "byte", by_reader, .floor = FLOOR},
      {FLOOR, "byte", .run = by_bsdtar},
      {"floor: zstd alone", "byte", by_zstd, .floor = FLOOR},
  };
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_archive [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  char made[] = "/tmp/bench_archive_XXXXXX.tar.zst", input[120];
  bench b = {.path = options.input ? options.input : made};
  if (!options.input) {
    int fd = mkstemps(made, 8);
    if (fd < 0)
      bench_die("cannot make a temporary file");
    close(fd);
    corpus_file_write(made, 0, options.quick ? QUICK_GAMES : GAMES);
  }
  size_t n = strlen(b.path), n_rows = n > 4 && strcmp(b.path + n - 4, ".zst") == 0 ? 3 : 2;
  const char *slash = strrchr(b.path, '/');
  snprintf(input, sizeof input, "%.100s", options.input ? slash ? slash + 1 : b.path : "made-up games as .tar.zst");
  const bench_title title = {"bench_archive", "an archive's entries read, in one thread", input};
  int code = bench_run(&options, &title, rows, n_rows, &b);
  if (!options.input)
    unlink(made);
  return code;
}
