/* bench_shards.c: rows a second from games.h5 to shards, beside the compression of the same chunks alone.
 *
 * Settings are options of kifu-planes (symmetries=random, memory=64M …). Shards go to memory (/dev/shm) where there is
 * such a folder. The floor packs every chunk of every column of all shards again by the same codec and level. Times
 * are of the processor, but for the gain of the second thread, which is of the clock. The digest is of all chunks as
 * they were before they were packed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "kifumill/shard_store.h"
#include "planes_stage.h"
#include "stored_games.h"

enum { ROUNDS = 5, GAMES = 5000, QUICK_GAMES = 40, PATH_BYTES = 512 };

/* A chunk as it was before it was packed. */
typedef struct chunk {
  unsigned char *raw;
  size_t n_bytes, element_bytes;
} chunk;

typedef struct bench {
  stored_games stored;
  char output[PATH_BYTES];
  km_planes_options options;
  chunk *chunks;
  size_t n_chunks, chunk_room, largest;
  uint64_t n_rows, n_bytes; /* of the shards */
  km_codec_ctx *codec;
  void *packed;
} bench;

static km_err err;

static void check(km_status status) {
  if (status < 0)
    bench_die(err.msg);
}

/* ---- the floor ------------------------------------------------------------------------------------------------- */

static unsigned char *add_chunk(bench *b, size_t n_bytes, size_t element_bytes) {
  if (b->n_chunks == b->chunk_room) {
    b->chunk_room = b->chunk_room * 2 + 1024;
    b->chunks = bench_need(realloc(b->chunks, b->chunk_room * sizeof *b->chunks));
  }
  unsigned char *raw = bench_need(calloc(1, n_bytes));
  b->chunks[b->n_chunks++] = (chunk){raw, n_bytes, element_bytes};
  b->largest = n_bytes > b->largest ? n_bytes : b->largest;
  return raw;
}

/* The chunks of a column, padded as they are in the file. */
static void read_column(bench *b, km_h5 *file, const char *name) {
  km_h5_info info;
  char path[64];
  snprintf(path, sizeof path, "/%.40s", name);
  check(km_h5_find(file, path, &info, &err));
  km_column column = {.name = path, .type = info.type, .inner_rank = info.inner_rank};
  memcpy(column.inner, info.inner, sizeof column.inner);
  size_t row = km_column_row_bytes(&column);
  for (uint64_t first = 0; first < info.n_rows; first += info.chunk_rows) {
    uint64_t n = info.n_rows - first < info.chunk_rows ? info.n_rows - first : info.chunk_rows;
    unsigned char *raw = add_chunk(b, (size_t)info.chunk_rows * row, info.shuffled ? km_type_bytes(info.type) : 1);
    check(km_h5_read(file, &column, first, n, raw, &err));
  }
}

static void read_shard(bench *b, const char *name) {
  char path[2 * PATH_BYTES];
  km_h5 *file;
  char **names;
  size_t n_names;
  snprintf(path, sizeof path, "%s/%s", b->output, name);
  check(km_h5_open(&file, path, KM_SHARD_FORMAT, &err));
  check(km_h5_list(file, "/", &names, &n_names, &err));
  for (size_t k = 0; k < n_names; k++)
    if (!km_h5_is_group(file, names[k]))
      read_column(b, file, names[k]);
  free(names);
  km_h5_close(file);
}

static void free_chunks(bench *b) {
  for (size_t i = 0; i < b->n_chunks; i++)
    free(b->chunks[i].raw);
  b->n_chunks = 0;
  b->n_rows = b->n_bytes = 0;
}

static void read_shards(bench *b) {
  char path[PATH_BYTES + 32];
  km_manifest *manifest;
  free_chunks(b);
  snprintf(path, sizeof path, "%s/" KM_MANIFEST_NAME, b->output);
  check(km_manifest_read(&manifest, path, &err));
  for (size_t i = 0; i < manifest->n_files; i++)
    if (!manifest->files[i].is_virtual) {
      b->n_rows += manifest->files[i].n_rows;
      b->n_bytes += manifest->files[i].n_bytes;
      read_shard(b, manifest->files[i].name);
    }
  km_manifest_free(manifest);
}

static void compress(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (size_t i = 0; i < b->n_chunks; i++) {
    size_t n;
    const chunk *c = &b->chunks[i];
    check(km_codec_pack(b->codec, b->packed, &n, c->raw, c->n_bytes, c->element_bytes, &err));
    bench_written(b->packed);
  }
  sample->n_units = (double)b->n_rows;
}

/* ---- the stage ------------------------------------------------------------------------------------------------- */

static void run_planes(bench *b, int threads) {
  km_stage_outcome outcome;
  stored_games_empty(b->output);
  b->options.run.threads = threads;
  check(km_planes_run(&b->options, &outcome, &err));
}

/* How a run of the stage is timed. */
typedef struct timing {
  int threads, by_clock;
} timing;

static void run_stage(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  const timing *t = row->argument;
  double begin = bench_clock_seconds();
  run_planes(b, t->threads);
  if (t->by_clock)
    sample->seconds = bench_clock_seconds() - begin;
  sample->n_units = (double)b->n_rows;
  sample->n_bytes = (double)b->n_bytes;
  if (!sample->wants_digest)
    return;
  read_shards(b);
  for (size_t i = 0; i < b->n_chunks; i++)
    sample->digest = bench_digest(sample->digest, b->chunks[i].raw, b->chunks[i].n_bytes);
}

static void prepare(bench *b, const bench_options *given, const char *const *inputs) {
  const km_option_table table = {km_planes_stage.rows, km_planes_stage.n_rows};
  stored_games_open(&b->stored, given, given->quick ? QUICK_GAMES : GAMES);
  snprintf(b->output, sizeof b->output, "%s/shards", b->stored.folder);
  km_planes_stage.defaults(&b->options);
  b->options.run.output = b->output;
  b->options.run.inputs = (const char **)(uintptr_t)inputs;
  b->options.run.n_inputs = 1;
  b->options.run.messages = NULL;
  for (size_t i = 0; i < given->n_settings; i++) {
    char *equals = strchr(given->settings[i], '=');
    *equals = 0;
    check(km_option_set(&table, 1, &b->options, given->settings[i], equals + 1, &err));
  }
  run_planes(b, 2);
  read_shards(b);
  km_codec codec;
  check(km_codec_parse(&codec, b->options.codec, &err));
  b->codec = bench_need(km_codec_ctx_new(codec));
  b->packed = bench_need(malloc(km_codec_bound(codec, b->largest)));
}

#define FLOOR "floor: compression"
#define ONE "one thread, by the clock"

int main(int argc, char **argv) {
  const bench_row rows[] = {
      {FLOOR, "row", .run = compress},
      {"stage, one thread", "row", run_stage, FLOOR, &(timing){1, 0}, .reach_ratio = 1 / 0.9},
      {"stage, two threads", "row", run_stage, FLOOR, &(timing){2, 0}, 0, 0},
      {ONE, "row", run_stage, NULL, &(timing){1, 1}, 0, 0},
      {"two threads, by the clock", "row", run_stage, ONE, &(timing){2, 1}, .reach_ratio = 1 / 1.8},
  };
  static bench b;
  const char *inputs[] = {b.stored.path};
  bench_options options;
  bench_options_read(&options, argc, argv,
                     "bench_shards [--json | --digests] [--quick] [--rounds N] [ARCHIVE | games.h5] [NAME=VALUE…]", ROUNDS);
  prepare(&b, &options, inputs);
  const bench_title title = {"bench_shards", "games.h5 to shuffled, compressed shards of training rows", b.stored.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  free_chunks(&b);
  free(b.chunks);
  free(b.packed);
  km_codec_ctx_free(b.codec);
  stored_games_empty(b.output);
  rmdir(b.output);
  stored_games_close(&b.stored);
  return code;
}
