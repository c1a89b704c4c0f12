/* planes_manifest.h: what manifest.json and the closing summary say of a run. */
#ifndef KIFUMILL_PLANES_MANIFEST_H
#define KIFUMILL_PLANES_MANIFEST_H

#include "row_select.h"

#include "kifumill/manifest.h"

enum { KM_MANIFEST_SETTINGS = 20, KM_MANIFEST_COUNTS = 32 };

/* The parts of a manifest, and what they point to. */
typedef struct km_planes_manifest {
  km_manifest manifest;
  km_manifest_pair settings[KM_MANIFEST_SETTINGS];
  km_manifest_count counts[KM_MANIFEST_COUNTS];
  char texts[KM_MANIFEST_SETTINGS][128];
  char keys[2 * KM_SPLITS][24];
} km_planes_manifest;

/* Settings and counts; origin, planes and files are the caller's to set. */
void km_planes_manifest_fill(km_planes_manifest *manifest, const km_planes_options *options,
                             const km_planes_settings *settings, const km_select_counts *counts);

/* The table of what the rules did, and of games left out. */
void km_planes_summary(const km_planes_settings *settings, const km_select_counts *counts, FILE *out);

#endif
