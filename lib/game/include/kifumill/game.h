/* game.h: one Go game in memory, after parsing and normalisation, before and after storage.
 *
 * Everything pointed to is borrowed from the arena (or the store's buffer) that made the game. Points are
 * row·cols + col with row 0 at the top (SGF "xy": x = column, y = row); a pass is rows·cols. Text is UTF-8. */
#ifndef KIFUMILL_GAME_H
#define KIFUMILL_GAME_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum {
  KM_BOARD_MAX = 52,                          /* largest side: SGF's letters a–z, A–Z */
  KM_POINT_MAX = KM_BOARD_MAX * KM_BOARD_MAX, /* 2704; pass on the largest board has this number */
  KM_POINT_OFFBOARD = 0xfffe,                 /* a readable point outside the board */
  KM_POINT_BAD = 0xffff,                      /* text that is no point */
};

enum { KM_EMPTY = 0, KM_BLACK = 1, KM_WHITE = 2 };
/* The other player: 1 ↔ 2. */
static inline uint8_t km_opponent(uint8_t colour) { return (uint8_t)(3 - colour); }

/* SPEC §2, in the order of classification. */
typedef enum km_play_class {
  KM_PLAY_LEGAL = 0,
  KM_PLAY_PASS,
  KM_PLAY_OFFBOARD,
  KM_PLAY_BAD_POINT, /* text that is no point (cases: bad_coordinate) */
  KM_PLAY_OCCUPIED,
  KM_PLAY_SUICIDE,
  KM_PLAY_KO,
  KM_PLAY_SUPERKO,
} km_play_class;
/* "legal", "pass", "offboard", "bad_coordinate", "occupied", "suicide", "ko", "superko". */
const char *km_play_class_name(km_play_class play_class);

/* Winner as stored: 1 black, -1 white, 0 draw, KM_WINNER_UNKNOWN. */
enum { KM_WINNER_BLACK = 1, KM_WINNER_WHITE = -1, KM_WINNER_DRAW = 0, KM_WINNER_UNKNOWN = -128 };

typedef enum km_ending {
  KM_ENDING_UNKNOWN = 0, /* nothing said, or "B+" */
  KM_ENDING_SCORE,
  KM_ENDING_RESIGN,
  KM_ENDING_TIME,
  KM_ENDING_FORFEIT,
  KM_ENDING_DRAW,
  KM_ENDING_VOID,
  KM_ENDING_UNFINISHED, /* suspended, adjourned, … */
} km_ending;
const char *km_ending_name(km_ending ending);

typedef struct km_move {
  uint16_t point; /* row·cols+col, pass = rows·cols, KM_POINT_OFFBOARD, KM_POINT_BAD */
  uint8_t colour; /* KM_BLACK or KM_WHITE */
  uint8_t flags;  /* KM_MOVE_… */
} km_move;
enum { KM_MOVE_FORCED = 1 /* KO[] */ };

/* A set-up stone (AB, AW) or removal (AE, colour KM_EMPTY), in force before move number ply (0 = root). Sorted by ply. */
typedef struct km_setup {
  uint32_t ply;
  uint16_t point;
  uint8_t colour;
} km_setup;

/* A win-rate found in the record. black_win is Black's probability of winning the position after ply moves. */
typedef struct km_eval {
  uint32_t ply;
  float black_win;   /* 0…1, NaN unknown */
  float black_score; /* points, NaN unknown */
  uint32_t visits;   /* 0 unknown */
  uint8_t source;    /* km_eval_source */
} km_eval;
typedef enum km_eval_source {
  KM_EVAL_NONE = 0,
  KM_EVAL_KATAGO_TRAINING, /* C[0.39 0.61 0.00 -9.3 v=600 weight=0.75] */
  KM_EVAL_ADVERSARY,       /* C[adversary predicted win prob: …] */
  KM_EVAL_SBKV,            /* SBKV[39.23] */
  KM_EVAL_LIZZIE,          /* LZ[…] */
} km_eval_source;

typedef struct km_text {
  const char *bytes; /* valid UTF-8, not NUL-terminated; NULL when the record has none */
  uint32_t n_bytes;
} km_text;

/* Text columns of a game. Raw text is kept beside every normalised value. */
typedef enum km_text_field {
  KM_TEXT_BLACK = 0,
  KM_TEXT_WHITE,
  KM_TEXT_BLACK_RANK,
  KM_TEXT_WHITE_RANK,
  KM_TEXT_DATE,
  KM_TEXT_EVENT,
  KM_TEXT_ROUND,
  KM_TEXT_PLACE,
  KM_TEXT_RULES,
  KM_TEXT_RESULT,
  KM_TEXT_KOMI,
  KM_TEXT_HANDICAP,
  KM_TEXT_TIME,
  KM_TEXT_OVERTIME,
  KM_TEXT_APPLICATION,
  KM_TEXT_ENCODING, /* name of the encoding the record was read in */
  KM_TEXT_SOURCE,   /* archive or file */
  KM_TEXT_ENTRY,    /* entry within it */
  KM_TEXT_COUNT
} km_text_field;

/* A rank as a number with its kind: 9 and 'p'; 3 and 'k'. kind 0: unknown. */
typedef struct km_rank {
  int8_t number;
  char kind; /* 'k', 'd', 'p' or 0 */
} km_rank;
/* A total order for filters: 30k < 1k < 1d < 9d < 1p < 9p; INT_MIN for unknown. 1d = 1, 1k = 0, 30k = -29, 1p = 101. */
int km_rank_order(km_rank rank);

/* A date with its precision: 0 nothing, 1 year, 2 month, 3 day. Of a range, the first day. */
typedef struct km_date {
  int16_t year;
  uint8_t month, day;
  uint8_t precision;
} km_date;

typedef enum km_rules {
  KM_RULES_UNKNOWN = 0,
  KM_RULES_JAPANESE,
  KM_RULES_CHINESE,
  KM_RULES_KOREAN,
  KM_RULES_AGA,
  KM_RULES_NEW_ZEALAND,
  KM_RULES_ING,
  KM_RULES_TROMP_TAYLOR,
  KM_RULES_OTHER,
} km_rules;
const char *km_rules_name(km_rules rules);
/* Whether RU allows multi-stone suicide (New Zealand, Ing, Tromp-Taylor). */
int km_rules_suicide_allowed(km_rules rules);

typedef struct km_game {
  uint8_t rows, cols;      /* 1…52 */
  uint8_t handicap;        /* HA as a number; 0 none */
  uint8_t ending;          /* km_ending */
  uint8_t rules;           /* km_rules */
  uint8_t final_to_play;   /* who would move in the final position (SPEC §1) */
  int8_t winner;           /* KM_WINNER_… */
  float margin;            /* points, NaN unknown */
  float komi;              /* points, NaN unknown */
  km_rank black_rank, white_rank;
  km_date date;
  uint32_t flags;          /* KM_FLAG_… (kifumill/reason.h): warnings */
  uint32_t n_moves, n_setup, n_evals;
  km_move *moves;
  km_setup *setup;
  km_eval *evals;
  km_text text[KM_TEXT_COUNT];
} km_game;

static inline uint16_t km_game_pass(const km_game *game) { return (uint16_t)(game->rows * game->cols); }

/* SGF text of a point ("dp"), 2 letters and a NUL; "" for a pass, "??" for KM_POINT_BAD and KM_POINT_OFFBOARD. */
void km_point_sgf(uint16_t point, uint8_t rows, uint8_t cols, char text[3]);
/* GTP text of a point ("D4", letters without I; boards to 25 columns), "pass"; text holds 5. */
void km_point_gtp(uint16_t point, uint8_t rows, uint8_t cols, char text[5]);

#endif
