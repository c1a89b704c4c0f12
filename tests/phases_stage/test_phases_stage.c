/* test_phases_stage.c: kifu-phases end to end: the golden change-points through the whole stage, every signal
 * against the library, labels, games that cannot be cut, and what it says of bad input. */
#include "stage_fixture.h"

#include "hbs_stage.h"
#include "phase_division.h"
#include "phase_signal.h"
#include "phases_stage.h"
#include "phases_store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- reading results
 * --------------------------------------------------------------------------------------------- */

typedef struct results {
  uint64_t n_games, n_changes;
  uint8_t *state, *compared, *size;
  uint32_t *positions, *n_change, *three, *at;
  uint64_t *first, *game;
  double *mean, *cost, *total, *piece;
  uint32_t *uniform, *stones;
} results;

static void *column(km_h5 *file, const char *name, km_type type, uint32_t width, uint64_t *n_rows) {
  km_column c = {.name = name, .type = type, .inner_rank = width > 1, .inner = {width}};
  void *rows = NULL;
  km_err err = {0};
  if (km_h5_read_all(file, &c, (size_t)1 << 30, &rows, n_rows, &err) != KM_OK)
    fail_msg("%s", err.msg);
  return rows;
}

static void read_results(results *r, const char *path) {
  km_h5 *file;
  km_err err = {0};
  if (km_h5_open(&file, path, KM_PHASES_FORMAT, &err) != KM_OK)
    fail_msg("%s", err.msg);
#define GAME(field, name, type, width) r->field = column(file, "/games/" name, type, width, &r->n_games)
  GAME(state, "state", KM_U8, 1);
  GAME(size, "size", KM_U8, 1);
  GAME(compared, "compared", KM_U8, 1);
  GAME(positions, "positions", KM_U32, 1);
  GAME(n_change, "n_changes", KM_U32, 1);
  GAME(first, "first", KM_U64, 1);
  GAME(three, "three", KM_U32, 2);
  GAME(mean, "mean", KM_F64, 1);
  GAME(cost, "cost", KM_F64, 1);
  GAME(total, "total", KM_F64, 1);
  GAME(uniform, "uniform", KM_U32, 2);
  GAME(stones, "stones", KM_U32, 2);
#undef GAME
  r->at = column(file, "/changes/at", KM_U32, 1, &r->n_changes);
  r->game = column(file, "/changes/game", KM_U64, 1, &r->n_changes);
  r->piece = column(file, "/changes/mean", KM_F64, 1, &r->n_changes);
  km_h5_close(file);
}

static void free_results(results *r) {
  void *all[] = {r->state, r->compared, r->size, r->positions, r->n_change, r->three,   r->at,    r->first,
                 r->game,  r->mean,     r->cost, r->total,     r->piece,    r->uniform, r->stones};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

static const char *make_hbs(const char *name, const char *games, int layers, const char *variant) {
  km_hbs_options *o = stage_options(&km_hbs_stage, scratch(name), games, NULL);
  o->layers = layers;
  o->variant = variant;
  run_stage(&km_hbs_stage, o);
  free(o);
  return scratch(name);
}

static uint64_t find_source(const char *path, const char *source) {
  km_games *games;
  assert_int_equal(km_games_open(&games, path, NULL), KM_OK);
  uint64_t i = 0;
  for (; i < km_games_count(games); i++) {
    km_text text = km_games_text(games, i, KM_TEXT_SOURCE);
    if (text.n_bytes == strlen(source) && !memcmp(text.bytes, source, text.n_bytes))
      break;
  }
  assert_true(i < km_games_count(games));
  km_games_close(games);
  return i;
}

/* ---- against golden and the library
 * ------------------------------------------------------------------------------ */

/* The golden series are the first 100 values of these games. */
static const char *const golden_series[] = {"r9_107.sgf", "r9_108.sgf", "r9_109.sgf", "r13_112.sgf",
                                            "r13_113.sgf"};
enum { GOLDEN_SERIES = sizeof golden_series / sizeof *golden_series, GOLDEN_LENGTH = 100 };

static const char *golden_beginnings(void) {
  made_game made[GOLDEN_SERIES];
  km_games *games;
  km_arena arena;
  km_arena_init(&arena);
  assert_int_equal(km_games_open(&games, golden_games(), NULL), KM_OK);
  for (size_t k = 0; k < GOLDEN_SERIES; k++) {
    km_game game;
    assert_int_equal(km_games_game(games, find_source(golden_games(), golden_series[k]), &arena, &game, NULL),
                     KM_OK);
    assert_true(game.n_moves >= GOLDEN_LENGTH - 1);
    uint32_t n_setup = 0;
    while (n_setup < game.n_setup && game.setup[n_setup].ply < GOLDEN_LENGTH)
      n_setup++;
    made[k] = (made_game){.rows = game.rows,
                          .cols = game.cols,
                          .n_moves = GOLDEN_LENGTH - 1,
                          .source = golden_series[k],
                          .moves = game.moves,
                          .setup = game.setup,
                          .n_setup = n_setup};
  }
  const char *path = made_games("beginnings.h5", made, GOLDEN_SERIES);
  km_games_close(games);
  km_arena_clear(&arena);
  return path;
}

static void golden_changes(void **state) {
  (void)state;
  const char *games = golden_beginnings(), *hbs = make_hbs("g.hbs.h5", games, 0, "default");
  json_t *json = read_json("tests/golden/changepoint.json"), *cases = json_object_get(json, "cases"), *c;
  size_t k, n_checked = 0;
  json_array_foreach(cases, k, c) {
    const char *series = json_string_value(json_object_get(c, "series"));
    const char *penalty = json_string_value(json_object_get(c, "penalty")),
               *model = json_string_value(json_object_get(c, "model"));
    json_t *breaks = json_object_get(c, "breakpoints"), *gap = json_object_get(c, "gap");
    char source[64], beta[40];
    if (k % 2 || strncmp(series, "log2_", 5) || !json_is_array(breaks) ||
        (json_is_number(gap) && json_number_value(gap) <= 1e-6))
      continue; /* all cases are the library's tests */
    km_phases_options *o = stage_options(&km_phases_stage, scratch("g.phases.h5"), hbs, NULL);
    snprintf(beta, sizeof beta, "%s", penalty ? penalty : "bic");
    o->noise = strstr(beta, "mad") ? KM_NOISE_MAD : KM_NOISE_VN;
    if (!strncmp(beta, "bic", 3))
      beta[3] = 0;
    o->penalty = beta;
    o->changes =
        json_is_integer(json_object_get(c, "K")) ? (int)json_integer_value(json_object_get(c, "K")) : -1;
    o->cost = !strcmp(model, "linear"); /* l2|linear|… */
    o->min_size = (int)json_integer_value(json_object_get(c, "min_size"));
    o->empty = KM_EMPTY_KEEP;
    o->replicates = 0;
    run_stage(&km_phases_stage, o);
    results r = {0};
    read_results(&r, scratch("g.phases.h5"));
    snprintf(source, sizeof source, "%s.sgf", series + 5);
    uint64_t i = find_source(games, source);
    if (r.n_change[i] != json_array_size(breaks))
      fail_msg("%s %s %s min %d: %u changes instead of %zu", series, model, penalty ? penalty : "fixed",
               o->min_size, r.n_change[i], json_array_size(breaks));
    for (uint32_t b = 0; b < r.n_change[i]; b++) {
      assert_int_equal(r.at[r.first[i] + b], json_integer_value(json_array_get(breaks, b)));
      assert_int_equal(r.game[r.first[i] + b], i);
    }
    if (!penalty && o->changes == 2)
      for (int b = 0; b < 2; b++)
        assert_int_equal(r.three[2 * i + (uint64_t)b], json_integer_value(json_array_get(breaks, (size_t)b)));
    assert_float_equal(r.cost[i], json_number_value(json_object_get(c, "cost")), 1e-6);
    free_results(&r);
    free(o);
    n_checked++;
  }
  assert_true(n_checked >= 25);
  json_decref(json);
}

/* Every signal of the bundled games, cut here by the library. */
static void signals_as_library(void **state) {
  static const char *const signals[] = {"log2", "layer:13", "layers", "delta:5"};
  (void)state;
  const char *hbs_path = make_hbs("b.hbs.h5", bundled_games(), 1, "white");
  for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
    km_phases_options *o = stage_options(&km_phases_stage, scratch("b.phases.h5"), hbs_path, bundled_games());
    o->signal = signals[k];
    o->replicates = 0;
    run_stage(&km_phases_stage, o);
    results r = {0};
    read_results(&r, scratch("b.phases.h5"));
    km_hbs_store *hbs;
    km_signal signal;
    assert_int_equal(km_hbs_store_open(&hbs, hbs_path, NULL), KM_OK);
    assert_int_equal(km_signal_parse(&signal, signals[k], NULL), KM_OK);
    assert_int_equal(km_hbs_variant_parse(&signal.variant, "white", NULL), KM_OK);
    signal.n_limbs = 2;
    signal.n_layers = 9;
    signal.skip_empty = 1;
    km_hbs_store_cursor *cursor = km_hbs_store_cursor_new(hbs);
    km_changepoint *workspace = km_changepoint_new();
    double *values = malloc(9 * 1000 * sizeof *values);
    assert_int_equal(r.n_games, km_hbs_store_n_games(hbs));
    for (uint64_t i = 0; i < r.n_games; i += 3) {
      km_hbs_store_series series;
      km_changepoints cut;
      km_changepoint_options options = km_changepoint_defaults();
      size_t n_channels = km_signal_channels(&signal, r.size[i]);
      if (n_channels == 0) {
        assert_int_equal(r.state[i], 1);
        continue;
      }
      assert_int_equal(km_hbs_store_game(cursor, &(km_hbs_store_what){i, 0, 1}, &series, NULL), KM_OK);
      km_signal_fill(&signal, r.size[i], &series, values);
      km_series whole = {values, series.n, n_channels};
      assert_int_equal(km_changepoint_find(workspace, &whole, &options, &cut, NULL), KM_OK);
      assert_int_equal(r.positions[i], series.n);
      assert_int_equal(r.n_change[i], cut.n_breaks);
      assert_true(r.total[i] == cut.total);
      uint32_t from = 0;
      for (size_t b = 0; b <= cut.n_breaks; b++) {
        uint32_t to = b < cut.n_breaks ? cut.breaks[b] : (uint32_t)series.n;
        double sum = 0, stored = b ? r.piece[r.first[i] + b - 1] : r.mean[i];
        for (size_t c = 0; c < n_channels; c++)
          for (uint32_t t = from; t < to; t++)
            sum += values[c * series.n + t];
        assert_float_equal(stored, sum / (double)(n_channels * (to - from)), 1e-9);
        if (b < cut.n_breaks)
          assert_int_equal(r.at[r.first[i] + b], to);
        from = to;
      }
      options.n_changes = 2;
      assert_int_equal(km_changepoint_find(workspace, &whole, &options, &cut, NULL), KM_OK);
      assert_memory_equal(&r.three[2 * i], cut.breaks, 2 * sizeof *cut.breaks);
    }
    free(values);
    km_changepoint_free(workspace);
    km_hbs_store_cursor_free(cursor);
    km_hbs_store_close(hbs);
    free_results(&r);
    free(o);
  }
}

/* ---- the comparison
 * ---------------------------------------------------------------------------------------------- */

static double measure(const json_t *comparison, const char *list, const char *method, const char *name) {
  json_t *item;
  size_t k;
  json_array_foreach(
      json_object_get(comparison, list), k,
      item) if (!strcmp(json_string_value(json_object_get(item, "name")),
                        method)) return json_number_value(json_object_get(json_object_get(item, name),
                                                                          "value"));
  fail_msg("no %s", method);
  return 0;
}

/* The stage's own three pieces given back to it as labels: nothing is nearer. */
static void own_labels(void **state) {
  (void)state;
  const char *hbs = make_hbs("b.hbs.h5", bundled_games(), 0, "default");
  km_phases_options *o = stage_options(&km_phases_stage, scratch("b.phases.h5"), hbs, bundled_games());
  run_stage(&km_phases_stage, o);
  results r = {0};
  km_games *games;
  read_results(&r, scratch("b.phases.h5"));
  assert_int_equal(km_games_open(&games, bundled_games(), NULL), KM_OK);
  FILE *csv = fopen(scratch("own.csv"), "w");
  fprintf(csv, "source,entry,game,ply\n");
  uint32_t number = 0;
  for (uint64_t i = 0; i < r.n_games; i++) {
    km_text source = km_games_text(games, i, KM_TEXT_SOURCE), entry = km_games_text(games, i, KM_TEXT_ENTRY);
    int of_collection =
        source.n_bytes == strlen("selfplay-collection.sgf") && !memcmp(source.bytes, "selfplay-coll", 13);
    number = of_collection ? number + 1 : 0; /* one entry with many games */
    for (int b = 0; b < 2; b++)
      fprintf(csv, "%.*s,%.*s,%u,%u\n", (int)source.n_bytes, source.bytes, (int)entry.n_bytes,
              entry.bytes ? entry.bytes : "", of_collection ? number : 1, r.three[2 * i + (uint64_t)b]);
  }
  fprintf(csv, "nowhere.zip,x.sgf,1,5\n");
  fclose(csv);
  km_games_close(games);
  o->reference = scratch("own.csv");
  o->compare = 3; /* labelled games are all compared */
  run_stage(&km_phases_stage, o);
  json_t *json = read_json(scratch("b.phases.summary.json")),
         *comparison = json_object_get(json, "comparison");
  assert_int_equal(json_integer_value(json_object_get(comparison, "games")), r.n_games);
  assert_true(measure(comparison, "methods", "hbs", "f1") == 1);
  assert_true(measure(comparison, "methods", "hbs", "ari") == 1);
  assert_true(measure(comparison, "methods", "hbs", "covering") == 1);
  assert_true(measure(comparison, "methods", "hbs", "hausdorff") == 0);
  assert_true(measure(comparison, "methods", "hbs", "distance") == 0);
  static const char *const others[] = {"uniform", "conventional", "stones", "lines", "contact", "captures"};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++)
    assert_true(measure(comparison, "differences", others[k], "f1") > 0.2);
  const json_t *reference = json_object_get(json, "reference");
  assert_int_equal(json_integer_value(json_object_get(reference, "labels")), 2 * r.n_games + 1);
  assert_int_equal(json_integer_value(json_object_get(reference, "labels_unused")), 1);
  json_decref(json);
  free_results(&r);
  free(o);
}

/* The conventional division: means of the comparison, and without games.h5 the divisions that need no moves.
 */
static void conventional(void **state) {
  (void)state;
  const char *hbs = make_hbs("b.hbs.h5", bundled_games(), 0, "default");
  km_phases_options *o = stage_options(&km_phases_stage, scratch("b.phases.h5"), hbs, bundled_games());
  o->reference = "conventional:40,120";
  o->margin = 7;
  run_stage(&km_phases_stage, o);
  results r = {0};
  read_results(&r, scratch("b.phases.h5"));
  double f1 = 0, hausdorff = 0, stones = 0, n = 0;
  for (uint64_t i = 0; i < r.n_games; i++) {
    double near[KM_NEARNESSES];
    km_division reference = km_divide_conventional((km_division){{40, 120}}, r.size[i]);
    assert_int_equal(r.compared[i], reference.at[1] < r.positions[i]);
    if (!r.compared[i])
      continue;
    km_compare_breaks(near, (km_breaks){reference.at, 2}, (km_breaks){&r.three[2 * i], 2}, r.positions[i], 7);
    f1 += near[KM_NEAR_F1];
    hausdorff += near[KM_NEAR_HAUSDORFF];
    km_compare_breaks(near, (km_breaks){reference.at, 2}, (km_breaks){&r.stones[2 * i], 2}, r.positions[i],
                      7);
    stones += near[KM_NEAR_F1];
    assert_int_equal(r.uniform[2 * i], r.positions[i] / 3);
    n++;
  }
  json_t *json = read_json(scratch("b.phases.summary.json")),
         *comparison = json_object_get(json, "comparison");
  assert_true(n > 300);
  assert_int_equal(json_integer_value(json_object_get(comparison, "games")), (int)n);
  assert_float_equal(measure(comparison, "methods", "hbs", "f1"), f1 / n, 1e-9);
  assert_float_equal(measure(comparison, "methods", "hbs", "hausdorff"), hausdorff / n, 1e-9);
  assert_float_equal(measure(comparison, "differences", "stones", "f1"), (f1 - stones) / n, 1e-9);
  assert_int_equal(json_array_size(json_object_get(json, "examples")), 3 * KM_EXAMPLES);
  json_decref(json);
  free_results(&r);
  o->run.n_inputs = 1;
  run_stage(&km_phases_stage, o);
  json = read_json(scratch("b.phases.summary.json"));
  comparison = json_object_get(json, "comparison");
  assert_int_equal(json_integer_value(json_object_get(comparison, "games")), (int)n);
  assert_float_equal(measure(comparison, "methods", "hbs", "f1"), f1 / n, 1e-9);
  assert_int_equal(json_array_size(json_object_get(comparison, "methods")),
                   3); /* hbs, hbs-changes, uniform */
  json_decref(json);
  o->compare = 50;
  run_stage(&km_phases_stage, o);
  json = read_json(scratch("b.phases.summary.json"));
  int64_t some = json_integer_value(json_object_get(json_object_get(json, "comparison"), "games"));
  assert_true(some > 30 && some <= 50);
  json_decref(json);
  free(o);
}

/* ---- what cannot be cut
 * ------------------------------------------------------------------------------------------ */

static void odd_games(void **state) {
  (void)state;
  const made_game games[] = {
      {.rows = 9, .cols = 9, .n_moves = 1, .entry = "short, \"quoted\".sgf"},
      {.rows = 9, .cols = 13, .n_moves = 50},
      {.rows = 19, .cols = 19, .n_moves = KM_PHASES_PLIES},
      {.rows = 1, .cols = 1, .n_moves = 20},
      {.rows = 9, .cols = 9, .n_moves = 0},
  };
  const char *path = made_games("odd.h5", games, 5), *hbs = make_hbs("odd.hbs.h5", path, 0, "default");
  km_phases_options *o = stage_options(&km_phases_stage, scratch("odd.phases.h5"), hbs, path);
  run_stage(&km_phases_stage, o);
  results r = {0};
  read_results(&r, scratch("odd.phases.h5"));
  const uint8_t states[] = {3, 1, 2, 0, 3};
  assert_memory_equal(r.state, states, 5);
  assert_int_equal(r.n_changes, 0);
  size_t n_bytes;
  char *csv = read_bytes(scratch("odd.phases.csv"), &n_bytes);
  assert_string_equal(csv, "game,source,entry,size,positions,changes,middle,endgame\n"
                           "0,made,\"short, \"\"quoted\"\".sgf\",9,2,,,\n"
                           "1,made,made.sgf,0,0,,,\n"
                           "2,made,made.sgf,19,8193,,,\n"
                           "3,made,made.sgf,1,21,,1,2\n"
                           "4,made,made.sgf,9,1,,,\n");
  free(csv);
  free_results(&r);
  o->run.inputs =
      (const char *const[]){make_hbs("none.hbs.h5", made_games("none.h5", games, 0), 0, "default")};
  o->run.n_inputs = 1;
  assert_int_equal(run_stage(&km_phases_stage, o).n_games, 0);
  json_t *json = read_json(scratch("odd.phases.summary.json"));
  assert_true(json_is_null(json_object_get(json, "comparison")));
  json_decref(json);
  free(o);
}

static void wrong_numbers(void **state) {
  (void)state;
  km_hbs_schema schema;
  km_hbs_writer *writer;
  km_err err = {0};
  const km_store_origin origin = {"test", "", 1, "00"};
  const uint64_t offsets[] = {0, 3};
  const uint8_t size = 9;
  const double bad[] = {(double)NAN, (double)INFINITY};
  const km_column sizes = {.name = "/games/size", .type = KM_U8, .doc = "sides"};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(km_hbs_schema_init(&schema, &(km_hbs_shape){2, 0, 1, 1, {KM_CODEC_NONE, 0}}, &err),
                     KM_OK);
    assert_int_equal(km_hbs_writer_open(&writer, scratch("nan.h5"), &schema, &origin, 1, &err), KM_OK);
    assert_int_equal(km_h5_put_text(km_hbs_writer_file(writer), "/", "variant", "default", &err), KM_OK);
    assert_int_equal(km_hbs_writer_offsets(writer, offsets, 1, &err), KM_OK);
    assert_int_equal(km_h5_group(km_hbs_writer_file(writer), "/games", "", &err), KM_OK);
    assert_int_equal(km_h5_put_column(km_hbs_writer_file(writer), &sizes, 1, &size, &err), KM_OK);
    km_block *block = km_block_new(&schema.table);
    km_block_reset(block, 0);
    assert_int_equal(km_block_extend(block, 3, &err), KM_OK);
    ((uint64_t *)km_block_rows(block, (size_t)schema.s_column[0]))[0] = 5;
    ((double *)km_block_rows(block, (size_t)schema.log2_column[0]))[1] = bad[i];
    assert_int_equal(km_block_pack(block, &err), KM_OK);
    assert_int_equal(km_hbs_writer_append(writer, block, &err), KM_OK);
    km_block_free(block);
    assert_int_equal(km_hbs_writer_finish(writer, &err), KM_OK);
    km_phases_options *o = stage_options(&km_phases_stage, scratch("nan.phases.h5"), scratch("nan.h5"), NULL);
    run_stage_fails(&km_phases_stage, o, KM_ERR_FORMAT, "game 0");
    free(o);
  }
}

static void bad_input(void **state) {
  (void)state;
  size_t n_bytes;
  const char *hbs = make_hbs("b.hbs.h5", bundled_games(), 0, "default"), *games = bundled_games();
  char *bytes = read_bytes(hbs, &n_bytes);
  write_bytes(scratch("cut"), bytes, n_bytes / 2);
  memset(bytes + n_bytes / 32, 0x55, 64); /* in a chunk of the trajectories */
  write_bytes(scratch("altered"), bytes, n_bytes);
  free(bytes);
  write_bytes(scratch("text"), "1,2,3\n", 6);
  write_bytes(scratch("bad.csv"), "source,entry\n", 13);
  const struct {
    const char *first, *second, *signal, *penalty, *reference, *text;
    km_status status;
    int cost, colour;
  } cases[] = {
      {scratch("nothing"), NULL, NULL, NULL, NULL, "No such file", KM_ERR_IO, 0, 0},
      {scratch("text"), NULL, NULL, NULL, NULL, "text", KM_ERR_FORMAT, 0, 0},
      {scratch("cut"), NULL, NULL, NULL, NULL, "cut", KM_ERR_FORMAT, 0, 0},
      {scratch("altered"), NULL, NULL, NULL, NULL, "altered", KM_ERR_FORMAT, 0, 0},
      {games, NULL, NULL, NULL, NULL, "kifumill games", KM_ERR_FORMAT, 0, 0},
      {hbs, hbs, NULL, NULL, NULL, "kifumill hbs", KM_ERR_FORMAT, 0, 0},
      {hbs, golden_games(), NULL, NULL, NULL, "was not made of", KM_ERR_FORMAT, 0, 0},
      {hbs, games, "layer:15", NULL, NULL, "--layers", KM_ERR_USAGE, 0, 0},
      {hbs, games, "noise", NULL, NULL, "noise", KM_ERR_USAGE, 0, 0},
      {hbs, games, "layers", NULL, NULL, "--cost l2", KM_ERR_USAGE, KM_COST_LINEAR, 0},
      {hbs, games, NULL, "-1", NULL, "--penalty -1", KM_ERR_USAGE, 0, 0},
      {hbs, games, NULL, "value", NULL, "--penalty value", KM_ERR_USAGE, 0, 0},
      {hbs, games, NULL, "nan", NULL, "--penalty nan", KM_ERR_USAGE, 0, 0},
      {hbs, games, NULL, NULL, "conventional:9", "conventional:9", KM_ERR_USAGE, 0, 0},
      {hbs, games, NULL, NULL, "conventional:50,40", "A < B", KM_ERR_USAGE, 0, 0},
      {hbs, games, NULL, NULL, scratch("bad.csv"), "no column ply", KM_ERR_FORMAT, 0, 0},
      {hbs, games, NULL, NULL, scratch("no.csv"), "no.csv", KM_ERR_IO, 0, 0},
      {hbs, games, NULL, NULL, NULL, "no series of white", KM_ERR_USAGE, 0, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    km_phases_options *o =
        stage_options(&km_phases_stage, scratch("bad.phases.h5"), cases[i].first, cases[i].second);
    o->signal = cases[i].signal ? cases[i].signal : o->signal;
    o->penalty = cases[i].penalty ? cases[i].penalty : o->penalty;
    o->reference = cases[i].reference ? cases[i].reference : o->reference;
    o->cost = cases[i].cost;
    o->colour = cases[i].colour;
    run_stage_fails(&km_phases_stage, o, cases[i].status, cases[i].text);
    free(o);
  }
}

static void bad_output(void **state) {
  static const char *const there[] = {"there.h5", "there.csv", "there.summary.json"};
  (void)state;
  const char *hbs = make_hbs("b.hbs.h5", bundled_games(), 0, "default");
  km_phases_options *o = stage_options(&km_phases_stage, scratch("there.h5"), hbs, NULL);
  o->run.force = 0;
  for (size_t i = 0; i < 3; i++) {
    write_bytes(scratch(there[i]), "x", 1);
    run_stage_fails(&km_phases_stage, o, KM_ERR_STATE, there[i]);
    unlink(scratch(there[i]));
  }
  o->run.output = scratch("no/folder/phases.h5");
  run_stage_fails(&km_phases_stage, o, KM_ERR_IO, "no/folder");
  char csv[512];
  snprintf(csv, sizeof csv, "%s", scratch("labels.csv"));
  write_bytes(csv, "source,entry,ply\n", 17);
  o->run.output = scratch("p.h5");
  o->reference = csv;
  run_stage_fails(&km_phases_stage, o, KM_ERR_USAGE, "give games.h5");
  free(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(golden_changes), cmocka_unit_test(signals_as_library), cmocka_unit_test(own_labels),
      cmocka_unit_test(conventional),   cmocka_unit_test(odd_games),          cmocka_unit_test(wrong_numbers),
      cmocka_unit_test(bad_input),      cmocka_unit_test(bad_output),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
