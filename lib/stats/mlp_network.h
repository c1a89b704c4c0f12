/* mlp_network.h (private): the network's shape, its output and the gradient of its loss.
 *
 * Layer l maps n[l] inputs to n[l+1] outputs. Its weights lie in one vector of all parameters from at[l] on:
 * n[l] rows of n[l+1] (all that leaves one input), then n[l+1] biases: the inner loops run over neighbours.
 *
 * Rows of observations are worked on MLP_ROWS at a time, so that a weight is read once for several of them. What
 * comes out for a row does not depend on its neighbours, nor on the processor (AVX2 is used where it is). */
#ifndef KM_MLP_NETWORK_H
#define KM_MLP_NETWORK_H

#include "kifumill/mlp.h"

enum { MLP_ROWS = 4 };

typedef struct mlp_network {
  size_t n_layers, n[4], at[4]; /* at[n_layers]: the number of parameters */
  km_activation activation;
} mlp_network;

void mlp_shape(mlp_network *net, size_t n_features, const km_mlp_options *options);

/* Activations of the hidden layers, and of their gradients on the way back: row after row, n[l+1] of each. */
typedef struct mlp_scratch {
  double unit[2][MLP_ROWS * KM_MLP_HIDDEN_MAX], slope[2][MLP_ROWS * KM_MLP_HIDDEN_MAX];
} mlp_scratch;

/* The logits of the output for n_rows (1 or MLP_ROWS) rows of n[0] inputs z. */
void mlp_forward(const mlp_network *net, const double *parameters, const double *z, size_t n_rows,
                 mlp_scratch *scratch, double *logit);
/* After mlp_forward of MLP_ROWS rows: gradient += the sum over them of d loss/d logit · d logit/d parameters. A row
 * with a slope of 0 and inputs of 0 adds nothing. */
void mlp_backward(const mlp_network *net, const double *parameters, const double *z,
                  const double loss_slope[MLP_ROWS], mlp_scratch *scratch, double *gradient);
/* −ln P(y) for a logit, without overflow. */
double mlp_loss(double logit, double y);

#endif
