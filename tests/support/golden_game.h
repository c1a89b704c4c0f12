/* golden_game.h: tests/golden/games/NAME.json as jansson objects, with the whole record of NAME.sgf (moves behind an
 * illegal one and set-up too, which the json leaves out) as a km_game. The reader of SGF here is a few lines that
 * suffice for the golden files, so that tests of the board do not rest on the parser. */
#ifndef KIFUMILL_GOLDEN_GAME_H
#define KIFUMILL_GOLDEN_GAME_H

#include <jansson.h>

#include "kifumill/arena.h"
#include "kifumill/game.h"

typedef struct golden_game {
  json_t *json;
  km_game game; /* size, handicap, moves, set-up, final_to_play; the rest is 0 */
  km_arena arena;
} golden_game;

/* The names of all golden games in ascending order, NULL behind the last; free with golden_names_free. */
char **golden_names(void);
void golden_names_free(char **names);

/* Loads one; 0, or -1 if a file cannot be read. */
int golden_load(golden_game *golden, const char *name);
void golden_clear(golden_game *golden);

/* The point of golden text: "pass", or SGF letters. */
uint16_t golden_point(const char *text, unsigned n);

#endif
