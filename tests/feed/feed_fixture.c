/* feed_fixture.c: see feed_fixture.h. */
#include "feed_fixture.h"

#include "kifumill/move_hash.h"
#include "kifumill/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOVES_MAX = 2000, SETUP_MAX = 64 };

typedef struct played {
  km_move moves[MOVES_MAX];
  km_setup setup[SETUP_MAX];
  km_game game;
  km_board board;
  test_random random;
} played;

static void add_setup(played *p, uint32_t ply) {
  km_game *game = &p->game;
  unsigned n = (unsigned)test_below(&p->random, 6) + 1;
  for (unsigned i = 0; i < n && game->n_setup < SETUP_MAX; i++) {
    km_setup stone = {ply, (uint16_t)test_below(&p->random, km_game_pass(game)),
                      (uint8_t)test_below(&p->random, 3)};
    p->setup[game->n_setup++] = stone;
    km_board_setup(&p->board, stone.colour, stone.point);
  }
}

/* A move of a colour: nearly always a legal one; now and then a pass, a stone upon a stone, a suicide. */
static uint16_t pick(played *p, uint8_t colour) {
  uint16_t point = km_game_pass(&p->game);
  if (test_below(&p->random, 40) == 0)
    return point;
  for (int tries = 0; tries < 30; tries++) {
    point = (uint16_t)test_below(&p->random, km_game_pass(&p->game));
    km_play_class play_class = km_board_classify(&p->board, colour, point);
    if (play_class == KM_PLAY_LEGAL || (play_class != KM_PLAY_KO && test_below(&p->random, 200) == 0))
      return point;
  }
  return km_game_pass(&p->game);
}

static void play(played *p, const played_games *how, unsigned rows, unsigned cols) {
  km_game *game = &p->game;
  *game = (km_game){.rows = (uint8_t)rows,
                    .cols = (uint8_t)cols,
                    .moves = p->moves,
                    .setup = p->setup,
                    .margin = NAN,
                    .komi = 6.5f};
  km_board_init(&p->board, rows, cols);
  game->winner = (int8_t[]){1, -1, 0, KM_WINNER_UNKNOWN}[test_below(&p->random, 4)];
  game->margin = game->winner != KM_WINNER_UNKNOWN && test_below(&p->random, 2)
                     ? (float)test_below(&p->random, 30) / 2
                     : NAN;
  game->ending = test_below(&p->random, 2) ? KM_ENDING_RESIGN : KM_ENDING_SCORE;
  game->black_rank = (km_rank){(int8_t)(test_below(&p->random, 9) + 1), 'd'};
  game->white_rank = (km_rank){(int8_t)(test_below(&p->random, 9) + 1), 'k'};
  game->handicap = test_below(&p->random, 4) == 0 ? 3 : 0;
  if (test_below(&p->random, 3) == 0)
    add_setup(p, 0);
  uint32_t n = 1 + (uint32_t)test_below(&p->random, how->moves);
  uint8_t colour = KM_BLACK;
  for (uint32_t i = 0; i < n; i++) {
    uint16_t point = pick(p, colour);
    p->moves[i] = (km_move){point, colour,
                            km_board_classify(&p->board, colour, point) > KM_PLAY_PASS ? KM_MOVE_FORCED : 0};
    km_board_play(&p->board, colour, point);
    colour = test_below(&p->random, 25) ? km_opponent(colour) : colour;
    if (test_below(&p->random, 120) == 0)
      add_setup(p, i + 1);
  }
  game->n_moves = n;
  game->final_to_play = colour;
}

void make_played(const char *path, const played_games *how) {
  km_games_writer *writer;
  played *p = calloc(1, sizeof *p);
  assert_non_null(p);
  assert_ok(km_games_writer_open(&writer, path, &test_origin, 0, &test_err));
  p->random.state = how->seed;
  for (int i = 0; i < how->n; i++) {
    unsigned kind = (unsigned)test_below(&p->random, 8);
    if (i % 10 != 1 || i == 1)
      play(p, how, kind == 0 ? 5 : how->rows, kind == 0 ? 5 : kind == 1 ? how->cols + 1 : how->cols);
    else
      p->game.n_moves = p->game.n_moves > 31 ? 31 : p->game.n_moves; /* a copy cut short */
    while (p->game.n_setup && p->setup[p->game.n_setup - 1].ply > p->game.n_moves)
      p->game.n_setup--;
    km_game_hash hash;
    km_game_hash_compute(&p->game, KM_OPENING_MOVES, &hash);
    assert_ok(km_games_writer_add(writer, &p->game, &(km_game_keys){hash.canonical, hash.opening}, NULL,
                                  &test_err));
  }
  assert_ok(km_games_writer_finish(writer, 1, NULL, &test_err));
  free(p);
}

void slow_make(const slow_maker *maker, uint32_t number, uint16_t ply, int symmetry, slow_row *row) {
  km_arena arena;
  km_game game;
  km_plane_encoder *encoder;
  km_replay *replay = malloc(sizeof *replay);
  assert_non_null(replay);
  km_arena_init(&arena);
  assert_ok(km_games_game(maker->games, number, &arena, &game, &test_err));
  assert_ok(km_plane_encoder_new(&encoder, &maker->options, &test_err));
  km_replay_init(replay, &game, &(km_replay_options){.mode = KM_REPLAY_SGF});
  km_plane_encoder_begin(encoder, replay);
  while (replay->ply < ply) {
    assert_int_equal(km_replay_step(replay), KM_OK);
    km_plane_encoder_follow(encoder, replay);
  }
  row->to_play = km_game_to_play(&game, ply);
  km_plane_encoder_encode(encoder, &replay->board, row->to_play, symmetry, row->planes);
  row->policy = ply < game.n_moves
                    ? (int16_t)km_symmetry_point(symmetry, game.rows, game.cols, game.moves[ply].point)
                    : -1;
  int sign = row->to_play == KM_BLACK ? 1 : -1;
  int is_known = game.winner != KM_WINNER_UNKNOWN;
  row->value = is_known ? (int8_t)(sign * game.winner) : KM_WINNER_UNKNOWN;
  row->score = is_known ? (float)(sign * game.winner) * game.margin : NAN;
  row->komi = game.komi;
  km_plane_encoder_free(encoder);
  km_arena_clear(&arena);
  free(replay);
}

feed_rows rows_new(const km_feed *feed, size_t n) {
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  size_t m = n + 1;
  feed_rows rows = {n,
                    {malloc(m * shape.row_bytes), malloc(m * 2), malloc(m), malloc(m * 4), malloc(m * 4),
                     malloc(m), malloc(m * 4), malloc(m * 2), malloc(m)}};
  assert_true(rows.at.planes && rows.at.policy && rows.at.value && rows.at.score && rows.at.komi &&
              rows.at.to_play && rows.at.game && rows.at.ply && rows.at.symmetry);
  return rows;
}

void rows_free(feed_rows *rows) {
  free(rows->at.planes);
  free(rows->at.policy);
  free(rows->at.value);
  free(rows->at.score);
  free(rows->at.komi);
  free(rows->at.to_play);
  free(rows->at.game);
  free(rows->at.ply);
  free(rows->at.symmetry);
}

void assert_same_row(const km_feed *feed, const feed_rows *a, size_t i, const feed_rows *b, size_t j) {
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  assert_memory_equal(a->at.planes + i * shape.row_bytes, b->at.planes + j * shape.row_bytes,
                      shape.row_bytes);
  assert_int_equal(a->at.policy[i], b->at.policy[j]);
  assert_int_equal(a->at.value[i], b->at.value[j]);
  assert_memory_equal(&a->at.score[i], &b->at.score[j], sizeof(float));
  assert_memory_equal(&a->at.komi[i], &b->at.komi[j], sizeof(float));
  assert_int_equal(a->at.to_play[i], b->at.to_play[j]);
  assert_int_equal(a->at.game[i], b->at.game[j]);
  assert_int_equal(a->at.ply[i], b->at.ply[j]);
  assert_int_equal(a->at.symmetry[i], b->at.symmetry[j]);
}

km_feed *open_feed(const char *path, const char *const *settings) {
  km_feed *feed;
  char message[320] = "";
  if (km_feed_open(&feed, path, settings, message, sizeof message) != 0)
    fail_msg("%s", message);
  assert_string_equal(km_feed_message(feed), "");
  return feed;
}

void assert_fed_at(int status, const km_feed *feed, const char *file, int line) {
  if (status != 0)
    print_error("%s:%d: %s\n", file, line, km_feed_message(feed));
  _assert_int_equal((unsigned)status, 0, file, line);
}
