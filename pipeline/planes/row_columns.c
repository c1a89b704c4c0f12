/* row_columns.c: the table. Fill values, which stand for rows of a missing shard, are none that a row can
 * have. */
#include "row_columns.h"

enum {
  COLUMN_PLANES,
  COLUMN_POLICY,
  COLUMN_VALUE,
  COLUMN_SCORE,
  COLUMN_KOMI,
  COLUMN_TO_PLAY,
  COLUMN_GAME,
  COLUMN_PLY,
  COLUMN_SYMMETRY,
  N_FIXED
};

enum { NARROW_TIMES = 16 };

#define ROWS_DOC "planes (names: attribute planes of the file), each row by row from the top left"
static const km_column fixed[N_FIXED] = {
    [COLUMN_PLANES] = {.name = "planes", .type = KM_U8, .fill = 255, .content = KM_CONTENT_PLANES},
    [COLUMN_POLICY] = {.name = "policy",
                       .type = KM_I16,
                       .fill = INT16_MIN,
                       .doc = "the move played: row*cols+col, rows*cols a pass, -1 none (a final position)"},
    [COLUMN_VALUE] = {.name = "value",
                      .type = KM_I8,
                      .fill = -127,
                      .doc = "1 the player to move wins, -1 loses, 0 a draw, -128 unknown"},
    [COLUMN_SCORE] =
        {.name = "score",
         .type = KM_F32,
         .units = "points",
         .doc = "by how much the player to move wins (negative: loses); NaN unknown or not by points"},
    [COLUMN_KOMI] = {.name = "komi",
                     .type = KM_F32,
                     .units = "points",
                     .doc = "komi of the game; NaN unknown"},
    [COLUMN_TO_PLAY] = {.name = "to_play", .type = KM_U8, .fill = 255, .doc = "1 Black is to move, 2 White"},
    [COLUMN_GAME] = {.name = "game",
                     .type = KM_U32,
                     .fill = UINT32_MAX,
                     .doc = "number of the game in games.h5"},
    [COLUMN_PLY] = {.name = "ply",
                    .type = KM_U16,
                    .fill = UINT16_MAX,
                    .doc = "moves played before the position"},
    [COLUMN_SYMMETRY] =
        {.name = "symmetry",
         .type = KM_U8,
         .fill = 255,
         .doc = "how planes and policy are turned: 0 not, 1 rot90 (counter-clockwise), 2 rot180, 3 rot270, 4 "
                "left-right, 5 top-bottom, 6 transpose, 7 rot180 after transpose"},
};
static const km_column black_win = {
    .name = "black_win",
    .type = KM_F32,
    .doc = "Black's chance to win in the position as the record has it; NaN: it has none"};
static const km_column move_features = {.name = "move_features",
                                        .type = KM_I32,
                                        .inner_rank = 1,
                                        .inner = {KM_MOVE_FEATURES},
                                        .fill = INT32_MIN,
                                        .doc = "of the move played: pattern, pattern_canonical, can_capture, "
                                               "can_connect, creates_eye, distance_to_edge, "
                                               "liberties_after, enemy_liberties; all -1 for a pass or none"};

/* Whether two planes show one colour's stones, one move apart. */
static int are_neighbours(const km_plane *a, const km_plane *b) {
  km_plane_moment moment = {KM_BLACK, KM_HISTORY};
  km_plane_source x = a->fill(a->arg, &moment), y = b->fill(b->arg, &moment);
  if (x.store > KM_STORE_WHITE_VIEW || y.store > KM_STORE_WHITE_VIEW)
    return 0;
  int same_colour = ((x.index & 1) ^ (x.store == KM_STORE_WHITE_VIEW)) ==
                    ((y.index & 1) ^ (y.store == KM_STORE_WHITE_VIEW));
  return same_colour && (x.index / 2 + 1 == y.index / 2 || y.index / 2 + 1 == x.index / 2);
}

/* After how many planes a row mostly repeats itself; 0: it does not. */
static size_t planes_to_repeat(const km_planes_settings *s, size_t n_planes) {
  size_t best = 0, most = n_planes / 2;
  for (size_t distance = 1; distance <= 2; distance++) {
    size_t n = 0;
    for (size_t i = distance; i < n_planes; i++)
      n += (size_t)are_neighbours(&s->layout->planes[i - distance], &s->layout->planes[i]);
    if (n > most) {
      most = n;
      best = distance;
    }
  }
  return best;
}

void km_row_columns_init(km_row_columns *c, const km_planes_settings *s) {
  uint32_t n_planes = (uint32_t)km_layout_n_planes(s->layout, s->variants);
  *c = (km_row_columns){.n_columns = N_FIXED, .n_row_bytes = km_settings_row_bytes(s)};
  for (int i = 0; i < N_FIXED; i++)
    c->columns[i] = fixed[i];
  km_column *planes = &c->columns[COLUMN_PLANES];
  planes->inner[0] = n_planes;
  if (s->packing == KM_PACK_BITS) {
    planes->inner_rank = 2;
    planes->inner[1] = (uint32_t)km_settings_plane_bytes(s);
    planes->period = (uint16_t)(planes_to_repeat(s, n_planes) * km_settings_plane_bytes(s));
    planes->doc = ROWS_DOC ", 8 points a byte, first point in the most significant bit";
  } else {
    planes->inner_rank = 3;
    planes->inner[1] = s->rows;
    planes->inner[2] = s->cols;
    planes->doc = ROWS_DOC ", a byte a point";
  }
  if (s->evals) {
    c->win_at = (unsigned)c->n_columns;
    c->columns[c->n_columns++] = black_win;
  }
  if (s->move_features) {
    c->features_at = (unsigned)c->n_columns;
    c->columns[c->n_columns++] = move_features;
  }
  size_t widest = 1;
  for (size_t i = 0; i < c->n_columns; i++) {
    size_t n_bytes = km_column_row_bytes(&c->columns[i]);
    c->n_bytes += n_bytes;
    widest = n_bytes <= KM_NARROW_BYTES && n_bytes > widest ? n_bytes : widest;
  }
  c->narrow_times = NARROW_TIMES;
  while (c->narrow_times > 1 && c->narrow_times * (size_t)s->chunk_rows * widest >= 1 << 20)
    c->narrow_times /= 2;
}

void km_row_sink_init(km_row_sink *sink, const km_row_columns *c, km_block *block, size_t n) {
  *sink = (km_row_sink){.n_row_bytes = c->n_row_bytes,
                        .planes = km_block_last(block, COLUMN_PLANES, n),
                        .policy = km_block_last(block, COLUMN_POLICY, n),
                        .value = km_block_last(block, COLUMN_VALUE, n),
                        .score = km_block_last(block, COLUMN_SCORE, n),
                        .komi = km_block_last(block, COLUMN_KOMI, n),
                        .to_play = km_block_last(block, COLUMN_TO_PLAY, n),
                        .game = km_block_last(block, COLUMN_GAME, n),
                        .ply = km_block_last(block, COLUMN_PLY, n),
                        .symmetry = km_block_last(block, COLUMN_SYMMETRY, n),
                        .black_win = c->win_at ? km_block_last(block, c->win_at, n) : NULL,
                        .features = c->features_at ? km_block_last(block, c->features_at, n) : NULL};
}
