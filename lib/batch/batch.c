/* batch.c: a monitor (one mutex, one condition) around a small array of slots, inside one OpenMP team. The first two
 * batches are read before there is a team: when the input has no more than one, none is made.
 *
 * Every thread repeats: write the batch whose turn it is, else work on the earliest batch that was read, else read the
 * earliest stream that may be read, else wait. The lock is taken a few times a batch (a batch is megabytes), never in
 * a hot loop. Memory is bounded by the slots; the stream whose turn it is to be written always finds one, because the
 * last free slot is reserved for it. An error stops reading beyond it and is returned when its turn to be written
 * comes, so that the outcome is that of the plain loop. */
#include "kifumill/batch.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

int km_threads(int n_threads) { return n_threads > 0 ? n_threads : omp_get_num_procs(); }

/* ---- one thread: the plain loop ------------------------------------------------------------------------------- */

static km_status run_serial(const km_batch_ops *ops, void *ctx, size_t n_streams, km_err *err) {
  void *batch = NULL, *worker = NULL;
  km_status status = KM_OK;
  if (ops->batch_new && !(batch = ops->batch_new(ctx)))
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a batch");
  if (ops->worker_new && !(worker = ops->worker_new(ctx)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a worker");
  for (size_t stream = 0; status >= 0 && stream < n_streams; stream++) {
    while ((status = ops->read(ctx, stream, batch, err)) == KM_OK) {
      if ((status = ops->work(ctx, worker, batch, err)) < 0 || (status = ops->write(ctx, batch, err)) < 0)
        break;
    }
  }
  if (worker)
    ops->worker_free(ctx, worker);
  if (batch)
    ops->batch_free(ctx, batch);
  return status < 0 ? status : KM_OK;
}

/* ---- several threads ------------------------------------------------------------------------------------------ */

typedef struct order {
  size_t stream;
  uint64_t sequence;
} order;

typedef enum slot_state { SLOT_FREE, SLOT_READING, SLOT_READ, SLOT_WORKING, SLOT_DONE, SLOT_FAILED } slot_state;

typedef struct slot {
  slot_state state;
  order at;
  void *batch;
  km_err err;
} slot;

typedef struct stream_state {
  uint64_t next_sequence;
  bool busy, ended;
} stream_state;

typedef struct monitor {
  const km_batch_ops *ops;
  void *ctx;
  size_t n_streams, n_slots;
  slot *slots;
  stream_state *streams;
  size_t lookahead; /* streams beyond the current one that may be read ahead */
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  order turn;    /* the batch to be written next */
  order failure; /* the earliest failure known; nothing beyond it is read */
  bool writing, stop;
  km_status status;
  km_err *err;
} monitor;

static bool before(order a, order b) {
  return a.stream != b.stream ? a.stream < b.stream : a.sequence < b.sequence;
}

static slot *earliest(monitor *m, slot_state state) {
  slot *best = NULL;
  for (size_t i = 0; i < m->n_slots; i++)
    if (m->slots[i].state == state && (!best || before(m->slots[i].at, best->at)))
      best = &m->slots[i];
  return best;
}

/* Moves the turn past streams that have ended and were written whole. */
static void advance_turn(monitor *m) {
  while (m->turn.stream < m->n_streams && m->streams[m->turn.stream].ended &&
         m->turn.sequence == m->streams[m->turn.stream].next_sequence)
    m->turn = (order){m->turn.stream + 1, 0};
  if (m->turn.stream == m->n_streams)
    m->stop = true;
}

static slot *slot_of_turn(monitor *m) {
  for (size_t i = 0; i < m->n_slots; i++) {
    slot *s = &m->slots[i];
    if ((s->state == SLOT_DONE || s->state == SLOT_FAILED) && s->at.stream == m->turn.stream &&
        s->at.sequence == m->turn.sequence)
      return s;
  }
  return NULL;
}

static void fail_slot(monitor *m, slot *s, km_status status) {
  s->state = SLOT_FAILED;
  s->err.code = status;
  if (before(s->at, m->failure))
    m->failure = s->at;
}

static void stop_with(monitor *m, const km_err *cause) {
  m->status = cause->code;
  if (m->err)
    *m->err = *cause;
  m->stop = true;
}

/* Each step_… is called with the mutex held, gives it back while the caller's function runs, and returns whether it
 * did something. */
static bool step_write(monitor *m) {
  slot *s = m->writing ? NULL : slot_of_turn(m);
  if (!s)
    return false;
  if (s->state == SLOT_FAILED) {
    stop_with(m, &s->err);
    return true;
  }
  m->writing = true;
  pthread_mutex_unlock(&m->mutex);
  km_status status = m->ops->write(m->ctx, s->batch, &s->err);
  pthread_mutex_lock(&m->mutex);
  m->writing = false;
  if (status < 0) {
    s->err.code = status;
    stop_with(m, &s->err);
    return true;
  }
  s->state = SLOT_FREE;
  m->turn.sequence++;
  advance_turn(m);
  return true;
}

static bool step_work(monitor *m, void *worker) {
  slot *s = earliest(m, SLOT_READ);
  if (!s)
    return false;
  s->state = SLOT_WORKING;
  pthread_mutex_unlock(&m->mutex);
  km_status status = m->ops->work(m->ctx, worker, s->batch, &s->err);
  pthread_mutex_lock(&m->mutex);
  if (status < 0)
    fail_slot(m, s, status);
  else
    s->state = SLOT_DONE;
  return true;
}

/* The earliest stream that may be read now, or n_streams. */
static size_t readable_stream(monitor *m, size_t n_free) {
  size_t end = m->turn.stream + 1 + m->lookahead;
  bool all_ended = true; /* the streams before i */
  if (end > m->n_streams)
    end = m->n_streams;
  for (size_t i = m->turn.stream; i < end; i++) {
    stream_state *stream = &m->streams[i];
    bool waits = !all_ended && m->ops->is_heavy && m->ops->is_heavy(m->ctx, i);
    all_ended &= stream->ended;
    if (waits || stream->busy || stream->ended || !before((order){i, stream->next_sequence}, m->failure))
      continue;
    return n_free > 1 || i == m->turn.stream ? i : m->n_streams;
  }
  return m->n_streams;
}

static bool step_read(monitor *m) {
  slot *s = NULL;
  size_t n_free = 0;
  for (size_t i = 0; i < m->n_slots; i++) {
    if (m->slots[i].state == SLOT_FREE) {
      s = &m->slots[i];
      n_free++;
    }
  }
  size_t i = s ? readable_stream(m, n_free) : m->n_streams;
  if (i == m->n_streams)
    return false;
  stream_state *stream = &m->streams[i];
  stream->busy = true;
  s->state = SLOT_READING;
  s->at = (order){i, stream->next_sequence};
  pthread_mutex_unlock(&m->mutex);
  km_status status = m->ops->read(m->ctx, i, s->batch, &s->err);
  pthread_mutex_lock(&m->mutex);
  stream->busy = false;
  if (status == KM_END) {
    stream->ended = true;
    s->state = SLOT_FREE;
    advance_turn(m);
    return true;
  }
  stream->next_sequence++;
  if (status < 0)
    fail_slot(m, s, status);
  else
    s->state = SLOT_READ;
  return true;
}

static void run_thread(monitor *m) {
  void *worker = NULL;
  bool have_worker = true;
  if (m->ops->worker_new)
    have_worker = (worker = m->ops->worker_new(m->ctx)) != NULL;
  pthread_mutex_lock(&m->mutex);
  if (!have_worker) {
    km_err cause = {0};
    km_err_set(&cause, KM_ERR_NOMEM, 0, "out of memory for a worker");
    stop_with(m, &cause);
  }
  while (!m->stop) {
    if (step_write(m) || step_work(m, worker) || step_read(m))
      pthread_cond_broadcast(&m->changed);
    else
      pthread_cond_wait(&m->changed, &m->mutex);
  }
  pthread_cond_broadcast(&m->changed);
  pthread_mutex_unlock(&m->mutex);
  if (worker)
    m->ops->worker_free(m->ctx, worker);
}

/* Reads up to two batches; whether that was all there is, and one at most. */
static bool read_first(monitor *m) {
  bool all_ended = true;
  size_t n_read = 0;
  pthread_mutex_lock(&m->mutex);
  while (n_read < 2 && !m->stop && step_read(m)) {
    n_read = 0;
    for (size_t i = 0; i < m->n_slots; i++)
      n_read += m->slots[i].state == SLOT_READ;
  }
  for (size_t i = 0; i < m->n_streams; i++)
    all_ended &= m->streams[i].ended;
  pthread_mutex_unlock(&m->mutex);
  return all_ended && n_read < 2;
}

static km_status make_slots(monitor *m, km_err *err) {
  m->slots = calloc(m->n_slots, sizeof *m->slots);
  m->streams = calloc(m->n_streams + 1, sizeof *m->streams);
  if (!m->slots || !m->streams)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu batches", m->n_slots);
  for (size_t i = 0; m->ops->batch_new && i < m->n_slots; i++)
    if (!(m->slots[i].batch = m->ops->batch_new(m->ctx)))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for %zu batches", m->n_slots);
  return KM_OK;
}

km_status km_batch_run(const km_batch_ops *ops, void *ctx, size_t n_streams, int n_threads, size_t window, km_err *err) {
  n_threads = km_threads(n_threads);
  if (n_streams == 0)
    return KM_OK;
  if (n_threads == 1)
    return run_serial(ops, ctx, n_streams, err);
  monitor m = {.ops = ops,
               .ctx = ctx,
               .n_streams = n_streams,
               .n_slots = window ? window : 2 * (size_t)n_threads + 2,
               .lookahead = (size_t)n_threads,
               .failure = {n_streams, 0},
               .err = err};
  if (m.n_slots < 2)
    m.n_slots = 2;
  m.status = make_slots(&m, err);
  if (m.status == KM_OK) {
    pthread_mutex_init(&m.mutex, NULL);
    pthread_cond_init(&m.changed, NULL);
    bool is_small = read_first(&m);
#pragma omp parallel num_threads(n_threads) if (!is_small)
    run_thread(&m);
    pthread_cond_destroy(&m.changed);
    pthread_mutex_destroy(&m.mutex);
  }
  for (size_t i = 0; m.slots && i < m.n_slots; i++)
    if (m.slots[i].batch)
      ops->batch_free(ctx, m.slots[i].batch);
  free(m.slots);
  free(m.streams);
  return m.status;
}

/* ---- a loop of independent steps ------------------------------------------------------------------------------ */

typedef struct parallel_failure {
  size_t i;
  km_status status;
  km_err err;
} parallel_failure;

km_status km_parallel_for(size_t n, int n_threads, km_status (*body)(void *ctx, int thread, size_t i, km_err *err),
                          void *ctx, km_err *err) {
  n_threads = km_threads(n_threads);
  parallel_failure first = {.i = n, .status = KM_OK};
  if ((size_t)n_threads > n)
    n_threads = n ? (int)n : 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(n_threads) if (n_threads > 1)
  for (size_t i = 0; i < n; i++) {
    km_err mine = {0};
    km_status status = body(ctx, omp_get_thread_num(), i, &mine);
    if (status < 0) {
#pragma omp critical(km_parallel_failure)
      if (i < first.i)
        first = (parallel_failure){i, status, mine};
    }
  }
  if (first.status < 0 && err)
    *err = first.err;
  return first.status;
}
