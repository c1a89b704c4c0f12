/* flat_games.h: the games that the benchmarks of planes run over, and their clock.
 *
 * The flat file of bench_replay: for each game u8 rows, u8 cols, u16 n_setup, u32 n_moves, then n_setup
 * set-up stones and n_moves moves of four bytes: u16 point, u8 colour, u8 0; little endian. */
#ifndef KM_BENCHMARKS_FLAT_GAMES_H
#define KM_BENCHMARKS_FLAT_GAMES_H

#include "kifumill/arena.h"
#include "kifumill/game.h"

typedef struct flat_games {
  km_game *games;
  size_t n_games, n_room;
  uint64_t n_moves;
  km_arena arena;
} flat_games;

/* Reads at most limit games of path, or, if it is NULL, makes limit random games of 200 moves on 19×19 from a
 * fixed seed. Only 19×19 games are kept. Ends the program with a message when it cannot. */
void flat_games_load(flat_games *games, const char *path, size_t limit);
void flat_games_clear(flat_games *games);

double seconds_now(void);
/* Sorts and returns the middle one. */
double median_of(double *seconds, size_t n);

#endif
