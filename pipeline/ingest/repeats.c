/* repeats.c: memory of the positions. */
#include "repeats.h"

#include <stdlib.h>
#include <string.h>

void km_repeats_clear(km_repeats *repeats) {
  free(repeats->positions);
  repeats->positions = NULL;
  repeats->room = 0;
}

km_status km_repeats_begin(km_repeats *repeats, unsigned n_points, uint32_t n_moves, km_err *err) {
  if (n_moves >= repeats->room) {
    uint32_t room = n_moves < 1024 ? 1024 : n_moves + 1;
    free(repeats->positions);
    repeats->positions = malloc(room * sizeof *repeats->positions);
    repeats->room = repeats->positions ? room : 0;
    if (!repeats->positions)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a game of %u moves", n_moves);
  }
  repeats->n = 0;
  memset(repeats->newest, 0, (n_points + 1) * sizeof *repeats->newest);
  return KM_OK;
}
