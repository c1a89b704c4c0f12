/* test_ingest.c: whole runs of the stage on the bundled games and on collections made here: the same bytes for any number
 * of threads, large entries parsed piecemeal like small ones, copies chosen by content, every record accounted for. */
#include "ingest_stage.h"

#include "kifumill/games_store.h"
#include "kifumill/hash.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[] = "/tmp/km-ingest-XXXXXX";

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}
static int remove_folder(void **state) {
  (void)state;
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

static const char *const bundled[] = {"tools/games/selfplay-13x13.zip", "tools/games/selfplay-19x19.tar.zst",
                                      "tools/games/selfplay-9x9.7z", "tools/games/selfplay-collection.sgf"};

typedef struct outcome {
  km_hash128 games, ledger, summary;
  km_stage_outcome counts;
} outcome;

static char *read_file(const char *path, size_t *n) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*n + 1);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  bytes[*n] = 0;
  fclose(file);
  return bytes;
}

static km_hash128 file_hash(const char *name) {
  char path[128];
  size_t n;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *bytes = read_file(path, &n);
  km_hash128 hash = km_hash_bytes(bytes, n);
  free(bytes);
  return hash;
}

static outcome ingest(const char *const *inputs, size_t n_inputs, int threads, int dedup) {
  static char output[64];
  snprintf(output, sizeof output, "%s/games.h5", folder);
  km_ingest_options options;
  km_ingest_stage.defaults(&options);
  options.run.inputs = inputs;
  options.run.n_inputs = n_inputs;
  options.run.output = output;
  options.run.threads = threads;
  options.run.force = 1;
  options.run.messages = NULL;
  options.run.command = "kifu-ingest";
  options.run.config_text = "";
  options.dedup = dedup;
  outcome o = {0};
  km_err err = {0};
  km_status status = km_ingest_run(&options, &o.counts, &err);
  if (status != KM_OK)
    fail_msg("%s", err.msg);
  o.games = file_hash("games.h5");
  o.ledger = file_hash("games.ledger.tsv");
  o.summary = file_hash("games.summary.json");
  return o;
}

static void assert_same(const outcome *a, const outcome *b) {
  assert_true(km_hash128_equal(a->games, b->games));
  assert_true(km_hash128_equal(a->ledger, b->ledger));
  assert_true(km_hash128_equal(a->summary, b->summary));
}

/* Lines of a kind in the ledger. */
static unsigned ledger_lines(const char *kind) {
  char path[128];
  size_t n;
  unsigned count = 0;
  snprintf(path, sizeof path, "%s/games.ledger.tsv", folder);
  char *text = read_file(path, &n);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    count += strncmp(line, kind, strlen(kind)) == 0 && line[strlen(kind)] == '\t';
  free(text);
  return count;
}

static void test_bundled_games_for_any_number_of_threads(void **state) {
  (void)state;
  outcome one = ingest(bundled, 4, 1, KM_DEDUP_MOVES);
  assert_int_equal(one.counts.n_records, 420);
  assert_int_equal(one.counts.n_games, 418); /* two twins */
  assert_int_equal(ledger_lines("refused"), 2);
  for (int threads = 2; threads <= 7; threads += 5) {
    outcome other = ingest(bundled, 4, threads, KM_DEDUP_MOVES);
    assert_same(&one, &other);
  }
}

static void test_inputs_in_another_order_keep_the_same_copies(void **state) {
  (void)state;
  const char *const reversed[] = {bundled[3], bundled[2], bundled[1], bundled[0]};
  ingest(bundled, 4, 2, KM_DEDUP_SYMMETRIC);
  size_t n;
  char path[128];
  snprintf(path, sizeof path, "%s/games.ledger.tsv", folder);
  char *first = read_file(path, &n);
  ingest(reversed, 4, 2, KM_DEDUP_SYMMETRIC);
  char *second = read_file(path, &n);
  assert_string_equal(first, second);
  free(first);
  free(second);
}

/* A collection of n_games records of about 100 bytes, every 50th damaged, every 70th in GBK, every 90th illegal. */
static void write_collection(const char *path, unsigned n_games) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  for (unsigned i = 0; i < n_games; i++) {
    fprintf(file, "(;GM[1]SZ[19]PB[player %u]%s", i, i % 70 == 3 ? "PW[\xc2\xed\xcf\xfe\xb4\xba]EV[\xd6\xd0\xb9\xfa\xce\xa7\xc6\xe5]" : "");
    for (unsigned k = 0; k < 12; k++) {
      uint64_t bits = km_random(i / 2, k, 0, KM_PURPOSE_SHUFFLE); /* every second game is a copy */
      fprintf(file, ";%c[%c%c]", "BW"[k % 2], (int)('a' + bits % 19), (int)('a' + (bits >> 8) % 19));
    }
    if (i % 90 == 7)
      fputs(";B[aa];W[aa]", file);
    fputs(i % 50 == 11 ? "\n" : ")\n", file);
  }
  assert_int_equal(fclose(file), 0);
}

/* The large file takes the piecemeal way; the same games in files of their own size take the plain one. */
static void test_large_collection(void **state) {
  (void)state;
  enum { N = 24000, PARTS = 3, LARGE = 1 << 20 };
  char large[64], list[64], part[80];
  snprintf(large, sizeof large, "%s/large.sgf", folder);
  write_collection(large, N);
  const char *inputs[] = {large};
  outcome one = ingest(inputs, 1, 1, KM_DEDUP_MOVES);
  assert_int_equal(one.counts.n_records, N);
  assert_int_equal(one.counts.n_records, one.counts.n_games + ledger_lines("refused"));
  outcome two = ingest(inputs, 1, 2, KM_DEDUP_MOVES), seven = ingest(inputs, 1, 7, KM_DEDUP_MOVES);
  assert_same(&one, &two);
  assert_same(&one, &seven);
  /* the same bytes as files below the limit */
  size_t n;
  char *bytes = read_file(large, &n), *from = bytes;
  assert_true(n > 2 * LARGE);
  snprintf(list, sizeof list, "%s/parts", folder);
  mkdir(list, 0777);
  for (int k = 0; k < PARTS; k++) {
    char *end = k + 1 < PARTS ? strstr(bytes + n / PARTS * (size_t)(k + 1), "\n(;") + 1 : bytes + n;
    snprintf(part, sizeof part, "%s/parts/%d.sgf", folder, k);
    FILE *file = fopen(part, "wb");
    assert_non_null(file);
    assert_true(end - from < LARGE);
    assert_int_equal(fwrite(from, 1, (size_t)(end - from), file), end - from);
    fclose(file);
    from = end;
  }
  free(bytes);
  inputs[0] = list;
  outcome parts = ingest(inputs, 1, 2, KM_DEDUP_MOVES);
  assert_int_equal(parts.counts.n_records, one.counts.n_records);
  assert_int_equal(parts.counts.n_games, one.counts.n_games);
  assert_int_equal(parts.counts.n_positions, one.counts.n_positions);
}

static void test_summary_adds_up(void **state) {
  (void)state;
  ingest(bundled, 4, 2, KM_DEDUP_MOVES);
  char path[128];
  snprintf(path, sizeof path, "%s/games.summary.json", folder);
  json_t *summary = json_load_file(path, 0, NULL);
  assert_non_null(summary);
  json_int_t games = json_integer_value(json_object_get(summary, "games"));
  static const char *const tables[] = {"by_size", "by_result", "by_ending", "by_komi", "by_length", "by_source", "by_encoding"};
  for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
    json_int_t sum = 0;
    const char *key;
    json_t *value;
    json_object_foreach(json_object_get(summary, tables[t]), key, value) sum += json_integer_value(value);
    assert_int_equal(sum, games);
  }
  assert_int_equal(json_integer_value(json_object_get(summary, "records")),
                   games + json_integer_value(json_object_get(summary, "refused")));
  json_decref(summary);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundled_games_for_any_number_of_threads),
      cmocka_unit_test(test_inputs_in_another_order_keep_the_same_copies),
      cmocka_unit_test(test_large_collection),
      cmocka_unit_test(test_summary_adds_up),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
