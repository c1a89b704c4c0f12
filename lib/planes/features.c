/* features.c: see features.h. Moves are made on the reader's board and taken back. */
#include "kifumill/features.h"

#include <stdlib.h>
#include <string.h>

#include "ladder.h"

/* ---- true eyes ---- */

/* The four neighbours are own stones or border. *n_border counts the latter. */
static int is_enclosed(const km_board *board, unsigned site, unsigned kind, unsigned *n_border) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  const unsigned near[4] = {at[-1], at[1], at[-w], at[w]};
  *n_border = 0;
  for (int i = 0; i < 4; ++i) {
    if ((near[i] & KM_CELL_KIND) == KM_CELL_BORDER)
      ++*n_border;
    else if ((near[i] & KM_CELL_KIND) != kind)
      return 0;
  }
  return 1;
}

/* Diagonal neighbours that the opponent holds, or that are empty and no eye. */
static unsigned bad_diagonals(const km_board *board, unsigned site, unsigned enemy, const uint8_t *eye_at) {
  int w = board->stride;
  const int step[4] = {-w - 1, -w + 1, w - 1, w + 1};
  unsigned n = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned diagonal = (unsigned)((int)site + step[i]), cell = board->cell[diagonal];
    n += (cell & KM_CELL_KIND) == enemy || (cell < KM_CELL_BORDER && !eye_at[diagonal]);
  }
  return n;
}

size_t km_true_eyes(const km_board *board, uint8_t colour, uint8_t *eye) {
  unsigned kind = km_cell_kind(colour), n = 0, first = 2u * board->stride;
  uint16_t sites[KM_POINT_MAX];
  uint8_t allowed[KM_POINT_MAX], eye_at[KM_SITE_MAX];
  memset(eye, 0, board->n_points);
  memset(eye_at, 0, board->n_sites);
  for (unsigned s = first; s < board->n_sites - first; ++s) {
    unsigned n_border;
    if (board->cell[s] >= KM_CELL_BORDER || !is_enclosed(board, s, kind, &n_border))
      continue;
    eye_at[s] = 1;
    allowed[n] = n_border == 0;
    sites[n++] = (uint16_t)s;
  }
  for (unsigned before = n + 1; n < before;) { /* until nothing was struck out */
    before = n;
    n = 0;
    for (unsigned i = 0; i < before; ++i) {
      if (bad_diagonals(board, sites[i], kind ^ KM_CELL_BORDER, eye_at) > allowed[i]) {
        eye_at[sites[i]] = 0;
        continue;
      }
      sites[n] = sites[i];
      allowed[n++] = allowed[i];
    }
  }
  for (unsigned i = 0; i < n; ++i)
    eye[km_board_point(board, sites[i])] = 1;
  return n;
}

/* ---- the reader ---- */

struct km_feature_reader {
  km_board board;
  km_ladder *ladder;
  uint8_t mark[KM_POINT_MAX], eye_before[KM_POINT_MAX], eye_after[KM_POINT_MAX];
  uint8_t eyes_of; /* the player eye_before is about; KM_EMPTY: not computed */
};

km_status km_feature_reader_new(km_feature_reader **reader, uint32_t variants, km_err *err) {
  *reader = calloc(1, sizeof **reader);
  if (*reader != NULL)
    (*reader)->ladder = km_ladder_new(KM_POINT_MAX, variants);
  if (*reader == NULL || (*reader)->ladder == NULL) {
    free(*reader);
    *reader = NULL;
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a feature reader");
  }
  km_board_init(&(*reader)->board, 1, 1);
  return KM_OK;
}

void km_feature_reader_free(km_feature_reader *reader) {
  if (reader == NULL)
    return;
  km_ladder_free(reader->ladder);
  free(reader);
}

void km_feature_reader_set(km_feature_reader *reader, const km_board *board) {
  km_board_copy(&reader->board, board);
  reader->eyes_of = KM_EMPTY;
}

/* ---- the seven features ---- */

/* The neighbourhood of site, row by row, as digits of the code; the middle is left out. */
static void neighbourhood(const km_board *board, uint8_t me, unsigned site, uint8_t digits[8]) {
  int w = board->stride;
  const int step[8] = {-w - 1, -w, -w + 1, -1, 1, w - 1, w, w + 1};
  for (int i = 0; i < 8; ++i) {
    unsigned cell = board->cell[(int)site + step[i]];
    unsigned kind = cell & KM_CELL_KIND;
    digits[i] = cell < KM_CELL_BORDER ? 0 : kind == KM_CELL_BORDER ? 3 : kind == km_cell_kind(me) ? 1 : 2;
  }
}

static uint16_t pattern_code(const uint8_t digits[8], const uint8_t order[8]) {
  unsigned code = 0;
  for (int i = 0; i < 8; ++i)
    code = code << 2 | digits[order[i]];
  return (uint16_t)code;
}

static void pattern(const km_board *board, uint8_t me, unsigned site, km_move_features *features) {
  /* What stands at each place of the neighbourhood after each symmetry:   0 1 2
   *                                                                       3   4
   *                                                                       5 6 7  */
  static const uint8_t orders[8][8] = {
      {0, 1, 2, 3, 4, 5, 6, 7}, {2, 4, 7, 1, 6, 0, 3, 5}, {7, 6, 5, 4, 3, 2, 1, 0}, {5, 3, 0, 6, 1, 7, 4, 2},
      {2, 1, 0, 4, 3, 7, 6, 5}, {5, 6, 7, 3, 4, 0, 1, 2}, {0, 3, 5, 1, 6, 2, 4, 7}, {7, 4, 2, 6, 1, 5, 3, 0}};
  uint8_t digits[8];
  neighbourhood(board, me, site, digits);
  features->pattern = features->pattern_canonical = pattern_code(digits, orders[0]);
  for (int k = 1; k < 8; ++k) {
    uint16_t code = pattern_code(digits, orders[k]);
    if (code < features->pattern_canonical)
      features->pattern_canonical = code;
  }
}

/* Distinct chains of a kind next to site; heads[] gets them. */
static unsigned chains_around(const km_board *board, unsigned site, unsigned kind, unsigned heads[4]) {
  const uint16_t *at = board->cell + site;
  ptrdiff_t w = board->stride;
  const unsigned near[4] = {at[-1], at[1], at[-w], at[w]};
  unsigned n = 0;
  for (int i = 0; i < 4; ++i) {
    unsigned head = near[i] & KM_CELL_HEAD, j = 0;
    while (j < n && heads[j] != head)
      ++j;
    if ((near[i] & KM_CELL_KIND) == kind && j == n)
      heads[n++] = head;
  }
  return n;
}

/* Whether me has a true eye now that it had not before. */
static uint8_t has_new_eye(km_feature_reader *reader, uint8_t me) {
  km_true_eyes(&reader->board, me, reader->eye_after);
  for (unsigned p = 0; p < reader->board.n_points; ++p)
    if (reader->eye_after[p] > reader->eye_before[p])
      return 1;
  return 0;
}

static void legal_move(km_feature_reader *reader, uint8_t me, uint16_t point, km_move_features *features) {
  km_board *board = &reader->board;
  unsigned site = km_board_site(board, point), own[4], enemies[4];
  if (reader->eyes_of != me)
    km_true_eyes(board, me, reader->eye_before);
  reader->eyes_of = me;
  features->can_connect = chains_around(board, site, km_cell_kind(me), own) >= 2;
  unsigned n_enemies = chains_around(board, site, km_cell_kind(km_opponent(me)), enemies);
  km_undo undo;
  km_board_play_undo(board, me, point, &undo);
  features->can_capture = board->n_captured > 0;
  features->liberties_after = (uint16_t)km_chain_liberties(board, board->cell[site] & KM_CELL_HEAD);
  for (unsigned i = 0; i < n_enemies; ++i) {
    int is_there = board->cell[enemies[i]] >= KM_CELL_STONE;
    int16_t n = (int16_t)(is_there ? km_chain_liberties(board, enemies[i]) : 0);
    if (features->enemy_liberties < 0 || n < features->enemy_liberties)
      features->enemy_liberties = n;
  }
  features->creates_eye = has_new_eye(reader, me);
  km_board_undo(board, &undo);
}

void km_feature_reader_move(km_feature_reader *reader, uint8_t me, uint16_t point,
                            km_move_features *features) {
  const km_board *board = &reader->board;
  unsigned r = point / board->cols, c = point % board->cols;
  unsigned down = board->rows - 1u - r, right = board->cols - 1u - c;
  unsigned vertical = r < down ? r : down, horizontal = c < right ? c : right;
  memset(features, 0, sizeof *features);
  features->enemy_liberties = -1;
  features->distance_to_edge = (uint8_t)(vertical < horizontal ? vertical : horizontal);
  pattern(board, me, km_board_site(board, point), features);
  if (km_board_classify(board, me, point) == KM_PLAY_LEGAL)
    legal_move(reader, me, point, features);
}

/* ---- names ---- */

static const struct {
  const char *name, *doc;
} columns[KM_MOVE_FEATURES] = {
    {"pattern", "base-4 code of the 8 neighbours row by row: 0 empty, 1 own, 2 opponent's, 3 off the board"},
    {"pattern_canonical", "least pattern over the 8 symmetries"},
    {"can_capture", "1 if the move takes stones"},
    {"can_connect", "1 if the move joins two or more own chains"},
    {"creates_eye", "1 if the move gives a true eye that was none before"},
    {"liberties_after", "liberties of the chain of the stone played"},
    {"enemy_liberties", "least liberties of the opponent's chains next to the move, after it; -1 none"},
    {"distance_to_edge", "lines between the point and the nearest edge"},
};

const char *km_move_feature_name(unsigned i) {
  return columns[i].name;
}
const char *km_move_feature_doc(unsigned i) {
  return columns[i].doc;
}

int32_t km_move_feature_value(const km_move_features *features, unsigned i) {
  const int32_t values[KM_MOVE_FEATURES] = {features->pattern,         features->pattern_canonical,
                                            features->can_capture,     features->can_connect,
                                            features->creates_eye,     features->liberties_after,
                                            features->enemy_liberties, features->distance_to_edge};
  return values[i];
}

/* ---- ladders ---- */

static size_t list_marked(const km_feature_reader *reader, uint16_t *points) {
  size_t n = 0;
  for (unsigned p = 0; p < reader->board.n_points; ++p)
    if (reader->mark[p])
      points[n++] = (uint16_t)p;
  return n;
}

size_t km_feature_reader_ladder_captures(km_feature_reader *reader, uint8_t me, uint16_t *points) {
  memset(reader->mark, 0, reader->board.n_points);
  km_ladder_captures(reader->ladder, &reader->board, me, reader->mark);
  return list_marked(reader, points);
}

size_t km_feature_reader_ladder_escapes(km_feature_reader *reader, uint8_t me, uint16_t *points) {
  memset(reader->mark, 0, reader->board.n_points);
  km_ladder_escapes(reader->ladder, &reader->board, me, reader->mark);
  return list_marked(reader, points);
}

uint64_t km_feature_reader_ladders_cut(const km_feature_reader *reader) {
  return km_ladder_n_cut(reader->ladder);
}
