/* metadata.h: the values of game-info properties → numbers. Unknown rather than guessed; never a wrong winner.
 *
 * All texts are UTF-8 with SGF's escapes removed; full-width letters and digits are read like ASCII. */
#ifndef KIFUMILL_METADATA_H
#define KIFUMILL_METADATA_H

#include "kifumill/game.h"

/* RE in Western, Chinese, Japanese and Korean spelling. Returns 0 when the text is understood (also "?" and ""), 1 when
 * it is not, 2 when it states two results that disagree; in both cases the winner is unknown. Margins are as written
 * ("B+1.75" is 1.75), but stones counted in Chinese (子) are points here: 1又3/4子 is 3.5. "B+0", and margins under a
 * quarter of a point as one server writes them (W+0.02), name a winner, no margin and no ending. */
int km_result_parse(const char *text, size_t n_bytes, int8_t *winner, float *margin, uint8_t *ending);

/* KM: points, decimal commas, hundredths (650 → 6.5), Chinese half-komi (375 → 7.5), "6目半", "3 3/4子" → 7.5. Returns
 * 1 with NaN when it is not understood, empty, or unbelievable (±100 points and more). */
int km_komi_parse(const char *text, size_t n_bytes, float *komi);
/* Once all of a game is known: a komi of 0 in an even game under Japanese or Korean rules since 1975 tells that the
 * program had none to write (22,000 records of one server): it becomes NaN. Returns 1 when it changed the game. */
int km_komi_adjust(km_game *game);
/* HA: "3", "3子", "让2子", "none"; 0 for none. 1 with 0 when not understood ("7.5"). */
int km_handicap_parse(const char *text, size_t n_bytes, uint8_t *handicap);
/* BR, WR: "9d", "九段", "9p", "P9段", "3级", "9단", "6d ama", "7k*"; kind 0 when unknown. Returns 0 for a rank
 * and for "no rank" ("", "?", "NR"), 1 for what is neither: titles, ratings, the several ranks of a team. */
int km_rank_parse(const char *text, size_t n_bytes, km_rank *rank);
/* DT: the first date of ISO forms, ranges, lists, "ca. 1665", timestamps. Returns 1 when not understood. */
int km_date_parse(const char *text, size_t n_bytes, km_date *date);
/* RU. */
km_rules km_rules_parse(const char *text, size_t n_bytes);
/* Whether RU allows suicide of several stones: 1 or 0; of KataGo's long form (koPOSITIONALscoreAREAtaxNONEsui1) what it
 * says, else what the named rules say. */
int km_rules_text_suicide(const char *text, size_t n_bytes);

/* A comment of a node after ply moves whose last mover is mover (0 for none): fills *eval and returns 1 if the text
 * holds a win-rate of a known form. Else 0. */
int km_eval_parse_comment(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval);
int km_eval_parse_sbkv(const char *text, size_t n_bytes, uint32_t ply, km_eval *eval);
int km_eval_parse_lizzie(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval);

#endif
