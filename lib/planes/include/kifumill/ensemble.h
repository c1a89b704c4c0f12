/* ensemble.h: what an evaluator says of a position, averaged over the symmetries of the board.
 *
 * The evaluator (a network, as a callback) sees the position turned in each of the 8 ways (4 on a rectangle);
 * its policies are turned back and averaged, its values averaged. However lopsided the evaluator, the average
 * commutes with every symmetry: the ensemble of the turned position is the turned ensemble. */
#ifndef KIFUMILL_ENSEMBLE_H
#define KIFUMILL_ENSEMBLE_H

#include "kifumill/encoder.h"

/* Judges n_rows rows (n_rows × row_bytes): fills policies (n_rows × (rows·cols+1), pass last) and values
 * (n_rows). What it returns other than KM_OK ends the call. */
typedef km_status km_evaluator(void *context, size_t n_rows, const uint8_t *planes, float *policies,
                               float *values, km_err *err);

typedef struct km_ensemble km_ensemble;

/* encoder is borrowed; the symmetries it was made for are those averaged over (0xff: all that fit).
 * KM_ERR_NOMEM. */
km_status km_ensemble_new(km_ensemble **ensemble, km_plane_encoder *encoder, km_evaluator *evaluator,
                          void *context, km_err *err);
void km_ensemble_free(km_ensemble *ensemble); /* NULL is fine */

/* The present position of the encoder, which follows board: policy (rows·cols+1) and value, averaged. */
km_status km_symmetry_ensemble(km_ensemble *ensemble, const km_board *board, uint8_t to_play, float *policy,
                               float *value, km_err *err);

#endif
