/* hbs_trajectory.h: HBS along a replayed game.
 *
 *     km_replay_init(&replay, game, &options);
 *     km_hbs_load(&hbs, &replay.board);
 *     while (km_replay_step(&replay) == KM_OK)
 *       km_hbs_follow(&hbs, &replay);              S and L of position replay.ply
 *
 * or all of it in one call. Set-up stones count like played ones, at any ply. */
#ifndef KIFUMILL_HBS_TRAJECTORY_H
#define KIFUMILL_HBS_TRAJECTORY_H

#include "kifumill/hbs_series.h"
#include "kifumill/replay.h"

/* The tracker becomes that of a whole board (of the geometry's size). */
void km_hbs_load(km_hbs *hbs, const km_board *board);
/* The tracker moves on by the step that the replay has just made. */
void km_hbs_follow(km_hbs *hbs, const km_replay *replay);

/* Runs a replay on from where it stands to its end with n trackers (one, or two for the colours of "both"),
 * loading them first, and records every position: series[i] place p is that of tracker i after replay->ply =
 * p moves. Returns what ended the game: KM_END, or KM_SKIP before a refused move. T is replay->ply. */
km_status km_hbs_trajectory(km_replay *replay, km_hbs *hbs, const km_hbs_series *series, unsigned n);

#endif
