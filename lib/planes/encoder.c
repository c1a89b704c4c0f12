/* encoder.c: the history buffers, and the copy programs that make rows of them. See encoder.h.
 *
 * A slot is one symmetry in use. Its history is two buffers (Black's and White's view) of WINDOW steps of two
 * planes; all buffers share one head. When the head reaches the front, the steps that a row can still want
 * move to the end. Steps before the first position are zeros, which is what every layout shows there.
 *
 * A program is what a layout comes to for one player to move and one number of positions there are: spans of
 * bytes, each from a history view, from the constant planes, or left to the features. Planes that stand next
 * to each other in memory as in the row are one span. */
#include "kifumill/encoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "feature_set.h"

enum { WINDOW = 32 }; /* steps a view buffer holds; the 7 kept at a turn are copied every 25 moves */

typedef struct copy_span {
  uint32_t store; /* km_plane_store */
  uint32_t offset, n_bytes;
} copy_span;

typedef struct copy_program {
  uint32_t n_spans;
  copy_span spans[KM_PLANES_MAX];
  uint32_t place[8 * KM_FAMILIES]; /* where in the row the plane of a family's bin begins, or NO_PLANE */
} copy_program;
#define NO_PLANE UINT32_MAX

struct km_plane_encoder {
  km_plane_options options;
  size_t n_points, n_planes, plane_bytes, pair_bytes, view_bytes;
  unsigned shift;                /* byte of a cell = cell >> shift */
  uint8_t top, low;              /* its bit = top >> (cell & low) */
  int8_t slot_of[KM_SYMMETRIES]; /* -1: not in use */
  unsigned n_slots;
  unsigned head, n_steps;
  uint16_t *map;            /* n_slots × n_points: cell of a point */
  uint8_t *views;           /* n_slots × {black, white} × WINDOW × pair_bytes */
  uint8_t *constants;       /* a plane of zeros, a plane of ones */
  km_feature_set *features; /* NULL: the layout has none */
  copy_program programs[2][KM_HISTORY];
};

/* ---- making one ---- */

static km_status check_options(const km_plane_options *options, km_err *err) {
  const km_layout *layout = options->layout;
  if (options->rows < 1 || options->rows > KM_BOARD_MAX || options->cols < 1 || options->cols > KM_BOARD_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "no planes for a board of %u rows and %u columns", options->rows,
                      options->cols);
  if ((options->variants & ~layout->variants) != 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "layout %s has no variant of number %#x", layout->name,
                      (unsigned)(options->variants & ~layout->variants));
  if (options->symmetries == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "no symmetry asked for");
  for (int k = 0; k < KM_SYMMETRIES && options->symmetries != 0xff; ++k)
    if ((options->symmetries >> k & 1) != 0 && !km_symmetry_fits(k, options->rows, options->cols))
      return km_err_set(err, KM_ERR_USAGE, 0, "symmetry %d does not fit a board of %u rows and %u columns", k,
                        options->rows, options->cols);
  return KM_OK;
}

/* Where the source of a plane stands, as store and byte offset. */
static copy_span resolve(const km_plane_encoder *encoder, const km_plane *plane,
                         const km_plane_moment *moment) {
  km_plane_source source = plane->fill(plane->arg, moment);
  assert(source.store == KM_STORE_FEATURE || source.index < 2 * KM_HISTORY);
  uint32_t offset = source.store == KM_STORE_FEATURE ? 0 : (uint32_t)(source.index * encoder->plane_bytes);
  return (copy_span){source.store, offset, (uint32_t)encoder->plane_bytes};
}

static void compile(km_plane_encoder *encoder, const km_layout *layout, const km_plane_moment *moment) {
  copy_program *program = &encoder->programs[moment->to_play - 1][moment->n_steps - 1];
  for (size_t i = 0; i < 8 * KM_FAMILIES; ++i)
    program->place[i] = NO_PLANE;
  for (size_t i = 0; i < encoder->n_planes; ++i) {
    const km_plane *plane = &layout->planes[i];
    copy_span next = resolve(encoder, plane, moment);
    copy_span *last = program->n_spans > 0 ? &program->spans[program->n_spans - 1] : NULL;
    if (next.store == KM_STORE_FEATURE)
      program->place[plane->fill(plane->arg, moment).index] = (uint32_t)(i * encoder->plane_bytes);
    if (last != NULL && last->store == next.store &&
        (next.store == KM_STORE_FEATURE || last->offset + last->n_bytes == next.offset))
      last->n_bytes += next.n_bytes;
    else
      program->spans[program->n_spans++] = next;
  }
}

static void set_geometry(km_plane_encoder *encoder, const km_plane_options *options) {
  encoder->options = *options;
  encoder->n_points = (size_t)options->rows * options->cols;
  encoder->n_planes = km_layout_n_planes(options->layout, options->variants);
  if (options->packing == KM_PACK_BITS) {
    encoder->plane_bytes = (encoder->n_points + 7) / 8;
    encoder->shift = 3, encoder->top = 0x80, encoder->low = 7;
  } else {
    encoder->plane_bytes = encoder->n_points;
    encoder->shift = 0, encoder->top = 1, encoder->low = 0;
  }
  encoder->pair_bytes = 2 * encoder->plane_bytes;
  encoder->view_bytes = WINDOW * encoder->pair_bytes;
  for (int k = 0; k < KM_SYMMETRIES; ++k) {
    int used = (options->symmetries >> k & 1) != 0 && km_symmetry_fits(k, options->rows, options->cols);
    encoder->slot_of[k] = (int8_t)(used ? (int)encoder->n_slots++ : -1);
    if (!used)
      encoder->options.symmetries &= (uint8_t) ~(1u << k);
  }
}

static void fill_tables(km_plane_encoder *encoder, const km_plane_options *options) {
  for (int k = 0; k < KM_SYMMETRIES; ++k)
    for (size_t p = 0; p < encoder->n_points && encoder->slot_of[k] >= 0; ++p)
      encoder->map[(size_t)encoder->slot_of[k] * encoder->n_points + p] =
          km_symmetry_point(k, options->rows, options->cols, (uint16_t)p);
  for (size_t p = 0; p < encoder->n_points; ++p)
    encoder->constants[encoder->plane_bytes + (p >> encoder->shift)] |=
        (uint8_t)(encoder->top >> (p & encoder->low));
  for (unsigned colour = KM_BLACK; colour <= KM_WHITE; ++colour)
    for (unsigned n_steps = 1; n_steps <= KM_HISTORY; ++n_steps)
      compile(encoder, options->layout, &(km_plane_moment){(uint8_t)colour, (uint8_t)n_steps});
}

km_status km_plane_encoder_new(km_plane_encoder **encoder, const km_plane_options *options, km_err *err) {
  *encoder = NULL;
  km_status status = check_options(options, err);
  if (status != KM_OK)
    return status;
  km_plane_encoder *made = calloc(1, sizeof *made);
  if (made == NULL)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a plane encoder");
  set_geometry(made, options);
  int has_features = km_layout_has_features(options->layout);
  made->map = malloc(made->n_slots * made->n_points * sizeof *made->map);
  made->views = malloc(made->n_slots * 2 * made->view_bytes);
  made->constants = calloc(2, made->plane_bytes);
  if (has_features)
    made->features = km_feature_set_new(options->rows, options->cols, options->variants);
  if (made->map == NULL || made->views == NULL || made->constants == NULL ||
      (has_features && made->features == NULL)) {
    km_plane_encoder_free(made);
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a plane encoder");
  }
  fill_tables(made, options);
  km_plane_encoder_reset(made);
  *encoder = made;
  return KM_OK;
}

void km_plane_encoder_free(km_plane_encoder *encoder) {
  if (encoder == NULL)
    return;
  km_feature_set_free(encoder->features);
  free(encoder->constants);
  free(encoder->views);
  free(encoder->map);
  free(encoder);
}

const km_plane_options *km_plane_encoder_options(const km_plane_encoder *encoder) {
  return &encoder->options;
}
size_t km_plane_encoder_n_planes(const km_plane_encoder *encoder) {
  return encoder->n_planes;
}
size_t km_plane_encoder_plane_bytes(const km_plane_encoder *encoder) {
  return encoder->plane_bytes;
}
size_t km_plane_encoder_row_bytes(const km_plane_encoder *encoder) {
  return encoder->n_planes * encoder->plane_bytes;
}

/* ---- following the game ---- */

/* Code that is compiled once for the sizes of packed 19×19 planes, and once for any. */
#define SPECIALISED static inline __attribute__((always_inline))
enum { PLANE_19 = 46 };

/* The newest step in the view (0 Black's, 1 White's) of a slot. */
static inline uint8_t *newest(const km_plane_encoder *encoder, size_t slot, unsigned view) {
  return encoder->views + (2 * slot + view) * encoder->view_bytes + encoder->head * encoder->pair_bytes;
}

/* Makes a cell of a step colour (or empty): black and white are its two views. */
SPECIALISED void set_cell(uint8_t *black, uint8_t *white, size_t plane_bytes, size_t byte, uint8_t bit,
                          uint8_t colour) {
  uint8_t is_black = colour == KM_BLACK ? bit : 0, is_white = colour == KM_WHITE ? bit : 0;
  black[byte] = (uint8_t)((black[byte] & ~bit) | is_black);
  white[byte] = (uint8_t)((white[byte] & ~bit) | is_white);
  black[byte + plane_bytes] = (uint8_t)((black[byte + plane_bytes] & ~bit) | is_white);
  white[byte + plane_bytes] = (uint8_t)((white[byte + plane_bytes] & ~bit) | is_black);
}

void km_plane_encoder_reset(km_plane_encoder *encoder) {
  encoder->head = WINDOW - KM_HISTORY;
  encoder->n_steps = 1;
  for (size_t slot = 0; slot < encoder->n_slots; ++slot)
    for (unsigned view = 0; view < 2; ++view)
      memset(newest(encoder, slot, view), 0, KM_HISTORY * encoder->pair_bytes);
  if (encoder->features != NULL)
    km_feature_set_reset(encoder->features);
}

void km_plane_encoder_setup(km_plane_encoder *encoder, uint8_t colour, uint16_t point) {
  assert(point < encoder->n_points);
  for (size_t slot = 0; slot < encoder->n_slots; ++slot) {
    unsigned cell = encoder->map[slot * encoder->n_points + point];
    set_cell(newest(encoder, slot, 0), newest(encoder, slot, 1), encoder->plane_bytes, cell >> encoder->shift,
             (uint8_t)(encoder->top >> (cell & encoder->low)), colour);
  }
  if (encoder->features != NULL)
    km_feature_set_setup(encoder->features, point);
}

/* The head is at the front: moves the steps still wanted to the end of every buffer. */
static void turn(km_plane_encoder *encoder) {
  enum { KEPT = KM_HISTORY - 1 };
  size_t n_bytes = KEPT * encoder->pair_bytes;
  for (size_t i = 0; i < 2 * encoder->n_slots; ++i) {
    uint8_t *buffer = encoder->views + i * encoder->view_bytes;
    memcpy(buffer + encoder->view_bytes - n_bytes, buffer, n_bytes);
  }
  encoder->head = WINDOW - KEPT;
}

/* A step in front of the head, in all slots. plane_bytes and packing are the encoder's. */
SPECIALISED void push_step(const km_plane_encoder *encoder, const km_board *board, uint8_t colour,
                           uint16_t point, size_t plane_bytes, km_packing packing) {
  unsigned shift = packing == KM_PACK_BITS ? 3 : 0, top = packing == KM_PACK_BITS ? 0x80 : 1;
  unsigned low = packing == KM_PACK_BITS ? 7 : 0;
  size_t n_points = encoder->n_points, view_bytes = encoder->view_bytes, pair_bytes = 2 * plane_bytes;
  uint8_t *black = newest(encoder, 0, 0), *white = black + view_bytes;
  const uint16_t *map = encoder->map;
  for (size_t slot = 0; slot < encoder->n_slots; ++slot) {
    memcpy(black, black + pair_bytes, pair_bytes);
    memcpy(white, white + pair_bytes, pair_bytes);
    if (point < n_points)
      set_cell(black, white, plane_bytes, map[point] >> shift, (uint8_t)(top >> (map[point] & low)), colour);
    for (unsigned i = 0; i < board->n_captured; ++i) {
      unsigned cell = map[board->captured[i]];
      set_cell(black, white, plane_bytes, cell >> shift, (uint8_t)(top >> (cell & low)), KM_EMPTY);
    }
    black += 2 * view_bytes;
    white += 2 * view_bytes;
    map += n_points;
  }
}

void km_plane_encoder_push(km_plane_encoder *encoder, const km_board *board, uint8_t colour, uint16_t point) {
  if (encoder->head == 0)
    turn(encoder);
  --encoder->head;
  if (encoder->n_steps < KM_HISTORY)
    ++encoder->n_steps;
  if (encoder->options.packing == KM_PACK_BYTES)
    push_step(encoder, board, colour, point, encoder->plane_bytes, KM_PACK_BYTES);
  else if (encoder->plane_bytes == PLANE_19)
    push_step(encoder, board, colour, point, PLANE_19, KM_PACK_BITS);
  else
    push_step(encoder, board, colour, point, encoder->plane_bytes, KM_PACK_BITS);
  if (encoder->features != NULL)
    km_feature_set_push(encoder->features, board, point);
}

static void setup_range(km_plane_encoder *encoder, const km_replay *replay, size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i)
    if (replay->game->setup[i].point < encoder->n_points)
      km_plane_encoder_setup(encoder, replay->game->setup[i].colour, replay->game->setup[i].point);
}

void km_plane_encoder_begin(km_plane_encoder *encoder, const km_replay *replay) {
  km_plane_encoder_reset(encoder);
  setup_range(encoder, replay, 0, replay->setup_end);
}

/* The colour of a point in the newest step. */
static uint8_t shown(const km_plane_encoder *encoder, uint16_t point) {
  unsigned cell = encoder->map[point];
  uint8_t bit = (uint8_t)(encoder->top >> (cell & encoder->low));
  const uint8_t *planes = newest(encoder, 0, 0) + (cell >> encoder->shift);
  return (planes[0] & bit) != 0 ? KM_BLACK : (planes[encoder->plane_bytes] & bit) != 0 ? KM_WHITE : KM_EMPTY;
}

void km_plane_encoder_follow(km_plane_encoder *encoder, const km_replay *replay) {
  const km_move *move = &replay->game->moves[replay->ply - 1];
  km_plane_encoder_push(encoder, &replay->board, move->colour, move->point);
  if (replay->setup_begin == replay->setup_end)
    return;
  /* The set-up has emptied board.captured: what the move captured is what the board no longer has. */
  setup_range(encoder, replay, replay->setup_begin, replay->setup_end);
  for (uint16_t p = 0; p < encoder->n_points; ++p)
    if (shown(encoder, p) != km_board_stone(&replay->board, p))
      km_plane_encoder_setup(encoder, km_board_stone(&replay->board, p), p);
}

/* ---- rows ---- */

/* Draws the marks into a row whose feature planes are zero: place as in copy_program, map of the symmetry. */
SPECIALISED void draw_marks(const uint32_t *place, const uint16_t *map, const km_feature_mark *marks,
                            size_t n_marks, uint8_t *row, km_packing packing) {
  unsigned shift = packing == KM_PACK_BITS ? 3 : 0, top = packing == KM_PACK_BITS ? 0x80 : 1;
  unsigned low = packing == KM_PACK_BITS ? 7 : 0;
  for (size_t i = 0; i < n_marks; ++i) {
    uint32_t plane = place[marks[i].index];
    unsigned cell = map[marks[i].point];
    if (plane != NO_PLANE)
      row[plane + (cell >> shift)] |= (uint8_t)(top >> (cell & low));
  }
}

void km_plane_encoder_encode(km_plane_encoder *encoder, const km_board *board, uint8_t to_play, int k,
                             uint8_t *row) {
  assert(k >= 0 && k < KM_SYMMETRIES && encoder->slot_of[k] >= 0);
  size_t slot = (size_t)encoder->slot_of[k];
  const copy_program *program = &encoder->programs[to_play - 1][encoder->n_steps - 1];
  const uint8_t *base[] = {newest(encoder, slot, 0), newest(encoder, slot, 1), encoder->constants};
  uint8_t *to = row;
  for (size_t i = 0; i < program->n_spans; ++i) {
    const copy_span *next = &program->spans[i];
    if (next->store == KM_STORE_FEATURE)
      memset(to, 0, next->n_bytes);
    else if (next->n_bytes == PLANE_19)
      memcpy(to, base[next->store] + next->offset, PLANE_19);
    else
      memcpy(to, base[next->store] + next->offset, next->n_bytes);
    to += next->n_bytes;
  }
  if (encoder->features == NULL)
    return;
  const uint16_t *map = encoder->map + slot * encoder->n_points;
  size_t n_marks;
  const km_feature_mark *marks = km_feature_set_marks(encoder->features, board, to_play, &n_marks);
  if (encoder->options.packing == KM_PACK_BITS)
    draw_marks(program->place, map, marks, n_marks, row, KM_PACK_BITS);
  else
    draw_marks(program->place, map, marks, n_marks, row, KM_PACK_BYTES);
}

uint64_t km_plane_encoder_ladders_cut(const km_plane_encoder *encoder) {
  return encoder->features != NULL ? km_feature_set_ladders_cut(encoder->features) : 0;
}

void km_plane_unpack(const uint8_t *bits, size_t n_points, uint8_t *bytes) {
  for (size_t p = 0; p < n_points; ++p)
    bytes[p] = (uint8_t)(bits[p >> 3] >> (7 - (p & 7)) & 1);
}
