/* test_batch.c: the parallel loop against the plain one: same order, same error, bounded number of batches. */
#include "kifumill/batch.h"
#include "kifumill/hash.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { STREAMS = 37 };

typedef struct item {
  size_t stream;
  uint64_t sequence, value;
} item;

typedef struct job {
  uint64_t read[STREAMS]; /* batches read so far, a stream */
  uint64_t length[STREAMS];
  uint64_t digest, n_written, n_cut_in;
  size_t fail_stream; /* STREAMS: never */
  uint64_t fail_sequence;
  int fail_where; /* 0 read, 1 work, 2 write */
  int n_live, n_most, n_workers;
  pthread_mutex_t mutex;
} job;

static void *item_new(void *ctx) {
  job *j = ctx;
  pthread_mutex_lock(&j->mutex);
  if (++j->n_live > j->n_most)
    j->n_most = j->n_live;
  pthread_mutex_unlock(&j->mutex);
  return calloc(1, sizeof(item));
}
static void item_free(void *ctx, void *batch) {
  job *j = ctx;
  pthread_mutex_lock(&j->mutex);
  j->n_live--;
  pthread_mutex_unlock(&j->mutex);
  free(batch);
}

static km_status fail_here(const job *j, const item *it, int where, km_err *err) {
  if (it->stream == j->fail_stream && it->sequence == j->fail_sequence && where == j->fail_where)
    return km_err_set(err, KM_ERR_IO, 0, "stream %zu batch %llu", it->stream, (unsigned long long)it->sequence);
  return KM_OK;
}

static km_status item_read(void *ctx, size_t stream, void *batch, km_err *err) {
  job *j = ctx;
  item *it = batch;
  if (j->read[stream] == j->length[stream])
    return KM_END;
  *it = (item){.stream = stream, .sequence = j->read[stream]++};
  return fail_here(j, it, 0, err);
}
static km_status item_work(void *ctx, void *worker, void *batch, km_err *err) {
  (void)worker;
  item *it = batch;
  it->value = it->stream;
  for (uint64_t i = 0; i < 1 + km_mix64(it->stream * 1000 + it->sequence) % 2000; i++)
    it->value = km_mix64(it->value + it->sequence);
  return fail_here(ctx, it, 1, err);
}
static km_status item_write(void *ctx, void *batch, km_err *err) {
  job *j = ctx;
  item *it = batch;
  j->digest = km_mix64(j->digest ^ it->value);
  j->n_written++;
  return fail_here(j, it, 2, err);
}

static const km_batch_ops ops = {.batch_new = item_new, .batch_free = item_free, .read = item_read, .work = item_work, .write = item_write};

static km_status run(job *j, int n_threads, size_t window, km_err *err) {
  memset(j->read, 0, sizeof j->read);
  for (size_t s = 0; s < STREAMS; s++)
    j->length[s] = s % 5 == 0 ? 0 : km_mix64(s) % 40; /* some are empty */
  j->digest = j->n_written = 0;
  j->n_live = j->n_most = 0;
  return km_batch_run(&ops, j, STREAMS, n_threads, window, err);
}

static void test_order_is_that_of_the_plain_loop(void **state) {
  (void)state;
  job j = {.fail_stream = STREAMS, .mutex = PTHREAD_MUTEX_INITIALIZER};
  km_err err = {0};
  assert_int_equal(run(&j, 1, 0, &err), KM_OK);
  uint64_t digest = j.digest, n = j.n_written;
  assert_true(n > 100);
  const int threads[] = {2, 3, 7};
  for (size_t t = 0; t < 3; t++) {
    for (size_t window = 2; window < 20; window += 5) {
      assert_int_equal(run(&j, threads[t], window, &err), KM_OK);
      assert_int_equal(j.digest, digest);
      assert_int_equal(j.n_written, n);
      assert_int_equal(j.n_live, 0);
      assert_true(j.n_most <= (int)window);
    }
  }
}

static void test_first_error_in_order_is_returned(void **state) {
  (void)state;
  for (int where = 0; where < 3; where++) {
    job j = {.fail_stream = 13, .fail_sequence = 3, .fail_where = where, .mutex = PTHREAD_MUTEX_INITIALIZER};
    km_err err = {0};
    assert_int_equal(run(&j, 1, 0, &err), KM_ERR_IO);
    uint64_t n = j.n_written;
    for (int threads = 2; threads < 8; threads += 5) {
      km_err other = {0};
      assert_int_equal(run(&j, threads, 0, &other), KM_ERR_IO);
      assert_string_equal(other.msg, err.msg);
      assert_int_equal(j.n_written, n);
      assert_int_equal(j.n_live, 0);
    }
  }
}

/* Every third stream is heavy. */
static int item_is_heavy(void *ctx, size_t stream) {
  (void)ctx;
  return stream % 3 == 0;
}

/* A heavy stream is read when those before it have given all they have; one that is cut in on is counted. */
static km_status heavy_read(void *ctx, size_t stream, void *batch, km_err *err) {
  job *j = ctx;
  pthread_mutex_lock(&j->mutex);
  for (size_t s = 0; s < stream && item_is_heavy(ctx, stream); s++)
    j->n_cut_in += j->read[s] != j->length[s];
  km_status status = item_read(ctx, stream, batch, err);
  pthread_mutex_unlock(&j->mutex);
  return status;
}

static void test_heavy_streams_wait_for_those_before(void **state) {
  (void)state;
  static const km_batch_ops heavy_ops = {.batch_new = item_new,
                                         .batch_free = item_free,
                                         .read = heavy_read,
                                         .work = item_work,
                                         .write = item_write,
                                         .is_heavy = item_is_heavy};
  job j = {.fail_stream = STREAMS, .mutex = PTHREAD_MUTEX_INITIALIZER};
  km_err err = {0};
  assert_int_equal(run(&j, 1, 0, &err), KM_OK);
  uint64_t digest = j.digest;
  for (int threads = 2; threads < 8; threads++) {
    memset(j.read, 0, sizeof j.read);
    j.digest = j.n_cut_in = 0;
    assert_int_equal(km_batch_run(&heavy_ops, &j, STREAMS, threads, 0, &err), KM_OK);
    assert_int_equal(j.digest, digest);
    assert_int_equal(j.n_cut_in, 0);
  }
}

static km_status square(void *ctx, int thread, size_t i, km_err *err) {
  (void)thread;
  uint64_t *out = ctx;
  out[i] = i * i;
  return i % 100 == 57 ? km_err_set(err, KM_ERR_FORMAT, 0, "step %zu", i) : KM_OK;
}

static void *worker_counted(void *ctx) {
  __atomic_fetch_add(&((job *)ctx)->n_workers, 1, __ATOMIC_RELAXED);
  return ctx;
}
static void worker_dropped(void *ctx, void *worker) {
  (void)ctx, (void)worker;
}

/* One batch, wherever it lies among empty streams, needs no team; two of them get one. */
static void test_one_batch_is_worked_on_alone(void **state) {
  (void)state;
  km_batch_ops counting = ops;
  counting.worker_new = worker_counted;
  counting.worker_free = worker_dropped;
  for (size_t at = 0; at < 3; at++)
    for (uint64_t n = 0; n < 4; n++) {
      job j = {.fail_stream = STREAMS, .mutex = PTHREAD_MUTEX_INITIALIZER};
      j.length[at] = n;
      assert_int_equal(km_batch_run(&counting, &j, 3, 3, 0, NULL), KM_OK);
      assert_int_equal(j.n_written, n);
      assert_int_equal(j.n_workers, n < 2 ? 1 : 3);
    }
}

static void test_parallel_for_runs_all_and_names_the_first_error(void **state) {
  (void)state;
  uint64_t out[1000] = {0};
  km_err err = {0};
  assert_int_equal(km_parallel_for(1000, 7, square, out, &err), KM_ERR_FORMAT);
  assert_string_equal(err.msg, "step 57");
  for (size_t i = 0; i < 1000; i++)
    assert_int_equal(out[i], i * i);
  assert_int_equal(km_parallel_for(50, 2, square, out, &err), KM_OK);
  assert_int_equal(km_parallel_for(0, 2, square, out, &err), KM_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_is_that_of_the_plain_loop),
      cmocka_unit_test(test_first_error_in_order_is_returned),
      cmocka_unit_test(test_heavy_streams_wait_for_those_before),
      cmocka_unit_test(test_one_batch_is_worked_on_alone),
      cmocka_unit_test(test_parallel_for_runs_all_and_names_the_first_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
