/* run_wirings.c: the stages of a run, in order, and how their outputs feed each other. */
#include "run_pipeline.h"

#include "hbs_stage.h"
#include "ingest_stage.h"
#include "phases_stage.h"
#include "planes_stage.h"
#include "report_stage.h"
#include "winrate_stage.h"

const km_wiring km_run_wirings[] = {
    {&km_ingest_stage, "games.h5", {"games.h5", "games.ledger.tsv", "games.summary.json"}, {NULL}, {NULL}},
    {&km_hbs_stage, "hbs.h5", {"hbs.h5", "hbs.summary.json"}, {"games.h5"}, {NULL}},
    {&km_phases_stage, "phases.h5", {"phases.h5", "phases.csv", "phases.summary.json"}, {"hbs.h5", "games.h5"}, {NULL}},
    {&km_winrate_stage, "winrate.json", {"winrate.json", "winrate.csv", "winrate.styles.json"}, {"games.h5"}, {"hbs.h5"}},
    {&km_planes_stage, "shards", {"shards"}, {"games.h5"}, {NULL}},
    {&km_report_stage,
     "report",
     {"report"},
     {"games.h5"},
     {"games.summary.json", "games.ledger.tsv", "hbs.summary.json", "phases.summary.json", "winrate.json", "winrate.styles.json",
      "shards/manifest.json"}},
};
const size_t km_n_run_wirings = sizeof km_run_wirings / sizeof *km_run_wirings;
