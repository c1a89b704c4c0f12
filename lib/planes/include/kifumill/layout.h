/* layout.h: plane layouts: which planes a training row has, in which order, and what each of them means.
 *
 * A layout is a table of planes. Adding a plane is a row here, a fill function if no present one serves, and
 * a test; adding a layout is a table and a line in the list of layouts. Definitions: SPEC §5 (17 planes),
 * §7.3 (48 planes).
 *
 * A fill function does not write bytes: it names where the bytes of the plane stand (a plane of the history,
 * a constant, or the points where a feature family has a certain value). The encoder resolves all planes of a
 * layout once, merges neighbours into long copies, and from then on runs the copies only. */
#ifndef KIFUMILL_LAYOUT_H
#define KIFUMILL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "kifumill/err.h"

enum {
  KM_HISTORY = 8,     /* positions a layout can look back on, the present one included */
  KM_PLANES_MAX = 64, /* planes of the largest layout */
};

/* What can be chosen about a layout (SPEC §7.3); combined with |. */
typedef enum km_plane_variant {
  KM_VARIANT_CAPTURE1 = 1,  /* "capture1": capture sizes 1…8+ instead of 0…7+ */
  KM_VARIANT_SETUP_OLD = 2, /* "setup-old": set-up stones count as seven or more turns old */
  KM_VARIANT_COLOUR = 4,    /* "colour": a 49th plane of ones if Black is to move */
  KM_VARIANT_SENSIBLE = 8,  /* "sensible": in ladders the defender does not fill his true eyes */
  KM_VARIANT_DEPTH50 = 16,  /* "depth50": ladders are read to 50 plies instead of 100 */
} km_plane_variant;

typedef enum km_plane_kind {
  KM_PLANE_HISTORY,  /* stones now or some moves ago */
  KM_PLANE_CONSTANT, /* the same on all points, whoever moves */
  KM_PLANE_SIDE,     /* the same on all points, by the player to move */
  KM_PLANE_FEATURE,  /* computed from the position */
} km_plane_kind;
const char *km_plane_kind_name(km_plane_kind kind); /* "history", … */

/* Per-point features of a position, of up to eight bins; a point is in one bin of a family or in none. */
typedef enum km_plane_family {
  KM_FAMILY_EMPTY,
  KM_FAMILY_AGE,
  KM_FAMILY_LIBERTIES,
  KM_FAMILY_CAPTURE,
  KM_FAMILY_SELF_ATARI,
  KM_FAMILY_LIBERTIES_AFTER,
  KM_FAMILY_LADDER_CAPTURE,
  KM_FAMILY_LADDER_ESCAPE,
  KM_FAMILY_SENSIBLE,
  KM_FAMILIES
} km_plane_family;

/* When a row is made: all that the place of a plane depends on. */
typedef struct km_plane_moment {
  uint8_t to_play; /* KM_BLACK or KM_WHITE */
  uint8_t n_steps; /* positions there are, the present one included: 1…KM_HISTORY */
} km_plane_moment;

typedef enum km_plane_store {
  KM_STORE_BLACK_VIEW, /* history, plane 2i Black's and 2i+1 White's stones i moves ago */
  KM_STORE_WHITE_VIEW, /* history, plane 2i White's and 2i+1 Black's stones i moves ago */
  KM_STORE_CONSTANT,   /* 0: zeros, 1: ones */
  KM_STORE_FEATURE,    /* points in bin index%8 of family index/8 */
} km_plane_store;

typedef struct km_plane_source {
  km_plane_store store;
  unsigned index;
} km_plane_source;

typedef km_plane_source km_plane_fill(unsigned arg, const km_plane_moment *moment);

typedef struct km_plane {
  const char *name; /* unique within the layout */
  const char *doc;
  km_plane_kind kind;
  km_plane_fill *fill;
  unsigned arg;    /* handed to fill */
  uint32_t needed; /* variant that the plane is only there with, or 0; such planes stand last */
} km_plane;

typedef struct km_layout {
  const char *name;
  const char *doc;
  const km_plane *planes;
  size_t n_rows;     /* rows of planes, those of variants included */
  uint32_t variants; /* those that mean something here */
} km_layout;

/* The layouts in order, then NULL. The first is the default. */
const km_layout *km_layout_at(size_t i);
const km_layout *km_layout_find(const char *name); /* NULL: there is none */

/* Planes of a row. */
size_t km_layout_n_planes(const km_layout *layout, uint32_t variants);
/* Whether any plane of the layout is computed from the position (needs the board, costs microseconds). */
int km_layout_has_features(const km_layout *layout);

/* Reads "NAME" or "NAME:variant,variant…", as in "alphago-48:capture1,colour". KM_ERR_USAGE names what is
 * wrong. */
km_status km_layout_parse(const char *text, const km_layout **layout, uint32_t *variants, km_err *err);
/* Writes the same form; text holds n_text bytes (KM_LAYOUT_TEXT is enough). Returns text. */
enum { KM_LAYOUT_TEXT = 96 };
char *km_layout_text(const km_layout *layout, uint32_t variants, char *text, size_t n_text);

#endif
