/* golden_record.h: a game of tests/golden/games as km_game. Set-up stones are read off the boards of the JSON file, so
 * that the planes' tests need no SGF reader. */
#ifndef KM_TESTS_GOLDEN_RECORD_H
#define KM_TESTS_GOLDEN_RECORD_H

#include <jansson.h>

#include "kifumill/replay.h"

typedef struct golden_record {
  json_t *json;
  json_t *selected; /* positions with expectations, by ply as text */
  km_game game;     /* moves: the legal prefix */
  km_replay replay; /* scratch of the loading */
} golden_record;

/* Fails the test on any surprise. */
void golden_record_load(golden_record *record, const char *path);
void golden_record_clear(golden_record *record);
/* The expectations of a position, or NULL. */
json_t *golden_record_at(const golden_record *record, unsigned ply);

/* Calls visit for every tests/golden/games/…json, in order of names; returns how many there are. */
size_t golden_record_each(void (*visit)(const char *path));

/* SGF letters ("dp", "pass") as a point. */
uint16_t golden_point(const char *text, unsigned rows, unsigned cols);

#endif
