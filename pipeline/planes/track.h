/* track.h: a game as its positions, in so few bytes that all games fit into memory, and the rows of planes
 * made from it.
 *
 *     header | rows {ply, move}[n_rows] | win-rates f32[n_rows], on request | anchors | events u16[]
 *
 * An event flips one stone: its value is colour·n_points + point (colour 0 black, 1 white), or 2·n_points +
 * colour for a pass; KM_EVENT_LAST is set on the last one of a ply. The first event of a ply is the move;
 * those behind it take off what it captured and carry out set-up. An anchor, every so many plies, is the
 * number of the first event behind it and the stones, as packed planes of Black and of White, in every
 * orientation that rows are wanted in. On 19×19 a position comes to 12 to 18 bytes, all told, of 782 in a
 * row.
 *
 * A row is made without a board: from the anchor at or before its oldest position the events up to there;
 * that position is put into all eight steps of the row; then the events of the next seven plies are flipped
 * in the steps that come after them. Nothing is read that has just been written in smaller pieces, which
 * would wait for the store buffer. */
#ifndef KIFUMILL_TRACK_H
#define KIFUMILL_TRACK_H

#include "planes_settings.h"

#include "kifumill/replay.h"

enum { KM_EVENT_LAST = 0x8000, KM_EVENT_NONE = 0xffff };

typedef struct km_track_row {
  uint16_t ply,
      move; /* the event of the move made there, without KM_EVENT_LAST; KM_EVENT_NONE: a final position */
} km_track_row;

typedef struct km_track {
  uint64_t id;                                      /* of the game, for random choices */
  uint32_t game;                                    /* number in games.h5 */
  uint32_t n_rows, evals_at, anchors_at, events_at; /* the last three: bytes from the start of the track */
  float komi, margin;
  int8_t winner;
  uint8_t final_to_play;
} km_track;
static inline const km_track_row *km_track_rows(const km_track *track) {
  return (const km_track_row *)(track + 1);
}

/* What a row is but for its planes. */
typedef struct km_row_facts {
  uint32_t game;
  uint16_t ply;
  int16_t policy; /* -1: a final position */
  float komi, margin, black_win;
  int8_t winner; /* KM_WINNER_… */
  uint8_t symmetry, to_play;
} km_row_facts;

/* Geometry and tables; shared by all threads. Borrows the settings. */
typedef struct km_track_shape km_track_shape;
km_status km_track_shape_new(km_track_shape **shape, const km_planes_settings *settings, km_err *err);
void km_track_shape_free(km_track_shape *shape); /* NULL is fine */

/* Makes tracks, one behind the other in bytes, which the owner may take over (free) at any time; one a
 * thread. */
typedef struct km_track_builder km_track_builder;
km_track_builder *km_track_builder_new(const km_track_shape *shape); /* NULL when memory is out */
void km_track_builder_free(km_track_builder *builder);
/* Adds the track of a game whose rows are at plies; *at is where it starts in the bytes, a multiple of 8. */
typedef struct km_track_game {
  const km_game *game;
  uint32_t number; /* in games.h5 */
  uint64_t id;
  const uint16_t *plies;
  uint32_t n_rows;
} km_track_game;
km_status km_track_add(km_track_builder *builder, const km_track_game *game, size_t *at, km_err *err);
/* What has been added since the last time; the caller frees it. NULL when there is nothing. */
unsigned char *km_track_builder_take(km_track_builder *builder, size_t *n_bytes);
/* The same, but lent until the next km_track_add, which overwrites it. */
const unsigned char *km_track_builder_lend(km_track_builder *builder);

/* A position on its way to a row: stones some plies before its oldest step, and the events from there to the
 * newest. */
typedef struct km_moment {
  const unsigned char *stones; /* packed planes of Black and of White, in the row's orientation */
  const uint16_t *events;
  uint32_t n_skip; /* plies of events before the oldest step */
  uint8_t n_after; /* plies of events behind it: 0…7 */
  uint8_t way;     /* the orientation: its number in settings->ways */
  uint8_t to_play;
} km_moment;

/* The facts of row j of a track under symmetry k. */
void km_track_facts(const km_track_shape *shape, const km_track *track, uint32_t j, uint8_t k,
                    km_row_facts *facts);
/* The moment of a row, in two steps, each of which fetches ahead what the next one reads. */
void km_track_seek(const km_track_shape *shape, const km_track *track, const km_row_facts *facts,
                   km_moment *moment);
void km_track_find(const km_track_shape *shape, const km_track *track, const km_row_facts *facts,
                   km_moment *moment);

/* Writes the planes of a moment as they stand in a shard. */
void km_moment_row(const km_track_shape *shape, const km_moment *moment, uint8_t *row);

/* A moment apart from its track, for a spool: returns how many bytes it takes, at most km_moment_bytes_max.
 */
size_t km_moment_bytes_max(const km_track_shape *shape);
size_t km_moment_store(const km_track_shape *shape, const km_moment *moment, unsigned char *bytes);
/* Points into bytes, which are at an even address. facts: of the row. */
void km_moment_load(const km_track_shape *shape, const unsigned char *bytes, const km_row_facts *facts,
                    km_moment *moment);

#endif
