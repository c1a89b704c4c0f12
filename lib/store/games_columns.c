/* games_columns.c: names, types and descriptions of the datasets of games.h5. */
#include "games_columns.h"

#define FIXED(name_, type_, doc_)                                                                            \
  { {.name = "/games/" #name_, .type = type_, .doc = doc_}, offsetof(km_games_row, name_) }
#define PAIR(name_, doc_)                                                                                    \
  {                                                                                                          \
    {.name = "/games/" #name_, .type = KM_U64, .inner_rank = 1, .inner = {2}, .doc = doc_},                  \
        offsetof(km_games_row, name_)                                                                        \
  }
#define TEXT(name_, field_, doc_)                                                                            \
  [KM_GAMES_N_FIXED +                                                                                        \
      (field_)] = {{.name = "/games/" name_, .type = KM_U32, .doc = doc_ "; number of a string, see /text"}, \
                   offsetof(km_games_row, text) + (field_) * sizeof(uint32_t)}

const km_games_field km_games_fields[KM_GAMES_N_FIELDS] = {
    FIXED(rows, KM_U8, "rows of the board"),
    FIXED(cols, KM_U8, "columns of the board"),
    FIXED(handicap, KM_U8, "HA as a number; 0: none"),
    FIXED(ending, KM_U8,
          "how the game ended: 0 unknown, 1 score, 2 resignation, 3 time, 4 forfeit, 5 draw, 6 void, 7 "
          "unfinished"),
    FIXED(winner, KM_I8, "1 Black, -1 White, 0 draw, -128 unknown"),
    FIXED(final_to_play, KM_U8, "who would move in the final position: 1 Black, 2 White"),
    {{.name = "/games/rules_kind",
      .type = KM_U8,
      .doc = "rules as understood: 0 unknown, 1 Japanese, 2 Chinese, 3 Korean, 4 AGA, 5 New Zealand, 6 Ing, "
             "7 Tromp-Taylor, "
             "8 other"},
     offsetof(km_games_row, rules)},
    {{.name = "/games/black_rank_number", .type = KM_I8, .doc = "Black's rank without its kind"},
     offsetof(km_games_row, black_rank)},
    FIXED(black_rank_kind, KM_U8, "k, d or p as a character code; 0 unknown"),
    {{.name = "/games/white_rank_number", .type = KM_I8, .doc = "White's rank without its kind"},
     offsetof(km_games_row, white_rank)},
    FIXED(white_rank_kind, KM_U8, "k, d or p as a character code; 0 unknown"),
    FIXED(month, KM_U8, "month of the first day played; 0 unknown"),
    FIXED(day, KM_U8, "first day played; 0 unknown"),
    FIXED(date_precision, KM_U8, "what is known of the date: 0 nothing, 1 the year, 2 the month, 3 the day"),
    FIXED(year, KM_I16, "year of the first day played"),
    {{.name = "/games/komi", .type = KM_F32, .doc = "komi; NaN unknown", .units = "points"},
     offsetof(km_games_row, komi)},
    {{.name = "/games/margin",
      .type = KM_F32,
      .doc = "by how much the winner won; NaN unknown",
      .units = "points"},
     offsetof(km_games_row, margin)},
    FIXED(n_moves, KM_U32, "moves, passes included"),
    FIXED(flags, KM_U32,
          "warnings, a sum of: 1 syntax mended, 2 cut before an illegal move, 4 moves after two passes left "
          "out, 8 set-up after "
          "the first move, 16 White first, 32 one colour twice running, 64 handicap and stones disagree, 128 "
          "PL disagrees, 256 bad "
          "komi, 512 bad result, 1024 text escaped, 2048 whole-board repetition, 4096 prefix of a longer "
          "game, 8192 two moves in a "
          "node, 16384 game information after the first node"),
    PAIR(hash, "hash of set-up and moves, the same for all symmetries of a game; low and high half"),
    PAIR(split_key, "hash of set-up and the first 30 moves, the same for all symmetries: what splits go by; "
                    "low and high half"),
    TEXT("black", KM_TEXT_BLACK, "Black's name"),
    TEXT("white", KM_TEXT_WHITE, "White's name"),
    TEXT("black_rank", KM_TEXT_BLACK_RANK, "Black's rank as written"),
    TEXT("white_rank", KM_TEXT_WHITE_RANK, "White's rank as written"),
    TEXT("date", KM_TEXT_DATE, "date as written"),
    TEXT("event", KM_TEXT_EVENT, "event"),
    TEXT("round", KM_TEXT_ROUND, "round"),
    TEXT("place", KM_TEXT_PLACE, "place"),
    TEXT("rules", KM_TEXT_RULES, "rules as written"),
    TEXT("result", KM_TEXT_RESULT, "result as written"),
    TEXT("komi_text", KM_TEXT_KOMI, "komi as written"),
    TEXT("handicap_text", KM_TEXT_HANDICAP, "handicap as written"),
    TEXT("time", KM_TEXT_TIME, "time limit as written"),
    TEXT("overtime", KM_TEXT_OVERTIME, "overtime as written"),
    TEXT("application", KM_TEXT_APPLICATION, "program that wrote the record"),
    TEXT("encoding", KM_TEXT_ENCODING, "encoding the record was read in"),
    TEXT("source", KM_TEXT_SOURCE, "archive or file it came from"),
    TEXT("entry", KM_TEXT_ENTRY, "entry in the archive"),
};

#define OFFSET(name_)                                                                                        \
  { .name = name_, .type = KM_U64, .doc = "items of game i are those from offset[i] to offset[i+1]-1" }

static const km_column move_items[] = {
    {.name = "/moves/point",
     .type = KM_U16,
     .doc = "bits 0-13: row*cols+col with row 0 at the top, rows*cols for a pass; bit 14: forced (KO); bit "
            "15: White moves"},
};
static const km_column setup_items[] = {
    {.name = "/setup/ply", .type = KM_U32, .doc = "in force before this move, counted from 0"},
    {.name = "/setup/point", .type = KM_U16, .doc = "row*cols+col"},
    {.name = "/setup/colour", .type = KM_U8, .doc = "1 Black, 2 White, 0 the point is emptied"},
};
static const km_column eval_items[] = {
    {.name = "/evals/ply", .type = KM_U32, .doc = "moves played before the position"},
    {.name = "/evals/black_win", .type = KM_F32, .doc = "Black's probability of winning; NaN unknown"},
    {.name = "/evals/black_score", .type = KM_F32, .doc = "Black's lead; NaN unknown", .units = "points"},
    {.name = "/evals/visits", .type = KM_U32, .doc = "visits of the search; 0 unknown"},
    {.name = "/evals/source",
     .type = KM_U8,
     .doc = "1 KataGo training comment, 2 adversary comment, 3 SBKV, 4 LZ"},
};
#define ITEMS(array) array, sizeof array / sizeof array[0]

const km_games_list km_games_lists[KM_LIST_COUNT] = {
    [KM_LIST_MOVES] = {"/moves", "moves of all games, one behind the other", OFFSET("/moves/offset"),
                       ITEMS(move_items)},
    [KM_LIST_SETUP] = {"/setup", "set-up stones of all games, sorted by ply", OFFSET("/setup/offset"),
                       ITEMS(setup_items)},
    [KM_LIST_EVALS] = {"/evals", "win-rates that the records hold", OFFSET("/evals/offset"),
                       ITEMS(eval_items)},
};

const km_column km_games_text_offset = {
    .name = "/text/offset", .type = KM_U64, .doc = "where string k starts in heap; one more than strings"};
const km_column km_games_text_heap = {
    .name = "/text/heap", .type = KM_U8, .doc = "UTF-8 bytes of all strings, one behind the other"};
