/* stored_games.h: the input of benchmarks that read a games.h5: given, or made for the duration in a scratch folder. */
#ifndef KM_BENCHMARKS_STORED_GAMES_H
#define KM_BENCHMARKS_STORED_GAMES_H

#include <stddef.h>

#include "bench.h"

typedef struct stored_games {
  char folder[256]; /* scratch, in memory (/dev/shm) where there is such a folder */
  char path[512];   /* of games.h5 */
  char label[160];
} stored_games;

/* Takes options->input if it is a games.h5; else makes one of at most limit games of that archive, or made-up ones.
 * Ends the program with a message when it cannot. */
void stored_games_open(stored_games *games, const bench_options *options, size_t limit);
/* Removes the scratch folder with all files in it. */
void stored_games_close(stored_games *games);
/* Removes the files of a folder, not the folder. */
void stored_games_empty(const char *folder);

#endif
