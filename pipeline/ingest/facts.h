/* facts.h: counts of the games kept, by size, rank, year, …: games.summary.json and the table for people.
 *
 * Facts of a game are kept in 28 bytes so that a copy found later can be taken out again. */
#ifndef KIFUMILL_FACTS_H
#define KIFUMILL_FACTS_H

#include "kifumill/err.h"
#include "kifumill/game.h"
#include "ledger.h"

#include <stdio.h>

typedef struct km_facts km_facts;

km_facts *km_facts_new(void); /* NULL when memory is out */
void km_facts_free(km_facts *facts);
/* The next game (0, 1, …). */
km_status km_facts_add(km_facts *facts, const km_game *game, km_err *err);
/* Takes a game out again. */
void km_facts_drop(km_facts *facts, uint64_t index);

typedef struct km_facts_totals {
  uint64_t n_records;   /* read */
  uint64_t n_inputs, n_entries;
  const km_ledger *ledger; /* counts by reason */
} km_facts_totals;

/* The summary as JSON text with sorted keys (malloc'ed), and the table. */
km_status km_facts_json(const km_facts *facts, const km_facts_totals *totals, char **text, km_err *err);
km_status km_facts_table(const km_facts *facts, const km_facts_totals *totals, FILE *out, km_err *err);
uint64_t km_facts_n_games(const km_facts *facts);
uint64_t km_facts_n_moves(const km_facts *facts);
uint64_t km_facts_n_refused(const km_facts_totals *totals);
uint64_t km_facts_n_faults(const km_facts_totals *totals); /* of inputs: archives, entries, files */

#endif
