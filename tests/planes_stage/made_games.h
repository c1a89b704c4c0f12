/* made_games.h: games for the tests of kifu-planes: random ones with everything a record can have, and those
 * of the cases. */
#ifndef MADE_GAMES_H
#define MADE_GAMES_H

#include "store_fixture.h"

typedef struct made_kind {
  uint8_t rows, cols;
  uint32_t n_moves; /* at most */
  int rough; /* set-up before and within the game, passes, suicides, moves onto stones, one colour twice */
} made_kind;

/* A game from arena, with ranks, result, komi, win-rates. Two games of one number are the same. */
void made_game(km_game *game, km_arena *arena, const made_kind *kind, uint64_t number);

/* Writes games.h5; keys as ingest makes them. */
void write_games(const char *path, const km_game *games, size_t n);
/* n games of the kinds in turn. */
void write_made_games(const char *path, const made_kind *kinds, size_t n_kinds, size_t n);

/* The moves of SGF text such as "B[cc];W[];B[gg]" on a board without set-up, for the cases. */
void sgf_game(km_game *game, km_arena *arena, uint8_t side, const char *moves);

#endif
