/* corpus_file.h: made-up games (flat_games.h) as an archive, one SGF file a game. */
#ifndef KM_BENCHMARKS_CORPUS_FILE_H
#define KM_BENCHMARKS_CORPUS_FILE_H

#include <stdint.h>

/* Writes games first … first+n_games-1 to path: a .tar.zst, .tar.gz or .zip by its name. The entries are the same on
 * every machine (the packed bytes depend on the compressor's version). Ends the program with a message when it
 * cannot. */
void corpus_file_write(const char *path, uint64_t first, uint64_t n_games);

#endif
