/* hbs_lines.c: lines are listed in one thread, and read by all. */
#include "hbs_lines.h"

#include "kifumill/batch.h"

#include <stdlib.h>
#include <string.h>

km_status km_curve_name(const km_curve *curve, const km_games *games, char name[KM_STRATUM_NAME],
                        km_err *err) {
  const km_curve_plan *plan = curve->set->plan;
  if (curve->by != KM_BY_RESULT)
    return km_strata_name(plan->strata, (km_strata_of){curve->by, plan->size, plan->colour},
                          (unsigned)curve->stratum, games, name, err);
  strcpy(name, km_result_name((unsigned)curve->stratum));
  return KM_OK;
}

km_status km_mean_line_sums(const km_exact_sum **sums, km_sums_room *room, const km_mean_line *line,
                            km_mean_ends ends, km_err *err) {
  size_t length = km_mean_curves_length(line->curve.curves, line->curve.stratum);
  if (length > room->capacity) {
    free(room->sums);
    room->sums = malloc(length * sizeof *room->sums);
    room->capacity = room->sums ? length : 0;
  }
  if (!room->sums)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", length);
  km_mean_curves_read(line->curve.curves, line->curve.stratum, line->number, ends, room->sums);
  *sums = room->sums + line->channel.first_place;
  return KM_OK;
}

/* ---- listing
 * ----------------------------------------------------------------------------------------------------- */

/* Room for one curve more, and its channels. */
static km_status make_room(km_mean_lines *lines, size_t *room, km_err *err) {
  if (lines->n_lines + KM_MEAN_CHANNELS_MAX > *room) {
    size_t more = 2 * *room + KM_MEAN_CHANNELS_MAX;
    km_mean_line *larger = realloc(lines->lines, more * sizeof *larger);
    if (!larger)
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
    lines->lines = larger;
    *room = more;
  }
  size_t *curves = realloc(lines->curves, (lines->n_curves + 2) * sizeof *curves);
  if (!curves)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  lines->curves = curves;
  return KM_OK;
}

/* The lines of a curve, without what is in them. */
static void list_curve(km_mean_lines *lines, const km_curve *curve) {
  km_channel channels[KM_MEAN_CHANNELS_MAX];
  size_t n = km_curve_channels(curve->set->plan, curve->by, curve->by_fraction, channels);
  size_t length = km_mean_curves_length(curve->curves, curve->stratum);
  lines->curves[lines->n_curves++] = lines->n_lines;
  for (size_t i = 0; i < n; i++) {
    km_mean_line *line = &lines->lines[lines->n_lines++];
    size_t skip = channels[i].first_place;
    *line = (km_mean_line){.curve = *curve,
                           .channel = channels[i],
                           .number = i,
                           .n = length > skip ? length - skip : 0,
                           .first_row = lines->n_rows};
    lines->n_rows += line->n;
  }
  lines->curves[lines->n_curves] = lines->n_lines;
}

/* ---- reading
 * ----------------------------------------------------------------------------------------------------- */

typedef struct reading {
  km_mean_lines *lines;
  const km_hbs_means *means;
  km_sums_room *rooms; /* of threads */
} reading;

static km_status read_quartiles(km_mean_line *line, km_err *err) {
  static const uint32_t nums[3] = {1, 2, 3};
  size_t length = km_mean_curves_length(line->curve.curves, line->curve.stratum);
  for (int i = 0; i < 3; i++)
    if (!(line->quartiles[i] = malloc(length * sizeof **line->quartiles)))
      return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", length);
  return km_mean_curves_quantiles(line->curve.curves, line->curve.stratum, nums, 3, 4, line->quartiles, err);
}

static km_status read_line(void *ctx, int thread, size_t i, km_err *err) {
  reading *r = ctx;
  km_mean_line *line = &r->lines->lines[i];
  const km_exact_sum *sums;
  line->places = malloc(line->n * sizeof *line->places + 1);
  if (!line->places)
    return km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for a curve of %zu places", line->n);
  km_status status = KM_OK;
  if (line->n)
    status = km_mean_line_sums(&sums, &r->rooms[thread], line, r->means->ends, err);
  for (size_t t = 0; t < line->n && status == KM_OK; t++) {
    km_exact_moments m = km_exact_sum_moments(&sums[t]);
    line->places[t] = (km_line_place){m.n, m.mean, m.deviation, m.error};
  }
  if (status == KM_OK && line->channel.quantity == KM_OF_LOG2 && r->means->ends == KM_MEAN_DROP)
    status = read_quartiles(line, err);
  return status;
}

km_status km_mean_lines_read(km_mean_lines *lines, const km_hbs_means *means, km_err *err) {
  *lines = (km_mean_lines){0};
  size_t room = 0;
  km_status status = KM_OK;
  for (size_t i = 0; i < means->n_sets; i++)
    for (km_curve curve = {0}; status == KM_OK && km_curve_next(&means->sets[i], &curve);) {
      status = make_room(lines, &room, err);
      if (status == KM_OK)
        list_curve(lines, &curve);
    }
  reading r = {lines, means, calloc((size_t)means->n_threads, sizeof *r.rooms)};
  if (status == KM_OK && !r.rooms)
    status = km_err_set(err, KM_ERR_NOMEM, 0, "out of memory for curves");
  if (status == KM_OK)
    status = km_parallel_for(lines->n_lines, means->n_threads, read_line, &r, err);
  for (int i = 0; r.rooms && i < means->n_threads; i++)
    free(r.rooms[i].sums);
  free(r.rooms);
  return status;
}

void km_mean_lines_clear(km_mean_lines *lines) {
  for (size_t i = 0; i < lines->n_lines; i++) {
    free(lines->lines[i].places);
    for (int q = 0; q < 3; q++)
      free(lines->lines[i].quartiles[q]);
  }
  free(lines->lines);
  free(lines->curves);
  *lines = (km_mean_lines){0};
}
