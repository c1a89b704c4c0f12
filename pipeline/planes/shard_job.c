/* shard_job.c: a batch is a block of rows of one shard. Blocks are handed out in order of shards and rows,
 * and come back in that order, so that the writer has one shard open at a time. */
#include "shard_job.h"

#include "kifumill/batch.h"

#include <stdlib.h>

typedef struct pass {
  const km_shard_job *job;
  size_t *to_make;        /* the shards, apart from the plan, where the writer notes those that are done */
  size_t n_to_make, next; /* of them, the one whose rows are handed out next, */
  uint64_t row;           /* from this one on */
  km_row_bucket *bucket;  /* in which they are, with a spool */
  km_shard_writer *writer;
  uint64_t n_written, n_rows_to_write; /* rows */
} pass;

typedef struct shard_batch {
  size_t shard;
  uint64_t first; /* row of the shard */
  size_t n;
  km_row_bucket *bucket;
  km_block *block;
} shard_batch;

static void batch_free(void *ctx, void *batch) {
  (void)ctx;
  shard_batch *b = batch;
  km_block_free(b->block);
  km_row_bucket_release(b->bucket);
  free(b);
}
static void *batch_new(void *ctx) {
  const km_shard_job *job = ((pass *)ctx)->job;
  shard_batch *b = calloc(1, sizeof *b);
  if (b && !(b->block = km_block_new(&job->plan->spec->table))) {
    batch_free(ctx, b);
    return NULL;
  }
  return b;
}
static void *worker_new(void *ctx) {
  const km_shard_job *job = ((pass *)ctx)->job;
  return km_row_maker_new(job->settings, job->shape, job->games);
}
static void worker_free(void *ctx, void *worker) {
  (void)ctx;
  km_row_maker_free(worker);
}

static km_status read_block(void *ctx, size_t stream, void *data, km_err *err) {
  (void)stream;
  pass *p = ctx;
  shard_batch *batch = data;
  const km_shard_plan *plan = p->job->plan;
  km_row_bucket_release(batch->bucket); /* of a failed run */
  batch->bucket = NULL;
  if (p->next < p->n_to_make && p->row == plan->shards[p->to_make[p->next]].n_rows) {
    p->next++;
    p->row = 0;
    km_row_bucket_release(p->bucket); /* no bucket is of two shards */
    p->bucket = NULL;
  }
  if (p->next == p->n_to_make)
    return KM_END;
  size_t number = p->to_make[p->next];
  const km_shard *shard = &plan->shards[number];
  uint64_t left = shard->n_rows - p->row, place = shard->first + p->row;
  *batch = (shard_batch){.shard = number,
                         .first = p->row,
                         .block = batch->block,
                         .n = left < p->job->block_rows ? (size_t)left : p->job->block_rows};
  if (p->job->spool) {
    if (!p->bucket || place >= p->bucket->first + p->bucket->n_rows) {
      km_row_bucket_release(p->bucket);
      p->bucket = NULL;
      km_status status = km_row_spool_load(p->job->spool, number, p->row, &p->bucket, err);
      if (status != KM_OK)
        return status;
    }
    atomic_fetch_add(&p->bucket->n_users, 1);
    batch->bucket = p->bucket;
  }
  p->row += batch->n;
  return KM_OK;
}

/* The next n rows of a block, made and, where they fill chunks, compressed while they are in the cache. */
static km_status make_rows(const km_shard_job *job, km_row_maker *maker, shard_batch *batch, size_t n,
                           km_err *err) {
  const km_shard *shard = &job->plan->shards[batch->shard];
  uint64_t place = shard->first + batch->first + km_block_n_rows(batch->block);
  km_row_facts *facts;
  km_moment *moments;
  km_row_sink sink;
  km_status status = km_block_add(batch->block, n, err);
  if (status == KM_OK)
    status = km_row_maker_room(maker, n, &facts, &moments, err);
  if (status != KM_OK)
    return status;
  if (batch->bucket)
    km_row_bucket_get(batch->bucket, place, n, facts, moments);
  else
    km_row_store_get(job->store, shard->split, &job->orders[shard->split], place, n, facts, moments);
  km_row_sink_init(&sink, job->columns, batch->block, n);
  status = km_row_maker_make(maker, n, &sink, 0, err);
  return status == KM_OK ? km_block_pack(batch->block, err) : status;
}

static km_status work_block(void *ctx, void *worker, void *data, km_err *err) {
  const km_shard_job *job = ((pass *)ctx)->job;
  shard_batch *batch = data;
  /* by replay, all of a block together: a game is replayed once for all its rows there */
  size_t group = job->settings->needs_board ? batch->n : job->settings->chunk_rows;
  km_status status = KM_OK;
  km_block_reset(batch->block, batch->first);
  for (size_t done = 0; status == KM_OK && done < batch->n; done += group)
    status = make_rows(job, worker, batch, batch->n - done < group ? batch->n - done : group, err);
  km_row_bucket_release(batch->bucket);
  batch->bucket = NULL;
  return status;
}

static km_status write_block(void *ctx, void *data, km_err *err) {
  pass *p = ctx;
  shard_batch *batch = data;
  km_shard *shard = &p->job->plan->shards[batch->shard];
  km_status status = KM_OK;
  if (batch->first == 0) {
    char path[KM_SHARD_PATH];
    km_shard_path(p->job->plan, shard, path);
    km_shard_id id = {km_split_names[shard->split], shard->index, shard->n_rows};
    status = km_shard_writer_open(&p->writer, path, p->job->plan->spec, &id, err);
  }
  if (status == KM_OK)
    status = km_shard_writer_append(p->writer, batch->block, err);
  if (status == KM_OK && batch->first + batch->n == shard->n_rows) {
    km_shard_writer *writer = p->writer;
    p->writer = NULL;
    status = km_shard_writer_finish(writer, &shard->entry, err);
    shard->is_done = status == KM_OK;
  }
  p->n_written += batch->n;
  km_progress_update(p->job->progress, (double)p->n_written / (double)p->n_rows_to_write, shard->index + 1,
                     p->n_written);
  return status;
}

km_status km_shard_job_run(const km_shard_job *job, km_err *err) {
  static const km_batch_ops ops = {batch_new,  batch_free, worker_new, worker_free,
                                   read_block, work_block, write_block, NULL};
  const km_shard_plan *plan = job->plan;
  pass p = {.job = job, .to_make = malloc((plan->n_shards + 1) * sizeof *p.to_make)};
  if (!p.to_make)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  for (size_t i = 0; i < plan->n_shards; i++)
    if (plan->shards[i].is_mine && !plan->shards[i].is_done) {
      p.to_make[p.n_to_make++] = i;
      p.n_rows_to_write += plan->shards[i].n_rows;
    }
  km_status status = km_batch_run(&ops, &p, 1, job->threads, job->window, err);
  km_shard_writer_abandon(p.writer);
  km_row_bucket_release(p.bucket);
  free(p.to_make);
  return status;
}
