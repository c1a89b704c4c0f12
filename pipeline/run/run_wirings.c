/* run_wirings.c: the stages of a run, in order, and how their outputs feed each other. */
#include "run_pipeline.h"

#include "ingest_stage.h"
#include "planes_stage.h"

const km_wiring km_run_wirings[] = {
    {&km_ingest_stage, "games.h5", {"games.h5", "games.ledger.tsv", "games.summary.json"}, {NULL}, {NULL}},
    {&km_planes_stage, "shards", {"shards"}, {"games.h5"}, {NULL}},
};
const size_t km_n_run_wirings = sizeof km_run_wirings / sizeof *km_run_wirings;
