/* ledger.h: games.ledger.tsv, the account of every record and input that was refused, cut, repaired or damaged.
 *
 * Tab-separated lines under a header: kind, code, source, entry, game, byte, detail. Tabs, line ends and backslashes in
 * texts are written \t, \n, \r, \\, so that a line is one finding. A record that is refused has exactly one line of
 * kind refused. */
#ifndef KIFUMILL_LEDGER_H
#define KIFUMILL_LEDGER_H

#include "kifumill/outfile.h"
#include "kifumill/reason.h"

#include <stddef.h>

/* Where a finding was made. */
typedef struct km_place {
  const char *source, *entry; /* entry "" for a bare file */
  uint32_t game;              /* 1-based number of the record in the entry; 0: the input itself */
} km_place;

typedef struct km_ledger {
  km_outfile *out; /* NULL: only counted */
  uint64_t counts[KM_REASON_COUNT];
} km_ledger;

km_status km_ledger_open(km_ledger *ledger, const char *path, int force, km_err *err);
km_status km_ledger_add(km_ledger *ledger, const km_place *place, const km_finding *finding, km_err *err);
/* Completes the file; the counts stay. */
km_status km_ledger_finish(km_ledger *ledger, km_err *err);
void km_ledger_abandon(km_ledger *ledger);

#endif
