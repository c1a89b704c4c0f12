/* hbs_trajectory.c: a tracker follows a replay: the move's point, then what it captured, each ring sorted
 * once.
 *
 * The point is set before the captures, so that a suicide, which lists its own stone as captured, ends empty.
 * A step with set-up stones says no more what vanished: then the board is read anew (nearly no game has one).
 */
#include "kifumill/hbs_trajectory.h"

static inline uint8_t counted_colour(const km_hbs *hbs) {
  return hbs->geometry->variant.colour == KM_HBS_WHITE ? KM_WHITE : KM_BLACK;
}

void km_hbs_load(km_hbs *hbs, const km_board *board) {
  uint8_t colour = counted_colour(hbs);
  const uint8_t *bits = board->stones[colour - KM_BLACK];
  km_hbs_init(hbs, hbs->geometry);
  for (unsigned byte = 0; byte < (board->n_points + 7u) / 8; byte++)
    for (unsigned rest = bits[byte]; rest != 0; rest &= rest - 1)
      km_hbs_set(hbs, (uint16_t)(8 * byte + 7 - (unsigned)__builtin_ctz(rest)), colour);
}

static inline void follow(km_hbs *hbs, const km_replay *replay) {
  const km_board *board = &replay->board;
  km_move move = replay->game->moves[replay->ply - 1];
  if (replay->setup_begin != replay->setup_end) {
    km_hbs_load(hbs, board);
    return;
  }
  /* A legal move of the other colour changes nothing that is counted: its point was empty. */
  if (move.point < board->n_points &&
      (move.colour == counted_colour(hbs) || replay->play_class != KM_PLAY_LEGAL))
    km_hbs_set(hbs, move.point, move.colour);
  if (board->n_captured > 0)
    km_hbs_set_many(hbs, board->captured, board->n_captured, KM_EMPTY);
}

void km_hbs_follow(km_hbs *hbs, const km_replay *replay) {
  follow(hbs, replay);
}

km_status km_hbs_trajectory(km_replay *replay, km_hbs *hbs, const km_hbs_series *series, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    km_hbs_load(&hbs[i], &replay->board);
  km_status status;
  while ((status = km_replay_step(replay)) == KM_OK)
    for (unsigned i = 0; i < n; i++) {
      /* The position before, now that a move has passed: read at once, its limbs would still be in flight,
       * and a copy in wider pieces than they were written in would wait for them. */
      km_hbs_record(&hbs[i], series[i], replay->ply - 1);
      follow(&hbs[i], replay);
    }
  for (unsigned i = 0; i < n; i++)
    km_hbs_record(&hbs[i], series[i], replay->ply);
  return status;
}
