/* bench_shards.c: rows a second from games.h5 to shards, beside the compression of the same chunks alone.
 *
 *     bench_shards [games.h5 [rounds [option=value…]]]
 *
 * Without games.h5 it makes one of 1,000 random games. Options are those of kifu-planes (symmetries=random,
 * memory=64M …). Shards go to memory (/dev/shm) where there is such a folder. A round is the floor (every
 * chunk of every column of all shards, compressed again by the same codec and level), the whole stage with
 * one thread, and with two. Times are of the processor, but for the gain of the second thread, which is of
 * the clock; printed are medians and spreads, the ratio of floor to stage, bytes a row, and a digest of the
 * manifest, which has the digests of all files. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "flat_games.h"
#include "kifumill/games_store.h"
#include "kifumill/move_hash.h"
#include "kifumill/shard_store.h"
#include "planes_stage.h"

enum { ROUNDS = 5, ROUNDS_MAX = 99, GAMES = 1000, COLUMNS_MAX = 16, PATH_BYTES = 512 };

static km_err err;
static char folder[PATH_BYTES];

static void die(const char *what) {
  fprintf(stderr, "bench_shards: %s\n", what);
  exit(1);
}
static void check(km_status status) {
  if (status < 0)
    die(err.msg);
}

static double processor_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *in_folder(const char *name, char path[PATH_BYTES]) {
  snprintf(path, PATH_BYTES, "%.200s/%.200s", folder, name);
  return path;
}

static void remove_files(const char *path) {
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));)
    unlinkat(dirfd(dir), e->d_name, 0);
  if (dir)
    closedir(dir);
}

static void make_games(const char *path) {
  flat_games games;
  km_games_writer *writer;
  km_store_origin origin = {"bench_shards", "", 0, "random games"};
  flat_games_load(&games, NULL, GAMES);
  check(km_games_writer_open(&writer, path, &origin, 1, &err));
  for (size_t i = 0; i < games.n_games; i++) {
    km_game_hash hash;
    km_game *game = &games.games[i];
    game->komi = 6.5f;
    game->margin = NAN;
    game->winner = i % 2 ? KM_WINNER_BLACK : KM_WINNER_WHITE;
    km_game_hash_compute(game, KM_OPENING_MOVES, &hash);
    check(km_games_writer_add(writer, game, &(km_game_keys){hash.canonical, hash.opening}, NULL, &err));
  }
  check(km_games_writer_finish(writer, NULL, &err));
  flat_games_clear(&games);
}

/* ---- the floor
 * ------------------------------------------------------------------------------------------------- */

typedef struct chunk {
  unsigned char *raw;
  size_t n_bytes, element_bytes;
} chunk;

typedef struct chunk_list {
  chunk *chunks;
  size_t n, capacity, largest;
  uint64_t n_rows, n_bytes; /* of the shards */
} chunk_list;

static void add_chunk(chunk_list *list, size_t n_bytes, size_t element_bytes) {
  if (list->n == list->capacity) {
    list->capacity = list->capacity * 2 + 1024;
    list->chunks = realloc(list->chunks, list->capacity * sizeof *list->chunks);
  }
  unsigned char *raw = calloc(1, n_bytes);
  if (!list->chunks || !raw)
    die("out of memory");
  list->chunks[list->n++] = (chunk){raw, n_bytes, element_bytes};
  list->largest = n_bytes > list->largest ? n_bytes : list->largest;
}

/* The chunks of a column, padded as they are in the file. */
static void read_column(chunk_list *list, km_h5 *file, const char *name) {
  km_h5_info info;
  char path[64];
  snprintf(path, sizeof path, "/%.40s", name);
  check(km_h5_find(file, path, &info, &err));
  km_column column = {.name = path, .type = info.type, .inner_rank = info.inner_rank};
  memcpy(column.inner, info.inner, sizeof column.inner);
  size_t row = km_column_row_bytes(&column);
  for (uint64_t first = 0; first < info.n_rows; first += info.chunk_rows) {
    uint64_t n = info.n_rows - first < info.chunk_rows ? info.n_rows - first : info.chunk_rows;
    add_chunk(list, (size_t)info.chunk_rows * row, info.shuffled ? km_type_bytes(info.type) : 1);
    check(km_h5_read(file, &column, first, n, list->chunks[list->n - 1].raw, &err));
  }
}

static void read_shards(chunk_list *list, const char *output) {
  char path[PATH_BYTES];
  km_manifest *manifest;
  snprintf(path, sizeof path, "%.400s/" KM_MANIFEST_NAME, output);
  check(km_manifest_read(&manifest, path, &err));
  for (size_t i = 0; i < manifest->n_files; i++) {
    km_h5 *file;
    char **names;
    size_t n_names;
    if (manifest->files[i].is_virtual)
      continue;
    list->n_rows += manifest->files[i].n_rows;
    list->n_bytes += manifest->files[i].n_bytes;
    snprintf(path, sizeof path, "%.400s/%.64s", output, manifest->files[i].name);
    check(km_h5_open(&file, path, KM_SHARD_FORMAT, &err));
    check(km_h5_list(file, "/", &names, &n_names, &err));
    for (size_t k = 0; k < n_names; k++)
      if (!km_h5_is_group(file, names[k]))
        read_column(list, file, names[k]);
    free(names);
    km_h5_close(file);
  }
  km_manifest_free(manifest);
}

static double compress_all(const chunk_list *list, km_codec_ctx *codec, void *packed) {
  double begin = processor_now();
  for (size_t i = 0; i < list->n; i++) {
    size_t n;
    const chunk *c = &list->chunks[i];
    check(km_codec_pack(codec, packed, &n, c->raw, c->n_bytes, c->element_bytes, &err));
  }
  return processor_now() - begin;
}

/* ---- the stage
 * ------------------------------------------------------------------------------------------------- */

typedef struct measured {
  double processor, clock;
} measured;

static measured run_stage(km_planes_options *options, int threads) {
  km_stage_outcome outcome;
  remove_files(options->run.output);
  options->run.threads = threads;
  double processor = processor_now(), clock = seconds_now();
  check(km_planes_run(options, &outcome, &err));
  return (measured){processor_now() - processor, seconds_now() - clock};
}

static void print_line(const char *name, double *seconds, int rounds, double n_rows, double floor) {
  double median = median_of(seconds, (size_t)rounds);
  printf("%-24s %8.0f %8.0f … %8.0f %8.1f", name, 1e-3 * n_rows / median, 1e-3 * n_rows / seconds[rounds - 1],
         1e-3 * n_rows / seconds[0], 1e9 * median / n_rows);
  if (floor > 0)
    printf(" %8.3f", floor / median);
  printf("\n");
}

int main(int argc, char **argv) {
  char games[PATH_BYTES], output[PATH_BYTES], manifest[PATH_BYTES + 32], digest[33];
  int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
  snprintf(folder, sizeof folder, "%s/bench_shards.XXXXXX",
           access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  if (rounds < 1 || rounds > ROUNDS_MAX || !mkdtemp(folder))
    die("rounds are 1 to 99, and a folder for the shards is needed");
  if (argc > 1 && *argv[1])
    snprintf(games, sizeof games, "%s", argv[1]);
  else
    make_games(in_folder("games.h5", games));
  km_planes_options options;
  const char *inputs[] = {games};
  km_option_table table = {km_planes_stage.rows, km_planes_stage.n_rows};
  km_planes_stage.defaults(&options);
  options.run.output = in_folder("shards", output);
  options.run.inputs = inputs;
  options.run.n_inputs = 1;
  options.run.messages = NULL;
  for (int i = 3; i < argc; i++) {
    char *equals = strchr(argv[i], '=');
    if (!equals)
      die("options are of the form name=value");
    *equals = 0;
    check(km_option_set(&table, 1, &options, argv[i], equals + 1, &err));
  }
  double floor[ROUNDS_MAX], one[ROUNDS_MAX], two[ROUNDS_MAX], gain[ROUNDS_MAX];
  chunk_list list = {0};
  run_stage(&options, 2);
  read_shards(&list, output);
  km_codec codec;
  check(km_codec_parse(&codec, options.codec, &err));
  km_codec_ctx *ctx = km_codec_ctx_new(codec);
  void *packed = malloc(km_codec_bound(codec, list.largest));
  if (!ctx || !packed)
    die("out of memory");
  for (int i = 0; i < rounds; i++) {
    floor[i] = compress_all(&list, ctx, packed);
    measured a = run_stage(&options, 1), b = run_stage(&options, 2);
    one[i] = a.processor;
    two[i] = b.processor;
    gain[i] = a.clock / b.clock;
  }
  uint64_t n_bytes;
  snprintf(manifest, sizeof manifest, "%s/" KM_MANIFEST_NAME, output);
  check(km_file_digest(manifest, digest, &n_bytes, &err));
  double n_rows = (double)list.n_rows, floor_median = median_of(floor, (size_t)rounds);
  printf("%llu rows, %.1f bytes each on disk, %d rounds, digest %s\n", (unsigned long long)list.n_rows,
         (double)list.n_bytes / n_rows, rounds, digest);
  printf("%-24s %8s %19s %8s %8s\n", "processor time", "k rows/s", "smallest … largest", "ns/row",
         "of floor");
  print_line("floor: compression", floor, rounds, n_rows, 0);
  print_line("stage, one thread", one, rounds, n_rows, floor_median);
  print_line("stage, two threads", two, rounds, n_rows, floor_median);
  printf("two threads by the clock: %.2f times one\n", median_of(gain, (size_t)rounds));
  for (size_t i = 0; i < list.n; i++)
    free(list.chunks[i].raw);
  free(list.chunks);
  free(packed);
  km_codec_ctx_free(ctx);
  remove_files(output);
  rmdir(output);
  remove_files(folder);
  rmdir(folder);
  return 0;
}
