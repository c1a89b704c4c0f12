/* hbs_strata.h: which curves a game belongs to.
 *
 * The games are counted once by every value of the kinds asked for, a board size and colour at a time; the
 * most frequent values of each get a stratum, by falling number of games (then by first appearance), all
 * others share the last one, "others". Up to KM_STRATA_VALUES distinct values are told apart, so that memory
 * is bounded; later ones count as others. */
#ifndef KIFUMILL_HBS_STRATA_H
#define KIFUMILL_HBS_STRATA_H

#include "kifumill/game.h"
#include "kifumill/games_store.h"

/* KM_BY_RESULT is that of all curves; it is not asked for. */
typedef enum km_by {
  KM_BY_RESULT = 0,
  KM_BY_RANK,
  KM_BY_PLAYER,
  KM_BY_YEAR,
  KM_BY_KOMI,
  KM_BY_SOURCE,
  KM_BY_LENGTH,
  KM_BY_COUNT
} km_by;
const char *km_by_name(km_by by);
/* Strata of KM_BY_RESULT, in this order; the whole is the one behind. */
enum {
  KM_RESULT_BLACK = 0,
  KM_RESULT_WHITE,
  KM_RESULT_DRAW,
  KM_RESULT_UNKNOWN,
  KM_RESULT_ALL,
  KM_RESULT_STRATA
};
unsigned km_result_stratum(const km_game *game);
const char *km_result_name(unsigned stratum);

enum { KM_STRATA_VALUES = 1 << 19, KM_STRATUM_NAME = 81 };

/* Reads "rank,year"; "size" and "result" are there anyway. *mask gets bits 1 << km_by. KM_ERR_USAGE. */
km_status km_by_parse(unsigned *mask, const char *list, km_err *err);

typedef struct km_strata km_strata;
km_strata *km_strata_new(unsigned mask, unsigned limit); /* NULL when memory is out */
void km_strata_free(km_strata *strata);
/* First pass: counts game number i, facts as km_games_info gives them, for the series of one colour. */
km_status km_strata_count(km_strata *strata, uint64_t i, const km_game *game, uint8_t colour, km_err *err);
/* Ends it: gives numbers to the strata. */
km_status km_strata_rank(km_strata *strata, km_err *err);

/* What strata are of: a kind, a board size, a colour. */
typedef struct km_strata_of {
  km_by by;
  uint8_t size, colour;
} km_strata_of;
/* Number of strata, "others" included where there are any. */
unsigned km_strata_n(const km_strata *strata, km_strata_of of);
/* The stratum of a game. Any thread. */
unsigned km_strata_find(const km_strata *strata, km_strata_of of, const km_game *game);
/* Its name, cut to KM_STRATUM_NAME - 1 bytes. */
km_status km_strata_name(const km_strata *strata, km_strata_of of, unsigned stratum, const km_games *games,
                         char name[KM_STRATUM_NAME], km_err *err);

#endif
