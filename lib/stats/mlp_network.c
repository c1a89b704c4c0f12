/* mlp_network.c: forward and backward pass of a few rows. */
#include "mlp_network.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

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

/* A few neighbouring doubles (one register, or two without AVX2), wherever they lie. */
typedef double pack __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t bits __attribute__((vector_size(32), aligned(8), may_alias));
enum { PACK = 4, TILE = 2 * PACK, WIDE_PACKS = 8 /* of one row: as many sums as several rows have */ };
#define AT(from) (*(const pack *)(from))

/* x = tanh(x) = (1 − e)/(1 + e) with e = exp(−2|x|), to 4e-16. −2|x| = n·ln 2 + r; exp(r) is Taylor's polynomial
 * (|r| ≤ 0.35: the first term left out is below 2e-16); n, which adding 1.5·2^52 leaves in the low bits, goes into the
 * exponent. */
ALWAYS_INLINE void tanh_pack(pack *x) {
  const double round = 0x1.8p52, log2_e = 0x1.71547652b82fep0, ln2_high = 0x1.62e42fee00000p-1,
               ln2_low = 0x1.a39ef35793c76p-33;
  const uint64_t sign_bit = (uint64_t)1 << 63;
  bits sign = (bits)*x & sign_bit;
  pack a = (pack)((bits)*x ^ sign), twenty = {20, 20, 20, 20};
  bits large = (bits)(a > twenty); /* there the result is 1 */
  a = (pack)(((bits)twenty & large) | ((bits)a & ~large));
  pack shifted = -2 * a * log2_e + round, n = shifted - round;
  pack r = (-2 * a - n * ln2_high) - n * ln2_low, r2 = r * r, r4 = r2 * r2;
  pack low = (1 + r) + r2 * (1.0 / 2 + r * (1.0 / 6));
  pack middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  pack high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  pack e = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479001600)));
  e = (pack)((bits)e + ((bits)shifted << 52));
  *x = (pack)((bits)((1 - e) / (1 + e)) | sign);
}

ALWAYS_INLINE void tanh_all(double *x, size_t n) {
  size_t j = 0;
  for (; j + PACK <= n; j += PACK)
    tanh_pack((pack *)(x + j));
  if (j < n) {
    double last[PACK] = {0};
    memcpy(last, x + j, (n - j) * sizeof *x);
    tanh_pack((pack *)last);
    memcpy(x + j, last, (n - j) * sizeof *x);
  }
}

/* Shape of the layer that is applied. */
typedef struct layer_shape {
  size_t n_in, n_out, n_rows;
} layer_shape;

/* n_packs packs of outputs from j on, of each row: the sums stay in registers. */
ALWAYS_INLINE void apply_tile(const double *restrict weights, const double *restrict in, double *restrict out,
                              layer_shape s, size_t j, size_t n_packs) {
  pack sum[MLP_ROWS][WIDE_PACKS];
  const double *at = weights + j;
  for (size_t r = 0; r < s.n_rows; r++)
    for (size_t k = 0; k < n_packs; k++)
      sum[r][k] = AT(at + s.n_in * s.n_out + k * PACK);
  for (size_t i = 0; i < s.n_in; i++, at += s.n_out)
    for (size_t r = 0; r < s.n_rows; r++)
      for (size_t k = 0; k < n_packs; k++)
        sum[r][k] += in[r * s.n_in + i] * AT(at + k * PACK);
  for (size_t r = 0; r < s.n_rows; r++)
    memcpy(out + r * s.n_out + j, sum[r], n_packs * sizeof(pack));
}

/* out = weights' · in + biases, for each row */
ALWAYS_INLINE void apply(const double *restrict weights, const double *restrict in, size_t n_in, size_t n_rows,
                         double *restrict out, size_t n_out) {
  layer_shape shape = {n_in, n_out, n_rows};
  size_t j = 0;
  for (; n_rows == 1 && j + WIDE_PACKS * PACK <= n_out; j += WIDE_PACKS * PACK)
    apply_tile(weights, in, out, shape, j, WIDE_PACKS);
  for (; j + TILE <= n_out; j += TILE)
    apply_tile(weights, in, out, shape, j, 2);
  for (; j < n_out; j++)
    for (size_t r = 0; r < n_rows; r++) {
      double sum = weights[n_in * n_out + j];
      for (size_t i = 0; i < n_in; i++)
        sum += in[r * n_in + i] * weights[i * n_out + j];
      out[r * n_out + j] = sum;
    }
}

ALWAYS_INLINE void forward(const mlp_network *net, const double *parameters, const double *z, size_t n_rows,
                           mlp_scratch *scratch, double *logit) {
  const double *in = z;
  size_t last = net->n_layers - 1;
  for (size_t l = 0; l < last; l++) {
    double *out = scratch->unit[l];
    size_t n = n_rows * net->n[l + 1];
    apply(parameters + net->at[l], in, net->n[l], n_rows, out, net->n[l + 1]);
    if (net->activation == KM_ACTIVATION_TANH)
      tanh_all(out, n);
    else
      for (size_t j = 0; j < n; j++)
        out[j] = out[j] > 0 ? out[j] : 0;
    in = out;
  }
  apply(parameters + net->at[last], in, net->n[last], n_rows, logit, 1);
}

/* Adds to columns j…j+7 of a layer's gradient. */
ALWAYS_INLINE void add_tile(const double *restrict in, size_t n_in, const double *restrict slope, size_t n_out,
                            double *restrict gradient, size_t j) {
  pack s[MLP_ROWS][2];
  for (size_t r = 0; r < MLP_ROWS; r++)
    memcpy(s[r], slope + r * n_out + j, sizeof s[r]);
  for (size_t i = 0; i <= n_in; i++) { /* the last are the biases */
    double a[MLP_ROWS];
    for (size_t r = 0; r < MLP_ROWS; r++)
      a[r] = i < n_in ? in[r * n_in + i] : 1;
    pack *to = (pack *)(gradient + i * n_out + j);
    for (size_t k = 0; k < 2; k++)
      to[k] += (a[0] * s[0][k] + a[1] * s[1][k]) + (a[2] * s[2][k] + a[3] * s[3][k]);
  }
}

/* The slopes of a layer's outputs known: adds to its gradient. */
ALWAYS_INLINE void add_gradient(const double *restrict in, size_t n_in, const double *restrict slope, size_t n_out,
                                double *restrict gradient) {
  size_t j = 0;
  for (; j + TILE <= n_out; j += TILE)
    add_tile(in, n_in, slope, n_out, gradient, j);
  for (; j < n_out; j++) {
    double s[MLP_ROWS];
    for (size_t r = 0; r < MLP_ROWS; r++)
      s[r] = slope[r * n_out + j];
    for (size_t i = 0; i < n_in; i++)
      gradient[i * n_out + j] += (in[i] * s[0] + in[n_in + i] * s[1]) + (in[2 * n_in + i] * s[2] + in[3 * n_in + i] * s[3]);
    gradient[n_in * n_out + j] += (s[0] + s[1]) + (s[2] + s[3]);
  }
}

/* The slopes of a hidden layer's units, before their activation, from those of the layer behind. */
ALWAYS_INLINE void slopes_back(const mlp_network *net, const double *restrict weights, const double *restrict unit,
                               size_t n_in, const double *restrict slope, size_t n_out, double *restrict in_slope) {
  for (size_t r = 0; r < MLP_ROWS; r++) {
    double *to = in_slope + r * n_in;
    const double *u = unit + r * n_in;
    for (size_t i = 0; i < n_in; i++)
      to[i] = weights[i * n_out] * slope[r * n_out];
    for (size_t j = 1; j < n_out; j++)
      for (size_t i = 0; i < n_in; i++)
        to[i] += weights[i * n_out + j] * slope[r * n_out + j];
    if (net->activation == KM_ACTIVATION_TANH)
      for (size_t i = 0; i < n_in; i++)
        to[i] *= 1 - u[i] * u[i];
    else
      for (size_t i = 0; i < n_in; i++)
        to[i] = u[i] > 0 ? to[i] : 0;
  }
}

ALWAYS_INLINE void backward(const mlp_network *net, const double *parameters, const double *z,
                            const double *loss_slope, mlp_scratch *scratch, double *gradient) {
  const double *slope = loss_slope;
  for (size_t l = net->n_layers; l-- > 0;) {
    const double *in = l ? scratch->unit[l - 1] : z;
    add_gradient(in, net->n[l], slope, net->n[l + 1], gradient + net->at[l]);
    if (l)
      slopes_back(net, parameters + net->at[l], in, net->n[l], slope, net->n[l + 1], scratch->slope[l - 1]);
    slope = l ? scratch->slope[l - 1] : NULL;
  }
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))
AVX2 static void forward1_avx2(const mlp_network *net, const double *p, const double *z, mlp_scratch *s, double *logit) {
  forward(net, p, z, 1, s, logit);
}
AVX2 static void forward4_avx2(const mlp_network *net, const double *p, const double *z, mlp_scratch *s, double *logit) {
  forward(net, p, z, MLP_ROWS, s, logit);
}
AVX2 static void backward_avx2(const mlp_network *net, const double *p, const double *z, const double *loss_slope,
                               mlp_scratch *s, double *gradient) {
  backward(net, p, z, loss_slope, s, gradient);
}
#endif

void mlp_forward(const mlp_network *net, const double *parameters, const double *z, size_t n_rows,
                 mlp_scratch *scratch, double *logit) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    (n_rows == 1 ? forward1_avx2 : forward4_avx2)(net, parameters, z, scratch, logit);
    return;
  }
#endif
  if (n_rows == 1)
    forward(net, parameters, z, 1, scratch, logit);
  else
    forward(net, parameters, z, MLP_ROWS, scratch, logit);
}

void mlp_backward(const mlp_network *net, const double *parameters, const double *z,
                  const double loss_slope[MLP_ROWS], mlp_scratch *scratch, double *gradient) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) {
    backward_avx2(net, parameters, z, loss_slope, scratch, gradient);
    return;
  }
#endif
  backward(net, parameters, z, loss_slope, scratch, gradient);
}
