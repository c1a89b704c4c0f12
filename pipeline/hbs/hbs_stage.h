/* hbs_stage.h: games.h5 → hbs.h5 (kifumill/hbs_store.h) and hbs.summary.json.
 *
 * hbs.h5 has the exact S, and log2(1 + S), of every position of every game on a square board, with --layers
 * every L too; /games/size, the side of each game's board, 0 for a rectangle, which has no HBS and no
 * positions here; and /mean, the exact sums behind every curve (hbs_mean.c lists its columns). Games are
 * replayed as FF[4] says, so what ingest kept is followed to its end; moves in hbs.h5 are those of games.h5,
 * and its input_digest is the content digest of that file.
 *
 * Curves are made by board size, since S of different boards cannot be compared: for the KM_HBS_SIZES_MAX
 * most frequent sizes, up to 2·n² moves, without games of more than KM_HBS_CURVE_PLIES positions. What is
 * left out is counted. They are made of all games and by winner always, by other strata on request; a size's
 * strata with few games are folded into "others". Every worker sums on its own, or shares sums with others
 * where memory is short; sums are exact, so threads do not show.
 *
 * On disk (human-sample.zip, zstd:1) a position takes 1.6 bytes of S and 1.9 of log2, 1.8 more with --layers.
 * Both are read faster than they are made again by replay, so log2 is kept.
 *
 * hbs.summary.json, all that plots need. Numbers are rounded to 12 digits; null: undefined (no game, one
 * game's deviation).
 *
 *   format "kifumill hbs summary", format_version, generator, command, config, seed, input_digest
 *   variant; series: ["black"], ["white"] or both; window; fractions; align; ends; interpolate
 *   games, games_rectangular, positions
 *   boards: [{size, games, positions, curves: true or false,
 *     games_too_long: left out of the curves, values_beyond: past 2·n² moves}]
 *   curves: [{size, series, align: "move" | "fraction", by: "all" | "result" | "rank" …,
 *     stratum: "all" | "black" | "9d" …, games,
 *     n[], mean[], sd[], se[]: of log2(1 + S) at place t, after t moves or t/fractions of the game
 *     q1[], median[], q3[]: off by up to 1/32 (1/8 in strata by request); [] when ends are held
 *     d1[]: by move only, mean of log2(1 + S(t)) − log2(1 + S(t−1)) over the games that have both
 *     d2[]: by move only, d1[t] − d1[t−1]; both null where that is not defined
 *     s_mean[], s_sd[]: of S itself, as doubles
 *     and only where by is "all" or "result":
 *     layers: [{side, mean[], se[]}]: of log2(1 + L)
 *     delta: {mean[], se[]}: of S(t) − S(t−window), null for t < window; by move only
 *     s_d1, s_d2: {mean[], se[]}: of the differences of S; by move only}]
 *   first_stone: [{size, series, side, games, never, q1, median, q3,
 *     counts[]: games whose L of that side is first above 0 at place t}]
 *   steps: [{size, series, moves, rising, unchanged, falling, falling_without_capture,
 *     games, games_falling, games_falling_without_capture}] */
#ifndef KIFUMILL_HBS_STAGE_H
#define KIFUMILL_HBS_STAGE_H

#include "stage.h"

typedef enum km_hbs_alignment { KM_ALIGN_BOTH = 0, KM_ALIGN_MOVE, KM_ALIGN_FRACTION } km_hbs_alignment;

typedef struct km_hbs_options {
  km_run_options run;
  const char *variant, *by, *codec;
  int layers;
  int align;       /* km_hbs_alignment */
  int fractions;   /* M */
  int ends;        /* km_mean_ends */
  int interpolate; /* km_hbs_align */
  int window;      /* w of ΔS */
  int strata;      /* most strata of one kind and size, without "others" */
} km_hbs_options;

extern const km_stage km_hbs_stage;

km_status km_hbs_run(const km_hbs_options *options, km_stage_outcome *outcome, km_err *err);

#endif
