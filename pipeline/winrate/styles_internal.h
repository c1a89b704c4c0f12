/* styles_internal.h: what is kept of the players; shared by winrate_styles.c and style_tests.c. */
#ifndef KIFUMILL_STYLES_INTERNAL_H
#define KIFUMILL_STYLES_INTERNAL_H

#include "winrate_styles.h"

enum { STYLE_SOURCES = 8, STYLE_HALVES = 2 };

/* A name of the first pass; n = 0: a free place of the table. */
typedef struct name_count {
  km_hash128 hash;
  uint64_t first; /* 2 · game + colour that has it */
  uint32_t n, player;
} name_count;

typedef struct source_count {
  uint64_t hash, game;
  uint64_t n;
} source_count;

typedef struct style_player {
  uint64_t first; /* as above */
  uint64_t n_colour[2];
  source_count sources[STYLE_SOURCES]; /* those met first */
  km_moments index[KM_WR_INDICES];
} style_player;

struct km_styles {
  km_styles_options options;
  name_count *names; /* open addressing */
  size_t n_names, names_room;
  style_player *players;
  size_t n_players;
  km_moments *curves; /* player, half, colour, place, channel */
};

static inline unsigned style_channels(const km_styles *s) { return 1 + s->options.n_layers; }
static inline km_moments *style_curve(const km_styles *s, size_t player, unsigned half, unsigned colour) {
  return s->curves + ((player * STYLE_HALVES + half) * 2 + colour) * KM_WR_PLACES * style_channels(s);
}
/* Hash of a player's main source. */
uint64_t style_source(const km_styles *styles, size_t player);

#endif
