/* winrate_write.h: the outputs, as winrate_stage.h describes them. */
#ifndef KIFUMILL_WINRATE_WRITE_H
#define KIFUMILL_WINRATE_WRITE_H

#include "json_out.h"
#include "winrate_data.h"
#include "winrate_figures.h"

/* All that was found. external[i]: of external i, empty if it has no positions held back. */
typedef struct km_wr_findings {
  const km_wr_data *data;
  const km_wr_model *models;
  size_t n_models;
  const km_wr_results *results, *external;
} km_wr_findings;

km_status km_wr_write_winrate(const km_wr_findings *findings, const char *path, km_err *err);
km_status km_wr_write_csv(const km_wr_findings *findings, const char *path, km_err *err);
/* Makes the tests and the map too. */
km_status km_wr_write_styles(const km_wr_data *data, const char *path, km_err *err);

/* Shared by the writers: format, version, generator, command, config, seed, input_digest; and the end. */
void km_wr_put_head(km_json *json, const km_wr_data *data, const char *format);
km_status km_wr_finish_json(km_json *json, const char *path, int force, km_err *err);

#endif
