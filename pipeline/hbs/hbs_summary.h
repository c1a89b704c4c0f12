/* hbs_summary.h: hbs.summary.json, as hbs_stage.h describes it. */
#ifndef KIFUMILL_HBS_SUMMARY_H
#define KIFUMILL_HBS_SUMMARY_H

#include "hbs_lines.h"
#include "hbs_stage.h"

typedef struct km_hbs_facts {
  const km_hbs_options *options;
  km_hbs_variant variant;
  const char *input_digest; /* hexadecimal */
  km_hbs_means means;
  uint64_t n_games, n_rectangular, n_positions;
} km_hbs_facts;

/* The text, malloc'ed. */
km_status km_hbs_summary(char **text, const km_hbs_facts *facts, const km_mean_lines *lines, km_err *err);

#endif
