/* test_feed_shards.c: a feed and the shards that kifu-planes makes of the same games under the same settings
 * hold the same rows in the same places, for every split and kind of setting; and feeds in several threads
 * too. */
#include "feed_fixture.h"

#include "planes_stage.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char games_path[512];

static int make_files(void **state) {
  (void)state;
  make_played(scratch_path(games_path, "games.h5"),
              &(played_games){.rows = 9, .cols = 9, .n = 90, .moves = 200, .seed = 4711});
  return 0;
}
static int remove_files(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

/* Settings of both: the options of the stage by field, those of the feed as texts. */
typedef struct pair {
  void (*set)(km_planes_options *options);
  const char *texts[6];
} pair;

static void set_plain(km_planes_options *o) {
  (void)o;
}
static void set_all(km_planes_options *o) {
  o->symmetries = 2;
  o->sample = "every:5";
  o->pack = 1;
}
static void set_rules(km_planes_options *o) {
  o->symmetries = 1;
  o->layout = "black-white";
  o->players = "winner";
  o->ply = "5..150";
  o->final_value = 1;
}
static void set_features(km_planes_options *o) {
  o->layout = "alphago-48:colour";
  o->sample = "per-game:3";
  o->symmetries = 1;
}
static void set_unshuffled(km_planes_options *o) {
  o->shuffle = 1;
  o->symmetries = 1;
}

static const pair pairs[] = {
    {set_plain, {NULL}},
    {set_all, {"symmetries=all", "sample=every:5", "pack=bytes"}},
    {set_rules,
     {"symmetries=random", "layout=black-white", "players=winner", "ply=5..150", "final-value=true"}},
    {set_features, {"layout=alphago-48:colour", "sample=per-game:3", "symmetries=random"}},
    {set_unshuffled, {"shuffle=off", "symmetries=random"}},
};

static void make_shards(const pair *p, const char *folder) {
  km_planes_options options;
  km_stage_outcome outcome = {0};
  km_planes_stage.defaults(&options);
  options.board = "9";
  options.split = "0.6,0.2,0.2";
  options.rows_per_shard = 999;
  options.chunk_rows = 64;
  options.run.seed = 31;
  options.run.threads = 1;
  options.run.quiet = 1;
  options.run.progress = KM_PROGRESS_NEVER;
  options.run.messages = NULL;
  options.run.output = folder;
  options.run.inputs = (const char *const[]){games_path};
  options.run.n_inputs = 1;
  p->set(&options);
  assert_ok(km_stage_describe(&km_planes_stage, &options, &test_err));
  assert_ok(km_planes_stage.run(&options, &outcome, &test_err));
  km_stage_forget(&options);
}

static const struct {
  const char *name;
  km_type type;
  size_t at; /* of the pointer in km_feed_buffers */
} fields[] = {
    {"policy", KM_I16, offsetof(km_feed_buffers, policy)},
    {"value", KM_I8, offsetof(km_feed_buffers, value)},
    {"score", KM_F32, offsetof(km_feed_buffers, score)},
    {"komi", KM_F32, offsetof(km_feed_buffers, komi)},
    {"to_play", KM_U8, offsetof(km_feed_buffers, to_play)},
    {"game", KM_U32, offsetof(km_feed_buffers, game)},
    {"ply", KM_U16, offsetof(km_feed_buffers, ply)},
    {"symmetry", KM_U8, offsetof(km_feed_buffers, symmetry)},
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

/* Compares rows first … of the epoch with a shard; returns how many it has. */
static uint64_t compare_shard(const char *path, const km_feed_shape *shape, const feed_rows *rows,
                              uint64_t first) {
  km_column columns[N_FIELDS + 1];
  columns[0] = (km_column){.name = "planes", .type = KM_U8, .inner_rank = shape->is_packed ? 2 : 3};
  columns[0].inner[0] = shape->n_planes;
  columns[0].inner[1] = shape->is_packed ? shape->plane_bytes : shape->rows;
  columns[0].inner[2] = shape->cols;
  for (int i = 0; i < N_FIELDS; i++)
    columns[i + 1] = (km_column){.name = fields[i].name, .type = fields[i].type};
  km_table_schema schema = {.group = "", .columns = columns, .n_columns = N_FIELDS + 1};
  km_h5 *file;
  km_table_reader *reader;
  assert_ok(km_h5_open(&file, path, KM_SHARD_FORMAT, &test_err));
  assert_ok(km_table_reader_open(&reader, file, &schema, &test_err));
  km_table_cursor *cursor = km_table_cursor_new(reader);
  uint64_t n = km_table_reader_n_rows(reader);
  assert_true(first + n <= rows->n);
  for (int i = 0; i <= N_FIELDS; i++) {
    size_t row_bytes = km_column_row_bytes(&columns[i]);
    const unsigned char *ours = rows->at.planes;
    if (i)
      memcpy(&ours, (const char *)&rows->at + fields[i - 1].at, sizeof ours);
    void *theirs = malloc(n * row_bytes + 1);
    assert_non_null(theirs);
    assert_ok(km_table_read(cursor, (size_t)i, 0, n, theirs, &test_err));
    assert_memory_equal(theirs, ours + first * row_bytes, n * row_bytes);
    free(theirs);
  }
  km_table_cursor_free(cursor);
  km_table_reader_close(reader);
  km_h5_close(file);
  return n;
}

static feed_rows read_split(const pair *p, const char *of, km_feed_shape *shape) {
  const char *settings[12] = {"board=9", "split=0.6,0.2,0.2", "seed=31", of};
  memcpy(settings + 4, p->texts, sizeof p->texts);
  km_feed *feed = open_feed(games_path, settings);
  km_feed_describe(feed, shape);
  feed_rows rows = rows_new(feed, shape->n_rows);
  assert_fed(feed, km_feed_read(feed, 0, 0, shape->n_rows, &rows.at));
  km_feed_close(feed);
  return rows;
}

static void test_same_rows(void **state) {
  (void)state;
  static const char *const names[] = {"train", "val", "test"};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    char folder[512], name[32], path[1024];
    snprintf(name, sizeof name, "shards-%zu", i);
    make_shards(&pairs[i], scratch_path(folder, name));
    for (int split = 0; split < 3; split++) {
      km_feed_shape shape;
      snprintf(name, sizeof name, "of=%s", names[split]);
      feed_rows rows = read_split(&pairs[i], name, &shape);
      uint64_t done = 0;
      for (unsigned index = 0; done < shape.n_rows; index++) {
        snprintf(path, sizeof path, "%s/%s-%05u.h5", folder, names[split], index);
        done += compare_shard(path, &shape, &rows, done);
      }
      assert_true(done > 0);
      assert_int_equal(done, shape.n_rows);
      rows_free(&rows);
    }
  }
}

/* ---- threads ---- */

typedef struct job {
  pthread_t thread;
  km_hash128 hash;
  int failed;
} job;

static void *run_job(void *arg) {
  job *j = arg;
  km_feed *feed;
  km_feed_shape shape;
  j->failed =
      km_feed_open(&feed, games_path, (const char *const[]){"board=9", "symmetries=random", NULL}, NULL, 0);
  if (j->failed)
    return NULL;
  km_feed_describe(feed, &shape);
  uint8_t *planes = malloc(shape.n_rows * shape.row_bytes);
  j->failed = !planes || km_feed_read(feed, 0, 0, shape.n_rows, &(km_feed_buffers){.planes = planes});
  if (!j->failed)
    j->hash = km_hash_bytes(planes, shape.n_rows * shape.row_bytes);
  free(planes);
  km_feed_close(feed);
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  enum { N = 16 };
  job jobs[N] = {0};
  for (int i = 0; i < N; i++)
    assert_int_equal(pthread_create(&jobs[i].thread, NULL, run_job, &jobs[i]), 0);
  for (int i = 0; i < N; i++) {
    pthread_join(jobs[i].thread, NULL);
    assert_int_equal(jobs[i].failed, 0);
    assert_true(km_hash128_equal(jobs[i].hash, jobs[0].hash));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_rows), cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
