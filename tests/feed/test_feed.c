/* test_feed.c: rows of a feed against rows made by playing the games to them, under every layout and
 * selection; orders; readers; what is remembered; bad settings and files. */
#include "feed_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char path_9x9[512], path_rectangle[512];

static int make_files(void **state) {
  (void)state;
  uint64_t seed = 20240229;
  print_message("seed %llu\n", (unsigned long long)seed);
  make_played(scratch_path(path_9x9, "g9.h5"),
              &(played_games){.rows = 9, .cols = 9, .n = 60, .moves = 160, .seed = seed});
  make_played(scratch_path(path_rectangle, "g76.h5"),
              &(played_games){.rows = 7, .cols = 6, .n = 40, .moves = 300, .seed = seed + 1});
  return 0;
}
static int remove_files(void **state) {
  (void)state;
  scratch_remove();
  return 0;
}

/* ---- rows ---- */

/* All rows of the feed are those made the slow way, and no (game, ply, symmetry) comes twice. */
static void check_rows(const char *path, const char *const *settings, const char *layout,
                       km_packing packing) {
  km_feed *feed = open_feed(path, settings);
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  slow_maker maker = {
      .options = {
          .rows = (uint8_t)shape.rows, .cols = (uint8_t)shape.cols, .symmetries = 0xff, .packing = packing}};
  assert_ok(km_layout_parse(layout, &maker.options.layout, &maker.options.variants, &test_err));
  km_games *games;
  assert_ok(km_games_open(&games, path, &test_err));
  maker.games = games;
  feed_rows rows = rows_new(feed, shape.n_rows);
  assert_true(shape.n_rows > 0);
  assert_fed(feed, km_feed_read(feed, 0, 0, shape.n_rows, &rows.at));
  slow_row *slow = malloc(sizeof *slow);
  uint8_t *seen = calloc(km_games_count(games) * 512, 1);
  assert_true(slow && seen);
  size_t step = 1 + shape.n_rows / 600; /* of large sets, some of the rows are made */
  for (size_t i = 0; i < shape.n_rows; i++) {
    assert_true(rows.at.symmetry[i] < 8 && rows.at.ply[i] < 512 && rows.at.game[i] < km_games_count(games));
    uint8_t *mark = &seen[rows.at.game[i] * 512 + rows.at.ply[i]];
    assert_int_equal(*mark >> rows.at.symmetry[i] & 1, 0);
    *mark |= (uint8_t)(1 << rows.at.symmetry[i]);
    if (i % step)
      continue;
    slow_make(&maker, rows.at.game[i], rows.at.ply[i], rows.at.symmetry[i], slow);
    assert_memory_equal(slow->planes, rows.at.planes + i * shape.row_bytes, shape.row_bytes);
    assert_int_equal(slow->policy, rows.at.policy[i]);
    assert_int_equal(slow->value, rows.at.value[i]);
    assert_true(isnan(slow->score) ? isnan(rows.at.score[i]) : slow->score == rows.at.score[i]);
    assert_true(slow->komi == rows.at.komi[i]);
    assert_int_equal(slow->to_play, rows.at.to_play[i]);
  }
  free(seen);
  free(slow);
  rows_free(&rows);
  km_games_close(games);
  km_feed_close(feed);
}

static void test_layouts(void **state) {
  (void)state;
  static const char *const layouts[] = {"alphago-zero", "black-white", "black-white-literal", "leela-zero",
                                        "alphago-48:setup-old,colour"};
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
    for (int pack = 0; pack < 2; pack++) {
      char layout[64];
      snprintf(layout, sizeof layout, "layout=%s", layouts[i]);
      const char *const square[] = {
          "board=9", "split=1", "symmetries=random", layout, pack ? "pack=bytes" : "pack=bits", NULL};
      check_rows(path_9x9, square, layouts[i], pack ? KM_PACK_BYTES : KM_PACK_BITS);
      const char *const rectangle[] = {
          "board=6x7",      "split=1", "symmetries=all", layout, pack ? "pack=bytes" : "pack=bits",
          "sample=every:7", NULL};
      check_rows(path_rectangle, rectangle, layouts[i], pack ? KM_PACK_BYTES : KM_PACK_BITS);
    }
}

/* Rules of selection leave lists of plies with gaps; the rows are right all the same. */
static void test_selections(void **state) {
  (void)state;
  static const char *const rules[][4] = {{"sample=per-game:5"},
                                         {"sample=every:3", "ply=10..100"},
                                         {"players=winner"},
                                         {"players=rank:3d", "final-value=true"},
                                         {"last=drop", "skip-handicap-moves=true", "unknown-result=drop"},
                                         {"final-value=true"}};
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    const char *const settings[] = {"board=9",
                                    "split=1",
                                    "seed=5",
                                    "symmetries=random",
                                    rules[i][0],
                                    rules[i][1] ? rules[i][1] : "codec=zstd:3",
                                    rules[i][2] ? rules[i][2] : "rows-per-shard=7",
                                    NULL};
    check_rows(path_9x9, settings, "alphago-zero", KM_PACK_BITS);
  }
}

/* Three splits are disjoint by game, and together everything. */
static void test_splits(void **state) {
  (void)state;
  static const char *const names[] = {"of=train", "of=val", "of=test"};
  uint8_t split_of[64] = {0};
  uint64_t n_rows = 0, n_all;
  for (int i = 0; i < 3; i++) {
    km_feed *feed =
        open_feed(path_9x9, (const char *const[]){"board=9", "split=0.5,0.25,0.25", names[i], NULL});
    km_feed_shape shape;
    km_feed_describe(feed, &shape);
    feed_rows rows = rows_new(feed, shape.n_rows);
    assert_fed(feed, km_feed_read(feed, 0, 0, shape.n_rows, &rows.at));
    for (size_t k = 0; k < rows.n; k++) {
      assert_true(split_of[rows.at.game[k]] == 0 || split_of[rows.at.game[k]] == i + 1);
      split_of[rows.at.game[k]] = (uint8_t)(i + 1);
    }
    assert_true(shape.n_rows > 0);
    n_rows += shape.n_rows;
    rows_free(&rows);
    km_feed_close(feed);
  }
  km_feed *feed = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", NULL});
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  n_all = shape.n_rows;
  km_feed_close(feed);
  assert_int_equal(n_rows, n_all);
}

/* ---- orders ---- */

static int compare_u64(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* One number a row that says which it is. */
static uint64_t *identities(km_feed *feed, uint64_t epoch, size_t *n) {
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  *n = shape.n_rows;
  feed_rows rows = rows_new(feed, *n);
  uint64_t *ids = malloc((*n + 1) * sizeof *ids);
  assert_non_null(ids);
  assert_fed(feed, km_feed_read(feed, epoch, 0, *n, &rows.at));
  for (size_t i = 0; i < *n; i++)
    ids[i] = (uint64_t)rows.at.game[i] << 32 | (uint64_t)rows.at.ply[i] << 8 | rows.at.symmetry[i];
  rows_free(&rows);
  return ids;
}

/* Every order of every epoch is the same set of rows; no two orders are the same. */
static void test_orders(void **state) {
  (void)state;
  static const char *const orders[] = {"order=global", "order=pool"};
  static const char *const pools[] = {"pool-games=7", "pool-games=1", "pool-games=100000"};
  uint64_t *seen[12], *reference = NULL;
  size_t n = 0, n_seen = 0;
  for (int order = 0; order < 2; order++)
    for (int pool = 0; pool < (order ? 3 : 1); pool++) {
      km_feed *feed = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", "symmetries=all",
                                                                orders[order], pools[pool], NULL});
      for (uint64_t epoch = 0; epoch < 3; epoch++) {
        seen[n_seen] = identities(feed, epoch, &n);
        for (size_t k = 0; k < n_seen; k++)
          assert_int_not_equal(memcmp(seen[k], seen[n_seen], n * sizeof **seen), 0);
        n_seen++;
      }
      size_t m;
      uint64_t *again = identities(feed, 0, &m); /* the same after another epoch was looked at */
      assert_memory_equal(again, seen[n_seen - 3], n * sizeof *again);
      free(again);
      km_feed_close(feed);
    }
  for (size_t k = 0; k < n_seen; k++) {
    qsort(seen[k], n, sizeof **seen, compare_u64);
    if (k == 0)
      reference = seen[0];
    assert_memory_equal(seen[k], reference, n * sizeof **seen);
  }
  for (size_t k = 0; k < n_seen; k++)
    free(seen[k]);
}

static void test_unshuffled(void **state) {
  (void)state;
  km_feed *feed =
      open_feed(path_9x9, (const char *const[]){"board=9", "split=1", "shuffle=off", "order=pool", NULL});
  size_t n;
  uint64_t *ids = identities(feed, 4, &n);
  for (size_t i = 1; i < n; i++)
    assert_true(ids[i - 1] < ids[i]);
  free(ids);
  km_feed_close(feed);
}

/* Fresh symmetries: the same in epoch 0 as without, others later, the positions the same. */
static void test_fresh(void **state) {
  (void)state;
  size_t n, n_turned = 0;
  km_feed *same = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", "symmetries=random", NULL});
  km_feed *fresh = open_feed(
      path_9x9, (const char *const[]){"board=9", "split=1", "symmetries=random", "symmetry=fresh", NULL});
  for (uint64_t epoch = 0; epoch < 2; epoch++) {
    uint64_t *a = identities(same, epoch, &n), *b = identities(fresh, epoch, &n);
    for (size_t i = 0; i < n; i++) {
      assert_int_equal(a[i] >> 8, b[i] >> 8);
      n_turned += a[i] != b[i];
    }
    assert_true(epoch == 0 ? n_turned == 0 : n_turned > n / 2);
    free(a);
    free(b);
  }
  km_feed_close(same);
  km_feed_close(fresh);
}

/* ---- readers ---- */

/* Takes all batches of a reader of an epoch, marking the rows it has; places are told by the rows of the
 * whole epoch. */
static size_t read_all(km_feed *feed, km_feed_cursor cursor, const feed_rows *epoch) {
  feed_rows batch = rows_new(feed, cursor.batch_rows);
  uint64_t n, number = 0, at = cursor.epoch;
  size_t n_rows = 0;
  int status;
  while ((status = km_feed_next(feed, &cursor, &batch.at, &n)) == 0) {
    uint64_t first =
        ((number++ * cursor.workers + cursor.worker) * cursor.world + cursor.rank) * cursor.batch_rows;
    assert_true(n > 0 && n <= cursor.batch_rows);
    for (size_t i = 0; i < n; i++)
      assert_same_row(feed, &batch, i, epoch, first + i);
    assert_true(n == cursor.batch_rows || first + n == epoch->n);
    n_rows += n;
    assert_int_equal(cursor.batch, number);
  }
  assert_int_equal(status, KM_FEED_END);
  assert_int_equal(n, 0);
  assert_int_equal(cursor.epoch, at + 1);
  assert_int_equal(cursor.batch, 0);
  rows_free(&batch);
  return n_rows;
}

static void test_readers(void **state) {
  (void)state;
  static const char *const orders[] = {"order=global", "order=pool"};
  for (int order = 0; order < 2; order++) {
    km_feed *feed = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", "symmetries=random",
                                                              "pool-games=9", orders[order], NULL});
    km_feed_shape shape;
    km_feed_describe(feed, &shape);
    feed_rows epoch = rows_new(feed, shape.n_rows);
    assert_fed(feed, km_feed_read(feed, 2, 0, shape.n_rows, &epoch.at));
    static const km_feed_cursor splits[] = {{.batch_rows = 64, .world = 1, .workers = 1},
                                            {.batch_rows = 50, .world = 3, .workers = 2},
                                            {.batch_rows = 1000, .world = 2, .workers = 7},
                                            {.batch_rows = 100000, .world = 2, .workers = 2}};
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
      size_t n = 0;
      for (uint32_t rank = 0; rank < splits[i].world; rank++)
        for (uint32_t worker = 0; worker < splits[i].workers; worker++) {
          km_feed_cursor cursor = splits[i];
          cursor.epoch = 2;
          cursor.rank = rank;
          cursor.worker = worker;
          n += read_all(feed, cursor, &epoch);
        }
      assert_int_equal(n, shape.n_rows);
    }
    rows_free(&epoch);
    km_feed_close(feed);
  }
}

/* A saved cursor goes on in a feed that has read nothing. */
static void test_restart(void **state) {
  (void)state;
  const char *const settings[] = {"board=9",    "split=1",      "symmetries=random",
                                  "order=pool", "pool-games=5", NULL};
  km_feed *feed = open_feed(path_9x9, settings);
  km_feed_cursor cursor = {.epoch = 1, .batch_rows = 40, .rank = 1, .world = 2, .workers = 1};
  feed_rows a = rows_new(feed, 40), b = rows_new(feed, 40);
  uint64_t n, m;
  for (int i = 0; i < 20; i++) {
    km_feed *other = open_feed(path_9x9, settings);
    km_feed_cursor saved = cursor;
    assert_fed(feed, km_feed_next(feed, &cursor, &a.at, &n));
    assert_fed(other, km_feed_next(other, &saved, &b.at, &m));
    assert_int_equal(n, m);
    assert_memory_equal(&saved, &cursor, sizeof cursor);
    for (size_t k = 0; k < n; k++)
      assert_same_row(feed, &a, k, &b, k);
    km_feed_close(other);
  }
  rows_free(&a);
  rows_free(&b);
  km_feed_close(feed);
}

/* Places in any order, columns not wanted, and a bound of memory that is met all the time change nothing. */
static void test_take(void **state) {
  (void)state;
  char path[512];
  make_played(scratch_path(path, "many.h5"),
              &(played_games){.rows = 5, .cols = 5, .n = 12000, .moves = 60, .seed = 77});
  static const char *const layouts[] = {"layout=alphago-zero", "layout=alphago-48"};
  for (int i = 0; i < 2; i++) {
    km_feed *feed = open_feed(path, (const char *const[]){"board=5", "split=1", "memory=64M", layouts[i],
                                                          "symmetries=random", NULL});
    km_feed *small = open_feed(path, (const char *const[]){"board=5", "split=1", "memory=1M", layouts[i],
                                                           "symmetries=random", NULL});
    km_feed_shape shape;
    km_feed_describe(feed, &shape);
    enum { N = 20000 };
    feed_rows a = rows_new(feed, N), b = rows_new(feed, N);
    uint64_t *places = malloc(N * sizeof *places);
    assert_non_null(places);
    test_random random = {3};
    for (size_t k = 0; k < N; k++)
      places[k] = test_below(&random, shape.n_rows);
    size_t n = i ? N / 20 : N;
    assert_fed(feed, km_feed_take(feed, 0, places, n, &a.at));
    assert_fed(small, km_feed_take(small, 0, places, n, &b.at));
    for (size_t k = 0; k < n; k++)
      assert_same_row(feed, &a, k, &b, k);
    memset(b.at.policy, 0, N * sizeof(int16_t));
    assert_fed(small, km_feed_take(small, 0, places, n, &(km_feed_buffers){.policy = b.at.policy}));
    assert_memory_equal(a.at.policy, b.at.policy, n * sizeof(int16_t));
    memset(b.at.planes, 0xee, n * shape.row_bytes);
    assert_fed(small, km_feed_take(small, 0, places, n, &(km_feed_buffers){.planes = b.at.planes}));
    assert_memory_equal(a.at.planes, b.at.planes, n * shape.row_bytes);
    free(places);
    rows_free(&a);
    rows_free(&b);
    km_feed_close(feed);
    km_feed_close(small);
  }
}

/* A feed opened before fork is used on both sides. */
static void test_fork(void **state) {
  (void)state;
  km_feed *feed = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", NULL});
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  feed_rows a = rows_new(feed, shape.n_rows);
  assert_fed(feed, km_feed_read(feed, 0, 0, shape.n_rows / 2, &a.at));
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    feed_rows b = rows_new(feed, shape.n_rows);
    int bad = km_feed_read(feed, 0, 0, shape.n_rows, &b.at) != 0;
    km_hash128 hash = km_hash_bytes(b.at.planes, shape.n_rows * shape.row_bytes);
    bad |= write(ends[1], &hash, sizeof hash) != (ssize_t)sizeof hash;
    rows_free(&b);
    km_feed_close(feed);
    _exit(bad);
  }
  assert_fed(feed, km_feed_read(feed, 0, 0, shape.n_rows, &a.at));
  km_hash128 theirs, ours = km_hash_bytes(a.at.planes, shape.n_rows * shape.row_bytes);
  int status;
  assert_int_equal(read(ends[0], &theirs, sizeof theirs), sizeof theirs);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_true(km_hash128_equal(ours, theirs));
  close(ends[0]);
  close(ends[1]);
  rows_free(&a);
  km_feed_close(feed);
}

/* ---- what is wrong ---- */

static void assert_refused(const char *path, const char *const *settings, const char *why) {
  km_feed *feed = (km_feed *)1;
  char message[320] = "";
  assert_true(km_feed_open(&feed, path, settings, message, sizeof message) < 0);
  assert_null(feed);
  if (!strstr(message, why))
    fail_msg("\"%s\" does not say \"%s\"", message, why);
  assert_true(km_feed_open(&feed, path, settings, NULL, 0) < 0);
}

static void test_bad_settings(void **state) {
  (void)state;
  static const struct {
    const char *setting, *why;
  } cases[] = {
      {"board=0", "--board 0: not a size"},
      {"board=53", "--board 53: not a size"},
      {"layout=alphago", "alphago"},
      {"split=0.5,0.6", "sum to 1.1"},
      {"sample=some", "--sample some"},
      {"symmetries=many", "takes one of none|random|all"},
      {"of=dev", "takes one of train|val|test"},
      {"order=sorted", "takes one of global|pool"},
      {"pool-games=0", "pool-games"},
      {"memory=5", "memory"},
      {"seed=x", "seed"},
      {"colour=red", "colour"},
      {"nothing", "\"nothing\": not of the form name=value"},
      {"=5", "not of the form"},
      {"a-name-that-is-far-longer-than-any-setting=1", "not of the form"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    assert_refused(path_9x9, (const char *const[]){cases[i].setting, NULL}, cases[i].why);
}

static void test_bad_files(void **state) {
  (void)state;
  char path[512];
  assert_refused(scratch_path(path, "absent.h5"), NULL, "absent.h5");
  write_file(scratch_path(path, "text.h5"), "(;SZ[9])", 8);
  assert_refused(path, NULL, "text.h5");
  make_shard(scratch_path(path, "shard.h5"), 1, 10, (km_codec){0}, 4);
  assert_refused(path, NULL, "shard.h5");
  size_t n_bytes;
  unsigned char *bytes = read_file(path_9x9, &n_bytes);
  for (size_t part = 1; part < 8; part++) {
    write_file(scratch_path(path, "cut.h5"), bytes, n_bytes * part / 8);
    assert_refused(path, NULL, "cut.h5");
  }
  free(bytes);
}

/* No games at all, and none of the board, are epochs without rows. */
static void test_empty(void **state) {
  (void)state;
  char path[512];
  make_played(scratch_path(path, "empty.h5"),
              &(played_games){.rows = 9, .cols = 9, .n = 0, .moves = 1, .seed = 1});
  static const char *const orders[] = {"order=global", "order=pool", "shuffle=off"};
  for (int i = 0; i < 6; i++) {
    km_feed *feed =
        open_feed(i < 3 ? path : path_9x9, (const char *const[]){"board=17", "split=1", orders[i % 3], NULL});
    km_feed_shape shape;
    km_feed_describe(feed, &shape);
    assert_int_equal(shape.n_rows, 0);
    assert_int_equal(shape.n_games, 0);
    km_feed_cursor cursor = {.batch_rows = 1, .world = 1, .workers = 1};
    uint64_t n = 7;
    assert_int_equal(km_feed_next(feed, &cursor, &(km_feed_buffers){0}, &n), KM_FEED_END);
    assert_int_equal(n, 0);
    assert_fed(feed, km_feed_read(feed, 0, 0, 0, &(km_feed_buffers){0}));
    km_feed_close(feed);
  }
}

static void test_bad_calls(void **state) {
  (void)state;
  km_feed *feed = open_feed(path_9x9, (const char *const[]){"board=9", "split=1", NULL});
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  feed_rows rows = rows_new(feed, 4);
  assert_true(km_feed_read(feed, 0, shape.n_rows - 1, 2, &rows.at) < 0);
  assert_non_null(strstr(km_feed_message(feed), "the feed has"));
  assert_true(km_feed_read(feed, 0, UINT64_MAX, 2, &rows.at) < 0);
  assert_true(km_feed_read(feed, 0, 2, UINT64_MAX, &rows.at) < 0);
  uint64_t place = shape.n_rows, n;
  assert_true(km_feed_take(feed, 0, &place, 1, &rows.at) < 0);
  static const km_feed_cursor bad[] = {{.batch_rows = 0, .world = 1, .workers = 1},
                                       {.batch_rows = 4, .world = 0, .workers = 1},
                                       {.batch_rows = 4, .rank = 2, .world = 2, .workers = 1},
                                       {.batch_rows = 4, .world = 1, .worker = 1, .workers = 1}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    km_feed_cursor cursor = bad[i];
    assert_true(km_feed_next(feed, &cursor, &rows.at, &n) < 0);
    assert_memory_equal(&cursor, &bad[i], sizeof cursor);
    assert_non_null(strstr(km_feed_message(feed), "no reader"));
  }
  /* beyond every number that 64 bits hold */
  km_feed_cursor far = {
      .batch = UINT64_MAX, .batch_rows = UINT64_MAX, .world = UINT32_MAX, .workers = UINT32_MAX};
  assert_int_equal(km_feed_next(feed, &far, &rows.at, &n), KM_FEED_END);
  rows_free(&rows);
  km_feed_close(feed);
  km_feed_close(NULL);
}

static void test_description(void **state) {
  (void)state;
  assert_int_equal(km_feed_abi(), KM_FEED_ABI);
  assert_string_equal(km_feed_version(), "1.0.0");
  km_feed *feed =
      open_feed(path_9x9, (const char *const[]){"board=9", "symmetries=all", "layout=leela-zero", NULL});
  km_feed_shape shape;
  km_feed_describe(feed, &shape);
  assert_int_equal(shape.rows, 9);
  assert_int_equal(shape.cols, 9);
  assert_int_equal(shape.n_planes, 18);
  assert_int_equal(shape.plane_bytes, 11);
  assert_int_equal(shape.row_bytes, 198);
  assert_int_equal(shape.is_packed, 1);
  assert_int_equal(shape.n_ways, 8);
  const km_layout *layout = km_layout_find("leela-zero");
  for (uint32_t i = 0; i < 18; i++)
    assert_string_equal(km_feed_plane_name(feed, i), layout->planes[i].name);
  assert_null(km_feed_plane_name(feed, 18));
  km_feed_close(feed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layouts), cmocka_unit_test(test_selections),   cmocka_unit_test(test_splits),
      cmocka_unit_test(test_orders),  cmocka_unit_test(test_unshuffled),   cmocka_unit_test(test_fresh),
      cmocka_unit_test(test_readers), cmocka_unit_test(test_restart),      cmocka_unit_test(test_take),
      cmocka_unit_test(test_fork),    cmocka_unit_test(test_bad_settings), cmocka_unit_test(test_bad_files),
      cmocka_unit_test(test_empty),   cmocka_unit_test(test_bad_calls),    cmocka_unit_test(test_description),
  };
  return cmocka_run_group_tests(tests, make_files, remove_files);
}
