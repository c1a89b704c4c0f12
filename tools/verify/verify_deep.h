/* verify_deep.h: a game of games.h5, replayed as the stages do it. */
#ifndef KIFUMILL_VERIFY_DEEP_H
#define KIFUMILL_VERIFY_DEEP_H

#include "verify.h"

#include "kifumill/replay.h"

/* Draws number i of n for --sample: 0 … n-1, spread by the seed; the first is 0, the second n-1. */
uint64_t verify_draw(const verify_session *session, uint64_t i, uint64_t n);
/* How many to draw of n. */
static inline uint64_t verify_n_drawn(const verify_session *session, uint64_t n) {
  uint64_t sample = (uint64_t)session->options->sample;
  return n < sample ? n : sample;
}

#endif
