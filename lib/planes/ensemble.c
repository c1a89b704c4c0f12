/* ensemble.c: see ensemble.h. Sums are kept in double, in which those of eight floats are as good as exact,
 * so that the order of the symmetries does not show. */
#include "kifumill/ensemble.h"

#include <stdlib.h>

struct km_ensemble {
  km_plane_encoder *encoder;
  km_evaluator *evaluator;
  void *context;
  size_t n_points, n_rows;
  int symmetry[KM_SYMMETRIES]; /* of each row */
  uint16_t *map;               /* n_rows × (n_points+1): where a point goes */
  uint8_t *planes;
  float *policies, *values;
};

km_status km_ensemble_new(km_ensemble **ensemble, km_plane_encoder *encoder, km_evaluator *evaluator,
                          void *context, km_err *err) {
  *ensemble = NULL;
  km_ensemble *made = calloc(1, sizeof *made);
  if (made == NULL)
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for an ensemble");
  const km_plane_options *options = km_plane_encoder_options(encoder);
  made->encoder = encoder;
  made->evaluator = evaluator;
  made->context = context;
  made->n_points = (size_t)options->rows * options->cols;
  for (int k = 0; k < KM_SYMMETRIES; ++k)
    if ((options->symmetries >> k & 1) != 0)
      made->symmetry[made->n_rows++] = k;
  size_t stride = made->n_points + 1;
  made->map = malloc(made->n_rows * stride * sizeof *made->map);
  made->planes = malloc(made->n_rows * km_plane_encoder_row_bytes(encoder));
  made->policies = malloc(made->n_rows * stride * sizeof *made->policies);
  made->values = malloc(made->n_rows * sizeof *made->values);
  if (made->map == NULL || made->planes == NULL || made->policies == NULL || made->values == NULL) {
    km_ensemble_free(made);
    return km_err_set(err, KM_ERR_NOMEM, 0, "no memory for an ensemble");
  }
  for (size_t i = 0; i < made->n_rows; ++i)
    km_symmetry_map(made->symmetry[i], options->rows, options->cols, made->map + i * stride);
  *ensemble = made;
  return KM_OK;
}

void km_ensemble_free(km_ensemble *ensemble) {
  if (ensemble == NULL)
    return;
  free(ensemble->values);
  free(ensemble->policies);
  free(ensemble->planes);
  free(ensemble->map);
  free(ensemble);
}

km_status km_symmetry_ensemble(km_ensemble *ensemble, const km_board *board, uint8_t to_play, float *policy,
                               float *value, km_err *err) {
  size_t row_bytes = km_plane_encoder_row_bytes(ensemble->encoder), stride = ensemble->n_points + 1;
  for (size_t i = 0; i < ensemble->n_rows; ++i)
    km_plane_encoder_encode(ensemble->encoder, board, to_play, ensemble->symmetry[i],
                            ensemble->planes + i * row_bytes);
  km_status status = ensemble->evaluator(ensemble->context, ensemble->n_rows, ensemble->planes,
                                         ensemble->policies, ensemble->values, err);
  if (status != KM_OK)
    return status;
  double value_sum = 0;
  for (size_t i = 0; i < ensemble->n_rows; ++i)
    value_sum += (double)ensemble->values[i];
  *value = (float)(value_sum / (double)ensemble->n_rows);
  for (size_t p = 0; p < stride; ++p) {
    double sum = 0;
    for (size_t i = 0; i < ensemble->n_rows; ++i)
      sum += (double)ensemble->policies[i * stride + ensemble->map[i * stride + p]];
    policy[p] = (float)(sum / (double)ensemble->n_rows);
  }
  return KM_OK;
}
