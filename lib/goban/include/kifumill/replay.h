/* replay.h: plays a game from its first position to its last: the one loop that ingest, hbs and planes share.
 *
 *     km_replay_init(&replay, game, &options);          position 0: the root's set-up is on the board
 *     while ((status = km_replay_step(&replay)) == KM_OK)
 *       …                                               position replay.ply, after that many moves
 *     KM_END: all moves played. KM_SKIP: move number replay.ply + 1 is of class replay.play_class and stops the game.
 *
 * After each step replay.board is position ply; the move that led there is game->moves[ply - 1], what it took off is
 * board.captured. Set-up within a game belongs to the position it changes: it is carried out at once after the move
 * before it, so that board is what the next move meets; game->setup[setup_begin…setup_end-1] are the stones of this
 * step (nearly always none). If there are any, stones may have vanished and board.captured is empty.
 *
 * With superko off (options.superko NULL) a step is the move and nothing else. */
#ifndef KIFUMILL_REPLAY_H
#define KIFUMILL_REPLAY_H

#include "kifumill/board.h"
#include "kifumill/superko.h"

typedef enum km_replay_mode {
  KM_REPLAY_STRICT = 0, /* stops before the first move that the rules forbid */
  KM_REPLAY_SGF,        /* FF[4]: carries out whatever is on the board; only a point beyond it stops the game */
} km_replay_mode;

typedef enum km_ko_rule {
  KM_KO_SIMPLE = 0,
  KM_KO_POSITIONAL,  /* and no position of stones twice */
  KM_KO_SITUATIONAL, /* and none twice with the same player to move */
} km_ko_rule;

typedef struct km_replay_options {
  uint8_t mode;          /* km_replay_mode */
  uint8_t ko_rule;       /* km_ko_rule; the superko rules need superko */
  uint8_t allow_suicide; /* of two stones or more; a single stone is refused under every rule */
  /* A table fresh from km_superko_init for game->n_moves positions: repetitions are found, and refused or only
   * reported as ko_rule says. Passes are exempt. NULL: not looked for. */
  km_superko *superko;
} km_replay_options;

typedef struct km_replay {
  const km_game *game;
  km_replay_options options;
  uint32_t ply; /* moves played */
  uint32_t setup_begin, setup_end;
  km_play_class play_class;                /* of the last move looked at: played, or refused with KM_SKIP */
  unsigned repeats;                        /* KM_REPEATS_… of the last move, with superko */
  uint32_t n_positional, n_situational;    /* moves so far that repeated a position, a situation */
  km_board board;
} km_replay;

/* Puts position 0 on the board. game is borrowed until the replay ends. */
void km_replay_init(km_replay *replay, const km_game *game, const km_replay_options *options);

/* The parts of a step that are rarely needed. */
int km_replay_play_irregular(km_replay *replay, km_move move);
int km_replay_play_superko(km_replay *replay, km_move move);
void km_replay_setup(km_replay *replay);

/* Plays the next move (and the set-up that follows it): KM_OK; KM_END behind the last; KM_SKIP if the move stops the
 * game, which stays as it is. */
static inline km_status km_replay_step(km_replay *replay) {
  const km_game *game = replay->game;
  if (replay->ply >= game->n_moves)
    return KM_END;
  km_move move = game->moves[replay->ply];
  if (replay->options.superko) {
    if (!km_replay_play_superko(replay, move))
      return KM_SKIP;
  } else {
    replay->play_class = km_board_try(&replay->board, move.colour, move.point);
    if (replay->play_class > KM_PLAY_PASS && !km_replay_play_irregular(replay, move))
      return KM_SKIP;
  }
  replay->ply++;
  replay->setup_begin = replay->setup_end;
  if (replay->setup_end < game->n_setup && game->setup[replay->setup_end].ply <= replay->ply)
    km_replay_setup(replay);
  return KM_OK;
}

/* Who moves in position ply (SPEC §1): the colour of the move made there, or of the final position. */
static inline uint8_t km_game_to_play(const km_game *game, uint32_t ply) {
  return ply < game->n_moves ? game->moves[ply].colour : game->final_to_play;
}

#endif
