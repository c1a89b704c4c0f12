/* mlp.c: training: standardising, shuffling by hash, Adam, early stopping.
 *
 * An epoch goes through the blocks in a hashed order and through each block's rows in a hashed order;
 * mini-batches are cut from that stream, across blocks. */
#include "kifumill/mlp.h"

#include "kifumill/hash.h"
#include "kifumill/logistic.h"
#include "kifumill/summary.h"
#include "mlp_network.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct km_mlp {
  mlp_network net;
  double *mean, *inverse_sd; /* n[0] each */
  double *parameters;
  double memory[];
};

typedef struct training {
  km_mlp *mlp;
  const km_row_source *source;
  const km_mlp_options *options;
  double *gradient, *first, *second, *best; /* at[n_layers] each: Adam's moments, the best parameters */
  double *batch_z, *batch_y;
  size_t in_batch, n_parameters, step;
  double loss, n_rows;
  uint32_t *block_order, *row_order;
  size_t row_capacity;
  uint64_t epoch, draws;
  double *memory;
  mlp_scratch scratch;
} training;

km_mlp_options km_mlp_defaults(void) {
  return (km_mlp_options){.hidden = {32, 0},
                          .activation = KM_ACTIVATION_TANH,
                          .rate = 1e-3,
                          .decay = 1e-5,
                          .batch = 256,
                          .max_epochs = 50,
                          .patience = 5};
}

void km_mlp_free(km_mlp *mlp) {
  free(mlp);
}

static void standardise(const km_mlp *mlp, const double *x, double *z) {
  for (size_t j = 0; j < mlp->net.n[0]; j++)
    z[j] = (x[j] - mlp->mean[j]) * mlp->inverse_sd[j];
}

double km_mlp_predict(const km_mlp *mlp, const double *x) {
  double z[KM_MLP_FEATURES_MAX];
  mlp_scratch scratch;
  double logit;
  standardise(mlp, x, z);
  mlp_forward(&mlp->net, mlp->parameters, z, 1, &scratch, &logit);
  return km_sigmoid(logit);
}

/* Reading
 * -----------------------------------------------------------------------------------------------------------
 */

static km_status read_block(const km_row_source *source, size_t i, km_rows *rows, km_err *err) {
  km_status status = source->block(source->ctx, 0, i, rows, err);
  if (status == KM_OK)
    return KM_OK;
  return status < 0 ? status : km_err_set(err, KM_ERR_STATE, 0, "block %zu of the rows is missing", i);
}

/* Checks all rows, and finds mean and deviation of the columns. */
static km_status scan_columns(km_mlp *mlp, const km_row_source *source, km_err *err) {
  size_t k = source->n_features;
  double n_rows = 0;
  km_moments *m = calloc(k + 1, sizeof *m);
  if (!m)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for %zu columns", k);
  km_status status = KM_OK;
  for (size_t b = 0; b < source->n_blocks && status == KM_OK; b++) {
    km_rows rows;
    if ((status = read_block(source, b, &rows, err)) != KM_OK ||
        (status = km_rows_check(&rows, k, err)) != KM_OK)
      break;
    for (size_t i = 0; i < rows.n; i++)
      for (size_t j = 0; j < k; j++)
        km_moments_add(&m[j], rows.x[i * k + j]);
    n_rows += (double)rows.n;
  }
  for (size_t j = 0; j < k; j++) {
    double sd = n_rows > 0 ? sqrt(m[j].m2 / n_rows) : 0;
    mlp->mean[j] = m[j].mean;
    mlp->inverse_sd[j] = sd > 1e-12 * fabs(m[j].mean) ? 1 / sd : 0; /* a constant column says nothing */
  }
  free(m);
  if (status == KM_OK && n_rows == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "a network cannot be trained on no rows");
  return status;
}

/* Sum of the log-losses of a block's rows. */
static double block_loss(const km_mlp *mlp, const km_rows *rows) {
  double z[MLP_ROWS * KM_MLP_FEATURES_MAX] = {0}, logit[MLP_ROWS], total = 0; /* rows of z beyond the last are not used */
  size_t k = rows->n_features;
  mlp_scratch scratch;
  for (size_t i = 0; i < rows->n; i += MLP_ROWS) {
    size_t n = rows->n - i < MLP_ROWS ? rows->n - i : MLP_ROWS;
    for (size_t r = 0; r < n; r++)
      standardise(mlp, rows->x + (i + r) * k, z + r * k);
    mlp_forward(&mlp->net, mlp->parameters, z, MLP_ROWS, &scratch, logit);
    for (size_t r = 0; r < n; r++)
      total += mlp_loss(logit[r], rows->y[i + r]);
  }
  return total;
}

/* Mean log-loss over a source. */
static km_status log_loss(const km_mlp *mlp, const km_row_source *source, double *loss, km_err *err) {
  double total = 0, n_rows = 0;
  *loss = NAN;
  for (size_t b = 0; b < source->n_blocks; b++) {
    km_rows rows;
    km_status status = read_block(source, b, &rows, err);
    if (status != KM_OK || (status = km_rows_check(&rows, mlp->net.n[0], err)) != KM_OK)
      return status;
    total += block_loss(mlp, &rows);
    n_rows += (double)rows.n;
  }
  if (n_rows == 0)
    return km_err_set(err, KM_ERR_USAGE, 0, "the validation set has no rows; give none, or some");
  *loss = total / n_rows;
  return KM_OK;
}

/* Learning
 * ----------------------------------------------------------------------------------------------------------
 */

static uint64_t draw(training *t) {
  return km_random(t->options->seed, t->epoch, t->draws++, KM_PURPOSE_MODEL);
}

static void shuffled_order(training *t, uint32_t *order, size_t n) {
  for (size_t i = 0; i < n; i++) {
    size_t j = (size_t)km_random_below(draw(t), i + 1);
    order[i] = order[j];
    order[j] = (uint32_t)i;
  }
}

/* Uniform weights with the spread of Glorot (tanh) or He (relu); biases 0. */
static void first_weights(training *t) {
  const mlp_network *net = &t->mlp->net;
  for (size_t l = 0; l < net->n_layers; l++) {
    double fan = (double)(net->activation == KM_ACTIVATION_TANH ? net->n[l] + net->n[l + 1] : net->n[l]);
    double limit = sqrt(6 / (fan > 0 ? fan : 1));
    for (size_t w = 0; w < net->n[l] * net->n[l + 1]; w++)
      t->mlp->parameters[net->at[l] + w] = limit * (2 * km_random_unit(draw(t)) - 1);
  }
}

static void adam_step(training *t) {
  const double decay1 = 0.9, decay2 = 0.999, tiny = 1e-8;
  double *parameters = t->mlp->parameters, n = (double)t->in_batch;
  t->step++;
  double correct1 = 1 - pow(decay1, (double)t->step), correct2 = 1 - pow(decay2, (double)t->step);
  for (size_t i = 0; i < t->n_parameters; i++) {
    double g = t->gradient[i] / n;
    t->first[i] = decay1 * t->first[i] + (1 - decay1) * g;
    t->second[i] = decay2 * t->second[i] + (1 - decay2) * g * g;
    parameters[i] -= t->options->rate * (t->first[i] / correct1) / (sqrt(t->second[i] / correct2) + tiny);
  }
}

/* The gradient of decay/2 · Σ weight², once a row. */
static void add_decay(training *t) {
  const mlp_network *net = &t->mlp->net;
  for (size_t l = 0; l < net->n_layers; l++)
    for (size_t w = net->at[l]; w < net->at[l] + net->n[l] * net->n[l + 1]; w++)
      t->gradient[w] += t->options->decay * (double)t->in_batch * t->mlp->parameters[w];
}

static void learn_batch(training *t) {
  const mlp_network *net = &t->mlp->net;
  if (t->in_batch == 0)
    return;
  memset(t->gradient, 0, t->n_parameters * sizeof *t->gradient);
  size_t n_whole = (t->in_batch + MLP_ROWS - 1) / MLP_ROWS * MLP_ROWS;
  memset(t->batch_z + t->in_batch * net->n[0], 0, (n_whole - t->in_batch) * net->n[0] * sizeof *t->batch_z);
  for (size_t i = 0; i < t->in_batch; i += MLP_ROWS) {
    const double *z = t->batch_z + i * net->n[0];
    double logit[MLP_ROWS], slope[MLP_ROWS] = {0};
    mlp_forward(net, t->mlp->parameters, z, MLP_ROWS, &t->scratch, logit);
    for (size_t r = 0; r < MLP_ROWS && i + r < t->in_batch; r++) {
      t->loss += mlp_loss(logit[r], t->batch_y[i + r]);
      slope[r] = km_sigmoid(logit[r]) - t->batch_y[i + r];
    }
    mlp_backward(net, t->mlp->parameters, z, slope, &t->scratch, t->gradient);
  }
  add_decay(t);
  adam_step(t);
  t->n_rows += (double)t->in_batch;
  t->in_batch = 0;
}

static km_status learn_block(training *t, size_t block, km_err *err) {
  km_rows rows;
  km_status status = read_block(t->source, block, &rows, err);
  if (status != KM_OK)
    return status;
  if (rows.n > t->row_capacity) {
    uint32_t *more = rows.n > UINT32_MAX ? NULL : realloc(t->row_order, rows.n * sizeof *more);
    if (!more)
      return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to shuffle a block of %zu rows", rows.n);
    t->row_order = more;
    t->row_capacity = rows.n;
  }
  shuffled_order(t, t->row_order, rows.n);
  for (size_t i = 0; i < rows.n; i++) {
    size_t row = t->row_order[i];
    standardise(t->mlp, rows.x + row * rows.n_features, t->batch_z + t->in_batch * rows.n_features);
    t->batch_y[t->in_batch++] = rows.y[row];
    if (t->in_batch == t->options->batch)
      learn_batch(t);
  }
  return KM_OK;
}

static km_status learn_epoch(training *t, km_err *err) {
  t->loss = t->n_rows = 0;
  t->draws = 0;
  shuffled_order(t, t->block_order, t->source->n_blocks);
  for (size_t b = 0; b < t->source->n_blocks; b++) {
    km_status status = learn_block(t, t->block_order[b], err);
    if (status != KM_OK)
      return status;
  }
  learn_batch(t);
  for (size_t i = 0; i < t->n_parameters; i++)
    if (!isfinite(t->mlp->parameters[i]))
      return km_err_set(err, KM_ERR_STATE, 0,
                        "the network's weights left the numbers: the rate %g is too large", t->options->rate);
  return KM_OK;
}

static km_status learn(training *t, const km_row_source *valid, km_mlp_report *report, km_err *err) {
  size_t bytes = t->n_parameters * sizeof *t->best;
  *report = (km_mlp_report){.best_log_loss = NAN};
  first_weights(t);
  for (t->epoch = 1; t->epoch <= t->options->max_epochs; t->epoch++) {
    km_status status = learn_epoch(t, err);
    if (status != KM_OK)
      return status;
    report->epochs = (size_t)t->epoch;
    report->train_log_loss = t->loss / t->n_rows;
    if (!valid) {
      report->best_epoch = report->epochs;
      continue;
    }
    double loss;
    if ((status = log_loss(t->mlp, valid, &loss, err)) != KM_OK)
      return status;
    if (!(report->best_log_loss <= loss)) {
      report->best_log_loss = loss;
      report->best_epoch = report->epochs;
      memcpy(t->best, t->mlp->parameters, bytes);
    } else if (report->epochs - report->best_epoch >= t->options->patience) {
      break;
    }
  }
  if (valid)
    memcpy(t->mlp->parameters, t->best, bytes);
  return KM_OK;
}

/* Setting up
 * -------------------------------------------------------------------------------------------------------- */

static km_status check_options(const km_row_source *train, const km_row_source *valid,
                               const km_mlp_options *o, km_err *err) {
  if (train->n_features < 1 || train->n_features > KM_MLP_FEATURES_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "a network takes 1 to %d features, not %zu", KM_MLP_FEATURES_MAX,
                      train->n_features);
  if (valid && valid->n_features != train->n_features)
    return km_err_set(err, KM_ERR_USAGE, 0, "the validation set has %zu features, the training set %zu",
                      valid->n_features, train->n_features);
  if (o->hidden[0] < 1 || o->hidden[0] > KM_MLP_HIDDEN_MAX || o->hidden[1] > KM_MLP_HIDDEN_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0, "a hidden layer has 1 to %d units, not %zu and %zu",
                      KM_MLP_HIDDEN_MAX, o->hidden[0], o->hidden[1]);
  if (!(o->rate > 0 && o->rate <= 1) || !(o->decay >= 0 && isfinite(o->decay)))
    return km_err_set(err, KM_ERR_USAGE, 0, "rate %g or decay %g of a network is out of bounds", o->rate,
                      o->decay);
  if (o->batch < 1 || o->batch > 1 << 20 || o->max_epochs < 1 || train->n_blocks > UINT32_MAX)
    return km_err_set(err, KM_ERR_USAGE, 0,
                      "batch %zu, epochs %zu or blocks %zu of a network are out of bounds", o->batch,
                      o->max_epochs, train->n_blocks);
  return KM_OK;
}

static km_mlp *new_mlp(const mlp_network *net) {
  size_t k = net->n[0], n_parameters = net->at[net->n_layers];
  km_mlp *mlp = calloc(1, sizeof *mlp + (2 * k + n_parameters) * sizeof(double));
  if (!mlp)
    return NULL;
  mlp->net = *net;
  mlp->mean = mlp->memory;
  mlp->inverse_sd = mlp->mean + k;
  mlp->parameters = mlp->inverse_sd + k;
  return mlp;
}

static km_status prepare(training *t, km_err *err) {
  size_t n = t->n_parameters, k = t->mlp->net.n[0], batch = t->options->batch + MLP_ROWS - 1;
  t->memory = calloc(4 * n + batch * (k + 1), sizeof *t->memory);
  t->block_order = calloc(t->source->n_blocks + 1, sizeof *t->block_order);
  if (!t->memory || !t->block_order)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory to train a network of %zu parameters", n);
  t->gradient = t->memory;
  t->first = t->gradient + n;
  t->second = t->first + n;
  t->best = t->second + n;
  t->batch_z = t->best + n;
  t->batch_y = t->batch_z + batch * k;
  return KM_OK;
}

km_status km_mlp_fit(km_mlp **out, const km_row_source *train, const km_row_source *valid,
                     const km_mlp_options *options, km_mlp_report *report, km_err *err) {
  *out = NULL;
  km_status status = check_options(train, valid, options, err);
  if (status != KM_OK)
    return status;
  mlp_network net;
  mlp_shape(&net, train->n_features, options);
  training t = {.source = train, .options = options, .n_parameters = net.at[net.n_layers]};
  t.mlp = new_mlp(&net);
  if (!t.mlp)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for a network of %zu parameters", t.n_parameters);
  status = prepare(&t, err);
  if (status == KM_OK)
    status = scan_columns(t.mlp, train, err);
  if (status == KM_OK)
    status = learn(&t, valid, report, err);
  free(t.memory);
  free(t.block_order);
  free(t.row_order);
  if (status == KM_OK)
    *out = t.mlp;
  else
    km_mlp_free(t.mlp);
  return status;
}
