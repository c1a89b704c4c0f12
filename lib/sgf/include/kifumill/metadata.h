/* metadata.h: the values of game-info properties → numbers. Unknown rather than guessed; never a wrong winner. */
#ifndef KIFUMILL_METADATA_H
#define KIFUMILL_METADATA_H

#include "kifumill/game.h"

/* RE in Western, Chinese, Japanese and Korean spelling. Returns 0 when the text is understood (also "?" and ""), 1 when
 * it is not (winner unknown). */
int km_result_parse(const char *text, size_t n_bytes, int8_t *winner, float *margin, uint8_t *ending);
/* KM: points, decimal commas, hundredths (650 → 6.5), Chinese half-komi (375 → 7.5). NaN and 1 when not understood. */
int km_komi_parse(const char *text, size_t n_bytes, float *komi);
/* HA. 0 for none; 1 when not understood. */
int km_handicap_parse(const char *text, size_t n_bytes, uint8_t *handicap);
/* BR, WR: "9d", "九段", "9p", "P9段", "3级", "9단", "6d ama", "7k*"; kind 0 when unknown. Returns 1 when not understood. */
int km_rank_parse(const char *text, size_t n_bytes, km_rank *rank);
/* DT: the first date of ISO forms, ranges, lists, "ca. 1665", timestamps. Returns 1 when not understood. */
int km_date_parse(const char *text, size_t n_bytes, km_date *date);
/* RU. */
km_rules km_rules_parse(const char *text, size_t n_bytes);

/* A comment of a node after ply moves whose last mover is mover (0 for none): fills *eval and returns 1 if the text
 * holds a win-rate of a known form. */
int km_eval_parse_comment(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval);
int km_eval_parse_sbkv(const char *text, size_t n_bytes, uint32_t ply, km_eval *eval);
int km_eval_parse_lizzie(const char *text, size_t n_bytes, uint32_t ply, uint8_t mover, km_eval *eval);

#endif
