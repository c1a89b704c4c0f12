/* ingest_filter.h: which games are wanted. Every filter is an option; a game that fails one is refused as "filtered",
 * with the name of the option in the ledger. */
#ifndef KIFUMILL_INGEST_FILTER_H
#define KIFUMILL_INGEST_FILTER_H

#include "kifumill/err.h"
#include "kifumill/game.h"

enum { KM_FILTER_SIZES_MAX = 32 };

/* The texts as given; NULL: no filter. */
typedef struct km_filter_texts {
  const char *sizes;    /* "19", "9,13,19", "13x9" (columns × rows) */
  const char *min_rank; /* "6d", "1p", "3k": both players */
  const char *handicap; /* "0", "2..9" */
  const char *since, *until; /* "1990", "1990-05", "1990-05-31" */
  const char *komi;     /* "6.5", "5.5..7.5" */
} km_filter_texts;

typedef enum km_filter_result {
  KM_FILTER_RESULT_ANY = 0,
  KM_FILTER_RESULT_KNOWN,   /* winner or draw known */
  KM_FILTER_RESULT_DECIDED, /* a winner */
  KM_FILTER_RESULT_SCORE,   /* counted: a margin is known */
  KM_FILTER_RESULT_RESIGN,
} km_filter_result;

typedef struct km_filter {
  uint8_t sizes[KM_FILTER_SIZES_MAX][2]; /* rows, cols */
  unsigned n_sizes;
  int has_rank, min_rank; /* km_rank_order */
  int has_handicap, min_handicap, max_handicap;
  int since, until; /* yyyymmdd; 0 none */
  int has_komi;
  double min_komi, max_komi;
  int result; /* km_filter_result */
  int min_moves, max_moves;
} km_filter;

/* KM_ERR_USAGE names the option whose text is wrong. */
km_status km_filter_parse(km_filter *filter, const km_filter_texts *texts, km_err *err);
/* NULL when the game passes, else the name of the option that it fails ("min-rank"). n_moves counts as kept. */
const char *km_filter_test(const km_filter *filter, const km_game *game);

#endif
