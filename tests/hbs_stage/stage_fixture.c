/* stage_fixture.c: see stage_fixture.h. */
#include "stage_fixture.h"

#include "ingest_stage.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[256];

int make_scratch(void **state) {
  const char *temporary = getenv("TMPDIR");
  (void)state;
  snprintf(folder, sizeof folder, "%.200s/km-stage-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  return mkdtemp(folder) ? 0 : -1;
}

int remove_scratch(void **state) {
  char command[300];
  (void)state;
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

const char *scratch(const char *name) {
  enum { NAMES_MAX = 64 };
  static char names[NAMES_MAX][64], paths[NAMES_MAX][400];
  size_t i = 0;
  while (i < NAMES_MAX && names[i][0] && strcmp(names[i], name))
    i++;
  assert_true(i < NAMES_MAX && strlen(name) < sizeof names[0]);
  snprintf(names[i], sizeof names[0], "%s", name);
  snprintf(paths[i], sizeof paths[0], "%s/%s", folder, name);
  return paths[i];
}

int scratch_entries(void) {
  DIR *dir = opendir(folder);
  int n = 0;
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));)
    n += entry->d_name[0] != '.';
  closedir(dir);
  return n;
}

int scratch_has(const char *name) {
  return access(scratch(name), F_OK) == 0;
}

char *read_bytes(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("cannot open %s", path);
  fseek(file, 0, SEEK_END);
  *n_bytes = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*n_bytes + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n_bytes, file), *n_bytes);
  bytes[*n_bytes] = 0;
  fclose(file);
  return bytes;
}

void write_bytes(const char *path, const void *bytes, size_t n_bytes) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, n_bytes, file), n_bytes);
  assert_int_equal(fclose(file), 0);
}

km_hash128 bytes_hash(const char *path) {
  size_t n;
  char *bytes = read_bytes(path, &n);
  km_hash128 hash = km_hash_bytes(bytes, n);
  free(bytes);
  return hash;
}

json_t *read_json(const char *path) {
  json_error_t error;
  json_t *json = json_load_file(path, 0, &error);
  if (!json)
    fail_msg("%s: %s (line %d)", path, error.text, error.line);
  return json;
}

void *stage_options(const km_stage *stage, const char *output, const char *input, const char *second) {
  static const char *inputs[16][2];
  static unsigned next;
  const char **own = inputs[next++ % 16];
  km_run_options *run = calloc(1, stage->options_bytes);
  assert_non_null(run);
  stage->defaults(run);
  own[0] = input;
  own[1] = second;
  run->inputs = own;
  run->n_inputs = second ? 2 : 1;
  run->output = output;
  run->force = 1;
  run->messages = NULL;
  run->command = "test";
  run->config_text = "";
  return run;
}

km_stage_outcome run_stage(const km_stage *stage, void *options) {
  km_stage_outcome outcome = {0};
  km_err err = {0};
  if (stage->run(options, &outcome, &err) != KM_OK)
    fail_msg("kifu-%s: %s", stage->name, err.msg);
  return outcome;
}

void run_stage_fails(const km_stage *stage, void *options, km_status status, const char *text) {
  km_stage_outcome outcome = {0};
  km_err err = {0};
  int entries = scratch_entries();
  km_status got = stage->run(options, &outcome, &err);
  if (got != status || !strstr(err.msg, text))
    fail_msg("kifu-%s: status %d \"%s\" instead of %d with \"%s\"", stage->name, got, got ? err.msg : "",
             status, text);
  assert_int_equal(scratch_entries(), entries);
}

const char *bundled_games(void) {
  static const char *const inputs[] = {"tools/games/selfplay-13x13.zip", "tools/games/selfplay-19x19.tar.zst",
                                       "tools/games/selfplay-9x9.7z", "tools/games/selfplay-collection.sgf"};
  if (!scratch_has("bundled.h5")) {
    km_ingest_options *o = stage_options(&km_ingest_stage, scratch("bundled.h5"), inputs[0], NULL);
    o->run.inputs = inputs;
    o->run.n_inputs = 4;
    assert_true(run_stage(&km_ingest_stage, o).n_games > 400);
    free(o);
  }
  return scratch("bundled.h5");
}

const char *golden_games(void) {
  if (!scratch_has("golden.h5")) {
    glob_t found; /* by name: the descriptions beside the games hold text that reads like one */
    assert_int_equal(glob("tests/golden/games/*.sgf", 0, NULL, &found), 0);
    km_ingest_options *o = stage_options(&km_ingest_stage, scratch("golden.h5"), NULL, NULL);
    o->run.inputs = (const char *const *)found.gl_pathv;
    o->run.n_inputs = found.gl_pathc;
    o->dedup = KM_DEDUP_OFF;
    o->min_moves = 0;
    o->after_end = KM_AFTER_END_KEEP;
    o->suicide = KM_SUICIDE_FORBID;
    assert_true(run_stage(&km_ingest_stage, o).n_games > 50);
    globfree(&found);
    free(o);
  }
  return scratch("golden.h5");
}

const char *made_games(const char *name, const made_game *games, size_t n) {
  static const km_store_origin origin = {"test", "", 1, "00"};
  km_games_writer *writer;
  km_err err = {0};
  const char *path = scratch(name);
  assert_int_equal(km_games_writer_open(&writer, path, &origin, 1, &err), KM_OK);
  for (size_t i = 0; i < n; i++) {
    const made_game *m = &games[i];
    km_move *moves = calloc(m->n_moves + 1, sizeof *moves);
    assert_non_null(moves);
    for (uint32_t t = 0; t < m->n_moves; t++)
      moves[t] =
          m->moves ? m->moves[t] : (km_move){(uint16_t)(m->rows * m->cols), t % 2 ? KM_WHITE : KM_BLACK, 0};
    const char *texts[] = {m->source ? m->source : "made", m->entry ? m->entry : "made.sgf",
                           m->black ? m->black : ""};
    km_game game = {.rows = (uint8_t)m->rows,
                    .cols = (uint8_t)m->cols,
                    .final_to_play = KM_BLACK,
                    .winner = m->winner,
                    .komi = 6.5f,
                    .margin = (float)NAN,
                    .n_moves = m->n_moves,
                    .moves = moves,
                    .setup = (km_setup *)(uintptr_t)m->setup,
                    .n_setup = m->n_setup};
    game.text[KM_TEXT_SOURCE] = (km_text){texts[0], (uint32_t)strlen(texts[0])};
    game.text[KM_TEXT_ENTRY] = (km_text){texts[1], (uint32_t)strlen(texts[1])};
    if (*texts[2])
      game.text[KM_TEXT_BLACK] = (km_text){texts[2], (uint32_t)strlen(texts[2])};
    km_game_keys keys = {{i + 1, 0}, {i + 1, 0}};
    if (km_games_writer_add(writer, &game, &keys, NULL, &err) != KM_OK)
      fail_msg("%s", err.msg);
    free(moves);
  }
  assert_int_equal(km_games_writer_finish(writer, 1, NULL, &err), KM_OK);
  return path;
}
