/* phase_mean.c: exact means as a series, and its changes. */
#include "phase_mean.h"

#include <stdlib.h>
#include <string.h>

void km_phase_mean_clear(km_phase_mean *mean) {
  free(mean->counts);
  free(mean->values);
  free(mean->breaks);
  *mean = (km_phase_mean){0};
}

/* Reads the channels up to where a tenth of the games still run. */
static km_status take_means(km_phase_mean *mean, const km_mean_curves *curves, unsigned size, km_err *err) {
  size_t length = km_mean_curves_length(curves, size);
  uint64_t n_games = km_mean_curves_games(curves, size);
  km_exact_sum *sums = malloc(length * sizeof *sums);
  mean->counts = malloc(length * sizeof *mean->counts);
  mean->values = malloc(length * mean->n_channels * sizeof *mean->values);
  if (!sums || !mean->counts || !mean->values) {
    free(sums);
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a mean of %zu places", length);
  }
  for (size_t c = 0; c < mean->n_channels; c++) {
    km_mean_curves_read(curves, size, c, KM_MEAN_DROP, sums);
    if (c == 0)
      while (mean->n < length && sums[mean->n].n * 10 >= n_games) {
        mean->counts[mean->n] = sums[mean->n].n;
        mean->n++;
      }
    for (size_t t = 0; t < mean->n; t++)
      mean->values[c * mean->n + t] = km_exact_sum_moments(&sums[t]).mean;
  }
  free(sums);
  return KM_OK;
}

km_status km_phase_mean_make(km_phase_mean *mean, const km_phase_shared *shared, const km_mean_curves *curves,
                             unsigned size, km_err *err) {
  *mean = (km_phase_mean){.n_channels = km_signal_channels(&shared->signal, size)};
  if (!km_mean_curves_games(curves, size))
    return KM_OK;
  km_changepoint *workspace = km_changepoint_new();
  km_changepoints cut;
  km_status status =
      workspace ? take_means(mean, curves, size, err) : km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  km_series series = {mean->values, mean->n, mean->n_channels};
  if (status == KM_OK)
    status = km_divide_series(workspace, &series, &shared->cut, &mean->three, &mean->has_three, err);
  if (status == KM_OK)
    status = km_changepoint_find(workspace, &series, &shared->cut, &cut, err);
  if (status == KM_OK && !(mean->breaks = malloc((cut.n_breaks + 1) * sizeof *mean->breaks)))
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory");
  if (status == KM_OK) {
    if (cut.n_breaks)
      memcpy(mean->breaks, cut.breaks, cut.n_breaks * sizeof *mean->breaks);
    mean->changes = (km_breaks){mean->breaks, cut.n_breaks};
  }
  km_changepoint_free(workspace);
  if (status != KM_OK)
    km_phase_mean_clear(mean);
  return status;
}
