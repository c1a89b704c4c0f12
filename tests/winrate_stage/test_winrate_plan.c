/* test_winrate_plan.c: samples, parts, segments, ranges, sets of columns, and blocks of positions. */
#include "winrate_games.h"

#include "position_draw.h"

#include "kifumill/hash.h"
#include "winrate_columns.h"
#include "winrate_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static km_wr_plan plan_of(const char *sample, int folds, const char *split) {
  km_winrate_options *o = winrate_options("x", "y", NULL);
  km_wr_plan plan;
  km_err err = {0};
  o->board = 19;
  o->bucket = 20;
  o->sample = sample;
  o->folds = folds;
  o->split = split;
  if (km_wr_plan_init(&plan, o, &err) != KM_OK)
    fail_msg("%s", err.msg);
  free(o);
  return plan;
}

static void samples(void **state) {
  static const char *const rules[] = {"all", "every:5", "every:7", "per-game:12", "per-game:1"};
  (void)state;
  for (size_t r = 0; r < 5; r++) {
    km_wr_plan plan = plan_of(rules[r], 5, "0.8,0.1,0.1");
    for (uint32_t n_moves = 0; n_moves < 60; n_moves++)
      for (uint64_t identity = 0; identity < 20; identity++) {
        km_wr_sampler s = km_wr_sampler_start(&plan, identity, n_moves);
        uint64_t taken = 0;
        for (uint32_t ply = 0; ply <= n_moves; ply++)
          taken += km_wr_sampler_takes(&plan, &s, ply) != 0;
        assert_int_equal(taken, km_wr_plan_positions(&plan, n_moves));
      }
  }
}

/* Every ply of a game is drawn equally often: 4 of 20. */
static void drawn_evenly(void **state) {
  (void)state;
  km_wr_plan plan = plan_of("per-game:4", 5, "0.8,0.1,0.1");
  int count[20] = {0};
  for (uint64_t identity = 0; identity < 20000; identity++) {
    km_wr_sampler s = km_wr_sampler_start(&plan, identity, 19);
    for (uint32_t ply = 0; ply < 20; ply++)
      count[ply] += km_wr_sampler_takes(&plan, &s, ply);
  }
  for (int ply = 0; ply < 20; ply++)
    assert_in_range(count[ply], 4000 - 250, 4000 + 250); /* 4.4 deviations */
}

/* Each part is held back from exactly one fitting and trains the others; the last fitting holds nothing back. */
static void folds(void **state) {
  (void)state;
  km_wr_plan plan = plan_of("all", 7, "0.8,0.1,0.1");
  int count[7] = {0};
  for (uint64_t i = 0; i < 7000; i++)
    count[km_wr_plan_part(&plan, (km_hash128){km_mix64(i), i})]++;
  for (unsigned part = 0; part < 7; part++) {
    assert_in_range(count[part], 850, 1150);
    assert_int_equal(km_wr_fitting_for(&plan, part), part);
    for (unsigned fitting = 0; fitting <= km_wr_n_fittings(&plan); fitting++)
      assert_int_equal(km_wr_role_of(&plan, fitting, part), fitting == part ? KM_WR_HELD : KM_WR_TRAIN);
  }
}

static void split(void **state) {
  (void)state;
  km_wr_plan plan = plan_of("all", 0, "0.6,0.3,0.1");
  int count[3] = {0};
  for (uint64_t i = 0; i < 10000; i++)
    count[km_wr_plan_part(&plan, (km_hash128){km_mix64(i), i})]++;
  assert_in_range(count[0], 5800, 6200);
  assert_in_range(count[1], 2800, 3200);
  assert_int_equal(km_wr_n_fittings(&plan), 1);
  assert_int_equal(km_wr_fitting_for(&plan, 0), -1);
  assert_int_equal(km_wr_fitting_for(&plan, 1), -1);
  assert_int_equal(km_wr_fitting_for(&plan, 2), 0);
  assert_int_equal(km_wr_role_of(&plan, 0, 1), KM_WR_VALID);
}

static void segments(void **state) {
  (void)state;
  km_wr_plan plan = plan_of("all", 5, "0.8,0.1,0.1");
  uint64_t won[KM_WR_SEGMENTS_MAX] = {900, 800, 700, 500, 499}, lost[KM_WR_SEGMENTS_MAX] = {900, 700, 600, 500, 500};
  km_wr_plan_segments(&plan, won, lost);
  assert_int_equal(plan.n_segments, 4);
  assert_int_equal(km_wr_plan_segment_of(&plan, 0), 0);
  assert_int_equal(km_wr_plan_segment_of(&plan, 59), 2);
  assert_int_equal(km_wr_plan_segment_of(&plan, 60), 3);
  assert_int_equal(km_wr_plan_segment_of(&plan, 4000000000u), 3);
  assert_int_equal(km_wr_plan_segment(&plan, 2).end, 60);
  assert_int_equal(km_wr_plan_segment(&plan, 3).end, UINT32_MAX);
  won[0] = 3; /* too few of anything: one segment */
  won[1] = 0;
  memset(won, 0, sizeof won);
  km_wr_plan_segments(&plan, won, lost);
  assert_int_equal(plan.n_segments, 1);
  assert_int_equal(plan.n_buckets, 16);
  assert_int_equal(km_wr_plan_bucket(&plan, 15).first, 300);
  assert_int_equal(km_wr_plan_bucket(&plan, 15).end, UINT32_MAX);
  assert_int_equal(km_wr_plan_phase(&plan, 1).first, 50);
  assert_int_equal(km_wr_plan_phase(&plan, 1).end, 150);
}

static void refused(void **state) {
  static const struct {
    const char *sample, *split, *phases;
    int folds;
    const char *says;
  } cases[] = {
      {"every:0", "0.8,0.1,0.1", "50,150", 5, "--sample"},     {"every:", "0.8,0.1,0.1", "50,150", 5, "--sample"},
      {"every:-3", "0.8,0.1,0.1", "50,150", 5, "--sample"},    {"some", "0.8,0.1,0.1", "50,150", 5, "--sample"},
      {"per-game:9x", "0.8,0.1,0.1", "50,150", 5, "--sample"}, {"all", "0.8,0.1", "50,150", 5, "--split"},
      {"all", "0.8,0.1,0.2", "50,150", 5, "--split"},          {"all", "1,0,0", "50,150", 5, "--split"},
      {"all", "nan,1,0", "50,150", 5, "--split"},              {"all", "0.8,0.1,0.1", "50", 5, "--phases"},
      {"all", "0.8,0.1,0.1", "150,50", 5, "--phases"},         {"all", "0.8,0.1,0.1", "50,150,9", 5, "--phases"},
      {"all", "0.8,0.1,0.1", "-50,150", 5, "--phases"},        {"all", "0.8,0.1,0.1", "50,150", 1, "--folds"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    km_winrate_options *o = winrate_options("x", "y", NULL);
    km_wr_plan plan;
    km_err err = {0};
    o->sample = cases[i].sample;
    o->split = cases[i].split;
    o->phases = cases[i].phases;
    o->folds = cases[i].folds;
    assert_int_equal(km_wr_plan_init(&plan, o, &err), KM_ERR_USAGE);
    assert_non_null(strstr(err.msg, cases[i].says));
    free(o);
  }
}

static void sets(void **state) {
  (void)state;
  unsigned chosen;
  km_err err = {0};
  uint8_t columns[KM_WR_COLUMNS_MAX];
  char name[KM_WR_NAME];
  assert_int_equal(km_wr_sets_parse(&chosen, "hbs,local", &err), KM_OK);
  assert_int_equal(chosen, 1u << 0 | 1u << 1 | 1u << 2 | 1u << 7);
  assert_int_equal(km_wr_sets_parse(&chosen, "all", &err), KM_OK);
  assert_int_equal(chosen, (1u << km_n_wr_sets) - 1);
  assert_int_equal(km_wr_sets_parse(&chosen, "hbs,none", &err), KM_ERR_USAGE);
  assert_non_null(strstr(err.msg, "\"none\""));
  size_t n = km_wr_mask_columns(km_wr_sets[4].mask(9), columns);
  assert_int_equal(n, 9);
  assert_string_equal(km_wr_column_name(name, columns[0], 19, 9), "layer_black_19");
  assert_string_equal(km_wr_column_name(name, columns[8], 19, 9), "layer_black_3");
  n = km_wr_mask_columns(km_wr_sets[8].mask(27), columns); /* the largest board: all but what others say */
  assert_int_equal(n, km_wr_n_columns(27) - 3);
  assert_string_equal(km_wr_column_name(name, columns[n - 1], 53, 27), "layer_white_1");
}

/* Rows come back in order, a game never cut, whatever the sizes. */
static void store(void **state) {
  (void)state;
  km_position_store *s;
  km_err err = {0};
  size_t n_columns = 3, expect[2] = {0};
  assert_int_equal(km_position_store_open(&s, scratch("x.json"), 2, n_columns, &err), KM_OK);
  size_t bytes = km_position_store_row_bytes(s);
  unsigned char *rows = calloc(9000, bytes);
  for (uint32_t game = 0; game < 300; game++) {
    size_t n = game % 50 == 49 ? 9000 : game % 37;
    for (size_t i = 0; i < n; i++) {
      km_position *row = (km_position *)(rows + i * bytes);
      *row = (km_position){.identity = game, .game = game, .ply = (uint32_t)i};
      row->value[2] = (float)game;
    }
    if (n)
      assert_int_equal(km_position_store_add(s, game % 2, rows, n, &err), KM_OK);
    expect[game % 2] += n;
  }
  assert_int_equal(km_position_store_seal(s, &err), KM_OK);
  for (size_t series = 0; series < 2; series++) {
    size_t seen = 0;
    uint32_t last = 0;
    assert_int_equal(km_position_store_rows(s, series), expect[series]);
    for (size_t b = 0; b < km_position_store_blocks(s, series); b++) {
      size_t n;
      const km_position *first = km_position_store_block(s, series, b, &n);
      assert_in_range(n, 1, km_position_store_most_rows(s));
      for (size_t i = 0; i < n; i++, seen++) {
        const km_position *row = km_position_at(first, i, bytes);
        assert_true(row->game % 2 == series && row->game >= last && row->value[2] == (float)row->game);
        assert_true(i > 0 || row->ply == 0); /* a block begins with a game */
        last = row->game;
      }
      km_position_store_leave(s, series, b);
    }
    assert_int_equal(seen, expect[series]);
  }
  km_position_store_release(s);
  km_position_store_close(s);
  free(rows);
  assert_int_equal(scratch_entries(), 0); /* nothing is left beside the output */
  assert_int_equal(km_position_store_open(&s, "/nowhere/at/all/x.json", 2, 3, &err), KM_ERR_IO);
  assert_non_null(strstr(err.msg, "/nowhere/at/all"));
}

enum { DRAWN_GAMES = 500, DRAWN_SEGMENTS = 3 };

/* Games of 1…300 rows over three series after one that is none of them; returns how many. */
static size_t add_games(km_position_store *s, unsigned char *rows) {
  size_t bytes = km_position_store_row_bytes(s), total = 0;
  for (uint32_t game = 0; game < DRAWN_GAMES; game++) {
    uint32_t plies = 1 + (uint32_t)km_random_below(km_random(5, game, 0, KM_PURPOSE_SAMPLE), 300), n = 0;
    for (uint32_t ply = 0; ply < plies; ply++) {
      *(km_position *)(rows + n++ * bytes) = (km_position){.identity = km_mix64(game), .game = game, .ply = ply};
      if (ply % 100 == 99 || ply + 1 == plies) {
        assert_int_equal(km_position_store_add(s, 1 + ply / 100, rows, n, NULL), KM_OK);
        n = 0;
      }
    }
    assert_int_equal(km_position_store_add(s, 0, rows, 1, NULL), KM_OK);
    total += plies;
  }
  return total;
}

/* A part of whole games, in order, each with all its rows; about as many rows as asked for, or all. */
static void drawing(void **state) {
  (void)state;
  km_position_store *s, *drawn;
  assert_int_equal(km_position_store_open(&s, scratch("x.json"), 1 + DRAWN_SEGMENTS, 2, NULL), KM_OK);
  size_t bytes = km_position_store_row_bytes(s);
  unsigned char *rows = calloc(100, bytes);
  size_t total = add_games(s, rows);
  assert_int_equal(km_position_store_seal(s, NULL), KM_OK);
  for (size_t most = total / 4; most < 4 * total; most *= 4) {
    km_position_draw draw = {s, 1, DRAWN_SEGMENTS, most, 9, 2, scratch("x.json")};
    assert_int_equal(km_position_draw_open(&drawn, &draw, NULL), KM_OK);
    size_t seen = 0, games = 0, last = SIZE_MAX, next_ply = 0;
    for (size_t b = 0; b < km_position_store_blocks(drawn, 0); b++) {
      size_t n;
      const km_position *first = km_position_store_block(drawn, 0, b, &n);
      for (size_t i = 0; i < n; i++, seen++) {
        const km_position *row = km_position_at(first, i, bytes);
        if (row->game != last) {
          assert_true(last == SIZE_MAX || row->game > last);
          games++;
          next_ply = 0;
        }
        assert_int_equal(row->ply, next_ply++);
        last = row->game;
      }
    }
    assert_int_equal(seen, km_position_store_rows(drawn, 0));
    if (most >= total)
      assert_true(seen == total && games == DRAWN_GAMES);
    else
      assert_true(seen > most / 2 && seen < 2 * most && games < DRAWN_GAMES);
    km_position_store_close(drawn);
  }
  km_err err = {0};
  km_position_draw nowhere = {s, 1, DRAWN_SEGMENTS, total, 9, 2, "/nowhere/at/all/x.json"};
  assert_int_equal(km_position_draw_open(&drawn, &nowhere, &err), KM_ERR_IO);
  assert_null(drawn);
  km_position_store_close(s);
  free(rows);
  assert_int_equal(scratch_entries(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samples),  cmocka_unit_test(drawn_evenly), cmocka_unit_test(folds), cmocka_unit_test(split),
      cmocka_unit_test(segments), cmocka_unit_test(refused),      cmocka_unit_test(sets),  cmocka_unit_test(store),
      cmocka_unit_test(drawing),
  };
  return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
