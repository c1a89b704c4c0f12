/* made_games.c: see made_games.h. */
#include "made_games.h"

#include "kifumill/move_hash.h"
#include "kifumill/replay.h"

#include <string.h>

/* Stones before ply: added, removed, overwritten. */
static void add_setup(km_game *g, test_random *r, uint32_t ply, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    g->setup[g->n_setup++] =
        (km_setup){ply, (uint16_t)test_below(r, km_game_pass(g)), (uint8_t)test_below(r, 3)};
}

/* A move for the board as it stands, or KM_POINT_OFFBOARD. */
static uint16_t choose_point(const km_board *board, test_random *r, uint8_t colour, int rough) {
  if (test_below(r, 25) == 0)
    return board->n_points;
  for (int tries = 0; tries < 40; tries++) {
    uint16_t point = (uint16_t)test_below(r, board->n_points);
    km_play_class play_class = km_board_classify(board, colour, point);
    if (play_class == KM_PLAY_LEGAL || (rough && test_below(r, 8) == 0))
      return point;
  }
  return board->n_points;
}

static void fill_facts(km_game *g, km_arena *arena, test_random *r) {
  static const int8_t winners[] = {KM_WINNER_BLACK, KM_WINNER_WHITE, KM_WINNER_DRAW, KM_WINNER_UNKNOWN};
  g->winner = winners[test_below(r, 4)];
  g->margin = g->winner == KM_WINNER_UNKNOWN || test_below(r, 2) ? NAN : (float)test_below(r, 60) / 2;
  g->komi = test_below(r, 5) ? 6.5f : NAN;
  g->ending = (uint8_t)(test_below(r, 2) ? KM_ENDING_RESIGN : KM_ENDING_SCORE);
  g->handicap = (uint8_t)(test_below(r, 3) ? 0 : 2 + test_below(r, 8));
  g->black_rank = (km_rank){(int8_t)(1 + test_below(r, 9)), "kdp"[test_below(r, 3)]};
  g->white_rank = (km_rank){(int8_t)(1 + test_below(r, 9)), test_below(r, 4) ? 'd' : 0};
  g->evals = km_arena_zalloc(arena, (g->n_moves + 1) * sizeof *g->evals);
  for (uint32_t ply = 0; ply <= g->n_moves; ply++)
    if (test_below(r, 3) == 0)
      g->evals[g->n_evals++] = (km_eval){ply, (float)test_below(r, 1000) / 1000, NAN, 0, KM_EVAL_LIZZIE};
}

void made_game(km_game *g, km_arena *arena, const made_kind *kind, uint64_t number) {
  static km_board board;
  test_random r = {km_mix64(number ^ 0x51)};
  uint32_t n_moves = (uint32_t)test_below(&r, kind->n_moves + 1);
  *g = (km_game){.rows = kind->rows, .cols = kind->cols, .final_to_play = (uint8_t)(1 + test_below(&r, 2))};
  g->moves = km_arena_zalloc(arena, (n_moves + 1) * sizeof *g->moves);
  g->setup = km_arena_zalloc(arena, ((size_t)n_moves + 4) * 4 * sizeof *g->setup);
  km_board_init(&board, kind->rows, kind->cols);
  if (kind->rough && test_below(&r, 2))
    add_setup(g, &r, 0, (unsigned)test_below(&r, 9));
  km_board_setup_all(&board, g->setup, g->n_setup);
  for (uint32_t i = 0; i < n_moves; i++) {
    uint8_t colour = (uint8_t)(kind->rough && test_below(&r, 20) == 0 ? 1 + test_below(&r, 2) : 1 + i % 2);
    uint16_t point = choose_point(&board, &r, colour, kind->rough);
    g->moves[g->n_moves++] = (km_move){point, colour, 0};
    km_board_play(&board, colour, point);
    if (kind->rough && test_below(&r, 30) == 0) {
      uint32_t first = g->n_setup;
      add_setup(g, &r, g->n_moves, 1 + (unsigned)test_below(&r, 3));
      km_board_setup_all(&board, g->setup + first, g->n_setup - first);
    }
  }
  fill_facts(g, arena, &r);
}

void write_games(const char *path, const km_game *games, size_t n) {
  km_games_writer *writer;
  assert_ok(km_games_writer_open(&writer, path, &test_origin, 1, &test_err));
  for (size_t i = 0; i < n; i++) {
    km_game_hash hash;
    km_game_hash_compute(&games[i], KM_OPENING_MOVES, &hash);
    assert_ok(km_games_writer_add(writer, &games[i], &(km_game_keys){hash.canonical, hash.opening}, NULL,
                                  &test_err));
  }
  assert_ok(km_games_writer_finish(writer, 1, NULL, &test_err));
}

void write_made_games(const char *path, const made_kind *kinds, size_t n_kinds, size_t n) {
  km_arena arena;
  km_arena_init(&arena);
  km_game *games = km_arena_zalloc(&arena, (n + 1) * sizeof *games);
  assert_non_null(games);
  for (size_t i = 0; i < n; i++)
    made_game(&games[i], &arena, &kinds[i % n_kinds], i);
  write_games(path, games, n);
  km_arena_clear(&arena);
}

void sgf_game(km_game *g, km_arena *arena, uint8_t side, const char *moves) {
  *g = (km_game){.rows = side,
                 .cols = side,
                 .komi = 6.5f,
                 .margin = NAN,
                 .winner = KM_WINNER_BLACK,
                 .ending = KM_ENDING_RESIGN,
                 .final_to_play = KM_BLACK};
  g->moves = km_arena_zalloc(arena, (strlen(moves) / 4 + 1) * sizeof *g->moves);
  for (const char *p = moves; *p; p += *p == ';') {
    uint8_t colour = *p == 'B' ? KM_BLACK : KM_WHITE;
    uint16_t point = p[2] == ']' ? (uint16_t)(side * side) : (uint16_t)((p[3] - 'a') * side + p[2] - 'a');
    g->moves[g->n_moves++] = (km_move){point, colour, 0};
    p += strcspn(p, "]") + 1;
  }
}
