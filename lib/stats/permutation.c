/* permutation.c: the sum of within distances decides, for the sum over all pairs and the numbers of pairs
 * stay.
 *
 * Objects are listed group after group; a permutation fills the groups' places with shuffled objects and adds
 * up the pairs within each. */
#include "kifumill/permutation.h"

#include "kifumill/hash.h"

#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

double km_trajectory_distance(const double *a, const double *b, size_t n) {
  double sum = 0, count = 0;
  for (size_t t = 0; t < n; t++) {
    double d = a[t] - b[t];
    if (isnan(d))
      continue;
    sum += d * d;
    count++;
  }
  return count > 0 ? sqrt(sum / count) : NAN;
}

void km_distance_matrix(double *distance, const double *x, size_t n, size_t length) {
  for (size_t i = 0; i < n; i++) {
    distance[i * n + i] = 0;
    for (size_t j = 0; j < i; j++)
      distance[i * n + j] = distance[j * n + i] =
          km_trajectory_distance(x + i * length, x + j * length, length);
  }
}

typedef struct labelled {
  uint32_t label, object;
} labelled;

static int by_label(const void *a, const void *b) {
  const labelled *p = a, *q = b;
  if (p->label != q->label)
    return p->label < q->label ? -1 : 1;
  return p->object < q->object ? -1 : 1;
}

typedef struct test {
  const double *distance;
  const km_permutation_options *options;
  labelled *order; /* n, group after group */
  size_t n;
  double bound;         /* sums of within distances up to this count as at least as extreme */
  unsigned char *small; /* n_permutations: whether they did */
} test;

static double within_sum(const test *t, const uint32_t *object) {
  double sum = 0;
  for (size_t from = 0, to; from < t->n; from = to) {
    for (to = from; to < t->n && t->order[to].label == t->order[from].label; to++)
      for (size_t i = from; i < to; i++)
        sum += t->distance[(size_t)object[i] * t->n + object[to]];
  }
  return sum;
}

static km_status permutation_task(void *ctx, int thread, size_t r, km_err *err) {
  (void)thread;
  test *t = ctx;
  uint32_t *object = malloc(t->n * sizeof *object);
  if (!object)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to permute %zu objects", t->n);
  for (size_t i = 0; i < t->n; i++) {
    size_t j = (size_t)km_random_below(km_random(t->options->seed, r, i, KM_PURPOSE_PERMUTATION), i + 1);
    object[i] = object[j];
    object[j] = (uint32_t)i;
  }
  t->small[r] = within_sum(t, object) <= t->bound;
  free(object);
  return KM_OK;
}

static km_status check_distances(const double *distance, size_t n, double *all, km_err *err) {
  *all = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      if (!isfinite(distance[i * n + j]))
        return km_err_set(err, KM_ERR_FORMAT, 0, "the distance of objects %zu and %zu is not a number", j, i);
      *all += distance[i * n + j];
    }
  return KM_OK;
}

static double pairs_within(const test *t) {
  double pairs = 0;
  for (size_t from = 0, to; from < t->n; from = to) {
    for (to = from; to < t->n && t->order[to].label == t->order[from].label; to++)
      ;
    pairs += 0.5 * (double)(to - from) * (double)(to - from - 1);
  }
  return pairs;
}

static km_status run(test *t, km_permutation_result *out, double all, km_err *err) {
  uint32_t *object = calloc(t->n + 1, sizeof *object);
  if (!object)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu objects", t->n);
  for (size_t i = 0; i < t->n; i++)
    object[i] = t->order[i].object;
  double within = within_sum(t, object), n_within = pairs_within(t);
  double n_between = 0.5 * (double)t->n * ((double)t->n - 1) - n_within;
  free(object);
  if (n_within < 1 || n_between < 1)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "a permutation test needs two groups, and one of at least two objects");
  *out = (km_permutation_result){.between = (all - within) / n_between, .within = within / n_within};
  out->difference = out->between - out->within;
  t->bound = within + 1e-12 * all; /* equal sums in another order */
  km_status status =
      km_workers_run(t->options->workers, t->options->n_permutations, permutation_task, t, err);
  if (status < 0)
    return status;
  out->n_permutations = t->options->n_permutations;
  for (size_t r = 0; r < out->n_permutations; r++)
    out->n_at_least += t->small[r];
  out->p_value = (1 + (double)out->n_at_least) / (1 + (double)out->n_permutations);
  return KM_OK;
}

km_status km_permutation_test(km_permutation_result *out, const double *distance, const uint32_t *label,
                              size_t n, const km_permutation_options *options, km_err *err) {
  double all;
  if (n > UINT32_MAX)
    return km_err_set(err, KM_ERR_LIMIT, 0, "%zu objects are too many to permute", n);
  km_status status = check_distances(distance, n, &all, err);
  if (status != KM_OK)
    return status;
  test t = {.distance = distance, .options = options, .n = n};
  t.order = calloc(n + 1, sizeof *t.order);
  t.small = calloc(options->n_permutations + 1, 1);
  if (!t.order || !t.small) {
    status = km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu permutations", options->n_permutations);
  } else {
    for (size_t i = 0; i < n; i++)
      t.order[i] = (labelled){label[i], (uint32_t)i};
    qsort(t.order, n, sizeof *t.order, by_label);
    status = run(&t, out, all, err);
  }
  free(t.order);
  free(t.small);
  return status;
}

/* b = −½ · J d² J with J = I − 1/n: the inner products of the centred places. */
static void double_centre(double *b, const double *distance, size_t n, double *mean) {
  double grand = 0;
  for (size_t i = 0; i < n; i++) {
    mean[i] = 0;
    for (size_t j = 0; j < n; j++)
      mean[i] += distance[i * n + j] * distance[i * n + j] / (double)n;
    grand += mean[i] / (double)n;
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      b[i * n + j] = -0.5 * (distance[i * n + j] * distance[i * n + j] - mean[i] - mean[j] + grand);
}

/* The eigenvector in row axis from below, scaled to its variance and turned. */
static void give_axis(const double *vector, double eigenvalue, double *place, size_t n, size_t dims) {
  double scale = eigenvalue > 0 ? sqrt(eigenvalue) : 0;
  size_t largest = 0;
  for (size_t i = 1; i < n; i++)
    if (fabs(vector[i]) > fabs(vector[largest]) * (1 + 1e-9))
      largest = i;
  for (size_t i = 0; i < n; i++)
    place[i * dims] = (vector[largest] < 0 ? -scale : scale) * vector[i];
}

km_status km_classical_scaling(double *place, double *share, const double *distance, size_t n, size_t dims,
                               km_err *err) {
  enum { OBJECTS_MAX = 10000 };
  if (dims < 1 || dims > n || n > OBJECTS_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "%zu objects (at most %d) cannot be placed in %zu dimensions", n,
                      OBJECTS_MAX, dims);
  double all;
  km_status status = check_distances(distance, n, &all, err);
  if (status != KM_OK)
    return status;
  size_t n_work = 64 * n;
  double *b = malloc((n * n + 2 * n + n_work) * sizeof *b);
  if (!b)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to place %zu objects", n);
  double *mean = b + n * n, *eigenvalue = mean + n, *work = eigenvalue + n, positive = 0;
  double_centre(b, distance, n, mean);
  lapack_int info = LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', (lapack_int)n, b, (lapack_int)n,
                                       eigenvalue, work, (lapack_int)n_work);
  if (info != 0)
    status = km_err_set(err, KM_ERR_STATE, 0, "LAPACK dsyev gives %d", (int)info);
  for (size_t i = 0; i < n && status == KM_OK; i++)
    positive += eigenvalue[i] > 0 ? eigenvalue[i] : 0;
  for (size_t d = 0; d < dims && status == KM_OK; d++) {
    size_t from_end = n - 1 - d;
    give_axis(b + from_end * n, eigenvalue[from_end], place + d, n, dims);
    share[d] = positive > 0 && eigenvalue[from_end] > 0 ? eigenvalue[from_end] / positive : 0;
  }
  free(b);
  return status;
}
