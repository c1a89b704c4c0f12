/* make_corpus.c: writes an archive of made-up games, for measuring where there are no real ones.
 *
 *     make_corpus N FILE [FIRST]
 *
 * FILE is a .tar.zst, .tar.gz or .zip; games are numbers FIRST (0) to FIRST+N-1 of one endless sequence. */
#include "corpus_file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  uint64_t n_games = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  if (argc < 3 || argc > 4 || n_games == 0) {
    fprintf(stderr, "usage: make_corpus N FILE.tar.zst|FILE.tar.gz|FILE.zip [FIRST]\n");
    return 2;
  }
  corpus_file_write(argv[2], argc > 3 ? strtoull(argv[3], NULL, 10) : 0, n_games);
  return 0;
}
