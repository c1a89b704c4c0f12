/* replay.c: the irregular parts of a replay: suicide, FF[4] execution, superko, set-up. */
#include "kifumill/replay.h"

#include <assert.h>

void km_replay_init(km_replay *replay, const km_game *game, const km_replay_options *options) {
  assert(options->superko || options->ko_rule == KM_KO_SIMPLE);
  replay->game = game;
  replay->options = *options;
  replay->ply = 0;
  replay->setup_begin = replay->setup_end = 0;
  replay->play_class = KM_PLAY_LEGAL;
  replay->repeats = 0;
  replay->n_positional = replay->n_situational = 0;
  km_board_init(&replay->board, game->rows, game->cols);
  if (game->n_setup && game->setup[0].ply == 0)
    km_replay_setup(replay);
}

void km_replay_setup(km_replay *replay) {
  const km_game *game = replay->game;
  uint32_t begin = replay->setup_end, end = begin;
  while (end < game->n_setup && game->setup[end].ply <= replay->ply)
    end++;
  replay->setup_begin = begin;
  replay->setup_end = end;
  km_board_setup_all(&replay->board, game->setup + begin, end - begin);
}

/* Whether a stone at an empty point would join one of its colour. */
static int has_friend(const km_board *board, km_move move) {
  const uint16_t *at = board->cell + km_board_site(board, move.point);
  unsigned kind = km_cell_kind(move.colour);
  ptrdiff_t w = board->stride;
  return (at[-1] & KM_CELL_KIND) == kind || (at[1] & KM_CELL_KIND) == kind || (at[-w] & KM_CELL_KIND) == kind ||
         (at[w] & KM_CELL_KIND) == kind;
}

/* Whether the rules but superko let a move of this class be played. */
static int is_allowed(const km_replay *replay, km_move move, km_play_class play_class) {
  if (play_class == KM_PLAY_SUICIDE)
    return replay->options.allow_suicide && has_friend(&replay->board, move);
  return play_class <= KM_PLAY_PASS;
}

/* Whether the replay carries out a move that the rules forbid. */
static int is_executed(const km_replay *replay, km_play_class play_class) {
  return replay->options.mode == KM_REPLAY_SGF && play_class != KM_PLAY_OFFBOARD && play_class != KM_PLAY_BAD_POINT;
}

/* Plays a move of a class other than legal and pass, if it is to be played at all; else 0. */
int km_replay_play_irregular(km_replay *replay, km_move move) {
  if (!is_allowed(replay, move, replay->play_class) && !is_executed(replay, replay->play_class))
    return 0;
  km_board_play(&replay->board, move.colour, move.point);
  return 1;
}

/* Whether a move that is allowed otherwise repeats what the ko rule forbids to repeat. Passes are exempt. */
static int is_banned(const km_replay *replay, km_move move) {
  static const unsigned forbidden[] = {0, KM_REPEATS_POSITION, KM_REPEATS_SITUATION};
  unsigned forbids = forbidden[replay->options.ko_rule];
  km_play_class play_class = forbids ? km_board_classify(&replay->board, move.colour, move.point) : KM_PLAY_PASS;
  if (play_class == KM_PLAY_PASS || !is_allowed(replay, move, play_class))
    return 0;
  km_hash128 after = km_board_hash_after(&replay->board, move.colour, move.point);
  return (km_superko_find(replay->options.superko, after, km_opponent(move.colour)) & forbids) != 0;
}

/* Classifies a move, superko included, and plays it if it is to be played; else 0. A position enters the table when it
 * is left: by then set-up has made it what the move met, and its mover is known. */
int km_replay_play_superko(km_replay *replay, km_move move) {
  km_board *board = &replay->board;
  km_superko *superko = replay->options.superko;
  km_hash128 before = board->hash;
  int banned = is_banned(replay, move);
  replay->repeats = 0;
  replay->play_class = banned ? KM_PLAY_SUPERKO : km_board_try(board, move.colour, move.point);
  if (replay->play_class > KM_PLAY_PASS && !km_replay_play_irregular(replay, move))
    return 0;
  km_superko_add(superko, before, move.colour);
  if (replay->play_class != KM_PLAY_PASS)
    replay->repeats = km_superko_find(superko, board->hash, km_opponent(move.colour));
  replay->n_positional += (replay->repeats & KM_REPEATS_POSITION) != 0;
  replay->n_situational += (replay->repeats & KM_REPEATS_SITUATION) != 0;
  return 1;
}
