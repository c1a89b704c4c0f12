/* games_columns.h: the datasets of games.h5 as one table, which writer, reader and verifier go by. */
#ifndef KM_GAMES_COLUMNS_H
#define KM_GAMES_COLUMNS_H

#include "kifumill/games_store.h"

/* The fixed-width part of one game, as in the columns under /games. */
typedef struct km_games_row {
  uint64_t hash[2], split_key[2]; /* low, high */
  uint32_t n_moves, flags;
  uint32_t text[KM_TEXT_COUNT]; /* numbers of strings */
  float komi, margin;
  int16_t year;
  uint8_t rows, cols, handicap, ending, rules, final_to_play;
  uint8_t month, day, date_precision, black_rank_kind, white_rank_kind;
  int8_t winner, black_rank, white_rank;
} km_games_row;

/* A column of /games and its field in km_games_row. */
typedef struct km_games_field {
  km_column column;
  size_t at;
} km_games_field;
enum { KM_GAMES_N_FIXED = 21, KM_GAMES_N_FIELDS = KM_GAMES_N_FIXED + KM_TEXT_COUNT };
extern const km_games_field km_games_fields[KM_GAMES_N_FIELDS];

/* Lists: items of all games one behind the other, with N+1 offsets. */
enum { KM_LIST_MOVES = 0, KM_LIST_SETUP, KM_LIST_EVALS, KM_LIST_COUNT };
typedef struct km_games_list {
  const char *group, *doc;
  km_column offset;
  const km_column *items;
  size_t n_items;
} km_games_list;
extern const km_games_list km_games_lists[KM_LIST_COUNT];
enum { KM_LIST_ITEMS_MAX = 5 };

extern const km_column km_games_text_offset, km_games_text_heap;
#define KM_GAMES_DOC "one row a game, in the order of the input"
#define KM_TEXT_DOC                                                                                          \
  "string k is heap[offset[k]:offset[k+1]] in UTF-8; string 0 stands for a text the record does not have"

/* A move as stored. */
enum { KM_STORED_POINT = 0x3fff, KM_STORED_FORCED = 0x4000, KM_STORED_WHITE = 0x8000 };

#endif
