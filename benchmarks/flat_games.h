/* flat_games.h: games in memory for the benchmarks: those of an archive, or made up from a fixed seed.
 *
 * A made-up game is played by the rules: most moves answer near one of the last two, none fills an own eye, and its
 * length, players, ranks, date and result vary, so that its SGF has about the shape and the entropy of a real one. */
#ifndef KM_BENCHMARKS_FLAT_GAMES_H
#define KM_BENCHMARKS_FLAT_GAMES_H

#include "kifumill/arena.h"
#include "kifumill/game.h"

typedef struct flat_games {
  km_game *games;
  size_t n_games, n_room;
  uint64_t n_moves;
  char *text; /* of the games, one SGF behind the other */
  size_t n_text, text_room;
  char label[120]; /* what they are, for a report */
  km_arena arena;
} flat_games;

/* Reads the 19×19 games of the archive (or SGF file) path, at most limit, or, if it is NULL, makes limit games.
 * Ends the program with a message when it cannot. */
void flat_games_load(flat_games *games, const char *path, size_t limit);
void flat_games_clear(flat_games *games);

enum { FLAT_GAME_MOVES_MAX = 320, FLAT_GAME_TEXT_MAX = 4096 };
/* Makes game number `number`: its moves (FLAT_GAME_MOVES_MAX of room) and, if text is not NULL, its SGF
 * (FLAT_GAME_TEXT_MAX of room; the length in *n_text). */
void flat_game_make(km_game *game, uint64_t number, char *text, size_t *n_text);

#endif
