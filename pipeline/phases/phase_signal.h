/* phase_signal.h: the numeric series of a game that is cut. */
#ifndef KIFUMILL_PHASE_SIGNAL_H
#define KIFUMILL_PHASE_SIGNAL_H

#include "kifumill/changepoint.h"
#include "kifumill/hbs.h"
#include "kifumill/hbs_store.h"

typedef enum km_signal_kind {
  KM_SIGNAL_LOG2 = 0,
  KM_SIGNAL_LAYER,
  KM_SIGNAL_LAYERS,
  KM_SIGNAL_DELTA
} km_signal_kind;
typedef struct km_signal {
  km_signal_kind kind;
  unsigned side;              /* of KM_SIGNAL_LAYER */
  uint32_t window;            /* of KM_SIGNAL_DELTA */
  km_hbs_variant variant;     /* of the file */
  unsigned n_limbs, n_layers; /* of the file */
  int skip_empty;
} km_signal;

/* Reads "log2", "layer:15", "layers", "delta", "delta:20" (delta: 10). KM_ERR_USAGE. */
km_status km_signal_parse(km_signal *signal, const char *text, km_err *err);
static inline int km_signal_needs_layers(const km_signal *signal) {
  return signal->kind == KM_SIGNAL_LAYER || signal->kind == KM_SIGNAL_LAYERS;
}
/* Channels of a board of this size; 0: it has no such layer. */
size_t km_signal_channels(const km_signal *signal, unsigned size);
/* Fills out with channels × n values, channel after channel. With skip_empty, positions before the first
 * stone of the colour (S = 0) take the values of the first one with a stone: the logarithm's jump from
 * nothing would else be the greatest change of every game. Of KM_SIGNAL_LOG2 series->s may be NULL where
 * log2 is kept. */
void km_signal_fill(const km_signal *signal, unsigned size, const km_hbs_store_series *series, double *out);

#endif
