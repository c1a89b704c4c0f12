/* flat_games.c: see flat_games.h. */
#include "flat_games.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kifumill/board.h"
#include "kifumill/hash.h"

enum { SIDE = 19, RANDOM_MOVES = 200, MOVES_MAX = 1 << 16 };

static void die(const char *what) {
  fprintf(stderr, "benchmark: %s\n", what);
  exit(1);
}

static void *room(flat_games *games, size_t n_bytes) {
  void *p = km_arena_alloc(&games->arena, n_bytes);
  if (p == NULL)
    die("out of memory");
  return p;
}

static km_game *add_game(flat_games *games, uint32_t n_setup, uint32_t n_moves) {
  if (games->n_games == games->n_room) {
    games->n_room = games->n_room > 0 ? 2 * games->n_room : 1024;
    games->games = realloc(games->games, games->n_room * sizeof *games->games);
    if (games->games == NULL)
      die("out of memory");
  }
  km_game *game = &games->games[games->n_games++];
  *game = (km_game){
      .rows = SIDE, .cols = SIDE, .n_moves = n_moves, .n_setup = n_setup, .final_to_play = KM_BLACK};
  game->moves = room(games, n_moves * sizeof *game->moves);
  game->setup = room(games, n_setup * sizeof *game->setup);
  games->n_moves += n_moves;
  return game;
}

static void read_file(flat_games *games, const char *path, size_t limit) {
  struct {
    uint8_t rows, cols;
    uint16_t n_setup;
    uint32_t n_moves;
  } head;
  FILE *file = fopen(path, "rb");
  if (file == NULL)
    die("cannot open the file of games");
  while (games->n_games < limit && fread(&head, sizeof head, 1, file) == 1) {
    if (head.n_moves > MOVES_MAX)
      die("not a flat file of games");
    if (head.rows != SIDE || head.cols != SIDE) {
      if (fseek(file, (long)(sizeof(km_move) * (head.n_setup + (size_t)head.n_moves)), SEEK_CUR) != 0)
        die("cannot skip a game");
      continue;
    }
    km_game *game = add_game(games, head.n_setup, head.n_moves);
    for (uint32_t i = 0; i < head.n_setup; ++i) {
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

/* Whether all neighbours of an empty point are stones of colour, or border. */
static int is_eye(const km_board *board, uint8_t colour, unsigned point) {
  const uint16_t *at = board->cell + km_board_site(board, point);
  const int step[4] = {-1, 1, -(int)board->stride, board->stride};
  for (int i = 0; i < 4; ++i)
    if (at[step[i]] < KM_CELL_BORDER || (at[step[i]] & KM_CELL_KIND) == km_cell_kind(km_opponent(colour)))
      return 0;
  return 1;
}

static void make_random(flat_games *games, size_t n_games) {
  static km_board board;
  for (size_t g = 0; g < n_games; ++g) {
    km_game *game = add_game(games, 0, RANDOM_MOVES);
    km_board_init(&board, SIDE, SIDE);
    uint64_t draw = 0;
    for (uint32_t t = 0; t < RANDOM_MOVES; ++t) {
      uint8_t colour = (uint8_t)(1 + t % 2);
      uint16_t point;
      do
        point = (uint16_t)km_random_below(km_random(SIDE, g, draw++, KM_PURPOSE_SAMPLE), board.n_points);
      while (is_eye(&board, colour, point) || km_board_try(&board, colour, point) != KM_PLAY_LEGAL);
      game->moves[t] = (km_move){point, colour, 0};
    }
  }
}

void flat_games_load(flat_games *games, const char *path, size_t limit) {
  *games = (flat_games){0};
  km_arena_init(&games->arena);
  if (path != NULL)
    read_file(games, path, limit);
  else
    make_random(games, limit);
  if (games->n_games == 0)
    die("no games of 19x19");
}

void flat_games_clear(flat_games *games) {
  free(games->games);
  km_arena_clear(&games->arena);
}

double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double median_of(double *seconds, size_t n) {
  qsort(seconds, n, sizeof *seconds, compare_doubles);
  return seconds[n / 2];
}
