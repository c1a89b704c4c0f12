/* layout.c: the tables of planes. See layout.h.
 *
 * The fill functions come first, then a table a layout. Rows that differ by a number only are made by macros,
 * so that a table reads as its specification does. */
#include "kifumill/layout.h"

#include <stdio.h>
#include <string.h>

#include "kifumill/game.h"

/* ---- where planes are ---- */

static km_plane_source own(unsigned ago, const km_plane_moment *moment) {
  return (km_plane_source){moment->to_play == KM_BLACK ? KM_STORE_BLACK_VIEW : KM_STORE_WHITE_VIEW, 2 * ago};
}

static km_plane_source opponent(unsigned ago, const km_plane_moment *moment) {
  return (km_plane_source){moment->to_play == KM_BLACK ? KM_STORE_BLACK_VIEW : KM_STORE_WHITE_VIEW,
                           2 * ago + 1};
}

static km_plane_source black(unsigned ago, const km_plane_moment *moment) {
  (void)moment;
  return (km_plane_source){KM_STORE_BLACK_VIEW, 2 * ago};
}

static km_plane_source white(unsigned ago, const km_plane_moment *moment) {
  (void)moment;
  return (km_plane_source){KM_STORE_WHITE_VIEW, 2 * ago};
}

static km_plane_source zeros(unsigned arg, const km_plane_moment *moment) {
  (void)arg, (void)moment;
  return (km_plane_source){KM_STORE_CONSTANT, 0};
}

static km_plane_source ones(unsigned arg, const km_plane_moment *moment) {
  (void)arg, (void)moment;
  return (km_plane_source){KM_STORE_CONSTANT, 1};
}

/* Ones if arg (a colour) is to move. */
static km_plane_source side(unsigned arg, const km_plane_moment *moment) {
  return (km_plane_source){KM_STORE_CONSTANT, moment->to_play == arg};
}

/* Oldest first and left aligned: position number arg of those there are. */
static km_plane_source black_literal(unsigned arg, const km_plane_moment *moment) {
  return arg < moment->n_steps ? black(moment->n_steps - 1 - arg, moment) : zeros(0, moment);
}

static km_plane_source white_literal(unsigned arg, const km_plane_moment *moment) {
  return arg < moment->n_steps ? white(moment->n_steps - 1 - arg, moment) : zeros(0, moment);
}

/* arg = family · 8 + bin. */
static km_plane_source feature(unsigned arg, const km_plane_moment *moment) {
  (void)moment;
  return (km_plane_source){KM_STORE_FEATURE, arg};
}

/* ---- the tables: a row a line, planes in groups ---- */
/* clang-format off */

#define OWN(i) {"own_" #i, "stones of the player to move, " #i " moves ago", KM_PLANE_HISTORY, own, i, 0}
#define OPPONENT(i) {"opponent_" #i, "stones of the opponent, " #i " moves ago", KM_PLANE_HISTORY, opponent, i, 0}
#define BLACK(i) {"black_" #i, "black stones, " #i " moves ago", KM_PLANE_HISTORY, black, i, 0}
#define WHITE(i) {"white_" #i, "white stones, " #i " moves ago", KM_PLANE_HISTORY, white, i, 0}
#define BLACK_LITERAL(i)                                                                                             \
  {"black_oldest_" #i, "black stones, position " #i " of the last eight, oldest first, left aligned",                \
   KM_PLANE_HISTORY, black_literal, i, 0}
#define WHITE_LITERAL(i)                                                                                             \
  {"white_oldest_" #i, "white stones, position " #i " of the last eight, oldest first, left aligned",                \
   KM_PLANE_HISTORY, white_literal, i, 0}
#define SIDE_BLACK(name) {name, "ones if Black is to move", KM_PLANE_SIDE, side, KM_BLACK, 0}
#define SIDE_WHITE(name) {name, "ones if White is to move", KM_PLANE_SIDE, side, KM_WHITE, 0}
#define FEATURE(name, doc, family, bin) {name, doc, KM_PLANE_FEATURE, feature, 8 * (family) + (bin), 0}

static const km_plane alphago_zero[] = {
    OWN(0), OPPONENT(0), OWN(1), OPPONENT(1), OWN(2), OPPONENT(2), OWN(3), OPPONENT(3),
    OWN(4), OPPONENT(4), OWN(5), OPPONENT(5), OWN(6), OPPONENT(6), OWN(7), OPPONENT(7),
    SIDE_BLACK("black_to_play"),
};

static const km_plane black_white[] = {
    BLACK(7), BLACK(6), BLACK(5), BLACK(4), BLACK(3), BLACK(2), BLACK(1), BLACK(0),
    WHITE(7), WHITE(6), WHITE(5), WHITE(4), WHITE(3), WHITE(2), WHITE(1), WHITE(0),
    SIDE_BLACK("black_to_play"),
};

static const km_plane black_white_literal[] = {
    BLACK_LITERAL(0), BLACK_LITERAL(1), BLACK_LITERAL(2), BLACK_LITERAL(3), BLACK_LITERAL(4), BLACK_LITERAL(5),
    BLACK_LITERAL(6), BLACK_LITERAL(7), WHITE_LITERAL(0), WHITE_LITERAL(1), WHITE_LITERAL(2), WHITE_LITERAL(3),
    WHITE_LITERAL(4), WHITE_LITERAL(5), WHITE_LITERAL(6), WHITE_LITERAL(7), SIDE_BLACK("black_to_play"),
};

#define AGE(i, turns) FEATURE("turns_since_" #i, "stone played " turns " turns ago", KM_FAMILY_AGE, i)
#define LIBERTIES(i, n) FEATURE("liberties_" #i, "stone of a chain with " n, KM_FAMILY_LIBERTIES, i)
#define CAPTURE(i, n)                                                                                                \
  FEATURE("capture_size_" #i, "legal move that captures " n " (variant capture1: one more)", KM_FAMILY_CAPTURE, i)
#define SELF_ATARI(i, n)                                                                                             \
  FEATURE("self_atari_" #i, "legal move that leaves its own chain of " n " in atari", KM_FAMILY_SELF_ATARI, i)
#define AFTER(i, n)                                                                                                  \
  FEATURE("liberties_after_" #i, "legal move after which its chain has " n, KM_FAMILY_LIBERTIES_AFTER, i)
#define EIGHT(ROW, l0, l1, l2, l3, l4, l5, l6, l7)                                                                   \
  ROW(0, l0), ROW(1, l1), ROW(2, l2), ROW(3, l3), ROW(4, l4), ROW(5, l5), ROW(6, l6), ROW(7, l7)

static const km_plane alphago_48[] = {
    {"own", "stones of the player to move", KM_PLANE_HISTORY, own, 0, 0},
    {"opponent", "stones of the opponent", KM_PLANE_HISTORY, opponent, 0, 0},
    FEATURE("empty", "empty points", KM_FAMILY_EMPTY, 0),
    {"ones", "ones", KM_PLANE_CONSTANT, ones, 0, 0},
    EIGHT(AGE, "0", "1", "2", "3", "4", "5", "6", "7 or more"),
    EIGHT(LIBERTIES, "1 liberty", "2 liberties", "3 liberties", "4 liberties", "5 liberties", "6 liberties",
          "7 liberties", "8 or more liberties"),
    EIGHT(CAPTURE, "nothing", "1 stone", "2 stones", "3 stones", "4 stones", "5 stones", "6 stones",
          "7 or more stones"),
    EIGHT(SELF_ATARI, "1 stone", "2 stones", "3 stones", "4 stones", "5 stones", "6 stones", "7 stones",
          "8 or more stones"),
    EIGHT(AFTER, "1 liberty", "2 liberties", "3 liberties", "4 liberties", "5 liberties", "6 liberties",
          "7 liberties", "8 or more liberties"),
    FEATURE("ladder_capture", "move that captures a chain in a ladder", KM_FAMILY_LADDER_CAPTURE, 0),
    FEATURE("ladder_escape", "move by which a chain in atari escapes a ladder", KM_FAMILY_LADDER_ESCAPE, 0),
    FEATURE("sensibleness", "legal move that does not fill an own true eye", KM_FAMILY_SENSIBLE, 0),
    {"zeros", "zeros", KM_PLANE_CONSTANT, zeros, 0, 0},
    {"black_to_play", "ones if Black is to move", KM_PLANE_SIDE, side, KM_BLACK, KM_VARIANT_COLOUR},
};

/* leela-zero, Network::gather_features: input_moves own planes, newest first, as many of the opponent, then ones in
 * the first side plane if Black moves, in the second if White does. Its files number rows from the bottom: symmetry 5
 * gives its order of points. */
static const km_plane leela_zero[] = {
    OWN(0), OWN(1), OWN(2), OWN(3), OWN(4), OWN(5), OWN(6), OWN(7),
    OPPONENT(0), OPPONENT(1), OPPONENT(2), OPPONENT(3), OPPONENT(4), OPPONENT(5), OPPONENT(6), OPPONENT(7),
    SIDE_BLACK("black_to_play"), SIDE_WHITE("white_to_play"),
};

#define ROWS(table) table, sizeof table / sizeof table[0]

static const km_layout layouts[] = {
    {"alphago-zero", "AlphaGo Zero: own and opponent's stones of eight positions, newest first, and the colour",
     ROWS(alphago_zero), 0},
    {"black-white", "black then white stones of eight positions, oldest first, newest always last, and the colour",
     ROWS(black_white), 0},
    {"black-white-literal", "as black-white, but left aligned: with h < 8 positions the newest is plane h-1",
     ROWS(black_white_literal), 0},
    {"alphago-48", "AlphaGo (Nature 2016): stones, turns since, liberties, captures, self-atari, ladders, sensibleness",
     ROWS(alphago_48),
     KM_VARIANT_CAPTURE1 | KM_VARIANT_SETUP_OLD | KM_VARIANT_COLOUR | KM_VARIANT_SENSIBLE | KM_VARIANT_DEPTH50},
    {"leela-zero", "leela-zero: eight own planes, eight of the opponent, newest first, and two side planes",
     ROWS(leela_zero), 0},
};

/* clang-format on */

/* In the order of the bits. */
static const char *const variant_names[] = {"capture1", "setup-old", "colour", "sensible", "depth50"};
enum { N_VARIANTS = sizeof variant_names / sizeof variant_names[0] };

/* ---- looking them up ---- */

const char *km_plane_kind_name(km_plane_kind kind) {
  static const char *const names[] = {"history", "constant", "side", "feature"};
  return names[kind];
}

const km_layout *km_layout_at(size_t i) {
  return i < sizeof layouts / sizeof layouts[0] ? &layouts[i] : NULL;
}

static const km_layout *find(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; ++i)
    if (strlen(layouts[i].name) == length && memcmp(layouts[i].name, name, length) == 0)
      return &layouts[i];
  return NULL;
}

const km_layout *km_layout_find(const char *name) {
  return find(name, strlen(name));
}

size_t km_layout_n_planes(const km_layout *layout, uint32_t variants) {
  size_t n = 0;
  while (n < layout->n_rows && (layout->planes[n].needed & ~variants) == 0)
    ++n;
  return n;
}

int km_layout_has_features(const km_layout *layout) {
  for (size_t i = 0; i < layout->n_rows; ++i)
    if (layout->planes[i].kind == KM_PLANE_FEATURE)
      return 1;
  return 0;
}

/* The bit of the variant called name, or 0. */
static uint32_t variant_bit(const char *name, size_t length) {
  for (unsigned i = 0; i < N_VARIANTS; ++i)
    if (strlen(variant_names[i]) == length && memcmp(variant_names[i], name, length) == 0)
      return UINT32_C(1) << i;
  return 0;
}

km_status km_layout_parse(const char *text, const km_layout **layout, uint32_t *variants, km_err *err) {
  size_t length = strcspn(text, ":");
  *variants = 0;
  *layout = find(text, length);
  if (*layout == NULL)
    return km_err_set(err, KM_ERR_USAGE, 0, "no plane layout \"%.*s\"", (int)(length < 80 ? length : 80),
                      text);
  const char *next = text + length;
  while (*next != '\0') { /* at ':' or ',' */
    const char *name = next + 1;
    length = strcspn(name, ",");
    uint32_t bit = variant_bit(name, length);
    if ((bit & (*layout)->variants) == 0)
      return km_err_set(err, KM_ERR_USAGE, 0, "layout %s has no variant \"%.*s\"", (*layout)->name,
                        (int)(length < 80 ? length : 80), name);
    *variants |= bit;
    next = name + length;
  }
  return KM_OK;
}

char *km_layout_text(const km_layout *layout, uint32_t variants, char *text, size_t n_text) {
  size_t used = (size_t)snprintf(text, n_text, "%s", layout->name);
  char separator = ':';
  for (unsigned i = 0; i < N_VARIANTS; ++i)
    if ((variants >> i & 1) != 0 && used < n_text) {
      used += (size_t)snprintf(text + used, n_text - used, "%c%s", separator, variant_names[i]);
      separator = ',';
    }
  return text;
}
