/* mlp_network.c: forward and backward pass of one row. */
#include "mlp_network.h"

#include <math.h>
#include <string.h>

void mlp_shape(mlp_network *net, size_t n_features, const km_mlp_options *options) {
  *net = (mlp_network){.n_layers = options->hidden[1] ? 3 : 2, .activation = options->activation};
  net->n[0] = n_features;
  net->n[1] = options->hidden[0];
  net->n[2] = options->hidden[1] ? options->hidden[1] : 1;
  net->n[3] = 1;
  for (size_t l = 0; l < net->n_layers; l++)
    net->at[l + 1] = net->at[l] + (net->n[l] + 1) * net->n[l + 1];
}

double mlp_loss(double logit, double y) {
  double margin = y > 0 ? logit : -logit;
  return (margin < 0 ? -margin : 0) + log1p(exp(-fabs(margin)));
}

/* out = weights' · in + biases */
static void apply(const double *restrict weights, const double *restrict in, size_t n_in,
                  double *restrict out, size_t n_out) {
  memcpy(out, weights + n_in * n_out, n_out * sizeof *out);
  for (size_t i = 0; i < n_in; i++)
    for (size_t j = 0; j < n_out; j++)
      out[j] += in[i] * weights[i * n_out + j];
}

double mlp_forward(const mlp_network *net, const double *parameters, const double *z, mlp_scratch *scratch) {
  const double *in = z;
  size_t last = net->n_layers - 1;
  for (size_t l = 0; l < last; l++) {
    double *out = scratch->unit[l];
    apply(parameters + net->at[l], in, net->n[l], out, net->n[l + 1]);
    for (size_t j = 0; j < net->n[l + 1]; j++)
      out[j] = net->activation == KM_ACTIVATION_TANH ? tanh(out[j]) : out[j] > 0 ? out[j] : 0;
    in = out;
  }
  double logit;
  apply(parameters + net->at[last], in, net->n[last], &logit, 1);
  return logit;
}

/* The slopes of a layer's outputs known: adds to its gradient, and gives those of its inputs (NULL: not
 * wanted). */
static void layer_back(const double *restrict weights, const double *restrict in, size_t n_in,
                       const double *restrict slope, size_t n_out, double *restrict gradient,
                       double *restrict in_slope) {
  for (size_t i = 0; i < n_in; i++) {
    double sum = 0;
    for (size_t j = 0; j < n_out; j++) {
      gradient[i * n_out + j] += in[i] * slope[j];
      sum += weights[i * n_out + j] * slope[j];
    }
    if (in_slope)
      in_slope[i] = sum;
  }
  for (size_t j = 0; j < n_out; j++)
    gradient[n_in * n_out + j] += slope[j];
}

void mlp_backward(const mlp_network *net, const double *parameters, const double *z, double loss_slope,
                  mlp_scratch *scratch, double *gradient) {
  const double *slope = &loss_slope;
  for (size_t l = net->n_layers; l-- > 0;) {
    const double *in = l ? scratch->unit[l - 1] : z;
    double *in_slope = l ? scratch->slope[l - 1] : NULL;
    layer_back(parameters + net->at[l], in, net->n[l], slope, net->n[l + 1], gradient + net->at[l], in_slope);
    for (size_t i = 0; l && i < net->n[l]; i++) /* from the unit's output to its input */
      in_slope[i] *= net->activation == KM_ACTIVATION_TANH ? 1 - in[i] * in[i] : in[i] > 0;
    slope = in_slope;
  }
}
