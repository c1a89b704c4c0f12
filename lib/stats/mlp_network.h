/* mlp_network.h (private): the network's shape, its output and the gradient of its loss.
 *
 * Layer l maps n[l] inputs to n[l+1] outputs. Its weights lie in one vector of all parameters from at[l] on:
 * n[l] rows of n[l+1] (all that leaves one input), then n[l+1] biases: the inner loops run over neighbours.
 */
#ifndef KM_MLP_NETWORK_H
#define KM_MLP_NETWORK_H

#include "kifumill/mlp.h"

typedef struct mlp_network {
  size_t n_layers, n[4], at[4]; /* at[n_layers]: the number of parameters */
  km_activation activation;
} mlp_network;

void mlp_shape(mlp_network *net, size_t n_features, const km_mlp_options *options);

/* Activations of the hidden layers, and of their gradients on the way back. */
typedef struct mlp_scratch {
  double unit[2][KM_MLP_HIDDEN_MAX], slope[2][KM_MLP_HIDDEN_MAX];
} mlp_scratch;

/* The logit of the output for inputs z. */
double mlp_forward(const mlp_network *net, const double *parameters, const double *z, mlp_scratch *scratch);
/* After mlp_forward: gradient += d loss/d logit · d logit/d parameters. */
void mlp_backward(const mlp_network *net, const double *parameters, const double *z, double loss_slope,
                  mlp_scratch *scratch, double *gradient);
/* −ln P(y) for a logit, without overflow. */
double mlp_loss(double logit, double y);

#endif
