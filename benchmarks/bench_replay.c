/* bench_replay.c: moves a second of the board, beside floors.
 *
 * The games are played from first to last; the digest is of the final positions, hashes and prisoners, so that a
 * board that counts or captures wrongly gives another one. */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flat_games.h"
#include "kifumill/captures.h"
#include "kifumill/move_hash.h"
#include "kifumill/replay.h"

enum { ROUNDS = 11, GAMES = 5000, QUICK_GAMES = 100 };

typedef struct bench {
  flat_games games;
  km_replay replay;
  km_captures captures;
  km_board copy;
  km_undo undo;
  km_arena arena;
  uint8_t stones[KM_POINT_MAX + 1];
  km_hash128 keys[KM_POINT_MAX + 1];
  km_move moves[1 << 16];
} bench;

/* What a row does with one game; returns something of the result. */
typedef uint64_t game_work(bench *b, const km_game *game);

static void run_games(void *context, const bench_row *row, bench_sample *sample) {
  bench *b = context;
  game_work *const *work = row->argument;
  for (size_t g = 0; g < b->games.n_games; g++)
    sample->digest = km_mix64(sample->digest ^ (*work)(b, &b->games.games[g]));
  sample->n_units = (double)b->games.n_moves;
}

/* Floor: the bytes of the moves, copied. */
static uint64_t copy_moves(bench *b, const km_game *game) {
  size_t n = game->n_moves < sizeof b->moves / sizeof *b->moves ? game->n_moves : 0;
  memcpy(b->moves, game->moves, n * sizeof(km_move));
  bench_written(b->moves);
  return n ? b->moves[n / 2].point : 0;
}

/* Floor: a stone set and its key added to the hash, nothing else. */
static uint64_t set_stones(bench *b, const km_game *game) {
  memset(b->stones, 0, km_game_pass(game));
  km_hash128 hash = {0, 0};
  for (uint32_t t = 0; t < game->n_moves; t++) {
    unsigned point = game->moves[t].point <= KM_POINT_MAX ? game->moves[t].point : KM_POINT_MAX;
    b->stones[point] = game->moves[t].colour;
    hash = km_hash128_xor(hash, b->keys[point]);
  }
  return hash.low ^ hash.high ^ b->stones[0];
}

static uint64_t replay_with(bench *b, const km_game *game, km_superko *superko) {
  const km_replay_options options = {.mode = KM_REPLAY_STRICT, .superko = superko};
  km_replay_init(&b->replay, game, &options);
  while (km_replay_step(&b->replay) == KM_OK)
    ;
  const km_board *board = &b->replay.board;
  return board->hash.low ^ board->hash.high ^ b->replay.ply ^ (uint64_t)board->prisoners[1] << 32 ^
         (uint64_t)board->prisoners[2] << 48;
}
static uint64_t replay_plain(bench *b, const km_game *game) { return replay_with(b, game, NULL); }
static uint64_t replay_superko(bench *b, const km_game *game) {
  km_superko superko;
  km_arena_reset(&b->arena);
  if (km_superko_init(&superko, &b->arena, game->n_moves))
    bench_die("out of memory");
  return replay_with(b, game, &superko);
}

/* What moves take, by captures.h; the digest is of that. */
static uint64_t play_captures(bench *b, const km_game *game) {
  uint64_t taken = 0;
  int is_ordinary = km_captures_init(&b->captures, game);
  for (uint32_t t = 0; t < game->n_moves && is_ordinary; t++) {
    is_ordinary = km_captures_play(&b->captures, game->moves[t]);
    taken += b->captures.n_captured * (uint64_t)(t + 1);
  }
  return taken << 1 | (uint64_t)is_ordinary;
}

static km_board *begin(bench *b, const km_game *game) {
  km_board_init(&b->replay.board, game->rows, game->cols);
  km_board_setup_all(&b->replay.board, game->setup, game->n_setup);
  return &b->replay.board;
}

/* Every move played, taken back, and played again. */
static uint64_t play_undo(bench *b, const km_game *game) {
  km_board *board = begin(b, game);
  for (uint32_t t = 0; t < game->n_moves; t++) {
    km_move move = game->moves[t];
    if (km_board_classify(board, move.colour, move.point) > KM_PLAY_PASS)
      break;
    km_board_play_undo(board, move.colour, move.point, &b->undo);
    km_board_undo(board, &b->undo);
    km_board_play(board, move.colour, move.point);
  }
  return board->hash.low ^ board->hash.high;
}

/* Every move tried on a copy of the board, then played. */
static uint64_t play_copy(bench *b, const km_game *game) {
  km_board *board = begin(b, game);
  for (uint32_t t = 0; t < game->n_moves; t++) {
    km_move move = game->moves[t];
    km_board_copy(&b->copy, board);
    if (km_board_try(&b->copy, move.colour, move.point) > KM_PLAY_PASS)
      break;
    km_board_play(board, move.colour, move.point);
  }
  return board->hash.low ^ board->hash.high;
}

static uint64_t hash_game(bench *b, const km_game *game) {
  (void)b;
  km_game_hash hash;
  km_game_hash_compute(game, KM_OPENING_MOVES, &hash);
  return hash.canonical.low ^ hash.opening.high ^ hash.moves.low;
}

#define WORK(function) .unit = "move", .run = run_games, .argument = &(game_work *){function}
#define FLOOR "floor: set stone, hash"

int main(int argc, char **argv) {
  const bench_row rows[] = {
      {"floor: copy the moves", WORK(copy_moves)},
      {FLOOR, WORK(set_stones)},
      {"replay", WORK(replay_plain), .floor = FLOOR, .reach_rate = 25e6},
      {"captures alone", WORK(play_captures), .floor = FLOOR},
      {"replay, superko flagged", WORK(replay_superko), .floor = FLOOR},
      {"classify, play, undo, play", WORK(play_undo), .floor = FLOOR},
      {"copy board, try, play", WORK(play_copy), .floor = FLOOR},
      {"hashes of the moves, 8-fold", WORK(hash_game), .floor = FLOOR},
  };
  bench_options options;
  bench_options_read(&options, argc, argv, "bench_replay [--json | --digests] [--quick] [--rounds N] [ARCHIVE]", ROUNDS);
  bench *b = bench_need(calloc(1, sizeof *b));
  flat_games_load(&b->games, options.input, options.quick ? QUICK_GAMES : GAMES);
  km_arena_init(&b->arena);
  for (unsigned p = 0; p <= KM_POINT_MAX; p++)
    b->keys[p] = (km_hash128){km_mix64(2 * p), km_mix64(2 * p + 1)};
  const bench_title title = {"bench_replay", "games played by the rules, legality and liberties and a 128-bit hash kept",
                             b->games.label};
  int code = bench_run(&options, &title, rows, sizeof rows / sizeof *rows, b);
  km_arena_clear(&b->arena);
  flat_games_clear(&b->games);
  free(b);
  return code;
}
