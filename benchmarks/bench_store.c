/* bench_store.c: what the stores cost: games.h5 written, opened and read; hbs.h5 written and read, beside
 * computing it anew.
 *
 *     bench_store [GAMES.h5] [GAMES]
 *
 * The games of a games.h5 (19×19; random ones without it), taken over and over until there are GAMES
 * (20,000). Files go to a scratch folder under TMPDIR. Floors: the bytes of the file written and synced; the
 * moves copied; S computed by replay. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "flat_games.h"
#include "kifumill/games_store.h"
#include "kifumill/hbs_store.h"
#include "kifumill/hbs_trajectory.h"
#include "kifumill/outfile.h"

enum { ROUNDS = 5, GAMES_DEFAULT = 20000, GAMES_DISTINCT = 20000, SIDE = 19, BLOCK_GAMES = 256 };

typedef struct bench {
  flat_games random;
  km_games *given;
  km_arena arena;
  uint64_t n_distinct, n_games, n_positions;
  char folder[200], games[256], hbs[256], floor[256];
  km_hbs_geometry geometry;
  km_hbs_schema schema;
} bench;

static const km_store_origin origin = {.command = "bench_store", .config = "", .input_digest = ""};

static void die(const km_err *err) {
  fprintf(stderr, "bench_store: %s\n", err->msg);
  exit(1);
}
#define MUST(call)                                                                                           \
  do {                                                                                                       \
    if ((call) != KM_OK)                                                                                     \
      die(&err);                                                                                             \
  } while (0)

static void take_game(bench *b, uint64_t i, km_game *game) {
  km_err err;
  i %= b->n_distinct;
  if (!b->given) {
    *game = b->random.games[i];
    return;
  }
  km_arena_reset(&b->arena);
  MUST(km_games_game(b->given, i, &b->arena, game, &err));
}

static uint64_t write_games(bench *b) {
  km_err err;
  km_games_writer *writer;
  MUST(km_games_writer_open(&writer, b->games, &origin, 1, &err));
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game game;
    take_game(b, i, &game);
    game.final_to_play = KM_BLACK;
    km_game_keys keys = {{km_mix64(i), i}, {i, i}};
    MUST(km_games_writer_add(writer, &game, &keys, NULL, &err));
  }
  MUST(km_games_writer_finish(writer, NULL, &err));
  return 0;
}

static uint64_t write_floor(bench *b) {
  km_err err;
  struct stat st;
  if (stat(b->games, &st))
    exit(1);
  char *bytes = calloc(1, (size_t)st.st_size);
  if (!bytes)
    exit(1);
  MUST(km_outfile_put(b->floor, bytes, (size_t)st.st_size, 1, &err));
  free(bytes);
  return 0;
}

static uint64_t open_games(bench *b) {
  km_err err;
  km_games *games;
  MUST(km_games_open(&games, b->games, &err));
  uint64_t n = km_games_n_moves_total(games);
  km_games_close(games);
  return n;
}

static uint64_t read_games(bench *b) {
  km_err err;
  km_games *games;
  uint64_t digest = 0;
  MUST(km_games_open(&games, b->games, &err));
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game game;
    km_arena_reset(&b->arena);
    MUST(km_games_game(games, i, &b->arena, &game, &err));
    digest += game.n_moves ? game.moves[game.n_moves - 1].point : 0;
    if (i % BLOCK_GAMES == BLOCK_GAMES - 1)
      km_games_release(games, i + 1 - BLOCK_GAMES, BLOCK_GAMES);
  }
  km_games_close(games);
  return digest;
}

/* S and log2 of one game into a block, or only computed. */
static void compute(bench *b, const km_game *game, uint64_t *s, double *log2) {
  const km_replay_options strict = {0};
  km_replay replay;
  km_hbs hbs;
  km_replay_init(&replay, game, &strict);
  km_hbs_init(&hbs, &b->geometry);
  km_hbs_trajectory(&replay, &hbs, &(km_hbs_series){s, NULL}, 1);
  km_hbs_log2_series(log2, s, replay.ply + 1u, 2);
}

static uint64_t compute_hbs(bench *b) {
  static uint64_t s[2 * 4096];
  static double log2[4096];
  uint64_t digest = 0;
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game game;
    take_game(b, i, &game);
    compute(b, &game, s, log2);
    digest += s[2 * game.n_moves] ^ (uint64_t)log2[game.n_moves];
  }
  return digest;
}

static uint64_t write_hbs(bench *b) {
  km_err err;
  km_hbs_writer *writer;
  uint64_t *offsets = calloc(b->n_games + 1, sizeof *offsets);
  km_block *block = km_block_new(&b->schema.table);
  if (!offsets || !block)
    exit(1);
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game game;
    take_game(b, i, &game);
    offsets[i + 1] = offsets[i] + game.n_moves + 1;
  }
  b->n_positions = offsets[b->n_games];
  MUST(km_hbs_writer_open(&writer, b->hbs, &b->schema, &origin, 1, &err));
  MUST(km_hbs_writer_offsets(writer, offsets, b->n_games, &err));
  for (uint64_t i = 0; i < b->n_games; i += BLOCK_GAMES) {
    uint64_t last = i + BLOCK_GAMES < b->n_games ? i + BLOCK_GAMES : b->n_games;
    km_block_reset(block, offsets[i]);
    MUST(km_block_extend(block, offsets[last] - offsets[i], &err));
    for (uint64_t k = i; k < last; k++) {
      km_game game;
      take_game(b, k, &game);
      uint64_t at = offsets[k] - offsets[i];
      compute(b, &game, (uint64_t *)km_block_rows(block, 0) + 2 * at, (double *)km_block_rows(block, 1) + at);
    }
    MUST(km_block_pack(block, &err));
    MUST(km_hbs_writer_append(writer, block, &err));
  }
  MUST(km_hbs_writer_finish(writer, &err));
  km_block_free(block);
  free(offsets);
  return b->n_positions;
}

static uint64_t read_hbs(bench *b) {
  km_err err;
  km_hbs_store *hbs;
  uint64_t digest = 0;
  MUST(km_hbs_store_open(&hbs, b->hbs, &err));
  km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
  if (!cursor)
    exit(1);
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_hbs_store_series series;
    MUST(km_hbs_store_game(cursor, &(km_hbs_store_what){i, 0, 0}, &series, &err));
    digest += series.s[2 * series.n - 2] ^ (uint64_t)series.log2[series.n - 1];
  }
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  return digest;
}

typedef struct row {
  const char *name;
  uint64_t (*run)(bench *b);
  int per_position; /* else a game */
  const char *file; /* whose size is printed */
} row;

static void run_row(bench *b, const row *r) {
  double seconds[ROUNDS];
  uint64_t digest = 0;
  for (int i = 0; i < ROUNDS; i++) {
    double start = seconds_now();
    digest = r->run(b);
    seconds[i] = seconds_now() - start;
  }
  double n = (double)(r->per_position ? b->n_positions : b->n_games), median = median_of(seconds, ROUNDS);
  struct stat st = {0};
  if (r->file && stat(r->file, &st))
    exit(1);
  printf("%-28s %10.1f ms %10.1f ns a %-8s  digest %016llx", r->name, median * 1e3, median * 1e9 / n,
         r->per_position ? "position" : "game", (unsigned long long)digest);
  if (r->file)
    printf("  %.1f MB, %.2f bytes a %s", (double)st.st_size / 1e6, (double)st.st_size / n,
           r->per_position ? "position" : "game");
  printf("\n");
}

static void prepare(bench *b, int argc, char **argv) {
  km_err err;
  const char *base = getenv("TMPDIR");
  snprintf(b->folder, sizeof b->folder, "%s/kifumill-bench-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(b->folder))
    exit(1);
  snprintf(b->games, sizeof b->games, "%s/games.h5", b->folder);
  snprintf(b->hbs, sizeof b->hbs, "%s/hbs.h5", b->folder);
  snprintf(b->floor, sizeof b->floor, "%s/floor", b->folder);
  km_arena_init(&b->arena);
  if (argc > 1 && argv[1][0]) {
    MUST(km_games_open(&b->given, argv[1], &err));
    b->n_distinct = km_games_count(b->given);
  } else {
    flat_games_load(&b->random, NULL, 2000);
    b->n_distinct = b->random.n_games;
  }
  if (b->n_distinct > GAMES_DISTINCT)
    b->n_distinct = GAMES_DISTINCT;
  b->n_games = argc > 2 ? strtoull(argv[2], NULL, 10) : GAMES_DEFAULT;
  MUST(km_hbs_geometry_init(&b->geometry, SIDE, SIDE, (km_hbs_variant){0}, &err));
  MUST(km_hbs_schema_init(
      &b->schema, &(km_hbs_shape){.n_limbs = 2, .n_colours = 1, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}},
      &err));
}

int main(int argc, char **argv) {
  static bench b;
  prepare(&b, argc, argv);
  const row rows[] = {
      {"games.h5: write", write_games, 0, b.games},
      {"  floor: bytes, synced", write_floor, 0, NULL},
      {"games.h5: open", open_games, 0, NULL},
      {"games.h5: open and read", read_games, 0, NULL},
      {"hbs.h5: compute and write", write_hbs, 1, b.hbs},
      {"  compute alone", compute_hbs, 1, NULL},
      {"hbs.h5: open and read", read_hbs, 1, NULL},
  };
  printf("%llu games\n", (unsigned long long)b.n_games);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    run_row(&b, &rows[i]);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("peak memory %ld MB\n", usage.ru_maxrss / 1024);
  unlink(b.games);
  unlink(b.hbs);
  unlink(b.floor);
  rmdir(b.folder);
  km_games_close(b.given);
  flat_games_clear(&b.random);
  km_arena_clear(&b.arena);
  return 0;
}
