/* feed.h: training rows straight from games.h5, without shards: the C interface of libkifumill.so.
 *
 * A feed is the rows that kifu-planes would write of one split under the same settings, made when they are
 * asked for: 500,000 games are 0.2 GB of moves and 80 GB of planes. Any row is had at any time, in well under
 * a microsecond, for an order is computed and not stored (a seeded permutation), and a row is made from the
 * moves before it and the list of stones that were captured, without playing the game.
 *
 *     km_feed *feed;
 *     char message[320];
 *     const char *const settings[] = {"of=train", "symmetries=random", "seed=7", NULL};
 *     if (km_feed_open(&feed, "games.h5", settings, message, sizeof message))
 *       …
 *     km_feed_cursor cursor = {.batch_rows = 256, .world = 1, .workers = 1};
 *     km_feed_buffers buffers = {.planes = planes, .policy = policy};
 *     while (km_feed_next(feed, &cursor, &buffers, &n_rows) == 0)
 *       …                     n_rows rows are in planes and policy; cursor is all there is to remember
 *     km_feed_close(feed);
 *
 * Settings are texts "name=value", names and values those of kifu-planes's options (and of "settings" in
 * manifest.json): board, layout, layout-options, symmetries, pack, split, sample, ply, players,
 * skip-handicap-moves, last, final-value, unknown-result, shuffle, seed; those that only say how shards are
 * cut (codec, rows-per-shard, …) are passed over. And
 *
 *     of=train|val|test     which split (train)
 *
 *     order=global|pool     global: the order of the shards, every row anywhere (the default)
 *
 *                           pool: games are taken up in a random order, pool-games at a time, and the rows of
 *                           a pool are mixed: for files larger than memory, a game is read once an epoch
 *
 *     pool-games=N          (4096)
 *
 *     symmetry=same|fresh   fresh: random symmetries are drawn anew in every epoch but the first (same)
 *
 *     memory=BYTES          bound of what is remembered of games (256M, at most 32G); 500,000 take 60 MB
 *
 * With shuffle=off rows are as they are in the games, whatever the order.
 *
 * Epoch 0 under order=global is, row by row, what the shards hold; every epoch is the same set of rows in
 * another order (with symmetry=fresh, but for the symmetries).
 *
 * A feed is used by one thread at a time; any number of feeds may be open. There are no threads and no open
 * files behind it, only memory: after fork() both sides may go on with their copy. Nothing is printed. The
 * interface grows by functions and settings, and km_feed_abi() with it; structs and what is there stay as
 * they are.
 *
 * Functions that return int give 0, KM_FEED_END, or a negative number; then km_feed_message says why in one
 * line. */
#ifndef KIFUMILL_FEED_H
#define KIFUMILL_FEED_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  KM_FEED_ABI = 1,
  KM_FEED_END = 2, /* the epoch is over */
};
uint32_t km_feed_abi(void);        /* KM_FEED_ABI of the library */
const char *km_feed_version(void); /* of kifumill: "1.0.0" */

typedef struct km_feed km_feed;

/* settings ends with NULL (and may be NULL). On failure *feed is NULL and message (n_message bytes; may be
 * NULL) says why. */
int km_feed_open(km_feed **feed, const char *games_path, const char *const *settings, char *message,
                 size_t n_message);
void km_feed_close(km_feed *feed); /* NULL is fine */
/* Why the last call that failed did; "" if none has. Valid until the next call. */
const char *km_feed_message(const km_feed *feed);

typedef struct km_feed_shape {
  uint64_t n_rows;     /* of an epoch */
  uint64_t n_games;    /* that have rows in the split */
  uint64_t row_bytes;  /* n_planes · plane_bytes */
  uint32_t rows, cols; /* of the board */
  uint32_t n_planes;
  uint32_t plane_bytes; /* pack=bits: ⌈rows·cols / 8⌉, most significant bit first; bytes: rows·cols */
  uint32_t is_packed;   /* pack=bits */
  uint32_t n_ways;      /* symmetries that rows may have */
} km_feed_shape;
void km_feed_describe(const km_feed *feed, km_feed_shape *shape);
/* Of plane i, 0…n_planes-1; NULL beyond. */
const char *km_feed_plane_name(const km_feed *feed, uint32_t i);

/* Where rows go: arrays of as many rows as are asked for; NULL: not wanted. Row i of planes begins at byte
 * i·row_bytes. */
typedef struct km_feed_buffers {
  uint8_t *planes;
  int16_t *policy;   /* index of the move, rows·cols for a pass, -1 in a final position (final-value) */
  int8_t *value;     /* result for the player to move: 1, -1, 0 draw, -128 unknown */
  float *score;      /* by how many points the player to move wins; NaN unknown */
  float *komi;       /* NaN unknown */
  uint8_t *to_play;  /* 1 Black, 2 White */
  uint32_t *game;    /* number in games.h5 */
  uint16_t *ply;     /* moves played before */
  uint8_t *symmetry; /* 0…7 */
} km_feed_buffers;

/* The rows at places first … first+n_rows-1 of an epoch. */
int km_feed_read(km_feed *feed, uint64_t epoch, uint64_t first, uint64_t n_rows,
                 const km_feed_buffers *buffers);
/* The rows at the given places, in any order. */
int km_feed_take(km_feed *feed, uint64_t epoch, const uint64_t *places, uint64_t n_rows,
                 const km_feed_buffers *buffers);

/* A place in the stream of batches of one of world·workers readers: process `rank` of `world` processes
 * (machines, GPUs), in it worker `worker` of `workers`. The batches of an epoch are dealt out one by one,
 * first to the ranks, then to the workers, so that no two readers have a row in common, all of them together
 * have every row, and step s of a training run has batches s·world … s·world+world-1 of the epoch whatever
 * the number of workers. The last batch may be short. Plain integers: save them, and go on there later, or
 * jump to anywhere. */
typedef struct km_feed_cursor {
  uint64_t epoch;
  uint64_t batch;      /* batches that this reader has had in the epoch */
  uint64_t batch_rows; /* rows of a batch, at least 1 */
  uint32_t rank, world, worker, workers;
} km_feed_cursor;

/* The next batch of the reader; buffers have room for batch_rows. KM_FEED_END after the last of the epoch:
 * cursor then stands at the start of the next one. */
int km_feed_next(km_feed *feed, km_feed_cursor *cursor, const km_feed_buffers *buffers, uint64_t *n_rows);

#ifdef __cplusplus
}
#endif

#endif
