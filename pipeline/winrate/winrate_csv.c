/* winrate_csv.c: winrate.csv, every figure on a line. Names hold no commas but that of an external's file, which is quoted. */
#include "winrate_write.h"

#include "kifumill/outfile.h"

#include <inttypes.h>
#include <math.h>

static km_status put_number(km_outfile *out, double x, km_err *err) {
  return isfinite(x) ? km_outfile_printf(out, err, ",%.10g", x) : km_outfile_write(out, ",", 1, err);
}

static km_status put_name(km_outfile *out, const char *name, km_err *err) {
  km_status status = km_outfile_write(out, "\"", 1, err);
  for (; *name && status == KM_OK; name++)
    status = km_outfile_printf(out, err, *name == '"' ? "\"\"" : "%c", *name);
  return status == KM_OK ? km_outfile_write(out, "\"", 1, err) : status;
}

static km_status put_line(km_outfile *out, const char *data, const km_wr_result *r, const char *minus, int metric,
                          const km_estimate *e, km_err *err) {
  static const char *const by[] = {"all", "phase", "ply"};
  char end[16] = "";
  if (r->range.end != UINT32_MAX)
    snprintf(end, sizeof end, "%" PRIu32, r->range.end);
  km_status status = put_name(out, data, err);
  if (status == KM_OK)
    status = km_outfile_printf(out, err, ",%s,%s,%s,%s,%" PRIu32 ",%s,%s", r->model->name, minus, by[r->by], r->bucket,
                               r->range.first, end, km_metric_name((km_metric)metric));
  if (status == KM_OK)
    status = put_number(out, e->value, err);
  if (status == KM_OK)
    status = put_number(out, e->low, err);
  if (status == KM_OK)
    status = put_number(out, e->high, err);
  if (status == KM_OK)
    status = km_outfile_printf(out, err, ",%zu,%.0f\n", r->score.n_games, r->score.n_positions);
  return status;
}

static km_status put_results(km_outfile *out, const char *data, const km_wr_results *results, km_err *err) {
  km_status status = KM_OK;
  for (size_t i = 0; i < results->n; i++) {
    const km_wr_result *r = &results->rows[i];
    for (int k = 0; k < KM_METRICS && status == KM_OK; k++)
      status = put_line(out, data, r, "", k, &r->score.metric[k], err);
    for (size_t m = 0; m < r->n_minus; m++)
      for (int k = 0; k < KM_METRICS && status == KM_OK; k++)
        status = put_line(out, data, r, r->minus[m].model->name, k, &r->minus[m].difference[k], err);
  }
  return status;
}

km_status km_wr_write_csv(const km_wr_findings *findings, const char *path, km_err *err) {
  static const char header[] = "data,model,minus,by,bucket,from,to,metric,value,low,high,games,positions\n";
  km_outfile *out;
  km_status status = km_outfile_open(&out, path, findings->data->options->run.force, err);
  if (status != KM_OK)
    return status;
  status = km_outfile_write(out, header, sizeof header - 1, err);
  if (status == KM_OK)
    status = put_results(out, "held-out", findings->results, err);
  for (size_t i = 0; i < KM_WR_EXTERNALS && status == KM_OK; i++)
    status = put_results(out, findings->data->external[i].name, &findings->external[i], err);
  if (status == KM_OK)
    return km_outfile_finish(out, err);
  km_outfile_abandon(out);
  return status;
}
