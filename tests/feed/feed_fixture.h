/* feed_fixture.h: a games.h5 of played games, and rows of it made the slow way. */
#ifndef FEED_FIXTURE_H
#define FEED_FIXTURE_H

#include "store_fixture.h"

#include "kifumill/encoder.h"
#include "kifumill/feed.h"

/* n games of random moves with captures, kos, passes, suicides, handicap stones, set-up within the game, the
 * same colour twice, unknown results; boards of three sizes, most of them rows × cols. Every tenth game
 * begins like the one before it. */
typedef struct played_games {
  unsigned rows, cols;
  int n;
  unsigned moves; /* of the longest */
  uint64_t seed;
} played_games;
void make_played(const char *path, const played_games *how);

/* A row as the feed is to make it, with room for the planes of any layout on 19×19 or less. */
typedef struct slow_row {
  uint8_t planes[KM_PLANES_MAX * 361];
  int16_t policy;
  int8_t value;
  float score, komi;
  uint8_t to_play;
} slow_row;
/* By replay and encoder, from the first move on. symmetry as in a row. */
typedef struct slow_maker {
  const km_games *games;
  km_plane_options options;
} slow_maker;
void slow_make(const slow_maker *maker, uint32_t game, uint16_t ply, int symmetry, slow_row *row);

/* All that a feed says of its rows; freed by rows_free. */
typedef struct feed_rows {
  size_t n;
  km_feed_buffers at;
} feed_rows;
feed_rows rows_new(const km_feed *feed, size_t n);
void rows_free(feed_rows *rows);
/* Row i of a and row j of b are the same in all that they have. */
void assert_same_row(const km_feed *feed, const feed_rows *a, size_t i, const feed_rows *b, size_t j);

km_feed *open_feed(const char *path, const char *const *settings); /* asserts success */
/* A feed call that is to succeed. */
#define assert_fed(feed, call) assert_fed_at((call), (feed), __FILE__, __LINE__)
void assert_fed_at(int status, const km_feed *feed, const char *file, int line);

#endif
