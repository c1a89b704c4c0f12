/* bench_replay.c: moves per second of the board, beside floors of the same process.
 *
 *     bench_replay [FILE]
 *
 * FILE is a flat file of games, little endian, one after the other: u8 rows, u8 cols, u16 n_setup, u32 n_moves, then
 * n_setup set-up stones and n_moves moves of four bytes each: u16 point (row·cols + col, pass = rows·cols), u8 colour
 * (1 black, 2 white), u8 0. Without FILE, 2,000 random games of 200 moves on 19×19 from a fixed seed.
 *
 * Each round runs every measurement once over all games; printed are the median over the rounds with the smallest and
 * largest, the ratio to the floor, and a digest of what was computed, which must not change with the machine. The clock
 * is the thread's own processor time: what else runs on the machine shows in the spread, not in full. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kifumill/move_hash.h"
#include "kifumill/replay.h"

enum { ROUNDS = 11, RANDOM_GAMES = 2000, RANDOM_MOVES = 200 };

typedef struct corpus {
  km_game *games;
  size_t n_games, n_room;
  uint64_t n_moves;
  km_arena arena;
} corpus;

/* One measurement: all games once; returns a digest. */
typedef uint64_t measured(const corpus *games, void *scratch);

/* Room for whatever a measurement needs. */
typedef struct scratch {
  km_replay replay;
  km_board copy;
  km_undo undo;
  km_arena arena;
  uint8_t stones[KM_POINT_MAX + 1];
  km_hash128 keys[KM_POINT_MAX + 1];
  km_move moves[1 << 16];
} scratch;

static void die(const char *what) {
  fprintf(stderr, "bench_replay: %s\n", what);
  exit(1);
}

static void *allocate(corpus *games, size_t n_bytes) {
  void *p = km_arena_alloc(&games->arena, n_bytes);
  if (!p)
    die("out of memory");
  return p;
}

/* A new game with room for its moves and set-up. */
static km_game *add_game(corpus *games, unsigned rows, unsigned cols, uint32_t n_setup, uint32_t n_moves) {
  if (games->n_games == games->n_room) {
    games->n_room = games->n_room ? 2 * games->n_room : 1024;
    games->games = realloc(games->games, games->n_room * sizeof games->games[0]);
    if (!games->games)
      die("out of memory");
  }
  km_game *game = &games->games[games->n_games++];
  *game = (km_game){.rows = (uint8_t)rows, .cols = (uint8_t)cols, .n_moves = n_moves, .n_setup = n_setup};
  game->moves = allocate(games, n_moves * sizeof game->moves[0]);
  game->setup = allocate(games, n_setup * sizeof game->setup[0]);
  return game;
}

static void read_games(corpus *games, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    die("cannot open the file");
  struct {
    uint8_t rows, cols;
    uint16_t n_setup;
    uint32_t n_moves;
  } head;
  while (fread(&head, sizeof head, 1, file) == 1) {
    if (!head.rows || head.rows > KM_BOARD_MAX || !head.cols || head.cols > KM_BOARD_MAX || head.n_moves > 1 << 16)
      die("not a flat file of games");
    km_game *game = add_game(games, head.rows, head.cols, head.n_setup, head.n_moves);
    for (uint32_t i = 0; i < head.n_setup; i++) {
      km_move stone;
      if (fread(&stone, sizeof stone, 1, file) != 1)
        die("the file ends within a game");
      game->setup[i] = (km_setup){0, stone.point, stone.colour};
    }
    if (fread(game->moves, sizeof(km_move), head.n_moves, file) != head.n_moves)
      die("the file ends within a game");
  }
  fclose(file);
}

/* Whether all neighbours of an empty point are stones of colour. */
static int is_eye(const km_board *board, uint8_t colour, unsigned point) {
  const uint16_t *at = board->cell + km_board_site(board, point);
  const int step[4] = {-1, 1, -(int)board->stride, board->stride};
  for (int i = 0; i < 4; i++)
    if (at[step[i]] < KM_CELL_BORDER || ((at[step[i]] & KM_CELL_KIND) == km_cell_kind(km_opponent(colour))))
      return 0;
  return 1;
}

static void random_games(corpus *games) {
  static km_board board;
  for (uint32_t g = 0; g < RANDOM_GAMES; g++) {
    km_game *game = add_game(games, 19, 19, 0, RANDOM_MOVES);
    km_board_init(&board, 19, 19);
    uint64_t draw = 0;
    for (uint32_t t = 0; t < RANDOM_MOVES; t++) {
      uint8_t colour = (uint8_t)(1 + t % 2);
      uint16_t point;
      do
        point = (uint16_t)km_random_below(km_random(19, g, draw++, KM_PURPOSE_SAMPLE), board.n_points);
      while (is_eye(&board, colour, point) || km_board_try(&board, colour, point) != KM_PLAY_LEGAL);
      game->moves[t] = (km_move){point, colour, 0};
    }
  }
}

/* Floor: the bytes of the moves, copied. */
static uint64_t copy_moves(const corpus *games, void *room) {
  scratch *s = room;
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    const km_game *game = &games->games[g];
    memcpy(s->moves, game->moves, game->n_moves * sizeof(km_move));
    digest += s->moves[game->n_moves / 2].point;
  }
  return digest;
}

/* Floor: a stone set and its key added to the hash, nothing else. */
static uint64_t set_stones(const corpus *games, void *room) {
  scratch *s = room;
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    const km_game *game = &games->games[g];
    memset(s->stones, 0, km_game_pass(game));
    km_hash128 hash = {0, 0};
    for (uint32_t t = 0; t < game->n_moves; t++) {
      unsigned point = game->moves[t].point <= KM_POINT_MAX ? game->moves[t].point : KM_POINT_MAX;
      s->stones[point] = game->moves[t].colour;
      hash = km_hash128_xor(hash, s->keys[point]);
    }
    digest += hash.low ^ hash.high ^ s->stones[0];
  }
  return digest;
}

static uint64_t replay_all(const corpus *games, scratch *s, int with_superko) {
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    const km_game *game = &games->games[g];
    km_superko superko;
    km_replay_options options = {.mode = KM_REPLAY_STRICT};
    if (with_superko) {
      km_arena_reset(&s->arena);
      if (km_superko_init(&superko, &s->arena, game->n_moves))
        die("out of memory");
      options.superko = &superko;
    }
    km_replay_init(&s->replay, game, &options);
    while (km_replay_step(&s->replay) == KM_OK)
      ;
    const km_board *board = &s->replay.board;
    digest = km_mix64(digest ^ board->hash.low ^ board->hash.high ^ s->replay.ply ^
                      (uint64_t)board->prisoners[1] << 32 ^ (uint64_t)board->prisoners[2] << 48);
  }
  return digest;
}
static uint64_t replay_plain(const corpus *games, void *room) { return replay_all(games, room, 0); }
static uint64_t replay_superko(const corpus *games, void *room) { return replay_all(games, room, 1); }

/* Every move played, taken back, and played again. */
static uint64_t play_undo(const corpus *games, void *room) {
  scratch *s = room;
  km_board *board = &s->replay.board;
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    const km_game *game = &games->games[g];
    km_board_init(board, game->rows, game->cols);
    km_board_setup_all(board, game->setup, game->n_setup);
    for (uint32_t t = 0; t < game->n_moves; t++) {
      km_move move = game->moves[t];
      if (km_board_classify(board, move.colour, move.point) > KM_PLAY_PASS)
        break;
      km_board_play_undo(board, move.colour, move.point, &s->undo);
      km_board_undo(board, &s->undo);
      km_board_play(board, move.colour, move.point);
    }
    digest = km_mix64(digest ^ board->hash.low ^ board->hash.high);
  }
  return digest;
}

/* Every move played on a copy of the board. */
static uint64_t play_copy(const corpus *games, void *room) {
  scratch *s = room;
  km_board *board = &s->replay.board;
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    const km_game *game = &games->games[g];
    km_board_init(board, game->rows, game->cols);
    km_board_setup_all(board, game->setup, game->n_setup);
    for (uint32_t t = 0; t < game->n_moves; t++) {
      km_board_copy(&s->copy, board);
      if (km_board_try(&s->copy, game->moves[t].colour, game->moves[t].point) > KM_PLAY_PASS)
        break;
      km_board_play(board, game->moves[t].colour, game->moves[t].point);
    }
    digest = km_mix64(digest ^ board->hash.low ^ board->hash.high);
  }
  return digest;
}

static uint64_t hash_games(const corpus *games, void *room) {
  (void)room;
  uint64_t digest = 0;
  for (size_t g = 0; g < games->n_games; g++) {
    km_game_hash hash;
    km_game_hash_compute(&games->games[g], KM_OPENING_MOVES, &hash);
    digest = km_mix64(digest ^ hash.canonical.low ^ hash.opening.high ^ hash.moves.low);
  }
  return digest;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static const struct {
  const char *name;
  measured *run;
} rows[] = {
    {"floor: copy the moves", copy_moves},      {"floor: set stone, hash", set_stones},
    {"replay", replay_plain},                   {"replay, superko flagged", replay_superko},
    {"classify, play, undo, play", play_undo},  {"copy board, try, play", play_copy},
    {"hashes of the moves, 8-fold", hash_games},
};
enum { N_ROWS = sizeof rows / sizeof rows[0], FLOOR_ROW = 1 };

static void run(const corpus *games, scratch *s) {
  static double seconds[N_ROWS][ROUNDS];
  uint64_t digest[N_ROWS];
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < N_ROWS; i++) {
      double begin = now();
      digest[i] = rows[i].run(games, s);
      seconds[i][round] = now() - begin;
    }
  for (int i = 0; i < N_ROWS; i++)
    qsort(seconds[i], ROUNDS, sizeof(double), compare_doubles);
  double millions = 1e-6 * (double)games->n_moves, floor_time = seconds[FLOOR_ROW][ROUNDS / 2];
  printf("%zu games, %llu moves, %d rounds\n", games->n_games, (unsigned long long)games->n_moves, ROUNDS);
  printf("%-28s %9s %19s %8s %8s  %s\n", "", "M moves/s", "smallest … largest", "ns/move", "× floor", "digest");
  for (int i = 0; i < N_ROWS; i++) {
    double median = seconds[i][ROUNDS / 2];
    printf("%-28s %9.1f %8.1f … %8.1f %8.2f %8.2f  %016llx\n", rows[i].name, millions / median,
           millions / seconds[i][ROUNDS - 1], millions / seconds[i][0], 1e3 * median / millions, median / floor_time,
           (unsigned long long)digest[i]);
  }
}

int main(int argc, char **argv) {
  corpus games = {0};
  km_arena_init(&games.arena);
  if (argc > 1)
    read_games(&games, argv[1]);
  else
    random_games(&games);
  if (!games.n_games)
    die("no games");
  for (size_t g = 0; g < games.n_games; g++)
    games.n_moves += games.games[g].n_moves;
  scratch *s = calloc(1, sizeof *s);
  if (!s)
    die("out of memory");
  km_arena_init(&s->arena);
  for (unsigned p = 0; p <= KM_POINT_MAX; p++)
    s->keys[p] = (km_hash128){km_mix64(2 * p), km_mix64(2 * p + 1)};
  run(&games, s);
  km_arena_clear(&s->arena);
  free(s);
  free(games.games);
  km_arena_clear(&games.arena);
  return 0;
}
