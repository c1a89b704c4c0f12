/* phase_division.c: rules and searches that divide a game in three. */
#include "phase_division.h"

#include "kifumill/replay.h"

#include <math.h>
#include <stdlib.h>

enum { LINE_MOVES = 10 }; /* that the mean line is of */

const char *km_method_name(km_method method) {
  static const char *const names[KM_METHODS] = {"hbs",    "hbs-changes", "uniform", "conventional",
                                                "stones", "lines",       "contact", "captures"};
  return names[method];
}

km_division km_divide_uniform(size_t n) {
  return (km_division){{(uint32_t)(n / 3), (uint32_t)(2 * n / 3)}};
}

km_division km_divide_conventional(km_division at19, unsigned size) {
  uint64_t area = (uint64_t)size * size;
  uint32_t a = (uint32_t)((at19.at[0] * area * 2 + 361) / 722),
           b = (uint32_t)((at19.at[1] * area * 2 + 361) / 722);
  a = a < 1 ? 1 : a;
  return (km_division){{a, b <= a ? a + 1 : b}};
}

static void take_division(const km_changepoints *cut, km_division *division, int *found) {
  *found = cut->found;
  if (cut->found)
    *division = (km_division){{cut->breaks[0], cut->breaks[1]}};
}

km_status km_divide_series(km_changepoint *workspace, const km_series *series,
                           const km_changepoint_options *options, km_division *division, int *found,
                           km_err *err) {
  km_changepoint_options three = *options;
  km_changepoints cut = {.found = false};
  three.n_changes = 2;
  three.search = KM_SEARCH_EXACT;
  km_status status = km_changepoint_find(workspace, series, &three, &cut, err);
  take_division(&cut, division, found);
  return status;
}

km_status km_divide_again(km_changepoint *workspace, km_division *division, int *found, km_err *err) {
  km_changepoints cut = {.found = false};
  km_status status = km_changepoint_find_fixed(workspace, 2, &cut, err);
  take_division(&cut, division, found);
  return status;
}

/* ---- by moves
 * ---------------------------------------------------------------------------------------------------- */

struct km_move_divider {
  size_t most;
  double *stones, *lines, *captures; /* by ply */
  km_replay replay;
};

km_move_divider *km_move_divider_new(size_t most) {
  km_move_divider *divider = calloc(1, sizeof *divider);
  if (!divider)
    return NULL;
  divider->most = most;
  divider->stones = malloc(3 * most * sizeof *divider->stones);
  if (!divider->stones) {
    free(divider);
    return NULL;
  }
  divider->lines = divider->stones + most;
  divider->captures = divider->lines + most;
  return divider;
}

void km_move_divider_free(km_move_divider *divider) {
  if (!divider)
    return;
  free(divider->stones);
  free(divider);
}

static double count_stones(const km_board *board) {
  unsigned n = 0;
  for (unsigned i = 0; i < (board->n_points + 7u) / 8; i++)
    n +=
        (unsigned)__builtin_popcount(board->stones[0][i]) + (unsigned)__builtin_popcount(board->stones[1][i]);
  return n;
}

/* Whether the last move touches a stone of the other colour, or took some. */
static int touches(const km_board *board, km_move move) {
  unsigned row = move.point / board->cols, col = move.point % board->cols;
  uint8_t other = km_opponent(move.colour);
  return board->n_captured > 0 || (row > 0 && km_board_stone(board, move.point - board->cols) == other) ||
         (row + 1u < board->rows && km_board_stone(board, move.point + board->cols) == other) ||
         (col > 0 && km_board_stone(board, move.point - 1u) == other) ||
         (col + 1u < board->cols && km_board_stone(board, move.point + 1u) == other);
}

static unsigned line_of(const km_board *board, unsigned point) {
  unsigned row = point / board->cols, col = point % board->cols;
  unsigned down = board->rows - 1u - row, right = board->cols - 1u - col;
  unsigned a = row < down ? row : down, b = col < right ? col : right;
  return 1 + (a < b ? a : b);
}

/* Lines of the last moves that were no passes. */
typedef struct line_ring {
  unsigned line[LINE_MOVES], sum, n;
} line_ring;
static double ring_add(line_ring *ring, unsigned line) {
  unsigned *place = &ring->line[ring->n++ % LINE_MOVES];
  ring->sum += line - *place;
  *place = line;
  return (double)ring->sum / (ring->n < LINE_MOVES ? ring->n : LINE_MOVES);
}

/* Fills the series; gives the ply of the first contact, 0: none. */
static uint32_t follow(km_move_divider *d, const km_game *game) {
  static const km_replay_options as_recorded = {.mode = KM_REPLAY_SGF, .allow_suicide = 1};
  km_replay *replay = &d->replay;
  line_ring ring = {{0}, 0, 0};
  uint32_t contact = 0;
  km_replay_init(replay, game, &as_recorded);
  d->stones[0] = count_stones(&replay->board);
  d->lines[0] = (double)NAN;
  d->captures[0] = 0;
  while (km_replay_step(replay) == KM_OK) {
    uint32_t t = replay->ply;
    km_move move = game->moves[t - 1];
    int is_stone = move.point < replay->board.n_points;
    int is_plain = replay->setup_begin == replay->setup_end && replay->play_class <= KM_PLAY_PASS;
    d->stones[t] =
        is_plain ? d->stones[t - 1] + is_stone - replay->board.n_captured : count_stones(&replay->board);
    d->captures[t] = (double)replay->board.prisoners[KM_BLACK] + replay->board.prisoners[KM_WHITE];
    d->lines[t] = is_stone ? ring_add(&ring, line_of(&replay->board, move.point)) : d->lines[t - 1];
    if (!contact && is_stone && touches(&replay->board, move))
      contact = t;
  }
  uint32_t first = 0; /* before the first stone its line is taken */
  while (first <= replay->ply && isnan(d->lines[first]))
    first++;
  for (uint32_t t = 0; t < first; t++)
    d->lines[t] = first <= replay->ply ? d->lines[first] : 0;
  return contact;
}

static int is_constant(const double *values, size_t n) {
  size_t t = 1;
  while (t < n && values[t] == values[0])
    t++;
  return t == n;
}

km_status km_divide_moves(km_move_divider *divider, km_changepoint *workspace, const km_game *game,
                          const km_changepoint_options *options, km_division *divisions, km_err *err) {
  size_t n = (size_t)game->n_moves + 1;
  uint32_t contact = follow(divider, game);
  if (divider->replay.ply != game->n_moves)
    return km_err_set(err, KM_ERR_FORMAT, 0, "it cannot be played beyond move %u", divider->replay.ply);
  const struct {
    km_method method;
    const double *values;
  } series[] = {{KM_METHOD_STONES, divider->stones},
                {KM_METHOD_LINES, divider->lines},
                {KM_METHOD_CAPTURES, divider->captures}};
  km_status status = KM_OK;
  for (size_t i = 0; i < sizeof series / sizeof *series && status == KM_OK; i++) {
    km_division *to = &divisions[series[i].method];
    int found = 0;
    *to = km_divide_uniform(n);
    if (!is_constant(series[i].values, n))
      status = km_divide_series(workspace, &(km_series){series[i].values, n, 1}, options, to, &found, err);
  }
  uint32_t half = contact + (uint32_t)(n - contact) / 2;
  divisions[KM_METHOD_CONTACT] =
      contact && half > contact && half < n ? (km_division){{contact, half}} : km_divide_uniform(n);
  return status;
}

/* ---- nearness
 * ---------------------------------------------------------------------------------------------------- */

const char *km_nearness_name(km_nearness nearness) {
  static const char *const names[KM_NEARNESSES] = {"f1", "hausdorff", "ari", "covering", "distance"};
  return names[nearness];
}

static double apart(uint32_t a, uint32_t b) {
  return a > b ? a - b : b - a;
}

static double mean_distance(km_breaks truth, km_breaks found, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < truth.n; i++) {
    double least = (double)n;
    for (size_t k = 0; k < found.n; k++)
      least = apart(truth.at[i], found.at[k]) < least ? apart(truth.at[i], found.at[k]) : least;
    sum += truth.n == found.n ? apart(truth.at[i], found.at[i]) : least;
  }
  return truth.n ? sum / (double)truth.n : 0;
}

void km_compare_breaks(double nearness[KM_NEARNESSES], km_breaks truth, km_breaks found, size_t n,
                       uint32_t margin) {
  nearness[KM_NEAR_F1] = km_breaks_score(truth, found, margin).f1;
  nearness[KM_NEAR_HAUSDORFF] = km_breaks_hausdorff(truth, found, n);
  nearness[KM_NEAR_ARI] = km_breaks_adjusted_rand(truth, found, n);
  nearness[KM_NEAR_COVERING] = km_breaks_covering(truth, found, n);
  nearness[KM_NEAR_DISTANCE] = mean_distance(truth, found, n);
}
