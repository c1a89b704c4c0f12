/* feed.c: the C interface: checks what is handed in, and serves rows group by group. See feed.h. */
#include "kifumill/feed.h"

#include "feed_memory.h"
#include "feed_plan.h"
#include "row_maker.h"

#include <stdlib.h>
#include <string.h>

/* Layouts that need a board replay each game once a group, so that larger groups are better. */
enum { SPAN_BOARD = 4096 };

struct km_feed {
  km_feed_settings settings;
  km_games *games;
  km_feed_plan plan;
  km_track_shape *shape;
  km_feed_memory *memory;
  km_row_maker *maker;
  size_t span, row_bytes;  /* rows made at once */
  unsigned char *unwanted; /* where a span of what the caller does not want goes */
  uint64_t *places;
  km_err err;
};

uint32_t km_feed_abi(void) {
  return KM_FEED_ABI;
}
const char *km_feed_version(void) {
  return KM_VERSION;
}

static km_status open_feed(km_feed *feed, const char *games_path, const char *const *texts) {
  km_err *err = &feed->err;
  const km_planes_settings *s = &feed->settings.rows;
  km_status status = km_feed_settings_read(&feed->settings, texts, err);
  if (status == KM_OK)
    status = km_games_open(&feed->games, games_path, err);
  if (status == KM_OK)
    status = km_feed_plan_init(&feed->plan, &feed->settings, feed->games, err);
  if (status == KM_OK)
    status = km_track_shape_new(&feed->shape, s, err);
  if (status != KM_OK)
    return status;
  feed->row_bytes = km_settings_row_bytes(s);
  feed->span = s->needs_board ? SPAN_BOARD : KM_FEED_GROUP;
  feed->memory = km_feed_memory_new(&feed->plan, feed->games);
  feed->maker = km_row_maker_new(s, feed->shape, feed->games);
  feed->unwanted = malloc(feed->span * sizeof(uint64_t));
  feed->places = malloc(feed->span * sizeof *feed->places);
  if (!feed->memory || !feed->maker || !feed->unwanted || !feed->places)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a feed");
  return KM_OK;
}

int km_feed_open(km_feed **feed, const char *games_path, const char *const *settings, char *message,
                 size_t n_message) {
  km_feed *made = calloc(1, sizeof *made);
  km_status status = made ? open_feed(made, games_path, settings) : KM_ERR_NOMEM;
  if (status != KM_OK && message && n_message)
    snprintf(message, n_message, "%s", made ? made->err.msg : "out of memory for a feed");
  if (status != KM_OK) {
    km_feed_close(made);
    made = NULL;
  }
  *feed = made;
  return status;
}

void km_feed_close(km_feed *feed) {
  if (!feed)
    return;
  free(feed->places);
  free(feed->unwanted);
  km_row_maker_free(feed->maker);
  km_feed_memory_free(feed->memory);
  km_track_shape_free(feed->shape);
  km_feed_plan_clear(&feed->plan);
  km_games_close(feed->games);
  free(feed);
}

const char *km_feed_message(const km_feed *feed) {
  return feed->err.msg;
}

void km_feed_describe(const km_feed *feed, km_feed_shape *shape) {
  const km_planes_settings *s = &feed->settings.rows;
  *shape = (km_feed_shape){.n_rows = feed->plan.n_rows,
                           .n_games = feed->plan.n_members,
                           .row_bytes = feed->row_bytes,
                           .rows = s->rows,
                           .cols = s->cols,
                           .n_planes = (uint32_t)km_layout_n_planes(s->layout, s->variants),
                           .plane_bytes = (uint32_t)km_settings_plane_bytes(s),
                           .is_packed = s->packing == KM_PACK_BITS,
                           .n_ways = s->n_ways};
}

const char *km_feed_plane_name(const km_feed *feed, uint32_t i) {
  const km_planes_settings *s = &feed->settings.rows;
  return i < km_layout_n_planes(s->layout, s->variants) ? s->layout->planes[i].name : NULL;
}

/* ---- rows ---- */

/* Columns that the caller does not want all go to the same place, which has eight bytes a row. */
static km_row_sink sink_at(const km_feed *feed, const km_feed_buffers *b, size_t at) {
#define COLUMN(name) .name = b->name ? b->name + at : (void *)feed->unwanted
  return (km_row_sink){.n_row_bytes = feed->row_bytes,
                       .planes = b->planes ? b->planes + at * feed->row_bytes : NULL,
                       COLUMN(policy),
                       COLUMN(value),
                       COLUMN(score),
                       COLUMN(komi),
                       COLUMN(to_play),
                       COLUMN(game),
                       COLUMN(ply),
                       COLUMN(symmetry)};
#undef COLUMN
}

/* The rows at feed->places[0 … n-1], n ≤ span. */
static km_status make_span(km_feed *feed, size_t n, const km_row_sink *sink) {
  km_feed_place found[KM_FEED_GROUP];
  km_row_facts *facts;
  km_moment *moments;
  uint64_t seed = feed->settings.is_fresh ? feed->plan.seed : feed->settings.rows.seed;
  km_status status = km_row_maker_room(feed->maker, n, &facts, &moments, &feed->err);
  for (size_t i = 0, m; i < n && status == KM_OK; i += m) {
    m = n - i < KM_FEED_GROUP ? n - i : KM_FEED_GROUP;
    km_feed_plan_find(&feed->plan, feed->places + i, m, found);
    status = km_feed_memory_get(feed->memory, found, m, seed, facts + i, sink->planes ? moments : NULL,
                                &feed->err);
  }
  if (status != KM_OK)
    return status;
  if (sink->planes)
    return km_row_maker_make(feed->maker, n, sink, 0, &feed->err);
  for (size_t i = 0; i < n; i++)
    km_row_sink_put(sink, i, &facts[i]);
  return KM_OK;
}

/* places NULL: first … first+n-1. */
static int serve(km_feed *feed, const uint64_t *places, uint64_t first, uint64_t n,
                 const km_feed_buffers *buffers) {
  uint64_t n_rows = feed->plan.n_rows;
  if (!places && (first > n_rows || n > n_rows - first))
    return km_err_set(&feed->err, KM_ERR_USAGE, 0, "rows %llu to %llu: the feed has %llu",
                      (unsigned long long)first, (unsigned long long)(first + n), (unsigned long long)n_rows);
  for (uint64_t i = 0, m; i < n; i += m) {
    m = n - i < feed->span ? n - i : feed->span;
    for (size_t k = 0; k < m; k++) {
      feed->places[k] = places ? places[i + k] : first + i + k;
      if (feed->places[k] >= n_rows)
        return km_err_set(&feed->err, KM_ERR_USAGE, 0, "row %llu: the feed has %llu",
                          (unsigned long long)feed->places[k], (unsigned long long)n_rows);
    }
    km_row_sink sink = sink_at(feed, buffers, i);
    km_status status = make_span(feed, m, &sink);
    if (status != KM_OK)
      return status;
  }
  return KM_OK;
}

int km_feed_read(km_feed *feed, uint64_t epoch, uint64_t first, uint64_t n_rows,
                 const km_feed_buffers *buffers) {
  km_feed_plan_set_epoch(&feed->plan, epoch);
  return serve(feed, NULL, first, n_rows, buffers);
}

int km_feed_take(km_feed *feed, uint64_t epoch, const uint64_t *places, uint64_t n_rows,
                 const km_feed_buffers *buffers) {
  km_feed_plan_set_epoch(&feed->plan, epoch);
  return serve(feed, places, 0, n_rows, buffers);
}

int km_feed_next(km_feed *feed, km_feed_cursor *cursor, const km_feed_buffers *buffers, uint64_t *n_rows) {
  const km_feed_cursor *c = cursor;
  *n_rows = 0;
  if (c->batch_rows == 0 || c->rank >= c->world || c->worker >= c->workers)
    return km_err_set(&feed->err, KM_ERR_USAGE, 0,
                      "no reader %u of %u, worker %u of %u, with batches of %llu rows", c->rank, c->world,
                      c->worker, c->workers, (unsigned long long)c->batch_rows);
  /* batch·workers·world + … ; numbers that large are beyond any epoch */
  unsigned __int128 number = ((unsigned __int128)c->batch * c->workers + c->worker) * c->world + c->rank;
  unsigned __int128 first = number * c->batch_rows;
  if (number >> 64 || first >= feed->plan.n_rows) {
    cursor->epoch++;
    cursor->batch = 0;
    return KM_FEED_END;
  }
  uint64_t left = feed->plan.n_rows - (uint64_t)first, n = left < c->batch_rows ? left : c->batch_rows;
  int status = km_feed_read(feed, c->epoch, (uint64_t)first, n, buffers);
  if (status == 0) {
    *n_rows = n;
    cursor->batch++;
  }
  return status;
}
