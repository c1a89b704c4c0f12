/* stage_fixture.h: a scratch folder, games.h5 made of the bundled and of the golden games, runs of stages;
 * for the tests of the stages behind ingest. Everything asserts success unless its name says otherwise. */
#ifndef STAGE_FIXTURE_H
#define STAGE_FIXTURE_H

#include "stage.h"

#include "kifumill/games_store.h"
#include "kifumill/hash.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* wants the others before it */

/* Set-up and tear-down of a test program: the folder, removed at the end. */
int make_scratch(void **state);
int remove_scratch(void **state);
/* The path of a name in it; the text stays. */
const char *scratch(const char *name);
int scratch_entries(void); /* number of files in it */
int scratch_has(const char *name);

char *read_bytes(const char *path, size_t *n_bytes); /* free it; NUL behind the bytes */
void write_bytes(const char *path, const void *bytes, size_t n_bytes);
km_hash128 bytes_hash(const char *path);
json_t *read_json(const char *path);

/* scratch("bundled.h5"), scratch("golden.h5"): every golden game, not de-duplicated, passes played on. Made
 * once. */
const char *bundled_games(void);
const char *golden_games(void);

/* Games made of moves: what is zero in *game gets a plausible value. */
typedef struct made_game {
  unsigned rows, cols;
  uint32_t n_moves;
  int8_t winner;
  const char *source, *entry, *black;
  const km_move *moves; /* NULL: passes */
  const km_setup *setup;
  uint32_t n_setup;
} made_game;
const char *made_games(const char *name, const made_game *games, size_t n);

/* Options of a stage with its defaults, one or two inputs, an output, and force; free it. */
void *stage_options(const km_stage *stage, const char *output, const char *input, const char *second);
/* Runs it. */
km_stage_outcome run_stage(const km_stage *stage, void *options);
/* Runs it and expects a failure whose message holds text; nothing under the output's name is left but what
 * was there. */
void run_stage_fails(const km_stage *stage, void *options, km_status status, const char *text);

#endif
