/* test_mlp.c: the gradient against differences, a task that no line solves, bytes that repeat, early
 * stopping, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kifumill/hash.h"
#include "mlp_network.h"

#include <math.h>
#include <string.h>

enum { N_MAX = 3000 };
typedef struct table {
  double x[2 * N_MAX], y[N_MAX];
  size_t n, per_block;
} table;
static table train, valid;

static km_status block(void *ctx, int thread, size_t i, km_rows *rows, km_err *err) {
  (void)thread;
  (void)err;
  const table *t = ctx;
  size_t first = i * t->per_block, n = t->n - first < t->per_block ? t->n - first : t->per_block;
  *rows = (km_rows){t->x + 2 * first, t->y + first, NULL, n, 2};
  return KM_OK;
}

static km_row_source source_of(table *t) {
  return (km_row_source){block, t, (t->n + t->per_block - 1) / t->per_block, 2};
}

/* y = (x0 > 100) xor (x1 > 0.001), with columns far from standard. */
static void fill(table *t, size_t n, uint64_t seed) {
  t->n = n;
  t->per_block = 97;
  for (size_t i = 0; i < n; i++) {
    double a = km_random_unit(km_random(seed, i, 0, KM_PURPOSE_SAMPLE)) - 0.5;
    double b = km_random_unit(km_random(seed, i, 1, KM_PURPOSE_SAMPLE)) - 0.5;
    t->x[2 * i] = 100 + 10 * a;
    t->x[2 * i + 1] = 0.001 + 0.001 * b;
    t->y[i] = (a > 0) != (b > 0);
  }
}

/* Loss of three rows, one at a time. */
static double loss_of_ones(const mlp_network *net, const double *w, const double *z) {
  mlp_scratch scratch;
  double loss = 0, logit;
  for (size_t r = 0; r < 3; r++) {
    mlp_forward(net, w, z + 3 * r, 1, &scratch, &logit);
    loss += mlp_loss(logit, 1);
  }
  return loss;
}

/* One unit whose weight is 1, and 1 after it: the logit is tanh of the input. Rows together, and each alone. */
static void tanh_is_tanh(void **state) {
  (void)state;
  km_mlp_options o = km_mlp_defaults();
  o.hidden[0] = 1;
  mlp_network net;
  mlp_scratch scratch;
  mlp_shape(&net, 1, &o);
  const double w[4] = {1, 0, 1, 0};
  for (int i = -100000; i <= 100000; i++) {
    double step = 1e-7 * i * i * (i < 0 ? -1 : 1), z[MLP_ROWS] = {step, -step, step / 32, 40 * step}, logit[MLP_ROWS], alone;
    mlp_forward(&net, w, z, MLP_ROWS, &scratch, logit);
    for (size_t r = 0; r < MLP_ROWS; r++) {
      mlp_forward(&net, w, z + r, 1, &scratch, &alone);
      assert_true(alone == logit[r]);
      assert_true(fabs(logit[r] - tanh(z[r])) < 4e-16);
    }
  }
  const double odd[MLP_ROWS] = {NAN, INFINITY, -INFINITY, 0};
  double logit[MLP_ROWS];
  mlp_forward(&net, w, odd, MLP_ROWS, &scratch, logit);
  assert_true(isnan(logit[0]) && logit[1] == 1 && logit[2] == -1 && logit[3] == 0);
}

static void gradient_is_difference(void **state) {
  (void)state;
  for (int kind = 0; kind < 4; kind++) {
    km_mlp_options o = km_mlp_defaults();
    mlp_network net;
    mlp_scratch scratch;
    o.hidden[0] = 5;
    o.hidden[1] = kind & 1 ? 4 : 0;
    o.activation = kind & 2 ? KM_ACTIVATION_RELU : KM_ACTIVATION_TANH;
    mlp_shape(&net, 3, &o);
    /* three rows of y = 1 that differ, and one that adds nothing */
    double w[128], gradient[128] = {0}, logit[MLP_ROWS], slope[MLP_ROWS] = {0};
    double z[3 * MLP_ROWS] = {0.3, -1.2, 0.7, 1.1, 0.2, -0.4, -0.6, 25, -0.1};
    size_t n = net.at[net.n_layers];
    assert_true(n == (kind & 1 ? 20 + 24 + 5 : 20 + 6));
    for (size_t i = 0; i < n; i++)
      w[i] = km_random_unit(km_random(8, i, (uint64_t)kind, KM_PURPOSE_SAMPLE)) - 0.4;
    mlp_forward(&net, w, z, MLP_ROWS, &scratch, logit);
    for (size_t r = 0; r < 3; r++)
      slope[r] = 1 / (1 + exp(-logit[r])) - 1; /* of the loss for y = 1 */
    mlp_backward(&net, w, z, slope, &scratch, gradient);
    for (size_t i = 0; i < n; i++) {
      double h = 1e-6, kept = w[i];
      w[i] = kept + h;
      double up = loss_of_ones(&net, w, z);
      w[i] = kept - h;
      double down = loss_of_ones(&net, w, z);
      w[i] = kept;
      assert_true(fabs((up - down) / (2 * h) - gradient[i]) < 1e-8);
    }
  }
}

static void learns_xor_and_repeats(void **state) {
  (void)state;
  fill(&train, N_MAX, 1);
  fill(&valid, 500, 2);
  for (int layers = 1; layers <= 2; layers++) {
    km_mlp_options o = km_mlp_defaults();
    o.hidden[0] = 16;
    o.hidden[1] = layers == 2 ? 8 : 0;
    o.activation = layers == 2 ? KM_ACTIVATION_RELU : KM_ACTIVATION_TANH;
    o.rate = 0.02;
    o.batch = 64;
    o.max_epochs = 30;
    km_row_source t = source_of(&train), v = source_of(&valid);
    km_mlp *first, *second;
    km_mlp_report r1, r2;
    assert_int_equal(km_mlp_fit(&first, &t, &v, &o, &r1, NULL), KM_OK);
    assert_int_equal(km_mlp_fit(&second, &t, &v, &o, &r2, NULL), KM_OK);
    double right = 0;
    for (size_t i = 0; i < valid.n; i++) {
      double p = km_mlp_predict(first, valid.x + 2 * i);
      assert_true(p == km_mlp_predict(second, valid.x + 2 * i));
      right += (p > 0.5) == (valid.y[i] > 0);
    }
    assert_true(right > 0.95 * (double)valid.n);
    assert_true(r1.best_log_loss < 0.2 && r1.best_log_loss == r2.best_log_loss && r1.epochs == r2.epochs);
    km_mlp_free(second);
    o.seed = 99;
    assert_int_equal(km_mlp_fit(&second, &t, &v, &o, &r2, NULL), KM_OK);
    assert_true(r1.best_log_loss != r2.best_log_loss);
    km_mlp_free(first);
    km_mlp_free(second);
  }
}

/* Validation outcomes against the training's: the first epoch is the best, and patience ends the rest. */
static void stops_early(void **state) {
  (void)state;
  fill(&train, 1000, 3);
  fill(&valid, 300, 4);
  for (size_t i = 0; i < train.n; i++)
    train.y[i] = train.x[2 * i] > 100;
  for (size_t i = 0; i < valid.n; i++)
    valid.y[i] = valid.x[2 * i] < 100;
  km_mlp_options o = km_mlp_defaults();
  km_row_source t = source_of(&train), v = source_of(&valid);
  km_mlp *mlp;
  km_mlp_report r;
  o.rate = 0.01;
  o.patience = 3;
  assert_int_equal(km_mlp_fit(&mlp, &t, &v, &o, &r, NULL), KM_OK);
  assert_int_equal(r.best_epoch, 1);
  assert_int_equal(r.epochs, 4);
  km_mlp_free(mlp);
  o.max_epochs = 6;
  assert_int_equal(km_mlp_fit(&mlp, &t, NULL, &o, &r, NULL), KM_OK);
  assert_true(r.epochs == 6 && r.best_epoch == 6 && isnan(r.best_log_loss) && r.train_log_loss < 0.4);
  km_mlp_free(mlp);
}

static void refusals(void **state) {
  (void)state;
  fill(&train, 100, 3);
  km_row_source t = source_of(&train), none = t;
  none.n_blocks = 0;
  km_mlp_options o = km_mlp_defaults();
  km_mlp *mlp;
  km_mlp_report r;
  km_err err;
  assert_int_equal(km_mlp_fit(&mlp, &none, NULL, &o, &r, &err), KM_ERR_USAGE);
  assert_null(mlp);
  assert_int_equal(km_mlp_fit(&mlp, &t, &none, &o, &r, &err), KM_ERR_USAGE);
  o.hidden[0] = KM_MLP_HIDDEN_MAX + 1;
  assert_int_equal(km_mlp_fit(&mlp, &t, NULL, &o, &r, &err), KM_ERR_USAGE);
  o = km_mlp_defaults();
  o.rate = NAN;
  assert_int_equal(km_mlp_fit(&mlp, &t, NULL, &o, &r, &err), KM_ERR_USAGE);
  o = km_mlp_defaults();
  train.x[11] = INFINITY;
  assert_int_equal(km_mlp_fit(&mlp, &t, NULL, &o, &r, &err), KM_ERR_FORMAT);
  assert_int_equal(err.pos, 5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tanh_is_tanh), cmocka_unit_test(gradient_is_difference),
                                     cmocka_unit_test(learns_xor_and_repeats), cmocka_unit_test(stops_early),
                                     cmocka_unit_test(refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
