/* row_spool.c: see row_spool.h.
 *
 * The file is a sequence of blocks of one size; a bucket is a list of blocks, and a buffer with what is not a
 * block yet. So the disk sees writes of whole blocks one behind the other, and a bucket is read by as many
 * reads as it has blocks. */
#include "row_spool.h"

#include "kifumill/batch.h"
#include "kifumill/unnamed_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  BLOCK_BYTES_MIN = 4096,
  BLOCK_BYTES_MAX = 1 << 20,
  EVENT_BYTES = 24, /* of a moment, on average */
  LIVE_BUCKETS = 3, /* in memory at a time: being loaded, being used, being ended */
};

/* A record in the spool: this, then the moment. */
typedef struct record {
  uint32_t n_bytes, index; /* of the record, a multiple of 4; place in the bucket */
  km_row_facts facts;
} record;

typedef struct spool_bucket {
  unsigned char *buffer;
  uint32_t n_buffered;
  uint32_t n_blocks, capacity;
  uint32_t *blocks;
} spool_bucket;

struct km_row_spool {
  const km_spool_job *job;
  const char *folder;
  int fd;
  uint32_t block_bytes, n_file_blocks;
  uint64_t bucket_rows;
  size_t buckets_per_shard, n_buckets;
  uint32_t *numbers; /* of a shard of the plan among those to be made; UINT32_MAX: it is not */
  spool_bucket *buckets;
};

/* ---- buckets ---- */

static uint64_t record_bytes(const km_planes_settings *s) {
  size_t planes = 2 * (((size_t)s->rows * s->cols + 7) / 8);
  return sizeof(record) + (s->needs_board ? 0 : planes + EVENT_BYTES);
}

/* Half of the memory for buckets being used, half for the buffers of all. */
static km_status size_buckets(km_row_spool *spool, size_t n_to_make, uint64_t n_rows, km_err *err) {
  const km_planes_settings *s = spool->job->gather->settings;
  uint64_t each = record_bytes(s) + sizeof(uint64_t), budget = spool->job->budget,
           block = spool->job->block_rows;
  uint64_t rows = budget / 2 / (LIVE_BUCKETS * each) / block * block;
  uint64_t least_rows = block; /* and the memory with which it would do */
  uint64_t least = 2 * LIVE_BUCKETS * each * block;
  while (least < 2 * BLOCK_BYTES_MIN * (n_rows / least_rows + n_to_make)) {
    least_rows += block;
    least = 2 * LIVE_BUCKETS * each * least_rows;
  }
  if (rows > s->rows_per_shard)
    rows = s->rows_per_shard;
  spool->bucket_rows = rows;
  spool->buckets_per_shard = rows ? (s->rows_per_shard + rows - 1) / rows : 0;
  spool->n_buckets = spool->buckets_per_shard * n_to_make;
  uint64_t block_bytes =
      spool->n_buckets ? budget / 2 / spool->n_buckets / BLOCK_BYTES_MIN * BLOCK_BYTES_MIN : 0;
  if (block_bytes < BLOCK_BYTES_MIN)
    return km_err_set(err, KM_ERR_USAGE, 0, "--memory %llu M is too small for %llu rows: at least %llu M",
                      (unsigned long long)(s->memory >> 20), (unsigned long long)n_rows,
                      (unsigned long long)((s->memory - budget + least) >> 20) + 1);
  spool->block_bytes = block_bytes < BLOCK_BYTES_MAX ? (uint32_t)block_bytes : BLOCK_BYTES_MAX;
  return KM_OK;
}

/* An estimate beforehand is better than a run that ends after hours. */
static km_status check_room(const km_row_spool *spool, uint64_t n_rows, km_err *err) {
  struct statvfs st;
  uint64_t needed = n_rows * record_bytes(spool->job->gather->settings);
  if (statvfs(spool->folder, &st) || (uint64_t)st.f_bavail * st.f_frsize >= needed)
    return KM_OK;
  return km_err_set(err, KM_ERR_IO, 0,
                    "%s: %.1f GB are free, the temporary data of %llu rows take %.1f GB; with --memory %llu "
                    "M there are none",
                    spool->folder, 1e-9 * (double)st.f_bavail * (double)st.f_frsize,
                    (unsigned long long)n_rows, 1e-9 * (double)needed,
                    (unsigned long long)((spool->job->gathered->counts.n_steps[KM_STEP_POSITIONS] * 20 +
                                          (spool->job->gather->settings->memory - spool->job->budget)) >>
                                         20));
}

static km_status open_file(km_row_spool *spool, km_err *err) {
  char name[KM_SHARD_PATH];
  snprintf(name, sizeof name, "%.4000s/rows", spool->folder);
  return km_unnamed_file(&spool->fd, name, err);
}

static km_status make_buckets(km_row_spool *spool, km_err *err) {
  const km_shard_plan *plan = spool->job->plan;
  size_t n_to_make = 0;
  uint64_t n_rows = 0;
  spool->numbers = malloc((plan->n_shards + 1) * sizeof *spool->numbers);
  if (!spool->numbers)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < plan->n_shards; i++) {
    int wanted = plan->shards[i].is_mine && !plan->shards[i].is_done;
    spool->numbers[i] = wanted ? (uint32_t)n_to_make++ : UINT32_MAX;
    n_rows += wanted ? plan->shards[i].n_rows : 0;
  }
  km_status status = size_buckets(spool, n_to_make, n_rows, err);
  if (status == KM_OK)
    status = check_room(spool, n_rows, err);
  if (status == KM_OK)
    status = open_file(spool, err);
  if (status != KM_OK)
    return status;
  spool->buckets = calloc(spool->n_buckets, sizeof *spool->buckets);
  return spool->buckets ? KM_OK : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
}

static km_status write_block(km_row_spool *spool, spool_bucket *b, km_err *err) {
  if (b->n_blocks == b->capacity) {
    uint32_t capacity = b->capacity + b->capacity / 2 + 8;
    uint32_t *blocks = realloc(b->blocks, capacity * sizeof *blocks);
    if (!blocks)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
    b->blocks = blocks;
    b->capacity = capacity;
  }
  uint64_t at = (uint64_t)spool->n_file_blocks * spool->block_bytes;
  for (size_t done = 0; done < spool->block_bytes;) {
    ssize_t n = pwrite(spool->fd, b->buffer + done, spool->block_bytes - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return km_err_set(err, KM_ERR_IO, n ? errno : EIO, "cannot write temporary data in %s", spool->folder);
    done += (size_t)n;
  }
  b->blocks[b->n_blocks++] = spool->n_file_blocks++;
  b->n_buffered = 0;
  return KM_OK;
}

/* A record may lie in two blocks. */
static km_status add_record(km_row_spool *spool, size_t number, const unsigned char *bytes, size_t n_bytes,
                            km_err *err) {
  spool_bucket *b = &spool->buckets[number];
  if (!b->buffer && !(b->buffer = malloc(spool->block_bytes)))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  while (n_bytes) {
    size_t room = spool->block_bytes - b->n_buffered, n = n_bytes < room ? n_bytes : room;
    memcpy(b->buffer + b->n_buffered, bytes, n);
    b->n_buffered += (uint32_t)n;
    bytes += n;
    n_bytes -= n;
    km_status status = b->n_buffered == spool->block_bytes ? write_block(spool, b, err) : KM_OK;
    if (status != KM_OK)
      return status;
  }
  return KM_OK;
}

/* ---- filling ---- */

typedef struct filling {
  const km_spool_job *job;
  km_row_spool *spool;
  uint64_t next_range;
  uint64_t n_positions;
} filling;

typedef struct spool_worker {
  km_game_pick pick;
  km_track_builder *builder;
  uint64_t before[KM_SPLITS]; /* positions of the splits before the present game */
} spool_worker;

/* Records of a range of games, each with the number of its bucket before it. */
typedef struct spool_batch {
  uint64_t range, n_positions;
  unsigned char *bytes;
  size_t n_bytes, capacity;
} spool_batch;

static void *batch_new(void *ctx) {
  (void)ctx;
  return calloc(1, sizeof(spool_batch));
}
static void batch_free(void *ctx, void *batch) {
  (void)ctx;
  free(((spool_batch *)batch)->bytes);
  free(batch);
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  km_game_pick_clear(&((spool_worker *)worker)->pick);
  km_track_builder_free(((spool_worker *)worker)->builder);
  free(worker);
}
static void *worker_new(void *ctx) {
  spool_worker *w = calloc(1, sizeof *w);
  if (w && !(w->builder = km_track_builder_new(((filling *)ctx)->job->gather->shape))) {
    worker_free(ctx, w);
    return NULL;
  }
  return w;
}

static km_status read_range(void *ctx, size_t stream, void *data, km_err *err) {
  (void)stream, (void)err;
  filling *f = ctx;
  spool_batch *batch = data;
  if (f->next_range == f->job->gathered->n_ranges)
    return KM_END;
  batch->range = f->next_range++;
  batch->n_bytes = 0;
  return KM_OK;
}

/* The bucket of a row, and its place in there; 0: of no shard that is to be made. */
static int find_bucket(const km_row_spool *spool, unsigned split, uint64_t row, uint32_t *number,
                       uint32_t *index) {
  const km_spool_job *job = spool->job;
  uint64_t rows_per_shard = job->gather->settings->rows_per_shard,
           place = km_row_order_place(&job->orders[split], row);
  size_t shard = job->plan->first[split] + (size_t)(place / rows_per_shard);
  uint64_t at = place % rows_per_shard;
  if (spool->numbers[shard] == UINT32_MAX)
    return 0;
  *number = (uint32_t)(spool->numbers[shard] * spool->buckets_per_shard + at / spool->bucket_rows);
  *index = (uint32_t)(at % spool->bucket_rows);
  return 1;
}

static km_status reserve(spool_batch *batch, size_t n_bytes, km_err *err) {
  if (n_bytes <= batch->capacity - batch->n_bytes)
    return KM_OK;
  size_t capacity = batch->n_bytes + n_bytes + batch->capacity / 2 + (1 << 16);
  unsigned char *bytes = realloc(batch->bytes, capacity);
  if (!bytes)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  batch->bytes = bytes;
  batch->capacity = capacity;
  return KM_OK;
}

/* The records of row j of a track under all its symmetries. */
static km_status add_rows(filling *f, spool_batch *batch, const km_track *track, unsigned split,
                          uint64_t position, uint32_t j, km_err *err) {
  const km_planes_settings *s = f->job->gather->settings;
  const km_track_shape *shape = f->job->gather->shape;
  size_t room = sizeof(uint32_t) + sizeof(record) + (s->needs_board ? 0 : km_moment_bytes_max(shape)) + 4;
  for (unsigned way = 0; way < s->rows_per_position; way++) {
    uint32_t number;
    record r;
    km_moment moment;
    if (!find_bucket(f->spool, split, position * s->rows_per_position + way, &number, &r.index))
      continue;
    km_status status = reserve(batch, room, err);
    if (status != KM_OK)
      return status;
    km_track_facts(shape, track, j, km_select_symmetry(s, track->id, km_track_rows(track)[j].ply, way),
                   &r.facts);
    unsigned char *at = batch->bytes + batch->n_bytes;
    size_t n = sizeof r;
    if (!s->needs_board) {
      km_track_seek(shape, track, &r.facts, &moment);
      km_track_find(shape, track, &r.facts, &moment);
      n += km_moment_store(shape, &moment, at + sizeof number + n);
    }
    for (; n % 4; n++)
      at[sizeof number + n] = 0;
    r.n_bytes = (uint32_t)n;
    memcpy(at, &number, sizeof number);
    memcpy(at + sizeof number, &r, sizeof r);
    batch->n_bytes += sizeof number + n;
  }
  return KM_OK;
}

static km_status work_range(void *ctx, void *worker, void *data, km_err *err) {
  filling *f = ctx;
  spool_worker *w = worker;
  spool_batch *batch = data;
  const km_gather_job *g = f->job->gather;
  km_game_pick *pick = &w->pick;
  km_select_counts counts = {0};
  uint64_t first = batch->range * KM_RANGE_GAMES, end = first + KM_RANGE_GAMES,
           n_games = km_games_count(g->games);
  km_status status = KM_OK;
  memcpy(w->before, f->job->gathered->before[batch->range], sizeof w->before);
  for (uint64_t i = first; status == KM_OK && i < end && i < n_games; i++) {
    status = km_game_pick_take(pick, g->games, g->settings, i, &counts, err);
    if (status != KM_OK || pick->n_rows == 0)
      continue;
    km_track_game game = {&pick->game, (uint32_t)i, pick->keys.hash.low, pick->plies, pick->n_rows};
    size_t at;
    status = km_track_add(w->builder, &game, &at, err);
    const km_track *track = (const km_track *)(const void *)(km_track_builder_lend(w->builder) + at);
    for (uint32_t j = 0; status == KM_OK && j < pick->n_rows; j++)
      status = add_rows(f, batch, track, pick->split, w->before[pick->split] + j, j, err);
    w->before[pick->split] += pick->n_rows;
  }
  batch->n_positions = counts.n_steps[KM_STEP_SAMPLE];
  km_games_release(g->games, first, KM_RANGE_GAMES);
  return status;
}

static km_status write_range(void *ctx, void *data, km_err *err) {
  filling *f = ctx;
  spool_batch *batch = data;
  km_status status = KM_OK;
  for (size_t at = 0; status == KM_OK && at < batch->n_bytes;) {
    uint32_t number, n_bytes;
    memcpy(&number, batch->bytes + at, sizeof number);
    memcpy(&n_bytes, batch->bytes + at + sizeof number, sizeof n_bytes);
    status = add_record(f->spool, number, batch->bytes + at + sizeof number, n_bytes, err);
    at += sizeof number + n_bytes;
  }
  f->n_positions += batch->n_positions;
  km_progress_update(f->job->gather->progress, -1, (batch->range + 1) * KM_RANGE_GAMES, f->n_positions);
  return status;
}

km_status km_row_spool_make(km_row_spool **out, const km_spool_job *job, km_err *err) {
  static const km_batch_ops ops = {batch_new,  batch_free, worker_new, worker_free,
                                   read_range, work_range, write_range, NULL};
  km_row_spool *spool = calloc(1, sizeof *spool);
  *out = spool;
  if (!spool)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  spool->fd = -1;
  spool->job = job;
  spool->folder = job->plan->folder;
  km_status status = make_buckets(spool, err);
  filling f = {.job = job, .spool = spool};
  if (status == KM_OK)
    status = km_batch_run(&ops, &f, 1, job->gather->threads, job->window, err);
  if (status != KM_OK) {
    km_row_spool_close(spool);
    *out = NULL;
  }
  return status;
}

void km_row_spool_close(km_row_spool *spool) {
  if (!spool)
    return;
  for (size_t i = 0; spool->buckets && i < spool->n_buckets; i++) {
    free(spool->buckets[i].buffer);
    free(spool->buckets[i].blocks);
  }
  free(spool->buckets);
  free(spool->numbers);
  if (spool->fd >= 0)
    close(spool->fd);
  free(spool);
}

uint64_t km_row_spool_bytes(const km_row_spool *spool) {
  return (uint64_t)spool->n_file_blocks * spool->block_bytes;
}

/* ---- taking out ---- */

void km_row_bucket_release(km_row_bucket *bucket) {
  if (!bucket || atomic_fetch_sub(&bucket->n_users, 1) != 1)
    return;
  free(bucket->bytes);
  free(bucket->records);
  free(bucket);
}

void km_row_bucket_get(const km_row_bucket *bucket, uint64_t first, size_t n, km_row_facts *facts,
                       km_moment *moments) {
  const uint64_t *records = bucket->records + (first - bucket->first);
  enum { AHEAD = 16 };
  for (size_t i = 0; i < n; i++) {
    const unsigned char *at = bucket->bytes + records[i];
    if (i + AHEAD < n)
      for (size_t line = 0; line < 3; line++)
        __builtin_prefetch(bucket->bytes + records[i + AHEAD] + 64 * line);
    memcpy(&facts[i], at + offsetof(record, facts), sizeof facts[i]);
    if (moments)
      km_moment_load(bucket->shape, at + sizeof(record), &facts[i], &moments[i]);
  }
}

static km_status read_bytes(km_row_spool *spool, const spool_bucket *b, unsigned char *to, km_err *err) {
  for (uint32_t i = 0; i < b->n_blocks; i++)
    for (size_t done = 0; done < spool->block_bytes;) {
      off_t at = (off_t)((uint64_t)b->blocks[i] * spool->block_bytes + done);
      ssize_t n = pread(spool->fd, to + done + (size_t)i * spool->block_bytes, spool->block_bytes - done, at);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return km_err_set(err, KM_ERR_IO, n ? errno : EIO, "cannot read temporary data in %s", spool->folder);
      done += (size_t)n;
    }
  if (b->n_buffered)
    memcpy(to + (size_t)b->n_blocks * spool->block_bytes, b->buffer, b->n_buffered);
  return KM_OK;
}

/* Fills the list of records, and finds it complete. */
static km_status list_records(km_row_bucket *out, size_t n_bytes, km_err *err) {
  uint64_t n = 0;
  for (size_t at = 0; at < n_bytes; n++) {
    uint32_t head[2];
    memcpy(head, out->bytes + at, sizeof head);
    if (head[0] < sizeof(record) || head[0] > n_bytes - at || head[1] >= out->n_rows)
      return km_err_set(err, KM_ERR_FORMAT, 0, "temporary data were damaged on the disk");
    out->records[head[1]] = at;
    at += head[0];
  }
  return n == out->n_rows ? KM_OK
                          : km_err_set(err, KM_ERR_FORMAT, 0, "temporary data were damaged on the disk");
}

km_status km_row_spool_load(km_row_spool *spool, size_t shard, uint64_t row, km_row_bucket **out,
                            km_err *err) {
  const km_shard *s = &spool->job->plan->shards[shard];
  uint64_t number = row / spool->bucket_rows, first = number * spool->bucket_rows;
  spool_bucket *b = &spool->buckets[spool->numbers[shard] * spool->buckets_per_shard + number];
  size_t n_bytes = (size_t)b->n_blocks * spool->block_bytes + b->n_buffered;
  km_row_bucket *made = calloc(1, sizeof *made);
  *out = NULL;
  if (!made)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  made->shape = spool->job->gather->shape;
  made->first = s->first + first;
  made->n_rows = s->n_rows - first < spool->bucket_rows ? s->n_rows - first : spool->bucket_rows;
  made->bytes = malloc(n_bytes + 1);
  made->records = malloc(made->n_rows * sizeof *made->records);
  atomic_init(&made->n_users, 1);
  km_status status = made->bytes && made->records ? read_bytes(spool, b, made->bytes, err)
                                                  : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (status == KM_OK)
    status = list_records(made, n_bytes, err);
  free(b->buffer);
  b->buffer = NULL;
  if (status != KM_OK) {
    km_row_bucket_release(made);
    return status;
  }
  *out = made;
  return KM_OK;
}
