/* games_store.h: games.h5, the games of a corpus after reading and checking.
 *
 * Contiguous uncompressed little-endian columns of one length N under /games, each with its description and
 * digest; moves of all games one behind the other under /moves, game i having those from offset[i] to
 * offset[i+1]; /setup and /evals alike. Text: /text/heap holds the distinct strings one behind the other,
 * string k being heap[offset[k]:offset[k+1]], and a text column holds k for every game; k = 0 is "the record
 * has none". In Python
 *
 *     k = f["games/black"][i]; at = f["text/offset"][k:k+2]
 *     name = f["text/heap"][at[0]:at[1]].tobytes().decode()
 *
 * A move is a u16: bits 0–13 the point (row·cols+col, pass = rows·cols), bit 14 set where KO[] forces it, bit
 * 15 set for White.
 *
 * The writer keeps 13 bytes a game in memory, the rest in unlinked files beside the output; strings found
 * equal to an earlier one are stored once (786,432 distinct ones are remembered: 25 MB). The reader maps the
 * file. */
#ifndef KIFUMILL_GAMES_STORE_H
#define KIFUMILL_GAMES_STORE_H

#include "kifumill/arena.h"
#include "kifumill/err.h"
#include "kifumill/game.h"
#include "kifumill/h5file.h"
#include "kifumill/hash.h"

#define KM_GAMES_FORMAT "kifumill games"

typedef struct km_games_writer km_games_writer;

/* What is stored of a game besides itself. */
typedef struct km_game_keys {
  km_hash128 hash;      /* symmetry-canonical hash of set-up and moves */
  km_hash128 split_key; /* the same of the first 30 moves: what splits go by */
} km_game_keys;

km_status km_games_writer_open(km_games_writer **writer, const char *path, const km_store_origin *origin,
                               int force, km_err *err);
/* Appends a game; its number is *index (0, 1, …; may be NULL). KM_ERR_STATE: a game that cannot be stored (a
 * point outside its board, set-up out of order): the caller's mistake. */
km_status km_games_writer_add(km_games_writer *writer, const km_game *game, const km_game_keys *keys,
                              uint64_t *index, km_err *err);
uint64_t km_games_writer_count(const km_games_writer *writer); /* added, dropped ones included */
/* Leaves out game number index after all (a copy of another one). Twice is once. */
km_status km_games_writer_drop(km_games_writer *writer, uint64_t index, km_err *err);
/* Adds bits to the flags of a game. */
void km_games_writer_set_flags(km_games_writer *writer, uint64_t index, uint32_t bits);
/* Reads a game back before finish: board, moves, set-up, evals, texts and flags (the other fields are zero);
 * memory comes from arena. */
km_status km_games_writer_read(km_games_writer *writer, uint64_t index, km_arena *arena, km_game *game,
                               km_err *err);
/* The origin's digest and settings, where they are only known at the end (borrowed until finish). */
void km_games_writer_set_origin(km_games_writer *writer, const km_store_origin *origin);
/* Writes the kept games, in order, with at most n_threads threads (1 or more; two are of use). Frees writer always; on
 * failure nothing is left behind. */
km_status km_games_writer_finish(km_games_writer *writer, int n_threads, uint64_t *n_kept, km_err *err);
void km_games_writer_abandon(km_games_writer *writer); /* NULL is allowed */

typedef struct km_games km_games;

/* Opens and maps; checks version, types, shapes, lengths, offsets. KM_ERR_FORMAT says what is wrong. */
km_status km_games_open(km_games **games, const char *path, km_err *err);
void km_games_close(km_games *games);

uint64_t km_games_count(const km_games *games);
uint64_t km_games_n_moves_total(const km_games *games);
const char *km_games_path(const km_games *games);
/* Root attribute input_digest together with those of the columns, as one digest of the content. */
km_hash128 km_games_digest(const km_games *games);

/* Fills *game; moves, set-up and evals come from arena, texts point into the file. KM_ERR_FORMAT for a game
 * that cannot be (damaged file). Any thread. */
km_status km_games_game(const km_games *games, uint64_t i, km_arena *arena, km_game *game, km_err *err);
/* The same without moves, set-up and evals (their counts are there, the pointers are NULL): for tables over a
 * corpus. */
km_status km_games_info(const km_games *games, uint64_t i, km_game *game, km_err *err);
void km_games_keys(const km_games *games, uint64_t i, km_game_keys *keys);
uint32_t km_games_n_moves(const km_games *games, uint64_t i);
/* The moves of game i as they are stored, in the mapped file: km_games_n_moves of them, unchecked. */
const uint16_t *km_games_moves(const km_games *games, uint64_t i);
void km_games_size(const km_games *games, uint64_t i, uint8_t *rows, uint8_t *cols);
/* Number of moves before game i (i = 0…N): N+1 of them. */
const uint64_t *km_games_move_offsets(const km_games *games);
/* Text k of a game, without copying; bytes NULL when there is none. */
km_text km_games_text(const km_games *games, uint64_t i, km_text_field field);
/* Lets the system take back the memory of games first … first+n-1, which have been worked on, and of all texts. */
void km_games_release(const km_games *games, uint64_t first, uint64_t n);

#endif
