/* bench_store.c: what the stores cost: games.h5 written, opened and read; hbs.h5 written and read, beside computing
 * it anew.
 *
 * Files go to a scratch folder under TMPDIR. Floors: the bytes of the file written and synced; the moves copied; S
 * computed by replay. The games are taken over and over until there are enough. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/games_store.h"
#include "kifumill/hbs_store.h"
#include "kifumill/hbs_trajectory.h"
#include "kifumill/outfile.h"

enum { ROUNDS = 5, GAMES = 20000, QUICK_GAMES = 200, DISTINCT = 5000, SIDE = 19, BLOCK_GAMES = 256, MOVES_MAX = 4096 };

typedef struct bench {
  flat_games games;
  uint64_t n_games, n_positions;
  char folder[200], games_path[256], hbs_path[256], floor_path[256];
  km_hbs_geometry geometry;
  km_hbs_schema schema;
  uint64_t s[2 * (MOVES_MAX + 1)];
  double log2[MOVES_MAX + 1];
} bench;

static const km_store_origin origin = {.command = "bench_store", .config = "", .input_digest = ""};
static km_err err;

static void check(km_status status) {
  if (status != KM_OK)
    bench_die(err.msg);
}

static const km_game *game_of(const bench *b, uint64_t i) { return &b->games.games[i % b->games.n_games]; }

static double file_bytes(const char *path) {
  struct stat st;
  if (stat(path, &st))
    bench_die("a file is gone");
  return (double)st.st_size;
}

static void write_games(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_games_writer *writer;
  check(km_games_writer_open(&writer, b->games_path, &origin, 1, &err));
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game_keys keys = {{km_mix64(i), i}, {i, i}};
    check(km_games_writer_add(writer, game_of(b, i), &keys, NULL, &err));
  }
  check(km_games_writer_finish(writer, 1, NULL, &err));
  sample->n_units = (double)b->n_games;
  sample->n_bytes = file_bytes(b->games_path);
}

static void write_floor(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  size_t n = (size_t)file_bytes(b->games_path);
  char *bytes = bench_need(calloc(1, n));
  check(km_outfile_put(b->floor_path, bytes, n, 1, &err));
  free(bytes);
  sample->n_units = (double)b->n_games;
}

static void open_games(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_games *games;
  check(km_games_open(&games, b->games_path, &err));
  sample->digest = km_games_n_moves_total(games);
  sample->n_units = (double)b->n_games;
  km_games_close(games);
}

static void read_games(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_games *games;
  km_arena arena;
  km_arena_init(&arena);
  check(km_games_open(&games, b->games_path, &err));
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_game game;
    km_arena_reset(&arena);
    check(km_games_game(games, i, &arena, &game, &err));
    if (sample->wants_digest)
      sample->digest = bench_digest(sample->digest, game.moves, game.n_moves * sizeof *game.moves);
    if (i % BLOCK_GAMES == BLOCK_GAMES - 1)
      km_games_release(games, i + 1 - BLOCK_GAMES, BLOCK_GAMES);
  }
  km_games_close(games);
  km_arena_clear(&arena);
  sample->n_units = (double)b->n_games;
}

/* S and log2 of one game. */
static void compute(bench *b, const km_game *game, uint64_t *s, double *log2) {
  const km_replay_options strict = {.mode = KM_REPLAY_STRICT};
  km_replay replay;
  km_hbs hbs;
  km_replay_init(&replay, game, &strict);
  km_hbs_init(&hbs, &b->geometry);
  km_hbs_trajectory(&replay, &hbs, &(km_hbs_series){s, NULL}, 1);
  km_hbs_log2_series(log2, s, replay.ply + 1u, 2);
}

static void compute_hbs(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  for (uint64_t i = 0; i < b->n_games; i++) {
    const km_game *game = game_of(b, i);
    compute(b, game, b->s, b->log2);
    if (sample->wants_digest)
      sample->digest = bench_digest(sample->digest, b->s, 2 * sizeof *b->s * (game->n_moves + 1));
  }
  sample->n_units = (double)b->n_positions;
}

static void write_block(bench *b, km_block *block, const uint64_t *offsets, uint64_t first, uint64_t last) {
  km_block_reset(block, offsets[first]);
  check(km_block_extend(block, offsets[last] - offsets[first], &err));
  for (uint64_t k = first; k < last; k++) {
    uint64_t at = offsets[k] - offsets[first];
    compute(b, game_of(b, k), (uint64_t *)km_block_rows(block, 0) + 2 * at, (double *)km_block_rows(block, 1) + at);
  }
  check(km_block_pack(block, &err));
}

static void write_hbs(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_hbs_writer *writer;
  uint64_t *offsets = bench_need(calloc(b->n_games + 1, sizeof *offsets));
  km_block *block = bench_need(km_block_new(&b->schema.table));
  for (uint64_t i = 0; i < b->n_games; i++)
    offsets[i + 1] = offsets[i] + game_of(b, i)->n_moves + 1;
  check(km_hbs_writer_open(&writer, b->hbs_path, &b->schema, &origin, 1, &err));
  check(km_hbs_writer_offsets(writer, offsets, b->n_games, &err));
  for (uint64_t i = 0; i < b->n_games; i += BLOCK_GAMES) {
    write_block(b, block, offsets, i, i + BLOCK_GAMES < b->n_games ? i + BLOCK_GAMES : b->n_games);
    check(km_hbs_writer_append(writer, block, &err));
  }
  check(km_hbs_writer_finish(writer, &err));
  km_block_free(block);
  free(offsets);
  sample->n_units = (double)b->n_positions;
  sample->n_bytes = file_bytes(b->hbs_path);
}

static void read_hbs(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  (void)row;
  km_hbs_store *hbs;
  check(km_hbs_store_open(&hbs, b->hbs_path, &err));
  km_hbs_store_cursor *cursor = bench_need(km_hbs_store_cursor_new(hbs));
  for (uint64_t i = 0; i < b->n_games; i++) {
    km_hbs_store_series series;
    check(km_hbs_store_game(cursor, &(km_hbs_store_what){i, 0, 0}, &series, &err));
    if (sample->wants_digest)
      sample->digest = bench_digest(sample->digest, series.s, 2 * sizeof *series.s * series.n);
  }
  km_hbs_store_cursor_free(cursor);
  km_hbs_store_close(hbs);
  sample->n_units = (double)b->n_positions;
}

static void prepare(bench *b, const bench_options *options) {
  const char *base = getenv("TMPDIR");
  snprintf(b->folder, sizeof b->folder, "%.150s/kifumill-bench-XXXXXX", base ? base : "/tmp");
  if (!mkdtemp(b->folder))
    bench_die("cannot make a scratch folder");
  snprintf(b->games_path, sizeof b->games_path, "%s/games.h5", b->folder);
  snprintf(b->hbs_path, sizeof b->hbs_path, "%s/hbs.h5", b->folder);
  snprintf(b->floor_path, sizeof b->floor_path, "%s/floor", b->folder);
  flat_games_load(&b->games, options->input, options->quick ? QUICK_GAMES : DISTINCT);
  b->n_games = options->quick ? QUICK_GAMES : GAMES;
  for (uint64_t i = 0; i < b->n_games; i++) {
    b->n_positions += game_of(b, i)->n_moves + 1u;
    if (game_of(b, i)->n_moves > MOVES_MAX)
      bench_die("a game is too long for this benchmark");
  }
  check(km_hbs_geometry_init(&b->geometry, SIDE, SIDE, (km_hbs_variant){0}, &err));
  const km_hbs_shape shape = {.n_limbs = 2, .n_colours = 1, .with_log2 = 1, .codec = {KM_CODEC_ZSTD, 1}};
  check(km_hbs_schema_init(&b->schema, &shape, &err));
}

#define WRITE_FLOOR "floor: bytes, synced"
#define COMPUTE_FLOOR "floor: compute S, log2"

int main(int argc, char **argv) {
  static const bench_row rows[] = {
      {"games.h5: write", "game", write_games, .floor = WRITE_FLOOR},
      {WRITE_FLOOR, "game", .run = write_floor},
      {"games.h5: open", "game", .run = open_games},
      {"games.h5: open and read", "game", .run = read_games},
      {COMPUTE_FLOOR, "position", .run = compute_hbs},
      {"hbs.h5: compute and write", "position", write_hbs, .floor = COMPUTE_FLOOR},
      {"hbs.h5: open and read", "position", read_hbs, .floor = COMPUTE_FLOOR, .reach_ratio = 1},
  };
  static bench b;
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_store [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  prepare(&b, &options);
  const bench_title title = {"bench_store", "games.h5 and hbs.h5 written and read", b.games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, &b);
  unlink(b.games_path);
  unlink(b.hbs_path);
  unlink(b.floor_path);
  rmdir(b.folder);
  flat_games_clear(&b.games);
  return code;
}
