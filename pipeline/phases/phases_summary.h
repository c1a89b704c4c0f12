/* phases_summary.h: phases.summary.json, as phases_stage.h describes it. */
#ifndef KIFUMILL_PHASES_SUMMARY_H
#define KIFUMILL_PHASES_SUMMARY_H

#include "phase_mean.h"
#include "phase_tally.h"

typedef struct km_phases_facts {
  const km_phase_shared *shared;
  const km_tallies *tallies;
  const km_mean_curves *curves; /* of all games */
  const char *input_digest, *variant, *series;
} km_phases_facts;

/* The text, malloc'ed. */
km_status km_phases_summary(char **text, const km_phases_facts *facts, km_err *err);

#endif
